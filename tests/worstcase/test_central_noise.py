"""Noise of the server's own gradient: against trees, closed forms, quadratics, explicit functions; and what is refused."""

from __future__ import annotations

import copy
import itertools
import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.worstcase import certificate, verifier
from fltheory.worstcase.entry import build_model
from fltheory.worstcase.matching import certificate_matches
from fltheory.worstcase.multipliers import pair_keys
from fltheory.worstcase.sdp import ConicProgram
from fltheory.worstcase.solver import solve

CLASS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
NOISY: dict[str, Any] = {"centre": CLASS, "noise": True, "centre_noise": True}


def one_way(steps: int = 2, step_size: Any = Fraction(1, 4), **options: Any) -> Any:
    return fl.worst_case(fl.OneWayGradientTransfer(steps, step_size), CLASS, **{"n_clients": 3, **NOISY, **options})


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    found = one_way()
    assert found.status == "certified" and found.certificate is not None
    return json.loads(json.dumps(found.certificate))


# --- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 1, 3, 4, pytest.param(6, marks=pytest.mark.slow), *range(8, 16)])
def test_levels_equal_trees(script: Any, place: int) -> None:
    """Every outcome of the server and of each client as a node of one explicit program; sampled cohorts one by one."""
    trees = script("central_trees")
    case = trees.TREES[place]
    few = case.one_way and len(case.local) < 3
    row = trees.tree_row(case, other=few)
    assert row["difference"] < 1e-6
    assert row["engine_above_tree"] > -1e-6  # the engine is the limit of many outcomes
    if few:
        assert row["other_laws"] < 1e-6  # the first noises of a law that does not follow the server's draw: fewer laws


def test_parallel_training_excludes_noises_that_follow_the_servers(script: Any) -> None:
    trees = script("central_trees")
    case = trees.Case(False, 0.25, 0.1, (2, 2), (2, 2))
    assert trees.tree_value(case, follow=True) > 1.01 * trees.tree_value(case)


@pytest.mark.parametrize(("steps", "step_size", "mu", "outcomes"), [(1, 0.25, 0.1, (2, 2)), (2, 1.0, 0.1, (3, 2))])
def test_rounds_with_central_noise_alone_equal_trees(
    script: Any, steps: int, step_size: float, mu: float, outcomes: tuple[int, ...]
) -> None:
    trees = script("central_trees")
    model = trees.rounds_model(steps, step_size, mu, len(outcomes))
    problem = script("central_levels").level_problem(model, outcomes)
    tree = trees.rounds_value(steps, step_size, mu, outcomes)
    assert solve(problem, dict.fromkeys(model.bound_names, 1.0)).value == pytest.approx(tree, rel=1e-6)


@pytest.mark.parametrize("place", [1, 3, 11])
def test_the_engine_is_the_limit_of_many_outcomes(script: Any, place: int) -> None:
    case = script("central_trees").TREES[place]
    model, levels = case.model(), script("central_levels")
    draws = len(case.central) + len(case.local)
    limit = solve(levels.level_problem(model, None), case.quantities).value
    values = [solve(levels.level_problem(model, [b] * draws), case.quantities).value for b in (2, 10, 10000)]
    assert all(later >= earlier * (1 - 1e-7) for earlier, later in itertools.pairwise([*values, limit]))
    assert limit == pytest.approx(values[-1], rel=1e-4)


@pytest.mark.parametrize(
    "settings", [(0.25, 0.1, {}), (1.0, 0.1, {"central": 3}), (1.9, 0.5, {"n_clients": 3, "local": 3})]
)
def test_the_value_is_attained_by_functions_and_noises(
    script: Any, settings: tuple[float, float, dict[str, int]]
) -> None:
    """Interpolated losses of clients and server, finitely many outcomes, the round run step by step."""
    step_size, mu, counts = settings
    found = script("central_replay").replay(step_size, mu, **counts)
    assert found.measure == pytest.approx(found.promised, rel=1e-9)
    assert found.residual < 1e-9
    assert found.squares.pop("total gradient at the minimiser") < 1e-18
    assert all(0.99 < square <= 1 for square in found.squares.values())
    engine = fl.worst_case(
        fl.OneWayGradientTransfer(2, step_size),
        fl.SmoothStronglyConvex(mu),
        centre=fl.SmoothStronglyConvex(mu),
        noise=True,
        centre_noise=True,
        n_clients=counts.get("n_clients", 2),
    )
    assert engine.upper is not None and 0.98 * engine.upper < found.measure <= engine.upper


