"""Claims for every number of rounds: a certified Lyapunov function, and exact runs of the method that would refute the claim.

The claim of a setting is, for every ``R >= 1``,

    E |w_R - w*|^2  <=  rho^R sum_q s_q q  +  (1 - rho^R) sum_q f_q q,

q being |w_0 - w*|^2 (``distance``), zeta^2, Gamma, sigma^2, ...  It is certified at exactly the claimed rate; the certificate is
verified by :mod:`fltheory.worstcase.lyapunov_verifier`.  A certificate speaks of its own parameters and of no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.algorithms.participation import Full
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.evidence.decide import undecided
from fltheory.evidence.model import Evidence, Outcome, Rung, Tightness
from fltheory.problems.oracles import AdditiveNoise
from fltheory.readings.arrays import participation_of
from fltheory.readings.moments import moments
from fltheory.readings.trajectory import trajectory
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.lyapunov_answer import LyapunovBound
from fltheory.worstcase.lyapunov_entry import lyapunov
from fltheory.worstcase.lyapunov_kept import RoundsAsked

ZERO, ONE = Fraction(0), Fraction(1)
#: What :func:`fltheory.lyapunov` takes where nothing is said.
_PLAIN: Mapping[str, Any] = {
    "heterogeneity": "gradients",
    "centre": None,
    "noise": False,
    "centre_noise": False,
    "n_clients": None,
}
METHOD = (
    "exact runs of the method on quadratics first, which would refute the claim; then a function V of the state with "
    "E V_1 <= rho V_0 + b after one round from an arbitrary state and |w - w*|^2 <= V, at the claimed rate, in rationals, "
    "verified; induction over the rounds is the verifier's"
)


@dataclass(frozen=True)
class ExactRun:
    """A run of the method on one instance, in rationals: ``E |w_R - w*|^2`` and the quantities (those not named are zero)."""

    words: str
    rounds: int
    value: Fraction
    quantities: Mapping[str, Fraction]


@dataclass(frozen=True)
class EveryRound:
    """What is claimed of a method at one set of parameters.

    Parameters
    ----------
    rate : ``rho``, in (0, 1).
    start, floor : ``s_q`` and ``f_q``; a quantity that is not named has the factor zero.
    printed : the rate per round of the document's own bound, from that bound; the claimed one must be smaller.
    options : keyword arguments of :func:`fltheory.lyapunov`.
    runs : exact runs on which the claim must be true.
    beside : numbers to print beside it.
    """

    name: str
    algorithm: Algorithm
    clients: FunctionClass
    rate: Fraction
    start: Mapping[str, Fraction]
    floor: Mapping[str, Fraction]
    printed: Fraction | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    runs: tuple[ExactRun, ...] = ()
    beside: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 < self.rate < 1:
            raise ValueError(f"rate={self.rate} of {self.name!r} is no rate of convergence; expected 0 < rate < 1")
        if not any(run.value for run in self.runs):
            raise ValueError(
                f"runs={self.runs!r}: none ends off the minimiser, so that none could refute {self.name!r}"
            )

    def claimed(self, run: ExactRun) -> Fraction:
        """The right side on a run."""
        power = self.rate**run.rounds
        pairs = ((self.start.get(name, ZERO), self.floor.get(name, ZERO), q) for name, q in run.quantities.items())
        return sum(((power * s + (1 - power) * f) * q for s, f, q in pairs), ZERO)

    def bound(self) -> LyapunovBound:
        """The certified theorem at the claimed rate; ``rho`` is ``None`` where there is none."""
        return lyapunov(self.algorithm, self.clients, rho=self.rate, **self.options)

    def missing(self, found: LyapunovBound) -> str:
        """What keeps the theorem from being the claim; empty if it is at least as strong."""
        if found.rho is None or found.certificate is None:
            return f"no certificate: {found.status}"
        if (
            RoundsAsked(self.algorithm, self.clients, self.rate, **{**_PLAIN, **self.options}).answered_by(
                found.certificate
            )
            is None
        ):
            return "the certificate is of another method, class, assumption or rate"
        if found.start is None:
            return "nothing bounds V at the start"
        for words, proved, listed in (("start", found.start, self.start), ("floor", found.floor, self.floor)):
            for name, factor in proved.items():
                if factor > listed.get(name, ZERO):
                    return (
                        f"{words}: the factor {float(factor)} of {name} is above the claimed {listed.get(name, ZERO)}"
                    )
        return ""


def at_every_round(settings: Sequence[EveryRound], *, valid_for: str) -> Evidence:
    """The claims of all settings: refuted by a run, or certified, or undecided."""
    runs = [(setting, run) for setting in settings for run in setting.runs]
    margins = []
    for setting, run in runs:
        claimed = setting.claimed(run)
        margins.append(float((claimed - run.value) / max(claimed, run.value)))
        if run.value > claimed:
            return _refuted(
                f"{setting.name}: {run.words}: after {run.rounds} rounds E|w - w*|^2 = {_shown(run.value)} > {_shown(claimed)}",
                len(runs),
                margins[-1],
            )
    slower = [s for s in settings if s.printed is not None and s.rate >= s.printed]
    if slower:
        words = f"{slower[0].name}: the rate {_shown(slower[0].rate)} is not below {_shown(slower[0].printed or ZERO)}"
        return _refuted(f"{words}, the rate of the document's own bound", len(runs), None)
    numbers: dict[str, object] = {}
    kept: dict[str, object] = {}
    for setting in settings:
        found = setting.bound()
        gap = setting.missing(found)
        if gap:
            return undecided(f"{setting.name}: {gap}", len(runs), "another function of the state")
        kept[setting.name] = found.certificate
        numbers |= _numbers(setting, found)
    more: dict[str, Any] = dict(numbers=numbers, valid_for=valid_for, certificate=kept)
    attained = {setting.name: run.words for setting, run in runs if run.value == setting.claimed(run)}
    if len(attained) == len(settings):
        more["tightness"] = Tightness(1.0, Rung.EXACT, f"equality: {next(iter(attained.values()))}")
    return Evidence(Rung.WORST_CASE, Outcome.HOLDS, METHOD, len(settings) + len(runs), margin=min(margins), **more)


def _numbers(setting: EveryRound, found: LyapunovBound) -> Iterable[tuple[str, object]]:
    """Rates, floors and how near the runs come to the claim."""
    named: dict[str, object] = {"rate per round": float(setting.rate)}
    if setting.printed is not None:
        named["rate per round of the document's bound"] = float(setting.printed)
    named |= {f"certified factor of {name} in the long run": float(b) for name, b in found.floor.items() if b}
    named |= dict(setting.beside)
    return {f"{setting.name}: {name}": number for name, number in named.items()}.items()


def _refuted(counterexample: str, examined: int, margin: float | None) -> Evidence:
    words = "exact runs of the method on quadratics"
    return Evidence(Rung.EXACT, Outcome.REFUTED, words, examined, margin=margin, counterexample=counterexample)


def _shown(number: Fraction) -> str:
    """A rational, or what it is about where it is long (it was compared exactly)."""
    text = str(number)
    return text if len(text) <= 40 else f"{float(number):.9g} (rounded here, compared exactly)"


def exact_run(
    words: str,
    problem: Any,
    algorithm: Algorithm,
    *,
    rounds: int,
    start: Fraction,
    noise: int = 0,
    centre_noise: int = 0,
    quantities: Mapping[str, Fraction] | None = None,
) -> ExactRun:
    """The exact second moment of a run on losses of one variable, with noise of these variances.

    ``quantities`` are those of heterogeneity; the distance at the start and the variances are added.
    """
    oracles: dict[str, Any] = {"oracle": AdditiveNoise(np.array(noise))} if noise else {}
    oracles |= {"centre_oracle": AdditiveNoise(np.array(centre_noise))} if centre_noise else {}
    point = np.array([start], dtype=object)
    best = Fraction(problem.constants.minimiser[0])
    if oracles or not isinstance(participation_of(algorithm), Full):
        found = moments(problem, algorithm, rounds=rounds, start=point, exact=True, every=rounds, **oracles)
        value = Fraction(found.squared_distance[-1])
    else:  # nothing is random
        value = (
            Fraction(trajectory(problem, algorithm, rounds=rounds, start=point, exact=True).models[-1][0]) - best
        ) ** 2
    begun = Fraction(start) - best
    listed = {"distance": begun**2, "noise": Fraction(noise), "centre_noise": Fraction(centre_noise)}
    return ExactRun(words, rounds, value, {**listed, **(quantities or {})})


def times(factors: Mapping[str, str], scale: str) -> dict[str, Fraction]:
    """Factors as rationals, multiplied."""
    return {name: Fraction(text) * Fraction(scale) for name, text in factors.items()}
