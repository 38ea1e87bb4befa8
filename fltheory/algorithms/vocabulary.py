"""The vocabulary: what an algorithm's round may say, and the strict vectors it speaks about.

An algorithm never sees numbers inside vectors.  It gets :class:`Vector` (lives at the server) and
:class:`ClientVector` (one vector per client), forms linear combinations of them, and asks a :class:`Federation` for
everything else.  A reading is an implementation of :class:`Federation` together with a payload type that can be added
and scaled; the two vector classes below are shared by all readings and refuse what an algorithm must not do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from fltheory.algorithms.participation import Participation
from fltheory.kinds import Number
from fltheory.problems.blocks import Blocks
from fltheory.problems.checks import check_words


class Payload(Protocol):
    """What a reading puts inside a vector."""

    def __add__(self, other: Any) -> Any: ...

    def __mul__(self, number: Number) -> Any: ...


class _Linear:
    """Linear arithmetic with kinds: server vectors with server vectors, client vectors with client vectors."""

    __slots__ = ("fed", "payload")
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, fed: Federation, payload: Any) -> None:
        self.fed = fed
        self.payload = payload

    def _combine(self, other: object, sign: int) -> Any:
        if type(other) is not type(self):
            raise TypeError(
                f"{type(self).__name__} combined with {type(other).__name__}: "
                "send a server vector to the clients, or average the clients' vectors, first"
            )
        if other.fed is not self.fed:
            raise TypeError("vectors of two different readings cannot be combined")
        return type(self)(self.fed, self.fed.add(self.payload, other.payload, sign))

    def __add__(self, other: Any) -> Any:
        return self._combine(other, 1)

    def __sub__(self, other: Any) -> Any:
        return self._combine(other, -1)

    def __neg__(self) -> Any:
        return self * -1

    def __mul__(self, number: Number) -> Any:
        if isinstance(number, PerClient):
            if not isinstance(self, ClientVector):
                raise TypeError("numbers per client multiply client vectors only")
            return ClientVector(self.fed, self.fed.scale_clients(self.payload, number))
        if isinstance(number, _Linear):
            raise TypeError("a product of two vectors is not linear")
        return type(self)(self.fed, self.fed.multiply(self.payload, number))

    __rmul__ = __mul__

    def __truediv__(self, number: Number) -> Any:
        if isinstance(number, _Linear):
            raise TypeError("a quotient of vectors is not linear")
        return self * self.fed.reciprocal(number)

    def __iadd__(self, other: Any) -> Any:
        raise TypeError("vectors are immutable: write x = x + y")

    def __isub__(self, other: Any) -> Any:
        raise TypeError("vectors are immutable: write x = x - y")

    def __imul__(self, other: Any) -> Any:
        raise TypeError("vectors are immutable: write x = 2 * x")

    def __bool__(self) -> bool:
        raise TypeError("a vector has no truth value: an algorithm's path may not depend on values")

    def __eq__(self, other: object) -> bool:
        raise TypeError("vectors cannot be compared: an algorithm's path may not depend on values")

    def __iter__(self) -> Any:
        raise TypeError("a vector has no coordinates and no clients to loop over")


class Vector(_Linear):
    """A vector at the server."""

    __slots__ = ()


class ClientVector(_Linear):
    """One vector per client (per slot of the cohort, or per member of the population)."""

    __slots__ = ()


class PerClient:
    """One number per client of the population."""

    __slots__ = ("numbers",)
    __array_ufunc__ = None

    def __init__(self, numbers: tuple[Number, ...]) -> None:
        self.numbers = numbers


#: A vector at the server, or one of the clients: the answer is of the same kind.
AnyVector = TypeVar("AnyVector", bound=_Linear)


class Centre(Protocol):
    """The loss that the server holds itself, beside those of the clients."""

    def gradient(self, y: Vector) -> Vector:
        """Its gradient at a server vector; under noise of its own, a fresh draw."""
        ...

    def prox(self, y: Vector, step_size: Number) -> Vector:
        """``y+ = y - step_size grad f_c(y+)`` from a server vector: a proximal step, without noise."""
        ...


class Federation(Protocol):
    """What a reading provides to an algorithm.  ``round`` counts from 0."""

    round: int
    participation: Participation

    @property
    def n_clients(self) -> int:
        """``N``."""
        ...

    @property
    def blocks(self) -> Blocks:
        """Names and sizes of the layers of a model; ``ValueError`` in a reading without coordinates."""
        ...

    @property
    def centre(self) -> Centre:
        """The server's own loss; ``ValueError`` when a problem without one is asked for its gradient."""
        ...

    def send(self, w: Vector) -> ClientVector:
        """The server vector as seen by each client."""
        ...

    def gradient(self, x: ClientVector, batch: Any = None) -> ClientVector:
        """Each client's gradient at its vector: a fresh draw of the oracle, or the draw named by ``batch``."""
        ...

    def prox(self, x: ClientVector, step_size: Number) -> ClientVector:
        """Each client's proximal (implicit) step ``argmin_y f_k(y) + |y - x_k|^2/(2 step_size)``, ``step_size > 0``.

        That is ``x+ = x - step_size grad f_k(x+)``.  It is exact: the client solves with its whole loss, and the noise of the
        oracle has no part in it.
        """
        ...

    def compress(self, x: ClientVector, variance: Number) -> ClientVector:
        """``x_k + e_k``, a fresh draw of an unbiased compressor: ``E e_k = 0`` and ``E |e_k|^2 <= variance |x_k|^2``.

        Draws are independent between clients and between calls.  ``variance`` is the field's ``omega >= 0``.  What is run is
        Bernoulli sparsification: each coordinate is kept with probability ``1/(1 + omega)`` and then multiplied by ``1 + omega``,
        which attains the bound.
        """
        ...

    def batch(self) -> Any:
        """A named draw of the oracle that several calls of ``gradient`` may share."""
        ...

    def average(self, x: ClientVector, absent: Vector | None = None) -> Vector:
        """Aggregate by the participation scheme; ``absent`` stands in for clients that are away.

        Schemes that give weight to absent clients refuse when ``absent`` is not named.
        """
        ...

    def population_average(self, x: ClientVector) -> Vector:
        """``sum_k p_k x_k`` over all clients; ``x`` must be defined for the whole population."""
        ...

    def only_cohort(self, new: ClientVector, otherwise: ClientVector) -> ClientVector:
        """Per-client state: ``new`` for the members of the cohort, ``otherwise`` for the rest."""
        ...

    def layers(self, due: Any, x: ClientVector) -> ClientVector:
        """Partial averaging: the blocks that are due are averaged by the scheme and sent back, the others stay.

        ``due`` names the blocks (names or numbers), or has a truth value for each.  It may be a server vector that a rule
        has decided: then the coordinates at which it is not zero are due, run by run, and only readings that know
        values take it.  ``send(average(x))`` is the case in which all blocks are due.
        """
        ...

    def scale(self, numbers: Any, v: AnyVector) -> AnyVector:
        """``v`` with every coordinate times its number: one number per coordinate, or one per block."""
        ...

    def per_client(self, numbers: Any) -> PerClient:
        """One number per client, in the order of the problem."""
        ...

    def decide(self, rule: Callable[..., Any], *vectors: AnyVector) -> AnyVector:
        """A vector whose numbers depend on the numbers of other vectors of its kind: squares, roots, signs.

        ``rule`` is a plain function of float arrays ``(runs, d)``, one per vector, which it must not change; it returns
        an array of that shape and treats every run by itself.  Of client vectors the arrays are ``(runs, clients, d)``, and
        every client is treated by itself.  This is the one word that looks at values: readings that take a round for a
        linear map, and exact number types, refuse it with ``ValueError``.
        """
        ...

    def zero(self) -> Vector:
        """The zero vector at the server."""
        ...

    def zero_clients(self) -> ClientVector:
        """The zero vector for every client of the population (initial per-client state)."""
        ...

    def add(self, left: Any, right: Any, sign: int) -> Any:
        """``left + sign * right`` on payloads."""
        ...

    def multiply(self, payload: Any, number: Number) -> Any:
        """``number * payload``; a number that does not fit the reading's number type is refused."""
        ...

    def scale_clients(self, payload: Any, numbers: PerClient) -> Any:
        """Each client's payload times its number."""
        ...

    def reciprocal(self, number: Number) -> Number:
        """``1/number`` in the reading's number type."""
        ...


