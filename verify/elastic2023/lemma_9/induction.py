"""The end of the proof of Lemma 9: the induction over rounds with small step sizes, and the round after which all are small.

With y of at most G/(128 mu R), (22) leaves at least (1 - 1/(2R)) y of y for every gamma: that is the square (gamma/2 -
1/16)^2 times
128 y/R, and more.  So x^r >= c_r min(x^(r_0), G/(128 mu R)) by induction, c_r = (1 - 1/(2R))^(r - r_0) >= 1/2.
"""

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_relations
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness, tried
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory import ranges
from fltheory.theory.elastic2023 import lower_bound as theory
from verify.elastic2023.derivations import lower_bound as derivations

of_induction = inequality_claim.sharing(source="proof of Lemma 9, below (22)")

x, x_0, g, R, c = sp.symbols("x x_0 gamma R c")
_ROUND = x * (1 - 4 * g / R) + g**2 / (4 * R**2)
_NAMES = {"x": r"\tfrac\mu Gx^{r-1}", "g": r"\gamma_r"}
_CLOSED = r"x^{r-1}\left(1-\tfrac{4\gamma_r}R\right)+\tfrac{\gamma_r^2G}{4\mu R^2}"

#: One round of (22), mu = G = 1: below the level 1/(128 R), and above it.
BELOW = Relations(
    "x*(1 - 4*g/R) + g**2/(4*R**2) >= (1 - 1/(2*R))*x for R >= 1; 0 <= g <= R/8; 0 <= x <= 1/(128*R)",
    squares={0: [("128*x/R", "g/2 - 1/16")]},
    names=_NAMES,
)
ABOVE = Relations(
    "x*(1 - 4*g/R) + g**2/(4*R**2) >= 1/(256*R) for R >= 1; 0 <= g <= R/8; x >= 1/(128*R)",
    squares={0: [("1/R**2", "g/2 - 1/16")]},
    names=_NAMES,
)
#: c_r is at least 1 - (r - r_0)/(2R), by Bernoulli's inequality.
HALF = Relations(
    "c >= 1 - k/(2*R); k >= 0; c > 0 for R >= 1; first_k = 0; next_k = k + 1; first_c = 1; next_c = (1 - 1/(2*R))*c",
    uses={0: {"c >= 1 - k/(2*R)": "1 - 1/(2*R)"}},
    names={"c": "c_r", "k": "(r-r_0)"},
)


def one_round(constant: str, where: str) -> Evidence:
    """A round of (22) against min((1 - 1/(2R)) x, 1/(constant R)), with both terms or by the second one alone if gamma >= 1/8."""
    alone = where == "second term alone"
    left = g**2 / (4 * R**2) if alone else _ROUND
    level = 1 / (sp.Integer(constant) * R)
    cases = (
        (2, Fraction(1, 8), Fraction(1, 256)),
        (1, Fraction(1, 8), Fraction(1, 128)),
        (100, Fraction(8, 25), Fraction(1, 2500)),
    )
    found = [
        Witness(
            {"R": rounds, "gamma": size, "x": at},
            Side("gamma^2/(4 R^2)" if alone else "x (1 - 4 gamma/R) + gamma^2/(4 R^2)", left),
            ">=",
            Side("what is claimed", level if alone else sp.Min((1 - 1 / (2 * R)) * x, level)),
            given=[(g, "<=", R / 8), (g, ">=", Fraction(1, 8)), (x, ">=", 0)],
            setting="mu = G = 1",
        )
        for rounds, size, at in cases
    ]
    if alone:
        return by_witness(found)
    above = ABOVE.changed("1/(256*R) for", f"1/({constant}*R) for")
    gap = next((one.proof[1] for one in (BELOW, above) if not one.proof[0]), "")
    return decide(
        (not gap, gap),
        tried(found),
        method="Below the level G/(128 mu R) a square is left, above it the round is at least its value at the level.",
        valid_for="all x^(r-1) >= 0, 0 <= gamma <= R/8, R >= 1",
        certificate={"up to the level": BELOW.certificate, "above the level": above.certificate} if not gap else None,
        prose="x is at most the level or at least the level",
    )


def _one_round(constant: str) -> object:
    return of_induction(
        f"EL-L9-IND.1[{constant}]",
        statement=rf"\gamma_r\le\tfrac R8:\quad "
        rf"{_CLOSED}\ge\min\left(\left(1-\tfrac1{{2R}}\right)x^{{r-1}},\tfrac{{G}}{{{constant}\mu R}}\right)",
        headline=f"One round with a small step size keeps a share of the level, read with {constant}",
        summary=f"A round of (22) leaves at least the smaller of (1 - 1/(2R)) x^(r-1) and G/({constant} mu R), for every "
        f"gamma up to R/8 "
        "and every x^(r-1) >= 0.",
        printed=dict(constant=constant, where="both terms"),
        controls=[
            Control("G/(20 mu R)", dict(constant="20")),
            Control("the second term alone if gamma >= 1/8", dict(where="second term alone")),
        ],
    )(one_round)


one_round_256 = _one_round("256")
one_round_364 = _one_round("364")

alone = of_induction(
    "EL-L9-IND.2",
    fault="slip",
    statement=r"\gamma_r^2\ge\tfrac1{64}\ \Rightarrow\ \tfrac{\gamma_r^2G}{4\mu R^2}\ge\tfrac{G}{256\mu R}",
    headline="The second case of the induction has one power of the number of rounds too few",
    summary="The proof's second case, gamma^2 >= 1/64, bounds a round by its second term. That is only G/(256 mu R^2), below "
    "G/(256 mu R) for every R >= 2; the inequality is saved by the first term (EL-L9-IND.1[256]).",
    repair="EL-L9-IND.1[256]",
    printed=dict(constant="256", where="second term alone"),
    controls=[Control("both terms", dict(where="both terms"), must="pass")],
)(one_round)


