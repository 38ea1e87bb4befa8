"""``paper_checks.md``: what this is, what was found, where to look.

Everything comes from the rows of the ledger, so the file changes only when a fact changes.  It holds one line per claim
and no formula; the full rows are on the pages that it links to.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from fltheory.evidence import ids
from fltheory.evidence.model import Rung, Verdict
from fltheory.evidence.places import results_folder
from fltheory.evidence.rows import Row
from fltheory.evidence.texts.asserted import asserted_sentence
from fltheory.evidence.texts.errata import render_errata
from fltheory.evidence.texts.findings import render_findings
from fltheory.evidence.texts.markdown import link, plain, table
from fltheory.evidence.texts.places import Places, page, section, title
from fltheory.evidence.texts.words import has_check
from fltheory.evidence.verdicts import HOLDING

_OPENING = """# Paper checks

Five documents on federated learning are read line by line. Every theorem, proof step, table and figure that can be
checked is a claim; a program proves the claim, bounds it, or refutes it with a counterexample and says what is right.
{found}
Where to look: the [fifteen findings](#the-fifteen-findings-that-matter-most) first; [what is wrong](#errata), gravest
first; [what was sharpened](results/ledger/sharpened.md), before and after; the [index](#index-of-all-claims) of claims.
Every id leads to its full row, with the command that reproduces it on your machine. `ID[reading]` is one reading of a print
that allows several, `ID.1` a part, `ID-R1` a corrected and `ID-S1` a sharpened statement, `ID-U1` where the print's use fails.
A statement and its printed proof are judged apart. Each check must also refute the same claim, spoilt on purpose.
For machines: [ledger.json](results/ledger/ledger.json), [ledger.csv](results/ledger/ledger.csv) and their
[schema](results/ledger/schema.json). All of this is written by `fltheory verify --write`; edit nothing by hand.

| verdict | meaning |
|---|---|
| holds | a general statement with a proof, whole or in steps, or a certified worst case; one about named instances evaluated |
| holds, loose by x | the same, and a constant smaller by the factor x holds too |
| holds, up to x loose (searched) | the same, where the smaller constant was only searched for |
| holds, hypothesis not printed | true with a hypothesis that the print leaves out; an instance breaks it without that |
| reproduced on an analogue | an experiment seen again on other data, model or size; the row says how far from the print |
| not refuted | evaluated, searched or sampled; neither proved nor broken |
| wrong as printed | there is a counterexample; the corrected statement has a row of its own, the kind of fault a name |
| ambiguous | readings of the print differ in verdict |
| not reproduced, not checkable here | needs what cannot be had here; the row says what would settle it |
| open | not treated yet |
"""


def _opening(ledger: Mapping[str, Row]) -> str:
    verdicts = Counter(ledger[claim]["verdict"] for claim in ids.index())
    holding = sum(verdicts[verdict.value] for verdict in HOLDING - {Verdict.UNPRINTED})
    number = {verdict: verdicts[verdict.value] for verdict in Verdict}
    found = (
        f"Of {len(ids.index())} claims {holding} hold, {number[Verdict.UNPRINTED]} hold with a hypothesis that is not printed, "
        f"{number[Verdict.WRONG]} are wrong as printed,\n{number[Verdict.AMBIGUOUS]} ambiguous (readings differ in verdict), "
        f"{number[Verdict.ANALOGUE]} were reproduced on an analogue, {number[Verdict.NOT_REPRODUCED]} not reproduced,\n"
        f"{number[Verdict.NOT_CHECKABLE]} cannot be checked here, {number[Verdict.NOT_REFUTED]} are not refuted (nor proved) and "
        f"{number[Verdict.OPEN]} open. What each word means: [one rule](docs/verdicts.md)."
    )
    return _OPENING.format(found=found)


def _count(rows: Sequence[Row], field: str, words: Sequence[str], name: str) -> str:
    """A table of how many rows of each document have each word in a field."""
    found = Counter((row["document"], row[field]) for row in rows)
    lines = []
    for document in ids.documents():
        numbers = [found[document, word] for word in words]
        lines.append([link(document, f"#{document}"), *map(str, numbers), str(sum(numbers))])
    totals = [sum(found[document, word] for document in ids.documents()) for word in words]
    lines.append(["all", *map(str, totals), str(sum(totals))])
    return table(["document", *words, name], lines)


def _counts(places: Places) -> str:
    ledger = places.ledger
    claims = [ledger[claim] for claim in ids.index()]
    checks = [row for row in ledger.values() if has_check(row) and not row.get("bundles")]
    by_verdict = _count(claims, "verdict", [verdict.value for verdict in Verdict], "claims")
    by_rung = _count(checks, "rung", [rung.value for rung in Rung], "rows")
    tables = (
        f"Claims by verdict:\n\n{by_verdict}\nRows with a check of their own, by how they were checked:\n\n{by_rung}"
        + (f"\n{guarded}" if (guarded := _guarded()) else "")
    )
    return f"## Counts\n\n{tables}\n{_RUNGS}{asserted_sentence(places)}"


_RUNGS = """`proof`: one certificate of the whole statement is kept, and `fltheory verify --check` verifies it without the script.
`steps`: every step of the proof is kept and verified so; that they make up the proof is prose, for a reader to judge.
`asserted`: the script computed a proof or a counterexample, and not all of it is kept in a form that is verified without it.
"""


def _guarded() -> str:
    """How many bounds that were changed on purpose their rows noticed, as ``fltheory mutate all --write`` counted them."""
    path = results_folder() / "mutation" / "statements.json"
    if not path.is_file():
        return ""
    score: dict[str, dict[str, int]] = json.loads(path.read_text(encoding="utf-8"))["score"]
    words = list(next(iter(score.values()), {}))
    lines = [[link(document, f"#{document}"), *(str(row[word]) for word in words)] for document, row in score.items()]
    counts = table(["document", *words], lines)
    return f"Bounds with one number changed or one hypothesis dropped, and whether their rows noticed:\n\n{counts}"


def _index(places: Places) -> str:
    """Every claim of the list with a link, by document, section and verdict."""
    groups: dict[str, dict[str, dict[str, list[str]]]] = {}
    for claim in ids.index():
        row = places.ledger[claim]
        by_section = groups.setdefault(row["document"], {})
        by_section.setdefault(section(claim), {}).setdefault(row["verdict"], []).append(claim)
    texts = ["## Index of all claims\n"]
    for document, by_section in groups.items():
        texts.append(f'<a id="{document}"></a>\n\n### {plain(title(document))}\n')
        for name, verdicts in by_section.items():
            first = places.ledger[next(iter(verdicts.values()))[0]]
            lines = [
                f"- {word.value}: {places.links(verdicts[word.value])}" for word in Verdict if word.value in verdicts
            ]
            texts.append(f"{link(name, str(page(first)))}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(texts)


def render_front(ledger: Mapping[str, Row]) -> str:
    """The whole text of ``paper_checks.md``."""
    places = Places(ledger)
    sections = [_opening(ledger), _counts(places), render_findings(places), render_errata(places)]
    return "\n".join([*sections, _index(places)])
