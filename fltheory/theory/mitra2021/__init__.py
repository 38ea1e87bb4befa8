"""The bound of Mitra et al., Linear Convergence in Federated Learning (FedLin, NeurIPS 2021), exact gradients."""

from fltheory.theory.mitra2021.bounds import fedlin as fedlin
