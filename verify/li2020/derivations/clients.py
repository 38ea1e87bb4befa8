"""One client at a time in Li et al. (2020): heterogeneity Gamma, the distance of the start, the rescaling of Section 3.3."""

from __future__ import annotations

from collections.abc import Mapping

from fltheory.derivation.packs import UNBIASED, suppose
from fltheory.derivation.script import Derivation
from fltheory.kinds import JSON


def losses(title: str, axes: str = "k") -> Derivation:
    """Losses F_k with infima f_inf at the optimum w* of their mean."""
    d = Derivation(f"Li et al., {title}")
    d.axis("k", "clients")
    d.axis("xi", "noise")
    d.parameter("mu", 0, low_open=True)
    d.function("F", axes)
    d.vector("wstar", axes.replace("k", "").strip())
    d.point("wstar", "F")
    return d


def gamma_nonnegative(offset: str) -> Mapping[str, JSON]:
    """Gamma = mean of F_k(w*) - F_k* >= offset."""
    d = losses("Gamma is nonnegative")
    d.value("f_inf", "k")
    suppose(d, "infimum", of="F", f_inf="f_inf")
    d.assume("infimum", "infimum", ["wstar"])
    d.combine("Gamma", f"mean(f_wstar - f_inf, k) - ({offset})", over="k", facts={"infimum": "1"})
    return d.concluding("Gamma")


def gamma_of_samples(constant: str) -> Mapping[str, JSON]:
    """E Gamma <= mean of constant s^2/(mu n_k), and at most constant s^2/(mu M) if all n_k >= M: strong convexity from w_0."""
    d = losses("Gamma of i.i.d. samples", "k xi")
    d.parameter("s", 0)
    d.parameter("M", 1)
    d.parameter("n", "M", varies="k")
    d.value("r", "k")
    d.vector("w0")
    d.point("w0", "F")
    d.vector("best", "k xi")
    d.point("best", "F")
    suppose(d, "strongly convex", of="F", mu="mu")
    suppose(d, "infimum of the average", of="F", f_star="f_wstar")
    suppose(d, "equal weights", V="r", sigma="s", N="n")
    suppose(d, "bounded variance", sigma2="r", noise="g_w0")
    d.assume("convexity", "strongly convex", ["w0", "best"])
    d.assume("minimiser of the mean", "infimum of the average", ["w0"])
    d.assume("mean of n gradients", "bounded variance")
    d.assume("r", "equal weights")
    gamma = "mean(f_wstar - f_best, k)"
    facts = {"convexity": "1", "minimiser of the mean": "1", "mean of n gradients": f"{constant}/mu"}
    squares = [["1/(2*mu)", "g_w0 + mu*(best - w0)"], [f"({constant} - 1/2)/mu", "g_w0"]]
    d.combine("E Gamma", f"{constant}/mu*mean(r, k) - {gamma}", over="k xi", facts=facts, squares=squares)
    d.combine("many samples each", "s**2/M - r", facts={"r": "-1"})
    facts = {"E Gamma": "1", "many samples each": f"{constant}/mu"}
    d.combine("many samples", f"{constant}*s**2/(mu*M) - {gamma}", over="k xi", facts=facts)
    return d.concluding("E Gamma", "many samples")


def gamma_and_minimisers(factor: str) -> Mapping[str, JSON]:
    """factor mu/2 mean of |w* - w_k*|^2 <= Gamma <= L/2 times it: F_k between two parabolas at w_k*."""
    d = losses("Gamma and the clients' minimisers")
    d.vector("best", "k")
    d.point("best", "F", equals="0*best")
    suppose(d, "strongly convex", of="F", mu="mu")
    d.assume("convexity", "strongly convex", ["best", "wstar"])
    squares = [[f"(1 - {factor})*mu/2", "wstar - best"]]
    target = f"mean(f_wstar - f_best, k) - {factor}*mu/2*sq(wstar - best)"
    d.combine("Gamma", target, over="k", facts={"convexity": "1"}, squares=squares, unfold="g_best")
    d.parameter("L", "mu")
    suppose(d, "smooth", of="F", L="L")
    d.assume("smoothness", "smooth", ["best", "wstar"])
    target = "L/2*sq(wstar - best) - mean(f_wstar - f_best, k)"
    d.combine("at most", target, over="k", facts={"smoothness": "1"}, unfold="g_best")
    return d.concluding("Gamma", "at most")


