"""Lemmas 1 and 2 of the elastic aggregation supplement: sums along a sequence d_0, ..., d_{R+1} >= 0, by telescoping.

A nonnegative number d_r is a squared length; Psi is the mean of the terms (Lemma 2), or theirs over that of the weights (Lemma 1).
"""

from collections.abc import Mapping

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.evidence.things import declare, granted
from fltheory.evidence.valued import valued
from fltheory.kinds import JSON
from verify.elastic2023 import tuned_values


def sequence(title: str, *, nonnegative: bool = True) -> Derivation:
    """d at r - 1 and at r, of which nothing is known, or which are squared lengths."""
    d = Derivation(f"Elastic aggregation, {title}")
    declare(d, "axes t; R >= 0; value psi over t")
    if nonnegative:
        declare(d, "v, v1 over t")
    else:
        declare(d, "value e, e1 over t")
    d.next("v" if nonnegative else "e", "v1" if nonnegative else "e1")
    return d


def telescoped(d: Derivation, kept: str, weight: str, after: str, noise: str, step: str) -> None:
    """``summed``: the mean of psi = (kept d - after d_next)/step + noise over r = 1..R+1, where kept d is D = weight d."""
    nonnegative = "v" in d.state.vectors
    now, later = ("sq(v)", "sq(v1)") if nonnegative else ("e", "e1")
    d.define("D", f"{weight}*{now}", [], "t", "D_next", [], first="D_0", last="D_last")
    d.hypothesis("terms of the sum", f"psi - (({kept})*{now} - ({after})*{later})/({step}) - ({noise})", relation="=")
    d.assume("a term", "terms of the sum")
    facts = {"a term": "1", "D": f"-1/({step})", "D_next": f"1/({step})"}
    d.combine("in numbers", f"psi - (D - D_next)/({step}) - ({noise})", facts=facts, relation="=")
    d.telescope("summed", "in numbers", ["D"], "R + 1")
    if nonnegative:
        d.combine("a square", "D_next", facts={"D_next": "1"}, squares=[[after, "v1"]])
        d.end("last", "a square", ["D"], last=True)


def unrolled(d: Derivation, noise: str, step: str) -> None:
    """Lemma 2's sum: mean of psi <= d_0/(step (R + 1)) + noise."""
    telescoped(d, "1", "1", "1", noise, step)
    facts = {"summed": "-1", "last": f"1/(({step})*(R + 1))"}
    d.combine("unrolled", f"D_0/(({step})*(R + 1)) + {noise} - mean(psi, t)", over="t", facts=facts)


def lemma_2_unrolled(coefficient: str, *, nonnegative: bool = True) -> Mapping[str, JSON]:
    """Psi_R <= coefficient d_0/(eta (R+1)) + c_1 eta + c_2 eta^2."""
    d = sequence("proof of Lemma 2, first display", nonnegative=nonnegative)
    declare(d, "eta > 0; c_1, c_2 >= 0")
    unrolled(d, "(c_1*eta + c_2*eta**2)", "eta")
    if nonnegative:
        d.combine("a first square", "D", facts={"D": "1"}, squares=[["1", "v"]])
        d.end("first", "a first square", ["D"])
    target = f"({coefficient})*D_0/(eta*(R + 1)) + c_1*eta + c_2*eta**2 - mean(psi, t)"
    facts = {"unrolled": "1", "first": f"({coefficient} - 1)/(eta*(R + 1))"}
    d.combine("the display", target, over="t", facts=facts)
    return d.concluding("the display")


