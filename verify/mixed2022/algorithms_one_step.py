"""Appendix A.3 of Augenstein et al. (2022): one local step, K = 1, and for which K the bounds hold.

Parallel Training and 1-way GT are then the same iteration exactly at eta_c = eta eta_s and eta_m = 1.  2-way GT is not: its
augmenting gradients are those of the round before, so that it moves along grad f(x^t) + grad f(x^(t-1)): twice the progress
per round, half the largest step.  With eta_m = 1/2 it averages the two, and the progress agrees to first order.
2-way GT is looked at with the divisor eta_c in the renewal of gt_c; the printed divisor eta is the same for eta_s = 1.

The bounds of 1-way GT, stated for K >= 2, need no K >= 2.  Where Appendix D.2 compares K with constants, K >= 1 suffices.  At
K = 1 1-way GT is SGD on f, a sum of two beta-smooth mu-convex losses, hence 2 beta-smooth and 2 mu-convex, with gradient
variance sigma^2/S + sigma_c^2.  Both one-round recursions from which Theorem B.2 is derived hold then as well, with room.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

import fltheory as fl
from fltheory.evidence.kinds import algebra_claim, asymptotic_claim, expectation_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.mixed2022.scalars import number
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Step, identity, inequality, sign
from verify.mixed2022.closed_forms import characteristic, j, k, largest, lc, lf, qc, qf, roots_inside, two_way_matrix
from verify.mixed2022.settled import settle
from verify.mixed2022.updates import average, compared, eta, eta_c, eta_m, eta_s, g, h, traced, u, v, x

F = Fraction
LOCALS = {"eta": eta, "eta_s": eta_s}
of_appendix_a3 = identity_claim.sharing(source="Appendix A.3")
of_progress = asymptotic_claim.sharing(source="Appendix A.3")


def one_way() -> Any:
    return traced(lambda e, ec, s, m: fl.OneWayGradientTransfer(1, e, s), (x,))[0]


def other(algorithm: str) -> tuple[Any, Any]:
    """(iterate after the round, iterate before it) of a round whose augmenting gradients come from the round before."""
    if algorithm == "parallel":
        return traced(lambda e, ec, s, m: fl.ParallelTraining(1, e, ec, s, m), (x,))[0], x
    begin = (x, u, v)

    def made(e: Any, ec: Any, s: Any, m: Any) -> Any:
        return fl.TwoWayGradientTransfer(1, e, ec, s, m, divisor="central step size")

    return traced(made, begin, rounds=2)[0], traced(made, begin)[0]


def gradient(point: Any) -> Any:
    """grad f, sampled: the cohort's mean gradient and the central one."""
    return average(g(point)) + h(point)


def agree(algorithm: str, central_rate: str, merge: str, gradients: str) -> Evidence:
    """x_new against x_old - e (grad f(x_old) [+ grad f(x before)]), e = eta_m eta eta_s."""
    new, old = other(algorithm)
    rates = {eta_c: sp.sympify(central_rate, locals=LOCALS), eta_m: sp.sympify(merge, locals={"eta_m": eta_m})}
    step = eta * eta_s
    wanted = old - step * gradient(old)
    if gradients == "last two":
        wanted = old - eta_m * step * (gradient(old) + gradient(x))
    proof, found = compared("iterate", *((sp.expand(side.subs(rates)),) for side in (new, wanted)))
    if gradients == "this one":
        proof.append(identity("1-way GT", one_way(), x - step * gradient(x)))
    return settle(
        proof,
        found,
        method="the package's rounds at K = 1 as programs over unknown losses",
        valid_for="all losses (and, batch by batch, all oracles), N, S, d",
    )


PRINTED = dict(central_rate="eta*eta_s", merge="1", gradients="this one")
OTHER_RATE = Control("eta_c = 1.01 eta eta_s", dict(central_rate="101*eta*eta_s/100"))

