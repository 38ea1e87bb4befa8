r"""A statement about vectors, functions and averages that is derived as it is written.

    InMean(
        "sq(w - eta*(g + n) - star) <= sq(w - eta*g - star) + eta**2*s for eta > 0; s >= 0",
        things="w; star; g; n over xi, mean 0 over xi",
        over="xi",
        uses=[use("bounded variance", times="eta**2", noise="n", sigma2="s")],
    )

The text is the one object: it is printed, derived by the kernel (:mod:`fltheory.derivation`), tried on exact instances, kept as a
derivation, and changed by ``fltheory mutate``.  One relation, ``<= >= =``, between forms of the kernel: ``sq(x)``, ``dot(x, y)``,
``mean(x, k)`` and numbers; after ``for`` ranges of the numbers, as in :mod:`fltheory.evidence.relations`.

``things`` declares in order, separated by ``;``:

- vectors: ``w``, ``x over k xi``; with an equation ``v over k = w - eta*g_w``; with a mean ``n over xi, mean 0 over xi``;
- functions and values: ``function F over k``, ``value a over k``;
- functions at vectors: ``F at w, u`` gives values ``f_w``, ``f_u`` and gradients ``g_w``, ``g_u``; of an optimum
  ``F at star, mean 0 over k`` or ``F at star = 0`` says what its gradient is.

Axes: ``k`` clients, ``xi`` and ``xc`` noise, ``j`` steps, ``S`` cohort, ``past`` and ``t`` time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from fltheory.derivation.packs import MINIMISER, UNBIASED, suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import Derived, ending
from fltheory.evidence.in_mean_text import latex_of
from fltheory.evidence.relation_text import Triple, chained
from fltheory.evidence.things import AXES

_KNOWN = r"(?:, mean (?P<mean>.+) over (?P<along>\w+))?(?: = (?P<equals>.+))?"
_THING = re.compile(r"(?P<kind>function |value |)(?P<name>\w+)(?: over (?P<axes>[\w ]+?))?" + _KNOWN)
#: A function at vectors; of its gradient there may be known a mean, or what it is equal to.
_POINT = re.compile(r"(?P<of>\w+) at (?P<points>\w+(?:, (?!mean )\w+)*)" + _KNOWN)


@dataclass(frozen=True)
class Use:
    """A hypothesis, at points of its function where it has such, and its factor in the proof; see :func:`use`."""

    hypothesis: str
    at: tuple[str, ...]
    times: str
    of: str
    names: Mapping[str, str]
    form: str
    over: str


def use(
    hypothesis: str, at: str = "", times: str = "1", *, of: str = "", form: str = "", over: str = "", **names: str
) -> Use:
    """A hypothesis of a pack (:mod:`fltheory.derivation.packs`), or with ``form`` one of the statement's own, ``form >= 0`` on
    average over ``over``; ``names`` are those of its pack, ``at`` points of ``of``, ``times`` its factor in the proof.

    A form of one's own that has points, ``x0``, ``x1``, ..., is supposed at all points of ``of``.
    """
    return Use(hypothesis, tuple(at.split()), times, of, names, form, over)


@dataclass(frozen=True)
class InMean:
    """A statement with what it speaks of and what its proof uses; see the module.

    Parameters
    ----------
    over : axes that both sides are averaged over.
    squares : pairs ``(weight, vector)`` that the proof takes away.
    unfold : vectors that the proof writes out by their equations.
    varies : axes along which numbers vary.
    names : LaTeX of letters.

    Raises
    ------
    ValueError : the text is no single relation, or a thing cannot be read.
    """

    text: str
    things: str
    over: str = ""
    uses: Sequence[Use] = ()
    squares: Sequence[tuple[str, str]] = ()
    unfold: str = ""
    varies: Mapping[str, str] | None = None
    names: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        if self.claim[1] not in ("<=", ">=", "="):
            raise ValueError(f"{self.text!r} is no relation <=, >= or =")
        for thing in self.declared:
            if not (_POINT.fullmatch(thing) or _THING.fullmatch(thing)):
                raise ValueError(f"{thing!r} declares nothing; expected such as 'x over k xi', 'F at w, star'")

    @property
    def pieces(self) -> tuple[list[str], list[str]]:
        """The relation, and what stands after ``for``."""
        claim, _, where = self.text.partition(" for ")
        return [claim.strip()], [one.strip() for one in where.split(";") if one.strip()]

    @property
    def where(self) -> str:
        """What it is for, as it is written."""
        return "; ".join(self.pieces[1])

    @cached_property
    def claim(self) -> Triple:
        """Left side, relation, right side."""
        links = chained(self.pieces[0][0], plain=False)
        if len(links) != 1:
            raise ValueError(f"{self.text!r} is not one relation")
        return links[0]

    @property
    def declared(self) -> list[str]:
        """The things, one by one."""
        return [one.strip() for one in self.things.split(";") if one.strip()]

    @property
    def read_things(self) -> list[dict[str, Any]]:
        """The things as fields: ``of, points`` of a function at vectors, else ``kind, name, axes, mean, along, equals``."""
        matches = [_POINT.fullmatch(one) or _THING.fullmatch(one) for one in self.declared]
        return [match.groupdict() for match in matches if match]

    @property
    def ranges(self) -> list[tuple[str, Any, Any]]:
        """``(letter, (low, open), (high, open))`` for each number that has a range."""
        found: dict[str, list[Any]] = {}
        for text in self.pieces[1]:
            links = chained(text)
            if len(links) == 2 and {links[0][1], links[1][1]} <= {"<=", "<"} and links[0][2].isidentifier():
                (low, first, name), (_, second, high) = links
                found[name] = [(low, first == "<"), (high, second == "<")]
            elif len(links) == 1 and links[0][0].isidentifier() and links[0][1] in (">=", ">"):
                found[links[0][0]] = [(links[0][2], links[0][1] == ">"), None]
            else:
                raise ValueError(f"{text!r} is no range; expected such as 'x > 0' or '0 <= x < b'")
        return [(name, low, high) for name, (low, high) in found.items()]

    @cached_property
    def derived(self) -> Derived:
        """The derivation that ends in the statement, or why there is none."""

        def last(d: Derivation) -> None:
            left, sign, right = self.claim
            form = f"{left} - ({right})" if sign == ">=" else f"{right} - ({left})"
            facts = {f"use {number}": one.times for number, one in enumerate(self.uses)}
            solved = [
                f"g_{p}" for one in self.read_things if one.get("of") and one["equals"] for p in listed(one["points"])
            ]
            unfold = [*self.unfold.split(), *solved]
            more: dict[str, Any] = {"facts": facts, "squares": [list(pair) for pair in self.squares], "unfold": unfold}
            d.combine("the statement", form, over=self.over, relation="=" if sign == "=" else ">=", **more)

        try:
            return ending(self._declarations, last, "the statement")
        except (KeyError, ValueError) as error:
            return Derived(None, reason=f"{type(error).__name__}: {error}")

    @property
    def proof(self) -> tuple[bool, str]:
        """Whether it is derived, and why not."""
        return self.derived.certificate is not None, self.derived.reason

    def _declarations(self) -> Derivation:
        d = Derivation(self.text)
        used = set(re.findall(r"\w+", f"{self.things} {self.over} {' '.join((self.varies or {}).values())}"))
        for axis in [axis for axis in AXES if axis in used]:
            d.axis(axis, AXES[axis])
        for name, low, high in self.ranges:
            ends: dict[str, Any] = {"low": low[0], "low_open": low[1]}
            ends |= {"high": high[0], "high_open": high[1]} if high else {}
            d.parameter(name, **ends, varies=list((self.varies or {}).get(name, "").split()))
        for thing in self.read_things:
            _declare(d, thing)
        named = hypothesis_names(self.uses)
        for number, one in enumerate(self.uses):
            if named[number] not in named[:number]:
                _suppose(d, one, named[number])
            d.assume(f"use {number}", named[number], list(one.at))
        return d

    def latex(self) -> str:
        """Both sides on average, and what they are for."""
        return latex_of(self.claim, self.pieces[1], self.over.split(), self.names or {}, self.axes)

    @property
    def axes(self) -> dict[str, set[str]]:
        """The axes on which each vector and value depends."""
        found: dict[str, set[str]] = {}
        of_functions: dict[str, set[str]] = {}
        for thing in self.read_things:
            if "of" in thing:
                for point in listed(thing["points"]):
                    axes = of_functions.get(thing["of"], set()) | found.get(point, set())
                    found |= {f"f_{point}": axes, f"g_{point}": axes}
            elif thing["kind"] == "function ":
                of_functions[thing["name"]] = set((thing["axes"] or "").split())
            else:
                found[thing["name"]] = set((thing["axes"] or "").split())
        return found

    def changed(self, old: str, new: str) -> InMean:
        """The statement with a piece of its text replaced.

        Raises
        ------
        ValueError : the piece does not occur exactly once.
        """
        if self.text.count(old) != 1:
            raise ValueError(f"{old!r} occurs {self.text.count(old)} times in {self.text!r}; expected once")
        return self.with_text(self.text.replace(old, new))

    def without(self, hypothesis: str) -> InMean:
        """The statement without a hypothesis of its uses, or without what is known of a mean, ``"mean of n"``.

        Raises
        ------
        ValueError : it has none of that name.
        """
        uses = [one for one in self.uses if one.hypothesis != hypothesis]
        mean = re.compile(rf"(\b{re.escape(hypothesis.removeprefix('mean of '))}\b[^;]*?), mean [^;]+? over \w+")
        things = mean.sub(r"\1", self.things) if hypothesis.startswith("mean of ") else self.things
        if len(uses) == len(self.uses) and things == self.things:
            raise ValueError(f"{hypothesis!r} is no hypothesis of {self.text!r}")
        return replace(self, uses=uses, things=things)

    def with_text(self, text: str) -> InMean:
        """Another text on the same things."""
        return replace(self, text=text)


def listed(text: str) -> list[str]:
    """Names separated by commas or spaces."""
    return [one for one in re.split(r"[,\s]+", text) if one]


def hypothesis_names(uses: Sequence[Use]) -> list[str]:
    """A name for the hypothesis of each use: the same for the same one, with a number where a second has its words."""
    found: list[str] = []
    meant: dict[str, Any] = {}
    for one in uses:
        meaning = (one.of, one.names, one.form, one.over)
        name, count = one.hypothesis, 1
        while meant.setdefault(name, meaning) != meaning:
            count += 1
            name = f"{one.hypothesis} ({count})"
        found.append(name)
    return found


def _suppose(d: Derivation, one: Use, name: str) -> None:
    if one.form:
        points = {"of": one.of, "points": [f"x{i}" for i, _ in enumerate(one.at)]} if one.of else {}
        d.hypothesis(name, one.form, over=one.over, **points)
    else:
        suppose(d, one.hypothesis, of=one.of or None, name=name, **one.names)


def _declare(d: Derivation, thing: Mapping[str, Any]) -> None:
    """One thing as a line of a derivation."""
    if "of" in thing:
        known = [[thing["along"], thing["mean"], MINIMISER]] if thing["mean"] else []
        for point in listed(thing["points"]):
            d.point(point, thing["of"], equals=thing["equals"], mean=known)
        return
    axes = list((thing["axes"] or "").split())
    if thing["kind"] == "function ":
        d.function(thing["name"], axes)
    elif thing["kind"] == "value ":
        d.value(thing["name"], axes)
    else:
        mean = [[thing["along"], thing["mean"], UNBIASED]] if thing["mean"] else []
        d.vector(thing["name"], axes, equals=thing["equals"], mean=mean)
