"""Proofs of Theorems B.1 and B.3 of Augenstein et al. (2022): the gradient variance of the federated meta-client.

Homogeneous clients and the average over the cohort give sigma^2/S about the cohort's mean gradient, at one point and along K local
steps.  But the clients' points differ from the second step on: about the gradient at the average point the error is larger,
unless f_f is quadratic.
"""

from fractions import Fraction
from functools import partial
from itertools import product

import sympy as sp

from fltheory.derivation.packs import UNBIASED
from fltheory.derivation.script import Derivation
from fltheory.derivation.witness import FiniteInstance
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.things import declare, granted
from fltheory.evidence.witness import Side, Witness
from verify.mixed2022 import elsewhere
from verify.mixed2022.displays import Display, constants, displayed

F = Fraction


def cohort(at: str) -> Derivation:
    """Gradients of S clients with independent noise at ``at``: "one point", "own points" or "own points, quadratic".

    u is the mean of the points; the gradient there is the mean of the gradients at one point and of a quadratic.
    """
    d = Derivation("Mixed FL, variance of a cohort's gradient")
    declare(d, "axes k xi past; S >= 1; sigma >= 0; function f")
    d.vector("x", "past" if at == "one point" else "k past")
    declare(d, "u over past = mean(x, k); f at x")
    d.point("u", "f", equals={"one point": "g_x", "own points, quadratic": "mean(g_x, k)"}.get(at))
    d.vector("noise", "k xi past", mean=[["xi", "0", UNBIASED]])
    granted(d, "bounded variance", fact="variance", sigma2="sigma**2", noise="noise")
    d.independent("variance of the average", "variance", noise="noise", clients="k", total="V")
    granted(d, "equal weights", V="V", sigma="sigma", N="S")
    return d


def after_one_step(at: str) -> FiniteInstance:
    """Two clients with noise +-1: f_f' = max(x, 0), or x; one step of size 1 from 0 led them to -+1, or both are at 1."""
    kinked, signs = at == "own points", dict.fromkeys(product((-1, 1), repeat=2), F(1, 4))

    def slope(x: Fraction) -> Fraction:
        return max(x, F(0)) if kinked else x

    functions = {"f": (lambda w, p: slope(w[0]) ** 2 / 2, lambda w, p: (slope(w[0]),))}
    given = {
        "x": lambda p: (F(1 if at == "one point" else p["past"][p["k"]]),),
        "noise": lambda p: (F(p["xi"][p["k"]]),),
    }
    axes = {"k": {0: F(1, 2), 1: F(1, 2)}, "xi": signs, "past": signs}
    return constants({}, {"S": 2, "sigma": 1, "V": F(1, 2)}, axes=axes, given=given, functions=functions)


ABOUT_U = "sq(mean(g_x + noise, k) - g_u) <= sigma**2/S"
ABOUT_MEAN = "sq(mean(g_x + noise, k) - mean(g_x, k)) <= sigma**2/S"


def names(inside: str) -> dict[str, str]:
    """LaTeX of the left side, the expected square of a mean over the cohort."""
    norm = rf"\mathbb{{E}}\Big\|\frac1S\sum_{{i\in\mathcal S}}{inside}\Big\|^2"
    return {"sigma": r"\sigma", **{text.split(" <= ")[0]: norm for text in (ABOUT_U, ABOUT_MEAN)}}


