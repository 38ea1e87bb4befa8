"""Published rates against runs that share no code with them: none may be exceeded, and a third of a tight one must be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import fltheory as fl
from fltheory.comparison.published import PublishedRate, schedule_of
from fltheory.comparison.rates import RATES
from fltheory.comparison.schedules import stich_shift
from fltheory.comparison.setting import GridPoint
from fltheory.kinds import Floats

CLIENTS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
#: Elastic's theorem asks for e >= 1/(mu R) and e <= 1/(8 (1 + B^2) L): at mu = 1/10 for 1,700 rounds and more.
SHORT = [rate for rate in RATES if not rate.name.startswith("Elastic")]
#: Rates that parabolas of curvature mu come within a factor of three of.
TIGHT = ("Nesterov 2004, distance", "Nesterov 2004, gap", "one loss, strongly convex", ", strongly convex", "FedLin")


def points() -> list[GridPoint]:
    return [
        GridPoint(CLIENTS, spread, steps, rounds)
        for spread in (None, Fraction(0), Fraction(1, 100), Fraction(4))
        for steps, rounds in ((1, 3), (4, 1), (3, 4), (10, 8))
    ]


def instance(setting: GridPoint, seed: int) -> tuple[Floats, Floats]:
    """Curvatures ``(2, 2, 2)`` and gradients at the minimiser 0 of two quadratic clients; from seed 0 parabolas of mu."""
    stream = np.random.default_rng(seed)
    sizes = stream.uniform(0.1, 1, (2, 2)) if seed else np.full((2, 2), 0.1)
    if setting.heterogeneity is None:
        sizes[1] = sizes[0]
    turns = [np.linalg.qr(stream.standard_normal((2, 2)))[0] for _ in range(2)]
    if setting.heterogeneity is None:
        turns[1] = turns[0]
    curvature = np.array([turn @ np.diag(size) @ turn.T for turn, size in zip(turns, sizes, strict=True)])
    direction = stream.standard_normal(2)
    shift = float(setting.zeta_sq) ** 0.5 * direction / np.linalg.norm(direction)
    return curvature, np.array([shift, -shift])


def measures(rate: PublishedRate, setting: GridPoint, step: Fraction | str, seed: int) -> float:
    """The rate's measure on one instance, by loops of its own."""
    curvature, shift = instance(setting, seed)
    mean = curvature.mean(axis=0)
    eta: Callable[[int], float]
    if isinstance(step, str):
        schedule = schedule_of(step, setting)
        eta = lambda t: float(schedule.beta / (schedule.gamma + schedule.first + t))  # noqa: E731
    else:
        eta = lambda t: float(step)  # noqa: E731

    def gradient(x: Floats) -> Floats:
        return np.einsum("kij,kj->ki", curvature, x) + shift

    w = np.random.default_rng(seed + 99).standard_normal(2)
    w /= np.linalg.norm(w)
    models, means, c = [w], [], np.zeros((2, 2))
    for r in range(setting.rounds):
        x = np.array([w, w])
        own = gradient(x) if rate.method == "FedLin" else c
        correction = own.mean(axis=0) - own if rate.method in ("FedLin", "SCAFFOLD") else 0.0
        for j in range(setting.local_steps):
            means.append(x.mean(axis=0))
            x = x - eta(r * setting.local_steps + j) * (gradient(x) + correction)
        if rate.method == "SCAFFOLD":
            c = c - c.mean(axis=0) + (w - x) / (setting.local_steps * eta(0))
        w = x.mean(axis=0)
        models.append(w)

    def gap(x: Floats) -> float:
        return float(x @ mean @ x) / 2

    weights = (float(stich_shift(setting)) + np.arange(setting.steps)) ** 2
    squares = {"mean squared gradient": means, "mean squared gradient, rounds": models[:-1]}
    if rate.measure in squares:
        return float(np.mean([np.sum((mean @ x) ** 2) for x in squares[rate.measure]]))
    found = {
        "distance": float(w @ w),
        "gap": gap(w),
        "mean gap": float(np.mean([gap(x) for x in models[:-1]])),
        "gap of the mean": gap(np.mean(means, axis=0)),
        "gap of the weighted mean": gap(np.average(means, axis=0, weights=weights)),
    }
    return found[rate.measure]


