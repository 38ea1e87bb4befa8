"""Sparse vectors and forms in rationals, of which :mod:`fltheory.worstcase.frame` is made."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from fltheory.worstcase.model import Form
from fltheory.worstcase.space import Coordinates


def block_of(part: str) -> str:
    """The Gram block of a part: what a sampled cohort keeps of deviations, and averages of draws, have none of their own."""
    return part.replace("sampled", "deviation").replace("averaged", "draw")


def part_of(vector: Coordinates, block: str) -> Coordinates:
    """The part of a vector in a block."""
    return {key: entry for key, entry in vector.items() if key[0] == block}


def plus(left: Coordinates, right: Coordinates, factor: Fraction | int = 1) -> Coordinates:
    """``left + factor right``, without zeros."""
    found = dict(left)
    for key, entry in right.items():
        found[key] = found.get(key, Fraction(0)) + factor * entry
    return {key: entry for key, entry in found.items() if entry}


def scaled(vector: Coordinates, factor: Fraction | int) -> Coordinates:
    """``factor vector``."""
    return {key: factor * entry for key, entry in vector.items()}


def add(form: Form, terms: Mapping[tuple[str, int, int], Fraction], factor: Fraction | int = 1) -> None:
    """``form += factor terms`` for forms in Gram entries."""
    for key, entry in terms.items():
        form[key] = form.get(key, Fraction(0)) + factor * entry


def add_product(form: Form, left: Coordinates, right: Coordinates, factor: Fraction) -> None:
    """``form += factor <left, right>`` for vectors of the clients, whose parts are blocks."""
    for (block, i), a in left.items():
        for (other, j), b in right.items():
            if block == other:
                key = (block, min(i, j), max(i, j))
                form[key] = form.get(key, Fraction(0)) + factor * a * b
