r"""Lemma 4 of Li et al. (2020): Schemes I and II are unbiased, the original rule is not.

Means are derived (:mod:`verify.li2020.derivations.sampling`); complete enumeration in rationals on small systems finds the
counterexamples of what is false.
"""

from collections.abc import Sequence

from fltheory.evidence.kinds import probability_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.notation import AbsentSum, CohortSum
from fltheory.theory.sampling import K, N
from verify.li2020.cohort_checks import judged, part, together
from verify.li2020.derivations.sampling import form_of
from verify.li2020.displays import appendix_b as shown
from verify.li2020.displays.notation import count, displays, over_cohorts, p, v, vbar, w0

SIZES = "all 1 <= K <= N, all weights, all dimensions (N = 1: its one client is drawn)"
unbiased_claim = probability_claim.sharing(source="Section B.2, Lemma 4")


@unbiased_claim(
    "LI-B2-UNB.1",
    headline="Sampling by weight with replacement leaves the mean of the averaged model unchanged",
    statement=shown.scheme_i,
    summary="Scheme I (K draws with replacement with probabilities p, plain average) leaves the mean of the average "
    "unchanged. The cohort is independent of the local models; Lemma 4 prints the index t for the cohort of step t+1.",
    printed=dict(drawn="I", divisor=0),
    controls=[
        Control("draws uniform instead of with law p", dict(drawn="uniform draws")),
        Control("average over K+1 instead of K", dict(divisor=1)),
    ],
)
def scheme_one(drawn: str, divisor: int) -> Evidence:
    line = form_of(shown.scheme_i, f"(K + {divisor})/K")
    return judged(drawn, line, valid_for="all N, K >= 1, all weights, all dimensions")


@unbiased_claim(
    "LI-B2-UNB.2",
    headline="A uniform subset with rescaled weights leaves the mean of the averaged model unchanged",
    statement=shown.scheme_ii,
    summary="Scheme II (uniform K-subset, weights p_k N/K) leaves the mean of the average unchanged, for unequal "
    "weights as well. The cohort is independent of the local models.",
    printed=dict(scale="N/K"),
    controls=[Control("no factor N/K", dict(scale="1")), Control("factor (N-1)/K", dict(scale="(N-1)/K"))],
)
def scheme_two(scale: str) -> Evidence:
    # (N/K) p_k v^k over the cohort is the plain average of N p_k v^k
    return judged("II", form_of(shown.scheme_ii, f"N/K/({scale})", of="pv"), of="pv", valid_for=SIZES)


@probability_claim(
    "LI-LEM4-KEY",
    headline="Draws of one law have the expected sum however much they depend on each other",
    statement=(
        shown.key_draws,
        r",\quad ",
        shown.key_first,
        r",\quad ",
        shown.key_mean,
        r",\quad q=p\ \text{(I)},\ q=1/N\ \text{(II)}",
    ),
    summary="A sum over K draws that all have the law q has mean K times the q-average, however dependent the draws "
    "are; with replacement q is p, for a uniform subset q is 1/N.",
    source="Section B.4, proof of Lemma 4",
    printed=dict(terms=0, joint=("I", "one draw for all", "II")),
    controls=[
        Control("K-1 terms instead of K", dict(terms=-1)),
        Control(
            "draws proportional to p among those left (not identically distributed)", dict(joint=("successive draws",))
        ),
    ],
)
def key_observation(terms: int, joint: Sequence[str]) -> Evidence:
    first = f"(K + {terms})*mean(one, l)"
    forms = f"sq(K*mean(drawn, S) - {first})", f"sq({first} - K*mean(v, k))"
    found = [part(drawn, *forms) for drawn in joint]
    return together(*found, valid_for="all N, K, all laws q, any dependence between the draws")


original_mean_bound = displays("Appendix B.2")(
    "mean of the original rule, in closed form",
    over_cohorts(AbsentSum(count, p * w0) + CohortSum(count, p * v)),
    "=",
    (1 - K / N) * w0 + K / N * vbar,
    "LI-LEM4-ORIG.1",
)
of_the_original_rule = probability_claim.sharing(source="Section B.2 with Table 1")
_NEW = "(w + K/N*mean(drawn, S))"  # the plain average of N p_k (v^k - w), shortened to K/N


@of_the_original_rule(
    "LI-LEM4-ORIG.1",
    headline="The original averaging rule takes on average only the sampled share of a full step",
    statement=original_mean_bound,
    summary="Mean of the original averaging rule in closed form: the full-participation step shortened to K/N of its "
    "length, that is, a server step of size K/N towards the unbiased average.",
    printed=dict(kept="1 - K/N"),
    controls=[
        Control("kept weight 1 - (K-1)/(N-1)", dict(kept="1 - (K-1)/(N-1)")),
        Control("unbiased (kept weight 0)", dict(kept="0")),
    ],
)
def original_mean(kept: str) -> Evidence:
    form = f"sq({_NEW} - ({kept})*w - (1 - ({kept}))*mean(pv, k))"
    return judged("II", form, of="change", valid_for=SIZES)


@of_the_original_rule(
    "LI-LEM4-ORIG.2",
    headline="The original averaging rule is biased in every partial round that moves the average",
    statement=r"\mathbb{E}_S\bar w_{t+1}-\bar v_{t+1}=\Big(1-\tfrac KN\Big)(w_t-\bar v_{t+1}),\quad "
    r"\|\mathbb{E}_S\bar w_{t+1}-\bar v_{t+1}\|\ge\tfrac1N\|w_t-\bar v_{t+1}\|\quad\text{for } K<N",
    summary="The original averaging rule is biased in every round in which the average moves, as soon as K < N.",
    printed=dict(absent=1),
    controls=[Control("K = N", dict(absent=0))],
)
def original_biased(absent: int) -> Evidence:
    bias, moved = f"{_NEW} - mean(pv, k)", "w - mean(pv, k)"
    least = {"relation": ">=", "squares": [["(1 - K/N)**2 - 1/N**2", moved]]}
    forms = f"sq({bias} - (1 - K/N)*({moved}))", {"form": f"sq({bias}) - sq({moved})/N**2", **least}
    return judged("II", *forms, of="change", absent=absent, valid_for="all 1 <= K < N, all weights")


if __name__ == "__main__":
    run_script(__file__)
