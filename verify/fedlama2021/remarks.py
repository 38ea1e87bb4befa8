"""Remarks 1 and 2 on Theorem 5.3 of FedLAMA, and the hypothesis that all clients start from one model.

p and q are the roots of m and T, so that the step size of Remark 1 is p/q.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, asymptotic_claim, expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.theory.bound import Bound
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance
from verify.fedlama2021.derivations import theorem_5_3 as derivation
from verify.fedlama2021.derivations.layers import some_layers
from verify.fedlama2021.lemma_5_2_displays import F_0, INDEPENDENT, REMARK_1, F_i, L, T, beta_sq, m, sigma, tau
from verify.fedlama2021.lemma_5_2_instances import ONE, ZERO, alike, of_rounds
from verify.fedlama2021.theorem_5_3 import PROSE

NAMES = {"beta_sq": r"\beta^2", "kappa_sq": r"\kappa^2", "p": r"\sqrt{m}", "q": r"\sqrt{T}", "D": "(F(u_0)-F(u_*))"}
remark_1 = asymptotic_claim.sharing(source="Remark 1, (7)")
_AT_THE_STEP = (
    "4/(tau*p*q)*D + 2*L/(p*q)*sigma**2 + 3*L**2*p**2{}*(tau - 1)*sigma**2 + 6*L**2*p**2/q**2*tau*(tau - 1)*kappa_sq"
)
_WHERE = "for L > 0; tau >= 1; sigma >= 0; kappa_sq >= 0; D >= 0; p >= 1; q > 0"
_CONSTANTS = "C_1 = 4*D/tau + 2*L*sigma**2; C_2 = 3*L**2*(tau - 1)*sigma**2 + 6*L**2*tau*(tau - 1)*kappa_sq"
RATE = Relations(f"{_AT_THE_STEP.format('/q**2')} = C_1/(p*q) + C_2*p**2/q**2 {_WHERE}; {_CONSTANTS}", names=NAMES)

FACTORS = dict(first="1", noise="1", independent=True)


def runs(bound: Bound, independent: bool) -> Iterator[Instance]:
    """Clients alike with steps sqrt(m/T): noise alone, descent alone, noise that four clients share."""
    fifth = Fraction(1, 5)
    yield of_rounds(bound, alike(ONE, eta=fifth, tau=1, sigma=ONE), ZERO, 25)
    yield of_rounds(bound, alike(ONE, eta=fifth, tau=1), ONE, 25)
    yield of_rounds(bound, alike(ONE, eta=ONE, tau=1, sigma=ONE, m=4, shared=not independent), ZERO, 4)


@expectation_claim(
    "LA-REM1.1[third term divided by T]",
    statement=REMARK_1,
    proves=proves(REMARK_1, under=(T >= m * L**2 * tau**2, T >= 2 * m * L**2 * tau * (tau - 1) * (2 * beta_sq + 1))),
    source="Remark 1, (7)",
    headline="With one term mended, FedLAMA has the rate that is claimed for it",
    summary="With steps sqrt(m/T) the average squared gradient is at most C_1/sqrt(mT) + C_2 m/T with constants free of "
    "m and T, as claimed, for independent clients and T from where this step size is allowed.",
    quick=False,
    unprinted=Unprinted(INDEPENDENT.words, control="one noise shared by all clients"),
    prose=PROSE,
    printed=FACTORS,
    controls=[
        Control("one noise shared by all clients", dict(independent=False)),
        Control("first term times 3/8", dict(first="3/8")),
        Control("noise in front of 1/sqrt(mT) times 0.37", dict(noise="37/100")),
    ],
)
def rate(first: str, noise: str, independent: bool) -> Evidence:
    """As LA-THM53-R2, at the step size p/q, p^2 = m, q^2 = T."""
    root = sp.sqrt(m) * sp.sqrt(T)
    start, own = sp.Rational(8, 3) / tau * (F_0 - F_i) / root, 2 * L * sigma**2 / root
    more = (sp.Rational(first) - 1) * start + (sp.Rational(noise) - 1) * own
    bound = replace(REMARK_1, expression=REMARK_1.expression + more)
    return by_derivation(
        lambda: derivation.remark_1(bound, independent=independent),
        lambda: runs(bound, independent),
        beside={"some layers averaged": some_layers()},
        method="The derivation of Theorem 5.3 with steps p/q, where p and q are the roots of m and T.",
        valid_for="all m, tau, dimensions, and T with eta = sqrt(m/T) as Theorem 5.3 allows; any layers averaged after "
        "any local step, as chosen before the round",
    )


#: For every C: with L = sigma = 1, tau = 2, one client, (C + 4)^2 rounds, where the step is allowed, (6) exceeds C times (7).
FOR_EVERY_C = Relations(
    "2/(p*q) + 3*p**2 > C*(1/(p*q) + p**2/q**2); 2*(p/q)**2*2*(2*b + 1) <= 1; q**2 > p**6 for C >= 0; p = 1; b = "
    "1; q = C + 4",
    names=NAMES | {"b": r"\beta^2"},
)


@remark_1(
    "LA-REM1.1[(6) as printed]",
    statement=(
        r"\exists C\ \forall m,T:\ \tfrac{4}{\eta\tau T}(F(u_0)-F(u_*))+\tfrac{2L\eta}{m}\sigma^2+3TL^2\eta^2(\tau-1)"
        r"\sigma^2+6\eta^2L^2\tau(\tau-1)\kappa^2\le C\Big(\tfrac1{\sqrt{mT}}+\tfrac mT\Big),\quad\eta=\sqrt{m/T}"
    ),
    headline="FedLAMA's linear speed-up does not follow from the convergence bound that is printed",
    summary="At the step size sqrt(m/T) the third term of (6), with its factor T, is 3 m L^2 (tau - 1) sigma^2: it "
    "does not go to 0 as T grows, and it grows with the number of clients. The rate holds once this term is divided by "
    "T.",
    fault="reading",
    repair="LA-REM1.1[third term divided by T]",
    printed=dict(divided=False),
    controls=[Control("third term divided by T", dict(divided=True), must="pass")],
)
def rate_as_printed(divided: bool) -> Evidence:
    """For every C the bound exceeds C times the rate: proved as it is written."""
    if divided:
        return by_relations(RATE)
    proved, reason = FOR_EVERY_C.proof
    found = Tried(1)
    if proved:
        words = f"one client, F(u_0) = F(u_*), L = sigma = 1, kappa = 0, tau = 2, for every C: {FOR_EVERY_C.text}"
        found = Tried(1, words, -1.0, certificate=FOR_EVERY_C.certificate)
    return decide((False, reason), found, method="For every constant C an instance breaks it: proved as it is written.")


dominant = statement_of_algebra(
    "LA-REM1.2",
    Relations("p**2/q**2 < 1/(p*q) for p >= 1; q > p**3", names=NAMES),
    false={"T > m^2": ("q > p**3", "q > p**2")},
    group=remark_1,
    headline="With more rounds than the cube of the clients the speed-up term is the larger one",
    summary="For T > m^3 the term m/T is below 1/sqrt(mT), as printed; constants in front of the two terms shift "
    "the threshold.",
)
dominant_only = statement_of_algebra(
    "LA-REM1-S1",
    Relations(
        "q >= p**3 for p >= 1; q > 0; p**2/q**2 <= 1/(p*q)", uses={0: {"p**2/q**2 <= 1/(p*q)": "p*q**2"}}, names=NAMES
    ),
    false={"q >= p^4": ("q >= p**3", "q >= p**4")},
    group=remark_1,
    headline="Below the cube of the clients the speed-up term of FedLAMA's bound does not dominate",
    summary="The threshold is sharp: where m/T is at most 1/sqrt(mT), T is at least m^3.",
)

of_the_step = algebra_claim.sharing(source="Remark 1 with the step size of Theorem 5.3")
_ALLOWED = "2*L**2*(p/q)**2*tau*(tau - 1) <= 1/(2*beta_sq + 1)"
_MANY = "q**2 >= 2*p**2*L**2*tau*(tau - 1)*(2*beta_sq + 1)"
smallest = statement_of_algebra(
    "LA-REM1-DIM.1",
    Relations(
        f"{_ALLOWED}; L*(p/q)*tau <= 1 for L > 0; p >= 1; q > 0; tau >= 2; beta_sq >= 1; {_MANY}",
        uses={0: {_MANY: "1/(q**2*(2*beta_sq + 1))"}, 1: {_MANY: "1/(q**2*(1 + L*(p/q)*tau))"}},
        at={"L": "1", "p": "1", "q": "4", "tau": "2", "beta_sq": "1"},
        names=NAMES,
    ),
    false={"the constant 1 for 2": ("q**2 >= 2*p**2", "q**2 >= p**2")},
    group=of_the_step,
    headline="From how many rounds on the step size of the linear speed-up is allowed",
    summary="The step size sqrt(m/T) meets both conditions of the theorem if T >= 2 m L^2 tau (tau - 1)(2 beta^2 + 1), "
    "for tau >= 2. This is what a sufficiently small step size and a large T come to.",
)
needed = statement_of_algebra(
    "LA-REM1-DIM.2",
    Relations(
        f"{_MANY} for L > 0; p >= 1; q > 0; tau >= 2; beta_sq >= 1; {_ALLOWED}",
        uses={0: {_ALLOWED: "q**2*(2*beta_sq + 1)"}},
        at={"L": "1", "p": "1", "q": "4", "tau": "2", "beta_sq": "1"},
        names=NAMES,
    ),
    false={"the constant 3 for 2": ("q**2 >= 2*p**2", "q**2 >= 3*p**2")},
    group=of_the_step,
    headline="With fewer rounds the step size of the linear speed-up is not covered by the theorem",
    summary="Conversely the condition on the step size gives that T, so that it is the smallest one for tau >= 2.",
)
threshold = statement_of_algebra(
    "LA-REM1-DIM-U1",
    Relations(
        "q**2 > p**6; 2*L**2*(p/q)**2*tau*(tau - 1) > 1/(2*beta_sq + 1) for L = 1; p = 1; q = 3; tau = 2; beta_sq = 1",
        names=NAMES,
    ),
    false={"16 rounds": ("q = 3", "q = 4")},
    group=of_the_step,
    headline="More rounds than the cube of the clients do not make the step size of the speed-up legal",
    summary="T > m^3 alone does not allow the step size sqrt(m/T): one client, T = 9, L = 1, tau = 2, beta^2 = 1. The "
    "step size has no 1/L in it, so that the threshold depends on the units of the loss.",
)

remark_2 = algebra_claim.sharing(source="Remark 2")
_TERMS = "3*T*L**2*eta**2*({0}*b - 1)*sigma**2 + 6*eta**2*L**2*{0}*b*({0}*b - 1)*kappa_sq"
larger = statement_of_algebra(
    "LA-REM2.1",
    Relations(
        f"{_TERMS.format('k')} > {_TERMS.format('n')} "
        "for T >= 1; L > 0; eta > 0; sigma > 0; kappa_sq >= 0; b >= 1; n >= 1; k > n",
        names=NAMES | {"k": r"\phi_2", "n": r"\phi_1", "b": r"\tau'"},
    ),
    false={"k < n": ("n >= 1; k > n", "k >= 1; n > k")},
    group=remark_2,
    headline="A larger factor on FedLAMA's intervals makes both discrepancy terms of its bound larger",
    summary="The terms of (6) that come from the drift increase with phi at a fixed step size, strictly where there is "
    "noise. The same holds with the third term divided by T.",
)
fewer = statement_of_algebra(
    "LA-REM2.2",
    Relations("K/(k*b) = (K/b)/k for K > 0; b >= 1; k >= 1", names=NAMES | {"k": r"\phi", "b": r"\tau'"}),
    false={"the square of phi": ("(K/b)/k", "(K/b)/k**2")},
    group=remark_2,
    headline="A layer with the longer interval is sent in inverse proportion to the factor",
    summary="In K local steps a layer with interval phi tau' is synchronised K/(phi tau') times, 1/phi times as "
    "often as with tau'.",
)

_STARTS = "u_0 = (x + y)/2; u_1 = ((1 - eta*L)*x + y)/2; g_0 = L*u_0/2; g_1 = L*u_1/2"
equal_start = statement_of_algebra(
    "LA-THM53-INIT",
    Relations(
        "(g_0**2 + g_1**2)/2 > 4/(eta*2)*(L*u_0**2/4); (1 - eta*L)*x != y "
        f"for L > 0; 0 < eta <= 1/L; d > 0; x = d; y = -d; {_STARTS}"
    ),
    false={"clients that start equal": ("y = -d", "y = d")},
    group=inequality_claim,
    source="first hypothesis of Theorem 5.3",
    says=r"F_1=\tfrac L2x^2,\ F_2=0,\ \tau=1,\ T=2,\ \sigma=\kappa=0,\ \beta^2=2:\quad ",
    headline="Theorem 5.3 needs clients that start from one model, and Algorithm 1 does not make them",
    summary="Two clients that start at d and -d break the bound without noise: the average u_0 = 0 minimises F, and "
    "after one step each the average has left it. The synchronisation of Algorithm 1 at j = 0 comes after the first "
    "step was computed, which stays unequal.",
)


if __name__ == "__main__":
    run_script(__file__)
