"""What a certificate is called and claims: labels of algorithms, names of measures and assumptions, claims for older files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

import fltheory as fl
from fltheory.worstcase import verifier
from fltheory.worstcase.certificate import bare, statement
from fltheory.worstcase.claims import label_of, listed_proof, with_claim
from fltheory.worstcase.entry import build_model

CLASS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
QUARTER = Fraction(1, 4)


@dataclass(frozen=True)
class Mine:
    """An algorithm of one's own."""

    step_size: Any
    rule: Callable[[int], int] = abs
    kinds: tuple[Any, ...] = (0.5, None, True, "by weight")

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        return w - self.step_size * fed.average(fed.gradient(fed.send(w)))


@pytest.mark.parametrize(
    ("algorithm", "words"),
    [
        (fl.FedAvg(5, 0.25), "FedAvg(local_steps=5, step_size=1/4)"),
        (
            fl.FedAvg(5, QUARTER, fl.SchemeI(3)),
            "FedAvg(local_steps=5, step_size=1/4, participation=SchemeI(clients=3))",
        ),
        (fl.FedLAMA(1, 2, 0.25, intervals=(1, 2)), "intervals=(1, 2)"),
        (Mine(0.1), "Mine(step_size=1/10) of source "),
        (Mine(0.1, kinds=(0.5, None, True, "so be it")), "kinds=(1/2, None, True, so_be_it)"),
    ],
)
def test_an_algorithm_is_called_by_name_and_fields(algorithm: Any, words: str) -> None:
    label = label_of(algorithm)
    assert label is not None and words in verifier.said(label)
    assert verifier.said(json.loads(json.dumps(label))) == verifier.said(label)


def test_what_has_no_plain_name_has_none() -> None:
    strange = type("Fédéré", (), {})
    assert label_of(strange()) is None
    assert label_of(object()) == {"name": "object", "fields": {}}


def claim(*arguments: Any, **question: Any) -> dict[str, Any]:
    return dict(statement(build_model(*arguments, **question))["claim"])


@pytest.mark.parametrize(
    ("question", "measure", "assumptions"),
    [
        ({}, "distance", {"distance", "heterogeneity"}),
        ({"measure": "gap", "start": "gap", "heterogeneity": "gamma"}, "gap", {"gap", "gamma"}),
        ({"measure": "gradient", "start": "gradient", "heterogeneity": None}, "gradient", {"gradient"}),
        ({"heterogeneity": ["bounded gradients", "none"]}, "distance", {"distance", "bounded gradients"}),
        ({"heterogeneity": fl.Dissimilarity(2)}, "distance", {"distance", "dissimilarity"}),
        ({"heterogeneity": "identical"}, "distance", {"distance", "identical"}),
        ({"noise": True, "n_clients": 3}, "distance", {"distance", "heterogeneity", "noise"}),
        ({"measure": lambda a: a.distance() * 2}, "custom", {"distance", "heterogeneity"}),
        ({"measure": lambda a: a.distance()}, "distance", {"distance", "heterogeneity"}),
        ({"start": {"distance": lambda a: a.distance(0) * 2}}, "distance", {"custom", "heterogeneity"}),
        ({"start": {"mine": "distance"}}, "distance", {"custom", "heterogeneity"}),
    ],
)
def test_measures_and_assumptions_have_the_names_of_the_question(
    question: dict[str, Any], measure: str, assumptions: set[str]
) -> None:
    found = claim(fl.FedAvg(2, QUARTER), CLASS, **question)
    assert found["measure"] == measure and set(found["assumptions"]) == assumptions
    assert found["rounds"] == 1 and len(found["models"]) == 2


@pytest.mark.parametrize(("smooth", "name"), [(fl.Smooth(1), "global minimum"), (fl.SmoothConvex(1), "gamma")])
def test_what_follows_from_the_class_has_a_name_too(smooth: Any, name: str) -> None:
    kind = "gamma" if name == "gamma" else "gradients"
    found = claim(fl.FedAvg(2, QUARTER), smooth, measure="gap", start="gap", heterogeneity=kind)
    assert name in found["assumptions"] and "custom" not in found["assumptions"]


def test_parts_of_vectors_have_a_name() -> None:
    found = claim(fl.FedLAMA(base=1, factor=2, step_size=0.25, intervals=(1, 2)), CLASS)
    assert set(found["assumptions"]) == {"distance", "heterogeneity", "orthogonal parts"}


def test_the_two_sides_have_their_names() -> None:
    smooth = fl.Smooth(1)
    kinds = ["identical", fl.MixedDissimilarity(2)]
    model = build_model(
        fl.ParallelTraining(2, 0.1, 0.1), smooth, centre=smooth, measure="gradient", start="gap", heterogeneity=kinds
    )
    found = model.claim
    assert {"gap", "global minimum", "identical", "mixed dissimilarity"} == set(found["assumptions"])
    assert found["measure"] == "gradient"


def test_a_file_of_version_one_is_refused_and_can_be_given_its_claim() -> None:
    found = fl.worst_case(fl.FedAvg(2, QUARTER), CLASS)
    assert found.certificate is not None
    old = {**bare(found.model), "upper": found.certificate["upper"]}
    with pytest.raises(verifier.Rejected, match="does not say what it proves"):
        verifier.verify(old)
    assert verifier.verify_part(old)["upper"] == found.bound
    new = with_claim(old, found.model.models, found.model.label)
    assert verifier.report(new)[0] == verifier.report(found.certificate)[0]
    with pytest.raises(verifier.Rejected, match="unknown names"):
        verifier.verify_part({**new, "format": verifier.PART})


def test_the_proof_is_listed_by_name() -> None:
    found = fl.worst_case(fl.FedAvg(1, QUARTER), CLASS, noise=True, n_clients=2)
    assert found.certificate is not None
    lines = listed_proof(found.certificate)
    assert any("E sum_k p_k |noise_0|^2 <= 1 sigma^2" in line for line in lines)
    assert listed_proof({**found.certificate, "upper": None}) == []
