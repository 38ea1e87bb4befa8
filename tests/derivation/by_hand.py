"""Instances that are told by hand, for derivations whose hypotheses need each other more than what is made by itself allows.

Numbers, vectors (of two dimensions) and values by name, constants or functions of a point; what is not named is made as elsewhere.
Times begin with 1; ``past[t]`` is what was drawn at time t; a noise is -1 or 2, with probabilities 2/3 and 1/3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction as Q
from typing import Any

from fltheory.derivation.draws import Attempt
from fltheory.derivation.quadratics import some_vector

Point = Mapping[str, Any]
At = Callable[[Point], Any]
Vector = tuple[Q, ...]


def _sums(term: Callable[[int], Any], begin: Any = Q(0)) -> tuple[At, At]:
    """What has been added up before a time, and with that time."""
    before = lambda p: begin + sum((term(s) for s in range(1, p["t"])), Q(0))  # noqa: E731
    return before, lambda p: before(p) + term(p["t"])


def _run(first: Any, step: Callable[[Any, int], Any]) -> tuple[At, At]:
    """A value from time to time, and the next one."""

    def at(time: int) -> Any:
        found = first
        for t in range(1, time):
            found = step(found, t)
        return found

    return lambda p: at(p["t"]), lambda p: at(p["t"] + 1)


def _drawn(p: Point, axis: str = "xi") -> Q:
    """The number drawn, of this client if each has one."""
    found = p[axis]
    return Q(found[p.get("k", 0)] if isinstance(found, tuple) else found)


def _rounds(times: int, **numbers: Q) -> Attempt:
    """Parallel Training, so many rounds, noise in the first of them, local points near the model, eta_s eta_m >= sqrt(S).

    At the accuracy eps the root in 1/e is rational; the rounds are enough, their number is that of the bound rounded up, and the
    first model is not accurate.
    """
    return Attempt(times, noisy=1, spread=Q(1, 1024), given={"B": Q(1), "G": Q(3), "root_u": Q(1, 2), **numbers})


def _of_different_clients() -> Attempt:
    """Noises of two clients along two axes, so that their mean is smaller."""
    noise = lambda p: (_drawn(p), Q(0)) if p["k"] == 0 else (Q(0), _drawn(p))  # noqa: E731
    return Attempt(given={"n": noise, "s": Q(2), "m": Q(9, 5)})


def _uncorrelated() -> Attempt:
    """The clients' noise along one axis, the central one along the other."""
    return Attempt(given={"each": lambda p: (_drawn(p) / 2, Q(0)), "eb": lambda p: (Q(0), _drawn({"xi": p["xi"]}) / 2)})


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


def _weights(begun: Callable[[int], Q] = lambda t: Q(1, t), q: Q = Q(1, 2), **more: Q) -> Attempt:
    """Two rounds with weights that grow by 1/(1 - q), at distances ``begun`` of times 1, 2 and 3."""
    keep = 1 - q
    w, weight = (lambda p: keep ** (2 - p["t"])), (lambda p: keep ** (1 - p["t"]))
    cum, cum1 = _sums(lambda t: keep ** (1 - t))
    z, after = _run(Q(1), lambda z, t: keep * z)
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


def _powers() -> Attempt:
    """(1 + q/K)^j and their sums, q = 1/2 and K = 2."""
    power, next_power = _run(Q(1), lambda x, t: x * Q(5, 4))
    total, next_total = _sums(lambda t: Q(5, 4) ** (t - 1))
    return Attempt(given={"q": Q(1, 2), "P": power, "P1": next_power, "S": total, "S1": next_total})