def lemma_2(first: str, second: str, third: str, share: str, *, sharp: bool) -> Mapping[str, JSON]:
    """Psi_R <= right, in roots: eta_max = 1/m, z^6 is a ``share`` of at least d_0/(R + 1), c_1 = x^2.

    ``sharp``: c_2 = u^3/2, the step 1/eta = m + x/z^3 + u/z^2, and third is a multiple of 3/2 u z^4; else c_2 = u^3,
    1/eta = m + x/z^3 + 5u/(4 z^2), and third is one of u z^4.
    """
    d = sequence("Lemma 2")
    for name, is_open in (("m", True), ("z", True), ("x", False), ("u", False)):
        d.parameter(name, 0, low_open=is_open)
    part, noise, last = ("u", "u**3/2", "3/2") if sharp else ("5/4*u", "u**3", "1")
    d.parameter("d_0", 0, "z**6*(R + 1)")
    roots = {"c_1": "x**2", "c_2": noise}
    for name, root in roots.items():
        d.parameter(name, 0)
        granted(d, f"{name} = {root}", fact=name, form=f"{name} - ({root})", relation="=")
    total = f"{first}*z**6*m + {second}*z**3*x + {third}*{last}*z**4*u"
    d.parameter("right", total)
    d.let("step", f"1/(m + x/z**3 + {part}/z**2)")
    unrolled(d, "(c_1*step + c_2*step**2)", "step")
    granted(d, "start", name="start", D1="d_0", Delta_1="D_0")
    d.combine("step allowed", "1/m - step")
    d.combine("room", "z**6/step - d_0/(step*(R + 1))")
    facts = {"unrolled": "1", "start": "1/(step*(R + 1))", "room": "1", "c_1": "-step", "c_2": "-step**2"}
    d.combine("Lemma 2", "right - mean(psi, t)", over="t", facts=facts)
    scale = "2" if sharp else "1"
    values = {"z": f"{share}**(1/6)", "m": "1/eta_max", "x": "c_1**(1/2)", "u": f"({scale}*c_2)**(1/3)"}
    values |= {name: name for name in ("d_0", *roots)}
    values["right"] = tuned_values.lemma_2_text(first, second, third, share, sharp=sharp)
    stated = tuned_values.of_roots(total, values, share)
    return valued(d.concluding("step allowed", "Lemma 2"), values, stated)


def weighted(title: str, rate: str = "1", *, nonnegative: bool = True, share: str = "") -> Derivation:
    """Lemma 1's sum: w is w_{r-1}, w_0 = 1 - q, w_r = w_{r-1}/(1 - rate q) with q = mu eta, ``weight`` is w_r as a value."""
    d = sequence(title, nonnegative=nonnegative)
    if share:
        d.let("q", share)
    else:
        d.parameter("q", 0, 1, low_open=True, high_open=True)
    for name in ("eta", "c", "d0"):
        d.parameter(name, 0, low_open=name == "eta")
    after = f"w/(1 - {rate}*q)"
    declare(d, f"w > 0 over t, first 1 - q, next {after}; value weight over t")
    d.hypothesis("the weights", f"weight - {after}", relation="=")
    telescoped(d, f"{after}*(1 - q)", "w", after, "c*eta*weight", "eta")
    total_weight(d)
    return d


def total_weight(d: Derivation) -> None:
    """W is the sum of the weights."""
    d.parameter("W", 0, low_open=True)
    granted(d, "W is the sum of the weights", fact="total weight", form="W - (R + 1)*mean(weight, t)", relation="=")


#: Psi_R: the sum of the terms over that of the weights.
PSI = "(R + 1)/W*mean(psi, t)"


def over_the_weights(d: Derivation, name: str, fact: str, right: str, noise: str = "0") -> None:
    """``right + noise - Psi_R >= 0`` from this times W/(R + 1), where the noise has the mean weight as a factor."""
    facts = {fact: "(R + 1)/W", "total weight": f"({noise})/W"}
    d.combine(name, f"{right} + {noise} - {PSI}", over="t", facts=facts)


def weights_of_lemma_1(rate: str) -> Mapping[str, JSON]:
    """w_r (1 - q) = w_{r-1}, and Psi_R is the sum of the differences and of the noise, over that of the weights."""
    d = weighted("proof of Lemma 1, weights", rate)
    d.combine("weights", f"w/(1 - {rate}*q)*(1 - q) - w", relation="=")
    target = f"{PSI} - (R + 1)/(eta*W)*mean(D - D_next, t) - c*eta/W*(R + 1)*mean(weight, t)"
    d.combine("the display", target, over="t", facts={"in numbers": "(R + 1)/W"}, relation="=")
    return d.concluding("weights", "the display")


def display_of_lemma_1(d: Derivation) -> None:
    """What the proof of Lemma 1 has of the sum and of the weights: ``first`` bounds w_0 d_0 and the mean weight is positive."""
    granted(d, "start", fact="first", D1="(1 - q)*d0", Delta_1="D_0")
    d.assume("weight", "the weights")
    d.combine("weights are positive", "weight", facts={"weight": "1"})
    d.combine("mean weight", "mean(weight, t)", over="t", facts={"weights are positive": "1"})


