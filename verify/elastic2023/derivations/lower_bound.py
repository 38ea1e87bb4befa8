"""Lemma 9 and Theorem II of the elastic aggregation supplement: every round, for every sequence of step sizes.

``m`` is any number up to min(x^0, G/(mu R)), and ``level`` what x^r is at least, m/(1 + slope mu m r/G).  A round
is increasing in
x, and at the level the power P of q = 1 - 2 mu eta leaves enough whatever the step size is.  That is supposed
here, and proved for
every whole K >= 2 by the relations of :mod:`verify.elastic2023.lemma_9.powers`.
"""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.elastic2023.lower_bound import LEAST
from fltheory.theory.supposed import supposing_no_more

#: The derivations suppose it of P, the K-th power; certificates beside them prove it.
POWER = (
    "P is the power q^K of q = 1 - 2 mu eta, K whole: (1 + b) P + K (1 - q) - 1 >= b/(1 + K b/(2 (K - 1))) at "
    "the level b"
)
_AT_LEVEL = "(1 + b)*P + 2*K*mu*eta - 1 - b/(1 + K/(2*(K - 1))*b)"
#: The same from above, of a small s.
SQUARE = "P is the power (1 - s)^K, K whole: P <= 1 - K s + K (K - 1) s^2/2"


def _begun(title: str, start: str, level: str, local_steps: str = "2", rounds: str = "") -> Derivation:
    """Rounds r = 0, ..., R from x^0, for which ``start`` stands if it is m, with a level."""
    d = Derivation(f"Elastic aggregation, {title}")
    declare(d, "axes t; mu, G > 0")
    d.parameter("R", rounds or 0, low_open=not rounds)
    d.parameter("K", local_steps)
    if start == "m":
        declare(d, "0 < m <= G/(mu*R); x_0 >= m")
    else:
        d.parameter("x_0", 0, low_open=True)
    declare(d, f"0 <= r <= R over t, next r + 1; value x, x1 over t; next x = x1; let level = {level}")
    return d


def _least(d: Derivation, keep: str, facts: Mapping[str, str]) -> None:
    """``above the level``: x is at least the level in every round, by induction."""
    d.define("minus", "-x", [], "t", "minus_next", [], first="minus_first")
    granted(d, "the run starts at x^0", fact="start", form="x_0 + minus_first", relation="=")
    facts = {**facts, "minus_next": "-1", "minus": keep}
    d.induction("above the level", "minus", "-level", "r", keep, facts=facts, base={"start": "-1"})


def _ended(d: Derivation, bound: Bound, names: Mapping[sp.Basic, str]) -> Mapping[str, JSON]:
    """x - right >= 0, at every round, under no more than the bound states."""
    right = text_of(bound.expression, names)
    d.combine("the bound", f"x - ({right})", facts={"above the level": "1", "minus": "1"})
    return supposing_no_more(bound, d.concluding("the bound"))


def lemma_9(
    bound: Bound, largest: str = "1/(2*mu)", lowest: str = "0", *, any_start: bool = False
) -> Mapping[str, JSON]:
    """From (21), the sum in closed form: x >= right at every round r <= R, for steps up to ``largest`` and powers
    from ``lowest``.

    ``any_start``: the level begins at x^0 itself, and the right side may have the number r of the round.
    """
    start = "x_0" if any_start else "m"
    d = _begun("Lemma 9", start, f"{start}/(1 + 2*K/(K - 1)*mu*{start}*r/G)")
    d.parameter("eta", 0, largest, varies="t")
    d.parameter("P", lowest, 1, varies="t")
    d.let("b", "4*mu*level/G")
    granted(d, POWER, fact="the power at the level", form=_AT_LEVEL)
    recursion = "inequality (21): x^r >= x^(r-1) P + (G/2) (K eta - (1 - P)/(2 mu))"
    granted(d, recursion, fact="(21)", form="x1 - (x*P + G/2*(K*eta - (1 - P)/(2*mu)))")
    _least(d, "P", {"(21)": "1", "the power at the level": "G/(4*mu)"})
    return _ended(d, bound, {LEAST: "m"})


