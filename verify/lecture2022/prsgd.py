"""The note's "equivalent code" (Parallel Restarted SGD) against FedAvg, and the names FedAvg is said to go by.

As printed, an averaging step subtracts a gradient that was drawn at the client's own point *before* averaging.  That is
not FedAvg, not even for K = 1; with the average taken first, and K dividing t - 1, the codes agree step by step.

``x`` is the client's own point before the step, ``y`` the average of all clients' points, ``g(p)`` the client's
stochastic gradient of this step, drawn at p.  Two codes with the same expression in both cases (averaging step or not)
and the same averaging steps give the same iterates: induction over the steps, for every N, K, d, oracle and noise.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import expectation_claim, identity_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Witness
from fltheory.theory.lecture2022.bounds import G, L, theorem_1
from fltheory.theory.lecture2022.bounds import s as step_size
from fltheory.theory.proofs import equal
from fltheory.theory.steps import Proof, shown
from verify.lecture2022.orders import claim_of_bound, opposite
from verify.lecture2022.runs import DIFFERENT, Clipped, mean, run, told
from verify.lecture2022.theorem_1 import CODES, derived_for

of_equivalent_code = identity_claim.sharing(source="slide on the equivalent code")
of_the_slide = identity_claim.sharing(source="FedAvg slide")

x, y, s, distance = sp.symbols("x y s distance")
t, K = sp.symbols("t K", integer=True, positive=True)
g = sp.Function("g")
#: A step averages, before it does anything else, when K divides this number (step t counts from 1).  Rounds of FedAvg:
#: step t = rK + k + 1 begins a round when k = 0.  Local SGD averages after step t - 1 when K divides t - 1.
COUNTER = {
    "printed": t,
    "average first, K divides t": t,
    "average first, K divides t-1": t - 1,
    "FedAvg": t - 1,
    "Local SGD": t - 1,
    "Parallel SGD": sp.Integer(0),
}
#: The flat codes of the slide, by their names in :mod:`runs`.
FLAT = {"printed": "printed", "average first, K divides t": "average first", "average first, K divides t-1": "FedAvg"}


def step_expression(code: str, together: bool) -> sp.Expr:
    """The client's point after one step; ``together`` tells whether the step averages."""
    if not together:
        return x - s * g(x)
    return y - s * g(x if code == "printed" else y)


def is_fedavg(code: str) -> Proof:
    """Induction over the steps: the same averaging steps for every K, and the same formal step in both cases."""
    shift = sp.expand(COUNTER[code] - COUNTER["FedAvg"])
    counters = partial(equal, COUNTER[code], COUNTER["FedAvg"])
    steps = [shown("averaging steps", counters, f"the counters differ by {shift}")]
    for together, name in ((False, "plain step"), (True, "averaging step")):
        sides = step_expression(code, together), step_expression("FedAvg", together)
        difference = sp.expand(sides[0] - sides[1])
        steps.append(shown(name, partial(equal, *sides), f"the clients' points differ by {difference}"))
    return Proof(tuple(steps))


def averages(code: str, clients: Sequence[Clipped], interval: int, steps: int, size: Fraction) -> list[Fraction]:
    """Averaged iterates of a code, each by its own text: rounds for FedAvg, loops for Local SGD and the flat codes."""
    if code in FLAT:
        return list(run(FLAT[code], clients, step_size=size, local_steps=interval, steps=steps).means)
    points, found = [Fraction(0)] * len(clients), [Fraction(0)]

    def moved() -> list[Fraction]:
        return [p - size * c.gradient(p) for p, c in zip(points, clients, strict=True)]

    if code == "FedAvg":
        while len(found) <= steps:
            points = [mean(points)] * len(clients)
            for _ in range(interval):
                points = moved()
                found.append(mean(points))
        return found[: steps + 1]
    for step in range(1, steps + 1):
        points = moved()
        if step % (1 if code == "Parallel SGD" else interval) == 0:
            points = [mean(points)] * len(clients)
        found.append(mean(points))
    return found


