"""One round of 1-way Gradient Transfer with client and central noise: certified worst cases of Lemmas D.9 to D.13.

What a table's entry is, and how it is certified, see :mod:`verify.mixed2022.worst_case_tables`; entries are rounded up to four
digits.  What is printed and what was proved for all parameters stand beside them.
"""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.kinds import expectation_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.mixed2022 import assembly, one_round
from fltheory.theory.mixed2022 import drift as drift_bounds
from fltheory.theory.mixed2022.drift import LEMMA_D11, LEMMA_D11_EXACT, LEMMA_D11_SHARP, LEMMA_D13, LEMMA_D13_SHARP
from fltheory.theory.mixed2022.one_round import LEMMA_D9, LEMMA_D9_SHARP, LEMMA_D10, LEMMA_D12, b, distance, gain, near
from fltheory.worstcase.classes import FunctionClass, Smooth, SmoothConvex
from verify.mixed2022.one_way_instances import AFTER
from verify.mixed2022.worst_case_tables import NOISE, Key, SettingOfDisplay, judge, shown, table

#: Lemma D.9, f_f and f_c smooth: E|x+ - x|^2 less drift and gradient terms, over e^2
MOVE = table({"1/8": "1.056 1.586, 1.075 1.436, 1.090 1.311", "1": "1.063 1.416, 0.9232 1.088, 0.6822 0.7548"})
#: Lemma D.10, mu = 0: E|x+ - x*|^2 less all other terms, over e^2
NEAR = table({"1/8": "0.9610 1.425, 0.9422 1.244, 0.9251 1.103", "1/16": "0.9610 1.424, 0.9422 1.243, 0.9251 1.102"})
#: the convex recursion with the decrease 2, mu = 0, over e^2
RECURSION = table({"1/8": "1.001 1.504, 1.001 1.337, 1.001 1.203", "1/16": "1.001 1.502, 1.001 1.336, 1.001 1.202"})
#: drift over x^1..x^K less 2 K^2 eta^2 |grad f|^2, over K^2 eta^2
DRIFT = table(
    {
        "1/8": "0.6251 1.003, 0.5186 0.7443, 0.4401 0.5644",
        "1": "0.6251 1.030, 0.5186 0.7766, 0.4401 0.5977",
        "2": "0.6251 1.104, 0.5186 0.8476, 0.4401 0.6536",
    }
)
#: the same for losses that need not be convex; the larger steps are beyond the theorem's limit, eta_s = 1
NONCONVEX = table(
    {
        "1/36 1/54 1/90": "0.6390 1.023, 0.5339 0.7627, 0.4554 0.5799",
        "1/4 1/6 1/10": "0.7579 1.214, 0.6719 0.9628, 0.6015 0.7694",
    }
)
#: Lemma D.12, f_f and f_c smooth, central noise alone: E f(x+) - f(x) less drift and gradient terms, over e^2
DESCENT = table({"1/18": "0.9678, 0.9568, 0.9479", "1/36": "0.9816, 0.9749, 0.9693"})
#: the non-convex recursion with the decrease 3/4, central noise alone, over e^2
SMOOTH_RECURSION = table({"1/18": "0.9725, 0.9636, 0.9566", "1/36": "0.9862, 0.9817, 0.9781"})
#: The limit of Theorem B.2 for K eta eta_s beta.
LIMIT = Fraction(1, 18)
ZERO, ONE = sp.Integer(0), sp.Integer(1)

_FACTOR = Control("constants times 0.99", dict(factor="99/100"))
_SMOOTHER = Control("beta-smooth -> 5/4 beta-smooth", dict(smoothness="5/4"))
_R = sp.Rational
named_parameters = expectation_of_an_instance.sharing(quick=False)
convex_claim = named_parameters.sharing(assumptions=("f_f, f_c convex and beta-smooth, x* a minimiser of f", *NOISE))
smooth_claim = named_parameters.sharing(assumptions=("f_f, f_c beta-smooth, convex or not", *NOISE))
quiet_claim = named_parameters.sharing(
    assumptions=("f_f, f_c beta-smooth, convex or not", "no client noise", *NOISE[:2]),
    printed=dict(factor="1", smoothness="1"),
    controls=[_FACTOR, _SMOOTHER],
)


@smooth_claim(
    "MX-LEMD9-S7",
    source="Lemma D.9 at named parameters, with central noise",
    statement=r"\mathbb{E}\|x^{(t+1)}-x^{(t)}\|^2\le\tilde\eta^2\big(4\beta^2\mathcal{E}^{(t)}+2\|\nabla f(x^{(t)})\|^2+c\,"
    r"\sigma_c^2\big),\quad " + shown(MOVE, r"\tilde\eta\beta"),
    headline="Certified: the noise terms of a round's update are about twice what is needed",
    summary="With drift 4 and gradient 2 kept, what is printed of the noises is 1.8 to 3.7 times what is needed, with client noise "
    "and without; the central noise is not divided by K.",
    depends=("MX-LEMD9", "MX-LEMD9-S6"),
    printed=dict(factor="1", drift="4"),
    controls=[_FACTOR, Control("drift 4 -> 3", dict(drift="3"))],
)
def lemma_d9(factor: str, drift: str) -> Evidence:
    """Beside it: MX-LEMD9-S6 with b = 1/3, which has the same drift and (for 4/3 <= 2) no more gradient."""
    setting = SettingOfDisplay(one_round.variance(_R(drift), ZERO, ZERO, sp.Integer(2)), one_round.move, Smooth(1))
    known = {"MX-LEMD9-S6 (b = 1/3)": LEMMA_D9_SHARP.expression.subs(b, _R(1, 3))} if drift == "4" else {}
    return judge(MOVE, setting, factor, printed=LEMMA_D9, proved=known)


