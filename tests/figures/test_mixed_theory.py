"""The theory figures of mixed FL in a tiny form, and what the committed results must show."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fltheory.evidence.catalogue import load_module
from fltheory.experiments.files import Result, load_result
from fltheory.experiments.paired import committed
from fltheory.experiments.scripts import named_scripts
from verify.mixed2022.scalar_moments import ALGORITHMS

NAMES = ("mixed_rounds", "mixed_stability", "mixed_bias_and_variance")


def script(name: str) -> ModuleType:
    return load_module(named_scripts("figures/experiments")[name])


def made(name: str, results: Path) -> Result:
    assert [p.name for p in (results / "experiments").iterdir()] == [f"{name}.npz"]
    found = load_result(results / "experiments" / f"{name}.npz")
    assert found.settings and all(np.isfinite(array).all() for array in found.arrays.values())
    return found


def slope(x: np.ndarray, y: np.ndarray) -> float:
    """Of log y over log x, between the last two points."""
    return float(np.log(y[-1] / y[-2]) / np.log(x[-1] / x[-2]))


@pytest.mark.usefixtures("numbers_only")
def test_rounds(tmp_path: Path) -> None:
    module = script("mixed_rounds")
    module.main(False, tmp_path, per_decade=6)
    found = made("mixed_rounds", tmp_path)
    assert (found["accuracy/Parallel Training/T"][1:] > found["accuracy/1-way GT/T"][1:]).all()


def test_the_dissimilarity_is_computed() -> None:
    """In the first coordinate (H_f, H_c) = (1, 1/2), slope g: B^2 >= 1 + (1/2)^2/(3/2)^2, G^2 >= 4 g^2, by hand.

    With a slope the least B^2 itself admits no G^2: there P = (1/4)(1/9)(3/2)^2 - (1/4)^2 = 0, and R a = 3/4 is not.
    """
    module = script("mixed_rounds")
    pairs = module.dissimilarity(module.BASE.but(slope=3.0))
    assert min(b2 for _, b2 in pairs) == pytest.approx((1 + 1 / 9) * (1 + 1e-4), rel=1e-9)
    assert min(b2 for _, b2 in module.dissimilarity(module.BASE.but(slope=0.0))) == pytest.approx(1 + 1 / 9, rel=1e-9)
    assert min(g2 for g2, _ in pairs) == pytest.approx(36, rel=1e-3)
    assert all(a[0] >= b[0] for a, b in zip(pairs[:-1], pairs[1:], strict=True))
    still = module.dissimilarity(module.BASE.but(slope=0.0))
    assert all(g2 == 0 for g2, _ in still)


def test_the_order_is_that_of_table_1() -> None:
    """G = 0, B^2 = 10/9, beta = 1, mu = 1/20, sigma = 0, sigma_c = 2, K = 2, S = 3, eps = 1/10, by hand."""
    module = script("mixed_rounds")
    case = module.BASE.but(slope=0.0, central_variance=4.0, clients=3)
    noise, log = 3 * 4 / (2 * 3 * 0.05 * 0.1), np.log(10)
    assert module.order("1-way GT", case, 0.1) == pytest.approx(2 * noise + 20 * log)
    assert module.order("2-way GT", case, 0.1) == pytest.approx(noise + 20 * log)
    assert module.order("Parallel Training", case, 0.1) == pytest.approx(noise + 10 / 9 * 20 * log)


def test_the_committed_rounds_have_the_slopes_of_their_terms() -> None:
    found = committed("mixed_rounds")
    eps = found["accuracy/values"]
    # of order eps^(-1/2) log(1/eps), as MX-T1-FIT-PT proves for such an instance
    assert slope(eps, found["accuracy/Parallel Training/T"] / np.log(eps)) == pytest.approx(0.5, abs=0.02)
    for name in ("1-way GT", "2-way GT"):
        assert slope(eps, found[f"accuracy/{name}/T"]) < 0.15
    noise = found["central variance/values"]
    for name in ALGORITHMS:
        assert slope(noise, found[f"central variance/{name}/T"]) == pytest.approx(1, abs=0.01)
        assert slope(found["S/values"], found[f"S/{name}/T"]) == pytest.approx(-1, abs=0.1)
    steps = found["K/values"]
    assert slope(steps, found["K/Parallel Training/T"]) == pytest.approx(-1, abs=0.1)
    assert slope(steps, found["K/2-way GT/T"]) == pytest.approx(-1, abs=0.1)
    assert slope(steps, found["K/1-way GT/T"]) == pytest.approx(0, abs=0.01)
    dissimilar = np.sqrt(found["B/least B^2"])
    assert slope(dissimilar, found["B/Parallel Training/T"]) > 1.5 > 1.2 > slope(dissimilar, found["B/1-way GT/T"])


@pytest.mark.usefixtures("numbers_only")
def test_stability(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = script("mixed_stability")
    module.main(False, tmp_path, points=1500)
    found = made("mixed_stability", tmp_path)
    np.testing.assert_allclose(found["check/closed form"], found["check/package"], rtol=1e-8)
    for name in ALGORITHMS:
        assert found[f"K/{name}/5"][0] == pytest.approx({"2-way GT": 1 / 6}.get(name, 1 / 3), rel=1e-9)


def test_the_theorems_allow_less_than_is_stable() -> None:
    found = committed("mixed_stability")
    for key in found.arrays:
        if key.endswith("/theorem"):
            assert (found[key] <= found[key.removesuffix("/theorem")]).all(), key
    np.testing.assert_allclose(found["check/closed form"], found["check/package"], rtol=1e-8)


@pytest.mark.usefixtures("numbers_only")
def test_bias_and_variance(tmp_path: Path) -> None:
    script("mixed_bias_and_variance").main(False, tmp_path, largest=8)
    found = made("mixed_bias_and_variance", tmp_path)
    np.testing.assert_allclose(found["check/recursion"], found["check/package"], rtol=1e-10)
    # at K = 2 the fixed point of Parallel Training is 2 eta g/(12 - 5 eta) on this instance
    eta = float(found.settings["eta"])
    assert found["bias/Parallel Training/eta"][1] == pytest.approx(2 * eta / (12 - 5 * eta), rel=1e-10)
    for name in ("1-way GT", "2-way GT"):
        assert found[f"bias/{name}/eta"].max() < 1e-14


@pytest.mark.parametrize("name", NAMES)
def test_committed_results_are_of_the_present_settings(name: str, tmp_path: Path) -> None:
    found = committed(name)
    assert found.settings["form"] in ("reduced", "full")
    if name == "mixed_bias_and_variance":
        script(name).main(found.settings["form"] == "full", tmp_path)
        again = made(name, tmp_path)
        assert again.settings == found.settings
        for key, array in found.arrays.items():
            np.testing.assert_allclose(again[key], array, rtol=1e-9, atol=1e-14)


def test_rounds_that_diverge_have_no_limit() -> None:
    """2-way GT with K = 256 steps of 0.02, which the full form asks for, has a contraction factor above one."""
    module = script("mixed_bias_and_variance")
    assert module.bias("2-way GT", 256, module.STEP) == np.inf
    assert module.bias("2-way GT", 16, module.STEP) < 1e-12 < 0.01 < module.bias("Parallel Training", 256, module.STEP)
