"""A whole round as a labelled affine map, and what it does to first and second moments of the state.

With ``z = (s, 1)`` the state after the round is ``z+ = sum_l theta_l P_l z + noise``.  The random scalars
``theta = (1, a_1..a_N, b, m_1..m_N)`` of a cohort are independent of the past, so

    E z+ z+' = sum_{l,l'} E[theta_l theta_l'] P_l E[z z'] P_l'' + E[noise noise'],

and the noise is a martingale difference: uncorrelated with ``z`` and ``theta`` and across clients and calls, whatever
its conditional covariance is.  Hence the same formula serves additive noise, with fixed covariances, and mini-batches,
whose covariances at a call are a linear function of the second moments of the point of that call.

Noise of the server's own loss reaches all clients alike: its values are further entries of ``z = (s, zeta, 1)``, with mean
zero, uncorrelated with the state and with each other, whose covariances are found call by call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.algorithms.joint_moments import LabelMoments
from fltheory.algorithms.participation import SchemeMoments
from fltheory.kinds import Array
from fltheory.problems.rational_matrices import product
from fltheory.readings.class_rows import ClassRows, class_rows
from fltheory.readings.entry import Layout
from fltheory.readings.label_groups import label_groups
from fltheory.readings.label_rows import FloatRows, RationalRows, label_rows
from fltheory.readings.numbers import Numbers
from fltheory.readings.refusals import COHORT_ONLY

#: Refuse to build label matrices of more entries than this.
MOST_ENTRIES = 150_000_000


@dataclass(frozen=True, eq=False)
class Point:
    """Where one oracle call evaluates: ``state`` ``(N, d, D+1)`` and the noise of earlier calls.

    ``own``, each client's own noise, is ``(N, d, calls, d)``; all clients' noise,
    ``shared`` is ``(N or 1, d, calls, N, d)``; ``noise`` is the call's noise index, or None with exact gradients;
    ``scale`` ``(N,)`` multiplies the client's gradients.
    """

    state: Array
    own: Array
    shared: Array | None
    noise: int | None
    scale: Array | None


@dataclass(frozen=True, eq=False)
class CentralPoint:
    """Where a noisy gradient of the server's own loss is asked: ``state`` ``(d, width)``, of the sure part.

    ``shared``, the clients' noise in the point (full participation), is ``(d, calls, N, d)``; ``before`` counts the calls
    of the clients' oracle that came first.
    """

    state: Array
    shared: Array | None
    before: int


@dataclass(frozen=True, eq=False)
class RoundForm:
    """One round.

    =============== ======================= =======================================================================
    attribute       shape                   meaning
    =============== ======================= =======================================================================
    ``maps``        ``(L, D+1, width)``     ``P_l`` for the labels in use; ``width = D+1`` without central noise, else
                                            ``D+1`` and ``d`` for each noisy call of the server's own loss
    ``labels``      ``(L,)``                which entries of ``theta`` they are; of many with one map the first, and
                                            ``theta_l`` below is their sum
    ``first``       ``(L,)``                ``E theta_l``
    ``second``      ``(L, L)``              ``E theta_l theta_l'``; where there are many labels, what multiplies by it
    ``noise``       list of                 ``(rows (N, D, calls, d), rows', weights (N,))``: adds
                                            ``sum_k weights_k rows_k Sigma_k rows'_k'`` (symmetrised)
    ``points``                              the oracle calls of the round, in order
    ``n_calls``                             number of distinct noise indices
    ``central``                             the noisy calls of the server's own loss, in order
    =============== ======================= =======================================================================
    """

    maps: Array
    labels: tuple[int, ...]
    first: Array
    second: Array | LabelMoments
    noise: tuple[tuple[Array, Array, Array], ...]
    points: tuple[Point, ...]
    n_calls: int
    n_clients: int
    numbers: Numbers
    central: tuple[CentralPoint, ...] = ()

    def mean_map(self) -> tuple[Array, Array]:
        """``T, c`` with ``E s+ = T E s + c``."""
        mean = np.tensordot(self.first, self.maps, axes=(0, 0))
        return mean[:-1, : len(mean) - 1], mean[:-1, -1]

    def moved(self, reference: Array, origin: Array) -> RoundForm:
        """The same round for ``s - reference`` and points ``x - origin``: deviations keep their relative precision.

        The reference is subtracted from the rows of the constant label; but rows that are pure averages with
        coefficients that sum to one surely lose it from each client's part, so that no cancellation is left.
        """
        size = len(reference)
        maps = np.array(self.maps)
        maps[:, :, -1] = maps[:, :, -1] + maps[:, :, :size] @ reference
        averaged = self._average_labels()
        pure = np.zeros(size, dtype=bool)
        if averaged:
            pure = np.array([not np.any(row != 0) for row in self.maps[0, :size]])
        for place in range(len(self.labels)):
            rows = pure if place in averaged else ~pure if place == 0 else np.zeros(size, dtype=bool)
            maps[place, :size, -1] = np.where(rows, maps[place, :size, -1] - reference, maps[place, :size, -1])
        points = tuple(replace(point, state=_moved_columns(point.state, reference, origin)) for point in self.points)
        central = tuple(replace(point, state=_moved_columns(point.state, reference, origin)) for point in self.central)
        return replace(self, maps=maps, points=points, central=central)

    def _average_labels(self) -> list[int]:
        """Places of the labels ``a_k`` and ``b`` if ``sum a_k + b = 1`` surely, else nothing."""
        n = self.n_clients
        wanted = [place for place, label in enumerate(self.labels) if 1 <= label <= n + 1]
        total = self.first[wanted].sum()
        if isinstance(self.second, LabelMoments):
            chosen = self.numbers.array(np.isin(np.arange(len(self.labels)), wanted).astype(int))
            spread = self.second.times(chosen)[wanted].sum() - total * total
        else:
            spread = self.second[np.ix_(wanted, wanted)].sum() - total * total
        tolerance = 0 if self.numbers.exact else 1e-13
        return wanted if wanted and abs(total - 1) <= tolerance and abs(spread) <= tolerance else []

    def widened(self, moment: Array) -> Array:
        """``E z z'`` with room for the noise of the server's own loss, zero as yet."""
        size, width = len(moment) - 1, self.maps.shape[2]
        if width == len(moment):
            return moment
        wide = np.zeros((width, width), dtype=moment.dtype)
        wide[:size, :size], wide[:size, -1] = moment[:size, :size], moment[:size, -1]
        wide[-1, :size], wide[-1, -1] = moment[-1, :size], moment[-1, -1]
        return wide

    def central_moment(self, moment: Array, found: Array | None, call: CentralPoint) -> Array:
        """``E (y,1)(y,1)'`` at a call of the server's own loss, ``(d+1, d+1)``; ``found`` as for :meth:`noise_moment`."""
        d, width = call.state.shape
        extended = np.zeros((d + 1, width), dtype=call.state.dtype)
        extended[:d], extended[d, width - 1] = call.state, self.numbers.convert(1)
        result: Array = extended @ moment @ extended.T
        if call.shared is not None and found is not None:
            own = call.shared.transpose(1, 2, 0, 3)
            result[:d, :d] = result[:d, :d] + (own @ found[: len(own)] @ own.swapaxes(2, 3)).sum(axis=(0, 1))
        return result

    def advance(self, moment: Array, noise: Array | None) -> Array:
        """``E z+ z+'`` from ``E z z'``, :meth:`widened`; ``noise`` from :meth:`noise_moment`, or None without noise."""
        if self._label_rows is not None:
            result = self._label_rows.advance(moment)
        else:
            images = self.maps @ moment
            result = np.tensordot(images, self._weighted_maps, axes=([0, 2], [0, 2]))
        if noise is not None:
            result[:-1, :-1] = result[:-1, :-1] + noise
        return result if self.numbers.exact else (result + result.T) / 2

    @cached_property
    def _weighted_maps(self) -> Array:
        """``sum_l' E[theta_l theta_l'] P_l'``."""
        return weighted(self.second, self.maps)

    @cached_property
    def _label_rows(self) -> ClassRows | FloatRows | RationalRows | None:
        if isinstance(self.second, LabelMoments):
            return None
        found = class_rows(self.maps, self.labels, self.first, self.second, self.n_clients)
        return label_rows(self.maps, self.second) if found is None else found

    def noise_moment(self, covariances: Array) -> Array:
        """What the noise adds to ``E s+ s+'``; ``covariances`` is ``(calls, N, d, d)``."""
        size = self.maps.shape[1] - 1
        total = np.zeros((size, size), dtype=self.maps.dtype)
        spread = covariances.swapaxes(0, 1)
        for rows, others, weights in self.noise:
            left = rows.swapaxes(1, 2) @ spread * weights[:, None, None, None]
            part = np.tensordot(left, others.swapaxes(1, 2), axes=([0, 1, 3], [0, 1, 3]))
            total = total + (part if rows is others else part + part.T)
        return total

    def point_moments(self, moment: Array, call: Point) -> Array:
        """``E (x,1)(x,1)'`` of every client's point at one call, the noise left out, ``(N, d+1, d+1)``."""
        n, d, columns = call.state.shape
        extended = np.zeros((n, d + 1, columns), dtype=call.state.dtype)
        extended[:, :d] = call.state
        extended[:, d, columns - 1] = self.numbers.convert(1)
        result: Array = extended @ moment @ extended.swapaxes(1, 2)
        return result

    def point_noise(self, covariances: Array, call: Point) -> Array:
        """What the noise of earlier calls adds to ``E x x'`` of every client's point, ``(N, d, d)``."""
        n, d = call.state.shape[:2]
        total = np.zeros((n, d, d), dtype=call.state.dtype)
        own = sources(call)
        if own is None:
            return total
        if own.ndim == 4:
            pairs = own @ covariances[: own.shape[1]].swapaxes(0, 1) @ own.swapaxes(2, 3)
            return np.asarray(total + pairs.sum(axis=1))
        pairs = own @ covariances[: own.shape[1]] @ own.swapaxes(3, 4)
        return np.asarray(total + pairs.sum(axis=(1, 2)))


