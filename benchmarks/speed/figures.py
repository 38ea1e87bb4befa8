"""The figures that the package holds itself to, each computed from measured rows: a ratio or a time, its target and a stretch."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Cases = Mapping[str, Mapping[str, Any]]
NUMPY, LOOP = "NumPy, clients vectorised", "NumPy, client loop"


@dataclass(frozen=True)
class Figure:
    """``compute(cases)`` against ``least`` and ``stretch``; ``factor`` says that larger is better."""

    what: str
    unit: str
    least: float
    stretch: float | None
    compute: Callable[[Cases], float | None]

    @property
    def factor(self) -> bool:
        """Whether it says how many times faster: then more is better."""
        return self.unit == "times faster"

    def verdict(self, value: float | None) -> str:
        """In one word or two."""
        if value is None:
            return "not measured"
        for bound, words in ((self.stretch, "stretch reached"), (self.least, "reached")):
            if bound is not None and (value >= bound if self.factor else value <= bound):
                return words
        return "falls short"


def value_of(cases: Cases, name: str, who: str, runs: int = 1) -> float | None:
    """The number of a row, or ``None`` where it was not measured."""
    for row in cases.get(name, {}).get("rows", ()):
        if row["who"] == who and row["runs"] == runs:
            return None if row["value"] is None else float(row["value"])
    return None


def ratio(name: str, over: str, under: str, runs: int = 1) -> Callable[[Cases], float | None]:
    """Row ``over`` divided by row ``under``."""

    def compute(cases: Cases) -> float | None:
        above, below = value_of(cases, name, over, runs), value_of(cases, name, under, runs)
        return None if above is None or not below else above / below

    return compute


def plain(name: str, who: str, runs: int = 1) -> Callable[[Cases], float | None]:
    """The row itself."""
    return lambda cases: value_of(cases, name, who, runs)


def best_peer(name: str, runs: int) -> Callable[[Cases], float | None]:
    """The fastest row that is not fltheory's, divided by fltheory's."""

    def compute(cases: Cases) -> float | None:
        own = value_of(cases, name, "fltheory", runs)
        others = [
            float(row["value"])
            for row in cases.get(name, {}).get("rows", ())
            if row["runs"] == runs and row["value"] is not None and not row["who"].startswith("fltheory")
        ]
        return min(others) / own if own and others else None

    return compute


def dearest(runs: int) -> Callable[[Cases], float | None]:
    """The largest cost per gradient among the algorithms, over FedAvg's."""

    def compute(cases: Cases) -> float | None:
        rows = cases.get("algorithms", {}).get("rows", ())
        values = {row["who"]: row["value"] for row in rows if row["runs"] == runs}
        base = values.pop("FedAvg", None)
        known = [value for value in values.values() if value is not None]
        return max(known) / base if base and known else None

    return compute


def flat(runs: int) -> Callable[[Cases], float | None]:
    return ratio("flat rounds", "N=1000, E=100", "N=10, E=1", runs)


def _words(runs: int) -> str:
    return "one run" if runs == 1 else f"{runs} runs"


def _figures() -> list[Figure]:
    faster, found = "times faster", []
    for case, least, stretch in (
        ("softmax E=20 K=10", 3.0, 3.5),
        ("softmax E=1 K=10", 2.0, 3.0),
        ("softmax E=100 K=100", 3.0, 4.0),
        ("logistic E=20 K=10", 2.0, 3.0),
    ):
        for runs in (1, 16):
            against = ratio(case, "JAX", "fltheory", runs)
            found.append(Figure(f"{case} against JAX, {_words(runs)}", faster, least, stretch, against))
    case = "softmax E=20 K=10"
    found.append(Figure(f"{case} against NumPy vectorised", faster, 3, 4, ratio(case, NUMPY, "fltheory")))
    found.append(Figure(f"{case} against a NumPy client loop", faster, 8, 10, ratio(case, LOOP, "fltheory")))
    for runs in (1, 16):
        what = f"the dearest algorithm per gradient over FedAvg, {_words(runs)}"
        found.append(Figure(what, "times", 1.3, 1.15, dearest(runs)))
    for runs, least, stretch in ((1, 3.0, 1.0), (64, 0.4, 0.25)):
        what = f"round of quadratics d=N=100, E=10, {_words(runs)}"
        found.append(Figure(what, "us per run", least, stretch, plain("quadratic rounds", "fltheory", runs)))
    for runs in (1, 64):
        what = f"the same, (N=1000, E=100) over (N=10, E=1), {_words(runs)}"
        found.append(Figure(what, "times", 1.1, 1.05, flat(runs)))
    for runs, least, stretch in ((1, 300.0, 800.0), (64, 600.0, 1500.0)):
        law = ratio("noise in law", "step by step", "in law", runs)
        found.append(Figure(f"noise in law against step by step, {_words(runs)}", faster, least, stretch, law))
    traces = plain("moments", 'fltheory, keep="traces"')
    found.append(Figure('distance by moments(keep="traces"), d=100', "us a round", 0.5, 0.15, traces))
    for name, least in (("round map d=N=100", 0.1), ("round map d=1000", 3.0)):
        for verb in ("round_map", "fixed_point"):
            found.append(Figure(f"{verb} of {name.removeprefix('round map ')}", "s", least, None, plain(name, verb)))
    for verb in ("round_map", "fixed_point"):
        peak = plain("round map d=1000", f"{verb}, peak memory of its process")
        found.append(Figure(f"memory of the process with {verb} at d=1000, N=10", "GB", 1.0, None, peak))
    for name, least in (("tridiagonal d=10,001", 0.5), ("tridiagonal d=50,001", 3.0)):
        for steps in (2, 10):
            found.append(
                Figure(f"{name}, fixed point, E={steps}", "s", least, None, plain(name, f"fixed_point, E={steps}"))
            )
    found.append(
        Figure("sweep of 10,000 configurations", "ms each", 0.03, 0.01, plain("sweep", "fltheory, sweep", 100))
    )
    grid = ratio("20 eta x 100 seeds", "JAX, one vmapped program", "fltheory, simulate_batch", 100)
    found.append(Figure("20 eta x 100 seeds against one vmapped JAX program", faster, 3, 8, grid))
    for name, stretch in (("dense d=1000", 2.4), ("tridiagonal d=1000", 4.0)):
        for runs in (1, 16):
            what = f"{name} against the best peer, {_words(runs)}"
            found.append(Figure(what, faster, 2, stretch, best_peer(name, runs)))
    for runs in (1, 16):
        old = ratio("network", 'fltheory, backend="numpy"', "fltheory", runs)
        found.append(Figure(f"network against the NumPy path, {_words(runs)}", faster, 5, 10, old))
    found.append(Figure("exact fixed point d=41", "s", 0.1, None, plain("exact d=41", "fixed_point(exact=True)")))
    found.append(Figure("exact fixed point d=101", "s", 1.0, None, plain("exact d=101", "fixed_point(exact=True)")))
    found.append(Figure("moments of a scheme with N=100,000", "s", 1.0, None, plain("scheme moments", "N=100,000")))
    for who, least in (
        ("import fltheory", 0.05),
        ("fltheory --help", 0.1),
        ("fltheory list", 0.15),
        ("second process, warm kernels", 0.6),
    ):
        found.append(Figure(who, "s", least, None, plain("start-up", who)))
    return found


FIGURES = _figures()


def table_of(cases: Cases) -> list[tuple[Figure, float | None]]:
    """All figures with what was measured."""
    found = []
    for figure in FIGURES:
        value = figure.compute(cases)
        found.append((figure, value if value is None or math.isfinite(value) else None))
    return found
