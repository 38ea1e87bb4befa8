"""FedAvg with two-sided learning rates and "original FedAvg" in the lecture note (handwritten pages)."""

from fltheory.evidence.algebra import statement_in_mean
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.kinds import identity_claim, run_script
from fltheory.evidence.relations import Relations
from verify.lecture2022.orders import refuted_algebra

of_original_fedavg = identity_claim.sharing(source="derivation of original FedAvg")
of_step_3 = identity_claim.sharing(source="two-sided rates, step 3")

NAMES = {
    "xbar": r"\bar x^t",
    "r": "s_L",
    "g": "g_{i,k}^t",
    "k": r"\tfrac1M\sum_{i\in S}",
    "j": r"\tfrac1K\sum_k",
    "x": "x_i",
}
#: From xbar each client of the cohort k makes K steps of size r; steps j.
CLIENTS = "xbar; g over k j; x over k = xbar - r*K*mean(g, j)"


def server(display: str, size: str = "s") -> InMean:
    """The server's step by ``size`` times the averaged change of the clients, and the display of it."""
    text = f"sq(xbar + {size}*mean(x - xbar, k) - (xbar + {display})) = 0 for K >= 1; s > 0; r > 0"
    return InMean(text, things=CLIENTS, unfold="x", names=NAMES)


def in_numbers(display: str, size: str = "s") -> Relations:
    """The same for one coordinate, with the averaged sum S of gradients."""
    return Relations(f"xbar + {size}*(-r*S) = xbar + {display} for s > 0; r > 0; M >= 1; xbar = 0")


first_display_server = refuted_algebra(
    "LEC-GTS[first display, s the server's rate]",
    in_numbers("s*(-S)"),
    ("s s_L in front", in_numbers("s*r*(-S)")),
    group=of_step_3,
    says=r"\bar x^{t+1}=\bar x^t+s\Delta^t,\ \Delta_i^t=-\textstyle\sum_kg_{i,k}^t\ \text{(local steps }s_L)",
    fault="transcription",
    repair="LEC-GTS[second display]",
    headline="As transcribed the two displays of the two-sided step contradict each other",
    summary="With messages as transcribed from handwriting, without s_L, and s the server's rate, step 3 contradicts "
    "the second display (and that only): it is the two-sided step for s_L = 1.",
)

first_display_messages = statement_in_mean(
    "LEC-GTS[first display, messages with s_L]",
    server("s*mean(-r*K*mean(g, j), k)"),
    headline="If messages contain the local rate, the first display of the two-sided step is right",
    false={"messages without s_L": ("-r*K*mean(g, j), k)", "-K*mean(g, j), k)")},
    group=of_step_3,
    summary="With messages that contain s_L, as braced in the derivation of original FedAvg, step 3 is right and s s_L "
    "is the rate of the gradient sums.",
)

first_display_effective = statement_in_mean(
    "LEC-GTS[first display, s the effective rate]",
    server("s*mean(-K*mean(g, j), k)", "s/r"),
    headline="If its rate means the product of both rates, the first display is right",
    false={"s the server's rate": ("s/r", "s")},
    group=of_step_3,
    summary="With s read as the product of the two rates, of which s/s_L is the server's, step 3 is right.",
)

second_display = statement_in_mean(
    "LEC-GTS[second display]",
    server("s*r*mean(-K*mean(g, j), k)"),
    headline="As the second display says, gradient sums are multiplied by both step sizes",
    false={"s alone": ("s*r*mean(-K", "s*mean(-K")},
    group=identity_claim,
    source="two-sided rates, note on the effective rate",
    summary="Local steps s_L and server rate s: the averaged gradient sums are multiplied by s s_L.",
)

factor_cohort = refuted_algebra(
    "LEC-ORG[factor |S|, as dumped]",
    in_numbers("M*(-r*S)", "1"),
    ("factor 1", in_numbers("1*(-r*S)", "1")),
    group=of_original_fedavg,
    says=r"\bar x^t+\tfrac1{|S|}\textstyle\sum_i\Delta_i^t=\bar x^t+|S|\,\Delta^t,\ "
    r"\Delta^t=\tfrac1{|S|}\sum_i\Delta_i^t",
    fault="transcription",
    repair="LEC-ORG[factor 1, messages with s_L]",
    headline="As transcribed the last line of the derivation has a factor too many",
    summary="As transcribed the last line contradicts the one above it; the sign |S| may be a misread 1, the "
    "handwriting would tell.",
)

factor_one = statement_in_mean(
    "LEC-ORG[factor 1, messages with s_L]",
    server("mean(-r*K*mean(g, j), k)", "1"),
    headline="Original FedAvg has server rate one if messages contain the local rate",
    false={"messages without s_L": ("mean(-r*K", "mean(-K")},
    group=of_original_fedavg,
    summary="Original FedAvg is the two-sided version with server rate s = 1 when the messages contain s_L (as braced "
    "there).",
)

factor_local = statement_in_mean(
    "LEC-ORG[factor s_L, messages without s_L]",
    server("r*mean(-K*mean(g, j), k)", "1"),
    headline="If messages leave the local rate out, original FedAvg applies it at the server",
    false={"messages with s_L": ("mean(-K", "mean(-r*K")},
    group=of_original_fedavg,
    summary="With the messages of the two-sided page the factor is s s_L with s = 1.",
)


broadcast = statement_in_mean(
    "LEC-ORG-S",
    InMean("sq(mean(x, k) - xbar) = 0", things="xbar; own over k; x over k = xbar", unfold="x", names=NAMES),
    headline="Original FedAvg averages right because a round begins with a broadcast",
    false={"clients keep their own last point": ("mean(x, k)", "mean(own, k)")},
    group=of_original_fedavg,
    says=r"\text{after a broadcast, } x_i^t=\bar x^t\ \forall i\in S:\quad ",
    summary="Right since a round begins with a broadcast, as in the algorithm's listing; with the clients' own last "
    "points it would fail once the cohort changes.",
)


if __name__ == "__main__":
    run_script(__file__)
