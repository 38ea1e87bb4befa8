"""Lemma 1 of Li et al. (2020), one step of averaged SGD, and eq. (20): proved, and sharpened.

For any number of clients: split the vectors of the generic client into mean and deviation.  Two certificates are
given.  (20) is put together from the premises that the printed proof uses.  The lemma itself follows from less: with
h_k = grad F_k(w^k) - grad F_k(w*) - mu (w^k - w*), cocoercivity <h_k, w^k - w*> >= |h_k|^2/(L - mu) (from A1 and A2 at
one further point), the Gamma term is not needed at all, and the drift enters with eta (1 - eta mu)(L - mu)/2 <= 1/8
instead of 2.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.states import proves
from verify.li2020 import elsewhere, symbols
from verify.li2020 import one_step_checks as checks
from verify.li2020.derivations.lemmas import step_of_average
from verify.li2020.displays.lemma_1 import eq_20
from verify.li2020.lemmas import LEMMA_1, LEMMA_1_SHARP, SHARP_DRIFT, lemma_1_expression
from verify.li2020.one_step import Snapshot, snapshots
from verify.li2020.one_step_checks import ProvedDisplay, step
from verify.li2020.symbols import A1, GAMMA_T, L, dw, eta, g, g_bar, mu, w, wbar, wstar

PROOF_STEPS = tuple(
    f"LI-{step}" for step in "EQ14 EQ15 EQ16 B2 EQ17 EQ18 EQ19 A1COMB GAMT C1 C2 D1..D3 C3 C4 C5 EQ20".split()
)
_TWO = "two quadratic clients with a common minimiser"
GENERAL = "every N, p, dimension, 0 < mu <= L, all local points"


def allowed(top: sp.Expr) -> list[Snapshot]:
    """The instances with steps up to ``top``, and with the step ``top`` itself where it depends on mu."""
    library = snapshots(Fraction(str(top.subs({L: 1, mu: 1}))))
    at_top = [replace(s, step=s.average(top)) for s in library if top.has(mu)]
    return list(dict.fromkeys([*(s for s in library if s.step <= s.average(top)), *at_top]))


#: The quantities of the bound at a moment of a run, as forms of the generic client.
WITHOUT_NOISE = {symbols.Delta: (wbar - wstar) ** 2, symbols.V: (wbar - w) ** 2, sp.Symbol("n"): 0}


def excess(right: sp.Expr, power: int) -> tuple[sp.Expr, sp.Expr]:
    """Both sides less the contracted distance, so that slacks are relative to the error terms."""
    contracted = (1 - eta * mu) ** power * (wbar - wstar) ** 2
    return A1 - contracted, right - contracted


def one_step(
    *,
    gamma_coefficient: object,
    drift_coefficient: object,
    power: int,
    largest_step: str,
    numbers: Mapping[str, object],
    tightness: Tightness,
) -> Evidence:
    """Lemma 1 with given constants: certificate, and search over exact instances."""
    drift = sp.sympify(drift_coefficient)
    top = sp.sympify(largest_step, locals={"L": L, "mu": mu})
    claimed = lemma_1_expression(gamma_coefficient, drift, power=power)
    left, rest = excess(claimed.subs(WITHOUT_NOISE), power)
    return by_derivation(
        step_of_average(claimed, drift, power, top),
        checks.averaged_search(left, rest, among=allowed(top)),
        valid_for=f"{GENERAL}, 0 <= eta <= {largest_step}",
        numbers=numbers,
        tightness=tightness,
    )


def smallest_drift_coefficient() -> sp.Expr:
    """Limit of (A_1 - (1 - eta mu)^2 |x|^2)/V on two quadratic clients, as the weight p of the first vanishes.

    Both have the minimiser 0.  Curvatures L and mu, points x + (1-p)s and x - ps with x = -s/2; Gamma = 0, so that no
    Gamma term can help.
    """
    p, s = sp.symbols("p s", positive=True)
    x = -s / 2
    mean_gradient = p * L * (x + (1 - p) * s) + (1 - p) * mu * (x - p * s)
    excess = (x - eta * mean_gradient) ** 2 - (1 - eta * mu) ** 2 * x**2
    return sp.factor(sp.cancel(excess / (p * (1 - p) * s**2)).subs(p, 0))


_SHARP = [
    Control("drift coefficient 2 -> 0.99/8, the sharp one times 0.99", dict(drift_coefficient="99/800")),
    Control("Gamma coefficient 6 -> -1/100 (the sharp one is 0)", dict(gamma_coefficient="-1/100")),
]


@inequality_claim(
    "LI-LEM1",
    statement=LEMMA_1,
    proves=proves(
        LEMMA_1,
        lambda gamma_coefficient, drift_coefficient: lemma_1_expression(gamma_coefficient, drift_coefficient),
        under=(mu <= L, eta <= 1 / (4 * L)),
    ),
    source="Lemma 1",
    headline="One step of averaged SGD contracts the squared distance, up to noise and drift",
    summary="One step of averaged SGD contracts the squared distance by 1 - eta mu, up to noise, 6 L eta^2 Gamma and "
    "twice the drift.",
    assumptions=("A1", "A2", "eta_t <= 1/(4L)", "E[g_t | past] = gbar_t"),
    proof_steps=PROOF_STEPS,
    printed=dict(gamma_coefficient=6, drift_coefficient=2, largest_step="1/(4*L)"),
    controls=[
        *_SHARP,
        Control("steps up to 1.01/L instead of 1/(4L) (1/L is sharp)", dict(largest_step="101/(100*L)")),
    ],
)
def li_lem1(gamma_coefficient: object, drift_coefficient: object, largest_step: str) -> Evidence:
    """The printed constants; the sharp pair is (0, 1/8)."""
    sharp = sp.limit(smallest_drift_coefficient(), mu, 0).subs(eta, 1 / (4 * L))
    return one_step(
        gamma_coefficient=gamma_coefficient,
        drift_coefficient=drift_coefficient,
        power=1,
        largest_step=largest_step,
        numbers={"sharp Gamma coefficient": "0", "sharp drift coefficient at eta = 1/(4L)": str(sharp)},
        tightness=Tightness(
            float(2 / sharp),
            Rung.PROOF,
            f"no Gamma term, drift coefficient eta L/2 <= {sharp} instead of 2; neither can be lowered (LI-LEM1-S1)",
        ),
    )


@inequality_claim(
    "LI-LEM1-S1",
    statement=LEMMA_1_SHARP,
    proves=proves(
        LEMMA_1_SHARP,
        lambda factor: lemma_1_expression(0, factor * SHARP_DRIFT, power=2),
        under=(mu <= L, eta <= 2 / (L + mu)),
    ),
    source="Lemma 1, sharpened",
    headline="The one-step inequality without Gamma, for steps at least four times as long",
    summary="Lemma 1 holds without Gamma, with squared contraction and the drift coefficient eta (1 - eta mu)(L - "
    "mu)/2, for every step up to 2/(L + mu).",
    elsewhere=elsewhere.ONE_STEP,
    assumptions=("A1", "A2", "eta_t <= 2/(L + mu)", "E[g_t | past] = gbar_t"),
    printed=dict(factor="1", largest_step="2/(L + mu)"),
    controls=[
        Control("drift coefficient times 0.99", dict(factor="99/100")),
        Control("steps up to 2.02/(L + mu)", dict(largest_step="101*2/(100*(L + mu))")),
    ],
)
def li_lem1_s1(factor: str, largest_step: str) -> Evidence:
    """The drift coefficient is the limit of exact instances, hence it cannot be lowered."""
    limit = smallest_drift_coefficient()
    ratio = sp.cancel(SHARP_DRIFT / limit)
    return one_step(
        gamma_coefficient=0,
        drift_coefficient=sp.Rational(factor) * SHARP_DRIFT,
        power=2,
        largest_step=largest_step,
        numbers={"needed on two quadratic clients as p_1 -> 0": str(limit)},
        tightness=Tightness(float(ratio), Rung.PROOF, f"attained in the limit p_1 -> 0 by {_TWO}"),
    )


_HALF = GAMMA_T / 2
li_eq20 = step(
    "LI-EQ20",
    ProvedDisplay(
        eq_20,
        {
            "(16) at w": 2 * eta**2,
            "(19)": 2 * eta,
            "A2 at the average": GAMMA_T,
            "(16) at u": _HALF * eta,
            "F(wbar) >= F*": GAMMA_T * (1 - eta * L),
            "F_k(w*) >= F_k*": 2 * L * eta**2 - GAMMA_T * eta * L,
        },
        [
            (sp.Integer(1), wbar - w + eta * g),
            (_HALF / eta, w - wbar + eta * g_bar),
            (1 - _HALF / eta + eta * mu + _HALF * mu, dw),
            (eta**2, symbols.dg),
            (_HALF * (1 - eta * L) * mu, wbar - wstar),
        ],
        {
            _SHARP[0].name: (sp.Rational(99, 800) - 2) * (wbar - w) ** 2,
            _SHARP[1].name: -sp.Rational(601, 100) * L * eta**2 * symbols.Gamma,
        },
    ),
    group=inequality_claim,
    source="eq. (20)",
    summary="The deterministic part of Lemma 1 follows from the premises of the printed proof.",
    assumptions=("A1", "A2", "eta_t <= 1/(4L)"),
    tightness=Tightness(16.0, Rung.PROOF, "no Gamma term and drift coefficient 1/8 (LI-LEM1-S1)"),
)


if __name__ == "__main__":
    run_script(__file__)
