"""What the FedLAMA paper's text says of trends in its tables: along the factor, along the interval, and between the two."""

from collections.abc import Sequence
from fractions import Fraction

from fltheory.evidence.kinds import run_script, table_claim
from fltheory.evidence.model import Control, Evidence
from verify.fedlama2021.tables.entries import TableLine, entries
from verify.fedlama2021.tables.sentences import femnist_losses, judged


def falls(tables: Sequence[int], along: str, start: int) -> Evidence:
    """Whether accuracy falls with every step of the factor (or of the interval) from ``start`` on, in every block."""
    blocks: dict[tuple[object, ...], list[TableLine]] = {}
    for entry in entries(*tables):
        if (entry.factor if along == "factor" else entry.base) >= start:
            blocks.setdefault((entry.table, *entry.group), []).append(entry)
    steps = [(one, next_one) for block in blocks.values() for one, next_one in zip(block, block[1:], strict=False)]
    broken = [f"{one}, then {next_one}" for one, next_one in steps if one.accuracy <= next_one.accuracy]
    return judged(
        broken, len(steps), f"Accuracies along the {along} in the blocks of tables {', '.join(map(str, tables))}."
    )


monotone = table_claim.sharing(source="Section A.2, Tables 6, 7")
txt_mono_1_every_step_of_the_factor = monotone(
    "LA-TXT-MONO.1[every step of the factor]",
    fault="reading",
    statement=r"\phi<\phi'\Rightarrow\text{acc}(\phi)>\text{acc}(\phi')",
    repair="LA-TXT-MONO.1[from factor 2 on]",
    headline="From factor 1 to 2 the accuracy on CIFAR-10 rises in three blocks of the tables",
    summary="Table 6 rises from 88.37 to 88.41 % from factor 1 to factor 2, Table 7 in two blocks; a later sentence "
    "of the paragraph says so.",
    printed=dict(tables=(6, 7), along="factor", start=1),
    controls=[Control("from factor 2 on", dict(start=2), must="pass")],
)(falls)
txt_mono_1_from_factor_2_on = monotone(
    "LA-TXT-MONO.1[from factor 2 on]",
    statement=r"2\le\phi<\phi'\Rightarrow\text{acc}(\phi)>\text{acc}(\phi')",
    headline="From factor 2 on the accuracy on CIFAR-10 falls in every block of the tables",
    summary="In Tables 6 and 7 the accuracy falls with every step of the factor from 2 on.",
    printed=dict(tables=(6, 7), along="factor", start=2),
    controls=[Control("from factor 1 on", dict(start=1))],
)(falls)


def loss_at_two(measure: str) -> Evidence:
    """Whether FedLAMA with factor 2 loses less against FedAvg than a measure allows, in the blocks of Tables 6 and 7."""
    pairs = [
        (one, two)
        for one in entries(6, 7)
        for two in entries(one.table)
        if one.factor == 1 and two.factor == 2 and one.group == two.group
    ]
    significant = min(femnist_losses()) if measure == "called significant" else Fraction(0)
    broken = [
        f"{one}, then {two}"
        for one, two in sorted(pairs, key=lambda pair: pair[1].accuracy - pair[0].accuracy)
        if one.accuracy - two.accuracy > (significant or one.spread + two.spread)
    ]
    losses = [float(one.accuracy - two.accuracy) for one, two in pairs]
    return judged(broken, len(pairs), "Accuracies at factors 1 and 2, block by block.", losses=losses)


