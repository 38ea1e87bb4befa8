"""The data sets of the softmax experiments by name; a replicate has data of its own, see :mod:`fltheory.experiments.replicates`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from fltheory.experiments.origins import digest_of
from fltheory.experiments.seeds import FIRST
from fltheory.kinds import JSON
from fltheory.problems import (
    LabelledData,
    Regulariser,
    SoftmaxProblem,
    load_digits,
    load_fashion_mnist,
    mnist_subset,
    power_law_sizes,
    split_by_class,
    synthetic,
)

#: The regulariser of Appendix D.1 of Li et al.: lambda |w|^2, lambda = 1e-4.
REGULARISER = Regulariser(1e-4, "lambda|w|^2")
#: Seed of replicate 0; replicate r has the seed r higher.
FIRST_SEEDS = {
    "synthetic(0,0)": 10_000,
    "synthetic(1,1)": 20_000,
    "digits balanced": 30_000,
    "digits unbalanced": 40_000,
    "MNIST subset balanced": 50_000,
    "MNIST subset unbalanced": 60_000,
    "Fashion-MNIST balanced": 70_000,
    "Fashion-MNIST unbalanced": 80_000,
}
#: How the scripts seed their replicates, for the settings.
SEEDS = "replicate r of a set: first seed + r, for the data (or the division of the images) and for the run"
LOGNORMAL = "int(lognormal(4, 2)) + 50 as in the authors' program (Appendix D.1: a power law)"
#: A folder with the IDX files of Fashion-MNIST, where they are not in the place of the Debian package.
FASHION_FOLDER = "FLTHEORY_FASHION_MNIST"


@dataclass(frozen=True)
class DataSet:
    """One federated data set: ``problem(seed)`` makes a replicate of it.

    ``batch``: mini-batch size; ``sizes``: how many samples the clients have, in words; ``paper``: the data set of the
    paper for which it stands; ``digest``: of the data from outside the package, empty where all is generated.
    """

    name: str
    n_clients: int
    batch: int
    sizes: str
    problem: Callable[[int], SoftmaxProblem]
    paper: str
    digest: str = ""

    @property
    def family(self) -> str:
        """``"synthetic"``, ``"digits"``, ``"MNIST subset"`` or ``"Fashion-MNIST"``."""
        return "synthetic" if self.name.startswith("synthetic") else self.name.rpartition(" ")[0]

    @property
    def first_seed(self) -> int:
        """Seed of replicate 0."""
        return FIRST_SEEDS[self.name]

    def settings(self) -> dict[str, JSON]:
        """What a result file says of the set."""
        return {"clients": self.n_clients, "batch": self.batch, "sizes": self.sizes, FIRST: self.first_seed}


def data_sets(*, full: bool) -> list[DataSet]:
    """The sets that can be had here; Fashion-MNIST in the full form only."""
    sets = [_synthetic(0, 0), _synthetic(1, 1), *_images("digits", load_digits(), 20, 8, total=1200, least=8)]
    others: list[tuple[str, Callable[[], LabelledData], dict[str, int]]] = [
        ("MNIST subset", mnist_subset, dict(n_clients=100, batch=8, total=4000, least=16))
    ]
    if full:
        others.append(("Fashion-MNIST", _fashion, dict(n_clients=100, batch=64, total=45_000, least=64)))
    for name, loader, options in others:
        try:
            data = loader()
        except (ModuleNotFoundError, FileNotFoundError):
            continue
        sets += _images(name, data, **options)
    return sets


def _synthetic(alpha: int, beta: int) -> DataSet:
    def problem(seed: int) -> SoftmaxProblem:
        return synthetic(alpha, beta, seed=seed, sizes="lognormal").softmax(REGULARISER)

    name = f"synthetic({alpha},{beta})"
    return DataSet(name, 100, 24, LOGNORMAL, problem, name)


def _images(name: str, data: LabelledData, n_clients: int, batch: int, *, total: int, least: int) -> list[DataSet]:
    """Balanced, and sizes by a power law of exponent one; two classes per client in both."""

    def balanced(seed: int) -> SoftmaxProblem:
        return data.divide(split_by_class(data.labels, n_clients, seed=seed)).softmax(REGULARISER)

    def unbalanced(seed: int) -> SoftmaxProblem:
        # Largest first: clients are exchangeable, so that the order of the sizes needs no random numbers.
        sizes = power_law_sizes(n_clients, total, least=least)
        return data.divide(split_by_class(data.labels, n_clients, seed=seed, sizes=sizes)).softmax(REGULARISER)

    digest = digest_of(data.features, data.labels)
    law = f"power law of exponent 1, {total} samples in all, at least {least}"
    return [
        DataSet(f"{name} balanced", n_clients, batch, "equal", balanced, "MNIST balanced", digest),
        DataSet(f"{name} unbalanced", n_clients, batch, law, unbalanced, "MNIST unbalanced", digest),
    ]


def _fashion() -> LabelledData:
    folder = os.environ.get(FASHION_FOLDER)
    return load_fashion_mnist(folder) if folder else load_fashion_mnist()
