"""Words about certificates: ``certify`` makes one, ``check-certificate`` verifies it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fltheory.commands.parameters import Pair, Rational, Seconds, unknown


@click.command()
@click.argument("algorithm", metavar="ALGORITHM")
@click.option(
    "--local-steps", type=click.IntRange(min=1), default=1, show_default=True, help="Local steps per round, E."
)
@click.option(
    "--step-size", type=Rational(), required=True, metavar="NUMBER", help="Local step size, such as 0.25 or 1/4."
)
@click.option(
    "--set",
    "settings",
    type=Pair(),
    multiple=True,
    metavar="FIELD=NUMBER",
    help="Another field of the algorithm, such as server_step_size=2.",
)
@click.option(
    "--mu",
    type=Rational(),
    default="0",
    show_default=True,
    metavar="NUMBER",
    help="Least curvature of the clients' losses.",
)
@click.option(
    "--L", "smooth", type=Rational(), default="1", show_default=True, metavar="NUMBER", help="Their largest curvature."
)
@click.option(
    "--centre-L",
    "centre_smooth",
    type=Rational(),
    metavar="NUMBER",
    help="Largest curvature of the server's own loss, for methods that have one.",
)
@click.option(
    "--centre-mu", type=Rational(), default="0", show_default=True, metavar="NUMBER", help="Its least curvature."
)
@click.option("--rounds", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--measure", default="distance", show_default=True, help="distance, gap or gradient.")
@click.option(
    "--start", default="distance", show_default=True, help="What is bounded at the start: distance, gap or gradient."
)
@click.option(
    "--heterogeneity",
    default="gradients",
    show_default=True,
    help="gradients, gamma, bounded gradients, none, identical, dissimilarity:B, mixed dissimilarity:B, or unbounded; "
    "several between commas.",
)
@click.option(
    "--quantity",
    "quantities",
    type=Pair(),
    multiple=True,
    metavar="NAME=NUMBER",
    help="The value of a bounded quantity, such as heterogeneity=0.01; default 1 each.",
)
@click.option("--n-clients", type=click.IntRange(min=1), help="Number of clients, for noise and sampling.")
@click.option("--cohort", type=click.IntRange(min=1), help="Sample so many clients per round, equally likely.")
@click.option("--replacement", is_flag=True, help="Sample the cohort with replacement.")
@click.option("--noise", is_flag=True, help="Gradients with noise of any law (one round).")
@click.option("--centre-noise", is_flag=True, help="The same for the server's own gradient.")
@click.option("--time-limit", type=Seconds(), help="Seconds for everything.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="File that the certificate goes to.")
@click.pass_context
def certify(
    ctx: click.Context,
    /,
    algorithm: str,
    local_steps: int,
    step_size: str,
    settings: tuple[str, ...],
    cohort: int | None,
    replacement: bool,
    quantities: tuple[str, ...],
    output: Path | None,
    **options: Any,
) -> None:
    """Certify the worst case of an algorithm over a function class, for any number of clients.

    ALGORITHM is a name such as FedAvg or Scaffold.  The certificate proves a bound for every instance of the class and
    shows an instance that comes close to it; `fltheory check-certificate` verifies it in exact arithmetic.

    Exit codes: 0 both sides certified; 2 usage; 3 not certified (no certificate, one side only, unbounded, out of time,
    interrupted).  What was certified is written in any case.
    """
    from fltheory.worstcase import command

    if algorithm not in command.names():
        unknown("algorithm", algorithm, command.names())
    if replacement and cohort is None:
        raise click.UsageError("--replacement needs --cohort: it says how a cohort is sampled")
    if output is not None:
        from fltheory.files import require_writable

        try:
            require_writable("--output", output)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    try:
        chosen = command.make_algorithm(algorithm, local_steps, step_size, settings, cohort, replacement)
        given = command.pairs(quantities, "--quantity")
        command.load_solver()
        click.echo("solving; Ctrl-C stops", err=True)
        found = command.certify(chosen, options.pop("mu"), options.pop("smooth"), quantities=given, **options)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        ctx.exit(command.NOT_CERTIFIED)
    click.echo(command.describe(found))
    if output is not None and found.certificate is not None:
        from fltheory.worstcase.certificate import save

        try:
            save(found.certificate, output)
        except OSError as error:
            raise click.UsageError(f"--output {output}: {error.strerror}") from None
        click.echo(f"written       {output}")
    ctx.exit(command.exit_code(found))


@click.command(name="check-certificate")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("--explain", is_flag=True, help="Print the theorem of each certificate, register by register.")
@click.pass_context
def check_certificate(ctx: click.Context, files: tuple[Path, ...], explain: bool) -> None:
    """Verify certificates in exact rational arithmetic, with the standard library only.

    The verifier is a single file that also runs by itself: python -I -S fltheory/worstcase/verifier.py FILE.

    Exit codes: 0 all accepted; 1 one is rejected; 2 one cannot be read, or usage.
    """
    from fltheory.worstcase.command import check

    worst = 0
    for path in files:
        code, lines = check(path, explained=explain)
        click.echo("\n".join(lines))
        worst = max(worst, code)
    ctx.exit(worst)
