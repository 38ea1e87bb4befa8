"""Squared distance and gap along a run without the matrices of moments: sums over the eigenvalues of the round map.

Where the round is ``e+ = T e + r + noise`` for the model's deviation ``e = w - w*`` with a symmetric
``T = U diag(lambda) U'`` and noise of one covariance ``Q``, in coordinates ``U'e``

    E |e_t|^2 = sum_a m_a(t)^2 + sum_{i<t} sum_a Q_aa lambda_a^(2i),      m_a(t) = lambda_a^t m_a(0) + r_a sum_{i<t} lambda_a^i,

and the gap is ``(m' H m + sum_{i<t} sum_{ab} H_ab Q_ab (lambda_a lambda_b)^i) / 2`` with the Hessian ``H``.  All sums over
``i`` run on from record to record, so that nothing cancels but the two terms of ``m_a``, where an eigenvalue is beyond the unit
circle: what rounding may have made of them is estimated then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.kinds import Array, Floats, Integers
from fltheory.problems.checks import check_request
from fltheory.readings.entry import dense
from fltheory.readings.limit_state import ROUNDING
from fltheory.readings.rounding import LOST, STILL, UNIT, WARNED
from fltheory.readings.walk import LARGEST, Walk
from fltheory.readings.warned import ROUNDED_AWAY
from fltheory.tables import Framed, Shown, ends

#: Records that are computed side by side: their powers stay in a core's own cache.
BLOCK = 512
#: Asymmetry of ``T`` that rounding explains, relative to its largest entry.
ROUNDED = 1e-13


@dataclass(frozen=True, eq=False, repr=False)
class MomentTraces(Shown, Framed):
    """Exact expectations at the recorded rounds (``M`` of them, the start included).

    ==================== ======== =================================================================
    attribute            shape    meaning
    ==================== ======== =================================================================
    ``rounds``           ``(M,)`` how many rounds have been made
    ``squared_distance`` ``(M,)`` ``E |w - w*|^2``
    ``gap``              ``(M,)`` ``E F(w) - F*``, computed when first read
    ``minimiser``        ``(d,)`` ``w*``
    ``status``                    "finished"; "diverged", or "unresolved", where rounding leaves no
                                  digit: then later rounds are not listed
    ``rounding``                  what rounding may have changed of the numbers, relative, where rounds
                                  expand; 0.0 up to 1e-8
    ==================== ======== =================================================================
    """

    rounds: Integers
    squared_distance: Array
    minimiser: Array
    status: str
    find_gap: Callable[[], Array] = field(repr=False)
    rounding: float = 0.0

    def headline(self) -> str:
        return f"{int(self.rounds[-1])} rounds: E |w - w*|^2 {ends(self.squared_distance)}; {self.status}"

    def records(self) -> list[dict[str, Any]]:
        """One dict per recorded round: round, gap, squared_distance."""
        columns = zip(self.rounds, self.gap, self.squared_distance, strict=True)
        return [{"round": int(round), "gap": gap, "squared_distance": distance} for round, gap, distance in columns]

    @cached_property
    def gap(self) -> Array:
        """``E F(w) - F*``."""
        return self.find_gap()[: len(self.rounds)]


def traces(walk: Walk, rounds: int, every: int) -> MomentTraces:
    """The traces of a walk after 0, every, 2 every, ... rounds.

    Raises
    ------
    ValueError : more records than memory holds.
    """
    check_request(f"rounds={rounds} with every={every}", 3 * (rounds // every + 1))
    spectral = spectrum(walk)
    if spectral is None:
        return _followed(walk, rounds, every)
    records = rounds // every + 1
    steps = spectral.of(every)
    with np.errstate(over="ignore", invalid="ignore"):
        distance = steps.squared_distance(records)
    beyond = np.nonzero(~(distance < LARGEST))[0]
    end, status = (int(beyond[0]), "diverged") if len(beyond) else (records, "finished")
    counts = every * np.arange(end, dtype=np.int64)
    rounding = _relative_errors(spectral, steps, counts, distance[:end])
    lost = np.nonzero(~(rounding < LOST))[0]
    if len(lost):
        end, status = int(lost[0]), ROUNDED_AWAY
    worst = float(rounding[:end].max(initial=0.0))
    found = worst if worst > WARNED else 0.0
    return MomentTraces(counts[:end], distance[:end], walk.origin, status, lambda: steps.gap(end), found)


def _relative_errors(spectral: SpectralRounds, steps: SpectralRounds, counts: Integers, distance: Floats) -> Floats:
    """What rounding may have changed of the squared distance or the gap at the records, relative to it."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        errors = spectral.errors(counts)
        if not errors.any():
            return errors
        lengths = np.sqrt(distance), np.sqrt(2 * steps.gap(len(counts)) / np.linalg.norm(spectral.hessian, 2))
        least = np.minimum(*lengths)
        found = 2 * errors / least + (errors / least) ** 2
    return np.where(errors > 0, np.where(np.isnan(found), np.inf, found), 0.0)


