"""Hypotheses on how far clients differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fltheory.theory.hypotheses.decisions import Decision, Hypothesis, WhatIsKnown, from_number


@dataclass(frozen=True)
class DissimilarityAtMinimiser(Hypothesis):
    """Client gradients at the minimiser have a finite mean square; always so where there is a minimiser."""

    kind: ClassVar[str] = "heterogeneity"

    @property
    def words(self) -> str:
        return "zeta^2 = sum_k p_k |grad F_k(w*)|^2 at the minimiser w*"

    @property
    def latex(self) -> str:
        return r"\zeta^2=\sum_kp_k\|\nabla F_k(w^*)\|^2"

    def decide(self, setting: WhatIsKnown) -> Decision:
        return from_number(setting.know("zeta_sq"), "zeta^2")


@dataclass(frozen=True)
class FiniteGamma(Hypothesis):
    """``Gamma = F* - sum_k p_k F_k*`` is finite: every client's loss has a minimum."""

    kind: ClassVar[str] = "heterogeneity"

    @property
    def words(self) -> str:
        return "Gamma = F* - sum_k p_k F_k*, every F_k has a minimum"

    @property
    def latex(self) -> str:
        return r"\Gamma=F^*-\sum_kp_kF_k^*"

    def decide(self, setting: WhatIsKnown) -> Decision:
        return from_number(setting.know("Gamma"), "Gamma")


@dataclass(frozen=True)
class BoundedDeviation(Hypothesis):
    """``mean_k |grad F_k - grad F|^2 <= sigma_G^2`` at every point."""

    kind: ClassVar[str] = "heterogeneity"

    @property
    def words(self) -> str:
        return "mean of |grad F_k - grad F|^2 over clients at most sigma_G^2 at every point"

    @property
    def latex(self) -> str:
        return r"\sum_kp_k\|\nabla F_k-\nabla F\|^2\le\sigma_G^2"

    def decide(self, setting: WhatIsKnown) -> Decision:
        return from_number(setting.know("sigma_G_sq"), "sigma_G^2")

    def implies(self, other: Hypothesis) -> bool:
        return self == other or isinstance(other, DissimilarClients | DissimilarityAtMinimiser)


@dataclass(frozen=True)
class DissimilarClients(Hypothesis):
    """``mean_k |grad F_k|^2 <= G^2 + B^2 |grad F|^2`` at every point."""

    kind: ClassVar[str] = "heterogeneity"

    @property
    def words(self) -> str:
        return "mean of |grad F_k|^2 over clients at most G^2 + B^2 |grad F|^2 at every point"

    @property
    def latex(self) -> str:
        return r"\sum_kp_k\|\nabla F_k\|^2\le G^2+B^2\|\nabla F\|^2"

    def decide(self, setting: WhatIsKnown) -> Decision:
        found = from_number(setting.know("B_sq"), "B^2")
        return found if not found.holds else from_number(setting.know("G_B_sq"), f"{found.reason}, G^2")

    def implies(self, other: Hypothesis) -> bool:
        return self == other or isinstance(other, DissimilarityAtMinimiser)


@dataclass(frozen=True)
class DissimilarByGap(Hypothesis):
    """``mean_k |grad F_k|^2 <= G^2 + 2 L B^2 (F - F*)`` at every point; always so for smooth convex losses with a minimiser."""

    kind: ClassVar[str] = "heterogeneity"

    @property
    def words(self) -> str:
        return "mean of |grad F_k|^2 over clients at most G^2 + 2 L B^2 (F - F*) at every point"

    @property
    def latex(self) -> str:
        return r"\sum_kp_k\|\nabla F_k\|^2\le G^2+2LB^2(F-F^*)"

    def decide(self, setting: WhatIsKnown) -> Decision:
        found = from_number(setting.know("gap_B_sq"), "B^2")
        return found if not found.holds else from_number(setting.know("gap_G_sq"), f"{found.reason}, G^2")


@dataclass(frozen=True)
class DissimilarSides(Hypothesis):
    """Clients and server: ``2 |grad f_f|^2 + 2 |grad f_c|^2 <= G^2 + B^2 |grad f|^2`` at every point (w_f = w_c = 1/2)."""

    kind: ClassVar[str] = "heterogeneity"

    @property
    def words(self) -> str:
        return "2 |grad f_f|^2 + 2 |grad f_c|^2 at most G^2 + B^2 |grad f|^2 at every point"

    @property
    def latex(self) -> str:
        return r"2\|\nabla f_f\|^2+2\|\nabla f_c\|^2\le G^2+B^2\|\nabla f\|^2"

    def decide(self, setting: WhatIsKnown) -> Decision:
        found = from_number(setting.know("mixed_B_sq"), "B^2")
        return found if not found.holds else from_number(setting.know("mixed_G_sq"), f"{found.reason}, G^2")
