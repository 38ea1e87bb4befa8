# mypy: ignore-errors, allow-untyped-defs, allow-untyped-calls, allow-any-generics, no-check-untyped-defs
"""The trusted replayer of derivations: one file, standard library only, exact rational arithmetic.

Run it by itself: ``python -I -S replay.py DERIVATION.json...`` (exit code 0 accepted, 1 rejected or unreadable).

A derivation is a list of lines.  Declarations say what an instance is; rules make facts; nothing else makes one.

An instance has *axes*, probability spaces: ``clients`` with weights p_k, ``steps``, ``noise`` and ``cohort`` draws, ``time``
with equal weights, and ``past``, all that was drawn before; they are independent, but that noise may depend on the past.  On
them live real *parameters* in ranges, *vectors* of an inner product space and real *values*, each a function on the axes that
it names, and *functions* with value and gradient at points.  ``mean(x, k)`` averages x over axis k.

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
from itertools import product

MOST_TERMS, MOST_BYTES, MOST_DIGITS, MOST_POWER, MOST_LINES = 20_000, 1_000_000, 60, 64, 1000
KINDS = ("clients", "steps", "noise", "cohort", "time", "past")
UNIT, NOWHERE = ("one",), frozenset()


class Underivable(Exception):
    """The derivation proves nothing; the message says why."""


def require(condition, message):
    if not condition:
        raise Underivable(message)


# Polynomials are {((name, exponent), ...): rational}.


def p_add(a, b, factor=1):
    total = dict(a)
    for mono, c in b.items():
        total[mono] = total.get(mono, 0) + factor * c
    return {mono: c for mono, c in total.items() if c}


def p_mul(a, b):
    require(len(a) * len(b) <= 50 * MOST_TERMS, "an expression with too many terms")
    total = {}
    for (m, c), (n, d) in product(a.items(), b.items()):
        powers = dict(m)
        for name, e in n:
            powers[name] = powers.get(name, 0) + e
        mono = tuple(sorted(powers.items()))
        total[mono] = total.get(mono, 0) + c * d
    require(len(total) <= MOST_TERMS, "an expression with too many terms")
    return {mono: c for mono, c in total.items() if c}


def p_divide(a, b):
    """The quotient if b divides a, else None."""
    names = sorted({name for mono in (*a, *b) for name, _ in mono})
    order = lambda mono: [dict(mono).get(name, 0) for name in names]  # noqa: E731
    lead, quotient, rest = max(b, key=order), {}, a
    while rest:
        top = max(rest, key=order)
        powers = [(n, e - f) for n, e, f in zip(names, order(top), order(lead), strict=True)]
        if any(e < 0 for _, e in powers):
            return None
        term = {tuple((n, e) for n, e in powers if e): rest[top] / b[lead]}
        quotient, rest = p_add(quotient, term), p_add(rest, p_mul(term, b), -1)
    return quotient


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
        return RationalFunction({m: -c for m, c in self.top.items()}, self.bottom)

    def __sub__(self, other):
        return self + -other

    def __mul__(self, other):
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
    by_power = {}
    for mono, c in polynomial.items():
        rest = tuple(pair for pair in mono if pair[0] != name)
        by_power.setdefault(dict(mono).get(name, 0), {})[rest] = c
    total = number(0)
    for e in range(max(by_power), -1, -1):
        total = total * values[name] + p_put(by_power.get(e, {}), {n: v for n, v in values.items() if n != name})
    return total


def number(value):
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
    total = Form()
    for (a, c), (b, d) in product(x.terms.items(), y.terms.items()):
        sides = sorted((a, b), key=lambda side: (side[0], sorted(side[1])))
        total = total.plus(Form({("dot", part, *sides): c * d}))
    return total


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
        self.next, self.numbers, self.distinctions = {}, {}, {}
        self.fired, self.strict, self.known_signs, self.plain = set(), set(), {}, set()

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
        return self.lets[name]

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

    def sign(self, found, strictly=False, closed=None):
        """1 or -1 if a function is shown to be >= 0 or <= 0 (strictly: > 0 or < 0) on the ranges, else 0.

        Each range is parametrised by u >= 0 (u > 0 beside an open end): low + u, or (low + high u)/(1 + u).  ``closed`` names a
        parameter whose ends count as closed.
        """
        ends = {}
        for name, p in reversed(self.parameters.items()):
            if name in found.names() and p.low is not None:
                u, is_closed = symbol("u " + name), name == closed
                ends["u " + name] = (is_closed or not p.low_open, p.high is not None and (is_closed or not p.high_open))
                middle = p.low + u if p.high is None else (p.low + p.high * u) * (number(1) + u).inverse()
                found = found.put({name: middle})
        total = self.one_sign(found.top, ends, strictly)
        for base, e in found.bottom.items():
            total *= self.one_sign(dict(base), ends, True) ** e
        return total

    def one_sign(self, polynomial, ends, strictly):
        signs = {1 if c > 0 else -1 for c in polynomial.values()}
        powers = {name: {dict(mono).get(name, 0) for mono in polynomial} for mono in polynomial for name, _ in mono}
        if len(signs) > 1 or any(name not in ends and any(e % 2 for e in powers[name]) for name in powers):
            return 0
        if not strictly:
            return signs.pop() if signs else 1
        require(len(powers) <= 12, "too many ranges at once")
        corners = []
        for name, found in powers.items():
            low, high = ends.get(name, (True, False))
            corners.append([(name, 0)] * low + [(name, max(found))] * high or [(name, None)])
        remains = lambda corner: any(  # noqa: E731
            all(e is None or dict(mono).get(n, 0) == e for n, e in corner) for mono in polynomial
        )
        return signs.pop() if signs and all(map(remains, product(*corners))) else 0

    def shown(self, found, what, strictly=False, either=False):
        """Require a sign; note the parameters whose open ends it needs."""
        key = show(found), strictly, either, len(self.parameters)
        if key not in self.known_signs:
            good = lambda sign: sign > 0 or (either and sign < 0)  # noqa: E731
            names = [n for n in self.below(found) if self.parameters[n].low_open or self.parameters[n].high_open]
            holds = not found and not strictly or good(self.sign(found, strictly))
            self.known_signs[key] = holds, {n for n in names if holds and not good(self.sign(found, strictly, n))}
        holds, strict = self.known_signs[key]
        require(
            holds, f"{what} {show(found)} is not shown {'to vanish nowhere' if either else 'nonnegative'} on the ranges"
        )
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
        require(not self.varies(found) & over, f"{what} {show(found)} is not constant along {sorted(over)}")

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
                total = total.plus(self.reduced(name, done | over & axes), c)
        return total

    def of_kind(self, axes, *kinds):
        return {a for a in axes if self.axes[a] in kinds}

    def drawn(self, axes):
        return self.of_kind(axes, "noise", "cohort")

    def late(self, side):
        """Whether a vector knows of later times: averages over time do, and what is made of them."""
        return self.vectors[side[0]]["late"] or bool(self.of_kind(side[1], "time"))

    def reduced(self, name, done):
        """The mean of a vector over axes, by what is declared of its means."""
        for axis, (mean, why) in self.vectors[name]["means"].items():
            if axis in done:
                self.fired.add(why)
                return self.project(mean, NOWHERE, done - {axis})
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
        self.fired, self.strict = set(), set()
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

    def line_choose(self, name, equals):
        """A parameter is what an expression says, which lies in its range wherever the others lie in theirs."""
        require(name in self.parameters, f"{name} is no parameter")
        p, chosen = self.parameters[name], self.rational(equals).put(self.choices())
        require(name not in self.below(chosen) and p.chosen is None, f"{name} is chosen by itself, or twice")
        require(self.varies(chosen) <= p.varies, f"{name} = {equals} varies as {name} does not")
        for end, is_open, sign in ((p.low, p.low_open, 1), (p.high, p.high_open, -1)):
            if end is not None:
                end = end.put(self.choices())
                require(name not in self.below(end), f"{name} is chosen by itself")
                self.shown((chosen - end) * number(sign), f"{name} = {equals}: the distance from an end,", is_open)
        p.chosen = chosen

    def choices(self):
        return {name: p.chosen for name, p in self.parameters.items() if p.chosen is not None}

    def line_let(self, name, equals):
        self.lets[self.fresh(name)] = self.read(equals)

    def line_vector(self, name, axes=(), equals=None, mean=()):
        """``equals``: an equation, or one per case; ``mean``: [axis, expression, hypothesis] for each mean that is known."""
        axes, known, means = self.names(axes), {}, {}
        for label, text in (equals if type(equals) is dict else {"": equals} if equals is not None else {}).items():
            known[label] = self.vector(text)
            extra = self.reach(known[label]) - axes
            require(not extra, f"{name} depends on {sorted(extra)} too")
        for axis, text, why in mean:
            require(axis in axes and axis not in means and type(why) is str, f"{name}: mean over {axis}")
            means[axis] = self.vector(text), why
            require(self.reach(means[axis][0]) <= axes - {axis}, f"the mean of {name} depends on more than {name}")
        made_of = [side for found in (*known.values(), *(mean for mean, _ in means.values())) for side in found.terms]
        self.plain |= {why for mean, why in means.values() if not mean.terms}
        late = any(map(self.late, made_of))
        self.vectors[self.fresh(name)] = {"axes": axes, "equals": known, "means": means, "late": late}

    def reach(self, vector):
        return NOWHERE.union(
            *(self.vectors[n]["axes"] - p for n, p in vector.terms), self.varies(*vector.terms.values())
        )

    def line_value(self, name, axes=()):
        self.values[self.fresh(name)] = self.names(axes)

    def line_next(self, name, following):
        """A vector or a value at t + 1."""
        same = any(name in kind and following in kind for kind in (self.vectors, self.values))
        require(same and name not in self.next, f"{following!r} cannot be the next of {name!r}")
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
        self.vectors[self.points[of, name][1]]["late"] |= self.vectors[name]["late"]

    def line_hypothesis(self, name, form, over=(), of=None, points=(), relation=">=", grows=None):
        """``the average over these axes of form >= 0`` at all points x, y, ... of a function (values f_x, gradients g_x).

        ``grows``: {parameter: [weight, vector]}: what the form gains, ``more * weight * sq(vector)``, when the parameter does.
        """
        require(type(name) is str and name not in self.hypotheses and relation in (">=", "="), f"hypothesis {name!r}")
        require(of in self.functions if points else of is None, f"hypothesis {name}: its points")
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
        labels = {label for known in self.distinctions.values() for label in known}
        require(uses <= labels, f"{case!r} is no case")
        require(
            before is None or not any(self.known(one).uses & labels for one in facts), "an induction in one case only"
        )
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
        require(not (uses & labels and self.of_kind(over, "time")), "an average over time in one case only")
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

    def line_independent(self, name, fact, noise, clients, total):
        """From ``s - |n|^2 >= 0`` on average over a noise: ``V - |mean(n, clients)|^2 >= 0``, V = sum_k p_k^2 s_k a parameter."""
        given, one = self.known(fact), Combination({(noise, NOWHERE): number(1)})
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
        self.add(name, form, given.over, ">=", {*given.uses, why}, given.strict)

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
        self.line_vector(name, sorted(axes - {clients} | {axis}), mean=[[axis, f"mean({of}, {clients})", why]])
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
        require(self.axes.get(time) == "time", f"{time} is no time")
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
        """A form, or a number, at t + 1."""
        if isinstance(form, RationalFunction):
            form = form.put(self.choices())
            names = [n for n in form.names() if time in self.parameters[n].varies]
            missing = [n for n in names if self.parameters[n].next is None]
            require(not missing, f"{missing} have no next")
            return form.put({n: self.parameters[n].next for n in names})
        after, total = lambda n, axes: self.next.get(n) if time in axes else n, Form()  # noqa: E731
        for key, c in form.terms.items():
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
        uses |= {*more, f"{index} = {show(p.low)}, and one more at each step"}
        self.add(name, here, over, ">=", uses, strict | also)

    def line_telescope(self, name, fact, numbers, length):
        """The average of a fact over all T steps: a number at t + 1 is on average itself at t and (last - first)/T more."""
        given, length = self.known(fact), self.rational(length)
        self.nowhere_zero(length)
        require({*numbers} <= self.numbers.keys(), f"{numbers} are no numbers")
        (time,) = {self.numbers[n][3] for n in numbers}
        labels = {label for known in self.distinctions.values() for label in known}
        require(time not in given.over and not given.uses & labels, f"{fact} is averaged over {time}, or of one case")
        form = self.average(given.form, frozenset({time}))
        for n in numbers:
            following, first, last, _ = self.numbers[n]
            require(first is not None and last is not None, f"{n} has no names at both ends")
            c = form.terms.pop(("value", following, frozenset({time})), number(0))
            form = form.plus(Form({("value", n, frozenset({time})): number(1)}), c)
            form = form.plus(value(last).plus(value(first), number(-1)), c * length.inverse())
        why = f"{show(length)} is the number of points of {time}"
        self.add(name, form, given.over | {time}, given.relation, {*given.uses, why}, given.strict)

    def line_end(self, name, fact, of, last=False):
        """A fact about numbers at its first time, or at its last, where a number at t + 1 has the name of the one at T + 1."""
        given, renamed = self.known(fact), {}
        for number_name in of:
            following, first, final, time = self.numbers[number_name]
            renamed[following if last else number_name] = final if last else first
        require(all(renamed.values()), f"{of} have no name at that end")
        form = Form()
        for key, c in given.form.terms.items():
            plain = key == UNIT or (key[0] == "value" and (key[1] in renamed or time not in self.values[key[1]]))
            require(plain and time not in self.varies(c) | given.over, f"{fact} speaks of more than {of} at one time")
            new = value(renamed[key[1]]) if key != UNIT and key[1] in renamed else Form({key: number(1)})
            form = form.plus(new, c)
        require(
            not given.uses & {one for known in self.distinctions.values() for one in known}, f"{fact} is of one case"
        )
        self.add(name, form, given.over, given.relation, given.uses, given.strict)

    def line_distinction(self, name, labels):
        """Cases of which at every time one is true; an equation of a vector may depend on them."""
        taken = [label for known in self.distinctions.values() for label in known]
        good = type(labels) is list and len({*labels}) == len(labels) > 1 and not {*taken} & {*labels}
        require(name not in self.distinctions and good, f"distinction {name!r}: its labels")
        self.distinctions[name] = list(labels)

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
        """A fact for L above an open lower end holds at the end too.

        By continuity: an instance with L at the end is one for every larger L, since larger L only weakens the hypotheses used,
        and they say nothing of the parameters whose ranges move with L.
        """
        given = self.known(fact)
        require(parameter in given.strict, f"{fact} does not need the open end of {parameter}")
        moving = {n for n in self.parameters if parameter in self.below(symbol(n))}
        require(not self.touched(given.form, moving), f"{fact} speaks of what changes with {parameter}")
        for used in given.uses - self.plain:
            require(used in self.hypotheses, f"no closure passes {used!r}")
            form, _, of, letters, relation, grows = self.hypotheses[used]
            probe = Replay()
            probe.axes, probe.functions = self.axes, self.functions
            probe.parameters = {n: p for n, p in self.parameters.items() if n not in moving - {parameter}}
            probe.parameters["more"] = Parameter(number(0), None, False, False, NOWHERE)
            for letter in letters:
                probe.line_vector(letter)
                probe.line_point(letter, of)
            found, (weight, vector) = as_form(probe.read(form)), grows.get(parameter, ("0", 0))
            require(parameter not in grows or relation == ">=", f"{used} is an equality")
            probe.shown(probe.rational(weight), f"what {used} gains,")
            gain = dot(probe.vector(vector), probe.vector(vector)).times(probe.rational(weight) * symbol("more"))
            for key, c in found.terms.items():
                gain = gain.plus(Form({key: c - c.put({parameter: symbol(parameter) + symbol("more")})}))
            require(not gain.terms, f"{used} may say more for larger {parameter}")
        for base in {base for c in given.form.terms.values() for base in c.bottom}:
            good = self.sign(RationalFunction(dict(base)), True, parameter)
            require(good, f"{fact} divides by what may vanish at the end of {parameter}")
        uses = {*given.uses, f"{parameter} at its end by continuity"}
        self.add(name, given.form, given.over, given.relation, uses, given.strict - {parameter})

    def touched(self, form, moving):
        """Whether a form has a vector or value that the moving parameters define."""
        known, found = set(self.numbers) | {one for n in self.numbers.values() for one in n}, False
        for name, vector in self.vectors.items():
            made_of = [*vector["equals"].values(), *(mean for mean, _ in vector["means"].values())]
            numbers = {n for one in made_of for c in one.terms.values() for n in c.names()}
            if numbers & moving or any(n in known for one in made_of for n, _ in one.terms):
                known.add(name)
            for (_, point), pair in self.points.items():
                known |= {*pair} if point in known else set()
        for key in form.terms:
            found |= any(n in known for n in ([key[1]] if key[0] == "value" else [n for n, _ in key[2:]]))
        return found


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

    if key[0] == "value":
        return named(*key[1:])
    return f"dot({named(*key[2])}, {named(*key[3])})" + (f" along {', '.join(sorted(key[1]))}" if key[1] else "")


def verify(data):
    """Replay a derivation and return its state; raises :class:`Underivable`."""
    require(type(data) is dict and {*data} == {"format", "title", "lines", "conclusions"}, "no derivation")
    require(data["format"] == "fltheory derivation 1", f"format {data['format']!r}")
    require(type(data["lines"]) is list and len(data["lines"]) <= MOST_LINES, f"more than {MOST_LINES} lines")
    state = Replay()
    for position, line in enumerate(data["lines"], 1):
        try:
            state.line(line)
        except Underivable as error:
            raise Underivable(f"line {position}, {json.dumps(line)[:100]}: {error}") from None
        except (TypeError, KeyError, ValueError, AttributeError, RecursionError) as error:
            raise Underivable(f"line {position} cannot be read: {type(error).__name__}: {error}") from None
    require(data["conclusions"] and all(state.known(name) for name in data["conclusions"]), "it concludes nothing")
    return state


def main(paths):
    for path in paths:
        try:
            with open(path, "rb") as file:
                content = file.read(MOST_BYTES + 1)
            require(len(content) <= MOST_BYTES, f"more than {MOST_BYTES} bytes")
            data = json.loads(content)
            state = verify(data)
        except (OSError, ValueError, Underivable) as error:
            print(f"{path}: {error}")
            return 1
        for name in data["conclusions"]:
            uses = "; ".join(sorted(state.facts[name].uses))
            print(f"{path}: {name} is derived in {len(data['lines'])} lines from {uses}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
