r"""Augenstein, Hard, Ning, Singhal, Kale, Partridge, Mathews (2022), "Mixed Federated Learning".

The modules are attributes, imported when they are first used: ``fl.theory.mixed2022.metrics``.

================== ===================================================================================================
module             holds
================== ===================================================================================================
``metrics``        the sampled dissimilarities of equation (7), along runs and in expectation (Section 4.3)
``cost_model``     communication and computation with units (Appendix C.3, Table 5)
``curves``         bounds on ``E |x_t - x*|^2`` for plots: PARALLEL_DISTANCE, ONE_WAY_DISTANCE, TWO_WAY_DISTANCE
``orders``         rounds to an error: the nine orders of Table 1
``assembly``       explicit rates of 1-way GT, put together from the lemmas (Appendix D.2)
``parallel``       the recursions of Parallel Training (Theorem B.1), with constants
``parallel_rates`` its explicit numbers of rounds, ``ROUNDS[case]``
``two_way_bounds`` recursions and explicit rates of 2-way GT (Theorem B.3)
``vectors``, ...   the lemmas D.2 to D.13: ``vectors``, ``convex``, ``one_round``, ``drift``, ``recursions``
================== ===================================================================================================

:func:`bounds` lists every bound by module and name.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Any

from fltheory.names import unknown
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022.convex import LEMMA_D7 as LEMMA_D7
from fltheory.theory.mixed2022.convex import LEMMA_D8 as LEMMA_D8
from fltheory.theory.mixed2022.convex import PROPOSITION_D5 as PROPOSITION_D5
from fltheory.theory.mixed2022.convex import PROPOSITION_D6 as PROPOSITION_D6
from fltheory.theory.mixed2022.curves import ONE_WAY_DISTANCE as ONE_WAY_DISTANCE
from fltheory.theory.mixed2022.curves import PARALLEL_DISTANCE as PARALLEL_DISTANCE
from fltheory.theory.mixed2022.curves import TWO_WAY_DISTANCE as TWO_WAY_DISTANCE
from fltheory.theory.mixed2022.vectors import LEMMA_D2_1 as LEMMA_D2_1
from fltheory.theory.mixed2022.vectors import LEMMA_D2_2 as LEMMA_D2_2
from fltheory.theory.mixed2022.vectors import LEMMA_D3_1 as LEMMA_D3_1
from fltheory.theory.mixed2022.vectors import LEMMA_D3_2 as LEMMA_D3_2


def bounds() -> dict[str, Bound]:
    """Every bound of the document by ``module.name``: what ``fltheory latex mixed2022`` prints."""
    from fltheory.theory import bounds_of

    found: dict[str, Bound] = bounds_of("mixed2022")
    return found


def _modules() -> list[str]:
    return [info.name for info in pkgutil.iter_modules(__path__)]


def __getattr__(name: str) -> Any:
    if name in _modules():
        return import_module(f"{__name__}.{name}")
    raise unknown(__name__, name, __dir__())


def __dir__() -> list[str]:
    return sorted({"bounds", *(name for name in globals() if name.isupper()), *_modules()})
