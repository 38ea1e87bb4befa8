r"""Appendix B.1 of Li et al. (2020): the virtual gradient, the most recent cohort, and "activate all, use a few".

The virtual gradient is derived.  The equivalence of the two ways of running a round is a
coupling: the new model is one and the same function of the cohort and of the cohort's local models, because absent
devices have coefficient zero.  Whether a device drawn twice runs once or twice is a reading of its own.
"""

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from fltheory.derivation.statement import Derived
from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import definition_in_words, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.proofs import equal
from fltheory.theory.sampling import K, N
from fltheory.theory.steps import Tests, hypothesis
from verify.li2020.derivations.lemmas import virtual_step
from verify.li2020.displays import appendix_b as shown


def virtual_gradient(entry: str) -> Evidence:
    """Judge vbar_{t+1} = wbar_t - eta g_t for g_t = sum p_k (entry of client k)."""
    w, eta = sp.symbols("w eta")
    gradients = entry == "gradient"
    used = Side("w - eta g_t", w - eta * (w if gradients else w**2 / 2))
    one = Witness({w: 1, eta: Fraction(1, 10)}, Side("vbar", w - eta * w), "=", used, setting="N = 1, F = w^2/2")
    found = virtual_step() if gradients else Derived(None, reason="a value is no gradient")
    return by_derivation(found, tried(one), valid_for="all N, weights of sum one, dimensions")


of_the_notation = definition_in_words.sharing(source="Section B.1")
VIRTUAL = r"\ \Rightarrow\ \bar v_{t+1}=\bar w_t-\eta_tg_t"

g_printed = of_the_notation(
    "LI-B1-G.1",
    fault="slip",
    statement=(shown.printed_gradient, VIRTUAL),
    repair="LI-B1-G.1-R1",
    headline="Function values are printed where gradients are meant",
    summary="g_t is printed with function values in place of gradients (a slip: A.1 has the gradients).",
    printed=dict(entry="value"),
    controls=[Control("gradients", dict(entry="gradient"), must="pass")],
)(virtual_gradient)

g_repaired = of_the_notation(
    "LI-B1-G.1-R1",
    headline="The averaged step with gradients where function values are printed",
    statement=(shown.repaired_gradient, VIRTUAL),
    summary="With gradients in g_t, as in A.1, the display is right.",
    printed=dict(entry="gradient"),
    controls=[Control("values", dict(entry="value"))],
)(virtual_gradient)


#: n is the floor of t/E; it is 1 or more, and no multiple mE up to t lies beyond nE
RECENT = Relations(
    "1 <= n; m <= n for E >= 1; t >= E; n*E <= t; t < (n + 1)*E; m*E <= t; m, n whole",
    uses={0: {"t < (n + 1)*E": "1/E"}, 1: {"t < (n + 1)*E": "1/E", "m*E <= t": "1/E"}},
    at={"E": "1", "t": "1", "n": "1", "m": "1"},
)
_NO_FIRST_ROUND = RECENT.changed("t >= E", "t >= 0")
_EXISTS = r"N(t,E)=\max\{i\le t,\ i\in I_E\}=nE,\ n=\lfloor t/E\rfloor,\ I_E=\{mE:m\ge1\}:\quad "


@of_the_notation(
    "LI-B1-G.2",
    fault="slip",
    statement=(r"S_t=H_{N(t,E)},\ " + _EXISTS, _NO_FIRST_ROUND),
    headline="The most recent cohort is undefined at the start of the run",
    summary="The most recent cohort is not defined at every t >= 0: at t = 0, E = 1 the floor n of t/E is not 1 or more.",
    repair="LI-B1-G.2-R1",
    printed=dict(text=_NO_FIRST_ROUND.text),
    controls=[
        Control("from t = E on", dict(text=RECENT.text), must="pass"),
        Control("I_E from 2E on", dict(text=_NO_FIRST_ROUND.changed("1 <= n", "2 <= n").text)),
    ],
)
def most_recent(text: str) -> Evidence:
    """The maximum is over a set that is empty exactly where t is below the smallest element of I_E."""
    return by_relations(RECENT.with_text(text))


