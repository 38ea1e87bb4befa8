"""Appendix C.4 of Li et al. (2020): the round map contracts, for all N, p, E (mu = 0), and what follows.

``(I - eta A_k)^E`` is a polynomial in one symmetric matrix, so statements about it are statements about numbers
``x = 1 - eta lambda`` with ``lambda`` in the spectrum, which lies in ``[0, 4)``.
"""

from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.relations import Relations
from fltheory.theory.proofs import nonnegative_on
from verify.li2020.appendix_c.ridge_identities import divergent_instance

of_the_contraction = inequality_claim.sharing(source="Appendix C.4")

GENERAL = "all N >= 2, p >= 2, E >= 1"
X, POWER = sp.symbols("x X_E")


def contraction_check(limit: Fraction, sharp: bool = False) -> Evidence:
    """``rho = |M| < 1`` for every ``0 < eta <= limit``; ``sharp``: and for no step beyond it, whatever p and E."""
    top, lam, eta = sp.Rational(limit), sp.Symbol("lambda"), sp.Symbol("eta")
    ranges = [(eta, 0, top), (lam, 0, 4)]
    steps = {
        "1 - eta lambda <= 1": lambda: nonnegative_on(eta * lam, ranges),
        "1 - eta lambda >= -1, with equality at most at lambda = 4, which is no eigenvalue": lambda: nonnegative_on(
            2 - eta * lam, ranges
        ),
        "|x|^{E+1} <= |x|^E for |x| <= 1": lambda: nonnegative_on(POWER - POWER * X, [(POWER, 0, None), (X, 0, 1)]),
    }
    found = ""
    if sharp:
        size = sp.Symbol("p", positive=True)
        quotients = sp.limit((4 * size + 1) / (size + 1), size, sp.oo)
        steps |= {
            "eta > limit: the quotients (4p+1)/(p+1) of A_1 at (1,-1,1,...) exceed 2/eta for large p": lambda: (
                nonnegative_on(quotients * top - 2, ())
            ),
            "then |1 - eta q| > 1, and w'Mw/|w|^2 >= (1 - eta q)^E/N > 1 for large even E, by Jensen": lambda: (
                nonnegative_on(eta * lam - 2, [(eta, top, None), (lam, 2 / eta, None)])
            ),
        }
        beyond = (top + sp.Rational(1, 2)) / 2
        if beyond > top and nonnegative_on(2 - beyond * lam, [(lam, 0, 4)]):
            found = f"eta={beyond} > {top}: all eigenvalues lie in [0, 4), so |1 - eta lambda| <= 1 and rho < 1 for all p, E"
    if top > sp.Rational(1, 2):
        found = divergent_instance((top + sp.Rational(1, 2)) / 2, sp.Integer(0))
    distance = sp.Rational(1, 2) - top
    return decide(
        steps,
        Tried(counterexample=found, margin=float(2 * (-abs(distance) if sharp else distance))),
        method="Each factor is a symmetric contraction whose only unit-length directions are its null space "
        "(eigenvalues of A_k lie in [0, 4)); a mean of contractions keeps a length only where all of them do, and the "
        "null spaces meet in 0 because A is positive definite.",
        valid_for=GENERAL + ", mu = 0",
        numbers={"largest step for which it holds for all N, p, E": "1/2"},
    )


li_rho = of_the_contraction(
    "LI-RHO.1",
    headline="A round on the hard example contracts at the printed step sizes",
    depends=("LI-PR1-1", "LI-EQ31"),
    statement=r"0<\eta<\tfrac14\ \Rightarrow\ \rho=\Big\|\tfrac1N\sum_i(I-\eta A_i)^E\Big\|_2<1",
    summary="The round map contracts for 0 < eta < 1/4 (in fact for 0 < eta <= 1/2, row LI-RHO-S1).",
    printed=dict(limit=Fraction(1, 4)),
    controls=[Control("eta < 3/4", dict(limit=Fraction(3, 4)))],
)(contraction_check)

li_rho_sharp = of_the_contraction(
    "LI-RHO-S1",
    depends=("LI-PR1-1", "LI-EQ31"),
    statement=r"0<\eta\le\tfrac12\ \Rightarrow\ \rho<1;\ \text{for every } \eta>\tfrac12 "
    r"\text{ some } p, E \text{ have } \rho>1",
    headline="FedAvg contracts on the hard example for steps twice as long as printed",
    summary="The range of steps with contraction for all N, p, E is (0, 1/2], twice the printed one.",
    printed=dict(limit=Fraction(1, 2)),
    controls=[
        Control("1/2 -> 0.51", dict(limit=Fraction(51, 100))),
        Control("1/2 -> 0.49", dict(limit=Fraction(49, 100))),
    ],
)(partial(contraction_check, sharp=True))


