"""``fltheory claim new``, expected verdicts, and what ``verify --path`` says of files that are no claims."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fltheory.cli import main
from fltheory.evidence.expected import expecting
from fltheory.evidence.ids import index
from fltheory.evidence.new_claims import prefix_of, write_claims

CLAIM = """
@claim("{id}", kind=Kind.TABLE, scope=Scope.TEXT, statement="1 + 1 = {two}", printed=dict(two={two}),
       controls=[Control("another", dict(two={other}), must="{must}")])
def own(two):
    return found(1 + 1 == two)
"""


def good(number: int) -> str:
    return CLAIM.format(id=f"OWN-{number}", two=2, other=3, must="fail")


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
    return done.exit_code, done.output


@pytest.fixture
def verified(tmp_path: Path) -> Callable[[Path], tuple[int, str, dict[str, Any]]]:
    def verify(folder: Path, *options: str) -> tuple[int, str, dict[str, Any]]:
        copy = tmp_path / "out.json"
        code, text = run("verify", "--path", str(folder), "--jobs", "1", "--output", str(copy), *options)
        return code, text, {row["id"]: row for row in json.loads(copy.read_text("utf-8"))["rows"]}

    return verify


def test_the_next_command_is_one_for_a_shell(tmp_path: Path) -> None:
    folder = tmp_path / "my claims"
    code, text = run("claim", "new", str(folder))
    assert code == 0 and text.splitlines()[-1] == f"now: fltheory verify --path '{folder}'"


def test_a_new_folder_runs_as_it_is_written(tmp_path: Path, verified: Any) -> None:
    folder = tmp_path / "my_claims"
    code, text = run("claim", "new", str(folder))
    assert code == 0 and (folder / "README.md").is_file() and "fltheory verify --path" in text
    assert not any(
        "PREFIX" in path.read_text("utf-8") or "FOLDER" in path.read_text("utf-8") for path in folder.iterdir()
    )
    code, text, rows = verified(folder)
    assert code == 0, text
    assert {name: (row["verdict"], row["rung"]) for name, row in rows.items()} == {
        "MY-STEP": ("holds", "proof"),
        "MY-ROUND": ("holds", "worst case"),
        "MY-LIMIT": ("wrong as printed", "proof"),
        "MY-RUNS": ("not refuted", "sample"),
        "MY-SHARES": ("holds", "reading"),
    }
    assert all(control["satisfied"] for row in rows.values() for control in row["controls"])
    assert text.startswith(
        "executing the code of 5 files in my_claims, with what they import: derivation.py, refuted.py"
    )
    assert "as its author expects: x = 9/4" in text
    code, text = run("show", "--path", str(folder), "MY-STEP")
    assert code == 0 and "holds (proof)" in text and "F is convex" in text and "a tenth of it: refuted" in text
    code, text = run("list", "--path", str(folder))
    assert code == 0 and len(text.splitlines()) == 5


def test_nothing_is_overwritten_and_ids_are_ones_own(tmp_path: Path) -> None:
    folder = tmp_path / "li"
    assert write_claims(folder)[0].parent == folder and prefix_of("li") == "OWNLI"
    before = {path: path.read_bytes() for path in folder.iterdir()}
    code, text = run("claim", "new", str(folder))
    assert code == 2 and "exists" in text and before == {path: path.read_bytes() for path in folder.iterdir()}
    for prefix in ("LI", "a b", "1/2"):
        code, text = run("claim", "new", str(tmp_path / "other"), "--prefix", prefix)
        assert code == 2 and f"prefix={prefix!r}" in text and not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("expects", "two", "code", "words"),
    [
        ("wrong as printed", 3, 0, "as its author expects: 1 + 1 = 2"),
        ("wrong as printed", 2, 1, "verdict 'holds'; its author expects 'wrong as printed'"),
        ("holds", 3, 1, "verdict 'wrong as printed'; its author expects 'holds'"),
        ("", 3, 1, "refuted: 1 + 1 = 2; if that is expected, say @expecting('wrong as printed')"),
    ],
)
def test_an_expected_refutation_is_no_problem(
    own_claims: Any, verified: Any, expects: str, two: int, code: int, words: str
) -> None:
    head = "\nfrom fltheory.evidence.expected import expecting\n" + (f"\n@expecting({expects!r})" if expects else "")
    body = CLAIM.format(id="OWN-1", two=two, other=5 - two, must="pass" if two == 3 else "fail")
    found, text, rows = verified(own_claims(bet=head + body, good=good(2)))
    assert found == code and words in text and rows["OWN-2"]["verdict"] == "holds", text


def test_an_expected_refutation_needs_its_control(own_claims: Any, verified: Any) -> None:
    head = "\nfrom fltheory.evidence.expected import expecting\n\n@expecting('wrong as printed')"
    code, text, _ = verified(own_claims(bet=head + CLAIM.format(id="OWN-1", two=3, other=4, must="fail")))
    assert code == 1 and "no control shows that the repaired form passes" in text


def test_expectations_are_verdicts_of_claims() -> None:
    with pytest.raises(ValueError, match="expected one of holds"):
        expecting("refuted")
    with pytest.raises(ValueError, match="stands above the decorator"):
        expecting("holds")(lambda: None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "place", "words"),
    [
        ("\nx = (1,\n", "bad.py:8", "SyntaxError"),
        ("\nimport no_such_module\n", "bad.py:8", "ModuleNotFoundError"),
        (good(3) + good(3), "bad.py", "function own is defined twice (bad.py:10 and bad.py:15)"),
        (
            good(3) + good(3).replace("def own", "def other"),
            "bad.py",
            "claim OWN-3 is defined twice in bad.py (lines 8 and 13)",
        ),
        (
            CLAIM.format(id=next(iter(index())), two=2, other=3, must="fail"),
            "bad.py:8",
            "an id of the package's own claims",
        ),
        (good(1), "bad.py:8", "is defined in a_good.py:8 as well"),
        (good(3).replace('[Control("another", dict(two=3), must="fail")]', "[]"), "bad.py:8", "without a control"),
        (good(3).replace("return found(1 + 1 == two)", "return 1 + 1 == two"), "bad.py:8", "bool instead of Evidence"),
        (good(3).replace("return found(1 + 1 == two)", "return 1 / 0"), "bad.py:8", "ZeroDivisionError"),
    ],
)
def test_a_malformed_file_is_named_with_its_line(
    own_claims: Any, verified: Any, body: str, place: str, words: str
) -> None:
    code, text, rows = verified(own_claims(bad=body, a_good=good(1)))
    told = [line for line in text.splitlines() if "PROBLEM" in line]
    assert code == 1 and len(told) == 1 and place in told[0] and words in told[0], text
    assert rows["OWN-1"]["verdict"] == "holds"


def test_many_files_are_counted(own_claims: Any) -> None:
    folder = own_claims(**{f"c{number:02}": good(number) for number in range(12)})
    code, text = run(
        "verify", "--path", str(folder), "OWN-1", "--json", "--jobs", "1", "--output", str(folder / "o.json")
    )
    assert code == 0 and json.loads(text[text.index("{") :])["exit_code"] == 0
    assert "executing the code of 12 files in own" in text and "c09.py, and 2 more" in text
