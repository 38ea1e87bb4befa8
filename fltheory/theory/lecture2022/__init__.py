"""Bounds of the lecture note on federated learning (ECE 8101, note 3-1, 2022)."""

from fltheory.theory.lecture2022.bounds import (
    corollary_2_first,
    corollary_2_second,
    corollary_4_first,
    corollary_4_rate,
    corollary_4_second,
    lemma_1,
    lemma_1_average,
    lemma_1_sharp,
    one_step,
    one_step_with_drift,
    theorem_1,
    theorem_1_averaged,
    theorem_1_one_local_step,
    theorem_1_periods,
    theorem_3,
    theorem_3_sharp,
)

__all__ = [
    "corollary_2_first",
    "corollary_2_second",
    "corollary_4_first",
    "corollary_4_rate",
    "corollary_4_second",
    "lemma_1",
    "lemma_1_average",
    "lemma_1_sharp",
    "one_step",
    "one_step_with_drift",
    "theorem_1",
    "theorem_1_averaged",
    "theorem_1_one_local_step",
    "theorem_1_periods",
    "theorem_3",
    "theorem_3_sharp",
]
