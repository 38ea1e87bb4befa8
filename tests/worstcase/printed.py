"""What a verifier printed, read back as mathematics and evaluated on clients in numbers: an independent reading of each theorem.

Only the printed lines are used: the program, the assumptions and the inequality are parsed from them.  Clients are quadratics
with random weights; quantities take the least values that the printed assumptions allow, and instances that break an assumption
without a quantity are left out.  Every vector has an axis of outcomes in front: signs of the noises, or all cohorts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np

Array = Any
SYMBOL = re.compile(r"^(zeta\^2|Gamma|G\^2|sigma\^2|Q_\d+)$")
NUMBER = re.compile(r"^-?\d+(\.\d+)?(/\d+)?(e[+-]\d+)?$")


def parts(text: str) -> list[tuple[float, str]]:
    """A sum as (factor, words); signs within brackets and bars belong to the words."""
    found, depth, bars, sign, start = [], 0, 0, 1.0, 0
    text = text.strip()
    if text.startswith("-"):
        sign, start = -1.0, 1
    place = start
    while place < len(text):
        letter = text[place]
        depth += (letter in "(<") - (letter in ")>")
        bars += letter == "|"
        if depth == 0 and bars % 2 == 0 and text[place : place + 3] in (" + ", " - "):
            found.append((sign, text[start:place]))
            sign, start, place = (1.0 if text[place + 1] == "+" else -1.0), place + 3, place + 2
        place += 1
    found.append((sign, text[start:]))
    listed = []
    for s, words in found:
        first, _, rest = words.strip().partition(" ")
        known = NUMBER.match(first)
        number = (float(Fraction(first)) if "e" not in first else float(first)) if known else 1.0
        listed.append((s * number, rest.strip() if known else words.strip()))
    return [(factor, words or "1") for factor, words in listed]


@dataclass
class Instance:
    """Quadratic clients (and a server's own loss), and the vectors that the printed program makes of them."""

    matrices: Array
    slopes: Array
    weights: Array
    cohorts: Array
    centre: tuple[Array, Array] | None
    vectors: dict[str, Array] = field(default_factory=dict)

    def mean(self, vector: Array) -> Array:
        return np.broadcast_to(np.einsum("k,skd->sd", self.weights, vector)[:, None], vector.shape)

    def average(self, vector: Array) -> Array:
        """Over the cohort of each outcome."""
        return np.broadcast_to(np.einsum("sk,skd->sd", self.cohorts, vector)[:, None], vector.shape)

    def gradients(self, x: Array) -> Array:
        return np.einsum("kij,skj->ski", self.matrices, x) + self.slopes

    def losses(self, x: Array) -> Array:
        return np.einsum("ski,kij,skj->sk", x, self.matrices, x) / 2 + np.einsum("ki,ski->sk", self.slopes, x)

    def central(self, x: Array) -> tuple[Array, Array]:
        if self.centre is None:
            return np.zeros_like(x), np.zeros(x.shape[:2])
        a, b = self.centre
        return x @ a + b, np.einsum("ski,ij,skj->sk", x, a, x) / 2 + x @ b

    @property
    def zero(self) -> Array:
        return np.zeros((len(self.cohorts), *self.slopes.shape))

    def vector(self, words: str) -> Array:
        """A linear combination of vectors, a row for each client."""
        total = self.zero
        for factor, atom in parts(words):
            total = total + factor * self.atom(atom) if factor else total
        return total

    def atom(self, words: str) -> Array:
        call = re.match(r"^(grad f_k|grad f_c|grad F|average|mean)\((.*)\)$", words)
        if words == "0":
            return self.zero
        if call is None:
            return self.vectors[words]
        inside = self.vector(call[2])
        if call[1] == "grad f_k":
            return self.gradients(inside)
        if call[1] == "grad f_c":
            return self.central(inside)[0]
        if call[1] == "grad F":
            return self.mean(self.gradients(inside)) + self.central(inside)[0]
        return self.average(inside) if call[1] == "average" else self.mean(inside)

    def functional(self, words: str) -> tuple[float, dict[str, float]]:
        """A value, and factors of quantities."""
        total, symbols = 0.0, {}
        for factor, term in parts(words):
            if SYMBOL.match(term):
                symbols[term] = symbols.get(term, 0.0) + factor
            elif term.startswith("(") and term.endswith(")") and "F(" in term:
                total += factor * self.functional(term[1:-1])[0]
            else:
                total += factor * float((self.rows(term.removeprefix("E ")) @ self.weights).mean())
        return total, symbols

    def rows(self, term: str) -> Array:
        """A term for each client."""
        term = term.removeprefix("sum_k p_k ")
        if term in ("0", "1"):
            return np.full(self.zero.shape[:2], float(term))
        if term.startswith("|"):
            return (self.vector(term[1:-3]) ** 2).sum(-1)
        if term.startswith("<"):
            one, two = (self.vector(side) for side in term[1:-1].split(", "))
            return (one * two).sum(-1)
        call = re.match(r"^(f_k|f_c|F)\((.*)\)$", term)
        if call and ") - " not in term:
            x = self.vector(call[2])
            if call[1] == "f_k":
                return self.losses(x)
            total = self.central(x)[1]
            return total if call[1] == "f_c" else total + (self.losses(x) @ self.weights)[:, None]
        if term.startswith("("):
            return sum(
                (factor * self.rows(inner) for factor, inner in parts(term[1:-1])), np.zeros(self.zero.shape[:2])
            )
        raise ValueError(f"{term!r} is not understood")


class Printed:
    """The lines of a report, taken apart."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        (first,) = (line for line in lines if line.startswith("proved: "))
        claim, _, who = first.removeprefix("proved: ").rpartition(", for ")
        self.left, _, self.right = claim.partition(" <= ")
        self.equal = "equal weights" in who
        count = re.search(r"N = (\d+)", who)
        self.clients = int(count[1]) if count else None
        self.ranges = {
            "f_c" if "f_c" in line else "f_k": [
                float(Fraction(end)) for end in re.findall(r"\[(.*?), (.*?)\]", line)[0]
            ]
            for line in lines
            if "has curvature in" in line
        }
        self.conditions = [line.removeprefix("if ") for line in lines if line.startswith("if ")]
        start = next(k for k, line in enumerate(lines) if line.endswith("the program is:"))
        self.program = [line.strip() for line in lines[start + 1 :] if line.startswith("  ")]

    def instance(self, rng: np.random.Generator, kind: int) -> Instance | None:
        n = self.clients or int(rng.integers(1, 5))
        d, (low, high) = 3, self.ranges.get("f_k", [0.1, 1.0])
        ends = rng.choice([low, high], (n, d)) if kind % 3 else np.full((n, d), (low, high)[kind % 2])
        turns = np.linalg.qr(rng.normal(size=(n, d, d)))[0] if kind % 2 else np.broadcast_to(np.eye(d), (n, d, d))
        matrices = np.einsum("kij,kj,klj->kil", turns, ends, turns)
        slopes = rng.normal(size=(n, d)) * (0 if kind % 4 == 0 else 10.0 ** rng.uniform(-2, 1))
        weights = np.full(n, 1 / n) if self.equal else rng.dirichlet(np.ones(n))
        centre = None
        if "f_c" in self.ranges:
            centre = np.diag(rng.choice(self.ranges["f_c"], d)), rng.normal(size=d)
        whole = np.einsum("k,kij->ij", weights, matrices) + (0 if centre is None else centre[0])
        if any("same gradient at w*" in line for line in self.conditions):
            slopes[:] = 0 if centre is None else -centre[1]  # w* = 0
            best = np.zeros(d)
        else:
            if np.linalg.eigvalsh(whole)[0] < 1e-6:  # no minimiser, or a whole flat of them
                return None
            best = np.linalg.solve(whole, -(weights @ slopes) - (0 if centre is None else centre[1]))
        signs, cohorts = self.outcomes(n, weights)
        size = (len(cohorts), n, d)
        made = Instance(matrices, slopes, weights, cohorts, centre, {"w*": np.broadcast_to(best, size)})
        for draw, sign in enumerate(signs):
            made.vectors[f"noise_{draw}"] = sign[:, :, None] * rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-2, 1)
        for line in self.program:
            name, _, words = line.partition(" = ")
            if words:
                made.vectors[name] = made.vector(words)
                continue
            name, _, what = line.partition(": ")
            scale = 10.0 ** rng.uniform(-1, 1)
            if "zero" in what:
                found = np.stack([np.linalg.solve(a, -b) for a, b in zip(matrices, slopes, strict=True)])
            elif "each client" in what:
                found = rng.normal(size=(n, d)) * scale
            else:
                found = rng.normal(size=d) * scale + ("point" in what) * best
            made.vectors[name] = np.broadcast_to(found, size)
        return made

    def outcomes(self, n: int, weights: Array) -> tuple[list[Array], Array]:
        """Signs of each client's noises, and the weights of the cohort, for all outcomes of equal chance."""
        draws = 1 + max((int(t) for line in self.lines for t in re.findall(r"noise_(\d+)", line)), default=-1)
        cohort = next(
            (re.search(r"drawn subset of (\d+) clients of (\d+)", line) for line in self.lines if "average: " in line),
            None,
        )
        if cohort is not None:
            assert not draws and int(cohort[2]) == n
            subsets = list(combinations(range(n), int(cohort[1])))
            return [], np.array([[(k in subset) / len(subset) for k in range(n)] for subset in subsets])
        assert any("average: over all clients" in line for line in self.lines) or not any(
            "average(" in x for x in self.program
        )
        bits = np.array(list(product((-1.0, 1.0), repeat=n * draws))).reshape(2 ** (n * draws), draws, n)
        return [bits[:, draw] for draw in range(draws)], np.broadcast_to(weights, (len(bits), n))

    def quantities(self, made: Instance) -> dict[str, float] | None:
        """The least values that the conditions allow; ``None`` where one without a quantity is broken."""
        found: dict[str, float] = {}
        for line in self.conditions:
            if line.startswith(("all clients", "each noise")):
                continue
            text = re.split(r", as where| \(the file|, m_\d+ the", line)[0]
            text, _, where = text.partition(" at x = ")
            name = "x"
            if not where:
                text, _, where = text.partition(" for ")
                name = "g" if where.startswith("g = ") else "noise"
                where = where.removeprefix("g = ")
            relation = next(sign for sign in (" <= ", " >= ", " = ") if sign in text)
            left, right = text.split(relation)
            for point in where.split(", ") if where else [None]:
                if point is not None:
                    made.vectors[name] = made.vector(point)
                (a, none), (b, symbols) = made.functional(left), made.functional(right)
                assert not none
                if not symbols:
                    gap = a - b if relation == " <= " else b - a if relation == " >= " else abs(a - b)
                    if gap > 1e-12 * (1 + abs(a)):
                        return None
                else:
                    ((symbol, factor),) = symbols.items()
                    found[symbol] = max(found.get(symbol, 0.0), (a - b) / factor)
        return found


def worst_excess(lines: list[str], *, tries: int = 60, seed: int = 0) -> tuple[float, int]:
    """The largest left side less right side, relative, over random clients, and how many instances counted."""
    printed, rng, worst, counted = Printed(lines), np.random.default_rng(seed), -np.inf, 0
    for kind in range(tries):
        made = printed.instance(rng, kind)
        found = None if made is None else printed.quantities(made)
        if made is None or found is None:
            continue
        left = made.functional(printed.left)[0]
        right, symbols = made.functional(printed.right)
        right += sum(factor * found[name] for name, factor in symbols.items())
        counted += 1
        worst = max(worst, (left - right) / (abs(left) + abs(right) + 1e-300))
    return float(worst), counted
