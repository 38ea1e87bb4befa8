"""Appendix A.2 of Augenstein et al. (2022): is the mean client gradient known from what is uploaded anyway?

Yes where the server sees each client's change and weight and batches have one size; yes from the weighted average alone
where all clients make equally many steps; no from weighted sums with unequal steps.  Undetermined means: two cohorts with
the same visible data and different mean gradients.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from fltheory.derivation.replay import Underivable
from fltheory.evidence.decide import Tried
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence, Outcome
from fltheory.evidence.witness import Witness
from fltheory.kinds import JSON
from verify.mixed2022.appendix_a import LETTERS, cohort
from verify.mixed2022.derivations.listings import clients, listing
from verify.mixed2022.displays import Display

ETA = Fraction(1, 2)


Cohort = tuple[tuple[int, ...], tuple[int, ...], tuple[Any, ...]]


def cohorts(steps: str, batches: str) -> Iterator[Cohort]:
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


def collision(visible: str, steps: str, batches: str, momentum: str) -> tuple[Witness | None, int]:
    """Two cohorts that look alike and have different mean gradients."""
    known: dict[Any, Cohort] = {}
    examined = 0
    for each in cohorts(steps, batches):
        examined += 1
        many, size, values = each
        key = (seen(visible, many, size, values, Fraction(momentum)), many if steps == "equal" else None)
        before = known.setdefault(key, each)
        if mean_of(*before) != mean_of(*each):
            return alike(visible, momentum, before, each), examined
    return None, examined


def mean_of(many: tuple[int, ...], _: tuple[int, ...], values: tuple[Any, ...]) -> Any:
    return sum((g for own in values for g in own), sp.Integer(0)) / sum(many)


def alike(visible: str, momentum: str, first: Cohort, second: Cohort) -> Witness:
    """What is visible is the same, and the mean gradients are not: both in letters, with their values."""
    at: dict[str, Fraction] = {}
    sides = []
    for letter, (many, size, values) in (("a", first), ("b", second)):
        named = []
        for i, own in enumerate(values, 1):
            names = [f"{letter}_{i}_{k}" for k in range(len(own))]
            at |= dict(zip(names, map(Fraction, own), strict=True))
            named.append(tuple(map(sp.Symbol, names)))
        data = seen(visible, many, size, tuple(named), Fraction(momentum))
        flat = [one for pair in data for one in pair] if visible == "each" else list(data)
        sides.append((flat, mean_of(many, size, tuple(named)), f"K_i={many}, batch sizes {size}"))
    same = [(left, "=", right) for left, right in zip(sides[0][0], sides[1][0], strict=True) if left != right]
    setting = f"eta=1/2, gt_c=0; gradients a of clients with {sides[0][2]}, b of clients with {sides[1][2]}"
    return Witness(at, sides[0][1], "=", sides[1][1], same, setting)


#: The mean gradient from what is visible: each client's change and weight p_i = b K_i, or their sums for equal steps.
FORMULAS = {
    "each": "T*mean(g, k, t)/steps = -(b*D/(eta*(b*steps))) - u",
    "sums": "mean(g, k, t) = -((b*K)*D/(eta*K*(b*K))) - u",
}
NAMES = {
    **LETTERS,
    "K": "K",
    "D": r"\frac1S\sum_i\Delta_i",
    "b*K*D": r"\frac1S\sum_ip_i\Delta_i",
    "b*steps": r"\frac1S\sum_ip_i",
    "b*K": r"\frac1S\sum_ip_i",
    "T*mean(g, k, t)/steps": r"\bar g_f^{(t)}",
    "mean(g, k, t)": r"\bar g_f^{(t)}",
}


def formula(visible: str, text: str) -> Mapping[str, JSON]:
    """The formula derived from the clients' loops."""
    if visible == "each":
        d, facts = cohort("1"), {"D": "-1/(eta*steps)"}
    else:
        d, facts = listing("Appendix A, a cohort with equal steps"), {"D": "-1/(eta*K)"}
        d.vector("u")
        clients(d, "u")
    d.parameter("b", 1)
    (_, _, form, relation), *_ = Display(text, NAMES).forms(d)
    d.combine("formula", form, facts=facts, relation=relation)
    return d.concluding("formula")


def upload(visible: str, steps: str, batches: str, momentum: str) -> Evidence:
    """Holds by a formula of what the server sees, refuted by two cohorts that look alike."""

    def script() -> Mapping[str, JSON]:
        if batches != "one size" or Fraction(momentum) or (visible == "sums" and steps != "equal"):
            raise Underivable("no formula in what is visible is known")
        return formula(visible, FORMULAS[visible])

    witness, examined = collision(visible, steps, batches, momentum)
    return by_derivation(
        script,
        replace(tried(witness), examined=examined) if witness else Tried(examined),
        method="A formula in what the server sees, derived from the clients' loops; all cohorts of two "
        "clients with gradients 0, 1, 2, 3 searched for a collision.",
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
    headline="With each client's change and weight, and one batch size, the server needs nothing more",
    source="Appendix A.2",
    statement=(STATEMENT + r"(\Delta_i,p_i)_i,\ p_i=bK_i:\quad ", Display(FORMULAS["each"], NAMES)),
    assumptions=("client SGD", "all batches of one known size b"),
    printed=dict(visible="each", steps="unequal", batches="one size", momentum="0"),
    summary="With each client's change and weight at hand and batches of one known size b, K_i = p_i/b, and nothing more is "
    "needed, for unequal steps too.",
    controls=[*OTHERS, Control("weighted sums only", dict(visible="sums"))],
)(upload)
equal_steps = without_shares(
    "MX-A2-UPLOAD-S1",
    statement=(
        STATEMENT + r"\textstyle\sum_ip_i\Delta_i,\ \sum_ip_i\text{ for }K_i=K,\ p_i=bK:\quad ",
        Display(FORMULAS["sums"], NAMES),
    ),
    printed=dict(visible="sums", steps="equal", batches="one size", momentum="0"),
    headline="With equal steps of equal batches the securely formed aggregate suffices for transfer",
    summary="With equal numbers of steps of equal batches the aggregate that FedAvg forms anyway (securely, say) is enough.",
    controls=[Control("unequal steps", dict(steps="unequal")), *OTHERS],
)(upload)


@without_shares(
    "MX-A2-UPLOAD-S2",
    statement=r"\bar g_f^{(t)}\text{ is no function of }\textstyle\sum_ip_i\Delta_i,\ \sum_ip_i\text{ for "
    r"}(K_1,K_2)=(1,2),\ p_i=bK_i",
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
    return replace(
        found,
        outcome=Outcome.HOLDS if alike else Outcome.REFUTED,
        margin=None,
        numbers={"pair": found.counterexample} if alike else {},
        counterexample="" if alike else FORMULAS[visible],
        valid_for="two clients, one and two steps, batches of one size",
    )


if __name__ == "__main__":
    run_script(__file__)
