"""Extensions that Augenstein et al. (2022) mention: several populations (Section 6), a compressed gradient (Appendix A.1).

Mixtures of populations run by the same rules, with or without a centre; the inequality behind B >= 1 holds for any number.
Unbiased compression of gt_c leaves an error that vanishes with the step size; a biased error e does not: the end moves by
e/(lambda_f + lambda_c), whatever eta, eta_s and K.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

import fltheory as fl
from fltheory.algorithms.populations import Populations
from fltheory.evidence.decide import read
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.theory.steps import Instance, equality, identity, inequality
from verify.mixed2022.closed_forms import K, change_is_linear, lc, lf, move_is_positive, moved, one_way_factor, qf
from verify.mixed2022.declared import identity_claim, inequality_claim, qualitative_claim, qualitative_of_an_instance
from verify.mixed2022.settled import settle
from verify.mixed2022.updates import eta, eta_s

F = Fraction
RATE = F(1, 8)


def exact(values: Any) -> Any:
    source = np.array(values, dtype=object)
    return np.array([F(str(entry)) for entry in source.ravel()], dtype=object).reshape(source.shape)


def quadratics(matrices: Any, minimisers: Any) -> QuadraticProblem:
    made, at = exact(matrices), exact(minimisers)
    return QuadraticProblem(made, (made @ at[..., None])[..., 0])


#: (clients' Hessians and minimisers, centre's): I1, I2 and a pair of I3.
NAMED = {
    "I1": (([[[1]]], [[1]]), ([[[3]]], [[-1]])),
    "I2": (([[[1, 0], [0, 4]], [[3, 0], [0, "1/2"]]], [[1, -1], [-2, 2]]), ([[[2, "1/2"], ["1/2", 1]]], [["1/2", 1]])),
    "I3": (([[[1]]], [[1]]), ([[["1/5"]]], [[-1]])),
}


def together(name: str) -> tuple[MixedProblem, QuadraticProblem, tuple[int, ...]]:
    """The mixed problem, the same losses with the centre as a population of one client, and the populations."""
    (hessians, at), (central, centre_at) = NAMED[name]
    return (
        MixedProblem(quadratics(hessians, at), quadratics(central, centre_at)),
        quadratics([*hessians, *central], [*at, *centre_at]),
        (*[0] * len(hessians), 1),
    )


@qualitative_of_an_instance(
    "MX-CONC-MULTI.1",
    source="Section 6",
    printed=dict(factor="1"),
    statement=r"\text{two federated populations, no centre: PT, 2-w GT}=\text{the mixed rounds with }f_c\text{ as a population}",
    summary="A centre can be replaced by a second population: on I1, I2 and I3 the rounds are the same, exactly, for "
    "Parallel Training and 2-way GT.",
    controls=[Control("merging rate 1.01", dict(factor="101/100"))],
)
def no_centre(factor: str) -> Evidence:
    wrong, examined = [], 0
    for name in NAMED:
        mixed, flat, groups = together(name)
        for transfer, made in (
            (False, fl.ParallelTraining(3, RATE, RATE)),
            (True, fl.TwoWayGradientTransfer(3, RATE, RATE)),
        ):
            left = fl.trajectory(flat, Populations(groups, 3, RATE, F(factor), transfer), rounds=4, exact=True).models
            right = fl.trajectory(mixed, made, rounds=4, exact=True).models
            examined += 1
            if not (left == right).all():
                t = int(np.argmax((left != right).any(axis=1)))
                wrong.append(
                    f"{name}, {type(made).__name__}, K=3, eta=1/8, round {t}: {left[t].tolist()} against {right[t].tolist()}"
                )
    return read(
        not wrong,
        method="exact trajectories of four rounds of the package's algorithms",
        examined=examined,
        rung=Rung.EXACT,
        counterexample=next(iter(wrong), ""),
        valid_for="I1, I2, I3; K = 3, eta = 1/8",
    )


@qualitative_of_an_instance(
    "MX-CONC-MULTI.2",
    source="Section 6",
    printed=dict(transfer=True),
    statement=r"f=f_1+f_2+f_c:\ \text{2-w GT among two populations and a centre ends at }\arg\min f",
    summary="Two populations of clients that are alike, and a centre (the losses of I1 and I3 with a third): gradient "
    "sharing among three sides ends at the minimiser of f; without it the end is biased.",
    controls=[Control("no gradient sharing", dict(transfer=False))],
)
def three_sides(transfer: bool) -> Evidence:
    wrong = []
    cases = {
        "I1 and (x-3)^2/4": ([1, 1, "1/2"], [1, 1, 3], 3, -1),
        "I3 and 2(x+2)^2": ([1, 4, 4], [1, -2, -2], "1/5", -1),
    }
    for name, (curvatures, at, central, centre_at) in cases.items():
        groups = (0, 0, 1) if curvatures[0] == curvatures[1] else (0, 1, 1)
        clients = quadratics([[[lam]] for lam in curvatures], [[value] for value in at])
        problem = MixedProblem(clients, quadratics([[[central]]], [[centre_at]]))
        end = fl.fixed_point(problem, Populations(groups, 2, RATE, F(1, 2), transfer, centre=True), exact=True)[0]
        sides = [(F(str(curvatures[i])), F(at[i])) for i in (0, 2)] + [(F(str(central)), F(centre_at))]
        minimiser = sum(lam * where for lam, where in sides) / sum(lam for lam, _ in sides)
        if end != minimiser:
            wrong.append(f"{name}, K=2, eta=1/8, eta_m=1/2: end {end}, minimiser {minimiser}")
    return read(
        not wrong,
        method="exact fixed points of the package's rounds",
        examined=len(cases),
        rung=Rung.EXACT,
        counterexample=next(iter(wrong), ""),
        valid_for="the two instances",
    )


@inequality_claim(
    "MX-CONC-MULTI.3",
    source="Section 6; Definition 4.2",
    printed=dict(constant="1"),
    statement=r"\sum_{j\le m}w_j\|\nabla f_j/w_j\|^2\ge\|\textstyle\sum_j\nabla f_j\|^2,\quad\sum_jw_j=1,\ w_j>0",
    summary="The dissimilarity of Definition 4.2 for m populations: its left side is at least |grad f|^2, as for two, so "
    "that B >= 1 is the natural range for every m.",
    controls=[Control("1.01 |grad f|^2", dict(constant="101/100"))],
)
def dissimilarity(constant: str) -> Evidence:
    """One more population: |A|^2/W + |b|^2/w - |A + b|^2/(W + w) is a square."""
    a_, b_, whole, w = sp.symbols("A b W w", positive=True)
    k = sp.Rational(constant)
    joined = a_**2 / whole + b_**2 / w
    ranges = ((whole, 0, None), (w, 0, None))
    proof = [
        inequality(
            "one population",
            k * a_**2 / whole,
            a_**2 / whole,
            premises={},
            squares=[((1 - k) / whole, a_)],
            ranges=ranges,
        ),
        inequality(
            "one more",
            k * (a_ + b_) ** 2 / (whole + w),
            joined,
            premises={},
            squares=[(whole * w / (whole + w), a_ / whole - b_ / w)],
            ranges=ranges,
        ),
    ]
    instances = [
        Instance(
            f"m={len(parts)}, gradients {parts}, weights 1/m",
            F(constant) * sum(parts) ** 2,
            F(len(parts)) * sum(p * p for p in parts),
        )
        for parts in ((F(1), F(1)), (F(1), F(1), F(1)), (F(1), F(2), F(-1)))
    ]
    return settle(
        proof,
        instances,
        method="induction over the populations; Gram identity removes d",
        valid_for="every m, d, positive weights",
    )


omega, z, shift, err = sp.symbols("omega z g e")


@qualitative_claim(
    "MX-A1-COMPR-S1",
    source="Appendix A.1",
    printed=dict(share="1/2", mean="0"),
    statement=r"EC(g)=g,\ E|C(g)-g|^2=\omega|g|^2:\quad\lim_tE(x^{(t)}-x^*)^2=\frac{K\eta\eta_s\omega|g_c(x^*)|^2}{2("
    r"\lambda_f+\lambda_c)}+O(\eta^2)",
    summary="1-way GT with an unbiased compressor of gt_c: the error left is of first order in the step size, as from "
    "central noise of variance omega |g_c(x*)|^2, and vanishes with it.",
    controls=[Control("half of it", dict(share="1/4")), Control("a compressor with bias g/100", dict(mean="1/100"))],
)
def unbiased(share: str, mean: str) -> Evidence:
    """d = rho d - eta_s q e with E e = mean g_c, E e^2 = omega g_c^2, g_c = lambda_c d + g: the two moments' fixed point."""
    m1, m2 = sp.symbols("m_1 m_2")
    bias = sp.Rational(mean)
    q = moved(lf, eta, K)
    rho = one_way_factor(q)

    def stationary(q_: Any, rho_: Any, ratio: Any) -> Any:
        push = eta_s * q_
        first = sp.Eq(m1, (rho_ - push * bias * lc) * m1 - push * bias * shift)
        second = sp.Eq(
            m2,
            rho_**2 * m2
            - 2 * rho_ * push * bias * (lc * m2 + shift * m1)
            + push**2 * ratio * (lc**2 * m2 + 2 * lc * shift * m1 + shift**2),
        )
        return sp.solve([first, second], [m1, m2], dict=True)[0][m2]

    general = stationary(qf, one_way_factor(), omega)
    over = sp.Symbol("kappa", positive=True)  # q = eta kappa with kappa -> K
    small = sp.limit(sp.together(general.subs(qf, eta * over)) / eta, eta, 0) if not bias else sp.oo
    wanted = sp.sympify(share) * eta_s * over * omega * shift**2 / (lf + lc)
    proof = [
        *change_is_linear(),
        identity("q/eta at eta = 0", sp.limit(q / eta, eta, 0), K),
        identity("no bias", bias, 0),
    ] + ([identity("first order", small, wanted)] if not bias else [])
    del rho
    instances = []
    for rate in (sp.Rational(1, 1000), sp.Rational(1, 10000)):
        at = {lf: 1, lc: 1, eta_s: 1, shift: 1, omega: 1, eta: rate}
        level = general.subs({**at, qf: moved(sp.Integer(1), rate, 2)})
        target = sp.Rational(share) * 2 / 2
        quotient = F(str(sp.Rational(level / rate)))
        instances.append(
            Instance(
                f"lambda_f=lambda_c=1, g_c(x*)=1, omega=1, K=2, eta={rate}: error/eta = {float(quotient):.6g} "
                f"against "
                f"{target}, difference against 4 eta",
                abs(quotient - F(str(target))),
                4 * F(str(rate)),
            )
        )
    return settle(
        proof,
        instances,
        method="the two moments' recursion, solved and expanded; q = eta K + O(eta^2)",
        valid_for="scalar quadratics, clients alike, compressors with relative variance omega",
    )


