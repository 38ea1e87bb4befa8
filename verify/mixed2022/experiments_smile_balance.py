"""Appendix C.2.1 of Augenstein et al. (2022): with nearly balanced labels a high accuracy cannot hide a bad one.

With shares q and 1 - q of the two labels, q <= 1/2, and accuracies a_1 and a_2 on them, the accuracy is
a = q a_1 + (1 - q) a_2, and the worse of the two labels has at least 1 - (1 - a)/q; both are equal where a_2 = 1.
"""

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Rung, Tightness
from fltheory.evidence.relations import Relations

worst_label = statement_of_algebra(
    "MX-EXP-SMILE-BAL",
    Relations(
        "a_1 >= 1 - (1 - a)/q; a_2 >= 1 - (1 - a)/q for 0 < q <= 1/2; 0 <= a_1 <= 1; 0 <= a_2 <= 1; a = q*a_1 + (1 - q)*a_2"
    ),
    headline="Total accuracy bounds that of the worse label, the less the rarer a label is",
    false={
        "(1 - a) times 0.99": ("a_1 >= 1 - (1 - a)/q", "a_1 >= 1 - 99/100*(1 - a)/q"),
        "q the share of any label, up to 9/10": ("q <= 1/2", "q <= 9/10"),
    },
    group=inequality_claim,
    summary="The worse label's accuracy is at least 1 - (1 - a)/q, with q the share of the rarer label: for balanced labels 2a - 1 "
    "(0.95 in all: no label below 0.90), for q = 0.1 nothing below a = 0.9. For a >= 1 - q the bound is attained. (The AUC "
    "has no such bound: scores 1 and 2 and the threshold 0 have AUC 1 and one label all wrong.)",
    source="Appendix C.2.1",
    tightness=Tightness(1.0, Rung.PROOF, "equal for a_2 = 1"),
)


if __name__ == "__main__":
    run_script(__file__)
