"""(19) of FedLAMA, the decrease of the objective in one round: as printed for one and two local steps, repaired for all.

The printed derivation goes through (18), which is false with negative curvature.  The display itself is derived here in
another way for tau <= 2; for more local steps see :mod:`verify.fedlama2021.lemma_5_1_twelve_steps`; with 5/2 times the
distances it is derived for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.fedlama2021 import lemma_5_1 as stated
from fltheory.theory.steps import Instance
from fltheory.theory.values import exact_value
from verify.fedlama2021.derivations import lemma_5_1 as derivations
from verify.fedlama2021.derivations.two_local_steps import LONG, SHORT, two_local_steps
from verify.fedlama2021.local_runs import CONVEX, ONE, ParabolaRun, runs

Scripts = Mapping[str, Callable[..., Mapping[str, JSON]]]
UP_TO_TWO: Scripts = {
    "one local step": partial(derivations.one_round, alone=True),
    "two local steps of at most 1/(3L)": partial(two_local_steps, by=SHORT),
    "two local steps from 1/(3L) to 1/(2L)": partial(two_local_steps, by=LONG),
}
EVERY: Scripts = {**UP_TO_TWO, "three and more local steps": derivations.one_round}
ASSUMPTIONS = (
    "every F_i is L-smooth, convex or not",
    "stochastic gradients are unbiased given all that was drawn before, with variances at most sigma^2",
    "the noises of different clients are independent (said under (18))",
    "synchronisations within the round leave the average of the clients' models as it is",
    "all clients start the round at u_t",
)
PRINTED = dict(sigma="1", S="1", shared="")
SHARED = Control("the same noise for all clients", dict(shared="clients"))
NOISE = Control("99/100 of the noise", dict(sigma="99/100"))


def changed(bound: Bound, sigma: str, S: str) -> Bound:
    """The bound with factors of its noise and of its distances."""
    right = sp.expand(bound.expression)
    factors = {stated.sigma**2: sigma, stated.drift: S}
    more = sum((sp.Rational(factor) - 1) * right.coeff(one) * one for one, factor in factors.items())
    return replace(bound, expression=bound.expression + more)


def instances(bound: Bound, steps: range, shared: str) -> Iterator[Instance]:
    """One round of the runs, with noise that clients share if that is asked for."""
    more = [ParabolaRun(CONVEX * 2, ONE, 1, sigma=ONE, shared=shared)] if shared else []
    for run in (*runs(), *more):
        found = run.means
        if run.rounds > 1 or run.tau not in steps:
            continue
        at: dict[sp.Symbol, Any] = {stated.L: run.largest or ONE, stated.eta: run.eta, stated.tau: run.tau}
        at |= {
            stated.m: len(run.clients),
            stated.sigma: run.sigma,
            stated.drift: found.from_zero,
            stated.square: found.squares,
        }
        yield Instance(run.text, found.values[1] - found.values[0], exact_value(bound.expression, at))


def derived(scripts: Scripts, bound: Bound, steps: range, shared: str, valid_for: str) -> Evidence:
    """The bound of a round in all its cases, and evaluated on small runs."""
    every = {name: partial(script, bound, independent=not shared) for name, script in scripts.items()}
    method = "Squares and smoothness between the points of a round, with factors that do not depend on the noise."
    found = partial(lambda *words: list(instances(*words)), bound, steps, shared)
    return by_derivation(every, found, method=method, valid_for=valid_for)


@expectation_claim(
    "LA-EQ19.1",
    quick=False,
    statement=(r"\tau\le2:\quad ", stated.ROUND),
    source="(19)",
    headline="For two local steps too the decrease is as printed, though not by its proof",
    summary="The printed proof uses (18), which fails with negative curvature from two steps on. For one and for two "
    "local steps, any number of clients and any layers averaged in between, the display is true all the same: it "
    "follows from smoothness also at the point after the first step.",
    prose="tau = 1, and tau = 2 with eta up to 1/(3L) or from there to 1/(2L): three derivations, one for each case",
    printed=PRINTED,
    controls=[NOISE, Control("2/5 of the distances", dict(S="2/5")), SHARED],
    assumptions=ASSUMPTIONS,
)
def up_to_two(sigma: str, S: str, shared: str) -> Evidence:
    """One local step, and two of either size."""
    return derived(
        UP_TO_TWO, changed(stated.ROUND, sigma, S), range(1, 3), shared, "tau = 1 and 2, all m, any dimension"
    )


@expectation_claim(
    "LA-EQ19-R1",
    quick=False,
    statement=stated.ROUND_REPAIRED,
    source="(19)",
    headline="With 5/2 times the distances the decrease of a round is proved for all local steps",
    summary="For steps of at most 1/(L tau) and independent clients a round decreases the objective as in (19) with 5/2 "
    "L^2 eta/(2m) in place of L^2 eta/(2m), for any numbers of clients and local steps and every schedule of "
    "layer-wise averages. Up to two local steps 1 is enough in place of 5/2 (LA-EQ19.1).",
    prose="u is the same in all local steps of the round; derivations for one, two (shorter or longer) and more steps",
    printed=PRINTED,
    controls=[NOISE, Control("1/5 of the distances", dict(S="1/5")), SHARED],
    assumptions=ASSUMPTIONS,
)
def repaired(sigma: str, S: str, shared: str) -> Evidence:
    """The potential of Lemma 5.1 in one round."""
    return derived(
        EVERY, changed(stated.ROUND_REPAIRED, sigma, S), range(1, 5), shared, "all m, tau >= 1, any dimension"
    )


if __name__ == "__main__":
    run_script(__file__)
