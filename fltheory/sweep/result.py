"""What a sweep found, as a table: one row per configuration, seed and recorded round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fltheory.kinds import Array, Integers
from fltheory.sweep.grid import Sweep
from fltheory.sweep.maker import mixed
from fltheory.sweep.store import Store
from fltheory.tables import Framed, Shown, escaped, html_table


@dataclass(frozen=True, eq=False)
class Rows:
    """Some runs of one configuration: ``arrays`` by name, ``(runs, records)`` or, without rounds, ``(runs, ...)``.

    ``ended`` is the round of divergence of each run, -1 for those that went to the end.
    """

    key: str
    coordinates: dict[str, Any]
    seeds: Integers
    ended: Integers
    rounds: Integers | None
    arrays: dict[str, Array]


@dataclass(frozen=True)
class SweepFailure:
    """A configuration that has no result, and why."""

    coordinates: Mapping[str, Any]
    seeds: tuple[int, ...]
    traceback: str

    @property
    def reason(self) -> str:
        """The last line."""
        return self.traceback.strip().splitlines()[-1]


@dataclass(frozen=True, eq=False)
class SweepResult(Shown, Framed):
    """All results of a sweep that its store holds.

    ``missing`` counts the configurations that have neither result nor failure; ``notes`` say what was found damaged, and what of
    several versions; ``made`` tells for each process that computed its versions and its machine.
    """

    rows: tuple[Rows, ...]
    failures: tuple[SweepFailure, ...] = ()
    missing: int = 0
    interrupted: bool = False
    notes: tuple[str, ...] = ()
    seeded: bool = field(default=True, repr=False)
    made: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        failed = sum(len(each.seeds) for each in self.failures)
        return f"SweepResult({len(self)} configurations done, {failed} failed, {self.missing} missing)"

    def __len__(self) -> int:
        return sum(len(rows.seeds) for rows in self.rows)

    def _repr_html_(self) -> str:
        from fltheory.sweep.table import cells

        table = cells(self)
        return f"<p>{escaped(repr(self))}</p>" + (html_table(table[0], table[1:]) if len(table) > 1 else "")

    @property
    def complete(self) -> bool:
        """Whether every configuration has a result."""
        return not self.missing and not self.failures

    @property
    def coordinates(self) -> dict[str, list[Any]]:
        """The values that occur, by the name of the axis."""
        found: dict[str, dict[Any, None]] = {}
        for rows in self.rows:
            for name, value in rows.coordinates.items():
                found.setdefault(name, {})[value] = None
        return {name: list(values) for name, values in found.items()}

    def select(self, **wanted: Any) -> SweepResult:
        """The results whose coordinates have these values, or one of those in a list; ``seed`` is a coordinate as well.

        Raises
        ------
        ValueError : no axis of that name.
        """
        seeds = wanted.pop("seed", None)
        known = self.coordinates
        for name in wanted:
            if name not in known:
                raise ValueError(f"no axis {name!r}; expected some of {', '.join([*known, 'seed'])}")
        found = [
            rows for rows in self.rows if all(_among(rows.coordinates.get(n), value) for n, value in wanted.items())
        ]
        failures = [f for f in self.failures if all(_among(f.coordinates.get(n), value) for n, value in wanted.items())]
        if seeds is not None:
            found = [
                _only(rows, [place for place, s in enumerate(rows.seeds.tolist()) if _among(s, seeds)])
                for rows in found
            ]
        return replace(self, rows=tuple(rows for rows in found if len(rows.seeds)), failures=tuple(failures))

    def values(self, name: str) -> Array:
        """All values of one measure: ``(configurations, records)``, in the order of :meth:`records`.

        Raises
        ------
        ValueError : no such measure, or one of different shapes.
        """
        parts = [rows.arrays[name] for rows in self.rows if name in rows.arrays]
        if len(parts) < len(self.rows) or not parts:
            known = sorted({each for rows in self.rows for each in rows.arrays})
            raise ValueError(
                f"{name!r} was not kept of all configurations; expected one of {', '.join(known) or 'none'}"
            )
        if len({part.shape[1:] for part in parts}) > 1:
            raise ValueError(f"{name!r} has different shapes; expected configurations of equal rounds: select some")
        return np.concatenate(parts)

    def records(self) -> list[dict[str, Any]]:
        """One dict per configuration, seed and recorded round: coordinates, seed, round, measures, status."""
        return [row for rows in self.rows for row in _dicts(rows, self.seeded)]


def _among(value: Any, wanted: Any) -> bool:
    many = wanted if isinstance(wanted, list | tuple | set | range) else [wanted]
    return any(value == each or value == shown_label(each) for each in many)


def shown_label(value: Any) -> Any:
    """As a store keeps it."""
    return value if isinstance(value, bool | int | float | str) else repr(value)


def _only(rows: Rows, places: list[int]) -> Rows:
    return replace(
        rows,
        seeds=rows.seeds[places],
        ended=rows.ended[places],
        arrays={name: array[places] for name, array in rows.arrays.items()},
    )


def _dicts(rows: Rows, seeded: bool) -> list[dict[str, Any]]:
    found = []
    columns = {name: array.tolist() for name, array in rows.arrays.items()}
    rounds: Sequence[int | None] = [None] if rows.rounds is None else rows.rounds.tolist()
    by_round = {
        name
        for name, array in rows.arrays.items()
        if rows.rounds is not None and name != "final" and array.shape[1:] == (len(rounds),)
    }
    for run, (seed, ended) in enumerate(zip(rows.seeds.tolist(), rows.ended.tolist(), strict=True)):
        status = "completed" if ended < 0 else f"diverged at round {ended}"
        for place, round in enumerate(rounds):
            at = {
                **rows.coordinates,
                **({"seed": seed} if seeded else {}),
                **({} if round is None else {"round": round}),
            }
            values = {name: column[run][place] if name in by_round else column[run] for name, column in columns.items()}
            found.append({**at, **values, "status": status})
    return found


def collect(
    sweep: Sweep,
    store: Store,
    seeds: Mapping[str, Sequence[int]],
    *,
    before: Store | None = None,
    interrupted: bool = False,
) -> SweepResult:
    """What a store (and another one that came before it) holds of a sweep's runs ``seeds[cell.key]``."""
    found, failures, missing = [], [], 0
    stores = [each for each in (before, store) if each is not None]
    for cell in sweep.cells:
        wanted = seeds.get(cell.key, ())
        left = list(wanted)
        for each in stores:
            for entry, first, count in each.entries(cell.key, left):
                a = first - entry.first
                arrays = {name: array[entry.cell, a : a + count] for name, array in entry.record.arrays.items()}
                rounds = entry.record.head.get("rounds")
                found.append(
                    Rows(
                        cell.key,
                        cell.coordinates,
                        np.arange(first, first + count),
                        arrays.pop("ended"),
                        None if rounds is None else np.array(rounds),
                        arrays,
                    )
                )
            done = each.done.get(cell.key, {})
            left = [run for run in left if run not in done]
        reasons: dict[str, list[int]] = {}
        for run in left:
            text = next((each.failed[cell.key][run] for each in stores if run in each.failed.get(cell.key, {})), None)
            if text is None:
                missing += 1
            else:
                reasons.setdefault(text, []).append(run)
        failures += [SweepFailure(cell.coordinates, tuple(runs), text) for text, runs in reasons.items()]
    makers = list({str(made): made for each in stores for made in each.made}.values())
    notes = (*(note for each in stores for note in each.notes), *mixed(makers))
    seeded = sweep.call is None or sweep.seeds is not None
    return SweepResult(tuple(found), tuple(failures), missing, interrupted, notes, seeded, tuple(makers))
