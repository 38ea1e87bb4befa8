"""Problems and their constants on one line, and in a notebook with formula and constants."""

from __future__ import annotations

from typing import Any

from fltheory.tables import Shown, number

#: Constants are worked out to be shown where that takes at most so many products, about a tenth of a second.
CHEAP = 10**8
#: Constants in the order in which they are told.
TOLD = (("L", "smoothness"), ("mu", "strong_convexity"), ("F*", "minimum"), ("Gamma", "gamma"))


class ShownProblem(Shown):
    """A problem: ``Kind(N=5, d=21)`` and what its family adds; in a notebook its formula and constants."""

    #: The objective in LaTeX, of which a family says what ``F_k`` is.
    formula = r"F(w) = \sum_k p_k F_k(w)"

    def words(self) -> str:
        """What the family adds to the sizes."""
        return ""

    def headline(self) -> str:
        problem: Any = self
        words = self.words()
        return f"N={problem.n_clients}, d={problem.dimension}" + (f", {words}" if words else "")

    def facts(self) -> list[tuple[str, str]]:
        problem: Any = self
        found = [("objective", f"${self.formula}$")]
        weights = [float(weight) for weight in problem.weights]
        low, high = number(min(weights)), number(max(weights))
        found.append(("weights", low if low == high else f"{low} to {high}"))
        try:
            constants = getattr(problem, "constants", None) if _cheap(problem) else None
        except ValueError:  # a problem over a field of functions
            constants = None
        return found + (known_constants(constants) if constants is not None else [])

    def _repr_latex_(self) -> str:
        return f"${self.formula}$"


def known_constants(constants: Any, *, compute: bool = True) -> list[tuple[str, str]]:
    """The main constants with their names; with ``compute=False`` those that were read before."""
    found = []
    for name, attribute in TOLD:
        if not compute and attribute not in vars(constants):
            continue
        try:
            found.append((name, number(getattr(constants, attribute))))
        except (ValueError, ArithmeticError, AttributeError, NotImplementedError):
            continue
    return found


def _cheap(problem: Any) -> bool:
    """Whether eigenvalues and minima of all clients take no time to speak of."""
    return int(problem.n_clients) * int(problem.dimension) ** 3 <= CHEAP


class ShownConstants(Shown):
    """Constants: those that were computed, and the main ones where that is no work."""

    def _told(self) -> list[tuple[str, str]]:
        problem = getattr(self, "problem", None)
        return known_constants(self, compute=isinstance(problem, ShownProblem) and _cheap(problem))

    def headline(self) -> str:
        told = ", ".join(f"{name}={value}" for name, value in self._told())
        return told or f"{getattr(self, 'exactness', '')}, each computed when it is read"

    def facts(self) -> list[tuple[str, str]]:
        exactness = str(getattr(self, "exactness", ""))
        return [*self._told(), *([("L and mu", exactness)] if exactness else [])]
