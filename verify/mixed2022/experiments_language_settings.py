"""The printed settings of the experiments of Augenstein et al. (2022), Appendix C.2: batch sizes, rates; Figure 1(b) in words."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import algebra_claim, experiment_claim, run_script, table_claim
from fltheory.evidence.model import Claim, Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.mixed2022.orders import CASES, C, V, terms
from verify.mixed2022.experiments_comparisons import without_data
from verify.mixed2022.printed_numbers import as_printed

F = Fraction
#: task: S, |B_i|, K, |B_c| of 1-w GT, |B_c| of PT and 2-w GT; the movie task draws no central batches
BATCHES = {"smile": (100, 5, 2, 1000, 500), "language": (100, 8, 16, 6400, 800)}
#: task: eta of (PT, 1-w GT, 2-w GT), eta_s, printed relation of eta_c, K of clients and centre
RATES = {
    "smile": (("0.01", "0.01", "0.01"), "1.0", "eta", (2, 2)),
    "language": (("2.0", "2.0", "1.0"), "1.0", "eta", (16, 16)),
    "movies": (("0.5", "0.5", "0.5"), "1.0", "eta", (10, 10)),
}


def rubric(task: str, halved: bool, swap: bool) -> Evidence:
    """|B_c| = S|B_i| for PT and 2-w GT, K S|B_i| for 1-w GT, half of that if ``halved``; ``swap``: exchanged."""
    cohort, batch, steps, one_way, others = BATCHES[task]
    wanted = (cohort * batch, steps * cohort * batch // (2 if halved else 1))
    printed = (one_way, others) if swap else (others, one_way)
    wrong = [
        f"{task}, {name}: printed {found}, rubric {right}"
        for name, found, right in zip(("PT and 2-w GT", "1-w GT"), printed, wanted, strict=True)
        if found != right
    ]
    numbers = {f"{task}, K S |B_i|": steps * cohort * batch}
    return as_printed(wrong, "products of the printed entries", 2, numbers=numbers)


batch_rows = [
    table_claim(
        "MX-EXP-BATCH.1",
        source="Appendix C.2, tables",
        printed=dict(task="smile", halved=False, swap=False),
        statement=r"500=100\cdot5,\quad1000=2\cdot100\cdot5",
        summary="Smile task: the central batches follow the rubric exactly.",
        controls=[Control("exchanged", dict(swap=True)), Control("halved", dict(halved=True))],
    )(rubric),
    table_claim(
        "MX-EXP-BATCH.2",
        headline="The language task uses half of the central batch that the rule gives, as the text says",
        source="Appendix C.2",
        printed=dict(task="language", halved=True, swap=False),
        statement=r"800=100\cdot8,\quad12800=16\cdot100\cdot8,\quad6400=12800/2",
        summary="Language task: the rubric gives 800 and 12800; the table has 800 and 6400, half, as the text says.",
        controls=[Control("not halved", dict(halved=False)), Control("exchanged", dict(swap=True))],
    )(rubric),
]


def impact(algorithm: str, size: str, w_c: str) -> str:
    """Central over client part of the noise term of the order, with variances of means over batches: one at B = size only."""
    noise = [terms(algorithm, case)["noise"] for case in CASES]
    (ratio,) = {sp.cancel(sp.diff(one, C) / sp.diff(one, V)) for one in noise}
    where = f"v > 0; b > 0; B > 0; K >= 1; S >= 1; V = (1 - {w_c})**2*v/b; C = ({w_c})**2*v/B"
    return f"{ratio}*C/V - 1 = ({size} - B)/B for {where}"


def equal_impact(
    id: str, algorithm: str, size: str, w_c: str, false: Mapping[str, tuple[str, str]], **words: Any
) -> Claim:
    """``false``: other algorithms and sizes."""
    text, other = impact(algorithm, size, w_c), {name: impact(*change, w_c) for name, change in false.items()}
    return statement_of_algebra(
        id,
        Relations(text, names={"V": r"\sigma^2", "C": r"\sigma_c^2", "b": r"|B_i|", "B": r"|B_c|"}),
        false={name: (text, one) for name, one in other.items()},
        group=algebra_claim,
        source="Appendix C.2, general notes; Table 1",
        assumptions=("a single example's gradient has the same variance in the clients' and in the central loss",),
        says=rf"\text{{{algorithm}, central over client part of the noise term of Table 1, minus one: }}",
        **words,
    )


HALF, WEIGHT = "1/2", "27/100"
batch_rows += [
    equal_impact(
        "MX-EXP-BATCH.3",
        "PT",
        "S*b",
        HALF,
        {"K S|B_i|": ("PT", "K*S*b"), "1-way GT": ("1-w GT", "S*b")},
        headline="In Parallel Training a central batch as large as the cohort's balances the two noises",
        summary="Parallel Training (2-way GT has the same noise term) at w_f = w_c: |B_c| = S|B_i| gives both variances the same "
        "part of the noise term of Table 1.",
    ),
    equal_impact(
        "MX-EXP-BATCH.4",
        "2-w GT",
        "S*b",
        HALF,
        {"K S|B_i|": ("2-w GT", "K*S*b")},
        headline="In 2-way transfer a central batch as large as the cohort's balances the two noises",
        summary="For 2-way GT, too, the two noise terms are equal at w_f = w_c when |B_c| = S|B_i|.",
    ),
    equal_impact(
        "MX-EXP-BATCH.5",
        "1-w GT",
        "K*S*b",
        HALF,
        {"half": ("1-w GT", "K*S*b/2"), "S|B_i|": ("1-w GT", "S*b")},
        headline="In 1-way transfer the central batch must also grow with the local steps",
        summary="1-way GT at w_f = w_c: |B_c| = K S|B_i|; half of that would give the central variance twice the part (at the "
        "language task's weights see MX-EXP-BATCH-U2).",
    ),
    equal_impact(
        "MX-EXP-BATCH-U1",
        "PT",
        "S*b*(27/73)**2",
        WEIGHT,
        {"the rubric": ("PT", "S*b"), "ratio not squared": ("PT", "S*b*27/73")},
        headline="Batches that equalise the two variances, with the weights counted",
        summary="The losses contain their weights, and the variances the squares of these: at w_f = 0.73, w_c = 0.27 equal "
        "parts would need |B_c| = 0.137 S|B_i| (109; printed 800). The rubric equalises at w_f = w_c.",
    ),
    equal_impact(
        "MX-EXP-BATCH-U2",
        "1-w GT",
        "K*S*b*(27/73)**2",
        WEIGHT,
        {"the rubric": ("1-w GT", "K*S*b"), "halved": ("1-w GT", "K*S*b/2")},
        headline="Batches that equalise the variances of 1-way transfer, with the weights counted",
        summary="The same holds for 1-way GT: 0.137 K S|B_i| (1751; rubric 12800, printed 6400).",
    ),
]


@table_claim(
    "MX-EXP-ETAC",
    headline="In all three tables the central rate is the product of client and server rate",
    source="Appendix C.2, general notes and tables",
    statement=r"\eta_c=\eta\eta_s=\eta",
    printed=dict(relation="eta", planted_server="", tasks=tuple(RATES)),
    summary="All three tables have eta_s = 1 and eta_c = eta, so that eta_c = eta eta_s in each.",
    controls=[Control("eta_s = 1.1", dict(planted_server="1.1")), Control("eta_c = eta_s", dict(relation="eta_s"))],
)
def same_rates(relation: str, planted_server: str, tasks: tuple[str, ...]) -> Evidence:
    """eta_c = eta eta_s in every table: the tables print eta_c = ``relation``, and eta_s."""
    wrong = []
    for task in tasks:
        etas, server, printed, _ = RATES[task]
        for eta in etas:
            central = {"eta": F(eta), "eta_s": F(server)}[relation if relation != "eta" else printed]
            if central != F(eta) * F(planted_server or server):
                wrong.append(f"{task}: eta_c = {central}, eta eta_s = {F(eta) * F(planted_server or server)}")
    return as_printed(wrong, "eta_c of the tables against eta eta_s", 3 * len(tasks))


@table_claim(
    "MX-EXP-LRSWEEP.1",
    headline="The tables follow the protocol of rates, with one exception in the language task",
    source="Appendix C.2, general notes and tables",
    statement=r"\eta_s=1,\ \eta\text{ common}",
    printed=dict(exceptions=("language",), server="1", cache_steps=True),
    summary="The tables follow the protocol: eta_s = 1, the same eta for all algorithms of a task, except 2-way GT in "
    "the language task (1.0 instead of 2.0), the same K at clients and centre. (How K uses the caches: MX-EXP-KCACHE.)",
    controls=[
        Control("no exception", dict(exceptions=())),
        Control("eta_s = 2", dict(server="2")),
        Control("unequal K", dict(cache_steps=False)),
    ],
)
def protocol(exceptions: tuple[str, ...], server: str, cache_steps: bool) -> Evidence:
    """eta_s = ``server`` everywhere; one eta per task but for ``exceptions``; the centre makes as many steps as a client."""
    wrong = []
    for task, (etas, own, _, steps) in RATES.items():
        if F(own) != F(server):
            wrong.append(f"{task}: eta_s = {own}")
        if len(set(etas)) > 1 and task not in exceptions:
            wrong.append(f"{task}: eta = {etas[0]} for PT and {etas[2]} for 2-w GT")
        if (steps[0] == steps[1]) is not cache_steps:
            wrong.append(f"{task}: K = {steps[0]} at the clients, {steps[1]} at the centre")
    return as_printed(wrong, "entries of the six tables", 9)


@table_claim(
    "MX-FIG1-LM.1",
    headline="The language model's two printed accuracies can both be right",
    source="Figure 1, caption; Section 5.2",
    printed=dict(digits=2, more_than="0.6", shown="0.60"),
    statement=r"\text{" r"over 0.6}\ \wedge\ \sim0.60",
    summary="Caption: the language model reaches an oracle's accuracy of over 0.6; text: about 0.60, comparable to the "
    "oracle. Both are right for accuracies between 0.600 and 0.605.",
    controls=[Control("over 0.61", dict(more_than="0.61")), Control("about 0.59", dict(shown="0.59"))],
)
def compatible(digits: int, more_than: str, shown: str) -> Evidence:
    """Is there a number above ``more_than`` that the text, with ``digits`` decimals, calls ``shown``?"""
    unit, least = F(1, 10**digits), F(more_than)
    low, high = F(shown) - unit / 2, F(shown) + unit / 2
    return as_printed(
        [] if high > least else [f"{shown} with {digits} decimals is at most {float(high)}, not above {more_than}"],
        "the numbers that round to the text's against the caption's bound",
        1,
        margin=float((high - least) / unit) or None,
        numbers={"both hold from, to": f"{float(max(low, least))}, {float(high)}"},
    )


Pairs = tuple[tuple[str, str], ...]


def agreeing(what: str, pairs: Pairs) -> Evidence:
    """Printed numbers that must not decrease from the first of a pair to the second; nothing more can be said here."""
    conflicts = {f"{low} > {high}": F(low) > F(high) for low, high in pairs}
    found = "order of the printed numbers" if any(conflicts.values()) else "The printed numbers agree with each other"
    return without_data(
        conflicts,
        "Stack Overflow and Wikipedia (20201201.en) in sequences of 100 characters, the network with 1024 GRU units, "
        "and runs of 2000 rounds",
        f"{found}: {what}.",
    )


def paper(identifier: str, source: str, summary: str, numbers: tuple[str, Pairs], headline: str) -> object:
    """A row about runs that cannot be had: only its printed numbers are compared with each other."""
    what, pairs = numbers
    low, high = pairs[-1]
    return experiment_claim(
        identifier,
        headline=headline,
        source=source,
        summary=summary,
        statement=r"\text{the printed runs}",
        printed=dict(what=what, pairs=pairs),
        controls=[Control("the last two numbers exchanged", dict(pairs=(*pairs[:-1], (high, low))))],
    )(agreeing)


ACCURACIES = "FL alone is less accurate than the oracle, whose accuracy is below one", (("0.45", "0.60"), ("0.60", "1"))
LARGEST = "largest rates without divergence: 2-w GT 1, PT 3 (not 5), 1-w GT 5", (("1", "3"), ("3", "5"))
SHOWN = "the rates of Figure 10 are among those that converge (2-w GT 1, PT 3, 1-w GT 3 of at least 5)"
CACHE = "K |B_i| = 16 times 8 examples are in a cache of about 400", (("128", "400"),)


figure_rows = [
    paper(
        "MX-FIG1-LM.2",
        "Figure 1(b)",
        "The accuracies of Figure 1(b) are those of the printed runs themselves.",
        ACCURACIES,
        headline="The printed accuracies of the language model cannot be checked here",
    ),
    paper(
        "MX-EXP-LM.1",
        "Section 5.2, Figures 1(b), 2(b), 3",
        "The language task was run on Stack Overflow and Wikipedia.",
        ACCURACIES,
        headline="What the algorithms reach on the paper's texts cannot be checked here",
    ),
    paper(
        "MX-FIG4.1",
        "Figure 4",
        "The accuracies on Stack Overflow and on Wikipedia alone are those of the printed runs.",
        ACCURACIES,
        headline="The printed accuracies on either text alone cannot be checked here",
    ),
    paper(
        "MX-EXP-LRSWEEP.2",
        "Appendix C.2",
        "The sweeps were run on the paper's tasks.",
        LARGEST,
        headline="The sweeps of rates on the paper's own tasks cannot be checked here",
    ),
    paper(
        "MX-EXP-C42.2.1",
        "Figure 9",
        "Figure 9 was made on the paper's data.",
        CACHE,
        headline="The runs with more local steps on the paper's texts cannot be checked here",
    ),
    paper(
        "MX-FIG10-EARLY.1",
        "Figure 10",
        "Figure 10 was made on the paper's data.",
        (SHOWN, (("1", "1"), ("3", "3"), ("3", "5"))),
        headline="The printed curves at larger rates cannot be checked here",
    ),
]

if __name__ == "__main__":
    run_script(__file__)
