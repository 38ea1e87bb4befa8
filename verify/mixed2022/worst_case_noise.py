"""One round of 1-way Gradient Transfer with client and central noise: certified worst cases of Lemmas D.9, D.10, D.11.

A table entry is the smallest constant, rounded up to four digits, by which the noises enter in units of sigma_c^2 = 1, with all
other terms of the display kept as they stand and one client (the lemmas' homogeneous clients with N = S = 1).  The upper side is
a rational certificate that the trusted verifier accepts, the lower side an instance that it accepts.  The central draw is the
same for all clients, no average takes anything from it; the laws of the clients' noises may depend on all earlier draws, the
central one included.  What is printed and what was proved for all parameters stand beside the entries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from fltheory.algorithms.gradient_transfer import OneWayGradientTransfer
from fltheory.algorithms.participation import Full
from fltheory.evidence.mixed_one_round import AFTER
from fltheory.evidence.model import Control, Evidence, Kind, Outcome, Rung, Scope, claim
from fltheory.readings.gram import program
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import assembly
from fltheory.theory.mixed2022 import drift as f
from fltheory.theory.mixed2022 import one_round as o
from fltheory.theory.mixed2022.scalars import number
from fltheory.worstcase import verifier
from fltheory.worstcase.analysis import Analysis
from fltheory.worstcase.classes import FunctionClass, Smooth, SmoothConvex
from fltheory.worstcase.entry import solve_model
from fltheory.worstcase.functional import Assumption, Functional, square
from fltheory.worstcase.model import Model
from fltheory.worstcase.sampling import shares

ZERO, ONE = Fraction(0), Fraction(1)
#: (K, effective step e beta, or eta beta for the drift; sigma^2 in units of sigma_c^2) -> the constant.
Key = tuple[int, str, int]
Table = Mapping[Key, str]

#: Lemma D.9, f_f and f_c smooth: E|x+ - x|^2 less drift and gradient terms, over e^2
MOVE: Table = {
    (2, "1/8", 0): "1.056", (2, "1/8", 1): "1.586", (3, "1/8", 0): "1.075", (3, "1/8", 1): "1.436",
    (5, "1/8", 0): "1.090", (5, "1/8", 1): "1.311", (2, "1", 0): "1.063", (2, "1", 1): "1.416",
    (3, "1", 0): "0.9232", (3, "1", 1): "1.088", (5, "1", 0): "0.6822", (5, "1", 1): "0.7548",
}  # fmt: skip
#: Lemma D.10, mu = 0: E|x+ - x*|^2 less all other terms, over e^2
NEAR: Table = {
    (2, "1/8", 0): "0.9610", (2, "1/8", 1): "1.425", (3, "1/8", 0): "0.9422", (3, "1/8", 1): "1.244",
    (5, "1/8", 0): "0.9251", (5, "1/8", 1): "1.103", (2, "1/16", 0): "0.9610", (2, "1/16", 1): "1.424",
    (3, "1/16", 0): "0.9422", (3, "1/16", 1): "1.243", (5, "1/16", 0): "0.9251", (5, "1/16", 1): "1.102",
}  # fmt: skip
#: the convex recursion with the decrease 2, mu = 0, over e^2
RECURSION: Table = {
    (2, "1/8", 0): "1.001", (2, "1/8", 1): "1.504", (3, "1/8", 0): "1.001", (3, "1/8", 1): "1.337",
    (5, "1/8", 0): "1.001", (5, "1/8", 1): "1.203", (2, "1/16", 0): "1.001", (2, "1/16", 1): "1.502",
    (3, "1/16", 0): "1.001", (3, "1/16", 1): "1.336", (5, "1/16", 0): "1.001", (5, "1/16", 1): "1.202",
}  # fmt: skip
#: drift over x^1..x^K less 2 K^2 eta^2 |grad f|^2, over K^2 eta^2
DRIFT: Table = {
    (2, "1/8", 0): "0.6251", (2, "1/8", 1): "1.003", (3, "1/8", 0): "0.5186", (3, "1/8", 1): "0.7443",
    (5, "1/8", 0): "0.4401", (5, "1/8", 1): "0.5644", (2, "1", 0): "0.6251", (2, "1", 1): "1.030",
    (3, "1", 0): "0.5186", (3, "1", 1): "0.7766", (5, "1", 0): "0.4401", (5, "1", 1): "0.5977",
    (2, "2", 0): "0.6251", (2, "2", 1): "1.104", (3, "2", 0): "0.5186", (3, "2", 1): "0.8476",
    (5, "2", 0): "0.4401", (5, "2", 1): "0.6536",
}  # fmt: skip
#: What rounding to rational certificates may add, as a multiple of |x - x*|^2.
ROUNDING = Fraction(1, 10**6)


@dataclass(frozen=True)
class Setting:
    """A display, whose terms other than noises are kept, its left side, the class of f_f and f_c, the server's step size."""

    display: sp.Expr
    left: sp.Symbol
    functions: FunctionClass
    server: Fraction = ONE

    def steps(self, key: Key) -> dict[sp.Symbol, Fraction]:
        """Values of the steps' symbols: beta = S = 1, mu = 0."""
        size = Fraction(key[1])
        eta = size if self.left == AFTER else size / (key[0] * self.server)
        return {o.K: Fraction(key[0]), o.S: ONE, o.beta: ONE, o.mu: ZERO, o.eta: eta, o.eta_s: self.server,
                o.e: key[0] * eta * self.server}  # fmt: skip

    def unit(self, key: Key) -> Fraction:
        """e^2, or K^2 eta^2 for the drift."""
        values = self.steps(key)
        return (values[o.K] * values[o.eta]) ** 2 if self.left == AFTER else values[o.e] ** 2

    def noises(self, display: sp.Expr, key: Key) -> Fraction:
        """The noise terms of a display at sigma_c = 1, in these units."""
        others = dict.fromkeys((o.drift, o.gap, o.G2, o.w2), ZERO)
        return number(display, self.steps(key) | others | {o.V: Fraction(key[2]), o.C: ONE}) / self.unit(key)


