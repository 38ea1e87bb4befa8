"""Mixed Federated Learning: estimates, laws at rest, sums and points of rest."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction as Q
from typing import Any

from fltheory.derivation.draws import Attempt
from tests.derivation.by_hand.pieces import Point, Vector, drawn, parabola, plus, run, sums, times


def _uncorrelated() -> Attempt:
    """The clients' noise along one axis, the central one along the other."""
    return Attempt(given={"each": lambda p: (drawn(p) / 2, Q(0)), "eb": lambda p: (Q(0), drawn({"xi": p["xi"]}) / 2)})


def _central_noise() -> Attempt:
    """A round of eta = 1/2, r = 1/2 after a first step of length eta, noises of variance 1, and of 1/step for batches."""
    half, noise = Q(1, 2), lambda p: (Q(p["xc"], 2), Q(p["xc"], 2))

    def path(p: Point) -> tuple[Q, ...]:
        found = (half, Q(0))
        for t in range(1, p["t"]):
            found = tuple(half * x - half * c for x, c in zip(found, noise({"xc": p["past"][t][0]}), strict=True))
        return found

    smaller = lambda p: (Q(p["xc"], 2), Q(p["xc"] if p["t"] == 1 else 0, 2))  # noqa: E731
    given = {"C": Q(1), "c": noise, "c_t": noise, "P": path, "b": smaller, "eta": half, "r": half, "h": half}
    return Attempt(given=given)


def _rounding() -> Attempt:
    """v = low + g e/3 is rounded to low, or with probability 1/3 to low + g e; e = (3/5, 4/5)."""
    low = lambda p: (Q(p["i"] + 1), Q(1))  # noqa: E731
    moved = lambda p, share: tuple(x + share * y / 2 for x, y in zip(low(p), (Q(3, 5), Q(4, 5)), strict=True))  # noqa: E731
    given = {"e": (Q(3, 5), Q(4, 5)), "g": Q(1, 2), "low": low, "v": lambda p: moved(p, Q(1, 3))}
    return Attempt(given={**given, "Q": lambda p: moved(p, Q(p["xi"] == 2))})


def _sublinear() -> Attempt:
    """d = 2/t, eta = eta_max = 1/2."""
    d, d1 = (lambda p: Q(2, p["t"])), (lambda p: Q(2, p["t"] + 1))
    numbers = {"eta": Q(1, 2), "h": Q(1, 2), "b": Q(1), "s": Q(1), "n": Q(2)}
    return Attempt(given={**numbers, "d": d, "d1": d1, "gap": lambda p: Q(1, p["t"])})


def _from_one_point() -> Attempt:
    """Clients that leave one point, one step after the other."""
    away = lambda t, k: (1 + Q(t - 1) * (k + 1), Q(1))  # noqa: E731
    given = {"x": (Q(1), Q(1)), "y": lambda p: away(p["t"], p["k"]), "y1": lambda p: away(p["t"] + 1, p["k"])}
    return Attempt(given=given)


def _powers() -> Attempt:
    """(1 + q/K)^j and their sums, q = 1/2 and K = 2."""
    power, next_power = run(Q(1), lambda x, t: x * Q(5, 4))
    total, next_total = sums(lambda t: Q(5, 4) ** (t - 1))
    return Attempt(given={"q": Q(1, 2), "P": power, "P1": next_power, "S": total, "S1": next_total})


def _distances() -> Attempt:
    """Distances 2/t, errors that take half of what they fall by."""
    d, d1 = (lambda p: Q(2, p["t"])), (lambda p: Q(2, p["t"] + 1))
    error = lambda p: 4 * (d(p) - d1(p))  # noqa: E731
    return Attempt(given={"beta": Q(1), "distance": d, "distance_after": d1, "error": error})


def _groups() -> Attempt:
    """Answers with variance 1 in each of two groups that count 1/3 and 2/3: a cohort of 9/5."""
    noise = lambda p: (Q(p["xi"][p["i"]], 2),) * 2  # noqa: E731
    return Attempt(given={"S": Q(9, 5), "v": Q(1), "e": noise})


def _stationary() -> Attempt:
    """lam = 1, e = 1/2, noise of variance 1: |x|^2 is at most 1/3."""
    x = lambda p: (Q(1, 2), Q(0)) if p["past"] == "heads" else (Q(1, 4), Q(1, 4))  # noqa: E731
    noise = lambda p: (Q(p["xi"], 2),) * 2  # noqa: E731
    return Attempt(given={"lam": Q(1), "e": Q(1, 2), "sigma2": Q(1), "n": noise, "c": (Q(3, 5), Q(4, 5)), "x": x})


def _two_laws() -> Attempt:
    """Far enough from 0 to come nearer with steps of 1/2, and near enough to go away with steps of 1/4."""
    sign = lambda p: Q(1 if p["past"] == "heads" else -1)  # noqa: E731
    given = {"tau": Q(1), "K": Q(2), "more": Q(4), "n": lambda p: (Q(p["xi"], 2),) * 2}
    return Attempt(given={**given, "x": lambda p: (sign(p), Q(1, 4)), "y": lambda p: (sign(p) / 4, Q(1, 8))})


def _around(p: Point) -> Vector:
    """Local models on both sides of x = (1/2, 1/2), whose mean it is."""
    return Q(1, 2) + (Q(1, 2), Q(-1, 4))[p["k"]], Q(1, 2)


