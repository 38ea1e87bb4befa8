"""The printed proof of Lemma 5.2 from the sums over the local steps on: three sums, (24) and (25)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import attained
from fltheory.theory.steps import Instance
from verify.fedlama2021.derivations import lemma_5_2_steps as derivation
from verify.fedlama2021.lemma_5_2_displays import SUM_2

of_the_sums = algebra_claim.sharing(source="proof of Lemma 5.2, sums over the steps")
NAMES = {"beta_sq": r"\beta^2", "kappa_sq": r"\kappa^2", "W": r"\Sigma", "g": r"\mathbb{E}\|\nabla F_i(u_t)\|^2"}
_RUN = "first_W = 0; first_j = 0; next_j = j + 1"
_NOISE = "for eta > 0; sigma >= 0; next_W = W + 2*eta**2*(j - 1)*sigma**2; " + _RUN
_GRADIENT = "for eta > 0; g >= 0; next_W = W + 4*eta**2*(j - 1)*j*g; " + _RUN


def run(claim: str, where: str) -> Relations:
    """A bound of a sum W over the steps before j, by induction over j."""
    return Relations(f"j >= 0; {claim} {where}", uses={0: {"j >= 0": "1"}, 1: {claim: "1"}}, names=NAMES)


noise = statement_of_algebra(
    "LA-SUM1",
    run("W <= eta**2*j*(j - 1)*sigma**2", _NOISE),
    false={"j - 4 for j - 1": ("W <= eta**2*j*(j - 1)", "W <= eta**2*j*(j - 4)")},
    group=of_the_sums,
    says=r"\Sigma=\sum_{s=0}^{j-1}2\eta^2(s-1)\sigma^2:\quad ",
    headline="The noise terms of all local steps together are at most what the lemma says",
    summary="The sum of the noise terms as printed, with factors j - 1, is eta^2 tau (tau - 3) sigma^2, less "
    "than the bound; the bound is "
    "the exact sum with the right factors j.",
)
noise_repaired = statement_of_algebra(
    "LA-SUM1-S1",
    run("W = eta**2*j*(j - 1)*sigma**2", _NOISE.replace("(j - 1)", "j")),
    false={"factors j - 1": ("2*eta**2*j*sigma**2", "2*eta**2*(j - 1)*sigma**2")},
    group=of_the_sums,
    says=r"\Sigma=\sum_{s=0}^{j-1}2\eta^2s\sigma^2:\quad ",
    headline="With the right factors the noise terms add up to the printed noise term exactly",
    summary="With the factor j of LA-EQ23-R1 in place of j - 1 the sum is what the lemma has, so that the slip "
    "in (23) costs nothing here.",
)
gradients = statement_of_algebra(
    "LA-SUM3",
    run("W <= 2*eta**2*j**2*(j - 1)*g", _GRADIENT),
    false={"1/2 of 2": ("<= 2*eta**2*j**2", "<= 1/2*eta**2*j**2")},
    group=of_the_sums,
    says=r"\Sigma=\sum_{s=0}^{j-1}4\eta^2(s-1)s\,g:\quad ",
    headline="The gradient terms of all local steps together are at most what the lemma says",
    summary="The sum of the gradient terms, in which the s gradients before step s are the same: as printed it "
    "is 4/3 tau (tau - 1)(tau - 2) "
    "eta^2 times the squared gradient.",
)
gradients_repaired = statement_of_algebra(
    "LA-SUM3-S1",
    Relations(
        "j >= 0; W = 2/3*eta**2*j*(j - 1)*(2*j - 1)*g; 2/3*k*(k - 1)*(2*k - 1) <= 4/3*k**2*(k - 1) "
        + _GRADIENT.replace("(j - 1)", "j")
        + "; k >= 1",
        uses={0: {"j >= 0": "1"}, 1: {"W = 2/3*eta**2*j*(j - 1)*(2*j - 1)*g": "1"}},
        names=NAMES | {"k": r"\tau"},
    ),
    false={"6/5 for 4/3": ("4/3*k**2", "6/5*k**2"), "factors j - 1": ("4*eta**2*j*j*g", "4*eta**2*(j - 1)*j*g")},
    group=of_the_sums,
    says=r"\Sigma=\sum_{s=0}^{j-1}4\eta^2s^2g:\quad ",
    headline="With the right factors the gradient terms are two thirds of the printed bound at most",
    quick=False,
    summary="With the factor j of LA-EQ23-R1 the sum is 2/3 tau (tau - 1)(2 tau - 1) eta^2 times the squared "
    "gradient, at most 2/3 of what is "
    "printed.",
)


#: Drifts of the steps of a round, none at step 0: at step 1, later, at all steps.
DRIFTS = [
    tuple(map(Fraction, one)) for one in ((0, 1), (0, 1, 0), (0, 1, 1), (0, 0, 1), (0, 1, 0, 0, 0, 0), (0,) + (1,) * 30)
]


@inequality_claim(
    "LA-SUM2",
    statement=SUM_2,
    headline="The sums of the drifts before each step are bounded by the sum of all drifts",
    summary="Each drift is counted by all later steps, at most tau (tau - 1)/2 of them in weight. It holds with "
    "the factors j too.",
    source="proof of Lemma 5.2, sums over the steps",
    printed=dict(share="1", factor="j - 1"),
    controls=[Control("a quarter of the bound", dict(share="1/4"))],
)
def later_sums(share: str, factor: str) -> Evidence:
    """By induction over the steps, for nonnegative numbers in place of the drifts, with the factors j - 1 and
    with j."""
    bound = replace(SUM_2, expression=sp.Rational(share) * SUM_2.expression)

    def instances() -> Iterator[Instance]:
        for drifts in DRIFTS:
            steps, total = len(drifts), sum(drifts, Fraction(0))
            left = sum(((s - 1) * sum(drifts[:s], Fraction(0)) for s in range(steps)), Fraction(0))
            right = bound.exact(unchecked=True, eta=1, L=1, tau=steps, S=total)
            text = f"eta = L = 1, drifts {', '.join(map(str, drifts))}"
            yield Instance(text, 4 * left, Fraction(str(right)))

    return by_derivation(
        {one: (lambda one=one: derivation.later_sums(bound, one)) for one in (factor, "j")},
        instances,
        method="Partial summation: the weights of a drift in all later steps add up to at most tau (tau - 1)/2.",
        valid_for="all tau >= 1, all nonnegative drifts",
    )


_24 = "S <= eta**2*tau*(tau - 1)*sigma**2 + A*S + 2*eta**2*tau**2*(tau - 1)*g"
rearranged = statement_of_algebra(
    "LA-EQ24",
    Relations(
        "S <= (eta**2*tau*(tau - 1)*sigma**2 + 2*eta**2*tau**2*(tau - 1)*g)/(1 - A); 2*eta**2*tau**2*(tau - 1) = "
        "tau*A/L**2 "
        f"for L > 0; eta > 0; tau >= 1; sigma >= 0; g >= 0; S >= 0; 0 <= A < 1; A = 2*eta**2*L**2*tau*(tau - 1); {_24}",
        uses={0: {_24: "1/(1 - A)"}, 1: {"A = 2*eta**2*L**2*tau*(tau - 1)": "-tau/L**2"}},
        at={"L": "1", "eta": "1/4", "tau": "2", "sigma": "1", "g": "1", "S": "0", "A": "1/4"},
        names=NAMES | {"S": r"\textstyle\sum_{j<\tau}\mathbb{E}\|x^i_{t,j}-u_t\|^2"},
    ),
    false={
        "coefficient without the square of tau": ("; 2*eta**2*tau**2*(tau - 1) = tau", "; 2*eta**2*tau*(tau - 1) = tau")
    },
    group=algebra_claim,
    source="proof of Lemma 5.2, (24)",
    headline="The drift of all steps is solved for where it stands on both sides",
    summary="The sum of the drifts stands on both sides with the factor A < 1 on the right; it is solved for, "
    "and the coefficient of the "
    "squared gradient is tau A/L^2.",
)
averaged = statement_of_algebra(
    "LA-EQ25",
    Relations(
        "N + tau*A/((1 - A)*L**2)*M <= N + tau*A*beta_sq/((1 - A)*L**2)*G + tau*A*kappa_sq/((1 - A)*L**2) "
        "for L > 0; tau >= 1; 0 <= A < 1; beta_sq >= 1; kappa_sq >= 0; G >= 0; M >= 0; M <= beta_sq*G + kappa_sq",
        uses={0: {"M <= beta_sq*G + kappa_sq": "tau*A/((1 - A)*L**2)"}},
        names=NAMES | {"M": r"\tfrac1m\sum_i\mathbb{E}\|\nabla F_i(u_t)\|^2", "G": r"\mathbb{E}\|\nabla F(u_t)\|^2"},
    ),
    false={"beta^2 left out": ("tau*A*beta_sq/", "tau*A/")},
    group=algebra_claim,
    source="proof of Lemma 5.2, (25)",
    headline="Averaged over the clients, the drift is bounded by the gradient of the average",
    summary="The bound of one client is averaged over the clients, and the bounded dissimilarity is applied to "
    "their gradients at u_t.",
    tightness=attained("equality where the dissimilarity is attained"),
)


if __name__ == "__main__":
    run_script(__file__)
