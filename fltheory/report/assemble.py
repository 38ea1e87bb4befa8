"""The report's file: the pages, the style, the script and the records of all claims, packed into one HTML text.

Records are compressed (gzip, then base64) and unpacked by the browser (``DecompressionStream``): the formulas of all
documents are some megabytes of MathML that compress tenfold.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from pathlib import Path

from fltheory.evidence import ids
from fltheory.evidence.ledger import read_ledger
from fltheory.evidence.places import scripts_root
from fltheory.evidence.rows import Row
from fltheory.evidence.store import DAMAGED, read_evidence
from fltheory.evidence.texts.places import title
from fltheory.report.data import dependants, ordered, premises, record
from fltheory.report.font import face
from fltheory.report.graph import focus_graph
from fltheory.report.live import live_bounds
from fltheory.report.maths import mathml
from fltheory.report.sheets import overview, sheet
from fltheory.report.trees import derivation_tree

#: What a record of the export holds; the page writes this schema beside the data.
EXPORTED = "id document section source headline verdict found proof rung kind fault repair statement".split()


def _part(name: str) -> str:
    return (resources.files("fltheory.report") / name).read_text(encoding="utf-8")


def _packed(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(text, 9, mtime=0)).decode()


def build_report(documents: Sequence[str] = (), own: Mapping[str, Row] | None = None) -> str:
    """The report as the text of one HTML file; the same bytes from the same results.

    Parameters
    ----------
    documents : names of documents, all where none is given.
    own : rows of one's own claims (:func:`fltheory.evidence.own_rows.own_rows`) in place of the ledger's.

    Raises
    ------
    ValueError
        for a name that no document has, and for a statement that cannot be set.
    """
    ledger = dict(read_ledger()) if own is None else dict(own)
    known = list(ids.documents()) if own is None else list(dict.fromkeys(row["document"] for row in ledger.values()))
    for name in documents:
        if name not in known:
            raise ValueError(f"no document {name!r}; one of: {', '.join(known)}")
    chosen = [name for name in known if not documents or name in documents]
    # an installed package has no kept evidence: its report has no derivation trees
    kept = ledger if own is not None else {n: r for n, r in read_evidence(scripts_root()).items() if not r[DAMAGED]}
    carried = dependants(ledger)
    rows = ordered(ledger, chosen)
    present = {row["id"] for row in rows}
    bounds = live_bounds() if own is None else {}
    records = []
    for row in rows:
        rests = [name for name in premises(row, ledger) if name in present]
        carries = [name for name in carried[row["id"]] if name in present]
        records.append(
            {
                **record(row),
                "math": mathml(row["statement"]) if row["statement"] else "",
                "graph": focus_graph(row["id"], rests, carries, ledger),
                "rests": rests,
                "carries": carries,
                "tree": derivation_tree(kept.get(row["id"], {}).get("certificate")),
                "live": bounds.get(row["id"]),
            }
        )
    shared = {name: ledger[name] for name in ledger if name in present}
    data = {"titles": {name: title(name) for name in chosen}, "exported": EXPORTED, "claims": records}
    values = {
        "STYLE": face() + _part("style.css"),
        "SCRIPT": _part("script.js"),
        "OVERVIEW": overview(chosen, shared),
        "SHEETS": "".join(sheet(name, shared) for name in chosen),
        "CHOICES": "".join(f'<option value="{name}">{escape(title(name))}</option>' for name in chosen),
        "NOTE": ""
        if kept
        else " Made from an installed package, which keeps no derivations: claims have no trees here.",
        "DATA": _packed(data),
    }
    text = _part("page.html")
    for name, value in values.items():
        text = text.replace(f"@@{name}@@", value, 1)
    return text


def write_report(path: Path, documents: Sequence[str] = (), own: Mapping[str, Row] | None = None) -> int:
    """Write the report and return its size in bytes; the file is replaced at once or not at all.

    Raises
    ------
    ValueError
        as :func:`build_report`.
    OSError
        if the file cannot be written.
    """
    from fltheory.files import written_whole

    text = build_report(documents, own)
    with written_whole(path) as file:
        file.write(text)
    return len(text.encode())
