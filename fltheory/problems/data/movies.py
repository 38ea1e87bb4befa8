"""What users watch, one after the other: a generated catalogue, and MovieLens from a local copy."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fltheory.problems.base import Array, check_count, check_nonnegative, check_number, check_positive, check_request
from fltheory.problems.checks import check_path, check_sequence, real_array
from fltheory.streams import check_seed

#: Names the file ``u.data`` of MovieLens 100K, or its folder.
MOVIELENS_FOLDER = "FLTHEORY_MOVIELENS_100K"


@dataclass(frozen=True, eq=False)
class Timelines:
    """Per user the items in the order in which they were seen, numbers ``0 .. n_items - 1``."""

    items: tuple[Array, ...]
    n_items: int
    name: str = "timelines"

    def __post_init__(self) -> None:
        check_count("n_items", self.n_items)
        check_sequence("items", self.items, "one array of items per user")
        for user, given in enumerate(self.items):
            seen = real_array(f"items[{user}]", given)
            if len(seen) and not (0 <= int(np.min(seen)) and int(np.max(seen)) < self.n_items):
                raise ValueError(f"user {user} has an item outside 0..{self.n_items - 1}")

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return len(self.items)

    @cached_property
    def examples(self) -> Array:
        """How many pairs of a history and its next item each user has, ``(n_users,)``."""
        return np.array([max(len(seen) - 1, 0) for seen in self.items])

    def choose(self, users: Array) -> Timelines:
        """These users only, in this order."""
        return Timelines(tuple(self.items[int(user)] for user in users), self.n_items, self.name)

    def at_least(self, examples: int) -> Timelines:
        """The users with so many examples at least."""
        return self.choose(np.flatnonzero(self.examples >= check_count("examples", examples)))

    def split(self, seed: int) -> tuple[Timelines, Timelines, Timelines, Timelines]:
        """Server, training, validation and test users, as Augenstein et al. (2022), Appendix C.2.3, divide them.

        A random fifth of the users is the server's; of the others, 80 %, 10 % and 10 % (each rounded down).
        """
        order = np.random.default_rng(np.random.SeedSequence(seed)).permutation(self.n_users)
        server, clients = np.split(order, [self.n_users // 5])
        tenth = len(clients) // 10
        train = 8 * len(clients) // 10
        parts = (server, clients[:train], clients[train : train + tenth], clients[train + tenth : train + 2 * tenth])
        return tuple(self.choose(np.sort(part)) for part in parts)  # type: ignore[return-value]


def movie_catalogue(
    n_users: int,
    n_items: int,
    *,
    seed: int,
    mean_length: float = 60.0,
    spread: float = 0.6,
    least: int = 20,
    genres: int = 8,
    popularity: float = 1.0,
    taste: float = 4.0,
) -> Timelines:
    """Generated timelines: users and items have positions on a sphere of ``genres`` dimensions, items a popularity.

    A user sees ever new items, the next one with probability proportional to ``rank^(-popularity) exp(taste u'v)``
    among those not yet seen.  Lengths are lognormal (sigma ``spread``) with about ``mean_length``, between ``least`` and half of
    the items.  Popularity is independent of position.

    Raises
    ------
    ValueError : counts below one, a mean length that is not positive, ``least`` above half of the items, a seed that is no
        integer, a request beyond memory.
    """
    check_number("popularity", popularity)
    check_number("taste", taste)
    rng, users, items, ranks, lengths = _population(n_users, n_items, seed, mean_length, spread, least, genres)
    check_request(f"n_users={n_users} with n_items={n_items}", n_users * n_items)
    logits = taste * users @ items.T - popularity * np.log1p(ranks)
    seen = []
    for logit, length in zip(logits, lengths, strict=True):
        # Sorting noisy logits draws without replacement, one after the other (Plackett and Luce).
        seen.append(np.argsort(-(logit + rng.gumbel(size=n_items)), kind="stable")[:length])
    return Timelines(tuple(seen), n_items, "generated catalogue")


def catalogue_lengths(
    n_users: int,
    n_items: int,
    *,
    seed: int,
    mean_length: float = 60.0,
    spread: float = 0.6,
    least: int = 20,
    genres: int = 8,
) -> Array:
    """How many items each user of :func:`movie_catalogue` sees, ``(n_users,)``, without drawing which."""
    return _population(n_users, n_items, seed, mean_length, spread, least, genres)[-1]


def _population(
    n_users: int, n_items: int, seed: int, mean_length: float, spread: float, least: int, genres: int
) -> tuple[np.random.Generator, Array, Array, Array, Array]:
    """The generator, positions of users and of items, ranks of the items from 0, and lengths, drawn in this order."""
    for name, value in (("n_users", n_users), ("n_items", n_items), ("least", least), ("genres", genres)):
        check_count(name, value)
    check_positive("mean_length", mean_length)
    check_nonnegative("spread", spread)
    seed = check_seed(seed)
    check_request(f"n_users={n_users} with n_items={n_items}, genres={genres}", (n_users + n_items) * genres)
    if least > n_items // 2:
        raise ValueError(f"least={least} exceeds half of n_items={n_items}")
    rng = np.random.default_rng(np.random.SeedSequence([seed, n_users, n_items]))
    users, items = (_on_sphere(rng.standard_normal((count, genres))) for count in (n_users, n_items))
    ranks = rng.permutation(n_items)
    lengths = np.exp(np.log(mean_length) - spread**2 / 2 + spread * rng.standard_normal(n_users)).astype(np.int64)
    return rng, users, items, ranks, np.clip(lengths, least, n_items // 2)


def load_movielens(path: str | os.PathLike[str] | None = None) -> Timelines:
    """MovieLens 100K from a local copy: 943 users, 1,682 movies, every rating counts as seen, in order of its time.

    ``path`` is the file ``u.data`` (user, movie, rating, time, separated by tabs) or its folder; by default what the
    environment variable ``FLTHEORY_MOVIELENS_100K`` names.  Nothing is downloaded; the data set's licence does not allow
    to redistribute it.  Movies are numbered in the order of their own numbers.

    Raises
    ------
    FileNotFoundError : no path is known, or no such file.
    ValueError : a file of another form.
    """
    given = os.environ.get(MOVIELENS_FOLDER) if path is None else path
    if given is None or given == "":
        raise FileNotFoundError(f"MovieLens 100K: set {MOVIELENS_FOLDER} to the folder with u.data, or give its path")
    file = check_path("path", given)
    file = file / "u.data" if file.is_dir() else file
    if not file.is_file():
        raise FileNotFoundError(f"MovieLens 100K: no file {file.name} in {file.parent.name or '.'}")
    try:
        lines = file.read_text().splitlines()
        # An empty file would make NumPy warn, with the whole path.
        table = (
            np.loadtxt(lines, dtype=np.int64, ndmin=2, comments=None)
            if any(map(str.strip, lines))
            else np.empty((0, 0))
        )
    except ValueError as error:
        raise ValueError(f"{file.name} is no table of whole numbers: {error}") from None
    if table.shape[1] != 4:
        raise ValueError(f"{file.name} has shape {table.shape}; expected rows of user, movie, rating and time")
    users, movies = np.unique(table[:, 0]), np.unique(table[:, 1])
    items = np.searchsorted(movies, table[:, 1])
    order = np.lexsort((np.arange(len(table)), table[:, 3]))
    seen = [items[order[table[order, 0] == user]] for user in users]
    return Timelines(tuple(seen), len(movies), "MovieLens 100K")


def _on_sphere(points: Array) -> Array:
    return np.asarray(points / np.sqrt((points * points).sum(axis=1, keepdims=True)))
