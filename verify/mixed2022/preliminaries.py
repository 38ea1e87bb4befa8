"""Section 4.1 of Augenstein et al. (2022): smoothness and convexity of the federated and of the mixed loss.

Averages over a generic client (any N) in commuting scalars (any dimension).
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.averages import Averages
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Step, inequality
from verify.mixed2022.declared import inequality_claim
from verify.mixed2022.settled import settle

ONE, ZERO = Fraction(1), Fraction(0)
# e: difference of the gradients of a generic client at two points, D: distance of the points
e, e_mean, e_dev, c, D, beta, mu = sp.symbols("e e_mean e_dev c D beta mu")
CLIENTS = Averages({e: (e_mean, e_dev)}, common_vectors=(D, c))
CLASS = [(beta, Open(0), None), (mu, 0, beta)]
GENERAL = "every N, dimension and pair of points"


def client_moduli(factor: str, part: str, total: bool) -> Evidence:
    """|mean e| <= factor beta D from |e| <= beta D ("smooth"), <mean e, D> >= factor mu D^2 from the same ("convex")."""
    k = sp.Rational(factor)
    scale = "sum over" if total else "mean of"
    step = (
        inequality(
            "smoothness",
            e_mean**2,
            k**2 * beta**2 * D**2,
            premises={"each client": (sp.Integer(1), CLIENTS.of(beta**2 * D**2 - e**2))},
            squares=[(sp.Integer(1), e_dev), ((k**2 - 1) * beta**2, D)],
            ranges=CLASS,
        )
        if part == "smooth"
        else inequality(
            "convexity",
            k * mu * D**2,
            e_mean * D,
            premises={"each client": (sp.Integer(1), CLIENTS.of(e * D - mu * D**2))},
            squares=[((1 - k) * mu, D)],
            ranges=CLASS,
        )
    )
    steps = (step, Step("f_f is the mean", not total, "a sum has N times the curvature"))

    def instances() -> list[Instance]:
        found = []
        for curvatures in ((ONE, ONE), (ONE, Fraction(1, 2)), (Fraction(1, 3),) * 3):
            whole = sum(curvatures, ZERO) / (1 if total else len(curvatures))
            text = f"client curvatures {', '.join(map(str, curvatures))}: curvature of the {scale} them"
            pair = (
                (whole, Fraction(factor) * max(curvatures))
                if part == "smooth"
                else (Fraction(factor) * min(curvatures), whole)
            )
            found.append(Instance(text, *pair))
        return found

    return settle(
        steps,
        instances,
        method="Jensen: mean and deviation over the clients.",
        valid_for=GENERAL,
        tightness=Tightness(1.0, Rung.PROOF, "equal clients") if k == 1 else None,
    )


smooth_mean = inequality_claim(
    "MX-SM-F",
    source="footnote 6",
    statement=r"f_i\ \beta\text{-smooth}\ \forall i\Rightarrow f_f\ \beta\text{-smooth}",
    summary="The mean of beta-smooth client losses is beta-smooth, convex or not; sharp for equal clients.",
    printed=dict(factor="1", part="smooth", total=False),
    controls=[Control("beta times 0.99", dict(factor="99/100")), Control("sum instead of mean", dict(total=True))],
)(client_moduli)
convex_mean = inequality_claim(
    "MX-CV-F",
    source="footnote 7",
    statement=r"f_i\ \mu\text{-convex}\ \forall i\Rightarrow f_f\ \mu\text{-convex}",
    summary="The mean of mu-convex client losses is mu-convex; sharp for equal clients.",
    printed=dict(factor="1", part="convex", total=False),
    controls=[Control("mu times 1.01", dict(factor="101/100"))],
)(client_moduli)


def mixed_moduli(constant: str, modulus: str) -> Evidence:
    """f = f_f + f_c: |e + c| <= constant beta D, <e + c, D> >= modulus mu D^2."""
    k, m = sp.Rational(constant), sp.Rational(modulus)
    steps = (
        inequality(
            "smoothness of the sum",
            (e + c) ** 2,
            k**2 * beta**2 * D**2,
            premises={"f_f": (sp.Integer(2), beta**2 * D**2 - e**2), "f_c": (sp.Integer(2), beta**2 * D**2 - c**2)},
            squares=[(sp.Integer(1), e - c), ((k**2 - 4) * beta**2, D)],
            ranges=CLASS,
        ),
        inequality(
            "convexity of the sum",
            m * mu * D**2,
            (e + c) * D,
            premises={"f_f": (sp.Integer(1), e * D - mu * D**2), "f_c": (sp.Integer(1), c * D - mu * D**2)},
            squares=[((2 - m) * mu, D)],
            ranges=CLASS,
        ),
    )

    def instances() -> list[Instance]:
        found = []
        for f, centre in ((ONE, ONE), (ONE, Fraction(1, 2))):
            text = f"f_f = {f}/2 x^2, f_c = {centre}/2 x^2"
            found += [
                Instance(f"{text}: smoothness of f", f + centre, Fraction(constant) * max(f, centre)),
                Instance(f"{text}: modulus of f", Fraction(modulus) * min(f, centre), f + centre),
            ]
        return found

    return settle(
        steps,
        instances,
        method="Sum of both parts.",
        valid_for=GENERAL,
        tightness=Tightness(1.0, Rung.PROOF, "f_f = f_c = (beta/2)|x|^2") if k == m == 2 else None,
    )


mix_double = inequality_claim(
    "MX-SM-MIX[f is 2 beta-smooth, as in Proposition D.6]",
    source="Proposition D.6",
    statement=r"f_f,f_c\ \beta\text{-smooth},\ \mu\text{-convex}\Rightarrow f\ 2\beta\text{-smooth},\ 2\mu\text{-convex}",
    summary="The sum of two losses has twice the moduli, and no better; the 4 beta of Proposition D.6 are twice this 2 beta.",
    printed=dict(constant="2", modulus="2"),
    controls=[Control("1.98 beta", dict(constant="99/50")), Control("2.02 mu", dict(modulus="101/50"))],
)(mixed_moduli)
mix_single = inequality_claim(
    "MX-SM-MIX[f is beta-smooth, as in the first step of Lemma D.12]",
    source="proof of Lemma D.12, first display",
    statement=r"f_f,f_c\ \beta\text{-smooth}\Rightarrow f\ \beta\text{-smooth}",
    printed=dict(constant="1", modulus="2"),
    repair="MX-SM-MIX[f is 2 beta-smooth, as in Proposition D.6]",
    summary="The first display of the proof of Lemma D.12 expands f with beta/2 |x+ - x|^2, which is smoothness of f "
    "with beta; from smooth parts it is 2 beta (or beta is meant of f and then the parts' constants are others).",
    controls=[Control("2 beta", dict(constant="2"), must="pass")],
)(mixed_moduli)


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
