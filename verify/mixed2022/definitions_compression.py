"""Appendix A.1 of Augenstein et al. (2022): compressing the central gradient of 1-way GT.

Random rounding is unbiased: the error it leaves vanishes with the step size, as that of noise.  A biased error e does not: the end
moves by e/(lambda_f + lambda_c) for all eta, eta_s and K at which the iterates converge.
"""

from fractions import Fraction

import sympy as sp

import fltheory as fl
from fltheory.derivation.script import Derivation
from fltheory.derivation.witness import FiniteInstance
from fltheory.evidence.kinds import identity_claim, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.things import declare, granted
from fltheory.theory.mixed2022.scalars import number
from fltheory.theory.steps import Instance, equality, identity
from verify.mixed2022.closed_forms import K, change_is_linear, lc, lf, move_is_positive, moved, one_way_factor, qf
from verify.mixed2022.displays import constants, displayed
from verify.mixed2022.parabolas import end_of, mixed
from verify.mixed2022.settled import settle
from verify.mixed2022.updates import eta, eta_s

F, HALF = Fraction, Fraction(1, 2)
of_appendix_a1 = qualitative_claim.sharing(source="Appendix A.1")


def rounded(rounding: str) -> Derivation:
    """Coordinates v between grid points low and low + g, each rounded to one of them, at random so that the mean is v."""
    d = Derivation("Mixed FL, Appendix A.1, rounding")
    declare(d, "axes i:clients xi; g, d >= 0; z, e; v, low over i")
    d.vector("Q", "i xi", mean=[["xi", "v", "random rounding"]] if rounding == "random" else [])
    declare(d, "above over i xi = Q - low; below over i xi = Q - low - g*e")
    granted(d, "one of two points", to_one="above", to_other="below")
    granted(d, "unit vector", e="e")
    return d


def rounded_instance(rounding: str) -> FiniteInstance:
    """The middle between 0 and 2/5."""
    drawn = {"Q": lambda p: (F(2, 5) * (p["xi"] if rounding == "random" else 1),)}
    axes = {"i": {0: F(1)}, "xi": {0: HALF, 1: HALF}}
    return constants({"v": F(1, 5), "low": 0, "e": 1, "z": 1}, {"g": F(2, 5), "d": 1}, axes=axes, given=drawn)


random_rounding = displayed(
    "MX-A1-COMPR",
    rounded,
    "mean(Q, xi) = v; d*sq(Q - v) <= d*g**2/4",
    headline="Rounding the central gradient at random only adds noise; to the nearest it can bias",
    over="i xi",
    given=[
        {},
        {"facts": {"one of two points": "-d", "unit vector": "-(d*g**2/4)"}, "squares": [["d", "g/2*e - v + low"]]},
    ],
    names={"mean(Q, xi)": r"\mathbb{E}Q(v)", "d*sq(Q - v)": r"\mathbb{E}\|Q(v)-v\|^2"},
    instance=rounded_instance,
    at="v = 1/5 between the grid points 0 and 2/5",
    group=qualitative_claim,
    method="Random rounding is unbiased with squared error g^2 p(1-p) per coordinate, so that equation (6) holds "
    "with sigma_c^2 + d g^2/4 and every result for such noise applies.",
    valid_for="every value, grid width and dimension",
    source="Appendix A.1",
    printed=dict(rounding="random"),
    summary="The central gradient is amenable to unbiased compression: random rounding to a grid adds at most d g^2/4 to "
    "sigma_c^2 and nothing else. Nearest rounding is biased wherever the gradient is off the grid; if g_c(x*) is, it can leave "
    "an error that no smaller step removes.",
    false={"d g^2/4 times 0.99": ("d*g**2/4", "99/100*d*g**2/4"), "nearest grid point": dict(rounding="nearest")},
)

omega, shift, err = sp.symbols("omega g e")


