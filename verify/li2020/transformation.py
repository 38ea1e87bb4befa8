"""The rescaling ``F~_k = p_k N F_k`` of Section 3.3 of Li et al. (2020): which of its constants are right, and where.

With ``nu = N max p_k`` and ``varsigma = N min p_k``: smoothness and strong convexity scale as printed.  A standard
deviation or gradient norm scales by ``p_k N``, so device by device the factor is nu, not sqrt(nu).  In the two averages in
which the proofs use these constants, sqrt(nu) is enough.
"""

from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.derive import Script, by_derivation
from fltheory.evidence.ends import by_witness, tried
from fltheory.evidence.kinds import expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Outcome, Rung, Tightness
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.proofs import Open, equal, nonnegative_on
from verify.li2020.derivations import clients

_N, _x, _s = sp.symbols("N x s", nonnegative=True)
_p1, _p2 = sp.symbols("p_1 p_2", nonnegative=True)
_SPLIT = (Fraction(3, 4), Fraction(1, 4))
_METHOD = "Derived for a generic client from what is assumed of F_k and p_k <= max p, p_k >= min p."


def _judge(script: Script, witness: Witness, attained_by: str) -> Evidence:
    """The derivation, whose constant some clients attain, else the witness if it is one, else neither."""
    sharp = Tightness(1.0, Rung.EXACT, attained_by)
    return by_derivation(script, tried(witness), method=_METHOD, valid_for="all N, p, d", tightness=sharp)


def _two_clients(name: str, left: sp.Expr, relation: str, right: sp.Expr) -> Witness:
    """F_k = x w^2/2 and variances s with x = s = 1, weights 3/4 and 1/4; ``nu = N p_1``, ``varsigma = N p_2``."""
    at = {_N: 2, _p1: _SPLIT[0], _p2: _SPLIT[1], _x: 1, _s: 1}
    return Witness(
        at, Side(name, left), relation, right, [(_p1 + _p2, "=", 1), (_p1, ">=", _p2)], "F_k = x w^2/2, variance s"
    )


constants_claim = inequality_claim.sharing(source="Section 3.3")


@constants_claim(
    "LI-TRANS-b",
    statement=r"\tilde F_k \text{ is } \nu L\text{-smooth},\ \nu = N\max_k p_k",
    summary="The rescaled objectives are nu L-smooth.",
    printed=dict(factor=Fraction(1)),
    controls=[Control("nu -> 0.99 nu (tight)", dict(factor=Fraction(99, 100)))],
)
def smoothness(factor: Fraction) -> Evidence:
    """The upper quadratic bound of F~_k is p_k N times that of F_k."""
    return _judge(
        lambda: clients.curvature(1, f"({factor})*nu*L"),
        _two_clients("curvature of F~_1", _p1 * _N * _x, "<=", factor * _N * _p1 * _x),
        "the client of largest weight",
    )


@constants_claim(
    "LI-TRANS-c",
    statement=r"\tilde F_k \text{ is } \varsigma\mu\text{-strongly convex},\ \varsigma = N\min_k p_k",
    summary="The rescaled objectives are (N min p) mu-strongly convex.",
    printed=dict(factor=Fraction(1)),
    controls=[Control("varsigma -> 1.01 varsigma (tight)", dict(factor=Fraction(101, 100)))],
)
def strong_convexity(factor: Fraction) -> Evidence:
    """The lower quadratic bound of F~_k is p_k N times that of F_k."""
    return _judge(
        lambda: clients.curvature(-1, f"({factor})*varsigma*mu"),
        _two_clients("curvature of F~_2", _p2 * _N * _x, ">=", factor * _N * _p2 * _x),
        "the client of smallest weight",
    )


def _device_wise(power: Fraction, factor: Fraction, centred: bool) -> Evidence:
    """Claim: (p_k N)^2 s <= factor nu^(2 power) s for every client; s is sigma_k^2 (``centred``) or G^2."""
    return _judge(
        lambda: clients.device_wise(f"({factor})*nu**{2 * power}*s", centred=centred),
        _two_clients(
            "variance or second moment of client 1", (_p1 * _N) ** 2 * _s, "<=", factor * (_p1 * _N) ** (2 * power) * _s
        ),
        "the client of largest weight",
    )


