"""Rates of Mixed Federated Learning: steps, rounds and accuracies that meet all hypotheses of a theorem at once.

The roots in them are rational, exponentials are numbers that lie on the right side of the tangents used, noise is drawn in the
first round, and the local points are near the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction as Q
from typing import Any

from fltheory.derivation.draws import Attempt
from fltheory.derivation.replay import unpacked
from tests.derivation.by_hand.pieces import Function, Vector, parabola

NEAR = Q(1, 1024)
#: Losses of the clients and of the centre, whose sum is least at (1, 1), with a curvature of 1/2 or 1; and their sum.
FLAT, CURVED = ({"ff": parabola((Q(2), Q(1)), bend), "fc": parabola((Q(0), Q(1)), bend)} for bend in (Q(1, 2), Q(1)))
XS, X, BEFORE, ORIGIN = (Q(1), Q(1)), (Q(2), Q(2)), (Q(3), Q(2)), (Q(0), Q(0))
AT_XS: Mapping[str, Any] = {"beta": Q(1), "xs": XS}


def _summed(losses: Mapping[str, Function]) -> dict[str, Function]:
    """With f = f_f + f_c."""
    (value, slope), (other, central) = losses["ff"], losses["fc"]
    add = lambda a, b: tuple(x + y for x, y in zip(a, b, strict=True))  # noqa: E731
    return {**losses, "f": (lambda x, p: value(x, p) + other(x, p), lambda x, p: add(slope(x, p), central(x, p)))}


def _parallel(
    eps: int, few: int, many: int, *, strongly: bool = False
) -> Callable[[Sequence[Any]], tuple[Attempt, ...]]:
    """Parallel Training with eta_s eta_m >= sqrt(S); ``many`` rounds where eta_m is chosen large.

    At the accuracy eps the root in 1/e is rational; the rounds are enough, their number is that of the bound rounded up, and the
    first model is not accurate.
    """

    def chosen(lines: Sequence[Any]) -> tuple[Attempt, ...]:
        merged = any(unpacked(line).get("choose") == "root_v" for line in lines)
        times = many if "eta_m large" in str(lines) else few
        root, root_v = (Q(3), Q(1)) if merged else (Q(9, 4), Q(3, 4))
        given = {"B": Q(1), "G": Q(3), "eps": Q(eps), "root": root, "root_v": root_v, "root_u": Q(1, 2)}
        given |= _growth(times, root) if strongly else {}
        return (Attempt(times, noisy=1, spread=NEAR, given=given, functions=CURVED if strongly else {}),)

    return chosen


def _growth(times: int, root: Q) -> dict[str, Any]:
    """The strongly convex case at eps = D_sq = 9: ell = 17/20 is a little above log(7/3), weights grow by a = 1/(1 - mu e)."""
    V, C = Q(5, 2), Q(5, 8)
    e = 1 / (16 + 4 * C / 18 + 4 * V / 36 + root)
    numbers = {"mu": Q(1), "D_sq": Q(9), "ell": Q(17, 20), "V": V, "C": C, "e": e, "a": 1 / (1 - e)}
    return {**AT_XS, **numbers, "there": lambda p: Q(p["t"] == times)}


def is_quiet(lines: Sequence[Any]) -> bool:
    """Whether a derivation is of runs without noise."""
    return any(unpacked(line).get("choose") == "V" for line in lines)


def _after_the_first_round(**numbers: Q) -> Attempt:
    """1-way transfer from (4, 3) to (2, 2), and on from there."""
    given = {**AT_XS, "mu": Q(1, 2), "u": Q(1, 4), "v": Q(1, 2), "x_0": (Q(4), Q(3)), "x_1": X, **numbers}
    return Attempt(spread=NEAR, given=given, starts={"x": X}, functions=_summed(FLAT))


def _strongly_convex(lines: Sequence[Any]) -> tuple[Attempt, ...]:
    """1-way transfer at the largest step 1/8, T = 3: a = 1/(1 - 3/16), P = 5 for exp(7/5), Q = 7/4 for exp(9/16)."""
    given = {
        **AT_XS,
        "mu": Q(1),
        "x_0": BEFORE,
        "x_1": X,
        "u": Q(1, 4),
        "v": Q(1, 2),
        "T": Q(3),
        "a": Q(16, 13),
        "Q": Q(7, 4),
    }
    given |= {"D_sq": Q(5), "e": Q(1, 8), "there": lambda p: Q(p["t"] == 4)}
    if not is_quiet(lines):
        given |= {"V": Q(8), "C": Q(2), "nu": Q(4), "lam": Q(7, 5), "ell": Q(13, 10), "P": Q(5), "s": Q(1)}
    return (Attempt(4, noisy=1, spread=NEAR, given=given, starts={"x": X}, functions=CURVED),)


def _enough_rounds() -> Attempt:
    """1-way transfer, six rounds to a coarse accuracy."""
    e = 1 / (8 + Q(23, 10) / Q(17, 40) * 4 / 1000)
    given = {
        **AT_XS,
        "mu": Q(1),
        "u": Q(1, 4),
        "v": Q(1, 2),
        "V": Q(8),
        "C": Q(2),
        "eps": Q(1000),
        "D_sq": Q(5),
        "e": e,
    }
    given |= {"a": 1 / (1 - 3 * e / 2), "ell": Q(1), "there": lambda p: Q(p["t"] == 6)}
    return Attempt(6, noisy=1, spread=NEAR, given=given, starts={"x": X}, functions=CURVED)


def transfer_starts(losses: Mapping[str, Function], *, at_zero: bool) -> dict[str, Vector]:
    """2-way transfer from (2, 2), its augmenting gradients at zero or at the gradients."""
    first, central = (ORIGIN, ORIGIN) if at_zero else (losses[name][1](X, {}) for name in ("ff", "fc"))
    return {"x": X, "gtf": first, "gtc": central}


def _starts_at_zero(lines: Sequence[Any]) -> bool:
    return "(0*x_0)" in str(lines)


def _two_way_rate(lines: Sequence[Any]) -> tuple[Attempt, ...]:
    """Two rounds of 2-way transfer at the largest step, with a distance or a gap at the start whose root is rational."""
    at_zero, smooth = _starts_at_zero(lines), "1/24/beta" in str(lines)
    given: dict[str, Any] = {**AT_XS, "mu": Q(1, 2), "x_0": X, "eps": Q(10000)}
    if is_quiet(lines):
        given["m"] = ORIGIN
    else:
        start, root = {(0, 0): (30, 10), (0, 1): (24, 10), (1, 0): (3, 24), (1, 1): (15, 60)}[smooth, at_zero]
        given |= {"V": Q(4), "C": Q(1), "level": Q(24 if smooth else 15), "e": Q(1, 24 if smooth else 81)}
        given |= {**dict.fromkeys(("F", "F0", "D_sq", "D0"), Q(start)), "root": Q(root)}
    starts = transfer_starts(FLAT, at_zero=at_zero)
    return (Attempt(spread=NEAR, given=given, starts=starts, functions=_summed(FLAT)),)


def _two_way(lines: Sequence[Any]) -> tuple[Attempt, ...]:
    """Four rounds of 2-way transfer to the accuracy 64 in the strongly convex case: ell = 1/16."""
    noise = (Q(1, 2) + 2) / 64
    e = 1 / (81 + Q(40, 3) * noise + Q(9, 8)) if "square root" in str(lines) else 1 / (81 + Q(20, 3) * noise)
    given = {**AT_XS, "mu": Q(1), "x_0": X, "V": Q(8), "C": Q(1), "eps": Q(64), "root": Q(1, 4), "e": e}
    given |= {"a": 1 / (1 - 3 * e / 2), "ell": Q(1, 16), "there": lambda p: Q(p["t"] == 4)}
    starts = transfer_starts(CURVED, at_zero=_starts_at_zero(lines))
    return (Attempt(4, noisy=1, spread=NEAR, given=given, starts=starts, functions=CURVED),)


def _two_way_convex(times: int, **numbers: Q) -> Attempt:
    """2-way transfer from the gradients at (2, 2)."""
    starts = transfer_starts(FLAT, at_zero=False)
    given = {**AT_XS, "mu": Q(1, 2), "x_0": X, **numbers}
    return Attempt(times, noisy=2 if times == 2 else 1, spread=NEAR, given=given, starts=starts, functions=FLAT)


#: By the title of a derivation, what is tried for those of this title, one after the other; or what that is for its lines.
MIXED_RATES: Mapping[str, tuple[Attempt, ...] | Callable[[Sequence[Any]], tuple[Attempt, ...]]] = {
    "Mixed FL, Parallel Training, convex": _parallel(9, 30, 46),
    "Mixed FL, Parallel Training, non-convex": _parallel(25, 16, 26),
    "Mixed FL, Parallel Training, strongly convex": _parallel(9, 17, 28, strongly=True),
    "Mixed FL, convex rate, number of rounds": (
        Attempt(spread=NEAR, given={"eps": Q(1000), "u": Q(1, 4), "v": Q(1, 2)}),
    ),
    "Mixed FL, convex rate, after the first round": (_after_the_first_round(e=Q(1, 8)),),
    "Mixed FL, rate without convexity, after the first round": (_after_the_first_round(e=Q(1, 18)),),
    "Mixed FL, rate without convexity, after the first round, number of rounds": (
        _after_the_first_round(e=Q(1, 18), eps=Q(10000)),
    ),
    "Mixed FL, strongly convex rate": _strongly_convex,
    "Mixed FL, strongly convex rate, after the first round": _strongly_convex,
    "Mixed FL, strongly convex, number of rounds": (_enough_rounds(),),
    "Mixed FL, 2-way Gradient Transfer, convex, number of rounds": (
        _two_way_convex(4, eps=Q(64), V=Q(8), root=Q(1, 4)),
    ),
    "Mixed FL, 2-way Gradient Transfer at a constant step": (_two_way_convex(2),),
    "Mixed FL, 2-way Gradient Transfer, strongly convex, number of rounds": _two_way,
    "Mixed FL, rate of 2-way Gradient Transfer": _two_way_rate,
}
