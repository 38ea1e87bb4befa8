# mypy: ignore-errors, allow-untyped-defs, allow-untyped-calls, allow-any-generics, no-check-untyped-defs
"""The trusted replayer of derivations: one file, standard library only, exact rational arithmetic.

Run it by itself: ``python -I -S replay.py DERIVATION.json...`` (exit code 0 accepted, 1 rejected or unreadable).

A derivation is a list of lines.  Declarations say what an instance is; rules make facts; nothing else makes one.

An instance has *axes*, probability spaces: ``clients`` with weights p_k, ``steps``, ``noise`` and ``cohort`` draws, ``time``
with equal weights, and ``past``, all that was drawn before; they are independent, but that noise may depend on the past.  On
them live real *parameters* in ranges, *vectors* of an inner product space and real *values*, each a function on the axes that
it names, and *functions* with value and gradient at points.  ``mean(x, k)`` averages x over axis k.

Axes are not empty: of a step that is not taken there is some vector with the factor 0.  What names ``past`` and no time is
known before the first time.  ``next`` says the law at t + 1.  Declarations (ranges, equations, next and first values) are part of
what an instance obeys and are read in the lines; hypotheses, choices and what rules suppose are listed with each fact.

A fact: ``the average over its axes of form >= 0`` (or ``= 0``) at every point of the other axes, for every instance that obeys the
hypotheses it uses.  A form is quadratic in vectors (``dot(x, y)``, ``sq(x)``), linear in values, its coefficients rational in
parameters.  Averaging is linear and positive, and splits vectors along an axis into mean and deviation, which are orthogonal:
``<x, y> = <mean x, mean y> + <x - mean x, y - mean y>`` on average.  That sentence is the soundness of ``combine``:

    target = sum of multiplier * fact + weight * square + number,  multipliers, weights and number nonnegative on the ranges.

The other rules say at their methods, ``line_<rule>``, what they conclude from what.
"""

import ast
import json
import sys
from fractions import Fraction
from functools import lru_cache
from itertools import product, repeat
from math import lcm
from operator import add, lt, sub

MOST_TERMS, MOST_BYTES, MOST_DIGITS, MOST_POWER, MOST_LINES = 20_000, 1_000_000, 60, 64, 1000
MOST_BITS, MOST_WORK = 20_000, 1_000_000
KINDS = ("clients", "steps", "noise", "cohort", "time", "past")
#: What an axis of a lemma may stand for: its local time is the steps of a round, its past all that is drawn in the round.
STANDS = {("time", "steps"), ("past", "noise"), *((kind, kind) for kind in KINDS[:4])}
UNIT, NOWHERE, ZEROS = ("one",), frozenset(), repeat(0)


class Underivable(Exception):
    """The derivation proves nothing; the message says why."""


def require(condition, message):
    if not condition:
        raise Underivable(message)


class Effort:
    """Products of terms so far in one line: what takes for ever is refused."""

    done = 0

    @classmethod
    def spend(cls, amount):
        cls.done += amount
        require(cls.done <= MOST_WORK, "too much work in one line")


# Polynomials are {((name, exponent), ...): rational}.


def p_add(a, b, factor=1):
    Effort.spend(len(b))
    total = dict(a)
    for mono, c in b.items():
        c = c if factor == 1 else factor * c
        total[mono] = total[mono] + c if mono in total else c
    return {mono: c for mono, c in total.items() if c}


@lru_cache(maxsize=1 << 16)
def m_mul(m, n):
    """The product of two monomials."""
    if not (m and n):
        return m or n
    powers = dict(m)
    for name, e in n:
        powers[name] = powers.get(name, 0) + e
    require(all(e <= MOST_POWER for e in powers.values()), f"a power of more than {MOST_POWER}")
    return tuple(sorted(powers.items()))


