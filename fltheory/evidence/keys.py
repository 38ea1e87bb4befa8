"""Keys of kept evidence: a hash of everything in this project that a script's checks can execute.

The key of a script is the SHA-256 of its text and of the text of every module of the package that it reaches through
``import`` statements, wherever they stand (a function's lazy imports count), transitively; so with the modules of
``verify/`` that scripts share, and with the files of a user's folder (``from .symbols import kappa``).  Line ends are
normalised.
Not followed: what stands under ``if __name__ == "__main__"``, and the machinery that only runs checks.  A name imported
from a package with a lazy ``__getattr__`` may come from anywhere below it, so all its modules count; a plain
``import fltheory`` counts as the whole package.  Committed result files (``results/experiments``) whose names stand as
strings in the script, or in what it shares, are part of its key.

An experiment's key (:func:`experiment_key`) is made in the same way, without what stands beside its numbers
(:data:`BESIDE_NUMBERS`) and without result files.
"""

from __future__ import annotations

import ast
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fltheory.evidence.places import PACKAGE, WINGS, scripts_root, wing_module

#: Modules that run checks and write down what they found, without a say in what they find.
MACHINERY = frozenset(
    f"fltheory.{name}"
    for name in (
        "cli __main__ processes workers evidence.runner evidence.pool evidence.worker evidence.ledger evidence.edges "
        "evidence.sentences evidence.store evidence.merging evidence.journal evidence.compare evidence.checksums "
        "evidence.rotation evidence.replay evidence.check evidence.keys evidence.ids evidence.catalogue evidence.environment "
        "evidence.session evidence.show evidence.references evidence.places evidence.texts evidence.texts.words "
        "evidence.texts.markdown evidence.texts.places evidence.texts.blocks evidence.texts.pages "
        "evidence.texts.asserted evidence.texts.cards evidence.texts.findings evidence.texts.errata "
        "evidence.texts.sharpened evidence.texts.front evidence.texts.tables evidence.texts.files "
        "experiments.origins experiments.scripts experiments.standings "
        "commands commands.certificates commands.claims commands.parameters commands.question commands.scripts "
        "commands.stability"
    ).split()
)
#: What runs controls, derives verdicts and finds what a row says beside them: part of every key, though no script imports it.
JUDGES = ("fltheory.evidence.rows", "fltheory.evidence.reads", "fltheory.derivation.told")
#: Modules that draw, judge or store arrays of experiments and compute none of them: an edit there leaves arrays as they are.
#: A test runs the experiments in a small form and finds no function of these modules called, those that store excepted.
BESIDE_NUMBERS = frozenset(
    f"fltheory.{name}"
    for name in (
        "experiments experiments.audit_table experiments.files experiments.fitting experiments.means experiments.paired "
        "experiments.rates experiments.replicates experiments.spot experiments.statistics plotting plotting.draw "
        "plotting.palette plotting.style evidence.model evidence.terms"
    ).split()
)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").replace("\r\n", "\n").replace("\r", "\n")


