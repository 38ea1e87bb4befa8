"""``fed.centre``, the server's own loss, as every reading has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from fltheory.algorithms.vocabulary import Federation, Vector
from fltheory.kinds import Number
from fltheory.problems.base import CentredProblem
from fltheory.problems.checks import shown
from fltheory.problems.oracles import AnyOracle, Exact, check_oracle


class CentralLoss:
    """Asks a reading for the server's loss: ``answer`` maps payloads of server vectors to those of gradients, ``moved`` to those
    of proximal steps of a step size."""

    __slots__ = ("answer", "fed", "moved")

    def __init__(self, fed: Federation, answer: Callable[[Any], Any], moved: Callable[[Any, Number], Any]) -> None:
        self.fed = fed
        self.answer = answer
        self.moved = moved

    def gradient(self, y: Vector) -> Vector:
        """The gradient at a server vector.

        Raises
        ------
        TypeError : something else than a vector at the server.
        ValueError : a problem without a central loss.
        """
        return Vector(self.fed, self.answer(self._payload(y)))

    def prox(self, y: Vector, step_size: Number) -> Vector:
        """The proximal step ``y+ = y - step_size grad f_c(y+)`` from a server vector.

        Raises
        ------
        TypeError : something else than a vector at the server.
        ValueError : a problem without a central loss, a step size that is not positive, a loss that has no such step.
        """
        return Vector(self.fed, self.moved(self._payload(y), step_size))

    def _payload(self, y: Vector) -> Any:
        if not isinstance(y, Vector):
            raise TypeError(f"the server's own loss was asked at a {type(y).__name__}; expected a vector at the server")
        if y.fed is not self.fed:
            raise TypeError("the server's own loss was asked at a vector of another reading")
        return y.payload


def require_centre(problem: object) -> CentredProblem:
    """The problem, if it has a loss at the server (a method ``centre_gradient``).

    Raises
    ------
    ValueError : it has none.
    """
    if not hasattr(problem, "centre_gradient"):
        raise ValueError(
            f"problem={type(problem).__name__} has no central loss; expected a MixedProblem(clients, centre)"
        )
    return cast(CentredProblem, problem)


def check_centre_oracle(problem: Any, oracle: AnyOracle | None) -> AnyOracle:
    """The oracle of the server's own loss, exact where none is given.

    Raises
    ------
    ValueError : an oracle for a problem without a central loss, or one that does not fit that loss.
    """
    if oracle is None:
        return Exact()
    if not hasattr(problem, "centre_gradient"):
        raise ValueError(
            f"centre_oracle={shown(oracle)}: problem={type(problem).__name__} has no central loss; expected None, or a "
            "MixedProblem(clients, centre)"
        )
    try:
        check_oracle(problem.centre, oracle)
    except ValueError as error:
        raise ValueError(f"centre_oracle: {error}") from None
    return oracle
