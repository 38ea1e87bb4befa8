"""Lemma 6 of Li et al. (2020): the bias of the fixed point to first order in the step size, in closed form (mu = 0).

With ``h = 1/(Np+2)``: ``(V - A_1 A) w* = h sum_j (e_{a_j-1} - e_{a_j+1})`` over the shared coordinates ``a_j``, ``A_1
A_2 w* = h (e_{p+1} - e_p)``, and ``A^{-1}`` of the former is ``h`` times a sawtooth ``u``.  The ratio of the two sides
of (34), without the factor 1/16, tends to ``|u|/sqrt(8)``, at least ``sqrt(5)/6``; so (34) holds for small steps.
"""

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.ends import first_broken
from fltheory.evidence.kinds import (
    asymptotic_claim,
    identity_claim,
    lower_bound_claim,
    lower_bound_of_an_instance,
    run_script,
)
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.proofs import equal, nonnegative_on
from fltheory.theory.steps import identity
from verify.li2020 import elsewhere
from verify.li2020.appendix_c import closed_forms
from verify.li2020.appendix_c.closed_forms import N, p, profile_norm_squared, profile_steps, source_steps
from verify.li2020.appendix_c.example import SMALLEST, Example, instances, norm_squared
from verify.li2020.lemma_6.matrices_of_example import GENERAL, at_size, product_norm

_TWO = "T(A1*A2*w + h*(e - f))"
_THREE = Example(3, 2)
li_nonvac = statement_of_algebra(
    "LI-NONVAC",
    Matrices(
        "y - z = h; 2*x - v - y = 0; sq(A1*A2*w) = 2/(N*p + 2)**2 > 0 for A1 in S(n); A2 in S(n); A3 in S(n); w in R(n); "
        "e in R(n); f in R(n); s in R(n); N >= 2; p >= 2; i >= 2; h = 1/(N*p + 2); v = 1 - (i - 1)*h; x = 1 - i*h; "
        "y = 1 - (i + 1)*h; z = 1 - (i + 2)*h; A2*w = h*e + s; A1*s = 0*s; A1*e = e - f; T(e)*e = 1; T(f)*f = 1; T(e)*f = 0",
        uses={
            2: [("A2*w = h*e + s", f"{_TWO}*A1", "1"), ("A1*s = 0*s", _TWO, "1"), ("A1*e = e - f", f"h*{_TWO}", "1")]
            + [("T(e)*e = 1", "h**2", "1"), ("T(f)*f = 1", "h**2", "1"), ("T(e)*f = 0", "-2*h**2", "1")]
        },
        at=[
            {f"A{k}": str(matrix.tolist()) for k, matrix in enumerate(_THREE.clients, 1)}
            | {"w": str(list(_THREE.optimum)), "e": "[0, 0, 1, 0, 0, 0, 0]", "f": "[0, 1, 0, 0, 0, 0, 0]"}
            | {"s": "A2*w - 1/8*e", "N": "3", "p": "2", "i": "2"}
        ],
        names={"w": "w^*", "v": "w_{i-1}", "x": "w_i", "y": "w_{i+1}", "z": "w_{i+2}", "e": "e_{p+1}", "f": "e_p"},
    ),
    says=r"A_1A_2\ne0,\text{ as }A_2w^*\text{ is }h\text{ where block 2 begins, and }s\text{ at its end, outside block 1}:\quad ",
    false={"A_1 A_3 instead of A_1 A_2": ("sq(A1*A2*w)", "sq(A1*A3*w)")},
    group=identity_claim,
    source="Appendix C.4, after (34)",
    prose="w* falls by h per coordinate (LI-PR1-4.2), so that only the ends of block 2 see its slope",
    summary="The lower bound is not vacuous; its norm in closed form.",
)


def limit_ratio_check(constant: sp.Expr) -> Evidence:
    """Is ``lim |w~*-w*| / ((E-1) eta |A_1 A_2 w*|) = |u|/sqrt(8)`` above ``constant`` for all N, p >= 2?"""
    squared = closed_forms.leading_ratio_squared()
    slack = squared - sp.sympify(constant) ** 2
    steps = (
        source_steps()
        | profile_steps()
        | {
            "|u|^2/8 exceeds the squared constant for all N, p >= 2": lambda: (
                nonnegative_on(slack, [(N, 2, None), (p, 2, None)]) and bool(slack.subs({N: 2, p: 2}) > 0)
            ),
            "the least value over N, p >= 2 is 5/36, at N = p = 2": lambda: nonnegative_on(
                squared - sp.Rational(5, 36), [(N, 2, None), (p, 2, None)]
            ),
        }
    )
    cases, table = [], {}
    for example in instances(3, 3):
        ratio = norm_squared(example.leading_bias) / product_norm(example)
        table[example.name] = f"sqrt({ratio})"
        steps[f"closed form at {example.name}"] = identity(
            f"closed form at {example.name}", ratio, at_size(squared, example)
        )
        words = f"{example.name}: the limit of the ratio is sqrt({ratio}) < {constant}"
        cases.append((ratio >= sp.sympify(constant) ** 2, words))
    sharp = sp.sqrt(5) / 6
    return decide(
        steps,
        first_broken(cases, margin=float(sharp / constant - 1)),
        method="The leading coefficient is A^{-1}(V-A_1A)w*/2 = h u/2 with an explicit sawtooth u; |u|^2 is summed in "
        "closed form and bounded below for all N, p by a polynomial with nonnegative coefficients.",
        valid_for=GENERAL + ", E >= 2, eta below a threshold that depends on N, p, E",
        numbers={"limit of the ratio": table, "|u|^2": str(profile_norm_squared())},
        tightness=None if constant > sharp else Tightness(float(sharp / constant), Rung.PROOF, _SHARP),
    )


