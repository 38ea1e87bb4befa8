"""Theorems for every horizon: known rates, exact worst cases of some rounds, and the methods themselves on quadratics."""

from __future__ import annotations

import html
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.worstcase import lyapunov_verifier
from fltheory.worstcase.lyapunov_quadratics import quadratic_rate
from fltheory.worstcase.lyapunov_round import free_round
from fltheory.worstcase.space import Shares

CLIENTS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
CENTRE = fl.SmoothConvex(1)
MOMENTUM = fl.FedOpt(3, 0.25, server=fl.HeavyBall(0.5))


@pytest.mark.parametrize("eta", ["1/10", "1/2", "1", "9/5", "19/10"])
@pytest.mark.parametrize("mu", ["1/10", "1/2"])
def test_gradient_descent_has_its_known_rate(eta: str, mu: str) -> None:
    step, modulus = Fraction(eta), Fraction(mu)
    found = fl.lyapunov(fl.FedAvg(1, step), fl.SmoothStronglyConvex(modulus, 1))
    known = max(abs(1 - step * modulus), abs(1 - step)) ** 2
    assert found.rho == known
    assert found.factors == {} and dict(found.V) == {"|w - w*|^2": 1}
    assert found.quadratics == pytest.approx(float(known), rel=1e-9)


def test_where_two_modes_cross_the_rate_has_a_little_room() -> None:
    known = Fraction(9, 11) ** 2
    found = fl.lyapunov(fl.FedAvg(1, Fraction(20, 11)), CLIENTS)
    assert found.rho is not None and known <= found.rho <= known + Fraction(3, 10**4) * (1 - known)


@pytest.mark.parametrize(
    ("option", "steps"), [("I", 1), ("I", 2), ("I", 5), ("II", 1), ("II", 2), ("II", 5), ("II", 8)]
)
def test_scaffold_has_the_rate_of_the_flattest_clients_exactly(option: str, steps: int) -> None:
    found = fl.lyapunov(fl.Scaffold(steps, Fraction(1, 4), option=option), CLIENTS)
    assert found.rho == Fraction(39, 40) ** (2 * steps) and found.factors == {}
    assert found.words[0] == f"V_R <= (39/40)^({2 * steps} R) V_0, for every R >= 1"
    assert found.V["|w - w*|^2"] == 1 and len(found.V) == 2


@pytest.mark.parametrize(
    ("algorithm", "options", "rate"),
    [
        (fl.FedAvg(3, Fraction(1, 4)), {"heterogeneity": "none"}, Fraction(39, 40) ** 6),
        (fl.GradientCorrected(3, Fraction(1, 4)), {}, Fraction(39, 40) ** 6),
        (fl.Scaffold(3, Fraction(1, 4)), {"heterogeneity": "gamma"}, Fraction(39, 40) ** 6),
        (fl.TwoSidedFedAvg(1, Fraction(1, 4), 2), {"heterogeneity": "none"}, Fraction(19, 20) ** 2),
        (
            fl.OneWayGradientTransfer(3, Fraction(1, 8)),
            {"heterogeneity": "none", "centre": CENTRE},
            Fraction(79, 80) ** 6,
        ),
    ],
)
def test_methods_without_a_floor_have_exact_rates(algorithm: Any, options: dict[str, Any], rate: Fraction) -> None:
    found = fl.lyapunov(algorithm, CLIENTS, **options)
    assert found.rho == rate and found.quadratics == pytest.approx(float(rate), rel=1e-9)


def test_bounds_after_many_rounds_are_rounded_up() -> None:
    rho, floor = Fraction(9, 10), Fraction(1, 10)
    found = fl.LyapunovBound("certified", rho, {}, {"heterogeneity": floor}, {"distance": Fraction(1)}, ("V",))
    assert found.after(3) == {"distance": rho**3, "heterogeneity": (1 - rho**3) * 10 * floor}
    exact, rounded = found.after(30_000), found.after(40_000)
    assert exact["distance"] == rho**30_000 and rho**40_000 < rounded["distance"] < Fraction(1, 10**1000)
    assert exact["heterogeneity"] < rounded["heterogeneity"] <= 1
    assert found.after(10**18)["heterogeneity"] == 1 and found.bound(10**18, {"distance": 2, "heterogeneity": 1}) > 1
    rising = fl.LyapunovBound("certified", Fraction(3, 2), {}, {}, {"distance": Fraction(1)}, ("V",))
    with pytest.raises(ValueError, match="rounds=1000000000 with rho=1.5 > 1"):
        rising.after(10**9)


