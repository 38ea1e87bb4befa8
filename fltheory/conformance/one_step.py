"""A test for implementations of mixed FL: with one local step the algorithms are known iterations.

Augenstein et al., "Mixed Federated Learning" (2022), Appendix A.3, made exact.  At K = 1, eta_m = 1 and eta_c = eta eta_s
Parallel Training and 1-way GT are ``x+ = x - eta eta_s grad f(x)``.  2-way GT, whose augmenting gradients are those of the
round before, is for eta_s = 1, eta_c = eta, eta_m = 1/2 and exact initial gradients

    x_{t+1} = x_t - (eta/2) (grad f(x_t) + grad f(x_{t-1})),    x_{-1} = x_0,

and not the iteration of the other two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fltheory.algorithms.gradient_transfer import OneWayGradientTransfer, TwoWayGradientTransfer
from fltheory.algorithms.parallel_training import ParallelTraining
from fltheory.conformance.entry import conform
from fltheory.kinds import Floats
from fltheory.problems.base import check_count, check_positive
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.tables import Framed, Shown

Run = Callable[[Any, MixedProblem, Floats, int], Any]

#: How long each deviation is searched for.
SECONDS = 2.0
#: The cases of the test, smallest first; each names an algorithm with its rates.
CASES = {
    "parallel": ParallelTraining(1, 0.1, 0.15, 1.5, 1.0),
    "1-way": OneWayGradientTransfer(1, 0.1, 1.5),
    "2-way": TwoWayGradientTransfer(1, 0.1, 0.1, 1.0, 0.5, initial="gradients"),
}


@dataclass(frozen=True, repr=False)
class OneStepReport(Shown, Framed):
    """``deviations[case]``: the largest difference to the known iteration, relative to the path's largest model entry.

    ``named[case]``, for the cases that deviate, is what :func:`fltheory.conform` says of them with one local step.
    """

    deviations: dict[str, float]
    tolerance: float
    named: dict[str, str] = field(default_factory=dict)

    def headline(self) -> str:
        failed = f"{len(self.failures)} deviate: {', '.join(self.failures)}" if self.failures else "all follow theirs"
        return f"{len(self.deviations)} iterations, {failed}"

    def facts(self) -> list[tuple[str, str]]:
        said = {case: f"; {words}" for case, words in self.named.items()}
        return [(case, f"{value:.2g}{said.get(case, '')}") for case, value in self.deviations.items()]

    def records(self) -> list[dict[str, Any]]:
        """One dict per case: its deviation, and whether it is within the tolerance."""
        failed = self.failures
        return [
            {"case": c, "deviation": float(v), "follows": c not in failed, "named": self.named.get(c, "")}
            for c, v in self.deviations.items()
        ]

    @property
    def failures(self) -> tuple[str, ...]:
        """Cases that deviate by more than the tolerance, or are not finite."""
        return tuple(case for case, value in self.deviations.items() if not value <= self.tolerance)

    @property
    def passed(self) -> bool:
        """Whether every case follows its iteration."""
        return not self.failures


def one_step_check(run: Run, *, rounds: int = 6, tolerance: float = 1e-9) -> OneStepReport:
    """Run an implementation at K = 1 on a small quadratic problem and compare it with the known iterations.

    What deviates is then handed to :func:`fltheory.conform`, which names the deviation.

    Parameters
    ----------
    run : ``run(algorithm, problem, start, rounds)`` returns the models ``(rounds+1, d)`` of the implementation under test.
        ``algorithm`` says which method and rates are meant (its fields: ``step_size.value`` and so on), ``problem`` gives
        gradients: ``client_gradients(x)`` with ``x`` ``(N, d)``, ``centre_gradient(y)``; weights are uniform.
    rounds : how many rounds each case runs; two at least, since 2-way GT differs from the second round on.
    tolerance : largest relative deviation that passes.

    Raises
    ------
    ValueError : a ``run`` that cannot be called, or that raises (the case is named), ``rounds < 2``, a tolerance that is not
        positive, models of another shape.
    """
    if not callable(run):
        raise ValueError(f"run={run!r} cannot be called; expected a function run(algorithm, problem, start, rounds)")
    rounds = check_count("rounds", rounds, least=2)
    check_positive("tolerance", tolerance)
    problem, start = example()
    deviations = {}
    for case, algorithm in CASES.items():
        try:
            models = np.asarray(run(algorithm, problem, start.copy(), rounds), dtype=float)
        except (Exception, SystemExit) as error:
            raise ValueError(f"{case}: run({algorithm!r}, ...) raised {type(error).__name__}: {error}") from error
        if models.shape != (rounds + 1, problem.dimension):
            raise ValueError(f"{case}: models has shape {models.shape}; expected {(rounds + 1, problem.dimension)}")
        known = _known(case, problem, start, rounds)
        deviations[case] = float(np.abs(models - known).max() / np.abs(known).max())
    failed = OneStepReport(deviations, tolerance).failures
    return OneStepReport(deviations, tolerance, {case: _named(run, CASES[case]) for case in failed})


def _named(run: Run, algorithm: Any) -> str:
    """Which named deviation the run is, by :func:`conform` on its own problems, with one local step of every client."""
    try:
        return conform(run, type(algorithm).__name__, local_steps=1, seconds=SECONDS).sentence
    except ValueError as error:
        return f"which deviation it is cannot be told: {error}"


def example() -> tuple[MixedProblem, Floats]:
    """Three clients and a centre in the plane, no two alike, and a start."""
    clients = QuadraticProblem(
        np.array([[[1.0, 0.2], [0.2, 0.5]], [[0.4, 0.0], [0.0, 1.2]], [[0.7, -0.3], [-0.3, 0.9]]]),
        np.array([[1.0, 0.0], [-0.5, 2.0], [0.3, 0.7]]),
    )
    centre = QuadraticProblem(np.array([[[1.5, 0.4], [0.4, 0.8]]]), np.array([[-1.0, 0.5]]))
    return MixedProblem(clients, centre), np.array([1.0, -2.0])


def _known(case: str, problem: MixedProblem, start: Floats, rounds: int) -> Floats:
    path, last = [start], start
    for _ in range(rounds):
        now = path[-1]
        if case == "2-way":
            path.append(now - 0.05 * (problem.gradient(now) + problem.gradient(last)))
            last = now
        else:
            path.append(now - 0.15 * problem.gradient(now))
    return np.array(path)
