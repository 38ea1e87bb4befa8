"""What readings, simulation and kernels may ask of an oracle, each thing by its name.

An oracle is what a client sees when it asks for ``grad F_k(x)``: an answer with the mean ``grad F_k(x)``, drawn afresh and
independently for every client and every call.  An object of any class is one if it has what a reading asks for; a reading
that asks for more refuses it by the name of what is missing.

====================== ==================================================== ===========================================
what it has            its names                                            who asks for it
====================== ==================================================== ===========================================
:data:`DRAWS`          ``draw(problem, clients, x, rng)``                   runs (the slow way, answer by answer)
:data:`KEYED`          ``sampler(problem)``                                 runs, from the keys of the streams
:data:`COVARIANCE`     ``state_dependent``,                                 exact moments, the stationary law, the factor
                       ``covariance(problem, client, x)``                   of the mean square, ``sigma^2`` and ``G^2``
:data:`DEGREE`         ``covariance_degree``, 2                             of these the exact ones, where the covariance
                                                                            depends on the point
:data:`VARIANCE`       ``variance(problem, x)``                             nobody: the traces of the covariances, quicker
:data:`MOMENTS`        ``mean_covariances(problem, origin, convert)``       nobody: the exact moments' form, quicker
:data:`FINITE`         ``probabilities_of(problem, client)``,               enumeration
                       ``answers(problem, client, x, picks)``
:data:`EXACT_NUMBERS`  ``to_exact(convert)``                                exact moments of what is no dataclass of numbers
:data:`KERNEL_NOISE`   ``kernel_noise(problem)``                            kernels of quadratics
:data:`KERNEL_BATCH`   ``kernel_batch()``                                   kernels of regressions; compiled batches
:data:`UNSCALED`       ``unscaled(factor)``                                 kernels of a factor times a problem
====================== ==================================================== ===========================================

Three more may be left out: ``noisy``, False where the answer is the gradient itself; ``additive``, True where one draw adds
the same noise at every point; and ``check(problem)``, which raises ``ValueError`` if the oracle does not fit a problem.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar, cast

import numpy as np

from fltheory.problems.base import Array, Number, Problem
from fltheory.problems.checks import shown

Generator: TypeAlias = np.random.Generator
Found = TypeVar("Found")


class Drawn(Protocol):
    """Answers from a NumPy generator."""

    def draw(self, problem: Problem, clients: Array | None, x: Array, rng: Generator) -> Array:
        """One independent answer per slot, ``(..., M, d) -> (..., M, d)``; ``clients`` says who sits in each slot."""
        ...


class Sampler(Protocol):
    """Answers from keys: the draw at ``(keys; step)``, whatever else is drawn."""

    def __call__(self, x: Array, clients: Array, keys: Array, step: int) -> Array:
        """Answers at ``x`` ``(runs, slots, d)`` of the clients ``(runs, slots)``, from as many stream keys."""
        ...


class Keyed(Protocol):
    """Answers from the keys of :mod:`fltheory.streams`."""

    def sampler(self, problem: Problem) -> Sampler:
        """The sampler for a problem; what all draws share is computed once."""
        ...


class HasCovariance(Protocol):
    """The covariance of an answer at a point."""

    @property
    def state_dependent(self) -> bool:
        """Whether it depends on ``x``."""
        ...

    def covariance(self, problem: Problem, client: int, x: Array) -> Array:
        """Exact covariance of client ``k``'s answer at ``x``, ``(..., d) -> (..., d, d)``."""
        ...


class HasDegree(Protocol):
    """How the covariance depends on the point."""

    @property
    def covariance_degree(self) -> int:
        """Its degree as a polynomial in ``x`` where the gradients are affine; 2 is followed exactly."""
        ...


class HasVariance(Protocol):
    """Traces of the covariances, all at once."""

    def variance(self, problem: Problem, x: Array) -> Array:
        """Traces of the covariances of all clients at one common point, ``(..., d) -> (..., N)``."""
        ...


class Oracle(Drawn, HasCovariance, HasVariance, Protocol):
    """What the oracles of this package have at least: a sampler, the covariance at a point, and its trace."""


class Covariances(Protocol):
    """Mean conditional covariances of all clients' answers, from second moments of their points."""

    @property
    def fixed(self) -> bool:
        """Whether they do not depend on the points."""
        ...

    @property
    def shareable(self) -> bool:
        """Whether one draw at two points is the same noise twice."""
        ...

    def at(self, points: Array) -> Array:
        """``E Cov(answer | x)``, ``(N, d, d)``, from ``E (x,1)(x,1)'``, ``(N, d+1, d+1)`` (``x`` from the origin)."""
        ...


class HasMoments(Protocol):
    """The covariances as a linear function of second moments."""

    def mean_covariances(self, problem: Problem, origin: Array, convert: Callable[[Number], Number]) -> Covariances:
        """For a quadratic problem with full matrices; ``convert`` brings a number into the type of the problem's."""
        ...


class HasAnswers(Protocol):
    """An answer with finitely many values."""

    def probabilities_of(self, problem: Problem, client: int) -> Sequence[Number]:
        """Probabilities of the values of a client's answer, the same at every point."""
        ...

    def answers(self, problem: Problem, client: int, x: Array, picks: Array) -> Array:
        """The values of the numbers ``picks`` ``(runs,)`` at ``x`` ``(runs, d)``."""
        ...


