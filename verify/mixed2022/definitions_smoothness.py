"""Definitions D.1 and D.4 of Augenstein et al. (2022), what follows from them, and which converses hold.

The quadratic bound is the integral of the gradient along the segment; converses go through cocoercivity, which is the
bound at one further point.  All identities are between quadratic forms in commuting scalars (any dimension).
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.evidence.algebra import statement_in_mean
from fltheory.evidence.in_mean import InMean, Use, use
from fltheory.evidence.kinds import definition_claim, inequality_claim, run_script
from fltheory.evidence.model import Rung, Tightness
from fltheory.evidence.things import declare, granted
from verify.mixed2022.derivations.one_function import losses, one_function
from verify.mixed2022.displays import constants, displayed
from verify.mixed2022.parabolas import losses_of

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
        functions={"h": losses_of([(int(smoothness), 0)])},
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


LOWER = "quadratic lower bound"
VALUES = {"f_x": "h(x)", "f_y": "h(y)", "g_x": r"\nabla h(x)", "g_y": r"\nabla h(y)"}


def moved(places: str, *uses: Use, squares: Sequence[tuple[str, str]] = ()) -> InMean:
    """What Definition D.1 concludes, from bounds of h between x, y and two points v, w, each taken 2 beta times."""
    return InMean(
        "sq(g_y - g_x) <= beta**2*sq(y - x) for beta > 0",
        things=f"function h; x; y; h at x, y; {places}; h at v, w",
        uses=uses,
        squares=squares,
        unfold="v w",
        names=VALUES,
    )


def smooth_to(points: str) -> Use:
    return use("smooth", points, "2*beta", of="h", L="beta")


of_converse = partial(statement_in_mean, group=inequality_claim, tightness=ATTAINED, source="Definition D.1, converse")
LESS = {"beta times 0.99": ("beta**2", "(99/100*beta)**2")}
with_convexity = of_converse(
    "MX-DEFD1-S1",
    moved(
        "v = y - (g_y - g_x)/beta; w = x + (g_y - g_x)/beta",
        *(smooth_to(points) for points in ("y v", "x w")),
        *(use("convex", points, "2*beta", of="h") for points in ("x v", "y w")),
        squares=[("1", "beta*(y - x) - (g_y - g_x)")],
    ),
    says=r"h(y)\le h(x)+\langle\nabla h(x),y-x\rangle+\tfrac\beta2\|y-x\|^2,\ h\text{ convex}\Rightarrow ",
    headline="For convex losses the quadratic upper bound implies smoothness",
    summary="For convex h the quadratic bound implies beta-smoothness (MX-DEFD1 is the converse); convexity is needed.",
    false=LESS,
    without={"h not convex": "convex"},
)
both_signs = of_converse(
    "MX-DEFD1-S2",
    moved(
        "v = (x + y)/2 + (g_y - g_x)/(2*beta); w = (x + y)/2 - (g_y - g_x)/(2*beta)",
        *(smooth_to(points) for points in ("x v", "y w")),
        *(
            use(LOWER, points, "2*beta", of="h", form="f_x1 - f_x0 - dot(g_x0, x1 - x0) + beta/2*sq(x1 - x0)")
            for points in ("y v", "x w")
        ),
    ),
    says=r"\left|h(y)-h(x)-\langle\nabla h(x),y-x\rangle\right|\le\tfrac\beta2\|y-x\|^2\Rightarrow ",
    headline="Quadratic bounds from both sides imply smoothness, without convexity",
    summary="The quadratic bounds for h and for -h together imply beta-smoothness, without convexity (MX-DEFD1 is the converse).",
    false=LESS,
    without={"upper bound only": LOWER},
)
modulus = statement_in_mean(
    "MX-DEFD4.1",
    InMean(
        "f_y - f_x - dot(g_x, y - x) - mu/2*sq(y - x) = (f_y - mu/2*sq(y)) - (f_x - mu/2*sq(x)) - dot(g_x - mu*x, y - x) "
        "for mu >= 0",
        things="function h; x; y; h at x, y",
        names=VALUES,
    ),
    group=definition_claim,
    headline="Strong convexity means that the loss stays convex with a square taken off",
    source="Definition D.4",
    says=r"\text{D.4 for }h\iff h-\tfrac\mu2\|\cdot\|^2\text{ convex}:\quad ",
    summary="mu-convexity of the definition is convexity of h - (mu/2)|x|^2, and plain convexity for mu = 0.",
    false={"mu/2 -> mu/4": ("mu/2*sq(y - x)", "mu/4*sq(y - x)")},
)
ordered = statement_in_mean(
    "MX-DEFD4.2",
    InMean(
        "mu <= beta for beta >= 0; mu >= 0",
        things="function h; x; e; y = x + e; h at x, y",
        uses=[
            use("unit vector", times="mu - beta", e="e"),
            use("smooth", "x y", "2", of="h", L="beta"),
            use("strongly convex", "x y", "2", of="h", mu="mu"),
        ],
        unfold="y",
        names=VALUES,
    ),
    group=definition_claim,
    headline="A function's strong convexity constant is at most its smoothness constant",
    source="Definitions D.1 and D.4",
    says=r"\text{D.1 and D.4}\Rightarrow ",
    summary="A function with both properties has mu at most beta (equality for (beta/2)|x|^2): the minimum in Table 3 "
    "has one arm only.",
    tightness=ATTAINED,
    false={"mu <= 0.99 beta": ("mu <= beta", "mu <= 99/100*beta")},
)


if __name__ == "__main__":
    run_script(__file__)
