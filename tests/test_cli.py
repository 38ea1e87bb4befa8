"""The command line as a user drives it, errors and interruptions included."""

from __future__ import annotations

import functools
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fltheory.cli import main
from fltheory.commands import parameters

ROOT = Path(__file__).resolve().parents[1]

GOOD = """
@claim("OWN-1", kind=Kind.DEFINITION, scope=Scope.TEXT, statement="1+1=2", summary="adding", printed=dict(total=2),
       controls=[Control("total 3", dict(total=3))])
def own_1(total):
    return found(1 + 1 == total, margin=0.5 if total == 2 else -0.5)
"""
SURVIVOR = """
@claim("OWN-2", kind=Kind.DEFINITION, scope=Scope.TEXT, statement="", printed=dict(total=2),
       controls=[Control("total 3", dict(total=3))])
def own_2(total):
    return found(True)
"""
CRASH = """
@claim("OWN-3", kind=Kind.DEFINITION, scope=Scope.TEXT, statement="", printed=dict(total=2),
       controls=[Control("total 3", dict(total=3))])
def own_3(total):
    raise RuntimeError("no such luck")
"""
DEATH = """
import os
@claim("OWN-4", kind=Kind.DEFINITION, scope=Scope.TEXT, statement="", printed=dict(total=2),
       controls=[Control("total 3", dict(total=3))])
def own_4(total):
    os._exit(7)
"""
SLEEP = """
import time
@claim("OWN-5", kind=Kind.DEFINITION, scope=Scope.TEXT, statement="", printed=dict(total=2), quick=False,
       controls=[Control("total 3", dict(total=3))])
def own_5(total):
    time.sleep(60)
"""
WRONG = """
@claim("OWN-6", kind=Kind.DEFINITION, scope=Scope.TEXT, statement="", printed=dict(total=3), repair="OWN-6-R1", fault="slip",
       controls=[Control("total 4", dict(total=4)), Control("total 2", dict(total=2), must="pass")])
def own_6(total):
    return found(1 + 1 == total)

@claim("OWN-6-R1", kind=Kind.DEFINITION, scope=Scope.TEXT, statement="", printed=dict(total=2),
       controls=[Control("total 3", dict(total=3))])
def own_6_r1(total):
    return found(1 + 1 == total)
"""
UNKNOWABLE = """
@claim("OWN-7", kind=Kind.EXPERIMENT, scope=Scope.EXPERIMENT, statement="", printed=dict(total=2),
       controls=[Control("total 3", dict(total=3))])
def own_7(total):
    if total == 3:
        return found(False)
    return Evidence(Rung.RERUN, Outcome.NOT_CHECKABLE, "no data", 1, would_settle="the authors' data")
"""


@pytest.fixture
def verify(tmp_path: Path, own_claims: Callable[..., Path]) -> Callable[..., tuple[Result, dict[str, Any]]]:
    """Run ``fltheory verify --path`` on scripts; returns the result and the machine-readable copy."""

    def run(*arguments: str, **scripts: str) -> tuple[Result, dict[str, Any]]:
        output = tmp_path / "out.json"
        folder = own_claims(**scripts)
        options = ["verify", "--path", str(folder), "--jobs", "2", "--output", str(output), *arguments]
        result = CliRunner().invoke(main, options)
        return result, json.loads(output.read_text()) if output.is_file() else {}

    return run


def _strings(data: Any) -> list[str]:
    if isinstance(data, dict):
        return [text for item in data.values() for text in _strings(item)]
    return [str(data)]


def test_a_good_claim(verify: Any) -> None:
    result, data = verify("--controls", good=GOOD)
    assert result.exit_code == 0, result.output
    assert "must fail: total 3: refuted  margin -0.5" in result.output
    (row,) = data["rows"]
    assert row["verdict"] == "holds" and row["controls"][0]["satisfied"]
    assert data["environment"]["cores"] >= 1 and data["environment"]["versions"]["numpy"]
    assert not {str(Path.home()), platform.node(), ""} & set(_strings(data["environment"]))


