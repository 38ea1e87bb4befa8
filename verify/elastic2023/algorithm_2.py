"""Algorithm 2 of the elastic aggregation supplement: FedProx with elastic aggregation, its proximal term and its signs.

A quadratic client ``a (x - c)^2/2`` (deviation ``x - theta``, with ``c - theta = g``) decides: a local step is
``x <- x - e a (x - c) + r (theta - x)`` with the step size ``e`` and ``r`` the coefficient as it is read.
"""

from fractions import Fraction

import sympy as sp

from fltheory.algorithms.elastic_full import elastic_fedprox
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import definition_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness

of_the_local_step = definition_claim.sharing(source="Algorithm 2, innermost line")
of_the_server = definition_claim.sharing(source="Algorithm 2, last line")
_NAMES = {
    "e": r"\eta'",
    "r": r"\rho",
    "t": r"\theta",
    "x": r"\theta_k",
    "c": r"\theta_k^\star",
    "y": r"\theta_k^+",
    "p": r"\hat\rho",
    "w": "x_\\infty",
}
_LOSS = r"L_k=\tfrac a2(\theta_k-\theta_k^\star)^2:\quad "

pulls_back = statement_of_algebra(
    "EL-ALG2.1[the term is rho (theta - theta_k)]",
    Relations(
        "w - e*a*(w - c) + r*(t - w) = w; y - w = (1 - e*a - r)*(x - w); -1 < 1 - e*a - r < 1; w - t = e*a/(e*a + r)*(c - t) "
        "for a > 0; e > 0; r > 0; e*a + r < 2; w = (e*a*c + r*t)/(e*a + r); y = x - e*a*(x - c) + r*(t - x)",
        uses={2: {"e*a + r < 2": "1"}},
        names=_NAMES,
    ),
    says=_LOSS,
    headline="Read with the global model first, the proximal term pulls the local model back",
    false={"the other order": ("+ r*(t - x)", "- r*(t - x)"), "coefficients up to 4": ("e*a + r < 2", "e*a + r < 4")},
    group=of_the_local_step,
    summary="With rho (theta - theta_k) added, local steps on a quadratic client tend to a point between its minimiser "
    "and the global model, exactly if eta' a + rho < 2: the share eta' a/(eta' a + rho) of the way.",
)


def local_model(order: str, penalty: str) -> Evidence:
    """A flat loss, theta = 0, theta_k = x: two steps with the proximal term alone."""
    rho, x = sp.symbols("rho x")
    factor = 1 - rho if order == "global - local" else 1 + rho
    return by_witness(
        Witness(
            {"rho": Fraction(penalty), "x": 1},
            Side("squared distance from the global model after two steps", (factor**2 * x) ** 2),
            "<=",
            Side("before", x**2),
            given=[(rho, ">", 0), (rho, "<", 2)],
            setting=f"flat loss, theta = 0, theta_k = x, the term with {order} model",
        )
    )


pushes_away = of_the_local_step(
    "EL-ALG2.1[the term is rho (theta_k - theta)]",
    fault="transcription",
    repair="EL-ALG2.1[the term is rho (theta - theta_k)]",
    statement=r"\theta_k\leftarrow\theta_k-\eta'\nabla L_k+\rho(\theta_k-\theta):\quad\text{the term keeps }\theta_k\text{ near "
    r"}\theta",
    headline="In the opposite order the proximal term would push the local model away",
    summary="The scan does not show which of the two models bears the index. With the local model first, the term "
    "would push it away from the global one, by the factor 1 + rho in every step.",
    printed=dict(order="local - global", penalty="1/2"),
    controls=[Control("global model first", dict(order="global - local"), must="pass")],
)(local_model)

same_as_gradient = statement_of_algebra(
    "EL-ALG2.2[rho is the step size times the penalty]",
    Relations(
        "x - e*g + r*(t - x) = x - e*(g + p*(x - t)) for e > 0; p >= 0; r = e*p",
        names={**_NAMES, "g": r"\nabla L_k(\theta_k)"},
    ),
    headline="The printed local step is that of FedProx if rho is the step size times its penalty",
    false={"rho is the penalty": ("r = e*p", "r = p")},
    group=of_the_local_step,
    summary="The printed step is a gradient step on L_k + (rho^/2)|theta_k - theta|^2 for every loss if its coefficient rho is "
    "eta' times the penalty rho^.",
)


def step_on_penalised_loss(coefficient: str) -> Evidence:
    """L_k = (x - 1)^2/2, theta = 0, penalty 1, step 1/2: one step from x = 1 by the print and on the penalised loss."""
    e, p, x = sp.symbols("e p x")
    factor = p if coefficient == "penalty" else e * p
    return by_witness(
        Witness(
            {"e": Fraction(1, 2), "p": 1, "x": 1},
            Side("the printed step", x - e * (x - 1) + factor * (0 - x)),
            "=",
            Side("the gradient step", x - e * (x - 1 + p * x)),
            setting="L_k = (x - 1)^2/2, theta = 0, penalty p, step size e",
        )
    )


