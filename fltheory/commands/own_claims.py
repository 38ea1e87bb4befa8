"""The word ``claim``: claims of one's own, begun with a folder that runs as it is written."""

from __future__ import annotations

import shlex
from pathlib import Path

import click


@click.group(name="claim")
def claim() -> None:
    """Claims of your own: start a folder of them."""


@claim.command()
@click.argument("folder", metavar="NAME", type=click.Path(path_type=Path))
@click.option("--prefix", metavar="TEXT", help="What the ids begin with; default the first word of the name.")
def new(folder: Path, prefix: str | None) -> None:
    """Write a folder with one claim of each kind, each with a control: derived, certified, refuted, sampled, read."""
    from fltheory.evidence.new_claims import write_claims

    try:
        written = write_claims(folder, prefix)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except OSError as error:
        raise click.UsageError(f"{folder}: {error.strerror or error}") from None
    for path in written:
        click.echo(f"{folder / path.name}")
    click.echo(f"now: fltheory verify --path {shlex.quote(str(folder))}")
