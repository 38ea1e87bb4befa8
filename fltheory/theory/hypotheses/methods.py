"""Hypotheses on the method: which one it is, with which options, cohorts and weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from fltheory.algorithms.participation import Full, SchemeI
from fltheory.algorithms.subsets import NormalisedUniform, SchemeII, TransformedSchemeII
from fltheory.problems.checks import check_choice
from fltheory.problems.oracles import Exact
from fltheory.theory.hypotheses.decisions import (
    Decision,
    Hypothesis,
    KnownNumber,
    WhatIsKnown,
    fails,
    holds,
    unknown,
)
from fltheory.theory.hypotheses.forms import REFUSALS

#: Weights that differ by less count as equal.
ROUNDING = 1e-12
Cohorts = Literal["full", "scheme I", "scheme II", "uniform subset", "independent runs"]


@dataclass(frozen=True)
class MethodIs(Hypothesis):
    """The algorithm is the one called ``name``, or one that is the same with these arguments.

    Names are those of :mod:`fltheory.algorithms`; FedAvg is also written as ``TwoSidedFedAvg`` with a server step size of 1, and so
    on (:mod:`fltheory.theory.hypotheses.forms`).  "local SGD" stands for all methods whose clients run plain SGD from the
    server's model and whose server moves by a multiple of their average change.
    """

    name: str
    kind: ClassVar[str] = "method"

    @property
    def words(self) -> str:
        return f"the method is {self.name}"

    @property
    def latex(self) -> str:
        return rf"\text{{{self.name}}}"

    def decide(self, setting: WhatIsKnown) -> Decision:
        algorithm = setting.algorithm
        refuse = REFUSALS.get(self.name)
        own = type(algorithm).__name__
        if refuse is None:
            same = own == self.name and type(algorithm).__module__.startswith("fltheory.algorithms.")
            return holds(own) if same else fails(f"speaks of {self.name}; yours is {type(algorithm).__qualname__}")
        reason = refuse(algorithm)
        return fails(f"speaks of {self.name}; {reason}") if reason else holds(own)


@dataclass(frozen=True)
class Option(Hypothesis):
    """The algorithm's field ``field`` is one of ``allowed``; an algorithm without the field has the first of them."""

    field: str
    allowed: tuple[Any, ...]
    kind: ClassVar[str] = "option"

    @property
    def words(self) -> str:
        return f"{self.field} is {' or '.join(str(one) for one in self.allowed)}"

    @property
    def latex(self) -> str:
        return rf"\text{{{self.words}}}"

    def decide(self, setting: WhatIsKnown) -> Decision:
        own = getattr(setting.algorithm, self.field, self.allowed[0])
        if any(own == one for one in self.allowed):
            return holds(f"{self.field} = {own}")
        return fails(f"wants {self.words}; yours is {own}")


@dataclass(frozen=True)
class ServerLoss(Hypothesis):
    """The server has a loss of its own beside the clients' (``present``), or it has none."""

    present: bool = False
    kind: ClassVar[str] = "objective"

    @property
    def words(self) -> str:
        return "the server has a loss of its own" if self.present else "the objective is the clients' alone"

    @property
    def latex(self) -> str:
        return r"f=\sum_kp_kf_k+f_c" if self.present else r"F=\sum_kp_kF_k"

    def decide(self, setting: WhatIsKnown) -> Decision:
        found = hasattr(setting.problem, "centre_gradient")
        if found == self.present:
            return holds(self.words)
        return fails(f"wants that {self.words}; in {type(setting.problem).__name__} {ServerLoss(found).words}")


@dataclass(frozen=True)
class EqualWeights(Hypothesis):
    """``p_k = 1/N``."""

    kind: ClassVar[str] = "weights"

    @property
    def words(self) -> str:
        return "clients have equal weights 1/N"

    @property
    def latex(self) -> str:
        return "p_k=1/N"

    def decide(self, setting: WhatIsKnown) -> Decision:
        p = np.asarray(setting.problem.weights, dtype=np.float64)
        low, high = float(p.min()), float(p.max())
        if high - low <= ROUNDING:
            return holds(f"p_k = 1/{len(p)}")
        return fails(f"wants p_k = 1/N = {1 / len(p):.6g}; the weights lie between {low:.6g} and {high:.6g}")


