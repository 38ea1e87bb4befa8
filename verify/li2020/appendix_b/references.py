r"""Appendix B.3-B.4 of Li et al. (2020): three stated reasons, two cross-references and one assumption.

A cross-reference is judged by comparing what the cited lemma bounds, and for which steps, with what the citing step
needs; the assumption by explicit functions.
"""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import read
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import definition_in_words, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.witness import Side, Witness

#: what each lemma bounds and whether it speaks of synchronisation steps only
LEMMAS = {
    "Lemma 1": ("vbar - w*", False),
    "Lemma 2": ("g - gbar", False),
    "Lemma 3": ("wbar - w^k", False),
    "Lemma 4": ("E wbar - vbar", True),
    "Lemma 5": ("vbar - wbar", True),
}


#: What a step needs: the quantity, whether at synchronisation steps only, its place, and what a wrong citation means.
NEEDED = {
    "A2": (
        "vbar - w*",
        False,
        "the bound of A2 for t+1 outside I_E",
        "With F=w^2/2, E=2, w_0=1, t=0: wbar=vbar, so the cited quantity is 0, while A2=(1-eta_0)^2>0.",
    ),
    "(26)": ("wbar - w^k", True, "the bound of the local models' spread after (26)", ""),
}


def cited(step: str, lemma: str) -> Evidence:
    """Whether a lemma's left side and range of t are those of the step that cites it."""
    (left, sync_only), (quantity, at_sync, place, remark) = LEMMAS[lemma], NEEDED[step]
    where = " at synchronisation steps only" if sync_only else ""
    if (step, lemma) == ("(26)", "Lemma 5"):
        remark = "The step is inside the proof of Lemma 5 itself, so the reference is circular."
    return read(
        left == quantity and (at_sync or not sync_only),
        method=f"Left side and range of the cited lemma compared with what {place} needs.",
        examined=2,
        numbers={"needed": quantity, "cited": left},
        counterexample=f"{lemma} bounds |{left}|^2{where}; needed is |{quantity}|^2. {remark}".strip(),
        rung=Rung.READING,
    )


reference_a2 = definition_in_words(
    "LI-B3-XREF.1",
    fault="slip",
    source="Section B.3",
    repair="LI-B3-XREF.1-R1",
    statement=r"t+1\notin I_E:\ \text{Lemma 5 bounds } A_2=\|\bar v_{t+1}-w^*\|^2",
    headline="A lemma is cited for steps at which it says nothing",
    summary="Cross-reference: Lemma 5 is said to bound A2 when t+1 is no synchronisation step.",
    printed=dict(step="A2", lemma="Lemma 5"),
    controls=[
        Control("Lemma 1 (with 2 and 3)", dict(lemma="Lemma 1"), must="pass"),
        Control("Lemma 4", dict(lemma="Lemma 4")),
    ],
)(cited)

reference_a2_repaired = definition_in_words(
    "LI-B3-XREF.1-R1",
    source="Section B.3, repaired",
    statement=r"t+1\notin I_E:\ \text{Lemma 1, with Lemmas 2 and 3, bounds } A_2",
    summary="A2 is bounded by Lemma 1 together with Lemmas 2 and 3.",
    depends=("LI-B3-NS",),
    printed=dict(step="A2", lemma="Lemma 1"),
    controls=[Control("Lemma 5", dict(lemma="Lemma 5"))],
)(cited)

reference_l5 = definition_in_words(
    "LI-B3-XREF.2",
    fault="slip",
    source="Section B.4, before the bound of (26)",
    repair="LI-B3-XREF.2-R1",
    statement=r"\text{(26) is bounded by the argument of Lemma 5}",
    headline="A proof refers to the lemma that it proves",
    summary="Inside the proof of Lemma 5 the text refers to the argument of Lemma 5 itself.",
    printed=dict(step="(26)", lemma="Lemma 5"),
    controls=[Control("Lemma 3", dict(lemma="Lemma 3"), must="pass"), Control("Lemma 1", dict(lemma="Lemma 1"))],
)(cited)

