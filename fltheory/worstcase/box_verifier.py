"""The trusted verifier of box certificates: one file, standard library only, exact rational arithmetic.

Run it by itself: ``python -I -S box_verifier.py CERTIFICATE.json...`` (exit code 0 accepted, 1 rejected, 2 unreadable).

A certificate claims, for every eta and mu of a box, every number of clients, all weights p and all mu-strongly convex
clients with 1-Lipschitz gradients, ``|w+ - w*|^2 <= a |w - w*|^2 + b sum_k p_k |grad f_k(w*)|^2`` after one round of its
program, with polynomials a and b in (eta, mu).  For gradients with another Lipschitz constant L, divide the losses by it:
where the program takes steps ``eta g``, the claim holds with a and b at ``(eta L, mu/L)`` and b divided by L^2.
  Multipliers ``y_ij = sum_c Y_c B_c(eta, mu)``, Y >= 0, in the Bernstein basis
of the box are nonnegative on it.  Checked: function values cancel for each c, and the slack

    ``a |w|^2 + b sum p |g*|^2 - |w+|^2 - sum_ij y_ij (1 - mu) q_ij``

(q_ij as in verifier.py, times 1 - mu > 0) is positive semidefinite, since all its Bernstein coefficient matrices are.
The slack is formed as a polynomial in monomials and converted once.  Vectors have the parts "m" (client means and server
vectors) and "d" (deviations from the mean, which an average drops), relative to the minimiser w*; a vector's degree is 1 for
points, which move with w*, and 0 for directions.
"""

import sys
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

if __package__:
    from fltheory.worstcase import verifier as common
else:  # run by itself, isolated: the file beside this one
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import verifier as common  # type: ignore[import-not-found, no-redef]

Terms = dict[tuple[int, int], Fraction]
Vector = dict[tuple[str, int], Terms]
Form = dict[tuple[str, int, int], Terms]
ZERO = Fraction(0)
Rejected, require, number = common.Rejected, common.require, common.number
MOST_REGISTERS, MOST_POWER = 100, 60


def natural(entry: Any, limit: float = MOST_POWER + 1) -> int:
    require(type(entry) is int and 0 <= entry < limit, f"{entry!r}: expected a whole number from 0, below {limit}")
    return int(entry)


def add(total: Terms, terms: Terms, factor: Fraction | int = 1) -> None:
    """``total += factor * terms`` for polynomials {(i, j): coefficient}."""
    for powers, c in terms.items():
        total[powers] = total.get(powers, ZERO) + factor * c


def times(a: Terms, b: Terms, work: common.Work) -> Terms:
    work.charge(len(a) * len(b), a.values(), b.values())
    total: Terms = {}
    for (i, j), x in a.items():
        for (k, n), y in b.items():
            total[i + k, j + n] = total.get((i + k, j + n), ZERO) + x * y
    return total


def polynomial(listed: Any) -> Terms:
    found: Terms = {}
    for i, j, c in listed:
        add(found, {(natural(i), natural(j)): number(c)})
    return found


def coordinates(program: Any, work: common.Work) -> tuple[list[Vector], list[Terms], dict[int, Vector], dict[str, int]]:
    """Vectors {(part, basis): polynomial}, their degrees, points of gradients, and how large the blocks are."""
    vectors: list[Vector] = []
    points: dict[int, Vector] = {}
    degrees: list[Terms] = []
    sizes = {"m": 0, "d": 0}

    def fresh(part: str) -> Vector:
        sizes[part] += 1
        return {(part, sizes[part] - 1): {(0, 0): Fraction(1)}}

    few = type(program) is list and len(program) <= MOST_REGISTERS
    require(few, f"program: expected a list of at most {MOST_REGISTERS} instructions")
    for place, item in enumerate(program):
        vector: Vector = {}
        degree: Terms = {}
        match item:
            case ["given", "server", 1]:
                require(place == 0, f"register {place}: one model is given, first")
                vector, degree = fresh("m"), {(0, 0): Fraction(1)}
            case ["optimum"]:
                degree = {(0, 0): Fraction(1)}
            case ["combine", terms]:
                for listed, r in terms:
                    factor = polynomial(listed)
                    add(degree, times(factor, degrees[natural(r, place)], work))
                    for key, entry in vectors[r].items():
                        add(vector.setdefault(key, {}), times(factor, entry, work))
            case ["average", r]:
                vector = {key: entry for key, entry in vectors[natural(r, place)].items() if key[0] == "m"}
                degree = degrees[r]
            case ["gradient", r]:
                require(
                    is_point(degrees[natural(r, place)]), f"register {place}: a gradient at a vector that is no point"
                )
                points[place] = vectors[r]
                vector = {**({} if program[r] == ["optimum"] else fresh("m")), **fresh("d")}
            case _:
                raise Rejected(
                    f"register {place}: unknown instruction {item}; one server model is given, all clients step"
                )
        vectors.append(vector)
        degrees.append(degree)
    return vectors, degrees, points, sizes


