"""Algorithm 3 of the elastic aggregation supplement, and what it leaves out: one number phi in place of elasticities.

The convergence analysis multiplies the averaged update by one number.  Factors of the coordinates, and a number that is read off
the cohort, are tested on exact instances against what Lemma 7 and Theorem I would say of them.
"""

from fractions import Fraction

import sympy as sp

from fltheory.algorithms.sensitivities import elasticity
from fltheory.evidence.algebra import disproved, statement_in_mean, statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.ends import by_witness
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.kinds import definition_claim, identity_claim, qualitative_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness

of_algorithm_3 = identity_claim.sharing(source="Algorithm 3 with (14)")
of_the_number = definition_claim.sharing(source="Algorithm 3, client's third and server's last line")
of_what_is_left_out = qualitative_claim.sharing(source="Algorithm 3, first sentence")
_ONE_NUMBER = "EL-ALG3-OMIT[phi is one number, free of the cohort]"

algorithm_3 = statement_in_mean(
    "EL-ALG3.1",
    InMean(
        "sq(x + phi*h*mean(x - e*K*mean(g, j) - x, S) - (x - K*phi*h*e*mean(mean(g, j), S))) = 0 for phi > 0; h > 0; e > 0; K >= 1",
        things="x; g over S j",
        names={"j": r"\tfrac1K\sum_k", "h": r"\eta_g", "e": r"\eta_l", "phi": r"\phi"},
    ),
    false={
        "phi at the clients too": ("mean(g, j) - x, S)", "phi*mean(g, j) - x, S)"),
        "half a step less": ("(x - K*", "(x - (K - 1/2)*"),
    },
    group=of_algorithm_3,
    headline="A round of Algorithm 3 is one step along the mean gradient, with one effective step size",
    summary="A round of Algorithm 3 moves the model by -K phi eta_g eta_l times the mean over cohort and local steps "
    "of the gradients: (14), with the effective step of Lemma 7. phi and eta_g enter as a product only.",
)


def more_sensitive(phi: str) -> Evidence:
    """Two parameters with sensitivities 1 and 1/2, equal updates: the more sensitive one must not move further."""
    omega = [Fraction(1), Fraction(1, 2)]
    factors = omega if phi == "sensitivity" else elasticity(omega, Fraction(1, 2))
    a, b, first, second = sp.symbols("phi_1 phi_2 Omega_1 Omega_2")
    return by_witness(
        Witness(
            {"phi_1": factors[0], "phi_2": factors[1], "Omega_1": omega[0], "Omega_2": omega[1]},
            Side("factor of the more sensitive parameter", a),
            "<=",
            Side("of the other", b),
            given=[(first, ">", second)],
            setting=f"phi is the {phi}" + ("" if phi == "sensitivity" else " with tau = 1/2"),
        )
    )


phi_is_sensitivity = of_the_number(
    "EL-ALG3.2[phi is the averaged sensitivity, as listed]",
    fault="slip",
    repair="EL-ALG3.2[phi is the elasticity]",
    statement=r"\phi\leftarrow\tfrac1{|S|}\textstyle\sum_{i\in S}\phi_i,\ x\leftarrow x+\phi\eta_g\Delta x:\quad"
    r"\text{sensitive parameters are restricted}",
    headline="As listed, Algorithm 3 moves sensitive parameters further, not less",
    summary="In Algorithm 3 the update is multiplied by the averaged sensitivity itself, which grows with the "
    "sensitivity; in Algorithms 1 and 2 it is multiplied by zeta, which falls with it. So phi must stand for zeta.",
    printed=dict(phi="sensitivity"),
    controls=[Control("phi is the elasticity", dict(phi="elasticity"), must="pass")],
)(more_sensitive)

