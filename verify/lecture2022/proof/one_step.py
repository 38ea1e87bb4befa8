"""Displays of the proof of Theorem 1 evaluated on small instances: exact expectations of all that one step mentions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import prod
from typing import Any

import sympy as sp

from fltheory.evidence.witness import Side, Witness
from fltheory.theory.bound import Bound
from fltheory.theory.notation import ClientSum, Expect, Inner, NormSq, StepSum
from verify.lecture2022.derivations.words import MEANINGS, sides
from verify.lecture2022.displays import proof
from verify.lecture2022.runs import (
    Clipped,
    RunOfCode,
    mean,
    mean_gradient,
    mean_value,
    minimum,
    no_noise,
    run,
    sign_noises,
)

#: Names of expectations in the words of a counterexample; the others are numbered.
NAMES = {meaning: symbol.name for symbol, meaning in MEANINGS.items()} | {proof.mean_square(proof.moved): "M"}
Value = Any


@dataclass(frozen=True)
class LetteredStep:
    """A clipped line where it is the line (``side`` 0) or clipped from below or above (-1, 1): at letters, too."""

    of: Clipped
    side: int

    def gradient(self, x: Any) -> Any:
        """The line, or the level that it is clipped at."""
        return self.side * self.of.limit if self.side else self.of.curvature * (x - self.of.centre)

    def value(self, x: Any) -> Any:
        """Its antiderivative that vanishes at the centre."""
        away = x - self.of.centre
        if self.side:
            return self.side * self.of.limit * away - self.of.limit**2 / (2 * self.of.curvature)
        return self.of.curvature * away**2 / 2

    def given(self, x: Any) -> list[tuple[Any, str, Any]]:
        """That x is where this piece is the clipped line."""
        slope = self.of.curvature * (x - self.of.centre)
        if self.side:
            return [(self.side * slope, ">=", self.of.limit)] if self.of.limit else []
        return [(slope, "<=", self.of.limit), (slope, ">=", -self.of.limit)]


@dataclass(frozen=True)
class OneStep:
    """The last step of a run: for every step and outcome of the noise the values of the displays' letters, and constants.

    A letter that differs between the clients has a value for each of them.  ``given`` is what the letters obey.
    """

    text: str
    steps: Sequence[Sequence[Mapping[str, Value]]]
    constants: Mapping[str, Any]
    at: Mapping[str, Any]
    given: Sequence[tuple[Any, str, Any]]

    def value(self, node: sp.Basic, outcome: Mapping[str, Value] | None = None, client: int | None = None) -> Any:
        """An expression of a display at an outcome and a client, or with all of them averaged or summed."""

        def inner(one: sp.Basic) -> Any:
            return self.value(one, outcome, client)

        if isinstance(node, StepSum):
            return sum(replace(self, steps=[one]).value(node.args[0]) for one in self.steps)
        if isinstance(node, Expect):
            return mean([self.value(node.args[0], one, client) for one in self.steps[-1]])
        if isinstance(node, ClientSum):
            return sum(self.value(node.args[0], outcome, i) for i in range(int(self.at["N"])))
        if isinstance(node, NormSq | Inner):
            return inner(node.args[0]) * inner(node.args[-1])
        if isinstance(node, sp.Symbol):
            value = outcome[node.name] if outcome and node.name in outcome else self.constants[node.name]
            return value[client] if isinstance(value, tuple | list) and client is not None else value
        if isinstance(node, sp.Rational):
            return Fraction(int(node.p), int(node.q))
        if isinstance(node, sp.Pow):
            return inner(node.base) ** int(node.exp)
        return sum(map(inner, node.args)) if isinstance(node, sp.Add) else prod(map(inner, node.args))

    def witness(self, display: Bound) -> Witness:
        """The display at this step: its expectations are averages over all outcomes, written out, and have names for people."""
        names: dict[sp.Basic, sp.Symbol] = {}

        def named(node: sp.Basic) -> sp.Expr:
            if isinstance(node, Expect | ClientSum | StepSum):
                return names.setdefault(node, sp.Symbol(NAMES.get(node, f"E_{len(names) + 1}")))
            return node.func(*map(named, node.args)) if node.args else node

        left, right = (Side(str(named(side)), sp.expand(self.value(side))) for side in sides(display))
        every = [left.value, right.value, *(sp.sympify(one) for each in self.given for one in (each[0], each[2]))]
        used = {symbol.name for one in every for symbol in one.free_symbols}
        at = {name: value for name, value in self.at.items() if name in used or not used}
        return Witness(at, left, display.relation, right, self.given, self.text)


def one_step(
    text: str,
    code: str,
    clients: Sequence[Clipped],
    step_size: Fraction,
    *,
    local_steps: int = 1,
    step: int = 1,
    start: Fraction = Fraction(0),
    noise: Fraction = Fraction(0),
) -> OneStep:
    """Enumerate all signs of the noise (+-sigma per client and step) up to the given step, in the letters s, x_0 and sigma.

    Many outcomes are in numbers only: a refutation by them is not kept as a certificate.

    Raises
    ------
    ValueError : a client is clipped at some of its points and not at others.
    """
    at: dict[str, Any] = {
        "s": step_size,
        "x_0": start,
        "sigma": noise,
        "K": Fraction(local_steps),
        "N": Fraction(len(clients)),
    }
    at |= {
        "L": max(c.curvature for c in clients),
        "G": sp.sqrt(sp.sympify(max(c.limit for c in clients) ** 2 + noise**2)),
    }
    at |= {"T": Fraction(step), "gap": mean_value(clients, start) - minimum(clients)}
    letters = {name: sp.Symbol(name) for name in at}

    def paths(of: Sequence[Any], first: Any, size: Any, rate: Any) -> list[RunOfCode]:
        tables = list(sign_noises(len(of), step, size)) if noise else [no_noise]
        words: dict[str, Any] = dict(step_size=rate, local_steps=local_steps, steps=step, start=first)
        return [run(code, of, noise=table, **words) for table in tables]

    def points(of: Sequence[RunOfCode], client: int) -> list[Any]:
        return [x for path in of for x in (*path.means, *(each[client] for each in path.points))]

    numbers = paths(clients, start, noise, step_size)
    if noise and step > 1:
        steps = [[_letters(clients, path, t) for path in numbers] for t in range(1, step + 1)]
        return OneStep(text, steps, at, at, [])
    pieces = [_piece(c, points(numbers, i)) for i, c in enumerate(clients)]
    written = paths(pieces, letters["x_0"], letters["sigma"], letters["s"])
    given = [(letters["s"], ">", 0), *((letters["L"], ">=", c.curvature) for c in clients)]
    given += [(letters["G"] ** 2, ">=", c.limit**2 + letters["sigma"] ** 2) for c in clients]
    given += [one for i, piece in enumerate(pieces) for x in points(written, i) for one in piece.given(sp.expand(x))]
    steps = [[_letters(pieces, path, t) for path in written] for t in range(1, step + 1)]
    return OneStep(text, steps, letters, at, list(dict.fromkeys(given)))


def _piece(client: Clipped, points: Sequence[Fraction]) -> LetteredStep:
    """The piece of a client on which all points lie."""
    for side in (0, 1, -1):
        piece = LetteredStep(client, side)
        if all(piece.gradient(x) == client.gradient(x) and piece.value(x) == client.value(x) for x in points):
            return piece
    raise ValueError(f"{client} is clipped at some of {', '.join(map(str, points))} and not at others")


def _letters(clients: Sequence[Any], path: RunOfCode, t: int) -> Mapping[str, Value]:
    """The letters of the displays at step t of a run."""
    before, after, points = path.means[t - 1], path.means[t], path.points[t - 1]
    return {
        "before": mean_value(clients, before),
        "after": mean_value(clients, after),
        "a": mean_gradient(clients, before),
        "h": [c.gradient(before) for c in clients],
        "g_mean": [c.gradient(x) for c, x in zip(clients, points, strict=True)],
        "g": path.gradients[t - 1],
        "xbar": after,
        "xbar_before": before,
        "x_before": points,
    }


def line(centre: int | str, limit: int | str, curvature: int | str = 1) -> Clipped:
    """Clipped line from small numbers."""
    return Clipped(Fraction(curvature), Fraction(centre), Fraction(limit))


@cache
def steps_of_runs() -> list[OneStep]:
    """Steps of short runs under the assumptions: one and two clients, both codes, with and without noise."""
    single, flat, pair = line(0, 4), (line(0, 1), line(0, 0)), (line(0, 4), line(2, 1, "1/2"))
    one, half, eighth = Fraction(1), Fraction(1, 2), Fraction(1, 8)
    text = "one client f'=clip(x,-4,4), x=0, noise +-2, s=1/2"
    small = "one client f'=clip(x,-1/8,1/8), x=0, noise +-1, s=1/8"
    printed = "f_1'=clip(x,-1,1), f_2'=0, s=1/64, K=1, printed code, start 1, second step"
    curved = "f_1'=clip(x,-5/4,5/4), f_2'=clip(x-3,-1,1), s=1/8, K=1, printed code, start 9/8, second step"
    rounds = "f_1'=clip(x,-1,1), f_2'=0, s=1/256, K=2, average first, start 1, second step"
    noisy = "f_1'=clip(x,-4,4), f_2'=clip((x-2)/2,-1,1), noises +-1, s=1/2"
    last = dict(step=3, start=-one, noise=one)
    three, text_3 = (line(0, 1), line(0, 1), line(0, 0)), "f_1'=f_2'=clip(x,-1,1), f_3'=0, s=1/64, K=1, printed code"
    alike, text_2 = (line(0, 4), line(2, 4)), "f_1'=clip(x,-4,4), f_2'=clip(x-2,-4,4), s=1/8, K=1, printed code"
    return [
        one_step("one client f'=clip(x,-1,1), s=1, start 1", "FedAvg", [line(0, 1)], one, start=one),
        one_step(f"{text_3}, start 1, second step", "printed", three, Fraction(1, 64), step=2, start=one),
        one_step(f"{text_2}, start 0, second step", "printed", alike, eighth, step=2),
        one_step(text, "FedAvg", [single], half, noise=2 * one),
        one_step(small, "FedAvg", [line(0, "1/8")], eighth, noise=one),
        one_step(printed, "printed", flat, Fraction(1, 64), step=2, start=one),
        one_step(curved, "printed", [line(0, "5/4"), line(3, 1)], eighth, step=2, start=9 * eighth),
        one_step(rounds, "FedAvg", flat, Fraction(1, 256), local_steps=2, step=2, start=one),
        *(
            one_step(f"{noisy}, K={k}, {code}, start -1, step 3", code, pair, half, local_steps=k, **last)
            for k in (1, 2)
            for code in ("printed", "FedAvg")
        ),
    ]