def made_of(program: Any, end: int) -> set[int]:
    """All registers that one is computed from, itself included."""
    found: set[int] = set()
    todo = [end]
    while todo:
        r = todo.pop()
        if r not in found:
            found.add(r)
            item = program[r]
            todo += [k for _, k in item[1]] if item[0] == "combine" else item[1:] if item[0] != "given" else []
    return found


def is_point(degree: Terms) -> bool:
    return {powers: c for powers, c in degree.items() if c} == {(0, 0): 1}


def add_product(total: Form, factor: Terms, left: Vector, right: Vector, work: common.Work) -> None:
    """``total += factor <left, right>``; keys are (block, i, j) with i <= j."""
    for (part, i), a in left.items():
        for (other, j), b in right.items():
            if part == other:
                add(total.setdefault((part, min(i, j), max(i, j)), {}), times(factor, times(a, b, work), work))


def minus(left: Vector, right: Vector) -> Vector:
    total = {key: dict(entry) for key, entry in left.items()}
    for key, entry in right.items():
        add(total.setdefault(key, {}), entry, -1)
    return total


def basis(index: int, degrees: Any, box: Any, work: common.Work | None = None) -> Terms:
    """Bernstein polynomial ``index`` of the box in monomials of (eta, mu)."""
    work = work or common.Work()
    k, n = divmod(index, degrees[1] + 1)
    found = {(0, 0): Fraction(1)}
    for axis, (place, degree) in enumerate(((k, degrees[0]), (n, degrees[1]))):
        low, high = box[axis]
        unit = (1, 0) if axis == 0 else (0, 1)
        rise = {unit: 1 / (high - low), (0, 0): -low / (high - low)}
        fall = {unit: -1 / (high - low), (0, 0): high / (high - low)}
        for factor in [rise] * place + [fall] * (degree - place):
            found = times(found, factor, work)
        found = {powers: c * comb(degree, place) for powers, c in found.items()}
    return found


def bernstein(terms: Terms, degrees: Any, box: Any, work: common.Work) -> list[Fraction]:
    """All Bernstein coefficients on the box of a polynomial in monomials."""
    (a, b), (c, d) = box
    count = (degrees[0] + 1) * (degrees[1] + 1)
    power = (
        [Fraction(2 ** sum(degrees)), *(end ** max(degrees) for end in (a, b, c, d))] if max(degrees) < 10000 else []
    )
    require(power, f"degrees {degrees} of the slack in eta and mu")
    work.charge(count * (count + len(terms)), power, terms.values())
    shifted: Terms = {}
    for (i, j), factor in terms.items():
        for p in range(i + 1):
            for q in range(j + 1):
                entry = factor * comb(i, p) * a ** (i - p) * (b - a) ** p * comb(j, q) * c ** (j - q) * (d - c) ** q
                shifted[p, q] = shifted.get((p, q), ZERO) + entry
    n, m = degrees
    return [
        sum((e * Fraction(comb(k, p) * comb(j, q), comb(n, p) * comb(m, q)) for (p, q), e in shifted.items()), ZERO)
        for k in range(n + 1)
        for j in range(m + 1)
    ]


