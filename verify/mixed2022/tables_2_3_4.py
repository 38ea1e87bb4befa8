"""Tables 2, 3 and 4 and the reading of Figure 2 in Augenstein et al. (2022): consistency with the definitions and theorems."""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import read
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import algebra_claim, run_script, table_claim
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Witness
from fltheory.theory.mixed2022.orders import CASES, NAMES, limits

#: task: (w_f, w_c, largest Gt^2, largest Bt^2) of rounds 10 to 100
TABLE_2 = {
    "smile": ("0.5", "0.5", "49.04", "1.26"),
    "language": ("0.73", "0.27", "0.03", "1.34"),
    "movies": ("0.5", "0.5", "0.03", "1.50"),
}


def consistent(task: str, entry: tuple[str, ...]) -> Evidence:
    """Weights sum to one, Gt^2 >= 0, Bt^2 >= 1; what the two maxima together say about |grad f|^2."""
    wf, wc, g2, b2 = (Fraction(x) for x in entry)
    faults = [
        text
        for bad, text in (
            (wf + wc != 1, f"w_f + w_c = {wf + wc}"),
            (g2 < 0, f"Gt^2 = {g2} < 0"),
            (b2 < 1, f"Bt^2 = {b2} < 1"),
        )
        if bad
    ]
    # Gt^2 = (Bt^2 - 1)|s|^2 in each round, so that the round with the largest Gt^2 has |s|^2 >= max Gt^2/(max Bt^2 - 1)
    half = Fraction(1, 200)
    least = max(g2 - half, Fraction(0)) / (b2 + half - 1) if b2 > 1 else Fraction(0)
    return read(
        not faults,
        rung=Rung.READING,
        method="bounds of MX-EQ7.1 and |sampled gradient|^2 = Gt^2/(Bt^2 - 1)",
        examined=3,
        counterexample=f"{task}: {'; '.join(faults)}",
        margin=float(b2 - 1) if not faults else None,
        numbers={"|sampled gradient|^2 was at least": float(least)},
    )


tasks = [
    table_claim(
        f"MX-TAB2.{number}",
        headline=f"Row '{task}': the weights sum to one, and the metrics are possible values",
        source="Table 2",
        printed=dict(task=task, entry=entry),
        statement=rf"w_f={entry[0]},\ w_c={entry[1]},\ \max\tilde G_t^2={entry[2]},\ \max\tilde B_t^2={entry[3]}",
        summary=f"In the row '{task}' the weights sum to one and the metrics respect Gt^2 >= 0 and Bt^2 >= 1. As Gt^2 = (Bt^2 - "
        f"1)|s|^2 in each "
        "round, they bound the largest sampled gradient from below.",
        controls=[
            Control("planted Bt^2 0.96", dict(entry=(*entry[:3], "0.96"))),
            Control("planted w_c + 0.01", dict(entry=(entry[0], str(float(entry[1]) + 0.01), *entry[2:]))),
        ],
    )(consistent)
    for number, (task, entry) in enumerate(TABLE_2.items(), start=1)
]


@table_claim(
    "MX-FIG2",
    headline="The sampled dissimilarity separates the two tasks, its relative form hardly does",
    source="Figure 2, Sections 5.1 and 5.2, Table 2",
    statement=r"\tilde G_t^2:\ 49.04\gg0.03",
    printed=dict(column=2),
    summary="Gt^2 separates the smile task, where Parallel Training was worse, from the language task, where all "
    "algorithms were equal. It has units, so that two losses are compared in different units; Bt^2, which has none, "
    "is 1.26 against 1.34 (called about 1).",
    controls=[Control("Bt^2 instead of Gt^2", dict(column=3))],
)
def separates(column: int) -> Evidence:
    """Whether the metric of the smile task is at least ten times that of the language task."""
    smile, language = (Fraction(TABLE_2[task][column]) for task in ("smile", "language"))
    return read(
        smile >= 10 * language,
        rung=Rung.READING,
        method="comparison of the printed maxima",
        examined=2,
        margin=float(1 - 10 * language / smile),
        counterexample=f"{float(smile)} (smile) is less than ten times {float(language)} (language)",
    )


