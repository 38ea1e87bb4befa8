"""Theorem B.1 of Augenstein et al. (2022): the number of rounds of Parallel Training.

The rates may be chosen within the conditions.  At eta_m = 1 (which Table 3 assumes) the printed dissimilarity term misses a factor
D^2 (convex) or sqrt(beta) F (non-convex): in other units of length it vanishes, and T does not.  With that factor, and in the
strongly convex case as printed, the orders follow from the explicit numbers MX-THMB1-S3 to -S5.  With eta_m chosen as well no
dissimilarity term is needed.

The instance behind the orders of Table 1, with opposed drifts: two coordinates with curvatures (1, 1/2) and (1/2, 1) of f_f and f_c
and slopes g, -g of f_f at the minimiser 0, K = 2.  With q the moves of two local steps and r = q_c - eta_s q_f in a coordinate,
r_1 - r_2 = (eta_c^2 + eta_s eta^2)/2 > 0: whatever the three rates are, in one coordinate the drift points to the side from which
the run starts.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.derive import Script, by_derivation
from fltheory.evidence.kinds import asymptotic_claim, run_script
from fltheory.evidence.model import Claim, Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import orders, parallel_rates
from fltheory.theory.mixed2022.orders import CASES, D2, NAMES, REPAIRED, SHORT, B, C, G, K, S, V, beta, eps, mu, order
from fltheory.theory.states import proves
from fltheory.theory.steps import Step
from verify.mixed2022 import derivations
from verify.mixed2022.one_way_words import SAMPLING
from verify.mixed2022.parallel_training_rates import SUPPOSED
from verify.mixed2022.two_way_lower import ELL

R, F = sp.Rational, Fraction
LOCALS = {v.name: v for v in (V, C, K, S, beta, mu, G, B, D2, orders.F, eps)}
#: The dissimilarity term as printed, and with the factor that units demand.
TERM, REPAIR = ({case: str(terms[case]) for case in CASES} for terms in (orders.DISSIMILARITY, REPAIRED))

#: Drifts of the two coordinates over g, in lengths l = 1: m = eta_s eta, e = eta, h = eta_c; and their mean with such weights.
DRIFTS = "d1 = 2*h - h**2/2 - m*(2 - e); d0 = m*(2 - e/2) - 2*h + h**2; dm = (d1 + (1 + m/2)*d0)/(2 + m/2)"
#: k is the coordinate with the larger drift.
LARGER = "k*d1 + (1 - k)*d0 >= dm"
#: A round of coordinate k (1: curvatures (1, 1/2), slope g of f_f; 0: (1/2, 1), -g) from x, all lengths times l.
OPPOSED = (
    "e > 0; 0 <= m <= 1/36; 0 <= h <= 1/36; 0 <= k <= 1; k*(1 - k) = 0; "
    f"{DRIFTS}; {LARGER}; g = 10000*c; l = {{length}}; T = g/164; 0 <= r <= T; w = m + h; eta = e*l**2; eta_c = h*l**2; "
    "eta_s = m/e; a = (1 + k)/(2*l**2); b = (1 - k/2)/l**2; n = (2*k - 1)*g/l; "
    "V = 0; C = 0; K = 2; S = 1; G = 3*g/l; B2 = 2; root_beta = 1/l; beta = root_beta**2; mu = 1/(2*l**2); root_eps = {accuracy}; "
    "eps = root_eps**2; D_sq = (2*l)**2 + (2*l)**2; F = (a + b)*(2*l)**2/2 + (a + b)*(2*l)**2/2; "
    "first_t = 0; next_t = t + 1; first_x = 2*l; first_s = 0; next_s = s + x; "
    "y = x - eta*(a*x + n); z = y - eta*(a*y + n); p = x - eta_c*(b*x - n); q = p - eta_c*(b*p - n); "
    "next_x = x + eta_s*(z - x) + (q - x)"
)
#: Definition 4.2 at any point (u, v), and that the rates are within the conditions of the theorem at eta_m = 1.
ADMITTED = (
    "2*((u/l**2 + g/l)**2 + (v/(2*l**2) - g/l)**2 + (u/(2*l**2) - g/l)**2 + (v/l**2 + g/l)**2) "
    "<= G**2 + B2*((3*u/(2*l**2))**2 + (3*v/(2*l**2))**2); eta_s*eta <= 1/(6*(1 + B2)*beta*K); eta_c <= 1/(6*(1 + B2)*beta*K)"
)


def opposed(case: str, term: str) -> Relations:
    """T = g/164 rounds at any rates are not enough, and more than every constant c times the order with this dissimilarity term.

    In T rounds the model stays above l in coordinate k, and so does the mean s/t of the models; there f - f* is at least
    (a + b) l^2/2, and |grad f|^2 at least ((a + b) l)^2.
    """
    terms = orders.terms("PT", case) | {"dissimilarity": sp.sympify(term, locals=LOCALS)}
    smooth = case == "non-convex"
    roots = {x: sp.Symbol(f"root_{x}", positive=True) ** 2 for x in (beta, eps)}
    each = [
        sp.powdenest(one.subs(B, sp.sqrt(sp.Symbol("B2", positive=True))).subs(roots), force=True)
        for one in terms.values()
    ]
    whole = sum(each).replace(sp.log, lambda _: ELL)
    error = "((a + b)*l)**2 >= eps" if smooth else "(a + b)*l**2/2 >= eps"
    logarithm = f"0 <= {ELL} <= 1; " if whole.has(ELL) else ""
    square = "g*l*74/(164*(2 + m/2))", "h - 45*m/37"
    drift = {LARGER: "g*l", "k*(1 - k) = 0": "g*l*(e*m + h**2)"}
    below, total = "x >= l*(2 - t/T)", "s >= l*(2*t - t*(t - 1)/(2*T))"
    relations = [
        f"T > c*({whole})",
        error,
        *ADMITTED.split("; "),
        "(d1 - dm)*(d0 - dm) <= 0",
        "2 - r/T >= 1",
        "2*r - r*(r - 1)/(2*T) >= r",
        below,
        "x >= 0",
        "t >= 0",
        total,
    ]
    place = relations.index
    return Relations(
        f"{'; '.join(relations)} for c >= 1; {logarithm}"
        + OPPOSED.format(length="1/(1000*c)" if smooth else "100*c", accuracy="3/(2*l)" if smooth else "3/4"),
        uses={
            place(below): {below: "1 - m*(1 + k) - 2*h*(1 - k/2)", **drift},
            place("x >= 0"): drift,
            place(total): {total: "1", below: "1"},
        },
        squares={
            2: [("2", "u/l**2 - g/(2*l)"), ("2", "v/l**2 - g/(2*l)")],
            place("(d1 - dm)*(d0 - dm) <= 0"): [("1 + m/2", "d0 - dm")],
            place(below): [("l/T", "2*T*w - 1"), square],
            place("x >= 0"): [square],
        },
        at={
            **dict(c="1", e="1", m="1/72", h="1/36", k="1", u="0", v="0", r="1"),
            **({str(ELL): "0"} if logarithm else {}),
        },
        names=NAMES,
    )


def at_one(case: str, term: str) -> Tried:
    """The instance, if it needs more rounds than every constant times the order."""
    stated = opposed(case, term)
    if not stated.proof[0]:
        return Tried(1)
    words = (
        "two coordinates, curvatures (1, 1/2)/l^2 and slope g/l of f_f in the first (k = 1), (1/2, 1)/l^2 and -g/l in the second "
        f"(k = 0), start (2l, 2l), K = 2, eta_m = 1, S = 1, no noise, F = 6, D^2 = 8 l^2, {ELL} = log(1/eps); any admitted rates; "
        "x in the coordinate k with the larger drift"
    )
    return Tried(1, f"{words}: {stated.text}", -1.0, certificate=stated.certificate)


LOWER = (
    "lower bound on T for all rates within the conditions; T does not change with the unit of length, the order does"
)
METHOD = "The number of rounds from the round's hypotheses, with constants times the terms of the order."
VALID = (
    "every N, S, K, dimension, noise law, G, B >= 1; eta_c = eta eta_s, eta_s = max(1, sqrt(S)/eta_m); error: E f - f* at the "
    "mean of the models, in the strongly convex case its mean with weights (1 - mu e)^(-t), in the non-convex case the mean of "
    "E|grad f|^2; log(1/eps) read as log(1 + 4 mu D^2/(3 eps)), "
    "which multiplies all terms in the strongly convex case; eps at most beta D^2 (non-convex: 4 beta F)"
)


def scripts_of(
    case: str, whole: sp.Expr, constants: tuple[str, str, str], merging: str, *, wide: bool = True
) -> dict[str, Script]:
    """Constants times the noise, the dissimilarity and the rest of an order are enough rounds."""
    whole = sp.expand(whole.replace(sp.log, lambda _: sp.Integer(1)))
    terms = {"optimisation": whole.subs({V: 0, C: 0, G: 0}), "dissimilarity": whole.coeff(G) * G}
    terms["noise"] = sp.expand(whole - sum(terms.values()))
    given = case, parallel_rates.ROUNDS[case], terms, parallel_rates.PARTS[case], constants, merging
    return {"order": partial(derivations.parallel_order, *given, wide=wide, rounding=ROUNDING[case])}


#: Constants of noise, dissimilarity and optimisation (logarithms aside), and the optimisation term's when T is rounded up.
LIMITS = {"strongly convex": ("4", "3", "16"), "convex": ("16/3", "4", "64/3"), "non-convex": ("64/3", "40/3", "48")}
ROUNDING = {"strongly convex": "7/4", "convex": "1", "non-convex": "4"}


def enough(case: str, term: str) -> Evidence:
    """At eta_m = 1: the order with this dissimilarity term, from the explicit number; else the lower bound."""
    bound = order("PT", case) if term == TERM[case] else order_with(case, sp.sympify(term, locals=LOCALS))
    found = at_one(case, term)
    constants = dict(zip(("noise", "dissimilarity", "optimisation"), LIMITS[case], strict=True))
    constants["optimisation, rounded up"] = str(R(LIMITS[case][2]) + R(ROUNDING[case]))
    words = dict(method=LOWER) if found.counterexample else dict(method=METHOD, numbers=constants)
    return by_derivation(
        scripts_of(case, bound.expression, LIMITS[case], "1"), found, valid_for=f"eta_m = 1, {VALID}", **words
    )


def chosen(case: str, merging: str) -> Evidence:
    """The order without a dissimilarity term; ``merging``: eta_m as large as needed, or 1, where a lower bound is known."""
    if merging == "1":
        reason = "the instance does not need more rounds than each constant times the order"
        return decide((False, reason), at_one(case, "0*G"), method=LOWER)
    noise, dissimilarity, optimisation = LIMITS[case]
    limits = noise, dissimilarity, str(2 * R(optimisation))
    return by_derivation(
        scripts_of(case, order_with(case, sp.Integer(0)).expression, limits, "large"),
        Tried(1),
        method=f"{METHOD}; at large eta_m the dissimilarity part is at most the optimisation part, which counts twice then",
        numbers={"eta_m^2 at least": f"1/({LARGE_MERGING[case]}), and 1"},
        valid_for=VALID,
        would_settle="a proof",
    )


#: 1/eta_m^2 at which the dissimilarity part of 1/e is its first part.
LARGE_MERGING = {
    "strongly convex": R(64, 9) * (1 + B**2) ** 2 * beta * eps / G**2,
    "convex": R(64, 9) * (1 + B**2) ** 2 * beta * eps / G**2,
    "non-convex": R(81, 25) * (1 + B**2) ** 2 * eps / G**2,
}


def order_with(case: str, term: sp.Expr) -> Bound:
    """The order with this dissimilarity term."""
    terms = orders.terms("PT", case)
    left = r"T\ \text{(up to logarithms)}" if case == "strongly convex" else "T"
    whole = terms["noise"] + term + terms["optimisation"]
    return Bound("order", "Theorem B.1", left, whole, (), "O", NAMES)


def stated(case: str) -> Callable[..., Step]:
    """Whether the order of Table 1 is the one with this term, within the printed limits of the rates."""
    eta, eta_c, eta_m, eta_s = sp.symbols("eta eta_c eta_m eta_s")
    limit = 1 / (6 * (1 + B**2) * beta * K * eta_m)
    noise = (V + S * C) / (K * S) * orders.NOISE_SCALE[case]

    def form(term: sp.Expr) -> sp.Expr:
        return noise + term + B**2 * orders.OPTIMISATION[case]

    under = (eta * eta_s <= limit, eta_c <= limit, eta_m >= 1, K >= 2)
    return proves(order("PT", case), form, relation="O", under=under)


#: What joins the relations of the instance to its number of rounds.
MORE_ROUNDS = {
    "convex": "one of k = 0, 1 has the larger drift; the mean s/r of r <= T models is >= l, f - f* there >= (a+b)l^2/2 = 3/4 > eps",
    "non-convex": "one of k = 0, 1 has the larger drift; x_0 = 2l, all x_t >= l up to T: the mean of |grad f|^2 exceeds "
    "((a+b)l)^2 = eps",
}


def readings(case: str) -> list[Claim]:
    """The rows of one order."""
    name = f"MX-T1-PT-{SHORT[case]}"
    of_the_order = asymptotic_claim.sharing(
        source="Theorem B.1, Table 1",
        assumptions=(*SAMPLING, "f_f, f_c beta-smooth", "Definition 4.2 with w_f = w_c = 1/2", f"f_f, f_c: {case}"),
    )
    no_term = Control("without a dissimilarity term", dict(term="0*G"))
    eta_m_chosen = of_the_order(
        f"{name}[eta_m chosen as well]",
        statement=order_with(case, sp.Integer(0)),
        printed=dict(case=case, merging="large"),
        headline=f"Parallel Training, {case}: no dissimilarity term with a large merging rate",
        summary="The conditions leave eta_m >= 1 free: with eta_m large enough for the dissimilarity the order holds without a "
        "dissimilarity term, with constants (T the number of rounds, rounded up"
        f"{'; up to logarithms, for f - f* at the weighted mean of the models' if case == 'strongly convex' else ''}).",
        depends=SUPPOSED[case],
        controls=[Control("eta_m = 1", dict(merging="1"))],
    )(chosen)
    as_printed = of_the_order.sharing(
        statement=order("PT", case), proves=stated(case), printed=dict(case=case, term=TERM[case])
    )
    if case == "strongly convex":
        eta_m_one = as_printed(
            f"{name}[eta_m = 1, other rates chosen]",
            depends=SUPPOSED[case],
            controls=[no_term],
            headline="Parallel Training, strongly convex: the printed order of rounds, with constants",
            summary="At eta_m = 1 and eta_s >= sqrt(S) the printed order holds up to logarithms, with constants (T the number of "
            "rounds, rounded up): so many rounds bring E f - f* at the mean of the models with weights (1 - mu etat)^(-t) to eps.",
        )(enough)
        return [eta_m_one, eta_m_chosen]
    eta_m_one = as_printed(
        f"{name}[eta_m = 1, other rates chosen]",
        prose=MORE_ROUNDS[case],
        fault="reading",
        repair=f"{name}-R1",
        headline=f"Parallel Training, {case}: the printed order depends on the unit of length",
        summary="At eta_m = 1 no constant that is the same for every problem makes the printed order true: for every constant c a "
        "problem in two coordinates, in a unit of length chosen for c, needs more rounds than c times the order, at all admitted "
        "rates.",
        controls=[Control("repaired term", dict(term=REPAIR[case]), must="pass")],
    )(enough)
    repaired = of_the_order(
        f"{name}-R1",
        statement=order_with(case, REPAIRED[case]),
        printed=dict(case=case, term=REPAIR[case]),
        depends=(f"MX-T1-DIM.{3 if case == 'convex' else 4}-R1", *SUPPOSED[case]),
        headline=f"Parallel Training, {case}: the order of rounds with the factor that units demand",
        summary="With the factor that units demand the order holds at eta_m = 1 and eta_s >= sqrt(S), with constants (T the number "
        "of rounds, rounded up).",
        controls=[no_term, Control("as printed", dict(term=TERM[case]))],
    )(enough)
    return [eta_m_one, repaired, eta_m_chosen]


rows = [readings(case) for case in CASES]


if __name__ == "__main__":
    run_script(__file__)
