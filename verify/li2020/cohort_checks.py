"""How statements about one random cohort are judged: derived for any N and K, and evaluated on all cohorts of small systems.

A statement is a form of :mod:`verify.li2020.derivations.sampling` that vanishes, or is not negative, on average.  The same form is
derived and evaluated; in it ``w0`` is 0, ``wstar`` 3 and ``w`` 7.
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
    tables: dict[str, list[Fraction]] = {
        "v": list(models),
        "pv": [n * p * v for p, v in zip(weights, models, strict=True)],
    }
    tables["pw"] = [n * p * 7 for p in weights]
    tables["change"] = [after - before for after, before in zip(tables["pv"], tables["pw"], strict=True)]
    each = tables[of]
    named: dict[str, tuple[str, Callable[[Mapping[str, Any]], Any]]] = {
        **{name: ("k", lambda at, t=table: (t[at["k"]],)) for name, table in tables.items()},
        **{name: ("", lambda at, x=x: (Fraction(x),)) for name, x in (("w0", 0), ("wstar", 3), ("w", 7))},
        **{name: ("", lambda at, x=x: Fraction(x)) for name, x in (("N", n), ("K", k))},
        "one": ("l", lambda at: (each[at["l"]],)),
        "drawn": ("S", lambda at: (sum((each[i] for i in at["S"]), Fraction(0)) / k,)),
    }
    found.made |= {name: Tabulated(axes, value) for name, (axes, value) in named.items()}
    return found


def evaluated(drawn: str, line: Mapping[str, Any], of: str, over: str, absent: int) -> Search:
    """A form on all cohorts of the small systems, with at least so many clients absent."""
    sizes = ((*system, k) for system in SYSTEMS for k in range(1, len(system[0]) + 1 - absent))
    cases = (
        (
            f"{drawn}: p={sampling.text(weights)}, v={sampling.text(models)}, K={k}, w=7, w0=0, w*=3, on average {line['form']}",
            value,
        )
        for weights, models, k in sizes
        for value in space(drawn, of, weights, models, k).averages(Text(line["form"], tuple(over.split())))
    )
    sides: Callable[[tuple[str, Fraction]], tuple[Fraction, Fraction]] = lambda case: (case[1], Fraction(0))  # noqa: E731
    return search(cases, sides, relation=line.get("relation", "="), describe=itemgetter(0))


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
