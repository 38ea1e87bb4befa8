"""Rounds that expand: certified on both sides, however large the numbers grow, in all units."""

from __future__ import annotations

import itertools
import json
import math
import time
import warnings
from fractions import Fraction

import pytest

import fltheory as fl
from fltheory.worstcase import certify, command, entry, solver, verifier
from fltheory.worstcase.entry import WorstCase, build_model
from fltheory.worstcase.normalised import Normalised
from fltheory.worstcase.parabolas import parabolas

F = Fraction


def certified(found: WorstCase, width: float) -> bool:
    """Both sides, accepted as they are read back, with the value between them."""
    assert found.status == "certified" and found.upper is not None and found.lower is not None, found
    proved = verifier.verify(json.loads(json.dumps(found.certificate)))
    assert proved["lower"][1] == found.lower
    assert sum(factor * found.quantities[name] for name, factor in proved["upper"].items()) == found.upper
    assert found.lower * (1 - F(1, 2**50)) <= F(found.value) <= found.upper * (1 + F(1, 2**50))
    return 0 <= found.width <= width


def test_thirty_steps_of_gradient_descent_that_double_the_distance() -> None:
    """Nothing was certified: what the verifier's elimination might cost was put at a thousand times what it does."""
    found = fl.worst_case(fl.FedAvg(1, 3), fl.SmoothConvex(1), rounds=30, heterogeneity=None)
    assert certified(found, 1e-4)
    assert found.lower == 4**30 and "at least 4 per round" in repr(found)


@pytest.mark.parametrize(("mu", "kind"), [(F(0), "gradients"), (F(1, 10), "none")])
def test_steps_that_expand_are_enclosed_with_every_heterogeneity(mu: Fraction, kind: str) -> None:
    found = fl.worst_case(fl.FedAvg(1, 3), fl.FunctionClass(mu, 1), rounds=20, heterogeneity=kind)
    assert certified(found, 1e-4) and found.lower is not None and found.lower >= 4**20


def test_local_steps_that_expand() -> None:
    found = fl.worst_case(fl.FedAvg(5, 3), fl.SmoothConvex(1), rounds=5, heterogeneity="none")
    assert certified(found, 1e-4) and found.lower == 4**25
    apart = fl.worst_case(fl.FedAvg(3, 3), fl.FunctionClass(F(1, 10), 1), rounds=4)
    assert certified(apart, 1e-4) and apart.lower is not None and apart.lower > 4**12


def test_factors_between_powers_of_two_do_not_add_up_in_the_units() -> None:
    """Lengths rounded to powers of two at each step fell behind by 1.5 each: the measure was a million units."""
    model = build_model(fl.FedAvg(3, F(5, 2)), fl.FunctionClass(F(1, 10), 1), rounds=7)
    given = dict.fromkeys(model.bound_names, F(1))
    problem = Normalised(model, given)
    (steepest,) = [found for found in parabolas(model) if found.curvature == 1]
    in_units = steepest.factor(given) * steepest.evaluate(model.measure) / problem.measure_factor / problem.frame.square
    assert F(1, 100) < in_units < 10
    found = fl.worst_case(fl.FedAvg(3, F(5, 2)), fl.FunctionClass(F(1, 10), 1), rounds=4)
    assert certified(found, 1e-4)


@pytest.mark.parametrize("smooth", [F(1, 10**6), F(10**6), F(7, 3)])
def test_the_units_of_an_explosion_do_not_matter(smooth: Fraction) -> None:
    def ask(unit: Fraction) -> WorstCase:
        return fl.worst_case(
            fl.FedAvg(3, 3 / unit), fl.FunctionClass(unit / 10, unit), rounds=3, quantities={"heterogeneity": unit**2}
        )

    one, other = ask(F(1)), ask(smooth)
    assert certified(one, 1e-4) and certified(other, 1e-4)
    assert other.value == pytest.approx(one.value, rel=1e-6)


