r"""What Algorithm 2 does round after round when the layers' statistics do not change: fixed intervals under noise,
cycles under drift.

``a_l`` is the unit discrepancy of layer ``l`` after one step.  Independent noise gives ``d_l = a_l`` for every interval
(LA-EQ2-UNIT[clients differ by noise]); clients with linear losses, whose gradients differ by constants, give
``d_l = tau_l a_l`` (LA-EQ2-UNIT-R1), in units of ``tau'``: ``a_l``, or ``phi a_l`` for a layer that waited longer.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from fltheory.algorithms.intervals import intervals
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import read
from fltheory.evidence.kinds import qualitative_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from verify.fedlama2021.reference import fedlama, opposed

of_the_rounds = qualitative_claim.sharing(source="Algorithms 1 and 2, (2)")

fixed_under_noise = statement_of_algebra(
    "LA-CYCLE.1",
    Relations(
        "tau_1*n*a/(tau_1*n) = tau_2*n*a/(tau_2*n) for tau_1 >= 1; tau_2 >= 1; n >= 1; a > 0",
        names={"n": r"\dim_l", "a": "a_l"},
    ),
    prose="the same d, in expectation, goes into Algorithm 2 after every round, so that it returns the same intervals",
    false={"discrepancies that grow with the squared interval": ("= tau_2*n*a/", "= tau_2**2*n*a/")},
    depends=["LA-EQ2-UNIT[clients differ by noise]"],
    group=of_the_rounds,
    says=r"d_l\text{ after rounds with intervals }\tau_1\text{ and }\tau_2,\ \mathbb ED_l=\tau_l\dim_la_l:\quad ",
    headline="With the expected discrepancies of noise the first adjustment settles the intervals",
    summary="Where the clients differ by independent noise of fixed variance, the expected unit discrepancies do "
    "not depend on the intervals; with them the intervals of the second round stay for ever. (Measured ones "
    "fluctuate about them.)",
)

two_layers = statement_of_algebra(
    "LA-CYCLE.2",
    Relations(
        "phi*a_1 > a_2; a_1 < phi*a_2; phi*a_1/(phi*a_1 + a_2) > 1/2; a_1/(a_1 + phi*a_2) < 1/2 for phi > 1; a_1 > "
        "0; a_1 < a_2 < phi*a_1"
    ),
    prose="of two layers of one size the rule (line 9; before the crossing; nearest to it) lengthens exactly the "
    "one of smaller d, whose share of the discrepancy is below one half: the second after the first waited, the "
    "first after the second waited",
    depends=["LA-EQ2-UNIT-R1"],
    false={"a layer of more than phi times the other's discrepancy": ("a_1 < a_2 < phi*a_1", "a_1 < a_2 < 2*phi*a_1")},
    group=of_the_rounds,
    says=r"d=(\phi a_1,a_2)\text{ after layer 1 waited},\ (a_1,\phi a_2)\text{ after layer 2 waited}:\quad ",
    headline="Under constant gradient differences two similar layers exchange their intervals for ever",
    summary="Two layers of one size with linear losses, whose unit discrepancies after one step differ by less than "
    "the factor phi: the layer that waited looks worse by the factor phi, and the rule lengthens the interval of "
    "the other one (in the readings that lengthen one of two such layers: line 9, before the crossing, nearest to "
    "it). From the second round on the intervals alternate with period two.",
)

two_layers_apart = statement_of_algebra(
    "LA-CYCLE.3",
    Relations("phi*a_1 < a_2; phi*a_1/(phi*a_1 + a_2) < 1/2 for phi > 1; a_1 > 0; a_2 > phi*a_1"),
    prose="the layer of smaller d is the first one, whether or not it waited in the round before",
    depends=["LA-EQ2-UNIT-R1"],
    false={"of less than phi times the other's": ("a_2 > phi*a_1", "a_2 > a_1")},
    group=of_the_rounds,
    says=r"d=(\phi a_1,a_2)\text{ after layer 1 waited}:\quad ",
    headline="Layers whose discrepancies differ by more than the factor keep their intervals",
    summary="If one of two layers of one size has more than phi times the unit discrepancy of the other, the "
    "intervals stay as the first adjustment sets them, also under constant gradient differences.",
)


def period(after_one_step: Sequence[Fraction], sizes: Sequence[int], factor: int, rule: str, power: int) -> int:
    """The period in which the intervals end, from the base interval on, if ``d_l = tau_l^power a_l``."""
    seen: dict[tuple[int, ...], int] = {}
    now = (1,) * len(sizes)
    while now not in seen:
        seen[now] = len(seen)
        metric = [a * every**power for a, every in zip(after_one_step, now, strict=True)]
        now = intervals(metric, sizes, 1, factor, rule)
    return len(seen) - seen[now]


@qualitative_of_an_instance(
    "LA-CYCLE.4",
    statement=r"L=3,\ a\in\{1,\dots,4\}^3,\ \dim\in\{1,2\}^3,\ \phi\in\{2,4\}:\quad\text{under linear losses the "
    r"intervals of each reading of the rule end in a fixed point or a cycle, and every reading has cycles}",
    source="Algorithms 1 and 2, (2)",
    headline="In every reading of the rule the intervals can cycle under linear losses",
    summary="All combinations of three layers with unit discrepancies 1 to 4 after one step and sizes 1 and 2, for "
    "phi = 2 and 4: under linear losses each reading of the rule has instances whose intervals never settle; under "
    "noise none has. The numbers tell how many, and the longest period.",
    quick=False,
    printed=dict(power=1),
    controls=[Control("differences from noise", dict(power=0))],
)
def periods(power: int) -> Evidence:
    """The whole orbit of the intervals in exact arithmetic."""
    rules = ("printed", "before crossing", "through crossing", "nearest crossing")
    numbers: dict[str, object] = {}
    examined, settled = 0, []
    for rule in rules:
        found = [
            period([Fraction(one) for one in a], sizes, factor, rule, power)
            for a in product(range(1, 5), repeat=3)
            for sizes in product((1, 2), repeat=3)
            for factor in (2, 4)
        ]
        cycles = [one for one in found if one > 1]
        numbers[rule] = f"{len(cycles)} of {len(found)} cycle, longest period {max(found)}"
        examined += len(found)
        if not cycles:
            settled.append(rule)
    return read(
        not settled,
        method="The intervals are followed until they repeat.",
        examined=examined,
        counterexample=f"no instance cycles: {', '.join(settled)}",
        numbers=numbers,
        rung=Rung.EXACT,
    )


@qualitative_of_an_instance(
    "LA-CYCLE.5",
    statement=r"F_{1,2}=\pm(3x_1+4x_2),\ \eta=1,\ \tau'=1,\ \phi=2:\quad\tau=(1,1),(2,1),(1,2),(2,1),\dots",
    source="Algorithms 1 and 2",
    headline="Two clients with opposite linear losses make the intervals alternate",
    summary="Two clients with losses 3x + 4y and its negative, a layer for each letter, step 1, tau' = 1, phi = 2: "
    "run in exact arithmetic with the printed rule, FedLAMA lengthens the first layer, then the second, then the "
    "first again.",
    printed=dict(slopes=(3, 4)),
    controls=[Control("slopes further apart than the root of phi", dict(slopes=(3, 5)))],
)
def alternate(slopes: tuple[int, int]) -> Evidence:
    """d = (9, 16) after the first round, then (18, 16), (9, 32), (18, 16)."""
    run = fedlama(
        opposed([Fraction(s) for s in slopes]),
        2,
        [Fraction(0)] * 2,
        [[0], [1]],
        base=1,
        factor=2,
        step=Fraction(1),
        rounds=6,
        rule="printed",
    )
    wanted = [(1, 1), *[(2, 1), (1, 2)] * 3][:6]
    return read(
        run.intervals == wanted,
        method="Six rounds of the reference implementation in exact arithmetic.",
        examined=len(run.intervals),
        counterexample=f"intervals {run.intervals}",
        numbers={"unit discrepancies": "; ".join(str(tuple(map(str, one))) for one in run.metric)},
        rung=Rung.EXACT,
    )


if __name__ == "__main__":
    run_script(__file__)