@pytest.mark.parametrize("n_clients", [2, 7])
def test_one_step_has_a_closed_form(n_clients: int) -> None:
    """``(1 - 2 eta mu)^2 + eta^2 (sigma_c^2 + sigma^2/N)``: the average takes nothing from the central noise."""
    found = one_way(1, Fraction(1, 2), n_clients=n_clients, quantities={"noise": 2, "centre_noise": 3})
    truth = Fraction(9, 10) ** 2 + Fraction(1, 4) * (3 + Fraction(2, n_clients))
    assert found.lower is not None and found.upper is not None
    assert found.lower <= truth <= found.upper and found.width < 1e-5
    for name, factor in (("centre_noise", 0.25), ("noise", 0.25 / n_clients), ("distance", 0.81)):
        assert float(found.bound[name]) == pytest.approx(factor, rel=1e-5)


def test_a_cohort_takes_nothing_from_the_central_noise() -> None:
    values = []
    for central in (0, 2):
        algorithm = fl.OneWayGradientTransfer(1, Fraction(1, 2), participation=fl.NormalisedUniform(2))
        values.append(fl.worst_case(algorithm, CLASS, **NOISY, n_clients=5, quantities={"centre_noise": central}).value)
    assert values[1] - values[0] == pytest.approx(0.25 * 2, rel=1e-6)


def test_more_clients_do_not_average_the_central_noise() -> None:
    values = [one_way(3, 0.5, n_clients=n, certify=False).solver_value for n in (2, 10, 10**6)]
    alone = one_way(3, 0.5, noise=False, n_clients=None).value
    quiet = one_way(3, 0.5, noise=False, centre_noise=False, n_clients=None).value
    assert values[0] > values[1] > values[2] > alone * (1 - 1e-5)
    assert alone > quiet + 1  # K eta = 3/2


@pytest.mark.parametrize(
    "algorithm",
    [fl.OneWayGradientTransfer(3, 0.25), fl.ParallelTraining(2, 0.25, 0.5), fl.TwoWayGradientTransfer(2, 0.25, 0.25)],
    ids=lambda algorithm: type(algorithm).__name__,
)
def test_without_variance_the_old_values_come_back(algorithm: Any) -> None:
    plain: dict[str, Any] = {"centre": CLASS, "noise": True, "n_clients": 4}
    before = fl.worst_case(algorithm, CLASS, **plain)
    zero = fl.worst_case(algorithm, CLASS, **plain, centre_noise=True, quantities={"centre_noise": 0})
    some = fl.worst_case(algorithm, CLASS, **plain, centre_noise=True, quantities={"centre_noise": "1/100"})
    assert zero.value == pytest.approx(before.value, rel=1e-6)
    assert before.lower is not None and zero.upper is not None and some.lower is not None
    assert before.lower <= zero.upper < some.lower


def test_two_way_from_any_state_is_certified() -> None:
    found = fl.worst_case(
        fl.TwoWayGradientTransfer(2, Fraction(1, 4), Fraction(1, 4)),
        CLASS,
        **NOISY,
        n_clients=3,
        free_state=True,
        start={
            "distance": "distance",
            "central": lambda a: a.square(a.leaf(1, 0)),
            "local": lambda a: a.square(a.leaf(2, 0)),
        },
    )
    assert found.status == "certified" and found.width < 1e-4
    assert found.upper is not None and found.upper > one_way(2).upper / 2


def test_identical_clients_are_one_client() -> None:
    """``heterogeneity="identical"``: no deviation, so that one client with noise is attained too."""
    alone = one_way(2, n_clients=1, heterogeneity="identical")
    apart = one_way(2, n_clients=1)
    assert alone.status == "certified" and apart.lower is None
    assert alone.upper <= apart.upper * (1 + Fraction(1, 10**6))
    lower = alone.certificate["lower"]
    assert not any(Fraction(e) for name in ("d", "d0") for row in lower["blocks"].get(name, []) for e in row)
    with pytest.raises(ValueError, match="identical"):
        one_way(2, n_clients=2, heterogeneity="identical")


