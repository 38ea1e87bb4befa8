"""Lemma 1 of the lecture note, line by line: how far a client goes from the average since the clients were last equal."""

from functools import cache

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import Derived, ending, text_of
from fltheory.evidence.things import declare, granted
from fltheory.theory.bound import Bound
from verify.lecture2022.derivations import theorem_1
from verify.lecture2022.derivations.local_sgd import LONGEST
from verify.lecture2022.derivations.words import form
from verify.lecture2022.displays import proof

OVER = "k j past"
#: Of one client: h_j its gradients, G_j those of all clients, ``since`` their number, x and u its point and the average.
LETTERS = {"g_j": "h_j", "g_j of all": "G_j", "tau": "since", "x_at": "x", "xbar": "u"}
CHAIN = {
    "difference": proof.l_difference,
    "two terms": proof.l_two,
    "over the steps": proof.l_steps,
    "over the clients": proof.l_clients,
    "second moments": proof.l_last,
}


@cache
def _one_client(others: bool) -> Derivation:
    """One client and all of them, or with ``others`` the N - 1 that are not this one."""
    d = Derivation("Lecture note, Lemma 1")
    declare(d, "axes k j past; N, K >= 1; s > 0; G >= 0; 0 <= since <= K")
    declare(d, "x0 over past; h_j over j past; G_j over k j past; x over past = x0 - since*mean(s*h_j, j)")
    declare(d, "y over k past = x0 - since*mean(s*G_j, j)")
    d.vector("u", "past", equals="x/N + (1 - 1/N)*mean(y, k)" if others else "mean(y, k)")
    for name, gradient in (("own gradients bounded", "h_j"), ("bounded gradients", "G_j")):
        granted(d, "bounded gradients", name=name, G2="G**2", gradient=gradient)
    return d


@cache
def _chain() -> Derivation:
    d = _one_client(False)
    weight = "2*s**2*since**2"
    own, mean = ["2*s**2*since**2", "h_j - mean(h_j, j)"], [weight, "mean(G_j, k) - mean(G_j, j, k)"]
    each = {"own gradients bounded": weight, "bounded gradients": weight}
    used = {
        "difference": dict(relation="=", unfold="x y u"),
        "two terms": dict(squares=[["s**2*since**2", "mean(G_j, j, k) + mean(h_j, j)"]]),
        "over the steps": dict(squares=[own, mean]),
        "over the clients": dict(squares=[[weight, "G_j - mean(G_j, k)"]]),
        "second moments": dict(facts=each),
    }
    for name, more in used.items():
        d.combine(name, form(CHAIN[name], LETTERS), over=OVER, **more)
    return d


def display(name: str, stated: Bound) -> Derived:
    """A display of the proof from the node of this name."""
    relation = "=" if stated.relation == "=" else ">="
    last = dict(over=OVER, facts={name: "1"}, relation=relation)
    return ending(_chain, lambda d: d.combine("the display", form(stated, LETTERS), **last), "the display")


def every_client(bound: Bound) -> Derived:
    """E |xbar - x_i|^2 <= 4 s^2 K^2 G^2 for every client."""
    right, facts = text_of(bound.expression), dict.fromkeys(CHAIN, "1")
    return ending(_chain, lambda d: d.combine("Lemma 1", f"{right} - sq(u - x)", over=OVER, facts=facts), "Lemma 1")


def sharp(bound: Bound) -> Derived:
    """The same with the average over all clients split into this one and the mean of the others."""
    part, right = "s**2*since**2*(1 - 1/N)**2", text_of(bound.expression)

    def last(d: Derivation) -> None:
        facts = {"own gradients bounded": f"2*{part}", "bounded gradients": f"2*{part}"}
        squares = [[part, "mean(h_j, j) + mean(G_j, j, k)"], [f"2*{part}", "h_j - mean(h_j, j)"]]
        squares.append([f"2*{part}", "G_j - mean(G_j, j, k)"])
        d.combine("Lemma 1", f"{right} - sq(u - x)", over=OVER, facts=facts, squares=squares, unfold="x y u")

    return ending(lambda: _one_client(True), last, "Lemma 1")


def averaged(bound: Bound, code: str) -> Derived:
    """On average over the clients, where a code evaluates its gradients: after at most K or K - 1 local steps."""

    def begun() -> Derivation:
        d = Derivation("Lecture note, Lemma 1")
        declare(d, "axes k j past; N, K >= 1; s > 0; G >= 0")
        d.parameter("since", 0, LONGEST[code])
        declare(d, "x0 over past; G_j over k j past; v_j over k j past = s*G_j")
        declare(d, "x over k past = x0 - since*mean(v_j, j); u over past = mean(x, k)")
        suppose(d, "bounded gradients", G2="G**2", gradient="G_j")
        theorem_1.lemma_1(d)
        return d

    right = text_of(bound.expression)
    last = dict(over="k past", facts={"average drift": "1"})
    return ending(begun, lambda d: d.combine("average", f"{right} - sq(u - x)", **last), "average")