def _nearly(R: int, slope: Q, factor: int, step: Callable[[Q, Q, Q], Q]) -> Attempt:
    """Two clients' largest steps with mu = G = 1 and K = 2: ``step`` from x, (1 - s)^2 and s; s is ``factor`` times the level."""
    level = lambda t: 1 / (R * (1 + slope * (t - 1)))  # noqa: E731
    power = lambda t: (1 - factor * level(t)) ** 2  # noqa: E731
    x, x1 = _run(Q(1, R), lambda x, t: step(x, power(t), factor * level(t)))
    return Attempt(given={"mu": Q(1), "G": Q(1), "K": Q(2), "R": Q(R), "P": lambda p: power(p["t"]), "x": x, "x1": x1})


def _sums_of_drifts(shift: int) -> Attempt:
    """Drifts 1, 2, ...; sums of them, and of their multiples."""
    drifts, with_this = _sums(lambda t: Q(t))
    weighted, next_weighted = _sums(lambda t: (t - 1 - shift) * drifts({"t": t}))
    given = {"D": lambda p: Q(p["t"]), "S": drifts, "S1": with_this, "W": weighted, "W1": next_weighted}
    return Attempt(given=given)


def _sums_of_gradients() -> Attempt:
    """Gradients (1, t), their mean so far, and noises that add up."""

    def total(p: Point) -> tuple[Q, ...]:
        drawn = sum((Q(p["past"][s][0]) for s in range(1, p["t"])), Q(0))
        return drawn / 2, drawn / 3

    mean = lambda p: (Q(p["t"] > 1), Q(p["t"], 2) * (p["t"] > 1))  # noqa: E731
    squares, next_squares = _sums(lambda t: Q(1 + t**2))
    given = {"g": lambda p: (Q(1), Q(p["t"])), "p": mean, "a": total, "noise": lambda p: (Q(p["xi"], 2), Q(p["xi"], 3))}
    return Attempt(given={**given, "sigma": Q(1), "Q": squares, "Q1": next_squares})


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


def _scaled_weights() -> Attempt:
    """N p = 1/2 and 5/4, at clients that count 1/3 and 2/3."""
    share = lambda p: (Q(1, 2), Q(5, 4))[p["k"]]  # noqa: E731
    given = {"N": Q(2), "share": share, "p": lambda p: share(p) / 2, "largest": Q(5, 8), "smallest": Q(1, 4)}
    return Attempt(given=given)


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


def _steps_of_a_quarter(grows: Callable[[Q], Q]) -> Attempt:
    """mu = G = 1, K = 2, R = 4, a step of 1/4 in each round, so that the power is 1/4; from m = x^0 = 1/4."""
    x, x1 = _run(Q(1, 4), lambda x, t: grows(x))
    given = {"mu": Q(1), "G": Q(1), "K": Q(2), "R": Q(4), "m": Q(1, 4), "x_0": Q(1, 4), "a": Q(3, 4)}
    return Attempt(given={**given, "eta": Q(1, 4), "P": Q(1, 4), "x": x, "x1": x1})


def _half_of_square(centre: Vector) -> tuple[Callable[[Vector, Point], Q], Callable[[Vector, Point], Vector]]:
    """|x - c|^2/4 and its gradient."""
    away = lambda x: tuple(a - b for a, b in zip(x, centre, strict=True))  # noqa: E731
    return lambda x, p: sum((a * a for a in away(x)), Q(0)) / 4, lambda x, p: tuple(a / 2 for a in away(x))


def _at_rest(*names: str, x: Vector = (Q(1, 2), Q(1, 2)), **more: Any) -> Attempt:
    """F = |x - (1, 0)|^2/4 and C = |x - (0, 1)|^2/4, whose gradients at x = (1/2, 1/2) are opposite: no step leaves x."""
    functions = {"F": _half_of_square((Q(1), Q(0))), "C": _half_of_square((Q(0), Q(1)))}
    given = {
        "beta": Q(1),
        "x": x,
        "h": (Q(1, 4), Q(-1, 4)),
        "v": (Q(-1, 4), Q(1, 4)),
        **dict.fromkeys(names, x),
        **more,
    }
    return Attempt(given=given, functions=functions)