# --- quadratics ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """Clients and server with ``a/2 x^2 - b x`` on the line, the sum of all minimal at zero; independent additive noises."""

    curvature: np.ndarray
    slope: np.ndarray
    central: float
    start: float
    noise: float
    centre_noise: float

    def second_moment(self, one_way: bool, steps: int, step_size: float) -> float:
        """``E |w+|^2`` after a round: an affine map of independent noises, coefficient by coefficient."""
        n = len(self.curvature)
        mean, shared, own = 0.0, np.zeros(steps), np.zeros((n, steps))
        y, moved = self.start, np.zeros(steps)  # the server's own steps
        b = -self.slope.mean()
        for k in range(steps if not one_way else 1):
            if one_way:
                break
            y, moved = y - step_size * (self.central * y - b), moved * (1 - step_size * self.central)
            moved[k] = -step_size
        for i in range(n):
            x, from_shared, from_own = self.start, np.zeros(steps), np.zeros(steps)
            for k in range(steps):
                keep = 1 - step_size * self.curvature[i]
                x, from_shared, from_own = x * keep + step_size * self.slope[i], from_shared * keep, from_own * keep
                from_own[k] -= step_size
                if one_way:
                    x -= step_size * (self.central * self.start - b)
                    from_shared[0] -= step_size
            mean, shared, own[i] = mean + x / n, shared + from_shared / n, from_own / n
        if not one_way:
            mean, shared = mean + y - self.start, moved
        return float(mean**2 + self.centre_noise * (shared**2).sum() + self.noise * (own**2).sum())


@pytest.mark.parametrize("way", [True, False], ids=["1-way", "parallel"])
@pytest.mark.parametrize(("steps", "step_size"), [(1, 0.25), (3, 0.25), (2, 1.0)])
def test_quadratics_with_additive_noise_stay_below(way: bool, steps: int, step_size: float) -> None:
    n = 3
    algorithm: Any = fl.OneWayGradientTransfer(steps, step_size)
    if not way:
        algorithm = fl.ParallelTraining(steps, step_size, step_size)
    found = fl.worst_case(algorithm, CLASS, **NOISY, n_clients=n)
    assert found.certificate is not None
    proved = verifier.verify(found.certificate)["upper"]
    rng, largest = np.random.default_rng(3), 0.0
    for trial in range(400):
        curvature = rng.choice([0.1, 1.0, rng.uniform(0.1, 1)], size=n)
        slope = rng.normal(size=n) * rng.choice([0, 1])
        line = Line(
            curvature,
            slope,
            float(rng.choice([0.1, 1.0])),
            float(rng.normal() * (trial % 3 > 0)),
            float(rng.choice([0, 1])),
            float(rng.choice([0, 1])),
        )
        limit = (
            proved["distance"] * Fraction(line.start) ** 2
            + proved["heterogeneity"] * Fraction(float((slope**2).mean()))
            + proved["noise"] * Fraction(line.noise)
            + proved["centre_noise"] * Fraction(line.centre_noise)
        )
        if limit:
            largest = max(largest, line.second_moment(way, steps, step_size) / float(limit))
    assert 0.8 < largest <= 1 + 1e-9


def test_the_moments_of_quadratics_are_those_of_the_algorithm() -> None:
    """The affine map of the test above against the round itself, without noise."""
    line = Line(np.array([0.2, 0.9]), np.array([0.5, -1.5]), 0.4, 0.7, 0.0, 0.0)
    clients = fl.QuadraticProblem(line.curvature.reshape(2, 1, 1), line.slope.reshape(2, 1))
    centre = fl.QuadraticProblem(np.array([[[line.central]]]), np.array([[-line.slope.mean()]]))
    problem = fl.MixedProblem(clients, centre)
    for way, algorithm in ((True, fl.OneWayGradientTransfer(3, 0.25)), (False, fl.ParallelTraining(3, 0.25, 0.25))):
        run = fl.simulate(problem, algorithm, rounds=1, start=np.array([line.start]), keep_models=True)
        after = float(np.asarray(run.models).ravel()[-1])
        assert line.second_moment(way, 3, 0.25) == pytest.approx(after**2, rel=1e-9)


# --- certificates ----------------------------------------------------------------------------------------------------


