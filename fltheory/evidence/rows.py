"""From a claim to a row: run it with its controls, derive the verdict, and apply the rules that every row must keep.

A row is a plain dict that survives JSON unchanged.  Its ``status`` is ``done``, ``crash`` or ``timeout``; what is wrong
with a row that was done (a control that survived, a missing repair ...) is listed in ``problems``, and a row with
problems fails the run.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
import time
import traceback
from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

from fltheory.evidence.bundles import Bundle
from fltheory.evidence.model import (
    LOWEST_RUNG,
    Claim,
    Control,
    Evidence,
    Fault,
    Kind,
    Outcome,
    Rung,
    Tightness,
    Verdict,
    verdict_of,
)
from fltheory.evidence.reads import digests, reading
from fltheory.files import noting
from fltheory.theory.record import Confirmed, recording

SCHEMA = 1
Row = dict[str, Any]


def jsonable(value: object) -> Any:
    """A value in JSON's own types: exact numbers and expressions become text, arrays become lists.

    Floats that JSON does not know (infinities, NaN) become text as well.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return jsonable(dataclasses.asdict(value))
    if isinstance(value, Mapping):
        return {str(jsonable(key)): jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((jsonable(item) for item in value), key=str)
    if hasattr(value, "free_symbols"):
        return str(value)
    if hasattr(value, "tolist"):
        return jsonable(value.tolist())
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, complex):
        return [jsonable(value.real), jsonable(value.imag)]
    return str(value)


