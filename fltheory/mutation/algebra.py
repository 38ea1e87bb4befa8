"""The mutants of statements that are their own proof: every number changed, and everything after ``for`` dropped in turn.

Statement and proof are one text, so that a change is judged by that text: no longer proved, or proved and therefore true.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

from fltheory.evidence.catalogue import claims_of, find_scripts, load, load_module
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.relation_text import chained, real_letters
from fltheory.evidence.relations import Relations
from fltheory.evidence.whole import whole_letters
from fltheory.mutation.mutants import CHANGES, Mutant
from fltheory.mutation.runs import LOOSE, NOTICED, STRONGER, UNDECIDED, WEAKER, Fate
from fltheory.mutation.targets import Target
from fltheory.workers import DONE, ERROR, TIMEOUT, Fork

#: Statements that are their own proof.
Text = Relations | InMean | Matrices


def algebra_targets(document: str, *, wanted: str = "") -> list[Target]:
    """A target for every row of a document whose statement is its own proof (``wanted``: of this id only)."""
    catalogue = load([script for script in find_scripts() if script.document == document])
    return [
        Target(document, row, stated, {row: str(catalogue.scripts[row].path)}, tuple(changed_texts(stated)))
        for row, claim in catalogue.claims.items()
        if wanted in ("", row)
        for stated in claim.about
        if isinstance(stated, Text)
    ]


def loose(target: Target) -> float:
    """How loose the row says that its statement is."""
    tightness = claims_of(load_module(Path(target.rows[target.name])))[target.name].run().tightness
    return tightness.ratio if tightness is not None else 1.0


def changed_texts(stated: Text) -> Iterator[Mutant]:
    """The text with one number changed, and without one of its conditions."""
    claims, where = stated.pieces
    seen = {stated.text}
    for pieces, others, front in ((claims, where, True), (where, claims, False)):
        for place, piece in enumerate(pieces):
            for new, words in _changed(piece):
                changed = [*pieces[:place], new, *pieces[place + 1 :]]
                text = _joined(changed, others) if front else _joined(others, changed)
                if text not in seen:
                    seen.add(text)
                    yield Mutant("text", text, words)
    for place, piece in enumerate(where):
        yield Mutant("text", _joined(claims, [*where[:place], *where[place + 1 :]]), f"without {piece}")


def _joined(claims: Sequence[str], where: Sequence[str]) -> str:
    return "; ".join(claims) + (f" for {'; '.join(where)}" if where else "")


def _changed(piece: str) -> Iterator[tuple[str, str]]:
    """A relation with each of its numbers changed in each way."""
    if " in " in piece or whole_letters(piece) or real_letters(piece):  # what a letter is
        return
    links = chained(piece, plain=False)
    sides, signs = [links[0][0], *(right for _, _, right in links)], [sign for _, sign, _ in links]
    for place, side in enumerate(sides):
        numbers = sum(isinstance(node, ast.Constant) for node in ast.walk(ast.parse(side, mode="eval")))
        for number in range(numbers):
            for name, change in CHANGES.items():
                tree = ast.parse(side, mode="eval")
                constant = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)][number]
                before = Fraction(ast.unparse(constant))
                value, constant.value = change(before), "MARK"
                written = f"({value})"
                new = [*sides[:place], ast.unparse(tree).replace("'MARK'", written), *sides[place + 1 :]]
                text = new[0] + "".join(f" {sign} {one}" for sign, one in zip(signs, new[1:], strict=True))
                yield text, f"{before} -> {value} in {piece} ({name})"


def algebra_fates(target: Target, mutants: Sequence[Mutant], seconds: float | None = None) -> Iterator[Fate]:
    """What becomes of some mutants of a statement of algebra, within ``seconds`` for each: a proof may take for ever.

    What is proved in that time is true, even if there is no time to see whether the printed statement implies it.
    """
    stated = target.key
    if not isinstance(stated, Text):
        raise TypeError(f"{target.name} is no statement with a text")

    def answer(task: tuple[str, Mutant]) -> tuple[float, str]:
        question, mutant = task
        if question == "proved":
            return _proof_of(stated, mutant)
        return loose(target) if question == "loose" else follows(stated, stated.with_text(str(mutant.value))), ""

    workers, by = [Fork(answer)], target.loose

    def ask(question: str, mutant: Mutant) -> tuple[float, str] | None:
        if not workers[-1].alive:
            workers.append(Fork(answer, tuple(workers)))
        found = workers[-1].ask((question, mutant), seconds)
        if found.status == ERROR:
            raise found.value
        if found.status not in (DONE, TIMEOUT):
            raise RuntimeError(f"a process of the mutants of {target.name} ended without an answer: {found.value}")
        told: tuple[float, str] = found.value
        return told if found.status == DONE else None

    try:
        for mutant in mutants:
            if holds_nowhere(str(mutant.value)):
                yield Fate(target, mutant, WEAKER, "its conditions hold nowhere")
                continue
            proof = ask("proved", mutant)
            if proof is None:
                yield Fate(target, mutant, UNDECIDED, f"more than {seconds or 0:g} s")
            elif not proof[0]:
                yield Fate(target, mutant, NOTICED, f"{target.name}: {proof[1]}"[:200])
            elif (ask("implied", mutant) or (False, ""))[0]:
                yield Fate(target, mutant, WEAKER, "the printed statement implies it")
            else:
                by = by or (ask("loose", mutant) or (1.0, ""))[0]
                words = f" and says loose by {by:g}" if by > 1 else " as well"
                yield Fate(target, mutant, LOOSE if by > 1 else STRONGER, f"{target.name} proves it{words}")
    finally:
        for worker in workers:
            worker.end()
            worker.close()


def holds_nowhere(text: str) -> bool:
    """Whether a condition of a text is a range without a number in it, such as ``1 <= a < 1``."""
    for piece in text.partition(" for ")[2].split(";"):
        parts = re.split(r"(<=|<)", piece)
        ends = [(place, Fraction(end)) for place, one in enumerate(parts[::2]) if (end := _number(one)) is not None]
        for (first, low), (last, high) in itertools.pairwise(ends):
            if low > high or (low == high and "<" in parts[2 * first + 1 : 2 * last : 2]):
                return True
    return False


def _number(text: str) -> str | None:
    """What stands there, if that is a number: mutants have theirs in brackets."""
    bare = text.strip().removeprefix("(").removesuffix(")")
    return bare if re.fullmatch(r"-?\d+(/\d+)?", bare) else None


def _proof_of(stated: Text, mutant: Mutant) -> tuple[bool, str]:
    """Whether the changed statement is proved, and why not."""
    try:
        return stated.with_text(str(mutant.value)).proof
    except ValueError as error:
        return False, str(error)


def follows(stated: Text, changed: Text) -> bool:
    """Whether a changed statement is shown to be implied: its conditions give the old ones, its relations are no sharper."""
    (claims, where), (new_claims, new_where) = stated.pieces, changed.pieces
    if not isinstance(stated, Relations) and claims != new_claims:  # about vectors or matrices
        return False
    needed = [f"{piece}" for piece in where if piece not in new_where]
    for old, new in zip(claims, new_claims, strict=True):
        if old != new:
            needed += [_no_sharper(one, two) for one, two in zip(chained(old), chained(new), strict=True)]
    try:
        return all(Relations(_joined([one], new_where)).proof[0] for one in needed)
    except ValueError:
        return False


def _no_sharper(old: tuple[str, str, str], new: tuple[str, str, str]) -> str:
    """That ``new`` allows at least what ``old`` does."""
    if old[1] in ("=", "!="):
        return f"({new[2]}) - ({new[0]}) = ({old[2]}) - ({old[0]})"
    sign = ">=" if old[1] in ("<=", "<") else "<="
    return f"({new[2]}) - ({new[0]}) {sign} ({old[2]}) - ({old[0]})"
