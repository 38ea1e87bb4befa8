"""One round of 1-way Gradient Transfer with client and central noise: constants of its displays, enclosed by certificates.

A table's entry is the smallest constant by which the noises enter a display in units of sigma_c^2 = 1, with all other terms kept
as they stand and one client (the lemmas' homogeneous clients with N = S = 1).  The upper side is a rational certificate that the
trusted verifier accepts, the lower side an instance that it accepts.  The central draw is the same for all clients, no average
takes anything from it; the laws of the clients' noises may depend on all earlier draws, the central one included.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from fltheory.algorithms.gradient_transfer import OneWayGradientTransfer
from fltheory.algorithms.participation import Full
from fltheory.evidence.model import Evidence, Outcome, Rung
from fltheory.readings.gram import program
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.one_round import G2, C, S, beta, drift, e, eta_s, gain, gap, move, mu, near, w2
from fltheory.theory.mixed2022.scalars import number
from fltheory.worstcase import verifier
from fltheory.worstcase.analysis import Analysis
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.entry import solve_model
from fltheory.worstcase.functional import Assumption, Functional, square
from fltheory.worstcase.model import Model
from fltheory.worstcase.sampling import shares
from verify.mixed2022.one_way_instances import AFTER

ZERO, ONE = Fraction(0), Fraction(1)
#: (K, effective step e beta, or eta beta for the drift; sigma^2 in units of sigma_c^2) -> the constant.
Key = tuple[int, str, int]
Table = Mapping[Key, str]
#: A display, or one for each key, ``None`` where its conditions do not hold.
Known = sp.Expr | Callable[[Key], sp.Expr | None]
#: What rounding to rational certificates may add, as a multiple of |x - x*|^2.
ROUNDING = Fraction(1, 10**6)
#: What that may be worth, in the constant's units, at the distance at which the program is solved.
PRICE = Fraction(1, 10**5)


@dataclass(frozen=True)
class SettingOfDisplay:
    """A display, whose terms other than noises are kept, its left side, the class of f_f and f_c, the server's step size."""

    display: sp.Expr
    left: sp.Symbol
    functions: FunctionClass
    server: Fraction = ONE

    def steps(self, key: Key) -> dict[sp.Symbol, Fraction]:
        """Values of the steps' symbols: beta = S = 1, mu = 0."""
        size = Fraction(key[1])
        eta = size if self.left == AFTER else size / (key[0] * self.server)
        return {
            one_round.K: Fraction(key[0]),
            S: ONE,
            beta: ONE,
            mu: ZERO,
            one_round.eta: eta,
            eta_s: self.server,
            e: key[0] * eta * self.server,
        }

    def unit(self, key: Key) -> Fraction:
        """e^2, or K^2 eta^2 for the drift."""
        values = self.steps(key)
        return (values[one_round.K] * values[one_round.eta]) ** 2 if self.left == AFTER else values[e] ** 2

    def measured_in(self, key: Key) -> Fraction:
        """The units in which the solver sees the left side: these, but plain ones for a difference of values."""
        return ONE if self.left == gain else self.unit(key)

    def noises(self, display: sp.Expr, key: Key) -> Fraction:
        """The noise terms of a display at sigma_c = 1, in these units."""
        others = dict.fromkeys((drift, gap, G2, w2), ZERO)
        return number(display, self.steps(key) | others | {one_round.V: Fraction(key[2]), C: ONE}) / self.unit(key)


def table(rows: Mapping[str, str]) -> Table:
    """A row has the step (or one for each K) and the constants at K = 2, 3, 5: at sigma = 0 and, beside it, sigma = sigma_c."""
    found: dict[Key, str] = {}
    for steps, constants in rows.items():
        sizes = steps.split() if " " in steps else [steps] * 3
        for many, size, pair in zip((2, 3, 5), sizes, constants.split(", "), strict=True):
            found |= {(many, size, noisy): text for noisy, text in enumerate(pair.split())}
    return found


def _squares(analysis: Analysis, vectors: list[int], count: int) -> Functional:
    """Mean of ``count`` squares, those of the vectors and zeros."""
    squares = (analysis.square(vector) for vector in vectors)
    return sum(squares, start=analysis.square(analysis.combine({}))) * Fraction(1, count)


def _forms(analysis: Analysis, key: Key) -> dict[sp.Symbol, Callable[[], Functional]]:
    """The symbols of the displays as functionals of the round."""
    items, begin = analysis.program.instructions, analysis.model(0)
    moved = [analysis.minus(item[1], begin) for item in items if item[0] == "gradient"][1:]
    last = [item[1] for item in items if item[0] == "average"]
    return {
        drift: lambda: _squares(analysis, moved, key[0]),
        AFTER: lambda: _squares(analysis, [*moved, *last], key[0]),
        move: lambda: analysis.square(analysis.minus(analysis.model(1), begin)),
        near: lambda: analysis.distance(1),
        w2: lambda: analysis.distance(0),
        gap: lambda: analysis.gap(0),
        gain: lambda: analysis.gap(1) - analysis.gap(0),
        G2: lambda: analysis.square(analysis.full_gradient(begin)),
    }


