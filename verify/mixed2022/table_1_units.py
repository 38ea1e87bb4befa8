"""Table 1 of Augenstein et al. (2022): do its nine orders have the unit of a number of rounds (none)?

Another unit of length or of the loss changes neither the run nor T; a term that it changes is misprinted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from fltheory.evidence.algebra import by_relations
from fltheory.evidence.decide import read
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import algebra_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.mixed2022 import orders
from fltheory.theory.mixed2022.orders import ALGORITHMS, CASES, D2, B, C, F, G, K, S, V, beta, eps, mu, order

units_claim = algebra_claim.sharing(source="Table 1, Theorems B.1-B.3")


@dataclass(frozen=True)
class Unit:
    """Powers of the unit of f and of that of x."""

    loss: sp.Rational
    length: sp.Rational

    def __str__(self) -> str:
        return f"E^({self.loss}) L^({self.length})"

    @property
    def none(self) -> bool:
        return bool(self.loss == 0 and self.length == 0)


UNITS: Mapping[sp.Symbol, tuple[int, int]] = {
    **dict.fromkeys((V, C), (2, -2)),
    **dict.fromkeys((beta, mu), (1, -2)),
    **dict.fromkeys((B, K, S), (0, 0)),
    **{G: (1, -1), D2: (0, 2), F: (1, 0)},
}
#: Units that ``eps`` may have: of f, of |grad f|^2, of |grad f|, of |x - x*|^2.
ACCURACIES = {"f - f*": (1, 0), "|grad f|^2": (2, -2), "|grad f|": (1, -1), "|x - x*|^2": (0, 2)}
ANY = tuple(ACCURACIES)


def unit(expression: sp.Expr, accuracy: str) -> Unit:
    """The unit of a term, from the powers of its symbols; logarithms count as factors one.

    Raises
    ------
    ValueError : the summands of the term have different units, or one is no product of powers of the symbols above.
    """
    units = {**UNITS, eps: ACCURACIES[accuracy]}
    found = set()
    for term in sp.Add.make_args(sp.expand(expression.replace(sp.log, lambda _: sp.Integer(1)))):
        powers = {base: power for base, power in term.as_powers_dict().items() if not base.is_number}
        if not powers.keys() <= units.keys():
            raise ValueError(f"term {term} of {expression} is no product of powers of {', '.join(map(str, units))}")
        found.add(tuple(sum((sp.Rational(x) * units[s][i] for s, x in powers.items()), sp.Integer(0)) for i in (0, 1)))
    if len(found) != 1:
        raise ValueError(f"the summands of {expression} have {len(found)} units; expected one")
    return Unit(*found.pop())


def log_units(expression: sp.Expr, accuracy: str) -> list[Unit]:
    """Units of the arguments of the logarithms in a term."""
    return [unit(found.args[0], accuracy) for found in expression.atoms(sp.log)]


def homogeneous(entries: Mapping[str, tuple[sp.Expr, ...]], accuracies: tuple[str, ...], logarithm: str) -> Evidence:
    """Whether all terms of each entry are pure numbers under one of the readings of eps; the smallest failure is named."""
    examined, numbers, faults = 0, {}, []
    for name, terms in entries.items():
        good = []
        for accuracy in accuracies:
            units = _units(terms, accuracy, logarithm)
            examined += len(units)
            if all(u.none for _, u in units):
                good.append(accuracy)
            else:
                numbers[f"{name}, eps as {accuracy}"] = "; ".join(str(u) for _, u in units if not u.none)
        if not good:
            term, size, accuracy = _fault(terms, accuracies, logarithm)
            faults.append(
                f"{name}: {term} has the unit {size} with eps as {accuracy}: in other units of x (or f) "
                f"the same run has another value "
                "of the term, but the same T"
            )
    first = next((terms for name, terms in entries.items() if faults and faults[0].startswith(f"{name}:")), ())
    witness = other_units(first, accuracies, logarithm) if first else None
    if witness is not None:
        words = dict(method=METHOD, prose="a number of rounds has no unit: a term of it keeps its value in other units")
        return by_witness(witness, rung=Rung.PROOF, numbers=numbers, examined=examined, **words)
    if faults:
        return read(False, method=METHOD, examined=examined, counterexample=faults[0], numbers=numbers)
    stated = unchanged(tuple(entries.values()), accuracies, logarithm)
    prose = LOGARITHMS if any(term.has(sp.log) for terms in entries.values() for term in terms) else ""
    return by_relations(stated, numbers=numbers, method=SAME, prose=prose)


METHOD = (
    "Lengths times L and losses times E: the run is the same, and under every reading of eps a term has another value."
)
SAME = "Letters times their units: every term is the same, and the argument of its logarithm where that is to count."
LOGARITHMS = "A logarithm counts as a factor one; where its argument is to count, it is a term of its own."
LENGTH, LOSS = sp.symbols("L E", positive=True)


def unchanged(entries: Sequence[tuple[sp.Expr, ...]], accuracies: tuple[str, ...], logarithm: str) -> Relations:
    """Every term in other units of losses and lengths, and as it is; x_ is the letter x in the other units.

    The accuracy has the first reading under which an entry has no unit.  Where a term has a square root, letters are the
    roots of what they name.
    """
    powers = {x.exp for terms in entries for term in terms for x in term.atoms(sp.Pow)}
    root, name = (1, "{}") if all(x.is_integer for x in powers) else (2, r"\sqrt{{{}}}")
    claims: dict[str, None] = {}
    where = {f"{LOSS} > 0": None, f"{LENGTH} > 0": None}
    names = {}
    for terms in entries:
        accuracy = next(one for one in accuracies if all(u.none for _, u in _units(terms, one, logarithm)))
        here, there = {}, {}
        for x, (a, b) in {**UNITS, eps: ACCURACIES[accuracy]}.items():
            mark = 1 + (ANY.index(accuracy) if x == eps else 0)
            other = sp.Symbol(x.name + "_" * mark, positive=True) if a or b else x
            here[x], there[x] = x**root, other**root
            if any(term.has(x) for term in terms):
                primes = "'" * mark
                shown = orders.NAMES.get(x.name, x.name)
                names |= {other.name: name.format(f"({shown}){primes}"), x.name: name.format(shown)}
                where[f"{x} > 0"] = None
                where |= {} if other == x else {f"{other} = {x}*{LOSS**a * LENGTH**b}": None}
        whole = [term.replace(sp.log, lambda _: sp.Integer(1)) for term in terms]
        if logarithm == "argument":
            whole += [found.args[0] for term in terms for found in term.atoms(sp.log)]
        claims |= {f"{term.subs(there)} = {term.subs(here)}": None for term in whole}
    return Relations(f"{'; '.join(claims)} for {'; '.join(where)}", names=names)


def other_units(terms: tuple[sp.Expr, ...], accuracies: tuple[str, ...], logarithm: str) -> Witness | None:
    """Under each reading of eps the first term with a unit; the claim that one of them does not change is false."""
    product, names = sp.Integer(1), set()
    for accuracy in accuracies:
        term, found = next(pair for pair in _units(terms, accuracy, logarithm) if not pair[1].none)
        if any((2 * power).q != 1 for power in (found.loss, found.length)) or term.has(sp.log):
            return None
        changed = {x: x * LOSS**a * LENGTH**b for x, (a, b) in {**UNITS, eps: ACCURACIES[accuracy]}.items()}
        product *= term.subs(changed, simultaneous=True) - term
        names |= term.free_symbols
    plain = {x: sp.Symbol(x.name) for x in names}
    at = {x.name: 1 for x in sorted(plain, key=str)} | {LENGTH: 9, LOSS: 4}
    side = Side("product of the changes of a term, over the readings of eps", product.xreplace(plain))
    return Witness(at, side, "=", 0, (), f"the terms {', '.join(map(str, terms))}")


def _units(terms: tuple[sp.Expr, ...], accuracy: str, logarithm: str) -> list[tuple[sp.Expr, Unit]]:
    """(term, unit) of every term and, where it is to count, of the argument of its logarithm."""
    found = [(term, unit(term, accuracy)) for term in terms]
    if logarithm == "argument":
        found += [(term, u) for term in terms for u in log_units(term, accuracy)]
    return found


def _fault(terms: tuple[sp.Expr, ...], accuracies: tuple[str, ...], logarithm: str) -> tuple[sp.Expr, Unit, str]:
    """The first term with a unit under the reading of eps that leaves the fewest."""
    tried = {one: [pair for pair in _units(terms, one, logarithm) if not pair[1].none] for one in accuracies}
    best = min(tried, key=lambda accuracy: len(tried[accuracy]))
    return (*tried[best][0], best)


def printed_terms(
    algorithm: str, case: str, dissimilarity: str = "printed", logarithm: sp.Expr | None = None
) -> tuple[sp.Expr, ...]:
    """The terms of an entry of Table 1, with another dissimilarity term or logarithm where one is given."""
    found = orders.terms(algorithm, case)
    if dissimilarity != "printed" and "dissimilarity" in found:
        found["dissimilarity"] = sp.sympify(dissimilarity, locals={str(s): s for s in (G, beta, D2, F, eps, mu)})
    if logarithm is not None:
        found["optimisation"] = found["optimisation"].subs(sp.log(1 / eps), logarithm)
    return tuple(found.values())


TRANSFER = tuple((a, c) for a in ALGORITHMS[1:] for c in CASES[1:])


@units_claim(
    "MX-T1-DIM.1",
    headline="The orders of rounds of the transfer methods without logarithm are free of units",
    statement=unchanged([printed_terms(*entry) for entry in TRANSFER], ANY, "argument"),
    printed=dict(plant="1"),
    summary="The four orders of the Gradient Transfer methods without a logarithm have no unit, with eps measuring f - f* "
    "(convex) and |grad f|^2 (non-convex).",
    controls=[
        Control("one factor beta^(1/100) too many", dict(plant="beta**Rational(1,100)")),
        Control("one factor D too many", dict(plant="sqrt(D_sq)")),
    ],
)
def transfer_orders(plant: str) -> Evidence:
    factor = sp.sympify(plant, locals={"beta": beta, "D_sq": D2})
    entries = {f"{a}, {c}": tuple(t * factor for t in printed_terms(a, c)) for a, c in TRANSFER}
    return homogeneous(entries, ANY, "argument")


STRONGLY_CONVEX = tuple((a, "strongly convex") for a in ALGORITHMS)


def strongly_convex(logarithm: str, argument: str, plant: str) -> Evidence:
    """The three orders of the strongly convex case."""
    inner = sp.sympify(argument, locals={"mu": mu, "D_sq": D2, "eps": eps, "F": F})
    factor = sp.sympify(plant, locals={"mu": mu})
    entries = {
        f"{a}, {c}": tuple(t * factor for t in printed_terms(a, c, logarithm=sp.log(inner, evaluate=False)))
        for a, c in STRONGLY_CONVEX
    }
    return homogeneous(entries, ("f - f*",), logarithm)


logarithms = [
    units_claim(
        "MX-T1-DIM.2",
        statement=r"\tfrac\beta\mu\log\tfrac1\epsilon,\ \tfrac{B^2\beta}\mu\log\tfrac1\epsilon",
        printed=dict(logarithm="factor", argument="1/eps", plant="1"),
        summary="The strongly convex orders, with logarithms (which the tilde hides) counted as factors one, are "
        "pure numbers with eps measuring f - f*.",
        controls=[Control("mu one power too many", dict(plant="mu"))],
    )(strongly_convex),
    units_claim(
        "MX-T1-DIM.2-S1",
        statement=r"\tfrac\beta\mu\log\tfrac{\mu D^2}\epsilon",
        printed=dict(logarithm="argument", argument="mu*D_sq/eps", plant="1"),
        headline="The logarithm of the strongly convex rates, with an argument that is a pure number",
        summary="log(mu D^2/eps), which the explicit bound of Appendix D.2 gives.",
        controls=[
            Control("log(mu D/eps)", dict(argument="mu*sqrt(D_sq)/eps")),
            Control("log(1/eps)", dict(argument="1/eps")),
        ],
    )(strongly_convex),
]


def parallel_order(case: str, dissimilarity: str) -> Evidence:
    """One order of Parallel Training under all four readings of eps."""
    return homogeneous({f"PT, {case}": printed_terms("PT", case, dissimilarity)}, ANY, "argument")


REPAIRS = {"convex": "G*sqrt(beta)*D_sq/eps**(3/2)", "non-convex": "G*beta*F/eps**(3/2)"}
NEAR = {"convex": "G*sqrt(beta)*sqrt(D_sq)/eps**(3/2)", "non-convex": "G*sqrt(beta)*F/eps**(3/2)"}
parallel = []
for number, case_ in ((3, "convex"), (4, "non-convex")):
    parallel += [
        units_claim(
            f"MX-T1-DIM.{number}",
            statement=order("PT", case_),
            fault="substance",
            printed=dict(case=case_, dissimilarity="printed"),
            headline=f"Parallel Training, {case_}: a term of the order is no pure number",
            summary=f"Parallel Training, {case_}: G sqrt(beta)/eps^(3/2) is no pure number whatever eps measures, "
            f"the other two terms are.",
            repair=f"MX-T1-DIM.{number}-R1",
            controls=[Control("repaired term", dict(dissimilarity=REPAIRS[case_]), must="pass")],
        )(parallel_order),
        units_claim(
            f"MX-T1-DIM.{number}-R1",
            statement=unchanged([printed_terms("PT", case_, REPAIRS[case_])], ANY, "argument"),
            printed=dict(case=case_, dissimilarity=REPAIRS[case_]),
            headline=f"Parallel Training, {case_}: the dissimilarity term with the factor that units demand",
            summary=f"Parallel Training, {case_}: {REPAIRS[case_]} has no unit; it is what (beta G^2)^(1/3) "
            f"({'D^2' if number == 3 else 'F'}/T)^(2/3) = eps "
            f"{'' if number == 3 else '(times beta^(1/3)) '}gives.",
            controls=[
                Control("as printed", dict(dissimilarity="printed")),
                Control("another power", dict(dissimilarity=NEAR[case_])),
            ],
        )(parallel_order),
    ]


if __name__ == "__main__":
    run_script(__file__)
