"""Coordinates of a program's registers in Gram blocks: where the number of clients disappears.

A vector per client is its mean over the clients (block ``mean``), its deviation from it (block ``deviation``), and for
every draw of noise that it depends on a martingale increment (block ``draw t``).  Averaged inner products are sums over
the blocks.  Averaging over all clients keeps the mean and drops the deviation; increments of different clients are
uncorrelated, so that of an average over N clients only the share ``1/N`` of their second moment is left.  Averaging over a
cohort of K keeps ``(N-K)/(K(N-1))`` of the deviation's.

A gradient at an average over all clients that is noisy depends on the noises of all of them.  Its increment due to a draw ``t`` has
a mean over the clients, part ``averaged t`` with a basis vector of its own (``verifier.py`` says why), and a deviation, block
``apart t``; of the product of this with the clients' own increments nothing is known.

The noise of the server's own gradient is one for all clients: an increment due to such a draw ``t`` has a mean over the
clients and a deviation again, blocks ``mean t`` and ``deviation t``.  An average keeps the mean.  These draws come before
those of the clients, whose noises are independent given them.

Where there are several classes of clients, means are over the class, and each class c has its own block of deviations,
``deviation t`` with ``t = -1 - c``: before all draws as well.  Vectors of two classes meet in their means only.
State of a cohort, ``m_k r_k + (1 - m_k) s_k`` with ``m_k`` one for the K drawn of N and zero for the others, is
``s_k + m_k (r_k - s_k)``.  A part ``x`` times ``m_k`` is the part ``drawn-x``.  With ``q = E m_k = K/N``, and since deviations
sum to zero, averaged over the clients and in expectation ::

    <m x, m y> = <m x, y> = q <x, y>,    <m x, average(y)> = <mean(m x), average(y)>,    mean(m x) = q average(x),

where ``mean(m x)`` is pathwise the average over the cohort times q.

A vector is ``{(part, basis): coefficient}``; parts are ``mean``, ``deviation``, ``sampled`` (what a cohort's average keeps
of deviations), the same with ``t`` for the server's draw ``t``, and ``draw t``, ``averaged t`` for the clients' draw ``t``;
``drawn-`` before the parts of a client's own vector.
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


def deviation_of(c: int) -> str:
    """The block of deviations from the mean of class ``c``; 0 stands for the only class."""
    return f"deviation {-1 - c}" if c else "deviation"


#: Before the name of a part: it is there for the members of the cohort only.
DRAWN = "drawn-"


def kind_of(part: str) -> str:
    """``"mean"``, ``"deviation"``, ``"sampled"``, ``"draw"`` or ``"averaged"``; with ``drawn-`` that of the members only."""
    return part.split()[0]


def block_of(part: str) -> str:
    """The Gram block of a part: what a cohort keeps of deviations, averages of draws and what members have own none."""
    return part.removeprefix(DRAWN).replace("sampled", "deviation").replace("averaged", "draw")


def draw_of(part: str) -> int:
    """The draw of a part or block, negative for what is there before all draws: -1, or -1 - c for deviations in class c."""
    return int(part.split()[1]) if " " in part else -1


@dataclass(frozen=True)
class Shares:
    """What averages keep of second moments: ``deviation`` under sampling (``None``: full participation), ``noise``.

    ``scheme`` with N (``clients``) and K (``cohort``) says which draw of a cohort gives them: a certificate names it.
    ``classes`` are the weights of several classes of clients, empty where there is one.
    """

    deviation: Fraction | None = None
    noise: Fraction = Fraction(1)
    scheme: str = "full"
    clients: int | None = None
    cohort: int | None = None
    classes: tuple[Fraction, ...] = ()


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
        classes = range(1, len(self.shares.classes) + 1) or [0]
        self.sizes = {"mean": 0, **{deviation_of(c): 0 for c in classes}}
        self.has_centre = any(item[0] in ("centre", "centre prox") for item in self.instructions)
        self.common = False  # whether a gradient was asked for at a noisy average
        self._at_minimiser: dict[int | None, Coordinates] = {}
        self._kinds: list[tuple[str, ...]] = []  # what a client's vector may have of each draw
        for item in self.instructions:
            make = getattr(self, f"_{item[0].replace(' ', '_')}")
            self.coordinates.append(make(len(self.coordinates), *item[1:]))

    def _fresh(self, block: str) -> Coordinates:
        self.sizes[block] = self.sizes.get(block, 0) + 1
        return {(block, self.sizes[block] - 1): Fraction(1)}

    def _given(self, place: int, who: str, degree: int, c: int = 0) -> Coordinates:
        return self._fresh("mean") | (self._fresh(deviation_of(c)) if who == "clients" else {})

    def _optimum(self, place: int, *shared: str) -> Coordinates:
        return {}

    def _infimum(self, place: int, c: int = 0) -> Coordinates:
        return {}

    def _minimiser(self, place: int, c: int = 0) -> Coordinates:
        self.points[place] = self._fresh("mean") | self._fresh(deviation_of(c))
        return self.points[place]

    def _noise(self, place: int, draw: int, who: str = "clients") -> Coordinates:
        if self.common:
            raise ValueError(
                "noise after a gradient at a noisy average has no model: certify one round, then chain the rounds"
            )
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
            if part.startswith(DRAWN):
                raise ValueError("an average over the cohort of what it keeps as its state has no model")
            if kind_of(part) in ("deviation", "apart") and self.shares.deviation is None:
                continue
            part = part.replace("deviation", "sampled").replace("draw", "averaged")
            kept[part, basis] = kept.get((part, basis), Fraction(0)) + entry
        return kept

    def _mean(self, place: int, register: int) -> Coordinates:
        kept: Coordinates = {}
        for (part, basis), entry in self.coordinates[register].items():
            if kind_of(part) == "draw":
                raise ValueError("the mean over all clients of a random vector has no model")
            if kind_of(part) in ("deviation", "apart"):
                continue
            if part.startswith(DRAWN):  # pathwise K/N times the average over the cohort
                part = part.removeprefix(DRAWN).replace("deviation", "sampled").replace("draw", "averaged")
                entry = self._share * entry
            kept[part, basis] = kept.get((part, basis), Fraction(0)) + entry
        return kept

    @property
    def _share(self) -> Fraction:
        """``K/N``, how often a client is in the cohort."""
        clients, cohort = self.shares.clients, self.shares.cohort
        if self.shares.scheme != "without replacement" or clients is None or cohort is None:
            raise ValueError(
                f"state of a cohort {self.shares.scheme!r} has no model: expected K of N without replacement"
            )
        return Fraction(cohort, clients)

    def _cohort(self, place: int, new: int, old: int) -> Coordinates:
        found, kept = dict(self.coordinates[old]), self.coordinates[new]
        if any(kind_of(part) not in ("mean", "deviation") for part, _ in found):
            raise ValueError("state that clients out of the cohort keep must be there before the round's draws")
        if any(kind_of(part) not in ("mean", "deviation", "draw") for part, _ in kept):
            raise ValueError("new state of a cohort that depends on the cohort's average has no model")
        _ = self._share  # refuses other schemes
        for sign, vector in ((1, kept), (-1, self.coordinates[old])):
            for (part, basis), entry in vector.items():
                key = (DRAWN + part, basis)
                found[key] = found.get(key, Fraction(0)) + sign * entry
        return {key: entry for key, entry in found.items() if entry}

    def _gradient(self, place: int, register: int, c: int = 0) -> Coordinates:
        point = self.points[place] = self.coordinates[register]
        self._require_model(point)
        if any(draw_of(part) < -1 and part != deviation_of(c) for part, _ in point):
            raise ValueError(f"a gradient of class {c} at a point of another class of clients has no model")
        found = self._fresh("mean") if point else self._mean_at_minimiser(c, register)
        if self.instructions[register] != ("optimum", "shared"):
            found |= self._fresh(deviation_of(c))
        return found | self._increments(point)

    def _require_model(self, point: Coordinates) -> None:
        """A point of the clients with its own noise, or one that depends on a noisy average, and not both."""
        kinds = {kind_of(part) for part, _ in point}
        shared = kinds & {"averaged", "apart"}
        if kinds - {"mean", "deviation", "draw", "averaged", "apart"} or (
            shared and (self.shares.deviation is not None or ("mean", "deviation") in self._kinds)
        ):
            raise ValueError(_LATER)
        if shared and "draw" in kinds:
            raise ValueError("a gradient at a noisy average to which a client adds its noise has no model")

    def _increments(self, point: Coordinates, *, clients: bool = True) -> Coordinates:
        """What a gradient that depends on a point has of each draw; after a noisy average it is shared, see the module."""
        shared = any(kind_of(part) in ("averaged", "apart") for part, _ in point)
        found: Coordinates = {}
        for draw in self._before(point):
            if shared:
                self.common = True
                ((_, place),) = self._fresh(f"draw {draw}")
                found[f"averaged {draw}", place] = Fraction(1)
                found |= self._fresh(f"apart {draw}") if clients else {}
            else:
                for kind in self._kinds[draw] if clients else ("mean",):
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

    def _mean_at_minimiser(self, c: int | None, register: int) -> Coordinates:
        """The mean gradient at the minimiser of class ``c``, or the server's own (``None``): by weight they sum to zero.

        The last of them is minus the others; with one class and no loss at the server it is zero.
        """
        shared, classes = self.instructions[register] == ("optimum", "shared"), self.shares.classes
        if shared and not self.has_centre:
            return {}
        if shared and classes:
            raise ValueError(
                "heterogeneity='none' for several classes of clients and a loss at the server has no model: expected 'gradients'"
            )
        if not self._at_minimiser:
            weights: dict[int | None, Fraction] = dict(enumerate(classes, 1)) if classes else {0: Fraction(1)}
            weights |= {None: Fraction(1)} if self.has_centre else {}
            *others, last = weights
            self._at_minimiser = {other: self._fresh("mean") for other in others}
            self._at_minimiser[last] = {
                key: -entry * weights[other] / weights[last]
                for other in others
                for key, entry in self._at_minimiser[other].items()
            }
        return dict(self._at_minimiser[c])

    def _centre(self, place: int, register: int) -> Coordinates:
        point = self.points[place] = self.coordinates[register]
        self._require_server(point)
        if not point:
            return self._mean_at_minimiser(None, register)
        return self._fresh("mean") | self._increments(point, clients=False)

    def _require_server(self, point: Coordinates) -> None:
        self._require_model(point)
        if any(kind_of(part) not in ("mean", "averaged") for part, _ in point):
            raise ValueError(_LATER)

    def _prox(self, place: int, register: int, factor: Fraction) -> Coordinates:
        """A new gradient ``g``, at the point ``x - c g``: what the point depends on is what ``x`` depends on."""
        base = self.coordinates[register]
        self._require_model(base)
        found = self._fresh("mean") | self._fresh("deviation") | self._increments(base)
        self.points[place] = _less(base, factor, found)
        return found

    def _centre_prox(self, place: int, register: int, factor: Fraction) -> Coordinates:
        base = self.coordinates[register]
        self._require_server(base)
        found = self._fresh("mean") | self._increments(base, clients=False)
        self.points[place] = _less(base, factor, found)
        return found

    def classes_of(self, *registers: int) -> set[int]:
        """The classes of clients whose vectors or values these registers are; none for the server's, or of one class alone."""
        found = set()
        for register in registers:
            item = self.instructions[register]
            own = {-1 - draw_of(part) for part, _ in self.coordinates[register]}
            found |= {c for c in own if c > 0}
            if self.shares.classes and item[0] in ("gradient", "minimiser", "infimum"):
                found.add(item[-1])
        return found

    def product(self, left: Coordinates, right: Coordinates) -> dict[tuple[str, int, int], Fraction]:
        """The averaged inner product as a linear form in the Gram blocks: ``{(block, i, j): coefficient}``, ``i <= j``.

        Raises
        ------
        ValueError : a cohort's average of noises with a client's noise: whether the client was drawn is not modelled.
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
        if {kind_of(part), kind_of(other)} == {"draw", "apart"} and draw_of(part) == draw_of(other):
            raise ValueError("an inner product of a client's noise with what it does at a noisy average has no model")
        block = block_of(part)
        if block != block_of(other):
            return None
        drawn, plain = part.startswith(DRAWN) or other.startswith(DRAWN), part.removeprefix(DRAWN)
        kinds = {kind_of(plain), kind_of(other.removeprefix(DRAWN))}
        if drawn:
            kept = self.shares.noise if "averaged" in kinds else self.shares.deviation if "sampled" in kinds else 1
            assert kept is not None
            return block, self._share * kept
        if kinds == {"deviation", "sampled"}:
            return None  # deviations sum to zero over the clients, whoever is drawn
        if part != other and self.shares.deviation is not None:
            raise ValueError("an inner product of a cohort's average of noises with a client's has no model")
        if "sampled" in kinds:
            assert self.shares.deviation is not None
            return block, self.shares.deviation
        return block, self.shares.noise if "averaged" in kinds else Fraction(1)


def _less(base: Coordinates, factor: Fraction, found: Coordinates) -> Coordinates:
    """``base - factor found``."""
    total = dict(base)
    for key, entry in found.items():
        total[key] = total.get(key, Fraction(0)) - factor * entry
    return {key: entry for key, entry in total.items() if entry}