def _around(p: Point) -> Vector:
    """Local models on both sides of x = (1/2, 1/2), whose mean it is."""
    return Q(1, 2) + (Q(1, 2), Q(-1, 4))[p["k"]], Q(1, 2)


def _drifts() -> Attempt:
    """Local points that leave x by noises that add up."""
    path = lambda p, more: tuple(  # noqa: E731
        Q(1) + (sum((Q(p["past"][s][0]) for s in range(1, p["t"])), Q(0)) + more) / part for part in (2, 3)
    )
    given = {"x": (Q(1), Q(1)), "y": lambda p: path(p, Q(0)), "later": lambda p: path(p, Q(p["xi"]))}
    return Attempt(given=given)


def _layers() -> Attempt:
    """Two clients and two layers, of which the second is averaged at the first time."""
    go = lambda l, t: Q(l == 0 or t == 2)  # noqa: E731, E741
    weights = (Q(1, 3), Q(2, 3))

    def averaged(of: Callable[[int], Vector], k: int, going: Q) -> Vector:
        mean = [sum(w * x for w, x in zip(weights, both, strict=True)) for both in zip(of(0), of(1), strict=True)]
        return tuple(going * x + (1 - going) * m for x, m in zip(of(k), mean, strict=True))

    def after(k: int, l: int, t: int) -> Vector:  # noqa: E741
        """v1 at a time: v at the next one, which is made of v1 there."""
        return (Q(k + 1), Q(l + 2)) if t >= 3 else averaged(lambda i: after(i, l, t + 1), k, go(l, t + 1))

    def noise(k: int, xi: Any) -> Vector:
        return Q(xi, 2), Q((k + 1) * xi, 3)

    def sums(k: int, l: int, past: Any, t: int) -> Vector:  # noqa: E741
        if t == 1:
            return Q(0), Q(0)
        here = lambda i: tuple(map(sum, zip(sums(i, l, past, t - 1), noise(i, past[t - 1][0]), strict=True)))  # noqa: E731
        return averaged(here, k, go(l, t - 1))

    given: dict[str, Any] = {"go": lambda p: go(p["l"], p["t"]), "v1": lambda p: after(p["k"], p["l"], p["t"])}
    given |= {"noise": lambda p: noise(p["k"], p["xi"]), "a": lambda p: sums(p["k"], p["l"], p["past"], p["t"])}
    return Attempt(given=given)


def _plus(*terms: Vector) -> Vector:
    return tuple(sum(one, Q(0)) for one in zip(*terms, strict=True))


def _times(factor: Q, x: Vector) -> Vector:
    return tuple(factor * a for a in x)


def _local_round(weights: Sequence[Q], *, long: bool = False, **counts: Q) -> Attempt:
    """Two local steps of clients with losses |x - c_k|^2/4 from x, with noises that are uncorrelated between clients on average.

    ``long``: the last local points are x - e w/r, with e/r = 8.
    """
    centres, noises = ((Q(1), Q(0)), (Q(-1), Q(1)), (Q(0), Q(-2))), ((Q(1), Q(0)), (Q(0), Q(1)), (Q(1), Q(-1)))
    each = [_half_of_square(c) for c in centres]
    functions = {"f": tuple(lambda x, p, i=i: each[p["k"]][i](x, p) for i in range(2))}
    x, xs = (Q(2), Q(1)), _plus(*map(_times, weights, centres))
    moved = lambda k: (Q(-1, 8), Q(k + 1, 8))  # noqa: E731
    first = lambda p: _plus(x, moved(p["k"]), _times(Q(p["xi"], 8), noises[p["k"]]))  # noqa: E731
    # the gradient is (x - c)/2, so that the mean of both gradients is that at the middle of both points
    mean = lambda p: each[p["k"]][1](_plus(x, _times(Q(1, 2), moved(p["k"]))), p)  # noqa: E731
    noisy = lambda p: _plus(mean(p), _times(Q(p["xi"]), noises[p["k"]]))  # noqa: E731
    end = lambda p: _plus(x, _times(Q(-8), noisy(p))) if long else _plus(first(p), moved(p["k"]))  # noqa: E731
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
        return _plus(_times(1 - eta / 2, run(past, t - 1)), _times(-eta, drawn))

    given = {"beta": Q(1), "eta": eta, "sigma": Q(1), "K": Q(2), "z": lambda p: noise(p["xi"])}
    given |= {"y": lambda p: run(p["past"], p["t"]), "ref": lambda p: run((), p["t"])}
    return Attempt(given=given, functions={"h": _half_of_square((Q(0), Q(0)))})


