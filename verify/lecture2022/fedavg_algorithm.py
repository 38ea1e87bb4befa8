"""The algorithms as the lecture note lists them: distributed SGD, the FedAvg listing, its messages, the i.i.d. case."""

from dataclasses import replace
from fractions import Fraction

from fltheory.evidence.algebra import by_in_mean, statement_in_mean
from fltheory.evidence.decide import read
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.kinds import definition_claim, identity_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.theory.steps import equality
from verify.lecture2022.derivations.lemma_1 import local_steps
from verify.lecture2022.displays.outside_the_proof import update
from verify.lecture2022.orders import refuted_algebra
from verify.lecture2022.runs import mean

of_the_listing = qualitative_of_an_instance.sharing(source="FedAvg listing")
of_the_update = identity_claim.sharing(source="FedAvg slide, transmitted update")

HALF = Fraction(1, 2)


distributed_sgd = statement_in_mean(
    "LEC-SGD",
    InMean("sq(x - s*mean(g, k) - mean(x - s*g, k)) = 0 for s > 0", things="x; g over k", names={"g": "g_k"}),
    false={"two local steps per worker": ("mean(x - s*g, k)", "mean(x - 2*s*g, k)")},
    group=identity_claim,
    source="distributed SGD slide",
    summary="A mini-batch step equals the average of B workers' single steps, for the same samples.",
)


def listing(first_round: int, members: str) -> Evidence:
    """Execute the listing literally: N=3, M=2, cohorts {2,3}, {1,3}; f_i' = x - i, K=1, s=1/2; xbar^0 = 0 is given."""
    method = (
        "Literal execution of the listing, N=3, M=2, cohorts {2,3} and {1,3}; each new average against the cohort's."
    )

    def broken(examined: int, counterexample: str) -> Evidence:
        return read(False, method=method, examined=examined, rung=Rung.EXACT, counterexample=counterexample)

    cohorts = ((2, 3), (1, 3))
    averages: dict[int, Fraction] = {0: Fraction(0)}
    for number, cohort in enumerate(cohorts, start=1):
        t = first_round + number - 1
        if t not in averages:
            return broken(number, f"T=1: round t={t} sends xbar^{t}, but only xbar^0 was initialised")
        returned = {i: averages[t] - HALF * (averages[t] - i) for i in cohort}
        # "renumbered": the M clients of S_t get the numbers 1..M, as the sum over i = 1..M then needs.
        models = dict(enumerate(returned.values(), start=1)) if members == "renumbered" else returned
        indices = cohort if members == "cohort" else tuple(range(1, len(cohort) + 1))
        missing = [i for i in indices if i not in models]
        if missing:
            asked = f"x_{missing[0]}^{{t+1}}, which no client computed"
            return broken(number, f"N=3, M=2, S_t={set(cohort)}: the sum over i=1..M asks for {asked}")
        averages[t + 1] = mean([models[i] for i in indices])
        if averages[t + 1] != mean(list(returned.values())):
            found = f"{averages[t + 1]} is not the average of what was returned"
            return broken(number, f"S_t={set(cohort)}: {found}")
    return read(
        True,
        method=method,
        examined=len(cohorts),
        rung=Rung.EXACT,
        numbers={"xbar^2": averages[first_round + len(cohorts)]},
        valid_for="this run; N=3, M=2",
    )


members_literal = of_the_listing(
    "LEC-ALG.1[clients 1..M of all N]",
    fault="reading",
    statement=r"\bar x^{t+1}=\tfrac1M\textstyle\sum_{i=1}^Mx_i^{t+1}\text{ with the clients' own numbers}",
    printed=dict(first_round=0, members="1..M"),
    repair="LEC-ALG.1[cohort renumbered 1..M]",
    headline="The average in the listing runs over clients that were not sampled",
    summary="With i the client's own number, as in the line before, the average runs over clients that are not in S_t.",
    controls=[Control("the clients of S_t renumbered 1..M", dict(members="renumbered"), must="pass")],
)(listing)

