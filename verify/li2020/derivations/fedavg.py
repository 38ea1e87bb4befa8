"""What the derivations of Li et al. (2020) start from: axes, ranges, vectors and hypotheses, the same for all statements."""

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.evidence.things import declare, granted

#: Everything that is averaged over within a step; the cohort is drawn in Schemes I and II.
ALL, SAMPLED = "k xi j past", "k xi j S past"
#: Steps of a round are at most a multiple of the last one.
SHORT = "eta_j <= 2 eta_t"
#: The largest step of Lemma 1.
TOP = "1/(4*L)"
#: How the cohort of a scheme is drawn.
SCHEMES = {
    "I": {"scheme": "with replacement", "size": "K"},
    "II": {"scheme": "without replacement", "size": "K", "count": "N"},
}


def clients(title: str, top: str = TOP, apart: bool = False) -> Derivation:
    """Clients at any points w^k, about to make one step; ``apart``: L > mu."""
    d = Derivation(title)
    declare(d, "axes k xi past; mu > 0")
    d.parameter("L", "mu", low_open=apart)
    d.parameter("eta", 0, top, low_open=not apart)
    d.vector("wstar")
    d.vector("w", "k past", latex="w_t^k")
    _objective(d, "past")
    return d


def fedavg(
    title: str, scheme: str = "full", rounds: str = "", draws: str = "xi past", top: str = TOP, apart: bool = False
) -> Derivation:
    """Clients at w^k = w_(t0) - (steps since t0) times their mean, as all began the round at w_(t0).

    ``rounds`` is a parameter that no round is longer than, if there is one; the second moments of gradients are bounded on
    average over ``draws``; ``top`` is the largest step, ``apart``: L > mu.
    """
    d = Derivation(title)
    declare(d, "axes k xi j past t; mu > 0")
    d.parameter("L", "mu", low_open=apart)
    if rounds:
        d.parameter(rounds, "8*L/mu")
    d.parameter("E", 1, rounds or None)
    d.parameter("t_", 1, varies="t", next="t_ + 1")
    d.parameter("eta", 0, top, varies="t", low_open=not apart)
    declare(d, "0 <= since <= E - 1 over t; 1 <= t_j <= t_ over j t; eta_j >= 0 over j t; G2 >= 0; wstar")
    d.vector("w0", "past t", latex="w_{t_0}")
    d.vector("g_j", "k j past t", latex="g_j^k")
    d.vector("v_j", "k j past t", equals="eta_j*g_j")
    d.vector("w", "k past t", equals="w0 - since*mean(v_j, j)", latex="w_t^k")
    _objective(d, "past t")
    if draws:
        suppose(d, "bounded gradients", G2="G2", gradient="g_j")
        suppose(d, "bounded gradients now", G2="G2", gradient="g_now")
    else:
        suppose(d, "every gradient bounded", name="bounded gradients", G2="G2", gradient="g_j")
        suppose(d, "every gradient bounded", name="bounded gradients now", G2="G2", gradient="g_now")
    after, axes = "mean(v1, k)", "k xi past t"
    if scheme != "full":
        after, axes = "drawn", "k S xi past t"
        d.axis("S", "cohort")
        if scheme == "II":
            d.parameter("N", 2)
        d.parameter("K", 1, "N" if scheme == "II" else None)
        d.cohort("drawn", "v1", "k", "S", **SCHEMES[scheme])
    d.distinction("synchronisation", ["synchronised", "local"])
    d.vector("w1", axes, equals={"synchronised": after, "local": "v1"}, latex="w_{t+1}^k")
    d.next("w", "w1")
    return d


def _objective(d: Derivation, where: str) -> None:
    """The functions at the points there are, the noise, the step that follows and the hypotheses on them."""
    declare(d, "Gamma >= 0; sigma2 >= 0 over k")
    d.vector("u", where, equals="mean(w, k)", latex=r"\bar w_t")
    declare(d, f"function F over k; F at w, u; F at wstar, mean 0 over k; noise over k xi {where}, mean 0 over xi")
    d.vector("g_now", f"k xi {where}", equals="g_w + noise", latex="g_t^k")
    d.vector("v1", f"k xi {where}", equals="w - eta*(g_w + noise)", latex="v_{t+1}^k")
    d.value("f_inf", "k")
    suppose(d, "smooth", of="F", L="L")
    suppose(d, "strongly convex", of="F", mu="mu")
    suppose(d, "infimum", of="F", f_inf="f_inf")
    suppose(d, "heterogeneity at the minimiser", Gamma="Gamma", f_star="f_wstar", f_inf="f_inf")
    suppose(d, "bounded variance", sigma2="sigma2", noise="noise")
    declare(d, "let Delta_t = sq(mean(w, k) - wstar); let drift = sq(w - mean(w, k)); let n = sq(mean(noise, k))")


def any_steps(d: Derivation, ratio: str = "2", falling: bool = True) -> None:
    """eta_j <= eta_t0 <= ratio eta_(t0+E) <= ratio eta_t: steps that do not increase, unless they need not fall."""
    d.parameter("eta_t0", 0, varies="t")
    d.parameter("eta_E", 0, varies="t", latex=r"\eta_{t_0+E}")
    granted(d, "not increasing", name="eta_(t0+E) <= eta_t", earlier="eta", later="eta_E")
    if falling:
        granted(d, "not increasing", name="eta_j <= eta_t0", earlier="eta_t0", later="eta_j")
    granted(d, "halving", form=f"{ratio}*eta_E - eta_t0")
    facts = {"eta_j <= eta_t0": "1", "halving": "1", "eta_(t0+E) <= eta_t": ratio}
    d.combine(SHORT, f"{ratio}*eta - eta_j", facts=facts)


def printed_steps(d: Derivation, shift: str = "0", also: tuple[str, ...] = ()) -> None:
    """eta_t = 2/(mu (gamma + t + shift)), now and at the earlier steps of the round, which are at most twice as long."""
    suppose(d, "within a round", E="E", now="t_", earlier="t_j")
    here, earlier = f"gamma + t_ + {shift}", f"gamma + t_j + {shift}"
    d.choose("eta", f"2/(mu*({here}))")
    d.choose("eta_j", f"2/(mu*({earlier}))")
    d.assume("within a round", "within a round")
    d.combine(SHORT, "2*eta - eta_j", facts=dict.fromkeys(("within a round", *also), f"2/(mu*({here})*({earlier}))"))
