"""State of a sampled cohort: its second moments by enumeration of cohorts and noises, and theorems about SCAFFOLD."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.readings.gram import program
from fltheory.worstcase import certificate, lyapunov_verifier, verifier
from fltheory.worstcase.functional import Functional, inner
from fltheory.worstcase.lyapunov_round import free_round
from fltheory.worstcase.model import Model
from fltheory.worstcase.sampling import shares
from fltheory.worstcase.space import Shares, Space

CLIENTS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
QUARTER = Fraction(1, 4)
N, DIMENSION = 3, 2
#: 0 server, 1 and 2 of the clients, 3 and 4 noises; 5 and 6 new, 7 old, then state of the cohort, averages and means.
PROGRAM: tuple[tuple[Any, ...], ...] = (
    ("given", "server", 0),
    ("given", "clients", 0),
    ("given", "clients", 0),
    ("noise", 0),
    ("noise", 1),
    ("combine", ((Fraction(1, 2), 0), (Fraction(2), 1), (Fraction(1), 3), (Fraction(-1), 4))),
    ("combine", ((Fraction(1), 1), (Fraction(-1, 3), 2), (Fraction(2), 3))),
    ("combine", ((Fraction(1), 0), (Fraction(1), 1), (Fraction(-2), 2))),
    ("cohort", 5, 7),
    ("cohort", 6, 1),
    ("average", 6),
    ("average", 2),
    ("mean", 8),
    ("mean", 7),
    ("combine", ((Fraction(1), 8), (Fraction(-1), 12))),
    ("combine", ((Fraction(1), 0), (Fraction(3), 10), (Fraction(1), 12))),
    ("combine", ((Fraction(1), 2), (Fraction(1), 11))),
)
Vectors = list[list[Fraction]]


def run(given: dict[int, Vectors], cohort: Sequence[int]) -> list[Vectors]:
    """All registers as vectors per client, for one cohort and one outcome of the noises."""
    made: list[Vectors] = []
    for place, item in enumerate(PROGRAM):
        if item[0] in ("given", "noise"):
            made.append(given[place])
        elif item[0] == "combine":
            made.append(
                [
                    [sum((c * made[r][k][i] for c, r in item[1]), Fraction(0)) for i in range(DIMENSION)]
                    for k in range(N)
                ]
            )
        elif item[0] == "cohort":
            made.append([made[item[1 if k in cohort else 2]][k] for k in range(N)])
        else:
            who = cohort if item[0] == "average" else range(N)
            mean = [sum((made[item[1]][k][i] for k in who), Fraction(0)) / len(who) for i in range(DIMENSION)]
            made.append([mean] * N)
    return made


def averaged(a: Vectors, b: Vectors) -> Fraction:
    return sum((x * y for u, v in zip(a, b, strict=True) for x, y in zip(u, v, strict=True)), Fraction(0)) / N


def outcomes(given: dict[int, Vectors], cohort_size: int) -> Iterator[list[Vectors]]:
    """Every cohort and every sign of every client's noise of either draw; equally likely."""
    for cohort in combinations(range(N), cohort_size):
        for signs in product((1, -1), repeat=2 * N):
            drawn = dict(given)
            for draw, place in enumerate((3, 4)):
                drawn[place] = [[signs[draw * N + k] * e for e in given[place][k]] for k in range(N)]
            yield run(drawn, cohort)


def blocks(given: dict[int, Vectors]) -> dict[str, list[list[Fraction]]]:
    """The Gram blocks of what is given: of means, of deviations, and of each draw."""
    means = {r: [sum((v[i] for v in given[r]), Fraction(0)) / N for i in range(DIMENSION)] for r in (0, 1, 2)}
    apart = {r: [[x - m for x, m in zip(v, means[r], strict=True)] for v in given[r]] for r in (1, 2)}
    return {
        "mean": [[averaged([means[a]] * N, [means[b]] * N) for b in means] for a in means],
        "deviation": [[averaged(apart[a], apart[b]) for b in apart] for a in apart],
        "draw 0": [[averaged(given[3], given[3])]],
        "draw 1": [[averaged(given[4], given[4])]],
    }


