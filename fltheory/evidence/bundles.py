"""Claims that are the conjunction of other rows: a theorem that has its orders and its conditions in rows of their own.

The verdict of a bundle is derived in the ledger from the verdicts of the rows that it names
(:func:`fltheory.evidence.verdicts.conjunction`), whenever one of them changes.  What a bundle checks by itself is that
every piece of the print is judged by one of these rows, and that no part can be exchanged for a worse verdict, or left
out, without the verdict of the whole becoming as bad.  The printed proof is judged apart, by ``proof_steps``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fltheory.evidence.model import Claim, Control, Evidence, Kind, Outcome, Rung, Scope, Verdict
from fltheory.evidence.verdicts import HOLDING, WORST_FIRST, conjunction

Rule = Callable[[Sequence[str], Mapping[str, str]], Verdict]
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Bundle(Claim):
    """A claim whose verdict is the conjunction of the verdicts of other rows."""

    bundles: tuple[str, ...] = ()


def parts_of(claim: Claim | None) -> tuple[str, ...]:
    """The rows that a bundle names; none for another claim."""
    return claim.bundles if isinstance(claim, Bundle) else ()


def _of_the_best(parts: Sequence[str], verdicts: Mapping[str, str]) -> Verdict:
    """The rule that a bundle must not follow."""
    return max((Verdict(verdicts.get(part, Verdict.OPEN.value)) for part in parts), key=WORST_FIRST.index)


RULES: Mapping[str, Rule] = {"worst part": conjunction, "best part": _of_the_best}


def _exchanged(parts: Sequence[str], rule: Rule) -> tuple[int, list[str]]:
    """How often a part's verdict was exchanged or left out, and where the verdict of the whole did not follow."""
    holding = {part: Verdict.HOLDS.value for part in parts}
    count, faults = 0, []
    for part in parts:
        for verdict in WORST_FIRST:
            found = rule(parts, {**holding, part: verdict.value})
            count += 1
            if found is not verdict:
                faults.append(f"{part} {verdict.value}, all others hold: the whole would be {found.value!r}")
        without = rule(parts, {name: verdict for name, verdict in holding.items() if name != part})
        count += 1
        if without in HOLDING:
            faults.append(f"{part} has no row, all others hold: the whole would be {without.value!r}")
    return count, faults


def bundle(
    id: str,
    *,
    pieces: Sequence[str],
    parts: Mapping[str, str],
    kind: Kind,
    statement: str,
    summary: str,
    source: str,
    proof_steps: Sequence[str] = (),
    assumptions: Sequence[str] = (),
    headline: str = "",
) -> Bundle:
    """A claim that is the conjunction of rows.

    Parameters
    ----------
    pieces : what the print consists of, as transcribed from the document.
    parts : piece -> id of the row (or of the claim with readings or parts) that judges it; further parts may be named.
    proof_steps : ids of the rows that judge the printed proof; they do not count for the statement.

    Raises
    ------
    ValueError : fewer than two parts, or a part that is the bundle itself.
    """
    if len(parts) < 2 or id in parts.values():
        raise ValueError(f"parts={dict(parts)} of {id}: expected at least two rows other than itself")

    def check(parts: Pairs, rule: str) -> Evidence:
        judged = dict(parts)
        open_ = [piece for piece in pieces if piece not in judged]
        count, faults = _exchanged(list(judged.values()), RULES[rule])
        faults = [f"no row judges {piece!r} of {source}" for piece in open_] + faults
        return Evidence(
            Rung.READING,
            Outcome.REFUTED if faults else Outcome.HOLDS,
            "Conjunction of the rows named, derived in the ledger: wrong if one is wrong, ambiguous if one is ambiguous, "
            "not refuted if one is only not refuted, open if one has no verdict, and holds if all hold. The printed proof "
            "is judged apart, by its steps.",
            examined=len(pieces) + count,
            numbers=judged,
            counterexample="; ".join(faults[:2]),
            would_settle="the verdicts of the rows named",
        )

    pairs: Pairs = tuple(parts.items())
    return Bundle(
        id=id,
        kind=kind,
        scope=Scope.GENERAL,
        statement=statement,
        check=check,
        controls=(
            *(
                Control(f"without the row on: {piece}", {"parts": tuple(pair for pair in pairs if pair[0] != piece)})
                for piece in pieces
            ),
            Control("as good as its best part", {"rule": "best part"}),
        ),
        printed={"parts": pairs, "rule": "worst part"},
        summary=summary,
        assumptions=tuple(assumptions),
        source=source,
        proof_steps=tuple(proof_steps),
        bundles=tuple(parts.values()),
        headline=headline,
    )
