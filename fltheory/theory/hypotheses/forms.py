"""One method under several names: local SGD with a step at the server, and what each name asks beyond its class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fltheory.algorithms.elastic import SimplifiedElastic
from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlama import FedLAMA
from fltheory.algorithms.fedopt import FedOpt
from fltheory.algorithms.gradient_transfer import OneWayGradientTransfer, TwoWayGradientTransfer
from fltheory.algorithms.optimisers import GradientStep
from fltheory.algorithms.parallel_training import ParallelTraining
from fltheory.algorithms.participation import Full, SchemeI
from fltheory.algorithms.schedules import Constant, Schedule
from fltheory.algorithms.two_sided import TwoSidedFedAvg


@dataclass(frozen=True)
class LocalForm:
    """``w+ = w + s sum_k c_k (x_k - w)`` with ``x_k`` after ``local_steps`` SGD steps from ``w``; ``server`` is s, a number."""

    local_steps: int
    step_size: Schedule
    server: Any
    participation: Any


def local_form(algorithm: Any) -> LocalForm | str:
    """The algorithm as local SGD, or why it is none."""
    kind = type(algorithm)
    if kind not in (FedAvg, TwoSidedFedAvg, FedOpt, SimplifiedElastic, FedLAMA):
        return f"yours is {kind.__name__}"
    if kind is FedLAMA:
        if algorithm.factor != 1 or algorithm.intervals is not None or algorithm.index != "after the interval":
            return "yours is FedLAMA with layers that are averaged apart"
        return LocalForm(algorithm.base, algorithm.step_size, 1, algorithm.participation)
    steps = algorithm.local_steps
    if isinstance(steps, tuple):
        if len(set(steps)) != 1:
            return f"yours has clients with different numbers of steps, {steps}"
        steps = steps[0]
    if kind is FedOpt and algorithm.server != GradientStep():
        return f"yours has the server optimiser {algorithm.server!r}"
    server: Any = 1
    for field in ("server_step_size", "elasticity"):
        rate = getattr(algorithm, field, Constant(1))
        if not rate.constant:
            return f"yours has {field}={rate!r}, which changes"
        server = server * rate.at(0, 0, 1)
    return LocalForm(int(steps), algorithm.step_size, server, algorithm.participation)


def _not_local(algorithm: Any) -> str:
    form = local_form(algorithm)
    return form if isinstance(form, str) else ""


def _not_fedavg(algorithm: Any) -> str:
    form = local_form(algorithm)
    if isinstance(form, str):
        return form
    if type(algorithm) is not FedAvg and not isinstance(form.participation, Full | SchemeI):
        # averages of models and of updates differ where coefficients do not sum to one
        return f"yours averages updates, not models, under {form.participation!r}"
    return "" if form.server == 1 else f"yours has a server step size of {float(form.server):.6g}, not 1"


def _not_lama(algorithm: Any) -> str:
    return "" if type(algorithm) is FedLAMA else _not_fedavg(algorithm)


def _not_plain(*kinds: type) -> Callable[[Any], str]:
    """An algorithm of mixed FL with one of its options at what the theorems do not speak of."""

    def refuse(algorithm: Any) -> str:
        if type(algorithm) not in kinds:
            return f"yours is {type(algorithm).__name__}"
        for name in ("server", "central", "merger"):
            if getattr(algorithm, name, GradientStep()) != GradientStep():
                return f"yours has {name}={getattr(algorithm, name)!r}; the theorems have plain gradient steps"
        if getattr(algorithm, "merge", "sum") != "sum":
            return f"yours has merge={algorithm.merge!r}; the theorems add the updates"
        own = algorithm.client_steps
        if own is not None and set(own) != {algorithm.local_steps}:
            return f"yours has client_steps={own}; the theorems have K = {algorithm.local_steps} steps of every client"
        central = getattr(algorithm, "central_steps", None)
        if central not in (None, algorithm.local_steps):
            return f"yours has {central} central steps; the theorems have K = {algorithm.local_steps}"
        return ""

    return refuse


#: By the name of a method: why an algorithm is not it, empty where it is.  Other names ask for the class of that name.
REFUSALS: Mapping[str, Callable[[Any], str]] = {
    "local SGD": _not_local,
    "FedAvg": _not_fedavg,
    "FedLAMA": _not_lama,
    "OneWayGradientTransfer": _not_plain(OneWayGradientTransfer),
    "TwoWayGradientTransfer": _not_plain(TwoWayGradientTransfer),
    "ParallelTraining": _not_plain(ParallelTraining),
}
