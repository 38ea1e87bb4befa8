"""For classes that are not convex, the minimiser is a global one: ``F(x) - F* >= |grad F(x)|^2/(2 L_F)`` at the server's points."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import fltheory as fl
from fltheory.worstcase.entry import build_model

F = Fraction


def squares(algorithm: Any, function_class: Any, **more: Any) -> list[Any]:
    """Assumptions that are bounded by zero and have a function value, with the factors of both parts."""
    model = build_model(algorithm, function_class, **more)
    return [
        (sorted(c for c, *_ in item.functional.inner), [c for c, _ in item.functional.values])
        for item in model.assumptions
        if item.bound is None and item.functional.values
    ]


@pytest.mark.parametrize(("smooth", "factor"), [(1, F(1, 2)), (2, F(1, 4)), (F(1, 3), F(3, 2))])
def test_the_factor_is_half_the_inverse_smoothness(smooth: Any, factor: Fraction) -> None:
    found = squares(fl.FedAvg(1, F(1, 4)), fl.FunctionClass(-smooth, smooth), measure="gradient", start="gap")
    assert found and all(c == factor for inner, _ in found for c in inner)
    assert all(sum(values) == -1 for _, values in found)


def test_smoothness_of_the_parts_adds_up() -> None:
    """``F = f_clients + f_centre`` with moduli 1 and 3: ``1/(2 * 4)`` before the square of the sum of both gradients."""
    algorithm = fl.OneWayGradientTransfer(1, F(1, 8))
    found = squares(algorithm, fl.FunctionClass(-1, 1), centre=fl.FunctionClass(-3, 3), measure="gradient", start="gap")
    assert found and all(c == F(1, 8) for inner, _ in found for c in inner)


def test_convex_classes_need_no_such_word() -> None:
    assert squares(fl.FedAvg(1, F(1, 4)), fl.SmoothConvex(1)) == []
