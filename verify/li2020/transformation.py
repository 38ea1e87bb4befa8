"""The rescaling ``F~_k = p_k N F_k`` of Section 3.3 of Li et al. (2020): which of its constants are right, and where.

With ``nu = N max p_k`` and ``varsigma = N min p_k``: smoothness and strong convexity scale as printed.  A standard
deviation or gradient norm scales by ``p_k N``, so device by device the factor is nu, not sqrt(nu).  In the two averages in
which the proofs use these constants, sqrt(nu) is enough.
"""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_in_mean
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Outcome, Rung, Tightness
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from verify.li2020.derivations import clients

_N, _s, _p1, _p2 = sp.symbols("N s p_1 p_2", nonnegative=True)
_SPLIT = (Fraction(3, 4), Fraction(1, 4))
_LARGEST = Tightness(1.0, Rung.EXACT, "the client of largest weight")
_NAMES = {"p": "p_k", "top": r"\max_kp_k", "low": r"\min_kp_k", "s": r"\sigma_k^2", "z": "z_k"}
_POINTS = {"things": "function F over k; x; y; F at x, y", "varies": {"p": "k"}, "names": _NAMES}
_RESCALED = r"\text{for }\tilde F_k=p_kNF_k:\quad "

constants_claim = inequality_claim.sharing(source="Section 3.3")

smoothness = statement_in_mean(
    "LI-TRANS-b",
    InMean(
        "N*p*(f_y - f_x - dot(g_x, y - x)) <= N*top*L/2*sq(y - x) for N >= 1; L > 0; 0 < top <= 1; 0 <= p <= top",
        uses=[use("smooth", "x y", "N*p", of="F", L="L")],
        squares=[("N*L*(top - p)/2", "y - x")],
        **_POINTS,
    ),
    says=rf"\nu=N\max_kp_k,\ {_RESCALED}",
    false={"nu -> 0.99 nu (tight)": ("N*top*L", "99/100*N*top*L")},
    group=constants_claim,
    summary="The rescaled objectives are nu L-smooth.",
    tightness=_LARGEST,
)

strong_convexity = statement_in_mean(
    "LI-TRANS-c",
    InMean(
        "N*p*(f_y - f_x - dot(g_x, y - x)) >= N*low*mu/2*sq(y - x) for N >= 1; mu > 0; 0 <= low <= 1; low <= p <= 1",
        uses=[use("strongly convex", "x y", "N*p", of="F", mu="mu")],
        squares=[("N*mu*(p - low)/2", "y - x")],
        **_POINTS,
    ),
    says=rf"\varsigma=N\min_kp_k,\ {_RESCALED}",
    false={"varsigma -> 1.01 varsigma (tight)": ("N*low*mu", "101/100*N*low*mu")},
    group=constants_claim,
    summary="The rescaled objectives are (N min p) mu-strongly convex.",
    tightness=Tightness(1.0, Rung.EXACT, "the client of smallest weight"),
)


def _rescaled_moment(centred: bool, power: int = 2) -> InMean:
    """E|p_k N z|^2 of a client, for the noise (``centred``) or the stochastic gradient z of F_k, against a power of nu."""
    return InMean(
        f"sq(N*p*z) <= (N*top)**{power}*s for N >= 1; s >= 0; 0 < top <= 1; 0 <= p <= top",
        things="z over xi, mean 0 over xi" if centred else "z over xi",
        over="xi",
        uses=[use("bounded variance", times="(N*p)**2", sigma2="s", noise="z")],
        names=_NAMES if centred else {**_NAMES, "s": "G^2"},
    )


def _device_wise(centred: bool, power: int) -> Evidence:
    """With nu in the place of nu^2 it is false for the client of weight 3/4 of two."""
    left, right = Side("variance or second moment of client 1", (_p1 * _N) ** 2 * _s), (_p1 * _N) ** power * _s
    at, given = {_N: 2, _p1: _SPLIT[0], _p2: _SPLIT[1], _s: 1}, [(_p1 + _p2, "=", 1), (_p1, ">=", _p2)]
    witness = Witness(at, left, "<=", right, given)
    return by_derivation(_rescaled_moment(centred, power).derived, tried(witness), valid_for="all N, p, d")


_device_wise_claim = constants_claim.sharing(controls=[Control("sqrt(nu) -> nu", dict(power=2), must="pass")])
_SMALLER = {"factor 1 -> 0.99 (tight)": ("<= (N", "<= 99/100*(N")}
_OF_MOMENTS = r"\nu=N\max_kp_k:\quad "
_repaired_claim = inequality_claim.sharing(source="repairs Section 3.3")

deviation_device = _device_wise_claim(
    "LI-TRANS-d[device by device]",
    fault="reading",
    statement=r"\tilde\sigma_k = \sqrt{\nu}\,\sigma",
    repair="LI-TRANS-d-R1",
    headline="Rescaling a client's loss can multiply its noise by more than the paper says",
    summary="Standard deviation of the rescaled client's gradient bounded by sqrt(nu) sigma; it is p_k N sigma_k, up "
    "to nu sigma.",
    printed=dict(centred=True, power=1),
)(_device_wise)

deviation_device_repaired = statement_in_mean(
    "LI-TRANS-d-R1",
    _rescaled_moment(centred=True),
    says=r"\tilde\sigma_k\le\nu\sigma_k,\ z_k\text{ the noise of the gradient of }F_k,\ \mathbb{E}\|z_k\|^2\le\sigma_k^2,\ "
    + _OF_MOMENTS,
    false=_SMALLER,
    group=_repaired_claim,
    headline="Rescaling a client's loss multiplies its noise by at most the largest relative weight",
    summary="Corrected: the rescaled standard deviation is at most nu sigma_k.",
    tightness=_LARGEST,
)


