"""The five steps of the proof of Lemma 3 of Li et al. (2020), and the first round, where it starts."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.theory.proofs import Certificate
from verify.li2020 import one_step_checks as checks
from verify.li2020.derivations.sampling import bounded_steps, sum_of_steps
from verify.li2020.lemma_3.local_drift import StepSequence
from verify.li2020.symbols import dw, w, wbar, wstar

#: A common point of all clients (in the proof wbar_{t0}); the steps hold for any, and the instances use w*.
ORIGIN = wstar


@identity_claim(
    "LI-L3PF1..5.1",
    source="proof of Lemma 3, first line",
    statement=r"\sum_kp_k\|\bar w_t-w^k_t\|^2=\sum_kp_k\|(w^k_t-\bar w_{t_0})-(\bar w_t-\bar w_{t_0})\|^2",
    summary="The common point of the last synchronisation is inserted.",
    printed=dict(sign=-1),
    controls=[Control("plus instead of minus between the brackets", dict(sign=1))],
)
def li_l3pf_1(sign: int) -> Evidence:
    """Expansion."""
    return checks.averaged_identity((wbar - w) ** 2, ((w - ORIGIN) + sign * (wbar - ORIGIN)) ** 2)


@inequality_claim(
    "LI-L3PF1..5.2",
    source="proof of Lemma 3, second line",
    statement=r"\sum_kp_k\|(w^k_t-\bar w_{t_0})-(\bar w_t-\bar w_{t_0})\|^2\le\sum_kp_k\|w^k_t-\bar w_{t_0}\|^2",
    summary="The second moment about the mean is the smallest.",
    printed=dict(factor="1"),
    controls=[Control("right-hand side times 0.99", dict(factor="99/100"))],
)
def li_l3pf_2(factor: str) -> Evidence:
    """Mean and deviation: the difference is |wbar_t - wbar_{t0}|^2."""
    c = sp.Rational(factor)
    left, right = ((w - ORIGIN) - (wbar - ORIGIN)) ** 2, c * (w - ORIGIN) ** 2
    return checks.averaged_inequality(left, right, squares=[(c, wbar - ORIGIN), (c - 1, dw)])


def equal_steps(sides: Callable[[int], tuple[Fraction, Fraction]], *, largest: int = 4) -> Search:
    """Rounds with gradients 1 and s = E - 1 = 1 ... ``largest`` steps of size 1; ``sides(s)`` gives both sides."""
    steps = range(1, largest + 1)
    return search(steps, sides, describe=lambda s: f"E = {s + 1}, t - t0 = {s}, all steps and gradients 1")


@inequality_claim(
    "LI-L3PF1..5.3",
    headline="Jensen's inequality over the local steps since the last synchronisation",
    source="proof of Lemma 3, third line and the display on Jensen's inequality",
    statement=r"\Big\|\sum_{j=t_0}^{t-1}\eta_jg_j\Big\|^2\le(t-t_0)\sum_{j=t_0}^{t-1}\eta_j^2\|g_j\|^2\le(E-1)"
    r"\sum_{j=t_0}^{t-1}\eta_j^2\|g_j\|^2",
    summary="Jensen's inequality is applied to the steps since the last synchronisation, of which there are t - t0 "
    "<= E - 1.",
    printed=dict(first="1", second="1"),
    controls=[
        Control("t - t0 -> 0.99 (t - t0)", dict(first="99/100")),
        Control("E - 1 -> 0.99 (E - 1)", dict(second="99/100")),
    ],
)
def li_l3pf_3(first: str, second: str) -> Evidence:
    """A sum over the t - t0 = s steps is s times a mean; mean and deviation, and s <= E - 1."""
    found = [
        equal_steps(lambda m: (Fraction(m**2), Fraction(first) * m * m)),
        equal_steps(lambda m: (Fraction(first) * m * m, Fraction(second) * m * m)),
    ]
    return by_derivation(
        sum_of_steps(first, second),
        min(found, key=lambda result: result.worst),
        valid_for="every t - t0 <= E - 1, dimension",
    )


@inequality_claim(
    "LI-L3PF1..5.4",
    headline="The drift of a round: how many steps, how long, and how large their gradients",
    source="proof of Lemma 3, fourth and fifth line",
    statement=r"\sum_{j=t_0}^{t-1}(E-1)\eta_j^2\,\mathbb{E}\|g_j\|^2\le\sum_{j=t_0}^{t-1}(E-1)\eta_{t_0}^2G^2\le"
    r"\eta_{t_0}^2(E-1)^2G^2",
    summary="Steps are at most eta_{t0}, second moments at most G^2, and there are at most E - 1 of them.",
    assumptions=("A4 at t0, ..., t - 1", "eta_t non-increasing"),
    printed=dict(factor="1"),
    controls=[Control("right-hand side times 0.99", dict(factor="99/100"))],
)
def li_l3pf_4(factor: str) -> Evidence:
    """Each of the s <= E - 1 steps of the round has eta_j <= eta_t0 and E|g_j|^2 <= G^2."""
    return by_derivation(
        bounded_steps(factor),
        equal_steps(lambda m: (Fraction(m * m), Fraction(factor) * m * m)),
        valid_for="every t - t0 <= E - 1",
    )


@inequality_claim(
    "LI-L3PF1..5.5",
    source="proof of Lemma 3, last line",
    statement=r"\eta_{t_0}\le2\eta_{t_0+E}\le2\eta_t\ \Rightarrow\ "
    r"(E-1)^2\eta_{t_0}^2G^2\le4\eta_t^2(E-1)^2G^2\quad(t_0\le t\le t_0+E)",
    summary="The first step of the round is at most twice any later one.",
    assumptions=("eta_t non-increasing", "eta_t <= 2 eta_{t+E}"),
    printed=dict(constant="4"),
    controls=[Control("4 -> 3.96", dict(constant="99/25"))],
)
def li_l3pf_5(constant: str) -> Evidence:
    """Premises 2 eta_{t0+E} - eta_{t0} >= 0 and eta_t - eta_{t0+E} >= 0."""
    c = sp.Rational(constant)
    first, now, later = sp.symbols("eta_t0 eta_t eta_later")
    ranges = ((first, 0, None), (now, 0, None), (later, 0, None))
    premises = {
        "eta_t0 <= 2 eta_{t0+E}": (first + 2 * now, 2 * later - first),
        "eta_{t0+E} <= eta_t": (2 * (first + 2 * now), now - later),
    }
    certificate = Certificate(first**2, c * now**2, premises, [(c - 4, now)], ranges)
    steps = StepSequence((Fraction(2),), (Fraction(1),))
    found = search(
        [1, 2],
        lambda t: (steps(0) ** 2, Fraction(constant) * steps(t) ** 2),
        describe=lambda t: f"E = 2, {steps}, t0 = 0, t = {t}",
    )
    return decide(
        certificate.verify(),
        found,
        method="two premises with nonnegative multipliers",
        valid_for="every E, t0 <= t <= t0 + E",
        certificate=certificates.polynomial(certificate),
    )


#: t0 = max(start, E floor(t/E)); i stands for the indices of the gradients that enter the drift at t
def _indices(start: int) -> Relations:
    return Relations(
        f"t <= t_0 + E - 1; i >= {start} for E >= 1; t >= {start}; q*E <= t; t < (q + 1)*E; t_0 >= {start}; t_0 >= q*E; i >= t_0; "
        "E, t, q, t_0, i whole",
        uses={0: {"t < (q + 1)*E": "1", "t_0 >= q*E": "1"}},
        at=dict.fromkeys(("E", "t", "q", "t_0", "i"), "1"),
        names={"t_0": "t_0"},
    )


_T0 = (
    r"\forall t\ge t_{\rm start}:\ t_0=\max\{t_{\rm start},qE\},\ q=\lfloor t/E\rfloor,\ \text{the last step with }"
    r"w^k_{t_0}=\bar w_{t_0}\ \forall k;\text{ A4 covers the gradients at }i=t_0,\dots,t-1:\quad "
)

first_round_claim = inequality_claim.sharing(source="proof of Lemma 3, A4")
_FROM_ONE = "A4 from t = 1 on, run from t = 0"

#: The reading in which w_0 is the initial model.
li_l3pf_t0_from_0 = statement_of_algebra(
    "LI-L3PF-T0[run from t = 0]",
    _indices(0),
    prose="that the first round uses the gradient at t=0, which A4 omits, that i <= T-1, and that models "
    "agree at t_0 are read off the algorithm",
    says=_T0.replace(r"t_{\rm start}", "0"),
    false={_FROM_ONE: ("i >= 0", "i >= 1")},
    group=first_round_claim,
    summary="The index t0 exists, and A4 covers every gradient that is used if it is assumed for t = 0, ..., T-1; as "
    "printed (t = 1, ..., T-1) it does not bound the gradient at t = 0, which the first round uses.",
    unprinted=Unprinted("A4 at t = 0 as well, where the run starts", _FROM_ONE),
    headline="The drift proof uses a gradient at time zero that its assumption does not bound",
)

#: The reading in which w_1 is the initial model, as in the bounds of the theorems.
li_l3pf_t0_from_1 = statement_of_algebra(
    "LI-L3PF-T0[run from t = 1]",
    _indices(1),
    prose="i <= t-1 <= T-1, t_0 <= t, and that all models agree at t_0 are read off the algorithm",
    headline="If the run begins at time one, every gradient that the drift proof uses is bounded",
    says=_T0.replace(r"t_{\rm start}", "1"),
    false={"run from t = 0": ("t_0 >= 1", "t_0 >= 0"), "A4 from t = 2 on": ("i >= 1", "i >= 2")},
    group=first_round_claim,
    summary="If the initial model is w_1 (so that the first round has E - 1 steps), A4 as printed covers every "
    "gradient that is used.",
)


if __name__ == "__main__":
    run_script(__file__)