def rejected(mutant: dict[str, Any], words: str = ".") -> None:
    with pytest.raises(verifier.Rejected, match=words):
        verifier.verify(mutant)


def halves(data: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    above, below = copy.deepcopy(data), copy.deepcopy(data)
    del above["lower"], below["upper"]
    return above, below


def central(data: dict[str, Any]) -> int:
    return next(k for k, item in enumerate(data["assumptions"]) if item["bound"] == "centre_noise")


def test_the_program_says_whose_noise_it_is(data: dict[str, Any]) -> None:
    noises = [item for item in data["program"] if item[0] == "noise"]
    assert noises == [["noise", 0, "server"], ["noise", 1], ["noise", 2]]
    algorithm = fl.OneWayGradientTransfer(2, Fraction(1, 4))
    options: dict[str, Any] = {"centre": CLASS, "noise": True, "n_clients": 3}
    assert certificate_matches(data, algorithm, CLASS, centre_noise=True, **options)
    assert not certificate_matches(data, algorithm, CLASS, **options)
    lines = verifier.report(data)
    assert "if E |noise|^2 <= sigma_c^2 for noise_0 of the server's" in lines
    assert "if E sum_k p_k |noise|^2 <= sigma^2 for noise_1, noise_2" in lines


def test_more_central_variance_is_not_proved(data: dict[str, Any]) -> None:
    above, below = halves(data)
    assert verifier.verify(above) and verifier.verify(below)
    above["assumptions"][central(data)]["inner"][0][0] = "99/100"  # E|xi|^2 <= 100/99 sigma_c^2
    rejected(above, "not positive semidefinite")
    above, below = halves(data)
    below["lower"]["quantities"]["centre_noise"] = "99/100"
    rejected(below, "breaks an assumption on centre_noise")
    below["lower"]["quantities"]["centre_noise"] = "101/100"
    assert verifier.verify(below)
    above["upper"]["bound"]["centre_noise"] = str(Fraction(above["upper"]["bound"]["centre_noise"]) * Fraction(99, 100))
    rejected(above, "claimed bound")


def test_a_dropped_or_smaller_factor_is_rejected(script: Any, data: dict[str, Any]) -> None:
    mutations = script("mutations")
    above, _ = halves(data)
    for factor in ("0", "999/1000"):
        mutant = copy.deepcopy(above)
        listed = mutant["upper"]["assumptions"]
        listed[central(data)] = str(Fraction(listed[central(data)]) * Fraction(factor))
        rejected(mutations.consistent(mutant), "not positive semidefinite")
    parting = [
        (name, entry) for name, rows in above["upper"]["interpolation"].items() for entry in rows if len(entry) == 4
    ]
    assert {entry[3] for _, entry in parting} <= {0, 1}
    for name, entry in parting:
        mutant = copy.deepcopy(above)
        mutant["upper"]["interpolation"][name].remove(entry)
        verdict = True
        try:
            verifier.verify(mutant)
        except verifier.Rejected:
            verdict = False
        assert not verdict or Fraction(entry[2]) < Fraction(1, 100)


def test_noise_that_clients_share_is_not_averaged(data: dict[str, Any]) -> None:
    """The clients' first noise declared the server's: an average keeps all of it, which the multipliers do not pay for."""
    above, _ = halves(data)
    place = above["program"].index(["noise", 1])
    above["program"][place] = ["noise", 1, "server"]
    rejected(above, "not positive semidefinite")


def test_an_own_noise_is_another_statement(data: dict[str, Any]) -> None:
    """The server's noise declared the clients' own: the instance cannot be read, and it is not this method."""
    _, below = halves(data)
    place = below["program"].index(["noise", 0, "server"])
    below["program"][place] = ["noise", 0]
    rejected(below, "malformed|random|missing")
    algorithm = fl.OneWayGradientTransfer(2, Fraction(1, 4))
    assert not certificate_matches({**data, "program": below["program"]}, algorithm, CLASS, **NOISY, n_clients=3)


@pytest.mark.parametrize("block", ["m0", "d0", "n1", "n2"])
def test_instances_with_other_increments_are_rejected(data: dict[str, Any], block: str) -> None:
    _, below = halves(data)
    rows = below["lower"]["blocks"][block]
    assert any(Fraction(e) for row in rows for e in row)
    for factor in (Fraction(-1), Fraction(101, 100))[
        : 1 if block == "d0" else 2
    ]:  # deviations are not bounded by a variance
        mutant = copy.deepcopy(below)
        mutant["lower"]["blocks"][block] = [[str(Fraction(e) * factor) for e in row] for row in rows]
        rejected(mutant)


def test_instances_of_the_relaxation_without_parting_histories_are_rejected() -> None:
    """The server's points on two histories of its noise belong to one loss: with three central steps that bites."""
    model = build_model(
        fl.ParallelTraining(1, Fraction(5, 2), Fraction(5, 2), central_steps=3), CLASS, **NOISY, n_clients=2
    )
    problem = ConicProgram(model)
    quantities = {name: Fraction(1) for name in model.bound_names}
    floats = dict.fromkeys(quantities, 1.0)
    honest = solve(problem, floats)
    problem.pair_rows = problem.pair_rows[[key[3] is None for key in pair_keys(model)]]
    relaxed = solve(problem, floats, tighten=1e-4)
    assert relaxed.value > 1.01 * honest.value
    blocks = {
        name: [[Fraction(round(e * 10**7), 10**7) for e in row] for row in m] for name, m in relaxed.blocks.items()
    }
    values = {r: Fraction(round(v * 10**7), 10**7) for r, v in zip(model.values, relaxed.values, strict=True)}
    part = certificate.lower(blocks, values, quantities, Fraction(1))
    rejected({**certificate.statement(model), "lower": part}, "interpolation of .* histories part before draw")


@pytest.mark.parametrize("name", ["central noise", "parallel, central noise"])
def test_no_mutant_proves_what_is_false(script: Any, name: str) -> None:
    counted = script("mutations").count(name)
    assert sum(counted.values()) > 60
    assert not any(verdict == "FALSE" for _, verdict in counted)
    survived = {kind for kind, verdict in counted if verdict == "valid"}
    must_break = {
        "assumption sign",
        "assumption dropped",
        "assumption -0.1 %",
        "bound text lowered",
        "value raised",
        "bound text without a quantity",
        "blocks swapped",
        "mu lowered",
        "L raised",
        "interpolation sign",
    }
    assert not must_break & survived and must_break <= {kind for kind, _ in counted}


W: list[Any] = [["given", "server", 1], ["centre", 0]]


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ([*W, ["noise", 0], ["noise", 1, "server"]], "noise of the server's after noise of the clients'"),
        ([*W, ["noise", 1, "server"]], "expected number 0"),
        ([*W, ["noise", 0, "server"], ["noise", 0]], "expected number 1"),
        ([*W, ["noise", 0, "server", "again"]], "unknown instruction"),
        ([*W, ["noise", 0, "clients"]], "unknown instruction"),
        ([*W, ["noise", 0], ["combine", [["1", 0], ["1", 2]]], ["centre", 3]], "server's gradient at a random"),
        (
            [
                *W,
                ["noise", 0, "server"],
                ["noise", 1],
                ["combine", [["1", 0], ["1", 2], ["1", 3]]],
                ["average", 4],
                ["centre", 5],
            ],
            "noisy average beside noise of the server's",
        ),
        (
            [
                *W,
                ["noise", 0, "server"],
                ["combine", [["1", 0], ["1", 2]]],
                ["gradient", 3],
                ["combine", [["1", 3], ["1", 4]]],
                ["centre", 5],
            ],
            "client's point",
        ),
    ],
)
def test_programs_that_say_something_else_are_rejected(program: list[Any], words: str) -> None:
    distance = {"inner": [["1", 0, 0]], "values": [], "bound": "distance", "scale": "1"}
    whole = {
        "format": "fltheory worst case 2",
        "claim": {"algorithm": None, "rounds": 0, "models": [], "measure": "custom", "assumptions": ["custom"]},
        "program": program,
        "assumptions": [distance],
        "shares": {"scheme": "full", "clients": 2, "cohort": None},
        "classes": {"clients": ["1/10", "1"], "centre": ["1/10", "1"]},
        "measure": {"inner": [["1", 0, 0]], "values": []},
        "upper": {"assumptions": ["1"], "interpolation": {}, "bound": {"distance": "1"}},
    }
    assert verifier.verify({**whole, "program": [*W, ["noise", 0, "server"]]})
    rejected({**whole, "program": program}, words)


