"""Communication costs by eq. (8) of the FedLAMA paper, and the cost columns of its Tables 1 to 5."""

from collections.abc import Sequence
from fractions import Fraction

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import read
from fltheory.evidence.kinds import algebra_claim, definition_in_words, run_script, table_claim
from fltheory.evidence.model import Claim, Control, Evidence, Outcome, Rung
from fltheory.evidence.relations import Relations
from verify.fedlama2021.tables.entries import entries


def counted(intervals: Sequence[int], iterations: int, first: int) -> Evidence:
    """Is ``sum dim_l kappa_l`` what is sent, iteration by iteration, with ``kappa_l = iterations / tau_l``?"""
    sizes = (3, 5, 7)[: len(intervals)]
    sent = sum(
        size
        for step in range(first, iterations + first)
        for size, tau in zip(sizes, intervals, strict=True)
        if step % tau == 0
    )
    stated = sum((Fraction(size * iterations, tau) for size, tau in zip(sizes, intervals, strict=True)), Fraction(0))
    return read(
        sent == stated,
        rung=Rung.READING,
        method="What is sent is counted over the iterations 1, 2, ... of a run, a layer at a time.",
        examined=iterations * len(sizes),
        counterexample=f"{sent} numbers are sent, {stated} by the formula",
    )


formula = definition_in_words(
    "LA-EQ8",
    source="eq. (8)",
    statement=r"C=\sum_l\dim(u_l)\kappa_l,\ \kappa_l\text{ the number of synchronisations of layer }l",
    headline="The communication cost is the number of synchronised parameters, counted with repetition",
    summary="Over the iterations 1 to n, with n a common multiple of the intervals, layer l is synchronised n/tau_l times, and "
    "the sum of dim(u_l) n/tau_l is the number of parameters sent.",
    printed=dict(intervals=(6, 12, 12), iterations=24, first=1),
    controls=[Control("23 iterations", dict(iterations=23))],
)(counted)

relative = statement_of_algebra(
    "LA-EQ8-S1",
    Relations(
        "(phi*(n - s) + s)/(phi*n) = 1 - lam*(1 - 1/phi); (phi*(n - s) + s)/(phi*n) >= 1/phi; "
        "(phi*(n - s) + s)/(phi*n) <= 1 for phi >= 1; n > 0; s >= 0; s <= n; lam = s/n",
        uses={1: {"s <= n": "(phi - 1)/(phi*n)"}},
        names={"lam": r"\lambda", "phi": r"\phi"},
    ),
    false={"half the share": ("1 - lam*(1", "1 - lam/2*(1"), "at least 1.01/phi": (">= 1/phi", ">= 101/100/phi")},
    group=algebra_claim,
    headline="A round of FedLAMA costs 1 - lambda (1 - 1/phi) of FedAvg's, between 1/phi and 1",
    summary="In a round of phi tau' iterations n - s parameters are synchronised phi times and s once, against phi times n of "
    "FedAvg with interval tau': a share lambda = s/n at the long interval leaves the cost 1 - lambda (1 - 1/phi), between "
    "1/phi and 1.",
    source="eq. (8), Algorithm 1",
)


def cost_column(table: int, planted: str = "0") -> Evidence:
    """FedAvg's costs are base/interval, FedLAMA's lie strictly between 1/phi and 1; ``planted`` points are added to each."""
    broken = []
    shortest = min(entry.base for entry in entries(table))
    for entry in entries(table):
        if entry.cost is None:
            raise ValueError(f"cost of {entry} is not printed; tables 1 to 5 have costs")
        cost = (entry.cost + Fraction(planted)) / 100
        fits = cost == Fraction(shortest, entry.base) if entry.factor == 1 else Fraction(1, entry.factor) < cost < 1
        if not fits:
            broken.append(f"{entry}: cost {float(cost * 100)} %")
    return read(
        not broken,
        rung=Rung.READING,
        method="FedAvg's costs against the shortest interval over the interval, FedLAMA's against 1/phi and 1.",
        examined=len(entries(table)),
        counterexample="; ".join(broken[:2]),
    )


def accuracies(table: int, planted: str = "0") -> Evidence:
    """Accuracies of training runs: only that they are percentages with positive spreads can be checked."""
    broken = [one for one in entries(table) if not 0 < one.accuracy + Fraction(planted) < 100 or one.spread <= 0]
    if broken:
        return read(False, rung=Rung.READING, method="Range of the entries.", examined=1, counterexample=str(broken[0]))
    return Evidence(
        Rung.READING,
        Outcome.NOT_CHECKABLE,
        "Only the form of the entries can be checked.",
        len(entries(table)),
        would_settle="the authors' training runs: data set, network, 128 clients, seeds and grid of learning rates",
    )


def _columns(table: int, name: str) -> list[Claim]:
    of_table = table_claim.sharing(source=f"Table {table}")
    return [
        of_table(
            f"LA-TAB{table}.1",
            statement=r"C(\text{FedAvg},\tau)=\tau'/\tau,\quad\tfrac1\phi<C(\text{FedLAMA})<1",
            headline=f"The costs of Table {table} are possible: exact for FedAvg, between the ends for FedLAMA",
            summary=f"{name}: FedAvg's costs are the shortest interval over its interval, FedLAMA's lie between 1/phi and 1.",
            printed=dict(table=table),
            controls=[Control("every cost one point larger", dict(planted="1"))],
        )(cost_column),
        of_table(
            f"LA-TAB{table}.2",
            statement=r"\text{accuracies of training runs}",
            headline=f"The accuracies of Table {table} come from training runs that cannot be repeated here",
            summary=f"{name}: accuracies that were measured in training runs of the authors.",
            printed=dict(table=table),
            controls=[Control("60 points are added to each", dict(planted="60"))],
        )(accuracies),
    ]


COLUMNS = [
    claim
    for table, name in {
        1: "IID CIFAR-10",
        2: "IID CIFAR-100",
        3: "FEMNIST",
        4: "Non-IID CIFAR-10",
        5: "Non-IID CIFAR-100",
    }.items()
    for claim in _columns(table, name)
]


def overhead(percent: str, base: int, batch: int = 32) -> Evidence:
    """Flops of ``|u_l - x_l|^2`` (three per parameter and synchronisation) over six per parameter and sample for gradients."""
    share = Fraction(3, 6 * batch * base)
    return read(
        share <= Fraction(percent) / 100,
        rung=Rung.READING,
        method="Three operations per parameter and synchronisation; a gradient takes at least six per parameter and sample.",
        examined=1,
        counterexample=f"share {float(share):.4%}",
        numbers={"share": str(share)},
    )


negligible = table_claim(
    "LA-OVH",
    source="Section 6.2",
    statement=r"\frac{3\dim}{6b\tau'\dim}=\frac1{2b\tau'}\le0.27\%",
    headline="Computing the discrepancies costs less than 0.3 % of the local training in the experiments",
    summary="Even at every synchronisation of a layer, not once a round as the text says, the discrepancy takes three operations "
    "per parameter; six local steps with batches of 32 take at least 1152.",
    printed=dict(percent="0.27", base=6),
    controls=[Control("0.25 %", dict(percent="0.25"))],
)(overhead)


if __name__ == "__main__":
    run_script(__file__)
