"""The strongly convex rate of elastic aggregation: the gaps of x^0, ..., x^R with the weights (1 - mu e/2)^(-r).

Letters: q = mu e/2, P = (1 - q)^R, c_1 and c_2 the noise in e^2 and in e^3.  The step is 2 s/(mu R), s the smaller one of
mu R/(16 (1 + B^2) beta), where ``short`` is 1, and log(b), b the larger one of 2 and mu^2 R D^2/(c_1 + c_2/(mu R)).
"""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.relations import Relations
from fltheory.evidence.things import declare, granted
from fltheory.evidence.valued import valued
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from verify.elastic2023 import rates
from verify.elastic2023.derivations.recursions import closed_form, total_weight
from verify.elastic2023.derivations.theorem_1 import (
    DECREASE,
    DRIFTED,
    GAP,
    LEVEL,
    a_round,
    all_of,
    convex_round,
    noise_in_full,
)

#: The weighted mean of the gaps.
MEASURED = "(R + 1)/W*mean(Gap, t)"
TOP = "top"
_IS_TOP = "16*(1 + B**2)*beta*top = mu*R"
LIMIT = "1/(8*(1 + B**2)*beta)"


def weighted(cohort: str, top: str, *, full: bool = False, **more: tuple[str, str | None]) -> Derivation:
    """The rounds with their weights, and the sum of the weights in closed form; D is w |x - x*|^2, Gap a weighted gap.

    ``full``: c_1 has variance and dissimilarity apart.
    """
    d = a_round("strongly convex rate", cohort, strongly=True)
    for name, (low, high) in more.items():
        d.parameter(name, low, high, low_open=low == "0")
    convex_round(d, cohort)
    declare(d, "f at x1; next f_x = f_x1; let q = mu*e/2; d0, R, c_1, c_2 >= 0")
    level = noise_in_full(cohort) if full else f"{LEVEL}*M2/(K*size)"
    for name, of in (("c_1", level), ("c_2", f"{DRIFTED}*beta*G**2")):
        granted(d, f"{name} = {of}", fact=name, form=f"{name} - {of}", relation="=")
    after, over = "w/(1 - q)", all_of(d)
    d.parameter("w", 0, low_open=True, varies="t", next=after, first="1 - q")
    d.value("weight", "t")
    granted(d, "the weights", fact="own weights", form=f"weight - {after}", relation="=")
    d.define("D", "w*sq(x - xs)", over="past", time="t", next="D_next", over_next=over, first="D_0", last="D_last")
    d.define("Gap", f"{after}*{GAP}", over="k past", time="t", next="Gap_next", over_next=over)
    noise = "(c_1*e + c_2*e**2)"
    facts = {
        "recursion in full" if full else "recursion": f"{after}/e",
        "D": "1/e",
        "D_next": "-1/e",
        "Gap": f"-({DECREASE})",
        "own weights": noise,
    }
    facts |= {"c_1": f"{after}*e", "c_2": f"{after}*e**2"}
    d.combine("in numbers", f"(D - D_next)/e + {noise}*weight - {DECREASE}*Gap", over=over, facts=facts)
    d.telescope("summed", "in numbers", ["D"], "R + 1")
    d.combine("a square", "D_next", over=over, facts={"D_next": "1"}, squares=[[after, "x1 - xs"]])
    d.end("last", "a square", ["D"], last=True)
    total_weight(d)
    closed_form(d, top)
    return d


def with_the_power(d: Derivation, constant: str) -> None:
    """7/5 times the weighted mean of the gaps is at most constant mu/2 D^2 P + c_1 e + c_2 e^2, as "with the power"."""
    share, weight, noise = "1/(e*(R + 1))", f"{constant}*q/e*d0", "(c_1*e + c_2*e**2)"
    over = f"{all_of(d)} t"
    d.combine("room", f"({constant}*(1 - P*(1 - q)) - (1 - q))*d0*{share}")
    facts = {"summed": "1", "last": share, "first": share, "room": "1"}
    facts |= {"all weights": f"-{weight}*P", "no weight yet": f"-{weight}*P/(R + 1)"}
    facts |= {"sum of the weights": f"{constant}*d0*P*{share}", "P = (1 - q)**R": f"{constant}*d0*{share}"}
    target = f"{weight}*P*mean(weight, t) + {noise}*mean(weight, t) - {DECREASE}*mean(Gap, t)"
    d.combine("times the weights", target, over=over, facts=facts)
    right = f"{weight}*P + {noise}"
    facts = {"times the weights": "(R + 1)/W", "total weight": f"({right})/W"}
    d.combine("with the power", f"{right} - {DECREASE}*{MEASURED}", over=over, facts=facts)


