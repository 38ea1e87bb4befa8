"""What the proof of Lemma 9 says at its end: the bound for every round, and what the base case refers to."""

from dataclasses import replace

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import read
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import algebra_of_the_text, inequality_claim, lower_bound_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.elastic2023 import lower_bound as theory
from verify.elastic2023.derivations import lower_bound as derivations
from verify.elastic2023.lemma_9 import powers
from verify.elastic2023.lemma_9.rounds import DISPLAY_21

of_remark = lower_bound_claim.sharing(source="end of the proof of Lemma 9", quick=False)

#: From the bound for every start, mu = G = 1: m is any number up to min(x^0, 1/r).
AT_EACH_ROUND = Relations(
    "x_0/(1 + 2*K/(K - 1)*r*x_0) >= (K - 1)/(3*K - 1)*m for K >= 2; r >= 1; x_0 > 0; 0 <= m <= x_0; m*r <= 1",
    uses={0: {"m*r <= 1": "(K - 1)/(3*K - 1)*2*K*x_0/(K - 1 + 2*K*r*x_0)"}},
    at={"K": "2", "r": "1", "x_0": "1", "m": "1"},
)
_r, _x = sp.symbols("r x_0")


@of_remark(
    "EL-L9-ALLR[r in the place of R]",
    statement=DISPLAY_21
    + r"\tfrac1{2\mu}\ \Rightarrow\ \forall\,r\ge1:\quad x^r\ge\tfrac{K-1}{3K-1}\min\left(x^0,\tfrac G{\mu r}\right)",
    headline="The lower bound holds at every round at once, with the round in the place of the last one",
    summary="With r in the place of R the lemma holds at every r >= 1 for one and the same sequence of step sizes, "
    "which may depend on anything: x^r is at least (K-1)/(3K-1) of the smaller of x^0 and G/(mu r), for step sizes up "
    "to 1/(2 mu).",
    printed=dict(factor="1"),
    controls=[Control("the constant times 1.01", dict(factor="101/100"))],
)
def every_round(factor: str) -> Evidence:
    """x^r >= factor (K-1)/(3K-1) min(x^0, 1/r), at the exact least values of K = 2."""
    at_each = AT_EACH_ROUND.changed("(K - 1)/(3*K - 1)*m for", f"{factor}*(K - 1)/(3*K - 1)*m for")
    found = tried(
        Witness(
            {_r: rounds, _x: sp.Rational(1, rounds)},
            Side("the least x^r", _x / (1 + 4 * _r * _x)),
            ">=",
            Side("what is claimed", sp.Rational(factor) / 5 * sp.Min(_x, 1 / _r)),
            setting="mu = G = 1, K = 2, the best step sizes (EL-LEM9-S1)",
        )
        for rounds in (1, 7)
    )
    return by_derivation(
        lambda: derivations.lemma_9(theory.FROM_ANY_START, any_start=True),
        found,
        beside={**powers.POSITIVE, "at each round": at_each.certificate},
        method="The bound for every start, which has no R, and algebra.",
        valid_for="all whole K >= 2, r >= 1, x^0, mu, G > 0, every sequence of step sizes in [0, 1/(2 mu)]",
        prose=powers.CHOICE,
    )


@of_remark(
    "EL-L9-ALLR[R kept]",
    statement=DISPLAY_21
    + r"\tfrac1{2\mu},\ 1\le r\le R\ \Rightarrow\ x^r\ge\tfrac{K-1}{3K-1}\min\left(x^0,\tfrac G{\mu R}\right)",
    headline="Every round up to the last one obeys the lower bound of the last",
    summary="With R kept the lemma holds at every round r <= R as well, with the same constant, for step sizes up to 1/(2 mu).",
    printed=dict(factor="1"),
    controls=[Control("the constant times 1.01", dict(factor="101/100"))],
)
def up_to_the_last(factor: str) -> Evidence:
    """x^r >= factor (K-1)/(3K-1) min(x^0, G/(mu R)) at every r <= R."""
    bound = replace(theory.LEMMA_9, expression=sp.Rational(factor) * theory.LEMMA_9.expression)
    found = tried(
        Witness(
            {_r: 3, "R": 3, _x: sp.Rational(1, 3)},
            Side("the least x^r", _x / (1 + 4 * _r * _x)),
            ">=",
            Side("what is claimed", sp.Rational(factor) / 5 * sp.Min(_x, sp.Rational(1, 3))),
            given=[(_r, "<=", 3)],
            setting="mu = G = 1, K = 2, the best step sizes (EL-LEM9-S1)",
        )
    )
    return by_derivation(
        lambda: derivations.lemma_9(bound),
        found,
        beside=powers.POSITIVE,
        method="Induction over the rounds: the derivation of EL-LEM9, which concludes for every r <= R.",
        valid_for="all whole K >= 2, 1 <= r <= R, x^0, mu, G > 0, every sequence of step sizes in [0, 1/(2 mu)]",
        prose=powers.CHOICE,
    )


base_case = statement_of_algebra(
    "EL-L9-XREF.1[the claim of the induction]",
    Relations("x >= m for x > 0; c = 1; v >= 0; m = c*x - v", names={"x": "x^{r_0}", "c": "c_{r_0}", "v": "v"}),
    false={"c larger than 1": ("c = 1", "c = 2")},
    group=inequality_claim,
    source="proof of Lemma 9, base case",
    says=r"v=c_{r_0}x^{r_0}-m,\ m=\min\left(c_{r_0}x^{r_0},\tfrac{G}{364\mu R}\right):\quad ",
    headline="The base case of the induction holds, since its factor is one there",
    summary="Read as the claim of the induction, what the base case refers to holds at r = r_0, where c_r is 1.",
)

#: Numbers at displays of the supplement that the dump shows, and those that the lower bound's section refers to.
DISPLAYS = ("7.1", *map(str, range(1, 23)))


@algebra_of_the_text(
    "EL-L9-XREF.1[a display numbered (0.5)]",
    fault="transcription",
    source="proof of Lemma 9, base case",
    statement=r"\text{(0.5), satisfied for }r=r_0,\text{ is the number of a display}",
    headline="The scan's base case refers to a display that does not exist",
    summary="As scanned the base case cites (0.5). The displays of the supplement have whole numbers, up to (22); what "
    "is meant is the display of the induction's claim, which has none.",
    repair="EL-L9-XREF.1[the claim of the induction]",
    printed=dict(number="0.5"),
    controls=[Control("(22), which is cited beside it", dict(number="22"), must="pass")],
)
def cited(number: str) -> Evidence:
    """Whether a number is that of a display."""
    return read(
        number in DISPLAYS,
        method="The numbers of displays, read in the dump.",
        examined=len(DISPLAYS),
        counterexample=f"({number}) is none of the displays (1) to (22)",
        rung=Rung.READING,
    )


which_r = statement_of_algebra(
    "EL-L9-XREF.2",
    Relations("G/(mu*r) >= G/(mu*R) for mu > 0; G > 0; r >= 1; R >= r", names={"mu": r"\mu"}),
    false={"r beyond R": ("R >= r", "2*R >= r")},
    group=inequality_claim,
    source="Lemma 9 and Theorem II",
    headline="Theorem II counts up to the round it speaks of, the lemma up to the last one",
    summary="The lemma has the number R of all rounds, Theorem II the round r. For r <= R the theorem says more, G/(mu "
    "r) being at least G/(mu R); it follows from the lemma with R = r, whose proof then has another gamma (EL-L9-ALLR).",
    prose="the theorem is the lemma with R = r",
)

if __name__ == "__main__":
    run_script(__file__)