phi_is_elasticity = statement_of_algebra(
    "EL-ALG3.2[phi is the elasticity]",
    Relations(
        "1 + tau - P/M < 1 + tau - O/M; 1 + tau - P/M >= 0 for tau >= 0; M > 0; O >= 0; d > 0; P = O + d; P <= M",
        uses={1: {"P <= M": "1/M"}},
        at={"tau": "1", "M": "2", "O": "0", "d": "1", "P": "1"},
        names={"d": r"\Omega^i-\Omega^j", "P": r"\Omega^i", "O": r"\Omega^j", "M": r"\hat\Omega"},
    ),
    headline="With the elasticity for phi, a more sensitive parameter moves less",
    false={
        "equally sensitive ones as well": ("d > 0", "d >= 0"),
        "the sensitivity": ("1 + tau - P/M <", "1 + tau + P/M <"),
        "more sensitive than the largest": ("P <= M", "P <= 2*M"),
    },
    group=of_the_number,
    summary="The factor zeta falls with the sensitivity: of two parameters with equal updates the more sensitive one moves less.",
)

one_number = statement_in_mean(
    _ONE_NUMBER,
    InMean(
        "sq(x + phi*(h*mean(y - x, S)) - (x + (phi*h)*mean(y - x, S))) = 0 for phi > 0; h > 0",
        things="x; y over S",
        names={"h": r"\eta_g", "phi": r"\phi"},
    ),
    false={"the local moves scaled again": ("(phi*h)*mean(y - x, S)", "(phi*h)*mean(phi*y - x, S)")},
    group=of_what_is_left_out,
    prose="the analysis uses phi and eta_g as their product only (EL-ALG3.1)",
    headline="One number phi only renames the server's step size",
    summary="If phi is one number for all parameters and free of the cohort, the method is averaging with server step "
    "phi eta_g: the analysis is that of plain aggregation, and leaving out tau and mu changes nothing in it.",
)


def each_coordinate(first: str, second: str) -> Evidence:
    """f = x'Hx/2, one client, one local step from (-2, 1): |x - e Z H x|^2 against |x|^2 for every e > 0."""
    opposite = Matrices(
        f"sq(x - e*Z*H*x) > sq(x) for e > 0; H = [[10, 9], [9, 10]]; Z = [[{first}, 0], [0, {second}]]; x = [-2, 1]"
    )
    words = (
        f"one client, K = 1, f = 5u^2 + 9uv + 5v^2 with minimiser 0, zeta = ({first}, {second}), start (-2, 1): "
        "<x, zeta grad f> = -1 < 0, so that the squared distance 5 from the minimiser grows in a round for every step size"
    )
    return decide(
        (False, "zeta H has no symmetric part that is positive definite"),
        disproved(opposite, words),
        method="The first-order term of the squared distance, for all step sizes.",
        would_settle="another start",
    )


coordinates = of_what_is_left_out(
    "EL-ALG3-OMIT[one factor for each parameter]",
    fault="substance",
    repair="EL-ALG3-OMIT-R1",
    statement=r"x^+=x-\tilde\eta\,\mathrm{diag}(\zeta)\nabla f(x):\quad\|x^+-x^\star\|^2<\|x-x^\star\|^2\text{ for small "
    r"}\tilde\eta\text{ (Lemma 7)}",
    headline="With a factor for each parameter a round can move away from the minimiser, at any step",
    summary="Lemma 7 does not survive the elasticities that Algorithms 1 and 2 use: with tau = 1/2 and zeta = (1/2, "
    "3/2) the distance from the minimiser of a strongly convex quadratic grows in a round, for every step size, one "
    "client, one local step and no noise.",
    printed=dict(first="1/2", second="3/2"),
    controls=[Control("one number for both", dict(second="1/2"), must="pass")],
)(each_coordinate)

unequal = statement_of_algebra(
    "EL-ALG3-OMIT-U2",
    Relations(
        "u*p*(u + r*v) + v*q*(r*u + v) < 0; 4*p*q < (p + q)**2 for p > 0; d > 0; q = p + d; 0 < r < 1; u = (p + q)*r; v = -2*p; "
        "(p + q)**2*r**2 > 4*p*q",
        uses={0: {"(p + q)**2*r**2 > 4*p*q": "p"}},
        at={"p": "1", "d": "7", "r": "9/10"},
        names={"p": r"\zeta^1", "q": r"\zeta^2", "u": "x_1", "v": "x_2"},
    ),
    says=r"f(x)=\tfrac12x_1^2+rx_1x_2+\tfrac12x_2^2,\ \langle x,\mathrm{diag}(\zeta)\nabla f(x)\rangle<0:\quad ",
    headline="Any two different elasticities move some strongly convex run away from the minimiser",
    false={
        "the opposite side": ("v = -2*p", "v = 2*p"),
        "any coupling": ("(p + q)**2*r**2 > 4*p*q", "(p + q)**2*r**2 > 0"),
    },
    group=of_what_is_left_out,
    summary="However close two positive elasticities are, there is a strongly convex quadratic of two parameters, "
    "coupled by r with r^2 between 4 zeta^1 zeta^2/(zeta^1 + zeta^2)^2 and 1, and a point from which a step takes the "
    "model away from the minimiser, for every step size.",
)

