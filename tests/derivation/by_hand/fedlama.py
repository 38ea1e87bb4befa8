"""FedLAMA: local steps of two clients, of which some layers or all are averaged; the two dimensions are the layers.

The clients' losses are quadratic, and noise is drawn at the steps that are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction as Q
from functools import cache
from itertools import product
from typing import Any

from fltheory.derivation.draws import Attempt
from tests.derivation.by_hand.pieces import Function, Point, Vector, drawn, plus, times

CENTRES = ((Q(1), Q(1)), (Q(-1), Q(1)))
HALF: Vector = (Q(1, 2), Q(1, 2))
ALIKE, ONE_TO_TWO = (Q(1, 2), Q(1, 2)), (Q(1, 3), Q(2, 3))
START: Vector = (Q(2), Q(-1))


def _losses(*bends: Vector, centres: tuple[Vector, ...] = CENTRES) -> Function:
    """sum_i b_i (x_i - c_i)^2/2 with the curvatures b and the centre c of each client."""

    def slope(x: Vector, p: Point) -> Vector:
        return tuple(b * (y - c) for b, y, c in zip(bends[p["k"]], x, centres[p["k"]], strict=True))

    def value(x: Vector, p: Point) -> Q:
        return sum((b * (y - c) ** 2 for b, y, c in zip(bends[p["k"]], x, centres[p["k"]], strict=True)), Q(0)) / 2

    return value, slope


F = _losses(HALF, HALF)


def _slope(x: Vector, k: int) -> Vector:
    return F[1](x, {"k": k})


def _mean(*of: Vector, weights: tuple[Q, Q] = ALIKE) -> Vector:
    return plus(*map(times, weights, of))


def _in_part(own: tuple[Vector, Vector], k: int, share: Q, weights: tuple[Q, Q]) -> Vector:
    """The first layer of a client after this share of the way to the average, and the average of the second one."""
    mean = _mean(*own, weights=weights)
    return own[k][0] + share * (mean[0] - own[k][0]), mean[1]


def _any_schedule() -> Attempt:
    """Two steps of 1/2; half of the way to the average after the first, all of it after the second."""
    share = lambda p: Q(p["j"], 2)  # noqa: E731

    def at(k: int, j: int) -> Vector:
        if j == 1:
            return START
        own = [plus(at(i, j - 1), times(Q(-1, 2), _slope(at(i, j - 1), i))) for i in range(2)]
        moved = share({"j": j - 1})
        return plus(times(1 - moved, own[k]), times(moved, _mean(*own, weights=ONE_TO_TWO)))

    x = lambda p: at(p["k"], p["j"])  # noqa: E731
    given = {"eta": Q(1, 2), "tau": Q(2), "s": share, "e": (Q(3, 5), Q(4, 5)), "x": x}
    return Attempt(given={**given, "g": lambda p: _slope(x(p), p["k"])}, functions={"F": F})


def _noise(p: Point) -> Vector:
    """Of the clients independent, in both layers."""
    return times(drawn(p), (Q(p["k"] + 1, 4), Q(1, 4)))


def _three_steps() -> Attempt:
    """A round of one step and one of two, all of length 1/3: at every second time a round ends."""

    @cache
    def at(k: int, past: Any, t: int) -> Vector:
        """A client before a step; the first and the third step end a round."""
        if t == 1:
            return START
        own = [at(i, past, t - 1) for i in range(2)]
        moves = (plus(_slope(x, i), _noise({"k": i, "xi": past[t - 1][0]})) for i, x in enumerate(own))
        own = [plus(x, times(Q(-1, 3), move)) for x, move in zip(own, moves, strict=True)]
        return own[k] if t == 3 else _mean(*own)

    begun = {1: 1, 2: 2, 3: 2, 4: 4}
    u = lambda p: at(0, p["past"][: begun[p["t"]]], begun[p["t"]])  # noqa: E731
    numbers = {"L": Q(1), "eta": Q(1, 3), "tau": Q(3), "T": Q(1), "m": Q(2), "sigma": Q(1)}
    given = {**numbers, "u": u, "x": lambda p: at(p["k"], p["past"], p["t"]), "noise": _noise}
    return Attempt(3, noisy=3, given=given, functions={"F": F})


def _one_step() -> Attempt:
    """A round of one step of length 1."""
    numbers = {"L": Q(1), "eta": Q(1), "tau": Q(1), "T": Q(1), "m": Q(2), "sigma": Q(1)}

    def u(p: Point) -> Vector:
        if p["t"] == 1:
            return START
        xi = p["past"][1][0]
        gone = (plus(_slope(START, k), _noise({"k": k, "xi": xi})) for k in range(2))
        return plus(START, times(Q(-1), _mean(*gone)))

    return Attempt(1, noisy=1, given={**numbers, "u": u, "noise": _noise}, functions={"F": F})


def _single_steps() -> Attempt:
    """A step of length 1 to where the average of the losses is flat, one inside a round, which leads nowhere, and one more.

    The noise of the first is in the second layer, whose curvatures 1/2 and -1/2 make the gradients differ and not their average.
    """
    layer: Mapping[int, Vector] = {1: (Q(0), Q(1, 2)), 2: (Q(0), Q(0)), 3: (Q(1, 2), Q(0))}
    noise = lambda t, number: times(number, layer[t])  # noqa: E731

    def u(p: Point) -> Vector:
        flat = START if p["t"] == 1 else (Q(0), START[1])
        return plus(flat, *(noise(t, -sum(map(Q, p["past"][t][0])) / 2) for t in range(1, p["t"])))

    numbers = {"L": Q(1), "eta": Q(1), "tau": Q(1), "T": Q(3), "m": Q(2), "sigma": Q(1)}
    given = {**numbers, "u": u, "noise": lambda p: noise(p["t"], drawn(p))}
    return Attempt(3, noisy=3, given=given, functions={"F": _losses((Q(1), Q(1, 2)), (Q(1), Q(-1, 2)))})


def _two_steps() -> Attempt:
    """A round of two steps of 1/3 with L = 1; the second layer is averaged after the first step, the first one is not.

    Noise is in both layers, in the second one with different signs.  In the first layer the middle of the clients is one of two
    numbers after each step, with probabilities 1/3 and 2/3.  What it is in the next round after one step and what the next model
    is have the joint law that they have then, because where one of them is the first of its numbers the other one is with
    probability 5/9, else with probability 2/9.
    """
    eta, first = Q(1, 3), Q(9, 8)
    of_both = lambda x: ((x, x), (x, -x))  # noqa: E731
    kept = 1 - eta  # of the distance from the centres' middle, 0 in the first layer
    # with probability 5/9, if the other one was so too, or 2/9
    again = lambda before, xi: (xi[0] == xi[1]) if before else xi == (2, -1)  # noqa: E731
    away = lambda before, now: now - (Q(5, 9) if before else Q(2, 9))  # noqa: E731
    of_one = lambda xi: xi[0] == 2  # noqa: E731
    model = lambda now: kept**2 * first + Q(-1, 2) * (now - Q(1, 3))  # noqa: E731

    def u(p: Point) -> Vector:
        if p["t"] == 1:
            return first, Q(1)
        xi, xc = p["past"][1]
        return model(again(of_one(xi), xc)), Q(1)

    def n(p: Point) -> Vector:
        if p["t"] == 1:
            return of_both(Q(p["xi"][0], 4))[p["k"]]
        xi, xc = p["past"][1]
        before = again(of_one(xi), xc)
        return of_both(3 * away(before, again(before, p["xi"])))[p["k"]]

    def n2(p: Point) -> Vector:
        before = of_one(p["xi"])
        return of_both(Q(3, 2) * away(before, again(before, p["xc"])))[p["k"]]

    apart = lambda p: times(eta, (CENTRES[p["k"]][0], Q(0)))  # noqa: E731
    later = lambda p: plus((kept**3 * first - (of_one(p["xi"]) - Q(1, 3)), Q(1)), apart(p))  # noqa: E731
    numbers = {"L": Q(1), "eta": eta, "T": Q(1), "m": Q(2), "sigma": Q(9, 4)}
    given = {**numbers, "u": u, "n": n, "n2": n2, "apart": apart, "x_next": later}
    bends = (Q(1), Q(1))
    return Attempt(1, noisy=1, given=given, functions={"F": _losses(bends, bends)})


#: What is drawn by a client at a step, with its chance.
DRAWS = {-1: Q(2, 3), 2: Q(1, 3)}


def _drift(*, whole: bool = False) -> Attempt:
    """Three steps of 1/4 from START with L = 1, the second layer averaged after each, the first one half of the way.

    Noises, gradients at the start and what they have changed by are averaged alike.  ``whole``: what the round does to the
    average too, whose clients weigh the same and draw independently.
    """
    eta, zero = Q(1, 4), (Q(0), Q(0))
    weights = ALIKE if whole else ONE_TO_TWO
    losses = _losses(HALF, (Q(1, 2), Q(-1, 2)), centres=((Q(1), Q(1)), (Q(-1), Q(3)))) if whole else F
    law = {xi: DRAWS[xi[0]] * DRAWS[xi[1]] for xi in product(DRAWS, repeat=2)} if whole else DRAWS
    sizes = ((Q(1, 4), Q(1, 4)), (Q(-1, 2), Q(1, 4)))
    slope = lambda y, k: losses[1](y, {"k": k})  # noqa: E731
    noise = lambda k, xi: times(Q(xi[k] if whole else xi), sizes[k])  # noqa: E731
    averaged = lambda own, k: _in_part((own(0), own(1)), k, Q(1, 2), weights)  # noqa: E731
    at_start = lambda k: slope(START, k)  # noqa: E731
    changed = lambda i, past, t: plus(slope(x(i, past, t), i), times(Q(-1), at_start(i)))  # noqa: E731

    def a1(k: int, xi: Any, past: Any, t: int) -> Vector:
        return averaged(lambda i: plus(a(i, past, t), noise(i, xi)), k)

    def a(k: int, past: Any, t: int) -> Vector:
        return zero if t == 1 else a1(k, past[t - 1][0], past[: t - 1], t - 1)

    def q1(k: int, t: int) -> Vector:
        return averaged(lambda i: times(Q(1, t), plus(times(Q(t - 1), q(i, t)), at_start(i))), k)

    def q(k: int, t: int) -> Vector:
        return at_start(k) if t == 1 else q1(k, t - 1)

    def r1(k: int, past: Any, t: int) -> Vector:
        return averaged(lambda i: times(Q(1, t), plus(times(Q(t - 1), r(i, past, t)), changed(i, past, t))), k)

    def r(k: int, past: Any, t: int) -> Vector:
        return zero if t == 1 else r1(k, past, t - 1)

    @cache
    def x(k: int, past: Any, t: int) -> Vector:
        total = plus(a(k, past, t), times(Q(t - 1), plus(q(k, t), r(k, past, t))))
        return plus(START, times(-eta, total))

    def mean(of: Callable[[Any], Q], t: int, past: Any = ((),), chance: Q = Q(1)) -> Q:
        """The average of what is drawn before a step."""
        if len(past) == t:
            return chance * of(past)
        return sum((mean(of, t, (*past, (xi,)), chance * own) for xi, own in law.items()), Q(0))

    def away(t: int) -> Callable[[Any], Q]:
        gone = lambda k, past: plus(x(k, past, t), times(Q(-1), START))  # noqa: E731
        return lambda past: sum((w * y * y for k, w in enumerate(weights) for y in gone(k, past)), Q(0))

    drifts = {t: mean(away(t), t) for t in range(1, 4)}
    total = lambda t: sum((drifts[s] for s in range(1, t)), Q(0))  # noqa: E731
    numbers = {"L": Q(1), "eta": eta, "tau": Q(3), "sigma": Q(1)}
    given: dict[str, Any] = {**numbers, "u": START, "noise": lambda p: noise(p["k"], p["xi"])}
    given |= {"a": lambda p: a(p["k"], p["past"], p["t"]), "a1": lambda p: a1(p["k"], p["xi"], p["past"], p["t"])}
    given |= {"q": lambda p: q(p["k"], p["t"]), "q1": lambda p: q1(p["k"], p["t"])}
    given |= {"r": lambda p: r(p["k"], p["past"], p["t"]), "r1": lambda p: r1(p["k"], p["past"], p["t"])}
    given |= {"S": lambda p: total(p["t"]), "S1": lambda p: total(p["t"] + 1)}
    if not whole:
        given |= {"beta_sq": Q(1), "kappa_sq": Q(2, 9), "c": Q(1, 2), "A": Q(3, 4)}
        return Attempt(3, noisy=3, given=given, functions={"F": losses})

    def n(past: Any, t: int) -> Vector:
        return plus(zero, *(_mean(*(noise(k, past[s][0]) for k in range(2))) for s in range(1, t)))

    def c(past: Any, t: int) -> Vector:
        """The average of what the clients' gradients have changed by."""
        every = (_mean(*(changed(k, past[:s], s) for k in range(2))) for s in range(1, t))
        return times(Q(1, max(1, t - 1)), plus(zero, *every))

    def value(y: Vector) -> Q:
        return sum((w * losses[0](y, {"k": k}) for k, w in enumerate(weights)), Q(0))

    def after(past: Any) -> Q:
        """The losses of the average after all steps."""
        gone = plus(n(past, 4), times(Q(3), plus(c(past, 4), _mean(at_start(0), at_start(1)))))
        return value(plus(START, times(-eta, gone)))

    # u1 has the average of the losses that the models have after all steps, between two points where they are less and more
    low, high = (value((Q(1), Q(y))) for y in (0, 1))
    given |= {"m": Q(2), "n": lambda p: n(p["past"], p["t"]), "c": lambda p: c(p["past"], p["t"])}
    given["u1"] = (Q(1), (mean(after, 4) - low) / (high - low))
    return Attempt(3, noisy=3, given=given, functions={"F": losses})


