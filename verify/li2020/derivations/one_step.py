"""Lemmas 1 to 3 of Li et al. (2020), line by line, for the model of :mod:`verify.li2020.derivations.fedavg`."""

from collections.abc import Mapping

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import Derived, ending
from fltheory.evidence.things import declare
from verify.li2020.derivations.fedavg import ALL, SHORT

#: The drift's coefficient when the contraction factor is squared.
SHARP_DRIFT = "eta/2*(1 - eta*mu)*(L - mu)"
_GT = "2*eta*(1 - 2*L*eta)"


def lemma_3(d: Derivation, ratio: str = "2", past: str = "past") -> None:
    """The drift: sum_k p_k |w - wbar|^2 <= 4 eta^2 (E - 1)^2 G^2 on average, from steps that are at most 2 eta."""
    d.assume("bounded gradients", "bounded gradients")
    facts = {"bounded gradients": "eta_j**2", SHORT: f"({ratio}*eta + eta_j)*G2"}
    d.combine("a step", f"{ratio}**2*eta**2*G2 - sq(v_j)", over=past, facts=facts, unfold="v_j")
    d.combine(
        "Lemma 3",
        f"{ratio}**2*eta**2*(E - 1)**2*G2 - drift",
        over=f"k j {past}",
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


def interpolation(d: Derivation, x: str, y: str) -> None:
    """A1 and A2 together, for L > mu: from x to y, by A1 at y and A2 at x with one further point."""
    z, name, h = f"{x}_{y}", f"A1 and A2 from {x} to {y}", f"(g_{y} - g_{x} - mu*({y} - {x}))"
    axes = d.state.vectors[f"g_{x}"]["axes"] | d.state.vectors[f"g_{y}"]["axes"]
    d.vector(z, sorted(axes), equals=f"{y} - {h}/(L - mu)")
    d.point(z, "F")
    d.assume(f"A1 at {z}", "smooth", [y, z])
    d.assume(f"A2 at {z}", "strongly convex", [x, z])
    target = f"f_{y} - f_{x} - dot(g_{x}, {y} - {x}) - mu/2*sq({y} - {x}) - 1/(2*(L - mu))*sq{h}"
    d.combine(name, target, facts={f"A1 at {z}": "1", f"A2 at {z}": "1"}, unfold=z)


def lemma_1(d: Derivation) -> None:
    """(20): the part of a step without noise."""
    for point in ("w", "u"):
        gradient_bound(d, point)
    for name, points in (("(19)", "w wstar"), ("convexity at the average", "u w"), ("F(wbar) >= F*", "wstar u")):
        d.assume(name, "strongly convex", points)
    d.assume("Gamma", "heterogeneity at the minimiser")
    d.combine(
        "(20)",
        "(1 - eta*mu)*Delta_t + 2*drift + 6*L*eta**2*Gamma - sq(mean(w - eta*g_w, k) - wstar)",
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


def lemma_1_sharp(d: Derivation, drift: str = SHARP_DRIFT, power: int = 2) -> None:
    """The part of a step without noise, from A1 and A2 between w^k and w* in both directions: first L > mu, then L = mu."""
    interpolation(d, "w", "wstar")
    interpolation(d, "wstar", "w")
    weight = "2*eta*(1 - eta*mu)"
    d.combine(
        "without noise for L > mu",
        f"(1 - eta*mu)**{power}*Delta_t + ({drift})*drift - sq(mean(w - eta*g_w, k) - wstar)",
        over="k",
        facts={"A1 and A2 from wstar to w": weight, "A1 and A2 from w to wstar": weight},
        squares=[
            [f"(1 - eta*mu)**{power} - (1 - eta*mu)**2", "mean(w, k) - wstar"],
            [f"{weight}/(L - mu) - eta**2", "mean(g_w, k) - mu*(mean(w, k) - wstar)"],
            [f"{weight}/(L - mu)", "g_w - mean(g_w, k) - g_wstar - (L + mu)/2*(w - mean(w, k))"],
            [f"{drift} - {weight}*(L - mu)/4", "w - mean(w, k)"],
        ],
    )
    d.closure("without noise", "without noise for L > mu", "L")


def step_of_the_average(d: Derivation, right: str, facts: Mapping[str, str]) -> None:
    """E|wbar_(t+1) - w*|^2 <= right with full participation, in both cases, as the new average is that of the v in both."""
    d.combine("a step of the average", f"{right} - sq(mean(v1, k) - wstar)", over=ALL, facts=facts, unfold="v1")
    for case in ("synchronised", "local"):
        after = f"{right} - sq(mean(w1, k) - wstar)"
        d.combine(case, after, over=ALL, facts={"a step of the average": "1"}, unfold="w1", case=case)


def gradient_descent(top: str) -> Derived:
    """|w_{t+1} - w*| <= (1 - eta mu)|w_t - w*| for one full local step of all clients from w_t, of size up to ``top``."""

    def begun() -> Derivation:
        d = Derivation("Li et al. (2020), Section 4: one local step")
        declare(d, "axes k; mu > 0; L > mu")
        d.parameter("eta", 0, top)
        declare(d, "w, wstar; function F over k; F at w; F at wstar, mean 0 over k")
        suppose(d, "smooth", of="F", L="L")
        suppose(d, "strongly convex", of="F", mu="mu")
        return d

    def last(d: Derivation) -> None:
        interpolation(d, "w", "wstar")
        interpolation(d, "wstar", "w")
        weight = "2*eta*(1 - eta*mu)"
        d.combine(
            "contraction for L > mu",
            "(1 - eta*mu)**2*sq(w - wstar) - sq(mean(w - eta*g_w, k) - wstar)",
            over="k",
            facts={"A1 and A2 from wstar to w": weight, "A1 and A2 from w to wstar": weight},
            squares=[
                [f"{weight}/(L - mu) - eta**2", "mean(g_w, k) - mu*(w - wstar)"],
                [f"{weight}/(L - mu)", "g_w - mean(g_w, k) - g_wstar"],
            ],
        )
        d.closure("contraction", "contraction for L > mu", "L")

    return ending(begun, last, "contraction")


def lemma_2(d: Derivation) -> None:
    """The noise of the average: V = sum_k p_k^2 sigma_k^2."""
    d.assume("variance", "bounded variance")
    d.independent("Lemma 2", "variance", noise="noise", clients="k", total="V")


def lemma_5(d: Derivation, share: str, ratio: str = "2", draws: str = "xi past") -> None:
    """What a cohort adds: at most ``share`` (2E - 1)^2 eta^2 G^2, as all clients began the round at the same point.

    The steps are the weights in the inequality of Cauchy and Schwarz: 2 eta for the earlier ones, eta for the last.
    """
    d.assume("bounded gradients now", "bounded gradients now")
    sum_of_steps, over = f"({ratio}*since + 1)", f"k j {draws}"
    d.combine(
        "spread around the start of the round",
        f"{sum_of_steps}**2*eta**2*G2 - sq(v1 - w0)",
        over=over,
        facts={"a step": f"since*{sum_of_steps}/{ratio}", "bounded gradients now": f"{sum_of_steps}*eta**2"},
        squares=[
            [f"since*{sum_of_steps}/{ratio}", "v_j - mean(v_j, j)"],
            [f"since/{ratio}", f"mean(v_j, j) - {ratio}*eta*g_now"],
        ],
        unfold="v1 w g_now",
    )
    d.combine(
        "spread",
        f"{sum_of_steps}**2*eta**2*G2 - sq(v1 - mean(v1, k))",
        over=over,
        facts={"spread around the start of the round": "1"},
        squares=[["1", "mean(v1, k) - w0"]],
    )
    d.combine(
        "Lemma 5",
        f"{share}*({ratio}*(E - 1) + 1)**2*eta**2*G2 - sq(drawn - mean(v1, k))",
        over=f"{over} S",
        facts={"drawn": "-1", "spread": share},
    )
