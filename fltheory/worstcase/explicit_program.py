"""The explicit formulation with N clients: the check of the symmetric one, with which it shares no coordinates.

A program with named weights ``p`` is read again, every client by itself: one Gram block holds the server's vectors and
each client's gradients, averages are weighted sums, ``sum_k p_k grad f_k(w*)`` is zero (or the opposite of the server's
own gradient) by elimination of the last client's, and interpolation is asked of each client alone::

    q^k_ij = f^k_i - f^k_j - mu/2 (|x^k_i|^2 - |x^k_j|^2) - <h^k_j, x^k_i - x^k_j> - |h^k_i - h^k_j|^2 / (2 (L - mu)) >= 0

``<a, b>`` of a functional is ``sum_k p_k <a_k, b_k>``.  Where the statement has several classes, ``classes`` names that of
each client; products and values of class c are then averages over its clients, with the weights ``p_k / pi_c``.  The input
is the statement of a certificate (JSON data), so that the symmetric code has no part in the answer.  Solved and certified in
:mod:`fltheory.worstcase.explicit`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from fltheory.kinds import Number

#: A vector in the basis of the one Gram block.
Row = dict[int, Fraction]
#: A linear form: ``("gram", i, j)`` with ``i <= j`` (a product counts once), ``("value", client, register)``.
Form = dict[tuple[str, int, int], Fraction]
Statement = Mapping[str, Any]

#: The client number of the server's own loss.
CENTRE = -1


def exact_weights(weights: Sequence[Number]) -> tuple[Fraction, ...]:
    """Weights as rationals.

    Raises
    ------
    ValueError : no clients, a weight that is not positive, a sum that is not one.
    """
    found = tuple(Fraction(weight) for weight in weights)
    for k, weight in enumerate(found):
        if weight <= 0:
            raise ValueError(f"weights[{k}]={weight} is not positive; expected p_k > 0")
    if sum(found) != 1:
        raise ValueError(f"weights sum to {sum(found)}; expected exact rationals with sum p_k = 1")
    return found


@dataclass(frozen=True)
class ClientQuery:
    """One function's point, gradient and value; ``value`` is ``None`` at the minimiser, where values count from."""

    register: int
    point: Row
    gradient: Row
    value: tuple[str, int, int] | None


