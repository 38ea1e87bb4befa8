"""Contraction factors and largest steps of mixed FL on scalar quadratics (Augenstein et al., 2022), without noise.

Closed forms against the package's own rounds (as programs with all rates and both curvatures symbolic), and the largest
stable client step against the stability limit that is read off the round map.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

import fltheory as fl
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.theory.steps import Instance, Step, equality, identity
from fltheory.theory.steps import sign as sign_of
from verify.mixed2022 import closed_forms, updates
from verify.mixed2022 import stability_limits as limits
from verify.mixed2022.closed_forms import change_is_linear, characteristic, j, k, lc, lf, moved, qc, qf, value
from verify.mixed2022.settled import settle
from verify.mixed2022.updates import OWN_RATES, A, eta, eta_c, eta_m, eta_s, h, traced, u, v

F = Fraction
STEPS = (1, 2, 3)
VALUES = {lf: 1, lc: 3} | {name: sp.Rational(value) for name, value in OWN_RATES.items()}
WORDS = "lambda_f=1, lambda_c=3, " + ", ".join(f"{name}={value}" for name, value in OWN_RATES.items())
CURVATURES = ((F(1), F(1)), (F(1), F(1, 5)), (F(1, 5), F(1)), (F(1), F(3)))


def on_curvatures(state: tuple[Any, ...], begin: tuple[sp.Symbol, ...]) -> Any:
    """The matrix of one traced round with g(y) = lambda_f y, h(y) = lambda_c y."""
    rows = []
    for leaf in state:
        bare = leaf.replace(A, lambda inner: inner)
        while bare.atoms(sp.core.function.AppliedUndef):
            bare = sp.expand(bare.replace(updates.g, lambda y: lf * y).replace(h, lambda y: lc * y))
        rows.append([sp.expand(sp.diff(bare, symbol)) for symbol in begin])
    return sp.Matrix(rows)


def against(name: str, left: Any, right: Any) -> tuple[Step, Instance]:
    sides = [Fraction(str(sp.Rational(sp.sympify(side).subs(VALUES)))) for side in (left, right)]
    return identity(name, left, right), equality(f"{name}, {WORDS}", *sides)


def problem_of(f: Fraction, centre: Fraction) -> MixedProblem:
    """f_f and f_c of these curvatures, with the minimiser 0."""
    return MixedProblem(*(QuadraticProblem(np.array([[[float(lam)]]]), np.array([[0.0]])) for lam in (f, centre)))


def together(
    pairs: list[tuple[Step, Instance]], *more: Step, method: str, valid_for: str, before: Sequence[Step] = ()
) -> Evidence:
    """Evidence of identities with their instances, and that every number of steps follows."""
    proof = [*change_is_linear(), *before, *(step for step, _ in pairs), *more]
    return settle(proof, [found for _, found in pairs], method=method, valid_for=valid_for)


def scalar_factor(kind: str, merge: str) -> Evidence:
    """The traced round of the algorithm against the factor in q_f and q_c, for several K; every K since q is linear."""
    pairs = []
    for steps in STEPS:
        q_f, q_c = moved(lf, eta, steps), moved(lc, eta_c, steps)
        if kind == "parallel":
            made = traced(lambda e, ec, s, m, n=steps: fl.ParallelTraining(n, e, ec, s, m), (updates.x,))  # type: ignore[misc]
            wanted = closed_forms.parallel_factor(q_f, q_c).subs(eta_m, eta_m * sp.Rational(merge))
        else:
            made = traced(lambda e, ec, s, m, n=steps: fl.OneWayGradientTransfer(n, e, s), (updates.x,))  # type: ignore[misc]
            wanted = closed_forms.one_way_factor(q_f).subs(eta_s, eta_s * sp.Rational(merge))
        pairs.append(against(f"factor, K={steps}", on_curvatures(made, (updates.x,))[0], wanted))
    return together(
        pairs,
        method="the package's round with symbolic rates and curvatures for K = 1, 2, 3; every K by induction",
        valid_for="scalar quadratics of any curvature (also negative), clients alike, all rates",
    )


parallel_factor = identity_claim(
    "MX-ALG-STAB.1",
    headline="On quadratics Parallel Training multiplies its distance by one factor in each round",
    source="Algorithm 1 on quadratics",
    printed=dict(kind="parallel", merge="1"),
    statement=r"\rho_{PT}=1-\eta_m\big[1-(1-\eta_c\lambda_c)^K+\eta_s(1-(1-\eta\lambda_f)^K)\big]",
    summary="Parallel Training multiplies the distance to its fixed point, where there is one, by this factor in each round.",
    controls=[Control("eta_m -> 1.01 eta_m", dict(merge="101/100"))],
)(scalar_factor)
one_way_factor = identity_claim(
    "MX-ALG-STAB.2",
    headline="On quadratics 1-way Gradient Transfer multiplies its distance by one factor in each round",
    source="Algorithm 2 on quadratics",
    printed=dict(kind="1-way", merge="1"),
    statement=r"\rho_{1w}=1-\eta_s(1+\lambda_c/\lambda_f)\big(1-(1-\eta\lambda_f)^K\big)",
    summary="1-way GT multiplies the distance to its fixed point, where there is one, by this factor in each round: for lambda_f "
    "other than 0 (at 0 by 1 - eta_s eta K lambda_c).",
    controls=[Control("eta_s -> 1.01 eta_s", dict(merge="101/100"))],
)(scalar_factor)


def one_way_size(f: Fraction, centre: Fraction, steps: int, server: Fraction, eta: Fraction) -> Fraction:
    """The modulus of the factor of 1-way GT."""
    return abs(1 - server * value(f, eta, steps) * (f + centre))


#: How far from a limit the rounds are looked at.
SMALL = F(1, 10**6)


@inequality_claim(
    "MX-ALG-STAB.3",
    headline="On quadratics more local steps shrink 1-way transfer's stable step at large server rates",
    source="Algorithm 2 on quadratics",
    printed=dict(stretch="1"),
    statement=r"|\rho_{1w}|<1\iff\eta<\frac{1-w^{1/K}}{\lambda_f}\ (0<\eta\lambda_f\le1),\quad w=1-\frac{2\lambda_f}{\eta_s("
    r"\lambda_f+\lambda_c)}\ge0",
    summary="First step of 1-way GT that is not stable, among the eta up to 1/lambda_f (beyond, where local steps overshoot, even "
    "K can be stable again): for eta_s (lambda_f + lambda_c) > 2 lambda_f it falls with K like 1/K, at equality it is "
    "1/lambda_f, and below that every eta up to 1/lambda_f is stable, for every K.",
    controls=[
        Control("1.01 times as far", dict(stretch="101/100")),
        Control("0.99 times as far", dict(stretch="99/100")),
    ],
)
def one_way_limit(stretch: str) -> Evidence:
    """Steps of the limit claimed, and for every case the package's own limit and exact rounds on either side."""
    scale = sp.Rational(stretch)
    proof = [*change_is_linear(), *limits.one_way_limit_steps(scale), *limits.falls_like_one_over_k()]
    instances, read_off = [], {}
    for (f, centre), (steps, server) in product(CURVATURES, ((1, F(1)), (2, F(2)), (3, F(2)), (5, F(3)))):
        name = f"lambda_f={f}, lambda_c={centre}, K={steps}, eta_s={server}"
        factor = partial(one_way_size, f, centre, steps, server)
        if server * (f + centre) < 2 * f:
            rates = (1 / f, 1 / (2 * f), F(1, 100) / f)
            instances += [Instance(f"{name}, w < 0: |factor| up to 1/lambda_f", factor(e), F(1)) for e in rates]
            continue
        given = (sp.Rational(str(f)), sp.Rational(str(centre)), steps, sp.Rational(str(server)))
        exact = sp.Rational(sp.N(scale * closed_forms.one_way_limit(*given), 40))
        limit = F(str(exact)).limit_denominator(10**30)
        below, above = min(limit * (1 - SMALL), 1 / f), limit * (1 + SMALL)
        instances.append(equality(f"{name}: stable at {float(below):.8g} (1: yes)", F(factor(below) < 1), F(1)))
        if above * f <= 1:
            instances.append(equality(f"{name}: stable at {float(above):.8g} (0: no)", F(factor(above) < 1), F(0)))
        if steps == 3:
            found = fl.stability_limit(
                problem_of(f, centre), lambda e, s=server: fl.OneWayGradientTransfer(3, e, float(s)), float(2 / f)
            ).mean  # type: ignore[misc]
            if found is None:
                instances.append(equality(f"{name}: limits found up to {float(2 / f):.6g}", F(0), F(1)))
                continue
            read_off[name] = found
            words = f"{name}: read off the round map {found:.9g} against {float(limit):.9g}, difference"
            instances.append(Instance(words, abs(F(found) - limit) / limit, F(1, 10**8)))
    return settle(
        proof,
        instances,
        method=(
            "rho + 1 = gain ((1 - eta lambda_f)^K - w), whose sign is that of 1 - eta lambda_f - w^(1/K) (induction over K); "
            "signs of polynomials below and above the limit claimed; Bernoulli's inequality for the order 1/K"
        ),
        valid_for="lambda_f > 0, lambda_f + lambda_c > 0, eta lambda_f <= 1, every K",
        numbers=read_off,
    )


