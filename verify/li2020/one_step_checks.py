"""How the steps of the proof of Lemma 1 are judged: certificate or identity for all clients, and exact instances.

Statements are forms of the generic client (:mod:`verify.li2020.symbols`).  ``averaged_*`` are about
sum_k p_k (.), ``client_inequality`` is about each client.  The search runs the same expressions on
:func:`verify.li2020.one_step.snapshots`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.model import Evidence, Outcome, Tightness
from verify.li2020.derivations import moment
from verify.li2020.one_step import Snapshot, snapshots

VALID = "every N, p, dimension, all points"


def all_of(*parts: Evidence) -> Evidence:
    """A chain of statements: the first part that does not hold, else one proof of all with the smallest margin.

    Raises
    ------
    ValueError : a part has no margin (it was not searched).
    """
    margins = [part.margin for part in parts if part.margin is not None]
    if len(margins) < len(parts):
        raise ValueError("margin=None in a part: every part of a chain is searched on instances")
    for part in sorted(parts, key=lambda part: part.outcome is not Outcome.REFUTED):
        if part.outcome is not Outcome.HOLDS:
            return part
    return replace(
        parts[0],
        method="; ".join(dict.fromkeys(part.method for part in parts)),
        margin=min(margins),
        examined=sum(part.examined for part in parts),
        certificate={str(i): p.certificate for i, p in enumerate(parts)},
    )


def averaged_search(
    left: sp.Expr, right: sp.Expr, *, relation: str = "<=", among: Sequence[Snapshot] | None = None
) -> Search:
    """``average(left) relation average(right)`` on all small instances, or on those given."""
    instances = snapshots() if among is None else among
    return search(
        instances, lambda s: (s.average(left), s.average(right)), relation=relation, describe=Snapshot.describe
    )


def averaged_identity(left: sp.Expr, right: sp.Expr, *also: tuple[sp.Expr, sp.Expr]) -> Evidence:
    """``average(left) = average(right)``, and what else is equal."""
    parts = [moment.follows(*pair, relation="=") for pair in ((left, right), *also)]
    found = [averaged_search(*pair, relation="=") for pair in ((left, right), *also)]
    return by_derivation(parts, min(found, key=lambda one: one.worst), valid_for=VALID)


def averaged_inequality(
    left: sp.Expr,
    right: sp.Expr,
    *,
    facts: Mapping[str, sp.Expr | int] | None = None,
    squares: moment.Squares = (),
    begun: tuple[str, bool] = moment.PRINTED,
    tightness: Tightness | None = None,
) -> Evidence:
    """``average(left) <= average(right)``: derived, and the search."""
    return by_derivation(
        moment.follows(left, right, facts=facts, squares=squares, begun=begun),
        averaged_search(left, right),
        valid_for=f"{VALID}, 0 < mu <= L, 0 < eta <= {begun[0]}",
        tightness=tightness,
    )


def client_inequality(
    left: sp.Expr, right: sp.Expr, *, facts: Mapping[str, sp.Expr | int] | None = None, squares: moment.Squares = ()
) -> Evidence:
    """``left <= right`` for every client."""
    found = search(
        [(s, k) for s in snapshots() for k in range(len(s.weights))],
        lambda case: (case[0].client(left, case[1]), case[0].client(right, case[1])),
        describe=lambda case: f"client {case[1] + 1} of: {case[0].describe()}",
    )
    return by_derivation(
        moment.follows(left, right, facts=facts, squares=squares, over=""),
        found,
        valid_for="every client, dimension, all points, 0 < mu <= L, eta > 0",
    )
