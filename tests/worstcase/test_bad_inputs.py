"""What ``worst_case`` is not asked: every bad argument is refused in words that name it, its value and what was expected."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

import fltheory as fl
from fltheory.worstcase import command
from fltheory.worstcase.chain import chain
from fltheory.worstcase.constants import best_constant, frontier
from fltheory.worstcase.entry import build_model

CLASS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
FEDAVG = fl.FedAvg(1, Fraction(1, 4))
MIXED = fl.ParallelTraining(1, Fraction(1, 10), Fraction(1, 10))


class Half:
    """An object that only looks like a method: it has no round."""

    def start(self, fed: Any, w: Any) -> Any:
        return w


#: Keyword arguments of ``worst_case(FEDAVG, CLASS, ...)`` and words of the refusal.
OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"n_clients": 0}, "n_clients=0"),
    ({"n_clients": -1}, "n_clients=-1"),
    ({"n_clients": True}, "n_clients=True"),
    ({"n_clients": "2"}, "n_clients='2'"),
    ({"n_clients": 2.5}, "n_clients=2.5"),
    ({"n_clients": math.nan}, "n_clients=nan"),
    ({"rounds": 0}, "rounds=0"),
    ({"rounds": -1}, "rounds=-1"),
    ({"rounds": 1.5}, "rounds=1.5"),
    ({"rounds": True}, "rounds=True"),
    ({"rounds": "2"}, "rounds='2'"),
    ({"rounds": math.nan}, "rounds=nan"),
    ({"rounds": None}, "rounds=None"),
    ({"rounds": 10**10}, "rounds=10000000000 exceeds 1000"),
    ({"rounds": 600}, "600 gradients exceeds 120.*fewer rounds"),
    ({"measure": None}, "measure=None"),
    ({"measure": 3}, "measure=3"),
    ({"measure": ["gap"]}, "measure=.*'gap'"),
    ({"measure": "loss"}, "measure='loss'"),
    ({"measure": lambda analysis: 3}, "measure.*returned 3"),
    ({"measure": lambda analysis: None}, "measure.*returned None"),
    ({"start": "loss"}, "start='loss'"),
    ({"start": 3}, "start=3"),
    ({"start": ["gap"]}, "start=.*'gap'"),
    ({"start": {1: "gap"}}, "name 1"),
    ({"start": {"far": "loss"}}, r"start\['far'\]='loss'"),
    ({"start": {"far": lambda analysis: 1.0}}, "start.*returned 1.0"),
    ({"heterogeneity": 3}, "heterogeneity=3"),
    ({"heterogeneity": True}, "heterogeneity=True"),
    ({"heterogeneity": "much"}, "heterogeneity='much'"),
    ({"heterogeneity": []}, r"heterogeneity=\[\]"),
    ({"heterogeneity": [["gradients"]]}, "heterogeneity=.*gradients"),
    ({"heterogeneity": ["gradients", "gradients"]}, "different assumptions"),
    ({"heterogeneity": ["gradients", None]}, "different assumptions"),
    ({"heterogeneity": fl.Dissimilarity}, "heterogeneity=.*Dissimilarity"),
    ({"quantities": [1]}, r"quantities=\[1\]"),
    ({"quantities": 3}, "quantities=3"),
    ({"quantities": {1: 1}}, "no assumption bounds 1"),
    ({"quantities": {"gamma": 1}}, "no assumption bounds 'gamma'"),
    ({"quantities": {"distance": True}}, "distance=True"),
    ({"quantities": {"distance": None}}, "distance=None"),
    ({"quantities": {"distance": 1j}}, "distance=1j"),
    ({"quantities": {"distance": "1/0"}}, "distance='1/0'"),
    ({"quantities": {"distance": "far"}}, "distance='far'"),
    ({"quantities": {"distance": math.inf}}, "distance=inf"),
    ({"quantities": {"distance": math.nan}}, "distance=nan"),
    ({"quantities": {"heterogeneity": -1}}, "heterogeneity=-1.*negative"),
    ({"centre": 1}, "centre=1"),
    ({"centre": CLASS}, "no gradient of the server's own loss"),
    ({"noise": "no", "n_clients": 2}, "noise='no'"),
    ({"noise": 1, "n_clients": 2}, "noise=1"),
    ({"noise": None}, "noise=None"),
    ({"centre_noise": "x"}, "centre_noise='x'"),
    ({"centre_noise": True}, "no gradient of the server's own loss"),
    ({"free_state": "no"}, "free_state='no'"),
    ({"certify": "no"}, "certify='no'"),
    ({"certify": None}, "certify=None"),
    ({"time_limit": math.nan}, "time_limit=nan"),
    ({"time_limit": 0}, "time_limit=0"),
    ({"time_limit": "1"}, "time_limit='1'"),
    ({"time_limit": True}, "time_limit=True"),
]


NAMES = [f"{place} {' '.join(options)}" for place, (options, _) in enumerate(OPTIONS)]


@pytest.mark.parametrize(("options", "words"), OPTIONS, ids=NAMES)
def test_a_bad_option_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fl.worst_case(FEDAVG, CLASS, **options)


@pytest.mark.parametrize("algorithm", [None, "FedAvg", 3, fl.FedAvg, Half(), []])
def test_what_is_no_algorithm_is_refused(algorithm: Any) -> None:
    with pytest.raises(ValueError, match="is no algorithm|is a class"):
        fl.worst_case(algorithm, CLASS)


@pytest.mark.parametrize("functions", [None, 0.1, "convex", fl.SmoothConvex, (0, 1)])
def test_what_is_no_class_is_refused(functions: Any) -> None:
    with pytest.raises(ValueError, match="is no FunctionClass"):
        fl.worst_case(FEDAVG, functions)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fl.FunctionClass(2, 1), "mu=2 exceeds L=1"),
        (lambda: fl.FunctionClass(1, 1), "mu=L=1.*singular"),
        (lambda: fl.FunctionClass(0, 0), "L=0 must be positive"),
        (lambda: fl.FunctionClass(math.nan, 1), "mu=nan"),
        (lambda: fl.FunctionClass(0, math.inf), "L=inf"),
        (lambda: fl.FunctionClass(-math.inf, 1), "mu=-inf"),
        (lambda: fl.FunctionClass(0, True), "L=True"),
        (lambda: fl.FunctionClass(None, 1), "mu=None"),
        (lambda: fl.FunctionClass("a tenth", 1), "mu='a tenth'"),
        (lambda: fl.SmoothStronglyConvex(0, 1), "mu=0 must be positive"),
        (lambda: fl.SmoothStronglyConvex(1j), "mu=1j"),
        (lambda: fl.SmoothConvex(-1), "L=-1 must be positive"),
        (lambda: fl.Smooth(math.nan), "L=nan"),
        (lambda: fl.Smooth("one"), "L='one'"),
        (lambda: fl.Smooth(None), "L=None"),
        (lambda: fl.Smooth(math.inf), "L=inf"),
        (lambda: fl.Dissimilarity(math.nan), "B=nan"),
        (lambda: fl.Dissimilarity(math.inf), "B=inf"),
        (lambda: fl.Dissimilarity("two"), "B='two'"),
        (lambda: fl.Dissimilarity(None), "B=None"),
        (lambda: fl.Dissimilarity(True), "B=True"),
        (lambda: fl.Dissimilarity(-2), "B=-2 must be at least 1"),
        (lambda: fl.MixedDissimilarity(1, 1), "federated_weight=1"),
        (lambda: fl.MixedDissimilarity(1, "half"), "federated_weight='half'"),
        (lambda: fl.worst_case(MIXED, CLASS), "name its class"),
        (lambda: fl.worst_case(MIXED, CLASS, centre="x"), "centre='x'"),
        (lambda: chain(FEDAVG, CLASS, rounds=0), "rounds=0"),
        (lambda: chain(FEDAVG, CLASS, rounds=2, quantities={"distance": -1}), "distance=-1.*negative"),
        (lambda: chain(FEDAVG, CLASS, rounds=2, quantities={"distance": "far"}), "distance='far'"),
        (lambda: chain(FEDAVG, CLASS, rounds=2, carried="gap"), "carried='gap'"),
        (lambda: chain(FEDAVG, CLASS, rounds=2, evaluations=0), "evaluations=0"),
        (lambda: best_constant(build_model(FEDAVG, CLASS), "gap"), "no assumption bounds 'gap'"),
        (
            lambda: best_constant(build_model(FEDAVG, CLASS), "distance", {"heterogeneity": math.nan}),
            "heterogeneity=nan",
        ),
        (lambda: best_constant(build_model(FEDAVG, CLASS), "distance", {"heterogeneity": "x"}), "heterogeneity='x'"),
        (lambda: frontier(build_model(FEDAVG, CLASS), "distance", "gap", [1]), "no assumption bounds 'gap'"),
        (lambda: frontier(build_model(FEDAVG, CLASS), "distance", "heterogeneity", [math.inf]), "distance=inf"),
        (lambda: command.number("nan"), "'nan' is no number"),
        (lambda: command.number(""), "'' is no number"),
        (lambda: command.pairs(["distance"], "--quantity"), "--quantity 'distance' is not NAME=NUMBER"),
        (lambda: command.pairs(["a=1", "a=2"], "--quantity"), "--quantity 'a' is given twice"),
        (lambda: command.pairs(["=1"], "--quantity"), "--quantity '=1' is not NAME=NUMBER"),
        (lambda: command.kind("dissimilarity:"), "'' is no number"),
        (lambda: command.kind("much"), "--heterogeneity 'much'"),
    ],
)
def test_bad_values_are_refused(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_what_is_right_is_still_accepted() -> None:
    given = {"distance": "1/3", "heterogeneity": 0.25}
    found = fl.worst_case(
        FEDAVG, CLASS, n_clients=1, quantities=given, heterogeneity=["gradients"], start={"distance": "distance"}
    )
    assert found.status == "certified" and found.quantities == {
        "distance": Fraction(1, 3),
        "heterogeneity": Fraction(1, 4),
    }
