"""Rows of worst cases run again on their kept certificates: what binds a certificate to the statement of its row.

The check builds its programs anew from what is printed, :mod:`fltheory.worstcase.kept` answers them from the kept certificates,
and the row that comes out is compared with the kept one.  Controls are not run: their programs have no kept certificates.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from fltheory.evidence.model import Claim
from fltheory.evidence.rows import Row, row_of
from fltheory.kinds import JSON

#: How the formats begin whose certificates :mod:`fltheory.worstcase.kept` puts in the place of the solver.
_ANSWERING = ("fltheory worst case", "fltheory lyapunov")


def can_replay(row: Row) -> bool:
    """Whether all that a row says rests on certificates of worst cases, of some rounds or of all of them."""
    from fltheory.evidence.certificates import certificates_in

    kept = list(certificates_in(row.get("certificate")))
    return bool(kept) and all(str(data.get("format", "")).startswith(_ANSWERING) for data in kept)


def replayed(claim: Claim, certificate: JSON, *, document: str) -> Row:
    """The row of a claim without its controls, found on kept certificates, all of which must be of its programs."""
    from fltheory.evidence.certificates import certificates_in
    from fltheory.worstcase.kept import replaying

    _forget_answers()
    with replaying(certificates_in(certificate)) as shelf:
        row = row_of(replace(claim, controls=()), document=document)
    _forget_answers()
    if shelf.unused and row["status"] == "done":
        words = f"{len(shelf.unused)} kept certificates are of no program that the check builds"
        row["problems"] = [*row["problems"], words]
    return row


def _forget_answers() -> None:
    """Empty the caches of scripts: what they keep was answered by a solver, or by other certificates."""
    for name, module in list(sys.modules.items()):
        if name.startswith("verify."):
            for item in vars(module).values():
                clear = getattr(item, "cache_clear", None)
                if callable(clear) and not isinstance(item, type):  # a class of caches is none
                    clear()