def before_tuning(bound: Bound, cohort: str) -> Mapping[str, JSON]:
    """The weighted mean of the gaps at a step of at least 1/(mu R), as a bound's own expression."""
    d = weighted(cohort, "half", full=True, half=("0", "2/3"))
    with_the_power(d, "1/(1 - half)")
    d.parameter("X", "P")
    expression = bound.expression.subs(
        {rates.p: 1 / sp.Symbol("root"), **({rates.N: rates.S} if cohort == "all" else {})}
    )
    (power,) = expression.atoms(sp.exp)
    step = sp.Symbol("step")  # e outside of the exponential
    plain = sp.expand(expression.subs(power, sp.Symbol("X")).subs(rates.e, step))
    names = {rates.D**2: "d0", rates.sigma**2: "V", rates.S: "size"}
    start, noise, drift = (text_of(plain.coeff(step, i), names) for i in range(3))
    each = f"1/({DECREASE})"
    level = noise_in_full(cohort)
    d.combine("start", f"{start} - {each}/(1 - half)*mu/2*d0*P")
    d.combine("noise", f"{noise} - {each}*{level}")
    d.combine("drift of the round", f"{drift} - {each}*{DRIFTED}*beta*G**2")
    facts = {"with the power": each, "c_1": f"-{each}*e", "c_2": f"-{each}*e**2"}
    facts |= {"start": "1", "noise": "e", "drift of the round": "e**2"}
    target = f"{start} + e*({noise}) + e**2*({drift}) - {MEASURED}"
    d.combine("the display", target, over=f"{all_of(d)} t", facts=facts)
    values = {"e": "2*r/mu", "P": "(1 - r)**R", "X": "exp(-r*R)", "half": "exp(-1/2)"}
    late = {"1 + (r*R - 1/2) <= exp(r*R - 1/2)": "exp(-r*R)", "2*r*R >= 1": "exp(-r*R)/2"}
    tangent = {"(1 - r)**R <= exp(-r*R)": "1"}
    text = f"2*r/mu > 0; 2*r/mu <= {LIMIT}; 0 < (1 - r)**R <= exp(-r*R); (1 - r)**R <= exp(-1/2); 0 < exp(-1/2) <= 2/3 "
    text += "for 0 < r < 1; R >= 1; mu > 0; B >= 1; beta >= mu; 2*r*R >= 1; 16*(1 + B**2)*beta*r <= mu"
    uses = {
        1: {"16*(1 + B**2)*beta*r <= mu": "1/(8*(1 + B**2)*beta*mu)"},
        3: tangent,
        4: {**tangent, **late},
        6: {"1 + 1/2 <= exp(1/2)": "2/3*exp(-1/2)"},
    }
    at = {"r": "1/32", "R": "16", "mu": "1", "B": "1", "beta": "1"}
    return valued(d.concluding("the display"), values, Relations(text, uses=uses, at=at))


def in_letters(bound: Bound) -> str:
    """The right side of a strongly convex rate in the letters of the derivation."""
    (power,) = bound.expression.atoms(sp.exp)
    names = {
        power: sp.exp(-sp.Symbol("top")),
        rates.D: sp.sqrt(sp.Symbol("d0", positive=True)),
        rates.C: sp.Symbol("F"),
    }
    names |= {rates.M: sp.sqrt(sp.Symbol("c_1", positive=True) * rates.K * rates.S / 4)}
    names |= {rates.G: sp.sqrt(sp.Rational(2, 9) * sp.Symbol("c_2", positive=True) / rates.beta)}
    return str(bound.expression.subs(names))


