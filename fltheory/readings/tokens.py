"""The vocabulary over tokens: an algorithm's text is followed without numbers, and what it asks for is written down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.vocabulary import AnyVector, ClientVector, Federation, PerClient, Vector
from fltheory.kinds import Number
from fltheory.problems.blocks import Blocks
from fltheory.readings.centre import CentralLoss
from fltheory.readings.coordinates import listed_numbers, require_vector
from fltheory.readings.round_index import RoundIndex, RoundIndexUsed

#: Longer rounds are not followed word by word: they would take seconds and hundreds of megabytes.
MOST_DRAWS = 250_000


class Token:
    """A vector of which only its origin is known: what was done (``kind``), to which tokens, with which number.

    ================ ======================================================================
    ``kind``         meaning
    ================ ======================================================================
    "zero"           the zero vector
    "state"          a vector that was there before the round
    "broadcast"      what clients see of a server vector
    "gradient"       a client's gradient at ``inputs[0]``
    "prox"           a client's proximal step from ``inputs[0]``
    "compressed"     a client's ``inputs[0]`` with the noise of a compressor
    "sum"            ``inputs[0] + number * inputs[1]``
    "multiple"       ``number * inputs[0]``
    "scaled"         each client's ``inputs[0]`` times its number (``number``: a ``PerClient``)
    "either"         ``inputs[0]`` for members of the cohort, ``inputs[1]`` for the rest
    "average"        what the server makes of the clients' ``inputs[0]``
    "layers"         ``inputs[0]``, sent, in the blocks of which ``number`` says so, and ``inputs[1]`` in the others; a
                     ``number`` None: which blocks was decided from values
    "coordinates"    ``inputs[0]`` with each coordinate times its number (``number``: one per coordinate)
    "computed"       any other vector at the server
    ================ ======================================================================
    """

    __slots__ = ("inputs", "kind", "number")

    def __init__(self, kind: str = "computed", inputs: tuple[Token, ...] = (), number: Number = None) -> None:
        self.kind = kind
        self.inputs = inputs
        self.number = number


class CostFederation:
    """The vocabulary over tokens.  ``tokens`` lists those of the round in the order in which they were made.

    ``weights`` and ``blocks`` are told to the algorithm where they are given.  ``layered`` tells whether some word of the
    round treats coordinates differently.
    """

    weights: Sequence[Number]

    def __init__(
        self,
        n_clients: int,
        participation: Participation,
        weights: Sequence[Number] | None = None,
        blocks: Blocks | None = None,
    ) -> None:
        self.n_clients = n_clients
        self.blocks = Blocks.one(1) if blocks is None else blocks
        self.participation = participation
        if weights is not None:
            self.weights = weights
        self.begin(-1)

    def begin(self, round: Any) -> None:
        """Start following a round."""
        self.round = round
        self.tokens: list[Token] = []
        self.sent: list[Token] = []
        self.received: list[Token] = []
        self.gradients = 0
        self.central_gradients = 0
        self.central_proximal_steps = 0
        self.compressors: list[Number] = []
        self.batches = 0
        self.layered = False

    def _made(self, kind: str, *inputs: Token, number: Number = None) -> Token:
        token = Token(kind, inputs, number)
        self.tokens.append(token)
        return token

    def send(self, w: Vector) -> ClientVector:
        if w.payload.kind == "zero":
            return ClientVector(self, Token("zero"))
        token = self._made("broadcast", w.payload)
        self.sent.append(token)
        return ClientVector(self, token)

    def batch(self) -> int:
        self.batches += 1
        if self.batches > MOST_DRAWS:
            raise ValueError(
                f"a round of more than {MOST_DRAWS} gradients of each client: too large a request to follow word by word; the "
                "counts of FedAvg and its kin are proportional to local_steps"
            )
        return self.batches - 1

    def gradient(self, x: ClientVector, batch: Any = None) -> ClientVector:
        if batch is None:
            self.batch()
        self.gradients += 1
        return ClientVector(self, self._made("gradient", x.payload))

    @property
    def centre(self) -> CentralLoss:
        """The server's own loss."""
        return CentralLoss(self, self._centre_gradient, self._centre_prox)

    def _centre_gradient(self, y: Token) -> Token:
        self.central_gradients += 1
        return self._made("computed", y)

    def _centre_prox(self, y: Token, step_size: Number) -> Token:
        _refuse_index(step_size)
        self.central_proximal_steps += 1
        return self._made("computed", y)

    def prox(self, x: ClientVector, step_size: Number) -> ClientVector:
        _refuse_index(step_size)
        return ClientVector(self, self._made("prox", x.payload))

    def compress(self, x: ClientVector, variance: Number) -> ClientVector:
        """Also of a zero vector a draw is made; a variance of zero leaves vectors as they are."""
        _refuse_index(variance)
        if variance == 0:
            return x
        self.compressors.append(variance)
        return x if x.payload.kind == "zero" else ClientVector(self, self._made("compressed", x.payload))

    def average(self, x: ClientVector, absent: Vector | None = None) -> Vector:
        return self._receive(x, *([] if absent is None else [absent.payload]))

    def population_average(self, x: ClientVector) -> Vector:
        return self._receive(x)

    def _receive(self, x: ClientVector, *absent: Token) -> Vector:
        if x.payload.kind == "zero" and all(token.kind == "zero" for token in absent):
            return self.zero()
        self.received.append(x.payload)
        return Vector(self, self._made("average", x.payload, *absent))

    def only_cohort(self, new: ClientVector, otherwise: ClientVector) -> ClientVector:
        if isinstance(self.participation, Full):
            return new
        if new.payload.kind == otherwise.payload.kind == "zero":
            return new
        return ClientVector(self, self._made("either", new.payload, otherwise.payload))

    def layers(self, due: Any, x: ClientVector) -> ClientVector:
        chosen = None if isinstance(due, Vector) else self.blocks.chosen(due)
        if x.payload.kind == "zero" or (chosen is not None and not any(chosen)):
            return x
        if chosen is not None and all(chosen):
            return self.send(self.average(x))
        self.layered = True
        middle = self._made("average", x.payload, *([due.payload] if isinstance(due, Vector) else []))
        return ClientVector(self, self._made("layers", middle, x.payload, number=chosen))

    def scale(self, numbers: Any, v: AnyVector) -> AnyVector:
        require_vector(v, self, "scale")
        listed = self.blocks.spread(listed_numbers(numbers))
        for number in listed:
            _refuse_index(number)
        if all(number is listed[0] or bool(number == listed[0]) for number in listed):
            same: AnyVector = listed[0] * v
            return same
        if v.payload.kind == "zero":
            return v
        self.layered = True
        return type(v)(self, self._made("coordinates", v.payload, number=tuple(listed)))

    def per_client(self, numbers: Any) -> PerClient:
        listed = tuple(numbers)
        if len(listed) != self.n_clients:
            raise ValueError(f"per_client got {len(listed)} numbers; one number per client, N={self.n_clients}")
        for number in listed:
            _refuse_index(number)
        return PerClient(listed)

    def decide(self, rule: Callable[..., Any], *vectors: AnyVector) -> AnyVector:
        if not vectors:
            raise ValueError("decide got no vector; expected one vector at least")
        for vector in vectors:
            require_vector(vector, self, "decide")
        return type(vectors[0])(self, self._made("computed", *(vector.payload for vector in vectors)))

    def zero(self) -> Vector:
        return Vector(self, Token("zero"))

    def zero_clients(self) -> ClientVector:
        return ClientVector(self, Token("zero"))

    def add(self, left: Token, right: Token, sign: int) -> Token:
        if right.kind == "zero":
            return left
        if left is right and sign < 0:
            return Token("zero")
        if left.kind == "zero":
            return right if sign > 0 else self._made("multiple", right, number=-1)
        return self._made("sum", left, right, number=sign)

    def multiply(self, payload: Token, number: Number) -> Token:
        _refuse_index(number)
        return payload if payload.kind == "zero" else self._made("multiple", payload, number=number)

    def scale_clients(self, payload: Token, numbers: PerClient) -> Token:
        return payload if payload.kind == "zero" else self._made("scaled", payload, number=numbers)

    def reciprocal(self, number: Number) -> Any:
        return 1 / number


def _refuse_index(number: Number) -> None:
    if isinstance(number, RoundIndex):
        raise RoundIndexUsed


if TYPE_CHECKING:
    #: Held against the vocabulary by the type checker.
    _FEDERATION: type[Federation] = CostFederation
