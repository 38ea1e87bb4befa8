"""Bounds that the page evaluates: JavaScript's values are Python's, its conditions too, and a changed formula is noticed."""

from __future__ import annotations

import json
import shutil
import subprocess

import numpy as np
import pytest

pytest.importorskip("latex2mathml")

from fltheory.report.live import live_bounds, positions  # noqa: E402
from fltheory.theory import bounds_of  # noqa: E402
from fltheory.theory.ranges import Range  # noqa: E402
from fltheory.theory.rates import DOCUMENTS, rates  # noqa: E402

_SCRIPT = """
const told = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(told.map(({code, conditions, points}) => {
  const names = points[0].map((_, i) => "v" + i), f = new Function(...names, "return " + code);
  const held = conditions.map((c) => new Function(...names, "return Boolean(" + c + ")"));
  return points.map((p) => [f(...p), held.map((h) => h(...p))]);
})));
"""


def evaluated(asked: list[dict[str, object]]) -> list[list[tuple[float | None, list[bool]]]]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node.js: the page's formulas are not evaluated here")
    done = subprocess.run([node, "-e", _SCRIPT], input=json.dumps(asked), capture_output=True, text=True, check=True)
    found: list[list[tuple[float | None, list[bool]]]] = json.loads(done.stdout)
    return found


def test_javascript_says_what_python_says() -> None:
    told = live_bounds()
    assert len(told) > 150
    known = {theorem.row: theorem.bound for theorem in reversed(rates()) if theorem.row}
    for document in DOCUMENTS:
        for bound in bounds_of(document).values():
            for row in bound.ids:
                known.setdefault(row, bound)
    rng = np.random.default_rng(1)
    asked, wanted = [], []
    for row, one in told.items():
        grids = [slider["values"] for slider in one["sliders"]]
        points = [[grid[slider["start"]] for grid, slider in zip(grids, one["sliders"], strict=True)]]
        points += [[float(rng.choice(grid)) for grid in grids] for _ in range(12)]
        names = [slider["name"] for slider in one["sliders"]]
        arrays = {name: np.array([p[k] for p in points]) for k, name in enumerate(names)}
        bound = known[row]
        with np.errstate(all="ignore"):
            value = bound.curve(unchecked=True, **{n: a for n, a in arrays.items() if n in bound.arguments})
        relations = [c for c in bound._relations if c.words in {c["words"] for c in one["conditions"]}]
        held = [np.broadcast_to(c.holds_at(arrays), len(points)) for c in relations]
        asked.append({"code": one["code"], "conditions": [c["code"] for c in one["conditions"]], "points": points})
        wanted.append((row, np.broadcast_to(np.asarray(value, dtype=float), len(points)), held))
    compared = 0
    for (row, values, held), answers in zip(wanted, evaluated(asked), strict=True):
        for k, (value, conditions) in enumerate(answers):
            if k == 0:
                assert all(conditions) and value is not None, row
            if value is not None and np.isfinite(values[k]):
                assert value == pytest.approx(values[k], rel=1e-9, abs=1e-12), row
                compared += 1
            assert conditions == [bool(one[k]) for one in held], row
    assert compared > 1000


def test_a_changed_formula_is_noticed() -> None:
    one = live_bounds()["LI-THM1"]
    point = [slider["values"][slider["start"]] for slider in one["sliders"]]
    asked = [{"code": code, "conditions": [], "points": [point]} for code in (one["code"], f"1.01*({one['code']})")]
    (true, _), (other, _) = (answer[0] for answer in evaluated(asked))
    assert true is not None and other != pytest.approx(true, rel=1e-9)


def test_positions_lie_in_the_range() -> None:
    for where in (Range(0, open_low=True), Range(1, whole=True), Range(0, 1), Range(0, 1, True, True), Range()):
        found = positions(where)
        assert len(found) > 5 and all(bool(where.holds(np.asarray(x))) for x in found) and found == sorted(set(found))
