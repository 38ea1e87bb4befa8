"""Section 4 of Li et al. (2020): Theorem 4, what it implies, and how its quantifiers must be read.

The document's problem is the tridiagonal example with a ridge ``mu > 0``; its appendix proves the case ``mu = 0``, where
F is strongly convex but the F_k are not.  Rows cover ``mu >= 0``: the bias is not zero for any step size (at most two
eigenvalues of a client's block would allow it), its leading coefficient for small steps is not zero, and the rounds
contract for ``eta < 2/(4 + mu)``.
"""

from dataclasses import replace
from fractions import Fraction

import sympy as sp

import fltheory as fl
from fltheory.evidence.algebra import broken_by
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.ends import first_broken
from fltheory.evidence.kinds import algebra_claim, lower_bound_claim, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.readings.fixed_points import fixed_point
from fltheory.theory.proofs import Open, equal, nonnegative_on
from fltheory.theory.steps import hypothesis
from verify.li2020.appendix_c.closed_forms import N, mu, optimum_norm_squared, p, profile_norm_squared
from verify.li2020.appendix_c.example import SMALLEST, Example, distance, norm_squared
from verify.li2020.appendix_c.ridge_identities import DIVERGES, divergent_instance, large_step, leading_steps
from verify.li2020.appendix_c.stationary_points import search_step_sizes, stationarity_steps
from verify.li2020.lemma_6.matrices_of_example import at_size, product_norm

ALL = "all N >= 2, p >= 2, mu >= 0"
EVERY_STEP = "all N >= 2, p >= 2, mu >= 0, E >= 2"
EXAMPLES = (SMALLEST, Example(2, 2, sp.Rational(1, 5)))
RIDGES = (sp.Integer(0), sp.Rational(1, 10))


def any_step(least_block: int, least_steps: int, limit: sp.Rational | None) -> Evidence:
    """No limit is ``w*``, and the rounds converge for ``eta < limit/(4 + mu)`` (``None``: for every step size)."""
    eta, lam = sp.symbols("eta lambda")
    top = None if limit is None else limit / (4 + mu)
    steps = stationarity_steps(least_block, least_steps) | {
        "the rounds converge: |1 - eta (lambda + mu)| <= 1 below the limit": lambda: nonnegative_on(
            2 - eta * (lam + mu), [(mu, Open(0), None), (lam, 0, 4), (eta, 0, top)]
        )
    }
    found, numbers = search_step_sizes(least_block, least_steps, RIDGES)
    ridge = sp.Rational(1, 5)
    # an instance between 2/(4+mu) and the limit, so below the limit where that is false
    diverges = "" if limit is None else divergent_instance((limit + 2) / 2 / (4 + ridge), ridge)
    return decide(
        steps,
        replace(broken_by(large_step("<="), "N=2, p=2, E=2"), prose=DIVERGES)
        if limit is None
        else Tried(found.examined + 1, found.counterexample or diverges),
        method="A limit of the rounds is a fixed point of the affine round map, and w* is not one: its displacement is "
        "tested with the eigenvectors of a client's block, and at most two eigenvalues, of at least three, would let it "
        "vanish.  Instances: gcd in QQ[eta] of the entries.",
        valid_for=EVERY_STEP + "; every eta > 0",
        numbers=numbers,
    )


of_theorem_4 = lower_bound_claim.sharing(
    source="Theorem 4", quick=False, depends=("LI-EQ33.2", "LI-MUPOS.6", "LI-RHO-S1", "LI-MUPOS.1-R1")
)
_NEVER_THE_MINIMISER = (
    r"\text{full gradients, the example with a ridge }\mu\ge0,\ N,p\ge2,\ E>1,\ "
    r"\eta>0 \text{ fixed},\ w_t \text{ convergent}\ \Rightarrow\ \lim w_t\ne w^*;\quad "
)

