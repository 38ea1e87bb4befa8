"""Lemma 7 of the elastic aggregation supplement, one round, and the displays of its proof.

A client's run of K steps takes gradients at points ``y`` with means ``h`` over the steps, and moves by -eta_l K times ``w``, the
mean of its stochastic gradients; ``later`` are the points after its steps.  The cohort's mean of w is ``M``, the new model x - e M.
A cohort is drawn without replacement from ``count`` >= 2 clients, or it is all of them, of which there may be one.
"""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.supposed import supposing_no_more
from verify.elastic2023.lemma_7 import displays
from verify.elastic2023.lemma_7.displays import D, E, G, N, P, S, e, mu, sigma
from verify.elastic2023.lemma_7.displays import mean_square as A

GAP = "(f_x - f_xs)"
#: What the letters of the displays stand for.
NAMES: Mapping[sp.Basic, str] = {
    D: GAP,
    E: "sq(later - x)",
    P: "sq(x - xs)",
    S: "size",
    N: "count",
    displays.E_taken: "sq(y - x)",
    displays.squared_gradient: "sq(mean(g_x, k))",
    displays.mean_square: "sq(g_x)",
    displays.H: "sq(H)",
    displays.X: "sq(X)",
}
#: Letters of the cohort and of all clients; one client is a case of its own.
COUNTS = {"size": "S", "count": "N"}
SCHEMES = {"cohorts of at least two clients": False, "all clients": True}
_TOP = "1/(8*(1 + B**2)*beta)"
_NOISE = "(w - mean(w, xi))"


