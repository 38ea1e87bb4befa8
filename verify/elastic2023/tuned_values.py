"""What the letters in the derivations of Lemmas 1 and 2 stand for, and the relations that say so: powers, roots, logarithms.

A derivation is one of rational functions; P is (1-q)^R there, X is exp(-q R), h is exp(-1/2), b what a logarithm is taken of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import sympy as sp

from fltheory.derivation.statement import text_of
from fltheory.evidence.relations import Relations
from verify.elastic2023.tuning import HALF, R, d_0, eta, mu

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
