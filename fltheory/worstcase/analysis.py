"""What can be said about a program: its measures and assumptions by name, as functionals over its registers.

An :class:`Analysis` adds registers to a program (the minimiser, gradients at the server's points) without touching the
method's own instructions, which stay in front.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.problems.numbers import decimal_fraction
from fltheory.readings.gram import Program, Recorder
from fltheory.worstcase.classes import Dissimilarity, FunctionClass, MixedDissimilarity
from fltheory.worstcase.functional import Assumption, Functional, inner, square, value

Measure = str | Callable[["Analysis"], Functional]

#: An assumption on how clients differ.
Heterogeneity = str | Dissimilarity | MixedDissimilarity

MEASURES = ("distance", "gap", "gradient")
HETEROGENEITIES = ("gradients", "gamma", "bounded gradients", "none", "identical")


@dataclass
class Analysis:
    """Registers and functionals of a program; ``round`` arguments count from 0, ``-1`` is the last.

    Users write measures with it: ``lambda a: a.distance() + a.square(a.minus(a.leaf(1), a.optimal_gradient))``.
    """

    program: Program
    clients: FunctionClass
    shared_minimiser: bool = False

    def __post_init__(self) -> None:
        self.recorder = Recorder(self.program.instructions)

    @property
    def smoothness(self) -> Fraction:
        """L of the clients' mean loss."""
        found: Fraction = self.clients.L
        return found

    def minus(self, a: int, b: int) -> int:
        """The register of ``a - b``."""
        return self.combine({a: 1, b: -1}) if a != b else self.combine({})

    def combine(self, terms: dict[int, Any]) -> int:
        """The register of a linear combination ``{register: factor}``."""
        return self.recorder.combine({place: decimal_fraction(factor) for place, factor in terms.items()})

    @property
    def optimum(self) -> int:
        """The minimiser of the sum of all losses."""
        return self.recorder.put(("optimum", "shared") if self.shared_minimiser else ("optimum",))

    @property
    def optimal_gradient(self) -> int:
        """The clients' gradients at the minimiser (the server's own is asked for as well, since it balances them)."""
        self.require_optimum()
        return self.recorder.put(("gradient", self.optimum))

    def require_optimum(self) -> None:
        """Put the minimiser among the queries of all classes."""
        self.recorder.put(("gradient", self.optimum))
        if self.has_centre:
            self.recorder.put(("centre", self.optimum))

    @property
    def has_centre(self) -> bool:
        """Whether the method uses a loss of the server's own."""
        return any(item[0] in ("centre", "centre prox") for item in self.program.instructions)

    def model(self, round: int = -1) -> int:
        """The server's model after ``round`` rounds."""
        return self.program.models[round]

    def leaf(self, place: int, round: int = -1) -> int:
        """A leaf of the state after ``round`` rounds."""
        return self.program.states[round][place]

    def gradients(self, point: int) -> int:
        """Each client's gradient at a register."""
        return self.recorder.put(("gradient", point))

    def mean(self, register: int) -> int:
        """The average over the clients."""
        return self.recorder.put(("mean", register))

    def full_gradient(self, point: int) -> int:
        """The gradient of the sum of all losses at a server point."""
        mean = self.mean(self.gradients(point))
        if not self.has_centre:
            return mean
        return self.combine({mean: 1, self.recorder.put(("centre", point)): 1})

    def inner(self, a: int, b: int) -> Functional:
        """``<a, b>``."""
        return inner(a, b)

    def square(self, a: int) -> Functional:
        """``|a|^2``."""
        return square(a)

    def distance(self, round: int = -1) -> Functional:
        """``|w - w*|^2``."""
        return square(self.model(round))

    def value(self, point: int) -> Functional:
        """``F(point) - F(w*)``."""
        total = value(self.gradients(point))
        return total + value(self.recorder.put(("centre", point))) if self.has_centre else total

    def gap(self, round: int = -1) -> Functional:
        """``F(w) - F*``."""
        return self.value(self.model(round))

    def gradient(self, round: int = -1) -> Functional:
        """``|grad F(w)|^2``."""
        return square(self.full_gradient(self.model(round)))

    def named(self, measure: Measure, round: int = -1) -> Functional:
        """A measure by name or by function."""
        if callable(measure):
            made = measure(self)
            if not isinstance(made, Functional):
                raise ValueError(
                    f"the measure or start {measure!r} returned {made!r}, which is no functional of the analysis"
                )
            return made
        if measure not in MEASURES:
            raise ValueError(
                f"measure={measure!r}; expected one of {', '.join(MEASURES)}, or a function of an analysis"
            )
        found: Functional = getattr(self, measure)(round)
        return found

    def heterogeneity(self, kind: Heterogeneity) -> list[Assumption]:
        """Assumptions on how the clients differ; call it when all points are there.

        ``"gradients"``: ``sum p_k |grad f_k(w*)|^2 <= zeta^2``; ``"gamma"``: ``F* - sum p_k F_k* <= Gamma``;
        ``"bounded gradients"``: ``sum p_k |grad f_k(x_k)|^2 <= G^2`` at all queried points of the method;
        :class:`~fltheory.worstcase.classes.Dissimilarity`; ``"none"``: all clients share the minimiser; ``"identical"``:
        all clients have the same loss (with noise: there is one client);
        :class:`~fltheory.worstcase.classes.MixedDissimilarity`, of the clients' mean loss and the server's own.
        """
        if isinstance(kind, MixedDissimilarity):
            return self._mixed_dissimilarity(kind)
        if isinstance(kind, Dissimilarity):
            return self._dissimilarity(kind)
        if kind == "gradients":
            return [Assumption(square(self.optimal_gradient), "heterogeneity")]
        if kind == "none":
            return []
        if kind == "identical":
            return self._identical()
        if kind == "bounded gradients":
            places = self.program.registers("gradient", "prox")
            return [Assumption(square(place), "G2") for place in places]
        if kind == "gamma":
            return self._gamma()
        raise ValueError(
            f"heterogeneity={kind!r}; expected one of {', '.join(HETEROGENEITIES)}, Dissimilarity(B) or MixedDissimilarity(B)"
        )

    def _identical(self) -> list[Assumption]:
        """``sum p_k |g_k|^2 <= |sum p_k g_k|^2`` for every gradient; with noise an average keeps all of it if N = 1."""
        if any(item[:2] == ("given", "clients") for item in self.recorder.instructions):
            raise ValueError(
                "heterogeneity='identical' with a state of the clients' own: they start from unlike points"
            )
        found = []
        for place, item in enumerate(list(self.recorder.instructions)):
            if item[0] in ("gradient", "prox"):
                average = self.recorder.put(("average", place))
                found.append(Assumption(square(place) - square(average), None))
        return found

    def _gamma(self) -> list[Assumption]:
        if not self.clients.convex:
            raise ValueError(f"heterogeneity='gamma' needs convex clients; mu={self.clients.mu}")
        if self.clients.mu > 0:
            return [Assumption(value(self.recorder.put(("minimiser",))) * -1, "gamma")]
        # Minimisers of convex functions may lie at infinity; their infima are bounded all the same.
        lowest = self.recorder.put(("infimum",))
        found = [Assumption(value(lowest) * -1, "gamma")]
        self.require_optimum()
        for place, item in enumerate(list(self.recorder.instructions)):
            if item[0] in ("gradient", "prox"):
                below = value(lowest) - value(place)
                found.append(Assumption(below + square(place) * Fraction(1, 2 * self.clients.L), None))
        return found

    def _dissimilarity(self, kind: Dissimilarity) -> list[Assumption]:
        found = []
        for place, item in enumerate(list(self.recorder.instructions)):
            if item[0] == "gradient" and self._at_server(item[1]):
                mean = self.full_gradient(item[1])
                found.append(Assumption(square(place) - square(mean) * kind.B**2, "G2"))
        return found

    def _mixed_dissimilarity(self, kind: MixedDissimilarity) -> list[Assumption]:
        if not self.has_centre:
            raise ValueError(f"heterogeneity={kind!r}: the method asks for no gradient of the server's own loss")
        found, share = [], kind.federated_weight
        for place, item in enumerate(list(self.recorder.instructions)):
            if item[0] == "gradient" and self._at_server(item[1]):
                federated, central = self.mean(place), self.recorder.put(("centre", item[1]))
                apart = square(federated) * (1 / share) + square(central) * (1 / (1 - share))
                found.append(Assumption(apart - square(self.full_gradient(item[1])) * kind.B**2, "G2"))
        return found

    def _at_server(self, register: int) -> bool:
        """Whether a register is a server vector."""
        item = self.recorder.instructions[register]
        if item[0] == "combine":
            return all(self._at_server(place) for _, place in item[1])
        made = item[0] in ("average", "mean", "centre", "centre prox", "optimum") or item[:2] == ("given", "server")
        return made or item[2:] == ("server",)
