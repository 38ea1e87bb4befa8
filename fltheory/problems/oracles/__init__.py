"""Gradient oracles: what a client sees when it asks for ``grad F_k(x)``; one file each, and what may be asked of them.

All are unbiased.  An oracle of one's own is an object with some of the methods that are listed in
:mod:`fltheory.problems.oracles.protocol`; it works wherever what it has is enough.
"""

from typing import TYPE_CHECKING

from fltheory.problems.oracles.additive import AdditiveNoise as AdditiveNoise
from fltheory.problems.oracles.exact import Exact as Exact
from fltheory.problems.oracles.finite_support import FiniteSupportNoise as FiniteSupportNoise
from fltheory.problems.oracles.minibatch import MiniBatch as MiniBatch
from fltheory.problems.oracles.protocol import AnyOracle as AnyOracle
from fltheory.problems.oracles.protocol import Oracle as Oracle
from fltheory.problems.oracles.protocol import check_oracle as check_oracle
from fltheory.problems.oracles.protocol import is_noisy as is_noisy
from fltheory.problems.oracles.variance import gradient_variance as gradient_variance

if TYPE_CHECKING:
    #: Held against the protocol by the type checker.
    _ORACLES: tuple[type[Oracle], ...] = (AdditiveNoise, Exact, FiniteSupportNoise, MiniBatch)