@identity_claim(
    "MX-ALG-STAB.4",
    headline="On quadratics with curvature in sum 2-way transfer loses stability by oscillation only",
    source="Algorithm 1 on quadratics",
    printed=dict(divisor="eta", sign="1"),
    statement=r"p(z)=\det(zI-T_{2w}),\quad p(1)=\eta_mq_cq_f(\lambda_f+\lambda_c)(\eta_sk+j)/(jk),\ "
    r"p(1)>0\text{ for }\lambda_f+\lambda_c>0,\ \eta\lambda_f<2,\ \eta_c\lambda_c<2",
    summary="The round of 2-way GT as a 3 x 3 matrix in q_f, q_c, the curvatures and rates. With lambda_f + lambda_c > 0 "
    "eigenvalue one never occurs for steps below 2/curvature: 2-way GT then loses stability by oscillation only.",
    controls=[Control("divisor eta_c in the matrix", dict(divisor="eta_c")), Control("eta_s k - j", dict(sign="-1"))],
)
def two_way_matrix(divisor: str, sign: str) -> Evidence:
    begin = (updates.x, u, v)
    pairs = []
    for steps in STEPS:
        made = traced(lambda e, ec, s, m, n=steps: fl.TwoWayGradientTransfer(n, e, ec, s, m), begin)  # type: ignore[misc]
        found = on_curvatures(made, begin)
        rates = {k: eta * steps, j: (eta if divisor == "eta" else eta_c) * steps}
        wanted = closed_forms.two_way_matrix(moved(lf, eta, steps), moved(lc, eta_c, steps)).subs(rates)
        pairs += [
            against(f"entry {i}, K={steps}", left, right)
            for i, (left, right) in enumerate(zip(found, wanted, strict=True))
        ]
    a, b = sp.symbols("a b")
    powers = (1 + a) * (1 + b) - 1
    upward = sign_of(
        "powers of 1 - eta lambda are at least 1 for eta lambda <= 0", powers, ((a, 0, None), (b, 0, None))
    )
    at_one = sum(characteristic(closed_forms.two_way_matrix()), sp.Integer(0))
    wanted = eta_m * qc * qf * (lf + lc) * (eta_s * k + int(sign) * j) / (j * k)
    numbers = {qf: sp.Rational(1, 4), qc: sp.Rational(1, 3), k: sp.Rational(1, 4), j: sp.Rational(1, 5)}
    pairs.append(against("p(1), q_f=1/4, q_c=1/3, k=1/4, j=1/5", at_one.subs(numbers), wanted.subs(numbers)))
    return together(
        pairs,
        identity("p(1)", at_one, wanted),
        before=[*closed_forms.move_is_positive(), upward],
        method="the package's round with symbolic rates and curvatures for K = 1, 2, 3; every K by induction; p(1) for every K",
        valid_for="scalar quadratics, clients alike; matrix and p(1): all rates; p(1) > 0: lambda_f + lambda_c > 0, "
        "eta lambda_f < 2 and eta_c lambda_c < 2",
    )


