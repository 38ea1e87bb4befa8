"""Bounds of Karimireddy et al., SCAFFOLD: Stochastic Controlled Averaging for Federated Learning (ICML 2020): both methods."""

from fltheory.theory.karimireddy2020.bounds import fedavg_average_gap as fedavg_average_gap
from fltheory.theory.karimireddy2020.bounds import fedavg_distance as fedavg_distance
from fltheory.theory.karimireddy2020.bounds import fedavg_order as fedavg_order
from fltheory.theory.karimireddy2020.bounds import scaffold_average_gap as scaffold_average_gap
from fltheory.theory.karimireddy2020.bounds import scaffold_distance as scaffold_distance
from fltheory.theory.karimireddy2020.bounds import scaffold_order as scaffold_order
