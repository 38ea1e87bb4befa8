"""Section 4 of Li et al. (2020): Theorem 4, what it implies, and how its quantifiers must be read.

Existence is shown on the tridiagonal example without ridge (F strongly convex); the ridge is treated in theorem_5.py.
Everything rests on three closed forms: the bias is never zero (Rolle), its leading coefficient for small steps is
``h |u|/2``, and the round map contracts for steps up to 1/2.
"""

from __future__ import annotations

import sympy as sp

from fltheory.evidence.model import Control, Evidence, Kind, Scope, claim
from fltheory.evidence.settle import settle
from fltheory.theory.li2020.appendix_c import Example, bias, displacement, norm_squared
from fltheory.theory.li2020.appendix_c_symbolic import (
    N,
    optimum_norm_squared,
    p,
    profile_norm_squared,
    profile_steps,
    source_steps,
    stationarity_steps,
)
from fltheory.theory.proofs import is_zero, nonnegative_on

ALL = "all N >= 2, p >= 2, mu = 0"
SMALLEST = Example(2, 2)


def distance(local_steps: int, step: sp.Rational) -> sp.Expr:
    """``|w~* - w*|^2`` at N = p = 2."""
    return norm_squared(bias(SMALLEST, local_steps, step))


def leading_steps() -> dict[str, bool]:
    """``|w~*-w*|/((E-1) eta)`` has a positive limit: ``h |u|/2`` with ``|u|^2`` positive for all N, p >= 2."""
    positive = nonnegative_on(profile_norm_squared() - sp.Rational(10, 9), [(N, 2, None), (p, 2, None)])
    return source_steps() | profile_steps() | {"|u|^2 >= 10/9 for all N, p >= 2": positive}


def any_step_check(diverging_too: bool, least_steps: int) -> Evidence:
    """For every fixed step size (at which the rounds converge) the limit is not ``w*``."""
    eta, lam = sp.symbols("eta lambda")
    contracts = nonnegative_on(2 - eta * lam, [(eta, 0, sp.Rational(1, 2)), (lam, 0, 4)])
    steps = stationarity_steps(2, least_steps) | {
        "the rounds converge for 0 < eta <= 1/2": contracts,
        "nothing is said where they diverge": not diverging_too,
    }
    found = ""
    if diverging_too:
        column = (sp.eye(5) - 2 * SMALLEST.clients[0])[:, 1]
        value = (norm_squared(column) + 1) / 2
        found = (
            f"N=2, p=2, E=2, eta=2: e_2'M e_2 = (|(I - 2A_1)e_2|^2 + 1)/2 = {value} > "
            f"1 with M symmetric, so the rounds diverge "
            "from almost every start and produce no solution"
        )
    elif not any(displacement(SMALLEST, least_steps, sp.Rational(1, 5))):
        found = f"N=2, p=2, E={least_steps}, eta=1/5: w* is the fixed point"
    return settle(
        steps, found, instances=1, valid_for=ALL + ", E >= 2; every eta > 0 at which "
        "the rounds converge, among them (0, 1/2]",
        method="A limit of the rounds is a fixed point of the affine round map, and w* is not one for any eta > 0 "
        "(simple spectrum of a Jacobi matrix, Rolle).  The rounds contract at least for eta <= 1/2.",
    )  # fmt: skip


@claim(
    "LI-THM4.1[every step size with convergence]", kind=Kind.LOWER_BOUND, scope=Scope.GENERAL, source="Theorem 4",
    statement=r"E>1,\ \eta>0 \text{ fixed},\ w_t \text{ convergent}\ \Rightarrow\ \lim w_t\ne w^*",
    summary="on the example FedAvg with E > 1 converges to the minimiser for no fixed step size at all",
    printed=dict(diverging_too=False, least_steps=2), depends=("LI-EQ33.2", "LI-RHO-S1"),
    controls=[Control("E = 1 allowed", dict(least_steps=1))],
)  # fmt: skip
def li_thm4_any_convergent(diverging_too: bool, least_steps: int) -> Evidence:
    return any_step_check(diverging_too, least_steps)


