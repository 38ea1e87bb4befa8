"""Li et al. (2020) derived: FedAvg from its hypotheses to the one-step inequality (13) and Theorem 1, line by line."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.packs import MINIMISER, UNBIASED, suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import stands_for_the_largest, text_of
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.li2020 import theorems

#: B of (5), as a text of derivations.
B = "(V + 6*L*Gamma + 8*(E - 1)**2*G2)"
#: Everything that is averaged over within a step.
ALL = "k xi j past"
_GT = "2*eta*(1 - 2*L*eta)"


def fedavg(title: str) -> Derivation:
    """Axes, ranges, vectors and hypotheses of FedAvg: w^k = w_(t0) - (steps since t0) times their mean, v = w - eta (g + noise)."""
    d = Derivation(title)
    for axis, kind in (("k", "clients"), ("xi", "noise"), ("j", "steps"), ("past", "past"), ("t", "time")):
        d.axis(axis, kind)
    d.parameter("mu", 0, low_open=True)
    d.parameter("L", "mu")
    d.parameter("gamma", "8*L/mu")
    d.parameter("E", 1, "gamma")
    d.parameter("t_", 1, varies="t", next="t_ + 1")
    d.parameter("eta", 0, "1/(4*L)", varies="t")
    d.parameter("since", 0, "E - 1", varies="t")
    d.parameter("t_j", 1, "t_", varies="j t")
    d.parameter("eta_j", 0, varies="j t")
    for name in ("G2", "Gamma", "D1"):
        d.parameter(name, 0)
    d.parameter("sigma2", 0, varies="k")
    d.vector("wstar")
    d.vector("w0", "past t", latex="w_{t_0}")
    d.vector("g_j", "k j past t", latex="g_j^k")
    d.vector("v_j", "k j past t", equals="eta_j*g_j")
    d.vector("w", "k past t", equals="w0 - since*mean(v_j, j)", latex="w_t^k")
    d.vector("u", "past t", equals="mean(w, k)", latex=r"\bar w_t")
    d.function("F", "k")
    for point in ("w", "u"):
        d.point(point, "F")
    d.point("wstar", "F", mean=[["k", "0", MINIMISER]])
    d.vector("noise", "k xi past t", mean=[["xi", "0", UNBIASED]])
    d.vector("v1", "k xi past t", equals="w - eta*(g_w + noise)", latex="v_{t+1}^k")
    d.distinction("synchronisation", ["synchronised", "local"])
    d.vector("w1", "k xi past t", equals={"synchronised": "mean(v1, k)", "local": "v1"}, latex="w_{t+1}^k")
    d.next("w", "w1")
    d.value("f_inf", "k")
    suppose(d, "smooth", of="F", L="L")
    suppose(d, "strongly convex", of="F", mu="mu")
    suppose(d, "infimum", of="F", f_inf="f_inf")
    suppose(d, "heterogeneity at the minimiser", Gamma="Gamma", f_star="f_wstar", f_inf="f_inf")
    suppose(d, "bounded variance", sigma2="sigma2", noise="noise")
    suppose(d, "bounded gradients", G2="G2", gradient="g_j")
    suppose(d, "within a round", E="E", now="t_", earlier="t_j")
    return d


def printed_steps(d: Derivation) -> None:
    """eta_t = 2/(mu (gamma + t)), now and at the earlier steps of the round, which are at most twice as long."""
    d.choose("eta", "2/(mu*(gamma + t_))")
    d.choose("eta_j", "2/(mu*(gamma + t_j))")
    d.assume("within a round", "within a round")
    facts = {"within a round": "2/(mu*(gamma + t_)*(gamma + t_j))"}
    d.combine("eta_j <= 2 eta_t", "2*eta - eta_j", facts=facts)


def lemma_3(d: Derivation) -> None:
    """The drift: sum_k p_k |w - wbar|^2 <= 4 eta^2 (E - 1)^2 G^2 on average, from steps that are at most 2 eta."""
    d.assume("bounded gradients", "bounded gradients")
    facts = {"bounded gradients": "eta_j**2", "eta_j <= 2 eta_t": "(2*eta + eta_j)*G2"}
    d.combine("a step", "4*eta**2*G2 - sq(v_j)", over="past", facts=facts, unfold="v_j")
    d.combine(
        "Lemma 3",
        "4*eta**2*(E - 1)**2*G2 - sq(w - mean(w, k))",
        over="k j past",
        facts={"a step": "since**2"},
        squares=[["since**2", "v_j - mean(v_j, j)"], ["since**2", "mean(v_j, j, k)"]],
        unfold="w",
    )


def gradient_bound(d: Derivation, point: str) -> None:
    """(16): |grad F_k|^2 <= 2 L (F_k - F_k^*), from smoothness at w - grad F_k(w)/L."""
    axes = " ".join(sorted(d.state.vectors[point]["axes"] | {"k"}))
    d.vector(f"{point}_lower", axes, equals=f"{point} - g_{point}/L")
    d.point(f"{point}_lower", "F")
    d.assume(f"smooth below {point}", "smooth", [point, f"{point}_lower"])
    d.assume(f"infimum below {point}", "infimum", [f"{point}_lower"])
    facts = {f"smooth below {point}": "2*L", f"infimum below {point}": "2*L"}
    target = f"2*L*(f_{point} - f_inf) - sq(g_{point})"
    d.combine(f"(16) at {point}", target, facts=facts, unfold=f"{point}_lower")


def lemma_1(d: Derivation) -> None:
    """(20): the part of a step without noise."""
    for point in ("w", "u"):
        gradient_bound(d, point)
    for name, points in (("(19)", "w wstar"), ("convexity at the average", "u w"), ("F(wbar) >= F*", "wstar u")):
        d.assume(name, "strongly convex", points)
    d.assume("Gamma", "heterogeneity at the minimiser")
    d.combine(
        "(20)",
        "(1 - eta*mu)*sq(mean(w, k) - wstar) + 2*sq(w - mean(w, k)) + 6*L*eta**2*Gamma"
        " - sq(mean(w - eta*g_w, k) - wstar)",
        over="k",
        facts={
            "(16) at w": "2*eta**2",
            "(19)": "2*eta",
            "convexity at the average": _GT,
            "F(wbar) >= F*": f"{_GT}*(1 - eta*L)",
            "(16) at u": "eta**2*(1 - 2*L*eta)",
            "Gamma": f"4*L*eta**2 + {_GT}*eta*L",
        },
        squares=[
            ["1", "mean(w, k) - w + eta*g_w"],
            ["1 - 2*L*eta", "w - mean(w, k) + eta*g_u"],
            [f"2*L*eta + eta*mu + {_GT}*mu/2", "w - mean(w, k)"],
            ["eta**2", "g_w - mean(g_w, k)"],
            [f"{_GT}*(1 - eta*L)*mu/2", "u - wstar"],
        ],
        unfold="u",
    )


def one_step(d: Derivation) -> None:
    """(13): Delta_(t+1) <= (1 - eta mu) Delta_t + eta^2 B."""
    lemma_3(d)
    lemma_1(d)
    d.assume("variance", "bounded variance")
    d.independent("Lemma 2", "variance", noise="noise", clients="k", total="V")
    right = f"(1 - eta*mu)*sq(mean(w, k) - wstar) + eta**2*{B}"
    facts = {"(20)": "1", "Lemma 2": "eta**2", "Lemma 3": "2"}
    d.combine("a step of the average", f"{right} - sq(mean(v1, k) - wstar)", over=ALL, facts=facts, unfold="v1")
    for case in ("synchronised", "local"):
        after, facts = f"{right} - sq(mean(w1, k) - wstar)", {"a step of the average": "1"}
        d.combine(case, after, over=ALL, facts=facts, unfold="w1", case=case)
    d.cases("in both cases", "synchronisation", ["synchronised", "local"])
    square = "sq(mean(w, k) - wstar)"
    d.define("Delta", square, over="k past", time="t", next="Delta_next", over_next=ALL, first="Delta_1")
    facts = {"in both cases": "1", "Delta": "1 - eta*mu", "Delta_next": "-1"}
    d.combine("(13)", f"(1 - eta*mu)*Delta + eta**2*{B} - Delta_next", over=ALL, facts=facts)


def theorem_1(bound: Bound = theorems.theorem_1) -> Mapping[str, JSON]:
    """Theorem 1: the last line is the bound's own expression, with T for t."""
    d = fedavg("Li et al. (2020), Theorem 1")
    printed_steps(d)
    one_step(d)
    suppose(d, "start", D1="D1", Delta_1="Delta_1")
    d.assume("start", "start")
    v = f"(4*{B}/mu**2 + gamma*D1)"
    step = {"keep": "1 - eta*mu", "facts": {"(13)": "1"}, "base": {"start": "1"}}
    d.induction("distance", of="Delta", bound=f"{v}/(gamma + t_ - 1)", index="t_", over=ALL, **step)
    d.assume("smooth at w*", "smooth", ["wstar", "u"])
    names: dict[sp.Basic, str] = {theorems.gamma: "gamma", theorems.T: "t_"}
    stands_for_the_largest(d, "gamma", theorems.gamma, names)
    right = text_of(bound.expression, names)
    facts = {"smooth at w*": "1", "distance": "L/2", "Delta": "L/2"}
    d.combine("Theorem 1", f"{right} - mean(f_u - f_wstar, k)", over=ALL, facts=facts, unfold="u")
    return d.concluding("Theorem 1")