def check(data: Any) -> list[Fraction]:
    """The Bernstein coefficients of b that the certificate proves."""
    common.plain(data)
    require(data.get("format") == "fltheory box 1", "unknown format")
    names = ("box", "program", "start", "end", "optimum", "contraction", "degrees", "multipliers", "b")
    common.fields(data, "certificate", ("format", *names))
    common.fields(data["degrees"], "degrees", ("multipliers", "b"))
    work = common.Work()
    (low, high), (bottom, top) = box = [[number(e) for e in side] for side in data["box"]]
    inside = 0 < low < high and 0 <= bottom < top < 1
    require(inside, f"box {data['box']}: expected 0 < eta_low < eta_high and 0 <= mu_low < mu_high < 1")
    program = data["program"]
    vectors, point_degrees, points, sizes = coordinates(program, work)
    start, end, optimum = (natural(data[name], len(vectors)) for name in ("start", "end", "optimum"))
    require(start == 0 and program[0][0] == "given", "the start is the given model, register 0")
    require(is_point(point_degrees[end]), f"the end, register {end}, is no point: no model stands there")
    require(all(part == "m" for part, _ in vectors[end]), f"the end, register {end}, is no vector of the server's")
    require(
        ["optimum"] not in [program[r] for r in made_of(program, end)],
        "the method is made of w*, which no method knows",
    )
    require(optimum in points and program[program[optimum][1]] == ["optimum"], f"register {optimum}: no gradient at w*")
    degrees, b_degrees = ([natural(e) for e in data["degrees"][name]] for name in ("multipliers", "b"))
    require(len(degrees) == len(b_degrees) == 2, "degrees: two numbers each, of eta and mu")
    counts = (degrees[0] + 1) * (degrees[1] + 1)
    b = [number(text) for text in data["b"]]
    wanted = (b_degrees[0] + 1) * (b_degrees[1] + 1)
    require(len(b) == wanted, f"b has {len(b)} Bernstein coefficients; its degrees {b_degrees} need {wanted}")
    slack: Form = {}
    b_terms: Terms = {}
    for index, c in enumerate(b):
        add(b_terms, basis(index, b_degrees, box, work), c)
    add_product(slack, polynomial(data["contraction"]), vectors[start], vectors[start], work)
    add_product(slack, b_terms, vectors[optimum], vectors[optimum], work)
    add_product(slack, {(0, 0): Fraction(-1)}, vectors[end], vectors[end], work)
    balance = {r: [ZERO] * counts for r in points}
    bases = [basis(index, degrees, box, work) for index in range(counts)]
    for i, j, listed in data["multipliers"]:
        ys = [number(text) for text in listed]
        require(
            i in points and j in points and i != j, f"interpolation between {i} and {j}: two registers of gradients"
        )
        require(len(ys) == counts, f"{len(ys)} multipliers between {i} and {j}; degrees {degrees} need {counts}")
        require(all(y >= 0 for y in ys), f"a negative multiplier between {i} and {j}")
        work.charge(counts * max(map(len, bases)), ys)
        multiplier: Terms = {}
        for index, y in enumerate(ys):
            balance[i][index] += y
            balance[j][index] -= y
            add(multiplier, bases[index], y)
        x, g = minus(points[i], points[j]), minus(vectors[i], vectors[j])
        # minus (1 - mu) q_ij = (1 - mu) <g_j, x> + (|g|^2 + mu |x|^2)/2 - mu <g, x>, without the function values
        add_product(slack, times(multiplier, {(0, 0): Fraction(1), (0, 1): Fraction(-1)}, work), vectors[j], x, work)
        add_product(slack, times(multiplier, {(0, 0): Fraction(1, 2)}, work), g, g, work)
        add_product(slack, times(multiplier, {(0, 1): Fraction(1, 2)}, work), x, x, work)
        add_product(slack, times(multiplier, {(0, 1): Fraction(-1)}, work), g, x, work)
    for r, left in balance.items():
        require(program[program[r][1]] == ["optimum"] or not any(left), f"function value {r} does not cancel")
    slack = {key: {powers: c for powers, c in terms.items() if c} for key, terms in slack.items()}
    most = [max((powers[axis] for terms in slack.values() for powers in terms), default=0) for axis in (0, 1)]
    table = {key: bernstein(terms, most, box, work) for key, terms in slack.items()}
    for place in range((most[0] + 1) * (most[1] + 1)):
        for block, size in sizes.items():
            matrix = [[ZERO] * size for _ in range(size)]
            for (name, i, j), entries in table.items():
                if name == block:
                    matrix[i][j] += entries[place] / 2
                    matrix[j][i] += entries[place] / 2
            reason = f"Bernstein coefficient {place} of the slack in block {block} is not positive semidefinite"
            require(common.positive_semidefinite(matrix, work), reason)
    return b


