"""1-way Gradient Transfer with clients that differ: the proofs for equal clients, with sigma^2 + K sigma_f^2 for sigma^2.

A round is set up under the names of :mod:`~verify.mixed2022.derivations.one_round`, so that its lemmas and recursions are derived
by the same lines: ``g_x`` is the mean gradient, and the choice of the cohort belongs to the noise n.  In the local steps it is the
clients' deviation from the mean gradient that belongs to the central noise c, and g_y is moved by as much.
"""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import one_round
from verify.mixed2022.derivations.local_steps import ALL as LOCAL
from verify.mixed2022.derivations.local_steps import at_every_step, conclude, steps_of_a_client
from verify.mixed2022.derivations.one_function import cocoercive, losses
from verify.mixed2022.derivations.one_round import (
    AMOUNTS,
    GAP,
    cohorts_drift,
    convex_losses,
    lemma_d9,
    perturbed_convexity,
)
from verify.mixed2022.derivations.recursions import SHARP_CONVEX, SHARP_SMOOTH, convex_round, smooth_round

_CENTRAL = ["xc", "0", "unbiased central gradient"]


def clients(title: str, *axes: tuple[str, str]) -> Derivation:
    """Losses ``ff`` of the clients, each with a gradient of its own at the model x: on average at most F from their mean."""
    d = losses(title)
    for axis, kind in (("k", "clients"), ("xi", "noise"), ("xc", "noise"), *axes):
        d.axis(axis, kind)
    declare(d, "K >= 1; F, sigma2 >= 0")
    declare(d, "function ff over k; function fc; x; ff at x as v_x, u_x; fc at x as fc_x, gc_x")
    declare(d, "let f_x = mean(v_x, k); let g_x = mean(u_x, k)")
    granted(d, "bounded spread", "x", fact="spread", of="ff", F="F")
    return d


def one_way_round(title: str, *, top: str, factor: str) -> Derivation:
    """A round of a uniform cohort; V is sigma^2 + factor F, and n the noise with the choice of the cohort."""
    d = clients(title, ("S", "cohort"), ("j", "steps"))
    declare(d, f"count >= 2; 1 <= size <= count; C >= 0; let V = sigma2 + ({factor})*F")
    d.parameter("e", 0, top)
    declare(d, "y over k j xi xc; ff at y; h over k xi xc = mean(g_y - u_x, j)")
    d.cohort("M", of="h", clients="k", axis="S", scheme="equal inclusion", size="size")
    scheme = {"scheme": "without replacement", "size": "size", "count": "count"}
    d.cohort("own", of="u_x", clients="k", axis="S", **scheme)
    declare(d, "z over S xi xc, mean 0 over xi; let n = z + own - g_x")
    d.vector("c", "xc", mean=[_CENTRAL])
    d.vector("x1", "S xi xc", equals="x - e*(g_x + gc_x + c + M + n)")
    granted(d, "Lipschitz gradients", "x y", of="ff", L="beta")
    granted(d, "variance of a mean", fact="noise of the clients", V="sigma2", K="K", S="size", noise="z")
    granted(d, "central variance", C="C", noise="c")
    facts = {"noise of the clients": "1", "own": "-1", "spread": "(count - size)/(size*(count - 1))"}
    d.combine("variance of a mean", "V/(K*size) - sq(n)", over="S k xi", facts=facts)
    cohorts_drift(d, at_x="u_x")
    return d


def near_the_optimum(d: Derivation) -> None:
    """An optimum of the mean of the clients' losses and f_c: D.6, D.4 for f_c, and D.7 at each client's local points."""
    declare(d, "xs; ff at xs as v_xs, u_xs; fc at xs as fc_xs, gc_xs = -mean(u_xs, k); let f_xs = mean(v_xs, k)")
    convex_losses(d)
    for of in ("ff", "fc"):
        cocoercive(d, f"cocoercive {of}", "xs", "x", of=of)
    change = "mean(u_x - u_xs, k)"
    squares = [["1", f"{change} - gc_x + gc_xs"], ["2", f"u_x - u_xs - {change}"]]
    facts = {"cocoercive ff": "4*beta", "cocoercive fc": "4*beta"}
    d.combine("D.6", f"4*beta*{GAP} - sq(g_x + gc_x)", over="k", facts=facts, squares=squares, unfold="gc_xs")
    d.assume("D.4", "fc strongly convex", ["x", "xs"])
    perturbed_convexity(d, "D.7 at the local points", over="k j xi xc")


def local_steps(title: str, *, server: str, top: str) -> Derivation:
    """Local steps: the central noise c has the client's deviation from the mean gradient in it, and C the spread F."""
    d = clients(title, ("past", "past"), ("t", "time"))
    declare(d, "1 <= step <= K over t, next step + 1; sigma_c2, G2 >= 0; let V = sigma2; let C = sigma_c2 + F")
    declare(d, "y over k xc past t; ff at y as v_y, u_y; let g_y = u_y - u_x + g_x; G = g_x + gc_x")
    d.vector("central", "xc", mean=[_CENTRAL])
    declare(d, "let c = central + u_x - g_x")
    granted(d, "central variance", fact="of the centre", C="sigma_c2", noise="central")
    d.combine("central variance", "C - sq(c)", over="k xc", facts={"of the centre": "1", "spread": "1"})
    steps_of_a_client(d, server, top, "sigma2", "u", "central")
    return d


def drift_of_clients(bound: Bound, factor: str = "K", *, convex: bool) -> Mapping[str, JSON]:
    """Lemma D.11 or D.13 for clients that differ."""
    limits = {"server": "0", "top": "2/beta"} if convex else {"server": "1", "top": "1/(18*beta*K*eta_s)"}
    d = local_steps("Mixed FL, drift of clients that differ", **limits)
    at_every_step(d, convex=convex)
    conclude(d, bound, "with the spread in C")
    larger = bound.expression.subs(one_round.V, sp.Symbol("sigma2") + sp.Symbol("larger"))
    right = text_of(larger.subs(one_round.C, sp.Symbol("sigma_c2")), AMOUNTS).replace("larger", f"({factor})*F")
    d.combine("drift", f"{right} - mean(Drift, t)", over=f"{LOCAL} t", facts={"with the spread in C": "1"})
    return d.concluding("drift")


def update_of_clients(bound: Bound, factor: str = "K") -> Mapping[str, JSON]:
    """Lemma D.9 for clients that differ, for every split b."""
    d = one_way_round("Mixed FL, update of clients that differ", top="1/beta", factor=factor)
    d.parameter("b", 0, low_open=True)
    lemma_d9(d, bound, "b")
    return d.concluding("Lemma D.9")


def recursion_of_clients(bound: Bound, factor: str = "K", *, convex: bool) -> Mapping[str, JSON]:
    """The sharpened recursions for clients that differ."""
    top = "1/(8*beta)" if convex else "1/(18*beta)"
    d = one_way_round("Mixed FL, recursion of clients that differ", top=top, factor=factor)
    if convex:
        near_the_optimum(d)
        convex_round(d, bound, *SHARP_CONVEX, supposed=True)
    else:
        smooth_round(d, bound, *SHARP_SMOOTH, supposed=True)
    return d.concluding("recursion")
