"""Algorithms 1 and 2 of Augenstein et al. (2022): the listings, FedAvg as their reduction, state, sum or average.

What a round computes is derived from the listing, step by step, for any gradients; that the package runs the listing is tested
(``tests/verify/mixed2022/test_closed_forms.py``).  The index J of Algorithm 1 is defined nowhere: either it is K, the number of
steps of the central loop, or the central loop is meant to make J steps.
"""

from fractions import Fraction
from functools import partial
from typing import Any

import fltheory as fl
from fltheory.algorithms.vocabulary import Vector, leaves
from fltheory.derivation.script import Derivation
from fltheory.evidence.decide import read
from fltheory.evidence.kinds import identity_claim, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.things import declare
from fltheory.readings.gram import ProgramFederation
from verify.mixed2022.derivations.listings import EVERY, METHOD, NAMES, both_loops, clients, listing, loop
from verify.mixed2022.displays import displayed

F = Fraction


def one_way(added: str) -> Derivation:
    """The clients add h, one central gradient per round, or one that is drawn in each step."""
    d = listing("Algorithm 2")
    declare(d, "h; drawn over t")
    clients(d, added)
    return d


of_listing = partial(displayed, names=NAMES, group=identity_claim, method=METHOD, valid_for=EVERY)
algorithm_2 = of_listing(
    "MX-ALG2",
    one_way,
    "x1 = x - eta_s*eta*(K*mean(g, k, t) + K*h)",
    lines="x1 = x + eta_s*D",
    headline="1-way transfer uses one central batch per round in every step of every client",
    source="Algorithm 2",
    printed=dict(added="h"),
    summary="1-way Gradient Transfer: one central batch per round, whose gradient enters all K steps of all clients.",
    false={"it enters one step only": ("K*h", "h"), "a central batch per step": dict(added="drawn")},
)


PARALLEL = "x1 = x - eta_m*(eta_c*(K*mean(h, t)) + eta_s*eta*(K*mean(g, k, t)))"
algorithm_1 = of_listing(
    "MX-ALG1-PT",
    lambda central_rate: both_loops("Algorithm 1, Parallel Training"),
    PARALLEL,
    lines="x1 = x + eta_m*({central_rate}*Dc + eta_s*D)",
    headline="Parallel Training adds the updates of central steps and of a round of FedAvg",
    source="Algorithm 1 without gradient sharing",
    printed=dict(central_rate="1"),
    summary="Parallel Training makes K central steps and a round of FedAvg from the same model, and adds both updates.",
    false={"updates averaged": ("eta_m*(", "eta_m/2*("), "eta_s in front of both": dict(central_rate="eta_s")},
)


def two_way_own_steps(shift: str) -> Derivation:
    """T times, at which the clients take K steps and the centre takes J; of a step that is not taken all vectors are zero."""
    d = listing("Algorithm 1, 2-way Gradient Transfer with J central steps", steps="T")
    declare(d, "1 <= K, J <= T; u, v")
    for name, added, many in zip(shift.split(), "UV", "KJ", strict=True):
        d.vector(added, "t", mean=[["t", f"{many}/T*{name}", f"{many} of the T steps are taken"]])
    declare(d, "g over k t; h over t")
    loop(d, "y", "g", "U", "D", "eta", axes="k", steps="T")
    loop(d, "c", "h", "V", "Dc", "eta_c", steps="T")
    declare(d, "x1 = x + eta_m*(Dc + eta_s*D); u1 = -Dc/(eta*J) - v; v1 = -D/(eta*K) - u")
    return d


def steps_taken(shift: str) -> dict[str, Any]:
    """Two steps of the clients and three of the centre."""
    values = {"u": F(3), "v": F(-1)}
    first, second = (values[name] for name in shift.split())
    gradients = {i: [F(i + 2), F(5), 0, 0] for i in (0, 1)}
    return {**values, "T": 3, "K": 2, "J": 3, "U": [first, first, 0, 0], "V": [second] * 3 + [0], "g": gradients}