def test_beyond_the_limit_of_stability_there_is_none() -> None:
    found = fl.lyapunov(fl.FedAvg(1, Fraction(21, 10)), CLIENTS)
    assert found.rho is None and "none found" in found.status and found.quadratics > 1
    for word in (lambda: found.floor, lambda: found.after(3), lambda: found.save("x")):
        with pytest.raises(ValueError, match="status="):
            word()


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        (fl.FedAvg(2, 0.25), {}),
        (fl.TwoSidedFedAvg(2, 0.25, 1.5), {}),
        (fl.FedProx(2, 0.25, 0.3), {}),
        (fl.FedAvg(3, 0.25), {"heterogeneity": "gamma"}),
        (fl.Scaffold(2, 0.25), {}),
        (fl.Scaffold(2, 0.25, option="I"), {}),
        (MOMENTUM, {}),
        (fl.ParallelRestartedSGD(2, 0.25), {}),
        (fl.OneWayGradientTransfer(2, 0.25), {"centre": CENTRE}),
        (fl.TwoWayGradientTransfer(2, 0.125, 0.125), {"centre": CENTRE}),
    ],
)
def test_exact_worst_cases_are_below_the_theorem(algorithm: Any, options: dict[str, Any]) -> None:
    found = fl.lyapunov(algorithm, CLIENTS, **options)
    assert found.rho is not None and found.rho >= found.quadratics - 1e-9
    for rounds in (1, 3):
        exact = fl.worst_case(algorithm, CLIENTS, rounds=rounds, **options)
        assert exact.lower is not None
        assert exact.lower <= found.bound(rounds, exact.quantities)


def test_the_rate_without_heterogeneity_is_that_of_exact_rounds() -> None:
    algorithm = fl.FedAvg(3, 0.25)
    found = fl.lyapunov(algorithm, CLIENTS, heterogeneity="none")
    exact = fl.worst_case(algorithm, CLIENTS, rounds=3, heterogeneity="none")
    assert found.rho is not None and exact.lower is not None
    assert exact.lower <= found.rho**3 <= exact.lower * Fraction(1001, 1000)


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        (fl.FedAvg(2, 0.25), {}),
        (fl.FedAvg(2, 0.25, fl.NormalisedUniform(3)), {}),
        (fl.FedAvg(2, 0.25, fl.SchemeI(3)), {}),
    ],
)
def test_one_round_with_noise_is_below_the_theorem(algorithm: Any, options: dict[str, Any]) -> None:
    found = fl.lyapunov(algorithm, CLIENTS, noise=True, n_clients=8)
    exact = fl.worst_case(algorithm, CLIENTS, noise=True, n_clients=8)
    assert exact.lower is not None and exact.lower <= found.bound(1, exact.quantities)
    assert found.words[0].startswith("E V_R") and set(found.factors) == {"heterogeneity", "noise"}


def test_noise_of_scaffold_costs_and_heterogeneity_does_not() -> None:
    found = fl.lyapunov(fl.Scaffold(2, 0.25), CLIENTS, noise=True, n_clients=8)
    assert set(found.factors) == {"noise"} and found.factors["noise"] > 0
    assert found.start is not None and found.start["heterogeneity"] > 0


def _matrices(rng: np.random.Generator, count: int, size: int) -> np.ndarray:
    """Symmetric matrices with eigenvalues from 1/10 to 1, none commuting with another."""
    found = []
    for _ in range(count):
        turn, _ = np.linalg.qr(rng.standard_normal((size, size)))
        found.append(turn @ np.diag(np.concatenate([[0.1, 1.0], rng.uniform(0.1, 1, size - 2)])) @ turn.T)
    return np.array(found)


