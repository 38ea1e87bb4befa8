"""Table 2 of Li et al. (2020) and the figure references of Appendix D.2, settled by arithmetic and by reading."""

from fractions import Fraction
from math import floor
from typing import Any

from fltheory.evidence.decide import read
from fltheory.evidence.kinds import definition_in_words, run_script, table_claim
from fltheory.evidence.model import Control, Evidence, Rung

#: rows of Table 2 as printed: (devices, training samples, mean, std)
TABLE_2 = {
    "MNIST balanced": (100, 54200, 542, 0),
    "MNIST unbalanced": (100, 62864, 628, 800),
    "synthetic(0,0)": (100, 42522, 425, 1372),
    "synthetic(1,1)": (100, 27348, 273, 421),
}


def _judge(holds: bool, method: str, examined: int, broken: str, margin: float | None = None, **more: Any) -> Evidence:
    """A reading that came out one way or the other."""
    return read(
        holds, method=method, examined=examined, counterexample=broken, rung=Rung.READING, margin=margin, **more
    )


def _row(name: str, mean: int, rule: str) -> Evidence:
    """Is the printed mean n/N by the rule, and is the spread possible for nonnegative counts with that mean?"""
    devices, samples, _, std = TABLE_2[name]
    exact = Fraction(samples, devices)
    by_rule = floor(exact) if rule == "truncated" else floor(exact + Fraction(1, 2))
    # Counts in [0, n] with mean m have variance at most m (n - m) (all samples on one device).
    possible = std**2 <= exact * (samples - exact) and (std > 0 or exact.denominator == 1)
    holds = by_rule == mean and possible
    return _judge(
        holds,
        f"n/N = {exact}, {rule}" + ("; the spread is possible for nonnegative counts." if holds else ""),
        3,
        f"{samples}/{devices} = {float(exact)}: {rule} to {by_rule}, claimed {mean}",
        None if holds else -float(abs(mean - by_rule)) / by_rule,
        numbers={"n/N": str(exact), "coefficient of variation": round(std / float(exact), 3)},
    )


row_claim = table_claim.sharing(source="Table 2")


#: Rows whose mean is cut off and whose spread is possible: id, name, the same in a sentence, printed mean.
cut_off = [
    row_claim(
        row,
        statement=rf"\text{{{name}: }} n/N = {mean}",
        headline=f"{said} in the table: the mean is cut off, and the spread is possible",
        summary=f"{name}: the printed mean is n/N with the fraction cut off, and the printed spread is possible.",
        printed=dict(name=name, mean=mean, rule="truncated"),
        controls=[Control("planted mean, one more", dict(mean=mean + 1))],
    )(_row)
    for row, name, said, mean in (
        ("LI-TAB2-1..4.1", "MNIST balanced", "Balanced MNIST", 542),
        ("LI-TAB2-1..4.3", "synthetic(0,0)", "synthetic(0,0)", 425),
        ("LI-TAB2-1..4.4", "synthetic(1,1)", "synthetic(1,1)", 273),
    )
]

tab2_2_truncated = row_claim(
    "LI-TAB2-1..4.2[mean cut off]",
    statement=r"\lfloor62864/100\rfloor=628",
    summary="MNIST unbalanced: 628 is 628.64 with the fraction cut off.",
    printed=dict(name="MNIST unbalanced", mean=628, rule="truncated"),
    controls=[Control("planted mean 627", dict(mean=627))],
)(_row)

tab2_2_rounded = row_claim(
    "LI-TAB2-1..4.2[mean rounded]",
    fault="reading",
    statement=r"62864/100=628.64\text{ is rounded to }628",
    repair="LI-TAB2-1..4.2-R1",
    headline="The mean number of samples is cut off, not rounded",
    summary="MNIST unbalanced: rounded to the nearest integer the mean is 629.",
    printed=dict(name="MNIST unbalanced", mean=628, rule="rounded"),
    controls=[Control("629", dict(mean=629), must="pass")],
)(_row)

tab2_2_repaired = table_claim(
    "LI-TAB2-1..4.2-R1",
    source="repairs Table 2",
    statement=r"62864/100 = 628.64 \approx 629",
    summary="MNIST unbalanced: the mean is 628.64, rounded 629.",
    printed=dict(name="MNIST unbalanced", mean=629, rule="rounded"),
    controls=[Control("planted mean 630", dict(mean=630))],
)(_row)