AVERAGE = names(r"g_i(x_i^{(k)})-\nabla f_f(\bar x^{(k)})")
POINT = r"\bar x^{(k)}=\frac1S\sum_{i\in\mathcal S}x_i^{(k)}:\quad "
of_proofs = expectation_claim.sharing(source="proofs of Theorems B.1 and B.3")
of_cohort = partial(
    displayed,
    begun=cohort,
    given={"facts": {"variance of the average": "1", "equal weights": "-1"}},
    over="k xi",
    instance=after_one_step,
    at="two clients with noise +-1, and where a step of size 1 from 0 led them, f_f = max(x, 0)^2/2, or x^2/2",
    group=of_proofs,
    method="Independence of the clients' draws given their points, any of them; every client has the same law.",
    valid_for="every N, S <= N, K, dimension",
    tightness=Tightness(1.0, Rung.PROOF, "equality when every variance is sigma^2"),
)
BELOW = {"0.99 sigma^2/S": ("sigma**2/S", "99/100*sigma**2/S")}
one_point = of_cohort(
    "MX-THMB1-VAR[one step, one point]",
    text=ABOUT_U,
    names=names(r"g_i(x)-\nabla f_f(x)"),
    headline="At one common point averaging a cohort divides the variance by its size",
    summary="At one point (the first local step) averaging reduces the variance to sigma^2/S.",
    printed=dict(at="one point"),
    false=BELOW,
)
along_steps = of_cohort(
    "MX-THMB1-VAR[K local steps, about the mean gradient]",
    text=ABOUT_MEAN,
    names=names(r"\big(g_i(x_i^{(k)})-\nabla f_f(x_i^{(k)})\big)"),
    summary="Along K steps about the mean of the clients' exact gradients.",
    printed=dict(at="own points"),
    false={**BELOW, "about the gradient at the average point": ("mean(g_x, k)", "g_u")},
)
meta_client = of_cohort(
    "MX-THMB1-VAR-R1",
    text=ABOUT_U,
    names=AVERAGE,
    says=r"f_f\text{ quadratic},\ " + POINT,
    headline="How close a cohort's average gradient is to the gradient at the average point",
    summary="A meta-client that is one client of FedAvg takes its gradient at one point. About the gradient at the clients' "
    "average point the cohort's average gradient is within sigma^2/S when f_f is quadratic; in general it need not even be "
    "unbiased there from the second step on, so that the analysis of FedAvg does not carry over word for word.",
    elsewhere=elsewhere.PARALLEL,
    assumptions=("f_f quadratic",),
    printed=dict(at="own points, quadratic"),
    false={"f_f with two curvatures": dict(at="own points"), **BELOW},
)


def second_step() -> Witness:
    """f_f' = max(x, 0), two clients with noise +-sigma, step size 1 from 0: after one step they are at -+sigma."""
    sigma = sp.Symbol("sigma")

    def slope(x: sp.Expr) -> sp.Expr:
        """max(x, 0) in letters that a certificate may hold."""
        return (x + sp.sqrt(x**2)) / 2

    outcomes = []
    for signs in product((1, -1), repeat=4):
        one, two, *noise = (sign * sigma for sign in signs)
        cohort = (slope(one) + slope(two) + sum(noise)) / 2
        outcomes.append((cohort - slope((one + two) / 2)) ** 2)
    left = Side("E|mean gradient with noise - f_f'(mean x)|^2", sum(outcomes) / len(outcomes))
    setting = "f_f = max(x, 0)^2/2, S = 2, noise +-sigma, eta = 1, x = 0, g_c = 0, local step 2"
    return Witness({"sigma": 1}, left, "<=", Side("sigma^2/S", sigma**2 / 2), setting=setting)


@of_proofs(
    "MX-THMB1-VAR[K local steps, about the gradient at the meta-client's point]",
    headline="About the gradient at its own point a meta-client's variance can be larger",
    statement=(POINT, Display(ABOUT_U, AVERAGE)),
    summary="As the quoted analysis of FedAvg uses it: a meta-client takes its gradient at one point, here the clients' average "
    "point, about which the cohort's gradient need not even be unbiased from the second step on: two clients after one step have "
    "5/8 of sigma^2 there, not 1/2. For quadratic f_f it stands. (Theorem B.1 does not suffer: "
    "MX-THMB1-S1 has a recursion of its own.)",
    fault="reading",
    repair="MX-THMB1-VAR-R1",
    printed=dict(at="own points"),
    controls=[Control("f_f quadratic", dict(at="own points, quadratic"), must="pass")],
)
def about_the_average_point(at: str) -> Evidence:
    """Two clients after one step; derived for quadratic f_f."""
    return by_witness(second_step()) if at == "own points" else meta_client.check(ABOUT_U, at=at)


if __name__ == "__main__":
    run_script(__file__)
