"""What algorithms with local steps share: their arguments, checked and turned into schedules, and the steps of a round."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

from fltheory.algorithms.participation import Participation, check_participation
from fltheory.algorithms.schedules import Schedule, as_schedule
from fltheory.algorithms.vocabulary import ClientVector, Federation, local_sgd
from fltheory.kinds import Number
from fltheory.problems.checks import check_count

#: A number of local steps, or a tuple of numbers, one for each client.
Steps: TypeAlias = Any


class Local(Protocol):
    """What an algorithm with local steps is made of; ``local_steps`` is a number, or where it says so a tuple, one per client."""

    @property
    def local_steps(self) -> Steps: ...
    @property
    def step_size(self) -> Any: ...
    @property
    def participation(self) -> Participation: ...


class Rates(Local, Protocol):
    """What an algorithm with rates on both sides is made of."""

    @property
    def server_step_size(self) -> Any: ...


def check_local(algorithm: Local, *, per_client: bool = False) -> None:
    """Check steps and participation and turn the step size into a schedule; for ``__post_init__`` of a frozen dataclass.

    With ``per_client`` the steps may be a sequence, one number for each client.

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive, a participation that is no scheme.
    """
    steps = algorithm.local_steps
    if per_client and isinstance(steps, (tuple, list)):
        if not steps:
            raise ValueError("local_steps=() names no client; expected one number of steps for each")
        object.__setattr__(algorithm, "local_steps", tuple(check_count("local_steps", count) for count in steps))
    else:
        object.__setattr__(algorithm, "local_steps", check_count("local_steps", steps))
    set_schedules(algorithm, "step_size")
    check_participation(algorithm.participation)


def check_rates(algorithm: Rates, *, per_client: bool = False) -> None:
    """:func:`check_local`, and the same of the server's step size."""
    check_local(algorithm, per_client=per_client)
    set_schedules(algorithm, "server_step_size")


def set_schedules(algorithm: object, *names: str) -> None:
    """Turn the named arguments, numbers or schedules, into schedules.

    Raises
    ------
    ValueError : one that is not positive, or is no number and no schedule.
    """
    for name in names:
        object.__setattr__(algorithm, name, as_schedule(getattr(algorithm, name), name=name))


def local_run(fed: Federation, x: ClientVector, algorithm: Local, *, shift: ClientVector | None = None) -> ClientVector:
    """Each client's vector after the algorithm's local steps of the round from ``x``; ``shift`` is added to every gradient."""
    schedule: Schedule = algorithm.step_size
    counts = algorithm.local_steps
    steps = max(counts) if isinstance(counts, tuple) else counts

    def rate(step: int) -> Number:
        return schedule.at(fed.round, step, steps)

    if isinstance(counts, tuple):
        return masked_sgd(fed, x, counts, rate, shift)
    return local_sgd(fed, x, steps, rate, shift=shift)


def masked_sgd(
    fed: Federation,
    x: ClientVector,
    counts: tuple[int, ...],
    step_size: Callable[[int], Number],
    shift: ClientVector | None = None,
) -> ClientVector:
    """As ``local_sgd``, client k making ``counts[k]`` steps: those after its last are multiplied by zero."""
    for step in range(max(counts)):
        direction = fed.gradient(x)
        if shift is not None:
            direction = direction + shift
        running = fed.per_client([int(step < count) for count in counts])
        x = x - (step_size(step) * direction) * running
    return x


def mean_steps(fed: Federation, counts: tuple[int, ...]) -> Number:
    """``sum_k p_k K_k``; a reading that knows no weights (costs) takes them as equal."""
    weights = getattr(fed, "weights", None)
    if weights is None:
        return Fraction(sum(counts), len(counts))
    found: Number = sum((p * count for p, count in zip(list(weights), counts, strict=True)), 0 * weights[0])
    return found