_SHARP = "sqrt(5)/6, the least limit ratio over N, p (at N = p = 2); |u|/sqrt(8) for given N, p"
_L6 = r"\|\tilde w^*-w^*\|\ge\frac{(E-1)\eta}{16}\|A_1A_2w^*\|"
_STEPS = ("LI-EQ35", "LI-L6-BR", "LI-L6-INV", "LI-L6-FIN.1", "LI-L6-FIN.2", "LI-L6-V.1", "LI-L6-V.2", "LI-L6-V.3")

li_lem6 = lower_bound_claim(
    "LI-LEM6",
    source="Lemma 6, eq. (34)",
    statement=_L6 + r"\quad\text{for } 0<\eta<\eta_0(N,p,E)",
    proof_steps=_STEPS,
    headline="For small steps the hard example's bias is at least proportional to step times E - 1",
    summary="The bias is at least (E-1) eta/16 |A_1A_2w*| for steps that are small for the given N, p and E.",
    printed=dict(constant=sp.Rational(1, 16)),
    controls=[Control("1/16 -> 1.01 sqrt(5)/6", dict(constant=sp.Rational(101, 100) * sp.sqrt(5) / 6))],
)(limit_ratio_check)


@asymptotic_claim(
    "LI-LEM6-S1",
    source="Lemma 6",
    statement=r"\lim_{\eta\to0}\frac{\|\tilde "
    r"w^*-w^*\|^2}{(E-1)^2\eta^2}=" + sp.latex(sp.factor(profile_norm_squared() / 4 / (N * p + 2) ** 2)),
    headline="The bias of FedAvg on the hard example to leading order, with its exact coefficient",
    summary="The leading coefficient of the bias is known exactly for all N and p.",
    elsewhere=elsewhere.BIAS,
    printed=dict(scale=sp.Integer(1)),
    controls=[Control("times 1.01", dict(scale=sp.Rational(101, 100)))],
)
def li_lem6_sharp(scale: sp.Rational) -> Evidence:
    formula = scale * profile_norm_squared() / 4 / (N * p + 2) ** 2
    steps = (
        source_steps()
        | profile_steps()
        | {
            "h u/2 has the squared norm h^2 |u|^2/4": lambda: equal(
                formula, profile_norm_squared() / (2 * (N * p + 2)) ** 2
            )
        }
    )
    cases = []
    for example in instances(4, 4):
        truth, closed = norm_squared(example.leading_bias), at_size(formula, example)
        steps[f"summation of |u|^2 at {example.name}"] = identity(
            f"summation of |u|^2 at {example.name}", truth, closed
        )
        cases.append((truth == closed, f"{example.name}: the limit is {truth}, the formula gives {closed}"))
    return decide(
        steps,
        first_broken(cases),
        method="A^{-1} of the source is h times the sawtooth u (second differences of "
        "unit jumps); |u|^2 by exact summation.",
        valid_for=GENERAL + ", E >= 2",
    )


li_lem6_threshold = statement_of_algebra(
    "LI-LEM6-S2",
    Matrices(
        "; ".join(f"sq(w{local} - w) >= (c*{local - 1}*eta)**2*sq(A1*A2*w)" for local in range(2, 7))
        + f" for 0 < eta <= 1/2; c = 1/16; {SMALLEST.written}; B1 = I - eta*A1; B2 = I - eta*A2; S1 = I; "
        + "; ".join(
            f"S{local} = I + B1*S{local - 1}; w{local} = (I - (B1**{local} + B2**{local})/2)**-1*(eta/2*S{local}*b)"
            for local in range(2, 7)
        ),
        at=[{"eta": "1/1000"}],
        names={"w": "w^*"} | {f"w{local}": rf"\tilde w^*_{{E={local}}}" for local in range(2, 7)},
    ),
    says=r"N=p=2,\ \tilde w^*_E\text{ the fixed point of a round of }E\text{ local steps},\text{ squared}:\quad ",
    false={"1/16 -> 2/5": ("c = 1/16", "c = 2/5")},
    group=lower_bound_of_an_instance,
    source="Lemma 6",
    headline="On the smallest hard example the bias bound holds for all steps up to one half",
    summary="How small is small: on the smallest example the bound holds for 0 < eta <= 1/2, the range of LI-RHO-S1, for E = "
    "2..6.",
    depends=("LI-RHO-S1",),
    quick=False,
)


if __name__ == "__main__":
    run_script(__file__)
