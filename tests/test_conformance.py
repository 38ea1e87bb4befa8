"""Every word of the vocabulary in every reading with every oracle: what the plain arrays say, or a refusal with its reason.

Nothing is listed by name.  Words are the members of ``Federation``, federations the classes that have them all, oracles the
classes of ``fltheory.problems.oracles`` that draw, verbs the functions that take an algorithm and need no other argument than
those known here.  A new one of each is asked too; one that nothing is known to ask with fails and says so.
"""

from __future__ import annotations

import importlib.util
import inspect
import linecache
import math
import pkgutil
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms.vocabulary import ClientVector, Federation, PerClient, Vector
from fltheory.problems.oracles import protocol
from fltheory.problems.samples import QuadraticSamples
from fltheory.readings import cost, trajectory
from fltheory.readings.affine import AffineFederation
from fltheory.readings.arrays import ArrayFederation
from fltheory.readings.draws import StreamDraws
from fltheory.readings.enumeration import enumerate_moments
from fltheory.readings.gram import ProgramFederation
from fltheory.readings.table import TableFederation
from fltheory.readings.tokens import CostFederation
from fltheory.simulate.federation import KernelFederation

PACKAGE, F = Path(fl.__file__).parent, Fraction
RUNS = 150


def exactly(values: Any) -> Any:
    given = np.array(values, dtype=object)
    return np.array([F(entry) for entry in given.ravel()], dtype=object).reshape(given.shape)


def samples(*curvatures: Any) -> QuadraticSamples:
    matrices = exactly([[[a, "1/4"], ["1/4", b]] for a, b in curvatures])
    return QuadraticSamples(matrices, exactly([[a, 1 - i] for i, (a, _) in enumerate(curvatures)]))


CLIENTS = fl.with_blocks(
    fl.QuadraticProblem.from_samples([samples((1, 2), (2, 1)), samples((1, 1), ("1/2", 3))]), {"first": 1, "second": 1}
)
MIXED = fl.MixedProblem(CLIENTS, fl.QuadraticProblem.from_samples([samples((2, 1), (1, 3))]))
START = exactly([1, -2])
SCHEMES = (fl.Full(), fl.SchemeII(1), fl.SchemeI(2, "separate runs"))


# --- what there is


def modules_of(*packages: str) -> Iterator[Any]:
    for name in packages:
        for info in pkgutil.iter_modules(import_module(name).__path__, f"{name}."):
            yield import_module(info.name)


def classes_of(*packages: str) -> list[type]:
    modules = list(modules_of(*packages))
    return [c for m in modules for c in vars(m).values() if inspect.isclass(c) and c.__module__ == m.__name__]


WORDS = sorted({name for name in (*vars(Federation), *Federation.__annotations__) if not name.startswith("_")})
METHODS = [word for word in WORDS if inspect.isfunction(getattr(Federation, word, None))]
FEDERATIONS = [c for c in classes_of("fltheory.readings", "fltheory.simulate") if all(hasattr(c, w) for w in METHODS)]
ORACLES = [
    c for c in classes_of("fltheory.problems.oracles") if hasattr(c, "draw") and not getattr(c, "_is_protocol", False)
]
CAPABILITIES = {name: c for name, c in vars(protocol).items() if isinstance(c, protocol.Capability)}

#: Arguments that a verb may be given.
KNOWN = {"problem", "problem_or_sizes", "algorithm", "rounds", "oracle", "centre_oracle", "start", "exact", "runs"}


def is_verb(function: Any) -> bool:
    parameters = inspect.signature(function).parameters
    needed = {name for name, p in parameters.items() if p.default is p.empty}
    return "algorithm" in parameters and needed <= KNOWN and not function.__name__.startswith("_")


VERBS = {
    f"{f.__module__.removeprefix('fltheory.')}.{f.__name__}": f
    for m in modules_of("fltheory.readings", "fltheory.simulate")
    for f in vars(m).values()
    if inspect.isfunction(f) and f.__module__ == m.__name__ and is_verb(f)
}


