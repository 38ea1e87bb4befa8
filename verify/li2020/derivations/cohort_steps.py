"""What one step does in Li et al. (2020) when clients are drawn, rescaled or few: short derivations of Sections 1 to 3 and D.2."""

from collections.abc import Mapping

from fltheory.derivation.packs import UNBIASED, suppose
from fltheory.derivation.script import Derivation
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON


def drawn(title: str, of: str, scheme: str, size: str = "K", **vector: object) -> Derivation:
    """Clients with their weights and a cohort of them, M the average of the vectors ``of`` over it."""
    d = Derivation(f"Li et al., {title}")
    declare(d, "axes k S; N >= 2; 1 <= K <= N; eta, D2 >= 0; w, total; d over k")
    d.vector(of, "k", **vector)
    more = {"count": "N"} if scheme == "without replacement" else {}
    d.cohort("M", of=of, clients="k", axis="S", scheme=scheme, size=size, **more)
    return d


def same(d: Derivation, name: str, left: str, right: str, over: str = "S") -> None:
    """Two vectors are the same: the square of their difference is zero."""
    d.combine(name, f"sq({left} - ({right}))", over=over, relation="=")


def only_variance(scheme: str) -> Mapping[str, JSON]:
    """Models v_k = w - eta d_k: the mean over cohorts is that of all clients, and the variance at most eta^2 D^2/K."""
    d = drawn("partial participation", "v", scheme, equals="w - eta*d")
    same(d, "mean", "mean(M, S)", "mean(v, k)")
    granted(d, "every gradient bounded", fact="displacements", G2="D2", gradient="d")
    share = "1/K" if scheme == "with replacement" else "(N - K)/(K*(N - 1))"
    d.combine("at most 1/K", f"1/K - {share}")
    facts = {"M": "-1", "displacements": f"eta**2*({share})", "at most 1/K": "eta**2*D2"}
    squares = [[f"eta**2*({share})", "mean(d, k)"]]
    d.combine("variance", "eta**2*D2/K - sq(M - mean(v, k))", over="S k", facts=facts, squares=squares, unfold="v")
    return d.concluding("mean", "variance")


def full_participation() -> Mapping[str, JSON]:
    """All clients: the average is vbar itself, whatever the rule does with absent ones."""
    d = Derivation("Li et al., full participation")
    declare(d, "axes k; v over k; wbar = mean(v, k)")
    d.combine("mean", "sq(wbar - mean(v, k))", relation="=", unfold="wbar")
    return d.concluding("mean")


def variance_given_the_models() -> Mapping[str, JSON]:
    """E_S |wbar - vbar|^2 is the variance of wbar over the cohort, for every scheme with the right mean."""
    d = drawn("variance of the sampled average", "v", "equal inclusion")
    d.combine("variance", "sq(M - mean(v, k)) - sq(M - mean(M, S))", over="S", relation="=")
    return d.concluding("variance")


def total_weight(factor: str) -> Mapping[str, JSON]:
    """E[factor sum of p_k over S] = 1 for a uniform K-subset: v_k = p_k times a vector, and the p_k add up to one."""
    weights = [["k", "total/N", "the weights add up to one"]]
    d = drawn("total weight of a uniform cohort", "v", "without replacement", mean=weights)
    same(d, "total weight", f"({factor})*K*mean(M, S)", "total")
    return d.concluding("total weight")


def device_drawn() -> Mapping[str, JSON]:
    """A device drawn by the weights: the mean of what depends on the device (v_k = D_k(A) times a vector) is the p-mean."""
    d = drawn("mixture of the local laws", "v", "with replacement", size="1")
    same(d, "mixture", "mean(M, S)", "mean(v, k)")
    return d.concluding("mixture")


def transformed_average(weight: str) -> Mapping[str, JSON]:
    """Scheme II on the transformed problem: (N/K) weight times the sum over the cohort is its plain average, unbiased."""
    d = drawn("Scheme II on the transformed problem", "v", "without replacement")
    declare(d, f"0 <= p <= 1; average over S = (N/K)*({weight})*(K*M)")
    d.combine("plain average", "sq(average - M)", over="S", relation="=", unfold="average")
    d.combine("unbiased", "sq(mean(average, S) - mean(v, k))", relation="=", unfold="average")
    d.combine("total weight", f"K*(N/K)*({weight}) - 1", relation="=")
    return d.concluding("plain average", "unbiased", "total weight")


def stratified_batch(*, common: bool = False) -> Mapping[str, JSON]:
    """E = 1 with stochastic gradients: a step of SGD on F, its gradient unbiased and of variance V at most sum_k p_k^2 sigma_k^2.

    ``common``: the devices have the same noise.
    """
    d = Derivation("Li et al., FedAvg with one stochastic local step")
    declare(d, "axes k xi; eta >= 0")
    d.parameter("sigma2", 0, varies="k", latex=r"\sigma_k^2")
    declare(d, "function F_k over k; function F")
    d.vector("w", latex="w_t")
    declare(d, "F_k at w as f_k, g_k; F at w as f, G = mean(g_k, k)")
    d.vector("noise", "xi" if common else "k xi", mean=[["xi", "0", UNBIASED]])
    d.vector("g", "k xi", equals="g_k + noise", latex=r"\nabla F_k(w_t,\xi_t^k)")
    d.vector("x", "k xi", equals="w - eta*g", latex="w_{t+1}^k")
    suppose(d, "bounded variance", sigma2="sigma2", noise="noise")
    d.combine("a step", "sq(mean(x, k) - (w - eta*mean(g, k)))", over="xi", relation="=", unfold="x")
    d.combine("unbiased", "sq(mean(g, k, xi) - G)", relation="=", unfold="g G")
    d.assume("of each device", "bounded variance")
    d.independent("V", "of each device", noise="noise", clients="k", total="V")
    d.combine("variance", "V - sq(mean(g, k) - G)", over="xi", facts={"V": "1"}, unfold="g G")
    return d.concluding("a step", "unbiased", "variance")


def softmax_modulus(modulus: str) -> Mapping[str, JSON]:
    """Second derivative of softmax regression along V, v_i the move of the logit of class i: a variance and 2 lambda |V|^2."""
    d = Derivation("Li et al., modulus of softmax regression")
    d.axis("i", "clients")  # classes with their softmax probabilities
    declare(d, "axes sample:steps; lam >= 0; V; v over i sample")
    target = f"sq(v) - sq(mean(v, i)) + 2*lam*sq(V) - ({modulus})*lam*sq(V)"
    squares = [["1", "v - mean(v, i)"], [f"(2 - ({modulus}))*lam", "V"]]
    d.combine("modulus", target, over="i sample", squares=squares)
    return d.concluding("modulus")