@convex_claim(
    "MX-LEMD10-S8",
    source="Lemma D.10 at named parameters, with central noise",
    statement=r"\mathbb{E}\|x^{(t+1)}-x^*\|^2\le(1+10^{-6})\|x^{(t)}-x^*\|^2-\tilde\eta(f(x^{(t)})-f(x^*))+\tfrac5{16}"
    r"\mathcal{E}^{(t)}+c\,\tilde\eta^2\sigma_c^2,\quad " + shown(NEAR, r"\tilde\eta\beta"),
    headline="Certified: less than half of the printed noise is needed in one round",
    summary="With gap 1 and drift 5/16 kept (mu = 0, eta_s = 1), the central noise alone enters with less than 1 instead of 2, and "
    "with client noise less than half of what is printed is needed.",
    depends=("MX-LEMD10", "MX-LEMD10-S7"),
    printed=dict(factor="1", drift="5/16"),
    controls=[_FACTOR, Control("drift 5/16 -> 1/8", dict(drift="1/8"))],
)
def lemma_d10(factor: str, drift: str) -> Evidence:
    """Beside it: Lemma D.10 with Lemma D.9 split by b = 1/3 (both variances 4/3, gap 4/3, the same drift)."""
    third = _R(4, 3)
    setting = SettingOfDisplay(distance(ONE, _R(drift), ONE, ONE, _R(3, 2)), near, SmoothConvex(1))
    split = distance(third, _R(5, 16), third, third, _R(3, 2))
    known = {"MX-LEMD10 (b = 1/3)": split} if drift == "5/16" else {}
    return judge(NEAR, setting, factor, printed=LEMMA_D10, proved=known)


@convex_claim(
    "MX-CVX-REC-S6",
    source="Appendix D.2.1, convex recursion at named parameters",
    statement=r"\mathbb{E}\|x^{(t+1)}-x^*\|^2\le(1+10^{-6})\|x^{(t)}-x^*\|^2-2\tilde\eta(f(x^{(t)})-f(x^*))+c\,"
    r"\tilde\eta^2\sigma_c^2,\quad " + shown(RECURSION, r"\tilde\eta\beta"),
    headline="Certified: the convex recursion with central noise and a third of its constant",
    summary="The recursion with central noise (mu = 0, eta_s = 4/5): with the decrease 2 instead of 1 - 1/S = 0 the central noise "
    "alone enters with 1 instead of 3, and both together with hardly more than sigma_c^2 + sigma^2/K instead of 3 and 5.",
    depends=("MX-CVX-REC", "MX-CVX-REC-S1", "MX-CVX-REC-S3"),
    printed=dict(factor="1", decrease="2"),
    controls=[_FACTOR, Control("decrease 17/8", dict(decrease="17/8"))],
)
def recursion(factor: str, decrease: str) -> Evidence:
    """Beside it: MX-CVX-REC-S1, whose decrease is 17/20."""
    setting = SettingOfDisplay(assembly.convex(_R(decrease), ONE, ONE), near, SmoothConvex(1), Fraction(4, 5))
    known = {"MX-CVX-REC-S1": assembly.CVX_REC_SHARP.expression} if decrease == "2" else {}
    return judge(RECURSION, setting, factor, printed=assembly.CVX_REC, proved=known)


def _drift_proved(key: Key) -> sp.Expr:
    """MX-LEMD11-S11 without client noise, where it is exact; MX-LEMD11-S10 with it."""
    return (LEMMA_D11_SHARP if key[2] else LEMMA_D11_EXACT).expression


def _drift(gradient: str, functions: FunctionClass) -> SettingOfDisplay:
    """The drift over the points after each step, the harder reading on a left-hand side."""
    bound = drift_bounds.bound("", _R(gradient), ONE, ONE, (), gradient=True)
    return SettingOfDisplay(bound.expression, AFTER, functions)


