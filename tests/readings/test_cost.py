"""Costs: every round is counted, every client by itself, and nothing is carried on without a proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from time import monotonic
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms import Adam, FedOpt, Harmonic, ParallelRestartedSGD, Populations
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.readings import round_cost
from fltheory.readings.cohort_cost import Total
from fltheory.readings.follower import client_draws

SIZES = (3, 4)


@dataclass(frozen=True)
class Written:
    """An algorithm whose round is given."""

    text: Callable[[Any, Any], Any]
    participation: Any = fl.Full()

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        return self.text(fed, w)


def seldom(period: int) -> Written:
    def text(fed: Any, w: Any) -> Any:
        x = fed.send(w)
        x = x - fed.gradient(x)
        return fed.average(x) if (fed.round + 1) % period == 0 else w

    return Written(text)


@pytest.mark.parametrize(("period", "uploads"), [(1, 12), (2, 6), (3, 4), (5, 2), (7, 1)])
def test_averages_of_some_rounds_are_counted_there(period: int, uploads: int) -> None:
    count = fl.cost(SIZES, seldom(period), rounds=12)
    assert count.total("up") == Total(3 * uploads, 3 * uploads, 3 * uploads)
    assert count.total("down").most == 36 and count.numbers_sent == (36 + 3 * uploads) * 4
    assert count.by_client("up")[:, 0].tolist() == [int((r + 1) % period == 0) for r in range(12)]
    if period > 1:
        with pytest.raises(ValueError, match="up differs from round to round, from 0 to 1"):
            _ = count.up
        assert "up=differing" in repr(count)


def test_a_period_is_proved_and_carries_any_number_of_rounds() -> None:
    count = fl.cost(SIZES, seldom(3), rounds=10**9)
    assert count.total("up").most == 3 * (10**9 // 3) and count.total("gradients").most == 3 * 10**9
    assert count.round(10**9 + 1).up == int((10**9 + 2) % 3 == 0)
    with pytest.raises(ValueError, match="exceed"):
        count.by_client("up")
    assert fl.cost(SIZES, fl.FedAvg(5, 0.1), rounds=10**12).total_gradients == 15 * 10**12


def test_comparisons_with_the_index_end_before_the_period() -> None:
    def text(fed: Any, w: Any) -> Any:
        x = fed.send(w)
        for _ in range(4 if fed.round < 10 else 1):
            x = x - fed.gradient(x)
        if fed.round == 20 or fed.round % 4 == 3:
            x = x - fed.gradient(x)
        return fed.average(x)

    def by_hand(rounds: int) -> int:
        return 3 * sum((4 if r < 10 else 1) + (r == 20 or r % 4 == 3) for r in range(rounds))

    for rounds in (1, 9, 19, 20, 21, 22, 50, 1003):
        assert fl.cost(SIZES, Written(text), rounds=rounds).total_gradients == by_hand(rounds)
    assert fl.cost(SIZES, Written(text), rounds=4 * 10**8).total_gradients == by_hand(40) + 3 * 5 * (10**8 - 10)


def test_a_late_change_of_the_state_is_no_period() -> None:
    """A vector that is zero until the second round: the rounds before look alike."""

    def text(fed: Any, w: Any) -> Any:
        x = fed.send(w)
        if fed.round > 1000:
            x = x - fed.gradient(x)
        return fed.average(x - fed.gradient(x))

    assert fl.cost(SIZES, Written(text), rounds=1005).total_gradients == 3 * (1001 + 2 * 4)


def test_what_cannot_be_proved_is_counted_or_refused_in_bounded_time() -> None:
    changing = fl.FedAvg(2, Harmonic(1.0, 10.0))
    count = fl.cost(SIZES, changing, rounds=200)
    assert len(count.head) == 200 and not count.cycle and count.total_gradients == 3 * 400
    begun = monotonic()
    with pytest.raises(ValueError, match=r"rounds=1000000000: no period of FedAvg was proved in its first 21 rounds"):
        fl.cost(SIZES, changing, rounds=10**9)
    assert monotonic() - begun < 5
    with pytest.raises(ValueError, match="round=200 was not counted"):
        count.round(200)


def test_an_index_as_a_factor_is_not_taken_for_a_constant() -> None:
    vanishing = Written(lambda fed, w: w + fed.average((fed.round - 3) * fed.gradient(fed.send(w))))
    count = fl.cost(SIZES, vanishing, rounds=6)
    assert count.by_client("gradients")[:, 0].tolist() == [1, 1, 1, 0, 1, 1]
    assert count.by_client("up")[:, 0].tolist() == [1, 1, 1, 0, 1, 1]


MADE = dict(client_steps=(5, 3, 1))
UNEQUAL = [
    fl.TwoWayGradientTransfer(5, 0.1, 0.1, **MADE),
    fl.OneWayGradientTransfer(5, 0.1, **MADE),
    fl.ParallelTraining(5, 0.1, 0.1, **MADE),
    fl.TwoWayGradientTransfer(5, 0.1, 0.1, client_weights="problem", **MADE),
]


@pytest.mark.parametrize("algorithm", UNEQUAL)
def test_clients_make_their_own_steps_and_send_one_vector(algorithm: Any) -> None:
    count = fl.cost(SIZES, algorithm, rounds=2)
    assert count.round(1).gradients_by_client.tolist() == [5, 3, 1] and count.total_gradients == 2 * 9
    assert count.up == 1
    with pytest.raises(ValueError, match="gradients differs from client to client, from 1 to 5"):
        _ = count.gradients


def test_cohorts_of_unequal_clients_have_a_mean_and_limits() -> None:
    for scheme in (fl.SchemeII(2), fl.NormalisedUniform(2)):
        count = fl.cost(SIZES, fl.OneWayGradientTransfer(5, 0.1, participation=scheme, **MADE), rounds=10)
        assert count.total("gradients") == Total(10 * 4, Fraction(10 * 2 * 9, 3), 10 * 8)
        with pytest.raises(ValueError, match="depends on the cohorts, from 40 to 80, in the mean 60"):
            _ = count.total_gradients
        assert count.numbers_sent == 10 * 2 * 3 * 4


def test_totals_are_those_of_listed_cohorts() -> None:
    """Scheme I by all its outcomes: a client that is drawn twice runs once."""
    problem = QuadraticProblem(np.stack([np.eye(2)] * 3), np.eye(3, 2), weights=np.array([0.5, 0.3, 0.2]))
    counts = np.array([5, 3, 1])
    for scheme in (fl.SchemeI(2), fl.SchemeI(2, repeats="separate runs"), fl.SchemeI(4)):
        together = scheme.repeats == "one run"
        sums = [
            (float(outcome.probability), counts[list(set(outcome.clients) if together else outcome.clients)].sum())
            for outcome in scheme.outcomes([0.5, 0.3, 0.2])
        ]
        mixed = fl.MixedProblem(problem, QuadraticProblem(np.eye(2)[None], np.ones((1, 2))))
        algorithm = fl.OneWayGradientTransfer(5, 0.1, participation=scheme, client_weights="problem", **MADE)
        total = fl.cost(mixed, algorithm).total("gradients")
        assert float(total.mean) == pytest.approx(sum(p * s for p, s in sums), rel=1e-12)
        assert (total.least, total.most) == (min(s for _, s in sums), max(s for _, s in sums))


def test_first_rounds_send_no_zero_and_the_start_is_counted() -> None:
    plain = fl.cost(SIZES, fl.TwoWayGradientTransfer(5, 0.1, 0.1), rounds=10)
    assert [plain.round(r).down for r in (0, 1, 9)] == [1, 2, 2] and plain.total("down").most == 3 * 19
    warm = fl.cost(SIZES, fl.TwoWayGradientTransfer(5, 0.1, 0.1, initial="gradients"), rounds=10)
    assert warm.down == 2 and warm.opening.gradients == 1 and warm.total_gradients == 3 * 51
    assert warm.total("central_gradients").most == 51 and "opening" in repr(warm)
    assert fl.cost(SIZES, ParallelRestartedSGD(3, 0.1), rounds=2).total("down").most == 3 * 3


@pytest.mark.parametrize(
    ("text", "up"),
    [
        (lambda fed, x, a, b: fed.average(a) + fed.average(b) + fed.average(a * 0.1 + 0.2 * b), 2),
        (lambda fed, x, a, b: fed.average(a * 0.3 + 0.6 * b) + fed.average(0.1 * a + 0.2 * b), 1),
        (lambda fed, x, a, b: fed.average(a - x) - fed.average(3 * a + 7 * x) / 9, 1),
        (lambda fed, x, a, b: fed.average(a * fed.per_client([1, 2, 3])) + fed.average(a), 1),
        (lambda fed, x, a, b: fed.average(a + b * fed.per_client([1, 2, 3])) + fed.average(a + b), (1, 2, 2)),
        (lambda fed, x, a, b: fed.average(a * fed.per_client([0, 1, 0])) + fed.average(b), (1, 2, 1)),
        (lambda fed, x, a, b: fed.average(x), 0),
        (lambda fed, x, a, b: fed.average(a - a + 0 * b), 0),
        (lambda fed, x, a, b: fed.average(fed.send(fed.average(a)) - b), 2),
    ],
)
def test_one_upload_for_each_independent_vector(text: Any, up: Any) -> None:
    def rounds(fed: Any, w: Any) -> Any:
        x = fed.send(w)
        return text(fed, x, fed.gradient(x), fed.gradient(x))

    counted = fl.cost(SIZES, Written(rounds)).round(0).up_by_client
    assert tuple(counted) == (up if isinstance(up, tuple) else (up,) * 3)


def test_one_download_for_each_independent_vector_that_a_client_uses() -> None:
    def text(fed: Any, w: Any) -> Any:
        first = fed.average(fed.gradient(fed.send(w)))
        x = fed.send(w + first) + fed.send(w - 2 * first) + fed.send(first)
        return fed.average(fed.gradient(x))

    assert fl.cost(SIZES, Written(text)).down == 2
    count = fl.cost((4, 2), Populations((0, 0, 1, 1), 3, 0.1, transfer=True), rounds=3)
    assert [count.round(r).down for r in range(3)] == [1, 2, 2] and count.up == 1  # own correction only


def test_values_and_counts_of_clients_are_checked() -> None:
    with pytest.raises(ValueError, match="names 3 clients; the problem has 2"):
        fl.cost((2, 3), fl.OneWayGradientTransfer(5, 0.1, **MADE))
    with pytest.raises(ValueError, match="per_client got 2 numbers"):
        fl.cost(SIZES, Written(lambda fed, w: fed.average(fed.send(w) * fed.per_client([1, 2]))))
    with pytest.raises(ValueError, match="multiplied by nan"):
        fl.cost(SIZES, Written(lambda fed, w: fed.average(float("nan") * fed.send(w))))
    with pytest.raises(ValueError, match="name='sideways'"):
        fl.cost(SIZES, fl.FedAvg(1, 0.1)).total("sideways")


@pytest.mark.parametrize("digest", [0, 1, 2, 2**56 - 1])
def test_an_unknown_number_is_never_zero(monkeypatch: pytest.MonkeyPatch, digest: int) -> None:
    """What is no number counts as some number, whatever its digest is: a vector times it is still a vector to send."""

    class Tomorrow:
        numerator = denominator = None

        def __repr__(self) -> str:
            return "tomorrow's step"

    class Digest:
        def __init__(self, text: bytes) -> None:
            assert text == b"tomorrow's step"

        def digest(self) -> bytes:
            return digest.to_bytes(7, "big") + b"rest"

    number: Any = Tomorrow()
    assert 0 < round_cost._residue(number) < round_cost.PRIME
    monkeypatch.setattr(round_cost.hashlib, "sha256", Digest)
    assert 0 < round_cost._residue(number) < round_cost.PRIME


def test_draws_of_a_round_are_those_of_that_round() -> None:
    def text(fed: Any, w: Any) -> Any:
        x = fed.send(w)
        if fed.round == 2:
            shared = fed.batch()
            return fed.average(x - fed.gradient(x, shared) + fed.gradient(2 * x, shared))
        return fed.average(x - fed.gradient(x) - fed.gradient(2 * x))

    assert [client_draws(Written(text), 3, r) for r in range(4)] == [2, 2, 1, 2]


def test_optimisers_of_the_server_cost_nothing() -> None:
    for server in (Adam(), Adam(bias_corrected=True)):
        count = fl.cost(SIZES, FedOpt(2, 0.1, server=server), rounds=30)
        assert (count.down, count.up, count.gradients) == (1, 1, 2)