@pytest.mark.parametrize("cohort_size", [1, 2, 3])
def test_second_moments_by_enumeration(cohort_size: int) -> None:
    """Of all pairs of registers, in this package and in the verifier, for vectors drawn at random."""
    rng = np.random.default_rng(cohort_size)
    kept = shares(fl.NormalisedUniform(cohort_size), N, noisy=True)
    space = Space(PROGRAM, kept)
    trusted: Any = verifier._Program(_data(kept))  # type: ignore[no-untyped-call]
    given = {
        r: [[Fraction(int(e), 3) for e in rng.integers(-6, 7, DIMENSION)] for _ in range(N)] for r in (0, 1, 2, 3, 4)
    }
    given[0] = [given[0][0]] * N
    gram = blocks(given)
    runs = list(outcomes(given, cohort_size))
    asked = 0
    for a in range(len(PROGRAM)):
        for b in range(a, len(PROGRAM)):
            exact = sum((averaged(made[a], made[b]) for made in runs), Fraction(0)) / len(runs)
            form: dict[Any, Fraction] = {}
            try:
                found = space.product(space.coordinates[a], space.coordinates[b])
            except ValueError:
                with pytest.raises(verifier.Rejected):
                    trusted.add_product(form, 1, trusted.vectors[a], trusted.vectors[b])
                continue
            assert sum((e * gram[block][i][j] for (block, i, j), e in found.items()), Fraction(0)) == exact, (a, b)
            trusted.add_product(form, 1, trusted.vectors[a], trusted.vectors[b])
            names = {("m", -1): "mean", ("d", -1): "deviation", ("n", 0): "draw 0", ("n", 1): "draw 1"}
            assert sum((e * gram[names[block]][i][j] for (block, i, j), e in form.items()), Fraction(0)) == exact
            asked += 1
    assert asked > 130


def _data(kept: Shares) -> dict[str, Any]:
    model = Model(PROGRAM, len(PROGRAM), CLIENTS, None, kept, (), Functional())
    return {**certificate.statement(model), "measure": {"inner": [], "values": []}}


def test_what_has_no_second_moment_is_refused() -> None:
    kept = shares(fl.NormalisedUniform(2), N, noisy=True)
    for more in (("average", 8), ("gradient", 8), ("cohort", 8, 1), ("cohort", 1, 5), ("cohort", 10, 1), ("mean", 5)):
        with pytest.raises(ValueError):
            Space((*PROGRAM, more), kept)
        with pytest.raises(verifier.Rejected):
            data = _data(kept)
            verifier._Program({**data, "program": [*data["program"], list(more)]})  # type: ignore[no-untyped-call]
    for scheme in (fl.Full(), fl.SchemeI(2), fl.SchemeI(2, repeats="separate runs")):
        other = shares(scheme, N, noisy=True)
        with pytest.raises(ValueError, match="state of a cohort"):
            Space(PROGRAM, other)
        with pytest.raises(verifier.Rejected):
            verifier._Program({**_data(kept), "shares": certificate._shares(other)})  # type: ignore[no-untyped-call]


def scaffold(cohort: int, steps: int = 2, option: str = "II") -> Any:
    return fl.Scaffold(steps, QUARTER, participation=fl.NormalisedUniform(cohort), option=option)


def test_one_round_from_any_state_is_certified_on_both_sides() -> None:
    """And the program is what the method does: everybody drawn, it is the certificate of full participation."""

    def variates(a: Any) -> Any:
        return a.square(a.minus(a.leaf(2), a.optimal_gradient))

    def begun(a: Any) -> Any:
        return a.square(a.minus(a.leaf(2, 0), a.optimal_gradient))

    start = {"distance": "distance", "variates": begun, "server": lambda a: a.square(a.leaf(1, 0))}
    options: dict[str, Any] = {"free_state": True, "start": start, "heterogeneity": None}
    found = {k: fl.worst_case(scaffold(k), CLIENTS, n_clients=4, measure=variates, **options) for k in (1, 2, 3, 4)}
    full = fl.worst_case(fl.Scaffold(2, QUARTER), CLIENTS, measure=variates, **options)
    for answer in found.values():
        assert answer.status == "certified" and answer.width < 1e-5
    assert found[4].value == pytest.approx(full.value, rel=1e-5)
    # whoever is not drawn keeps what there was: (N-K)/N of the old and K/N of what full participation has, at most
    for k in (1, 2, 3):
        assert found[k].lower <= Fraction(4 - k, 4) + Fraction(k, 4) * full.upper


