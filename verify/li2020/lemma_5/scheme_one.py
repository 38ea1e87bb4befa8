r"""Proof of Lemma 5 (1) of Li et al. (2020): equation (26) and the chain of bounds after it, step by step.

Vectors enter through A = sum p_k|y_k|^2 and M = |sum p_k y_k|^2 (power sums), so that nothing depends on N or on the
dimension; sums over the E steps of a round are treated by induction on E or term by term.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import Tried, decide, judged
from fltheory.evidence.kinds import algebra_claim, identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.theory import sampling
from fltheory.theory.proofs import is_zero, nonnegative_on
from fltheory.theory.sampling import K, N, at, compare, draws_with_replacement, independent_draws, weighted_mean
from verify.li2020.cohorts import admissible, extremal_steps

A, M = sp.symbols("A M", nonnegative=True)
SYSTEMS = [
    ((Fraction(1, 2), Fraction(1, 2)), (Fraction(1), Fraction(0))),
    ((Fraction(2, 3), Fraction(1, 3)), (Fraction(1), Fraction(0))),
    ((Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), (Fraction(1), Fraction(-2), Fraction(5))),
]

after_26 = inequality_claim.sharing(source="Section B.4, after (26)")


def bounded(proved: bool, room: object, broken: str, method: str, valid_for: str, examined: int = 1) -> Evidence:
    """A bound from signs and identities, and how much room the instance that decides its constant leaves."""
    return decide(
        (proved, "a sign or an identity"),
        Tried(examined, "" if room >= 0 else broken, float(room)),
        method=method,
        valid_for=valid_for,
    )


@identity_claim(
    "LI-EQ26",
    statement=r"\mathbb{E}_S\|\bar w-\bar v\|^2=\tfrac1{K^2}\,\mathbb{E}_S\sum_{l=1}^K\|v^{i_l}-\bar v\|^2"
    r"=\tfrac1K\sum_{k=1}^Np_k\|v^k-\bar v\|^2",
    summary="The average of K independent draws with law p has a K-th of the variance of one draw.",
    source="Section B.4, equation (26)",
    printed=dict(factor="1/K", joint="independent"),
    controls=[
        Control("draws without replacement", dict(joint="subset")),
        Control("one draw used K times", dict(joint="repeated")),
        Control("factor 1/K^2", dict(factor="1/K**2")),
    ],
)
def variance_of_draws(factor: str, joint: str) -> Evidence:
    coefficient = sp.sympify(factor, locals={"K": K})
    # E<x_{i_l}, x_{i_m}> for l != m and x = v - vbar, whose p-mean is zero
    pair = {"independent": sp.Integer(0), "repeated": A, "subset": -A / (N - 1)}[joint]
    middle = K * A / K**2
    law = (K * A + K * (K - 1) * pair) / K**2
    samplers = {"repeated": sampling.repeated_draw, "subset": sampling.successive_draws}
    sampler = samplers.get(joint, independent_draws)
    cases = []
    for weights, models in SYSTEMS if joint != "subset" else SYSTEMS[:1]:
        centre = weighted_mean(weights, models)
        spread = weighted_mean(weights, [(v - centre) ** 2 for v in models])
        for k in range(1, len(weights) + 1):
            actual = sum(
                (w * (sum(models[i] for i in order) / k - centre) ** 2 for w, order in sampler(weights, k)),
                start=Fraction(0),
            )
            name = f"{joint} draws, p=({', '.join(map(str, weights))}), v={tuple(map(int, models))}, K={k}"
            cases.append((name, at(coefficient, dict(K=k)) * spread, actual))
    differences = [middle - coefficient * A, law - middle, draws_with_replacement().spread(A, A, 0) - law]
    found = compare(differences, cases)
    return judged(
        found,
        "K single terms with mean A = sum p|v - vbar|^2 and K(K-1) ordered pairs with mean |sum p (v - vbar)|^2 = 0 by "
        "independence; rational in K and A, hence for all N, p, dimensions. All draws enumerated on small systems.",
        "all N, K >= 1, all weights, all dimensions; every draw of a client uses the same local model",
    )


def round_start(first: int) -> Evidence:
    """Whether (n-1)E is n'E with n' >= first for every n >= 1 (t+1 = nE, so t_0 = (n-1)E)."""
    n, steps = sp.symbols("n E", positive=True)
    index = sp.simplify((n * steps - steps) / steps)
    return bounded(
        nonnegative_on(index - first, [(n, 1, None)]),
        index.subs(n, 1) - first,
        f"E=1, t=0: t+1=1 is in I_E, t_0=0 is not (I_E starts at {first})",
        "With t+1 = nE the round began at (n-1)E; the sign of (n-1) minus the first admitted index is read off for "
        "n >= 1.",
        "all E >= 1",
    )


round_start_printed = algebra_claim(
    "LI-L5PF-I.1",
    fault="slip",
    statement=r"t+1\in I_E=\{E,2E,\dots\}\ \Rightarrow\ t_0=t-E+1\in I_E",
    headline="The first round does not begin at a synchronisation step, as the proof says",
    summary="The step at which a round began is a synchronisation step.",
    source="Section B.4, after (26)",
    repair="LI-L5PF-I.1-R1",
    printed=dict(first=1),
    controls=[
        Control("start counted as a synchronisation, I_E = {0, E, 2E, ...}", dict(first=0), must="pass"),
        Control("I_E from 2E on", dict(first=2)),
    ],
)(round_start)

round_start_repaired = algebra_claim(
    "LI-L5PF-I.1-R1",
    statement=r"t+1\in I_E\ \Rightarrow\ t_0=t-E+1\in I_E\cup\{0\}",
    summary="A round begins at a synchronisation step or at the start, where all devices hold w_0; either way their "
    "models agree, which is what the proof uses.",
    source="Section B.4, after (26), repaired",
    printed=dict(first=0),
    controls=[Control("start left out", dict(first=1))],
)(round_start)


@after_26(
    "LI-L5PF-I.2",
    statement=r"\sum_kp_k\|v^k-\bar v\|^2\le\sum_kp_k\|v^k-\bar w_{t_0}\|^2",
    summary="The spread around the mean is at most the spread around the last common model; equality when the mean "
    "has not moved.",
    printed=dict(shrink="1"),
    controls=[Control("right side times 99/100", dict(shrink="99/100"))],
)
def drop_mean(shrink: str) -> Evidence:
    # y_k = v^k - wbar_{t0}: the left side is A - M
    scale = sp.Rational(shrink)
    slack = scale * A - (A - M)
    return bounded(
        nonnegative_on(slack, [(A, 0, None), (M, 0, None)]),
        slack.subs({A: 1, M: 0}),
        f"N=2, p=1/2, v - w_t0 = (1, -1): left side 1, right side {scale}",
        "With y = v - wbar_t0 the left side is sum p|y|^2 - |sum p y|^2, so the difference is |vbar - wbar_t0|^2.",
        "all N, all weights of sum one, all dimensions",
    )


@after_26(
    "LI-L5PF-I.3",
    statement=r"\Big\|\sum_{i=t_0}^{t}x_i\Big\|^2\le E\sum_{i=t_0}^{t}\|x_i\|^2,\quad t-t_0+1=E",
    summary="Jensen's inequality over the E steps of a round, here with all E of them; equality for equal steps.",
    printed=dict(factor="E"),
    controls=[
        Control("factor E-1 (the one of Lemma 3)", dict(factor="E-1")),
        Control("factor 99/100 E", dict(factor="99*E/100")),
    ],
)
def jensen(factor: str) -> Evidence:
    steps, squares, total, x = sp.symbols("E A s x")
    claimed = sp.sympify(factor, locals={"E": steps})
    gap = steps * squares - total**2
    longer = gap.subs({steps: steps + 1, squares: squares + x**2, total: total + x}, simultaneous=True)
    # the step of the induction adds sum_i (x_i - x)^2
    step = longer - gap - (squares - 2 * total * x + steps * x**2)
    base = gap.subs({steps: 1, squares: x**2, total: x})
    return bounded(
        is_zero(step) and is_zero(base) and nonnegative_on(claimed - steps, [(steps, 1, None)]),
        (claimed - steps).subs(steps, 2) / 2,
        f"E=2, x_0=x_1=1: left side 4, right side {2 * claimed.subs(steps, 2)}",
        "Induction on E: the step from E to E+1 adds sum_i |x_i - x_E|^2 to E sum|x_i|^2 - |sum x_i|^2; base E "
        "= 1 is an equality. Quadratic in the vectors, so scalars stand for any dimension.",
        "all E >= 1, all dimensions",
        examined=3,
    )


def first_step_dominates(monotone: bool, first_bounded: int) -> Evidence:
    """Term by term; counterexamples with E = 2 (growing steps) or in the first round (a gradient without bound)."""
    first, later = sp.symbols("eta_0 eta_i", positive=True)
    ranges = [(later, 0, None), (first, later, None)] if monotone else [(later, 0, None), (first, 0, None)]
    schedule = [Fraction(1), Fraction(1) if monotone else Fraction(2)]
    left, right = 2 * sum(step**2 for step in schedule), 4 * schedule[0] ** 2
    words = "K=1, E=2, steps (1, 2), G=1"
    if left <= right and first_bounded > 0:  # a gradient 2 at the step that has no bound
        words, left, right = "K=1, E=1, t=t_0=0, eta_0=1, gradient 2 at t=0, G=1 for t >= 1", Fraction(4), Fraction(1)
    taken, rest = sp.symbols("n rest", nonnegative=True)  # n terms so far, rest more up to E
    one_more = (taken + 1) * first**2 - (taken * first**2 + later**2)
    whole = (taken + rest) ** 2 * first**2 - (taken + rest) * taken * first**2
    summed = nonnegative_on(one_more, [*ranges, (taken, 0, None)])
    summed = summed and nonnegative_on(whole, [(first, 0, None), (taken, 0, None), (rest, 0, None)])
    return bounded(
        summed and first_bounded <= 0,
        1 - left / right,
        f"{words}: left side {left}, right side {right}",
        "Each of the at most E terms has eta_i^2 <= eta_{t0}^2 (induction over the terms, on the cone eta_{t0} >= eta_i) "
        "and second moment at most G^2; the weights add up to one.",
        "all E, K, N, all weights",
        examined=2,
    )


_FROM_ONE = Control("bound from t=1 on, run from t=0", dict(first_bounded=1))

gradients_bounded = inequality_claim(
    "LI-L5PF-I.4",
    headline="The first step of a round is its longest, if the first gradient is bounded too",
    statement=r"\tfrac1K\sum_kp_kE\sum_{i=t_0}^{t}\mathbb{E}\|\eta_i\nabla "
    r"F_k(w^k_i,\xi^k_i)\|^2\le\tfrac1KE^2\eta_{t_0}^2G^2",
    summary="Every step of the round is at most the first one and every gradient has second moment at most G^2. Assumption 4 "
    "as printed (t = 1..T-1) leaves out the first gradient of a run that starts at t = 0 (one that starts at t = 1, as the "
    "theorems' w_1 suggests, has none there).",
    source="Section B.4, after (26), with Assumption 4",
    assumptions=("eta_t non-increasing", "second moments at most G^2 for i = t_0, ..., t"),
    printed=dict(monotone=True, first_bounded=0),
    controls=[Control("steps may grow", dict(monotone=False)), _FROM_ONE],
    unprinted=Unprinted("A4 at t = 0 as well, where the run starts", _FROM_ONE.name),
)(first_step_dominates)


@after_26(
    "LI-L5PF-I.5",
    statement=r"\tfrac1KE^2\eta_{t_0}^2G^2\le\tfrac4K\eta_t^2E^2G^2",
    summary="The first step of the round is at most twice the last one; sharp as a bound of this single ratio for "
    "E >= 2.",
    assumptions=("eta_t non-increasing", "eta_t <= 2 eta_{t+E}"),
    printed=dict(constant="4", ratio="2"),
    controls=[
        Control("constant 4 x 0.99", dict(constant="99/25")),
        Control("steps may fall by a factor 3 in E steps", dict(ratio="3")),
    ],
)
def first_against_last(constant: str, ratio: str) -> Evidence:
    c, r = sp.Rational(constant), sp.Rational(ratio)
    first, after, last = sp.symbols("eta_0 eta_after eta_last", positive=True)
    # eta_{t0} <= r eta_{t0+E} = r eta_{t+1} and eta_{t+1} <= eta_t
    proved = nonnegative_on(c * last**2 - first**2, [(last, 0, None), (after, 0, last), (first, 0, r * after)])
    schedule = extremal_steps(2, Fraction(ratio))
    if not admissible(schedule, 2, Fraction(ratio)):
        raise RuntimeError("the extremal schedule is not admissible")
    left, right = schedule[2] ** 2, Fraction(constant) * schedule[3] ** 2
    return bounded(
        proved,
        (right - left) / right,
        f"E=2, steps {', '.join(map(str, schedule))}, t_0=2, t=3: {left} against {right}",
        "eta_{t0} <= 2 eta_{t0+E} = 2 eta_{t+1} <= 2 eta_t, the sign of 4 eta_t^2 - eta_{t0}^2 is read off on "
        "that cone; an admissible schedule with eta_{t0} = 2 eta_t shows that no smaller constant does.",
        "all E >= 1 (for E = 1 the first step is the last one and the factor 4 is not needed)",
        examined=2,
    )


if __name__ == "__main__":
    run_script(__file__)