reference_l5_repaired = definition_in_words(
    "LI-B3-XREF.2-R1",
    source="Section B.4, repaired",
    statement=r"\text{(26) is bounded by the argument of Lemma 3}",
    summary="The argument is that of Lemma 3, with E in place of E-1 gradient steps.",
    printed=dict(step="(26)", lemma="Lemma 3"),
    controls=[Control("Lemma 5", dict(lemma="Lemma 5"))],
)(cited)


_USES = {
    "A1": ("L > 0", use("smooth", "star w", of="F", L="L")),
    "A2": ("mu > 0", use("strongly convex", "star w", "0", of="F", mu="mu")),
}


def gap_under(*assumptions: str, factor: str = "L/2") -> InMean:
    """F(w) - F* <= factor |w - w*|^2 under A1 (L-smooth), A2 (strongly convex), or both."""
    ranges, uses = zip(*(_USES[name] for name in assumptions), strict=True)
    return InMean(
        f"f_w - f_star <= {factor}*sq(w - star) for {'; '.join(dict.fromkeys(('L > 0', *ranges)))}",
        things="w; star; function F; F at w; F at star = 0*star",
        uses=uses,
        names={"star": "w^*", "f_star": "F^*"},
    )


def gap_from(assumptions: tuple[str, ...], factor: str) -> Evidence:
    """Derived, with equality for F = L|w|^2/2, or broken by an F = c w^2/2."""
    c, mu, L, w = sp.symbols("c mu L w")
    given = [{"A1": (c, "<=", L), "A2": (c, ">=", mu)}[name] for name in assumptions]
    sides = Side("F(w) - F*", c * w**2 / 2), "<=", sp.sympify(factor, {"L": L}) * w**2
    witnesses = [Witness({c: one, mu: Fraction(1, 2), L: 1, w: 1}, *sides, given, "F = c w^2/2") for one in (1, 2)]
    stated = gap_under(*assumptions, factor=factor)
    return by_derivation(stated.derived, tried(witnesses), valid_for=stated.where)


of_the_reason = inequality_claim.sharing(source="Section B.3, 'by the strong convexity of F'")
TIGHT = Control("L/2 -> 0.99 L/2", dict(factor="99*L/200"))
WITHOUT = Control("A1 dropped, strong convexity alone", dict(assumptions=("A2",)))

reason_with_a1 = of_the_reason(
    "LI-B3-XREF.3[with A1 standing]",
    headline="The gap is bounded by the squared distance, since smoothness is assumed throughout",
    statement=(r"F\ L\text{-smooth and }\mu\text{-strongly convex}\ \Rightarrow\ ", gap_under("A1", "A2")),
    summary="The inequality E F - F* <= (L/2) Delta_t holds, since A1 is assumed throughout; only the reason named "
    "(strong convexity) is not the one that gives it.",
    assumptions=("A1", "A2"),
    printed=dict(assumptions=("A1", "A2"), factor="L/2"),
    controls=[WITHOUT, TIGHT],
)(gap_from)

reason_alone = of_the_reason(
    "LI-B3-XREF.3[strong convexity alone]",
    fault="reading",
    repair="LI-B3-XREF.3-R1",
    statement=(r"F\ \mu\text{-strongly convex}\ \Rightarrow\ ", gap_under("A2")),
    assumptions=("A2",),
    headline="Strong convexity is cited for a bound that needs smoothness",
    summary="The printed reason by itself: strong convexity bounds F - F* from below, not from above.",
    printed=dict(assumptions=("A2",), factor="L/2"),
    controls=[Control("L-smoothness as the reason", dict(assumptions=("A1",)), must="pass"), TIGHT],
)(gap_from)

reason_repaired = inequality_claim(
    "LI-B3-XREF.3-R1",
    source="Section B.3, repaired",
    statement=(r"F\ L\text{-smooth}\ \Rightarrow\ ", gap_under("A1")),
    summary="The reason is L-smoothness (as Appendix A.3 says).",
    assumptions=("A1",),
    printed=dict(assumptions=("A1",), factor="L/2"),
    controls=[WITHOUT, TIGHT],
)(gap_from)


if __name__ == "__main__":
    run_script(__file__)
