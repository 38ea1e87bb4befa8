"""One end for the checks of this wing: the steps of a proof, the instances that were evaluated, and the words of the evidence."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fltheory.evidence import certificates
from fltheory.evidence.algebra import by_relations
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import Search
from fltheory.evidence.in_mean import InMean, hypothesis_names
from fltheory.evidence.in_mean_instances import broken
from fltheory.evidence.kept_steps import keep
from fltheory.evidence.model import Claim, Control, Evidence, Rung, Tightness
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Witness
from fltheory.theory.steps import Instance, Proof, Step


def settle(
    steps: Sequence[Step], found: Search | Iterable[Instance] | Callable[[], Iterable[Instance]], **words: Any
) -> Evidence:
    """Evidence from the steps of a proof and from a search, or from instances of ``left <= right``.

    ``words`` here and below: what :func:`fltheory.evidence.decide.decide` is told besides.

    Raises
    ------
    ValueError : every step holds and an instance violates the statement.
    """
    proof = Proof(tuple(steps))
    if isinstance(found, Search):  # what a search found is no count of steps and instances
        kept = {"steps": [step.name for step in steps]} if proof.complete else None
        return decide((proof.complete, proof.gap), found, certificate=kept, **words)
    return decide(proof, found if callable(found) else lambda: found, **words)


def by_steps(steps: Sequence[Step], counterexample: Callable[[], str | Tried], **words: Any) -> Evidence:
    """Evidence from steps alone, without a certificate; the instance is asked for only where the proof stops."""
    gap = next((step for step in steps if not step.verified), None)
    found = counterexample() if gap is not None else ""
    text = "" if isinstance(found, Tried) else found
    tried = Tried(1, text, -1.0, f"a counterexample; the proof stops at {gap.name}") if gap and text else Tried()
    return decide(tuple(steps), found if isinstance(found, Tried) else tried, **{"would_settle": "a proof", **words})


def for_every_constant(steps: Sequence[Step], rounds: Relations, words: str) -> Tried:
    """Steps that show how many rounds are needed, and a statement that these are more than every constant times an order."""
    if not (all(step.verified for step in steps) and rounds.proof[0]):
        return Tried(1)
    kept = keep(steps, ())
    certificate = None if kept.missing else {"rounds": rounds.certificate, "steps": list(kept.steps)}
    prose = "Words join the steps, by which so many rounds are needed, to the comparison with every constant times the order."
    return Tried(len(steps) + 1, f"{words}: {rounds.text}", -1.0, certificate=certificate, prose=prose)


def attained(where: str, ratio: float = 1.0) -> Tightness:
    """The constant is proved to be sharp, or ``ratio`` times too large; ``where`` says by what."""
    return Tightness(ratio, Rung.PROOF, where)


def worst_of(found: Iterable[Search]) -> Search:
    """The search with the smallest slack."""
    return min(found, key=lambda search: search.worst)


def together(found: Sequence[Search]) -> Search:
    """Several searches as one, with the first counterexample."""
    text = next((search.counterexample for search in found if search.counterexample), "")
    return Search(sum(search.examined for search in found), worst_of(found).worst, text)


def if_proved(steps: Sequence[Step], instance: Callable[[], str]) -> str:
    """The instance where the lower bound behind it is proved, else nothing."""
    return instance() if all(step.verified for step in steps) else ""


def false_algebra(
    id: str,
    stated: Relations,
    *,
    true: Mapping[str, tuple[str, str]],
    group: Callable[..., Any],
    says: str = "",
    prose: str = "",
    **words: Any,
) -> Claim:
    """The claim of a statement of algebra that an instance breaks; with each piece replaced (``true``) it must pass."""
    controls = [Control(name, dict(text=stated.changed(*change).text), must="pass") for name, change in true.items()]
    made = group(id, statement=(says, stated), printed=dict(text=stated.text), controls=controls, **words)
    claim: Claim = made(lambda text: by_relations(stated.with_text(text), prose=prose))
    return claim


def lines_in_mean(
    id: str,
    *lines: InMean,
    false: Mapping[str, tuple[str, str]] | None = None,
    true: Mapping[str, tuple[str, str]] | None = None,
    without: Mapping[str, str] | None = None,
    group: Callable[..., Any],
    says: str = "",
    tightness: Tightness | None = None,
    valid_for: str = "",
    broken_at: Witness | None = None,
    **words: Any,
) -> Claim:
    """The claim of statements about vectors and averages that stand together, such as the links of a chain.

    ``false`` and ``true``: names of controls that must be refuted or pass, each with a piece of the lines, or of what they
    declare, and what takes its place.  ``without``: names of controls, each with the hypothesis that is dropped.
    ``broken_at``: the instance that breaks the lines as they are printed, which is evaluated and kept.
    """

    def check(texts: Sequence[tuple[str, str]], dropped: str) -> Evidence:
        every = [replace(line, text=text, things=things) for line, (text, things) in zip(lines, texts, strict=True)]
        every = [line.without(dropped) if dropped in hypothesis_names(line.uses) else line for line in every]
        open_lines = [line for line in every if not line.proof[0]]
        tried = [broken(line, None if open_lines else 40 // len(lines)) for line in open_lines or every]
        if not open_lines and not all(count for count, _, _ in tried):
            raise ValueError(f"{id}: no instance is known that meets the hypotheses of one of {[*texts]}")
        _, text, margin = next((one for one in tried if one[1]), (0, "", 0.0))
        found = Tried(max(1, sum(count for count, _, _ in tried)), text, margin)
        if broken_at is not None and broken_at.refutes and open_lines and texts == printed:
            found = Tried(1, broken_at.text, broken_at.margin, certificate=certificates.witness(broken_at))
        where = valid_for or "; ".join(line.where for line in every if line.where)
        return by_derivation([line.derived for line in every], found, tightness=tightness, valid_for=where)

    def changed(old: str, new: str) -> tuple[tuple[str, str], ...]:
        if not any(old in text for line in printed for text in line):
            raise ValueError(f"{id}: {old!r} does not occur")
        return tuple((text.replace(old, new), things.replace(old, new)) for text, things in printed)

    printed = tuple((line.text, line.things) for line in lines)
    controls = [Control(name, dict(texts=changed(*change))) for name, change in (false or {}).items()]
    controls += [Control(name, dict(texts=changed(*change)), must="pass") for name, change in (true or {}).items()]
    controls += [Control(name, dict(dropped=hypothesis)) for name, hypothesis in (without or {}).items()]
    pieces = [says, lines[0], *(piece for line in lines[1:] for piece in (r",\quad ", line))]
    made = group(id, statement=pieces, printed=dict(texts=printed, dropped=""), controls=controls, **words)
    claim: Claim = made(check)
    return claim
