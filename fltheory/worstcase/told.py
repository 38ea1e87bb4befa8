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
from fltheory.worstcase.client_classes import ClientClasses
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
        recorder = Recorder(model.instructions)
        self.degrees = recorder.degrees
        self.names: dict[int, str] = {}
        self.random = model.shares.deviation is not None or any(item[0] == "noise" for item in model.instructions)
        points = {item[1] for item in model.instructions if item[0] in ("gradient", "centre")}
        ends = {tuple(sorted(recorder.proximal_point(place).items())): place for place in self._implicit()}
        forms = {
            place: tuple(sorted((r, factor) for factor, r in item[1]))
            for place, item in enumerate(model.instructions)
            if item[0] == "combine"
        }
        #: Registers that are the ends of proximal steps, with the gradients there.
        self.ends = {place: ends[form] for place, form in forms.items() if form in ends}
        points |= set(self.ends)
        own = {
            item[1]: item[2]  # the points that an analysis adds: where a class's mean loss is smallest
            for item in model.instructions[model.method_length :]
            if model.several
            and item[0] == "gradient"
            and model.instructions[item[1]][0] == "given"
            and item[1] >= model.method_length
        }
        counts = {"x": 0, "y": 0, "s": 0}
        after = {place: f"w_{round}" for round, place in reversed(list(enumerate(model.models)))}
        for place, item in enumerate(model.instructions):
            if item[0] == "optimum":
                self.names[place] = "w*"
            elif item[0] == "minimiser":
                self.names[place] = f"w_{self._client(place)}*"
            elif place in own:
                self.names[place] = f"w*_{own[place]}"
            elif place in after:
                self.names[place] = after[place]
            elif item[0] == "given" or place in points or item[0] in ("average", "mean", "cohort"):
                kind = "s" if item[0] == "given" else "y" if self.at_server(place) else "x"
                counts[kind] += 1
                self.names[place] = f"{kind}_{counts[kind]}"

    def _implicit(self) -> list[int]:
        return [place for place, item in enumerate(self.model.instructions) if item[0] in ("prox", "centre prox")]

    def _end(self, gradient: int) -> str:
        """The end of a proximal step in words, by the register of the gradient there."""
        name, base, factor = self.model.instructions[gradient]
        size = "" if factor == 1 else f"{factor} "
        return f"prox of {size}{'f_k' if name == 'prox' else 'f_c'} from {self.name(base)}"

    def point(self, gradient: int) -> str:
        """The name of the point at which a gradient is taken, or its expression."""
        item = self.model.instructions[gradient]
        if item[0] not in ("prox", "centre prox"):
            return self.name(gradient if item[0] == "minimiser" else item[1])
        place = next((place for place, made in self.ends.items() if made == gradient), None)
        return self._end(gradient) if place is None else self.name(place)

    def at_server(self, place: int) -> bool:
        """Whether a register is a server vector."""
        item = self.model.instructions[place]
        if item[0] == "combine":
            return all(self.at_server(other) for _, other in item[1])
        made = item[0] in ("average", "mean", "centre", "centre prox", "optimum") or item[:2] == ("given", "server")
        return bool(made or item[2:] == ("server",))

    def name(self, place: int) -> str:
        """The name of a register, or its expression."""
        return self.names[place] if place in self.names else self.expression(place)

    def expression(self, place: int) -> str:
        """How a register was made, in names."""
        item = self.model.instructions[place]
        if place in self.ends:
            return self._end(self.ends[place])
        if item[0] == "combine":
            return linear([(factor, self.name(other)) for factor, other in item[1]])
        if item[0] in ("gradient", "prox"):
            return f"grad f_{self._client(place)}({self.point(place)})"
        if item[0] in ("centre", "centre prox"):
            return f"grad f_c({self.point(place)})"
        if item[0] in ("average", "mean"):
            over = self.model.space.classes_of(item[1]) if self.model.several else ()
            return f"{item[0]}({self.name(item[1])})" + "".join(f" over class {c}" for c in over)
        if item[0] == "cohort":
            return f"{self.name(item[1])} in the cohort, else {self.name(item[2])}"
        if item[0] == "noise":
            return f"noise_{item[1]}"
        return " ".join(map(str, item))

    def _client(self, place: int) -> str:
        """Whose loss a register is about: client k, or client k of class c as ``ck``."""
        return f"{self.model.instructions[place][-1]}k" if self.model.several else "k"

    def sum_over(self, *registers: int) -> str:
        """The average that a product or a value stands for; a vector of the server's alone needs none."""
        if not self.model.several:
            return "sum_k p_k "
        of = self.model.space.classes_of(*registers)
        return f"mean over k in class {' and '.join(map(str, sorted(of)))} of " if of else ""

    def definitions(self) -> list[str]:
        """One line for each name that is defined by earlier ones."""
        made = ("combine", "average", "mean", "cohort")
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
        mean = "" if self.at_server(a) or self.at_server(b) else self.sum_over(a, b)
        return ("E " if self.random else "") + mean + text

    def _value(self, place: int) -> str:
        item, mean = self.model.instructions[place], "E " if self.random else ""
        over, loss = self.sum_over(place), f"f_{self._client(place)}"
        if item[0] == "infimum":
            return f"{mean}{over}(inf {loss} - {loss}(w*))"
        point = self.point(place)
        if item[0] in ("centre", "centre prox"):
            return f"{mean}(f_c({point}) - f_c(w*))"
        return f"{mean}{over}({loss}({point}) - {loss}(w*))"


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
    told += _curvatures(model)
    if model.centre is not None:
        mu, smooth = model.centre.exact
        told.append(f"curvature of the server's own loss f_c in [{mu}, {smooth}]")
    return [*told, *names.definitions()]


def _curvatures(model: Model) -> list[str]:
    """The classes of the clients, and their shares where there are several."""
    if not isinstance(model.clients, ClientClasses):
        mu, smooth = model.clients.exact
        return [f"curvature of the clients' losses f_k in [{mu}, {smooth}]"]
    return [
        f"class {c} of clients: share {share} of all weights, curvature of their losses f_{c}k in [{each.mu}, {each.L}]"
        for c, (share, each) in enumerate(zip(model.clients.shares, model.clients.functions, strict=True), 1)
    ]


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
        who = "for every number of clients{}, all weights{}, every dimension"
        who = who.format(*((" in each class", " there") if model.several else ("", "")))
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
        who = "client k" if group == "clients" else f"client k of class {group.split()[-1]}"
        who = "the server's own loss" if group == "centre" else who
        listed: Mapping[tuple[int, int, int | None], Fraction] = {
            (i, j, part[0] if part else None): Fraction(y) for i, j, y, *part in rows
        }
        for (i, j, part), y in listed.items():
            both = min(y, listed.get((j, i, part), Fraction(0))) if i != j else Fraction(0)
            one, other = (names.point(place) for place in (i, j))
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
