"""Elastic aggregation: weights, steps inside a round, recursions and the rates of Theorem 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction as Q
from typing import Any

from fltheory.derivation.draws import Attempt
from tests.derivation.by_hand.pieces import Vector, parabola, plus, run, sums, times


def _weights(begun: Callable[[int], Q] = lambda t: Q(1, t), q: Q = Q(1, 2), **more: Q) -> Attempt:
    """Two rounds with weights that grow by 1/(1 - q), at distances ``begun`` of times 1, 2 and 3."""
    keep = 1 - q
    w, weight = (lambda p: keep ** (2 - p["t"])), (lambda p: keep ** (1 - p["t"]))
    cum, cum1 = sums(lambda t: keep ** (1 - t))
    z, after = run(Q(1), lambda z, t: keep * z)
    v, v1 = (lambda p: (begun(p["t"]),) * 2), (lambda p: (begun(p["t"] + 1),) * 2)
    psi = lambda p: 2 * w(p) * begun(p["t"]) ** 2 - 2 * weight(p) * begun(p["t"] + 1) ** 2 + weight(p)  # noqa: E731
    given = {
        "R": Q(1),
        "q": q,
        "eta": Q(1),
        "c": Q(1),
        "d0": Q(2),
        "P": keep,
        "h": Q(2, 3),
        "W": 1 + 1 / keep,
        "Z": 1 + keep,
    }
    given |= {"w": w, "own": w, "weight": weight, "cum": cum, "cum1": cum1, "v": v, "v1": v1, "psi": psi}
    return Attempt(given={**given, "z": z, "own_z": z, "after_z": after, **more})


def _nearly(R: int, slope: Q, factor: int, step: Callable[[Q, Q, Q], Q]) -> Attempt:
    """Two clients' largest steps with mu = G = 1 and K = 2: ``step`` from x, (1 - s)^2 and s; s is ``factor`` times the level."""
    level = lambda t: 1 / (R * (1 + slope * (t - 1)))  # noqa: E731
    power = lambda t: (1 - factor * level(t)) ** 2  # noqa: E731
    x, x1 = run(Q(1, R), lambda x, t: step(x, power(t), factor * level(t)))
    return Attempt(given={"mu": Q(1), "G": Q(1), "K": Q(2), "R": Q(R), "P": lambda p: power(p["t"]), "x": x, "x1": x1})


def _along_a_segment() -> Attempt:
    """h = |x|^2/2 from x to y, or z, at a quarter and at three quarters of the way."""
    x, y = (Q(1, 4), Q(1, 2)), (Q(-1, 2), Q(1))
    share = lambda p: Q(2 * p["j"] + 1, 4)  # noqa: E731
    there = lambda p: tuple(a + share(p) * (b - a) for a, b in zip(x, y, strict=True))  # noqa: E731
    half = lambda v: sum(a * a for a in v) / 2  # noqa: E731
    given = {"beta": Q(1), "x": x, "y": y, "z": y, "g_x": x, "share": share, "g_t": there}
    return Attempt(given={**given, "h_x": half(x), "h_y": half(y), "h_z": half(y)})


def _bent() -> Attempt:
    """The Hessian times y - x is half as large at one step as the change of the gradient, and as much larger at the other."""
    given = {"x": (Q(1), Q(2)), "y": (Q(2), Q(3)), "g_x": (Q(1), Q(1)), "g_y": (Q(3, 2), Q(1)), "beta": Q(1)}
    return Attempt(given={**given, "H_s": lambda p: (Q(2 * p["j"] + 1, 4), Q(0))})


def _steps_of_a_quarter(grows: Callable[[Q], Q]) -> Attempt:
    """mu = G = 1, K = 2, R = 4, a step of 1/4 in each round, so that the power is 1/4; from m = x^0 = 1/4."""
    x, x1 = run(Q(1, 4), lambda x, t: grows(x))
    given = {"mu": Q(1), "G": Q(1), "K": Q(2), "R": Q(4), "m": Q(1, 4), "x_0": Q(1, 4), "a": Q(3, 4)}
    return Attempt(given={**given, "eta": Q(1, 4), "P": Q(1, 4), "x": x, "x1": x1})


def _small_steps() -> Attempt:
    """mu = G = 1, R = 4, gamma = 1/4, from m = x^0 = 1/512."""
    x, x1 = run(Q(1, 512), lambda x, t: x * Q(3, 4) + Q(1, 1024))
    given = {"mu": Q(1), "G": Q(1), "R": Q(4), "gamma": Q(1, 4), "m": Q(1, 512), "x_0": Q(1, 512)}
    return Attempt(given={**given, "x": x, "x1": x1})


