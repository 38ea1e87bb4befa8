"""Step-size conditions of Theorems B.1-B.3 in Augenstein et al. (2022) on noise-free scalar quadratics: is the round stable?

Curvatures lambda_f, lambda_c in [0, beta] (convex) with a positive sum.  A commuting pair of Hessians is a list of such pairs.

2-way Gradient Transfer on convex scalar quadratics (Augenstein et al., 2022): Jury's conditions with a certified distance.

The characteristic polynomial is that of :func:`verify.mixed2022.closed_forms.two_way_matrix`.

==========  =======================================================================================
symbol      meaning
==========  =======================================================================================
r_a, r_b    1 - q_c/j and 1 - q_f/k, in [0, top]
X, Y        eta_m j lambda_c and eta_m eta_s k lambda_f, in [0, top]
P, Q        eta_m eta_s k lambda_c and eta_m j lambda_f, in [0, top]
==========  =======================================================================================
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.ends import tried
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.steps import Step, identity, sign
from verify.mixed2022 import closed_forms
from verify.mixed2022.closed_forms import characteristic, eta_m, eta_s, lc, lf, moved, two_way_stable

ra, rb, X, Y, p_, q_ = sp.symbols("r_a r_b X Y P Q")


def share() -> list[Step]:
    """0 <= lambda q <= eta K lambda for 0 <= eta lambda <= 1: induction over K with power = (1 - eta lambda)^K in [0, 1]."""
    x, power, many = sp.symbols("x power many", nonnegative=True)
    ranges = ((x, 0, 1), (power, 0, 1), (many, 0, None))
    return [sign("lambda q grows", x * power, ranges), sign("by at most eta lambda per step", x - x * power, ranges)]


def jury(top: sp.Rational) -> list[Step]:
    """2-way GT, divisor eta_c: stability of the cubic for alpha = q_c/j = 1 - r_a, phi = q_f/k = 1 - r_b.

    Y = eta_m eta_s k lambda_f, X = eta_m j lambda_c, P = eta_m eta_s k lambda_c, Q = eta_m j lambda_f in [0, top], r in [0, top].
    0 <= r_a <= (K-1) eta_c lambda_c/2 <= top, since (1 - t)^k >= 1 - k t for 0 <= t <= 1; likewise r_b.  p(1) > 0 is
    MX-ALG-STAB.4.  The other conditions keep a distance: all terms but the leading ones are at most sums of |coefficients|.
    """
    f, h, many, s, m, j, k = sp.symbols("f h many s m j k")
    matrix = sp.Matrix(
        [
            [1 - m * (h * j * (1 - ra) + s * f * k * (1 - rb)), -m * s * k * (1 - rb), -m * j * (1 - ra)],
            [h * (1 - ra), 0, -ra],
            [f * (1 - rb), -rb, 0],
        ]
    )
    coefficients = [sp.expand(x) for x in characteristic(matrix)]
    named = [_named(x, (f, h, s, m, j, k)) for x in coefficients]
    _, c2, c1, c0 = named
    conditions = {
        "-p(-1) > 0": 1 - c2 + c1 - c0,
        "|c0| < 1, above": 1 - c0,
        "|c0| < 1, below": 1 + c0,
        "1 - c0^2 > c1 - c0 c2": 1 - c0**2 - c1 + c0 * c2,
        "1 - c0^2 > -(c1 - c0 c2)": 1 - c0**2 + c1 - c0 * c2,
    }
    found = []
    for name, expression in conditions.items():
        polynomial = sp.Poly(sp.expand(expression), ra, rb, X, Y, p_, q_)
        constant = polynomial.coeff_monomial(1)
        rest = sum(abs(value) * top ** sum(powers) for powers, value in polynomial.terms() if any(powers))
        found.append(Step(name, bool(constant - rest > 0), f"{constant} against {rest}"))
    return found


def _named(expression: sp.Expr, names: tuple[sp.Symbol, ...]) -> sp.Expr:
    """Products of rates and curvatures as X, Y, P, Q."""
    f, h, s, m, j, k = names
    total = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(expression)):
        powers = term.as_powers_dict()
        pairs = {X: (m, h, j), Y: (m, s, f, k), p_: (m, s, h, k), q_: (m, f, j)}
        product = sp.Integer(1)
        while powers.get(m, 0) > 0:
            name = next(n for n, factors in pairs.items() if all(powers.get(x, 0) >= 1 for x in factors))
            for x in pairs[name]:
                powers[x] -= 1
            product *= name
        rest = sp.prod(x**y for x, y in powers.items())
        if rest.free_symbols & set(names):
            raise ValueError(f"the term {term} is no product of the four effective curvatures")
        total += rest * product
    return total


F, R = Fraction, sp.Rational
ONE = F(1)
CURVATURES = [(F(f), F(h)) for f in (0, F(1, 10), F(1, 2), 1) for h in (0, F(1, 10), F(1, 2), 1) if f + h > 0]
SERVERS = {
    "eta_s > 0": (F(1, 10**4), F(1, 1000), F(1, 10), ONE, F(10), F(1000)),
    "eta_s >= 1": (ONE, F(10), F(100), F(1000)),
    "eta_s <= 20": (ONE, F(5), F(20)),
}
Case = tuple[Fraction, Fraction, int, Fraction, Fraction]
POSITIVE = "convex quadratics with commuting Hessians, lambda_f + lambda_c > 0 on each common eigenvector"


def cases(servers: str) -> list[Case]:
    """(lambda_f, lambda_c, K, eta_s, eta_m) with beta = 1."""
    pairs = product(SERVERS[servers], (2, 5), (ONE, F(10)), CURVATURES)
    return [(f, h, many, s, m) for s, many, m, (f, h) in pairs]


def describe(case: Case, rate: str) -> str:
    """The instance in words, with the rate at which it is unstable."""
    f, h, many, server, merge = case
    return (
        f"f_f = ({f}/2) x^2, f_c = ({h}/2) x^2, beta = 1, K = {many}, eta_s = {server}, eta_m "
        f"= {merge}, eta_c = eta eta_s = {rate}: unstable (1 > 0)"
    )


def settled(steps: list[Step], found: Search | Tried, *, method: str, valid_for: str) -> Evidence:
    """Evidence from steps and a search, without a kept certificate."""
    open_ = next((s for s in steps if not s.verified), None)
    proof = (open_ is None, "every step holds" if open_ is None else f"{open_.name}: {open_.reason}")
    return decide(proof, found, method=method, valid_for=valid_for)


def tested(
    every: Iterable[Case], stable: Callable[[Case], bool], rate: Callable[[Case], Fraction], more: str = ""
) -> Search:
    """Whether every case is stable (0) or not (1), at the rate that is named."""
    return search(
        every,
        lambda case: (F(0) if stable(case) else ONE, F(0)),
        describe=lambda case: describe(case, str(rate(case))) + more,
    )


def bounded_client_rate(servers: str, top: sp.Rational) -> Step:
    """The client rate is at most the central one for eta_s >= 1."""
    good = servers != "eta_s > 0" and bool(top <= 1)
    return Step("eta lambda <= 1, by eta_s >= 1", good, "eta is not bounded for small eta_s")


def parallel(servers: str, constant: str) -> Evidence:
    """Factor 1 - eta_m (lambda_c q_c + eta_s lambda_f q_f) at the largest rates, B^2 = 1 (the weakest condition)."""
    k, p, q = R(constant), sp.Symbol("p"), sp.Symbol("q")
    top = 1 / (2 * k)  # eta_m K eta_c beta and eta_m K eta eta_s beta, B = 1
    steps = [
        *share(),
        sign("eta_m (..) <= 2 - small", R(19, 10) - p - q, ((p, 0, top), (q, 0, top))),
        bounded_client_rate(servers, top),
    ]

    def stable(case: Case) -> bool:
        f, h, many, server, merge = case
        rate = 1 / (2 * F(constant) * many * merge)
        moved = server * f * closed_forms.value(f, rate / server, many)
        return abs(1 - merge * (h * closed_forms.value(h, rate, many) + moved)) < 1

    found = tested(cases(servers), stable, lambda x: 1 / (2 * F(constant) * x[2] * x[4]))
    return settled(
        steps,
        found,
        method="0 < lambda q <= eta K lambda makes the factor of MX-ALG-STAB.1 lie between -9/10 and 1; strictly below 1 "
        "since a curvature is positive",
        valid_for=f"{POSITIVE}, every K, eta_m >= 1, eta_s >= 1, G, B; converges to its fixed point",
    )


of_theorem_b1 = inequality_claim.sharing(source="Theorem B.1, conditions", depends=("MX-ALG-STAB.1",))
_SERVER = Control("every eta_s > 0", dict(servers="eta_s > 0"))
_AT_LEAST_ONE = Unprinted("eta_s >= 1 (the conditions bound eta eta_s, and eta itself only with it)", _SERVER.name)
parallel_row = of_theorem_b1(
    "MX-T1-CONDSUFF.PT",
    headline="The step condition of Parallel Training suffices if the server rate is at least one",
    printed=dict(servers="eta_s >= 1", constant="6"),
    statement=r"\eta_s,\eta_m\ge1,\ \eta_c,\eta\eta_s\le\tfrac1{6(1+B^2)\beta K\eta_m}\Rightarrow|\rho_{PT}|<1",
    summary="With eta_s >= 1 the condition suffices on convex quadratics, with room: factor at least 5/6. For small eta_s the "
    "client rate can exceed 2/beta within the printed condition, and for K >= 2 and lambda_f > 0 Parallel Training then diverges "
    "when eta_s is small enough.",
    controls=[Control("constant 6 -> 1/5", dict(constant="1/5")), _SERVER],
    unprinted=_AT_LEAST_ONE,
)(parallel)


#: A round from x at the curvatures f of f_f and c of f_c, s their sum; y is the local point after t of the K steps, r times x, and
#: merging it makes the model rho x.
one_way_row = statement_of_algebra(
    "MX-T1-CONDSUFF.1W",
    Relations(
        "(79/100)**2 < 5*S/8; rho < 1; rho >= 1 - t/(4*K); x + eta_s*(y - x) = rho*x; r <= 1 - eta*s; r >= 1 - "
        "t*eta*s; f*r + c >= 0; t >= 1 for beta > 0; K >= 1; S >= 1; eta_s >= 79/100; 0 < eta <= 1/(8*beta*K*eta_s); 0 "
        "< s <= 2*beta; 0 <= f <= s; c = s - f; first_t = 1; next_t = t + 1; first_y = x - eta*(f*x + c*x); next_y = y "
        "- eta*(f*y + c*x); first_r = 1 - eta*(f + c); next_r = r - eta*(f*r + c); rho = 1 + eta_s*(r - 1)",
        uses={
            1: {"r <= 1 - eta*s": "eta_s", "f*r + c >= 0": "eta*eta_s"},
            2: {"r >= 1 - t*eta*s": "eta_s", "r <= 1 - eta*s": "eta_s*eta*f"},
            3: {"x + eta_s*(y - x) = rho*x": "1 - eta*f"},
            4: {"r <= 1 - eta*s": "1", "f*r + c >= 0": "eta"},
            5: {"r >= 1 - t*eta*s": "1", "r <= 1 - eta*s": "eta*f"},
            6: {"f*r + c >= 0": "1 - eta*f"},
        },
        names={
            "rho": r"\rho",
            "eta": r"\eta",
            "eta_s": r"\eta_s",
            "beta": r"\beta",
            "f": r"\lambda_f",
            "c": r"\lambda_c",
            "s": r"\lambda",
        },
    ),
    prose="eta_s > sqrt(5S/8) gives eta_s >= 79/100 by (79/100)^2 < 5S/8, and t = K gives 3/4",
    false={
        "constant 8 -> 9/10": ("1/(8*beta*K*eta_s)", "1/(9*beta*K*eta_s/10)"),
        "eta_s from 1/1000 on": ("eta_s >= 79/100", "eta_s >= 1/1000"),
    },
    group=inequality_claim,
    source="Theorem B.2, conditions",
    says=r"\eta_s>\sqrt{5S/8},\ \eta\le\tfrac1{8\beta K\eta_s}\Rightarrow\tfrac34\le\rho_{1w}<1\text{; a round from }x\text{, "
    r"whose local point after }t\le K\text{ steps is }y,\ \rho_{1w}=\rho\text{ at }t=K:\quad ",
    headline="The step condition of 1-way transfer suffices on convex quadratics in one dimension",
    summary="Sufficient on convex quadratics in one dimension, with room: after t local steps, merged, the model is a multiple "
    "of x by less than 1 and at least 1 - t/(4K), which is 3/4 at the end of the round, t = K. eta_s is above 79/100 since it is "
    "above sqrt(5S/8), S >= 1.",
)


JURY = "A round contracts only if its characteristic polynomial meets every condition of Jury."


def roots_outside(case: Case, constant: sp.Rational, divisor: str) -> Iterator[Witness]:
    """The conditions of Jury for the cubic of a round at the largest rates, at an instance with a given number of steps."""
    f, h, many, server, merge = case
    rate, central = 1 / (constant * many * eta_m * eta_s), 1 / (constant * many * eta_m)
    used = rate if divisor == "as printed" else central
    at = {closed_forms.qf: moved(lf, rate, many), closed_forms.qc: moved(lc, central, many)}
    at |= {closed_forms.k: many * rate, closed_forms.j: many * used}
    _, c2, c1, c0 = (sp.sympify(x).subs(at) for x in characteristic(closed_forms.two_way_matrix()))
    values = {lf: f, lc: h, eta_s: server, eta_m: merge}
    words = f"f_f = lambda_f x^2/2, f_c = lambda_c x^2/2, K = {many}, eta_c = eta eta_s = {central}, beta = 1, divisor {divisor}; "
    words += "z^3 + c2 z^2 + c1 z + c0 is the polynomial of a round"
    for text, left, bound, right in (
        ("c1 - c0 c2", c1 - c0 * c2, "1 - c0^2", 1 - c0**2),
        ("c0 c2 - c1", c0 * c2 - c1, "1 - c0^2", 1 - c0**2),
        ("c2 - c1", c2 - c1, "1 - c0", 1 - c0),
        ("-c2 - c1", -c2 - c1, "1 + c0", 1 + c0),
        ("c0^2", c0**2, "1", sp.S.One),
    ):
        given = [(lf, "<=", 1), (lc, "<=", 1), (eta_s, ">", 0), (eta_m, ">=", 1)]
        sides = Side(text, left), "<", Side(bound, right)
        yield Witness(values, *sides, given, words)


def two_way(divisor: str, servers: str, constant: str) -> Evidence:
    """Printed rates at the border with eta_c = eta eta_s; exact Schur-Cohn tests."""
    top = 1 / R(constant)
    steps = [
        *share(),
        *jury(top),
        identity("divisor is the central rate", R(int(divisor == "central step size")), 1),
        bounded_client_rate(servers, top),
    ]

    def stable(case: Case) -> bool:
        f, h, many, server, merge = case
        central = 1 / (F(constant) * many * merge)
        used = None if divisor == "as printed" else central
        return two_way_stable(f, h, central / server, central, many, server, merge, divisor=used)

    every = [x for x in cases(servers) if x[0] > 0 and x[1] > 0]
    found: Search | Tried = tested(every, stable, lambda x: 1 / (F(constant) * x[2] * x[4]), f", divisor {divisor}")
    if isinstance(found, Search) and found.counterexample:
        case = next(x for x in every if not stable(x))
        outside = tried(roots_outside(case, R(constant), divisor))
        found = replace(outside, how="Conditions of Jury for the cubic of a round, exactly.", prose=JURY)
    return settled(
        steps,
        found,
        method="conditions of Jury for the cubic of MX-ALG-STAB.4, each with a certified distance (sum of the absolute "
        "values of all but the constant term); p(1) > 0 exactly",
        valid_for=f"{POSITIVE}, every K, eta_m >= 1, eta_s >= 1",
    )


of_theorem_b3 = inequality_claim.sharing(
    source="Theorem B.3, conditions; Algorithm 1",
    depends=("MX-ALG-STAB.4",),
    statement=r"\eta_m\ge1,\ \eta_c,\eta\eta_s\le\tfrac1{81\beta K\eta_m}\Rightarrow\rho(T_{2w})<1",
)
FINE = "MX-T1-CONDSUFF.2W[divisor eta_c]"
two_way_rows = [
    of_theorem_b3(
        "MX-T1-CONDSUFF.2W[divisor eta as printed]",
        fault="missing hypothesis",
        printed=dict(divisor="as printed", servers="eta_s >= 1", constant="81"),
        repair=FINE,
        headline="Divided as printed, 2-way transfer can diverge at large server rates within its limits",
        summary="With the printed divisor eta and eta_c = eta eta_s the mean central direction -Delta_c/(eta J), from which gt_f "
        "is then subtracted, is eta_s times too large: for large eta_s 2-way GT can diverge within the printed conditions (it does "
        "not for eta_s up to 20 in the cases tried).",
        controls=[
            Control("divisor eta_c", dict(divisor="central step size"), must="pass"),
            Control("eta_s at most 20", dict(servers="eta_s <= 20"), must="pass"),
        ],
    )(two_way),
    of_theorem_b3(
        FINE,
        headline="The corrected 2-way step condition suffices if the server rate is at least one",
        printed=dict(divisor="central step size", servers="eta_s >= 1", constant="81"),
        summary="With the divisor eta_c and eta_s >= 1 the condition suffices on convex quadratics; for small eta_s it does not "
        "bound the client rate, as for Parallel Training.",
        controls=[
            Control("constant 81 -> 1", dict(constant="1")),
            Control("printed divisor", dict(divisor="as printed")),
            _SERVER,
        ],
        unprinted=_AT_LEAST_ONE,
    )(two_way),
]


if __name__ == "__main__":
    run_script(__file__)