def _in_the_average(which: str, factor: Fraction) -> Evidence:
    """The averages of the proofs: (1/N^2) sum (p_k N)^2 s_k (variance), (1/N) sum (p_k N)^2 s (second moment), s_k <= s."""
    noise = which == "variance"
    scale = _s if noise else _N * _s
    left, right = Side("average", scale * _p1**2), factor * scale * _p1
    return by_derivation(
        lambda: clients.in_the_average(str(factor), "1/N" if noise else "1", centred=noise),
        tried(Witness({_p1: 1, _N: 1, _s: 1}, left, "<=", right, [(_p1, "=", 1 / _N)])),
        method="Derived for a generic client from what is assumed of F_k and p_k <= max p, p_k >= min p.",
        valid_for="all N, p, d",
        tightness=Tightness(1.0, Rung.EXACT, "equal weights"),
    )


_average_claim = inequality_claim.sharing(
    controls=[Control("factor 1 -> 0.99 (tight)", dict(factor=Fraction(99, 100)))]
)

deviation_average = _average_claim(
    "LI-TRANS-d[in the average of B]",
    headline="The printed noise constant of rescaled clients is enough where it is used, in an average",
    statement=r"\tfrac1{N^2}\sum_k\mathbb{E}\|p_kNz_k\|^2\le\tfrac1{N^2}\sum_k\nu\sigma^2,\quad "
    r"z_k\text{ the noise of the gradient of }F_k,\ \mathbb{E}\|z_k\|^2\le\sigma^2,\ \nu=N\max_kp_k",
    source="Section 3.3 with (5)",
    summary="In B the variances enter as a sum over clients with weights 1/N^2; there sqrt(nu) sigma per client is "
    "enough.",
    printed=dict(which="variance", factor=Fraction(1)),
)(_in_the_average)

norm_device = _device_wise_claim(
    "LI-TRANS-e[device by device]",
    fault="reading",
    statement=r"\tilde G = \sqrt{\nu}\,G",
    repair="LI-TRANS-e-R1",
    headline="Rescaling a client's loss can enlarge its gradients by more than the paper says",
    summary="Uniform bound of the rescaled stochastic gradients by sqrt(nu) G; the rescaled norm is p_k N times, up "
    "to nu.",
    printed=dict(centred=False, power=1),
)(_device_wise)

norm_device_repaired = statement_in_mean(
    "LI-TRANS-e-R1",
    _rescaled_moment(centred=False),
    says=r"\tilde G\le\nu G,\ z_k\text{ the stochastic gradient of }F_k,\ \mathbb{E}\|z_k\|^2\le G^2,\ " + _OF_MOMENTS,
    false=_SMALLER,
    group=_repaired_claim,
    summary="Corrected: the uniform bound of the rescaled gradients is nu G.",
    tightness=_LARGEST,
)

norm_average = _average_claim(
    "LI-TRANS-e[in the client average]",
    headline="The printed gradient constant of rescaled clients is enough in the average over clients",
    statement=r"\tfrac1N\sum_k\mathbb{E}\|p_kNz_k\|^2\le\nu G^2,\quad "
    r"z_k\text{ the stochastic gradient of }F_k,\ \mathbb{E}\|z_k\|^2\le G^2,\ \nu=N\max_kp_k",
    source="Section 3.3 with Lemmas 3 and 5",
    summary="Lemmas 3 and 5 use the gradients' second moments averaged over clients; there sqrt(nu) G is enough.",
    printed=dict(which="second moment", factor=Fraction(1)),
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
    """Two clients, the first of the larger weight, with variances s_1, s_2 of at most s."""
    replaced = "2*s" if common else "s_1 + s_2"
    stated = Relations(
        f"p_1**2*s_1 + p_2**2*s_2 <= 2*p_1*({replaced})/4 "
        "for 0 <= p_2 <= 1/2; p_1 = 1 - p_2; s >= 0; 0 <= s_1 <= s; 0 <= s_2 <= s",
        at={"p_2": "1/4", "s": "1", "s_1": "1", "s_2": "0"},
    )
    return by_relations(stated, method="The average for two clients, the first of the larger weight.", valid_for="")


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
    # F is the plain mean of F~_k; Jensen of Lemma 3 for a pair of terms, so that averages over clients suffice; the start term
    algebra = Relations(
        f"N*p*value/N = p*value; (a + b)**2 <= 2*(a**2 + b**2); mu*gamma/2*D <= {start}*mu*gamma/2*D "
        "for N >= 2; mu > 0; gamma >= 8; D >= 0",
        squares={1: [("1", "a - b")]},
    )
    parts = {
        "variance in B": _in_the_average("variance", Fraction(1)),
        "averaged second moment": _in_the_average("second moment", second_moment),
        "smoothness nu L": smoothness.run(),
        "strong convexity varsigma mu": strong_convexity.run(),
    }
    needs = {name: part.outcome is Outcome.HOLDS for name, part in parts.items()}
    needs["mean of F~_k, drift of Lemma 3 from averages, start term at least that of Theorem 3"] = algebra.proof[0]
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
        prose="the proof of Theorem 3 with these items in the places of those of F_k",
        certificate={"algebra": algebra.certificate, **{name: part.certificate for name, part in parts.items()}},
    )


if __name__ == "__main__":
    run_script(__file__)
