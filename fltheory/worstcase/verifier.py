# mypy: ignore-errors, allow-untyped-defs, allow-untyped-calls, allow-any-generics, no-check-untyped-defs
"""The trusted verifier of worst-case certificates: one file, standard library only, exact rational arithmetic.

Run it by itself: ``python -I -S verifier.py [--exact] CERTIFICATE.json...`` (exit code 0 accepted, 1 rejected, 2
unreadable; ``--exact`` writes rationals in full).  Files are read strictly: no name twice, none unknown, no float, fractions in
lowest terms, only printable ASCII, limited sizes and limited work (see ``Work``).

It prints the theorem that it has checked (see ``Theorem``): one inequality in mathematics, all that is assumed, and what the
program does, in names that the lines define.  Measure and assumptions have a name where program and functional are what the
name means (``Theorem.standard`` is the closed list), and are written out in full where they are not.  The certificate's
claim must say these very names.  The algorithm's name is printed as what the file says it is, and means nothing here.

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
of such increments, or what depends on those of all clients and is the same for all, and "e" what clients deviate from that.
Parts are orthogonal: a positive semidefinite block each.  "M", "D", "N" are "m", "d", "n" for the members
of a uniform cohort of K of N and zero for the other clients: "cohort" is s_k + m_k (r_k - s_k) with m_k one or zero.  A product
with the client's own part, or with that of the same members, has the share E m_k = K/N.  With an average of the cohort
("s", "a") it is that of the mean over all clients, which is K/N times the cohort's average ("m", "s", "a"), whoever is drawn.
A client's deviation and a cohort's average of deviations have none: deviations sum to zero over all clients.

Several classes of clients: ``shares`` lists the total weight of each in "classes", and instructions on clients end with the number
c = 1, 2, ... of the class whose clients they are about; ``classes`` has a range of curvature for each "clients c".  Means are over
the class, deviations are from its mean: a part ("d", -1 - c) for each class.  <a, b> is the average over the class of both, or
over independent clients of two classes, which meet in their means; f[r] is the average over the class of r.
"""

import json
import math
import sys
from fractions import Fraction

FORMAT, PART = "fltheory worst case 2", "fltheory worst case 1"
STATEMENT = ("program", "classes", "shares", "assumptions", "measure")
OPTIONAL = ("method_length", "upper", "lower")
ZERO, ONE = Fraction(0), Fraction(1)
MEMBERS = {"M": "m", "D": "s", "N": "a"}  # what a cohort's average keeps of what its members have
MOST_BYTES, MOST_DIGITS, MOST_REGISTERS, MOST_CLASSES = 4_000_000, 1000, 500, 20
GRADIENTS = ("gradient", "centre", "prox", "centre prox")
CLIENTS = ("gradient", "minimiser", "infimum")  # instructions that end with a class where there are several
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
    """A whole number, or a rational in quotes in lowest terms: one text for each rational."""
    plain = type(text) is int or (type(text) is str and set(text) <= set("-/0123456789"))
    require(plain, f"{text!r} is no rational in quotes, such as '-1/4'")
    digits = len(text) if type(text) is str else text.bit_length() * 3 // 10
    require(digits <= 2 * MOST_DIGITS + 2, f"a number of {digits} digits, more than {MOST_DIGITS} above and below")
    require(type(text) is int or "/" not in text or text.split("/", 1)[1].strip("0"), f"{text!r}: denominator zero")
    found = Fraction(text)
    require(str(found) == str(text), f"{str(text)[:40]!r} is not in lowest terms")
    return found


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


def weights(data):
    """The weights of the classes: {"clients": 1}, or {"clients 1": ..., "clients 2": ...}, which are positive with sum one."""
    if "classes" not in data:
        return {"clients": ONE}
    listed = data["classes"]
    require(type(listed) is list and 1 < len(listed) <= MOST_CLASSES, f"classes: expected 2 to {MOST_CLASSES} shares")
    found = {f"clients {c}": number(text) for c, text in enumerate(listed, 1)}
    require(min(found.values()) > 0 and sum(found.values()) == 1, f"shares {listed}: not positive with sum one")
    require(data["scheme"] == "full" and data["clients"] is None, "several classes: only with all of any number")
    return found


