"""The changes that make mutants: one small edit of a file at a node of its syntax tree.

Each operator looks at one node and proposes texts in place of it.  What no test can be asked to see is left alone: docstrings,
type hints, texts and conditions of error messages' words, ``__all__``, decorators, what runs only while types are checked.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

#: ``(start, end, text)``: bytes of the source and what takes their place.
Edit = tuple[int, int, str]

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
ARITHMETIC: dict[type[ast.operator], tuple[str, str, str]] = {
    ast.Add: ("+", "-", "plus and minus"),
    ast.Sub: ("-", "+", "plus and minus"),
    ast.Mult: ("*", "/", "times and divided by"),
    ast.Div: ("/", "*", "times and divided by"),
}
EXTREMES = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "argmin": "argmax",
    "argmax": "argmin",
}
NUMERIC = re.compile(r"(float|int|complex|Fraction|Array|NDArray\[.*\]|npt\.NDArray\[.*\])( \| None)?$")


class Text:
    """A source, and where its nodes stand in it."""

    def __init__(self, source: bytes) -> None:
        self.bytes = source
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self._lines[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._lines[node.end_lineno - 1] + node.end_col_offset

    def of(self, node: ast.expr | ast.stmt) -> str:
        return self.bytes[self.start(node) : self.end(node)].decode()

    def between(self, left: ast.expr, right: ast.expr, old: str, new: str) -> Edit:
        """The symbol between two operands replaced."""
        gap = self.bytes[self.end(left) : self.start(right)].decode()
        pattern = re.escape(old).replace(r"\ ", r"\s+")
        word = rf"\b{pattern}\b" if old[0].isalpha() else pattern
        return self.end(left), self.start(right), re.sub(word, new, gap, count=1)


def compared(text: Text, node: ast.AST) -> Iterator[tuple[str, Edit]]:
    """``<`` and ``<=``, ``>`` and ``>=`` exchanged; equality, identity and membership turned round."""
    if isinstance(node, ast.Compare):
        operands = [node.left, *node.comparators]
        for place, kind in enumerate(node.ops):
            old, new = COMPARISONS[type(kind)]
            yield "comparison", text.between(operands[place], operands[place + 1], old, new)


def calculated(text: Text, node: ast.AST) -> Iterator[tuple[str, Edit]]:
    """``+`` and ``-``, ``*`` and ``/`` exchanged, not between texts or paths; a minus sign left out."""
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        if not any(_is_text(part) for part in (node.left, node.right)):
            old, new, name = ARITHMETIC[type(node.op)]
            yield name, text.between(node.left, node.right, old, new)
    if isinstance(node, ast.AugAssign) and type(node.op) in ARITHMETIC and not _is_text(node.value):
        old, new, name = ARITHMETIC[type(node.op)]
        yield name, text.between(node.target, node.value, old, new)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", (text.start(node), text.start(node) + 1, "")


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def counted(text: Text, node: ast.AST) -> Iterator[tuple[str, Edit]]:
    """A number raised by one; 0 and 1 exchanged."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        span = text.start(node), text.end(node)
        if node.value in (0, 1):
            yield "zero and one", (*span, repr(type(node.value)(1 - node.value)))
        if node.value != 0:
            yield "number", (*span, repr(node.value + 1))


def reasoned(text: Text, node: ast.AST) -> Iterator[tuple[str, Edit]]:
    """``and`` and ``or`` exchanged, ``not`` left out, a condition turned round."""
    if isinstance(node, ast.BoolOp):
        word = "or" if isinstance(node.op, ast.And) else "and"
        parts = f" {word} ".join(f"({text.of(part)})" for part in node.values)
        yield "and and or", (text.start(node), text.end(node), f"({parts})")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not", (text.start(node), text.start(node) + 3, "")
    tests = [node.test] if isinstance(node, ast.If | ast.While | ast.IfExp) else []
    tests += node.ifs if isinstance(node, ast.comprehension) else []
    for test in tests:
        if not isinstance(test, ast.Constant):
            yield "condition", (text.start(test), text.end(test), f"(not ({text.of(test)}))")


def called(text: Text, node: ast.AST) -> Iterator[tuple[str, Edit]]:
    """A keyword argument left out, ``min`` and ``max`` exchanged, the order of a matrix product exchanged."""
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg is not None:
                less = ast.Call(node.func, node.args, [other for other in node.keywords if other is not keyword])
                yield "keyword", (text.start(node), text.end(node), ast.unparse(less))
        name = node.func
        if isinstance(name, ast.Name) and name.id in EXTREMES:
            yield "min and max", (text.start(name), text.end(name), EXTREMES[name.id])
        if isinstance(name, ast.Attribute) and name.attr in EXTREMES:
            yield "min and max", (text.end(name) - len(name.attr), text.end(name), EXTREMES[name.attr])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        other = ast.BinOp(node.right, ast.MatMult(), node.left)
        yield "product", (text.start(node), text.end(node), ast.unparse(other))


def returned(text: Text, node: ast.AST, annotation: ast.expr | None) -> Iterator[tuple[str, Edit]]:
    """``None`` returned, or minus the number."""
    if isinstance(node, ast.Return) and node.value is not None:
        span = text.start(node.value), text.end(node.value)
        if not (isinstance(node.value, ast.Constant) and node.value.value is None):
            yield "return dropped", (*span, "None")
        if annotation is not None and NUMERIC.match(ast.unparse(annotation)):
            if not isinstance(node.value, ast.Constant | ast.UnaryOp):
                yield "return negated", (*span, f"-({text.of(node.value)})")


def removed(text: Text, node: ast.AST, rebound: set[str]) -> Iterator[tuple[str, Edit]]:
    """A statement left out; not one that alone binds a name, which would only be missed."""
    removable = isinstance(node, ast.AugAssign | ast.Raise | ast.Break | ast.Continue)
    removable |= isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await)
    if isinstance(node, ast.Assign):
        names = {name.id for name in ast.walk(ast.Tuple(node.targets)) if isinstance(name, ast.Name)}
        stores = [part for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)]
        bound = {part.id for part in stores if isinstance(part.ctx, ast.Store)}
        removable |= bool(names) and bound <= rebound
    if removable:
        assert isinstance(node, ast.stmt)
        yield "statement", (text.start(node), text.end(node), "pass")