def _squares(analysis: Analysis, vectors: list[int], count: int) -> Functional:
    """Mean of ``count`` squares, those of the vectors and zeros."""
    total = analysis.square(analysis.combine({}))
    for vector in vectors:
        total = total + analysis.square(vector)
    return total * Fraction(1, count)


def _forms(analysis: Analysis, key: Key) -> dict[sp.Symbol, Callable[[], Functional]]:
    """The symbols of the displays as functionals of the round."""
    items, begin = analysis.program.instructions, analysis.model(0)
    moved = [analysis.minus(item[1], begin) for item in items if item[0] == "gradient"][1:]
    last = [item[1] for item in items if item[0] == "average"]
    return {
        o.drift: lambda: _squares(analysis, moved, key[0]),
        AFTER: lambda: _squares(analysis, [*moved, *last], key[0]),
        o.move: lambda: analysis.square(analysis.minus(analysis.model(1), begin)),
        o.near: lambda: analysis.distance(1),
        o.w2: lambda: analysis.distance(0),
        o.gap: lambda: analysis.gap(0),
        o.G2: lambda: analysis.square(analysis.full_gradient(begin)),
    }


def model(setting: Setting, key: Key) -> Model:
    """Left side less the right side without noises, over the unit; where the minimiser matters |x - x*|^2 is bounded too."""
    values = setting.steps(key)
    algorithm = OneWayGradientTransfer(key[0], values[o.eta], setting.server)
    traced = program(algorithm, rounds=1, noisy=bool(key[2]), noisy_centre=True)
    analysis = Analysis(traced, setting.functions)
    if setting.functions.convex:
        analysis.require_optimum()
    forms = _forms(analysis, key)
    measure = forms[setting.left]()
    zero = dict.fromkeys((o.drift, o.gap, o.G2, o.w2, o.V, o.C), ZERO)
    for symbol in (o.drift, o.gap, o.G2, o.w2):
        factor = number(setting.display, values | zero | {symbol: ONE})
        if factor:
            measure = measure - factor * forms[symbol]()
    known = [Assumption(analysis.distance(0), "distance")] if setting.functions.convex else []
    known += analysis.heterogeneity("identical")
    for place, item in enumerate(analysis.recorder.instructions):
        if item[0] == "noise":
            known.append(Assumption(square(place), "centre_noise" if item[2:] == ("server",) else "noise"))
    return Model(
        tuple(analysis.recorder.instructions), len(traced.instructions), setting.functions, setting.functions,
        shares(Full(), 1, noisy=bool(key[2])), tuple(known), measure * (1 / setting.unit(key)),
    )  # fmt: skip


@cache
def enclosed(setting: Setting, key: Key) -> tuple[Fraction | None, Fraction | None, dict[str, Any]]:
    """Certified bounds of the constant, |x - x*|^2 up to ``ROUNDING`` aside; the verifier is believed, nothing else."""
    data = solve_model(model(setting, key), {"noise": key[2]} if key[2] else {}, time_limit=60).certificate
    if data is None:
        return None, None, {}
    proved, spare = verifier.verify(data), ROUNDING / setting.unit(key)
    upper = lower = None
    if "upper" in proved and proved["upper"].get("distance", ZERO) <= spare:
        upper = proved["upper"]["centre_noise"] + key[2] * proved["upper"].get("noise", ZERO)
    if "lower" in proved:
        quantities, value = proved["lower"]
        if quantities["centre_noise"] == 1 and quantities.get("noise", key[2]) == key[2]:
            lower = value - spare * quantities.get("distance", ZERO)
    return upper, lower, data


