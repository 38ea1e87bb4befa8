"""What the derivations of the lecture note start from: smooth clients, one step of their average, the sum over the steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from fltheory.derivation.packs import suppose
from fltheory.derivation.replay import Underivable
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.theory.bound import Bound
from fltheory.theory.lecture2022 import bounds
from verify.lecture2022.derivations.words import form
from verify.lecture2022.displays import proof

#: Step sizes up to 1/L in Theorem 1, up to 1/(6LK) in Theorem 3.
STEP, SHORT_STEP = "1/L", "1/(6*L*K)"
#: Steps since the clients were last equal, at most: the printed code and FedAvg proper.
LONGEST = {"printed": "K", "FedAvg": "K - 1"}


@dataclass(frozen=True)
class RateInRoots:
    """N = p^2, T = q^2 and a step size in p and q.

    ``q`` and ``high`` are the ends of q, ``local_steps`` is K where it is one number, and ``C`` the lower end of a constant c^2
    in what K grows with, if there is one.
    """

    step: str
    q: str = "p"
    high: str | None = None
    local_steps: str | None = None
    C: str = ""


def parameters(
    title: str, low: str = "0", top: str | None = STEP, rate: RateInRoots | None = None, local_steps: str | None = None
) -> Derivation:
    """Axes and numbers: N, T, K, L, the step size s between ``low`` and ``top``, and the bounds of the assumptions."""
    d = Derivation(title)
    declare(d, "axes k xi past t; N >= 1")
    d.parameter("K", 1, rate.local_steps if rate else local_steps)
    declare(d, "T, L > 0")
    d.parameter("s", low, top, low_open=low == "0")
    declare(d, "G, sigma, sigma_G, gap >= 0")
    if rate is not None:
        d.parameter("p", 1)
        d.parameter("q", rate.q, rate.high, low_open=rate.q == "0")
        if rate.C:
            d.parameter("C", rate.C)
        for name, chosen in (("N", "p**2"), ("T", "q**2"), ("s", rate.step)):
            d.choose(name, chosen)
    return d


def every(d: Derivation) -> str:
    """All axes over which a step is averaged."""
    return " ".join(axis for axis in d.state.axes if axis != "t")


def one_step_of(d: Derivation, full: bool = True) -> None:
    """Clients at x, their average u, a step of it along the average of gradient and noise, and what is supposed.

    Of the average of a cohort, not ``full``, nothing is said.
    """
    declare(d, "function f over k; f at x, u; noise over k xi past t, mean 0 over xi")
    d.vector("u1", "xi past t", equals="u - s*mean(g_x + noise, k)" if full else None)
    declare(d, "f at u1; next f_u = f_u1; value f_star")
    suppose(d, "Lipschitz gradients", of="f", L="L")
    suppose(d, "smooth", of="f", L="L")
    suppose(d, "infimum of the average", of="f", f_star="f_star")
    suppose(d, "bounded variance", sigma2="sigma**2", noise="noise")


A = "sq(mean(g_u, k))"
#: The displays of the proof that every step of the average obeys, by their names in :mod:`verify.lecture2022.displays.proof`.
NODES: Mapping[str, Bound] = {
    "(1)": proof.p_1,
    "squared step": proof.p_3_square,
    "mean and noise": proof.p_3_split,
    "(3)": proof.p_3,
    "cross term": proof.p_4_step,
    "unbiasedness": proof.p_4_mean,
    "(4)": proof.p_4,
    "(7)": bounds.one_step,
    "definition of f": proof.p_7_definition,
    "one sum": proof.p_7_scaled,
    "Jensen": proof.p_7_jensen,
    "smoothness": proof.p_7_smooth,
}
#: From the squared difference of the averaged gradients to the drift.
CHAIN = ("definition of f", "one sum", "Jensen", "smoothness")


def shown(d: Derivation, name: str, display: Bound, facts: Mapping[str, str], unfold: str = "", **more: object) -> None:
    """A display as a node, averaged over all that is drawn."""
    relation = "=" if display.relation == "=" else ">="
    d.combine(name, form(display), over=every(d), facts=facts, unfold=unfold, relation=relation, **more)


def displays(d: Derivation, *, independent: bool = True) -> None:
    """The numbered displays of the proof of Theorem 1, and what they give for s <= 1/L."""

    def node(name: str, facts: Mapping[str, str], unfold: str = "", **more: object) -> None:
        shown(d, name, NODES[name], facts, unfold, **more)

    d.assume("descent", "smooth", ["u", "u1"])
    d.assume("gradients at the clients' points", "Lipschitz gradients", ["x", "u"])
    d.assume("variance", "bounded variance")
    if not independent:
        raise Underivable("without independence of the clients nothing is known of the variance of the averaged noise")
    d.independent("variance of the average", "variance", noise="noise", clients="k", total="V")
    granted(d, "equal weights", V="V", sigma="sigma", N="N")
    node("(1)", {"descent": "1"})
    node("squared step", {}, "u1")
    node("mean and noise", {})
    noise = {"variance of the average": "s**2", "equal weights": "-s**2"}
    node("(3)", {**noise, "squared step": "1", "mean and noise": "1"})
    node("cross term", {}, "u1")
    node("unbiasedness", {})
    node("(4)", {})
    node("(7)", {"(1)": "1", "(3)": "L/2", "cross term": "1", "unbiasedness": "1", "(4)": "1"})
    node("definition of f", {})
    node("one sum", {})
    node("Jensen", {}, squares=[["1", "g_u - g_x - mean(g_u - g_x, k)"]])
    node("smoothness", {"gradients at the clients' points": "1"})
    facts = {"(7)": "2/s", **dict.fromkeys(CHAIN, "1")}
    d.combine("one step", one_step(), over=every(d), facts=facts, squares=[["1 - s*L", "mean(g_x, k)"]])


def one_step(descent: str = "2", drift: str = "1") -> str:
    """One step with factors of the decrease of f, and with it of the noise, and of the drift."""
    return f"{descent}/s*(f_u - f_u1) + {drift}*L**2*sq(u - x) + {descent}/2*L*s*sigma**2/N - {A}"


def traded(c: str, *, drift: str | None = None) -> tuple[dict[str, str], list[list[str]]]:
    """One step for another factor ``c`` of the decrease: facts and squares; ``drift`` is at least the factor that suffices."""
    c = f"({c})"
    left = f"({c} - 1 - {c}*s*L/2)"
    least = f"({c}*s*L/2 + {c}**2*(1 - s*L)**2/(4*{left}))"
    facts = {"(1)": f"{c}/s", "(3)": f"{c}*L/(2*s)", "cross term": f"{c}/s", "unbiasedness": f"{c}/s"}
    squares = [[left, f"mean(g_u, k) - {c}*(1 - s*L)/(2*{left})*mean(g_u - g_x, k)"]]
    if drift is not None:
        squares.append([f"{drift} - {least}", "mean(g_u - g_x, k)"])
        facts |= dict.fromkeys(CHAIN, drift)
    return facts, squares


def summed(
    d: Derivation,
    drift: str,
    facts: Mapping[str, str],
    more: Sequence[str] = (),
    *,
    step: str = "one step",
    descent: str = "2",
) -> None:
    """The average over T steps of one step with a bound of the drift: gap 2/(sT), then the rest.

    ``more`` are numbers in the bound of the drift that telescope too; ``descent`` is the factor of the decrease in ``step``.
    """
    rest, share = f"{drift} + {descent}/2*L*s*sigma**2/N - {A}", f"{descent}/s"
    d.combine("a step with drift", f"{share}*(f_u - f_u1) + {rest}", over=every(d), facts={step: "1", **facts})
    value_of_f(d)
    used = {"a step with drift": "1", "Phi": share, "Phi_next": f"-{share}"}
    d.combine("a step in numbers", f"{share}*(Phi - Phi_next) + {rest}", over=every(d), facts=used)
    d.telescope("all steps summed", "a step in numbers", ["Phi", *more], "T")
    ends_of_f(d)


def value_of_f(d: Derivation) -> None:
    """The expected value Phi of f at the average, before and after a step."""
    ends = {"first": "Phi_1", "last": "Phi_last"}
    d.define("Phi", "f_u", over="k past", time="t", next="Phi_next", over_next=every(d), **ends)


def ends_of_f(d: Derivation) -> None:
    """At the start Phi is f* and the gap, at the end at least f*."""
    d.assume("lower bound", "infimum of the average", ["u1"])
    d.combine("Phi_next >= f*", "Phi_next - f_star", over=every(d), facts={"lower bound": "1", "Phi_next": "1"})
    d.end("last value", "Phi_next >= f*", ["Phi"], last=True)
    granted(d, "gap at the start", fact="gap", gap="gap", Phi_1="Phi_1", f_star="f_star")


#: What stands for the roots of N and T at a :class:`RateInRoots`.
ROOTS: Mapping[sp.Basic, str] = {sp.sqrt(bounds.N): "p", sp.sqrt(bounds.T): "q", bounds.c**2: "C"}


def conclude(
    d: Derivation,
    bound: Bound,
    rate: RateInRoots | None = None,
    facts: Mapping[str, str] | None = None,
    descent: str = "2",
) -> None:
    """The average squared gradient is at most the bound's own expression."""
    right = text_of(bound.expression, ROOTS if rate else None)
    facts = {"all steps summed": "1", "gap": f"{descent}/(s*T)", "last value": f"{descent}/(s*T)", **(facts or {})}
    d.combine("conclusion", f"{right} - {A}", over=f"{every(d)} t", facts=facts)
