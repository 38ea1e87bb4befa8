"""Which claims are judged from a results file: read off the checks that name it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from fltheory.evidence.places import scripts_root

#: A definition: the file it stands in and its name there.
Place = tuple[Path, str]
#: What the ids of claims look like.
IDENT = re.compile(r"[A-Z]{2}-[A-Za-z0-9.\-/]+")


def claims_reading(result: str) -> tuple[str, ...]:
    """Ids of the claims whose checks name the results file ``result`` (without ``.npz``), by themselves or by what they call.

    A check names it in a text of its own or through constants and functions of the wings; what a check does with the file is
    not looked at.
    """
    found = {ident for place, idents in _claims().items() if result in _texts(place) for ident in idents}
    return tuple(sorted(found))


@cache
def _claims() -> dict[Place, tuple[str, ...]]:
    claims: dict[Place, tuple[str, ...]] = {}
    for path in sorted((scripts_root() / "verify").rglob("*.py")):
        for name, node in _definitions(path).items():
            ids = [i for call in ast.walk(node) if isinstance(call, ast.Call) for i in _ids(call)]
            if ids:
                claims[path, name] = tuple(ids)
    return claims


def _ids(call: ast.Call) -> Iterator[str]:
    """The id that a call makes a claim of; where it is put together, its first part, that of the printed statement."""
    first = call.args[0] if call.args else None
    if isinstance(first, ast.JoinedStr) and first.values:
        first = first.values[0]
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        begin = first.value.partition("[")[0]
        if IDENT.fullmatch(begin):
            yield begin


@cache
def _definitions(path: Path) -> dict[str, ast.AST]:
    """What a module binds at its top, functions, classes, constants, by name; other statements by their line."""
    found: dict[str, ast.AST] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            bound = [name for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
            found |= {name.id: node for name in bound}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            found[f"line {node.lineno}"] = node
    return found


@cache
def _imported(path: Path) -> dict[str, Place]:
    """Names that a module takes from files of the wings."""
    found: dict[str, Place] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("verify."):
            source = scripts_root().joinpath(*str(node.module).split(".")).with_suffix(".py")
            if source.is_file():
                found |= {each.asname or each.name: (source, each.name) for each in node.names}
    return found


@cache
def _texts(place: Place) -> frozenset[str]:
    """The texts that a definition uses, and what it calls."""
    seen: set[Place] = set()
    texts: set[str] = set()
    waiting = [place]
    while waiting:
        path, name = waiting.pop()
        node = _definitions(path).get(name)
        if (path, name) in seen or node is None:
            continue
        seen.add((path, name))
        for each in ast.walk(node):
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                texts.add(each.value)
            elif isinstance(each, ast.Name):
                waiting.append(_imported(path).get(each.id, (path, each.id)))
    return frozenset(texts)
