"""The affine reading: every vector of a round as ``P s + q + sum_j R_j xi_j`` with labelled random scalars.

``s`` is the enlarged state at the begin of the round (``D`` entries), ``xi_{k,j}`` the noise of client k's j-th call of
the oracle.  A vector is an array whose last axis has the columns ``[state (D) | 1 | xi_0 (d) | xi_1 (d) | ...]``.

* A client vector is one such array per client of the population, all of them written down; the noise columns are the
  client's own.  Client k's vector has a meaning only if k is in the cohort, except for per-client state, which is
  ``base + m_k * member`` with the membership ``m_k``.
* A server vector is ``const + sum_k a_k from_average_k + b absent + sum_k m_k from_members_k`` with the scheme's random
  scalars.  ``average`` attaches the labels ``a_k``; since ``a_k m_k = a_k``, everything stays of degree one.
* Sending a labelled vector back in the same round, so that a second average would multiply labels, is refused.
  Under full participation the labels are numbers and are folded; a server vector then carries the noise of all clients
  (``shared``: columns ``[xi_{0,j=0} .. xi_{N-1,0} | xi_{0,1} ...]``) and may be sent again.
* Noise of the server's own loss belongs to nobody: the round is read with the noises ``zeta_0, zeta_1, ...`` of its calls
  as further entries of the state, unknown at its begin (columns ``[state | zeta_0 | zeta_1 ... | 1 | xi_0 ...]``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fltheory.algorithms.participation import Full, Participation, SchemeMoments
from fltheory.algorithms.vocabulary import AnyVector, ClientVector, Federation, PerClient, Vector, leaves, with_leaves
from fltheory.kinds import Array, Number
from fltheory.problems.blocks import blocks_of
from fltheory.readings.affine_parts import Call, ClientForm, ServerForm, add_parts, map_parts, replace_rows, widen
from fltheory.readings.arrays import compressor_variance, per_client_numbers
from fltheory.readings.centre import CentralLoss, require_centre
from fltheory.readings.coordinates import coordinate_numbers, require_vector
from fltheory.readings.entry import Layout, Opening, Setup, dense
from fltheory.readings.forms import CentralPoint, RoundForm, assemble
from fltheory.readings.linear import product
from fltheory.readings.numbers import Numbers, accept
from fltheory.readings.proximal import ProximalSteps
from fltheory.readings.refusals import (
    refuse_resent,
    refuse_rule,
    require_everyone,
    require_known_blocks,
    require_no_absent,
    require_old_state,
    require_plain_absent,
)


class AffineFederation:
    """The vocabulary over affine forms.  ``problem`` must be dense and quadratic, in the type ``numbers``.

    ``size`` counts the columns of the state, ``central`` the noises of the server's own loss; ``plain_centre`` says
    whether their covariances do not depend on the points.
    """

    def __init__(
        self,
        problem: Any,
        participation: Participation,
        numbers: Numbers,
        size: int,
        scheme: SchemeMoments | None,
        *,
        noisy: bool,
        shareable: bool,
        central: int = 0,
        plain_centre: bool = True,
    ) -> None:
        self.problem = problem
        self.participation = participation
        self.numbers = numbers
        self.first_central = size
        self.size = size + central * int(problem.dimension)
        self.central = central
        self.plain_centre = plain_centre
        self.noisy = noisy
        self.shareable = shareable
        self.n_clients = int(problem.n_clients)
        self.dimension = int(problem.dimension)
        self.blocks = blocks_of(problem)
        self.weights = numbers.array(problem.weights)
        self.folded = isinstance(participation, Full)
        scale = participation.gradient_scale(list(self.weights))
        self._scale = None if scale is None else numbers.array(np.array(scale, dtype=numbers.dtype))
        self._proximal = ProximalSteps(problem, numbers, self._scale)
        self.absent_weight = 0 if scheme is None else scheme.second[self.n_clients + 1, self.n_clients + 1]
        self.begin(0)

    def begin(self, round: int) -> None:
        """Start reading a round."""
        self.round = round
        self.calls: list[Call] = []
        self.central_calls: list[CentralPoint] = []
        self._batches = 0
        self._used: set[int] = set()

    def send(self, w: Vector) -> ClientVector:
        form: ServerForm = w.payload
        if form.random:
            refuse_resent()
        base = np.broadcast_to(form.const, (self.n_clients, *form.const.shape))
        shared = None if form.shared is None else form.shared[None]
        return ClientVector(self, ClientForm(base, None, shared, self.folded))

    def batch(self) -> int:
        self._batches += 1
        return self._batches - 1

    def gradient(self, x: ClientVector, batch: Any = None) -> ClientVector:
        index = self.batch() if batch is None else batch
        if index in self._used and self.noisy and not self.shareable:
            raise ValueError(
                "two gradients on one mini-batch, or on one draw of noise that is not additive: their joint law is not kept "
                "here; use fresh draws"
            )
        self._used.add(index)
        points = self._at_cohort(x.payload)
        base, shared = product(self.problem.matrices, points.base, self.numbers), points.shared
        base[:, :, self.size] = base[:, :, self.size] - self.problem.vectors
        if shared is not None:
            shared = product(self.problem.matrices, shared, self.numbers)
        if self.noisy:
            base = widen(base, self._noise_columns(index + 1))
            unit = self.numbers.array(np.eye(self.dimension, dtype=int))
            place = self._noise_columns(index)
            base[:, :, place : place + self.dimension] = base[:, :, place : place + self.dimension] + unit
        if self._scale is not None:
            base = base * self._scale[:, None, None]
            shared = None if shared is None else shared * self._scale[:, None, None]
        self.calls.append(Call(points.base, points.shared, index if self.noisy else None, self._scale))
        return ClientVector(self, ClientForm(base, None, shared, self.folded))

    @property
    def centre(self) -> CentralLoss:
        """The server's own loss."""
        return CentralLoss(self, self._centre_gradient, self._centre_prox)

    def _centre_gradient(self, y: ServerForm) -> ServerForm:
        """``H y - b``: a fixed linear map of every part, labels included; and the noise of this call."""
        loss = require_centre(self.problem).centre
        images: ServerForm = map_parts(y, y, lambda a, _: None if a is None else loss.mean_matrix @ a)
        images.const[:, self.size] = images.const[:, self.size] - loss.mean_vector
        if self.central:
            if y.random and not self.plain_centre:
                raise ValueError(
                    "the server's own loss was asked at a random average of its round: its noise there depends on the "
                    "cohort; expected exact gradients or noise that does not depend on the point"
                )
            d, n = self.dimension, self.n_clients
            place = self.first_central + len(self.central_calls) * d
            unit = self.numbers.array(np.eye(d, dtype=int))
            images.const[:, place : place + d] = images.const[:, place : place + d] + unit
            shared = None if y.shared is None else y.shared.reshape(d, -1, n, d)
            self.central_calls.append(CentralPoint(y.const, shared, len(self.calls)))
        return images

    def _centre_prox(self, y: ServerForm, step_size: Number) -> ServerForm:
        """``M y + v``, as :meth:`_centre_gradient`; without noise."""
        matrix, vector = self._proximal.central_map(self._proximal.step_size(step_size))
        images: ServerForm = map_parts(y, y, lambda a, _: None if a is None else matrix @ a)
        images.const[:, self.size] = images.const[:, self.size] + vector
        return images

    def prox(self, x: ClientVector, step_size: Number) -> ClientVector:
        matrices, vectors = self._proximal.maps(self._proximal.step_size(step_size))
        points = self._at_cohort(x.payload)
        base, shared = matrices @ points.base, points.shared
        base[:, :, self.size] = base[:, :, self.size] + vectors
        return ClientVector(self, ClientForm(base, None, None if shared is None else matrices @ shared, self.folded))

    def compress(self, x: ClientVector, variance: Number) -> ClientVector:
        if compressor_variance(self.numbers, variance) == 0:
            return x
        raise ValueError(
            "compress: its noise is relative to what is sent, and the affine reading keeps the noise of oracles only; "
            "table_moments and enumerate_moments read the same text"
        )

    def average(self, x: ClientVector, absent: Vector | None = None) -> Vector:
        points = self._at_cohort(x.payload)
        if self.folded:
            return Vector(self, self._weighted(points.base, points.shared))
        gone = None
        if absent is None:
            require_no_absent(bool(self.absent_weight != 0), self.participation)
        else:
            require_plain_absent(absent.payload.random)
            gone = absent.payload.const
        zero = self.numbers.array(np.zeros((self.dimension, self.size + 1), dtype=int))
        return Vector(self, ServerForm(zero, points.base, gone))

    def population_average(self, x: ClientVector) -> Vector:
        form: ClientForm = x.payload
        require_everyone(form.everyone)
        total = self._weighted(form.base, form.shared)
        if form.member is None:
            return Vector(self, total)
        members = form.member * self.weights[:, None, None]
        return Vector(self, ServerForm(total.const, members=members, shared=total.shared))

    def layers(self, due: Any, x: ClientVector) -> ClientVector:
        require_known_blocks(due, "the affine reading knows linear rounds only")
        mask = self.blocks.coordinates(due)
        points = self._at_cohort(x.payload)
        if not mask.any():
            return ClientVector(self, points)
        if not self.folded:
            refuse_resent()
        averaged = self._weighted(points.base, points.shared)
        base = replace_rows(points.base, averaged.const, mask)
        assert base is not None
        shared = replace_rows(points.shared, averaged.shared, mask)
        return ClientVector(self, ClientForm(base, None, shared, True))

    def scale(self, numbers: Any, v: AnyVector) -> AnyVector:
        require_vector(v, self, "scale")
        factors = coordinate_numbers(numbers, self.numbers, self.blocks)[:, None]
        return type(v)(self, map_parts(v.payload, v.payload, lambda a, _: None if a is None else a * factors))

    def only_cohort(self, new: ClientVector, otherwise: ClientVector) -> ClientVector:
        if self.folded:
            return new
        require_old_state(otherwise.payload.everyone, self.participation)
        fresh, old = self._at_cohort(new.payload).base, otherwise.payload.base
        return ClientVector(self, ClientForm(old, add_parts(fresh, old, -1), None, True))

    def per_client(self, numbers: Any) -> PerClient:
        return per_client_numbers(numbers, self.numbers, self.n_clients)

    def decide(self, rule: Callable[..., Any], *vectors: AnyVector) -> AnyVector:
        refuse_rule("the affine reading knows linear rounds only")

    def zero(self) -> Vector:
        return Vector(self, ServerForm(self.numbers.array(np.zeros((self.dimension, self.size + 1), dtype=int))))

    def zero_clients(self) -> ClientVector:
        shape = (self.n_clients, self.dimension, self.size + 1)
        return ClientVector(self, ClientForm(self.numbers.array(np.zeros(shape, dtype=int)), None, None, True))

    def add(self, left: Any, right: Any, sign: int) -> Any:
        if isinstance(left, ServerForm):
            return map_parts(left, right, lambda a, b: add_parts(a, b, sign))
        if left.everyone != right.everyone:
            left, right = self._at_cohort(left), self._at_cohort(right)
        return map_parts(left, right, lambda a, b: add_parts(a, b, sign))

    def multiply(self, payload: Any, number: Number) -> Any:
        factor = accept(self.numbers, number)
        return map_parts(payload, payload, lambda a, _: a if a is None else a * factor)

    def scale_clients(self, payload: ClientForm, numbers: PerClient) -> ClientForm:
        factors = np.array(numbers.numbers, dtype=self.numbers.dtype)[:, None, None]
        scaled: ClientForm = map_parts(payload, payload, lambda a, _: a if a is None else a * factors)
        return scaled

    def reciprocal(self, number: Number) -> Any:
        return 1 / accept(self.numbers, number)

    def state(self, layout: Layout, template: Any) -> Any:
        """The unknown state at the begin of a round: each leaf picks its own columns."""
        columns = self.numbers.array(np.eye(self.size, self.size + 1, dtype=int))
        vectors: list[Any] = []
        for server, shape, part in zip(layout.server, layout.shapes, layout.slices, strict=True):
            rows = columns[part].reshape(*shape, self.size + 1)
            form = ServerForm(rows) if server else ClientForm(rows, None, None, True)
            vectors.append(Vector(self, form) if server else ClientVector(self, form))
        return with_leaves(template, vectors)

    def _noise_columns(self, index: int) -> int:
        return self.size + 1 + index * self.dimension

    def _at_cohort(self, form: ClientForm) -> ClientForm:
        """The vector of a client that takes part: its membership is one."""
        if self.folded or not form.everyone:
            return form
        base = form.base if form.member is None else add_parts(form.base, form.member, 1)
        return ClientForm(base, None, form.shared, False)

    def _weighted(self, base: Array, shared: Array | None) -> ServerForm:
        """``sum_k p_k x_k``; the clients' own noise becomes shared noise."""
        n, d = self.n_clients, self.dimension
        weighted = base * self.weights[:, None, None]
        const = weighted[:, :, : self.size + 1].sum(axis=0)
        own = weighted[:, :, self.size + 1 :]
        noise = own.reshape(n, d, -1, d).transpose(1, 2, 0, 3).reshape(d, -1) if own.shape[2] else None
        if shared is not None:
            spread = np.broadcast_to(shared, (n, *shared.shape[1:]))
            noise = add_parts(noise, (spread * self.weights[:, None, None]).sum(axis=0), 1)
        return ServerForm(const, shared=noise)