@pytest.mark.parametrize("algorithm", [fl.FedAvg(3, 0.25), fl.Scaffold(3, 0.25), MOMENTUM], ids=["FedAvg", "S", "M"])
def test_the_method_itself_on_quadratics_obeys_the_theorem(algorithm: Any) -> None:
    found = fl.lyapunov(algorithm, CLIENTS)
    for seed in np.random.SeedSequence(7).spawn(8):
        rng = np.random.default_rng(seed)
        matrices, vectors = _matrices(rng, 4, 3), rng.standard_normal((4, 3)) * rng.choice([0.01, 1.0])
        problem = fl.QuadraticProblem((matrices + matrices.transpose(0, 2, 1)) / 2, vectors)
        best = np.linalg.solve(problem.matrices.mean(axis=0), vectors.mean(axis=0))
        spread = float(np.mean([np.sum((a @ best - b) ** 2) for a, b in zip(problem.matrices, vectors, strict=True)]))
        start = best + rng.standard_normal(3)
        run = fl.trajectory(problem, algorithm, rounds=12, start=start)
        for rounds, model in enumerate(run.models[1:], start=1):
            quantities = {"distance": float(np.sum((start - best) ** 2)), "heterogeneity": spread}
            asked = {name: quantities[name] for name in found.after(rounds)}
            assert np.sum((model - best) ** 2) <= float(found.bound(rounds, asked)) * (1 + 1e-9)


@pytest.mark.parametrize("factor", ["1/1000", "25"])
def test_units_do_not_matter(factor: str) -> None:
    scale = Fraction(factor)
    found = fl.lyapunov(fl.Scaffold(2, Fraction(1, 4)), CLIENTS)
    other = fl.lyapunov(fl.Scaffold(2, Fraction(1, 4) / scale), fl.SmoothStronglyConvex(Fraction(1, 10) * scale, scale))
    assert found.rho is not None and other.rho == found.rho
    plain = fl.lyapunov(fl.FedAvg(3, Fraction(1, 4)), CLIENTS)
    moved = fl.lyapunov(
        fl.FedAvg(3, Fraction(1, 4) / scale),
        fl.SmoothStronglyConvex(Fraction(1, 10) * scale, scale),
        rho=plain.rho,
    )
    assert float(moved.factors["heterogeneity"] * scale**2) == pytest.approx(
        float(plain.factors["heterogeneity"]), rel=0.02
    )


def test_a_rate_that_is_asked_for() -> None:
    algorithm = fl.FedAvg(5, 0.25)
    slow, fast = (fl.lyapunov(algorithm, CLIENTS, rho=rho) for rho in (0.9, 0.8))
    assert slow.rho == Fraction(9, 10) and fast.rho == Fraction(4, 5)
    assert slow.factors["heterogeneity"] < fast.factors["heterogeneity"]
    assert fl.lyapunov(algorithm, CLIENTS, rho=0.7).rho is None
    least, corrected = Fraction(39, 40) ** 10, fl.GradientCorrected(5, Fraction(1, 4))
    assert fl.lyapunov(corrected, CLIENTS, rho=least).rho == least
    assert fl.lyapunov(corrected, CLIENTS, rho=least * Fraction(999999, 10**6)).rho is None


def test_convex_losses_have_no_rate_below_one_but_one() -> None:
    algorithm, convex = fl.FedAvg(1, 0.5), fl.SmoothConvex(1)
    assert fl.lyapunov(algorithm, convex).rho is None
    found = fl.lyapunov(algorithm, convex, rho=1)
    assert found.rho == 1 and found.bound(5, {"distance": 2}) == 2
    with pytest.raises(ValueError, match="rho=1 is not below one"):
        _ = found.floor


def test_the_gap_and_the_gradient_pay_with_momentum_only() -> None:
    plain, rich = (fl.lyapunov(MOMENTUM, CLIENTS, terms=terms, rho=0.99) for terms in ("state", "gradient"))
    assert rich.rho is not None and any("f_k(w)" in name for name in rich.V)
    assert fl.lyapunov(MOMENTUM, CLIENTS, terms="gradient").curve[0][0] < 0.9
    assert fl.lyapunov(MOMENTUM, CLIENTS, terms="state").curve[0][0] > 0.9
    assert fl.lyapunov(MOMENTUM, CLIENTS, terms="distance").rho is None
    assert plain.status  # whatever it is, it is said
    stateless = fl.lyapunov(fl.FedAvg(3, 0.25), CLIENTS)
    assert dict(stateless.V) == {"|w - w*|^2": 1}