@of_appendix_a1(
    "MX-A1-COMPR-S1",
    printed=dict(share="1/2", mean="0"),
    statement=r"\text{1-w GT, exact gradients, one draw of }C\text{ a round},\ EC(g)=g,\ E|C(g)-g|^2=\omega|g|^2:"
    r"\quad\lim_tE(x^{(t)}-x^*)^2=\frac{K\eta\eta_s\omega|g_c(x^*)|^2}{2("
    r"\lambda_f+\lambda_c)}+O(\eta^2)",
    headline="An unbiased compressor of the central gradient acts like central noise",
    summary="1-way GT with an unbiased compressor of gt_c: the error left is of first order in the step size, as from "
    "central noise of variance omega |g_c(x*)|^2, and vanishes with it.",
    controls=[Control("half of it", dict(share="1/4")), Control("a compressor with bias g/100", dict(mean="1/100"))],
)
def unbiased(share: str, mean: str) -> Evidence:
    """d = rho d - eta_s q e with E e = mean g_c, E e^2 = omega g_c^2, g_c = lambda_c d + g: the two moments' fixed point."""
    m1, m2 = sp.symbols("m_1 m_2")
    bias = sp.Rational(mean)
    q = moved(lf, eta, K)

    push, rho = eta_s * qf, one_way_factor()
    first = sp.Eq(m1, (rho - push * bias * lc) * m1 - push * bias * shift)
    second = sp.Eq(
        m2,
        rho**2 * m2
        - 2 * rho * push * bias * (lc * m2 + shift * m1)
        + push**2 * omega * (lc**2 * m2 + 2 * lc * shift * m1 + shift**2),
    )
    general = sp.solve([first, second], [m1, m2], dict=True)[0][m2]
    over = sp.Symbol("kappa", positive=True)  # q = eta kappa with kappa -> K
    small = sp.limit(sp.together(general.subs(qf, eta * over)) / eta, eta, 0) if not bias else sp.oo
    wanted = sp.sympify(share) * eta_s * over * omega * shift**2 / (lf + lc)
    proof = [
        *change_is_linear(),
        identity("q/eta at eta = 0", sp.limit(q / eta, eta, 0), K),
        identity("no bias", bias, 0),
        *([] if bias else [identity("first order", small, wanted)]),
    ]
    instances, target = [], F(share)
    for rate in (F(1, 1000), F(1, 10000)):
        at = {lf: 1, lc: 1, eta_s: 1, shift: 1, omega: 1, qf: moved(1, rate, 2)}
        quotient = number(general, at) / rate
        text = f"lambda_f=lambda_c=1, g_c(x*)=1, omega=1, K=2, eta={rate}: error/eta = {float(quotient):.6g}"
        words = f"{text} against {target}, difference against 4 eta"
        instances.append(Instance(words, abs(quotient - target), 4 * rate))
    return settle(
        proof,
        instances,
        method="the two moments' recursion, solved and expanded; q = eta K + O(eta^2)",
        valid_for="scalar quadratics, clients alike, exact gradients, one draw a round, compressors with relative variance omega",
    )


@identity_claim(
    "MX-A1-COMPR-U1",
    source="Appendix A.1",
    printed=dict(factor="1"),
    statement=r"\tilde g_c=g_c(x)+e\ \Rightarrow\ \lim_tx^{(t)}-x^*=-\frac{e}{\lambda_f+\lambda_c}\text{ for every }\eta,\eta_s,K"
    r"\text{ at which the iterates converge}",
    headline="A constant error of the central gradient moves the end; smaller steps do not help",
    summary="A deterministic error of the compressor (rounding, say) moves the end by e over the curvature of f, at every step "
    "size at which the method converges; no smaller step reduces it.",
    controls=[Control("1.01 of it", dict(factor="101/100"))],
)
def biased(factor: str) -> Evidence:
    at = sp.Symbol("d")
    end = sp.solve(qf * eta_s * ((lf + lc) * at + err), at)[0]
    wanted = -sp.Rational(factor) * err / (lf + lc)
    shifted = mixed([(1, 0)], (3, "-1/30"))
    target = F(str(wanted.subs({err: sp.Rational(1, 10), lf: 1, lc: 3})))
    return settle(
        (*change_is_linear(), *move_is_positive(), identity("end", end, wanted)),
        [
            equality(
                f"f_f=x^2/2, f_c=3x^2/2, e=1/10, K={steps}, eta={rate}",
                end_of(shifted, fl.OneWayGradientTransfer(steps, rate)),
                target,
            )
            for steps, rate in ((1, F(1, 4)), (3, F(1, 8)))
        ],
        method="fixed point of x - eta_s q (grad f(x) + e)",
        valid_for="scalar quadratics (any d: (H_f + H_c)^{-1} e), clients alike, every K",
    )


if __name__ == "__main__":
    run_script(__file__)
