r"""Equation (2) of the FedLAMA paper: the unit discrepancy, and what the division by the interval is for."""

import sympy as sp

from fltheory.evidence.algebra import statement_in_mean, statement_of_algebra
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.kinds import definition_claim, expectation_claim, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side
from verify.fedlama2021.comparing import compared

NAMES = {
    "k": r"\tfrac1m\sum_i",
    "n": r"\dim(\mathbf u_l)",
    "tau": r"\tau_l",
    "u": r"\mathbf u_l",
    "x": r"\mathbf x_l^i",
    "w": r"\mathbf w",
}
eta, s, tau, n = sp.symbols("eta s tau n")

unit_discrepancy = statement_in_mean(
    "LA-EQ2",
    InMean(
        "sq(x - u)/(tau*n) = sq(x - w)/(tau*n) - sq(u - w)/(tau*n) for tau >= 1; n >= 1",
        things="w; x over k; u = mean(x, k)",
        over="k",
        unfold="u",
        names=NAMES,
    ),
    false={"half of the second term": ("- sq(u - w)", "- sq(u - w)/2")},
    group=definition_claim,
    says=r"d_l=\frac1m\sum_i\frac{\|\mathbf u_l-\mathbf x_l^i\|^2}{\tau_l\dim(\mathbf u_l)},\ \mathbf u_l=\frac1m"
    r"\sum_i\mathbf x_l^i:\quad ",
    source="(2)",
    headline="The unit discrepancy of a layer is its variance over clients, per iteration and parameter",
    summary="The unit discrepancy is defined for every interval and size of at least one; it is the variance of the "
    "clients' layers about their average, which no other reference point makes smaller, divided by the interval and "
    "by the number of parameters.",
)

# ----------------------------------------------------------------------------- what the division by the interval is for

of_the_unit = qualitative_claim.sharing(source="Section 4, after (2)")
_NOISY = "first_V = 0; next_V = V + eta**2*n*s**2*(1 - 1/m); first_j = 0; next_j = j + 1"

per_iteration_noise = statement_of_algebra(
    "LA-EQ2-UNIT[clients differ by noise]",
    Relations(
        f"V = j*n*(eta**2*s**2*(1 - 1/m)) for m >= 2; n >= 1; eta > 0; s >= 0; {_NOISY}",
        uses={0: {"V = j*n*(eta**2*s**2*(1 - 1/m))": "1"}},
        names={"n": NAMES["n"]},
    ),
    prose="a step adds eta^2 times the variance of the clients' noise about its average (LA-EQ2-UNIT-S1), which for "
    "independent clients is n s^2 (1 - 1/m)",
    depends=["LA-EQ2-UNIT-S1"],
    false={"without the average of the clients": ("(eta**2*s**2*(1 - 1/m))", "(eta**2*s**2)")},
    group=expectation_claim,
    says=r"V=\mathbb E\,\tfrac1m\textstyle\sum_i\|\mathbf u_l-\mathbf x_l^i\|^2\text{ after }j=\tau_l\text{ steps},\ "
    r"\mathbb E\,d_l=\eta^2s^2(1-\tfrac1m):\quad ",
    source="Section 4, after (2)",
    headline="If clients differ by independent noise alone the metric does not depend on the interval",
    summary="Where the clients' gradients differ only by independent noise of variance s^2 per parameter, the expected "
    "discrepancy grows in proportion to the interval, and the unit discrepancy is one number for all intervals.",
)


