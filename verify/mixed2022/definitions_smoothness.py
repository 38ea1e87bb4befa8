"""Definitions D.1 and D.4 of Augenstein et al. (2022), what follows from them, and which converses hold.

The quadratic bound is the integral of the gradient along the segment; converses go through cocoercivity, which is the
bound at one further point.  All identities are between quadratic forms in commuting scalars (any dimension).
"""

from contextlib import suppress
from fractions import Fraction
from functools import partial
from typing import Any

from fltheory.derivation.packs import suppose
from fltheory.derivation.replay import Underivable
from fltheory.derivation.script import Derivation
from fltheory.derivation.witness import FiniteInstance
from fltheory.evidence.kinds import definition_claim, inequality_claim, run_script
from fltheory.evidence.model import Rung, Tightness
from fltheory.evidence.things import declare, granted
from verify.mixed2022.derivations.one_function import cocoercive, losses, one_function
from verify.mixed2022.displays import constants, displayed

ATTAINED = Tightness(1.0, Rung.PROOF, "h = (beta/2)|x|^2")


def along_the_segment(smoothness: str) -> Derivation:
    """h(y) - h(x) is the mean of <grad h(x + q (y - x)), y - x> over q, uniform on [0, 1]; gradients Lipschitz."""
    d = losses("Mixed FL, Definition D.1", modulus=False)
    declare(d, f"axes s:clients; 0 < q <= 1 over s; let L = {smoothness}*beta")
    one_function(d, smooth=False, convex=False, points="xy")
    d.vector("r", "s", equals="q*(y - x)", mean=[["s", "(y - x)/2", "q is uniform on [0, 1]"]])
    declare(d, "p over s = x + r; h at p as hp, gp")
    suppose(d, "Lipschitz gradients", of="h", L="L")
    d.vector("way", equals="y - x")
    granted(d, "along the segment", fact="mean", end="hy", begin="hx", gradient="gp", way="way")
    d.assume("Lipschitz", "Lipschitz gradients", ["x", "p"])
    facts, squares = {"Lipschitz": "1/(2*L*q)"}, [["L*q/2", "y - x - (gp - gx)/(L*q)"]]
    d.combine("at q", "L*dot(r, y - x) - dot(gp - gx, y - x)", facts=facts, squares=squares, unfold="r p")
    return d


quadratic_bound = displayed(
    "MX-DEFD1",
    along_the_segment,
    "dot(gx, y - x) >= -(hx - hy + beta/2*sq(y - x))",
    headline="A Lipschitz gradient implies the quadratic upper bound, without convexity",
    given={"facts": {"mean": "-1", "at q": "1"}},
    names={"hx": "h(x)", "hy": "h(y)", "gx": r"\nabla h(x)"},
    instance=lambda smoothness: constants(
        {"x": 0, "y": 1},
        {"beta": 1},
        axes={"s": {Fraction(1, 4): Fraction(1, 2), Fraction(3, 4): Fraction(1, 2)}},
        given={"q": lambda p: p["s"]},
        functions=parabola(int(smoothness)),
    ),
    over="s",
    at="h = x^2/2 (h = x^2, Lipschitz with 2 beta), beta = 1, x = 0, y = 1",
    says=r"\|\nabla h(x)-\nabla h(y)\|\le\beta\|x-y\|,\ h(y)-h(x)=\int_0^1\langle\nabla h(x+q(y-x)),y-x\rangle dq\Rightarrow ",
    group=inequality_claim,
    method="Cauchy-Schwarz along the segment, integrated.",
    valid_for="all differentiable h with this gradient, any dimension",
    tightness=ATTAINED,
    source="Definition D.1",
    summary="For functions that are the integrals of their gradients along segments a Lipschitz gradient implies the quadratic "
    "upper bound, for all points and without convexity.",
    assumptions=("h differentiable on R^d, with h(y) - h(x) the integral of its slopes along the segment",),
    printed=dict(smoothness="1"),
    false={"beta/2 times 0.99": ("beta/2", "99/200*beta"), "gradient Lipschitz with 2 beta only": dict(smoothness="2")},
)


def parabola(c: int) -> dict[str, Any]:
    """h = c x^2/2."""
    return {"h": ((lambda w, p: c * w[0] ** 2 / 2), (lambda w, p: (c * w[0],)))}


def two_points(premise: str) -> Derivation:
    """h with the upper bound of D.1, and what is supposed besides."""
    d = losses("Mixed FL, Definition D.1, converse", modulus=False)
    one_function(d, convex=False, points="xy")
    if premise == "convex":
        suppose(d, "convex", of="h")
        with suppress(Underivable):  # without convexity it is missing in the last line
            cocoercive(d, "from x", "x", "y", of="h")
            cocoercive(d, "from y", "y", "x", of="h")
    d.let("below", "-beta")
    if premise == "both signs":
        suppose(d, "strongly convex", name="lower bound", of="h", mu="below")
        for point, sign in (("v", "+"), ("w", "-")):
            d.vector(point, equals=f"(x + y)/2 {sign} (gy - gx)/(2*beta)")
            d.point(point, "h", value=f"h{point}", gradient=f"g{point}")
            ends = ("x", "y") if sign == "+" else ("y", "x")
            d.assume(f"up to {point}", "smooth", [ends[0], point])
            d.assume(f"down to {point}", "lower bound", [ends[1], point])
    return d


