"""Names of this layer and of what a user gives to it are told apart, and a file holds one idea."""

from __future__ import annotations

import ast
from pathlib import Path

import fltheory

ROOT = Path(fltheory.__file__).parent


def classes(folder: str) -> set[str]:
    """Names of the public classes in the files of a layer."""
    found = set()
    for path in (ROOT / folder).rglob("*.py"):
        body = ast.parse(path.read_text("utf-8")).body
        found |= {node.name for node in body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")}
    return found


def test_a_program_of_the_solver_is_not_called_like_a_federated_problem() -> None:
    problems = classes("problems")
    assert "Problem" in problems and not problems & classes("worstcase")


def test_the_program_and_the_solver_have_files_of_their_own() -> None:
    """What is asked does not import who is asked."""
    text = (ROOT / "worstcase" / "sdp.py").read_text("utf-8")
    assert "clarabel" not in text.lower() and "worstcase.solver" not in text
    for name in ("sdp", "solver"):
        assert (ROOT / "worstcase" / f"{name}.py").read_text("utf-8").count("\n") <= 250