def distance_of_the_start(constant: str) -> Mapping[str, JSON]:
    """|w_0 - w*|^2 <= constant G^2/mu^2 for a mu-strongly convex F with |grad F(w_0)| <= G."""
    d = Derivation("Li et al., distance of the start")
    d.parameter("mu", 0, low_open=True)
    d.parameter("G2", 0)
    d.function("F")
    for vector in ("w0", "wstar"):
        d.vector(vector)
    d.point("w0", "F")
    d.point("wstar", "F", equals="0*wstar")
    suppose(d, "strongly convex", of="F", mu="mu")
    suppose(d, "bounded gradients at points", of="F", G2="G2")
    d.assume("from the start", "strongly convex", ["w0", "wstar"])
    d.assume("from the optimum", "strongly convex", ["wstar", "w0"])
    d.assume("gradient at the start", "bounded gradients at points", ["w0"])
    facts = {"from the start": "2/mu", "from the optimum": "2/mu", "gradient at the start": f"{constant}/mu**2"}
    squares = [["1/mu**2", "g_w0 - mu*(w0 - wstar)"], [f"({constant} - 1)/mu**2", "g_w0"]]
    d.combine("distance", f"{constant}*G2/mu**2 - sq(w0 - wstar)", facts=facts, squares=squares, unfold="g_wstar")
    return d.concluding("distance")


def rescaled(title: str) -> Derivation:
    """F~_k = p_k N F_k with weights p_k between their minimum and their maximum, nu = N max, varsigma = N min."""
    d = Derivation(f"Li et al., {title}")
    d.axis("k", "clients")
    d.axis("xi", "noise")
    d.parameter("N", 1)
    d.parameter("L", 0, low_open=True)
    d.parameter("mu", 0, "L", low_open=True)
    d.parameter("largest", 0, 1, low_open=True)
    d.parameter("smallest", 0, "largest")
    d.parameter("p", "smallest", "largest", varies="k")
    d.let("nu", "N*largest")
    d.let("varsigma", "N*smallest")
    return d


def curvature(side: int, constant: str) -> Mapping[str, JSON]:
    """side (F~(y) - F~(x) - <grad F~(x), y - x>) <= side constant/2 |y - x|^2; side -1: at least."""
    d = rescaled("constants of the rescaled objectives")
    d.function("F", "k")
    for point in "xy":
        d.vector(point)
        d.point(point, "F")
    if side > 0:
        suppose(d, "smooth", of="F", L="L")
    else:
        suppose(d, "strongly convex", of="F", mu="mu")
    d.assume("F_k", "smooth" if side > 0 else "strongly convex", ["x", "y"])
    own = "L" if side > 0 else "mu"
    target = f"({side})*(({constant})/2*sq(y - x) - p*N*(f_y - f_x - dot(g_x, y - x)))"
    rest = [[f"({side})*(({constant}) - p*N*{own})/2", "y - x"]]
    d.combine("F~_k", target, facts={"F_k": "p*N"}, squares=rest)
    return d.concluding("F~_k")


def device_wise(constant: str, *, centred: bool) -> Mapping[str, JSON]:
    """E|p_k N z|^2 <= constant for the noise or the stochastic gradient z of client k, E|z|^2 <= s = s_k."""
    d = rescaled("second moments of the rescaled gradients")
    d.parameter("s", 0, varies="k")
    d.vector("z", "k xi", mean=[["xi", "0", "unbiased gradients"]] if centred else [])
    suppose(d, "bounded variance", sigma2="s", noise="z")
    d.assume("of F_k", "bounded variance")
    d.combine("of the rescaled", f"{constant} - sq(p*N*z)", over="xi", facts={"of F_k": "(p*N)**2"})
    return d.concluding("of the rescaled")


def in_the_average(factor: str = "1", scale: str = "1/N", *, centred: bool = True) -> Mapping[str, JSON]:
    """scale times the plain mean of E|p_k N z_k|^2 <= factor scale nu s for E|z_k|^2 <= s, as the p_k N have the mean one."""
    d = rescaled("rescaled moments in the average")
    d.parameter("s", 0)
    d.vector("z", "k xi", mean=[["xi", "0", UNBIASED]] if centred else [], latex="z_k")
    suppose(d, "bounded variance", sigma2="s", noise="z")
    d.vector("scaled", "k xi", equals="p*N*z", latex="p_kNz_k")
    d.value("share", "k", latex="Np_k")
    suppose(d, "weight times moment", name="share = N p", product="share", p="N", s="p")
    d.hypothesis("the weights add up to one", "share - 1", over="k", relation="=")
    d.assume("of F_k", "bounded variance")
    d.assume("share", "share = N p")
    d.assume("total", "the weights add up to one")
    facts = {"of F_k": "(p*N)**2", "share": "nu*s"}
    d.combine("each", "nu*s*share - sq(scaled)", over="xi", facts=facts, unfold="scaled")
    d.combine("room", f"({factor} - 1)*{scale}*nu*s")
    target = f"{factor}*{scale}*nu*s - {scale}*sq(scaled)"
    d.combine("the average", target, over="k xi", facts={"each": scale, "total": f"-{scale}*nu*s", "room": "1"})
    return d.concluding("the average")