# --- oracles, in floats and in rationals, each with one that says the same and has a finite support


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


OWN = load(Path(__file__).parent / "readings" / "multiplicative_noise.py").MultiplicativeNoise


def made(kind: type, number: Callable[[Any], Any]) -> Any:
    """An instance that fits the problems, from the types of what it needs."""
    dtype: Any = object if number is F else float
    signs = np.array([[number(F(a, 2)), number(F(b, 2))] for a in (1, -1) for b in (1, -1)], dtype=dtype)
    arrays = [np.array(number(F(1, 4)), dtype=dtype), signs, np.array([number(F(1, 4))] * 4, dtype=dtype)]
    kinds = {"int": [1], "bool": [False], "float": [number(F(1, 2))], "Array": arrays}
    needed = [p for p in inspect.signature(kind).parameters.values() if p.default is p.empty]
    choices = [next((kinds[word] for word in kinds if word in str(p.annotation)), []) for p in needed]
    for values in product(*choices):
        try:
            found = kind(*values)
            protocol.check_oracle(CLIENTS, found)
            return found
        except ValueError:
            continue
    pytest.fail(f"no arguments are known for {kind.__name__}: {[str(p.annotation) for p in needed]}")


def only(oracle: Any, capability: Any) -> Any:
    """An object that has nothing but one capability of an oracle."""
    names = [name.removesuffix("()") for name in capability.names]
    return SimpleNamespace(**{name: getattr(oracle, name) for name in names})


def plain_twin(oracle: Any, number: Callable[[Any], Any]) -> Any:
    """An oracle of finite support with the same first two moments, or None."""
    if protocol.FINITE.offered_by(oracle):
        return oracle
    if oracle.state_dependent:
        return None
    covariance = exactly(oracle.covariance(CLIENTS, 0, START))
    assert (covariance == covariance[0, 0] * np.eye(2, dtype=int)).all()
    root = F(math.isqrt(covariance[0, 0].numerator), math.isqrt(covariance[0, 0].denominator))
    assert root * root == covariance[0, 0]
    points = np.array([[number(a * root), number(b * root)] for a in (1, -1) for b in (1, -1)])
    return fl.FiniteSupportNoise(points, np.array([number(F(1, 4))] * 4))


def examples() -> dict[str, tuple[dict[bool, Any], Any]]:
    """By name: the oracle, in rationals or not, and what says the same in floats."""
    found, done = {}, set()
    for kind in (*ORACLES, OWN):
        whole = {exact: made(kind, F if exact else float) for exact in (True, False)}
        twin = plain_twin(whole[False], float)
        found[kind.__name__] = whole, twin
        if protocol.is_noisy(whole[True]):
            for name, one in CAPABILITIES.items():
                if one in protocol.ENOUGH and one.offered_by(whole[True]) and name not in done:
                    done.add(name)
                    found[f"{kind.__name__}, {name} only"] = {e: only(o, one) for e, o in whole.items()}, twin
    return found


EXAMPLES = examples()


# --- algorithms of one word

THIRD, NUMBERS = F(1, 3), (F(1, 2), F(3, 2))
OF_TYPE: dict[str, list[Callable[[Any], Any]]] = {
    "Vector": [lambda on: on.w],
    "Vector | None": [lambda on: None, lambda on: on.w],
    "ClientVector": [lambda on: on.x, lambda on: on.kept],
    "AnyVector": [lambda on: on.w, lambda on: on.x, lambda on: on.kept],
    "PerClient": [lambda on: on.fed.per_client(NUMBERS)],
    "Callable[..., Any]": [lambda on: lambda *values: values[0] ** 2],
    "int": [lambda on: 1, lambda on: -1],
    "Number": [lambda on: THIRD],
}
OF_NAME: dict[str, list[Callable[[Any], Any]]] = {
    "payload": [lambda on: on.w.payload, lambda on: on.x.payload, lambda on: on.kept.payload],
    "numbers": [lambda on: NUMBERS],
    "batch": [lambda on: None, lambda on: on.fed.batch()],
    "due": [
        lambda on: (),
        lambda on: ("second",),
        lambda on: (True, True),
        lambda on: on.fed.decide(lambda w: np.array(w > 0, dtype=float), on.w),
    ],
}
OF_NAME["left"] = OF_NAME["right"] = OF_NAME["payload"]


