"""Dissimilarity and bounded gradients for every number of rounds: the theorem, its controls, its forgeries, and runs."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.worstcase import lyapunov_verifier, verifier
from fltheory.worstcase.kept import NotKept, replaying

CLIENTS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
FEDAVG = fl.FedAvg(3, Fraction(1, 4))
KINDS: list[Any] = ["bounded gradients", fl.Dissimilarity(1), fl.Dissimilarity(2), ["gamma", "bounded gradients"]]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_exact_worst_cases_are_below_the_theorem(kind: Any) -> None:
    found = fl.lyapunov(FEDAVG, CLIENTS, heterogeneity=kind)
    assert found.rho is not None and set(found.factors) <= {"G2", "gamma"} and found.factors["G2"] > 0
    for rounds in (1, 2):
        exact = fl.worst_case(FEDAVG, CLIENTS, rounds=rounds, heterogeneity=kind)
        assert exact.lower is not None and exact.lower <= found.bound(rounds)


@pytest.mark.parametrize("kind", KINDS[:3], ids=str)
def test_smaller_factors_have_no_certificate(kind: Any) -> None:
    """The control: a bound of one round below an instance of that round."""
    found = fl.lyapunov(FEDAVG, CLIENTS, heterogeneity=kind)
    quantities = {"distance": 1, "G2": Fraction(1, 5)}
    exact = fl.worst_case(FEDAVG, CLIENTS, heterogeneity=kind, quantities=quantities)
    assert exact.lower is not None and exact.upper is not None
    assert exact.lower > found.bound(1, quantities) * Fraction(9, 10)
    data: Any = json.loads(json.dumps(found.certificate))
    _smaller(data)
    with pytest.raises(verifier.Rejected, match="not positive semidefinite"):
        lyapunov_verifier.verify(data)


def test_the_rate_below_that_of_equal_clients_has_none() -> None:
    least = Fraction(39, 40) ** 6
    for kind in (fl.Dissimilarity(1), fl.Dissimilarity(2)):
        found = fl.lyapunov(FEDAVG, CLIENTS, heterogeneity=kind)
        assert found.rho is not None and found.rho > least and found.quadratics == pytest.approx(float(least))
        assert fl.lyapunov(FEDAVG, CLIENTS, heterogeneity=kind, rho=least * Fraction(9999, 10000)).rho is None
    faster = fl.lyapunov(FEDAVG, CLIENTS, heterogeneity="bounded gradients", rho=Fraction(4, 5))
    assert faster.rho == Fraction(4, 5) < least and math.isnan(faster.quadratics)  # no quadratic has bounded gradients


def test_words_name_the_assumption_and_its_constant() -> None:
    found = fl.lyapunov(FEDAVG, CLIENTS, heterogeneity=fl.Dissimilarity(2))
    wanted = "if sum_k p_k |grad f_k(x)|^2 <= G^2 + 4 |sum_k p_k grad f_k(x)|^2 at every x"
    assert wanted in found.words and "G^2" in found.words[0]
    bounded = fl.lyapunov(FEDAVG, CLIENTS, heterogeneity="bounded gradients")
    assert "if " + lyapunov_verifier.BOUNDED in bounded.words
    some = fl.FedAvg(2, Fraction(1, 4), fl.NormalisedUniform(3))
    sampled = fl.lyapunov(some, CLIENTS, heterogeneity="bounded gradients", n_clients=10)
    assert "if " + lyapunov_verifier.BOUNDED + ", clients not drawn taking them too" in sampled.words
    corrected = fl.lyapunov(fl.Scaffold(2, Fraction(1, 4)), CLIENTS, heterogeneity=fl.Dissimilarity(2))
    assert corrected.factors == {} and corrected.start is not None and corrected.start["G2"] > 0
    assert wanted in corrected.words


def _run(matrices: np.ndarray, vectors: np.ndarray, w: np.ndarray, rounds: int) -> tuple[list[np.ndarray], float]:
    """FedAvg's models, and the largest mean square of the gradients it took, with equal weights."""
    models, largest = [], 0.0
    for _ in range(rounds):
        x = np.repeat(w[None], len(matrices), axis=0)
        for _ in range(FEDAVG.local_steps):
            g = np.einsum("kij,kj->ki", matrices, x) - vectors
            largest = max(largest, float(np.mean(np.sum(g**2, axis=1))))
            x = x - 0.25 * g
        w = x.mean(axis=0)
        models.append(w)
    return models, largest


