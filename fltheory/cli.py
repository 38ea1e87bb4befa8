"""The command line.  Only click is imported here; each command imports what it needs when it is called."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from fltheory.machine import is_interrupt, one_blas_thread


class _Seconds(click.ParamType):  # type: ignore[type-arg]
    """A positive number of seconds that a clock can wait for: no NaN, no infinity."""

    name = "seconds"
    #: The longest that a lock waits, on every system.
    most = 4_000_000.0

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            seconds = float(value)
        except ValueError:
            self.fail(f"{value!r} is no number; expected seconds > 0", param, ctx)
        if not 0 < seconds <= self.most:
            self.fail(f"{value} is not valid; expected 0 < seconds <= {self.most:.0f}", param, ctx)
        return seconds


class _Rational(click.ParamType):  # type: ignore[type-arg]
    """A number such as 0.25 or 1/4, handed on as it was written: exact arithmetic reads it later."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from fltheory.problems.numbers import fraction_of_text

        try:
            fraction_of_text(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return str(value)


class _Pair(_Rational):
    """A name and a number, ``NAME=NUMBER``."""

    name = "pair"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name, sign, number = str(value).partition("=")
        if not name.strip() or not sign:
            self.fail(f"{value!r} is no pair; expected NAME=NUMBER", param, ctx)
        super().convert(number, param, ctx)
        return str(value)


class _Group(click.Group):
    """Commands in the order of definition, and a suggestion for a mistyped one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            unknown("command", args[0], self.commands)
        return super().resolve_command(ctx, args)


def unknown(what: str, name: str, known: Any) -> None:
    """Refuse a name with the closest known ones (exit code 2)."""
    from fltheory.evidence.ids import closest

    near = ", ".join(closest(name, known))
    raise click.UsageError(f"no {what} {name!r}" + (f"; did you mean {near}?" if near else ""))


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from fltheory import __version__

        click.echo(f"fltheory {__version__}")
        ctx.exit()


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print version.")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Theory of federated optimisation as programs: verify claims, look them up, draw figures."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False


@main.command()
@click.argument("targets", nargs=-1, metavar="[DOCUMENT|ID]...")
@click.option("--quick", is_flag=True, help="Only checks that take well under a second each.")
@click.option(
    "--check",
    is_flag=True,
    help="Compare with kept evidence, ledger and report; rerun what changed. Arrays of "
    "experiments that other code made are named, without a say in the exit code.",
)
@click.option("--write", is_flag=True, help="Merge the results into kept evidence, ledger and report.")
@click.option("--controls", is_flag=True, help="Print each control with its outcome and margin.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
@click.option("--path", "folder", type=click.Path(path_type=Path), help="Verify the claims of your own folder.")
@click.option("--jobs", type=click.IntRange(min=1), help="Worker processes; default one per core.")
@click.option(
    "--timeout", type=_Seconds(), default=900.0, show_default=True, help="Seconds for one claim with its controls."
)
@click.option("--lower", multiple=True, metavar="ID", help="With --write: accept a weaker rung for this row.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Machine-readable copy of the results; default results/last_run.json.",
)
@click.pass_context
def verify(ctx: click.Context, /, targets: tuple[str, ...], **options: Any) -> None:
    """Run claims with their controls and compare the verdicts with the ledger.

    Without arguments all claims are run.  A claim stands for its readings, parts and repairs as well.  Your own claims
    (--path) are shown as proofs only with a certificate that the package verifies, else as asserted.

    Exit codes: 0 as expected; 1 an unexpected verdict, a surviving control or a crash; 2 usage; 3 inconclusive (out of
    time, interrupted, nothing that can be checked here, or results that could not be written).
    """
    if options["check"] and options["write"]:
        raise click.UsageError("--check and --write exclude each other")
    if options["folder"] and (options["check"] or options["write"]):
        raise click.UsageError("--path is for your own claims; --check and --write are for those of this project")
    if options["lower"] and not options["write"]:
        raise click.UsageError("--lower needs --write")
    from fltheory.evidence.session import Session
    from fltheory.experiments.standings import report

    try:
        session = Session.open(targets, experiments=report, **options)
    except LookupError as error:
        raise click.UsageError(str(error.args[0])) from None
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    ctx.exit(session.run())


@main.command()
@click.argument("claim_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
@click.option(
    "--path", "folder", type=click.Path(path_type=Path), help="A claim of your own folder, as it is declared."
)
def show(claim_id: str, as_json: bool, folder: Path | None) -> None:
    """Print all that the ledger knows about a claim and its sub-rows."""
    from fltheory.evidence.catalogue import claims
    from fltheory.evidence.ledger import read_ledger
    from fltheory.evidence.show import describe_rows

    if folder is not None:
        own = {row["id"]: row for row in _declared(folder)}
        if claim_id not in own:
            unknown("claim", claim_id, own)
        click.echo(describe_rows([own[claim_id]], as_json=as_json))
        return
    try:
        entry = claims[claim_id]
    except KeyError:
        unknown("claim", claim_id, read_ledger())
        raise
    click.echo(describe_rows(entry.rows, as_json=as_json))


def _declared(folder: Path) -> list[dict[str, Any]]:
    from fltheory.evidence.catalogue import declared_rows

    try:
        return declared_rows(folder)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


@main.command(name="list")
@click.option("--document", help="Only this document.")
@click.option("--verdict", help="Only this verdict.")
@click.option("--kind", help="Only this kind of claim.")
@click.option("--path", "folder", type=click.Path(path_type=Path), help="The claims of your own folder instead.")
def list_claims(document: str | None, verdict: str | None, kind: str | None, folder: Path | None) -> None:
    """List the rows of the ledger: id, verdict, rung, summary."""
    from fltheory.evidence.ids import documents
    from fltheory.evidence.ledger import read_ledger
    from fltheory.evidence.model import Kind, Verdict

    rows = list(read_ledger().values()) if folder is None else _declared(folder)
    own = [] if folder is None else sorted({row["document"] for row in rows})
    choices = {
        "document": (document, own or list(documents())),
        "verdict": (verdict, [item.value for item in Verdict]),
        "kind": (kind, [item.value for item in Kind]),
    }
    for what, (wanted, known) in choices.items():
        if wanted is not None and wanted not in known:
            raise click.UsageError(f"no {what} {wanted!r}; one of: {', '.join(known)}")
    for row in rows:
        if all(wanted is None or row.get(what) == wanted for what, (wanted, _) in choices.items()):
            click.echo(f"{row['id']:<24} {row['verdict']:<32} {row['rung']:<10} {row['summary']}".rstrip())


@main.command()
@click.argument("name", metavar="NAME|all")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Folder of result files.")
@click.option("--output", type=click.Path(path_type=Path, file_okay=False), help="Folder the pictures go to.")
@click.pass_context
def figure(ctx: click.Context, name: str, data: Path | None, output: Path | None) -> None:
    """Draw a figure from result files (a script figures/NAME.py), or all of them."""
    from fltheory.experiments.scripts import FIGURES, run_figure

    ctx.exit(_run_scripts(FIGURES, name, lambda path: run_figure(path, output=output, data=data), output, "figures"))


@main.command()
@click.argument("name", metavar="NAME|all")
@click.option("--full", is_flag=True, help="The full form (hours) instead of the reduced one (minutes).")
@click.option("--results", type=click.Path(path_type=Path, file_okay=False), help="Folder the result files go to.")
@click.option(
    "--attest",
    is_flag=True,
    help="Add nothing: compute one replicate of each kept set again, drawn at random, "
    "and where all bits are equal note the key of today's code, as attested by that replicate.",
)
@click.pass_context
def experiment(ctx: click.Context, name: str, full: bool, results: Path | None, attest: bool) -> None:
    """Run an experiment (a script figures/experiments/NAME.py), or all of them, and write its result files.

    Replicates that a file holds are kept if they were made by the same code from the same data with the same settings; the
    rest is dropped and computed anew, and so is what has no replicates (seconds).

    Exit codes: 0 all done; 1 one failed; 2 usage; 3 interrupted.  What was finished is kept, and the same command goes on
    from there.
    """
    one_blas_thread()
    from fltheory.experiments.scripts import EXPERIMENTS, run_experiment

    ctx.exit(
        _run_scripts(
            EXPERIMENTS,
            name,
            lambda path: run_experiment(path, full=full, results=results, attest=attest),
            results,
        )
    )


@main.command()
@click.argument("document", metavar="DOCUMENT")
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), help="File to write; default standard output."
)
def latex(document: str, output: Path | None) -> None:
    """Export the bounds of a document as LaTeX, made from the expressions that are evaluated."""
    from fltheory.evidence.displays import to_latex

    try:
        text = to_latex(document)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if output is None:
        click.echo(text, nl=False)
        return
    from fltheory.files import written_whole

    try:
        with written_whole(output) as file:
            file.write(text)
    except OSError as error:
        raise click.UsageError(f"--output {output}: {error.strerror}") from None


@main.command()
@click.argument("algorithm", metavar="ALGORITHM")
@click.option(
    "--local-steps", type=click.IntRange(min=1), default=1, show_default=True, help="Local steps per round, E."
)
@click.option(
    "--step-size", type=_Rational(), required=True, metavar="NUMBER", help="Local step size, such as 0.25 or 1/4."
)
@click.option(
    "--set",
    "settings",
    type=_Pair(),
    multiple=True,
    metavar="FIELD=NUMBER",
    help="Another field of the algorithm, such as server_step_size=2.",
)
@click.option(
    "--mu",
    type=_Rational(),
    default="0",
    show_default=True,
    metavar="NUMBER",
    help="Least curvature of the clients' losses.",
)
@click.option(
    "--L", "smooth", type=_Rational(), default="1", show_default=True, metavar="NUMBER", help="Their largest curvature."
)
@click.option(
    "--centre-L",
    "centre_smooth",
    type=_Rational(),
    metavar="NUMBER",
    help="Largest curvature of the server's own loss, for methods that have one.",
)
@click.option(
    "--centre-mu", type=_Rational(), default="0", show_default=True, metavar="NUMBER", help="Its least curvature."
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
    type=_Pair(),
    multiple=True,
    metavar="NAME=NUMBER",
    help="The value of a bounded quantity, such as heterogeneity=0.01; default 1 each.",
)
@click.option("--n-clients", type=click.IntRange(min=1), help="Number of clients, for noise and sampling.")
@click.option("--cohort", type=click.IntRange(min=1), help="Sample so many clients per round, equally likely.")
@click.option("--replacement", is_flag=True, help="Sample the cohort with replacement.")
@click.option("--noise", is_flag=True, help="Gradients with noise of any law (one round).")
@click.option("--centre-noise", is_flag=True, help="The same for the server's own gradient.")
@click.option("--time-limit", type=_Seconds(), help="Seconds for everything.")
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


@main.command()
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

    Exit codes: 0 told, whatever the answer; 2 usage.
    """
    from fltheory.readings.command import describe_stability, make_problem, make_scheme
    from fltheory.worstcase import command

    if algorithm not in command.names():
        unknown("algorithm", algorithm, command.names())
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
        raise click.UsageError(str(error)) from None


@main.command(name="check-certificate")
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


def _run_scripts(folder: str, name: str, run: Any, target: Path | None, inside: str = "") -> int:
    """Run scripts by name, whose files go to ``target`` (default: ``inside`` of the results); the exit code."""
    from fltheory.evidence.places import writable_results
    from fltheory.evidence.rows import last_line
    from fltheory.experiments.scripts import named_scripts

    found = named_scripts(folder)
    if name != "all" and name not in found:
        unknown("script", name, found)
    failed, started = 0, time.time()
    for item in found if name == "all" else [name]:
        click.echo(f"{item} ...", err=True)
        try:
            run(found[item])
        except (KeyboardInterrupt, Exception) as error:
            if is_interrupt(error):
                click.echo(
                    f"interrupted, kept so far: {_written(target or writable_results() / inside, started)}", err=True
                )
                return 3
            failed += 1
            click.echo(f"{item} failed: {last_line(error)}", err=True)
    return 1 if failed else 0


def _written(folder: Path, since: float) -> str:
    """The names of the files below a folder that were written since then."""
    paths = folder.rglob("*") if folder.is_dir() else ()
    names = [
        path.name for path in paths if path.suffix != ".part" and path.is_file() and path.stat().st_mtime >= since - 1
    ]
    return ", ".join(sorted(names)) or "nothing"


if __name__ == "__main__":
    sys.exit(main())