def tuned(bound: Bound, cohort: str) -> Mapping[str, JSON]:
    """The weighted mean of the gaps is at most the bound, in C, mu, D, c_1 or M, c_2 or G, R and b."""
    right = in_letters(bound)
    d = weighted(cohort, "Z/(1 + Z)", Z=("0", None))
    with_the_power(d, "Z/P")
    d.parameter("right", f"(Z*mu/2*d0 + c_1*e + c_2*e**2)/({DECREASE})")
    d.combine("rate", f"right - {MEASURED}", over=f"{all_of(d)} t", facts={"with the power": f"1/({DECREASE})"})
    return valued(
        d.concluding("rate"), *at_the_smaller(right, "F" if rates.C in bound.expression.free_symbols else "3")
    )


def at_the_smaller(right: str, first: str) -> tuple[dict[str, str], Relations]:
    """Values at the step, and that they lie in their ranges."""
    x, k = f"exp(-{TOP})", f"({first}*short*exp(-{TOP}) + 2*(1 - short)/b)"
    step, power = "2*s/(mu*R)", "(1 - s/R)**R"
    level = "(c_1 + c_2/(mu*R))"
    spare = f"{level}*b - mu**2*R*d0"
    constant, enough = f"{first}*(1 - exp(-1/2)) >= 1", "mu*R >= 8*(1 + B**2)*beta"
    falls, grows = f"{x} <= exp(-1/2)", "1/b <= 1/2"
    mixed, whole, left = f"s = short*{TOP} + (1 - short)*log(b)", "short*(1 - short) = 0", f"(1 - short)*({spare}) >= 0"
    given = ["F > 0", constant] if first == "F" else []
    claims = [
        *([] if given else [constant]),
        falls,
        grows,
        f"{step} > 0",
        f"{step} <= {LIMIT}",
        f"0 < {k}",
        f"0 < {power} <= {k}/(1 + {k})",
    ]
    claims.append(f"({k}*mu/2*d0 + c_1*({step}) + c_2*({step})**2)/({DECREASE}) <= {right}")
    square = f"{first}*{x}**2 + 2/b**2 - (2 + {first})*{x}/b"
    found: list[Mapping[str, str]] = [
        *([] if given else [{"1 + 1/2 <= exp(1/2)": f"{first}*2/3*exp(-1/2)"}]),
        {
            f"1 + ({TOP} - 1/2) <= exp({TOP} - 1/2)": x,
            enough: f"{x}/(16*(1 + B**2)*beta)",
            _IS_TOP: f"-{x}/(16*(1 + B**2)*beta)",
        },
        {},
        {},
        {f"s <= {TOP}": "2/(mu*R)", _IS_TOP: "1/(8*(1 + B**2)*beta*mu*R)"},
        {},
        {},
        {
            f"{power} <= exp(-s)": "1",
            f"1 + (s - {TOP}) <= exp(s - {TOP})": "short*exp(-s)",
            "1 + (s - log(b)) <= exp(s - log(b))": "(1 - short)*exp(-s)",
            mixed: "-exp(-s)",
            whole: f"-({square})/(1 + {k})",
            falls: f"{first}*short*{x}/(1 + {k})",
            constant: f"short*{x}/(1 + {k})",
            grows: f"2*(1 - short)/b/(1 + {k})",
        },
        {
            "s <= log(b)": f"(2*c_1/(mu*R) + 4*c_2*(s + log(b))/(mu*R)**2)/({DECREASE})",
            left: f"1/(b*mu*R)/({DECREASE})",
        },
    ]
    where = ["mu > 0", "beta >= mu", "B >= 1", "R >= 1", "c_1 >= 0", "c_2 >= 0", "d0 >= 0", "b >= 2", "0 < s < R"]
    where += ["0 <= short <= 1", "top > 0", _IS_TOP, *given, enough, f"s <= {TOP}", "s <= log(b)", mixed, whole, left]
    where += [f"{level}*({spare}) >= 0", f"{level}*(b - 2)*({spare}) = 0"]
    at = {
        "mu": "1",
        "beta": "1",
        "B": "1",
        "R": "16",
        "c_1": "1",
        "c_2": "0",
        "d0": "1/4",
        "b": "4",
        "s": "1/2",
        "short": "1",
        "top": "1/2",
    } | ({"F": "3"} if given else {})
    stated = Relations(f"{'; '.join(claims)} for {'; '.join(where)}", uses=dict(enumerate(found)), at=at)
    return {"e": step, "P": power, "Z": k, "right": right}, stated
