"""Adam at the server against plain NumPy; ``decide``, the one word that looks at values, is refused where rounds are linear."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms import Adam, FedOpt, GradientStep, HeavyBall
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.oracles import AdditiveNoise
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.readings import cost, enumerate_moments, moments, rational_functions, round_map, trajectory
from fltheory.readings.gram import program
from fltheory.readings.table import table_moments

START = np.array([1.0, -2.0])
CENTRE = QuadraticProblem(np.array([[[3.0, -1.0], [-1.0, 1.0]]]), np.array([[1.0, -2.0]]))
CLIENTS = QuadraticProblem(
    np.array([[[2.0, 1.0], [1.0, 3.0]], [[1.0, 0.0], [0.0, 3.0]], [[1.0, 0.0], [0.0, 1.0]]]),
    np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]),
)
MIXED = MixedProblem(CLIENTS, CENTRE)
B1, B2, EPS, ETA, CENTRAL, SERVER, MERGE = 0.8, 0.95, 1e-2, 0.1, 0.07, 0.05, 0.6


class PlainAdam:
    """Algorithm 2 of Reddi et al., or the same with the corrections of Kingma and Ba."""

    def __init__(self, corrected: bool) -> None:
        self.corrected, self.calls = corrected, 0
        self.m, self.v = np.zeros(2), np.full(2, 0.0 if corrected else EPS**2)

    def __call__(self, change: Any) -> Any:
        self.calls += 1
        self.m = B1 * self.m + (1 - B1) * change
        self.v = B2 * self.v + (1 - B2) * change**2
        m, v = self.m, self.v
        if self.corrected:
            m, v = m / (1 - B1**self.calls), v / (1 - B2**self.calls)
        return m / (np.sqrt(v) + EPS)


def plain(change: Any) -> Any:
    return change


def by_hand(kind: str, rounds: int, server: Any, central: Any = plain, merger: Any = plain) -> Any:
    """Two local and two central steps per round in plain loops."""
    x, u, v = START, np.zeros(2), np.zeros(2)
    path = [x]
    for _ in range(rounds):
        shift = {"fedopt": np.zeros(2), "parallel": np.zeros(2), "1-way": CENTRE.gradient(x), "2-way": u}[kind]
        changes = []
        for k in range(3):
            local = x
            for _ in range(2):
                local = local - ETA * (CLIENTS.matrices[k] @ local - CLIENTS.vectors[k] + shift)
            changes.append(local - x)
        mean = sum(changes) / 3
        moved = SERVER * server(mean)
        if kind in ("fedopt", "1-way"):
            x = x + moved
        else:
            y = x
            for _ in range(2):
                y = y + CENTRAL * central(-(CENTRE.gradient(y) + v))
            x, centre_moved = x + MERGE * merger(y - x + moved), y - x
            if kind == "2-way":
                u, v = -centre_moved / (ETA * 2) - v, -mean / (ETA * 2) - u
        path.append(x)
    return np.array(path)


def made(corrected: bool) -> Adam:
    return Adam(B1, B2, EPS, corrected)


@pytest.mark.parametrize("corrected", [False, True])
def test_against_plain_loops(corrected: bool) -> None:
    server = made(corrected)
    for kind, problem, algorithm in (
        ("fedopt", CLIENTS, FedOpt(2, ETA, SERVER, server=server)),
        ("parallel", MIXED, fl.ParallelTraining(2, ETA, CENTRAL, SERVER, MERGE, server=server)),
        ("1-way", MIXED, fl.OneWayGradientTransfer(2, ETA, SERVER, server=server)),
        ("2-way", MIXED, fl.TwoWayGradientTransfer(2, ETA, CENTRAL, SERVER, MERGE, server=server)),
    ):
        wanted = by_hand(kind, 6, PlainAdam(corrected))
        np.testing.assert_allclose(trajectory(problem, algorithm, rounds=6, start=START).models, wanted, rtol=1e-12)
        run = fl.simulate(problem, algorithm, rounds=6, runs=2, start=START, backend="numpy")
        np.testing.assert_allclose(run.final, [wanted[-1]] * 2, rtol=1e-12)


@pytest.mark.parametrize("corrected", [False, True])
def test_central_and_merging_optimiser(corrected: bool) -> None:
    """Memories of three optimisers side by side; the central one is called once per central step."""
    adam = made(corrected)
    parallel = fl.ParallelTraining(2, ETA, CENTRAL, SERVER, MERGE, server=HeavyBall(0), central=adam, merger=adam)
    wanted = by_hand("parallel", 5, plain, PlainAdam(corrected), PlainAdam(corrected))
    np.testing.assert_allclose(trajectory(MIXED, parallel, rounds=5, start=START).models, wanted, rtol=1e-12)
    both = fl.TwoWayGradientTransfer(2, ETA, CENTRAL, SERVER, MERGE, server=adam, merger=adam)
    wanted = by_hand("2-way", 5, PlainAdam(corrected), plain, PlainAdam(corrected))
    np.testing.assert_allclose(trajectory(MIXED, both, rounds=5, start=START).models, wanted, rtol=1e-12)


def test_enumeration_follows_every_branch() -> None:
    """Sums over branches need no linear round; a start that decides is still refused."""
    algorithm = FedOpt(2, ETA, SERVER, fl.Original(1), made(True))
    found = enumerate_moments(CLIENTS, algorithm, rounds=2, start=START)
    ends = [
        trajectory(CLIENTS, algorithm, rounds=2, start=START, cohorts=[(a,), (b,)]).models[-1]
        for a in range(3)
        for b in range(3)
    ]
    np.testing.assert_allclose(found.mean[-1], np.mean(ends, axis=0), rtol=1e-12)
    with pytest.raises(ValueError, match="looks at values"):
        enumerate_moments(CLIENTS, FedOpt(2, ETA, SERVER, fl.Original(1), made(False)), rounds=1)


def test_fedopt_with_a_gradient_step_is_fedavg() -> None:
    for participation in (fl.Full(), fl.Original(2)):
        left, right = (
            fl.simulate(CLIENTS, algorithm, rounds=5, runs=3, start=START, oracle=AdditiveNoise(0.1))
            for algorithm in (FedOpt(3, ETA, participation=participation), fl.FedAvg(3, ETA, participation))
        )
        np.testing.assert_allclose(left.final, right.final, rtol=1e-12)
    both = (FedOpt(3, ETA, SERVER, fl.Original(2)), fl.TwoSidedFedAvg(3, ETA, SERVER, fl.Original(2)))
    one, two = (fl.simulate(CLIENTS, algorithm, rounds=5, runs=3, start=START) for algorithm in both)
    np.testing.assert_array_equal(one.final, two.final)
    exact = trajectory(CLIENTS, FedOpt(3, Fraction(1, 10)), rounds=2, exact=True).models
    assert (exact == trajectory(CLIENTS, fl.FedAvg(3, Fraction(1, 10)), rounds=2, exact=True).models).all()


def test_momentum_of_the_other_optimisers_in_linear_readings() -> None:
    heavy = HeavyBall(Fraction(1, 3))
    algorithm = fl.ParallelTraining(2, Fraction(1, 10), Fraction(1, 15), server=heavy, central=heavy, merger=heavy)
    step = round_map(MIXED, algorithm, exact=True, start=[1, -2])
    walked = trajectory(MIXED, algorithm, rounds=3, start=[1, -2], exact=True).models
    assert (step.model @ step(step(step(step.start))) == walked[-1]).all()
    assert step.layout.size == 8


def sign(g: Any) -> Any:
    return np.sign(g)


@dataclass(frozen=True)
class Signs:
    """The sign of the mean gradient: linear nowhere, and without memory."""

    rule: Any = sign

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        return w - 0.125 * fed.decide(self.rule, fed.average(fed.gradient(fed.send(w))))


class Root:
    """A model that looks at values, after linear rounds."""

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        return w

    def model(self, fed: Any, w: Any) -> Any:
        return fed.decide(np.square, w)


ADAMS = [
    FedOpt(1, Fraction(1, 10), server=Adam()),
    FedOpt(1, Fraction(1, 10), server=Adam(bias_corrected=True)),
    FedOpt(1, Fraction(1, 10), participation=fl.Original(2), server=Adam()),
    Signs(),
    Root(),
]


@pytest.mark.parametrize("number", range(len(ADAMS)))
def test_linear_readings_and_exact_numbers_refuse(number: int) -> None:
    algorithm = ADAMS[number]
    field, _ = rational_functions("a")
    for reading in (
        lambda: round_map(CLIENTS, algorithm, round=0),
        lambda: round_map(CLIENTS, algorithm, exact=True, round=0),
        lambda: round_map(CLIENTS, algorithm, numbers=field, round=0),
        lambda: fl.fixed_point(CLIENTS, algorithm),
        lambda: moments(CLIENTS, algorithm, rounds=1, oracle=AdditiveNoise(0.1)),
        lambda: table_moments(CLIENTS, algorithm, rounds=1, oracle=AdditiveNoise(0.1)),
        lambda: trajectory(CLIENTS, algorithm, rounds=1, exact=True, cohorts=[(0, 1)] if number == 2 else None),
        lambda: enumerate_moments(CLIENTS, algorithm, rounds=1, exact=True),
        lambda: program(algorithm, rounds=1),
        lambda: fl.stability_limit(CLIENTS, lambda rate: algorithm, upper=0.1),
    ):
        with pytest.raises(ValueError, match="looks at values"):
            reading()  # type: ignore[no-untyped-call]


def test_affine_and_table_federations_refuse_by_themselves() -> None:
    """The words are refused in the reading itself, not only on entry."""
    from fltheory.readings.affine import read_round
    from fltheory.readings.entry import enter, open_state
    from fltheory.readings.table import TableFederation

    entry = enter(CLIENTS, Signs())
    opening = open_state(entry)
    with pytest.raises(ValueError, match="affine"):
        read_round(entry, opening, 0, None)
    fed = TableFederation(entry, None, None)
    fed.begin(0, np.zeros((1, 2)), np.zeros((1, 1, 2, 2)))
    with pytest.raises(ValueError, match="table"):
        Signs().round(fed, fed.state(opening.layout, opening.template))


def test_costs_and_floats_are_told() -> None:
    found = cost(CLIENTS, FedOpt(2, 0.1, server=Adam()))
    assert (found.down, found.up, found.gradients) == (1, 1, 2)
    step = trajectory(CLIENTS, Signs(), rounds=1, start=START).models
    np.testing.assert_array_equal(step[1], START - 0.125 * np.sign(CLIENTS.gradient(START)))


def test_runs_stay_apart() -> None:
    """A run's numbers do not depend on the runs beside it."""
    algorithm = FedOpt(2, ETA, 0.1, fl.Original(2), made(True))
    together = fl.simulate(CLIENTS, algorithm, rounds=4, runs=3, oracle=AdditiveNoise(0.1), chunk=3)
    apart = fl.simulate(CLIENTS, algorithm, rounds=4, runs=3, oracle=AdditiveNoise(0.1), chunk=1)
    np.testing.assert_array_equal(together.final, apart.final)


def test_wrong_use() -> None:
    for arguments, words in ((dict(beta1=1), "beta1=1"), (dict(beta2=-0.1), "beta2"), (dict(epsilon=0), "epsilon=0")):
        with pytest.raises(ValueError, match=words):
            Adam(**arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="renewal"):
        fl.TwoWayGradientTransfer(2, ETA, CENTRAL, central=Adam())
    assert fl.TwoWayGradientTransfer(2, ETA, CENTRAL, central=GradientStep()).central == GradientStep()
    with pytest.raises(ValueError, match="decide has shape"):
        trajectory(CLIENTS, Signs(lambda g: g[:, :1]), rounds=1)
    with pytest.raises(ValueError, match="read-only"):
        trajectory(CLIENTS, Signs(lambda g: np.negative(g, out=g)), rounds=1)

    class Clients(Signs):
        def round(self, fed: Any, w: Any) -> Any:
            return fed.decide(sign, fed.send(w))

    with pytest.raises(TypeError, match="ClientVector"):
        trajectory(CLIENTS, Clients(), rounds=1)
