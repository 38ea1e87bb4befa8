"""Local steps from one model on one loss: Lemmas D.11 and D.13 of Mixed FL for a side alone, as lemmas of its rounds.

A local step is y' = y - eta (grad h(y) + z + b), with a vector b that a round fixes: the other side's gradients, or nothing.
"""

from collections.abc import Mapping
from functools import cache

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from verify.mixed2022.derivations.local_steps import CONVEX_SUM, SMOOTH_GROWTH, SMOOTH_SUM, expansion, nonexpansive
from verify.mixed2022.derivations.one_function import losses

DRIFT = "drift of a side"
#: A bound of the sum of r^j over j < step, from one of the sum over j <= step, of which it is 1/r of what is left without 1.
_LONGER = SMOOTH_SUM.replace("step", "(step + 1)")
_SMOOTH_SUM = f"(({_LONGER} - 1)/((1 + 1/K)*{SMOOTH_GROWTH}))"


@cache
def drift_of_a_side(*, convex: bool) -> Mapping[str, JSON]:
    """The average of |y - x|^2 over the K points at which gradients are taken is at most 2 K^2 eta^2 (|grad h(x) + b|^2 + V/K)."""
    d = losses(f"Mixed FL, local steps on a {'convex' if convex else 'smooth'} loss", modulus=False)
    declare(d, "axes xi past t; K >= 1; 0 <= step <= K - 1 over t, next step + 1; V, G2 >= 0")
    d.parameter("eta", 0, "2/beta" if convex else "1/(18*beta*K)")
    declare(d, "function h; x, b over nothing; y over past t; h at x, y")
    d.vector("y0", equals="x")  # the first local point, for whoever makes an instance
    declare(d, "G = g_x + b; z over xi past t, mean 0 over xi; y1 over xi past t = y - eta*(g_y + z + b)")
    declare(d, "next y = y1")
    granted(d, "squared gradient", G2="G2", gradient="G")
    granted(d, "bounded variance", sigma2="V", noise="z")
    over = "xi past"
    d.define("Drift", "sq(y - x)", over="past", time="t", next="Drift_next", over_next=over, first="Drift_1")
    granted(d, "empty sum", fact="first", name="the first point is x", first="Drift_1")
    if convex:
        suppose(d, "smooth", of="h", L="beta")
        suppose(d, "convex", of="h")
        nonexpansive(d, "h")
    else:
        suppose(d, "Lipschitz gradients", of="h", L="beta")
        expansion(d)
    own, growth, total = ("nonexpansive", "1", CONVEX_SUM) if convex else ("expansion", SMOOTH_GROWTH, _SMOOTH_SUM)
    right = "(K + 1)*eta**2*G2 + eta**2*V"
    facts = {own: "1 + 1/K", "bounded variance": "eta**2", "squared gradient": "(K + 1)*eta**2"}
    squares = [["1/K", "y - x - eta*(g_y - g_x) + K*eta*(g_x + b)"]]
    target = f"(1 + 1/K)*{growth}*sq(y - x) + {right} - sq(y1 - x)"
    d.combine("one step", target, over=over, facts=facts, squares=squares, unfold="y1 G")
    facts = {"one step": "1", "Drift": f"(1 + 1/K)*{growth}", "Drift_next": "-1"}
    d.combine("recursion", f"(1 + 1/K)*{growth}*Drift + {right} - Drift_next", over=over, facts=facts)
    following = total.replace("step", "(step + 1)")
    d.combine("one more power", f"{following} - (1 + 1/K)*{growth}*{total} - 1")
    facts = {"recursion": "1", "one more power": right}
    step = {"keep": f"(1 + 1/K)*{growth}", "facts": facts, "base": {"first": "-1"}}
    d.induction("every step", of="Drift", bound=f"{total}*({right})", index="step", over=over, **step)
    d.combine("sum at the end", f"(K + 1)*(2*K**2 - (K + 1)*{total.replace('step', '(K - 1)')})")
    d.combine("sum of the powers", f"2*K**2/(K + 1) - {total}", facts={"sum at the end": "1/(K + 1)**2"})
    facts = {"every step": "1", "Drift": "1", "sum of the powers": right, "squared gradient": "-2*K**2*eta**2"}
    whole = "2*K**2*eta**2*(sq(g_x + b) + V/K) - sq(y - x)"
    d.combine("at every point", whole, over=over, facts=facts, unfold="G")
    d.combine(DRIFT, whole, over=f"{over} t", facts={"at every point": "1"})
    return d.concluding(DRIFT)


def drifts_of_both(d: Derivation, convex: bool, federated: str, central: str, *, others: tuple[str, str]) -> None:
    """The drift of the clients and of the centre by the lemma, at these local step sizes, beside ``others`` of each side."""
    lemma = "local steps on one loss"
    d.lemma(lemma, drift_of_a_side(convex=convex))
    for side, of, y, axes, noise, eta, b in (
        ("clients", "ff", "y", ("xi", "j"), "V", federated, others[0]),
        ("centre", "fc", "yc", ("xc", "i"), "C", central, others[1]),
    ):
        names = {"past": axes[0], "t": axes[1], "beta": "beta", "K": "K", "V": noise, "eta": eta}
        names |= {"h": of, "x": "x", "y": y, "b": b}
        known = ("smooth", "convex") if convex else ("Lipschitz gradients",)
        known = {one: one if of == "ff" else f"fc {one}" for one in known}
        d.apply(f"drift of the {side}", lemma, DRIFT, names=names, hypotheses=known)
