"""Claims about displays of the proof of Theorem 1: derived as nodes of its derivation, or broken by a step of a run."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from fltheory.derivation.statement import Derived
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.model import Claim, Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.bound import Bound
from fltheory.theory.steps import Instance
from verify.lecture2022.derivations.displays import display
from verify.lecture2022.orders import opposite
from verify.lecture2022.proof.one_step import on_runs

Displays = Bound | tuple[Bound, ...]
Nodes = str | tuple[str, ...]


def times(bound: Bound, **factors: str) -> Bound:
    """The display with letters of its right side times numbers."""
    changes = {
        one: one * sp.Rational(factors[one.name]) for one in bound.expression.free_symbols if one.name in factors
    }
    return replace(bound, expression=bound.expression.subs(changes))


def multiplied(bound: Bound, factor: Any) -> Bound:
    """The display with its whole right side times a factor."""
    return replace(bound, expression=sp.sympify(factor) * bound.expression)


def displayed(
    id: str,
    nodes: Nodes,
    printed: Displays,
    others: Mapping[str, Displays],
    *,
    group: Callable[..., Any],
    must: str = "fail",
    derived: Callable[[str, Bound], Derived] = display,
    instances: Callable[[Bound], Iterable[Instance]] = on_runs,
    valid_for: str = "all N, K, d, T; both codes",
    broken: Relations | None = None,
    **words: Any,
) -> Claim:
    """The claim of one or several displays, each of which is the node of its name; ``others`` are the controls' displays,
    and ``instances`` of a display are evaluated.

    ``broken``: the opposite of the printed display, proved for a step that its definitions say.
    """
    every = {"printed": printed, **others}
    pieces = list(printed) if isinstance(printed, tuple) else [printed]
    statement: list[Any] = [one for piece in pieces for one in (r",\quad ", piece)][1:]

    def check(display: str) -> Evidence:
        found = every[display]
        stated: Sequence[Bound] = found if isinstance(found, tuple) else (found,)
        names = nodes if isinstance(nodes, tuple) else (nodes,)
        return by_derivation(
            [derived(name, one) for name, one in zip(names, stated, strict=True)],
            opposite(broken) if broken and found is printed else lambda: [x for one in stated for x in instances(one)],
            valid_for=valid_for,
        )

    controls = [Control(name, dict(display=name), must=must) for name in others]
    made = group(id, statement=tuple(statement), printed=dict(display="printed"), controls=controls, **words)
    claim: Claim = made(check)
    return claim
