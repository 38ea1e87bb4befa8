"""What one round costs each client, from the tokens of the round.

Three rules, each for one client that takes part:

* **Computed**: what the client would multiply by zero in every use it neither computes nor asks for (steps after its own
  last one, say).
* **Sent**: as many vectors as the server vectors that it is sent are linearly independent.
* **Received**: as many vectors as its vectors that the server averages are linearly independent, where vectors that the
  server knows count as zero.  A client computes linear functions of what it knows, the server sees each client's vectors
  and knows the numbers that they are multiplied by, the numbers per client included; so averages of ``x - w`` and of
  ``K_i (x - w)/eta`` need one vector.  (Under secure aggregation, where the server sees sums only, averages whose numbers
  per client differ would need a vector each.)

Every gradient, every vector of the state before the round and every average counts as independent of all others: what
the server could work out from earlier rounds is not used, nor what a client may remember of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fltheory.algorithms.vocabulary import PerClient
from fltheory.kinds import Integers, Number
from fltheory.problems.numbers import decimal_fraction
from fltheory.readings.tokens import CostFederation, Token

#: Coefficients are taken modulo this prime: rationals stay small.  Ranks could only be lost if it divided a minor.
PRIME = 2**61 - 1
COUNTED = ("down", "up", "gradients")


@dataclass(frozen=True, eq=False)
class RoundCost:
    """Counts of one round: ``(N,)`` arrays by client, for a client that takes part; and the server's own gradients."""

    down_by_client: Integers
    up_by_client: Integers
    gradients_by_client: Integers
    central_gradients: int

    def by_client(self, name: str) -> Integers:
        """The counts of "down", "up" or "gradients"."""
        if name not in COUNTED:
            raise ValueError(f"name={name!r} is unknown; expected one of {', '.join(map(repr, COUNTED))}")
        counts: Integers = getattr(self, f"{name}_by_client")
        return counts

    def _same(self, name: str) -> int:
        counts = self.by_client(name)
        if counts.min() != counts.max():
            raise ValueError(
                f"{name} differs from client to client, from {counts.min()} to {counts.max()}: see {name}_by_client"
            )
        return int(counts[0])

    @property
    def down(self) -> int:
        """Vectors sent to each client; ``ValueError`` if the clients differ."""
        return self._same("down")

    @property
    def up(self) -> int:
        """Vectors received from each client; ``ValueError`` if the clients differ."""
        return self._same("up")

    @property
    def gradients(self) -> int:
        """Calls of each client's oracle; ``ValueError`` if the clients differ."""
        return self._same("gradients")

    def key(self) -> tuple[bytes, bytes, bytes, int]:
        """Equal for equal counts."""
        return (
            self.down_by_client.tobytes(),
            self.up_by_client.tobytes(),
            self.gradients_by_client.tobytes(),
            self.central_gradients,
        )

    def __repr__(self) -> str:
        parts = []
        for name in COUNTED:
            counts = self.by_client(name)
            low, high = int(counts.min()), int(counts.max())
            parts.append(f"{name}={low}" if low == high else f"{name}={low} to {high}")
        return f"RoundCost({', '.join(parts)}, central_gradients={self.central_gradients})"


def count_round(fed: CostFederation, kept: Iterable[Token]) -> tuple[RoundCost, int]:
    """The cost of what ``fed`` has followed since its last ``begin``, and the work that counting took, in tokens.

    ``kept`` are the tokens of the state after the round.

    Raises
    ------
    ValueError : a number that is not finite.
    """
    scaled = [token for token in fed.tokens if token.kind == "scaled"]
    groups: dict[tuple[int, ...], list[int]] = {}
    columns = [[_residue(number) for number in token.number.numbers] for token in scaled]
    for client in range(fed.n_clients):
        groups.setdefault(tuple(column[client] for column in columns), []).append(client)
    counts = np.zeros((3, fed.n_clients), dtype=np.int64)
    numbers = {id(t): _residue(t.number) for t in fed.tokens if t.kind in ("multiple", "sum")}
    server_forms: dict[int, dict[int, int]] = {}
    payloads = _distinct(fed.received)
    needed = {id(token) for token in (*payloads, *kept)}
    for own, clients in groups.items():
        numbers.update({id(token): number for token, number in zip(scaled, own, strict=True)})
        alive = _alive(fed, numbers, needed)
        sources = _distinct(token.inputs[0] for token in fed.sent if id(token) in alive)
        for source in sources:
            if id(source) not in server_forms:
                server_forms[id(source)] = _form(source, fed.tokens, numbers)
        down = _rank([server_forms[id(source)] for source in sources])
        up = _rank([_form(payload, fed.tokens, numbers) for payload in payloads])
        gradients = sum(token.kind == "gradient" and id(token) in alive for token in fed.tokens)
        counts[:, clients] = np.array([[down], [up], [gradients]])
    work = len(groups) * (1 + len(payloads)) * (1 + len(fed.tokens))
    return RoundCost(counts[0], counts[1], counts[2], fed.central_gradients), work


