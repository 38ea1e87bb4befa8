"""The command line: its words stand in :mod:`fltheory.commands`.  Only click is imported before one is called."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from fltheory.commands.best_step import best_step
from fltheory.commands.certificates import certify, check_certificate
from fltheory.commands.claims import latex, list_claims, show, verify
from fltheory.commands.conform import conform
from fltheory.commands.course import course
from fltheory.commands.docs import docs
from fltheory.commands.mutation import mutate
from fltheory.commands.own_claims import claim
from fltheory.commands.parameters import unknown
from fltheory.commands.plan import plan
from fltheory.commands.report import report
from fltheory.commands.rounds import lyapunov
from fltheory.commands.scripts import experiment, figure
from fltheory.commands.stability import stability
from fltheory.commands.sweep import sweep
from fltheory.machine import is_interrupt

#: The exit code of every command that was interrupted or could not write its answer.
NO_ANSWER = 3


class Commands(click.Group):
    """Commands in the order of definition, and a suggestion for a mistyped one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            unknown("command", args[0], self.commands)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an interrupt, and executed code that ends the program, get a line and an exit code."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort, SystemError) as error:
            if not (isinstance(error, click.Abort) or is_interrupt(error)):
                raise
            click.echo("interrupted", err=True)
            ctx.exit(NO_ANSWER)
        except SystemExit as error:  # no command raises it: what it executed did
            click.echo(f"Error: the code that was executed called sys.exit({error.code!r})", err=True)
            ctx.exit(NO_ANSWER)

    def main(self, *args: Any, **more: Any) -> Any:
        """The whole program; a file or a stream that fails gets a line and an exit code."""
        try:
            return super().main(*args, **more)
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            click.echo(f"Error: {place}{error.strerror or error}", err=True)
            sys.exit(NO_ANSWER)
        finally:
            _forget_unwritten()


def _forget_unwritten() -> None:
    """Text that standard output cannot take is given up now: Python would try it again at its end, with a traceback."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        pass
    except OSError:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except (OSError, ValueError):
            pass


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from fltheory import __version__

        click.echo(f"fltheory {__version__}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print version.")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Theory of federated optimisation as programs: verify claims, look them up, draw figures.

    Each command lists its exit codes; 3 is that of any which is interrupted or cannot write its answer.
    """
    if os.environ.get("NO_COLOR"):
        ctx.color = False


_WORDS = (
    verify,
    mutate,
    show,
    list_claims,
    claim,
    report,
    figure,
    experiment,
    latex,
    certify,
    lyapunov,
    best_step,
    stability,
    sweep,
    check_certificate,
    conform,
    plan,
    docs,
    course,
)
for _word in _WORDS:
    main.add_command(_word)


if __name__ == "__main__":
    sys.exit(main())
