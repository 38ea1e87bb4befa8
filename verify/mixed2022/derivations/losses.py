"""Losses of clients and of a centre: Propositions D.5 and D.6 of Mixed FL, the printed chain and the way without convexity."""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import convex as displays
from verify.mixed2022.derivations.one_function import cocoercive, losses

_GAP = "mean(f_x - f_xs, k) + fc_x - fc_xs"
_GRADIENT = "mean(g_x, k) + gc_x"
#: What the sides of D.5 and D.6 have, in the letters of the derivations.
_MEANINGS: Mapping[sp.Basic, str] = {
    displays.F: "(mean(f_x, k) + fc_x)",
    displays.Fs: "(mean(f_xs, k) + fc_xs)",
    displays.ClientSum(displays.p * displays.NormSq(displays.g - displays.gs)): "sq(g_x - g_xs)",
    displays.NormSq(displays.gc - displays.gcs): "sq(gc_x - gc_xs)",
    displays.NormSq(displays.ClientSum(displays.p * displays.g) + displays.gc): f"sq({_GRADIENT})",
}


def _target(bound: Bound) -> str:
    """Right side less left side."""
    return f"{text_of(bound.expression, _MEANINGS)} - ({text_of(bound.left, _MEANINGS)})"


def clients_and_centre(title: str, *, convex: bool, optimum: bool) -> Derivation:
    """Convex beta-smooth losses f_k of the clients and f_c of the centre at x and at an optimum x* of their sum."""
    d = losses(title, modulus=False)
    declare(d, "axes k; function f over k; function fc; x; f at x; xs; f at xs; fc at x as fc_x, gc_x")
    d.point("xs", "fc", value="fc_xs", gradient="gc_xs", equals="-mean(g_xs, k)" if optimum else None)
    for of, label in (("f", ""), ("fc", "fc ")):
        suppose(d, "smooth", of=of, name=f"{label}smooth", L="beta")
        if convex:
            suppose(d, "convex", of=of, name=f"{label}convex")
    return d


def near_a_minimiser(title: str, *, convex: bool = True, optimum: bool = True) -> Derivation:
    """The same with the cocoercivity of every loss between x* and x."""
    d = clients_and_centre(title, convex=convex, optimum=optimum)
    cocoercive(d, "clients", "xs", "x", of="f")
    cocoercive(d, "centre", "xs", "x", of="fc")
    return d


def proposition_d5(
    bound: Bound = displays.PROPOSITION_D5, *, convex: bool = True, optimum: bool = True
) -> Mapping[str, JSON]:
    """Proposition D.5."""
    d = near_a_minimiser("Mixed FL, Proposition D.5", convex=convex, optimum=optimum)
    d.combine("Proposition D.5", _target(bound), over="k", facts={"clients": "1", "centre": "1"}, unfold="gc_xs")
    return d.concluding("Proposition D.5")


def proposition_d6(bound: Bound = displays.PROPOSITION_D6, *, convex: bool = True) -> Mapping[str, JSON]:
    """Proposition D.6: |grad f(x)|^2 <= 4 beta (f(x) - f*), from D.5's cocoercivity and two squares."""
    d = near_a_minimiser("Mixed FL, Proposition D.6", convex=convex)
    facts = {"clients": "4*beta", "centre": "4*beta"}
    squares = [["1", "mean(g_x - g_xs, k) - gc_x + gc_xs"], ["2", "g_x - g_xs - mean(g_x - g_xs, k)"]]
    d.combine("Proposition D.6", _target(bound), over="k", facts=facts, squares=squares, unfold="gc_xs")
    return d.concluding("Proposition D.6")


def chain_of_d6(line: int, factor: str, *, optimum: bool = True) -> Mapping[str, JSON]:
    """The three inequalities of the printed proof of D.6, with another factor in one of them."""
    title = f"Mixed FL, Proposition D.6, inequality {line}"
    client, centre = "mean(g_x - g_xs, k)", "gc_x - gc_xs"
    if line == 1:
        d, facts = clients_and_centre(title, convex=True, optimum=optimum), {}
        target = f"{factor}*sq({client}) + {factor}*sq({centre}) - sq({_GRADIENT})"
        squares = [["1", f"{client} - gc_x + gc_xs"], [f"{factor} - 2", client], [f"{factor} - 2", centre]]
    elif line == 2:
        d, facts = clients_and_centre(title, convex=True, optimum=False), {}
        target = f"2*({factor})*sq(g_x - g_xs) - 2*sq({client})"
        squares = [[f"2*({factor})", f"g_x - g_xs - {client}"], [f"2*({factor}) - 2", client]]
    else:
        d = near_a_minimiser(title, optimum=optimum)
        facts = dict.fromkeys(("clients", "centre"), f"4*({factor})*beta")
        target = f"4*({factor})*beta*({_GAP}) - 2*sq(g_x - g_xs) - 2*sq({centre})"
        squares = [[f"2*({factor}) - 2", vector] for vector in ("g_x - g_xs", centre)]
    unfold = "gc_xs" if line != 2 else ""
    d.combine("the inequality", target, over="k", facts=facts, squares=squares, unfold=unfold)
    return d.concluding("the inequality")


def without_convexity(
    bound: Bound = displays.PROPOSITION_D6, factor: str = "1", *, minimiser: bool = True
) -> Mapping[str, JSON]:
    """Proposition D.6 for a global minimiser x*: D.1 from x to w = x - grad f(x)/(2 beta) for every loss, and f(w) >= f(x*)."""
    d = clients_and_centre("Mixed FL, Proposition D.6 without convexity", convex=False, optimum=False)
    declare(d, f"w = x - ({_GRADIENT})/(2*beta); f at w; fc at w as fc_w, gc_w")
    if minimiser:
        suppose(d, "global minimiser of a sum", f="f_w", h="fc_w", f_star="f_xs", h_star="fc_xs")
    d.assume("clients", "smooth", ["x", "w"])
    d.assume("centre", "fc smooth", ["x", "w"])
    d.assume("minimiser", "global minimiser of a sum")
    facts = dict.fromkeys(("clients", "centre", "minimiser"), f"4*({factor})*beta")
    squares = [[f"({factor}) - 1", _GRADIENT]]
    d.combine("Proposition D.6", _target(bound), over="k", facts=facts, squares=squares, unfold="w")
    return d.concluding("Proposition D.6")


def tilts_cancel(*, centre_tilted: bool = True, optimum: bool = True) -> Mapping[str, JSON]:
    """The tilted losses add up to f."""
    d = clients_and_centre("Mixed FL, Proposition D.5, tilts", convex=False, optimum=optimum)
    centre = "fc_x - dot(gc_xs, x)" if centre_tilted else "fc_x"
    target = f"f_x - dot(g_xs, x) + {centre} - mean(f_x, k) - fc_x"
    d.combine("the tilts", target, over="k", unfold="gc_xs" if optimum else "", relation="=")
    return d.concluding("the tilts")