of_algorithm_1 = partial(of_listing, source="Algorithm 1", printed=dict(shift="u v"))
SAME_WEIGHTS = "all losses and oracles, every K, J, N, S, d, all rates; equal client steps and equal client weights p_i"
#: Sums over the cohort whose clients have equal weights, as the renewal of gt_f has them.
PLAIN = {
    **NAMES,
    "mean(g, k, t)": r"\frac1{SK}\sum_i\sum_{k<K}g_i(x_i^{(t,k)})",
    "T*mean(g, k, t)": r"\frac1S\sum_i\sum_{k<K}g_i(x_i^{(t,k)})",
}
WEIGHTED = "the display is for equal client weights p_i."
RENEWAL = r"\tilde g_f^{(t+1)}=-\textstyle\sum_i\Delta_i^{(t)}/(\eta\sum_iK_i)-\tilde g_c^{(t)}"
OWN = {"own gradients added instead of the other side's": dict(shift="v u")}
two_way_as_listed = of_algorithm_1(
    "MX-ALG1-2W[J = K]",
    lambda shift: both_loops("Algorithm 1, 2-way Gradient Transfer", *shift.split()),
    "x1 = x - eta_m*(eta_c*K*(mean(h, t) + v) + eta_s*eta*K*(mean(g, k, t) + u)); "
    "u1 = eta_c/eta*(mean(h, t) + v) - v; v1 = mean(g, k, t)",
    lines="x1 = x + eta_m*(Dc + eta_s*D); u1 = -Dc/(eta*K) - v; v1 = -D/(eta*K) - u",
    names=PLAIN,
    valid_for=SAME_WEIGHTS.replace("K, J,", "K = J,"),
    headline="2-way transfer runs with the undefined number read as the number of central steps",
    says=r"p_i=p,\ K_i=K:\ \Delta_c^{(t)}=x_c^{(t,K)}-x^{(t)},\ \tilde g_c^{(t+1)}=-\Delta_c^{(t)}/(\eta K)-\tilde g_f^{(t)},\ "
    + RENEWAL
    + r":\quad ",
    summary="2-way Gradient Transfer with the undefined J read as K, the number of steps of the central loop: the listing "
    "runs, and it is the package's default (divisor eta as printed; the initial augmenting gradients are free); "
    + WEIGHTED,
    false={**OWN, "divisor eta_c J": ("eta_c/eta*", "")},
)
two_way_own_count = of_algorithm_1(
    "MX-ALG1-2W[J central steps]",
    two_way_own_steps,
    "x1 = x - eta_m*(eta_c*(T*mean(h, t) + J*v) + eta_s*eta*(T*mean(g, k, t) + K*u)); "
    "u1 = eta_c/(eta*J)*(T*mean(h, t) + J*v) - v; v1 = T*mean(g, k, t)/K",
    headline="2-way transfer runs as well with a number of central steps of its own",
    instance=steps_taken,
    names={**PLAIN, "T*mean(h, t)": r"\sum_{k<J}g_c(x_c^{(t,k)})"},
    valid_for=SAME_WEIGHTS,
    says=r"p_i=p,\ K_i=K:\ T\text{ times, steps of the clients at }K\text{ of them, of the centre at }J,\text{ what "
    r"is added at others being }0:\ "
    r"\Delta_c^{(t)}=x_c^{(t,J)}-x^{(t)},\ \tilde g_c^{(t+1)}=-\Delta_c^{(t)}/(\eta J)-\tilde g_f^{(t)},\ "
    + RENEWAL
    + r":\quad ",
    summary="With J a number of its own, and a central loop of J steps (the printed loop makes K), the listing runs as well: both "
    "loops are written with T times, at K of which the clients and at J of which the centre take a step, what they add at the "
    "others being zero; " + WEIGHTED,
    false={**OWN, "divisor eta K": ("eta_c/(eta*J)", "eta_c/(eta*K)")},
)


#: Names in the first round: t is zero.
AT_ZERO = {
    name: latex.replace("(t,", "(0,").replace("(t)", "(0)").replace("(t+1)", "(1)") for name, latex in NAMES.items()
}
first_round = of_algorithm_1(
    "MX-ALG1-2W-S1",
    # augmenting gradients that are multiples of one vector
    lambda u, v: both_loops("Algorithm 1, first round", f"{u}*e", f"{v}*e"),
    f"y1 = y - eta*g; c1 = c - eta_c*h; {PARALLEL}",
    names={
        **AT_ZERO,
        "y1": "x_i^{(0,k+1)}",
        "y": "x_i^{(0,k)}",
        "g": "g_i(x_i^{(0,k)})",
        "c1": "x_c^{(0,k+1)}",
        "c": "x_c^{(0,k)}",
        "h": "g_c(x_c^{(0,k)})",
    },
    lines="x1 = x + eta_m*(Dc + eta_s*D)",
    says=r"\tilde g_c^{(0)}=\tilde g_f^{(0)}=0\Rightarrow ",
    printed=dict(u="0", v="0"),
    headline="From zero augmenting gradients the first 2-way round is Parallel Training",
    summary="Started from zero augmenting gradients, the first round of 2-way GT is a round of Parallel Training.",
    false={"gt_c = 1/100": dict(u="1/100"), "gt_f = 1/100": dict(v="1/100")},
)


