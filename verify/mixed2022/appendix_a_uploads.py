"""Appendix A.2 of Augenstein et al. (2022): is the mean client gradient known from what is uploaded anyway?

Yes where the server sees each client's change and weight and batches have one size; yes from the weighted average alone
where all clients make equally many steps; no from weighted sums with unequal steps.  Undetermined means: two cohorts with
the same visible data and different mean gradients.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from fltheory.evidence.decide import Tried, decide, read
from fltheory.evidence.kinds import qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence, Outcome
from fltheory.theory.steps import Step, identity
from verify.mixed2022.updates import eta, induction, u

K, M, P, T, S, W, batch, n = sp.symbols("K K_total p_total S_total S_i W b n", positive=True)
ETA = Fraction(1, 2)


def cohorts(
    steps: str, batches: str, momentum: str
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], tuple[Any, ...]]]:
    """Small cohorts of two clients: steps, batch sizes and each client's gradients (gt_c = 0)."""
    counts = [(1, 1), (2, 2)] if steps == "equal" else [(1, 2), (2, 1), (1, 1), (2, 2)]
    sizes = [(1, 1)] if batches == "one size" else [(1, 1), (2, 1), (1, 2), (2, 2)]
    for many, size in product(counts, sizes):
        for values in product((0, 1, 2, 3), repeat=sum(many)):
            yield many, size, (values[: many[0]], values[many[0] :])


def seen(
    visible: str, many: tuple[int, ...], size: tuple[int, ...], values: tuple[Any, ...], momentum: Fraction
) -> Any:
    """What the server receives: Delta_i and p_i of each client, or sums weighted by p_i; and K where it is fixed."""
    changes = []
    for own in values:
        memory, moved = Fraction(0), Fraction(0)
        for gradient in own:
            memory = momentum * memory + gradient
            moved -= ETA * memory
        changes.append(moved)
    weights = [k * b for k, b in zip(many, size, strict=True)]
    pairs = tuple(zip(changes, weights, strict=True))
    return pairs if visible == "each" else (sum((p * d for d, p in pairs), Fraction(0)), sum(weights))


def collision(visible: str, steps: str, batches: str, momentum: str) -> tuple[str, int]:
    """Two cohorts that look alike and have different mean gradients."""
    known: dict[Any, tuple[Fraction, str]] = {}
    examined = 0
    for many, size, values in cohorts(steps, batches, momentum):
        examined += 1
        mean = Fraction(sum(sum(own) for own in values), sum(many))
        text = f"K_i={many}, batch sizes {size}, gradients {values}: mean {mean}"
        key = (seen(visible, many, size, values, Fraction(momentum)), many if steps == "equal" else None)
        before, other = known.setdefault(key, (mean, text))
        if before != mean:
            return f"eta=1/2, gt_c=0, same visible data {tuple(map(str, key[0]))}: {other}; {text}", examined
    return "", examined


def formula(visible: str, steps: str, batches: str, momentum: str) -> list[Step]:
    """The mean gradient S_total/K_total from visible data, where a formula is known."""
    found = [*induction(eta, u)] if Fraction(momentum) == 0 else [Step("client SGD", False, "client momentum")]
    if visible == "each" and batches == "one size":
        sum_of_changes = -eta * (T + M * u)
        added = -eta * (S + K * u)
        found.append(identity("one more client", sum_of_changes + added, -eta * (T + S + (M + K) * u)))
        found.append(identity("K_i = p_i/b", -sum_of_changes / (eta * (batch * M) / batch) - u, T / M))
    elif steps == "equal" and batches == "one size":
        weighted = batch * K * (-eta * (T + n * K * u))
        found.append(identity("weights b K", -(weighted / (n * batch * K)) / (eta * K) - u, T / (n * K)))
    else:
        found.append(Step("a formula in what is visible", False, "none known"))
    return found


