# mypy: ignore-errors, allow-untyped-defs, allow-untyped-calls, allow-any-generics, no-check-untyped-defs
"""The trusted verifier of Lyapunov certificates: a theorem for every number of rounds, standard library only, exact rationals.

Run it by itself: ``python -I -S lyapunov_verifier.py CERTIFICATE.json...`` (exit code 0 accepted, 1 rejected, 2 unreadable).

A Lyapunov certificate holds two or three worst-case certificates, each of which ``verifier.py`` checks by itself:

``step``   a program of one round from an arbitrary state, and ``V_1 <= rho V_0 + sum_q b_q q``;
``floor``  a program of the state alone, and ``|w - w*|^2 <= a V`` with a <= 1;
``start``  (may be missing) the program of the state at the start, and ``V <= s |w_0 - w*|^2 + sum_q t_q q``.

This file checks what makes them one theorem:

* V_0 is the functional that ``step`` bounds under the name "lyapunov"; V_1, V in ``floor`` and V at the start are the same
  expression with the state there in the place of the state before the round (:func:`carried`);
* a vector that ``step`` takes as given is a leaf of the state, and what takes its place after the round or at the start is of
  the same kind: no client has a server vector of its own, points stay points;
* a leaf that ``step`` takes as an expression in others (SCAFFOLD's server variate is the mean of the clients') equals this
  expression after the round, and at the start: an invariant, proved by comparing coordinates;
* classes and shares are the same in all, a loss of the server's own is in all or in none, and nothing is assumed but what
  :func:`meant` and :func:`dissimilar` know by name.

Then, by induction (conditionally on the past, where there are noise or sampling, which are drawn afresh in each round),

    E V_R <= rho^R V_0 + (1 + rho + ... + rho^(R-1)) sum_q b_q q    for every R >= 1,    |w_R - w*|^2 <= V_R.

``parts`` (may be missing) names registers of ``step`` that are cut into blocks of coordinates by orthogonal projections, and the
given vectors that stand for the parts: they are no leaves, and products of parts in different blocks may be assumed to be zero
(:meth:`_Theorem.split`, :meth:`_Theorem.apart`).

Nothing of the state, its start or the model may be made of w* or of the clients' minimisers.  That all rounds of a method are
the program of ``step`` is for the reader to compare with the method's text.  Without ``start`` the theorem is one of every
state that obeys the invariants.
"""

import sys
from fractions import Fraction
from pathlib import Path

if __package__:
    from fltheory.worstcase import verifier as common
else:  # run by itself, isolated: the file beside this one
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import verifier as common

FORMAT = "fltheory lyapunov 1"
LYAPUNOV = "lyapunov"
Rejected, require, fields, number, about = common.Rejected, common.require, common.fields, common.number, common.about
#: What the quantities stand for; see :func:`meant`.
MEANINGS = {
    "distance": "|w_0 - w*|^2",
    "heterogeneity": "zeta^2",
    "gamma": "Gamma",
    "noise": "sigma^2",
    "centre_noise": "sigma_c^2",
    "G2": "G^2",
}
DEFINED = {
    "heterogeneity": "sum_k p_k |grad f_k(w*)|^2 <= zeta^2",
    "gamma": "sum_k p_k (f_k(w*) - min f_k) <= Gamma",
    "noise": "given all that came before, noises of the clients' gradients have mean zero, variance at most sigma^2, and are "
    "independent between clients",
    "centre_noise": "given all that came before, noise of the server's own gradient has mean zero and variance at most "
    "sigma_c^2",
}
BOUNDED = (
    "sum_k p_k |grad f_k(x_k)|^2 <= G^2 at all points x_k where the method takes the clients' gradients, in all rounds"
)
#: Words of the sentences below, which no name of a leaf may hold.
RESERVED = frozenset(
    "V V_0 V_R E F G R rho w_0 w_R x x_k zeta sigma sigma_c Gamma grad sum sum_k p_k f_k f_c "
    "noise prox if for every all at in least most proved".split()
)
MOST_WORDS = 20_000