def model(setting: SettingOfDisplay, key: Key) -> Model:
    """Left side less the right side without noises, over the unit; where the minimiser matters |x - x*|^2 is bounded too."""
    values = setting.steps(key)
    algorithm = OneWayGradientTransfer(key[0], values[one_round.eta], setting.server)
    traced = program(algorithm, rounds=1, noisy=bool(key[2]), noisy_centre=True)
    analysis = Analysis(traced, setting.functions)
    if setting.functions.convex:
        analysis.require_optimum()
    forms, others = _forms(analysis, key), (drift, gap, G2, w2)
    measure = forms[setting.left]()
    zero = dict.fromkeys((*others, one_round.V, C), ZERO)
    for symbol in others:
        factor = number(setting.display, values | zero | {symbol: ONE})
        measure = measure - factor * forms[symbol]() if factor else measure
    known = [Assumption(analysis.distance(0), "distance")] if setting.functions.convex else []
    known += analysis.heterogeneity("identical")
    for place, item in enumerate(analysis.recorder.instructions):
        if item[0] == "noise":
            known.append(Assumption(square(place), "centre_noise" if item[2:] == ("server",) else "noise"))
    return Model(
        tuple(analysis.recorder.instructions),
        len(traced.instructions),
        setting.functions,
        setting.functions,
        shares(Full(), 1, noisy=bool(key[2])),
        tuple(known),
        measure * (1 / setting.measured_in(key)),
    )


@cache
def enclosed(setting: SettingOfDisplay, key: Key) -> tuple[Fraction | None, Fraction | None, dict[str, Any]]:
    """Certified bounds of the constant, |x - x*|^2 up to ``ROUNDING`` aside; the verifier is believed, nothing else."""
    spare = ROUNDING / setting.unit(key)
    quantities: dict[str, Fraction | int] = {"noise": key[2]} if key[2] else {}
    if setting.functions.convex:
        # so large a distance gives the certifier a reason to keep its coefficient below what is spared
        quantities["distance"] = max(ONE, PRICE / spare)
    data = solve_model(model(setting, key), quantities, time_limit=60).certificate
    if data is None:
        return None, None, {}
    proved = verifier.verify(data)
    upper = lower = None
    factor = setting.measured_in(key) / setting.unit(key)
    if "upper" in proved and proved["upper"].get("distance", ZERO) <= spare:
        upper = factor * (proved["upper"]["centre_noise"] + key[2] * proved["upper"].get("noise", ZERO))
    if "lower" in proved:
        given, value = proved["lower"]
        if given["centre_noise"] == 1 and given.get("noise", key[2]) == key[2]:
            lower = factor * value - spare * given.get("distance", ZERO)
    return upper, lower, data


def words(key: Key, setting: SettingOfDisplay) -> str:
    """The parameters in words."""
    step = "eta beta" if setting.left == AFTER else "K eta eta_s beta"
    return f"K = {key[0]}, {step} = {key[1]}, sigma = {'sigma_c' if key[2] else '0'}"


def judge(
    table: Table, setting: SettingOfDisplay, factor: str, *, printed: Bound, proved: Mapping[str, Known]
) -> Evidence:
    """Entry by entry: at most factor * entry (certified), or above it (certified, which refutes), or open.

    ``proved`` are bounds for all parameters beside the entries, ``None`` where their conditions do not hold.
    """
    numbers: dict[str, Any] = {}
    certificates: dict[str, Any] = {}
    broken, opened, margins = "", [], []
    for key, text in table.items():
        name, claimed = words(key, setting), Fraction(factor) * Fraction(text)
        upper, lower, certificates[name] = enclosed(setting, key)
        numbers |= {f"{name}: at most": float(upper)} if upper is not None else {}
        if lower is not None:
            numbers[f"{name}: at least"] = float(lower)
            numbers[f"{name}: printed / sharp"] = float(setting.noises(printed.expression, key) / lower)
            for source, display in proved.items():
                form = display if isinstance(display, sp.Basic) else display(key)
                if form is None:
                    continue
                known = setting.noises(form, key)
                if lower > known:
                    raise RuntimeError(f"{name}: an instance at {float(lower)} contradicts {source}'s {float(known)}")
                numbers[f"{name}: {source} / sharp"] = float(known / lower)
        if lower is not None and lower > claimed:
            margins.append(float((claimed - lower) / lower))
            broken = broken or (
                f"{name}, N = S = beta = sigma_c = 1: Gram matrices of a round in the class, checked exactly, where the "
                f"noises enter with {float(lower):.7g} > {float(claimed):.7g}"
            )
        elif upper is not None and upper <= claimed:
            margins.append(float((claimed - upper) / claimed))
        else:
            opened.append(name)
    outcome = Outcome.REFUTED if broken else Outcome.NOT_REFUTED if opened else Outcome.HOLDS
    return Evidence(
        Rung.WORST_CASE,
        outcome,
        "performance estimation of the algorithm's own round: one Gram block per draw, the central draw shared by all clients, "
        "points on histories that part before a draw on the same function; multipliers made rational and checked exactly, and "
        "an exact instance from below, both by the trusted verifier",
        examined=len(table),
        margin=min(margins, default=None),
        numbers=numbers,
        counterexample=broken,
        valid_for="N = S = 1, beta = 1 (by scaling any beta), every dimension, noise laws that may depend on all earlier draws "
        "and the central one; " + "; ".join(words(key, setting) for key in table),
        would_settle=f"a closer certificate at {', '.join(opened)}" if opened else "",
        certificate=certificates,
    )


def shown(table: Table, step: str) -> str:
    """The table in LaTeX."""
    noise = (r"\sigma=0", r"\sigma=\sigma_c")
    return r",\ ".join(rf"c={text}\ (K={K},{step}={size},{noise[V]})" for (K, size, V), text in table.items())


#: Hypotheses on the noises, for the claims.
NOISE = (
    "N = S = 1, beta = 1",
    "E g_c = grad f_c, E|g_c - grad f_c|^2 <= sigma_c^2, one central draw per round",
    "client noise of mean zero and variance at most sigma^2 given all earlier draws and the central one",
)
