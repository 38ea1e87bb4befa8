"""The noise of a round, apart from the gradients: a step of the proof of Lemma 7, for convex losses and for smooth ones.

Later gradients are taken at points that earlier noise has moved.  A local run beside the one without noise shows that the noise
adds up like that of independent draws all the same, for convex losses exactly, for smooth ones up to 15/14.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.tight import attained
from fltheory.theory.steps import Instance
from verify.elastic2023 import elsewhere
from verify.elastic2023.derivations import lemma_7 as derived
from verify.elastic2023.derivations import local_runs
from verify.elastic2023.lemma_7 import displays
from verify.elastic2023.lemma_7.displays import H, sigma
from verify.elastic2023.lemma_7.proof_steps import of_the_proof, sides
from verify.elastic2023.lemma_7.rounds import ONE, ZERO, CohortRound, opposed, rounds, sampled
from verify.elastic2023.lemma_7.statement import INDEPENDENT, JOINED, SAME, SHORT, changed
from verify.elastic2023.smooth import KinkedLine

Q = Fraction


@of_the_proof(
    "EL-L7-VAR",
    quick=False,
    statement=displays.VARIANCE,
    unprinted=Unprinted(SHORT, SAME),
    assumptions=("given a client's past its stochastic gradients are unbiased with variance at most sigma^2",),
    headline="Noise of later steps follows the earlier, yet adds up as if independent, by convexity",
    summary="The noise adds e^2 sigma^2/(KS) to the second moment of the update and no more. The gradients of later "
    "steps depend on earlier noise, so that mean and noise do not separate as in Lemma 4; the bound is true because "
    "a local run of a convex loss stays near the run without noise. It needs eta_l <= 2/beta (so any phi eta_g >= 1 "
    "will do) and clients that draw independently; for losses that are not convex it fails (EL-L7-VAR-S1).",
    printed=dict(noise="1", gradients="1", shared=False, convex=True, longest="1/16"),
    controls=[
        Control(SAME, dict(shared=True)),
        Control("noise term times 0.99", dict(noise="99/100")),
        Control("0.99 of the gradients", dict(gradients="99/100")),
        Control("losses not convex", dict(convex=False)),
        Control("local steps of 4/beta", dict(longest="4")),
    ],
)
def variance(noise: str, gradients: str, shared: bool, convex: bool, longest: str) -> Evidence:
    """``longest``: the largest local step that is tried, times beta."""
    bound = changed(displays.VARIANCE, {sigma**2: noise, H: gradients})
    top = "2/beta" if Q(longest) <= 2 else f"{longest}/beta"

    def instances() -> Iterator[Instance]:
        items = sampled(rounds(shared=shared, convex=convex), 7)
        far, down = KinkedLine(ONE, ONE), KinkedLine(-ONE, -ONE)
        for step in (Q(longest), Q(longest) / 2):
            items.append(CohortRound((far,), ZERO, 3, 1, step * 3, ONE, ONE, modulus=ONE))
        items += [] if convex else [CohortRound((down,), ZERO, 2, 1, Q(1, 8), ONE, ONE)]
        items += [CohortRound(opposed(ZERO, ONE), ZERO, 1, 2, Q(1, 16), ONE, ONE, shared, ONE)]
        for item in items:
            yield sides(item, bound, item.moved()[1])

    scripts = {
        name: partial(derived.display, "noise apart", bound, everyone=everyone, independent=not shared)
        for name, everyone in derived.SCHEMES.items()
    }
    return by_derivation(
        {"distance from a run without noise": partial(local_runs.local_run, convex=convex, top=top), **scripts},
        instances,
        method="A local run is compared with one without noise; the clients of the cohort are independent given the cohort.",
        prose=JOINED,
        valid_for="every N >= 1, cohort, K >= 1, dimension, all noise laws, eta_l <= 2/beta",
        tightness=attained("equality for losses that are linear"),
    )


@of_the_proof(
    "EL-L7-VAR-S1",
    quick=False,
    statement=displays.VARIANCE_SMOOTH,
    elsewhere=elsewhere.ROUND,
    headline="Without convexity the noise of a round adds up to a fourteenth more at most",
    summary="For smooth losses, convex or not, the noise adds at most 15/14 of e^2 sigma^2/(KS), for local steps up to "
    "1/(16 K beta), as the step size has them for phi eta_g >= 1. It is what the proof of the non-convex case can use.",
    assumptions=(
        "given a client's past its stochastic gradients are unbiased with variance at most sigma^2",
        INDEPENDENT,
    ),
    printed=dict(noise="15/14", shared=False),
    controls=[Control(SAME, dict(shared=True)), Control("15/14 -> 1, as for convex losses", dict(noise="1"))],
)
def variance_of_smooth_losses(noise: str, shared: bool) -> Evidence:
    """As EL-L7-VAR, where a step may expand by 1 + eta_l beta."""
    bound = changed(displays.VARIANCE_SMOOTH, {sigma**2: str(Q(noise) / Q(15, 14))})

    def instances() -> Iterator[Instance]:
        down = KinkedLine(-ONE, -ONE)
        items = [*sampled(rounds(shared=shared, convex=False), 7), CohortRound((down,), ZERO, 2, 1, Q(1, 16), ONE, ONE)]
        items += [CohortRound(opposed(ZERO, ONE), ZERO, 1, 2, Q(1, 16), ONE, ONE, shared, ONE)]
        return (sides(item, bound, item.moved()[1]) for item in items)

    scripts = {
        name: partial(derived.display, "noise apart", bound, everyone=everyone, independent=not shared, near=noise)
        for name, everyone in derived.SCHEMES.items()
    }
    return by_derivation(
        {"distance from a run without noise": partial(local_runs.smooth_run, noise), **scripts},
        instances,
        method="A local run is compared with one without noise; a step expands by 1 + 1/(16 K) at most.",
        prose=JOINED,
        valid_for="every N >= 1, cohort, K >= 1, dimension, all noise laws, eta_l <= 1/(16 K beta)",
    )


if __name__ == "__main__":
    run_script(__file__)
