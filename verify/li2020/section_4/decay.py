"""Section 4 of Li et al. (2020): a constant rate leaves a bias, a diminishing one removes it (the example, ridge mu >= 0).

One round with rate eta moves ``w*`` by ``O(eta^2)`` and contracts by ``1 - c eta``, ``c = lambda_min(A)/N + mu``, for
``eta <= 1/(4 + mu)``.  So ``a_t = |w_t - w*|`` obeys ``a_{t+1} <= (1 - c eta_t) a_t + C eta_t^2``; rates that tend to 0
without being summable give ``a_t -> 0``, and ``eta_t = beta/(gamma+t)`` with ``beta c > 1`` gives ``a_t = O(1/t)``.
One rate per round; t counts rounds.
"""

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.kinds import asymptotic_claim, qualitative_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.proofs import Open, equal, nonnegative_on
from fltheory.theory.steps import Tests
from verify.li2020.appendix_c.closed_forms import mu
from verify.li2020.appendix_c.example import SMALLEST, Example, bias, displacement, norm_squared, round_map
from verify.li2020.appendix_c.round_map import CLIENTS
from verify.li2020.appendix_c.stationary_points import moved_by_every_step
from verify.li2020.lemma_6.matrices_of_example import ETA

EXAMPLES = (SMALLEST, Example(2, 2, sp.Rational(1, 5)))
T = sp.Symbol("t", positive=True)


def contraction_steps() -> Tests:
    """``a_{t+1} <= (1 - c eta_t) a_t + C eta_t^2`` for ``eta_t <= 1/(4 + mu)``, C by LI-BIASEX.2: ``0 <= x^E <= x``."""
    lam, eta = sp.symbols("lambda eta")
    ranges = [(mu, Open(0), None), (eta, 0, 1 / (4 + mu)), (lam, 0, 4)]
    return {
        "eigenvalues x of a local step lie in [0, 1], so 0 <= M <= I - (eta/N)(A + N mu I)": lambda: (
            nonnegative_on(1 - eta * (lam + mu), ranges) and nonnegative_on(eta * (lam + mu), ranges)
        )
    }


def vanishing_steps() -> Tests:
    """``a' <= (1 - c h) a + C h^2`` takes a below every delta > 0 and keeps it there, if h tends to 0 and is not summable."""
    c, big, delta, a, rate = sp.symbols("c C delta a h")
    late = [(c, 0, None), (big, Open(0), None), (delta, 0, None), (a, delta, None), (rate, 0, c * delta / (2 * big))]
    return {
        "while a = |w - w*| >= delta and h <= c delta/(2C), a shrinks by the factor 1 - c h/2": lambda: nonnegative_on(
            c * rate * a / 2 - big * rate**2, late
        ),
        "once a <= delta, it stays there": lambda: nonnegative_on(c * rate * delta - big * rate**2, late),
    }


def slow_error(scale: sp.Rational) -> tuple[sp.Rational, sp.Expr]:
    """Constants of ``a_{t+1} >= (1 - 4 eta_t) a_t - D eta_t^2`` at N = p = E = 2, mu = 0: ``4 scale`` and ``D scale^2``.

    ``M = (1/2) sum_k (I - eta A_k)^2 >= I - eta A >= (1 - 4 eta) I``; ``D eta^2`` is the displacement of ``w*``.
    """
    moved = displacement(SMALLEST, 2, ETA)
    size = norm_squared(moved.applyfunc(lambda entry: sp.cancel(entry / ETA**2)))
    return 4 * scale, sp.sqrt(size) * scale**2


def constant_rate() -> str:
    """Where the rounds end with one rate for all of them, on the smallest example; empty where that is w*."""
    distance = norm_squared(bias(SMALLEST, 2, sp.Rational(1, 5)))
    return f"N=2, p=2, E=2, eta=1/5 in every round: the limit is sqrt({distance}) away from w*" if distance else ""


#: N = p = E = 2 and a step of 1/5, where ``Q_k = 0``.
_AT_THE_MINIMISER = CLIENTS | {
    "E": "2",
    "N": "2",
    "eta": "1/5",
    "Q": "0*A1",
    "w": "(A1 + B)**-1*b",
    "g": "A1*w - b",
    "h": "B*w",
}
_AT_THE_MINIMISER |= {"u": "B**2*w", "r": "0*b", "K": "(I - ((I - 1/5*A1)**2 + (I - 1/5*B)**2)/2)**-1"}

decay_claim = asymptotic_claim.sharing(source="Section 4", depends=("LI-BIASEX.2", "LI-RHO.2"))


