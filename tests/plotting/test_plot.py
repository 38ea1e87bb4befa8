"""fl.plot on a user's own problem, from runs and from saved runs; values of a bound's symbols."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fltheory.algorithms
from fltheory.algorithms import FedAvg, Harmonic, SchemeI, li_main_text
from fltheory.evidence.displays import bounds_of
from fltheory.experiments import bound_values
from fltheory.experiments.fitting import OWNERS, SCHEDULE
from fltheory.plotting import color_of, plot
from fltheory.problems import AdditiveNoise, QuadraticProblem, Regulariser, SoftmaxProblem
from fltheory.readings.moments import inside_rounds, moments
from fltheory.simulate import simulate
from fltheory.theory import lecture2022
from fltheory.theory.bound import Condition
from fltheory.theory.li2020 import theorem_1, theorem_1_sharpened, theorem_2


@pytest.fixture
def setting():
    problem = QuadraticProblem(np.array([[[2.0, 0], [0, 1]], [[1.0, 0], [0, 3]]]), np.array([[1.0, 0], [0, 1.0]]))
    algorithm = FedAvg(2, li_main_text(1.0, 3.0, 2))
    oracle = AdditiveNoise(np.array(0.1))
    return problem, algorithm, oracle, simulate(problem, algorithm, rounds=6, runs=4, oracle=oracle)


def lines(axes):
    return {line.get_label(): line for line in axes.get_lines()}


def test_bound_is_dashed_truth_solid_with_a_band_and_exact_dotted(setting, tmp_path: Path) -> None:
    problem, algorithm, oracle, run = setting
    exact = moments(problem, algorithm, rounds=6, oracle=oracle)
    target = tmp_path / "own.png"
    axes = plot(run, theorem_1, problem=problem, algorithm=algorithm, oracle=oracle, exact=exact, path=target)
    drawn = lines(axes)
    assert drawn[theorem_1.source].get_linestyle() == "--"
    assert drawn["simulation"].get_linestyle() == "-"
    assert drawn["exact expectation"].get_linestyle() == ":"
    assert axes.collections, "no band"
    assert (drawn[theorem_1.source].get_ydata() > drawn["exact expectation"].get_ydata()).all()
    assert target.stat().st_size > 1000
    assert "F^*" in axes.get_ylabel() and "rounds" in axes.get_xlabel()


def test_bound_curve_is_that_of_the_theory(setting) -> None:
    problem, algorithm, oracle, run = setting
    values = bound_values(problem, algorithm, oracle, run)
    axes = plot(run, {"theorem": theorem_1}, values=values)
    expected = theorem_1.curve(**theorem_1.select(values), T=1 + 2 * run.rounds)
    np.testing.assert_array_equal(lines(axes)["theorem"].get_ydata(), expected)


def test_values_are_constants_of_the_instance(setting) -> None:
    problem, algorithm, oracle, run = setting
    values = bound_values(problem, algorithm, oracle, run)
    assert values["L"] == pytest.approx(3) and values["mu"] == pytest.approx(1)
    assert values["V"] == pytest.approx((0.2 + 0.2) / 4)
    assert values["D1"] == pytest.approx(float((problem.constants.minimiser**2).sum()))
    assert values["G2"] == pytest.approx(float(inside_rounds(problem, algorithm, rounds=6, oracle=oracle).G2))
    assert not theorem_1.unmet(**values, T=3)


def test_saved_runs_several_runs_and_svg(setting, tmp_path: Path) -> None:
    problem, algorithm, oracle, run = setting
    saved = run.save(tmp_path / "run.npz")
    axes = plot({"Scheme I": saved, "other": run}, quantity="squared_distance", path=tmp_path / "a.svg")
    drawn = lines(axes)
    assert drawn["Scheme I"].get_color() == color_of("Scheme I")
    np.testing.assert_array_equal(drawn["Scheme I"].get_ydata(), drawn["other"].get_ydata())
    plot({"Scheme I": saved, "other": run}, quantity="squared_distance", path=tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_softmax_bound_has_sampled_second_moment() -> None:
    rng = np.random.default_rng(0)
    problem = SoftmaxProblem.from_arrays(
        [(rng.standard_normal((6, 2)), np.arange(6) % 3) for _ in range(3)], Regulariser(0.1, "lambda|w|^2")
    )
    algorithm = FedAvg(2, li_main_text(0.2, 5.0, 2), SchemeI(2))
    run = simulate(problem, algorithm, rounds=3, runs=2)
    values = bound_values(problem, algorithm, None, run)
    assert values["V"] == 0 and values["K"] == 2 and values["G2"] > 0
    assert plot(run, theorem_2, values=values)


def test_errors_name_what_is_missing(setting) -> None:
    run = setting[3]
    with pytest.raises(ValueError, match="expected plot"):
        plot(run, theorem_1)
    with pytest.raises(ValueError, match="quantity='loss'"):
        plot(run, quantity="loss")
    with pytest.raises(ValueError, match="at least one run"):
        plot({})


def test_pyplot_is_not_imported(setting) -> None:
    before = "matplotlib.pyplot" in sys.modules
    plot(setting[3])
    assert ("matplotlib.pyplot" in sys.modules) == before


def test_a_label_keeps_its_colour() -> None:
    assert color_of("original, eta0=1.1") == color_of("original")
    assert color_of("E=5") != color_of("E=10")
    assert color_of("K/N=0.1") != color_of("K/N=1")
    assert color_of("something else") == color_of("something else")


def test_a_bound_stands_only_beside_its_own_algorithm(setting) -> None:
    problem, algorithm, oracle, run = setting
    known = {"problem": problem, "algorithm": algorithm, "oracle": oracle}
    with pytest.raises(ValueError, match=r"quantity='squared_distance'.*expected quantity='gap'"):
        plot(run, theorem_1, quantity="squared_distance", **known)
    with pytest.raises(ValueError, match="participation=Full: Theorem 2"):
        plot(run, theorem_2, **known)
    with pytest.raises(ValueError, match="not that of the run"):
        plot(run, theorem_1, **{**known, "algorithm": FedAvg(3, li_main_text(1.0, 3.0, 3))})
    with pytest.raises(ValueError, match=r"oracle=Exact\(\): the run was made with AdditiveNoise"):
        plot(run, theorem_1, problem=problem, algorithm=algorithm)
    with pytest.raises(ValueError, match="which is not drawn"):
        plot(run, lecture2022.theorem_1, **known)
    with pytest.raises(ValueError, match="an order"):
        plot(run, replace(theorem_1, relation="O"), **known)


def test_other_steps_than_the_theorem_are_refused(setting) -> None:
    problem, _, oracle, _ = setting
    for step_size in (0.1, li_main_text(1.0, 2.0, 2)):
        algorithm = FedAvg(2, step_size)
        run = simulate(problem, algorithm, rounds=6, runs=2, oracle=oracle)
        with pytest.raises(ValueError, match="step_size="):
            plot(run, theorem_1, problem=problem, algorithm=algorithm, oracle=oracle)
    appendix = FedAvg(2, li_main_text(1.0, 3.0, 2))  # first step 2/(mu gamma): the printed bound only
    run = simulate(problem, appendix, rounds=6, runs=2, oracle=oracle)
    with pytest.raises(ValueError, match="step_size="):
        plot(run, theorem_1_sharpened, problem=problem, algorithm=appendix, oracle=oracle)
    first = FedAvg(2, Harmonic(2.0, 24.0, 1))
    run = simulate(problem, first, rounds=6, runs=2, oracle=oracle)
    for bound in (theorem_1, theorem_1_sharpened):
        assert bound.source in lines(plot(run, bound, problem=problem, algorithm=first, oracle=oracle))


def test_the_bound_begins_where_the_run_begins(setting) -> None:
    problem, algorithm, oracle, _ = setting
    start, known = np.array([30.0, 30.0]), {"problem": problem, "algorithm": algorithm, "oracle": oracle}
    run = simulate(problem, algorithm, rounds=6, runs=2, oracle=oracle, start=start)
    with pytest.raises(ValueError, match="not at zero; expected start="):
        plot(run, theorem_1, **known)
    with pytest.raises(ValueError, match="the run begins at"):
        plot(run, theorem_1, start=2 * start, **known)
    with pytest.raises(ValueError, match="D1=.*the run begins at"):
        plot(run, theorem_1, values=bound_values(problem, algorithm, oracle))
    told = lines(plot(run, theorem_1, start=start, **known))[theorem_1.source].get_ydata()
    kept = simulate(problem, algorithm, rounds=6, runs=2, oracle=oracle, start=start, keep_models=True)
    np.testing.assert_array_equal(lines(plot(kept, theorem_1, **known))[theorem_1.source].get_ydata(), told)
    exact = moments(problem, algorithm, rounds=6, oracle=oracle, start=start)
    assert (told > exact.gap).all()
    values = bound_values(problem, algorithm, oracle, exact)  # exact moments say where they begin
    assert values["D1"] == pytest.approx(exact.squared_distance[0])


def test_failing_conditions_are_named_and_times_outside_are_left_out(setting) -> None:
    run = setting[3]
    known = bound_values(*setting)
    with pytest.raises(ValueError, match="0 < mu <= L, which fails at L=3, mu=4"):
        plot(run, theorem_1, values={**known, "mu": 4.0})
    late = replace(theorem_1, conditions=(Condition("T >= 5", sp.Symbol("T") >= 5),))
    drawn = lines(plot(run, late, values=known))[theorem_1.source].get_ydata()
    np.testing.assert_array_equal(np.isnan(drawn), 1 + 2 * run.rounds < 5)
    never = replace(theorem_1, conditions=(Condition("T >= 50", sp.Symbol("T") >= 50),))
    with pytest.raises(ValueError, match="T >= 50, which fails"):
        plot(run, never, values=known)


def test_every_owner_names_a_bound_and_an_algorithm() -> None:
    bounds = [bound for document in ("li2020", "mixed2022") for bound in bounds_of(document).values()]
    for name, (algorithm, schemes) in OWNERS.items():
        assert any(bound.name.startswith(name) for bound in bounds), name
        assert hasattr(fltheory.algorithms, algorithm) and all(hasattr(fltheory.algorithms, s) for s in schemes)
    tied = [bound for bound in bounds if any(c.words.startswith(SCHEDULE) for c in bound.conditions)]
    assert {theorem_1.name, theorem_2.name} <= {bound.name for bound in tied}
