"""Algorithms 1 and 2 of Mixed FL from their listings: loops of local steps, what the server adds up, what it renews.

A step subtracts ``rate (gradient + shift)``.  Gradients are any vectors: nothing is supposed of losses and oracles.
"""

from fltheory.derivation.script import Derivation
from fltheory.evidence.things import declare, granted

RATES = ("eta", "eta_c", "eta_s", "eta_m")
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
    declare(d, "z, x")
    return d


def loop(
    d: Derivation, point: str, gradient: str, shift: str, change: str, rate: str, *, axes: str = "", steps: str = "K"
) -> None:
    """``change``, the last point less the first one, averaged over ``axes``, is ``-rate`` times the sum of what is added."""
    added = f"({gradient} + {shift})" if shift else gradient
    number, mean = point.upper(), f"mean({added}, {', '.join(axes.split())})" if axes else added
    declare(d, f"{point} over {axes} t; {point}1 over {axes} t = {point} - {rate}*{added}; next {point} = {point}1")
    names = {"next": f"{number}_next", "over_next": axes.split(), "first": f"{number}_first", "last": f"{number}_last"}
    d.define(number, f"dot({point}, z)", axes.split(), "t", **names)
    target = f"{number}_next - {number} + {rate}*dot({mean}, z)"
    facts = {f"{number}_next": "1", number: "-1"}
    d.combine(f"one step of {point}", target, over=axes, facts=facts, unfold=f"{point}1", relation="=")
    d.telescope(f"all steps of {point}", f"one step of {point}", [number], steps)
    d.vector(change)
    ends = {"first": f"{number}_first", "last": f"{number}_last"}
    granted(d, "last less first", name=f"change of {point}", change=change, **ends)
    over = f"mean({added}, {', '.join([*axes.split(), 't'])})"
    facts = {f"all steps of {point}": steps, f"change of {point}": "1"}
    d.combine(change, f"dot({change} + {steps}*{rate}*{over}, z)", facts=facts, relation="=")


def clients(d: Derivation, shift: str) -> None:
    """The clients' loops: D is the cohort's average change."""
    d.vector("g", "k t")
    loop(d, "y", "g", shift, "D", "eta", axes="k")


def both_loops(title: str, to_clients: str = "", to_centre: str = "") -> Derivation:
    """K steps of the clients and K of the centre; a side's update with the other side's gradient added."""
    d = listing(title)
    declare(d, "e, u, v; h over t")
    clients(d, to_clients)
    loop(d, "c", "h", to_centre, "Dc", "eta_c")
    return d
