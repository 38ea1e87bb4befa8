"""Lemma 5.1 of FedLAMA for rounds of one and two local steps: its printed constants, with F at the end of the last round."""

from __future__ import annotations

from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.fedlama2021 import lemma_5_1 as stated
from verify.fedlama2021.lemma_5_1 import ASSUMPTIONS, AVERAGE_STAYS, CONTROLS, EVERY, PRINTED, UP_TO_TWO, proved, short


@expectation_claim(
    "LA-LEM51-R3",
    quick=False,
    statement=stated.SHORT_ROUNDS,
    source="Lemma 5.1",
    proof_steps=("LA-EQ17", "LA-EQ18", "LA-LEM51-TEL"),
    headline="Up to two local steps the lemma holds with F at the end and its printed constants",
    summary="With F(u_0) - E F(u_T), distances over j = 0, ..., tau - 1 as in its proof and independent clients the lemma "
    "holds with its printed constants for rounds of one and of two local steps, with any layers averaged in between; for "
    "twelve it does not (LA-EQ19.2).",
    prose="one local step, and two with eta up to 1/(3L) or from there to 1/(2L): three derivations, one for each case",
    printed=PRINTED,
    controls=[*CONTROLS[:2], Control("2/5 of the distances", dict(S="2/5")), CONTROLS[3]],
    assumptions=(*ASSUMPTIONS, AVERAGE_STAYS, "all clients start every round at u_t"),
)
def short_rounds(decrease: str, sigma: str, S: str, shared: str) -> Evidence:
    """One local step, and two of either size, summed over the rounds."""
    scripts = UP_TO_TWO if short(stated.SHORT_ROUNDS) else EVERY
    return proved(scripts, False, stated.SHORT_ROUNDS, decrease=decrease, sigma=sigma, S=S, shared=shared)


if __name__ == "__main__":
    run_script(__file__)
