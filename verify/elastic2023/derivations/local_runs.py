"""Local runs of elastic aggregation: their distance from runs without noise, and the two drifts that their points have."""

from collections.abc import Mapping

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from verify.elastic2023.derivations.sums import from_zero


def noisy_run(title: str, top: str) -> Derivation:
    """A client's run on a loss h beside the one without noise, ``ref``, for steps up to ``top``."""
    d = Derivation(f"Elastic aggregation, {title}")
    declare(d, "axes xi past t; beta > 0; sigma >= 0; K >= 1")
    d.parameter("eta", 0, top, low_open=True)
    declare(d, "0 <= step <= K over t, next step + 1")
    declare(d, "function h; y over past t; ref over t; h at y, ref; z over xi past t, mean 0 over xi")
    declare(d, "y1 over xi past t = y - eta*(g_y + z); ref1 over t = ref - eta*g_ref; next y = y1; next ref = ref1")
    granted(d, "bounded variance", fact="variance", sigma2="sigma**2", noise="z")
    return d


def local_run(*, convex: bool = True, top: str = "2/beta") -> Mapping[str, JSON]:
    """After k steps on a convex loss a run is k eta_l^2 sigma^2 from the one without noise, ``ref``, in mean square, or less.

    A step does not expand, and what the noise depends on does not matter.  The variance of the local point is less still.
    """
    d = noisy_run("distance from a run without noise", top)
    suppose(d, "smooth", of="h", L="beta")
    if convex:
        suppose(d, "convex", of="h")
    for a, b in (("ref", "y"), ("y", "ref")):
        declare(d, f"below_{b} over past t = {b} - (g_{b} - g_{a})/beta; h at below_{b}")
        d.assume(f"A4 below {b}", "smooth", [b, f"below_{b}"])
        d.assume(f"A2 from {a}", "convex", [a, f"below_{b}"])
        facts = {f"A4 below {b}": "1", f"A2 from {a}": "1"}
        target = f"f_{b} - f_{a} - dot(g_{a}, {b} - {a}) - sq(g_{b} - g_{a})/(2*beta)"
        d.combine(f"interpolation from {a}", target, facts=facts, unfold=f"below_{b}")
    facts = {"interpolation from ref": "2*eta", "interpolation from y": "2*eta"}
    squares = [["eta*(2/beta - eta)", "g_y - g_ref"]]
    d.combine("no expansion", "sq(y - ref) - sq(y - eta*g_y - ref + eta*g_ref)", facts=facts, squares=squares)
    target = "sq(y - ref) + eta**2*sigma**2 - sq(y1 - ref1)"
    facts = {"no expansion": "1", "variance": "eta**2"}
    d.combine("one step", target, over="xi past", facts=facts, unfold="y1 ref1")
    from_zero(d, "A", "sq(y - ref)", "step*eta**2*sigma**2", {"one step": "1"})
    d.combine(
        "after k steps", "step*eta**2*sigma**2 - sq(y - ref)", over="xi past", facts={"bound of A": "1", "A": "1"}
    )
    return d.concluding("after k steps")


#: A bound of the sum of (1 + 1/(16 K))^(2 j) over j < step.
_SMOOTH_SUM = "(step + step*(step - 1)/(14*K))"


def smooth_run(most: str = "15/14", top: str = "1/(16*beta*K)") -> Mapping[str, JSON]:
    """The same for smooth losses, convex or not, and short steps: most K eta_l^2 sigma^2 after each of the K steps.

    A step expands by 1 + eta_l beta at most.
    """
    d = noisy_run("distance from a run without noise on smooth losses", top)
    granted(d, "Lipschitz gradients", "ref y", fact="A4", of="h", L="beta")
    growth = "(1 + 1/(16*K))**2"
    squares = [["eta/beta", "beta*(y - ref) + g_y - g_ref"], [f"{growth} - (1 + eta*beta)**2", "y - ref"]]
    target = f"{growth}*sq(y - ref) - sq(y - eta*g_y - ref + eta*g_ref)"
    d.combine("expansion", target, facts={"A4": "eta**2 + eta/beta"}, squares=squares)
    target = f"{growth}*sq(y - ref) + eta**2*sigma**2 - sq(y1 - ref1)"
    d.combine("one step", target, over="xi past", facts={"expansion": "1", "variance": "eta**2"}, unfold="y1 ref1")
    d.define("A", "sq(y - ref)", over="past", time="t", next="A_next", over_next="xi past", first="A_1")
    granted(d, "empty sum", fact="A at the start", first="A_1")
    facts = {"one step": "1", "A": growth, "A_next": "-1"}
    d.combine("recursion", f"{growth}*A + eta**2*sigma**2 - A_next", over="xi past", facts=facts)
    following = _SMOOTH_SUM.replace("step", "(step + 1)")
    d.combine("one more power", f"{following} - {growth}*{_SMOOTH_SUM} - 1")
    unit = "eta**2*sigma**2"
    grow = {"keep": growth, "facts": {"recursion": "1", "one more power": unit}, "base": {"A at the start": "-1"}}
    d.induction("by induction", of="A", bound=f"{_SMOOTH_SUM}*{unit}", index="step", over="xi past", **grow)
    d.combine("sum", f"{most}*K - {_SMOOTH_SUM}")
    facts = {"by induction": "1", "A": "1", "sum": unit}
    d.combine("after k steps", f"{most}*K*{unit} - sq(y - ref)", over="xi past", facts=facts)
    return d.concluding("after k steps")


def drift_of_the_points(extra: str = "1") -> Mapping[str, JSON]:
    """K times the drift as defined is K times that of the points where gradients are taken and ``extra`` |y_K - x|^2."""
    d = Derivation("Elastic aggregation, both drifts")
    declare(d, "axes xi past t; K >= 1; x; y over past t; later over xi past t; next y = later")
    ends = {"first": "A_first", "last": "A_end"}
    d.define("A", "sq(y - x)", over="past", time="t", next="A_next", over_next="xi past", **ends)
    d.define("Drift", "sq(y - x)", over="past", time="t", next="Drift_next", over_next="xi past")
    granted(d, "empty sum", fact="first", name="the first point is x", first="A_first")
    facts = {"A_next": "1", "A": "-1", "Drift_next": "-1", "Drift": "1"}
    d.combine("one step", "A_next - A - Drift_next + Drift", over="xi past", facts=facts, relation="=")
    d.telescope("all steps", "one step", ["A"], "K")
    target = f"K*mean(Drift_next, t) - K*mean(Drift, t) - {extra}*A_end"
    facts = {"all steps": "-K", "first": "-1"}
    d.combine("the drifts", target, over="xi past t", facts=facts, relation="=")
    return d.concluding("the drifts")
