"""What a Lyapunov function may be made of: squares and products of a state's vectors less their fixed points, and the gap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from fltheory.worstcase.analysis import Analysis
from fltheory.worstcase.functional import Functional, inner
from fltheory.worstcase.lyapunov_round import AVERAGE, FreeRound

#: Terms that may be asked for: the distance and what clients' leaves deviate from their means; the whole state; the loss and its
#: gradient at the model too.
FAMILIES = ("distance", "state", "gradient")

Pair = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Ingredients:
    """The vectors of a round's state, each less ``shift`` times the gradients at the minimiser.

    ``shifts`` has one factor for each leaf, of the clients' own gradients there for a leaf of the clients, and of the
    gradient of the server's loss for a leaf of the server.
    """

    free: FreeRound
    shifts: tuple[Fraction, ...]

    def functionals(self, analysis: Analysis, round: int, family: str) -> dict[str, Functional]:
        """All terms by name, of the state after ``round`` rounds."""
        server: list[tuple[str, int]] = []
        clients: list[tuple[str, int]] = []
        model, average = analysis.model(round), AVERAGE[self.free.full]
        for place, (leaf, shift) in enumerate(zip(self.free.leaves, self.shifts, strict=True)):
            register, name = analysis.leaf(place, round), f"{leaf.name} - w*" if leaf.degree else leaf.name
            if leaf.average_of is not None:  # as the invariant has it, so that all programs say the same
                register = analysis.recorder.put((average, analysis.leaf(leaf.average_of, round)))
                model = register if leaf.name == "w" else model
            if shift and leaf.clients:
                register = analysis.combine({register: 1, analysis.optimal_gradient: -shift})
                name += f" {'-' if shift > 0 else '+'} grad f_k(w*)"
            elif shift:
                analysis.require_optimum()
                own = analysis.recorder.put(("centre", analysis.optimum))
                register = analysis.combine({register: 1, own: -shift})
                name += f" {'-' if shift > 0 else '+'} grad f_c(w*)"
            if not leaf.clients:
                server.append((name, register))
            else:
                mean = analysis.recorder.put((average, register))
                if not any(other.average_of == place for other in self.free.leaves):
                    server.append((f"mean of {name}", mean))
                clients.append((f"{name} less its mean", self._deviation(analysis, register, place, round)))
        found: dict[str, Functional] = {}
        if family == "distance":
            server = [("w - w*", model)]
        if family == "gradient":
            server.append(("grad F(w)", analysis.full_gradient(analysis.model(round))))
            found["F(w) - F*"] = analysis.gap(round)
        for group in (server, clients):
            for place, (name, register) in enumerate(group):
                for other, another in group[place:]:
                    words = f"|{name}|^2" if register == another else f"<{name}, {other}>"
                    found[words] = inner(register, another)
        return found

    def _deviation(self, analysis: Analysis, register: int, place: int, round: int) -> int:
        """A leaf of the clients less its mean; the mean of their gradients at ``w*`` is zero without a server's loss."""
        leaf, shift, average = analysis.leaf(place, round), self.shifts[place], AVERAGE[self.free.full]
        if not shift or analysis.has_centre:
            return analysis.minus(register, analysis.recorder.put((average, register)))
        mean = analysis.recorder.put((average, leaf))
        return analysis.combine({leaf: 1, analysis.optimal_gradient: -shift, mean: -1})


def ingredients(free: FreeRound, has_centre: bool) -> Ingredients:
    """With the shifts at which a round from the minimiser stands still: for all clients, or else for those without deviations.

    Where there are none the leaves are taken as they are.
    """
    for alike in (False, True):
        for shifts in _choices(free, has_centre):
            if _stands_still(free, shifts, has_centre, alike):
                return Ingredients(free, shifts)
    return Ingredients(free, (Fraction(0),) * len(free.leaves))


def _choices(free: FreeRound, has_centre: bool) -> Iterator[tuple[Fraction, ...]]:
    still, moved = (Fraction(0),), (Fraction(0), Fraction(1), Fraction(-1))
    options = [moved if not leaf.degree and (leaf.clients or has_centre) else still for leaf in free.leaves]
    yield from product(*options)


def _stands_still(free: FreeRound, shifts: tuple[Fraction, ...], has_centre: bool, alike: bool) -> bool:
    """Whether a round from ``w*`` and leaves at their shifts changes nothing.

    Vectors are multiples of the mean of the clients' gradients at ``w*`` and of their deviations from it.
    """
    mean, apart = Fraction(has_centre), Fraction(not alike)
    begins = {
        leaf.given: (shift * mean, shift * apart) if leaf.clients else (-shift * mean, Fraction(0))
        for leaf, shift in zip(free.leaves, shifts, strict=True)
        if leaf.given is not None
    }
    vectors: list[Pair] = []
    parts = free.part_of
    for place, item in enumerate(free.step.instructions):
        if place in parts:  # a part of what is zero, or else of what is no multiple of the gradients at w*
            if any(vectors[parts[place][0]]):
                return False
            vectors.append((Fraction(0), Fraction(0)))
        elif item[0] == "given":
            vectors.append(begins[place])
        elif item[0] == "combine":
            vectors.append(
                (
                    sum((c * vectors[r][0] for c, r in item[1]), Fraction(0)),
                    sum((c * vectors[r][1] for c, r in item[1]), Fraction(0)),
                )
            )
        elif item[0] in ("gradient", "centre"):
            if any(vectors[item[1]]):
                return False
            vectors.append((mean, apart) if item[0] == "gradient" else (-mean, Fraction(0)))
        elif item[0] in ("prox", "centre prox"):  # it ends at w* if it comes from c times the gradient there
            slope = (mean, apart) if item[0] == "prox" else (-mean, Fraction(0))
            if vectors[item[1]] != (item[2] * slope[0], item[2] * slope[1]):
                return False
            vectors.append(slope)
        elif item[0] == "average":
            if not free.full and vectors[item[1]][1]:
                return False
            vectors.append((vectors[item[1]][0], Fraction(0)))
        elif item[0] == "mean":
            vectors.append((vectors[item[1]][0], Fraction(0)))
        elif item[0] == "cohort":
            if vectors[item[1]] != vectors[item[2]]:
                return False
            vectors.append(vectors[item[1]])
        else:
            vectors.append((Fraction(0), Fraction(0)))
    before, after = free.step.states
    return all(vectors[a] == vectors[b] for a, b in zip(before, after, strict=True))
