"""Theorem I of the elastic aggregation supplement as a whole, what it supposes, and what its section refers to.

Without independence between the clients the noise of a round is not divided by S: with one noise for all clients a parabola keeps
half of its start, whatever the steps, while the bound vanishes for large cohorts and server steps.
"""

from functools import partial
from itertools import chain

from fltheory.evidence.decide import Tried, decide, read
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import asymptotic_claim, definition_in_words, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from verify.elastic2023 import rates
from verify.elastic2023.derivations import theorem_1_rates, theorem_1_weights
from verify.elastic2023.derivations.theorem_1 import COHORTS
from verify.elastic2023.rates import CONVEX_ORDER, SMOOTH_ORDER, STRONG_ORDER, at_scale
from verify.elastic2023.theorem_1.convex import METHOD, NEAR_THE_OPTIMUM, TEXT, VALID
from verify.elastic2023.theorem_1.one_noise import DROPPED, INDEPENDENT, UNPRINTED, broken
from verify.elastic2023.without_data import form_alone

of_theorem_1 = asymptotic_claim.sharing(source="Theorem I", quick=False)


def every_case(D: str, scale: str, noise: str = "independent") -> Evidence:
    """The three orders times ``scale``; D "the distance" or "its square"."""
    if noise == "the same":
        return broken("general convex")
    if D == "its square":
        proved, reason = NEAR_THE_OPTIMUM.proof
        found = Tried(1, f"{TEXT}: {NEAR_THE_OPTIMUM.text}", -1.0, certificate=NEAR_THE_OPTIMUM.certificate)
        return decide(
            (False, reason), found if proved else Tried(1), method="The general convex case near the optimum."
        )
    cases = (
        (theorem_1_weights.tuned, STRONG_ORDER),
        (theorem_1_rates.convex_rate, CONVEX_ORDER),
        (theorem_1_rates.smooth_rate, SMOOTH_ORDER),
    )
    scripts = {
        f"{bound.name}, {name}": partial(rate, at_scale(bound, scale), cohort)
        for rate, bound in cases
        for name, cohort in COHORTS.items()
    }
    runs = chain(
        rates.balanced(at_scale(CONVEX_ORDER, scale), smooth=False),
        rates.balanced(at_scale(SMOOTH_ORDER, scale), smooth=True),
    )
    return by_derivation(scripts, lambda: runs, method=METHOD, valid_for=VALID)


HYPOTHESES = (
    "A1, A3, A4, in the convex cases A2",
    "phi eta_g >= 1, the same number for every coordinate and cohort",
    INDEPENDENT,
    "effective steps as at EL-T1-SC, EL-T1-GC and EL-T1-NC",
)
PARTS = ("EL-T1-SC", "EL-T1-GC", "EL-T1-NC")
distance = of_theorem_1(
    "EL-THM1[D the distance]",
    statement=(STRONG_ORDER, r";\quad", CONVEX_ORDER, r";\quad", SMOOTH_ORDER, rf"\quad {rates.LEVEL_OF_NOISE}"),
    headline="Theorem I holds in all three cases, with D the distance and the right powers of beta",
    summary="With D the distance of x^0 from x* and the powers of beta that units demand all three rates hold for one "
    "step size per case, derived from the assumptions, with absolute constants (13, 12, 48), if the noise of different "
    "clients is independent, which is not printed.",
    assumptions=HYPOTHESES,
    unprinted=UNPRINTED,
    proof_steps=PARTS,
    printed=dict(D="the distance", scale="1", noise="independent"),
    controls=[
        DROPPED,
        Control("bounds divided by 3", dict(scale="1/3")),
        Control("D the squared distance", dict(D="its square")),
    ],
)(every_case)
squared = of_theorem_1(
    "EL-THM1[D the squared distance]",
    statement=r"D:=\|x^0-x^\star\|^2:\ (15),(16)",
    fault="slip",
    headline="Theorem I defines D as a squared norm, and its convex rates fail with that",
    summary="The theorem defines D as the squared norm of x^0 - x* and has D and D^2 where the distance and its square "
    "are meant; as defined its convex rates fail near x*.",
    repair="EL-THM1[D the distance]",
    printed=dict(D="its square", scale="1"),
    controls=[Control("D the distance", dict(D="the distance"), must="pass")],
)(every_case)


