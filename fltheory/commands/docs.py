"""The word ``docs``: the pages of the repository as a site."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("site"),
    show_default=True,
    help="Folder of the site.",
)
@click.option("--open", "opened", is_flag=True, help="Open the site in a browser.")
def docs(output: Path, opened: bool) -> None:
    """Build the guides, the reference, the gallery, the course and all claims as a site that opens from disk.

    It is made in a checkout, as python -m mkdocs build does.
    """
    from fltheory.evidence.places import scripts_root

    settings = scripts_root() / "mkdocs.yml"
    if not settings.is_file():
        raise click.ClickException("the pages are not part of an installed package: build the site in a checkout")
    try:
        from mkdocs.commands.build import build
        from mkdocs.config import load_config
        from mkdocs.exceptions import MkDocsException
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{error.name} is missing: pip install 'fltheory[docs]'") from None
    try:
        build(load_config(str(settings), site_dir=str(output.resolve())))
    except MkDocsException as error:
        raise click.ClickException(str(error)) from None
    pages = sum(1 for _ in output.rglob("*.html"))
    click.echo(f"{output}: {pages} pages")
    if opened:
        click.launch(str((output / "index.html").resolve()))