def _at_rest(*names: str, x: Vector = (Q(1, 2), Q(1, 2)), **more: Any) -> Attempt:
    """F = |x - (1, 0)|^2/4 and C = |x - (0, 1)|^2/4, whose gradients at x = (1/2, 1/2) are opposite: no step leaves x."""
    functions = {"F": parabola((Q(1), Q(0))), "C": parabola((Q(0), Q(1)))}
    given = {
        "beta": Q(1),
        "x": x,
        "h": (Q(1, 4), Q(-1, 4)),
        "v": (Q(-1, 4), Q(1, 4)),
        **dict.fromkeys(names, x),
        **more,
    }
    return Attempt(given=given, functions=functions)


def _clients_that_differ() -> Attempt:
    """Three clients with a loss each, whose mean is least at (1/2, 1/2), and f, their mean with that of the centre."""
    centres: tuple[Vector, ...] = (Q(0), Q(0)), (Q(3, 2), Q(0)), (Q(0), Q(3, 2))
    losses, (central, slope) = [parabola(c) for c in centres], parabola((Q(3, 2), Q(1, 2)))
    value = lambda x, p: central(x, p) + sum((one(x, p) for one, _ in losses), Q(0)) / 3  # noqa: E731
    total = lambda x, p: plus(slope(x, p), times(Q(1, 3), plus(*(one(x, p) for _, one in losses))))  # noqa: E731
    clients = tuple(lambda x, p, i=i: losses[p["k"]][i](x, p) for i in (0, 1))
    functions = {"ff": clients, "fc": (central, slope), "f": (value, total)}
    given = {"mu": Q(1, 4), "x": (Q(2), Q(2)), "xs": (Q(1), Q(1, 2))}
    return Attempt(spread=Q(1, 64), given=given, functions=functions)


#: By the title of a derivation, what is tried for those of this title, one after the other.
MIXED: Mapping[str, tuple[Attempt, ...]] = {
    "2*e**2*sq(M + n) <= 4*e**2*sq(M) + 4*e**2*V/(K*S) for e >= 0; V >= 0; K >= 1; S >= 1": (
        Attempt(given={"e": Q(1), "S": Q(2), "K": Q(2)}),
    ),
    "Mixed FL, Section 4.3": (Attempt(), _uncorrelated()),
    "Mixed FL, central noise of a round": (_central_noise(),),
    "Mixed FL, Appendix A.1, rounding": (_rounding(),),
    "Mixed FL, sublinear recursion": (_sublinear(),),
    "Mixed FL, equation (12)": (_from_one_point(),),
    "Mixed FL, Appendix D.2, sums of powers": (_powers(),),
    "Mixed FL, Definition D.1": (Attempt(given={"q": lambda p: (Q(1), Q(1, 4))[p["s"]]}),),
    "Mixed FL, Definitions D.1 and D.4": (Attempt(given={"x": (Q(1, 4), Q(1, 2)), "y": (Q(5, 4), Q(1, 2))}),),
    "Mixed FL, recursion of clients that differ": (_clients_that_differ(),),
    "Mixed FL, Section 6, a cohort drawn from groups": (_groups(),),
    "Mixed FL, equation (6)": (_stationary(),),
    "Mixed FL, errors from the convex recursion without noise": (_distances(),),
    "sq(y) <= sq(x) for tau > 0; K > tau; more >= K": (_two_laws(),),
    "sq(f + a)/w + sq(c - a)/(1 - w) <= (1 + 1/delta)/(w*(1 - w))*sq(a) + (1 + delta)/w*sq(f + c) "
    "for 0 < w <= 1/2; delta > 0": (Attempt(given={"f": (Q(1), Q(0)), "c": (Q(1, 2), Q(1))}),),
    "Mixed FL, FedAvg at rest": (_at_rest("last_F", "yF", x=(Q(1), Q(0))),),
    "Mixed FL, 1-way Gradient Transfer at rest": (_at_rest("last_F", "yF"),),
    "Mixed FL, 2-way Gradient Transfer at rest": (
        _at_rest("last_C", "yC", "still", "end_C", last_F=_around, end_F=_around),
    ),
    "Mixed FL, 2-way Gradient Transfer with clients that are alike at rest": (
        _at_rest("last_F", "last_F2", "last_C", "yF", "yF2", "yC"),
    ),
    "sq(g_x)/w + sq(g_y)/(1 - w) <= 2*sq(g_xs)/(w*(1 - w)) + (1 + 2*(beta/m)**2/(w*(1 - w)))*sq(f) "
    "for 0 < w < 1; beta > 0; m > 0": (
        Attempt(
            given={"w": Q(1, 3), "beta": Q(1), "m": Q(1, 2), "x": (Q(3), Q(1)), "xs": (Q(1, 2), Q(1, 2))},
            functions={"ff": parabola((Q(1), Q(0))), "fc": parabola((Q(0), Q(1)))},
        ),
    ),
    "mu <= beta for beta >= 0; mu >= 0": (
        Attempt(
            given={"beta": Q(1), "mu": Q(1, 4), "x": (Q(2), Q(1)), "e": (Q(3, 5), Q(4, 5))},
            functions={"h": parabola((Q(0), Q(0)))},
        ),
    ),
}
