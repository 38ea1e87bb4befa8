"""The word ``plan``: step size, local steps and cohort for a problem or a class, and a budget."""

from __future__ import annotations

import re
from typing import Any

import click

from fltheory.commands.parameters import Pair, Rational, Seconds, function_of, unknown

_BUDGETS = ("rounds", "local_steps", "gradients", "bytes")
#: A budget that a message of the package asks for, without a number.
_OPEN = re.compile(rf"\b({'|'.join(_BUDGETS)})=(?![^\s,;])")


@click.command()
@click.argument("algorithm", metavar="ALGORITHM")
@click.option(
    "--problem",
    metavar="NAME",
    help="li_counterexample or li_tridiagonal, or FILE.py:NAME, a problem or what makes one.",
)
@click.option(
    "--with",
    "given",
    type=Pair(),
    multiple=True,
    metavar="NAME=NUMBER",
    help="An argument of the problem, as n_clients=5.",
)
@click.option(
    "--clients", metavar="LIST", help="Parabolas on the line instead, CURVATURE:MINIMISER[:WEIGHT] between commas."
)
@click.option("--mu", type=Rational(), metavar="NUMBER", help="Instead: any losses whose curvature is at least this")
@click.option("--smooth", type=Rational(), metavar="NUMBER", help="and at most this.")
@click.option("--rounds", type=click.IntRange(min=1), help="The budget: rounds of communication;")
@click.option("--local-steps", type=click.IntRange(min=1), help="or local steps of a client, one after another;")
@click.option("--gradients", type=click.FloatRange(min=0, min_open=True), help="or gradients of all clients together;")
@click.option("--bytes", type=click.FloatRange(min=0, min_open=True), help="or bytes over the network.")
@click.option("--try", "counts", metavar="LIST", help="Local steps per round that are tried, such as 1,5,10.")
@click.option(
    "--cohort", "cohorts", type=click.IntRange(min=1), multiple=True, help="Clients per round that are tried."
)
@click.option("--noise", type=Rational(), metavar="NUMBER", help="Variance of additive noise, per coordinate.")
@click.option("--batch", type=click.IntRange(min=1), help="Samples per gradient, on problems that have samples.")
@click.option(
    "--theorems/--no-theorems", default=True, help="Hold published rates against every choice.  [default: yes]"
)
@click.option("--time-limit", type=Seconds(), help="When the search ends.")
@click.option("--csv", "as_csv", is_flag=True, help="Print rows for a spreadsheet instead.")
def plan(algorithm: str, **options: Any) -> None:
    """Tell which step size, how many local steps and which cohort a budget is best spent on.

    ALGORITHM is FedAvg, Scaffold and so on.  Gaps are predicted by exact moments on quadratics, near the minimiser elsewhere,
    and by certified worst cases where only --mu and --smooth are given; published theorems that apply stand beside.

    Exit codes: 0 told; 2 usage; 3 interrupted.
    """
    from fltheory import algorithms
    from fltheory.worstcase import command

    if algorithm not in command.names():
        unknown("algorithm", algorithm, command.names())
    try:
        found = _asked(getattr(algorithms, algorithm), options)
    except (ValueError, TypeError) as error:
        raise click.UsageError(_OPEN.sub(lambda found: _option(found[1]), str(error))) from None
    click.echo(_csv(found.records()) if options["as_csv"] else str(found))


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _asked(method: type[Any], options: dict[str, Any]) -> Any:
    from fltheory.questions.plan import LOCAL_STEPS
    from fltheory.questions.plan import plan as asked

    budgets = {name: options[name] for name in _BUDGETS if options[name] is not None}
    grid = LOCAL_STEPS if options["counts"] is None else _counts(options["counts"])
    more: dict[str, Any] = {"local_steps_grid": grid, "theorems": options["theorems"]}
    if options["cohorts"]:
        more["cohorts"] = options["cohorts"]
    if options["time_limit"] is not None:
        more["time_limit"] = options["time_limit"]
    if len(budgets) != 1:
        said = ", ".join(f"{_option(name)} {amount:g}" for name, amount in budgets.items()) or "none"
        raise ValueError(f"budgets given: {said}; expected exactly one of {', '.join(map(_option, _BUDGETS))}")
    oracle = _oracle(options)
    if oracle is not None:
        more["oracle"] = oracle
    return asked(_problem(options), method, **budgets, **more)


def _problem(options: dict[str, Any]) -> Any:
    from fltheory.readings.command import make_problem
    from fltheory.worstcase import command
    from fltheory.worstcase.classes import SmoothStronglyConvex

    given = command.pairs(options["given"], "--with")
    ends = [options["mu"], options["smooth"]]
    if any(end is not None for end in ends):
        if options["problem"] is not None or options["clients"] is not None:
            raise ValueError(
                "--mu and --smooth stand for any losses; expected no --problem and no --clients beside them"
            )
        if None in ends:
            raise ValueError("expected both of --mu and --smooth")
        return SmoothStronglyConvex(mu=command.number(ends[0]), L=command.number(ends[1]))
    name = options["problem"]
    if name is None and options["clients"] is None:
        raise ValueError("expected one of --problem NAME, --clients LIST, and --mu NUMBER with --smooth NUMBER")
    if name is None or ":" not in name:
        return make_problem(name, given, options["clients"])
    if options["clients"] is not None:
        raise ValueError("expected one of --problem NAME and --clients LIST")
    made = function_of(name)
    return (
        made(**{key: int(v) if v.denominator == 1 else float(v) for key, v in given.items()})
        if callable(made)
        else made
    )


def _oracle(options: dict[str, Any]) -> Any:
    import numpy as np

    from fltheory.problems.oracles import AdditiveNoise, MiniBatch
    from fltheory.worstcase import command

    if options["noise"] is not None and options["batch"] is not None:
        raise ValueError("--noise and --batch exclude each other: gradients are noisy in one way")
    if options["batch"] is not None:
        return MiniBatch(options["batch"])
    return None if options["noise"] is None else AdditiveNoise(np.array(float(command.number(options["noise"]))))


def _counts(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"--try {text!r} is no list of counts; expected one such as 1,5,10") from None


def _csv(records: list[dict[str, Any]]) -> str:
    import csv
    import io

    page = io.StringIO()
    writer = csv.DictWriter(page, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return page.getvalue().rstrip("\n")
