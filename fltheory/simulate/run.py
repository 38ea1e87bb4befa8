"""The record of a simulation: what was asked, what was measured, how each run ended; saved whole or not at all."""

from __future__ import annotations

import math
import os
from collections import Counter
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.files import read_arrays, write_arrays
from fltheory.kinds import JSON, Array, Integers
from fltheory.problems.checks import check_choice, check_nonnegative, check_path
from fltheory.simulate.expectation import Expectation, Known, at_records
from fltheory.simulate.statistics import Band, bernstein_band, honest_band
from fltheory.tables import Framed, Shown, ends

COMPLETED = "completed"
INTERRUPTED = "interrupted"
DIVERGED = "diverged"
QUANTITIES = ("objective", "gap", "squared_distance")
EXPECTED = ("gap", "squared_distance")


@dataclass(frozen=True, eq=False, repr=False)
class Run(Shown, Framed):
    """Independent runs of one algorithm on one problem.

    ==================== ================= ==================================================================
    attribute            shape             meaning
    ==================== ================= ==================================================================
    ``rounds``           ``(records,)``    numbers of finished rounds at which was measured; the first is 0
    ``run_ids``          ``(runs,)``       the runs' numbers, which key their random streams
    ``objective``        ``(runs, records)`` ``F(w)``, or the function that was given in its place
    ``gap``              same, or ``None`` ``F(w) - F*``
    ``squared_distance`` same, or ``None`` ``|w - w*|^2``
    ``final``            ``(runs, d)``     each run's model at its last record
    ``models``           ``(runs, records, d)`` or ``None``: all recorded models, if they were kept
    ``status``           ``(runs,)``       "completed", "diverged at round r" or "interrupted"
    ==================== ================= ==================================================================

    From the round of divergence on, a run's records are ``+inf``; there are no NaNs.  ``reference`` says why gap and
    distance are missing where they are.  ``settings`` holds the seed and what else is needed to repeat the run.  ``known``
    holds the exact expectations at the records, where the problem is quadratic and not too large; :meth:`save` keeps them.
    ``engine`` is "compiled" where whole rounds ran in one kernel, "map" where each was one affine map, "device" on a GPU, or
    "loop" and why.  For large dense quadratics with sampled cohorts "compiled" is followed by how local steps were made: step by
    step, or, in runs of enough rounds, by one map of each client.
    """

    problem: str
    algorithm: str
    oracle: str
    settings: dict[str, JSON]
    rounds: Integers
    run_ids: Integers
    objective: Array
    gap: Array | None
    squared_distance: Array | None
    final: Array
    models: Array | None
    status: tuple[str, ...]
    reference: str = ""
    expectation: Expectation | Known = field(default=Known(reason="nothing is known of the problem"), repr=False)
    engine: str = ""

    @cached_property
    def known(self) -> Known:
        """Exact expectations of gap and squared distance at the records, or the reason why there are none.

        They are worked out when first asked for (by ``band`` or ``save``), for quadratic problems of moderate size.
        """
        return self.expectation if isinstance(self.expectation, Known) else self.expectation.at(self.rounds)

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(self.run_ids)

    @property
    def completed(self) -> bool:
        """Whether every run went to the end."""
        return all(status == COMPLETED for status in self.status)

    def values(self, quantity: str = "gap") -> Array:
        """``(runs, records)`` of "objective", "gap" or "squared_distance"."""
        check_choice("quantity", quantity, QUANTITIES)
        values: Array | None = getattr(self, quantity)
        if values is None:
            raise ValueError(f"quantity={quantity!r} was not recorded: {self.reference}")
        return values

    def mean(self, quantity: str = "gap") -> Array:
        """Mean over runs, ``(records,)``; ``+inf`` where a run has diverged."""
        return np.asarray(self.values(quantity).mean(axis=0))

    def band(
        self, quantity: str = "gap", *, level: float = 0.95, bound: float | None = None, moments: Any = None
    ) -> Band:
        """Pointwise limits of the mean over runs, or, where the runs do not show their mean, quantiles that say so.

        ============ ==================================================================================================
        argument     meaning
        ============ ==================================================================================================
        ``bound``    every value lies in ``[0, bound]`` for certain: the empirical Bernstein band, for any number of runs
        ``moments``  exact ``Moments`` of the same run; default: what the run itself knows (see ``known``)
        ============ ==================================================================================================

        Without ``bound`` a normal approximation, held against a test for heavy tails and, where it is known, against the
        exact expectation.  Where a run has diverged, tails are heavy or the expectation is missed, ``kind`` is "quantiles"
        and the band holds the median and the quantiles of the runs.  ``method`` says what was found, and what was not
        checked.

        Raises
        ------
        ValueError : an unknown quantity or level, fewer than 2 runs; moments of another start or without the records; a
            ``bound`` below a value or below the exact expectation.
        """
        values = self.values(quantity)
        if bound is not None:
            check_nonnegative("bound", bound)
        known = self.known if moments is None else at_records(moments, self.rounds)
        exact = known.squared_distance if quantity == "squared_distance" else known.gap
        minimum = 0.0
        if quantity == "objective":
            if self.gap is None:
                exact = None
            else:
                minimum, values = float(values[0, 0] - self.gap[0, 0]), self.gap
        if moments is not None and exact is not None:
            begun = float(values[:, 0].mean())
            if not math.isclose(exact[0], begun, rel_tol=1e-6, abs_tol=1e-12):
                raise ValueError(f"moments begin at {exact[0]:.6g} and the run at {begun:.6g}; expected one start")
        if bound is None:
            band = honest_band(values, exact=exact, unchecked=known.reason, rounds=self.rounds, level=level)
            return replace(band, middle=band.middle + minimum, low=band.low + minimum, high=band.high + minimum)
        if exact is not None and exact.max() + minimum > bound:
            raise ValueError(
                f"bound={bound} is no bound: the exact expectation of {quantity} reaches {exact.max() + minimum:.6g}"
            )
        return bernstein_band(self.values(quantity), bound, level=level)

    def records(self) -> list[dict[str, Any]]:
        """One dict per run and record: run, round, objective, gap and squared_distance (where known), status."""
        known = [name for name in QUANTITIES if getattr(self, name) is not None]
        return [
            {"run": int(run), "round": int(round)}
            | {name: float(getattr(self, name)[i, t]) for name in known}
            | {"status": self.status[i]}
            for i, run in enumerate(self.run_ids)
            for t, round in enumerate(self.rounds)
        ]

    def to_dataframe(self) -> Any:
        """The older name of :meth:`to_frame`."""
        return self.to_frame()

    def headline(self) -> str:
        method = self.algorithm.partition("(")[0]
        size = f"{self.runs} run{'s' if self.runs > 1 else ''} of {int(self.rounds[-1])} rounds"
        measured = "gap" if self.gap is not None else "objective"
        ended = sum(status != COMPLETED for status in self.status)
        status = f"; {ended} did not complete" if ended else ""
        return f"{method} on {self.problem}: {size}, mean {measured} {ends(self.mean(measured))}{status}"

    def facts(self) -> list[tuple[str, str]]:
        known = [name for name in QUANTITIES if getattr(self, name) is not None]
        found = [("algorithm", self.algorithm), ("problem", self.problem), ("gradients", self.oracle.partition("(")[0])]
        found += [(f"mean {name.replace('_', ' ')}", ends(self.mean(name))) for name in known]
        counts = Counter(self.status)
        found.append(("status", ", ".join(f"{count} {status}" for status, count in counts.most_common(3))))
        return [*found, ("seed", str(self.settings.get("seed", ""))), ("engine", self.engine)]

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write everything to one ``.npz`` file, whole or not at all."""
        target = _with_suffix(path)
        arrays = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "expectation"}
        described = {
            name: arrays.pop(name) for name in ("problem", "algorithm", "oracle", "settings", "reference", "engine")
        }
        described["unchecked"] = self.known.reason
        arrays.update({f"expected_{name}": getattr(self.known, name) for name in EXPECTED})
        arrays = {name: value for name, value in arrays.items() if value is not None}
        arrays["status"] = np.array(self.status)
        write_arrays(target, described, arrays)
        return target

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Run:
        """Read what :meth:`save` wrote.

        Raises
        ------
        ValueError : a file of another kind, or a damaged one.
        """
        target = _with_suffix(path)
        try:
            described, arrays = read_arrays(target, "a saved run")
        except FileNotFoundError:
            raise FileNotFoundError(f"path={os.fspath(path)!r}: no such file; expected a saved run") from None
        missing = {"rounds", "run_ids", "objective", "final", "status"} - set(arrays)
        if missing:
            raise ValueError(f"{target.name!r} is not a saved run: {sorted(missing)} missing")
        reason = described.pop("unchecked", "the file was written without")
        known = Known(arrays.pop("expected_gap", None), arrays.pop("expected_squared_distance", None), reason)
        optional = {name: arrays.pop(name, None) for name in ("gap", "squared_distance", "models")}
        status = tuple(str(text) for text in arrays.pop("status"))
        return cls(**described, **arrays, **optional, status=status, expectation=known)


def _with_suffix(path: str | os.PathLike[str]) -> Path:
    target = check_path("path", path)
    return target if target.suffix == ".npz" else target.with_name(target.name + ".npz")
