"""Partial averaging and numbers per coordinate: every reading says the same, or why it does not; counts per layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems.samples import QuadraticSamples
from fltheory.readings.enumeration import enumerate_moments
from fltheory.readings.gram import ProgramFederation, program
from fltheory.readings.table import table_moments


def exactly(values: Any) -> Any:
    given = np.array(values, dtype=object)
    return np.array([F(entry) for entry in given.ravel()], dtype=object).reshape(given.shape)


def coupled(shift: int) -> QuadraticSamples:
    """Two samples whose matrices tie all coordinates together."""
    matrices = exactly([[[2 + shift, 1, 0], [1, 3, 1], [0, 1, 2]], [[3, -1, 1], [-1, 2 + shift, 0], [1, 0, 1]]])
    return QuadraticSamples(matrices, exactly([[1, shift, 2], [-1, 1, 3 * shift]]))


PROBLEM = fl.with_blocks(fl.QuadraticProblem.from_samples([coupled(0), coupled(1)]), {"first": 1, "second": 2})
START = exactly([1, -2, 3])
NOISE = fl.FiniteSupportNoise(exactly([[1, 0, 2], [-1, 0, -2]]), exactly(["1/2", "1/2"]))


@dataclass(frozen=True)
class Written:
    """An algorithm whose round is given."""

    text: Callable[[Any, Any], Any]
    participation: Any = fl.Full()

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        return self.text(fed, w)


def stepped(fed: Any, x: Any) -> Any:
    return x - fed.gradient(x) / 20


def apart(fed: Any, w: Any) -> Any:
    """The layers are averaged one after the other."""
    x = fed.layers(["second"], stepped(fed, fed.send(w)))
    x = fed.layers([0], stepped(fed, x))
    return fed.average(stepped(fed, x))


def stretched(fed: Any, w: Any) -> Any:
    """Numbers per block on the clients' vectors and on the server's."""
    x = fed.scale([1, 3], stepped(fed, fed.send(w)))
    return fed.scale((F(1, 2), F(1, 3)), fed.average(stepped(fed, x)))


def by_coordinate(fed: Any, w: Any) -> Any:
    return w - fed.scale([F(1), F(1, 2), F(1, 3)], w - fed.average(stepped(fed, fed.send(w))))


@pytest.mark.parametrize("text", [apart, stretched])
@pytest.mark.parametrize("oracle", [None, NOISE, fl.MiniBatch(1)])
def test_affine_table_and_enumeration_are_equal(text: Any, oracle: Any) -> None:
    one = Written(text)
    affine = fl.moments(PROBLEM, one, rounds=2, oracle=oracle, start=START, exact=True)
    table = table_moments(PROBLEM, one, rounds=2, oracle=oracle, start=START, exact=True)
    assert (affine.mean == table.mean).all() and (affine.deviations == table.deviations).all()
    rounds = 2 if oracle is None else 1
    listed = enumerate_moments(PROBLEM, one, rounds=rounds, oracle=oracle, start=START, exact=True)
    assert (affine.deviations[: rounds + 1] == listed.deviations).all()


def test_a_layer_that_is_not_due_stays_at_the_clients() -> None:
    """By hand: the first layer is averaged after one step, the second after two."""
    run = fl.trajectory(PROBLEM, Written(lambda fed, w: _first_only(fed, w)), rounds=1, start=START, exact=True)
    x = np.stack([START, START])
    x = x - PROBLEM.client_gradients(x) / 20
    x[:, 0] = x[:, 0].sum() / 2
    x = x - PROBLEM.client_gradients(x) / 20
    assert run.models[-1].tolist() == (x.sum(axis=0) / 2).tolist()


def _first_only(fed: Any, w: Any) -> Any:
    return fed.average(stepped(fed, fed.layers(["first"], stepped(fed, fed.send(w)))))


def test_round_map_and_kernels() -> None:
    found = fl.round_map(PROBLEM, Written(apart), exact=True)
    run = fl.trajectory(PROBLEM, Written(apart), rounds=1, start=START, exact=True)
    assert found(START).tolist() == run.models[-1].tolist()
    floats = PROBLEM.to_float()
    plain = fl.simulate(floats, Written(apart), rounds=2, start=START.astype(float), backend="numpy")
    again = fl.simulate(floats, Written(apart), rounds=2, start=START.astype(float))
    np.testing.assert_allclose(plain.final, again.final, rtol=1e-13)
    limit = fl.fixed_point(PROBLEM, Written(apart), exact=True)
    assert found(limit).tolist() == list(limit)


@pytest.mark.parametrize("scheme", [fl.SchemeII(1), fl.SchemeI(2), fl.Original(1)])
def test_a_second_average_of_a_cohort_is_mixed_over_the_cohorts(scheme: Any) -> None:
    for read in (fl.moments, table_moments, fl.round_map):
        with pytest.raises(ValueError, match="mix over the cohorts with enumerate_moments"):
            read(PROBLEM, Written(_first_only, scheme), **({} if read is fl.round_map else {"rounds": 1}))
    if isinstance(scheme, fl.Original):
        with pytest.raises(ValueError, match="gives weight to absent clients"):
            enumerate_moments(PROBLEM, Written(_first_only, scheme), rounds=1)
        return
    mixed = enumerate_moments(PROBLEM, Written(_first_only, scheme), rounds=1, start=START, exact=True)
    runs = [
        fl.trajectory(PROBLEM, Written(_first_only, scheme), rounds=1, start=START, exact=True, cohorts=[outcome])
        for outcome in scheme.outcomes(list(PROBLEM.weights))
    ]
    chances = [outcome.probability for outcome in scheme.outcomes(list(PROBLEM.weights))]
    mean = sum(chance * run.models[-1] for chance, run in zip(chances, runs, strict=True))
    assert mixed.mean[-1].tolist() == mean.tolist()


@pytest.mark.parametrize("scheme", [fl.Full(), fl.SchemeII(1), fl.SchemeI(2)])
def test_numbers_per_coordinate_under_sampling(scheme: Any) -> None:
    one = Written(by_coordinate, scheme)
    affine = fl.moments(PROBLEM, one, rounds=2, start=START, exact=True)
    listed = enumerate_moments(PROBLEM, one, rounds=2, start=START, exact=True)
    assert (affine.deviations == listed.deviations).all()
    with pytest.raises(ValueError, match="one coefficient per block"):
        table_moments(PROBLEM, one, rounds=1)
    finest = fl.with_blocks(PROBLEM, [1, 1, 1])
    table = table_moments(finest, one, rounds=2, start=START, exact=True)
    assert (affine.deviations == table.deviations).all()


def test_what_is_no_number_per_coordinate() -> None:
    for text, error, words in (
        (lambda fed, w: fed.scale(w, w), TypeError, "a product of two vectors is not linear"),
        (lambda fed, w: fed.scale([1, 2], 3), TypeError, "expected a vector of this reading"),
        (lambda fed, w: fed.scale([0.5, 0.5], w), TypeError, "entered an exact run"),
        (lambda fed, w: fed.scale([1, 2, 3, 4], w), ValueError, "scale got 4 numbers"),
        (lambda fed, w: fed.average(fed.layers(["third"], fed.send(w))), ValueError, "block 'third' is unknown"),
        (lambda fed, w: fed.average(fed.layers([True], fed.send(w))), ValueError, "one for each of 2 blocks"),
    ):
        for read in (fl.trajectory, fl.moments, table_moments):
            with pytest.raises(error, match=words):
                read(PROBLEM, Written(text), rounds=1, exact=True)


def decided(fed: Any, w: Any) -> Any:
    x = stepped(fed, fed.send(w))
    due = fed.decide(lambda values: (values > 0).astype(float), w)
    return fed.average(stepped(fed, fed.layers(due, x)))


def test_layers_that_values_decide() -> None:
    """Run by run, in floats; readings without values say so."""
    floats = PROBLEM.to_float()
    starts = np.array([[1.0, -2.0, 3.0], [-1.0, 2.0, 3.0]])
    run = fl.simulate(floats, Written(decided), rounds=1, runs=2, start=starts, backend="numpy")
    for start, final in zip(starts, run.final, strict=True):
        x = np.stack([start, start])
        x = x - floats.client_gradients(x) / 20
        x[:, start > 0] = x[:, start > 0].mean(axis=0)
        x = x - floats.client_gradients(x) / 20
        np.testing.assert_allclose(final, x.mean(axis=0), rtol=1e-13)
    for read in (fl.moments, table_moments):
        with pytest.raises(ValueError, match="looks at values is not linear"):
            read(floats, Written(decided), rounds=1)
    with pytest.raises(ValueError, match="the cost reading knows none"):
        fl.cost(floats, Written(decided))


def clients_decide(fed: Any, w: Any) -> Any:
    x = stepped(fed, fed.send(w))
    return fed.average(fed.decide(lambda a, b: np.maximum(a, b), x, fed.send(w)))


def test_clients_decide_each_for_itself() -> None:
    floats = PROBLEM.to_float()
    x = np.stack([START, START]).astype(float)
    expected = np.maximum(x - floats.client_gradients(x) / 20, x).mean(axis=0)
    np.testing.assert_allclose(
        fl.trajectory(floats, Written(clients_decide), rounds=1, start=x[0]).models[-1], expected
    )
    run = fl.simulate(floats, Written(clients_decide, fl.SchemeII(1)), rounds=1, runs=4, start=x[0])
    assert run.completed
    with pytest.raises(TypeError, match="decide got a ClientVector"):
        mixed = Written(lambda fed, w: fed.decide(np.add, w, fed.send(w)))
        fl.trajectory(floats, mixed, rounds=1)


# --- cost


def test_costs_are_counted_by_layer() -> None:
    found = fl.cost(PROBLEM, Written(_first_only), rounds=4)
    assert found.by_layer("up").tolist() == found.by_layer("down").tolist() == [[2, 1]] * 4
    assert [total.most for total in found.layer_totals("up")] == [16, 8]
    assert found.numbers_sent == 2 * 2 * 4 * (1 * 2 + 2 * 1)
    assert found.gradients == 2 and "up in all={'first': 16, 'second': 8}" in repr(found)
    for read in (lambda: found.up, lambda: found.total("down"), lambda: found.round(0).by_client("up")):
        with pytest.raises(ValueError, match="differs from layer to layer: see by_layer"):
            read()
    sizes = fl.cost((2, PROBLEM.blocks), Written(_first_only), rounds=4)
    assert sizes.numbers_sent == found.numbers_sent


def test_whole_models_are_counted_as_before() -> None:
    def everything(fed: Any, w: Any) -> Any:
        return fed.average(stepped(fed, fed.layers((True, True), stepped(fed, fed.send(w)))))

    found = fl.cost(PROBLEM, Written(everything))
    assert found.up == found.down == 2 and found.by_layer("up").tolist() == [[2, 2]] and not found.round(0).layers
    plain = fl.cost(PROBLEM, fl.FedAvg(2, 0.1), rounds=3)
    assert plain.up == 1 and plain.numbers_sent == 2 * 2 * 3 * 3 and plain.by_layer("up").tolist() == [[1, 1]] * 3


def test_what_a_layer_need_not_send() -> None:
    """A layer that is multiplied by zero costs nothing; one whose coordinates differ is sent whole."""

    def first_alone(fed: Any, w: Any) -> Any:
        return w + fed.average(fed.scale([1, 0], stepped(fed, fed.send(w))))

    assert fl.cost(PROBLEM, Written(first_alone)).by_layer("up").tolist() == [[1, 0]]

    def two(fed: Any, w: Any) -> Any:
        x = stepped(fed, fed.send(w))
        return fed.average(x) + fed.average(fed.scale([2, 2, 3], x)) + fed.average(fed.scale([1, 0, 1], x))

    assert fl.cost(PROBLEM, Written(two)).up == 1

    def unequal(fed: Any, w: Any) -> Any:
        x = stepped(fed, fed.send(w))
        y = stepped(fed, x)
        return fed.average(x) + fed.average(x + fed.scale([0, 0, 1], y))

    assert fl.cost(PROBLEM, Written(unequal)).by_layer("up").tolist() == [[1, 2]]


# --- the Gram reading: one orthogonal space per block


def test_programs_of_whole_models_and_what_has_none() -> None:
    def whole(fed: Any, w: Any) -> Any:
        return fed.scale([2, 2], fed.average(stepped(fed, fed.layers((True, True), stepped(fed, fed.send(w))))))

    def again(fed: Any, w: Any) -> Any:
        x = fed.send(fed.average(stepped(fed, fed.send(w))))
        return 2 * fed.average(stepped(fed, x))

    assert program(Written(whole), rounds=1) == program(Written(again), rounds=1)
    for text in (apart, _first_only, stretched, in_parts, lambda fed, w: len(fed.blocks) * w):
        with pytest.raises(ValueError, match="and no coordinates"):
            program(Written(text), rounds=1)
    with pytest.raises(ValueError, match="in worst cases without noise only"):
        program(Written(in_parts), rounds=1, blocks=True, noisy=True)
    with pytest.raises(ValueError, match="does not commute with translations"):
        program(Written(lambda fed, w: fed.scale((1, 2), w)), rounds=1, blocks=True)
    for text in (
        lambda fed, x: fed.layers((True, False, True), x),
        lambda fed, x: fed.scale([1, 2, 3], fed.gradient(x)),
    ):
        with pytest.raises(ValueError, match="3 blocks are named where there were 2"):
            three = Written(lambda fed, w, text=text: fed.average(text(fed, fed.layers((True, False), fed.send(w)))))
            program(three, rounds=1, blocks=True)
    with pytest.raises(ValueError, match="expected one truth value for each block"):
        program(Written(lambda fed, w: fed.average(fed.layers(["first"], fed.send(w)))), rounds=1, blocks=True)


def in_parts(fed: Any, w: Any) -> Any:
    """All that blocks may be asked: averaged in parts twice, and multiplied by numbers that differ."""
    x = fed.layers((True, False), stepped(fed, fed.send(w)))
    x = fed.layers((False, True), stepped(fed, x))
    x = fed.layers((True, False), stepped(fed, x - fed.scale([F(1), F(1, 2)], fed.gradient(x)) / 30))
    moved = fed.scale([F(1, 2), F(3)], fed.average(x) - w)
    return w + fed.scale([F(2), F(1, 3)], moved) / 2


def test_a_program_with_true_parts_is_the_run() -> None:
    """Given parts take the values of true projections: then the registers are those of the arrays."""
    fed = ProgramFederation(fl.Full(), noisy=False, n_clients=None, blocks=True)
    start = fed.given()
    fed.begin(0)
    model = fed.register(in_parts(fed, start))
    assert fed.parts is not None
    masks = [np.array(PROBLEM.blocks.coordinates([block]), dtype=int) for block in (0, 1)]
    true = {place: (r, masks[0]) for r, (first, _) in fed.parts.split.items() for place in first}
    values: list[Any] = []
    for place, item in enumerate(fed.recorder.instructions):
        if item[0] == "given":
            values.append(values[true[place][0]] * true[place][1] if place in true else np.stack([START, START]))
        elif item[0] == "combine":
            values.append(sum((factor * values[r] for factor, r in item[1]), 0 * values[0]))
        elif item[0] == "gradient":
            values.append(PROBLEM.client_gradients(values[item[1]]))
        else:
            values.append(np.stack([values[item[1]].sum(axis=0) / 2] * 2))
    run = fl.trajectory(PROBLEM, Written(in_parts), rounds=1, start=START, exact=True)
    assert values[model][0].tolist() == run.models[-1].tolist()
    for left, right, clients in fed.parts.orthogonal():
        first, second = (sum(factor * values[r] for r, factor in terms.items()) for terms in (left, right))
        assert (first * second).sum() == 0
        assert not clients or (first.sum(axis=0) * second.sum(axis=0)).sum() == 0


class _Bounded:
    """Quadratics with curvature in ``[1/10, 1]`` in two layers of one coordinate, minimiser 0, unit heterogeneity."""

    def __init__(self, rng: Any) -> None:
        basis = [np.linalg.qr(rng.normal(size=(2, 2)))[0] for _ in range(2)]
        ends = rng.choice([0.1, 1.0], size=(2, 2))
        matrices = np.stack([q @ np.diag(e) @ q.T for q, e in zip(basis, ends, strict=True)])
        away = rng.normal(size=2)
        away /= np.linalg.norm(away)
        symmetric = (matrices + matrices.swapaxes(1, 2)) / 2
        self.problem = fl.with_blocks(fl.QuadraticProblem(symmetric, np.stack([away, -away])), [1, 1])
        start = rng.normal(size=2)
        self.start = start / np.linalg.norm(start)


def test_worst_cases_with_layers() -> None:
    """No run exceeds the certified bound, which lies above FedAvg's of either interval: a block may hold everything."""
    from fltheory.worstcase import verifier

    eta, clients = F(1, 2), fl.SmoothStronglyConvex(mu=F(1, 10), L=1)
    one = fl.FedLAMA(1, 2, eta, intervals=(1, 2))
    found = fl.worst_case(one, clients)
    assert found.upper is not None and found.certificate is not None
    verifier.verify(found.certificate)
    short = fl.worst_case(fl.FedAvg(1, eta), clients, rounds=2)
    long = fl.worst_case(fl.FedAvg(2, eta), clients)
    assert float(found.upper) >= max(short.value, long.value) - 1e-6
    rng = np.random.default_rng(0)
    largest = 0.0
    for _ in range(200):
        case = _Bounded(rng)
        last = fl.trajectory(case.problem, fl.FedLAMA(1, 2, 0.5, intervals=(1, 2)), rounds=1, start=case.start).models[
            -1
        ]
        largest = max(largest, float(last @ last))
    assert 0.5 * float(found.upper) < largest <= float(found.upper)