def line(premise: str) -> FiniteInstance:
    """h = x^2/2, or h = -2 x^2, which has the upper bound but a steeper gradient."""
    return constants({"x": 0, "y": 1}, {"beta": 1}, functions=parabola(-4 if premise == "upper bound only" else 1))


of_converse = partial(
    displayed,
    begun=two_points,
    text="sq(gy - gx) <= beta**2*sq(y - x)",
    names={"gy": r"\nabla h(y)", "gx": r"\nabla h(x)"},
    instance=line,
    at="h = x^2/2 (h = -2x^2, with the upper bound only), beta = 1, x = 0, y = 1",
    group=inequality_claim,
    tightness=ATTAINED,
    source="Definition D.1, converse",
)
with_convexity = of_converse(
    "MX-DEFD1-S1",
    given={"facts": {"from x": "2*beta", "from y": "2*beta"}, "squares": [["1", "beta*(y - x) - (gy - gx)"]]},
    says=r"h(y)\le h(x)+\langle\nabla h(x),y-x\rangle+\tfrac\beta2\|y-x\|^2,\ h\text{ convex}\Rightarrow ",
    method="Cocoercivity from the quadratic bound, and a square.",
    valid_for="h on R^d, convex",
    headline="For convex losses the quadratic upper bound implies smoothness",
    summary="For convex h the quadratic bound implies beta-smoothness (MX-DEFD1 is the converse); convexity is needed.",
    printed=dict(premise="convex"),
    false={"beta times 0.99": ("beta**2", "(99/100*beta)**2"), "h not convex": dict(premise="upper bound only")},
)
both_signs = of_converse(
    "MX-DEFD1-S2",
    given={"facts": {f"{way} to {point}": "2*beta" for way in ("up", "down") for point in "vw"}},
    says=r"\left|h(y)-h(x)-\langle\nabla h(x),y-x\rangle\right|\le\tfrac\beta2\|y-x\|^2\Rightarrow ",
    method="Both bounds, from either point, at the middle moved by half a gradient step to either side.",
    valid_for="h on R^d, both signs",
    headline="Quadratic bounds from both sides imply smoothness, without convexity",
    summary="The quadratic bounds for h and for -h together imply beta-smoothness, without convexity (MX-DEFD1 is the converse).",
    printed=dict(premise="both signs"),
    false={"beta times 0.99": ("beta**2", "(99/100*beta)**2"), "upper bound only": dict(premise="upper bound only")},
)


def modulus_and_smoothness() -> Derivation:
    """h with D.1 and D.4 at two points at distance one."""
    d = Derivation("Mixed FL, Definitions D.1 and D.4")
    declare(d, "beta, mu >= 0")
    one_function(d, points="xy")
    suppose(d, "at distance one", a="y", b="x")
    d.assume("D.1", "smooth", ["x", "y"])
    d.assume("D.4", "strongly convex", ["x", "y"])
    d.assume("apart", "at distance one")
    return d


of_modulus = partial(
    displayed,
    begun=modulus_and_smoothness,
    names={"hx": "h(x)", "hy": "h(y)", "gx": r"\nabla h(x)"},
    instance=lambda: constants({"x": 0, "y": 1}, {"beta": 1, "mu": 1}, functions=parabola(1)),
    at="h = x^2/2, mu = beta = 1, x = 0, y = 1",
    group=definition_claim,
)
modulus = of_modulus(
    "MX-DEFD4.1",
    headline="Strong convexity means that the loss stays convex with a square taken off",
    text="hy - hx - dot(gx, y - x) - mu/2*sq(y - x) = (hy - mu/2*sq(y)) - (hx - mu/2*sq(x)) - dot(gx - mu*x, y - x)",
    source="Definition D.4",
    says=r"\text{D.4 for }h\iff h-\tfrac\mu2\|\cdot\|^2\text{ convex}:\quad ",
    method="Expansion: the two inequalities are the same expression.",
    valid_for="all differentiable h, mu >= 0, any dimension",
    summary="mu-convexity of the definition is convexity of h - (mu/2)|x|^2, and plain convexity for mu = 0.",
    false={"mu/2 -> mu/4": ("mu/2*sq(y - x)", "mu/4*sq(y - x)")},
)
ordered = of_modulus(
    "MX-DEFD4.2",
    headline="A function's strong convexity constant is at most its smoothness constant",
    text="mu <= beta",
    given={"facts": {"D.1": "2", "D.4": "2", "apart": "mu - beta"}},
    source="Definitions D.1 and D.4",
    says=r"\text{D.1 and D.4}\Rightarrow ",
    method="Sum of both definitions at two points at distance one.",
    valid_for="all h with both properties, dimension at least 1",
    summary="A function with both properties has mu at most beta (equality for (beta/2)|x|^2): the minimum in Table 3 "
    "has one arm only.",
    tightness=ATTAINED,
    false={"mu <= 0.99 beta": ("beta", "99/100*beta")},
)


if __name__ == "__main__":
    run_script(__file__)
