"""``fltheory certify`` and ``fltheory check-certificate`` as a user drives them."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import fltheory as fl
from fltheory.cli import main

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "fedavg.json"
    result = run("certify", "FedAvg", "--local-steps", "2", "--step-size", "1/4", "--mu", "0.1", "--output", str(path))
    assert result.exit_code == 0, result.output
    assert "certified" in result.output and "theorem" in result.output and "at least" in result.output
    return path


def test_a_written_certificate_is_accepted(made: Path) -> None:
    result = run("check-certificate", str(made))
    assert result.exit_code == 0 and "accepted" in result.output and "proved: |w_1 - w*|^2 <=" in result.output
    told = run("check-certificate", "--explain", str(made)).output
    assert "    x_1 = w_0 - 1/4 grad f_k(w_0)" in told and "  the proof adds up, each with its multiplier:" in told
    exact = run("check-certificate", "--exact", str(made)).output
    factor = json.loads(made.read_text("utf-8"))["upper"]["bound"]["distance"]
    assert f"proved: |w_1 - w*|^2 <= {factor} |w_0 - w*|^2" in exact


def test_dissimilarity_of_the_two_sides() -> None:
    both = [
        "certify",
        "ParallelTraining",
        "--local-steps",
        "2",
        "--step-size",
        "1/10",
        "--set",
        "central_step_size=1/10",
        "--mu=-1",
        "--centre-L",
        "1",
        "--centre-mu=-1",
        "--measure",
        "gradient",
        "--start",
        "gap",
    ]
    found = run(*both, "--heterogeneity", "identical, mixed dissimilarity:1")
    assert found.exit_code == 0 and "G2" in found.output, found.output
    assert "unbounded" in run(*both, "--heterogeneity", "mixed dissimilarity:1").output


def test_rejected_and_unreadable_files_have_their_own_codes(made: Path, tmp_path: Path) -> None:
    data = json.loads(made.read_text("utf-8"))
    data["upper"]["bound"]["distance"] = "1/2"
    wrong, broken = tmp_path / "wrong.json", tmp_path / "broken.json"
    wrong.write_text(json.dumps(data), encoding="utf-8")
    broken.write_bytes(b"\xff{")
    for files, code, words in (
        ([made, wrong], 1, "REJECTED"),
        ([wrong, broken], 2, "unreadable"),
        ([tmp_path / "none"], 2, "unreadable"),
        ([], 2, "Missing argument"),
    ):
        result = run("check-certificate", *map(str, files))
        assert result.exit_code == code and words in result.output
    (tmp_path / "list.json").write_text("[1, 2]", encoding="utf-8")
    assert run("check-certificate", str(tmp_path / "list.json")).exit_code == 1


def test_a_method_with_a_loss_of_the_servers_own(tmp_path: Path) -> None:
    path = tmp_path / "mixed.json"
    one_way = ["certify", "OneWayGradientTransfer", "--local-steps", "2", "--step-size", "1/8", "--mu", "1/10"]
    whole = [
        "--centre-L",
        "1",
        "--centre-mu",
        "1/10",
        "--noise",
        "--centre-noise",
        "--n-clients",
        "3",
        "--output",
        str(path),
    ]
    result = run(*one_way, *whole)
    assert result.exit_code == 0 and "centre_noise" in result.output, result.output
    assert run("check-certificate", str(path)).exit_code == 0
    for arguments, words in (
        (one_way, "name its class"),
        (["certify", "FedAvg", "--step-size", "1/8", "--centre-L", "1"], "no gradient of the server's own loss"),
        (["certify", "ParallelTraining", "--step-size", "1/8"], "needs central_step_size"),
        ([*one_way, "--centre-L", "one"], "is no number"),
        ([*one_way, "--centre-L", "1", "--heterogeneity", "identical,alike"], "--heterogeneity 'alike'"),
    ):
        found = run(*arguments)
        assert found.exit_code == 2 and words in found.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["FedAvgg", "--step-size", "1"], "did you mean FedAvg"),
        (["FedAvg"], "--step-size"),
        (["FedAvg", "--step-size", "0"], "step_size=0"),
        (["FedAvg", "--step-size", "much"], "'much' is no number"),
        (["FedAvg", "--step-size", "1", "--mu", "2"], "mu=2 exceeds L=1"),
        (["FedAvg", "--step-size", "1", "--mu", "1"], "mu=L=1"),
        (["FedAvg", "--step-size", "1", "--rounds", "0"], "--rounds"),
        (["FedAvg", "--step-size", "1", "--measure", "loss"], "distance, gap, gradient"),
        (["FedAvg", "--step-size", "1", "--heterogeneity", "much"], "gamma"),
        (["FedAvg", "--step-size", "1", "--quantity", "distance"], "NAME=NUMBER"),
        (["FedAvg", "--step-size", "1", "--quantity", "distance=-1"], "negative"),
        (["FedAvg", "--step-size", "1", "--set", "server_step_size=2"], "FedAvg has no 'server_step_size'"),
        (["FedAvg", "--step-size", "1", "--noise"], "n_clients is missing"),
        (["FedAvg", "--step-size", "1", "--cohort", "5", "--n-clients", "3"], "K=5 exceeds N=3"),
        (["FedAvg", "--step-size", "1", "--output", "no/such/folder/c.json"], "no/such/folder"),
    ],
)
def test_wrong_usage(arguments: list[str], words: str) -> None:
    result = run("certify", *arguments)
    assert result.exit_code == 2, result.output
    assert words in result.output


def test_what_is_not_certified_has_code_3(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    result = run(
        "certify",
        "FedAvg",
        "--local-steps",
        "2",
        "--step-size",
        "1/4",
        "--heterogeneity",
        "unbounded",
        "--output",
        str(path),
    )
    assert result.exit_code == 3 and "unbounded" in result.output and not path.exists()
    result = run(
        "certify", "FedAvg", "--local-steps", "6", "--step-size", "1/4", "--rounds", "3", "--time-limit", "0.05"
    )
    assert result.exit_code == 3 and "out of time" in result.output


def test_options_reach_the_question(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    result = run(
        "certify",
        "TwoSidedFedAvg",
        "--local-steps",
        "2",
        "--step-size",
        "0.25",
        "--set",
        "server_step_size=2",
        "--cohort",
        "2",
        "--replacement",
        "--noise",
        "--n-clients",
        "4",
        "--quantity",
        "noise=0.01",
        "--measure",
        "distance",
        "--mu",
        "1/10",
        "--L",
        "2",
        "--output",
        str(path),
    )
    assert result.exit_code == 0, result.output
    data = json.loads(path.read_text("utf-8"))
    assert data["shares"]["scheme"] == "with replacement" and data["shares"]["clients"] == 4
    assert data["classes"]["clients"] == ["1/10", "2"]
    assert data["lower"]["quantities"]["noise"] == "1/100"
    assert any(item[0] == "combine" and ["2", 5] in item[1] or item[0] == "noise" for item in data["program"])


def _clock() -> float:
    """Processor time of the children, where it can be had: other work on the machine is not the command's fault."""
    spent = os.times()
    return spent.children_user + spent.children_system if os.name == "posix" else time.perf_counter()