def _followed(walk: Walk, rounds: int, every: int) -> MomentTraces:
    """Round by round, the moments themselves not kept."""
    hessian = dense(walk.entry.problem).mean_matrix
    recorded, distance, gap, status = [], [], [], "finished"
    for round in range(rounds + 1):
        if round % every == 0:
            second = walk.second_model()
            if walk.unresolved(second):
                status = ROUNDED_AWAY
                break
            recorded.append(round)
            distance.append(np.trace(second))
            gap.append((second * hessian).sum() / 2)
        if round < rounds:
            walk.step(round)
            if walk.diverged():
                status = "diverged"
                break
    gaps, worst = not_negative(np.array(gap)), 0.0 if walk.rounding is None else walk.rounding.worst
    distances = not_negative(np.array(distance))
    return MomentTraces(np.array(recorded, dtype=np.int64), distances, walk.origin, status, lambda: gaps, worst)


@dataclass(frozen=True, eq=False)
class SpectralRounds:
    """``e+ = T e + r + noise`` in the eigenbasis: ``values, start, shift`` ``(d,)``, ``noise`` and ``hessian`` ``(d, d)``.

    ``roundings`` ``(d,)`` is what rounding may make of ``T e + r`` in one round near the start.
    """

    values: Floats
    start: Floats
    shift: Floats
    noise: Floats
    hessian: Floats
    roundings: Floats

    def of(self, count: int) -> SpectralRounds:
        """``count`` rounds as one, by doubling."""
        power, shift, noise = self.values, self.shift, self.noise
        with np.errstate(over="ignore", invalid="ignore"):
            products = self.values[:, None] * self.values
            both = products
            for bit in bin(count)[3:]:
                shift, noise = shift + power * shift, noise + both * noise
                power, both = power * power, both * both
                if bit == "1":
                    shift, noise = self.values * shift + self.shift, products * noise + self.noise
                    power, both = self.values * power, products * both
        return replace(self, values=power, shift=shift, noise=noise)

    def squared_distance(self, records: int) -> Floats:
        """``E |e|^2`` after 0, 1, ..., ``records - 1`` rounds."""
        out, square = np.empty(records), self._powers**2
        added = np.empty(records)
        weights, own = self.noise.diagonal(), bool(self.noise.any())
        for begin, end, power, mean in self._blocks(records):
            np.einsum("ij,ij->i", mean, mean, out=out[begin:end])
            if own:
                added[begin:end] = square[: end - begin] @ (power**2 * weights)
        return _summed(out, added) if own else out

    def gap(self, records: int) -> Floats:
        """``E e'He/2`` after 0, 1, ..., ``records - 1`` rounds."""
        out, added = np.empty(records), np.empty(records)
        weights, own = self.hessian * self.noise, bool(self.noise.any())
        with np.errstate(over="ignore", invalid="ignore"):
            for begin, end, power, mean in self._blocks(records):
                np.einsum("ij,ij->i", mean @ self.hessian, mean, out=out[begin:end])
                if own:
                    reached = self._powers[: end - begin] * power
                    np.einsum("ij,ij->i", reached @ weights, reached, out=added[begin:end])
        return not_negative((_summed(out, added) if own else out) / 2)

    def errors(self, counts: Integers) -> Floats:
        """What rounding may have changed of the mean after so many rounds, in length; zero unless rounds expand."""
        total = np.zeros(len(counts))
        for value, moved in zip(np.abs(self.values).tolist(), self.roundings.tolist(), strict=True):
            if value > STILL and moved > 0:
                total += (moved * (np.power(value, counts.astype(np.float64)) - 1) / (value - 1)) ** 2
        return np.sqrt(total)

    @cached_property
    def _powers(self) -> Floats:
        """``lambda^k`` for ``k < BLOCK``, ``(BLOCK, d)``."""
        return np.asarray(np.power(self.values, np.arange(BLOCK)[:, None]))

    def _blocks(self, records: int) -> Iterator[tuple[int, int, Floats, Floats]]:
        """Begin and end of a block, ``lambda^begin``, and the means ``(end - begin, d)``."""
        moved = bool(self.shift.any())
        sums = np.zeros((BLOCK + 1, len(self.values)))  # of the first k powers
        np.cumsum(self._powers, axis=0, out=sums[1:])
        gone = np.zeros(len(self.values))  # sum of the powers before the block
        mean, part = np.empty((BLOCK, len(self.values))), np.empty((BLOCK, len(self.values)))
        for begin in range(0, records, BLOCK):
            end, power = min(begin + BLOCK, records), np.power(self.values, begin)
            size = end - begin
            np.multiply(self._powers[:size], power * self.start, out=mean[:size])
            if moved:
                np.multiply(sums[:size], power * self.shift, out=part[:size])
                part[:size] += gone * self.shift
                if begin == 0:
                    part[0] = 0.0  # also where the shift of many rounds is beyond the range of floats
                mean[:size] += part[:size]
            yield begin, end, power, mean[:size]
            gone = gone + power * sums[BLOCK]


