"""Chains of statements about one step."""

from __future__ import annotations

from fltheory.evidence.kinds import inequality_claim
from fltheory.evidence.model import Outcome
from verify.li2020.displays import lemma_1 as shown
from verify.li2020.one_step_checks import ProvedDisplay, judged, step
from verify.li2020.symbols import L, dg, eta, f, f_min, g

JENSEN = ProvedDisplay(shown.b_2_convexity, squares=[(eta**2, dg)], false={"0.99": -(eta**2) * g**2 / 100})
SMOOTH = ProvedDisplay(shown.b_2_smoothness, {"(16) at w": eta**2}, false={"1.98": -L * eta**2 * (f - f_min) / 50})


def test_a_chain_is_as_good_as_its_worst_part() -> None:
    """A line that is false decides wherever it stands; one without its proof leaves the chain open."""
    assert judged([JENSEN, SMOOTH], "").outcome is Outcome.HOLDS
    assert judged([JENSEN, SMOOTH], "0.99").outcome is judged([JENSEN, SMOOTH], "1.98").outcome is Outcome.REFUTED
    assert judged([JENSEN, ProvedDisplay(shown.b_2_smoothness)], "").outcome is Outcome.NOT_REFUTED


def test_a_claim_states_its_lines_and_names_what_makes_them_false() -> None:
    claim = step("OWN-1", JENSEN, SMOOTH, group=inequality_claim, summary="Both.", source="here")
    assert claim.about == (shown.b_2_convexity, shown.b_2_smoothness)
    assert [control.name for control in claim.controls] == ["0.99", "1.98"]
    assert all(claim.run_control(control).outcome is Outcome.REFUTED for control in claim.controls)
