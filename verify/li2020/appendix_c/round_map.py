"""Appendix C.4 of Li et al. (2020): the affine round map and its fixed point (32), for all N, p, E.

``(I - eta A_k)^E`` is a polynomial in one symmetric matrix, so statements about it are statements about numbers ``x = 1
- eta lambda`` with ``lambda`` in the spectrum, which lies in ``[0, 4)``.  Statements in E are proved by induction.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.model import Control, Evidence, Kind, Scope, claim
from fltheory.theory.proofs import is_zero
from verify.li2020.appendix_c.example import Example, fixed_point, round_map

GENERAL = "all N >= 2, p >= 2, E >= 1"
STEP = sp.Rational(1, 5)
X, S, POWER = sp.symbols("x S X_E")


def instances() -> Iterator[tuple[Example, int]]:
    """Small examples with numbers of local steps, in order of size."""
    for n_clients in (2, 3):
        for block in (2, 3):
            for steps in (1, 2, 3, 4):
                yield Example(n_clients, block), steps


def geometric_steps(extra: int) -> dict[str, bool]:
    """``w -> x w + eta b`` iterated: ``x^E w + eta S_E b`` with ``S_E = sum_{l < E + extra} x^l``."""
    return {
        "no step: the empty sum is zero": extra == 0,
        "one more step: x (x^E w + eta S_E b) + eta b, and S_{E+1} = x S_E + 1 = S_E + x^E": is_zero(
            (X * S + 1 - S - POWER).subs(S, (POWER - 1) / (X - 1))
        ),
    }


def local_run(example: Example, client: int, steps: int, start: sp.Matrix) -> sp.Matrix:
    """E plain gradient steps on ``F_k``, one by one."""
    w = start
    for _ in range(steps):
        gradient = example.clients[client] * w - (example.shift if client == 0 else sp.zeros(example.dimension, 1))
        w = w - STEP * gradient
    return w


@claim(
    "LI-LOC1",
    kind=Kind.IDENTITY,
    scope=Scope.GENERAL,
    source="Appendix C.4",
    statement=r"w^{(1)}=(I-\eta A_1)^Ew+\eta\sum_{l=0}^{E-1}(I-\eta A_1)^lb_1,\qquad w^{(k)}=(I-\eta A_k)^Ew\ (k\ge2)",
    summary="E local gradient steps have a closed form.",
    printed=dict(extra=0),
    controls=[Control("the sum runs to l = E", dict(extra=1))],
)
def li_loc1(extra: int) -> Evidence:
    found, count = "", 0
    for example, steps in instances():
        start = sp.Matrix(range(1, example.dimension + 1))
        for client, matrix in enumerate(example.clients):
            step = sp.eye(example.dimension) - STEP * matrix
            closed = step**steps * start
            if client == 0:
                closed += STEP * sum((step**n for n in range(steps + extra)), sp.zeros(*step.shape)) * example.shift
            count += 1
            if not found and closed != local_run(example, client, steps, start):
                found = f"{example.name}, E={steps}, eta={STEP}, client {client + 1}: differs from {steps} plain steps"
    return decide(
        geometric_steps(extra),
        Tried(examined=count, counterexample=found),
        method="Induction in E; the matrices involved commute, so the step is an identity between numbers.",
        valid_for="all N, p, E, eta, mu >= 0",
    )


@claim(
    "LI-ROUND",
    kind=Kind.IDENTITY,
    scope=Scope.GENERAL,
    source="Appendix C.4",
    depends=("LI-LOC1",),
    statement=r"w_{t+1}=\Big(\tfrac1N\sum_i(I-\eta A_i)^E\Big)w_t+\tfrac\eta N\sum_{l=0}^{E-1}(I-\eta A_1)^lb_1",
    summary="One round is an affine map.",
    printed=dict(shift_weight="1/N"),
    controls=[Control("the shift is not divided by N", dict(shift_weight="1"))],
)
def li_round(shift_weight: str) -> Evidence:
    n = sp.Symbol("N", positive=True)
    weight = {"1/N": 1 / n, "1": sp.Integer(1)}[shift_weight]
    steps = geometric_steps(0) | {"only client 1 has a shift, and its weight is 1/N": is_zero(weight - 1 / n)}
    found, count = "", 0
    for example, local in instances():
        matrix, shift = round_map(example, local, STEP)
        start = sp.Matrix(range(1, example.dimension + 1))
        mean = sum((local_run(example, c, local, start) for c in range(example.n_clients)), sp.zeros(*start.shape))
        closed = matrix * start + shift * (weight.subs(n, example.n_clients) * example.n_clients)
        count += 1
        if not found and closed != mean / example.n_clients:
            found = f"{example.name}, E={local}, eta={STEP}: the printed map differs from the mean of the local runs"
    return decide(
        steps,
        Tried(examined=count, counterexample=found),
        method="The mean of the N local maps of LI-LOC1.",
        valid_for="all N, p, E, eta, mu >= 0",
    )


@claim(
    "LI-EQ32",
    kind=Kind.IDENTITY,
    scope=Scope.GENERAL,
    source="eq. (32)",
    depends=("LI-ROUND", "LI-RHO.1"),
    statement=r"\tilde w^*=(I-M)^{-1}\Big[\tfrac\eta N\sum_{l=0}^{E-1}(I-\eta A_1)^lb\Big],\quad "
    r"M=\tfrac1N\sum_i(I-\eta A_i)^E",
    summary="The limit of the rounds is the fixed point of the affine map.",
    printed=dict(extra=0),
    controls=[Control("the sum runs to l = E", dict(extra=1))],
)
def li_eq32(extra: int) -> Evidence:
    value, shift = sp.symbols("M c")
    steps = geometric_steps(extra) | {
        "the fixed point: M (1-M)^{-1} c + c = (1-M)^{-1} c": is_zero(
            value * shift / (1 - value) + shift - shift / (1 - value)
        )
    }
    found, count = "", 0
    for example, local in instances():
        matrix, true_shift = round_map(example, local, STEP)
        step = sp.eye(example.dimension) - STEP * example.clients[0]
        series = sum((step**n for n in range(local + extra)), sp.zeros(*step.shape))
        w = (sp.eye(example.dimension) - matrix).LUsolve(STEP / example.n_clients * series * example.shift)
        count += 1
        if not found and matrix * w + true_shift != w:
            found = f"{example.name}, E={local}, eta={STEP}: one round moves the printed point"
    return decide(
        steps,
        Tried(examined=count, counterexample=found),
        method="rho < 1 makes I - M invertible and every start converge to the only "
        "fixed point (M commutes with (I-M)^{-1}).",
        valid_for=GENERAL + ", 0 < eta <= 1/2 (beyond it wherever I - M is invertible)",
    )


@claim(
    "LI-E1",
    kind=Kind.IDENTITY,
    scope=Scope.GENERAL,
    source="Appendix C.4 (1)",
    depends=("LI-EQ32",),
    statement=r"E=1:\quad \tilde w^*=A^{-1}b=w^*",
    summary="With one local step the limit is the minimiser.",
    printed=dict(local_steps=1),
    controls=[Control("E = 2", dict(local_steps=2))],
)
def li_e1(local_steps: int) -> Evidence:
    # I - M = (1/N) sum_k [1 - x_k^E] and the shift is (eta/N) S_E(x_1) b; E = 1 gives (eta/N) A and (eta/N) b.
    lam, eta = sp.symbols("lambda eta")
    steps = {
        "1 - (1 - eta lambda)^E = eta lambda": is_zero(1 - (1 - eta * lam) ** local_steps - eta * lam),
        "S_E = 1": is_zero(sum((1 - eta * lam) ** n for n in range(local_steps)) - 1),
    }
    found, count = "", 0
    for n_clients, block, ridge in ((2, 2, 0), (2, 3, 0), (3, 2, 0), (2, 2, sp.Rational(1, 10))):
        example = Example(n_clients, block, sp.sympify(ridge))
        point, count = fixed_point(example, local_steps, STEP), count + 1
        if not found and point != example.optimum:
            found = f"{example.name}, E={local_steps}, eta={STEP}: first entry {point[0]}, of w* {example.optimum[0]}"
    return decide(
        steps,
        Tried(examined=count, counterexample=found),
        method="At E = 1 the round is w - (eta/N)(A w - b), whose only fixed point is A^{-1}b.",
        valid_for="all N, p, mu >= 0, every eta with rho < 1",
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