def whole(a):
    """A polynomial with whole coefficients, and the number that it is to be divided by."""
    below = lcm(*(c.denominator for c in a.values()))
    return {mono: c.numerator * (below // c.denominator) for mono, c in a.items()}, below


def p_mul(a, b):
    Effort.spend(len(a) * len(b))
    (a, under), (b, below), total = whole(a), whole(b), {}
    for m, c in a.items():
        for n, d in b.items():
            mono = m_mul(m, n)
            total[mono] = total.get(mono, 0) + c * d
    require(len(total) <= MOST_TERMS, "an expression with too many terms")
    total = {mono: Fraction(c, under * below) for mono, c in total.items() if c}
    small = all(max(abs(c.numerator), c.denominator).bit_length() <= MOST_BITS for c in total.values())
    require(small, "a number with too many digits")
    return total


def p_divide(a, b):
    """The quotient if b divides a, else None."""
    names = sorted({name for mono in (*a, *b) for name, _ in mono})
    rest, by = ({tuple(map(dict(mono).get, names, ZEROS)): c for mono, c in one.items()} for one in (a, b))
    lead, quotient = max(by), {}
    if rest and any(map(lt, min(rest), min(by))):  # the least monomial of a product is that of its factors, multiplied
        return None
    while rest:
        top = max(rest)
        if any(map(lt, top, lead)):
            return None
        Effort.spend(2 * len(b) + 1)
        shift, c = tuple(map(sub, top, lead)), rest[top] / by[lead]
        quotient[shift] = c
        require(max(abs(c.numerator), c.denominator).bit_length() <= MOST_BITS, "a number with too many digits")
        for powers, d in by.items():
            powers = tuple(map(add, powers, shift))
            rest[powers] = rest.get(powers, 0) - c * d
            if not rest[powers]:
                del rest[powers]
    return {tuple((n, e) for n, e in zip(names, shift, strict=True) if e): c for shift, c in quotient.items()}


ONE = {(): Fraction(1)}


class RationalFunction:
    """A rational function: a polynomial over powers of monic polynomials, which are kept as factors."""

    def __init__(self, top, bottom=()):
        bottom = dict(bottom)
        for base in list(bottom):
            while top and bottom[base] and (quotient := p_divide(top, dict(base))) is not None:
                top, bottom[base] = quotient, bottom[base] - 1
        self.top, self.bottom = top, {base: e for base, e in bottom.items() if e and top}

    def __bool__(self):
        return bool(self.top)

    def __add__(self, other):
        bases = {*self.bottom, *other.bottom}
        common = {base: max(self.bottom.get(base, 0), other.bottom.get(base, 0)) for base in bases}
        tops = []
        for one in (self, other):
            top = one.top
            for base, e in common.items():
                for _ in range(e - one.bottom.get(base, 0)):
                    top = p_mul(top, dict(base))
            tops.append(top)
        return RationalFunction(p_add(*tops), common)

    def __neg__(self):
        found = RationalFunction({m: -c for m, c in self.top.items()})
        found.bottom = self.bottom  # what divided nothing before divides nothing now
        return found

    def __sub__(self, other):
        return self + -other

    def __mul__(self, other):
        for one, two in ((self, other), (other, self)):
            if two.top == ONE and not two.bottom:
                return one
        bases = {*self.bottom, *other.bottom}
        bottom = {base: self.bottom.get(base, 0) + other.bottom.get(base, 0) for base in bases}
        return RationalFunction(p_mul(self.top, other.top), bottom)

    def inverse(self):
        require(self.top, "division by zero")
        top = RationalFunction({(): Fraction(1)})
        for base, e in self.bottom.items():
            top = top * RationalFunction(dict(base)).power(e)
        names = {name for mono in self.top for name, _ in mono}
        content = {name: min(dict(mono).get(name, 0) for mono in self.top) for name in names}
        rest = {tuple((n, e - content[n]) for n, e in mono if e > content[n]): c for mono, c in self.top.items()}
        lead = rest[max(rest)]
        bottom = {((((name, 1),), Fraction(1)),): e for name, e in content.items() if e}
        if len(rest) > 1:
            bottom[tuple(sorted((m, c / lead) for m, c in rest.items()))] = 1
        return RationalFunction({m: c / lead for m, c in top.top.items()}, bottom)

    def power(self, e):
        require(abs(e) <= MOST_POWER, f"a power {e}, more than {MOST_POWER}")
        base, total = (self if e >= 0 else self.inverse()), number(1)
        for _ in range(abs(e)):
            total = total * base
        return total

    def names(self):
        found = {name for mono in self.top for name, _ in mono}
        return found.union(*({name for mono, _ in base for name, _ in mono} for base in self.bottom))

    def put(self, values):
        """The function with parameters replaced by rational functions."""
        if not values.keys() & self.names():
            return self
        total = p_put(self.top, values)
        for base, e in self.bottom.items():
            total = total * p_put(dict(base), values).power(-e)
        return total


def p_put(polynomial, values):
    """By Horner's rule in one replaced name after the other."""
    name = next((n for n in values if any(n == m for mono in polynomial for m, _ in mono)), None)
    if name is None:
        return RationalFunction(polynomial)
    parts, total, others = by_power(polynomial, name), number(0), {n: v for n, v in values.items() if n != name}
    for e in range(max(parts), -1, -1):
        total = total * values[name] + p_put(parts.get(e, {}), others)
    return total


def by_power(polynomial, name):
    """The coefficients of the powers of a name."""
    if not any(n == name for mono in polynomial for n, _ in mono):
        return {0: polynomial} if polynomial else {}
    parts = {}
    for mono, c in polynomial.items():
        parts.setdefault(dict(mono).get(name, 0), {})[tuple(pair for pair in mono if pair[0] != name)] = c
    return parts


def one_sign(polynomial, ends, strictly):
    """The sign of all coefficients, if names without ends have even powers; strictly: at the ends (closed powers) too."""
    signs = {1 if c > 0 else -1 for c in polynomial.values()}
    powers = {name for mono in polynomial for name, _ in mono}
    if len(signs) > 1 or any(e % 2 and name not in ends for mono in polynomial for name, e in mono):
        return 0
    if not strictly:
        return signs.pop() if signs else 1
    corners = [[(name, e) for e in ends.get(name, [0])] for name in {*powers, *ends}]
    corners = [corner for corner in corners if corner]
    require(len(corners) <= 12, "too many ranges at once")
    Effort.spend(len(polynomial) * 2 ** len(corners))
    remains = lambda corner: any(all(dict(mono).get(n, 0) == e for n, e in corner) for mono in polynomial)  # noqa: E731
    return signs.pop() if signs and all(map(remains, product(*corners))) else 0


@lru_cache(maxsize=1 << 10)
def number(value):
    """A number as a rational function, which nothing changes."""
    return RationalFunction({(): Fraction(value)} if value else {})


def symbol(name):
    return RationalFunction({((name, 1),): Fraction(1)})


class Combination:
    """{(name, axes it is averaged over): coefficient}."""

    def __init__(self, terms=()):
        self.terms = {key: c for key, c in dict(terms).items() if c}

    def plus(self, other, factor=None):
        total = dict(self.terms)
        for key, c in other.terms.items():
            c = c if factor is None else c * factor
            total[key] = total[key] + c if key in total else c
        return type(self)(total)

    def times(self, factor):
        return type(self)({key: c * factor for key, c in self.terms.items()})


class Form(Combination):
    """{atom: coefficient}: UNIT, ("value", name, axes averaged over) or ("dot", axes of deviation, vector, vector)."""


def dot(x, y, part=NOWHERE):
    total = {}
    for (a, c), (b, d) in product(x.terms.items(), y.terms.items()):
        sides = sorted((a, b), key=lambda side: (side[0], sorted(side[1])))
        key, c = ("dot", part, *sides), c * d
        total[key] = total[key] + c if key in total else c
    return Form(total)


def value(name, c=1):
    return Form({("value", name, NOWHERE): number(c)})


def as_form(item):
    require(isinstance(item, (RationalFunction, Form)), "a vector stands where a number is meant")
    return Form({UNIT: item}) if isinstance(item, RationalFunction) else item


def scaled(item, factor):
    return item * factor if isinstance(item, RationalFunction) else item.times(factor)


class Fact:
    def __init__(self, form, over, relation, uses, strict=()):
        self.form, self.over, self.relation = form, frozenset(over), relation
        self.uses, self.strict = frozenset(uses), frozenset(strict)


class Parameter:
    def __init__(self, low, high, low_open, high_open, varies):
        self.low, self.high, self.low_open, self.high_open = low, high, low_open, high_open
        self.varies, self.next, self.first, self.chosen = varies, None, None, None


class Replay:
    """The state of a derivation; :meth:`line` adds a declaration or a fact."""

    def __init__(self):
        self.axes, self.parameters, self.vectors, self.values, self.lets = {}, {}, {}, {}, {}
        self.functions, self.points, self.hypotheses, self.facts = {}, {}, {}, {}
        self.next, self.numbers, self.distinctions, self.lemmas, self.exponentials = {}, {}, {}, {}, {}
        self.fired, self.strict, self.known_signs, self.reasons = set(), set(), {}, {}
        self.lines = 0

    # Texts

    def fresh(self, name):
        require(type(name) is str and name.isidentifier() and name.isascii(), f"{name!r} is no name")
        taken = (
            self.axes,
            self.parameters,
            self.vectors,
            self.values,
            self.functions,
            self.lets,
            ("mean", "dot", "sq"),
        )
        require(not any(name in one for one in taken), f"{name} is taken")
        return name

    def reason(self, text, kind):
        """What a fact uses: hypothesis, case, mean of a vector, choice or what a rule supposes, never two of one name."""
        require(type(text) is str and self.reasons.setdefault(text, kind) == kind, f"{text!r} has another meaning")
        return text

    def cases_of(self, uses):
        return {one for one in uses if self.reasons.get(one) == "case"}

    def read(self, text, rename=None):
        """The number, vector or form that a text stands for."""
        require(type(text) in (str, int) and len(str(text)) <= 4000, "no expression of at most 4000 characters")
        try:
            node = ast.parse(str(text), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise Underivable(f"{text!r} cannot be read") from None
        return self.build(node, rename or {})

    def build(self, node, rename):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            require(len(str(node.value)) <= MOST_DIGITS, "a number with too many digits")
            return number(node.value)
        if isinstance(node, ast.Name):
            return self.symbol(rename.get(node.id, node.id))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return scaled(self.build(node.operand, rename), number(-1))
        if isinstance(node, ast.BinOp):
            return self.operate(node, rename)
        named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords
        require(named, f"{ast.unparse(node)[:60]!r} is none of + - * / **, mean, dot, sq")
        if node.func.id == "mean":
            require(
                len(node.args) > 1 and all(isinstance(a, ast.Name) for a in node.args[1:]), "mean(vector, axis, ...)"
            )
            inner, over = self.build(node.args[0], rename), self.names([a.id for a in node.args[1:]])
            if type(inner) is Combination:
                return self.project(inner, NOWHERE, over)
            require(isinstance(inner, Form) and all(k[0] != "dot" for k in inner.terms), "mean of no vector or value")
            return self.average(inner, over)
        items = [self.build(a, rename) for a in node.args]
        count = {"sq": 1, "dot": 2}.get(node.func.id)
        require(
            count == len(items) and all(type(i) is Combination for i in items),
            f"{ast.unparse(node)[:60]}: sq(x), dot(x, y)",
        )
        return dot(items[0], items[-1])

    def operate(self, node, rename):
        left, operator = self.build(node.left, rename), type(node.op)
        if operator is ast.Pow:
            negative = isinstance(node.right, ast.UnaryOp) and isinstance(node.right.op, ast.USub)
            inner = node.right.operand if negative else node.right
            whole = isinstance(inner, ast.Constant) and type(inner.value) is int
            require(
                whole and isinstance(left, RationalFunction),
                f"{ast.unparse(node)[:60]}: powers are whole and of numbers",
            )
            if negative:
                self.nowhere_zero(left)
            return left.power(-inner.value if negative else inner.value)
        right = self.build(node.right, rename)
        if operator in (ast.Add, ast.Sub):
            right = scaled(right, number(-1)) if operator is ast.Sub else right
            if type(left) is not type(right):
                left, right = as_form(left), as_form(right)
            return left + right if isinstance(left, RationalFunction) else left.plus(right)
        if operator is ast.Div:
            require(isinstance(right, RationalFunction), "division by what is no number")
            self.nowhere_zero(right)
            return scaled(left, right.inverse())
        left, right = (left, right) if isinstance(right, RationalFunction) else (right, left)
        require(
            operator is ast.Mult and isinstance(right, RationalFunction),
            f"{ast.unparse(node)[:60]!r}: no product of numbers",
        )
        return scaled(left, right)

    def symbol(self, name):
        if name in self.parameters:
            return symbol(name)
        if name in self.vectors:
            return Combination({(name, NOWHERE): number(1)})
        if name in self.values:
            return value(name)
        require(name in self.lets, f"{name} is not declared")
        self.fired |= self.lets[name][1]
        return self.lets[name][0]

    def rational(self, text):
        found = self.read(text)
        require(isinstance(found, RationalFunction), f"{text!r} is no number")
        return found

    def vector(self, text):
        found = Combination() if text in (0, "0") else self.read(text)
        require(type(found) is Combination, f"{text!r} is no vector")
        return found

    def names(self, given):
        require(type(given) in (list, tuple) and {*given} <= self.axes.keys(), f"{given} are no axes")
        return frozenset(given)

    # Signs on ranges

    def sign(self, found, strictly=False, closed=NOWHERE):
        """1 or -1 if a function is shown to be >= 0 or <= 0 (strictly: > 0 or < 0) on the ranges, else 0.

        ``closed`` names parameters whose ends count as closed.
        """
        total = self.polynomial_sign(found.top, strictly, closed)
        for base, e in found.bottom.items():
            total *= self.polynomial_sign(dict(base), True, closed) ** e
        return total

    def polynomial_sign(self, polynomial, strictly, closed):
        """Each range is parametrised by u in [0, oo): low + u, or (low + high u)/(1 + u) with u = oo at the upper end.

        A polynomial of degree d in it is multiplied by (1 + u)^d: then its value at u = oo is the coefficient of u^d.
        """
        ends, total = {}, 1
        for name, p in reversed(self.parameters.items()):
            parts = by_power(polynomial, name) if p.low is not None else {}
            degree = max(parts, default=0)
            if degree:
                u, shut, found, scale = symbol("u " + name), name in closed, number(0), number(1)
                middle = p.low + (u if p.high is None else p.high * u)
                for e in range(degree, -1, -1):
                    found = found * middle + RationalFunction(parts.get(e, {})) * scale
                    scale = scale if p.high is None else scale * (number(1) + u)
                ends["u " + name] = [0] * (shut or not p.low_open) + [degree] * (
                    p.high is not None and (shut or not p.high_open)
                )
                for base, e in found.bottom.items():
                    total *= self.polynomial_sign(dict(base), True, closed) ** e
                polynomial = found.top
        return total * one_sign(polynomial, ends, strictly)

    def shown(self, found, what, strictly=False, either=False):
        """Require a sign; note open ends that it needs: all the others may be closed together."""
        key = show(found), strictly, either, len(self.parameters)
        if key not in self.known_signs:
            good = lambda closed: (sign := self.sign(found, strictly, closed)) > 0 or (either and sign < 0)  # noqa: E731
            names = {n for n in self.below(found) if self.parameters[n].low_open or self.parameters[n].high_open}
            holds, shut = not found and not strictly or good(NOWHERE), set(names)
            if holds and not good(shut):
                shut = set()
                for name in sorted(names):
                    shut |= {name} if good(shut | {name}) else set()
            self.known_signs[key] = holds, names - shut
        holds, strict = self.known_signs[key]
        if not holds:
            wanted = "to vanish nowhere" if either else "nonnegative"
            raise Underivable(f"{what} {show(found)} is not shown {wanted} on the ranges")
        self.strict |= strict

    def nowhere_zero(self, found):
        self.shown(found, "the divisor", True, True)

    def below(self, found):
        """Names in an expression and in the ends of their ranges."""
        names, todo = set(), [*found.names()]
        while todo:
            name = todo.pop()
            if name not in names:
                names.add(name)
                todo += [
                    n for end in (self.parameters[name].low, self.parameters[name].high) if end for n in end.names()
                ]
        return names

    def varies(self, *numbers):
        return NOWHERE.union(*(self.parameters[n].varies for found in numbers for n in found.names()))

    def constant_along(self, found, over, what):
        if self.varies(found) & over:
            raise Underivable(f"{what} {show(found)} is not constant along {sorted(over)}")

    # Averages

    def project(self, vector, part, over):
        """Deviation along the axes ``part`` of the mean over the axes ``over`` of a vector."""
        total = Combination()
        for (name, done), c in vector.terms.items():
            axes = self.vectors[name]["axes"]
            self.constant_along(c, over | part, f"the coefficient of {name}")
            timeless = not self.drawn(axes - done - over) or not self.of_kind(done | over & axes, "time")
            require(timeless, f"an average over time of {name}, which is drawn at each time")
            if part <= axes - done:
                total = total.plus(self.reduced(name, part, done | over & axes), c)
        return total

    def of_kind(self, axes, *kinds):
        return {a for a in axes if self.axes[a] in kinds}

    def drawn(self, axes):
        return self.of_kind(axes, "noise", "cohort")

    def late(self, side):
        """Whether a vector knows of later times: averages over time do, and what is made of them."""
        return self.vectors[side[0]]["late"] or bool(self.of_kind(side[1], "time"))

    def reduced(self, name, part, done):
        """The mean of a vector over axes, in its deviation, by what is declared of its means."""
        for axis, (mean, why) in self.vectors[name]["means"].items():
            if axis in done:
                self.fired |= {why, *self.vectors[name]["why"]}
                return self.project(mean, part, done - {axis})
        return Combination({(name, done): number(1)})

    def average(self, form, over):
        """The form averaged over axes: a product splits into parts, in each of which an axis is a mean or a deviation."""
        total = Form()
        for key, c in form.terms.items():
            self.constant_along(c, over, "the coefficient")
            new = Form({key: number(1)})
            if key[0] == "value":
                new = Form({(*key[:2], key[2] | over & self.values[key[1]]): number(1)})
            if key[0] == "dot":
                new, part, axes = Form(), key[1], [self.vectors[n]["axes"] - p for n, p in key[2:]]
                draws = self.drawn(axes[0] | axes[1])
                require(
                    not draws or not any(map(self.late, key[2:])),
                    f"{words(key)}: what is drawn beside what comes later",
                )
                whole = ("past", "time") if draws else ("past",)
                free = over - part - self.of_kind(over, *whole)
                both = sorted(free & axes[0] & axes[1])
                for choice in product((False, True), repeat=len(both)):
                    deviating = part | {a for a, one in zip(both, choice, strict=True) if one}
                    sides = [
                        self.project(Combination({side: number(1)}), deviating, free - deviating) for side in key[2:]
                    ]
                    new = new.plus(dot(*sides, deviating))
            total = total.plus(new, c)
        return total

    def unfold(self, form, names, uses):
        """Vectors replaced by the equations declared for them, the latest first."""
        require({*names} <= self.vectors.keys(), f"unfold={names}: no vectors")
        for name in sorted(names, key=list(self.vectors).index, reverse=True):
            equations, total = self.vectors[name]["equals"], Form()
            case = next((label for label in equations if label in uses), "")
            require(case in equations, f"{name} has no equation, or one that depends on a case: {sorted(equations)}")
            self.fired |= self.vectors[name]["why"]
            for key, c in form.terms.items():
                new = Form({key: number(1)})
                if key[0] == "dot":
                    both = [
                        equations[case] if n == name else Combination({(n, NOWHERE): number(1)}) for n, _ in key[2:]
                    ]
                    new = dot(*(self.project(v, key[1], p) for v, (_, p) in zip(both, key[2:], strict=True)), key[1])
                total = total.plus(new, c)
            form = total
        return form

    def depends(self, form):
        """The axes that an averaged form still depends on, those of its deviations among them."""
        found = [self.values[key[1]] - key[2] for key in form.terms if key[0] == "value"]
        found += [self.vectors[n]["axes"] - p for key in form.terms if key[0] == "dot" for n, p in key[2:]]
        return NOWHERE.union(*found, self.varies(*form.terms.values()))

    # Declarations

    def line(self, data):
        require(type(data) is dict and data, "a line is an object that is not empty")
        rule, name = next(iter(data.items()))
        method = getattr(self, f"line_{rule}", None)
        require(method is not None, f"{rule!r} is no rule")
        self.fired, self.strict, Effort.done, self.lines = set(), set(), 0, self.lines + 1
        method(name, **{key: item for key, item in data.items() if key not in (rule, "latex")})

    def line_axis(self, name, kind):
        require(kind in KINDS, f"axis {name}: kind {kind!r} is none of {KINDS}")
        self.axes[self.fresh(name)] = kind

    def line_parameter(
        self, name, low=None, high=None, low_open=False, high_open=False, varies=(), next=None, first=None
    ):
        """A real number between ends that may use earlier ones; along a time it may have a next and a first value."""
        ends = [None if end is None else self.rational(end) for end in (low, high)]
        require(ends[0] is not None or ends[1] is None, f"{name}: a range with an upper end only")
        found = Parameter(*ends, low_open is True, high_open is True, self.names(varies))
        self.parameters[self.fresh(name)] = found
        found.next, found.first = (None if text is None else self.rational(text) for text in (next, first))
        times = self.of_kind(found.varies, "time")
        require(len(times) == 1 or next is None and first is None, f"{name} varies along no time, or along several")

    def in_range(self, found, name, ends):
        p = self.parameters[name]
        for end, is_open, sign in zip(ends, (p.low_open, p.high_open), (1, -1), strict=True):
            if end is not None:
                self.shown((found - end) * number(sign), f"{name} = {show(found)}: the distance from an end,", is_open)

    def line_choose(self, name, equals):
        """A parameter is what an expression says, which lies in its range wherever the others lie in theirs."""
        require(name in self.parameters, f"{name} is no parameter")
        p, chosen, known = self.parameters[name], self.rational(equals).put(self.choices()), self.choices()
        require(name not in self.below(chosen) and p.chosen is None, f"{name} is chosen by itself, or twice")
        used = [other for other, one in known.items() if name in one.names()]
        require(not used, f"{used} are chosen in terms of {name}, which comes first")
        require(self.varies(chosen) <= p.varies, f"{name} = {equals} varies as {name} does not")
        ends = [end if end is None else end.put(known) for end in (p.low, p.high)]
        require(not any(end and name in self.below(end) for end in ends), f"{name} is chosen by itself")
        self.in_range(chosen, name, ends)
        p.chosen = chosen
        self.reason(f"{name} = {show(chosen)}", "choice")

    def choices(self):
        return {name: p.chosen for name, p in self.parameters.items() if p.chosen is not None}

    def line_let(self, name, equals):
        self.lets[self.fresh(name)] = self.read(equals), self.fired

    def line_vector(self, name, axes=(), equals=None, mean=()):
        """``equals``: an equation, or one per case; ``mean``: [axis, expression, hypothesis] for each mean that is known."""
        axes, known, means = self.names(axes), {}, {}
        equals = equals if type(equals) is dict else {"": equals} if equals is not None else {}
        whole = not {*equals} - {""} or any({*labels} == {*equals} for labels in self.distinctions.values())
        require(whole, f"{name}: an equation for each case of one distinction")
        for label, text in equals.items():
            known[label] = self.vector(text)
            extra = self.reach(known[label]) - axes
            require(not extra, f"{name} depends on {sorted(extra)} too")
        for axis, text, why in mean:
            require(axis in axes and axis not in means, f"{name}: mean over {axis}")
            means[axis] = self.vector(text), self.reason(why, "mean")
            require(self.reach(means[axis][0]) <= axes - {axis}, f"the mean of {name} depends on more than {name}")
        made_of = [side for found in (*known.values(), *(mean for mean, _ in means.values())) for side in found.terms]
        late, why = bool(any(map(self.late, made_of))), frozenset(self.fired)
        self.vectors[self.fresh(name)] = {"axes": axes, "equals": known, "means": means, "late": late, "why": why}

    def reach(self, vector):
        return NOWHERE.union(
            *(self.vectors[n]["axes"] - p for n, p in vector.terms), self.varies(*vector.terms.values())
        )

    def line_value(self, name, axes=()):
        self.values[self.fresh(name)] = self.names(axes)

    def line_next(self, name, following):
        """A vector or a value at t + 1, of the same law; it may depend on what is drawn at t too."""
        same = any(name in kind and following in kind for kind in (self.vectors, self.values))
        require(same and name not in self.next, f"{following!r} cannot be the next of {name!r}")
        here, there = (self.values[n] if n in self.values else self.vectors[n]["axes"] for n in (name, following))
        extra = there - here - self.drawn(there) - self.of_kind(there, "past")
        require(
            not extra and self.of_kind(here, "time"),
            f"{following} depends on {sorted(extra)} too, or {name} on no time",
        )
        self.next[name] = following

    def line_function(self, name, axes=()):
        self.functions[self.fresh(name)] = self.names(axes)

    def line_point(self, name, of, value=None, gradient=None, mean=(), equals=None):
        """A function at a vector: a value ``f_<vector>`` and a gradient ``g_<vector>`` unless they are named.

        What is known of the gradient there, a mean or an equation, is said as of other vectors: an optimum has such a one.
        """
        require(
            name in self.vectors and of in self.functions and (of, name) not in self.points, f"point {name} of {of}"
        )
        axes = sorted(self.vectors[name]["axes"] | self.functions[of])
        self.points[of, name] = value or f"f_{name}", gradient or f"g_{name}"
        self.line_value(self.points[of, name][0], axes)
        self.line_vector(self.points[of, name][1], axes, equals=equals, mean=mean)
        gradient = self.vectors[self.points[of, name][1]]
        gradient["late"] |= self.vectors[name]["late"]
        if equals is not None:
            gradient["why"] |= {self.reason(f"{self.points[of, name][1]} = {equals}", "rule")}

    def line_hypothesis(self, name, form, over=(), of=None, points=(), relation=">=", grows=None):
        """``the average over these axes of form >= 0`` at all points x, y, ... of a function (values f_x, gradients g_x).

        ``grows``: {parameter: [weight, vector]}: what the form gains, ``more * weight * sq(vector)``, when the parameter does.
        """
        require(name not in self.hypotheses and relation in (">=", "="), f"hypothesis {name!r}")
        self.reason(name, "hypothesis")
        require(of in self.functions if points else of is None, f"hypothesis {name}: its points")
        require(len({p + a for a in points for p in ("", "f_", "g_")}) == 3 * len(points), f"{name}: its letters")
        self.hypotheses[name] = form, self.names(over), of, tuple(points), relation, grows or {}
        if not points:
            self.instance(name, ())

    def instance(self, name, points):
        require(name in self.hypotheses, f"{name!r} is no declared hypothesis")
        form, over, of, letters, relation, _ = self.hypotheses[name]
        require(len(points) == len(letters), f"{name} takes {len(letters)} points")
        rename = {}
        for letter, point in zip(letters, points, strict=True):
            require((of, point) in self.points, f"{of} has no point {point}")
            require(not self.vectors[point]["axes"] & over, f"{name}: {point} differs along {sorted(over)}")
            pair = self.points[of, point]
            rename |= {letter: point, f"f_{letter}": pair[0], f"g_{letter}": pair[1]}
        return Fact(self.average(as_form(self.read(form, rename)), over), over, relation, {name})

    # Rules

    def add(self, name, form, over, relation, uses, strict=()):
        depends = self.depends(form)
        open_draws, past = self.drawn(depends - over), self.of_kind(over, "past")
        require(type(name) is str and name not in self.facts, f"fact {name!r} is there already")
        require(not (past and open_draws), f"{name}: averaged over the past and not over {sorted(open_draws)}")
        self.facts[name] = Fact(form, over, relation, {*uses, *self.fired}, {*strict, *self.strict})

    def known(self, name):
        require(name in self.facts, f"there is no fact {name!r}")
        return self.facts[name]

    def line_assume(self, name, hypothesis, points=()):
        """An instance of a declared hypothesis."""
        fact = self.instance(hypothesis, points)
        self.add(name, fact.form, fact.over, fact.relation, fact.uses)

    def line_combine(self, name, form, over=(), facts=None, squares=(), unfold=(), relation=">=", case=None):
        """The target, from facts times multipliers, squares times weights and a number: see the head of this file."""
        over = self.names(over)
        target = self.average(as_form(self.read(form)), over)
        uses, strict = self.settle(target, over, relation, facts or {}, squares, unfold, case)
        self.add(name, target, over, relation, uses, strict)

    def settle(self, target, over, relation, facts, squares=(), unfold=(), case=None, before=None):
        """Show a target; returns the hypotheses and open ends that were used."""
        require(relation in (">=", "="), f"relation {relation!r}")
        uses, strict, rest = {case} - {None}, set(), target
        require(case is None or self.cases_of(uses), f"{case!r} is no case")
        given = [(name, self.known(name), self.rational(multiplier)) for name, multiplier in facts.items()]
        for name, fact, multiplier in [*given, *([before] if before else [])]:
            needed = (fact.over & self.depends(fact.form)) - over  # what does not depend on an axis is its own average
            require(not needed, f"{name} is averaged over {sorted(needed)}, the target is not")
            self.constant_along(multiplier, over, f"the multiplier of {name},")
            if fact.relation == ">=":
                require(relation == ">=", f"{name} is no equality")
                self.shown(multiplier, f"the multiplier of {name},")
            rest = rest.plus(self.average(fact.form, over - fact.over), -multiplier)
            uses, strict = uses | fact.uses, strict | fact.strict
        require(not (self.cases_of(uses) and (before or self.of_kind(over, "time"))), "all times in one case only")
        for text, vector in squares:
            weight, found = self.rational(text), self.vector(vector)
            require(relation == ">=", "squares prove no equality")
            self.shown(weight, f"the weight of the square of {vector},")
            rest = rest.plus(self.average(dot(found, found), over), -weight)
        rest, chosen = self.unfold(rest, unfold, uses), self.choices()
        uses |= {f"{name} = {show(chosen[name])}" for c in rest.terms.values() for name in c.names() & chosen.keys()}
        rest = Form({key: c.put(chosen) for key, c in rest.terms.items()})
        atoms = sorted(f"({show(c)})*{words(key)}" for key, c in rest.terms.items() if key != UNIT)
        require(not atoms, f"left over: {' and '.join(atoms[:6])}{' ...' * (len(atoms) > 6)}")
        left = rest.terms.get(UNIT, number(0))
        require(relation == ">=" or not left, f"left over: {show(left)}")
        self.shown(left, "what is left over,")
        return uses, strict

    def line_scaled(self, name, fact, vector):
        """A fact about numbers times the square of a vector: ``p >= 0`` gives ``p sq(vector) >= 0``, and ``p = 0`` the same."""
        given, found = self.known(fact), self.vector(vector)
        require(given.form.terms.keys() <= {UNIT} and not given.over, f"{fact} is no fact about numbers at every point")
        p = given.form.terms.get(UNIT, number(0))
        self.add(name, scaled(dot(found, found), p), NOWHERE, given.relation, given.uses, given.strict)

    def line_exponential(self, name, value, exponent):
        """A positive number is exp(exponent): told with each fact that uses it, unless it is a power of one that is told."""
        require(type(name) is str and name not in self.exponentials, f"exponential {name!r} is there already")
        value, exponent = self.rational(value), self.rational(exponent)
        self.shown(value, "the exponential", True)
        whys = [
            why
            for v, x, why, _ in self.exponentials.values()
            for n in range(2, 13)
            if not (v.power(n) - value) and not (x * number(n) - exponent)
        ]
        if not exponent and not value - number(1):
            whys.append(set())
        why = whys[-1] if whys else {self.reason(f"{show(value)} = exp({show(exponent)})", "rule")}
        self.exponentials[name] = value, exponent, why, self.strict

    def line_tangent(self, name, above, at):
        """The exponential lies above its tangents: exp(x) - exp(y) (1 + x - y) >= 0."""
        require(
            type(above) is type(at) is str and {above, at} <= self.exponentials.keys(),
            f"{above}, {at}: no exponentials",
        )
        (v, x, why, strict), (w, y, also, more) = self.exponentials[above], self.exponentials[at]
        self.add(name, Form({UNIT: v - w * (number(1) + x - y)}), NOWHERE, ">=", why | also, strict | more)

    def line_lemma(self, name, derivation):
        """Another derivation, replayed by itself: :meth:`line_apply` says its conclusions of what is declared here."""
        require(type(name) is str and name not in self.lemmas, f"lemma {name!r} is there already")
        state, lines = proved(json.dumps(derivation)), [unpacked(line) for line in derivation["lines"]]
        told = {line["combine"]: line for line in lines if next(iter(line)) == "combine"}
        self.lemmas[name] = state, {one: told[one]["form"] for one in derivation["conclusions"] if one in told}
        self.lines += state.lines
        require(self.lines <= MOST_LINES, f"more than {MOST_LINES} lines with those of lemmas")

    def line_apply(self, name, lemma, conclusion, names, hypotheses=None):
        """A conclusion of a lemma, for what its names stand for here, at every point of the axes that none of its own is.

        A conclusion holds for every instance, so for each one whose parameters, vectors and functions are those named: numbers
        in their ranges, vectors that obey the lemma's equations, and no others occur.  What is not named is there if its ranges
        are not empty.  ``hypotheses``: {of the lemma: the same one, declared here}; the others that the conclusion uses, that one
        vector is made of what is not named, how the times are counted, and that its objects move as the lemma declares, are
        listed with the fact.
        """
        require(lemma in self.lemmas and conclusion in self.lemmas[lemma][1], f"{lemma!r} concludes no {conclusion!r}")
        inner, text = self.lemmas[lemma][0], self.lemmas[lemma][1][conclusion]
        fact, axes = inner.known(conclusion), {own: here for own, here in names.items() if own in inner.axes}
        self.names(list(axes.values()))
        image, at = frozenset(axes.values()), lambda own: frozenset(axes[a] for a in own if a in axes)
        require(len(image) == len(axes), f"{lemma}: two of its axes are one here")
        for own, here in axes.items():
            require((inner.axes[own], self.axes[here]) in STANDS, f"axis {own} of {lemma} is not of the kind of {here}")

        def fits(own, own_axes, reach):
            moving = "time" in inner.axes.values() and not inner.of_kind(own_axes, "time")
            fixed = (
                inner.of_kind(own_axes, "past") if moving else NOWHERE
            )  # known before the first time: it has no part in the draws
            extra = sorted(reach & image - at(own_axes - fixed))
            require(
                own_axes <= axes.keys() and not extra, f"{own} of {lemma}: its axes {sorted(own_axes)}, beside {extra}"
            )

        table, numbers = {}, {}
        for own, here in names.items():
            if own in inner.parameters:
                p, numbers[own] = inner.parameters[own], self.rational(here)
                fits(own, p.varies, self.varies(numbers[own]))
                require(
                    p.chosen is None and p.next is None and p.first is None, f"{own} of {lemma} is chosen, or moves"
                )
            elif own in inner.vectors:
                vector = inner.vectors[own]
                require(not vector["means"], f"{own} of {lemma} is known in another way")
                fits(own, vector["axes"], self.reach(self.vector(here)))
            elif own in inner.values:
                known = [one for number in inner.numbers.items() for one in (number[0], *number[1])]
                known += [pair[0] for pair in inner.points.values()]
                require(own not in known and here in self.values, f"{own} of {lemma} is known in another way")
                fits(own, inner.values[own], self.values[here])
            elif own in inner.functions:
                require(here in self.functions, f"{here!r} is no function")
                fits(own, inner.functions[own], self.functions[here])
            else:
                require(own in axes, f"{lemma} has no axis, parameter, vector, value or function {own}")
            table[own] = ast.parse(str(here), mode="eval").body
        for (of, point), pair in inner.points.items():
            require(not {*pair} & names.keys(), f"{pair} of {lemma} are named by their point")
            if of in names and point in names and (names[of], names[point]) in self.points:
                table |= {
                    a: ast.Name(b, ast.Load()) for a, b in zip(pair, self.points[names[of], names[point]], strict=True)
                }
        made = [own for own in names if own in inner.vectors and inner.vectors[own]["equals"]]
        free = [own for own in made if inner.is_free(own, names)]  # that it is so made is listed
        require(len(free) < 2, f"{free} of {lemma} may be made of the same")
        gradients = {pair[1] for (_, point), pair in inner.points.items() if point in names}
        uses = set()
        for own in free:
            uses.add(self.reason(f"{name}: {names[own]} is made as {own}, where {inner.equations(own, names)}", "rule"))
        for own in names.keys() & inner.next.keys():
            then = inner.next[own]
            how = inner.equations(then, names) if then in inner.vectors else ""
            uses.add(self.reason(f"{name}: next {names[own]} is as {then}{how and ', where '}{how}", "rule"))
        for own in gradients | {*made} - {*free}:
            self.same_equations(inner.vectors[own], own, table, numbers)
        for own, p in inner.parameters.items():
            ends = [end for end in (p.low, p.high) if end is not None]
            if own in numbers:
                require(all(end.names() <= numbers.keys() for end in ends), f"{lemma}: the range of {own} names others")
                for end, is_open, sign in ((p.low, p.low_open, 1), (p.high, p.high_open, -1)):
                    if end is not None:
                        far = (numbers[own] - end.put(numbers)) * number(sign)
                        self.shown(far, f"{lemma}, {own} = {show(numbers[own])}: the distance from an end,", is_open)
            else:
                counts = p.next is None or p.chosen is None and not p.next - symbol(own) - number(1)
                require(p.first is None and counts, f"{own} of {lemma} may leave its range")
                fixed = inner.varies(*ends) <= p.varies
                require(fixed or p.chosen is not None, f"the range of {own} of {lemma} varies as it does not")
                if len(ends) == 2 and p.chosen is None:
                    inner.shown(p.high - p.low, f"the range of {own},", p.low_open or p.high_open)
        for own in inner.of_kind(axes, "time"):
            counted = [
                " <= ".join(show(one) for one in (p.low, symbol(n), p.high) if one is not None)
                for n, p in inner.parameters.items()
                if p.next is not None and own in p.varies
            ]
            said = "".join(f", with {one}, one more at each" for one in counted)
            uses.add(self.reason(f"{name}: all {axes[own]} count the same, in their order{said}", "rule"))
        for one in sorted(fact.uses):
            here = (hypotheses or {}).get(one)
            if here is not None:
                self.same_hypothesis(here, inner, one, table)
            uses.add(self.reason(f"{name}: {one}", "rule") if here is None else here)
        others = sorted(
            {a for own in names if own in inner.vectors for a in self.reach(self.vector(names[own]))} - image
        )
        said = ", ".join(f"{own} = {here}" for own, here in sorted(names.items())) + (
            f", at every {', '.join(others)}" if others else ""
        )
        uses.add(self.reason(f"{name}: as in {lemma}, with {said}", "rule"))
        form = as_form(self.build(renamed(text, table), {}))
        over = at(fact.over)
        self.add(name, self.average(form, over), over, fact.relation, uses)

    def is_free(self, name, named):
        """Whether a vector has no equation, or one of what is not named: that it is so made is then supposed."""
        points = {gradient for (_, point), (_, gradient) in self.points.items() if point in named}
        todo = [name]
        for one in todo:
            made = self.vectors[one]["equals"]
            if not made:
                return True
            if {*made} == {""}:
                todo += sorted({n for n, _ in made[""].terms} - {*named, *points, *todo})
        return False

    def equations(self, name, named):
        """The equations of a vector, and of what is not named of which it is made, as text."""
        texts, todo = [], [name]
        for one in todo:
            for label, found in self.vectors[one]["equals"].items():
                parts = " + ".join(f"({show(c)})*{words(('value', *side))}" for side, c in found.terms.items()) or "0"
                texts.append(f"{one} = {parts}" + f" if {label}" * bool(label))
                todo += sorted({n for n, _ in found.terms} - {*named, *todo})
        return ", ".join(texts)

    def same_equations(self, vector, own, table, numbers):
        """Require that what a lemma knows of a vector, such as a gradient at a point that is named, is known of the one here."""
        here = table.get(own)
        known = self.vectors[here.id]["equals"] if isinstance(here, ast.Name) and here.id in self.vectors else {}
        require(not vector["means"], f"the means of {own} are known in the lemma")
        if vector["equals"]:
            require({*known} == {*vector["equals"]}, f"{own} is known in the lemma, and not here, or in other cases")
            self.fired |= self.vectors[here.id]["why"]
        for label, found in vector["equals"].items():
            total = Combination()
            for (name, part), c in found.terms.items():
                require(name in table and not part and c.names() <= numbers.keys(), f"what {name} is here is not said")
                total = total.plus(self.vector(ast.unparse(table[name])), c.put(numbers))
            require(not total.plus(known[label], number(-1)).terms, f"{own} is another one in the lemma")

    def same_hypothesis(self, here, inner, one, table):
        """Require that a hypothesis of a lemma says what one that is declared here says: letter by letter, once it is renamed."""
        require(here in self.hypotheses and one in inner.hypotheses, f"{one!r} and {here!r} are not both hypotheses")
        (form, over, of, letters, relation, _), told = self.hypotheses[here], inner.hypotheses[one]
        require(len(letters) == len(told[3]) and relation == told[4], f"{one} and {here} are of different kinds")
        require(
            not letters or isinstance(table.get(told[2]), ast.Name) and table[told[2]].id == of, f"{one}: not of {of}"
        )
        lent = {
            p + a: ast.Name(p + b, ast.Load()) for a, b in zip(told[3], letters, strict=True) for p in ("", "f_", "g_")
        }
        used = {n.id for n in ast.walk(ast.parse(str(told[0]), mode="eval")) if isinstance(n, ast.Name)} - lent.keys()
        meant = {n.id for own in used & table.keys() for n in ast.walk(table[own]) if isinstance(n, ast.Name)}
        require(not meant & {name.id for name in lent.values()}, f"{here}: {sorted(meant)} are letters of its points")
        both = renamed(told[0], {**table, **lent}), ast.parse(str(form), mode="eval").body
        axes = {table[a].id for a in told[1] if a in table} if told[1] <= table.keys() else None
        require(ast.dump(both[0]) == ast.dump(both[1]) and axes == over, f"{one} and {here} say different things")

    def line_independent(self, name, fact, noise, clients, total):
        """From ``s - |n|^2 >= 0`` on average over a noise: ``V - |mean(n, clients)|^2 >= 0``, V = sum_k p_k^2 s_k a parameter."""
        given, one = self.known(fact), self.symbol(noise)
        require(clients in self.vectors[noise]["axes"], f"{noise} does not differ between {clients}")
        require(
            self.axes.get(clients) == "clients" and [self.axes[a] for a in given.over] == ["noise"], f"{name}: its axes"
        )
        require(not self.project(one, NOWHERE, given.over).terms, f"the mean of {noise} is not zero")
        bound = given.form.plus(self.average(dot(one, one), given.over))
        require({*bound.terms} <= {UNIT} and given.relation == ">=", f"{fact} is no bound of sq({noise}) by a number")
        self.line_parameter(total, 0, varies=sorted(self.varies(*bound.terms.values()) - {clients}))
        mean = self.project(one, NOWHERE, frozenset({clients}))
        form = Form({UNIT: symbol(total)}).plus(self.average(dot(mean, mean), given.over), number(-1))
        bounds = show(bound.terms.get(UNIT, number(0)))
        why = f"{noise} independent between {clients}; {total} = sum over {clients} of squared weight times {bounds}"
        self.add(name, form, given.over, ">=", {*given.uses, self.reason(why, "rule")}, given.strict)

    def line_cohort(self, name, of, clients, axis, scheme, size, count=None):
        """``name``: the average of a vector over a cohort drawn along ``axis``, its mean, and its second moment as a fact.

        The average square of its deviation is that of one client's, ``1/size`` of it for draws by the weights with replacement,
        ``(count - size)/(size (count - 1))`` of it for a uniform subset of clients with equal weights.  For every scheme that
        draws each client with its weight, "equal inclusion", Jensen's inequality: ``|of|^2 - |name|^2 >= 0``.
        """
        axes, size = self.vectors[of]["axes"], self.rational(size)
        require(self.axes.get(axis) == "cohort" and self.axes.get(clients) == "clients", f"{name}: its axes")
        require(clients in axes and axis not in axes, f"{of} is drawn already, or the same for all {clients}")
        self.shown(size - number(1), "the size less 1,")
        share, why = size.inverse(), f"{axis}: {show(size)} independent draws of {clients} by their weights"
        if scheme == "equal inclusion":
            why = f"{axis}: {show(size)} {clients}, each of the places filled by each of them with its weight"
        elif scheme != "with replacement":
            require(scheme == "without replacement" and count is not None, f"no scheme {scheme!r}")
            count = self.rational(count)
            self.shown(count - size, "clients less cohort,")
            self.nowhere_zero(count - number(1))
            share = (count - size) * (size * (count - number(1))).inverse()
            why = f"{axis}: a uniform subset of {show(size)} of {show(count)} {clients} with equal weights"
        self.constant_along(share, axes | {axis}, "the number drawn")
        self.line_vector(name, sorted(axes - {clients} | {axis}))
        mean = self.vector(f"mean({of}, {clients})"), self.reason(why, "rule")
        self.vectors[name] |= {"means": {axis: mean}, "late": self.vectors[of]["late"], "why": frozenset(self.fired)}
        parts = []
        for one, along in ((name, axis), (of, clients)):
            found = self.vector(one)
            parts.append(found.plus(self.project(found, NOWHERE, frozenset({along})), number(-1)))
        over = frozenset({axis, clients})
        if scheme == "equal inclusion":
            squares = [self.average(dot(found, found), over) for found in map(self.vector, (of, name))]
            self.add(name, squares[0].plus(squares[1], number(-1)), over, ">=", {why})
            return
        drawn, single = (self.average(dot(part, part), over) for part in parts)
        self.add(name, drawn.plus(single, -share), over, "=", {why})

    def line_define(self, name, form, over, time, next, over_next, first=None, last=None):
        """A number for a form averaged over all its axes but time, with names at t + 1, at the first t and at T + 1."""
        require(
            self.axes.get(time) == "time" and time not in {*over, *over_next}, f"{time} is no time, or averaged over"
        )
        here = as_form(self.read(form))
        for one, found, axes in ((next, self.later(here, time), over_next), (name, here, over)):
            axes = self.names(axes)
            found = self.average(found, axes)
            require(self.depends(found) - axes <= {time}, f"{one} depends on {sorted(self.depends(found) - axes)}")
            self.line_value(one, [time])
            self.add(one, value(one).plus(found, number(-1)), axes, "=", ())
        for end in (first, last):
            if end is not None:
                self.line_value(end)
        self.numbers[name], self.next[name] = (next, first, last, time), next

    def later(self, form, time):
        """A form, or a number, at t + 1.  What names no time is the same then: it may not be drawn at each time."""
        if isinstance(form, RationalFunction):
            self.fired |= {
                self.reason(f"{n} = {show(c)}", "choice") for n, c in self.choices().items() if n in form.names()
            }
            form = form.put(self.choices())
            names = [n for n in form.names() if time in self.parameters[n].varies]
            missing = [n for n in names if self.parameters[n].next is None]
            require(not missing, f"{missing} have no next")
            after = form.put({n: self.parameters[n].next for n in names})
            for base in after.bottom if names else ():  # beyond the last time a next value may leave its range
                self.nowhere_zero(RationalFunction(dict(base)))
            return after
        after, total = lambda n, axes: self.next.get(n) if time in axes else n, Form()  # noqa: E731
        for key, c in form.terms.items():
            kept = [self.values[key[1]] - key[2]] if key[0] == "value" else []
            kept += [self.vectors[n]["axes"] - p for n, p in key[2:]] if key[0] == "dot" else []
            require(all(time in axes or not self.drawn(axes) for axes in kept), f"{words(key)} is drawn at no time")
            if key[0] == "value":
                key = ("value", after(key[1], self.values[key[1]]), key[2])
                require(key[1], "a value has no next")
                new = Form({key: number(1)})
            elif key[0] == "dot":
                sides = [(after(n, self.vectors[n]["axes"]), p) for n, p in key[2:]]
                require(all(n for n, _ in sides), f"{words(key)} has no next")
                new = dot(*(Combination({side: number(1)}) for side in sides), key[1])
            else:
                new = Form({key: number(1)})
            total = total.plus(new, self.later(c, time))
        return total

    def line_induction(self, name, of, bound, index, keep, facts=None, base=None, over=()):
        """``bound - number >= 0`` at every t: at the first one from ``base``; at t + 1 from ``keep`` times itself at t and facts.

        ``index`` is the parameter that counts the time: it begins at its lower end and its next value is one more.
        """
        require(of in self.numbers and index in self.parameters, f"{of} is no number, or {index} no parameter")
        (following, first, _, time), p, over = self.numbers[of], self.parameters[index], self.names(over)
        counts = p.varies == {time} and p.low is not None and not p.low_open and p.next is not None
        require(counts and not p.next - symbol(index) - number(1), f"{index} does not count {time} in steps of one")
        require(first is not None and time not in over, f"{of} has no name at the start, or {time} is averaged over")
        bound = self.rational(bound).put(self.choices())
        varying = [n for n in bound.names() if time in self.parameters[n].varies and n != index]
        require(all(self.parameters[n].first is not None for n in varying), f"{varying} have no first value")
        start = bound.put({index: p.low, **{n: self.parameters[n].first for n in varying}})
        uses, strict = self.settle(Form({UNIT: start}).plus(value(first, -1)), over, ">=", base or {})
        here = Form({UNIT: bound}).plus(value(of, -1))
        there = Form({UNIT: self.later(bound, time)}).plus(value(following, -1))
        before = "the step before", Fact(here, (), ">=", ()), self.rational(keep)
        more, also = self.settle(there, over, ">=", facts or {}, before=before)
        uses |= {*more, self.reason(f"{index} = {show(p.low)}, and one more at each step", "rule")}
        self.add(name, here, over, ">=", uses, strict | also)

    def line_telescope(self, name, fact, numbers, length):
        """The average of a fact over all T steps: a number at t + 1 is on average itself at t and (last - first)/T more."""
        given, length = self.known(fact), self.rational(length)
        self.nowhere_zero(length)
        require({*numbers} <= self.numbers.keys(), f"{numbers} are no numbers")
        (time,) = {self.numbers[n][3] for n in numbers}
        require(
            time not in given.over and not self.cases_of(given.uses), f"{fact} is averaged over {time}, or of one case"
        )
        form = self.average(given.form, frozenset({time}))
        for n in numbers:
            following, first, last, _ = self.numbers[n]
            require(first is not None and last is not None, f"{n} has no names at both ends")
            c = form.terms.pop(("value", following, frozenset({time})), number(0))
            form = form.plus(Form({("value", n, frozenset({time})): number(1)}), c)
            form = form.plus(value(last).plus(value(first), number(-1)), c * length.inverse())
        why = self.reason(f"{show(length)} is the number of points of {time}", "rule")
        self.add(name, form, given.over | {time}, given.relation, {*given.uses, why}, given.strict)

    def line_end(self, name, fact, of, last=False):
        """A fact about numbers at its first time, or at its last, where a number at t + 1 has the name of the one at T + 1."""
        given, renamed, times = self.known(fact), {}, {self.numbers[n][3] for n in of}
        for number_name in of:
            following, first, final, _ = self.numbers[number_name]
            renamed[following if last else number_name] = final if last else first
        require(all(renamed.values()), f"{of} have no name at that end")
        form = Form()
        for key, c in given.form.terms.items():
            plain = key == UNIT or (key[0] == "value" and (key[1] in renamed or not times & self.values[key[1]]))
            require(plain and not times & (self.varies(c) | given.over), f"{fact} speaks of more than {of} at one time")
            new = value(renamed[key[1]]) if key != UNIT and key[1] in renamed else Form({key: number(1)})
            form = form.plus(new, c)
        require(not self.cases_of(given.uses), f"{fact} is of one case")
        self.add(name, form, given.over, given.relation, given.uses, given.strict)

    def line_distinction(self, name, labels):
        """Cases of which at every time one is true; an equation of a vector may depend on them."""
        good = type(labels) is list and len({*labels}) == len(labels) > 1 and not {"", *self.reasons} & {*labels}
        require(name not in self.distinctions and good, f"distinction {name!r}: its labels")
        self.distinctions[name] = [self.reason(label, "case") for label in labels]

    def line_cases(self, name, distinction, facts):
        """One fact from the same fact in all the cases."""
        labels, found = self.distinctions.get(distinction, ()), [self.known(one) for one in facts]
        require(labels and len(found) == len(labels), f"{distinction!r} has {len(labels)} cases")
        for label, fact in zip(labels, found, strict=True):
            require(not fact.uses & ({*labels} - {label}), f"a fact for {label!r} uses another case")
            same = not fact.form.plus(found[0].form, number(-1)).terms and fact.over == found[0].over
            require(same and fact.relation == found[0].relation, f"the facts of {distinction} say different things")
        strict = NOWHERE.union(*(fact.strict for fact in found))
        uses = NOWHERE.union(*(fact.uses for fact in found)) - {*labels}
        self.add(name, found[0].form, found[0].over, found[0].relation, uses, strict)

    def line_closure(self, name, fact, parameter):
        """A fact for L above an open lower end, where L has no upper end, holds at the end too.

        By continuity: an instance with L at the end is one for every larger L, when what L defines is defined anew, and
        parameters whose ranges move with L move along: larger L only weakens the hypotheses used, and these and the fact say
        nothing of what moves, but that its parameters may be coefficients of the fact, which are continuous up to the end.
        """
        given, p = self.known(fact), self.parameters[parameter]
        require(parameter in given.strict, f"{fact} does not need the open end of {parameter}")
        require(p.low_open and p.high is None, f"{parameter} has another open end than the lower one")
        moving = {n for n in self.parameters if parameter in self.below(symbol(n))}
        touched = self.touched(moving)
        spoken = {n for key in given.form.terms for n in ([key[1]] if key[0] == "value" else [m for m, _ in key[2:]])}
        require(not spoken & touched, f"{fact} speaks of what changes with {parameter}")
        for used in given.uses:
            kind, meant = (
                self.reasons.get(used),
                [n for n, v in self.vectors.items() if used in {w for _, w in v["means"].values()}],
            )
            require(kind == "hypothesis" or kind == "mean" and not touched & {*meant}, f"no closure passes {used!r}")
            if kind == "hypothesis":
                self.only_weakens(used, parameter, moving, touched)
        numbers = [*given.form.terms.values()]
        names = set().union(*(self.below(c) for c in numbers)) & moving
        numbers += [end for n in names for end in (self.parameters[n].low, self.parameters[n].high) if end is not None]
        shut = {*self.parameters} - given.strict | {parameter}
        for base in {base for c in numbers for base in c.bottom}:
            good = self.polynomial_sign(dict(base), True, shut)
            require(good, f"{fact} divides by what may vanish at the end of {parameter}")
        uses = {*given.uses, self.reason(f"{parameter} at its end by continuity", "rule")}
        self.add(name, given.form, given.over, given.relation, uses, given.strict - {parameter})

    def only_weakens(self, used, parameter, moving, touched):
        """Require that a hypothesis at points gains a square, or nothing, when a parameter grows, and has nothing that moves."""
        form, _, of, letters, relation, grows = self.hypotheses[used]
        probe, more = Replay(), "what is added"
        probe.axes, probe.functions = self.axes, self.functions
        probe.values = {n: axes for n, axes in self.values.items() if n not in touched}
        probe.vectors = {n: vector for n, vector in self.vectors.items() if n not in touched}
        probe.parameters = {n: p for n, p in self.parameters.items() if n not in moving - {parameter}}
        probe.parameters[more] = Parameter(number(0), None, False, False, NOWHERE)
        for letter in letters:
            probe.line_vector(letter)
            probe.line_point(letter, of)
        found, (weight, vector) = as_form(probe.read(form)), grows.get(parameter, ("0", 0))
        require(parameter not in grows or relation == ">=", f"{used} is an equality")
        weight, vector = probe.rational(weight), probe.vector(vector)
        probe.shown(weight, f"what {used} gains,")
        gain = dot(vector, vector).times(weight * symbol(more))
        for key, c in found.terms.items():
            gain = gain.plus(Form({key: c - c.put({parameter: symbol(parameter) + symbol(more)})}))
        require(not gain.terms, f"{used} may say more for larger {parameter}")

    def touched(self, moving):
        """The vectors and values that the moving parameters define."""
        known = set(self.numbers) | {one for n in self.numbers.values() for one in n}
        for name, vector in self.vectors.items():
            made_of = [*vector["equals"].values(), *(mean for mean, _ in vector["means"].values())]
            numbers = {n for one in made_of for c in one.terms.values() for n in c.names()}
            if numbers & moving or any(n in known for one in made_of for n, _ in one.terms):
                known.add(name)
            known |= {one for (_, point), pair in self.points.items() if point in known for one in pair}
        return known


def show(found):
    """A rational function as text that can be read back."""

    def polynomial(terms):
        texts = []
        for mono, c in sorted(terms.items()):
            factors = [n if e == 1 else f"{n}**{e}" for n, e in mono]
            size = [] if c == 1 and factors else [str(c) if c.denominator == 1 else f"({c})"]
            texts.append("*".join(size + factors))
        return " + ".join(texts).replace("+ -", "- ") or "0"

    below = "*".join(f"({polynomial(dict(base))})**{e}" for base, e in sorted(found.bottom.items(), key=repr))
    return f"({polynomial(found.top)})/({below})" if below else polynomial(found.top)


def words(key):
    """An atom of a form as text."""

    def named(name, done):
        return f"mean({name}, {', '.join(sorted(done))})" if done else name

    if key == UNIT:
        return "1"
    if key[0] == "value":
        return named(*key[1:])
    return f"dot({named(*key[2])}, {named(*key[3])})" + (f" along {', '.join(sorted(key[1]))}" if key[1] else "")


def renamed(text, table):
    """A text in the letters of a lemma, as an expression in which each name is what a table says."""

    class Renaming(ast.NodeTransformer):
        def visit_Call(self, node):
            return ast.Call(node.func, [self.visit(argument) for argument in node.args], node.keywords)

        def visit_Name(self, node):
            require(node.id in table, f"what {node.id} is here is not said")
            return table[node.id]

    return Renaming().visit(ast.parse(str(text), mode="eval").body)


@lru_cache(maxsize=64)
def proved(text):
    """The state in which a derivation ends, which is not changed afterwards; raises :class:`Underivable`."""
    return verify(json.loads(text))


def unpacked(line):
    """A line as kept, ``[rule, name, fields]``, as the object that begins with its rule; such an object stays as it is."""
    if type(line) is not list:
        return line
    require(len(line) == 3 and type(line[2]) is dict and line[0] not in line[2], "expected [rule, name, fields]")
    return {line[0]: line[1], **line[2]}


def verify(data):
    """Replay a derivation and return its state; raises :class:`Underivable`."""
    require(type(data) is dict and {*data} == {"format", "title", "lines", "conclusions"}, "no derivation")
    require(data["format"] == "fltheory derivation 1", f"format {data['format']!r}")
    require(type(data["lines"]) is list and len(data["lines"]) <= MOST_LINES, f"more than {MOST_LINES} lines")
    state = Replay()
    for position, line in enumerate(data["lines"], 1):
        try:
            state.line(unpacked(line))
        except Underivable as error:
            raise Underivable(f"line {position}, {str(line)[:100]}: {error}") from None
        except (
            TypeError,
            SyntaxError,
            LookupError,
            ValueError,
            ArithmeticError,
            AttributeError,
            RecursionError,
            MemoryError,
        ) as error:
            raise Underivable(f"line {position} cannot be read: {type(error).__name__}: {error}") from None
    names = data["conclusions"]
    require(type(names) is list and names and all(type(name) is str for name in names), "it concludes nothing")
    require(
        all(not state.cases_of(state.known(name).uses) for name in names), "it concludes something in one case only"
    )
    return state


def main(paths):
    for path in paths:
        try:
            with open(path, "rb") as file:
                content = file.read(MOST_BYTES + 1)
            require(len(content) <= MOST_BYTES, f"more than {MOST_BYTES} bytes")
            data = json.loads(content)
            state = verify(data)
        except (OSError, ValueError, RecursionError, Underivable) as error:
            print(f"{path}: {error}")
            return 1
        for name in data["conclusions"]:
            uses = "; ".join(sorted(state.facts[name].uses))
            print(f"{path}: {name} is derived in {len(data['lines'])} lines from {uses}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
