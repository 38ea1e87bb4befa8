"""Proposition D.5 of Augenstein et al. (2022), convexity and smoothness: proved for any number of clients; sharp.

Cocoercivity of every client loss and of the centralised loss between x and the optimum x* of their sum, averaged; the
gradients at x* cancel.  The proposition names smoothness only and stands in the subsection that assumes convexity; the
convexity of each loss is needed.  A display of the proof prints f(x) - f(x) for f(x) - f(x*).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import sympy as sp

from fltheory.derivation.statement import text_of
from fltheory.evidence.algebra import by_in_mean, statement_in_mean
from fltheory.evidence.in_mean import InMean, Use, use
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022.convex import PROPOSITION_D5, F, Fs, beta, g, gc, gcs, gs, gx, hx, p, x
from fltheory.theory.notation import ClientSum, NormSq
from verify.mixed2022.settled import attained, lines_in_mean

PROOF = "proof of Proposition D.5"
GENERAL = "every N, client weights, dimension; losses on R^d"


#: Losses of the clients and of the centre at x and at an optimum x* of their sum, which is also u and v.
TWO_LOSSES = "x; star; function f over k; f at x, star; function h; u = x; v = star; h at u; h at v = -mean(g_star, k)"
#: What is replaced where x* is any point.
ANY_POINT = (" = -mean(g_star, k)", "")
NAMES = {"f_x": "f_i(x)", "f_star": "f_i(x^*)", "f_u": "f_c(x)", "f_v": "f_c(x^*)", "star": "x^*", "beta": r"\beta"}
Pairs = Sequence[tuple[str, str]]
NAMES |= {f"g_{point}": rf"\nabla {NAMES[f'f_{point}']}" for point in ("x", "star", "u", "v")}
#: Points below x at which the cocoercivity of both losses is proved.
BELOW = "; low over k = x - (g_x - g_star)/beta; f at low; deep = u - (g_u - g_v)/beta; h at deep"
#: What D.5 and D.6 speak of, in these letters.
MEANINGS: Mapping[sp.Basic, str] = {
    F: "(f_x + f_u)",
    Fs: "(f_star + f_v)",
    ClientSum(p * NormSq(g - gs)): "sq(g_x - g_star)",
    NormSq(gc - gcs): "sq(g_u - g_v)",
    NormSq(ClientSum(p * g) + gc): "sq(mean(g_x, k) + g_u)",
}


def cocoercive(times: str) -> list[Use]:
    """Cocoercivity of both losses from x* to x, so often."""
    clients = [use("smooth", "x low", times, of="f", L="beta"), use("convex", "star low", times, of="f")]
    return [*clients, use("smooth", "u deep", times, of="h", L="beta"), use("convex", "v deep", times, of="h")]


def of_both(bound: Bound, things: str, uses: Sequence[Use], squares: Pairs = (), unfold: str = "") -> InMean:
    """A bound on the losses of clients and centre as a statement about averages over the clients."""
    text = f"{text_of(bound.left, MEANINGS)} <= {text_of(bound.expression, MEANINGS)} for beta > 0"
    return InMean(text, things, "k", uses, squares, unfold, names=NAMES)


def near_an_optimum(bound: Bound, times: str, *squares: tuple[str, str]) -> InMean:
    """One that follows from their cocoercivity and squares."""
    return of_both(bound, TWO_LOSSES + BELOW, cocoercive(times), squares, "u v low deep")


@inequality_claim(
    "MX-PROPD5",
    statement=PROPOSITION_D5,
    source="Proposition D.5",
    headline="Squared gradient differences to the optimum are bounded by the suboptimality",
    summary="The mean squared gradient differences to the optimum are at most 2 beta times the suboptimality; sharp.",
    assumptions=("all losses beta-smooth", "all losses convex (title of Appendix D.1.2)", "x* an optimum of f"),
    proof_steps=("MX-PROPD5-S1", "MX-PROPD5-S2", "MX-PROPD5-S3"),
    printed=dict(constant="1", convex=True, optimum=True),
    controls=[
        Control("1/(2 beta) times 1.01", dict(constant="101/100")),
        Control("losses not convex", dict(convex=False)),
        Control("x* any point", dict(optimum=False)),
    ],
)
def proposition(constant: str, convex: bool, optimum: bool) -> Evidence:
    """The averaged cocoercivity is the claim: sum of the <grad(x*), x - x*> vanishes."""
    bound = replace(PROPOSITION_D5, left=sp.Rational(constant) * PROPOSITION_D5.left)
    stated = near_an_optimum(bound, "1")
    stated = stated if optimum else replace(stated, things=stated.things.replace(*ANY_POINT))
    return by_in_mean(
        stated if convex else stated.without("convex"),
        method="cocoercivity (from Definitions D.1 and D.4 at one further point), averaged over the clients",
        valid_for=GENERAL,
        tightness=attained("equality when all losses are (beta/2)|.|^2"),
    )


tilted = lines_in_mean(
    "MX-PROPD5-S1",
    InMean("sq(g_star - g_star) = 0", TWO_LOSSES, names=NAMES),
    InMean(
        "f_x - dot(g_star, x) >= f_star - dot(g_star, star)",
        TWO_LOSSES,
        uses=[use("convex", "star x", of="f")],
        names=NAMES,
    ),
    InMean(
        "f_z - dot(g_star, z) - f_x + dot(g_star, x) - dot(g_x - g_star, z - x) = f_z - f_x - dot(g_x, z - x)",
        f"{TWO_LOSSES}; z; f at z",
        names={**NAMES, "f_z": "f_i(z)"},
    ),
    InMean(
        "f_x + f_u >= f_star + f_v",
        TWO_LOSSES,
        over="k",
        uses=[use("convex", "star x", of="f"), use("convex", "v u", of="h")],
        unfold="u v",
        names=NAMES,
    ),
    false={"tilted the other way": ("f_x - dot(g_star, x) >= f_star - ", "f_x + dot(g_star, x) >= f_star + ")},
    without={"losses not convex": "convex"},
    group=inequality_claim,
    says=r"\tilde f_i(x)=f_i(x)-\langle\nabla f_i(x^*),x\rangle:\quad ",
    headline="Tilting convex losses makes the minimiser of the sum a minimiser of each",
    source=PROOF,
    summary="Tilting keeps convexity and smoothness and makes x* a minimiser of every tilted loss, and of f. Convexity is "
    "used.",
    assumptions=("losses convex (title of Appendix D.1.2, and said in the proof)",),
    valid_for=GENERAL,
)


GRADIENT_BOUND = InMean(
    "sq(g_x)/(2*beta) <= f_x - m for beta > 0",
    things="x; value m; function h; h at x; w = x - g_x/beta; h at w",
    uses=[use("smooth", "x w", of="h", L="beta"), use("infimum", "w", of="h", f_inf="m")],
    unfold="w",
    names={"f_x": r"\tilde f_i(x)", "m": r"\tilde f_i(x^*)", "g_x": r"\nabla\tilde f_i(x)", "beta": r"\beta"},
)
bound_as_printed = lines_in_mean(
    "MX-PROPD5-S2",
    GRADIENT_BOUND.changed("- m", "- f_x"),
    true={"second value at x*": ("- f_x", "- m")},
    broken_at=Witness(
        {beta: 1, x: 1, gx: 1, hx: sp.Rational(1, 2)},
        Side("left side", gx**2 / (2 * beta)),
        "<=",
        Side("f(x) - f(x)", hx - hx),
        [(gx, "=", beta * x), (hx, "=", beta * x**2 / 2)],
        "h = beta x^2/2, x* = 0",
    ),
    group=inequality_claim,
    fault="slip",
    source=f"{PROOF}, display",
    headline="A display compares a point with itself: a star is missing",
    summary="Printed with the same point twice, so that the right side is 0: the star of the second point is missing.",
    repair="MX-PROPD5-S2-R1",
)
bound_repaired = statement_in_mean(
    "MX-PROPD5-S2-R1",
    GRADIENT_BOUND,
    false={"second value at x, as printed": ("- m", "- f_x")},
    group=inequality_claim,
    headline="A smooth function's squared gradient is bounded by its suboptimality",
    source=f"{PROOF}, display, repaired",
    summary="The gradient of a smooth function against its suboptimality; this is what the proof goes on with.",
    tightness=attained("equality for (beta/2)|.|^2"),
)


tilts_cancel = lines_in_mean(
    "MX-PROPD5-S3",
    InMean(
        "f_x - dot(g_star, x) + f_u - dot(g_v, x) = f_x + f_u",
        things=TWO_LOSSES,
        over="k",
        names=NAMES,
    ),
    false={"f_c not tilted": (" - dot(g_v, x)", ""), "x* any point": ANY_POINT},
    group=identity_claim,
    headline="The tilts of the two losses cancel, as their gradients do at the minimiser",
    source=PROOF,
    summary="The tilts cancel, since the gradients of f_f and f_c at x* do.",
    assumptions=("x* an optimum of f",),
    valid_for="every N, client weights, dimension, differentiable losses",
)


if __name__ == "__main__":
    run_script(__file__)
