"""Hypotheses on the losses: smooth, convex, strongly convex, bounded below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fltheory.theory.hypotheses.decisions import (
    Decision,
    Hypothesis,
    KnownNumber,
    WhatIsKnown,
    fails,
    from_number,
    holds,
    unknown,
)

#: Moduli below this share of L are rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class SmoothLosses(Hypothesis):
    """Every loss (clients', and the server's own where there is one) has L-Lipschitz gradients."""

    kind: ClassVar[str] = "smooth"

    @property
    def words(self) -> str:
        return "every loss is L-smooth"

    @property
    def latex(self) -> str:
        return r"\|\nabla F_k(x)-\nabla F_k(y)\|\le L\|x-y\|"

    def decide(self, setting: WhatIsKnown) -> Decision:
        return from_number(setting.know("L"), "L")


@dataclass(frozen=True)
class StronglyConvexLosses(Hypothesis):
    """Every loss is mu-strongly convex with mu > 0."""

    kind: ClassVar[str] = "convex"

    @property
    def words(self) -> str:
        return "every loss is mu-strongly convex, mu > 0"

    @property
    def latex(self) -> str:
        return r"F_k-\tfrac{\mu}{2}\|\cdot\|^2\ \text{convex},\ \mu>0"

    def decide(self, setting: WhatIsKnown) -> Decision:
        found, smooth = setting.know("mu"), setting.know("L")
        if not isinstance(found, KnownNumber):
            return unknown(found.reason)
        size = smooth.value if isinstance(smooth, KnownNumber) else 0.0
        if found.value > ROUNDING * size:
            return holds(f"mu = {found}")
        said = f"wants mu > 0; the losses have mu = {found.value:.6g} ({found.how})"
        return fails(said) if found.exact and found.value <= 0 else unknown(said)

    def implies(self, other: Hypothesis) -> bool:
        return self == other or isinstance(other, ConvexLosses | BoundedBelow)


@dataclass(frozen=True)
class ConvexLosses(Hypothesis):
    """Every loss is convex (mu = 0 is allowed)."""

    kind: ClassVar[str] = "convex"

    @property
    def words(self) -> str:
        return "every loss is convex"

    @property
    def latex(self) -> str:
        return r"F_k\ \text{convex}"

    def decide(self, setting: WhatIsKnown) -> Decision:
        found, smooth = setting.know("mu"), setting.know("L")
        if not isinstance(found, KnownNumber):
            return unknown(found.reason)
        size = smooth.value if isinstance(smooth, KnownNumber) else 0.0
        if found.value >= 0:
            return holds(f"mu = {found}")
        said = f"wants convex losses; the least curvature is {found.value:.6g} ({found.how})"
        return fails(said) if found.exact and found.value < -ROUNDING * size else unknown(said)


@dataclass(frozen=True)
class BoundedBelow(Hypothesis):
    """The objective has a minimum."""

    kind: ClassVar[str] = "bounded below"

    @property
    def words(self) -> str:
        return "the objective has a minimum F*"

    @property
    def latex(self) -> str:
        return r"F^*=\min F>-\infty"

    def decide(self, setting: WhatIsKnown) -> Decision:
        return from_number(setting.know("gap"), "F(w_0) - F*")
