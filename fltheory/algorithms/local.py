"""What algorithms with local steps share: their arguments, checked and turned into schedules, and the steps of a round."""

from __future__ import annotations

from typing import Any, Protocol

from fltheory.algorithms.participation import Participation, check_participation
from fltheory.algorithms.schedules import Schedule, as_schedule
from fltheory.algorithms.vocabulary import ClientVector, Federation, local_sgd
from fltheory.problems.checks import check_count


class Local(Protocol):
    """What an algorithm with local steps is made of."""

    @property
    def local_steps(self) -> int: ...
    @property
    def step_size(self) -> Any: ...
    @property
    def participation(self) -> Participation: ...


class Rates(Local, Protocol):
    """What an algorithm with rates on both sides is made of."""

    @property
    def server_step_size(self) -> Any: ...


def check_local(algorithm: Local) -> None:
    """Check steps and participation and turn the step size into a schedule; for ``__post_init__`` of a frozen dataclass.

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive, a participation that is no scheme.
    """
    object.__setattr__(algorithm, "local_steps", check_count("local_steps", algorithm.local_steps))
    set_schedules(algorithm, "step_size")
    check_participation(algorithm.participation)


def check_rates(algorithm: Rates) -> None:
    """:func:`check_local`, and the same of the server's step size."""
    check_local(algorithm)
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
    steps = algorithm.local_steps
    return local_sgd(fed, x, steps, lambda step: schedule.at(fed.round, step, steps), shift=shift)