#: What the sum S of gradients is after a step, ``go`` being 0 if it averages: from the step t_0 + 1 on, or from t_0 + 2 on.
SUMS = {1: "go*S + G_now", 2: "go*(S + G_now)"}


def unrolled(first: int, cohort: bool = False) -> Derivation:
    """The printed code's step, the sum of gradients since the last average y, and (5), (6), (2) by induction over the steps."""
    d = Derivation("Lecture note, (2), (5) and (6)")
    declare(d, "axes k past t; N >= 1; s > 0; t_ >= 1 over t, next t_ + 1; 0 <= go <= 1 over t")
    declare(d, "x, S, G_now over k past t; y, some over past t")
    average = "some" if cohort else "mean(x, k)"
    d.vector("x1", "k past t", equals=f"go*x + (1 - go)*{average} - s*G_now")
    d.vector("S1", "k past t", equals=SUMS[first])
    declare(d, "y1 over past t = go*y + (1 - go)*mean(x, k); next x = x1; next S = S1; next y = y1")
    return d


def averages(stated: Bound, cohort: bool = False) -> Derived:
    """(2): the average moves by the mean gradient, whether the step averages or not."""
    letters = {"xbar": "mean(x1, k)", "xbar_before": "mean(x, k)", "g": "G_now"}
    right, left = stated.expression, stated.left
    text = form(Bound(stated.name, "", left, right), letters)
    last = dict(over="k past", relation="=", unfold="x1")
    return ending(lambda: unrolled(1, cohort), lambda d: d.combine("(2)", f"sq({text})", **last), "(2)")


def since_the_average(client: Bound, mean: Bound, first: int) -> Derived:
    """(5) and (6): the distance from what they say vanishes at the start, and is carried on by every step."""
    letters = {"x_at": "x", "ybar": "y", "xbar": "mean(x, k)", "g_j": "S", "g_j of all": "S", "the sum": "done"}

    def last(d: Derivation) -> None:
        each, all_ = (f"sq({form(one, letters)})" for one in (client, mean))
        d.define("R", each, over="k past", time="t", next="R_next", over_next="k past", first="R_1")
        granted(d, "empty sum", fact="equal at the start", first="R_1")
        after = f"sq({form(client, letters | {'x_at': 'x1', 'ybar': 'y1', 'g_j': 'S1'})})"
        d.combine("a step", f"go**2*{each} - {after}", over="k past", relation="=", unfold="x1 S1 y1")
        facts = {"a step": "1", "R": "go**2", "R_next": "-1"}
        d.combine("carried on", "go**2*R - R_next", over="k past", facts=facts, relation="=")
        step = {"index": "t_", "keep": "go**2", "facts": {"carried on": "1"}, "base": {"equal at the start": "-1"}}
        d.induction("always", of="R", bound="0", over="k past", **step)
        d.combine("(5)", f"-{each}", over="k past", facts={"always": "1", "R": "1"})
        deviation = [["1", f"{form(client, letters)} - ({form(mean, letters)})"]]
        d.combine("(6)", f"-{all_}", over="k past", facts={"(5)": "1"}, squares=deviation)

    return ending(lambda: unrolled(first), last, "(5)", "(6)")


def local_steps(stated: Bound, constant: bool = True) -> Derived:
    """A client's point less its first one is minus s times the sum of its gradients, if all its steps have the size s."""
    before, after = (
        f"sq({form(stated, dict(x_before='x0', x=x, g_k=total, **{'the sum': 'done'}))})"
        for x, total in (("x", "S"), ("moved", "summed"))
    )

    def begun() -> Derivation:
        d = Derivation("Lecture note, the transmitted update")
        declare(d, "axes k past t; t_ >= 1 over t, next t_ + 1; s > 0; r >= 0 over t; x, S, G_now over k past t")
        declare(d, f"x0 over k past; moved over k past t = x - {'s' if constant else 'r'}*G_now")
        declare(d, "summed over k past t = S + G_now; next x = moved; next S = summed")
        return d

    def last(d: Derivation) -> None:
        d.define("R", before, over="k past", time="t", next="R_next", over_next="k past", first="R_1")
        granted(d, "empty sum", fact="at the first point", first="R_1")
        d.combine("a step", f"{before} - {after}", over="k past", relation="=", unfold="moved summed")
        facts = {"a step": "1", "R": "1", "R_next": "-1"}
        d.combine("carried on", "R - R_next", over="k past", facts=facts, relation="=")
        start = {"index": "t_", "keep": "1", "facts": {"carried on": "1"}, "base": {"at the first point": "-1"}}
        d.induction("always", of="R", bound="0", over="k past", **start)
        d.combine("update", f"-{before}", over="k past", facts={"always": "1", "R": "1"})

    return ending(begun, last, "update")