FORMULAS = {
    "each": "gbar_f = -sum_i Delta_i/(eta sum_i p_i/b) - gt_c, from each client's Delta_i and p_i",
    "sums": "gbar_f = -sum_i p_i Delta_i/(eta K sum_i p_i) - gt_c, from the two sums where all K_i = K",
}


def upload(visible: str, steps: str, batches: str, momentum: str) -> Evidence:
    """Holds by a formula of what the server sees, refuted by two cohorts that look alike."""
    proof = formula(visible, steps, batches, momentum)
    found, examined = collision(visible, steps, batches, momentum)
    how = "two cohorts with the same visible data and different mean gradients"
    return decide(
        proof,
        Tried(examined, found, how=how),
        method="a formula in what the server sees (induction over steps and clients); all cohorts of two "
        "clients with gradients 0, 1, 2, 3 searched for a collision",
        valid_for="every cohort, K_i, d, eta",
        would_settle="a formula, or two cohorts that look alike",
    )


without_shares = qualitative_claim.sharing(source="Appendix A.2, with secure aggregation")
STATEMENT = r"\bar g_f^{(t)}=\frac{\sum_i\sum_kg_i(x_i^{(t,k)})}{\sum_iK_i}\text{ is a function of }"

OTHERS = [
    Control("batches of different sizes", dict(batches="any")),
    Control("client momentum 1/2", dict(momentum="1/2")),
]
each_client = qualitative_claim(
    "MX-A2-UPLOAD",
    source="Appendix A.2",
    statement=STATEMENT + r"(\Delta_i,p_i)_i,\ p_i=bK_i",
    assumptions=("client SGD", "all batches of one known size b"),
    printed=dict(visible="each", steps="unequal", batches="one size", momentum="0"),
    summary="With each client's change and weight at hand and batches of one known size b, K_i = p_i/b, and nothing more is "
    "needed, for unequal steps too.",
    controls=[*OTHERS, Control("weighted sums only", dict(visible="sums"))],
)(upload)
equal_steps = without_shares(
    "MX-A2-UPLOAD-S1",
    statement=STATEMENT + r"\textstyle\sum_ip_i\Delta_i,\ \sum_ip_i\text{ for }K_i=K",
    printed=dict(visible="sums", steps="equal", batches="one size", momentum="0"),
    headline="With equal steps the securely formed aggregate is enough for gradient transfer",
    summary="With equal numbers of steps of equal batches the aggregate that FedAvg forms anyway (securely, say) is enough.",
    controls=[Control("unequal steps", dict(steps="unequal")), *OTHERS],
)(upload)


@without_shares(
    "MX-A2-UPLOAD-S2",
    statement=r"\bar g_f^{(t)}\text{ is no function of }\textstyle\sum_ip_i\Delta_i,\ \sum_ip_i\text{ for unequal }K_i",
    printed=dict(visible="sums", steps="unequal", batches="one size", momentum="0"),
    headline="With unequal steps the aggregated model does not determine the transferred gradient",
    summary="With unequal steps the two sums that are formed for the model do not determine it: formula (10) needs the plain "
    "sum of changes (and of steps) beside the weighted one. The appendix speaks of each client's upload, not of sums.",
    controls=[
        Control("equal steps", dict(steps="equal")),
        Control("each client's change and weight", dict(visible="each")),
    ],
)
def unequal_steps(visible: str, steps: str, batches: str, momentum: str) -> Evidence:
    """Holds if two cohorts look alike and differ in the mean; refuted by a formula."""
    found = upload(visible, steps, batches, momentum)
    if found.outcome is Outcome.NOT_REFUTED:
        return found
    alike = found.outcome is Outcome.REFUTED
    return read(
        alike,
        method=found.method if alike else "a formula in what the server sees",
        examined=collision(visible, steps, batches, momentum)[1],
        numbers={"pair": found.counterexample} if alike else {},
        counterexample=FORMULAS[visible],
        valid_for="cohorts of two clients or more",
    )


if __name__ == "__main__":
    run_script(__file__)
