"""Rates behind Theorem 1 of Li et al. (2020): the bound is Theta(1/T), what FedAvg really does, and E growing like sqrt(T).

Exact expectations on two one-dimensional clients come from ``figures/experiments/rates.py``; they illustrate.  What is
proved is proved here: the order of the bound, a lower bound of order 1/T for a noisy instance, and, for the heterogeneous
instance with full gradients, a decay of the gap like (E/T)^2, whatever E >= 24 does with T.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.model import Control, Evidence, Kind, Outcome, Rung, Scope, claim
from fltheory.evidence.statistics import fit_order, orders_agree
from fltheory.plotting.files import Result
from fltheory.plotting.paired import committed
from fltheory.theory.li2020 import theorems
from fltheory.theory.proofs import nonnegative_on

_GAMMA = sp.Symbol("gamma", positive=True)


def _slopes(result: Result, names: tuple[str, ...]) -> dict[str, str]:
    """Slope of log gap over log T on the last two decades, with the smallest and largest local slope."""
    found = {}
    for name in names:
        times, gap = result[f"{name}/T"], result[f"{name}/gap"]
        order = fit_order(times, gap, window=(float(times[-1]) / 100, float(times[-1])))
        local = f"{order.local[0]:.4f} to {order.local[1]:.4f}"
        found[name] = f"slope {order.slope:.4f}, local {local}, T to {int(times[-1])}"
    return found


def _bound_factor() -> sp.Expr:
    """``c`` with bound = c/(gamma + T - 1), c free of T."""
    factor = sp.simplify(theorems.theorem_1.expression * (theorems.gamma + theorems.T - 1))
    if factor.has(theorems.T):
        raise ValueError("the bound of Theorem 1 is not of the form c/(gamma + T - 1)")
    return factor


@claim(
    "LI-THM1-RATE.1",
    kind=Kind.ASYMPTOTIC,
    scope=Scope.GENERAL,
    source="Theorem 1, (4)",
    statement=r"\frac{c}{\gamma "
    r"T}\le\frac{\kappa}{\gamma+T-1}\Big(\frac{2B}{\mu}+\frac{\mu\gamma}{2}D_1\Big)\le\frac{c}{T}",
    summary="The bound of Theorem 1 is Theta(1/T), with c = kappa (2B/mu + mu gamma D_1/2).",
    printed=dict(power=Fraction(1)),
    controls=[Control("1/T^1.01", dict(power=Fraction(101, 100))), Control("1/T^0.9", dict(power=Fraction(9, 10)))],
)
def order_of_the_bound(power: Fraction) -> Evidence:
    """``T <= gamma + T - 1 <= gamma T`` for gamma, T >= 1; other powers of T fail at a power of ten, gamma = 8."""
    _bound_factor()
    T, ranges = theorems.T, [(_GAMMA, 1, None), (theorems.T, 1, None)]
    between = nonnegative_on(_GAMMA + T - 1 - T, ranges) and nonnegative_on(_GAMMA * T - (_GAMMA + T - 1), ranges)
    if power == 1 and between:
        return Evidence(
            Rung.PROOF,
            Outcome.HOLDS,
            "The bound times (gamma + T - 1) is free of T; T <= gamma + T - 1 <= gamma T since (gamma-1)(T-1) >= 0.",
            examined=3,
            margin=0.0,
            valid_for="all T >= 1, gamma >= 1, all constants",
        )
    for exponent in range(1, 300):
        time = 10**exponent
        inside = (
            time**power.numerator <= (7 + time) ** power.denominator <= (8**power.denominator) * time**power.numerator
        )
        if not inside:
            return Evidence(
                Rung.EXACT, Outcome.REFUTED, "T = powers of ten, gamma = 8, integer "
                                             "arithmetic", examined=exponent, margin=-1.0,
                counterexample=f"gamma=8, T=10^{exponent}: gamma+T-1 = 10^{exponent}+7 is not between T^{power} and "
                               f"8 T^{power}",
            )  # fmt: skip
    return Evidence(Rung.SEARCH, Outcome.NOT_REFUTED, "powers of ten", examined=300, would_settle="a proof")


def _noisy_lower_bound(constant: Fraction) -> bool:
    """Induction for F = w^2/2, unit noise, E = 1, eta_t = 2/x_t: ``Delta >= a/x`` is kept by ``(1-2/x)^2 Delta + 4/x^2``."""
    x = sp.Symbol("x", positive=True)
    after = (1 - 2 / x) ** 2 * constant / x + 4 / x**2
    return nonnegative_on(sp.together(after - constant / (x + 1)), [(x, 9, None)])


@claim(
    "LI-THM1-RATE.2",
    kind=Kind.ASYMPTOTIC,
    scope=Scope.INSTANCE,
    source="Theorem 1",
    depends=["LI-THM1"],
    statement=r"\tfrac{a}{2(8+T)} \le \mathbb{E}F(w_T)-F^* ,\quad F=w^2/2,\ \text{unit noise}",
    summary="With gradient noise the order 1/T is the actual one: on F = w^2/2 the gap is at least a/(2(8+T)) with a "
    "= 4/3.",
    printed=dict(constant=Fraction(4, 3)),
    controls=[Control("constant 8/5", dict(constant=Fraction(8, 5)))],
)
def noisy_rate(constant: Fraction) -> Evidence:
    """Start w_1 = 2 (Delta_1 = 4); the control's constant exceeds what the recursion tends to."""
    numbers = _slopes(committed("rates"), ("noisy/E=1", "noisy/E=4", "noisy/E=20"))
    if _noisy_lower_bound(constant) and 4 >= constant / 9:
        return Evidence(
            Rung.PROOF,
            Outcome.HOLDS,
            "Induction on t: Delta_t >= a/(8+t) is kept by Delta -> (1-2/x)^2 "
            "Delta + 4/x^2, x = 8+t "
            "(sign of a rational function for x >= 9). Numbers: exact expectations on two clients, last "
            "two decades.",
            examined=2,
            margin=0.0,
            numbers=numbers,
            valid_for="all T >= 1, start w_1 = 2",
        )
    delta = Fraction(4)
    for t in range(1, 2000):
        x = 8 + t
        if delta < constant / x:
            return Evidence(
                Rung.EXACT,
                Outcome.REFUTED,
                "exact recursion, rounded up",
                examined=t,
                margin=float(delta * x / constant - 1),
                counterexample=f"F=w^2/2, w_1=2, T={t}: E|w_T|^2 = {float(delta):.6g} < {float(constant / x):.6g}",
            )
        delta = (1 - Fraction(2, x)) ** 2 * delta + Fraction(4, x * x)
        # Rounding up keeps an upper bound of the truth, so that a violation stays one.
        delta = Fraction(-(-(delta * 10**20).numerator // (delta * 10**20).denominator), 10**20)
    return Evidence(Rung.SEARCH, Outcome.NOT_REFUTED, "no proof, no violation", examined=2000, would_settle="a proof")


@claim(
    "LI-THM1-RATE.3",
    kind=Kind.ASYMPTOTIC,
    scope=Scope.INSTANCE,
    source="Theorem 1",
    statement=r"\mathbb{E}F(w_T)-F^* \sim T^{-2} \text{ for full gradients, } E>1",
    summary="With full gradients and E > 1 the order on a heterogeneous quadratic is 1/T^2, as far as T was run: the "
    "bound's 1/T is not reached.",
    printed=dict(order=2.0),
    controls=[Control("order 1, as in the bound", dict(order=1.0)), Control("order 2.05", dict(order=2.05))],
)
def full_gradient_rate(order: float) -> Evidence:
    result = committed("rates")
    if not max(abs(result["check/recursion"] / result["check/readings"] - 1)) < 1e-9:
        raise ValueError("the recursion of the experiment and the package's exact moments differ")
    names = ("full gradient/E=4", "full gradient/E=20")
    fits = [
        fit_order(result[f"{name}/T"], result[f"{name}/gap"], window=(float(result[f"{name}/T"][-1]) / 100, 1e12))
        for name in names
    ]
    agree = all(orders_agree(fit, -order, tolerance=0.01) for fit in fits)
    gap = max(abs(fit.slope + order) for fit in fits)
    return Evidence(
        Rung.EXACT, Outcome.NOT_REFUTED if agree else Outcome.REFUTED,
        "Slopes at finite T, which prove no limit: not refuted at most. "
        "Exact expectations (moments carried on round by round, checked against the moments reading); slopes on the "
        "last two decades "
        "of T, fitted and between neighbouring points, within 0.01 of the order.",
        examined=len(fits), margin=0.01 - gap, numbers=_slopes(result, names),
        counterexample="" if agree else f"fitted orders {', '.join(f'{-fit.slope:.4f}' for fit in fits)}, not {order}",
        would_settle="a proof of the limit of T^2 times the gap; the fit speaks for two clients and T up to the last point",
    )  # fmt: skip


@claim(
    "LI-ABS1",
    kind=Kind.ASYMPTOTIC,
    scope=Scope.GENERAL,
    source="Abstract",
    depends=["LI-THM1", "LI-THM1-RATE.1"],
    statement=r"\mathbb{E}F(w_T)-F^* \le c\,T^{-1}",
    summary="For strongly convex and smooth problems FedAvg "
    "converges like O(1/T) on "
    "non-iid data; T counts local SGD steps.",
    printed=dict(power=Fraction(1)),
    controls=[Control("O(1/T^1.01)", dict(power=Fraction(101, 100))), Control("O(1/T^2)", dict(power=Fraction(2)))],
)
def abstract_rate(power: Fraction) -> Evidence:
    """Upper side from Theorem 1 (c/(gamma+T-1) <= c/T); other orders are refuted by the noisy instance's lower bound."""
    numbers = _slopes(committed("rates"), ("noisy/E=4", "full gradient/E=4"))
    T = theorems.T
    _bound_factor()
    if power <= 1 and nonnegative_on(_GAMMA + T - 1 - T, [(_GAMMA, 1, None), (T, 1, None)]):
        return Evidence(
            Rung.PROOF,
            Outcome.HOLDS,
            "Given Theorem 1: c/(gamma+T-1) <= c/T with c = kappa(2B/mu + mu "
            "gamma D_1/2) free of T. "
            "Numbers: slopes of exact expectations on two heterogeneous clients.",
            examined=2,
            margin=0.0,
            numbers=numbers,
            valid_for="the assumptions of Theorem 1, full participation",
        )
    # F = w^2/2, unit noise, w_1 = 2, gamma = 8, E = 1: c = 2 V + gamma/2 D_1 = 2 + 16 = 18; gap >= (2/3)/(8+T).
    if not _noisy_lower_bound(Fraction(4, 3)):
        raise ValueError("lower bound of the noisy instance not proved")
    for exponent in range(1, 400):
        time = 10**exponent
        if time**power.numerator > (27 * (time + 8)) ** power.denominator:
            return Evidence(
                Rung.PROOF,
                Outcome.REFUTED,
                "lower bound of a noisy instance, integer arithmetic",
                examined=exponent,
                margin=-1.0,
                counterexample=f"F=w^2/2, unit noise, w_1=2, T=10^{exponent}: gap >= 2/(3(8+T)) > 18/T^{power}",
            )
    return Evidence(Rung.SEARCH, Outcome.NOT_REFUTED, "no T up to 10^400", examined=400, would_settle="a proof")


def _decay_proved(constant: Fraction) -> bool:
    """Induction ``|e_r| <= D/(r+1)`` with ``D = constant * C`` for the instance, E >= 24, all rounds r >= 0.

    With S_r the sum of a round's step sizes, x = E(r+1) + 1: ((r+1+1/E)/(r+2+1/E))^2 >= e^{-S_r} and S_r <= 2/(r+1)
    (sums of 2/(x+j) against integrals), |e'| <= e^{-S} |e| + C S^2 with C = sum_k p_k a_k^2 |w_k* - w*|/2, because
    1 - aS <= P <= min(e^{-aS}, 1 - aS + (aS)^2/2), every a_k >= 1 and sum_k p_k a_k (w_k* - w*) = 0.
    """
    r, inverse = sp.symbols("r inverse", nonnegative=True)
    kept = ((r + 1 + inverse) / (r + 2 + inverse)) ** 2
    step = constant / (r + 2) - constant / (r + 1) * kept - 4 / (r + 1) ** 2
    top = sp.Rational(1, 24)
    numerator, denominator = sp.fraction(sp.together(step))
    return nonnegative_on(numerator, [(r, 0, None), (inverse, 0, top)]) and nonnegative_on(
        denominator, [(r, 0, None), (inverse, 0, top)]
    )


#: a = (1, 3), w_k* = (1, -1), p = 1/2, w* = -1/2, e_0 = 1/2: C = (1/4)(1 * 3/2 + 9 * 1/2) = 3/2.
_C = Fraction(1, 4) * (1 * Fraction(3, 2) + 9 * Fraction(1, 2))


def _growth(power: str, vanishes: bool) -> Evidence:
    """Claim about the heterogeneous instance with E = T^power: the gap vanishes, or it stays away from zero."""
    result = committed("rates")
    names = tuple(f"{oracle}/E=T^{power}" for oracle in ("full gradient", "noisy"))
    numbers = _slopes(result, names) | {f"last gap, {name}": float(result[f"{name}/gap"][-1]) for name in names}
    constant = Fraction(20)
    if power != "1":
        proved = _decay_proved(constant) and constant * _C >= Fraction(1, 2)
        rest = 1 - Fraction(power)
        method = (
            f"Induction over rounds: |w_r - w*| <= D/(r+1), D = {constant * _C}, hence gap <= D^2 (E/T)^2 with T/E = "
            f"T^{rest} "
            "rounds (mean curvature 2, gap = e^2). Numbers: exact expectations with full gradients and with unit noise."
        )
        if not proved:
            return Evidence(
                Rung.EXACT, Outcome.NOT_REFUTED, method, examined=2, numbers=numbers, would_settle="a proof"
            )
        if vanishes:
            return Evidence(
                Rung.PROOF,
                Outcome.HOLDS,
                method,
                examined=2,
                margin=0.0,
                numbers=numbers,
                valid_for="F_1=(w-1)^2/2, F_2=3(w+1)^2/2, full gradients, step sizes of Theorem 1, E >= 24",
            )
        method += (
            " This one instance with full gradients refutes 'never works'; what holds in general is LI-STICHIID-R1, and "
            "LI-STICHIID-R2 is the decay on this instance."
        )
        return Evidence(
            Rung.PROOF, Outcome.REFUTED, method, examined=2, margin=-1.0, numbers=numbers,
            counterexample=f"F_1=(w-1)^2/2, F_2=3(w+1)^2/2, full gradients, eta_t=2/(gamma+t), E=T^({power}) >= 24: "
            f"F(w_T)-F* <= {(constant * _C) ** 2} (E/T)^2 -> 0; at T=10^6: {float(result[f'{names[0]}/gap'][-1]):.3g}",
        )  # fmt: skip
    # One round of T steps: every client goes to its own minimiser, their mean is 0, w* = -1/2, gap 1/4 in the limit.
    T = sp.Symbol("T", positive=True)
    product = [sp.limit(((T + 1) / (2 * T + 1)) ** (2 * a), T, sp.oo) for a in (1, 3)]
    # The limits of P_k are 4^-1 and 4^-3; w = sum p_k (w_k* + P_k (0 - w_k*)).
    ends = sum(sp.Rational(1, 2) * (m - p * m) for p, m in zip(product, (1, -1), strict=True))
    gap = (ends + sp.Rational(1, 2)) ** 2
    numbers["limit of the gap for one round"] = str(gap)
    if vanishes:
        return Evidence(
            Rung.PROOF,
            Outcome.REFUTED,
            "One round of T steps: P_k -> 4^(-a_k).",
            examined=2,
            margin=-float(gap),
            numbers=numbers,
            counterexample=f"E=T: w_T -> {ends}, w* = -1/2, gap -> {gap} = {float(gap):.4f}",
        )
    return Evidence(
        Rung.PROOF,
        Outcome.HOLDS,
        "One round of T steps: P_k -> 4^(-a_k).",
        examined=2,
        margin=float(gap),
        numbers=numbers,
        valid_for="the instance, one round",
    )


@claim(
    "LI-STICHIID[the algorithm itself]",
    kind=Kind.ASYMPTOTIC,
    scope=Scope.INSTANCE,
    source="Section 3.4",
    statement=r"E=\sqrt T,\ \text{non-iid} \Rightarrow F(w_T)-F^*\not\to0",
    repair="LI-STICHIID-R1",
    summary="Read as a statement about FedAvg itself with the step sizes of Theorem 1: E of order sqrt(T) does not "
    "converge when the "
    "data are not i.i.d. On a heterogeneous quadratic it does.",
    printed=dict(power="1/2", vanishes=False),
    controls=[
        Control("E = T, one-shot averaging", dict(power="1"), must="pass"),
        Control("it vanishes", dict(vanishes=True), must="pass"),
    ],
)
def square_root(power: str, vanishes: bool) -> Evidence:
    return _growth(power, vanishes)


@claim(
    "LI-STICHIID-R2",
    kind=Kind.ASYMPTOTIC,
    scope=Scope.INSTANCE,
    source="repairs Section 3.4",
    statement=r"F(w_T)-F^*=O\big((E/T)^2\big)",
    summary="On that quadratic the gap is O((E/T)^2): E = T^(1/2), even "
    "T^(3/4), converges; a "
    "bounded number of rounds (E of order T) does not.",
    printed=dict(power="3/4", vanishes=True),
    controls=[Control("E = T", dict(power="1"))],
)
def repaired(power: str, vanishes: bool) -> Evidence:
    return _growth(power, vanishes)


@claim(
    "LI-STICHIID[linear speed-up]",
    kind=Kind.ASYMPTOTIC,
    scope=Scope.INSTANCE,
    source="Section 3.4",
    statement=r"T\,\mathrm{gap}\big|_{E=\sqrt T}\Big/T\,\mathrm{gap}\big|_{E=1}\to 1 \text{ iff the clients are equal}",
    summary="Read as a statement about the constant: with noise, E = sqrt(T) costs nothing asymptotically when the "
    "clients are equal (the "
    "gap is that of E = 1, the noise averaged over the clients), and a constant factor when they are not.",
    printed=dict(same_is_free=True, different_is_free=False),
    controls=[
        Control("free for different clients as well", dict(different_is_free=True)),
        Control("not free for equal clients", dict(same_is_free=False)),
    ],
)
def speed_up(same_is_free: bool, different_is_free: bool) -> Evidence:
    """Exact expectations; "free": T gap within 5 % of that with E = 1 at the end, not free: at least twice as large."""
    result = committed("rates")
    last = {
        "equal clients": (result["same clients/E=T^1/2/gap"][-1] * result["same clients/T"][-1],
                          result["same clients/E=1/gap"][-1] * result["same clients/T"][len(result["same clients/E=1/gap"]) - 1]),
        "different clients": (result["noisy/E=T^1/2/gap"][-1] * result["noisy/E=T^1/2/T"][-1],
                              result["noisy/E=1/gap"][-1] * result["noisy/E=1/T"][-1]),
    }  # fmt: skip
    ratios = {name: float(long / short) for name, (long, short) in last.items()}
    margins = [
        (0.05 - abs(ratios[name] - 1)) if free else (ratios[name] - 2)
        for name, free in (("equal clients", same_is_free), ("different clients", different_is_free))
    ]
    good = min(margins) >= 0
    return Evidence(
        Rung.EXACT, Outcome.NOT_REFUTED if good else Outcome.REFUTED,
        "Exact expectations, unit noise: T gap at E = sqrt(T) over T gap at E = 1, each at its largest T. Ratios at finite "
        "T prove no limit: not refuted at most.", examined=2,
        margin=min(margins), numbers={f"ratio, {name}": value for name, value in ratios.items()},
        counterexample="" if good else f"ratios {ratios}", would_settle="a proof of the limits of the two ratios as T grows",
    )  # fmt: skip


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
