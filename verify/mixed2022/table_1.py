"""Table 1 of Augenstein et al. (2022): its agreement with Theorems B.1-B.3, and the weights of its G and B."""

from collections.abc import Mapping

import sympy as sp

from fltheory.evidence.algebra import statement_in_mean, statement_of_algebra
from fltheory.evidence.decide import read
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import inequality_claim, qualitative_of_an_instance, run_script, table_claim
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.theory.mixed2022.orders import CASES, D2, B, C, F, G, K, S, V, beta, eps, mu, terms

SC_, C_, NC_ = CASES
#: The entries of Table 1 (text) and of the theorems, transcribed separately.
TABLE: Mapping[tuple[str, str], str] = {
    ("PT", SC_): "(V+S*C)/(K*S*mu*eps) + G*sqrt(beta)/(mu*sqrt(eps)) + B**2*beta/mu*log(1/eps)",
    ("PT", C_): "(V+S*C)*D_sq/(K*S*eps**2) + G*sqrt(beta)/eps**(3/2) + B**2*beta*D_sq/eps",
    ("PT", NC_): "(V+S*C)*beta*F/(K*S*eps**2) + G*sqrt(beta)/eps**(3/2) + B**2*beta*F/eps",
    ("1-w GT", SC_): "(V+K*S*C)/(K*S*mu*eps) + beta/mu*log(1/eps)",
    ("1-w GT", C_): "(V+K*S*C)*D_sq/(K*S*eps**2) + beta*D_sq/eps",
    ("1-w GT", NC_): "(V+K*S*C)*beta*F/(K*S*eps**2) + beta*F/eps",
    ("2-w GT", SC_): "(V+S*C)/(K*S*mu*eps) + beta/mu*log(1/eps)",
    ("2-w GT", C_): "(V+S*C)*D_sq/(K*S*eps**2) + beta*D_sq/eps",
    ("2-w GT", NC_): "(V+S*C)*beta*F/(K*S*eps**2) + beta*F/eps",
}
LOCALS = {s.name: s for s in (V, C, K, S, beta, mu, G, B, D2, F, eps)}


@table_claim(
    "MX-T1-COPY",
    source="Table 1 with Theorems B.1-B.3",
    printed=dict(plant=""),
    statement=r"\text{Table 1}=\text{Theorems B.1--B.3, entry by entry}",
    summary="All nine entries of Table 1 agree with the theorems. The caption's K >= 2 and w_f = w_c = 1/2 are not in the "
    "theorems, whose step-size conditions are not in Table 1 (they are in Tables 3 and 4).",
    controls=[
        Control("1-way entry without K", dict(plant="1-w GT")),
        Control("PT entry with the repaired term", dict(plant="PT")),
    ],
)
def copied(plant: str) -> Evidence:
    entries = dict(TABLE)
    if plant == "1-w GT":
        entries["1-w GT", C_] = entries["2-w GT", C_]
    elif plant:
        entries["PT", C_] = entries["PT", C_].replace("G*sqrt(beta)", "G*sqrt(beta)*D_sq")
    wrong = [
        f"{a}, {c}"
        for (a, c), text in entries.items()
        if sp.simplify(sp.sympify(text, locals=LOCALS) - sum(terms(a, c).values())) != 0
    ]
    return read(
        not wrong,
        rung=Rung.READING,
        method="both transcribed as expressions and subtracted",
        examined=len(entries),
        counterexample=f"{', '.join(wrong)}: table and theorem differ",
    )


_AS_DEFINED = "G2 + B2*sq(a + b) - sq(a)/w - sq(b)/(1 - w)"
other_weights = statement_in_mean(
    "MX-T1-W12.1",
    InMean(
        "2*sq(a) + 2*sq(b) <= 2*w*(G2 + B2*sq(a + b)) for 1/2 <= w < 1; G2 >= 0; B2 >= 0",
        things="a; b",
        uses=[use("Definition 4.2 at the weight w", times="2*w", form=_AS_DEFINED)],
        squares=[("2*w/(1 - w) - 2", "b")],
        names={"G2": "G^2", "B2": "B^2"},
    ),
    false={"0.99 times the factor": ("2*w*(", "99/100*2*w*("), "factor one": ("2*w*(", "1*(")},
    group=inequality_claim,
    source="Table 1, caption; Definition 4.2",
    headline="What other weights of the two losses cost in Definition 4.2",
    summary="Table 1 wants G and B for w_f = w_c = 1/2. Constants for other proportions give them, times sqrt(2 max(w_f, "
    "w_c)): at most 1.21 for the language task (0.73/0.27), so that no order changes there.",
)


weights_row = statement_of_algebra(
    "MX-T1-W12.2",
    Relations(
        "(p*x)**2/h + ((1 - p)*x)**2/(1 - h) <= 2*x**2; (p*y)**2/w + ((1 - p)*y)**2/(1 - w) > G2 + B2*y**2 "
        "for p = 0; h = 1/2; w = 73/100; 0 <= B2 <= 3; G2 >= 0; y > 2*G2 + 2",
        names={"G2": "G^2", "B2": "B^2"},
    ),
    headline="On a pair of losses the dissimilarity constants for equal weights fail for other weights",
    false={
        "w = 1/2": ("w = 73/100", "w = 1/2"),
        "w = 49/100": ("w = 73/100", "w = 49/100"),
        "the losses exchanged": ("p = 0", "p = 1"),
        "B^2 up to 4": ("B2 <= 3", "B2 <= 4"),
    },
    group=qualitative_of_an_instance,
    says=r"f_f=\tfrac p2x^2,\ f_c=\tfrac{1-p}2x^2:\ B^2=2\text{ serves for }w_f=h\text{ at every }x,\text{ at }w_f=w\text{ no }"
    r"B^2\le3\text{ with any }G\text{ at every }y:\quad ",
    source="Table 1, caption; Definition 4.2",
    summary="G and B depend on the weights: on this pair of losses the least B^2 is at most 2 for one half and above 3 for "
    "0.73/0.27 (the language task in Table 2), whatever G.",
)


if __name__ == "__main__":
    run_script(__file__)
