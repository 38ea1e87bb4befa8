"""Proposition D.5 of Augenstein et al. (2022), convexity and smoothness: proved for any number of clients; sharp.

Cocoercivity of every client loss and of the centralised loss between x and the optimum x* of their sum, averaged; the
gradients at x* cancel.  The proposition names smoothness only and stands in the subsection that assumes convexity; the
convexity of each loss is needed.  A display of the proof prints f(x) - f(x) for f(x) - f(x*).
"""

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.algebra import statement_in_mean
from fltheory.evidence.decide import decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import search
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.mixed2022.convex import PROPOSITION_D5, F, Fs, beta, f, fc, fcs, fs, g, gcs, gs, gx, hx, p, x, xs
from fltheory.theory.mixed2022.scalars import generic
from fltheory.theory.proofs import Certificate, Open, is_zero
from verify.mixed2022 import convex_premises, derivations
from verify.mixed2022.kinked import KinkedParabola, Mixture, mixtures
from verify.mixed2022.settled import attained, lines_in_mean

R, ONE = sp.Rational, Fraction(1)
PROOF = "proof of Proposition D.5"
GENERAL = "every N, client weights, dimension; losses on R^d"
REDUCTION = "mean and deviation over the clients (removes N), Gram identity in commuting scalars (removes d)"
RANGES = ((beta, Open(0), None),)


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
    left, right = generic(bound.left, p), bound.expression.subs({F: f + fc, Fs: fs + fcs})
    found = search(
        mixtures(convex=convex, stationary=optimum), lambda s: (s.average(left), s.average(right)), describe=str
    )
    return by_derivation(
        lambda: derivations.proposition_d5(bound, convex=convex, optimum=optimum),
        found,
        method="cocoercivity (from Definitions D.1 and D.4 at one further point), averaged over the clients",
        valid_for=GENERAL,
        tightness=attained("equality when all losses are (beta/2)|.|^2"),
    )


@inequality_claim(
    "MX-PROPD5-S1",
    headline="Tilting convex losses makes the minimiser of the sum a minimiser of each",
    source=PROOF,
    statement=r"\tilde f_i(x)=f_i(x)-\langle\nabla f_i(x^*),x\rangle:\ \nabla\tilde f_i(x^*)=0,\ "
    r"\tilde f_i(x)\ge\tilde f_i(x^*)",
    summary="Tilting keeps convexity and smoothness and makes x* a minimiser of every tilted loss, and of f. Convexity is "
    "used.",
    assumptions=("losses convex (title of Appendix D.1.2, and said in the proof)",),
    printed=dict(tilt="-1", convex=True),
    controls=[Control("tilted the other way", dict(tilt="1")), Control("losses not convex", dict(convex=False))],
)
def tilted(tilt: str, convex: bool) -> Evidence:
    """The gaps of D.1 and D.4 do not change under tilting; the gap from x* is tilted f(x) - tilted f(x*)."""
    s, zero = sp.Rational(tilt), sp.Integer(0)
    y, fy = sp.symbols("y fy")
    new_f, new_fs, new_g, new_gs = f + s * gs * x, fs + s * gs * xs, g + s * gs, gs + s * gs
    new_fy = fy + s * gs * y
    gaps = (convex_premises.convexity, convex_premises.smoothness)
    residuals = [gap(y, new_fy, x, new_f, new_g) - gap(y, fy, x, f, g) for gap in gaps]
    residuals += [(new_g - new_gs) - (g - gs), new_gs]
    from_star = (sp.Integer(1), convex_premises.convexity(x, f, xs, fs, gs, modulus=zero))
    centre = (sp.Integer(1), convex_premises.convexity(x, fc, xs, fcs, gcs, modulus=zero))
    certificate = Certificate(new_fs, new_f, {"D.4 from x*": from_star} if convex else {}, [], ())
    premises = {"clients": from_star, "centre": centre}
    whole = convex_premises.AT_OPTIMUM.certificate(fs + fcs, f + fc, premises=premises, squares=[], ranges=RANGES)
    verified, reason = certificate.verify()
    same = all(is_zero(r) for r in residuals) and whole.verify()[0]
    shapes = [KinkedParabola(ONE, ONE), KinkedParabola(ONE, ONE, ONE)]
    shapes += [] if convex else [KinkedParabola(-ONE, -ONE)]
    found = search(
        [(h, t) for h in shapes for t in (ONE, -ONE)],
        lambda c: (Fraction(0), c[0].value(c[1]) + Fraction(tilt) * c[0].gradient(Fraction(0)) * c[1]),
        describe=lambda c: f"f = {c[0]}, x* = 0, x = {c[1]}: tilted f at x* (left) and at x (right)",
    )
    kept = {"gaps": certificates.identity(*residuals), "minimiser": certificates.polynomial(certificate)}
    method = f"the gaps of the definitions do not change (identities); D.4 from x*; for f averaged: {REDUCTION}"
    return decide((verified and same, reason), found, method=method, valid_for=GENERAL, certificate=kept)


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
        {beta: 1, x: 1, gx: 1, hx: R(1, 2)},
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


@identity_claim(
    "MX-PROPD5-S3",
    headline="The tilts of the two losses cancel, as their gradients do at the minimiser",
    source=PROOF,
    statement=r"\tfrac1N\sum_i\tilde f_i+\tilde f_c=f",
    summary="The tilts cancel, since the gradients of f_f and f_c at x* do.",
    assumptions=("x* an optimum of f",),
    printed=dict(centre_tilted=True, optimum=True),
    controls=[Control("f_c not tilted", dict(centre_tilted=False)), Control("x* any point", dict(optimum=False))],
)
def tilts_cancel(centre_tilted: bool, optimum: bool) -> Evidence:
    """The difference is <mean of grad f_i(x*) + grad f_c(x*), x> = <grad f(x*), x>."""
    left = f - gs * x + fc - (gcs * x if centre_tilted else 0)

    def pair(s: Mixture) -> tuple[Fraction, Fraction]:
        return s.average(left), s.average(f + fc)

    return by_derivation(
        lambda: derivations.tilts_cancel(centre_tilted=centre_tilted, optimum=optimum),
        search(mixtures(stationary=optimum), pair, relation="=", describe=str),
        method="linearity; the gradients at x* cancel",
        valid_for="every N, client weights, dimension, differentiable losses",
    )


if __name__ == "__main__":
    run_script(__file__)
