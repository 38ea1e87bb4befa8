"""The audit: enclosures of published bound / exact worst case, resumable, with certificates that verify."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from fltheory.evidence.catalogue import load_module
from fltheory.evidence.places import results_folder
from fltheory.experiments.audit_table import table
from fltheory.experiments.files import load_result
from fltheory.experiments.scripts import named_scripts
from fltheory.problems import QuadraticProblem
from fltheory.simulate import simulate
from fltheory.worstcase import verifier
from fltheory.worstcase.audit import audit, digest, outward
from fltheory.worstcase.entry import solve_model
from fltheory.worstcase.explicit import explicit_worst_case
from verify.lecture2022.audit_cases import lecture_case
from verify.li2020.audit_cases import FedAvgFromStepOne, li_case

TINY = [
    partial(li_case, "1", kappa=2, E=2, T=4, Gamma=Fraction(1, 8), G2=Fraction(9, 4)),
    partial(li_case, "3", kappa=10, E=2, T=2, Gamma=2, G2=9, N=10, K=5),
    partial(lecture_case, "1", s=Fraction(1, 2), K=2, T=4, G=Fraction(3, 2)),
]


@pytest.fixture
def script() -> ModuleType:
    return load_module(named_scripts("figures/experiments")["audit"])


def records_in(results: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in load_result(results / "experiments" / "audit.npz")["record"].tolist()]


def test_tiny_grid_and_resume(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def interrupt(text: str) -> None:
        said.append(text)
        if len(said) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        script.main(False, tmp_path, TINY, report=interrupt)
    assert len(records_in(tmp_path)) == 2
    script.main(False, tmp_path, TINY, report=said.append)
    assert len(said) == 3  # only the third point was left
    found = records_in(tmp_path)
    assert [r["key"] for r in found] == [build().key for build in TINY]
    for r in found:
        assert r["status"] == "certified"
        low, high = r["ratios"]["printed"]
        assert 1 <= low <= high
        assert sum(map(Fraction, r["terms"].values())) == Fraction(r["bounds"]["printed"])
        for side in ("upper", "lower"):
            path = tmp_path / "certificates" / f"{r['kept']}_{side}.json"
            data = json.loads(path.read_text("utf-8"))
            assert set(verifier.verify(data)) == {side}
            assert digest(data) == r["sha256"][side]
    monkeypatch.setattr(script, "audit", None)
    script.main(False, tmp_path, TINY, report=said.append)
    assert len(said) == 3
    text = (tmp_path / "audit.md").read_text("utf-8")
    assert "3 points, 3 with both sides certified" in text and "Lecture, Theorem 1 | 1 | 1 |" in text


def test_a_false_bound_is_seen() -> None:
    case = TINY[2]()
    found = audit(case)
    printed = case.bounds["printed"]
    wrong = dataclasses.replace(printed, expression=printed.expression / 100)
    false = dataclasses.replace(case, bounds={"printed": wrong})
    assert found.ratio(case.bound())[0] > 1
    assert found.ratio(false.bound())[1] < 1
    record = {
        "key": "x",
        "theorem": "y",
        "status": "certified",
        "ratios": {"printed": list(found.ratio(false.bound()))},
        "bounds": {"printed": str(false.bound())},
        "terms": {},
    }
    assert "exceeds the published bound: x." in table([record])


def test_steps_are_those_of_the_theorem() -> None:
    """Against a loop by hand: t = 1, ..., T-1, averages where E divides t+1."""
    E, T, mu, L = 3, 9, 0.5, 1.0
    problem = QuadraticProblem(np.array([[[L]], [[mu]]]), np.array([[1.0], [-2.0]]))
    run = simulate(problem, FedAvgFromStepOne(E, mu, L), rounds=T // E, runs=1, seed=0, start=np.array([3.0]))
    x = np.array([3.0, 3.0])
    for t in range(1, T):
        x = x - 2 / (mu * (max(8 * L / mu, E) + t)) * (np.array([L, mu]) * x - np.array([1.0, -2.0]))
        if (t + 1) % E == 0:
            x[:] = x.mean()
    assert run.values("gap")[0, -1] == pytest.approx(float(problem.value(x[:1]) - problem.constants.minimum), rel=1e-12)


@pytest.mark.parametrize("curvature", [Fraction(1, 2), Fraction(1)])
def test_gradient_descent_on_a_parabola_is_below(curvature: Fraction) -> None:
    case = li_case("1", kappa=2, E=1, T=4, Gamma=0, G2=1)
    x = Fraction(1)
    for t in range(1, 4):
        x -= 2 / (Fraction(1, 2) * (16 + t)) * curvature * x
    upper = audit(case).upper
    assert upper is not None and upper >= curvature / 2 * x**2


def test_two_parabolas_with_different_minimisers_are_below() -> None:
    """F_k = (w -+ a)^2/2: Gamma = a^2/2, and with a = 1/2 and w_1 = 1 all gradients are at most 3/2."""
    case = li_case("1", kappa=2, E=2, T=4, Gamma=Fraction(1, 8), G2=Fraction(9, 4))
    rate = [2 / (Fraction(1, 2) * (16 + t)) for t in range(1, 4)]
    w = 1 - rate[0]
    w -= rate[1] * w
    w -= rate[2] * w
    upper = audit(case).upper
    assert upper is not None and upper >= w**2 / 2


@pytest.mark.parametrize("T", [1, 3])
def test_the_first_term_of_the_lecture_is_tight_at_the_longest_step(T: int) -> None:
    """f = x^2/2 from sqrt(2): one step of size 1 ends in the minimiser, and the average is 2/T."""
    found = audit(lecture_case("1", s=1, K=1, T=T, G=2))
    assert found.lower is not None and found.upper is not None
    assert found.lower <= Fraction(2, T) <= found.upper
    assert found.upper - found.lower < Fraction(1, 10**4)


def test_the_worst_clients_run_that_badly() -> None:
    """The instance as functions, run by the algorithm in the arrays reading."""
    case = TINY[0]()
    answer = solve_model(case.above, {name: case.quantities[name] for name in case.above.bound_names})
    instance = answer.instance()
    (model,) = instance.run(FedAvgFromStepOne(2, 0.5, 1.0), rounds=2)
    gap = float(instance.problem.value(model)) - float(instance.problem.constants.minimum)
    assert gap == pytest.approx(answer.value, rel=1e-4)
    assert instance.excess(answer.quantities) < 1e-6


@pytest.mark.parametrize(
    "build", [TINY[0], TINY[2], partial(lecture_case, "3", s=Fraction(1, 12), K=2, T=2, G=3, sigma_G=2)]
)
def test_two_clients_apart_give_the_same(build: Any) -> None:
    """The explicit formulation with N = 2 lies in the enclosure, for both models of a case."""
    case = build()
    found = audit(case)
    assert found.lower is not None and found.upper is not None
    for model in (case.above, case.below):
        quantities = {name: case.quantities[name] for name in model.bound_names}
        value = explicit_worst_case(model, ["1/2", "1/2"], quantities).value
        assert float(found.lower) * (1 - 2e-5) <= value <= float(found.upper) * (1 + 2e-5)


def test_conditions_and_arguments() -> None:
    with pytest.raises(ValueError, match="s <= 1/L"):
        lecture_case("1", s=2, K=1, T=2, G=1).bound()
    with pytest.raises(ValueError, match="6Ls"):
        lecture_case("3", s=Fraction(1, 2), K=1, T=2, G=1, sigma_G=1).bound()
    with pytest.raises(ValueError, match="irrational|no rational"):
        lecture_case("2, first", s=Fraction(1, 2), K=1, T=3, G=1, N=2).bound()
    with pytest.raises(ValueError, match="no multiple of E=2"):
        li_case("1", kappa=2, E=2, T=3, Gamma=0, G2=1)
    with pytest.raises(ValueError, match="one round"):
        li_case("2", kappa=2, E=2, T=4, Gamma=0, G2=1, K=2)
    with pytest.raises(ValueError, match="K is missing"):
        li_case("2", kappa=2, E=2, T=2, Gamma=0, G2=1)
    with pytest.raises(ValueError, match="theorem='4'"):
        li_case("4", kappa=2, E=2, T=2, Gamma=0, G2=1)
    with pytest.raises(ValueError, match="sigma_G"):
        lecture_case("3", s=Fraction(1, 6), K=1, T=2, G=1)


def test_floats_are_rounded_outwards() -> None:
    for number in (Fraction(1, 3), Fraction(2, 3), Fraction(1, 2), Fraction(-1, 7)):
        low, high = outward(number, -1), outward(number, 1)
        assert Fraction(low) <= number <= Fraction(high)
        assert (low == high) == (number == Fraction(1, 2))


def test_committed_results(script: ModuleType) -> None:
    """Committed certificates verify and give the recorded sides; no certified ratio is below one."""
    records = records_in(results_folder())
    done = [r for r in records if r["status"] == "certified"]
    assert len(done) >= 200
    assert {r["key"] for r in records} <= {build().key for build in script.grid(full=True)}
    assert all(r["ratios"]["printed"][0] >= 1 for r in done)
    kept = [r for r in records if "kept" in r]
    assert {r["theorem"] for r in kept} == {r["theorem"] for r in done}
    for r in kept:
        folder, scale = results_folder() / "certificates", Fraction(r["scale"])
        above, below = (
            json.loads((folder / f"{r['kept']}_{side}.json").read_text("utf-8")) for side in ("upper", "lower")
        )
        case = script.case_of(r["key"])
        proved = verifier.verify(above)["upper"]
        assert outward(scale * sum(f * case.quantities[n] for n, f in proved.items()), 1) == r["upper"]
        quantities, value = verifier.verify(below)["lower"]
        assert all(case.quantities[name] == entry for name, entry in quantities.items())
        assert outward(scale * value, -1) == r["lower"]
        assert [digest(above), digest(below)] == [r["sha256"]["upper"], r["sha256"]["lower"]]
    assert (results_folder() / "audit.md").read_text("utf-8") == table(records)


def test_a_committed_point_is_found_again(script: ModuleType) -> None:
    r = next(r for r in records_in(results_folder()) if r["theorem"] == "Lecture, Theorem 3")
    found = audit(script.case_of(r["key"]))
    assert found.upper is not None and found.lower is not None
    assert float(found.lower) <= r["upper"] and r["lower"] <= float(found.upper)
