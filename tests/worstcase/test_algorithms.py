"""Every algorithm has its worst case: its program is its own round, its certificates hold, and the rest is refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.readings.arrays import ArrayFederation
from fltheory.readings.draws import ExactDraws
from fltheory.readings.gram import Program, program
from fltheory.readings.numbers import RATIONAL, convert_algorithm
from fltheory.readings.trajectory import trajectory

F = Fraction
ETA = F(1, 8)
CLASS = fl.SmoothStronglyConvex(F(1, 10), 1)


@dataclass(frozen=True)
class FedProx:
    """``x <- x - eta (g(x) + lam (x - w))``: all that a user writes."""

    local_steps: int
    step_size: Any
    prox: Any

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        begin = x = fed.send(w)
        for _ in range(self.local_steps):
            x = x - self.step_size * (fed.gradient(x) + self.prox * (x - begin))
        return fed.average(x)


FEDERATED = {
    "fedavg": fl.FedAvg(2, ETA),
    "fedprox": FedProx(2, ETA, F(1, 2)),
    "the package's fedprox": fl.FedProx(2, ETA, F(1, 2)),
    "two-sided": fl.TwoSidedFedAvg(2, ETA, F(3, 2)),
    "restarted": fl.ParallelRestartedSGD(2, ETA),
    "scaffold I": fl.Scaffold(2, ETA, F(3, 2), option="I"),
    "scaffold II": fl.Scaffold(2, ETA, F(3, 2)),
    "corrected": fl.GradientCorrected(2, ETA, F(3, 2)),
    "elastic": fl.SimplifiedElastic(2, ETA, F(3, 2), F(3, 4)),
    "mime-lite": fl.MimeLite(2, ETA, F(1, 3)),
}
CENTRAL = {
    "parallel": fl.ParallelTraining(2, ETA, F(1, 10), F(3, 4), F(5, 4), 3),
    "1-way": fl.OneWayGradientTransfer(2, ETA, F(3, 4)),
    "2-way": fl.TwoWayGradientTransfer(2, ETA, F(1, 10), F(3, 4), F(5, 4), 3),
}
ALGORITHMS = FEDERATED | CENTRAL


def random_problem(seed: int, *, n_clients: int = 3, dimension: int = 2) -> MixedProblem:
    """Rational quadratics with eigenvalues in [1/10, 1] and unequal weights."""
    rng = np.random.default_rng(seed)

    def fractions(*shape: int) -> Any:
        return np.array([F(int(i), 7) for i in rng.integers(-14, 15, int(np.prod(shape)))], dtype=object).reshape(shape)

    def curvatures(count: int) -> Any:
        """``Q' diag Q`` with rational rotations ``Q``."""
        found = []
        for _ in range(count):
            slope = F(int(rng.integers(-9, 10)), 5)
            cosine, sine = (1 - slope**2) / (1 + slope**2), 2 * slope / (1 + slope**2)
            turn = np.array([[cosine, sine], [-sine, cosine]], dtype=object)
            values = np.diag([F(int(i), 20) for i in rng.integers(2, 21, dimension)])
            found.append(turn.T @ (values + F(0)) @ turn)
        return np.stack(found)

    matrices, centre = curvatures(n_clients), curvatures(1)
    vectors = (matrices @ fractions(n_clients, dimension)[..., None])[..., 0]
    parts = rng.integers(1, 6, n_clients)
    weights = np.array([F(int(part), int(parts.sum())) for part in parts], dtype=object)
    clients = QuadraticProblem(matrices, vectors, weights=weights)
    return MixedProblem(clients, QuadraticProblem(centre, (centre @ fractions(1, dimension)[..., None])[..., 0]))


def replay(program: Program, problem: Any, start: Any, noises: Any = None) -> list[Any]:
    """Every instruction on numbers; points are kept relative to the minimiser, as the program has them."""
    origin, n = problem.constants.minimiser, problem.n_clients
    registers: list[Any] = []

    def of_clients(place: int) -> Any:
        return np.broadcast_to(registers[place], (n, problem.dimension))

    def combine(terms: Any) -> Any:
        total = origin * 0
        for factor, place in terms:
            total = total + factor * registers[place]
        return total

    perform = {
        "given": lambda who, degree: start - origin,
        "combine": combine,
        "gradient": lambda place: problem.client_gradients(of_clients(place) + origin),
        "centre": lambda place: problem.centre_gradient(registers[place] + origin),
        "average": lambda place: (problem.weights[:, None] * of_clients(place)).sum(axis=0),
        "noise": lambda draw: noises[draw],
    }
    for item in program.instructions:
        registers.append(perform[item[0]](*item[1:]))
    return [registers[place] + origin for place in program.models]


def problem_for(name: str, seed: int) -> Any:
    mixed = random_problem(seed)
    return mixed if name in CENTRAL else mixed.clients


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_program_replayed_is_the_run(name: str) -> None:
    algorithm, start = ALGORITHMS[name], np.array([F(2), F(-3, 2)], dtype=object)
    traced = program(algorithm, rounds=2)
    for seed in range(3):
        problem = problem_for(name, seed)
        models = trajectory(problem, algorithm, rounds=2, start=start, exact=True).models
        replayed = replay(traced, problem, start)
        assert all((a == b).all() for a, b in zip(replayed, models, strict=True))
    # The comparison can fail: a step size that differs by 1/1000 shows.
    other = program(replace(algorithm, step_size=ETA * F(1001, 1000)), rounds=2)
    assert (replay(other, problem, start)[1] != models[1]).any()


