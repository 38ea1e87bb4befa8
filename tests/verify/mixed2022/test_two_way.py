"""2-way Gradient Transfer: the proof's recursions against runs of the package, lower bounds against runs, and what must fail."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import fltheory as fl
from fltheory.derivation.replay import Underivable, verify
from fltheory.derivation.statement import with_coefficients
from fltheory.theory.mixed2022 import one_round, two_way_bounds
from fltheory.theory.mixed2022 import two_way_cohorts as cohorts
from verify.mixed2022 import derivations, parallel_training_cohorts, two_way_cohorts, two_way_rate_steps
from verify.mixed2022 import two_way_line as line
from verify.mixed2022 import two_way_lower as lower
from verify.mixed2022 import two_way_scatter as scatter
from verify.mixed2022.kinked import KinkedParabola
from verify.mixed2022.two_way_instances import TwoWayRound

R, F = sp.Rational, Fraction
ONE, ZERO, HALF = F(1), F(0), R(1, 2)


def complete(steps):
    return bool(steps) and all(step.verified for step in steps)


def scalar(curvature, slope):
    return fl.QuadraticProblem(np.array([[[curvature]]], dtype=object), np.array([[-slope]], dtype=object))


CONVEX = tuple(map(str, two_way_bounds.CONVEX_WEIGHTS)), str(two_way_bounds.CONVEX_TOP)
SMOOTH = tuple(map(str, two_way_bounds.SMOOTH_WEIGHTS)), str(two_way_bounds.SMOOTH_TOP)
ROUNDS = {
    "convex": (two_way_bounds.CVX_REC, *CONVEX),
    "non-convex": (two_way_bounds.NC_REC, *SMOOTH),
}


@pytest.mark.parametrize("case", ROUNDS)
@pytest.mark.parametrize("width", ["sqrt(S)", "short"])
def test_a_round_is_derived_and_needs_its_noise(case, width):
    bound, *given = ROUNDS[case]
    verify(derivations.two_way_recursion(bound, *given, width=width))
    less = with_coefficients(bound.expression, {one_round.C: 3 * one_round.beta * one_round.e**2 / one_round.K})
    with pytest.raises(Underivable):
        derivations.two_way_recursion(replace(bound, expression=less), *given, width=width)


@pytest.mark.parametrize("lost", [1, HALF, one_round.mu * one_round.e], ids=str)
def test_a_round_keeps_no_less_of_phi(lost):
    """Without Phi, with half of it, and with the contraction 5/2."""
    bound = two_way_bounds.CVX_REC
    changed = replace(bound, expression=bound.expression - lost * two_way_bounds.Phi)
    with pytest.raises(Underivable):
        derivations.two_way_recursion(changed, *CONVEX)


def test_every_cohort():
    """The recursion with the scatter of the local points, and the order that follows at eta_m = eta_s = 1."""
    verify(derivations.two_way_recursion(cohorts.CVX_REC, *CONVEX, width="any"))
    with pytest.raises(Underivable):
        derivations.two_way_recursion(two_way_bounds.CVX_REC, *CONVEX, width="any")
    whole = sum(two_way_rate_steps.claimed("convex", "K*S,K", "0")) + two_way_cohorts.LEFT_OUT["convex"]
    verify(derivations.two_way_mean_order(whole, two_way_cohorts.CONSTANTS))
    for wrong in (("53", "9", "3"), ("54", "8", "3"), ("54", "9", "5/2")):
        with pytest.raises(Underivable):
            derivations.two_way_mean_order(whole, wrong)
    for case in ("convex", "non-convex"):
        stated, _ = lower.large_cohort(case)
        assert stated.proof[0] and not stated.changed("1000*c", "20*c").proof[0]
    assert complete(line.cohort_steps(R(1, 162))) and complete(line.cohort_steps(R(1, 48)))
    assert not complete(line.cohort_steps(R(1, 10))) and complete(line.many_clients_steps())


@pytest.mark.parametrize("case", ["convex", "non-convex"])
def test_starts(case):
    for initial, eta_m in (("gradients", "any"), ("zero", "chosen")):
        verify(derivations.start_of_two_way(case, initial, eta_m))
    with pytest.raises(Underivable):
        derivations.start_of_two_way(case, "zero", "any")


def test_start_of_convex_losses_for_every_merging_rate():
    verify(derivations.start_of_two_way("convex", "zero", "kept"))


def test_lower_bounds_are_proved():
    for steps in (
        line.slow_steps(),
        line.geometric_steps(),
        line.noise_floor_steps(),
        line.far_steps(),
        line.noise_steps(),
    ):
        assert complete(steps)


def local_average(matrix, slope, start, shift, rate, steps):
    """Average gradient of ``steps`` local steps on x'Ax/2 + slope'x."""
    total, y = np.zeros(len(start)), start
    for _ in range(steps):
        gradient = matrix @ y + slope
        total, y = total + gradient, y - rate * (gradient + shift)
    return total / steps


@pytest.mark.parametrize(
    ("eta_m", "eta_s", "initial"), [(1, 1, "zero"), (3, 1, "gradients"), (1, 2, "zero"), (2, 2, "gradients")]
)
@pytest.mark.parametrize("convex", [True, False])
def test_recursions_along_runs_in_several_dimensions(eta_m, eta_s, initial, convex):
    """Phi and Psi, without noise, on random quadratics of dimension 3, K = 3, at the largest step."""
    rng = np.random.default_rng([7, eta_m, eta_s])
    step = 1 / 81 if convex else 1 / 24
    first, second = (3, 1 / 5) if convex else (7 / 2, 3 / 2)
    for _ in range(6):
        a_f, a_c = (
            q @ np.diag([1.0, rng.uniform(0, 1), low]) @ q.T
            for q, low in (
                (np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.choice([0.0, 1e-2] if convex else [-1.0, 0.0]))
                for _ in "fc"
            )
        )
        slope, whole = rng.normal(size=3) * 10, a_f + a_c
        problem = fl.MixedProblem(
            fl.QuadraticProblem(a_f[None], -slope[None]), fl.QuadraticProblem(a_c[None], slope[None])
        )
        rates = (step / (3 * eta_m * eta_s), step / (3 * eta_m), eta_s, eta_m)
        made = fl.TwoWayGradientTransfer(3, *rates, divisor="central step size", initial=initial)
        models = fl.trajectory(problem, made, rounds=40, start=rng.normal(size=3)).models
        x, gt_c, gt_f = models[0], np.zeros(3), np.zeros(3)
        if initial == "gradients":
            gt_c, gt_f = a_c @ x - slope, a_f @ x + slope
        values, terms = [], []
        for found in models:
            np.testing.assert_allclose(found, x, rtol=1e-9, atol=1e-9)
            h, z = gt_c + gt_f, x - step * (gt_c + gt_f)
            a, c = gt_f - a_f @ x - slope, gt_c - a_c @ x + slope
            main = z @ z if convex else z @ whole @ z / 2
            values.append(main + step**2 * (first * (a + c) @ (a + c) + second / eta_m**2 * (a @ a + c @ c)))
            terms.append(3 * step * x @ whole @ x / 2 if convex else step / 2 * np.sum((whole @ x) ** 2))
            new_c = local_average(a_c, -slope, x, gt_f, rates[1], 3)
            new_f = local_average(a_f, slope, x, gt_c, rates[0], 3)
            x, gt_c, gt_f = x - step * (new_c + new_f + h), new_c, new_f
        values, terms = np.array(values), np.array(terms)
        assert np.all(values[1:] <= values[:-1] - terms[:-1] + 1e-12 * np.abs(values).max())
        if convex and initial == "gradients":
            assert values[0] <= models[0] @ models[0]
            assert terms.mean() / (3 * step) <= 27 * models[0] @ models[0] / len(terms)


@pytest.mark.parametrize(("eta_m", "eta_s", "steps"), [(1, 1, 1), (2, 1, 3), (1, 2, 2)])
def test_instances_are_rounds_of_the_package(eta_m, eta_s, steps):
    f_f, f_c = KinkedParabola(ONE, ONE, F(2)), KinkedParabola(F(1, 2), F(1, 2), F(-1))
    rate = F(1, 20)
    made = fl.TwoWayGradientTransfer(
        steps, rate, rate * eta_s, eta_s, eta_m, divisor="central step size", initial="gradients"
    )
    problem = fl.MixedProblem(scalar(ONE, F(2)), scalar(F(1, 2), F(-1)))
    models = fl.trajectory(problem, made, rounds=3, start=[ONE], exact=True).models[:, 0]
    x, gt_c, gt_f = ONE, f_c.gradient(ONE), f_f.gradient(ONE)
    for found in models[1:]:
        item = TwoWayRound(f_f, f_c, x, gt_c, gt_f, rate * eta_s * steps * eta_m, steps, 1, F(eta_m), F(eta_s))
        (_, x, gt_c, gt_f) = next(item.outcomes())
        assert F(found) == x


@pytest.mark.parametrize("cohort", [1, 2])
def test_noise_of_a_round_has_the_moments_used(cohort):
    """E gt+ at flat losses is the slope, its variance sigma^2/(KS) and sigma_c^2/K."""
    flat = KinkedParabola(ZERO, ZERO, ONE)
    item = TwoWayRound(flat, flat, ZERO, ONE, ONE, F(1, 81), 2, cohort, client=F(3), centre=F(1, 2))
    outcomes = list(item.outcomes())
    assert sum(p for p, *_ in outcomes) == 1
    assert sum(p * (gt_f - 1) for p, _, _, gt_f in outcomes) == 0
    assert sum(p * (gt_f - 1) ** 2 for p, _, _, gt_f in outcomes) == F(9, 2 * cohort)
    assert sum(p * (gt_c - 1) ** 2 for p, _, gt_c, _ in outcomes) == F(1, 8)
    weights = F(3), F(1, 5)
    noisy, quiet = (
        one.sides(two_way_bounds.CVX_REC, weights)[1] for one in (item, replace(item, client=ZERO, centre=ZERO))
    )
    assert noisy - quiet == 10 * item.step**2 * (F(9, 2 * cohort) + F(1, 8))


@pytest.mark.parametrize("largest", [F(1, 81), F(1, 24)])
@pytest.mark.parametrize("power", [1, 4, 12])
def test_zero_start_stays_away(largest, power):
    """x_t > 1/5 for t <= far, at steps below the largest one, and the start at the gradients is back within these rounds."""
    slope = 4**power * 4 / largest**2
    problem = fl.MixedProblem(scalar(ONE, slope), scalar(ZERO, -slope))
    rounds = int(line.far(power, largest))
    for shrink in (1, 2, 2**power):
        eta = float(largest / 2 / shrink)
        made = fl.TwoWayGradientTransfer(2, eta, eta)
        small = fl.MixedProblem(
            fl.QuadraticProblem([[[1.0]]], [[-float(slope)]]), fl.QuadraticProblem([[[0.0]]], [[float(slope)]])
        )
        models = fl.trajectory(small, made, rounds=rounds, start=[1.0]).models[:, 0]
        assert models.min() > 1 / 5
    exact = fl.TwoWayGradientTransfer(2, largest / 2, largest / 2)
    models = fl.trajectory(problem, exact, rounds=2, start=[ONE], exact=True).models[:, 0]
    eta = largest / 2
    q, shift = eta * (2 - eta), eta**2 * slope
    assert F(models[1]) == (1 - q) + shift and F(models[2]) == (1 - q) * F(models[1]) - q + shift


@pytest.mark.parametrize("initial", ["zero", "gradients"])
def test_slow_instances(initial):
    mu, largest = 0.25, 1 / 24
    problem = fl.MixedProblem(fl.QuadraticProblem([[[mu]]], [[0.0]]), fl.QuadraticProblem([[[mu]]], [[0.0]]))
    for steps, eta_m in ((1, 1), (4, 1), (2, 5)):
        eta = largest / (steps * eta_m)
        made = fl.TwoWayGradientTransfer(steps, eta, eta, 1, eta_m, initial=initial)
        rounds = int(lower.slow(F(1, 24), F(1, 4)))
        models = fl.trajectory(problem, made, rounds=rounds, start=[1.0]).models[:, 0]
        assert models.min() >= 0.5
        small = largest * 24 / 81
        made = fl.TwoWayGradientTransfer(
            steps, small / (steps * eta_m), small / (steps * eta_m), 1, eta_m, initial=initial
        )
        models = fl.trajectory(problem, made, rounds=200, start=[1.0]).models[:, 0]
        assert np.all(models >= 4.0 ** (-38 / 9 * small * mu * np.arange(201)) - 1e-12)


def test_large_cohorts_do_not_average_the_scatter_away():
    """f_f = max(0, x)^2/2, f_c = -2x/5, eta_m = eta_s = 1: the run ends well below x* = 2/5, at eta_m = sqrt(S) it does not."""
    rng, cohort, sigma, slope, step = np.random.default_rng(3), 10**6, 250.0, 0.4, 1 / 81
    ends = []
    for eta_m in (1.0, 1000.0):
        eta, x, gt_f, seen = step / (2 * eta_m), -1.0, 0.0, []
        for _ in range(1500):
            up, second_up = rng.binomial(cohort, 0.5, size=2) / cohort  # shares of the clients with noise +sigma
            here = max(0.0, x)
            after = [max(0.0, x - eta * (here - slope + side)) for side in (sigma, -sigma)]
            first, second = (
                here + sigma * (2 * up - 1),
                up * after[0] + (1 - up) * after[1] + sigma * (2 * second_up - 1),
            )
            new = (first + second) / 2
            x, gt_f = x - step * (new + gt_f - 2 * slope), new
            seen.append(x)
        ends.append(np.mean(seen[500:]))
    assert ends[0] < 0.2 and abs(ends[1] - 0.4) < 0.05


def test_scatter_of_strongly_convex_losses_is_proved_and_needs_its_numbers():
    assert complete(scatter.scatter_steps())
    assert [s.name for s in scatter.scatter_steps(R(1, 2)) if not s.verified][0] == "E h >= -Y"
    assert complete(parallel_training_cohorts.scatter_steps()) and complete(
        parallel_training_cohorts.dissimilarity_steps()
    )
    assert not complete(parallel_training_cohorts.scatter_steps(R(1, 2)))
    assert not complete(
        scatter.recursion_steps(2 * scatter.S, scatter.WIDE * 0)
    )  # x* itself is left only with enough noise


@pytest.mark.parametrize("two_way", [True, False])
@pytest.mark.parametrize("sigma", [10.0, 300.0])
def test_scatter_of_strongly_convex_losses_in_runs(two_way, sigma):
    """The limit of large cohorts written out anew: no step brings a model above s in the proved rounds; small noise lets it."""
    mu, slope = float(scatter.MU), float(scatter.SLOPE)
    top, count = (
        (1 / 162, scatter.rounds(R(sigma))) if two_way else (1 / 24, parallel_training_cohorts.rounds(R(sigma)))
    )

    def federated(x):
        return mu * x + (1 - mu) * max(0.0, x)

    def run(step, noise, rounds):
        x, from_clients, from_centre, seen = -1.0, federated(-1.0), -mu - slope, []
        for _ in range(rounds):
            to_clients, to_centre = (from_centre, from_clients) if two_way else (0.0, 0.0)
            ends, gradients = [], []
            for draw in (noise, -noise):
                first = federated(x)
                middle = x - step * (first + draw + to_clients)
                second = federated(middle)
                ends.append(middle - step * (second + to_clients) - x)
                gradients.append((first + second) / 2)
            centre_first = mu * x - slope
            middle = x - step * (centre_first + to_centre)
            centre_second = mu * middle - slope
            moved = middle - step * (centre_second + to_centre) - x
            # the first draw is in the models, too; its mean over the clients is zero, and so is the second one's
            x += sum(ends) / 2 + moved
            from_clients, from_centre = sum(gradients) / 2, (centre_first + centre_second) / 2
            seen.append(x)
        return seen

    for i in range(25):
        assert max(run(top * 10 ** (-i / 6), sigma, int(count)), default=-1) <= float(scatter.S)
    wide = float(scatter.WIDE) / top
    assert max(run(top, wide, 3000)) <= float(scatter.S)  # for ever
    assert run(top, 0.01, 3000)[-1] > 1.8 * float(scatter.S)  # near x* = 2s


def test_the_instance_of_the_strongly_convex_orders():
    stated, _ = lower.large_cohort_strongly()
    assert stated.proof[0] and not stated.changed("1000*c", "200*c").proof[0]
    x = np.linspace(-10, 10, 4001)
    federated, central = 0.1 * x + 0.9 * np.maximum(x, 0), 0.1 * x - 0.44
    assert (2 * (federated**2 + central**2) <= 1 + 4 * (federated + central) ** 2).all()
    assert np.abs(x[np.argmin(np.abs(federated + central))] - 0.4) < 0.01


@pytest.mark.parametrize("cohort", [10**2, 10**6])
def test_many_clients_stay_near_infinitely_many(cohort):
    """Mean square distance of runs with S clients from the run with infinitely many against (3^t (11/10) sigma)^2/S."""
    rng, sigma, slope, eta, runs = np.random.default_rng(4), 40.0, 0.4, 1 / 48, 400
    near, near_gt, far, far_gt = np.full(runs, -1.0), np.zeros(runs), -1.0, 0.0

    def means(x, shares):
        here, (up, second_up) = np.maximum(0.0, x), shares
        after = [np.maximum(0.0, x - eta * (here - slope + side)) for side in (sigma, -sigma)]
        noise = sigma * (2 * up - 1) + sigma * (2 * second_up - 1)
        return (here + up * after[0] + (1 - up) * after[1] + noise) / 2

    for count in range(1, 60):
        new, far_new = means(near, rng.binomial(cohort, 0.5, size=(2, runs)) / cohort), means(far, (0.5, 0.5))
        near, near_gt = near - 2 * eta * (new + near_gt - 2 * slope), new
        far, far_gt = far - 2 * eta * (far_new + far_gt - 2 * slope), far_new
        assert np.mean((near - far) ** 2) <= (3.0**count * 1.1 * sigma) ** 2 / cohort
        assert slope - max(0.0, far) >= slope / 2


def rounds_needed(many, delta, step):
    """First t with E x_t^2 < delta from second moments; state (x, previous D), unit variance, start (1, 0)."""
    q = 1 - (1 - step) ** many
    noise = step**2 * (1 - (1 - step) ** (2 * many)) / (1 - (1 - step) ** 2)
    matrix, second, count = np.array([[1 - q, 1.0], [-q, 0.0]]), np.diag([1.0, 0.0]), 0
    while second[0, 0] >= delta and count < 200000:
        second = matrix @ second @ matrix.T + noise
        count += 1
    return count


@pytest.mark.parametrize(("many", "delta"), [(2, 1e-2), (8, 1e-3), (32, 1e-3)])
def test_rounds_with_noise_are_within_their_bounds(many, delta):
    low, high = line.noise_rounds(many, 1.0, delta)
    steps = [x / (81 * many) for x in (1, 0.5, 0.2, 0.1, 0.03)]
    counts = [rounds_needed(many, delta, x) for x in [*steps, delta / 3]]
    assert min(counts) >= low and counts[-1] <= high


@pytest.mark.parametrize("case", list(lower.TOPS))
def test_counterexamples_only_where_the_claim_is_too_small(case):
    for changed, (stated, _) in (
        (False, lower.without_noise(case, "0")),
        (True, lower.without_noise(case, "1/2")),
        (False, lower.with_noise(case, "K*S,K")),
        (True, lower.with_noise(case, "K*S,K*S")),
        (False, lower.bound_without_noise(case, "48")),
        (True, lower.bound_without_noise(case, "5/2")),
        (False, lower.bound_with_noise(case, "48", sp.Integer(16), "K*S,K")),
        (True, lower.bound_with_noise(case, "48", sp.Integer(16), "K*S,K*S")),
    ):
        assert stated.proof[0] is changed