def theorem_2(bound: Bound, weight: str = "1/2", *, local_steps: str = "2") -> Mapping[str, JSON]:
    """From the round itself, with a weight a >= ``weight`` of the linear client: x >= right at every round r <= R.

    ``y`` is the level, chosen after what holds of every number: a larger weight leaves more, and equal weights enough.
    """
    d = _begun("Theorem II", "m", "m/(1 + K/(2*(K - 1))*mu*m*r/G)", local_steps)
    declare(d, "0 <= eta <= 1/mu over t; -1 <= P <= 1 over t; y > 0 over t")
    d.parameter("a", weight, 1)
    d.let("b", "2*mu*y/G")
    granted(d, POWER, fact="the power at the level", form=_AT_LEVEL)
    round_of = "{0}*((1 - a)*P + a) + G*(a*K*eta - (1 - a)*(1 - P)/(2*mu))".format
    update = "the round: x^r = x^(r-1) ((1 - a) P + a) + G (a K eta - (1 - a) (1 - P)/(2 mu))"
    granted(d, update, fact="the round", form=f"x1 - ({round_of('x')})", relation="=")
    equal = "y*(1 + P)/2 + G/2*(K*eta - (1 - P)/(2*mu))"
    d.combine("a larger weight", f"{round_of('y')} - ({equal})")
    after = "y/(1 + K/(2*(K - 1))*mu*y/G)"
    d.combine("equal weights", f"{equal} - {after}", facts={"the power at the level": "G/(4*mu)"})
    d.combine("one round", f"{round_of('y')} - {after}", facts={"a larger weight": "1", "equal weights": "1"})
    d.choose("y", "level")
    _least(d, "(1 - a)*P + a", {"the round": "1", "one round": "1"})
    return _ended(d, bound, {LEAST: "m"})


def nearly_attained(bound: Bound, *, of_the_pair: bool = False) -> Mapping[str, JSON]:
    """From x^0 = G/(mu R), the steps eta_r = b/(2 mu (K - 1)) leave at most right, b being the level in the unit of z (of v)."""
    d = Derivation("Elastic aggregation, steps that nearly attain " + ("Theorem II" if of_the_pair else "Lemma 9"))
    declare(d, "axes t; mu, G > 0")
    d.parameter("R", 2 if of_the_pair else 4)
    declare(d, "K >= 2; 0 <= r <= R over t, next r + 1; 0 <= P <= 1 over t; value x, x1 over t; next x = x1")
    d.let("level", text_of(bound.expression))
    declare(d, f"let b = {2 if of_the_pair else 4}*mu*level/G; let s = b/(K - 1)")
    d.hypothesis(SQUARE, "1 - K*s + K*(K - 1)/2*s**2 - P")
    keep = "(1 + P)/2" if of_the_pair else "P"
    update = ("the round with equal weights" if of_the_pair else "(21) with equality") + ", 2 mu eta_r = s = b/(K - 1)"
    d.hypothesis(update, f"x1 - (x*{keep} + G/2*(K*s/(2*mu) - (1 - P)/(2*mu)))", relation="=")
    start = "the run starts at x^0 = G/(mu R)"
    d.define("now", "x", [], "t", "later", [], first="at_first")
    d.hypothesis(start, "at_first - G/(mu*R)", relation="=")
    for name, one in (("the power", SQUARE), ("the round", update), ("start", start)):
        d.assume(name, one)
    facts = {"the round": "-1", "the power": "(1 + b)*G/(4*mu)", "later": "-1", "now": keep}
    d.induction("below the level", "now", "level", "r", keep, facts=facts, base={"start": "-1"})
    d.combine("the bound", "level - x", facts={"below the level": "1", "now": "1"})
    return supposing_no_more(bound, d.concluding("the bound"))


