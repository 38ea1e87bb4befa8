"""Li et al. (2020) derived: FedAvg from its hypotheses to the lemmas and Theorems 1 to 3, line by line."""
