"""Derivations as scripts: each call is a line that the replayer checks when it is written."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable
from inspect import signature
from typing import Any

from fltheory.derivation.replay import Fact, Replay, verify
from fltheory.kinds import JSON

_LISTS = ("axes", "over", "over_next", "varies", "points", "unfold")


#: Facts of lines that were combined, by the digest of the derivation up to there: scripts of one document begin alike.
_COMBINED: dict[str, Fact] = {}
_MOST_COMBINED = 1 << 14
#: Derivations that were written last, with their states: who asks for one needs no second replay.
_RECENT: deque[tuple[dict[str, JSON], Replay]] = deque(maxlen=32)


def state_of(data: Any) -> Replay:
    """The state in which a derivation ends: known of one that was written just now, else replayed.

    Raises
    ------
    fltheory.derivation.replay.Underivable : a line does not follow.
    """
    known = next((state for written, state in _RECENT if written is data), None)
    return verify(data) if known is None else known


class Derivation:
    """A list of lines, from declared hypotheses to conclusions: ``d.combine("one step", "...", over="k xi", facts={...})``.

    The methods are the rules of :class:`fltheory.derivation.replay.Replay`, without their prefix ``line_``, with the same
    arguments; names of axes, points and vectors to unfold may be written as one text with spaces.

    Raises
    ------
    fltheory.derivation.replay.Underivable : a line does not follow.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self.lines: list[dict[str, JSON]] = []
        self.state = Replay()
        self._digest = ""

    def __getattr__(self, rule: str) -> Callable[..., None]:
        method = getattr(Replay, f"line_{rule}", None)
        if method is None or rule.startswith("_"):
            raise AttributeError(f"a derivation has no rule {rule!r}")
        names = list(signature(method).parameters)[2:]

        def write(name: str, *values: Any, latex: str = "", **fields: Any) -> None:
            given = {**dict(zip(names, values, strict=False)), **fields}
            line = {rule: name, **{key: _plain(key, item) for key, item in given.items()}}
            if latex:
                line["latex"] = latex
            self._replay(rule, name, line)
            self.lines.append(line)

        return write

    def _replay(self, rule: str, name: str, line: dict[str, JSON]) -> None:
        """Replay a line; one that was combined before, after the very same lines, gives the same fact again."""
        digest = hashlib.sha256(f"{self._digest} {line!r}".encode()).hexdigest()
        if digest in _COMBINED:
            self.state.fired, self.state.strict = set(), set()
            self.state.lines += 1
            self.state.facts[name] = _COMBINED[digest]
        else:
            self.state.line(line)
        if rule == "combine":
            if len(_COMBINED) >= _MOST_COMBINED:
                _COMBINED.clear()
            _COMBINED[digest] = self.state.facts[name]
        self._digest = digest

    def concluding(self, *names: str) -> dict[str, JSON]:
        """The derivation as data that :func:`fltheory.derivation.replay.verify` accepts."""
        for name in names:
            self.state.known(name)
        found: dict[str, JSON] = {
            "format": "fltheory derivation 1",
            "title": self.title,
            "lines": [_kept(line) for line in self.lines],
            "conclusions": list(names),
        }
        _RECENT.append((found, self.state))
        return found


def _plain(key: str, item: Any) -> JSON:
    if key in _LISTS and isinstance(item, str):
        return list(item.split())
    if isinstance(item, tuple | list):
        return [_plain("", one) for one in item]
    if isinstance(item, dict):
        return {name: _plain("", one) for name, one in item.items()}
    return item  # type: ignore[no-any-return]


def _kept(line: dict[str, JSON]) -> JSON:
    """``[rule, name, fields]``: what keeps a line may sort the names of an object."""
    (rule, name), *fields = line.items()
    return [rule, name, dict(fields)]