@qualitative_claim(
    "LI-BIASEX.1",
    source="Section 4",
    quick=False,
    depends=("LI-EQ33.2", "LI-MUPOS.6"),
    statement=r"\eta_t=\eta,\ E>1:\quad M w^*+\text{shift}\ne w^* \text{ on the example, for every } \eta>0",
    headline="On the hard example a constant rate with several local steps is biased",
    summary="On the hard example a constant rate with several local steps is biased: one round moves the minimiser.",
    printed=dict(least_block=2, least_steps=2),
    controls=[Control("E = 1", dict(least_steps=1)), Control("p = 1", dict(least_block=1))],
)
def li_biasex_constant(least_block: int, least_steps: int) -> Evidence:
    shown = {
        f"displacement of w*, {example.name}, E=2": [str(sp.factor(e)) for e in displacement(example, 2, ETA)]
        for example in EXAMPLES
    }
    valid_for = "all N >= 2, p >= 2, mu >= 0, E >= 2, eta > 0"
    return moved_by_every_step(least_block, least_steps, (sp.Integer(0), sp.Rational(1, 10)), valid_for, shown)


li_biasex_vanishes = statement_of_algebra(
    "LI-BIASEX.2",
    Matrices(
        "-eta/N*(S*g + z) = eta**2/N*m; K*(-eta/N*(S*g + z)) = eta/N*(eta*K)*m; "
        "S*(I - eta*A1) + I = (E + 1)*I - (E + 1)*E/2*eta*A1 + eta**2*(Q + c*A1**2 - eta*Q*A1) for A1 in S(n); Q in R(n,n); "
        "K in R(n,n); g in R(n); h in R(n); u in R(n); r in R(n); E >= 1; N >= 2; eta > 0; c = E*(E - 1)/2; "
        "S = E*I - c*eta*A1 + eta**2*Q; z = E*h - c*eta*u + eta**2*r; m = c*(A1*g + u) - eta*(Q*g + r); g + h = 0*g",
        uses={0: [("g + h = 0*g", "-eta/N*E", "1")], 1: [("g + h = 0*g", "-eta/N*E*K", "1")]},
        at=[_AT_THE_MINIMISER],
        names={"A1": "A_1", "K": "(I-M)^{-1}", "S": "S_1", "Q": "Q_1", "g": "g_1"}
        | {"h": r"\sum_{k\ge2}g_k", "u": r"\sum_{k\ge2}A_kg_k", "r": r"\sum_{k\ge2}Q_kg_k", "z": r"\sum_{k\ge2}S_kg_k"},
    ),
    says=r"\tilde w^*(\eta)-w^*=(I-M)^{-1}\Big(-\tfrac\eta N\sum_kS_kg_k\Big)=O(\eta)\to0,\ g_k=\nabla F_k(w^*),\text{ "
    r"the bracket, by which one round moves }w^*,=O(\eta^2);\ S_k=\sum_{l<E}(I-\eta A_k)^l,\ Q_k\text{ by induction in }E:\quad ",
    false={"O(eta^3) in one round": ("= eta**2/N*m", "= eta**3/N*m")},
    group=asymptotic_claim,
    headline="On the paper's example the bias vanishes with the step, that of one round faster",
    source="Section 4",
    prose="the Q_k are polynomials in eta, and eta (I - M)^{-1} is bounded as eta tends to 0 (LI-L6-INV)",
    summary="The bias disappears as the step size does: the fixed point's linearly, that of one round quadratically.",
)


@decay_claim(
    "LI-BIASEX.3",
    statement=r"\eta_t=\frac\beta{\gamma+t}\le\tfrac1{4+\mu} \text{ in round } t,\ \beta>0,\ E\ge1:\quad w_t\to w^*",
    headline="On the hard example steps that fall like one over the rounds remove the bias",
    summary="The diminishing rate beta/(gamma+t) removes the bias (one rate per round, at most 1/(4+mu)).",
    printed=dict(power=1),
    controls=[Control("constant rate", dict(power=0)), Control("beta/(gamma+t)^2", dict(power=2))],
)
def li_biasex_decay(power: int) -> Evidence:
    known = contraction_steps() | vanishing_steps()
    steps = known | {
        "eta_t <= c delta/(2C) from some round on: eta_t -> 0": lambda: equal(sp.limit(T**-power, T, sp.oo), 0),
        "these factors multiply to 0: the rates of rounds n+1 to 2n add up to at least a constant": lambda: (
            nonnegative_on(T * (2 * T) ** -power - sp.Rational(1, 2), [(T, 1, None)])
        ),
    }
    found = ""
    if power == 0:
        found = constant_rate()
    elif power == 2:
        # prod (1 - x_t) >= 1 - sum x_t and sum_{n>=1} 1/n^2 <= 2, sum 1/n^4 <= 2
        scale = sp.Rational(1, 16)
        shrink, push = slow_error(scale)
        if 1 - 2 * shrink > 0:
            start = 2 * push / (1 - 2 * shrink) + 1
            found = (
                f"N=p=E=2, eta_t = {scale}/(1+t)^2: a_(t+1) >= (1 - {shrink}/(1+t)^2) a_t - {push}/(1+t)^4, so a_t >= "
                f"{1 - 2 * shrink} a_0 - {2 * push} > 0 for ever once a_0 >= {start}"
            )
    return decide(
        steps,
        Tried(counterexample=found),
        method="|w_{t+1} - w*| <= |M_t||w_t - w*| + |displacement of w*|, the first factor at most 1 - c eta_t, the "
        "displacement at most C eta_t^2.  For every delta > 0 the error falls below delta and stays there.",
        valid_for="the example for all N, p, E, mu >= 0; every start",
    )