def carried(source, register, target, places, full, known=None):
    """The register of ``target`` that holds the same expression, with ``places[g]`` instead of the given vectors g.

    ``full``: whether an average is over all clients, so that it is a function of the state.
    """
    known = {} if known is None else known
    if register not in known:
        known[register] = _carried(source, register, target, places, full, known)
    return known[register]


def _carried(source, register, target, places, full, known):
    item = source[register]
    if item[0] == "given":
        require(register in places, f"register {register} is given, and no leaf of the state")
        return places[register]
    if item[0] == "combine":
        terms = {}
        for factor, r in item[1]:
            place = carried(source, r, target, places, full, known)
            terms[place] = terms.get(place, Fraction(0)) + number(factor)
        terms = {place: factor for place, factor in terms.items() if factor}
        if len(terms) == 1 and set(terms.values()) == {1}:
            return next(iter(terms))
        if "forms" not in known:  # once for each program, whatever is carried into it
            listed = [(place, combined(other[1])) for place, other in enumerate(target) if other[0] == "combine"]
            known["forms"] = {frozenset(form.items()): place for place, form in reversed(listed)}
        place = known["forms"].get(frozenset(terms.items()))
        if place is not None:
            return place
    elif item[0] == "optimum":
        if item in target:
            return target.index(item)
    else:
        fixed = item[0] in ("gradient", "centre", "mean") or (item[0] == "average" and full)
        implicit = item[0] in ("prox", "centre prox") and len(item) == 3  # its size is the same
        require((fixed and len(item) == 2) or implicit, f"register {register}: {item[0]} is no function of the state")
        image = [item[0], carried(source, item[1], target, places, full, known), *item[2:]]
        if image in target:
            return target.index(image)
    raise Rejected(f"register {register}: its expression is not asked for where the state is another")


def combined(terms):
    """A combination as {register: factor}."""
    total = {}
    for factor, r in terms:
        total[r] = total.get(r, Fraction(0)) + number(factor)
    return {r: factor for r, factor in total.items() if factor}


def made_of(program, registers, sources):
    """All registers that these are computed from, themselves included; parts are computed from what was split."""
    found, todo = set(), list(registers)
    while todo:
        r = todo.pop()
        if r not in found:
            found.add(r)
            item = program[r]
            if item[0] == "combine":
                todo += [used for _, used in item[1]]
            elif item[0] in ("gradient", "centre", "average", "mean", "prox", "centre prox"):
                todo.append(item[1])
            elif item[0] == "cohort":
                todo += item[1:]
            elif r in sources:
                todo.append(sources[r])
    return found


def functional(data, move=lambda register: register):
    """A functional as {(a, b) with a <= b, or (r,): factor}, its registers moved."""
    total = {}
    for text, a, b in data["inner"]:
        key = tuple(sorted((move(a), move(b))))
        total[key] = total.get(key, Fraction(0)) + number(text)
    for text, r in data["values"]:
        total[move(r),] = total.get((move(r),), Fraction(0)) + number(text)
    return {key: factor for key, factor in total.items() if factor}


def meant(program, item):
    """The quantity that an assumption bounds, which must be what its name says."""
    name, form = item["bound"], functional(item)
    require(number(item["scale"]) == 1, f"the scale of {name!r} is not one")
    require(name in DEFINED, f"an assumption on {name!r}, which has no meaning here")
    require(len(form) == 1, f"the assumption on {name!r} is no single term")
    ((key, factor),) = form.items()
    made = program[key[0]]
    if name == "gamma":
        require(len(key) == 1 and factor == -1 and made == ["minimiser"], "gamma is -f at the clients' own minimisers")
        return name
    require(len(key) == 2 and key[0] == key[1] and factor == 1, f"the assumption on {name!r} is no square")
    if name == "heterogeneity":
        fits = made[0] == "gradient" and program[made[1]] == ["optimum"]
    else:
        fits = made[0] == "noise" and len(made) == (2 if name == "noise" else 3)
    require(fits, f"{made} is not what {name!r} stands for")
    return name