@dataclass(frozen=True)
class Argument:
    name: str
    annotation: str

    @property
    def candidates(self) -> list[Callable[[Any], Any]]:
        found = OF_NAME.get(self.name) if self.annotation == "Any" else OF_TYPE.get(self.annotation)
        if found is None:
            pytest.fail(f"nothing is known to give for an argument {self.name}: {self.annotation}")
        return found


@cache
def arguments(word: str) -> tuple[Argument, ...]:
    if word not in METHODS:
        return ()
    listed = list(inspect.signature(getattr(Federation, word)).parameters.values())[1:]
    return tuple(Argument(p.name, str(p.annotation)) for p in listed)


def answer_type(word: str) -> str:
    if word in Federation.__annotations__:
        return str(Federation.__annotations__[word])
    member = inspect.getattr_static(Federation, word)
    return str(inspect.signature(member.fget if isinstance(member, property) else member).return_annotation)


@dataclass(frozen=True)
class Saying:
    """``w <- w/2 + (what the word gives)/3``; beside the model a vector of every client is kept.

    Where the oracle is noisy a fresh gradient is averaged too, so that every word meets its noise.
    """

    word: str
    choice: tuple[int, ...]
    participation: Any
    noisy: bool = False
    seen: list[type] = field(default_factory=list, compare=False)

    def start(self, fed: Any, w: Any) -> Any:
        return w, fed.send(w)

    def round(self, fed: Any, state: Any) -> Any:
        self.seen.append(type(fed))
        w, kept = state
        on = SimpleNamespace(fed=fed, w=w, x=fed.send(w), kept=kept)
        if self.word == "layers":  # tells blocks apart only where the clients' vectors differ
            on.x = on.x - F(1, 4) * fed.gradient(on.x)
        given = [a.candidates[i](on) for a, i in zip(arguments(self.word), self.choice, strict=True)]
        found = getattr(fed, self.word)
        found = found(*given) if self.word in METHODS else found
        if isinstance(found, ClientVector) and self.word == "only_cohort":
            kept = found
        after = F(1, 2) * w + THIRD * self.used(on, found)
        return after - F(1, 5) * fed.average(fed.gradient(on.x), absent=w) if self.noisy else after, kept

    def used(self, on: Any, found: Any) -> Any:
        """A server vector made of an answer, by its type."""
        fed, kind = on.fed, answer_type(self.word)
        if kind == "Any" and any(a.name in ("left", "payload") for a in arguments(self.word)):
            found = (Vector if self.choice[0] == 0 else ClientVector)(fed, found)
        elif kind == "PerClient" and self.choice and "payload" in [a.name for a in arguments(self.word)]:
            found = ClientVector(fed, found)
        if isinstance(found, PerClient):
            found = found * on.x if hasattr(found, "__mul__") else on.x * found
        if self.word == "layers":  # an average forgets what was averaged before, a gradient does not
            found = fed.gradient(found)
        if isinstance(found, Vector):
            return found
        if isinstance(found, ClientVector):
            return fed.average(found, absent=on.w)
        if kind == "Centre":
            return found.gradient(on.w)
        if kind == "Participation":
            return F(1, 1 + found.slots(2)) * on.w
        if kind == "Blocks":
            return F(len(found), 3 + found.dimension) * on.w
        if kind in ("int", "Number"):
            return (found if kind == "Number" else THIRD * (found + 1)) * on.w
        if self.word == "batch":
            two = fed.gradient(on.x, batch=found) - THIRD * fed.gradient(on.kept, batch=found)
            return fed.average(two, absent=on.w)
        return pytest.fail(f"nothing is known to do with {self.word}, a {kind}")


