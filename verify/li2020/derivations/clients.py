"""One client at a time in Li et al. (2020): Gamma of i.i.d. samples, and the rescaling of Section 3.3 in the average."""

from collections.abc import Mapping

from fltheory.derivation.packs import UNBIASED, suppose
from fltheory.derivation.script import Derivation
from fltheory.evidence.things import declare
from fltheory.kinds import JSON


def gamma_of_samples(constant: str) -> Mapping[str, JSON]:
    """E Gamma <= mean of constant s^2/(mu n_k), and at most constant s^2/(mu M) if all n_k >= M: strong convexity from w_0."""
    d = Derivation("Li et al., Gamma of i.i.d. samples")
    declare(d, "axes k xi; mu > 0; function F over k xi; wstar over xi; F at wstar; s >= 0; M >= 1; n >= M over k")
    declare(d, "value r over k; w0; F at w0; best over k xi; F at best")
    suppose(d, "strongly convex", of="F", mu="mu")
    suppose(d, "infimum of the average", of="F", f_star="f_wstar")
    d.hypothesis("g_w0 is the mean of n independent gradients", "s**2/n - r", relation="=")
    suppose(d, "bounded variance", sigma2="r", noise="g_w0")
    d.assume("convexity", "strongly convex", ["w0", "best"])
    d.assume("minimiser of the mean", "infimum of the average", ["w0"])
    d.assume("mean of n gradients", "bounded variance")
    d.assume("r", "g_w0 is the mean of n independent gradients")
    gamma = "mean(f_wstar - f_best, k)"
    facts = {"convexity": "1", "minimiser of the mean": "1", "mean of n gradients": f"{constant}/mu"}
    squares = [["1/(2*mu)", "g_w0 + mu*(best - w0)"], [f"({constant} - 1/2)/mu", "g_w0"]]
    d.combine("E Gamma", f"{constant}/mu*mean(r, k) - {gamma}", over="k xi", facts=facts, squares=squares)
    d.combine("many samples each", "s**2/M - r", facts={"r": "1"})
    facts = {"E Gamma": "1", "many samples each": f"{constant}/mu"}
    d.combine("many samples", f"{constant}*s**2/(mu*M) - {gamma}", over="k xi", facts=facts)
    return d.concluding("E Gamma", "many samples")


def in_the_average(factor: str = "1", scale: str = "1/N", *, centred: bool = True) -> Mapping[str, JSON]:
    """scale times the plain mean of E|p_k N z_k|^2 <= factor scale nu s for E|z_k|^2 <= s, as the p_k N have the mean one."""
    d = Derivation("Li et al., rescaled moments in the average")
    declare(d, "axes k xi; N >= 1; 0 < largest <= 1; 0 <= p <= largest over k; let nu = N*largest")
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