small_steps = of_theorem_4(
    "LI-THM4.1[small enough step sizes]",
    headline="With small fixed steps FedAvg converges, and not to the minimiser",
    statement=_NEVER_THE_MINIMISER + r"w_t \text{ converges for } \eta<\tfrac2{4+\mu}",
    summary="On the ridge example FedAvg with E > 1 converges to the minimiser for no fixed step size at all; it "
    "converges, to another point, for steps below 2/(4+mu) (the theorem's next sentence says 'small enough').",
    printed=dict(least_block=2, least_steps=2, limit=sp.Integer(2)),
    controls=[
        Control("E = 1 allowed", dict(least_steps=1)),
        Control("p = 1 allowed", dict(least_block=1)),
        Control("convergence up to 2.01/(4+mu)", dict(limit=sp.Rational(201, 100))),
    ],
)(any_step)

every_step = of_theorem_4(
    "LI-THM4.1[any fixed step size]",
    headline="With large fixed steps FedAvg does not converge at all, as the sentence says it does",
    statement=_NEVER_THE_MINIMISER + r"w_t \text{ converges for every } \eta>0",
    summary="The first sentence of the theorem by itself says that FedAvg converges, to a sub-optimal point, with any fixed "
    "step size: with large ones it diverges. That no fixed step size reaches the minimiser is right.",
    fault="missing hypothesis",
    repair="LI-THM4.1[small enough step sizes]",
    printed=dict(least_block=2, least_steps=2, limit=None),
    controls=[Control("step sizes below 2/(4+mu)", dict(limit=sp.Integer(2)), must="pass")],
)(any_step)


@lower_bound_claim(
    "LI-THM4.2",
    source="Theorem 4",
    depends=("LI-LEM6-S1", "LI-THM5.2", "LI-L6-FIN.1-R1"),
    proof_steps=("LI-THM5",),
    statement=r"\|\tilde w^*-w^*\|_2=\Omega((E-1)\eta)\|w^*\|_2\quad(\eta\to0,\ N,p,E,\mu\ge0 \text{ fixed})",
    headline="For small steps the bias is at least proportional to the step and to the extra local steps",
    summary="For each E, as eta -> 0, the distance to the minimiser is at least of order (E-1) eta |w*|, with a constant "
    "that depends on N, p and mu (how small eta must be depends on E: row LI-ABS2-S1).",
    printed=dict(order=sp.Integer(1)),
    controls=[Control("order eta -> order sqrt(eta)", dict(order=sp.Rational(1, 2)))],
)
def li_thm4_rate(order: sp.Rational) -> Evidence:
    steps = leading_steps() | {"eta over eta^order stays away from 0": lambda: nonnegative_on(order - 1, ())}
    sizes, cases, tables = (10**2, 10**4, 10**6), [], {}
    for example in EXAMPLES:
        values = [float(sp.sqrt(distance(example, 2, sp.Rational(1, q))) * q**order) for q in sizes]
        name, table = f"{example.name}, E=2", {f"eta=1/{q}": value for q, value in zip(sizes, values, strict=True)}
        tables[name] = table
        cases.append((values[-1] >= values[0] / 10, f"{name}: |w~*-w*|/eta^({order}) falls as {table}"))
    return decide(
        steps,
        first_broken(cases),
        method="(w~*-w*)/((E-1) eta) tends to (A + N mu I)^{-1} K/2, and K has a positive p-th entry.",
        valid_for=ALL + ", E >= 2, eta -> 0",
        numbers={"|w~*-w*| / eta^order": tables},
    )


