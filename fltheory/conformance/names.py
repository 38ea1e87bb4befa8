"""Which argument of a user's function means what: known names, names by algorithm, and the user's own map."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from fltheory.conformance.family import AlgorithmFamily

#: What can be given to a run, and the names under which it is asked for.
MEANINGS: dict[str, tuple[str, ...]] = {
    "grad": ("gradient", "grad_fn", "gradient_fn", "client_grad", "client_gradient", "grads", "oracle"),
    "loss": ("client_loss", "loss_fn_of_client"),
    "problem": (),
    "probe": ("case",),
    "algorithm": (),
    "weights": ("p", "client_weights", "fractions", "shares"),
    "counts": (
        "n_samples",
        "num_samples",
        "samples",
        "sizes",
        "data_sizes",
        "num_examples",
        "n_k",
        "nk",
        "sample_counts",
    ),
    "start": (
        "w0",
        "x0",
        "theta0",
        "init",
        "initial",
        "initial_model",
        "model0",
        "w_init",
        "w",
        "x",
        "params",
        "global_model",
    ),
    "rounds": (
        "T",
        "R",
        "num_rounds",
        "n_rounds",
        "comm_rounds",
        "communication_rounds",
        "global_rounds",
        "iterations",
    ),
    "cohorts": (
        "participants",
        "selected",
        "selections",
        "sampled",
        "client_sets",
        "samples_of_clients",
        "schedule_of_clients",
    ),
    "sampler": ("sample", "select", "sample_clients", "select_clients"),
    "n_clients": ("N", "num_clients", "total_clients", "clients"),
    "epochs": ("local_epochs", "num_epochs", "n_epochs", "local_ep"),
    "batches": ("batch_counts",),
    "batches_per_epoch": ("n_batches", "num_batches"),
    "local_steps": ("steps", "K", "num_steps", "n_steps", "local_iters", "local_iterations", "local_updates"),
    "step_size": (
        "lr",
        "eta",
        "learning_rate",
        "client_lr",
        "eta_l",
        "local_lr",
        "lr_l",
        "lr_local",
        "local_step_size",
        "client_learning_rate",
    ),
    "server_step_size": (
        "server_lr",
        "eta_g",
        "global_lr",
        "eta_s",
        "lr_g",
        "lr_server",
        "server_learning_rate",
        "global_step_size",
        "eta_server",
    ),
    "schedule": ("lr_schedule", "step_size_schedule", "eta_t", "learning_rate_schedule"),
    "decay": ("lr_decay", "learning_rate_decay", "gamma_decay"),
    "central_grad": (
        "central_gradient",
        "centre_gradient",
        "center_gradient",
        "grad_c",
        "server_grad",
        "centralized_grad",
    ),
    "central_step_size": ("central_lr", "eta_c", "lr_c", "centre_lr", "center_lr"),
    "central_steps": ("J", "n_central_steps", "num_central_steps"),
    "merge_step_size": ("merge_lr", "eta_m", "lr_m"),
    "layers": ("blocks", "layer_sizes", "layer_slices"),
    "data": ("datasets", "client_data", "train_data"),
    "central_data": ("server_data",),
    "loaders": ("dataloaders", "train_loaders", "data_loaders"),
    "central_loader": ("server_loader",),
    "model": ("net", "network"),
    "seed": ("random_state",),
    "device": (),
    # parameters of single algorithms
    "prox": (),
    "momentum": (),
    "beta1": (),
    "beta2": (),
    "epsilon": (),
    "alpha": (),
    "intervals": (),
    "base": (),
    "factor": (),
    "tau": (),
}


def meanings(family: AlgorithmFamily) -> dict[str, str]:
    """What each known name means for an algorithm; its own names go first."""
    found: dict[str, str] = {}
    for meaning, names in MEANINGS.items():
        for name in (meaning, *names):
            found[name] = meaning
    for meaning, names in family.aliases.items():
        for name in names:
            found[name] = meaning
    return found


def bound(
    function: Callable[..., Any],
    family: AlgorithmFamily,
    names: Mapping[str, str] | None,
    *,
    besides: Mapping[str, tuple[str, ...]] | None = None,
) -> dict[str, str]:
    """The meaning of each argument that a function must or can be given.

    ``names`` maps the function's names to meanings (or the other way round).  Arguments with a default that mean nothing known are
    left alone.

    Raises
    ------
    ValueError : an argument without a default whose meaning is not known; the message lists close names.
    """
    known = meanings(family)
    for one, others in (besides or {}).items():
        known |= dict.fromkeys((one, *others), one)
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        raise ValueError(
            f"run={function!r} has no signature that can be read; wrap it in a function of your own"
        ) from None
    own = dict(names or {})
    own |= {theirs: meaning for meaning, theirs in own.items() if theirs in parameters and meaning not in parameters}
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    unused = [name for name in names or {} if name not in parameters and own[name] not in parameters]
    if unused and not open_ended:
        raise ValueError(
            f"names={unused[0]!r} is no argument of the function; it has {', '.join(parameters) or 'none'}"
        )
    found: dict[str, str] = {}
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        meaning: str | None = own.get(name, known.get(name))
        optional = parameter.default is not parameter.empty
        if meaning is not None and meaning not in known:
            near = get_close_matches(meaning, known, 1)
            raise ValueError(
                f"names[{name!r}]={meaning!r} means nothing here" + (f"; did you mean {near[0]!r}?" if near else "")
            )
        if meaning is None or (known[meaning] in ("seed", "device") and optional):
            if optional:
                continue
            near = get_close_matches(name, known, 3, 0.5)
            if name == "E":
                raise ValueError(
                    "argument 'E': epochs for some, local steps for others; say which, names={'E': 'epochs'} or 'local_steps'"
                )
            raise ValueError(
                f"argument {name!r} of {getattr(function, '__name__', 'run')}: nothing is known by that name; say what it is, "
                f"such as names={{{name!r}: {(known[near[0]] if near else 'step_size')!r}}}; known are "
                f"{', '.join(sorted(set(known.values())))}"
            )
        found[name] = known[meaning]
    if open_ended:
        found |= {name: known[own[name]] for name in unused if own[name] in known}
        found |= {name: name for name in family.needs if name not in found.values()}
    return found