def last_line(error: BaseException) -> str:
    """The last line of a traceback with the place it came from, without folder names."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    text = traceback.format_exception_only(error)[-1].strip()
    return without_paths(text) + place


def without_paths(text: str) -> str:
    """The text with the names of the home, working and package folders replaced by ``.`` and ``~``."""
    for folder, sign in ((Path(__file__).resolve().parents[2], "."), (Path.cwd(), "."), (Path.home(), "~")):
        if len(str(folder)) > 1:
            text = text.replace(str(folder), sign)
    return text


def _margin_problem(what: str, evidence: Evidence) -> str:
    if evidence.margin is None:
        return ""
    if evidence.outcome is Outcome.REFUTED and evidence.margin > 0:
        return f"{what}: refuted, but its margin {evidence.margin:.3g} is positive"
    if evidence.outcome is Outcome.HOLDS and evidence.margin < 0:
        return f"{what}: holds, but its margin {evidence.margin:.3g} is negative"
    return ""


def _control_row(claim: Claim, control: Control) -> tuple[Row, list[str], Evidence | None]:
    row: Row = {"name": control.name, "must": control.must, "outcome": "crash", "margin": None, "satisfied": False}
    try:
        evidence = claim.run_control(control)
        if not isinstance(evidence, Evidence):
            raise TypeError(f"the check returned {type(evidence).__name__} instead of Evidence")
    except Exception as error:
        return {**row, "detail": last_line(error)}, [f"control {control.name!r} crashed: {last_line(error)}"], None
    satisfied = control.satisfied_by(evidence)
    row.update(outcome=evidence.outcome.value, margin=jsonable(evidence.margin), satisfied=satisfied)
    row["detail"] = evidence.counterexample
    problems = [_margin_problem(f"control {control.name!r}", evidence)]
    if not satisfied:
        wanted = "be refuted" if control.must == "fail" else "pass"
        problems.append(f"control {control.name!r} had to {wanted} and came out as {evidence.outcome.value}")
    return row, [problem for problem in problems if problem], evidence


def declared(claim: Claim, *, document: str) -> Row:
    """The part of a row that the script states and no run is needed for."""
    return {
        "schema": SCHEMA,
        "id": claim.id,
        "document": document,
        "kind": claim.kind.value,
        "scope": claim.scope.value,
        "statement": claim.statement,
        "summary": claim.summary,
        "source": claim.source,
        "assumptions": list(claim.assumptions),
        "depends": list(claim.depends),
        "proof_steps": list(claim.proof_steps),
        "repair": claim.repair,
        "quick": claim.quick,
        "headline": claim.headline,
        "elsewhere": claim.elsewhere,
        **({"bundles": list(claim.bundles)} if isinstance(claim, Bundle) else {}),
        **{name: jsonable(value) for name, value in _qualifications(claim).items() if value},
    }


def _qualifications(claim: Claim) -> Row:
    """What few rows have: the kind of fault, the hypothesis that is not printed, the distance of an analogue."""
    fault = Fault.HYPOTHESIS.value if claim.unprinted else claim.fault
    return {"fault": fault, "unprinted": claim.unprinted, "analogue": claim.analogue}


def nameless(row_id: str, document: str) -> Row:
    """The declared part of a row of which only the id is known."""
    return {
        "id": row_id,
        "document": document,
        "statement": "",
        "summary": "",
        "repair": "",
        "proof_steps": [],
        "depends": [],
    }


def row_of(claim: Claim, *, document: str) -> Row:
    """Run a claim as printed and under each control; never raises on account of the check.

    The verdict of a bundle is ``open`` here: it is for the ledger to derive it from other rows.

    Parameters
    ----------
    document : the document that the claim belongs to.
    """
    row = declared(claim, document=document)
    started = time.perf_counter()
    with noting() as read:
        return {**_run(row, claim, started), "data": sorted({path.name for path in read})}


def _run(row: Row, claim: Claim, started: float) -> Row:
    """The row of a claim that is executed now."""
    try:
        with recording() as confirmed, reading() as read:
            evidence = claim.run()
        if not isinstance(evidence, Evidence):
            raise TypeError(f"the check returned {type(evidence).__name__} instead of Evidence")
    except Exception as error:
        return {**row, **unfinished("crash", last_line(error)), "seconds": time.perf_counter() - started}
    try:
        row.update(states=digests(claim.about), reads=digests(read.values()))
        return _done(row, claim, evidence, confirmed, started)
    except Exception as error:
        return {**row, **unfinished("crash", last_line(error)), "seconds": time.perf_counter() - started}


def _tightness(tight: Tightness, rung: str) -> dict[str, Any]:
    """How sharp a constant is, which no row knows by stronger evidence than its own."""
    known = min(tight.rung, Rung(rung), key=lambda one: one.strength)
    return {"ratio": jsonable(float(tight.ratio)), "rung": known.value, "sharp": jsonable(tight.sharp)}


def _done(row: Row, claim: Claim, evidence: Evidence, confirmed: Sequence[Confirmed], started: float) -> Row:
    """The row of evidence that was found, with its controls and the rules that it breaks."""
    results = [_control_row(claim, control) for control in claim.controls]
    dropped = claim.unprinted.control if claim.unprinted else None
    without = next((found for control, _, found in results if control["name"] == dropped), None)
    elsewhere = claim.analogue is not None
    verdict = verdict_of(claim.scope, evidence, without=without, elsewhere=elsewhere)
    verdict = Verdict.OPEN if isinstance(claim, Bundle) else verdict
    row.update(
        status="done",
        outcome=evidence.outcome.value,
        verdict=verdict.value,
        rung=evidence.rung.value,
        method=evidence.method,
        examined=int(evidence.examined),
        margin=jsonable(evidence.margin),
        numbers=jsonable(evidence.numbers),
        counterexample=evidence.counterexample,
        valid_for=evidence.valid_for,
        would_settle=evidence.would_settle,
        certificate=jsonable(evidence.certificate),
        seeds=jsonable(evidence.seeds),
        controls=[control for control, _, _ in results],
        problems=[_margin_problem("as printed", evidence)] if _margin_problem("as printed", evidence) else [],
        error="",
    )
    if evidence.rung is Rung.PROOF:
        from fltheory.evidence.kept_steps import standing

        row.update(standing(row["certificate"], evidence, confirmed), derived=_told(evidence.certificate))
    row["tightness"] = evidence.tightness and _tightness(evidence.tightness, row["rung"])
    row["problems"] += [problem for _, problems, _ in results for problem in problems] + _rules(row)
    row["seconds"] = time.perf_counter() - started
    return row


def _told(certificate: object) -> Row | None:
    """What the derivations in a certificate say of themselves; nothing where another certificate stands beside them."""
    from fltheory.derivation.told import told
    from fltheory.evidence.certificates import certificates_in

    every = list(certificates_in(certificate))
    valued = [one for one in every if one.get("type") == "valued"]
    every = [one["derivation"] if one in valued else one for one in every]
    derivations = [one for one in every if str(one.get("format", "")).startswith("fltheory derivation")]
    if not derivations or derivations != every:
        return None
    found = told(derivations)
    values = {f"{name} = {text}": None for one in valued for name, text in one["values"].items()}
    where = {one["relations"]["text"].partition(" for ")[2]: None for one in valued}
    found["hypotheses"] += [one for one in values if one not in found["hypotheses"]]
    return {**found, "valid_for": "; ".join([found["valid_for"], *where])}


def unfinished(status: str, error: str) -> Row:
    """The result part of a row whose check did not end (``crash`` or ``timeout``)."""
    return {
        "status": status,
        "verdict": status,
        "rung": "",
        "outcome": "",
        "controls": [],
        "error": error,
        "margin": None,
        "problems": [error] if status == "crash" else [],
    }


_HOLDING_AS_PRINTED = (Verdict.HOLDS.value, Verdict.LOOSE.value, Verdict.LOOSE_SEARCHED.value)


def _rules(row: Mapping[str, Any]) -> list[str]:
    """The rules that can be judged from one row alone."""
    problems = []
    if row["outcome"] == Outcome.REFUTED.value:
        if not row["repair"]:
            problems.append("refuted as printed, but no repair names the row of the corrected statement")
        if not any(control["must"] == "pass" for control in row["controls"]):
            problems.append("refuted as printed, but no control shows that the repaired form passes the same check")
        if not row.get("fault"):
            problems.append(f"refuted as printed, but fault names none of {', '.join(kind.value for kind in Fault)}")
    elif row.get("fault") and not row.get("unprinted"):
        problems.append(f"fault={row['fault']!r}, but the printed statement was not refuted")
    if row.get("unprinted") and row["verdict"] in _HOLDING_AS_PRINTED:
        problems.append(f"holds, and no evaluated instance breaks it under control {row['unprinted']['control']!r}")
    lowest = LOWEST_RUNG[Kind(row["kind"])]
    reason = f"{row['would_settle']}{row.get('remark', '')}"
    settled = row["verdict"] == Verdict.WRONG.value  # a counterexample settles a claim of any kind
    if not settled and Rung(row["rung"]).strength < lowest.strength and not reason.strip():
        problems.append(f"rung {row['rung']!r} is below {lowest.value!r}, and would_settle is empty")
    return problems


def link_problems(row: Mapping[str, Any], known: Collection[str]) -> list[str]:
    """References of a row to rows that do not exist; ``known`` holds the ids of rows and of claims of the list."""
    problems = []
    if row["repair"] and row["repair"] not in known:
        problems.append(f"repair names {row['repair']}, which is no row")
    for name in ("proof_steps", "depends", "bundles"):
        problems += [f"{name} names {step}, which is no row" for step in row.get(name, ()) if step not in known]
    return problems
