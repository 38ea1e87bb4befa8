"""Section 4.2 of Augenstein et al. (2022), first and third implication of Table 1: what slows Parallel Training down?

Large G and B slow Parallel Training only; 2-way GT is at least as fast as the others, as a statement about orders, term by term,
and as a statement about runs on exact quadratics."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.ends import tried
from fltheory.evidence.kept_steps import keep
from fltheory.evidence.kinds import qualitative_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence, Scope
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.mixed2022.orders import NOISE_SCALE, OPTIMISATION, terms
from fltheory.theory.proofs import is_positive_semidefinite
from fltheory.theory.steps import Step, identity
from verify.mixed2022 import closed_forms
from verify.mixed2022 import drift_rounds as drift
from verify.mixed2022.closed_forms import (
    eta_m,
    eta_s,
    gs,
    j,
    lc,
    lf,
    moved,
    one_way_factor,
    qc,
    qf,
    two_way_matrix,
    value,
)
from verify.mixed2022.settled import by_steps

F, R = Fraction, sp.Rational
h, d = sp.symbols("h d", positive=True)
of_instances = qualitative_of_an_instance.sharing(source="Section 4.2, first implication")


#: Fixed point 2 eta g/(12 - 5 eta) and factor of Parallel Training at eta_m = m, eta = eta_c = h: both without g.
LARGE_MERGING = Relations(
    "2*h*g/(12 - 5*h) <= tol/2; 0 <= 1 - m*(3*h - 5*h**2/4) <= 23/24 for tol > 0; m >= 1; 0 <= g <= 96*tol*m; h = 1/(48*m)",
    names={"tol": r"\mathrm{tol}", "m": r"\eta_m", "h": r"\eta"},
)


def without_slope() -> list[Step]:
    """Rounds of Gradient Transfer from x, with shifts u - g_* and v + g_*: the slope of the losses drops out."""
    x, u, v = sp.symbols("x u v")
    on_clients, on_centre = qf * (lf * x + gs + (u - gs)), qc * (lc * x - gs + (v + gs))
    after = [x - eta_m * (on_centre + eta_s * on_clients), on_centre / j - (v + gs) + gs]
    after.append(on_clients / closed_forms.k - (u - gs) - gs)
    one_way = x - eta_s * qf * ((lf * x + gs) + (lc * x - gs))
    return [
        identity("1-way GT: no slope in the round", one_way, one_way_factor() * x),
        *(
            identity(f"2-way GT: no slope in {name}", new, row)
            for name, new, row in zip("xuv", after, two_way_matrix() * sp.Matrix([x, u, v]), strict=True)
        ),
    ]


def large_slope(merge: str) -> Evidence:
    """T of Parallel Training is at least log(1/tol)(g/(18 tol) - 1) at eta_m = 1; that of Gradient Transfer has no g."""
    rounds, tol = sp.Symbol("rounds", positive=True), drift.tol
    at = 18 * tol * (1 + rounds / sp.log(1 / tol))
    steps = [
        *drift.drift_steps(sp.S.One if merge == "1" else drift.merge),
        identity("the lower bound is any number of rounds at some g", drift.DRIFT_LOW.subs(drift.g, at), rounds),
        *without_slope(),
    ]

    def counterexample() -> Tried:
        setting = "f_f = x^2/2 + g x, f_c = x^2/4 - g x, K = 2, eta_m = m: T <= 1 + 24 log(2D/tol) for every g"
        proved = merge != "1" and LARGE_MERGING.proof[0]
        prose = "The model is a convex combination of its start and the fixed point; the rounds follow from the factor."
        closed = keep(drift.drift_steps(drift.merge)[:2], ()).steps
        certificate = {"rounds": LARGE_MERGING.certificate, "steps": list(closed)}
        return (
            Tried(1, f"{setting}: {LARGE_MERGING.text}", -1.0, certificate=certificate, prose=prose)
            if proved
            else Tried(1)
        )

    return by_steps(
        steps,
        counterexample,
        method="fixed point of Parallel Training (curvatures 1 and 1/2, K = 2) in closed form and the lower bound on T for all "
        "rates; 1-way and 2-way GT have no bias and no g in their round",
        valid_for="the quadratics of MX-T1-FIT-PT.1",
    )


rows_gb = [
    of_instances(
        "MX-IMPL-GB.1[eta_m = 1]",
        printed=dict(merge="1"),
        depends=("MX-T1-FIT-PT.1", "MX-T1-FIT-GT.1W", "MX-T1-FIT-GT.2W"),
        statement=r"G\to\infty:\ T_{PT}\to\infty,\ T_{1w},T_{2w}\text{ do not depend on }G",
        summary="At eta_m = 1 large G makes Parallel Training slower (linearly in G; for all rates: the instance of "
        "MX-T1-PT-C), the Gradient Transfer methods not.",
        controls=[Control("eta_m to infinity", dict(merge="infinity"))],
    )(large_slope),
    of_instances(
        "MX-IMPL-GB.1[eta_m chosen as well]",
        fault="reading",
        printed=dict(merge="infinity"),
        depends=("MX-T1-FIT-PT-U1",),
        repair="MX-IMPL-GB.1[eta_m = 1]",
        statement=r"G\to\infty:\ \min_{\eta_m}T_{PT}\to\infty",
        headline="With a large merging rate Parallel Training does not feel the dissimilarity",
        summary="With large eta_m (which the conditions allow) and proportionally small rates Parallel Training does not "
        "feel G.",
        controls=[Control("eta_m = 1", dict(merge="1"), must="pass")],
    )(large_slope),
]
#: f_f = (1 + d) x^2/2, f_c = -x^2/2 (G = 0, B of order 1/d), K = 2; the step of 1-way GT is admitted (beta <= 2).
large_b = statement_of_algebra(
    "MX-IMPL-GB.2[eta_m = 1]",
    Relations(
        "1 - rho_PT <= d**2/2; 1 - rho_1w >= d/40 for 0 < d <= 1; m = 1; "
        f"q_f = {moved(1 + d, h, 2)}; q_c = {moved(sp.Integer(-1), h, 2)}; rho_PT = 1 - m*((1 + d)*q_f - q_c); "
        f"rho_1w = 1 - d*({moved(1 + d, R(1, 72), 2)})",
        squares={0: [("1 + (1 + d)**2", "h - d/(1 + (1 + d)**2)")]},
        names={"d": r"\delta", "h": r"\eta", "m": r"\eta_m", "rho_PT": r"\rho_{PT}", "rho_1w": r"\rho_{1w}"},
    ),
    false={"eta_m = 10": ("m = 1;", "m = 10;"), "half of d^2/2": ("d**2/2", "d**2/4"), "d/30": ("d/40", "d/30")},
    group=of_instances,
    says=r"f_f=\tfrac{1+\delta}2x^2,\ f_c=-\tfrac12x^2,\ K=2:\ ",
    prose="the factors of a round are typed as closed forms of two local steps; 1-way GT has eta = 1/72",
    summary="Large B alone (G = 0; here a non-convex central loss) also slows Parallel Training: by a factor of order B "
    "against 1-way GT, at matched rates eta_c = eta (with G = 0 unequal rates can avoid it, and so can large eta_m with "
    "steps that do not shrink like 1/B^2 as the condition wants).",
)
small_b = statement_of_algebra(
    "MX-IMPL-GB-S1",
    Relations(
        "(2*f**2 + 2*c**2)/(f + c)**2 <= 2 for s > 0; 0 <= f <= s; c = s - f",
        names={"f": r"\lambda_f", "c": r"\lambda_c", "s": r"\lambda"},
    ),
    false={"1.99": ("<= 2 for", "<= 199/100 for"), "f_c concave": ("f <= s", "f <= 2*s")},
    group=qualitative_claim,
    says=r"B_{\min}^2=\max\tfrac{2\lambda_f^2+2\lambda_c^2}{(\lambda_f+\lambda_c)^2}:\ ",
    prose="commuting Hessians have common eigenvectors: the relation is that of one pair of curvatures",
    source="Definition 4.2 on convex quadratics",
    headline="Quadratics whose Hessians commute have squared slope at most two",
    summary="Convex quadratics with commuting Hessians have B^2 <= 2: large B needs non-commuting or non-convex losses.",
)
third_implication = qualitative_claim.sharing(source="Section 4.2, third implication")
w, o, g = sp.symbols("w o g", positive=True)


def order(algorithm: str, part: str) -> str:
    """A term of an order over what multiplies it in each case, which is alike for all algorithms."""
    unit = {"noise": NOISE_SCALE["convex"] / w, "optimisation": OPTIMISATION["convex"] / o}[part]
    return f"({terms(algorithm, 'convex')[part] / unit})"


def below(other: str, more: str = "") -> Relations:
    """Term by term, and their sums; the dissimilarity term of Parallel Training is ``more``."""
    pairs = [(order("2-w GT", part), order(other, part)) for part in ("noise", "optimisation")]
    whole = [" + ".join(parts) for parts in zip(*pairs, strict=True)]
    claims = [*(f"{mine} <= {its}" for mine, its in pairs), f"{whole[0]} <= {whole[1]}{more}"]
    ranges = "K >= 1; S >= 1; V >= 0; C >= 0; w > 0; o > 0" + ("; B >= 1; g >= 0" if more else "")
    return Relations(f"{'; '.join(claims)} for {ranges}", names={"V": r"\sigma^2", "C": r"\sigma_c^2"})


def at_largest(matched: str) -> Evidence:
    """f_f = f_c = x^2/2 (beta = 1, B = 1), K = 2: contraction per round at the largest steps of Table 3, or at a common rate."""
    k, name = 2, "1-w GT"
    one_way, two_way = (F(1, 8 * k), F(1, 81 * k)) if matched == "largest" else (F(matched), F(matched))
    other, mine = abs(1 - 2 * value(F(1), one_way, k)), round_of_two_way(two_way, k)
    blocks = lyapunov(mine / R(str(other)))
    named = f"f_f = f_c = x^2/2, K = 2, eta_s = eta_m = 1, eta_c = eta = {two_way} (2-way GT), {one_way} ({name})"
    p = sp.expand((rho * sp.eye(3) - mine).det())
    one = "the characteristic polynomial p of a round of 2-way GT at"
    needed = (Side(f"{one} rho", p), ">=", 0), (Side(f"{one} -rho", p.subs(rho, -rho)), "<=", 0)
    needed += ((Side("p(0)^2, the square of the product of its roots,", p.subs(rho, 0) ** 2), "<=", rho**6),)
    witnesses = (Witness({rho: other}, *each, setting=f"{named}; rho is the factor of {name}") for each in needed)
    proved = blocks is not None and all(is_positive_semidefinite(block) for block in blocks)
    return decide(
        (proved, "a norm in which a round of 2-way GT contracts by the other's factor"),
        Tried(1) if proved else tried(witnesses),
        method="a norm in which a round of 2-way GT contracts by the other's factor: two positive semidefinite matrices; or a sign "
        "of the characteristic polynomial that roots within that factor do not leave",
        certificate={"norm": certificates.psd(blocks[0]), "contraction": certificates.psd(blocks[1])}
        if proved
        else None,
        numbers={f"factor of {name}": float(other)},
        prose="a round is a linear map: the matrices are a norm in which it contracts"
        if proved
        else "roots of the characteristic polynomial within rho would give it the other sign",
        valid_for="f_f = f_c = x^2/2, K = 2",
    )


rho = sp.Symbol("rho")


def round_of_two_way(rate: Fraction, steps: int) -> sp.Matrix:
    """A round of 2-way GT on curvatures (1, 1)."""
    q, k = R(str(value(F(1), rate, steps))), R(str(rate * steps))
    return closed_forms.two_way_matrix().subs({lf: 1, lc: 1, qf: q, qc: q, closed_forms.k: k, j: k, eta_m: 1, eta_s: 1})


def lyapunov(matrix: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix] | None:
    """P - 1 with P - A'PA = 1, and [[P, A'P], [PA, P]]: positive semidefinite if |Ax| <= |x| in the norm of P; None without P."""
    size = matrix.rows
    system = sp.eye(size**2) - sp.kronecker_product(matrix.T, matrix.T)
    if system.det() == 0:
        return None
    norm = system.LUsolve(sp.eye(size).reshape(size**2, 1)).reshape(size, size)
    return norm - sp.eye(size), sp.Matrix(sp.BlockMatrix([[norm, matrix.T * norm], [norm * matrix, norm]]))


rows_two = [
    statement_of_algebra(
        "MX-IMPL-2W.1",
        below("1-w GT"),
        false={
            "1.01 K times": (f"{order('2-w GT', 'noise')} <=", f"101*K/100*{order('2-w GT', 'noise')} <="),
            "half of the rounds": ("(o) <= (o)", "(o) <= (o)/2"),
        },
        group=third_implication,
        says=r"\text{order of 2-w GT}\le\text{order of 1-w GT, term by term}:\ ",
        summary="The order of 2-way GT is at most that of 1-way GT, term by term.",
    ),
    statement_of_algebra(
        "MX-IMPL-2W.2",
        below("PT", " + g"),
        false={
            "K times": (f"{order('2-w GT', 'noise')} <=", f"K*{order('2-w GT', 'noise')} <="),
            "B below 1": ("B >= 1", "B >= 1/2"),
        },
        group=third_implication,
        says=r"\text{order of 2-w GT}\le\text{order of PT, term by term}:\ ",
        summary="The order of 2-way GT is at most that of Parallel Training, term by term.",
    ),
    third_implication(
        "MX-IMPL-2W.3[each at the largest step of Table 3]",
        fault="reading",
        printed=dict(matched="largest"),
        repair="MX-IMPL-2W.1",
        statement=r"\rho_{2w}\le\rho_{1w}\text{ at the largest steps of Table 3}",
        headline="At their largest printed steps 2-way transfer is slower than 1-way",
        summary="As a statement about runs it depends on the rates: at the largest steps of Table 3 2-way GT "
        "contracts more slowly than 1-way GT.",
        controls=[Control("equal rates 1/100", dict(matched="1/100"), must="pass")],
    )(at_largest),
    third_implication(
        "MX-IMPL-2W.3[equal rates, eta = 1/100]",
        scope=Scope.INSTANCE,
        printed=dict(matched="1/100"),
        statement=r"f_f=f_c=\tfrac{x^2}2,\ K=2:\ \rho_{2w}\le\rho_{1w}\text{ at }\eta=\eta_c=\tfrac1{100}",
        summary="At equal small rates 2-way GT contracts faster on this instance: both of its updates move along the gradient "
        "of f, so that its effective step is twice as long.",
        controls=[Control("eta = 1/4", dict(matched="1/4")), Control("largest steps", dict(matched="largest"))],
    )(at_largest),
]


if __name__ == "__main__":
    run_script(__file__)