@identity_claim(
    "MX-A1-COMPR-S2",
    source="Appendix A.1",
    printed=dict(factor="1"),
    statement=r"\tilde g_c=g_c(x)+e\ \Rightarrow\ \lim_tx^{(t)}-x^*=-\frac{e}{\lambda_f+\lambda_c}\text{ for every }\eta,\eta_s,K",
    summary="A deterministic error of the compressor (rounding, say) moves the end by e over the curvature of f; no step "
    "size reduces it.",
    controls=[Control("1.01 of it", dict(factor="101/100"))],
)
def biased(factor: str) -> Evidence:
    at = sp.symbols("d")
    move = qf * eta_s * ((lf + lc) * at + err)
    end = sp.solve(move, at)[0]
    wanted = -sp.Rational(factor) * err / (lf + lc)
    instances = []
    for steps, rate in ((1, F(1, 4)), (3, F(1, 8))):
        shifted = MixedProblem(quadratics([[[1]]], [[0]]), quadratics([[[3]]], [["-1/30"]]))
        found = fl.fixed_point(shifted, fl.OneWayGradientTransfer(steps, rate), exact=True)[0]
        instances.append(
            equality(
                f"f_f=x^2/2, f_c=3x^2/2, e=1/10, K={steps}, eta={rate}",
                F(found),
                F(str(wanted.subs({err: sp.Rational(1, 10), lf: 1, lc: 3}))),
            )
        )
    return settle(
        (*change_is_linear(), *move_is_positive(), identity("end", end, wanted)),
        instances,
        method="fixed point of x - eta_s q (grad f(x) + e)",
        valid_for="scalar quadratics (any d: (H_f + H_c)^{-1} e), clients alike, every K",
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
