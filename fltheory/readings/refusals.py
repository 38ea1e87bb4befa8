"""What every reading refuses in the same words."""

from __future__ import annotations

from typing import Any, NoReturn

from fltheory.algorithms.participation import Participation
from fltheory.algorithms.vocabulary import Vector

COHORT_ONLY = "per-client state is known for the cohort only: use only_cohort(new, otherwise=old)"


def require_everyone(everyone: bool) -> None:
    """``population_average`` of a vector that only the cohort has."""
    if not everyone:
        raise ValueError("population_average needs a vector of every client; the cohort's is all there is")


def require_old_state(everyone: bool, scheme: Participation) -> None:
    """``only_cohort`` without a state for the others, or of clients that have two new states at once."""
    if scheme.separate_runs:
        raise ValueError("per-client state is undefined when one client runs twice in a round")
    if not everyone:
        raise ValueError("only_cohort: 'otherwise' must be defined for every client")


def require_no_absent(weighted: bool, scheme: Participation) -> None:
    """``average`` without a word about the absent, under a scheme that gives them weight."""
    if weighted:
        raise ValueError(f"{scheme!r} gives weight to absent clients: say average(x, absent=...) in the round")


def require_plain_absent(random: bool) -> None:
    """``average`` whose stand-in for the absent is random itself."""
    if random:
        raise ValueError("average(x, absent=w): w is itself a random average of this round")


def refuse_rule(reading: str) -> NoReturn:
    """``decide``, where values are not known or where a rule of them has no meaning."""
    raise ValueError(
        f"decide: a rule that looks at values is not linear, and {reading}; run it in floats, with simulate or trajectory"
    )


def require_known_blocks(due: Any, reading: str) -> None:
    """``layers`` with a decided vector, where values are not known or where a rule of them has no meaning."""
    if isinstance(due, Vector):
        raise ValueError(
            f"layers: which coordinates are due was decided from values, and {reading}; run it in floats, with simulate or "
            "trajectory, or give the blocks that are due"
        )


def refuse_resent() -> NoReturn:
    """A second average of one cohort within a round."""
    raise ValueError(
        "a random average is sent back within its round: a second average of the same cohort would multiply "
        "the scheme's random scalars; average once per round, or mix over the cohorts with enumerate_moments"
    )
