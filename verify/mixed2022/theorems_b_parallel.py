"""Theorem B.1 of Augenstein et al. (2022): the number of rounds of Parallel Training.

The rates may be chosen within the conditions.  At eta_m = 1 (which Table 3 assumes) the printed dissimilarity term misses a factor
D^2 (convex) or sqrt(beta) F (non-convex): in other units of length it vanishes, and T does not.  With that factor, and in the
strongly convex case as printed, the orders follow from the explicit numbers MX-THMB1-S3 to -S5.  With eta_m chosen as well no
dissimilarity term is needed.

Quadratic instances behind the orders of Table 1 (Augenstein et al., 2022): Parallel Training with opposed drifts.

:class:`Opposed` has two coordinates with curvatures (lambda_f, lambda_c) = (1, 1/2) and (1/2, 1) and slopes g, -g of f_f at the
minimiser 0, and K = 2.  With r_j = q_c - eta_s q_f in coordinate j one round is x_j <- (1 - den_j) x_j +- r_j g, and

    r_1 - r_2 = (eta_c^2 + eta_s eta^2)/2 > 0:

whatever the three rates are, in one coordinate the drift points to the side from which the run starts.  That no rates reach the
accuracy in fewer than g/(288 tol) rounds is :func:`no_rates_are_fast`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.derive import Script, by_derivation
from fltheory.evidence.kinds import asymptotic_claim, run_script
from fltheory.evidence.model import Claim, Control, Evidence
from fltheory.problems.mixed_dissimilarity import GradientDissimilarity
from fltheory.problems.numbers import harmonise
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import orders, parallel_rates
from fltheory.theory.mixed2022.drift import LEMMA_D11_SHARP, LEMMA_D13_SHARP
from fltheory.theory.mixed2022.orders import CASES, D2, NAMES, REPAIRED, SHORT, B, C, G, K, S, V, beta, eps, mu, order
from fltheory.theory.states import proves
from fltheory.theory.steps import Step, identity, sign
from verify.mixed2022 import derivations
from verify.mixed2022.assembly_steps import EXPONENTIAL, SIDES, drift_of
from verify.mixed2022.closed_forms import moved
from verify.mixed2022.one_way_words import SAMPLING
from verify.mixed2022.settled import for_every_constant
from verify.mixed2022.two_way_lower import ELL, ROOT, exceeds

e, c, s = sp.symbols("e c s", nonnegative=True)


@dataclass(frozen=True)
class Opposed:
    """``slope`` g, both coordinates start at 2 ``tol``; eta_m = 1, beta = 1, mu = 1/2, B^2 = 2, G = 3 g."""

    slope: Fraction
    tol: Fraction = Fraction(1)

    @property
    def least_rounds(self) -> Fraction:
        """No admissible rates reach |x_j| < tol in both coordinates in fewer rounds."""
        if not self.slope > 12 * self.tol:
            raise ValueError(f"slope={self.slope} is at most 12 tol={12 * self.tol}: the bound needs more")
        return self.slope / (288 * self.tol)

    def rounds(self, client: Fraction, centre: Fraction, server: Fraction, *, limit: int) -> int:
        """First round after which both coordinates are below tol, or ``limit``; exact."""
        x = [2 * self.tol, 2 * self.tol]
        for done in range(limit):
            if max(map(abs, x)) < self.tol:
                return done
            for j, (f, h, side) in enumerate(((Fraction(1), Fraction(1, 2), 1), (Fraction(1, 2), Fraction(1), -1))):
                q_f, q_c = client * (2 - client * f), centre * (2 - centre * h)
                x[j] -= server * q_f * (f * x[j] + side * self.slope) + q_c * (h * x[j] - side * self.slope)
        return limit


def no_rates_are_fast() -> list[Step]:
    """The steps of the lower bound; c, e, s >= 0 with c, s e <= 1/36.

    R = max(r_1, -r_2) > 0 is the drift (over g) of a coordinate that starts on the side to which it drifts, den <= 2(c + s e) < 1.
    For den <= 0 it never decreases.  Else it stays above the smaller of 2 tol and its fixed point b = R g/den, and above
    2 tol (1 - den)^T.  If c >= s e/2, b < tol needs c < 24 tol/g, so that den < 144 tol/g and, by Bernoulli, T >= g/(288 tol).
    If c < s e/2, b >= g/12 > tol: never.
    """
    half = sp.Rational(1, 2)
    q1f, q2f = moved(sp.Integer(1), e, 2), moved(half, e, 2)
    q1c, q2c = moved(half, c, 2), moved(sp.Integer(1), c, 2)
    r1, r2 = sp.expand(q1c - s * q1f), sp.expand(q2c - s * q2f)
    low, big = ((e, 0, None), (s, 0, None), (c, 0, None)), (c**2 + s * e**2) / 4
    first = (*low[:2], (c, s * e / 2, None))
    t = sp.Symbol("t", nonnegative=True)
    less = s * e / 2 * (1 - t)  # c where it is below s e/2
    inside, tiny = ((t, 0, 1), (s, 0, None)), sp.Rational(1, 36)
    return [
        identity("r_1 - r_2", r1 - r2, (c**2 + s * e**2) / 2),
        identity("max(r_1, -r_2) >= (r_1 - r_2)/2", (r1 - r2) / 2, big),
        sign("den_1 <= 2(c + s e)", 2 * (c + s * e) - (half * q1c + s * q1f), low),
        sign("den_2 <= 2(c + s e)", 2 * (c + s * e) - (q2c + s * half * q2f), low),
        sign("den < 1", 1 - 2 * (c + t), ((c, 0, tiny), (t, 0, tiny))),
        sign("c >= se/2: R/den >= c/24", big - c / 24 * 2 * (c + s * e), first),
        sign("c >= se/2: den <= 6 c", 6 * c - 2 * (c + s * e), first),
        sign("c < se/2, e <= 1: -r_2 >= se/2", (-r2 - s * e / 2).subs(c, less), ((e, 0, 1), *inside)),
        sign("c < se/2: den <= 3 s e", 3 * s * e - 2 * (c + s * e).subs(c, less), ((e, 0, None), *inside)),
        sign("c < se/2, e >= 1: R >= se/4", (big - s * e / 4).subs(c, less), ((e, 1, None), *inside)),
    ]


R, F = sp.Rational, Fraction
LOCALS = {v.name: v for v in (V, C, K, S, beta, mu, G, B, D2, orders.F, eps)}
TERM = {
    "strongly convex": "G*sqrt(beta)/(mu*sqrt(eps))",
    **dict.fromkeys(("convex", "non-convex"), "G*sqrt(beta)/eps**(3/2)"),
}
REPAIR = {**TERM, "convex": "G*sqrt(beta)*D_sq/eps**(3/2)", "non-convex": "G*beta*F/eps**(3/2)"}


def constants_of_instance(slope: Fraction) -> GradientDissimilarity:
    """Definition 4.2 for two quadratics in the plane whose gradients at 0 are opposite."""
    one, half, zero = F(1), F(1, 2), F(0)
    data = harmonise(dict(f=[[one, zero], [zero, half]], c=[[half, zero], [zero, one]], a=[slope, -slope]))
    return GradientDissimilarity(data["f"], data["c"], data["a"], half)


def at_one(case: str, term: str) -> Tried:
    """For every constant :class:`Opposed` with tol = 1 needs more rounds than the constant times the order, in other lengths.

    f - f* >= (3/4) x_j^2, |grad f|^2 >= (9/4) x_j^2; all lengths are times l, and G = 3 g.
    """
    terms = orders.terms("PT", case) | {"dissimilarity": sp.sympify(term, locals=LOCALS)}
    g, length = sp.symbols("g l", positive=True)
    at = {
        V: 0,
        C: 0,
        K: 2,
        S: 1,
        B: sp.sqrt(2),
        orders.F: 6,
        beta: 1 / length**2,
        mu: R(1, 2) / length**2,
        G: 3 * g / length,
        D2: 8 * length**2,
    }
    accuracy = {eps: R(9, 4) / length**2} if case == "non-convex" else {}
    order = sum(terms.values()).subs(at | accuracy, simultaneous=True)
    lengths = "l = 1/(1000*c)" if case == "non-convex" else "l = 100*c"
    where = (
        "g = 10000*c",
        lengths,
        *(() if case == "non-convex" else ("eps = 3/4", f"{ROOT} >= 6/7", f"0 <= {ELL} <= 1")),
    )
    if not all(constants_of_instance(F(x)).admits(F(9 * x * x), F(2)) for x in (1, 10**6)):
        return Tried(1)
    words = (
        "(x_1, x_2) with curvatures (1, 1/2) of f_f and (1/2, 1) of f_c, slopes (g, -g) and (-g, g) at x* = 0, start (2, 2), K = "
        f"2, eta_m = 1, B^2 = 2, G = 3g, no noise, all lengths times l: T >= g/288 for all constant rates; "
        f"{ROOT} = sqrt(eps), {ELL} = log(1/eps)"
    )
    return for_every_constant(no_rates_are_fast(), exceeds("g/288", order, *where), words)


LOWER = (
    "lower bound on T for all rates within the conditions; T does not change with the unit of length, the order does"
)
METHOD = "The number of rounds from the round's hypotheses, with constants times the terms of the order."
VALID = (
    "every N, S, K, dimension, noise law, G, B >= 1; eta_c = eta eta_s, eta_s = max(1, sqrt(S)/eta_m); error: f - f* at the "
    "weighted mean of the models, mean E|grad f|^2 in the non-convex case; log(1/eps) read as log(1 + 4 mu D^2/(3 eps)), "
    "which multiplies all terms in the strongly convex case; eps below the start's error (else no round is needed)"
)


def joined(case: str) -> str:
    """What the certificates of a case do not say."""
    return SIDES + (EXPONENTIAL if case == "strongly convex" else "")


def scripts_of(
    case: str, whole: sp.Expr, constants: tuple[str, str, str], merging: str, *, wide: bool = True
) -> dict[str, Script]:
    """Constants times the noise, the dissimilarity and the rest of an order are enough rounds."""
    whole = sp.expand(whole.replace(sp.log, lambda _: sp.Integer(1)))
    terms = {"optimisation": whole.subs({V: 0, C: 0, G: 0}), "dissimilarity": whole.coeff(G) * G}
    terms["noise"] = sp.expand(whole - sum(terms.values()))
    lemma = LEMMA_D13_SHARP if case == "non-convex" else LEMMA_D11_SHARP
    given = case, parallel_rates.ROUNDS[case], terms, parallel_rates.PARTS[case], constants, merging
    return {
        "drift": partial(drift_of, lemma),
        "order": partial(derivations.parallel_order, *given, wide=wide),
        "rounding up": partial(derivations.one_round_more, case, ROUNDING[case]),
    }


#: Constants of noise, dissimilarity and optimisation (logarithms aside), and the optimisation term's when T is rounded up.
LIMITS = {"strongly convex": ("4", "3", "16"), "convex": ("16/3", "4", "64/3"), "non-convex": ("64/3", "40/3", "48")}
ROUNDING = {"strongly convex": "7/4", "convex": "1", "non-convex": "4"}


def enough(case: str, term: str) -> Evidence:
    """At eta_m = 1: the order with this dissimilarity term, from the explicit number; else the lower bound."""
    bound = order("PT", case) if term == TERM[case] else order_with(case, sp.sympify(term, locals=LOCALS))
    found = at_one(case, term)
    constants = dict(zip(("noise", "dissimilarity", "optimisation"), LIMITS[case], strict=True))
    words = dict(method=LOWER) if found.counterexample else dict(method=METHOD, numbers=constants)
    return by_derivation(
        scripts_of(case, bound.expression, LIMITS[case], "1"),
        found,
        valid_for=f"eta_m = 1, {VALID}",
        prose=joined(case),
        **words,
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
        prose=joined(case),
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


def readings(case: str) -> list[Claim]:
    """The rows of one order."""
    name, number = f"MX-T1-PT-{SHORT[case]}", {"strongly convex": 3, "convex": 4, "non-convex": 5}[case]
    of_the_order = asymptotic_claim.sharing(
        source="Theorem B.1, Table 1",
        assumptions=(*SAMPLING, "f_f, f_c beta-smooth", "Definition 4.2 with w_f = w_c = 1/2", f"f_f, f_c: {case}"),
    )
    no_term = Control("without a dissimilarity term", dict(term="0*G"))
    eta_m_chosen = of_the_order(
        f"{name}[eta_m chosen as well]",
        statement=order_with(case, sp.Integer(0)),
        depends=(f"MX-THMB1-S{number}",),
        printed=dict(case=case, merging="large"),
        headline=f"Parallel Training, {case}: no dissimilarity term with a large merging rate",
        summary="The conditions leave eta_m >= 1 free, and the dissimilarity enters with 1/eta_m only: with eta_m large enough "
        "the order holds, and needs no dissimilarity term.",
        controls=[Control("eta_m = 1", dict(merging="1"))],
    )(chosen)
    as_printed = of_the_order.sharing(
        statement=order("PT", case), proves=stated(case), printed=dict(case=case, term=TERM[case])
    )
    if case == "strongly convex":
        eta_m_one = as_printed(
            f"{name}[eta_m = 1, other rates chosen]",
            depends=(f"MX-THMB1-S{number}",),
            controls=[no_term],
            headline="Parallel Training, strongly convex: the printed order of rounds, with constants",
            summary="At eta_m = 1 (and eta_s = sqrt(S)) the printed order holds, with "
            "constants, and its dissimilarity term is needed.",
        )(enough)
        return [eta_m_one, eta_m_chosen]
    eta_m_one = as_printed(
        f"{name}[eta_m = 1, other rates chosen]",
        depends=("MX-T1-DIM.3",),
        fault="reading",
        repair=f"{name}-R1",
        headline=f"Parallel Training, {case}: the printed order depends on the unit of length",
        summary="At eta_m = 1 no constant that is the same for every problem makes the printed order true: a problem measured in "
        "other units of length has the same T and a vanishing dissimilarity term. (For one fixed problem, as eps goes to zero, "
        "a constant can hide the missing factor.)",
        controls=[Control("repaired term", dict(term=REPAIR[case]), must="pass")],
    )(enough)
    repaired = of_the_order(
        f"{name}-R1",
        statement=order_with(case, REPAIRED[case]),
        printed=dict(case=case, term=REPAIR[case]),
        depends=("MX-T1-DIM.3-R1", f"MX-THMB1-S{number}"),
        headline=f"Parallel Training, {case}: the order of rounds with the factor that units demand",
        summary="With the factor that units demand the order holds at eta_m = 1, with constants (and eta_s = sqrt(S); at "
        "eta_s = 1 with large cohorts the instance of MX-T1-PT-SC[eta_m = eta_s = 1, eta_c = eta] needs more).",
        controls=[no_term, Control("as printed", dict(term=TERM[case]))],
    )(enough)
    return [eta_m_one, repaired, eta_m_chosen]


rows = [readings(case) for case in CASES]


if __name__ == "__main__":
    run_script(__file__)
