r"""What Section 4 of the FedLAMA paper says of its intervals: the line numbers, phi = 1, full synchronisation, costs.

``c = 1`` for a layer that waits longer and ``c = 0`` for one that does not: ``tau_l = tau' + c (phi - 1) tau'``.
"""

from collections.abc import Mapping

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import read
from fltheory.evidence.kinds import algebra_claim, definition_in_words, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side
from verify.fedlama2021.comparing import compared

#: The lines of the two listings; the ends of loops and branches are no lines of their own, or are numbered too.
LINES: Mapping[str, tuple[str, ...]] = {
    "Algorithm 1": (
        "start with the base interval",
        "set the round's length",
        "for t",
        "for j",
        "step",
        "for l",
        "if the layer is due",
        "synchronise the layer",
        "compute the metric",
        "update the local model",
    ),
    "Algorithm 2": (
        "sort",
        "argsort",
        "model size",
        "total discrepancy",
        "for l",
        "delta",
        "lambda",
        "find the layer",
        "if delta < lambda",
        "set the long interval",
    ),
}
ADJUST = "adjust the intervals"
of_lines = definition_in_words.sharing(source="Section 4, on Algorithms 1 and 2")


def line_of(listing: str, what: str, ends: int = 0) -> int:
    """The number of a line; ``ends``: how many ends of branches and loops have a number before the adjustment."""
    lines = (*LINES[listing], *["end"] * ends, ADJUST)
    return lines.index(what) + 1


def _line(listing: str, what: str, number: int, ends: int = 0) -> Evidence:
    found = line_of(listing, what, ends)
    return read(
        found == number,
        method="The lines of the listing are counted.",
        examined=1,
        counterexample=f"{what!r} is line {found} of {listing}, not line {number}",
        rung=Rung.READING,
    )


synchronised_in_line = of_lines(
    "LA-ALG1-LINES.1",
    statement=r"\text{line 8 of Algorithm 1: synchronise the layer}",
    headline="The line to which the text sends for the synchronisation is the right one",
    summary="Line 8 of Algorithm 1 averages the layer over the clients.",
    printed=dict(listing="Algorithm 1", what="synchronise the layer", number=8),
    controls=[Control("the line after it", dict(number=9))],
)(_line)

metric_in_line = of_lines(
    "LA-ALG1-LINES.2",
    statement=r"\text{line 7 of Algorithm 1: compute the metric}",
    headline="The text sends to the wrong line for the metric",
    summary="Line 7 of Algorithm 1 asks whether the layer is due; the metric is computed in line 9, after the "
    "synchronisation of line 8, as the sentence itself says.",
    fault="slip",
    repair="LA-ALG1-LINES-R1",
    printed=dict(listing="Algorithm 1", what="compute the metric", number=7),
    controls=[Control("line 9", dict(number=9), must="pass"), Control("line 8", dict(number=8))],
)(_line)

metric_line = of_lines(
    "LA-ALG1-LINES-R1",
    statement=r"\text{line 9 of Algorithm 1: compute the metric}",
    headline="The metric is computed in the line after the synchronisation",
    summary="Line 9 of Algorithm 1 computes the unit discrepancy.",
    printed=dict(listing="Algorithm 1", what="compute the metric", number=9),
    controls=[Control("line 7", dict(number=7))],
)(_line)

adjusted_in_line = of_lines(
    "LA-ALG1-LINES.3[ends of loops have no number]",
    statement=r"\text{line 11 of Algorithm 1: adjust the intervals}",
    headline="Line 11 adjusts the intervals if the ends of loops are not numbered",
    summary="With numbers for statements only, the adjustment is line 11 of Algorithm 1.",
    printed=dict(listing="Algorithm 1", what=ADJUST, number=11, ends=0),
    controls=[Control("three ends numbered", dict(ends=3))],
)(_line)

adjusted_in_line_as_dumped = of_lines(
    "LA-ALG1-LINES.3[as dumped]",
    statement=r"\text{line 11 of Algorithm 1: adjust the intervals}",
    headline="In the dumped text ends of a branch and two loops have numbers and line 11 is empty",
    summary="The text that is at hand numbers the ends of the branch and of two loops, so that the adjustment is "
    "its line 14; the printed page does not seem to.",
    fault="transcription",
    repair="LA-ALG1-LINES.3[ends of loops have no number]",
    printed=dict(listing="Algorithm 1", what=ADJUST, number=11, ends=3),
    controls=[Control("ends not numbered", dict(ends=0), must="pass")],
)(_line)

lengthened_in_line = of_lines(
    "LA-ALG1-LINES.4",
    statement=r"\text{line 10 of Algorithm 2: set the long interval}",
    headline="The line to which the text sends for the long interval is the right one",
    summary="Line 10 of Algorithm 2 sets the interval of a layer to phi times the base interval.",
    printed=dict(listing="Algorithm 2", what="set the long interval", number=10),
    controls=[Control("the line after it", dict(number=11))],
)(_line)

