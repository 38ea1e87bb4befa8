"""Display (7) of Li et al. (2020) and footnote 7: the dominating term of the bound (6), and what its O() must hide.

The bound (6) carries a factor kappa that (7) does not show, although it shows mu, L and gamma.  The display is judged for
both meanings of O(): absolute constants, and constants that may depend on L and mu.
"""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.ends import nonnegative, tried
from fltheory.evidence.kinds import asymptotic_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.li2020 import theorems
from verify.li2020.discussion.bounds import G2, RANGES, E, Gamma, K, L, T, V, bound, dominating_term, gamma, kappa, mu

of_7 = asymptotic_claim.sharing(statement=dominating_term, source="(7)")


#: What the parameters of (6) satisfy.
_PARAMETERS = [(kappa, "=", L / mu), (kappa, ">=", 1), (gamma, ">=", 8 * kappa), (gamma, ">=", E)]


def _dominating(power: int, constant: Fraction) -> Evidence:
    """Claim: (6) <= constant * kappa^power * (7) for all parameters."""
    slack = constant * kappa**power * dominating_term.expression - bound
    # one local step and a large kappa: the start; many local steps and devices: the drift term 16 (E-1)^2 G^2
    large = {mu: 1, L: 10 * constant, kappa: 10 * constant, E: 1, K: 10**4, gamma: 80 * constant, T: 10**9}
    many = {mu: 1, L: 1, kappa: 1, E: 10**4, K: 10**4, gamma: 10**4, T: 10**9}
    sides = Side("(6)", bound), Side(f"{constant * kappa**power} (7)", slack + bound)
    return nonnegative(
        {"": (slack, [*RANGES, (gamma, 8 * kappa, None)])},
        tried(
            (Witness({**at, V: 0, Gamma: 0, G2: 1}, sides[0], "<=", sides[1], _PARAMETERS) for at in (large, many)),
            prose=f"the instance grows with the constant, {constant} stands for any",
        ),
        method=f"Sign of {constant} kappa^{power} (7) - (6) for kappa, E, K, T >= 1 and gamma >= 8 kappa.",
        valid_for="all parameters of Theorem 2, kappa >= 1",
    )


eq7_absolute = of_7(
    "LI-EQ7[absolute constants]",
    fault="reading",
    headline="The simplified bound drops a factor of the condition number",
    summary="The bound (6) is O of (7) with an absolute constant. A factor kappa is missing.",
    repair="LI-EQ7-R1",
    printed=dict(power=0, constant=Fraction(16)),
    controls=[Control("with the factor kappa", dict(power=1), must="pass")],
)(_dominating)

eq7_problem = of_7(
    "LI-EQ7[constants may depend on kappa]",
    summary="The bound (6) is at most 16 kappa times (7): right if O() may hide kappa.",
    printed=dict(power=1, constant=Fraction(16)),
    controls=[Control("16 kappa -> 15.9 kappa (sharp as E, K grow)", dict(constant=Fraction(159, 10)))],
)(_dominating)

eq7_repaired = asymptotic_claim(
    "LI-EQ7-R1",
    source="repairs (7)",
    statement=r"O\Big(\kappa\,\frac{\sum_k p_k^2\sigma_k^2+L\Gamma+(1+1/K)E^2G^2+\gamma G^2}{\mu T}\Big)",
    summary="Corrected: (6) is at most 16 kappa times (7), with an absolute constant.",
    printed=dict(power=1, constant=Fraction(16)),
    controls=[Control("16 -> 15.9 (sharp as E, K grow)", dict(constant=Fraction(159, 10)))],
)(_dominating)


_SOLVED = theorems.sharpened_gap_bound(sp.Symbol("B"), sp.Symbol("gamma") + 1)
eq7_sharpened = statement_of_algebra(
    "LI-EQ7-S1",
    Relations(
        f"{_SOLVED} <= 2*kappa*B/(mu*(gamma + T)) + 2*kappa*G2*(gamma/(gamma + T - 1))**2/mu; "
        "2*kappa*b/(mu*(gamma + t)) <= epsilon "
        "for mu > 0; L >= mu; kappa = L/mu; B >= 0; G2 >= 0; 0 <= D1 <= 4*G2/mu**2; gamma >= 8; T >= 1; V >= 0; Gamma >= 0; "
        "E >= 1; K >= 1; epsilon > 0; more >= 0; b = V + 6*L*Gamma + 8*(E - 1)**2*G2 + 4*E**2*G2/K; "
        "t = 16*kappa/(mu*epsilon)*E*((1 + 1/K)*E*G2 + (V + L*Gamma)/E) + more",
        at={
            **dict.fromkeys(("mu", "L", "G2"), "1"),
            **dict.fromkeys(("B", "V", "Gamma", "more"), "0"),
            **{"D1": "4", "gamma": "8", "T": "1000", "E": "10000", "K": "10000", "epsilon": "1/1000000"},
        },
        names={
            "B": "(B+C)",
            "G2": "G^2",
            "D1": r"\mathbb{E}\|w_1-w^*\|^2",
            "V": r"\sum_kp_k^2\sigma_k^2",
            "epsilon": r"\epsilon",
        },
    ),
    says=r"\text{the bound of LI-THM1-S1, and its part in }1/T\text{ at }B+C=b\text{ of Theorem 2}:\quad ",
    false={
        "start term decays like 1/T^3": ("- 1))**2/mu", "- 1))**3/mu"),
        "16 -> 15.9 (sharp as E, K grow)": ("t = 16*", "t = 159/10*"),
    },
    group=asymptotic_claim,
    source="sharpens (7)",
    headline="The start term with G leaves the dominating 1/T part of the bound",
    summary="Sharpened: in the bound with the recursion solved (LI-THM1-S1) the term gamma G^2 is of order gamma^2/T^2, so it does "
    "not belong to the dominating 1/T part; that part is at most epsilon after 16 kappa/(mu epsilon) times (8) rounds without its "
    "kappa G^2/E and G^2.",
    depends=["LI-THM1-S1", "LI-W0"],
)


@asymptotic_claim(
    "LI-FN7",
    statement=r"\gamma=\max\{8\kappa,E\}=O(\kappa+E)",
    source="footnote 7",
    summary="gamma is at most 8 (kappa + E).",
    printed=dict(constant=Fraction(8)),
    controls=[Control("8 -> 1", dict(constant=Fraction(1)))],
)
def footnote_7(constant: Fraction) -> Evidence:
    ranges = [(kappa, 1, None), (E, 1, None)]
    return nonnegative(
        {f"{side} <= {constant} (kappa + E)": (constant * (kappa + E) - side, ranges) for side in (8 * kappa, E)},
        tried(
            Witness({kappa: k, E: e}, Side("gamma", sp.Max(8 * kappa, E)), "<=", constant * (kappa + E))
            for k, e in ((2, 1), (1, 99))
        ),
        method="Both arguments of the maximum.",
        valid_for="kappa, E >= 1",
        tightness=Tightness(1.0, Rung.PROOF, "8 as kappa/E grows"),
    )


if __name__ == "__main__":
    run_script(__file__)
