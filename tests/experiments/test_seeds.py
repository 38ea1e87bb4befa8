"""Seeds: those of replicates, that no two sets share one, and seeds below a master by named axis."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fltheory.experiments.replicates import run_replicates
from fltheory.experiments.seeds import Seeds, require_apart, seed_of


def test_replicates_count_on_from_the_first_seed() -> None:
    assert [seed_of(100, r) for r in range(3)] == [100, 101, 102]
    with pytest.raises(ValueError, match="replicate=-1 is negative"):
        seed_of(100, -1)
    with pytest.raises(ValueError, match="first seed=-5 is negative"):
        seed_of(-5, 0)


def test_sets_that_share_a_seed_are_refused(tmp_path: Path) -> None:
    apart = {"a": {"first seed": 10, "replicates": 5}, "b": {"first seed": 15, "replicates": 2}, "c": {"replicates": 9}}
    require_apart(apart)
    close = {**apart, "b": {"first seed": 14, "replicates": 2}}
    words = "first seed=14 of 'b' is one of the 5 seeds from 10 of 'a'"
    with pytest.raises(ValueError, match=words):
        require_apart(close)
    with pytest.raises(ValueError, match=words):
        run_replicates(tmp_path / "r.npz", {}, close, lambda name, r: {}, script=__file__)
    assert not list(tmp_path.iterdir())


def test_axes_are_what_spawning_makes() -> None:
    seeds = Seeds(7, ("replicate", "draws"))
    spawned = np.random.SeedSequence(7).spawn(3)
    for replicate, child in enumerate(spawned):
        np.testing.assert_array_equal(seeds.at(replicate=replicate).generate_state(4), child.generate_state(4))
        for draws, grandchild in enumerate(child.spawn(2)):
            found = seeds.at(draws=draws, replicate=replicate)
            np.testing.assert_array_equal(found.generate_state(4), grandchild.generate_state(4))


@pytest.mark.parametrize("places", [{}, {"draws": 0}, {"replicate": 0, "other": 0}])
def test_places_are_on_the_first_axes(places: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="expected a place on each of the first axes"):
        Seeds(7, ("replicate", "draws")).at(**places)


def test_a_negative_place() -> None:
    with pytest.raises(ValueError, match="replicate=-1 is negative"):
        Seeds(7, ("replicate",)).at(replicate=-1)
