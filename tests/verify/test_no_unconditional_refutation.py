"""No check ends in a refutation that nothing evaluates: a witness, an instance or a search says what is false.

By syntax: ``Outcome.REFUTED`` is compared with, or chosen by a condition, and never handed over as it is; ``read`` is not told
``False``; and a text with no number computed into it is no counterexample.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "verify"

#: Functions that may, and what evaluates the refutation there.
ALLOWED = {
    ("fedlama2021/settings.py", "told"): "printed numbers, compared in the line above",
    ("fedlama2021/tables/costs.py", "accuracies"): "printed numbers, compared in the line above",
    ("lecture2022/fedavg_algorithm.py", "broken"): "the listing is executed, and the line that fails is told",
    ("lecture2022/references.py", "quoted"): "printed numbers, compared in the line above",
    ("li2020/worst_cases/boxes.py", "broken"): "the lower side of a certificate that is verified",
    ("mixed2022/assembly_worst_cases.py", "worst_cases"): "the counterexample is that of an exact search",
    (
        "mixed2022/aux_recursions.py",
        "same_bound",
    ): "a lower bound for all constants, whose steps are all verified before",
    ("mixed2022/divergence_middle.py", "observation"): "printed rates, compared in the line above",
    ("mixed2022/predictions_implications.py", "large_slope"): "a closed form for every slope; an instance is missing",
}


def _static(node: ast.expr | None) -> bool:
    """A text that does not depend on anything."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(node.value)


def unconditional(text: str) -> Iterator[tuple[str, int]]:
    """Functions (their names, lines) in which something is refuted without a condition on what was evaluated."""
    tree = ast.parse(text)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}

    def function(node: ast.AST) -> str:
        while not isinstance(node, ast.FunctionDef | ast.Module):
            node = parents[node]
        return getattr(node, "name", "")

    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "REFUTED":
            if not isinstance(parents[node], ast.Compare | ast.IfExp):
                yield function(node), node.lineno
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            told = next((word.value for word in node.keywords if word.arg == "counterexample"), None)
            if name == "read" and node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value is False:
                yield function(node), node.lineno
            elif _static(told) or name == "Tried" and len(node.args) > 1 and _static(node.args[1]):
                yield function(node), node.lineno


def test_no_check_refutes_without_evaluating() -> None:
    found = {
        (str(path.relative_to(ROOT)), name)
        for path in sorted(ROOT.rglob("*.py"))
        for name, _ in unconditional(path.read_text("utf-8"))
    }
    assert sorted(found - set(ALLOWED)) == []


@pytest.mark.parametrize(
    "line",
    [
        'return Evidence(Rung.EXACT, Outcome.REFUTED, "m", 1, counterexample=f"x = {x}")',
        'return replace(found, outcome=Outcome.REFUTED, counterexample=f"x = {x}")',
        'return read(False, method="m", examined=1, counterexample=f"x = {x}")',
        'return read(good, method="m", examined=1, counterexample="the limit is at least 4")',
        'return decide(steps, Tried(1, "x = 1: 2 > 1"), method="m")',
        'return decide(steps, Tried(counterexample="x = 1: 2 > 1"), method="m")',
    ],
)
def test_what_the_syntax_finds(line: str) -> None:
    assert [name for name, _ in unconditional(f"def check(x):\n    {line}\n")] == ["check"]


@pytest.mark.parametrize(
    "line",
    [
        "return by_witness(Witness({x: 1}, x, '<=', 0))",
        "return Outcome.REFUTED if broken else Outcome.HOLDS",
        "return found.outcome is Outcome.REFUTED",
        'return read(x <= 1, method="m", examined=1, counterexample=f"x = {x}")',
    ],
)
def test_what_the_syntax_admits(line: str) -> None:
    assert list(unconditional(f"def check(x):\n    {line}\n")) == []
