"""Function classes and how clients may differ, as values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.kinds import Number
from fltheory.problems.numbers import as_number, decimal_fraction


def _rational(name: str, value: object) -> Fraction:
    """A finite rational number, text such as ``"1/4"`` included; truth values are none."""
    value = as_number(name, value)
    try:
        if isinstance(value, bool):
            raise TypeError
        return decimal_fraction(value)
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise ValueError(f"{name}={value!r} is no rational number") from None


@dataclass(frozen=True)
class FunctionClass:
    """Differentiable functions whose curvature lies between ``mu`` and ``L``: ``f - mu|x|^2/2`` and ``L|x|^2/2 - f`` convex.

    ``mu > 0`` is strong convexity, ``mu = 0`` convexity, ``mu < 0`` allows negative curvature down to ``mu``.  Numbers are
    kept as rationals; a float is read as the shortest decimal that denotes it.

    Raises
    ------
    ValueError : ``mu >= L`` (at ``mu = L`` the interpolation formula is singular: the class holds one quadratic), ``L <= 0``,
        or what is no rational number.
    """

    mu: Any
    L: Any

    def __post_init__(self) -> None:
        for name in ("mu", "L"):
            object.__setattr__(self, name, _rational(name, getattr(self, name)))
        if self.L <= 0:
            raise ValueError(f"L={self.L} must be positive")
        if self.mu == self.L:
            raise ValueError(f"mu=L={self.L}: interpolation is singular, such a function is one quadratic; take mu < L")
        if self.mu > self.L:
            raise ValueError(f"mu={self.mu} exceeds L={self.L}: no function has such curvature")

    @property
    def convex(self) -> bool:
        """Whether all functions of the class are convex."""
        return bool(self.mu >= 0)

    @property
    def exact(self) -> tuple[Fraction, Fraction]:
        """``(mu, L)``."""
        return self.mu, self.L


def SmoothStronglyConvex(mu: Number, L: Number = 1) -> FunctionClass:
    """``mu``-strongly convex functions with ``L``-Lipschitz gradient, ``0 < mu < L``.

    Raises
    ------
    ValueError : ``mu <= 0``, ``mu >= L``, or what is no rational number.
    """
    found = FunctionClass(mu, L)
    if found.mu <= 0:
        raise ValueError(f"mu={found.mu} must be positive for strong convexity; SmoothConvex(L) has mu = 0")
    return found


def SmoothConvex(L: Number = 1) -> FunctionClass:
    """Convex functions with ``L``-Lipschitz gradient.

    Raises
    ------
    ValueError : ``L <= 0``, or what is no rational number.
    """
    return FunctionClass(0, L)


def Smooth(L: Number = 1) -> FunctionClass:
    """Functions with ``L``-Lipschitz gradient, convex or not (curvature in ``[-L, L]``).

    Raises
    ------
    ValueError : ``L <= 0``, or what is no rational number.
    """
    return FunctionClass(-_rational("L", L), L)


@dataclass(frozen=True)
class Dissimilarity:
    """``sum_k p_k |grad f_k(x)|^2 <= G^2 + B^2 |grad f(x)|^2`` at the server points that are queried.

    A statement about all points, used at the queried ones only: the worst case is an upper bound of the true one.

    Raises
    ------
    ValueError : ``B < 1``, since the left side is at least ``|grad f|^2``; what is no rational number.
    """

    B: Any = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "B", _rational("B", self.B))
        if self.B < 1:
            raise ValueError(f"B={self.B} must be at least 1, since sum p_k |grad f_k|^2 >= |grad f|^2")


@dataclass(frozen=True)
class MixedDissimilarity:
    """``w_f |grad f_f(x)/w_f|^2 + w_c |grad f_c(x)/w_c|^2 <= G^2 + B^2 |grad f(x)|^2``: how far server and clients may differ.

    ``f = f_f + f_c`` is the sum of the clients' mean loss and the server's own, ``w_f + w_c = 1``.  Definition 4.2 of
    Augenstein et al., "Mixed Federated Learning" (2022).  The quantity ``G2`` is ``G^2``.  The clients among themselves may
    differ as they like: name another assumption beside it, such as ``["identical", MixedDissimilarity(B)]``.

    A statement about all points, used at the server points where the method, the measure or an assumption asks for the
    clients' gradients: the worst case is an upper bound of the true one.

    ===================== ====== ==================================
    argument              symbol meaning
    ===================== ====== ==================================
    ``B``                 B      factor of the total gradient
    ``federated_weight``  w_f    share of the clients
    ===================== ====== ==================================

    Raises
    ------
    ValueError : ``B < 1``, since the left side is at least ``|grad f|^2``; ``w_f`` outside the open interval (0, 1).
    """

    B: Any = 1
    federated_weight: Number = Fraction(1, 2)

    def __post_init__(self) -> None:
        for name in ("B", "federated_weight"):
            object.__setattr__(self, name, _rational(name, getattr(self, name)))
        if self.B < 1:
            raise ValueError(f"B={self.B} must be at least 1, since |grad f_f|^2/w_f + |grad f_c|^2/w_c >= |grad f|^2")
        if not 0 < self.federated_weight < 1:
            raise ValueError(f"federated_weight={self.federated_weight} is not a proportion; expected 0 < w_f < 1")
