"""How the steps of the proof of Lemma 1 are judged: certificate or identity for all clients, and exact instances.

A :class:`ProvedDisplay` is a display with what proves it; :func:`step` makes a claim of some.  Both judge the sides of the displays
themselves, as forms of the generic client (:mod:`verify.li2020.symbols`).  The search runs the same forms on
:func:`verify.li2020.one_step.snapshots`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from fltheory.derivation.statement import Derived
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.model import Claim, Control, Evidence, Tightness
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.bound import Bound
from verify.li2020.derivations.moment import PRINTED, Squares, follows
from verify.li2020.displays.lemma_1 import form
from verify.li2020.one_step import Snapshot, snapshots
from verify.li2020.symbols import (
    Fbar,
    Fstar,
    Gamma,
    L,
    eta,
    f,
    f_bar,
    f_min,
    f_star,
    g,
    g_bar,
    gbar,
    mu,
    w,
    wbar,
    wstar,
)

VALID = "every N, p, dimension, all points"


def averaged_search(
    left: sp.Expr, right: sp.Expr, *, relation: str = "<=", among: Sequence[Snapshot] | None = None
) -> Search:
    """``average(left) relation average(right)`` on all small instances, or on those given."""
    instances = snapshots() if among is None else among
    return search(
        instances, lambda s: (s.average(left), s.average(right)), relation=relation, describe=Snapshot.describe
    )


@dataclass(frozen=True)
class ProvedDisplay:
    """A display, what its proof uses, and what makes it false.

    Parameters
    ----------
    facts : instances of hypotheses (:func:`verify.li2020.derivations.moment.premises`) with their factors.
    squares : weights and vectors of the squares that the proof takes away.
    false : names of controls, each with what is added to the right side.
    each : it is stated for every client, and not for their average.
    """

    shown: Bound
    facts: Mapping[str, sp.Expr | int] = field(default_factory=dict)
    squares: Squares = ()
    false: Mapping[str, sp.Expr] = field(default_factory=dict)
    each: bool = False

    @property
    def has_steps(self) -> bool:
        """Whether the step size stands in the display."""
        return any(eta in form(side).free_symbols for side in (self.shown.left, self.shown.expression))

    def judged(self, changed: str) -> tuple[Derived, Search]:
        """The derivation and the search of the display, or of what the control of that name makes of it."""
        left, right = form(self.shown.left), form(self.shown.expression + self.false.get(changed, 0))
        if self.shown.relation == ">=":
            left, right = right, left
        relation = "=" if self.shown.relation == "=" else "<="
        how = {"relation": "=" if relation == "=" else ">=", "over": "" if self.each else "k"}
        derived = follows(left, right, facts=self.facts, squares=self.squares, **how)
        return derived, (every_client if self.each else averaged_search)(left, right, relation=relation)


def every_client(left: sp.Expr, right: sp.Expr, *, relation: str) -> Search:
    """``left relation right`` for each client of all small instances."""
    return search(
        [(s, k) for s in snapshots() for k in range(len(s.weights))],
        lambda case: (case[0].client(left, case[1]), case[0].client(right, case[1])),
        relation=relation,
        describe=lambda case: f"client {case[1] + 1} of: {case[0].describe()}",
    )


def judged(lines: Sequence[ProvedDisplay], changed: str, tightness: Tightness | None = None) -> Evidence:
    """All of the lines, one of them changed where a control has its name: each is derived, and the worst search decides."""
    derived, searched = zip(*(line.judged(changed) for line in lines), strict=True)
    valid_for = "every client, dimension, all points" if all(line.each for line in lines) else VALID
    if any(line.shown.relation != "=" for line in lines):
        valid_for += ", 0 < mu <= L"
        valid_for += f", 0 < eta <= {PRINTED[0]}" if any(line.has_steps for line in lines) else ""
    return by_derivation(derived, min(searched, key=lambda one: one.worst), valid_for=valid_for, tightness=tightness)


def step(
    id: str, *lines: ProvedDisplay, group: Callable[..., Any], tightness: Tightness | None = None, **words: Any
) -> Claim:
    """The claim that states the displays of the lines; controls are what is false of each."""
    pieces: list[str | Bound] = [r",\quad "] * (2 * len(lines) - 1)
    pieces[::2] = [line.shown for line in lines]
    controls = [Control(name, dict(changed=name)) for line in lines for name in line.false]

    def check(changed: str) -> Evidence:
        return judged(lines, changed, tightness)

    check.__doc__ = f"{'; '.join(line.shown.name for line in lines)}: derived from its premises, and searched."
    made = group(id, statement=tuple(pieces), printed=dict(changed=""), controls=controls, **words)
    claim: Claim = made(check)
    return claim


def printed_as_equal(
    id: str, shown: Bound, repaired: ProvedDisplay, *, group: Callable[..., Any], **words: Any
) -> Claim:
    """The claim of a display with an equality sign, of which ``repaired`` is the inequality that is true.

    The instance is one client with F = a w^2/2, of which A1 and A2 leave the curvature open.
    """
    a, at = sp.symbols("a w")
    value = a * at**2 / 2
    one = (
        dict.fromkeys((w, wbar), at) | dict.fromkeys((g, g_bar, gbar), a * at) | dict.fromkeys((f, f_bar, Fbar), value)
    )
    one |= dict.fromkeys((wstar, f_star, f_min, Fstar, Gamma), 0)
    controls = [Control("= read as <=", dict(relation="<=", changed=""), must="pass")]
    controls += [Control(name, dict(relation="<=", changed=name)) for name in repaired.false]

    def check(relation: str, changed: str) -> Evidence:
        if relation == "<=":
            return judged([repaired], changed)
        left, right = form(shown.left), form(shown.expression)
        lines = [Side(f"{name} line", side.subs(one)) for name, side in (("first", left), ("second", right))]
        given = [(mu, "<=", a), (a, "<=", L), (eta, "<=", 1 / (4 * L))]
        values = {a: 1, mu: sp.Rational(1, 2), L: 2, eta: sp.Rational(1, 8), at: 1}
        witness = Witness(values, lines[0], "=", lines[1], given, "N = 1, F = a w^2/2")
        return by_derivation(follows(left, right, relation="="), tried(witness))

    check.__doc__ = f"{shown.name}: an instance at which the sides differ, or the inequality that is proved."
    made = group(id, statement=shown, printed=dict(relation="=", changed=""), controls=controls, **words)
    claim: Claim = made(check)
    return claim