def _rounds() -> Attempt:
    """Two rounds of two steps of 1/4 with L = 1.

    One number is drawn in a round: the noises of its two steps are uncorrelated because they are in different layers.
    """
    eta = Q(1, 4)

    def noise(xi: int, k: int, j: int) -> Vector:
        size = Q(xi * (k + 1), 4)
        return (Q(0), size) if j else (size, Q(0))

    def local(u: Vector, xi: int, k: int, j: int) -> Vector:
        for i in range(j):
            u = plus(u, times(-eta, plus(_slope(u, k), noise(xi, k, i))))
        return u

    def after(u: Vector, xi: int) -> Vector:
        return _mean(local(u, xi, 0, 2), local(u, xi, 1, 2), weights=ONE_TO_TWO)

    def u(p: Point) -> Vector:
        found = START
        for t in range(1, p["t"]):
            found = after(found, p["past"][t][0])
        return found

    # the least value of the average: the variance of the centres times half of the curvature
    numbers = {"L": Q(1), "eta": eta, "tau": Q(2), "T": Q(2), "m": Q(9, 5), "sigma": Q(1), "A": Q(1, 4)}
    given: dict[str, Any] = {**numbers, "beta_sq": Q(1), "kappa_sq": Q(2, 9), "f_star": Q(2, 9), "u": u}
    given |= {"u1": lambda p: after(u(p), p["xi"]), "x": lambda p: local(u(p), p["xi"], p["k"], p["j"])}
    return Attempt(given=given, functions={"F": F})


_END = "FedLAMA, Lemma 5.1 with F at the end"
#: By the title of a derivation, what is tried for those of this title, one after the other.
FEDLAMA: Mapping[str, tuple[Attempt, ...]] = {
    "FedLAMA, (19), one round": (_one_step(),),
    "FedLAMA, (19) with 5/2 times the distances": (_one_step(), _three_steps()),
    f"{_END} and 5/2 times the distances": (_single_steps(), _three_steps()),
    f"{_END} and 5/2 times the distances, two local steps": (_two_steps(),),
    f"{_END}, at most two local steps": (_single_steps(),),
    f"{_END}, at most two local steps, two local steps": (_two_steps(),),
    "FedLAMA, a round with any schedule": (_any_schedule(),),
    "FedLAMA, Lemma 5.2, (5)": (_drift(),),
    "FedLAMA, Lemma 5.2": (_drift(),),
    "FedLAMA, a round": (_drift(whole=True),),
    "FedLAMA, Theorem 5.3": (_rounds(),),
    "FedLAMA, Theorem 5.3, (6)": (_rounds(),),
}
