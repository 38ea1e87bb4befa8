r"""One round of mixed FL in symbols: the package's own algorithms, and the listings of Augenstein et al. (2022) beside them.

An algorithm's program (``fltheory.readings.gram``) is turned into expressions in which losses are unknown functions:
``g(y)`` is a client's gradient at ``y``, ``h(y)`` the central one, and ``A`` averages over the clients or the cohort,
linear with ``A(1) = 1``.  Two expressions that agree after expansion agree for all losses, numbers of clients, weights,
cohorts and dimensions.  Every call of ``g`` or ``h`` is one draw of an oracle; two draws at one point would be confused,
and no two calls of the rounds looked at here share a point.
"""

from collections.abc import Callable
from typing import Any

import sympy as sp

from fltheory.readings.gram import Program, program
from fltheory.readings.numbers import rational_functions
from fltheory.theory.steps import Step, identity

eta, eta_c, eta_s, eta_m = sp.symbols("eta eta_c eta_s eta_m", positive=True)
RATES = (eta, eta_c, eta_s, eta_m)
x, u, v = sp.symbols("x u v")
"""The model, and the augmenting gradients gt_c and gt_f."""

g, h, A = sp.Function("g"), sp.Function("h"), sp.Function("A")
Expr = Any


def average(expression: Expr) -> Expr:
    """``A`` of an expression that is linear in calls of ``g``; whatever else it contains is the same for all clients."""
    total = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(expression)):
        calls = [factor for factor in sp.Mul.make_args(term) if isinstance(factor, g)]
        if len(calls) > 1:
            raise ValueError(f"the term {term} is not linear in the clients' gradients")
        total += term / calls[0] * A(calls[0]) if calls else term
    return sp.expand(total)


def traced(algorithm_of: Callable[..., Any], state: tuple[sp.Symbol, ...], *, rounds: int = 1) -> tuple[Expr, ...]:
    """The state after one round (or more) of ``algorithm_of(eta, eta_c, eta_s, eta_m)`` from a free state."""
    numbers, generators = rational_functions("eta", "eta_c", "eta_s", "eta_m")
    made = program(algorithm_of(*generators), rounds=rounds, free_state=True, numbers=numbers)
    return tuple(evaluate(made, state)[register] for register in made.states[-1])


def evaluate(made: Program, state: tuple[sp.Symbol, ...]) -> list[Expr]:
    """Every register of a program as an expression; its state's leaves are ``state``."""
    given = dict(zip(made.states[0], state, strict=True))
    found: list[Expr] = []
    for place, item in enumerate(made.instructions):
        name = item[0]
        if name == "given":
            found.append(given.get(place, sp.Symbol(f"unused_{place}")))
        elif name == "combine":
            total = sum((expression_of(factor) * found[term] for factor, term in item[1]), sp.Integer(0))
            found.append(sp.expand(total))
        elif name in ("gradient", "centre"):
            found.append((g if name == "gradient" else h)(found[item[1]]))
        elif name in ("average", "mean"):
            found.append(average(found[item[1]]))
        else:
            raise ValueError(f"instruction {name!r} has no meaning for unknown losses")
    return found


def expression_of(number: Any) -> Expr:
    """A coefficient of a program as a SymPy expression in the rates."""
    if not hasattr(number, "as_expr"):
        return sp.Rational(str(number))
    names = {sp.Symbol(rate.name): rate for rate in RATES}
    return number.as_expr().xreplace(names)


def client_update(start: Expr, steps: int, shift: Expr) -> Expr:
    """ClientUpdate of the listing: the change of one client's model over ``steps`` steps."""
    y = start
    for _ in range(steps):
        y = sp.expand(y - eta * (g(y) + shift))
    return sp.expand(y - start)


def central_update(start: Expr, steps: int, shift: Expr) -> Expr:
    """The central loop of the listing."""
    y = start
    for _ in range(steps):
        y = sp.expand(y - eta_c * (h(y) + shift))
    return sp.expand(y - start)


def listing(kind: str, steps: int, *, central_steps: int | None = None, merge_factor: Expr = 1) -> tuple[Expr, ...]:
    """One round as Algorithm 1 or 2 prints it, SGD everywhere, clients with equal steps and batches; J = K by default."""
    many = steps if central_steps is None else central_steps
    if kind == "1-way":
        return (sp.expand(x + eta_s * average(client_update(x, steps, h(x)))),)
    if kind not in ("parallel", "2-way"):
        raise ValueError(f"kind={kind!r} is not an algorithm; expected '1-way', 'parallel' or '2-way'")
    to_clients, to_centre = (u, v) if kind == "2-way" else (sp.Integer(0), sp.Integer(0))
    moved_centre = central_update(x, many, to_centre)
    moved_clients = average(client_update(x, steps, to_clients))
    model = sp.expand(x + merge_factor * eta_m * (moved_centre + eta_s * moved_clients))
    if kind == "parallel":
        return (model,)
    return model, sp.expand(-moved_centre / (eta * many) - v), sp.expand(-moved_clients / (eta * steps) - u)


def same(left: tuple[Expr, ...], right: tuple[Expr, ...], name: str) -> list[Step]:
    """Two states agree identically, leaf by leaf."""
    if len(left) != len(right):
        return [Step(name, False, f"{len(left)} leaves against {len(right)}")]
    return [identity(f"{name}, leaf {i}", a, b) for i, (a, b) in enumerate(zip(left, right, strict=True))]
