"""Lemma D.7 of Augenstein et al. (2022), perturbed strong convexity: proved; (beta+mu)/2 instead of beta is sharp.

Definition D.1 from x to z and Definition D.4 from x to y, added, leave a quadratic form in y - x and z - x.  The worst
function has curvature beta on the side of z and mu on the side of y.  The display of the proof prints its two
inequalities under one left side; the second one belongs to <grad h(x), x - y>.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.decide import decide
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.mixed2022 import convex as convexity
from fltheory.theory.mixed2022.convex import LEMMA_D7, LEMMA_D7_PROOF, LEMMA_D7_SHARP, gx, gy, hx, hy, hz, m
from fltheory.theory.mixed2022.scalars import number, scalars, sides
from fltheory.theory.proofs import Certificate, Open, is_zero
from verify.mixed2022 import convex_premises
from verify.mixed2022.declared import inequality_claim
from verify.mixed2022.kinked import KinkedParabola
from verify.mixed2022.settled import all_certified, certified

ONE, ZERO = Fraction(1), Fraction(0)
METHOD = "Definitions D.1 and D.4 at the named pairs times multipliers plus squares; Gram identity in commuting scalars (removes d)"
GENERAL = "every dimension, all x, y, z, 0 <= mu <= beta; h on R^d or on a convex domain"
PREMISES = {
    "D.1 from x to z": (sp.Integer(1), convex_premises.smoothness(convexity.z, hz, convexity.x, hx, gx)),
    "D.4 from x to y": (sp.Integer(1), convex_premises.convexity(convexity.y, hy, convexity.x, hx, gx)),
}
Case = tuple[Fraction, Fraction, KinkedParabola, tuple[Fraction, Fraction, Fraction]]


def cases(*, convex: bool = True, ordered: bool = True, more: Sequence[Fraction] = ()) -> list[Case]:
    """(mu, beta, h, (x, y, z)), the pure quadratic with mu = beta = 1 first."""
    points = [(ZERO, -ONE, ONE), (ONE, ZERO, ONE), (ZERO, ONE, ZERO), (ZERO, ONE, -ONE), (ONE, Fraction(2), ONE / 2)]
    points += [(ZERO, -t, ONE) for t in more]
    found = []
    for mu in (ONE, Fraction(1, 2), ZERO):
        shapes = [
            KinkedParabola(mu, ONE),
            KinkedParabola(ONE, mu),
            KinkedParabola(mu, mu, ONE),
            *([] if convex else [KinkedParabola(-ONE, -ONE)]),
        ]
        found += [(mu, ONE, h, at) for h in dict.fromkeys(shapes) for at in points]
    return found


def values(case: Case) -> dict[sp.Symbol, Fraction]:
    """The symbols of the lemma on an instance."""
    mu, beta, h, (x, y, z) = case
    return {
        convexity.mu: mu,
        convexity.beta: beta,
        convexity.x: x,
        convexity.y: y,
        convexity.z: z,
        hx: h.value(x),
        hy: h.value(y),
        hz: h.value(z),
        gx: h.gradient(x),
        gy: h.gradient(y),
    }


def describe(case: Case) -> str:
    mu, beta, h, (x, y, z) = case
    return f"h = {h}, mu = {mu}, beta = {beta}, x = {x}, y = {y}, z = {z}"


def evaluate(left: sp.Expr, right: sp.Expr, instances: Sequence[Case], **parameters: Fraction) -> Search:
    """``left >= right`` on instances; ``parameters`` gives values to further symbols by name."""
    more = {sp.Symbol(name): value for name, value in parameters.items()}
    return search(
        instances,
        lambda c: (number(left, values(c) | more), number(right, values(c) | more)),
        relation=">=",
        describe=describe,
    )


def perturbed(
    modulus: sp.Expr, penalty: sp.Expr, ratio: sp.Expr, premises: dict[str, tuple[sp.Expr, sp.Expr]]
) -> Certificate:
    """h(z) - h(y) + modulus |y-z|^2 - penalty |z-x|^2 <= <grad h(x), z-y>; ratio = 2 modulus/(mu - 2 modulus)."""
    right = hz - hy + modulus * (convexity.y - convexity.z) ** 2 - penalty * (convexity.z - convexity.x) ** 2
    rest = sp.cancel(penalty - convexity.beta / 2 - modulus * (1 + ratio))
    squares = [
        (convexity.mu / 2 - modulus, convexity.y - convexity.x + ratio * (convexity.z - convexity.x)),
        (rest, convexity.z - convexity.x),
    ]
    return Certificate(right, gx * (convexity.z - convexity.y), premises, squares, convex_premises.CLASS)


@inequality_claim(
    "MX-LEMD7",
    statement=LEMMA_D7.latex(),
    source="Lemma D.7",
    summary="Perturbed strong convexity. The penalty beta can be lowered to (beta + mu)/2, which the proof itself gives; "
    "as a multiple of beta alone it is sharp (mu = beta).",
    assumptions=("h beta-smooth", "h mu-convex, mu >= 0"),
    proof_steps=("MX-LEMD7-S1", "MX-LEMD7-S2", "MX-LEMD7-S3"),
    printed=dict(modulus="1/4", penalty="beta", convex=True),
    controls=[
        Control("penalty beta -> 0.99 beta", dict(penalty="99*beta/100")),
        Control("penalty 0.99 (beta + mu)/2", dict(penalty="99*(beta + mu)/200")),
        Control("mu/4 -> 1.01 mu/4", dict(modulus="101/400")),
        Control("h not convex", dict(convex=False)),
    ],
)
def lemma_d7(modulus: str, penalty: str, convex: bool) -> Evidence:
    """The remainder of the two premises is (mu/4)|(y-x) + (z-x)|^2 + ((beta-mu)/2)|z-x|^2."""
    share = sp.Rational(modulus)
    weight = sp.sympify(penalty, locals={"beta": convexity.beta, "mu": convexity.mu})
    ratio = 2 * share / (1 - 2 * share)
    premises = PREMISES if convex else {name: PREMISES[name] for name in ("D.1 from x to z",)}
    certificate = perturbed(share * convexity.mu, weight, ratio, premises)
    instances = cases(convex=convex, more=[Fraction(str(ratio))])
    return certified(
        certificate,
        evaluate(certificate.right, certificate.left, instances),
        method=METHOD,
        valid_for=GENERAL,
        numbers={"sharp penalty": "(beta + mu)/2"},
        tightness=Tightness(
            2.0,
            Rung.PROOF,
            "(beta + mu)/2 instead of beta (MX-LEMD7-S4): ratio 2 beta/(beta + mu), from 1 at mu = beta to 2 as mu -> 0",
        ),
    )


def two_lines(second: str, upper: str, lower: str) -> Evidence:
    """First line: D.1 from x to z. Second line: D.4 from x to y, with the left side ``second``."""
    left = gx * (convexity.z - convexity.x if second == "z - x" else convexity.x - convexity.y)
    lines = [
        (
            gx * (convexity.z - convexity.x),
            hz - hx - sp.Rational(upper) * convexity.beta * (convexity.z - convexity.x) ** 2,
        ),
        (left, hx - hy + sp.Rational(lower) * convexity.mu * (convexity.y - convexity.x) ** 2),
    ]
    sources = list(PREMISES.values())
    rest = [
        (sp.Rational(upper) - sp.Rational(1, 2), convexity.z - convexity.x),
        (sp.Rational(1, 2) - sp.Rational(lower), convexity.y - convexity.x),
    ]
    scale = [convexity.beta, convexity.mu]
    proofs = [
        Certificate(right, bigger, {"definition": source}, [(scale[i] * rest[i][0], rest[i][1])], convex_premises.CLASS)
        for i, ((bigger, right), source) in enumerate(zip(lines, sources, strict=True))
    ]
    found = [evaluate(bigger, right, cases()) for bigger, right in lines]
    text = next((f"line {i + 1}: {s.counterexample}" for i, s in enumerate(found) if s.counterexample), "")
    joined = Search(sum(s.examined for s in found), min(s.worst for s in found), text)
    return all_certified(
        {f"line {i + 1}": proof for i, proof in enumerate(proofs)},
        joined,
        method=METHOD,
        valid_for=GENERAL,
        tightness=Tightness(1.0, Rung.PROOF, "equality for quadratics of curvature beta and mu"),
    )


LINES = dict(source="proof of Lemma D.7, first display")
FIRST_LINE = r"\langle\nabla h(x),z-x\rangle\ge h(z)-h(x)-\tfrac{\beta}{2}\|z-x\|^2"

two_left_sides = inequality_claim(
    "MX-LEMD7-S1[each inequality with its own left side]",
    **LINES,
    statement=FIRST_LINE + r",\quad\langle\nabla h(x),x-y\rangle\ge h(x)-h(y)+\tfrac{\mu}{2}\|y-x\|^2",
    summary="The two inequalities that the text announces and that the proof adds up: D.1 from x to z, D.4 from x to y.",
    printed=dict(second="x - y", upper="1/2", lower="1/2"),
    controls=[
        Control("beta/2 -> 0.99 beta/2", dict(upper="99/200")),
        Control("mu/2 -> 1.01 mu/2", dict(lower="101/200")),
    ],
)(two_lines)

one_left_side = inequality_claim(
    "MX-LEMD7-S1[one left side, as displayed]",
    **LINES,
    statement=FIRST_LINE + r"\ \text{and}\ \langle\nabla h(x),z-x\rangle\ge h(x)-h(y)+\tfrac{\mu}{2}\|y-x\|^2",
    summary="Read literally the second line has the left side of the first; it does not contain z, and fails at z = x.",
    repair="MX-LEMD7-S1[each inequality with its own left side]",
    printed=dict(second="z - x", upper="1/2", lower="1/2"),
    controls=[Control("left side of the second line <grad h(x), x - y>", dict(second="x - y"), must="pass")],
)(two_lines)


@inequality_claim(
    "MX-LEMD7-S2",
    source="proof of Lemma D.7, second display",
    statement=r"\tfrac{\mu}{2}\|y-x\|^2\ge\tfrac{\mu}{4}\|y-z\|^2-\tfrac{\mu}{2}\|x-z\|^2",
    summary="This is the relaxed triangle inequality with a = 1, for mu >= 0.",
    depends=("MX-LEMD2-1",),
    printed=dict(gain="1/4", loss="1/2", sign=1),
    controls=[
        Control("mu/4 -> 1.01 mu/4", dict(gain="101/400")),
        Control("mu/2 -> 0.99 mu/2 on the right", dict(loss="99/200")),
        Control("mu < 0", dict(sign=-1)),
    ],
)
def relaxed_triangle(gain: str, loss: str, sign: int) -> Evidence:
    """Left less right is (mu/4)|(y - x) + (z - x)|^2."""
    modulus = sign * convexity.mu
    left = modulus / 2 * (convexity.y - convexity.x) ** 2
    right = modulus * (
        sp.Rational(gain) * (convexity.y - convexity.z) ** 2 - sp.Rational(loss) * (convexity.x - convexity.z) ** 2
    )
    certificate = Certificate(
        right, left, {}, [(modulus / 4, convexity.y + convexity.z - 2 * convexity.x)], ((convexity.mu, Open(0), None),)
    )
    points = [(1, 0, 1, -1), (1, 0, 2, -1), (1, 0, 1, 0), (2, 1, 2, 3)]
    found = search(
        points,
        lambda c: tuple(
            number(side, dict(zip((convexity.mu, convexity.x, convexity.y, convexity.z), c, strict=True)))
            for side in (left, right)
        ),
        relation=">=",
        describe=lambda c: f"mu = {sign * c[0]}, x = {c[1]}, y = {c[2]}, z = {c[3]}",
    )
    return certified(
        certificate,
        found,
        method="one square; Gram identity in commuting scalars (removes d)",
        valid_for="mu >= 0, every dimension",
        tightness=Tightness(1.0, Rung.PROOF, "equality at x = (y + z)/2"),
    )


@inequality_claim(
    "MX-LEMD7-S3.1",
    statement=LEMMA_D7_PROOF.latex(),
    source="proof of Lemma D.7, third display",
    summary="The three inequalities added up; (beta + mu)/2 is sharp for all mu <= beta.",
    proof_steps=("MX-LEMD7-S1[each inequality with its own left side]", "MX-LEMD7-S2"),
    printed=dict(factor="1"),
    controls=[Control("(beta + mu)/2 times 0.99", dict(factor="99/100"))],
)
def combined(factor: str) -> Evidence:
    """Equality: curvature beta for t > 0, mu for t < 0, x = 0, z = 1, y = -1."""
    penalty = sp.Rational(factor) * (convexity.beta + convexity.mu) / 2
    certificate = perturbed(convexity.mu / 4, penalty, sp.Integer(1), PREMISES)
    left, right = sides(LEMMA_D7_PROOF)
    verified, reason = certificate.verify()
    same = is_zero(left - certificate.right) and (factor != "1" or is_zero(right - certificate.left))
    return decide(
        (verified and same, reason),
        evaluate(certificate.right, certificate.left, cases()),
        method=METHOD,
        valid_for=GENERAL,
        tightness=Tightness(
            1.0,
            Rung.PROOF,
            "equality for all 0 <= mu <= beta: curvature beta on the side of z = 1, mu on the side of y = -1, x = 0",
        ),
        certificate=certificates.polynomial(certificate) if verified else None,
    )


@inequality_claim(
    "MX-LEMD7-S3.2",
    source="proof of Lemma D.7, last line",
    statement=r"\mu\le\beta,\ \text{so that}\ \tfrac{\beta+\mu}{2}\|z-x\|^2\le\beta\|z-x\|^2",
    summary="No function has mu > beta: D.4 and D.1 at one pair of different points.",
    printed=dict(factor="1"),
    controls=[Control("mu <= 0.99 beta", dict(factor="99/100"))],
)
def ordered(factor: str) -> Evidence:
    """D.1 and D.4 from x to y add up to ((beta - mu)/2)|y - x|^2 >= 0."""
    k = sp.Rational(factor)
    both = convex_premises.smoothness(convexity.y, hy, convexity.x, hx, gx) + convex_premises.convexity(
        convexity.y, hy, convexity.x, hx, gx
    )
    target = (k * convexity.beta - convexity.mu) / 2 * (convexity.y - convexity.x) ** 2
    certificate = Certificate(
        sp.Integer(0),
        target,
        {"D.1 and D.4": (sp.Integer(1), both)},
        [((k - 1) * convexity.beta / 2, convexity.y - convexity.x)],
        ((convexity.mu, Open(0), None), (convexity.beta, Open(0), None)),
    )
    slack = sp.Rational(1, 2) * (convexity.beta - convexity.mu) * (convexity.z - convexity.x) ** 2
    last = is_zero(
        convexity.beta * (convexity.z - convexity.x) ** 2
        - (convexity.beta + convexity.mu) / 2 * (convexity.z - convexity.x) ** 2
        - slack
    )
    verified, reason = certificate.verify()
    found = search(
        [ONE, Fraction(1, 2), ZERO],
        lambda mu: (mu, Fraction(factor)),
        describe=lambda mu: f"h = ({mu}/2) t^2 + (1 - {mu})/2 max(t, 0)^2, mu = {mu}, beta = 1",
    )
    return decide(
        (verified and last, reason),
        found,
        method=METHOD,
        valid_for="functions on a space of dimension at least 1",
        certificate=certificates.polynomial(certificate) if verified else None,
    )


@inequality_claim(
    "MX-LEMD7-S4",
    statement=LEMMA_D7_SHARP.latex(),
    source="Lemma D.7, sharpened",
    summary="Every part m of the modulus below mu can be kept; the penalty is the exact price. m = mu/2 is the lemma with "
    "(beta + mu)/2, m = 0 costs beta/2 only.",
    assumptions=("h beta-smooth", "h mu-convex", "0 <= m < mu"),
    printed=dict(factor="1"),
    controls=[Control("penalty times 0.99", dict(factor="99/100"))],
)
def every_modulus(factor: str) -> Evidence:
    """m = share mu; equality at y - x = -(m/(mu - m))(z - x)."""
    u = sp.Symbol("u")
    part = convexity.mu * u / (1 + u)  # m, with share u/(1+u) in [0, 1)
    full = sp.cancel(scalars(LEMMA_D7_SHARP.expression).subs(m, part))
    penalty = sp.Rational(factor) * (convexity.beta + u * convexity.mu) / 2
    certificate = perturbed(part / 2, penalty, u, PREMISES)
    certificate = Certificate(
        certificate.left, certificate.right, PREMISES, certificate.squares, (*convex_premises.CLASS, (u, 0, None))
    )
    verified, reason = certificate.verify()
    same = factor != "1" or is_zero(full - certificate.left)
    found = []
    for share in (Fraction(0), ONE, Fraction(1, 3), Fraction(3)):
        instances = [case for case in cases(more=[share]) if case[0] > 0]
        found.append(evaluate(certificate.right, certificate.left, instances, u=share))
    text = next((s.counterexample for s in found if s.counterexample), "")
    joined = Search(sum(s.examined for s in found), min(s.worst for s in found), text)
    return decide(
        (verified and same, reason),
        joined,
        method=METHOD,
        valid_for="every dimension, all x, y, z, 0 <= m < mu <= beta",
        tightness=Tightness(
            1.0, Rung.PROOF, "equality: curvature beta for t >= 0, mu for t < 0, x = 0, z = 1, y = -m/(mu - m)"
        ),
        certificate=certificates.polynomial(certificate) if verified else None,
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
