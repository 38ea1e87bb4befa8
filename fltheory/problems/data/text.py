"""Two generated languages that share most of their rules: users' texts, and a text of the server's own.

A language is a Markov chain of order two over an alphabet.  The score of a symbol is the sum of a table entry for the last
symbol, one for the symbol before, and a small one for the pair; both languages have the same tables.  The first symbols of the
alphabet are common, the others belong to one language each, which the other language writes ``foreign`` times less often.
A model that adds a table of the last symbol and one of the symbol before, softmax regression on two one-hot blocks, can
thus predict both at once, but knows little of a language whose symbols it has not seen.

This stands for the pair Stack Overflow (users) and Wikipedia (server) of Augenstein et al. (2022), Section 5.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.problems.base import (
    Array,
    check_choice,
    check_count,
    check_instance,
    check_nonnegative,
    check_positive,
    check_request,
    check_sequence,
)
from fltheory.problems.data.federated import FederatedData
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.regulariser import Regulariser
from fltheory.problems.scaled import Scaled
from fltheory.problems.softmax import SoftmaxProblem, softmax
from fltheory.streams import check_seed

SOURCES = ("users", "server")
#: Characters of real texts: the letters, and one sign for everything else.
LETTERS = "abcdefghijklmnopqrstuvwxyz "


@dataclass(frozen=True, eq=False)
class Languages:
    """Scores of the next symbol ``(2, A, A, A)``: language, symbol before last, last symbol, next symbol."""

    scores: Array

    @property
    def symbols(self) -> int:
        """``A``."""
        return int(self.scores.shape[-1])

    @classmethod
    def generated(
        cls,
        seed: int,
        *,
        symbols: int = 27,
        own: int = 5,
        foreign: float = 20.0,
        last: float = 2.5,
        before: float = 1.5,
        pair: float = 0.5,
    ) -> Languages:
        """Normal table entries with deviations ``last``, ``before`` and ``pair``; each language has ``own`` symbols.

        Raises
        ------
        ValueError : fewer than two common symbols, ``foreign <= 0``, a negative deviation.
        """
        if check_count("symbols", symbols) < 2 * check_count("own", own, least=0) + 2:
            raise ValueError(f"symbols={symbols} with own={own}; expected at least {2 * own + 2}, two common ones")
        check_positive("foreign", foreign)
        for name, value in (("last", last), ("before", before), ("pair", pair)):
            check_nonnegative(name, value)
        a, b, c = (np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(3))
        common = last * a.standard_normal((symbols, symbols)) + before * b.standard_normal((symbols, 1, symbols))
        common = common + pair * c.standard_normal((symbols, symbols, symbols))
        rare = np.zeros((2, symbols))
        rare[0, symbols - own :] = rare[1, symbols - 2 * own : symbols - own] = -np.log(foreign)
        return cls(common[None] + rare[:, None, None, :])

    def texts(self, source: str, writers: int, length: int, *, seed: int, manner: float = 0.0) -> Array:
        """``(writers, length)`` symbols; each writer adds normal entries of deviation ``manner`` to the symbols' scores.

        A writer's text depends on the seed and the writer's number only.  The first symbols are uniform, and 20 symbols
        are written before the text begins.
        """
        check_choice("source", source, SOURCES)
        scores = self.scores[SOURCES.index(source)]
        check_nonnegative("manner", manner)
        streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(writers)]
        habits = np.stack([manner * rng.standard_normal(self.symbols) for rng in streams])
        draws = np.stack([rng.random(length + 22) for rng in streams])
        written = np.zeros((writers, length + 22), dtype=np.int64)
        written[:, :2] = (draws[:, :2] * self.symbols).astype(np.int64)
        for i in range(2, length + 22):
            likely = np.cumsum(softmax(scores[written[:, i - 2], written[:, i - 1]] + habits), axis=1)
            written[:, i] = np.minimum((likely < draws[:, i, None]).sum(axis=1), self.symbols - 1)
        return written[:, 22:]


def examples(text: Array, symbols: int) -> tuple[Array, Array]:
    """One example per symbol from the third on: one-hot blocks of the two before it ``(n, 2 A)``, and the symbol ``(n,)``."""
    text = np.asarray(text)
    if text.ndim != 1 or len(text) < 3:
        raise ValueError(f"text has shape {text.shape}; expected a sequence of at least three symbols")
    unit = np.eye(symbols)
    return np.hstack([unit[text[1:-1]], unit[text[:-2]]]), text[2:].astype(np.int64)


def encoded(text: str) -> Array:
    """A real text as symbols of :data:`LETTERS`; signs in a row that are no letters become one space."""
    numbers = [max(LETTERS.find(sign), -1) for sign in text.lower()]
    symbols = np.array([number if number >= 0 else len(LETTERS) - 1 for number in numbers], dtype=np.int64)
    space = symbols == len(LETTERS) - 1
    after_space = np.zeros_like(space)
    after_space[1:] = space[:-1]
    return np.asarray(symbols[~(space & after_space)])


@dataclass(frozen=True, eq=False)
class TextModel(SoftmaxProblem):
    """Softmax regression that answers large batches at once: the server's loss, whose batches have thousands of examples."""

    def batch_gradients(self, clients: Array, x: Array, rows: Array) -> Array:
        """Mean gradients of batches; ``clients`` ``(...)``, ``x`` ``(..., d)``, ``rows`` ``(..., size)``."""
        answers = np.empty(x.shape)
        for slot in np.ndindex(*clients.shape):
            inputs = self.inputs(int(clients[slot]))[rows[slot]]
            residual = softmax(inputs @ self.matrix(x[slot]).T)
            residual[np.arange(len(inputs)), self.labels[int(clients[slot])][rows[slot]]] -= 1.0
            answers[slot] = (residual.T @ inputs / len(inputs)).ravel() + self.regulariser.gradient(x[slot])
        return answers