def test_help_is_fast_and_light() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for command in ("certify", "check-certificate"):
        times = []
        for _ in range(5):
            started = _clock()
            done = subprocess.run(
                [sys.executable, "-m", "fltheory", command, "--help"],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            times.append(_clock() - started)
        assert "Exit codes" in done.stdout and min(times) < 0.3


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_an_interruption_leaves_no_file(tmp_path: Path) -> None:
    environment: dict[str, Any] = {**os.environ, "PYTHONPATH": str(ROOT)}
    # A shell starts background jobs with the signal ignored, and a child inherits that.
    listen = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        [
            sys.executable,
            "-u",
            "-m",
            "fltheory",
            "certify",
            "FedAvg",
            "--local-steps",
            "10",
            "--rounds",
            "5",
            "--step-size",
            "0.25",
            "--mu",
            "0.1",
            "--output",
            str(tmp_path / "c.json"),
        ],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=listen,
    ) as process:
        try:
            assert process.stderr is not None and process.stderr.readline().startswith("solving")
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 3 and "interrupted" in errors, errors
    assert not list(tmp_path.iterdir())


def test_a_lyapunov_certificate_is_checked_and_told(tmp_path: Path) -> None:
    found = fl.lyapunov(fl.Scaffold(2, 0.25), fl.SmoothStronglyConvex(0.1, 1))
    path = tmp_path / "s.json"
    found.save(path)
    result = run("check-certificate", str(path))
    assert result.exit_code == 0 and "for every R >= 1" in result.output, result.output
    path.write_text(path.read_text("utf-8").replace('"bound":{"lyapunov":"', '"bound":{"lyapunov":"1/', 1), "utf-8")
    result = run("check-certificate", str(path))
    assert result.exit_code == 1 and "REJECTED" in result.output
