"""Enumerated populations against the oracle's own variances, and the law of total variance."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from verify.mixed2022.populations import COIN, PLANE, Split, quadratics, rationals, split, splits


def test_one_client_has_the_variance_of_its_oracle() -> None:
    alone = quadratics([[1, 2]], [[3, -1]], [1])
    found = split(alone, PLANE, (0,), rationals([1, 1]), "alone")
    assert found.variance == found.within == PLANE.variance(alone, rationals([1, 1]))[0]
    assert found.mean.tolist() == alone.client_gradients(rationals([[1, 1]]))[0].tolist() and found.between == 0


def test_two_clients_by_hand() -> None:
    """(x-1)^2/2 and (x+1)^2/2 at x = 0 with noise +-1: gradients -1 +- 1 and 1 +- 1, variance 2, one of it between them."""
    both = quadratics([[1], [1]], [[1], [-1]], ["1/2", "1/2"])
    found = split(both, COIN, (0, 1), rationals([0]), "both")
    assert (found.variance, found.within, found.between) == (2, 1, 1)
    together = split(both, COIN, (0, 0), rationals([0]), "together")
    assert (together.variances, together.between) == ((Fraction(2),), 0)


@pytest.mark.parametrize("one", list(splits()), ids=lambda one: one.name)
def test_the_named_splits(one: Split) -> None:
    assert sum(one.shares) == 1 and one.variance == one.within + one.between
    mean = sum(share * each for share, each in zip(one.shares, one.means, strict=True))
    assert (np.asarray(mean) == one.mean).all()