def without_additions(central: str, merge: str) -> Derivation:
    """The server's lines of both algorithms with central gradients that are multiples of one vector, and a merging rate."""
    d = listing("both algorithms without central gradients")
    declare(d, f"e; h = {central}*e; Dc = -eta_c*K*{central}*e")
    clients(d, "h")
    declare(d, f"x_one = x + eta_s*D; x_parallel = x + {merge}*(Dc + eta_s*D)")
    return d


fedavg = of_listing(
    "MX-ALG-FEDAVG",
    without_additions,
    "x_one = x - eta_s*eta*(K*mean(g, k, t)); x_parallel = x - eta_s*eta*(K*mean(g, k, t))",
    headline="Without central gradients and merging both algorithms are FedAvg",
    names={**NAMES, "x_one": r"x^{(t+1)}_{1w}", "x_parallel": r"x^{(t+1)}_{PT}"},
    says=r"g_c=0,\ \Delta_c=0,\ \eta_m=1\ \Rightarrow\ ",
    source="Section 2; Algorithms 1 and 2",
    printed=dict(central="0", merge="1"),
    summary="Without the added steps (central gradients, merging) both algorithms are FedAvg with a server step size.",
    false={"eta_m = 1.01": dict(merge="101/100"), "additions kept": dict(central="1")},
)


@qualitative_claim(
    "MX-ALG-2WSTATE",
    headline="2-way transfer remembers two vectors at the server, and none at the clients",
    source="Section 3",
    printed=dict(algorithm="2-way"),
    statement=r"\text{state of 2-w GT}=(x,\tilde g_c,\tilde g_f)\in\mathbb R^{3d}\text{ for every }N",
    summary="2-way GT remembers two vectors beside the model, at the server; SCAFFOLD one more per client.",
    controls=[Control("SCAFFOLD", dict(algorithm="SCAFFOLD"))],
)
def state(algorithm: str) -> Evidence:
    rate = F(1, 4)
    made = {"2-way": fl.TwoWayGradientTransfer(2, rate, rate), "SCAFFOLD": fl.Scaffold(2, rate)}[algorithm]
    fed = ProgramFederation(made.participation, noisy=False, n_clients=None)
    begin = made.start(fed, fed.given())
    fed.begin(0)
    kinds = [isinstance(leaf, Vector) for leaf in (*leaves(begin), *leaves(made.round(fed, begin)))]
    beside = len(kinds) // 2 - 1
    return read(
        all(kinds) and beside == 2,
        method="The state before and after a round that is told neither N nor d: how many "
        "leaves, and whether each is one vector at the server.",
        examined=len(kinds),
        numbers={"vectors beside the model": beside, "of them one per client": kinds[1 : beside + 1].count(False)},
        counterexample=f"{algorithm}: {kinds[: beside + 1].count(False)} of the {beside} vectors beside the model "
        "has one copy per client, N d numbers",
        valid_for="every N, d",
    )


merge_average = of_listing(
    "MX-MERGE-AVG",
    lambda: both_loops("Algorithm 1, both updates averaged"),
    "x1 = x + eta_m/2*(Dc + eta_s*D); " + PARALLEL.replace("eta_m*(", "eta_m/2*("),
    lines="x1 = x + eta_m*(Dc + eta_s*D)/2",
    headline="Averaging the two updates is adding them at half the merging rate",
    names={**NAMES, "Dc": r"\Delta_c", "eta_s*D": r"\Delta_f"},
    source="Section 2, text; Algorithm 1",
    summary="Algorithm 1 adds the two updates; the average that the text gives as an example is the same merge at half the "
    "merging rate: eta_m = 1/2 averages. (The printed experiments have eta_m = 1, the theorems eta_m >= 1: the sum.) The "
    "merging rate multiplies the move and changes no fixed point.",
    false={"the same merging rate": ("eta_m/2*(Dc", "eta_m*(Dc"), "0.51 of it": ("eta_m/2*(Dc", "51/100*eta_m*(Dc")},
)


if __name__ == "__main__":
    run_script(__file__)
