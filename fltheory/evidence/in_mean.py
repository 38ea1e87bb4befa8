r"""A statement about vectors, functions and averages that is derived as it is written.

    InMean(
        "sq(w - eta*(g + n) - star) <= sq(w - eta*g - star) + eta**2*s for eta > 0; s >= 0",
        things="w; star; g; n over xi, mean 0 over xi",
        over="xi",
        uses=[use("bounded variance", times="eta**2", noise="n", sigma2="s")],
    )

The text is the one object: it is printed, derived by the kernel (:mod:`fltheory.derivation`), tried on exact instances, kept as a
derivation, and changed by ``fltheory mutate``.  Relations ``<= >= =``, or chains of them, separated by ``;``, between forms of the
kernel: ``sq(x)``, ``dot(x, y)``, ``mean(x, k)`` and numbers; after ``for`` ranges of the numbers, as in
:mod:`fltheory.evidence.relations`, or ``a, b real``.  Several relations are the displays of one derivation, in which a later one
may use those before it.

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
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from fltheory.derivation.packs import MINIMISER, UNBIASED, suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import Derived, ending
from fltheory.evidence.in_mean_text import latex_of
from fltheory.evidence.relation_text import Triple, chained, real_letters
from fltheory.evidence.things import AXES

Given = TypeVar("Given")
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
    uses : the hypotheses of the proof; of several relations by the number of the relation, from 0.
    squares : pairs ``(weight, vector)`` that the proof takes away; of several relations by number.
    so_far : by the number of a relation, factors by the numbers of those before it that its proof uses.
    unfold : vectors that the proof writes out by their equations.
    varies : axes along which numbers vary.
    names : LaTeX of letters.

    Raises
    ------
    ValueError : the text has another relation, a thing cannot be read, or a proof is given for a relation that is not there.
    """

    text: str
    things: str
    over: str = ""
    uses: Sequence[Use] | Mapping[int, Sequence[Use]] = ()
    squares: Sequence[tuple[str, str]] | Mapping[int, Sequence[tuple[str, str]]] = ()
    unfold: str = ""
    varies: Mapping[str, str] | None = None
    names: Mapping[str, str] | None = None
    so_far: Mapping[int, Mapping[int, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if any(sign not in ("<=", ">=", "=") for _, sign, _ in self.claims):
            raise ValueError(f"{self.text!r} is no relation <=, >= or =")
        count = len(self.claims)
        for number in (*_by_number(self.uses), *_by_number(self.squares), *self.so_far):
            if number not in range(count):
                raise ValueError(f"relation {number} is none of the {count} of {self.text!r}")
        for number, before in self.so_far.items():
            if not all(0 <= earlier < number for earlier in before):
                raise ValueError(f"relation {number} of {self.text!r} can use those before it, not {list(before)}")
        for thing in self.declared:
            if not (_POINT.fullmatch(thing) or _THING.fullmatch(thing)):
                raise ValueError(f"{thing!r} declares nothing; expected such as 'x over k xi', 'F at w, star'")

    @property
    def pieces(self) -> tuple[list[str], list[str]]:
        """The relations, and what stands after ``for``, as they are written."""
        claims, _, where = self.text.partition(" for ")
        return [one.strip() for one in claims.split(";")], [one.strip() for one in where.split(";") if one.strip()]

    @property
    def where(self) -> str:
        """What it is for, as it is written."""
        return "; ".join(self.pieces[1])

    @cached_property
    def claims(self) -> tuple[Triple, ...]:
        """Left side, relation, right side of each relation, chains taken apart."""
        return tuple(one for text in self.pieces[0] for one in chained(text, plain=False))

    @property
    def every_use(self) -> list[Use]:
        """The hypotheses that the proofs use, relation by relation."""
        return [one for _, uses in sorted(_by_number(self.uses).items()) for one in uses]

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
        """``(letter, (low, open), (high, open))`` for each number, ``None`` for an end that there is not."""
        found: dict[str, list[Any]] = {}
        for text in self.pieces[1]:
            if real_letters(text):
                found |= {name: [None, None] for name in real_letters(text)}
                continue
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

        several = len(self.claims) > 1
        titles = [f"relation {number}" if several else "the statement" for number, _ in enumerate(self.claims)]
        solved = [
            f"g_{p}" for one in self.read_things if one.get("of") and one["equals"] for p in listed(one["points"])
        ]

        def last(d: Derivation) -> None:
            uses, squares, place = _by_number(self.uses), _by_number(self.squares), 0
            for number, (left, sign, right) in enumerate(self.claims):
                form = f"{left} - ({right})" if sign == ">=" else f"{right} - ({left})"
                facts = {titles[earlier]: times for earlier, times in self.so_far.get(number, {}).items()}
                for one in uses.get(number, ()):
                    facts[f"use {place}"], place = one.times, place + 1
                more: dict[str, Any] = {"squares": [list(pair) for pair in squares.get(number, ())]}
                more |= {"unfold": [*self.unfold.split(), *solved], "relation": "=" if sign == "=" else ">="}
                d.combine(titles[number], form, over=self.over, facts=facts, **more)

        try:
            return ending(self._declarations, last, *titles)
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
            ends: dict[str, Any] = {"low": low[0], "low_open": low[1]} if low else {}
            ends |= {"high": high[0], "high_open": high[1]} if high else {}
            d.parameter(name, **ends, varies=list((self.varies or {}).get(name, "").split()))
        for thing in self.read_things:
            _declare(d, thing)
        named = hypothesis_names(self.every_use)
        for number, one in enumerate(self.every_use):
            if named[number] not in named[:number]:
                _suppose(d, one, named[number])
            d.assume(f"use {number}", named[number], list(one.at))
        return d

    def latex(self) -> str:
        """Both sides on average, and what they are for."""
        return latex_of(*self.pieces, self.over.split(), self.names or {}, self.axes)

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
        kept = {n: [one for one in uses if one.hypothesis != hypothesis] for n, uses in _by_number(self.uses).items()}
        mean = re.compile(rf"(\b{re.escape(hypothesis.removeprefix('mean of '))}\b[^;]*?), mean [^;]+? over \w+")
        things = mean.sub(r"\1", self.things) if hypothesis.startswith("mean of ") else self.things
        if all(one.hypothesis != hypothesis for one in self.every_use) and things == self.things:
            raise ValueError(f"{hypothesis!r} is no hypothesis of {self.text!r}")
        return replace(self, uses=kept, things=things)

    def with_text(self, text: str) -> InMean:
        """Another text on the same things."""
        return replace(self, text=text)


def _by_number(given: Sequence[Given] | Mapping[int, Sequence[Given]]) -> Mapping[int, Sequence[Given]]:
    """What proofs are given, by the number of the relation; what has no number is for the first one."""
    return given if isinstance(given, Mapping) else {0: given} if given else {}


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
