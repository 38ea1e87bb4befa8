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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import sympy as sp

from fltheory.evidence.arithmetic import parse
from fltheory.evidence.expression_size import STATEMENT_CHARACTERS, STATEMENT_LETTERS
from fltheory.evidence.relation_instances import Instances
from fltheory.evidence.relation_proof import ProofOfRelations, may_be_a_rule
from fltheory.evidence.relation_text import LATEX, Triple, chained, flat, letters_of
from fltheory.evidence.whole import WHOLE, whole_letters
from fltheory.evidence.witness import Witness
from fltheory.kinds import JSON
from fltheory.theory.notation import to_latex


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
        if not self.whole <= {*self.letters, *self.where_parts[1]}:
            raise ValueError(
                f"{', '.join(sorted(self.whole - {*self.letters}))} of {self.text!r} is whole and not used"
            )
        count = len(self.claims)
        for number in [*self.squares, *self.uses]:
            if number not in range(count):
                raise ValueError(f"relation {number} is none of the {count} of {self.text!r}")
        for number, uses in self.uses.items():
            known = {text for text, _ in self.usable(number)}
            for text in uses:
                if text not in known and not may_be_a_rule(text):
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
    def where_parts(self) -> tuple[list[tuple[str, list[Any]]], dict[str, str], list[tuple[str, Triple]]]:
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
        return self.where_parts[2]

    def usable(self, number: int) -> list[tuple[str, Triple]]:
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
        ranges, defined, given = self.where_parts
        found = tuple(name[5:] for name in defined if name.startswith("next_") and f"first_{name[5:]}" in defined)
        fixed = [end[0] for _, ends in ranges for end in ends if end]
        fixed += [side for _, (left, _, right) in given for side in (left, right)]
        fixed += [defined[f"first_{name}"] for name in found]
        moving = {*found, *self.moving(found)}
        for name in found:
            if name in defined or name in dict(ranges):
                raise ValueError(f"{name} has a first and a next value, and a range or a definition, in {self.text!r}")
        if any(letters_of(text) & moving for text in fixed):
            raise ValueError(f"a range, a hypothesis or a first value of {self.text!r} changes from round to round")
        return found

    def moving(self, runs: Sequence[str]) -> set[str]:
        """What is defined by letters that change."""
        found = set(runs)
        for name, text in self.where_parts[1].items():
            found |= {name} if letters_of(text) & found else set()
        return found - set(runs)

    @cached_property
    def invariants(self) -> list[tuple[str, Triple]]:
        """The relations that are stated for every round, by their text."""
        moving = {*self.runs, *self.moving(self.runs)}
        every = [(text, one) for text in self._halves[0] for one in chained(text)]
        return [(text, one) for text, one in every if (letters_of(one[0]) | letters_of(one[2])) & moving]

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """All letters but those that are defined: those without ranges, then those with ranges in their order."""
        ranges, defined, given = self.where_parts
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
            if (self._hypotheses or self.whole) and next(Instances(self).found(), None) is None:
                return (
                    False,
                    "no instance is known that meets the hypotheses (in whole numbers where said); give one by at=",
                )
            reader = ProofOfRelations(self)
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
        known = {n: {one for one, _ in bare.usable(n)} for n in every}
        kept = {n: {k: m for k, m in found.items() if k in known[n] or may_be_a_rule(k)} for n, found in every.items()}
        return replace(bare, uses=kept)

    def broken(self) -> Witness | None:
        """An exact instance that meets ranges and hypotheses and breaks a relation; ``None`` if none was found."""
        return Instances(self).broken()


def _new(name: str, ranges: Mapping[str, Any], defined: Mapping[str, str]) -> bool:
    return name.isidentifier() and name not in ranges and name not in defined


def _end(text: str, sign: str) -> tuple[str, bool]:
    return text, sign in ("<", ">")
