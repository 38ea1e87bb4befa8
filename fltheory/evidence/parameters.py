"""Arguments of checks: a check is run with values that its claim knows, and with no others.

A check asks ``relation == "="`` and takes everything else for the other case, so that a value with a slip would be judged as
that case.  What a claim knows stands in its declaration: the printed values, those of its controls, and the defaults.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

_NAMES = re.compile(r"[A-Za-z_]\w*")
_FORMULA = re.compile(r"[0-9*/+^(]")


def guarded(
    check: Callable[..., Any], owner: str, printed: Mapping[str, object], changes: Iterable[Mapping[str, object]]
) -> Callable[..., Any]:
    """The check, which raises ``ValueError`` for a name or a value that the claim does not know, naming it.

    A truth value must be one.  A text must be one of those known; where one of these is a number or a formula, another formula
    of the same names is known as well.

    Parameters
    ----------
    owner : id of the claim.
    printed, changes : the declared arguments, and what each control makes of them.
    """
    signature = inspect.signature(check)
    known: dict[str, list[object]] = {}
    defaults = {n: p.default for n, p in signature.parameters.items() if p.default is not inspect.Parameter.empty}
    for values in (printed, defaults, *changes):
        for name, value in values.items():
            known.setdefault(name, []).append(value)

    @functools.wraps(check)
    def run(*values: Any, **named: Any) -> Any:
        try:
            given = signature.bind(*values, **named)
        except TypeError as error:
            takes = ", ".join(signature.parameters)
            raise ValueError(f"{owner}: {error}; its check takes {takes}") from None
        for name, value in given.arguments.items():
            _require_known(owner, name, value, known.get(name, []))
        return check(*values, **named)

    return run


def _require_known(owner: str, name: str, value: object, known: list[object]) -> None:
    if known and all(isinstance(item, bool) for item in known) and not isinstance(value, bool):
        raise ValueError(f"{name}={value!r} of {owner} is no truth value")
    texts = [item for item in known if isinstance(item, str)]
    if not isinstance(value, str) or value in texts or len(texts) < len(known):
        return
    names = {word for text in texts for word in _NAMES.findall(text)}
    formula = any(_FORMULA.search(text) for text in texts) and names.issuperset(_NAMES.findall(value))
    if texts and not formula:
        raise ValueError(
            f"{name}={value!r} of {owner} is not known; expected one of {', '.join(map(repr, dict.fromkeys(texts)))}"
        )
