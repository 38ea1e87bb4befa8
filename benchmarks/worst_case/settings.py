"""480 settings in five units: what is certified, whether units matter, and whether anything is wrong.

mu/L in (0, 1e-6, 1e-3, 0.1, 0.5, 0.9, 0.99, 0.9999), ten step sizes eta L from 1e-4 to 2.5, (E, R) in ((1, 1), (3, 1), (2, 2)),
the heterogeneity bounded as gradients at the minimiser (zeta^2 = L^2) or as Gamma (= L); distance 1;
L in (1, 1e-6, 1e-3, 1e3, 1e6).
The worst case of the distance is then the same for each L.  Every answer is set beside

- the verifier, on the certificate as it is read back from JSON;
- for E = R = 1 the closed form ``max(|1 - eta mu|, |1 - eta L|)^2``, which must lie between the bounds;
- random pairs of quadratic clients that obey the assumptions, run step by step in NumPy: none may exceed the upper bound;
- for a sample the worst-case clients as functions, run by the simulator, and PEPit with two clients.

A long run goes on where it was interrupted: ``python -m benchmarks.worst_case.settings JOURNAL``.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import fltheory as fl
from benchmarks.worst_case.table import write
from fltheory.worstcase import verifier
from fltheory.worstcase.entry import WorstCase

MODULI = ("0", "1/1000000", "1/1000", "1/10", "1/2", "9/10", "99/100", "9999/10000")
STEP_SIZES = tuple(f"{step:.3g}" for step in np.geomspace(1e-4, 2.5, 10))
SHAPES = ((1, 1), (3, 1), (2, 2))
KINDS = ("gradients", "gamma")
SMOOTHNESS = ("1", "1/1000000", "1/1000", "1000", "1000000")

Setting = tuple[str, str, tuple[int, int], str]


def settings() -> list[Setting]:
    """All 480: mu/L, eta L, (E, R), what is said of heterogeneity."""
    return [(mu, eta, shape, kind) for mu in MODULI for eta in STEP_SIZES for shape in SHAPES for kind in KINDS]


def ask(setting: Setting, smooth: Fraction) -> WorstCase:
    """The worst case of a setting in the units of ``L = smooth``."""
    mu, eta, (local_steps, rounds), kind = setting
    name, amount = ("heterogeneity", smooth**2) if kind == "gradients" else ("gamma", smooth)
    algorithm = fl.FedAvg(local_steps, Fraction(eta) / smooth)
    functions = fl.FunctionClass(Fraction(mu) * smooth, smooth)
    return fl.worst_case(algorithm, functions, rounds=rounds, heterogeneity=kind, quantities={name: amount})


def quadratic(setting: Setting, seed: int) -> float:
    """The final distance of one random pair of quadratic clients at L = 1, in floats and without the package."""
    mu, eta, (local_steps, rounds), kind = float(Fraction(setting[0])), float(setting[1]), setting[2], setting[3]
    rng = np.random.default_rng([seed, 17])
    curvatures = rng.choice([mu, 1.0, rng.uniform(mu, 1.0)], size=(2, 2))
    turns = [np.linalg.qr(rng.standard_normal((2, 2)))[0] for _ in range(2)]
    matrices = [q @ np.diag(c) @ q.T for q, c in zip(turns, curvatures, strict=True)]
    slope, x = rng.standard_normal(2), rng.standard_normal(2)
    size = slope @ slope
    if kind == "gamma":  # F* - mean F_k* = mean <b, A_k^-1 b>/2 for slopes +-b at the minimiser
        if curvatures.min() < 1e-9:
            return 0.0
        size = float(np.mean([slope @ np.linalg.solve(a, slope) for a in matrices])) / 2
    slope, x = slope / np.sqrt(size) * rng.choice([1.0, 0.999]), x / np.linalg.norm(x)
    if x @ slope > 0 and rng.random() < 0.5:
        slope = -slope
    for _ in range(rounds):
        ends = []
        for a, b in zip(matrices, (slope, -slope), strict=True):
            y = x
            for _ in range(local_steps):
                y = y - eta * (a @ y + b)
            ends.append(y)
        x = (ends[0] + ends[1]) / 2
    return float(x @ x)


def run(setting: Setting, smooth: str) -> dict[str, Any]:
    """One row: what was certified, and what is wrong with it (nothing)."""
    begin = time.perf_counter()
    found = ask(setting, Fraction(smooth))
    seconds = time.perf_counter() - begin
    mu, eta, (local_steps, rounds), kind = setting
    wrong = []
    proved = {} if found.certificate is None else verifier.verify(json.loads(json.dumps(found.certificate)))
    if (found.upper is not None) != ("upper" in proved) or (found.lower is not None) != ("lower" in proved):
        wrong.append("a bound without a certificate")
    if found.upper is not None and found.lower is not None and found.lower > found.upper:
        wrong.append("lower above upper")
    truth = max(abs(1 - Fraction(eta) * Fraction(mu)), abs(1 - Fraction(eta))) ** 2
    if (local_steps, rounds) == (1, 1):
        if found.upper is not None and found.upper < truth or found.lower is not None and found.lower > truth:
            wrong.append("not the closed form")
    if smooth == "1" and found.upper is not None:
        if max(quadratic(setting, seed) for seed in range(40)) > float(found.upper) * (1 + 1e-9):
            wrong.append("a quadratic pair exceeds the upper bound")
    return {
        "mu": mu,
        "step_size": eta,
        "E": local_steps,
        "R": rounds,
        "heterogeneity": kind,
        "L": smooth,
        "status": found.status,
        "value": found.value,
        "width": found.width,
        "wrong": wrong,
        "seconds": seconds,
        "solver": found.solver_status,
    }


def beside(setting: Setting) -> dict[str, Any]:
    """A setting at L = 1 replayed by the simulator, and in PEPit with two clients of equal weight."""
    from benchmarks.worst_case.in_pepit import fedavg, worst_case_in_pepit

    mu, eta, (local_steps, rounds), kind = setting
    found = ask(setting, Fraction(1))
    replayed = found.instance().replay()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = worst_case_in_pepit(
            fedavg, [0.5, 0.5], mu=float(Fraction(mu)), rounds=rounds, heterogeneity=kind, E=local_steps, eta=float(eta)
        )
    return {
        "mu": mu,
        "step_size": eta,
        "E": local_steps,
        "R": rounds,
        "heterogeneity": kind,
        "value": found.value,
        "replayed": replayed / found.value - 1,
        "pepit": other.value / found.value - 1,
        "pepit_status": other.status,
    }


def journalled(path: Path) -> Iterator[dict[str, Any]]:
    """All rows, those in the journal first; each new one is added to it."""
    known: dict[tuple[Any, ...], dict[str, Any]] = {}
    if path.exists():
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            known[_key(row)] = row
    with path.open("a", encoding="utf-8") as file:
        for smooth in SMOOTHNESS:
            for setting in settings():
                mu, eta, (local_steps, rounds), kind = setting
                key = (mu, eta, local_steps, rounds, kind, smooth)
                if key not in known:
                    known[key] = run(setting, smooth)
                    file.write(json.dumps(known[key]) + "\n")
                    file.flush()
                yield known[key]


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("mu", "step_size", "E", "R", "heterogeneity", "L"))


def main(journal: str) -> None:
    """Run what the journal lacks, print a summary, write ``results/benchmarks/settings.json``."""
    rows = list(journalled(Path(journal)))
    by_setting: dict[tuple[Any, ...], list[float]] = {}
    for row in rows:
        by_setting.setdefault(_key(row)[:-1], []).append(row["value"])
    spread = max(max(values) / min(values) - 1 for values in by_setting.values())
    sample = [s for s in settings() if s[0] in ("1/1000", "1/10", "9/10")][7::13]
    others = [beside(setting) for setting in sample]
    widths = sorted(row["width"] for row in rows)
    summary = {
        "settings": len(settings()),
        "solved": len(rows),
        "certified_on_both_sides": {
            s: sum(r["status"] == "certified" for r in rows if r["L"] == s) for s in SMOOTHNESS
        },
        "called_unbounded": sum("unbounded" in row["status"] for row in rows),
        "wrong": sum(bool(row["wrong"]) for row in rows),
        "largest_relative_difference_over_L": spread,
        "median_width": widths[len(widths) // 2],
        "widest": widths[-1],
        "share_within_1e-6": sum(width <= 1e-6 for width in widths) / len(widths),
        "seconds": sum(row["seconds"] for row in rows),
        "replayed_by_the_simulator": {"settings": len(others), "worst": max(abs(row["replayed"]) for row in others)},
        "beside_pepit": {"settings": len(others), "worst": max(abs(row["pepit"]) for row in others), "rows": others},
        "not_certified": [row for row in rows if row["status"] != "certified"],
    }
    table = []
    for mu in MODULI:
        for kind in KINDS:
            here = [row for row in rows if (row["mu"], row["heterogeneity"]) == (mu, kind)]
            table.append(
                {
                    "mu": mu,
                    "heterogeneity": kind,
                    "solved": len(here),
                    "certified": sum(row["status"] == "certified" for row in here),
                    "wrong": sum(bool(row["wrong"]) for row in here),
                    "median_width": sorted(row["width"] for row in here)[len(here) // 2],
                    "widest": max(row["width"] for row in here),
                    "slowest": max(row["seconds"] for row in here),
                }
            )
    keys = ("mu", "heterogeneity", "solved", "certified", "wrong", "median_width", "widest", "slowest")
    write("settings", summary, table, keys=keys)


if __name__ == "__main__":
    main(sys.argv[1])
