"""Sparse vectors and forms in rationals, of which :mod:`fltheory.worstcase.frame` is made."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from fltheory.worstcase.model import Form
from fltheory.worstcase.space import Coordinates
from fltheory.worstcase.space import block_of as block_of


def part_of(vector: Coordinates, part: str) -> Coordinates:
    """The part of a vector by its name."""
    return {key: entry for key, entry in vector.items() if key[0] == part}


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


def add_product(
    form: Form, left: Coordinates, right: Coordinates, factor: Fraction, share: Fraction = Fraction(1)
) -> None:
    """``form += factor <left, right>`` for vectors of the clients; ``share`` is what products with averages of draws have."""
    for (part, i), a in left.items():
        for (other, j), b in right.items():
            block = block_of(part)
            if block == block_of(other):
                key = (block, min(i, j), max(i, j))
                met = factor if part == other == block else factor * share
                form[key] = form.get(key, Fraction(0)) + met * a * b
