# mypy: ignore-errors, allow-untyped-defs, allow-untyped-calls, allow-any-generics, no-check-untyped-defs
"""The trusted verifier of worst-case certificates: one file, standard library only, exact rational arithmetic.

Run it by itself: ``python -I -S verifier.py CERTIFICATE.json...`` (exit code 0 accepted, 1 rejected, 2 unreadable).  Files
are read strictly: no name twice, none unknown, no float, only printable ASCII, limited sizes and limited work (see ``Work``).

It trusts nothing but this file: it rebuilds all constraints from the method's program in the certificate and checks

``upper``: ``measure <= sum_b bound_b * (quantity b)`` for every instance.  With multipliers y >= 0 it checks exactly that
    ``sum_a y_a A_a - sum_ij y_ij q_ij - measure`` has no term in function values and is a positive semidefinite form in
    every Gram block, where ``A_a <= scale_a * (quantity)`` are the assumptions (``A_a <= 0`` without a quantity), and
    ``q_ij >= 0`` holds for functions with curvature in [mu, L] at points x with gradients g and values f: with
    ``h = g - mu x``, ``z = x - h/(L - mu)`` and ``c = f - mu/2 |x|^2 - |h|^2/(2 (L - mu))``, q is convexity of c along z,
    ``q_ij = c_i - c_j - <h_j, z_i - z_j>``.
    The two points may be of two histories that part before a draw: the same function, noises independent from there
    on, so that <h_j, z_i> lacks the increments of that draw and of the later ones.
``lower``: Gram blocks and values that obey all constraints exactly, with the measure at least ``value``.

An instance: clients f_k with weights p_k, the origin a zero of their total gradient (plus the server's own, register
"centre"), noises with mean zero given all earlier draws, independent between clients given the server's, which all
clients share and which come first; a client's points depend on the server's draws up to the last one that the program puts
into them, and the cohort on none.  <a, b> is the expectation of ``sum_k p_k <a_k, b_k>``, and f[r] that of
``sum_k p_k (f_k(x_k) - f_k(0))``, where r is the gradient at x; "infimum" stands for numbers that no value of f_k goes
below, "minimiser" for points where the gradient of f_k is zero.  Vectors are {(part, basis): rational}.  A part is (kind, t):
the increment due to draw t, or (t = -1) what is there before all draws.  Kinds: before all draws, and of a draw of the
server's, "m" client means and server vectors, "d" deviations of clients from the mean (an average over all clients drops
them), "s" what the average of a sampled cohort keeps of them; of a draw of the clients', "n" the increment, "a" the average
of such increments.  Parts are orthogonal: a positive semidefinite block each.
"""

import json
import math
import sys
from fractions import Fraction

ZERO, ONE = Fraction(0), Fraction(1)
MOST_BYTES, MOST_DIGITS, MOST_REGISTERS = 4_000_000, 1000, 500
MOST_WORK = 10_000_000  # two minutes at most; what the package certifies takes up to a second or two


class Rejected(Exception):
    """The certificate proves nothing; the message says why."""


def require(condition: object, message: str) -> None:
    if not condition:
        raise Rejected(message)


def pairs_once(pairs):
    """A JSON object in which no name stands twice."""
    found = dict(pairs)
    require(len(found) == len(pairs), "a name stands twice in one object")
    return found


def whole(text):
    require(len(text) <= MOST_DIGITS, f"a number of {len(text)} digits, more than {MOST_DIGITS}")
    return int(text)


def no_float(text):
    raise Rejected(f"{text[:40]} is no whole number and no rational in quotes, such as '-1/4'")


