"""How statements about one random cohort are judged: derived for any N and K, and evaluated on all cohorts of small systems.

A statement is a form of :mod:`verify.li2020.derivations.sampling` that vanishes, or is not negative, on average.  The same form is
derived and evaluated.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from operator import itemgetter
from typing import Any, NamedTuple

from fltheory.derivation.finite import FiniteInstance, FiniteSpace, Tabulated, Text
from fltheory.derivation.statement import Derived
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.model import Evidence
from fltheory.theory import sampling
from verify.li2020.derivations.sampling import of_cohorts

Numbers = tuple[Fraction, ...]
#: Weights and models; the mean of the last ones is 0.
SYSTEMS: Sequence[tuple[Numbers, Numbers]] = [
    ((Fraction(2, 3), Fraction(1, 3)), (Fraction(1), Fraction(0))),
    ((Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), (Fraction(1), Fraction(-2), Fraction(5))),
    ((Fraction(1, 4),) * 4, (Fraction(3), Fraction(-1), Fraction(-3), Fraction(1))),
]
#: The last common model, the minimiser, and the old model.
FIXED = {"w0": Fraction(0), "wstar": Fraction(3), "w": Fraction(7)}


class Way(NamedTuple):
    """How a cohort is drawn: the scheme that is derived, and weights of clients and the law of K draws from the weights p."""

    scheme: str
    weights: Callable[[Numbers], Numbers]
    draws: Callable[[Numbers, int], list[sampling.Draws]]


def _equal(weights: Numbers) -> Numbers:
    return (Fraction(1, len(weights)),) * len(weights)


DRAWN: Mapping[str, Way] = {
    "I": Way("I", tuple, sampling.independent_draws),
    "II": Way("II", _equal, lambda p, k: sampling.successive_draws(_equal(p), k)),
    "one draw for all": Way("any", tuple, sampling.repeated_draw),
    "uniform draws": Way("", tuple, lambda p, k: sampling.independent_draws(_equal(p), k)),
    "successive draws": Way("", tuple, sampling.successive_draws),
}


def space(drawn: str, of: str, weights: Numbers, models: Numbers, k: int) -> FiniteSpace:
    """All cohorts of K of the clients, and what the names of a form are there."""
    n, way = len(weights), DRAWN[drawn]
    clients = dict(enumerate(way.weights(weights)))
    cohorts = {order: chance for chance, order in way.draws(weights, k)}
    found = FiniteSpace(FiniteInstance({"k": clients, "l": clients, "S": cohorts}, {}))
    each = {"v": models, "pw": [n * p * FIXED["w"] for p in weights]}
    each["pv"] = [n * p * v for p, v in zip(weights, models, strict=True)]
    each["change"] = [after - before for after, before in zip(each["pv"], each["pw"], strict=True)]
    average_of = each[of]
    for name, table in each.items():
        found.made[name] = Tabulated("k", lambda at, table=table: (table[at["k"]],))
    for name, number in FIXED.items():
        found.made[name] = Tabulated("", lambda at, number=number: (number,))
    for name, size in (("N", n), ("K", k)):
        found.made[name] = Tabulated("", lambda at, size=size: Fraction(size))
    found.made["one"] = Tabulated("l", lambda at: (average_of[at["l"]],))
    found.made["drawn"] = Tabulated("S", lambda at: (sum((average_of[i] for i in at["S"]), Fraction(0)) / k,))
    return found


def evaluated(drawn: str, line: Mapping[str, Any], of: str, over: str, absent: int) -> Search:
    """A form on all cohorts of the small systems, with at least so many clients absent."""
    fixed = ", ".join(f"{name}={number}" for name, number in FIXED.items())
    cases = [
        (f"{drawn}: p={sampling.text(p)}, v={sampling.text(v)}, K={k}, {fixed}, on average {line['form']}", value)
        for p, v in SYSTEMS
        for k in range(1, len(p) + 1 - absent)
        for value in space(drawn, of, p, v, k).averages(Text(line["form"], tuple(over.split())))
    ]
    return search(
        cases,
        lambda case: (case[1], Fraction(0)),
        relation=line.get("relation", "="),
        describe=itemgetter(0),
    )


Statements = Mapping[str, object] | str
Part = tuple[Derived, Search]


def part(drawn: str, *statements: Statements, of: str = "v", over: str = "k S l", absent: int = 0) -> Part:
    """Forms as in :func:`verify.li2020.derivations.sampling.of_cohorts`: derived, if the way to draw is a scheme, and evaluated."""
    scheme = DRAWN[drawn].scheme
    lines = [{"form": one} if isinstance(one, str) else one for one in statements]
    derived = Derived(None, reason=f"{drawn}: no scheme of the paper")
    if scheme:
        derived = of_cohorts(scheme, *lines, of=of, over=over, absent=absent)
    return derived, worst(evaluated(drawn, line, of, over, absent) for line in lines)


def worst(searched: Iterable[Search]) -> Search:
    """The search with the smallest slack."""
    return min(searched, key=lambda one: one.worst)


def together(*parts: Part, valid_for: str) -> Evidence:
    """Evidence for all of the parts: the worst search decides."""
    return by_derivation([one for one, _ in parts], worst(two for _, two in parts), valid_for=valid_for)


def judged(drawn: str, *statements: Statements, valid_for: str, **how: Any) -> Evidence:
    """Evidence for one :func:`part`."""
    return together(part(drawn, *statements, **how), valid_for=valid_for)