def read_round(
    entry: Setup,
    opening: Opening,
    round: int,
    scheme: SchemeMoments | None,
    *,
    noisy: bool = False,
    shareable: bool = True,
    central: int = 0,
    plain_centre: bool = True,
) -> RoundForm:
    """Read one round of an algorithm as an affine map with labels.

    ``scheme`` are the moments of the cohort's scalars, from :func:`label_moments`.  ``shareable`` says whether a named
    batch may be used twice: additive noise is then the same, a mini-batch at another point is not.  ``central`` counts
    the round's noisy gradients of the server's own loss, ``plain_centre`` says whether the covariances are fixed.
    """
    problem, size = dense(entry.problem), opening.layout.size
    fed = AffineFederation(
        problem,
        entry.participation,
        entry.numbers,
        size,
        scheme,
        noisy=noisy,
        shareable=shareable,
        central=central,
        plain_centre=plain_centre,
    )
    fed.begin(round)
    state = entry.algorithm.round(fed, fed.state(opening.layout, opening.template))
    forms = [leaf.payload for leaf in leaves(state)]
    made = assemble(forms, fed.calls, opening.layout, scheme, entry.numbers, width=fed.size + 1)
    return replace(made, central=tuple(fed.central_calls))


def label_moments(entry: Setup) -> SchemeMoments | None:
    """The exact moments of the scheme's random scalars; None under full participation, where they are numbers."""
    return None if isinstance(entry.participation, Full) else entry.participation.moments(entry.weights)


if TYPE_CHECKING:
    #: Held against the vocabulary by the type checker.
    _FEDERATION: type[Federation] = AffineFederation
