"""Algorithms 1 and 2 of Mixed FL from their listings: loops of local steps, what the server adds up, what it renews.

A step subtracts ``rate (gradient + shift)``.  Gradients are any vectors: nothing is supposed of losses and oracles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.witness import FiniteInstance

F = Fraction
#: Rates and a state that coincide nowhere.
RATES = {"eta": F(1, 4), "eta_c": F(1, 3), "eta_s": F(3, 2), "eta_m": F(4, 5)}
STATE = {"x": F(2), "u": F(1, 2), "v": F(-1), "e": F(1)}
#: Clients of a cohort with their weights, f_i = lambda_i (x - a_i)^2/2, and the central loss.
WEIGHTS, PARABOLAS, CENTRE = {0: F(1, 3), 1: F(2, 3)}, {0: (F(1), F(1)), 1: (F(2), F(-1))}, (F(3), F(-1))
AT = (
    "f_1 = (x - 1)^2/2, f_2 = (x + 1)^2, p = (1/3, 2/3), f_c = 3(x + 1)^2/2, x = 2, gt_c = 1/2, gt_f = -1, eta = 1/4, "
    "eta_c = 1/3, eta_s = 3/2, eta_m = 4/5"
)

NAMES = {
    "x1": "x^{(t+1)}",
    "x": "x^{(t)}",
    "u1": r"\tilde g_c^{(t+1)}",
    "u": r"\tilde g_c^{(t)}",
    "v1": r"\tilde g_f^{(t+1)}",
    "v": r"\tilde g_f^{(t)}",
    "h": "g_c(x^{(t)})",
    "eta_s": r"\eta_s",
    "eta_c": r"\eta_c",
    "eta_m": r"\eta_m",
    "K*mean(g, k, t)": r"\frac{\sum_ip_i\sum_{k<K}g_i(x_i^{(t,k)})}{\sum_ip_i}",
    "mean(g, k, t)": r"\frac{\sum_ip_i\sum_{k<K}g_i(x_i^{(t,k)})}{K\sum_ip_i}",
    "K*mean(h, t)": r"\sum_{k<K}g_c(x_c^{(t,k)})",
    "mean(h, t)": r"\frac1K\sum_{k<K}g_c(x_c^{(t,k)})",
}
METHOD = "The loops of the listing summed up line by line, for any gradients; the server's lines inserted."
EVERY = "all losses and oracles, every K, N, S, weights, d, all rates; equal client steps"


def listing(title: str, *, steps: str = "K", clients: bool = True) -> Derivation:
    """Axes, rates, the model x, and any vector z."""
    d = Derivation(f"Mixed FL, {title}")
    d.axis("t", "time")
    if clients:
        d.axis("k", "clients")
    d.parameter(steps, 1)
    for rate in RATES:
        d.parameter(rate, 0, low_open=True)
    for name in ("z", "x"):
        d.vector(name)
    return d


def loop(
    d: Derivation, point: str, gradient: str, shift: str, change: str, rate: str, *, axes: str = "", steps: str = "K"
) -> None:
    """``change``, the last point less the first one, averaged over ``axes``, is ``-rate`` times the sum of what is added."""
    added = f"({gradient} + {shift})" if shift else gradient
    number, mean = point.upper(), f"mean({added}, {', '.join(axes.split())})" if axes else added
    d.vector(point, f"{axes} t")
    d.vector(f"{point}1", f"{axes} t", equals=f"{point} - {rate}*{added}")
    d.next(point, f"{point}1")
    names = {"next": f"{number}_next", "over_next": axes.split(), "first": f"{number}_first", "last": f"{number}_last"}
    d.define(number, f"dot({point}, z)", axes.split(), "t", **names)
    target = f"{number}_next - {number} + {rate}*dot({mean}, z)"
    facts = {f"{number}_next": "1", number: "-1"}
    d.combine(f"one step of {point}", target, over=axes, facts=facts, unfold=f"{point}1", relation="=")
    d.telescope(f"all steps of {point}", f"one step of {point}", [number], steps)
    d.vector(change)
    suppose(
        d, "last less first", name=f"change of {point}", change=change, first=f"{number}_first", last=f"{number}_last"
    )
    d.assume(f"change of {point}", f"change of {point}")
    over = f"mean({added}, {', '.join([*axes.split(), 't'])})"
    facts = {f"all steps of {point}": steps, f"change of {point}": "1"}
    d.combine(change, f"dot({change} + {steps}*{rate}*{over}, z)", facts=facts, relation="=")


def walk(
    loss: tuple[Fraction, Fraction],
    rate: Fraction,
    shift: Any,
    total: int,
    taken: int | None = None,
    memory: Fraction = Fraction(0),
) -> dict[str, list[Fraction]]:
    """Points and gradients of ``total`` steps of which the first ``taken`` are taken, with one shift or one per step."""
    points, gradients, moment = [STATE["x"]], list[Fraction](), F(0)
    taken = total if taken is None else taken
    for i in range(total + 1):
        gradients.append(loss[0] * (points[i] - loss[1]) if i < taken else F(0))
        added = F(shift[i] if isinstance(shift, list) else shift) if i < taken else F(0)
        moment = memory * moment + gradients[i] + added if i < taken else F(0)
        points.append(points[i] - rate * moment)
    return {"points": points, "gradients": gradients}


def instance(
    total: int, vectors: Mapping[str, Any], numbers: Mapping[str, Any], *, clients: bool = True
) -> FiniteInstance:
    """``vectors`` by name: a number, a list along the steps, or those of each client by its name."""

    def at(item: Any) -> Callable[[Any], tuple[Fraction]]:
        def value(p: Any) -> tuple[Fraction]:
            own = item[p["k"]] if isinstance(item, dict) else item
            return (F(own[p["t"]] if isinstance(own, list) else own),)

        return value

    axes = {"t": {i: F(1, total) for i in range(total)}, **({"k": WEIGHTS} if clients else {})}
    given: dict[str, Any] = {name: at(item) for name, item in {"z": F(1), **STATE, **vectors}.items()}
    given |= {
        name: lambda p, n=n: F(n[p["k"]] if isinstance(n, dict) else n) for name, n in {**RATES, **numbers}.items()
    }
    return FiniteInstance(axes, given)


def clients(d: Derivation, shift: str) -> None:
    """The clients' loops: D is the cohort's average change."""
    d.vector("g", "k t")
    loop(d, "y", "g", shift, "D", "eta", axes="k")


def walked(shift: Any = 0, total: int = 2, taken: int | None = None) -> dict[str, Any]:
    """The clients' loops on the instance."""
    each = {i: walk(loss, RATES["eta"], shift, total, taken) for i, loss in PARABOLAS.items()}
    change = sum(p * (each[i]["points"][total] - STATE["x"]) for i, p in WEIGHTS.items())
    return {
        "y": {i: e["points"] for i, e in each.items()},
        "g": {i: e["gradients"] for i, e in each.items()},
        "D": change,
    }


def centred(shift: Any = 0, total: int = 2) -> dict[str, Any]:
    """The central loop on the instance."""
    found = walk(CENTRE, RATES["eta_c"], shift, total)
    return {"c": found["points"], "h": found["gradients"], "Dc": found["points"][total] - STATE["x"]}


def both_loops(title: str, to_clients: str = "", to_centre: str = "") -> Derivation:
    """K steps of the clients and K of the centre; a side's update with the other side's gradient added."""
    d = listing(title)
    for name in ("e", "u", "v"):
        d.vector(name)
    d.vector("h", "t")
    clients(d, to_clients)
    loop(d, "c", "h", to_centre, "Dc", "eta_c")
    return d


def of_both(to_clients: Any = 0, to_centre: Any = 0, **vectors: Any) -> FiniteInstance:
    return instance(2, {**walked(to_clients), **centred(to_centre), **vectors}, {"K": 2})