#: The entries by method, cases in the order strongly convex, convex, non-convex; of two the smaller.
TABLE_3 = {
    "PT": [["1/(6*(1 + B**2)*beta)"]] * 3,
    "1-w GT": [["1/(8*beta)"], ["1/(8*beta)"], ["1/(18*beta)"]],
    "2-w GT": [["1/(81*beta)", "1/(15*mu)"], ["1/(81*beta)"], ["1/(24*beta)"]],
}
#: The conditions of the theorems on eta_c and eta eta_s (1-way: on eta eta_s) beside them; equal pairs once.
ENTRIES = dict.fromkeys(
    f"K*({limit}) = {entry}"
    for name, entries in TABLE_3.items()
    for case, row in zip(CASES, entries, strict=True)
    for limit, entry in zip(limits(name, case), row, strict=True)
)
table_3 = statement_of_algebra(
    "MX-TAB3.1",
    Relations(f"{'; '.join(ENTRIES)} for B >= 1; beta > 0; mu > 0; K >= 1; eta_m = 1", names=NAMES),
    headline="The table's step limits are the theorems' at unit merging rate, times the local steps",
    false={"1-way non-convex 1/(24 beta)": ("= 1/(18*beta)", "= 1/(24*beta)"), "eta_m = 2": ("eta_m = 1", "eta_m = 2")},
    group=table_claim,
    source="Table 3 with Theorems B.1-B.3",
    says=r"K\,\text{times the limit of the theorem}=\text{entry of Table 3}:\quad ",
    summary="All nine entries of Table 3 are K times the step-size conditions of the theorems at eta_m = 1.",
)
active_arm = statement_of_algebra(
    "MX-TAB3.2",
    Relations("1/(81*beta) <= 1/(15*mu) for mu > 0; beta >= mu"),
    headline="One of the two limits in a tabulated minimum is never active",
    false={"1/(82 mu)": ("15*mu", "82*mu")},
    group=algebra_claim,
    source="Table 3, 2-way GT, first row",
    depends=("MX-DEFD4.2",),
    says=r"\min\left(\tfrac1{81\beta},\tfrac1{15\mu}\right)=\tfrac1{81\beta}:\quad ",
    summary="The second arm of the minimum is never active, since mu <= beta: the strongly convex and the convex "
    "limit of 2-way GT agree.",
)


def table_4(threshold: str, relation: str) -> Evidence:
    """Table 4 (eta_s >= sqrt(S)) against the theorem's threshold sqrt(threshold S): equal, or at least sufficient."""
    ratio = Fraction(threshold)
    words = dict(method="squares of the two conditions, in units of S", rung=Rung.READING)
    if ratio == 1 if relation == "equal" else ratio < 1:
        return read(True, examined=1, margin=float(1 - ratio) or None, **words)
    square, cohort, sign = sp.Symbol("e"), sp.Symbol("S"), ">=" if relation == "equal" else ">"
    table, theorem = (square, ">=", cohort), (square, sign, ratio * cohort)
    pairs = ((table, theorem), (theorem, table)) if relation == "equal" else ((table, theorem),)
    at, named = {square: (1 + ratio) / 2, cohort: 1}, "e = eta_s^2, Table 4 asks e >= S"
    return by_witness((Witness(at, *claimed, [given], named) for given, claimed in pairs), **words)


table_4_claim = table_claim.sharing(source="Table 4 with Theorem B.2")
table_4_rows = [
    table_4_claim(
        "MX-TAB4.1",
        headline="The table's server rate for non-convex 1-way transfer is the theorem's condition",
        statement=r"\eta_s\ge\sqrt S\text{ (non-convex)}",
        printed=dict(threshold="1", relation="equal"),
        summary="Non-convex 1-way GT: Table 4 is the theorem's condition (and eta_m >= 1 is that of Theorems B.1 and B.3).",
        controls=[Control("threshold 5/8", dict(threshold="5/8"))],
    )(table_4),
    table_4_claim(
        "MX-TAB4.2",
        headline="The table's server rate for convex 1-way transfer is stricter than the theorem's condition",
        statement=r"\eta_s\ge\sqrt S\text{ against }\eta_s>\sqrt{5S/8}",
        printed=dict(threshold="5/8", relation="sufficient"),
        summary="Convex 1-way GT: Table 4 implies the theorem's condition eta_s > sqrt(5 S/8), which admits smaller eta_s "
        "as well.",
        controls=[
            Control("threshold 9/8", dict(threshold="9/8")),
            Control("the same condition", dict(relation="equal")),
        ],
    )(table_4),
]

if __name__ == "__main__":
    run_script(__file__)
