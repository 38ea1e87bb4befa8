"""Fixtures of all tests: a folder for a user's own claims; hypothesis without deadlines (compilation takes time)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("fltheory", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("fltheory")

HEAD = """
from fltheory.evidence.model import Control, Evidence, Kind, Outcome, Rung, Scope, claim

def found(true, rung=Rung.READING, **more):
    outcome = Outcome.HOLDS if true else Outcome.REFUTED
    return Evidence(rung, outcome, "added up", 1, counterexample="" if true else "1 + 1 = 2", **more)
"""


@pytest.fixture
def claim_head() -> str:
    """The imports and the helper ``found`` that a script of claims begins with."""
    return HEAD


@pytest.fixture
def own_claims(tmp_path: Path) -> Callable[..., Path]:
    """Write scripts ``name -> text`` into a fresh folder; each text follows imports and a helper ``found``."""

    def write(**scripts: str) -> Path:
        folder = tmp_path / "own"
        folder.mkdir(exist_ok=True)
        for name, text in scripts.items():
            (folder / f"{name}.py").write_text(HEAD + text, encoding="utf-8")
        return folder

    return write
