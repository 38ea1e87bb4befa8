"""A folder of one's own claims in a report of its own: run, with derivations, counterexamples and commands."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("latex2mathml")

from fltheory.cli import main  # noqa: E402
from fltheory.evidence.new_claims import write_claims  # noqa: E402


def test_a_folder_of_claims_is_reported(tmp_path: Path) -> None:
    write_claims(tmp_path / "mine", None)
    page = tmp_path / "mine.html"
    done = CliRunner().invoke(main, ["report", "--path", str(tmp_path / "mine"), "--output", str(page)])
    assert done.exit_code == 0, done.output
    assert "executing the code of 5 files in mine" in done.output
    text = page.read_text("utf-8")
    packed = re.search(r'<script id="data"[^>]*>([^<]*)</script>', text)
    assert packed
    data = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    claims = {claim["id"]: claim for claim in data["claims"]}
    assert data["titles"] == {"mine": "mine"} and len(claims) == 5
    step, limit = claims["MINE-STEP"], claims["MINE-LIMIT"]
    assert step["verdict"] == "holds" and step["rung"] == "proof" and step["tree"]["ends"] and "<math" in step["math"]
    assert limit["verdict"] == "wrong as printed" and dict(limit["details"])["Counterexample"]
    assert "fltheory verify --path" in dict(step["details"])["Reproduce"]
    assert "<h3>Refuted (1)</h3>" in text and "LI-LEM3" not in text


@pytest.mark.parametrize(("folder", "words"), [("nowhere", "nowhere"), ("empty", "empty")])
def test_what_is_no_folder_of_claims_is_refused(folder: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = CliRunner().invoke(main, ["report", "--path", str(tmp_path / folder), "--output", str(tmp_path / "x.html")])
    assert done.exit_code == 2 and words in done.output and not (tmp_path / "x.html").exists()
