"""Appendix A.1, A.2 of Augenstein et al. (2022): what the server can compute from uploads; which average gt_c, gt_f are.

A client that runs SGD with the augmenting gradient u moves by Delta_i = -eta (S_i + K_i u), S_i the sum of its gradients.
Equations (8)-(10) follow.  The renewal of gt_c in Algorithm 1 divides by eta where the central rate eta_c is meant.
"""

from fractions import Fraction
from functools import partial
from itertools import product

import fltheory as fl
from fltheory.derivation.script import Derivation
from fltheory.evidence.decide import read
from fltheory.evidence.kinds import identity_claim, run_script, table_of_an_instance
from fltheory.evidence.model import Control, Evidence, Rung, Unprinted
from fltheory.evidence.things import declare
from verify.mixed2022.derivations.listings import NAMES, listing, loop
from verify.mixed2022.displays import displayed

F = Fraction
METHOD = "The loop of a client summed up, for any gradients; averages over the cohort are linear."
EVERY = "all losses and oracles, every cohort, K_i, d, eta, augmenting gradient"
LETTERS = {
    **NAMES,
    "D": r"\Delta_i^{(t)}",
    "K": "K_i",
    "mean(g, t)": r"\frac1{K_i}\sum_{k<K_i}g_i(x_i^{(t,k)})",
    "mean(g + u, t)": r"\frac1{K_i}\sum_{k<K_i}\big(g_i(x_i^{(t,k)})+\tilde g_c^{(t)}\big)",
}


def client(momentum: str) -> Derivation:
    """One client; what a step subtracts is the gradient with a momentum, plus u."""
    d = listing("Appendix A, one client", clients=False)
    declare(d, f"u over nothing; g, moved over t; used over t = g + {momentum}*moved")
    loop(d, "y", "used", "u", "D", "eta")
    return d


of_client = partial(
    displayed,
    instance=lambda momentum: {"moved": [0, 4, 0], "g": [3, 5, 0], "u": 1},
    names=LETTERS,
    group=identity_claim,
    method=METHOD,
    valid_for=EVERY,
    printed=dict(momentum="0"),
)
MOMENTUM = {"client momentum 1/100": dict(momentum="1/100")}
equation_8 = of_client(
    "MX-EQ8",
    client,
    "-(D/(eta*K)) = mean(g + u, t)",
    headline="With client SGD a client's total change gives the mean direction that it applied",
    source="equation (8)",
    summary="The mean total direction applied on a client is its change over -eta K_i, for client SGD.",
    false={**MOMENTUM, "gt_c subtracted": ("-(D/(eta*K))", "-(D/(eta*K)) - u")},
)
equation_9 = of_client(
    "MX-EQ9",
    client,
    "-(D/(eta*K)) - u = mean(g, t)",
    source="equation (9)",
    summary="Without the augmenting gradient it is the mean of the client's own gradients.",
    false={**MOMENTUM, "0.99 gt_c subtracted": ("- u", "- 99/100*u")},
)


def cohort(subtract: str) -> Derivation:
    """Clients with K_i of T steps, on average ``steps``; of a step that is not taken all vectors are zero."""
    d = listing("Appendix A, a cohort", steps="T")
    declare(d, "1 <= Ki <= T over k; 1 <= steps <= T; u")
    d.vector("own", "k", mean=[["k", "steps/T*u", "the cohort takes as many steps on average"]])
    d.vector("U", "k t", mean=[["t", "own", "K_i of the T steps are taken"]])
    d.vector("g", "k t")
    loop(d, "y", "g", "U", "D", "eta", axes="k", steps="T")
    declare(d, f"Kg over k = T*mean(g, t); gi over k = T*mean(g, t)/Ki; v1 = -D/(eta*steps) - {subtract}*u")
    return d


of_cohort = partial(
    displayed,
    instance=lambda subtract: {
        "Ki": {0: 1, 1: 2},
        "steps": F(5, 3),
        "u": 1,
        "own": {0: F(1, 2), 1: 1},
        "U": {0: [1, 0, 0], 1: [1, 1, 0]},
        "g": {0: [3, 0, 0], 1: [2, 7, 0]},
    },
    names={
        **LETTERS,
        "mean(D, k)": r"\frac1S\sum_i\Delta_i^{(t)}",
        "D": r"\frac1S\sum_i\Delta_i^{(t)}",
        "steps": r"\frac1S\sum_iK_i",
        "mean(Kg, k)": r"\frac1S\sum_iK_i\bar g_i^{(t)}",
        "T*mean(g, k, t)": r"\frac1S\sum_i\sum_{k<K_i}g_i(x_i^{(t,k)})",
    },
    group=identity_claim,
    method=METHOD,
    valid_for=EVERY,
    printed=dict(subtract="1"),
)
equation_10 = of_cohort(
    "MX-EQ10",
    cohort,
    "mean(Kg, k)/steps = -(D/(eta*steps)) - u; v1 = -(D/(eta*steps)) - u",
    headline="The step-weighted mean over the cohort follows from the plain sum of changes",
    source="equation (10)",
    summary="The K_i-weighted mean over the cohort follows from the plain sum of changes.",
    false={"clients weighted alike": ("mean(Kg, k)/steps", "mean(gi, k)"), "gt_c not subtracted": dict(subtract="0")},
)
federated_estimate = of_cohort(
    "MX-ALG-GCEST.2",
    cohort,
    "v1 = T*mean(g, k, t)/steps",
    headline="The transferred federated gradient is the mean over the cohort's clients and steps",
    source="Algorithm 1, last line",
    summary="The augmenting federated gradient is the mean over the cohort's clients and steps, for every eta_c and unequal K_i.",
    false={
        "clients weighted alike": ("T*mean(g, k, t)/steps", "mean(gi, k)"),
        "gt_c not subtracted": dict(subtract="0"),
    },
)