class Exactly(Protocol):
    """The same oracle in exact numbers."""

    def to_exact(self, convert: Callable[[Number], Number]) -> Any:
        """Each number replaced by ``convert(number)``."""
        ...


@dataclass(frozen=True, eq=False)
class KernelNoise:
    """What kernels of quadratics need of a noise that does not depend on the point.

    =========== ============= =====================================================================================
    ``kind``                  "exact", or added to the gradient: "scalar" and "gaussian", or "finite"
    ``roots``   ``(N, d, d)`` of "gaussian": square roots of the covariances; of "scalar": the deviation, ``(1, 1, 1)``
    ``support`` ``(N, m, d)`` of "finite": the values
    ``edges``   ``(m,)``      of "finite": their cumulated probabilities
    =========== ============= =====================================================================================
    """

    kind: Literal["exact", "scalar", "gaussian", "finite"]
    roots: Array | None = None
    support: Array | None = None
    edges: Array | None = None


class HasKernelNoise(Protocol):
    """Noise that the kernels of quadratics draw."""

    def kernel_noise(self, problem: Problem) -> KernelNoise:
        """Their arguments."""
        ...


class HasKernelBatch(Protocol):
    """Mini-batches that kernels draw."""

    def kernel_batch(self) -> tuple[int, bool]:
        """Size of a batch, and whether it is drawn with replacement; size 0 stands for all samples."""
        ...


class HasUnscaled(Protocol):
    """Noise in other units."""

    def unscaled(self, factor: float) -> Any:
        """The oracle whose answers for ``F``, times ``factor``, are this oracle's for ``factor F``."""
        ...


AnyOracle: TypeAlias = Drawn | Keyed | HasCovariance | HasMoments | HasAnswers
"""An object with something that a reading may ask for."""


class Capability(Generic[Found]):
    """Something that an oracle may have, under the names ``names``; ``in_words`` says what they are."""

    def __init__(self, in_words: str, *names: str) -> None:
        self.in_words = in_words
        self.names = names

    def missing(self, oracle: object) -> list[str]:
        """Names that the oracle does not have."""
        return [name for name in self.names if not hasattr(oracle, name.removesuffix("()"))]

    def offered_by(self, oracle: object) -> bool:
        """Whether the oracle has it."""
        return not self.missing(oracle)

    def of(self, oracle: object, reader: str) -> Found:
        """The oracle, which has it.

        Raises
        ------
        ValueError : it has not; ``reader`` says who asks, such as "exact moments need".
        """
        missing = self.missing(oracle)
        if missing:
            raise ValueError(f"oracle={type(oracle).__name__} has no {', '.join(missing)}: {reader} {self.in_words}")
        return cast(Found, oracle)


DRAWS: Capability[Drawn] = Capability("a sampler", "draw()")
KEYED: Capability[Keyed] = Capability("a sampler by keys", "sampler()")
COVARIANCE: Capability[HasCovariance] = Capability("its covariance at a point", "state_dependent", "covariance()")
DEGREE: Capability[HasDegree] = Capability(
    "covariance_degree=2 where the covariance depends on the point", "covariance_degree"
)
VARIANCE: Capability[HasVariance] = Capability("its variance", "variance()")
MOMENTS: Capability[HasMoments] = Capability("its covariances from moments", "mean_covariances()")
FINITE: Capability[HasAnswers] = Capability("a finite support", "probabilities_of()", "answers()")
EXACT_NUMBERS: Capability[Exactly] = Capability("its numbers exactly", "to_exact()")
KERNEL_NOISE: Capability[HasKernelNoise] = Capability("its kernel arguments", "kernel_noise()")
KERNEL_BATCH: Capability[HasKernelBatch] = Capability("its kernel arguments", "kernel_batch()")
UNSCALED: Capability[HasUnscaled] = Capability("it in other units", "unscaled()")

#: Any of these makes an object an oracle.
ENOUGH: tuple[Capability[Any], ...] = (DRAWS, KEYED, COVARIANCE, MOMENTS, FINITE)


def is_noisy(oracle: AnyOracle) -> bool:
    """Whether the answers differ from the gradients; so they do unless the oracle says ``noisy = False``."""
    return bool(getattr(oracle, "noisy", True))


def check_oracle(problem: Problem, oracle: AnyOracle) -> None:
    """Raise ``ValueError`` if an oracle cannot serve a problem: no samples, too large a batch, a wrong shape."""
    if isinstance(oracle, type) or not any(one.offered_by(oracle) for one in ENOUGH):
        raise ValueError(
            f"oracle={shown(oracle)} is unknown; expected Exact, MiniBatch, AdditiveNoise, FiniteSupportNoise, or an "
            "object with draw(), covariance() or answers()"
        )
    check: Callable[[Problem], None] | None = getattr(oracle, "check", None)
    if check is not None:
        check(problem)


def variance_of(oracle: AnyOracle, problem: Problem, x: Array, reader: str) -> Array:
    """Traces of the covariances of all clients at a common point, ``(..., d) -> (..., N)``.

    Raises
    ------
    ValueError : an oracle without covariances.
    """
    if VARIANCE.offered_by(oracle):
        return VARIANCE.of(oracle, reader).variance(problem, x)
    known = COVARIANCE.of(oracle, reader)
    traces = [np.trace(known.covariance(problem, k, x), axis1=-2, axis2=-1) for k in range(problem.n_clients)]
    return np.stack(traces, axis=-1)
