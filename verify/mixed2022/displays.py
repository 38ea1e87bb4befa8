"""Displays that end a derivation: one text is printed, derived from the listing, and evaluated on an exact instance.

    displayed("MX-EQ9", begun, "mean(g, t) = -D/(eta*K) - u", names={...}, instance=..., false={...}, group=...)

Sides are numbers or vectors in the names of the derivation; two vectors are equal if their products with every ``z`` are.
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.derivation.replay import as_form, show
from fltheory.derivation.script import Derivation
from fltheory.derivation.witness import HOLDS, Evaluation, FiniteInstance
from fltheory.evidence import certificates
from fltheory.evidence.arithmetic import parse
from fltheory.evidence.decide import Tried
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.model import Claim, Control, Evidence, Tightness
from fltheory.evidence.relation_text import Triple, chained, flat
from fltheory.evidence.things import declare
from fltheory.evidence.witness import Witness
from fltheory.kinds import JSON
from fltheory.theory.notation import to_latex
from verify.mixed2022.derivations.free_instance import FreeInstance

_SIGNS = {"<=": r"\le", ">=": r"\ge", "=": "="}


@dataclass(frozen=True)
class Display:
    """Relations between the numbers and vectors of a derivation, separated by ``;``, and LaTeX of the parts of their text."""

    text: str
    names: Mapping[str, str]

    def latex(self) -> str:
        """The relations as they are written."""
        every = []
        for one in self.text.split(";"):
            links = chained(one.strip())
            sides = [links[0][0], *(right for *_, right in links)]
            signs = [_SIGNS[sign] for _, sign, _ in links]
            shown = [self._printed(ast.parse(side, mode="eval").body) for side in sides]
            every.append(" ".join([shown[0], *(f"{s} {side}" for s, side in zip(signs, shown[1:], strict=True))]))
        return r",\quad ".join(every)

    def _printed(self, node: ast.expr) -> str:
        printer = _Named(self)
        text = ast.unparse(printer.visit(ast.fix_missing_locations(node)))
        with sp.evaluate(False):
            return to_latex(flat(parse(text)), {sp.Symbol(name): latex for name, latex in printer.found.items()})

    def call(self, node: ast.Call) -> str:
        """LaTeX of an average, a square or a product."""
        inner = [self._printed(argument) for argument in node.args]
        head = ast.unparse(node.func)
        if head == "mean":
            return rf"\mathbb{{E}}_{{{','.join(inner[1:])}}}\left[{inner[0]}\right]"
        return rf"\|{inner[0]}\|^2" if head == "sq" else rf"\langle {inner[0]}, {inner[1]}\rangle"

    @property
    def relations(self) -> list[Triple]:
        """Left side, sign, right side."""
        return [link for one in self.text.split(";") for link in chained(one.strip())]

    def forms(self, d: Derivation) -> list[tuple[str, str, str, str]]:
        """Of each relation: left side, right side, what is to be nonnegative or zero, and which."""
        found = []
        for left, sign, right in self.relations:
            if (
                type(d.state.read(left)).__name__ == "Combination"
                or type(d.state.read(right)).__name__ == "Combination"
            ):
                left, right = f"dot({left}, z)", f"dot({right}, z)"
            first, second = (left, right) if sign == ">=" else (right, left)
            found.append((left, right, f"{first} - ({second})", "=" if sign == "=" else ">="))
        return found


class _Named(ast.NodeTransformer):
    """Parts with LaTeX of their own, and calls, as single letters."""

    def __init__(self, display: Display) -> None:
        self.found = dict[str, str]()
        self.display, self.names = display, {text.replace(" ", ""): latex for text, latex in display.names.items()}

    def visit(self, node: ast.AST) -> Any:
        text = ast.unparse(node)
        latex = self.names.get(text.replace(" ", ""))
        if latex is None and isinstance(node, ast.Call):
            latex = self.display.call(node)
        if latex is None:
            return super().visit(node)
        name = text if isinstance(node, ast.Name) else f"part{len(self.found)}"
        self.found[name] = latex
        return ast.Name(name)


def constants(vectors: Mapping[str, Any], numbers: Mapping[str, Any] | None = None, **more: Any) -> FiniteInstance:
    """An instance on a line where nothing varies; ``more`` as in :class:`fltheory.derivation.witness.FiniteInstance`."""
    given: dict[str, Any] = {name: lambda p, one=one: (Fraction(one),) for name, one in vectors.items()}
    given |= {name: lambda p, one=one: Fraction(one) for name, one in (numbers or {}).items()}
    return FiniteInstance(**{"axes": {}, **more, "given": {**given, **more.get("given", {})}})


def displayed(
    id: str,
    begun: Callable[..., Derivation],
    text: str,
    *,
    names: Mapping[str, str],
    instance: Callable[..., FiniteInstance | Mapping[str, Any]] = lambda **settings: {},
    false: Mapping[str, tuple[str, str] | Mapping[str, Any]],
    group: Callable[..., Any],
    at: str = "",
    over: str = "",
    given: Mapping[str, Any] | Sequence[Mapping[str, Any]] = (),
    lines: str = "",
    says: str = "",
    method: str,
    valid_for: str = "",
    prose: str = "",
    tightness: Tightness | None = None,
    **words: Any,
) -> Claim:
    """The claim of displays that a derivation ends in.

    Parameters
    ----------
    begun : from the settings to the lines before the display.
    lines : what is declared after them (:mod:`fltheory.evidence.things`), with the settings in its braces.
    instance : from the settings to what the lines and the display are evaluated on, ``at`` says it in words; or to values of
        a :class:`verify.mixed2022.derivations.free_instance.FreeInstance`.
    false : names of controls, each with a piece of the text and what takes its place, or with settings that change.
    over, given : axes of the display's averages, and what its last lines use (``facts``, ``squares``), or of each.  Equations
        are inserted; equalities of the name of a vector are used as often as the vector occurs.
    words : as in :func:`fltheory.evidence.model.claim`; ``printed`` are the settings.

    Raises
    ------
    ValueError : the instance does not obey the lines; a piece that does not occur exactly once.
    """

    def changed(change: tuple[str, str] | Mapping[str, Any]) -> Mapping[str, Any]:
        if isinstance(change, Mapping):
            return change
        if text.count(change[0]) != 1:
            raise ValueError(f"{change[0]!r} occurs {text.count(change[0])} times in {text!r}; expected once")
        return {"text": text.replace(*change)}

    def check(text: str, **settings: Any) -> Evidence:
        d = begun(**settings)
        declare(d, lines.format(**settings))
        forms = Display(text, names).forms(d)
        own = [given] * len(forms) if isinstance(given, Mapping) else given or [{}] * len(forms)
        tried = _evaluated(d, Display(text, names), over.split(), instance(**settings), at)

        def script() -> Mapping[str, JSON]:
            for i, (_, _, form, relation) in enumerate(forms):
                more = {"facts": _solved(d, form, over.split()), **own[i], "unfold": _equations(d)}
                d.combine(f"display {i}", form, relation=relation, over=over, **more)
            return d.concluding(*(f"display {i}" for i in range(len(forms))))

        return by_derivation(script, tried, method=method, valid_for=valid_for, prose=prose, tightness=tightness)

    check.__doc__ = f"{text}: derived, or an instance of the listing on which it is false."
    shown = Display(text, names)
    settings = words.pop("printed", {})
    controls = [Control(name, changed(change)) for name, change in false.items()] + list(words.pop("controls", ()))
    statement = words.pop("statement", None) or ((says, shown) if says else shown)
    made = group(id, statement=statement, printed=dict(text=text, **settings), controls=controls, **words)
    claim: Claim = made(check)
    return claim


def _equations(d: Derivation) -> list[str]:
    return [name for name, vector in d.state.vectors.items() if "" in vector["equals"]]


def _solved(d: Derivation, form: str, over: list[str]) -> dict[str, str]:
    """Equalities that have the names of vectors, as often as these occur."""
    state = d.state
    rest = state.unfold(state.average(as_form(state.read(form)), frozenset(over)), _equations(d), set())
    known = {name for name, fact in state.facts.items() if fact.relation == "=" and name in state.vectors}
    return {n: show(c) for key, c in rest.terms.items() if key[0] == "dot" for n, _ in key[2:] if n in known}


def _evaluated(d: Derivation, display: Display, over: list[str], instance: Any, at: str) -> Tried:
    """The lines and the displays on the instance; a display that is false there is the counterexample."""
    forms, lines = display.forms(d), list[Any](d.lines)
    for i, (left, right, form, _) in enumerate(forms):
        for name, text in (("left", left), ("right", right), ("display", form)):
            lines.append({"combine": f"{name} {i}", "form": text, "over": over})
    found = Evaluation(lines, instance) if isinstance(instance, FiniteInstance) else FreeInstance(lines, instance)
    if found.broken:
        raise ValueError(f"the instance {at} does not obey {found.broken[0]}")
    for i, (*_, relation) in enumerate(forms):
        for place, value in enumerate(found.facts[f"display {i}"][0]):
            if not HOLDS[relation](value):
                sides = (found.facts[f"{name} {i}"][0] for name in ("left", "right"))
                left, right = (Fraction(side[place if len(side) > 1 else 0]) for side in sides)
                words = found.words if isinstance(found, FreeInstance) else at
                margin = -float(abs(left - right) / max(abs(left), abs(right)))
                return Tried(1, f"{words}: left {left}, right {right}", margin, certificate=_witness(d, display, found))
    return Tried(len(found.facts))


def _witness(d: Derivation, display: Display, found: Evaluation) -> Mapping[str, JSON] | None:
    """Where nothing is averaged: the listing's equations and the relation that is false, in plain numbers."""
    if d.state.axes or d.state.functions or re.search(r"\w\(", display.text):
        return None
    values = {name: table({}) for name, table in found.made.items()}
    values |= {name: found.space.average(found.space.read(name), [])({}) for name in found.space.lets}
    at = {name: value[0] if isinstance(value, tuple) else value for name, value in values.items()}
    equations = [(next(iter(line.values())), line["equals"]) for line in d.lines if line.get("equals")]
    given = [(parse(str(name)), "=", parse(str(text))) for name, text in equations]
    every = (Witness(at, parse(left), sign, parse(right), given) for left, sign, right in display.relations)
    return next((certificates.witness(one) for one in every if one.refutes), None)