def _two_powers() -> Attempt:
    """mu = G = 1, K = 2, R = 4, steps of 1/4: the powers are 1/4 and 9/16; a = 3/4."""
    x, x1 = run(Q(1, 4), lambda x, t: (x / 4 - Q(3, 8)) / 4 + (x * Q(9, 16) + Q(7, 16)) * Q(3, 4))
    given = {"mu": Q(1), "G": Q(1), "K": Q(2), "R": Q(4), "m": Q(1, 4), "x_0": Q(1, 4), "a": Q(3, 4)}
    return Attempt(given={**given, "A": Q(1, 4), "B": Q(9, 16), "x": x, "x1": x1})


def _drifts() -> Attempt:
    """Local points that leave x by noises that add up."""
    path = lambda p, more: tuple(  # noqa: E731
        Q(1) + (sum((Q(p["past"][s][0]) for s in range(1, p["t"])), Q(0)) + more) / part for part in (2, 3)
    )
    given = {"x": (Q(1), Q(1)), "y": lambda p: path(p, Q(0)), "later": lambda p: path(p, Q(p["xi"]))}
    return Attempt(given=given)


def _local_round(weights: Sequence[Q], *, long: bool = False, **counts: Q) -> Attempt:
    """Two local steps of clients with losses |x - c_k|^2/4 from x, with noises that are uncorrelated between clients on average.

    ``long``: the last local points are x - e w/r, with e/r = 8.
    """
    centres, noises = ((Q(1), Q(0)), (Q(-1), Q(1)), (Q(0), Q(-2))), ((Q(1), Q(0)), (Q(0), Q(1)), (Q(1), Q(-1)))
    each = [parabola(c) for c in centres]
    functions = {"f": tuple(lambda x, p, i=i: each[p["k"]][i](x, p) for i in range(2))}
    x, xs = (Q(2), Q(1)), plus(*map(times, weights, centres))
    moved = lambda k: (Q(-1, 8), Q(k + 1, 8))  # noqa: E731
    first = lambda p: plus(x, moved(p["k"]), times(Q(p["xi"], 8), noises[p["k"]]))  # noqa: E731
    # the gradient is (x - c)/2, so that the mean of both gradients is that at the middle of both points
    mean = lambda p: each[p["k"]][1](plus(x, times(Q(1, 2), moved(p["k"]))), p)  # noqa: E731
    noisy = lambda p: plus(mean(p), times(Q(p["xi"]), noises[p["k"]]))  # noqa: E731
    end = lambda p: plus(x, times(Q(-8), noisy(p))) if long else plus(first(p), moved(p["k"]))  # noqa: E731
    given: dict[str, Any] = {
        "beta": Q(1),
        "mu": Q(1, 4),
        "B": Q(1),
        "G": Q(3),
        "sigma": Q(3),
        "K": Q(2),
        "x": x,
        "xs": xs,
    }
    given |= {"y": lambda p: first(p) if p["j"] else x, "later": lambda p: end(p) if p["j"] else first(p), "end": end}
    given |= {"v": mean, "w": noisy, **({"e": Q(1, 16), "r": Q(1, 128)} if long else {}), **counts}
    return Attempt(given=given, functions=functions)


def _local_rounds(*, long: bool = False) -> tuple[Attempt, ...]:
    """Of all clients, and of two of three."""
    two, three = (Q(1, 3), Q(2, 3)), (Q(1, 3),) * 3
    return _local_round(two, long=long, count=Q(9, 5)), _local_round(three, long=long, count=Q(3), size=Q(2))


def _beside_a_run_without_noise(eta: Q) -> Attempt:
    """Steps on |x|^2/4 from (1, 1), with noise and without."""
    noise = lambda x: (Q(x, 2), Q(x, 3))  # noqa: E731

    def run(past: Any, t: int) -> Vector:
        if t == 1:
            return Q(1), Q(1)
        drawn = noise(past[t - 1][0]) if past else (Q(0), Q(0))
        return plus(times(1 - eta / 2, run(past, t - 1)), times(-eta, drawn))

    given = {"beta": Q(1), "eta": eta, "sigma": Q(1), "K": Q(2), "z": lambda p: noise(p["xi"])}
    given |= {"y": lambda p: run(p["past"], p["t"]), "ref": lambda p: run((), p["t"])}
    return Attempt(given=given, functions={"h": parabola((Q(0), Q(0)))})


