"""Orders in T behind the theorems of Li et al. (2020), with explicit constants, and a run that is no faster."""

from collections.abc import Mapping

from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import Derived
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.li2020 import theorems
from verify.li2020.derivations.theorems import gap


def one_over_t(theorem: Bound, scheme: str) -> Derived:
    """E F(w_T) - F* <= c/T with c = (gamma + T - 1) times the bound of the theorem, which does not depend on T."""
    return gap(theorem.expression * (theorems.gamma + theorems.T - 1) / theorems.T, scheme)


def noisy_run(constant: str) -> Mapping[str, JSON]:
    """F = |w|^2/2, noise of variance one, E = 1, eta_t = 2/(8 + t), |w_1|^2 = 4: E|w_t|^2 >= constant/(8 + t)."""
    d = Derivation("Li et al., a noisy run")
    declare(d, "axes xi past t; t_ >= 1 over t, next t_ + 1; let eta = 2/(8 + t_)")
    declare(d, "w over past t; n over xi past t, mean 0 over xi; w1 over xi past t = w - eta*(w + n); next w = w1")
    declare(d, "let one = 1; let first = -4")
    granted(d, "noise of known variance", fact="noise", noise="n", V="one")
    after = {"next": "below_next", "over_next": "xi past", "first": "below_1"}
    d.define("below", "-sq(w)", over="past", time="t", **after)
    granted(d, "start", D1="first", Delta_1="below_1")
    target = "sq(w1) - (1 - eta)**2*sq(w) - eta**2"
    d.combine("one step", target, over="xi past", facts={"noise": "eta**2"}, unfold="w1", relation="=")
    facts = {"one step": "1", "below": "(1 - eta)**2", "below_next": "-1"}
    step = {"index": "t_", "keep": "(1 - eta)**2", "facts": facts, "base": {"start": "1"}, "over": "xi past"}
    d.induction("at every step", of="below", bound=f"-({constant})/(8 + t_)", **step)
    facts = {"at every step": "1/2", "below": "1/2"}
    d.combine("the gap", f"1/2*sq(w) - ({constant})/(2*(8 + t_))", over="past", facts=facts)
    return d.concluding("the gap")
