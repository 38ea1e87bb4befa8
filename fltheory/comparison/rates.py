"""The published rates that ``fl.compare`` knows, each with what it needs of a point."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from fltheory.comparison import schedules
from fltheory.comparison.published import PublishedRate
from fltheory.comparison.setting import CLIENTS, GridPoint, root_below
from fltheory.theory import karimireddy2020, khaled2020, lecture2022, li2020, mitra2021, nesterov2004, stich2019
from fltheory.theory.bound import Bound
from fltheory.theory.rates import CHECKED, RECALLED, STANDARD, SUMMED

ONE = Fraction(1)
#: Values of a in ``mean |grad f_k|^2 <= (1 + a) zeta^2 + (1 + 1/a) 2 L (f - f*)``.
SPLITS = tuple(Fraction(a) for a in ("1/4", "1/2", "1", "2", "4"))
Constants = Mapping[str, Any]


def _constant(step: Fraction | None) -> Fraction:
    assert step is not None  # a rate without a schedule is read at a step size
    return step


@cache
def _of_document(document: str, name: str) -> Bound:
    """A bound that stands in a document's wing."""
    from fltheory.evidence.displays import bounds_of

    return bounds_of(document)[name]


def _dissimilarity(setting: GridPoint, a: Fraction) -> tuple[Fraction, Fraction]:
    """``(G^2, B^2)`` of ``mean |grad f_k(x)|^2 <= G^2 + 2 L B^2 (f(x) - f*)``."""
    return ((1 + a) * setting.zeta_sq, 1 + 1 / a) if setting.zeta_sq else (Fraction(0), ONE)


def _li(setting: GridPoint, step: Fraction | None, free: Fraction) -> Constants:
    G = setting.gradients(schedules.rate(schedules.li(setting)))
    return {
        "L": setting.L,
        "mu": setting.mu,
        "E": setting.local_steps,
        "T": setting.steps + 1,
        "D1": ONE,
        "Gamma": setting.zeta_sq / (2 * setting.mu),
        "G2": G**2,
        "V": Fraction(0),
    }


def _lecture(setting: GridPoint, step: Fraction | None, free: Fraction) -> Constants:
    s = _constant(step)
    G = setting.gradients(lambda t: s)
    known = {"s": s, "K": setting.local_steps, "T": setting.steps, "N": CLIENTS, "L": setting.L, "sigma": Fraction(0)}
    return {**known, "G": G, "gap": setting.L / 2, "sigma_G": G if setting.zeta_sq else Fraction(0)}


def _without(names: str, values: Any) -> Any:
    def fewer(setting: GridPoint, step: Fraction | None, free: Fraction) -> Constants:
        return {name: value for name, value in values(setting, step, free).items() if name not in names.split()}

    return fewer


def _fedlama(setting: GridPoint, step: Fraction | None, a: Fraction) -> Constants:
    # mean |grad f_k|^2 <= (1 + a) zeta^2 + (1 + 1/a) (L/mu) |grad f|^2, by f - f* <= |grad f|^2/(2 mu)
    spread, share = _dissimilarity(setting, a)
    return {
        "L": setting.L,
        "eta": _constant(step),
        "tau": setting.local_steps,
        "T": setting.rounds,
        "m": CLIENTS,
        "sigma": Fraction(0),
        "kappa_sq": spread,
        "beta_sq": share * setting.L / setting.mu,
        "F_0": setting.L / 2,
        "F_i": Fraction(0),
    }


def _fedlama_top(setting: GridPoint, a: Fraction) -> Fraction:
    tau, beta_sq = setting.local_steps, _dissimilarity(setting, a)[1] * setting.L / setting.mu
    first = 1 / (tau * setting.L)
    return first if tau == 1 else min(first, root_below(1 / (2 * tau * (tau - 1) * (2 * beta_sq + 1))) / setting.L)