def test_a_surviving_control_fails_the_run(verify: Any) -> None:
    result, _ = verify(good=GOOD, survivor=SURVIVOR)
    assert result.exit_code == 1
    assert "PROBLEM: control 'total 3' had to be refuted and came out as holds" in result.output


@pytest.mark.parametrize(("bad", "words"), [(CRASH, "no such luck"), (DEATH, "ended with code 7")])
def test_other_claims_still_run_when_one_crashes(verify: Any, bad: str, words: str) -> None:
    result, data = verify(bad=bad + GOOD, wrong=WRONG)
    assert result.exit_code == 1
    verdicts = {row["id"]: row["verdict"] for row in data["rows"]}
    assert verdicts.pop("OWN-3", None) == "crash" or verdicts.pop("OWN-4", None) == "crash"
    assert verdicts == {"OWN-1": "holds", "OWN-6": "wrong as printed", "OWN-6-R1": "holds"}
    assert words in result.output


def test_a_script_that_cannot_be_loaded_is_a_crash_of_its_own(verify: Any) -> None:
    result, data = verify(good=GOOD, broken="import no_such_module_anywhere")
    assert result.exit_code == 1
    assert {row["id"]: row["verdict"] for row in data["rows"]} == {"broken.py": "crash", "OWN-1": "holds"}


def test_running_out_of_time_is_inconclusive(verify: Any) -> None:
    result, data = verify("--timeout", "1.5", good=GOOD, sleep=SLEEP)
    assert result.exit_code == 3, result.output
    assert {row["id"]: row["verdict"] for row in data["rows"]} == {"OWN-5": "timeout", "OWN-1": "holds"}


def test_what_cannot_be_checked_is_inconclusive(verify: Any) -> None:
    assert verify(unknowable=UNKNOWABLE)[0].exit_code == 3
    assert verify(unknowable=UNKNOWABLE, good=GOOD)[0].exit_code == 0


def test_quick_leaves_out_slow_checks(verify: Any) -> None:
    result, data = verify("--quick", good=GOOD, sleep=SLEEP)
    assert result.exit_code == 0
    assert [row["id"] for row in data["rows"]] == ["OWN-1"]


def test_a_refutation_needs_its_repair(verify: Any) -> None:
    assert verify(wrong=WRONG)[0].exit_code == 0
    result, _ = verify(wrong=WRONG.replace('repair="OWN-6-R1"', 'repair="OWN-6-R2"'))
    assert result.exit_code == 1 and "repair names OWN-6-R2, which is no row" in result.output
    result, _ = verify(wrong=WRONG.replace(', Control("total 2", dict(total=2), must="pass")', ""))
    assert result.exit_code == 1 and "repaired form passes" in result.output


def test_a_weak_rung_and_a_wrong_sign_are_problems(verify: Any) -> None:
    weak = GOOD.replace("Kind.DEFINITION", "Kind.IDENTITY")
    result, _ = verify(good=weak)
    assert result.exit_code == 1 and "would_settle is empty" in result.output
    result, _ = verify(good=GOOD.replace("else -0.5", "else 0.5"))
    assert result.exit_code == 1 and "positive" in result.output


def test_json_is_one_document(verify: Any) -> None:
    result, data = verify("--json", good=GOOD)
    assert json.loads(result.stdout) == data
    assert data["exit_code"] == 0 and data["schema"] == 1


