"""Where two tables of the FedLAMA paper print the same run: accuracies, learning rates, spreads and intervals side by side."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from fltheory.evidence.decide import read
from fltheory.evidence.kinds import run_script, table_claim
from fltheory.evidence.model import Claim, Control, Evidence, Rung
from verify.fedlama2021.tables.entries import TableLine, entries, shared

Key = Callable[[TableLine], object]

#: What makes two lines the same run, and what is compared between them.
SAME: dict[str, Key] = {
    "setting and learning rate": lambda entry: (entry.setting, entry.rate),
    "setting": lambda entry: entry.setting,
    "setting and accuracy": lambda entry: (entry.setting, entry.accuracy),
    "all but the interval": lambda entry: (entry.group, entry.factor),
}
COMPARED: dict[str, Callable[[TableLine], Fraction | int]] = {
    "accuracy": lambda entry: entry.accuracy,
    "learning rate": lambda entry: entry.rate,
    "spread": lambda entry: entry.spread,
}


def _within(entry: TableLine, other: TableLine) -> Fraction:
    """How far two repeats may be apart: the two printed spreads together."""
    return entry.spread + other.spread


def differences(
    tables: Sequence[int], others: Sequence[int], same: str, what: str, changed: int = 0
) -> tuple[int, list[tuple[TableLine, TableLine]]]:
    """How many pairs of lines print the same run, and those of them whose compared entries differ, widest apart first.

    In ``changed`` pairs that agree the first accuracy is made larger by a point.
    """
    value = COMPARED[what]
    pairs = shared(tuple(tables), tuple(others), SAME[same])
    alike = [place for place, pair in enumerate(pairs) if value(pair[0]) == value(pair[1])]
    for place in alike[:changed]:
        entry, other = pairs[place]
        pairs[place] = (replace(entry, accuracy=entry.accuracy + 1), other)
    apart = [
        pair for pair in pairs if abs(value(pair[0]) - value(pair[1])) > (_within(*pair) if what == "accuracy" else 0)
    ]
    return len(pairs), sorted(apart, key=lambda pair: -abs(value(pair[0]) - value(pair[1])))


def agreement(
    tables: Sequence[int], others: Sequence[int], same: str, what: str, differing: int, changed: int = 0
) -> Evidence:
    """Whether ``differing`` runs that are printed twice differ, accuracies beyond their spreads; ``changed`` are planted."""
    count, apart = differences(tables, others, same, what, changed)
    found = len(apart)
    widest = "; ".join(str(entry) for entry in apart[0]) if apart else "all agree"
    return read(
        found == differing,
        rung=Rung.READING,
        method=f"Lines of two tables with the same {same}, compared by their {what}."
        + (f" They differ most in {widest}." if apart and found == differing else ""),
        examined=count,
        counterexample=f"{found} of {count} pairs differ, not {differing}; {widest}",
        numbers={"pairs of lines": count, "that differ": found},
    )


def _two(id: str, *, headline: str, summary: str, meant: str = "", differing: int = 0, **setting: Any) -> list[Claim]:
    """The claim that two tables agree; where they do not, also the row that says in how many entries they differ."""
    tables, others = (" and ".join(map(str, setting[name])) for name in ("tables", "others"))
    words = rf"\text{{Tables {tables} against {others}, same {setting['same']}: same {setting['what']}}}"
    claim = of_the_tables = table_claim.sharing(source=f"Tables {tables}, {others}")
    control = Control("one accuracy larger by a point", dict(changed=1))
    if differing:
        claim = claim.sharing(fault="slip", repair=f"{id}-R1")
        control = Control("as many as the tables have", dict(differing=differing), must="pass")
    agree = claim(
        id,
        statement=words,
        headline=headline,
        summary=summary,
        printed=dict(**setting, differing=0),
        controls=[control],
    )
    if not differing:
        return [agree(agreement)]
    counted = of_the_tables(
        f"{id}-R1",
        statement=words + rf"\text{{ but in {differing} of them}}",
        headline=f"Of the runs that two tables print, {differing} differ in their {setting['what']}",
        summary=meant,
        printed=dict(**setting, differing=differing),
        controls=[Control("all agree", dict(differing=0))],
    )
    return [agree(agreement), counted(agreement)]


CLAIMS = [
    *_two(
        "LA-TAB6..12.1",
        tables=(6,),
        others=(1,),
        same="setting and learning rate",
        what="accuracy",
        headline="The FedAvg run that the two tables of IID CIFAR-10 share has the same accuracy in both",
        summary="Tables 1 and 6 share one run with its learning rate (FedAvg, interval 6), with the same "
        "accuracy. At factor 4 they print 86.21 and 86.33, at different learning rates.",
    ),
    *_two(
        "LA-TAB6..12.2",
        tables=(7,),
        others=(4,),
        same="setting and learning rate",
        what="accuracy",
        headline="Tables 4 and 7 print the same accuracies where they share a run with its learning rate",
        summary="Four runs of Table 7 stand in Table 4 with the same learning rate, all with the same accuracy.",
    ),
    *_two(
        "LA-TAB6..12.3",
        differing=4,
        tables=(8,),
        others=(4, 7),
        same="setting and learning rate",
        what="accuracy",
        headline="The same settings of FedAvg have 84.02 % in Table 8 and 88.61 % in Table 7",
        summary="FedAvg on non-IID CIFAR-10 with interval 6, coefficient 0.1, a quarter of the clients and "
        "learning rate 0.3 has 84.02 % in Table 8 and 88.61 % in Table 7, 46 printed spreads apart; with all "
        "clients 89.52 % against 89.19 %.",
        meant="Table 8 differs in every run that Tables 4 or 7 print with the same settings and learning rate, by "
        "up to 4.59 points.",
    ),
    *_two(
        "LA-TAB6..12.4",
        tables=(9,),
        others=(2,),
        same="setting and learning rate",
        what="accuracy",
        headline="The FedAvg run that the two tables of IID CIFAR-100 share has the same accuracy in both",
        summary="Tables 2 and 9 share one run with its learning rate (FedAvg, interval 6), with the same accuracy.",
    ),
    *_two(
        "LA-TAB6..12.5",
        differing=2,
        tables=(10,),
        others=(5,),
        same="setting and learning rate",
        what="accuracy",
        headline="Tables 5 and 10 print the same runs of non-IID CIFAR-100 with different accuracies",
        summary="With a quarter of the clients and learning rate 0.4, FedLAMA with factor 2 and coefficient 0.1 "
        "has 77.84 % in Table 5 and 78.63 % in Table 10.",
        meant="Of the runs that Tables 5 and 10 print with the same settings and learning rate, two differ by more than "
        "their spreads, by up to 0.79 points.",
    ),
    *_two(
        "LA-TAB6..12.6",
        differing=1,
        tables=(11,),
        others=(5, 10),
        same="setting and learning rate",
        what="accuracy",
        headline="Tables 5 and 11 print the same FedAvg runs with different accuracies",
        summary="FedAvg on non-IID CIFAR-100 with interval 6, a quarter of the clients and learning rate 0.4 has "
        "79.06 % in Table 11 and 79.15 % in Table 5.",
        meant="One run of Table 11 has another accuracy in Table 5, by 0.09 points, more than the spreads; none has in Table 10.",
    ),
    *_two(
        "LA-TAB7-NUM",
        differing=4,
        tables=(7,),
        others=(4,),
        same="setting",
        what="learning rate",
        headline="Tables 4 and 7 print the same runs and accuracies with different learning rates",
        summary="With a quarter of the clients, Table 4 prints the learning rates 0.4 and 0.8 for the runs to "
        "which Table 7 gives 0.3 and 0.6, with the same accuracies.",
        meant="Tables 4 and 7 agree in the learning rates of the runs with all clients; the four with a quarter "
        "of the clients differ.",
    ),
    *_two(
        "LA-TAB10-NUM",
        differing=2,
        tables=(10,),
        others=(5,),
        same="setting",
        what="learning rate",
        headline="Tables 5 and 10 print runs of the same settings with different learning rates",
        summary="With all clients and coefficient 0.1, Table 5 prints the learning rate 0.4 and Table 10 prints "
        "0.2, with accuracies that are the same up to 0.01.",
        meant="The two runs with all clients and coefficient 0.1 differ in their learning rate between Tables 5 "
        "and 10, the others agree.",
    ),
    *_two(
        "LA-TAB8-LR",
        differing=2,
        tables=(8,),
        others=(4, 7),
        same="setting",
        what="learning rate",
        headline="Table 8 gives FedAvg another learning rate than Table 4 does at a quarter of the clients",
        summary="At coefficient 0.1 and a quarter of the clients Table 8 (and Table 7) has the learning rate 0.3, "
        "Table 4 has 0.4, at intervals 6 and 24.",
        meant="Table 8 has the learning rates of Tables 4 and 7 except in two runs with a quarter of the clients, "
        "against Table 4.",
    ),
    *_two(
        "LA-TAB11-LR",
        differing=1,
        tables=(11,),
        others=(5, 10),
        same="setting",
        what="learning rate",
        headline="Table 11 gives FedAvg another learning rate than Table 10 does for the same accuracy",
        summary="With all clients, coefficient 0.1 and interval 6, 79.78 % is printed with learning rate 0.4 in "
        "Table 11 and 0.2 in Table 10.",
        meant="Table 11 has the learning rates of Tables 5 and 10 except in one run, FedAvg with all clients, "
        "against Table 10.",
    ),
    *_two(
        "LA-TAB-STD",
        differing=9,
        tables=(6, 7, 8, 9, 10, 11),
        others=(1, 2, 4, 5),
        same="setting and accuracy",
        what="spread",
        headline="In the CIFAR tables one accuracy is printed with spreads up to a factor of ten apart",
        summary="88.37 % (FedAvg, IID CIFAR-10) has the spread 0.02 in Table 1 and 0.1 in Table 6; 76.17 % "
        "(FedLAMA with factor 4, IID CIFAR-100) has 0.02 in Table 2 and 0.2 in Table 9.",
        meant="Of the 18 pairs of lines in the CIFAR tables that print the same run with the same accuracy, in "
        "the main text and in the appendix, nine have different spreads.",
    ),
]


def interval_of_table_12(interval: int) -> Evidence:
    """Whether the runs of Table 12 stand in Table 3 with this base interval and the same accuracy, up to one in the last digit."""
    pairs = shared((12,), (3,), lambda entry: (entry.group, entry.factor, entry.rate))
    pairs = [(entry, other) for entry, other in pairs if other.base == (10 if other.factor > 1 else interval)]
    same = sum(entry.accuracy == other.accuracy for entry, other in pairs)
    wrong = "; ".join(f"{entry} and {other}" for entry, other in pairs if other.base != interval)
    largest = max((abs(entry.accuracy - other.accuracy) for entry, other in pairs), default=Fraction(100))
    holds = all(other.base == interval for _, other in pairs) and largest <= Fraction(1, 100)
    return read(
        holds,
        rung=Rung.READING,
        method=f"{same} of {len(pairs)} accuracies are the same, the largest difference is {float(largest)}.",
        examined=len(entries(12)),
        counterexample=wrong or f"{len(pairs)} pairs of lines, the largest difference {float(largest)}",
        numbers={"entries in both": len(pairs), "the same": same},
    )


of_table_12 = table_claim.sharing(source="Tables 3, 12, Section A.2")

printed_interval = of_table_12(
    "LA-TAB12-NUM",
    fault="slip",
    statement=r"\text{Table 12: }\tau'=12",
    repair="LA-TAB12-NUM-R1",
    headline="Table 12 prints the base interval 12 for runs that the main text has with interval 10",
    summary="Eight of the nine accuracies that Tables 3 and 12 share are the same, and the ninth differs by 0.01, "
    "though Table 12 prints interval 12 and Table 3 interval 10; the text on Table 12 names interval 10 too.",
    printed=dict(interval=12),
    controls=[Control("interval 10", dict(interval=10), must="pass")],
)(interval_of_table_12)

repaired_interval = of_table_12(
    "LA-TAB12-NUM-R1",
    statement=r"\text{Table 12: }\tau'=10",
    summary="With interval 10, Table 12 repeats nine accuracies of Table 3, one of them changed by 0.01.",
    printed=dict(interval=10),
    controls=[Control("interval 20", dict(interval=20))],
)(interval_of_table_12)


if __name__ == "__main__":
    run_script(__file__)
