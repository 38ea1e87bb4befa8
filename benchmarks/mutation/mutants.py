"""All mutants of a file, each with a name that does not change when other lines do, and the draw of some of them by a seed."""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.mutation.operators import Edit, Text, calculated, called, compared, counted, reasoned, removed, returned
from benchmarks.mutation.places import GROUPS, ROOT, group_of, sources

#: Calls whose arguments are types.
TYPE_MAKERS = {"TypeVar", "ParamSpec", "NewType", "cast"}


@dataclass(frozen=True)
class Mutant:
    """One edit: ``before`` and ``after`` are the lines it touches, without their margins; ``place`` counts equal edits."""

    path: str
    function: str
    operator: str
    line: int
    before: str
    after: str
    place: int
    edit: Edit

    @property
    def name(self) -> str:
        """A digest of what is changed and how, without line numbers."""
        parts = (self.path, self.function, self.operator, self.before, self.after, str(self.place))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

    @property
    def group(self) -> str:
        """The group that counts it."""
        return group_of(self.path)

    def applied(self, source: bytes) -> bytes:
        """The file with the edit."""
        start, end, text = self.edit
        return source[:start] + text.encode() + source[end:]


def mutants_of(path: str, source: bytes) -> list[Mutant]:
    """All mutants of a file, in the order of its lines."""
    text, found, seen = Text(source), [], Counter[tuple[str, ...]]()
    for function, line, operator, edit in _Walk(text).of(ast.parse(source)):
        before, after = _lines(source, edit)
        if before == after:
            continue
        same = (function, operator, before, after)
        found.append(Mutant(path, function, operator, line, before, after, seen[same], edit))
        seen[same] += 1
    return found


def _lines(source: bytes, edit: Edit) -> tuple[str, str]:
    start, end, text = edit
    first = source.rfind(b"\n", 0, start) + 1
    last = source.find(b"\n", end)
    last = len(source) if last < 0 else last
    before, after = source[first:last], source[first:start] + text.encode() + source[end:last]
    return " ".join(before.decode().split()), " ".join(after.decode().split())


class _Walk:
    """Goes through a tree and leaves out what is no behaviour."""

    def __init__(self, text: Text) -> None:
        self.text = text

    def of(self, tree: ast.Module) -> Iterator[tuple[str, int, str, Edit]]:
        yield from self._body(tree.body, "", None, set())

    def _body(
        self, body: list[ast.stmt], function: str, annotation: ast.expr | None, rebound: set[str]
    ) -> Iterator[tuple[str, int, str, Edit]]:
        for statement in body:
            yield from self._visit(statement, function, annotation, rebound)

    def _visit(
        self, node: ast.AST, function: str, annotation: ast.expr | None, rebound: set[str]
    ) -> Iterator[tuple[str, int, str, Edit]]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            inner = f"{function}.{node.name}" if function else node.name
            if annotation is not None or "()" in function:  # a function inside a function belongs to the outer one
                inner = function
            if isinstance(node, ast.ClassDef):
                yield from self._body(node.body, inner, None, set())
                return
            for default in [*node.args.defaults, *node.args.kw_defaults]:
                if default is not None:
                    yield from self._visit(default, inner.replace("()", ""), None, set())
            own = inner if inner.endswith("()") else f"{inner}()"
            yield from self._body(node.body, own, node.returns or ast.Constant(None), _rebound(node))
            return
        if _is_left_out(node):
            return
        for operator, edit in self._edits(node, annotation, rebound):
            yield function.replace("()", ""), getattr(node, "lineno", 0) or _line(node), operator, edit
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list"):
                continue
            if isinstance(node, ast.Raise):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from self._visit(child, function, annotation, rebound)

    def _edits(self, node: ast.AST, annotation: ast.expr | None, rebound: set[str]) -> Iterator[tuple[str, Edit]]:
        for operator in (compared, calculated, counted, reasoned, called):
            yield from operator(self.text, node)
        yield from returned(self.text, node, annotation)
        yield from removed(self.text, node, rebound)


def _line(node: ast.AST) -> int:
    return next((part.lineno for part in ast.walk(node) if isinstance(part, ast.expr)), 0)


def _rebound(function: ast.FunctionDef) -> set[str]:
    """Names that a function binds more than once: its arguments too."""
    bound = Counter(argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg))
    bound.update(n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return {name for name, times in bound.items() if times > 1}


def _is_left_out(node: ast.AST) -> bool:
    if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id.startswith("__") for target in node.targets)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in TYPE_MAKERS
    if isinstance(node, ast.If):
        return any(name in ast.unparse(node.test) for name in ("TYPE_CHECKING", "__name__"))
    return False


def all_mutants(root: Path = ROOT, groups: tuple[str, ...] = GROUPS) -> dict[str, list[Mutant]]:
    """All mutants by group, in the order of files and lines."""
    found: dict[str, list[Mutant]] = {group: [] for group in groups}
    for name, path in sources(root).items():
        if group_of(name) in found:
            found[group_of(name)] += mutants_of(name, path.read_bytes())
    return found


def _rank(mutant: Mutant, seed: int) -> int:
    words = [int(mutant.name[start : start + 8], 16) for start in (0, 8)]
    return int(np.random.SeedSequence([seed, *words]).generate_state(1, np.uint64)[0])


def draw(mutants: dict[str, list[Mutant]], count: int, seed: int) -> list[Mutant]:
    """The first ``count`` of a random order: without replacement, the groups in turn, so that each has the same share.

    A mutant's place within its group hangs on the seed and its own name only: more mutants begin with the same ones, and a
    change of one file leaves the draw of the others as it was.
    """
    ordered = [sorted(group, key=lambda mutant: (_rank(mutant, seed), mutant.name)) for group in mutants.values()]
    longest = max(map(len, ordered), default=0)
    return [group[place] for place in range(longest) for group in ordered if place < len(group)][:count]