def weighted(second: Array | LabelMoments, maps: Array) -> Array:
    """``sum_l' E[theta_l theta_l'] P_l'``."""
    if isinstance(second, LabelMoments):
        return second.times(maps)
    if maps.dtype == object:
        return product(second, maps.reshape(len(maps), -1)).reshape(maps.shape)
    return np.asarray(np.tensordot(second, maps, axes=(1, 0)))


def sources(call: Point) -> Array | None:
    """The coefficients of the noise at a call: ``(N, calls, d, d)`` if each client knows its own noise only, else
    ``(N, calls, N, d, d)`` by client and source; None where there is none yet."""
    n, d, count, _ = call.own.shape
    own = call.own.swapaxes(1, 2)
    if call.shared is None:
        return own if count else None
    shared = np.broadcast_to(call.shared, (n, *call.shared.shape[1:])).transpose(0, 2, 3, 1, 4)
    joined = np.zeros((n, max(count, shared.shape[1]), n, d, d), dtype=call.own.dtype)
    joined[:, : shared.shape[1]] = shared
    everyone = np.arange(n)
    joined[everyone, :count, everyone] = joined[everyone, :count, everyone] + own
    return joined


def assemble(
    forms: list[Any], calls: list[Any], layout: Layout, scheme: SchemeMoments | None, numbers: Numbers, *, width: int
) -> RoundForm:
    """Stack the leaves of the state after a round into one labelled map."""
    n, d, size = layout.n_clients, layout.dimension, layout.size
    n_calls = 1 + max((call.noise for call in calls if call.noise is not None), default=-1)
    labels = [0]
    if any(getattr(form, "average", None) is not None for form in forms):
        labels += range(1, n + 1)
    if any(getattr(form, "absent", None) is not None for form in forms):
        labels.append(n + 1)
    if any(getattr(form, "members", None) is not None or getattr(form, "member", None) is not None for form in forms):
        labels += range(n + 2, 2 * n + 2)
    groups = label_groups(labels, forms, scheme, numbers, n, width)
    place, count = groups.place, len(groups.named)
    if count * width * width > MOST_ENTRIES:
        raise ValueError(f"state of D={size} entries with {count} random scalars: too large for exact moments")
    maps = np.zeros((count, size + 1, width), dtype=numbers.dtype)
    maps[0, size, -1] = numbers.convert(1)
    noise = _NoiseRows(n, d, size, n_calls, numbers)
    for form, server, rows in zip(forms, layout.server, layout.slices, strict=True):
        if server:
            _place_server(form, rows, maps, place, noise)
        else:
            _place_clients(form, rows, maps, place, noise)
    points = tuple(_point(call, width, n, d) for call in calls)
    return RoundForm(maps, groups.named, groups.first, groups.second, noise.terms(scheme), points, n_calls, n, numbers)


