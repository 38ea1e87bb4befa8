"""Numbers that nobody listed are found from the models; what only looks like one is not named."""

from __future__ import annotations

import numpy as np
import pytest

import fltheory as fl


def trained(momentum=0.0, clip=np.inf, share=1.0, power=1.0, bent=0.0):
    def run(grad, counts, start, rounds, cohorts, epochs, batches, lr):
        w, models = start, []
        for S in cohorts:
            ends = []
            for k in S:
                x, m = w, 0.0
                for i in range(epochs * batches[k]):
                    g = grad(k, x) + bent * np.sin(i + 3 * x)
                    m = momentum * m + g * min(1.0, clip / np.linalg.norm(g))
                    x = x - lr * m
                ends.append(x)
            q = np.array([float(counts[k]) ** power for k in S])
            w = w + share * (q @ np.array(ends) / q.sum() - w)
            models.append(w)
        return models

    return run


@pytest.mark.parametrize(
    ("changed", "key", "number"),
    [
        ({"momentum": 0.83}, "local-momentum", 0.83),
        ({"clip": 3.3}, "clip", 3.3),
        ({"share": 0.31}, "fixed-server_step_size", 0.31),
        ({"power": 0.63}, "weights-power", 0.63),
    ],
)
def test_a_number_is_found(changed, key, number) -> None:
    report = fl.conform(trained(**changed), "FedAvg")
    assert report.verdict == "deviation" and report.keys == (key,) and report.numbers == {key: number}
    assert report.largest < 1e-9 and f"{number:g}" in report.sentence


def test_two_numbers_are_found() -> None:
    report = fl.conform(trained(power=0.5, clip=7.0), "FedAvg", seconds=20)
    assert report.numbers == {"weights-power": 0.5, "clip": 7.0}


def test_nothing_is_fitted_to_what_is_in_no_list() -> None:
    """The control: a bend of the gradient that no listed number gives; its least effect, 5e-9, is above the tolerance."""
    for bent in (0.3, 1e-5, 1e-7):
        report = fl.conform(trained(bent=bent), "FedAvg", seconds=1)
        assert report.verdict == "unknown" and not report.numbers, report.sentence
