"""The word ``sweep``: a grid that a file declares is computed, shown, merged from shards."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import click

from fltheory.machine import is_interrupt, one_blas_thread

_FILE = click.Path(path_type=Path, dir_okay=False)
_FOLDER = click.Path(path_type=Path, file_okay=False)


class _Words(click.Group):
    """``sweep FILE`` means ``sweep run FILE``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Words, subcommand_metavar="[run] FILE [OPTIONS] | show FILE | merge FILE [FOLDERS]")
def sweep() -> None:
    """Compute a grid of problems, algorithms, parameters and seeds that FILE declares, and keep what is computed.

    FILE is Python that leaves `sweep = fl.Sweep(...)`; it is executed, so name none that you would not run.  Results go to the
    folder FILE.sweep beside it; what is there already is not computed again.
    """


def _store(file: Path, store: Path | None) -> Path:
    from fltheory.sweep.merging import default_store

    return default_store(file) if store is None else store


def _loaded(file: Path) -> Any:
    from fltheory.sweep.declared import load_sweep

    try:
        return load_sweep(file)
    except (ValueError, FileNotFoundError) as error:
        raise click.UsageError(str(error)) from None
    except (Exception, SystemExit) as error:  # of the file's own
        lines = [
            each.lineno for each in traceback.extract_tb(error.__traceback__) if Path(each.filename).name == file.name
        ]
        at = f", line {lines[-1]}" if lines else ""
        raise click.UsageError(f"{file.name}{at}: {type(error).__name__}: {error}") from None


def _part(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    if value is None:
        return None
    first, sign, second = value.partition("/")
    if not (sign and first.isdigit() and second.isdigit() and 1 <= int(first) <= int(second)):
        raise click.BadParameter(f"{value!r} is no shard; expected I/N with 1 <= I <= N, such as 2/8")
    return int(first), int(second)


@sweep.command()
@click.argument("file", type=_FILE)
@click.option("--store", type=_FOLDER, help="Folder of results; default FILE.sweep beside the file.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes of this machine.")
@click.option(
    "--shard", callback=_part, metavar="I/N", help="Compute the I-th of N parts, for `merge` to put together."
)
@click.option("--engine", type=click.Choice(["local", "dask"]), default="local", show_default=True)
@click.option("--address", metavar="ADDRESS", help="Scheduler of a running dask cluster, such as tcp://HOST:8786.")
@click.option("--retry", is_flag=True, help="Try again what failed.")
@click.option("--batch", type=click.IntRange(min=1), help="Configurations of a batch at most; changes no result.")
@click.option(
    "--compact/--no-compact", default=True, help="Put all records into one Parquet file in the end (default)."
)
@click.option("--progress/--quiet", default=None, help="A line every second; default on a terminal.")
@click.pass_context
def run(ctx: click.Context, /, file: Path, store: Path | None, **how: Any) -> None:
    """Compute what is missing (the default word).

    Exit codes: 0 all done; 1 some configurations failed; 2 usage; 3 interrupted.  What was done is kept, and the same command
    goes on from there.
    """
    one_blas_thread()
    declared = _loaded(file)
    folder = _store(file, store)
    try:
        result = declared.run(store=folder, **how)
    except (ValueError, ImportError, OSError) as error:
        raise click.UsageError(str(error)) from None
    except (KeyboardInterrupt, SystemError) as error:
        if not is_interrupt(error):
            raise
        click.echo("interrupted", err=True)
        ctx.exit(3)
    for note in result.notes:
        click.echo(note, err=True)
    failed = sum(len(each.seeds) for each in result.failures)
    click.echo(f"{len(result):,} configurations done, {failed:,} failed, {result.missing:,} missing: {folder.name}")
    for each in result.failures[:5]:
        click.echo(f"failed  {_at(each.coordinates)}: {each.reason}", err=True)
    ctx.exit(3 if result.interrupted else 1 if failed else 0)


@sweep.command()
@click.argument("file", type=_FILE)
@click.option("--store", type=_FOLDER, help="Folder of results; default FILE.sweep beside the file.")
@click.option("--failed", is_flag=True, help="The tracebacks of what failed instead.")
def show(file: Path, store: Path | None, failed: bool) -> None:
    """Print a line per configuration: the mean over its seeds at the last record, and its standard error."""
    from fltheory.sweep.run import kept_result
    from fltheory.sweep.table import lines

    try:
        result = kept_result(_loaded(file), _store(file, store))
    except (ValueError, ImportError, OSError) as error:
        raise click.UsageError(str(error)) from None
    for note in result.notes:
        click.echo(note, err=True)
    if failed:
        for each in result.failures:
            click.echo(f"{_at(each.coordinates)}, seeds {list(each.seeds)}\n{each.traceback}")
        return
    for line in lines(result):
        click.echo(line)


@sweep.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("folders", type=_FOLDER, nargs=-1)
@click.option("--store", type=_FOLDER, help="Folder of results; default FILE.sweep beside the file.")
@click.option(
    "--compact/--no-compact", default=True, help="Put all records into one Parquet file in the end (default)."
)
def merge(file: Path, folders: tuple[Path, ...], store: Path | None, compact: bool) -> None:
    """Put shards together: add what FOLDERS hold (default: those of the shards) to the store of FILE.  FILE is not executed."""
    from fltheory.sweep.merging import merge as put_together

    try:
        counts = put_together(_store(file, store), list(folders) or None, compact=compact)
    except (ValueError, ImportError, OSError) as error:
        raise click.UsageError(str(error)) from None
    click.echo(", ".join(f"{count:,} {name}" for name, count in counts.items()))


def _at(coordinates: Any) -> str:
    return ", ".join(f"{name}={value}" for name, value in coordinates.items())
