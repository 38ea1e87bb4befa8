"""Words about claims: ``verify``, ``show``, ``list``, and ``latex`` about a document's bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fltheory.commands.parameters import Seconds, unknown
from fltheory.machine import one_blas_thread


@click.command()
@click.argument("targets", nargs=-1, metavar="[DOCUMENT|ID]...")
@click.option("--quick", is_flag=True, help="Only checks that take well under a second each.")
@click.option(
    "--check",
    is_flag=True,
    help="Compare every fact with kept evidence, ledger and report; rerun what changed, what is quick, and a tenth of the rest "
    "in turn. Arrays of experiments that other code made are named, without a say in the exit code.",
)
@click.option("--all", "everything", is_flag=True, help="With --check: rerun all rows.")
@click.option("--write", is_flag=True, help="Merge the results into kept evidence, ledger and report.")
@click.option("--controls", is_flag=True, help="Print each control with its outcome and margin.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
@click.option(
    "--path",
    "folder",
    type=click.Path(path_type=Path),
    help="Verify the claims of your own folder. This executes the folder's code.",
)
@click.option("--jobs", type=click.IntRange(min=1), help="Worker processes; default one per core.")
@click.option(
    "--timeout", type=Seconds(), default=900.0, show_default=True, help="Seconds for one claim with its controls."
)
@click.option(
    "--lower",
    multiple=True,
    metavar="ID",
    help="With --write: accept for this row a weaker rung, fewer controls, or a lost certificate.",
)
@click.option(
    "--retire",
    multiple=True,
    type=(str, str),
    metavar="ID REASON",
    help="With --write: remove the kept row of a claim that is gone, and keep the reason.",
)
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
    for name in ("lower", "retire"):
        if options[name] and not options["write"]:
            raise click.UsageError(f"--{name} needs --write")
    if options["everything"] and not options["check"]:
        raise click.UsageError("--all needs --check")
    one_blas_thread()  # before NumPy is loaded: workers are copies of this process
    from fltheory.evidence.session import Session
    from fltheory.experiments.standings import report

    try:
        session = Session.open(targets, experiments=report, **options)
    except LookupError as error:
        raise click.UsageError(str(error.args[0])) from None
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    try:
        code = session.run()
    except ValueError as error:
        click.secho(f"PROBLEM: {error}", fg="red")
        code = 1
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        click.secho(f"PROBLEM: results could not be written: {error.strerror or error}", fg="red", err=True)
        code = 3
    ctx.exit(code)


@click.command()
@click.argument("claim_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
@click.option(
    "--path",
    "folder",
    type=click.Path(path_type=Path),
    help="A claim of your own folder, run now if it is quick. This executes its code.",
)
def show(claim_id: str, as_json: bool, folder: Path | None) -> None:
    """Print all that the ledger knows about a claim and its sub-rows."""
    from fltheory.evidence.catalogue import claims
    from fltheory.evidence.ledger import read_ledger
    from fltheory.evidence.show import describe_rows

    if folder is not None:
        from fltheory.evidence.own_rows import own_row

        one_blas_thread()
        try:
            row = own_row(folder, claim_id)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        if row is None:
            unknown("claim", claim_id, {each["id"]: each for each in _declared(folder)})
            return
        click.echo(describe_rows([row], as_json=as_json))
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


@click.command(name="list")
@click.option("--document", help="Only this document.")
@click.option("--verdict", help="Only this verdict.")
@click.option("--kind", help="Only this kind of claim.")
@click.option(
    "--path",
    "folder",
    type=click.Path(path_type=Path),
    help="The claims of your own folder instead. This executes its code.",
)
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


@click.command()
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
