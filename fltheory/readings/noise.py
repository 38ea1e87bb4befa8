"""Conditional covariances of the oracles, as the exact readings need them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from fltheory.algorithms.vocabulary import leaves, with_leaves
from fltheory.kinds import Array, Number
from fltheory.problems.base import Problem
from fltheory.problems.blocks import blocks_of
from fltheory.problems.oracles import AnyOracle, Exact, check_oracle, is_noisy
from fltheory.problems.oracles.covariances import READER, covariances_by_points
from fltheory.problems.oracles.protocol import EXACT_NUMBERS, MOMENTS, Covariances
from fltheory.readings.centre import check_centre_oracle
from fltheory.readings.entry import Setup
from fltheory.readings.numbers import Numbers, convert_values
from fltheory.readings.tokens import CostFederation, Token


def covariances_of(oracle: AnyOracle, problem: Problem, numbers: Numbers, origin: Array) -> Covariances | None:
    """The covariances of an oracle for a dense quadratic problem in the type ``numbers``; None for exact gradients.

    Raises
    ------
    ValueError : an oracle that does not fit the problem, or whose covariances are not known or not followed.
    """
    check_oracle(problem, oracle)
    if not is_noisy(oracle):
        return None
    converted = convert_oracle(oracle, numbers)
    if MOMENTS.offered_by(converted):
        return MOMENTS.of(converted, READER).mean_covariances(problem, origin, numbers.convert)
    return covariances_by_points(converted, problem, origin)


@dataclass(frozen=True, eq=False)
class CentralNoise:
    """What the server sees of its own loss: the oracle, and its covariances (None for exact gradients)."""

    oracle: AnyOracle
    covariances: Covariances | None

    @classmethod
    def of(cls, entry: Setup, oracle: AnyOracle | None, origin: Array) -> CentralNoise:
        """For a dense quadratic problem; ``origin`` as for :func:`covariances_of`.

        Raises
        ------
        ValueError : an oracle for a problem without a central loss, or one that does not fit it; an algorithm whose
            ``start`` asks a noisy oracle.
        """
        checked = check_centre_oracle(entry.problem, oracle)
        if not is_noisy(checked):
            return cls(checked, None)
        require_quiet_central_start(entry, checked)
        return cls(checked, covariances_of(checked, entry.problem.centre, entry.numbers, origin))

    def at(self, point: Array) -> Array:
        """``E Cov(answer | y)``, ``(d, d)``, from ``E (y,1)(y,1)'``; not for exact gradients."""
        assert self.covariances is not None
        found: Array = self.covariances.at(point[None])[0]
        return found


#: Exact gradients of the server's loss.
QUIET = CentralNoise(Exact(), None)


def require_quiet_central_start(entry: Setup, oracle: AnyOracle) -> None:
    """Raise ``ValueError`` if ``start`` asks the server's noisy oracle: that noise is not kept between rounds."""
    asked = central_calls(entry, None)
    if asked and is_noisy(oracle):
        raise ValueError(
            f"start asks for {asked} gradients of the server's loss with {oracle!r}: exact moments need Exact() there"
        )


def central_calls(entry: Setup, round: int | None) -> int:
    """How often a round, or the start (None), asks for a gradient of the server's own loss."""
    return _followed(entry, round).central_gradients


def compressors(entry: Setup, round: int) -> tuple[Number, ...]:
    """The variances of the compressors that a round draws, in order."""
    return tuple(_followed(entry, round).compressors)


def _followed(entry: Setup, round: int | None) -> CostFederation:
    """A round, or the start (None), over tokens."""
    fed = CostFederation(entry.problem.n_clients, entry.participation, blocks=blocks_of(entry.problem))
    state = entry.algorithm.start(fed, fed.zero())
    if round is not None:
        state = with_leaves(state, [type(leaf)(fed, Token("state")) for leaf in leaves(state)])
        fed.begin(round)
        entry.algorithm.round(fed, state)
    return fed


def convert_oracle(oracle: AnyOracle, numbers: Numbers) -> AnyOracle:
    """The oracle's numbers in an exact type; in floats the oracle itself.

    Without a method ``to_exact(convert)`` the fields of a dataclass that are numbers are converted.
    """
    if not numbers.exact:
        return oracle
    if EXACT_NUMBERS.offered_by(oracle):
        return cast(AnyOracle, EXACT_NUMBERS.of(oracle, READER).to_exact(numbers.convert))
    return cast(AnyOracle, convert_values(oracle, numbers.convert))