def smallest_steps() -> Iterator[tuple[Fraction, Fraction, Fraction, Fraction]]:
    for f, centre in (*CURVATURES, (F(1), F(-1, 5))):
        yield from ((f, centre, merge, server) for merge, server in ((F(1), F(1)), (F(1, 2), F(1)), (F(1), F(2))))


def two_way_bears(f: Fraction, centre: Fraction, merge: Fraction, server: Fraction, eta: Fraction) -> bool:
    """Whether 2-way GT is stable at K = 1, eta_c = eta eta_s, with the divisor eta_c."""
    return closed_forms.two_way_stable(f, centre, eta, eta * server, 1, server, merge, divisor=eta * server)


def parallel_bears(f: Fraction, centre: Fraction, merge: Fraction, server: Fraction, eta: Fraction) -> bool:
    """Whether Parallel Training is."""
    return abs(1 - merge * (centre * value(centre, eta * server, 1) + server * f * value(f, eta, 1))) < 1


@inequality_claim(
    "MX-ALG-STAB.5",
    headline="On quadratics with one local step 2-way transfer bears half of Parallel Training's step",
    source="Algorithm 1 on quadratics",
    printed=dict(bound="1", parallel="2"),
    statement=r"K=1,\ \eta_c=\eta\eta_s,\ e=\eta_m\eta_c,\ \text{divisor }\eta_c:\quad"
    r"\rho(T_{2w})<1\iff e(\lambda_f+\lambda_c)<1;\qquad|\rho_{PT}|<1\iff e(\lambda_f+\lambda_c)<2",
    summary="At K = 1 and matched rates 2-way GT (divisor eta_c) bears half the step of Parallel Training.",
    controls=[
        Control("bound 2", dict(bound="2")),
        Control("bound 0.99", dict(bound="99/100")),
        Control("bound 1.01", dict(bound="101/100")),
        Control("Parallel Training 1.99", dict(parallel="199/100")),
        Control("Parallel Training 2.01", dict(parallel="201/100")),
    ],
)
def one_step_limit(bound: str, parallel: str) -> Evidence:
    """p(z) = z (z^2 - (1 - p) z + p), p = e (lambda_f + lambda_c), and the factor 1 - p."""
    proof = limits.one_step_limit_steps(sp.Rational(bound), sp.Rational(parallel))
    instances = []
    for f, centre, merge, server in smallest_steps():
        scale = merge * server * (f + centre)  # p = scale eta
        case = (f, centre, merge, server)
        both = (
            ("2-way GT", F(bound) / scale, partial(two_way_bears, *case)),
            ("Parallel Training", F(parallel) / scale, partial(parallel_bears, *case)),
        )
        for words, limit, stable in both:
            name = f"lambda_f={f}, lambda_c={centre}, K=1, eta_s={server}, eta_m={merge}: {words} stable just"
            instances += [
                equality(f"{name} below eta = {limit} (1: yes)", F(stable(limit * (1 - SMALL))), F(1)),
                equality(f"{name} above eta = {limit} (0: no)", F(stable(limit * (1 + SMALL))), F(0)),
            ]
    return settle(
        proof,
        instances,
        method=(
            "Jury's conditions of the quadratic derived from its roots (real and imaginary part), the product of the roots "
            "from the limit on; exact Schur-Cohn tests on either side of the limit"
        ),
        valid_for="scalar quadratics, clients alike, lambda_f + lambda_c > 0, all eta_s, eta_m",
    )


if __name__ == "__main__":
    run_script(__file__)