class DeclaredRound:
    """A derivation with a round declared, and its average over everything that is drawn."""

    def __init__(
        self,
        title: str,
        *,
        everyone: bool,
        long: bool = False,
        top: str | None = _TOP,
        independent: bool = True,
        near: str = "1",
    ) -> None:
        d = self.d = Derivation(f"Elastic aggregation, {title}")
        self.over = "k j xi" if everyone else "k S j xi"
        self.everyone, self.near = everyone, near
        self.share = "0" if everyone else "((count - size)/(size*(count - 1)))"
        self.others = "1" if everyone else "(count*(size - 1)/(size*(count - 1)))"
        for axis, kind in (("k", "clients"), ("S", "cohort"), ("j", "steps"), ("xi", "noise")):
            if axis in self.over:
                d.axis(axis, kind)
        declare(d, "beta > 0; 0 <= mu <= beta")
        for name, low in (("G", 0), ("B", 1), ("sigma", 0), ("K", 1), ("count", 1 if everyone else 2)):
            d.parameter(name, low)
        if everyone:
            d.let("size", "count")
        else:
            d.parameter("size", 1, "count")
        if long:
            d.parameter("r", 0, "1/(16*(1 + B**2)*K)" if top else None, low_open=True)
        d.parameter("e", "2*K*r/beta" if long else 0, top)
        declare(d, "function f over k; x, xs over nothing; y, later over k j xi; f at x; f at xs, mean 0 over k")
        declare(d, "f at y; h over k xi = mean(g_y, j); w over k xi, mean mean(h, xi) over xi")
        d.vector("end", "k xi", equals="x - e/r*w" if long else None)
        if everyone:
            d.vector("M", "xi", equals="mean(w, k)")
        else:
            d.cohort("M", "w", "k", "S", "without replacement", "size", "count")
        d.vector("x1", "xi" if everyone else "S xi", equals="x - e*M")
        suppose(d, "smooth", of="f", L="beta")
        suppose(d, "Lipschitz gradients", of="f", L="beta")
        suppose(d, "strongly convex", of="f", mu="mu")
        suppose(d, "bounded dissimilarity", of="f", G2="G**2", B2="B**2")
        d.vector("v", "k")
        d.hypothesis("a local run stays near the one without noise", f"{near}*sigma**2/K - sq(w - v)", over=["xi"])
        apart = f"count*sq(mean({_NOISE}, k)) - sq({_NOISE})"
        if independent:
            granted(d, "clients draw independently", fact="independent", form=apart, over=["k", "xi"], relation="=")
        shifted = "K*sq(later - x) - K*sq(y - x) - sq(end - x)"
        d.hypothesis(
            "the points after the steps lack the first, x, and have the end", shifted, ["k", "j", "xi"], relation="="
        )
        d.assume("near", "a local run stays near the one without noise")
        d.assume("shift", "the points after the steps lack the first, x, and have the end")

    def squared(self, vector: str) -> str:
        """E|the cohort's mean of a vector|^2, as an average over all clients."""
        return f"({self.share}*sq({vector}) + {self.others}*sq(mean({vector}, k)))"

    def squares(self, weight: str, vector: str) -> list[list[str]]:
        """``weight`` times that, as squares."""
        found = [[f"({weight})*{self.others}", f"mean({vector}, k)"]]
        return found if self.everyone else [*found, [f"({weight})*{self.share}", vector]]

    def cohort_of(self, name: str, of: str, axes: str) -> None:
        """The cohort's mean of another vector, and its second moment."""
        if self.everyone:
            self.d.vector(name, axes, equals=f"mean({of}, k)")
        else:
            self.d.cohort(name, of, "k", "S", "without replacement", "size", "count")
        facts, unfold = ({}, name) if self.everyone else ({name: "-1"}, "")
        target = f"{self.squared(of)} - sq({name})"
        self.d.combine(f"moment of {name}", target, over=self.over, facts=facts, unfold=unfold, relation="=")

    def moment_of_the_cohort(self) -> None:
        """E|M|^2 for w."""
        facts = {} if self.everyone else {"M": "-1"}
        unfold = "M" if self.everyone else ""
        target = f"{self.squared('w')} - sq(M)"
        self.d.combine("moment", target, over=self.over, facts=facts, unfold=unfold, relation="=")

    def noise_apart(self, factor: str = "1") -> None:
        """E|x1 - x|^2 <= e^2 E|cohort's mean of h|^2 + factor e^2 sigma^2/(K S)."""
        self.moment_of_the_cohort()
        ratio = f"(({factor})/({self.near}))"
        facts = {"moment": "e**2", "near": f"{ratio}*e**2/size", "independent": f"-e**2*{self.others}/count"}
        squares = [[f"({ratio} - 1)*e**2/size", _NOISE], [f"{ratio}*e**2/size", "mean(w, xi) - v"]]
        squares += self.squares("e**2", "(h - mean(h, xi))")
        target = f"e**2*{self.squared('h')} + {factor}*e**2*sigma**2/(K*size) - sq(x1 - x)"
        self.d.combine("noise apart", target, over=self.over, facts=facts, squares=squares, unfold="x1")

    def moved_by_the_end(self) -> None:
        """The same for long local steps, without the noise: a client's move, r w, is that of its end, which the drift counts."""
        self.moment_of_the_cohort()
        facts = {"moment": "e**2", "independent": f"-e**2*{self.others}/count"}
        squares = self.squares("e**2", "(h - mean(h, xi))")
        squares += [["e**2/size", "mean(w, xi)"]]
        target = f"e**2*{self.squared('h')} + r**2/size*sq(end - x) - sq(x1 - x)"
        self.d.combine("noise apart", target, over=self.over, facts=facts, squares=squares, unfold="x1 end")

    def gradients_apart(self) -> None:
        """E|cohort's mean of h|^2 <= 2 beta^2 E_taken + 2 E|cohort's mean of grad f_i(x)|^2."""
        d = self.d
        d.assume("Lipschitz", "Lipschitz gradients", ["x", "y"])
        squares = self.squares("1", "(h - 2*g_x)")
        squares += [["2", "g_y - g_x - mean(g_y - g_x, j)"]]
        if self.everyone:
            squares += [["2", "(h - g_x) - mean(h - g_x, k)"]]
        else:
            squares += [[f"2*(1 - {self.share})", "(h - g_x) - mean(h - g_x, k)"]]
        target = f"2*beta**2*sq(y - x) + 2*{self.squared('g_x')} - {self.squared('h')}"
        d.combine("gradients apart", target, over=self.over, facts={"Lipschitz": "2"}, squares=squares, unfold="h")

    def without_replacement(self, first: str = "2", drawn: str = "(1 - size/count)*4/size") -> None:
        """2 E|cohort's mean of grad f_i(x)|^2 <= first |grad f(x)|^2 + drawn times the mean of |grad f_i(x)|^2."""
        squares = [[f"{first} - 2 + {drawn}", "mean(g_x, k)"]]
        if not self.everyone:
            squares.append([f"{drawn} - 2*{self.share}", "g_x - mean(g_x, k)"])
        elif self.d.state.rational(drawn):
            squares.append([drawn, "g_x - mean(g_x, k)"])
        target = f"{first}*sq(mean(g_x, k)) + {drawn}*sq(g_x) - 2*{self.squared('g_x')}"
        self.d.combine("without replacement", target, over=self.over, squares=squares)

    def products(self, share: str = "1/4") -> None:
        """Lemma 5 for every client, at its own points."""
        d = self.d
        d.assume("A4 from y", "smooth", ["y", "x"])
        d.assume("A2 from y", "strongly convex", ["y", "xs"])
        target = f"dot(g_y, x - xs) - {GAP} - {share}*mu*sq(x - xs) + beta*sq(y - x)"
        squares = [["mu/4", "xs - y + x - y"], ["(beta - mu)/2", "x - y"], [f"(1/4 - {share})*mu", "x - xs"]]
        d.combine("Lemma 5", target, facts={"A4 from y": "1", "A2 from y": "1"}, squares=squares)