def words(key: Key, setting: Setting) -> str:
    """The parameters in words."""
    step = "eta beta" if setting.left == AFTER else "K eta eta_s beta"
    return f"K = {key[0]}, {step} = {key[1]}, sigma = {'sigma_c' if key[2] else '0'}"


def judge(
    table: Table, setting: Setting, factor: str, *, printed: Bound, proved: Mapping[str, Callable[[Key], Fraction]]
) -> Evidence:
    """Entry by entry: at most factor * entry (certified), or above it (certified, which refutes), or open."""
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
            for source, value in proved.items():
                if lower > value(key):
                    raise RuntimeError(f"{name}: an instance at {float(lower)} contradicts {source}'s {float(value(key))}")
                numbers[f"{name}: {source} / sharp"] = float(value(key) / lower)
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
        Rung.WORST_CASE, outcome,
        "performance estimation of the algorithm's own round: one Gram block per draw, the central draw shared by all clients, "
        "points on histories that part before a draw on the same function; multipliers made rational and checked exactly, and "
        "an exact instance from below, both by the trusted verifier",
        examined=len(table), margin=min(margins, default=None), numbers=numbers, counterexample=broken,
        valid_for="N = S = 1, beta = 1 (by scaling any beta), every dimension, noise laws that may depend on all earlier draws "
        "and the central one; " + "; ".join(words(key, setting) for key in table),
        would_settle=f"a closer certificate at {', '.join(opened)}" if opened else "",
        certificate=certificates,
    )  # fmt: skip


def shown(table: Table, step: str) -> str:
    """The table in LaTeX."""
    noise = (r"\sigma=0", r"\sigma=\sigma_c")
    return r",\ ".join(rf"c={text}\ (K={K},{step}={size},{noise[V]})" for (K, size, V), text in table.items())


_FACTOR = Control("constants times 0.99", dict(factor="99/100"))
_NOISE = (
    "N = S = 1, beta = 1", "E g_c = grad f_c, E|g_c - grad f_c|^2 <= sigma_c^2, one central draw per round",
    "client noise of mean zero and variance at most sigma^2 given all earlier draws and the central one",
)  # fmt: skip
_R = sp.Rational


@claim(
    "MX-LEMD9-S7", kind=Kind.EXPECTATION, scope=Scope.INSTANCE, source="Lemma D.9 at named parameters, with central noise",
    quick=False,
    statement=r"\mathbb{E}\|x^{(t+1)}-x^{(t)}\|^2\le\tilde\eta^2\big(4\beta^2\mathcal{E}^{(t)}+2\|\nabla f(x^{(t)})\|^2+c\,"
    r"\sigma_c^2\big),\quad " + shown(MOVE, r"\tilde\eta\beta"),
    summary="With drift 4 and gradient 2 kept, what is printed of the noises is 1.8 to 3.7 times what is needed, with client noise "
    "and without; the central noise is not divided by K.",
    assumptions=("f_f, f_c beta-smooth, convex or not", *_NOISE), depends=("MX-LEMD9", "MX-LEMD9-S6"),
    printed=dict(factor="1", drift="4"),
    controls=[_FACTOR, Control("drift 4 -> 3", dict(drift="3"))],
)  # fmt: skip
def lemma_d9(factor: str, drift: str) -> Evidence:
    """Beside it: MX-LEMD9-S6 with b = 1/3, which has the same drift and (for 4/3 <= 2) no more gradient."""
    setting = Setting(o.variance(_R(drift), sp.Integer(0), sp.Integer(0), sp.Integer(2)), o.move, Smooth(1))
    sharp = o.LEMMA_D9_SHARP.expression.subs(o.b, _R(1, 3))
    known = {"MX-LEMD9-S6 (b = 1/3)": lambda key: setting.noises(sharp, key)} if drift == "4" else {}
    return judge(MOVE, setting, factor, printed=o.LEMMA_D9, proved=known)