def _in_the_average(which: str, factor: Fraction) -> Evidence:
    """The averages of the proofs: (1/N^2) sum (p_k N)^2 s_k (variance), (1/N) sum (p_k N)^2 s (second moment), s_k <= s."""
    scale = _s if which == "variance" else _N * _s
    return _judge(
        lambda: clients.in_the_average(
            str(factor), *(("1/N",) if which == "variance" else ("1",)), centred=which == "variance"
        ),
        Witness(
            {_p1: 1, _N: 1, _s: 1}, Side("average", scale * _p1**2), "<=", factor * scale * _p1, [(_p1, "=", 1 / _N)]
        ),
        "equal weights",
    )


_TIGHT = [Control("factor 1 -> 0.99 (tight)", dict(factor=Fraction(99, 100)))]
_device_wise_claim = constants_claim.sharing(controls=[Control("sqrt(nu) -> nu", dict(power=Fraction(1)), must="pass")])
_repaired_claim = inequality_claim.sharing(source="repairs Section 3.3", controls=_TIGHT)

deviation_device = _device_wise_claim(
    "LI-TRANS-d[device by device]",
    fault="reading",
    statement=r"\tilde\sigma_k = \sqrt{\nu}\,\sigma",
    repair="LI-TRANS-d-R1",
    headline="Rescaling a client's loss can multiply its noise by more than the paper says",
    summary="Standard deviation of the rescaled client's gradient bounded by sqrt(nu) sigma; it is p_k N sigma_k, up "
    "to nu sigma.",
    printed=dict(power=Fraction(1, 2), factor=Fraction(1), centred=True),
)(_device_wise)

deviation_device_repaired = _repaired_claim(
    "LI-TRANS-d-R1",
    headline="Rescaling a client's loss multiplies its noise by at most the largest relative weight",
    statement=r"\tilde\sigma_k = p_k N \sigma_k \le \nu\,\sigma_k",
    summary="Corrected: the rescaled standard deviation is at most nu sigma_k.",
    printed=dict(power=Fraction(1), factor=Fraction(1), centred=True),
)(_device_wise)

deviation_average = inequality_claim(
    "LI-TRANS-d[in the average of B]",
    headline="The printed noise constant of rescaled clients is enough where it is used, in an average",
    statement=r"\tfrac1{N^2}\sum_k\mathbb{E}\|p_kNz_k\|^2\le\tfrac1{N^2}\sum_k\nu\sigma^2,\quad "
    r"z_k\text{ the noise of the gradient of }F_k,\ \mathbb{E}\|z_k\|^2\le\sigma^2,\ \nu=N\max_kp_k",
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
    headline="Rescaling a client's loss can enlarge its gradients by more than the paper says",
    summary="Uniform bound of the rescaled stochastic gradients by sqrt(nu) G; the rescaled norm is p_k N times, up "
    "to nu.",
    printed=dict(power=Fraction(1, 2), factor=Fraction(1), centred=False),
)(_device_wise)

norm_device_repaired = _repaired_claim(
    "LI-TRANS-e-R1",
    statement=r"\tilde G = \nu\,G",
    summary="Corrected: the uniform bound of the rescaled gradients is nu G.",
    printed=dict(power=Fraction(1), factor=Fraction(1), centred=False),
)(_device_wise)

norm_average = inequality_claim(
    "LI-TRANS-e[in the client average]",
    headline="The printed gradient constant of rescaled clients is enough in the average over clients",
    statement=r"\tfrac1N\sum_k\mathbb{E}\|p_kNz_k\|^2\le\nu G^2,\quad "
    r"z_k\text{ the stochastic gradient of }F_k,\ \mathbb{E}\|z_k\|^2\le G^2,\ \nu=N\max_kp_k",
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
    headline="Theorem 3 for rescaled clients stands, although client by client its constants are wrong",
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
        "smoothness nu L": smoothness.check(Fraction(1)).outcome is Outcome.HOLDS,
        "strong convexity varsigma mu": strong_convexity.check(Fraction(1)).outcome is Outcome.HOLDS,
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
