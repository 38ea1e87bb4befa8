"""One core and one thread for everything that computes.  Called before NumPy or JAX are loaded."""

from __future__ import annotations

import os

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def pin(core: int | None) -> None:
    """Keep this process on one core, where the system can, and its libraries at one thread; float64 and no device for JAX."""
    if hasattr(os, "sched_setaffinity"):
        chosen = max(os.sched_getaffinity(0)) if core is None else core
        os.sched_setaffinity(0, {chosen})
    for name in _THREADS:
        os.environ[name] = "1"
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.environ["JAX_ENABLE_X64"] = "1"
    os.environ["JAX_PLATFORMS"] = "cpu"


def limit_memory(gigabytes: float) -> None:
    """Let allocations beyond so much address space fail with an error instead of ending the machine's other work."""
    try:
        import resource
    except ImportError:  # Windows
        return
    size = int(gigabytes * 1e9)
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.getrlimit(resource.RLIMIT_AS)[1]))