@dataclass
class Explicit:
    """A statement read for clients with weights ``p``.

    Attributes
    ----------
    size : dimension of the Gram block.
    registers : for each register one row per client (zero for clients of another class).
    owners : the class whose clients a register is about, 0 for the server's and where there is one class.
    queries : for each client (and ``CENTRE``) its queries.
    """

    statement: Statement
    weights: tuple[Fraction, ...]
    classes: tuple[int, ...] = ()
    size: int = 0
    registers: list[list[Row]] = field(default_factory=list)
    queries: dict[int, list[ClientQuery]] = field(default_factory=dict)
    owners: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        shares = [Fraction(text) for text in self.statement["shares"].get("classes", [])]
        self.classes = self.classes or (0,) * len(self.weights)
        if len(self.classes) != len(self.weights) or (not shares and any(self.classes)):
            raise ValueError(f"classes={self.classes} for {len(self.weights)} clients of {len(shares) or 1} classes")
        for c, share in enumerate(shares, 1):
            own = sum((p for p, of in zip(self.weights, self.classes, strict=True) if of == c), Fraction(0))
            if own != share:
                raise ValueError(f"the clients of class {c} have the weight {own}; expected its share {share}")
        if self.statement["shares"]["deviation"] is not None:
            raise ValueError("a sampled cohort: the explicit formulation has full participation only")
        self._program = self.statement["program"]
        self._has_centre = any(item[0] in ("centre", "centre prox") for item in self._program)
        self._centre_at_optimum: Row | None = None
        self._slopes: list[Row] = []
        self._infima: set[int] = set()
        self.queries = {k: [] for k in range(len(self.weights))}
        if self._has_centre:
            self.queries[CENTRE] = []
        for place, item in enumerate(self._program):
            self.owners.append(self._owner(item))
            self.registers.append(self._read(place, item))

    def _owner(self, item: Any) -> int:
        """The class whose clients an instruction is about."""
        if item[0] == "combine":
            return max((self.owners[r] for _, r in item[1]), default=0)
        about = item[0] in ("gradient", "minimiser", "infimum") or list(item[:2]) == ["given", "clients"]
        return int(item[-1]) if any(self.classes) and about else 0

    def _members(self, c: int) -> list[tuple[int, Fraction]]:
        """The clients of a class (0: all of them) with their weights in it."""
        found = [(k, p) for k, p in enumerate(self.weights) if c in (0, self.classes[k])]
        total = sum((p for _, p in found), Fraction(0))
        return [(k, p / total) for k, p in found]

    def owned(self, group: str) -> list[tuple[int, Fraction]]:
        """Whose functions a group of queries is of, with their weights in it."""
        if group == "centre":
            return [(CENTRE, Fraction(1))]
        return self._members(int(group.removeprefix("clients") or 0))

    def _each(self, c: int, made: Callable[[int], Row]) -> list[Row]:
        """A row for each client of a class, zero for the others."""
        members = {k for k, _ in self._members(c)}
        return [made(k) if k in members else {} for k in range(len(self.weights))]

    def _read(self, place: int, item: Any) -> list[Row]:
        name, clients, own = item[0], range(len(self.weights)), self.owners[-1]
        if name == "given":
            return self._each(own, lambda k: self._fresh()) if item[1] == "clients" else self._shared(self._fresh())
        if name == "optimum":
            return self._shared({})
        if name == "infimum":
            self._infima.add(place)
            return self._shared({})
        if name == "combine":
            return [_sum((Fraction(c), self.registers[r][k]) for c, r in item[1]) for k in clients]
        if name in ("average", "mean"):
            rows = self.registers[item[1]]
            return self._shared(_sum((p, rows[k]) for k, p in self._members(self.owners[item[1]])))
        if name == "minimiser":
            return self._each(own, lambda k: self._query(k, place, self._fresh(), {}))
        if name == "centre":
            return self._shared(self._centre(place, item[1]))
        if name == "gradient":
            return self._gradients(place, item[1])
        if name == "prox":
            bases, factor = self.registers[item[1]], Fraction(item[2])
            return [self._implicit(k, place, bases[k], factor) for k in clients]
        if name == "centre prox":
            return self._shared(self._implicit(CENTRE, place, self._server_point(item[1]), Fraction(item[2])))
        raise ValueError(f"{name!r}: noise has no explicit formulation here, only exact gradients")

    def _fresh(self) -> Row:
        self.size += 1
        return {self.size - 1: Fraction(1)}

    def _shared(self, row: Row) -> list[Row]:
        return [row for _ in self.weights]

    def _query(self, client: int, place: int, point: Row, gradient: Row, *, at_optimum: bool = False) -> Row:
        value = None if at_optimum else ("value", client, place)
        self.queries[client].append(ClientQuery(place, point, gradient, value))
        return point if self._program[place][0] == "minimiser" else gradient

    def _gradients(self, place: int, at: int) -> list[Row]:
        own, points = self.owners[-1], self.registers[at]
        if self._program[at][0] != "optimum":
            return self._each(own, lambda k: self._query(k, place, points[k], self._fresh()))
        wanted = _scaled(self._at_optimum(), -1) if self._has_centre else {}
        if list(self._program[at][1:]) == ["shared"]:
            found = [wanted for _ in self.weights]
        else:
            found = self._slopes = self._slopes or self._balanced(wanted)
        return self._each(own, lambda k: self._query(k, place, {}, found[k], at_optimum=True))

    def _balanced(self, wanted: Row) -> list[Row]:
        """Gradients at the minimiser of all clients, whose weighted sum is ``wanted``."""
        found = [self._fresh() for _ in self.weights[:-1]]
        rest = _sum([(Fraction(1), wanted), *((-p, row) for p, row in zip(self.weights, found, strict=False))])
        return [*found, _scaled(rest, 1 / self.weights[-1])]

    def _at_optimum(self) -> Row:
        """The gradient of the server's own loss at the minimiser of the sum."""
        if self._centre_at_optimum is None:
            self._centre_at_optimum = self._fresh()
        return self._centre_at_optimum

    def _centre(self, place: int, at: int) -> Row:
        if self._program[at][0] == "optimum":
            return self._query(CENTRE, place, {}, self._at_optimum(), at_optimum=True)
        return self._query(CENTRE, place, self._server_point(at), self._fresh())

    def _server_point(self, at: int) -> Row:
        points = self.registers[at]
        if any(row != points[0] for row in points):
            raise ValueError(f"register {at} differs between clients: the server's loss is asked at server vectors")
        return points[0]

    def _implicit(self, client: int, place: int, base: Row, factor: Fraction) -> Row:
        """A gradient ``g`` at ``base - factor g``."""
        gradient = self._fresh()
        return self._query(client, place, _sum(((Fraction(1), base), (-factor, gradient))), gradient)

    def curvatures(self, client: int) -> tuple[Fraction, Fraction]:
        """``(mu, L)`` of a client's loss, or of the server's."""
        several = client != CENTRE and self.classes[client]
        name = "centre" if client == CENTRE else f"clients {self.classes[client]}" if several else "clients"
        mu, smooth = self.statement["classes"][name]
        return Fraction(mu), Fraction(smooth)

    def functional(self, data: Mapping[str, Any]) -> Form:
        """A functional as a linear form; values become ``sum_k p_k f^k``."""
        total: Form = {}
        for factor, a, b in data["inner"]:
            for k, p in self._members(max(self.owners[a], self.owners[b])):
                add_product(total, Fraction(factor) * p, self.registers[a][k], self.registers[b][k])
        for factor, register in data["values"]:
            for client, p in self._owners(register):
                key = ("value", client, register)
                total[key] = total.get(key, Fraction(0)) + Fraction(factor) * p
        return total

    def _owners(self, register: int) -> list[tuple[int, Fraction]]:
        """Whose function values a register names, with their weights; none at the minimiser."""
        item, everyone = self._program[register], self._members(self.owners[register])
        if item[0] in ("minimiser", "infimum"):
            return everyone
        if item[0] not in ("gradient", "centre", "prox", "centre prox"):
            raise ValueError(f"register {register} ({item[0]}) has no function value")
        if item[0] in ("gradient", "centre") and self._program[item[1]][0] == "optimum":
            return []
        return everyone if item[0] in ("gradient", "prox") else [(CENTRE, Fraction(1))]

    def assumptions(self) -> Iterator[tuple[Form, str | None, Fraction]]:
        """``(form, quantity, scale)``: the form is at most ``scale * quantity`` (0 without a quantity)."""
        for item in self.statement["assumptions"]:
            yield self.functional(item), item["bound"], Fraction(item["scale"])

    def interpolation(self, client: int, i: ClientQuery, j: ClientQuery) -> Form:
        """``q_ij >= 0`` of one client."""
        mu, smooth = self.curvatures(client)
        one = Fraction(1)
        h_i = _sum(((one, i.gradient), (-mu, i.point)))
        h_j = _sum(((one, j.gradient), (-mu, j.point)))
        step, turn = _sum(((one, i.point), (-one, j.point))), _sum(((one, h_i), (-one, h_j)))
        total: Form = {}
        for sign, query in ((one, i), (-one, j)):
            if query.value is not None:
                total[query.value] = total.get(query.value, Fraction(0)) + sign
            add_product(total, -sign * mu / 2, query.point, query.point)
        add_product(total, -one, h_j, step)
        add_product(total, -1 / (2 * (smooth - mu)), turn, turn)
        return total

    @property
    def values(self) -> list[tuple[str, int, int]]:
        """Keys of the unknown function values."""
        found = [query.value for queries in self.queries.values() for query in queries if query.value is not None]
        lowest = [(k, place) for place in sorted(self._infima) for k, _ in self._members(self.owners[place])]
        return found + [("value", k, place) for k, place in lowest]


def _sum(terms: Any) -> Row:
    total: Row = {}
    for factor, row in terms:
        for basis, entry in row.items():
            total[basis] = total.get(basis, Fraction(0)) + factor * entry
    return {basis: entry for basis, entry in total.items() if entry}


def _scaled(row: Row, factor: Number) -> Row:
    return {basis: factor * entry for basis, entry in row.items()}


def add_product(total: Form, factor: Fraction, left: Row, right: Row) -> None:
    """``total += factor <left, right>``."""
    for i, a in left.items():
        for j, b in right.items():
            key = ("gram", min(i, j), max(i, j))
            total[key] = total.get(key, Fraction(0)) + factor * a * b