@named_parameters(
    "MX-LEMD11-S12",
    source="Lemma D.11 at named parameters, with central noise",
    statement=r"\frac1K\sum_{k=1}^K\mathbb{E}\|x^{(t,k)}-x^{(t)}\|^2\le10^{-6}\|x^{(t)}-x^*\|^2+K^2\eta^2\big(2\|\nabla f(x^{(t)})"
    r"\|^2+c\,\sigma_c^2\big),\quad " + shown(DRIFT, r"\eta\beta"),
    headline="Certified: a quarter of the printed noise suffices for the client drift",
    summary="With the gradient term of MX-LEMD11-S10 kept, the central noise alone enters with (K+1)(2K+1)/(6 K^2), as "
    "MX-LEMD11-S11 proves for all K; with client noise a quarter of what is printed (with a larger gap term) is enough, up to the "
    "step 2/beta.",
    assumptions=("f_f, f_c convex and beta-smooth", *NOISE),
    depends=("MX-LEMD11", "MX-LEMD11-S10", "MX-LEMD11-S11"),
    printed=dict(factor="1", gradient="2"),
    controls=[_FACTOR, Control("gradient 2 -> 1/3", dict(gradient="1/3"))],
)
def lemma_d11(factor: str, gradient: str) -> Evidence:
    known = {} if gradient != "2" else {"MX-LEMD11-S10, S11": _drift_proved}
    return judge(DRIFT, _drift(gradient, SmoothConvex(1)), factor, printed=LEMMA_D11, proved=known)


@smooth_claim(
    "MX-LEMD13-S8",
    source="Lemma D.13 at named parameters, with central noise",
    statement=r"\frac1K\sum_{k=1}^K\mathbb{E}\|x^{(t,k)}-x^{(t)}\|^2\le K^2\eta^2\big(2\|\nabla f(x^{(t)})\|^2+c\,\sigma_c^2\big)"
    r",\quad " + shown(NONCONVEX, r"\eta\beta"),
    headline="Certified: the printed noise of the drift is many times what is needed",
    summary="With the gradient term of MX-LEMD13-S7 kept (a quarter of the printed one at the largest step) the printed noise "
    "terms are 8.8 to 17.6 times what is needed, and 7.4 to 13.3 times at steps nine times the theorem's limit.",
    depends=("MX-LEMD13", "MX-LEMD13-S7"),
    printed=dict(factor="1", smoothness="1"),
    controls=[_FACTOR, _SMOOTHER],
)
def lemma_d13(factor: str, smoothness: str) -> Evidence:
    """The drift over the points after each step; the printed noise terms are those at eta_s = 1."""

    def known(key: Key) -> sp.Expr | None:
        return LEMMA_D13_SHARP.expression if key[0] * Fraction(key[1]) <= LIMIT else None

    proved = {"MX-LEMD13-S7": known} if smoothness == "1" else {}
    setting = _drift("2", Smooth(Fraction(smoothness)))
    return judge(NONCONVEX, setting, factor, printed=LEMMA_D13, proved=proved)


@quiet_claim(
    "MX-LEMD12-S10",
    source="Lemma D.12 at named parameters, with central noise",
    statement=r"\mathbb{E}f(x^{(t+1)})\le f(x^{(t)})-\tfrac49\tilde\eta\|\nabla f(x^{(t)})\|^2+\tfrac\beta{27}\mathcal{E}^{(t)}"
    r"+c\,\beta\tilde\eta^2\sigma_c^2,\quad " + shown(DESCENT, r"\tilde\eta\beta"),
    headline="Certified: in the decrease lemma the central noise has no room left",
    summary="With the printed decrease and drift the central noise enters with 0.95 to 0.98, where 1 is printed: no room is left. "
    "(Noise of the clients makes the last model a noisy average, at which the engine has no gradients; the proofs cover it.)",
    depends=("MX-LEMD12[f_f and f_c beta-smooth]",),
)
def lemma_d12(factor: str, smoothness: str) -> Evidence:
    """Beside it: the lemma, proved for eta_s >= sqrt(S)."""
    display = one_round.descent(_R(4, 9), _R(1, 27), ZERO, ZERO)
    known = {"MX-LEMD12": LEMMA_D12.expression} if smoothness == "1" else {}
    setting = SettingOfDisplay(display, gain, Smooth(Fraction(smoothness)))
    return judge(DESCENT, setting, factor, printed=LEMMA_D12, proved=known)


@quiet_claim(
    "MX-NC-REC-S3",
    source="Appendix D.2.2, non-convex recursion at named parameters, with central noise",
    statement=r"\mathbb{E}f(x^{(t+1)})\le f(x^{(t)})-\tfrac34\tilde\eta\|\nabla f(x^{(t)})\|^2+c\,\beta\tilde\eta^2\sigma_c^2,"
    r"\quad " + shown(SMOOTH_RECURSION, r"\tilde\eta\beta"),
    headline="Certified: the non-convex recursion with central noise at half its constant",
    summary="The recursion without convexity: with the decrease 3/4 instead of the printed 1/3 the central noise enters with less "
    "than 1 instead of 2.",
    depends=("MX-NC-REC", "MX-NC-REC-S2"),
)
def smooth_recursion(factor: str, smoothness: str) -> Evidence:
    """Beside it: MX-NC-REC-S2, which has the same decrease."""
    setting = SettingOfDisplay(assembly.smooth(_R(3, 4), ZERO, ZERO), gain, Smooth(Fraction(smoothness)))
    known = {"MX-NC-REC-S2": assembly.NC_REC_SHARP.expression} if smoothness == "1" else {}
    return judge(SMOOTH_RECURSION, setting, factor, printed=assembly.NC_REC, proved=known)


if __name__ == "__main__":
    run_script(__file__)
