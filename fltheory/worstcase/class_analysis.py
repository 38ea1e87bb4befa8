"""What can be said about a program with several classes of clients: its measures and assumptions by name, class by class.

A mean over all clients is ``sum_c pi_c`` times the mean over class c; an inner product of two vectors of class c is the
average over that class.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from fltheory.worstcase.analysis import Analysis, Heterogeneity
from fltheory.worstcase.classes import Dissimilarity
from fltheory.worstcase.client_classes import ClientClasses
from fltheory.worstcase.functional import Assumption, Functional, square, value

#: What may be assumed of how clients of several classes differ.
CLASS_HETEROGENEITIES = ("gradients", "gamma", "bounded gradients", "none")


@dataclass
class ClassAnalysis(Analysis):
    """Registers and functionals; ``c`` arguments count classes from 1.

    ``granted`` are assumptions that make a register what it is called.
    """

    clients: ClientClasses  # type: ignore[assignment]
    granted: list[Assumption] = field(default_factory=list)

    @property
    def numbers(self) -> range:
        """The numbers of the classes."""
        return range(1, len(self.clients.shares) + 1)

    @property
    def smoothness(self) -> Fraction:
        return self.clients.average(each.L for each in self.clients.functions)

    @property
    def optimal_gradient(self) -> int:
        raise ValueError("optimal_gradient: clients of several classes; optimal_gradients are those of each class")

    @property
    def optimal_gradients(self) -> tuple[int, ...]:
        """The gradients at the minimiser, of the clients of each class."""
        self.require_optimum()
        return tuple(self.class_gradients(self.optimum, c) for c in self.numbers)

    def require_optimum(self) -> None:
        for c in self.numbers:
            self.class_gradients(self.optimum, c)
        if self.has_centre:
            self.recorder.put(("centre", self.optimum))

    def gradients(self, point: int) -> int:
        raise ValueError("gradients: clients of several classes; expected class_gradients(point, c)")

    def class_gradients(self, point: int, c: int) -> int:
        """The gradients of the clients of class ``c`` at a register."""
        if c not in self.numbers:
            raise ValueError(f"class {c} of clients; expected 1 to {len(self.numbers)}")
        return self.recorder.put(("gradient", point, c))

    def full_gradient(self, point: int) -> int:
        terms = {self.mean(self.class_gradients(point, c)): self.clients.shares[c - 1] for c in self.numbers}
        if self.has_centre:
            terms[self.recorder.put(("centre", point))] = Fraction(1)
        return self.combine(terms)

    def class_value(self, point: int, c: int) -> Functional:
        """``F_c(point) - F_c(w*)``, of the mean loss ``F_c`` of class ``c``."""
        return value(self.class_gradients(point, c))

    def value(self, point: int) -> Functional:
        total = self._averaged([self.class_value(point, c) for c in self.numbers])
        return total + value(self.recorder.put(("centre", point))) if self.has_centre else total

    def class_gap(self, c: int, round: int = -1) -> Functional:
        """``F_c(w) - min F_c``: by how much the mean loss of class ``c`` is above its own smallest value.

        Raises
        ------
        ValueError : ``mu_c <= 0``, where that mean loss may have no minimiser.
        """
        if c in self.numbers and self.clients.functions[c - 1].mu <= 0:
            raise ValueError(
                f"the gap of class {c}: mu={self.clients.functions[c - 1].mu}, so that its mean loss may have no minimiser; "
                "expected mu > 0"
            )
        self.require_optimum()
        best = self.recorder.put(("given", "server", 1))
        slope = self.class_gradients(best, c)
        self.granted.append(Assumption(square(self.mean(slope)), None))
        return self.class_value(self.model(round), c) - value(slope)

    def heterogeneity(self, kind: Heterogeneity) -> list[Assumption]:
        """``"gradients"``: ``sum p_k |grad f_k(w*)|^2 <= zeta^2`` over all clients; ``"gamma"``: ``F* - sum p_k F_k* <= Gamma``;
        ``"bounded gradients"``: the mean of ``|grad f_k(x_k)|^2`` over each class is at most ``G^2`` wherever the method asks;
        ``"none"``: all clients share the minimiser; ``Dissimilarity(B)`` over all clients.
        """
        if isinstance(kind, Dissimilarity):
            return self._dissimilarity(kind)
        if kind == "gradients":
            return [Assumption(self._averaged([square(place) for place in self.optimal_gradients]), "heterogeneity")]
        if kind == "none":
            return []
        if kind == "bounded gradients":
            return [Assumption(square(place), "G2") for place in self.program.registers("gradient")]
        if kind == "gamma":
            return self._gamma()
        raise ValueError(
            f"heterogeneity={kind!r} has no model for several classes of clients; expected one of "
            f"{', '.join(CLASS_HETEROGENEITIES)}, or Dissimilarity(B)"
        )

    def _gamma(self) -> list[Assumption]:
        for c, each in enumerate(self.clients.functions, 1):
            if each.mu <= 0:
                raise ValueError(f"heterogeneity='gamma' needs mu > 0 in each class; class {c} has mu={each.mu}")
        lowest = [value(self.recorder.put(("minimiser", c))) for c in self.numbers]
        return [Assumption(self._averaged(lowest) * -1, "gamma")]

    def _dissimilarity(self, kind: Dissimilarity) -> list[Assumption]:
        found = []
        asked = [item[1] for item in self.recorder.instructions if item[0] == "gradient" and self._at_server(item[1])]
        for point in dict.fromkeys(asked):
            squares = [square(self.class_gradients(point, c)) for c in self.numbers]
            found.append(Assumption(self._averaged(squares) - square(self.full_gradient(point)) * kind.B**2, "G2"))
        return found

    def _averaged(self, listed: list[Functional]) -> Functional:
        """``sum_c pi_c item_c``."""
        total = Functional()
        for share, item in zip(self.clients.shares, listed, strict=True):
            total = total + item * share
        return total