def test_what_averages_keep_of_shared_noise() -> None:
    """Means of the server's increments whole, deviations not at all, or a cohort's share of them."""
    items = [
        ["given", "server", 1],
        ["noise", 0, "server"],
        ["combine", [["1", 0], ["1", 1]]],
        ["gradient", 2],
        ["noise", 1],
        ["combine", [["1", 2], ["1", 3], ["1", 4]]],
        ["average", 5],
        ["mean", 3],
    ]
    for kept in ({"scheme": "full", "clients": 5}, {"scheme": "without replacement", "clients": 5, "cohort": 2}):
        program = verifier._Program({"program": items, "shares": {"cohort": None, **kept}})
        form: dict[Any, Fraction] = {}
        program.add_product(form, 1, program.vectors[6], program.vectors[6])
        by_block = {block: entry for (block, i, j), entry in form.items() if i == j}
        sampled = kept["scheme"] != "full"
        expected = {("m", -1): 1, ("m", 0): 1, ("n", 1): Fraction(1, 2 if sampled else 5)}
        deviations = {("d", -1): Fraction(3, 8), ("d", 0): Fraction(3, 8)} if sampled else {}
        assert by_block == expected | deviations
        assert {part for part, _ in program.vectors[7]} == {("m", -1), ("m", 0)}


