"""The word ``best-step``: which step size has the least certified worst case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fltheory.commands.parameters import Seconds, telling
from fltheory.commands.question import algorithm_of, question_options, refused, words

#: Options of other questions: pieces of step sizes have no model with noise.
_NOT_ASKED = ("noise", "centre_noise")
#: Fields of algorithms that are no real numbers.
_NOT_REAL = ("local_steps", "participation", "option")


@click.command(name="best-step")
@click.argument("algorithm", metavar="ALGORITHM")
@question_options
@click.option("--field", default="step_size", show_default=True, help="The field of the algorithm that is sought.")
@click.option(
    "--gap",
    type=click.FloatRange(min=0, min_open=True),
    default=1e-3,
    show_default=True,
    help="Relative width of the enclosure at which the search ends.",
)
@click.option("--time-limit", type=Seconds(), help="Seconds for everything.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="File that the certificate goes to.")
@click.pass_context
def best_step(
    ctx: click.Context,
    /,
    algorithm: str,
    quantities: tuple[str, ...],
    field: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Find the step size with the least worst case, and certify that no other is much better.

    ALGORITHM is a name such as FedAvg, or FILE.py:Class for a dataclass of your own (the file is executed).  The answer
    holds an upper bound at the step size found, a lower bound at all others, and the intervals that the best step size
    must lie in; `fltheory check-certificate` verifies all of it in exact arithmetic.

    Exit codes: 0 both sides certified; 2 usage; 3 not certified (one side only, interrupted).
    """
    from fltheory.worstcase import best_command, command

    if output is not None:
        from fltheory.files import require_writable

        try:
            require_writable("--output", output)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    if field in _NOT_REAL:
        raise click.UsageError(f"--field {field}: the field must be a real number, such as step_size")
    if field == "step_size":
        if options["step_size"] is not None:
            raise click.UsageError("--step-size is what is sought; --field names another field")
        options["step_size"] = "1"
    elif not any(entry.partition("=")[0].strip() == field for entry in options["settings"]):
        options["settings"] = (*options["settings"], f"{field}=1")
    try:
        chosen = algorithm_of(algorithm, options)
        given = command.pairs(quantities, "--quantity")
        command.load_solver()
        click.echo("searching; Ctrl-C stops", err=True)
        asked = {"mu": options.pop("mu"), "smooth": options.pop("smooth"), "field": field}
        found = best_command.ask(chosen, quantities=given, progress=telling(), **asked, **options)
    except click.ClickException:
        raise
    except refused(algorithm) as error:
        raise click.UsageError(words(error)) from None
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        ctx.exit(command.NOT_CERTIFIED)
    click.echo(best_command.describe(found))
    if output is not None and found.certificate is not None:
        try:
            found.save(output)
        except OSError as error:
            raise click.UsageError(f"--output {output}: {error.strerror}") from None
        click.echo(f"written       {output}")
    ctx.exit(best_command.exit_code(found))


best_step.params = [param for param in best_step.params if param.name not in _NOT_ASKED]
