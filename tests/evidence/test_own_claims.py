"""A user's own claims: proof needs a certificate, a malformed file stops nobody, results that are not written are not silent."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fltheory.cli import main
from fltheory.evidence.model import Claim, Control, Evidence, Kind, Outcome, Rung, Scope

PROVED = """
@claim("OWN-{number}", kind=Kind.{kind}, scope=Scope.{scope}, statement="x^2 >= 0", printed=dict(good=True),
       controls=[Control("not so", dict(good=False))])
def own(good):
    return found(good, Rung.{rung}, certificate={certificate})
"""
GOOD = PROVED.format(number=1, kind="DEFINITION", scope="TEXT", rung="READING", certificate=None)
TRUE = {"type": "nonnegative", "expression": "x**2 + x", "ranges": [["x", "0", None]]}


@pytest.fixture
def verify(own_claims: Callable[..., Path], tmp_path: Path) -> Callable[..., tuple[int, str, dict[str, Any]]]:
    def run(**scripts: str) -> tuple[int, str, dict[str, Any]]:
        output = tmp_path / "out.json"
        done = CliRunner().invoke(
            main, ["verify", "--path", str(own_claims(**scripts)), "--jobs", "2", "--output", str(output)]
        )
        assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
        rows = json.loads(output.read_text())["rows"] if output.is_file() else []
        return done.exit_code, done.output, {row["id"]: row for row in rows}

    return run


@pytest.mark.parametrize("rung", ["PROOF", "WORST_CASE"])
@pytest.mark.parametrize(
    ("certificate", "words"),
    [
        (None, "no certificate that the package can verify"),
        ({"steps": ["first", "second"]}, "no certificate that the package can verify"),
        ({"type": "identity", "expressions": ["x - y"]}, "does not verify"),
        ({"type": "psd", "matrix": [["-1"]]}, "does not verify"),
        ({"type": "nonnegative", "expression": "import os", "ranges": []}, "cannot be read"),
        ({"format": "fltheory worst case 1"}, "does not verify"),
    ],
)
def test_the_word_of_a_script_is_no_proof(verify: Any, rung: str, certificate: Any, words: str) -> None:
    own = PROVED.format(number=2, kind="INEQUALITY", scope="GENERAL", rung=rung, certificate=certificate)
    code, output, rows = verify(own=own, good=GOOD)
    row = rows["OWN-2"]
    assert row["rung"] == "asserted" and row["verdict"] == "not refuted", row
    assert row["claimed_rung"] == Rung[rung].value and words in row["remark"]
    assert "on the script's word alone" in output and " holds" not in output.split("OWN-2")[1].splitlines()[0]
    assert rows["OWN-1"]["verdict"] == "holds" and code == 0


def test_a_certificate_that_verifies_is_a_proof(verify: Any) -> None:
    own = PROVED.format(number=3, kind="INEQUALITY", scope="GENERAL", rung="PROOF", certificate={"one": [TRUE]})
    code, _, rows = verify(own=own)
    assert (code, rows["OWN-3"]["rung"], rows["OWN-3"]["verdict"]) == (0, "proof", "holds")


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (
            'claim("OWN-4", kind="identity", scope=Scope.TEXT, statement="", controls=[Control("a", dict(a=1))])',
            "kind='identity'",
        ),
        (
            'claim("OWN-4", kind=Kind.TABLE, scope="text", statement="", controls=[Control("a", dict(a=1))])',
            "scope='text'",
        ),
        (
            'claim("OWN-4", kind=Kind.TABLE, scope=Scope.TEXT, statement=None, controls=[Control("a", dict(a=1))])',
            "statement=None",
        ),
        ('claim("OWN-4", kind=Kind.TABLE, scope=Scope.TEXT, statement="", controls=["a"])', "controls[0]='a'"),
        ('claim("OWN-4", kind=Kind.TABLE, scope=Scope.TEXT, statement="", controls=3)', "controls=3"),
        ('claim("OWN-4", kind=Kind.TABLE, scope=Scope.TEXT, statement="", controls=[])', "without a control"),
        ('claim(4, kind=Kind.TABLE, scope=Scope.TEXT, statement="", controls=[Control("a", dict(a=1))])', "id=4"),
        (
            'claim("OWN-4", kind=Kind.TABLE, scope=Scope.TEXT, statement="", controls=[Control("a", "b")])',
            "changes='b'",
        ),
        (
            'claim("OWN-4", kind=Kind.TABLE, scope=Scope.TEXT, statement="", printed=3, controls=[Control("a", dict(a=1))])',
            "printed=3",
        ),
        (
            'claim("OWN-4", kind=Kind.TABLE, scope=Scope.TEXT, statement="", depends=[3], controls=[Control("a", dict(a=1))])',
            "depends[0]=3",
        ),
        ("this is no Python", "SyntaxError"),
        ("raise SystemExit(0)", "SystemExit"),
    ],
)
def test_a_malformed_file_is_named_and_the_others_run(verify: Any, head: str, words: str) -> None:
    body = f"\nbad = {head}(lambda a=0: found(True))\n" if head.startswith("claim") else f"\n{head}\n"
    code, output, rows = verify(bad=body, good=GOOD)
    assert code == 1 and rows["bad.py"]["verdict"] == "crash" and rows["OWN-1"]["verdict"] == "holds", output
    assert words in rows["bad.py"]["error"], rows["bad.py"]["error"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("Evidence('proof', Outcome.HOLDS, 'm', 1)", "rung='proof'"),
        ("Evidence(Rung.EXACT, 'holds', 'm', 1)", "outcome='holds'"),
        ("Evidence(Rung.EXACT, Outcome.HOLDS, 'm', 1.5)", "examined=1.5"),
        ("Evidence(Rung.EXACT, Outcome.HOLDS, 'm', 1, margin='big')", "margin='big'"),
        ("Evidence(Rung.EXACT, Outcome.HOLDS, 'm', 1, numbers=[1])", "numbers=[1]"),
        ("Evidence(Rung.PROOF, Outcome.HOLDS, 'm', 1, certificate='trust me')", "certificate='trust me'"),
        ("Evidence(Rung.EXACT, Outcome.HOLDS, 'm', 1, tightness=2)", "tightness=2"),
        ("Evidence(Rung.EXACT, Outcome.HOLDS, None, 1)", "method=None"),
        ("None", "NoneType instead of Evidence"),
    ],
)
def test_malformed_evidence_is_a_crash_of_its_own(verify: Any, answer: str, words: str) -> None:
    head = 'bad = claim("OWN-5", kind=Kind.TABLE, scope=Scope.TEXT, statement="", controls=[Control("a", dict(a=1))])'
    code, _, rows = verify(bad=f"\n{head}(lambda a=0: {answer})\n", good=GOOD)
    assert code == 1 and rows["OWN-5"]["verdict"] == "crash" and rows["OWN-1"]["verdict"] == "holds"
    assert words in rows["OWN-5"]["error"], rows["OWN-5"]["error"]


def test_evidence_and_claims_check_themselves() -> None:
    with pytest.raises(ValueError, match="rung='proof' is not valid; expected one of Rung"):
        Evidence("proof", Outcome.HOLDS, "m", 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="claim X: check=3 cannot be called"):
        Claim("X", Kind.TABLE, Scope.TEXT, "", 3, (Control("a", {"a": 1}),), {})  # type: ignore[arg-type]


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid"), reason="needs a folder that refuses files")
def test_results_that_are_not_written_are_not_silent(
    own_claims: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fltheory.evidence import store

    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "write_text", full)
    folder = own_claims(good=GOOD)
    done = CliRunner().invoke(
        main, ["verify", "--path", str(folder), "--jobs", "1", "--output", str(tmp_path / "out.json")]
    )
    assert done.exit_code == 3, done.output
    assert "results were not written to out.json: No space left on device" in done.output
    assert "(results were not written)" in done.output