def shares(data, noisy):
    """N (None: any number), what averages keep of deviations' second moment (None: nothing) and of noises'.

    The weights are equal wherever N is named, and else any.  An average is over one cohort of K clients: all of them;
    K independent draws by weight (a client drawn again counts again, with the same noise or with separate runs); or a
    uniform subset of K.
    """
    fields(data, "shares", ("scheme", "clients", "cohort"), ("deviation", "noise", "classes"))
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
        sampled = data["shares"]["scheme"] == "without replacement"
        self.member = Fraction(data["shares"]["cohort"], self.clients) if sampled else None
        for name, own in (("deviation", self.deviation), ("noise", self.noise)):
            said = data["shares"].get(name)
            require(
                name not in data["shares"] or (None if said is None else number(said)) == own,
                f"{name} is {own}, not {said!r}",
            )
        self.weights, self.infima, self.balance = weights(data["shares"]), {}, {}
        self.centred = any(item[0] in ("centre", "centre prox") for item in items)
        self.vectors, self.degrees, self.sizes, self.draws = [], [], {}, []
        self.queries, self.at_origin, made = {name: {} for name in (*self.weights, "centre")}, set(), []
        self.proximal = {name: [] for name in self.queries}  # the factors of proximal steps
        self.common = False  # whether a gradient was asked for at a random average
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
        name, own = "clients", -1
        if len(self.weights) > 1:
            require(item[0] not in ("average", "noise", "prox"), f"{item[0]!r} with several classes of clients")
            if item[0] in CLIENTS or item[:2] == ["given", "clients"]:
                *item, c = item
                require(type(c) is int and 0 < c <= len(self.weights), f"class {c!r} of {len(self.weights)}")
                name, own = f"clients {c}", -1 - c
        match item:
            case ["given", "server" | "clients" as who, degree]:
                require(type(degree) is int and degree in (0, 1), f"degree {degree!r}, expected 0 or 1")
                return self.fresh("m") | self.fresh("d" if who == "clients" else "", own), degree
            case ["optimum"] | ["optimum", "shared"]:  # shared: all clients have the same gradient there
                return {}, 1
            case ["infimum"]:
                self.infima[place] = name
                return {}, 0
            case ["minimiser"]:
                self.queries[name][place] = self.fresh("m") | self.fresh("d", own), {}
                return self.queries[name][place][0], 1
            case ["noise", draw] | ["noise", draw, "server"]:  # in order: its law may depend on all that came before
                count, shared = len(self.draws), len(item) == 3
                require(type(draw) is int and draw == count, f"noise {draw!r}, expected number {count}")
                require(not self.common, "noise after a gradient at a random average")
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
            case ["mean", r]:  # of what members have it is, whoever they are, K/N times the cohort's average
                (vector, degree), kept = self.register(r), {}
                for ((kind, draw), basis), entry in vector.items():
                    require(kind != "n", "the mean of a random vector")
                    if kind not in "de":
                        share = self.member if kind in MEMBERS else ONE
                        add(kept, {((MEMBERS.get(kind, kind), draw), basis): share * entry})
                return kept, degree
            case ["cohort", new, old]:  # for its members the one, for the other clients the other
                require(self.member is not None, "state of a cohort that is no uniform K of N without replacement")
                (vector, degree), (kept, same) = self.register(new), self.register(old)
                require(degree == same, f"degrees {degree} and {same}: a point or a direction")
                require(all(kind in "md" for (kind, _), _ in kept), "state of those not drawn, which is random")
                require(all(kind in "mdn" for (kind, _), _ in vector), "state of a cohort made of its average")
                self.work.charge(2 * len(vector) + 2 * len(kept), vector.values(), kept.values())
                moved = dict(kept)
                for listed, sign in ((vector, ONE), (kept, -ONE)):
                    add(moved, {((kind.upper(), draw), basis): e for ((kind, draw), basis), e in listed.items()}, sign)
                return moved, degree
            case ["average", r]:
                (vector, degree), kept = self.register(r), {}
                require(not any(kind in MEMBERS for (kind, _), _ in vector), "the cohort's average of its own state")
                for ((kind, draw), basis), entry in vector.items():
                    if kind not in "de" or self.deviation is not None:
                        add(kept, {(({"d": "s", "n": "a"}.get(kind, kind), draw), basis): entry})
                return kept, degree
            case ["gradient", r]:
                return self.gradient(name, place, *self.register(r), made[r], own), 0
            case ["centre", r]:
                return self.gradient("centre", place, *self.register(r), made[r], own), 0
            case ["prox", r, factor]:
                return self.implicit(name, place, *self.register(r), number(factor)), 0
            case ["centre prox", r, factor]:
                return self.implicit("centre", place, *self.register(r), number(factor)), 0
        raise Rejected(f"unknown instruction {item}")

    def balanced(self, name, shared):
        """A mean gradient at the origin: weighted by the classes, and with the server's own, they sum to zero."""
        if shared and not self.centred:
            return {}
        require(not shared or len(self.weights) == 1, "one gradient of all classes, with a loss at the server")
        if not self.balance:
            total = self.weights | ({"centre": ONE} if self.centred else {})
            *others, last = total
            self.balance = {other: self.fresh("m") for other in others} | {last: {}}
            for other in others:
                add(self.balance[last], self.balance[other], -total[other] / total[last])
        return dict(self.balance[name])

    def gradient(self, name, place, x, degree, source, own):
        """Any vector, but at the origin the mean gradients of the classes of clients and the server's sum to zero."""
        require(degree == 1, "a gradient at a vector that is no point")
        require(x or source[0] == "optimum", "a gradient at a point that is always the origin, and not named so")
        if source[0] == "optimum":
            self.at_origin.add(place)
            found = self.balanced(name, source == ["optimum", "shared"])
        else:
            found = self.fresh("m")
        found |= self.own(name, x, "d" if source != ["optimum", "shared"] else "", own)
        self.queries[name][place] = x, found
        return found

    def implicit(self, name, place, x, degree, factor):
        """Any vector g, the gradient at y = x - factor g: y is a function of x, and depends on the draws that x depends on.

        That there is one such y needs the curvature, see :class:`_Model`.
        """
        require(degree == 1, "a proximal step from a vector that is no point")
        require(factor > 0, f"a proximal step of size {factor}")
        found = self.fresh("m") | self.own(name, x, "d")
        y = dict(x)
        self.work.charge(len(found), [factor])
        add(y, found, -factor)
        self.proximal[name].append(factor)
        self.queries[name][place] = y, found
        return found

    def own(self, name, x, apart, own=-1):
        """What a gradient that depends on x may have beside the mean before all draws."""
        found, kinds = {}, {kind for (kind, _), _ in x}
        if name == "centre":
            require(kinds <= set("ma"), "the server's gradient at a random or a client's point")
        else:
            require(kinds <= set("mdn") or kinds <= set("mdae"), "a gradient at a random average and a client's noise")
            require(all(draw >= -1 or draw == own for (_, draw), _ in x), "a gradient at a point of another class")
            found |= self.fresh(apart, own)
        if kinds & set("ae"):
            return found | self.shared(depth(x), "" if name == "centre" else "e")
        for draw in [*range(depth(x, "md")), *range(self.draws.count("md"), depth(x))]:
            found |= self.fresh("m" if name == "centre" else self.draws[draw], draw)
        return found

    def shared(self, draws, apart):
        """Increments, due to so many draws of the clients', of a vector that depends on the noises of all of them at once.

        The increment due to draw t has a mean c over the clients, a vector of kind "a" with a basis vector of its own among the
        noises e_k of the draw: c need be no average of anything, but N times the Gram matrix of all averages e and all c is one
        whose part of the e is that of the e_k (these are independent between clients, who have equal weights), and <c, e_k>
        averaged over k is <c, e>.  What the clients' increments deviate from c has kind "e" and a block of its own: it is
        orthogonal to what all clients share, and of its product with the e_k nothing is known.
        """
        require(self.deviation is None, "a gradient at a cohort's average")
        require("md" not in self.draws, "a gradient at a noisy average beside noise of the server's")
        self.common, found = True, {}
        for draw in range(draws):
            found[("a", draw), self.sizes["n", draw]] = ONE
            self.sizes["n", draw] += 1
            found |= self.fresh(apart, draw)
        return found

    def meet(self, part, other):
        """The block in which two parts have an inner product, and its share; None if they are orthogonal."""
        (kind, draw), (another, same) = part, other
        if draw != same:
            return None
        kinds = "".join(sorted((kind + another).lower()))
        if kind in MEMBERS or another in MEMBERS:
            own = {"ds": self.deviation, "an": self.noise}.get(kinds, ONE)
            met = {"mm": "m", "dd": "d", "ds": "d", "nn": "n", "an": "n"}.get(kinds)
            return met and ((met, draw), self.member * own)
        mixed = kinds == "en" or (kinds == "an" and self.deviation is not None)
        require(not mixed, "inner product of a cohort's average with a client vector")
        met = {
            "mm": ("m", 1),
            "dd": ("d", 1),
            "ss": ("d", self.deviation),
            "nn": ("n", 1),
            "ee": ("e", 1),
            "an": ("n", self.noise),
            "aa": ("n", self.noise),
        }.get(kinds)
        return met and ((met[0], draw), met[1])

    def add_product(self, total, factor, left, right):
        """``total += factor <left, right>``; keys are (block, i, j) with i <= j."""
        self.work.charge(len(left) * len(right), left.values(), right.values(), [Fraction(factor)])
        for (part, i), a in left.items():
            for (other, j), b in right.items():
                met = a and b and self.meet(part, other)  # what has cancelled meets nothing
                if met:
                    key = (met[0], min(i, j), max(i, j))
                    total[key] = total.get(key, ZERO) + factor * met[1] * a * b


