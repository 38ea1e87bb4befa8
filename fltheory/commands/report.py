"""``fltheory report``: all claims as one HTML file."""

from __future__ import annotations

from pathlib import Path

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
@click.option("--open", "opened", is_flag=True, help="Open the file in a browser.")
def report(documents: tuple[str, ...], output: Path, opened: bool) -> None:
    """Write what is true in the documents as one HTML file that needs no network.

    Without arguments all documents are in it.  It is made from the committed results; nothing is verified again.
    """
    from fltheory.report import write_report

    try:
        size = write_report(output, documents)
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{error.name} is missing: pip install 'fltheory[report]'") from None
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except OSError as error:
        raise click.UsageError(f"--output {output}: {error.strerror}") from None
    click.echo(f"{output}: {size / 1e6:.2f} MB")
    if opened:
        click.launch(str(output.resolve()))
