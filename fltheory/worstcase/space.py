"""Coordinates of a program's registers in Gram blocks: where the number of clients disappears.

A vector per client is its mean over the clients (block ``mean``), its deviation from it (block ``deviation``), and for
every draw of noise that it depends on a martingale increment (block ``draw t``).  Averaged inner products are sums over
the blocks.  Averaging over all clients keeps the mean and drops the deviation; increments of different clients are
uncorrelated, so that of an average over N clients only the share ``1/N`` of their second moment is left.  Averaging over a
cohort of K keeps ``(N-K)/(K(N-1))`` of the deviation's.

The noise of the server's own gradient is one for all clients: an increment due to such a draw ``t`` has a mean over the
clients and a deviation again, blocks ``mean t`` and ``deviation t``.  An average keeps the mean.  These draws come before
those of the clients, whose noises are independent given them.

A vector is ``{(part, basis): coefficient}``; parts are ``mean``, ``deviation``, ``sampled`` (what a cohort's average keeps
of deviations), the same with ``t`` for the server's draw ``t``, and ``draw t``, ``averaged t`` for the clients' draw ``t``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from fltheory.readings.gram import Instruction

Coordinates = dict[tuple[str, int], Fraction]

_LATER = "a gradient at a cohort's or a noisy average has no model: certify one round, then chain the rounds"
#: Why noises of the server's own gradient must come first.
SERVER_LATE = (
    "a noise of the server's own gradient after a noise of the clients': clients share the server's draws and are "
    "independent given them, which has a model only where the server's draws come first"
)


def kind_of(part: str) -> str:
    """``"mean"``, ``"deviation"``, ``"sampled"``, ``"draw"`` or ``"averaged"``."""
    return part.split()[0]


def draw_of(part: str) -> int:
    """The draw of a part or block, -1 for what is there before all draws."""
    return int(part.split()[1]) if " " in part else -1


@dataclass(frozen=True)
class Shares:
    """What averages keep of second moments: ``deviation`` under sampling (``None``: full participation), ``noise``.

    ``scheme`` with N (``clients``) and K (``cohort``) says which draw of a cohort gives them: a certificate names it.
    """

    deviation: Fraction | None = None
    noise: Fraction = Fraction(1)
    scheme: str = "full"
    clients: int | None = None
    cohort: int | None = None


@dataclass
class Space:
    """Coordinates of all registers of a program.

    Attributes
    ----------
    sizes : dimension of each Gram block.
    coordinates : one vector per register.
    points : for gradients and minimisers, the coordinates of the point.
    """

    instructions: tuple[Instruction, ...]
    shares: Shares
    sizes: dict[str, int] = field(default_factory=dict)
    coordinates: list[Coordinates] = field(default_factory=list)
    points: dict[int, Coordinates] = field(default_factory=dict)
    has_centre: bool = False

    def __post_init__(self) -> None:
        self.sizes = {"mean": 0, "deviation": 0}
        self.has_centre = any(item[0] == "centre" for item in self.instructions)
        self._at_minimiser: int | None = None
        self._kinds: list[tuple[str, ...]] = []  # what a client's vector may have of each draw
        for item in self.instructions:
            make = getattr(self, f"_{item[0]}")
            self.coordinates.append(make(len(self.coordinates), *item[1:]))

    def _fresh(self, block: str) -> Coordinates:
        self.sizes[block] = self.sizes.get(block, 0) + 1
        return {(block, self.sizes[block] - 1): Fraction(1)}

    def _given(self, place: int, who: str, degree: int) -> Coordinates:
        return self._fresh("mean") | (self._fresh("deviation") if who == "clients" else {})

    def _optimum(self, place: int, *shared: str) -> Coordinates:
        return {}

    def _infimum(self, place: int) -> Coordinates:
        return {}

    def _minimiser(self, place: int) -> Coordinates:
        self.points[place] = self._fresh("mean") | self._fresh("deviation")
        return self.points[place]

    def _noise(self, place: int, draw: int, who: str = "clients") -> Coordinates:
        if who != "server":
            self._kinds.append(("draw",))
        elif ("draw",) in self._kinds:
            raise ValueError(SERVER_LATE)
        else:
            self._kinds.append(("mean", "deviation"))
        return self._fresh(f"{self._kinds[draw][0]} {draw}")

    def _combine(self, place: int, terms: tuple[tuple[Fraction, int], ...]) -> Coordinates:
        total: Coordinates = {}
        for factor, register in terms:
            for key, entry in self.coordinates[register].items():
                total[key] = total.get(key, Fraction(0)) + factor * entry
        return {key: entry for key, entry in total.items() if entry != 0}

    def _average(self, place: int, register: int) -> Coordinates:
        kept: Coordinates = {}
        for (part, basis), entry in self.coordinates[register].items():
            if kind_of(part) == "deviation" and self.shares.deviation is None:
                continue
            part = part.replace("deviation", "sampled").replace("draw", "averaged")
            kept[part, basis] = kept.get((part, basis), Fraction(0)) + entry
        return kept

    def _mean(self, place: int, register: int) -> Coordinates:
        vector = self.coordinates[register]
        if any(kind_of(part) not in ("mean", "deviation") for part, _ in vector):
            raise ValueError("the mean over all clients of a random vector has no model")
        return {key: entry for key, entry in vector.items() if kind_of(key[0]) == "mean"}

    def _gradient(self, place: int, register: int) -> Coordinates:
        point = self.points[place] = self.coordinates[register]
        if any(kind_of(part) in ("sampled", "averaged") for part, _ in point):
            raise ValueError(_LATER)
        found: Coordinates = {}
        if point or self.has_centre:
            found |= self._fresh("mean") if point else self._mean_at_minimiser()
        if self.instructions[register] != ("optimum", "shared"):
            found |= self._fresh("deviation")
        for draw in self._before(point):
            for kind in self._kinds[draw]:
                found |= self._fresh(f"{kind} {draw}")
        return found

    def _before(self, point: Coordinates) -> list[int]:
        """The draws that a gradient at a point may depend on: the law of a noise may depend on all draws before it.

        Of the server's draws those up to the last one that the point depends on: noises of clients whose points do not
        depend on the server's draws are independent of them.
        """
        draws = {draw_of(part) for part, _ in point}
        first = sum(kinds != ("draw",) for kinds in self._kinds)  # of the clients' draws
        followed = max((draw for draw in draws if draw < first), default=-1)
        return [*range(followed + 1), *range(first, max(draws, default=-1) + 1)]

    def _mean_at_minimiser(self) -> Coordinates:
        """The clients' mean gradient at the minimiser balances the server's: a basis vector of opposite signs."""
        if self._at_minimiser is None:
            ((_, self._at_minimiser),) = self._fresh("mean")
        return {("mean", self._at_minimiser): Fraction(1)}

    def _centre(self, place: int, register: int) -> Coordinates:
        point = self.points[place] = self.coordinates[register]
        if any(kind_of(part) != "mean" for part, _ in point):
            raise ValueError(_LATER)
        if not point:
            return {key: -entry for key, entry in self._mean_at_minimiser().items()}
        found = self._fresh("mean")
        for draw in self._before(point):
            found |= self._fresh(f"mean {draw}")
        return found

    def product(self, left: Coordinates, right: Coordinates) -> dict[tuple[str, int, int], Fraction]:
        """The averaged inner product as a linear form in the Gram blocks: ``{(block, i, j): coefficient}``, ``i <= j``.

        Raises
        ------
        ValueError : a cohort's average with a client vector: whether the client was drawn is not modelled.
        """
        total: dict[tuple[str, int, int], Fraction] = {}
        for (part, i), a in left.items():
            for (other, j), b in right.items():
                met = self._meet(part, other)
                if met is not None:
                    block, share = met
                    key = (block, min(i, j), max(i, j))
                    total[key] = total.get(key, Fraction(0)) + share * a * b
        return total

    def _meet(self, part: str, other: str) -> tuple[str, Fraction] | None:
        """The block and the share with which two parts meet; ``None`` where they are orthogonal."""
        block = part.replace("sampled", "deviation").replace("averaged", "draw")
        if block != other.replace("sampled", "deviation").replace("averaged", "draw"):
            return None
        if part != other and self.shares.deviation is not None:
            raise ValueError("an inner product of a cohort's average with a client vector has no model")
        kinds = {kind_of(part), kind_of(other)}
        if "sampled" in kinds:
            assert self.shares.deviation is not None
            return block, self.shares.deviation
        return block, self.shares.noise if "averaged" in kinds else Fraction(1)
