"""Kept Lyapunov certificates in the place of the search: which of them answer a question, judged anew from the question.

A certificate answers if the verifier accepts it, its programs are those of the algorithm as it stands, its classes are the
classes asked for, and it assumes no more than what is asked for allows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.worstcase import verifier
from fltheory.worstcase.analysis import Heterogeneity
from fltheory.worstcase.classes import Dissimilarity, FunctionClass
from fltheory.worstcase.lyapunov_answer import LyapunovBound
from fltheory.worstcase.lyapunov_setup import kinds_of
from fltheory.worstcase.lyapunov_verifier import FORMAT, LYAPUNOV

#: The quantity that each kind of heterogeneity lets a certificate bound.
_ALLOWED: Mapping[str, str] = {"gradients": "heterogeneity", "gamma": "gamma"}


@dataclass(frozen=True)
class RoundsAsked:
    """The arguments of :func:`fltheory.lyapunov` that its answer depends on; ``rho=None`` takes any rate."""

    algorithm: Algorithm
    clients: FunctionClass
    rho: Fraction | None
    heterogeneity: Heterogeneity | Sequence[Heterogeneity] | None
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
        listed = [item for part in parts for item in part["assumptions"]]
        assumed = {item["bound"] for item in listed} - {LYAPUNOV, "distance", "G2", None}
        kinds = kinds_of(self.heterogeneity)
        similar = {_square_of_B(item) for item in listed if item["bound"] == "G2"}
        allowed = {kind.B**2 for kind in kinds if isinstance(kind, Dissimilarity)}
        allowed |= {Fraction(0)} if "bounded gradients" in kinds else set()
        noises = {name for name, there in (("noise", self.noise), ("centre_noise", self.centre_noise)) if there}
        shared = any(["optimum", "shared"] in part["program"] for part in parts)
        return (
            all(classes.values())
            and set(classes) == set(wanted)
            and assumed <= {_ALLOWED.get(str(kind)) for kind in kinds} | noises
            and similar <= allowed
            and ("none" in kinds or not shared)
        )


def _square_of_B(item: Mapping[str, Any]) -> Fraction:
    """``B^2`` of an assumption on G2 that the verifier knows; zero where it bounds gradients."""
    return -min((Fraction(text) for text, *_ in item["inner"] if Fraction(text) < 0), default=Fraction(0))


def _same(pair: list[str], wanted: FunctionClass | None) -> bool:
    return wanted is not None and [Fraction(end) for end in pair] == list(wanted.exact)