def _with_weights(**more: Any) -> Attempt:
    """The strongly convex rate: 14 rounds at e = 1/16 with mu = beta = 1, so that (1 - e/2)^13 is at most 2/3.

    All clients have the loss |x - (1, -1)|^2/2: after the first round nothing is drawn, not even a cohort.
    """
    keep, count = Q(31, 32), 13
    cum, cum1 = sums(lambda t: keep ** (1 - t))
    given = {
        "mu": Q(1),
        "beta": Q(1),
        "B": Q(1),
        "e": Q(1, 16),
        "half": Q(2, 3),
        "Z": Q(2),
        "R": Q(count),
        "P": keep**count,
    }
    given |= {"w": lambda p: keep ** (2 - p["t"]), "own": lambda p: keep ** (2 - p["t"]), "cum": cum, "cum1": cum1}
    given |= {"weight": lambda p: keep ** (1 - p["t"]), "W": sum(keep ** (1 - t) for t in range(1, count + 2))}
    return Attempt(count + 1, noisy=1, spread=Q(1, 1024), given={**given, **more.pop("given", {})}, **more)


def _in_three_parts(**numbers: Q) -> Attempt:
    """Two rounds, 1/e = 16 + X + U with X = 2 for the noise and U for the drift, whose roots are rational."""
    given = {"beta": Q(1), "B": Q(1), "root": Q(1, 2), "X": Q(2), "R": Q(1), "M2": Q(32), **numbers}
    return Attempt(spread=Q(1, 1024), given=given)


_CONVEX, _SMOOTH = (
    {"D": Q(4), "U": Q(2), "G": Q(8, 3), "e": Q(1, 20)},
    {"F": Q(8), "U": Q(5, 2), "G": Q(5), "e": Q(2, 41)},
)
#: By the title of a derivation, what is tried for those of this title, one after the other.
ELASTIC: Mapping[str, tuple[Attempt, ...]] = {
    "Elastic aggregation, proof of Lemma 1, sum of the weights": (_weights(),),
    "Elastic aggregation, A4": (_along_a_segment(),),
    "Elastic aggregation, bounded Hessian": (_bent(),),
    "Elastic aggregation, Lemma 9": (_steps_of_a_quarter(lambda x: x / 4 + Q(1, 16)),),
    "Elastic aggregation, Lemma 9 with small step sizes": (_small_steps(),),
    "Elastic aggregation, Theorem II, variant": (_two_powers(),),
    "Elastic aggregation, both drifts": (_drifts(),),
    "Elastic aggregation, Theorem II": (_steps_of_a_quarter(lambda x: x * Q(13, 16) + Q(9, 32)),),
    "Elastic aggregation, Lemma 1": (_weights(K=Q(1)),),
    "Elastic aggregation, Lemma 1, lower bound": (_weights(lambda t: Q(3 - t, 2), a=Q(1, 2), unit=Q(2)),),
    "Elastic aggregation, proof of Lemma 1, before tuning": (_weights(), _weights(q=Q(9, 10))),
    "Elastic aggregation, proof of Lemma 1, second case": (_weights(b=Q(2), a=Q(1), unit=Q(1)),),
    "Elastic aggregation, steps that nearly attain Lemma 9": (
        _nearly(8, Q(1, 4), 4, lambda x, power, s: x * power + (s - (1 - power) / 2) / 2),
    ),
    "Elastic aggregation, steps that nearly attain Theorem II": (
        _nearly(4, Q(1, 8), 2, lambda x, power, s: x * (1 + power) / 2 + (s - (1 - power) / 2) / 2),
    ),
    **dict.fromkeys(
        (
            "Elastic aggregation, Lemma 7",
            "Elastic aggregation, proof of Lemma 7, expansion",
            "Elastic aggregation, proof of Lemma 7, gradients apart",
            "Elastic aggregation, proof of Lemma 7, noise apart",
            "Elastic aggregation, proof of Lemma 7, products",
            "Elastic aggregation, proof of Lemma 7, second moment",
            "Elastic aggregation, proof of Lemma 7, without replacement",
        ),
        _local_rounds(),
    ),
    "Elastic aggregation, Lemma 7, long local steps": _local_rounds(long=True),
    "Elastic aggregation, distance from a run without noise": (_beside_a_run_without_noise(Q(1, 2)),),
    "Elastic aggregation, distance from a run without noise on smooth losses": (_beside_a_run_without_noise(Q(1, 32)),),
    "Elastic aggregation, strongly convex rate, all clients": (_with_weights(),),
    "Elastic aggregation, strongly convex rate, some clients": (
        _with_weights(functions={"f": parabola((Q(1), Q(-1)), Q(1))}, given={"xs": (Q(1), Q(-1))}),
    ),
    "Elastic aggregation, general convex rate, all clients": (_in_three_parts(V=Q(64, 3), size=Q(2), **_CONVEX),),
    "Elastic aggregation, general convex rate, some clients": (_in_three_parts(V=Q(1472, 81), **_CONVEX),),
    "Elastic aggregation, rate without convexity, all clients": (_in_three_parts(V=Q(64, 3), size=Q(2), **_SMOOTH),),
    "Elastic aggregation, rate without convexity, some clients": (_in_three_parts(V=Q(92, 9), **_SMOOTH),),
}
