"""Statements about one round of FedLAMA, and refutations of displays, for the files of Sections 3 and 5."""

from collections.abc import Callable
from typing import Any

from fltheory.evidence.algebra import by_in_mean, by_relations
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.model import Claim, Control, Evidence
from fltheory.evidence.relations import Relations

#: LaTeX of the letters of a round: u its start, x the clients' points, h and q gradients there and at u.
NAMES = {
    "u": "u_t",
    "x": "x^i_{t,j}",
    "G": r"\nabla F(u_t)",
    "h": r"\nabla F_i(x^i_{t,j})",
    "q": r"\nabla F_i(u_t)",
    "n": r"(g^i_{t,j}-\nabla F_i(x^i_{t,j}))",
    "g_u": r"\nabla F_i(u_t)",
    "g_x": r"\nabla F_i(x^i_{t,j})",
    "tau": r"\tau",
    "eta": r"\eta",
    "sigma": r"\sigma",
    "D": r"\Delta_t",
    "w": "u_{t+1}",
    "f_w": "F_i(u_{t+1})",
    "f_u": "F_i(u_t)",
}


class OfARound(InMean):
    """Clients count alike and a round has tau steps, in LaTeX; the proof is for any weights of the clients."""

    def latex(self) -> str:
        """The kernel's sums as the document writes them."""
        return (
            super().latex().replace(r"\tfrac1E\sum_j", r"\tfrac1\tau\sum_j").replace(r"\sum_k p_k", r"\tfrac1m\sum_i")
        )


def refuted(
    id: str,
    stated: InMean | Relations,
    control: tuple[str, InMean | Relations],
    *,
    group: Callable[..., Any],
    **words: Any,
) -> Claim:
    """The claim of a statement that an instance breaks; ``control``: the name and the statement that passes the same code."""
    name, right = control

    def check(text: str) -> Evidence:
        if isinstance(stated, InMean):
            return by_in_mean(stated.with_text(text))
        return by_relations(stated.with_text(text))

    check.__doc__ = f"{stated.text}: derived as it is written, or an instance that breaks it."
    controls = [Control(name, dict(text=right.text), must="pass")]
    shown = words.pop("says", None) or stated
    made = group(id, statement=shown, printed=dict(text=stated.text), controls=controls, **words)
    claim: Claim = made(check)
    return claim
