"""How the steps of the proof of Lemma 1 are judged: certificate or identity for all clients, and exact instances.

Statements are forms of the generic client (:mod:`verify.li2020.symbols`).  ``averaged_*`` are about
sum_k p_k (.), ``client_inequality`` is about each client.  The search runs the same expressions on
:func:`verify.li2020.one_step.snapshots`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.decide import decide
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.model import Evidence, Outcome, Tightness
from fltheory.theory.averages import Averages
from fltheory.theory.closure import Closure
from fltheory.theory.proofs import Certificate, is_zero
from verify.li2020.one_step import Snapshot, snapshots
from verify.li2020.symbols import CLIENTS, STEP_RANGE

Premises = Mapping[str, tuple[sp.Expr, sp.Expr]]
Squares = Sequence[tuple[sp.Expr, sp.Expr]]

REDUCTION = (
    "mean and deviation of the generic client over p (removes N and p), Gram identity in commuting scalars (removes d)"
)
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


def averaged_identity(
    left: sp.Expr, right: sp.Expr, *, averages: Averages = CLIENTS, extra: Sequence[sp.Expr] = ()
) -> Evidence:
    """``average(left) = average(right)``; the forms ``extra`` must average to zero as well."""
    differences = [averages.of(left - right), *(averages.of(form) for form in extra)]
    return decide(
        (all(map(is_zero, differences)), "the difference of the averages does not vanish"),
        averaged_search(left, right, relation="="),
        method=f"expansion of the difference; {REDUCTION}",
        valid_for=VALID,
        certificate=certificates.identity(*differences),
    )


def averaged_inequality(
    left: sp.Expr,
    right: sp.Expr,
    *,
    premises: Premises | None = None,
    squares: Squares = (),
    blocks: Squares = (),
    relation: str = "<=",
    ranges: Sequence[tuple[sp.Symbol, Any, Any | None]] = STEP_RANGE,
    tightness: Tightness | None = None,
    numbers: Mapping[str, Any] | None = None,
    closure: Callable[[Certificate], Closure] | None = None,
) -> Evidence:
    """``average(left) relation average(right)``: certificate for ``<=``, expansion for ``=``, and the search for both.

    ``squares`` are averaged squares of the generic client, ``blocks`` squares in means or deviations alone; ``closure``
    extends the certificate to an end that ``ranges`` leave open.
    """
    if relation == "=":
        return averaged_identity(left, right)
    base = CLIENTS.certificate(left, right, premises=premises, squares=squares, ranges=ranges)
    certificate = replace(base, squares=[*base.squares, *blocks])
    closed = None if closure is None else closure(certificate)
    return decide(
        (closed or certificate).verify(),
        averaged_search(left, right),
        method=f"premises times multipliers plus squares; {REDUCTION}",
        valid_for=f"{VALID}, 0 < mu <= L, 0 < eta <= 1/(4L)",
        numbers=numbers,
        tightness=tightness,
        certificate=certificates.closure(closed) if closed else certificates.polynomial(certificate),
    )


def client_inequality(
    left: sp.Expr, right: sp.Expr, *, premises: Premises | None = None, squares: Squares = ()
) -> Evidence:
    """``left <= right`` for every client."""
    certificate = Certificate(left, right, premises or {}, squares, STEP_RANGE)
    found = search(
        [(s, k) for s in snapshots() for k in range(len(s.weights))],
        lambda case: (case[0].client(left, case[1]), case[0].client(right, case[1])),
        describe=lambda case: f"client {case[1] + 1} of: {case[0].describe()}",
    )
    return decide(
        certificate.verify(),
        found,
        method="premises times multipliers plus squares for one client; Gram identity in commuting scalars (removes d)",
        valid_for="every client, dimension, all points, 0 < mu <= L, eta > 0",
        certificate=certificates.polynomial(certificate),
    )