def _problem(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Four quadratics with curvature in [1/10, 1] that do not commute."""
    made = []
    for _ in range(4):
        turn, _ = np.linalg.qr(rng.standard_normal((3, 3)))
        made.append(turn @ np.diag([0.1, 1.0, rng.uniform(0.1, 1)]) @ turn.T)
    return np.array(made), rng.standard_normal((4, 3)) * rng.choice([0.03, 1.0])


def test_quadratics_obey_the_theorems() -> None:
    bounded = fl.lyapunov(FEDAVG, CLIENTS, heterogeneity="bounded gradients")
    unlike = fl.lyapunov(FEDAVG, CLIENTS, heterogeneity=fl.Dissimilarity(2))
    asked, nearest = 0, 0.0
    for seed in np.random.SeedSequence(11).spawn(30):
        rng = np.random.default_rng(seed)
        matrices, vectors = _problem(rng)
        mean, best = matrices.mean(axis=0), np.linalg.solve(matrices.mean(axis=0), vectors.mean(axis=0))
        start = best + rng.standard_normal(3) * rng.choice([0.1, 1.0])
        models, largest = _run(matrices, vectors, start, 8)
        distance = float(np.sum((start - best) ** 2))
        # sum p_k |A_k z + h_k|^2 - 4 |A z|^2 = zeta^2 + 2 <c, z> - <z, M z> is at most zeta^2 + <c, M^-1 c>
        gradients = np.einsum("kij,j->ki", matrices, best) - vectors
        form = 4 * mean @ mean - np.einsum("kij,kjl->il", matrices, matrices) / 4
        slope = np.einsum("kij,kj->i", matrices, gradients) / 4
        fits = float(np.linalg.eigvalsh(form)[0]) > 1e-6
        square = float(np.mean(np.sum(gradients**2, axis=1)) + slope @ np.linalg.solve(form, slope)) if fits else 0.0
        for rounds, model in enumerate(models, start=1):
            value = float(np.sum((model - best) ** 2))
            limit = float(bounded.bound(rounds, {"distance": distance, "G2": largest}))
            assert value <= limit * (1 + 1e-9)
            nearest = max(nearest, value / limit)
            if fits:
                asked += 1
                assert value <= float(unlike.bound(rounds, {"distance": distance, "G2": square})) * (1 + 1e-9)
    assert asked > 40 and nearest > 0.2


def test_a_kept_certificate_answers_its_own_constant_only() -> None:
    found = fl.lyapunov(FEDAVG, CLIENTS, heterogeneity=fl.Dissimilarity(2))
    with replaying([found.certificate]):
        assert fl.lyapunov(FEDAVG, CLIENTS, heterogeneity=fl.Dissimilarity(2)).rho == found.rho
        for other in ("bounded gradients", fl.Dissimilarity(1), "gradients", None):
            with pytest.raises(NotKept):
                fl.lyapunov(FEDAVG, CLIENTS, heterogeneity=other)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="MixedDissimilarity"):
        fl.lyapunov(FEDAVG, CLIENTS, heterogeneity=fl.MixedDissimilarity(1))
    with pytest.raises(ValueError, match="beside a loss of the server's own"):
        method = fl.OneWayGradientTransfer(2, 0.1)
        fl.lyapunov(method, CLIENTS, centre=fl.SmoothConvex(1), heterogeneity=fl.Dissimilarity(1))


def _items(data: Any) -> list[Any]:
    return [item for item in data["step"]["assumptions"] if item["bound"] == "G2"]


def _smaller(data: Any) -> None:
    """Half of all multipliers of G2, honestly summed."""
    step = data["step"]
    for place, item in enumerate(step["assumptions"]):
        if item["bound"] == "G2":
            step["upper"]["assumptions"][place] = str(Fraction(step["upper"]["assumptions"][place]) / 2)
    step["upper"]["bound"]["G2"] = str(Fraction(step["upper"]["bound"]["G2"]) / 2)


def _scale(data: Any) -> None:
    item = _items(data)[0]
    item["scale"] = "1/2"
    place = data["step"]["assumptions"].index(item)
    lost = Fraction(data["step"]["upper"]["assumptions"][place]) / 2
    data["step"]["upper"]["bound"]["G2"] = str(Fraction(data["step"]["upper"]["bound"]["G2"]) - lost)


def _doubled(data: Any) -> None:
    for item in _items(data):
        item["inner"][0][0] = "2"


def _of_the_model(data: Any) -> None:
    _items(data)[0]["inner"] = [["1", 0, 0]]


def _more_mean(data: Any) -> None:
    """A constant that is smaller than the one declared elsewhere would be told; one of other gradients is refused."""
    item = next(item for item in _items(data) if len(item["inner"]) == 2)
    item["inner"][1] = ["-4", 0, 0]


def _of_a_step(data: Any) -> None:
    """Dissimilarity between points that clients have for themselves."""
    program = data["step"]["program"]
    local = max(r for r, made in enumerate(program) if made[0] == "gradient" and program[made[1]] != ["optimum"])
    if ["mean", local] not in program:
        program.append(["mean", local])
    new = program.index(["mean", local])
    _items(data)[0]["inner"] = [["1", local, local], ["-4", new, new]]


def _without_value(data: Any) -> None:
    _items(data)[0]["values"] = [
        ["-1", next(r for r, made in enumerate(data["step"]["program"]) if made[0] == "gradient")]
    ]


FORGERIES: list[tuple[str, Any, Callable[[Any], None]]] = [
    ("scale of 'G2'", "bounded gradients", _scale),
    ("scale of 'G2'", fl.Dissimilarity(2), _scale),
    ("no meaning here", "bounded gradients", _doubled),
    ("no meaning here", "bounded gradients", _of_the_model),
    ("no meaning here", fl.Dissimilarity(2), _doubled),
    ("no meaning here", fl.Dissimilarity(2), _without_value),
    ("no dissimilarity", fl.Dissimilarity(2), _more_mean),
    ("points that all clients share", fl.Dissimilarity(2), _of_a_step),
]


@pytest.mark.parametrize(
    ("words", "kind", "forge"), FORGERIES, ids=[f"{kind}{forge.__name__}" for _, kind, forge in FORGERIES]
)
def test_an_assumption_that_nobody_declared_is_rejected(words: str, kind: Any, forge: Callable[[Any], None]) -> None:
    found = fl.lyapunov(FEDAVG, CLIENTS, heterogeneity=kind)
    data: Any = json.loads(json.dumps(found.certificate))
    lyapunov_verifier.verify(copy.deepcopy(data))
    forge(data)
    # Whether the multipliers still add up is asked first; the meaning of what is assumed is asked by itself.
    with pytest.raises(verifier.Rejected):
        lyapunov_verifier.verify(data)
    item = _items(data)[0] if forge is not _more_mean else next(i for i in _items(data) if len(i["inner"]) == 2)
    space = verifier._Program(data["step"])
    program = data["step"]["program"]
    with pytest.raises(verifier.Rejected, match=words):
        lyapunov_verifier.dissimilar(program, space, set(range(len(program))), item)


def test_only_gradients_of_the_method_are_bounded() -> None:
    found = fl.lyapunov(FEDAVG, CLIENTS, heterogeneity="bounded gradients")
    data: Any = json.loads(json.dumps(found.certificate))
    program = data["step"]["program"]
    program.append(["gradient", data["leaves"][0]["after"]])
    new = len(program) - 1
    data["step"]["assumptions"].append({"inner": [["1", new, new]], "values": [], "bound": "G2", "scale": "1"})
    data["step"]["upper"]["assumptions"].append("0")
    with pytest.raises(verifier.Rejected, match="no gradient of the method"):
        lyapunov_verifier.verify(data)
