"""All families by name, and the names under which users ask for them."""

from __future__ import annotations

from typing import Any

from fltheory.conformance.families.elastic import ELASTIC_AGGREGATION
from fltheory.conformance.families.fedadam import FEDADAM
from fltheory.conformance.families.fedavg import FEDAVG
from fltheory.conformance.families.feddyn import FEDDYN
from fltheory.conformance.families.fedlama import FEDLAMA
from fltheory.conformance.families.fednova import FEDNOVA
from fltheory.conformance.families.fedopt import FEDAVGM
from fltheory.conformance.families.fedprox import FEDPROX
from fltheory.conformance.families.mixed import ONE_WAY_TRANSFER, PARALLEL_TRAINING, TWO_WAY_TRANSFER
from fltheory.conformance.families.scaffold import SCAFFOLD
from fltheory.conformance.family import AlgorithmFamily

FAMILIES: dict[str, AlgorithmFamily] = {
    family.name: family
    for family in (
        FEDAVG,
        FEDPROX,
        SCAFFOLD,
        FEDAVGM,
        FEDADAM,
        FEDNOVA,
        FEDDYN,
        PARALLEL_TRAINING,
        ONE_WAY_TRANSFER,
        TWO_WAY_TRANSFER,
        FEDLAMA,
        ELASTIC_AGGREGATION,
    )
}
_ALSO = {
    "twosidedfedavg": "FedAvg",
    "localsgd": "FedAvg",
    "fedopt": "FedAvg",
    "parallel": "ParallelTraining",
    "pt": "ParallelTraining",
    "onewaygt": "OneWayGradientTransfer",
    "1waygt": "OneWayGradientTransfer",
    "oneway": "OneWayGradientTransfer",
    "twowaygt": "TwoWayGradientTransfer",
    "2waygt": "TwoWayGradientTransfer",
    "twoway": "TwoWayGradientTransfer",
    "elasticaggregation": "Elastic",
    "elasticfedavgm": "Elastic",
}


def family_of(algorithm: Any) -> AlgorithmFamily:
    """The family that a name (or a class or an instance of the package's algorithms) means.

    Raises
    ------
    ValueError : none of that name; the message lists them.
    """
    if not isinstance(algorithm, str):
        algorithm = algorithm.__name__ if isinstance(algorithm, type) else type(algorithm).__name__
    plain = "".join(letter for letter in algorithm.lower() if letter.isalnum())
    names = {name.lower(): name for name in FAMILIES} | _ALSO
    if plain not in names:
        raise ValueError(
            f"algorithm={algorithm!r} is none that code is held against; expected one of {', '.join(FAMILIES)}"
        )
    return FAMILIES[names[plain]]
