"""Section 3 of FedLAMA: the problem, the model discrepancy, and what it has to do with gradients, noise and heterogeneity."""

from fltheory.evidence.algebra import statement_in_mean, statement_of_algebra
from fltheory.evidence.in_mean import use
from fltheory.evidence.kinds import (
    algebra_claim,
    definition_claim,
    expectation_claim,
    inequality_claim,
    qualitative_claim,
    run_script,
)
from fltheory.evidence.relations import Relations
from verify.fedlama2021.round_words import OfARound, refuted

SETTING = "Section 3"
POINTS = {"u": "u", "x": "x^i", "g_u": r"\nabla F_i(u)", "g_x": r"\nabla F_i(x^i)", "v": "v", "eta": r"\eta"}
#: Clients with L-Lipschitz gradients, at their own points and at the synchronised one.
CLIENTS = "u; x over k; function F over k; F at u, x"
LIPSCHITZ = use("Lipschitz gradients", "x u", of="F", L="L")

of_the_gradients = inequality_claim.sharing(source=SETTING)

problem = statement_in_mean(
    "LA-DEF1",
    OfARound(
        "sq(mean(h, k, xi) - mean(g, k)) = 0",
        things="g over k; h over k xi, mean g over xi",
        names={"g": r"\nabla F_i(x)", "h": r"\nabla F_i(x,\xi_i)"},
    ),
    false={"twice the mean": ("- mean(g, k)", "- 2*mean(g, k)")},
    without={"samples of another law": "mean of h"},
    group=definition_claim,
    source="(1)",
    headline="The objective weighs all clients alike, whatever the number of their samples",
    summary="F is the mean over the clients, with equal weights, of the expected loss of a client, so that its "
    "gradient is the mean over clients and samples of the gradients of samples. The number of a client's samples does "
    "not enter.",
    assumptions=("F_i(x) = E F_i(x, xi_i)",),
)

discrepancy = statement_in_mean(
    "LA-DEF2",
    OfARound("sq(v - x) = sq(mean(x, k) - x) + sq(v - mean(x, k))", things="v; x over k", over="k", names=POINTS),
    false={"the second term twice": ("+ sq(v - mean(x, k))", "+ 2*sq(v - mean(x, k))")},
    group=definition_claim,
    source="Section 3, display before Section 4",
    headline="The model discrepancy is taken about the point from which it is smallest",
    summary="The discrepancy is the mean squared distance of the clients' models from the synchronised model, which is "
    "their average; from any other point v the mean squared distance is larger by the squared distance of v from that "
    "average.",
)

averaged_gradients = statement_in_mean(
    "LA-DISC-GRAD[average of the local gradients]",
    OfARound(
        "sq(mean(g_x - g_u, k)) <= L**2*sq(x - u) for L >= 0",
        things=CLIENTS,
        over="k",
        uses=[LIPSCHITZ],
        squares=[("1", "g_x - g_u - mean(g_x - g_u, k)")],
        names=POINTS,
    ),
    false={"99/100 of it": ("<= L**2", "<= 99/100*L**2")},
    without={"gradients that are not Lipschitz": "Lipschitz gradients"},
    group=of_the_gradients,
    headline="The discrepancy bounds how far the averaged local gradient is from the global one",
    summary="With L-Lipschitz local gradients the mean of the local gradients, each at its client's own model, is "
    "within L times the root of the discrepancy of the gradient of F at u, for any clients.",
)

own_gradients = statement_in_mean(
    "LA-DISC-GRAD[each local gradient against its value at u]",
    OfARound("sq(g_x - g_u) <= L**2*sq(x - u) for L >= 0", things=CLIENTS, over="k", uses=[LIPSCHITZ], names=POINTS),
    false={"99/100 of it": ("<= L**2", "<= 99/100*L**2")},
    without={"gradients that are not Lipschitz": "Lipschitz gradients"},
    group=of_the_gradients,
    headline="The discrepancy bounds how far each local gradient moves from its value at u",
    summary="The mean squared difference between a client's gradient at its own model and the same client's gradient "
    "at u is at most L^2 times the discrepancy.",
)