class _NoiseRows:
    """Coefficients of every client's noise in the new state, by the label they carry: ``(N, D, calls, d)`` each.

    ``average``: times ``a_k``; ``member``: times ``m_k``; ``sure``: no label.
    """

    def __init__(self, n: int, d: int, size: int, n_calls: int, numbers: Numbers) -> None:
        self.n, self.d, self.size, self.n_calls, self.numbers = n, d, size, n_calls, numbers
        self.rows: dict[str, Array] = {}

    def put(self, label: str, source: int | slice, rows: slice, columns: Array) -> None:
        """Add ``columns`` (``(rows, calls, d)``, or ``(N, rows, calls, d)`` for all sources)."""
        count = columns.shape[-2]
        if not count:
            return
        if label not in self.rows:
            self.rows[label] = np.zeros((self.n, self.size, self.n_calls, self.d), dtype=self.numbers.dtype)
        target = self.rows[label]
        target[source, rows, :count] = target[source, rows, :count] + columns

    def terms(self, scheme: SchemeMoments | None) -> tuple[tuple[Array, Array, Array], ...]:
        """The pairs of labels with their joint moments."""
        if scheme is None:
            one = self.numbers.array(np.ones(self.n, dtype=int))
            return tuple((rows, rows, one) for rows in self.rows.values())
        if "sure" in self.rows:
            raise ValueError("noise of every client in a round of a random cohort: not kept by this reading")
        a, m = np.arange(1, self.n + 1), np.arange(self.n + 2, 2 * self.n + 2)
        average, member = self.rows.get("average"), self.rows.get("member")
        found = []
        if average is not None:
            found.append((average, average, scheme.run_weights))
        if member is not None:
            found.append((member, member, scheme.second[m, m]))
        if average is not None and member is not None:
            found.append((average, member, scheme.second[a, m]))
        return tuple(found)


