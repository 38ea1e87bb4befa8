"""What mixed FL leaves open: the server's optimiser, clients with different numbers of steps, sum or mean of two updates.

Augenstein et al., "Mixed Federated Learning" (2022), Algorithm 1: ``ServerOpt``, ``K_i``, ``p_i``, ``MergeOpt``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Protocol

from fltheory.algorithms.local import masked_sgd, mean_steps
from fltheory.algorithms.participation import Full, Participation, check_participation
from fltheory.algorithms.step_weighted import StepWeighted
from fltheory.algorithms.vocabulary import ClientVector, Federation, Vector, local_sgd
from fltheory.kinds import Number
from fltheory.problems.checks import check_choice, check_count, check_number, is_real
from fltheory.problems.numbers import set_numbers

#: ``p_i`` counts examples, so for batches of one size ``p_i = K_i``; or the problem's own weights.
WEIGHTS = ("steps", "problem")
MERGES = ("sum", "average")


class Optimiser(Protocol):
    """What an algorithm may do with a change that plain SGD would make, before it multiplies it by a learning rate."""

    @property
    def vectors(self) -> int:
        """How many vectors it remembers."""
        ...

    def start(self, fed: Federation) -> tuple[Vector, ...]:
        """The memory before the first call, vectors at the server."""
        ...

    def moved(
        self, fed: Federation, change: Vector, memory: tuple[Vector, ...], step: int = 0, steps: int = 1
    ) -> tuple[Vector, tuple[Vector, ...]]:
        """The direction that is multiplied by the learning rate, and the new memory; call ``step`` of ``steps`` in a round."""
        ...


def check_decay(name: str, value: Any) -> None:
    """Raise ``ValueError`` unless a number is in [0, 1); elements of a field of functions pass."""
    check_number(name, value)
    if is_real(value) and not 0 <= value < 1:
        raise ValueError(f"{name}={value} is not in [0, 1)")


def check_optimiser(name: str, optimiser: Any) -> None:
    """Raise ``ValueError`` unless ``optimiser`` is one, an instance and not its class."""
    if isinstance(optimiser, type):
        raise ValueError(f"{name}={optimiser.__name__} is a class; expected an instance: {_EXAMPLES}")
    if not all(callable(getattr(optimiser, word, None)) for word in ("start", "moved")) or not hasattr(
        optimiser, "vectors"
    ):
        raise ValueError(f"{name}={optimiser!r} is no optimiser; expected {_EXAMPLES}")


_EXAMPLES = "GradientStep(), HeavyBall(0.9) or Adam()"


def started(fed: Federation, **optimisers: Optimiser) -> tuple[Vector, ...]:
    """The memories of optimisers before the first round, in order; an error names the optimiser by its argument."""
    found: list[Vector] = []
    for name, optimiser in optimisers.items():
        try:
            found += optimiser.start(fed)
        except ValueError as error:
            raise ValueError(f"{name}={optimiser!r}: {error}") from error
    return tuple(found)


def moved_by(
    fed: Federation,
    name: str,
    optimiser: Optimiser,
    change: Vector,
    memory: tuple[Vector, ...],
    step: int = 0,
    steps: int = 1,
) -> tuple[Vector, tuple[Vector, ...]]:
    """:meth:`Optimiser.moved`; an error names the optimiser by its argument."""
    try:
        return optimiser.moved(fed, change, memory, step, steps)
    except ValueError as error:
        raise ValueError(f"{name}={optimiser!r}: {error}") from error


class Remembering(tuple[Vector, ...]):
    """A server model (or the vectors of a state) and after it what optimisers remember, in order."""

    def __new__(cls, *vectors: Vector) -> Remembering:
        return super().__new__(cls, vectors)

    @property
    def model(self) -> Vector:
        """The first vector."""
        return self[0]


def remembering(model: Vector, memory: tuple[Vector, ...]) -> Vector | Remembering:
    """The state of a model and memories; a model without memories is a state by itself."""
    return Remembering(model, *memory) if memory else model


def remembered(state: Vector | Remembering) -> tuple[Vector, tuple[Vector, ...]]:
    """The model and the memories of a state."""
    return (state, ()) if isinstance(state, Vector) else (state[0], tuple(state[1:]))


@dataclass(frozen=True)
class GradientStep:
    """``w + eta_s Delta``: SGD on the server, without memory."""

    vectors: ClassVar[int] = 0

    def start(self, fed: Federation) -> tuple[Vector, ...]:
        """Nothing."""
        return ()

    def moved(
        self, fed: Federation, change: Vector, memory: tuple[Vector, ...], step: int = 0, steps: int = 1
    ) -> tuple[Vector, tuple[Vector, ...]]:
        """The change itself."""
        return change, ()


@dataclass(frozen=True)
class HeavyBall:
    """``m <- momentum m + Delta``, ``w + eta_s m``: server momentum, one vector of memory that starts at zero.

    Raises
    ------
    ValueError : a momentum outside [0, 1).
    """

    momentum: Any
    vectors: ClassVar[int] = 1

    def __post_init__(self) -> None:
        set_numbers(self, "momentum")
        check_decay("momentum", self.momentum)

    def start(self, fed: Federation) -> tuple[Vector, ...]:
        """Zero."""
        return (fed.zero(),)

    def moved(
        self, fed: Federation, change: Vector, memory: tuple[Vector, ...], step: int = 0, steps: int = 1
    ) -> tuple[Vector, tuple[Vector, ...]]:
        """``m`` twice."""
        fresh = self.momentum * memory[0] + change
        return fresh, (fresh,)


@dataclass(frozen=True)
class ClientSteps:
    """How many steps each client makes, and with which weights their updates are averaged.

    ``steps`` are the ``K_i`` (``None``: ``most`` for all).  Under ``weights="steps"`` the average is
    ``sum p_i K_i Delta_i / sum p_i K_i``, which for equal ``p_i`` is the paper's, for batches of one size.  Of a sampled
    cohort it is that of :class:`StepWeighted` with the scheme's coefficients, which takes the scheme's place; under
    ``weights="problem"`` it is the scheme's.
    """

    most: int
    steps: tuple[int, ...] | None
    weights: str

    @property
    def equal(self) -> bool:
        """Whether all clients make the same number of steps, so that there is nothing to weight."""
        return self.steps is None or set(self.steps) == {self.most}

    def scheme(self, participation: Participation, *, renewal: bool = False) -> Participation:
        """The participation scheme that averages as ``weights`` says; ``renewal`` where :meth:`gradient_mean` is used.

        Raises
        ------
        ValueError : counts that do not fit ``most``; a renewal from unequal counts of a cohort weighted in another way.
        """
        check_choice("client_weights", self.weights, WEIGHTS)
        check_participation(participation)
        base = participation.base if isinstance(participation, StepWeighted) else participation
        if self.steps is None:
            return base
        if not isinstance(self.steps, (tuple, list)):
            raise ValueError(f"client_steps={self.steps!r} is no sequence; expected one count per client")
        for count in self.steps:
            check_count("client_steps", count)
        if max(self.steps, default=0) != self.most:
            raise ValueError(f"client_steps={self.steps} has maximum {max(self.steps, default=0)}, not K={self.most}")
        if self.equal or isinstance(base, Full):
            return base
        if self.weights == "steps":
            return StepWeighted(base, self.steps)
        if renewal:
            raise ValueError(
                f"client_weights='problem' with client_steps={self.steps} under {base!r}: the renewal of gt_f divides by the "
                "cohort's own sum of K_i, a second set of random coefficients beside those of the average, and a round draws "
                "one; expected client_weights='steps', or participation=Full()"
            )
        return base

    def change(
        self,
        fed: Federation,
        begin: ClientVector,
        step_size: Callable[[int], Number],
        shift: ClientVector | None = None,
    ) -> ClientVector:
        """``Delta_i``: what the clients' own numbers of steps move; steps after the last are multiplied by zero."""
        weights = getattr(fed, "weights", None)
        if self.steps is not None and weights is not None and len(weights) != len(self.steps):
            raise ValueError(
                f"client_steps={self.steps} names {len(self.steps)} clients; the problem has {len(weights)}, expected one "
                "count for each"
            )
        if self.steps is None or self.equal:
            moved: ClientVector = local_sgd(fed, begin, self.most, step_size, shift=shift) - begin
            return moved
        masked: ClientVector = masked_sgd(fed, begin, tuple(self.steps), step_size, shift) - begin
        return masked

    def average(self, fed: Federation, change: ClientVector) -> Vector:
        """``Delta``, the weighted average of the clients' updates."""
        if self.steps is None or self.equal or self.weights == "problem" or not isinstance(fed.participation, Full):
            return fed.average(change, absent=fed.zero())
        weighted: Vector = fed.average(change * fed.per_client(self.steps)) / self._mean(fed)
        return weighted

    def gradient_mean(self, fed: Federation, change: ClientVector, average: Vector, step_size: Number) -> Vector:
        """``-sum_i p_i Delta_i / (eta sum_i p_i K_i)``, the mean of all directions applied (equation 10 for equal p_i).

        Coefficients of :class:`StepWeighted` are ``p_i K_i / sum_j p_j K_j``: with them it is the average of
        ``-Delta_i / (eta K_i)``.
        """
        if self.steps is None or self.equal:
            mean: Vector = -average / (self.most * step_size)
        elif isinstance(fed.participation, Full):
            mean = -fed.average(change) / (self._mean(fed) * step_size)
        else:
            inverse = fed.per_client([Fraction(1, count) for count in self.steps])
            mean = -fed.average(change * inverse, absent=fed.zero()) / step_size
        return mean

    def _mean(self, fed: Federation) -> Number:
        """``sum_i p_i K_i``."""
        assert self.steps is not None
        return mean_steps(fed, tuple(self.steps))


def merged(fed: Federation, merge: str, left: Vector, right: Vector) -> Vector:
    """The sum of both updates (Algorithm 1), or their average (which the text mentions)."""
    total: Vector = left + right
    return total if merge == "sum" else total / 2
