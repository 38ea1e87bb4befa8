"""Displays that end a derivation: printed, derived, and false where a number of them is changed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from fltheory.derivation.script import Derivation
from fltheory.evidence.kinds import identity_claim
from fltheory.evidence.model import Claim, Outcome
from verify.mixed2022 import algorithms, algorithms_one_step, appendix_a, definitions_smoothness, metrics
from verify.mixed2022.derivations.free_instance import FreeInstance
from verify.mixed2022.derivations.listings import listing, loop
from verify.mixed2022.displays import Display, displayed

CLAIMS = (
    algorithms.algorithm_2,
    algorithms.algorithm_1,
    algorithms_one_step.two_gradients,
    appendix_a.equation_10,
    definitions_smoothness.quadratic_bound,
    metrics.bias,
)


def changed(text: str) -> Iterator[str]:
    """Every number one larger, and every rate squared."""
    for found in re.finditer(r"(?<![\w*])\d+\b|\beta\b", text):
        new = str(int(found[0]) + 1) if found[0].isdigit() else f"{found[0]}*{found[0]}"
        yield text[: found.start()] + new + text[found.end() :]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: str(claim.id))
def test_a_display_is_derived_and_no_changed_one_is(claim: Claim) -> None:
    assert claim.run().outcome is Outcome.HOLDS
    for text in changed(str(claim.printed["text"])):
        found = claim.check(**{**claim.printed, "text": text})
        assert found.outcome is not Outcome.HOLDS, text


def test_parts_have_their_own_latex() -> None:
    shown = Display("sq(a - b) <= 2*mean(c, t); x1 = x", {"mean(c, t)": "C", "x1": "x^+"}).latex()
    assert shown == r"\|a - b\|^2 \le 2 C,\quad x^+ = x"


def one_client() -> Derivation:
    d = listing("a client", clients=False)
    for name, axes in (("g", "t"), ("u", "")):
        d.vector(name, axes)
    loop(d, "y", "g", "u", "D", "eta")
    return d


def test_a_free_instance_obeys_the_loop_and_breaks_what_is_false() -> None:
    lines = [*one_client().lines, {"combine": "false", "form": "dot(D + eta*mean(g + u, t), z)", "over": []}]
    found = FreeInstance(lines, {})
    assert not found.broken
    assert all(value == 0 for value in found.facts["D"][0]) and found.facts["false"][0] != [0]
    assert found.words.startswith("K = 2, eta = 1/3") and "z" not in found.words.split(", ")


def test_what_an_instance_does_not_obey_and_pieces_that_are_not_there_are_refused() -> None:
    words = dict(names={}, group=identity_claim, method="sums", summary="A loop summed up.", source="here")
    made = displayed(
        "MY-LOOP",
        one_client,
        "D = -(eta*K*mean(g + u, t))",
        false={"once": ("K*", "")},
        instance=lambda: {"D": 1},
        **words,
    )
    with pytest.raises(ValueError, match="does not obey"):
        made.run()
    with pytest.raises(ValueError, match="occurs 0 times"):
        displayed("MY-LOOP-2", one_client, "D = -(eta*K*mean(g + u, t))", false={"none": ("T", "")}, **words)
