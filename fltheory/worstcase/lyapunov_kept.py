"""Kept Lyapunov certificates in the place of the search: which of them answer a question, judged anew from the question.

A certificate answers if the verifier accepts it, its programs are those of the algorithm as it stands, its classes are the
classes asked for, and it assumes no more than what is asked for allows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.worstcase import verifier
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.lyapunov_answer import LyapunovBound
from fltheory.worstcase.lyapunov_verifier import FORMAT, LYAPUNOV

#: What each kind of heterogeneity lets a certificate assume.
_ALLOWED: Mapping[str | None, frozenset[str]] = {
    "gradients": frozenset({"heterogeneity"}),
    "gamma": frozenset({"gamma"}),
    "none": frozenset(),
    None: frozenset(),
}


@dataclass(frozen=True)
class RoundsAsked:
    """The arguments of :func:`fltheory.lyapunov` that its answer depends on; ``rho=None`` takes any rate."""

    algorithm: Algorithm
    clients: FunctionClass
    rho: Fraction | None
    heterogeneity: str | None
    centre: FunctionClass | None
    noise: bool
    centre_noise: bool
    n_clients: int | None

    def answered_by(self, data: dict[str, Any]) -> LyapunovBound | None:
        """What the certificate proves, if that is an answer."""
        if data.get("format") != FORMAT:
            return None
        try:
            found = LyapunovBound.of(data)
        except verifier.Rejected:
            return None
        if self.rho is not None and found.rho != self.rho:
            return None
        same = found.matches(self.algorithm, noise=self.noise, centre_noise=self.centre_noise, n_clients=self.n_clients)
        return found if same and self._fits(data) else None

    def _fits(self, data: Mapping[str, Any]) -> bool:
        """Whether classes and assumptions are those of the question, or weaker ones."""
        parts = [data[name] for name in ("step", "floor", "start") if name in data]
        wanted = {"clients": self.clients, "centre": self.centre}
        classes = {
            name: pair is None if wanted[name] is None else pair is not None and _same(pair, wanted[name])
            for name, pair in data["step"]["classes"].items()
        }
        assumed = {item["bound"] for part in parts for item in part["assumptions"]} - {LYAPUNOV, "distance"}
        noises = {name for name, there in (("noise", self.noise), ("centre_noise", self.centre_noise)) if there}
        shared = any(["optimum", "shared"] in part["program"] for part in parts)
        return (
            all(classes.values())
            and set(classes) == set(wanted)
            and assumed <= _ALLOWED[self.heterogeneity] | noises
            and (self.heterogeneity == "none" or not shared)
        )


def _same(pair: list[str], wanted: FunctionClass | None) -> bool:
    return wanted is not None and [Fraction(end) for end in pair] == list(wanted.exact)