one_step_of_noise = statement_in_mean(
    "LA-EQ2-UNIT-S1",
    InMean(
        "sq(y - mean(y, k)) = sq(x - mean(x, k)) + eta**2*sq(n - mean(n, k)) for eta > 0",
        things="g; x over k; n over k xi, mean 0 over xi; y over k xi = x - eta*(g + n)",
        over="k xi",
        unfold="y",
        names={
            "k": r"\tfrac1m\sum_i",
            "x": r"\mathbf x^i_{l,j}",
            "y": r"\mathbf x^i_{l,j+1}",
            "g": r"\mathbf g",
            "n": r"\mathbf n^i",
        },
    ),
    false={"twice the noise": ("+ eta**2*sq(n", "+ 2*eta**2*sq(n")},
    without={"noise that knows the models": "mean of n"},
    group=expectation_claim,
    says=r"\text{gradients }\mathbf g+\mathbf n^i:\quad ",
    source="Section 4, after (2)",
    headline="Noise adds the same expected discrepancy in every step, whatever happened before",
    summary="Where the clients' gradients are one vector and noise with mean zero given the models, a step adds "
    "eta^2 times the noise's variance over the clients to the expected discrepancy of a layer.",
)


@of_the_unit(
    "LA-EQ2-UNIT[clients differ by a constant gradient]",
    statement=r"\mathbf g^i_l-\bar{\mathbf g}_l\text{ constant}:\quad d_l(\tau_l)=d_l(1)",
    headline="If clients differ by constant gradients the metric grows in proportion to the interval",
    summary="Where each client's gradient differs from the average by a constant vector, the discrepancy after tau "
    "steps is tau^2 times that after one; the unit discrepancy is tau times that for tau = 1. A layer looks worse "
    "because it waited longer.",
    fault="reading",
    repair="LA-EQ2-UNIT-R1",
    printed=dict(power=1),
    controls=[
        Control("divided by the squared interval", dict(power=2), must="pass"),
        Control("not divided", dict(power=0)),
    ],
)
def constant_drift(power: int) -> Evidence:
    """Half-difference s of two clients' gradients: each is eta s tau from the average after tau steps."""
    unit = (eta * s * tau) ** 2 / (tau**power * n)
    left, right = Side("d_l", unit), Side("d_l after one step", unit.subs(tau, 1))
    return compared(left, right, {tau: 2, eta: 1, s: 1, n: 1}, setting="two clients with gradients s and -s")


per_iteration_mean = statement_of_algebra(
    "LA-EQ2-UNIT[mean over the iterations since the last synchronisation]",
    Relations(
        "(V - V0)/(tau*n) = c/n for tau >= 1; n >= 1; c >= 0; V0 = 0; V = V0 + tau*c",
        names={"c": "c", "V": "V_l", "V0": r"V_l^{0}", **{key: NAMES[key] for key in ("n", "tau")}},
    ),
    false={"clients that differ at the last synchronisation": ("V0 = 0; V = V0 + tau*c", "V0 = 1; V = 2*V0 + tau*c")},
    group=of_the_unit,
    says=r"c=\text{the mean increment of the discrepancy over the }\tau_l\text{ iterations since all clients "
    r"agreed}:\quad ",
    headline="The metric is the mean growth of a layer's discrepancy per iteration and parameter",
    summary="As the clients agree on a layer after each synchronisation, the unit discrepancy is the mean over the "
    "iterations since then of what an iteration adds, per parameter: an identity, whatever the losses.",
)

drift_rate = statement_of_algebra(
    "LA-EQ2-UNIT-R1",
    Relations(
        "e = j*(eta*s) for eta > 0; s >= 0; first_e = 0; next_e = e + eta*s; first_j = 0; next_j = j + 1",
        uses={0: {"e = j*(eta*s)": "1"}},
    ),
    prose="the discrepancy is the square of e, so that d_l = e^2/(tau_l dim) is tau_l times its value for one step",
    false={"half of the steps": ("e = j*(", "e = j/2*(")},
    group=qualitative_claim,
    says=r"\mathbf g^i_l-\bar{\mathbf g}_l\text{ constant of length }s,\ e=\|\mathbf x^i_l-\mathbf u_l\|\text{ after "
    r"}j\text{ steps}:\quad ",
    source="Section 4, after (2)",
    headline="Under constant gradient differences the discrepancy grows with the squared interval",
    summary="With constant differences of the clients' gradients the discrepancy grows with the squared number of "
    "steps since the last synchronisation, so that the unit discrepancy is proportional to the interval; divided by "
    "its square it would not depend on it.",
)


if __name__ == "__main__":
    run_script(__file__)