def _elastic(setting: GridPoint, step: Fraction | None, a: Fraction) -> Constants:
    # the document's A3 bounds the dissimilarity by |grad f|^2, as FedLAMA does
    spread, share = _dissimilarity(setting, a)
    root = root_below(share * setting.L / setting.mu)
    return {
        "beta": setting.L,
        "mu": setting.mu,
        "e": _constant(step) * setting.local_steps,
        "R": setting.rounds,
        "D": ONE,
        "G": Fraction(0) if not spread else root_below(spread) + Fraction(1, 10**9),
        "B": root + Fraction(1, 10**9),
        "sigma": Fraction(0),
        "K": setting.local_steps,
        "S": CLIENTS,
        "N": CLIENTS,
        "p": 1,
    }


def _elastic_top(setting: GridPoint, a: Fraction) -> Fraction:
    B: Fraction = _elastic(setting, ONE, a)["B"]
    return 1 / (8 * (1 + B**2) * setting.L * setting.local_steps)


def _khaled(setting: GridPoint, step: Fraction | None, free: Fraction) -> Constants:
    known = {
        "L": setting.L,
        "s": _constant(step),
        "T": setting.steps,
        "H": setting.local_steps,
        "M": CLIENTS,
        "D1": ONE,
    }
    return {**known, "mu": setting.mu, "sigma_sq": Fraction(0), "sigma_dif_sq": setting.zeta_sq}


def _khaled_top(setting: GridPoint, free: Fraction) -> Fraction:
    return 1 / max(4 * setting.L, 8 * setting.L * (setting.local_steps - 1))


def _fedavg(setting: GridPoint, step: Fraction | None, a: Fraction) -> Constants:
    G2, B2 = _dissimilarity(setting, a)
    e = _constant(step) * setting.local_steps
    return {"beta": setting.L, "mu": setting.mu, "e": e, "R": setting.rounds, "G2": G2, "B2": B2, "D1": ONE}


def _scaffold(setting: GridPoint, step: Fraction | None, free: Fraction) -> Constants:
    e = _constant(step) * setting.local_steps
    return {"beta": setting.L, "mu": setting.mu, "e": e, "R": setting.rounds, "C0": setting.zeta_sq, "D1": ONE}


def _fedlin(setting: GridPoint, step: Fraction | None, free: Fraction) -> Constants:
    known = {"L": setting.L, "mu": setting.mu, "s": _constant(step), "H": setting.local_steps, "R": setting.rounds}
    return {**known, "F0": setting.L / 2}


def _gd(setting: GridPoint, step: Fraction | None, free: Fraction) -> Constants:
    return {"L": setting.L, "mu": setting.mu, "s": _constant(step), "R": setting.rounds, "D1": ONE}


def _stich(setting: GridPoint, step: Fraction | None, free: Fraction) -> Constants:
    G = setting.gradients(schedules.rate(schedules.stich(setting)))
    known = {"L": setting.L, "mu": setting.mu, "a": schedules.stich_shift(setting), "T": setting.steps, "D1": ONE}
    return {**known, "H": setting.local_steps, "K": CLIENTS, "sigma_sq": Fraction(0), "G2": G**2}