def centre(divisor: str, central_rate: str) -> Derivation:
    d = listing("Algorithm 1, the central loop", clients=False)
    declare(d, "v; h over t")
    loop(d, "c", "h", "v", "Dc", central_rate)
    d.vector("u1", equals=f"-Dc/({divisor}*K) - v")
    return d


of_centre = partial(
    displayed,
    names=NAMES,
    group=identity_claim,
    method="The central loop summed up, for any gradients.",
    valid_for="all losses, K, d; J = K",
)
_ANY_RATE = "any eta_c"
central_equal = of_centre(
    "MX-ALG-GCEST.1",
    centre,
    "u1 = mean(h, t)",
    says=r"\eta_c=\eta\Rightarrow ",
    headline="The renewed central gradient is the mean gradient if both rates are equal",
    source="Algorithm 1, last line but one; Section 4",
    printed=dict(divisor="eta", central_rate="eta"),
    summary="With equal rates, as in all printed experiments (eta_c = eta eta_s, eta_s = 1), the printed renewal is the mean "
    "central gradient; with others the divisor eta makes it (eta_c/eta)(mean + gt_f) - gt_f.",
    false={_ANY_RATE: dict(central_rate="eta_c")},
    unprinted=Unprinted("eta_c = eta", _ANY_RATE),
)
central_repaired = of_centre(
    "MX-ALG-GCEST.1-R1",
    centre,
    "u1 = mean(h, t)",
    says=r"\tilde g_c^{(t+1)}=-\frac{\Delta_c^{(t)}}{\eta_cK}-\tilde g_f^{(t)}\Rightarrow ",
    source="Algorithm 1, last line but one, corrected",
    printed=dict(divisor="eta_c", central_rate="eta_c"),
    summary="Divided by the central rate it is the mean central gradient.",
    false={"divisor eta": dict(divisor="eta")},
)


@table_of_an_instance(
    "MX-A1-DOWNLOAD",
    headline="Gradient transfer doubles the download of Parallel Training and leaves the upload",
    source="Appendix A.1",
    printed=dict(factor=2, algorithms="1-way 2-way"),
    statement=r"\text{download of 1-w and 2-w GT}=2\times\text{download of PT};\ \text{upload equal}",
    summary="Counted in the rounds: model and augmenting gradient go down, one vector comes up (down + up: 3 against 2, as in "
    "Table 5).",
    controls=[Control("factor 3", dict(factor=3)), Control("PT too", dict(algorithms="1-way 2-way PT"))],
)
def download(factor: int, algorithms: str) -> Evidence:
    wrong, counts = [], {}
    for steps, n in product((1, 2, 5), (1, 4)):
        made = {
            "PT": fl.ParallelTraining(steps, 1, 1),
            "1-way": fl.OneWayGradientTransfer(steps, 1),
            "2-way": fl.TwoWayGradientTransfer(steps, 1, 1),
        }
        found = {name: fl.cost((n, 3), algorithm, rounds=2).round(1) for name, algorithm in made.items()}
        counts = {name: f"{c.down} down, {c.up} up" for name, c in found.items()}
        wrong += [
            f"K={steps}, N={n}, {name}: {found[name].down} down, {found[name].up} up, against PT's {found['PT'].down} down, "
            f"{found['PT'].up} up"
            for name in algorithms.split()
            if found[name].down != factor * found["PT"].down or found[name].up != found["PT"].up
        ]
    return read(
        not wrong,
        method="vectors sent and averaged in round 2, counted by the cost reading, K = 1, 2, 5, N = 1, 4; "
        "the first round of 2-way GT sends a zero gradient for free",
        examined=6 * len(algorithms.split()),
        rung=Rung.EXACT,
        numbers=counts,
        counterexample=next(iter(wrong), ""),
        valid_for="uncompressed vectors of the model's size",
    )


if __name__ == "__main__":
    run_script(__file__)
