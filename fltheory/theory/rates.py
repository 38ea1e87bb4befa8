"""Rate theorems as data: a bound of ``fltheory.theory``, what its symbols are, and every hypothesis in one vocabulary.

The bound that is evaluated is the object that the document's wing proves.  Its conditions that are relations are checked in
the vocabulary's names; its conditions that are words must each be matched by hypotheses (``premises``), or the theorem is
refused when it is first used, so that no printed hypothesis is forgotten.  ``needs`` are those that the print leaves to the
setting (weights 1/N, a smooth objective named in the text before).

A document registers its theorems by a tuple ``RATES`` in ``fltheory/theory/<document>/rate_theorems.py`` and its name in
:data:`DOCUMENTS`, or in :data:`PAPERS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fltheory.problems.checks import check_choice
from fltheory.theory.bound import Bound
from fltheory.theory.hypotheses import Decision, Hypothesis, Inequality, MethodIs, NotKnown, ServerLoss
from fltheory.theory.hypotheses.quantities import parsed
from fltheory.theory.hypotheses.steps import evaluated

if TYPE_CHECKING:  # readings and simulation are needed only where something is computed
    from fltheory.theory.settings import RateSetting

#: Documents with a module ``rate_theorems``, in the order in which their theorems are listed.
DOCUMENTS = ("li2020", "lecture2022", "mixed2022", "fedlama2021", "elastic2023")
#: Papers beyond the documents; no row of the ledger judges their theorems.
PAPERS = ("khaled2020", "karimireddy2020", "stich2019", "mitra2021", "nesterov2004")
#: What is known of the constants of a bound.
CHECKED = "a bound of a document, with a row of the ledger"
RECALLED = "constants as published, not compared with the print word by word"
SUMMED = "one round as published, summed; constants not compared with the print"
STANDARD = "textbook"
#: What is bounded, by short name; theorems with one name bound the same number.
MEASURES: Mapping[str, str] = {
    "gap": "E F(w_R) - F* of the last model",
    "squared distance": "E |w_R - w*|^2 of the last model",
    "distance": "root of E |w_R - w*|^2 of the last model",
    "mean gap": "mean of E F(w_r) - F* over the R + 1 models",
    "mean gap, rounds": "mean of E F(w_r) - F* over the R models from which rounds begin",
    "weighted gap, mu e/2": "mean of E F(w_r) - F* over the R + 1 models, with weights (1 - mu e/2)^(-r)",
    "weighted gap, 3 mu e/2": "mean of E F(w_r) - F* over the R + 1 models, with weights (1 - 3 mu e/2)^(-r)",
    "gap of the mean, rounds": "E F(w) - F* at the mean w of the R + 1 models",
    "gap of the mean": "E F(w) - F* at the mean w of the averages of the local points over all local steps",
    "gap of the weighted mean": "E F(w) - F* at the mean w of the averages of the local points, weights (a + t)^2",
    "mean square, models": "mean of E |grad F(w_r)|^2 over the R + 1 models",
    "mean square, rounds": "mean of E |grad F(w_r)|^2 over the R models from which rounds begin",
    "mean square, steps": "mean of E |grad F|^2 at the average of the local points before each local step",
    "least square": "least E |grad F(w_r)|^2 over the R + 1 models",
}
Form = Literal["printed", "sharpened", "repaired"]


@dataclass(frozen=True, eq=False)
class RateTheorem:
    """A theorem on the rate of a method.

    ============== =========================================================================================================
    field          meaning
    ============== =========================================================================================================
    ``key``        "document.name", unique
    ``title``      as a reader would cite it
    ``where``      the :class:`Bound`, or the place of one: "document:module.NAME" as ``bounds_of(document)`` lists it
    ``measure``    a key of :data:`MEASURES`
    ``method``     the method's name, see :class:`MethodIs`
    ``values``     the bound's symbols as expressions in the vocabulary
    ``premises``   the bound's conditions in words, each with the hypotheses that say the same
    ``needs``      hypotheses beside
    ``claim``      the row of the ledger that judges it
    ``form``       "printed", "sharpened" or "repaired"
    ``of``         key of the printed theorem of which this is another form
    ``server_loss`` whether the objective has a loss of the server
    ``constants``  what is known of its constants
    ============== =========================================================================================================

    Raises
    ------
    ValueError : an unknown measure, form or name; when it is first used: a condition of the bound without a hypothesis.
    """

    key: str
    title: str
    where: Bound | str
    measure: str
    method: str
    values: Mapping[str, str]
    premises: Mapping[str, tuple[Hypothesis, ...]] = field(default_factory=dict)
    needs: tuple[Hypothesis, ...] = ()
    claim: str = ""
    form: Form = "printed"
    of: str = ""
    server_loss: bool = False
    constants: str = CHECKED

    def __post_init__(self) -> None:
        check_choice("measure", self.measure, tuple(MEASURES))
        check_choice("form", self.form, ("printed", "sharpened", "repaired"))
        for text in self.values.values():
            parsed(text)

    @property
    def document(self) -> str:
        """The first part of the key."""
        return self.key.split(".")[0]

    @cached_property
    def bound(self) -> Bound:
        """The bound's object."""
        if isinstance(self.where, Bound):
            return self.where
        from fltheory.theory import bounds_of

        document, place = self.where.split(":")
        found: Bound = bounds_of(document)[place]
        return found

    @cached_property
    def row(self) -> str:
        """The ledger row: ``claim``, else the first that the bound names; empty for a paper beyond the documents."""
        return self.claim or (self.bound.ids[0] if self.bound.ids else "")

    @cached_property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """All of them: objective and method first, then words, then relations; none twice."""
        forgotten = [words for words in self.bound.premises if words not in self.premises]
        if forgotten:
            raise ValueError(f"{self.key}: no hypothesis stands for the condition {forgotten[0]!r}")
        stray = [words for words in self.premises if words not in self.bound.premises]
        if stray:
            raise ValueError(f"{self.key}: {stray[0]!r} is no condition of the bound")
        words = [one for group in self.premises.values() for one in group]
        first: list[Hypothesis] = [MethodIs(self.method), ServerLoss(self.server_loss)]
        return tuple(dict.fromkeys([*first, *self.needs, *words, *self.relations]))

    @cached_property
    def relations(self) -> tuple[Inequality, ...]:
        """The bound's conditions that are relations, the document's own among them, in the names of the vocabulary."""
        found = []
        for condition in self.bound._relations:  # its own, and the document's
            tied = condition.relation.subs(self._tied(condition.relation), simultaneous=True)
            found.append(Inequality(condition.words, tied))
        return tuple(found)

    def _tied(self, expression: Any) -> dict[Any, Any]:
        missing = sorted(s.name for s in expression.free_symbols if s.name not in self.values)
        if missing:
            raise ValueError(f"{self.key}: no value for {', '.join(missing)}")
        return {s: parsed(self.values[s.name]) for s in expression.free_symbols}

    def assess(self, setting: RateSetting) -> Assessment:
        """Every hypothesis decided; the bound's value where all hold.

        Where a hypothesis asks for other valid constants than the best ones (:meth:`Hypothesis.constants_for`), all are
        decided and the bound is evaluated with those.
        """
        changed: dict[str, float] = {}
        for hypothesis in self.hypotheses:
            changed |= {k: v for k, v in hypothesis.constants_for(setting).items() if k not in setting.given}
        setting = setting.with_given(changed) if changed else setting
        decided: list[tuple[Hypothesis, Decision]] = []
        for hypothesis in self.hypotheses:
            decided.append((hypothesis, hypothesis.decide(setting)))
            if decided[-1][1].status == "fails" and isinstance(hypothesis, MethodIs | ServerLoss):
                return Assessment(self, tuple(decided), None, "")
        value, reason = None, ""
        if not any(decision.status == "fails" for _, decision in decided):
            value, reason = self.value(setting)
        return Assessment(self, tuple(decided), value, reason)

    def symbols(self, setting: RateSetting) -> dict[str, float] | NotKnown:
        """The values of the bound's symbols; the first that is not known instead."""
        found: dict[str, float] = {}
        for name in self.bound.arguments:
            if name not in self.values:
                raise ValueError(f"{self.key}: no value for {name}")
            number = evaluated(self.values[name], setting)
            if isinstance(number, NotKnown):
                return number
            found[name] = number.value
        return found

    def value(self, setting: RateSetting) -> tuple[float | None, str]:
        """The right-hand side at the setting, or why there is none."""
        values = self.symbols(setting)
        if isinstance(values, NotKnown):
            return None, values.reason
        try:
            return float(np.asarray(self.bound.curve(unchecked=False, **values))), ""
        except ValueError as error:
            return None, str(error)


