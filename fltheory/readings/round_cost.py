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

Where a word treats coordinates differently (``layers``, ``scale``), each block is counted for itself by the same rules: what
is averaged in part counts in the blocks that are due.  A block whose coordinates differ among themselves is sent whole, as
often as the one that needs most.

Every gradient, every proximal step, every draw of a compressor, every vector of the state before the round and every average
counts as independent of all others: what the server could work out from earlier rounds is not used, nor what a client may
remember of them.  A compressed vector counts as one vector.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from fltheory.algorithms.vocabulary import PerClient
from fltheory.kinds import Integers, Number
from fltheory.problems.numbers import decimal_fraction
from fltheory.readings.tokens import CostFederation, Token
from fltheory.tables import Shown

#: Coefficients are taken modulo this prime: rationals stay small.  Ranks could only be lost if it divided a minor.
PRIME = 2**61 - 1
COUNTED = ("down", "up", "gradients")
#: Counted too, and shown where there are any.
PROXIMAL = "proximal_steps"


@dataclass(frozen=True, eq=False)
class RoundCost(Shown):
    """Counts of one round: ``(N,)`` arrays by client, for a client that takes part; and the server's own gradients.

    ``layers``: of "down" and "up", by name, what differs from block to block, ``(L, N)``.  The array by client is then that
    of the block that is sent most often.
    """

    down_by_client: Integers
    up_by_client: Integers
    gradients_by_client: Integers
    central_gradients: int
    layers: Mapping[str, Integers] = field(default_factory=dict)
    proximal_steps_by_client: Integers | None = None
    central_proximal_steps: int = 0

    def by_layer(self, name: str, blocks: int) -> Integers:
        """The counts of "down" or "up" for each of so many blocks, ``(L, N)``."""
        if name not in ("down", "up"):
            raise ValueError(f"name={name!r} is unknown; expected one of 'down', 'up'")
        if name in self.layers:
            return self.layers[name]
        return np.broadcast_to(getattr(self, f"{name}_by_client"), (blocks, len(self.down_by_client)))

    def by_client(self, name: str) -> Integers:
        """The counts of "down", "up", "gradients" or "proximal_steps"."""
        if name not in (*COUNTED, PROXIMAL):
            raise ValueError(f"name={name!r} is unknown; expected one of {', '.join(map(repr, (*COUNTED, PROXIMAL)))}")
        if name == PROXIMAL and self.proximal_steps_by_client is None:
            return np.zeros_like(self.gradients_by_client)
        if name in self.layers:
            raise ValueError(f"{name} differs from layer to layer: see by_layer({name!r})")
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

    @property
    def proximal_steps(self) -> int:
        """Proximal steps of each client, each a problem that it solves; ``ValueError`` if the clients differ."""
        return self._same(PROXIMAL)

    def key(self) -> tuple[bytes | int | str, ...]:
        """Equal for equal counts."""
        return (
            self.down_by_client.tobytes(),
            self.up_by_client.tobytes(),
            self.gradients_by_client.tobytes(),
            self.central_gradients,
            self.by_client(PROXIMAL).tobytes(),
            self.central_proximal_steps,
            *(part for name, counts in self.layers.items() for part in (name, counts.tobytes())),
        )

    def __repr__(self) -> str:
        parts = []
        solved = [PROXIMAL] if self.by_client(PROXIMAL).any() else []
        for name in (*COUNTED, *solved):
            counts = self.layers[name] if name in self.layers else self.by_client(name)
            low, high = int(counts.min()), int(counts.max())
            parts.append(f"{name}={low}" if low == high else f"{name}={low} to {high}")
        parts.append(f"central_gradients={self.central_gradients}")
        if self.central_proximal_steps:
            parts.append(f"central_proximal_steps={self.central_proximal_steps}")
        return f"RoundCost({', '.join(parts)})"


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
    cells = _cells(fed)
    counts = np.zeros((2, len(cells), fed.n_clients), dtype=np.int64)
    gradients, proximal = np.zeros((2, fed.n_clients), dtype=np.int64)
    numbers = {id(t): _residue(t.number) for t in fed.tokens if t.kind in ("multiple", "sum")}
    server_forms: dict[tuple[int, int], dict[int, int]] = {}
    for own, clients in groups.items():
        numbers.update({id(token): number for token, number in zip(scaled, own, strict=True)})
        alive = _alive(fed, cells, numbers, kept)
        for place, cell in enumerate(cells):
            here = numbers | cell.numbers
            sources = _distinct(t.inputs[0] for t in (*fed.sent, *cell.due) if id(t) in alive[place])
            for source in sources:
                if (place, id(source)) not in server_forms:
                    server_forms[place, id(source)] = _form(source, fed.tokens, here, cell)
            down = _rank([server_forms[place, id(source)] for source in sources])
            up = _rank([_form(payload, fed.tokens, here, cell) for payload in _received(fed, cell)])
            counts[:, place, clients] = np.array([[down], [up]])
        for kind, counted in (("gradient", gradients), ("prox", proximal)):
            counted[clients] = sum(t.kind == kind and any(id(t) in one for one in alive) for t in fed.tokens)
    work = len(groups) * len(cells) * (1 + max(len(_received(fed, cell)) for cell in cells)) * (1 + len(fed.tokens))
    whole = counts.max(axis=1)
    layers = {}
    for way, name in enumerate(("down", "up") if len(cells) > 1 else ()):
        places = [
            [place for place, cell in enumerate(cells) if block in cell.blocks] for block in range(len(fed.blocks))
        ]
        found = np.stack([counts[way, own].max(axis=0) for own in places])
        if bool((found != whole[way]).any()):
            layers[name] = found
    central = fed.central_proximal_steps
    return RoundCost(whole[0], whole[1], gradients, fed.central_gradients, layers, proximal, central), work


