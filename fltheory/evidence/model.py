"""What a claim is, what evidence is, and which verdict follows from which evidence.

A claim is a program: ``check(**printed)`` returns :class:`Evidence`; ``check(**{**printed, **control.changes})``
runs the same code on the claim with one named change.  Nothing in this module computes anything about
federated optimisation, and no verdict is ever written down by hand: :func:`verdict_of` derives it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fltheory.evidence.found import Evidence as Evidence
from fltheory.evidence.found import Tightness as Tightness
from fltheory.evidence.found import require_kind
from fltheory.evidence.parameters import guarded
from fltheory.evidence.qualified import Analogue as Analogue
from fltheory.evidence.qualified import Unprinted as Unprinted
from fltheory.evidence.sentences import headline_problem
from fltheory.evidence.stated import Linked, Stated, Statement, objects_of, printed_from
from fltheory.evidence.terms import LOWEST_RUNG as LOWEST_RUNG
from fltheory.evidence.terms import Fault as Fault
from fltheory.evidence.terms import Kind as Kind
from fltheory.evidence.terms import Outcome as Outcome
from fltheory.evidence.terms import Rung as Rung
from fltheory.evidence.terms import Scope as Scope
from fltheory.evidence.terms import Verdict as Verdict

if TYPE_CHECKING:
    import sympy as sp


@dataclass(frozen=True)
class Control:
    """The same claim with one named change, run through the same code.

    ``must="fail"``: the change makes the claim false and the check must refute it.
    ``must="pass"``: for claims that are refuted as printed; the repaired form must pass the same code, which
    shows that the check does not refute whatever it is given.
    """

    name: str
    changes: Mapping[str, object]
    must: str = "fail"

    def __post_init__(self) -> None:
        if self.must not in ("fail", "pass"):
            raise ValueError(f"must={self.must!r} of control {self.name!r} is neither 'fail' nor 'pass'")
        require_kind("name", self.name, str, "a text that says what a control changes")
        require_kind("changes", self.changes, Mapping, "a mapping of printed arguments to their changed values")
        if not self.changes:
            raise ValueError(f"control {self.name!r} changes nothing")

    def satisfied_by(self, evidence: Evidence) -> bool:
        """Whether the check did with the changed claim what it had to do."""
        if self.must == "fail":
            return evidence.outcome in (Outcome.REFUTED, Outcome.NOT_REPRODUCED)
        return evidence.outcome in (Outcome.HOLDS, Outcome.NOT_REFUTED)


@dataclass(frozen=True)
class Claim:
    """One row of the ledger and the program that fills it.  Made by the decorator :func:`claim`.

    ``about`` are the objects that its statement is printed from; ``proves`` says of each whether it is what the check proves.
    """

    id: str
    kind: Kind
    scope: Scope
    statement: str
    check: Callable[..., Evidence]
    controls: tuple[Control, ...]
    printed: Mapping[str, object]
    summary: str = ""
    assumptions: tuple[str, ...] = ()
    depends: tuple[str, ...] = ()
    source: str = ""
    proof_steps: tuple[str, ...] = ()
    repair: str = ""
    quick: bool = True
    fault: str = ""
    unprinted: Unprinted | None = None
    analogue: Analogue | None = None
    headline: str = ""
    elsewhere: str = ""
    about: tuple[Statement, ...] = ()
    proves: tuple[Callable[..., Linked], ...] = ()
    prose: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id.strip() or not self.id.isprintable():
            raise ValueError(f"id={self.id!r} is no id; expected one line of text, such as 'OWN-1'")
        try:
            self._check_kinds()
        except ValueError as error:
            raise ValueError(f"claim {self.id}: {error}") from None

    def _check_kinds(self) -> None:
        require_kind("kind", self.kind, Kind, "one of Kind, such as Kind.INEQUALITY")
        require_kind("scope", self.scope, Scope, "one of Scope, such as Scope.GENERAL")
        for name in ("statement", "summary", "source", "repair", "headline", "elsewhere", "prose"):
            require_kind(name, getattr(self, name), str, "a text")
        if problem := headline_problem(self.headline):
            raise ValueError(problem)
        if not callable(self.check):
            raise ValueError(f"check={self.check!r} cannot be called; expected a function that returns Evidence")
        for number, control in enumerate(self.controls):
            require_kind(f"controls[{number}]", control, Control, "a Control(name, changes)")
        for name in ("assumptions", "depends", "proof_steps"):
            for number, item in enumerate(getattr(self, name)):
                require_kind(f"{name}[{number}]", item, str, "a text")
        if not all(isinstance(name, str) for name in self.printed):
            raise ValueError(f"printed={dict(self.printed)!r} is not valid; expected names of arguments of the check")
        require_kind("quick", self.quick, bool, "True or False")
        self._check_qualifications()

    def _check_qualifications(self) -> None:
        kinds = [fault.value for fault in Fault]
        if self.fault and self.fault not in kinds:
            raise ValueError(f"fault={self.fault!r} is no kind of fault; expected one of {', '.join(kinds)}")
        require_kind("unprinted", self.unprinted, (Unprinted, type(None)), "an Unprinted(hypothesis, control), or None")
        if self.unprinted and not any(c.must == "fail" and c.name == self.unprinted.control for c in self.controls):
            raise ValueError(f"unprinted names {self.unprinted.control!r}, which is no control that must fail")
        require_kind("analogue", self.analogue, (Analogue, type(None)), "an Analogue, or None")
        if self.analogue and self.scope is not Scope.EXPERIMENT:
            raise ValueError(f"analogue is for experiments, and scope={self.scope.value!r}")

    def run(self) -> Evidence:
        """Execute the claim as printed.  Where its statement is another one than the check's, nothing is found about it."""
        reasons = [step.reason for step in (link(**self.printed) for link in self.proves) if not step.verified]
        if reasons:
            return _of_another(reasons[0])
        found = self.check(**self.printed)
        if not self.prose or not isinstance(
            found, Evidence
        ):  # what is no evidence is refused, with its type, by the runner
            return found
        return replace(found, prose="; ".join(filter(None, (found.prose, self.prose))))

    def run_control(self, control: Control) -> Evidence:
        """Execute the claim with the control's change."""
        return self.check(**{**self.printed, **control.changes})


