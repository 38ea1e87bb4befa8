"""Texts made of the ledger: every claim is found, every link leads somewhere, tables and formulas render."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import PurePosixPath
from typing import Any

import pytest

from fltheory.evidence import ids
from fltheory.evidence.ledger import build_ledger, read_ledger
from fltheory.evidence.model import Fault
from fltheory.evidence.places import checkout, scripts_root
from fltheory.evidence.show import describe_row, describe_rows
from fltheory.evidence.texts import findings, markdown, sharpened, tables
from fltheory.evidence.texts.errata import HEADS, errata, render_errata, render_errata_page
from fltheory.evidence.texts.files import file_problems, ledger_files, write_files
from fltheory.evidence.texts.pages import render_pages
from fltheory.evidence.texts.places import Places, page, section, sections

LEDGER = read_ledger()
TEXTS = {str(path): text for path, text in ledger_files(LEDGER).items() if path.suffix == ".md"}
FRONT = TEXTS["paper_checks.md"]


def row(row_id: str, verdict: str = "holds", **more: Any) -> dict[str, Any]:
    """A row of the committed ledger under another id and verdict."""
    fields = {**LEDGER["LI-LEM1"], "id": row_id, "document": ids.index()[ids.base(row_id)], "verdict": verdict}
    return {
        **fields,
        "status": "done",
        "tightness": None,
        "proof_steps": [],
        "depends": [],
        "repair": "",
        "headline": "",
        **more,
    }


def ledger(*rows: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return build_ledger({entry["id"]: entry for entry in rows})


def test_the_front_page_is_short_and_says_first_what_it_is() -> None:
    assert len(FRONT.encode()) < 150_000
    opening = FRONT.split("\n\n")[1].splitlines()
    assert len(opening) <= 12 and "612 claims" in " ".join(opening[:4])
    assert all(len(line) <= 130 for line in opening)
    assert "```" not in FRONT and "\\frac" not in FRONT


def test_every_claim_is_in_the_index_and_every_row_has_its_block() -> None:
    index = FRONT[FRONT.index("## Index of all claims") :]
    places = Places(LEDGER)
    for claim in ids.index():
        assert f"{places.link(claim)}" in index, claim
    blocks = sum(text.count("\n### `") for path, text in TEXTS.items() if path != "paper_checks.md")
    assert blocks == len(LEDGER)
    assert set(sections()) == set(ids.index())
    titles = {(page(LEDGER[claim]), section(claim)) for claim in ids.index()}
    assert len(titles) == len({path for path, _ in titles})


def test_a_claim_without_a_line_among_the_sections_has_a_page_all_the_same() -> None:
    entry = {**LEDGER["LI-LEM1"], "id": "NEW-1", "document": "new2030"}
    assert str(page(entry)) == "results/ledger/new2030/claims.md"
    assert Places({"NEW-1": entry}).link("NEW-1") == "[NEW-1](results/ledger/new2030/claims.md#new-1)"
    assert Places({}).link("NEW-1") == "`NEW-1`"


def _slug(heading: str) -> str:
    """The anchor that code hosts give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_every_link_leads_somewhere_and_no_two_rows_share_an_anchor() -> None:
    anchors = {}
    for path, text in TEXTS.items():
        named = re.findall(r'<a id="([^"]+)"></a>', text)
        assert len(named) == len(set(named)), path
        anchors[path] = {*named, *(_slug(heading) for heading in re.findall(r"^#+ (.*)$", text, re.M))}
    root = checkout()
    count = 0
    for path, text in TEXTS.items():
        for target in re.findall(r"(?<!\\)\]\(([^)\s]+)\)", text):
            file, _, anchor = target.partition("#")
            folder = PurePosixPath(path).parent
            parts: list[str] = []
            for part in (folder / file).parts if file else PurePosixPath(path).parts:
                parts = parts[:-1] if part == ".." else [*parts, part]
            goal = "/".join(parts)
            count += 1
            if anchor:
                assert anchor in anchors[goal], (path, target)
            elif goal not in anchors and root is not None and not goal.startswith("verify/"):
                assert (root / goal).is_file(), (path, target)
    assert count > 5000


