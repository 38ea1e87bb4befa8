"""E against sqrt(T) (Section 3.4 of Li et al. 2020): the limit of the bound when E grows with T, and what T large means."""

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import asymptotic_claim, run_script
from fltheory.evidence.model import Rung, Tightness
from fltheory.evidence.relations import Relations
from fltheory.theory.li2020 import theorems
from verify.li2020.discussion.bounds import NAMES, T, bound, text

of_section_34 = asymptotic_claim.sharing(source="Section 3.4")

#: gamma = max{8 kappa, E} is 8 kappa + s with 0 <= s <= E; r is a root of T
_PARAMETERS = "mu > 0; kappa >= 1; L = kappa*mu; V >= 0; Gamma >= 0; G2 > 0; D1 >= 0"
_GAMMA = "0 <= s <= E; gamma = 8*kappa + s"
_FAR = {
    **dict.fromkeys(("mu", "kappa", "G2", "m", "s"), "1"),
    **dict.fromkeys(("V", "Gamma", "D1"), "0"),
    "r": "1000000",
}
_LIMIT = (
    r"\text{bound of Theorem 1 at }E=m\sqrt T\to\mathrm{limit},\ r=\sqrt T,\ \gamma=\max\{8\kappa,E\}=8\kappa+s:\quad "
)
_STAYS = (
    r"E\ge m\sqrt T\Rightarrow\text{bound of Theorem 1}\not\to0,\ r=\sqrt T,\ \gamma=\max\{8\kappa,E\}=8\kappa+s:\quad "
)
_BELOW = (
    r"\text{bound of Theorem 1}\le cE^2/T\le\epsilon\text{ for every }T\ge cE^2/\epsilon,\ \gamma=\max\{8\kappa,E\}=8\kappa+s"
    r":\quad "
)
_IMPROVED = (
    r"\text{bound of LI-THM1-S2 at }E=m\sqrt T\to0,\ r=\sqrt T,\ \gamma=\max\{8\kappa,E\}\le c\sqrt T\text{ with }"
    r"c=8\kappa+m:\quad "
)


sqrt_t = statement_of_algebra(
    "LI-SQRTT.1",
    Relations(
        f"limit - 16*kappa*G2*(8*kappa*m**2 + m**3 + 2*m)/(mu*r) <= {text(theorems.theorem_1.expression)} "
        f"<= limit + kappa/r*((2*V + 12*L*Gamma)/mu + mu*(8*kappa + m)*D1/2); limit > 0 for {_PARAMETERS}; r >= 1; E >= 1; "
        f"m = E/r; T = r**2; {_GAMMA}; limit = 16*kappa*m**2*G2/mu",
        at={**_FAR, "E": "1000000"},
        names={**NAMES, "limit": r"\mathrm{limit}"},
    ),
    headline="With local steps of the order of the root of T the bound of Theorem 1 no longer vanishes",
    says=_LIMIT,
    false={
        "E = m T^(1/3): there the bound vanishes": ("T = r**2", "T = r**3"),
        "limit 16 -> 15.9": ("t = 16*", "t = 159/10*"),
    },
    group=of_section_34,
    summary="At the order sqrt(T) the bound of Theorem 1 no longer vanishes: its limit is 16 kappa m^2 G^2/mu for E = m sqrt(T) "
    "(beyond that order: LI-STICHIID[guarantee of Theorem 1]); this is about the printed bound, see "
    "LI-STICHIID[the algorithm itself].",
)

stich_bound = statement_of_algebra(
    "LI-STICHIID[guarantee of Theorem 1]",
    Relations(
        f"{text(theorems.theorem_1.expression)} >= 4*kappa*m**2*G2/(mu*(8*kappa + m + 1)) > 0 for {_PARAMETERS}; m > 0; "
        f"r >= 1 + 2/m; E >= m*r; T = r**2; {_GAMMA}",
        at={**_FAR, "E": "1000000"},
        names=NAMES,
    ),
    headline="Theorem 1 does not cover local steps of the order of the root of T, alike clients or not",
    says=_STAYS,
    false={"claimed of E >= m T^(1/3)": ("T = r**2", "T = r**3"), "without G": ("G2 > 0", "G2 >= 0")},
    group=of_section_34,
    summary="E of order sqrt(T) or above is not covered for non-i.i.d. data: the bound of Theorem 1 does not vanish. Nor does "
    "it for Gamma = 0, since G^2 enters B either way: the contrast to i.i.d. data is Stich's theorem, not this bound.",
)

