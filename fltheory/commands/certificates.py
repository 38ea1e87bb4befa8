"""Words about certificates: ``certify`` makes one, ``check-certificate`` verifies it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fltheory.commands.parameters import Seconds
from fltheory.commands.question import algorithm_of, named_on_the_line, question_options, refused, words


@click.command()
@click.argument("algorithm", metavar="ALGORITHM")
@question_options
@click.option("--time-limit", type=Seconds(), help="Seconds for everything.")
@click.option("--multipliers", is_flag=True, help="List the multipliers of the proof by name, rounded.")
@click.option("--sparse", is_flag=True, help="Look for a proof of few inequalities; its bound may be 1e-4 larger.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="File that the certificate goes to.")
@click.pass_context
def certify(
    ctx: click.Context,
    /,
    algorithm: str,
    quantities: tuple[str, ...],
    multipliers: bool,
    sparse: bool,
    output: Path | None,
    **options: Any,
) -> None:
    """Certify the worst case of an algorithm over a function class, for any number of clients.

    ALGORITHM is a name such as FedAvg or Scaffold, or FILE.py:Class for a dataclass of your own with a start and a
    round; the file is executed, so name none that you would not run.  The certificate proves a bound for every
    instance of the class and shows an instance that comes close to it; `fltheory check-certificate` verifies it in
    exact arithmetic.

    Exit codes: 0 both sides certified; 2 usage; 3 not certified (no certificate, one side only, unbounded, out of time,
    interrupted).  What was certified is written in any case.
    """
    from fltheory.worstcase import command

    if output is not None:
        from fltheory.files import require_writable

        try:
            require_writable("--output", output)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    try:
        chosen = algorithm_of(algorithm, options)
        given = command.pairs(quantities, "--quantity")
        command.load_solver()
        left = command.clock(options["time_limit"])
        click.echo("solving; Ctrl-C stops", err=True)
        found = command.certify(chosen, options.pop("mu"), options.pop("smooth"), quantities=given, **options)
    except click.ClickException:
        raise
    except refused(algorithm) as error:
        raise click.UsageError(words(error)) from None
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        ctx.exit(command.NOT_CERTIFIED)
    if sparse and found.upper is not None:
        try:
            found = found.sparse(time_limit=max(left(), 1e-3))
        except KeyboardInterrupt:
            click.echo("interrupted: the proof is left as it was", err=True)
    click.echo(command.describe(found))
    if sparse and found.upper is not None:
        click.echo(command.described_proof(found))
    if multipliers and found.upper is not None:
        click.echo("\n".join(command.listed_multipliers(found)))
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
@click.option("--explain", is_flag=True, help="List the inequalities that prove each theorem, by names.")
@click.option("--exact", is_flag=True, help="Write the rationals of a theorem in full.")
@click.option("--algorithm", metavar="NAME", help="Compare with this algorithm and the question of the options below.")
@click.option(
    "--file", "own", metavar="FILE.py:Class", help="The same for an algorithm of your own; executes the file."
)
@question_options
@click.pass_context
def check_certificate(
    ctx: click.Context,
    /,
    files: tuple[Path, ...],
    explain: bool,
    exact: bool,
    algorithm: str | None,
    own: str | None,
    **options: Any,
) -> None:
    """Verify certificates in exact rational arithmetic, with the standard library only.

    The verifier is a single file that also runs by itself: python -I -S fltheory/worstcase/verifier.py FILE.

    What is printed is the theorem in mathematics, what it assumes, and what the program does; the name of the
    algorithm is what the file says it is.  With --algorithm or
    --file, and the options that `fltheory certify` was given, all of these are built anew, and the answer says
    whether the certificate is about this method and this question: program, scheme, classes, assumptions with the
    names of their quantities, and measure must be the same.  A quantity is compared where it is named.

    Exit codes: 0 all accepted (and about the method, if one is named); 1 one is rejected, or not about the method;
    2 one cannot be read, or usage; 3 interrupted.
    """
    from fltheory.worstcase import command

    if algorithm is not None and own is not None:
        raise click.UsageError("--algorithm and --file: name one of them")
    method = algorithm or own
    if method is None and (given := named_on_the_line(ctx, "files", "explain", "exact", "algorithm", "own")):
        raise click.UsageError(f"{', '.join(given)} without --algorithm or --file: which method is meant?")
    if method is not None and (":" in method) != (own is not None):
        raise click.UsageError(f"--algorithm is a name, --file is FILE.py:Class; got {method!r}")
    model, quantities = None, {}
    if method is not None:
        try:
            quantities = command.pairs(options.pop("quantities"), "--quantity")
            chosen = algorithm_of(method, options)
            model = command.asked_model(chosen, quantities, options.pop("mu"), options.pop("smooth"), **options)
        except click.ClickException:
            raise
        except refused(method) as error:
            raise click.UsageError(words(error)) from None
    worst = 0
    for path in files:
        code, lines = command.check(path, explained=explain, exact=exact, model=model, quantities=quantities)
        click.echo("\n".join(lines))
        worst = max(worst, code)
    ctx.exit(worst)