def sayings(word: str) -> Iterator[tuple[int, ...]]:
    """Choices of arguments: the two sides of a sum are of one kind, numbers per client multiply the clients' vectors."""
    listed = arguments(word)
    for choice in product(*(range(len(a.candidates)) for a in listed)):
        payloads = [i for a, i in zip(listed, choice, strict=True) if a.name in ("left", "right", "payload")]
        clients_only = any(a.annotation == "PerClient" for a in listed)
        if len(set(payloads)) < 2 and not (clients_only and 0 in payloads):
            yield choice


SAYINGS = [(word, choice) for word in WORDS for choice in sayings(word)]


def asks_oracle(word: str, choice: tuple[int, ...]) -> bool:
    """Whether the word itself asks an oracle, as far as it can be counted."""
    try:
        found = cost(problem_of(word, exact=False), Saying(word, choice, fl.Full()))
    except ValueError:
        return False
    return found.total("gradients").most + found.central_gradients > 0


def programs(verb: str, example: str) -> Iterator[tuple[Saying, bool]]:
    """What is asked, and whether in rationals: all schemes of plain gradients, else one scheme after the other.

    Objects with one capability are asked what concerns the oracle.
    """
    oracle = EXAMPLES[example][0][False]
    noisy, takes = protocol.is_noisy(oracle), inspect.signature(VERBS[verb]).parameters
    for place, (word, choice) in enumerate(SAYINGS):
        if " only" in example and not asks_oracle(word, choice):
            continue
        schemes = SCHEMES if not noisy and "rounds" in takes else (SCHEMES[place % len(SCHEMES)],)
        for scheme in schemes:
            exact = "exact" in takes and (place + SCHEMES.index(scheme)) % 2 == 1 and (not noisy or "rounds" in takes)
            yield Saying(word, choice, scheme, noisy), exact


# --- asking


def problem_of(word: str, *, exact: bool) -> Any:
    problem = MIXED if answer_type(word) == "Centre" else CLIENTS
    if exact:
        return problem
    return problem.map_parts(lambda part: part.to_float()) if problem is MIXED else problem.to_float()


def ask(verb: Callable[..., Any], algorithm: Any, oracle: Any, *, exact: bool, rounds: int = 1) -> Any:
    problem = problem_of(algorithm.word, exact=exact)
    given = {"rounds": rounds, "start": START if exact else START.astype(float), "runs": RUNS}
    given |= {"problem": problem, "problem_or_sizes": problem, "algorithm": algorithm}
    given |= {"oracle": oracle} | ({"centre_oracle": oracle} if hasattr(problem, "centre") else {})
    given |= {"exact": True} if exact else {}
    taken = inspect.signature(verb).parameters
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return verb(**{name: value for name, value in given.items() if name in taken})


def asked(verb: Callable[..., Any], algorithm: Any, oracle: Any, *, exact: bool, rounds: int = 1) -> tuple[Any, str]:
    """The result, or the text of a refusal in the package's own words."""
    try:
        return ask(verb, algorithm, oracle, exact=exact, rounds=rounds), ""
    except (ValueError, TypeError) as error:
        last, text = traceback.extract_tb(error.__traceback__)[-1], str(error)
        own = PACKAGE in Path(last.filename).parents
        assert own and "raise" in linecache.getline(last.filename, last.lineno or 0), (
            f"{algorithm}: {error!r} of {last}"
        )
        assert 20 < len(text) < 500 and "\n" not in text, text
        return None, text