def _quadratics(rng: np.random.Generator, count: int = 4, size: int = 3) -> tuple[Any, np.ndarray, float]:
    """Losses that do not commute, their minimiser, and their heterogeneity."""
    turns = [np.linalg.qr(rng.standard_normal((size, size)))[0] for _ in range(count)]
    ends = np.concatenate([[0.1, 1.0], rng.uniform(0.1, 1, size - 2)])
    matrices = np.array([q @ np.diag(ends) @ q.T for q in turns])
    vectors = rng.standard_normal((count, size)) * rng.choice([0.05, 1.0])
    problem = fl.QuadraticProblem((matrices + matrices.transpose(0, 2, 1)) / 2, vectors)
    best = np.linalg.solve(problem.matrices.mean(axis=0), vectors.mean(axis=0))
    pairs = zip(problem.matrices, vectors, strict=True)
    return problem, best, float(np.mean([np.sum((a @ best - b) ** 2) for a, b in pairs]))


@pytest.mark.parametrize("cohort", [1, 2, 3])
@pytest.mark.parametrize("option", ["I", "II"])
def test_exact_expectations_obey_the_theorem(cohort: int, option: str) -> None:
    algorithm = scaffold(cohort, option=option)
    found = fl.lyapunov(algorithm, CLIENTS, n_clients=4)
    assert found.rho is not None and found.rho < Fraction(92, 100) and found.factors == {}
    assert found.words[0].startswith("E V_R <=")
    assert "control = mean(client control) in all rounds (proved)" in found.words
    one = fl.worst_case(algorithm, CLIENTS, n_clients=4)
    assert one.lower is not None and one.lower <= found.bound(1, one.quantities)
    for seed in np.random.SeedSequence(3).spawn(4):
        rng = np.random.default_rng(seed)
        problem, best, spread = _quadratics(rng)
        start = best + rng.standard_normal(3) * rng.choice([0.05, 1.0])
        exact = fl.moments(problem, algorithm, rounds=20, start=start)
        quantities = {"distance": float(np.sum((start - best) ** 2)), "heterogeneity": spread}
        for rounds, value in zip(exact.rounds, exact.squared_distance, strict=True):
            if rounds:
                limit = float(found.bound(int(rounds), quantities))
                assert value <= limit * (1 + 1e-9)
                first = one.bound["distance"] * Fraction(quantities["distance"])
                if rounds == 1:
                    assert value <= float(first + one.bound["heterogeneity"] * Fraction(spread)) * (1 + 1e-9)


def test_noise_of_the_clients_beside_it() -> None:
    algorithm = scaffold(3)
    found = fl.lyapunov(algorithm, CLIENTS, n_clients=8, noise=True)
    assert found.rho is not None and set(found.factors) == {"noise"}
    problem, best, spread = _quadratics(np.random.default_rng(5), count=8)
    start = best + np.ones(3)
    exact = fl.moments(problem, algorithm, rounds=15, start=start, oracle=fl.AdditiveNoise(np.eye(3) * 0.5 / 3))
    for rounds, value in zip(exact.rounds[1:], exact.squared_distance[1:], strict=True):
        quantities = {"distance": 3.0, "heterogeneity": spread, "noise": 0.5}
        assert value <= float(found.bound(int(rounds), quantities)) * (1 + 1e-9)


def test_rates_and_controls() -> None:
    """The model's mean alone keeps the rate of the flattest clients: below it there is no certificate."""
    least = Fraction(39, 40) ** 4
    for cohort in (1, 2):
        found = fl.lyapunov(scaffold(cohort), CLIENTS, n_clients=4)
        assert found.rho is not None and least < found.rho < least + Fraction(1, 1000)
        assert fl.lyapunov(scaffold(cohort), CLIENTS, n_clients=4, rho=least * Fraction(9999, 10000)).rho is None
        assert found.matches(scaffold(cohort), n_clients=4)
        assert not found.matches(scaffold(cohort), n_clients=5) and not found.matches(scaffold(3), n_clients=4)
    everybody = fl.lyapunov(scaffold(4), CLIENTS, n_clients=4)
    assert everybody.rho is not None and everybody.rho < found.rho + Fraction(1, 1000)


def test_the_invariant_needs_the_mean_over_all() -> None:
    free = free_round(scaffold(2), shares(fl.NormalisedUniform(2), 4, noisy=False), n_clients=4)
    assert free.invariants == ("control is the mean of client control",) and free.member == Fraction(1, 2)
    assert any(item[0] == "mean" for item in free.step.instructions)
    assert all(item[0] != "cohort" for item in program(fl.Scaffold(2, QUARTER), rounds=1).instructions)