def near_the_optimum(d: Derivation) -> None:
    """|grad f(x)|^2 and the mean of |grad f_i(x)|^2 in terms of the gap."""
    declare(d, "below over k = x - (g_x - g_xs)/beta; f at below")
    d.assume("A4 at x", "smooth", ["x", "below"])
    d.assume("A2 at x*", "strongly convex", ["xs", "below"])
    squares = [["1/(2*beta)", "g_x - g_xs - mean(g_x, k)"], ["mu/2", "below - xs"]]
    facts = {"A4 at x": "1", "A2 at x*": "1"}
    target = f"{GAP} - sq(mean(g_x, k))/(2*beta)"
    d.combine("squared gradient", target, over="k", facts=facts, squares=squares, unfold="below")
    d.assume("A1", "bounded dissimilarity", ["x"])
    facts = {"A1": "1", "squared gradient": "2*beta*B**2"}
    d.combine("A1 relaxed", f"G**2 + 2*beta*B**2*{GAP} - sq(g_x)", over="k", facts=facts)


def right_side(bound: Bound, *, everyone: bool) -> str:
    """The right side of a bound; where all clients take part the cohort has as many as there are."""
    return text_of(bound.expression.subs(S, N) if everyone else bound.expression, NAMES)


def lemma_7(
    bound: Bound, *, everyone: bool, long: bool = False, top: str | None = _TOP, independent: bool = True
) -> Mapping[str, JSON]:
    """Lemma 7 from the distance of a local run from one without noise; for ``long`` local steps, eta_l >= 2/beta, by their drift.

    What the constants have beyond those of the proof goes to squares and to numbers.
    """
    one = DeclaredRound(
        f"Lemma 7{', long local steps' if long else ''}", everyone=everyone, long=long, top=top, independent=independent
    )
    d, given = one.d, sp.expand(bound.expression.subs(S, N) if everyone else bound.expression)
    terms = (D, E, displays.E_taken, sigma**2, G**2)
    gap, drift, taken, noise, drawn = (text_of(sp.factor(given.coeff(term)), NAMES) for term in terms)
    spent = f"4*e**2*beta + ({drawn})*2*beta*B**2"
    if long:
        one.moved_by_the_end()
    else:
        one.noise_apart()
    one.gradients_apart()
    one.without_replacement(drawn=text_of(sp.cancel(given.coeff(G**2) / e**2), NAMES))
    near_the_optimum(d)
    one.products()
    d.combine("noise", f"({noise} - {0 if long else 'e**2/(K*size)'})*sigma**2")
    over = one.over
    d.combine(
        "product", "dot(M, x - xs) - dot(g_y, x - xs)", over=over, relation="=", unfold="M h" if everyone else "h"
    )
    facts = {
        **{
            "noise apart": "1",
            "gradients apart": "e**2",
            "without replacement": "e**2",
            "Lemma 5": "2*e",
            "noise": "1",
        },
        **{"squared gradient": f"{gap} + 2*e + 4*e**2*beta - ({spent})", "A1 relaxed": drawn},
        **{"shift": f"({drift})/K", "product": "2*e"},
    }
    squares = [
        [f"({gap} + 2*e - ({spent}))/(2*beta)", "mean(g_x, k)"],
        [f"{drift} + {taken} - 2*beta*e - 2*e**2*beta**2", "y - x"],
        [f"({drift})/K - {'r**2/size' if long else '0'}", "end - x"],
        [text_of(sp.cancel(given.coeff(P) - 1 + mu * e / 2)), "x - xs"],
    ]
    target = f"{right_side(bound, everyone=everyone)} - sq(x1 - xs)"
    d.combine("Lemma 7", target, over=over, facts=facts, squares=squares, unfold="x1")
    return supposing_no_more(bound, d.concluding("Lemma 7"), cases=("count", "B"), also=("B",), names=COUNTS)


