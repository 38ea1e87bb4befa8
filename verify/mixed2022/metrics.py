"""Section 4.3 of Augenstein et al. (2022): what the metrics of equation (7) are, what noise adds to them, what they estimate."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import sympy as sp

from fltheory.evidence.kinds import definition_claim, expectation_claim, identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.theory import sampling as s
from fltheory.theory.mixed2022 import definitions
from fltheory.theory.mixed2022.definitions import W_C, wf
from fltheory.theory.mixed2022.metrics import expected_spread, noise_bias, sampled
from fltheory.theory.proofs import positive_on
from fltheory.theory.steps import Instance, equality, identity, inequality, shown
from verify.mixed2022.settled import settle

ONE, ZERO, HALF = Fraction(1), Fraction(0), Fraction(1, 2)
GRADIENTS = [(ONE, ZERO, HALF), (ONE, Fraction(-2), Fraction(73, 100)), (Fraction(3), Fraction(2), Fraction(1, 4))]
ALL = "all gradients, 0 < w_f < 1, any dimension"


def vector(*entries: Fraction) -> np.ndarray:
    return np.array(entries, dtype=object)


def metric(a: Fraction, b: Fraction, w: Fraction) -> tuple[Fraction, Fraction]:
    """(Gt^2, Bt^2) as the package computes them."""
    both = sampled(vector(a), vector(b), federated_weight=w)
    return both.G2.item(), both.B2.item()


@identity_claim(
    "MX-EQ7.1",
    source="eq. (7)",
    statement=r"\tilde G_t^2=\frac{\|w_ca-w_fb\|^2}{w_fw_c}\ge0,\quad\tilde B_t^2=1+\frac{\tilde G_t^2}{\|a+b\|^2}\ge1",
    summary="Both metrics are one number, the weighted spread of the two sampled gradients: as it is and relative to "
    "the squared sampled gradient of f. Gt^2 is never negative and Bt^2 never below 1; Gt^2 has units, Bt^2 has none.",
    printed=dict(sign=-1),
    controls=[Control("plus |sampled gradient|^2 in Gt^2", dict(sign=1))],
)
def closed_form(sign: int) -> Evidence:
    a, b, total = definitions.a, definitions.b, (definitions.a + definitions.b) ** 2
    weighted = a**2 / wf + b**2 / W_C
    g2, b2 = weighted + sign * total, weighted / total
    steps = (
        identity("Gt^2", g2, definitions.closed_form()),
        identity("Bt^2 - 1 = Gt^2/|a + b|^2", (b2 - 1) * total, g2),
    )

    instances = []
    for x, y, w in GRADIENTS:
        name, at = f"a = {x}, b = {y}, w_f = {w}", dict(a=x, b=y, wf=w)
        pairs = zip(("Gt^2", "Bt^2"), (g2, b2), metric(x, y, w), strict=True)
        instances += [equality(f"{name}: {which}", s.at(form, at), computed) for which, form, computed in pairs]
    return settle(steps, instances, method="Expansion in commuting scalars (Gram).", valid_for=ALL)


@expectation_claim(
    "MX-EQ7.2",
    source="eq. (7), with noise",
    statement=r"\mathbb{E}\,\tilde G_t^2=\frac{\|w_c\nabla f_f-w_f\nabla "
    r"f_c\|^2}{w_fw_c}+\frac{w_c}{w_f}V_f+\frac{w_f}{w_c}V_c,\quad V_f\le\tfrac{\sigma^2}S,\ V_c\le\sigma_c^2",
    summary="Gradient noise adds (w_c/w_f) V_f + (w_f/w_c) V_c to the mean of Gt^2, also where the two exact gradients agree.",
    assumptions=("unbiased answers", "errors of cohort and centre uncorrelated given the model"),
    printed=dict(scale="1", correlated=False),
    controls=[
        Control("variance terms times 0.99", dict(scale="99/100")),
        Control("the same error in both gradients", dict(correlated=True)),
    ],
)
def bias(scale: str, correlated: bool) -> Evidence:
    k = sp.Rational(scale)
    Vf, Vc, cov = sp.symbols("V_f V_c cov", nonnegative=True)
    exact = expected_spread(Vf, Vc, cov if correlated else sp.Integer(0))
    steps = (identity("second moments of the errors", exact, k * noise_bias(Vf, Vc, federated_weight=wf)),)

    size = 1 if correlated else 2
    signs = [(e, e) for e in (ONE, -ONE)] if correlated else list(product((ONE, -ONE), repeat=2))
    instances = []
    for x, y, w in GRADIENTS:
        mean = sum((metric(x + e, y + size * c, w)[0] for e, c in signs), ZERO) / len(signs)
        added = Fraction(scale) * noise_bias(ONE, Fraction(size**2), federated_weight=w)
        name = f"gradients {x}, {y}, w_f = {w}, errors +-1 and +-{size}: mean of Gt^2"
        instances.append(equality(name, mean, metric(x, y, w)[0] + added))
    return settle(
        steps,
        instances,
        method="Gt^2 is a quadratic form of the gradients; its mean is the form of the means plus the form of the error moments.",
        valid_for=ALL + "; every noise law with these second moments",
    )


@definition_claim(
    "MX-EQ7.3",
    source="eq. (7), near the minimiser",
    statement=r"x\to x^*,\ \nabla f_f(x^*)\ne0:\quad\tilde B_t^2\to\infty,\quad\tilde G_t^2\to\frac{\|\nabla "
    r"f_f(x^*)\|^2}{w_fw_c}",
    summary="Without noise Bt^2 tends to infinity as the run converges unless grad f_f(x*) = 0, while Gt^2 tends to the "
    "lower bound of every admissible G^2. A finite maximum of Bt^2 over rounds therefore depends on when one stops.",
    printed=dict(slope="1"),
    controls=[Control("grad f_f(x*) = 0", dict(slope="0"))],
)
def near_minimiser(slope: str) -> Evidence:
    """At x* + t u: a = t H_f u + a*, b = t H_c u - a*; in scalars f = H_f u, c = H_c u."""
    f, c, t = sp.symbols("f c t", positive=True)
    star = sp.Rational(slope) * sp.Symbol("a_star", positive=True)
    at = {definitions.a: t * f + star, definitions.b: t * c - star}
    spread = definitions.closed_form().subs(at, simultaneous=True)
    limit = sp.limit(spread, t, 0)
    scaled = sp.limit(t**2 * spread / (t * (f + c)) ** 2, t, 0)
    positive = scaled.subs({wf: HALF, f: 1, c: 1, sp.Symbol("a_star", positive=True): 1})
    steps = (
        identity("limit of Gt^2", limit, star**2 / (wf * W_C)),
        identity("limit of t^2 (Bt^2 - 1)", scaled, star**2 / (wf * W_C * (f + c) ** 2)),
        shown("it is positive", lambda: positive_on(positive, ()), "Bt^2 stays bounded"),
    )

    # curvatures 1 and 3, w_f = 1/2: Bt^2 must exceed every bound, here 1000, at x - x* = 1/1000
    size = Fraction(slope)
    value = metric(Fraction(1, 1000) + size, Fraction(3, 1000) - size, HALF)[1]
    name = f"curvatures 1 and 3, grad f_f(x*) = {size}, x - x* = 1/1000: 1000 against Bt^2"
    found = [Instance(name, Fraction(1000), value)]
    method = "Limits along any line through x* on which grad f does not vanish (Gram: f, c, a* are vectors)."
    return settle(steps, found, method=method, valid_for="quadratics, all directions u with H u != 0, all w_f")


def estimate(noise: bool, corrected: str) -> Evidence:
    """Gt^2 <= G^2 when (G, 1) is admissible, Bt^2 <= B^2 when (0, B) is; with noise the mean, less
    ``corrected`` times the bias.
    """
    k = Fraction(corrected)
    g2, q, left, B2 = sp.symbols("g2 q left B2", nonnegative=True)
    at_model = g2 + B2 * q - left  # Definition 4.2 at x^(t)
    one, ratio = ({"Definition 4.2 at x^(t)": (sp.Integer(1), at_model.subs(x, y))} for x, y in ((B2, 1), (g2, 0)))
    Vf, Vc = sp.symbols("V_f V_c", nonnegative=True)
    rest = expected_spread(Vf, Vc, sp.Integer(0)) if noise else sp.Integer(0)
    removed = sp.Rational(corrected) * noise_bias(Vf, Vc, federated_weight=wf) if noise else sp.Integer(0)
    sizes = [(q, 0, None), (left, 0, None)]
    steps = (
        inequality("B = 1: spread at x^(t) at most G^2", left - q, g2, premises=one, ranges=[(g2, 0, None), *sizes]),
        inequality("G = 0: ratio at most B^2", left, B2 * q, premises=ratio, ranges=[(B2, 1, None), *sizes]),
        identity("nothing is left of the noise", rest - removed, 0),
    )
    # f_f = x^2/2, f_c = x^2/2 and f_f = x^2/2, f_c = 3x^2/2 at w_f = 1/2, with the exact G (B = 1) resp. B (G = 0)
    instances = []
    errors = list(product((HALF, -HALF), repeat=2)) if noise else [(ZERO, ZERO)]
    added = noise_bias(HALF**2, HALF**2, federated_weight=HALF) if noise else ZERO
    word = "mean of Gt^2 (errors +-1/2)" if noise else "Gt^2"
    for x in (ZERO, ONE, Fraction(3)):
        mean = sum((metric(x + e, x + c, HALF)[0] for e, c in errors), ZERO) / len(errors)
        instances.append(Instance(f"f_f = f_c = x^2/2 (G = 0), w_f = 1/2, x = {x}: {word}", mean - k * added, ZERO))
        if not noise and x:
            name = f"curvatures 1 and 3 (G = 0, B^2 = 5/4), x = {x}: Bt^2"
            instances.append(Instance(name, metric(x, 3 * x, HALF)[1], Fraction(5, 4)))

    method = "Definition 4.2 at the model of the round." + (" The bias of MX-EQ7.2 is subtracted." if noise else "")
    return settle(steps, instances, method=method, valid_for="all losses for which the definition holds")


NOISE = Control("gradient noise", dict(noise=True))
estimate_claim = inequality_claim.sharing(source="Section 4.3")
exact_estimate = estimate_claim(
    "MX-EQ7-EST",
    headline="Measured from exact gradients the metrics are lower estimates",
    statement=r"\tilde G_t^2\le G^2\ (B=1),\quad\tilde B_t^2\le B^2\ (G=0)",
    printed=dict(noise=False, corrected="0"),
    assumptions=("exact gradients",),
    summary="From exact gradients the metrics, and their maxima over rounds, are lower estimates of G^2 (with B = 1) and of "
    "B^2 (with G = 0), where such constants exist. From stochastic gradients they are not: noise raises the mean of Gt^2.",
    controls=[NOISE],
    unprinted=Unprinted("the gradients in the metrics are exact", NOISE.name),
)(estimate)
corrected_estimate = estimate_claim(
    "MX-EQ7-EST-R1",
    statement=r"\mathbb{E}\,\tilde G_t^2-\tfrac{w_c}{w_f}V_f-\tfrac{w_f}{w_c}V_c\le G^2\ (B=1)",
    printed=dict(noise=True, corrected="1"),
    headline="The estimator less its noise is a lower bound of the dissimilarity",
    summary="The mean of Gt^2 less the noise term is the spread at the model of the round, hence at most G^2.",
    controls=[Control("0.99 of the noise term subtracted", dict(corrected="99/100"))],
)(estimate)

if __name__ == "__main__":
    run_script(__file__)
