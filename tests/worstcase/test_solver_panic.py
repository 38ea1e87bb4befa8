"""A panic of the solver's native code ends in a status, never in an exception that is none, never in a number."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

import fltheory as fl
from fltheory.worstcase import certify
from fltheory.worstcase.entry import build_model
from fltheory.worstcase.sdp import ConicProgram
from fltheory.worstcase.solver import solve


class PanicException(BaseException):
    """What the native code raises: by name the same, and no ``Exception``."""


def _panicking(*_: Any, **__: Any) -> Any:
    class Solver:
        def set_termination_callback(self, _: Any) -> None:
            pass

        def solve(self) -> Any:
            raise PanicException("Eigval error")

    return Solver()


def test_a_panic_is_a_status(monkeypatch: pytest.MonkeyPatch) -> None:
    clarabel = pytest.importorskip("clarabel")
    monkeypatch.setattr(clarabel, "DefaultSolver", _panicking)
    model = build_model(fl.FedAvg(1, 0.5), fl.SmoothStronglyConvex(0.1))
    solution = solve(ConicProgram(model), {"distance": 1.0, "heterogeneity": 1.0})
    assert solution.status == "Panicked" and not solution.usable and math.isnan(solution.value)
    monkeypatch.setattr(certify, "interior", lambda *rest, **options: None)
    answer = fl.worst_case(fl.FedAvg(1, 0.5), fl.SmoothStronglyConvex(0.1))
    assert answer.status == "lower only" and answer.upper is None and math.isnan(answer.value)
    assert answer.lower == Fraction(361, 400)  # a parabola, which no solver is asked for
