"""Printed numbers of Appendix C.3, Section 5.3 and the abstract of Augenstein et al. (2022), recomputed with units.

Open in print: embedding dimension d, bytes per number, the kilobyte, rows n of a client, and whether the vocabulary has
entries besides the 3,952 movies.  0.025 Mflop alone fixes d = 16 (batch 16); 125.16 then needs 3,954 rows, i.e. two more
than there are movies (or 3,952 rows and 3 N d for the order O(N d), whose constant is not printed); 494 KB then needs 4
bytes and 1 KB = 1024 bytes; 20 and 30 KB are exact for n = B_i K = 160.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import product

from fltheory.evidence.kinds import run_script, table_claim
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.mixed2022.cost_model import Quantity, Recommendation, assumptions, rounds_to
from verify.mixed2022.printed_numbers import as_printed

MOVIES = 3952
FITTED = Recommendation(3954, 16)
VOCABULARIES = range(3900, 4001)
of_c3 = table_claim.sharing(source="Appendix C.3 and the table of Section 5.3")


def value_of(model: Recommendation, name: str) -> Fraction:
    """A number of the table in its printed unit."""
    if name == "client computation, mixed":
        return model.network_step().to("M")
    if name == "client computation, baseline":
        return model.baseline_step().to("M")
    return model.kilobytes(name)


def number(name: str, printed: str, changes: dict[str, int]) -> Evidence:
    """Whether the model's number rounds to the printed one; by how much it misses; which vocabularies reproduce it."""
    model = replace(FITTED, **changes)
    value = value_of(model, name)
    miss = value / Fraction(printed) - 1
    good = rounds_to(value, printed)
    found = [n for n in VOCABULARIES if rounds_to(value_of(replace(model, vocabulary=n), name), printed)]
    times = [c for c in range(1, 11) if rounds_to(value_of(replace(model, gradient_rows=c), name), printed)]
    text = f"N = {model.vocabulary}, d = {model.width}, {model.number_bytes} bytes, 1 KB = {model.kilobyte} B, n = {model.items}"
    return as_printed(
        [] if good else [f"{text}: {float(value):.6g}, printed {printed} (misses by {float(miss):+.3%})"],
        f"exact value of the printed formula with {text}, rounded to the printed decimals",
        11 + len(VOCABULARIES),
        margin=None if good else -abs(float(miss)),
        numbers={
            "value": float(value),
            "N from 3900 to 4000 that reproduce it": f"{found[0]} to {found[-1]}" if found else "none",
            "multiples of N d, up to 10, that reproduce it at this N": ", ".join(map(str, times)) or "none",
        },
    )


TWO_MORE = "MX-C3-NUM.4[two rows more than movies]"
rows = [
    of_c3(
        identifier,
        headline=headline,
        statement=rf"\text{{{name}}}: {printed}",
        summary=summary,
        printed=dict(name=name, printed=printed, changes={}),
        controls=[Control(f"planted number {planted}", dict(printed=planted))],
    )(number)
    for identifier, name, printed, planted, headline, summary in (
        (
            "MX-C3-NUM.1",
            "baseline",
            "494",
            "495",
            "The printed 494 KB are two tables of movies at four bytes and 1024 bytes to the KB",
            "494 KB = 2 N d numbers of 4 bytes, d = 16, 1 KB = 1024 bytes "
            "(494.25, and 494.00 with the 3,952 movies alone); with 1 KB = 1000 bytes it would be 506.",
        ),
        (
            "MX-C3-NUM.2",
            "PT",
            "20",
            "21",
            "The printed 20 KB of Parallel Training are exact for 160 rows",
            "The 20 KB of Parallel Training are exact for n = |B_i| K = 160 rows.",
        ),
        (
            "MX-C3-NUM.3",
            "1-w GT",
            "30",
            "31",
            "The printed 30 KB of the transfer methods are exact for 160 rows",
            "The 30 KB of 1-way (and 2-way) GT are exact for n = |B_i| K = 160 rows.",
        ),
        (
            TWO_MORE,
            "client computation, baseline",
            "125.16",
            "125.17",
            "The printed operation count is that of two rows more than movies",
            "125.16 Mflop is the printed count for one step and a vocabulary of 3,954 rows, two more than there are movies.",
        ),
        (
            "MX-C3-NUM.5",
            "client computation, mixed",
            "0.025",
            "0.026",
            "The printed 0.025 Mflop are one step without the regulariser",
            "0.025 Mflop is one step of the network without the regulariser for |B_i| = 16, which fixes d = 16.",
        ),
    )
]
one_row_per_movie = of_c3(
    "MX-C3-NUM.4[one row per movie]",
    fault="reading",
    statement=r"\text{client computation, baseline}: 125.16",
    headline="The printed operation count differs slightly from the data set's number of movies",
    summary="With the 3,952 movies of the data set the printed count gives 125.03 Mflop, 0.10 % less than printed (125.16 again "
    "if the gradient of the regulariser is counted as 3 N d instead of N d).",
    repair=TWO_MORE,
    printed=dict(name="client computation, baseline", printed="125.16", changes=dict(vocabulary=MOVIES)),
    controls=[Control("3,954 rows, d = 16: the same code reproduces 125.16", dict(changes={}), must="pass")],
)(number)


def per_client(steps: int) -> Evidence:
    """The two printed computations as counts of so many client steps."""
    whole, part = (steps * q.to("M") for q in (FITTED.baseline_step(), FITTED.network_step()))
    good = rounds_to(whole, "125.16") and rounds_to(part, "0.025")
    return as_printed(
        [] if good else [f"{steps} steps: {float(whole):.2f} and {float(part):.3f} Mflop"],
        f"printed counts times {steps}",
        2,
        numbers={"baseline": float(whole), "mixed": float(part)},
        margin=None if good else float(Fraction("125.16") / whole - 1),
    )


