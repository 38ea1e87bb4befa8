r"""A statement about matrices that is proved as it is written, for any matrices or for those that it names.

    Matrices("V - A1*A = Q - A1*B for A1 in R(n,n); B in R(n,n); Q in R(n,n); A = A1 + B; V = A1**2 + Q")
    Matrices("w[1] != 1 for A = [[2, -1], [-1, 2]]; w = A**-1*[1, 0]")

The text is printed, proved, kept as the certificate, and changed by ``fltheory mutate``, as that of
:class:`~fltheory.evidence.relations.Relations` is.  ``T(A)`` is the transpose, ``sq(x)`` the sum of the squares of all entries,
``w[i]`` and ``A[i,j]`` entries from 1, ``I`` the identity (a number added to a square matrix is that multiple of it), and ``A**-1``
the inverse.  After ``for`` stand

- matrices that may be any: ``A in R(n,m)``, vectors ``x in R(n)``, numbers ``a in R(1)``, symmetric matrices ``S in S(n)``;
- definitions ``V = A1**2 + A2**2``, ranges of numbers ``0 < eta <= 1``, and hypotheses, which are any other relations.

*Named matrices* are evaluated with fractions; with letters that have ranges, entries are rational functions, of which every
relation is then one of :class:`~fltheory.evidence.relations.Relations`.  *Matrices that may be any* are letters that do not
commute: ``left = right`` holds if the difference, less the hypotheses with their factors, has no word left; ``left <= right`` of
numbers if, less those and less squares with nonnegative weights, it is a number that is nonnegative.  ``A >= B`` of matrices means
that ``A - B`` is symmetric and positive semidefinite.  What is false is broken at the matrices ``at``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from fltheory.evidence.expression_size import STATEMENT_CHARACTERS, STATEMENT_LETTERS
from fltheory.evidence.matrix_reader import Reader, fits
from fltheory.evidence.matrix_text import Where, printed
from fltheory.evidence.matrix_values import as_rows
from fltheory.evidence.relation_text import Triple, chained, letters_of
from fltheory.evidence.witness import OPPOSITE
from fltheory.kinds import JSON


@dataclass(frozen=True)
class Matrices:
    """Relations with their matrices, ranges and hypotheses; see the module.

    Parameters
    ----------
    text : the statement.
    squares : by the number of a relation (from 0), pairs of texts ``(weight, vector that is squared)`` taken away in its proof.
    uses : by the number of a relation, triples ``(hypothesis, left factor, right factor)``; for an inequality of matrices
        ``(hypothesis, weight, vector)``, of numbers ``(hypothesis, weight, "1")``.
    at : matrices and numbers, by name, that meet the hypotheses, or several such: where a false statement is broken.
    names : LaTeX of letters.

    Raises
    ------
    ValueError : the text is no statement of this form, or too large.
    """

    text: str
    squares: Mapping[int, Sequence[tuple[str, str]]] = field(default_factory=dict)
    uses: Mapping[int, Sequence[tuple[str, str, str]]] = field(default_factory=dict)
    at: Sequence[Mapping[str, str]] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.text) > STATEMENT_CHARACTERS:
            raise ValueError(f"a statement has {len(self.text)} characters; at most {STATEMENT_CHARACTERS} are read")
        letters = {name for side in self.sides for name in letters_of(side)} | set(self.conditions.things)
        if len(letters) > STATEMENT_LETTERS:
            raise ValueError(f"a statement has {len(letters)} letters; at most {STATEMENT_LETTERS} are read")
        known = {text for text, _ in self.conditions.given}
        strange = [one[0] for uses in self.uses.values() for one in uses if one[0] not in known]
        if strange or not {*self.squares, *self.uses} <= set(range(len(self.claims))):
            raise ValueError(f"{strange[:1] or 'a number'} is no hypothesis or relation of {self.text[:200]!r}")

    @property
    def pieces(self) -> tuple[list[str], list[str]]:
        """The relations, and what stands after ``for``, as they are written."""
        claims, _, where = self.text.partition(" for ")
        return [one.strip() for one in claims.split(";")], [one.strip() for one in where.split(";") if one.strip()]

    @cached_property
    def claims(self) -> tuple[Triple, ...]:
        """What is stated, chains taken apart."""
        return tuple(one for text in self.pieces[0] for one in chained(text))

    @cached_property
    def conditions(self) -> Where:
        return Where.of(self.pieces[1])

    @property
    def where(self) -> str:
        """What it is for, as it is written."""
        return "; ".join(self.pieces[1])

    @property
    def sides(self) -> list[str]:
        relations = [*self.claims, *(one for _, one in self.conditions.given)]
        return [*(side for one in relations for side in (one[0], one[2])), *self.conditions.defined.values()]

    @cached_property
    def proof(self) -> tuple[bool, str]:
        """Whether every relation is proved, and the first reason if not."""
        try:
            reader = Reader(self)
            if self.conditions.things:
                if self.conditions.given and not any(self._meets(point) for point in self.at):
                    return False, "no matrices are known that meet the hypotheses; give some, at={letter: value}"
                gaps = (reader.gap(number) for number in range(len(self.claims)))
            else:
                gaps = (reader.untrue(one) for one in [*(one for _, one in self.conditions.given), *self.claims])
            reason = next(filter(None, gaps), "") or reader.divided()
        except (ValueError, ZeroDivisionError, RecursionError) as error:
            return False, str(error)[:300] or "it is too deep"
        return not reason, reason or "proved as it is written"

    @property
    def certificate(self) -> dict[str, JSON]:
        """The statement with what its proof uses, as data."""
        data: dict[str, Any] = {"type": "matrices", "text": self.text, "at": [dict(one) for one in self.at]}
        data["squares"] = {str(n): [list(pair) for pair in pairs] for n, pairs in self.squares.items()}
        data["uses"] = {str(n): [list(one) for one in uses] for n, uses in self.uses.items()}
        return data

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Matrices:
        """The statement of a certificate.

        Raises
        ------
        ValueError : it is none.
        """
        try:
            squares = {int(n): [(str(w), str(z)) for w, z in pairs] for n, pairs in data["squares"].items()}
            uses = {int(n): [(str(one), str(a), str(b)) for one, a, b in found] for n, found in data["uses"].items()}
            at = [_in_order({str(name): str(value) for name, value in one.items()}) for one in data["at"]]
        except (TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"squares, uses or at of a certificate of matrices are malformed: {error}") from None
        return cls(str(data["text"]), squares, uses, at)

    def latex(self) -> str:
        """Relations, and what they are for."""
        claims, where = ([printed(text, self.names) for text in pieces] for pieces in self.pieces)
        return r",\quad ".join(claims) + (r"\quad\text{for } " + r",\ ".join(where) if where else "")

    def changed(self, old: str, new: str) -> Matrices:
        """The statement with a piece of its text replaced.

        Raises
        ------
        ValueError : the piece does not occur exactly once.
        """
        if self.text.count(old) != 1:
            raise ValueError(f"{old!r} occurs {self.text.count(old)} times in {self.text!r}; expected once")
        uses = {n: [(one[0].replace(old, new), *one[1:]) for one in found] for n, found in self.uses.items()}
        return replace(self, text=self.text.replace(old, new), uses=uses)

    def with_text(self, text: str) -> Matrices:
        """Another text with the same squares; factors of hypotheses that it does not have are dropped."""
        bare = replace(self, text=text, uses={}, squares={})
        known, count = {one for one, _ in bare.conditions.given}, len(bare.claims)
        uses = {n: [one for one in found if one[0] in known] for n, found in self.uses.items() if n < count}
        return replace(bare, uses=uses, squares={n: pairs for n, pairs in self.squares.items() if n < count})

    def broken(self) -> Matrices | None:
        """The opposite of a relation at matrices that meet the hypotheses, proved by evaluation; ``None`` if none was found."""
        for point in self.at or [{}]:
            for left, sign, right in self.claims:
                found = self._at(f"{left} {OPPOSITE[sign]} {right}", point)
                if found is not None and not found.conditions.ranges and found.proof[0]:
                    return found
        return None

    def _at(self, claim: str, point: Mapping[str, str]) -> Matrices | None:
        """A relation at a point, with everything that it is for."""
        values = [f"{name} = {value}" for name, value in point.items()]
        try:
            known = Reader(Matrices(f"1 = 1 for {'; '.join(values)}")).known
            if not fits(self.conditions, known):
                return None
        except (ValueError, ZeroDivisionError):
            return None
        kept = [piece for piece in self.pieces[1] if " in " not in piece]
        return Matrices(f"{claim} for {'; '.join([*values, *kept])}".removesuffix(" for "), names=self.names)

    def _meets(self, point: Mapping[str, str]) -> bool:
        found = self._at("1 = 1", point)
        return found is not None and not found.conditions.ranges and found.proof[0]

    @cached_property
    def told(self) -> tuple[str, float | None]:
        """Of a statement about named matrices: what its first relation compares, and how far apart numbers are (negative)."""
        (left, sign, right), reader = self.claims[0], Reader(self)
        pairs = [
            (f"[{i + 1},{j + 1}]" if isinstance(one, tuple) else "", a, b)
            for one, two in [(reader.read(left), reader.read(right))]
            for i, rows in enumerate(zip(as_rows(one), as_rows(two), strict=False))
            for j, (a, b) in enumerate(zip(*rows, strict=False))
        ]
        place, one, two = next((pair for pair in pairs if pair[1] != pair[2]), pairs[0])
        left, right = (f"({side}){place}" if place else side for side in (left, right))
        words = " ".join([*_valued(left, one), sign, *_valued(right, two)])
        margin = None if place or sign == "!=" else -float(abs(one - two) / max(abs(one), abs(two), 1))
        return f"{self.where}: {words}", margin


def _valued(text: str, value: Any) -> list[str]:
    shown = str(value) if len(str(value)) < 40 else f"{float(value):.6g}"
    return [shown] if text == shown else [text, "=", shown]


def _in_order(point: Mapping[str, str]) -> dict[str, str]:
    """What is named by others after them: a file keeps names in the order of their letters."""
    left, found = dict(point), dict[str, str]()
    while left:
        ready = [name for name, text in left.items() if not (letters_of(text) & left.keys()) - {name}]
        found |= {name: left.pop(name) for name in ready or list(left)}
    return found
