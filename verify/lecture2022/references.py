"""Tables, ranges and references of the lecture note: what can be settled by reading, and what cannot."""

from collections.abc import Sequence
from fractions import Fraction

from fltheory.evidence.decide import read
from fltheory.evidence.kinds import run_script, table_claim
from fltheory.evidence.model import Control, Evidence, Outcome, Rung

of_training_times = table_claim.sharing(source="table of training times")
of_the_venue = table_claim.sharing(source="one typed and three handwritten places")

KINDS = {"ImageClassification": "task", "ResNet50": "model", "DeepSpeech2": "model", "LibriSpeech": "data set"}


def table_layout(model: str, data: str) -> Evidence:
    """Whether the row Model names a model and the row Dataset none."""
    return read(
        KINDS[model] == "model" and KINDS[data] != "model",
        rung=Rung.READING,
        method="Kind of thing in each cell; the other column has a model above a data set.",
        examined=2,
        counterexample=f"the row Model names a {KINDS[model]} ({model}), the row Dataset a {KINDS[data]} ({data})",
    )


layout = of_training_times(
    "LEC-TABSYS.1",
    fault="slip",
    statement=r"\text{row Model: ImageClassification, row Dataset: ResNet50}",
    printed=dict(model="ImageClassification", data="ResNet50"),
    repair="LEC-TABSYS.1-R1",
    headline="Two columns of the table of training times have their entries exchanged",
    summary="The first column has its entries exchanged: ResNet50 is a model, image classification the task.",
    controls=[Control("exchanged back", dict(model="ResNet50", data="ImageClassification"), must="pass")],
)(table_layout)

layout_repaired = of_training_times(
    "LEC-TABSYS.1-R1",
    statement=r"\text{row Model: ResNet50, row Dataset: image classification data}",
    printed=dict(model="ResNet50", data="ImageClassification"),
    summary="The first column is right the other way round.",
    controls=[Control("as printed", dict(model="ImageClassification", data="ResNet50"))],
)(table_layout)


def quoted(numbers: Sequence[int], order: str, what: str, wrong: str, would_settle: str) -> Evidence:
    """Of numbers that are quoted only their order can be checked: positive and nondecreasing."""
    if not 0 < numbers[0] <= numbers[1]:
        return read(False, rung=Rung.READING, method=f"Order of the {order}.", examined=1, counterexample=wrong)
    method = f"Only the {what} can be checked."
    return Evidence(Rung.READING, Outcome.NOT_CHECKABLE, method, 1, would_settle=would_settle)


@of_training_times(
    "LEC-TABSYS.2",
    headline="The table's measured training times come from sources outside this check",
    statement=r"8\text{ GPUs: }115\text{ minutes};\ 16\text{ GPUs: }3\text{--}5\text{ days}",
    printed=dict(days=(3, 5)),
    summary="The table shows measured training times of two external sources.",
    controls=[Control("range 5-3 days", dict(days=(5, 3)))],
)
def table_times(days: tuple[int, int]) -> Evidence:
    settled = "the MLPerf 0.6 training results and the DeepSpeech 2 paper"
    return quoted(days, "range", "form of the entries", f"{days[0]}-{days[1]} days is no range", settled)


@table_claim(
    "LEC-XDEV.1",
    headline="The orders of magnitude on the cross-device slide fit together, not in every corner",
    statement=r"10^5\ldots10^7\text{ participants}\cap500\ldots10^4\text{ rounds}\times50\ldots5000\text{ "
    r"devices}\neq\emptyset",
    printed=dict(participants=(10**5, 10**7)),
    source="cross-device slide",
    summary="The orders of magnitude fit together, though not in every corner: 500 rounds of 50 devices reach at most "
    "25,000 devices.",
    controls=[Control("10^8 to 10^9 participants", dict(participants=(10**8, 10**9)))],
)
def cross_device(participants: tuple[int, int]) -> Evidence:
    rounds, devices, population, days = (500, 10_000), (50, 5_000), (10**6, 10**10), (1, 10)
    reach = (rounds[0] * devices[0], rounds[1] * devices[1])
    return read(
        participants[0] <= reach[1] and participants[1] <= reach[1] and participants[0] <= population[1],
        rung=Rung.READING,
        method="Participants are at most rounds times devices per round, and at most the population.",
        examined=3,
        numbers={
            "rounds x devices": reach,
            "seconds per round": (Fraction(days[0] * 86400, rounds[1]), Fraction(days[1] * 86400, rounds[0])),
        },
        counterexample=f"at most {reach[1]} devices can take part in {rounds[1]} rounds of {devices[1]}, "
        f"{participants[1]} are stated",
    )