@claim(
    "LI-THM4.1[every step size]", kind=Kind.LOWER_BOUND, scope=Scope.GENERAL, source="Theorem 4",
    statement=r"E>1,\ \eta>0 \text{ fixed}\ \Rightarrow\ w_t \text{ converges, to a sub-optimal point}",
    summary="taken to the letter, any fixed step size gives convergence: false for "
    "large steps, where the rounds diverge",
    printed=dict(diverging_too=True, least_steps=2), repair="LI-THM4.1[every step size with convergence]",
    controls=[Control("steps with convergence only", dict(diverging_too=False), must="pass")],
)  # fmt: skip
def li_thm4_any(diverging_too: bool, least_steps: int) -> Evidence:
    return any_step_check(diverging_too, least_steps)


@claim(
    "LI-THM4.2", kind=Kind.LOWER_BOUND, scope=Scope.GENERAL, source="Theorem 4", depends=("LI-LEM6-S1",),
    statement=r"\|\tilde w^*-w^*\|_2=\Omega((E-1)\eta)\|w^*\|_2\quad(\eta\to0,\ N,p,E \text{ fixed})",
    summary="the distance to the minimiser is at least of order (E-1) eta |w*|, with a "
    "constant that depends on N and p",
    printed=dict(order=sp.Integer(1)), quick=False, proof_steps=("LI-THM5",),
    controls=[Control("order eta -> order sqrt(eta)", dict(order=sp.Rational(1,
    2)))],
)  # fmt: skip
def li_thm4_rate(order: sp.Rational) -> Evidence:
    steps = leading_steps() | {"(E-1) eta over (E-1) eta^order stays away from 0": order >= 1}
    table = {f"eta=1/{q}": float(sp.sqrt(distance(2, sp.Rational(1, q))) * q**order) for q in (10**2, 10**4, 10**6)}
    values = list(table.values())
    found = f"N=2, p=2, E=2: |w~*-w*|/eta^({order}) falls as {table}" if values[-1] < values[0] / 10 else ""
    return settle(
        steps, found, instances=3, valid_for=ALL + ", E >= 2, eta -> 0", numbers={"|w~*-w*| / eta^order": table},
        method="The limit of |w~*-w*|/((E-1) eta) is h|u|/2 > 0 in closed form.",
    )  # fmt: skip


@claim(
    "LI-THM4-I1.1[this example]", kind=Kind.QUALITATIVE, scope=Scope.GENERAL, source="Section 4",
    depends=("LI-EQ33.2",),
    statement=r"E>1:\ \text{no fixed } \eta \text{ lets FedAvg converge to } w^*",
    summary="on the example a fixed step size never reaches the minimiser, so it must decay",
    printed=dict(every_problem=False), controls=[Control("on every non-iid problem", dict(every_problem=True))],
)  # fmt: skip
def li_thm4_i1_example(every_problem: bool) -> Evidence:
    return necessity_check(every_problem)


@claim(
    "LI-THM4-I1.1[every non-iid problem]", kind=Kind.QUALITATIVE, scope=Scope.GENERAL, source="Section 4",
    statement=r"E>1:\ \text{on no problem with different } F_k \text{ does a fixed } \eta \text{ reach } w^*",
    summary="decay is not necessary on every heterogeneous problem: equal Hessians suffice for a zero bias",
    printed=dict(every_problem=True), repair="LI-THM4-I1.1[this example]",
    controls=[Control("on the example", dict(every_problem=False), must="pass")],
)  # fmt: skip
def li_thm4_i1_every(every_problem: bool) -> Evidence:
    return necessity_check(every_problem)


def necessity_check(every_problem: bool) -> Evidence:
    """Nonzero bias on the example, or on every problem (two parabolas with equal curvature are enough to refute)."""
    steps = stationarity_steps(2, 2) | {"only the example is meant": not every_problem}
    found = ""
    if every_problem:
        eta = sp.Rational(1, 2)
        ends = []
        for minimiser in (1, -1):
            w = sp.Integer(0)
            for _ in range(2):
                w = w - eta * (w - minimiser)
            ends.append(w)
        if sum(ends) == 0:
            found = (
                f"F_1 = (w-1)^2/2, F_2 = (w+1)^2/2, E=2, eta={eta}: from w* = 0 the "
                f"clients reach {ends}, whose mean is 0"
            )
    return settle(
        steps, found, instances=1, valid_for=ALL + ", every eta > 0",
        method="w* is no fixed point of the round map (Theorem 4); equal Hessians make the bias vanish for every eta.",
    )  # fmt: skip


