"""Algorithm 1 of the elastic aggregation supplement: FedAvg with momentum at the server and elastic aggregation.

One client and one coordinate of a quadratic ``a theta^2/2`` decide the signs: K local steps give ``theta_k = q theta`` with
``q = (1 - eta' a)^K``, and a coordinate of any number of such clients moves by the mean of their ``q - 1``.
"""

from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.algorithms.elastic_full import elastic_fedavgm, elastic_fedprox
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import read
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import definition_claim, identity_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness

of_algorithm_1 = definition_claim.sharing(source="Algorithm 1, last loop")
#: The run of one client on a theta^2/2 in every reading; s is the sign of the server's step times that of the difference.
_RUN = (
    "0 < q < 1; 0 <= u < 1; z > 0; h > 0; first_x = 1; next_x = x {sign} h*(u*m + (1 - u)*z*(q - 1)*x); first_m = 0; "
    "next_m = u*m + (1 - u)*z*(q - 1)*x"
)
_NAMES = {"x": r"\theta", "m": "m", "u": r"\mu'", "h": r"\eta", "z": r"\zeta", "q": "(1-\\eta'a)^K"}
_LOSS = r"f=\tfrac a2\theta^2,\ \theta_k=q\theta:\quad "
_DESCENDS = "EL-ALG1[plus, local minus global model]"


def first_round(difference: str, server_sign: str) -> Evidence:
    """One step of size 1/2 on theta^2/2 from theta = 1, server step 1, no momentum, zeta = 1: the loss must not grow."""
    models = elastic_fedavgm(
        [lambda x: x],
        [Fraction(1)],
        2,
        local_steps=1,
        step_size=Fraction(1, 2),
        difference=difference,
        server_sign=server_sign,
    )
    before, after = sp.symbols("theta_0 theta_1")
    at = {"theta_0": models[0][0], "theta_1": models[1][0], "theta_2": models[2][0]}
    return by_witness(
        Witness(
            at,
            Side("loss after a round", after**2 / 2),
            "<=",
            Side("before", before**2 / 2),
            setting=f"f = theta^2/2, one client, one local step of size 1/2, eta = zeta = 1, mu' = 0; Delta: {difference}, "
            f"server: {server_sign}",
        )
    )


as_scanned = of_algorithm_1(
    "EL-ALG1[minus, local minus global model]",
    fault="slip",
    repair=_DESCENDS,
    statement=r"\Delta_k=\theta_k-\theta,\quad\theta^i\leftarrow\theta^i-\eta m^i:\quad f(\theta)\text{ does not grow}",
    headline="With the server step as it is read off the scan the algorithm climbs",
    summary="Delta_k is printed as local minus global model, and the server subtracts it: a round takes theta^2/2 from "
    "1/2 to 9/8. One of the two signs has to be turned; which one the scan cannot tell.",
    printed=dict(difference="local - global", server_sign="minus"),
    controls=[
        Control("the server adds", dict(server_sign="plus"), must="pass"),
        Control("global minus local model", dict(difference="global - local"), must="pass"),
    ],
)(first_round)

always_climbs = statement_of_algebra(
    "EL-ALG1-U1",
    Relations(
        f"x >= 1; m <= 0 for {_RUN.format(sign='-')}",
        uses={
            0: {"x >= 1": "1 + h*(1 - u)*z*(1 - q)", "m <= 0": "h*u"},
            1: {"m <= 0": "u", "x >= 1": "(1 - u)*z*(1 - q)"},
        },
        names=_NAMES,
    ),
    says=_LOSS,
    headline="With both printed signs the loss never falls below its start, whatever the parameters",
    false={"the server adds": ("x - h*", "x + h*")},
    group=of_algorithm_1,
    summary="With Delta_k = theta_k - theta and a server that subtracts, a quadratic coordinate never comes back below "
    "its start, in any round, for all curvatures, step sizes with 0 < (1 - eta' a)^K < 1, elasticities, momenta and "
    "server steps.",
)

descends = statement_of_algebra(
    _DESCENDS,
    Relations(
        "1 - d + u < 1 + u; 1 - d + u > -1 - u; u < 1 for 0 < q < 1; 0 <= u < 1; z > 0; h > 0; d = h*(1 - u)*z*(1 - q); "
        "h*z*(1 - q)*(1 - u) < 2*(1 + u)",
        uses={1: {"h*z*(1 - q)*(1 - u) < 2*(1 + u)": "1"}},
        names={"u": r"\mu'", "h": r"\eta", "z": r"\zeta", "q": "q", "d": r"\delta"},
    ),
    says=_LOSS + r"\theta,m\text{ tend to }0:\quad ",
    headline="If the server adds, the algorithm converges on a quadratic for all small server steps",
    false={
        "the server subtracts": ("d = h*", "d = -h*"),
        "server steps up to 4(1 + mu')": ("(1 - u) < 2*(1 + u)", "(1 - u) < 4*(1 + u)"),
    },
    group=of_algorithm_1,
    summary="With the server's step in the direction of the local models a quadratic coordinate tends to its minimiser if eta zeta "
    "(1 - q)(1 - mu') < 2(1 + mu'), q = (1 - eta' a)^K in (0, 1).",
    prose="a round is linear in (theta, m), with characteristic polynomial t^2 - (1 - delta + mu') t + mu'; its roots "
    "lie inside the unit circle exactly if these three relations hold (Jury), and subtracting the opposite difference "
    "is the same round",
)

