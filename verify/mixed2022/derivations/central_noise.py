"""Central noise of a round from the minimiser 0 of f_f = f_c = lambda x^2/2 (Section 4.2 of Mixed FL), h = lambda eta.

1-way Gradient Transfer takes one draw c in all local steps, y' = y - eta (lambda y + c); Parallel Training takes a new draw c_t in
each of them.  After ``step`` steps the first is at -eta s c, s = 1 + (1 - h) + ... + (1 - h)^(step-1), the second is at P.
"""

from collections.abc import Mapping

from fltheory.derivation.script import Derivation
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON

_ONE_WAY = "eta**2*s**2*sq(c)"


def central_noise(power: str = "1", *, limit: bool, batch: bool = False) -> Mapping[str, JSON]:
    """Var_1w <= step^power Var_PT for every r = 1 - h; or for h <= 1/K (``limit``) at least (1 - (step - 1) h/2)^2 of that.

    ``batch``: the same with a draw b for c, of a batch that is step^power times as large, without this factor.
    """
    d = Derivation("Mixed FL, central noise of a round")
    declare(d, "axes xc past t; K >= 1; 1 <= step <= K over t, next step + 1")
    if limit:
        declare(d, "0 <= h <= 1/K; let r = 1 - h")
    else:
        d.parameter("r")
    declare(d, "eta, C >= 0")
    d.parameter("s", varies="t", next="r*s + 1", first="1")
    d.vector("P", "past t")
    for noise, axes in (("c", "xc"), ("c_t", "xc past t")):
        d.vector(noise, axes, mean=[["xc", "0", "unbiased central gradient"]])
        granted(d, f"variance of {noise}", form=f"C - sq({noise})", over="xc", relation="=")
    declare(d, "P1 over xc past t = r*P - eta*c_t; next P = P1")
    target, facts = "r**2*sq(P) + eta**2*C - sq(P1)", {"variance of c_t": "eta**2"}
    d.combine("one more", target, over="xc past", facts=facts, unfold="P1", relation="=")
    if limit:
        at_least_most_of_it(d, power)
    else:
        at_most_step_times(d, power)
    if not batch:
        return d.concluding("the variances")
    d.vector("b", "xc t", mean=[["xc", "0", "unbiased central gradient"]])
    larger = "variance of b, of a batch K times as large"
    granted(d, larger, fact="variance of b", form=f"C/step**({power}) - sq(b)", over="xc", relation="=")
    added, signs = "eta**2*s**2*sq(b)", ("-", "") if limit else ("", "-")
    facts = {"the variances": f"1/step**({power})", "variance of b": f"{signs[0]}eta**2*s**2"}
    facts["variance of c"] = f"{signs[1]}eta**2*s**2/step**({power})"
    target = f"{added} - (L/step)**2*sq(P)" if limit else f"sq(P) - {added}"
    d.combine("with the larger batch", target, over="xc past", facts=facts)
    return d.concluding("the variances", "with the larger batch")


def number(d: Derivation, name: str, form: str, first: str) -> None:
    """A number with its value after the first local step, from 0 by -eta c."""
    d.define(name, form, over="past", time="t", next=f"{name}_next", over_next="xc past", first=f"{name}_1")
    granted(d, f"{name} after one step", form=f"{name}_1 - ({first})", relation="=")


def at_most_step_times(d: Derivation, power: str) -> None:
    """Cauchy-Schwarz: (r s + 1)^2 <= (k + 1)(r^2 n + 1) from s^2 <= k n, the rest is (r s - k)^2/k."""
    number(d, "gap", "eta**2*C*s**2 - step*sq(P)", "0")
    keep = "r**2*(step + 1)/step"
    squares = [["eta**2/step", "(r*s - step)*c"]]
    facts = {"one more": "-(step + 1)", "variance of c": "eta**2*(r*s - step)**2/step"}
    target = f"{keep}*(eta**2*C*s**2 - step*sq(P)) - eta**2*C*(r*s + 1)**2 + (step + 1)*sq(P1)"
    d.combine("one more step", target, over="xc past", facts=facts, squares=squares)
    facts = {"one more step": "1", "gap": keep, "gap_next": "-1"}
    step = {"keep": keep, "facts": facts, "base": {"gap after one step": "-1"}}
    d.induction("every step", of="gap", bound="0", index="step", over="xc past", **step)
    facts = {"every step": "1", "gap": "1", "variance of c": "eta**2*s**2"}
    d.combine("the variances", f"step**({power})*sq(P) - {_ONE_WAY}", over="xc past", facts=facts)


def at_least_most_of_it(d: Derivation, power: str) -> None:
    """n <= k and s >= L = k (1 - (k - 1) h/2), so that s^2/n >= L^2/k."""
    d.let("L", "step*(1 - (step - 1)*h/2)")
    number(d, "PT", "sq(P)", "eta**2*C")
    facts = {"one more": "1", "PT": "r**2", "PT_next": "-1"}
    step = {"keep": "r**2", "facts": facts, "base": {"PT after one step": "-1"}}
    d.induction("from above", of="PT", bound="step*eta**2*C", index="step", over="xc past", **step)
    number(d, "short", "L - s", "0")
    facts = {"short": "r", "short_next": "-1"}
    step = {"keep": "r", "facts": facts, "base": {"short after one step": "-1"}}
    d.induction("from below", of="short", bound="0", index="step", over="xc past", **step)
    share = "eta**2*C*2*L"
    facts = {"from above": "L**2/step", "PT": "L**2/step", "from below": share, "short": share}
    facts["variance of c"] = "eta**2*((s - L)**2 - s**2)"
    target = f"{_ONE_WAY} - step**({power})*(L/step)**2*sq(P)"
    d.combine("the variances", target, over="xc past", facts=facts, squares=[["eta**2", "(s - L)*c"]])
