"""Where rounds of gradient steps end: a side whose last points are at x on average has taken no step from there.

Steps are those of ``phi = F + <shift, .>``, convex and beta-smooth.  The first one lowers it by ``rate (1 - rate beta/2)`` times
its squared gradient at x, no other raises it, and it is at least ``phi(x) + <phi'(x), last - x>`` at the last point.
"""

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.evidence.things import declare, granted


def begun(title: str, rate: str = "eta", **ways: str) -> Derivation:
    """Axes, a short step, the model x at which the round begins, and which steps are taken on each of the ways, by its axes."""
    d = Derivation(f"Mixed FL, {title}")
    d.axis("t", "time")
    for axis in sorted({"k", *"".join(ways.values())}):
        d.axis(axis, "clients")
    declare(d, f"beta > 0; T >= 1; 0 < {rate} < 2/beta")
    for name, axes in ways.items():
        d.parameter(f"go{name}", 0, 1, varies=f"{axes} t")
    d.vector("x")
    return d


def path(d: Derivation, of: str, shift: str, rate: str, axes: str = "", gain: str = "", tag: str = "") -> None:
    """Steps from x on ``of``, whose last point is declared (``last_<of>``), the first is taken, others may not be (T is the most).

    The fact ``end of <of>``: -<g + shift, last - x> >= gain |g + shift|^2, g the gradient at x, over ``axes``.  A second
    such way of the same loss has a ``tag`` behind its names.
    """
    most = f"{rate}*(1 - {rate}*beta/2)"
    gain = gain or most
    n, every = f"{of}{tag}", f"{axes} t"
    last = f"last_{n}"

    def at(point: str) -> None:
        d.point(point, of, value=f"{of}_{point}", gradient=f"g{of}_{point}")

    slope = f"(g{of}_x + {shift})"
    if not tag:
        suppose(d, "smooth", of=of, name=f"{of} smooth", L="beta")
        suppose(d, "convex", of=of, name=f"{of} convex")
        at("x")
    d.vector(f"z{n}", axes, equals=f"x - {rate}*{slope}")
    d.vector(f"y{n}", every)
    for point in (f"z{n}", f"y{n}", last):
        at(point)
    d.vector(f"next{n}", every, equals=f"y{n} - go{n}*{rate}*(g{of}_y{n} + {shift})")
    at(f"next{n}")
    declare(d, f"next y{n} = next{n}; next {of}_y{n} = {of}_next{n}")
    names = {"next": f"after{n}", "over_next": axes.split(), "first": f"first{n}", "last": f"end{n}"}
    d.define(f"phi{n}", f"{of}_y{n} + dot({shift}, y{n})", axes.split(), "t", **names)
    for name, point in ((f"first{n}", f"z{n}"), (f"end{n}", last)):
        words = f"{of} + <{shift}, .> {'after the first step' if point == f'z{n}' else 'at the last point'}{tag and ', again'}"
        form = f"{name} - {of}_{point} - dot({shift}, {point})"
        granted(d, words, fact=f"at {name}", form=form, over=axes, relation="=")
    for pair in (("x", f"z{n}"), (f"y{n}", f"next{n}")):
        d.assume(f"{n} smooth from {pair[0]}", f"{of} smooth", list(pair))
    d.assume(f"convex {n}", f"{of} convex", ["x", last])
    lower = f"{of}_y{n} + dot({shift}, y{n}) - {of}_next{n} - dot({shift}, next{n})"
    square = [[f"go{n}*{rate}*(1 - go{n}*{rate}*beta/2)", f"g{of}_y{n} + {shift}"]]
    d.combine(f"a step of {n}", lower, facts={f"{n} smooth from y{n}": "1"}, squares=square, unfold=f"next{n}")
    facts = {f"a step of {n}": "1", f"phi{n}": "1", f"after{n}": "-1"}
    d.combine(f"in numbers {n}", f"phi{n} - after{n}", over=axes, facts=facts)
    d.telescope(f"all steps of {n}", f"in numbers {n}", [f"phi{n}"], "T")
    lower, squares = f"{of}_x + dot({shift}, x) - {of}_z{n} - dot({shift}, z{n})", [[f"{most} - ({gain})", slope]]
    facts = {f"{n} smooth from x": "1"}
    d.combine(f"first step of {n}", f"{lower} - ({gain})*sq({slope})", facts=facts, squares=squares, unfold=f"z{n}")
    facts = {f"all steps of {n}": "T", f"at first{n}": "-1", f"at end{n}": "1"}
    facts |= {f"first step of {n}": "1", f"convex {n}": "1"}
    d.combine(f"end of {n}", f"-dot({slope}, {last} - x) - ({gain})*sq({slope})", over=every, facts=facts)