def _noises_that_add_up() -> Attempt:
    """One noise at each time, and their sum."""
    noise = lambda x: (Q(x, 2), Q(x, 3))  # noqa: E731
    total = lambda p: noise(sum(Q(p["past"][s][0]) for s in range(1, p["t"])))  # noqa: E731
    return Attempt(given={"N": Q(2), "n": lambda p: noise(p["xi"]), "S": total})


def _of_samples() -> Attempt:
    """F_k = |x - c|^2/2 about a random c of variance 1/n_k, n = 1 and 4."""
    centre = lambda p: _plus((Q(1), Q(2)), ((Q(p["xi"], 2 * (p["k"] + 1))),) * 2)  # noqa: E731
    away = lambda x, p: _plus(x, _times(Q(-1), centre(p)))  # noqa: E731
    functions = {"F": (lambda x, p: sum((a * a for a in away(x, p)), Q(0)) / 2, away)}
    minimiser = lambda p: _plus(_times(Q(1, 3), centre({**p, "k": 0})), _times(Q(2, 3), centre({**p, "k": 1})))  # noqa: E731
    given = {
        "mu": Q(1),
        "s": Q(1),
        "M": Q(1),
        "n": lambda p: Q((p["k"] + 1) ** 2),
        "r": lambda p: Q(1, (p["k"] + 1) ** 2),
    }
    return Attempt(given={**given, "w0": (Q(1), Q(2)), "best": centre, "wstar": minimiser}, functions=functions)


def _small_steps() -> Attempt:
    """mu = G = 1, R = 4, gamma = 1/4, from m = x^0 = 1/512."""
    x, x1 = _run(Q(1, 512), lambda x, t: x * Q(3, 4) + Q(1, 1024))
    given = {"mu": Q(1), "G": Q(1), "R": Q(4), "gamma": Q(1, 4), "m": Q(1, 512), "x_0": Q(1, 512)}
    return Attempt(given={**given, "x": x, "x1": x1})


def _two_powers() -> Attempt:
    """mu = G = 1, K = 2, R = 4, steps of 1/4: the powers are 1/4 and 9/16; a = 3/4."""
    x, x1 = _run(Q(1, 4), lambda x, t: (x / 4 - Q(3, 8)) / 4 + (x * Q(9, 16) + Q(7, 16)) * Q(3, 4))
    given = {"mu": Q(1), "G": Q(1), "K": Q(2), "R": Q(4), "m": Q(1, 4), "x_0": Q(1, 4), "a": Q(3, 4)}
    return Attempt(given={**given, "A": Q(1, 4), "B": Q(9, 16), "x": x, "x1": x1})


