"""What a user of Mixed FL finds by attribute access alone: modules, metrics, costs and all bounds; nothing heavy before."""

from __future__ import annotations

import subprocess
import sys

import pytest

import fltheory as fl
from fltheory.theory.bound import Bound


def fresh(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", ["metrics.along_cohorts", "cost_model.Recommendation", "two_way_bounds.C_FINAL"])
def test_modules_are_reached_without_an_import_by_hand(name: str) -> None:
    assert name.split(".")[1] in fresh(f"import fltheory as fl; print(fl.theory.mixed2022.{name})\nprint({name!r})")


def test_the_theory_package_alone_loads_nothing_heavy() -> None:
    code = "import fltheory as fl, sys; fl.theory; dir(fl.theory); print(*[m for m in sys.modules if '.' not in m])"
    assert not set(fresh(code).split()) & {"numba", "sympy", "cvxpy", "matplotlib", "scipy", "sklearn"}


def test_all_bounds_are_listed() -> None:
    listed = fl.theory.mixed2022.bounds()
    assert all(isinstance(bound, Bound) and bound.latex() for bound in listed.values())
    exported = fl.theory.bounds_of("mixed2022")
    assert exported.items() <= listed.items()
    cases = {f"parallel_rates.ROUNDS.{case}" for case in ("strongly convex", "convex", "non-convex")}
    assert cases <= set(listed)
    for module in ("assembly", "parallel", "two_way_bounds", "orders", "drift", "convex"):
        assert any(name.startswith(f"{module}.") for name in listed)
    found = fl.theory.mixed2022.two_way_bounds.SC_FINAL
    assert listed["two_way_bounds.SC_FINAL"] == found


def test_names_of_the_package() -> None:
    package = fl.theory.mixed2022
    assert {"metrics", "cost_model", "bounds", "LEMMA_D7"} <= set(dir(package))
    assert all(getattr(package, name) is not None for name in dir(package))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        assert package.nothing
