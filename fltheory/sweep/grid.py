"""A sweep as data: which configurations there are.  Nothing is computed before :meth:`Sweep.run`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from fltheory.problems.checks import check_count, check_function, shown
from fltheory.sweep.keys import RUNS, VERBS, digest, package_digest
from fltheory.sweep.seeds import seed_numbers

#: What :func:`fltheory.simulate.simulate` takes and decides about numbers.
SETTINGS = ("centre_oracle", "backend", "divergence_threshold", "reference", "objective")
MEASURES = ("objective", "gap", "squared_distance", "final")


@dataclass(frozen=True, eq=False)
class Cell:
    """One configuration of a sweep without its seeds; ``key`` is its content address, ``group`` what it can share a batch with."""

    key: str
    group: str
    coordinates: dict[str, Any]
    problem: Any
    algorithm: Any
    settings: dict[str, Any]
    start: Any = None
    call: Callable[..., Any] | None = None
    measure: Any = None
    work: float = 1.0
    seeded: bool = False
    #: Why the algorithm does not exist, where it refused its parameters.
    refused: str | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Sweep:
    """A grid: every problem with every algorithm, every value of the parameters and every seed.

    ================ ===============================================================================================
    argument         meaning
    ================ ===============================================================================================
    ``problems``     one, several, or names with problems
    ``algorithms``   the same with algorithms, classes of them, or functions of parameters that make one
    ``parameters``   names with values: fields of the algorithms, arguments of the functions and of ``call``; an
                     algorithm takes those that it has.  Values may have names (a mapping).  A list of such grids
                     stands for all of them
    ``seeds``        numbers of the independent runs: how many, a range, or a list; default 1.  Run ``s`` has the streams of
                     run ``s`` of ``simulate(..., seed=seed)``, whatever the batch and the algorithm
    ``rounds``       communication rounds of a simulation
    ``measure``      of "objective", "gap", "squared_distance", "final" (the model) what is kept; default the gap, or the
                     objective where no minimum is known
    ``record_every`` measure after every so many rounds, the start and the end included; default only these
    ``oracle``       and ``start``: as of ``simulate``; a mapping of names is an axis of its own
    ``settings``     further settings of ``simulate`` (centre_oracle, backend, divergence_threshold, reference, objective), or
                     arguments of ``call``
    ``call``         another verb or any function, instead of ``simulate``: called as ``call(problem, algorithm, **rest)``
                     with what was given of these, and ``seed=`` where seeds are given; ``measure`` is then a function of its
                     answer that gives a number, an array, or names with such (default: what the answer holds)
    ================ ===============================================================================================

    Raises
    ------
    ValueError : an empty axis, a parameter that nobody takes or that has the name of a column, an unknown measure, algorithms
        of which each refuses its parameters; where some do, these configurations have failed and the rest is computed.
    """

    problems: Any = None
    algorithms: Any = None
    parameters: Any = field(default_factory=dict)
    seeds: Any = None
    rounds: int | None = None
    measure: Any = None
    record_every: int | None = None
    oracle: Any = None
    start: Any = None
    seed: int = 0
    call: Callable[..., Any] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        seed_numbers(1 if self.seeds is None else self.seeds)
        if self.call is None:
            if self.problems is None or self.algorithms is None or self.rounds is None:
                raise ValueError("problems, algorithms or rounds is missing; expected all three, or call=function")
            check_count("rounds", self.rounds)
            for name in self.measures or ():
                if name not in MEASURES:
                    raise ValueError(f"measure={shown(name)} is unknown; expected some of {', '.join(MEASURES)}")
            for name in self.settings:
                if name not in SETTINGS:
                    raise ValueError(f"settings has {shown(name)}; expected some of {', '.join(SETTINGS)}")
        else:
            check_function("call", self.call, "call(...)")
            if self.measure is not None:
                check_function("measure", self.measure, "measure(answer)")

    @property
    def measures(self) -> tuple[str, ...] | None:
        """Names of what is kept of a simulation; ``None`` for the default."""
        if self.measure is None:
            return None
        return (self.measure,) if isinstance(self.measure, str) else tuple(self.measure)

    @cached_property
    def seed_numbers(self) -> tuple[int, ...]:
        """The numbers of the runs of each configuration."""
        return seed_numbers(1 if self.seeds is None else self.seeds)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All configurations without their seeds, each once, in the order of the grid."""
        found: dict[str, Cell] = {}
        for cell in self._cells():
            found.setdefault(cell.key, cell)
        if all(cell.refused for cell in found.values()):
            cell = next(iter(found.values()))
            raise ValueError(f"no algorithm at {cell.coordinates}: {cell.refused}")
        return tuple(found.values())

    @property
    def size(self) -> int:
        """Number of configurations, seeds included."""
        return len(self.cells) * len(self.seed_numbers)

    def run(self, **how: Any) -> Any:
        """Compute what is missing: :func:`fltheory.sweep.run.run_sweep`."""
        from fltheory.sweep.run import run_sweep

        return run_sweep(self, **how)

    def _cells(self) -> Iterator[Cell]:
        problems = _axis("problems", self.problems) if self.problems is not None else {"": None}
        algorithms = _axis("algorithms", self.algorithms) if self.algorithms is not None else {"": None}
        oracles, starts = (_named(value) for value in (self.oracle, self.start))
        grids = self.parameters if isinstance(self.parameters, list | tuple) else [self.parameters]
        for grid in grids:
            if not isinstance(grid, Mapping) or not all(isinstance(name, str) for name in grid):
                raise ValueError(
                    f"parameters={shown(grid)} has no names; expected names with values, or a list of such"
                )
        axes = [{name: _axis(name, values) for name, values in grid.items()} for grid in grids]
        taken = {label: _taken(algorithm) for label, algorithm in algorithms.items()}
        self._check_taken({name for grid in axes for name in grid}, taken)
        contents = {label: digest(problem) for label, problem in problems.items()}
        for (problem, content), (label, algorithm) in product(contents.items(), algorithms.items()):
            for grid in axes:
                mine = [name for name in grid if self.call is not None or name in taken[label]]
                for chosen in product(*(grid[name].items() for name in mine)):
                    parameters = {name: value for name, (_, value) in zip(mine, chosen, strict=True)}
                    at = {"problem": problem, "algorithm": label} | {
                        n: t for n, (t, _) in zip(mine, chosen, strict=True)
                    }
                    refused = None
                    try:
                        made, rest = _made(algorithm, parameters, taken[label])
                    except TypeError as error:  # the declaration is wrong, and not a number in it
                        raise ValueError(f"no algorithm at {at}: {error}") from None
                    except ValueError as error:
                        made, rest, refused = (algorithm, parameters), {}, str(error)
                    for oracle, start in product(oracles, starts):
                        where = at | ({"oracle": oracle} if len(oracles) > 1 else {})
                        where |= {"start": start} if len(starts) > 1 else {}
                        where = {name: value for name, value in where.items() if value != ""}
                        cell = self._cell(where, content, problems[problem], made, rest, oracles[oracle], starts[start])
                        yield (
                            cell if refused is None else replace(cell, group=cell.key, algorithm=None, refused=refused)
                        )

    def _cell(
        self,
        at: dict[str, Any],
        content: str,
        problem: Any,
        algorithm: Any,
        rest: dict[str, Any],
        oracle: Any,
        start: Any,
    ) -> Cell:
        if self.call is not None:
            given = {"oracle": oracle, "start": start, "rounds": self.rounds}
            settings = {**{n: v for n, v in given.items() if v is not None}, **self.settings, **rest}
            if self.seeds is not None and self.seed:
                raise ValueError(
                    "seed and seeds are given together with call; expected seeds, each of which it gets as seed="
                )
            whole = ("call", package_digest(VERBS), self.call, content, algorithm, settings, self.measure)
            key = digest((*whole, self.seeds is not None))
            return Cell(
                key, "", at, problem, algorithm, settings, None, self.call, self.measure, seeded=self.seeds is not None
            )
        every = self.rounds if self.record_every is None else check_count("record_every", self.record_every)
        settings = {"rounds": self.rounds, "record_every": every, "seed": self.seed, **self.settings}
        if oracle is not None:
            settings["oracle"] = oracle
        start = None if start is None else self._start(start)
        key = digest(("run", package_digest(RUNS), content, algorithm, settings, start, self.measures))
        group = digest(("batch", content, digest(algorithm, structure=True), settings, self.measures))
        return Cell(key, group, at, problem, algorithm, settings, start, None, self.measures, _work(problem, algorithm))

    def _start(self, given: Any) -> Any:
        start = np.array(given)  # a copy, which nobody changes
        if start.ndim > 1 and len(start) <= self.seed_numbers[-1]:
            raise ValueError(
                f"start has shape {start.shape} and seeds go to {self.seed_numbers[-1]}; expected one model, or row s for seed s"
            )
        return start

    def _check_taken(self, names: set[str], taken: dict[str, set[str]]) -> None:
        columns = ("oracle", "start", "seed", "round", *MEASURES) if self.call is None else ("seed",) * bool(self.seeds)
        for name in sorted(names):
            if name in ("problem", "algorithm", "status", "traceback", *columns):
                raise ValueError(f"parameters has {name!r}, the name of another column; expected another name")
            if self.call is None and not any(name in each for each in taken.values()):
                known = ", ".join(sorted(set().union(*taken.values())))
                raise ValueError(f"parameters has {name!r}, which no algorithm takes; expected some of {known}")


