"""Theorem 5 of Li et al. (2020) for every ridge mu >= 0, and the last paragraph of Appendix C.4 on mu > 0.

``lim (w~* - w*)/((E-1) eta) = X/2`` with ``X = (A + m I)^{-1} K``, ``m = N mu``, ``K = sum_k A_k grad F_k(w*)``.
Testing X with ``(A + m I) e_j`` for a few j bounds ``|X|`` from below by entries of K, which are known at the first
shared coordinate (:mod:`verify.li2020.appendix_c.ridge_identities`).  ``delta = w*_{p+1} - w*_{p+2} > 0`` and ``q = 2
w*_1 - w*_2 = 1 - m w*_1``.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.algebra import broken_by, statement_of_algebra
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.ends import first_failure
from fltheory.evidence.kinds import identity_claim, lower_bound_claim, qualitative_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.proofs import Open, equal, is_zero, nonnegative_on
from fltheory.theory.steps import Tests
from verify.li2020.appendix_c.closed_forms import ROWS, N, m, mu, p, right_column, unit
from verify.li2020.appendix_c.example import Example, bias, instances, norm_squared
from verify.li2020.appendix_c.ridge_identities import delta, leading_steps, sequence_steps, source_steps, x, y
from verify.li2020.appendix_c.round_map import CLIENTS

of_equation_34 = lower_bound_claim.sharing(source="Appendix C.4, last paragraph, eq. (34)")

ALL = "all N >= 2, p >= 2"
SMALL = ", E >= 2, eta below a threshold that depends on N, p, mu, E"
RIDGES = (0, Fraction(1, 20), Fraction(9, 100), Fraction(1, 5), 1, 4)


def up_to(largest: Fraction | None) -> list[Example]:
    """Small examples with ridges up to ``largest``, in order of size."""
    return instances(3, 3, [sp.Rational(ridge) for ridge in RIDGES if largest is None or ridge <= largest])


def plain_steps(constant: sp.Rational) -> Tests:
    """``|X|/2 > c |A_1 A_2 w*|`` with the matrices of C.1: ``|A_1 A_2 w*| = sqrt(2) delta``, one test at ``e_p``."""
    grown = 1 + (N - 1) / N * m**2 * (2 + m)  # K_p >= delta * grown, by w_p >= (2 + m) delta
    at_corner = {p + 1: x, p + 2: y}
    slack = grown**2 - 8 * constant**2 * ((2 + m) ** 2 + 2) - sp.Rational(1, 2) - (1 - m) ** 2 / 16
    return {
        "A_2 w* has the entry delta at p+1": lambda: equal(ROWS["left end"](lambda at: at_corner[at], p + 1), delta),
        "A_1 sees no other entry of it: A_1 A_2 w* = delta (e_{p+1} - e_p), of norm sqrt(2) delta": lambda: equal(
            right_column(p + 1), unit(p + 1) - unit(p)
        ),
        "(grown/|(A + m I) e_p|)^2/4 > 2 c^2, after taking off 1/2 + (1-m)^2/16": lambda: nonnegative_on(
            slack, [(N, 2, None), (m, 0, None)]
        ),
    }


def replaced_steps(constant: sp.Rational, largest: Fraction | None) -> Tests:
    """The same with ``(A_1 + mu I)(A_2 + mu I) w*`` on the right, for ``mu <= largest``; N = 2 and N >= 3 apart.

    N >= 3: the right-hand vector has norm at most ``sqrt(2) delta + mu q (sqrt(2) + 1/N + mu)``, because ``(A_1 + A_2)
    w*`` has the entry q and otherwise nonpositive entries that add up to ``w_1 - q``, and ``m |w*|^2 <= w_1``.  Half of
    each of two tests, at ``e_p`` and ``e_1``, is enough.  N = 2: it is ``delta (e_{p+1} - e_p) + mu (e_1 - mu w*)``
    with ``|e_1 - mu w*| <= 1``; tests at ``e_p - e_{p+2}`` and ``e_1`` with weights r and 1 - r, ``r = 2c sqrt((2+m)^2
    + 1)``.
    """
    top = None if largest is None else sp.Rational(largest)
    grown = 1 + (N - 1) / N * m**2 * (2 + m)
    half_one = grown**2 - 32 * constant**2 * ((2 + m) ** 2 + 2) - (1 - m) ** 2 / 4
    half_two = (N - 1) ** 2 - 16 * constant**2 * (sp.Rational(3, 2) + 1 / N + mu) ** 2 * ((2 + N * mu) ** 2 + 1)
    two = 1 - 4 * constant**2 * ((2 + m) ** 2 + 1) * (2 + m) ** 2
    w_1, w_2 = sp.symbols("w_1 w_2")
    return {
        "N >= 3, half the test at e_p covers sqrt(2) delta": lambda: nonnegative_on(
            half_one, [(N, 3, None), (m, 0, None)]
        ),
        "N >= 3, half the test at e_1 covers the rest": lambda: nonnegative_on(half_two, [(N, 3, None), (mu, 0, top)]),
        "N = 2, r (2 + m) <= 1": lambda: nonnegative_on(two, [(m, 0, None if top is None else 2 * top)]),
        "(1 + m) q >= 1, from q = 1 - m w_1 and q - w_1 = w_1 - w_2 >= 0": lambda: is_zero(
            ((1 + m) * (2 * w_1 - w_2) - 1 - m * (w_1 - w_2)).subs(w_2, (2 + m) * w_1 - 1)
        ),
        "N = 2: mu A w* + mu^2 w* = mu e_1 - mu^2 w*": lambda: equal(-mu * (2 * mu) + mu**2, -(mu**2)),
        "|e_1 - mu w*|^2 <= 1 - 2 mu w_1 + mu^2 w_1/(2 mu) <= 1": lambda: nonnegative_on(
            2 * mu * w_1 - mu * w_1 / 2, [(mu, Open(0), None), (w_1, 0, None)]
        ),
    }


def below(example: Example, source: Example, constant: sp.Rational) -> Matrices:
    """(34) at E = 2 and a small step, with the matrices of ``source`` on the right."""
    powers = " + ".join(f"(I - eta*A{k})**2" for k in range(1, example.n_clients + 1))
    product = f"(A1 - {example.ridge - source.ridge}*I)*(A2 - {example.ridge - source.ridge}*I)"
    return Matrices(
        f"sq(wt - w) >= ({constant}*eta)**2*sq({product}*w) for mu = {example.ridge}; eta = 1/1000; eta < 1/(4 + mu); "
        f"{example.written}; N = {example.n_clients}; wt = (I - ({powers})/N)**-1*(eta/N*(2*I - eta*A1)*b)"
    )


def bound_check(constant: sp.Rational, replaced: bool, largest: Fraction | None) -> Evidence:
    """(34) to first order in eta, with ``A_1 A_2`` of C.1 or with ``(A_1 + mu I)(A_2 + mu I)``."""
    steps = sequence_steps() | source_steps()
    steps |= replaced_steps(constant, largest) if replaced else plain_steps(constant)
    ratios, broken = {}, Tried()
    for example in up_to(largest):
        source = example if replaced else Example(example.n_clients, example.block)
        right = norm_squared(source.clients[0] * source.clients[1] * example.optimum)
        ratios[example.name] = norm_squared(example.leading_bias) / right
        if ratios[example.name] < constant**2 and not broken.counterexample:
            broken = broken_by(below(example, source, constant), f"{example.name}, E=2")
    where = min(ratios, key=lambda name: ratios[name])
    least = sp.sqrt(ratios[where])
    looseness = float(least / constant)
    return decide(
        steps,
        replace(broken, examined=len(ratios), margin=looseness - 1),
        method="Test vectors (A + m I) e_j turn entries of K into a lower bound of |X|; entries by the recurrence of "
        "w* at the first shared coordinate; sign conditions by polynomials with nonnegative coefficients.",
        valid_for=ALL + (", mu >= 0" if largest is None else f", 0 <= mu <= {largest}") + SMALL,
        numbers={"least limit of the ratio on the instances": float(least), "at": where},
        tightness=Tightness(looseness, Rung.SEARCH, f"limit ratio {float(least):.4f} at {where}")
        if looseness >= 1
        else None,
    )


_ROUND = "(w - eta*((A1 + mu*I)*w - b) + (N - 1)*w - eta*(B + (N - 1)*mu*I)*w)/N"
_NEAR, _MOVED, _SLOPE = "(w - f)", "(I - eta/N*(A + N*mu*I))*(w - f)", "(A + N*mu*I)*(w - f)"
_AT = CLIENTS | {"a": "1/4", "N": "2", "mu": "1", "eta": "1/10"}
_AT["f"] = "(A1 + B + N*mu*I)**-1*b"

li_thm5_gradient_descent = statement_of_algebra(
    "LI-THM5.1",
    Matrices(
        "sq(v - f) <= q*sq(w - f); 0 <= q < 1 for A1 in S(n); B in S(n); b in R(n); w in R(n); f in R(n); N >= 2; 0 < a <= 4; "
        f"mu >= 0; 0 < eta <= 1/(4 + mu); q = 1 - eta*(a/N + mu); A = A1 + B; v = {_ROUND}; A >= a*I; A <= 4*I; "
        "(A + N*mu*I)*f = b",
        uses={
            0: [
                ("A >= a*I", "eta/N", _NEAR),
                ("A >= a*I", "eta/N", _MOVED),
                ("A <= 4*I", "(eta/N)**3", _SLOPE),
                ("(A + N*mu*I)*f = b", f"eta/N*T(v - f + {_MOVED})", "I"),
            ]
        },
        squares={0: [("eta/N*(a + N*mu)", _MOVED), ("(eta/N)**2*(1 - eta/N*(4 + N*mu))", _SLOPE)]},
        at=[_AT | {"w": "[1, 2, 0, -1, 3]"}, _AT | {"w": _AT["f"]}],
        names={"f": "w^*", "w": "w_t", "v": "w_{t+1}", "B": r"\sum_{i\ge2}A_i"},
    ),
    says=r"E=1:\ w_{t+1}\text{ is nearer to }w^*=(A+N\mu I)^{-1}b\text{ than }w_t\text{ by the same factor below 1 in every round}"
    r":\quad ",
    false={"client 1 takes two steps": ("(w - eta*(", "(w - eta*(2*I - eta*(A1 + mu*I))*(")},
    group=identity_claim,
    source="Theorem 5",
    depends=("LI-E1", "LI-EQ31", "LI-MUPOS.2"),
    prose="from a factor below one in every round to the limit",
    headline="With one local step and exact gradients each round contracts towards the minimiser",
    summary="One local step with exact gradients converges to the minimiser linearly: every round shrinks the squared distance to "
    "it at least by the factor 1 - eta (a/N + mu), 0 < a <= 4 with A >= a I, for eta up to 1/(4 + mu).",
)


def suboptimal_check(least_steps: int) -> Evidence:
    """With ``E >= least_steps`` the limit for small ``eta`` is not ``w*``."""
    total = sp.Symbol("E")

    def failure(case: tuple[Example, int]) -> str:
        example, local = case
        unbiased = norm_squared(bias(example, local, sp.Rational(1, 50))) == 0
        return f"{example.name}, E={local}, eta=1/50: the limit is w*" if unbiased else ""

    return decide(
        leading_steps()
        | {"E - 1 >= 1, so (E-1) X/2 is not zero": lambda: nonnegative_on(total - 2, [(total, least_steps, None)])},
        first_failure(product(up_to(Fraction(1, 5)), range(least_steps, 4)), failure),
        method="The bias is (E-1) eta X/2 + O(eta^2), and (A + m I) X = K has a positive p-th entry.",
        valid_for=ALL + ", mu >= 0" + SMALL,
    )


li_thm5_suboptimal = qualitative_claim(
    "LI-THM5.2",
    source="Theorem 5",
    depends=("LI-RHO.1", "LI-MUPOS.1-R1", "LI-L6-FIN.1-R1"),
    statement=r"E>1,\ \eta \text{ constant and small}:\quad \tilde w^*\ne w^*",
    headline="On the hard example two or more local steps at a small constant rate miss the minimiser",
    summary="On the hard example two or more local steps with a small constant step size converge to a point that is not the "
    "minimiser.",
    printed=dict(least_steps=2),
    controls=[Control("E = 1 allowed", dict(least_steps=1))],
)(suboptimal_check)

li_thm5_bound = lower_bound_claim(
    "LI-THM5.3",
    source="Theorem 5",
    statement=r"\|\tilde w^*-w^*\|\ge\frac{(E-1)\eta}{16}\|A_1A_2w^*\|\quad(\mu\ge0,\ A_k \text{ of C.1},\ "
    r"\eta\text{ small enough, depending on }N,p,\mu,E)",
    headline="The distance from the minimiser has an explicit lower bound, for every ridge",
    summary="The quantitative bound holds for every ridge, with the matrices as defined in the example.",
    printed=dict(constant=sp.Rational(1, 16), replaced=False, largest=None),
    controls=[Control("1/16 -> 7/20", dict(constant=sp.Rational(7, 20)))],
    proof_steps=tuple(
        f"LI-{step}" for step in "PR1-1 LOC1 ROUND RHO CAUCHY EQ32 EINF-b EINF-c EQ33 LEM6 MUPOS".split()
    ),
)(bound_check)

li_mupos_plain = of_equation_34(
    "LI-MUPOS.4[A_1 A_2 of the example]",
    statement=r"\|\tilde w^*-w^*\|\ge\frac{(E-1)\eta}{16}\|A_1A_2w^*\|,\ \mu>0,\ \eta\text{ small enough}",
    summary="(34) with a ridge in the problem but not in the matrices on the right is true for every mu.",
    printed=dict(constant=sp.Rational(1, 16), replaced=False, largest=None),
    controls=[Control("1/16 -> 7/20", dict(constant=sp.Rational(7, 20)))],
)(bound_check)

li_mupos_replaced = of_equation_34(
    "LI-MUPOS.4[A_i + mu I, mu < 1/(4+mu)]",
    headline="For small ridges the bias keeps its printed lower bound",
    statement=r"\|\tilde w^*-w^*\|\ge\frac{(E-1)\eta}{16}\|(A_1+\mu I)(A_2+\mu I)w^*\|,\quad "
    r"\mu<\tfrac1{4+\mu},\ \eta\text{ small enough}",
    summary="(34) with every A_i replaced by A_i + mu I is true for mu up to 1/4, so under the printed condition on mu.",
    printed=dict(constant=sp.Rational(1, 16), replaced=True, largest=Fraction(1, 4)),
    controls=[Control("every mu > 0", dict(largest=None)), Control("1/16 -> 1/4", dict(constant=sp.Rational(1, 4)))],
)(bound_check)

li_mupos_replaced_any = of_equation_34(
    "LI-MUPOS.4[A_i + mu I, every mu > 0]",
    fault="reading",
    statement=r"\|\tilde w^*-w^*\|\ge\frac{(E-1)\eta}{16}\|(A_1+\mu I)(A_2+\mu "
    r"I)w^*\|,\quad \mu>0,\ \eta<\tfrac1{4+\mu}",
    headline="With a large ridge the bias falls below its printed lower bound",
    summary="(34) with every A_i replaced by A_i + mu I, when the printed condition is read as one on the step size only, eta < "
    "1/(4+mu), and mu > 0 is any: false, at a large mu and one such step.",
    printed=dict(constant=sp.Rational(1, 16), replaced=True, largest=None),
    repair="LI-MUPOS.4[A_i + mu I, mu < 1/(4+mu)]",
    controls=[Control("mu <= 1/4", dict(largest=Fraction(1, 4)), must="pass")],
)(bound_check)


if __name__ == "__main__":
    run_script(__file__)