def _of_another(reason: str) -> Evidence:
    """A check of another statement than the one that is printed would say nothing of it, whatever it found."""
    return Evidence(
        Rung.EXACT,
        Outcome.NOT_REFUTED,
        f"What is examined is not what is stated: {reason}.",
        1,
        would_settle="a check of the statement as it stands",
    )


def claim(
    id: str,
    *,
    kind: Kind,
    scope: Scope,
    statement: Stated,
    controls: Sequence[Control],
    printed: Mapping[str, object] | None = None,
    summary: str = "",
    assumptions: Sequence[str] = (),
    depends: Sequence[str] = (),
    source: str = "",
    proof_steps: Sequence[str] = (),
    repair: str = "",
    quick: bool = True,
    fault: str = "",
    unprinted: Unprinted | None = None,
    analogue: Analogue | None = None,
    headline: str = "",
    elsewhere: str = "",
    prose: str = "",
    where: Mapping[sp.Symbol, sp.Expr] | None = None,
    proves: Callable[..., Linked] | Sequence[Callable[..., Linked]] = (),
) -> Callable[[Callable[..., Evidence]], Claim]:
    """Turn a check function into a :class:`Claim`.

    Parameters
    ----------
    id : ledger id; ``ID[reading]`` for a reading, ``ID.1`` for a part, ``ID-R1`` repaired, ``ID-S1`` sharpened.
    statement : the object that is stated, such as a bound of ``fltheory.theory``; its LaTeX is printed, and the check is about
        it (:func:`fltheory.theory.states.states`).  LaTeX as text for readings and reruns; several pieces for an object with
        words beside it.
    printed : keyword arguments with which ``check`` is the claim as printed; controls override some of them.
    controls : at least one; see :class:`Control`.
    summary : the claim in plain words, for the ledger table and for people who do not read LaTeX.
    assumptions : hypotheses of a statement that is not derived; a derivation tells its own.
    depends : rows that the check takes as given, where no record sees it; see :mod:`fltheory.evidence.edges`.
    source : place in the document ("Lemma 3", "eq. (13)").
    proof_steps : ids of the rows that judge the steps of the printed proof of this claim.
    repair : id of the row that carries the corrected statement; needed when the printed one is refuted.
    quick : whether the check belongs to ``verify --quick`` (well under a second).
    fault : what kind of fault the print has (a word of :class:`Fault`); needed when the printed statement is refuted.
    unprinted : the hypothesis that the statement needs and the print leaves out, with the control that drops it.
    analogue : for an experiment run on other data, model or size: the distance in what matters.
    headline : the claim, or what became of it, said to a stranger: see :func:`~fltheory.evidence.sentences.headline_problem`.
    elsewhere : what is known of the statement in other publications.
    prose : what joins the certificate that is kept to the sentence, where that is words: the row says ``steps``, with these words.
    where : names of quantities in the LaTeX of a bound, with their definitions: see :mod:`~fltheory.evidence.naming`.
    proves : from the printed arguments, whether the object stated is what the check proves with them
        (:func:`fltheory.theory.states.proves`); where it is not, the evidence is about another statement and says so.

    Raises
    ------
    ValueError : no controls; a headline that is too long or has a formula in it; anything of another kind than named above.
    """
    if not controls:
        raise ValueError(f"claim {id}: a check without a control cannot be trusted to fail")
    for name, given in (
        ("controls", controls),
        ("assumptions", assumptions),
        ("depends", depends),
        ("proof_steps", proof_steps),
    ):
        require_kind(f"claim {id}: {name}", given, (tuple, list), "a tuple or a list")
    require_kind(f"claim {id}: printed", printed, (Mapping, type(None)), "a mapping of arguments of the check")
    try:
        text = printed_from(statement, where)
    except ValueError as error:
        raise ValueError(f"claim {id}: {error}") from None

    def decorate(check: Callable[..., Evidence]) -> Claim:
        return Claim(
            id=id,
            kind=kind,
            scope=scope,
            statement=text,
            about=objects_of(statement),
            proves=(proves,) if callable(proves) else tuple(proves),
            check=guarded(check, id, printed or {}, [one.changes for one in controls if isinstance(one, Control)]),
            controls=tuple(controls),
            printed=dict(printed or {}),
            summary=summary,
            assumptions=tuple(assumptions),
            depends=tuple(depends),
            source=source,
            proof_steps=tuple(proof_steps),
            repair=repair,
            quick=quick,
            fault=fault,
            unprinted=unprinted,
            analogue=analogue,
            headline=headline,
            elsewhere=elsewhere,
            prose=prose,
        )

    return decorate


