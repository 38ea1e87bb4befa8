"""One end for the checks of this wing: the steps of a proof, the instances that were evaluated, and the words of the evidence."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fltheory.evidence.algebra import by_relations
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.exact_search import Search
from fltheory.evidence.kept_steps import keep
from fltheory.evidence.model import Claim, Control, Evidence, Rung, Tightness
from fltheory.evidence.relations import Relations
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