def closes(constant: str, form: str) -> Evidence:
    """The step from r - 1 to r with the claimed level: min(c x_0, 1/(constant R)), or c times min(x_0, 1/(128 R))."""
    if form == "c_r times the minimum":
        text = (
            "(1 - 1/(2*R))*(c*m) >= c*(1 - 1/(2*R))*m; 1/(256*R) >= c*m/2 for R >= 1; 0 < c <= 1; 0 <= m <= 1/(128*R)"
        )
        return by_relations(Relations(text))
    level = 1 / (sp.Integer(constant) * R)
    return by_witness(
        Witness(
            {"R": 1, "c": 1, "x_0": 1},
            Side("(1 - 1/(2R)) times the level", (1 - 1 / (2 * R)) * level),
            ">=",
            Side("the level", level),
            given=[(R, ">=", 1), ((1 - 1 / (2 * R)) * c * x_0, ">=", level), (level, "<=", 1 / (256 * R))],
            setting=f"mu = G = 1, level 1/({constant} R), c = c_(r-1), x_0 = x^(r_0): both minima are those of the level",
        )
    )


def _closes(constant: str) -> object:
    return of_induction(
        f"EL-L9-IND.3[{constant}]",
        fault="slip",
        statement=r"\min\left(\left(1-\tfrac1{2R}\right)\min\left(c_{r-1}x^{r_0},m\right),\tfrac{G}{256\mu R}\right)\ge"
        rf"\min\left(c_rx^{{r_0}},m\right),\quad m=\tfrac{{G}}{{{constant}\mu R}}",
        headline=f"The induction does not close: every step shrinks the fixed level, read with {constant}",
        summary=f"The last step of the induction multiplies the level G/({constant} mu R) by 1 - 1/(2R) as well, and claims it "
        "undiminished: for R = 1 half of it is left. With c_r in front of both numbers the induction closes (EL-L9-IND.4).",
        repair=f"EL-L9-IND.4[{constant}]",
        printed=dict(constant=constant, form="as printed"),
        controls=[Control("c_r in front of the minimum", dict(form="c_r times the minimum"), must="pass")],
    )(closes)


closes_256 = _closes("256")
closes_364 = _closes("364")

LEVEL = sp.Min(theory.x_0, theory.G / (128 * theory.mu * theory.R))
_WITH_C = theory.Bound(
    "x^r above the level",
    "proof of Lemma 9",
    "x^r",
    c * LEVEL,
    relation=">=",
    ranges=theory.RANGES | {"c": ranges.SHARE},
)


def falling(constant: str) -> Tried:
    """Rounds of (22) with gamma = 8 x R, the worst one, R = 20, mu = G = 1, against the claim at r = R."""
    found = []
    for start in (Fraction(1, 10), Fraction(1, 1000), Fraction(1, 2)):
        x, rounds = start, 20
        for _ in range(rounds):
            size = min(8 * x * rounds, Fraction(rounds, 8))
            x = x * (1 - 4 * size / rounds) + size**2 / (4 * rounds**2)
            x = Fraction((x * 10**40).__ceil__(), 10**40)  # above, so that what is broken is
        share = (1 - Fraction(1, 2 * rounds)) ** rounds
        found.append((x, min(share * start, 1 / (Fraction(constant) * rounds)), start))
    broken = [
        f"mu = G = 1, R = 20, x^(r_0) = {s}, gamma = 8 x R: x^R = {float(a):.6g} < {float(b):.6g}"
        for a, b, s in found
        if a < b
    ]
    return Tried(len(found), next(iter(broken), ""), -1.0 if broken else None)


def induction(constant: str, level: str) -> Evidence:
    """x^r >= min(c_r x^(r_0), G/(constant mu R)) in every one of R rounds with gamma <= R/8."""
    if Fraction(constant) < 2 * Fraction(level):
        raise ValueError(f"c_r/{level} is not shown to be at least 1/{constant}")
    least = sp.Min(theory.x_0, theory.G / (sp.Integer(level) * theory.mu * theory.R))
    return by_derivation(
        lambda: derivations.small_steps(replace(_WITH_C, expression=c * least), least, level, halved=False),
        falling(constant),
        beside={"c_r from below": HALF.certificate},
        method="By induction x^r >= c_r min(x^(r_0), G/(128 mu R)), and c_r >= 1/2.",
        valid_for="all R >= 1, r - r_0 <= R, every sequence of step sizes with gamma <= R/8, x^(r_0) > 0, from (22)",
        prose="c_r/128 is at least 1/256, for r - r_0 <= R",
    )


def _induction(constant: str) -> object:
    return of_induction(
        f"EL-L9-IND.4[{constant}]",
        statement=r"\gamma_s\le\tfrac R8\ (r_0<s\le r):\quad x^r\ge\min\left(\left(1-\tfrac1{2R}\right)^{r-r_0}x^{r_0},"
        rf"\tfrac{{G}}{{{constant}\mu R}}\right)",
        headline=f"With small step sizes the claim of the induction is true, read with {constant}",
        summary="The claim of the induction holds, by another induction than the printed one: x^r is at least c_r times "
        "the smaller of "
        f"x^(r_0) and G/(128 mu R), which is at least the smaller of c_r x^(r_0) and G/({constant} mu R).",
        printed=dict(constant=constant, level="128"),
        controls=[Control("G/(12 mu R)", dict(constant="12", level="6"))],
    )(induction)


claim_256 = _induction("256")
claim_364 = _induction("364")

if __name__ == "__main__":
    run_script(__file__)
