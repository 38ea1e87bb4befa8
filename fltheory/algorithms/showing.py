"""An algorithm of which a run records another vector of its state than the model: intervals, momentum, counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.vocabulary import Federation, Vector, check_algorithm, leaves
from fltheory.problems.checks import check_count, shown


@dataclass(frozen=True)
class Showing:
    """``algorithm`` itself, draw by draw; only what counts as its model is the server vector ``leaf`` of its state.

    ``leaf`` is a name, where the state is a NamedTuple, or a number.  ``fl.simulate(problem, Showing(algorithm, "averaged"),
    rounds=9, seed=s, keep_models=True, reference=False).models`` are the values of that vector in the run of ``algorithm`` with
    the same seed; ``objective`` is then taken there and means nothing.

    Raises
    ------
    ValueError : no algorithm, a number below 0; a leaf that the state has not (when it is read).
    """

    algorithm: Any
    leaf: str | int

    def __post_init__(self) -> None:
        check_algorithm("algorithm", self.algorithm)
        if not isinstance(self.leaf, str):
            check_count("leaf", self.leaf, least=0)

    @property
    def participation(self) -> Participation:
        """That of the algorithm."""
        found: Participation = getattr(self.algorithm, "participation", Full())
        return found

    def start(self, fed: Federation, w: Vector) -> Any:
        return self.algorithm.start(fed, w)

    def round(self, fed: Federation, state: Any) -> Any:
        return self.algorithm.round(fed, state)

    def model(self, fed: Federation, state: Any) -> Vector:
        """The vector that is shown."""
        named = getattr(state, "_fields", ())
        place = named.index(self.leaf) if self.leaf in named else self.leaf
        listed = leaves(state)
        found = listed[place] if isinstance(place, int) and place < len(listed) else None
        if not isinstance(found, Vector):
            raise ValueError(
                f"leaf={shown(self.leaf)} is no server vector of the state; expected one of {named or len(listed)}"
            )
        return found