_LI, _STICH = schedules.SCHEDULES
RATES: tuple[PublishedRate, ...] = (
    PublishedRate(
        "Nesterov 2004, distance",
        lambda: nesterov2004.gradient_descent_distance,
        "GD",
        "distance",
        _gd,
        lambda p, a: 2 / (p.mu + p.L),
        STANDARD,
    ),
    PublishedRate(
        "Nesterov 2004, gap",
        lambda: nesterov2004.gradient_descent_gap,
        "GD",
        "gap",
        _gd,
        lambda p, a: 2 / (p.mu + p.L),
        STANDARD,
        fixed=True,
    ),
    PublishedRate(
        "Nesterov 2004, convex",
        lambda: nesterov2004.gradient_descent_convex,
        "GD",
        "gap",
        _without("mu", _gd),
        lambda p, a: 1 / p.L,
        STANDARD,
        fixed=True,
    ),
    PublishedRate("Li 2020, Theorem 1", lambda: li2020.theorem_1, "FedAvg", "gap", _li, _LI, CHECKED),
    PublishedRate(
        "Lecture, Theorem 1",
        lambda: lecture2022.theorem_1,
        "FedAvg",
        "mean squared gradient",
        _without("sigma_G", _lecture),
        lambda p, a: 1 / p.L,
        CHECKED,
    ),
    PublishedRate(
        "Lecture, Theorem 3",
        lambda: lecture2022.theorem_3,
        "FedAvg",
        "mean squared gradient",
        _lecture,
        lambda p, a: 1 / (6 * p.L * p.local_steps),
        CHECKED,
    ),
    PublishedRate(
        "FedLAMA, Theorem 5.3",
        lambda: _of_document("fedlama2021", "lemma_5_2_displays.THEOREM_5_3_LOWEST"),
        "FedAvg",
        "mean squared gradient, rounds",
        _fedlama,
        _fedlama_top,
        CHECKED,
        free=SPLITS,
    ),
    PublishedRate(
        "Elastic, Theorem I, strongly convex",
        lambda: _of_document("elastic2023", "rates.UNROLLED"),
        "FedAvg",
        "mean gap",
        _elastic,
        _elastic_top,
        CHECKED,
        free=SPLITS,
    ),
    PublishedRate(
        "Khaled 2020, convex",
        lambda: khaled2020.heterogeneous_convex,
        "FedAvg",
        "gap of the mean",
        _without("mu sigma_sq", _khaled),
        _khaled_top,
        RECALLED,
    ),
    PublishedRate(
        "Khaled 2020, one loss, strongly convex",
        lambda: khaled2020.identical_strongly_convex,
        "FedAvg",
        "distance",
        _without("sigma_dif_sq", _khaled),
        lambda p, a: 1 / (4 * p.L),
        RECALLED,
        alike=True,
    ),
    PublishedRate(
        "Khaled 2020, one loss, convex",
        lambda: khaled2020.identical_convex,
        "FedAvg",
        "gap of the mean",
        _without("mu sigma_dif_sq", _khaled),
        lambda p, a: 1 / (4 * p.L),
        RECALLED,
        alike=True,
    ),
    PublishedRate(
        "Stich 2019, Theorem 2.2",
        lambda: stich2019.theorem_2_2,
        "FedAvg",
        "gap of the weighted mean",
        _stich,
        _STICH,
        RECALLED,
        alike=True,
    ),
    PublishedRate(
        "Karimireddy 2020, FedAvg, strongly convex",
        lambda: karimireddy2020.fedavg_distance,
        "FedAvg",
        "distance",
        _fedavg,
        lambda p, a: 1 / (8 * (1 + _dissimilarity(p, a)[1]) * p.L * p.local_steps),
        SUMMED,
        free=SPLITS,
    ),
    PublishedRate(
        "Karimireddy 2020, FedAvg, convex",
        lambda: karimireddy2020.fedavg_average_gap,
        "FedAvg",
        "mean gap",
        _fedavg,
        lambda p, a: 1 / (8 * (1 + _dissimilarity(p, a)[1]) * p.L * p.local_steps),
        SUMMED,
        free=SPLITS,
    ),
    PublishedRate(
        "Karimireddy 2020, SCAFFOLD, strongly convex",
        lambda: karimireddy2020.scaffold_distance,
        "SCAFFOLD",
        "distance",
        _scaffold,
        lambda p, a: 1 / (81 * p.L * p.local_steps),
        SUMMED,
    ),
    PublishedRate(
        "Karimireddy 2020, SCAFFOLD, convex",
        lambda: karimireddy2020.scaffold_average_gap,
        "SCAFFOLD",
        "mean gap",
        _scaffold,
        lambda p, a: 1 / (81 * p.L * p.local_steps),
        SUMMED,
    ),
    PublishedRate(
        "Mitra 2021, FedLin",
        lambda: mitra2021.fedlin,
        "FedLin",
        "gap",
        _fedlin,
        lambda p, a: 1 / (6 * p.L * p.local_steps),
        RECALLED,
        fixed=True,
    ),
)
