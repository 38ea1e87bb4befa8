# mypy: ignore-errors, allow-untyped-defs, allow-untyped-calls, allow-any-generics, no-check-untyped-defs
"""The verifier of certificates about best step sizes: standard library only, beside :mod:`verifier`, in exact arithmetic.

Run it by itself: ``python -I -S best_verifier.py CERTIFICATE.json...`` (exit code 0 accepted, 1 rejected, 2 unreadable).

A certificate holds one method whose coefficients are sums of powers of its step size eta > 0, one question (classes, assumptions,
measure, quantities), and with V(eta) the largest measure at eta

``upper``: multipliers at the rational ``step``, for the program at that step: :func:`verifier.verify` gives ``V(step) <= u``;
``pieces``: intervals [s, t] of step sizes, end to end, each with instances for all its step sizes that give V >= value; the
    last one may have no end.

So ``l <= min V <= u`` over the whole range, l being the least value, and V is least nowhere but in pieces of value <= u.

Instances.  With tau = (eta - s)/(t - s), Gram blocks and function values are ``sum_c B_c(tau) G_c`` with the Bernstein
polynomials of degree p: positive semidefinite where all G_c are.  Without noise a program's coordinates are made by the same
sums whatever eta > 0 is, so that those that matter are polynomials in eta, of a degree that :func:`degree` bounds; then
every constraint and the measure are polynomials of degree n = 2 degree + p at most.  Their values at n + 1 step sizes,
where the constraints are those of :mod:`verifier`, determine their Bernstein coefficients, none of which may be negative
(below the value).  Blocks and values that obey all constraints at eta are an instance at eta, as
:func:`verifier.check_lower` says.

Parabolas.  All losses are ``c x^2/2`` (the server's own with a curvature of its own), run from a start of squared length
``square``: every register is a polynomial in eta, and so are constraints and measure.  Their Bernstein coefficients on the piece
must not be negative (below the value); without an end, those of their powers of eta - s.  Clients are alike and nothing is
noisy, so that averages over cohorts are the clients' vectors.
"""

import sys
from fractions import Fraction
from math import comb
from pathlib import Path

if __package__:
    from fltheory.worstcase import verifier
else:  # run by itself, isolated: the file beside this one
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import verifier

FORMAT = "fltheory best step 1"
STATEMENT = ("program", "method_length", "classes", "shares", "assumptions", "measure")
MOST_PIECES, MOST_DEGREE = 1000, 64
number, require, ZERO, ONE = verifier.number, verifier.require, verifier.ZERO, verifier.ONE
Rejected = verifier.Rejected


def polynomial(terms):
    """``{power: rational}`` of the pairs of a power of eta and a rational; powers may be negative."""
    found = {}
    for power, factor in terms:
        require(type(power) is int and abs(power) <= MOST_DEGREE and power not in found, f"power {power!r}")
        found[power] = number(factor)
    return found


def value_at(terms, eta):
    """The value of a polynomial."""
    return sum((factor * eta**power for power, factor in terms.items()), ZERO)


def program_at(items, eta):
    """The program at a step size, in the words of :mod:`verifier`."""
    return [
        ["combine", [[str(value_at(polynomial(c), eta)), r] for c, r in item[1]]] if item[0] == "combine" else item
        for item in items
    ]


def question_at(data, eta):
    """What is asked at a step size, as :mod:`verifier` reads it."""
    return {name: data[name] for name in STATEMENT} | {"program": program_at(data["program"], eta)}


class OpenTheorem(verifier.Theorem):
    """The theorem at one step size, told with the step size left open; ``items`` is the program with polynomials."""

    def __init__(self, items, data, model):
        self.open = items
        super().__init__(data, model)
        self.called, self.label = self.label, "None"

    def expression(self, r):
        if self.items[r][0] != "combine":
            return super().expression(r)
        terms = []
        for listed, place in self.open[r][1]:
            powers = polynomial(listed)
            if len(powers) == 1:
                ((power, factor),) = powers.items()
                terms.append((factor, f"{eta_to(power)}{self.name(place)}"))
            else:
                many = verifier.linear([(factor, eta_to(power).strip() or "1") for power, factor in powers.items()])
                terms.append((ONE, f"({many}) {self.name(place)}"))
        return verifier.linear(terms)


def eta_to(power):
    """A power of eta before a name."""
    return "" if not power else "eta " if power == 1 else f"eta^{power} "


