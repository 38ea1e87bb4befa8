"""Ctrl-C, also where compiled code makes another error of it: exit code 3, one line, what was finished is kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

import fltheory as fl
from fltheory.cli import main
from fltheory.experiments import scripts
from fltheory.machine import is_interrupt, memory
from fltheory.problems.base import check_request
from fltheory.processes import in_order

posix = pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")


def disguised() -> SystemError:
    error = SystemError("a call returned a result with an exception set")
    error.__cause__ = KeyboardInterrupt()
    return error


def test_what_is_an_interrupt() -> None:
    assert is_interrupt(KeyboardInterrupt()) and is_interrupt(disguised())
    assert not is_interrupt(SystemError("bad call")) and not is_interrupt(ValueError()) and not is_interrupt(None)
    other = ValueError("while handling")
    other.__context__ = KeyboardInterrupt()
    assert not is_interrupt(other)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), disguised()])
@pytest.mark.parametrize("command", ["experiment", "figure"])
def test_an_interrupted_script(
    error: BaseException, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(path: Path, **options: Any) -> None:
        (tmp_path / "first.npz").write_bytes(b"")
        raise error

    monkeypatch.setattr(scripts, f"run_{command}", run)
    monkeypatch.setattr(scripts, "named_scripts", lambda folder: {"one": Path("one.py"), "two": Path("two.py")})
    where = "--results" if command == "experiment" else "--output"
    done = CliRunner().invoke(main, [command, "all", where, str(tmp_path)])
    assert done.exit_code == 3, done.output
    assert done.output.splitlines() == ["one ...", "interrupted, kept so far: first.npz"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), disguised(), click.Abort()])
@pytest.mark.parametrize(
    "word", ["verify", "mutate", "plan FedAvg", "stability FedAvg --step-size 1", "report", "docs"]
)
def test_any_interrupted_command(error: BaseException, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(ctx: Any) -> None:
        raise error

    monkeypatch.setattr(main.commands[word.split()[0]], "invoke", stopped)
    done = CliRunner().invoke(main, word.split())
    assert (done.exit_code, done.output) == (3, "interrupted\n")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), disguised()])
def test_an_interrupted_simulation_keeps_its_records(error: BaseException) -> None:
    problem = fl.QuadraticProblem(np.eye(1)[None], np.ones((1, 1)))

    def progress(finished: int, whole: int) -> None:
        if finished >= 3:
            raise error

    run = fl.simulate(problem, fl.FedAvg(1, 0.1), rounds=9, progress=progress, backend="numpy")
    assert run.status == ("interrupted",) and run.rounds.tolist() == [0, 1, 2, 3]


@posix
def test_half_an_answer_is_none() -> None:
    """A job that keeps the interrupt to itself must not be taken for done."""

    def job(item: int) -> int:
        if item == 1:
            try:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(5)
            except KeyboardInterrupt:
                return -1
        return item

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        seen = []
        with pytest.raises(KeyboardInterrupt):
            for answer in in_order(job, range(3), processes=1):
                seen.append(answer)
        assert seen == [0] and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_request_beyond_memory_is_refused_before_it_is_made() -> None:
    there = memory()
    assert there is None or there > 2**28
    check_request("rounds=1", 1)
    with pytest.raises(
        ValueError, match=r"rounds=9: too large a request, .* GB of numbers; expected at most the .* GB"
    ):
        check_request("rounds=9", 2**60)
    started = time.perf_counter()
    with pytest.raises(ValueError, match="rounds=10000000000000 with runs=3, record_every=1: too large a request"):
        fl.simulate(fl.li_counterexample(2, 2, 0.1), fl.FedAvg(1, 0.1), rounds=10**13, runs=3)
    with pytest.raises(ValueError, match="days at 10 nanoseconds a round; expected at most 7 days"):
        fl.simulate(fl.li_counterexample(2, 2, 0.1), fl.FedAvg(1, 0.1), rounds=10**15, record_every=10**14)
    assert time.perf_counter() - started < 1.0


@posix
def test_a_limit_on_memory_counts() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))\n"
        "import fltheory as fl\n"
        "try: fl.simulate(fl.li_counterexample(2, 2, 0.1), fl.FedAvg(1, 0.1), rounds=10**9)\n"
        "except ValueError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "rounds=1000000000 with runs=1, record_every=1: too large a request" in done.stdout


def test_when_memory_runs_out_in_spite_of_the_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    from fltheory.simulate import loop

    def full(*_: Any) -> bool:
        raise MemoryError

    monkeypatch.setattr(loop, "_run_all", full)
    with pytest.raises(ValueError, match="rounds=5 with runs=1, record_every=1: too large a request, the memory"):
        fl.simulate(fl.li_counterexample(2, 2, 0.1), fl.FedAvg(1, 0.1), rounds=5)
