"""Basis vectors that an assumption makes zero: left out before the solver sees a problem, outweighed in its certificate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from fltheory.worstcase.model import Model
from fltheory.worstcase.multipliers import Multipliers, pair_keys
from fltheory.worstcase.sdp import ConicProgram


def certain_zeros(model: Model) -> set[tuple[str, int]]:
    """Basis vectors (block, place) that are zero whatever the quantities, such as deviations of identical clients.

    With them no instance is strictly inside, and no multipliers are optimal: a cross term with such a vector is bounded by
    ever larger multiples of its square.  So they are left out before the solver sees the problem.
    """
    return {key for place in range(len(model.assumptions)) for key in _squares(model, place, {})}


def vanishing(model: Model, quantities: Mapping[str, Fraction]) -> set[tuple[str, int]]:
    """Basis vectors that are zero because an assumption bounds a sum of their squares by zero."""
    return {key for place in range(len(model.assumptions)) for key in _squares(model, place, quantities)}


def _squares(model: Model, place: int, quantities: Mapping[str, Fraction]) -> dict[tuple[str, int], Fraction]:
    """The factors in an assumption that bounds a sum of basis vectors' squares by zero; empty for any other."""
    item = model.assumptions[place]
    if item.bound is not None and quantities.get(item.bound) != 0:
        return {}
    gram, values = model.form(item.functional)
    gram = {key: entry for key, entry in gram.items() if entry}
    if values or any(i != j or entry < 0 for (_, i, j), entry in gram.items()):
        return {}
    return {(block, i): entry for (block, i, _), entry in gram.items()}


def dominated(model: Model, multipliers: Multipliers, factor: int) -> Multipliers:
    """Larger multipliers for the squares that are certainly zero: they outweigh all terms with these vectors."""
    whole = ConicProgram(model)
    pairs = np.array([float(multipliers.pairs.get(key, 0)) for key in pair_keys(model)])
    listed = list(multipliers.assumptions)
    assumptions = np.array([float(y) for y in listed])
    slack = whole.matrices(pairs @ whole.pair_rows + assumptions @ whole.assumption_rows - whole.measure)
    for place in range(len(listed)):
        for (block, i), entry in _squares(model, place, {}).items():
            size = math.ceil(factor * float(np.abs(slack[block][i]).sum()) / float(entry)) + 1
            listed[place] = max(listed[place], Fraction(size))
    return replace(multipliers, assumptions=tuple(listed))