def display(
    name: str, bound: Bound, *, everyone: bool, independent: bool = True, near: str = "1"
) -> Mapping[str, JSON]:
    """A display of the proof by its name, for cohorts or for all clients, and for every e >= 0."""
    one = DeclaredRound(f"proof of Lemma 7, {name}", everyone=everyone, top=None, independent=independent, near=near)
    d, over, right = one.d, one.over, right_side(bound, everyone=everyone)
    given = sp.expand(bound.expression.subs(S, N) if everyone else bound.expression)
    of = lambda term: text_of(sp.factor(given.coeff(term)), NAMES)  # noqa: E731
    if name == "noise apart":
        one.noise_apart(text_of(sp.cancel(given.coeff(sigma**2) * displays.K * (N if everyone else S) / e**2), NAMES))
        one.cohort_of("H", "h", "xi")
        facts = {"noise apart": "1", "moment of H": f"-({of(displays.H)})"}
        squares = one.squares(f"{of(displays.H)} - e**2", "h")
        d.combine("the display", f"{right} - sq(x1 - x)", over=over, facts=facts, squares=squares)
    elif name == "products":
        one.products()
        drift = of(E)
        squares = [[f"{drift} - 2*beta*e", "y - x"], [f"({drift})/K", "end - x"], [f"{of(P)} + mu*e/2", "x - xs"]]
        facts = {"Lemma 5": f"-({of(D)})", "shift": f"({drift})/K"}
        target = f"{right} - 2*e*dot(g_y, xs - x)"
        d.combine("the display", target, over="k j xi", facts=facts, squares=squares)
    elif name == "gradients apart":
        one.gradients_apart()
        one.cohort_of("H", "h", "xi")
        one.cohort_of("X", "g_x", "")
        facts = {"gradients apart": "e**2", "moment of H": "e**2", "moment of X": f"-({of(displays.X)})"}
        squares = [[f"{of(displays.E_taken)} - 2*e**2*beta**2", "y - x"]]
        squares += one.squares(f"{of(displays.X)} - 2*e**2", "g_x")
        d.combine("the display", f"{right} - e**2*sq(H)", over=over, facts=facts, squares=squares)
    elif name == "without replacement":
        first, drawn = (text_of(sp.cancel(given.coeff(t) / e**2), NAMES) for t in (displays.squared_gradient, A))
        one.without_replacement(first, drawn)
        one.cohort_of("X", "g_x", "")
        facts = {"without replacement": "e**2", "moment of X": "2*e**2"}
        d.combine("the display", f"{right} - 2*e**2*sq(X)", over=over, facts=facts)
    else:
        one.gradients_apart()
        drawn = of(G**2)
        one.without_replacement(drawn=text_of(sp.cancel(given.coeff(G**2) / e**2), NAMES))
        near_the_optimum(d)
        one.cohort_of("H", "h", "xi")
        spent, drift = f"4*e**2*beta + ({drawn})*2*beta*B**2", of(E)
        facts = {"gradients apart": "e**2", "without replacement": "e**2", "moment of H": "e**2", "A1 relaxed": drawn}
        facts |= {"squared gradient": f"{of(D)} + 4*e**2*beta - ({spent})", "shift": f"({drift})/K"}
        squares = [[f"({of(D)} - ({spent}))/(2*beta)", "mean(g_x, k)"]]
        squares += [[f"{drift} - 2*e**2*beta**2", "y - x"], [f"({drift})/K", "end - x"]]
        d.combine("the display", f"{right} - e**2*sq(H)", over=over, facts=facts, squares=squares)
    return supposing_no_more(bound, d.concluding("the display"), cases=("count", "B"), also=("B",), names=COUNTS)


def expansion(factor: str = "2", rate: str = "1", *, everyone: bool, sampled: bool = False) -> Mapping[str, JSON]:
    """The expected update, along any vector u that is known before the round, and the square of the distance after it.

    ``rate`` multiplies the step there; ``sampled``: the model moves by what a factor that varies with the clients makes of it.
    """
    one = DeclaredRound("proof of Lemma 7, expansion", everyone=everyone, top=None)
    d, over = one.d, one.over
    unfold = "x1 M h" if everyone else "x1 h"
    d.vector("u")
    step = "dot(u, x1 - x)"
    if sampled:
        d.parameter("own", 0, varies=["k"])
        step = "-e*own*dot(u, w)"
        unfold = "h"
    d.combine("expected update", f"{step} + {rate}*e*dot(u, g_y)", over=over, relation="=", unfold=unfold)
    if rate != "1":
        return d.concluding("expected update")
    d.combine("inner", "dot(M, x - xs) - dot(g_y, x - xs)", over=over, relation="=", unfold=unfold.replace("x1 ", ""))
    target = f"sq(x1 - xs) - (sq(x - xs) - {factor}*e*dot(g_y, x - xs) + e**2*sq(M))"
    d.combine("expansion", target, over=over, facts={"inner": "-2*e"}, unfold="x1", relation="=")
    return d.concluding("expected update", "expansion")
