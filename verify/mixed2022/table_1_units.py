"""Table 1 of Augenstein et al. (2022): do its nine orders have the unit of a number of rounds (none)?

Another unit of length or of the loss changes neither the run nor T; a term that it changes is misprinted.
"""

from collections.abc import Mapping, Sequence
from math import lcm
from typing import Any

import sympy as sp

from fltheory.evidence.algebra import by_relations
from fltheory.evidence.kinds import algebra_claim, run_script
from fltheory.evidence.model import Claim, Control
from fltheory.evidence.relations import Relations
from fltheory.theory.mixed2022 import orders
from fltheory.theory.mixed2022.orders import ALGORITHMS, CASES, D2, C, F, G, V, beta, eps, mu

units_claim = algebra_claim.sharing(source="Table 1, Theorems B.1-B.3")
#: Powers of the unit of f and of that of x; letters that are not named have none.
UNITS: Mapping[sp.Symbol, tuple[int, int]] = {
    **dict.fromkeys((V, C), (2, -2)),
    **dict.fromkeys((beta, mu), (1, -2)),
    **{G: (1, -1), D2: (0, 2), F: (1, 0)},
}
#: Units that ``eps`` may have: of f, of |grad f|^2, of |grad f|, of |x - x*|^2.
ACCURACIES = {"f - f*": (1, 0), "|grad f|^2": (2, -2), "|grad f|": (1, -1), "|x - x*|^2": (0, 2)}
MEASURES = {**dict.fromkeys(CASES[:2], "f - f*"), "non-convex": "|grad f|^2"}
LENGTH, LOSS, ELL = sp.symbols("L E ell", positive=True)
Terms = tuple[sp.Expr, ...]
LOCALS = {x.name: x for x in (G, beta, mu, D2, F, eps)}


def in_units(
    terms: Terms, accuracy: str, root: int
) -> tuple[list[tuple[sp.Expr, sp.Expr]], dict[str, None], dict[str, str]]:
    """Pairs (term in other units, term), what their letters are, and their LaTeX; x_ is x in the other units.

    Letters are roots of what they name, so that no term has one.  The unit of f is divided by E^root, that of x by L^root.
    """
    mark = list(ACCURACIES).index(accuracy)
    name = "{}" if root == 1 else r"\sqrt{{{}}}" if root == 2 else rf"\sqrt[{root}]{{{{{{}}}}}}"
    here, there, names = {}, {}, {"ell": r"\log(\cdot)"}
    where: dict[str, None] = {f"{LOSS} > 0": None, f"{LENGTH} > 0": None}
    for x in sorted(set().union(*(term.free_symbols for term in terms)) - {ELL}, key=str):
        loss, length = ACCURACIES[accuracy] if x == eps else UNITS.get(x, (0, 0))
        other = sp.Symbol(x.name + "_" * (1 + mark * (x == eps)), positive=True) if loss or length else x
        here[x], there[x] = x**root, other**root
        shown = orders.NAMES.get(x.name, x.name)
        names |= {other.name: name.format(f"({shown})'" + "'" * mark * (x == eps)), x.name: name.format(shown)}
        where[f"{x} > 0"] = None
        where |= {} if other == x else {f"{other} = {x}*{LOSS**loss * LENGTH**length}": None}
    return [(term.subs(there), term.subs(here)) for term in terms], where, names


def roots(terms: Sequence[sp.Expr]) -> int:
    """The root of the letters with which no term has a root."""
    return lcm(*(int(power.exp.q) for term in terms for power in term.atoms(sp.Pow) if power.exp.is_Rational))


def unchanged(entries: Sequence[tuple[Terms, str]], *, argument: bool = False) -> Relations:
    """Every term in other units is what it is; a logarithm is a letter, or itself and its argument a term where that counts."""
    claims, where, names = dict[str, None](), dict[str, None](), dict[str, str]()
    bare = [
        (tuple(term if argument else term.replace(sp.log, lambda _: ELL) for term in terms), accuracy)
        for terms, accuracy in entries
    ]
    if argument:
        bare = [
            ((*own, *(log.args[0] for term in terms for log in term.atoms(sp.log))), accuracy)
            for (own, accuracy), (terms, _) in zip(bare, entries, strict=True)
        ]
    root = roots([term for terms, _ in bare for term in terms])
    for terms, accuracy in bare:
        pairs, more, called = in_units(terms, accuracy, root)
        claims |= {f"{there} = {here}": None for there, here in pairs}
        where, names = where | more, names | called
    return Relations(f"{'; '.join(claims)} for {'; '.join(where)}", names=names)


def by_some_reading(term: sp.Expr) -> Relations:
    """A term does not change in other units under one of the readings of eps: the product of its changes is zero."""
    changes, where, names = [], dict[str, None](), dict[str, str]()
    for accuracy in ACCURACIES:
        ((there, here),), more, called = in_units((term,), accuracy, roots([term]))
        changes.append(f"({there} - {here})")
        where, names = where | more, names | called
    return Relations(f"{'*'.join(changes)} = 0 for {'; '.join(where)}", names=names)


def entries(algorithms: Sequence[str], cases: Sequence[str], factor: str = "1") -> list[tuple[Terms, str]]:
    """Terms of Table 1 times a factor, with what eps measures."""
    planted = sp.sympify(factor, locals=LOCALS)
    return [
        (tuple(term * planted for term in orders.terms(a, c).values()), MEASURES[c]) for a in algorithms for c in cases
    ]