same_iterates = of_appendix_a3(
    "MX-A3-K1.1",
    statement=r"K=1,\ \eta_m=1,\ \eta_c=\eta\eta_s:\quad "
    r"x_{PT}^{(t+1)}=x_{1w}^{(t+1)}=x^{(t)}-\eta\eta_s(g_f(x^{(t)})+g_c(x^{(t)}))",
    summary="Parallel Training and 1-way GT: identical iterates, batch by batch, at the rates of the printed experiments (1-way "
    "GT has no eta_m); at any other eta_c or eta_m they differ.",
    printed=dict(algorithm="parallel", **PRINTED),
    controls=[OTHER_RATE, Control("eta_m = 1.01", dict(merge="101/100"))],
)(agree)
two_way_iterates = of_appendix_a3(
    "MX-A3-K1.2[same iterates]",
    fault="reading",
    repair="MX-A3-K1.2-R1",
    statement=r"K=1,\ \eta_m=1,\ \eta_c=\eta\eta_s:\quad x_{2w}^{(t+1)}=x_{2w}^{(t)}-\eta\eta_s(g_f+g_c)(x_{2w}^{(t)})",
    headline="With one local step 2-way Gradient Transfer is not the same iteration",
    summary="At the rates of the printed experiments 2-way GT is not the same iteration: it adds the gradients of the round "
    "before to those of this round.",
    printed=dict(algorithm="2-way", **PRINTED),
    controls=[Control("Parallel Training", dict(algorithm="parallel"), must="pass")],
)(agree)
two_gradients = identity_claim(
    "MX-A3-K1.2-R1",
    source="Appendix A.3, corrected",
    statement=r"K=1,\ \eta_c=\eta\eta_s:\quad x_{2w}^{(t+1)}=x^{(t)}-\eta_m\eta\eta_s\big(\nabla f(x^{(t)})+\nabla "
    r"f(x^{(t-1)})\big)",
    summary="2-way GT at K = 1 (divisor eta_c, which is eta for eta_s = 1): steps along the sum of the last two sampled gradients; "
    "with eta_m = 1/2 along their mean.",
    printed=dict(algorithm="2-way", central_rate="eta*eta_s", merge="eta_m", gradients="last two"),
    controls=[Control("this gradient only", dict(gradients="this one")), OTHER_RATE],
)(agree)


def radius(p: Fraction) -> Fraction:
    """Largest modulus of the roots of z^2 - (1 - p) z + p, to 1e-12."""
    halvings = (2 * 10**12 - 1).bit_length()
    return largest(lambda r: not roots_inside([r**2, -(1 - p) * r, p]), F(0), F(2), halvings=halvings)[1]


def progress(merge: str) -> Evidence:
    """With s = eta eta_s (lambda_f + lambda_c): 1-way GT contracts by 1 - s; 2-way GT by a root at p = eta_m s."""
    rate, s, p = sp.symbols("a s p")
    z = 1 - rate * s
    rates = {qf: eta, qc: eta * eta_s, k: eta, j: eta * eta_s}
    whole = characteristic(two_way_matrix().subs(rates))
    found = sum((factor * rate ** (3 - i) for i, factor in enumerate(whole)), sp.Integer(0))
    wanted = (rate * (rate**2 - (1 - p) * rate + p)).subs(p, eta_m * eta * eta_s * (lf + lc))
    first_order = sp.expand(z**2 - (1 - sp.Rational(merge) * s) * z + sp.Rational(merge) * s).coeff(s, 1)
    proof = [
        identity("characteristic polynomial", found, wanted),
        identity("at s = 0 the roots are 0, 0 and the simple root 1", wanted.subs(eta, 0), rate**2 * (rate - 1)),
        identity("first order at a = 1", first_order.subs(rate, 1), 0),
    ]
    instances = []
    for small in (F(1, 100), F(1, 1000)):
        quotient = (1 - radius(F(merge) * small)) / small
        text = f"eta eta_s (lambda_f + lambda_c) = {small}, eta_m = {merge}: (1 - rho_2w)/(1 - rho_1w) = {float(quotient):.6g}"
        instances.append(Instance(f"{text}, distance to 1 against 4 s", abs(quotient - 1), 4 * small))
    return settle(
        proof,
        instances,
        method="The root near 1 of the characteristic polynomial is 1 - a s to first order (simple at s = 0, so that the implicit "
        "function theorem applies); the other two are near 0.",
        valid_for="scalar quadratics, clients alike, small steps, divisor eta_c",
    )