def lemma_1_telescoped(coefficient: str, noise: str, stated: str, *, nonnegative: bool = True) -> Mapping[str, JSON]:
    """Psi_R <= coefficient d_0/(eta W_R) + noise c eta."""
    d = weighted("proof of Lemma 1, first display", nonnegative=nonnegative)
    display_of_lemma_1(d)
    share = "1/(eta*(R + 1))"
    d.combine("room", f"({coefficient} - (1 - q))*d0*{share}")
    target = f"{coefficient}*d0*{share} + {noise}*c*eta*mean(weight, t) - mean(psi, t)"
    facts = {"summed": "-1", "last": share, "first": share, "room": "1", "mean weight": f"({noise} - 1)*c*eta"}
    d.combine("times the weights", target, over="t", facts=facts)
    over_the_weights(d, "the display", "times the weights", f"{coefficient}*d0/(eta*W)", f"{noise}*c*eta")
    d.combine("as stated", f"{stated} - {PSI}", over="t", facts={"the display": "1"})
    return d.concluding("as stated")


def geometric(title: str, top: str, share: str = "", **more: tuple[str, str | None]) -> Derivation:
    """Lemma 1's sum with W_R = (1/P - (1 - q))/q, where 1/P = w_{R+1} is the last weight, so that P = (1 - q)^R <= ``top``.

    ``more``: ranges of further parameters, in which the ends may be written.
    """
    d = weighted(title, share=share)
    for name, (low, high) in more.items():
        d.parameter(name, low, high, low_open=low == "0")
    closed_form(d, top)
    return d


def closed_form(d: Derivation, top: str) -> None:
    """W_R = (1/P - (1 - q))/q for the weights w/(1 - q) that begin at w = 1 - q, P = (1 - q)^R at most ``top``."""
    d.parameter("P", 0, top, low_open=True)
    declare(d, "value cum, cum1 over t; next cum = cum1")
    suppose(d, "so many in a round", name="sums of the weights", later="cum1", earlier="cum", number="weight")
    d.assume("one weight more", "sums of the weights")
    d.define("A", "cum", [], "t", "A_next", [], first="A_0", last="A_R")
    d.value("own", "t")  # w as a value; the one after it is ``weight``
    d.next("own", "weight")
    granted(d, "the weight before", fact="own weight", form="own - w", relation="=")
    d.define("power", "own", [], "t", "power_next", [], first="power_0", last="power_R")
    suppose(d, "empty sum", name="no weight yet", first="A_0")
    d.hypothesis("first power", "power_0 - (1 - q)", relation="=")
    d.hypothesis("P = (1 - q)**R", "P*power_R - 1", relation="=")
    for name in ("no weight yet", "first power", "P = (1 - q)**R"):
        d.assume(name, name)
    display_of_lemma_1(d)
    facts = {"one weight more": "1", "A": "-1", "A_next": "1"}
    d.combine("weights in numbers", "A_next - A - weight", facts=facts, relation="=")
    facts = {"weights in numbers": "q", "weight": "q - 1", "power": "1", "power_next": "-1", "own weight": "1"}
    d.combine("powers in numbers", "q*A_next - q*A - power_next + power", facts=facts, relation="=")
    d.telescope("all weights", "weights in numbers", ["A"], "R + 1")
    d.telescope("all powers", "powers in numbers", ["A", "power"], "R + 1")
    facts = {"all powers": "R + 1", "no weight yet": "q", "first power": "-1"}
    d.combine("sum of the weights", "q*A_R - power_R + 1 - q", over="t", facts=facts, relation="=")
    d.combine("a positive power", "power_next", facts={"power_next": "1", "weight": "1"})
    d.end("last power", "a positive power", ["power"], last=True)


def sum_of_weights(constant: str, less: str = "1 - q", stated: str = "") -> Mapping[str, JSON]:
    """q W_R = 1/P - less (at least that for other values), and it is at least constant/P for P <= h.

    h is exp(-1/2) <= 2/3, and P = (1 - q)^R is at most that if R q >= 1/2.
    """
    d = geometric("proof of Lemma 1, sum of the weights", "h", h=("0", "2/3"))
    relation = "=" if less == "1 - q" else ">="
    facts = {"total weight": "q", "all weights": "-q*(R + 1)", "sum of the weights": "1", "no weight yet": "-q"}
    facts |= {"P = (1 - q)**R": "1/P"}
    d.combine("closed form", f"q*W - 1/P + {less}", over="t", facts=facts, relation=relation)
    d.combine("lower bound", f"q*W - ({constant})/P", over="t", facts=facts)
    if stated:
        d.combine("as stated", f"eta*W - {stated}", over="t", facts={"lower bound": "eta/q"})
        return d.concluding("as stated")
    if less != "1 - q":
        return d.concluding("closed form", "lower bound")
    sum_of_powers(d)
    facts = {"closed form": "eta/q", "powers summed": "-eta/(q*P)"}
    d.combine("the sum in reverse", "eta*W - eta/P*Z", over="t", facts=facts, relation="=")
    facts = {"powers summed": "eta/(q*P)"}
    d.combine("its closed form", "eta/P*Z - eta/(q*P)*(1 - (1 - q)*P)", over="t", facts=facts, relation="=")
    room = f"eta/(q*P)*(1 - (1 - q)*P) - {constant}*eta/(q*P)"
    d.combine("its lower bound", room)
    return d.concluding("the sum in reverse", "its closed form", "its lower bound")


