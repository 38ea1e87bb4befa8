"""Every claim says in a headline what is true, to a stranger."""

from __future__ import annotations

from fltheory.evidence.catalogue import find_scripts, load
from fltheory.evidence.sentences import headline_of


def test_every_claim_has_a_headline() -> None:
    catalogue = load(find_scripts())
    assert not catalogue.broken
    without = [
        row_id
        for row_id, claim in catalogue.claims.items()
        if not headline_of({"headline": claim.headline, "summary": claim.summary})
    ]
    assert without == [], "these claims need headline='...'"