def dissimilar(program, space, used, item):
    """What an assumption on "G2" says, in words: of the method's gradients, or of those at any one point of the server."""
    form = functional(item)
    require(number(item["scale"]) == 1, "the scale of 'G2' is not one")
    squares = {key[0]: factor for key, factor in form.items() if len(key) == 2 and key[0] == key[1]}
    first = [r for r, factor in squares.items() if factor == 1 and program[r][0] == "gradient"]
    require(len(squares) == len(form) and len(first) == 1, "the assumption on 'G2' has no meaning here")
    if len(form) == 1:
        require(first[0] in used, f"register {first[0]} is no gradient of the method, and 'G2' bounds those")
        return BOUNDED
    rest = {r: -factor for r, factor in squares.items() if r != first[0]}
    mean = [r for r, factor in rest.items() if factor > 0 and program[r] == ["mean", first[0]]]
    require(len(rest) == len(mean) == 1, "the assumption on 'G2' is no dissimilarity of gradients")
    kinds = {kind for (kind, _), _ in space.vectors[program[first[0]][1]]}
    require(kinds <= {"m"}, "'G2' bounds the dissimilarity at points that all clients share")
    right = summed((("1", "G^2"), (str(rest[mean[0]]), "|sum_k p_k grad f_k(x)|^2")))
    return f"sum_k p_k |grad f_k(x)|^2 <= {right} at every x"


