r"""Proof of Lemma 5 (1) of Li et al. (2020): equation (26) and the chain of bounds after it, step by step."""

import sympy as sp

from fltheory.derivation.statement import Derived, text_of
from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import algebra_claim, identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from verify.li2020.cohort_checks import judged
from verify.li2020.derivations import sampling as derived
from verify.li2020.derivations.sampling import form_of
from verify.li2020.displays import appendix_b as shown
from verify.li2020.symbols import G

after_26 = inequality_claim.sharing(source="Section B.4, after (26)")


@identity_claim(
    "LI-EQ26",
    statement=(shown.eq_26_first, r",\quad ", shown.eq_26),
    summary="The average of K independent draws with law p has a K-th of the variance of one draw.",
    source="Section B.4, equation (26)",
    printed=dict(factor="1", drawn="I"),
    controls=[
        Control("draws without replacement", dict(drawn="II")),
        Control("one draw used K times", dict(drawn="one draw for all")),
        Control("factor 1/K^2", dict(factor="1/K")),
    ],
)
def variance_of_draws(factor: str, drawn: str) -> Evidence:
    lines = form_of(shown.eq_26_first, drawn="-1", one="1/K"), form_of(shown.eq_26, factor, one="-1/K")
    valid_for = "all N, K >= 1, all weights, all dimensions; every draw of a client uses the same local model"
    return judged(drawn, *lines, valid_for=valid_for)


#: t + 1 = n E, so the round began at (n - 1) E; where the multiples of E begin that count as synchronisations is said first.
ROUND_START = Relations("t - E + 1 = (n - 1)*E; n - 1 >= 0 for n >= 1; E >= 1; t = n*E - 1; n whole")
_PRINTED_START = ROUND_START.changed("n - 1 >= 0", "n - 1 >= 1")


@algebra_claim(
    "LI-L5PF-I.1",
    fault="slip",
    statement=(r"t+1=nE\in I_E=\{E,2E,\dots\}\ \Rightarrow\ t_0=t-E+1\in I_E:\quad ", _PRINTED_START),
    headline="The first round does not begin at a synchronisation step, though the proof says so",
    summary="The step at which a round began is a synchronisation step.",
    source="Section B.4, after (26)",
    repair="LI-L5PF-I.1-R1",
    printed=dict(text=_PRINTED_START.text),
    controls=[
        Control("start counted as a synchronisation, I_E = {0, E, 2E, ...}", dict(text=ROUND_START.text), must="pass"),
        Control("I_E from 2E on", dict(text=ROUND_START.changed("n - 1 >= 0", "n - 1 >= 2").text)),
    ],
)
def round_start(text: str) -> Evidence:
    """With t + 1 = nE the round began at (n-1)E."""
    return by_relations(ROUND_START.with_text(text))


round_start_repaired = statement_of_algebra(
    "LI-L5PF-I.1-R1",
    ROUND_START,
    headline="A round begins at a synchronisation step or at the start of the run",
    says=r"t+1=nE\in I_E\ \Rightarrow\ t_0=t-E+1\in I_E\cup\{0\}=\{0,E,2E,\dots\}:\quad ",
    false={"start left out": ("n - 1 >= 0", "n - 1 >= 1")},
    group=algebra_claim,
    summary="A round that ends at t + 1 = nE, so begins at t_0 = t - E + 1, begins at (n-1)E: a synchronisation step E, 2E, ... or "
    "the start t = 0.",
    source="Section B.4, after (26), repaired",
)


@after_26(
    "LI-L5PF-I.2",
    headline="In mean square points are closest to their own mean",
    statement=(shown.spread_split, r",\quad ", shown.spread_start),
    summary="The spread around the mean is at most the spread around the last common model; equality when the mean "
    "has not moved.",
    printed=dict(shrink="1"),
    controls=[Control("right side times 99/100", dict(shrink="99/100"))],
)
def drop_mean(shrink: str) -> Evidence:
    squares = [[shrink, "mean(v, k) - w0"], [f"{shrink} - 1", "v - mean(v, k)"]]
    inequality = form_of(shown.spread_start, shrink) | {"squares": squares}
    valid_for = "all N, all weights of sum one, all dimensions"
    return judged("I", form_of(shown.spread_split), inequality, over="k", valid_for=valid_for)


