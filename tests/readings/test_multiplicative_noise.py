"""A noise model of one's own, one file beside this one, in every reading that it has enough for."""

from __future__ import annotations

import importlib.util
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.readings.enumeration import enumerate_moments
from fltheory.readings.table import table_moments

FILE = Path(__file__).with_name("multiplicative_noise.py")


def _load() -> Any:
    spec = importlib.util.spec_from_file_location("multiplicative_noise", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.MultiplicativeNoise


MultiplicativeNoise = _load()
HALF = Fraction(1, 2)


def parabola(curvature: Any, minimiser: Any) -> fl.QuadraticProblem:
    return fl.QuadraticProblem(np.array([[[curvature]]]), np.array([[curvature * minimiser]]))


def test_it_is_one_short_file() -> None:
    text = FILE.read_text("utf-8")
    assert len(text.splitlines()) < 80
    assert "fltheory.readings" not in text and "fltheory.kernels" not in text


def test_moments_of_one_parabola_by_hand() -> None:
    """``w+ - w* = (1 - eta h (1 + e)) (w - w*)``: the mean square takes ``(1 - eta h)^2 + eta^2 h^2 s^2`` per step."""
    eta, h, s = Fraction(1, 5), Fraction(2), Fraction(3, 2)
    problem, algorithm = parabola(h, Fraction(3)), fl.FedAvg(2, eta)
    step = (1 - eta * h) ** 2 + eta**2 * h**2 * s**2
    found = fl.moments(problem, algorithm, rounds=3, oracle=MultiplicativeNoise(s), exact=True)
    assert found.squared_distance.tolist() == [9 * step ** (2 * t) for t in range(4)]
    assert (found.mean[:, 0] - 3).tolist() == [-3 * (1 - eta * h) ** (2 * t) for t in range(4)]
    floats = fl.round_map(parabola(2.0, 3.0), fl.FedAvg(2, 0.2), oracle=MultiplicativeNoise(1.5))
    assert not floats.sure
    assert floats.mean_square_factor() == pytest.approx(float(step**2), rel=1e-10)


def test_stationary_law_of_two_parabolas_by_hand() -> None:
    """Clients with minimisers ``+-1`` and one local step: the noise does not vanish at ``w* = 0``.

    With ``u = w``: ``w+ = (1 - eta) w - eta/2 (e_1 (w - 1) + e_2 (w + 1))``, so that ``E w^2`` solves
    ``V = (1 - eta)^2 V + eta^2 s^2 (V + 1)/2``.
    """
    eta, s = Fraction(1, 4), Fraction(1)
    problem = fl.QuadraticProblem(np.array([[[Fraction(1)]]] * 2), np.array([[Fraction(1)], [Fraction(-1)]]))
    law = fl.stationary(problem, fl.FedAvg(1, eta), oracle=MultiplicativeNoise(s), exact=True)
    noise = eta**2 * s**2 / 2
    assert law.squared_distance == noise / (1 - (1 - eta) ** 2 - noise)
    assert not fl.stationary(problem.to_float(), fl.FedAvg(1, 0.25), oracle=MultiplicativeNoise(4.0))
    limit = fl.stability_limit(
        problem.to_float(), lambda rate: fl.FedAvg(1, rate), 4.0, oracle=MultiplicativeNoise(1.0)
    )
    assert float(limit.mean_square) == pytest.approx(2 / 1.5, rel=1e-6)  # (1-x)^2 + x^2/2 < 1


@pytest.mark.parametrize("scheme", [fl.Full(), fl.SchemeII(2), fl.SchemeI(2)])
def test_three_exact_readings_agree(scheme: Any, three_clients: Any) -> None:
    """Affine forms, the table of moments and all signs of all clients, in rationals."""
    algorithm, noise = fl.FedAvg(2, Fraction(1, 10), scheme), MultiplicativeNoise(Fraction(1, 3))
    asked = dict(rounds=1, oracle=noise, exact=True)
    affine, table, all_signs = (
        read(three_clients, algorithm, **asked) for read in (fl.moments, table_moments, enumerate_moments)
    )
    for other in (table, all_signs):
        assert (affine.deviations == other.deviations).all() and (affine.mean == other.mean).all()
    assert (affine.deviations != fl.moments(three_clients, algorithm, rounds=1, exact=True).deviations).any()


def test_floats_in_the_fields_count_as_decimals(three_clients: Any) -> None:
    found = [
        fl.moments(three_clients, fl.FedAvg(1, Fraction(1, 10)), rounds=1, oracle=MultiplicativeNoise(s), exact=True)
        for s in (0.1, Fraction(1, 10))
    ]
    assert (found[0].deviations == found[1].deviations).all()


def test_runs_have_these_moments(three_clients: Any) -> None:
    """2,000 runs the slow way; the exact mean lies within five standard errors, a fixed seed."""
    problem, algorithm, noise = three_clients.to_float(), fl.FedAvg(1, 0.2, fl.SchemeII(2)), MultiplicativeNoise(0.8)
    run = fl.simulate(problem, algorithm, rounds=2, runs=2_000, seed=3, oracle=noise, start=np.array([3.0, -2.0]))
    exact = fl.moments(problem, algorithm, rounds=2, oracle=noise, start=np.array([3.0, -2.0]))
    assert run.settings["backend"] == "numpy"
    for t in (1, 2):
        distance = run.squared_distance[:, t]
        assert abs(distance.mean() - exact.squared_distance[t]) < 5 * distance.std() / np.sqrt(len(distance))
    quiet = fl.moments(problem, algorithm, rounds=2, start=np.array([3.0, -2.0]))
    assert exact.squared_distance[2] > quiet.squared_distance[2] * 1.05
    np.testing.assert_allclose(run.known.squared_distance, exact.squared_distance)


def test_a_draw_depends_on_its_address_only(three_clients: Any) -> None:
    problem, algorithm, noise = three_clients.to_float(), fl.FedAvg(2, 0.2, fl.SchemeI(2)), MultiplicativeNoise(0.8)
    whole = fl.simulate(problem, algorithm, rounds=2, runs=6, oracle=noise, start=np.ones(2))
    parts = fl.simulate(problem, algorithm, rounds=2, runs=3, first_run=3, oracle=noise, start=np.ones(2), chunk=1)
    np.testing.assert_array_equal(whole.final[3:], parts.final)
    assert len({tuple(w) for w in whole.final}) == 6


def test_the_variance_and_second_moments(three_clients: Any) -> None:
    noise, x = MultiplicativeNoise(HALF), np.array([Fraction(1), Fraction(2)], dtype=object)
    gradients = three_clients.client_gradients(np.broadcast_to(x, (3, 2)))
    assert (fl.gradient_variance(three_clients, noise, x) == (gradients**2).sum(axis=1) / 4).all()
    with pytest.raises(ValueError, match="the variance of MultiplicativeNoise depends on the point"):
        fl.gradient_variance(three_clients, noise)
    found = fl.second_moment_of_gradients(three_clients, fl.FedAvg(1, HALF), 1, noise, start=x, exact=True)
    assert (found[0, 0] == (gradients**2).sum(axis=1) * Fraction(5, 4)).all()


def test_the_servers_own_loss_takes_it_too(three_clients: Any) -> None:
    centre = fl.QuadraticProblem(np.array([[[Fraction(1), 0], [0, Fraction(2)]]]), np.array([[Fraction(1), 1]]))
    mixed, algorithm = fl.MixedProblem(three_clients, centre), fl.OneWayGradientTransfer(1, Fraction(1, 10), 1)
    asked = dict(rounds=1, oracle=MultiplicativeNoise(HALF), centre_oracle=MultiplicativeNoise(HALF), exact=True)
    affine, table, all_signs = (
        read(mixed, algorithm, **asked) for read in (fl.moments, table_moments, enumerate_moments)
    )
    assert (affine.deviations == table.deviations).all() and (affine.deviations == all_signs.deviations).all()


def test_what_it_does_not_have_is_named(three_clients: Any) -> None:
    with pytest.raises(ValueError, match=r"no kernels for .* with MultiplicativeNoise, which has no kernel_noise"):
        fl.simulate(three_clients, fl.FedAvg(1, 0.1), rounds=1, oracle=MultiplicativeNoise(0.1), backend="numba")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"state_dependent": False}, "state_dependent=False of Changed is not so"),
        ({"covariance_degree": 4}, "covariance_degree=4 of Changed: exact moments follow degree 2"),
        ({"covariance": lambda self, p, k, x: x[..., :, None] ** 2 * x[..., None, :] ** 2}, "=2 of Changed is not so"),
        ({"covariance": lambda self, p, k, x: np.zeros(3)}, "of Changed has shape .3,.; expected .2, 2."),
        ({"covariance": lambda self, p, k, x: np.eye(2)}, "of Changed has floats for an exact problem"),
    ],
)
def test_what_is_said_wrongly_is_refused(changes: dict[str, Any], message: str, three_clients: Any) -> None:
    changed = type("Changed", (MultiplicativeNoise,), changes)(HALF)
    with pytest.raises(ValueError, match=message):
        fl.moments(three_clients, fl.FedAvg(1, HALF), rounds=1, oracle=changed, exact=True)


def test_wrong_values_are_refused(three_clients: Any) -> None:
    loaded = type("Loaded", (MultiplicativeNoise,), {"probabilities_of": lambda self, p, k: [HALF, HALF, HALF]})(HALF)
    with pytest.raises(ValueError, match=r"probabilities_of\(\) of Loaded sum to 3/2"):
        enumerate_moments(three_clients, fl.FedAvg(1, HALF), rounds=1, oracle=loaded, exact=True)
    flat = type("Flat", (MultiplicativeNoise,), {"draw": lambda self, p, clients, x, rng: x[0]})(0.5)
    with pytest.raises(ValueError, match=r"an answer of Flat has shape \(2,\); expected \(1, 2\)"):
        fl.simulate(three_clients, fl.FedAvg(1, 0.1), rounds=1, oracle=flat)
