"""What a worst case says in the words of the method: the theorem of its certificate, and the multipliers of its proof.

Registers have names: ``w_r`` is the server's model after ``r`` rounds, ``w*`` the minimiser, ``x_1, x_2, ...`` are
further points of client ``k`` at which a gradient is asked for, ``y_1, ...`` further points and averages at the
server.  Each name is defined once by an expression in earlier ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fltheory.readings.gram import Recorder
from fltheory.worstcase.decimals import downward, upward
from fltheory.worstcase.functional import Assumption, Functional
from fltheory.worstcase.model import Model

if TYPE_CHECKING:
    from fltheory.worstcase.answer import WorstCase

#: More assumptions than these are counted, and not written out.
_MOST = 8


class Names:
    """Names and expressions of a model's registers."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.degrees = Recorder(model.instructions).degrees
        self.names: dict[int, str] = {}
        self.random = model.shares.deviation is not None or any(item[0] == "noise" for item in model.instructions)
        points = {item[1] for item in model.instructions if item[0] in ("gradient", "centre")}
        counts = {"x": 0, "y": 0, "s": 0}
        after = {place: f"w_{round}" for round, place in reversed(list(enumerate(model.models)))}
        for place, item in enumerate(model.instructions):
            if item[0] == "optimum":
                self.names[place] = "w*"
            elif item[0] == "minimiser":
                self.names[place] = "w_k*"
            elif place in after:
                self.names[place] = after[place]
            elif item[0] == "given" or place in points or item[0] in ("average", "mean"):
                kind = "s" if item[0] == "given" else "y" if self.at_server(place) else "x"
                counts[kind] += 1
                self.names[place] = f"{kind}_{counts[kind]}"

    def at_server(self, place: int) -> bool:
        """Whether a register is a server vector."""
        item = self.model.instructions[place]
        if item[0] == "combine":
            return all(self.at_server(other) for _, other in item[1])
        made = item[0] in ("average", "mean", "centre", "optimum") or item[:2] == ("given", "server")
        return bool(made or item[2:] == ("server",))

    def name(self, place: int) -> str:
        """The name of a register, or its expression."""
        return self.names[place] if place in self.names else self.expression(place)

    def expression(self, place: int) -> str:
        """How a register was made, in names."""
        item = self.model.instructions[place]
        if item[0] == "combine":
            return linear([(factor, self.name(other)) for factor, other in item[1]])
        if item[0] == "gradient":
            return f"grad f_k({self.name(item[1])})"
        if item[0] == "centre":
            return f"grad f_c({self.name(item[1])})"
        if item[0] in ("average", "mean"):
            return f"{item[0]}({self.name(item[1])})"
        if item[0] == "noise":
            return f"noise_{item[1]}"
        return " ".join(map(str, item))

    def definitions(self) -> list[str]:
        """One line for each name that is defined by earlier ones."""
        made = ("combine", "average", "mean")
        return [
            f"{name} = {self.expression(place)}"
            for place, name in self.names.items()
            if self.model.instructions[place][0] in made
        ]

    def functional(self, functional: Functional) -> str:
        """A functional in names: squares, products of vectors, points relative to ``w*``, and differences of values."""
        terms = [(factor, self._product(a, b)) for factor, a, b in functional.inner]
        terms += [(factor, self._value(place)) for factor, place in functional.values]
        return linear(terms)

    def assumption(self, item: Assumption) -> str:
        """An assumption in names."""
        limit = "0" if item.bound is None else linear([(item.scale, item.bound)])
        return f"{self.functional(item.functional)} <= {limit}"

    def _vector(self, place: int) -> str:
        name = self.name(place)
        return f"{name} - w*" if self.degrees[place] == 1 and name != "w*" else name

    def _product(self, a: int, b: int) -> str:
        text = f"|{self._vector(a)}|^2" if a == b else f"<{self._vector(a)}, {self._vector(b)}>"
        mean = "" if self.at_server(a) or self.at_server(b) else "sum_k p_k "
        return ("E " if self.random else "") + mean + text

    def _value(self, place: int) -> str:
        item, mean = self.model.instructions[place], "E " if self.random else ""
        if item[0] == "infimum":
            return f"{mean}sum_k p_k (inf f_k - f_k(w*))"
        point = self.name(place if item[0] == "minimiser" else item[1])
        if item[0] == "centre":
            return f"{mean}(f_c({point}) - f_c(w*))"
        return f"{mean}sum_k p_k (f_k({point}) - f_k(w*))"


def linear(terms: list[tuple[Fraction, str]]) -> str:
    """``a x - b y + ...`` with rational factors."""
    text = ""
    for factor, name in terms:
        size = "" if abs(factor) == 1 else f"{abs(factor)} "
        sign = "-" if factor < 0 else "+"
        text += f" {sign} {size}{name}" if text else f"{'-' if factor < 0 else ''}{size}{name}"
    return text or "0"


