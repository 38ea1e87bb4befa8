"""Errors of algorithms name the argument, its value and the condition."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.conformance.one_step import example
from fltheory.problems.mixed import MixedProblem

METHODS: dict[str, Callable[..., Any]] = {
    "FedOpt": lambda **options: fl.FedOpt(2, F(1, 10), **options),
    "PT": lambda **options: fl.ParallelTraining(2, F(1, 10), F(1, 10), **options),
    "1-w": lambda **options: fl.OneWayGradientTransfer(2, F(1, 10), **options),
    "2-w": lambda **options: fl.TwoWayGradientTransfer(2, F(1, 10), F(1, 10), **options),
}
PLACES = [(name, "server") for name in METHODS] + [
    ("PT", "central"),
    ("PT", "merger"),
    ("2-w", "merger"),
    ("2-w", "central"),
]
MIXED: MixedProblem = example()[0]


def problem_for(name: str) -> Any:
    return MIXED.clients if name == "FedOpt" else MIXED


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_what_is_no_optimiser_is_refused(name: str, place: str) -> None:
    with pytest.raises(ValueError, match=f"{place}='adam' is no optimiser; expected .*HeavyBall"):
        METHODS[name](**{place: "adam"})
    with pytest.raises(ValueError, match=f"{place}=HeavyBall is a class; expected an instance"):
        METHODS[name](**{place: fl.HeavyBall})
    with pytest.raises(ValueError, match=f"{place}=None is no optimiser"):
        METHODS[name](**{place: None})


@pytest.mark.parametrize(("name", "place"), PLACES[:-1])
@pytest.mark.parametrize("corrected", [False, True])
def test_linear_readings_name_the_optimiser_that_they_refuse(name: str, place: str, corrected: bool) -> None:
    algorithm, problem = METHODS[name](**{place: fl.Adam(bias_corrected=corrected)}), problem_for(name)
    words = rf"{place}=Adam\(beta1=.*bias_corrected={corrected}\): .*looks at values"
    for verb in (fl.fixed_point, fl.round_map, lambda p, a: fl.moments(p, a, rounds=2)):
        with pytest.raises(ValueError, match=words):
            verb(problem, algorithm)
    centre = None if name == "FedOpt" else fl.Smooth(1)
    with pytest.raises(ValueError, match=rf"{place}=Adam\(.*looks at values"):
        fl.worst_case(algorithm, fl.Smooth(1), centre=centre)


@pytest.mark.parametrize("name", ["PT", "1-w", "2-w"])
@pytest.mark.parametrize("counts", [(1, 2), (2, 2), (2, 1, 1, 1)])
def test_client_steps_of_another_length_are_refused(name: str, counts: tuple[int, ...]) -> None:
    algorithm = METHODS[name](client_steps=counts)
    words = rf"client_steps=\({', '.join(map(str, counts))}\) names {len(counts)} clients; the problem has 3"
    for call in (
        lambda: fl.fixed_point(MIXED, algorithm),
        lambda: fl.trajectory(MIXED, algorithm, rounds=1),
        lambda: fl.simulate(MIXED, algorithm, rounds=1),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(ValueError, match="client_steps=3 is no sequence"):
        METHODS[name](client_steps=3)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"transfer": "yes"}, "transfer='yes' is no truth value; expected True or False"),
        ({"centre": 1}, "centre=1 is no truth value"),
        ({"groups": 3}, "groups=3: expected one number"),
        ({"groups": ("a", "b")}, r"groups=\('a', 'b'\): expected one number"),
    ],
)
def test_populations_name_what_they_refuse(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fl.Populations(**{"groups": (0, 1), "local_steps": 2, "step_size": F(1, 10)} | given)


def test_a_check_names_the_case_in_which_the_implementation_raises() -> None:
    def broken(algorithm: Any, problem: Any, start: Any, rounds: int) -> Any:
        if isinstance(algorithm, fl.TwoWayGradientTransfer):
            raise KeyError("gt_c")
        return fl.trajectory(problem, algorithm, rounds=rounds, start=start).models

    with pytest.raises(ValueError, match=r"2-way: run\(TwoWayGradientTransfer\(.*raised KeyError: 'gt_c'") as caught:
        fl.one_step_check(broken)
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(ValueError, match="run=3 cannot be called; expected a function"):
        fl.one_step_check(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="parallel: models has shape"):
        fl.one_step_check(lambda algorithm, problem, start, rounds: np.zeros(2))