def depth(vector, kinds="mdnae"):
    """How many draws a vector depends on, at most: a law may depend on all draws before."""
    return 1 + max((draw for (kind, draw), _ in vector if kind in kinds), default=-1)


def title(block):
    """The name of a block: "m", "d" before all draws, "n0" of a draw, "d of class 2" where there are several."""
    kind, draw = block
    return kind + (str(draw) if draw >= 0 else f" of class {-1 - draw}" if draw < -1 else "")


def late(vector, draw):
    """What a vector depends on of this draw and all later ones."""
    return {key: entry for key, entry in vector.items() if key[0][1] >= draw}


class _Model:
    """All constraints: for each class its moduli and queries {register: (x, h, z)}; assumptions; the measure."""

    def __init__(self, data):
        self.program = program = _Program(data)
        self.length = length = data.get("method_length", 0)
        require(type(length) is int and 0 <= length <= len(data["program"]), f"method_length {length!r}")
        self.groups, self.anchored, self.cohort = {}, False, data["shares"]["scheme"]
        fields(data["classes"], "classes", (), (*program.weights, "centre"))
        for name, queries in program.queries.items():
            if queries or (len(program.weights) > 1 and name != "centre"):
                mu, smooth = (number(text) for text in data["classes"][name])
                require(smooth > 0 and mu < smooth, f"{name}: curvature range [{mu}, {smooth}], expected mu < L, L > 0")
                least = min((1 + factor * mu for factor in program.proximal[name]), default=ONE)
                require(
                    least > 0, f"{name}: 1 + c mu = {least} for a proximal step of size c: it may have no or many ends"
                )
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
        known = set(program.infima).union(*program.queries.values())
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
    (N >= 2), those of several classes in directions apart, with two clients of each or more.
    Noise: each outcome of a draw (the server's are the same for all clients) moves a history into directions
    of its own, with many outcomes, so that points of two histories which part before draw s meet only in the blocks
    before s; the same function must interpolate them, and strictly, since outcomes that sum to zero are orthogonal only
    in the limit.  The clients' noises follow the same draws of the server's at all points: no two histories share the
    former and not the latter.
    Origin: queried, or else (negative curvature, nothing depends on where it is) far away, with gradients zero there.
    """
    program, blocks = model.program, {}
    require(not program.common, "no lower bound is modelled with a gradient at a noisy average")
    fields(lower, "lower", ("blocks", "values", "quantities", "value"))
    fields(lower["blocks"], "blocks", [title(block) for block in program.sizes])
    fields(lower["quantities"], "quantities", {bound for _, bound, _ in model.assumptions if bound is not None})
    named = {str(r) for r in set(program.infima).union(*program.queries.values())}
    fields(lower["values"], "values", (), named)
    values = {int(r): number(text) for r, text in lower["values"].items()} | dict.fromkeys(program.at_origin, ZERO)
    for block, size in program.sizes.items():
        rows = lower["blocks"][title(block)]
        rows = blocks[block] = [[number(entry) for entry in row] for row in rows]
        require(len(rows) == size and all(len(row) == size for row in rows), f"block {block} has a wrong size")
        require(all(rows[i][j] == rows[j][i] for i in range(size) for j in range(i)), f"block {block}: not symmetric")
        require(
            positive_semidefinite(rows, program.work), f"block {block} of the instance is not positive semidefinite"
        )
    asked = all(model.groups.get(group, (0, 0, {}))[2] for group in program.infima.values())
    require(asked, "the infimum of clients whose gradients nobody asked for")
    deviates = any(any(map(any, rows)) for (kind, _), rows in blocks.items() if kind == "d")
    require(program.clients != 1 or not deviates, "one client does not deviate from the mean")
    queried = all(program.at_origin & set(queries) for _, _, queries in model.groups.values())
    free = not program.at_origin and not model.anchored and all(mu < 0 for mu, _, _ in model.groups.values())
    require(queried or free, "nothing says that the origin is a minimiser: the instance has no gradient there")
    points = [x for name in program.weights for x, _ in program.queries[name].values()]
    followed = {depth(x, "md") for x in points if depth(x, "n")}
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
            for lowest, group in program.infima.items():  # where mu = 0, c is the least value allowed
                below = group != name or (mu == 0 and values[lowest] <= c[r])
                require(below, "the infimum of clients: needs mu = 0, and no value below it")
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


def proved(data: dict, model: object) -> dict:
    """What the parts "upper" and "lower" prove of a model."""
    found = {}
    if data.get("upper") is not None:
        found["upper"] = check_upper(model, data["upper"])
    if data.get("lower") is not None:
        found["lower"] = check_lower(model, data["lower"])
    require(found, "neither an upper nor a lower bound")
    return found


def checked(data: dict) -> tuple:
    """A certificate's theorem and its bounds; see :func:`verify`."""
    plain(data)
    said = data.get("format")
    require(said != PART, f"{PART!r} is of a part, without a claim: it does not say what it proves")
    require(said == FORMAT, "unknown format")
    fields(data, "certificate", ("format", "claim", *STATEMENT), OPTIONAL)
    model = _Model(data)
    found = proved(data, model)
    return claimed(data, model), found


def claimed(data: dict, model: object) -> object:
    """The theorem of a statement: what its claim names must be what its program and functionals are."""
    theorem, claim = Theorem(data, model), data["claim"]
    for name, own in (("measure", theorem.measured), ("assumptions", theorem.kinds)):
        require(claim[name] == own, f"claim: the {name} said to be {claim[name]!r}; by program and functionals {own!r}")
    return theorem


MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def verify(data: dict) -> dict:
    """What the certificate proves: ``{"upper": {quantity: factor}, "lower": (quantities, value)}``, or :class:`Rejected`."""
    try:
        return checked(data)[1]
    except MALFORMED as error:
        raise Rejected(f"malformed certificate: {type(error).__name__} {error}") from None


def verify_part(data: dict) -> dict:
    """The same for a part of another certificate, whose verifier says what it means: it has no claim of its own."""
    try:
        plain(data)
        require(data.get("format") == PART, "unknown format")
        fields(data, "certificate", ("format", *STATEMENT), OPTIONAL)
        return proved(data, _Model(data))
    except MALFORMED as error:
        raise Rejected(f"malformed certificate: {type(error).__name__} {error}") from None


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


#: Quantities with a meaning, by what they are printed as; see :meth:`Theorem.standard`.  All others are Q_1, Q_2, ...
SYMBOLS = {
    "distance": "|w_0 - w*|^2",
    "gap": "(F(w_0) - F(w*))",
    "gradient": "|grad F(w_0)|^2",
    "heterogeneity": "zeta^2",
    "gamma": "Gamma",
    "G2": "G^2",
    "noise": "sigma^2",
    "centre_noise": "sigma_c^2",
}
FOLLOWS = (
    "a client's noise depends on no noise of the server's that came after those in the point where it is drawn (on none, if the "
    "point has none)"
)
COHORTS = {
    "full": "all clients, with their weights",
    "with replacement": "{} clients drawn by weight, one drawn twice counts twice with one run",
    "with replacement, separate runs": "{} clients drawn by weight, one drawn twice makes two runs with noise of their own",
    "without replacement": "a uniformly drawn subset of {} clients",
}


def combined(terms):
    """``sum c r`` as {r: c} without zeros; for functionals {(a, b): c} with a <= b, and {(r,): c} for values."""
    total = {}
    for text, *places in terms:
        key = places[0] if len(places) == 1 else tuple(sorted(places))
        add(total, {key: number(text)})
    return {key: entry for key, entry in total.items() if entry}


def form(item):
    return combined(item["inner"]) | {(r,): entry for r, entry in combined(item["values"]).items()}


def said(entry):
    """What a certificate calls its algorithm: names, numbers and lists of them, and nothing that reads as a sentence."""
    if entry is None or type(entry) in (bool, int):
        return str(entry)
    if type(entry) is str:
        called = entry.isidentifier() and len(entry) <= 60
        return entry if called else str(number(entry))
    if type(entry) is list:
        return f"({', '.join(map(said, entry))})"
    fields(entry, "algorithm", ("name", "fields"), ("source",))
    listed = [f"{name}={said(value)}" for name, value in entry["fields"].items()]
    source = entry.get("source", "0")
    digest = type(source) is str and len(source) <= 64 and set(source) <= set("0123456789abcdef")
    names = [entry["name"], *entry["fields"]]
    require(digest and all(name.isidentifier() and len(name) <= 60 for name in names), f"algorithm: the names {names}")
    return f"{entry['name']}({', '.join(listed)})" + (f" of source {source[:16]}..." if "source" in entry else "")


def linear(terms):
    """``a x - b y + ...`` of pairs (rational, words)."""
    text = ""
    for factor, words in terms:
        size = "" if abs(factor) == 1 else f"{abs(factor)} "
        sign = "-" if factor < 0 else "+" if text else ""
        text += (f" {sign} " if text else sign) + size + words
    return text or "0"


class Theorem:
    """What a certificate says: its claim, which must be what the program and the functionals are, and words for it."""

    def __init__(self, data, model):
        self.data, self.model, self.program, self.items = data, model, model.program, data["program"]
        self.several = len(self.program.weights) > 1
        claim = fields(data["claim"], "claim", ("algorithm", "rounds", "models", "measure", "assumptions"))
        require(claim["algorithm"] is None or type(claim["algorithm"]) is dict, "algorithm: expected an object")
        self.label, self.models = said(claim["algorithm"]), claim["models"]
        require(len(self.label) <= 1000, "the name of the algorithm is too long")
        few = type(self.models) is list and len(self.models) <= 2 * MOST_REGISTERS
        require(few, f"models: expected a list of at most {2 * MOST_REGISTERS} registers")
        for place, item in enumerate(self.items[: model.length]):
            alien = item[0] in ("optimum", "minimiser", "infimum")
            require(not alien, f"the method is made of register {place}, the {item[0]}, which no method knows")
        for r in self.models:
            require(type(r) is int and 0 <= r < model.length, f"the method has no model in register {r!r}")
            own = not self.server(r) or self.program.degrees[r] != 1
            require(not own, f"no model of the server's stands in register {r}")
        require(not self.models or not self.random(self.models[0]), "the first model is random")
        rounds = claim["rounds"]
        require(
            type(rounds) is int and rounds == max(len(self.models) - 1, 0),
            f"{len(self.models)} models, {rounds} rounds",
        )
        self.places = {repr(item): r for r, item in reversed(list(enumerate(self.items)))}
        self.sums = {
            frozenset(combined(item[1]).items()): r for r, item in enumerate(self.items) if item[0] == "combine"
        }
        names = {(frozenset(key.items()), bound): found for key, bound, *found in self.standard()}
        self.assumed = [self.named(form(item), item["bound"], names) for item in data["assumptions"]]
        listed = list(zip(data["assumptions"], self.assumed, strict=True))
        odd = {item["bound"] for item, (name, *_) in listed if name == "custom" or number(item["scale"]) != 1} - {None}
        self.assumed = [("custom", None, None) if item["bound"] in odd else known for item, known in listed]
        self.symbols = {item["bound"]: SYMBOLS.get(item["bound"]) for item in data["assumptions"] if item["bound"]}
        for place, quantity in enumerate((q for q in self.symbols if q in odd), 1):
            self.symbols[quantity] = f"Q_{place}"
        held = form(data["measure"])
        last = self.at_model(-1) if self.models else {}
        self.measured = next((name for name, key in last.items() if key == held), "custom")
        self.kinds, self.names = [name for name, *_ in self.assumed], self.give_names()

    def server(self, r):
        """Whether all clients have the same vector in a register."""
        return all(kind not in "dneMDN" for (kind, _), _ in self.program.vectors[r])

    def random(self, r):
        return any(kind in "snaMDN" or draw >= 0 for (kind, draw), _ in self.program.vectors[r])

    def place(self, name, r):
        return self.places.get(repr([name, r]))

    def gradients(self, point):
        """The clients' gradients at a point with the weights of their classes: {register: weight}."""
        if not self.several:
            return {self.place("gradient", point): ONE}
        shares = enumerate(self.program.weights.values(), 1)
        return {self.places.get(repr(["gradient", point, c])): share for c, share in shares}

    def full(self, point):
        """The register of the gradient of F at a point, if there is one."""
        means = {self.place("mean", r): share for r, share in self.gradients(point).items()}
        if not self.program.centred and not self.several:
            return next(iter(means))
        return self.sums.get(
            frozenset({**means, **{self.place("centre", point): ONE for _ in "c"[: self.program.centred]}}.items())
        )

    def value(self, point):
        """``F(x) - F(w*)`` as a form."""
        found = {(r,): share for r, share in self.gradients(point).items()}
        return found | {(self.place("centre", point),): ONE for _ in "c"[: self.program.centred]}

    def owner(self, *registers):
        """The classes of clients that registers are about, in words; none for the server's, or where there is one class."""
        found = {-1 - draw for r in registers for (_, draw), _ in self.program.vectors[r] if draw < -1}
        found |= {self.items[r][-1] for r in registers if self.items[r][0] in CLIENTS and self.several}
        return (
            ("independent " if len(found) > 1 else "") + "k in class " + " and ".join(map(str, sorted(found)))
            if found
            else ""
        )

    def loss(self, r):
        """The loss that a register is about."""
        item = self.items[r]
        return "f_c" if item[0] in ("centre", "centre prox") else f"f_{item[-1]}k" if self.several else "f_k"

    def point(self, r):
        """Where a gradient was taken; the end of a proximal step is y = x - c g with the gradient g at y itself."""
        item = self.items[r]
        if item[0] not in ("prox", "centre prox"):
            return self.name(r if item[0] == "minimiser" else item[1])
        size = "" if number(item[2]) == 1 else f"{number(item[2])} "
        return f"prox of {size}{self.loss(r)} from {self.name(item[1])}"

    def at_model(self, r):
        """The measures of a model by name."""
        w = self.models[r]
        full = self.full(w)
        return {"distance": {(w, w): ONE}, "gap": self.value(w), "gradient": {(full, full): ONE}}

    def standard(self):
        """Functionals with a name, as (form, quantity, name, register, parameter)."""
        for name, key in (self.at_model(0) if self.models else {}).items():
            yield key, name, name, None, None
        if self.several:  # all else is written out in full
            for point in (r for r, item in enumerate(self.items) if item == ["optimum"]):
                found = self.gradients(point)
                yield (
                    {(r, r): share for r, share in found.items()},
                    "heterogeneity",
                    "heterogeneity",
                    next(iter(found)),
                    None,
                )
            return
        groups, infima = self.model.groups, self.program.infima
        mu, smooth, queries = groups.get("clients", (ZERO, ONE, {}))
        total = smooth + (groups["centre"][1] if "centre" in groups else 0)
        unlike = any(item[:2] == ["given", "clients"] for item in self.items) or self.model.cohort != "full"
        alone = self.program.clients == 1 or "n" not in self.program.draws
        for r, item in enumerate(self.items):
            if item[0] == "noise":
                yield {(r, r): ONE}, "noise" if len(item) == 2 else "centre_noise", "noise", r, None
            elif item[0] == "minimiser" and mu > 0:
                yield {(r,): -ONE}, "gamma", "gamma", r, None
            elif item[0] == "infimum" and mu == 0:
                yield {(r,): -ONE}, "gamma", "gamma", r, None
            elif item[0] == "gradient":
                yield {(r, r): ONE}, "G2", "bounded gradients", r, None
                if self.items[item[1]][0] == "optimum":
                    yield {(r, r): ONE}, "heterogeneity", "heterogeneity", r, None
                if [*map(len, self.items[r + 1 : r + 2])] == [2] and self.items[r + 1][0] == "noise":
                    yield {(r, r): ONE, (r + 1, r + 1): ONE}, "G2", "bounded stochastic gradients", r, None
                for c in infima if mu == 0 else ():  # f(x) - |g|^2/(2 L) is no less than the value one step on
                    yield {(c,): ONE, (r,): -ONE, (r, r): 1 / (2 * smooth)}, None, "gamma", c, None
                average, full = self.place("average", r), self.full(item[1])
                if average is not None and alone and not unlike:
                    yield {(r, r): ONE, (average, average): -ONE}, None, "identical", r, None
                if full is not None and self.known(item[1]):
                    below = {key: -ONE for key in self.value(item[1])}
                    yield {(full, full): 1 / (2 * total), **below}, None, "global minimum", r, None

    def known(self, r):
        """Whether a register is a server's vector before all draws of the clients' and cohorts."""
        return all(kind == "m" for (kind, _), _ in self.program.vectors[r])

    def named(self, key, bound, names):
        """The name of an assumption, the register that it speaks of, and its parameter."""
        found = names.get((frozenset(key.items()), bound))
        if not found and not self.several and bound is None and len(key) == 1:
            return ("orthogonal parts" if self.apart(*key.items()) else "custom"), None, None
        if not found and bound is None and self.compressor(key):
            return "compressor", *self.compressor(key)
        if found or bound != "G2" or self.several:
            return tuple(found or ("custom", None, None))
        self.program.work.spend(len(self.items))
        for r, item in enumerate(self.items):
            if item[0] == "gradient" and self.known(item[1]):
                full, mean, centre = self.full(item[1]), self.place("mean", r), self.place("centre", item[1])
                b = -key.get((full, full), ZERO)
                if b > 0 and key == {(r, r): ONE, (full, full): -b}:
                    return "dissimilarity", r, b
                one, two = key.get((mean, mean), ZERO), key.get((centre, centre), ZERO)
                shares = one > 0 and two > 0 and 1 / one + 1 / two == 1
                if b > 0 and shares and key == {(mean, mean): one, (centre, centre): two, (full, full): -b}:
                    return "mixed dissimilarity", r, (one, two, b)
        return "custom", None, None

    def apart(self, term):
        """Whether ``<a, b>`` is of parts of vectors in different blocks, such as FedLAMA's layers: one of them is given."""
        pair, factor = term
        given = [self.items[r][1] if self.items[r][0] == "mean" else r for r in pair]
        directions = len(set(pair)) == 2 and not any(self.program.degrees[r] for r in pair)
        known = {self.items[r][0] for r in self.made_of(pair)}.isdisjoint(("optimum", "minimiser", "infimum"))
        opposite = any(form(item) == {pair: -factor} and item["bound"] is None for item in self.data["assumptions"])
        return (
            directions and known and opposite and abs(factor) == 1 and any(self.items[r][0] == "given" for r in given)
        )

    def made_of(self, registers):
        """All registers that these are computed from, themselves included."""
        found, todo = set(), list(registers)
        while todo:
            r = todo.pop()
            if r not in found:
                found.add(r)
                item = self.items[r]
                todo += combined(item[1]) if item[0] == "combine" else []
                todo += [item[1]] if item[0] in ("average", "mean", *GRADIENTS) else []
                todo += item[1:] if item[0] == "cohort" else []
        return found

    def compressor(self, key):
        """``(e, (omega, v))`` of ``|e|^2 - omega |v|^2``: noise of the clients' relative to a direction of the method before it."""
        squares = len(key) == 2 and all(len(pair) == 2 and pair[0] == pair[1] for pair in key)
        if squares:
            (omega, v), (one, e) = sorted((factor, pair[0]) for pair, factor in key.items())
            clients = one == 1 and self.items[e][0] == "noise" and len(self.items[e]) == 2 and v < self.model.length
            vector = self.program.vectors[v]
            own = clients and all(kind in "mdn" for (kind, _), _ in vector) and not late(vector, self.items[e][1])
            if own and omega < 0 and self.program.degrees[v] == 0:
                return e, (-omega, v)
        return None

    def give_names(self):
        """Names of registers; gradients, noises and averages of these are told by what they are of."""
        names, counts = {}, {}
        for r, item in enumerate(self.items):
            inside = item[0] in ("average", "mean") and item[1] not in names
            if r in self.models:
                names[r] = f"w_{self.models.index(r)}"
            elif item[0] == "optimum":
                names[r] = "w*"
            elif item[0] not in (*GRADIENTS, "noise") and not inside:
                letter = {"given": "s", "minimiser": "m", "infimum": "c"}.get(item[0])
                letter = letter or ("yx" if self.program.degrees[r] == 1 else "vu")[not self.server(r)]
                counts[letter] = counts.get(letter, 0) + 1
                names[r] = f"{letter}_{counts[letter]}"
        return names

    def name(self, r):
        return self.names[r] if r in self.names else self.expression(r)

    def expression(self, r):
        """How a register was made, in names."""
        item = self.items[r]
        if item[0] == "combine":
            terms = combined(item[1])
            made = [p for p in range(r) if p in self.names and self.items[p][0] == "combine"]
            told = [p for p in made if p in self.models or (p < self.model.length and not self.short(p))]
            last = max(told, default=None)
            if last is not None and self.program.degrees[last] == self.program.degrees[r]:
                more = dict(terms)
                add(more, combined(self.items[last][1]), -ONE)
                more = {place: entry for place, entry in more.items() if entry}
                terms = {last: ONE, **more} if last not in more and len(more) + 1 < len(terms) else terms
            ordered = sorted(terms.items(), key=lambda term: term[1] < 0)
            return linear([(factor, self.name(place)) for place, factor in ordered])
        if item[0] == "noise":
            return f"noise_{item[1]}"
        if item[0] in GRADIENTS:
            return f"grad {self.loss(r)}({self.point(r)})"
        if item[0] == "cohort":
            return f"{self.name(item[1])} for clients of the cohort, {self.name(item[2])} for the others"
        over = f" over {self.owner(item[1])}" if item[0] == "mean" and self.owner(item[1]) else ""
        return f"{item[0]}({self.name(item[1])}){over}"

    def vector(self, r):
        """A register in a product: points relative to w*, short differences written out."""
        if self.program.degrees[r] == 1:
            return f"{self.name(r)} - w*"
        return self.expression(r) if self.short(r) else self.name(r)

    def short(self, r):
        """Whether a direction is written out where it stands in a product."""
        return self.items[r][0] == "combine" and len(self.items[r][1]) <= 4 and self.program.degrees[r] != 1

    def functional(self, key):
        """A form in names."""
        return linear(
            [(factor, self.value_words(*r) if len(r) == 1 else self.product(*r)) for r, factor in key.items()]
        )

    def mean(self, *registers):
        """What stands before a product: an expectation, a sum over the clients."""
        drawn = any(map(self.random, registers))
        of = self.owner(*registers)
        over = (f"mean over {of} of " if of else "") if self.several else "sum_k p_k "
        return ("E " if drawn else "") + ("" if all(map(self.server, registers)) else over)

    def product(self, a, b):
        one, two = self.vector(a), self.vector(b)
        return self.mean(a, b) + (f"|{one}|^2" if a == b else f"<{one}, {two}>")

    def value_words(self, r):
        item = self.items[r]
        over = f"mean over k in class {item[-1]} of " if self.several else "sum_k p_k "
        if item[0] == "infimum":
            return f"{over}({self.names[r]} - {self.loss(r)}(w*))"
        who, drawn = self.loss(r), self.random(r if item[0] in ("minimiser", "prox", "centre prox") else item[1])
        text = f"({who}({self.point(r)}) - {who}(w*))"
        return ("E " if drawn else "") + ("" if who == "f_c" else over) + text

    def measure(self):
        w = f"w_{len(self.models) - 1}"
        text = {"distance": f"|{w} - w*|^2", "gap": f"F({w}) - F(w*)", "gradient": f"|grad F({w})|^2"}.get(
            self.measured
        )
        drawn = self.models and self.random(self.models[-1])
        return ("E " if drawn else "") + text if text else self.functional(form(self.data["measure"]))

    def sentences(self, found, exact):
        """The theorem; numbers are rounded so that what is printed is true, or written in full."""
        n, shown = self.program.clients, (lambda entry, up: str(entry)) if exact else about
        own = ", under assumptions of its own that are written out below" if "custom" in self.kinds else ""
        if "upper" in found:
            terms = [f"{shown(factor, True)} {self.symbols[name]}" for name, factor in found["upper"].items() if factor]
            yield f"proved: {self.measure()} <= {' + '.join(terms) or '0'}, {self.for_whom()}{own}"
        if "lower" in found:
            quantities, least = found["lower"]
            given = self.limits(quantities, shown)
            how = "approached as near as one likes" if self.program.draws else "attained"
            who = f"{'N >= 2' if n is None else f'N = {n}'} clients of equal weights"
            who += f"{' in each class' * self.several} and some start"
            with_ = f", with {given}" if given else ""
            yield f"{how}: {self.measure()} >= {shown(least, False)} for some {who}{with_}{own}"

    def for_whom(self):
        n = self.program.clients
        who = "every number of clients, all weights" if n is None else f"N = {n} clients of equal weights"
        return f"for {'every number of clients in each class, all weights there' if self.several else who}, every dimension"

    def limits(self, quantities, shown):
        """Limits of the quantities in words."""
        return "; ".join(f"{self.symbols[name]} <= {shown(entry, True)}" for name, entry in quantities.items())

    def setting(self):
        """Losses, the minimiser, cohorts and noise."""
        lowest = ONE
        for name, (mu, smooth, _) in self.model.groups.items():
            lowest = min(lowest, mu)
            which = "each f_k" if name == "clients" else "the server's own loss f_c"
            if self.several and name != "centre":
                c, share = name.split()[1], self.program.weights[name]
                which = f"class {c} of clients has {share} of all weights, and each of its losses f_{c}k"
            shape = "strongly convex" if mu > 0 else "convex" if mu == 0 else "convex or not"
            yield f"{which} has curvature in [{mu}, {smooth}] ({shape}, smooth), and may be any such function"
        centre = " + f_c" if self.program.centred else ""
        kind = "a minimiser of F" if lowest >= 0 else "a point with grad F(w*) = 0, F"
        shares = enumerate(self.program.weights.values(), 1)
        mean = (
            linear([(share, f"(mean of f_{c}k over class {c})") for c, share in shares])
            if self.several
            else "sum_k p_k f_k"
        )
        yield f"w* is {kind} = {mean}{centre}"
        if ["optimum", "shared"] in self.items:
            yield "if all clients have the same gradient at w*"
        if any(item[0] in ("average", "cohort") for item in self.items):
            k, n = self.data["shares"]["cohort"], self.program.clients
            what = "average: over" if any(item[0] == "average" for item in self.items) else "the cohort is"
            yield f"{what} {COHORTS[self.model.cohort].format(k)}" + (f" of {n}" if k and n else "")
        if any(item[0] == "mean" for item in self.items) or "mixed dissimilarity" in self.kinds:
            yield f"mean: over all clients{' of a class' * self.several}, with their weights"
        if any(item[0] in ("prox", "centre prox") for item in self.items):
            yield "prox of c f from x: the y with least f(y) + |y - x|^2/(2 c)"
        if self.program.draws:
            several = ", the clients' independent of each other" if "n" in self.program.draws else ""
            given = " given the server's" if several and "md" in self.program.draws else ""
            yield f"if each noise has mean zero given all that came before it{several}{given}, and of the cohort"
            if given:
                yield f"if {FOLLOWS}"

    def assumptions(self):
        """What is assumed of quantities and beside them: by name, or else as formulas in full."""
        groups, plain = {}, []
        for item, (name, r, parameter) in zip(self.data["assumptions"], self.assumed, strict=True):
            if name in ("custom", "orthogonal parts"):
                plain.append((form(item), item["bound"], number(item["scale"])))
            else:
                groups.setdefault((name, item["bound"], parameter), []).append(r)
        for (name, bound, parameter), registers in groups.items():
            yield from self.standard_words(name, bound, parameter, registers)
        left = {frozenset(key.items()) for key, bound, _ in plain if bound is None}
        for key, bound, scale in plain:
            this, back = frozenset(key.items()), frozenset((r, -entry) for r, entry in key.items())
            if bound is not None:
                symbol = self.symbols[bound]
                limit = f"<= {linear([(scale, symbol)])} (the file calls {symbol} {bound!r})"
            elif this in left:
                limit = "= 0" if back in left else "<= 0"
                left -= {this, back}
            else:  # said already, or its opposite
                continue
            yield f"if {self.functional(key)} {limit}"

    def standard_words(self, name, bound, parameter, registers):
        """A named assumption on these registers; the start's own measures stand in the place of their quantities."""
        points = [self.name(self.items[r][1]) for r in registers if self.items[r or 0][0] == "gradient"]
        where = " at x = " + ", ".join(dict.fromkeys(points))
        e = "E " if any(r is not None and self.random(r) for r in registers) else ""
        gradient, square = f"{e}|grad F(x)|^2", f"{e}sum_k p_k |grad f_k(x)|^2"
        if name == "heterogeneity" and self.several:
            found = self.gradients(self.items[registers[0]][1])
            yield f"if {self.functional({(r, r): share for r, share in found.items()})} <= zeta^2"
        elif name == "heterogeneity":
            yield "if sum_k p_k |grad f_k(w*)|^2 <= zeta^2"
        elif name == "bounded gradients":
            yield f"if {square} <= G^2{where}"
        elif name == "bounded stochastic gradients":
            listed = ", ".join(f"{self.name(r)} + {self.name(r + 1)}" for r in registers)
            yield f"if E sum_k p_k |g|^2 <= G^2 for g = {listed}"
        elif name == "dissimilarity":
            yield f"if {square} <= G^2 + {linear([(parameter, gradient)])}{where}"
        elif name == "mixed dissimilarity":
            one, two, b = parameter
            left = linear([(one, f"{e}|mean(grad f_k(x))|^2"), (two, f"{e}|grad f_c(x)|^2")])
            yield f"if {left} <= G^2 + {linear([(b, gradient)])}{where}"
        elif name == "identical":
            yield f"if {square} <= {e}|average(grad f_k(x))|^2{where}, as where all f_k are one"
        elif name == "global minimum":
            lowest = Fraction(1, 2) / sum(smooth for _, smooth, _ in self.model.groups.values())
            yield f"if {e}(F(x) - F(w*)) >= {lowest} {gradient}{where}, as where w* is a global minimiser"
        elif name == "compressor":
            omega, v = parameter
            for e in registers:
                right = linear([(omega, self.product(v, v))])
                yield f"if {self.mean(e)}|{self.expression(e)}|^2 <= {right}, of a compressor"
        elif name == "gamma" and bound:  # without: what follows from the number's being below
            c = self.names[registers[0]]
            value, what = (
                (f"f_k({c})", "the minimiser of f_k") if c[0] == "m" else (c, "a number that f_k is never below")
            )
            yield f"if sum_k p_k (f_k(w*) - {value}) <= Gamma, {c} {what}"
        elif name == "noise":
            listed = ", ".join(self.expression(r) for r in registers)
            own = f"E sum_k p_k |noise|^2 <= sigma^2 for {listed}"
            yield f"if {own}" if bound == "noise" else f"if E |noise|^2 <= sigma_c^2 for {listed} of the server's"

    def definitions(self):
        """What the program does, in names."""
        rounds = max(len(self.models) - 1, 0)
        called = "" if self.label == "None" else f"said to be {self.label}, {rounds} round{'s' * (rounds != 1)}; "
        yield called + "the program is:"
        kinds = {
            "minimiser": "a point where grad f_k is zero",
            "infimum": "a number for each client that f_k is never below",
        }
        kept = [r for r in self.names if self.items[r][0] != "optimum"]
        used = {r for item in self.items if item[0] == "combine" for r in combined(item[1])} | {*self.models}
        used |= {item[1] for item in self.items if item[0] in ("average", "mean", *GRADIENTS)}
        used |= {r for item in self.items if item[0] == "cohort" for r in item[1:]}
        held = {r for item in [*self.data["assumptions"], self.data["measure"]] for key in form(item) for r in key}
        used |= {r for r in held if not self.short(r)}
        kept = [r for r in kept if r in used or r < self.model.length and not self.short(r)]
        for r, item in enumerate(self.items):
            if r == self.model.length > 0 and kept and kept[-1] >= r:
                yield "besides:"
            if r not in kept or (item[0] == "given" and r not in used):
                continue
            if item[0] == "given":
                what = ("direction", "point")[item[2]] + (" of each client's own" if item[1] == "clients" else "")
                what += f" in class {item[3]}" if item[1] == "clients" and self.several else ""
                yield f"  {self.names[r]}: any {what}"
            else:
                what = (
                    f": {kinds[item[0]].replace('f_k', self.loss(r))}"
                    if item[0] in kinds
                    else f" = {self.expression(r)}"
                )
                yield f"  {self.names[r]}{what}"
            for place, model in enumerate(self.models):
                if model == r and self.models.index(r) < place:
                    yield f"  w_{place} = {self.names[r]}"


def report(data: dict, exact: bool = False) -> list:
    """The theorem of a certificate in lines: what :func:`verify` finds, for whom, under what, and what the program does."""
    try:
        theorem, found = checked(data)
        return [*theorem.sentences(found, exact), *theorem.setting(), *theorem.assumptions(), *theorem.definitions()]
    except MALFORMED as error:
        raise Rejected(f"malformed certificate: {type(error).__name__} {error}") from None


def one_line(words: object) -> str:
    """A message in one printable line of limited length."""
    text = ascii(str(words))[1:-1].replace("\\'", "'").replace("\\\\", "\\")
    return text if len(text) <= 500 else text[:497] + "..."


def main(arguments):
    code, exact = 0, "--exact" in arguments
    for path in arguments:
        if path == "--exact":
            continue
        try:
            data = read(path)
            print(f"{one_line(path)}: accepted", *report(data, exact), sep="\n  ")
        except Rejected as error:
            print(f"{one_line(path)}: REJECTED: {one_line(error)}")
            code = max(code, 1)
        except (OSError, ValueError) as error:
            print(f"{one_line(path)}: unreadable: {one_line(error)}")
            code = 2
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