@cache
def _file(module: str) -> Path | None:
    """The file of a module of the package or of a wing, ``None`` if there is no such module."""
    parts = module.split(".")
    if parts[0] not in (WINGS, PACKAGE.name):
        return None
    stem = scripts_root().joinpath(*parts) if parts[0] == WINGS else PACKAGE.joinpath(*parts[1:])
    for path in (stem / "__init__.py", stem.with_suffix(".py") if len(parts) > 1 else stem / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def _below(package: str) -> frozenset[str]:
    folder = PACKAGE.joinpath(*package.split(".")[1:])
    found = set()
    for path in folder.rglob("*.py"):
        inner = path.relative_to(PACKAGE)
        if inner.parts[0] != "_scripts":
            parts = inner.with_suffix("").parts
            found.add(".".join([PACKAGE.name, *(parts[:-1] if parts[-1] == "__init__" else parts)]))
    return frozenset(found)


def _is_main_guard(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.dump(node.test) and "__main__" in ast.dump(node.test)


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    for value in vars(node).values():
        if isinstance(value, ast.AST):
            yield value
        elif isinstance(value, list):
            yield from (item for item in value if isinstance(item, ast.AST))


@dataclass(frozen=True)
class _Source:
    """What a key asks of a file: its imports outside of main guards, and the texts that stand anywhere in it."""

    imports: tuple[ast.Import | ast.ImportFrom, ...]
    texts: frozenset[str]


@cache
def _source(path: Path) -> _Source:
    return _parsed(_text(path))


@cache
def _parsed(text: str) -> _Source:
    """It depends on nothing but the text: :func:`forget` leaves it."""
    imports, texts = [], set()
    todo: list[tuple[ast.AST, bool]] = [(ast.parse(text), True)]
    while todo:
        node, counts = todo.pop()
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                texts.add(node.value)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            if counts:
                imports.append(node)
        else:
            todo += [(child, counts and not _is_main_guard(child)) for child in _nodes(node)]
    return _Source(tuple(imports), frozenset(texts))


def _from_package(module: str, names: list[str]) -> set[str]:
    """Modules reached by ``from module import names``."""
    file = _file(module)
    if file is None:
        return (
            set(_below(module))
            if PACKAGE.joinpath(*module.split(".")[1:]).is_dir() and "*" in names
            else {f"{module}.{name}" for name in names if _file(f"{module}.{name}")}
        )
    if file.name != "__init__.py":
        return {module}
    reached: set[str] = set()
    for name in names:
        if _file(f"{module}.{name}") is not None:
            reached.add(f"{module}.{name}")
        else:
            lazy = "__getattr__" in _text(file)
            reached |= _below(module) if lazy or name == "*" else {module}
    return reached


def imports_of(path: Path, module: str = "") -> set[str]:
    """Modules of the package that a file imports; ``module`` is its own name, for relative imports."""
    reached: set[str] = set()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in _source(path).imports:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == PACKAGE.name:
                    reached |= _below(PACKAGE.name)
                elif alias.name.startswith(f"{WINGS}."):
                    reached.add(alias.name)
                elif alias.name.startswith(f"{PACKAGE.name}."):
                    reached |= {alias.name} | (_below(alias.name) if _is_package(alias.name) else set())
        else:
            source = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                source = ".".join([*above, *filter(None, [node.module])])
            if source.split(".")[0] in (PACKAGE.name, WINGS):
                reached |= _from_package(source, [alias.name for alias in node.names])
    return {name for name in reached if name not in MACHINERY and _file(name) is not None}


def _is_package(module: str) -> bool:
    file = _file(module)
    return file is None or file.name == "__init__.py"


@cache
def _imports_of_module(module: str) -> frozenset[str]:
    file = _file(module)
    return frozenset(imports_of(file, module)) if file is not None else frozenset()


@cache
def _beside(path: Path) -> frozenset[Path]:
    """Files that a user's script imports from its own folder, and these from it in turn."""
    found: set[Path] = set()
    todo = set() if wing_module(path) else {path.resolve()}
    while todo:
        file = todo.pop()
        for node in _source(file).imports:
            if isinstance(node, ast.ImportFrom) and node.level:
                stem = file.parents[node.level - 1].joinpath(*filter(None, (node.module or "").split(".")))
                places = [stem, *(stem / alias.name for alias in node.names)]
                named = {Path(f"{place}.py") for place in places} | {place / "__init__.py" for place in places}
                new = {each for each in named if each.is_file()} - found - {path.resolve()}
                found |= new
                todo |= new
    return frozenset(found)


def reached_by(path: Path, without: frozenset[str] = frozenset()) -> list[str]:
    """Names of all modules of the package that a script reaches, sorted; those of ``without`` do not count and lead nowhere."""
    return list(_reached(path, without))


@cache
def _reached(path: Path, without: frozenset[str]) -> tuple[str, ...]:
    found: set[str] = set()
    todo = imports_of(path, wing_module(path) or "").union(*(imports_of(file) for file in _beside(path)))
    while todo:
        module = todo.pop()
        if module not in found and module not in without:
            found.add(module)
            todo |= _imports_of_module(module) - found
    return tuple(sorted(found))


@cache
def _digest(path: Path) -> str:
    return hashlib.sha256(_text(path).encode()).hexdigest()


@cache
def _digest_of_data(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def key_of(path: Path) -> str:
    """The key of a script (cached for the life of the process; see :func:`forget`)."""
    total = _sources(path, sorted({*reached_by(path), *filter(_file, JUDGES)}))
    for data in data_of(path):
        total.update(f"{data.name}={_digest_of_data(data)}\n".encode())
    return str(total.hexdigest())


@cache
def experiment_key(path: Path) -> str:
    """The key of what an experiment's numbers are computed with: its script and the modules that it reaches."""
    return str(_sources(path, reached_by(path, BESIDE_NUMBERS)).hexdigest())


def _sources(path: Path, modules: list[str]) -> Any:
    total = hashlib.sha256(_digest(path).encode())
    for module in modules:
        file = _file(module)
        assert file is not None
        total.update(f"{module}={_digest(file)}\n".encode())
    beside = {os.path.relpath(file, path.resolve().parent): file for file in _beside(path)}
    for name, file in sorted(beside.items()):
        total.update(f"{Path(name).as_posix()}={_digest(file)}\n".encode())
    return total


def data_of(path: Path) -> list[Path]:
    """Committed experiment results that a script, or a module that it shares with others, names; sorted: part of its key."""
    shared = [_file(module) for module in reached_by(path) if module.startswith(f"{WINGS}.")] + [*_beside(path)]
    files = [file for file in (path, *shared) if file is not None]
    return [data for data in _all_data() if any(data.stem in _source(file).texts for file in files)]


@cache
def _all_data() -> tuple[Path, ...]:
    return tuple(sorted((scripts_root() / "results" / "experiments").glob("*.npz")))


def forget() -> None:
    """Drop cached hashes, after source files changed."""
    every = (_file, _below, _source, _imports_of_module, _beside, _reached, _digest, _digest_of_data, _all_data)
    for cached in (*every, key_of, experiment_key):
        cached.cache_clear()
