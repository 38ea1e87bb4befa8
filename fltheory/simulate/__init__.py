"""Simulation: one loop for all algorithms, batches of independent runs, records that can be saved and loaded.

The module carries the name of its verb and can be called like it: ``fltheory.simulate(problem, algorithm, ...)``.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from fltheory.names import unknown

if TYPE_CHECKING:
    from fltheory.simulate.batch import simulate_batch
    from fltheory.simulate.law import simulate_law
    from fltheory.simulate.loop import simulate
    from fltheory.simulate.run import Run
    from fltheory.simulate.second_moment import gradient_second_moment

_HOME = {
    "simulate": "loop",
    "simulate_batch": "batch",
    "simulate_law": "law",
    "Run": "run",
    "gradient_second_moment": "second_moment",
}

__all__ = ["Run", "gradient_second_moment", "simulate", "simulate_batch", "simulate_law"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"fltheory.simulate.{_HOME[name]}"), name)
    raise unknown(__name__, name, __all__)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Verb(ModuleType):
    """Importing a submodule binds it on its package, in the place of the function of the same name."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """See :func:`fltheory.simulate.loop.simulate`."""
        return importlib.import_module("fltheory.simulate.loop").simulate(*args, **kwargs)

    @property
    def __signature__(self) -> inspect.Signature:
        """That of the verb, for :func:`inspect.signature`."""
        return inspect.signature(importlib.import_module("fltheory.simulate.loop").simulate)


sys.modules[__name__].__class__ = _Verb
