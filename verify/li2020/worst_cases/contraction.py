"""One round of FedAvg with exact gradients: the contraction in closed form, for E = 1 and for clients with a common minimiser.

One step of a client x -> x - eta grad F_k(x) moves no two points further apart than by max(|A|, |B|), A = 1 - eta L,
B = 1 - eta mu; so does the mean of such steps from one point.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.algorithms.fedavg import FedAvg
from fltheory.evidence.decide import decide
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.readings.gram import Recorder, program
from fltheory.theory.proofs import Open
from fltheory.worstcase.functional import square
from fltheory.worstcase.symbolic import SYMBOLS, SymbolicClaim, prove
from verify.li2020 import symbols
from verify.li2020.frontier import TURN, A, B, D, s
from verify.li2020.symbols import L

ONE = Fraction(1)
#: Steps with A^2 <= B^2, and beyond: the sign of s, the ends of the range, the factor that is the larger.
SIDES = ((1, 0, TURN, B), (-1, TURN, None, A))


def one_round(scale: sp.Expr, side: tuple[int, Any, Any, sp.Expr]) -> SymbolicClaim:
    """FedAvg with E = 1 and heterogeneous clients, from the algorithm's own program: |w+|^2 <= scale max(A^2, B^2) |w|^2."""
    traced = program(FedAvg(1, symbols.eta), rounds=1, numbers=SYMBOLS)
    recorder = Recorder(traced.instructions)
    at_optimum = recorder.put(("gradient", recorder.put(("optimum",))))
    (gradient,), (before, after) = traced.registers("gradient"), traced.models
    return contracts(recorder, before, after, (gradient, at_optimum), scale, side)


def client_step(scale: sp.Expr, side: tuple[int, Any, Any, sp.Expr]) -> SymbolicClaim:
    """A step of clients that share the minimiser, each from its own point: sum p|z_k|^2 <= scale max(A^2, B^2) sum p|x_k|^2."""
    recorder = Recorder()
    point = recorder.put(("given", "clients", 1))
    at_optimum = recorder.put(("gradient", recorder.put(("optimum", "shared"))))
    gradient = recorder.put(("gradient", point))
    moved = recorder.combine({point: sp.Integer(1), gradient: -symbols.eta})
    return contracts(recorder, point, moved, (gradient, at_optimum), scale, side)


def contracts(
    recorder: Recorder,
    before: int,
    after: int,
    gradients: tuple[int, int],
    scale: sp.Expr,
    side: tuple[int, Any, Any, sp.Expr],
) -> SymbolicClaim:
    """|after|^2 <= scale max(A^2, B^2) |before|^2 from both interpolation inequalities, with one multiplier."""
    sign, low, high, factor = side
    y = 2 * symbols.eta * (sign * s + D / 2)
    ranges = ((symbols.mu, Open(0), None), (L, Open(symbols.mu), None), (symbols.eta, low, high))
    return SymbolicClaim(
        tuple(recorder.instructions),
        symbols.mu,
        L,
        square(after),
        {"distance": (square(before), scale * factor**2)},
        {gradients: y, gradients[::-1]: y},
        ranges,
        at_equal=True,
    )


def quadratic_rounds() -> Iterator[tuple[str, int, Fraction, Fraction, Fraction, Fraction]]:
    """All clients F = h w^2/2 with the curvature that keeps more: (words, E, eta, mu, |w|^2, |w+|^2)."""
    for local in (1, 2, 5):
        for step in ("1/4", "1/8", "1", "3/2", "199/100"):
            for modulus in ("1/2", "1/10", "1/100"):
                eta, mu = Fraction(step), Fraction(modulus)
                h = ONE if eta * (1 + mu) > 2 else mu
                words = f"F_k = ({h}) w^2/2 for all k, L = 1, mu = {mu}, eta = {eta}, E = {local}, w = 1"
                yield words, local, eta, mu, ONE, (1 - eta * h) ** (2 * local)


