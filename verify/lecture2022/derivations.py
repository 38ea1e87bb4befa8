"""The lecture note derived: local SGD on smooth clients, from its hypotheses to Lemma 1 and Theorem 1, line by line."""

from __future__ import annotations

from collections.abc import Mapping

from fltheory.derivation.packs import UNBIASED, suppose
from fltheory.derivation.replay import Underivable
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.lecture2022 import bounds

#: Everything that is averaged over within a step.
ALL = "k xi j past"
#: Steps since the clients were last equal, at most: the printed code and FedAvg proper.
LONGEST = {"printed": "K", "FedAvg": "K - 1"}


def local_sgd(title: str, code: str) -> Derivation:
    """x_i = x^(t0) - (steps since t0) times their mean, one more step x - s (gradient + noise), and its average."""
    d = Derivation(title)
    for axis, kind in (("k", "clients"), ("xi", "noise"), ("j", "steps"), ("past", "past"), ("t", "time")):
        d.axis(axis, kind)
    for name in ("N", "T", "K"):
        d.parameter(name, 1)
    d.parameter("L", 0, low_open=True)
    d.parameter("s", 0, "1/L", low_open=True)
    for name in ("G", "sigma", "sigma_G", "gap"):
        d.parameter(name, 0)
    d.parameter("since", 0, LONGEST[code], varies="t")
    d.vector("x0", "past t")
    d.vector("G_j", "k j past t")
    d.vector("v_j", "k j past t", equals="s*G_j")
    d.vector("x", "k past t", equals="x0 - since*mean(v_j, j)")
    d.vector("u", "past t", equals="mean(x, k)")
    d.function("f", "k")
    for point in ("x", "u"):
        d.point(point, "f")
    d.vector("noise", "k xi past t", mean=[["xi", "0", UNBIASED]])
    d.vector("u1", "xi past t", equals="u - s*mean(g_x + noise, k)")
    d.point("u1", "f")
    d.next("f_u", "f_u1")
    d.value("f_star")
    suppose(d, "Lipschitz gradients", of="f", L="L")
    suppose(d, "smooth", of="f", L="L")
    suppose(d, "infimum of the average", of="f", f_star="f_star")
    suppose(d, "bounded variance", sigma2="sigma**2", noise="noise")
    suppose(d, "bounded gradients", G2="G**2", gradient="G_j")
    return d


def lemma_1(d: Derivation) -> None:
    """E |xbar - x_i|^2 <= 4 s^2 K^2 G^2 for every client, and s^2 K^2 G^2 on average over the clients."""
    d.assume("bounded gradients", "bounded gradients")
    d.combine("a step", "s**2*G**2 - sq(v_j)", over="past", facts={"bounded gradients": "s**2"}, unfold="v_j")
    own, rest = ["1", "v_j - mean(v_j, j)"], ["1", "mean(v_j, j) - mean(v_j, j, k)"]
    d.combine("own steps", "s**2*G**2 - sq(mean(v_j, j))", over="j past", facts={"a step": "1"}, squares=[own])
    d.combine("all steps", "s**2*G**2 - sq(mean(v_j, j, k))", over="j k past", facts={"own steps": "1"}, squares=[rest])
    d.combine(
        "Lemma 1",
        "4*s**2*K**2*G**2 - sq(u - x)",
        over="past",
        facts={"own steps": "2*since**2", "all steps": "2*since**2"},
        squares=[["since**2", "mean(v_j, j) + mean(v_j, j, k)"]],
        unfold="u x",
    )
    squares = [["since**2", "mean(v_j, j, k)"]]
    facts = {"own steps": "since**2"}
    d.combine("average drift", "s**2*K**2*G**2 - sq(u - x)", over="k past", facts=facts, squares=squares, unfold="u x")


def one_step(d: Derivation, *, independent: bool = True) -> None:
    """|grad f(xbar)|^2 <= 2/s (f(xbar) - f(xbar')) + L^2 (average drift) + L s sigma^2/N on average, for s <= 1/L."""
    d.assume("descent", "smooth", ["u", "u1"])
    d.assume("gradients at the clients' points", "Lipschitz gradients", ["x", "u"])
    d.assume("variance", "bounded variance")
    if not independent:
        raise Underivable("without independence of the clients nothing is known of the variance of the averaged noise")
    d.independent("variance of the average", "variance", noise="noise", clients="k", total="V")
    suppose(d, "equal weights", V="V", sigma="sigma", N="N")
    d.assume("equal weights", "equal weights")
    d.combine(
        "one step",
        "2/s*(f_u - f_u1) + L**2*sq(u - x) + L*s*sigma**2/N - sq(mean(g_u, k))",
        over=ALL,
        facts={
            "descent": "2/s",
            "gradients at the clients' points": "1",
            "variance of the average": "L*s",
            "equal weights": "-L*s",
        },
        squares=[["1 - s*L", "mean(g_x, k)"], ["1", "g_u - g_x - mean(g_u - g_x, k)"]],
        unfold="u1",
    )


def summed(d: Derivation, drift: str, facts: Mapping[str, str]) -> None:
    """The average over T steps, with a bound of L^2 times the average drift: gap 2/(sT), then the rest."""
    rest = f"{drift} + L*s*sigma**2/N - sq(mean(g_u, k))"
    d.combine("a step with drift", f"2/s*(f_u - f_u1) + {rest}", over=ALL, facts={"one step": "1", **facts})
    d.define("Phi", "f_u", over="k past", time="t", next="Phi_next", over_next=ALL, first="Phi_1", last="Phi_last")
    facts = {"a step with drift": "1", "Phi": "2/s", "Phi_next": "-2/s"}
    d.combine("a step in numbers", f"2/s*(Phi - Phi_next) + {rest}", over=ALL, facts=facts)
    d.telescope("all steps summed", "a step in numbers", ["Phi"], "T")
    d.assume("lower bound", "infimum of the average", ["u1"])
    d.combine("Phi_next >= f*", "Phi_next - f_star", over=ALL, facts={"lower bound": "1", "Phi_next": "1"})
    d.end("last value", "Phi_next >= f*", ["Phi"], last=True)
    suppose(d, "gap at the start", gap="gap", Phi_1="Phi_1", f_star="f_star")
    d.assume("gap", "gap at the start")


def lemma_1_alone(bound: Bound = bounds.lemma_1, code: str = "printed") -> Mapping[str, JSON]:
    """Lemma 1, for every client or on average over the clients."""
    d = local_sgd("Lecture note, Lemma 1", code)
    lemma_1(d)
    each = bound.left == bounds.CLIENT_DRIFT
    over, fact = ("past", "Lemma 1") if each else ("k past", "average drift")
    d.combine("conclusion", f"{text_of(bound.expression)} - sq(u - x)", over=over, facts={fact: "1"})
    return d.concluding("conclusion")


def theorem_1(
    bound: Bound = bounds.theorem_1, code: str = "printed", *, independent: bool = True
) -> Mapping[str, JSON]:
    """Theorem 1: the last line is the bound's own expression."""
    d = local_sgd("Lecture note, Theorem 1", code)
    lemma_1(d)
    one_step(d, independent=independent)
    summed(d, "s**2*K**2*G**2*L**2", {"average drift": "L**2"})
    facts = {"all steps summed": "1", "gap": "2/(s*T)", "last value": "2/(s*T)"}
    right = text_of(bound.expression)
    d.combine("Theorem 1", f"{right} - sq(mean(g_u, k))", over=f"{ALL} t", facts=facts)
    return d.concluding("Theorem 1")