def _distinct(tokens: Iterable[Token]) -> list[Token]:
    return list({id(token): token for token in tokens}.values())


def _alive(fed: CostFederation, numbers: dict[int, int], needed: set[int]) -> set[int]:
    """Ids of the tokens of a client that it does not multiply by zero in every use; a token without any use counts."""
    used, alive = set(needed), set(needed)
    for token in reversed(fed.tokens):
        own = id(token)
        if own not in used or own in alive:
            alive.add(own)
            lost = token.kind in ("multiple", "scaled") and numbers[own] == 0
        else:
            lost = True
        if token.kind in ("average", "broadcast"):
            continue
        for source in token.inputs:
            used.add(id(source))
            if not lost:
                alive.add(id(source))
    return alive


def _form(token: Token, tokens: list[Token], numbers: dict[int, int]) -> dict[int, int]:
    """Coefficients modulo the prime of a vector over gradients, states and averages; what clients were sent is left out."""
    weights = {} if token.kind == "zero" else {id(token): 1}
    form: dict[int, int] = {}
    for current in reversed(tokens):
        own = id(current)
        weight = weights.pop(own, 0)
        if not weight:
            continue
        if current.kind == "sum":
            parts = [(current.inputs[0], weight), (current.inputs[1], weight * numbers[own] % PRIME)]
        elif current.kind in ("multiple", "scaled"):
            parts = [(current.inputs[0], weight * numbers[own] % PRIME)]
        elif current.kind == "either":
            parts = [(current.inputs[0], weight)]
        else:
            parts = []
            if current.kind != "broadcast":
                form[own] = weight
        for source, share in parts:
            if source.kind == "zero":
                continue
            weights[id(source)] = (weights.get(id(source), 0) + share) % PRIME
    form.update({own: weight for own, weight in weights.items() if weight})  # what was there before the round
    return form


def _rank(forms: list[dict[int, int]]) -> int:
    """Rank of linear forms over the field of residues."""
    pivots: list[tuple[int, dict[int, int]]] = []
    for form in forms:
        rest = dict(form)
        for place, row in pivots:
            factor = rest.get(place, 0)
            if factor:
                for atom, coefficient in row.items():
                    rest[atom] = (rest.get(atom, 0) - factor * coefficient) % PRIME
        pivot = next((atom for atom, coefficient in rest.items() if coefficient), None)
        if pivot is None:
            continue
        inverse = pow(rest[pivot], -1, PRIME)
        pivots.append((pivot, {atom: c * inverse % PRIME for atom, c in rest.items() if c}))
    return len(pivots)


def _residue(number: Number) -> int:
    """A number modulo the prime: floats count as their shortest decimals; what is no number as some unknown one."""
    if isinstance(number, PerClient):
        raise TypeError("numbers per client are taken client by client")
    if isinstance(number, (int, np.integer)):
        return int(number) % PRIME
    try:
        fraction = number if isinstance(number, Fraction) else decimal_fraction(number)
    except (ValueError, OverflowError):
        raise ValueError(f"a vector is multiplied by {number!r}; expected a finite number") from None
    except (TypeError, AttributeError):
        return int.from_bytes(hashlib.sha256(repr(number).encode()).digest()[:7], "big") + 1
    return fraction.numerator * pow(fraction.denominator, -1, PRIME) % PRIME
