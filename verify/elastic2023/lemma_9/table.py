"""The table of Lemma 9: the least final value and the best constant for R = 1..50 rounds and K = 2, 5, 10 local
steps."""

from collections.abc import Mapping

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import lower_bound_claim, run_script, table_of_an_instance
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.elastic2023.lower_bound import limit_of_the_constant
from verify.elastic2023.lemma_9.least import one_digit_off, table_matches
from verify.elastic2023.lemma_9.optimal_errors import LOCAL_STEPS, RECURSION

_STATEMENT = (
    r"c(R,K)=\frac{\mu R}{G}\min_{\eta_1,\dots,\eta_R}x^R\ \text{ from }x^0=\tfrac{G}{\mu R},\quad R=1,\dots,50:\quad "
    r"c(R,2)=\tfrac15,\quad c(50,5)=%s\dots,\quad c(50,10)=%s\dots"
)


@table_of_an_instance(
    "EL-LEM9-S3",
    source="Lemma 9, (21)",
    statement=_STATEMENT % tuple(entry[:17] for entry in RECURSION[50][1:]),
    headline="The best constant of the lemma for up to 50 rounds, to 20 digits",
    summary="The least x^R over all sequences of step sizes up to 1/(2 mu), from x^0 = G/(mu R), for R = 1 to 50 "
    "rounds and K = 2, 5 and 10 local steps, in the unit G/(mu R), with 20 digits. This is the best constant c(R, K), "
    "as that start is the worst. For K = 2 it is 1/5 for every R; for K = 5 and 10 it falls towards 2/7 and 9/29.",
    depends=("EL-LEM9-S1", "EL-LEM9-S4"),
    quick=False,
    printed=dict(kept="as kept"),
    controls=[
        Control("the last digit of one entry changed", dict(kept="a digit off")),
        Control("R one less", dict(kept="R one less")),
    ],
)
def table(kept: str) -> Evidence:
    return table_matches(
        changed(RECURSION, kept), LOCAL_STEPS, of_the_pair=False, limits=[limit_of_the_constant(k) for k in LOCAL_STEPS]
    )


def changed(entries: Mapping[int, tuple[str, str, str]], kept: str) -> Mapping[int, tuple[str, str, str]]:
    """A table as it is kept, or spoilt."""
    if kept == "a digit off":
        return one_digit_off(entries, 17, 1)
    if kept == "R one less":
        return {rounds - 1: found for rounds, found in entries.items() if rounds > 1}
    return entries


worst_start = statement_of_algebra(
    "EL-LEM9-S4",
    Relations(
        "P + K*(1 - q) - 1 >= 0; (s*z)*P + rest >= s*(z*P + rest); (z + d)*P + rest >= z*P + rest "
        "for 0 <= q <= 1; K >= 2; P >= 0; rest = P + K*(1 - q) - 1; 0 <= s <= 1; z >= 0; d >= 0; P >= 1 - K*(1 - q)",
        uses={0: {"P >= 1 - K*(1 - q)": "1"}, 1: {"P >= 1 - K*(1 - q)": "1 - s"}},
        names={"rest": r"\delta", "z": r"\tfrac{4\mu}Gx^{r-1}"},
    ),
    false={
        "a larger share, s up to 2": ("0 <= s <= 1", "0 <= s <= 2"),
        "one step, so that q may be the power": ("P >= 1 - K*(1 - q)", "P >= -K*(1 - q)"),
    },
    elsewhere="We know of no earlier statement of it. The pair of functions is that of Karimireddy et al. (2020, SCAFFOLD).",
    group=lower_bound_claim,
    source="Lemma 9, (21)",
    says=r"P=q^K:\quad ",
    headline="The start G over mu R is the worst one for the constant of the lemma",
    summary="A round of (21) with equality maps s x to at least s times what it makes of x, 0 <= s <= 1, and is "
    "increasing in x. So the ratio of x^R and min(x^0, G/(mu R)) is least at x^0 = G/(mu R), for every sequence of "
    "step sizes up to 1/(2 mu).",
    prose="the hypothesis on P is Bernoulli's inequality, and the ratio falls up to that start and grows after it",
)


if __name__ == "__main__":
    run_script(__file__)
