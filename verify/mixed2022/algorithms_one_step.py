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

from contextlib import suppress
from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.derivation.replay import Underivable
from fltheory.derivation.script import Derivation
from fltheory.derivation.witness import FiniteInstance
from fltheory.evidence.decide import decide
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import algebra_claim, asymptotic_claim, expectation_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.witness import Witness
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.steps import Instance, Proof, identity, sign
from verify.mixed2022.closed_forms import characteristic, j, k, lc, lf, qc, qf, two_way_matrix
from verify.mixed2022.derivations.one_round import ALL, GAP, lemma_d10, lemma_d12, one_way_round
from verify.mixed2022.displays import constants, displayed
from verify.mixed2022.settled import settle
from verify.mixed2022.updates import eta, eta_m, eta_s

F = Fraction


def one_step(algorithm: str, central_rate: str, merge: str) -> Derivation:
    """A round with K = 1 after another one, whose gradients g0, h0 have renewed the augmenting ones; and 1-way GT from there."""
    d = Derivation(f"Mixed FL, one local step, {algorithm}")
    for name in ("eta", "eta_s", "eta_m"):
        d.parameter(name, 0, low_open=True)
    for name in ("z", "x", "g", "h", "g0", "h0", "u0", "v0"):
        d.vector(name)
    d.vector("D0", equals="-eta*(g0 + u0)")
    d.vector("C0", equals=f"-({central_rate})*(h0 + v0)")
    d.vector("u", equals=f"-C0/({central_rate}) - v0")
    d.vector("v", equals="-D0/eta - u0")
    added = ("+ v", "+ u") if algorithm == "2-way" else ("", "")
    d.vector("x1", equals=f"x - {merge}*(({central_rate})*(h {added[0]}) + eta_s*eta*(g {added[1]}))")
    d.vector("x_one", equals="x - eta_s*eta*(g + h)")
    return d


of_one_step = partial(
    displayed,
    begun=one_step,
    names={
        "x": "x^{(t)}",
        "x1": "x^{(t+1)}",
        "x_one": "x_{1w}^{(t+1)}",
        "eta_s": r"\eta_s",
        "eta_m": r"\eta_m",
        "g": "g_f(x^{(t)})",
        "h": "g_c(x^{(t)})",
        "g0": "g_f(x^{(t-1)})",
        "h0": "g_c(x^{(t-1)})",
    },
    group=identity_claim,
    method="The rounds' lines at K = 1 inserted, for any gradients.",
    valid_for="all losses (and, batch by batch, all oracles), N, S, d",
    source="Appendix A.3",
)
PRINTED = dict(central_rate="eta*eta_s", merge="1")
OTHER_RATE = {"eta_c = 1.01 eta eta_s": dict(central_rate="101/100*eta*eta_s")}
SAME = "x1 = x - eta*eta_s*(g + h)"

same_iterates = of_one_step(
    "MX-A3-K1.1",
    headline="At the printed rates Parallel Training and 1-way transfer agree for one local step",
    text=f"{SAME}; x1 = x_one",
    says=r"K=1,\ \eta_m=1,\ \eta_c=\eta\eta_s:\quad\text{PT: }",
    summary="Parallel Training and 1-way GT: identical iterates, batch by batch, at the rates of the printed experiments (1-way "
    "GT has no eta_m); at any other eta_c or eta_m they differ.",
    printed=dict(algorithm="parallel", **PRINTED),
    false={**OTHER_RATE, "eta_m = 1.01": dict(merge="101/100")},
)
two_way_iterates = of_one_step(
    "MX-A3-K1.2[same iterates]",
    text=SAME,
    fault="reading",
    repair="MX-A3-K1.2-R1",
    says=r"K=1,\ \eta_m=1,\ \eta_c=\eta\eta_s:\quad\text{2-w GT: }",
    headline="With one local step 2-way Gradient Transfer is not the same iteration",
    summary="At the rates of the printed experiments 2-way GT is not the same iteration: it adds the gradients of the round "
    "before to those of this round.",
    printed=dict(algorithm="2-way", **PRINTED),
    false={},
    controls=[Control("Parallel Training", dict(algorithm="parallel"), must="pass")],
)
two_gradients = of_one_step(
    "MX-A3-K1.2-R1",
    headline="With one local step 2-way transfer steps along the sum of the last two gradients",
    text="x1 = x - eta_m*eta*eta_s*(g + h + g0 + h0)",
    source="Appendix A.3, corrected",
    says=r"K=1,\ \eta_c=\eta\eta_s:\quad\text{2-w GT: }",
    summary="2-way GT at K = 1 (divisor eta_c, which is eta for eta_s = 1): steps along the sum of the last two sampled gradients; "
    "with eta_m = 1/2 along their mean.",
    printed=dict(algorithm="2-way", central_rate="eta*eta_s", merge="eta_m"),
    false={"this gradient only": (" + g0 + h0", ""), **OTHER_RATE},
)


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
    return decide(
        Proof(tuple(proof)),
        tried(slope(sp.Rational(merge))),
        method="The root near 1 of the characteristic polynomial is 1 - a s to first order (simple at s = 0, so that the implicit "
        "function theorem applies); the other two are near 0.",
        valid_for="scalar quadratics, clients alike, small steps, divisor eta_c",
        prose="the progress is a root of the characteristic polynomial; its slope is that of the implicit function",
    )


