"""What the package asks the machine."""

from __future__ import annotations

import os
import platform


def cores() -> int:
    """Processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processor() -> str:
    """The processor's model name, as far as the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith(("model name", "Hardware", "cpu model")):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def one_blas_thread() -> None:
    """Make BLAS libraries that are not loaded yet use one thread, unless the environment says otherwise.

    For work that is parallel by itself: more threads slow each other down, and the order of sums would depend on them.
    """
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def memory() -> int | None:
    """Bytes of memory that this process may use: the machine's, or less where a limit is set; ``None`` if unknown."""
    known = []
    if hasattr(os, "sysconf") and {"SC_PHYS_PAGES", "SC_PAGE_SIZE"} <= set(os.sysconf_names):
        known.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    try:
        import resource
    except ImportError:  # Windows
        return min(known, default=None)
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY:
        known.append(limit)
    return min((size for size in known if size > 0), default=None)


def is_interrupt(error: BaseException | None) -> bool:
    """Whether an error is an interrupt from the keyboard, or was made of one by compiled code on its way.

    A signal that arrives inside a call from C comes out as ``SystemError``, with the interrupt as its cause or context.
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__ if isinstance(error, SystemError) else None
    return False