@dataclass(frozen=True)
class _Cell:
    """Coordinates, of these blocks, that every word of a round treats alike.

    ``due``: the "layers" tokens in which they are due; ``numbers``: what "coordinates" tokens multiply by here.
    """

    blocks: frozenset[int]
    due: tuple[Token, ...]
    numbers: dict[int, int]


def _cells(fed: CostFederation) -> list[_Cell]:
    """The coordinates of a model, sorted by what a round does to them.

    Raises
    ------
    ValueError : blocks whose averaging was decided from values.
    """
    if not fed.layered:
        return [_Cell(frozenset(range(len(fed.blocks))), (), {})]
    partial = [token for token in fed.tokens if token.kind == "layers"]
    if any(token.number is None for token in partial):
        raise ValueError(
            "layers: which coordinates are due was decided from values, and the cost reading knows none; give the blocks that "
            "are due, or count what a run has sent"
        )
    factors = [token for token in fed.tokens if token.kind == "coordinates"]
    rows = [[_residue(number) for number in token.number] for token in factors]
    alike: dict[tuple[tuple[bool, ...], tuple[int, ...]], set[int]] = {}
    for block, *column in set(zip(fed.blocks.block_of.tolist(), *rows, strict=True)):
        due = tuple(bool(token.number[block]) for token in partial)
        alike.setdefault((due, tuple(column)), set()).add(block)
    return [
        _Cell(
            frozenset(alike[due, own]),
            tuple(token for token, wanted in zip(partial, due, strict=True) if wanted),
            {id(token): number for token, number in zip(factors, own, strict=True)},
        )
        for due, own in sorted(alike)
    ]


def _received(fed: CostFederation, cell: _Cell) -> list[Token]:
    """What the server averages of a cell, each vector once."""
    return _distinct((*fed.received, *(token.inputs[1] for token in cell.due)))


def _distinct(tokens: Iterable[Token]) -> list[Token]:
    return list({id(token): token for token in tokens}.values())


def _alive(
    fed: CostFederation, cells: Sequence[_Cell], numbers: dict[int, int], kept: Iterable[Token]
) -> list[set[int]]:
    """For each cell the ids of the tokens of a client that it does not multiply by zero in every use.

    A token without any use counts.  A gradient in one cell needs its point in all.
    """
    stays = {id(token) for token in kept}
    alive = [stays | {id(token) for token in _received(fed, cell)} for cell in cells]
    used = set().union(*alive)
    for token in reversed(fed.tokens):
        own = id(token)
        here = [place for place in range(len(cells)) if own not in used or own in alive[place]]
        for place in here:
            alive[place].add(own)
        if token.kind in ("average", "broadcast"):
            continue
        if token.kind == "layers":
            here = [place for place in here if token not in cells[place].due]
        elif token.kind in ("multiple", "scaled"):
            here = [] if numbers[own] == 0 else here
        elif token.kind == "coordinates":
            here = [place for place in here if cells[place].numbers[own] != 0]
        elif token.kind in ("gradient", "prox") and here:
            here = list(range(len(cells)))
        for source in token.inputs[1:] if token.kind == "layers" else token.inputs:
            used.add(id(source))
            for place in here:
                alive[place].add(id(source))
    return alive


def _form(token: Token, tokens: list[Token], numbers: dict[int, int], cell: _Cell) -> dict[int, int]:
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
        elif current.kind in ("multiple", "scaled", "coordinates"):
            parts = [(current.inputs[0], weight * numbers[own] % PRIME)]
        elif current.kind == "either":
            parts = [(current.inputs[0], weight)]
        elif current.kind == "layers":
            parts = [] if current in cell.due else [(current.inputs[1], weight)]
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
