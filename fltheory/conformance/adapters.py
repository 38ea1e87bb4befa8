"""Users' code as something that runs on a probe: a ``run``, or a client's and a server's function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fltheory.conformance.family import AlgorithmFamily
from fltheory.conformance.given import thing
from fltheory.conformance.names import bound
from fltheory.conformance.numbers import flat, plain
from fltheory.conformance.probes import Probe, probes
from fltheory.kinds import Floats

#: Arguments of a client's function besides those of a run: ``grad`` is its own client's there.
_CLIENT: dict[str, tuple[str, ...]] = {
    "model": ("w", "x", "params", "parameters", "global_model", "w_global", "server_model", "theta"),
    "client": ("k", "i", "idx", "client_id", "cid"),
    "round": ("t", "r", "rnd", "round_idx", "server_round"),
    "state": ("client_state",),
    "message": ("server_message", "config"),
    "count": ("num_examples_of_client",),
    "weight": (),
    "loader": ("dataloader", "train_loader", "trainloader", "ldr_train"),
}
_SERVER: dict[str, tuple[str, ...]] = {
    "model": ("w", "x", "params", "parameters", "global_model", "w_global", "server_model", "theta", "old"),
    "results": ("updates", "models", "returned", "w_locals", "local_models", "answers", "locals", "client_models"),
    "cohort": ("clients", "selected", "participants"),
    "round": ("t", "r", "rnd", "round_idx", "server_round"),
    "state": ("server_state",),
    "counts_of_cohort": ("counts", "num_samples", "sizes", "n_samples"),
    "weights_of_cohort": ("weights",),
}


@dataclass
class ReturnedModels:
    """What a run returned on a probe: models ``(rounds + 1, 4)``, the coarsest number type, and what was noticed."""

    models: Floats
    single: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ClientServer:
    """A client's and a server's function, as made by :func:`from_client_server`."""

    fit: Callable[..., Any]
    aggregate: Callable[..., Any]
    setup: Callable[..., Any] | None = None
    form: str = "flat"
    names: Mapping[str, str] = field(default_factory=dict)


def from_client_server(
    fit: Callable[..., Any],
    aggregate: Callable[..., Any],
    *,
    setup: Callable[..., Any] | None = None,
    form: str = "flat",
    names: Mapping[str, str] | None = None,
) -> ClientServer:
    """Code that has no ``run`` but a client's and a server's function, for :func:`conform`.

    ============= ==========================================================================================================
    argument      meaning
    ============= ==========================================================================================================
    ``fit``       ``fit(model, ...)``: what a client of the cohort does; what it returns goes to the server as it is.  It may take
                  ``client`` (its number), ``grad`` (``grad(x)``, its own), ``count``, ``weight``, ``round``, ``state`` (a dict
                  that is this client's for the whole run), ``message`` (from the server), ``epochs``, ``batches`` (its own number),
                  ``local_steps``, ``loader``, and the parameters of the algorithm under their names
    ``aggregate`` ``aggregate(model, results, ...)``: the new model, or ``(model, message)`` with a message for the clients.  It may
                  take ``cohort`` (the clients' numbers), ``counts`` and ``weights`` (of the cohort), ``n_clients``, ``round``,
                  ``state`` (the server's dictionary), ``central_grad`` and parameters
    ``setup``     called without arguments before each probe: where objects are made anew
    ``form``      models as "flat" arrays, a "list" of layers or a "dict" of named layers
    ============= ==========================================================================================================

    Raises
    ------
    ValueError : an unknown form; what cannot be called.
    """
    from fltheory.conformance.numbers import FORMS
    from fltheory.problems.checks import check_choice, check_function

    check_function("fit", fit, "fit(model, ...)")
    check_function("aggregate", aggregate, "aggregate(model, results, ...)")
    if setup is not None:
        check_function("setup", setup, "setup()")
    check_choice("form", form, FORMS)
    return ClientServer(fit, aggregate, setup, form, dict(names or {}))


class Runner:
    """Runs a user's code on probes and says what it takes."""

    def __init__(self, run: Any, family: AlgorithmFamily, names: Mapping[str, str] | None, form: str) -> None:
        self.run, self.family, self.form = run, family, form
        if isinstance(run, ClientServer):
            own = {**run.names, **(names or {})}
            self.form = run.form
            self.of_fit = bound(run.fit, family, _of(run.fit, own, run.aggregate), besides=_CLIENT)
            self.of_server = bound(run.aggregate, family, _of(run.aggregate, own, run.fit), besides=_SERVER)
            self.takes = set(self.of_fit.values()) | set(self.of_server.values()) | {"cohorts", "start", "rounds"}
            aliases = {
                "count": "counts",
                "weight": "weights",
                "loader": "loaders",
                "counts_of_cohort": "counts",
                "weights_of_cohort": "weights",
            }
            self.takes |= {aliases[one] for one in self.takes if one in aliases}
        else:
            if not callable(run):
                raise ValueError(
                    f"run={run!r} cannot be called; expected a function, or from_client_server(fit, aggregate)"
                )
            self.arguments = bound(run, family, names)
            self.takes = set(self.arguments.values())
            self.whole = family if "algorithm" in self.takes else None
            if self.whole is not None:
                example = family.published(probes({**family.neutral, **family.values})[0])
                self.takes |= {name for name in family.values if hasattr(example, name)} | set(family.needs)
            if "probe" in self.takes:
                self.takes |= set(family.values) - {"decay"}
        missing = [name for name in family.needs if name not in self.takes and name not in ("step_size",)]
        if "step_size" not in self.takes and "schedule" not in self.takes:
            missing.insert(0, "step_size")
        if missing:
            raise ValueError(
                f"{family.name} has {missing[0]}, and run takes no such argument; map a name to it, "
                f"names={{'yours': {missing[0]!r}}}, or "
                f"say what it is inside your code, values={{{missing[0]!r}: ...}}"
            )

    def answer(self, probe: Probe) -> ReturnedModels:
        """The models of the user's code on a probe.

        Raises
        ------
        ValueError : the code raises, or returns no models.
        """
        try:
            if isinstance(self.run, ClientServer):
                return _looped(self.run, self.of_fit, self.of_server, probe)
            return self._called(probe)
        except (Exception, SystemExit) as error:
            kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
            raise ValueError(f"run on the probe {probe.name!r}: {kind}{error}") from error

    def _called(self, probe: Probe) -> ReturnedModels:
        def once(rounds: int) -> Any:
            given = {
                name: thing(meaning, probe, rounds, self.form, whole=self.whole)
                for name, meaning in self.arguments.items()
            }
            kept = {name: flat(value)[0] for name, value in given.items() if self.arguments[name] == "start"}
            with np.errstate(all="ignore"):
                found = self.run(**given)
            changed = any(not np.array_equal(flat(given[name])[0], old) for name, old in kept.items())
            return found, changed

        found, changed = once(probe.rounds)
        notes = ["the start that is given to it is changed in place"] if changed else []
        steps = _path(found, probe.rounds)
        if steps is not None and len({id(one) for one in steps}) < len(steps) and len(steps) > 1:
            notes.append("the models that it returns are one and the same object (no copies): each round was run anew")
            steps = None
        if steps is None:
            ends = [once(rounds)[0] for rounds in range(1, probe.rounds + 1)]
            parts = [_path(end, rounds) for rounds, end in enumerate(ends, start=1)]
            steps = [end if part is None else part[-1] for end, part in zip(ends, parts, strict=True)]
        return _answer(steps, probe, tuple(notes))


def _of(function: Any, names: Mapping[str, str], other: Any) -> dict[str, str]:
    """The part of a map of names that is about one of two functions."""
    import inspect

    own = inspect.signature(function).parameters
    its = inspect.signature(other).parameters
    return {a: b for a, b in names.items() if a in own or b in own or not (a in its or b in its)}


def _path(found: Any, rounds: int) -> list[Any] | None:
    """The models of a path, one per round with or without the first; ``None``: what was returned is one model."""
    if hasattr(found, "models"):
        found = found.models
    if isinstance(found, tuple) and len(found) == 2 and _path(found[0], rounds) is not None:
        found = found[0]
    if isinstance(found, Mapping) or hasattr(found, "state_dict"):
        return None
    if isinstance(found, (list, tuple)):
        if len(found) not in (rounds, rounds + 1):
            return None
        try:
            for one in found:
                flat(one)
        except ValueError:
            return None
        return list(found)
    array = plain(found)
    return (
        [row for row in array]
        if array.ndim == 2 and len(array) in (rounds, rounds + 1) and array.shape[1] == 4
        else None
    )


def _answer(steps: list[Any], probe: Probe, notes: tuple[str, ...]) -> ReturnedModels:
    flats = [flat(one) for one in steps]
    models = np.array([one for one, _ in flats])
    if len(models) == probe.rounds:
        models = np.vstack([probe.start, models])
    single = any(np.dtype(kind).itemsize < 8 and np.dtype(kind).kind == "f" for _, kind in flats)
    return ReturnedModels(models, single, notes)


def _looped(code: ClientServer, of_fit: dict[str, str], of_server: dict[str, str], probe: Probe) -> ReturnedModels:
    """The rounds of a client's and a server's function."""
    from fltheory.conformance.given import gradients
    from fltheory.conformance.numbers import formed

    if code.setup is not None:
        code.setup()
    grad = gradients(probe)
    model: Any = formed(probe.start, code.form)
    if "loader" in of_fit.values() or "loaders" in of_fit.values():
        loaders: Any = thing("loaders", probe, 0, code.form)
    states: list[dict[str, Any]] = [{} for _ in range(probe.n_clients)]
    of_all: dict[str, Any] = {}
    message: Any = None
    steps: list[Any] = []
    for round, cohort in enumerate(probe.cohorts):
        results = []
        for client in cohort:
            own: dict[str, Any] = {
                "model": model,
                "client": client,
                "round": round,
                "state": states[client],
                "message": message,
                "count": probe.counts[client],
                "weight": float(probe.weights[client]),
                "grad": grad[client],
                "batches": probe.batches[client],
                "local_steps": probe.local_steps[client],
            }
            if "loader" in of_fit.values():
                own["loader"] = loaders[client]
            results.append(code.fit(**_filled(of_fit, own, probe, code.form)))
        shares = probe.weights[list(cohort)]
        own = {
            "model": model,
            "results": results,
            "cohort": list(cohort),
            "round": round,
            "state": of_all,
            "counts_of_cohort": [probe.counts[client] for client in cohort],
            "weights_of_cohort": shares / shares.sum(),
        }
        found = code.aggregate(**_filled(of_server, own, probe, code.form))
        model, message = found if _with_message(found, code.form) else (found, None)
        steps.append(flat(model)[0])
        kind = flat(model)[1]
    answer = _answer(steps, probe, ())
    answer.single = np.dtype(kind).itemsize < 8
    return answer


def _with_message(found: Any, form: str) -> bool:
    if not isinstance(found, tuple) or len(found) != 2:
        return False
    try:
        flat(found[0])
    except (ValueError, TypeError):
        return False
    return True


def _filled(arguments: dict[str, str], own: dict[str, Any], probe: Probe, form: str) -> dict[str, Any]:
    return {
        name: own[meaning] if meaning in own else thing(meaning, probe, probe.rounds, form)
        for name, meaning in arguments.items()
    }