def sum_of_powers(d: Derivation) -> None:
    """``powers summed``: q Z = 1 - (1 - q) P for Z, the sum of (1 - q)^r over r = 0..R, of which (1 - q) P is the next power."""
    d.parameter("z", 0, low_open=True, varies="t", next="z*(1 - q)", first="1")
    d.value("own_z", "t")  # z as a value, and the one after it
    declare(d, "value after_z over t; next own_z = after_z")
    d.hypothesis("a power", "own_z - z", relation="=")
    d.hypothesis("the next power", "after_z - (1 - q)*z", relation="=")
    d.define("Q", "own_z", [], "t", "Q_next", [], first="Q_0", last="Q_R")
    d.hypothesis("the first power is 1", "Q_0 - 1", relation="=")
    d.hypothesis("the last power is (1 - q)*P", "Q_R - (1 - q)*P", relation="=")
    d.parameter("Z", 0, low_open=True)
    d.hypothesis("Z is the sum of the powers", "Z - (R + 1)*mean(own_z, t)", relation="=")
    known = (
        "a power",
        "the next power",
        "the first power is 1",
        "the last power is (1 - q)*P",
        "Z is the sum of the powers",
    )
    for name in known:
        d.assume(name, name)
    facts = {"a power": "q - 1", "the next power": "1", "Q": "-1", "Q_next": "1"}
    d.combine("a power in numbers", "q*own_z - Q + Q_next", facts=facts, relation="=")
    d.telescope("all powers of 1 - q", "a power in numbers", ["Q"], "R + 1")
    facts = {"Z is the sum of the powers": "q", "all powers of 1 - q": "R + 1", "the first power is 1": "1"}
    facts["the last power is (1 - q)*P"] = "-1"
    d.combine("powers summed", "q*Z - 1 + (1 - q)*P", over="t", facts=facts, relation="=")


def with_the_power(d: Derivation, constant: str, noise: str = "1") -> None:
    """``with the power``: Psi_R <= constant mu d_0 P + noise c eta, where P is so small that constant (1 - P) >= 1."""
    share, weight = "1/(eta*(R + 1))", f"{constant}*q/eta*d0"
    d.combine("room", f"({constant}*(1 - P*(1 - q)) - (1 - q))*d0*{share}")
    facts = {"summed": "-1", "last": share, "first": share, "room": "1", "mean weight": f"({noise} - 1)*c*eta"}
    facts |= {"all weights": f"-{weight}*P", "no weight yet": f"-{weight}*P/(R + 1)"}
    facts |= {"sum of the weights": f"{constant}*d0*P*{share}", "P = (1 - q)**R": f"{constant}*d0*{share}"}
    target = f"{weight}*P*mean(weight, t) + {noise}*c*eta*mean(weight, t) - mean(psi, t)"
    d.combine("times the weights", target, over="t", facts=facts)
    over_the_weights(d, "with the power", "times the weights", "0", f"{weight}*P + {noise}*c*eta")


def before_tuning(
    constant: str,
    noise: str = "1",
    *,
    top: str = "h",
    share: str = "",
    enough: bool = True,
    stated: str = "",
    **more: tuple[str, str | None],
) -> Mapping[str, JSON]:
    """Psi_R <= constant mu d_0 X + noise c eta: P <= X and, if R q >= 1/2 (``enough``), P <= ``top``.

    X is exp(-R q), and h = exp(-1/2) <= 2/3.
    """
    d = geometric("proof of Lemma 1, before tuning", top if enough else "1", share, **{"h": ("0", "2/3"), **more})
    d.parameter("X", "P")
    with_the_power(d, constant, noise)
    weight = f"{constant}*q/eta*d0"
    d.combine("power and exp", f"{weight}*X + {noise}*c*eta - ({weight}*P + {noise}*c*eta)")
    d.combine("with exp", f"{weight}*X + {noise}*c*eta - {PSI}", over="t", facts={"with the power": "1"})
    if stated:
        d.combine("as stated", f"{stated} - {PSI}", over="t", facts={"with exp": "1"})
        return d.concluding("as stated")
    return d.concluding("with the power", "power and exp", "with exp")


