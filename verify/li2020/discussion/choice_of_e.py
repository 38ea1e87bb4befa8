"""How many local steps (Section 3.4, D.2 of Li et al. 2020): the shape of (8) in E and its minimum."""

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import algebra_claim, algebra_of_the_text, qualitative_claim, run_script
from fltheory.evidence.model import Unprinted
from fltheory.evidence.relations import Relations
from verify.li2020.discussion.bounds import NAMES, E, rounds_to_accuracy

_DISPLAY = rounds_to_accuracy.expression
shape_of_8 = algebra_claim.sharing(source="after (8), D.2")


def _at(letter: str) -> str:
    return str(
        _DISPLAY.subs(
            E, sp.sympify(letter, locals={name: sp.Symbol(name) for name in ("E", "s", "u", "v", "x", "y", "z")})
        )
    )


_FALLS, _RISES = "(1 + 1/K)*G2*y**2 <= V + L*Gamma + kappa*G2", "V + L*Gamma + kappa*G2 <= (1 + 1/K)*G2*u**2"
_LEAST = "(1 + 1/K)*G2*s**2 = V + L*Gamma + kappa*G2"
shape_real = statement_of_algebra(
    "LI-EQ8-U[real E > 0]",
    Relations(
        f"{_at('y')} < {_at('x')}; {_at('u')} < {_at('v')}; {_at('s')} <= {_at('z')}; {_LEAST.replace('s', 'root')}; root > 0 "
        "for K >= 1; G2 > 0; V >= 0; L > 0; Gamma >= 0; kappa >= 1; x > 0; y > x; u > 0; v > u; s > 0; z > 0; "
        f"half = 1/2; root = ((V + L*Gamma + kappa*G2)/((1 + 1/K)*G2))**half; {_FALLS}; {_RISES}; {_LEAST}",
        squares={2: [("(1 + 1/K)*G2/z", "z - s")]},
        uses={0: {_FALLS: "(y - x)/(x*y)"}, 1: {_RISES: "(v - u)/(u*v)"}, 2: {_LEAST: "1/z - 1/s"}},
        at={
            **dict.fromkeys(("K", "G2", "L", "y", "u", "s"), "1"),
            **{"V": "0", "Gamma": "0", "kappa": "2", "x": "1/2", "v": "2", "z": "2"},
        },
        names={**NAMES, "root": "E^*", "half": "h"},
    ),
    says=r"\text{(8) falls up to the }E=s\text{ at which }(1+\tfrac1K)G^2s^2=\sum_kp_k^2\sigma_k^2+L\Gamma+\kappa G^2"
    r"\text{, rises from there, and is least there; there is one, }E^*:\quad ",
    false={"falls up to twice as far": ("y**2 <=", "y**2/4 <="), "rises from half as far": ("G2*u**2", "G2*4*u**2")},
    group=shape_of_8,
    quick=False,
    summary="As a function of real E > 0, (8) first decreases and then increases; a minimiser exists.",
)

#: For whole E: (8) falls from 1 to 2, its rises grow, and they are positive from b/a on; a kappa above 4 gives b > 2a.
_FALLS_FIRST, _FAR = "V + L*Gamma + kappa*G2 > 2*(1 + 1/K)*G2", "V + L*Gamma + kappa*G2 <= (1 + 1/K)*G2*x"
_WHOLE = Relations(
    f"{_at('2')} < {_at('1')}; 2*({_at('E + 1')}) <= {_at('E')} + {_at('E + 2')}; {_at('x')} < {_at('x + 1')}; "
    "2*(1 + 1/K)*G2 < V + L*Gamma + above*G2 for K >= 1; G2 > 0; V >= 0; L > 0; Gamma >= 0; kappa >= 1; E >= 1; x >= 1; above > 4; "
    f"{_FALLS_FIRST}; {_FAR}",
    uses={0: {_FALLS_FIRST: "1/2"}, 2: {_FAR: "1/(x*(x + 1))"}},
    at={"K": "1", "G2": "1", "V": "0", "L": "1", "Gamma": "0", "kappa": "5", "above": "5", "E": "1", "x": "3"},
    names={**NAMES, "above": r"\kappa'"},
)
_OF_WHOLE = dict(
    says=r"\text{(8) falls from }E=1\text{ to }2,\text{ is convex, and rises from }E=x\text{ on if }b>2a,\ b\le ax,\text{ for }"
    r"a=(1+\tfrac1K)G^2,\ b=\sum_kp_k^2\sigma_k^2+L\Gamma+\kappa G^2;\text{ each }\kappa'>4\text{ gives }b>2a:\quad ",
    false={"b > 1.98 a": ("G2 > 2*(1", "G2 > 99/50*(1"), "any kappa": ("G2 > 2*(1", "G2 > 1/2*(1")},
    unprinted=Unprinted("kappa > 4 (or more generally b > 2a in the display (8))", "any kappa"),
)

