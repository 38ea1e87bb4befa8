r"""LaTeX of forms of the kernel: ``sq(x)``, ``dot(x, y)``, ``mean(x, k)`` and numbers, as they are written."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

import sympy as sp

from fltheory.evidence.arithmetic import parse
from fltheory.evidence.relation_text import LATEX, chained, flat, real_letters
from fltheory.theory.notation import to_latex

#: What precedes an average over an axis, whose index may have another name, or which may be named as a whole; noise, cohorts
#: and the past are drawn.
_SUMS = {"k": r"\sum_{0} p_{0}", "j": r"\tfrac1E\sum_{0}", "t": r"\tfrac1T\sum_{0}"}


def latex_of(
    claims: Sequence[str],
    where: Sequence[str],
    over: Sequence[str],
    names: Mapping[str, str],
    axes: Mapping[str, set[str]],
) -> str:
    """Relations between forms that are averaged over axes, or chains of them, and the ranges that they are for."""
    printer = Printer(names, over, axes)
    text = r",\quad ".join(printer.chain(claim, printer.averaged) for claim in claims)
    if not where:
        return text
    return text + r"\quad\text{for } " + r",\ ".join(map(printer.relation, where))


class Printer:
    """Prints forms; what depends on an axis that is averaged over stands behind its sign of expectation or sum."""

    def __init__(self, names: Mapping[str, str], over: Sequence[str], axes: Mapping[str, set[str]]) -> None:
        self.names, self.over, self.axes = names, over, axes
        self._symbols = {sp.Symbol(name): latex for name, latex in names.items()}

    def relation(self, text: str) -> str:
        """A range."""
        if real_letters(text):
            return ",".join(map(self._name, real_letters(text))) + r" \in \mathbb R"
        return self.chain(text, lambda side: self._number(ast.parse(side, mode="eval").body))

    def chain(self, text: str, shown: Callable[[str], str]) -> str:
        """Relations in a chain, each side as it is shown."""
        links = chained(text, plain=False)
        return shown(links[0][0]) + "".join(f" {LATEX[sign]} {shown(right)}" for _, sign, right in links)

    def averaged(self, text: str) -> str:
        """A side, each of its terms on average over what it depends on."""
        return self._sum(ast.parse(text, mode="eval").body, self._term)

    def _sum(self, node: ast.expr, term: Callable[[ast.expr], str]) -> str:
        shown = ""
        for sign, one in _terms(node):
            shown += (f" {sign} " if shown else "-" if sign == "-" else "") + term(one)
        return shown

    def _term(self, node: ast.expr) -> str:
        """A product: its numbers, then the form behind its sign of expectation."""
        factors, below = _factors(node)
        numbers = [one for one in factors if self._is_number(one)]
        forms = [one for one in factors if not self._is_number(one)]
        if not forms:
            return self._number(node)
        shown = self._coefficient(_product(numbers, below))
        text = "".join(self._expected(one, bracket=len(factors) > 1) for one in forms)
        return text if shown == "1" else f"{shown}\\, {text}"

    def _expected(self, node: ast.expr, *, bracket: bool) -> str:
        depends = self._depends(node)
        drawn = [axis for axis in self.over if axis in depends and axis not in _SUMS]
        sums = "".join(self._average(axis) for axis in self.over if axis in depends and axis in _SUMS)
        inside = self.form(node)
        if len(list(_terms(node))) > 1 and (bracket or drawn or sums):
            inside = rf"\left({inside}\right)"
        return (r"\mathbb{E}\," if drawn else "") + sums + inside

    def _average(self, axis: str) -> str:
        named = self.names.get(axis, axis)
        return (named if r"\sum" in named else _SUMS[axis].format(named)) + r"\,"

    def form(self, node: ast.expr) -> str:
        """A vector, a value or a form, as it is written."""
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "sq":
                return rf"\left\|{self.form(node.args[0])}\right\|^2"
            if node.func.id == "dot":
                return rf"\left\langle {self.form(node.args[0])}, {self.form(node.args[1])}\right\rangle"
            inner, around = self.form(node.args[0]), [one.id for one in node.args[1:] if isinstance(one, ast.Name)]
            inner = inner if isinstance(node.args[0], ast.Name) else rf"\left({inner}\right)"
            front = "".join(
                self._average(one) if one in _SUMS else rf"\mathbb{{E}}_{{{self._name(one)}}}" for one in around
            )
            return rf"{front}{inner}"
        if self._is_number(node):
            return self._number(node)
        if isinstance(node, ast.UnaryOp) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)):
            return self._sum(node, self.form)
        factors, below = _factors(node)
        numbers = [one for one in factors if self._is_number(one)]
        forms = [one for one in factors if not self._is_number(one)]
        shown = self._coefficient(_product(numbers, below))
        inside = "".join(
            rf"\left({self.form(one)}\right)" if len(list(_terms(one))) > 1 else self.form(one) for one in forms
        )
        return inside if shown == "1" else f"{shown} {inside}"

    def _name(self, name: str) -> str:
        if name in self.names:
            return self.names[name]
        for start, text in (("f_", "F"), ("g_", r"\nabla F")):
            if name.startswith(start) and name in self.axes:
                index = "_k" if "k" in self.axes[name] else ""
                return f"{text}{index}({self._name(name[2:])})"
        return to_latex(sp.Symbol(name), {})

    def _is_number(self, node: ast.expr) -> bool:
        return not any(
            isinstance(one, ast.Call) or (isinstance(one, ast.Name) and one.id in self.axes) for one in ast.walk(node)
        )

    def _number(self, node: ast.expr) -> str:
        with sp.evaluate(False):
            return to_latex(flat(parse(ast.unparse(node))), self._symbols)

    def _coefficient(self, node: ast.expr) -> str:
        shown = self._number(node)
        return rf"\left({shown}\right)" if len(list(_terms(node))) > 1 else shown

    def _depends(self, node: ast.expr) -> set[str]:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "mean":
            return self._depends(node.args[0]) - {one.id for one in node.args[1:] if isinstance(one, ast.Name)}
        found = self.axes.get(node.id, set()) if isinstance(node, ast.Name) else set()
        return found.union(*(self._depends(one) for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)))


def _terms(node: ast.expr, sign: str = "+") -> list[tuple[str, ast.expr]]:
    """The terms of a sum with their signs."""
    other = "-" if sign == "+" else "+"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return _terms(node.left, sign) + _terms(node.right, sign if isinstance(node.op, ast.Add) else other)
    if isinstance(node, ast.UnaryOp):
        return _terms(node.operand, other)
    return [(sign, node)]


def _factors(node: ast.expr) -> tuple[list[ast.expr], list[ast.expr]]:
    """Factors above and below the line."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        (one, under), (two, below) = _factors(node.left), _factors(node.right)
        return one + two, under + below
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        above, under = _factors(node.left)
        return above, [*under, node.right]
    return [node], []


def _product(above: Sequence[ast.expr], below: Sequence[ast.expr] = ()) -> ast.expr:
    """The product of some numbers, over that of others."""
    found: ast.expr = ast.Constant(1)
    for position, node in enumerate(above):
        found = node if position == 0 else ast.BinOp(found, ast.Mult(), node)
    return ast.BinOp(found, ast.Div(), _product(below)) if below else found
