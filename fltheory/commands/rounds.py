"""The word ``lyapunov``: a theorem for every number of rounds, searched and certified."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fltheory.commands.parameters import Rational
from fltheory.commands.question import algorithm_of, question_without, refused, words

#: Options of ``certify`` that a statement about all rounds has no use for.
_OF_ROUNDS = ("rounds", "measure", "start")


@click.command()
@click.argument("algorithm", metavar="ALGORITHM")
@question_without(*_OF_ROUNDS)
@click.option("--rho", type=Rational(), metavar="NUMBER", help="The rate; default the least one with a low floor.")
@click.option(
    "--terms",
    type=click.Choice(["distance", "state", "gradient"]),
    help="What V is made of; default the first of these that is as good as the next.",
)
@click.option(
    "--after", "rounds", type=click.IntRange(min=1), metavar="ROUNDS", help="Print the bound after so many rounds."
)
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="File that the certificate goes to.")
@click.pass_context
def lyapunov(
    ctx: click.Context,
    /,
    algorithm: str,
    quantities: tuple[str, ...],
    rounds: int | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Certify a theorem for every number of rounds: a function V of the state that shrinks in each of them.

    ALGORITHM is a name such as FedAvg or Scaffold, or FILE.py:Class for a dataclass of your own; the file is executed, so
    name none that you would not run.  The certificate proves V_1 <= rho V_0 + b zeta^2 + c sigma^2 after one round from an
    arbitrary state, V >= |w - w*|^2, and a bound of V at the start; `fltheory check-certificate` verifies it in exact
    arithmetic and prints the theorem.

    Exit codes: 0 certified; 2 usage; 3 nothing was certified, or interrupted.
    """
    from fltheory.worstcase import command, lyapunov_command

    if output is not None:
        from fltheory.files import require_writable

        try:
            require_writable("--output", output)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    try:
        chosen = algorithm_of(algorithm, options)
        given = command.pairs(quantities, "--quantity")
        lyapunov_command.load_solver()
        click.echo("searching; Ctrl-C stops", err=True)
        told = lyapunov_command.Told(lambda line: click.echo(line, err=True))
        mu, smooth = options.pop("mu"), options.pop("smooth")
        found = lyapunov_command.certify_rounds(chosen, mu, smooth, quantities=given, progress=told, **options)
    except click.ClickException:
        raise
    except refused(algorithm) as error:
        raise click.UsageError(words(error)) from None
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        ctx.exit(command.NOT_CERTIFIED)
    click.echo(lyapunov_command.describe(found, rounds))
    if output is not None and found.certificate is not None:
        try:
            found.save(output)
        except OSError as error:
            raise click.UsageError(f"--output {output}: {error.strerror}") from None
        click.echo(f"written       {output}")
    ctx.exit(lyapunov_command.exit_code(found))