members_renumbered = of_the_listing(
    "LEC-ALG.1[cohort renumbered 1..M]",
    headline="If the sampled clients are renumbered, the listing averages the cohort",
    statement=r"\bar x^{t+1}=\tfrac1M\textstyle\sum_{i=1}^Mx_i^{t+1}=\tfrac1M\sum_{i\in S_t}x_i^{t+1}",
    printed=dict(first_round=0, members="renumbered"),
    summary="With the clients of S_t numbered 1..M, a common shorthand, the average is the cohort's.",
    controls=[Control("clients 1..M of all clients", dict(members="1..M"))],
)(listing)

first_round_literal = of_the_listing(
    "LEC-ALG.2[literal indices]",
    fault="slip",
    statement=r"\text{init }\bar x_0;\ t=1..T:\ \text{the clients start from }\bar x^t",
    printed=dict(first_round=1, members="cohort"),
    repair="LEC-ALG.2[rounds from t = 0]",
    headline="The first round of the listing uses an average that was never set",
    summary="An off-by-one slip: the first round uses the average number 1, and only number 0 was set.",
    controls=[Control("rounds from t = 0", dict(first_round=0), must="pass")],
)(listing)

first_round_zero = of_the_listing(
    "LEC-ALG.2[rounds from t = 0]",
    statement=r"\text{init }\bar x^0;\ t=0..T-1:\ \text{the clients start from }\bar x^t",
    printed=dict(first_round=0, members="cohort"),
    summary="With rounds counted from the initial average the listing runs.",
    controls=[Control("first round t = 1", dict(first_round=1))],
)(listing)


@of_the_update(
    "LEC-DELTA[sum over the client's local steps]",
    headline="A client's update is its summed gradients times the fixed local step size, negated",
    statement=update,
    printed=dict(constant=True),
    summary="For a constant local step size the update is minus s times the sum of the client's gradients (handwritten "
    "line; its summation index is uncertain in the transcription).",
    controls=[Control("step sizes that change", dict(constant=False))],
)
def update_over_steps(constant: bool) -> Evidence:
    sizes, gradients = (HALF, HALF if constant else HALF / 2), (1, 2)
    moved = -sum(size * gradient for size, gradient in zip(sizes, gradients, strict=True))
    return by_derivation(
        local_steps(update, constant),
        lambda: [equality(f"two local steps of sizes {sizes[0]}, {sizes[1]}", moved, -HALF * sum(gradients))],
        valid_for="all K, d, constant local step size",
    )


update_over_clients = refuted_algebra(
    "LEC-DELTA[sum over i, as dumped]",
    Relations("-s*(g_11 + g_12) = -s*(g_12 + g_22) for s > 0; g_11 = 1; g_12 = 2; g_22 = 7"),
    ("sum over k", Relations("-s*(g_11 + g_12) = -s*(g_11 + g_12) for s > 0")),
    group=of_the_update,
    says=r"x_{i,k}-x_{i,0}=-s\textstyle\sum_{i=1}^kg_{i,k}",
    fault="transcription",
    repair="LEC-DELTA[sum over the client's local steps]",
    headline="As transcribed the client's update sums gradients of other clients",
    summary="Elsewhere i numbers the client and k the local step: the sum as transcribed from handwriting adds up "
    "gradients of different clients; the original would tell its index.",
)


#: A risk is linear in the law of the data: the product of losses and probabilities.
RISKS = InMean(
    "dot(loss, D) = dot(loss, mean(D, k))",
    things="loss; U; E over k; D over k = U",
    unfold="D",
    names={"loss": r"\ell(x)", "D": "D_k"},
)


@definition_claim(
    "LEC-IID",
    headline="If every client draws like the pooled data, all clients have the pooled risk",
    source="i.i.d. slide",
    statement=(
        r"D_i=U=\textstyle\sum_j\tfrac{n_j}{n}D_j\ \forall i,\ f_i(x)=\langle\ell(x),D_i\rangle\ \Rightarrow\ f_1=\dots=f_N=f:\ ",
        RISKS,
    ),
    printed=dict(law="U"),
    summary="If a client's draw has the law of a uniform draw from the union, all f_i equal the risk on the union, "
    "whatever the sizes.",
    controls=[Control("one client with another law", dict(law="U + E"))],
)
def equal_laws(law: str) -> Evidence:
    """The risk of a client against the average of all, where every law is that of the union."""
    return by_in_mean(replace(RISKS, things=RISKS.things.replace("= U", f"= {law}")), valid_for="all N, all sizes")


if __name__ == "__main__":
    run_script(__file__)