def slope(merge: sp.Expr) -> Witness:
    """The derivative of the root r = 1 of p(r, s) = r^2 - (1 - eta_m s) r + eta_m s at s = 0; that of 1-way GT is -1."""
    r, s, m, dr = sp.symbols("r s eta_m dr")
    p = r**2 - (1 - m * s) * r + m * s
    at = {"r": 1, "s": 0, "eta_m": merge, "dr": -2 * merge}
    given = [(p, "=", 0), (sp.diff(p, r), "!=", 0), (sp.diff(p, r) * dr + sp.diff(p, s), "=", 0)]
    setting = "s = eta eta_s (lambda_f + lambda_c); p(r, s) = 0 and its derivative along s, so that the progress has the ratio -dr"
    return Witness(at, -dr, "=", sp.Integer(1), given, setting)


of_progress = asymptotic_claim.sharing(source="Appendix A.3")
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


def recursion(kind: str, top: str) -> Derivation:
    """Lemma D.10 or D.12 with the local points at the model, where the gradient of the one step is taken."""
    d = one_way_round(f"Mixed FL, {kind} recursion at K = 1", top=f"1/({top}*beta)", points="x")
    d.choose("K", "1")
    with suppress(Underivable):  # for longer steps the lemma is missing in the last line
        if kind == "convex":
            lemma_d10(d)
        else:
            lemma_d12(d, one_round.LEMMA_D12_REPAIRED, "2", "1", "1", "1/2")
    return d


def recursion_instance(kind: str, top: str) -> FiniteInstance:
    """Noise +-1 of the centre and +-1/10 of the cohort of 100 at the minimiser; none at x = 1 for steps that are too long."""
    long = top == "1"
    noise, one, fair = F(not long), {0: F(1)}, {-1: F(1, 2), 1: F(1, 2)}
    drawn = {"n": lambda p: (noise * p["xi"] / 10,), "c": lambda p: (noise * p["xc"],)}
    parabola = (lambda w, p: w[0] ** 2 / 2), (lambda w, p: w)
    both = (lambda w, p: w[0] ** 2), (lambda w, p: (2 * w[0],))
    return constants(
        {"x": long, "xs": 0, "M": 0},
        {"beta": 1, "mu": 0, "K": 1, "size": 100, "V": noise, "C": noise, "e": 1 / F(top)},
        axes={"k": one, "S": {(0,) * 100: F(1)}, "j": one, "xi": fair, "xc": fair},
        given=drawn,
        functions={"ff": parabola, "fc": parabola, "f": both},
    )


of_recursion = partial(
    displayed,
    begun=recursion,
    names={
        "sq(x1 - xs)": r"\mathbb{E}\|x^+-x^*\|^2",
        GAP[1:-1]: "(f(x)-f^*)",
        "x": "x",
        "xs": "x^*",
        "e": r"\tilde\eta",
        "f_after - f_all": r"\mathbb{E}f(x^+)-f(x)",
        "g_all": r"\nabla f(x)",
        "V": r"\sigma^2",
        "C": r"\sigma_c^2",
        "size": "S",
    },
    instance=recursion_instance,
    at="K=1, S=100, f_f=f_c=x^2/2, at x = 0 with noise 1 and 1, or for longer steps at x = 1 without noise",
    over=ALL,
    group=expectation_claim,
    method="At K = 1 the only local point is the model, so that Lemma D.10 (D.12) has no drift; its constants leave room.",
    valid_for="every N, S >= 1, d, eta_s; independent batches, unbiased g_c",
)
LONG = {"steps up to 1/beta": dict(top="1")}
convex_at_one = of_recursion(
    "MX-A3-K2-S1",
    text=f"sq(x1 - xs) <= (1 - 3*mu*e/2)*sq(x - xs) - (size - 1)/size*e*{GAP} + (5*V/size + 3*C)*e**2",
    given={"facts": {"Lemma D.10": "1", "D.6": "e/(4*beta*size)"}, "squares": [["e/(4*beta*size)", "g_x + gc_x"]]},
    source="Appendix A.3; Appendix D.2.1 at K = 1",
    headline="The convex recursion of 1-way Gradient Transfer holds with one local step",
    summary="The recursion behind Theorem B.2 holds at K = 1, without the condition on eta_s.",
    printed=dict(kind="convex", top="8"),
    false={**LONG, "noise constants times 0.19": ("(5*V/size + 3*C)", "19/100*(5*V/size + 3*C)")},
)
nonconvex_at_one = of_recursion(
    "MX-A3-K2-S2",
    text="f_after - f_all <= -(e*sq(g_all)/3) + (3*V/size + 2*C)*beta*e**2",
    given={"facts": {"Lemma D.12": "1"}, "squares": [["e/9", "g_all"]]},
    source="Appendix A.3; Appendix D.2.2 at K = 1",
    headline="The non-convex recursion of 1-way Gradient Transfer holds with one local step",
    summary="The non-convex recursion behind Theorem B.2 holds at K = 1, without the condition on eta_s.",
    printed=dict(kind="non-convex", top="18"),
    false={**LONG, "noise constants times 0.3": ("(3*V/size + 2*C)", "3/10*(3*V/size + 2*C)")},
)
R, K = sp.Rational, sp.Symbol("K")


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
