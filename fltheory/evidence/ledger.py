"""The ledger: one row of facts per claim and sub-row, derived from the kept evidence, in a fixed order.

Every claim of the list has a row.  A claim with readings or parts instead of a check of its own gets its verdict from
them, a bundle from the rows that it names; a claim without evidence is ``open``.  What a row ``depends`` on is what its script
types and what is computed (:mod:`fltheory.evidence.edges`).  A check that takes other rows as given holds only if they hold and
nothing among them rests on itself: otherwise its verdict is ``not refuted``, and ``found`` keeps what the check by itself found.
A row that is derived takes nothing as given; its hypotheses and ranges are those of the derivation, and what its script types of
them stands in ``beside``.  The verdict on the printed proof is the worst
verdict of the rows that judge its steps.  Rows hold no timings, keys or certificates, and numbers are kept to six
digits, so that the file changes only when a fact does.

``results/ledger/ledger.json`` is the one source of facts about claims that anything else reads: the command line,
``fltheory.claims``, and all texts for people (:mod:`fltheory.evidence.texts`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fltheory.evidence import ids
from fltheory.evidence.edges import Edges, computed_edges, self_contained
from fltheory.evidence.model import Fault, Outcome, Verdict
from fltheory.evidence.places import scripts_root
from fltheory.evidence.rows import SCHEMA, Row
from fltheory.evidence.sentences import NOT_TREATED, headline_of, headline_of_sub_rows, of_sub_rows
from fltheory.evidence.verdicts import HOLDING, conjunction, gravest, standing_worst, verdict_of_readings, worst

#: What the ledger takes over from a row of evidence.
FACTS = (
    "schema id document kind scope headline statement summary elsewhere source script assumptions depends bundles "
    "proof_steps repair quick fault unprinted analogue "
    "outcome verdict rung method examined margin numbers counterexample valid_for tightness would_settle seeds controls remark"
).split()


def rounded(value: object) -> Any:
    """Floats to six significant digits, in whatever they are nested, and names in one order: texts do not depend on the run."""
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, Mapping):
        return {key: rounded(item) for key, item in sorted(value.items())}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return value


def _facts(row: Mapping[str, Any], edges: Edges) -> Row:
    found = {**{name: rounded(row[name]) for name in FACTS if name in row}, "headline": headline_of(row)}
    found["depends"] = list(dict.fromkeys([*row.get("depends", []), *edges.rests_on]))
    found.update({"reads": edges.reads} if edges.reads else {})
    if row.get("derived"):
        typed = "; ".join(filter(None, [*row["assumptions"], row["valid_for"]]))
        found.update(assumptions=row["derived"]["hypotheses"], valid_for=row["derived"]["valid_for"], beside=typed)
    return found


def _blank(row_id: str, document: str, verdict: Verdict) -> Row:
    return {
        "schema": SCHEMA,
        "id": row_id,
        "document": document,
        "verdict": verdict.value,
        "rung": "",
        "headline": headline_of({"summary": NOT_TREATED}),
        "statement": "",
        "summary": NOT_TREATED,
        "proof_steps": [],
        "controls": [],
        "would_settle": "",
    }


def _loosest(rows: Iterable[Row]) -> Any:
    return max((row["tightness"] for row in rows if row.get("tightness")), key=lambda t: t["ratio"], default=None)


def _standing(row: Row, below: Sequence[Row], rows: Mapping[str, Row]) -> Row:
    """What a row takes over from the rows below it besides the verdict: the rung and the row that decide it, the kind of fault."""
    decides = standing_worst(below)
    ambiguous = row["verdict"] == Verdict.AMBIGUOUS.value
    faults = [child.get("fault", "") for child in below if ambiguous or child["verdict"] == row["verdict"]]
    fault = gravest(faults) or (Fault.READING.value if ambiguous else "")
    leaf = rows.get(decides.get("decided_by", decides["id"]), decides)
    return {"rung": leaf["rung"], "decided_by": leaf["id"], **({"fault": fault} if fault else {})}


def _derived(row_id: str, document: str, children: Sequence[Row], rows: Mapping[str, Row]) -> Row:
    """The row of a claim that is judged by its readings and parts only."""
    readings = [child for child in children if ids.is_reading(child["id"])]
    parts = [child["verdict"] for child in children if not ids.is_reading(child["id"])]
    own = [verdict_of_readings([child["verdict"] for child in readings]).value] if readings else []
    row = _blank(row_id, document, worst([*own, *parts]))
    row.update(_standing(row, children, rows))
    decides = rows.get(row["decided_by"], row)
    row["summary"], row["headline"] = of_sub_rows(children, decides), headline_of_sub_rows(children, decides)
    row["derived_from"] = [child["id"] for child in children]
    row["proof_steps"] = list(dict.fromkeys(step for child in children for step in child.get("proof_steps", [])))
    row["tightness"] = _loosest(children)
    reasons = [child["would_settle"] for child in children if child.get("would_settle")]
    if own == [Verdict.AMBIGUOUS.value]:
        named = "; ".join(f"{ids.suffix(child['id'])} {child['verdict']}" for child in readings)
        reasons.insert(0, f"a word of the authors on which reading is meant: {named}")
    row["would_settle"] = "; ".join(dict.fromkeys(reasons))
    return row


def _bundled(row: Row, parts: Sequence[Row | None], rows: Mapping[str, Row]) -> Row:
    """The row of a bundle with the verdict, the rung, the doubts and the looseness of its parts."""
    present = [part for part in parts if part]
    verdicts = {part["id"]: part["verdict"] for part in present}
    own = [] if row["outcome"] == Outcome.HOLDS.value else [Verdict.OPEN.value]
    reasons = [part["would_settle"] for part in present]
    reasons += [f"a row for {name}" for name in row["bundles"] if name not in verdicts]
    row = {**row, "verdict": worst([*own, conjunction(row["bundles"], verdicts).value]).value}
    standing = _standing(row, present, rows) if present else {"rung": "", "decided_by": row["id"]}
    return {
        **row,
        **standing,
        "part_verdicts": verdicts,
        "tightness": _loosest(present),
        "would_settle": "; ".join(dict.fromkeys(filter(None, reasons))),
    }


def structure_problems(row_ids: Iterable[str]) -> dict[str, str]:
    """Rows with a check of their own although readings or parts judge them, and rows of no listed claim."""
    present = set(row_ids)
    problems = {}
    for row_id in present:
        above = ids.parent(row_id)
        if above in present and ids.judges_parent(row_id):
            problems[str(above)] = f"has a check of its own as well as {row_id}; a claim has either a row or sub-rows"
        if ids.base(row_id) not in ids.index():
            problems[row_id] = "belongs to no claim of the list"
    return problems


def _doubts(
    rows: Mapping[str, Row], given: Mapping[str, Sequence[str]], children: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Rows that hold by their own check and rest on something that does not, with the reason.

    A row is sound when its own check holds and everything it takes as given is sound; a claim judged by sub-rows is sound
    when all of them are, a bundle when all of its parts are.  The least fixed point is taken, so that rows which rest on
    each other are not sound.
    """
    holding = {verdict.value for verdict in HOLDING}
    sound: set[str] = set()
    while True:
        more = {
            row_id for row_id, row in rows.items() if row["verdict"] in holding and sound.issuperset(given[row_id])
        } | {row_id for row_id, kin in children.items() if kin and all(child in sound for child in kin)}
        more |= {
            row_id
            for row_id, row in rows.items()
            if row.get("bundles") and row["outcome"] == Outcome.HOLDS.value and sound.issuperset(row["bundles"])
        }
        if more <= sound:
            break
        sound |= more
    doubts = {}
    for row_id, row in rows.items():
        if row["verdict"] in holding and row_id not in sound:
            missing = [premise for premise in given[row_id] if premise not in sound]
            doubts[row_id] = f"takes as given {', '.join(missing)}, which is not shown to hold"
    return doubts