almost_within_spreads = monotone(
    "LA-TXT-MONO.2[within the printed spreads]",
    fault="reading",
    statement=r"\text{acc}(\phi=1)-\text{acc}(\phi=2)\le\text{the two spreads together}",
    repair="LA-TXT-MONO.2[less than what the text calls significant]",
    headline="At factor 2 FedLAMA loses up to 20 printed spreads on CIFAR-10",
    summary="In Tables 6 and 7 FedLAMA with factor 2 loses 2.01 points in one block (88.61 to 86.60, with spreads "
    "of 0.1); it gains in three.",
    printed=dict(measure="spreads"),
    controls=[Control("the smallest loss that is called significant", dict(measure="called significant"), must="pass")],
)(loss_at_two)
almost_by_significance = monotone(
    "LA-TXT-MONO.2[less than what the text calls significant]",
    statement=r"\text{acc}(\phi=1)-\text{acc}(\phi=2)\le2.07\text{ points, the least loss called significant}",
    headline="At factor 2 FedLAMA loses less on CIFAR-10 than the losses that the text calls significant",
    summary="In the ten blocks of Tables 6 and 7 FedLAMA with factor 2 loses at most 2.01 points; the smallest "
    "loss that the text calls significant is FedAvg's 2.07 on FEMNIST.",
    printed=dict(measure="called significant"),
    controls=[Control("the printed spreads", dict(measure="spreads"))],
)(loss_at_two)
txt_tau = table_claim(
    "LA-TXT-TAU",
    source="Section A.2, Tables 8, 11",
    statement=r"\text{acc}(6)>\text{acc}(12)>\text{acc}(24)",
    headline="FedAvg's accuracy falls with the interval in all four blocks of two tables",
    summary="In Tables 8 and 11 the accuracy falls from interval 6 to 12 to 24 in each of the four blocks, in all "
    "by 4.70 to 11.63 points.",
    printed=dict(tables=(8, 11), along="interval", start=6),
    controls=[Control("along the factor in Table 9", dict(tables=(9,), along="factor", start=1))],
)(falls)


def against_doubled_interval(factors: Sequence[int]) -> Evidence:
    """FEMNIST: does FedLAMA with these factors lose less against interval 10 than FedAvg does by doubling the interval?"""
    broken, examined = [], 0
    for lama in entries(3, 12):
        if lama.factor in factors:
            examined += 1
            alike = {entry.base: entry for entry in entries(3) if entry.factor == 1 and entry.share == lama.share}
            if alike[10].accuracy - lama.accuracy >= alike[10].accuracy - alike[20].accuracy:
                broken.append(f"{lama}; {alike[10]}; {alike[20]}")
    return judged(
        broken, examined, "FedLAMA's loss against FedAvg with interval 10, beside the loss of FedAvg with interval 20."
    )


of_femnist = table_claim.sharing(source="Sections 6.1, A.2, Tables 3, 12")
txt_femphi_factors_4_and_8_measured_by_the_l = of_femnist(
    "LA-TXT-FEMPHI[nearer to interval 10 than doubling the interval is]",
    fault="reading",
    statement=r"\phi\ge4:\ \text{acc}(10)-\text{acc}(\phi)<\text{acc}(10)-\text{acc}(20)",
    repair="LA-TXT-FEMPHI[above FedAvg with interval 40]",
    headline="FedLAMA with factor 4 or 8 can lose more on FEMNIST than FedAvg does at twice the interval",
    summary="With all clients FedLAMA with factor 4 has 84.67 % and with factor 8 84.15 %; FedAvg has 85.74 % at "
    "interval 10 and 85.08 % at interval 20.",
    printed=dict(factors=(4, 8)),
    controls=[Control("factor 2", dict(factors=(2,)), must="pass")],
)(against_doubled_interval)


def above_the_longest(factors: Sequence[int], margin: str) -> Evidence:
    """FEMNIST: is FedLAMA with these factors above FedAvg with interval 40 by ``margin`` points?"""
    pairs = [
        (lama, long)
        for lama in entries(3, 12)
        for long in entries(3)
        if lama.factor in factors and long.base == 40 and long.share == lama.share
    ]
    broken = [f"{lama}; {long}" for lama, long in pairs if lama.accuracy - long.accuracy <= Fraction(margin)]
    return judged(broken, len(pairs), "FedLAMA's accuracies beside those of FedAvg with interval 40.")


above_interval_40 = of_femnist(
    "LA-TXT-FEMPHI[above FedAvg with interval 40]",
    statement=r"\phi\ge4:\ \text{acc}(\phi)>\text{acc}(40)",
    headline="With factors 4 and 8 FedLAMA is above FedAvg with interval 40 on FEMNIST",
    summary="With factors 4 and 8 FedLAMA's accuracies on FEMNIST are 0.53 to 1.85 points above those of FedAvg with interval 40.",
    printed=dict(factors=(4, 8), margin="0"),
    controls=[Control("by more than a point", dict(margin="1"))],
)(above_the_longest)