def verify(data: Any) -> list[Fraction]:
    """:func:`check`, with every malformed certificate rejected."""
    try:
        return check(data)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise Rejected(f"malformed certificate: {type(error).__name__} {error}") from None


def written(terms: Terms, exact: bool = True) -> str:
    """A polynomial in words, or one above it: no coefficient is rounded down, and no monomial is negative on a box."""
    listed = []
    for (i, j), c in sorted(terms.items()):
        powers = [f"{name}^{power}" if power > 1 else name for name, power in (("eta", i), ("mu", j)) if power]
        size = str(c) if exact else str(common.about(c, True))
        if powers and abs(c) == 1:
            size, powers = size[:-1] + powers[0], powers[1:]
        listed += [" ".join([size, *powers])] if c else []
    return " + ".join(listed).replace("+ -", "- ") or "0"


def report(data: Any, b: list[Fraction], exact: bool = False) -> list[str]:
    """The theorem in lines: the inequality on the box, both polynomials, what is assumed, and what the program does."""
    work, program, end = common.Work(), data["program"], data["end"]
    vectors = coordinates(program, work)[0]
    box = [[number(e) for e in side] for side in data["box"]]
    degrees = [natural(e) for e in data["degrees"]["b"]]
    floor: Terms = {}
    for index, c in enumerate(b):
        add(floor, basis(index, degrees, box, work), c)
    (low, high), (bottom, top) = box
    lines = [
        f"proved: |w_1 - w*|^2 <= a |w_0 - w*|^2 + b zeta^2 for all eta in [{low}, {high}] and mu in [{bottom}, {top}], "
        "every number of clients, all weights, every dimension",
        f"a = {written(polynomial(data['contraction']), exact)}",
        f"b = {written(floor, exact)}",
        f"b is at most {common.about(max(b), True)} on the box",
        "each f_k has curvature in [mu, 1], and may be any such function; w* is a minimiser of sum_k p_k f_k",
        "zeta^2 = sum_k p_k |grad f_k(w*)|^2; average: over all clients, with their weights",
        "the program is:",
    ]
    names: dict[int, str] = {}
    for r, item in enumerate(program):
        server = all(part == "m" for part, _ in vectors[r])
        if item[0] == "gradient":
            names[r] = f"grad f_k({names[item[1]]})"
        elif item == ["optimum"]:
            names[r] = "w*"
        else:
            kind = "y" if server else "x"
            count = sum(name.startswith(f"{kind}_") for name in names.values())
            names[r] = "w_0" if r == 0 else "w_1" if r == end else f"{kind}_{count + 1}"
            made = "any point" if r == 0 else f"average({names[item[1]]})" if item[0] == "average" else ""
            sizes = [(written(polynomial(c)), names[k]) for c, k in ([] if made else item[1])]
            made = made or " + ".join(name if size == "1" else f"({size}) {name}" for size, name in sizes) or "0"
            lines.append(f"  {names[r]}: any point" if r == 0 else f"  {names[r]} = {made}")
    return [*lines, "  w_1 = w_0"] if end == 0 else lines


def main(paths: list[str]) -> int:
    code = 0
    for path in (path for path in paths if path != "--exact"):
        name = common.one_line(path)
        try:
            data = common.read(path)
            print(f"{name}: accepted", *report(data, verify(data), "--exact" in paths), sep="\n  ")
        except Rejected as error:
            print(f"{name}: REJECTED: {common.one_line(error)}")
            code = max(code, 1)
        except (OSError, ValueError) as error:
            print(f"{name}: unreadable: {common.one_line(error)}")
            code = 2
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
