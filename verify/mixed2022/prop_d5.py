"""Proposition D.5 of Augenstein et al. (2022), convexity and smoothness: proved for any number of clients; sharp.

Cocoercivity of every client loss and of the centralised loss between x and the optimum x* of their sum, averaged; the
gradients at x* cancel.  The proposition names smoothness only and stands in the subsection that assumes convexity; the
convexity of each loss is needed.  A display of the proof prints f(x) - f(x) for f(x) - f(x*).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.exact_search import conclude, search
from fltheory.evidence.model import Control, Evidence, Kind, Rung, Scope, Tightness, claim
from fltheory.theory.mixed2022 import convex as a
from fltheory.theory.mixed2022.convex import Kinked, Mixture, mixtures
from fltheory.theory.mixed2022.scalars import generic, number
from fltheory.theory.proofs import Certificate, Open, is_zero

ONE = Fraction(1)
PROOF = "proof of Proposition D.5"
GENERAL = "every N, client weights, dimension; losses on R^d"
REDUCTION = "mean and deviation over the clients (removes N), Gram identity in commuting scalars (removes d)"
RANGES = ((a.beta, Open(0), None),)
CLIENT = a.cocoercivity(a.x, a.f, a.g, a.xs, a.fs, a.gs)
CENTRE = a.cocoercivity(a.x, a.fc, a.gc, a.xs, a.fcs, a.gcs)


@cache
def cocoercivity_follows() -> bool:
    """Cocoercivity is D.4 (mu = 0) and D.1 at one further point."""
    return is_zero(a.interpolation_residual(sp.Integer(0)))


@claim(
    "MX-PROPD5",
    kind=Kind.INEQUALITY,
    scope=Scope.GENERAL,
    statement=a.PROPOSITION_D5.latex(),
    source="Proposition D.5",
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
    k = sp.Rational(constant)
    left, right = k * generic(a.PROPOSITION_D5.left, a.p), a.f + a.fc - a.fs - a.fcs
    averages = a.AT_OPTIMUM if optimum else a.ANYWHERE
    premises = {"cocoercivity, clients": (sp.Integer(1), CLIENT), "cocoercivity, centre": (sp.Integer(1), CENTRE)}
    squares = [((1 - k) / (2 * a.beta), a.g - a.gs), ((1 - k) / (2 * a.beta), a.gc - a.gcs)]
    certificate = averages.certificate(left, right, premises=premises if convex else {}, squares=squares, ranges=RANGES)
    verified, reason = certificate.verify()
    found = search(
        mixtures(convex=convex, stationary=optimum), lambda s: (s.average(left), s.average(right)), describe=str
    )
    return conclude(
        (verified and cocoercivity_follows(), reason),
        found,
        method=f"cocoercivity (from Definitions D.1 and D.4 at one further point), averaged; {REDUCTION}",
        valid_for=GENERAL,
        tightness=Tightness(1.0, Rung.PROOF, "equality when all losses are (beta/2)|.|^2"),
        certificate=certificates.polynomial(certificate) if verified else None,
    )


@claim(
    "MX-PROPD5-S1",
    kind=Kind.INEQUALITY,
    scope=Scope.GENERAL,
    source=PROOF,
    statement=r"\tilde f_i(x)=f_i(x)-\langle\nabla f_i(x^*),x\rangle:\ \nabla\tilde f_i(x^*)=0,\ "
    r"\tilde f_i(x)\ge\tilde f_i(x^*)",
    summary="Tilting keeps convexity and smoothness and makes x* a minimiser of every tilted loss, and of f. Convexity is "
    "used.",
    assumptions=("losses convex (title of Appendix D.1.2, and said in the proof)",),
    printed=dict(tilt="-1", convex=True),
    controls=[
        Control("tilted the other way", dict(tilt="1")),
        Control("losses not convex", dict(convex=False)),
    ],
)
def tilted(tilt: str, convex: bool) -> Evidence:
    """The gaps of D.1 and D.4 do not change under tilting; the gap from x* is tilted f(x) - tilted f(x*)."""
    s = sp.Rational(tilt)
    modulus = sp.Integer(0)
    y, fy = sp.symbols("y fy")
    new_f, new_fs, new_g, new_gs = a.f + s * a.gs * a.x, a.fs + s * a.gs * a.xs, a.g + s * a.gs, a.gs + s * a.gs
    new_fy = fy + s * a.gs * y
    residuals = [
        a.convexity(y, new_fy, a.x, new_f, new_g) - a.convexity(y, fy, a.x, a.f, a.g),
        a.smoothness(y, new_fy, a.x, new_f, new_g) - a.smoothness(y, fy, a.x, a.f, a.g),
        (new_g - new_gs) - (a.g - a.gs),
        new_gs,
    ]
    premises = {"D.4 from x*": (sp.Integer(1), a.convexity(a.x, a.f, a.xs, a.fs, a.gs, modulus=modulus))}
    certificate = Certificate(new_fs, new_f, premises if convex else {}, [], ())
    whole = a.AT_OPTIMUM.certificate(
        a.fs + a.fcs,
        a.f + a.fc,
        premises={
            "clients": (sp.Integer(1), a.convexity(a.x, a.f, a.xs, a.fs, a.gs, modulus=modulus)),
            "centre": (sp.Integer(1), a.convexity(a.x, a.fc, a.xs, a.fcs, a.gcs, modulus=modulus)),
        },
        squares=[],
        ranges=RANGES,
    )
    verified, reason = certificate.verify()
    zero = all(is_zero(r) for r in residuals) and whole.verify()[0]
    shapes = [Kinked(ONE, ONE), Kinked(ONE, ONE, ONE), *([] if convex else [Kinked(-ONE, -ONE)])]
    found = search(
        [(h, t) for h in shapes for t in (ONE, -ONE)],
        lambda c: (Fraction(0), c[0].value(c[1]) + Fraction(tilt) * c[0].gradient(Fraction(0)) * c[1]),
        describe=lambda c: f"f = {c[0]}, x* = 0, x = {c[1]}: tilted f at x* (left) and at x (right)",
    )
    return conclude(
        (verified and zero, reason),
        found,
        method=f"the gaps of the definitions do not change (identities); D.4 from x*; for f averaged: {REDUCTION}",
        valid_for=GENERAL,
        certificate={"gaps": certificates.identity(*residuals), "minimiser": certificates.polynomial(certificate)}
        if verified and zero
        else None,
    )


def gradient_bound(reference: str) -> Evidence:
    """|grad h(x)|^2/(2 beta) <= h(x) - h(reference) for h with minimiser x*: D.1 to x - grad h(x)/beta, h >= h(x*)."""
    gradient, value, lowest, there = sp.symbols("grad value lowest there")
    w = a.x - gradient / a.beta
    premises = {
        "D.1 to x - grad/beta": (sp.Integer(1), a.smoothness(w, there, a.x, value, gradient)),
        "x* minimises": (sp.Integer(1), there - lowest),
    }
    right = value - (lowest if reference == "x*" else value)
    certificate = Certificate(gradient**2 / (2 * a.beta), right, premises, [], RANGES)
    verified = certificate.verify()
    zero = Fraction(0)
    shapes = [Kinked(ONE, ONE), Kinked(Fraction(1, 2), ONE), Kinked(zero, ONE)]
    found = search(
        [(h, t) for h in shapes for t in (ONE, -ONE)],
        lambda c: (
            number(certificate.left, {gradient: c[0].gradient(c[1]), a.beta: 1}),
            number(right, {value: c[0].value(c[1]), lowest: zero}),
        ),
        describe=lambda c: f"tilted loss {c[0]}, beta = 1, x* = 0, x = {c[1]}",
    )
    return conclude(
        verified,
        found,
        method="D.1 from x to x - grad/beta and minimality of x*; Gram identity in commuting scalars",
        valid_for="every beta-smooth function on R^d with minimiser x* (convex or not)",
        tightness=Tightness(1.0, Rung.PROOF, "equality for (beta/2)|.|^2") if reference == "x*" else None,
        certificate=certificates.polynomial(certificate) if verified[0] else None,
    )


bound_as_printed = claim(
    "MX-PROPD5-S2",
    kind=Kind.INEQUALITY,
    scope=Scope.GENERAL,
    source=f"{PROOF}, display",
    statement=r"\tfrac{1}{2\beta}\|\nabla\tilde f_i(x)\|^2\le\tilde f_i(x)-\tilde f_i(x)",
    summary="Printed with the same point twice, so that the right side is 0: the star of the second point is missing.",
    repair="MX-PROPD5-S2-R1",
    printed=dict(reference="x"),
    controls=[Control("second value at x*", dict(reference="x*"), must="pass")],
)(gradient_bound)

bound_repaired = claim(
    "MX-PROPD5-S2-R1",
    kind=Kind.INEQUALITY,
    scope=Scope.GENERAL,
    source=f"{PROOF}, display, repaired",
    statement=r"\tfrac{1}{2\beta}\|\nabla\tilde f_i(x)\|^2\le\tilde f_i(x)-\tilde f_i(x^*)",
    summary="The gradient of a smooth function against its suboptimality; this is what the proof goes on with.",
    printed=dict(reference="x*"),
    controls=[Control("second value at x, as printed", dict(reference="x"))],
)(gradient_bound)


@claim(
    "MX-PROPD5-S3",
    kind=Kind.IDENTITY,
    scope=Scope.GENERAL,
    source=PROOF,
    statement=r"\tfrac1N\sum_i\tilde f_i+\tilde f_c=f",
    summary="The tilts cancel, since the gradients of f_f and f_c at x* do.",
    assumptions=("x* an optimum of f",),
    printed=dict(centre_tilted=True, optimum=True),
    controls=[
        Control("f_c not tilted", dict(centre_tilted=False)),
        Control("x* any point", dict(optimum=False)),
    ],
)
def tilts_cancel(centre_tilted: bool, optimum: bool) -> Evidence:
    """The difference is <mean of grad f_i(x*) + grad f_c(x*), x> = <grad f(x*), x>."""
    left = a.f - a.gs * a.x + a.fc - (a.gcs * a.x if centre_tilted else 0)
    residual = (a.AT_OPTIMUM if optimum else a.ANYWHERE).of(left - a.f - a.fc)

    def pair(s: Mixture) -> tuple[Fraction, Fraction]:
        return s.average(left), s.average(a.f + a.fc)

    found = search(mixtures(stationary=optimum), pair, relation="=", describe=str)
    return conclude(
        (is_zero(residual), f"the sides differ by {residual}"),
        found,
        method=f"linearity; {REDUCTION}",
        valid_for="every N, client weights, dimension, differentiable losses",
        certificate=certificates.identity(residual) if is_zero(residual) else None,
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
