"""Theorems B.1 to B.3 of Augenstein et al. (2022) as wholes: three orders each, and the conditions on the rates.

The rows of the pieces are MX-T1-PT-*, MX-T1-1W-* and MX-T1-2W-* (orders, in their readings) and MX-T1-CONDSUFF (do the printed
conditions on the rates suffice?, theorems_b_steps).  The printed proofs of B.1 and B.3 map the algorithms to quoted theorems
(theorems_b_maps), that of B.2 is Appendix D.2.
"""

from fltheory.evidence.bundles import bundle
from fltheory.evidence.kinds import run_script
from fltheory.evidence.model import Kind
from fltheory.theory.mixed2022.orders import ALGORITHMS, CASES, ORDERS, SHORT, conditions, order

CONDITIONS = "conditions on the rates"
#: Rows that judge the printed proofs.
PROOFS = {
    "PT": tuple(f"MX-THMB1-{step}" for step in ("MAP", "VAR", "COND")),
    "1-w GT": (
        *("MX-LEMD2-1", "MX-LEMD2-2", "MX-LEMD3-1", "MX-LEMD3-2", "MX-PROPD5", "MX-PROPD6"),
        *(f"MX-LEMD{number}" for number in (7, 8, 9, 10, 11)),
        *("MX-CVX-REC", "MX-CVX-EXP", "MX-AUX-L1", "MX-AUX-L2", "MX-SC-FINAL", "MX-C-FINAL"),
        *("MX-LEMD12", "MX-LEMD13", "MX-NC-REC", "MX-NC-FINAL", "MX-THMB2-S1.2"),
    ),
    "2-w GT": ("MX-THMB3-MAP", "MX-THMB1-VAR"),
}
#: Rows beside those of the orders and the conditions.
FURTHER = {"1-w GT": {"a cohort of one client": "MX-THMB2-S1.1"}}
NAMES = {"PT": "Parallel Training", "1-w GT": "1-way Gradient Transfer", "2-w GT": "2-way Gradient Transfer"}


def rows_of(algorithm: str) -> dict[str, str]:
    """Piece of the theorem -> the row that judges it."""
    theorem = f"Theorem B.{ALGORITHMS.index(algorithm) + 1},"
    orders = {f"order: {entry.name}": entry.ids[0] for entry in ORDERS if entry.source.startswith(theorem)}
    return {**orders, CONDITIONS: f"MX-T1-CONDSUFF.{SHORT[algorithm]}", **FURTHER.get(algorithm, {})}


theorems = [
    bundle(
        f"MX-THMB{number}",
        kind=Kind.ASYMPTOTIC,
        source=f"Theorem B.{number}",
        pieces=[*(f"order: rounds of {algorithm}, {case}" for case in CASES), CONDITIONS],
        parts=rows_of(algorithm),
        statement=r",\quad ".join(order(algorithm, case).latex() for case in CASES),
        headline=f"Rounds that {NAMES[algorithm]} needs, in three cases",
        summary=f"{NAMES[algorithm]} needs rounds of the three printed orders at most, with rates chosen for eps within the "
        "printed conditions.",
        assumptions=tuple(dict.fromkeys(c.words for case in CASES for c in conditions(algorithm, case))),
        proof_steps=PROOFS[algorithm],
    )
    for number, algorithm in enumerate(ALGORITHMS, start=1)
]

if __name__ == "__main__":
    run_script(__file__)