@claim(
    "LI-THM4-CONST", kind=Kind.ALGEBRA, scope=Scope.GENERAL, source="Theorem 4, Theorem 5", depends=("LI-NONVAC",
    "LI-PR1-4.2"),
    statement=r"\frac{\|A_1A_2w^*\|}{16\|w^*\|}=\frac1{16}\sqrt{\frac{12}{n(n+1)(2n+1)}},\quad n=Np+1",
    summary="the constant hidden in Theorem 4 that Theorem 5 gives; it falls like n^(-3/2), the true one like 1/n",
    printed=dict(floor=None), controls=[Control("a constant free of N and p", dict(floor=sp.Rational(1, 1000)))],
)  # fmt: skip
def li_thm4_const(floor: sp.Rational | None) -> Evidence:
    n = N * p + 1
    implied = 2 / (N * p + 2) ** 2 / optimum_norm_squared() / 256
    true = profile_norm_squared() / (N * p + 2) ** 2 / 4 / optimum_norm_squared()
    size = sp.Symbol("n", positive=True)
    steps = {
        "closed form": is_zero(implied - sp.Rational(12, 256) / (n * (n + 1) * (2 * n + 1))),
        "a constant that depends on N and p is enough": floor is None,
    }
    found = ""
    for example in (Example(2, 2), Example(2, 3), Example(3, 3)):
        value = (
            norm_squared(example.clients[0] * example.clients[1] * example.optimum)
            / norm_squared(example.optimum)
            / 256
        )
        if not found and value != implied.subs({N: example.n_clients, p: example.block}):
            found = f"{example.name}: the squared constant is {value}"
    if floor is not None and not found:
        large = next(b for b in range(2, 10**6) if true.subs({N: 2, p: b}) < floor**2)
        found = f"N=2, p={large}: the limit of |w~*-w*|/((E-1) eta |w*|) is below {floor}"
    growth = sp.limit((true.subs(N, 2) * size**2).subs(p, (size - 1) / 2), size, sp.oo)
    return settle(
        steps, found, instances=3, valid_for=ALL,
        method="Closed forms of both norms; the true constant is h|u|/(2|w*|).",
        numbers={"square of the true constant": str(sp.factor(true)), "n^2 times it, N = 2, p -> oo": str(growth)},
    )  # fmt: skip


@claim(
    "LI-ABS2[E fixed, eta to 0]", kind=Kind.LOWER_BOUND, scope=Scope.GENERAL, source="Abstract, Section 1",
    depends=("LI-THM4.2",),
    statement=r"\|\tilde w^*-w^*\|=\Omega(\eta),\ \Omega(\eta(E-1)) \quad(E>1 \text{ fixed},\ \eta\to0)",
    summary="with full gradients, E > 1 and a small constant step size the limit is at "
    "least of order eta (E-1) from w*",
    printed=dict(least_steps=2), controls=[Control("E = 1 allowed", dict(least_steps=1))],
)  # fmt: skip
def li_abs2(least_steps: int) -> Evidence:
    steps = leading_steps() | {"E - 1 >= 1": least_steps >= 2}
    found = ""
    for local in range(least_steps, 5):
        if not found and distance(local, sp.Rational(1, 100)) == 0:
            found = (
                f"N=2, p=2, E={local}, eta=1/100: the limit is w* (the abstract does "
                f"not say E > 1, the introduction does)"
            )
    return settle(
        steps, found, instances=5 - least_steps, valid_for=ALL + ", E >= 2, eta -> 0",
        method="Closed form of the leading coefficient, positive for all N and p.",
    )  # fmt: skip