def test_tables_are_sound_and_pages_of_a_readable_size() -> None:
    for path, text in TEXTS.items():
        assert len(text.encode()) < (250_000 if path == "docs/theorems.md" else 200_000), path
        width = None
        for line in text.splitlines():
            cells = line.replace(r"\|", "").count("|")
            if not line.startswith("|"):
                width = None
            elif width is None:
                width = cells
            assert not line.startswith("|") or cells == width, line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("|w*| <= a_1 + _b", r"\|w\*\| \<= a_1 + \_b"),
        ("1. no list", r"1\. no list"),
        ("- no item", r"\- no item"),
        ("T ~ n, [x] $5 `c`", r"T \~ n, \[x\] \$5 \`c\`"),
        ("two\nlines", "two lines"),
    ],
)
def test_signs_of_markdown_show_as_they_are(text: str, shown: str) -> None:
    assert markdown.plain(text) == shown


def test_findings_are_fifteen_of_different_claims_and_their_words_come_from_rows() -> None:
    assert set(findings.by_hand()) <= set(LEDGER)
    found = findings.findings(LEDGER)
    assert len(found) == len({ids.base(entry["id"]) for entry, _ in found}) == 15
    changed = {**LEDGER, "LI-LEM3": {**LEDGER["LI-LEM3"], "verdict": "not refuted", "summary": "Another sentence."}}
    assert "**not refuted**. Another sentence." in findings.render_findings(Places(changed))


def test_errata_are_listed_by_the_kind_of_fault_that_rows_name() -> None:
    wrong = row("LI-LEM3", "wrong as printed", repair="LI-LEM3-R1", outcome="refuted", fault="slip")
    unprinted = {"hypothesis": "samples are independent", "control": "one sample for all"}
    needs = row("LI-LEM2", "holds, hypothesis not printed", fault="missing hypothesis", unprinted=unprinted)
    found = ledger(wrong, needs, row("LI-LEM3-R1"))
    assert [entry["id"] for entry in errata(found, "li2020")] == ["LI-LEM2", "LI-LEM3"]
    text = render_errata_page(Places(found))
    front = render_errata(Places(found))
    assert "LI-LEM2" in front and "LI-LEM3" not in front and "with 1 slips" in front
    assert text.index(HEADS[Fault.HYPOTHESIS]) < text.index("LI-LEM2") < text.index(HEADS[Fault.SLIP])
    assert "Add: samples are independent." in text and "Corrected: [LI-LEM3-R1]" in text
    assert set(HEADS) == set(Fault)


def test_before_and_after() -> None:
    loose = row("LI-LEM1", "holds, loose", tightness={"ratio": 3.0, "rung": "proof", "sharp": "a third"})
    alone = [(before["id"], after) for before, after in sharpened.sharpened(ledger(loose))]
    assert alone == [("LI-LEM1", [])]
    text = sharpened.render_sharpened(Places(ledger(loose, row("LI-LEM1-S1", summary="The sharp one."))))
    assert "| 3 |" in text or "| 3.0 |" in text
    assert "The sharp one" in text and "a third" not in text


def test_a_block_begins_with_the_statement_and_names_what_rests_on_it() -> None:
    rows = ledger(row("LI-LEM1", summary="In words."), row("LI-LEM2", depends=["LI-LEM1"]))
    page = next(text for path, text in render_pages(rows).items() if path.name == "appendix-a.md")
    block = page[page.index('<a id="li-lem1">') : page.index('<a id="li-lem2">')]
    positions = [
        block.index(word) for word in ("```math", "In words.", "**Verdict: holds**", "- Controls", "fltheory verify")
    ]
    assert positions == sorted(positions)
    assert "- Rests on it: [LI-LEM2](#li-lem2)" in block and "](../../../verify/li2020/lemma_1/statement.py)" in block


def test_show_says_the_statement_first_then_the_verdict_why_the_script_and_what_it_rests_on() -> None:
    text = describe_row(LEDGER["LI-EQ13"])
    names = [line.split()[0] for line in text.splitlines()[1:]]
    assert names[:5] == ["headline", "statement", "in", "verdict", "why"]
    assert text.index("  script ") < text.index("  rests on ") and "LI-LEM1" in text
    family = [entry for row_id, entry in LEDGER.items() if ids.base(row_id) == "LI-MIX"]
    assert "it follows from LI-MIX[" in describe_rows(family)
    assert json.loads(describe_rows(family, as_json=True)) == family


