"""The five steps of the proof of Lemma 3 of Li et al. (2020), and the first round, where it starts."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.decide import decide
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.theory.averages import Averages
from fltheory.theory.proofs import Certificate, nonnegative_on
from verify.li2020 import one_step_checks as checks
from verify.li2020.lemma_3.local_drift import StepSequence, opposite_minimisers, start_indices_hold
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
    """Plain mean over the t - t0 steps as a linear functional; E = t - t0 + 1 + r."""
    c, d = sp.Rational(first), sp.Rational(second)
    x, mean, deviation, s, r = sp.symbols("x x_mean x_dev s r")
    over_steps = Averages({x: (mean, deviation)}, common_vectors=(mean,))
    ranges = ((s, 0, None), (r, 0, None))
    jensen = over_steps.certificate((s * mean) ** 2, c * s * s * x**2, squares=[((c - 1) * s**2, x)], ranges=ranges)
    jensen = Certificate(jensen.left, jensen.right, {}, [*jensen.squares, (s**2, deviation)], ranges)
    count = d * (s + r) - c * s
    verified, reason = jensen.verify()
    found = [
        equal_steps(lambda m: (Fraction(m**2), Fraction(first) * m * m)),
        equal_steps(lambda m: (Fraction(first) * m * m, Fraction(second) * m * m)),
    ]
    return decide(
        (verified and nonnegative_on(count, ranges), reason),
        min(found, key=lambda result: result.worst),
        method="mean and deviation over the steps (any number of them), Gram identity in scalars, t - t0 <= E - 1",
        valid_for="every t - t0 <= E - 1, dimension",
        prose="the mean over the steps with its deviation, and the number of steps, are certified one by one",
        certificate={"jensen": certificates.polynomial(jensen), "count": certificates.nonnegative(count, ranges)},
    )


@inequality_claim(
    "LI-L3PF1..5.4",
    source="proof of Lemma 3, fourth and fifth line",
    statement=r"\sum_{j=t_0}^{t-1}(E-1)\eta_j^2\,\mathbb{E}\|g_j\|^2\le\sum_{j=t_0}^{t-1}(E-1)\eta_{t_0}^2G^2\le"
    r"\eta_{t_0}^2(E-1)^2G^2",
    summary="Steps are at most eta_{t0}, second moments at most G^2, and there are at most E - 1 of them.",
    assumptions=("A4 at t0, ..., t - 1", "eta_t non-increasing"),
    printed=dict(factor="1"),
    controls=[Control("right-hand side times 0.99", dict(factor="99/100"))],
)
def li_l3pf_4(factor: str) -> Evidence:
    """The generic step e <= e_0 with second moment q <= G^2, and the count."""
    c = sp.Rational(factor)
    e, e0, q, G, s, r = sp.symbols("e e_0 q G s r")
    ranges = ((e, 0, None), (e0, 0, None), (s, 0, None), (r, 0, None), (G, 0, None))
    term = Certificate(
        e**2 * q, e0**2 * G**2, {"A4": (e**2, G**2 - q), "eta_j <= eta_t0": ((e0 + e) * G**2, e0 - e)}, [], ranges
    )
    count = c * (s + r) ** 2 - (s + r) * s
    verified, reason = term.verify()
    return decide(
        (verified and nonnegative_on(count, ranges), reason),
        equal_steps(lambda m: (Fraction(m * m), Fraction(factor) * m * m)),
        method="one certificate for the generic term of the sum (linearity), and a sign for the number of terms",
        valid_for="every t - t0 <= E - 1",
        prose="a term of the sum and the number of terms are certified; the sum of the terms joins them",
        certificate={"term": certificates.polynomial(term), "count": certificates.nonnegative(count, ranges)},
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


def first_round(start: int, first_bounded: int) -> Evidence:
    """A run from ``start`` with gradients bounded by G from ``first_bounded`` on: is Lemma 3 true in the first round?

    Every gradient that enters the drift at t has an index in t0 ... t - 1, and t0 >= start.
    """
    half, one = Fraction(1, 2), Fraction(1)
    steps = StepSequence((one,) * 2, (half,))
    runs = [opposite_minimisers(steps, e, total, start) for e, total in ((2, 2), (3, 3), (2, 8), (3, 12))]
    cases = [case for run in runs for case in run.sides(Fraction(4), first_bounded)]
    found = search(
        cases, lambda case: case[1:], describe=lambda case: f"{case[0]}: drift against 4 eta_t^2 (E-1)^2 G^2"
    )
    proved = start_indices_hold(start) and start >= first_bounded
    return decide(
        (proved, "a gradient with an index below the range of A4 is used"),
        found,
        method="t0 = max(start, E floor(t/E)) by division with remainder (signs); the gradients used have indices t0 "
        "... t - 1 >= start, which A4 covers; exact runs",
        valid_for="every E, t >= start",
    )


_T0 = (
    r"\forall t\ge t_{\rm start}\ \exists t_0\le t:\ t-t_0\le E-1,\ w^k_{t_0}=\bar w_{t_0}\ \forall k,"
    r"\ \text{and the gradients at }t_0,\dots,t-1\text{ are covered by A4 }(t\ge1)"
)

first_round_claim = inequality_claim.sharing(source="proof of Lemma 3, A4")
_FROM_ONE = Control("A4 from t = 1 on, run from t = 0", dict(first_bounded=1))

#: The reading in which w_0 is the initial model.
li_l3pf_t0_from_0 = first_round_claim(
    "LI-L3PF-T0[run from t = 0]",
    statement=_T0.replace(r"t_{\rm start}", "0").replace(r"t\ge1", r"t\ge0"),
    summary="The index t0 = 0 exists, and A4 covers every gradient that is used if it is assumed for t = 0, ..., T-1; as "
    "printed (t = 1, ..., T-1) it does not bound the gradient at t = 0, which the first round uses.",
    printed=dict(start=0, first_bounded=0),
    controls=[_FROM_ONE],
    unprinted=Unprinted("A4 at t = 0 as well, where the run starts", _FROM_ONE.name),
    headline="The drift proof uses a gradient at time zero that its assumption does not bound",
)(first_round)

#: The reading in which w_1 is the initial model, as in the bounds of the theorems.
li_l3pf_t0_from_1 = first_round_claim(
    "LI-L3PF-T0[run from t = 1]",
    statement=_T0.replace(r"t_{\rm start}", "1"),
    summary="If the initial model is w_1 (so that the first round has E - 1 steps), A4 as printed covers every "
    "gradient that is used.",
    printed=dict(start=1, first_bounded=1),
    controls=[Control("run from t = 0", dict(start=0)), Control("A4 from t = 2 on", dict(first_bounded=2))],
)(first_round)


if __name__ == "__main__":
    run_script(__file__)