def stays(d: Derivation, of: str, rate: str) -> None:
    """The fact ``stays``: steps from x on ``F - <g, .>``, g the gradient at x, stay there; ``i`` counts them."""
    declare(d, f"still over t; {of} at still as {of}_still, g{of}_still")
    declare(d, f"still1 over t = still - {rate}*(g{of}_still - g{of}_x); next still = still1")
    granted(d, "Lipschitz gradients", "x still", fact="Lipschitz", of=of, name=f"{of} Lipschitz", L="beta")
    d.define("apart", "sq(still - x)", [], "t", next="apart1", over_next=[], first="at_first", last="at_last")
    granted(d, "empty sum", fact="at first", first="at_first")
    facts = {"Lipschitz": f"2*{rate}**2"}
    more = f"2*(1 + ({rate}*beta)**2)"
    target = f"{more}*sq(still - x) - sq(still1 - x)"
    d.combine(
        "one step", target, facts=facts, squares=[["1", f"still - x + {rate}*(g{of}_still - g{of}_x)"]], unfold="still1"
    )
    d.combine("in numbers apart", f"{more}*apart - apart1", facts={"one step": "1", "apart": more, "apart1": "-1"})
    d.induction("never apart", "apart", "0", "i", more, facts={"in numbers apart": "1"}, base={"at first": "-1"})
    d.combine("nor after", "-apart1", facts={"in numbers apart": "1", "never apart": more})
    d.end("stays", "nor after", ["apart"], last=True)


def one_way(clients: str = "alike") -> Derivation:
    """A round of 1-way GT (FedAvg for h = 0) that begins and ends at x: steps of clients that are alike, or not."""
    d = begun("1-way Gradient Transfer at rest", F="k")
    d.function("F", "" if clients == "alike" else "k")
    d.vector("h")
    d.vector("last_F", "k", mean=[["k", "x", "the model does not move"]])
    path(d, "F", "h", "eta", "k")
    return d


def of_multiples(clients: str = "alike") -> Derivation:
    """A round of FedAvg at rest whose clients have multiples c F of one loss: steps of F with sizes of their own."""
    d = begun("FedAvg at rest", "largest", F="k")
    declare(d, "0 < least <= largest; eta > 0; least/eta <= c <= largest/eta over k; let rate = eta*c")
    d.function("F", "" if clients == "alike" else "k")
    d.let("nothing", "0*x")
    d.vector("last_F", "k", mean=[["k", "x", "the model does not move"]])
    path(d, "F", "nothing", "rate", "k", gain="least*(1 - largest*beta/2)")
    return d


def two_way(steps: str = "equal") -> Derivation:
    """A round of 2-way GT that leaves x, u and v as they are; j divides the renewal of u, ``u = -(last_C - x)/j - v``."""
    d = begun("2-way Gradient Transfer at rest", "eta_c", C="")
    declare(d, "eta, eta_s, j > 0; i >= 0 over t, next i + 1")
    d.parameter("K", 1, varies=["k"] if steps == "unequal" else [])
    declare(d, "function C; v, last_C; s = -(last_C - x)/j; u = s - v")
    d.vector("last_F", "k", mean=[["k", "x - (last_C - x)/eta_s", "the model does not move"]])
    d.vector("a_step", "k", equals="(last_F - x)/K")
    granted(d, "v does not change", form="dot(mean(a_step, k) + eta*s, s)", relation="=")
    path(d, "C", "v", "eta_c")
    stays(d, "C", "eta_c")
    round_from_the_gradient(d)
    if steps == "equal":
        gain = "(eta_c*(1 - eta_c*beta/2))"
        facts = {"v does not change": "-1/(j/(K*eta_s) + eta)"}
        d.combine("no sum", "-sq(s)", facts=facts, unfold="a_step s")
        facts = {"end of C": f"4/{gain}", "no sum": f"2 + 2*(j/{gain})**2"}
        squares = [["2", f"gC_x + v - j/{gain}*s"], ["1", "s + gC_x + v"]]
        d.combine("u is the gradient", "-sq(u - gC_x)", facts=facts, squares=squares, unfold="u s")
    return d


