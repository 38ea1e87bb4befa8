"""Code written without the package: right implementations pass, wrong ones are named, each in seconds."""

from __future__ import annotations

import dataclasses
import sys
from functools import partial
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.testing import assert_conforms
from tests.conformance import implementations as own

RIGHT: dict[str, Any] = {
    "FedAvg": own.fedavg,
    "FedProx": own.fedprox,
    "FedAvgM": own.fedavgm,
    "FedAdam": own.fedadam,
    "FedNova": own.fednova,
    "FedDyn": own.feddyn,
    "ParallelTraining": own.parallel,
    "OneWayGradientTransfer": own.one_way,
    "TwoWayGradientTransfer": own.two_way,
    "FedLAMA": own.fedlama,
    "Elastic": own.elastic,
}


def scaffold(option: str = "II", flaw: str = "") -> Any:
    code = own.Scaffolder(option, flaw)
    return fl.from_client_server(code.fit, code.aggregate, setup=code.reset, form="dict")


@pytest.mark.parametrize("name", RIGHT)
def test_right_implementations_pass(name: str) -> None:
    report = assert_conforms(RIGHT[name], name, conventions=False)
    assert report.verdict == "equal" and report.largest < 1e-12 and report.seconds < 5


@pytest.mark.parametrize("option", ["I", "II"])
def test_both_options_of_scaffold(option: str) -> None:
    assert fl.conform(scaffold(option), "Scaffold", option=option).verdict == "equal"
    other = fl.conform(scaffold(option), "Scaffold", option="II" if option == "I" else "I")
    assert other.verdict == "convention" and other.conventions == (f"option {option}",)


def test_single_precision_passes() -> None:
    report = assert_conforms(own.single, "FedAvg", conventions=False)
    assert report.precision == "single" and 1e-9 < report.largest < 1e-5


FLAWS = [
    ("FedAvg", "epoch break", "one-epoch"),
    ("FedAvg", "plain mean", "uniform"),
    ("FedAvg", "all clients' counts", "all-models"),
    ("FedAvg", "first twice", "first-twice"),
    ("FedAvg", "no copy", "chain-last"),
    ("FedProx", "no square", "prox-norms-half"),
    ("FedProx", "no half", "prox-double"),
    ("FedProx", "own iterate", "prox-none"),
    ("FedProx", "previous iterate", "prox-previous"),
    ("FedProx", "old model", "prox-late"),
    ("FedAvgM", "models", "m-models"),
    ("FedAdam", "first", "m-first"),
    ("FedAdam", "of m", "v-of-m"),
    ("FedNova", "no tau", "nova-tau-none"),
    ("FedNova", "plain tau", "nova-tau-equal"),
    ("FedDyn", "cohort", "h-over-cohort"),
    ("FedDyn", "average", "h-never"),
    ("ParallelTraining", "sequential", "centre-after"),
    ("ParallelTraining", "client rate", "centre-client-rate"),
    ("OneWayGradientTransfer", "fresh", "gt-fresh"),
    ("TwoWayGradientTransfer", "keeps", "two-gtf-kept"),
    ("FedLAMA", "reverse", "lama-swapped"),
    ("Elastic", "end", "omega-end"),
    ("Elastic", "sum", "omega-sum"),
]


@pytest.mark.parametrize(("name", "flaw", "key"), FLAWS)
def test_flaws_are_named(name: str, flaw: str, key: str) -> None:
    report = fl.conform(partial(RIGHT[name], flaw=flaw), name)
    assert report.verdict == "deviation" and key in report.keys and report.difference is not None, report
    assert report.exit_code == 1 and report.seconds < 10


@pytest.mark.parametrize(
    ("flaw", "key"),
    [
        ("sign", "ck-sign"),
        ("epochs", "ck-epochs"),
        ("forgets", "ck-forgotten"),
        ("cohort", "c-over-cohort"),
        ("sends controls", "c-adds-controls"),
        ("server rate twice", "server-twice"),
    ],
)
def test_flaws_of_scaffold_are_named(flaw: str, key: str) -> None:
    report = fl.conform(scaffold(flaw=flaw), "Scaffold")
    assert key in report.keys, report


def test_a_convention_is_said() -> None:
    report = fl.conform(partial(own.fedavgm, flaw="nesterov"), "FedAvgM")
    assert report.verdict == "convention" and "Nesterov" in report.conventions[0]


def test_two_flaws_and_another_algorithm() -> None:
    def both(grad, weights, start, rounds, cohorts, epochs, batches, lr, mu):
        """The factor of the proximal term is 2 mu, and one epoch is made."""
        return own.fedprox(grad, weights, start, rounds, cohorts, 1, batches, lr, mu, "no half")

    report = fl.conform(both, "FedProx")
    assert set(report.keys) == {"prox-double", "one-epoch"} and report.seconds < 10

    def normalised(grad, counts, start, rounds, cohorts, epochs, batches, lr):
        return own.fednova(grad, counts, start, rounds, cohorts, [epochs * count for count in batches], lr)

    novas = fl.conform(normalised, "FedAvg")
    assert novas.verdict == "other algorithm" and novas.keys == ("FedNova",)