opposite = statement_of_algebra(
    "EL-ALG1[minus, global minus local model]",
    Relations(
        "t - h*(u*n + (1 - u)*z*(t - y)) = t + h*(u*m + (1 - u)*z*(y - t)) for h > 0; 0 <= u < 1; z >= 0; n = -m",
        names={"t": r"\theta", "y": r"\theta_k", "u": r"\mu'", "h": r"\eta", "z": r"\zeta", "n": "m^-", "m": "m^+"},
    ),
    headline="Subtracting global minus local model is adding local minus global model",
    false={"the memory with the same sign": ("n = -m", "n = m")},
    group=of_algorithm_1,
    summary="With Delta_k = theta - theta_k and a server that subtracts, the rounds are those of the reading that "
    "adds, the memory with the opposite sign: it descends as that one does.",
)

no_momentum = statement_of_algebra(
    "EL-REDUCE.1",
    Relations(
        "t + h*n = t + h*z*v; (1 + tau - O/M)*v = tau*v for h > 0; tau >= 0; M > 0; O = M; z = 1 + tau - O/M; u = 0; "
        "n = u*m + (1 - u)*z*v",
        names={
            **_NAMES,
            "t": r"\theta",
            "v": r"\textstyle\sum_kw_k\Delta_k",
            "O": r"\Omega^i",
            "M": r"\hat\Omega",
            "n": "m^+",
        },
    ),
    headline="Equal sensitivities make elastic aggregation the plain one with the step times tau",
    false={"half the largest sensitivity": ("O = M", "O = M/2"), "some momentum": ("u = 0", "u = 1/2")},
    group=identity_claim,
    source="Section 3 with Algorithms 1 and 2",
    summary="With equal sensitivities every coordinate of the averaged update is multiplied by tau, so that the method "
    "is FedAvg, with or without momentum, or FedProx, with server step tau eta; it is the plain method for tau = 1.",
)


def combined(method: str, rounds: int, server_sign: str) -> Evidence:
    """Two quadratic clients, in rationals: does elastic aggregation with unequal zeta bring the loss down with this method?"""
    gradients = [lambda x: x - 1, lambda x: 2 * x]
    options: dict[str, Any] = dict(local_steps=2, step_size=Fraction(1, 4), zeta=[Fraction(3, 4), Fraction(5, 4)])
    run = elastic_fedavgm if method == "momentum at the server" else elastic_fedprox
    options |= {"momentum": Fraction(1, 2)} if run is elastic_fedavgm else {"penalty": Fraction(1, 2)}
    models = run(gradients, [Fraction(2)] * 2, rounds, server_sign=server_sign, **options)
    excess = [sum((x - Fraction(1, 3)) ** 2 for x in model) * Fraction(3, 4) for model in models]
    return read(
        excess[-1] < excess[0],
        method="Every round in rationals, two coordinates with different elasticities.",
        examined=rounds,
        rung=Rung.EXACT,
        margin=float(1 - excess[-1] / excess[0]) if excess[-1] < excess[0] else -float(1 - excess[0] / excess[-1]),
        counterexample=f"clients (x - 1)^2/2 and x^2 in both of two coordinates, zeta = (3/4, 5/4), from 2: excess loss "
        f"{excess[0]}, "
        f"after {rounds} rounds about {float(excess[-1]):.4g}",
        numbers={"excess loss before": str(excess[0]), "excess loss after": float(excess[-1])},
        valid_for="this run",
    )


of_combinations = qualitative_of_an_instance.sharing(source="Section 3, first paragraph")
client_side = of_combinations(
    "EL-REDUCE.3",
    headline="Elastic aggregation runs on top of a method at the clients",
    statement=r"\text{elastic aggregation works with an approach at the clients: FedProx}",
    summary="With FedProx at the clients and elasticities 3/4 and 5/4 the loss of two quadratic clients comes down: "
    "nothing that the clients do enters the server's factors. How well is an experiment (EL-FIG2).",
    printed=dict(method="FedProx at the clients", rounds=8, server_sign="plus"),
    controls=[Control("the server subtracts", dict(server_sign="minus"))],
)(combined)

server_side = of_combinations(
    "EL-REDUCE.2",
    headline="Elastic aggregation runs together with momentum at the server",
    statement=r"\text{elastic aggregation works with an approach at the server: FedAvgM}",
    summary="With momentum at the server and elasticities 3/4 and 5/4 the loss of two quadratic clients comes down. How well is an "
    "experiment (EL-FIG2).",
    printed=dict(method="momentum at the server", rounds=8, server_sign="plus"),
    controls=[Control("the server subtracts", dict(server_sign="minus"))],
)(combined)


if __name__ == "__main__":
    run_script(__file__)
