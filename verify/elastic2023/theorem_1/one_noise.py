"""Theorem I of the elastic aggregation supplement without independence: one noise for all clients breaks all three rates.

Clients f_i = beta x^2/2 with the same noise are one client.  Its variance beta^2 R u^2 keeps half of the start u^2 for R rounds,
whatever the steps, while the bounds divide the noise by S, with (phi eta_g)^2 = S = s^2.
"""

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations

INDEPENDENT = "the noise of different clients and steps is independent"
ONE = "one noise for all clients"
UNPRINTED = Unprinted("the noise of different clients is independent", control=ONE)
DROPPED = Control(ONE, dict(noise="the same"))

_RUN = (
    "u > 0; beta > 0; C > 0; R >= {R}; s >= {s}; R >= 16; s >= 4; 0 <= a <= 1/16; "
    "first_v = u**2; next_v = (1 - a)**2*v + a**2*R*u**2; first_t = 0; next_t = t + 1"
)
_KEPT = dict(
    squares={1: [("R*u**2/(R + t)", "a*(R + t + 1) - 1")]},
    uses={1: {"v*(R + t) >= R*u**2": "(1 - a)**2*(R + t + 1)/(R + t)"}},
)
#: M^2 = 2 sigma^2 with sigma^2 = beta^2 R u^2, so that M D/sqrt(RKS) is sqrt(2) beta u^2/s.
CONVEX = Relations(
    "t >= 0; v*(R + t) >= R*u**2; beta*u**2/4 > C*(3/2*beta*u**2/s + beta*u**2/R); (3/2)**2 >= 2 for "
    + _RUN.format(R="16*C", s="16*C"),
    **_KEPT,  # type: ignore[arg-type]
)
#: F = beta u^2/2: M sqrt(beta F)/sqrt(RKS) is beta^2 u^2/s, and beta F/R is beta^2 u^2/(2 R).
SMOOTH = Relations(
    "t >= 0; v*(R + t) >= R*u**2; beta**2*u**2/2 > C*(beta**2*u**2/s + beta**2*u**2/(2*R)) for "
    + _RUN.format(R="16*C", s="16*C"),
    **_KEPT,  # type: ignore[arg-type]
)
#: mu = beta, b = max(2, s^2/8): M^2/(mu RKS) is 2 beta u^2/s^2; 3 s l is 1 + log(b), and 32 p/R is exp(-R/32).
STRONG = Relations(
    "t >= 0; v*(R + t) >= R*u**2; beta*u**2/4 > C*(2*beta*u**2/s**2*(3*s*l) + beta*u**2*(32*p/R)) for "
    + _RUN.format(R="512*C", s="64*C")
    + "; 0 <= l <= 1; 0 <= p <= 1",
    **_KEPT,  # type: ignore[arg-type]
)
_SETTING = (
    "f_i = beta x^2/2, K = 1, S = N = s^2, (phi eta_g)^2 = S, one noise for all clients, sigma^2 = beta^2 R u^2, M^2 = 2 "
    "sigma^2, G = 0, B = 1, x^0 = u, a = beta e, v = E|x^t|^2: "
)
_GAP = "the gap beta v/2 is at least beta u^2/4 for t <= R"
_CASES = {
    "general convex": (CONVEX, _GAP, ""),
    "not convex": (SMOOTH, "the squared gradient beta^2 v is at least beta^2 u^2/2 for t <= R", ""),
    "strongly convex": (
        STRONG,
        f"mu = beta; {_GAP}",
        "; 3 s l is 1 + log(b), b = max(2, s^2/8), and 32 p/R is exp(-R/32): l and p are at most 1",
    ),
}


def broken(case: str) -> Evidence:
    """The rate of a case, refuted for every constant."""
    stated, words, more = _CASES[case]
    proved, reason = stated.proof
    found = Tried(1, f"{_SETTING}{words}: {stated.text}", -1.0, certificate=stated.certificate) if proved else Tried(1)
    prose = f"at each of x^0, ..., x^R, for all steps and weights{more}"
    return decide((False, reason), found, method="Induction over the rounds, for every constant C.", prose=prose)