@cache
def plain(word: str, choice: tuple[int, ...], scheme: Any, example: str) -> tuple[Any, Any, str]:
    """Mean and second moment of the model after a round of the plain arrays, all draws of all cohorts; or the refusal."""
    twin = EXAMPLES[example][1]
    assert twin is not None, f"{example}: no oracle of finite support says the same"
    said = Saying(word, choice, scheme, protocol.is_noisy(twin))
    found, text = asked(enumerate_moments, said, twin, exact=False)
    return (None, None, text) if found is None else (found.mean[-1], found.second[-1], "")


def reached(verb: str) -> set[type]:
    """The federations that a verb's rounds are run on."""
    said = Saying("gradient", (0, 0), fl.Full())
    with suppress(ValueError, TypeError):
        ask(VERBS[verb], said, fl.Exact(), exact=False)
    return set(said.seen)


def run_of_program(found: Any, problem: Any) -> Any:
    """The model after a straight-line program under full participation, on arrays."""
    weights, registers = problem.weights[:, None], []
    for item in found.instructions:
        name = item[0]
        if name == "given":
            value = START.astype(float)
        elif name == "combine":
            value = sum((float(c) * registers[r] for c, r in item[1]), np.zeros(2))
        elif name == "gradient":
            value = problem.client_gradients(np.broadcast_to(registers[item[1]], (2, 2)))
            value = value[item[2] - 1] if item[2:] else value  # of several classes one client each
        elif name == "centre":
            value = problem.centre_gradient(registers[item[1]])
        elif name == "prox":
            begin, size = np.broadcast_to(registers[item[1]], (2, 2)), float(item[2])
            left = np.eye(2) + size * problem.matrices
            value = (begin - np.linalg.solve(left, (begin + size * problem.vectors)[..., None])[..., 0]) / size
        elif name == "mean":
            value = registers[item[1]]
        else:
            value = (weights * np.broadcast_to(registers[item[1]], (2, 2))).sum(axis=0)
        registers.append(value)
    return registers[found.models[-1]]


@cache
def logged(word: str, choice: tuple[int, ...]) -> Any:
    """``|g|^2`` of every call of the clients' oracle in a plain round of all clients with plain gradients, ``(calls, N)``."""
    problem, log = problem_of(word, exact=False), []
    fed = ArrayFederation(problem, fl.Full(), StreamDraws(problem, fl.Exact(), 0, np.arange(1)), log=log)
    said = Saying(word, choice, fl.Full())
    state = said.start(fed, fed.vector(START.astype(float)))
    fed.begin(0)
    said.round(fed, state)
    return np.array([(call.gradients[0] ** 2).sum(axis=-1) for call in log]).reshape(-1, 2)


@cache
def end(word: str, choice: tuple[int, ...]) -> Any:
    """Where many plain rounds of all clients with plain gradients end."""
    return asked(trajectory, Saying(word, choice, fl.Full()), fl.Exact(), exact=False, rounds=300)[0].models[-1]