def at_least(claimed: str, size: str) -> Mapping[str, JSON]:
    """If d_{R+1} = 0, Psi_R is at least ``low`` <= a (1-q) P + R q in the unit c/(mu R), and mu d_0 = a unit: at these values."""
    d = geometric("Lemma 1, lower bound", "1", a=("0", None), unit=("0", None))
    d.parameter("low", 0, "a*(1 - q)*P + R*q", low_open=True)
    suppose(d, "empty sum", name="the last term is 0", first="D_last")
    suppose(d, "value at the start", name="first term", first="D_0", value="(1 - q)*d0")
    d.hypothesis("mu d_0 = a unit", "q*d0 - a*unit*eta", relation="=")
    d.hypothesis("unit = c*eta/(q*R)", "q*R*unit - c*eta", relation="=")
    for name in ("the last term is 0", "first term", "mu d_0 = a unit", "unit = c*eta/(q*R)"):
        d.assume(name, name)
    share = "1/(eta*W)"
    facts = {"summed": "(R + 1)/W", "total weight": "-c*eta/W", "the last term is 0": f"-{share}", "first term": share}
    d.combine("in closed form", f"{PSI} - (1 - q)*d0*{share} - c*eta", over="t", facts=facts, relation="=")
    facts = {"total weight": "-q", "all weights": "q*(R + 1)", "sum of the weights": "-1", "no weight yet": "q"}
    d.combine("few weights", "1/P - q*W", over="t", facts={**facts, "P = (1 - q)**R": "-1/P"})
    facts = {"in closed form": "1", "few weights": "(1 - q)*a*unit*P/(q*W)", "mu d_0 = a unit": f"(1 - q)/q*{share}"}
    d.combine("lower bound", f"{PSI} - low*unit", over="t", facts={**facts, "unit = c*eta/(q*R)": "-1"})
    values = {"P": "(1 - q)**R", "a": size, "unit": "c/(mu*R)", "low": claimed}
    return valued(
        d.concluding("lower bound"), *tuned_values.in_mu_and_eta(values, tuned_values.a_large_start(claimed, size))
    )


def logarithmic_step(floor: str, constant: str) -> Mapping[str, JSON]:
    """eta = log(b)/(mu R), b >= floor at least a = mu^2 R d_0/c, P <= 1/b: Psi_R <= constant c/(mu R) + c eta.

    ``unit`` is c/(mu R), so that a is d_0 q/(eta unit), with q/eta = mu, and c eta is unit log(b).
    """
    d = geometric("proof of Lemma 1, second case", "1/b", b=(floor, None), unit=("0", None))
    d.parameter("a", 0, "b")
    granted(d, "a = d0*q/(eta*unit)", fact="size", form="a - d0*q/(eta*unit)", relation="=")
    share, part = "1/(eta*(R + 1))", "b/(b - 1)*P"
    weight = f"{part}*a*unit"
    d.combine("room", "(b/(b - 1)*(1 - P*(1 - q)) - (1 - q))*a*unit/(q*(R + 1))")
    facts = {"summed": "-1", "last": share, "first": share, "room": "1", "size": f"(1 - q)*{share}*unit*eta/q"}
    facts |= {"all weights": f"-{weight}", "no weight yet": f"-{weight}/(R + 1)"}
    facts |= {"sum of the weights": f"{weight}/(q*(R + 1))", "P = (1 - q)**R": "b/(b - 1)*a*unit/(q*(R + 1))"}
    facts["mean weight"] = f"({constant} - {part}*a)*unit"
    target = f"({constant}*unit + c*eta)*mean(weight, t) - mean(psi, t)"
    d.combine("times the weights", target, over="t", facts=facts)
    over_the_weights(d, "the bound", "times the weights", "0", f"({constant}*unit + c*eta)")
    return d.concluding("the bound")


def tuned(first: str, right: str, *, floor: str, least: str = "1/2") -> Mapping[str, JSON]:
    """Psi_R <= right for the step eta = (1 - exp(-s/R))/mu, s the smaller one of mu eta_max R and the logarithm: P = exp(-s).

    mu d_0 K bounds the first term: K = ``first`` exp(-mu eta_max R) where s is mu eta_max R, else 2 over what the log is of.
    """
    d = geometric("Lemma 1", "K/(1 + K)", K=("0", None))
    d.parameter("right", "K*q/eta*d0 + c*eta")
    with_the_power(d, "K/P")
    d.combine("step", "right - (K*q/eta*d0 + c*eta)")
    d.combine("Lemma 1", f"right - {PSI}", over="t", facts={"with the power": "1", "step": "1"})
    return valued(d.concluding("Lemma 1"), *tuned_values.at_the_smaller(first, right, floor=floor, least=least))
