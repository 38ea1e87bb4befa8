"""Tables 1 and 2 of the elastic aggregation supplement, and the sentences that read them."""

from collections.abc import Mapping
from fractions import Fraction

from fltheory.evidence.decide import read
from fltheory.evidence.kinds import run_script, table_claim
from fltheory.evidence.model import Control, Evidence, Rung
from verify.elastic2023.without_data import form_alone

#: Table 1: accuracies in percent without elastic aggregation, with the average form and with the momentum form.
TABLE_1: Mapping[str, Mapping[str, str]] = {
    "train": {"naive": "55.39", "average": "55.49", "momentum": "58.74"},
    "test": {"naive": "61.22", "average": "61.11", "momentum": "61.45"},
}
of_table_1 = table_claim.sharing(source="Section 1, Table 1")
of_table_2 = table_claim.sharing(source="Section 6, Table 2")


def better(rows: tuple[str, ...], first: str, second: str) -> Evidence:
    """Whether the first column is above the second in the rows named."""
    gains = {row: Fraction(TABLE_1[row][first]) - Fraction(TABLE_1[row][second]) for row in rows}
    wrong = [
        f"{row}: {first} {TABLE_1[row][first]}, {second} {TABLE_1[row][second]}" for row in rows if gains[row] <= 0
    ]
    return read(
        not wrong,
        rung=Rung.READING,
        method="The printed numbers, compared.",
        examined=len(rows),
        counterexample="; ".join(wrong),
        margin=float(min(gains.values())) / 100,
        numbers={f"{row}: gain in points": str(gain) for row, gain in gains.items()},
    )


momentum_is_better = of_table_1(
    "EL-TAB1.1",
    headline="In the printed table the momentum form is ahead of the average form in both rows",
    statement=r"58.74>55.49,\quad61.45>61.11",
    summary="The momentum form has the higher printed accuracy, by 3.25 points on the training data and by 0.34 on the test data.",
    printed=dict(rows=("train", "test"), first="momentum", second="average"),
    controls=[Control("the average form ahead", dict(first="average", second="momentum"))],
)(better)

momentum_is_best = of_table_1(
    "EL-TAB1.2",
    headline="In the printed table the momentum form is ahead of no elastic aggregation in both rows",
    statement=r"58.74>55.39,\quad61.45>61.22",
    summary="Against the run without elastic aggregation the momentum form gains 3.35 points on the training data and "
    "0.23 on the test data, printed without spread or number of runs.",
    printed=dict(rows=("train", "test"), first="momentum", second="naive"),
    controls=[Control("the run without it ahead", dict(first="naive", second="momentum"))],
)(better)

average_helps_the_test = of_table_1(
    "EL-TAB1-U1",
    headline="In the printed table the average form does worse on the test data than nothing at all",
    statement=r"61.11<61.22",
    summary="A limit of the table: the average form loses 0.11 points on the test data against no elastic aggregation, "
    "and the test accuracy is above the training accuracy in every column.",
    printed=dict(rows=("test",), first="naive", second="average"),
    controls=[Control("the average form ahead", dict(first="average", second="naive"))],
)(better)


def values(row: str, least: int, most: int) -> Evidence:
    """Accuracies are percentages; whether they are those of the runs is not in the document."""
    outside = [f"{name} {value}" for name, value in TABLE_1[row].items() if not least <= Fraction(value) <= most]
    return form_alone(
        "; ".join(outside),
        "Only that the values are percentages can be checked.",
        3,
        "the runs of Table 1: network, split, tau, mu, seeds; the supplement names CIFAR-10 only",
    )


of_the_runs = of_table_1(
    "EL-TAB1.3",
    headline="The accuracies of the printed runs cannot be had again from what is printed",
    statement=r"55.39,\ 55.49,\ 58.74;\quad61.22,\ 61.11,\ 61.45",
    summary="The accuracies are those of runs whose network, split, tau, mu and seeds are not printed.",
    printed=dict(row="train", least=0, most=100),
    controls=[Control("as shares of one", dict(most=1))],
)(values)

#: Table 2: what is printed beside each method.
TABLE_2: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "FedAvg": (("Efficient", "Robust"), ("Slow convergence", "Limited upper performance")),
    "FedProx": (("Fast convergence", "Better performance"), ("Light extra overhead",)),
    "SCAFFOLD": (("Fast convergence",), ("Not robust",)),
    "AdaOpt": (("Fast convergence", "Excellent performance"), ("Considerable extra overhead",)),
    "PFNM": (
        ("Alleviate client drift", "Excellent performance", "Fast convergence"),
        ("Complex implementation", "Considerable extra overhead"),
    ),
    "Ours": (
        ("Alleviate client drift", "Excellent performance", "Robust", "Fast convergence"),
        ("Light extra overhead",),
    ),
}
#: Communication of the same methods in units of the model, from the table before.
TIMES = {"FedAvg": 2, "FedProx": 2, "SCAFFOLD": 4, "AdaOpt": 2, "PFNM": 2, "Ours": 3}