def register_powers(data):
    """Least and largest powers of eta in each register, whatever cancels; where gradients are taken; all powers there are."""
    least, most, used, listed = [], [], set(), {0}
    for item in data["program"]:
        low = high = 0
        if item[0] == "combine":
            own = [(power, r) for c, r in item[1] for power in polynomial(c)]
            listed.update(power for power, _ in own)
            low = min((power + least[r] for power, r in own), default=0)
            high = max((power + most[r] for power, r in own), default=0)
        elif item[0] in ("average", "mean"):
            low, high = least[item[1]], most[item[1]]
        elif item[0] in ("gradient", "centre"):
            used.add(item[1])
        else:
            require(item[0] in ("given", "optimum", "minimiser", "infimum"), f"pieces of methods with {item[0]!r}")
        require(max(-low, high) <= MOST_DEGREE, f"powers from {low} to {high}, beyond {MOST_DEGREE}")
        least.append(low)
        most.append(high)
    return least, most, used, listed.union(least, most)


def degree(data):
    """A bound of the degrees in eta of all vectors of which constraints and measure are made; none has negative powers.

    A method may divide by its step size: powers of registers lie between ``least`` and ``most``, whatever cancels.
    """
    least, most, used, _ = register_powers(data)
    for functional in [*data["assumptions"], data["measure"]]:
        used.update(r for _, *pair in functional["inner"] for r in pair)
    require(all(least[r] >= 0 for r in used), "a vector may have negative powers of the step size")
    return max(most[r] for r in used)


def bernstein(degree, tau):
    """The Bernstein polynomials of a degree at a point."""
    return [comb(degree, k) * tau**k * (1 - tau) ** (degree - k) for k in range(degree + 1)]


def inverse(rows):
    """The inverse of a matrix of rationals."""
    size = len(rows)
    rows = [list(row) + [ONE * (i == j) for j in range(size)] for i, row in enumerate(rows)]
    for k in range(size):
        place = next(i for i in range(k, size) if rows[i][k])
        rows[k], rows[place] = rows[place], rows[k]
        rows[k] = [entry / rows[k][k] for entry in rows[k]]
        for i in range(size):
            if i != k and rows[i][k]:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[size:] for row in rows]


class Samples:
    """The models at ``n + 1`` step sizes inside of [low, high]; their coordinates are the same polynomials at all of them."""

    def __init__(self, data, low, high, count):
        self.taus = [Fraction(k + 1, count + 1) for k in range(count)]
        self.models = [verifier._Model(question_at(data, low + (high - low) * tau)) for tau in self.taus]
        self.back = inverse([bernstein(count - 1, tau) for tau in self.taus])
        made = [
            (m.program.sizes, m.program.at_origin, m.program.infima, {k: [*q] for k, q in m.program.queries.items()})
            for m in self.models
        ]
        require(all(one == made[0] for one in made), "programs of unlike shapes in one piece")
        require(not any(m.program.draws for m in self.models), "pieces of methods with noise")

    def coefficients(self, values):
        """Bernstein coefficients of the polynomial with these values."""
        return [sum((a * b for a, b in zip(row, values, strict=True)), ZERO) for row in self.back]


def slacks(model, blocks, values, quantities):
    """What must not be negative of blocks and values, in a fixed order, and the measure."""
    program, found = model.program, []

    def evaluate(form):
        return sum((e * (values[k[1]] if k[0] == "f" else blocks[k[0]][k[1]][k[2]]) for k, e in form.items()), ZERO)

    def image(vector):
        total = {}
        for (part, j), entry in vector.items():
            verifier.add(total, {(part, i): row[j] for i, row in enumerate(blocks[part])}, entry)
        return total

    for form, bound, scale in model.assumptions:
        found.append((ZERO if bound is None else scale * quantities[bound]) - evaluate(form))
    for name, (mu, smooth, queries) in model.groups.items():
        images, c = {r: image(h) for r, (_, h, _) in queries.items()}, {}
        for r, (x, h, _) in queries.items():
            c[r] = values[r] - mu / 2 * verifier.dot(x, image(x)) - verifier.dot(h, images[r]) / (2 * (smooth - mu))
            for lowest, group in program.infima.items():
                require(group != name or mu == 0, "the infimum of clients: needs mu = 0")
                found += [c[r] - values[lowest]] if group == name else []
        own = {j: verifier.dot(queries[j][2], images[j]) for j in queries}
        for i in queries:
            found += [c[i] - c[j] - verifier.dot(queries[i][2], images[j]) + own[j] for j in queries if i != j]
    return found, evaluate(model.measure)


