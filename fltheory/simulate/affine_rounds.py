"""Whole runs of exact quadratic rounds by the round's one affine map ``s -> T s + c``: neither E nor N counts in a round.

With all clients taking part, exact gradients and numbers that do not change, a round is the same affine map of the state
every time.  It is read once, as the images of zero and of the units under one round with the kernels, and one compiled
kernel then makes all rounds of all runs; models are measured at the records, many at once.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from numbers import Number
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from fltheory import streams
from fltheory.algorithms.participation import Full
from fltheory.algorithms.vocabulary import model_of
from fltheory.kernels.maps import mapped_plan
from fltheory.kinds import Array, Floats, Integers, Truths
from fltheory.problems.mixed import client_part
from fltheory.problems.oracles import is_noisy
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.readings.arrays import ArrayFederation, participation_of
from fltheory.readings.draws import ExactDraws
from fltheory.readings.entry import Layout, Opening, Setup, changing_fields, enter, is_stationary, open_state
from fltheory.readings.numbers import FLOAT
from fltheory.simulate.chunk import Job, Piece
from fltheory.simulate.noise_in_law import LAW_CLIENT, NoiseInLaw, gaussian_round

#: Clients' dimensions up to which their maps are set up, and entries of a state up to which ``T`` is small anyway.
LARGEST_MAP, SMALL_STATE = 128, 256
#: Numbers of maps that are set up for a large problem, and how much faster a product of matrices is than of vectors.
MOST_NUMBERS, SLOWER = 2**27, 8
#: Units by which the map is read are at least as long as this.
LEAST_UNIT = 2.0**-500
#: States that are sent through a round at a time to read the map.
STATES = 32
#: A call of the kernel makes at most so many products, and keeps so many numbers, before it looks up.
MOST_PRODUCTS, MOST_KEPT = 2**29, 2**20


@dataclass(frozen=True, eq=False)
class AffineRounds:
    """``s -> T s + c`` for states ``(runs, D)`` whose first ``d`` entries are the model; ``+ R z`` where there is a root ``R``."""

    layout: Layout
    matrix: Floats
    shift: Floats
    root: Floats | None = None

    @property
    def lanes(self) -> int:
        """Entries of a padded state."""
        return -(-len(self.shift) // 8) * 8

    @cached_property
    def padded(self) -> tuple[Floats, Floats, Floats]:
        """Columns of ``T`` below one another, ``c`` and the columns of ``R``, filled up with zeros, for the kernel."""
        size = len(self.shift)
        columns, shift = np.zeros((size, self.lanes)), np.zeros(self.lanes)
        columns[:, :size], shift[:size] = self.matrix.T, self.shift
        if self.root is None:
            return columns.ravel(), shift, np.zeros(0)
        root = np.zeros_like(columns)
        root[:, :size] = self.root.T
        return columns.ravel(), shift, root.ravel()


def affine_rounds(job: Job) -> AffineRounds | None:
    """The map of a job's rounds, or ``None`` where a round is no constant affine map or a map would be more work.

    It depends on problem, algorithm and oracles, so that it cannot change bits with runs or threads; in large dimensions also
    on the number of rounds, of which there must be enough to be worth the map.
    """
    if isinstance(job.oracle, NoiseInLaw):
        return law_of_rounds(job)
    if job.plan is None or is_noisy(job.oracle) or is_noisy(job.centre_oracle):
        return None
    if not isinstance(participation_of(job.algorithm), Full) or changing_fields(job.algorithm):
        return None
    parts = (client_part(job.problem), *((job.problem.centre,) if hasattr(job.problem, "centre") else ()))
    if any(type(part) is not QuadraticProblem for part in parts):
        return None
    if getattr(job.algorithm, "model", None) is not None:
        return None
    large = job.problem.dimension > LARGEST_MAP
    if not _is_value(job.algorithm):
        return _read(job)
    key = (job.algorithm, int(job.recorded[-1]) if large else 0)
    with _LOCK:
        known = _KNOWN.setdefault(job.problem, {})
        try:
            return known[key]
        except KeyError:
            pass
        except TypeError:  # an algorithm without a hash
            return _read(job)
        while len(known) >= (1 if large else MOST_KNOWN):
            del known[next(iter(known))]
        plan = mapped_plan(job.plan, job.problem.dimension) if large else job.plan
        known[key] = _read(replace(job, plan=plan))
        return known[key]


def _is_value(told: Any) -> bool:
    """Whether equal ones say the same for good, so that a map can be kept under it: numbers, texts, frozen data of such."""
    if isinstance(told, tuple):
        return all(_is_value(part) for part in told)
    if is_dataclass(told) and not isinstance(told, type):
        frozen = type(told).__dataclass_params__.frozen and type(told).__eq__ is not object.__eq__  # type: ignore[attr-defined]
        return frozen and all(part.compare and _is_value(getattr(told, part.name)) for part in fields(told))
    return told is None or isinstance(told, (Number, str))


_LOCK = Lock()
_KNOWN: WeakKeyDictionary[Any, dict[Any, AffineRounds | None]] = WeakKeyDictionary()
#: By the oracle, of which ``simulate_law`` makes one for each call: problem, algorithm, law.
_LAWS: WeakKeyDictionary[Any, list[tuple[Any, Any, AffineRounds]]] = WeakKeyDictionary()
#: Maps that are kept for a problem.
MOST_KNOWN = 64


def _is_worth(job: Job, calls: int, size: int) -> bool:
    """Whether the rounds of one run cost more, step by step, than the map of a large problem.

    Counted in products of a client's matrix with a vector: a step reads the matrix from memory for each, a product of matrices
    is ``SLOWER`` times as fast.
    """
    n, d, rounds = job.problem.n_clients, job.problem.dimension, int(job.recorded[-1])
    if 2 * n * d**2 + size**2 > MOST_NUMBERS:
        return False
    squarings = calls.bit_length() - 1
    set_up = (4 * squarings * d + size) / SLOWER if calls > 1 else size
    return set_up <= rounds * calls


def _read(job: Job) -> AffineRounds | None:
    entry = enter(job.problem, job.algorithm, numbers=FLOAT)
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            opening = open_state(entry)
            if not opening.layout.server[0] or not is_stationary(entry, opening):
                return None
    except (TypeError, ValueError):  # a word that looks at values, or draws
        return None
    layout, n, d = opening.layout, job.problem.n_clients, job.problem.dimension
    size = layout.size
    if size > SMALL_STATE and size**2 > n * d**2:
        return None
    if d > LARGEST_MAP and not _is_worth(job, _calls(entry, opening), size):
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        shift = _images(job, opening, np.zeros((1, size)))[0]
        # Units as long as the shift: the difference of the images then loses nothing, whatever the problem's units are.
        # Shorter ones than LEAST_UNIT would lose digits where numbers get too small for floats.
        largest = float(np.abs(shift).max())
        unit = 2.0 ** np.ceil(np.log2(max(largest, LEAST_UNIT))) if 0 < largest < np.inf else 1.0
        matrix = np.empty((size, size))
        for a in range(0, size, STATES):
            b = min(a + STATES, size)
            matrix[:, a:b] = ((_images(job, opening, unit * np.eye(b - a, size, a)) - shift) / unit).T
    if not (np.isfinite(matrix).all() and np.isfinite(shift).all()):
        return None
    return AffineRounds(layout, matrix, shift)


def _calls(entry: Setup, opening: Opening) -> int:
    """How many steps a client makes in a round in one go; 1 where they are not the word ``local_sgd``."""
    counts = [1]

    def counted(points: Array, clients: list[int], steps: int, rate: float, shift: Array | None) -> Array:
        counts.append(steps)
        return points

    draws = ExactDraws(entry.problem, entry.numbers)
    fed = ArrayFederation(entry.problem, entry.participation, draws, entry.numbers, linear=True, local_steps=counted)
    fed.begin(0)
    entry.algorithm.round(fed, opening.layout.build(fed, opening.template, opening.values[None]))
    return max(counts)


def law_of_rounds(job: Job) -> AffineRounds:
    """The Gaussian law of a job's rounds.

    Raises
    ------
    ValueError : rounds that have none, or whose law is not kept: see :func:`fltheory.simulate.noise_in_law.gaussian_round`.
    """
    with _LOCK:
        laws = _LAWS.setdefault(job.oracle, [])
        for problem, algorithm, law in laws:
            if problem is job.problem and algorithm is job.algorithm:
                return law
        found = AffineRounds(*gaussian_round(job.problem, job.algorithm, job.oracle, job.centre_oracle))
        if job.plan is None:
            dense = getattr(job.problem, "to_dense", lambda: job.problem)()
            missing = "numba is missing, or backend='numpy'"
            why = missing if dense is job.problem else "to_dense() of it has one"
            raise ValueError(
                f"rounds in law are made by a compiled kernel, and {type(job.problem).__name__} has none here: {why}"
            )
        laws.append((job.problem, job.algorithm, found))
        return found


def _images(job: Job, opening: Opening, states: Floats) -> Floats:
    """States ``(runs, D)`` after one round."""
    fed = job.federation(np.arange(len(states)))
    fed.begin(0)
    after = job.algorithm.round(fed, opening.layout.build(fed, opening.template, states))
    return np.asarray(opening.layout.flatten(after))


def run_affine(job: Job, piece: Piece, rounds: AffineRounds) -> None:
    """All rounds of one chunk, as :func:`fltheory.simulate.chunk.run_piece` makes them."""
    from fltheory.kernels import _affine as family

    runs, size, lanes, d = len(piece.run_ids), len(rounds.shift), rounds.lanes, piece.models.shape[1]
    fed = job.federation(piece.run_ids)
    with np.errstate(over="ignore", invalid="ignore"):
        first = job.algorithm.start(fed, fed.vector(piece.models))
        piece.record(job, model_of(job.algorithm, fed, first).payload)
        beside = runs if runs % 4 < 2 else -(-runs // 4) * 4  # the kernel takes four runs at a time, or one
        state, ended = np.zeros((beside, lanes)), np.zeros(beside, dtype=np.int64)
        state[:runs, :size], ended[:runs] = rounds.layout.flatten(first), -1
        flat = state.ravel()
        work, draws, keys = np.empty_like(flat), np.zeros_like(flat), np.zeros(beside, dtype=np.uint64)
        keys[:runs] = streams.fold(streams.mix(np.uint64(job.seed)), piece.run_ids)
        made, last = 0, int(job.recorded[-1])
        while made < last:
            if job.stop.is_set():
                return
            stops, recorded = _stops(job, piece, made, beside * size**2, beside * size)
            kept = np.empty((len(stops), beside, size))
            room = (flat, work, kept, ended, *rounds.padded, draws, keys, LAW_CLIENT)
            family.advance(*room, size, lanes, made, d, float(job.threshold), stops)
            made = int(stops[-1])
            if recorded:
                _record(job, piece, stops, kept[:, :runs, :d], ended[:runs])
            else:
                newly = piece.alive & (ended[:runs] >= 0)
                piece.diverged[newly] = ended[:runs][newly]
            if not piece.alive.any():
                piece.abandon(job)
                return


def _stops(job: Job, piece: Piece, made: int, products: int, numbers: int) -> tuple[Integers, bool]:
    """The next records within reach of one call, or the end of its reach where there is none."""
    reach = made + max(1, MOST_PRODUCTS // products)
    coming = job.recorded[piece.done : piece.done + max(1, MOST_KEPT // numbers)]
    within = coming[coming <= reach]
    if len(within):
        return np.ascontiguousarray(within), True
    return np.array([reach], dtype=np.int64), False


def _record(job: Job, piece: Piece, stops: Integers, models: Array, ended: Integers) -> None:
    """Measure the models ``(records, runs, d)`` of the runs that are alive; as :meth:`Piece.record`, many at once."""
    over = (ended >= 0) & piece.alive
    alive: Truths = piece.alive & ~(over & (ended <= stops[:, None]))
    numbers = np.full((*alive.shape, job.evaluator.columns), np.inf)
    if alive.any():
        numbers[alive] = job.evaluator(models[alive])
    lost = alive & ~np.isfinite(numbers).all(axis=2)
    piece.diverged[over] = ended[over]
    for run in np.nonzero(lost.any(axis=0))[0].tolist():
        record = int(lost[:, run].argmax())
        piece.diverged[run] = stops[record]
        alive[record:, run] = False
    shown = np.where(alive[..., None], models, np.inf)
    begin = piece.done
    piece.measured[:, begin : begin + len(stops)] = np.where(alive[..., None], numbers, np.inf).swapaxes(0, 1)
    if piece.kept is not None:
        piece.kept[:, begin : begin + len(stops)] = shown.swapaxes(0, 1)
    for record, stop in enumerate(stops.tolist()):
        piece.models = shown[record]
        piece.done += 1
        job.counter.advance(int(stop - job.recorded[piece.done - 2]) * len(piece.run_ids))
