r"""The numbers that the FedLAMA paper reads off Figure 1: nine layers, a height near 0.2, 80 percent of the traffic.

At a crossing of height y the layers that wait hold the share y of the discrepancy and 1 - y of the parameters.
"""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import read
from fltheory.evidence.kinds import algebra_claim, run_script, table_claim
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side
from verify.fedlama2021.comparing import compared
from verify.fedlama2021.tables.layer_sizes import resnet20

of_figure_1 = table_claim.sharing(source="Section 4, on Figure 1; Table 1")
#: Cost of FedLAMA in Table 1, in percent of FedAvg(6), by the increase factor.
TABLE_1 = {2: Fraction("62.33"), 4: Fraction("42.17")}

cost_by_height = statement_of_algebra(
    "LA-FIG1-NUM.1",
    Relations("y*n + (1 - y)*n/phi = n*(1 - (1 - y)*(1 - 1/phi)) for phi >= 1; n >= 1; 0 <= y <= 1"),
    false={"the share y waits": ("1 - (1 - y)*(", "1 - y*(")},
    group=algebra_claim,
    source="Section 4, on Figure 1",
    says=r"1-\lambda=y\text{ of }n\text{ parameters at }\tau',\ \text{the others at }\phi\tau':\quad ",
    headline="At a crossing of height y the cost falls to one less 1 - y times 1 - 1/phi of FedAvg's",
    summary="If the layers up to a crossing of height y wait longer, the share 1 - y of the traffic falls by the "
    "factor phi: the cost is 1 - (1 - y)(1 - 1/phi) of that of FedAvg with the base interval.",
)


@of_figure_1(
    "LA-FIG1-NUM.2",
    statement=r"1-0.8\,(1-\tfrac1\phi)=60\%,\,40\%\text{ against }62.33\%,\,42.17\%\text{ in Table 1: "
    r"}1-\lambda=0.2\text{ to one digit}",
    headline="The height of Figure 1 agrees with the costs of Table 1 to its one digit",
    summary="A height of 0.2 gives costs of 60 and 40 percent for phi = 2 and 4; Table 1 has 62.33 and 42.17, which "
    "are those of heights 0.247 and 0.229: both 0.2 to one digit, so that near 0.2 and 80 percent agree with the "
    "table in this sense.",
    printed=dict(percent="20"),
    controls=[Control("a height of 0.3", dict(percent="30")), Control("a height of 0.1", dict(percent="10"))],
)
def height_by_the_table(percent: str) -> Evidence:
    """1 - lambda = 1 - (1 - C)/(1 - 1/phi) from the costs C, rounded to one digit."""
    found = {factor: 1 - (1 - cost / 100) / (1 - Fraction(1, factor)) for factor, cost in TABLE_1.items()}
    wrong = [
        f"phi = {factor}: {float(one):.3f}" for factor, one in found.items() if round(one, 1) != Fraction(percent) / 100
    ]
    return read(
        not wrong,
        method="The share of the parameters at the base interval that each cost of Table 1 means, by LA-FIG1-NUM.1.",
        examined=len(found),
        counterexample="; ".join(wrong),
        numbers={f"1 - lambda for phi = {factor}": f"{float(one):.4f}" for factor, one in found.items()},
        rung=Rung.READING,
    )


@of_figure_1(
    "LA-FIG1-NUM.3",
    statement=r"\text{some }9\text{ layers of ResNet20 hold between }79\%\text{ and }81\%\text{ of its parameters}",
    headline="Nine layers of ResNet20 can hold four fifths of its parameters",
    summary="The twenty layers of ResNet20, each with its bias or normalisation, have 269,722 parameters; there are "
    "nine of them that hold 80 percent to within one percent. (Which nine were first in the run of the figure "
    "is not told.)",
    printed=dict(layers=9),
    controls=[Control("4 layers", dict(layers=4)), Control("all layers", dict(layers=20))],
)
def nine_layers(layers: int) -> Evidence:
    """All sums of that many of the sizes."""
    sums: list[set[int]] = [{0}, *[set[int]() for _ in range(layers)]]
    for size in resnet20():
        for count in range(layers, 0, -1):
            sums[count] |= {one + size for one in sums[count - 1]}
    total = sum(resnet20())
    shares = sorted(Fraction(one, total) for one in sums[layers])
    inside = [share for share in shares if abs(share - Fraction(4, 5)) <= Fraction(1, 100)]
    return read(
        bool(inside),
        method="All shares that this many of the twenty layers can hold.",
        examined=len(shares),
        counterexample=f"{layers} layers hold from {float(shares[0]):.3f} to {float(shares[-1]):.3f} of the "
        f"parameters, none within "
        "one percent of 0.8",
        numbers={"shares within one percent of 0.8": len(inside), "parameters": total},
        rung=Rung.READING,
    )


grows_by_phi = algebra_claim.sharing(source="Section 4, on Figure 1")

grows_noise = statement_of_algebra(
    "LA-FIG1-NUM.4[clients differ by noise]",
    Relations(
        "V = j*a for a >= 0; first_V = 0; next_V = V + a; first_j = 0; next_j = j + 1", uses={0: {"V = j*a": "1"}}
    ),
    prose="a is the variance that the independent noise of one step adds, the same for all; at j = phi tau' and j = "
    "tau' the ratio is phi",
    false={"half as much": ("V = j*a for", "V = j/2*a for")},
    group=grows_by_phi,
    says=r"a=\text{what an iteration adds to the expected discrepancy }V\text{ of a layer}:\quad ",
    headline="Discrepancy from independent noise grows by the factor of the interval",
    summary="Where the clients differ by independent noise, the expected discrepancy of a layer grows by equal "
    "amounts per iteration, and lengthening its interval by phi makes it phi times as large.",
)

slope, tau, phi = sp.symbols("s tau phi")


@grows_by_phi(
    "LA-FIG1-NUM.4[clients differ by constant gradients]",
    statement=r"D_l(\phi\tau')=\phi\,D_l(\tau'),\quad D_l(j)=(\eta sj)^2",
    headline="Under constant gradient differences the discrepancy grows by the squared factor",
    summary="Where the clients' gradients differ by constant vectors, the discrepancy of a layer after phi tau' "
    "iterations is phi^2 times that after tau': the share delta of the discrepancy grows by more than the factor "
    "phi that the text states.",
    fault="reading",
    repair="LA-FIG1-NUM.4[clients differ by noise]",
    printed=dict(power=1),
    controls=[Control("by the squared factor", dict(power=2), must="pass")],
)
def grows_by(power: int) -> Evidence:
    """Two clients with gradients s and -s from a common start, eta = 1."""
    long, short = (slope * phi * tau) ** 2, (slope * tau) ** 2
    sides = Side("D(phi tau')", long), Side(f"phi^{power} D(tau')", phi**power * short)
    return compared(*sides, {slope: 1, tau: 1, phi: 2})


if __name__ == "__main__":
    run_script(__file__)
