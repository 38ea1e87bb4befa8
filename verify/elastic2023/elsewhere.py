"""What other publications have of the statements that sharpen those of the elastic aggregation supplement, as far as we know it."""

#: Contracting recursions.
CONTRACTING = (
    "The lemma is one of Karimireddy et al. (2020, SCAFFOLD); Stich (2019, Unified optimal analysis of the stochastic gradient "
    "method) tunes such recursions. We know of no earlier statement of the best constants."
)
#: Sublinear recursions.
SUBLINEAR = (
    "Karimireddy et al. (2020, SCAFFOLD) and Koloskova et al. (2020, A unified theory of decentralized SGD) have such lemmas. We "
    "know of no earlier statement of the best constants."
)
#: Squares of sums.
YOUNG = "It is the inequality of Young for two vectors, and elementary; that no smaller pair serves is known as well."
#: Sums of random vectors.
SUMS = "The lemma is one of Karimireddy et al. (2020, SCAFFOLD). We know of no earlier statement of the constant that is attained."
#: Strong convexity with the gradient at another point.
PERTURBED = (
    "The lemma is the perturbed strong convexity of Karimireddy et al. (2020, SCAFFOLD). We know of no earlier statement of the "
    "exact price."
)
#: A gradient step contracts.
CONTRACTION = (
    "The exact factor of a gradient step is classical: Polyak (1987); Ryu and Boyd (2016, A primer on monotone operator methods). "
    "So is its range of steps."
)
#: A round of local steps.
ROUND = (
    "The lemma is one of Karimireddy et al. (2020, SCAFFOLD, analysis of FedAvg). We know of no earlier statement of these "
    "constants, nor of the comparison with a run without noise in its proof."
)
#: Rates of general aggregation.
AGGREGATION = (
    "The analysis is that of Karimireddy et al. (2020, SCAFFOLD) for FedAvg, with phi eta_g for its server step. We "
    "know of no earlier statement with these constants."
)