@of_theorem_1(
    "EL-T1-HYP",
    statement=(r"\text{noise of different clients and steps independent:}\quad", CONVEX_ORDER),
    headline="For large global factors (16) needs that the noise of different clients is independent",
    summary="The general convex case: (16) follows from A1, A3, A4, convexity and the bound on the local steps, for "
    "one step size per run and equal weights, if the clients are independent. M^2 divides sigma^2 by S: that needs "
    "independence between clients, on which A3 is silent. With one noise for all clients and (phi eta_g)^2 = S a "
    "parabola breaks (16) for every constant. The other two cases are EL-T1-SC and EL-T1-NC.",
    assumptions=("A1, A3, A4, every f_i convex", *HYPOTHESES[1:3], "effective step as at EL-T1-GC"),
    unprinted=UNPRINTED,
    printed=dict(noise="independent"),
    controls=[DROPPED],
)
def hypotheses(noise: str) -> Evidence:
    """The general convex order, for noise that is "independent" between clients or "the same"."""
    if noise == "independent":
        return by_derivation(
            {name: partial(theorem_1_rates.convex_rate, CONVEX_ORDER, cohort) for name, cohort in COHORTS.items()},
            lambda: rates.balanced(CONVEX_ORDER, smooth=False),
            method=METHOD,
            valid_for=VALID,
        )
    return broken("general convex")


#: What the document has: theorems, tables and displays with a number, and the sections of its analysis.
HAS = {
    "theorem": ("I", "II"),
    "table": ("1", "2"),
    "display": tuple(str(i) for i in range(1, 23)),
    "section": ("7", "7.1", "7.2", "8", "9", "9.1", "9.2", "9.3", "9.4", "9.5"),
}


def reference(kind: str, name: str) -> Evidence:
    """Whether what is referred to is there."""
    return read(
        name in HAS[kind],
        rung=Rung.READING,
        method=f"The document has {kind}s {', '.join(HAS[kind])}.",
        examined=len(HAS[kind]),
        counterexample=f"{kind} {name} is referred to, and the document has {kind}s {', '.join(HAS[kind])} only",
    )


of_references = definition_in_words.sharing(fault="slip")
theorem_v = of_references(
    "EL-T1-NUM9.1",
    source="Section 9.5, first paragraph",
    statement=r"\text{the upper bound is Theorem V}",
    headline="The upper bound is referred to as Theorem V, and it is Theorem I",
    summary="The section on the lower bound calls the upper bound Theorem V, its number in the work that the analysis is "
    "adapted from.",
    repair="EL-T1-NUM9.1-R1",
    printed=dict(kind="theorem", name="V"),
    controls=[Control("Theorem I", dict(name="I"), must="pass")],
)(reference)
theorem_i = definition_in_words(
    "EL-T1-NUM9.1-R1",
    source="Section 9.5, first paragraph",
    statement=r"\text{the upper bound is Theorem I}",
    summary="The upper bound is Theorem I.",
    printed=dict(kind="theorem", name="I"),
    controls=[Control("Theorem V", dict(name="V"))],
)(reference)


def cited_table(where: str) -> Evidence:
    """A table 5 of "some document": only of the supplement can it be said that it has none."""
    wrong = f"the supplement has tables {', '.join(HAS['table'])} only" if where == "the supplement" else ""
    return form_alone(wrong, "The tables of the supplement.", len(HAS["table"]), "the main paper with its tables")


table_5 = definition_in_words(
    "EL-T1-NUM9.2",
    source="Section 5",
    statement=r"\text{the related method is in Table 5}",
    headline="Whether Table 5 exists cannot be seen in the supplement, which has none",
    summary="The section on communication refers to a Table 5; the supplement has Tables 1 and 2, and a table without "
    "a number. It may be one of the main paper, which is not here.",
    printed=dict(where="the main paper"),
    controls=[Control("a table of the supplement", dict(where="the supplement"))],
)(cited_table)
table_2 = definition_in_words(
    "EL-T1-NUM9.2-U1",
    source="Section 5",
    statement=r"\text{the methods compared are in Table 2}",
    headline="In the supplement the methods that are compared are in Table 2",
    summary="In the supplement the methods that are compared, SCAFFOLD among them, are listed in Table 2.",
    printed=dict(kind="table", name="2"),
    controls=[Control("Table 5", dict(name="5"))],
)(reference)
of_convexity = definition_in_words.sharing(source="Section 9.2, second paragraph")
display_7_11 = of_convexity(
    "EL-T1-NUM9.3[display (7.11)]",
    statement=r"\text{convexity and smoothness are in (7.11)}",
    fault="transcription",
    headline="Read as display 7.11, the number cited for convexity and smoothness does not exist",
    summary="Section 9.2 cites convexity and smoothness by numbers that the scan does not show well. The displays are numbered "
    "from (1) to (22), so that none is (7.11).",
    repair="EL-T1-NUM9.3[Section 7.1]",
    printed=dict(kind="display", name="7.11"),
    controls=[Control("Section 7.1", dict(kind="section", name="7.1"), must="pass")],
)(reference)
section_7_1 = of_convexity(
    "EL-T1-NUM9.3[Section 7.1]",
    statement=r"\text{convexity and smoothness are in Section 7.1}",
    headline="Read as Section 7.1, the place cited for convexity and smoothness is right",
    summary="Convexity and smoothness are in Section 7.1, as A2 and A4.",
    printed=dict(kind="section", name="7.1"),
    controls=[Control("(7.11)", dict(kind="display", name="7.11"))],
)(reference)


if __name__ == "__main__":
    run_script(__file__)