def test_targets_select_claims_with_their_sub_rows(verify: Any) -> None:
    _, data = verify("OWN-6", good=GOOD, wrong=WRONG)
    assert {row["id"] for row in data["rows"]} == {"OWN-6", "OWN-6-R1"}
    result, _ = verify("OWN-66", good=GOOD, wrong=WRONG)
    assert result.exit_code == 2 and "did you mean OWN-6" in result.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["verify", "LI-LEM33"], "did you mean LI-LEM3"),
        (["verify", "li2021"], "did you mean li2020"),
        (["verify", "--check", "--write"], "exclude each other"),
        (["verify", "--check", "--path", "."], "--path"),
        (["verify", "--lower", "LI-LEM3"], "--write"),
        (["verify", "--jobs", "0"], "--jobs"),
        (["verify", "--path", "no/such/folder"], "does not exist"),
        (["show", "LI-LEM33"], "did you mean LI-LEM3"),
        (["list", "--verdict", "splendid"], "holds"),
        (["figure", "no-such-figure"], "no script"),
        (["experiment", "no-such-experiment"], "no script"),
        (["verfiy"], "did you mean verify"),
    ],
)
def test_wrong_usage(arguments: list[str], words: str) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert words in result.output


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("line", ["list", "latex li2020", "--version", "course sheet 1"])
def test_what_cannot_be_written_is_said_in_one_line(line: str) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        call = [sys.executable, "-m", "fltheory", *line.split()]
        done = subprocess.run(call, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (3, "Error: No space left on device\n")


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_a_reader_that_leaves_is_no_error() -> None:
    call = [sys.executable, "-m", "fltheory", "list"]
    with subprocess.Popen(call, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
    assert process.returncode == 1 and said == ""


ENDING = """
import sys

def run(grad, weights, start, rounds, cohorts, step_size, local_steps):
    sys.exit(0)

def made():
    sys.exit(0)

def answer(eta, a):
    sys.exit(0)
"""


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("conform FILE:run --algorithm FedAvg", 2, "SystemExit: 0"),
        ("course check 1 FILE", 1, "your function raised SystemExit: 0 at eta = "),
        ("plan FedAvg --problem FILE:made --rounds 3", 3, "the code that was executed called sys.exit(0)"),
    ],
)
def test_code_that_ends_the_program_is_not_right(line: str, code: int, words: str, tmp_path: Path) -> None:
    file = tmp_path / "ending.py"
    file.write_text(ENDING, encoding="utf-8")
    done = CliRunner().invoke(main, line.replace("FILE", str(file)).split())
    assert done.exit_code == code and words in done.output, done.output


def test_progress_is_told_every_two_seconds_everywhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = iter([0.0, 1.0, 2.5, 3.0, 4.6])
    monkeypatch.setattr(parameters.time, "monotonic", lambda: next(now))
    tell = parameters.telling()
    for words in ("one", "two", "three", "four"):
        tell(words)
    assert capsys.readouterr().err == "   2 s  two\n   5 s  four\n"


def test_show_and_list_know_every_claim() -> None:
    result = CliRunner().invoke(main, ["show", "LI-D1..D3"])
    assert result.exit_code == 0 and result.output.startswith("LI-D1..D3  (li2020)")
    shown = json.loads(CliRunner().invoke(main, ["show", "--json", "LI-LEM3"]).output)
    assert shown[0]["id"] == "LI-LEM3"
    listed = CliRunner().invoke(main, ["list", "--document", "lecture2022"]).output.splitlines()
    assert len([line for line in listed if line.startswith("LEC-")]) == len(listed) >= 56


def test_version_and_python_agree() -> None:
    import fltheory

    assert fltheory.__version__ in CliRunner().invoke(main, ["--version"]).output
    assert fltheory.claims["LI-LEM3"].id == "LI-LEM3"
    with pytest.raises(KeyError, match="LI-LEM3"):
        fltheory.claims["LI-LEM33"]


