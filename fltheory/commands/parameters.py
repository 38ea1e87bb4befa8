"""What several words of the command line share: kinds of arguments, and how an unknown name is refused."""

from __future__ import annotations

from typing import Any

import click


class Seconds(click.ParamType):  # type: ignore[type-arg]
    """A positive number of seconds that a clock can wait for: no NaN, no infinity."""

    name = "seconds"
    #: The longest that a lock waits, on every system.
    most = 4_000_000.0

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            seconds = float(value)
        except ValueError:
            self.fail(f"{value!r} is no number; expected seconds > 0", param, ctx)
        if not 0 < seconds <= self.most:
            self.fail(f"{value} is not valid; expected 0 < seconds <= {self.most:.0f}", param, ctx)
        return seconds


class Rational(click.ParamType):  # type: ignore[type-arg]
    """A number such as 0.25 or 1/4, handed on as it was written: exact arithmetic reads it later."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from fltheory.problems.numbers import fraction_of_text

        try:
            fraction_of_text(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return str(value)


class Pair(Rational):
    """A name and a number, ``NAME=NUMBER``."""

    name = "pair"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name, sign, number = str(value).partition("=")
        if not name.strip() or not sign:
            self.fail(f"{value!r} is no pair; expected NAME=NUMBER", param, ctx)
        super().convert(number, param, ctx)
        return str(value)


def unknown(what: str, name: str, known: Any) -> None:
    """Refuse a name with the closest known ones (exit code 2)."""
    from fltheory.evidence.ids import closest

    near = ", ".join(closest(name, known))
    raise click.UsageError(f"no {what} {name!r}" + (f"; did you mean {near}?" if near else ""))


def function_of(text: str) -> Any:
    """What ``FILE.py:NAME`` names; the file is executed.  A name that is not there is refused (exit code 2)."""
    from pathlib import Path

    from fltheory.evidence.catalogue import load_module

    file, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier():
        raise click.UsageError(f"{text!r} names no function; expected FILE.py:NAME")
    if not Path(file).is_file():
        raise click.UsageError(f"{file!r} is no file; expected FILE.py:NAME")
    try:
        module = load_module(Path(file))
    except (Exception, SystemExit) as error:
        raise click.UsageError(f"{file}: {type(error).__name__}: {error}") from None
    if not hasattr(module, name):
        unknown(f"function in {file}", name, [key for key, entry in vars(module).items() if callable(entry)])
    return getattr(module, name)
