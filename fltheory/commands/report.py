"""``fltheory report``: all claims as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("documents", nargs=-1, metavar="[DOCUMENT]...")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("report.html"),
    show_default=True,
    help="File to write.",
)
@click.option(
    "--path",
    "folder",
    type=click.Path(path_type=Path),
    help="The claims of your own folder instead, which are run. This executes its code.",
)
@click.option("--open", "opened", is_flag=True, help="Open the file in a browser.")
def report(documents: tuple[str, ...], output: Path, folder: Path | None, opened: bool) -> None:
    """Write what is true in the documents as one HTML file that needs no network.

    Without arguments all documents are in it.  It is made from the committed results; nothing is verified again.  Your own claims
    (--path) are run.
    """
    from fltheory.report import write_report

    try:
        size = write_report(output, documents, None if folder is None else _own(folder))
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{error.name} is missing: pip install 'fltheory[report]'") from None
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except OSError as error:
        raise click.UsageError(f"--output {output}: {error.strerror}") from None
    click.echo(f"{output}: {size / 1e6:.2f} MB")
    if opened:
        click.launch(str(output.resolve()))


def _own(folder: Path) -> dict[str, Any]:
    """The rows of a folder, run now; says first which files that executes."""
    from fltheory.evidence.own_rows import own_rows
    from fltheory.evidence.session import announce
    from fltheory.machine import one_blas_thread

    one_blas_thread()
    announce(folder, as_json=False)
    return own_rows(folder)
