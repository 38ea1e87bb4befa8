"""Parallel Training on scalar quadratics with the step size and the number of rounds of its explicit statements."""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, log


@dataclass(frozen=True)
class Quadratics:
    """f_f = (p/2) x^2 + g x, f_c = (q/2) x^2 - g x with p, q <= 1 = beta; eta_s = S = 1, start 1; ``noise``: central variance."""

    p: Fraction
    q: Fraction
    slope: Fraction = Fraction(0)
    noise: Fraction = Fraction(0)
    steps: int = 1
    merge: Fraction = Fraction(1)

    @property
    def B2(self) -> Fraction:
        """The least B^2 of Definition 4.2 with w_f = 1/2."""
        return 2 * (self.p**2 + self.q**2) / (self.p + self.q) ** 2

    @property
    def G2(self) -> Fraction:
        """G^2 for B^2 + 1: the supremum of 2 |f_f'|^2 + 2 |f_c'|^2 - (B^2 + 1) |f'|^2."""
        inner = 2 * self.slope * (self.p - self.q)  # coefficient of 2x; of x^2: -(p + q)^2
        return 4 * self.slope**2 + inner**2 / (self.p + self.q) ** 2

    def step_size(self, eps: Fraction, parts: tuple[str, str, str]) -> Fraction:
        """e, with the square root rounded up (a shorter step would do as well: the sum of the parts is an upper bound of 1/e)."""
        a, b, c = (Fraction(x) for x in parts)
        root = Fraction(isqrt(int(self.G2 / (self.merge**2 * eps) * 10**6)) + 1, 1000) if self.slope else Fraction(0)
        total = a * (2 + self.B2) + b * self.noise / (self.steps * eps) + c * root
        return 1 / total

    def needed(self, case: str, e: Fraction, eps: Fraction) -> int:
        """n of the statement, rounded up."""
        if case == "strongly convex":
            mu = float(min(self.p, self.q))
            return int(log(1 + 4 * mu / (3 * float(eps))) / (mu * float(e))) + 1
        start = 1 if case == "convex" else (self.p + self.q) / 2
        return int((Fraction(4, 3) if case == "convex" else Fraction(8, 3)) * start / (e * eps)) + 1

    def error(self, case: str, e: Fraction, count: int) -> float:
        """Weighted mean of E f(x^t) - f(x*), or the mean of E |f'(x^t)|^2, t < count."""
        rate, many = e / (self.steps * self.merge), self.steps
        move = spread = shift = Fraction(0)
        for curvature, slope, noise in ((self.p, self.slope, Fraction(0)), (self.q, -self.slope, self.noise)):
            powers = [(1 - rate * curvature) ** j for j in range(many)]
            move += self.merge * (1 - (1 - rate * curvature) ** many)
            shift += self.merge * rate * slope * sum(powers, start=Fraction(0))
            spread += (self.merge * rate) ** 2 * noise * sum((x * x for x in powers), start=Fraction(0))
        mu = float(min(self.p, self.q)) if case == "strongly convex" else 0.0
        whole = float(self.p + self.q)
        mean, square, total, weight_sum, weight = 1.0, 1.0, 0.0, 0.0, 1.0
        for _ in range(count):
            size = whole**2 * square if case == "non-convex" else whole / 2 * square
            total, weight_sum = total + weight * size, weight_sum + weight
            weight = weight / (1 - mu * float(e))
            if size > 1e100:
                return float("inf")
            factor = 1 - float(move)
            square = factor**2 * square - 2 * factor * mean * float(shift) + float(shift) ** 2 + float(spread)
            mean = factor * mean - float(shift)
            if weight > 1e100:
                total, weight_sum, weight = total / weight, weight_sum / weight, 1.0
        return total / weight_sum


def examples() -> list[tuple[Quadratics, Fraction]]:
    """Instances with accuracies, simplest first."""
    one, half = Fraction(1), Fraction(1, 2)
    return [
        (Quadratics(one, one), half),
        (Quadratics(one, one, noise=Fraction(500)), half),
        (Quadratics(one, half, Fraction(400), steps=2), half),
        (Quadratics(one, half, Fraction(20), Fraction(10), 3), half),
        (Quadratics(one, half, Fraction(400), steps=2, merge=Fraction(20)), half),
        (Quadratics(half, half, noise=one), Fraction(1, 20)),
    ]