def apart(code: str, clients: Sequence[Clipped] = DIFFERENT) -> Iterator[Witness]:
    """That the averages of a code are those of FedAvg; for K = 1, 2, 3 where they first differ on an instance."""
    for interval in (1, 2, 3):
        steps = 3 * interval + 2
        one, two = (averages(name, clients, interval, steps, Fraction(1, 2)) for name in (code, "FedAvg"))
        when = next((i for i, (a, b) in enumerate(zip(one, two, strict=True)) if a != b), steps)
        numbers = dict(step_size=Fraction(1, 2), local_steps=interval, steps=steps)
        text = f"{told(code, clients, **numbers)}, average after step {when}"
        yield Witness({distance: abs(one[when] - two[when])}, distance, "=", 0, (), text)


#: K = 1, f_1' = clip(x, -2, 2), which is x at all points here, and f_2' = -1: p after the first step from x_0, then u of the
#: printed code, with gradients g at its own points p, and v of FedAvg, with gradients h at their average y.  At c = 1 + s the
#: printed code rests, with points r; FedAvg at 1.
SECOND_STEP = Relations(
    "(u_1 + u_2)/2 > (v_1 + v_2)/2; c - s*r_1 = r_1; c - s*(-1) = r_2; (r_1 + r_2)/2 = c; ((1 - s*1) + (1 - s*(-1)))/2 "
    "= 1 for 0 < s <= 1; 0 <= x_0 <= 1; p_1 = x_0 - s*x_0; p_2 = x_0 - s*(-1); y = (p_1 + p_2)/2; g_1 = p_1; g_2 = -1; u_1 = y - "
    "s*g_1; u_2 = y - s*g_2; h_1 = y; h_2 = -1; v_1 = y - s*h_1; v_2 = y - s*h_2; c = 1 + s; r_1 = 1; r_2 = 1 + 2*s"
)


def equivalent(code: str) -> Evidence:
    """Whether a code gives the models of FedAvg: induction over formal steps, and their own loops on instances."""
    if code == "printed":
        found = opposite(SECOND_STEP, "K = 1, f_1' = clip(x, -2, 2), f_2' = -1, the second step from x_0")
        words = "The second step of both codes, K = 1, two clients, and where they rest."
        return decide((False, SECOND_STEP.proof[1]), found, method=words)
    words = "that the averages are so far apart on this instance was computed by the loops of both codes"
    return decide(
        is_fedavg(code),
        tried(apart(code), prose=words),
        method="Induction over the steps on the formal step of a generic client; the codes' own loops run on small instances.",
        valid_for="all N, K, d, clients and noises",
    )


as_printed = of_equivalent_code(
    "LEC-PRSGD[as printed]",
    fault="substance",
    statement=r"x_i^t=\bar y-sG_i(x_i^{t-1})\ \text{if } K|t\quad\Longleftrightarrow\quad\text{FedAvg}",
    printed=dict(code="printed"),
    repair="LEC-PRSGD[average first, K divides t-1]",
    headline="The two codes called equivalent give different iterates, even for one local step",
    summary="Not equivalent: the averaging step uses a gradient from before averaging. Even for K = 1 the second step differs, and "
    "the average of the clients clip(x, -2, 2) and -1 rests at 1 + s, not at 1.",
    controls=[Control("average first, K divides t-1", dict(code="average first, K divides t-1"), must="pass")],
)(equivalent)

average_first = of_equivalent_code(
    "LEC-PRSGD[average first, K divides t-1]",
    statement=r"x_i^t=\bar y-sG_i(\bar y)\ \text{if } K|(t-1)\quad\Longleftrightarrow\quad\text{FedAvg}",
    printed=dict(code="average first, K divides t-1"),
    summary="This flat code is FedAvg with M = N, iterate by iterate (run against the loop over rounds).",
    controls=[
        Control("gradient before averaging", dict(code="printed")),
        Control("K divides t: the first round has K-1 steps", dict(code="average first, K divides t")),
    ],
)(equivalent)