# ----------------------------------------------------------------------------- intervals

INTERVAL = r"\tau_l=\tau'+c(\phi-1)\tau',\ c\in\{0,1\}:\quad "
TAU = {"tau": r"\tau'"}

phi_one = statement_of_algebra(
    "LA-PHI1",
    Relations("tau + c*(phi - 1)*tau = tau for tau >= 1; 0 <= c <= 1; phi = 1", names=TAU),
    prose="with every interval tau' all layers are averaged together after every tau' steps, which is FedAvg with "
    "that interval, the rounds of length tau' counted from 1",
    false={"phi = 2": ("phi = 1", "phi = 2")},
    group=identity_claim,
    source="Section 4, impact of phi",
    says=INTERVAL,
    headline="With an increase factor of one FedLAMA is FedAvg, whatever the rule decides",
    summary="With phi = 1 both branches of Algorithm 2 give the base interval, for every outcome: all layers are "
    "averaged after every tau' steps. (The listing of Algorithm 1 takes a step more per round: LA-ALG1-STEPS.)",
)

full_synchronisation = statement_of_algebra(
    "LA-FULLSYNC",
    Relations(
        "(phi + c*(1 - phi))*(tau + c*(phi - 1)*tau) = phi*tau for phi >= 1; tau >= 1; c*(1 - c) = 0; phi, tau, c whole",
        uses={0: {"c*(1 - c) = 0": "(phi - 1)**2*tau"}},
        names=TAU,
    ),
    false={"an interval between the two": ("phi*tau for", "phi*tau + c - c**2/2 for")},
    group=identity_claim,
    source="Section 4, impact of phi",
    says=INTERVAL + r"\phi+c(1-\phi)\text{ intervals make a round}:\quad ",
    headline="Every layer is synchronised at the end of every round, whatever the rule decides",
    summary="Both intervals divide phi tau': phi base intervals or one long one make a round, so that all layers "
    "are due at its end for every outcome of Algorithm 2.",
)

events = statement_of_algebra(
    "LA-LAT.1",
    Relations("1 <= 1 + b*(phi - 1) <= phi for phi >= 1; 0 <= b <= 1"),
    prose="both intervals are multiples of tau': something is sent at the end of each of the phi base intervals of a "
    "round if a layer keeps tau', else at the end of the last one alone: after 1 + b(phi - 1) iterations; FedAvg with "
    "interval tau' sends after phi",
    false={"once more": ("1 + b*(phi - 1) <= phi", "2 + b*(phi - 1) <= phi")},
    group=algebra_claim,
    source="Section 4, impact of phi",
    says=r"b=1\text{ if a layer keeps }\tau',\text{ else }0;\ \text{iterations of a round after which something is "
    r"sent}:\quad ",
    headline="FedLAMA never communicates in more iterations than FedAvg with the base interval",
    summary="As long intervals are multiples of the base interval, something is sent after phi iterations of a "
    "round if any layer keeps the base interval, and after one if none does: at most as often as by FedAvg with the "
    "base interval.",
)

phi, share, n = sp.symbols("phi share n")


@algebra_claim(
    "LA-LAT.2[of the whole model]",
    statement=r"\frac{\mathcal C_{\text{FedLAMA}}}{\mathcal "
    r"C_{\text{FedAvg}(\tau')}}=1-\lambda+\frac\lambda\phi=\frac1\phi",
    source="Section 4, impact of phi",
    headline="The total bandwidth does not fall by the increase factor but by less",
    summary="If a share lambda of the parameters waits phi times longer, the traffic is 1 - lambda + lambda/phi of "
    "that of FedAvg with the base interval: more than 1/phi unless all layers wait, which is FedAvg with the long "
    "interval.",
    fault="reading",
    repair="LA-LAT.2[of the layers that wait]",
    printed=dict(waiting="a share"),
    controls=[Control("all parameters wait", dict(waiting="all"), must="pass")],
)
def bandwidth(waiting: str) -> Evidence:
    """Traffic per round: n phi (1 - share) + n share, against n phi."""
    held = share if waiting == "a share" else sp.Integer(1)
    ratio = (n * phi * (1 - held) + n * held) / (n * phi)
    at = {phi: 2, share: sp.Rational(1, 2), n: 2}
    return compared(Side("ratio of the traffic", ratio), Side("1/phi", 1 / phi), at, given=[(phi, ">", 1)])


bandwidth_of_those = statement_of_algebra(
    "LA-LAT.2[of the layers that wait]",
    Relations("n/(n*phi) = 1/phi for phi >= 1; n >= 1"),
    false={"sent twice a round": ("n/(", "2*n/(")},
    group=algebra_claim,
    source="Section 4, impact of phi",
    says=r"n\text{ parameters that wait, sent once a round instead of }\phi\text{ times}:\quad ",
    headline="The traffic of the layers that wait falls by the increase factor",
    summary="A layer with the long interval is sent once per round instead of phi times.",
)


if __name__ == "__main__":
    run_script(__file__)