def agrees(found: Any, said: Saying, mean: Any, second: Any) -> bool | None:
    """Whether a result says what the plain arrays say of a round; None where it says nothing of the model after one."""

    def close(a: Any, b: Any) -> bool:
        return np.allclose(np.asarray(a, dtype=float), b, rtol=1e-9, atol=1e-9)

    sure = isinstance(said.participation, fl.Full) and not said.noisy
    if hasattr(found, "mean") and hasattr(found, "second") and hasattr(found, "rounds"):
        return close(found.mean[-1], mean) and close(found.second[-1], second)
    if hasattr(found, "models") and hasattr(found, "status") and not hasattr(found, "final"):
        return close(found.models[-1], mean)
    if hasattr(found, "matrix") and hasattr(found, "model"):
        return close(found.model @ found(found.start), mean)
    if hasattr(found, "final"):
        spread = np.sqrt(np.maximum(np.diag(second - np.outer(mean, mean)), 0) / len(found.final))
        return bool((np.abs(found.final.mean(axis=0) - mean) <= 6 * spread + 1e-9).all())
    if not sure:
        return None
    call = said.word, said.choice
    if hasattr(found, "instructions"):
        return close(run_of_program(found, problem_of(said.word, exact=False)), mean)
    if hasattr(found, "slots"):
        return close(found.round(0).gradients_by_client, len(logged(*call)))
    if hasattr(found, "residual"):
        return close(found.point, end(*call)) if found.contraction < 1 else None  # others are never reached
    if hasattr(found, "matrix_error"):
        state = np.tile(START.astype(float), len(found.at) // 2)  # a quadratic round is its linearisation
        return close(found.map.model @ found.map(state), mean)
    if hasattr(found, "drift"):
        return close(found.gradient[0], logged(*call))
    if hasattr(found, "by_round"):
        return close(found.by_round[0], logged(*call).max(initial=0.0))
    if isinstance(found, np.ndarray):
        return close(found, end(*call)) if found.ndim == 1 else close(found[0], logged(*call))
    if hasattr(found, "covariance") and found:
        return close(found.mean, end(*call))
    return None


def hold(verb: str, example: str) -> tuple[int, list[str]]:
    """Ask everything; how many answers are the plain arrays', and the refusals.

    Raises
    ------
    AssertionError : an answer that differs from the plain arrays', an answer where these refuse, an unclear refusal.
    """
    oracles, twin = EXAMPLES[example]
    compared, refusals = 0, []
    for said, exact in programs(verb, example):
        found, text = asked(VERBS[verb], said, oracles[exact], exact=exact)
        if found is None:
            refusals.append(text)
            continue
        mean, second, why = plain(said.word, said.choice, said.participation, example)
        same = agrees_nowhere(found) if mean is None else agrees(found, said, mean, second)
        assert same is not False, f"{verb}: {said}, exact={exact}: {found} against {mean} {why}"
        compared += same is True
    return compared, refusals


def agrees_nowhere(found: Any) -> bool | None:
    """Of what the plain arrays refuse nothing is said of models; counts and programs, which know no values, may be."""
    return None if hasattr(found, "gradients") or hasattr(found, "instructions") else False


READ = [verb for verb in VERBS if reached(verb)]


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("verb", READ)
def test_a_reading_agrees_with_the_arrays_or_says_why_not(verb: str, example: str) -> None:
    if "oracle" not in inspect.signature(VERBS[verb]).parameters and example != "Exact":
        pytest.skip("knows exact gradients only")
    compared, refusals = hold(verb, example)
    if example == "Exact":
        assert compared
    if len(refusals) == len(list(programs(verb, example))):
        told = [text for text in refusals if "sent back within its round" not in text]
        assert told and all("oracle=" in text and "has no " in text for text in told), refusals


def test_every_federation_is_read() -> None:
    assert {kind for verb in READ for kind in reached(verb)} == set(FEDERATIONS)


@pytest.mark.parametrize("name", [name for name, one in CAPABILITIES.items() if one not in protocol.ENOUGH])
def test_what_is_no_oracle_is_refused(name: str) -> None:
    oracle = SimpleNamespace(**{word.removesuffix("()"): None for word in CAPABILITIES[name].names})
    for verb in (fl.simulate, fl.moments, enumerate_moments, fl.round_map):
        _, text = asked(verb, Saying("zero", (), fl.Full()), oracle, exact=False)
        assert "oracle=namespace(" in text and "is unknown" in text


@pytest.mark.parametrize("kind", [*ORACLES, OWN])
def test_an_oracle_keeps_its_word(kind: type) -> None:
    """Mean and covariance from its values are the gradient and what it says; draws by keys have these moments."""
    exact, floats, x = made(kind, F), made(kind, float), exactly([["1/2", 3], [2, -1]])
    for k in range(2):
        gradient = CLIENTS.client_gradients(x[:, None], np.array([k]))[:, 0]
        if protocol.FINITE.offered_by(exact):
            chances = exactly(exact.probabilities_of(CLIENTS, k))
            values = np.stack([exact.answers(CLIENTS, k, x, np.full(2, j)) for j in range(len(chances))])
            assert sum(chances) == 1 and (np.tensordot(chances, values, 1) == gradient).all()
            away = values - gradient
            spread = (chances[:, None, None, None] * away[..., :, None] * away[..., None, :]).sum(axis=0)
            assert (spread == exact.covariance(CLIENTS, k, x)).all()
        here = x[:1].astype(float)
        draws = StreamDraws(CLIENTS.to_float(), floats, 4, np.arange(2_000))
        points, clients = np.broadcast_to(here[:, None], (2_000, 1, 2)), np.full((2_000, 1), k)
        answers = draws.gradient(0, 3, np.array(points), clients, 0 * clients)[:, 0]
        covariance = np.asarray(exact.covariance(CLIENTS, k, x[:1])[0], dtype=float)
        limit = 6 * np.sqrt(np.diag(covariance) / 2_000) + 1e-12
        assert (np.abs(answers.mean(axis=0) - gradient[0].astype(float)) < limit).all()
        np.testing.assert_allclose(np.cov(answers.T), covariance, atol=0.2 * np.trace(covariance) + 1e-12)


def numbers_ignored(fed: Any, payload: Any, numbers: Any) -> Any:
    return payload


def sign_ignored(fed: Any, left: Any, right: Any, sign: int, add: Any = ProgramFederation.add) -> Any:
    return add(fed, left, right, 1)


def a_little_less(fed: Any, x: Any, batch: Any = None, gradient: Any = KernelFederation.gradient) -> Any:
    return F(99, 100) * gradient(fed, x, batch)


def uncounted(fed: Any, x: Any, batch: Any = None) -> Any:
    return x


def all_layers(fed: Any, due: Any, x: Any) -> Any:
    return fed.send(fed.average(x))


def no_layer(fed: Any, due: Any, x: Any) -> Any:
    return x


def gradient_step(fed: Any, x: Any, step_size: Any) -> Any:
    return x - step_size * fed.gradient(x)


def twice_the_variance(fed: Any, x: Any, variance: Any, compress: Any = ArrayFederation.compress) -> Any:
    return compress(fed, x, 1 + 8 * variance)


def unscaled(fed: Any, numbers: Any, v: Any) -> Any:
    return v


def raw(fed: Any) -> Any:
    raise ZeroDivisionError("division by zero")


@pytest.mark.parametrize(
    ("verb", "federation", "word", "wrong"),
    [
        ("readings.table.table_moments", TableFederation, "scale_clients", numbers_ignored),
        ("readings.moments.moments", AffineFederation, "scale_clients", numbers_ignored),
        ("readings.moments.moments", AffineFederation, "zero", raw),
        ("readings.moments.moments", AffineFederation, "layers", all_layers),
        ("readings.table.table_moments", TableFederation, "layers", no_layer),
        ("readings.table.table_moments", TableFederation, "scale", unscaled),
        ("readings.round_map.round_map", ArrayFederation, "layers", no_layer),
        ("simulate.loop.simulate", KernelFederation, "scale", unscaled),
        ("readings.gram.program", ProgramFederation, "add", sign_ignored),
        ("readings.cost.cost", CostFederation, "gradient", uncounted),
        ("readings.round_map.round_map", ArrayFederation, "prox", gradient_step),
        ("readings.table.table_moments", TableFederation, "prox", gradient_step),
        ("readings.gram.program", ProgramFederation, "prox", gradient_step),
        ("readings.table.table_moments", TableFederation, "compress", uncounted),
        ("simulate.loop.simulate", KernelFederation, "compress", twice_the_variance),
        ("simulate.loop.simulate", KernelFederation, "gradient", a_little_less),
    ],
)
def test_a_planted_mistake_is_seen(
    verb: str, federation: Any, word: str, wrong: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(federation, word, wrong)
    with pytest.raises((AssertionError, ZeroDivisionError)):
        hold(verb, "Exact")
