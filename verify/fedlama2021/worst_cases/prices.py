"""What averaging one of two layers more often is worth in the worst case: certified enclosures at named parameters.

Upper bounds are multipliers, lower bounds Gram matrices of clients and of the parts of their vectors in the two layers; one
verifier accepts both, and rebuilds all constraints from the programs of the package's own FedAvg and FedLAMA.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from fltheory.evidence.declare import ClaimGroup
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Outcome, Rung
from fltheory.worstcase.enclosed import Enclosed
from verify.fedlama2021.worst_cases.two_intervals import LAYERS, LONG, SHORT, TwoIntervals

Values = dict[str, Enclosed]
#: Whether an entry is certainly as claimed, whether it is certainly not, and how far it is from the border.
Judged = tuple[bool, bool, float]
METHOD = (
    "Semidefinite programs over Gram matrices of the clients' means and deviations and of their parts in the layers (any N, p, d, "
    "sizes of layers); multipliers and instances in exact rationals, both checked by the trusted verifier, which rebuilds the "
    "constraints from the algorithms' programs."
)
ASSUMPTIONS = (
    "every F_k is mu-strongly convex and L-smooth, L = 1 (units)",
    "exact gradients, full participation",
    "|u_0 - w*|^2 <= 1 and sum_k p_k |grad F_k(w*)|^2 <= 1",
    "two layers of any sizes, the first at the interval tau', the second at phi tau'",
)
QUARTER = TwoIntervals(1, 2, 1, Fraction(1, 4), Fraction(1, 10))
#: Base interval 1; and steps with base interval 2 that are longer than those of the theorem.
SETTINGS = (QUARTER, replace(QUARTER, factor=3), replace(QUARTER, step_size=Fraction(3, 2)))
LONGER = TwoIntervals(2, 2, 1, Fraction(3, 2), Fraction(1, 10))


def judge(
    settings: tuple[TwoIntervals, ...], names: tuple[str, ...], test: Callable[[Values], Judged], claimed: str
) -> Evidence:
    """The claim holds if it is certain in every setting, and is refuted if it is certainly false in one."""
    numbers: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    margins, broken, certain = [], "", True
    for setting in settings:
        values = {name: setting.distance(name) for name in names}
        for name, one in values.items():
            numbers[f"{setting}: {name}"] = str(one)
            kept[f"{setting}: {name}"] = dict(one.certificate)
        holds, fails, margin = test(values)
        margins.append(margin)
        certain = certain and holds
        if fails and not broken:
            broken = f"{setting}: {claimed} is false: " + "; ".join(
                f"{name} in [{float(one.lower):.8g}, {float(one.upper):.8g}]" for name, one in values.items()
            )
    outcome = Outcome.REFUTED if broken else Outcome.HOLDS if certain else Outcome.NOT_REFUTED
    return Evidence(
        Rung.WORST_CASE,
        outcome,
        METHOD,
        examined=len(kept),
        margin=min(margins),
        numbers=numbers,
        counterexample=broken,
        valid_for="upper bounds for every N, p, dimension and sizes of layers, attained with N >= 2 equal weights and layers large "
        "enough; " + "; ".join(map(str, settings)),
        would_settle="" if broken or certain else "narrower certificates",
        certificate=kept,
    )


def at_most(left: Fraction, right: Fraction, certainly: Fraction, most: Fraction) -> Judged:
    """``left <= right`` is certain, ``certainly > most`` shows that it is false."""
    return left <= right, certainly > most, float((right - left) / right)


of_distances: ClaimGroup = inequality_claim.sharing(
    source="proof of Lemma 5.2, first sentences, for exact gradients", quick=False, assumptions=ASSUMPTIONS
)


@of_distances(
    "LA-WORST-R3",
    statement=r"W(\text{FedLAMA}(1,\phi))=W(\text{FedAvg}(\phi))\text{ within }10^{-5},\quad W=\sup\|u_T-w^\star\|^2",
    headline="Averaging one of two layers after every step buys nothing in the worst case",
    summary="With base interval 1 FedLAMA's certified worst case of the squared distance after a round agrees with that of "
    "FedAvg at the long interval to five digits: for tau' = 1, phi = 2, kappa = 10, step 1/(4L) it is 0.9105, while FedAvg at "
    "the short interval has 0.9037. The layers that stay behind decide.",
    printed=dict(scale="1", base=1),
    controls=[
        Control("a thousandth below FedAvg's worst case", dict(scale="999/1000")),
        Control("base interval 2", dict(base=2)),
    ],
)
def no_gain(scale: str, base: int) -> Evidence:
    """Both enclosures, one relative to the other; the short interval stands beside them."""
    close = 1 + Fraction(1, 10**5)

    def test(values: Values) -> Judged:
        layers, long = values[LAYERS], values[LONG]
        factor = Fraction(scale)
        above = at_most(layers.upper, factor * close * long.lower, layers.lower, factor * close * long.upper)
        below = at_most(factor * long.upper, close * layers.lower, factor * long.lower, close * layers.upper)
        return above[0] and below[0], above[1] or below[1], min(above[2], below[2])

    chosen = SETTINGS if base == 1 else tuple(replace(setting, base=base) for setting in SETTINGS[2:])
    return judge(chosen, (SHORT, LAYERS, LONG), test, f"FedLAMA's worst case is {scale} of FedAvg's")


@of_distances(
    "LA-WORST-U1",
    statement=r"W(\text{FedLAMA}(2,2))>\tfrac{101}{100}\max\{W(\text{FedAvg}(2)),W(\text{FedAvg}(4))\},\quad\eta=\tfrac3{2L},"
    r"\kappa=10",
    headline="With longer base intervals FedLAMA can be worse than FedAvg at either interval",
    summary="With base interval 2, phi = 2 and the long step 3/(2L) some clients and layers do worse under FedLAMA than any do "
    "under FedAvg at the short or at the long interval: the worst case lies more than 1 % above both. For such steps full "
    "averaging at the end of the round is not the worst of all schedules, over the whole class as well.",
    printed=dict(scale="101/100", step_size="3/2", base=2),
    controls=[
        Control("5 % above both", dict(scale="105/100")),
        Control("step 1/(4L)", dict(step_size="1/4")),
        Control("base interval 1", dict(base=1)),
    ],
)
def above_both(scale: str, step_size: str, base: int) -> Evidence:
    """FedLAMA's instance against both upper bounds; a control needs the reverse."""

    def test(values: Values) -> Judged:
        layers, others = values[LAYERS], (values[SHORT], values[LONG])
        upper, lower = (Fraction(scale) * max(getattr(one, side) for one in others) for side in ("upper", "lower"))
        return layers.lower > upper, layers.upper <= lower, float((layers.lower - upper) / upper)

    setting = replace(LONGER, base=base, step_size=Fraction(step_size))
    return judge((setting,), (SHORT, LAYERS, LONG), test, f"FedLAMA's worst case is above {scale} of both of FedAvg's")