def test_what_orthogonality_forbids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it parts may be anything, and nothing is bounded."""
    from fltheory.worstcase import formulation

    eta, clients = F(1, 2), fl.SmoothStronglyConvex(mu=F(1, 10), L=1)
    one = fl.FedLAMA(1, 2, eta, intervals=(1, 2))
    bounded = fl.worst_case(one, clients, certify=False).solver_value
    monkeypatch.setattr(formulation, "orthogonal_parts", lambda analysis: [])
    free = fl.worst_case(one, clients, certify=False, time_limit=30)
    assert not free.solver_value <= 1.5 * bounded or free.status in ("unbounded", "perhaps unbounded")


def test_numbers_per_block_in_worst_cases() -> None:
    """Gradient steps whose sizes differ between blocks: on the class the worst of the two, one block holding everything."""

    def stepwise(fed: Any, w: Any) -> Any:
        return w - fed.scale([F(1, 2), F(1, 4)], fed.average(fed.gradient(fed.send(w))))

    clients = fl.SmoothStronglyConvex(mu=F(1, 2), L=1)
    found = fl.worst_case(Written(stepwise), clients, heterogeneity="none")
    slow = fl.worst_case(fl.FedAvg(1, F(1, 4)), clients, heterogeneity="none")
    assert found.upper is not None and float(found.upper) >= slow.value - 1e-7