def test_what_is_in_no_list_is_said() -> None:
    def odd(grad, counts, start, rounds, cohorts, epochs, batches, lr):
        return [1.01 * one for one in own.fedavg(grad, counts, start, rounds, cohorts, epochs, batches, lr)[1:]]

    report = fl.conform(odd, "FedAvg", seconds=1)
    assert report.verdict == "unknown" and report.difference is not None and report.difference.round == 1
    assert "not in the list" in str(report)


def test_models_that_are_one_object_and_a_start_that_is_changed() -> None:
    def careless(grad, counts, start, rounds, cohorts, epochs, batches, lr):
        models = []
        for S in cohorts:
            mean = sum(counts[k] * local(grad, k, start, epochs * batches[k], lr) for k in S) / sum(
                counts[k] for k in S
            )
            start[:] = mean
            models.append(start)
        return models

    def local(grad, k, x, steps, lr):
        for _ in range(steps):
            x = x - lr * grad(k, x)
        return x

    report = fl.conform(careless, "FedAvg")
    assert report.passed and any("same object" in note for note in report.notes)
    assert any("changed in place" in note for note in report.notes)


def test_schedules() -> None:
    def decayed(grad, counts, start, rounds, cohorts, epochs, batches, lr, lr_decay, each="round"):
        w, history = start, []
        for t, S in enumerate(cohorts):
            ends = []
            for k in S:
                x = w
                for i in range(epochs * batches[k]):
                    power = t if each == "round" else t * epochs + i // batches[k]
                    x = x - lr * lr_decay**power * grad(k, x)
                ends.append(x)
            w = np.average(ends, axis=0, weights=[counts[k] for k in S])
            history.append(w)
        return history

    assert fl.conform(decayed, "FedAvg").verdict == "equal"
    assert fl.conform(partial(decayed, each="epoch"), "FedAvg").keys == ("decay-epochs",)

    def scheduled(grad, counts, start, rounds, cohorts, local_steps, schedule):
        w, history = start, []
        for t, S in enumerate(cohorts):
            ends = []
            for k in S:
                x = w
                for _ in range(local_steps):
                    x = x - schedule(t) * grad(k, x)
                ends.append(x)
            w = np.average(ends, axis=0, weights=[counts[k] for k in S])
            history.append(w)
        return history

    assert fl.conform(scheduled, "FedAvg").keys == ("by-rounds",)


def test_refusals() -> None:
    def run(grad, start, rounds, gadget):
        return start

    with pytest.raises(ValueError, match="gadget"):
        fl.conform(run, "FedAvg")
    with pytest.raises(ValueError, match="prox"):
        fl.conform(lambda grad, start, rounds, lr: start, "FedProx")
    with pytest.raises(ValueError, match="FedAvgg"):
        fl.conform(run, "FedAvgg")
    with pytest.raises(ValueError, match="ZeroDivisionError"):
        fl.conform(lambda grad, start, rounds, lr: 1 / 0, "FedAvg")
    with pytest.raises(ValueError, match="SystemExit: 0"):
        fl.conform(lambda grad, start, rounds, lr: sys.exit(0), "FedAvg")
    with pytest.raises(ValueError, match="3 numbers"):
        fl.conform(lambda grad, start, rounds, lr: start[:3], "FedAvg")
    with pytest.raises(ValueError, match="no options"):
        fl.conform(own.fedavg, "FedAvg", option="I")
    with pytest.raises(AssertionError, match="one epoch"):
        assert_conforms(partial(own.fedavg, flaw="epoch break"), "FedAvg")


def test_runs_of_the_one_step_check_are_taken_as_they_are() -> None:
    """``run(algorithm, problem, start, rounds)``: what ``fl.one_step_check`` asks at one local step is asked at twelve."""

    def package(algorithm, problem, start, rounds):
        return fl.trajectory(problem, algorithm, rounds=rounds, start=start).models

    def slipped(algorithm, problem, start, rounds):
        return package(dataclasses.replace(algorithm, merge="average"), problem, start, rounds)

    assert fl.one_step_check(package).passed
    for name in ("ParallelTraining", "OneWayGradientTransfer", "TwoWayGradientTransfer", "FedAvg"):
        assert fl.conform(package, name).verdict == "equal"
    report = fl.conform(slipped, "ParallelTraining")
    assert report.verdict == "convention" and "averaged" in report.conventions[0]


def test_what_clients_keep_from_round_to_round() -> None:
    def kept(grad, counts, start, rounds, cohorts, epochs, batches, lr, n_clients, what="momentum"):
        w, buffers, held, history = start, {}, [start] * n_clients, []
        for S in cohorts:
            ends = []
            for k in S:
                x = held[k] if what == "model" else w
                for _ in range(epochs * batches[k]):
                    direction = grad(k, x)
                    if what == "momentum":
                        direction = buffers[k] = 0.9 * buffers.get(k, 0) + direction
                    x = x - lr * direction
                ends.append(x)
            w = np.average(ends, axis=0, weights=[counts[k] for k in S])
            for k in S:
                held[k] = w
            history.append(w)
        return history

    assert fl.conform(kept, "FedAvg").keys == ("kept-momentum",)
    assert fl.conform(partial(kept, what="model"), "FedAvg").keys == ("left-behind",)
