"""Lemmas 2, 3 and 5 and the one-step recursions of Li et al. (2020) for any step sizes that they allow."""

from collections.abc import Sequence
from functools import cache

import sympy as sp

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import Derived, ending, text_of
from fltheory.evidence.things import declare
from verify.li2020.derivations.fedavg import ALL, SAMPLED, any_steps, clients, fedavg
from verify.li2020.derivations.letters import bound_text
from verify.li2020.derivations.one_step import (
    SHARP_DRIFT,
    lemma_1_sharp,
    lemma_2,
    lemma_3,
    lemma_5,
    step_of_the_average,
)
from verify.li2020.derivations.theorems import SHARE, one_step


def step_of_average(expression: sp.Expr, drift: sp.Expr, power: int, top: sp.Expr) -> Derived:
    """Lemma 1: E|vbar_{t+1} - w*|^2 <= expression, with this coefficient of the drift, for steps up to ``top``."""

    def last(d: Derivation) -> None:
        lemma_1_sharp(d, text_of(drift), power)
        target, facts = f"{bound_text(expression)} - sq(mean(v1, k) - wstar)", {"without noise": "1"}
        d.combine("the statement", target, over="k xi past", facts=facts, unfold="v1")

    return ending(lambda: clients("Li et al. (2020), Lemma 1", text_of(top), True), last, "the statement")


def variance(expression: sp.Expr, independent: bool = True) -> Derived:
    """Lemma 2: E|g_t - gbar_t|^2 <= expression."""

    def last(d: Derivation) -> None:
        if independent:
            lemma_2(d)
        d.combine("the statement", f"{bound_text(expression)} - n", over="k xi", facts={"Lemma 2": "1"})

    return ending(lambda: clients("Li et al. (2020), Lemma 2"), last, "the statement")


def drift(expression: sp.Expr, ratio: str = "2", falling: bool = True) -> Derived:
    """Lemma 3: E sum_k p_k |wbar_t - w^k_t|^2 <= expression."""

    def last(d: Derivation) -> None:
        any_steps(d, ratio, falling)
        lemma_3(d, ratio)
        d.combine("the statement", f"{bound_text(expression)} - drift", over="k j past", facts={"Lemma 3": "1"})

    return ending(lambda: fedavg("Li et al. (2020), Lemma 3"), last, "the statement")


@cache
def _cohort(scheme: str, ratio: str, draws: str) -> Derivation:
    d = fedavg(f"Li et al. (2020), Lemma 5, Scheme {scheme}", scheme, draws=draws)
    any_steps(d, ratio)
    lemma_3(d, ratio, "past" if draws else "")
    lemma_5(d, SHARE[scheme], ratio, draws)
    return d


def cohort(expression: sp.Expr, scheme: str, ratio: str = "2", draws: str = "xi past", over: str = SAMPLED) -> Derived:
    """Lemma 5: the mean of |vbar - wbar|^2 over the axes is at most the expression; gradients bounded on average over ``draws``."""

    def last(d: Derivation) -> None:
        left = "sq(drawn - mean(v1, k))"
        d.combine("the statement", f"{bound_text(expression)} - {left}", over=over, facts={"Lemma 5": "1"})

    return ending(lambda: _cohort(scheme, ratio, draws), last, "the statement")


@cache
def _any_step(scheme: str, independent: bool) -> Derivation:
    d = fedavg("Li et al. (2020), one step", scheme)
    any_steps(d)
    one_step(d, scheme, independent)
    return d


def sharp_recursion(expression: sp.Expr) -> Derived:
    """(13) from the sharp form of Lemma 1, for steps up to 2/(L + mu)."""

    def last(d: Derivation) -> None:
        lemma_1_sharp(d)
        any_steps(d)
        lemma_2(d)
        lemma_3(d)
        facts = {"without noise": "1", "Lemma 2": "eta**2", "Lemma 3": SHARP_DRIFT}
        step_of_the_average(d, bound_text(expression), facts)
        d.cases("the statement", "synchronisation", ["synchronised", "local"])

    begun = {"top": "2/(L + mu)", "apart": True}
    return ending(lambda: fedavg("Li et al. (2020), one sharp step", **begun), last, "the statement")