@table_claim(
    "LEC-XDEV.2",
    headline="The ranges of the cross-device slide come from a survey outside this check",
    statement=r"\text{ranges as in the cited survey}",
    printed=dict(rounds=(500, 10_000)),
    source="cross-device slide",
    summary="The ranges are attributed to a survey (Kairouz et al.).",
    controls=[Control("10000-500 rounds", dict(rounds=(10_000, 500)))],
)
def cross_device_source(rounds: tuple[int, int]) -> Evidence:
    settled = "the table of typical figures in arXiv:1912.04977"
    return quoted(rounds, "range", "form of the entries", f"{rounds[0]}-{rounds[1]} is no range", settled)


@table_claim(
    "LEC-QUOTE",
    headline="A quotation whose source is outside this check; its two years are compatible",
    statement=r"\text{term coined in 2016 (arXiv), quoted from AISTATS 2017}",
    printed=dict(coined=2016),
    source="federated learning slide",
    summary="A quotation and its year; the two years are compatible (preprint, then proceedings).",
    controls=[Control("coined in 2018", dict(coined=2018))],
)
def quotation(coined: int) -> Evidence:
    settled = "the cited paper (McMahan et al.) in its preprint and proceedings versions"
    return quoted(
        (coined, 2017), "years", "order of the years", f"coined {coined}, quoted from a text of 2017", settled
    )


#: How the note cites the paper on two-sided rates, as transcribed; only the first place is typed.
TYPED = {"non-i.i.d. slide, typed": "ICLR'21"}
DUMPED = {"FedAvg slide": "ICML'21", "two-sided page": "ICLR'21", "Corollary 4": "ICML'11"}
AS_TYPED = {"FedAvg slide": "ICLR'21", "Corollary 4": "ICLR'21"}


def venue(handwriting: dict[str, str]) -> Evidence:
    """Whether all citations of the paper on two-sided rates name one venue."""
    named = {**TYPED, **DUMPED, **handwriting}
    return read(
        len(set(named.values())) == 1,
        rung=Rung.READING,
        method="Compare the handwritten citations of one paper with each other and with the typed one.",
        examined=len(named),
        numbers=named,
        counterexample="; ".join(f"{place}: {text}" for place, text in named.items()),
    )


venue_dumped = of_the_venue(
    "LEC-VENUE[handwriting as dumped]",
    fault="transcription",
    statement=r"\text{one venue for Yang, Fang, Liu in four places}",
    printed=dict(handwriting={}),
    repair="LEC-VENUE[handwriting read as the typed citation]",
    headline="As transcribed three citations of one paper name different venues",
    summary="As transcribed the three handwritten citations name three venues; two of them differ from the typed one, "
    "by two and three characters. That may be the transcription's, and the original would tell.",
    controls=[Control("handwriting read as the typed ICLR'21", dict(handwriting=AS_TYPED), must="pass")],
)(venue)

venue_typed = of_the_venue(
    "LEC-VENUE[handwriting read as the typed citation]",
    headline="With the handwriting read as the typed citation the note names one venue",
    statement=r"\text{ICLR'21 in four places}",
    printed=dict(handwriting=AS_TYPED),
    summary="With the handwriting read as the typed citation, ICLR'21, the note agrees with itself; the proceedings "
    "themselves are outside this check.",
    controls=[Control("Corollary 4 as transcribed", dict(handwriting={"FedAvg slide": "ICLR'21"}))],
)(venue)


if __name__ == "__main__":
    run_script(__file__)
