"""The word ``stability``: up to which step size the rounds of an algorithm are stable."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from fltheory.commands.parameters import unknown

#: Local steps are followed one by one, at each of the hundred step sizes or so that are tried: a minute or two for so many.
MOST_LOCAL_STEPS = 20_000
#: What an option of the readings is called here, where none of that name is.
_EXACTLY = "in Python, exact=True of fltheory.round_map and fltheory.stationary"


@click.command()
@click.argument("algorithm", metavar="ALGORITHM")
@click.option("--problem", metavar="NAME", help="A problem of the package: li_counterexample or li_tridiagonal.")
@click.option(
    "--with", "given", multiple=True, metavar="NAME=NUMBER", help="An argument of the problem, such as n_clients=5."
)
@click.option(
    "--clients",
    metavar="LIST",
    help="Parabolas on the line instead, CURVATURE:MINIMISER[:WEIGHT] between commas, such "
    "as 1:1:0.98,1:0:0.01,1:0:0.01.",
)
@click.option(
    "--local-steps", type=click.IntRange(min=1), default=1, show_default=True, help="Local steps per round, E."
)
@click.option("--step-size", required=True, metavar="NUMBER", help="Local step size, such as 0.25 or 1/4.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="FIELD=NUMBER",
    help="Another field of the algorithm, such as server_step_size=2.",
)
@click.option(
    "--participation",
    metavar="SCHEME",
    help="SchemeI, SchemeII, TransformedSchemeII, Original or NormalisedUniform; default everybody.",
)
@click.option("--cohort", type=click.IntRange(min=1), help="Clients per round, for a scheme.")
@click.option("--noise", metavar="NUMBER", help="Variance of additive noise of the gradients, per coordinate.")
@click.option("--upper", metavar="NUMBER", help="Look for the limits among step sizes up to this; default 4/L.")
def stability(algorithm: str, **options: Any) -> None:
    """Tell up to which step size the rounds of an algorithm are stable, in the mean and in mean square.

    For quadratic problems: both factors per round at the step size given, the stationary law if there is one, and both limits.

    Exit codes: 0 told, whatever the answer; 2 usage; 3 interrupted.
    """
    from fltheory.readings.command import describe_stability, make_problem, make_scheme
    from fltheory.worstcase import command

    if algorithm not in command.names():
        unknown("algorithm", algorithm, command.names())
    if options["local_steps"] > MOST_LOCAL_STEPS:
        raise click.UsageError(
            f"local_steps={options['local_steps']}: too large a request, they are followed one by one at about a hundred "
            f"step sizes; expected at most {MOST_LOCAL_STEPS}"
        )
    try:
        problem = make_problem(options["problem"], command.pairs(options["given"], "--with"), options["clients"])
        scheme = make_scheme(options["participation"], options["cohort"])

        def made(step_size: Any) -> Any:
            plain = command.make_algorithm(
                algorithm, options["local_steps"], str(step_size), options["settings"], None, False
            )
            return plain if scheme is None else replace(plain, participation=scheme)

        noise, upper = (None if options[name] is None else command.number(options[name]) for name in ("noise", "upper"))
        click.echo(describe_stability(problem, made, command.number(options["step_size"]), noise=noise, upper=upper))
    except (ValueError, TypeError) as error:
        raise click.UsageError(str(error).replace("exact=True", _EXACTLY)) from None