STEP = "MX-C3-NUM.6[one client step]"
of_a_step = of_c3.sharing(statement=r"125.16,\ 0.025\text{ Mflop}")
per_step = of_a_step(
    STEP,
    printed=dict(steps=1),
    summary="125.16 and 0.025 Mflop are counts of one client step.",
    controls=[Control("two steps", dict(steps=2))],
)(per_client)
per_round = of_a_step(
    "MX-C3-NUM.6[one round of K = 10 steps, as in Table 5]",
    fault="reading",
    printed=dict(steps=10),
    repair=STEP,
    controls=[Control("one step", dict(steps=1), must="pass")],
    headline="The counts for a round are ten times the printed ones",
    summary="Table 5 counts rounds of K steps; with K = 10 a client's round has 1,251.6 and 0.249 Mflop, ten times "
    "the printed numbers. Their ratio is the same.",
)(per_client)


@of_c3(
    "MX-C3-NUM.7",
    headline="One set of sizes explains the baseline's three printed numbers together",
    statement=r"\text{one set of assumptions gives }494,\ 125.16,\ 0.025\text{ together}",
    summary="Under the printed formulas exactly one set of assumptions (N 3,000 to 6,000, d up to 64, 1 to 8 bytes, "
    "both kilobytes) gives the three numbers of the baseline together: 3,954 rows, d = 16, 4 bytes, 1 KB = 1024 bytes. "
    "With the constant of the order O(N d) free, 3,951 to 3,953 rows do so as well, at 4, 3 and 2 N d.",
    printed=dict(baseline="494", multiples=(1,)),
    controls=[
        Control("planted 506.25 KB", dict(baseline="506.25")),
        Control("up to 4 N d for the regulariser's gradient", dict(multiples=(1, 2, 3, 4))),
    ],
)
def together(baseline: str, multiples: tuple[int, ...]) -> Evidence:
    widths = [d for d in range(1, 65) if rounds_to(Recommendation(1, d).network_step().to("M"), "0.025")]
    found = []
    for n, d, times in product(range(3000, 6001), widths, multiples):
        model = Recommendation(n, d, gradient_rows=times)
        if rounds_to(model.baseline_step().to("M"), "125.16"):
            found += [
                (n, d, times, a.number_bytes, a.kilobyte)
                for a in assumptions(model, vocabulary=range(n, n + 1), width=range(d, d + 1))
                if rounds_to(a.kilobytes("baseline"), baseline)
            ]
    columns = "(N, d, multiple of N d, bytes, KB)"
    wrong = [] if len(found) == 1 else [f"{len(found)} sets of assumptions {columns}: {found}"]
    examined = 3001 * 64 * 8 * len(multiples)
    return as_printed(wrong, "enumeration of the grid of assumptions", examined, numbers={columns: str(found)})


def communication_saving(algorithm: str, rows: int) -> Fraction:
    """Saving with n = ``rows``, for the rounded KB as well as for the exact ones: the smaller."""
    model = Recommendation(FITTED.vocabulary, 16, items=rows)
    exact = model.communication("baseline").saving(model.communication(algorithm))
    printed = Quantity(Fraction(494), "B").saving(Quantity(Fraction({"PT": 20}.get(algorithm, 30)), "B"))
    return min(exact, printed)


def saved(percent: str, what: str) -> Evidence:
    """More than so many percent of communication (the least over the three algorithms) or of client computation."""
    claimed = Fraction(percent) / 100
    saving = FITTED.baseline_step().saving(FITTED.network_step())
    if what == "communication":
        saving = min(communication_saving(algorithm, 160) for algorithm in ("PT", "1-w GT", "2-w GT"))
    return as_printed(
        [] if saving > claimed else [f"{what}: {float(100 * saving):.4f} %, not more than {percent} %"],
        f"exact saving of {what} under the fitted assumptions",
        1,
        margin=float(saving - claimed),
        numbers={"saving": float(saving)},
    )


savings = [
    table_claim(
        identifier,
        headline=headline,
        source=source,
        statement=rf"\text{{{what} saved}}>{percent}\%",
        summary=summary,
        printed=dict(percent=percent, what=what),
        controls=[Control(f"planted {planted} %", dict(percent=planted))],
    )(saved)
    for identifier, source, what, percent, planted, headline, summary in (
        (
            "MX-C3-NUM.8",
            "Appendix C.3, Section 5.3",
            "communication",
            "93.9",
            "94",
            "More than 93.9 % of communication is saved for 160 rows, not for 161",
            "More than 93.9 % of communication: 93.93 % for both GT algorithms, "
            "95.95 % for Parallel Training (n = 160; with 161 rows it would no longer be true).",
        ),
        (
            "MX-C3-NUM.9",
            "Section 5.3",
            "client computation",
            "99.9",
            "99.99",
            "More than 99.9 % of client computation is saved",
            "More than 99.9 % of client computation is saved: 99.98 %.",
        ),
        (
            "MX-ABS.1",
            "abstract, Section 1",
            "communication",
            "90",
            "94",
            "The abstract's savings of communication are right: over 90 %, and 93.9 %",
            "Abstract and introduction say that over 90 %, and 93.9 %, of communication is saved.",
        ),
        (
            "MX-ABS.2",
            "abstract, Section 1",
            "client computation",
            "90",
            "99.99",
            "The abstract's savings of computation are right for the clients, not in total",
            "Abstract and introduction: over 90 %, resp. 99.9 %, of client computation (not of the total, see MX-C3-SAVE).",
        ),
    )
]

if __name__ == "__main__":
    run_script(__file__)
