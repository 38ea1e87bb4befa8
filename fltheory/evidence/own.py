"""A user's own claims: the word "proof" is the package's to give, for a certificate that it verifies.

The project's own rows are reviewed with their scripts: an ``asserted`` one is counted, and keeps its verdict.  Of a script that
anybody wrote nothing is known but what it returns, so evidence on the rungs ``proof``, ``steps`` and ``worst case`` stands there
only with certificates of kinds that :mod:`fltheory.evidence.certificates` verifies.  Without them the row says ``asserted`` and
``not refuted``.  That a certificate is about the statement beside it is for a reader to see; that it proves what it says is
checked.
"""

from __future__ import annotations

from fltheory.evidence.model import Outcome, Rung, Verdict
from fltheory.evidence.rows import Row
from fltheory.evidence.verdicts import HOLDING

ASSERTED = Rung.ASSERTED.value
_NEEDS = (Rung.PROOF.value, Rung.STEPS.value, Rung.WORST_CASE.value, ASSERTED)
_HOLDING = tuple(verdict.value for verdict in HOLDING)


def as_own(row: Row) -> Row:
    """A finished row of an own claim, ``asserted`` where its rung would need a certificate and none verifies."""
    if row["status"] != "done" or row["rung"] not in _NEEDS or row["outcome"] == Outcome.REFUTED.value:
        return row
    reason = row.get("remark") or _missing(row["certificate"])
    if not reason:
        return row
    verdict = Verdict.NOT_REFUTED.value if row["verdict"] in _HOLDING else row["verdict"]
    settles = row["would_settle"] or "a certificate that the package verifies"
    return {
        **row,
        "rung": ASSERTED,
        "verdict": verdict,
        "claimed_rung": row.get("claimed_rung", row["rung"]),
        "remark": reason,
        "would_settle": settles,
    }


def _missing(certificate: object) -> str:
    """Why the certificates of a row do not carry its rung; empty where all of them verify and there is one."""
    from fltheory.evidence.certificates import can_verify, certificates_in, verify_certificate

    found = [item for item in certificates_in(certificate) if can_verify(item)]
    if not found:
        return "no certificate that the package can verify"
    for item in found:
        if item.get("format") == "fltheory worst case 1":  # no replay says it in its place
            return "its certificate does not verify: version 1 does not say what it proves"
        try:
            good, reason = verify_certificate(item)
        except Exception as error:  # a user's data: whatever is wrong with it, it proves nothing
            good, reason = False, f"it cannot be read ({type(error).__name__}: {error})"
        if not good:
            return f"its certificate does not verify: {reason}"
    return ""