def check_piece(data, piece, quantities):
    """``(s, t, value)``: at every step size of [s, t] some instance has a measure of at least the value."""
    (low, high, least), value = measured(data, piece, quantities), number(piece["value"])
    require(least >= value, f"the measure may be {least}, below the claimed {value}")
    return low, high, value


def measured(data, piece, quantities):
    """``(s, t, least)``: the interval of a piece, and what its instances' measure is at least."""
    verifier.fields(piece, "piece", ("interval", "blocks", "values", "value"))
    low, high = map(number, piece["interval"])
    require(0 <= low < high, f"the interval [{low}, {high}]")
    order = len(piece["blocks"]) - 1
    require(0 <= order <= 4 and len(piece["values"]) == order + 1, "unlike numbers of blocks and of values")
    samples = Samples(data, low, high, 2 * degree(data) + order + 1)
    first = samples.models[0]
    program, grams, heights = first.program, [], []
    named = {str(r) for r in set(program.infima).union(*program.queries.values())}
    for blocks, values in zip(piece["blocks"], piece["values"], strict=True):
        verifier.fields(blocks, "blocks", [kind for kind, _ in program.sizes])
        verifier.fields(values, "values", (), named)
        gram, work = {}, verifier.Work()
        for part, size in program.sizes.items():
            rows = gram[part] = [[number(entry) for entry in row] for row in blocks[part[0]]]
            require(len(rows) == size and all(len(row) == size for row in rows), f"block {part[0]} has a wrong size")
            require(all(rows[i][j] == rows[j][i] for i in range(size) for j in range(i)), "a block is not symmetric")
            require(verifier.positive_semidefinite(rows, work), "a block of an instance is not positive semidefinite")
        deviates = any(any(map(any, rows)) for (kind, _), rows in gram.items() if kind == "d")
        require(program.clients != 1 or not deviates, "one client does not deviate from the mean")
        grams.append(gram)
        heights.append({int(r): number(text) for r, text in values.items()} | dict.fromkeys(program.at_origin, ZERO))
    asked = all(first.groups.get(group, (0, 0, {}))[2] for group in program.infima.values())
    require(asked, "the infimum of clients whose gradients nobody asked for")
    queried = all(program.at_origin & set(queries) for _, _, queries in first.groups.values())
    anchored = any(model.anchored for model in samples.models)
    free = not program.at_origin and not anchored and all(mu < 0 for mu, _, _ in first.groups.values())
    require(queried or free, "nothing says that the origin is a minimiser: the instance has no gradient there")
    listed, measures = [], []
    for tau, model in zip(samples.taus, samples.models, strict=True):
        weights = bernstein(order, tau)
        blocks = {
            part: [
                [sum((w * g[part][i][j] for w, g in zip(weights, grams, strict=True)), ZERO) for j in range(size)]
                for i in range(size)
            ]
            for part, size in program.sizes.items()
        }
        values = {r: sum((w * h[r] for w, h in zip(weights, heights, strict=True)), ZERO) for r in heights[0]}
        found, measure = slacks(model, blocks, values, quantities)
        listed.append(found)
        measures.append(measure)
    for column in zip(*listed, strict=True):
        require(min(samples.coefficients(column)) >= 0, "an instance breaks a constraint somewhere in its piece")
    return low, high, min(samples.coefficients(measures))


def times(left, right):
    """The product of two polynomials."""
    found = {}
    for i, a in left.items():
        verifier.add(found, {i + j: b for j, b in right.items()}, a)
    return {power: factor for power, factor in found.items() if factor}


def plus(left, right, factor=ONE):
    """``left + factor * right``."""
    found = dict(left)
    verifier.add(found, right, factor)
    return {power: entry for power, entry in found.items() if entry}


def shifted(terms, start):
    """Coefficients of the powers of t, from none on, of the polynomial at ``start + t``."""
    require(all(power >= 0 for power in terms), "a negative power of the step size is left")
    found = [ZERO] * (1 + max(terms, default=0))
    for power, factor in terms.items():
        for k in range(power + 1):
            found[k] += factor * comb(power, k) * start ** (power - k)
    return found


