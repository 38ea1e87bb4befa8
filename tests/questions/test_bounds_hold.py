"""Where a bound is said to apply, what it bounds is computed and lies below it: random instances, every kind of method."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.questions.report import ApplicableBounds


def random_problem(rng: np.random.Generator, n: int, d: int, *, alike: bool = False) -> fl.QuadraticProblem:
    """Clients with curvatures between 0.3 and 2 in directions of their own; ``alike``: one Hessian for all."""
    matrices = []
    for _ in range(n):
        basis, _ = np.linalg.qr(rng.standard_normal((d, d)))
        matrices.append(basis @ np.diag(rng.uniform(0.3, 2, d)) @ basis.T)
    matrices = [matrices[0]] * n if alike else matrices
    return fl.QuadraticProblem(
        np.array([(a + a.T) / 2 for a in matrices]), rng.standard_normal((n, d)) * rng.choice([0.1, 1])
    )


def violations(answer: ApplicableBounds) -> list[str]:
    return [
        f"{row.key}: {row.value} < {row.truth}"
        for row in answer.applying
        if row.truth is not None and row.value is not None and row.truth > row.value * (1 + 1e-9)
    ]


def methods(problem: Any, rng: np.random.Generator, e: int) -> list[Any]:
    """FedAvg with steps that theorems name, and some that they do not."""
    c = problem.constants
    mu, big = float(c.strong_convexity), float(c.smoothness)
    gamma = max(8 * big / mu, e)
    schemes = [fl.Full(), fl.SchemeI(2), fl.SchemeII(2)]
    schedules = [
        fl.Harmonic(2 / mu, gamma, first=1),
        fl.li_main_text(mu, big, e),
        fl.Harmonic(4 / mu, 2.5 * gamma, first=1),
        fl.Harmonic(2 / mu, 7 * big / mu * e + e, first=1),
    ]
    found: list[Any] = [fl.FedAvg(e, schedule, scheme) for schedule in schedules for scheme in schemes]
    small = 1 / (6 * e * big)
    found += [fl.FedAvg(e, small * factor) for factor in (1.0, 0.3)]
    found += [fl.FedLAMA(1, e, small / 4), fl.ParallelRestartedSGD(e, small)]
    return [*found, fl.TwoSidedFedAvg(e, 1 / (60 * big * e), float(rng.uniform(1, 2)), schemes[2])]


@pytest.mark.parametrize("seed", range(3))
def test_no_applying_bound_is_exceeded(seed: int) -> None:
    rng = np.random.default_rng(seed)
    e = (1, 2, 4)[seed]
    problem = random_problem(rng, 3, 2, alike=seed % 2 == 0)
    applied: set[str] = set()
    for noise in (None, fl.AdditiveNoise(np.array(0.2))):
        for method in methods(problem, rng, e):
            if noise is not None and isinstance(method, fl.FedLAMA):
                continue
            answer = fl.applicable(problem, method, rounds=30, oracle=noise, start=rng.standard_normal(2))
            assert violations(answer) == []
            applied |= {row.key for row in answer.applying}
    wanted = {f"li2020.theorem_{n}{kind}" for n in (1, 2, 3) for kind in ("", "_sharpened", "_improved", "_appendix")}
    wanted |= {"li2020.no_bounded_gradients_small_steps", "fedlama2021.theorem_5_3_sharp"}
    wanted |= {"li2020.no_bounded_gradients_exact", "li2020.no_bounded_gradients_noise"} if e == 1 else set()
    wanted |= {"lecture2022.theorem_3_sharp", "lecture2022.theorem_3_sharp_printed_code"} if seed % 2 == 0 else set()
    assert wanted <= applied


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("same", [False, True])
def test_papers_beyond_the_documents_hold(seed: int, same: bool) -> None:
    """Their constants were recalled, not compared with the print: truths below them are what stands for them here."""
    rng = np.random.default_rng([seed, same])
    e = (1, 3, 5)[seed]
    problem = random_problem(rng, 1 if same else 4, 2)
    if same:
        problem = fl.QuadraticProblem(np.repeat(problem.matrices, 3, axis=0), np.repeat(problem.vectors, 3, axis=0))
    mu, big = (float(getattr(problem.constants, name)) for name in ("strong_convexity", "smoothness"))
    noise = fl.AdditiveNoise(np.array(0.1))
    runs: list[tuple[Any, Any]] = [
        (fl.FedAvg(e, 1 / (4 * big) if same else 1 / (8 * big * max(e, 2))), noise),
        (fl.FedAvg(e, 1 / (8 * big * max(e, 2))), None),
        (fl.TwoSidedFedAvg(e, 1 / (36 * big * e), 1.5), None),
        (fl.Scaffold(e, 1 / (81 * big * e)), None),
        (fl.Scaffold(e, 1 / (162 * big * e), 2), None),
        (fl.algorithms.GradientCorrected(e, 1 / (6 * big * e)), None),
        (fl.FedAvg(1, 2 / (mu + big)), None),
        (fl.FedAvg(1, 1 / big), None),
        (fl.FedAvg(e, fl.Harmonic(4 / mu, 16 * big / mu + e + 1)), noise),
    ]
    applied: set[str] = set()
    for method, oracle in runs:
        for rounds in (1, 25):
            found = fl.applicable(problem, method, rounds=rounds, oracle=oracle, start=rng.standard_normal(2))
            assert violations(found) == []
            applied |= {row.key for row in found.applying}
    wanted = {"khaled2020.heterogeneous_convex", "mitra2021.fedlin", "nesterov2004.distance", "nesterov2004.gap"}
    wanted |= {"nesterov2004.convex"}
    wanted |= {f"karimireddy2020.{name}_{of}" for name in ("fedavg", "scaffold") for of in ("distance", "gap")}
    if same:
        wanted |= {"khaled2020.identical_convex", "khaled2020.identical_strongly_convex", "stich2019.theorem_2_2"}
    assert wanted <= applied


def test_a_paper_of_one_loss_says_what_it_wants() -> None:
    problem = random_problem(np.random.default_rng(1), 3, 2)
    big = float(problem.constants.smoothness)
    found = fl.applicable(problem, fl.FedAvg(2, 1 / (4 * big)), rounds=3, truth=False)
    assert any(
        "wants sum_k p_k |grad f_k - grad f_f|^2 = 0" in text for text in found["khaled2020.identical_convex"].reasons
    )
    assert "s <= 1/(8 L (H - 1))" in found["khaled2020.heterogeneous_convex"].reasons[0]
    scaffold = fl.applicable(problem, fl.Scaffold(2, 1 / (100 * big), option="I"), rounds=3, truth=False)
    assert scaffold["karimireddy2020.scaffold_gap"].reasons[0].startswith("wants option is II")
    assert found["nesterov2004.gap"].verdict == "textbook"


def test_prescribed_steps_apply_and_hold() -> None:
    """The step that a theorem was tuned for, taken from the theorem, makes it apply."""
    from dataclasses import replace

    from fltheory.theory.hypotheses import KnownNumber, PrescribedStep
    from fltheory.theory.rates import rates
    from fltheory.theory.settings import RateSetting

    problem = random_problem(np.random.default_rng(7), 3, 2)
    noise = fl.AdditiveNoise(np.array(0.05))
    seen = set()
    for theorem in rates("elastic2023"):
        for hypothesis in theorem.hypotheses:
            if not isinstance(hypothesis, PrescribedStep):
                continue
            method = fl.TwoSidedFedAvg(2, 0.01, 1.5)
            wanted = hypothesis.prescribed(RateSetting(problem, method, 2000, noise))
            assert isinstance(wanted, KnownNumber)
            tuned = replace(method, step_size=wanted.value / (2 * 1.5))
            answer = fl.applicable(problem, tuned, rounds=2000, oracle=noise, document="elastic2023")
            assert answer[theorem.key].status == "applies"
            assert violations(answer) == []
            off = replace(method, step_size=1.001 * wanted.value / (2 * 1.5))
            answer = fl.applicable(problem, off, rounds=2000, oracle=noise, document="elastic2023", truth=False)
            assert answer[theorem.key].status == "does not apply"
            seen.add(theorem.key)
    assert len(seen) == 5


@pytest.mark.parametrize("seed", range(2))
def test_mixed_distances_hold(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = random_problem(rng, 1, 2)
    clients = fl.QuadraticProblem(np.repeat(one.matrices, 4, axis=0), np.repeat(one.vectors, 4, axis=0))
    problem = fl.MixedProblem(clients, random_problem(rng, 1, 2))
    big = float(problem.constants.smoothness)
    noise, central = fl.AdditiveNoise(np.array(0.1)), fl.AdditiveNoise(np.array(0.2))
    eta, rate = 1 / (100 * big), math.sqrt(2)
    applied = set()
    for method, noisy in (
        (fl.OneWayGradientTransfer(3, eta, rate, fl.SchemeII(2)), True),
        (fl.ParallelTraining(3, eta / 10, eta / 10 * rate, rate, participation=fl.SchemeII(2)), True),
        (
            fl.TwoWayGradientTransfer(
                3, eta / 6, eta / 6 * rate, rate, rate, participation=fl.SchemeII(2), initial="gradients",
                divisor="central step size",
            ),
            False,
        ),
    ):  # fmt: skip
        for rounds in (1, 100):
            options = {"oracle": noise, "centre_oracle": central} if noisy else {}
            answer = fl.applicable(problem, method, rounds=rounds, start=rng.standard_normal(2), **options)
            assert violations(answer) == []
            assert len(answer.applying) >= 1
            applied |= {row.key for row in answer.applying}
    assert applied >= {"mixed2022.one_way_distance", "mixed2022.parallel_distance", "mixed2022.two_way_distance"}
