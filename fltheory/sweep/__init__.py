"""Sweeps: grids of problems, algorithms, parameters and seeds; a store that survives a crash; one machine or many.

The module carries the name of its verb and can be called like it::

    import fltheory as fl

    result = fl.sweep(
        problems=fl.li_counterexample(n_clients=5, block=4, ridge=2e-4),
        algorithms=fl.FedAvg,
        parameters={"local_steps": [1, 10], "step_size": [0.05, 0.1]},
        seeds=10,
        rounds=200,
        store="steps.sweep",
    )
    result.to_frame()
"""

from __future__ import annotations

import importlib
import inspect
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from fltheory.names import unknown

if TYPE_CHECKING:
    from fltheory.sweep.grid import Sweep
    from fltheory.sweep.merging import merge
    from fltheory.sweep.result import SweepResult
    from fltheory.sweep.verb import sweep

_HOME = {"Sweep": "grid", "SweepResult": "result", "merge": "merging", "sweep": "verb"}

__all__ = ["Sweep", "SweepResult", "merge", "sweep"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"fltheory.sweep.{_HOME[name]}"), name)
    raise unknown(__name__, name, __all__)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Verb(ModuleType):
    """Importing a submodule binds it on its package, in the place of the function of the same name."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """See :func:`fltheory.sweep.verb.sweep`."""
        return importlib.import_module("fltheory.sweep.verb").sweep(*args, **kwargs)

    @property
    def __signature__(self) -> inspect.Signature:
        """That of the verb, for :func:`inspect.signature`."""
        return inspect.signature(importlib.import_module("fltheory.sweep.verb").sweep)


sys.modules[__name__].__class__ = _Verb