def round_from_the_gradient(d: Derivation) -> None:
    """x_new, u_new and v_new: a round of 2-way GT from x, u = grad C(x) and v = -u, where 1-way GT leaves x as it is."""
    declare(d, "eta_m > 0; end_C")
    words = "distance from x at the last central point"
    granted(d, words, fact="at the last", form="at_last - sq(end_C - x)", relation="=")
    d.vector("end_F", "k", mean=[["k", "x", "1-way Gradient Transfer does not move the model"]])
    declare(d, "own_step over k = (end_F - x)/K; x_new = x + eta_m*(end_C - x + eta_s*(mean(end_F, k) - x))")
    declare(d, "u_new = -(end_C - x)/j + gC_x; v_new = -mean(own_step, k)/eta - gC_x")


def two_way_alike(clients: str = "alike") -> Derivation:
    """The same for clients that are alike, or not: the model and gt_f average their ways with weights of their own.

    Both averages of the clients' ways lower F + <u, .>, or its gradient r at x vanishes; their multiples of s are of opposite
    sign.  With r = 0 the clients stay at x.
    """
    d = begun("2-way Gradient Transfer with clients that are alike at rest", F="k", F2="l", C="")
    declare(d, "0 < eta_c < 2/beta; eta_s, j, steps > 0; i >= 0 over t, next i + 1")
    alike = clients == "alike"
    d.function("F", "" if alike else "k")
    declare(d, "function C; v, last_C; s = -(last_C - x)/j; u = s - v")
    d.vector("last_F", "k", mean=[["k", "x - (last_C - x)/eta_s", "the model does not move"]])
    d.vector("last_F2", "l", mean=[["l", "x - steps*eta*s", "gt_f does not change"]])
    path(d, "F", "u", "eta", "k")
    path(d, "C", "v", "eta_c")
    if not alike:
        return d
    path(d, "F", "u", "eta", "l", tag="2")
    weight = "1/(eta*(1 - eta*beta/2)*(steps*eta + j/eta_s))"
    facts = {"end of F": f"steps*eta*{weight}", "end of F2": f"j/eta_s*{weight}"}
    d.combine("r = 0", "-sq(gF_x + u)", facts=facts, unfold="s")
    granted(d, "Lipschitz gradients", "x yF", fact="Lipschitz", of="F", name="F Lipschitz", L="beta")
    d.define("apart", "sq(yF - x)", "k", "t", next="apart1", over_next="k", first="apart_0", last="apart_K")
    for name, point in (("apart_0", "zF"), ("apart_K", "last_F")):
        words = f"distance from x {'after the first step' if point == 'zF' else 'at the last point'}"
        granted(d, words, fact=f"at {name}", form=f"{name} - sq({point} - x)", over="k", relation="=")
    turn, slope, more = "goF*eta*(gF_yF - gF_x)", "goF*eta*(gF_x + u)", "3*(1 + (eta*beta)**2)"
    facts = {"Lipschitz": "3*(goF*eta)**2", "r = 0": "3*(goF*eta)**2"}
    squares = [["1", f"yF - x + {turn}"], ["1", f"yF - x + {slope}"], ["1", f"{turn} - {slope}"]]
    squares += [["3*(1 - goF**2)*(eta*beta)**2", "yF - x"]]
    d.combine("one step", f"{more}*sq(yF - x) - sq(nextF - x)", facts=facts, squares=squares, unfold="nextF")
    facts = {"one step": "1", "apart": more, "apart1": "-1"}
    d.combine("in numbers apart", f"{more}*apart - apart1", over="k", facts=facts)
    d.combine("at first", "-apart_0", over="k", facts={"at apart_0": "-1", "r = 0": "eta**2"}, unfold="zF")
    d.induction(
        "never apart", "apart", "0", "i", more, facts={"in numbers apart": "1"}, base={"at first": "1"}, over="k"
    )
    d.combine("nor after", "-apart1", over="k", facts={"in numbers apart": "1", "never apart": more})
    d.end("stays", "nor after", ["apart"], last=True)
    facts, squares = (
        {"stays": "(eta_s/j)**2", "at apart_K": "(eta_s/j)**2"},
        [["(eta_s/j)**2", "last_F - x - j/eta_s*s"]],
    )
    d.combine("s = 0", "-sq(s)", over="k", facts=facts, squares=squares, unfold="s")
    gain = "(eta_c*(1 - eta_c*beta/2))"
    facts = {"end of C": f"2/{gain}", "s = 0": f"(j/{gain})**2"}
    d.combine("r_c = 0", "-sq(gC_x + v)", facts=facts, squares=[["1", f"gC_x + v - j/{gain}*s"]], unfold="s")
    return d