@after_26(
    "LI-L5PF-I.3",
    headline="Jensen's inequality over all local steps of a round",
    statement=shown.jensen_over_round,
    summary="Jensen's inequality over the E steps of a round, here with all E of them; equality for equal steps.",
    printed=dict(factor="E"),
    controls=[
        Control("factor E-1 (the one of Lemma 3)", dict(factor="E-1")),
        Control("factor 99/100 E", dict(factor="99*E/100")),
    ],
)
def jensen(factor: str) -> Evidence:
    x, steps = sp.symbols("x E")
    right = sp.sympify(factor, locals={"E": steps}) * steps * x**2
    equal = Witness({x: 1, steps: 2}, Side("|sum x_i|^2", steps**2 * x**2), "<=", right, setting="E steps x_i = x")
    return by_derivation(derived.jensen(factor), tried(equal), valid_for="all E >= 1, all dimensions")


_FROM_ONE = Control("bound from t=1 on, run from t=0", dict(first_bounded=1))


@inequality_claim(
    "LI-L5PF-I.4",
    headline="If every gradient is bounded, the round's first step size bounds all its steps",
    statement=shown.scheme_i_bounded,
    summary="Every step size of the round is at most the first one and every gradient has second moment at most G^2. "
    "Assumption 4 as printed (t = 1..T-1) leaves out the first gradient of a run that starts at t = 0 (one that starts at "
    "t = 1, as the theorems' w_1 suggests, has none there).",
    source="Section B.4, after (26), with Assumption 4",
    assumptions=("eta_t non-increasing", "second moments at most G^2 for i = t_0, ..., t"),
    printed=dict(monotone=True, first_bounded=0),
    controls=[Control("steps may grow", dict(monotone=False)), _FROM_ONE],
    unprinted=Unprinted("A4 at t = 0 as well, where the run starts", _FROM_ONE.name),
)
def first_step_dominates(monotone: bool, first_bounded: int) -> Evidence:
    """Counterexamples with K = N = 1: growing steps, or E = 1 in the first round with a gradient without bound."""
    found = derived.first_step_dominates(text_of(shown.scheme_i_bounded.expression, {G**2: "G2"}), monotone)
    if first_bounded > 0:
        found = Derived(None, reason="A4 does not bound the gradient at t = 0")
    a, b, x, y = sp.symbols("eta_0 eta_1 g_0 g_1")
    steps = [(a, ">=", b)] * monotone
    bounds = [(y**2, "<=", 1)] + [(x**2, "<=", 1)] * (first_bounded <= 0)
    two = 2 * (a**2 * x**2 + b**2 * y**2), "<=", 4 * a**2
    setting = "K = N = 1, E = 2, t_0 = 0, full gradients, G = 1"
    at = ((1, 2, 1, 1), (1, 1, 1, 1), (1, 1, 2, 1))
    witnesses = [Witness(dict(zip((a, b, x, y), one, strict=True)), *two, [*steps, *bounds], setting) for one in at]
    return by_derivation(found, tried(witnesses), valid_for="all E, K, N, all weights")


LAST = Relations(
    "1/K*E**2*eta_0**2*G2 <= 4/K*eta_t**2*E**2*G2 for K >= 1; E >= 1; G2 >= 0; eta_t >= 0; 0 <= eta_E <= eta_t; "
    "0 <= eta_0 <= 2*eta_E",
    names={"G2": "G^2", "eta_0": r"\eta_{t_0}", "eta_t": r"\eta_t", "eta_E": r"\eta_{t_0+E}"},
)
first_against_last = statement_of_algebra(
    "LI-L5PF-I.5",
    LAST,
    headline="Within a round the step size at most halves",
    false={"constant 4 x 0.99": ("4/K", "99/25/K"), "steps may fall by a factor 3 in E steps": ("2*eta_E", "3*eta_E")},
    group=after_26,
    summary="The first step size of the round is at most twice the last one; sharp as a bound of this single ratio for E >= 2.",
    assumptions=("eta_t non-increasing", "eta_t <= 2 eta_{t+E}"),
)


if __name__ == "__main__":
    run_script(__file__)