#: A linear stretch, where the bound is attained, and points that meet the hypotheses of the controls.
_POINT = {
    "Z": "[[1, 0], [0, 1/2]]",
    "W": "[[1, 0], [0, 2]]",
    "x": "[1/2, 0]",
    "s": "[0, 0]",
    "e": "1/2",
    "b": "1",
    "u": "1",
}
weighted_norm = statement_of_algebra(
    "EL-ALG3-OMIT-R1",
    Matrices(
        "T(x - e*Z*g - s)*W*(x - e*Z*g - s) <= T(x - s)*W*(x - s) - 2*e*d + 2*e**2*b*u*d for Z in S(n); W in S(n); x in R(n); "
        "s in R(n); g in R(n); d in R(1); e > 0; b > 0; u > 0; W*Z = I; Z*W = I; T(g)*(x - s) >= d; sq(g) <= 2*b*d; u*I >= Z",
        uses={
            0: [
                ("T(g)*(x - s) >= d", "2*e", "1"),
                ("sq(g) <= 2*b*d", "e**2*u", "1"),
                ("u*I >= Z", "e**2", "g"),
                ("W*Z = I", "e*T(x - s)", "g"),
                ("Z*W = I", "e*T(g)", "x - s"),
                ("W*Z = I", "-e**2*T(g)*Z", "g"),
            ]
        },
        at=[{**_POINT, "g": "[1, 0]", "d": "1/2"}, {**_POINT, "g": "[2, 0]", "d": "1"}],
        names={
            "Z": r"\mathrm{diag}(\zeta)",
            "W": r"\mathrm{diag}(1/\zeta)",
            "s": r"x^\star",
            "g": r"\nabla f(x)",
            "d": r"(f(x)-f^\star)",
            "e": r"\tilde\eta",
            "b": r"\beta",
            "u": r"\max_i\zeta^i",
        },
    ),
    headline="Weighted by the inverse elasticities, the distance from the minimiser falls after all",
    false={
        "half more progress": ("- 2*e*d +", "- 3*e*d +"),
        "twice the smoothness": ("sq(g) <= 2*b*d", "sq(g) <= 4*b*d"),
    },
    group=of_what_is_left_out,
    source="repairs Algorithm 3, first sentence",
    summary="For convex beta-smooth f, one local step, all clients and exact gradients the one-round progress of Lemma "
    "7 holds with every squared coordinate divided by its elasticity: the distance so measured falls by 2 eta~ (1 - "
    "eta~ beta max zeta)(f(x) - f*). It takes positive elasticities that stay the same from round to round, and costs "
    "their ratio in the constants.",
)

descent = statement_of_algebra(
    "EL-ALG3-OMIT-U3",
    Relations(
        "b*(e*z*h)**2/2 + e*z*h**2/2 <= e*z*h**2 for b > 0; e > 0; z > 0; h >= 0; e*b*z <= 1",
        uses={0: {"e*b*z <= 1": "e*z*h**2/2"}},
        names={"b": r"\beta", "e": r"\tilde\eta", "z": r"\zeta^i", "h": r"|\nabla_if(x)|"},
    ),
    headline="With factors of the parameters the loss still falls, for small steps and one local step",
    false={"twice the step": ("e*b*z <= 1", "e*b*z <= 2"), "the full first order": ("e*z*h**2/2 <=", "e*z*h**2 <=")},
    group=of_what_is_left_out,
    summary="For K = 1, all clients and exact gradients the loss is what falls: f(x+) <= f(x) - (eta~/2) sum zeta^i "
    "(grad_i f)^2 for every beta-smooth f and eta~ beta max zeta <= 1.",
    prose="beta-smoothness from x to x - eta~ diag(zeta) grad f(x), summed over the coordinates",
)