class _Theorem:
    """The parts of a certificate, checked one by one."""

    def __init__(self, data):
        fields(data, "certificate", ("format", "leaves", "given", "model", "step", "floor"), ("start", "parts"))
        require(data["format"] == FORMAT, "unknown format")
        self.data, self.parts = data, {name: data[name] for name in ("step", "floor", "start") if name in data}
        self.proved = {}
        for name, part in self.parts.items():
            try:
                self.proved[name] = common.verify_part(part)["upper"]
            except KeyError:
                raise Rejected(f"{name}: no upper bound") from None
            except Rejected as error:
                raise Rejected(f"{name}: {error}") from None
            for shared in ("classes", "shares"):
                require(part[shared] == data["step"][shared], f"{name}: other {shared} than in the round")
        self.programs = {name: part["program"] for name, part in self.parts.items()}
        require("classes" not in data["step"]["shares"], "several classes of clients, of which no sentence here speaks")
        self.full = data["step"]["shares"]["scheme"] == "full"
        self.spaces = {name: common._Program(part) for name, part in self.parts.items()}
        require(len({space.centred for space in self.spaces.values()}) == 1, "the server's loss is in some parts only")
        self.shared = any(["optimum", "shared"] in program for program in self.programs.values())
        for name, pair in data["step"]["classes"].items():  # those too that no program asks, since they are printed
            if pair is not None:
                mu, smooth = (number(text) for text in pair)
                require(mu >= 0, f"{name}: curvature in {pair}, where w* need not be a minimiser")
                require(mu < smooth, f"{name}: curvature range [{mu}, {smooth}], expected mu < L")
        if any(["minimiser"] in program for program in self.programs.values()):
            mu = number(data["step"]["classes"]["clients"][0])
            require(mu > 0, f"mu={mu}: clients need not have minimisers of their own")
        self.moves, self.budget = {"after": {}, "floor": {}, "start": {}}, MOST_WORDS
        self.split()
        self.places = self.state()
        self.invariants = self.leaves()
        self.method()
        self.lyapunov()
        self.assumptions()

    def register(self, name, r):
        require(type(r) is int and 0 <= r < len(self.programs[name]), f"{name}: register {r!r}")
        return r

    def split(self):
        """The given parts of registers of the round, which are no leaves, and for each block all parts there and their means.

        One set of orthogonal projections, one per block of coordinates, cuts all registers that are split: which
        coordinates belong to a block is no matter of a class that rotations leave alone, and is left open.
        """
        self.source_of, self.blocks, self.in_block, space = {}, [], {}, self.spaces["step"]
        listed = self.data.get("parts", [])
        require(self.full or not listed, "parts of vectors under sampling have no meaning here")
        for source, given in listed:
            vector = dict(space.vectors[self.register("step", source)])
            require(
                space.degrees[source] == 0, f"register {source} is a point: its parts depend on where the origin is"
            )
            require(source not in self.source_of.values(), f"register {source} is split twice")
            require(len(given) == len(listed[0][1]) > 0, f"register {source} has another number of blocks")
            parts, own = [], {part for part, _ in vector}
            require(own <= {("m", -1), ("d", -1)}, f"register {source} is random: its parts are no given vectors")
            for g in given:
                made = self.programs["step"][self.register("step", g)]
                require(made[0] == "given" and made[2] == 0 and g not in self.source_of, f"register {g} is no part")
                require(
                    made[1] == "clients" or ("d", -1) not in own,
                    f"register {g}: a client's vector has a part of its own",
                )
                require(g > source, f"register {g} is there before register {source}, of which it is a part")
                self.source_of[g] = source
                parts.append(space.vectors[g])
                common.add(vector, parts[-1], -1)
            parts.append({key: entry for key, entry in vector.items() if entry})
            means = [{key: entry for key, entry in part.items() if key[0][0] == "m"} for part in parts]
            self.blocks.append([[part, mean] for part, mean in zip(parts, means, strict=True)])

    def apart(self, item):
        """Whether an assumption says that parts of vectors in different blocks, or their means, are orthogonal."""
        ((key, _),) = functional(item).items()
        require(len(key) == 2, "an assumption on None of a function value")
        return any(here != there for here in self.blocks_of(key[0]) for there in self.blocks_of(key[1]))

    def blocks_of(self, register):
        """The blocks in which a register is a part of some vector, or the mean of one."""
        if register not in self.in_block:
            vector = self.spaces["step"].vectors[self.register("step", register)]
            found = {block for parts in self.blocks for block, pair in enumerate(parts) if vector in pair}
            self.in_block[register] = found
        return self.in_block[register]

    def state(self):
        """What stands for each given vector of the round: after it, in the state alone, at the start."""
        step, found = self.programs["step"], {"after": {}, "floor": {}, "start": {}}
        require(len(self.data["leaves"]) <= common.MOST_REGISTERS, "more leaves than there may be registers")
        for item in self.data["leaves"]:
            fields(item, "leaf", ("name", "before", "after", "start", "given"))
            for key, name in (("before", "step"), ("after", "step"), ("start", "start")):
                if name in self.programs:
                    self.register(name, item[key])
            if item["given"] is not None:
                g = self.register("step", item["given"])
                require(item["before"] == g, f"leaf {item['name']!r}: register {item['before']} is not given")
                require(
                    step[g][0] == "given" and g not in found["after"],
                    f"leaf {item['name']!r}: register {g} is not given",
                )
                found["after"][g], found["start"][g] = item["after"], item["start"]
        listed = {g for g, made in enumerate(step) if made[0] == "given"} - {*self.source_of}
        require(set(found["after"]) == listed, "a given vector of the round is no leaf of the state")
        for g, place in self.data["given"]:
            require(g in listed and g not in found["floor"], f"given: {g!r}")
            require(
                self.programs["floor"][self.register("floor", place)] == step[g],
                f"floor: register {place} is not alike",
            )
            found["floor"][g] = place
        require(set(found["floor"]) == listed, "floor: a given vector of the round is missing")
        require(len(set(found["floor"].values())) == len(listed), "floor: one vector stands for two")
        for g in listed:
            for key, name in (("after", "step"), ("start", "start")):
                if name in self.spaces:
                    self.alike(
                        step[g], self.spaces[name], found[key][g], f"what takes the place of register {g}, {key}"
                    )
        return found

    @staticmethod
    def alike(given, space, register, what):
        """A server vector has no part of one client alone; points stay points."""
        require(space.degrees[register] == given[2], f"{what}: degree {space.degrees[register]}, not {given[2]}")
        own = {kind for (kind, _), _ in space.vectors[register] if kind not in ("m", "s", "a")}
        require(given[1] == "clients" or not own, f"{what}: a vector of the clients in the place of a server's")

    def carry(self, register, where):
        """The register that holds the same expression after the round, in the state alone or at the start."""
        name = "step" if where == "after" else where
        known = self.moves[where]
        return carried(self.programs["step"], register, self.programs[name], self.places[where], self.full, known)

    def leaves(self):
        """Leaves that are expressions in others: they are so after the round and at the start."""
        found, names = [], set()
        for item in self.data["leaves"]:
            require(common.is_name(item["name"]) and item["name"] not in names, f"the name {item['name']!r} of a leaf")
            words = item["name"].split()
            require(
                not set(item["name"]) & set("-*^'") and " ".join(words) == item["name"] and not RESERVED & set(words),
                f"the name {item['name']!r} of a leaf",
            )
            names.add(item["name"])
            require(item["name"] != "w" or item["before"] == self.data["model"], "w is another vector than the model")
            if item["before"] == item["given"]:
                continue
            found.append(item)
            for where, name in (("after", "step"), ("start", "start")):
                if name in self.spaces:
                    vectors = self.spaces[name].vectors
                    here = vectors[self.carry(item["before"], where)]
                    require(here == vectors[item[where]], f"leaf {item['name']!r}: the invariant is lost, {where}")
        return found

    def method(self):
        """No method knows where the minimisers are: nothing of the state, its start or its model is made of them."""
        self.used = {}
        for name, keys in (("step", ("before", "after")), ("start", ("start",))):
            if name in self.programs:
                registers = [item[key] for item in self.data["leaves"] for key in keys]
                registers += [self.data["model"]] if name == "step" else []
                registers = [self.register(name, r) for r in registers]
                self.used[name] = made_of(self.programs[name], registers, self.source_of if name == "step" else {})
                for r in sorted(self.used[name]):
                    made = self.programs[name][r][0]
                    require(
                        made not in ("optimum", "minimiser", "infimum"),
                        f"{name}: the method is made of register {r}, {made!r}, which no method knows",
                    )

    def random(self, name):
        """Whether what a program makes of the state depends on draws."""
        drawn = {"noise"} if self.full else {"noise", "average", "cohort"}
        return name in self.programs and any(item[0] in drawn for item in self.programs[name])

    def lyapunov(self):
        """V is the same functional everywhere; what it is at least, and at most at the start."""
        listed = [item for item in self.data["step"]["assumptions"] if item["bound"] == LYAPUNOV]
        require(len(listed) == 1 and number(listed[0]["scale"]) == 1, "step: V is not bounded once, with scale one")
        self.v = listed[0]
        model = self.register("step", self.data["model"])
        require(self.spaces["step"].degrees[model] == 1, "the model is no point")
        self.alike(["given", "server", 1], self.spaces["step"], model, "the model")
        require(
            functional(self.data["step"]["measure"]) == self.moved("after"),
            "step: the measure is not V after the round",
        )
        floor = self.data["floor"]
        require(len(floor["assumptions"]) == 1, "floor: another assumption beside V")
        (only,) = floor["assumptions"]
        require(only["bound"] == LYAPUNOV and number(only["scale"]) == 1, "floor: V is not bounded, with scale one")
        require(functional(only) == self.moved("floor"), "floor: another V")
        place = self.carry(model, "floor")
        require(functional(floor["measure"]) == {(place, place): 1}, "floor: the measure is not |w - w*|^2")
        require(0 < self.proved["floor"][LYAPUNOV] <= 1, "floor: V may be less than |w - w*|^2")
        if "start" in self.parts:
            require(functional(self.data["start"]["measure"]) == self.moved("start"), "start: the measure is not V")

    def moved(self, where):
        return functional(self.v, lambda register: self.carry(register, where))

    def assumptions(self):
        """Nothing is assumed but what has a meaning."""
        self.known, self.compressors, self.similar = [], [], {}
        for name in ("step", "start"):
            for item in self.data[name]["assumptions"] if name in self.parts else ():
                if name == "start" and item["bound"] == "distance":
                    ((key, factor),) = functional(item).items()
                    require(
                        len(key) == 2 and key[0] == key[1] and factor == number(item["scale"]) == 1,
                        "start: no distance",
                    )
                    vectors = self.spaces["start"].vectors
                    model = vectors[key[0]] == vectors[self.carry(self.data["model"], "start")]
                    begun = self.programs["start"][key[0]] == ["given", "server", 1]
                    require(model and begun, "start: the distance is not that of the first model")
                elif item["bound"] is None:
                    noisy = any(self.programs[name][r][0] == "noise" for key in functional(item) for r in key)
                    if noisy or name != "step" or not self.source_of:
                        self.compressors.append(self.compressor(name, item))
                    else:
                        require(self.apart(item), "an assumption on None, which is no orthogonality of parts")
                elif item["bound"] == "G2":
                    self.similar[dissimilar(self.programs[name], self.spaces[name], self.used[name], item)] = name
                elif name == "start" or item is not self.v:
                    self.known.append(meant(self.programs[name], item))

    def compressor(self, name, item):
        """``|e|^2 <= omega |v|^2`` of a noise e of the clients' and a direction v that a method knows, which is there before e."""
        require(name == "step", f"{name}: an assumption on None")
        form, program, space = functional(item), self.programs[name], self.spaces[name]
        squares = len(form) == 2 and all(len(key) == 2 and key[0] == key[1] for key in form)
        require(squares, f"{name}: an assumption on None that is no compressor's")
        (omega, v), (one, e) = sorted((factor, key[0]) for key, factor in form.items())
        require(
            one == 1 and program[e][0] == "noise" and len(program[e]) == 2, "an assumption on None that bounds no noise"
        )
        unknown = {program[r][0] for r in made_of(program, [v], self.source_of)} & {"optimum", "minimiser", "infimum"}
        known = omega < 0 and space.degrees[v] == 0 and not unknown
        require(known, "noise relative to no direction that a method knows")
        require(not common.late(space.vectors[v], program[e][1]), "noise relative to what comes after it")
        own = all(kind in "mdn" for (kind, _), _ in space.vectors[v])
        require(own, "noise relative to a random average: it would depend on noise of other clients")
        return e, -omega, v


