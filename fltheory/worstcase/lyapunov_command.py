"""What the command ``lyapunov`` does: words of the command line to a theorem for every number of rounds."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from typing import Any

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.worstcase import command, lyapunov_verifier
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.decimals import upward
from fltheory.worstcase.lyapunov_answer import LyapunovBound
from fltheory.worstcase.lyapunov_entry import lyapunov

#: Seconds before the search says where it is, and between two such lines.
PATIENCE = 2.0


class Told:
    """Says where a search is, once it has taken a while, and not too often."""

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self.say, self.clock = say, clock
        self.last = clock()

    def __call__(self, words: str) -> None:
        now = self.clock()
        if now - self.last >= PATIENCE:
            self.last = now
            self.say(words)


def load_solver() -> None:
    """Import all that a search needs: an interruption from then on meets the search, not a half-finished import."""
    command.load_solver()
    for module in ("scipy.sparse.linalg", "fltheory.worstcase.lyapunov_quest"):
        import_module(module)


def certify_rounds(
    algorithm: Algorithm,
    mu: str,
    smooth: str,
    heterogeneity: str,
    *,
    rho: str | None = None,
    centre_mu: str = "0",
    centre_smooth: str | None = None,
    **options: Any,
) -> LyapunovBound:
    """:func:`lyapunov` with its classes, heterogeneity and rate in words.

    Raises
    ------
    ValueError : what :func:`lyapunov` refuses; words that are no number.
    """
    centre = None if centre_smooth is None else FunctionClass(command.number(centre_mu), command.number(centre_smooth))
    rate = None if rho is None else command.number(rho)
    clients = FunctionClass(command.number(mu), command.number(smooth))
    return lyapunov(algorithm, clients, rho=rate, heterogeneity=command.kind(heterogeneity), centre=centre, **options)


def describe(found: LyapunovBound, rounds: int | None = None) -> str:
    """The theorem in the verifier's sentences, exact numbers, and what it says after so many rounds."""
    lines = [f"status        {found.status}"]
    if found.rho is not None:
        lines.append(f"rate          rho = {_short(found.rho)} (certified)")
    lines += [f"{'' if place else 'theorem':14}{line}" for place, line in enumerate(found.lines())]
    if rounds is not None and found.start is not None:
        terms = " + ".join(f"{upward(factor)} {name}" for name, factor in found.after(rounds).items() if factor)
        mean = "E " if found.words[0].startswith("E ") else ""
        lines.append(f"{rounds} rounds".ljust(13) + f" {mean}|w - w*|^2 <= {terms or '0'}")
    elif rounds is not None and found.rho is not None:
        lines.append(f"{rounds} rounds".ljust(13) + " no bound: nothing that is assumed bounds V at the start")
    return "\n".join(lines)


def _short(number: Fraction) -> str:
    """A rational, as a decimal where it is one, or a decimal above it where it is long."""
    text: str = lyapunov_verifier.exactly(number)  # type: ignore[no-untyped-call]
    return text if len(text) <= 30 else upward(number)


def exit_code(found: LyapunovBound) -> int:
    """0 if the theorem is certified, else 3."""
    return command.NOT_CERTIFIED if found.rho is None else command.CERTIFIED
