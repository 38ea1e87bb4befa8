"""Displays of the proof of Theorem 1 evaluated on short runs: exact expectations of all that a step mentions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from fltheory.derivation.finite import FiniteInstance, FiniteSpace, Tabulated, Text, times
from fltheory.theory.bound import Bound
from fltheory.theory.steps import Instance, equality
from verify.lecture2022.derivations.words import texts
from verify.lecture2022.runs import Clipped, RunOfCode, line, mean_value, minimum, outcomes, told

#: The letters of the derivations of the displays at step t of a run, for client i, which is c.
LETTERS: Mapping[str, Callable[[RunOfCode, int, int, Clipped], Any]] = {
    "f_u": lambda path, t, i, c: c.value(path.means[t - 1]),
    "f_u1": lambda path, t, i, c: c.value(path.means[t]),
    "g_u": lambda path, t, i, c: (c.gradient(path.means[t - 1]),),
    "g_x": lambda path, t, i, c: (c.gradient(path.points[t - 1][i]),),
    "noise": lambda path, t, i, c: (path.gradients[t - 1][i] - c.gradient(path.points[t - 1][i]),),
    "u": lambda path, t, i, c: (path.means[t - 1],),
    "u1": lambda path, t, i, c: (path.means[t],),
    "x": lambda path, t, i, c: (path.points[t - 1][i],),
}


def space(clients: Sequence[Clipped], noise: Fraction, code: str, start: Fraction, **numbers: Any) -> FiniteSpace:
    """All steps of a run, and all signs of the noise, +-``noise`` per client and step; gradients have moments up to G^2."""
    steps, count = numbers["steps"], len(clients)
    paths = outcomes(code, clients, noise=noise, start=start, **numbers)
    laws = {"k": range(count), "xi": range(len(paths)), "t": range(1, steps + 1)}
    axes = {axis: dict.fromkeys(points, Fraction(1, len(points))) for axis, points in laws.items()}
    known = {"N": count, "T": steps, "K": numbers["local_steps"], "s": numbers["step_size"], "sigma": noise}
    known |= {"L": max(c.curvature for c in clients), "G": max(c.limit for c in clients) + noise}
    known["gap"] = mean_value(clients, start) - minimum(clients)
    found = FiniteSpace(FiniteInstance(axes, {}))
    found.made |= {name: Tabulated((), lambda point, x=x: Fraction(x)) for name, x in known.items()}
    for name, of in LETTERS.items():
        read = lambda p, of=of: of(paths[p["xi"]], p["t"], p["k"], clients[p["k"]])  # noqa: E731
        found.made[name] = Tabulated(("k", "t", "xi"), read)
    return found


#: Short runs under the assumptions: clients, size of the noise, code, start, step size, K and number of steps.
RUNS = (
    ([line(0, 1), line(0, 1), line(0, 0)], 0, "printed", 1, "1/64", 1, 2),
    ([line(0, 4), line(2, 4)], 0, "printed", 0, "1/8", 1, 2),
    ([line(0, "5/4"), line(3, 1)], 0, "printed", "9/8", "1/8", 1, 2),
    ([line(0, 4)], 2, "FedAvg", 0, "1/2", 1, 1),
    ([line(0, "1/8")], 1, "FedAvg", 0, "1/8", 1, 1),
    ([line(0, 4), line(2, 1, "1/2")], 1, "printed", -1, "1/2", 2, 3),
    ([line(0, 4), line(2, 1, "1/2")], 1, "FedAvg", -1, "1/2", 2, 3),
)


def at_values(display: Bound, letters: Mapping[str, str], text: str, **values: Any) -> Iterator[Instance]:
    """Both sides where the letters of a derivation have these values, vectors as tuples."""
    found = FiniteSpace(FiniteInstance({}, {}))
    found.made |= {name: Tabulated((), lambda point, x=x: times(Fraction(1), x)) for name, x in values.items()}
    left, right = (found.averages(Text(side))[0] for side in texts(display, letters))
    yield (equality if display.relation == "=" else Instance)(text, left, right)


@cache
def spaces() -> Mapping[str, FiniteSpace]:
    """The runs in words, and evaluated."""
    found = {}
    for clients, noise, code, start, size, local_steps, steps in RUNS:
        numbers = dict(step_size=Fraction(size), local_steps=local_steps, steps=steps)
        numbers |= dict(start=Fraction(start), noise=Fraction(noise))
        found[told(code, clients, **numbers)] = space(clients, code=code, **numbers)
    return found


def on_runs(display: Bound) -> Iterator[Instance]:
    """Both sides at every step of the runs, or of a sum over the steps at the last one."""
    over = ("k", "xi", "t") if display.name == "sum of the decreases" else ("k", "xi")
    for text, found in spaces().items():
        left, right = (found.averages(Text(side, over)) for side in texts(display))
        for step, sides in enumerate(zip(left, right, strict=True), start=1):
            yield (equality if display.relation == "=" else Instance)(f"{text}, step {step}", *sides)
