"""How many local steps (Section 3.4, D.2 of Li et al. 2020): the shape of (8) in E and its minimum."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.decide import undecided
from fltheory.evidence.ends import by_instance, by_proof
from fltheory.evidence.kinds import algebra_claim, algebra_of_the_text, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence, Outcome, Rung
from fltheory.theory.proofs import Open, is_zero, nonnegative_on
from verify.li2020.discussion.bounds import G2, E, Gamma, K, L, V, kappa, rounds_to_accuracy

shape_of_8 = algebra_claim.sharing(
    source="after (8), D.2", statement=r"E\mapsto aE+b/E+G^2 \text{ decreases, then increases}"
)
of_section_1 = qualitative_claim.sharing(
    source="Section 1", statement=r"\min_{E\ge1} \text{(8)} \text{ is attained at } 1 < E < \infty"
)

_DISPLAY = rounds_to_accuracy.expression
_a = (1 + 1 / K) * G2
_b = V + L * Gamma + kappa * G2


def _value(e: int, k: int, kap: int) -> Fraction:
    """(8) at G = 1, V = Gamma = 0."""
    return (1 + Fraction(1, k)) * e + Fraction(kap, e) + 1


def _unimodal(integers: bool, condition: bool) -> Evidence:
    """Claim: (8) first decreases, then increases in E, on E > 0 or on E = 1, 2, ...; ``condition`` adds b > 2a."""
    shape = is_zero(_DISPLAY - (_a * E + _b / E + G2)) and is_zero(sp.diff(_DISPLAY, E, 2) - 2 * _b / E**3)
    if not integers and shape:
        return by_proof(
            "(8) = a E + b/E + G^2 with a, b > 0 is strictly convex on E > 0 (second derivative 2b/E^3), "
            "tends to infinity at both ends, and is minimal at sqrt(b/a).",
            examined=2,
            valid_for="G > 0",
        )
    a, b = sp.symbols("a b", positive=True)
    drop = (a + b) - (2 * a + b / 2)
    if condition and shape and nonnegative_on(drop, [(a, 0, None), (b, 2 * a, None)]) and is_zero(drop - (b / 2 - a)):
        return by_proof(
            "f(1) - f(2) = b/2 - a, positive when b > 2a; convexity and growth give the rest.",
            examined=2,
            valid_for="sum p_k^2 sigma_k^2 + L Gamma + kappa G^2 > 2 (1+1/K) G^2",
        )
    for kap, k in product((1, 2, 3), (1, 2, 5)):
        values = [_value(e, k, kap) for e in range(1, 6)]
        if (kap > 2 * (1 + Fraction(1, k)) or not condition) and values == sorted(values):
            first = ", ".join(map(str, values[:3]))
            counterexample = f"kappa={kap}, K={k}, G=1, V=Gamma=0: (8) at E=1,2,3 is {first}: never decreases"
            return by_instance("(8) at E = 1..5", counterexample, examined=5)
    return undecided("a small grid", 9, rung=Rung.EXACT)


shape_real = shape_of_8(
    "LI-EQ8-U[real E > 0]",
    summary="As a function of real E > 0, (8) first decreases and then increases; a minimiser exists.",
    printed=dict(integers=False, condition=False),
    controls=[Control("on the integers E >= 1, any kappa", dict(integers=True))],
)(_unimodal)

shape_integers = shape_of_8(
    "LI-EQ8-U[E = 1, 2, ...]",
    summary="On the values E can take it need not decrease at all: E = 1 can be optimal.",
    repair="LI-EQ8-U-R1",
    printed=dict(integers=True, condition=False),
    controls=[Control("assume b > 2a", dict(condition=True), must="pass")],
)(_unimodal)

shape_repaired = algebra_claim(
    "LI-EQ8-U-R1",
    source="repairs the sentence after (8)",
    statement=r"\sum p_k^2\sigma_k^2+L\Gamma+\kappa G^2 > 2(1+\tfrac1K)G^2 \Rightarrow \text{(8) decreases from } E=1 "
    r"\text{ to } 2",
    summary="Corrected: (8) has its minimum at some E >= 2 when b > 2a (kappa > 4 is enough).",
    printed=dict(integers=True, condition=True),
    controls=[Control("without the condition", dict(condition=False))],
)(_unimodal)

knob = of_section_1(
    "LI-KNOB[the bound, kappa > 4]",
    summary="Neither the smallest nor a very large E is best in the bound: right when b > 2a, for which kappa > 4 is "
    "enough.",
    printed=dict(integers=True, condition=True),
    controls=[Control("any kappa", dict(condition=False))],
)(_unimodal)

knob_any = of_section_1(
    "LI-KNOB[the bound, any problem]",
    summary="For kappa = 1 and little noise E = 1 is best in the bound.",
    repair="LI-KNOB[the bound, kappa > 4]",
    printed=dict(integers=True, condition=False),
    controls=[Control("assume b > 2a", dict(condition=True), must="pass")],
)(_unimodal)


@algebra_claim(
    "LI-EOPT",
    source="D.2",
    statement=r"\min_{E>0}\text{(8)} \le 4\,G\sqrt{\textstyle\sum p_k^2\sigma_k^2+L\Gamma+\kappa G^2}",
    summary="The optimal value of (8) is O(G sqrt(sum p_k^2 sigma_k^2 + L Gamma + kappa G^2)), with constant 4, and "
    "grows with Gamma.",
    printed=dict(constant=Fraction(4)),
    controls=[Control("constant 4 -> 3.8 (2 sqrt 2 + 1 = 3.83 is needed)", dict(constant=Fraction(19, 5)))],
)
def optimum(constant: Fraction) -> Evidence:
    # s = sqrt(b) >= G since kappa >= 1; value at sqrt(b/a) is 2 sqrt(a) s + G^2, sqrt(1+1/K) <= 3/2 since 2 <= 9/4.
    g, s, root, extra = sp.symbols("g s root extra", nonnegative=True)
    at_minimum = sp.simplify(_DISPLAY - (_a * E + _b / E + G2))
    value = 2 * root * g * s + g**2
    within = nonnegative_on(constant * g * s - value, [(g, 0, None), (s, g, None), (root, 0, Fraction(3, 2))])
    squares = nonnegative_on(Fraction(9, 4) - (1 + 1 / K), [(K, 1, None)])
    monotone = nonnegative_on(sp.diff(_b, Gamma), [(L, Open(0), None)])
    if at_minimum == 0 and within and squares and monotone:
        return by_proof(
            "min over E > 0 of aE + b/E is 2 sqrt(ab); sqrt(1+1/K) <= 3/2 and G <= sqrt(b); signs of "
            "coefficients. The minimum over integers is larger by at most a + b/E.",
            examined=4,
            valid_for="kappa >= 1, K >= 1, E > 0 real",
        )
    value_at = 2 * sp.sqrt(sp.Rational(2)) + 1
    if value_at > constant:
        counterexample = f"K=kappa=G=1, V=Gamma=0: minimum 2 sqrt(2) + 1 = {float(value_at):.4f} > {constant}"
        return by_instance("K=1, kappa=1, G=1, V=Gamma=0", counterexample, margin=float(constant / value_at - 1))
    return undecided("not proved")


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
    if is_zero(typed - _DISPLAY):
        return by_proof(
            "The formula typed from D.2 equals (8) identically; equal left sides satisfy any reflexive sign.",
            examined=2,
        )
    return Evidence(
        Rung.READING,
        Outcome.REFUTED,
        "compared term by term",
        examined=2,
        counterexample=f"the difference to (8) is {sp.expand(typed - _DISPLAY)}",
    )


if __name__ == "__main__":
    run_script(__file__)
