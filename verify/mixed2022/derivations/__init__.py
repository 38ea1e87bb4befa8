"""Mixed Federated Learning derived from its hypotheses, display by display."""

from verify.mixed2022.derivations.averages import moduli_of_a_sum, variance_of_a_cohort, variance_of_draws
from verify.mixed2022.derivations.central_noise import central_noise
from verify.mixed2022.derivations.different_clients import drift_of_clients, recursion_of_clients, update_of_clients
from verify.mixed2022.derivations.local_steps import (
    geometric_sum,
    lemma_d11,
    lemma_d13,
    sum_at_most,
    without_client_noise,
)
from verify.mixed2022.derivations.losses import (
    chain_of_d6,
    proposition_d5,
    proposition_d6,
    tilts_cancel,
    without_convexity,
)
from verify.mixed2022.derivations.one_function import lemma_d8
from verify.mixed2022.derivations.one_round import lemma_d9_alone, lemma_d10_alone, lemma_d12_alone
from verify.mixed2022.derivations.one_round_steps import (
    averaged_noise,
    drift_of_the_cohort,
    expected_update,
    of_numbers,
    square_with_the_gap,
    tower,
)
from verify.mixed2022.derivations.parallel import parallel_distance, parallel_order, parallel_rate, parallel_recursion
from verify.mixed2022.derivations.random_sums import (
    about_conditional_means,
    about_fixed_means,
    no_cross_terms,
)
from verify.mixed2022.derivations.rates import (
    convex_rate,
    growing_weights,
    one_way_distance,
    rounds_of_a_rate,
    smooth_rate,
)
from verify.mixed2022.derivations.recursions import (
    PRINTED_SMOOTH,
    SHARP_CONVEX,
    SHARP_SMOOTH,
    convex_recursion,
    mean_of_errors,
    smooth_recursion,
)
from verify.mixed2022.derivations.two_way import (
    start_of_two_way,
    two_way_distance,
    two_way_rate,
    two_way_recursion,
    two_way_renewals,
)
from verify.mixed2022.derivations.weighted_rates import (
    one_way_order,
    one_way_rate,
    two_way_mean_order,
    two_way_order,
    two_way_weighted_rate,
)

__all__ = [
    "moduli_of_a_sum",
    "variance_of_a_cohort",
    "variance_of_draws",
    "drift_of_clients",
    "recursion_of_clients",
    "update_of_clients",
    "central_noise",
    "chain_of_d6",
    "proposition_d5",
    "proposition_d6",
    "without_convexity",
    "tilts_cancel",
    "one_way_order",
    "one_way_rate",
    "two_way_mean_order",
    "two_way_order",
    "two_way_weighted_rate",
    "lemma_d8",
    "lemma_d9_alone",
    "lemma_d10_alone",
    "lemma_d12_alone",
    "about_conditional_means",
    "about_fixed_means",
    "no_cross_terms",
    "geometric_sum",
    "sum_at_most",
    "without_client_noise",
    "lemma_d11",
    "lemma_d13",
    "PRINTED_SMOOTH",
    "SHARP_CONVEX",
    "SHARP_SMOOTH",
    "convex_rate",
    "convex_recursion",
    "growing_weights",
    "one_way_distance",
    "parallel_distance",
    "parallel_order",
    "parallel_rate",
    "parallel_recursion",
    "rounds_of_a_rate",
    "smooth_rate",
    "start_of_two_way",
    "two_way_distance",
    "two_way_rate",
    "two_way_recursion",
    "two_way_renewals",
    "mean_of_errors",
    "smooth_recursion",
    "drift_of_the_cohort",
    "expected_update",
    "of_numbers",
    "square_with_the_gap",
    "averaged_noise",
    "tower",
]
