"""What other publications have of the statements that sharpen those of Li et al. (2020), as far as we know it."""

#: Heterogeneity measured by the gradients at the minimiser.
AT_THE_MINIMISER = (
    "Khaled, Mishchenko and Richtarik (2020, Tighter theory for local SGD on identical and heterogeneous data) replace bounded "
    "gradients by the gradients at the minimiser, Koloskova et al. (2020, A unified theory of decentralized SGD) for strongly "
    "convex losses too; Glasgow, Yuan and Ma (2022) have lower bounds. With these step sizes and constants we know of no earlier "
    "statement."
)
#: Drift of higher order than noise.
DRIFT_ORDER = (
    "That drift is of higher order in the step size than noise is known under other hypotheses: Khaled, Mishchenko and Richtarik "
    "(2020), Koloskova et al. (2020), Karimireddy et al. (2020, SCAFFOLD), and Woodworth, Patel and Srebro (2020) with lower "
    "bounds. With these step sizes and constants we know of no earlier statement."
)
#: Clients that are sampled.
SAMPLED = (
    "Karimireddy et al. (2020) and Yang, Fang and Liu (2021) treat sampled clients under other hypotheses. That the variance of "
    "the sampling enters once a round we know of in no earlier form of this theorem."
)
#: The recursion solved.
SOLVED = (
    "For SGD on strongly convex losses such solutions are known (Bach and Moulines 2011, Non-asymptotic analysis of stochastic "
    "approximation algorithms for machine learning). For these theorems we know of no earlier statement."
)
#: One averaged step.
ONE_STEP = (
    "Stich (2019, Local SGD converges fast and communicates little) has the inequality with 2 L eta as the coefficient of the "
    "drift; the contraction by one gradient step alone is classical (Polyak 1987). We know of no earlier statement with these "
    "coefficients."
)
#: Drift within a round.
DRIFT = (
    "Under bounded gradients the order is that of Stich (2019) and of Yu, Yang and Zhu (2019, Parallel restarted SGD with faster "
    "convergence and less communication). We know of no earlier statement of the best constant."
)
#: What a cohort adds.
COHORT = (
    "The variance of a sample mean, with and without replacement, is textbook. We know of no earlier statement of the constant "
    "in the local steps."
)
#: Where FedAvg ends at a constant step.
BIAS = (
    "Malinovsky et al. (2020, From local SGD to local fixed-point methods for federated learning) and Charles and Konecny (2021) "
    "study where local steps of a fixed size end. For this example we know of no earlier statement."
)