#: By the title of a derivation, what is tried for those of this title, one after the other.
BY_HAND: Mapping[str, tuple[Attempt, ...]] = {
    "Mixed FL, Parallel Training, convex": (
        _rounds(30, eps=Q(9), root=Q(3)),
        _rounds(46, eps=Q(9), root=Q(9, 4), root_v=Q(3, 4)),
    ),
    "Mixed FL, Parallel Training, non-convex": (
        _rounds(16, eps=Q(25), root=Q(3)),
        _rounds(26, eps=Q(25), root=Q(9, 4), root_v=Q(3, 4)),
    ),
    "sq(z - eta*n - mean(z - eta*n, k)) = sq(z - mean(z, k)) + eta**2*s*(1 - 1/m) for eta > 0; s >= 0; m >= 1": (
        _of_different_clients(),
    ),
    "2*e**2*sq(M + n) <= 4*e**2*sq(M) + 4*e**2*V/(K*S) for e >= 0; V >= 0; K >= 1; S >= 1": (
        Attempt(given={"e": Q(1), "S": Q(2), "K": Q(2)}),
    ),
    "mean(s, k) <= mean(z, k) for t > 0": (
        Attempt(given={"t": Q(1), "z": lambda p: Q(3 + p["k"]), "v": Q(1), "s": Q(1), "q": Q(1, 2)}),
    ),
    "Mixed FL, Section 4.3": (Attempt(), _uncorrelated()),
    "Mixed FL, central noise of a round": (_central_noise(),),
    "Mixed FL, Appendix A.1, rounding": (_rounding(),),
    "Mixed FL, sublinear recursion": (_sublinear(),),
    "Mixed FL, equation (12)": (_from_one_point(),),
    "Mixed FL, Appendix D.2, sums of powers": (_powers(),),
    "Mixed FL, Definition D.1": (Attempt(given={"q": lambda p: (Q(1), Q(1, 4))[p["s"]]}),),
    "Mixed FL, Definitions D.1 and D.4": (Attempt(given={"x": (Q(1, 4), Q(1, 2)), "y": (Q(5, 4), Q(1, 2))}),),
    "Elastic aggregation, proof of Lemma 1, sum of the weights": (_weights(),),
    "Mixed FL, Section 6, a cohort drawn from groups": (_groups(),),
    "Mixed FL, equation (6)": (_stationary(),),
    "Mixed FL, errors from the convex recursion without noise": (_distances(),),
    "sq(y) <= sq(x) for tau > 0; K > tau; more >= K": (_two_laws(),),
    "sq(f + a)/w + sq(c - a)/(1 - w) <= (1 + 1/delta)/(w*(1 - w))*sq(a) + (1 + delta)/w*sq(f + c) "
    "for 0 < w <= 1/2; delta > 0": (Attempt(given={"f": (Q(1), Q(0)), "c": (Q(1, 2), Q(1))}),),
    "Elastic aggregation, A4": (_along_a_segment(),),
    "Elastic aggregation, bounded Hessian": (_bent(),),
    "Elastic aggregation, Lemma 9": (_steps_of_a_quarter(lambda x: x / 4 + Q(1, 16)),),
    "Elastic aggregation, Lemma 9 with small step sizes": (_small_steps(),),
    "Elastic aggregation, Theorem II, variant": (_two_powers(),),
    "Elastic aggregation, both drifts": (_drifts(),),
    "FedLAMA, some layers averaged": (_layers(),),
    "Mixed FL, FedAvg at rest": (_at_rest("last_F", "yF", x=(Q(1), Q(0))),),
    "Mixed FL, 1-way Gradient Transfer at rest": (_at_rest("last_F", "yF"),),
    "Mixed FL, 2-way Gradient Transfer at rest": (
        _at_rest("last_C", "yC", "still", "end_C", last_F=_around, end_F=_around),
    ),
    "Mixed FL, 2-way Gradient Transfer with clients that are alike at rest": (
        _at_rest("last_F", "last_F2", "last_C", "yF", "yF2", "yC"),
    ),
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
    "FedLAMA, sums of the drifts": (_sums_of_drifts(0), _sums_of_drifts(1)),
    "FedLAMA, (23)": (_sums_of_gradients(),),
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
    "Lecture note, noises of several clients": (_noises_that_add_up(),),
    "Li et al., Gamma of i.i.d. samples": (_of_samples(),),
    "Li et al., Gamma and the clients' minimisers": (
        Attempt(given={"best": lambda p: some_vector("centre", "F", p["k"])}),
    ),
    "Li et al., rescaled moments in the average": (_scaled_weights(),),
}