def test_invariants_are_found_and_proved() -> None:
    free = free_round(fl.Scaffold(2, 0.25), Shares())
    assert free.invariants == ("control is the mean of client control",)
    found = fl.lyapunov(fl.Scaffold(2, 0.25), CLIENTS)
    assert "control = mean(client control) in all rounds (proved)" in found.words
    assert free_round(fl.FedAvg(2, 0.25), Shares()).invariants == ()


def test_quadratics_of_fedavg_have_the_rate_of_the_flattest_clients() -> None:
    free = free_round(fl.FedAvg(4, 0.25), Shares())
    assert quadratic_rate(free, CLIENTS, None) == pytest.approx((1 - 0.025) ** 8, rel=1e-12)


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    algorithm = fl.Scaffold(2, 0.25)
    found = fl.lyapunov(algorithm, CLIENTS)
    found.save(tmp_path / "s.json")
    again = fl.LyapunovBound.load(tmp_path / "s.json")
    assert (again.rho, again.V, again.start, again.words) == (found.rho, found.V, found.start, found.words)
    assert again.matches(algorithm)
    for other in (fl.Scaffold(3, 0.25), fl.Scaffold(2, 0.2), fl.Scaffold(2, 0.25, option="I"), fl.FedAvg(2, 0.25)):
        assert not again.matches(other)
    (tmp_path / "t.json").write_text(
        (tmp_path / "s.json").read_text("utf-8").replace("lyapunov 1", "lyapunov 2"), "utf-8"
    )
    with pytest.raises(ValueError, match="path='t.json': unknown format"):
        fl.LyapunovBound.load(tmp_path / "t.json")
    (tmp_path / "t.json").write_text("{", "utf-8")
    with pytest.raises(ValueError, match="path='t.json'"):
        fl.LyapunovBound.load(tmp_path / "t.json")


def test_it_shows_the_theorem_that_the_verifier_writes() -> None:
    found = fl.lyapunov(fl.FedAvg(5, 0.25), CLIENTS)
    assert found.certificate is not None
    lines = lyapunov_verifier.report(lyapunov_verifier.verify(found.certificate))
    assert lines[0] == "proved: " + found.words[0] and "for every R >= 1" in found.words[0]
    assert all(line in str(found) for line in found.words)
    assert html.escape(found.words[0]) in found._repr_html_()
    assert (
        "in the long run" in str(found)
        and found.floor["heterogeneity"] * (1 - found.rho) == found.factors["heterogeneity"]
    )


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("rounds differ", lambda: fl.lyapunov(fl.FedAvg(2, fl.Harmonic(1, 4)), CLIENTS)),
        ("rounds differ", lambda: fl.lyapunov(fl.TwoSidedFedAvg(2, 0.1, fl.HarmonicPerRound(1, 4)), CLIENTS)),
        ("expected mu >= 0", lambda: fl.lyapunov(fl.FedAvg(2, 0.1), fl.Smooth(1))),
        ("rho=2 is no rate", lambda: fl.lyapunov(fl.FedAvg(2, 0.1), CLIENTS, rho=2)),
        ("rho='x' is no rational", lambda: fl.lyapunov(fl.FedAvg(2, 0.1), CLIENTS, rho="x")),  # type: ignore[arg-type]
        ("heterogeneity='identical'", lambda: fl.lyapunov(fl.FedAvg(2, 0.1), CLIENTS, heterogeneity="identical")),
        ("terms='all'", lambda: fl.lyapunov(fl.FedAvg(2, 0.1), CLIENTS, terms="all")),
        (
            "terms='gradient'",
            lambda: fl.lyapunov(fl.FedAvg(2, 0.1, fl.SchemeI(2)), CLIENTS, terms="gradient", n_clients=3),
        ),
        ("n_clients is missing", lambda: fl.lyapunov(fl.FedAvg(2, 0.1), CLIENTS, noise=True)),
        ("centre=None", lambda: fl.lyapunov(fl.OneWayGradientTransfer(2, 0.1), CLIENTS)),
        ("centre=FunctionClass", lambda: fl.lyapunov(fl.FedAvg(2, 0.1), CLIENTS, centre=CENTRE)),
        ("no assumption bounds 'noise'", lambda: fl.lyapunov(fl.FedAvg(2, 0.1), CLIENTS, quantities={"noise": 1})),
    ],
)
def test_refusals_name_quantity_value_and_condition(words: str, call: Any) -> None:
    with pytest.raises(ValueError, match=words):
        call()