def read(path: object) -> dict:
    """The JSON object in a file, read strictly: ``OSError`` or ``ValueError`` if it is none, else perhaps :class:`Rejected`."""
    with open(path, "rb") as file:
        content = file.read(MOST_BYTES + 1)
    require(len(content) <= MOST_BYTES, f"more than {MOST_BYTES} bytes")
    try:
        data = json.loads(
            content.decode("utf-8"),
            object_pairs_hook=pairs_once,
            parse_int=whole,
            parse_float=no_float,
            parse_constant=no_float,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    require(type(data) is dict, f"a JSON {type(data).__name__}, expected an object")
    return data


def plain(data: object) -> None:
    """Every text in the data is short, printable ASCII: what is printed says what is meant."""
    todo = [data]
    while todo:
        item = todo.pop()
        if type(item) is dict:
            todo += [*item, *item.values()]
        elif type(item) in (list, tuple):
            todo += item
        elif type(item) is str:
            require(item.isascii() and item.isprintable(), f"{ascii(item[:40])} is no printable ASCII text")
            require(len(item) <= 2 * MOST_DIGITS + 2, f"a text of {len(item)} characters, which starts {item[:40]!r}")
        else:
            require(
                item is None or type(item) in (int, bool),
                f"{str(item)[:40]} is no whole number and no rational in quotes, such as '-1/4'",
            )


def fields(data: object, what: str, needed: object, optional: object = ()) -> dict:
    """An object with these names and no others."""
    require(type(data) is dict, f"{what}: expected an object")
    missing, unknown = [name for name in needed if name not in data], sorted({*data} - {*needed, *optional})
    require(not missing, f"{what}: {missing[:3]} missing")
    require(not unknown, f"{what}: unknown names {unknown[:3]}")
    return data


def number(text: object) -> Fraction:
    plain = type(text) is int or (type(text) is str and set(text) <= set("-/0123456789"))
    require(plain, f"{text!r} is no rational in quotes, such as '-1/4'")
    digits = len(text) if type(text) is str else text.bit_length() * 3 // 10
    require(digits <= 2 * MOST_DIGITS + 2, f"a number of {digits} digits, more than {MOST_DIGITS} above and below")
    require(type(text) is int or "/" not in text or text.split("/", 1)[1].strip("0"), f"{text!r}: denominator zero")
    return Fraction(text)


def is_name(text: object) -> bool:
    """A name that no reader of a report takes for numbers, relations or further claims."""
    short = type(text) is str and 0 < len(text) <= 60 and text[0].isalpha()
    return short and all(c.isalnum() or c in " _-*^'" for c in text)


class Work:
    """What a check may cost: operations on fractions times the square of their words, charged before they are done."""

    def __init__(self) -> None:
        self.left = MOST_WORK

    def charge(self, operations: int, *operands: object) -> None:
        words = 0
        for entries in operands:
            words += max((max(e.numerator.bit_length(), e.denominator.bit_length()) for e in entries), default=0) // 64
        self.spend(operations * (1 + words) ** 2)

    def charge_integers(self, operations: int, bits: int) -> None:
        """For integers of so many bits, no fractions: an eighth of the price of one word, half at eight, all at fourteen."""
        self.spend(-(-operations * (8 + bits // 64) ** 2 // 512))

    def spend(self, units: int) -> None:
        self.left -= units
        require(self.left >= 0, f"too much work: more than {MOST_WORK} operations on numbers of one word")


def add(total, terms, factor=ONE):
    """``total += factor * terms`` for {key: rational}."""
    for key, entry in terms.items():
        total[key] = total.get(key, ZERO) + factor * entry


def dot(left, right):
    return sum((entry * right[key] for key, entry in left.items() if key in right), ZERO)


def shares(data, noisy):
    """N (None: any number), what averages keep of deviations' second moment (None: nothing) and of noises'.

    The weights are equal wherever N is named, and else any.  An average is over one cohort of K clients: all of them;
    K independent draws by weight (a client drawn again counts again, with the same noise or with separate runs); or a
    uniform subset of K.
    """
    fields(data, "shares", ("scheme", "clients", "cohort"), ("deviation", "noise"))
    scheme, n, k = data["scheme"], data["clients"], data["cohort"]
    require(all(count is None or (type(count) is int and count > 0) for count in (n, k)), f"N={n}, K={k}")
    require(n is not None or not noisy or "separate" in scheme, "the noise of an average depends on N: name it")
    if scheme == "full":
        return n, None, Fraction(1, n or 1)
    if scheme == "with replacement":
        return n, Fraction(1, k), Fraction(1, k) + (1 - Fraction(1, k)) / (n or 1)
    if scheme == "with replacement, separate runs":
        return n, Fraction(1, k), Fraction(1, k)
    require(scheme == "without replacement" and k <= n, f"scheme {scheme!r} with K={k} of N={n}")
    return n, Fraction(n - k, k * max(n - 1, 1)), Fraction(1, k)


class _Program:
    """Coordinates of all registers; ``queries[group][r]`` is the point and the gradient of register r."""

    def __init__(self, data):
        items, self.work = data["program"], Work()
        require(
            type(items) is list and len(items) <= MOST_REGISTERS,
            f"program: expected a list of at most {MOST_REGISTERS}",
        )
        self.clients, self.deviation, self.noise = shares(
            data["shares"], any(item[0] == "noise" and len(item) == 2 for item in items)
        )
        for name, own in (("deviation", self.deviation), ("noise", self.noise)):
            said = data["shares"].get(name)
            require(
                name not in data["shares"] or (None if said is None else number(said)) == own,
                f"{name} is {own}, not {said!r}",
            )
        self.centred, self.balance = any(item[0] == "centre" for item in items), {}
        self.vectors, self.degrees, self.sizes, self.draws = [], [], {}, []
        self.queries, self.at_origin, self.infima, made = {"clients": {}, "centre": {}}, set(), set(), []
        for place, item in enumerate(items):
            require(item[0] in ("given", "minimiser") or item not in made, f"register {place}: a repetition of {item}")
            made.append(item)
            try:
                vector, degree = self.make(place, item, made)
            except Rejected as error:
                raise Rejected(f"register {place}: {error}") from None
            self.vectors.append({key: entry for key, entry in vector.items() if entry})
            self.degrees.append(Fraction(degree))

    def fresh(self, kinds, draw=-1):
        vector = {((kind, draw), self.sizes.get((kind, draw), 0)): ONE for kind in kinds}
        self.sizes.update({part: place + 1 for part, place in vector})
        return vector

    def register(self, r):
        require(type(r) is int and 0 <= r < len(self.vectors), f"register {r!r} looks ahead, or there is none")
        return self.vectors[r], self.degrees[r]

    def make(self, place, item, made):
        """A register's vector and degree: 1 for points, which move with the origin, and 0 for directions."""
        match item:
            case ["given", "server" | "clients" as who, degree]:
                require(type(degree) is int and degree in (0, 1), f"degree {degree!r}, expected 0 or 1")
                return self.fresh("m" if who == "server" else "md"), degree
            case ["optimum"] | ["optimum", "shared"]:  # shared: all clients have the same gradient there
                return {}, 1
            case ["infimum"]:
                self.infima.add(place)
                return {}, 0
            case ["minimiser"]:
                self.queries["clients"][place] = self.fresh("md"), {}
                return self.queries["clients"][place][0], 1
            case ["noise", draw] | ["noise", draw, "server"]:  # in order: its law may depend on all that came before
                count, shared = len(self.draws), len(item) == 3
                require(type(draw) is int and draw == count, f"noise {draw!r}, expected number {count}")
                require(not shared or "n" not in self.draws, "noise of the server's after noise of the clients'")
                self.draws.append("md" if shared else "n")  # what a client's vector may have of this draw
                return self.fresh("m" if shared else "n", draw), 0
            case ["combine", terms]:
                vector, degree = {}, ZERO
                for factor, r in terms:
                    used = self.register(r)[0]
                    self.work.charge(
                        len(used) + len(vector) // 8 + 1, used.values(), [number(factor), degree], vector.values()
                    )
                    add(vector, self.register(r)[0], number(factor))
                    degree += number(factor) * self.register(r)[1]
                return vector, degree
            case ["mean", r]:
                vector, degree = self.register(r)
                require(all(kind in "md" for (kind, _), _ in vector), "the mean of a random vector")
                return {key: entry for key, entry in vector.items() if key[0][0] == "m"}, degree
            case ["average", r]:
                (vector, degree), kept = self.register(r), {}
                for ((kind, draw), basis), entry in vector.items():
                    if kind != "d" or self.deviation is not None:
                        add(kept, {(({"d": "s", "n": "a"}.get(kind, kind), draw), basis): entry})
                return kept, degree
            case ["gradient" | "centre" as name, r]:
                return self.gradient(name, place, *self.register(r), made[r]), 0
        raise Rejected(f"unknown instruction {item}")

    def gradient(self, name, place, x, degree, source):
        """Any vector, but at the origin the clients' mean gradient is zero, or the opposite of the server's."""
        require(degree == 1, "a gradient at a vector that is no point")
        require(x or source[0] == "optimum", "a gradient at a point that is always the origin, and not named so")
        if source[0] == "optimum":
            self.at_origin.add(place)
            if self.centred and not self.balance:
                self.balance = self.fresh("m")
            found = {key: ONE if name == "gradient" else -ONE for key in self.balance}
        else:
            found = self.fresh("m")
        if name == "centre":
            require(all(kind == "m" for (kind, _), _ in x), "the server's gradient at a random or a client's point")
        else:
            require(all(kind in "mdn" for (kind, _), _ in x), "a gradient at a random average")
            found |= self.fresh("d" if source != ["optimum", "shared"] else "")
        for draw in [*range(depth(x, "md")), *range(self.draws.count("md"), depth(x))]:
            found |= self.fresh("m" if name == "centre" else self.draws[draw], draw)
        self.queries["clients" if name == "gradient" else "centre"][place] = x, found
        return found

    def meet(self, part, other):
        """The block in which two parts have an inner product, and its share; None if they are orthogonal."""
        (kind, draw), (another, same) = part, other
        if draw != same:
            return None
        kinds = "".join(sorted(kind + another))
        mixed = kinds == "ds" or (kinds == "an" and self.deviation is not None)
        require(not mixed, "inner product of a cohort's average with a client vector")
        met = {
            "mm": ("m", 1),
            "dd": ("d", 1),
            "ss": ("d", self.deviation),
            "nn": ("n", 1),
            "an": ("n", self.noise),
            "aa": ("n", self.noise),
        }.get(kinds)
        return met and ((met[0], draw), met[1])

    def add_product(self, total, factor, left, right):
        """``total += factor <left, right>``; keys are (block, i, j) with i <= j."""
        self.work.charge(len(left) * len(right), left.values(), right.values(), [Fraction(factor)])
        for (part, i), a in left.items():
            for (other, j), b in right.items():
                met = self.meet(part, other)
                if met:
                    key = (met[0], min(i, j), max(i, j))
                    total[key] = total.get(key, ZERO) + factor * met[1] * a * b


def depth(vector, kinds="mdn"):
    """How many draws a vector depends on, at most: a law may depend on all draws before."""
    return 1 + max((draw for (kind, draw), _ in vector if kind in kinds), default=-1)


def late(vector, draw):
    """What a vector depends on of this draw and all later ones."""
    return {key: entry for key, entry in vector.items() if key[0][1] >= draw}


class _Model:
    """All constraints: for each class its moduli and queries {register: (x, h, z)}; assumptions; the measure."""

    def __init__(self, data):
        self.program = program = _Program(data)
        self.groups, self.anchored = {}, False
        fields(data["classes"], "classes", (), ("clients", "centre"))
        for name, queries in program.queries.items():
            if queries:
                mu, smooth = (number(text) for text in data["classes"][name])
                require(smooth > 0 and mu < smooth, f"{name}: curvature range [{mu}, {smooth}], expected mu < L, L > 0")
                self.groups[name] = mu, smooth, {}
                for r, (x, g) in queries.items():
                    h, z = dict(g), dict(x)
                    add(h, x, -mu)
                    add(z, h, -1 / (smooth - mu))
                    self.groups[name][2][r] = x, h, z
        for place, item in enumerate(data["assumptions"]):
            fields(item, f"assumption {place}", ("inner", "values", "bound", "scale"))
            require(item["bound"] is None or is_name(item["bound"]), f"assumption {place}: the bound {item['bound']!r}")
        fields(data["measure"], "measure", ("inner", "values"))
        self.assumptions = [(self.functional(a), a["bound"], number(a["scale"])) for a in data["assumptions"]]
        require(all(scale > 0 for _, _, scale in self.assumptions), "the scale of a quantity is not positive")
        self.measure = self.functional(data["measure"])

    def functional(self, data):
        """A functional as a linear form in Gram entries (block, i, j) and function values ("f", register)."""
        total, moved, program = {}, {}, self.program
        for text, *pair in data["inner"]:
            factor, ((a, p), (b, q)) = number(text), map(program.register, pair)
            require(p in (0, 1) and q in (0, 1), f"one of the registers {pair} is neither a point nor a direction")
            program.work.charge(1 + len(total) // 8, total.values())
            program.add_product(total, factor, a, b)
            for vector, degree in ((a, q), (b, p)):  # what a common shift s of all points adds: <s, moved> and |s|^2
                add(moved, {key: entry for key, entry in vector.items() if key[0] == ("m", -1)}, factor * degree)
            add(moved, {"square": factor * p * q})
        self.anchored |= any(moved.values())
        known = program.infima.union(*program.queries.values())
        for factor, r in data["values"]:
            require(type(r) is int and r in known, f"register {r!r} has no function value")
            add(total, {("f", r): number(factor)})
        return total

    def interpolation(self, name, multipliers):
        """``sum y_ij q_ij`` as a linear form, for (i, j, y) or (i, j, y, draw)."""
        mu, smooth, queries = self.groups[name]
        total, net, apart = {}, dict.fromkeys(queries, ZERO), {r: {} for r in queries}
        for i, j, y, *draws in multipliers:
            require(y >= 0, f"{name}: a negative multiplier {y}")
            require(i in queries and j in queries and (i != j or draws), f"interpolation between {i} and {j}")
            one, two = queries[i][2], queries[j][2]
            self.program.work.charge(
                3 * len(one) + len(two), one.values(), two.values(), [y, net[i], net[j]], apart[j].values()
            )
            net[i] += y
            net[j] -= y
            add(apart[j], queries[i][2], y)
            add(apart[j], queries[j][2], -y)
            for draw in draws:
                require(len(draws) == 1 and type(draw) is int and draw >= 0, f"histories part once, not before {draws}")
                add(apart[j], late(queries[i][2], draw), -y)
        for r, (x, h, _) in queries.items():
            add(total, {("f", r): net[r]})
            self.program.add_product(total, -net[r] * mu / 2, x, x)
            self.program.add_product(total, -net[r] / (2 * (smooth - mu)), h, h)
            self.program.add_product(total, -1, h, apart[r])
        return total


def positive_semidefinite(matrix: list, work: object = None) -> bool:
    """Exact test by fraction-free symmetric elimination; a zero pivot needs a zero row.

    Each step is charged before it is done, by the sizes that its numbers have: minors of graded matrices, whose rows are of
    very unlike sizes, are far shorter than the longest entry lets one fear.
    """
    work = work or Work()
    size, scale = len(matrix), 1
    for denominator in {entry.denominator for row in matrix for entry in row}:
        work.charge_integers(1, scale.bit_length() + denominator.bit_length())
        scale = math.lcm(scale, denominator)
    longest = max((entry.numerator.bit_length() for row in matrix for entry in row), default=0)
    work.charge_integers(size**2, scale.bit_length() + longest)
    rows = [[entry.numerator * (scale // entry.denominator) for entry in row] for row in matrix]
    previous, alive = 1, list(range(size))
    while alive:
        k = alive.pop(0)
        pivot = rows[k][k]
        if pivot < 0 or (pivot == 0 and any(rows[k][j] for j in alive)):
            return False
        if pivot:
            longest = max((rows[i][j].bit_length() for i in alive for j in alive), default=0)
            work.charge_integers(len(alive) * (len(alive) + 1) // 2, max(longest, pivot.bit_length()))
            for place, i in enumerate(alive):
                for j in alive[place:]:
                    rows[i][j] = rows[j][i] = (pivot * rows[i][j] - rows[i][k] * rows[k][j]) // previous
            previous = pivot
    return True


def check_upper(model, upper):
    """The bounds {quantity: factor} that the multipliers prove."""
    fields(upper, "upper", ("interpolation", "assumptions", "bound"))
    rest, bounds = {}, {}
    for (form, bound, scale), text in zip(model.assumptions, upper["assumptions"], strict=True):
        y = number(text)
        require(y >= 0, f"multiplier {y} of an assumption is negative")
        model.program.work.charge(len(form) + len(rest) // 8, form.values(), [y], rest.values())
        add(rest, form, y)
        add(bounds, {} if bound is None else {bound: y * scale})
    fields(upper["interpolation"], "interpolation", (), model.program.queries)
    for name, listed in upper["interpolation"].items():
        if listed:
            add(rest, model.interpolation(name, [(i, j, number(y), *draw) for i, j, y, *draw in listed]), -ONE)
    add(rest, model.measure, -ONE)
    slack = {block: [[ZERO] * size for _ in range(size)] for block, size in model.program.sizes.items()}
    for key, entry in rest.items():
        if key[0] == "f":
            require(entry == 0 or key[1] in model.program.at_origin, f"function value {key[1]} does not cancel")
        else:
            block, i, j = key
            slack[block][i][j] += entry / 2
            slack[block][j][i] += entry / 2
    for block, matrix in slack.items():
        require(
            positive_semidefinite(matrix, model.program.work),
            f"the slack in block {block} is not positive semidefinite",
        )
    claimed = {name: number(text) for name, text in upper["bound"].items()}
    require(claimed == bounds, f"claimed bound {claimed} is not {bounds}, which the multipliers give")
    return bounds


def check_lower(model, lower):
    """The quantities, and the value of the measure on an instance that obeys all constraints.

    Clients: each has the same Gram matrix, the sum of the blocks; deviations point to the corners of a regular simplex
    (N >= 2).  Noise: each outcome of a draw (the server's are the same for all clients) moves a history into directions
    of its own, with many outcomes, so that points of two histories which part before draw s meet only in the blocks
    before s; the same function must interpolate them, and strictly, since outcomes that sum to zero are orthogonal only
    in the limit.  The clients' noises follow the same draws of the server's at all points: no two histories share the
    former and not the latter.
    Origin: queried, or else (negative curvature, nothing depends on where it is) far away, with gradients zero there.
    """
    program, blocks = model.program, {}
    fields(lower, "lower", ("blocks", "values", "quantities", "value"))
    fields(lower["blocks"], "blocks", [block[0] + (str(block[1]) if block[1] >= 0 else "") for block in program.sizes])
    fields(lower["quantities"], "quantities", {bound for _, bound, _ in model.assumptions if bound is not None})
    named = {str(r) for r in program.infima.union(*program.queries.values())}
    fields(lower["values"], "values", (), named)
    values = {int(r): number(text) for r, text in lower["values"].items()} | dict.fromkeys(program.at_origin, ZERO)
    for block, size in program.sizes.items():
        rows = lower["blocks"][block[0] + (str(block[1]) if block[1] >= 0 else "")]
        rows = blocks[block] = [[number(entry) for entry in row] for row in rows]
        require(len(rows) == size and all(len(row) == size for row in rows), f"block {block} has a wrong size")
        require(all(rows[i][j] == rows[j][i] for i in range(size) for j in range(i)), f"block {block}: not symmetric")
        require(
            positive_semidefinite(rows, program.work), f"block {block} of the instance is not positive semidefinite"
        )
    deviates = any(any(map(any, rows)) for (kind, _), rows in blocks.items() if kind == "d")
    require(program.clients != 1 or not deviates, "one client does not deviate from the mean")
    queried = all(program.at_origin & set(queries) for _, _, queries in model.groups.values())
    free = not program.at_origin and not model.anchored and all(mu < 0 for mu, _, _ in model.groups.values())
    require(queried or free, "nothing says that the origin is a minimiser: the instance has no gradient there")
    followed = {depth(x, "md") for x, _ in program.queries["clients"].values() if depth(x, "n")}
    require(len(followed) < 2, "points with noise of the clients' that follow unlike draws of the server's")
    quantities = {name: number(text) for name, text in lower["quantities"].items()}

    def evaluate(form):
        return sum((e * (values[k[1]] if k[0] == "f" else blocks[k[0]][k[1]][k[2]]) for k, e in form.items()), ZERO)

    def image(vector):
        """Inner products with all basis vectors."""
        found = {}
        for (part, j), entry in vector.items():
            add(found, {(part, i): row[j] for i, row in enumerate(blocks[part])}, entry)
        return found

    for form, bound, scale in model.assumptions:
        limit = ZERO if bound is None else scale * quantities[bound]
        require(evaluate(form) <= limit, f"the instance breaks an assumption on {bound}")
    for name, (mu, smooth, queries) in model.groups.items():
        entries = [entry for vectors in queries.values() for vector in vectors for entry in vector.values()]
        gram = [entry for rows in blocks.values() for row in rows for entry in row]
        longest = max((len(vector) for vectors in queries.values() for vector in vectors), default=0)
        pairs = len(queries) ** 2 * (2 + len(program.draws)) + len(queries) * max(program.sizes.values(), default=0)
        program.work.charge(pairs * longest, entries, gram)
        images = {r: image(h) for r, (_, h, _) in queries.items()}
        c = {}
        for r, (x, h, _) in queries.items():
            c[r] = values[r] - mu / 2 * dot(x, image(x)) - dot(h, images[r]) / (2 * (smooth - mu))
            for lowest in program.infima if name == "clients" else ():  # where mu = 0, c is the least value allowed
                require(
                    mu == 0 and values[lowest] <= c[r], "the infimum of clients: needs mu = 0, and no value below it"
                )
        for i, j in ((i, j) for i in queries for j in queries):
            z, along = queries[i][2], images[j]
            gap = c[i] - c[j] - dot(z, along) + dot(queries[j][2], along)
            require(gap >= 0, f"the instance breaks interpolation of {name} between {i} and {j}")
            for draw in range(min(depth(queries[i][0]), depth(queries[j][0]))):
                apart = gap + dot(late(z, draw), along)
                require(
                    apart > 0, f"the instance breaks interpolation of {i} and {j}: histories part before draw {draw}"
                )
    value = number(lower["value"])
    require(evaluate(model.measure) >= value, f"the measure is {evaluate(model.measure)}, below the claimed {value}")
    return quantities, value


def verify(data: dict) -> dict:
    """What the certificate proves: ``{"upper": {quantity: factor}, "lower": (quantities, value)}``, or :class:`Rejected`."""
    found = {}
    try:
        plain(data)
        require(data.get("format") == "fltheory worst case 1", "unknown format")
        fields(
            data,
            "certificate",
            ("format", "program", "classes", "shares", "assumptions", "measure"),
            ("method_length", "upper", "lower"),
        )
        length = data.get("method_length", 0)
        require(type(length) is int and 0 <= length <= len(data["program"]), f"method_length {length!r}")
        model = _Model(data)
        if data.get("upper") is not None:
            found["upper"] = check_upper(model, data["upper"])
        if data.get("lower") is not None:
            found["lower"] = check_lower(model, data["lower"])
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise Rejected(f"malformed certificate: {type(error).__name__} {error}") from None
    require(found, "neither an upper nor a lower bound")
    return found


def about(entry: Fraction, up: bool) -> str:
    """A rational in nine digits, not below it (``up``) or not above it."""
    if not entry:
        return "0"
    top, bottom = abs(entry.numerator), entry.denominator
    power = (top.bit_length() - bottom.bit_length()) * 30103 // 100000 - 2  # at most that of the leading digit
    while top >= bottom * 10 ** max(power + 1, 0) if power >= -1 else top * 10 ** -(power + 1) >= bottom:
        power += 1
    top, bottom = top * 10 ** max(8 - power, 0), bottom * 10 ** max(power - 8, 0)
    digits = -(-top // bottom) if up == (entry > 0) else top // bottom
    if digits == 10**9:
        digits, power = 10**8, power + 1
    sign, text = "-" if entry < 0 else "", str(digits)
    if -5 < power < 0:
        return sign + "0." + ("0" * (-power - 1) + text).rstrip("0")
    if 0 <= power < 9:
        return sign + (text[: power + 1] + "." + text[power + 1 :]).rstrip("0").rstrip(".")
    return sign + (text[0] + "." + text[1:]).rstrip("0").rstrip(".") + f"e{power:+03d}"


def report(found: dict) -> list:
    """What was proved, in words and numbers rounded to the safe side."""
    lines = []
    if "upper" in found:
        terms = [f"{about(factor, True)} {name}" for name, factor in found["upper"].items()]
        lines.append("proved: measure <= " + (" + ".join(terms) or "0"))
    if "lower" in found:
        where = ", ".join(f"{name} = {about(entry, True)}" for name, entry in found["lower"][0].items())
        lines.append(f"attained: measure >= {about(found['lower'][1], False)}" + (f" at {where}" if where else ""))
    return lines


def meaning(data):
    """What the names in the report stand for, by registers of the certificate's program."""
    for item in [*data["assumptions"], data["measure"]]:
        terms = [f"{c} <r{a}, r{b}>" for c, a, b in item["inner"]] + [f"{c} f[r{r}]" for c, r in item["values"]]
        left = " + ".join(terms) or "0"
        limit = "0" if item.get("bound") is None else f"{item['scale']} {item['bound']}"
        yield f"measure: {left}" if item is data["measure"] else f"assumed: {left} <= {limit}"


def one_line(words: object) -> str:
    """A message in one printable line of limited length."""
    text = ascii(str(words))[1:-1].replace("\\'", "'").replace("\\\\", "\\")
    return text if len(text) <= 500 else text[:497] + "..."


def main(paths):
    code = 0
    for path in paths:
        try:
            data = read(path)
            print(f"{one_line(path)}: accepted", *report(verify(data)), *meaning(data), sep="\n  ")
        except Rejected as error:
            print(f"{one_line(path)}: REJECTED: {one_line(error)}")
            code = max(code, 1)
        except (OSError, ValueError) as error:
            print(f"{one_line(path)}: unreadable: {one_line(error)}")
            code = 2
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