shape_integers = statement_of_algebra(
    "LI-EQ8-U[E = 1, 2, ...]",
    _WHOLE,
    prose="the converse (without b > 2a E = 1 can be optimal) is a control's instance, not in this text",
    group=shape_of_8,
    headline="The number of rounds first falls with the local steps only if the noise is large enough",
    summary="On the values that E can take (8) decreases first when b > 2a, for which kappa > 4 is enough; without that it need "
    "not decrease at all: E = 1 can be optimal.",
    **_OF_WHOLE,
)

knob = statement_of_algebra(
    "LI-KNOB",
    _WHOLE,
    prose="that E = 1 is best for kappa = 1 and little noise is the control's instance, not in this text",
    group=qualitative_claim,
    source="Section 1",
    headline="Neither very few nor very many local steps are best, if the noise is large enough",
    summary="Neither the smallest nor a very large E is best in the bound: right when b > 2a, for which kappa > 4 is "
    "enough; for kappa = 1 and little noise E = 1 is best.",
    **_OF_WHOLE,
)


#: (8) at E = sqrt(b/a), s = sqrt(b) >= G as kappa >= 1, root = sqrt(1 + 1/K), whose square is at most 2.
optimum = statement_of_algebra(
    "LI-EOPT.1",
    Relations(
        "(1 + 1/K)*E*g**2 + s**2/E + g**2 <= 4*g*s "
        "for g > 0; s >= g; root > 1; root**2 <= 2; K = 1/(root**2 - 1); E = s/(root*g)",
        squares={0: [("g*s", "root - 1")]},
        uses={0: {"root**2 <= 2": "g*s"}},
        at={"g": "1", "s": "1", "root": "41/29"},
        names={"g": "G", "s": r"\sqrt{\textstyle\sum p_k^2\sigma_k^2+L\Gamma+\kappa G^2}", "root": r"\sqrt{1+1/K}"},
    ),
    headline="At the best number of local steps the bound on rounds grows with heterogeneity",
    says=r"\min_{E>0}\text{(8)}\ \le\ \text{its value at this }E:\quad ",
    false={"constant 4 -> 3.8 (2 sqrt 2 + 1 = 3.83 is needed)": ("<= 4*g*s", "<= 19*g*s/5")},
    group=algebra_claim,
    source="D.2",
    prose="a minimum is at most each value; that it grows with Gamma is read off the formula",
    summary="The optimal value of (8) is O(G sqrt(sum p_k^2 sigma_k^2 + L Gamma + kappa G^2)), with constant 4, and "
    "grows with Gamma.",
)


display_of_d2 = statement_of_algebra(
    "LI-D2-TE",
    Relations(
        f"(1 + 1/K)*E*G2 + (V + L*Gamma + kappa*G2)/E + G2 = {_DISPLAY} for K >= 1; E >= 1; G2 >= 0; V >= 0; L > 0; Gamma >= 0; "
        "kappa >= 1",
        names=NAMES,
    ),
    headline="A formula is repeated with its left side written twice, without harm",
    says=r"T_\epsilon/E \approx \frac{T_\epsilon}{E} \propto \text{the formula of D.2, which is (8)}:\quad ",
    false={"last term G^2 left out": ("/E + G2 =", "/E =")},
    group=algebra_of_the_text,
    source="D.2",
    summary="The display of D.2 repeats (8), with the left side written twice; the formula is that of (8), the "
    "repetition is harmless.",
)


if __name__ == "__main__":
    run_script(__file__)