def verify(data):
    """What is proved: rho, the factors of the quantities, those at the start, V by its terms, and words; or :class:`Rejected`."""
    try:
        common.plain(data)
        theorem = _Theorem(data)
        factors = dict(theorem.proved["step"])
        rho = factors.pop(LYAPUNOV)
        return {
            "rho": rho,
            "factors": factors,
            "start": theorem.proved.get("start"),
            "terms": collected(terms(theorem)),
            "words": tuple(sentences(theorem, rho, factors)),
            "length": len(theorem.used["step"]),
        }
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise Rejected(f"malformed certificate: {type(error).__name__} {error}") from None


def described(theorem, register, named=True):
    """A register of the round's program in words of the state; ``named``: by the name of a leaf where it is one."""
    theorem.budget -= 1
    require(theorem.budget >= 0, f"more than {MOST_WORDS} words")
    for item in theorem.data["leaves"] if named else ():
        if item["before"] == register:
            return item["name"]
    program = theorem.programs["step"]
    made = program[register]
    if made[0] == "optimum":
        return "w*"
    if made[0] == "combine":
        listed = sorted(combined(made[1]).items(), key=lambda term: term[1] < 0)
        return summed((str(factor), factored(theorem, r)) for r, factor in listed)
    if made[0] == "noise":
        return f"noise {made[1]}"
    inside = described(theorem, made[1])
    if made[0] == "mean" or made[0] == "average":
        return f"sum_k p_k {inside}" if program[made[1]][0] == "gradient" else f"mean({inside})"
    if made[0] in ("prox", "centre prox"):
        loss = "f_k" if made[0] == "prox" else "f_c"
        return f"grad {loss}(prox of {number(made[2])} {loss} at {inside})"
    return f"grad f_{'k' if made[0] == 'gradient' else 'c'}({inside})"


