"""The smile task of mixed FL on data that can be had: what its experiments, figures and rows share.

Augenstein et al., "Mixed Federated Learning" (2022), Section 5.1: clients hold one label (smiling faces), the server the
other, evaluation is on both.  Here the labels are odd and even classes of digits or of clothes.  As in the paper: mean
cross-entropy on each side, w_f = w_c = 1/2, |B_i| = 5, eta_s = eta_m = 1, eta_c = eta, |B_c| = S |B_i| for PT and 2-way GT
and K S |B_i| for 1-way GT, clients with about 31 federated examples.  Other than in the paper: the data, the cohort where
there are fewer clients, clients whose examples are dealt at random (the paper's are people), a random fifth of all examples
for evaluation, the step size (tuned, see :data:`STEP_SIZE`), and central batches drawn with replacement.

The committed results are those of the full form; the reduced form makes a part of the same arrays, bit for bit.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from fltheory.algorithms import FedAvg, Full, OneWayGradientTransfer, ParallelTraining, SchemeII, TwoWayGradientTransfer
from fltheory.evidence.model import Evidence
from fltheory.experiments.data_sets import FASHION_FOLDER
from fltheory.experiments.files import Array, Result
from fltheory.experiments.origins import digest_of
from fltheory.experiments.paired import replicates
from fltheory.plotting.palette import color_of
from fltheory.problems import LabelledData, MiniBatch, auc, load_digits, load_fashion_mnist, mnist_subset
from fltheory.problems.data.opposite_labels import TwoSources, halved, opposite_labels, with_ones
from fltheory.problems.network import NetworkProblem, network_start
from fltheory.simulate import Run, simulate

#: Classes that are the federated label.
ODD = (1, 3, 5, 7, 9)
#: |B_i|, and K in all experiments that do not vary it.
BATCH, LOCAL_STEPS = 5, 2
#: One step size for all sets, models and algorithms: half of the largest in 0.1, 0.3, 0.6, 1, 1.5, 2, 3 at which all three
#: mixed algorithms trained in all cases on seeds 901 and 902, which serve no replicate.
STEP_SIZE = 0.3
MIXED = ("PT", "1-w GT", "2-w GT")
COLOURS = {**{name: color_of(name) for name in (*MIXED, "oracle", "FL only")}, "2-w GT, half step": "#56B4E9"}
#: Images that are used of Fashion-MNIST, the first of its training file.
FASHION = 15_000


@dataclass(frozen=True)
class Task:
    """One data set with one model: ``name`` such as "digits network"; ``cohort`` is S; seed of replicate r: first + r."""

    family: str
    model: str
    cohort: int
    first_seed: int

    @property
    def name(self) -> str:
        """Of the set in result files."""
        return f"{self.family} {self.model}"

    def source(self, seed: int, **options: Any) -> TwoSources:
        """A division of the data of its own for every seed."""
        return opposite_labels(data_of(self.family), ODD, seed=seed, **options)

    @property
    def digest(self) -> str:
        """Of the images and labels."""
        data = data_of(self.family)
        return digest_of(data.features, data.labels)

    def settings(self) -> dict[str, Any]:
        """What a result file says of the set."""
        source = self.source(self.first_seed)
        return {
            "model": self.model,
            "features": int(source.evaluation[0].shape[1]),
            "clients": len(source.clients),
            "client sizes": sorted({len(y) for _, y in source.clients}),
            "central": len(source.centre[1]),
            "evaluation": len(source.evaluation[1]),
            "S": self.cohort,
            "batch": BATCH,
            "first seed": self.first_seed,
        }


@cache
def data_of(family: str) -> LabelledData:
    """The labelled images; those of 28 x 28 pixels with 2 x 2 pixels averaged.

    Raises
    ------
    ModuleNotFoundError, FileNotFoundError : they are not here.
    """
    if family == "digits":
        return load_digits()
    if family == "MNIST subset":
        return halved(mnist_subset())
    folder = os.environ.get(FASHION_FOLDER)
    data = load_fashion_mnist(folder) if folder else load_fashion_mnist()
    return halved(replace(data, features=data.features[:FASHION], labels=data.labels[:FASHION]))


def tasks(first_seed: int, wanted: tuple[tuple[str, str], ...]) -> list[Task]:
    """The wanted pairs (family, model) whose data are here; their seeds are 1,000 apart."""
    cohort = {"digits": 10, "MNIST subset": 20, "Fashion-MNIST": 100}
    found = []
    for index, (family, model) in enumerate(wanted):
        try:
            data_of(family)
        except (ModuleNotFoundError, FileNotFoundError):
            continue
        found.append(Task(family, model, cohort[family], first_seed + 1000 * index))
    return found


def common(full: bool) -> dict[str, Any]:
    """Settings of all experiments of the task."""
    return {
        "form": "full" if full else "reduced",
        "w_f": 0.5,
        "w_c": 0.5,
        "eta_s": 1.0,
        "eta_m": 1.0,
        "eta_c": "eta",
        "hidden": 64,
        "start": "network: Glorot, biases zero; logistic: zero",
        "central batches": "with replacement",
        "seeds": "replicate r: first seed + r, for the division of the data, the start and the run",
    }


def start_of(source: TwoSources, model: str, seed: int) -> Array:
    """The first model."""
    features = source.evaluation[0].shape[1]
    return network_start(features, seed=seed) if model == "network" else np.zeros(features + 1)


def train(
    source: TwoSources,
    model: str,
    label: str,
    *,
    cohort: int,
    rounds: int,
    every: int,
    seed: int,
    step_size: float = STEP_SIZE,
    local_steps: int = LOCAL_STEPS,
    central_batch: int | None = None,
    start: Array | None = None,
) -> Run:
    """A run of one of :data:`MIXED`, "oracle" (SGD on all data in one place), "FL only" or "central only", models kept.

    The oracle takes K steps a round on 2 S |B_i| examples, as many as PT and 2-way GT see.
    """
    options: dict[str, Any] = dict(
        rounds=rounds,
        seed=seed,
        record_every=every,
        keep_models=True,
        reference=False,
        # Models are judged on the evaluation's examples: of the run itself only divergence is wanted.
        objective=np.linalg.norm,
        start=start_of(source, model, seed) if start is None else start,
    )
    scheme, batch = SchemeII(cohort), MiniBatch(BATCH)
    if label in ("oracle", "central only"):
        problem = source.pooled(model) if label == "oracle" else source.central(model)
        size = cohort * BATCH * (2 if label == "oracle" else 1)
        return simulate(
            problem, FedAvg(local_steps, step_size, Full()), oracle=MiniBatch(size, replacement=True), **options
        )
    if label == "FL only":
        return simulate(source.federated(model), FedAvg(local_steps, step_size, scheme), oracle=batch, **options)
    size = cohort * BATCH * (local_steps if label == "1-w GT" else 1) if central_batch is None else central_batch
    makers: dict[str, Callable[[], Any]] = {
        "PT": lambda: ParallelTraining(local_steps, step_size, step_size, participation=scheme),
        "1-w GT": lambda: OneWayGradientTransfer(local_steps, step_size, participation=scheme),
        "2-w GT": lambda: TwoWayGradientTransfer(local_steps, step_size, step_size, participation=scheme),
    }
    return simulate(
        source.mixed(model), makers[label](), oracle=batch, centre_oracle=MiniBatch(size, replacement=True), **options
    )


def scores_of(source: TwoSources, model: str, w: Array) -> Array:
    """Log-odds of label 1 for the examples of the evaluation."""
    x = source.evaluation[0]
    if model == "network":
        problem = source.central(model)
        assert isinstance(problem, NetworkProblem)
        return problem.scores(x, w)
    return np.asarray(with_ones(x) @ w)


def evaluate(source: TwoSources, model: str, run: Run) -> dict[str, Array]:
    """At each record of the first run: evaluation "loss" and "auc", and "accuracy" on the federated and the central side.

    From a divergence on, the loss is infinite, the AUC one half and the accuracies 0.
    """
    assert run.models is not None
    y, ours = source.evaluation[1], source.side
    rows = []
    for w in run.models[0]:
        if not np.isfinite(w).all():
            rows.append((np.inf, 0.5, 0.0, 0.0))
            continue
        scores = scores_of(source, model, w)
        right = np.where(scores > 0, 1, -1) == y
        rows.append(
            (float(np.logaddexp(0.0, -y * scores).mean()), auc(scores, y > 0), right[ours].mean(), right[~ours].mean())
        )
    table = np.array(rows, dtype=np.float32)
    return {"loss": table[:, 0], "auc": table[:, 1], "accuracy": table[:, 2:]}


def described(
    evidence: Evidence,
    result: Result,
    sets: tuple[str, ...],
    *,
    extra: str = "",
    sides: str = "Odd classes federated, even ones central",
) -> Evidence:
    """The evidence with the settings of the sets, what differs from the paper's, and the seeds."""
    words = []
    seeds: list[int] = []
    for name in sets:
        entry = result.settings["sets"][name]
        count, first = replicates(result, name), int(entry["first seed"])
        seeds += range(first, first + count)
        words.append(
            f"{name}: {entry['clients']} clients of {'/'.join(map(str, entry['client sizes']))} examples (first replicate), "
            f"S={entry['S']}, "
            f"|B_i|={entry['batch']}, {entry['features']} pixels, {entry['rounds']} rounds, {count} replicates"
        )
    return replace(
        evidence,
        seeds=tuple(seeds),
        valid_for="; ".join(words) + f". {extra}{sides} (paper: smiling and unsmiling faces "
        "of CelebA, 2,802 clients of three people each, S=100, eta=0.01); examples dealt to the clients at random; a random fifth "
        "of all examples for evaluation (paper: 935 other clients); central batches with replacement",
    )
