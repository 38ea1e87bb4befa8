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


class Commands(click.Group):
    """Commands in the order of definition, and a suggestion for a mistyped one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            unknown("command", args[0], self.commands)
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from fltheory import __version__

        click.echo(f"fltheory {__version__}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print version.")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Theory of federated optimisation as programs: verify claims, look them up, draw figures."""
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
