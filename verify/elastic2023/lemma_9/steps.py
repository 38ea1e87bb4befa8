"""The proof of Lemma 9 up to its two cases: signs, gamma, the terms that are kept, large and small step sizes.

gamma = mu eta R (K - 1), q = 1 - 2 mu eta; s stands for gamma/R and h for mu eta, so that s = h (K - 1).
"""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from verify.elastic2023.lemma_9.rounds import eta

of_proof = inequality_claim.sharing(source="proof of Lemma 9")

#: -1 <= q^t <= 1 for every t, q = 1 - 2 h.
POWERS_OF_Q = Relations(
    "1 - P >= 0; 1 + P >= 0 for 0 <= h <= 1; q = 1 - 2*h; first_P = 1; next_P = q*P",
    uses={0: {"1 - P >= 0": "1 - h", "1 + P >= 0": "h"}, 1: {"1 + P >= 0": "1 - h", "1 - P >= 0": "h"}},
    names={"P": "{q^\\tau}", "h": r"\mu\eta_r"},
)
_h, _t = sp.symbols("h tau")


def positive(sign: str, largest: str) -> Evidence:
    """1 - (1 - 2h)^tau >= 0, or > 0, for every whole tau >= 0 and h up to ``largest``."""
    cases = [(1, 2), (Fraction(1, 2), 0), (Fraction(largest), 2), (Fraction(largest), 1), (Fraction(1, 4), 1)]
    found = tried(
        Witness(
            {_h: h, _t: t},
            Side("1 - (1 - 2 h)^tau", 1 - (1 - 2 * _h) ** _t),
            sign,
            0,
            given=[(_h, ">", 0), (_h, "<=", Fraction(largest)), (_t, ">=", 0)],
            setting="h = mu eta",
        )
        for h, t in cases
    )
    stated = POWERS_OF_Q.changed("h <= 1", f"h <= {largest}")
    proved, reason = stated.proof if sign == ">=" else (False, "a strict sign")
    return decide(
        (proved, reason),
        found,
        method="Induction over tau: q P is 1 - h parts of P and h parts of -P.",
        valid_for="all whole tau >= 0, 0 < eta <= 1/mu",
        certificate=stated.certificate if proved else None,
    )


terms = of_proof(
    "EL-L9-POS.1[not negative]",
    statement=(r"0<\eta_r\le\tfrac1\mu:\quad ", POWERS_OF_Q),
    headline="No term of the drift is negative up to the largest step size",
    summary="For step sizes up to 1/mu no term 1 - (1 - 2 mu eta)^tau is negative, which is what the proof uses.",
    printed=dict(sign=">=", largest="1"),
    controls=[Control("step sizes up to 3/(2 mu)", dict(largest="3/2"))],
)(positive)

strictly = of_proof(
    "EL-L9-POS.1[strictly positive]",
    fault="slip",
    statement=r"0<\eta_r\le\tfrac1\mu\ \Rightarrow\ 1-(1-2\mu\eta_r)^\tau>0\text{ for every }\tau",
    headline="Some terms of the drift are zero: the first one, and even ones at the largest step size",
    summary="1 - (1 - 2 mu eta)^tau is zero for tau = 0, and for even tau at eta = 1/mu; it is never negative, which "
    "is enough.",
    repair="EL-L9-POS.1[not negative]",
    printed=dict(sign=">", largest="1"),
    controls=[Control("at least zero", dict(sign=">="), must="pass")],
)(positive)

gamma = statement_of_algebra(
    "EL-L9-POS.2",
    Relations("mu*eta*R*(K - 1) > 0 for mu > 0; eta > 0; R >= 1; K >= 2", names={"eta": r"\eta_r", "mu": r"\mu"}),
    false={"K = 1 too": ("K >= 2", "K >= 1")},
    group=inequality_claim,
    source="proof of Lemma 9",
    says=r"\gamma_r:=\ ",
    headline="The scaled step size of the proof is positive with two or more local steps",
    summary="gamma_r = mu eta_r R (K - 1) is positive for every positive step size, since K >= 2.",
)

GAMMA = Relations(
    "(1 - 2*g/(R*n))**(n/2) <= exp(-g/R) for R >= 1; n >= 1; 0 < g <= R*n/2",
    uses={0: {"(1 - 2*g/(R*n))**(n/2) <= exp(n/2*(-2*g/(R*n)))": "1"}},
    names={"g": r"\gamma_r", "n": "(K-1)"},
)
_g, _K = sp.symbols("gamma K")


def gamma_and_exp(largest: str) -> Evidence:
    """The power of q against exp(-gamma/R) for eta up to ``largest``/mu."""
    stated = GAMMA.changed("g <= R*n/2", f"g <= {largest}*R*n")
    witness = Witness(
        {_K: 5, _g: 4, eta: 1},
        Side("(1 - 2 gamma/(R (K - 1)))^((K - 1)/2)", (1 - 2 * _g / (_K - 1)) ** ((_K - 1) / 2)),
        "<=",
        Side("exp(-gamma/R)", sp.exp(-_g)),
        given=[(_g, "=", eta * (_K - 1)), (eta, "<=", Fraction(largest))],
        setting="mu = R = 1",
    )
    return by_relations(stated, otherwise=[witness])


exp_half = of_proof(
    "EL-L9-GAM[step sizes up to 1/(2 mu)]",
    statement=(r"\gamma_r=\mu\eta_rR(K-1):\quad(1-2\mu\eta_r)^{(K-1)/2}=", GAMMA),
    headline="The power in the proof is at most an exponential for step sizes up to half the range",
    summary="For step sizes up to 1/(2 mu) the power (1 - 2 mu eta)^((K-1)/2) is at most exp(-gamma/R).",
    printed=dict(largest="1/2"),
    controls=[Control("step sizes up to 1/mu", dict(largest="1"))],
)(gamma_and_exp)

