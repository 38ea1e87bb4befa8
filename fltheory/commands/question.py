"""Options that say which method and which question, for ``certify``, ``lyapunov``, ``check-certificate``; classes in files."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from fltheory.commands.parameters import Pair, Rational, unknown

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--local-steps",
        type=click.IntRange(min=1),
        show_default="1, or what a class of your own says",
        help="Local steps per round, E.",
    ),
    click.option("--step-size", type=Rational(), metavar="NUMBER", help="Local step size, such as 0.25 or 1/4."),
    click.option(
        "--set",
        "settings",
        type=Pair(),
        multiple=True,
        metavar="FIELD=NUMBER",
        help="Another field of the algorithm, such as server_step_size=2.",
    ),
    click.option(
        "--mu",
        type=Rational(),
        default="0",
        show_default=True,
        metavar="NUMBER",
        help="Least curvature of the clients' losses.",
    ),
    click.option(
        "--L",
        "smooth",
        type=Rational(),
        default="1",
        show_default=True,
        metavar="NUMBER",
        help="Their largest curvature.",
    ),
    click.option(
        "--centre-L",
        "centre_smooth",
        type=Rational(),
        metavar="NUMBER",
        help="Largest curvature of the server's own loss, for methods that have one.",
    ),
    click.option(
        "--centre-mu", type=Rational(), default="0", show_default=True, metavar="NUMBER", help="Its least curvature."
    ),
    click.option("--rounds", type=click.IntRange(min=1), default=1, show_default=True),
    click.option("--measure", default="distance", show_default=True, help="distance, gap or gradient."),
    click.option(
        "--start",
        default="distance",
        show_default=True,
        help="What is bounded at the start: distance, gap or gradient.",
    ),
    click.option(
        "--heterogeneity",
        default="gradients",
        show_default=True,
        help="gradients, gamma, bounded gradients, none, identical, dissimilarity:B, mixed dissimilarity:B, or "
        "unbounded; several between commas.",
    ),
    click.option(
        "--quantity",
        "quantities",
        type=Pair(),
        multiple=True,
        metavar="NAME=NUMBER",
        help="The value of a bounded quantity, such as heterogeneity=0.01; default 1 each.",
    ),
    click.option("--n-clients", type=click.IntRange(min=1), help="Number of clients, for noise and sampling."),
    click.option("--cohort", type=click.IntRange(min=1), help="Sample so many clients per round, equally likely."),
    click.option("--replacement", is_flag=True, help="Sample the cohort with replacement."),
    click.option("--noise", is_flag=True, help="Gradients with noise of any law (one round)."),
    click.option("--centre-noise", is_flag=True, help="The same for the server's own gradient."),
)
#: The options that make the algorithm; the others ask about it.
_FIELDS = ("local_steps", "step_size", "settings", "cohort", "replacement")


def question_options(command: Any) -> Any:
    """Give a command all options of a question."""
    return question_without()(command)


def question_without(*names: str) -> Callable[[Any], Any]:
    """Give a command the options of a question but those of these names."""

    def given(command: Any) -> Any:
        own = list(getattr(command, "__click_params__", ()))
        for option in reversed(_OPTIONS):
            command = option(command)
        command.__click_params__ = [p for p in command.__click_params__ if p in own or p.name not in names]
        return command

    return given


def named_on_the_line(ctx: click.Context, *besides: str) -> list[str]:
    """Options that were given and not left at their defaults, besides some."""
    given = click.core.ParameterSource.COMMANDLINE
    listed = [param for param in ctx.command.params if param.name is not None and param.name not in besides]
    return [param.opts[0] for param in listed if ctx.get_parameter_source(str(param.name)) is given]


def algorithm_of(text: str, options: dict[str, Any]) -> Any:
    """The algorithm that a name, or ``FILE.py:Class``, and its options make; they are taken out of ``options``.

    Raises
    ------
    click.UsageError : no such algorithm, or a file that cannot be used.
    ValueError : fields that the algorithm has not, or lacks.
    """
    from fltheory.worstcase import command

    chosen = {name: options.pop(name) for name in _FIELDS}
    if chosen["replacement"] and chosen["cohort"] is None:
        raise click.UsageError("--replacement needs --cohort: it says how a cohort is sampled")
    if is_file(text):
        return command.with_fields(class_of_file(text), **chosen)
    if text not in command.names():
        unknown("algorithm", text, command.names())
    return command.with_fields(command.names()[text], **chosen | {"local_steps": chosen["local_steps"] or 1})


def is_file(text: str) -> bool:
    """Whether an algorithm is named by a file."""
    return ":" in text or text.endswith(".py")


def class_of_file(text: str) -> type[Any]:
    """The class that ``FILE.py:Class`` names; the file is executed.

    Raises
    ------
    click.UsageError : no such file or class; a file that fails; what is no dataclass with a start and a round.
    """
    from fltheory.evidence.catalogue import load_module

    file, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier():
        raise click.UsageError(f"{text!r} names no class; expected FILE.py:Class")
    if not Path(file).is_file():
        raise click.UsageError(f"{file!r} is no file")
    try:
        module = load_module(Path(file))
    except (Exception, SystemExit) as error:
        raise click.UsageError(f"{file}: {type(error).__name__}: {error}") from None
    found = getattr(module, name, None)
    if not isinstance(found, type):
        unknown("class", name, [key for key, entry in vars(module).items() if isinstance(entry, type)], place=file)
    for word in ("start", "round"):
        if not callable(getattr(found, word, None)):
            raise click.UsageError(f"{text}: the class has no {word!r}; an algorithm has a start and a round")
    if not dataclasses.is_dataclass(found):
        raise click.UsageError(f"{text}: the class is no dataclass; write @dataclass(frozen=True) above it")
    return found  # type: ignore[return-value]


def refused(algorithm: str) -> tuple[type[BaseException], ...]:
    """What a question may raise that is the user's: anything, where the round is."""
    return (Exception, SystemExit) if is_file(algorithm) else (ValueError,)


def words(error: BaseException) -> str:
    """An error in words; one of a user's own round keeps its kind."""
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