_GENERAL_RUNGS = (Rung.PROOF, Rung.WORST_CASE)
_INSTANCE_RUNGS = (Rung.PROOF, Rung.WORST_CASE, Rung.EXACT)


def verdict_of(
    scope: Scope, evidence: Evidence, *, without: Evidence | None = None, elsewhere: bool = False
) -> Verdict:
    """The verdict that evidence earns for a statement of this scope.

    A general statement earns ``holds`` on proof or worst case only, a statement about named instances on exact
    evaluation or better, a statement about the text by reading, an experiment by a rerun.  Anything else that was
    not broken is ``not refuted``.  A refutation of a text or of an experiment is read on the same terms.

    Parameters
    ----------
    without : evidence of the same check without a hypothesis that the print leaves out.  What holds with it and is refuted
        by an evaluated instance without it earns ``holds, hypothesis not printed``.
    elsewhere : whether an experiment was run on other data, model or size than the document's: ``reproduced on an analogue``.
    """
    verdict = _plain_verdict(scope, evidence)
    if verdict not in (Verdict.HOLDS, Verdict.LOOSE, Verdict.LOOSE_SEARCHED):
        return verdict
    if without is not None and without.outcome is Outcome.REFUTED and without.rung in _INSTANCE_RUNGS:
        return Verdict.UNPRINTED
    return Verdict.ANALOGUE if elsewhere else verdict


def _plain_verdict(scope: Scope, evidence: Evidence) -> Verdict:
    """The verdict of evidence by itself."""
    if evidence.outcome is Outcome.NOT_CHECKABLE:
        return Verdict.NOT_CHECKABLE
    if evidence.outcome is Outcome.NOT_REPRODUCED:
        return Verdict.NOT_REPRODUCED
    if evidence.outcome is Outcome.REFUTED:
        return Verdict.WRONG if evidence.rung in (*_INSTANCE_RUNGS, Rung.READING) else Verdict.NOT_REPRODUCED
    if evidence.outcome is Outcome.NOT_REFUTED:
        return Verdict.NOT_REFUTED
    earned = {
        Scope.GENERAL: evidence.rung in _GENERAL_RUNGS,
        Scope.INSTANCE: evidence.rung in _INSTANCE_RUNGS,
        Scope.TEXT: True,
        Scope.EXPERIMENT: evidence.rung in (*_INSTANCE_RUNGS, Rung.RERUN),
    }[scope]
    if not earned:
        return Verdict.NOT_REFUTED
    if evidence.tightness is not None and evidence.tightness.ratio > 1 + 1e-9:
        return Verdict.LOOSE if evidence.tightness.rung in _INSTANCE_RUNGS else Verdict.LOOSE_SEARCHED
    return Verdict.HOLDS
