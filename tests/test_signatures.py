"""Names that are imported at first use show their own signature and text."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
from typing import Any

import pytest

import fltheory as fl
from fltheory.simulate.loop import simulate

VERBS = [name for name in fl.__all__ if callable(getattr(fl, name)) and not inspect.isclass(getattr(fl, name))]


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_names_its_arguments(name: str) -> None:
    verb: Any = getattr(fl, name)
    kinds = [parameter.kind for parameter in inspect.signature(verb).parameters.values()]
    assert not {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD} <= set(kinds)
    assert inspect.getdoc(verb)


def test_the_module_of_the_verb_speaks_for_it() -> None:
    assert inspect.signature(fl.simulate) == inspect.signature(simulate)
    text = pydoc.plain(pydoc.render_doc(fl.simulate))
    assert "simulate(problem" in text and "divergence_threshold" in text and "centre_oracle" in text


@pytest.mark.parametrize("before", ["", "import fltheory.simulate; ", "import fltheory.simulate.loop; "])
def test_whatever_was_imported_first(before: str) -> None:
    code = (
        f"{before}import inspect, sys; import fltheory as fl; "
        "print(*(list(inspect.signature(fl.simulate).parameters)[:3] for _ in range(2)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == " ".join(["['problem', 'algorithm', 'rounds']"] * 2)