def test_points_with_unlike_histories_of_the_server_are_no_instance() -> None:
    """A client's random point that no central draw moved, beside one that a draw moved: their noises would be coupled."""
    items: list[Any] = [["given", "server", 1], ["centre", 0], ["noise", 0, "server"], ["noise", 1]]
    items += [["combine", [["1", 0], ["1", 3]]], ["gradient", 4], ["optimum"], ["gradient", 6], ["centre", 6]]
    sizes = {"m": 4, "d": 2, "m0": 1, "n1": 2}
    blocks = {name: [["0"] * size for _ in range(size)] for name, size in sizes.items()}
    data = {
        "format": "fltheory worst case 2",
        "claim": {"algorithm": None, "rounds": 0, "models": [], "measure": "custom", "assumptions": []},
        "assumptions": [],
        "measure": {"inner": [["1", 0, 0]], "values": []},
        "shares": {"scheme": "full", "clients": 2, "cohort": None},
        "program": items,
        "classes": {"clients": ["1/10", "1"], "centre": ["1/10", "1"]},
        "lower": {"blocks": blocks, "values": {"1": "0", "5": "0"}, "quantities": {}, "value": "0"},
    }
    rejected(data, "histories part")  # zero noise: strict inequalities fail, the program itself is fine
    both = [*items[:5], *items[5:], ["combine", [["1", 4], ["1", 2]]], ["gradient", 9]]
    sizes = {"m": 5, "d": 3, "m0": 2, "n1": 3, "d0": 1}
    blocks = {name: [["0"] * size for _ in range(size)] for name, size in sizes.items()}
    lower = {"blocks": blocks, "values": {"1": "0", "5": "0", "10": "0"}, "quantities": {}, "value": "0"}
    rejected({**data, "program": both, "lower": lower}, "follow unlike draws")


# --- refusals --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ClientsFirst:
    """A round that asks the server's loss after the clients': it has no model with both noises."""

    participation: Any = fl.Full()

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        x = fed.send(w) - Fraction(1, 4) * fed.gradient(fed.send(w))
        return fed.average(x - Fraction(1, 4) * fed.send(fed.centre.gradient(w)))


def test_what_has_no_model_is_refused_with_the_reason() -> None:
    with pytest.raises(ValueError, match="where the server's draws come first"):
        fl.worst_case(ClientsFirst(), CLASS, **NOISY, n_clients=2)
    assert fl.worst_case(ClientsFirst(), CLASS, centre=CLASS, centre_noise=True).status == "certified"
    with pytest.raises(ValueError, match="rounds=2 with noise"):
        one_way(2, rounds=2)
    with pytest.raises(ValueError, match="no gradient of the server's own"):
        fl.worst_case(fl.FedAvg(2, 0.25), CLASS, centre_noise=True)
    with pytest.raises(ValueError, match="n_clients is missing"):
        one_way(2, n_clients=None)
    found = one_way(2, noise=False, n_clients=None)
    with pytest.raises(ValueError, match="laws of the noise"):
        found.instance()
