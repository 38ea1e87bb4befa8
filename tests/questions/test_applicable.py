"""fl.applicable on three problems: what it says, that units do not matter, and how it shows itself."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import fltheory as fl

LI = fl.li_counterexample(n_clients=5, block=4, ridge=0.2)
MU, L = float(LI.constants.strong_convexity), float(LI.constants.smoothness)


def test_the_problem_of_the_readme() -> None:
    problem = fl.li_counterexample(n_clients=5, block=4, ridge=2e-4)
    mu, smooth = float(problem.constants.strong_convexity), float(problem.constants.smoothness)
    answer = fl.applicable(problem, fl.FedAvg(local_steps=10, step_size=0.05), rounds=200)
    wanted = "wants eta_t = 2/(mu (gamma + t)) = 2/(0.0002 (147308 + t)), 0.0678844 at t = 1; yours is constant 0.05"
    assert answer["li2020.theorem_3"].reasons[0] == wanted
    assert answer["lecture2022.theorem_1"].reasons == (
        "no G exists: the gradient of client 0 is linear and grows without bound over the whole space",
    )
    assert "LI-THM1[main-text step sizes], holds, hypothesis not printed" in str(answer)
    harmonic = fl.FedAvg(10, fl.Harmonic(2 / mu, 8 * smooth / mu, first=1))
    answer = fl.applicable(problem, harmonic, rounds=200)
    assert [row.key for row in answer.applying][:2] == ["li2020.theorem_1_sharpened", "li2020.theorem_1_improved"]
    tight = answer.applying[0]
    assert tight.truth is not None and tight.value is not None and tight.ratio == tight.value / tight.truth > 1
    bound = fl.theory.li2020.theorem_1_sharpened
    values = fl.experiments.bound_values(problem, harmonic, rounds=200)
    assert tight.value == pytest.approx(float(bound.curve(**bound.select({**values, "T": 2001}))), rel=1e-12)


def test_digits() -> None:
    data = fl.load_digits()
    labels = np.where(data.labels % 2 == 1, 1, -1)
    rows = [rows[:30] for rows in fl.split_by_class(data.labels, 4, seed=0)]
    ridge = fl.Regulariser(0.1, "lambda/2|w|^2")
    problem = fl.LogisticProblem.from_arrays([(data.features[r], labels[r]) for r in rows], ridge)
    known = problem.constants
    mu, smooth = float(known.strong_convexity), float(known.smoothness)
    answer = fl.applicable(problem, fl.FedAvg(5, fl.Harmonic(2 / mu, 8 * smooth / mu, first=1)), rounds=5)
    # the steps of the main text are also those of the appendix with a slightly larger L
    kinds = ("", "_sharpened", "_improved", "_appendix")
    assert {row.key for row in answer.applying} == {f"li2020.theorem_1{kind}" for kind in kinds}
    assert all(row.ratio is not None and row.ratio > 1 for row in answer.applying)
    answer = fl.applicable(problem, fl.FedAvg(5, 1 / (30 * smooth)), rounds=5, oracle=fl.MiniBatch(5))
    assert [row.key for row in answer.applying] == ["lecture2022.theorem_3_sharp"]
    assert answer.truth.startswith("not computed") and "grows without bound" in str(answer)
    random = fl.FedAvg(5, fl.Harmonic(2 / mu, 8 * smooth / mu, first=1))
    row = fl.applicable(problem, random, rounds=5, oracle=fl.MiniBatch(5))["li2020.theorem_1"]
    assert row.status == "undecided" and "give G_run_sq" in row.reasons[0]


def test_a_mixed_problem() -> None:
    one = np.array([[2.0, 0.0], [0.0, 1.0]])
    problem = fl.MixedProblem(
        fl.QuadraticProblem(np.array([one] * 4), np.array([[1.0, 0.0]] * 4)),
        fl.QuadraticProblem(np.array([one[::-1, ::-1]]), np.array([[-1.0, 2.0]])),
    )
    method = fl.OneWayGradientTransfer(5, 0.005, server_step_size=2, participation=fl.SchemeII(2))
    answer = fl.applicable(problem, method, rounds=100)
    assert [row.key for row in answer.applying] == ["mixed2022.one_way_distance"]
    assert {row.assessment.theorem.method for row in answer.others} == {
        "FedAvg", "FedLAMA", "GradientCorrected", "local SGD", "ParallelRestartedSGD", "ParallelTraining", "Scaffold",
        "TwoWayGradientTransfer",
    }  # fmt: skip
    # FedAvg would minimise the clients' part alone: no theorem about the clients' objective is said to hold for f
    answer = fl.applicable(problem, fl.FedAvg(5, 0.001), rounds=10)
    assert len(answer.others) == len(answer)


@pytest.mark.parametrize("unit", [1e-6, 1e5])
@pytest.mark.parametrize("length", [1e-4, 1e3])
def test_units_do_not_matter(unit: float, length: float) -> None:
    """F in another unit and w in another length: the same answers, and bounds of F scale with F."""
    changed = fl.QuadraticProblem(LI.matrices * unit / length**2, LI.vectors * unit / length)
    scale = unit / length**2
    noise = fl.AdditiveNoise(np.array(0.01))
    other = fl.AdditiveNoise(np.array(0.01) * (unit / length) ** 2)
    for method in (
        lambda s: fl.FedAvg(3, fl.Harmonic(2 / (MU * s), 60 * L / MU * 3, first=1)),
        lambda s: fl.FedAvg(3, 1 / (60 * L * s)),
    ):
        first = fl.applicable(LI, method(1.0), rounds=20, oracle=noise)
        second = fl.applicable(changed, method(scale), rounds=20, oracle=other)
        for row in first.rows:
            assert second[row.key].status == row.status or "corollary_4" in row.key or "remark_1" in row.key
            if row.status == "applies" and row.assessment.theorem.measure == "gap":
                assert second[row.key].value == pytest.approx(unit * row.value, rel=1e-6)


def test_it_shows_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = fl.applicable(LI, fl.FedAvg(2, 0.05), rounds=3, truth=False)
    assert "\n" not in repr(answer) and len(repr(answer)) < 200 and "of 59" in repr(answer)
    assert answer._repr_html_().count("<tr>") == len(answer) - len(answer.others) + 1
    assert max(map(len, str(answer).splitlines())) <= 132
    frame = answer.to_frame()
    assert len(frame) == len(answer) and set(frame["status"]) <= {"applies", "undecided", "does not apply"}
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match="needs pandas"):
        answer.to_frame()
    with pytest.raises(KeyError, match="li2020.theorem_1"):
        answer["theorem_1"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rounds": 0}, "rounds=0"),
        ({"rounds": 3, "start": [1.0]}, "start"),
        ({"rounds": 3, "given": {"kappa": 2}}, "no quantity of the vocabulary"),
        ({"rounds": 3, "radius": -1}, "radius=-1"),
        ({"rounds": 3, "oracle": fl.MiniBatch(2)}, "samples=None"),
        ({"rounds": 3, "document": "mcmahan2017"}, "document='mcmahan2017'"),
    ],
)
def test_what_it_refuses(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fl.applicable(LI, fl.FedAvg(2, 0.05), **options)