@dataclass(frozen=True, eq=False)
class TextData:
    """Users' texts ``(N, length)`` and the server's ``(length,)`` for training, and a text of each source for evaluation."""

    users: Array
    server: Array
    users_held_out: Array
    server_held_out: Array
    symbols: int

    def clients(self) -> FederatedData:
        """One client per user."""
        pairs = [examples(text, self.symbols) for text in self.users]
        return FederatedData(tuple(x for x, _ in pairs), tuple(y for _, y in pairs), self.symbols, "text")

    def held_out(self) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Examples for evaluation: of users that do not train, and of the server's source."""
        users = [examples(text, self.symbols) for text in self.users_held_out]
        ours = np.concatenate([x for x, _ in users]), np.concatenate([y for _, y in users])
        return ours, examples(self.server_held_out, self.symbols)

    def mixed(self, federated_weight: float, strength: float) -> MixedProblem:
        """``w_f`` times the users' loss and ``1 - w_f`` times the server's, each with the l2 term ``strength/2 |w|^2``."""
        regulariser = Regulariser(strength, "lambda/2|w|^2")
        inputs, labels = examples(self.server, self.symbols)
        options: dict[str, Any] = {"classes": self.symbols}
        centre = TextModel((inputs,), (labels,), regulariser, **options)
        return MixedProblem(
            Scaled(self.clients().softmax(regulariser), federated_weight), Scaled(centre, 1 - federated_weight)
        )

    def pooled(self, strength: float) -> SoftmaxProblem:
        """All training texts in one place: the loss of the imagined central training."""
        pairs = [examples(text, self.symbols) for text in (*self.users, self.server)]
        options: dict[str, Any] = {"classes": self.symbols}
        return SoftmaxProblem(
            (np.concatenate([x for x, _ in pairs]),),
            (np.concatenate([y for _, y in pairs]),),
            Regulariser(strength, "lambda/2|w|^2"),
            **options,
        )


def generated_text(
    seed: int,
    *,
    users: int = 100,
    length: int = 402,
    server: int = 14_797,
    held_out: tuple[int, int] = (20, 402),
    held_out_server: int = 2962,
    manner: float = 0.3,
    **tables: Any,
) -> TextData:
    """Texts of two generated languages; lengths count the two symbols before the first example.

    ``held_out``: number of further users and the length of their texts.  ``tables``: see :meth:`Languages.generated`.
    """
    sizes = {"users": users, "length": length, "server": server, "held_out_server": held_out_server}
    pair = check_sequence("held_out", held_out, "the number of further users and the length of their texts")
    if len(pair) != 2:
        raise ValueError(f"held_out={held_out!r} has {len(pair)} entries; expected users and length of their texts")
    for name, count in (*sizes.items(), ("held_out", pair[0]), ("held_out", pair[1])):
        check_count(name, count, least=1 if name == "users" or count is pair[0] else 3)
    check_nonnegative("manner", manner)
    check_request(
        ", ".join(f"{name}={count}" for name, count in sizes.items()), users * length + server + held_out_server
    )
    root = np.random.SeedSequence(check_seed(seed))
    words, train, central, others, control = (int(child.generate_state(1)[0]) for child in root.spawn(5))
    languages = Languages.generated(words, **tables)
    return TextData(
        languages.texts("users", users, length, seed=train, manner=manner),
        languages.texts("server", 1, server, seed=central)[0],
        languages.texts("users", *held_out, seed=others, manner=manner),
        languages.texts("server", 1, held_out_server, seed=control)[0],
        languages.symbols,
    )


def text_of_files(
    users: str, server: str, *, n_users: int = 100, length: int = 402, server_length: int = 14_797
) -> TextData:
    """The same from two real texts, each cut into a part for training and one for evaluation.

    The first text is cut into pieces of ``length``: those of the users, then those of a fifth as many held-out users.

    Raises
    ------
    ValueError : a text that is too short.
    """
    check_instance("users", users, str, "a text")
    check_instance("server", server, str, "a text")
    for name, count, least in (("n_users", n_users, 1), ("length", length, 3), ("server_length", server_length, 3)):
        check_count(name, count, least=least)
    ours, theirs = encoded(users), encoded(server)
    pieces_needed = n_users + max(n_users // 5, 1)
    needed = {"users": (len(ours), pieces_needed * length), "server": (len(theirs), server_length + length)}
    for name, (found, least) in needed.items():
        if found < least:
            raise ValueError(f"{name}: the text for the {name} has {found} symbols; expected at least {least}")
    pieces = ours[: needed["users"][1]].reshape(-1, length)
    return TextData(pieces[:n_users], theirs[:server_length], pieces[n_users:], theirs[server_length:], len(LETTERS))
