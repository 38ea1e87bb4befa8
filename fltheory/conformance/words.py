"""What the texts of this package share: a round's cohort, numbers per client, and what has been changed on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, overload

import numpy as np

from fltheory.algorithms.vocabulary import ClientVector, Federation, Vector
from fltheory.conformance.probes import Probe

#: A change of this name, followed by a parameter's, stands for the parameter being another number than the one that was given.
FIXED = "fixed-"


@dataclass(frozen=True)
class FreeNumber:
    """A number that a deviation leaves open, to be found from a user's models between ``low`` and ``high``.

    ``usual`` are numbers that are found in practice, where the search for it begins, with some more (``log``: on a logarithmic
    scale).
    """

    usual: tuple[float, ...]
    low: float
    high: float
    log: bool = False

    @cached_property
    def starts(self) -> tuple[float, ...]:
        """Where the search begins: the usual numbers and seven over the range."""
        even = np.geomspace(self.low, self.high, 9) if self.log else np.linspace(self.low, self.high, 9)
        return tuple(sorted({*self.usual, *(float(one) for one in even[1:-1])}))

    @cached_property
    def few(self) -> tuple[float, ...]:
        """A few of them: the three most usual ones and two over the range."""
        even = [one for one in self.starts if one not in self.usual]
        return tuple(sorted({*self.usual[:3], *even[1::4]}))


@dataclass(frozen=True)
class Deviation:
    """A named change of an algorithm's text.

    ``key`` is what the text asks for, ``words`` what a report says, and two changes of one ``place`` exclude each other.
    ``needs`` names parameters without which the change is none.  ``number`` is what is free in it, and ``value`` the number
    once it is known: the braces in ``words`` are then filled.
    """

    key: str
    place: str
    words: str
    needs: tuple[str, ...] = ()
    number: FreeNumber | None = None
    value: float | None = None

    def at(self, value: float, shown: str | None = None) -> Deviation:
        """The same with its number known; ``shown`` is how a report writes it."""
        known = replace(self, value=float(value))
        return known if shown is None else replace(known, words=self.words.replace("{}", shown))

    @property
    def token(self) -> str:
        """The change as :class:`ChangedProbe` takes it: the key, with its number behind it if it has one.

        Raises
        ------
        ValueError : the number is not known yet.
        """
        if self.number is None:
            return self.key
        if self.value is None:
            raise ValueError(f"deviation {self.key!r} has a free number, and none is given; use at(number)")
        return f"{self.key}={self.value!r}"


def keys_of(tokens: Iterable[str]) -> frozenset[str]:
    """The keys of changes, without their numbers."""
    return frozenset(token.partition("=")[0] for token in tokens)


@dataclass(frozen=True, eq=False)
class ChangedProbe:
    """A probe and what is changed, as :attr:`Deviation.token`; ``values`` are the parameters, neutral where a run takes none."""

    probe: Probe
    values: Mapping[str, Any]
    changes: frozenset[str]
    #: What a deviation carries from round to round beside the state of the text.
    memory: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def numbers(self) -> dict[str, float]:
        """The numbers of changes that have one."""
        pairs = (token.partition("=") for token in self.changes if "=" in token)
        return {key: float(number) for key, _, number in pairs}

    @cached_property
    def keys(self) -> frozenset[str]:
        """What is changed, without the numbers."""
        return keys_of(self.changes)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The parameters, with another number for those that are fixed in the code."""
        fixed = {key[len(FIXED) :]: number for key, number in self.numbers.items() if key.startswith(FIXED)}
        return {**self.values, **fixed}

    def has(self, key: str) -> bool:
        """Whether this change is made."""
        return key in self.keys

    def one_of(self, *keys: str) -> str | None:
        """The first of the keys that is changed."""
        return next((key for key in keys if key in self.keys), None)


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
        self.value = setting.parameters.__getitem__
        self.round = fed.round
        self.cohort = self.probe.cohorts[fed.round]

    @overload
    def number(self, key: str) -> float | None: ...

    @overload
    def number(self, key: str, usual: float) -> float: ...

    def number(self, key: str, usual: float | None = None) -> float | None:
        """The number of a change, if it is made."""
        return self.setting.numbers.get(key, usual)

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