def _axis(name: str, values: Any) -> dict[Any, Any]:
    """Labels with values; a label is the value itself where it is a number or a text."""
    if isinstance(values, Mapping):
        found: dict[Any, Any] = dict(values)
    else:
        many = isinstance(values, list | tuple | range | np.ndarray)
        entries = list(values.tolist() if isinstance(values, np.ndarray) else values) if many else [values]
        found = {}
        for entry in entries:
            label = _label(entry)
            count = sum(str(each).partition(" #")[0] == label for each in found) if label in found else 0
            if not (count and entry == found[label] and isinstance(entry, bool | int | float | str)):
                found[f"{label} #{count + 1}" if count else label] = entry
    if not found:
        raise ValueError(f"{name} is empty; expected at least one value")
    return found


def _label(entry: Any) -> Any:
    if isinstance(entry, bool | int | float | str):
        return entry
    if hasattr(entry, "n_clients"):
        return f"{type(entry).__name__}(N={entry.n_clients}, d={entry.dimension})"
    return entry.__name__ if isinstance(entry, type) or inspect.isfunction(entry) else repr(entry)


def _named(value: Any) -> dict[Any, Any]:
    return _axis("oracle or start", value) if isinstance(value, Mapping) else {"": value}


def _taken(algorithm: Any) -> set[str]:
    """Names of the parameters that an algorithm, or what makes one, can be given."""
    if algorithm is None:
        return set()
    if is_dataclass(algorithm) and not isinstance(algorithm, type):
        return {each.name for each in fields(algorithm) if each.init}
    if callable(algorithm):
        return set(inspect.signature(algorithm).parameters)
    return set()


def _made(algorithm: Any, parameters: dict[str, Any], taken: set[str]) -> tuple[Any, dict[str, Any]]:
    """The algorithm with its parameters, and those that are not its own."""
    mine = {name: value for name, value in parameters.items() if name in taken}
    rest = {name: value for name, value in parameters.items() if name not in taken}
    if isinstance(algorithm, type) or (callable(algorithm) and not hasattr(algorithm, "round")):
        return algorithm(**mine), rest
    return (replace(algorithm, **mine) if mine else algorithm), rest


def _work(problem: Any, algorithm: Any) -> float:
    """Client-steps of one round, about: what batches and shards are made equal in."""
    steps = getattr(algorithm, "local_steps", 1)
    longest = max(steps) if isinstance(steps, Sequence) else steps
    cohort = getattr(getattr(algorithm, "participation", None), "cohort", None) or getattr(problem, "n_clients", 1)
    return float(longest if isinstance(longest, int) else 1) * float(cohort if isinstance(cohort, int) else 1)
