"""FedLAMA, Li et al. and the lecture note: sums over steps and layers, weights and samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction as Q
from typing import Any

from fltheory.derivation.draws import Attempt
from fltheory.derivation.quadratics import some_vector
from tests.derivation.by_hand.pieces import Point, Vector, drawn, parabola, plus, sums, times


def _of_different_clients() -> Attempt:
    """Noises of two clients along two axes, so that their mean is smaller."""
    noise = lambda p: (drawn(p), Q(0)) if p["k"] == 0 else (Q(0), drawn(p))  # noqa: E731
    return Attempt(given={"n": noise, "s": Q(2), "m": Q(9, 5)})


def _sums_of_drifts(shift: int) -> Attempt:
    """Drifts 1, 2, ...; sums of them, and of their multiples."""
    drifts, with_this = sums(lambda t: Q(t))
    weighted, next_weighted = sums(lambda t: (t - 1 - shift) * drifts({"t": t}))
    given = {"D": lambda p: Q(p["t"]), "S": drifts, "S1": with_this, "W": weighted, "W1": next_weighted}
    return Attempt(given=given)


def _sums_of_gradients() -> Attempt:
    """Gradients (1, t), their mean so far, and noises that add up."""

    def total(p: Point) -> tuple[Q, ...]:
        drawn = sum((Q(p["past"][s][0]) for s in range(1, p["t"])), Q(0))
        return drawn / 2, drawn / 3

    mean = lambda p: (Q(p["t"] > 1), Q(p["t"], 2) * (p["t"] > 1))  # noqa: E731
    squares, next_squares = sums(lambda t: Q(1 + t**2))
    given = {"g": lambda p: (Q(1), Q(p["t"])), "p": mean, "a": total, "noise": lambda p: (Q(p["xi"], 2), Q(p["xi"], 3))}
    return Attempt(given={**given, "sigma": Q(1), "Q": squares, "Q1": next_squares})


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


def _scaled_weights() -> Attempt:
    """N p = 1/2 and 5/4, at clients that count 1/3 and 2/3."""
    share = lambda p: (Q(1, 2), Q(5, 4))[p["k"]]  # noqa: E731
    given = {"N": Q(2), "share": share, "p": lambda p: share(p) / 2, "largest": Q(5, 8), "smallest": Q(1, 4)}
    return Attempt(given=given)


def _noises_that_add_up() -> Attempt:
    """One noise at each time, and their sum."""
    noise = lambda x: (Q(x, 2), Q(x, 3))  # noqa: E731
    total = lambda p: noise(sum(Q(p["past"][s][0]) for s in range(1, p["t"])))  # noqa: E731
    return Attempt(given={"N": Q(2), "n": lambda p: noise(p["xi"]), "S": total})


def _of_samples() -> Attempt:
    """F_k = |x - c|^2/2 about a random c of variance 1/n_k, n = 1 and 4."""
    centre = lambda p: plus((Q(1), Q(2)), ((Q(p["xi"], 2 * (p["k"] + 1))),) * 2)  # noqa: E731
    away = lambda x, p: plus(x, times(Q(-1), centre(p)))  # noqa: E731
    functions = {"F": (lambda x, p: sum((a * a for a in away(x, p)), Q(0)) / 2, away)}
    minimiser = lambda p: plus(times(Q(1, 3), centre({**p, "k": 0})), times(Q(2, 3), centre({**p, "k": 1})))  # noqa: E731
    given = {
        "mu": Q(1),
        "s": Q(1),
        "M": Q(1),
        "n": lambda p: Q((p["k"] + 1) ** 2),
        "r": lambda p: Q(1, (p["k"] + 1) ** 2),
    }
    return Attempt(given={**given, "w0": (Q(1), Q(2)), "best": centre, "wstar": minimiser}, functions=functions)


def _about_a_minimiser(name: str) -> tuple[Attempt, ...]:
    """|x - c|^2/4, whose minimiser c has the name, between the curvatures 1/4 and 1."""
    centre = (Q(1), Q(-2))
    given: dict[str, Any] = {
        name: centre,
        "L": Q(1),
        "mu": Q(1, 4),
        "D": Q(400),
        "w": (Q(3), Q(1)),
        "wstar": (Q(3), Q(1)),
    }
    return (Attempt(given=given, functions={"F": parabola(centre)}),)


def _small_changes() -> Attempt:
    """Gradients of local steps far from d, of which a is what changes."""
    given = {"L": Q(1), "m": Q(2), "s": Q(1, 12), "u": (Q(2), Q(0)), "a": lambda p: (Q(1), Q(p["j"], 2))}
    given |= {"d": lambda p: (Q(-12), Q(p["j"]))}
    return Attempt(given=given, functions={"F": parabola((Q(0), Q(0)))})


#: By the title of a derivation, what is tried for those of this title, one after the other.
OTHERS: Mapping[str, tuple[Attempt, ...]] = {
    "sq(z - eta*n - mean(z - eta*n, k)) = sq(z - mean(z, k)) + eta**2*s*(1 - 1/m) for eta > 0; s >= 0; m >= 1": (
        _of_different_clients(),
    ),
    "mean(s, k) <= mean(z, k) for t > 0": (
        Attempt(given={"t": Q(1), "z": lambda p: Q(3 + p["k"]), "v": Q(1), "s": Q(1), "q": Q(1, 2)}),
    ),
    "FedLAMA, some layers averaged": (_layers(),),
    "FedLAMA, sums of the drifts": (_sums_of_drifts(0), _sums_of_drifts(1)),
    "FedLAMA, (23)": (_sums_of_gradients(),),
    "Lecture note, noises of several clients": (_noises_that_add_up(),),
    "Li et al., Gamma of i.i.d. samples": (_of_samples(),),
    "Li et al., Gamma and the clients' minimisers": (
        Attempt(given={"best": lambda p: some_vector("centre", "F", p["k"])}),
    ),
    "Li et al., rescaled moments in the average": (_scaled_weights(),),
    "mu/2*sq(wstar - best) <= f_wstar - f_best for mu > 0": _about_a_minimiser("best"),
    "f_wstar - f_best <= L/2*sq(wstar - best) for L > 0": _about_a_minimiser("best"),
    "f_w - f_star <= L/2*D for L > 0; D >= 0": _about_a_minimiser("star"),
    "f_w - f_star <= L/2*sq(w - star) for L > 0": _about_a_minimiser("star"),
    "f_w - f_star <= L/2*sq(w - star) for L > 0; mu > 0": _about_a_minimiser("star"),
    "sq(g_u + a) - 2/(s*m)*(f_u - f_w) <= sq(mean(d, j)) + 1/50*sq(d - mean(d, j)) for L > 0; m >= 1; 0 < s <= 1/(6*L*m)": (
        _small_changes(),
    ),
}