@of_distances(
    "LA-WORST-U2",
    statement=r"W(\text{FedAvg}(2),\text{ twice})>\tfrac75\,W(\text{FedAvg}(4)),\quad\eta=\tfrac3{2L},\ \kappa=2",
    headline="Averaging twice as often can make the worst case two fifths larger",
    summary="At the step 3/(2L) and kappa = 2 four local steps with two averages have a worst case at least 1.4 times that of four "
    "local steps with one: over all clients of the class, not on one problem only, more averaging can hurt where steps are long.",
    printed=dict(scale="7/5", modulus="1/2"),
    controls=[Control("kappa = 10", dict(modulus="1/10")), Control("1.5 times", dict(scale="3/2"))],
)
def more_often(scale: str, modulus: str) -> Evidence:
    """Two rounds of two steps against one round of four."""

    def test(values: Values) -> Judged:
        short, long, factor = values[SHORT], values[LONG], Fraction(scale)
        margin = float((short.lower - factor * long.upper) / (factor * long.upper))
        return short.lower > factor * long.upper, short.upper <= factor * long.lower, margin

    setting = replace(LONGER, modulus=Fraction(modulus))
    return judge((setting,), (SHORT, LONG), test, f"FedAvg(tau') has {scale} times the worst case of FedAvg(phi tau')")


if __name__ == "__main__":
    run_script(__file__)
