"""The rescaling ``F~_k = p_k N F_k`` of Section 3.3 of Li et al. (2020): which of its constants are right, and where.

With ``nu = N max p_k`` and ``varsigma = N min p_k``: smoothness and strong convexity scale as printed.  A standard
deviation or gradient norm scales by ``p_k N``, so device by device the factor is nu, not sqrt(nu).  In the two averages in
which the proofs use these constants, sqrt(nu) is enough.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.algebra import by_in_mean, statement_in_mean
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.ends import by_witness
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Outcome, Rung, Tightness
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.proofs import Certificate, Open, equal, nonnegative_on

# A generic client has weight p_k = top - gap (gap >= 0) with top = max_k p_k; or p_k = bottom + gap.
_top, _gap, _bottom, _N, _x, _s = sp.symbols("top gap bottom N x s", nonnegative=True)
_p1, _p2 = sp.symbols("p_1 p_2", nonnegative=True)
_SPLIT = (Fraction(3, 4), Fraction(1, 4))


def _nonnegative(expression: sp.Expr, premise: sp.Expr, multiplier: sp.Expr) -> bool:
    """``expression = multiplier * premise`` with the multiplier a product of nonnegative symbols, premise >= 0."""
    ranges = [(s, 0, None) for s in sorted(multiplier.free_symbols, key=str)]
    return Certificate(sp.Integer(0), expression, {"premise": (multiplier, premise)}, [], ranges).verify()[0]


def _judge(proved: bool, witness: Witness, method: str, attained_by: str) -> Evidence:
    """The proof, which some clients attain, else the witness if it is one, else neither."""
    if proved:
        sharp = Tightness(1.0, Rung.EXACT, attained_by)
        return Evidence(Rung.PROOF, Outcome.HOLDS, method, 1, valid_for="all N, p, d", tightness=sharp)
    return by_witness(witness)


def _two_clients(name: str, left: sp.Expr, relation: str, right: sp.Expr) -> Witness:
    """F_k = x w^2/2 and variances s with x = s = 1, weights 3/4 and 1/4; ``nu = N p_1``, ``varsigma = N p_2``."""
    at = {_N: 2, _p1: _SPLIT[0], _p2: _SPLIT[1], _x: 1, _s: 1}
    return Witness(
        at, Side(name, left), relation, right, [(_p1 + _p2, "=", 1), (_p1, ">=", _p2)], "F_k = x w^2/2, variance s"
    )


constants_claim = inequality_claim.sharing(source="Section 3.3")


RESCALED = {"top": r"\max_kp_k", "bottom": r"\min_kp_k", "p": "p_k", "s": r"\sigma_k^2", "n": r"\zeta_k"}
CURVED = "x; y; function F over k; F at x, y"

smoothness = statement_in_mean(
    "LI-TRANS-b",
    InMean(
        "N*p*(f_y - f_x - dot(g_x, y - x)) <= N*top*L/2*sq(y - x) for N >= 1; L > 0; top > 0; 0 <= p <= top",
        things=CURVED,
        varies={"p": "k"},
        uses=[use("smooth", "x y", "N*p", of="F", L="L")],
        squares=[("N*(top - p)*L/2", "y - x")],
        names=RESCALED,
    ),
    false={"nu -> 0.99 nu (tight)": ("N*top*L/2", "99*N*top*L/200")},
    group=constants_claim,
    says=r"\tilde F_k = Np_kF_k \text{ is } \nu L\text{-smooth},\ \nu = N\max_k p_k:\quad ",
    summary="The rescaled objectives are nu L-smooth.",
    tightness=Tightness(1.0, Rung.EXACT, "the client of largest weight"),
)

strong_convexity = statement_in_mean(
    "LI-TRANS-c",
    InMean(
        "N*p*(f_y - f_x - dot(g_x, y - x)) >= N*bottom*mu/2*sq(y - x) for N >= 1; mu > 0; bottom >= 0; p >= bottom",
        things=CURVED,
        varies={"p": "k"},
        uses=[use("strongly convex", "x y", "N*p", of="F", mu="mu")],
        squares=[("N*(p - bottom)*mu/2", "y - x")],
        names=RESCALED,
    ),
    false={"varsigma -> 1.01 varsigma (tight)": ("N*bottom*mu/2", "101*N*bottom*mu/200")},
    group=constants_claim,
    says=r"\tilde F_k = Np_kF_k \text{ is } \varsigma\mu\text{-strongly convex},\ \varsigma = N\min_k p_k:\quad ",
    summary="The rescaled objectives are (N min p) mu-strongly convex.",
    tightness=Tightness(1.0, Rung.EXACT, "the client of smallest weight"),
)


def _device_wise(power: Fraction) -> Evidence:
    """Claim: (p_k N)^2 s <= nu^(2 power) s for every client; s is sigma^2 or G^2."""
    if power == 1:
        return by_in_mean(DEVICE_WISE)
    return by_witness(
        _two_clients(
            "variance or second moment of client 1", (_p1 * _N) ** 2 * _s, "<=", (_p1 * _N) ** (2 * power) * _s
        )
    )


DEVICE_WISE = InMean(
    "sq(N*p*n) <= N**2*top**2*s for N >= 1; s >= 0; top > 0; 0 <= p <= top",
    things="n over k xi",
    over="xi",
    varies={"p": "k"},
    uses=[use("bounded variance", times="N**2*p**2", noise="n", sigma2="s")],
    names=RESCALED,
)


def _in_the_average(which: str, factor: Fraction) -> Evidence:
    """The averages of the proofs: (1/N^2) sum (p_k N)^2 s_k (variance), (1/N) sum (p_k N)^2 s (second moment), s_k <= s.

    Term by term p^2 <= top p, and sum p = 1: so sum_k p_k^2 s <= (1/N) nu s = top s and (1/N) sum N^2 p_k^2 s <= nu s.
    """
    p, below = _top - _gap, sp.Symbol("below", nonnegative=True)
    scale = _s if which == "variance" else _N * _s
    slack = ((factor * _top * p - p**2) * scale).subs(_top, _gap + below)
    return _judge(
        _nonnegative(slack, _gap, below * scale),
        Witness(
            {_p1: 1, _N: 1, _s: 1}, Side("average", scale * _p1**2), "<=", factor * scale * _p1, [(_p1, "=", 1 / _N)]
        ),
        "p_k^2 <= (max p) p_k for a generic client, summed with sum p_k = 1.",
        "equal weights",
    )


_TIGHT = [Control("factor 1 -> 0.99 (tight)", dict(factor=Fraction(99, 100)))]
_device_wise_claim = constants_claim.sharing(
    printed=dict(power=Fraction(1, 2)),
    controls=[Control("sqrt(nu) -> nu", dict(power=Fraction(1)), must="pass")],
)
deviation_device = _device_wise_claim(
    "LI-TRANS-d[device by device]",
    fault="reading",
    statement=r"\tilde\sigma_k = \sqrt{\nu}\,\sigma",
    repair="LI-TRANS-d-R1",
    headline="Rescaling a client's loss multiplies its noise by more than the paper says",
    summary="Standard deviation of the rescaled client's gradient bounded by sqrt(nu) sigma; it is p_k N sigma_k, up "
    "to nu sigma.",
)(_device_wise)

deviation_device_repaired = statement_in_mean(
    "LI-TRANS-d-R1",
    DEVICE_WISE,
    false={"factor 1 -> 0.99 (tight)": ("N**2*top**2*s", "99*N**2*top**2*s/100")},
    group=inequality_claim,
    says=r"\tilde\sigma_k = p_k N \sigma_k \le \nu\,\sigma_k:\quad ",
    summary="Corrected: the rescaled standard deviation is at most nu sigma_k.",
    source="repairs Section 3.3",
    tightness=Tightness(1.0, Rung.EXACT, "the client of largest weight"),
)

deviation_average = inequality_claim(
    "LI-TRANS-d[in the average of B]",
    statement=r"\tfrac1{N^2}\sum_k (p_kN)^2\sigma_k^2 \le \tfrac1{N^2}\sum_k \nu\sigma^2",
    source="Section 3.3 with (5)",
    summary="In B the variances enter as a sum over clients with weights 1/N^2; there sqrt(nu) sigma per client is "
    "enough.",
    printed=dict(which="variance", factor=Fraction(1)),
    controls=_TIGHT,
)(_in_the_average)

norm_device = _device_wise_claim(
    "LI-TRANS-e[device by device]",
    fault="reading",
    statement=r"\tilde G = \sqrt{\nu}\,G",
    repair="LI-TRANS-e-R1",
    headline="Rescaling a client's loss enlarges its gradients by more than the paper says",
    summary="Uniform bound of the rescaled stochastic gradients by sqrt(nu) G; the rescaled norm is p_k N times, up "
    "to nu.",
)(_device_wise)

norm_device_repaired = statement_in_mean(
    "LI-TRANS-e-R1",
    replace(DEVICE_WISE, names={**RESCALED, "s": "G^2", "n": r"g_k"}),
    false={"factor 1 -> 0.99 (tight)": ("N**2*top**2*s", "99*N**2*top**2*s/100")},
    group=inequality_claim,
    says=r"\tilde G = \nu\,G:\quad ",
    summary="Corrected: the uniform bound of the rescaled gradients is nu G.",
    source="repairs Section 3.3",
    tightness=Tightness(1.0, Rung.EXACT, "the client of largest weight"),
)

norm_average = inequality_claim(
    "LI-TRANS-e[in the client average]",
    statement=r"\tfrac1N\sum_k (p_kN)^2G^2 \le \nu G^2",
    source="Section 3.3 with Lemmas 3 and 5",
    summary="Lemmas 3 and 5 use the gradients' second moments averaged over clients; there sqrt(nu) G is enough.",
    printed=dict(which="second moment", factor=Fraction(1)),
    controls=_TIGHT,
)(_in_the_average)


@inequality_claim(
    "LI-TRANS-d[in the average of B, sigma_k per client]",
    fault="reading",
    statement=r"\tfrac1{N^2}\sum_k (p_kN)^2\sigma_k^2 \le \tfrac1{N^2}\sum_k \nu\sigma_k^2",
    source="Section 3.3 with (5)",
    headline="The rescaled noise constant is too small in the average if read client by client",
    summary="If the sigma of the replacement, printed without index, is sigma_k, the average of B is too small.",
    repair="LI-TRANS-d-R1",
    printed=dict(common=False),
    controls=[Control("sigma = max_k sigma_k", dict(common=True), must="pass")],
)
def deviation_average_per_client(common: bool) -> Evidence:
    weights = ((Fraction(1, 2), Fraction(1, 2)), _SPLIT, (Fraction(9, 10), Fraction(1, 10)))
    s1, s2 = sp.symbols("s_1 s_2", nonnegative=True)  # the variances
    replaced = 2 * sp.Max(s1, s2) if common else s1 + s2
    claimed = Side("2 max p times the variances that replace them over 4", 2 * sp.Max(_p1, _p2) * replaced / 4)
    needed = Side("p_1^2 s_1 + p_2^2 s_2", _p1**2 * s1 + _p2**2 * s2)
    return by_witness(
        (
            Witness(
                {_p1: p[0], _p2: p[1], s1: v[0], s2: v[1]}, needed, "<=", claimed, [(_p1 + _p2, "=", 1)], "two clients"
            )
            for p, v in product(weights, ((1, 1), (1, 0), (0, 1)))
        ),
        would_settle="proved in the row [in the average of B]",
    )


@expectation_claim(
    "LI-TRANS-f",
    statement=r"\mathbb{E}F(w_T)-F^* \le \frac{\tilde\kappa}{\tilde\gamma+T-1}\Big(\frac{2(\tilde B+\tilde C)}"
    r"{\tilde\mu}+\frac{\tilde\mu\tilde\gamma}{2}\mathbb{E}\|w_1-w^*\|^2\Big)",
    summary="Theorem 3 for the rescaled problem with (nu L, varsigma mu, sqrt(nu) sigma, sqrt(nu) G), sigma = max_k "
    "sigma_k: right, since the proof uses sigma and G only in client averages, although the device-wise constants are "
    "wrong.",
    source="Section 3.3",
    depends=["LI-THM3", "LI-TRANS-b", "LI-TRANS-c"],
    proof_steps=["LI-TRANS-b", "LI-TRANS-c", "LI-TRANS-d[device by device]", "LI-TRANS-e[device by device]"],
    printed=dict(second_moment=Fraction(1), start=Fraction(1)),
    controls=[Control("start term times 0.99 (tight at T = 1, equal weights)", dict(start=Fraction(99, 100)))],
)
def theorem_3_transformed(second_moment: Fraction, start: Fraction) -> Evidence:
    """What the proof of Theorem 3 needs of the rescaled problem, each item checked for a generic client."""
    p, n, value = sp.symbols("p N value", positive=True)
    needs = {
        "F is the plain mean of F~_k, and Gamma~ = Gamma": equal(p * n * value / n, p * value),
        "variance in B": _in_the_average("variance", Fraction(1)).outcome is Outcome.HOLDS,
        "averaged second moment": _in_the_average("second moment", second_moment).outcome is Outcome.HOLDS,
        "smoothness nu L": smoothness.run().outcome is Outcome.HOLDS,
        "strong convexity varsigma mu": strong_convexity.run().outcome is Outcome.HOLDS,
        "drift of Lemma 3 from averages": _drift_from_averages(),
        "start term at least that of Theorem 3": _start_term(start),
    }
    # N = K = 2 identical clients F = w^2/2, p = 1/2, exact gradients, E = 1, T = 1: nu = varsigma = 1, B = C = 0.
    gap, bound = Fraction(1, 2), start * Fraction(1, 8) * Fraction(8, 2)
    text = f"N=K=2, p=1/2, F_k=w^2/2, exact gradients, E=T=1, w_1=1: gap {gap} > {bound}"
    return decide(
        (all(needs.values()), "an item that the proof of Theorem 3 needs"),
        Tried(1, text, float(start - 1)) if gap > bound else Tried(len(needs)),
        method="The proof of Theorem 3 uses L~, mu~ per client and sigma~, G~ only through (1/N^2) sum sigma~_k^2 and "
        "(1/N) sum E|g~_k|^2 (Lemmas 2, 3, 5 with weights 1/N); each is bounded with the printed constants.",
        valid_for="all N >= 2, K <= N, p > 0, d; sigma = max_k sigma_k",
        numbers={k: str(v) for k, v in needs.items()},
    )


def _start_term(start: Fraction) -> bool:
    """``start * mu gamma/2 Delta_1 >= mu gamma/2 Delta_1``, the term that Theorem 3 gives for the rescaled problem."""
    mu, gamma, delta = sp.symbols("mu gamma Delta", nonnegative=True)
    given = mu * gamma / 2 * delta
    return nonnegative_on(start * given - given, [(mu, Open(0), None), (gamma, 8, None), (delta, 0, None)])


def _drift_from_averages() -> bool:
    """|sum of m terms|^2 <= m sum of |terms|^2 (Lemma 3's Jensen step) for each client, so averages over clients suffice.

    For a generic pair of terms a, b: m sum|a_i|^2 - |sum a_i|^2 = sum_{i<j} |a_i - a_j|^2, checked for the pair's share.
    """
    a, b = sp.symbols("a b", real=True)
    return equal(2 * (a**2 + b**2) - (a + b) ** 2, (a - b) ** 2)


if __name__ == "__main__":
    run_script(__file__)
