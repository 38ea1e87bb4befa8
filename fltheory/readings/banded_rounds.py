"""Rounds on tridiagonal problems as banded maps: fixed points in ``O(d)`` memory, where full matrices would take ``O(d^2)``.

A gradient moves information by one coordinate, so the map of a round that asks for ``b`` gradients has half-bandwidth ``b`` at
most.  Columns ``2b + 1`` apart do not meet in any row: the sums of all units of one remainder modulo ``2b + 1`` are sent through
one round each, and every entry of ``T`` is read off their images.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from fltheory.algorithms.participation import Full
from fltheory.algorithms.vocabulary import Algorithm, model_of
from fltheory.kinds import Array, Floats, PointLike
from fltheory.problems.base import Problem
from fltheory.problems.checks import check_request
from fltheory.problems.mixed import client_part
from fltheory.problems.oracles import AnyOracle, is_noisy
from fltheory.problems.tridiagonal import TridiagonalProblem
from fltheory.readings.arrays import ArrayFederation
from fltheory.readings.banded_factors import BandedFactors, factors_of, is_definite, is_symmetric
from fltheory.readings.banded_steps import banded_steps
from fltheory.readings.draws import ExactDraws
from fltheory.readings.entry import Opening, Setup, enter, exact_federation, open_state, require_stationary
from fltheory.readings.limit_state import ROUNDING
from fltheory.readings.numbers import FLOAT
from fltheory.readings.warned import PrecisionWarning

#: States of fewer entries are left to full matrices.
LEAST_STATE = 512
#: Numbers of client vectors that go through a round at a time.
CHUNK_NUMBERS = 2**20
#: Steps that refine a limit, and solutions that estimate the norm of the inverse.
REFINEMENTS, ESTIMATES = 2, 12
#: Rounds that are watched where no factorisation tells whether the rounds converge.
OBSERVED = 400


@dataclass(frozen=True, eq=False)
class BandedRounds:
    """``s -> T s + c`` on states of ``L`` server vectors, entry ``l`` of coordinate ``j`` in place ``j L + l``.

    ``bands[u + i - j, j]`` is ``T[i, j]`` with the half-bandwidth ``u`` (LAPACK's banded storage).
    """

    entry: Setup
    opening: Opening
    calls: int
    bands: Floats
    shift: Floats

    @property
    def half(self) -> int:
        """The half-bandwidth ``u``."""
        return len(self.bands) // 2

    def product(self, state: Floats) -> Floats:
        """``T s``."""
        out, u, size = np.zeros_like(state), self.half, len(state)
        for k in range(-u, u + 1):  # row i, column i + k
            first, last = max(0, -k), min(size, size - k)
            out[first:last] += self.bands[u - k, first + k : last + k] * state[first + k : last + k]
        return out

    def round(self, state: Floats) -> Floats:
        """One round of the algorithm itself, ``(D,) -> (D,)``."""
        after: Floats = _round(self.entry, self.opening, state[None])[0]
        return after

    @cached_property
    def _factors(self) -> BandedFactors:
        return factors_of(self.bands)

    def solve(self, right: Floats, *, transposed: bool = False) -> Floats:
        """``(I - T)^{-1} r``, or with ``T'``."""
        return self._factors.solve(right, transposed=transposed)

    def fixed_point(self) -> tuple[Floats, float]:
        """The limit state, and to first order how far it may be from the true one in Euclidean norm.

        The error is that of the residual of one round, as large as its rounding may be, times ``|(I - T)^{-1}|``.

        Raises
        ------
        ValueError : ``I - T`` is singular in floats.
        """
        state = self.solve(self.shift)
        for _ in range(REFINEMENTS):
            state = state + self.solve(self.round(state) - state)
        left = float(np.linalg.norm(self.round(state) - state))
        reach = float(np.linalg.norm(state)) + float(np.linalg.norm(self.shift))
        unit = float(np.finfo(float).eps)
        return state, self.inverse_norm * (left + ROUNDING * (self.calls + 1) * unit * reach)

    @cached_property
    def inverse_norm(self) -> float:
        """``|(I - T)^{-1}|`` to a few percent, from below, by iterations with its products."""
        vector = np.random.default_rng(np.random.SeedSequence(0)).standard_normal(len(self.shift))
        size = 0.0
        for _ in range(ESTIMATES):
            vector = vector / np.linalg.norm(vector)
            image = self.solve(vector)
            size = float(np.linalg.norm(image))
            vector = self.solve(image, transposed=True)
        return size

    def require_convergence(self) -> None:
        """Raise ``ValueError`` unless the rounds converge.

        For a symmetric ``T`` both ``I - T`` and ``I + T`` must be positive definite, which Cholesky factors decide to
        rounding.  Of another one a random deviation is watched for some hundred rounds: that refutes, and proves nothing.
        """
        if not is_symmetric(self.bands):
            factor = self._observed_factor()
            if not factor < 1:
                what = "diverge" if factor > 1 + 1e-9 else "do not converge"
                raise ValueError(f"the rounds {what}: their contraction factor is {factor:.6g}; expected less than 1")
            return
        for sign, where in ((-1.0, "at least 1"), (1.0, "at most -1")):
            if not is_definite(self.bands, sign):
                raise ValueError(
                    f"the rounds do not converge: the round map has an eigenvalue that is {where}; expected all of them "
                    "between -1 and 1"
                )

    def _observed_factor(self) -> float:
        """The mean growth of a random deviation in the second half of ``OBSERVED`` rounds.

        Of the directions that rounds change least, which this does not see, solutions with ``I - T`` tell whether they grow.
        """
        from scipy.sparse import dia_array

        size, u = len(self.shift), self.half
        matrix = dia_array((self.bands, np.arange(u, -u - 1, -1)), shape=(size, size)).tocsr()
        vector = np.random.default_rng(np.random.SeedSequence(0)).standard_normal(size)
        halves = []
        for _ in range(2):
            vector, grown = vector / np.linalg.norm(vector), 0.0
            for _ in range(OBSERVED // 20):
                for _ in range(10):
                    vector = matrix @ vector
                length = float(np.linalg.norm(vector))
                if length == 0.0:
                    return 0.0
                grown, vector = grown + float(np.log(length)), vector / length
            halves.append(grown)
        for _ in range(ESTIMATES):
            image = self.solve(vector)
            slow = float(vector @ image)
            vector = image / np.linalg.norm(image)
        seen = float(np.exp(halves[1] / (OBSERVED // 2)))
        return seen if slow > 0 else max(seen, 1 - 1 / slow)


def banded_rounds(
    problem: Problem, algorithm: Algorithm, start: PointLike | None, oracles: tuple[AnyOracle | None, ...] = ()
) -> BandedRounds | None:
    """The banded map of a large tridiagonal problem in floats, or ``None`` where full matrices are as good or needed.

    Raises
    ------
    ValueError : as :func:`fltheory.readings.round_map.round_map`; a band that memory cannot hold.
    """
    parts = (client_part(problem), *((problem.centre,) if hasattr(problem, "centre") else ()))
    if any(type(part) is not TridiagonalProblem for part in parts) or problem.dimension < LEAST_STATE:
        return None
    if any(oracle is not None and is_noisy(oracle) and getattr(oracle, "state_dependent", True) for oracle in oracles):
        return None
    entry = enter(problem, algorithm, numbers=FLOAT)
    if not isinstance(entry.participation, Full):
        return None
    opening = open_state(entry, start)
    layout = opening.layout
    if not all(layout.server):
        return None
    require_stationary(entry, opening, "the round map")
    reach = min(_reach(entry, opening), layout.dimension - 1)
    width, many = 2 * reach + 1, len(layout.server)
    if 2 * width > layout.dimension:
        return None
    check_request(
        f"rounds of {reach} gradients in a row with d={layout.dimension} and {many} server vectors (simulate runs them)",
        5 * (reach + 1) * many**2 * layout.dimension,
    )
    with np.errstate(over="ignore", invalid="ignore"):
        bands, shift = _read(entry, opening, reach)
        rounds = BandedRounds(entry, opening, reach, bands, shift)
        if not (np.isfinite(bands).all() and np.isfinite(shift).all()):
            raise ValueError("the round map overflows: an entry is not finite in floats")
        probe = np.random.default_rng(np.random.SeedSequence(1)).standard_normal(len(shift))
        whole, banded = _round(entry, opening, probe[None])[0] - shift, rounds.product(probe)
    if np.abs(whole - banded).max() > 1e-10 * (np.abs(whole).max() + np.abs(shift).max()):
        return None  # a word that is not local, such as a proximal step
    return rounds


def _read(entry: Setup, opening: Opening, reach: int) -> tuple[Floats, Floats]:
    """Bands and shift from the images of zero and of sums of units ``2 reach + 1`` apart."""
    layout = opening.layout
    many, d, width = len(layout.server), layout.dimension, 2 * reach + 1
    half = (reach + 1) * many - 1
    shift = _round(entry, opening, np.zeros((1, many * d)))[0]
    largest = float(np.abs(shift).max())
    unit = 2.0 ** np.ceil(np.log2(largest)) if 0 < largest < np.inf else 1.0
    bands = np.zeros((2 * half + 1, many * d))
    rows = np.arange(d)
    per = max(1, CHUNK_NUMBERS // (layout.n_clients * d))
    probes = [(leaf, remainder) for leaf in range(many) for remainder in range(width)]
    for a in range(0, len(probes), per):
        chunk = probes[a : a + per]
        states = np.zeros((len(chunk), many * d))
        for state, (leaf, remainder) in zip(states, chunk, strict=True):
            state[remainder * many + leaf :: width * many] = unit
        images = (_round(entry, opening, states) - shift) / unit
        for image, (leaf, remainder) in zip(images, chunk, strict=True):
            # The one column of this remainder within reach of each row.
            columns = rows + (remainder - rows + reach) % width - reach
            inside = (columns >= 0) & (columns < d)
            for of in range(many):
                row, column = rows[inside] * many + of, columns[inside] * many + leaf
                bands[half + row - column, column] = image[row]
    return bands, shift


def _round(entry: Setup, opening: Opening, states: Floats, draws: ExactDraws | None = None) -> Floats:
    """One round of states ``(runs, D)`` in interleaved order."""
    runs, layout = len(states), opening.layout
    many, d = len(layout.server), layout.dimension
    flat = states.reshape(runs, d, many).swapaxes(1, 2).reshape(runs, -1)
    source = ExactDraws(entry.problem, entry.numbers, runs=runs) if draws is None else draws
    fast = partial(banded_steps, client_part(entry.problem)) if draws is None else None
    fed = ArrayFederation(entry.problem, entry.participation, source, entry.numbers, linear=True, local_steps=fast)
    fed.begin(0)
    after = layout.flatten(entry.algorithm.round(fed, layout.build(fed, opening.template, flat)))
    return np.ascontiguousarray(after.reshape(runs, many, d).swapaxes(1, 2)).reshape(runs, -1)


@dataclass(frozen=True)
class _CountedDraws(ExactDraws):
    """Exact gradients that are counted, the clients' and the server's own."""

    asked: list[int] = None  # type: ignore[assignment]

    def gradient(self, round: int, step: int, x: Array, clients: Array, occurrence: Array) -> Array:
        self.asked.append(step)
        return super().gradient(round, step, x, clients, occurrence)

    def centre_gradient(self, round: int, step: int, y: Array) -> Array:
        self.asked.append(step)
        return super().centre_gradient(round, step, y)


def _reach(entry: Setup, opening: Opening) -> int:
    """How many gradients a round asks for."""
    draws = _CountedDraws(entry.problem, entry.numbers, asked=[])
    _round(entry, opening, np.zeros((1, opening.layout.size)), draws)
    return len(draws.asked)


def banded_fixed_point(rounds: BandedRounds) -> Floats:
    """The model ``(d,)`` where the rounds end.

    Warns
    -----
    PrecisionWarning : an error of the floats above a relative 1e-8.

    Raises
    ------
    ValueError : rounds that do not converge, or have no fixed point.
    """
    rounds.require_convergence()
    state, error = rounds.fixed_point()
    if error > 1e-8 * float(np.linalg.norm(state)) + 1e-300:
        warnings.warn(
            f"rounding may have moved this point by {error:.1e}; exact=True gives it in rationals",
            PrecisionWarning,
            stacklevel=3,
        )
    opening = rounds.opening
    return _model_of(rounds.entry, opening, state.reshape(opening.layout.dimension, -1).T.ravel())


def _model_of(entry: Setup, opening: Opening, flat: Floats) -> Floats:
    fed = exact_federation(entry, 1)
    model: Floats = model_of(entry.algorithm, fed, opening.layout.build(fed, opening.template, flat[None])).payload[0]
    return model