stich_below = statement_of_algebra(
    "LI-STICHIID-S1",
    Relations(
        f"{text(theorems.theorem_1.expression)} <= c*E**2/T <= epsilon for {_PARAMETERS}; epsilon > 0; E >= 1; T >= 1; {_GAMMA}; "
        "c = kappa*((2*V + 12*L*Gamma + 16*G2)/mu + mu*(8*kappa + 1)*D1/2); c*E**2 <= epsilon*T",
        uses={1: {"c*E**2 <= epsilon*T": "1/T"}},
        at={
            **{name: value for name, value in _FAR.items() if name not in "mr"},
            **{"E": "1000", "epsilon": "16", "T": "1000000"},
        },
        names=NAMES,
    ),
    says=_BELOW,
    false={"c times E in place of E^2": ("<= c*E**2/T", "<= c*E/T"), "16 -> 15.9": ("+ 16*G2", "+ 159/10*G2")},
    group=asymptotic_claim,
    source="sharpens Section 3.4",
    headline="The bound of Theorem 1 is at most a multiple of the squared local steps over the horizon",
    summary="For i.i.d. and non-i.i.d. data alike the bound of Theorem 1 is at most c E^2/T with a number c of the problem, so at "
    "most any epsilon > 0 where T is at least c E^2/epsilon.",
)

stich_repaired = statement_of_algebra(
    "LI-STICHIID-R1",
    Relations(
        f"8*L/mu <= (8*L/mu + m)*r; E <= (8*L/mu + m)*r; {text(theorems.theorem_1_improved.expression)} "
        "<= L/(2*T)*(c**2*D1 + 8*V/(3*mu**2) + 8*L*m**2*G2/mu**3) "
        "for mu > 0; L >= mu; V >= 0; G2 >= 0; D1 >= 0; r >= 1; E >= 1; m = E/r; T = r**2; gamma >= 8; more >= 0; "
        "c = (gamma + more)/r",
        at={
            **dict.fromkeys(("mu", "L", "G2"), "1"),
            **dict.fromkeys(("V", "D1", "more"), "0"),
            **dict.fromkeys(("r", "E", "gamma"), "1000"),
        },
        names=NAMES,
    ),
    headline="Local steps of the order of the root of T are admissible for different clients too",
    says=_IMPROVED,
    false={"E = m T": ("m = E/r", "m = E/r**2")},
    group=asymptotic_claim,
    source="repairs Section 3.4 (LI-STICHIID[the algorithm itself])",
    depends=["LI-THM1-S2"],
    summary="Corrected: E of order sqrt(T) is admissible for non-i.i.d. data (every Gamma), with the step sizes of Theorem 1 and "
    "bounded G: the bound of LI-THM1-S2 is of order 1/T.",
)


_COEFFICIENT = str(sp.limit(T * bound, T, sp.oo))
large_t = statement_of_algebra(
    "LI-EQ8-LARGE",
    Relations(
        f"c/(2*T) <= {bound} <= c/T for mu > 0; L > 0; kappa >= 1; V >= 0; Gamma >= 0; G2 >= 0; E >= 1; K >= 1; gamma >= 8; "
        f"more >= 0; T = gamma - 1 + more; c = {_COEFFICIENT}",
        names=NAMES,
    ),
    headline="When the simplified bound on rounds is right within a factor of two",
    says=r"\text{(6) from }T=\gamma-1\text{ on},\ c=\lim_{T\to\infty}T\cdot\text{(6)}:\quad ",
    false={
        "T >= 0.99 (gamma - 1)": ("T = gamma - 1", "T = 99/100*(gamma - 1)"),
        "within a factor 1.99": ("c/(2*T)", "c/(199/100*T)"),
    },
    group=asymptotic_claim,
    source="D.2",
    summary="For T large the formula for T_eps/E is asserted: replacing the bound (6) by its 1/T form is right within a factor "
    "2 once T >= gamma - 1, and not before.",
    tightness=Tightness(1.0, Rung.PROOF, "equality at T = gamma - 1"),
)


if __name__ == "__main__":
    run_script(__file__)
