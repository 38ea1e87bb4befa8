"""Kept certificates in the place of the solver: a check runs again on what was certified before, and nothing is solved.

Within :func:`replaying` a worst case is answered by the kept certificate of its own program: the whole statement (program,
classes, assumptions, measure) must be equal, and the verifier must accept it with the claim that the check makes today (one of
version 1 has none).  So whatever the check concludes rests on what
the kept certificates prove of the programs that the check builds today; a certificate of anything else is of no use.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from fltheory.worstcase import certificate, verifier
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.model import Model
from fltheory.worstcase.solver import Solution

_SIDES = ("upper", "lower")
#: What certificates of one program, classes, assumptions and measure may have unlike.
_UNLIKE = ("upper", "lower", "claim", "format", "method_length")
Answer = TypeVar("Answer")


class NotKept(ValueError):
    """No kept certificate is of the program that is asked for."""


class Shelf:
    """Kept certificates by their statements, and which of them were asked for."""

    def __init__(self, certificates: Iterable[Mapping[str, Any]]) -> None:
        self._kept = {_statement(data): dict(data) for data in certificates}
        self.unused = set(self._kept)

    def first(self, fits: Callable[[dict[str, Any]], Answer | None]) -> Answer:
        """What ``fits`` makes of the first kept certificate of which it makes anything.

        Raises
        ------
        NotKept : it makes nothing of any.
        """
        for key, data in self._kept.items():
            answer = fits(data)
            if answer is not None:
                self.unused.discard(key)
                return answer
        raise NotKept("no kept certificate is of the rounds that the check asks for")

    def answer(self, model: Model, quantities: Mapping[str, Fraction]) -> WorstCase:
        """The answer that the kept certificate of this model gives.

        Raises
        ------
        NotKept : there is none, or the verifier rejects it.
        """
        key = _statement(certificate.statement(model))
        if key not in self._kept:
            raise NotKept("no kept certificate is of the program that the check builds")
        self.unused.discard(key)
        kept = self._kept[key]
        data = certificate.statement(model) | {side: kept[side] for side in _SIDES if side in kept}
        try:
            proved: Mapping[str, Any] = verifier.verify(data)
        except verifier.Rejected as error:
            raise NotKept(f"the kept certificate does not verify: {error}") from None
        bound: Mapping[str, Fraction] = proved.get("upper", {})
        above = (
            sum((factor * quantities[name] for name, factor in bound.items()), Fraction(0))
            if "upper" in proved
            else None
        )
        below = proved["lower"][1] if "lower" in proved and dict(proved["lower"][0]) == dict(quantities) else None
        sides = [side for side in (above, below) if side is not None]
        status = {2: "certified", 0: "no certificate"}.get(len(sides), "upper only" if below is None else "lower only")
        value = float(sum(sides, Fraction(0)) / len(sides)) if above is not None else math.nan
        empty = np.empty(0)
        unsolved = Solution("kept", math.nan, {}, empty, empty, empty, math.nan, 0.0, empty)
        return WorstCase(
            value, above, below, bound, data, status, math.nan, "kept", math.nan, 0.0, model, unsolved, quantities
        )


def _statement(data: Mapping[str, Any]) -> str:
    """What a certificate is of, by registers, in one text; its claim follows from that and the registers of the models."""
    return json.dumps({name: part for name, part in data.items() if name not in _UNLIKE}, sort_keys=True)


_SHELF: ContextVar[Shelf | None] = ContextVar("shelf", default=None)


@contextmanager
def replaying(certificates: Iterable[Mapping[str, Any]]) -> Iterator[Shelf]:
    """Answer worst cases from these certificates only, within this block."""
    shelf = Shelf(certificates)
    token = _SHELF.set(shelf)
    try:
        yield shelf
    finally:
        _SHELF.reset(token)


def shelf() -> Shelf | None:
    """The kept certificates that answer now, if any do."""
    return _SHELF.get()
