"""Appendix A.1 of Li et al. (2020): the averaged iterates, and in what sense they make a step of SGD.

The definitions give vbar_{t+1} = wbar_t - eta_t g_t by linearity.  g_t averages gradients at the local points, so it
is no stochastic gradient of F at wbar_t: the means differ by at most (L - mu)/2 times the root of the drift, and that
is sharp.
"""

from fractions import Fraction

import sympy as sp

from fltheory.derivation.statement import Derived
from fltheory.evidence.algebra import by_relations
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from verify.li2020 import symbols
from verify.li2020.derivations.lemmas import averages
from verify.li2020.derivations.moment import APART, follows
from verify.li2020.one_step_checks import VALID, averaged_search
from verify.li2020.symbols import Gbar, dw, gbar, w, wbar


def virtual(total: str, first: str) -> Evidence:
    """The three identities of A.1 for weights of that sum, the first of two data drawn with that probability."""
    p, q, w, eta, g = sp.symbols("p q w eta g")
    at = {p: Fraction(total), q: Fraction(first), w: 1, eta: Fraction(1, 4), g: 1}
    vbar = p * (w - eta * g)
    average, mean = Side("the average of vbar", p * vbar), Side("E g", q * g - (1 - q) * g)
    found = [
        Witness(at, average, "=", Side("vbar", vbar), setting="one client of weight p"),
        Witness(at, mean, "=", Side("gbar", g - g), setting="one client with gradients g and -g at its two data"),
    ]
    derived = (
        averages() if (total, first) == ("1", "1/2") else Derived(None, reason="another sum of the weights, or a bias")
    )
    return by_derivation(
        derived, tried(found), valid_for="every N, p with sum 1, dimension, at every t (synchronisation or not)"
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
    left, right = (gbar - Gbar) ** 2, c * m**2 / 4 * (w - wbar) ** 2
    facts = {"A1 and A2 from u to w": m, "A1 and A2 from w to u": m}
    squares = [(sp.Integer(1), deviation), ((c - 1) * m**2 / 4, dw)]
    return by_derivation(
        follows(left, right, facts=facts, squares=squares, begun=APART),
        averaged_search(left, right),
        valid_for=f"{VALID}, 0 < mu <= L, 0 < eta <= {APART[0]}",
        tightness=Tightness(1.0, Rung.PROOF, "equality for two equally weighted quadratics with curvatures mu and L"),
    )


if __name__ == "__main__":
    run_script(__file__)