def test_the_work_of_an_elimination_is_charged_as_it_is_done() -> None:
    """Entries that grow fourfold from row to row: their minors are short; and a dense matrix of long numbers is refused."""
    size = 40
    rows = [[F(3 * (i == j) + F(1, 3 + abs(i - j))) * 2 ** (i + j) for j in range(size)] for i in range(size)]
    work = verifier.Work()
    assert verifier.positive_semidefinite(rows, work) and work.left > 0.99 * verifier.MOST_WORK
    dense = [[F(10**200 + 7 ** (i + j), 3) * (1 + size * (i == j)) for j in range(size)] for i in range(size)]
    work.left = 50_000
    with pytest.raises(verifier.Rejected, match="too much work"):
        verifier.positive_semidefinite(dense, work)


def test_a_parabola_is_a_lower_bound_without_a_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the solver has nothing at all, the exact instance stays, and no value is made of it."""
    for module in (entry, certify):
        monkeypatch.setattr(module, "solve", lambda problem, *rest, **options: solver.failed(problem, 0.0))
    monkeypatch.setattr(certify, "interior", lambda *rest, **options: None)
    found = fl.worst_case(fl.FedAvg(1, 3), fl.SmoothConvex(1), rounds=12, quantities={"distance": F(1, 3)})
    assert found.status == "lower only" and found.lower == F(4**12, 3) and math.isnan(found.value)
    tight = fl.worst_case(
        fl.FedAvg(2, 3), fl.SmoothConvex(1), start={"distance": "distance", "gap": "gap"}, quantities={"gap": F(1, 8)}
    )
    assert tight.lower == F(4**2, 4)  # |x|^2/2 <= 1/8 binds before |x|^2 <= 1


@pytest.mark.parametrize("power", [400, -400])
@pytest.mark.parametrize("kind", [None, "gradients"])
def test_quantities_beyond_floats(power: int, kind: str | None) -> None:
    """A warning of NumPy's, "not solved", and the value 0 beside positive bounds: none of them is so."""
    amount = F(10) ** power
    given = {"distance": amount} | ({} if kind is None else {"heterogeneity": amount})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fl.worst_case(
            fl.FedAvg(1, F(1, 2)), fl.FunctionClass(F(1, 10), 1), heterogeneity=kind, quantities=given
        )
        described = command.describe(found)
    assert found.status == "certified" and found.width < 1e-5 and math.isnan(found.value)
    assert repr(found).startswith("WorstCase(certified: beyond the range of floats, at most ")
    assert "solver value  beyond the range of floats" in described and "nan" not in described
    with pytest.raises(ValueError, match="other units"):
        found.instance()


def test_a_value_lies_between_its_bounds_or_there_is_none() -> None:
    for power in (-300, -307, -310, -323, 307, 308):
        found = fl.worst_case(
            fl.FedAvg(1, F(1, 2)),
            fl.FunctionClass(F(1, 10), 1),
            heterogeneity=None,
            quantities={"distance": F(10) ** power},
        )
        assert found.upper is not None and found.lower is not None
        low, high = found.lower * (1 - F(1, 2**50)), found.upper * (1 + F(1, 2**50))
        assert math.isnan(found.value) or low <= F(found.value) <= high
        assert math.isnan(found.value) == (power in (-323,)), power


def test_no_clock_decides_what_the_solver_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same certificates bit by bit where each look at the clock finds it hours later, as under heavy load."""

    def ask() -> list[WorstCase]:
        return [
            fl.worst_case(fl.FedAvg(1, 3), fl.SmoothConvex(1), rounds=10, heterogeneity=None),
            fl.worst_case(fl.FedAvg(3, 3), fl.SmoothConvex(1), rounds=2, heterogeneity="none"),
            fl.worst_case(fl.FedAvg(2, F(3, 10)), fl.FunctionClass(F(1, 10), 1), heterogeneity="gamma"),
        ]

    calm = ask()
    hours = itertools.count(step=10**4)
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(hours)))
    for before, found in zip(calm, ask(), strict=True):
        assert certified(found, 1e-4) and found.certificate == before.certificate
        assert (found.solver_status, found.solver_value) == (before.solver_status, before.solver_value)
    assert next(hours) > 10**5
