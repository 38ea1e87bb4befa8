"""A quadratic problem of one's own class: with ``to_dense`` it is read as the quadratic problem that it is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.readings.enumeration import enumerate_moments
from fltheory.readings.table import table_moments


@dataclass(frozen=True, eq=False)
class Diagonal:
    """``F_k(w) = sum_i h_ki (w_i - c_ki)^2 / 2`` with equal weights; ``h`` and ``c`` are ``(N, d)``."""

    h: Any
    c: Any

    @property
    def n_clients(self) -> int:
        return len(self.h)

    @property
    def dimension(self) -> int:
        return int(self.h.shape[1])

    @property
    def weights(self) -> Any:
        return self.to_dense().weights

    @property
    def constants(self) -> Any:
        return self.to_dense().constants

    def value(self, w: Any) -> Any:
        return self.client_values(w).mean(axis=-1)

    def client_values(self, w: Any) -> Any:
        return (self.h * (w[..., None, :] - self.c) ** 2).sum(axis=-1) / 2

    def gradient(self, w: Any) -> Any:
        return self.client_gradients(np.broadcast_to(w[..., None, :], (*w.shape[:-1], *self.h.shape))).mean(axis=-2)

    def client_gradients(self, x: Any, clients: Any = None) -> Any:
        chosen = np.arange(self.n_clients) if clients is None else clients
        return self.h[chosen] * (x - self.c[chosen])

    def to_dense(self) -> fl.QuadraticProblem:
        matrices = np.array([np.diag(row) for row in self.h])
        return fl.QuadraticProblem(matrices, self.h * self.c, (self.h * self.c**2).sum(axis=1) / 2)


OWN = Diagonal(np.array([[1.0, 2.0], [0.5, 1.5]]), np.array([[1.0, -1.0], [0.25, 2.0]]))
SAME = OWN.to_dense()
ALGORITHM = fl.FedAvg(3, 0.25, fl.SchemeII(1))
NOISE = fl.FiniteSupportNoise(np.array([[0.5, 0.0], [-0.5, 0.0]]), np.array([0.5, 0.5]))


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("read", [fl.moments, table_moments, enumerate_moments])
def test_exact_moments(read: Any, exact: bool) -> None:
    own, same = (read(p, ALGORITHM, rounds=1, oracle=NOISE, exact=exact) for p in (OWN, SAME))
    np.testing.assert_array_equal(own.deviations, same.deviations)
    assert isinstance(own.gap[1], Fraction) == exact


def test_fixed_points_and_laws() -> None:
    full = fl.FedAvg(3, 0.25)
    np.testing.assert_allclose(fl.fixed_point(OWN, full), fl.fixed_point(SAME, full), rtol=1e-13)
    assert (fl.fixed_point(OWN, full, exact=True) == fl.fixed_point(SAME, full, exact=True)).all()
    laws = [fl.stationary(p, ALGORITHM, oracle=NOISE) for p in (OWN, SAME, fl.Scaled(OWN, 1.0))]
    assert laws[0].gap == pytest.approx(laws[1].gap, rel=1e-12) == pytest.approx(laws[2].gap, rel=1e-12)
    with pytest.raises(ValueError, match=r"problem=object|problem=<object"):
        fl.fixed_point(object(), full)


def test_runs_take_the_slow_way_to_the_same_place() -> None:
    own, same = (
        fl.simulate(p, ALGORITHM, rounds=5, runs=4, oracle=NOISE, seed=1, backend=b)
        for p, b in ((OWN, "auto"), (SAME, "numpy"))
    )
    np.testing.assert_allclose(own.final, same.final, rtol=1e-13)
    np.testing.assert_allclose(own.gap, same.gap, rtol=1e-9)
    assert own.settings["backend"] == "numpy" and own.known.gap is not None