def _possible(images: int) -> Evidence:
    """Whether the data set has as many images as the row counts samples."""
    samples = TABLE_2["MNIST unbalanced"][1]
    holds = samples <= images
    method = "No more samples than images." if holds else "Compared with the number of images."
    return _judge(holds, method, 1, f"{samples} > {images}", images / samples - 1)


images_claim = table_claim.sharing(source="Table 2 with Section 6")

tab2_2_pooled = images_claim(
    "LI-TAB2-1..4.2[drawn from all 70000 images]",
    headline="The table's count of images is possible if training and test images are pooled",
    statement=r"n = 62864 \le 70000",
    summary="MNIST unbalanced: 62,864 training samples are possible if training and test images are pooled and split "
    "anew.",
    printed=dict(images=70000),
    controls=[Control("60000 images", dict(images=60000))],
)(_possible)

tab2_2_training = images_claim(
    "LI-TAB2-1..4.2[drawn from the 60000 training images]",
    fault="reading",
    statement=r"n = 62864 \le 60000",
    headline="The table counts more training images than the named source has",
    summary="MNIST unbalanced: more training samples than MNIST's own training part has images, so that part is not "
    "the source.",
    repair="LI-TAB2-1..4.2[drawn from all 70000 images]",
    printed=dict(images=60000),
    controls=[Control("all 70000 images", dict(images=70000), must="pass")],
)(_possible)


@table_claim(
    "LI-MOSTUNB",
    headline="The two synthetic sets are the most unbalanced by their relative spread",
    source="D.2 with Table 2",
    statement=r"\text{std}/\text{mean}: 3.23, 1.54 > 1.27, 0",
    summary="The two synthetic sets are the most unbalanced of the four: true for std/mean (3.23 and 1.54 against "
    "1.27 and 0).",
    printed=dict(measure="std/mean"),
    controls=[Control("by std alone: MNIST unbalanced (800) exceeds synthetic(1,1) (421)", dict(measure="std"))],
)
def most_unbalanced(measure: str) -> Evidence:
    """The smaller of the synthetic sets against the larger of the others."""
    values = {n: (Fraction(s, m) if measure == "std/mean" else Fraction(s)) for n, (_, _, m, s) in TABLE_2.items()}
    synthetic = min(v for n, v in values.items() if n.startswith("synthetic"))
    others = max(v for n, v in values.items() if not n.startswith("synthetic"))
    return _judge(
        synthetic > others,
        f"{measure} of the four rows of Table 2",
        4,
        f"{measure}: smallest synthetic {float(synthetic):.3g}, largest other {float(others):.3g}",
        float(synthetic / others - 1),
        numbers={n: round(float(v), 3) for n, v in values.items()},
    )


#: what each panel of Figure 1 shows, by its captions
PANELS = {"1a": "impact of E", "1b": "impact of K", "1c": "schemes, balanced MNIST", "1d": "schemes, unbalanced MNIST"}


def _reference(target: str) -> Evidence:
    """Whether a figure shows what the text says that it shows."""
    about = "schemes, unbalanced MNIST"
    right = next(panel for panel, what in PANELS.items() if what == about)
    return _judge(
        target == right,
        f"Figure {target} shows: {about}." if target == right else "caption against text",
        1,
        f"Figure {target} shows the {PANELS[target]}; {about} is Figure {right}",
    )


reference = definition_in_words(
    "LI-D2-XREF",
    fault="slip",
    source="D.2",
    statement=r"\text{Scheme II on unbalanced MNIST: Figure 1b}",
    repair="LI-D2-XREF-R1",
    headline="The text refers to a panel that shows something else",
    summary="The text sends the reader to Figure 1b for Scheme II on unbalanced MNIST; that panel shows the impact of "
    "K.",
    printed=dict(target="1b"),
    controls=[Control("Figure 1d", dict(target="1d"), must="pass")],
)(_reference)

reference_repaired = definition_in_words(
    "LI-D2-XREF-R1",
    source="repairs D.2",
    statement=r"\text{Scheme II on unbalanced MNIST: Figure 1d}",
    summary="Corrected: Scheme II on unbalanced MNIST is in Figure 1d.",
    printed=dict(target="1d"),
    controls=[Control("Figure 1c", dict(target="1c"))],
)(_reference)


if __name__ == "__main__":
    run_script(__file__)
