r"""The variant of FedLAMA that shortens intervals: the same crossing seen from the other end, what it adds to traffic and latency.

``A, N`` are the sums of ``d_i dim_i`` and of ``dim_i`` over the first layers of the ascending order, ``B, M`` those over the
others, which are the first ones of the descending order; ``T, S`` are the totals.
"""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import read
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import algebra_claim, qualitative_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from verify.fedlama2021.reference import fedlama, quadratics

d_1, d_2, n_1, n_2, phi = sp.symbols("d_1 d_2 n_1 n_2 phi")
of_acceleration = algebra_claim.sharing(source="Section 4, on acceleration")

same_crossing = statement_of_algebra(
    "LA-ACC.1",
    Relations(
        "1 - B/T = A/T; M/S = 1 - N/S; (1 - B/T) - M/S = A/T - (1 - N/S) for T > 0; S > 0; 0 <= A <= T; 0 <= N <= "
        "S; B = T - A; M = S - N",
        names={"T": "T", "S": "S"},
    ),
    false={"delta itself": ("1 - B/T = A", "B/T = A")},
    group=of_acceleration,
    says=r"\text{ascending: }\delta=\tfrac AT,\lambda=\tfrac NS;\ \text{descending, the other layers: "
    r"}\delta'=\tfrac BT,\lambda'=\tfrac MS:\quad ",
    headline="The accelerated variant cuts the layers at the same crossing as the rule for saving",
    summary="In descending order 1 - delta and lambda are what delta and 1 - lambda are in ascending order, seen "
    "from the other end: they cross at the same place and height. The layers that are shortened are those that the "
    "other rule leaves at the base interval: at a crossing of height y, a share y of the parameters and 1 - y of "
    "the discrepancy.",
)


@qualitative_of_an_instance(
    "LA-ACC.2",
    statement=r"\text{a shorter interval on the layers of largest discrepancy can bring the model closer to the "
    r"minimiser in as many iterations}",
    source="Section 4, on acceleration",
    headline="Shorter intervals can bring the model closer to the minimiser in as many iterations",
    summary="Two layers of one parameter: losses x^2/2 and (x - 3)^2 of the first, minimiser of the mean 2, start 0, step 1/2; "
    "the second is the same at both clients and has no discrepancy. Two iterations: averaging the first layer after each of "
    "them leaves it at a distance of 1/8, averaging it after two at 1/2.",
    printed=dict(short=1),
    controls=[Control("the interval is not shortened", dict(short=2))],
)
def accelerated(short: int) -> Evidence:
    """Two clients with curvatures 1 and 2; the distance to the minimiser after two iterations, with intervals "
    "``short`` and 2."""
    first = quadratics((Fraction(1), Fraction(2)), (Fraction(0), Fraction(3)))
    ends = [
        fedlama(
            lambda i, x: [*first(i, x), x[1]],
            2,
            [Fraction(0), Fraction(1)],
            [[0], [1]],
            base=1,
            factor=2,
            step=Fraction(1, 2),
            rounds=1,
            rule=None,
            first=(each, 2),
        )
        for each in (short, 2)
    ]
    if ends[1].before[-1][1] != 0:
        raise RuntimeError("the second layer has a discrepancy")
    near, far = (abs(run.models[-1][0] - 2) for run in ends)
    return read(
        near < far,
        method="Both runs in exact arithmetic.",
        examined=2,
        counterexample=f"distances {near} and {far}",
        numbers={"distance with the short interval": str(near), "with the long one": str(far)},
        rung=Rung.EXACT,
    )


of_its_cost = qualitative_claim.sharing(source="Section 4, on acceleration")