@dataclass(frozen=True)
class GivenNoise(ExactDraws):
    """Draw ``t`` of the whole run adds ``noises[t]``."""

    noises: Any = None
    calls: int = 1

    def gradient(self, round: int, step: int, x: Any, clients: Any, occurrence: Any) -> Any:
        return super().gradient(round, step, x, clients, occurrence) + self.noises[round * self.calls + step]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_noisy_program_replayed_is_the_noisy_run(name: str) -> None:
    algorithm, problem, rounds = ALGORITHMS[name], problem_for(name, 5), 2
    traced = program(algorithm, rounds=rounds, noisy=True)
    rng = np.random.default_rng(0)
    noises = np.array([F(int(i), 9) for i in rng.integers(-9, 10, traced.draws * 6)], dtype=object).reshape(-1, 3, 2)
    draws = GivenNoise(problem, RATIONAL, noises=noises, calls=traced.draws // rounds)
    fed = ArrayFederation(problem, fl.Full(), draws, RATIONAL)
    exact, start = convert_algorithm(algorithm, RATIONAL), np.array([F(2), F(-3, 2)], dtype=object)
    state = exact.start(fed, fed.vector(start))
    for round in range(rounds):
        fed.begin(round)
        state = exact.round(fed, state)
    model = state[0] if isinstance(state, tuple) else state
    assert (replay(traced, problem, start, noises)[-1] == model.payload[0]).all()
    assert (replay(traced, problem, start, 2 * noises)[-1] != model.payload[0]).any()


def settings(name: str) -> dict[str, Any]:
    return {"centre": CLASS} if name in CENTRAL else {}


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_worst_cases_are_certified_and_bound_random_instances(name: str, rounds: int) -> None:
    algorithm = ALGORITHMS[name]
    worst = fl.worst_case(algorithm, CLASS, rounds=rounds, **settings(name))
    assert worst.status == "certified", worst
    assert worst.lower is not None and worst.upper is not None
    assert 0 < worst.lower <= worst.upper < 4 and worst.width < 1e-3
    for seed in range(5):
        problem = problem_for(name, seed)
        minimiser, start = problem.constants.minimiser, np.array([F(3), F(-2)], dtype=object)
        gradients = problem.client_gradients(np.broadcast_to(minimiser, (3, 2)))
        quantities = {
            "distance": ((start - minimiser) ** 2).sum(),
            "heterogeneity": (problem.weights[:, None] * gradients**2).sum(),
        }
        model = trajectory(problem, algorithm, rounds=rounds, start=start, exact=True).models[-1]
        assert ((model - minimiser) ** 2).sum() <= sum(f * quantities[q] for q, f in worst.bound.items())


def test_scaffold_over_an_arbitrary_state_of_alike_clients() -> None:
    for option in ("I", "II"):
        worst = fl.worst_case(
            fl.Scaffold(2, ETA, option=option),
            CLASS,
            heterogeneity="none",
            free_state=True,
            start={
                "distance": "distance",
                "control": lambda a: a.square(a.leaf(1, 0)),
                "client control": lambda a: a.square(a.leaf(2, 0)),
            },
        )
        assert worst.status == "certified", worst
        assert set(worst.bound) == {"distance", "control", "client control"}
        free = fl.worst_case(fl.Scaffold(2, ETA, option=option), CLASS, heterogeneity="none", free_state=True)
        assert free.status == "unbounded" and free.upper is None


def test_the_user_s_algorithm_is_fedavg_without_the_penalty() -> None:
    plain, prox = fl.worst_case(fl.FedAvg(2, ETA), CLASS), fl.worst_case(FedProx(2, ETA, 0), CLASS)
    assert plain.upper == prox.upper and plain.lower == prox.lower
    assert plain.lower > fl.worst_case(fl.FedAvg(2, ETA), CLASS, rounds=2).upper


@dataclass(frozen=True)
class Doubled:
    """Asks for a gradient at twice the model: no method that commutes with translations."""

    step_size: Any

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        return w - self.step_size * fed.average(fed.gradient(2 * fed.send(w)))


@dataclass(frozen=True)
class OwnRates:
    """Each client has a step size of its own."""

    rates: tuple[Any, ...]

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        x = fed.send(w)
        return fed.average(x - fed.per_client(self.rates) * fed.gradient(x))


@dataclass(frozen=True)
class CentreAtDirection:
    """Asks the server's loss at a direction."""

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        return w - fed.centre.gradient(fed.zero())


@pytest.mark.parametrize(
    ("algorithm", "reason"),
    [
        (Doubled(ETA), "a gradient at a vector of degree 2: the method does not commute with translations"),
        (CentreAtDirection(), "a gradient at a vector of degree 0"),
        (OwnRates((ETA, ETA)), "numbers per client: the Gram reading treats all clients alike"),
        (fl.Scaffold(2, ETA, participation=fl.SchemeI(2)), "state of a sampled cohort has no model here"),
        (fl.GradientCorrected(2, ETA, participation=fl.SchemeI(2)), "certify one round, then chain"),
        (fl.OneWayGradientTransfer(2, ETA), "name its class, centre="),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_has_no_model_is_refused_with_the_reason(algorithm: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        fl.worst_case(algorithm, CLASS, n_clients=4)
