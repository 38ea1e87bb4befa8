"""FedLAMA's worst case with base interval 1 is that of FedAvg at the long interval, whatever the layers are.

Every vector of the clients is its mean over them plus its deviation.  Averaging a layer leaves the means as they are.  In a layer
that is averaged after every local step no point at which a gradient is taken has a deviation, so that all that the deviations of
the gradients there do is to use up room in the interpolation inequalities and in the heterogeneity at the minimiser.  Without them
the instance obeys all constraints of FedAvg at the long interval, with the same models of the server.  These constraints are
averages over the clients, and it is these that survive: a single client's own inequality may not.  The averaged ones are enough,
since deviations on a regular simplex, orthogonal to all means, give each of N >= 2 clients of equal weight the same inequalities.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.algorithms.fedlama import FedLAMA
from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Proof, at_least, inequality
from fltheory.worstcase.classes import Smooth
from fltheory.worstcase.formulation import build_model
from verify.fedlama2021.worst_cases.two_intervals import LAYERS, LONG, TwoIntervals

mu, L, gap = sp.Symbol("mu", real=True), sp.Symbol("L", real=True), sp.Symbol("d", positive=True)
x_i, x_j, g_i, g_j = sp.symbols("x_i x_j g_i g_j", real=True)
#: Parameters at which worst cases are certified: (phi, T, eta, mu).
CASES = ((2, 1, "1/4", "1/10"), (2, 1, "3/2", "1/10"))


def deviating(base: int, factor: int, rounds: int) -> list[bool]:
    """Of each gradient in a layer at the short interval, from the program: whether its point differs between the clients."""
    method = FedLAMA(base, factor, Fraction(1, 4), intervals=(base, base))
    model = build_model(method, Smooth(1), rounds=rounds, start="gap")
    return [any(block == "deviation" for block, _ in query.point) for group in model.groups for query in group.queries]


def room(first: bool, second: bool) -> sp.Expr:
    """What the deviations in such a layer take from one interpolation inequality, with L = mu + d."""
    one, two = (x_i if first else sp.Integer(0)), (x_j if second else sp.Integer(0))
    h_i, h_j = g_i - mu * one, g_j - mu * two
    return mu / 2 * (one**2 - two**2) + h_j * (one - two) + (h_i - h_j) ** 2 / (2 * gap)


def told(deviates: bool) -> str:
    """In words."""
    return "deviations" if deviates else "none"


def instances(base: int, scale: Fraction) -> Iterator[Instance]:
    """FedLAMA's certified lower bound against the certified upper bound of FedAvg at the long interval."""
    for factor, rounds, step, modulus in CASES:
        setting = TwoIntervals(base, factor, rounds, Fraction(step), Fraction(modulus))
        text = f"{setting}: certified instance of FedLAMA against {scale} times the certified bound of FedAvg(phi tau')"
        yield Instance(text, setting.distance(LAYERS).lower, scale * setting.distance(LONG).upper)


@inequality_claim(
    "LA-WORST-R2",
    source="proof of Lemma 5.2, first sentences, for exact gradients",
    statement=r"\tau'=1,\ \tau_l\in\{1,\phi\}:\quad\sup\|u_T-w^\star\|^2\text{ of FedLAMA}=\sup\|u_T-w^\star\|^2\text{ of FedAvg}"
    r"(\phi)\ \text{ over all problems of the class}",
    headline="With base interval 1 FedLAMA's worst case is FedAvg's at the long interval",
    summary="With base interval 1 and exact gradients, averaging some layers after every step does not change the worst case over "
    "all clients in the class and all sizes of layers, as long as one layer stays at the long interval: it is that of FedAvg at "
    "the long interval, for every step size, curvature range, phi and T. For each single layout it is no larger: "
    "every certificate for FedAvg at the long interval bounds FedLAMA. With longer base intervals this is false for long steps "
    "(LA-WORST-U1).",
    quick=False,
    assumptions=(
        "every F_k has curvature in [mu, L], convex or not",
        "exact gradients, full participation",
        "every layer keeps its interval, 1 or phi, for all T rounds; for equality at least one has phi",
        "w* is a point with mean gradient zero, of which nothing else is asked; |u_0 - w*|^2 and the mean square of the clients' "
        "gradients at w* are bounded",
        "what else is assumed or measured concerns inner products of the server's models and of the clients' mean gradients there, "
        "their mean values, and mean squares of their gradients there that are bounded above",
    ),
    printed=dict(base=1, scale="1"),
    controls=[
        Control("base interval 2, phi = 2", dict(base=2)),
        Control("0.99 of FedAvg's worst case", dict(scale="99/100")),
    ],
)
def of_the_long_interval(base: int, scale: str) -> Evidence:
    """The deviations in a layer at the short interval are dropped from every pair of queries of the program."""
    pairs = {pair for rounds in (1, 2) for pair in product(deviating(base, 3, rounds), repeat=2)}
    steps = [
        inequality(
            f"what deviations take from an inequality, where the points have {told(one)} and {told(two)}",
            0,
            room(one, two),
            squares=[(1 / (2 * gap), g_i - g_j)],
            ranges=[(gap, Open(0), None)],
        )
        for one, two in sorted(pairs)
    ]
    steps.append(at_least("FedLAMA with every layer at the long interval is FedAvg", scale, 1))
    return decide(
        Proof(tuple(steps)),
        lambda: instances(base, Fraction(scale)),
        method="Means and deviations over the clients, coordinate by coordinate: in layers averaged after every step, points have "
        "no deviation, and that of the gradients takes (g_i - g_j)^2/(2 (L - mu)) from each interpolation inequality, averaged "
        "over the clients. Dropped, all averaged constraints of FedAvg at the long interval hold, and the means are as before.",
        valid_for="against FedAvg's supremum over N and all dimensions: an upper bound for all N, p and layers; equality for N "
        ">= 2 equal weights and a layer at the long interval that is large enough; all mu < L, L > 0, eta, phi, T",
        tightness=Tightness(
            1.0, Rung.PROOF, "equality: every layer at the long interval, or one that starts at its minimum"
        ),
        prose="averages of layers keep means (LA-ALG1-MEAN); interpolation gives functions for the means and deviations that are "
        "left, the deviations on a regular simplex so that every client's own inequalities are the averaged ones; "
        "FedAvg's instances beside a layer that starts at its minimum",
    )


if __name__ == "__main__":
    run_script(__file__)