def factored(theorem, register):
    """A register in words that a factor may stand before."""
    words = described(theorem, register)
    return f"({words})" if any(sign in words for sign in "+-") or words[0].isdigit() else words


def exactly(factor):
    """A rational as a decimal where it is one of few digits."""
    return next((text for text in [about(factor, True)] if decimal(text) == factor), str(factor))


def decimal(text):
    """The rational that a decimal denotes."""
    digits, _, power = text.partition("e")
    whole, _, part = digits.partition(".")
    return Fraction(int(whole + part)) * Fraction(10) ** (int(power or 0) - len(part))


def summed(terms):
    """Factors and words as a sum."""
    words = ""
    for text, part in terms:
        sign, size = ("-", text[1:]) if text.startswith("-") else ("+", text)
        size = "" if size == "1" else f"{size} "
        words += f" {sign} {size}{part}" if words else f"{'' if sign == '+' else '-'}{size}{part}"
    return words or "0"


def terms(theorem):
    """V's terms in words of the state, with their factors."""
    for key, factor in functional(theorem.v).items():
        if len(key) == 1:
            made = theorem.programs["step"][key[0]]
            require(made[0] in ("gradient", "centre"), f"V has the value of a loss at the end of a {made[0]} step")
            who = "f_k" if made[0] == "gradient" else "f_c"
            inside = f"{who}({described(theorem, made[1])}) - {who}(w*)"
            part = f"sum_k p_k ({inside})" if made[0] == "gradient" else f"({inside})"
        else:
            one, two = (vector(theorem, r) for r in key)
            part = f"|{one}|^2" if key[0] == key[1] else f"<{one}, {two}>"
            spread = any(kind == "d" for r in key for (kind, _), _ in theorem.spaces["step"].vectors[r])
            part = f"sum_k p_k {part}" if spread else part
        yield part, factor


