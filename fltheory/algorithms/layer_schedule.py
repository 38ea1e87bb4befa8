"""Which layer is due at which local step, as a value."""

from __future__ import annotations

from dataclasses import dataclass

from fltheory.problems.checks import check_count, check_sequence


@dataclass(frozen=True)
class LayerIntervals:
    """Layer ``l`` is averaged after every ``intervals[l]`` local steps of a round.

    ============= ======= =====================================================================================
    argument      paper   meaning
    ============= ======= =====================================================================================
    ``intervals`` tau_l   one count for each layer
    ``first``             the step after which all layers are due for the first time, counted from 1; default
                          None: after their own interval
    ============= ======= =====================================================================================

    Steps of a round are counted from 1, so that ``tau_l`` divides the numbers of the steps after which layer ``l`` is due.
    ``first=1`` is the printed index ``j mod tau_l = 0`` of a loop that counts its steps from ``j = 0`` and averages what the
    step has made.

    Raises
    ------
    ValueError : no interval, one below 1, ``first < 1``.
    """

    intervals: tuple[int, ...]
    first: int | None = None

    def __post_init__(self) -> None:
        listed = check_sequence("intervals", self.intervals, "one count for each layer")
        if not listed:
            raise ValueError("intervals is empty; expected one count for each layer")
        object.__setattr__(self, "intervals", tuple(check_count("intervals", one) for one in listed))
        if self.first is not None:
            check_count("first", self.first)

    def due(self, step: int) -> tuple[bool, ...]:
        """Which layers are due after ``step`` steps of the round."""
        return tuple(is_due(step, interval, self.first) for interval in self.intervals)

    def steps(self, local_steps: int) -> tuple[int, ...]:
        """After how many steps some layer is due, before the end of a round of ``local_steps`` steps."""
        return tuple(step for step in range(1, local_steps) if any(self.due(step)))

    def counts(self, local_steps: int) -> tuple[int, ...]:
        """How often each layer is averaged in a round of ``local_steps`` steps that ends with the whole model."""
        inside = [self.due(step) for step in self.steps(local_steps)]
        return tuple(1 + sum(due[layer] for due in inside) for layer in range(len(self.intervals)))


def is_due(step: int, interval: int, first: int | None = None) -> bool:
    """Whether a layer is due after ``step`` steps, counted from 1."""
    return step % interval == 0 if first is None else step >= first and (step - first) % interval == 0