equal_progress = of_progress(
    "MX-A3-K1.2[equal progress, same rates]",
    fault="reading",
    repair="MX-A3-K1.2[equal progress, a merging rate of its own]",
    statement=r"K=1,\ \eta_m=1,\ \eta_c=\eta\eta_s:\quad\frac{1-\rho_{2w}}{1-\rho_{1w}}\to1\ (\eta\to0)",
    printed=dict(merge="1"),
    headline="At equal rates 2-way Gradient Transfer progresses twice as fast, not equally",
    summary="At the same rates the progress is not equivalent either: 2-way GT makes twice the progress of the others for small "
    "steps, and diverges at half their largest step (MX-ALG-STAB.5).",
    controls=[Control("eta_m = 1/2", dict(merge="1/2"), must="pass")],
)(progress)
half_merge = of_progress(
    "MX-A3-K1.2[equal progress, a merging rate of its own]",
    printed=dict(merge="1/2"),
    statement=r"K=1,\ \eta_m=\tfrac12\text{ for 2-w GT},\ \eta_c=\eta\eta_s:\quad\frac{1-\rho_{2w}}{1-\rho_{1w}}\to1\ (\eta\to0)",
    summary="With eta_m = 1/2 for 2-way GT, the average that the text speaks of, all three make the same progress to first order.",
    controls=[Control("eta_m = 1", dict(merge="1")), Control("eta_m = 0.51", dict(merge="51/100"))],
)(progress)

R = sp.Rational
e, z, G, gap, beta, mu, S, Vf, Vc, K = sp.symbols("e z G gap beta mu S V_f V_c K")
RANGES = ((beta, Open(0), None), (mu, 0, beta), (S, 1, None), (gap, 0, None), (Vf, 0, None), (Vc, 0, None))


def one_step(convex: bool, top: str, noise: str) -> tuple[Step, list[Instance]]:
    """f is 2 beta-smooth and 2 mu-convex; one SGD step of length e with variance V_f + V_c (sigma^2/S and sigma_c^2)."""
    longest, scale = sp.sympify(top, locals={"beta": beta}), R(noise)
    if convex:
        left = z**2 - 2 * e * z * G + e**2 * (G**2 + Vf + Vc)
        right = (1 - R(3, 2) * mu * e) * z**2 - (1 - 1 / S) * e * gap + scale * e**2 * (5 * Vf + 3 * Vc)
        premises = {
            "2 mu-convexity at the optimum": (2 * e, z * G - gap - mu * z**2),
            "|grad f|^2 <= 4 beta gap": (e**2, 4 * beta * gap - G**2),
        }
        square = (mu * e / 2, z)
    else:
        left = gap - e * G**2 + beta * e**2 * (G**2 + Vf + Vc)
        right = gap - e * G**2 / 3 + scale * beta * e**2 * (3 * Vf + 2 * Vc)
        premises, square = {}, (e * (R(2, 3) - beta * e), G)
    ranges = (*RANGES, (e, 0, longest))
    step = inequality("recursion", left, right, premises=premises, squares=[square], ranges=ranges)
    at = {beta: 1, mu: 0, S: 100, e: longest.subs(beta, 1)}
    points = {
        "x=0, noise 1 and 1": {z: 0, G: 0, gap: 0, Vf: 1, Vc: 1},
        "x=1, no noise": {z: 1, G: 2, gap: 1, Vf: 0, Vc: 0},
    }
    return step, [
        Instance(
            f"K=1, S=100, f_f=f_c=x^2/2, {name}, step {at[e]}", *(number(side, {**at, **own}) for side in (left, right))
        )
        for name, own in points.items()
    ]


def at_one_step(convex: bool, top: str, noise: str) -> Evidence:
    """One step of SGD on f: convexity and smoothness with explicit multipliers."""
    step, instances = one_step(convex, top, noise)
    return settle(
        (step,),
        instances,
        method="At K = 1 1-way GT, and Parallel Training at matched rates, is SGD on f: convexity and smoothness of f with "
        "explicit multipliers (Gram reduction)",
        valid_for="every N, S >= 1, d, eta_s; independent batches, unbiased g_c",
    )


