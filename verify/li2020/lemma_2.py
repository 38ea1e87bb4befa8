"""Lemma 2 of Li et al. (2020): the variance of the averaged stochastic gradient, and the equality in its proof.

For any number of devices by induction: adding one device adds p^2 E|n|^2 when its noise is centred and uncorrelated
with the sum so far.  That the samples of different devices are independent is used and printed nowhere; with
shared samples the statement is false (control).
"""

from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import expectation_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness, Unprinted
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.states import proves
from verify.li2020.derivations.lemmas import variance
from verify.li2020.lemmas import LEMMA_2, SAMPLING
from verify.li2020.symbols import S


def two_devices(shared: bool, factor: str, relation: str) -> Witness:
    """Two devices with gradients 1 and -1 at their data; ``factor`` multiplies the right-hand side."""
    p, q = sp.symbols("p_1 p_2")
    outcomes = [(1, 1), (-1, -1)] if shared else list(product((1, -1), repeat=2))
    left = sum((p * a + q * b) ** 2 for a, b in outcomes) / len(outcomes)
    draw = "one common index" if shared else "independent indices"
    return Witness(
        {p: Fraction(1, 3), q: Fraction(2, 3)},
        Side("E|g - gbar|^2", left),
        relation,
        sp.Rational(factor) * (p**2 + q**2),
        [(p + q, "=", 1)],
        f"gradients 1 and -1 at the data of each of two devices, {draw}",
    )


#: The induction over the devices: s is the sum of the weighted noises so far, n that of one more device with weight p.
ONE_MORE = InMean(
    "sq(s + p*n) = sq(s) + p**2*sq(n) for p >= 0",
    things="s over xi; n over xi",
    over="xi",
    uses=[use("uncorrelated", times="-2*p", x="s", y="n")],
)


_ONE_INDEX = Control("all devices draw the same index", dict(shared=True))
_INDEPENDENT = Unprinted("the samples of different devices are independent", _ONE_INDEX.name)
_SHARP = Tightness(1.0, Rung.PROOF, "equality when sigma_k^2 is the exact variance")


def lemma(shared: bool, factor: str) -> Evidence:
    """Derived from independence, without which nothing is."""
    return by_derivation(
        variance(sp.Rational(factor) * LEMMA_2.expression, independent=not shared),
        tried(two_devices(shared, factor, "<=")),
        valid_for="every N, p, dimension; noises centred and independent between devices",
        tightness=_SHARP,
    )


def sum_of_variances(shared: bool, factor: str) -> Evidence:
    """One step of the induction over the devices is an identity of second moments."""
    stated = ONE_MORE.without("uncorrelated") if shared else ONE_MORE
    return by_derivation(
        stated.changed("p**2", f"{factor}*p**2").derived,
        tried(two_devices(shared, factor, "=")),
        prose="one step of the induction over the devices",
        method="induction over the devices: one step is an identity of second moments",
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
    statement=(
        r"\mathbb{E}\Big\|\sum_kp_k(\nabla F_k(w^k_t,\xi^k_t)-\nabla F_k(w^k_t))\Big\|^2=\sum_kp_k^2\,"
        r"\mathbb{E}\|\nabla F_k(w^k_t,\xi^k_t)-\nabla F_k(w^k_t)\|^2,\quad\text{one device after the other: }",
        ONE_MORE,
    ),
    summary="Variances of independent samples add; independence across devices is used without being printed.",
    assumptions=(SAMPLING,),
    printed=dict(shared=False, factor="1"),
    controls=[Control("right-hand side times 1.01", dict(factor="101/100")), _ONE_INDEX],
    unprinted=_INDEPENDENT,
)(sum_of_variances)


if __name__ == "__main__":
    run_script(__file__)