def transfer(plant: str) -> Relations:
    """The orders without a logarithm of the Gradient Transfer methods."""
    return unchanged(entries(ALGORITHMS[1:], CASES[1:], plant))


def strongly_convex(argument: str, plant: str = "1") -> Relations:
    """The three orders of the strongly convex case; ``argument`` of the logarithm where it is to count."""
    found = entries(ALGORITHMS, CASES[:1], plant)
    if not argument:
        return unchanged(found)
    inner = sp.log(sp.sympify(argument, locals=LOCALS), evaluate=False)
    return unchanged([(tuple(x.subs(sp.log(1 / eps), inner) for x in terms), a) for terms, a in found], argument=True)


def of_parallel(case: str, term: str) -> Relations:
    """The order of Parallel Training with this dissimilarity term."""
    terms = orders.terms("PT", case) | {"dissimilarity": sp.sympify(term, locals=LOCALS)}
    return unchanged([(tuple(terms.values()), MEASURES[case])])


def units_row(id: str, stated: Relations, changed: Mapping[str, Relations], *, says: str = "", **words: Any) -> Claim:
    """The row of a statement whose controls are statements of other terms, true ones where it is refuted."""
    must = "pass" if "repair" in words else "fail"
    controls = [Control(name, dict(text=other.text), must=must) for name, other in changed.items()]
    about = (says, stated) if says else stated
    made = units_claim(id, statement=about, printed=dict(text=stated.text), controls=controls, **words)
    claim: Claim = made(lambda text: by_relations(Relations(text)))
    return claim


transfer_orders = units_row(
    "MX-T1-DIM.1",
    transfer("1"),
    {
        "one factor beta^(1/2) too many": transfer("sqrt(beta)"),
        "one factor D too many": transfer("sqrt(D_sq)"),
    },
    headline="The orders of rounds of the transfer methods without logarithm are free of units",
    summary="The four orders of the Gradient Transfer methods without a logarithm have no unit, with eps measuring f - f* "
    "(convex) and |grad f|^2 (non-convex).",
)
logarithms_aside = units_row(
    "MX-T1-DIM.2",
    strongly_convex(""),
    {"mu one power too many": strongly_convex("", "mu")},
    headline="The strongly convex orders of rounds are pure numbers, logarithms aside",
    summary="The terms of the strongly convex orders, whose logarithms (which the tilde hides) are left as they are, are pure "
    "numbers with eps measuring f - f*.",
)
with_logarithm = units_row(
    "MX-T1-DIM.2-S1",
    strongly_convex("mu*D_sq/eps"),
    {"log(mu D/eps)": strongly_convex("mu*sqrt(D_sq)/eps"), "log(1/eps)": strongly_convex("1/eps")},
    says=r"\log(\cdot)=\log\tfrac{\mu D^2}\epsilon:\quad ",
    headline="The logarithm of the strongly convex rates, with an argument that is a pure number",
    summary="With log(mu D^2/eps) for the logarithm, the terms of the three strongly convex orders and the argument of the "
    "logarithm are pure numbers, eps measuring f - f*.",
)

REPAIRS = {"convex": "G*sqrt(beta)*D_sq/eps**(3/2)", "non-convex": "G*beta*F/eps**(3/2)"}
NEAR = {"convex": "G*sqrt(beta)*sqrt(D_sq)/eps**(3/2)", "non-convex": "G*sqrt(beta)*F/eps**(3/2)"}
parallel = []
for number, case_ in ((3, "convex"), (4, "non-convex")):
    parallel += [
        units_row(
            f"MX-T1-DIM.{number}",
            by_some_reading(orders.DISSIMILARITY[case_]),
            {"repaired term": by_some_reading(sp.sympify(REPAIRS[case_], locals=LOCALS))},
            says=r"T=O\Big(\ldots+\tfrac{G\sqrt\beta}{\epsilon^{3/2}}+\ldots\Big)\text{, the term without a unit for some "
            r"reading of }\epsilon\ (f-f^*, |\nabla f|^2, |\nabla f|, |x-x^*|^2):\quad ",
            fault="substance",
            headline=f"Parallel Training, {case_}: a term of the order is no pure number",
            summary=f"Parallel Training, {case_}: G sqrt(beta)/eps^(3/2) is no pure number, whichever of the four eps measures, as "
            f"a term of a number of rounds is (the other two terms: row MX-T1-DIM.{number}-R1).",
            repair=f"MX-T1-DIM.{number}-R1",
        ),
        units_row(
            f"MX-T1-DIM.{number}-R1",
            of_parallel(case_, REPAIRS[case_]),
            {
                "as printed": of_parallel(case_, str(orders.DISSIMILARITY[case_])),
                "another power": of_parallel(case_, NEAR[case_]),
            },
            headline=f"Parallel Training, {case_}: the dissimilarity term with the factor that units demand",
            summary=f"Parallel Training, {case_}: {REPAIRS[case_]} has no unit; it is what (beta G^2)^(1/3) "
            f"({'D^2' if number == 3 else 'F'}/T)^(2/3) = eps "
            f"{'' if number == 3 else '(times beta^(1/3)) '}gives.",
        ),
    ]


if __name__ == "__main__":
    run_script(__file__)