def run_on_parabolas(items, curvatures):
    """Registers as polynomials in eta, and function values at gradients, from a start of one."""
    made, values = [], {}
    for place, item in enumerate(items):
        match item:
            case ["given", "server" | "clients", degree]:
                made.append({0: Fraction(degree)} if degree else {})
            case ["optimum"] | ["optimum", "shared"] | ["noise", *_]:
                made.append({})
            case ["minimiser"] | ["infimum"]:
                require(curvatures["clients"] >= 0, "a parabola without a minimiser")
                made.append({})
                values[place] = {}
            case ["combine", terms]:
                total = {}
                for c, r in terms:
                    require(type(r) is int and 0 <= r < place, f"register {r!r} looks ahead")
                    total = plus(total, times(polynomial(c), made[r]))
                require(len(total) <= MOST_DEGREE + 1, f"a polynomial of more than {MOST_DEGREE} powers")
                made.append(total)
            case ["mean" | "average", r]:
                made.append(made[r])
            case ["gradient" | "centre" as name, r]:
                curvature = curvatures["clients" if name == "gradient" else "centre"]
                made.append(times({0: curvature}, made[r]))
                values[place] = times({0: curvature / 2}, times(made[r], made[r]))
            case _:
                raise verifier.Rejected(f"unknown instruction {item}")
    return made, values


def evaluated(made, values, functional):
    """A functional of a run on parabolas as a polynomial in eta."""
    total = {}
    for factor, a, b in functional["inner"]:
        total = plus(total, times(made[a], made[b]), number(factor))
    for factor, r in functional["values"]:
        total = plus(total, values[r], number(factor))
    return total


def never_negative(terms, low, high):
    """Whether the Bernstein coefficients on [low, high], or those in eta - low where there is no end, are not negative."""
    powers = shifted(terms, low)
    if high is None:
        return min(powers) >= 0
    powers = [entry * (high - low) ** k for k, entry in enumerate(powers)]
    n = len(powers) - 1
    return all(sum(powers[i] * Fraction(comb(k, i), comb(n, i)) for i in range(k + 1)) >= 0 for k in range(n + 1))


def check_parabolas(data, piece, quantities):
    """``(s, t, value)`` as :func:`check_piece`, by parabolas; t may be ``None``: all step sizes from s on."""
    verifier.fields(piece, "piece", ("interval", "curvatures", "square", "value"))
    low, high = number(piece["interval"][0]), piece["interval"][1]
    high = None if high is None else number(high)
    square, value = number(piece["square"]), number(piece["value"])
    curvatures = {name: number(text) for name, text in piece["curvatures"].items()}
    require(0 <= low and (high is None or low < high) and square >= 0, f"[{low}, {high}], square {square}")
    for name, curvature in curvatures.items():
        mu, smooth = (number(text) for text in data["classes"][name])
        require(mu <= curvature <= smooth and smooth > 0, f"curvature {curvature} of {name}")
    require("clients" in curvatures and sum(curvatures.values()) >= 0, "the origin is no minimiser of the sum")
    ran = run_on_parabolas(data["program"], curvatures)
    for item in data["assumptions"]:
        require(number(item["scale"]) > 0, "the scale of a quantity is not positive")
        limit = ZERO if item["bound"] is None else number(item["scale"]) * quantities[item["bound"]]
        rest = plus({0: limit}, evaluated(*ran, item), -square)
        require(never_negative(rest, low, high), "the parabolas break an assumption somewhere in the piece")
    rest = plus({0: -value}, evaluated(*ran, data["measure"]), square)
    require(never_negative(rest, low, high), "the parabolas fall below the value")
    return low, high, value


def verify(data: dict) -> dict:
    """What is proved, or :class:`verifier.Rejected`.

    ``{"step": eta, "upper": {quantity: factor}, "above": u, "below": l, "range": (low, high or None), "pieces": [(s, t, value)],
    "quantities": ...}``; the last t is ``None`` where the pieces reach all step sizes.
    """
    try:
        verifier.plain(data)
        require(data.get("format") == FORMAT, "unknown format")
        verifier.fields(data, "certificate", ("format", "claim", *STATEMENT, "quantities", "step", "upper", "pieces"))
        require(len(data["pieces"]) <= MOST_PIECES, f"more than {MOST_PIECES} pieces")
        step = number(data["step"])
        quantities = {name: number(text) for name, text in data["quantities"].items()}
        require(all(entry >= 0 for entry in quantities.values()), "a negative quantity")
        proof = question_at(data, step) | {"format": verifier.FORMAT, "claim": data["claim"], "upper": data["upper"]}
        bound = verifier.verify(proof)["upper"]
        theorem = OpenTheorem(data["program"], proof, verifier._Model(proof))
        require_names(data, theorem, step)
        above = sum((factor * quantities[name] for name, factor in bound.items()), ZERO)
        checks = [check_parabolas if "curvatures" in piece else check_piece for piece in data["pieces"]]
        pieces = [check(data, piece, quantities) for check, piece in zip(checks, data["pieces"], strict=True)]
        require(pieces, "no piece")
        start, end = pieces[0][0], pieces[-1][1]
        require(
            start < step and (end is None or step <= end), f"the step {step} is not among those that the pieces cover"
        )
        for (_, end, _), (begin, *_) in zip(pieces, pieces[1:], strict=False):
            require(end == begin, f"pieces are not end to end at {end}, {begin}")
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise verifier.Rejected(f"malformed certificate: {type(error).__name__} {error}") from None
    return {
        "step": step,
        "upper": bound,
        "above": above,
        "below": min(value for *_, value in pieces),
        "range": (pieces[0][0], pieces[-1][1]),
        "pieces": pieces,
        "quantities": quantities,
        "theorem": theorem,
    }


