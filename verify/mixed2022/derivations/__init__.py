"""Mixed Federated Learning derived from its hypotheses, display by display."""

from verify.mixed2022.derivations.local_steps import display_of_d11, lemma_d11, lemma_d13
from verify.mixed2022.derivations.losses import chain_of_d6, proposition_d5, proposition_d6, without_convexity
from verify.mixed2022.derivations.one_function import (
    lemma_d7,
    lemma_d8,
    modulus_below_smoothness,
    step_of_d8,
    triangle_of_d7,
    two_lines_of_d7,
)
from verify.mixed2022.derivations.one_round import lemma_d9_alone, lemma_d10_alone, lemma_d12_alone
from verify.mixed2022.derivations.one_round_steps import (
    descent_inequality,
    drift_of_the_cohort,
    gradient_and_noise,
    inner_product,
    mean_and_noise,
    of_numbers,
    polarised,
    square_with_the_gap,
    update_split,
)
from verify.mixed2022.derivations.random_sums import about_conditional_means, about_fixed_means, about_means
from verify.mixed2022.derivations.recursions import convex_recursion, smooth_recursion
from verify.mixed2022.derivations.sums import identity, many_vectors, two_vectors

__all__ = [
    "chain_of_d6",
    "lemma_d7",
    "lemma_d8",
    "lemma_d9_alone",
    "lemma_d10_alone",
    "lemma_d12_alone",
    "modulus_below_smoothness",
    "proposition_d5",
    "proposition_d6",
    "step_of_d8",
    "triangle_of_d7",
    "two_lines_of_d7",
    "without_convexity",
    "about_conditional_means",
    "about_fixed_means",
    "about_means",
    "identity",
    "many_vectors",
    "two_vectors",
    "display_of_d11",
    "lemma_d11",
    "lemma_d13",
    "convex_recursion",
    "smooth_recursion",
    "descent_inequality",
    "drift_of_the_cohort",
    "gradient_and_noise",
    "inner_product",
    "mean_and_noise",
    "of_numbers",
    "polarised",
    "square_with_the_gap",
    "update_split",
]