penalty_as_printed = of_the_local_step(
    "EL-ALG2.2[rho is the penalty of FedProx]",
    fault="slip",
    repair="EL-ALG2.2[rho is the step size times the penalty]",
    statement=r"\theta_k-\eta'\nabla L_k+\rho(\theta-\theta_k)=\theta_k-\eta'\nabla\big(L_k+\tfrac\rho2\|\theta_k-\theta\|^2\big)",
    headline="Taken as the penalty of FedProx, rho has lost the local step size",
    summary="rho is called the penalty coefficient of FedProx, and stands without the factor eta' that a gradient step "
    "on the penalised loss has: one step from 1 ends at 0 instead of 1/2.",
    printed=dict(coefficient="penalty"),
    controls=[Control("step size times penalty", dict(coefficient="step size times penalty"), must="pass")],
)(step_on_penalised_loss)

fixed_points = statement_of_algebra(
    "EL-ALG2.2-U1",
    Relations(
        "w - v = (1 - e)*r*a*(t - c)*e/(e*(e*a + r)*(a + r)); w - c = r/(e*a + r)*(t - c); v - c = r/(a + r)*(t - c) "
        "for a > 0; e > 0; r > 0; w = (e*a*c + r*t)/(e*a + r); v = (a*c + r*t)/(a + r)",
        names={**_NAMES, "v": "v_\\infty"},
    ),
    says=_LOSS,
    headline="Without the step size the proximal fixed point lies closer to the global model",
    false={"the same fixed point": ("w - v = (1 - e)*r*a*(t - c)*e/(e*(e*a + r)*(a + r))", "w - v = 0")},
    group=of_the_local_step,
    summary="With one number rho as printed and as the penalty, local steps on a quadratic client tend to points at "
    "the shares rho/(eta' a + rho) and rho/(a + rho) of the way from its minimiser to the global model: for step sizes "
    "below 1 the printed step holds it closer, and equal only for eta' = 1.",
)

stability = statement_of_algebra(
    "EL-ALG2.2-U2",
    Relations(
        "1 - e*(a + r) > -1; 1 - e*(a + r) < 1; 1 - e*a - r < -1 for a > 0; 0 < e < 1; r >= 2; e*(a + r) < 2",
        uses={0: {"e*(a + r) < 2": "1"}},
        names=_NAMES,
        at={"a": "1/2", "e": "1/2", "r": "2"},
    ),
    says=_LOSS,
    headline="A penalty of two or more makes the printed step diverge where FedProx converges",
    false={"penalties from 1 on": ("r >= 2", "r >= 1")},
    group=of_the_local_step,
    summary="The printed step is stable for rho < 2 - eta' a, the step of FedProx for rho < 2/eta' - a: with a "
    "coefficient of 2 or more the printed one does not converge for any step size, whatever the curvature, where the "
    "other does for small ones.",
)


def server_step(difference: str, server_sign: str) -> Evidence:
    """One round on theta^2/2 from 1 with one local step of size 1/2, penalty 1, zeta = 1: the loss must not grow."""
    models = elastic_fedprox(
        [lambda x: x],
        [Fraction(1)],
        1,
        local_steps=1,
        step_size=Fraction(1, 2),
        penalty=Fraction(1),
        difference=difference,
        server_sign=server_sign,
    )
    before, after = sp.symbols("theta_0 theta_1")
    return by_witness(
        Witness(
            {"theta_0": models[0][0], "theta_1": models[1][0]},
            Side("loss after a round", after**2 / 2),
            "<=",
            Side("before", before**2 / 2),
            setting=f"f = theta^2/2, one client, one local step of size 1/2, zeta = 1; Delta: {difference}, server: {server_sign}",
        )
    )


_ADDS = "EL-ALG2.3[plus, local minus global model]"
server_as_scanned = of_the_server(
    "EL-ALG2.3[minus, local minus global model]",
    fault="slip",
    repair=_ADDS,
    statement=r"\Delta_k=\theta_k-\theta,\quad\theta^i\leftarrow\theta^i-\Delta^i:\quad f(\theta)\text{ does not grow}",
    headline="The second algorithm climbs, too, with the server step as it is read off the scan",
    summary="As in Algorithm 1, local minus global model is subtracted: a round takes theta^2/2 from 1/2 to 9/8.",
    printed=dict(difference="local - global", server_sign="minus"),
    controls=[
        Control("the server adds", dict(server_sign="plus"), must="pass"),
        Control("global minus local model", dict(difference="global - local"), must="pass"),
    ],
)(server_step)

server_adds = statement_of_algebra(
    _ADDS,
    Relations(
        "t + z*(q*t - t) = s*t; s > -1; s < 1; t - z*(t - y) = t + z*(y - t) "
        "for 0 < q < 1; z > 0; s = 1 - z*(1 - q); z*(1 - q) < 2",
        uses={1: {"z*(1 - q) < 2": "1"}},
        names={**_NAMES, "z": r"\zeta", "q": "Q", "s": "s", "y": r"\theta_k"},
    ),
    says=r"f=\tfrac a2\theta^2,\ \theta_k=Q\theta:\quad ",
    headline="If the server adds the averaged difference, the loss falls on a quadratic",
    false={
        "the server subtracts": ("t + z*(q*t - t)", "t - z*(q*t - t)"),
        "four times the range": ("z*(1 - q) < 2", "z*(1 - q) < 8"),
    },
    group=of_the_server,
    summary="If the server adds local minus global model, or subtracts the opposite, the loss of a quadratic "
    "coordinate falls in every round while zeta (1 - Q) < 2, where the local steps take theta to Q theta, 0 < Q < 1.",
)


if __name__ == "__main__":
    run_script(__file__)
