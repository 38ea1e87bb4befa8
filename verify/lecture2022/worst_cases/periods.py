"""Worst case of one period of FedAvg over all smooth clients, convex or not: the constant error of Theorems 1 and 3.

Measure: the sum over a period of |grad f(xbar^t)|^2 less (2/s)(f(xbar^0) - f(xbar^K)), in units of L^2 s^2 G^2 (or sigma_G^2).
Summed over periods it is the theorem for T a multiple of K.  All means xbar^t are among the points that are queried.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from fltheory.algorithms.fedavg import FedAvg
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Outcome, Rung
from fltheory.readings.gram import Recorder
from fltheory.worstcase import verifier
from fltheory.worstcase.certificate import holds_program
from fltheory.worstcase.classes import Smooth
from fltheory.worstcase.constants import best_constant
from fltheory.worstcase.functional import Assumption, Functional, square, value
from fltheory.worstcase.model import Model
from fltheory.worstcase.space import Shares
from verify.lecture2022 import elsewhere
from verify.lecture2022.worst_cases.cycles import cycle

ONE = Fraction(1)
METHOD = (
    "Semidefinite program over Gram matrices of means and deviations; multipliers and instance rounded to rationals and accepted "
    "by the verifier, which rebuilds all constraints from the program. A refuting instance obeys the assumption, "
    "averaged over the clients, at the points that are queried."
)
Parameters = tuple[tuple[int, str], ...]


def period(local_steps: int, step: Fraction, smooth: Fraction, scale: Fraction, assumption: str) -> Model:
    """One round of K local steps; the quantity ``spread`` is G^2 or sigma_G^2 over ``scale``."""
    program = Recorder()
    start = point = program.put(("given", "server", 1))
    points, gradients, moves = [], [], {start: ONE}
    for _ in range(local_steps):
        points.append(point)
        gradients.append(program.put(("gradient", point)))
        moves[gradients[-1]] = -step
        point = program.combine(moves)
    end = program.put(("average", point))
    length = len(program.instructions)
    at_means = [program.put(("gradient", p if p == start else program.put(("mean", p)))) for p in points]
    decrease = value(at_means[0]) - value(program.put(("gradient", end)))
    full = {place: program.put(("mean", place)) for place in at_means}
    if assumption == "second moment":
        bounded = [square(place) for place in gradients]
    elif assumption == "dissimilarity":
        bounded = [square(place) - square(full[place]) for place in at_means]
    else:
        raise ValueError(f"assumption={assumption!r} is neither 'second moment' nor 'dissimilarity'")
    total = sum((square(place) for place in full.values()), Functional())
    given = Assumption(decrease, "decrease"), *(Assumption(item, "spread", scale) for item in bounded)
    return Model(tuple(program.instructions), length, Smooth(smooth), None, Shares(), given, total)


def enclosure(local_steps: int, u: Fraction, assumption: str) -> tuple[Fraction | None, Fraction | None, Any]:
    """Certified bounds of the best constant in units of K L^2 s^2 G^2 (the average over the period), sL = u.

    The units are chosen for the solver: s = u, L = 1 and G^2 about 1/u^2, or s = 1/6 and G of order one for small u.
    """
    smooth, step, scale = (
        (ONE, u, 1 / u**2) if u >= Fraction(1, 10) else (6 * u, Fraction(1, 6), Fraction(round(float(u) ** -0.5)))
    )
    answer = best_constant(period(local_steps, step, smooth, scale, assumption), "spread", {"decrease": 2 / step})
    if answer.certificate is None:
        return None, None, None
    if not holds_program(answer.certificate, FedAvg(local_steps=local_steps, step_size=step), 1):
        raise ValueError(f"K={local_steps}, s={step}: the certificate's program is not one round of FedAvg")
    proved: dict[str, Any] = verifier.verify(answer.certificate)
    unit = local_steps * u**2 * scale
    above = proved["upper"]["spread"] / unit if "upper" in proved else None
    return above, proved["lower"][1] / unit if "lower" in proved else None, answer.certificate


def judge(
    cases: Iterable[tuple[int, str]], constant: dict[int, Fraction], assumption: str, printed: int, *, valid_for: str
) -> Evidence:
    """Whether ``constant[K] (K-1)^2/4`` serves in all cases; an instance refutes it if not."""
    numbers: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    margins, gains, broken, proved = [], [], "", True
    for local_steps, text in cases:
        above, below, data = enclosure(local_steps, Fraction(text), assumption)
        claimed = constant[local_steps] * Fraction((local_steps - 1) ** 2, 4)
        name = f"K={local_steps}, sL={text}"
        kept[name] = data
        if Fraction(text) <= Fraction(1, 10):
            needed = cycle(local_steps, Fraction(text)).average_gradient / Fraction(text) ** 2
            numbers[f"{name}: constant that two clients on a line need, gradients bounded everywhere"] = float(needed)
            below = needed if below is None else max(below, needed)
        numbers[f"{name}: constant at least"] = None if below is None else float(below)
        numbers[f"{name}: constant at most"] = None if above is None else float(above)
        proved = proved and above is not None and above <= claimed
        if above is not None:
            gains.append(float(printed * local_steps**2 / above))
            numbers[f"{name}: printed constant over it"] = gains[-1]
            margins.append(float(claimed / above - 1))
        if below is not None and below > claimed and not broken:
            broken = (
                f"{name}: an instance (of the certificate or on a line) needs {float(below):.8g} > {float(claimed):.8g}"
            )
    outcome = Outcome.REFUTED if broken else Outcome.HOLDS if proved else Outcome.NOT_REFUTED
    return Evidence(
        Rung.WORST_CASE,
        outcome,
        METHOD,
        max(1, len(kept)),
        margin=min(margins, default=None),
        numbers=numbers,
        counterexample=broken,
        valid_for=valid_for,
        certificate=kept,
        would_settle="" if broken or proved else "a certificate between the proved constant and the claimed one",
    )


THEOREM_1: Parameters = ((2, "1/12"), (2, "1/2"), (2, "1"), (5, "1/30"), (5, "1/10"), (5, "1/2"), (5, "1"))
THEOREM_3: Parameters = ((2, "1/24"), (2, "1/12"), (5, "1/60"), (5, "1/30"))


@inequality_claim(
    "LEC-THM1-S5",
    statement=r"\tfrac1T\textstyle\sum_{t<T}\|\nabla f(\bar x^t)\|^2\le\tfrac2{sT}(f(\bar x^0)-f^*)+b_K\tfrac{(K-1)^2}4"
    r"L^2s^2G^2,\ b_2=\tfrac98,\ b_5=1,\ K\mid T",
    printed=dict(two="9/8", five="1"),
    source="Theorem 1",
    quick=False,
    headline="Exact gradients: certified drift constants near a quarter of the squared local steps",
    summary="For FedAvg with exact gradients at K = 2 and 5 and chosen s <= 1/L about a quarter of (K-1)^2 suffices "
    "in place of 4K^2.",
    elsewhere=elsewhere.BOUNDED,
    depends=("LEC-PSUM",),
    controls=[Control("K = 2: 9/8 -> 109/100", dict(two="109/100")), Control("K = 5: 1 -> 0.95", dict(five="95/100"))],
)
def theorem_1(two: str, five: str) -> Evidence:
    return judge(
        THEOREM_1,
        {2: Fraction(two), 5: Fraction(five)},
        "second moment",
        4,
        valid_for="K = 2 with sL = 1/12, 1/2, 1 and K = 5 with sL = 1/30, 1/10, 1/2, 1; exact gradients, all N, "
        "weights, d, T a multiple of K",
    )


@inequality_claim(
    "LEC-THM3-S2",
    statement=r"\tfrac1T\textstyle\sum_{t<T}\|\nabla f(\bar x^t)\|^2\le\tfrac2{sT}(f(\bar x^0)-f^*)+b\tfrac{(K-1)^2}4"
    r"L^2s^2\sigma_G^2,\ b=\tfrac{201}{200},\ K\mid T",
    printed=dict(constant="201/200"),
    source="Theorem 3",
    quick=False,
    headline="Exact gradients: certified drift constants near a quarter of the squared local steps",
    summary="For FedAvg with exact gradients at K = 2 and 5, s = 1/(6LK) and half of it, about a quarter of (K-1)^2 "
    "suffices in place of 9K^2.",
    elsewhere=elsewhere.DISSIMILAR,
    depends=("LEC-PSUM",),
    controls=[Control("201/200 -> 99/100", dict(constant="99/100"))],
)
def theorem_3(constant: str) -> Evidence:
    value = Fraction(constant)
    return judge(
        THEOREM_3,
        {2: value, 5: value},
        "dissimilarity",
        9,
        valid_for="K = 2 with sL = 1/24, 1/12 and K = 5 with "
        "sL = 1/60, 1/30; exact gradients, averaged dissimilarity at the queried means, all N, weights, d, K divides T",
    )


if __name__ == "__main__":
    run_script(__file__)