def _place_server(form: Any, rows: slice, maps: Array, place: dict[int, int], noise: _NoiseRows) -> None:
    n, d, width = noise.n, noise.d, maps.shape[2]
    maps[0, rows] = form.const
    if form.absent is not None:
        maps[place[n + 1], rows] = form.absent
    for part, first, label in ((form.average, 1, "average"), (form.members, n + 2, "member")):
        for k in range(n if part is not None else 0):
            maps[place[first + k], rows] = part[k, :, :width]
            noise.put(label, k, rows, part[k, :, width:].reshape(d, -1, d))
    if form.shared is not None:
        noise.put("sure", slice(None), rows, form.shared.reshape(d, -1, n, d).transpose(2, 0, 1, 3))


def _place_clients(form: Any, rows: slice, maps: Array, place: dict[int, int], noise: _NoiseRows) -> None:
    n, d, width = noise.n, noise.d, maps.shape[2]
    if not form.everyone:
        raise ValueError(COHORT_ONLY)
    for k in range(n):
        mine = slice(rows.start + k * d, rows.start + (k + 1) * d)
        maps[0, mine] = form.base[k, :, :width]
        noise.put("sure", k, mine, form.base[k, :, width:].reshape(d, -1, d))
        if form.member is not None:
            maps[place[n + 2 + k], mine] = form.member[k, :, :width]
            noise.put("member", k, mine, form.member[k, :, width:].reshape(d, -1, d))
        if form.shared is not None:
            shared = form.shared[k if len(form.shared) > 1 else 0]
            noise.put("sure", slice(None), mine, shared.reshape(d, -1, n, d).transpose(2, 0, 1, 3))


def _point(call: Any, width: int, n: int, d: int) -> Point:
    own = call.base[:, :, width:].reshape(n, d, -1, d)
    shared = None if call.shared is None else call.shared.reshape(len(call.shared), d, -1, n, d)
    return Point(call.base[:, :, :width], own, shared, call.noise, call.scale)


def _moved_columns(state: Array, reference: Array, origin: Array) -> Array:
    moved = np.array(state)
    moved[..., -1] = moved[..., -1] + state[..., : len(reference)] @ reference - origin
    return moved