def require_names(data, theorem, step):
    """What has a name at the step has it at every step size: the same names at more step sizes than polynomials can agree at.

    Names follow from equalities of coefficients of vectors and combinations, Laurent polynomials in eta whose powers differ by
    ``span`` at most: two that agree at more than ``span`` positive step sizes are equal.
    """
    listed = register_powers(data)[-1]
    span = max(listed) - min(listed)
    own = [(theorem.server(r), theorem.random(r)) for r in range(len(theorem.items))]
    for k in range(2 * span + 1):
        there = question_at(data, step * Fraction(1009 + k, 1013)) | {"claim": data["claim"]}
        other = verifier.Theorem(there, verifier._Model(there))
        for name in ("measured", "kinds", "assumed", "symbols", "names"):
            require(
                getattr(other, name) == getattr(theorem, name),
                f"{name} at eta = {step} alone: there it is another theorem",
            )
        flags = [(other.server(r), other.random(r)) for r in range(len(other.items))]
        require(flags == own, f"a vector is the server's, or no random one, at eta = {step} alone")


def possible(found: dict) -> list:
    """Where the best step size can be: the pieces whose value is not above u, put together where they touch."""
    above, joined = found["above"], []
    for low, high, value in found["pieces"]:
        if value <= above:
            if joined and joined[-1][1] == low:
                joined[-1][1] = high
            else:
                joined.append([low, high])
    return [tuple(one) for one in joined]


def report(found: dict) -> list:
    """What was proved, in words and numbers rounded to the safe side."""
    low, high = found["range"]
    sign = ">=" if low else ">"
    reach = f"every eta {sign} {low}" + ("" if high is None else f" and <= {high}")
    places = [
        f"[{verifier.about(a, False)}, " + ("infinity)" if b is None else f"{verifier.about(b, True)}]")
        for a, b in possible(found)
    ]
    theorem, shown = found["theorem"], verifier.about
    terms = [f"{shown(factor, True)} {theorem.symbols[name]}" for name, factor in found["upper"].items() if factor]
    given = theorem.limits(found["quantities"], lambda entry, up: str(entry))
    who = "N >= 2" if theorem.program.clients is None else f"N = {theorem.program.clients}"
    return [
        f"proved: at eta = {found['step']}, {theorem.measure()} <= {' + '.join(terms) or '0'}, {theorem.for_whom()}",
        f"which is at most {shown(found['above'], True)}" + (f" where {given}" if given else ""),
        f"proved: at {reach}, {theorem.measure()} >= {shown(found['below'], False)} for some {who} clients of equal "
        "weights and some start" + (f", with {given}" if given else ""),
        f"the eta {'' if not low and high is None else 'of these '}with the least worst case lies in "
        + " or ".join(places),
        *theorem.setting(),
        *theorem.assumptions(),
        f"eta is the step size; at eta = {found['step']} the method is said to be {theorem.called}",
        *theorem.definitions(),
    ]


def main(paths):
    code = 0
    for path in paths:
        try:
            data = verifier.read(path)
            print(f"{verifier.one_line(path)}: accepted", *report(verify(data)), sep="\n  ")
        except verifier.Rejected as error:
            print(f"{verifier.one_line(path)}: REJECTED: {verifier.one_line(error)}")
            code = max(code, 1)
        except (OSError, ValueError) as error:
            print(f"{verifier.one_line(path)}: unreadable: {verifier.one_line(error)}")
            code = 2
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