@dataclass(frozen=True, eq=False)
class Assessment:
    """A theorem at a setting: decisions in the order of its hypotheses, and ``value`` unless one fails.

    With an undecided hypothesis the value is conditional: it bounds the measure if that hypothesis holds.
    """

    theorem: RateTheorem
    decisions: tuple[tuple[Hypothesis, Decision], ...]
    value: float | None
    reason: str

    @property
    def status(self) -> str:
        """ "holds" if all hypotheses do and the bound has a value, "fails" if one does, else "unknown"."""
        every = {decision.status for _, decision in self.decisions}
        if "fails" in every:
            return "fails"
        return "holds" if every == {"holds"} and self.value is not None else "unknown"

    @property
    def failing(self) -> tuple[tuple[Hypothesis, Decision], ...]:
        """The hypotheses that fail; where none does, those that are not decided.  One for each cause."""
        wanted = "fails" if self.status == "fails" else "unknown"
        found: dict[str, tuple[Hypothesis, Decision]] = {}
        for one, decision in self.decisions:
            if decision.status == wanted:
                found.setdefault(decision.cause or decision.reason, (one, decision))
        return tuple(found.values())

    @property
    def other_method(self) -> bool:
        """Whether the theorem speaks of another method or another kind of objective."""
        return any(isinstance(one, MethodIs | ServerLoss) for one, _ in self.failing) and self.status == "fails"


def rates(document: str | None = None) -> tuple[RateTheorem, ...]:
    """All registered theorems, or those of one document or paper.

    Raises
    ------
    ValueError : an unknown document; two theorems of one key.
    """
    if document is not None:
        check_choice("document", document, (*DOCUMENTS, *PAPERS))
    chosen = (*DOCUMENTS, *PAPERS) if document is None else (document,)
    found = [one for name in chosen for one in import_module(f"fltheory.theory.{name}.rate_theorems").RATES]
    keys = [one.key for one in found]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise ValueError(f"two theorems are called {twice[0]}")
    return tuple(found)
