"""How many local steps (Section 3.4, D.2 of Li et al. 2020): the shape of (8) in E and its minimum."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.ends import first_failure, identical, tried
from fltheory.evidence.kinds import algebra_claim, algebra_of_the_text, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Step, identity, sign
from fltheory.theory.values import exact_value
from verify.li2020.discussion.bounds import G2, RANGES, E, Gamma, K, L, V, kappa, rounds_to_accuracy

shape_of_8 = algebra_claim.sharing(
    source="after (8), D.2", statement=r"E\mapsto aE+b/E+G^2 \text{ decreases, then increases}"
)
of_section_1 = qualitative_claim.sharing(
    source="Section 1", statement=r"\min_{E\ge1} \text{(8)} \text{ is attained at } 1 < E < \infty"
)

_DISPLAY = rounds_to_accuracy.expression
_a = (1 + 1 / K) * G2
_b = V + L * Gamma + kappa * G2


def _proof(domain: str, excess: Fraction) -> list[Step]:
    """(8) falls at first and rises after it, on the domain, for b > excess a; its values are a E + b/E + G^2."""
    a, m, past = sp.symbols("a m past")  # b = a m^2, so that m = sqrt(b/a)
    f = a * E + a * m**2 / E
    shape = identity("(8) is a E + b/E + G^2", _DISPLAY, _a * E + _b / E + G2)
    positive = [sign("a > 0", _a - G2, RANGES), sign("b >= G^2 > 0", _b - G2, RANGES)]
    if domain != "E = 1, 2, ...":
        first = sp.Integer(0) if domain == "E > 0" else sp.Integer(1)
        known = ((m, Open(0), None), (a, Open(0), None))
        return [
            shape,
            *positive,
            identity("f(E) - f(m) = a (E - m)^2/E", f - f.subs(E, m), a * (E - m) ** 2 / E),
            sign("it falls up to m", -sp.diff(f, E), (*known, (E, Open(0), m))),
            sign("it rises from m on", sp.diff(f, E), (*known, (E, m, None))),
            sign("m^2 = b/a > excess lies past the first E", sp.Rational(excess) - first, ()),
        ]
    b = sp.Symbol("b")
    g = a * E + b / E
    rise = sp.cancel(g.subs(E, E + 1) - g)  # a - b/(E (E + 1))
    strict = ((a, Open(0), None), (b, Open(0), None))
    known = ((a, Open(0), None), (b, sp.Rational(excess) * a, None)) if excess else strict
    return [
        shape,
        *positive,
        sign("f(1) >= f(2), > if b > excess a", (g - g.subs(E, 2)).subs(E, 1), known),
        sign("the rises f(E+1) - f(E) grow with E", sp.cancel(rise.subs(E, E + 1) - rise), (*known, (E, 1, None))),
        sign("they are positive from E = b/a on", sp.cancel(rise.subs(E, b / a + past)), (*strict, (past, 0, None))),
    ]


def _unimodal(domain: str, excess: str) -> Evidence:
    """Claim: (8) first decreases, then increases in E on the domain, whenever b > excess a, b = V + L Gamma + kappa G^2."""
    least = Fraction(excess)
    grid = [Fraction(n, 50) for n in (50, 60, 75, 100, 125, 150, 199, 200, 250, 300, 399, 400)]

    def failure(case: tuple[Fraction, int]) -> str:
        kap, k = case
        a, b = 1 + Fraction(1, k), kap
        if b <= least * a:
            return ""
        at = {K: k, kappa: kap, G2: 1, V: 0, Gamma: 0, L: 1}
        where = f"kappa={kap}, K={k}, G=1, V=Gamma=0"
        if domain == "E = 1, 2, ...":
            one, two, three = (exact_value(_DISPLAY, {**at, E: e}) for e in (1, 2, 3))
            return "" if one > two else f"{where}: (8) at E=1,2,3 is {one}, {two}, {three}: never decreases"
        if domain == "E > 0" or b > a:
            return ""
        slope = exact_value(sp.diff(_DISPLAY, E), {**at, E: 1})
        return f"{where}: at E=1 the derivative of (8) is {slope} >= 0, and it grows with E: never decreases"

    return decide(
        _proof(domain, least),
        first_failure(product(grid, (1, 2, 5)), failure),
        method="(8) = a E + b/E + G^2 with a, b > 0. For real E its derivative has one zero, m = sqrt(b/a), and f(E) - f(m) = "
        "a (E - m)^2/E; for whole E the rises a - b/(E(E+1)) grow with E and end positive, and the first is a - b/2.",
        valid_for="G > 0, kappa >= 1" + (f", b > {excess} a" if least else ""),
    )


shape_real = shape_of_8(
    "LI-EQ8-U[real E > 0]",
    summary="As a function of real E > 0, (8) first decreases and then increases; a minimiser exists.",
    printed=dict(domain="E > 0", excess="0"),
    controls=[
        Control("real E >= 1, any kappa", dict(domain="E >= 1")),
        Control("on the integers E >= 1, any kappa", dict(domain="E = 1, 2, ...")),
    ],
)(_unimodal)

_ANY = Control("any kappa", dict(excess="0"))
ALMOST = Control("b > 1.98 a", dict(excess="99/50"))
_LARGE_KAPPA = Unprinted("kappa > 4 (or more generally b > 2a in the display (8))", _ANY.name)

shape_integers = shape_of_8(
    "LI-EQ8-U[E = 1, 2, ...]",
    headline="The number of rounds first falls with the local steps only if the noise is large enough",
    summary="On the values that E can take (8) decreases first when b > 2a, for which kappa > 4 is enough; without that it need "
    "not decrease at all: E = 1 can be optimal.",
    printed=dict(domain="E = 1, 2, ...", excess="2"),
    controls=[ALMOST, _ANY],
    unprinted=_LARGE_KAPPA,
)(_unimodal)

knob = of_section_1(
    "LI-KNOB",
    headline="Neither very few nor very many local steps are best, if the noise is large enough",
    summary="Neither the smallest nor a very large E is best in the bound: right when b > 2a, for which kappa > 4 is "
    "enough; for kappa = 1 and little noise E = 1 is best.",
    printed=dict(domain="E = 1, 2, ...", excess="2"),
    controls=[ALMOST, _ANY],
    unprinted=_LARGE_KAPPA,
)(_unimodal)


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
    says=r"\min_{E>0}\text{(8)}\ \le\ \text{its value at this }E:\quad ",
    false={"constant 4 -> 3.8 (2 sqrt 2 + 1 = 3.83 is needed)": ("<= 4*g*s", "<= 19*g*s/5")},
    group=algebra_claim,
    source="D.2",
    summary="The optimal value of (8) is O(G sqrt(sum p_k^2 sigma_k^2 + L Gamma + kappa G^2)), with constant 4, and "
    "grows with Gamma.",
)


@algebra_of_the_text(
    "LI-D2-TE",
    source="D.2",
    statement=r"T_\epsilon/E \approx \frac{T_\epsilon}{E} \propto \text{(8)}",
    summary="The display of D.2 repeats (8), with the left side written twice; the formula is that of (8), the "
    "repetition is harmless.",
    printed=dict(last_term=1),
    controls=[Control("last term G^2 left out", dict(last_term=0))],
)
def display_of_d2(last_term: int) -> Evidence:
    typed = (1 + 1 / K) * E * G2 + (V + L * Gamma + kappa * G2) / E + last_term * G2
    one = dict.fromkeys((K, E, G2, V, L, Gamma, kappa), 1)
    return identical(
        [(typed, _DISPLAY)],
        tried(Witness(one, Side("display of D.2", typed), "=", Side("(8)", _DISPLAY))),
        method="The formula typed from D.2 equals (8) identically; equal left sides satisfy any reflexive sign.",
    )


if __name__ == "__main__":
    run_script(__file__)