@claim(
    "LI-ABS2[uniformly in E]", kind=Kind.LOWER_BOUND, scope=Scope.INSTANCE, source="Section 1, Section 5",
    statement=r"\|\tilde w^*-w^*\|\ge c\,\eta(E-1) \text{ for one } c>0, \text{ one } \eta \text{ and all } E>1",
    summary="the order E-1 does not hold at a fixed step size as E grows, since the distance stays bounded",
    printed=dict(local_steps=(2, 400)), repair="LI-ABS2[E fixed, eta to 0]", quick=False,
    controls=[Control("E up to 100", dict(local_steps=(2, 10, 100)), must="pass")],
)  # fmt: skip
def li_abs2_uniform(local_steps: tuple[int, ...]) -> Evidence:
    step = sp.Rational(1, 8)
    bound = norm_squared(SMALLEST.clients[0] * SMALLEST.clients[1] * SMALLEST.optimum) * (step / 16) ** 2
    slack = {e: distance(e, step) - bound * (e - 1) ** 2 for e in local_steps}
    worst = min(slack, key=lambda e: slack[e])
    margin = float(sp.sqrt(distance(worst, step) / (bound * (worst - 1) ** 2))) - 1
    found = ""
    if slack[worst] < 0:
        found = (
            f"N=2, p=2, eta={step}, E={worst}: |w~*-w*| = {float(sp.sqrt(distance(worst, step))):.5f} < (E-1) eta/16 "
            f"|A_1A_2w*| = {float(sp.sqrt(bound)) * (worst - 1):.5f}; as E grows the "
            f"left side tends to sqrt(5/18) = 0.52705"
        )
    return settle(
        {f"the bound with the constant of Theorem 5 holds for E in {local_steps}": slack[worst] >= 0}, found,
        instances=len(local_steps), margin=margin, valid_for=f"N = p = 2, eta = 1/8, E in {local_steps}",
        method="Exact fixed points; the distance has a finite limit as E grows (row "
        "LI-EINF-c-R1), so no constant c works.",
    )  # fmt: skip


def khaled_check(power: int) -> Evidence:
    """``distance^power = O(eta^2 E^2)`` together with ``distance >= order (E-1) eta``, for eta -> 0."""
    steps = leading_steps() | {"eta^power is at most of order eta^2": power >= 2}
    table = {
        f"eta=1/{q}": float(sp.sqrt(distance(2, sp.Rational(1, q))) ** power / (4 * sp.Rational(1, q) ** 2))
        for q in (100, 10**4, 10**6)
    }
    values = list(table.values())
    found = (
        f"N=2, p=2, E=2: |w~*-w*|^{power}/(eta E)^2 grows without bound: {table}" if values[-1] > 10 * values[0] else ""
    )
    return settle(
        steps, found, instances=3, valid_for=ALL + ", E >= 2 fixed, eta -> 0",
        numbers={"distance^power/(eta E)^2": table},
        method="The distance is (E-1) eta h|u|/2 + O(eta^2); F(w~*) - F* = (w~*-w*)'A(w~*-w*)/(2N) <= 2|w~*-w*|^2/N.",
    )  # fmt: skip


@claim(
    "LI-KHALED[squared distance or objective gap]", kind=Kind.ASYMPTOTIC, scope=Scope.GENERAL,
    source="Section 4, Section 5",
    statement=r"\|\tilde w^*-w^*\|^2=O(\eta^2E^2) \text{ while } \|\tilde w^*-w^*\|=\Omega((E-1)\eta)",
    summary="an O(eta^2 E^2) neighbourhood in squared distance agrees with a distance of order (E-1) eta",
    printed=dict(power=2), controls=[Control("distance instead of its square", dict(power=1))],
)  # fmt: skip
def li_khaled_squared(power: int) -> Evidence:
    return khaled_check(power)


@claim(
    "LI-KHALED[distance]", kind=Kind.ASYMPTOTIC, scope=Scope.GENERAL, source="Section 5",
    statement=r"\|\tilde w^*-w^*\|=O(\eta^2E^2) \text{ and } \|\tilde w^*-w^*\|=\Omega((E-1)\eta)",
    summary="read as distances, the two orders quoted side by side in Section 5 contradict each other for small eta",
    printed=dict(power=1), repair="LI-KHALED[squared distance or objective gap]",
    controls=[Control("squared distance", dict(power=2), must="pass")],
)  # fmt: skip
def li_khaled_distance(power: int) -> Evidence:
    return khaled_check(power)


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
