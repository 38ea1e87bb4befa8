"""Participation and sampling in the bounds of Li et al. (2020), Section 3.4: dependence on K, and Scheme I against the rest."""

from collections.abc import Mapping

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.kinds import qualitative_claim, run_script
from fltheory.evidence.model import Control, Rung, Tightness, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.theory.bound import Bound
from fltheory.theory.li2020 import theorems
from fltheory.theory.li2020.theorems import G2, K, L, mu, theorem_2, theorem_3
from verify.li2020.discussion.bounds import NAMES, text

of_section_34 = qualitative_claim.sharing(source="Section 3.4")

_SHARP = Tightness(1.0, Rung.PROOF, "V = Gamma = 0, E = 2, K = 1")
_LOCAL = Unprinted("E >= 2", "E = 1, factor 100")
_ONE_STEP = {_LOCAL.control: ("m = 3; E >= 2", "m = 100; E >= 1")}
_RANGES = "m = 3; E >= 2; L > 0; V >= 0; Gamma >= 0; G2 >= 0; N >= 2"

weak_dependence = statement_of_algebra(
    "LI-KWEAK",
    Relations(
        f"B + C <= m*B; B + D <= m*B for {_RANGES}; 1 <= K <= N; B = {theorems.B}; C = {theorems.C_scheme_i}; "
        f"D = {theorems.C_scheme_ii}",
        names={**NAMES, "D": "C'"},
    ),
    says=r"C\text{ of Theorem 2},\ C'\text{ of Theorem 3}:\quad ",
    false={"factor 3 -> 2.99 (tight at E=2)": ("m = 3", "m = 299/100"), **_ONE_STEP},
    group=of_section_34,
    headline="In the bounds the number of devices per round matters little from two local steps on",
    summary="The bounds depend weakly on K when E >= 2: one device per round costs at most a factor 3 in B + C. For "
    "E = 1 they do not: C = 4G^2/K against B = sum p_k^2 sigma_k^2 + 6 L Gamma, any ratio is possible.",
    tightness=_SHARP,
    unprinted=_LOCAL,
)


def _at(theorem: Bound, cohort: sp.Expr | int) -> str:
    return text(theorem.expression.subs(theorems.K, cohort))


small_cohorts = statement_of_algebra(
    "LI-KSMALL",
    Relations(
        "; ".join(f"{_at(one, 1)} <= m*({_at(one, theorems.N)})" for one in (theorems.theorem_2, theorems.theorem_3))
        + f" for {_RANGES}; mu > 0; D1 >= 0; gamma >= 8; T >= 1",
        names=NAMES,
    ),
    says=r"\text{bound of Theorem 2, and of Theorem 3, at }K=1\text{ and at }K=N:\quad ",
    false={"factor 2.99 (tight at E=2)": ("m = 3", "m = 299/100"), **_ONE_STEP},
    group=qualitative_claim,
    source="Abstract, Section 3.4",
    headline="In the bounds a small share of devices costs at most a factor three, from E = 2 on",
    summary="K/N can be small at little cost: by the bounds at most a factor 3 in the constant and none in the rate 1/T, for "
    "E >= 2. For E = 1 no such factor exists in the constant; the rate 1/T is unaffected.",
    tightness=_SHARP,
    unprinted=_LOCAL,
)


variance_dominates = statement_of_algebra(
    "LI-BGGC",
    Relations(
        "factor*(2*(B + C)/mu + mu*gamma/2*D1) <= (1 + 1/m)*factor*(2*B/mu + mu*gamma/2*D1) "
        "for mu > 0; L >= mu; gamma >= 8*L/mu; T >= 1; D1 >= 0; C > 0; m > 0; B >= m*C; factor = L/mu/(gamma + T - 1)",
        names={"mu": r"\mu", "gamma": r"\gamma", "D1": r"\mathbb{E}\|w_1-w^*\|^2"},
    ),
    says=r"\text{(6) against (4):}\quad ",
    false={"1 + 1/m -> 1 + 0.9/m (tight)": ("(1 + 1/m)", "(1 + 9/(10*m))")},
    group=qualitative_claim,
    source="Section 6",
    summary="If B is m times C, sampling few devices costs at most a factor 1 + 1/m in the bound.",
    tightness=Tightness(1.0, Rung.PROOF, "equality at B = m C"),
)