def small_steps(bound: Bound, least: sp.Basic, largest: str, *, halved: bool) -> Mapping[str, JSON]:
    """From (22), gamma <= R/8 and x^(r_0) = x_0, r counted from r_0: x >= right in each of R further rounds.

    m is any number up to x_0 and G/(``largest`` mu R), c the power (1 - 1/(2R))^r; ``halved``: for c its lower bound 1 -
    r/(2R), in
    which the level of R rounds is m/2, and the minimum of the bound is that half.
    """
    d = Derivation("Elastic aggregation, Lemma 9 with small step sizes")
    declare(d, f"axes t; mu, G, R > 0; 0 <= m <= G/({largest}*mu*R); x_0 >= m; 0 <= r <= R over t, next r + 1")
    declare(d, "0 <= c <= 1 over t, first 1, next (1 - 1/(2*R))*c; 0 <= gamma <= R/8 over t")
    declare(d, "value x, x1 over t; next x = x1")
    round_of_22 = "(22): x^r >= x^(r-1) (1 - 4 gamma/R) + gamma^2 G/(4 mu R^2)"
    granted(d, round_of_22, fact="(22)", form="x1 - (x*(1 - 4*gamma/R) + gamma**2*G/(4*mu*R**2))")
    share = "(1 - r/(2*R))" if halved else "c"
    d.define("minus", "-x", [], "t", "minus_next", [], first="minus_first")
    granted(d, "the run starts at x^(r_0)", fact="start", form="x_0 + minus_first", relation="=")
    keep = "1 - 4*gamma/R"
    square = "a square is not negative: (gamma/2 - 1/16)^2"
    granted(d, square, fact="square", form="(gamma/2 - 1/16)**2")
    after = f"{share}*m*({keep}) + gamma**2*G/(4*mu*R**2) - (1 - 1/(2*R))*{share}*m"
    d.combine("one round at the level", after, facts={"square": f"128*{share}*m/R"})
    facts = {"(22)": "1", "minus_next": "-1", "minus": keep, "one round at the level": "1"}
    d.induction("above the level", "minus", f"-{share}*m", "r", keep, facts=facts, base={"start": "-1"})
    return _ended(d, bound, {least: "m/2" if halved else "m"})


#: What is supposed of the two powers of the variant, at the level.
POWERS_OF_BOTH = (
    "A = (1 - 2 mu eta)^K and B = (1 - mu eta)^K: b (A + B) + 1/2 - B + A/2 >= 2 b/(1 + 9 b/2) at the level b"
)


def variant(bound: Bound, weight: str = "1/2", lowest: str = "0") -> Mapping[str, JSON]:
    """The same for f_2 = (mu/2) x^2 - G x, with powers A of the first client from ``lowest`` on."""
    d = _begun("Theorem II, variant", "m", "m/(1 + 9/2*mu*m*r/G)", rounds="1")
    for name, low in (("A", lowest), ("B", 0)):
        d.parameter(name, low, 1, varies="t")
    d.parameter("y", 0, "G/mu", low_open=True, varies="t")
    d.parameter("a", weight, 1)
    d.let("b", "mu*y/G")
    granted(d, POWERS_OF_BOTH, fact="the powers at the level", form="b*(A + B) + 1/2 - B + A/2 - 2*b/(1 + 9/2*b)")
    round_of = "(1 - a)*({0}*A - G*(1 - A)/(2*mu)) + a*({0}*B + G*(1 - B)/mu)".format
    update = "the round: x^r = (1 - a) (x A - G (1 - A)/(2 mu)) + a (x B + G (1 - B)/mu) at x = x^(r-1)"
    granted(d, update, fact="the round", form=f"x1 - ({round_of('x')})", relation="=")
    equal = "(y*(A + B) + G/mu*(1/2 - B + A/2))/2"
    d.combine("a larger weight", f"{round_of('y')} - {equal}")
    after = "y/(1 + 9/2*mu*y/G)"
    d.combine("equal weights", f"{equal} - {after}", facts={"the powers at the level": "G/(2*mu)"})
    d.combine("one round", f"{round_of('y')} - {after}", facts={"a larger weight": "1", "equal weights": "1"})
    d.choose("y", "level")
    _least(d, "(1 - a)*A + a*B", {"the round": "1", "one round": "1"})
    return _ended(d, bound, {LEAST: "m"})