def not_negative(values: Array) -> Array:
    """Squares and gaps, of which rounding may have made a negative number where they vanish."""
    return values if values.dtype == object else np.maximum(values, 0.0)


def _summed(out: Floats, added: Floats) -> Floats:
    """``out[t] + sum_{i<t} added[i]``."""
    out[1:] += np.cumsum(added[:-1])
    return out


def spectrum(walk: Walk) -> SpectralRounds | None:
    """The rounds of a walk in the eigenbasis of ``T``, or ``None`` where they are no sum over its eigenvalues.

    That takes floats, all clients, constant numbers, noise that does not depend on the points, a state that is the model, and a
    symmetric ``T``.
    """
    d = len(walk.origin)
    if walk.numbers.exact or walk.changes or walk.multiplicative or walk.central.covariances is not None:
        return None
    if walk.opening.layout.size != d or walk.scheme is not None:
        return None
    if not np.array_equal(walk.pick, np.eye(d, d + 1)):
        return None
    with np.errstate(over="ignore", invalid="ignore"):  # looked at below
        form = walk.form(0)
    map_ = form.maps[0]
    matrix, shift = map_[:-1, :-1], map_[:-1, -1]
    if len(form.labels) != 1 or not np.isfinite(map_).all():
        return None
    if np.abs(matrix - matrix.T).max() > ROUNDED * np.abs(matrix).max():
        return None
    values, basis = np.linalg.eigh((matrix + matrix.T) / 2)
    with np.errstate(over="ignore", invalid="ignore"):
        noise = walk.fixed_noise(form)
    hessian = np.asarray(dense(walk.entry.problem).mean_matrix)
    start = walk.opening.values - walk.reference
    sizes = np.abs(basis.T)
    roundings = np.abs(values) * (sizes @ (np.abs(start) + np.abs(walk.origin))) + sizes @ np.abs(shift)
    return SpectralRounds(
        values,
        basis.T @ start,
        basis.T @ shift,
        basis.T @ noise @ basis,
        basis.T @ hessian @ basis,
        ROUNDING * UNIT * roundings,
    )