def recursion(expression: sp.Expr, scheme: str = "full", at: str = "(13)", independent: bool = True) -> Derived:
    """(13), (25): E|wbar_{t+1} - w*|^2 <= expression at every step, or where ``at`` says.

    Between two synchronisations the new average is that of the v, at one it is the drawn one.
    """
    after = {"local": "mean(v1, k)", "synchronised": "drawn"}.get(at, "mean(w1, k)")
    facts = {"local": ("a step of the average",), "synchronised": ("a step of the average", "Lemma 5")}.get(at, (at,))

    def last(d: Derivation) -> None:
        over = ALL if scheme == "full" else SAMPLED
        target = f"{bound_text(expression)} - sq({after} - wstar)"
        d.combine("the statement", target, over=over, facts=dict.fromkeys(facts, "1"))

    return ending(lambda: _any_step(scheme, independent), last, "the statement")


def split(cross: int) -> Derived:
    """The distance after a synchronisation, split at vbar."""

    def last(d: Derivation) -> None:
        parts = (
            f"sq(drawn - mean(v1, k)) + sq(mean(v1, k) - wstar) + {cross}*dot(drawn - mean(v1, k), mean(v1, k) - wstar)"
        )
        d.combine("the statement", f"{parts} - sq(drawn - wstar)", relation="=")

    return ending(lambda: fedavg("Li et al. (2020), split of the distance", "I"), last, "the statement")


def virtual_step() -> Derived:
    """vbar_{t+1} = wbar_t - eta g_t, with g_t the average of the stochastic gradients at the local points."""
    step = "sq(mean(v1, k) - (mean(w, k) - eta*mean(g_now, k)))"

    def last(d: Derivation) -> None:
        d.combine("the statement", step, over="k", relation="=", unfold="v1 g_now")

    return ending(lambda: clients("Li et al. (2020), the averages"), last, "the statement")


def averages() -> Derived:
    """vbar_{t+1} = wbar_t - eta g_t, E g_t = gbar_t, and wbar_{t+1} = vbar_{t+1} at a synchronisation and between two."""

    def begun() -> Derivation:
        d = Derivation("Li et al. (2020), the averaged step")
        declare(d, "axes k xi past t")
        d.parameter("eta", 0, varies="t", latex=r"\eta_t")
        d.function("F", "k")
        d.vector("w", "k past t", latex="w_t^k")
        declare(d, "F at w; noise over k xi past t, mean 0 over xi")
        d.vector("g_now", "k xi past t", equals="g_w + noise", latex="g_t^k")
        d.vector("v1", "k xi past t", equals="w - eta*g_now", latex="v_{t+1}^k")
        d.distinction("synchronisation", ["synchronised", "local"])
        d.vector("w1", "k xi past t", equals={"synchronised": "mean(v1, k)", "local": "v1"}, latex="w_{t+1}^k")
        return d

    def last(d: Derivation) -> None:
        d.combine("a step", "sq(mean(v1, k) - (mean(w, k) - eta*mean(g_now, k)))", relation="=", unfold="v1 g_now")
        d.combine("unbiased", "sq(mean(g_now, k, xi) - mean(g_w, k))", relation="=", unfold="g_now")
        for case in ("synchronised", "local"):
            d.combine(case, "sq(mean(w1, k) - mean(v1, k))", relation="=", unfold="w1", case=case)
        d.cases("the new average", "synchronisation", ["synchronised", "local"])

    return ending(begun, last, "a step", "unbiased", "the new average")


def above_the_minimum(half: str, assumptions: Sequence[str]) -> Derived:
    """F(w) - F* <= half L |w - w*|^2 for a function with these of A1 (smooth) and A2 (strongly convex)."""

    def begun() -> Derivation:
        d = Derivation("Li et al. (2020), the end of B.3")
        declare(d, "mu, L > 0; w, wstar; function F; F at w; F at wstar = 0*wstar")
        for name in assumptions:
            suppose(d, {"A1": "smooth", "A2": "strongly convex"}[name], of="F", L="L", mu="mu")
        return d

    def last(d: Derivation) -> None:
        smooth = "A1" in assumptions
        if smooth:
            d.assume("A1 at w*", "smooth", ["wstar", "w"])
        facts = {"A1 at w*": "1"} if smooth else {}
        squares = [[f"({half} - 1/2)*L", "w - wstar"]] if smooth else []
        target = f"{half}*L*sq(w - wstar) - (f_w - f_wstar)"
        d.combine("the statement", target, facts=facts, squares=squares, unfold="g_wstar")

    return ending(begun, last, "the statement")