def heterogeneous_round(local: int) -> tuple[str, int, Fraction, Fraction, Fraction, Fraction]:
    """F_1 = (w-1)^2/2, F_2 = (w+2)^2/4 from the minimiser w* = 0 of their mean."""
    eta, centres, curvatures = Fraction(1, 4), (ONE, Fraction(-2)), (ONE, Fraction(1, 2))
    ends = [m - (1 - eta * h) ** local * m for m, h in zip(centres, curvatures, strict=True)]
    words = f"F_1 = (w-1)^2/2, F_2 = (w+2)^2/4, p = 1/2, w = w* = 0, eta = 1/4, E = {local}"
    return words, local, eta, Fraction(1, 2), Fraction(0), (sum(ends, Fraction(0)) / 2) ** 2


@inequality_claim(
    "LI-EQ13-S2",
    source="eq. (13) with exact gradients",
    quick=False,
    statement=r"\|w_{t+E}-w^\star\|^2\le\max\{(1-\eta L)^2,(1-\eta\mu)^2\}^{E}\,\|w_t-w^\star\|^2\quad\text{if }E=1"
    r"\text{ or all clients share }w^\star",
    headline="The round's best factor with exact gradients for one local step or a common minimiser",
    summary="One round with exact gradients multiplies the squared distance by at most max{(1 - eta L)^2, (1 - eta mu)^2}^E (a "
    "contraction for 0 < eta < 2/L, mu > 0) when E = 1, however heterogeneous the clients are, and for every E when they share "
    "the minimiser; no smaller factor will do.",
    assumptions=("A1, A2", "exact gradients, full participation", "E = 1 or a common minimiser", "any constant step"),
    printed=dict(scale="1", common=True, square_of_mu_only=False),
    controls=[
        Control("factor times 0.99", dict(scale="99/100")),
        Control("E = 2 without a common minimiser", dict(common=False)),
        Control("(1 - eta mu)^2 alone, also for steps beyond 2/(L + mu)", dict(square_of_mu_only=True)),
    ],
)
def li_eq13_s2(scale: str, common: bool, square_of_mu_only: bool) -> Evidence:
    """Certificates from the algorithm's program, for steps on both sides of 2/(L + mu)."""
    sides = tuple((*side[:3], B) if square_of_mu_only else side for side in SIDES)
    claims = {
        f"{name}, {'A^2 <= B^2' if side[0] == 1 else 'A^2 >= B^2'}": make(sp.Rational(scale), side)
        for name, make in (("E = 1", one_round), ("one local step", client_step))
        for side in sides
    }
    proofs = {name: prove(item) for name, item in claims.items()}
    failed = [f"{name}: {proof.reason}" for name, proof in proofs.items() if not proof.proved]
    if not common:
        failed.append("heterogeneous local steps have no common fixed point")
    cases = [*quadratic_rounds(), *([] if common else [heterogeneous_round(2)])]

    def both(case: tuple[str, int, Fraction, Fraction, Fraction, Fraction]) -> tuple[Fraction, Fraction]:
        _, local, eta, mu, before, after = case
        larger = (1 - eta * mu) ** 2 if square_of_mu_only else max((1 - eta) ** 2, (1 - eta * mu) ** 2)
        return after, Fraction(scale) * larger**local * before

    found = search(cases, both, describe=lambda case: case[0])
    return decide(
        (not failed, "; ".join(failed)),
        found,
        method="E = 1: the slack of both interpolation inequalities between w and w* times 2 eta (|s| + D/2) is a sum "
        "of squares in the blocks of means and deviations, for all parameters. Common minimiser: the same for each "
        "client's step, induction on the local steps, and Jensen for the average. Equality for clients with one "
        "quadratic",
        valid_for="every N, p, dimension, 0 <= mu < L (L = mu by continuity), every eta >= 0; E >= 1",
        tightness=Tightness(1.0, Rung.PROOF, "equality: all clients (mu/2)|w|^2, or (L/2)|w|^2"),
        prose="a round of one step and a client's step are certified; induction over the steps and Jensen join them",
        certificate={name: proof.certificate for name, proof in proofs.items()},
    )


if __name__ == "__main__":
    run_script(__file__)
