"""Lemma 1 and Theorem 1 of the lecture note, line by line: clients with bounded second moments."""

from collections.abc import Mapping

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.evidence.things import declare
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.lecture2022 import bounds
from verify.lecture2022.derivations import local_sgd
from verify.lecture2022.derivations.local_sgd import LONGEST, STEP, RateInRoots


def clients(
    title: str,
    code: str,
    rate: RateInRoots | None = None,
    *,
    following: str | None = None,
    local_steps: str | None = None,
    top: str = STEP,
    full: bool = True,
) -> Derivation:
    """x_i = x^(t0) - (steps since t0) times their mean, for the code "printed" or "FedAvg".

    ``following``: the steps since t0 after the next step, in ``go``, which is 0 where it averages and else 1.
    """
    d = local_sgd.parameters(title, top=top, rate=rate, local_steps=local_steps)
    d.axis("j", "steps")
    if following:
        d.parameter("go", 0, 1, varies="t")
    d.parameter("since", 0, LONGEST[code], varies="t", next=following)
    declare(d, "x0 over past t; G_j over k j past t; v_j over k j past t = s*G_j")
    declare(d, "x over k past t = x0 - since*mean(v_j, j); u over past t = mean(x, k)")
    local_sgd.one_step_of(d, full)
    suppose(d, "bounded gradients", G2="G**2", gradient="G_j")
    return d


def lemma_1(d: Derivation) -> None:
    """(1/N) sum_i E |xbar - x_i|^2 <= s^2 n^2 G^2, n steps since the clients were last equal."""
    d.assume("bounded gradients", "bounded gradients")
    d.combine("a step", "s**2*G**2 - sq(v_j)", over="past", facts={"bounded gradients": "s**2"}, unfold="v_j")
    own = ["1", "v_j - mean(v_j, j)"]
    d.combine("own steps", "s**2*G**2 - sq(mean(v_j, j))", over="j past", facts={"a step": "1"}, squares=[own])
    squares = [["since**2", "mean(v_j, j, k)"]]
    facts = {"own steps": "since**2"}
    drift = "s**2*since**2*G**2 - sq(u - x)"
    d.combine("average drift", drift, over="k past", facts=facts, squares=squares, unfold="u x")


def theorem_1(
    bound: Bound = bounds.theorem_1,
    code: str = "printed",
    *,
    independent: bool = True,
    full: bool = True,
    rate: RateInRoots | None = None,
) -> Mapping[str, JSON]:
    """Theorem 1, at a ``rate`` Corollary 2: the last line is the bound's own expression."""
    d = clients(f"Lecture note, {bound.source}", code, rate, full=full)
    lemma_1(d)
    local_sgd.displays(d, independent=independent)
    local_sgd.summed(d, "s**2*K**2*G**2*L**2", {"average drift": "L**2"})
    local_sgd.conclude(d, bound, rate)
    return d.concluding("conclusion")
