r"""Lemmas 1 and 2 of the elastic aggregation supplement: sums that the step size tunes.

| symbol        | meaning                                                                  |
|---------------|--------------------------------------------------------------------------|
| mu, eta       | contraction parameter and constant step size, ``q = mu eta`` in (0, 1)   |
| eta_max       | largest step size allowed                                                |
| R             | number of rounds; the sums have R + 1 terms                              |
| d_0           | first term of the sequence                                               |
| c, c_1, c_2   | noise constants                                                          |
| a             | ``mu^2 R d_0/c``, what the logarithm of Lemma 1 is taken of              |

``P`` stands for ``(1-q)^R`` wherever a rational expression is proved for all R.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.derivation.statement import text_of
from fltheory.evidence.relations import Relations
from fltheory.theory.conditions import Condition
from fltheory.theory.elastic2023.vocabulary import Bound
from fltheory.theory.steps import Step, identity
from verify.elastic2023.enclosures import exp_between, log_between, rounded_up

mu, eta, eta_max, R = sp.symbols("mu eta eta_max R", positive=True)
d_0, c, c_1, c_2 = sp.symbols("d_0 c c_1 c_2", nonnegative=True)
q, P, W = sp.symbols("q P W", positive=True)

#: (1-q)^R is at most this when R q >= 1/2.
HALF = sp.exp(-sp.Rational(1, 2))
_HALF_ABOVE = exp_between(Fraction(-1, 2))[1]
_NAMES = {"eta_max": r"\eta_{\max}", "W": "W_R"}
_SIZE = mu**2 * R * d_0 / c
_LOG_STEP = sp.log(sp.Max(1, _SIZE)) / (mu * R)
_ENOUGH = Condition("R >= 1/(2 mu eta_max)", sp.Ge(2 * mu * eta_max * R, 1))
_ENOUGH_ETA = Condition("R >= 1/(2 mu eta)", sp.Ge(2 * mu * eta * R, 1))
_RANGE = Condition("0 < eta_max <= 1/mu", sp.Le(mu * eta_max, 1))
_STEP = Condition("0 < eta < 1/mu", sp.Lt(mu * eta, 1))


def _psi(name: str, place: str, right: sp.Expr, conditions: tuple[Condition, ...] = (), **more: Any) -> Bound:
    """A bound of Psi_R."""
    return Bound(name, place, r"\Psi_R", right, conditions, symbol_names=_NAMES, **more)


LEMMA_1 = _psi(
    "Lemma 1, the hidden logarithm written out",
    "Lemma 1, (7)",
    mu * d_0 * sp.exp(-mu * eta_max * R) + c / (mu * R) * (1 + sp.log(sp.Max(1, _SIZE))),
    (_RANGE, _ENOUGH),
    relation="O",
    ids=("EL-LEM1",),
)
LEMMA_1_EXPLICIT = _psi(
    "Lemma 1 with constants",
    "Lemma 1",
    mu * d_0 * sp.exp(-mu * eta_max * R) / (1 - HALF) + c / (mu * R) * (2 + sp.log(sp.Max(2, _SIZE))),
    (_RANGE, _ENOUGH),
    ids=("EL-LEM1-S1",),
)
VARYING = _psi(
    "Lemma 1 with varying steps, no logarithm",
    "Section 7.2",
    4 * mu * d_0 * sp.exp(-mu * eta_max * R / 2) + 8 * c / (mu * R),
    (_RANGE, _ENOUGH),
    ids=("EL-L1-LOG[up to the constant in the exponent]",),
)
TELESCOPED = _psi("sum telescoped", "proof of Lemma 1", d_0 / (eta * W) + c * eta, (_STEP,), ids=("EL-L1-TEL",))
TELESCOPED_SHARP = _psi(
    "sum telescoped, sharp",
    "proof of Lemma 1",
    (1 - mu * eta) * d_0 / (eta * W) + c * eta,
    (_STEP,),
    ids=("EL-L1-TEL-S1",),
)
WEIGHTS = Bound(
    "sum of the weights",
    "proof of Lemma 1",
    r"\eta W_R",
    (1 - mu * eta) ** (-R) / (3 * mu),
    (_STEP, _ENOUGH_ETA),
    relation=">=",
    ids=("EL-L1-GEO[exponent R]", "EL-L1-GEO[exponent R+1]"),
)
WEIGHTS_SHARP = Bound(
    "sum of the weights, sharp",
    "proof of Lemma 1",
    r"\eta W_R",
    (1 - HALF) * (1 - mu * eta) ** (-R) / mu,
    (_STEP, _ENOUGH_ETA),
    relation=">=",
    ids=("EL-L1-GEO-S1",),
)
BEFORE_TUNING = Bound(
    "before tuning",
    "proof of Lemma 1",
    r"\Psi_R",
    3 * mu * d_0 * sp.exp(-mu * eta * R) + c * eta,
    (_STEP, _ENOUGH_ETA),
    ids=("EL-L1-3",),
)
BEFORE_TUNING_SHARP = Bound(
    "before tuning, sharp",
    "proof of Lemma 1",
    r"\Psi_R",
    mu * d_0 * sp.exp(-mu * eta * R) / (1 - HALF) + c * eta,
    (_STEP, _ENOUGH_ETA),
    ids=("EL-L1-3-S1",),
)
CASE_ONE = _psi(
    "case 1",
    "proof of Lemma 1",
    3 * mu * d_0 * sp.exp(-mu * eta_max * R) + c * _LOG_STEP,
    (_RANGE, _ENOUGH, Condition("eta_max <= log(max(1, mu^2 R d_0/c))/(mu R)", sp.Le(eta_max, _LOG_STEP))),
    ids=("EL-L1-CASES.1", "EL-L1-CASES.2[normalised weights as limits]"),
)
CASE_TWO = _psi(
    "case 2, repaired",
    "proof of Lemma 1",
    c / (mu * R) * (3 + sp.log(sp.Max(2, _SIZE))),
    (_RANGE, _ENOUGH, Condition("the step of the case, log(max(2, mu^2 R d_0/c))/(mu R), is below eta_max")),
    ids=("EL-L1-CASES.3-R1",),
)


def lemma_2_right(first: sp.Expr, second: sp.Expr, third: sp.Expr) -> sp.Expr:
    """``first d_0/(eta_max (R+1)) + second sqrt(c_1 d_0/(R+1)) + third c_2^(1/3) (d_0/(R+1))^(2/3)``."""
    share = d_0 / (R + 1)
    return first * share / eta_max + second * sp.sqrt(c_1 * share) + third * sp.cbrt(c_2) * share ** sp.Rational(2, 3)


#: The best constant in front of the last term of Lemma 2.
THIRD_SHARP = 3 / sp.Integer(2) ** sp.Rational(2, 3)
LEMMA_2 = _psi(
    "Lemma 2",
    "Lemma 2, (8)",
    lemma_2_right(1, sp.Integer(2), sp.Integer(2)),
    ids=("EL-LEM2.1[d_0 = 0 as an infimum over the steps]", "EL-LEM2.1[a step for every sequence]"),
)
LEMMA_2_SHARP = _psi(
    "Lemma 2, sharp",
    "Lemma 2",
    lemma_2_right(1, sp.Integer(2), THIRD_SHARP),
    (Condition("d_0 > 0", sp.Gt(d_0, 0)),),
    ids=("EL-LEM2-S1",),
)
UNROLLED_2 = Bound(
    "sum unrolled", "proof of Lemma 2", r"\Psi_R", d_0 / (eta * (R + 1)) + c_1 * eta + c_2 * eta**2, ids=("EL-LEM2.2",)
)


def weighted_sum(
    d: Sequence[Fraction], *, mu: Fraction, eta: Fraction, c: Fraction, rate: Fraction = Fraction(1)
) -> Fraction:
    """Psi_R of Lemma 1 by its definition, with ``w_r = (1 - rate mu eta)^(1-r)`` and ``d = (d_0, ..., d_{R+1})``."""
    base = 1 - rate * mu * eta
    if base <= 0:
        raise ValueError(f"mu*eta={mu * eta}: the weights need 1 - mu eta > 0")
    weights = [base ** (1 - r) for r in range(1, len(d))]
    terms = [w / eta * (1 - mu * eta) * d[r] - w / eta * d[r + 1] + c * eta * w for r, w in enumerate(weights)]
    return sum(terms, Fraction(0)) / sum(weights, Fraction(0))


def weight_total(share: Fraction, rounds: int) -> Fraction:
    """W_R for ``q = share``: the closed form ``((1-q)^(-R) - (1-q))/q`` of the geometric sum."""
    return ((1 - share) ** (-rounds) - (1 - share)) / share


def largest_sum(share: Fraction, rounds: int) -> Fraction:
    """The largest ``(Psi_R - c eta)/(mu d_0)`` over all sequences: ``(1-q)P/(1-P(1-q))``, taken at (d_0, 0, ..., 0)."""
    return (1 - share) / (share * weight_total(share, rounds))


def left_by_constant_steps(base: Fraction, split: Fraction, rounds: int) -> Fraction:
    """A lower bound, for every constant step, of Psi_R in units of c/(mu R), at a = base^rounds and (d_0, 0, 0, ...).

    The first term a (1-q)P/(1-(1-q)P) >= a (1-q)^(R+1) falls with q, the second, R q, grows.
    """
    return min((base * (1 - split)) ** rounds * (1 - split), rounds * split)


def bracket_decay(base: Fraction, rounds: int, exponent: Fraction = Fraction(1)) -> Fraction:
    """At or above mu d_0 exp(-exponent mu eta_max R) in units of c/(mu R) for a = base^rounds and eta_max = 1/mu."""
    return rounded_up(exp_between(rounds * (log_between(base)[1] - exponent))[1], digits=20)


def rational_above(constant: sp.Expr) -> Fraction:
    """A rational number at or above ``constant``, a rational number or a rational multiple of ``1/(1-exp(-1/2))``.

    Raises
    ------
    ValueError : the constant is of neither form.
    """
    for value, top in ((constant, Fraction(1)), (sp.simplify(constant * (1 - HALF)), 1 / (1 - _HALF_ABOVE))):
        if value.is_Rational:
            return Fraction(int(value.p), int(value.q)) * top
    raise ValueError(f"constant={constant} is neither rational nor a rational multiple of 1/(1-exp(-1/2))")


def tangent_of_exp() -> Step:
    """``1 - x <= exp(-x)`` for all real x: the difference is 0 with its derivative at 0, and convex."""
    x = sp.Symbol("x", real=True)
    gap = sp.exp(-x) - 1 + x
    if gap.subs(x, 0) != 0 or sp.diff(gap, x).subs(x, 0) != 0:
        raise RuntimeError("exp(-x) - 1 + x has no double zero at 0")
    return identity(
        "1 - x <= exp(-x): a double zero at 0, second derivative exp(-x) > 0", sp.diff(gap, x, 2), sp.exp(-x)
    )


#: What P, X and h of the derivations stand for where q R >= 1/2, and that they lie in their ranges.
VALUES = {"P": "(1 - q)**R", "X": "exp(-q*R)", "h": "exp(-1/2)"}
_LATE = {"1 + (q*R - 1/2) <= exp(q*R - 1/2)": "exp(-q*R)", "2*q*R >= 1": "exp(-q*R)/2"}
_TANGENT = {"(1 - q)**R <= exp(-q*R)": "1"}
OF_EXP = Relations(
    "0 < (1 - q)**R <= exp(-q*R) <= exp(-1/2); (1 - q)**R <= exp(-1/2); 0 < exp(-1/2) <= 2/3 "
    "for 0 < q < 1; R >= 1; 2*q*R >= 1",
    uses={1: _TANGENT, 2: _LATE, 3: {**_TANGENT, **_LATE}, 5: {"1 + 1/2 <= exp(1/2)": "2/3*exp(-1/2)"}},
)


def in_mu_and_eta(values: Mapping[str, str], stated: Relations) -> tuple[dict[str, str], Relations]:
    """Values of letters and the relations that they lie in their ranges, with q = mu eta written out."""

    def written(text: str) -> str:
        return re.sub(r"\bq\b", "(mu*eta)", text)

    text = written("0 < q < 1; ") + written(stated.text.replace("0 < q < 1", "mu > 0; 0 < eta < 1/mu"))
    uses = {n + 2: {written(one): written(by) for one, by in used.items()} for n, used in stated.uses.items()}
    at = {**stated.at, "mu": "1", "eta": stated.at["q"]} if "q" in stated.at else stated.at
    at = {name: value for name, value in at.items() if name != "q"}
    return {"q": "mu*eta"} | {name: written(value) for name, value in values.items()}, Relations(text, uses=uses, at=at)


#: What the logarithms of Lemma 1 are taken of: b is the larger one of ``floor`` and mu^2 R d_0/c.
SIZE = "mu**2*R*d0/c"
LARGER = f"c > 0; d0 >= 0; b >= {SIZE}; (b - {{floor}})*(b - {SIZE}) = 0"


def of_the_larger(floor: str, stated: Relations, **at: str) -> Relations:
    """The relations for b, the larger one of ``floor`` and mu^2 R d_0/c; ``at``: an instance with b = 3."""
    text = f"{stated.text}; {LARGER.format(floor=floor)}"
    return replace(stated, text=text, at={**stated.at, "c": "1", "mu": "1", "b": "3", **at})


#: The logarithmic step eta = log(b)/(mu R), in the unit c/(mu R).
AT_LOG = {
    "eta": "log(b)/(mu*R)",
    "q": "log(b)/R",
    "P": "(1 - log(b)/R)**R",
    "unit": "c/(mu*R)",
    "a": SIZE,
}


def below_the_end(q: str) -> tuple[dict[str, str], Relations]:
    """P and X for the step q/mu in the place of 1/mu, and that they lie in their ranges: (1-q)^R <= (1/4)^R <= exp(-R)."""
    power = f"(1 - {q})**R"
    tenth = {f"{power} <= (1/4)**R": "1", "(1/2)**(2*R) <= exp(-R)": "1"}
    falling = {
        f"(1 - {q})**(R - 1) <= exp(-{q}*(R - 1))": f"1 - {q}",
        f"1 + {q}*(R - 1) <= exp({q}*(R - 1))": f"exp(-{q}*(R - 1))*(1 - {q})",
    }
    stated = Relations(f"0 < {power} <= exp(-R); {power} <= 1 - {q} for R >= 1", uses={1: tenth, 2: falling})
    return {"P": power, "X": "exp(-R)"}, stated


def in_letters(expression: sp.Expr) -> str:
    """The right side of a bound in the letters of the derivations, which have these values."""
    nodes = {sp.exp(-mu * eta * R): "X", HALF: "h", (1 - mu * eta) ** (-R): "(1/P)", d_0: "d0", mu: "(q/eta)"}
    return text_of(expression.xreplace({node: sp.Symbol(name) for node, name in nodes.items()}))


def up_to_the_log(stated: Relations, step: str, floor: str) -> Relations:
    """The relations, and log(b)/(step R) >= 1 where the step is at most the logarithmic one."""
    claims, where = stated.pieces
    text = f"{'; '.join([*claims, f'{step}*R > 0', f'log(b)/({step}*R) >= 1'])} for {'; '.join(where)}"
    last = {len(stated.claims) + 1: {f"log(b) >= {step}*R": f"1/({step}*R)"}}
    at = {"R": "1", "b": "3"} | ({"q": "1/2"} if step == "q" else {})
    return Relations(f"{text}; b >= {floor}; log(b) >= {step}*R", uses={**stated.uses, **last}, at=at)


def at_the_smaller(first: str, right: str, *, floor: str, least: str) -> tuple[dict[str, str], Relations]:
    """Values at the step of :func:`recursions.tuned`, and that they lie in their ranges.

    b is the larger one of ``floor`` and mu^2 R d_0/c, ``short`` is 1 where mu eta_max R is the smaller one and else 0; for c = 0
    it is 1.  The logarithm is log(b) for floor 2, and 1 + log(b) for floor 1.
    """
    top, spare = "mu*eta_max*R", f"c*b - {SIZE.replace('/c', '')}"
    size, log = ("(1/b)", "log(b)") if floor == "2" else ("(exp(-1)/b)", "(1 + log(b))")
    x, enough, constant = (
        f"exp(-{top})",
        f"2*{top} >= 2*{least}",
        f"{'F' if 'F' in first else first}*(1 - exp(-1/2)) >= 1",
    )
    k = f"({first}*short*{x} + 2*(1 - short)*{size})"
    q, power = "(1 - exp(-s/R))", "exp(-s/R)**R"
    falls, grows = f"{x} <= exp(-1/2)", f"{size} <= 1/2"
    mixed, whole, left = f"s = short*{top} + (1 - short)*{log}", "short*(1 - short) = 0", f"(1 - short)*({spare}) >= 0"
    tangent, below = "1 + s/R <= exp(s/R)", "1 - s/R <= exp(-s/R)"
    given, claims = (["F > 0", constant], list[str]()) if "F" in first else (list[str](), [constant])
    claims += [
        falls,
        grows,
        f"0 < {q} < 1",
        f"{q}/mu > 0",
        f"{q}/mu <= eta_max",
        f"0 < {k}",
        f"0 < {power} <= {k}/(1 + {k})",
    ]
    claims.append(f"{k}*mu*d0 + c*{q}/mu <= {right}")
    square = f"{first}*{x}**2 + 2*{size}**2 - (2 + {first})*{x}*{size}"
    found: list[Mapping[str, str]] = [{"1 + 1/2 <= exp(1/2)": f"{first}*2/3*exp(-1/2)"}] if constant in claims else []
    found += [
        {f"1 + ({top} - 1/2) <= exp({top} - 1/2)": x, enough: f"{x}/2"},
        {"1 + 1 <= exp(1)": "exp(-1)/2"} if floor == "1" else {},
        {tangent: "exp(-s/R)"},
        {},
        {tangent: "exp(-s/R)/mu"},
        {below: "1/mu", f"s <= {top}": "1/(mu*R)"},
        {},
        {},
        {
            f"1 + (s - {top}) <= exp(s - {top})": "short*exp(-s)",
            f"1 + (s - {log}) <= exp(s - {log})": "(1 - short)*exp(-s)",
            mixed: "-exp(-s)",
            whole: f"-({square})/(1 + {k})",
            falls: f"{first}*short*{x}/(1 + {k})",
            constant: f"short*{x}/(1 + {k})",
            grows: f"2*(1 - short)*{size}/(1 + {k})",
        },
        {
            below: "c/mu",
            f"s <= {log}": "c/(mu*R)",
            left: f"2*{size}/(mu*R)",
            **({"1 + 1 <= exp(1)": "(1 - short)*exp(-1)*c/(mu*R)"} if floor == "1" else {}),
        },
    ]
    where = [
        "mu > 0",
        "0 < eta_max <= 1/mu",
        "R >= 1",
        "c >= 0",
        "d0 >= 0",
        f"b >= {floor}",
        "s > 0",
        "0 <= short <= 1",
        *given,
    ]
    where += [
        enough,
        f"s <= {top}",
        f"s <= {log}",
        mixed,
        whole,
        left,
        f"c*({spare}) >= 0",
        f"c*(b - {floor})*({spare}) = 0",
    ]
    at = {"mu": "1", "eta_max": "1", "R": "1", "c": "1", "d0": "3", "b": "3", "s": "1", "short": "1", "F": "3"}
    stated = Relations(f"{'; '.join(claims)} for {'; '.join(where)}", uses=dict(enumerate(found)), at=at)
    return {"eta": f"{q}/mu", "q": q, "P": power, "K": k, "right": right}, stated


def a_large_start(claimed: str, size: str) -> Relations:
    """What is claimed is at most the sum for (d_0, 0, 0, ...): with u = 2 - 2q, u^R >= exp(R(1 - 1/u)) >= 1 + R - R/u."""
    u = "(2*(1 - q))"
    uses = {
        "2**R <= exp(R)": "R*exp(-R)/4",
        f"(1/{u})**R <= exp(R*(1/{u} - 1))": f"2**R*(1 - q)**R*(1 - q)*exp(R*(1 - 1/{u}))",
        f"1 + R*(1 - 1/{u}) <= exp(R*(1 - 1/{u}))": "1 - q",
    }
    text = f"0 < {claimed} <= {size}*(1 - q)*(1 - q)**R + R*q; 0 < (1 - q)**R <= 1; c/(mu*R) > 0; {size} > 0"
    power = {"(1 - q)**R <= exp(-q*R)": "1", "1 + q*R <= exp(q*R)": "exp(-q*R)"}
    return Relations(f"{text} for 0 < q < 1; R >= 1; c > 0", uses={1: uses, 3: power})


#: d_0/(R + 1) for d_0 > 0, and a positive number that is at least that.
SHARES = {
    "(d_0/(R + 1))": "d_0 > 0; R >= 0",
    "share": "share > 0; R >= 0; 0 <= d_0 <= share*(R + 1)",
}


def lemma_2_text(first: str, second: str, third: str, share: str, *, sharp: bool) -> str:
    """The right side of Lemma 2, its roots taken of each factor; with ``sharp`` the last constant is third times 3/2^(2/3)."""
    last = f"{third}*3/2**(2/3)" if sharp else third
    return f"{first}*{share}/eta_max + {second}*c_1**(1/2)*{share}**(1/2) + {last}*c_2**(1/3)*{share}**(2/3)"


def of_roots(total: str, values: Mapping[str, str], share: str) -> Relations:
    """Roots are what their letters may be, and ``total``, which is written in them, is the right side of Lemma 2."""
    total = re.sub(r"\b[zmxu]\b", lambda name: f"({values[name[0]]})", total)
    z, m, x, u = (values[name] for name in "zmxu")
    return Relations(
        f"{z} > 0; {m} > 0; {x} >= 0; {u} >= 0; {total} <= {values['right']}; 0 <= d_0 <= ({z})**6*(R + 1); c_1 >= 0; c_2 >= 0 "
        f"for {SHARES[share]}; eta_max > 0; c_1 >= 0; c_2 >= 0"
    )


def log_step(floor: str) -> Relations:
    """What stands in :data:`AT_LOG` for b >= floor > 1, the larger one of floor and mu^2 R d_0/c."""
    stated = Relations(
        f"0 < log(b)/R < 1; 0 < (1 - log(b)/R)**R <= 1/b; log(b)/(mu*R) > 0; c/(mu*R) > 0; 0 <= {SIZE} <= b "
        f"for b >= {floor}; R > log(b); mu > 0",
        uses={3: {"(1 - log(b)/R)**R <= exp(-log(b))": "1"}, 7: {f"b >= {SIZE}": "1"}},
    )
    return of_the_larger(floor, stated, R="2", d0="3/2")


def telescoping_steps() -> tuple[Step, ...]:
    """``Psi_R = (w_0 d_0 - w_{R+1} d_{R+1})/(eta W_R) + c eta`` with ``w_0 = 1-q``, for every R by induction."""
    w, d, following, last = sp.symbols("w d d_next w_last", nonnegative=True)
    after, index = w / (1 - q), sp.Symbol("r", integer=True)
    summand = after / eta * (1 - q) * d - after / eta * following + c * eta * after
    return (
        identity("each summand is a difference", summand, (w * d - after * following) / eta + c * eta * after),
        identity(
            "induction: the differences add up", (last - w * d) + (w * d - after * following), last - after * following
        ),
        identity("w_0 = 1-q", ((1 - q) ** (1 - index)).subs(index, 0), 1 - q),
    )


def geometric_steps() -> tuple[Step, ...]:
    """``q W_R = (1 - (1-q) P)/P`` for every R >= 0 by induction."""
    total = (1 - (1 - q) * P) / (q * P)
    return (
        identity("W_0 = 1", total.subs(P, 1), 1),
        identity("W_{R+1} - W_R = (1-q)^{-(R+1)}", total.subs(P, P * (1 - q)) - total, 1 / (P * (1 - q))),
    )
