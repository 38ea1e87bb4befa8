"""Fixed points of rounds that are not linear, with a proven bound of the error.

Two proofs are tried, with radii that count every rounding of the evaluation (``ball_federation``):

* *contraction*: all parts of a state being moved by at most ``r``, a round moves each by at most ``q r``, everywhere.  With
  ``q < 1`` there is one fixed point, all rounds lead to it, and it is within ``max_i |F(s)_i - s_i|/(1 - q)`` of each part of
  ``s``.  ``q`` is made of the factors ``max(|1 - eta mu|, |1 - eta L|)`` of local steps, read off the algorithm's text.
* *Krawczyk*: with an approximate inverse ``Y`` of ``I - F'(s)`` the map ``N(t) = t + Y (F(t) - t)`` has
  ``|N'(t)| <= q = |I - Y (I - J)| + |Y| |F'(t) - J|`` for all ``t`` within ``r`` of ``s``.  If ``h + q r <= r`` for ``h >=
  |Y (F(s) - s)|``, the ball holds exactly one fixed point of the rounds, within ``h/(1 - q)`` of ``s``.  ``F'`` varies as the
  Hessians do (Krawczyk 1969; Rump, "Verification methods", Acta Numerica 2010, section 13).

What is proved is about the problem and the numbers of the algorithm as floats have them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Array, Floats, PointLike
from fltheory.problems.base import Problem
from fltheory.problems.second_order import EPS, sum_error
from fltheory.readings.balls import SAFE
from fltheory.readings.enclosures import SmoothRound, deterministic_round
from fltheory.readings.numbers import FLOAT
from fltheory.readings.resting import Resting, rest
from fltheory.readings.round_map import RoundMap
from fltheory.tables import WIDEST, Framed, Shown, cut

#: A larger factor does not count as below one.
LARGEST_FACTOR = 1 - 1e-9
#: Radii that are tried for Krawczyk's ball, as multiples of the first step.
RADII = (2.0, 8.0, 64.0)
NEARLY_SINGULAR = 1e12
FREE = "rounds conserve some direction or do not contract it, so that fixed points need not be isolated"


@dataclass(frozen=True, eq=False)
class CertifiedPoint(Shown, Framed):
    """A fixed point of deterministic rounds as found in floats, and what is proved of it.

    =================== ========= ===============================================================================
    attribute           shape     meaning
    =================== ========= ===============================================================================
    ``point``           ``(d,)``  the server's model
    ``state``           ``(D,)``  the enlarged state
    ``residual``                  a bound of ``|F(s) - s|`` at the state, rounding counted; what floats give where nothing
                                  can be proved
    ``error_bound``               the true fixed point's model is within this of ``point`` (Euclidean); None if nothing
                                  is proved
    ``state_bound``               the same of the state: of each of its parts (a server's vector, or one client's) by
                                  contraction, of all of it by Krawczyk
    ``proof``                     "contraction", "krawczyk" or "none"
    ``factor``                    ``q`` of the proof; None without one
    ``unique_within``             in this distance of the state there is no other one: ``inf`` by contraction
    ``reason``                    why nothing is proved; empty where something is
    ``method``                    "newton" or "anderson"
    ``iterations``                its iterations
    ``contraction``               largest modulus of an eigenvalue of ``F'`` in floats, directions that are not moved at all
                                  left out; None for states too large
    =================== ========= ===============================================================================
    """

    point: Floats
    state: Floats
    residual: float
    error_bound: float | None
    state_bound: float | None
    proof: str
    factor: float | None
    unique_within: float | None
    reason: str
    method: str
    iterations: int
    contraction: float | None

    @property
    def certified(self) -> bool:
        """Whether ``error_bound`` is proved."""
        return self.error_bound is not None

    def facts(self) -> list[tuple[str, str]]:
        error = f"{self.error_bound:.2g} by {self.proof}" if self.error_bound is not None else f"none: {self.reason}"
        unique = [] if self.unique_within is None else [("the only one within", f"{self.unique_within:.3g}")]
        return [("proved error", error), *unique, ("found by", f"{self.method}, {self.iterations} iterations")]

    def records(self) -> list[dict[str, Any]]:
        """One dict per coordinate: its value and the error of the whole point (None where nothing is proved)."""
        return [{"coordinate": i, "value": float(x), "error": self.error_bound} for i, x in enumerate(self.point)]

    def __repr__(self) -> str:
        shown = np.array2string(self.point, precision=6, threshold=6, edgeitems=2)
        if self.error_bound is None:
            return f"CertifiedPoint({cut(f'{shown}, not certified: {self.reason}', WIDEST)})"
        return f"CertifiedPoint({shown}, error at most {self.error_bound:.2g} by {self.proof})"


@dataclass(frozen=True)
class PointProof:
    """``bound`` of the error, by which argument; ``reason`` where there is none."""

    name: str
    bound: float | None = None
    factor: float | None = None
    within: float | None = None
    reason: str = ""


def certified_fixed_point(problem: Problem, algorithm: Algorithm, *, start: PointLike | None = None) -> CertifiedPoint:
    """Where deterministic rounds of an algorithm come to rest on a smooth problem, with a proven error.

    Gradients are exact and everyone takes part.  The point is found by Newton's method on the round as the arrays reading runs
    it, with the Jacobian that the text itself has, from some plain rounds after ``start`` (default: zero); for states that are
    too large for a Jacobian by Anderson's method.  A point is returned also where the rounds move away from it
    (``contraction`` above one) and where nothing can be proved, which is then said.

    Raises
    ------
    ValueError : random cohorts, step sizes that change, rules that look at values, compression; no fixed point found.
    """
    rounds = deterministic_round(problem, algorithm, "a certified fixed point", start)
    return certify(rounds, rest(rounds))


def certify(rounds: SmoothRound, found: Resting, known: float | None = None) -> CertifiedPoint:
    """What can be proved of a state that was found; ``known`` is a factor of contraction that is proved elsewhere."""
    state = found.state
    here = rounds.enclose(state)
    moved = np.array([float(np.linalg.norm((here.state - state)[part])) for part in rounds.parts])
    rounded = 2 * EPS * np.array([float(np.linalg.norm(state[part])) for part in rounds.parts])
    moved, off = (moved + rounded) * SAFE, here.away
    proof = _prove(rounds, state, moved + off, here.state - state, off + rounded, known)
    bound = None
    point, _ = rounds.model(state, 0.0)
    if proof.bound is not None:
        bound = rounds.model(state, proof.bound)[1]
    size = float(np.linalg.norm(moved + off))
    radius = None
    if found.matrix is not None:
        opening = rounds.opening
        radius = RoundMap(
            found.matrix, state - found.matrix @ state, state, opening.model, opening.layout, FLOAT
        ).resolved_contraction()
    return CertifiedPoint(
        point,
        state,
        size if np.isfinite(size) else found.residual,
        bound,
        proof.bound,
        proof.name,
        proof.factor,
        proof.within,
        proof.reason,
        found.method,
        found.iterations,
        radius,
    )


def _prove(
    rounds: SmoothRound, state: Floats, moved: Floats, move: Floats, off: Floats, known: float | None
) -> PointProof:
    """``moved`` bounds what a round moves each part by; ``move`` is that in floats, ``off`` how far it is off."""
    unknown = rounds.curved.unknown
    if unknown:
        return PointProof("none", reason=unknown)
    factor = lipschitz(rounds, state) if known is None else known
    if factor <= LARGEST_FACTOR:
        bound = float(moved.max()) / (1 - factor) * SAFE
        if not np.isfinite(bound):
            return PointProof("none", reason="the round or a bound of its rounding overflows")
        return PointProof("contraction", bound, factor, float("inf"))
    if not rounds.differentiable:
        return PointProof(
            "none",
            reason=f"the rounds contract by no factor below one that is known ({factor:.6g}), and a state of "
            f"D={rounds.size} is too large for the inverse of its Jacobian",
        )
    return krawczyk(rounds, state, move, float(np.linalg.norm(off)))


def lipschitz(rounds: SmoothRound, state: Floats) -> float:
    """``q``: all parts of any two states being at most 1 apart, those after a round are at most ``q`` apart."""
    away = rounds.enclose(state, 1.0, rounding=False).away
    return float(away.max()) * SAFE


def krawczyk(rounds: SmoothRound, state: Floats, move: Floats, off: float) -> PointProof:
    """A ball about ``state`` with exactly one fixed point; ``move`` is ``F(s) - s`` up to ``off``."""
    none = "none"
    here = rounds.enclose(state, slopes=True)
    assert here.matrix is not None  # asked for
    gap = np.eye(rounds.size) - here.matrix
    try:
        inverse = np.linalg.inv(gap)
    except np.linalg.LinAlgError:
        return PointProof(none, reason=f"I - F' is singular: {FREE}")
    size = spectral_bound(inverse)
    product = sum_error(rounds.size) * float(np.linalg.norm(inverse)) * float(np.linalg.norm(gap))
    defect = spectral_bound(np.eye(rounds.size) - inverse @ gap) + product + EPS * size * (1 + spectral_bound(gap))
    first = float(np.linalg.norm(inverse @ move)) + sum_error(rounds.size) * float(np.linalg.norm(inverse)) * float(
        np.linalg.norm(move)
    )
    first = (first + size * off) * SAFE
    factor = np.inf
    for times in RADII:
        radius = times * first
        varied = rounds.enclose(state, radius, slopes=True).off
        factor = (defect + size * varied) * SAFE
        if factor <= LARGEST_FACTOR and first + factor * radius <= radius:
            return PointProof("krawczyk", first / (1 - factor) * SAFE, factor, radius)
    if size > NEARLY_SINGULAR:
        return PointProof(
            none, reason=f"I - F' is singular to rounding, its inverse being {size:.2g} in floats: {FREE}"
        )
    return PointProof(
        none,
        reason=f"neither a contraction of the rounds nor Krawczyk's test in a ball is proved: |(I - F')^(-1)| is {size:.3g}, and "
        f"the test's factor {factor:.3g}, expected below one",
    )


def spectral_bound(matrix: Array) -> float:
    """A bound of the spectral norm: of the Frobenius norm and the root of row times column sums the smaller."""
    size = np.abs(matrix)
    sums = float(np.sqrt(size.sum(axis=0).max() * size.sum(axis=1).max()))
    return min(float(np.linalg.norm(matrix)), sums) * SAFE