def near_in_block(table: int, share: int, coefficient: str, than: int) -> Evidence:
    """Does FedLAMA lose less in a block of a table than FedAvg does with the interval ``than``, in Table 11?"""
    block = [one for one in entries(table) if one.share == share and one.coefficient == Fraction(coefficient)]
    base = next(one for one in block if one.factor == 1)
    other = next(one for one in entries(11) if one.base == than and one.share == share)
    broken = [f"{one}; {base}; {other}" for one in block if one.factor > 1 and one.accuracy <= other.accuracy]
    return judged(broken, len(block) - 1, f"FedLAMA in Table {table} beside FedAvg with interval {than} in Table 11.")


txt_extreme = table_claim(
    "LA-TXT-EXTREME",
    source="Section A.2, Tables 10, 11",
    statement=r"\text{acc}(\phi)>\text{acc}(12),\ \phi=2,4\text{ (25 \%, coefficient }0.1)",
    headline="At a quarter of the clients FedLAMA is above FedAvg with interval 12 on CIFAR-100",
    summary="With a quarter of the clients and coefficient 0.1 FedLAMA has 78.63 and 77.17 % (factors 2 and 4), "
    "FedAvg 79.06 % at interval 6 and 76.16 % at interval 12.",
    printed=dict(table=10, share=25, coefficient="0.1", than=12),
    controls=[Control("against interval 6", dict(than=6))],
)(near_in_block)


def reasonable(intervals: Sequence[int]) -> Evidence:
    """Does FedAvg lose more with these intervals (Table 11) than any FedLAMA line, all called comparable, does in Table 10?"""
    worst = max(
        (base.accuracy - lama.accuracy, str(lama))
        for base in entries(10)
        for lama in entries(10)
        if base.factor == 1 and lama.factor > 1 and base.group == lama.group
    )
    broken, examined = [], 0
    for base in entries(11):
        for entry in entries(11):
            if base.base == 6 and entry.base in intervals and entry.group == base.group:
                examined += 1
                if base.accuracy - entry.accuracy <= worst[0]:
                    broken.append(
                        f"{entry} loses {float(base.accuracy - entry.accuracy)}, {worst[1]} loses {float(worst[0])}"
                    )
    return judged(
        broken, examined, f"Losses of FedAvg in Table 11 beside the largest loss of FedLAMA in Table 10, {worst[1]}."
    )


of_table_11 = table_claim.sharing(source="Section A.2, Tables 10, 11")
txt_t11_intervals_12_and_24_by_the_losses_th = of_table_11(
    "LA-TXT-T11[by the losses that the text accepts for FedLAMA]",
    fault="reading",
    statement=r"\tau\ge12:\ \text{acc}(6)-\text{acc}(\tau)>\max(\text{acc}(\phi=1)-\text{acc}(\phi))",
    repair="LA-TXT-T11[below FedLAMA with factor 2]",
    headline="Interval 12 costs FedAvg less on CIFAR-100 than a loss of FedLAMA called comparable",
    summary="FedAvg loses 2.07 and 2.90 points at interval 12 (Table 11); FedLAMA with factor 4 loses up to 3.18 "
    "points in Table 10, which the text calls a comparable accuracy.",
    printed=dict(intervals=(12, 24)),
    controls=[Control("interval 24", dict(intervals=(24,)), must="pass")],
)(reasonable)


def below_fedlama(factor: int, intervals: Sequence[int]) -> Evidence:
    """Is FedAvg with these intervals (Table 11) below FedLAMA with the factor, in the same blocks of Tables 5 and 10?"""
    pairs = [
        (entry, lama)
        for entry in entries(11)
        for lama in entries(5, 10)
        if entry.base in intervals and lama.factor == factor and lama.group == entry.group
    ]
    broken = [f"{entry}; {lama}" for entry, lama in pairs if entry.accuracy >= lama.accuracy]
    return judged(broken, len(pairs), "FedAvg in Table 11 beside FedLAMA in Tables 5 and 10.")


below_factor_2 = of_table_11(
    "LA-TXT-T11[below FedLAMA with factor 2]",
    statement=r"\tau\ge12:\ \text{acc}(\tau)<\text{acc}(\phi=2)",
    headline="FedAvg with interval 12 or 24 is below FedLAMA with factor 2 on non-IID CIFAR-100",
    summary="At coefficient 0.1 FedAvg's accuracies at intervals 12 and 24 are below FedLAMA's with factor 2 in Tables 5 and 10.",
    printed=dict(factor=2, intervals=(12, 24)),
    controls=[Control("interval 6 as well", dict(intervals=(6, 12, 24)))],
)(below_fedlama)


if __name__ == "__main__":
    run_script(__file__)
