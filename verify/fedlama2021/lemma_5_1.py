"""Lemma 5.1 of FedLAMA: the statement, its telescoping sum, and what can be proved in its place.

Printed is F(u_0) - F(u_{T-1}), while the sum over t = 0, ..., T - 1 ends at F(u_T): for T = 1 the printed difference is zero.  The
proof uses (18) besides, which is false with negative curvature.  Two statements close to the print are derived for all numbers of
clients, local steps and rounds: with 5/2 times the distances, or with half the step size and twice the noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import expectation_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.witness import Side, Witness
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.fedlama2021 import lemma_5_1 as stated
from fltheory.theory.steps import Instance
from fltheory.theory.values import exact_value
from verify.fedlama2021.derivations import lemma_5_1 as derivations
from verify.fedlama2021.derivations.two_local_steps import LONG, SHORT, rounds_of_two
from verify.fedlama2021.local_runs import CONVEX, HALF, ONE, ZERO, ParabolaRun, runs

#: One client on x^2/2, one round of one local step of half the size 1/L from 1, exact gradients.
SHORTEST = ParabolaRun(CONVEX, HALF, 1, start=ONE)


def values(run: ParabolaRun, distances: Any, last: int) -> dict[sp.Symbol, Any]:
    """The letters of the lemma for a run, F at the start less F at the point ``last`` of u_0, ..., u_T."""
    found = run.means
    return {
        stated.L: run.largest or ONE,
        stated.eta: run.eta,
        stated.tau: run.tau,
        stated.m: len(run.clients),
        stated.T: run.rounds,
        stated.sigma: run.sigma,
        stated.drift: distances,
        stated.decrease: found.values[0] - found.values[last],
    }


of_the_lemma = expectation_claim.sharing(
    fault="substance", repair="LA-LEM51-R1", proof_steps=("LA-EQ17", "LA-EQ18", "LA-LEM51-TEL")
)


def printed(last: int, distances: str) -> Evidence:
    """The printed bound at the shortest run, and with F at the end of it."""
    bound = {"from_zero": stated.LEMMA, "from_one": stated.LEMMA_FROM_ONE}[distances]
    at = values(SHORTEST, getattr(SHORTEST.means, distances), last)
    given = [condition.relation for condition in bound.conditions if condition.relation is not None]
    left = Side("|grad F(u_0)|^2", SHORTEST.means.squares)
    return by_witness(Witness(at, left, "<=", Side("right side", bound.expression), given, SHORTEST.text))


from_one = of_the_lemma(
    "LA-LEM51[j = 1 to tau]",
    statement=stated.LEMMA_FROM_ONE,
    source="Lemma 5.1",
    headline="For one round the lemma has no decrease of the objective on its right side",
    summary="With F(u_{T-1}) the first term is zero for T = 1, and with one local step of exact gradients, shorter than "
    "1/L, the squared gradient is larger than what remains: on F = x^2/2 from u_0 = 1 with a step of the size 1/2 it is 1, "
    "and the right side 1/4.",
    printed=dict(last=0, distances="from_one"),
    controls=[Control("F(u_T) in place of F(u_{T-1})", dict(last=1), must="pass")],
)(printed)

from_zero = of_the_lemma(
    "LA-LEM51[j = 0 to tau - 1]",
    statement=stated.LEMMA,
    source="Lemma 5.1, end of its proof",
    headline="For one round of one local step the lemma says that the gradient is zero",
    summary="With F(u_{T-1}), and the distances summed as at the end of the proof, the right side is zero for exact "
    "gradients, one round and one local step, whatever the gradient at u_0 is.",
    printed=dict(last=0, distances="from_zero"),
    controls=[Control("F(u_T) in place of F(u_{T-1})", dict(last=1), must="pass")],
)(printed)

Script = Callable[[], Mapping[str, JSON]]


def changed(bound: Bound, **factors: str) -> Bound:
    """The bound with factors of the terms with ``decrease``, ``sigma`` and ``S``."""
    right = sp.expand(bound.expression)
    terms = {"decrease": stated.decrease, "sigma": stated.sigma**2, "S": stated.drift}
    more = sum(
        (sp.Rational(factors[name]) - 1) * right.coeff(one) * one for name, one in terms.items() if name in factors
    )
    return replace(bound, expression=bound.expression + more)


def short(bound: Bound) -> bool:
    """Whether a hypothesis of the bound leaves at most two local steps."""
    return any(one.symbols == ("tau",) and not one.holds({"tau": 3}) for one in bound.conditions)


def instances(bound: Bound, half: bool, shared: str) -> Iterator[Instance]:
    """The bound on runs that it allows, and with noise that clients share if that is asked for."""
    more = [ParabolaRun(CONVEX * 3, HALF if half else ONE, 1, sigma=ONE, shared=shared)] if shared else []
    for run in (*runs(), *more):
        allowed = run.tau <= 2 or not short(bound)
        if allowed and run.eta * run.largest * run.tau <= (HALF if half else ONE):
            right = exact_value(bound.expression, values(run, run.means.from_zero, -1))
            yield Instance(run.text, run.means.squares, right)


def proved(scripts: Mapping[str, Callable[..., Mapping[str, JSON]]], half: bool, of: Bound, **changes: str) -> Evidence:
    """The bound derived in all its cases, and evaluated on small runs."""
    shared = changes.pop("shared")
    bound = changed(of, **changes)
    every: dict[str, Script] = {
        name: partial(script, bound, independent=not shared) for name, script in scripts.items()
    }
    return by_derivation(
        every if len(every) > 1 else next(iter(every.values())),
        partial(lambda *words: list(instances(*words)), bound, half, shared),
        method="Squares and smoothness between the points of a round of two steps; the sum over the rounds."
        if short(of)
        else "One potential for a round, its decrease in a local step, and the sum over all local steps."
        if not half
        else "The descent lemma for a round, noise and gradients apart by |a + b|^2 <= 2|a|^2 + 2|b|^2; the sum over rounds.",
        valid_for=f"all m, T >= 1, tau {'<= 2' if short(of) else '>= 1'}, any dimension, convex or not",
    )


UP_TO_TWO: Mapping[str, Callable[..., Mapping[str, JSON]]] = {
    "one local step": partial(derivations.lemma, alone=True),
    "two local steps of at most 1/(3L)": partial(rounds_of_two, by=SHORT),
    "two local steps from 1/(3L) to 1/(2L)": partial(rounds_of_two, by=LONG),
}
EVERY = {**UP_TO_TWO, "three and more local steps": derivations.lemma}
PRINTED = dict(decrease="1", sigma="1", S="1", shared="")
CONTROLS = [
    Control("99/100 of the decrease", dict(decrease="99/100")),
    Control("99/100 of the noise", dict(sigma="99/100")),
    Control("1/5 of the distances", dict(S="1/5")),
    Control("the same noise for all clients", dict(shared="clients")),
]
ASSUMPTIONS = (
    "every F_i is L-smooth, convex or not",
    "stochastic gradients are unbiased given all that was drawn before, with variances at most sigma^2",
    "the noises of different clients are independent",
)

AVERAGE_STAYS = "synchronisations leave the average of the clients' models as it is"


@expectation_claim(
    "LA-LEM51-R1",
    quick=False,
    statement=stated.REPAIRED,
    source="Lemma 5.1",
    headline="With F at the end and 5/2 times the distances the lemma holds for every schedule",
    summary="For steps of at most 1/(L tau) and independent clients the lemma holds with F(u_0) - E F(u_T) and 5/2 "
    "times the sum of the squared distances, for any numbers of clients, local steps and rounds, and for every "
    "schedule by which layers are averaged within a round. The distances are those of the proof, over j = 0, ..., tau - 1; at "
    "them the factor cannot be 1, as printed, for all numbers of local steps: a round of twelve breaks that (LA-EQ19.2); "
    "up to two it can (LA-LEM51-R3).",
    prose="u is the same in all local steps of a round, so that averages over local steps are those over rounds; "
    "one, two and more steps are derived apart",
    printed=PRINTED,
    controls=CONTROLS,
    assumptions=(*ASSUMPTIONS, AVERAGE_STAYS, "all clients start every round at u_t"),
)
def with_more_distances(decrease: str, sigma: str, S: str, shared: str) -> Evidence:
    """Psi = F(u) + <grad F(u), xbar - u> + L/2 |xbar - u|^2 decreases enough in every local step."""
    return proved(EVERY, False, stated.REPAIRED, decrease=decrease, sigma=sigma, S=S, shared=shared)


@expectation_claim(
    "LA-LEM51-R2",
    quick=False,
    statement=stated.HALF,
    source="Lemma 5.1",
    headline="With F at the end, half the step size and twice the noise the printed proof goes through",
    summary="For steps of at most 1/(2 L tau) and independent clients the lemma holds with F(u_0) - E F(u_T), twice "
    "the noise term and the printed factor of the distances: the second term of the proof is at most twice its two "
    "parts.",
    printed=PRINTED,
    controls=[
        Control("3/5 of the decrease", dict(decrease="3/5")),
        Control("2/5 of the noise", dict(sigma="2/5")),
        Control("1/2 of the distances", dict(S="1/2")),
        CONTROLS[3],
    ],
    prose="the variance of the round's mean noise is LA-EQ18-IND, for a round",
    assumptions=(*ASSUMPTIONS, AVERAGE_STAYS),
    depends=("LA-EQ18-IND",),
)
def half_the_step(decrease: str, sigma: str, S: str, shared: str) -> Evidence:
    """(18) with a factor 2 in the printed proof."""
    return proved({"rounds": derivations.rounds}, True, stated.HALF, decrease=decrease, sigma=sigma, S=S, shared=shared)


F_0, F_1 = sp.symbols("F_0 F_1")


@identity_claim(
    "LA-LEM51-TEL",
    statement=r"\sum_{t=0}^{T-1}\left(F(u_{t+1})-F(u_t)\right)=F(u_{T-1})-F(u_0)",
    source="proof of Lemma 5.1, after (19)",
    fault="slip",
    repair="LA-LEM51-TEL-R1",
    headline="The telescoping sum of T rounds ends one round too early",
    summary="The sum of T differences ends at F(u_T); with F(u_{T-1}) it is wrong already for T = 1, where the right "
    "side is zero.",
    printed=dict(last=0),
    controls=[Control("F(u_T)", dict(last=1), must="pass")],
)
def telescoping(last: int) -> Evidence:
    """T = 1."""
    at = {"F_0": 1, "F_1": 0}
    right = Side(f"F(u_{last}) - F(u_0)", (F_0, F_1)[last] - F_0)
    return by_witness(Witness(at, Side("F(u_1) - F(u_0)", F_1 - F_0), "=", right, setting="T = 1"))


@identity_claim(
    "LA-LEM51-TEL-R1",
    statement=r"\sum_{t=0}^{T-1}\mathbb{E}\left[F(u_{t+1})-F(u_t)\right]=\mathbb{E}F(u_T)-F(u_0)",
    source="proof of Lemma 5.1, after (19)",
    headline="The decreases of T rounds add up to the value after the last round less the first",
    summary="The sum of the decreases of T rounds is F(u_0) - F(u_T), in expectation, for every T.",
    printed=dict(last=0),
    controls=[Control("one round less", dict(last=1))],
)
def telescoping_repaired(last: int) -> Evidence:
    """A telescoping sum of numbers; gradient descent on x^2/2."""

    def instances() -> Iterator[Instance]:
        for rounds in (1, 2, 3):
            found = ParabolaRun(CONVEX, HALF, 1, rounds, ONE).means.values
            total = sum((after - before for before, after in zip(found, found[1:], strict=False)), Fraction(0))
            yield Instance(f"x^2/2, eta = 1/2, T = {rounds}", abs(total - (found[rounds - last] - found[0])), ZERO)

    method = "Every value but the first and the last occurs with both signs."
    return by_derivation(partial(derivations.telescoped, last), instances, method=method)


if __name__ == "__main__":
    run_script(__file__)
