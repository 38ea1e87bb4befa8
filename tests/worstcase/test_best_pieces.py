"""Pieces of best step sizes: at every single step size an instance that the verifier of worst cases accepts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import fltheory as fl
from fltheory.worstcase import best_verifier, verifier

CLIENTS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
TENTH = {"heterogeneity": Fraction(1, 10)}
QUESTIONS: dict[str, tuple[Any, fl.FunctionClass, dict[str, Any]]] = {
    "heterogeneity": (fl.FedAvg(2, 1), CLIENTS, {"quantities": TENTH}),
    "Gamma, mu > 0": (fl.FedAvg(2, 1), CLIENTS, {"heterogeneity": "gamma", "quantities": {"gamma": 0.1}}),
    "Gamma, mu = 0": (
        fl.FedAvg(2, 1),
        fl.SmoothConvex(1),
        {"heterogeneity": "gamma", "measure": "gap", "start": "distance"},
    ),
    "nonconvex": (
        fl.FedAvg(2, 1),
        fl.Smooth(1),
        {
            "rounds": 2,
            "measure": lambda a: a.gradient(0) + a.gradient(1),
            "start": "gap",
            "heterogeneity": "bounded gradients",
        },
    ),
    "cohorts": (fl.FedAvg(2, 1, participation=fl.NormalisedUniform(2)), CLIENTS, {"quantities": TENTH, "n_clients": 5}),
    "two losses": (lambda eta: fl.ParallelTraining(2, eta, eta), CLIENTS, {"centre": CLIENTS, "quantities": TENTH}),
    "layers": (fl.FedLAMA(1, 2, 1, intervals=(1, 2)), CLIENTS, {"quantities": TENTH}),
    "division": (fl.Scaffold(2, 1), CLIENTS, {"rounds": 2}),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_piece_is_an_instance_at_each_of_its_steps(name: str) -> None:
    """Its blocks at one step size are a lower certificate that the verifier of worst cases accepts there."""
    method, clients, options = QUESTIONS[name]
    data, checked = fl.best_step_size(method, clients, pieces=12, **options).certificate, 0
    assert data is not None
    pieces: Any = data["pieces"]
    for piece in (one for one in pieces if "blocks" in one):
        low, high = map(Fraction, piece["interval"])
        for share in (Fraction(1, 7), Fraction(22, 23), Fraction(1)):
            proof = best_verifier.question_at(data, low + (high - low) * share)  # type: ignore[no-untyped-call]
            parts = {"blocks": _between(piece["blocks"], share), "values": _between(piece["values"], share)}
            lower = {**parts, "quantities": data["quantities"], "value": piece["value"]}
            proof |= {"format": "fltheory worst case 1", "lower": lower}
            assert verifier.verify_part(proof)["lower"][1] == Fraction(piece["value"])
            checked += 1
    assert checked >= 6


def _between(ends: Any, share: Fraction) -> Any:
    """Numbers between those of two ends, in rows and under names as they are."""
    first, last = ends
    if isinstance(first, dict):
        return {name: _between((first[name], last[name]), share) for name in first}
    if isinstance(first, list):
        return [_between(pair, share) for pair in zip(first, last, strict=True)]
    return str((1 - share) * Fraction(first) + share * Fraction(last))