@claim(
    "MX-LEMD10-S8", kind=Kind.EXPECTATION, scope=Scope.INSTANCE, source="Lemma D.10 at named parameters, with central noise",
    quick=False,
    statement=r"\mathbb{E}\|x^{(t+1)}-x^*\|^2\le(1+10^{-6})\|x^{(t)}-x^*\|^2-\tilde\eta(f(x^{(t)})-f(x^*))+\tfrac5{16}"
    r"\mathcal{E}^{(t)}+c\,\tilde\eta^2\sigma_c^2,\quad " + shown(NEAR, r"\tilde\eta\beta"),
    summary="With gap 1 and drift 5/16 kept (mu = 0, eta_s = 1), the central noise alone enters with less than 1 instead of 2, and "
    "with client noise less than half of what is printed is needed.",
    assumptions=("f_f, f_c convex and beta-smooth, x* a minimiser of f", *_NOISE), depends=("MX-LEMD10", "MX-LEMD10-S7"),
    printed=dict(factor="1", drift="5/16"),
    controls=[_FACTOR, Control("drift 5/16 -> 1/8", dict(drift="1/8"))],
)  # fmt: skip
def lemma_d10(factor: str, drift: str) -> Evidence:
    """Beside it: Lemma D.10 with Lemma D.9 split by b = 1/3 (both variances 4/3, gap 4/3, the same drift)."""
    one, third = sp.Integer(1), _R(4, 3)
    setting = Setting(o.distance(one, _R(drift), one, one, _R(3, 2)), o.near, SmoothConvex(1))
    split = o.distance(third, _R(5, 16), third, third, _R(3, 2))
    known = {"MX-LEMD10 (b = 1/3)": lambda key: setting.noises(split, key)} if drift == "5/16" else {}
    return judge(NEAR, setting, factor, printed=o.LEMMA_D10, proved=known)


@claim(
    "MX-CVX-REC-S6", kind=Kind.EXPECTATION, scope=Scope.INSTANCE, source="Appendix D.2.1, convex recursion at named parameters",
    quick=False,
    statement=r"\mathbb{E}\|x^{(t+1)}-x^*\|^2\le(1+10^{-6})\|x^{(t)}-x^*\|^2-2\tilde\eta(f(x^{(t)})-f(x^*))+c\,"
    r"\tilde\eta^2\sigma_c^2,\quad " + shown(RECURSION, r"\tilde\eta\beta"),
    summary="The recursion with central noise (mu = 0, eta_s = 4/5): with the decrease 2 instead of 1 - 1/S = 0 the central noise "
    "alone enters with 1 instead of 3, and both together with hardly more than sigma_c^2 + sigma^2/K instead of 3 and 5.",
    assumptions=("f_f, f_c convex and beta-smooth, x* a minimiser of f", *_NOISE),
    depends=("MX-CVX-REC", "MX-CVX-REC-S1", "MX-CVX-REC-S3"), printed=dict(factor="1", decrease="2"),
    controls=[_FACTOR, Control("decrease 17/8", dict(decrease="17/8"))],
)  # fmt: skip
def recursion(factor: str, decrease: str) -> Evidence:
    """Beside it: MX-CVX-REC-S1, whose decrease is 17/20."""
    one = sp.Integer(1)
    setting = Setting(assembly.convex(_R(decrease), one, one), o.near, SmoothConvex(1), Fraction(4, 5))
    proved = assembly.CVX_REC_SHARP.expression
    known = {"MX-CVX-REC-S1": lambda key: setting.noises(proved, key)} if decrease == "2" else {}
    return judge(RECURSION, setting, factor, printed=assembly.CVX_REC, proved=known)


def _drift_proved(setting: Setting, key: Key) -> Fraction:
    """MX-LEMD11-S11 without client noise, where it is exact; MX-LEMD11-S10 with it."""
    bound = f.LEMMA_D11_SHARP if key[2] else f.LEMMA_D11_EXACT
    return setting.noises(bound.expression, key)


@claim(
    "MX-LEMD11-S12", kind=Kind.EXPECTATION, scope=Scope.INSTANCE, source="Lemma D.11 at named parameters, with central noise",
    quick=False,
    statement=r"\frac1K\sum_{k=1}^K\mathbb{E}\|x^{(t,k)}-x^{(t)}\|^2\le10^{-6}\|x^{(t)}-x^*\|^2+K^2\eta^2\big(2\|\nabla f(x^{(t)})"
    r"\|^2+c\,\sigma_c^2\big),\quad " + shown(DRIFT, r"\eta\beta"),
    summary="With the gradient term of MX-LEMD11-S10 kept, the central noise alone enters with (K+1)(2K+1)/(6 K^2), as "
    "MX-LEMD11-S11 proves for all K; with client noise a quarter of what is printed (with a larger gap term) is enough, up to the "
    "step 2/beta.",
    assumptions=("f_f, f_c convex and beta-smooth", *_NOISE), depends=("MX-LEMD11", "MX-LEMD11-S10", "MX-LEMD11-S11"),
    printed=dict(factor="1", gradient="2"),
    controls=[_FACTOR, Control("gradient 2 -> 1/3", dict(gradient="1/3"))],
)  # fmt: skip
def lemma_d11(factor: str, gradient: str) -> Evidence:
    """The drift over the points after each step, the harder reading on a left-hand side."""
    one = sp.Integer(1)
    setting = Setting(f.bound("", _R(gradient), one, one, (), gradient=True).expression, AFTER, SmoothConvex(1))
    known = {} if gradient != "2" else {"MX-LEMD11-S10, S11": lambda key: _drift_proved(setting, key)}
    return judge(DRIFT, setting, factor, printed=f.LEMMA_D11, proved=known)


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