def lines(found: WorstCase) -> list[str]:
    """The theorem of an answer, for whom and under what it holds, and both bounds at the quantities, a line each."""
    measure = Names(found.model).functional(found.model.measure)
    told = [f"worst case of {measure}: {found.status}"]
    told += theorem(found.model, found.bound if found.upper is not None else None)
    sides = [f"at most {upward(found.upper)}"] if found.upper is not None else []
    sides += [f"at least {downward(found.lower)}"] if found.lower is not None else []
    if sides:
        at = ", ".join(f"{name} = {entry}" for name, entry in found.quantities.items())
        told.append(f"the worst case at {at or 'no quantity'} is {' and '.join(sides)} (certified)")
    return [*told, *([found.divergence] if found.divergence else [])]


def theorem(model: Model, bound: Mapping[str, Fraction] | None) -> list[str]:
    """What a bound says of a model, a line each: the inequality, what it assumes, for whom it holds, and the names.

    ``bound`` must have been proved of this model; ``None`` tells the question alone.
    """
    names, told = Names(model), []
    if bound is not None:
        right = " + ".join(f"{upward(factor)} {name}" for name, factor in bound.items() if factor)
        told.append(f"{names.functional(model.measure)} <= {right or '0'}")
    assumed = [names.assumption(item) for item in model.assumptions]
    told += [f"if {text}" for text in assumed[:_MOST]]
    told += [f"and {len(assumed) - _MOST} more assumptions"] if len(assumed) > _MOST else []
    told += _unwritten(model)
    told.append(_who(model))
    mu, smooth = model.clients.exact
    told.append(f"curvature of the clients' losses f_k in [{mu}, {smooth}]")
    if model.centre is not None:
        mu, smooth = model.centre.exact
        told.append(f"curvature of the server's own loss f_c in [{mu}, {smooth}]")
    return [*told, *names.definitions()]


def _unwritten(model: Model) -> list[str]:
    """What the coordinates of a program assume, and no functional says."""
    told = ["if all clients have the same gradient at w*"] if ("optimum", "shared") in model.instructions else []
    noises = [item for item in model.instructions if item[0] == "noise"]
    if noises:
        told.append("if each noise has mean zero given all that came before it")
    if any(item[2:] != ("server",) for item in noises):
        shared = ", given the server's noises" if any(item[2:] == ("server",) for item in noises) else ""
        told.append(f"if the noises of different clients are independent{shared}")
    return told


def _who(model: Model) -> str:
    kept = model.shares
    if kept.clients is None:
        who = "for every number of clients, all weights, every dimension"
    else:
        who = f"for N = {kept.clients} clients of equal weights, every dimension"
    return who if kept.cohort is None else f"{who}; an average is over {kept.cohort} clients, {kept.scheme}"


def multipliers(found: WorstCase) -> dict[str, Fraction]:
    """The multipliers of the proof by name, those that are not zero; the inequalities behind them add up to it.

    ``cocoercivity of client k between x and y`` is the sum of the two interpolation inequalities of a pair, and
    stands before what both have in common; ``interpolation of client k: f(x) from y`` is that which bounds the value
    at x from below by what is known at y.  Both are of ``f - mu |x|^2 / 2`` where ``mu`` is not zero.
    """
    if found.certificate is None or "upper" not in found.certificate:
        raise ValueError(f"no upper bound was certified (status {found.status!r}): there are no multipliers")
    upper: Any = found.certificate["upper"]
    model, names = found.model, Names(found.model)
    named: dict[str, Fraction] = {}
    for group, rows in upper["interpolation"].items():
        who = "client k" if group == "clients" else "the server's own loss"
        listed: Mapping[tuple[int, int, int | None], Fraction] = {
            (i, j, part[0] if part else None): Fraction(y) for i, j, y, *part in rows
        }
        for (i, j, part), y in listed.items():
            both = min(y, listed.get((j, i, part), Fraction(0))) if i != j else Fraction(0)
            one, other = (_point(model, names, place) for place in (i, j))
            histories = "" if part is None else f", of histories that part before draw {part}"
            if both and i < j:
                named[f"cocoercivity of {who} between {one} and {other}{histories}"] = both
            if y > both:
                named[f"interpolation of {who}: f({one}) from {other}{histories}"] = y - both
    for item, text in zip(model.assumptions, upper["assumptions"], strict=True):
        if Fraction(text):
            name = f"assumption {names.assumption(item)}"
            named[name] = named.get(name, Fraction(0)) + Fraction(text)
    return named


def _point(model: Model, names: Names, place: int) -> str:
    """Where the gradient of a register was taken."""
    item = model.instructions[place]
    return names.name(place if item[0] == "minimiser" else item[1])
