"""Hypotheses on stochastic gradients: unbiased and independent, bounded variance, bounded second moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from fltheory.problems.oracles import AdditiveNoise, Exact, FiniteSupportNoise, MiniBatch
from fltheory.problems.oracles.protocol import is_noisy
from fltheory.theory.hypotheses.decisions import (
    Decision,
    Hypothesis,
    WhatIsKnown,
    fails,
    from_number,
    holds,
    unknown,
)
from fltheory.theory.hypotheses.quantities import QUANTITIES

#: Where a bound is asked for: at every point of the space, or at the points of the run, in expectation.
Where = Literal["everywhere", "run"]
_OWN = (Exact, MiniBatch, AdditiveNoise, FiniteSupportNoise)


@dataclass(frozen=True)
class IndependentNoise(Hypothesis):
    """Answers are unbiased given the past, and independent over clients, steps and the server's own loss."""

    kind: ClassVar[str] = "noise"

    @property
    def words(self) -> str:
        return "stochastic gradients are unbiased given the past and independent across clients"

    @property
    def latex(self) -> str:
        return r"\mathbb{E}_{|t}\,g_k=\nabla F_k,\ g_k\ \text{independent over}\ k"

    def decide(self, setting: WhatIsKnown) -> Decision:
        for oracle in (setting.oracle, setting.centre_oracle):
            if type(oracle) not in _OWN:
                return unknown(
                    f"{type(oracle).__name__} is an oracle of yours: that it is unbiased and fresh is your word"
                )
        if type(setting.oracle) is Exact and type(setting.centre_oracle) is Exact:
            return holds("exact gradients")
        return holds(
            f"{type(setting.oracle).__name__} answers every client and call afresh, with the gradient as its mean"
        )


@dataclass(frozen=True)
class ExactGradients(Hypothesis):
    """No noise: every answer is the gradient."""

    kind: ClassVar[str] = "noise"

    @property
    def words(self) -> str:
        return "exact gradients"

    @property
    def latex(self) -> str:
        return r"g_k=\nabla F_k"

    def decide(self, setting: WhatIsKnown) -> Decision:
        own = setting.oracle
        return holds("Exact") if not is_noisy(own) else fails(f"wants exact gradients; yours are {own!r}")

    def implies(self, other: Hypothesis) -> bool:
        return self == other or isinstance(other, IndependentNoise)


@dataclass(frozen=True)
class SmoothAnswers(Hypothesis):
    """Every stochastic gradient is the gradient of a convex L-smooth function: exact ones are, and those with noise added."""

    kind: ClassVar[str] = "noise"

    @property
    def words(self) -> str:
        return "every stochastic gradient is that of a convex L-smooth function"

    @property
    def latex(self) -> str:
        return r"g_k(\cdot,\xi)=\nabla f_k(\cdot,\xi),\ f_k(\cdot,\xi)\ \text{convex and}\ L\text{-smooth}"

    def decide(self, setting: WhatIsKnown) -> Decision:
        own = setting.oracle
        if type(own) in (Exact, AdditiveNoise, FiniteSupportNoise):
            return holds(
                "exact" if type(own) is Exact else "noise that does not depend on the point adds a linear function"
            )
        return unknown(
            f"whether the answers of {type(own).__name__} are gradients of convex L-smooth functions, for the same L"
        )


@dataclass(frozen=True)
class BoundedVariance(Hypothesis):
    """A variance is bounded: ``symbol`` is a quantity of the vocabulary, which says which one and where."""

    symbol: str
    kind: ClassVar[str] = "variance"

    @property
    def words(self) -> str:
        return f"bounded: {QUANTITIES[self.symbol].words}"

    @property
    def latex(self) -> str:
        return rf"{QUANTITIES[self.symbol].latex}<\infty"

    def decide(self, setting: WhatIsKnown) -> Decision:
        return from_number(setting.know(self.symbol), self.symbol)


@dataclass(frozen=True)
class BoundedSecondMoment(Hypothesis):
    """``E |g_k|^2 <= G^2`` for every client, at every point or at the steps of the run (``where``)."""

    where: Where = "everywhere"
    kind: ClassVar[str] = "bounded gradients"

    @property
    def symbol(self) -> str:
        """Its quantity."""
        return "G_sq" if self.where == "everywhere" else "G_run_sq"

    @property
    def words(self) -> str:
        place = "at every point" if self.where == "everywhere" else "at every step that is taken"
        return f"second moment of every client's stochastic gradient at most G^2 {place}"

    @property
    def latex(self) -> str:
        return r"\mathbb{E}\|g_k\|^2\le G^2"

    def decide(self, setting: WhatIsKnown) -> Decision:
        return from_number(setting.know(self.symbol), "G^2")

    def implies(self, other: Hypothesis) -> bool:
        return isinstance(other, BoundedSecondMoment) and (self.where == "everywhere" or other.where == "run")
