"""Statements about matrices as text: what the pieces after ``for`` are, and how expressions are printed."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp

from fltheory.evidence.relation_text import LATEX, Triple, chained, letters_of

#: Names that have a meaning.
TAKEN = {"I", "T", "sq", "pi", "sqrt"}


@dataclass
class Where:
    """What stands after ``for``: matrices that may be any, definitions, ranges of numbers, and hypotheses."""

    things: dict[str, tuple[str, str]] = field(default_factory=dict)
    numbers: set[str] = field(default_factory=set)
    symmetric: set[str] = field(default_factory=set)
    defined: dict[str, str] = field(default_factory=dict)
    ranges: dict[str, str] = field(default_factory=dict)
    given: list[tuple[str, Triple]] = field(default_factory=list)

    @classmethod
    def of(cls, pieces: Sequence[str]) -> Where:
        """Read the pieces in order.

        Raises
        ------
        ValueError : one is none of these.
        """
        found = cls()
        for text in pieces:
            name, has, rest = text.partition(" in ")
            if has:
                found._thing(name.strip(), rest.strip(), text)
                continue
            links = chained(text)
            name, sign, end = links[0]
            if len(links) == 1 and sign == "=" and found.new(name) and name not in letters_of(end):
                found.defined[name] = end
            elif len(links) == 1 and sign in (">", ">=") and found.new(name):
                found.ranges[name] = text
            elif len(links) == 2 and {links[0][1], links[1][1]} <= {"<", "<="} and found.new(end):
                found.ranges[end] = text
            else:
                found.given += [(text, one) for one in links]
        sizes = {size for sides in found.things.values() for size in sides}
        both = sorted(sizes & {*found.things, *found.numbers, *found.defined, *found.ranges})
        if both:  # nothing ties the number n to the size n
            raise ValueError(f"{both[0]} is both a size and a letter of the statement")
        return found

    def new(self, name: str) -> bool:
        """Whether it is a name that has no meaning yet."""
        known = {*self.things, *self.numbers, *self.defined, *self.ranges, *TAKEN}
        return name.isidentifier() and name not in known and all(name not in letters_of(side) for side in self._sides())

    def _sides(self) -> list[str]:
        return [*self.defined.values(), *(side for _, one in self.given for side in (one[0], one[2]))]

    def _thing(self, name: str, kind: str, text: str) -> None:
        try:
            node = ast.parse(kind, mode="eval").body if len(kind) < 100 else None
        except (SyntaxError, MemoryError, RecursionError):
            node = None
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and 1 <= len(node.args) <= 2
            and self.new(name)
        ):
            sizes = [ast.unparse(one) for one in node.args]
            if node.func.id == "S" and len(sizes) == 1:
                self.things[name] = (sizes[0], sizes[0])
                self.symmetric.add(name)
                return
            if node.func.id == "R" and sizes == ["1"]:
                self.numbers.add(name)
                return
            if node.func.id == "R":
                self.things[name] = (sizes[0], sizes[1] if len(sizes) == 2 else "1")
                return
        raise ValueError(
            f"{text!r} names no matrix; expected A in R(n, m), a vector in R(n), a number in R(1), or S in S(n)"
        )


def printed(text: str, names: Mapping[str, str]) -> str:
    """A relation, a definition or ``A in R(n, n)`` in LaTeX, as it is written."""
    name, has, kind = text.partition(" in ")
    if has:
        sizes = r"\times ".join(one.strip() for one in kind.strip()[2:-1].split(","))
        sizes = "" if sizes == "1" else f"^{{{sizes}}}"
        space = rf"\mathbb R{sizes}" if kind.startswith("R") else rf"\mathbb S{sizes}"
        return rf"{_latex(ast.Name(name.strip()), names)}\in {space}"
    links = chained(text)
    sides = [_latex(ast.parse(side, mode="eval").body, names) for side in [links[0][0], *(one[2] for one in links)]]
    return sides[0] + "".join(f" {LATEX[sign]} {side}" for (_, sign, _), side in zip(links, sides[1:], strict=True))


def _latex(node: ast.expr, names: Mapping[str, str], tight: int = 0) -> str:
    """An expression; ``tight``: 1 where a sum, 2 where a product needs brackets."""

    def inner(one: ast.expr, how: int = 0) -> str:
        return _latex(one, names, how)

    def bracketed(shown: str, needs: bool) -> str:
        return rf"\left({shown}\right)" if needs else shown

    match node:
        case ast.Name(id=name):
            return names.get(name) or str(sp.latex(sp.Symbol(name)))
        case ast.UnaryOp(operand=inside):
            return bracketed(f"-{inner(inside, 1)}", tight > 0)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            sign = "+" if isinstance(op, ast.Add) else "-"
            return bracketed(f"{inner(left)} {sign} {inner(right, int(sign == '-'))}", tight > 0)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            dot = r" \cdot " if isinstance(right, ast.Constant) else " "
            return bracketed(f"{inner(left, 1)}{dot}{inner(right, 1)}", tight > 1)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return bracketed(rf"\frac{{{inner(left)}}}{{{inner(right)}}}", tight > 1)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return f"{inner(left, 2)}^{{{inner(right)}}}"
        case ast.Call(func=ast.Name(id="T"), args=[inside]):
            return rf"{inner(inside, 2)}^{{\top}}"
        case ast.Call(func=ast.Name(id="sq"), args=[inside]):
            return rf"\left\|{inner(inside)}\right\|^{{2}}"
        case ast.Subscript(value=inside, slice=place):
            return rf"{{{inner(inside, 2)}}}_{{{ast.unparse(place).strip('()')}}}"
        case ast.List(elts=items):
            rows = [" & ".join(map(inner, one.elts)) if isinstance(one, ast.List) else inner(one) for one in items]
            return r"\begin{pmatrix}" + r"\\".join(rows) + r"\end{pmatrix}"
    return ast.unparse(node)
