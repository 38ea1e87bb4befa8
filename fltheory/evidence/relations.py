r"""A statement of algebra that is proved as it is written: relations between rational expressions on ranges of their letters.

    Relations("2*a + 2*b <= 2*w*(a/w + b/(1 - w)) for 1/2 <= w < 1; a >= 0; b >= 0")

The text is the one object: it is printed, proved, searched for an instance that breaks it, kept as the certificate (which is
read and proved again without its script), and changed by ``fltheory mutate``.  Relations are separated by ``;``, one of
``<= < >= > = !=`` each, or chains of them.  After ``for`` stand, in an order that lets each use the letters before it,

- ranges: ``x > 0``, ``a <= x < b`` (a letter without one is any real number);
- definitions: ``V = s**2/N``, where ``V`` has no range;
- ``m, n whole``: whole numbers, between which ``a <= b`` is proved by ``a < b + 1`` (:mod:`fltheory.evidence.whole`);
- hypotheses: any other relation, which the proof may use with a nonnegative factor (``uses``), or any if it is an equation;
- runs: ``first_x = 1; next_x = x - h*x`` make ``x`` a letter that changes from round to round, all of them at once.  A relation in
  which one stands is stated for every round and proved by induction: at the first values, and at the next ones from all such
  relations before, ``x >= 0`` as a range and any by ``uses``.

``exp(x)``, ``log(x)`` and powers with letters as exponents are what they say; the proof uses instances of the rules of
:mod:`fltheory.evidence.functions_of_exp` as it uses hypotheses.

A relation ``left <= right`` is proved if ``right - left`` less the hypotheses with their factors and less squares with
nonnegative weights is nonnegative on the ranges, as :mod:`fltheory.theory.signs` decides it (a strict hypothesis with a positive
factor proves a strict relation); nothing may be divided by what
is not shown to vanish nowhere.  "Not proved" is not "false": an exact instance (:meth:`Relations.broken`) says false.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, islice
from typing import Any

import sympy as sp

from fltheory.evidence.arithmetic import evaluate, parse, real
from fltheory.evidence.expression_size import STATEMENT_CHARACTERS, STATEMENT_LETTERS, parsed
from fltheory.evidence.functions_of_exp import Letters, instance
from fltheory.evidence.relation_points import choices, is_true, value_of
from fltheory.evidence.relation_text import LATEX, Triple, chained, flat, letters_of
from fltheory.evidence.whole import WHOLE, is_whole, whole_letters
from fltheory.evidence.witness import Witness
from fltheory.kinds import JSON
from fltheory.theory.notation import to_latex
from fltheory.theory.signs import MOST_POWER, Open, Range, denominators, nonnegative_on, pole, positive_on

#: Points at which an instance that breaks a statement is looked for.
_POINTS = 4000
#: Rounds of a run in which it is looked for.
_ROUNDS = 6


@dataclass(frozen=True)
class Relations:
    """Relations with their ranges, definitions and hypotheses; see the module.

    Parameters
    ----------
    text : the statement.
    squares : by the number of a relation (from 0), pairs of texts ``(weight, what is squared)`` that its proof takes away.
    uses : by the number of a relation, factors by the text of a hypothesis as it stands after ``for``, or of a relation that
        stands before it.
    at : an instance that meets the hypotheses, where none is found among plain points (a statement of nothing is no proof).
    names : LaTeX of letters.

    Raises
    ------
    ValueError : the text is no statement of this form, or names a hypothesis or relation that it does not have.
    """

    text: str
    squares: Mapping[int, Sequence[tuple[str, str]]] = field(default_factory=dict)
    uses: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    at: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.text) > STATEMENT_CHARACTERS or len(self.letters) > STATEMENT_LETTERS:
            raise ValueError(
                f"a statement has {len(self.text)} characters and {len(self.letters)} letters; "
                f"at most {STATEMENT_CHARACTERS} and {STATEMENT_LETTERS} are read"
            )
        if not self.whole <= {*self.letters, *self._where[1]}:
            raise ValueError(
                f"{', '.join(sorted(self.whole - {*self.letters}))} of {self.text!r} is whole and not used"
            )
        count = len(self.claims)
        for number in [*self.squares, *self.uses]:
            if number not in range(count):
                raise ValueError(f"relation {number} is none of the {count} of {self.text!r}")
        for number, uses in self.uses.items():
            known = {text for text, _ in self._usable(number)}
            for text in uses:
                if text not in known and not _calls(text):
                    raise ValueError(f"{text!r} is no hypothesis of {self.text!r}: {', '.join(known) or 'it has none'}")

    @property
    def pieces(self) -> tuple[list[str], list[str]]:
        """The relations, and what stands after ``for``, as they are written."""
        claims, where = self._halves
        return list(claims), list(where)

    @cached_property
    def _halves(self) -> tuple[list[str], list[str]]:
        claims, _, where = self.text.partition(" for ")
        return [one.strip() for one in claims.split(";")], [one.strip() for one in where.split(";") if one.strip()]

    @cached_property
    def claims(self) -> tuple[Triple, ...]:
        """What is stated, chains taken apart."""
        return tuple(one for text in self._halves[0] for one in chained(text))

    @cached_property
    def _where(self) -> tuple[list[tuple[str, list[Any]]], dict[str, str], list[tuple[str, Triple]]]:
        """Ends of ranges by letter, definitions by letter, hypotheses by their text."""
        ranges: dict[str, list[Any]] = {}
        defined: dict[str, str] = {}
        given: list[tuple[str, Triple]] = []
        for text in self._halves[1]:
            if whole_letters(text):
                continue
            links = chained(text)
            if len(links) == 2 and _new(links[0][2], ranges, defined) and {links[0][1], links[1][1]} <= {"<=", "<"}:
                (low, first, name), (_, second, high) = links
                ranges[name] = [_end(low, first), _end(high, second)]
                continue
            if len(links) == 1 and _new(links[0][0], ranges, defined):
                name, sign, end = links[0]
                if sign in (">=", ">"):
                    ranges[name] = [_end(end, sign), None]
                    continue
                if sign == "=" and name not in letters_of(end):
                    early = [other for other, said in defined.items() if name in letters_of(said)]
                    if early:
                        raise ValueError(f"{name} is used for {early[0]} before it is defined in {self.text!r}")
                    defined[name] = end
                    continue
            given += [(text, one) for one in links]
        return list(ranges.items()), defined, given

    @cached_property
    def whole(self) -> frozenset[str]:
        """Letters that stand for whole numbers."""
        return frozenset(name for text in self._halves[1] for name in whole_letters(text))

    @property
    def where(self) -> str:
        """What it is for, as it is written."""
        return "; ".join(self._halves[1])

    @property
    def _hypotheses(self) -> list[tuple[str, Triple]]:
        return self._where[2]

    def _usable(self, number: int) -> list[tuple[str, Triple]]:
        """What the proof of a relation may use: hypotheses, and the relations that stand before it, with their texts."""
        told = [(text, one) for text in self._halves[0] for one in chained(text)]
        before = [one for one in told[:number] if one[0] != told[number][0] and one not in self.invariants]
        return [*self._hypotheses, *self.invariants, *before]

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """The letters that change from round to round.

        Raises
        ------
        ValueError : one has a range or a definition, or is used for what does not change.
        """
        ranges, defined, given = self._where
        found = tuple(name[5:] for name in defined if name.startswith("next_") and f"first_{name[5:]}" in defined)
        fixed = [end[0] for _, ends in ranges for end in ends if end]
        fixed += [side for _, (left, _, right) in given for side in (left, right)]
        fixed += [defined[f"first_{name}"] for name in found]
        moving = {*found, *self._moving(found)}
        for name in found:
            if name in defined or name in dict(ranges):
                raise ValueError(f"{name} has a first and a next value, and a range or a definition, in {self.text!r}")
        if any(letters_of(text) & moving for text in fixed):
            raise ValueError(f"a range, a hypothesis or a first value of {self.text!r} changes from round to round")
        return found

    def _moving(self, runs: Sequence[str]) -> set[str]:
        """What is defined by letters that change."""
        found = set(runs)
        for name, text in self._where[1].items():
            found |= {name} if letters_of(text) & found else set()
        return found - set(runs)

    @cached_property
    def invariants(self) -> list[tuple[str, Triple]]:
        """The relations that are stated for every round, by their text."""
        moving = {*self.runs, *self._moving(self.runs)}
        every = [(text, one) for text in self._halves[0] for one in chained(text)]
        return [(text, one) for text, one in every if (letters_of(one[0]) | letters_of(one[2])) & moving]

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """All letters but those that are defined: those without ranges, then those with ranges in their order."""
        ranges, defined, given = self._where
        texts = [side for left, _, right in (*self.claims, *(one for _, one in given)) for side in (left, right)]
        used = {name for text in [*texts, *defined.values()] for name in letters_of(text)}
        return (
            *sorted(used - {name for name, _ in ranges} - set(defined) - set(self.runs)),
            *(name for name, _ in ranges),
        )

    @cached_property
    def proof(self) -> tuple[bool, str]:
        """Whether every relation is proved, and the first reason if not."""
        try:
            if (self._hypotheses or self.whole) and next(self._instances(), None) is None:
                return (
                    False,
                    "no instance is known that meets the hypotheses, in whole numbers where they are said; give one, at={letter: value}",
                )
            reader = _Reader(self)
            for number in range(len(self.claims)):
                reason = reader.gap(number)
                if reason:
                    return False, reason
        except ValueError as error:
            return False, str(error)
        return True, "proved as it is written"

    @property
    def certificate(self) -> dict[str, JSON]:
        """The statement with what its proof uses, as data."""
        data: dict[str, Any] = {"type": "relations", "text": self.text}
        data["squares"] = {str(n): [list(pair) for pair in pairs] for n, pairs in self.squares.items()}
        data["uses"] = {str(n): dict(uses) for n, uses in self.uses.items()}
        data["at"] = dict(self.at)
        return data

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Relations:
        """The statement of a certificate.

        Raises
        ------
        ValueError : it is none.
        """
        try:
            squares = {int(n): [(str(w), str(z)) for w, z in pairs] for n, pairs in data["squares"].items()}
            uses = {int(n): {str(k): str(v) for k, v in found.items()} for n, found in data["uses"].items()}
        except (TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"squares or uses of a certificate of relations are malformed: {error}") from None
        return cls(str(data["text"]), squares, uses, {str(k): str(v) for k, v in data["at"].items()})

    def latex(self) -> str:
        """Relations, and what they are for."""
        texts = [self._printed(text) for text in self._halves[0]]
        where = [self._printed(text) for text in self._halves[1]]
        ending = r"\quad\text{for } " + r",\ ".join(where) if where else ""
        return r",\quad ".join(texts) + ending

    def _printed(self, text: str) -> str:
        symbols = {sp.Symbol(name): latex for name, latex in self.names.items()}
        for name in self.runs:
            shown_name = self.names.get(name, sp.latex(sp.Symbol(name)))
            symbols |= {
                sp.Symbol(f"first_{name}"): f"{shown_name}^{{(0)}}",
                sp.Symbol(f"next_{name}"): f"{shown_name}^{{+}}",
            }
        if whole_letters(text):
            return ",".join(to_latex(sp.Symbol(name), symbols) for name in whole_letters(text)) + WHOLE
        links = chained(text)
        sides = [links[0][0], *(right for _, _, right in links)]
        with sp.evaluate(False):  # as it is written
            shown = [to_latex(flat(parse(side, None, [])), symbols) for side in sides]
        return shown[0] + "".join(f" {LATEX[sign]} {side}" for (_, sign, _), side in zip(links, shown[1:], strict=True))

    def changed(self, old: str, new: str) -> Relations:
        """The statement with a piece of its text replaced; its squares and factors are kept.

        Raises
        ------
        ValueError : the piece does not occur exactly once.
        """
        if self.text.count(old) != 1:
            raise ValueError(f"{old!r} occurs {self.text.count(old)} times in {self.text!r}; expected once")
        uses = {n: {key.replace(old, new): m for key, m in found.items()} for n, found in self.uses.items()}
        return self.with_text(self.text.replace(old, new), uses)

    def with_text(self, text: str, uses: Mapping[int, Mapping[str, str]] | None = None) -> Relations:
        """Another text with the same squares; factors of hypotheses that it does not have are dropped."""
        bare = replace(self, text=text, uses={})
        every = {n: found for n, found in (self.uses if uses is None else uses).items() if n < len(bare.claims)}
        known = {n: {one for one, _ in bare._usable(n)} for n in every}
        kept = {n: {k: m for k, m in found.items() if k in known[n] or _calls(k)} for n, found in every.items()}
        return replace(bare, uses=kept)

    def broken(self) -> Witness | None:
        """An exact instance that meets ranges and hypotheses and breaks a relation; ``None`` if none was found."""
        for known in self._instances():
            for rounds, now in enumerate(self._rounds(known)):
                for one in self.claims:
                    try:
                        if not is_true(one, now):
                            return self._witness(known, one, rounds)
                    except ArithmeticError:  # it says nothing there, and is not proved
                        continue
        return None

    def _rounds(self, known: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The values in the first rounds."""
        now = self._all(known | {name: known[f"first_{name}"] for name in self.runs})
        yield now
        for _ in range(_ROUNDS if self.runs else 0):
            if not all(f"next_{name}" in now for name in self.runs):
                return
            now = self._all(known | {name: now[f"next_{name}"] for name in self.runs})
            yield now

    def _instances(self) -> Iterator[dict[str, Any]]:
        """Points at which ranges and hypotheses hold: the one that was given, then those that are found."""
        given = [self._all({name: Fraction(value) for name, value in self.at.items()})] if self.at else []
        for known in islice(chain(given, self._points()), _POINTS):
            try:
                whole = all(sp.sympify(known[name]).is_integer for name in self.whole)
                if whole and all(is_true(one, known) for one in self._conditions):
                    yield known
            except ArithmeticError:
                continue

    def _all(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a point with those of what is defined by them."""
        known = dict(point)
        for name, text in self._where[1].items():
            if letters_of(text) <= set(known):
                known[name] = evaluate(text, known)
        return known

    def _witness(self, known: Mapping[str, Any], false: Triple, rounds: int) -> Witness:
        """The instance, with the values of what changes in every round up to the one that is told."""
        every = [(parse(left, None, []), sign, parse(right, None, [])) for left, sign, right in self._conditions]
        moving, left, right = self._moving(self.runs), parse(false[0], None, []), parse(false[2], None, [])
        said: dict[sp.Symbol, sp.Expr] = {}
        for name in (name for name in self._where[1] if name in moving):
            said[sp.Symbol(name)] = parse(self._where[1][name], None, []).xreplace(said)
        at, here = dict(known), dict[sp.Symbol, sp.Expr]()
        for number, now in zip(range(rounds + 1 if self.runs else 0), self._rounds(dict(known)), strict=False):
            before, here = here, {sp.Symbol(name): sp.Symbol(f"{name}_at_{number}") for name in self.runs}
            at |= {here[sp.Symbol(name)].name: now[name] for name in self.runs}
            for name in self.runs:
                value = said[sp.Symbol(f"next_{name}")].xreplace(before) if number else sp.Symbol(f"first_{name}")
                every.append((here[sp.Symbol(name)], "=", value))
        left, right = (side.xreplace(said).xreplace(here) for side in (left, right))
        return Witness(at, left, false[1], right, every)

    @cached_property
    def _conditions(self) -> list[Triple]:
        """Ranges, definitions and hypotheses as relations."""
        ranges, defined, given = self._where
        ends = [(name, ">" if low[1] else ">=", low[0]) for name, (low, _) in ranges]
        ends += [(name, "<" if high[1] else "<=", high[0]) for name, (_, high) in ranges if high]
        moving = self._moving(self.runs)
        fixed = ((name, "=", text) for name, text in defined.items() if name not in moving)
        return [*ends, *fixed, *(one for _, one in given)]

    def _points(self) -> Iterator[dict[str, Any]]:
        """Points of the ranges, plain ones first."""
        ranges = dict(self._where[0])
        for choice in choices(len(self.letters), 7):
            try:
                known = self._all({})
                for name, index in zip(self.letters, choice, strict=True):
                    known[name] = value_of(ranges.get(name), index, known)
                    known = self._all(known)
                yield known
            except (IndexError, ArithmeticError):
                continue


def comparison(left: sp.Expr, sign: str, right: sp.Expr, ranges: Sequence[Range], *given: str) -> Relations:
    """The relation between two expressions of SymPy on ranges (:mod:`fltheory.theory.signs`) as a statement; ``given`` as text.

    Raises
    ------
    ValueError : a name that no text can hold.
    """
    used = sp.sympify(left).free_symbols | sp.sympify(right).free_symbols
    where = []
    for symbol, low, high in reversed(list(ranges)):
        if symbol in used or any(symbol.name in letters_of(chained(one)[0][0]) for one in given):
            used |= {one for end in (low, high) for one in _bare(end).free_symbols}
            where.append(_range_text(symbol, low, high))
    for one in used - {symbol for symbol, *_ in ranges}:
        if one.is_nonnegative or one.is_positive:
            where.append(f"{one} {'>' if one.is_positive else '>='} 0")
    return Relations(f"{left} {sign} {right} for {'; '.join([*reversed(where), *given])}".removesuffix(" for "))


def _bare(end: Any) -> sp.Expr:
    return sp.sympify(0 if end is None else end.end if isinstance(end, Open) else end)


def _range_text(symbol: sp.Symbol, low: Any, high: Any) -> str:
    below = "<" if isinstance(low, Open) or (symbol.is_positive and low == 0) else "<="
    if high is None:
        return f"{symbol} {'>' if below == '<' else '>='} {_bare(low)}"
    return f"{_bare(low)} {below} {symbol} {'<' if isinstance(high, Open) else '<='} {_bare(high)}"


class _Reader:
    """The statement in SymPy, with definitions in their places."""

    def __init__(self, stated: Relations) -> None:
        ranges, defined, given = stated._where
        self.stated, self.divisors, self.letters = stated, list[sp.Expr](), Letters()
        self.values: dict[sp.Symbol, sp.Expr] = {}
        for name, text in defined.items():
            self.values[sp.Symbol(name)] = self._parsed(text, [])
        self._own: list[Range] = []
        for name, (low, high) in ranges:
            self._own.append((sp.Symbol(name), self._end(low), None if high is None else self._end(high)))
        for text in defined.values():  # what they divide by
            self._read(text)
        self.given = [
            (text, self._read(one[0]), one[1], self._read(one[2])) for text, one in [*given, *stated.invariants]
        ]
        self.first = {sp.Symbol(name): self.values[sp.Symbol(f"first_{name}")] for name in stated.runs}
        self.next = {sp.Symbol(name): self.values[sp.Symbol(f"next_{name}")] for name in stated.runs}
        self._moving = list(self._shown())

    def _shown(self) -> Iterator[Range]:
        """Ranges of letters that change, from relations that are stated of them in every round."""
        for x in self.first:
            ends: dict[str, Any] = {}
            for _, left, sign, right in self.given[len(self.given) - len(self.stated.invariants) :]:
                if right == x:
                    left, sign, right = right, {"<=": ">=", "<": ">", ">=": "<=", ">": "<"}.get(sign, sign), left
                if left == x and sign in ("<=", "<", ">=", ">") and not right.free_symbols & set(self.first):
                    ends[sign[0]] = Open(right) if sign in ("<", ">") else right
            if ">" in ends:
                yield x, ends[">"], ends.get("<")

    @property
    def inside(self) -> list[Range]:
        """Ranges, and those of letters that change."""
        return [*self.ranges, *self._moving]

    @property
    def ranges(self) -> list[Range]:
        """Those of letters for functions of exp, then those of the text."""
        return [*self.letters.ranges, *self._own]

    def _parsed(self, text: str, divisors: list[sp.Expr]) -> sp.Expr:
        return self._with_values(parse(text, divisors, []))

    def _with_values(self, read: sp.Expr) -> sp.Expr:
        """With definitions in their places, which may neither make a power huge nor a number that is not real."""
        if not self.values:
            return read
        for node in sp.postorder_traversal(read):
            exponent = node.exp if isinstance(node, sp.Pow | sp.exp) else sp.Integer(0)
            if any(abs(one) > MOST_POWER for one in exponent.xreplace(self.values).atoms(sp.Rational)):
                raise ValueError(f"a power of {str(node)[:60]} is more than {MOST_POWER}")
        found = real(read.xreplace(self.values))
        parsed(str(found))
        return found

    def _read(self, text: str) -> sp.Expr:
        found: list[sp.Expr] = []
        functions: list[sp.Expr] = []
        read = self._with_values(parse(text, found, functions))
        if len(functions) > STATEMENT_LETTERS:
            raise ValueError(f"{text[:60]!r} has {len(functions)} functions and powers; at most {STATEMENT_LETTERS}")
        for one in functions:
            if any(name in self.stated.runs for name in map(str, self._with_values(one).free_symbols)):
                raise ValueError(f"{one} changes from round to round")
        for one in functions:  # each is shown to be defined, even one that is simplified away
            self.divisors += denominators(self.letters.of(self._with_values(one), self._own))
        self.divisors += [self.letters.of(self._with_values(one), self._own) for one in found]
        return self.letters.of(read, self._own)

    def _end(self, end: tuple[str, bool]) -> Any:
        return Open(self._read(end[0])) if end[1] else self._read(end[0])

    def gap(self, number: int) -> str:
        """Why a relation is not proved; empty if it is."""
        left, sign, right = self.stated.claims[number]
        one, two = self._read(left), self._read(right)
        if sign in (">=", ">"):
            one, two, sign = two, one, {">=": "<=", ">": "<"}[sign]
        words = f"{left} {self.stated.claims[number][1]} {right}: "
        moves = (two - one).free_symbols & set(self.first)
        for divisor in dict.fromkeys(self.divisors):
            at_first, after = divisor.xreplace(self.first), divisor.xreplace(self.next)
            if any(pole(1 / found, self.inside) is not None for found in dict.fromkeys((divisor, at_first, after))):
                return f"{divisor}, which is divided by, is not shown to vanish nowhere"
        if moves:
            reason = self._open((two - one).xreplace(self.first), sign, self.ranges)
            if reason:
                return f"{words}at first {reason}"
        rest = (two - one).xreplace(self.next) if moves else two - one
        whole, strict = is_whole(rest, self.stated.whole), False
        for text, factor in self.stated.uses.get(number, {}).items():
            used, by = self._used(number, text, self._read(factor))
            rest, strict = rest - used, strict or by
        for weight, square in self.stated.squares.get(number, ()):
            if not nonnegative_on(self._read(weight), self.inside):
                return f"the weight {weight} is not shown nonnegative"
            rest -= self._read(weight) * self._read(square) ** 2
        if sign == "<=" and whole:
            rest, sign = rest + 1, "<"
        if sign == "<" and strict:
            sign = "<="
        reason = self._open(rest, sign, self.inside)
        return f"{words}{reason}" if reason else ""

    def _open(self, rest: sp.Expr, sign: str, ranges: Sequence[Range]) -> str:
        """Why a difference is not shown to have the sign; empty if it is."""
        rest = sp.factor(sp.together(rest))
        if sign == "=":
            return "" if rest == 0 else f"the difference {rest} does not vanish"
        if sign == "!=":
            shown = positive_on(rest, ranges) or positive_on(-rest, ranges)
            return "" if shown else f"the difference {rest} is not shown to have a sign"
        shown = (positive_on if sign == "<" else nonnegative_on)(rest, ranges)
        return "" if shown else f"{rest} is not shown {'positive' if sign == '<' else 'nonnegative'}"

    def _used(self, number: int, text: str, factor: sp.Expr) -> tuple[sp.Expr, bool]:
        """What may be used, with its factor, as what is nonnegative (or zero) by it, and whether it is positive."""
        total, strict = sp.Integer(0), False
        told = [one for named, one in self.stated._usable(number) if named == text]
        given = [(self._read(left), sign, self._read(right)) for left, sign, right in told]
        for left, sign, right in given or [self._rule(one) for one in chained(text)]:
            if sign == "!=":
                raise ValueError(f"{text} is no hypothesis that can be added up")
            if sign != "=" and not nonnegative_on(factor, self.inside):
                raise ValueError(f"the factor {factor} of {text} is not shown nonnegative")
            total += factor * (left - right if sign in (">=", ">") else right - left)
            strict = strict or (sign in ("<", ">") and positive_on(factor, self.inside))
        return total, strict

    def _rule(self, one: Triple) -> tuple[sp.Expr, str, sp.Expr]:
        """An instance of a rule of exp, log or powers, as a hypothesis is used."""
        left, right = (self._parsed(side, []) for side in (one[0], one[2]))
        found = self._read(one[0]), one[1], self._read(one[2])
        reason = instance((left, one[1], right), self.letters, self._own)
        if reason:
            raise ValueError(reason)
        return found


def _calls(text: str) -> bool:
    """Whether a text may be an instance of a rule of :mod:`fltheory.evidence.functions_of_exp`."""
    return any(sign in text for sign in ("exp(", "log(", "**"))


def _new(name: str, ranges: Mapping[str, Any], defined: Mapping[str, str]) -> bool:
    return name.isidentifier() and name not in ranges and name not in defined


def _end(text: str, sign: str) -> tuple[str, bool]:
    return text, sign in ("<", ">")