li_rho_monotone = statement_of_algebra(
    "LI-RHO.2",
    Matrices(
        "0 <= T(v)*D*C**2*D*v <= T(v)*D*C*D*v <= T(v)*D**2*v for A in S(n); D in S(n); v in R(n); 0 < eta <= 1/4; C = I - eta*A; "
        "A >= 0; A <= 4*I",
        uses={1: [("A >= 0", "eta", "C*D*v"), ("A <= 4*I", "eta", "eta*A*D*v")], 2: [("A >= 0", "eta", "D*v")]},
        squares={0: [("1", "C*D*v")], 1: [("1 - 4*eta", "eta*A*D*v")]},
        at=[{"A": "4", "D": "1", "v": "1", "eta": eta} for eta in ("1/5", "26/100")],
        names={"A": "A_k"},
    ),
    headline="Quadratic forms of the clients' local maps do not grow with the number of local steps",
    says=r"D=C^m,\ C=I-\eta A_k:\ v^\top C^Ev\text{ does not increase from }E=2m\text{ to }2m+1\text{ to }2m+2;\text{ for every }D"
    r":\quad ",
    false={"eta <= 1/4 -> eta <= 0.26": ("eta <= 1/4", "eta <= 26/100")},
    group=of_the_contraction,
    depends=("LI-PR1-1", "LI-EQ31"),
    summary="Quadratic forms of the local maps do not increase with E: v'D C^2 D v <= v'D C D v <= v'D^2 v for C = I - eta A_k and "
    "every symmetric D, such as the powers of C.",
    tightness=Tightness(1.0, Rung.PROOF, "for every eta > 1/4 some p has an eigenvalue above 1/eta"),
)


li_rho_chain = statement_of_algebra(
    "LI-RHO.3",
    Matrices(
        "T(x)*M*x <= T(x)*(I - eta/N*A)*x <= (1 - eta*a/N)*sq(x); 0 <= T(x)*(I - eta/N*A)*x for P in S(n); Q in S(n); A1 in S(n); "
        "B in S(n); x in R(n); N >= 2; a > 0; 0 < eta < 1/4; A = A1 + B; M = (P + Q)/N; P <= I - eta*A1; Q <= (N - 1)*I - eta*B; "
        "A >= a*I; A <= 4*I",
        uses={
            0: [("P <= I - eta*A1", "1/N", "x"), ("Q <= (N - 1)*I - eta*B", "1/N", "x")],
            1: [("A >= a*I", "eta/N", "x")],
            2: [("A <= 4*I", "eta/N", "x")],
        },
        squares={2: [("1 - 4*eta/N", "x")]},
        at=[
            {"A1": "2", "B": "2", "a": "4", "N": "2", "P": "-2/5", "Q": "-2/5", "x": "1", "eta": eta}
            for eta in ("1/5", "7/10")
        ],
        names={"P": r"(I-\eta A_1)^E", "Q": r"\sum_{i\ge2}(I-\eta A_i)^E", "B": r"\sum_{i\ge2}A_i"},
    ),
    says=r"x^\top Mx\le x^\top\big(I-\tfrac\eta NA\big)x\le\big(1-\tfrac{\eta a}N\big)\|x\|^2,\ "
    r"0\preceq I-\tfrac\eta NA\preceq\big(1-\tfrac{\eta a}N\big)I:\quad ",
    false={"eta < 3/4": ("eta < 1/4", "eta < 3/4")},
    group=of_the_contraction,
    depends=("LI-EQ31", "LI-RHO.2"),
    headline="A chain of inequalities bounds the round map by one step of gradient descent",
    summary="A chain of inequalities bounds the round map by one step of gradient descent, x'Mx <= x'(I - (eta/N) A)x <= "
    "(1 - eta a/N)|x|^2, where the clients' maps are at most I - eta A_i (LI-RHO.2) and a I <= A <= 4 I.",
)


li_cauchy = statement_of_algebra(
    "LI-CAUCHY",
    Relations(
        "s = p*(1 - q)/(1 - r)*d; s <= p*d/(1 - r); q >= 0; q <= 1 for 0 < r < 1; p > 0; d > 0; first_s = 0; next_s = s + p*q*d; "
        "first_q = 1; next_q = q*r",
        uses={0: {"s = p*(1 - q)/(1 - r)*d": "1"}, 1: {"s = p*(1 - q)/(1 - r)*d": "1"}, 3: {"q <= 1": "r"}},
        names={"r": r"\rho", "p": "P", "q": "q_n", "s": "S_n"},
    ),
    says=r"\|w_{t+n}-w_t\|\le S_n=\sum_{i<n}\rho^{t+i}d,\ d=\|w_1-w_0\|,\ P=\rho^t,\ q_n=\rho^n,\ \rho\text{ the norm of the "
    r"linear part, for every }n:\quad ",
    false={"rho^t -> rho^(t+1)": ("s <= p*d/", "s <= p*r*d/")},
    group=of_the_contraction,
    depends=("LI-RHO.1",),
    prose="|w_{t+1} - w_t| <= rho |w_t - w_{t-1}| because the map is affine, and the triangle inequality",
    summary="The rounds form a Cauchy sequence.",
    tightness=Tightness(1.0, Rung.PROOF, "w -> rho w reaches the bound as n -> oo"),
)


if __name__ == "__main__":
    run_script(__file__)