def _unprinted_below(row: Row, rows: Mapping[str, Row]) -> list[str]:
    """Rows with a hypothesis that is not printed on which a row rests, at whatever depth."""
    found, left = set(), list(row.get("depends", []))
    while left:
        premise = left.pop()
        if premise in rows and premise not in found:
            found.add(premise)
            left += [*rows[premise].get("depends", []), *rows[premise].get("derived_from", [])]
    return ids.in_order(premise for premise in found if rows[premise].get("unprinted"))


def build_ledger(evidence: Mapping[str, Mapping[str, object]]) -> dict[str, Row]:
    """All rows of the ledger from rows of evidence by id."""
    done = {row_id: row for row_id, row in evidence.items() if row.get("status") == "done"}
    edges = computed_edges(done)
    rows = {row_id: _facts(row, edges[row_id]) for row_id, row in done.items()}
    wanted = set(rows) | set(ids.index())
    for row_id in rows:
        above = ids.parent(row_id)
        while above is not None:
            wanted.add(above)
            above = ids.parent(above)
    children: dict[str, list[str]] = {}
    for row_id in wanted:
        above = ids.parent(row_id)
        if above is not None and ids.judges_parent(row_id):
            children.setdefault(above, []).append(row_id)

    bundles = {row_id for row_id, row in rows.items() if row.get("bundles")}

    def settle(row_id: str) -> Row:
        if row_id in bundles:
            bundles.remove(row_id)  # until it is settled it is open, so that a bundle of itself stays open
            parts = [settle(part) if part in wanted else None for part in rows[row_id]["bundles"]]
            rows[row_id] = _bundled(rows[row_id], parts, rows)
        if row_id not in rows:
            document = ids.index().get(ids.base(row_id), "")
            family = [settle(child) for child in ids.in_order(children.get(row_id, []))]
            blank = _blank(row_id, document, Verdict.OPEN)
            rows[row_id] = _derived(row_id, document, family, rows) if family else blank
        return rows[row_id]

    found = {row_id: row["verdict"] for row_id, row in rows.items()}
    given = {row_id: [] if self_contained(row) else rows[row_id]["depends"] for row_id, row in done.items()}
    doubts = _doubts(rows, given, {row_id: kin for row_id, kin in children.items() if row_id not in rows})
    for row_id, doubt in doubts.items():
        row = rows[row_id]
        reasons = "; ".join(filter(None, [row["would_settle"], doubt]))
        row.update(verdict=Verdict.NOT_REFUTED.value, would_settle=reasons)
    for row_id in wanted:
        settle(row_id)
    for row_id, verdict in found.items():
        rows[row_id]["found"] = verdict
    for row in rows.values():
        steps = [rows[step]["verdict"] if step in rows else Verdict.OPEN.value for step in row["proof_steps"]]
        row["proof_verdict"] = worst(steps).value if steps else ""
        rests_on = _unprinted_below(row, rows)
        row.update({"rests_on_unprinted": rests_on} if rests_on else {})
    return {row_id: rows[row_id] for row_id in ids.in_order(wanted)}


def ledger_path(root: Path | None = None) -> Path:
    """The file of the ledger, below a checkout's root or where this package keeps its results."""
    return (root or scripts_root()) / "results" / "ledger" / "ledger.json"


def render_ledger(ledger: Mapping[str, Row]) -> str:
    """The text of ``ledger.json``: one row per line, with sorted keys."""
    rows = ",\n".join(json.dumps(row, sort_keys=True, ensure_ascii=False) for row in ledger.values())
    return f'{{"$schema": "schema.json", "rows": [\n{rows}\n]}}\n'


def read_ledger(path: Path | None = None) -> dict[str, Row]:
    """The ledger by row id; every claim ``open`` where the file does not exist yet."""
    path = path or ledger_path()
    if not path.is_file():
        return build_ledger({})
    return {row["id"]: row for row in json.loads(path.read_text(encoding="utf-8"))["rows"]}