def opinions(complete: tuple[str, ...]) -> Evidence:
    """Every method has entries on both sides; what they rest on is not in the document."""
    missing = [name for name in complete if name not in TABLE_2 or not all(TABLE_2[name])]
    return form_alone(
        f"no entries for {missing[0]}" if missing else "",
        "Only that every method has an entry on both sides can be checked; the entries are judgements without a measure.",
        len(complete),
        "a measure for each word of the table (speed, performance, overhead, robustness) and the runs behind it",
    )


pros_and_cons = of_table_2(
    "EL-TAB2",
    headline="The table of pros and cons holds judgements without a measure",
    statement=r"\text{pros and cons of six methods}",
    summary="Table 2 lists judgements such as fast convergence or considerable overhead for six methods, without a "
    "measure or numbers (the seventh of the table before, FedAvgM, is left out).",
    printed=dict(complete=tuple(TIMES)),
    controls=[Control("with FedAvgM, as in the table before", dict(complete=(*TIMES, "FedAvgM")))],
)(opinions)


def only_defect(defects: tuple[str, ...]) -> Evidence:
    """Which defects the document itself names: more communication than FedAvg, and computing that FedAvg does not have."""
    named = {"computation": "mu/(2e) of the training (Section 4)"}
    if TIMES["Ours"] > TIMES["FedAvg"]:
        named["communication"] = f"{TIMES['Ours']}x instead of {TIMES['FedAvg']}x (Section 5)"
    left_out = [f"{name}: {words}" for name, words in named.items() if name not in defects]
    invented = [name for name in defects if name not in named]
    return read(
        not left_out and not invented,
        rung=Rung.READING,
        method="The sentence against Sections 4 and 5 of the same document.",
        examined=len(named),
        counterexample="; ".join([*left_out, *invented]),
        numbers=named,
    )


_SENTENCE = table_claim.sharing(source="Section 6, sentence after Table 2")
computation_only = _SENTENCE(
    "EL-TAB2-TXT.1",
    fault="slip",
    repair="EL-TAB2-TXT.1-R1",
    statement=r"\text{no defect except a light extra computational overhead}",
    headline="Half more communication is left out where the only drawback is named",
    summary="The only defect is said to be a light computational overhead. Section 5 of the same document counts 3x "
    "communication instead of 2x, an upload twice as large, and calls it an overhead that seems inevitable.",
    printed=dict(defects=("computation",)),
    controls=[Control("with communication", dict(defects=("computation", "communication")), must="pass")],
)(only_defect)

both_overheads = _SENTENCE(
    "EL-TAB2-TXT.1-R1",
    statement=r"\text{no defect except extra computation and half more communication}",
    headline="The document itself names two overheads: computation and communication",
    summary="By the document's own count the method costs extra computing and one vector more per client and round than FedAvg.",
    printed=dict(defects=("computation", "communication")),
    controls=[Control("computation alone", dict(defects=("computation",)))],
)(only_defect)


def all_advantages(without: tuple[str, ...]) -> Evidence:
    """Which advantages of the other methods are not in our row of Table 2; a stronger word stands for a weaker one."""
    ours = set(TABLE_2["Ours"][0]) | {"Better performance"}  # excellent performance is more than better
    others = {pro for name, (pros, _) in TABLE_2.items() if name != "Ours" for pro in pros}
    missing = sorted(others - ours - set(without))
    return read(
        not missing,
        rung=Rung.READING,
        method="Advantages in the rows of the other methods against those in the row of the method itself.",
        examined=len(others),
        counterexample=f"in the table, and not in the row of the method: {', '.join(missing)}",
    )


advantages = _SENTENCE(
    "EL-TAB2-TXT.2[all of them]",
    fault="reading",
    repair="EL-TAB2-TXT.2[basically: all but efficiency]",
    statement=r"\text{the advantages of the other methods are among those of the method}",
    headline="One advantage in the table, efficiency, is not claimed for the method itself",
    summary="Of the advantages in Table 2 the method's own row has all but one: FedAvg is called efficient, the method is not.",
    printed=dict(without=()),
    controls=[Control("but for efficiency", dict(without=("Efficient",)), must="pass")],
)(all_advantages)

basically = _SENTENCE(
    "EL-TAB2-TXT.2[basically: all but efficiency]",
    statement=r"\text{the advantages of the other methods, but for 'efficient', are among those of the method}",
    headline="But for efficiency, the table claims all advantages of the others for the method",
    summary="Every advantage of another method in Table 2, except that FedAvg is efficient, stands in the method's own row.",
    printed=dict(without=("Efficient",)),
    controls=[Control("all of them", dict(without=()))],
)(all_advantages)


if __name__ == "__main__":
    run_script(__file__)