LONG = Control("steps up to 1/beta", dict(top="1/beta"))
convex_at_one = expectation_claim(
    "MX-A3-K2-S1",
    source="Appendix A.3; Appendix D.2.1 at K = 1",
    statement=r"E\|x^+-x^*\|^2\le(1-\tfrac{3\mu\tilde\eta}2)\|x-x^*\|^2-\tfrac{S-1}S\tilde\eta(f-f^*)+(\tfrac{5\sigma^2}S+3\sigma_c^2)"
    r"\tilde\eta^2,\ \tilde\eta\le\tfrac1{8\beta}",
    headline="The convex recursion of 1-way Gradient Transfer holds with one local step",
    summary="The convex recursion behind Theorem B.2 holds at K = 1, without the condition on eta_s.",
    printed=dict(convex=True, top="1/(8*beta)", noise="1"),
    controls=[LONG, Control("noise constants times 0.19", dict(noise="19/100"))],
)(at_one_step)
nonconvex_at_one = expectation_claim(
    "MX-A3-K2-S2",
    source="Appendix A.3; Appendix D.2.2 at K = 1",
    statement=r"Ef(x^+)\le f(x)-\tfrac13\tilde\eta\|\nabla f\|^2+(\tfrac{3\sigma^2}S+2\sigma_c^2)\beta\tilde\eta^2,\ "
    r"\tilde\eta\le\tfrac1{18\beta}",
    headline="The non-convex recursion of 1-way Gradient Transfer holds with one local step",
    summary="The non-convex recursion behind Theorem B.2 holds at K = 1, without the condition on eta_s.",
    printed=dict(convex=False, top="1/(18*beta)", noise="1"),
    controls=[LONG, Control("noise constants times 0.3", dict(noise="3/10"))],
)(at_one_step)


@algebra_claim(
    "MX-A3-K2",
    source="Appendix A.3, second paragraph; Table 1; Appendix D.2",
    statement=r"K\ge2:\quad K+1\le2K,\qquad\sum_{j<k}\big(\tfrac{K+1}K\big)^j\le\sum_{j<K}\big(1+\tfrac{163}{162K}\big)^j"
    r"\le2K\quad(k\le K)",
    summary="The bounds are stated for K >= 2. The steps of Appendix D.2 that compare K with constants (Lemmas D.11, D.13) hold "
    "for those K, and already for K = 1 (so do the recursions: MX-A3-K2-S1, -S2): for 1-way GT K >= 2 is harmless, not needed.",
    depends=("MX-A3-K2-S1", "MX-A3-K2-S2"),
    printed=dict(least=2, double="2", total="2"),
    controls=[Control("K + 1 <= 1.49 K", dict(double="149/100")), Control("sum <= 1.71 K", dict(total="171/100"))],
)
def stated_for_two(least: int, double: str, total: str) -> Evidence:
    """The sum is ((1 + q/K)^K - 1) K/q, q = 163/162; the binomial terms t_j have t_1 = q, t_2 <= q^2/2, t_(j+1) <= t_j q/3."""
    once, most, q = R(double), R(total), R(163, 162)
    j, ratio, power = sp.symbols("j r power", positive=True)
    geometric = (ratio**j - 1) / (ratio - 1)
    proof = [
        sign("K + 1 against 2 K", once * K - (K + 1), ((K, least, None),)),
        identity("growth factor of Lemma D.13 at the largest step", (K + 1) / K + R(2, 18**2) / K, 1 + q / K),
        identity("geometric sum, one more term", geometric + ratio**j, geometric.subs(ratio**j, ratio * ratio**j)),
        identity("its denominator", (power - 1) / ((1 + q / K) - 1), (power - 1) * K / q),
        identity("t_(j+1)/t_j", (K - j) / (j + 1) * q / K, q / (j + 1) - q * j / (K * (j + 1))),
        sign("which is at most q/(j+1)", q * j / (K * (j + 1)), ((j, 0, None), (K, 1, None))),
        sign("and q/3 from j = 2 on", q / 3 - q / (j + 1), ((j, 2, None),)),
        sign("(t_1 + t_2/(1 - q/3))/q against the bound", most - (1 + q / 2 / (1 - q / 3)), ()),
    ]
    instances = []
    for many in (least, 8 * least, 256 * least):
        instances.append(Instance(f"K={many}: K + 1", F(many + 1), F(str(once)) * many))
        total_sum = sum(((1 + F(163, 162 * many)) ** i for i in range(many)), F(0))
        instances.append(Instance(f"K={many}: sum over j < K", total_sum, F(str(most)) * many))
    return settle(
        proof,
        instances,
        method="Signs on K >= 2; the binomial series of (1 + q/K)^K term by term (every K >= 1); the sums grow with k and with q.",
        valid_for="every K >= 2 (and K = 1)",
    )


if __name__ == "__main__":
    run_script(__file__)
