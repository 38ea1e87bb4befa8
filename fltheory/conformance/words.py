"""What the texts of this package share: a round's cohort, numbers per client, and what has been changed on purpose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import ClientVector, Federation, Vector
from fltheory.conformance.probes import Probe


@dataclass(frozen=True)
class Deviation:
    """A named change of an algorithm's text.

    ``key`` is what the text asks for, ``words`` what a report says, and two changes of one ``place`` exclude each other.
    ``needs`` names parameters without which the change is none.
    """

    key: str
    place: str
    words: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ChangedProbe:
    """A probe and the keys of what is changed; ``values`` are the parameters, neutral where a run does not take them."""

    probe: Probe
    values: Mapping[str, Any]
    changes: frozenset[str]
    #: What a deviation carries from round to round beside the state of the text.
    memory: dict[str, Any] = field(default_factory=dict)

    def has(self, key: str) -> bool:
        """Whether this change is made."""
        return key in self.changes

    def one_of(self, *keys: str) -> str | None:
        """The first of the keys that is changed."""
        return next((key for key in keys if key in self.changes), None)


#: The state of a text between rounds: vectors by name.
State = dict[str, Any]


class ProbeRound:
    """A federation in one round of a probe, with the words that texts here use.

    The federation's cohort has coefficient 1 in every slot: its ``average`` is the sum over the cohort, and numbers per client make
    any average of it.
    """

    def __init__(self, fed: Federation, setting: ChangedProbe) -> None:
        self.fed = fed
        self.setting = setting
        self.probe = setting.probe
        self.has, self.one_of = setting.has, setting.one_of
        self.value = setting.values.__getitem__
        self.round = fed.round
        self.cohort = self.probe.cohorts[fed.round]

    def total(self, x: ClientVector, numbers: Sequence[float] | None = None) -> Vector:
        """``sum over the cohort of numbers_k x_k``."""
        return self.fed.average(x if numbers is None else self.times(x, numbers))

    def times(self, x: ClientVector, numbers: Sequence[float]) -> ClientVector:
        """Each client's vector times its number, ``(N,)``."""
        found: ClientVector = x * self.fed.per_client([float(number) for number in numbers])
        return found

    def everyone(self, x: ClientVector, numbers: Sequence[float] | None = None) -> Vector:
        """``sum over all clients of numbers_k x_k`` for a vector that the whole population has."""
        given = np.ones(self.probe.n_clients) if numbers is None else np.asarray(numbers)
        return self.fed.population_average(self.times(x, list(given / self.probe.weights)))

    def only(self, client: int) -> list[float]:
        """1 for one client, 0 for the others."""
        return [float(k == client) for k in range(self.probe.n_clients)]

    def members(self) -> list[float]:
        """1 for the clients of the cohort, 0 for the others."""
        return [float(k in self.cohort) for k in range(self.probe.n_clients)]

    def kept(self, new: ClientVector, old: ClientVector) -> ClientVector:
        """State of the clients: new for the cohort, old for the others."""
        return self.fed.only_cohort(new, otherwise=old)

    def decide(self, rule: Callable[..., Any], *vectors: Any) -> Any:
        """Numbers that depend on numbers."""
        return self.fed.decide(rule, *vectors)
