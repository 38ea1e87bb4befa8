"""Theorem I of the elastic aggregation supplement, with constants, in the vocabulary of hypotheses.

R rounds give the models x^0, ..., x^R; the effective step is e = K phi eta_g eta_l.  G and B are constants of A1, of which any
admissible pair will do; M^2 = sigma^2 (1 + S/(phi eta_g)^2) + K (1 - S/N) G^2.  The printed orders stand with the number that was
proved for them.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.hypotheses import (
    BoundedBelow,
    BoundedVariance,
    CohortLaw,
    ConstantStep,
    ConvexLosses,
    DissimilarClients,
    Hypothesis,
    IndependentNoise,
    Inequality,
    PrescribedStep,
    SmoothLosses,
    StronglyConvexLosses,
)
from fltheory.theory.hypotheses.quantities import parsed
from fltheory.theory.rates import Form, RateTheorem

M_SQ = "(sigma_sq*(1 + S/eta_s**2) + E*(1 - S/N)*G_B_sq)"
_LIMIT = "8*(1 + B_sq)*L"
#: 1/e = 8 (1 + B^2) beta + X + U of (16) and of (17).
CONVEX_STEP = f"1/({_LIMIT} + 2*sqrt({M_SQ}*(R + 1)/(E*S))/sqrt(D_sq) + (9*L*G_B_sq*(R + 1)/D_sq)**(1/3))"
SMOOTH_STEP = f"1/({_LIMIT} + sqrt(2*L*{M_SQ}*(R + 1)/(E*S*gap)) + (5/2*L**2*G_B_sq*(R + 1)/gap)**(1/3))"
_C_1, _C_2 = f"4*{M_SQ}/(E*S)", "9/2*L*G_B_sq"
_B = f"max(2, mu**2*R*D_sq/({_C_1} + {_C_2}/(mu*R)))"
#: The smaller one of the limit and 2 log(b)/(mu R).
STRONG_STEP = f"min(1/({_LIMIT}), 2*log({_B})/(mu*R))"
VALUES = {
    "beta": "L",
    "mu": "mu",
    "B": "sqrt(B_sq)",
    "G": "sqrt(G_B_sq)",
    "M": f"sqrt{M_SQ}",
    "D": "sqrt(D_sq)",
    "F": "gap",
    "R": "R",
    "K": "E",
    "S": "S",
    "N": "N",
    "p": "eta_s",
    "sigma": "sqrt(sigma_sq)",
    "e": "e",
    "b": _B,
    "C": "1/(1 - exp(-1/2))",
    "c_1": _C_1,
    "c_2": _C_2,
}
_A = (SmoothLosses(), IndependentNoise(), BoundedVariance("sigma_sq"), DissimilarClients())
_SHARES = "1/e = 8 (1 + B^2) beta + X + U, X and U the shares of noise and drift"
_WORDS: dict[str, tuple[Hypothesis, ...]] = {
    "A1, A3, A4": _A,
    "phi eta_g >= 1": (Inequality("phi eta_g >= 1", sp.Ge(parsed("eta_s"), 1)),),
    "every f_i convex, x* minimises f": (ConvexLosses(), BoundedBelow()),
    "A2 with mu > 0": (StronglyConvexLosses(),),
    "weights w_r = (1 - mu e/2)^(1-r)": (),
    "e the smaller one of 1/(8 (1 + B^2) beta) and 2 log(b)/(mu R)": (
        PrescribedStep("e", STRONG_STEP, "min(1/(8 (1 + B^2) L), 2 log(b)/(mu R))"),
    ),
    "C (1 - exp(-1/2)) >= 1": (),
}
_CONVEX = ("A1, A3, A4", "phi eta_g >= 1", "every f_i convex, x* minimises f")
_STRONG = ("A1, A3, A4", "phi eta_g >= 1", "A2 with mu > 0", "weights w_r = (1 - mu e/2)^(1-r)")
_TUNED = "e the smaller one of 1/(8 (1 + B^2) beta) and 2 log(b)/(mu R)"


def _theorem(
    name: str, title: str, place: str, measure: str, words: tuple[str, ...], step: str, form: Form, claim: str, of: str
) -> RateTheorem:
    tuned: dict[str, tuple[Hypothesis, ...]] = (
        {_SHARES: (PrescribedStep("e", step, f"the step of {title.removesuffix(' with constants')}"),)} if step else {}
    )
    return RateTheorem(
        f"elastic2023.{name}",
        f"Elastic aggregation (2023), {title}",
        f"elastic2023:rates.{place}",
        measure,
        "local SGD",
        VALUES,
        {**{word: _WORDS[word] for word in words}, **tuned},
        (BoundedBelow(), CohortLaw("uniform subset"), ConstantStep("eta")),
        claim,
        form,
        of and f"elastic2023.{of}",
    )


_C, _N, _S = "theorem_1_convex", "theorem_1_smooth", "theorem_1_strongly_convex"
RATES = (
    _theorem(
        _C,
        "Theorem I (16)",
        "CONVEX_ORDER",
        "mean gap",
        _CONVEX,
        CONVEX_STEP,
        "printed",
        "EL-T1-GC[D the distance]",
        "",
    ),
    _theorem(
        f"{_C}_constants",
        "Theorem I (16) with constants",
        "CONVEX_RATE",
        "mean gap",
        _CONVEX,
        CONVEX_STEP,
        "sharpened",
        "EL-T1-GC-S1",
        _C,
    ),
    _theorem(
        _N,
        "Theorem I (17)",
        "SMOOTH_ORDER",
        "mean square, models",
        _CONVEX[:2],
        SMOOTH_STEP,
        "printed",
        "EL-T1-NC[M sqrt(beta F), (beta^2 G^2)^(1/3)]",
        "",
    ),
    _theorem(
        f"{_N}_constants",
        "Theorem I (17) with constants",
        "SMOOTH_RATE",
        "mean square, models",
        _CONVEX[:2],
        SMOOTH_STEP,
        "sharpened",
        "EL-T1-NC-S1",
        _N,
    ),
    _theorem(
        _S,
        "Theorem I (15), step repaired",
        "STRONG_RATE",
        "weighted gap, mu e/2",
        (*_STRONG, _TUNED, "C (1 - exp(-1/2)) >= 1"),
        "",
        "repaired",
        "EL-T1-STEP-R1",
        "",
    ),
    _theorem(
        f"{_S}_any_step",
        "Theorem I (15) before the step is tuned",
        "UNROLLED",
        "weighted gap, mu e/2",
        _STRONG,
        "",
        "printed",
        "EL-T1-UNR[about the run]",
        "",
    ),
)
