"""Lemma 2 of Li et al. (2020): the variance of the averaged stochastic gradient, and the equality in its proof.

For any number of devices by induction: adding one device adds p^2 E|n|^2 when its noise is centred and uncorrelated
with the sum so far.  That the samples of different devices are independent is used and printed nowhere; with
shared samples the statement is false (control).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from statistics import mean, pvariance

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import identical
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.kinds import expectation_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness, Unprinted
from fltheory.theory.averages import Averages
from fltheory.theory.sampling import weighted_mean
from fltheory.theory.states import proves
from verify.li2020.derivations.lemmas import variance
from verify.li2020.lemmas import LEMMA_2, SAMPLING
from verify.li2020.symbols import S


@dataclass(frozen=True)
class Devices:
    """Weights, and per device the gradients at its point for each of its data, all equally likely."""

    weights: tuple[Fraction, ...]
    gradients: tuple[tuple[Fraction, ...], ...]
    shared: bool

    def noises(self) -> Iterator[tuple[Fraction, ...]]:
        """All equally likely joint noises; with shared samples every device draws the same index."""
        centred = [[g - mean(row) for g in row] for row in self.gradients]
        yield from zip(*centred, strict=True) if self.shared else product(*centred)

    def variance_of_average(self) -> Fraction:
        """E|g_t - gbar_t|^2 by enumeration."""
        return mean([weighted_mean(self.weights, noise) ** 2 for noise in self.noises()])

    def sum_of_variances(self) -> Fraction:
        """sum_k p_k^2 sigma_k^2 with sigma_k^2 the exact variance."""
        return weighted_mean([p**2 for p in self.weights], [pvariance(row) for row in self.gradients])


def instances(shared: bool) -> list[Devices]:
    """One to three devices with two data each."""
    half, third = Fraction(1, 2), Fraction(1, 3)
    one = (Fraction(1), Fraction(-1))
    return [
        Devices((Fraction(1),), (one,), shared),
        Devices((half, half), (one, one), shared),
        Devices((third, 2 * third), (one, (Fraction(3), Fraction(0))), shared),
        Devices((half, third, Fraction(1, 6)), (one, (Fraction(2), Fraction(5)), (Fraction(0), Fraction(1))), shared),
    ]


def induction_residual(shared: bool) -> sp.Expr:
    """E|s + p n|^2 - E|s|^2 - p^2 E|n|^2 for a centred sum s and a centred noise n; uncorrelated unless shared."""
    total, n, p, ds, dn = sp.symbols("total n p d_total d_n")
    expectation = Averages({total: (sp.Integer(0), ds), n: (sp.Integer(0), dn)})
    value = expectation.of((total + p * n) ** 2)
    correlation = sp.expand(value).coeff(ds, 1).coeff(dn, 1) * ds * dn
    return sp.expand(value - (0 if shared else correlation) - ds**2 - p**2 * dn**2)


_ONE_INDEX = Control("all devices draw the same index", dict(shared=True))
_INDEPENDENT = Unprinted("the samples of different devices are independent", _ONE_INDEX.name)
_SHARP = Tightness(1.0, Rung.PROOF, "equality when sigma_k^2 is the exact variance")


def enumerated(shared: bool, factor: Fraction, relation: str) -> Search:
    """All samples on four instances; ``factor`` multiplies the right-hand side."""
    return search(
        instances(shared),
        lambda d: (d.variance_of_average(), factor * d.sum_of_variances()),
        relation=relation,
        describe=lambda d: (
            f"weights {tuple(map(str, d.weights))}, gradients per datum {[tuple(map(str, r)) for r in d.gradients]}, "
            f"{'one common index' if d.shared else 'independent indices'}"
        ),
    )


def lemma(shared: bool, factor: str) -> Evidence:
    """Derived from independence, without which nothing is."""
    return by_derivation(
        variance(sp.Rational(factor) * LEMMA_2.expression, independent=not shared),
        enumerated(shared, Fraction(factor), "<="),
        valid_for="every N, p, dimension; noises centred and independent between devices",
        tightness=_SHARP,
    )


def sum_of_variances(shared: bool, factor: str) -> Evidence:
    """One step of the induction over the devices is an identity of second moments (mean and deviation)."""
    return identical(
        [induction_residual(shared), sp.Rational(factor) - 1],
        enumerated(shared, Fraction(factor), "="),
        prose="one step of the induction over the devices",
        method="induction over the devices: one step is an identity of second moments (mean and deviation); "
        "enumeration of all samples on four instances",
        valid_for="every N, p, dimension; noises centred and uncorrelated between devices",
    )


li_lem2 = expectation_claim(
    "LI-LEM2",
    statement=LEMMA_2,
    proves=proves(LEMMA_2, lambda factor: factor * S),
    source="Lemma 2",
    headline="In the averaged gradient the variances of independent clients add with squared weights",
    summary="The variance of the averaged gradient is at most sum p_k^2 sigma_k^2; needs independent samples across "
    "devices (not printed).",
    assumptions=("A3", SAMPLING),
    proof_steps=("LI-L2PF",),
    printed=dict(shared=False, factor="1"),
    controls=[Control("right-hand side times 0.99", dict(factor="99/100")), _ONE_INDEX],
    unprinted=_INDEPENDENT,
)(lemma)

li_l2pf = identity_claim(
    "LI-L2PF",
    headline="Variances add if the samples of different devices are independent, which is not printed",
    source="proof of Lemma 2",
    statement=r"\mathbb{E}\Big\|\sum_kp_k(\nabla F_k(w^k_t,\xi^k_t)-\nabla "
    r"F_k(w^k_t))\Big\|^2=\sum_kp_k^2\,\mathbb{E}\|\nabla F_k(w^k_t,\xi^k_t)-\nabla F_k(w^k_t)\|^2",
    summary="Variances of independent samples add; independence across devices is used without being printed.",
    assumptions=(SAMPLING,),
    printed=dict(shared=False, factor="1"),
    controls=[Control("right-hand side times 1.01", dict(factor="101/100")), _ONE_INDEX],
    unprinted=_INDEPENDENT,
)(sum_of_variances)


if __name__ == "__main__":
    run_script(__file__)
