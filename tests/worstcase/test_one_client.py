"""An instance for any number of clients is one for a single client only if nothing in it deviates from the mean."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

import fltheory as fl
from fltheory.worstcase import verifier


def alone(heterogeneity: str) -> dict[str, Any]:
    """A certified instance, claimed for one client, without the upper bound (which holds for any number)."""
    found = fl.worst_case(
        fl.FedAvg(2, Fraction(1, 4)), fl.SmoothStronglyConvex(Fraction(1, 10), 1), heterogeneity=heterogeneity
    )
    assert found.status == "certified" and found.certificate is not None
    data = json.loads(json.dumps({**found.certificate, "upper": None}))
    data["shares"]["clients"] = 1
    return dict(data)


def test_clients_that_differ_are_not_one() -> None:
    data = alone("gradients")
    assert any(Fraction(entry) for row in data["lower"]["blocks"]["d"] for entry in row)
    with pytest.raises(verifier.Rejected, match="^one client does not deviate from the mean$"):
        verifier.verify(data)


def test_clients_that_agree_may_be_one() -> None:
    data = alone("identical")
    assert not any(Fraction(entry) for row in data["lower"]["blocks"]["d"] for entry in row)
    assert any(Fraction(entry) for row in data["lower"]["blocks"]["m"] for entry in row)
    quantities, value = verifier.verify(data)["lower"]
    assert value > 0 and quantities


def test_what_a_common_shift_of_all_points_changes_ties_the_origin() -> None:
    """``<mean gradient, w>`` changes where all points are shifted; ``<g_k(w*), w>`` averages to zero, and so does not."""
    found = fl.worst_case(
        fl.FedAvg(1, Fraction(1, 4)), fl.FunctionClass(-1, 1), measure="gradient", start="gap", certify=True
    )
    assert found.certificate is not None and found.certificate["program"][6:] == [
        ["mean", 1],
        ["optimum"],
        ["gradient", 7],
    ]
    model = verifier._Model(found.certificate)
    assert not model.anchored  # gradients and gaps are the same wherever the origin is
    for inner, expected in (([8, 0], False), ([6, 6], False), ([6, 0], True), ([0, 0], True)):
        model.anchored = False
        model.functional({"inner": [["1", *inner]], "values": []})
        assert model.anchored is expected, inner