def _violations(value: Any, schema: Any, place: str = "") -> list[str]:
    """The part of JSON schema that ours uses."""
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}
    found: list[str] = []
    known = {"type", "enum", "minLength", "maxLength", "minimum", "properties", "required", "additionalProperties"}
    assert set(schema) <= known | {"items", "dependentRequired", "$schema", "title"}, schema
    if "enum" in schema and value not in schema["enum"]:
        return [f"{place}: {value!r} is none of {schema['enum']}"]
    if "type" in schema:
        wanted = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        fits = any(value is None if kind == "null" else isinstance(value, kinds[kind]) for kind in wanted)
        if not fits or (isinstance(value, bool) and "boolean" not in wanted):
            return [f"{place}: {value!r} is no {schema['type']}"]
    if isinstance(value, str) and len(value) < schema.get("minLength", 0):
        found.append(f"{place} is empty")
    if isinstance(value, str) and len(value) > schema.get("maxLength", len(value)):
        found.append(f"{place} has more than {schema['maxLength']} characters")
    if isinstance(value, int) and value < schema.get("minimum", value):
        found.append(f"{place}: {value} is too small")
    if isinstance(value, dict):
        properties, more = schema.get("properties", {}), schema.get("additionalProperties", {})
        found += [f"{place} has no {name}" for name in schema.get("required", []) if name not in value]
        for name, needed in schema.get("dependentRequired", {}).items():
            found += [f"{place} has no {other}" for other in needed if name in value and other not in value]
        for name, item in value.items():
            if name in properties or more is not False:
                found += _violations(item, properties.get(name, more), f"{place}.{name}")
            else:
                found.append(f"{place}.{name} is unknown")
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            found += _violations(item, schema["items"], f"{place}[{number}]")
    return found


def test_the_ledger_follows_its_schema() -> None:
    folder = scripts_root() / "results" / "ledger"
    schema = json.loads((folder / "schema.json").read_text())
    assert schema == tables.schema()
    document = json.loads((folder / "ledger.json").read_text())
    assert _violations(document, schema) == []
    for name, value in (("verdict", "true"), ("examined", 0), ("id", ""), ("more", 1), ("margin", [])):
        assert _violations({"rows": [{**LEDGER["LI-LEM1"], name: value}]}, schema), name
    long = _violations({"rows": [{**LEDGER["LI-LEM1"], "headline": 91 * "x"}]}, schema)
    assert long == [".rows[0].headline has more than 90 characters"]
    short = {name: value for name, value in LEDGER["LI-LEM1"].items() if name != "found"}
    assert _violations({"rows": [short]}, schema) == [".rows[0] has no found"]


def test_the_csv_has_a_line_per_row() -> None:
    lines = list(csv.DictReader(io.StringIO(tables.render_csv(LEDGER))))
    assert [line["id"] for line in lines] == list(LEDGER)
    for line in lines:
        entry = LEDGER[line["id"]]
        assert (line["verdict"], line["statement"]) == (entry["verdict"], entry["statement"])
        assert line["margin"] == ("" if entry.get("margin") is None else str(entry["margin"]))


def test_files_that_differ_are_missing_or_are_too_many_are_named(tmp_path: Any) -> None:
    rows = ledger(row("LI-LEM1"))
    assert write_files(tmp_path, rows) and file_problems(tmp_path, rows) == []
    assert not write_files(tmp_path, rows)
    folder = tmp_path / "results" / "ledger"
    (tmp_path / "paper_checks.md").write_text("edited")
    (folder / "li2020" / "appendix-a.md").unlink()
    (folder / "old").mkdir()
    (folder / "old" / "page.md").write_text("stray")
    assert sorted(file_problems(tmp_path, rows)) == [
        "paper_checks.md is not what the kept evidence gives",
        "results/ledger/li2020/appendix-a.md is not what the kept evidence gives",
        "results/ledger/old/page.md is no file of the ledger",
    ]
    write_files(tmp_path, rows)
    assert file_problems(tmp_path, rows) == [] and not (folder / "old").exists()