@decay_claim(
    "LI-THM4-I1.2",
    headline="With suitably decaying steps FedAvg reaches the minimiser in spite of local steps",
    statement=r"\eta_t=\frac\beta{\gamma+t}\le\tfrac1{4+\mu} \text{ in round } t,\ "
    r"\beta>\frac N{\lambda_{\min}(A+N\mu I)},\ E\ge1:\quad \|w_t-w^*\|\le\frac v{\gamma+t} \text{ on the example}",
    summary="With a decaying rate (one per round, beta large enough) FedAvg with E > 1 does reach the minimiser, at "
    "rate 1/t.",
    printed=dict(power=1, least=sp.Integer(1)),
    controls=[
        Control("constant rate", dict(power=0)),
        Control("beta above 1/100 of N/lambda_min only", dict(least=sp.Rational(1, 100))),
    ],
)
def li_thm4_i1_decay(power: int, least: sp.Rational) -> Evidence:
    gamma, c, big, v, beta, slack, b = sp.symbols("gamma c C v beta s b", positive=True)
    time = gamma + T
    rate = beta / time**power
    step = v / (time + 1) - ((1 - c * rate) * v / time + big * rate**2)
    # v = beta^2 C/(c beta - 1) + slack, beta = (least + b)/c
    inserted = step.subs(v, beta**2 * big / (c * beta - 1) + slack).subs(beta, (least + b) / c)
    ranges = [(c, 0, None), (big, 0, None), (slack, 0, None), (b, 0, None), (gamma, 1, None), (T, 0, None)]
    steps = contraction_steps() | {"induction step of a_t <= v/(gamma+t)": lambda: nonnegative_on(inserted, ranges)}
    found = ""
    needed = 2 / (2 - sp.sqrt(3))  # N/lambda_min(A) at N = p = 2: lambda_min = 2 - 2 cos(pi/6)
    small = sp.Rational(1, 8)
    if power == 0:
        found = constant_rate()
    elif small > least * needed:
        # y_t = (gamma+t) a_t: y_{t+1} >= (1 + 1/tau)(1 - 1/(2 tau)) y_t - 2 push/tau >= y_t + (y_t/4 - 2 push)/tau
        shrink, push = slow_error(small)
        tau = sp.Symbol("tau")
        growth = (1 + 1 / tau) * (1 - shrink / tau) - 1 - 1 / (4 * tau)
        if nonnegative_on(growth, [(tau, 2, None)]):
            found = (
                f"N=p=E=2, eta_t = {small}/(2+t): y_t = (2+t) a_t obeys y_(t+1) >= y_t + (y_t/4 - {2 * push})/(2+t), so "
                f"it grows like log t from y_0 = {8 * push + 4} on and no v exists"
            )
    w = sp.zeros(5, 1)
    for index in range(40):
        matrix, shift = round_map(SMALLEST, 2, sp.Rational(10, 40 + index))
        w = (matrix * w + shift).applyfunc(lambda e: sp.Rational(round(e * 10**12), 10**12))
    return decide(
        steps,
        Tried(examined=1, counterexample=found),
        method="|w_{t+1} - w*| <= |M_t||w_t - w*| + |displacement of w*|, the first factor at most 1 - c eta_t with c = "
        "lambda_min(A + N mu I)/N, the displacement at most C eta_t^2; then induction in t.",
        valid_for="the example for all N, p, E, mu >= 0; every start",
        numbers={"|w_40 - w*| from 0, N=p=E=2, rate 10/(40+t)": float(sp.sqrt(norm_squared(w - SMALLEST.optimum)))},
    )


if __name__ == "__main__":
    run_script(__file__)