@dataclass(frozen=True)
class CohortLaw(Hypothesis):
    """Who takes part in a round and how the answers are averaged.

    ================== =====================================================================================================
    ``law``            meaning
    ================== =====================================================================================================
    "full"             every client in every round, weights p_k
    "scheme I"         K draws with replacement with probabilities p_k, plain average, one local run per client drawn
    "scheme II"        a uniform subset of K of N >= 2 clients with equal weights, plain average
    "uniform subset"   a uniform subset with equal weights, plain average; all clients are one
    "independent runs" a plain average of S independent local runs, whoever makes them; for clients that are alike
    ================== =====================================================================================================
    """

    law: Cohorts
    kind: ClassVar[str] = "cohort"

    def __post_init__(self) -> None:
        check_choice("law", self.law, tuple(_LAWS))

    @property
    def words(self) -> str:
        return _LAWS[self.law][0]

    @property
    def latex(self) -> str:
        return rf"\text{{{self.words}}}"

    def decide(self, setting: WhatIsKnown) -> Decision:
        scheme: Any = getattr(setting.algorithm, "participation", Full())
        return _LAWS[self.law][1](scheme, setting, f"wants {self.words}; yours is {scheme!r}")

    def implies(self, other: Hypothesis) -> bool:
        return self == other or (self.law == "scheme II" and other == CohortLaw("uniform subset"))


def _equal(setting: WhatIsKnown) -> bool:
    return EqualWeights().decide(setting).holds


def _full(scheme: Any, setting: WhatIsKnown, wrong: str) -> Decision:
    n = setting.problem.n_clients
    if type(scheme) is Full:
        return holds("all clients")
    everyone = type(scheme) in (SchemeII, NormalisedUniform) and scheme.clients == n
    return holds(f"{scheme!r} takes all N = {n} clients") if everyone else fails(wrong)


def _with_replacement(scheme: Any, setting: WhatIsKnown, wrong: str) -> Decision:
    if type(scheme) is not SchemeI:
        return fails(wrong)
    if scheme.separate_runs and type(setting.oracle) is not Exact:
        return unknown(f"a client drawn twice runs once in the proof; {scheme!r} lets it run twice")
    return holds(f"K = {scheme.clients}")


def _subset(scheme: Any, setting: WhatIsKnown, wrong: str) -> Decision:
    n = setting.problem.n_clients
    if type(scheme) not in (SchemeII, TransformedSchemeII, NormalisedUniform, Full):
        return fails(wrong)
    if not _equal(setting):
        return fails(f"{wrong} with weights that differ")
    return holds(f"S = {scheme.slots(n)} of {n}")


def _scheme_two(scheme: Any, setting: WhatIsKnown, wrong: str) -> Decision:
    if type(scheme) is Full or setting.problem.n_clients < 2:
        return fails(wrong)
    return _subset(scheme, setting, wrong)


def _independent(scheme: Any, setting: WhatIsKnown, wrong: str) -> Decision:
    """For clients alike only sums matter: the coefficients sum to one, and the runs' noise averages like S of them."""
    n = setting.problem.n_clients
    slots = int(scheme.slots(n))
    if type(scheme) in (Full, SchemeII, NormalisedUniform) and _equal(setting):
        return holds(f"S = {slots}")
    if type(scheme) is TransformedSchemeII:
        return holds(f"S = {slots}") if _equal(setting) else fails(f"{wrong}, which rescales the losses")
    if type(scheme) is SchemeI:
        if scheme.separate_runs or type(setting.oracle) is Exact:
            return holds(f"S = {slots}")
        return fails(f"{wrong}: a client drawn twice runs once and counts twice")
    if type(scheme) is Full and type(setting.oracle) is Exact:
        return holds("exact gradients of clients alike")
    return fails(wrong)


_LAWS: Mapping[str, tuple[str, Callable[[Any, WhatIsKnown, str], Decision]]] = {
    "full": ("all clients in every round", _full),
    "scheme I": ("K draws of clients with replacement by their weights, plain average", _with_replacement),
    "scheme II": ("a uniform K-subset of N >= 2 clients with equal weights, plain average", _scheme_two),
    "uniform subset": ("a uniform subset of clients with equal weights, plain average", _subset),
    "independent runs": ("a plain average of S independent local runs", _independent),
}


@dataclass(frozen=True)
class AlikeClients(Hypothesis):
    """All clients have one expected gradient at every point (Assumption 4.1 of Augenstein et al., 2022)."""

    kind: ClassVar[str] = "heterogeneity"

    @property
    def words(self) -> str:
        return "the clients have one expected gradient"

    @property
    def latex(self) -> str:
        return r"\nabla f_k=\nabla f_f"

    def decide(self, setting: WhatIsKnown) -> Decision:
        found = setting.know("spread_sq")
        if not isinstance(found, KnownNumber):
            return unknown(found.reason)
        if found.value == 0:
            return holds(found.how)
        return fails(f"wants sum_k p_k |grad f_k - grad f_f|^2 = 0; it is {found}")
