"""Rows about data or runs that are not here: the form of the print can be checked, and the row says what would settle the rest."""

from fltheory.evidence.decide import read
from fltheory.evidence.model import Evidence, Outcome, Rung


def form_alone(wrong: str, method: str, examined: int, would_settle: str) -> Evidence:
    """Not checkable here where nothing is ``wrong`` with the form of the print, refuted otherwise."""
    if not wrong:
        return Evidence(Rung.READING, Outcome.NOT_CHECKABLE, method, examined, would_settle=would_settle)
    return read(not wrong, rung=Rung.READING, method=method, examined=examined, counterexample=wrong)