fixed_point = statement_of_algebra(
    "EL-ALG3-OMIT-U1",
    Relations(
        "v = 0 for z > 0; x + z*v = x",
        uses={0: {"x + z*v = x": "1/z"}},
        names={"z": r"\zeta^i", "v": r"\textstyle\sum_kw_k\Delta_k^i", "x": r"\theta^i"},
    ),
    headline="Positive factors leave the fixed points of full aggregation where they are",
    false={"a factor zero": ("z > 0", "z >= 0")},
    group=of_what_is_left_out,
    summary="With all clients, a model that a round leaves in place has averaged update zero in every parameter with "
    "zeta > 0: the fixed points are those of plain aggregation. With tau = 0 the most sensitive parameter has factor "
    "zero, and anything is fixed there.",
)


def of_the_cohort(numbers: tuple[str, str]) -> Evidence:
    """Clients (x -+ 1)^2/2, one of two drawn, one local step of size e: the mean move at the minimiser 0."""
    p, q, e = sp.symbols("phi_1 phi_2 e")
    moves = (p * e, -q * e)
    return by_witness(
        Witness(
            {"phi_1": Fraction(numbers[0]), "phi_2": Fraction(numbers[1]), "e": Fraction(1, 8)},
            Side("mean over the two cohorts of phi Delta x", (moves[0] + moves[1]) / 2),
            "=",
            Side("mean phi times mean Delta x", (p + q) / 2 * (e - e) / 2),
            setting="clients (x - 1)^2/2, (x + 1)^2/2, cohorts of one, one local step of size e, x = 0, where f is least",
        )
    )


sampled = of_what_is_left_out(
    "EL-ALG3-OMIT[phi is averaged over the cohort, as listed]",
    fault="substance",
    repair="EL-ALG3-OMIT-R2",
    statement=r"\mathbb{E}_S[\phi\,\Delta x]=\mathbb{E}_S[\phi]\,\mathbb{E}_S[\Delta x]",
    headline="A factor read off the cohort biases the mean update",
    summary="Listed is phi as the mean of what the sampled clients report. It then depends on the cohort as the update "
    "does, and the mean of their product, which the analysis factors, is not zero at the minimiser.",
    printed=dict(numbers=("1", "2")),
    controls=[Control("both report the same", dict(numbers=("2", "2")), must="pass")],
)(of_the_cohort)

biased = statement_of_algebra(
    "EL-ALG3-OMIT-R2",
    Relations(
        "(p*u + q*v)/2 = (p + q)/2*(u + v)/2 + (p - q)*(u - v)/4; (p*(1 - y) + q*(-1 - y))/2 = 0; y**2/2 = ((p - q)/(p + q))**2/2 "
        "for p > 0; q > 0; y = (p - q)/(p + q)",
        names={"p": r"\phi_1", "q": r"\phi_2", "u": r"\Delta_1", "v": r"\Delta_2", "y": r"\bar x"},
    ),
    says=r"N=2,\ S=1;\ f_i=\tfrac12(x\mp1)^2:\quad ",
    headline="Unequal reports of sampled clients move the point where the mean update vanishes",
    false={
        "no covariance": (" + (p - q)*(u - v)/4", ""),
        "the minimiser": ("(p*(1 - y) + q*(-1 - y))/2", "(p*(1 - 0) + q*(-1 - 0))/2"),
    },
    group=of_what_is_left_out,
    source="repairs Algorithm 3, first sentence",
    summary="The mean of the product has the covariance of phi and update besides. For two clients (x -+ 1)^2/2 and "
    "cohorts of one the mean update vanishes at (phi_1 - phi_2)/(phi_1 + phi_2) for every step size, and not at the "
    "minimiser 0 unless both report the same.",
)


if __name__ == "__main__":
    run_script(__file__)
