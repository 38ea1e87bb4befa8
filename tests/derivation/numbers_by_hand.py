"""Numbers of instances for derivations whose hypotheses need each other: rates with roots that have to be rational.

Parallel Training with step sizes whose reciprocal has a part for noise, one for dissimilarity under a root, and one for
smoothness: an accuracy ``eps`` at which the root is rational, a dissimilarity ``G`` that is large enough, and so many rounds that
all of "enough rounds", "their number rounded up" and "the first model is not accurate" hold.  Noise is drawn in the first round.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction as Q

from fltheory.derivation.draws import Attempt


def _rounds(times: int, **numbers: Q) -> Attempt:
    """So many rounds, with local points near the model and eta_s eta_m >= sqrt(S)."""
    return Attempt(times, noisy=1, spread=Q(1, 1024), numbers={"B": Q(1), "G": Q(3), "root_u": Q(1, 2), **numbers})


#: By the title of a derivation, what is tried for those of this title, one after the other.
BY_HAND: Mapping[str, tuple[Attempt, ...]] = {
    "Mixed FL, Parallel Training, convex": (
        _rounds(30, eps=Q(9), root=Q(3)),
        _rounds(46, eps=Q(9), root=Q(9, 4), root_v=Q(3, 4)),
    ),
    "Mixed FL, Parallel Training, non-convex": (
        _rounds(16, eps=Q(25), root=Q(3)),
        _rounds(26, eps=Q(25), root=Q(9, 4), root_v=Q(3, 4)),
    ),
}
