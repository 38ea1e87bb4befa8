"""Proof of Lemma 5.1 of FedLAMA, (12) to (16): the update of a round, the descent lemma, and the term T1.

Sums over the m clients and tau local steps are m tau times means.
"""

from __future__ import annotations

from functools import partial

from fltheory.evidence.algebra import statement_in_mean
from fltheory.evidence.in_mean import use
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from verify.fedlama2021.round_words import NAMES, OfARound

RANGES = "tau >= 1"
#: The gradient of F at u, of the clients there, and the clients' gradients at their points with noise.
ROUND = "q over k past; G over past = mean(q, k); h over k j xi past; n over k j xi past, mean 0 over xi"
stated = partial(OfARound, names=NAMES)

update = statement_in_mean(
    "LA-EQ12",
    stated(
        "sq(mean(x, k) - (u - eta*tau*mean(g, k, j))) = 0 for eta > 0; tau >= 1",
        things="u; g over k j; x over k = u - eta*tau*mean(g, j)",
        unfold="x",
    ),
    false={"one step in place of tau": ("eta*tau*mean(g, k, j)", "eta*mean(g, k, j)")},
    group=identity_claim,
    source="(12)",
    headline="A round of local SGD moves the average model by the averaged sum of gradients",
    summary="With periodic full averaging u_{t+1} = u_t - eta Delta_t, Delta_t the mean over clients of the sums of "
    "their tau stochastic gradients; it is what tau steps from u_t and one average give. For layer-wise "
    "synchronisation see LA-ALG1-MEAN.",
)

descent = statement_in_mean(
    "LA-EQ13",
    stated(
        "f_w - f_u <= -eta*tau*sq(mean(g_u, k)) + eta*dot(-mean(g_u, k), D - tau*mean(g_u, k)) + L*eta**2/2*sq(D) "
        "for eta > 0; tau >= 1; L >= 0",
        things="u over past; D over xi past; w over xi past = u - eta*D; function F over k; F at u, w",
        over="k xi past",
        uses=[use("smooth", "u w", of="F", L="L")],
        unfold="w",
    ),
    false={"99/100 of the last term": ("+ L*eta**2/2", "+ 99/100*L*eta**2/2")},
    without={"F is not smooth": "smooth"},
    says=r"u_{t+1}=u_t-\eta\Delta_t:\quad ",
    group=inequality_claim,
    source="(13)",
    headline="Smoothness splits the decrease of a round into a squared gradient and two terms",
    summary="The quadratic upper bound of smooth functions at u_{t+1} = u_t - eta Delta_t, with tau times the gradient "
    "of F added and taken away.",
)

unbiased = statement_in_mean(
    "LA-T1-UNB",
    stated(
        "dot(-G, tau*mean(h + n, k, j) - tau*G) = dot(-G, tau*mean(h - q, k, j)) for tau >= 1",
        things=ROUND,
        over="xi past",
        unfold="G",
    ),
    false={"the gradients at u": ("tau*mean(h - q, k, j)) for", "tau*mean(q - q, k, j)) for")},
    without={"a biased gradient": "mean of n"},
    group=identity_claim,
    source="proof of Lemma 5.1, T1, second and third line",
    headline="Against the gradient at the start of a round, stochastic gradients count as full ones",
    summary="In the inner product with grad F(u_t), which was known before the round, each stochastic gradient may be "
    "replaced by the full-batch gradient at the same point, and tau grad F(u_t) is the mean over clients of tau "
    "gradients at u_t.",
    assumptions=("every noise has mean zero given all that was drawn before it",),
)

three_squares = statement_in_mean(
    "LA-EQ14",
    stated(
        "dot(-G, tau*mean(h, k, j) - tau*G) = tau/2*sq(G) + tau/2*sq(mean(h - q, k, j)) - tau/2*sq(mean(h, k, j)) for "
        "tau >= 1",
        things=ROUND,
        over="xi past",
        unfold="G",
    ),
    false={"the last term twice": ("- tau/2*sq(mean(h, k, j))", "- tau*sq(mean(h, k, j))")},
    group=identity_claim,
    source="(14) and the two lines below it",
    headline="The first term of the proof is a sum of three squares",
    summary="The product of a and b is half of |a|^2 + |b|^2 - |a - b|^2; with a = -sqrt(tau) grad F(u_t) and b the "
    "scaled difference of the summed gradients it is (14), and the two lines below are the same with grad F the mean "
    "of the local ones.",
)

jensen = statement_in_mean(
    "LA-EQ15",
    stated(
        "tau/2*sq(mean(h - q, k, j)) <= tau/2*sq(h - q) for tau >= 1",
        things="q over k; h over k j",
        over="k j",
        squares=[("tau/2", "h - q - mean(h - q, k, j)")],
    ),
    false={"99/100 of it": ("<= tau/2", "<= 99/100*tau/2")},
    group=inequality_claim,
    source="(15)",
    headline="The squared norm of a sum over clients and steps is at most their number times the squares",
    summary="The squared norm of the sum of m tau differences, divided by 2 m^2 tau, is at most the sum of their "
    "squared norms divided by 2 m; they are equal only if all differences are equal.",
)

lipschitz = statement_in_mean(
    "LA-EQ16",
    stated(
        "tau/2*sq(g_x - g_u) <= L**2*tau/2*sq(x - u) for tau >= 1; L >= 0",
        things="u over past; x over k j xi past; function F over k; F at u, x",
        over="k j xi past",
        uses=[use("Lipschitz gradients", "u x", times="tau/2", of="F", L="L")],
    ),
    false={"99/100 of it": ("<= L**2", "<= 99/100*L**2")},
    without={"gradients that are not Lipschitz": "Lipschitz gradients"},
    group=inequality_claim,
    source="(16)",
    headline="Gradients that differ no more than L times the points bound the first term by the drift",
    summary="Assumption 1 gives the bound: for each client between its local point and u_t, summed over clients and steps.",
)


if __name__ == "__main__":
    run_script(__file__)
