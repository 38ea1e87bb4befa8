"""docs/verbs.md says which verb answers for which kind of problem: all are tried on small instances.

``python tests/test_verbs_table.py --write`` renews the page; the test compares.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import fltheory as fl
from fltheory.readings.warned import PrecisionWarning

PAGE = Path(__file__).parents[1] / "docs" / "verbs.md"
START, END = "<!-- table: written by tests/test_verbs_table.py --write -->", "<!-- end -->"


def problems() -> dict[str, Any]:
    """One small problem of every kind, by the name of its column."""
    rng = np.random.default_rng(0)
    features = [rng.normal(size=(6, 3)) for _ in range(3)]
    signs = [np.where(rng.random(6) < 0.5, -1, 1) for _ in range(3)]
    classes = [np.array([0, 1, 2, 0, 1, 2]) for _ in range(3)]
    weak = fl.Regulariser(0.1, "lambda/2|w|^2")
    quadratic = fl.li_counterexample(3, 2, 0.1)
    return {
        "quadratic": quadratic,
        "tridiagonal": fl.li_tridiagonal(3, 2, 0.1),
        "ridge regression": fl.ridge_regression(features, [rng.normal(size=6) for _ in range(3)], weak),
        "mixed quadratic": fl.MixedProblem(quadratic, fl.QuadraticProblem(np.eye(7)[None], np.ones((1, 7)))),
        "logistic": fl.LogisticProblem(tuple(features), tuple(signs), weak),
        "softmax": fl.SoftmaxProblem(tuple(features), tuple(classes), weak),
        "mixed logistic": fl.problems.label_split(np.vstack(features), np.concatenate(signs), 2, ridge=0.1),
        "scalar pieces": fl.ScalarProblem((fl.problems.parabola(1, 1), fl.problems.huber(1, 1, -1))),
        "network": fl.NetworkProblem(tuple(features), tuple(signs), weak, hidden=2),
    }


def method(problem: Any, step_size: Any = 0.05) -> Any:
    """FedAvg, or on mixed problems the method that uses both losses."""
    if hasattr(problem, "centre_gradient"):
        return fl.OneWayGradientTransfer(2, step_size)
    return fl.FedAvg(2, step_size)


#: The verbs by the names of their rows.
VERBS: dict[str, Callable[[Any], Any]] = {
    "`constants.minimiser`": lambda p: p.constants.minimiser,
    "`simulate`, exact gradients": lambda p: fl.simulate(p, method(p), rounds=2, reference=False),
    "`simulate`, mini-batches": lambda p: fl.simulate(p, method(p), rounds=2, oracle=fl.MiniBatch(2), reference=False),
    "`simulate`, added noise": lambda p: fl.simulate(
        p, method(p), rounds=2, oracle=fl.AdditiveNoise(0.1), reference=False
    ),
    "`simulate_law`": lambda p: fl.simulate_law(p, method(p), rounds=2, oracle=0.1, reference=False),
    "`cost`": lambda p: fl.cost(p, method(p)),
    "`fixed_point`": lambda p: fl.fixed_point(p, method(p)),
    "`fixed_point(exact=True)`": lambda p: fl.fixed_point(p, method(p), exact=True),
    "`certified_fixed_point`": lambda p: proved(fl.certified_fixed_point(p, method(p))),
    "`bias`": lambda p: proved(fl.bias(p, method(p)).fixed_point),
    "`round_map`": lambda p: fl.round_map(p, method(p)),
    "`linearised`": lambda p: fl.linearised(p, method(p)),
    "`linearised_moments`": lambda p: fl.linearised_moments(p, method(p), rounds=2),
    "`stability_limit`": lambda p: fl.stability_limit(p, lambda eta: method(p, eta), 4.0),
    "`moments`": lambda p: fl.moments(p, method(p), rounds=2),
    "`moments`, mini-batches": lambda p: fl.moments(p, method(p), rounds=2, oracle=fl.MiniBatch(2)),
    "`stationary`": lambda p: fl.stationary(p, method(p), oracle=fl.AdditiveNoise(0.1)),
    "`series`": lambda p: fl.series(p, lambda eta: method(p, eta), 1),
    "`trajectory(exact=True)`": lambda p: fl.trajectory(p, method(p), rounds=1, exact=True),
    "`applicable`": lambda p: fl.applicable(p, method(p), rounds=2),
    "`plan`": lambda p: fl.plan(p, type(method(p)), rounds=2, local_steps_grid=(1,), theorems=False),
}


def proved(found: Any) -> None:
    """A point that nothing is proved of is warned of, as ``fixed_point`` does."""
    if not found.certified:
        warnings.warn(found.reason, PrecisionWarning, stacklevel=2)


def answer(verb: Callable[[Any], Any], problem: Any) -> tuple[str, str]:
    """A word for the table, and what a verb that cannot answer says."""
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            verb(problem)
    except ValueError as error:
        return "refused", str(error)
    return ("unproved" if any(issubclass(w.category, PrecisionWarning) for w in heard) else "yes"), ""


def table() -> str:
    """The table in Markdown, and under it one refusal of every verb in its own words."""
    columns = problems()
    lines = ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    refusals = []
    for name, verb in VERBS.items():
        said = {column: answer(verb, problem) for column, problem in columns.items()}
        lines.append(f"| {name} | " + " | ".join(word for word, _ in said.values()) + " |")
        texts = dict.fromkeys(re.sub(r"^problem=\w+: ", "", text) for _, text in said.values() if text)
        refusals += [f"- {name}: {text}" for text in texts]
    return "\n".join([*lines, "", "What a refusal says:", "", *dict.fromkeys(refusals)])


def test_the_page_holds_the_table_of_today() -> None:
    text = PAGE.read_text("utf-8")
    assert text.split(START)[1].split(END)[0].strip() == table()


def test_a_verb_that_cannot_answer_says_why() -> None:
    network = problems()["network"]
    assert "quadratic" in answer(VERBS["`series`"], network)[1]
    assert answer(VERBS["`cost`"], network) == ("yes", "")


def main() -> None:
    """Print the table, or write it into the page."""
    if sys.argv[1:] != ["--write"]:
        print(table())
        return
    text = PAGE.read_text("utf-8")
    before, rest = text.split(START)
    PAGE.write_text(f"{before}{START}\n\n{table()}\n\n{END}{rest.split(END)[1]}", "utf-8")


if __name__ == "__main__":
    main()