@of_its_cost(
    "LA-ACC-COST.1[any crossing, the document's factors]",
    statement=r"\frac{\mathcal C_{\text{accelerated}}}{\mathcal "
    r"C_{\text{FedAvg}(\tau')}}-1=\lambda'_l(\phi-1)<1,\quad\phi\le4",
    headline="The accelerated variant can cost more than another FedAvg on top",
    summary="Shortening the intervals of a share y of the parameters by phi adds y (phi - 1) of FedAvg's traffic. "
    "Two layers of one size are cut in the middle whatever their discrepancies (where they differ, the larger one "
    "holds more than half): with phi = 4 the extra traffic is 150 percent.",
    fault="reading",
    repair="LA-ACC-COST-R1",
    printed=dict(equal_sizes=True),
    controls=[Control("a share of 0.2, as in Figure 1", dict(equal_sizes=False), must="pass")],
)
def extra_cost(equal_sizes: bool) -> Evidence:
    """The layer of larger d is cut: lambda' + delta' >= 1 there."""
    if not equal_sizes:
        return by_relations(EXTRA)
    at = {n_1: 1, n_2: 1, d_1: 2, d_2: 1, phi: 4}
    share = n_1 / (n_1 + n_2)
    crossed = (Side("lambda'_1", share), ">=", Side("1 - delta'_1", d_2 * n_2 / (d_1 * n_1 + d_2 * n_2)))
    return by_witness(Witness(at, Side("extra traffic", share * (phi - 1)), "<", 1, given=[crossed, (d_1, ">", d_2)]))


EXTRA = Relations("y*(phi - 1) < 1 for 0 <= y <= 1/5; 1 <= phi <= 4")

extra_at_the_figure = statement_of_algebra(
    "LA-ACC-COST.1[the height of Figure 1]",
    Relations("y*phi*n + (1 - y)*n = n + (phi - 1)/5*n; y*(phi - 1) < 1 for 1 <= phi <= 4; y = 1/5; n >= 1"),
    false={"a height of 1/4": ("y = 1/5", "y = 1/4")},
    group=of_its_cost,
    says=r"1-\lambda=y\text{ of }n\text{ parameters at }\tau'/\phi:\quad ",
    headline="At Figure 1's height the extra traffic is a fifth for each unit of the factor above one",
    summary="With a fifth of the parameters shortened the extra traffic is (phi - 1)/5 of FedAvg's: 20 percent for "
    "phi = 2, 60 percent for phi = 4, less than a FedAvg on top for phi up to 4. Whether that is minor is a matter of words.",
)

extra_bound = statement_of_algebra(
    "LA-ACC-COST-R1",
    Relations(
        "y*phi*n + (1 - y)*n = n + y*(phi - 1)*n; y*(phi - 1) <= (phi - 1)/2 for 0 <= y <= 1/2; phi >= 1; n >= 1"
    ),
    false={"a quarter": ("<= (phi - 1)/2", "<= (phi - 1)/4")},
    group=of_its_cost,
    says=r"y\text{ of }n\text{ parameters at }\tau'/\phi:\quad ",
    headline="Cut at the interpolated crossing, the accelerated variant adds at most half of phi - 1",
    summary="A share y of the parameters with the interval tau'/phi adds y (phi - 1) of FedAvg's traffic; at the "
    "height of the interpolated crossing, at most one half (LA-FIG1-HALF-U1), this is at most (phi - 1)/2, attained "
    "where all unit discrepancies are equal.",
    depends=["LA-FIG1-HALF-U1"],
)

latency = statement_of_algebra(
    "LA-ACC-COST.2",
    Relations("phi*r > r for r >= 1; phi > 1"),
    false={"phi = 1 too": ("phi > 1", "phi >= 1")},
    group=of_its_cost,
    says=r"\text{iterations after which something is sent in }r\text{ base intervals, if a layer has }\tau'/\phi:\quad ",
    headline="The accelerated variant communicates phi times as often",
    summary="If any layer has the interval tau'/phi, something is sent after phi iterations of each base interval "
    "instead of one: the latency grows by the factor phi.",
)


if __name__ == "__main__":
    run_script(__file__)