exp_whole = of_proof(
    "EL-L9-GAM[step sizes up to 1/mu]",
    fault="missing hypothesis",
    statement=r"0<\eta_r\le\tfrac1\mu:\quad(1-2\mu\eta_r)^{(K-1)/2}\le e^{-\gamma_r/R},\quad\gamma_r=\mu\eta_rR(K-1)",
    headline="Up to the largest step size the power can be one, far above the exponential",
    summary="With step sizes up to 1/mu the step is false: for K = 5 and eta = 1/mu the power is (-1)^2 = 1 and the "
    "exponential e^-4. For even K it is not a real number beyond 1/(2 mu).",
    repair="EL-L9-GAM[step sizes up to 1/(2 mu)]",
    printed=dict(largest="1"),
    controls=[Control("step sizes up to 1/(2 mu)", dict(largest="1/2"), must="pass")],
)(gamma_and_exp)

_EXP = r"\tfrac{\gamma_rG}{4\mu R}\left(1-e^{-\gamma_r/R}\right)"
dropped = statement_of_algebra(
    "EL-L9-HALF.1",
    Relations(
        "all >= kept; 1 - P >= 0; 1 + P >= 0 for 0 <= h <= 1; q = 1 - 2*h; -1 <= p <= 1; kept >= 0; first_P = p; next_P = q*P; "
        "first_all = kept; next_all = all + 1 - P",
        uses={
            0: {"all >= kept": "1", "1 - P >= 0": "1"},
            1: {"1 - P >= 0": "1 - h", "1 + P >= 0": "h"},
            2: {"1 + P >= 0": "1 - h", "1 - P >= 0": "h"},
        },
        names={"P": r"{q^\tau}", "p": r"q^{\tau_0}", "h": r"\mu\eta_r", "all": "S", "kept": "S_0"},
    ),
    false={"step sizes up to 3/(2 mu)": ("0 <= h <= 1", "0 <= h <= 3/2")},
    group=inequality_claim,
    source="proof of Lemma 9",
    headline="The first half of the local steps may be dropped from the drift",
    summary="To the sum of the terms that are kept the dropped ones 1 - q^tau are added one by one, from any power "
    "between -1 and 1 on, from q^0 = 1 on for the first half: the sum never falls below the kept one, for step sizes "
    "up to 1/mu.",
)

ONE_TERM = Relations(
    "1 - (1 - 2*h)**t >= 1 - exp(-h*n) for 0 <= h < 1/2; n >= 1; t >= n/2",
    uses={0: {"(1 - 2*h)**t <= exp(t*(-2*h))": "1", "1 + 2*h*t - h*n <= exp(2*h*t - h*n)": "exp(-2*h*t)"}},
)
COUNT = Relations(
    "m*w*h/2 >= h*n/4*w for 0 <= h <= 1; n >= 1; K = n + 1; w >= 0; m >= K/2", names={"w": r"(1-e^{-\gamma_r/R})"}
)


def kept_terms(largest: str, share: str) -> Evidence:
    """Every term from tau >= ``share`` (K - 1) on is at least 1 - exp(-gamma/R), and there are at least K/2 of them."""
    one = ONE_TERM.changed("h < 1/2", f"h < {largest}").changed("t >= n/2", f"t >= {share}*n")
    witnesses = [
        Witness(
            {_h: h, _t: t, "n": n},
            Side("1 - (1 - 2 h)^tau", 1 - (1 - 2 * _h) ** _t),
            ">=",
            Side("1 - exp(-gamma/R)", 1 - sp.exp(-_h * n)),
            given=[(_h, "<=", Fraction(largest)), (_t, ">=", Fraction(share) * n)],
            setting="h = mu eta, n = K - 1",
        )
        for h, t, n in ((1, 2, 4), (Fraction(1, 4), 1, 4))
    ]
    (proved, reason), (counted, why) = one.proof, COUNT.proof
    return decide(
        (proved and counted, reason if not proved else why),
        tried(witnesses),
        method="Each term that is kept by q <= exp(q - 1); the K whole numbers up to K - 1 have at least K/2 from (K "
        "- 1)/2 on.",
        valid_for="all whole K >= 2, 0 < eta < 1/(2 mu); at eta = 1/(2 mu) every power from 1 on is 0",
        certificate={"a term": one.certificate, "their number": COUNT.certificate},
        prose="m terms are kept, at least K/2, and their sum is at least m times the least",
    )


last_display = of_proof(
    "EL-L9-HALF.2",
    statement=r"0<\eta_r\le\tfrac1{2\mu}:\quad\tfrac{\eta_rG}2\sum_{\tau\ge(K-1)/2}\left(1-(1-2\mu\eta_r)^\tau\right)\ge"
    + _EXP,
    headline="The kept half of the local steps gives the drift that the proof continues with",
    summary="For step sizes up to 1/(2 mu) the terms with tau >= (K - 1)/2, at least K/2 of them for odd and even K, "
    "are each at least 1 - exp(-gamma/R), so that the drift is at least gamma G/(4 mu R) times that.",
    printed=dict(largest="1/2", share="1/2"),
    controls=[
        Control("step sizes up to 1/mu, term by term", dict(largest="1")),
        Control("terms from a quarter on", dict(share="1/4")),
    ],
)(kept_terms)

if __name__ == "__main__":
    run_script(__file__)
