"""What other publications have of the statements that sharpen those of Augenstein et al. (2022), as far as we know it."""

#: Sums of random vectors.
SUMS = (
    "The lemma is one of Karimireddy et al. (2020, SCAFFOLD); that uncorrelated noise adds up in the square is textbook. We know "
    "of no earlier statement that the coefficients are the best ones."
)
#: Gradients and suboptimality.
SMOOTHNESS = (
    "For one smooth loss, convex or not, the inequality is textbook (Nesterov 2018, Lectures on convex optimization)."
)
#: Strong convexity with the gradient at another point.
PERTURBED = (
    "The lemma is the perturbed strong convexity of Karimireddy et al. (2020, SCAFFOLD). We know of no earlier statement of the "
    "exact price."
)
#: A gradient step contracts.
CONTRACTION = (
    "The exact factor of a gradient step is classical (Polyak 1987; Ryu and Boyd 2016, A primer on monotone operator methods). "
    "The lemma is one of Karimireddy et al. (2020, SCAFFOLD)."
)
#: Lemmas on a round of 1-way Gradient Transfer.
ROUND = (
    "The lemma follows one of Karimireddy et al. (2020, SCAFFOLD) for another algorithm. For Gradient Transfer we know of no "
    "earlier statement."
)
#: Parallel Training.
PARALLEL = (
    "The document carries over a theorem on FedAvg by Karimireddy et al. (2020, SCAFFOLD), with orders only. For Parallel "
    "Training we know of no earlier statement with constants."
)
#: 2-way Gradient Transfer.
TWO_WAY = (
    "The document refers to the proof for SCAFFOLD (Karimireddy et al. 2020), which is another algorithm. That one may follow a "
    "virtual point is known from perturbed iterates (Mania et al. 2017). For 2-way Gradient Transfer we know of no earlier proof."
)
#: SCAFFOLD at a constant step.
SCAFFOLD = (
    "Karimireddy et al. (2020, SCAFFOLD) prove a linear rate for shorter steps, with constants of their proof. We know of no "
    "earlier statement of the exact rate."
)