recent_repaired = statement_of_algebra(
    "LI-B1-G.2-R1",
    RECENT,
    headline="There is a most recent cohort from the end of the first round on",
    says=_EXISTS,
    false={"from t = 0 on": ("t >= E", "t >= 0"), "I_E from 2E on": ("1 <= n", "2 <= n")},
    group=of_the_notation,
    summary="The most recent cohort is defined for t >= E: it is that of the last multiple of E up to t.",
)


def activate_all(repeats: str, absent: str) -> Evidence:
    """Judge that activating all devices gives the process of the sampled devices alone.

    The instance is one round of two devices with K = 2 from 0, local models +1 or -1 with probability 1/2: E w^2 is 1 if one
    device is drawn twice and runs once, and 1/2 if two models are averaged.
    """
    drawn, p, q, x, y, p_1, p_2 = sp.symbols("count p q x y p_1 p_2")
    # the other devices' part of a new model, with the model x of a device that was drawn `count` times
    rules = {
        "Scheme I": (drawn * x + y) / K,
        "Scheme II": N / K * (p * drawn * x + q * y),
        "original rule": p * drawn * x + q * y,
    }
    counted = p * x if absent == "counted" else sp.Integer(0)

    def without(rule: sp.Expr) -> Callable[[], bool]:
        return lambda: equal(rule.subs(drawn, 0) + counted, rule.subs(x, 0))

    steps: Tests = {f"{name}: a device that is not drawn does not enter": without(rule) for name, rule in rules.items()}
    steps |= {"one run per device": hypothesis("one run per device", repeats == "one run")}
    one_run = p_1**2 + p_2**2 + p_1 * p_2
    every = Side("all run, E w^2", p_1**2 + p_2**2 if absent == "counted" else one_run)
    sampled = Side("S runs, E w^2", (p_1 + p_2) ** 2 / 2 if repeats == "separate runs" else one_run)
    half = Fraction(1, 2)
    return decide(
        steps,
        tried(
            Witness({p_1: half, p_2: half}, every, "=", sampled, [(p_1 + p_2, "=", 1)], "N = K = 2, models +1 or -1")
        ),
        method="Coupling with the same cohort and the same samples: the coefficient of a device that was not drawn is zero "
        "in each rule, so the next model is the same function of the drawn devices' models, and nothing else is "
        "carried over.",
        valid_for="all N, K, weights; Schemes I, II and the original rule; no state kept on devices",
    )


of_the_scheme = identity_claim.sharing(source="Section B.1, updating scheme")

one_run = of_the_scheme(
    "LI-B1-EQV[a device drawn twice runs once]",
    headline="Activating all devices and using the sampled ones is the same process, one run each",
    statement=r"\big(\text{all run, }S\text{ averaged}\big)\overset d=\big(S\text{ runs and is averaged}\big)",
    summary="Activating all devices and using the sampled ones gives the same process when each device has one "
    "local run.",
    printed=dict(repeats="one run", absent="dropped"),
    controls=[
        Control("separate runs for repeated draws", dict(repeats="separate runs")),
        Control("absent devices counted with their weight", dict(absent="counted")),
    ],
)(activate_all)

separate_runs = of_the_scheme(
    "LI-B1-EQV[every draw is a run of its own]",
    fault="reading",
    statement=r"\big(\text{all run once, }S\text{ averaged}\big)\overset d=\big(\text{each draw in }S\text{ runs "
    r"afresh}\big)",
    headline="If a device drawn twice runs twice, the analysed process is another one",
    summary="B.1 also says that each activation is independent of the rest: if a device drawn twice runs twice with "
    "fresh samples, the processes differ; separate runs have the smaller variance, by (1-1/K) sum p_k^2 times the "
    "noise.",
    repair="LI-B1-EQV[a device drawn twice runs once]",
    printed=dict(repeats="separate runs", absent="dropped"),
    controls=[Control("one run per device", dict(repeats="one run"), must="pass")],
)(activate_all)


if __name__ == "__main__":
    run_script(__file__)
