"""Step-size conditions of Theorems B.1-B.3 in Augenstein et al. (2022) on noise-free scalar quadratics: is the round stable?

Curvatures lambda_f, lambda_c in [0, beta] (convex) with a positive sum.  A commuting pair of Hessians is a list of such pairs.
The characteristic polynomial of 2-way Gradient Transfer is that of :func:`verify.mixed2022.closed_forms.two_way_matrix`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Relation, Side, Witness
from verify.mixed2022 import closed_forms
from verify.mixed2022.closed_forms import characteristic, eta_m, eta_s, lc, lf, moved

F = Fraction
#: Those of strongly convex losses first.
CURVATURES = (F(1, 10), F(1, 2), F(1), F(0))
#: Server rates in statements, and those that are tried.
SERVERS = {
    "s > 0": (F(1, 10**4), F(1, 1000), F(1, 10), F(1), F(10), F(1000)),
    "s >= 1": (F(1), F(10), F(100), F(1000)),
    "1 <= s <= 20": (F(1), F(5), F(20)),
}
NAMES = {
    **{"beta": r"\beta", "B_sq": "B^2", "m": r"\eta_m", "s": r"\eta_s", "rho": r"\rho"},
    **{"h": r"\eta", "r": r"\eta_c", "f": r"\lambda_f", "c": r"\lambda_c", "l": r"\lambda"},
}
POSITIVE = "convex quadratics with commuting Hessians, lambda_f + lambda_c > 0 on each common eigenvector"


def border(limit: sp.Rational) -> tuple[sp.Expr, sp.Expr]:
    """The largest rates with eta_c = eta eta_s at beta = 1 and two local steps."""
    return 1 / (2 * limit * eta_m * eta_s), 1 / (2 * limit * eta_m)


def outside(relations: Sequence[Relation], servers: str, words: str) -> Iterator[Witness]:
    """Instances at which a condition of stability may fail."""
    words = f"f_f = lambda_f x^2/2, f_c = lambda_c x^2/2, K = 2, beta = 1, {words}"
    for server, merge, f, c in product(SERVERS[servers], (F(1), F(10)), CURVATURES, CURVATURES):
        given = [(lf, "<=", 1), (lc, "<=", 1), (lf + lc, ">", 0), (eta_s, ">", 0), (eta_m, ">=", 1)]
        values = {lf: f, lc: c, eta_s: server, eta_m: merge}
        yield from (Witness(values, *relation, given, words) for relation in relations)


def parallel_text(servers: str, constant: str) -> Relations:
    """A round from x: the local points y of the clients and z of the centre after t of the K steps are Y x and Z x."""
    return Relations(
        f"x + m*(z - x + s*(y - x)) = rho*x; rho < 1; rho >= 1 - t/({constant}*K); y = Y*x; z = Z*x; Y >= 0; Y <= 1; Z >= 0; "
        f"Z <= 1; t >= 1 for beta > 0; K >= 1; B_sq >= 1; m >= 1; {servers}; w = 1/({constant}*(1 + B_sq)*beta*K*m); 0 < h <= w/s; "
        "0 < r <= w; 0 < l <= 2*beta; 0 <= f <= l; c = l - f; first_t = 1; next_t = t + 1; rho = 1 - m*(1 - Z + s*(1 - Y)); "
        "first_Y = 1 - h*f; next_Y = (1 - h*f)*Y; first_Z = 1 - r*c; next_Z = (1 - r*c)*Z; "
        "first_y = x - h*(f*x); next_y = y - h*(f*y); first_z = x - r*(c*x); next_z = z - r*(c*z)",
        uses={
            0: {"y = Y*x": "m*s*(1 - h*f)", "z = Z*x": "m*(1 - r*c)"},
            1: {"rho < 1": "1"},
            2: {f"rho >= 1 - t/({constant}*K)": "1", "Y <= 1": "m*s*h*f", "Z <= 1": "m*r*c"},
            3: {"y = Y*x": "1 - h*f"},
            4: {"z = Z*x": "1 - r*c"},
        },
        names=NAMES,
    )


def parallel(servers: str, constant: str) -> Evidence:
    """The factor in every round; else its value at the largest rates, B^2 = 1 (the weakest condition)."""
    rate, central = border(2 * sp.Rational(constant))
    factor = closed_forms.parallel_factor(moved(lf, rate, 2), moved(lc, central, 2))
    sides = ((Side("rho", factor), "<", 1), (Side("-rho", -factor), "<", 1))
    return by_relations(
        parallel_text(servers, constant),
        otherwise=outside(sides, servers, f"eta_c = eta eta_s = {central}"),
        valid_for=f"{POSITIVE}, every K, eta_m >= 1, eta_s >= 1, G, B; converges to its fixed point",
    )


of_theorem_b1 = inequality_claim.sharing(source="Theorem B.1, conditions", depends=("MX-ALG-STAB.1",))
_SERVER = Control("every eta_s > 0", dict(servers="s > 0"))
_AT_LEAST_ONE = Unprinted("eta_s >= 1 (the conditions bound eta eta_s, and eta itself only with it)", _SERVER.name)
parallel_row = of_theorem_b1(
    "MX-T1-CONDSUFF.PT",
    headline="The step condition of Parallel Training suffices if the server rate is at least one",
    printed=dict(servers="s >= 1", constant="6"),
    statement=(
        r"\eta_s,\eta_m\ge1,\ \eta_c,\eta\eta_s\le\tfrac1{6(1+B^2)\beta K\eta_m}\Rightarrow\tfrac56\le\rho_{PT}<1\text{; a round "
        r"from }x\text{ with the local points }y,z\text{ after }t\le K\text{ steps, }\rho_{PT}=\rho\text{ at }t=K:\quad ",
        parallel_text("s >= 1", "6"),
    ),
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


def two_way_text(servers: str, constant: str) -> Relations:
    """What t steps leave of q, and the conditions of Jury for z^3 - p z^2 + k z - n, the polynomial of a round.

    a = 1 - q_c/(eta_c K) and b = 1 - q_f/(eta K); u and v are eta_m K eta_c lambda_c and eta_m eta_s K eta lambda_f, e and o the
    same with the curvatures exchanged.  The divisor is eta_c.
    """
    limit, low = f"1/{constant}", "q >= t*h*(1 - t*h*l/2)"
    return Relations(
        f"q <= t*h; {low}; K*h*l/2 <= {limit}; n < 1; n > -1; 1 + p + k + n > 0; 1 - n**2 > k - n*p; 1 - n**2 > -k + n*p; "
        f"1 - p + k - n = (1 - a)*(1 - b)*(u + v + e + o); 0 <= z <= 1; z >= 1 - t*h*l; t >= 1 for beta > 0; "
        f"K >= 1; m >= 1; {servers}; 0 < h <= {limit}/(beta*K*m*s); "
        "0 <= l <= beta; first_t = 1; next_t = t + 1; first_q = h; next_q = q + h*z; first_z = 1 - h*l; next_z = (1 - h*l)*z; "
        + "".join(f"0 <= {x} <= {limit}; " for x in "uveoab")
        + "p = 1 - u*(1 - a) - v*(1 - b); k = (e + o)*(1 - a)*(1 - b) - a*b; "
        "n = -p*a*b + v*(1 - b)**2*a + u*(1 - a)**2*b",
        uses={0: {"q <= t*h": "1"}, 1: {low: "1", "z >= 1 - t*h*l": "h"}, 11: {"z >= 1 - t*h*l": "1 - h*l"}},
        names=NAMES,
    )


JURY = (
    "A round contracts if and only if its characteristic polynomial meets every condition of Jury; the one at 1 has positive "
    "factors only, as in MX-ALG-STAB.4. After K steps 0 <= 1 - q/(h K) <= K h l/2, for the clients and, as s = 1, for the centre."
)


def two_way(divisor: str, servers: str, constant: str) -> Evidence:
    """The conditions of Jury with room; else one that fails at the printed rates at the border with eta_c = eta eta_s."""
    rate, central = border(sp.Rational(constant))
    used = rate if divisor == "eta" else central
    at = {closed_forms.qf: moved(lf, rate, 2), closed_forms.qc: moved(lc, central, 2)}
    at |= {closed_forms.k: 2 * rate, closed_forms.j: 2 * used}
    _, c2, c1, c0 = (sp.sympify(x).subs(at) for x in characteristic(closed_forms.two_way_matrix()))
    sides = [
        (Side("c1 - c0 c2", c1 - c0 * c2), "<", Side("1 - c0^2", 1 - c0**2)),
        (Side("c0 c2 - c1", c0 * c2 - c1), "<", Side("1 - c0^2", 1 - c0**2)),
        (Side("c2 - c1", c2 - c1), "<", Side("1 - c0", 1 - c0)),
        (Side("-c2 - c1", -c2 - c1), "<", Side("1 + c0", 1 + c0)),
        (Side("c0^2", c0**2), "<", Side("1", sp.S.One)),
    ]
    words = f"eta_c = eta eta_s = {central}, divisor {used}; z^3 + c2 z^2 + c1 z + c0 is the polynomial of a round"
    found = outside(sides, servers, words)
    told = dict(
        method="The conditions of Jury with room in a box around all rounds, or one that fails at the border, exactly.",
        prose=JURY,
        valid_for=f"{POSITIVE}, every K, eta_m >= 1, eta_s >= 1",
    )
    if divisor == "eta":
        only_if = "A round contracts only if its characteristic polynomial meets every condition of Jury."
        witnesses = replace(tried(found, prose=only_if), how="Conditions of Jury for the cubic of a round, exactly.")
        return decide((False, "the divisor, which is not the central rate"), witnesses, **told)
    return by_relations(two_way_text(servers, constant), otherwise=found, **told)


of_theorem_b3 = inequality_claim.sharing(
    source="Theorem B.3, conditions; Algorithm 1",
    depends=("MX-ALG-STAB.4",),
)
ENOUGH = r"\lambda_f+\lambda_c>0,\ \eta_m\ge1,\ \eta_c,\eta\eta_s\le\tfrac1{81\beta K\eta_m}\Rightarrow\rho(T_{2w})<1"
FINE = "MX-T1-CONDSUFF.2W[divisor eta_c]"
two_way_rows = [
    of_theorem_b3(
        "MX-T1-CONDSUFF.2W[divisor eta as printed]",
        fault="missing hypothesis",
        statement=ENOUGH,
        printed=dict(divisor="eta", servers="s >= 1", constant="81"),
        repair=FINE,
        headline="Divided as printed, 2-way transfer can diverge at large server rates within its limits",
        summary="With the printed divisor eta and eta_c = eta eta_s the mean central direction -Delta_c/(eta J), from which gt_f "
        "is then subtracted, is eta_s times too large: for large eta_s 2-way GT can diverge within the printed conditions (it does "
        "not for eta_s up to 20 in the cases tried).",
        controls=[
            Control("divisor eta_c", dict(divisor="eta_c"), must="pass"),
            Control("eta_s at most 20", dict(servers="1 <= s <= 20"), must="pass"),
        ],
    )(two_way),
    of_theorem_b3(
        FINE,
        headline="The corrected 2-way step condition suffices if the server rate is at least one",
        statement=(
            ENOUGH
            + r"\text{, divisor }\eta_c;\ y^3-py^2+ky-n\text{ the polynomial of a round in }y,\ a=1-\tfrac{q_c}{K\eta_c},\ "
            r"b=1-\tfrac{q_f}{K\eta},\ u=\eta_mK\eta_c\lambda_c,\ v=\eta_m\eta_sK\eta\lambda_f,\ e=\eta_m\eta_sK\eta\lambda_c,\ "
            r"o=\eta_mK\eta_c\lambda_f:\quad ",
            two_way_text("s >= 1", "81"),
        ),
        printed=dict(divisor="eta_c", servers="s >= 1", constant="81"),
        summary="With the divisor eta_c and eta_s >= 1 the condition suffices on convex quadratics; for small eta_s it does not "
        "bound the client rate, as for Parallel Training.",
        controls=[
            Control("constant 81 -> 1", dict(constant="1")),
            Control("printed divisor", dict(divisor="eta")),
            _SERVER,
        ],
        unprinted=_AT_LEAST_ONE,
    )(two_way),
]


if __name__ == "__main__":
    run_script(__file__)
