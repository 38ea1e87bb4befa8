"""The algorithms as the lecture note lists them: distributed SGD, the FedAvg listing, its messages, the i.i.d. case."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide, read
from fltheory.evidence.kinds import definition_claim, identity_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.theory.steps import Proof, equality, identity
from verify.lecture2022.averages import client_average
from verify.lecture2022.runs import mean

of_the_listing = qualitative_of_an_instance.sharing(source="FedAvg listing")
of_the_update = identity_claim.sharing(source="FedAvg slide, transmitted update")

s = sp.Symbol("s", positive=True)
HALF = Fraction(1, 2)


@identity_claim(
    "LEC-SGD",
    statement=r"x-\tfrac{s}{B}\textstyle\sum_{i=1}^Bg_i=\tfrac1B\sum_{i=1}^B(x-sg_i)",
    printed=dict(local_steps=1),
    source="distributed SGD slide",
    summary="A mini-batch step equals the average of B workers' single steps, for the same samples.",
    controls=[Control("two local steps per worker", dict(local_steps=2))],
)
def distributed_sgd(local_steps: int) -> Evidence:
    x, g, dev, unit = sp.symbols("x g g_dev one")
    # Averages over workers of linear forms: a form times the constant 1, with the deviations averaging to zero.
    average = client_average(unit * (x - s * g), {g: (g, dev)}, common=[x, unit]).subs(unit, 1)
    steps = (
        identity("average of the workers' steps", average, x - s * g),
        identity("one step per worker", sp.Integer(local_steps), 1),
    )
    curvatures, start = (Fraction(1), Fraction(3)), Fraction(1)
    batch, ends = start, [start, start]
    for _ in range(local_steps):
        batch -= HALF * mean([c * batch for c in curvatures])
        ends = [e - HALF * c * e for e, c in zip(ends, curvatures, strict=True)]
    return decide(
        Proof(steps),
        lambda: [equality(f"samples x^2/2 and 3x^2/2, s=1/2, x=1, {local_steps} step(s)", mean(ends), batch)],
        method="The average of x - s g_i is x - s times the average of g_i.",
        valid_for="all B, d, step sizes",
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


def message(index: str, steps: str) -> Evidence:
    """x_K - x_0 against the transmitted update, by induction over the local steps."""
    so_far, g, own_rate = sp.symbols("S g s_k")
    rate = s if steps == "constant" else own_rate
    added = g if index == "local step" else sp.Symbol("g_other_client")
    induction = identity("one more local step", -s * so_far - rate * g, -s * (so_far + added))
    gradients = {(1, 1): Fraction(1), (1, 2): Fraction(2), (2, 1): Fraction(5), (2, 2): Fraction(7)}  # (client, step)
    rates = (HALF, HALF) if steps == "constant" else (HALF, HALF / 2)
    moved = -sum((r * gradients[1, k] for k, r in zip((1, 2), rates, strict=True)), Fraction(0))
    summed = (gradients[1, 1] + gradients[1, 2]) if index == "local step" else (gradients[1, 2] + gradients[2, 2])
    return decide(
        Proof((identity("no step, no update", -s * 0, 0), induction)),
        lambda: [
            equality(
                f"client 1 of 2, K=2, gradients 1, 2 (client 2: 5, 7), rates {rates[0]}, {rates[1]}",
                moved,
                -HALF * summed,
            )
        ],
        method="Induction over the local steps.",
        valid_for="all K, d, constant local step size",
    )


update_over_steps = of_the_update(
    "LEC-DELTA[sum over the client's local steps]",
    statement=r"x_{i,K}-x_{i,0}=-s\textstyle\sum_{k=0}^{K-1}g_{i,k}",
    printed=dict(index="local step", steps="constant"),
    summary="For a constant local step size the update is minus s times the sum of the client's gradients (handwritten "
    "line; its summation index is uncertain in the transcription).",
    controls=[Control("step sizes that change", dict(steps="changing")), Control("sum over i", dict(index="client"))],
)(message)

update_over_clients = of_the_update(
    "LEC-DELTA[sum over i, as dumped]",
    fault="transcription",
    statement=r"x_{i,k}-x_{i,0}=-s\textstyle\sum_{i=1}^kg_{i,k}",
    printed=dict(index="client", steps="constant"),
    repair="LEC-DELTA[sum over the client's local steps]",
    headline="As transcribed the client's update sums gradients of other clients",
    summary="Elsewhere i numbers the client and k the local step: the sum as transcribed from handwriting adds up "
    "gradients of different clients; the original would tell its index.",
    controls=[Control("sum over k", dict(index="local step"), must="pass")],
)(message)


@definition_claim(
    "LEC-IID",
    source="i.i.d. slide",
    statement=r"D_i=\textstyle\sum_j\tfrac{n_j}{n}D_j\ \forall i\ \Rightarrow\ f_1=\dots=f_N=f",
    printed=dict(equal=True),
    summary="If a client's draw has the law of a uniform draw from the union, all f_i equal the risk on the union, "
    "whatever the sizes.",
    controls=[Control("one client with another law", dict(equal=False))],
)
def equal_laws(equal: bool) -> Evidence:
    risk, deviation, share = sp.symbols("f f_dev w", real=True)
    # Risks are linear in the law: f_i = f + dev_i, union = sum of shares times f_i with shares adding up to one.
    dev = sp.Integer(0) if equal else deviation
    union = share * (risk + dev) + (1 - share) * risk
    values = (Fraction(1), Fraction(1)) if equal else (Fraction(1), Fraction(4))
    sizes = (1, 2)
    pooled = (sizes[0] * values[0] + sizes[1] * values[1]) / 3
    return decide(
        Proof((identity("risk on the union", union, risk + dev),)),
        lambda: [
            equality(
                "sizes 1 and 2, risks at a point of the two clients: client 1 against the union", values[0], pooled
            ),
            equality("the same: average over clients against the union", mean(values), pooled),
        ],
        method="A risk is linear in the law of the data.",
        valid_for="all N, all sizes",
    )


if __name__ == "__main__":
    run_script(__file__)
