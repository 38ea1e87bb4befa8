"""Fixtures of all tests: a folder for a user's own claims, what is asked of a refusal of bad arguments.

Hypothesis has no deadlines (compilation takes time).
"""

from __future__ import annotations

import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

import fltheory as fl
import fltheory.evidence  # lets tests of the wings import them: verify.<document>.<module>

settings.register_profile("fltheory", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("fltheory")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background of a shell do not hear interrupts

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


@contextmanager
def _soon(seconds: float = 20.0) -> Iterator[None]:
    """End what takes too long, where signals can do that: a refusal comes at once, and a loop without end is none."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: Any) -> None:
        raise TimeoutError(f"not refused within {seconds} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="session")
def valid_arguments() -> dict[str, Any]:
    """The names in the tables of bad inputs: whatever stands beside the bad argument is valid."""
    quad = fl.QuadraticProblem(np.array([np.diag([1.0, 2.0]), np.diag([2.0, 1.0])]), np.eye(2))
    avg, noise = fl.FedAvg(2, 0.1), fl.AdditiveNoise(1.0)
    films = fl.movie_catalogue(20, 60, seed=0, mean_length=10, least=4)
    return {
        "fl": fl,
        "np": np,
        "F": Fraction,
        "nan": float("nan"),
        "inf": float("inf"),
        "quad": quad,
        "avg": avg,
        "noise": noise,
        "mixed": fl.MixedProblem(quad, fl.QuadraticProblem(np.eye(2)[None], np.ones((1, 2)))),
        "X": [np.ones((3, 2)), np.arange(8.0).reshape(4, 2)],
        "Y": [np.array([1, -1, 1]), np.array([1, -1, 1, -1])],
        "Z": [np.array([0, 1, 1]), np.array([0, 1, 0, 1])],
        "wide": np.ones((4, 3)),
        "nans": np.full((3, 2), np.nan),
        "l2": fl.Regulariser(0.1, "lambda/2|w|^2"),
        "films": films,
        "shape": fl.DualEncoder(films, 3).shape,
        "convex": fl.SmoothConvex(1),
        "digits": fl.problems.LabelledData(np.arange(40.0).reshape(20, 2), np.arange(20) % 4, 4),
        "run": fl.simulate(quad, avg, rounds=2, runs=2, oracle=noise),
    }


@pytest.fixture
def refused(valid_arguments: dict[str, Any]) -> Callable[[str, str], None]:
    """Evaluate a call with a bad argument: it must end in an error of this package that contains the words.

    The error is a ``ValueError`` (for files that are not there and names that are unknown, the errors of that name), raised
    in the package's own lines, one short text that says more than the words: the condition.
    """

    def check(call: str, words: str) -> None:
        with pytest.raises((ValueError, FileNotFoundError, KeyError)) as caught, _soon():
            eval(call, dict(valid_arguments))
        error = caught.value
        assert type(error) in (ValueError, FileNotFoundError) or "fl.claims" in call, f"{type(error).__name__}: {error}"
        text = str(error)
        assert words in text and len(words) + 8 < len(text) < 500 and "\n" not in text, text
        origin = Path(traceback.extract_tb(error.__traceback__)[-1].filename)
        assert Path(fl.__file__).parent in origin.parents, f"raised in {origin.name}: {text}"

    return check