@pytest.mark.parametrize("rate", SHORT, ids=lambda rate: rate.name)
def test_no_run_exceeds_a_published_rate_and_a_third_of_a_tight_one_is_exceeded(rate: PublishedRate) -> None:
    spoke, third = 0, False
    for setting in points():
        point = replace(setting, local_steps=1) if rate.method == "GD" else setting
        told = rate.tuned(point)
        if told.value is None or told.step is None:
            assert told.why
            continue
        spoke += 1
        found = [measures(rate, point, told.step, seed) for seed in range(12)]
        assert max(found) <= float(told.value) * (1 + 1e-12), (setting, told)
        third |= max(found) > float(told.value) / 3
    assert spoke >= (4 if rate.alike else 16)
    assert third or not rate.name.endswith(TIGHT)


def test_what_a_rate_asks_for_is_named_with_both_numbers() -> None:
    point = GridPoint(CLIENTS, Fraction(1, 100), 5, 2)
    said = {rate.name: rate.tuned(point).why for rate in RATES}
    assert said["Elastic, Theorem I, strongly convex"].startswith("wants e >= 1/(mu R); here e = ")
    assert said["Stich 2019, Theorem 2.2"] == "speaks of clients of one loss; here zeta^2=1/100"
    named = {rate.name: rate for rate in RATES}
    assert "wants s <= 1/(8 L (H - 1)); here s = 0.04" == named["Khaled 2020, convex"].at(point, Fraction(1, 25)).why
    assert "yours is constant 1/4" in named["Li 2020, Theorem 1"].at(point, Fraction(1, 4)).why
    with pytest.raises(ValueError, match="exceeds 2/"):
        point.reach(lambda t: Fraction(2))


def test_the_step_size_found_is_the_least_bound_of_all_allowed() -> None:
    """A closed form: 3 D/(e R) + 54 beta e^2 G^2 falls up to the largest e here, and has a minimum inside for large G."""
    named = {rate.name: rate for rate in RATES}
    rate = named["Karimireddy 2020, FedAvg, convex"]
    far = GridPoint(CLIENTS, Fraction(10_000), 5, 4)
    told = rate.tuned(far)
    spread = min(
        (1 + float(a)) * 1e4
        for a in rate.free
        if 1 / (8 * (2 + 1 / float(a))) > (3 / (4 * 108 * (1 + float(a)) * 1e4)) ** (1 / 3)
    )
    e = (3 / (4 * 108 * spread)) ** (1 / 3)
    least = 3 / (4 * e) + 54 * e**2 * spread
    assert (
        told.value is not None
        and float(told.value) == pytest.approx(least, rel=1e-3)
        and float(told.value) >= least * (1 - 1e-12)
    )


@pytest.mark.parametrize("seed", range(3))
def test_constants_that_are_derived_hold_on_instances(seed: int) -> None:
    """Gradients along FedAvg's local runs, in the mean square, and the reach of the clients' mean."""
    setting = GridPoint(CLIENTS, Fraction(4), 5, 3)
    curvature, shift = instance(setting, seed)
    w = np.array([0.6, -0.8])
    limit, reach = float(setting.gradients(lambda t: Fraction(1))), float(setting.reach(lambda t: Fraction(1)))
    for _ in range(3):
        x = np.array([w, w])
        for _ in range(5):
            g = np.einsum("kij,kj->ki", curvature, x) + shift
            assert np.mean(np.sum(g**2, axis=1)) <= limit**2 and np.linalg.norm(x.mean(axis=0)) <= reach
            x = x - g
        w = x.mean(axis=0)
