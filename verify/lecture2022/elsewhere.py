"""What other publications have of the statements that sharpen those of the lecture note, as far as we know it."""

#: Smooth losses with bounded second moments.
BOUNDED = (
    "The theorem is that of Yu, Yang and Zhu (2019, Parallel restarted SGD with faster convergence and less communication). "
    "Koloskova et al. (2020) and Karimireddy et al. (2020) do without bounded gradients, at the price of bounded dissimilarity. "
    "With these constants we know of no earlier statement."
)
#: Bounded dissimilarity, variance instead of second moments.
DISSIMILAR = (
    "Koloskova et al. (2020, A unified theory of decentralized SGD) and Karimireddy et al. (2020, SCAFFOLD) bound the variance "
    "of the gradients and not their second moments, too. With these constants we know of no earlier statement."
)
#: Drift within a period.
DRIFT = "The lemma is that of Yu, Yang and Zhu (2019), with the constant 4. We know of no earlier statement of the best constant."
#: What is no result of its own.
ARITHMETIC = "It is arithmetic with the condition of the theorem, and no result of its own."