def command(*arguments: str, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(cwd if (cwd / "fltheory").is_dir() else ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "fltheory", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def test_help_is_fast() -> None:
    """In processor time of the child, where it can be had: other work on the machine is not the command's fault."""

    def clock() -> float:
        spent = os.times()
        return spent.children_user + spent.children_system if os.name == "posix" else time.perf_counter()

    command("--help", cwd=ROOT)
    times = []
    for _ in range(5):
        started = clock()
        assert "verify" in command("--help", cwd=ROOT).stdout
        times.append(clock() - started)
    assert min(times) < 0.3


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_an_interrupted_run_keeps_what_was_finished(own_claims: Callable[..., Path], tmp_path: Path) -> None:
    folder = own_claims(good=GOOD, sleep=SLEEP)
    options = ["verify", "--path", str(folder), "--jobs", "2", "--output", str(tmp_path / "out.json")]
    # A shell starts background jobs with the signal ignored, and a child inherits that.
    listen = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "fltheory", *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=listen,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("executing the code of 2 files in own")
        assert process.stdout.readline().startswith("OWN-1")
        process.send_signal(signal.SIGINT)
        try:
            rest = process.communicate(timeout=30)[0]
        finally:
            process.kill()
    assert process.returncode == 3 and "interrupted" in rest
    assert [row["id"] for row in json.loads((tmp_path / "out.json").read_text())["rows"]] == ["OWN-1"]


@pytest.fixture
def checkout(tmp_path: Path, claim_head: str) -> Path:
    """A small checkout: this package with one script that judges LI-LEM1 (as WRONG above judges OWN-6)."""
    root = tmp_path / "checkout"
    shutil.copytree(ROOT / "fltheory", root / "fltheory", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", root)
    script = root / "verify" / "li2020" / "sums.py"
    script.parent.mkdir(parents=True)
    script.write_text(claim_head + WRONG.replace("OWN-6", "LI-LEM1") + GOOD.replace("OWN-1", "LI-LEM2"))
    return root


@pytest.mark.slow
def test_writing_checking_and_changing(checkout: Path) -> None:
    script = checkout / "verify" / "li2020" / "sums.py"
    assert command("verify", "--check", cwd=checkout).returncode == 1
    done = command("verify", "--write", cwd=checkout)
    assert done.returncode == 0, done.stdout + done.stderr
    ledger = (checkout / "results/ledger/ledger.json").read_bytes()
    # Kept are two claims and the repair of one; the ledger lists what nobody has checked as well.
    said = f"evidence of 3 rows kept; the ledger has {len(json.loads(ledger)['rows'])} rows and"
    assert f"{said} changed\n" in done.stdout
    report = (checkout / "paper_checks.md").read_text()
    errata = (checkout / "results/ledger/errata.md").read_text()
    page = (checkout / "results/ledger/li2020/appendix-a.md").read_text()
    assert "LI-LEM1-R1" in errata and "LI-LEM1" in report and "LI-LEM1-R1" in page and "1 + 1 = 2" in page
    done = command("verify", "--check", cwd=checkout)
    assert done.returncode == 0, done.stdout + done.stderr
    done = command("verify", "--write", cwd=checkout)
    assert (checkout / "results/ledger/ledger.json").read_bytes() == ledger
    assert f"{said} is unchanged\n" in done.stdout

    text = script.read_text()
    planted = text.replace("printed=dict(total=2),\n       controls", "printed=dict(total=3),\n       controls", 1)
    assert planted != text
    script.write_text(planted)
    done = command("verify", "LI-LEM1-R1", cwd=checkout)
    assert done.returncode == 1 and "the ledger says 'holds'" in done.stdout
    done = command("verify", "--check", cwd=checkout)
    assert done.returncode == 1 and "differs from the kept" in done.stdout
    script.write_text(text.replace('summary="adding"', 'summary="addition"'))
    done = command("verify", "--check", cwd=checkout)
    assert done.returncode == 1 and "LI-LEM2: summary changed since the evidence was kept" in done.stdout
    script.write_text(text)

    (checkout / "paper_checks.md").write_text(report.replace("wrong as printed", "holds", 1))
    done = command("verify", "--check", "LI-LEM2", cwd=checkout)
    assert done.returncode == 1 and "paper_checks.md is not what the kept evidence gives" in done.stdout


@pytest.mark.slow
def test_each_script_runs_by_itself(own_claims: Callable[..., Path]) -> None:
    tail = "\nif __name__ == '__main__':\n    from fltheory.evidence import runner\n    runner.run_script(__file__)\n"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for body, code in ((GOOD, 0), (SURVIVOR, 1), (UNKNOWABLE, 3)):
        folder = own_claims(alone=body + tail)
        done = subprocess.run([sys.executable, folder / "alone.py"], env=environment, capture_output=True, check=False)
        assert done.returncode == code