def _leading(theorem: Bound, size: int | sp.Symbol, change: Mapping[sp.Symbol, sp.Expr] | None = None) -> sp.Expr:
    """The coefficient of 1/T of a theorem's bound at V = Gamma = 0, w_1 = w*, for a cohort of this size out of more than it."""
    changes = {**dict.fromkeys((theorems.D1, theorems.V, theorems.Gamma), 0), theorems.N: size + sp.Symbol("m")}
    at_rest = theorem.expression.subs({**changes, theorems.K: size}) * (theorems.gamma + theorems.T - 1)
    return at_rest.subs(change or {}, simultaneous=True)


#: Theorem 3 for the transformed objectives.
_nu, _varsigma = sp.symbols("nu varsigma", positive=True)
_TRANSFORMED = {L: _nu * L, mu: _varsigma * mu, G2: _nu * G2}
_SIZES = (1, 2, K)
_SKEWED = "square >= 15/11"
skewed = Relations(
    "; ".join(f"{_leading(theorem_2, size)} <= {_leading(theorem_3, size, _TRANSFORMED)}" for size in _SIZES)
    + f" for 0 < varsigma < 1; nu > 1; square = (nu/varsigma)**2; {_SKEWED}; E >= 2; L > 0; mu > 0; G2 >= 0; K >= 3; m >= 1",
    uses={number: {_SKEWED: str(_leading(theorem_3, size))} for number, size in enumerate(_SIZES)},
    at={"E": "2", "nu": "28/25", "varsigma": "24/25", "K": "3", "m": "1", "L": "1", "mu": "1", "G2": "1"},
    names={**NAMES, "nu": r"\nu", "varsigma": r"\varsigma", "square": "q"},
)
_AFTER = (
    r"\text{1/T part }(V=\Gamma=0,\ w_1=w^*)\text{ of Scheme I against that of transformed Scheme II, at }"
    r"K=1,\ K=2\text{ and }K\ge3,\ N=K+m,\ \nu=N\max_kp_k,\ \varsigma=N\min_kp_k:\quad "
)
_UNEQUAL = skewed.changed(f"{_SKEWED}; E >= 2", "square > 1; E >= 1")

any_weights = of_section_34(
    "LI-SCHCMP[bounds, any weights]",
    fault="missing hypothesis",
    statement=(_AFTER, _UNEQUAL),
    repair="LI-SCHCMP[bounds, skewed weights]",
    headline="With two or more clients a round, nearly equal weights favour uniform sampling's bound",
    summary="Sampling by p converges faster than uniform sampling, whatever the unequal weights: false by the bounds "
    "for 2 <= K < N and nearly equal weights, where that of transformed Scheme II is the smaller (for K = 1 Scheme I's is the "
    "smaller, whatever the unequal weights).",
    printed=dict(text=_UNEQUAL.text),
    controls=[Control("E >= 2 and (max p/min p)^2 >= 15/11", dict(text=skewed.text), must="pass")],
)(lambda text: by_relations(skewed.with_text(text)))

skewed_weights = statement_of_algebra(
    "LI-SCHCMP[bounds, skewed weights]",
    skewed,
    says=_AFTER,
    false={
        "threshold 15/11 -> 1.36 (fails at N=4, K=3, E=2)": ("square >= 15/11", "square >= 34/25"),
        "E >= 1": ("E >= 2", "E >= 1"),
    },
    group=of_section_34,
    headline="Noise aside, clearly unequal weights and several local steps favour sampling by weight",
    summary="For non-uniform weights it is right: for E >= 2 and (max p/min p)^2 >= 15/11 the 1/T part of the "
    "Scheme I bound is at most that of transformed Scheme II, for every K < N (variance and Gamma left out).",
    tightness=Tightness(1.0, Rung.PROOF, "equality at N = 4, K = 3, E = 2"),
)


if __name__ == "__main__":
    run_script(__file__)