@qualitative_claim(
    "LI-THM4-I1.1",
    headline="On the paper's example no fixed step with two or more local steps reaches the minimiser",
    source="Section 4",
    quick=False,
    depends=("LI-EQ33.2", "LI-MUPOS.6"),
    statement=r"E>1:\ \text{no fixed } \eta \text{ lets FedAvg converge to } w^* \text{ on the example}",
    summary="Decay is necessary: on the example no fixed step size reaches the minimiser with E > 1 (not so on every "
    "heterogeneous problem: equal Hessians make the bias vanish).",
    printed=dict(least_block=2, least_steps=2, every_problem=False),
    controls=[
        Control("E = 1 allowed", dict(least_steps=1)),
        Control("p = 1 allowed", dict(least_block=1)),
        Control("on every problem with different F_k", dict(every_problem=True)),
    ],
)
def li_thm4_i1_necessary(least_block: int, least_steps: int, every_problem: bool) -> Evidence:
    found, _ = search_step_sizes(least_block, least_steps, RIDGES)
    one, method = Fraction(1), fl.FedAvg(least_steps, Fraction(1, 2))
    parabolas = fl.QuadraticProblem([[[one]], [[one]]], [[one], [-one]])
    unmoved = every_problem and fixed_point(parabolas, method, exact=True) == parabolas.constants.minimiser
    words = f"F_1 = (w-1)^2/2, F_2 = (w+1)^2/2, E={least_steps}, eta=1/2: the rounds end at w* = 0"
    example = hypothesis("the problem is the example, whose Hessians differ", not every_problem)
    return decide(
        stationarity_steps(least_block, least_steps) | {"the problem": example},
        Tried(found.examined + int(every_problem), found.counterexample or (words if unmoved else "")),
        method="w* is no fixed point of the round map (Theorem 4), so no fixed step size reaches it.",
        valid_for=EVERY_STEP + "; every eta > 0",
    )


@algebra_claim(
    "LI-THM4-CONST",
    source="Theorem 4, Theorem 5",
    depends=("LI-NONVAC", "LI-PR1-4.2"),
    statement=r"\frac{\|A_1A_2w^*\|}{16\|w^*\|}=\frac1{16}\sqrt{\frac{12}{n(n+1)(2n+1)}},\quad n=Np+1,\ \mu=0",
    headline="The constant that the lower bound on the bias leaves open, worked out",
    summary="The constant hidden in Theorem 4 that Theorem 5 gives; it falls like n^(-3/2), the true one like 1/n.",
    printed=dict(numerator=sp.Integer(12), floor=sp.Integer(0)),
    quick=False,
    controls=[
        Control("12 -> 11.9", dict(numerator=sp.Rational(119, 10))),
        Control("a constant free of N and p", dict(floor=sp.Rational(1, 1000))),
    ],
)
def li_thm4_const(numerator: sp.Rational, floor: sp.Rational) -> Evidence:
    n = N * p + 1
    implied = 2 / (N * p + 2) ** 2 / optimum_norm_squared() / 256
    claimed = numerator / 256 / (n * (n + 1) * (2 * n + 1))
    true = profile_norm_squared() / (N * p + 2) ** 2 / 4 / optimum_norm_squared()
    size = sp.Symbol("n", positive=True)
    steps = {
        "closed form": lambda: equal(implied, claimed),
        "the true constant stays above the floor": lambda: nonnegative_on(
            true - floor**2, [(N, 2, None), (p, 2, None)]
        ),
    }
    cases = []
    for example in (Example(2, 2), Example(2, 3), Example(3, 3)):
        value = product_norm(example) / norm_squared(example.optimum) / 256
        cases.append((value == at_size(claimed, example), f"{example.name}: the squared constant is {value}"))
    found = first_broken(cases).counterexample
    if floor > 0 and not found:
        large = next(b for b in range(2, 10**6) if true.subs({N: 2, p: b}) < floor**2)
        found = f"N=2, p={large}: the limit of |w~*-w*|/((E-1) eta |w*|) is below {floor}"
    growth = sp.limit((true.subs(N, 2) * size**2).subs(p, (size - 1) / 2), size, sp.oo)
    return decide(
        steps,
        Tried(examined=3, counterexample=found),
        method="Closed forms of both norms; the true constant is h|u|/(2|w*|).",
        valid_for="all N >= 2, p >= 2, mu = 0",
        numbers={"square of the true constant": str(sp.factor(true)), "n^2 times it, N = 2, p -> oo": str(growth)},
    )


if __name__ == "__main__":
    run_script(__file__)
