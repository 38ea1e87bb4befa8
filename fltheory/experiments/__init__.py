"""Experiments: replicates and their seeds, result files and what made them, bounds beside runs, paired comparisons.

``replicates`` runs and attests, with the seeds of ``seeds`` and the data of ``data_sets``; ``files`` holds results, ``origins``
and ``standings`` say what made their arrays; ``paired`` and ``statistics`` judge them; ``bounds``, ``mixed_bounds``, ``start``
and ``fitting`` put a bound beside a run; ``scripts`` runs what lies in the folder ``figures``.  Nothing here draws.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fltheory.experiments.bounds import bound_values
    from fltheory.experiments.files import Result, load_result, save_result
    from fltheory.experiments.mixed_bounds import mixed_values
    from fltheory.experiments.replicates import run_replicates
    from fltheory.experiments.seeds import Seeds

_HOME = {
    "Result": "files",
    "Seeds": "seeds",
    "bound_values": "bounds",
    "load_result": "files",
    "mixed_values": "mixed_bounds",
    "run_replicates": "replicates",
    "save_result": "files",
}

__all__ = ["Result", "Seeds", "bound_values", "load_result", "mixed_values", "run_replicates", "save_result"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"fltheory.experiments.{_HOME[name]}"), name)
    raise AttributeError(f"module 'fltheory.experiments' has no attribute {name!r}")
