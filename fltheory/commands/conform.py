"""The word ``conform``: is the code in a file the published algorithm?"""

from __future__ import annotations

from typing import Any

import click

from fltheory.commands.parameters import function_of


@click.command()
@click.argument("code", metavar="FILE.py:NAME")
@click.option(
    "--algorithm", required=True, metavar="NAME", help="FedAvg, FedProx, Scaffold, FedAvgM, FedAdam, FedNova, ..."
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="YOURS=MEANING",
    help="What an argument of the function is, such as lam=prox.",
)
@click.option(
    "--value",
    "values",
    multiple=True,
    metavar="NAME=NUMBER",
    help="A parameter that is fixed inside the code, such as beta1=0.9.",
)
@click.option("--form", default="flat", show_default=True, help="Models as flat arrays, a list of layers, or a dict.")
@click.option("--option", "scaffold", type=click.Choice(["I", "II"]), help="The option of SCAFFOLD that is meant.")
@click.option("--local-steps", type=click.IntRange(min=1), help="The only number of local steps that the code makes.")
@click.option("--tolerance", type=float, help="Largest relative difference.  [default: 1e-9, 1e-5 in single precision]")
@click.option("--seconds", type=float, default=8.0, show_default=True, help="When the search for two deviations ends.")
@click.pass_context
def conform(ctx: click.Context, /, code: str, algorithm: str, **options: Any) -> None:
    """Tell whether code is a published algorithm; if not, where it first differs and which named deviation it is.

    FILE.py:NAME is a function run(grad, weights, start, rounds, cohorts, ...) that returns its models, or what
    fltheory.from_client_server makes.  The file is executed.

    Exit codes: 0 it is, conventions apart; 1 it is not; 2 usage; 3 interrupted.
    """
    from fltheory.conformance.entry import conform as asked

    function = function_of(code)
    try:
        numbers = {name: _number(value) for name, value in _pairs(options["values"], "--value").items()}
        report = asked(
            function,
            algorithm,
            names=_pairs(options["names"], "--name"),
            values=numbers,
            form=options["form"],
            option=options["scaffold"],
            local_steps=options["local_steps"],
            tolerance=options["tolerance"],
            seconds=options["seconds"],
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    click.echo(str(report))
    ctx.exit(report.exit_code)


def _pairs(texts: tuple[str, ...], option: str) -> dict[str, str]:
    """``NAME=VALUE`` entries by name."""
    found = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise click.UsageError(f"{option} {text!r} is no pair; expected NAME=VALUE")
        found[name.strip()] = value.strip()
    return found


def _number(text: str) -> float:
    from fltheory.problems.numbers import fraction_of_text

    return float(fraction_of_text(text))
