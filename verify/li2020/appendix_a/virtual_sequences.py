"""Appendix A.1 of Li et al. (2020): the averaged iterates, and in what sense they make a step of SGD.

The definitions give vbar_{t+1} = wbar_t - eta_t g_t by linearity.  g_t averages gradients at the local points, so it
is no stochastic gradient of F at wbar_t: the means differ by at most (L - mu)/2 times the root of the drift, and that
is sharp.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

import sympy as sp

from fltheory.derivation.statement import Derived
from fltheory.evidence.algebra import by_relations
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.relations import Relations
from verify.li2020 import one_step_checks as checks
from verify.li2020 import symbols
from verify.li2020.derivations.lemmas import averages
from verify.li2020.derivations.moment import APART
from verify.li2020.symbols import Gbar, dw, gbar, w, wbar


@dataclass(frozen=True)
class DrawsOfData:
    """Local points, step, weights, and per client its gradients per datum with their probabilities."""

    weights: tuple[Fraction, ...]
    points: tuple[Fraction, ...]
    gradients: tuple[tuple[Fraction, ...], ...]
    probabilities: tuple[Fraction, ...]
    step: Fraction

    def average(self, values: tuple[Fraction, ...]) -> Fraction:
        """sum_k p_k value_k."""
        return sum((p * x for p, x in zip(self.weights, values, strict=True)), Fraction(0))

    def residuals(self) -> tuple[Fraction, Fraction]:
        """Largest violation of the two averaging identities over all draws, and |E g_t - gbar_t|."""
        full = tuple(sum(row, Fraction(0)) / len(row) for row in self.gradients)
        mean, worst = Fraction(0), Fraction(0)
        for draw in product(range(len(self.probabilities)), repeat=len(self.weights)):
            g = tuple(row[i] for row, i in zip(self.gradients, draw, strict=True))
            chance = prod((self.probabilities[i] for i in draw), start=Fraction(1))
            local = tuple(x - self.step * slope for x, slope in zip(self.points, g, strict=True))
            vbar, mean = self.average(local), mean + chance * self.average(g)
            synchronised = self.average((vbar,) * len(self.weights))
            direct = self.average(self.points) - self.step * self.average(g)
            worst = max(worst, abs(vbar - direct), abs(synchronised - vbar))
        return worst, abs(mean - self.average(full))


def draws(total: Fraction, first: Fraction) -> list[DrawsOfData]:
    """One to three clients; weights sum to ``total``, the first of two data is drawn with probability ``first``."""
    step, third = Fraction(1, 4), Fraction(1, 3)
    rows = ((Fraction(1), Fraction(-1)), (Fraction(2), Fraction(0)), (Fraction(5), Fraction(1)))
    shares = ((Fraction(1),), (third, 2 * third), (third, third / 2, third * 3 / 2))
    return [
        DrawsOfData(
            tuple(total * p for p in share),
            tuple(Fraction(k + 1) for k in range(len(share))),
            rows[: len(share)],
            (first, 1 - first),
            step,
        )
        for share in shares
    ]


def virtual(total: str, first: str) -> Evidence:
    """The three identities of A.1 under weights with the given sum and sampling with the given first probability."""
    found = search(
        draws(Fraction(total), Fraction(first)),
        lambda d: (max(d.residuals()), Fraction(0)),
        relation="=",
        describe=lambda d: (
            f"weights {tuple(map(str, d.weights))}, points {tuple(map(str, d.points))}, gradients per datum "
            f"{[tuple(map(str, r)) for r in d.gradients]} drawn with probabilities "
            f"{tuple(map(str, d.probabilities))}: largest residual"
        ),
    )
    derived = (
        averages() if (total, first) == ("1", "1/2") else Derived(None, reason="another sum of the weights, or a bias")
    )
    return by_derivation(
        derived, found, valid_for="every N, p with sum 1, dimension, at every t (synchronisation or not)"
    )


the_averages = identity_claim.sharing(
    statement=r"\bar v_{t+1}=\bar w_t-\eta_tg_t,\quad\mathbb{E}g_t=\bar g_t,\quad\bar w_{t+1}=\bar v_{t+1}",
    printed=dict(total="1", first="1/2"),
)

li_a1_virt = the_averages(
    "LI-A1-VIRT.1",
    headline="With all clients the average takes one averaged step, synchronised or not",
    source="Appendix A.1 and first line of A.3",
    summary="The averages follow one averaged step, unbiased given the local points, whether or not t + 1 is a "
    "synchronisation.",
    controls=[
        Control("weights that sum to 0.99", dict(total="99/100")),
        Control("a datum drawn with probability 0.51 instead of 1/2", dict(first="51/100")),
    ],
)(virtual)


@identity_claim(
    "LI-VBARSGD[an unbiased gradient of F at the average]",
    fault="reading",
    source="Appendix A.1",
    statement=r"\mathbb{E}g_t=\bar g_t=\nabla F(\bar w_t)",
    repair="LI-VBARSGD-R1",
    headline="The averaged step need not be an SGD step of the global loss when Hessians differ",
    summary="'A single step of SGD from the average' in the usual sense: can be false between synchronisations when "
    "Hessians differ.",
    printed=dict(hessians="any"),
    controls=[Control("quadratic clients with one Hessian", dict(hessians="equal"), must="pass")],
)
def li_vbarsgd_unbiased(hessians: str) -> Evidence:
    """Two quadratic clients in one dimension, with curvatures a and b at w_1 and w_2."""
    one_hessian = "; b = a" if hessians == "equal" else ""
    found = Relations("p*a*w_1 + (1 - p)*b*w_2 = (p*a + (1 - p)*b)*(p*w_1 + (1 - p)*w_2) for 0 < p < 1" + one_hessian)
    return by_relations(found)


li_vbarsgd_local = the_averages(
    "LI-VBARSGD[gradients taken at the local points]",
    headline="With gradients taken at the local points the averaged step is one step by definition",
    source="Appendix A.1",
    summary="'A single step of SGD from the average' in the sense of the displayed formula is true by definition.",
    controls=[Control("weights that sum to 0.99", dict(total="99/100"))],
)(virtual)


@inequality_claim(
    "LI-VBARSGD-R1",
    headline="The averaged step is SGD with a bias at most proportional to the root of the drift",
    source="Appendix A.1, repaired",
    statement=r"\bar v_{t+1}=\bar w_t-\eta_t(\nabla F(\bar w_t)+e_t+n_t),\ \mathbb{E}[n_t]=0,\ "
    r"\|e_t\|^2\le\Big(\frac{L-\mu}2\Big)^2\sum_kp_k\|w^k_t-\bar w_t\|^2",
    summary="The averaged step is SGD with a bias of at most (L - mu)/2 times the root of the drift; for quadratics "
    "it is sum p_k A_k (w^k - wbar).",
    assumptions=("A1", "A2"),
    printed=dict(factor="1"),
    controls=[Control("((L - mu)/2)^2 times 0.99", dict(factor="99/100"))],
)
def li_vbarsgd_r1(factor: str) -> Evidence:
    """Cocoercivity between w^k and the average, over clients; sharp for curvatures mu and L with equal weights."""
    c, m = sp.Rational(factor), symbols.L - symbols.mu
    deviation = symbols.dg - symbols.dg_bar - symbols.mu * dw - m / 2 * dw
    return checks.averaged_inequality(
        (gbar - Gbar) ** 2,
        c * m**2 / 4 * (w - wbar) ** 2,
        facts={"A1 and A2 from u to w": m, "A1 and A2 from w to u": m},
        squares=[(sp.Integer(1), deviation), ((c - 1) * m**2 / 4, dw)],
        begun=APART,
        tightness=Tightness(1.0, Rung.PROOF, "equality for two equally weighted quadratics with curvatures mu and L"),
    )


if __name__ == "__main__":
    run_script(__file__)
