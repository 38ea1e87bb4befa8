"""What several words of the command line share: kinds of arguments, and how an unknown name is refused."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

#: Seconds between two lines of progress.
_PAUSE = 2.0


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


def unknown(what: str, name: str, known: Any, *, place: object = None) -> None:
    """Refuse a name, which ``place`` does not have, with the closest known ones (exit code 2)."""
    from fltheory.evidence.ids import closest

    near = ", ".join(closest(name, known))
    said = f"no {what} {name!r}" + (f" in {place}" if place is not None else "")
    raise click.UsageError(said + (f"; did you mean {near}?" if near else ""))


def folder_for_output(option: str, folder: Path | None) -> None:
    """Refuse a folder that no file can be written into (exit code 2); ``None`` is a default."""
    from fltheory.files import require_writable_folder

    if folder is None:
        return
    try:
        require_writable_folder(option, folder)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def telling() -> Callable[[str], None]:
    """Progress on the error stream, also where that is a file: a line every two seconds."""
    last = begin = time.monotonic()

    def tell(words: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _PAUSE:
            click.echo(f"{now - begin:4.0f} s  {words}", err=True)
            last = now

    return tell


def function_of(text: str) -> Any:
    """What ``FILE.py:NAME`` names; the file is executed.  A name that is not there is refused (exit code 2)."""
    from fltheory.evidence.catalogue import load_module

    file, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier():
        raise click.UsageError(f"{text!r} names no function; expected FILE.py:NAME")
    if not Path(file).is_file():
        raise click.UsageError(f"{file!r} is no file")
    try:
        module = load_module(Path(file))
    except (Exception, SystemExit) as error:
        raise click.UsageError(f"{file}: {type(error).__name__}: {error}") from None
    if not hasattr(module, name):
        unknown("function", name, [key for key, entry in vars(module).items() if callable(entry)], place=file)
    return getattr(module, name)
