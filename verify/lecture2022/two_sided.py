"""FedAvg with two-sided learning rates and "original FedAvg" in the lecture note (handwritten pages)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.steps import Instance, Proof, equality, identity
from fltheory.theory.values import exact_value

of_original_fedavg = identity_claim.sharing(source="derivation of original FedAvg")
of_step_3 = identity_claim.sharing(source="two-sided rates, step 3")

s, s_L, x, total, size = sp.symbols("s s_L xbar S abs_S", positive=True)
METHOD = (
    "Every client's change is -s_L times its sum of gradients; the server averages, and averages are linear "
    "(S: averaged sum)."
)


def against(stated: sp.Expr, true: sp.Expr) -> Evidence:
    """Evidence that the stated new average is the true one, with s=1, s_L=1/2, |S|=2, xbar=0, S=1 as the instance."""
    values = {s: 1, s_L: sp.Rational(1, 2), x: 0, total: 1, size: 2}
    sides = [exact_value(side, values) for side in (stated, true)]
    return decide(
        Proof((identity("new average", stated, true),)),
        lambda: [equality("s=1, s_L=1/2, |S|=2, xbar=0, averaged gradient sum 1", *sides)],
        method=METHOD,
        valid_for="all N, S, K, d",
    )


#: local steps of size s_L, the server moves by s times the averaged change of the clients
TWO_SIDED = x + s * (-s_L * total)
FRONT_OF_DELTA = {"s Delta": s, "s s_L Delta": s * s_L}
CHANGE = {"with s_L": -s_L * total, "without s_L": -total}


def two_sided(display: str, meaning: str, message: str) -> Evidence:
    """The display against a server step of size s on averaged changes with client steps of size s_L."""
    front = FRONT_OF_DELTA[display]
    if meaning == "s is the effective rate":
        front = front.subs(s, s * s_L)
    return against(x + front * CHANGE[message], TWO_SIDED)


first_display_server = of_step_3(
    "LEC-GTS[first display, s the server's rate]",
    fault="transcription",
    printed=dict(display="s Delta", meaning="server", message="without s_L"),
    statement=r"\bar x^{t+1}=\bar x^t+s\Delta^t,\ \Delta_i^t=-\textstyle\sum_kg_{i,k}^t\ \text{(local steps }s_L)",
    repair="LEC-GTS[second display]",
    headline="As transcribed the two displays of the two-sided step contradict each other",
    summary="With messages as transcribed from handwriting, without s_L, and s the server's rate, step 3 contradicts "
    "the second display (and that only): it is the two-sided step for s_L = 1.",
    controls=[Control("s s_L in front", dict(display="s s_L Delta"), must="pass")],
)(two_sided)

first_display_messages = of_step_3(
    "LEC-GTS[first display, messages with s_L]",
    printed=dict(display="s Delta", meaning="server", message="with s_L"),
    statement=r"\bar x^{t+1}=\bar x^t+s\Delta^t,\ \Delta_i^t=-s_L\textstyle\sum_kg_{i,k}^t",
    summary="With messages that contain s_L, as braced in the derivation of original FedAvg, step 3 is right and s s_L "
    "is the rate of the gradient sums.",
    controls=[Control("messages without s_L", dict(message="without s_L"))],
)(two_sided)

first_display_effective = of_step_3(
    "LEC-GTS[first display, s the effective rate]",
    printed=dict(display="s Delta", meaning="s is the effective rate", message="without s_L"),
    statement=r"\bar x^{t+1}=\bar x^t+s\Delta^t,\ s:=s_{server}s_L",
    summary="With s read as the product of the two rates step 3 is right.",
    controls=[Control("s the server's rate", dict(meaning="server"))],
)(two_sided)

second_display = identity_claim(
    "LEC-GTS[second display]",
    printed=dict(display="s s_L Delta", meaning="server", message="without s_L"),
    statement=r"\bar x^{t+1}=\bar x^t+ss_L\Delta^t",
    source="two-sided rates, note on the effective rate",
    summary="Local steps s_L and server rate s: the averaged gradient sums are multiplied by s s_L.",
    controls=[Control("s alone", dict(display="s Delta"))],
)(two_sided)


ORIGINAL = x - s_L * total
FRONT = {"|S|": size, "1": sp.Integer(1), "s_L": s_L}


def original(front: str, change: str) -> Evidence:
    """The server's display of the original algorithm against the sum of the clients' changes."""
    return against(x + FRONT[front] * CHANGE[change], ORIGINAL)


factor_cohort = of_original_fedavg(
    "LEC-ORG[factor |S|, as dumped]",
    fault="transcription",
    printed=dict(front="|S|", change="with s_L"),
    statement=r"\bar x^t+\tfrac1{|S|}\textstyle\sum_i\Delta_i^t=\bar x^t+|S|\,\Delta^t,\ "
    r"\Delta^t=\tfrac1{|S|}\sum_i\Delta_i^t",
    repair="LEC-ORG[factor 1, messages with s_L]",
    headline="As transcribed the last line of the derivation has a factor too many",
    summary="As transcribed the last line contradicts the one above it; the sign |S| may be a misread 1, the "
    "handwriting would tell.",
    controls=[Control("factor 1", dict(front="1"), must="pass")],
)(original)

factor_one = of_original_fedavg(
    "LEC-ORG[factor 1, messages with s_L]",
    printed=dict(front="1", change="with s_L"),
    statement=r"\bar x^{t+1}=\bar x^t+1\cdot\Delta^t,\ \Delta_i^t=-s_L\textstyle\sum_kg_{i,k}^t",
    summary="Original FedAvg is the two-sided version with server rate s = 1 when the messages contain s_L (as braced "
    "there).",
    controls=[Control("messages without s_L", dict(change="without s_L"))],
)(original)

factor_local = of_original_fedavg(
    "LEC-ORG[factor s_L, messages without s_L]",
    printed=dict(front="s_L", change="without s_L"),
    statement=r"\bar x^{t+1}=\bar x^t+s_L\Delta^t,\ \Delta_i^t=-\textstyle\sum_kg_{i,k}^t",
    summary="With the messages of the two-sided page the factor is s s_L with s = 1.",
    controls=[Control("messages with s_L", dict(change="with s_L"))],
)(original)


@of_original_fedavg(
    "LEC-ORG-S",
    printed=dict(start="broadcast"),
    statement=r"x_i^t=\bar x^t\ \forall i\in S\ \Rightarrow\ \tfrac1{|S|}\textstyle\sum_{i\in S}x_i^t=\bar x^t",
    summary="Right since a round begins with a broadcast, as in the algorithm's listing; with the clients' own last "
    "points it would fail once the cohort changes.",
    controls=[Control("clients keep their own last point", dict(start="own"))],
)
def broadcast(start: str) -> Evidence:
    """Two clients, cohorts {1} then {2}: is the average of the cohort's starting points the server's point?"""
    server, own = sp.symbols("xbar x_i")

    def instances() -> Iterator[Instance]:
        points, centre = [Fraction(0), Fraction(0)], Fraction(0)
        for i in (0, 1):
            begin = centre if start == "broadcast" else points[i]
            text = f"round {i + 1}, cohort {{{i + 1}}}, f_i'=x-i, s_L=1/2, K=1: mean start against xbar"
            yield equality(text, begin, centre)
            centre = points[i] = begin - (begin - (i + 1)) / 2

    return decide(
        Proof((identity("average of equal starting points", server if start == "broadcast" else own, server),)),
        instances,
        method="The average over the cohort of one and the same point is this point.",
        valid_for="all S, N, d",
    )


if __name__ == "__main__":
    run_script(__file__)