local_sgd = of_the_slide(
    "LEC-LOCALSGD[Local SGD]",
    statement=r"\text{FedAvg}(M=N)=\text{Local SGD, averaging after every }K\text{ steps}",
    printed=dict(code="Local SGD"),
    summary="Local SGD has the same iterates under full participation.",
    controls=[Control("averaging after every step", dict(code="Parallel SGD"))],
)(equivalent)

restarted = of_the_slide(
    "LEC-LOCALSGD[Parallel Restarted SGD as printed]",
    fault="substance",
    statement=r"\text{FedAvg}(M=N)=\text{the printed code}",
    printed=dict(code="printed"),
    source="FedAvg slide and equivalent code",
    repair="LEC-LOCALSGD[Local SGD]",
    headline="Parallel restarted SGD as printed is not FedAvg with all clients",
    summary="The printed code differs from FedAvg with all clients in the second step, already for K = 1 and two clients.",
    controls=[Control("Local SGD", dict(code="Local SGD"), must="pass")],
)(equivalent)


#: Columns of X and Y are the clients' points in the printed code and in FedAvg, w their weights; M and O average or not.
_POINTS = {
    "A": "[[2]]",
    "X": "[[1, 3]]",
    "Y": "[[2, 2]]",
    "B": "[[0, 1]]",
    "E": "[[1, -1]]",
    "w": "[1/2, 1/2]",
    "s": "1",
}
_MIXED = {"M": "[[1/2, 1/2], [1/2, 1/2]]", "O": "[[1, 0], [0, 1]]", "H": "[[1, 0], [0, 2]]"}
common_curvature = statement_of_algebra(
    "LEC-PRSGD-S1",
    Matrices(
        "P*w = X*w - s*(A*X*w - B*w + E*w); Q*w = Y*w - s*(A*Y*w - B*w + E*w); P*w = Q*w for A in R(d, d); X in R(d, "
        "N); Y in R(d, N); B in R(d, N); E in R(d, N); M in R(N, N); O in R(N, N); w in R(N); s in R(1); M*w = w; O*w "
        "= w; X*w = Y*w; U = A*X; V = A*(Y*O); P = X*M - s*(U - B + E); Q = Y*O - s*(V - B + E)",
        uses={
            0: [("M*w = w", "X", "I")],
            1: [("O*w = w", "Y - s*A*Y", "I")],
            2: [("M*w = w", "X", "I"), ("O*w = w", "s*A*Y - Y", "I"), ("X*w = Y*w", "I - s*A", "I")],
        },
        at=[{**_POINTS, **_MIXED}],
    ),
    false={
        "clients of different curvature": ("U = A*X; V = A*(Y*O)", "H in R(N, N); U = X*H; V = Y*O*H"),
        "noise proportional to the point": ("U = A*X; V = A*(Y*O)", "H in R(N, N); U = A*X + X*H; V = A*(Y*O) + Y*O*H"),
    },
    group=of_equivalent_code,
    says=r"\nabla f_i(x)=Ax-b_i,\ \text{noises } n_i,\ x_i^+=(XM)_i-s(Ax_i-b_i+n_i)\text{ as printed},\ "
    r"y_i^+=(YO)_i-s(A(YO)_i-b_i+n_i)\text{ by FedAvg: }",
    headline="A step of the two codes moves equal averages equally if clients share the linear part",
    summary="When all clients share the linear part of an affine gradient and both codes have the same noises, one step with any "
    "mixing that keeps the weights, Mw = w, moves the average by the same map in either code, and equal averages to equal ones.",
    assumptions=("equal Hessians", "exact gradients, or the same additive noise in both codes", "M = N"),
)


same_guarantee = claim_of_bound(
    "LEC-PRSGD[equivalent for Theorem 1]",
    theorem_1,
    lambda bound: derived_for(CODES, bound, valid_for="as Theorem 1"),
    {"drift constant 4 -> 1/100": {G: "1/400"}},
    under=(step_size * L <= 1,),
    group=expectation_claim,
    source="slide on the equivalent code",
    summary="Weakest reading: the same guarantee. Theorem 1 is proved for the printed code and for FedAvg.",
)


if __name__ == "__main__":
    run_script(__file__)
