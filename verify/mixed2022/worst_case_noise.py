"""One round of 1-way Gradient Transfer with client and central noise: certified worst cases of Lemmas D.9 to D.13.

What a table's entry is, and how it is certified, see :mod:`verify.mixed2022.worst_case_tables`; entries are rounded up to four
digits.  What is printed and what was proved for all parameters stand beside them.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.model import Control, Evidence
from fltheory.theory.mixed2022 import assembly, one_round
from fltheory.theory.mixed2022 import drift as drift_bounds
from fltheory.theory.mixed2022.drift import LEMMA_D11, LEMMA_D11_EXACT, LEMMA_D11_SHARP, LEMMA_D13, LEMMA_D13_SHARP
from fltheory.theory.mixed2022.one_round import LEMMA_D9, LEMMA_D9_SHARP, LEMMA_D10, LEMMA_D12, b, distance, gain, near
from fltheory.worstcase.classes import Smooth, SmoothConvex
from verify.mixed2022.declared import expectation_of_an_instance
from verify.mixed2022.one_way_instances import AFTER
from verify.mixed2022.worst_case_tables import NOISE, Key, SettingOfDisplay, Table, judge, shown

#: Lemma D.9, f_f and f_c smooth: E|x+ - x|^2 less drift and gradient terms, over e^2
MOVE: Table = {
    (2, "1/8", 0): "1.056",
    (2, "1/8", 1): "1.586",
    (3, "1/8", 0): "1.075",
    (3, "1/8", 1): "1.436",
    (5, "1/8", 0): "1.090",
    (5, "1/8", 1): "1.311",
    (2, "1", 0): "1.063",
    (2, "1", 1): "1.416",
    (3, "1", 0): "0.9232",
    (3, "1", 1): "1.088",
    (5, "1", 0): "0.6822",
    (5, "1", 1): "0.7548",
}
#: Lemma D.10, mu = 0: E|x+ - x*|^2 less all other terms, over e^2
NEAR: Table = {
    (2, "1/8", 0): "0.9610",
    (2, "1/8", 1): "1.425",
    (3, "1/8", 0): "0.9422",
    (3, "1/8", 1): "1.244",
    (5, "1/8", 0): "0.9251",
    (5, "1/8", 1): "1.103",
    (2, "1/16", 0): "0.9610",
    (2, "1/16", 1): "1.424",
    (3, "1/16", 0): "0.9422",
    (3, "1/16", 1): "1.243",
    (5, "1/16", 0): "0.9251",
    (5, "1/16", 1): "1.102",
}
#: the convex recursion with the decrease 2, mu = 0, over e^2
RECURSION: Table = {
    (2, "1/8", 0): "1.001",
    (2, "1/8", 1): "1.504",
    (3, "1/8", 0): "1.001",
    (3, "1/8", 1): "1.337",
    (5, "1/8", 0): "1.001",
    (5, "1/8", 1): "1.203",
    (2, "1/16", 0): "1.001",
    (2, "1/16", 1): "1.502",
    (3, "1/16", 0): "1.001",
    (3, "1/16", 1): "1.336",
    (5, "1/16", 0): "1.001",
    (5, "1/16", 1): "1.202",
}
#: drift over x^1..x^K less 2 K^2 eta^2 |grad f|^2, over K^2 eta^2
DRIFT: Table = {
    (2, "1/8", 0): "0.6251",
    (2, "1/8", 1): "1.003",
    (3, "1/8", 0): "0.5186",
    (3, "1/8", 1): "0.7443",
    (5, "1/8", 0): "0.4401",
    (5, "1/8", 1): "0.5644",
    (2, "1", 0): "0.6251",
    (2, "1", 1): "1.030",
    (3, "1", 0): "0.5186",
    (3, "1", 1): "0.7766",
    (5, "1", 0): "0.4401",
    (5, "1", 1): "0.5977",
    (2, "2", 0): "0.6251",
    (2, "2", 1): "1.104",
    (3, "2", 0): "0.5186",
    (3, "2", 1): "0.8476",
    (5, "2", 0): "0.4401",
    (5, "2", 1): "0.6536",
}
#: the same for losses that need not be convex; the larger steps are beyond the theorem's limit, eta_s = 1
NONCONVEX: Table = {
    (2, "1/36", 0): "0.6390",
    (2, "1/36", 1): "1.023",
    (3, "1/54", 0): "0.5339",
    (3, "1/54", 1): "0.7627",
    (5, "1/90", 0): "0.4554",
    (5, "1/90", 1): "0.5799",
    (2, "1/4", 0): "0.7579",
    (2, "1/4", 1): "1.214",
    (3, "1/6", 0): "0.6719",
    (3, "1/6", 1): "0.9628",
    (5, "1/10", 0): "0.6015",
    (5, "1/10", 1): "0.7694",
}
#: Lemma D.12, f_f and f_c smooth, central noise alone: E f(x+) - f(x) less drift and gradient terms, over e^2
DESCENT: Table = {
    (2, "1/18", 0): "0.9678",
    (3, "1/18", 0): "0.9568",
    (5, "1/18", 0): "0.9479",
    (2, "1/36", 0): "0.9816",
    (3, "1/36", 0): "0.9749",
    (5, "1/36", 0): "0.9693",
}
#: the non-convex recursion with the decrease 3/4, central noise alone, over e^2
SMOOTH_RECURSION: Table = {
    (2, "1/18", 0): "0.9725",
    (3, "1/18", 0): "0.9636",
    (5, "1/18", 0): "0.9566",
    (2, "1/36", 0): "0.9862",
    (3, "1/36", 0): "0.9817",
    (5, "1/36", 0): "0.9781",
}
#: The limit of Theorem B.2 for K eta eta_s beta.
LIMIT = Fraction(1, 18)

_FACTOR = Control("constants times 0.99", dict(factor="99/100"))
_R = sp.Rational


@expectation_of_an_instance(
    "MX-LEMD9-S7",
    source="Lemma D.9 at named parameters, with central noise",
    quick=False,
    statement=r"\mathbb{E}\|x^{(t+1)}-x^{(t)}\|^2\le\tilde\eta^2\big(4\beta^2\mathcal{E}^{(t)}+2\|\nabla f(x^{(t)})\|^2+c\,"
    r"\sigma_c^2\big),\quad " + shown(MOVE, r"\tilde\eta\beta"),
    summary="With drift 4 and gradient 2 kept, what is printed of the noises is 1.8 to 3.7 times what is needed, with client noise "
    "and without; the central noise is not divided by K.",
    assumptions=("f_f, f_c beta-smooth, convex or not", *NOISE),
    depends=("MX-LEMD9", "MX-LEMD9-S6"),
    printed=dict(factor="1", drift="4"),
    controls=[_FACTOR, Control("drift 4 -> 3", dict(drift="3"))],
)
def lemma_d9(factor: str, drift: str) -> Evidence:
    """Beside it: MX-LEMD9-S6 with b = 1/3, which has the same drift and (for 4/3 <= 2) no more gradient."""
    setting = SettingOfDisplay(
        one_round.variance(_R(drift), sp.Integer(0), sp.Integer(0), sp.Integer(2)), one_round.move, Smooth(1)
    )
    sharp = LEMMA_D9_SHARP.expression.subs(b, _R(1, 3))
    known = {"MX-LEMD9-S6 (b = 1/3)": lambda key: setting.noises(sharp, key)} if drift == "4" else {}
    return judge(MOVE, setting, factor, printed=LEMMA_D9, proved=known)


@expectation_of_an_instance(
    "MX-LEMD10-S8",
    source="Lemma D.10 at named parameters, with central noise",
    quick=False,
    statement=r"\mathbb{E}\|x^{(t+1)}-x^*\|^2\le(1+10^{-6})\|x^{(t)}-x^*\|^2-\tilde\eta(f(x^{(t)})-f(x^*))+\tfrac5{16}"
    r"\mathcal{E}^{(t)}+c\,\tilde\eta^2\sigma_c^2,\quad " + shown(NEAR, r"\tilde\eta\beta"),
    summary="With gap 1 and drift 5/16 kept (mu = 0, eta_s = 1), the central noise alone enters with less than 1 instead of 2, and "
    "with client noise less than half of what is printed is needed.",
    assumptions=("f_f, f_c convex and beta-smooth, x* a minimiser of f", *NOISE),
    depends=("MX-LEMD10", "MX-LEMD10-S7"),
    printed=dict(factor="1", drift="5/16"),
    controls=[_FACTOR, Control("drift 5/16 -> 1/8", dict(drift="1/8"))],
)
def lemma_d10(factor: str, drift: str) -> Evidence:
    """Beside it: Lemma D.10 with Lemma D.9 split by b = 1/3 (both variances 4/3, gap 4/3, the same drift)."""
    one, third = sp.Integer(1), _R(4, 3)
    setting = SettingOfDisplay(distance(one, _R(drift), one, one, _R(3, 2)), near, SmoothConvex(1))
    split = distance(third, _R(5, 16), third, third, _R(3, 2))
    known = {"MX-LEMD10 (b = 1/3)": lambda key: setting.noises(split, key)} if drift == "5/16" else {}
    return judge(NEAR, setting, factor, printed=LEMMA_D10, proved=known)


@expectation_of_an_instance(
    "MX-CVX-REC-S6",
    source="Appendix D.2.1, convex recursion at named parameters",
    quick=False,
    statement=r"\mathbb{E}\|x^{(t+1)}-x^*\|^2\le(1+10^{-6})\|x^{(t)}-x^*\|^2-2\tilde\eta(f(x^{(t)})-f(x^*))+c\,"
    r"\tilde\eta^2\sigma_c^2,\quad " + shown(RECURSION, r"\tilde\eta\beta"),
    summary="The recursion with central noise (mu = 0, eta_s = 4/5): with the decrease 2 instead of 1 - 1/S = 0 the central noise "
    "alone enters with 1 instead of 3, and both together with hardly more than sigma_c^2 + sigma^2/K instead of 3 and 5.",
    assumptions=("f_f, f_c convex and beta-smooth, x* a minimiser of f", *NOISE),
    depends=("MX-CVX-REC", "MX-CVX-REC-S1", "MX-CVX-REC-S3"),
    printed=dict(factor="1", decrease="2"),
    controls=[_FACTOR, Control("decrease 17/8", dict(decrease="17/8"))],
)
def recursion(factor: str, decrease: str) -> Evidence:
    """Beside it: MX-CVX-REC-S1, whose decrease is 17/20."""
    one = sp.Integer(1)
    setting = SettingOfDisplay(assembly.convex(_R(decrease), one, one), near, SmoothConvex(1), Fraction(4, 5))
    proved = assembly.CVX_REC_SHARP.expression
    known = {"MX-CVX-REC-S1": lambda key: setting.noises(proved, key)} if decrease == "2" else {}
    return judge(RECURSION, setting, factor, printed=assembly.CVX_REC, proved=known)


def _drift_proved(setting: SettingOfDisplay, key: Key) -> Fraction:
    """MX-LEMD11-S11 without client noise, where it is exact; MX-LEMD11-S10 with it."""
    bound = LEMMA_D11_SHARP if key[2] else LEMMA_D11_EXACT
    return setting.noises(bound.expression, key)


@expectation_of_an_instance(
    "MX-LEMD11-S12",
    source="Lemma D.11 at named parameters, with central noise",
    quick=False,
    statement=r"\frac1K\sum_{k=1}^K\mathbb{E}\|x^{(t,k)}-x^{(t)}\|^2\le10^{-6}\|x^{(t)}-x^*\|^2+K^2\eta^2\big(2\|\nabla f(x^{(t)})"
    r"\|^2+c\,\sigma_c^2\big),\quad " + shown(DRIFT, r"\eta\beta"),
    summary="With the gradient term of MX-LEMD11-S10 kept, the central noise alone enters with (K+1)(2K+1)/(6 K^2), as "
    "MX-LEMD11-S11 proves for all K; with client noise a quarter of what is printed (with a larger gap term) is enough, up to the "
    "step 2/beta.",
    assumptions=("f_f, f_c convex and beta-smooth", *NOISE),
    depends=("MX-LEMD11", "MX-LEMD11-S10", "MX-LEMD11-S11"),
    printed=dict(factor="1", gradient="2"),
    controls=[_FACTOR, Control("gradient 2 -> 1/3", dict(gradient="1/3"))],
)
def lemma_d11(factor: str, gradient: str) -> Evidence:
    """The drift over the points after each step, the harder reading on a left-hand side."""
    one = sp.Integer(1)
    setting = SettingOfDisplay(
        drift_bounds.bound("", _R(gradient), one, one, (), gradient=True).expression, AFTER, SmoothConvex(1)
    )
    known = {} if gradient != "2" else {"MX-LEMD11-S10, S11": lambda key: _drift_proved(setting, key)}
    return judge(DRIFT, setting, factor, printed=LEMMA_D11, proved=known)


@expectation_of_an_instance(
    "MX-LEMD13-S8",
    source="Lemma D.13 at named parameters, with central noise",
    quick=False,
    statement=r"\frac1K\sum_{k=1}^K\mathbb{E}\|x^{(t,k)}-x^{(t)}\|^2\le K^2\eta^2\big(2\|\nabla f(x^{(t)})\|^2+c\,\sigma_c^2\big)"
    r",\quad " + shown(NONCONVEX, r"\eta\beta"),
    summary="With the gradient term of MX-LEMD13-S7 kept (a quarter of the printed one at the largest step) the printed noise "
    "terms are 8.8 to 17.6 times what is needed, and 7.4 to 13.3 times at steps nine times the theorem's limit.",
    assumptions=("f_f, f_c beta-smooth, convex or not", *NOISE),
    depends=("MX-LEMD13", "MX-LEMD13-S7"),
    printed=dict(factor="1", smoothness="1"),
    controls=[_FACTOR, Control("beta-smooth -> 5/4 beta-smooth", dict(smoothness="5/4"))],
)
def lemma_d13(factor: str, smoothness: str) -> Evidence:
    """The drift over the points after each step; the printed noise terms are those at eta_s = 1."""
    one = sp.Integer(1)
    setting = SettingOfDisplay(
        drift_bounds.bound("", 2 * one, one, one, (), gradient=True).expression, AFTER, Smooth(Fraction(smoothness))
    )

    def known(key: Key) -> Fraction | None:
        return setting.noises(LEMMA_D13_SHARP.expression, key) if key[0] * Fraction(key[1]) <= LIMIT else None

    return judge(
        NONCONVEX, setting, factor, printed=LEMMA_D13, proved={"MX-LEMD13-S7": known} if smoothness == "1" else {}
    )


_SMOOTHER = Control("beta-smooth -> 5/4 beta-smooth", dict(smoothness="5/4"))


@expectation_of_an_instance(
    "MX-LEMD12-S10",
    source="Lemma D.12 at named parameters, with central noise",
    quick=False,
    statement=r"\mathbb{E}f(x^{(t+1)})\le f(x^{(t)})-\tfrac49\tilde\eta\|\nabla f(x^{(t)})\|^2+\tfrac\beta{27}\mathcal{E}^{(t)}"
    r"+c\,\beta\tilde\eta^2\sigma_c^2,\quad " + shown(DESCENT, r"\tilde\eta\beta"),
    summary="With the printed decrease and drift the central noise enters with 0.95 to 0.98, where 1 is printed: no room is left. "
    "(Noise of the clients makes the last model a noisy average, at which the engine has no gradients; the proofs cover it.)",
    assumptions=("f_f, f_c beta-smooth, convex or not", "no client noise", *NOISE[:2]),
    depends=("MX-LEMD12[f_f and f_c beta-smooth]",),
    printed=dict(factor="1", smoothness="1"),
    controls=[_FACTOR, _SMOOTHER],
)
def lemma_d12(factor: str, smoothness: str) -> Evidence:
    """Beside it: the lemma, proved for eta_s >= sqrt(S)."""
    none = sp.Integer(0)
    setting = SettingOfDisplay(one_round.descent(_R(4, 9), _R(1, 27), none, none), gain, Smooth(Fraction(smoothness)))
    known = {"MX-LEMD12": lambda key: setting.noises(LEMMA_D12.expression, key)} if smoothness == "1" else {}
    return judge(DESCENT, setting, factor, printed=LEMMA_D12, proved=known)


@expectation_of_an_instance(
    "MX-NC-REC-S3",
    quick=False,
    source="Appendix D.2.2, non-convex recursion at named parameters, with central noise",
    statement=r"\mathbb{E}f(x^{(t+1)})\le f(x^{(t)})-\tfrac34\tilde\eta\|\nabla f(x^{(t)})\|^2+c\,\beta\tilde\eta^2\sigma_c^2,"
    r"\quad " + shown(SMOOTH_RECURSION, r"\tilde\eta\beta"),
    summary="The recursion without convexity: with the decrease 3/4 instead of the printed 1/3 the central noise enters with less "
    "than 1 instead of 2.",
    assumptions=("f_f, f_c beta-smooth, convex or not", "no client noise", *NOISE[:2]),
    depends=("MX-NC-REC", "MX-NC-REC-S2"),
    printed=dict(factor="1", smoothness="1"),
    controls=[_FACTOR, _SMOOTHER],
)
def smooth_recursion(factor: str, smoothness: str) -> Evidence:
    """Beside it: MX-NC-REC-S2, which has the same decrease."""
    none = sp.Integer(0)
    setting = SettingOfDisplay(assembly.smooth(_R(3, 4), none, none), gain, Smooth(Fraction(smoothness)))
    proved = assembly.NC_REC_SHARP.expression
    known = {"MX-NC-REC-S2": lambda key: setting.noises(proved, key)} if smoothness == "1" else {}
    return judge(SMOOTH_RECURSION, setting, factor, printed=assembly.NC_REC, proved=known)


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
