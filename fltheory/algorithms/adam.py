"""Adam as an optimiser of the server: FedAdam of Reddi et al., "Adaptive Federated Optimization" (2021), Algorithm 2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fltheory.algorithms.optimisers import check_decay
from fltheory.algorithms.vocabulary import Federation, Vector
from fltheory.problems.base import check_flag, check_positive
from fltheory.problems.numbers import set_numbers


@dataclass(frozen=True)
class Adam:
    """``m <- b1 m + (1-b1) D``, ``v <- b2 v + (1-b2) D^2``, and the direction is ``m / (sqrt(v) + epsilon)``.

    Squares, root and quotient are taken coordinate by coordinate; ``D`` is the change that plain SGD would make.  ``m``
    starts at zero and ``v`` at ``epsilon^2``, the least that Algorithm 2 allows.  With ``bias_corrected`` both start at
    zero and are divided by ``1 - b1^n`` and ``1 - b2^n`` in call ``n = 1, 2, ...`` (Kingma and Ba 2015), which
    Algorithm 2 does not do.

    ================== ======== =================================================
    argument           symbol   meaning
    ================== ======== =================================================
    ``beta1``          beta_1   share of the old mean of changes
    ``beta2``          beta_2   share of the old mean of their squares
    ``epsilon``        tau      what is added to the root, "adaptivity"
    ``bias_corrected``          divide by ``1 - beta^n``
    ================== ======== =================================================

    Not linear in the state: for readings in floats that follow every run by itself (``simulate``, ``trajectory``, and
    ``enumerate_moments`` where ``v`` starts at zero) and for counts of cost; other readings refuse it.

    Raises
    ------
    ValueError : a ``beta`` outside [0, 1), ``epsilon <= 0``.
    """

    beta1: Any = 0.9
    beta2: Any = 0.99
    epsilon: Any = 1e-3
    bias_corrected: bool = False
    vectors: ClassVar[int] = 2

    def __post_init__(self) -> None:
        set_numbers(self, "beta1", "beta2", "epsilon")
        for name in ("beta1", "beta2"):
            check_decay(name, getattr(self, name))
        check_positive("epsilon", self.epsilon)
        check_flag("bias_corrected", self.bias_corrected)

    def start(self, fed: Federation) -> tuple[Vector, ...]:
        """``m`` and ``v`` before the first call."""
        if self.bias_corrected:
            return fed.zero(), fed.zero()
        level = self.epsilon
        return fed.zero(), fed.decide(lambda nothing: nothing + level**2, fed.zero())

    def moved(
        self, fed: Federation, change: Vector, memory: tuple[Vector, ...], step: int = 0, steps: int = 1
    ) -> tuple[Vector, tuple[Vector, ...]]:
        """The direction that is multiplied by the learning rate, and the new memory; call ``step`` of ``steps`` in a round."""
        first = self.beta1 * memory[0] + (1 - self.beta1) * change
        second = self.beta2 * memory[1] + (1 - self.beta2) * fed.decide(np.square, change)
        mean, square = first, second
        if self.bias_corrected:
            calls = fed.round * steps + step + 1
            mean, square = first / (1 - self.beta1**calls), second / (1 - self.beta2**calls)
        added = self.epsilon
        return fed.decide(lambda m, v: m / (np.sqrt(v) + added), mean, square), (first, second)
