"""Exact instances of losses on the line: one curvature on each side of 0, and mixtures of such losses."""

from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from fltheory.theory.mixed2022.convex import G, beta, f, fc, fcs, fs, g, gc, gcs, gs, x, xs
from fltheory.theory.mixed2022.scalars import number


@dataclass(frozen=True)
class KinkedParabola:
    """h(t) = slope t + (curvature/2) t^2 on the line, with curvature ``left`` for t < 0 and ``right`` for t >= 0.

    h is max(left, right)-smooth and min(left, right)-convex if both curvatures are nonnegative.
    """

    left: Fraction
    right: Fraction
    slope: Fraction = Fraction(0)

    def value(self, t: Fraction) -> Fraction:
        return self.slope * t + (self.left if t < 0 else self.right) / 2 * t * t

    def gradient(self, t: Fraction) -> Fraction:
        return self.slope + (self.left if t < 0 else self.right) * t

    def __str__(self) -> str:
        right, left = f"{self.right / 2} t^2", f"{self.left / 2} t^2"
        same = right if self.left == self.right else f"({right} for t >= 0, {left} for t < 0)"
        return f"{same}{f' + {self.slope} t' if self.slope else ''}"


@dataclass(frozen=True)
class Mixture:
    """Client losses and a centralised loss on the line, looked at in t and in the stationary point 0 of their sum."""

    clients: tuple[KinkedParabola, ...]
    central: KinkedParabola
    point: Fraction
    smoothness: Fraction = Fraction(1)

    def average(self, form: sp.Expr) -> Fraction:
        """The mean over the clients of a form of the generic client, at x = ``point`` and x* = 0."""
        t, zero = self.point, Fraction(0)
        common = {beta: self.smoothness, x: t, xs: zero, fc: self.central.value(t), fcs: self.central.value(zero)}
        common |= {gc: self.central.gradient(t), gcs: self.central.gradient(zero)}
        common[G] = sum((h.gradient(t) for h in self.clients), start=zero) / len(self.clients)
        each = [{f: h.value(t), fs: h.value(zero), g: h.gradient(t), gs: h.gradient(zero)} for h in self.clients]
        return sum((number(form, common | own) for own in each), start=zero) / len(self.clients)

    def __str__(self) -> str:
        clients = ", ".join(f"f_{i + 1} = {h}" for i, h in enumerate(self.clients))
        return f"{clients}, f_c = {self.central}, beta = {self.smoothness}, x* = 0, x = {self.point}"


def mixtures(*, convex: bool = True, stationary: bool = True) -> list[Mixture]:
    """Instances with beta = 1; without convexity also curvature -1, without stationarity also slopes that do not cancel."""
    one, zero, half = Fraction(1), Fraction(0), Fraction(1, 2)
    full, flat, kink = KinkedParabola(one, one), KinkedParabola(zero, zero), KinkedParabola(half, one)
    tilted = KinkedParabola(one, half, one)
    found = []
    for point in (one, -one, Fraction(2)):
        found += [
            Mixture((full,), full, point),
            Mixture((kink,), full, point),
            Mixture((full, flat), kink, point),
            Mixture((KinkedParabola(one, one, one), KinkedParabola(half, one, -3 * one)), tilted, point),
        ]
        if not convex:
            down = KinkedParabola(-one, -one)
            found += [Mixture((down,), full, point), Mixture((KinkedParabola(half, half),), down, point)]
        if not stationary:
            found.append(Mixture((KinkedParabola(zero, zero, one),), flat, point))
    return found
