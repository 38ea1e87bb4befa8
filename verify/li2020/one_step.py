"""Small exact instances of one FedAvg step: quadratic clients on the line, with every quantity of the proof of Lemma 1.

Client k has F_k(w) = h_k/2 (w - m_k)^2, so that F_k* = 0.  All numbers are fractions, and a :class:`Snapshot` gives
the values of the symbols of :mod:`verify.li2020.symbols`.  Inequalities are searched for counterexamples on
:func:`snapshots`, which come smallest first and contain the instances on which the sharp inequalities are attained.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from math import prod

import sympy as sp

from fltheory.theory.sampling import weighted_mean
from verify.li2020 import symbols
from verify.li2020.symbols import Fbar, Fstar, Gamma, Gbar, L, eta, f, f_bar, f_min, f_star, g, g_bar, g_star, gbar, w

_CLIENT = (w, g, g_bar, g_star, f, f_bar, f_star, f_min)
#: A realisation of g_t - gbar_t, for the statements in which the noise occurs.
NOISE = Fraction(1, 3)
_COMMON = (symbols.wbar, symbols.wstar, gbar, Gbar, symbols.noise, Fbar, Fstar, Gamma, eta, symbols.mu, L)

_Values = tuple[Fraction, ...]


def _reader(expression: sp.Expr) -> Callable[[_Values], Fraction]:
    """A rational expression in the symbols of a snapshot as an exact function of their values; no float is formed."""
    if expression.is_Symbol:
        position = (*_CLIENT, *_COMMON).index(expression)
        return lambda values: values[position]
    if expression.is_Rational:
        number = Fraction(int(expression.p), int(expression.q))
        return lambda values: number
    if expression.is_Pow and expression.exp.is_Integer:
        base, power = _reader(expression.base), int(expression.exp)
        return lambda values: base(values) ** power
    if not (expression.is_Add or expression.is_Mul):
        raise ValueError(f"{expression} is no rational expression")
    parts = [_reader(part) for part in expression.args]
    if expression.is_Add:
        return lambda values: sum((part(values) for part in parts), Fraction(0))
    return lambda values: prod((part(values) for part in parts), start=Fraction(1))


@cache
def _compiled(form: sp.Expr) -> tuple[Callable[[_Values], Fraction], bool]:
    """The form as an exact function of a client's values, and whether it is the same for all clients."""
    unknown = form.free_symbols - {*_CLIENT, *_COMMON}
    if unknown:
        raise ValueError(f"symbols {sorted(map(str, unknown))} have no value on a snapshot")
    return _reader(form), not form.free_symbols & set(_CLIENT)


@dataclass(frozen=True)
class Snapshot:
    """Quadratic clients on the line at local points, about to make one step.

    Parameters
    ----------
    weights, curvatures, minimisers, points : one entry per client; p_k (of sum one), h_k, m_k and w^k_t.
    step : eta_t.

    Raises
    ------
    ValueError : the weights do not add up to one.
    """

    weights: tuple[Fraction, ...]
    curvatures: tuple[Fraction, ...]
    minimisers: tuple[Fraction, ...]
    points: tuple[Fraction, ...]
    step: Fraction

    def __post_init__(self) -> None:
        if sum(self.weights) != 1:
            raise ValueError(f"weights={self.weights} add up to {sum(self.weights)} and not to one")

    def mean(self, values: tuple[Fraction, ...]) -> Fraction:
        """The p-average of numbers of the clients."""
        return weighted_mean(self.weights, values)

    @property
    def smoothness(self) -> Fraction:
        """L, the largest curvature."""
        return max(self.curvatures)

    @property
    def strong_convexity(self) -> Fraction:
        """mu, the smallest curvature."""
        return min(self.curvatures)

    def gradients(self, at: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        """Gradient of each client at its own point."""
        return tuple(h * (x - m) for h, m, x in zip(self.curvatures, self.minimisers, at, strict=True))

    def values(self, at: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        """Value of each client at its own point."""
        return tuple(h * (x - m) ** 2 / 2 for h, m, x in zip(self.curvatures, self.minimisers, at, strict=True))

    @cached_property
    def environment(self) -> list[tuple[Fraction, ...]]:
        """Per client, the values of all symbols in the order of the compiled functions."""
        n = len(self.weights)
        average = self.mean(self.points)
        pull = tuple(h * m for h, m in zip(self.curvatures, self.minimisers, strict=True))
        optimum = self.mean(pull) / self.mean(self.curvatures)
        places = self.points, (average,) * n, (optimum,) * n
        gradients, values = [self.gradients(at) for at in places], [self.values(at) for at in places]
        clients = zip(self.points, *gradients, *values, (Fraction(0),) * n, strict=True)
        at_average, least = self.mean(values[1]), self.mean(values[2])
        means = (average, optimum, self.mean(gradients[0]), self.mean(gradients[1]), NOISE, at_average, least, least)
        return [(*own, *means, self.step, self.strong_convexity, self.smoothness) for own in clients]

    def average(self, form: sp.Expr) -> Fraction:
        """The p-average of a form of the generic client, evaluated exactly."""
        function, common = _compiled(sp.sympify(form))
        if common:
            return function(self.environment[0])
        return self.mean(tuple(function(values) for values in self.environment))

    def client(self, form: sp.Expr, k: int) -> Fraction:
        """The form of client k, evaluated exactly."""
        return _compiled(sp.sympify(form))[0](self.environment[k])

    def describe(self) -> str:
        """The instance in words that a reader can check by hand."""
        rows = zip(self.weights, self.curvatures, self.minimisers, self.points, strict=True)
        clients = [f"F_{k} = {h / 2} (w - ({m}))^2 with p = {p} at w = {x}" for k, (p, h, m, x) in enumerate(rows, 1)]
        return f"eta = {self.step}, {', '.join(clients)}"


@cache
def snapshots(largest_step: Fraction = Fraction(1, 4)) -> tuple[Snapshot, ...]:
    """Instances with L = 1 and steps up to ``largest_step`` (in units of 1/L), smallest first.

    One client; two clients with equal and unequal weights, equal, moderately and extremely unequal curvatures, equal
    and opposite minimisers, at points that a run reaches (one local step from 0) and at points that make the
    inequalities of the proof equalities: common, opposite, one gradient step away from the average, and the extremal
    points of Lemma 1.
    """
    return tuple(_instances((largest_step, largest_step / 2, largest_step / 250)))


def _instances(steps: tuple[Fraction, ...]) -> Iterator[Snapshot]:
    """One client, then pairs of weights, curvatures, minimisers and points; see :func:`snapshots`."""
    one = Fraction(1)
    for step in steps:
        yield Snapshot((one,), (one,), (Fraction(0),), (one,), step)
    zero, half, tiny = Fraction(0), Fraction(1, 2), Fraction(1, 10**8)
    weights = [(half, half), (Fraction(1, 1000), Fraction(999, 1000))]
    curvatures = [(one, one), (one, half), (one, tiny), (tiny, one)]
    minimisers = [(one, -one), (zero, zero)]
    for step, p, h, m in product(steps, weights, curvatures, minimisers):
        apart = 1 - 2 * p[0]
        away = step / (1 - step) if step != 1 else one
        after_one_step = (h[0] * step, -h[1] * step)  # from w = 0 with minimisers 1 and -1
        for x in (after_one_step, (zero, zero), (one, one), (one, -one), (-away, away), (apart, apart - 2)):
            yield Snapshot(p, h, m, x, step)