#: Two clients at the same point, with gradients a and b there; d is the discrepancy.
_GLOBAL = Relations("((a - (a + b)/2)**2 + (b - (a + b)/2)**2)/2 <= L**2*d for L > 0; d = 0")
global_gradient = refuted(
    "LA-DISC-GRAD[each local gradient against the global one]",
    _GLOBAL,
    ("equal clients", Relations("((a - (a + b)/2)**2 + (b - (a + b)/2)**2)/2 <= L**2*d for L > 0; d = 0; b = a")),
    says=r"\tfrac1m\sum_i\|\nabla F_i(x^i)-\nabla F(u)\|^2\le\tfrac{L^2}m\sum_i\|x^i-u\|^2",
    group=of_the_gradients,
    fault="reading",
    repair="LA-DISC-GRAD[average of the local gradients]",
    headline="Each local gradient by itself may be far from the global one where the discrepancy is zero",
    summary="Read client by client the sentence fails for clients with different objectives: with all models equal the "
    "discrepancy is zero, and the local gradients still differ from the global one.",
)

noise_alone = statement_in_mean(
    "LA-DISC-IID",
    OfARound(
        "sq(z - eta*n - mean(z - eta*n, k)) = sq(z - mean(z, k)) + eta**2*s*(1 - 1/m) for eta > 0; s >= 0; m >= 1",
        things="z over k past; n over k xi past, mean 0 over xi; b over xi past = mean(n, k)",
        over="k xi past",
        uses=[
            use("noise of known variance", times="-eta**2", noise="n", V="s"),
            use("second moment", times="-eta**2", noise="b", V="s/m"),
        ],
        names={"z": "z^i", "n": "n^i", "s": "s^2", "eta": r"\eta"},
        unfold="b",
    ),
    false={"no noise is averaged out": ("*(1 - 1/m)", "")},
    without={"all clients with the same noise": "second moment"},
    group=expectation_claim,
    quick=False,
    source="Section 3, last sentence",
    headline="Gradient noise alone keeps clients with equal data apart",
    summary="A local step adds eta^2 s^2 (1 - 1/m) to the expected discrepancy that the step without noise would "
    "leave, for any objectives, equal or not. So it is positive after every local step of two or more clients if s > 0; "
    "with gradients that are the same for all clients and do not depend on the model, from equal models, it is "
    "eta^2 tau s^2 (1 - 1/m) after tau steps. For one client, or without noise, it may be zero.",
    assumptions=(
        "the noises of a step have mean zero given the past and the same variance s^2",
        "the noises of different clients are uncorrelated, so that their average has the variance s^2/m",
    ),
)

_BOUND = "6*eta**2*L**2*tau*(tau - 1)"
in_the_bound = statement_of_algebra(
    "LA-HETSLOW",
    Relations(f"{_BOUND}*a < {_BOUND}*(a + b) for eta > 0; L > 0; tau >= 2; a >= 0; b > 0", names={"a": r"\kappa^2"}),
    false={"one local step": ("tau >= 2", "tau >= 1")},
    group=algebra_claim,
    source=SETTING,
    headline="With two or more local steps the bound of the theorem grows with the heterogeneity",
    summary="The term of Theorem 5.3 that carries the heterogeneity constant grows with it as soon as a round has two "
    "local steps; with one local step the term is zero and heterogeneity does not matter.",
)

_PARABOLAS = "((1 - q)*c + q*x + (1 - q)*(-c) + q*x)/2 = q*x for 0 < q < 1; c > 0; x > 0"
on_parabolas = statement_of_algebra(
    "LA-HETSLOW-U1",
    Relations(_PARABOLAS, names={"q": r"(1-\eta h)^\tau"}),
    says=r"F_{1,2}(x)=\tfrac h2(x\mp c)^2,\ q=(1-\eta h)^\tau:\quad ",
    false={"clients that lie on one side": ("(1 - q)*(-c)", "(1 - q)*c")},
    group=qualitative_claim,
    source=SETTING,
    headline="On parabolas of one curvature heterogeneity does not slow FedAvg down at all",
    summary="The limit of its use: on two parabolas of the same curvature, with minimisers at c and -c, the average of "
    "the clients after a round of FedAvg is q x for every c, so that it takes the same path to the optimum 0 however "
    "far apart the clients' minimisers are.",
)


if __name__ == "__main__":
    run_script(__file__)
