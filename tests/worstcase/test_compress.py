"""Noise of relative variance in worst cases: values by hand, every reading below them, theorems for all rounds, forgeries."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction as F
from typing import Any

import pytest

import fltheory as fl
from fltheory.readings import enumerate_moments
from fltheory.worstcase import lyapunov_verifier, verifier
from fltheory.worstcase.certificate import holds_program
from fltheory.worstcase.matching import certificate_matches

MU = F(1, 10)
CLIENTS = fl.SmoothStronglyConvex(MU, 1)


@dataclass(frozen=True)
class Compressed:
    """FedAvg whose clients send compressed moves."""

    step_size: Any
    variance: Any
    local_steps: int = 1
    participation: Any = fl.Full()

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        x = begin = fed.send(w)
        for _ in range(self.local_steps):
            x = x - self.step_size * fed.gradient(x)
        return w + fed.average(fed.compress(x - begin, self.variance), absent=fed.zero())


@dataclass(frozen=True)
class Diana:
    """Compressed differences to a memory (Mishchenko, Gorbunov, Takac, Richtarik, 2019)."""

    step_size: Any
    variance: Any
    memory_rate: Any

    def start(self, fed: Any, w: Any) -> Any:
        return w, fed.zero_clients()

    def round(self, fed: Any, state: Any) -> Any:
        w, memory = state
        sent = fed.compress(fed.gradient(fed.send(w)) - memory, self.variance)
        return w - self.step_size * fed.average(memory + sent), memory + self.memory_rate * sent


def data_of(found: Any) -> Any:
    return json.loads(json.dumps(found.certificate))


@pytest.mark.parametrize("clients", [1, 4])
@pytest.mark.parametrize("variance", [F(1, 2), 3])
@pytest.mark.parametrize("step_size", [F(1, 2), F(3, 2)])
def test_one_compressed_gradient_step_by_hand(step_size: F, variance: F, clients: int) -> None:
    """``E|x - eta mean(g_k + e_k)|^2 <= |x|^2 - 2 eta <x, mean g> + eta^2 (1 + omega/N) mean|g_k|^2``: the worst losses are
    ``c |x|^2/2`` at the ends of the class, with ``(1 - eta c)^2 + eta^2 c^2 omega/N``."""
    found = fl.worst_case(Compressed(step_size, variance), CLIENTS, heterogeneity="none", n_clients=clients)
    known = max((1 - step_size * c) ** 2 + step_size**2 * c**2 * variance / clients for c in (MU, F(1)))
    assert found.lower <= known <= found.upper
    assert found.upper - found.lower < F(1, 10**6) * known


def test_no_variance_is_no_noise() -> None:
    plain = fl.worst_case(fl.FedAvg(2, F(1, 4)), CLIENTS)
    assert fl.worst_case(Compressed(F(1, 4), 0, 2), CLIENTS).value == pytest.approx(plain.value, rel=1e-6)


@pytest.mark.parametrize("scheme", [fl.Full(), fl.NormalisedUniform(1), fl.SchemeI(2, "separate runs")])
@pytest.mark.parametrize("oracle", [None, fl.FiniteSupportNoise([[F(1)], [F(-1)]], [F(1, 2)] * 2)])
def test_no_worst_case_is_beaten_by_enumeration(scheme: Any, oracle: Any) -> None:
    """Bernoulli sparsification on quadratics, all cohorts and draws, against the certificate for any compressor."""
    algorithm = Compressed(F(1, 4), 2, 2, scheme)
    found = fl.worst_case(algorithm, CLIENTS, n_clients=2, noise=oracle is not None)
    best = F(0)
    for curvatures in ([MU, MU], [F(1), F(1)], [MU, F(1)]):
        for slope in (0, 1):
            problem = fl.QuadraticProblem([[[c]] for c in curvatures], [[F(slope)], [F(-slope)]])
            w = problem.constants.minimiser
            exact = enumerate_moments(problem, algorithm, rounds=1, start=w + 1, oracle=oracle, exact=True)
            zeta = sum((c * w[0] - b) ** 2 for c, b in zip(curvatures, (slope, -slope), strict=True)) / 2
            bound = found.bound["distance"] + found.bound["heterogeneity"] * zeta + found.bound.get("noise", 0)
            assert exact.squared_distance[-1] <= bound
            best = max(best, exact.squared_distance[-1] / bound)
    assert best > F(1, 2)


def test_the_question_has_the_variance() -> None:
    question: Any = {"n_clients": 4}
    found, other = fl.worst_case(Compressed(F(1, 2), 3), CLIENTS, **question), Compressed(F(1, 2), 2)
    assert certificate_matches(data_of(found), Compressed(F(1, 2), 3), CLIENTS, **question)
    assert not certificate_matches(data_of(found), other, CLIENTS, **question)
    assert holds_program(data_of(found), Compressed(F(1, 2), 3), 1, n_clients=4)
    assert not holds_program(data_of(found), other, 1, n_clients=4)


def test_a_larger_variance_than_certified_is_rejected() -> None:
    data = data_of(fl.worst_case(Compressed(F(1, 2), 3), CLIENTS, n_clients=4))
    verifier.verify(data)
    term = next(item for item in data["assumptions"] if item["bound"] is None)["inner"][1]
    assert term[0] == "-3"
    term[0] = "-7/2"
    with pytest.raises(verifier.Rejected):
        verifier.verify(data)


def test_what_has_no_model_is_refused() -> None:
    @dataclass(frozen=True)
    class OfAPoint:
        def start(self, fed: Any, w: Any) -> Any:
            return w

        def round(self, fed: Any, w: Any) -> Any:
            return fed.average(fed.compress(fed.send(w) - F(1, 4) * fed.gradient(fed.send(w)), 1))

    with pytest.raises(ValueError, match="degree 1: its noise depends on where the origin is"):
        fl.worst_case(OfAPoint(), CLIENTS, n_clients=2)

    @dataclass(frozen=True)
    class OfAnAverage:
        def start(self, fed: Any, w: Any) -> Any:
            return w

        def round(self, fed: Any, w: Any) -> Any:
            mean = fed.average(fed.compress(fed.gradient(fed.send(w)), 1))
            return w - F(1, 4) * fed.average(fed.compress(fed.send(mean), 1))

    for ask in (fl.worst_case, fl.lyapunov):
        with pytest.raises(ValueError, match="depends on a noisy or sampled average"):
            ask(OfAnAverage(), CLIENTS, n_clients=2)
    with pytest.raises(ValueError, match="compression"):
        fl.worst_case(Compressed(F(1, 2), 1), CLIENTS, n_clients=2, rounds=2)
    with pytest.raises(ValueError, match="n_clients is missing"):
        fl.worst_case(Compressed(F(1, 2), 1), CLIENTS)
    with pytest.raises(ValueError, match="variance of compress is -1"):
        fl.worst_case(Compressed(F(1, 2), -1), CLIENTS, n_clients=2)


class TestAllRounds:
    def test_a_round_is_a_theorem(self) -> None:
        found = fl.lyapunov(Compressed(F(1, 2), 3), CLIENTS, n_clients=4, heterogeneity="none")
        known = max((1 - F(1, 2) * c) ** 2 + F(1, 4) * c**2 * F(3, 4) for c in (MU, F(1)))
        assert known <= found.rho < known + F(1, 10**4)

    def test_memory_takes_the_heterogeneity_away(self) -> None:
        """Compressed gradients end in a neighbourhood; differences to a memory converge at about the rate of gradient descent."""
        plain = fl.lyapunov(Compressed(F(1, 2), 3), CLIENTS, n_clients=10)
        found = fl.lyapunov(Diana(F(1, 2), 3, F(1, 4)), CLIENTS, n_clients=10)
        assert plain.factors["heterogeneity"] > 0 and not any(found.factors.values())
        assert F(19, 20) ** 2 < found.rho < F(19, 20) ** 2 + F(1, 10**3)
        assert any("E |noise 0|^2 <= 3 |v|^2 for v = grad f_k(w) - memory 1" in line for line in found.words)
        assert found.matches(Diana(F(1, 2), 3, F(1, 4)), n_clients=10)
        assert not found.matches(Diana(F(1, 2), 2, F(1, 4)), n_clients=10)

    def test_the_theorem_is_obeyed(self) -> None:
        """Exact moments of two rounds of Bernoulli sparsification on quadratics."""
        algorithm = Compressed(F(1, 2), 1)
        found = fl.lyapunov(algorithm, CLIENTS, n_clients=2)
        problem = fl.QuadraticProblem([[[F(1)]], [[MU]]], [[F(1)], [F(-1)]])
        w = problem.constants.minimiser
        zeta = sum((c * w[0] - b) ** 2 for c, b in ((F(1), 1), (MU, -1))) / 2
        for rounds in (1, 2):
            exact = enumerate_moments(problem, algorithm, rounds=rounds, start=w + 1, exact=True).squared_distance[-1]
            after = found.after(rounds)
            assert exact <= after["distance"] + after["heterogeneity"] * zeta

    @pytest.mark.parametrize(
        ("forge", "reason"),
        [
            (
                lambda term, items: term.__setitem__(0, ["1", term[1][1], term[1][1]]),
                "assumption on None|slack",
            ),
            (lambda term, items: term[1].__setitem__(0, "-4"), "slack|measure|upper"),
            (lambda term, items: term[1].__setitem__(slice(1, 3), [items.index(["optimum"])] * 2), "knows|slack"),
            (lambda term, items: term.append(["-1", *[term[1][1]] * 2]), "slack|claimed|assumption on None"),
        ],
    )
    def test_forged_noise_is_rejected(self, forge: Any, reason: str) -> None:
        data = data_of(fl.lyapunov(Compressed(F(1, 2), 3), CLIENTS, n_clients=4))
        lyapunov_verifier.verify(data)  # type: ignore[no-untyped-call]
        terms = next(item for item in data["step"]["assumptions"] if item["bound"] is None)["inner"]
        forge(terms, data["step"]["program"])
        with pytest.raises(verifier.Rejected, match=reason):
            lyapunov_verifier.verify(data)  # type: ignore[no-untyped-call]

    def test_nothing_else_is_assumed_without_a_quantity(self) -> None:
        """``|w - w*|^2 <= 0`` makes any rate provable; whatever has no quantity must bound a noise."""
        data = data_of(fl.lyapunov(replace(Compressed(F(1, 2), 3), variance=1), CLIENTS, n_clients=4))
        for extra in ({"inner": [["1", 0, 0]], "values": []}, {"inner": [["1", 0, 0], ["-1", 0, 0]], "values": []}):
            forged = json.loads(json.dumps(data))
            forged["step"]["assumptions"].append({**extra, "bound": None, "scale": "1"})
            forged["step"]["upper"]["assumptions"].append("0")
            with pytest.raises(verifier.Rejected, match="assumption on None"):
                lyapunov_verifier.verify(forged)  # type: ignore[no-untyped-call]