class Algorithm(Protocol):
    """What an algorithm is: frozen data, a start, and a round.  The state is a Vector or a NamedTuple of vectors.

    ``participation`` may be left out and is then full.  ``model`` may be left out and is then the first leaf.
    """

    def start(self, fed: Federation, w: Vector) -> Any:
        """Initial state from an initial model."""
        ...

    def round(self, fed: Federation, state: Any) -> Any:
        """One communication round."""
        ...


class LocalAlgorithm(Algorithm, Protocol):
    """An algorithm that says how many local steps a client makes in a round."""

    @property
    def local_steps(self) -> int:
        """``E`` or ``K``."""
        ...


def check_algorithm(name: str, value: object) -> None:
    """Raise ``ValueError`` unless ``value`` has a start and a round, and is no class."""
    check_words(name, value, ("start", "round"), "algorithm", "one such as FedAvg(local_steps=5, step_size=0.1)")


def leaves(state: Any) -> tuple[Vector | ClientVector, ...]:
    """The vectors of a state, in order."""
    if isinstance(state, (Vector, ClientVector)):
        return (state,)
    return tuple(state)


def with_leaves(state: Any, vectors: Any) -> Any:
    """A state of the same form with other vectors."""
    if isinstance(state, (Vector, ClientVector)):
        return vectors[0]
    return type(state)(vectors) if type(state) in (tuple, list) else type(state)(*vectors)


def model_of(algorithm: Algorithm, fed: Federation, state: Any) -> Vector:
    """The server's model in a state: ``algorithm.model(fed, state)`` if it is defined, else the first leaf."""
    choose = getattr(algorithm, "model", None)
    result = choose(fed, state) if choose is not None else leaves(state)[0]
    if not isinstance(result, Vector):
        raise TypeError(f"the model of {type(algorithm).__name__} is a {type(result).__name__}, not a server vector")
    return result


def local_sgd(
    fed: Federation,
    x: ClientVector,
    steps: int,
    step_size: Callable[[int], Number],
    shift: ClientVector | None = None,
) -> ClientVector:
    """``steps`` local steps ``x <- x - step_size(i) (g(x) + shift)`` from ``x``.

    The loop below is the definition.  A reading may carry a method ``local_sgd`` of the same signature that computes
    the same thing faster (one kernel per problem family); it may return ``NotImplemented`` to decline.
    """
    fast = getattr(fed, "local_sgd", None)
    if fast is not None:
        result = fast(x, steps, step_size, shift)
        if result is not NotImplemented:
            fast_result: ClientVector = result
            return fast_result
    for step in range(steps):
        direction = fed.gradient(x)
        if shift is not None:
            direction = direction + shift
        x = x - step_size(step) * direction
    return x
