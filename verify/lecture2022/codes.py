"""The note's codes step by step: when they average, and what a generic client holds after a step.

``x`` is the client's own point before the step, ``y`` the average of all clients' points, ``g(p)`` the client's
stochastic gradient of this step, drawn at p.  Two codes with the same expression in both cases (averaging step or not)
and the same averaging steps give the same iterates: induction over the steps, for every N, K, d, oracle and noise.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.theory.proofs import equal
from fltheory.theory.steps import Instance, Proof, equality, shown
from verify.lecture2022.runs import Clipped, Noise, line, mean, no_noise, run, told

x, y, s = sp.symbols("x y s")
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
CLIENTS = {
    "different clients": (line(0, 100), line(100, 1)),
    "one curvature": (line(0, 100), line(2, 100)),
    "linear clients": (line(-100, 1), line(100, 2, "1/10")),
}


def step_expression(code: str, together: bool) -> sp.Expr:
    """The client's point after one step; ``together`` tells whether the step averages."""
    if not together:
        return x - s * g(x)
    return y - s * g(x if code == "printed" else y)


def proof_of_equality(code: str, reference: str) -> Proof:
    """Induction over the steps: the same averaging steps for every K, and the same formal step in both cases."""
    shift = sp.expand(COUNTER[code] - COUNTER[reference])
    counters = partial(equal, COUNTER[code], COUNTER[reference])
    steps = [shown("averaging steps", counters, f"the counters differ by {shift}")]
    for together, name in ((False, "plain step"), (True, "averaging step")):
        sides = step_expression(code, together), step_expression(reference, together)
        difference = sp.expand(sides[0] - sides[1])
        steps.append(shown(name, partial(equal, *sides), f"the clients' points differ by {difference}"))
    return Proof(tuple(steps))


def averages(
    code: str,
    clients: Sequence[Clipped],
    interval: int,
    steps: int,
    step_size: Fraction,
    *,
    noise: Noise = no_noise,
    proportional: Noise = no_noise,
) -> list[Fraction]:
    """Averaged iterates of a code, each by its own text: rounds for FedAvg, loops for Local SGD and the flat codes.

    Every code sees the same draws: ``noise(step, client)`` is added, ``proportional(step, client)`` times the point.
    """
    if code in FLAT:
        draws = dict(noise=noise, proportional=proportional)
        return list(run(FLAT[code], clients, step_size=step_size, local_steps=interval, steps=steps, **draws).means)
    points = [Fraction(0)] * len(clients)
    found = [Fraction(0)]

    def moved(step: int) -> list[Fraction]:
        return [
            p - step_size * (c.gradient(p) + noise(step, i) + proportional(step, i) * p)
            for i, (p, c) in enumerate(zip(points, clients, strict=True))
        ]

    if code == "FedAvg":
        while len(found) <= steps:
            points = [mean(points)] * len(clients)
            for _ in range(interval):
                points = moved(len(found))
                found.append(mean(points))
        return found[: steps + 1]
    period = 1 if code == "Parallel SGD" else interval
    for step in range(1, steps + 1):
        points = moved(step)
        if step % period == 0:
            points = [mean(points)] * len(clients)
        found.append(mean(points))
    return found


def signs(step: int, client: int) -> Fraction:
    """One possible outcome of independent draws +-1/4 per step and client: parities of binary digits."""
    return Fraction(-1 if (3 * step + client).bit_count() % 2 else 1, 4)


#: Draws that both codes see: exact gradients, the same additive noise, the same noise proportional to the point.
DRAWS: Mapping[str, Mapping[str, Noise]] = {
    "exact": {},
    "additive": {"noise": signs},
    "proportional": {"proportional": signs},
}


def compare(
    code: str, reference: str, *, clients: str, intervals: tuple[int, ...] = (1, 2, 3), draws: str = "exact"
) -> Iterator[Instance]:
    """Averaged iterates of two codes on an instance; for each K the first step at which they differ."""
    pair, step_size = CLIENTS[clients], Fraction(1, 2)
    words = told(pair)
    table = "; ".join(", ".join(str(signs(step, i)) for i in range(len(pair))) for step in range(1, 4))
    heard = "" if draws == "exact" else f", {draws} noise of steps 1, 2, 3: {table}"
    for interval in intervals:
        steps = 3 * interval + 2
        one, two = (averages(c, pair, interval, steps, step_size, **DRAWS[draws]) for c in (code, reference))
        when = next((i for i, (a, b) in enumerate(zip(one, two, strict=True)) if a != b), steps)
        yield equality(f"{words}{heard}, s=1/2, K={interval}, start 0, average after step {when}", one[when], two[when])
