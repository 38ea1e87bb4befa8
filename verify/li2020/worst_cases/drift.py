"""Lemmas 3 and 5 of Li et al. (2020) with exact gradients: drift and sampling variance of a round in closed form.

A step of a client moves no two points further apart than by 1 - eta mu (steps up to 2/(L + mu)); between a point and the next
one this says |grad F_k(x_{j+1})| <= (1 - eta_j mu) |grad F_k(x_j)|.  So a bound on the gradients at the start of a round alone
bounds drift and sampling variance, and quadratics attain all of it.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.participation import SchemeI
from fltheory.algorithms.subsets import NormalisedUniform
from fltheory.evidence import certificates
from fltheory.evidence.decide import decide
from fltheory.evidence.declare import ClaimGroup
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.kinds import expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.readings.gram import Recorder
from fltheory.theory import sampling
from fltheory.theory.proofs import Open, is_zero
from fltheory.theory.record import remembered
from fltheory.worstcase import verifier
from fltheory.worstcase.analysis import Analysis
from fltheory.worstcase.classes import SmoothStronglyConvex
from fltheory.worstcase.entry import build_model, solve_model
from fltheory.worstcase.functional import Functional, square
from fltheory.worstcase.symbolic import SymbolicClaim, SymbolicProof, prove
from verify.li2020 import elsewhere, symbols
from verify.li2020.frontier import TURN, A, B, D, s
from verify.li2020.lemma_3.local_drift import LocalRun, local_runs, next_distance_residual
from verify.li2020.lemma_5.statement import exact_factor
from verify.li2020.symbols import CLIENTS, L, w, wbar, wstar

ONE = Fraction(1)


@remembered
def gradients_shrink(factor: sp.Expr = B) -> SymbolicProof:
    """eta^2 sum p|g_{j+1}|^2 <= eta^2 factor^2 sum p|g_j|^2 along a local step, for steps up to 2/(L + mu)."""
    recorder = Recorder()
    point = recorder.put(("given", "clients", 1))
    first = recorder.put(("gradient", point))
    following = recorder.combine({point: sp.Integer(1), first: -symbols.eta})
    second = recorder.put(("gradient", following))
    y = 2 * symbols.eta * (s + D / 2)
    return prove(
        SymbolicClaim(
            tuple(recorder.instructions),
            symbols.mu,
            L,
            Functional(((symbols.eta**2, second, second),)),
            {"gradient": (Functional(((symbols.eta**2, first, first),)), factor**2)},
            {(first, second): y, (second, first): y},
            ((symbols.mu, Open(0), None), (L, Open(symbols.mu), None), (symbols.eta, 0, TURN)),
            at_equal=True,
        )
    )


def reductions() -> dict[str, sp.Expr]:
    """Residuals that vanish: telescoping of the weights, Cauchy-Schwarz with weights, variance about the mean, equality."""
    P, h, W, S, m, g = sp.symbols("P h W S m g")
    gap = W * S - m**2
    longer = gap.subs({W: W + h, S: S + h * g**2, m: m + h * g}, simultaneous=True)
    drift, origin = CLIENTS.of((w - wbar) ** 2), CLIENTS.of((w - wstar) ** 2)
    return {
        "eta_j mu P_j = P_j - P_{j+1}": symbols.eta * symbols.mu * P - (P - (1 - symbols.eta * symbols.mu) * P),
        "Cauchy-Schwarz, one more step": longer - gap - h * (S - 2 * m * g + W * g**2),
        "Cauchy-Schwarz, base": gap.subs({W: h, S: h * g**2, m: h * g}, simultaneous=True),
        "variance about the average": drift - (origin - (wbar - wstar) ** 2),
        "equality on the extremal clients, one more step": next_distance_residual(),
    }


def measured(local: int, kappa: int, scheme: str) -> tuple[float, float, float]:
    """Certified enclosure of the worst case at eta = 1/(4L), and the closed form, of the drift or sampling variance.

    The program is FedAvg's own; ``scheme`` is ``"drift"``, ``"I"`` (K = 3) or ``"II"`` (K = 3 of N = 10).
    """
    eta, mu = Fraction(1, 4), Fraction(1, kappa)
    if scheme == "drift":
        algorithm = FedAvg(local, eta)
    else:
        algorithm = FedAvg(local, eta, SchemeI(3) if scheme == "I" else NormalisedUniform(3))

    def measure(analysis: Analysis) -> Functional:
        if scheme == "drift":  # the point of the last gradient, after E - 1 steps
            point = analysis.program.instructions[analysis.program.registers("gradient")[-1]][1]
            return square(analysis.minus(point, analysis.mean(point)))
        averaged = analysis.program.instructions[analysis.model()][1]
        return square(analysis.minus(analysis.model(), analysis.mean(averaged)))

    model = build_model(
        algorithm,
        SmoothStronglyConvex(mu),
        measure=measure,
        start={},
        heterogeneity="bounded gradients",
        n_clients=10 if scheme == "II" else None,
    )
    answer = solve_model(model)
    if answer.certificate is None or answer.upper is None or answer.lower is None:
        raise RuntimeError(f"no enclosure at E = {local}, kappa = {kappa}: {answer}")
    verifier.verify(answer.certificate)
    share = {"drift": ONE, "I": Fraction(1, 3), "II": Fraction(7, 27)}[scheme]
    steps = (eta,) * (local - 1 if scheme == "drift" else local)
    closed = share * LocalRun(mu, steps).claimed(mu)
    if not answer.lower <= closed <= answer.upper:
        raise RuntimeError(f"the closed form {float(closed)} is outside [{float(answer.lower)}, {float(answer.upper)}]")
    return float(answer.lower), float(answer.upper), float(closed)


def enclosures(scheme: str) -> dict[str, list[float]]:
    """The closed form between certified bounds at named parameters."""
    words = "E = {}, kappa = {}, eta = 1/(4L): at least, at most, closed form"
    return {words.format(e, k): list(measured(e, k, scheme)) for e, k in product((2, 5), (2, 10, 100))}


_CLOSED = r"\Big(\frac{1-\prod_j(1-\eta_j\mu)}{\mu}\Big)^2G^2"
_HYPOTHESES = (
    "A1, A2",
    "exact gradients",
    "eta_j <= 2/(L + mu), otherwise any",
    "sum_k p_k |grad F_k(w)|^2 <= G^2 at the start w of the round",
)
_METHOD = (
    "gradients of a local run shrink by 1 - eta_j mu per step (interpolation between consecutive points; slack a sum of squares, "
    "all parameters); Cauchy-Schwarz over the steps with weights eta_j P_j, P_j = prod_{i<j} (1 - eta_i mu), which telescope: "
    "sum eta_j P_j = (1 - P)/mu, at most sum eta_j as P_j <= 1; variance about the mean"
)


def closed_form(
    scheme: str,
    found: Search,
    shrink: SymbolicProof,
    scale: str,
    *,
    more: Mapping[str, sp.Expr] | None = None,
    method: str,
    valid_for: str,
    attained: str,
) -> Evidence:
    """The closed form: proof for all parameters, equality on quadratics, certified enclosures at named ones."""
    residuals = {**reductions(), **(more or {})}
    failed = [name for name, residual in residuals.items() if not is_zero(residual)]
    failed += [] if shrink.proved else [shrink.reason]
    failed += [] if Fraction(scale) >= 1 else ["the constant is below the sum of the weights"]
    numbers: dict[str, Any] = {}
    for e, k in product((2, 5), (2, 10, 100)):
        count, mu = e - 1 if scheme == "drift" else e, Fraction(1, k)
        ratio = Fraction(4 * count**2, 16) / LocalRun(mu, (Fraction(1, 4),) * count).claimed(mu)
        numbers[f"printed / sharp at E = {e}, kappa = {k}, eta = 1/(4L)"] = float(ratio)
    return decide(
        (not failed, "; ".join(failed)),
        found,
        method=method,
        valid_for=valid_for,
        numbers=numbers if failed else numbers | enclosures(scheme),
        tightness=Tightness(1.0, Rung.PROOF, attained),
        prose="Cauchy-Schwarz with weights that telescope joins the certified step of a gradient to the sum over a round",
        certificate={"reductions": certificates.identity(*residuals.values()), "gradients shrink": shrink.certificate},
    )


@inequality_claim(
    "LI-LEM3-S2",
    source="Lemma 3 with exact gradients",
    statement=r"\sum_kp_k\|\bar w_t-w_t^k\|^2\le" + _CLOSED + r"\le\Big(\sum_j\eta_j\Big)^2G^2,\quad j=t_0,\dots,t-1",
    headline="Drift within a round with exact gradients, bounded by those at its start",
    summary="With exact gradients the drift of a round is at most ((1 - prod(1 - eta_j mu))/mu)^2 G^2, where G bounds the "
    "gradients at the start of the round only; no condition on how steps fall, and two quadratics attain it for every E.",
    elsewhere=elsewhere.DRIFT,
    assumptions=_HYPOTHESES,
    printed=dict(scale="1", curvature="mu"),
    quick=False,
    controls=[
        Control("constant times 0.99", dict(scale="99/100")),
        Control("gradients shrink like 1 - eta_j L", dict(curvature="L")),
    ],
)
def li_lem3_s2(scale: str, curvature: str) -> Evidence:
    """Proof for all parameters, equality on quadratics, certified enclosures at named ones."""
    found = search(
        local_runs(),
        lambda run: (run.spread(), Fraction(scale) * run.claimed(run.mu if curvature == "mu" else ONE)),
        describe=str,
    )
    return closed_form(
        "drift",
        found,
        gradients_shrink(B if curvature == "mu" else A),
        scale,
        method=_METHOD,
        valid_for="every N, p, dimension, E, 0 <= mu < L (mu = 0: the sum of the steps; L = mu by continuity), any steps up to "
        "2/(L + mu), all local points of the round",
        attained="equality for every sequence of steps: F_k = mu w^2/2 -+ G w from 0",
    )


def sampled_runs() -> Iterator[tuple[str, LocalRun, int, int]]:
    """The extremal clients with cohorts of K out of N."""
    for run in local_runs():
        for n, k in ((2, 1), (4, 2), (4, 3)):
            yield f"{run}, repeated for N = {n}, K = {k}", run, n, k


def cohort_variance(scheme: str, run: LocalRun, n: int, k: int) -> Fraction:
    """E|wbar - vbar|^2 by listing all cohorts."""
    weights = (Fraction(1, n),) * n
    reach = run.distance(run.mu)
    if reach**2 != run.spread():
        raise RuntimeError("the run does not end where it is claimed to")
    models = [Fraction((-1) ** i) * reach for i in range(n)]
    cohorts = sampling.weighted_draws(weights, k) if scheme == "I" else sampling.uniform_subsets(n, k)
    return sampling.aggregate_spread(cohorts, sampling.plain_average, weights, models)


def lemma_5(scheme: str, scale: str, share: str) -> Evidence:
    """The variance that sampling adds, with a given share."""
    factor = sp.sympify(share, locals={"N": sampling.N, "K": sampling.K})

    def sides(case: tuple[str, LocalRun, int, int]) -> tuple[Fraction, Fraction]:
        _, run, n, k = case
        kept = Fraction(str(factor.subs({sampling.N: n, sampling.K: k})))
        return cohort_variance(scheme, run, n, k), Fraction(scale) * kept * run.claimed(run.mu)

    found = search(sampled_runs(), sides, describe=lambda case: case[0])
    return closed_form(
        scheme,
        found,
        gradients_shrink(),
        scale,
        more={"share of the deviations that the cohort's average keeps": factor - exact_factor(scheme)},
        method=f"{_METHOD}; the variance of the cohort's average by power sums (any N and K)",
        valid_for="every N, K, dimension, E, steps up to 2/(L + mu); Scheme I: every p, one run or separate runs of a client "
        "drawn twice; Scheme II: equal weights, N >= 2",
        attained="equality: F_k = mu w^2/2 -+ G w from 0 in equal numbers",
    )


def _lemma_5(part: str, scheme: str, share: str, shown: str, wrong: str) -> ClaimGroup:
    """What a row on Lemma 5 with exact gradients declares."""
    return expectation_claim.sharing(
        source=f"Lemma 5 ({part}) with exact gradients",
        statement=rf"\text{{Scheme {scheme}, exact gradients}}{',' if scheme == 'I' else ', p_k = 1/N,'}\quad "
        + r"\mathbb{E}_S\|\bar w_{t+1}-\bar v_{t+1}\|^2\le"
        + shown
        + _CLOSED
        + r",\quad j=t_0,\dots,t",
        summary=f"Scheme {scheme} with exact gradients: the sampling variance of a round, where G bounds the gradients at its "
        "start only; attained for every E.",
        elsewhere=elsewhere.COHORT,
        depends=("LI-LEM3-S2",),
        assumptions=_HYPOTHESES if scheme == "I" else (*_HYPOTHESES, "p_k = 1/N"),
        quick=False,
        printed=dict(scheme=scheme, scale="1", share=share),
        controls=[Control("constant times 0.99", dict(scale="99/100")), Control(f"share {wrong}", dict(share=wrong))],
    )


# The ids are written out: ``fltheory verify ID`` finds scripts by their text.
lemma_5_1 = _lemma_5("1", "I", "1/K", r"\frac1K", "1/(K+1)")(
    "LI-LEM5-1-S2", headline="Sampling with replacement, exact gradients: variance from those at the round's start"
)(lemma_5)
lemma_5_2 = _lemma_5("2", "II", "(N-K)/(K*(N-1))", r"\frac{N-K}{K(N-1)}", "(N-K)/(K*N)")(
    "LI-LEM5-2-S2", headline="Uniform subsets, exact gradients: variance from the gradients at the round's start"
)(lemma_5)


if __name__ == "__main__":
    run_script(__file__)
