"""Exact rates: certificates without any room, where the slowest instance is rational.

Where clients ``c x^2/2`` of one curvature decide the rate and the round's eigenvalue on them is rational, its square is the least
rate there is.  The slack of a certificate vanishes on that instance: with the instance known in rationals these are linear
equations for the multipliers.  The solver finds multipliers with a margin across; they are rounded, and a few of them, the
largest, are solved for exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.worstcase import certificate, linear, verifier
from fltheory.worstcase.certificate import Data
from fltheory.worstcase.functional import Assumption
from fltheory.worstcase.lyapunov_search import LyapunovSearch, RateTask
from fltheory.worstcase.lyapunov_setup import LYAPUNOV, LyapunovSetup, combined
from fltheory.worstcase.model import Model
from fltheory.worstcase.multipliers import Multipliers, PairKey, pair_keys
from fltheory.worstcase.sdp import Array

#: An eigenvalue is looked for among rationals of denominators up to this.
LARGEST = 10**16
#: Decimals of the multipliers that are not solved for.
GRID = 10**9
Row = list[Fraction]
#: The verifier writes down interpolation in exact coordinates; it has no types.
_VERIFIER: Any = verifier


@dataclass(frozen=True)
class Mode:
    """The slowest instance: the square of its eigenvalue, and the values of all registers before they are combined."""

    rate: Fraction
    registers: tuple[Fraction, ...]

    def kernel(self, model: Model) -> dict[str, list[Fraction]]:
        """The instance in the coordinates of the block of means."""
        found = [Fraction(0)] * model.space.sizes["mean"]
        for register, item in enumerate(model.instructions):
            if item[0] in ("given", "gradient", "centre", "prox", "centre prox"):
                for (block, place), factor in model.space.coordinates[register].items():
                    if block == "mean":
                        found[place] = self.registers[register] / factor
        return {"mean": found}

    def floats(self, model: Model) -> dict[str, Array]:
        """The same in floats."""
        return {name: np.array([float(e) for e in vector]) for name, vector in self.kernel(model).items()}


def slowest(setup: LyapunovSetup, model: Model, least: float) -> Mode | None:
    """The mode of one curvature at an end of its class whose squared eigenvalue is near ``least``, if it is rational."""
    given = [leaf.given for leaf in setup.free.leaves if leaf.given is not None]
    leaves = [
        after
        for leaf, after in zip(setup.free.leaves, setup.free.step.states[1], strict=True)
        if leaf.given is not None
    ]
    own = (Fraction(0),) if setup.centre is None else (setup.centre.mu, setup.centre.L)
    for curvature in (setup.clients.mu, setup.clients.L):
        for server in own:
            columns = []
            for place in given:
                values = _run(model, {g: Fraction(int(g == place)) for g in given}, curvature, server)
                columns.append([values[after] for after in leaves])
            matrix = [[column[i] for column in columns] for i in range(len(given))]
            for eigenvalue in np.linalg.eigvals(np.array(matrix, dtype=float)):
                if abs(eigenvalue.imag) > 1e-12 or abs(eigenvalue.real**2 - least) > 1e-4 * (1 - least):
                    continue
                exact = Fraction(float(eigenvalue.real)).limit_denominator(LARGEST)
                for candidate in (*(matrix[i][i] for i in range(len(given))), exact):
                    if abs(float(candidate) - eigenvalue.real) > 1e-9:
                        continue
                    vectors = linear.kernel(
                        [[e - candidate * (i == j) for j, e in enumerate(row)] for i, row in enumerate(matrix)],
                        Fraction(1),
                    )
                    if vectors:
                        values = _run(model, dict(zip(given, vectors[-1], strict=True)), curvature, server)
                        return Mode(candidate**2, tuple(values))
    return None


def _run(model: Model, given: Mapping[int, Fraction], curvature: Fraction, server: Fraction) -> list[Fraction]:
    """All registers as numbers, on clients of one curvature with their minimiser at the origin."""
    values: list[Fraction] = []
    for place, item in enumerate(model.instructions):
        if item[0] == "given":
            values.append(given[place])
        elif item[0] == "combine":
            values.append(sum((factor * values[r] for factor, r in item[1]), Fraction(0)))
        elif item[0] in ("gradient", "centre"):
            values.append((curvature if item[0] == "gradient" else server) * values[item[1]])
        elif item[0] in ("prox", "centre prox"):
            c = curvature if item[0] == "prox" else server
            values.append(c / (1 + item[2] * c) * values[item[1]])
        elif item[0] in ("average", "mean"):
            values.append(values[item[1]])
        else:
            values.append(Fraction(0))
    return values


def sharp_step(
    setup: LyapunovSetup, search: LyapunovSearch, weights: Mapping[str, Fraction], mode: Mode
) -> Data | None:
    """The certificate of a round at the exact rate, or ``None``; for searches without quantities."""
    v = combined(setup.before, weights)
    model = setup.model("step", (Assumption(v, LYAPUNOV),), combined(setup.after, weights))
    kernel = mode.kernel(model)
    given = np.array([float(weights[name]) for name in search.names])
    found = search.ask(RateTask(float(mode.rate), weights=given, kernel=mode.floats(model)))
    if found is None or found.margin < -1e-8:
        return None
    scaled = found.pairs / search.step.pair_scale
    pairs = _exact(model, mode.rate, kernel["mean"], scaled)
    if pairs is None:
        return None
    multipliers = Multipliers({key: y for key, y in pairs.items() if y}, (mode.rate,))
    data = {**certificate.bare(model), "upper": certificate.upper(model, multipliers)}
    try:
        verifier.verify_part(data)
    except verifier.Rejected:
        return None
    return data


def _exact(model: Model, rate: Fraction, kernel: Row, found: Array) -> dict[PairKey, Fraction] | None:
    """Multipliers near ``found`` with which values balance and the slack takes ``kernel`` to zero, exactly."""
    keys = pair_keys(model)
    trusted = _VERIFIER._Model(certificate.bare(model))
    forms = [trusted.interpolation(name, [(i, j, Fraction(1))]) for name, i, j, _ in keys]
    ((bounded, _, _),) = trusted.assumptions
    target = dict(bounded)
    _VERIFIER.add(target, trusted.measure, -1 / rate)
    target = {key: rate * entry for key, entry in target.items()}
    columns = [_equations(form, kernel) for form in [*forms, target]]
    names = {
        name for column in columns for name in column if name[0] != "f" or name[1] not in trusted.program.at_origin
    }
    rows = [[column.get(name, Fraction(0)) for column in columns] for name in sorted(names)]
    order = sorted(range(len(keys)), key=lambda k: -found[k])
    rounded = [Fraction(round(max(0.0, float(y)) * GRID), GRID) for y in found]
    try:
        chosen = linear.completed(rows, order, rounded)
    except ArithmeticError:
        return None
    return None if min(chosen) < 0 else dict(zip(keys, chosen, strict=True))


def _equations(form: Mapping[Any, Fraction], kernel: Row) -> dict[Any, Fraction]:
    """A form's function values, and its matrix in the block of means times ``kernel``, row by row."""
    found: dict[Any, Fraction] = {}
    for key, entry in form.items():
        if key[0] == "f":
            _VERIFIER.add(found, {key: entry})
        elif key[0] == ("m", -1):
            _, i, j = key
            _VERIFIER.add(found, {("m", i): entry * kernel[j] / 2})
            _VERIFIER.add(found, {("m", j): entry * kernel[i] / 2})
    return found