def collected(listed):
    """Terms of the same words together."""
    total = {}
    for part, factor in listed:
        total[part] = total.get(part, Fraction(0)) + factor
    return total


def vector(theorem, register):
    """A vector in words; points relative to the minimiser."""
    words = described(theorem, register)
    return f"{words} - w*" if theorem.spaces["step"].degrees[register] == 1 else words


def sentences(theorem, rho, factors):
    """The theorem in words; decimals are rounded so that what is printed is true."""
    step = theorem.data["step"]
    n, cohort = step["shares"]["clients"], step["shares"]["cohort"]
    who = "every number of clients, all weights" if n is None else f"{n} clients of equal weight"
    rest = summed((about(b, True), MEANINGS[q]) for q, b in factors.items() if b)
    used = {name for found in (factors, theorem.proved.get("start", {})) for name, b in found.items() if b}
    sampled = not theorem.full
    left, begun = ("E V_R" if sampled or theorem.random("step") else "V_R"), "V_0"
    if theorem.random("start"):
        begun = "E V_0"
    first = f"{left} <= {{}} " + (begun if left.startswith("E") else "V_0")
    base, times = power(rho)
    rate = f"({base})^{times}" if times > 1 else about(rho, True)
    if times > 1:
        first = first.format(f"({base})^({times} R)")
    else:
        first = first.format(f"({rate})^R" if "e" in rate else f"{rate}^R")
    if any(factors.values()):
        first += f" + (1 + rho + ... + rho^(R-1)) ({rest}) with rho = {rate}"
    yield f"{first}, for every R >= 1"
    v = summed((exactly(factor), part) for part, factor in collected(terms(theorem)).items())
    model = described(theorem, theorem.data["model"])
    yield f"V = {v}, at least |{model} - w*|^2"
    if model != "w":
        yield f"w = {model}"
    if "start" in theorem.proved:
        begin = summed((about(b, True), MEANINGS[q]) for q, b in theorem.proved["start"].items() if b)
        yield f"{begun} <= {begin} at the method's own start"
    ranges = {
        name: f"[{number(pair[0])}, {number(pair[1])}]" for name, pair in step["classes"].items() if pair is not None
    }
    centred = theorem.spaces["step"].centred
    yield (
        f"for {who}, every dimension, curvature of the clients' losses in {ranges['clients']}"
        + (f", of the server's in {ranges['centre']}" if centred else "")
        + f", w* a minimiser of sum_k p_k f_k{' + f_c' if centred else ''}"
    )
    if sampled:
        yield f"cohorts of {cohort} drawn afresh in each round, {step['shares']['scheme']}, independent of all noise"
    # What has the factor zero is not used; but a noise has mean zero wherever it stands.
    relative = {("step", e) for e, _, _ in theorem.compressors}
    drawn = {
        "centre_noise" if len(item) == 3 else "noise"
        for name in ("step", "start")
        for r, item in enumerate(theorem.programs.get(name, ()))
        if item[0] == "noise" and (name, r) not in relative
    }
    for name in DEFINED:
        if name in drawn or (name in used and name in theorem.known):
            yield f"if {DEFINED[name]}"
    if {"noise", "centre_noise"} <= drawn:
        yield f"if {common.FOLLOWS}"
    for e, omega, v in theorem.compressors:
        words = described(theorem, e)
        yield (
            f"if {words}, of a compressor, has mean zero given all that came before, E |{words}|^2 <= {exactly(omega)} |v|^2 for "
            f"v = {described(theorem, v)}, and is independent between clients"
        )
    if "G2" in used:
        for words in theorem.similar:
            yield f"if {words}" + (", clients not drawn taking them too" if sampled and words == BOUNDED else "")
    if theorem.source_of:
        yield f"the method treats {len(theorem.blocks[0])} blocks of coordinates apart, whatever their sizes"
    if theorem.shared:
        yield "if all clients have the same gradient at w*"
    for item in theorem.invariants:
        relation = f"{item['name']} = {described(theorem, item['before'], named=False)}"
        if "start" in theorem.proved:
            yield f"{relation} in all rounds (proved)"
        else:
            yield f"from every state with {relation}, which a round keeps (proved)"


def power(rho):
    """``(p/q, k)`` with ``rho = (p/q)^k`` and k as large as it can be."""
    for k in range(200, 1, -1):
        top, bottom = (round(part ** (1 / k)) if part < 2**1000 else 0 for part in (rho.numerator, rho.denominator))
        if bottom > 1 and Fraction(top, bottom) ** k == rho:
            return Fraction(top, bottom), k
    return rho, 1


def report(found):
    """What was proved, in lines."""
    method = f"the method is what {found['length']} instructions of the certificate do in each round: compare it with its text"
    return ["proved: " + found["words"][0], *found["words"][1:], method]


def main(paths):
    code = 0
    for path in paths:
        try:
            data = common.read(path)
            print(f"{common.one_line(path)}: accepted", *report(verify(data)), sep="\n  ")
        except Rejected as error:
            print(f"{common.one_line(path)}: REJECTED: {common.one_line(error)}")
            code = max(code, 1)
        except (OSError, ValueError) as error:
            print(f"{common.one_line(path)}: unreadable: {common.one_line(error)}")
            code = 2
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
