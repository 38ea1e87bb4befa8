"""Pairs of deviations that give a user's models together, listed ones and those with a free number.

On the first rounds, up to where the published text differs, a member of a pair either acts or does not.  If only one acts, it
gives these rounds alone, and the other is looked for in later rounds; that is quick.  If both act, all pairs are tried, those that
are found most often first, as long as time lasts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from fltheory.conformance.search import Changes, Choice, DeviationSearch, Match, Window, cost, fewest, keys
from fltheory.conformance.words import FIXED, Deviation
from fltheory.kinds import Floats

#: What training code most often has besides: tried together with each other before anything else with a free number.
_KNOBS = (
    "local-momentum",
    "kept-momentum",
    "outside-momentum",
    "weight-decay",
    "clip",
    "clip-bare",
    "server-momentum",
    "weights-power",
    "shown-average",
    "mixed-model",
)


#: The share of the time after which pairs of which one acts later are no longer looked for.
_CHAIN = 0.5
#: The stage of :func:`_ordered` in which two numbers that are often free are looked for with patience.
_COMMON = 2


def pairs(search: DeviationSearch) -> list[Match]:
    """Two deviations of different places, under the fewest unusual conventions."""
    found: list[Match] = []
    for choice in search.family.choices():
        if (found and cost(choice) > cost(found[0].choice)) or search.late(_CHAIN):
            break
        found += _one_after_the_other(search, choice)
    for choice in search.family.choices():
        if found or search.stopped:
            break
        found += _together(search, choice)
    once = {frozenset(one.key for one in match.deviations): match for match in reversed(found)}
    return fewest(reversed(once.values()))


def _one_after_the_other(search: DeviationSearch, choice: Choice) -> list[Match]:
    """Pairs of which one member alone gives the first rounds."""
    base = keys(choice)
    window = search.differs(base)
    found: list[Match] = []
    for one in search.listed:
        if _right(search, base | {one.key}, window):
            found += _with_listed(search, choice, one, None, window)
    for one, number in search.rights.get(choice, []):
        if search.late(_CHAIN):
            break
        found += _with_listed(search, choice, one, number, window)
    return found


def _with_listed(
    search: DeviationSearch, choice: Choice, one: Deviation, number: float | None, window: Window
) -> list[Match]:
    """Seconds to a first member; what is free in both is fitted together."""
    base = keys(choice)
    here = one if number is None else one.at(number)
    after = base | {here.token}
    further = search.differs(after)
    if further == window:
        return []
    found: list[Match] = []
    for other in search.listed:
        if other.place == one.place:
            continue
        if number is None:
            if search.fits(search.family, after | {other.key}):
                found.append(Match(search.family, choice, (one, other)))
        elif _right(search, after | {other.key}, further):
            exact = search.exact(base | {other.key}, (one,), (number,))
            if exact is not None:
                found.append(Match(search.family, choice, (*exact, other)))
    usual = search.early(after, window)
    for other in search.free:
        if other.place == one.place or other.number is None:
            continue
        if search.late(_CHAIN):
            break
        acts = number is not None and _acts(search, after, other, window, usual)
        if number is None or not acts:
            numbers = search.fit(after, (other,), [further], thorough=False)
        else:
            windows = [further] if further[0] == window[0] and further[1] >= window[1] else [window, further]
            starts = [(number, start) for start in other.number.few]
            numbers = search.fit(base, (one, other), windows, starts=starts, thorough=False)
        if numbers is None:
            continue
        open_ones = (other,) if number is None else (one, other)
        at = numbers if number is None or acts else (number, *numbers)
        exact = search.exact(after if number is None else base, open_ones, at)
        if exact is not None:
            found.append(Match(search.family, choice, (one, *exact) if number is None else exact))
    return found


def _together(search: DeviationSearch, choice: Choice) -> list[Match]:
    """Pairs of which both members act on the first rounds."""
    base = keys(choice)
    window = search.differs(base)
    usual = search.early(base, window)
    listed = [one for one in search.listed if not _same(search.early(base | {one.key}, window), usual)]
    free = []
    for one in search.free:
        if _acts(search, base, one, window, usual):
            free.append(one)
    found: list[Match] = []
    last = 0
    for stage, left, other in _ordered(listed, free, {one.key for one in search.family.own}):
        if stage != last and found:
            break
        last = stage
        if search.late(1.0):
            search.stopped = True
            break
        if left.number is None and other.number is None:
            if search.fits(search.family, base | {left.key, other.key}):
                found.append(Match(search.family, choice, (left, other)))
            continue
        open_ones = tuple(one for one in (left, other) if one.number is not None)
        after = base | {one.key for one in (left, other) if one.number is None}
        numbers = search.fit(after, open_ones, [window], thorough=stage == _COMMON)
        exact = None if numbers is None else search.exact(after, open_ones, numbers)
        if exact is not None:
            found.append(Match(search.family, choice, exact if len(exact) == 2 else (left, *exact)))
    return found


def _ordered(
    listed: list[Deviation], free: list[Deviation], own: set[str]
) -> Iterator[tuple[int, Deviation, Deviation]]:
    """Pairs of different places, in the order in which they are tried, with the number of their stage."""
    common = [one for one in free if one.key in _KNOBS or one.key in own or one.key.startswith(FIXED)]
    rare = [one for one in free if one not in common]
    mine = [one for one in listed if one.key in own]
    rest = [one for one in listed if one.key not in own]
    stages = (
        combinations(mine, 2),
        ((one, other) for one in mine for other in rest),
        combinations(common, 2),
        ((one, other) for one in mine for other in common),
        combinations(rest, 2),
        ((one, other) for one in rest for other in common),
        ((one, other) for one in listed for other in rare),
        ((one, other) for one in common for other in rare),
        combinations(rare, 2),
    )
    for number, stage in enumerate(stages):
        for left, other in stage:
            if left.place != other.place:
                yield number, left, other


def _acts(search: DeviationSearch, base: Changes, one: Deviation, window: Window, usual: Floats) -> bool:
    """Whether a deviation with a free number changes the first rounds."""
    starts = one.number.few if one.number is not None else ()
    return any(not _same(search.early(base | {one.at(start).token}, window), usual) for start in starts)


def _right(search: DeviationSearch, changes: Changes, window: Window) -> bool:
    return bool(np.abs(search.gaps(changes, (), (), [window])).max() <= 1.0)


def _same(left: Floats, right: Floats) -> bool:
    return left.shape == right.shape and bool(np.allclose(left, right, rtol=1e-10, atol=1e-10))