@pytest.fixture(scope="module")
def data() -> Any:
    return json.loads(json.dumps(fl.lyapunov(scaffold(2), CLIENTS, n_clients=4).certificate))


def _cohort(data: Any) -> list[Any]:
    found: list[Any] = next(item for item in data["step"]["program"] if item[0] == "cohort")
    return found


def _nobody_keeps(data: Any) -> None:
    """As if all clients had taken the new state."""
    item = _cohort(data)
    item[2] = item[1]


def _swapped(data: Any) -> None:
    item = _cohort(data)
    item[1], item[2] = item[2], item[1]


def _other_cohort(data: Any) -> None:
    for name in ("step", "floor", "start"):
        data[name]["shares"] |= {"cohort": 4, "deviation": "0", "noise": "1/4"}


def _with_replacement(data: Any) -> None:
    for name in ("step", "floor", "start"):
        data[name]["shares"] = {"scheme": "with replacement", "clients": 4, "cohort": 2}


def _full(data: Any) -> None:
    for name in ("step", "floor", "start"):
        data[name]["shares"] = {"scheme": "full", "clients": 4, "cohort": None}


def _invariant(data: Any) -> None:
    """The mean over the cohort in the place of that over all."""
    program = data["step"]["program"]
    place = next(leaf["after"] for leaf in data["leaves"] if leaf["given"] is None)
    assert program[place][0] == "mean"
    program[place] = ["average", program[place][1]]


def _weight(data: Any) -> None:
    data["step"]["measure"]["inner"][-1][0] = "1/100"


def _rate(data: Any) -> None:
    step = data["step"]
    step["upper"]["bound"]["lyapunov"] = "9/10"
    place = [item["bound"] for item in step["assumptions"]].index("lyapunov")
    step["upper"]["assumptions"][place] = "9/10"


def _assumed(data: Any) -> None:
    data["step"]["assumptions"].append({"inner": [["1", 0, 0]], "values": [], "bound": None, "scale": "1"})
    data["step"]["upper"]["assumptions"].append("0")


def _named_heterogeneity(data: Any) -> None:
    place = next(leaf["given"] for leaf in data["leaves"] if leaf["name"] == "client control")
    item = {"inner": [["1", place, place]], "values": [], "bound": "heterogeneity", "scale": "1"}
    data["step"]["assumptions"].append(item)
    data["step"]["upper"]["assumptions"].append("0")
    data["step"]["upper"]["bound"]["heterogeneity"] = "0"


FORGERIES: list[tuple[str, Callable[[Any], None]]] = [
    ("", _nobody_keeps),
    ("", _swapped),
    ("", _other_cohort),
    ("no uniform K of N", _with_replacement),
    ("no uniform K of N", _full),
    ("own state", _invariant),
    ("the measure is not V", _weight),
    ("not positive semidefinite", _rate),
    ("an assumption on None", _assumed),
    ("not what 'heterogeneity' stands for", _named_heterogeneity),
]


@pytest.mark.parametrize(("words", "forge"), FORGERIES, ids=[forge.__name__ for _, forge in FORGERIES])
def test_a_forgery_is_rejected(data: Any, words: str, forge: Callable[[Any], None]) -> None:
    forged = copy.deepcopy(data)
    lyapunov_verifier.verify(forged)
    forge(forged)
    try:
        told = lyapunov_verifier.verify(forged)
    except verifier.Rejected as error:
        assert words in str(error)
        return
    # Another program may have the same proof: then it is no certificate of the method, and says what it is about.
    assert not words and not fl.LyapunovBound.of(forged).matches(scaffold(2), n_clients=4)
    assert forge is not _other_cohort or "cohorts of 4" in " ".join(told["words"])


def test_products_stay_symmetric() -> None:
    kept = shares(fl.NormalisedUniform(2), N, noisy=True)
    space = Space(PROGRAM, kept)
    model = Model(PROGRAM, len(PROGRAM), CLIENTS, None, kept, (), Functional())
    for a, b in ((8, 9), (8, 10), (8, 2), (12, 8)):
        assert space.product(space.coordinates[a], space.coordinates[b]) == space.product(
            space.coordinates[b], space.coordinates[a]
        )
        assert model.form(inner(a, b)) == model.form(inner(b, a))
