"""Section 3 of Augenstein et al. (2022): fine-tuning forgets the data of the pre-training, mixed FL does not.

On eight examples of logistic regression, exactly, and on digits (committed results of
``figures/experiments/mixed_smile_forgetting.py``): trained on the server's data, then for as many rounds on the clients'
alone, or by 1-way GT on both.  The text says of mixed FL that it seeks good inference on all distributions; read here:
it loses less than half of the accuracy on the server's data that fine-tuning loses.
"""

from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

from fltheory.evidence.decide import read
from fltheory.evidence.kinds import experiment_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.experiments.files import Array, Result
from fltheory.experiments.paired import committed, until
from verify.mixed2022.analogues import SMILE
from verify.mixed2022.experiments_comparisons import judged
from verify.mixed2022.experiments_smile_task import described
from verify.mixed2022.label_split import accuracy, decimal, loss, run

EXPERIMENT = "mixed_smile_forgetting"
SETS = ("digits logistic",)
DIVISIONS = ("labels", "classes")
of_section_3 = experiment_claim.sharing(source="Section 3", analogue=SMILE)


@qualitative_of_an_instance(
    "MX-FORGET.1",
    headline="On eight examples 1-way transfer forgets less than half of what fine-tuning does",
    statement=r"0 \le a_c(\text{before})-a_c(\text{mixed}) < \tfrac12\,(a_c(\text{before})-a_c(\text{fine-tuned}))",
    source="Section 3",
    summary="Eight examples of logistic regression, opposite labels on the two sides, trained on the central ones: 50 rounds on "
    "the federated ones lose accuracy on the central ones, 50 rounds of 1-way GT less than half as much.",
    printed=dict(fine_tuning="federated only", mixed="1-w GT", rounds=50),
    controls=[
        Control("the two exchanged", dict(fine_tuning="1-w GT", mixed="federated only")),
        Control("fine-tuning on the central data", dict(fine_tuning="central only")),
    ],
)
def eight_examples(fine_tuning: str, mixed: str, rounds: int) -> Evidence:
    """Signs of scores in interval arithmetic; mixed FL must lose less than half of what fine-tuning loses."""
    rate, steps = Fraction(1, 2), 2
    before = run("central only", rate, steps, rounds)[-1]
    models = [before, *(run(name, rate, steps, rounds, before)[-1] for name in (fine_tuning, mixed))]
    start, after, kept = (accuracy("central", w) for w in models)
    numbers: dict[str, object] = {
        f"{side} accuracy before, fine-tuned, mixed": ", ".join(str(accuracy(side, w)) for w in models)
        for side in ("central", "federated")
    }
    for name, w in zip(("before", "fine-tuned", "mixed"), models, strict=True):
        numbers[f"central loss {name}"] = decimal(loss("central", w))
    text = f"eta = 1/2, K = 2: accuracy on the central data {start} before, {after} after {fine_tuning}, {kept} after {mixed}"
    return read(
        0 <= start - kept < (start - after) / 2,
        rung=Rung.EXACT,
        method="Signs of all scores in interval arithmetic with outward rounding.",
        examined=12,
        margin=float((start - after) / 2 - (start - kept)),
        numbers=numbers,
        counterexample=text,
        valid_for=f"eta = 1/2, K = 2, {rounds} rounds before and after, no noise, start zero, ridge 0.005 |w|^2 in each loss",
    )


def _accuracy(result: Result, data: str, division: str, name: str, part: float = 1.0) -> Array:
    """On the server's side, after that part of the rounds."""
    return np.asarray(until(result[f"{data}/{division}, {name}"], part)[:, -1, 1], dtype=np.float64)


in_divisions = partial(
    judged,
    described,
    sets=SETS,
    extra="K=2, eta=0.3, as many rounds before. ",
    sides="Odd or even federated (labels), or the digits 5 to 9 (classes); the others central",
)


@of_section_3(
    "MX-FORGET.2",
    headline="On digits fine-tuning on the clients loses accuracy on the server's data",
    statement=r"a_c(\text{fine-tuned}) < a_c(\text{before}) - 0.05",
    summary="Digits, logistic regression: fine-tuning on the clients loses accuracy on the server's data (more than 0.05), where "
    "the two sides have opposite labels and where they have other digits with both labels.",
    printed=dict(after="fine-tuned", loss=0.05),
    controls=[
        Control("no training in between", dict(after="before")),
        Control("a loss of more than one half", dict(loss=0.5)),
    ],
)
def forgets(after: str, loss: float) -> Evidence:
    """Accuracy on held-out examples of the server's side before and after."""
    result = committed(EXPERIMENT)
    gaps = []
    for data, division in product(SETS, DIVISIONS):
        then, before = (_accuracy(result, data, division, name) for name in (after, "before"))
        gaps.append((f"opposite {division}: accuracy {after} minus before", data, then - before, -loss))
    numbers = {
        f"{division}, {name}: median accuracy, clients' and server's side": ", ".join(
            f"{x:.3f}" for x in np.median(result[f"{data}/{division}, {name}"][:, -1], axis=0)
        )
        for data, division, name in product(SETS, DIVISIONS, ("before", "fine-tuned", "mixed"))
    }
    method = "Accuracy on the server's side after the last round."
    return in_divisions(gaps, result, method=method, numbers=numbers)


@of_section_3(
    "MX-FORGET.3",
    headline="On digits mixed learning forgets less than half of what fine-tuning forgets",
    statement=r"a_c(\text{before})-a_c(\text{mixed}) < \tfrac12\,(a_c(\text{before})-a_c(\text{fine-tuned}))",
    summary="On the same data and from the same model, mixed FL loses less than half of the accuracy on the server's data that "
    "fine-tuning loses, also if fine-tuning has only half of the rounds (its step on the federated loss is twice that of mixed "
    "FL, which weighs it by one half).",
    printed=dict(kept="mixed", lost="fine-tuned", share=0.5),
    controls=[Control("the two exchanged", dict(kept="fine-tuned", lost="mixed"))],
)
def keeps(kept: str, lost: str, share: float) -> Evidence:
    """Losses of accuracy on the server's side, paired."""
    result = committed(EXPERIMENT)
    gaps = []
    for data, division, part in product(SETS, DIVISIONS, (0.5, 1.0)):
        before, first = (_accuracy(result, data, division, name) for name in ("before", kept))
        gap = (before - first) - share * (before - _accuracy(result, data, division, lost, part))
        name = f"opposite {division}: loss of {kept} minus {share:g} times that of {lost} in {part:g} of the rounds"
        gaps.append((name, data, gap, 0.0))
    return in_divisions(gaps, result, method="Losses of accuracy on the server's side up to the end.")


if __name__ == "__main__":
    run_script(__file__)
