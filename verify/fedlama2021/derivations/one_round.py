"""A round of FedLAMA at the server: how far F falls from u to u', the average of the clients after the round's steps.

The average over the clients goes to w = u - eta (n + j g + j c) in j steps: ``n`` is the sum of the averaged noises, g the
gradient of F at u, ``c`` the mean over the steps of the change of the averaged gradients.  No synchronisation moves it.
Noise moves later gradients, so that n and c are not orthogonal: with weight theta, 2 j <n, c> is at most theta j (j -
1)/2 sigma^2/m
and 1/theta times L^2 times the sum of the drifts, since each noise is orthogonal to all gradients before it.
"""

from fltheory.derivation.replay import Underivable
from fltheory.derivation.script import Derivation
from fltheory.evidence.things import declare, granted
from verify.fedlama2021.derivations.lemma_5_2 import at_most_zero, begun

ROUND = "a round"
#: The weight theta of noise against drift, and what a round gains, its noise and its drift, for it.
WEIGHT = "2*L*eta"
_G = "mean(g_u, k)"
LEFT = "f_u - f_u1 - eta*tau/2*sq(mean(g_u, k))"
NOISE = "L*eta**2*tau/2*(1 + L*eta*(tau - 1))*sigma**2/m"
SPREAD = "3/4*eta*L**2*tau*sq(x - u)"


def server(d: Derivation, *, independent: bool = True) -> None:
    """The average of the clients after j steps, one step of it, and the sums in which it is told."""
    declare(d, "m >= 1")
    declare(d, f"n, c over past t; w over past t = u - eta*(n + j*c + j*{_G})")
    declare(d, "n1 over xi past t = n + mean(noise, k); c1 over past t = (j*c + mean(g_x - g_u, k))/(j + 1)")
    declare(d, f"w1 over xi past t = u - eta*(n1 + (j + 1)*c1 + (j + 1)*{_G})")
    for name in "ncw":
        d.next(name, f"{name}1")
        if name == "w":
            declare(d, "F at w, w1")
    d.next("f_w", "f_w1")
    form = "sq(w1 - (w - eta*mean(g_x + noise, k)))"
    d.combine("a step of the average", form, over="k xi past", relation="=", unfold="w1 w n1 c1")
    granted(d, "smooth", "u w1", fact="descent", of="F", L="L")
    if not independent:
        raise Underivable("without independence of the clients nothing is known of the variance of the averaged noise")
    d.independent("variance of the average", "variance", noise="noise", clients="k", total="V")
    granted(d, "equal weights", V="V", sigma="sigma", N="m")


def sums(d: Derivation) -> None:
    """E|n|^2 <= j sigma^2/m, E<n, g> = 0, j|c|^2 <= L^2 S, and the bound of 2 j <n, c>, after j steps and after
    j + 1."""
    over = "k xi past"

    def step(number: str, form: str, facts: dict[str, str], squares: list[list[str]], unfold: str) -> None:
        known = {number: "1", f"{number}_next": "-1", **facts}
        d.combine(f"step of {number}", form, over=over, facts=known, squares=squares, unfold=unfold)

    begun(d, "Noise", "sq(n)", "past")
    facts = {"variance of the average": "1", "equal weights": "-1"}
    step("Noise", "Noise + sigma**2/m - Noise_next", facts, [], "n1")
    at_most_zero(d, "Noise", {"step of Noise": "1"}, bound="j*sigma**2/m")
    facts = {"Noise at every step": "1", "step of Noise": "1"}
    d.combine("noise after the step", "(j + 1)*sigma**2/m - Noise_next", over=over, facts=facts)
    for name, sign in (("Above", ""), ("Below", "-")):
        begun(d, name, f"{sign}dot(n, {_G})", "k past")
        step(name, f"{name} - {name}_next", {}, [], "n1")
        at_most_zero(d, name, {f"step of {name}": "1"})
    begun(d, "Change", "j*sq(c) - L**2*S", "past")
    own = {"Lipschitz": "1", "one more drift": "L**2", "Drift": "L**2"}
    squares = [["j/(j + 1)", "c - mean(g_x - g_u, k)"], ["1", "g_x - g_u - mean(g_x - g_u, k)"]]
    step("Change", "Change - Change_next", own, squares, "c1")
    at_most_zero(d, "Change", {"step of Change": "1"})
    theta = f"({WEIGHT})"
    begun(d, "Both", f"2*j*dot(n, c) - {theta}*j*(j - 1)/2*sigma**2/m - L**2/{theta}*S", "past")
    facts = {name: f"{factor}/{theta}" for name, factor in own.items()}
    facts |= {"Noise at every step": theta, "Noise": theta}
    squares = [[theta, f"n - mean(g_x - g_u, k)/{theta}"], [f"1/{theta}", "g_x - g_u - mean(g_x - g_u, k)"]]
    step("Both", "Both - Both_next", facts, squares, "n1 c1")
    at_most_zero(d, "Both", {"step of Both": "1"})
    for name in ("Above", "Below", "Change", "Both"):
        facts = {f"{name} at every step": "1", f"step of {name}": "1"}
        d.combine(f"{name} after the step", f"-{name}_next", over=over, facts=facts)


def fall(d: Derivation) -> None:
    """F(u) - F(w) after j + 1 steps, and after all of them."""
    theta, over = f"({WEIGHT})", "k xi past"
    rest = f"L*eta**2/2*({{j}} + {theta}*{{j}}*({{j}} - 1)/2)*sigma**2/m + eta/2*L**2*(1 + L*eta/{theta})*{{S}}"
    phi = f"{{f}} + eta*{{j}}/2*sq({_G}) - ({rest})"
    begun_at = {"next": "Phi_next", "over_next": over, "first": "Phi_1", "last": "Phi_last"}
    d.define("Phi", phi.format(f="f_w", j="j", S="S"), over="k past", time="t", **begun_at)
    facts = {"descent": "1", "noise after the step": "L*eta**2/2", "Noise_next": "L*eta**2/2", "Phi_next": "-1"}
    for name, factor in (("Change", "eta/2"), ("Both", "L*eta**2/2")):
        facts |= {f"{name} after the step": factor, f"{name}_next": factor}
    for name, factor in (("Above", "L*eta**2*(j + 1)"), ("Below", "eta")):
        facts |= {f"{name} after the step": factor, f"{name}_next": factor}
    squares = [["eta*(j + 1)/2*(1 - L*eta*(j + 1))", f"{_G} + c1"]]
    d.combine("fall", "f_u - Phi_next", over=over, facts=facts, squares=squares, unfold="w1")
    d.end("fall in a round", "fall", ["Phi"], last=True)
    d.vector("u1", "past t")  # what is without t would be known before the first step
    d.point("u1", "F")
    known = phi.format(f="f_u1", j="tau", S="Total_all")
    d.hypothesis("u1 is the average after all steps", f"{known} - Phi_last", over="k past", relation="=")
    d.assume("the end", "u1 is the average after all steps")
    facts = {"fall in a round": "1", "the end": "-1", "all drifts": "-3/4*eta*L**2"}
    d.combine(ROUND, f"{LEFT} + {NOISE} + {SPREAD}", over="k past t", facts=facts)
