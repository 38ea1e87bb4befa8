"""Batches on a dask cluster: a running one, or one that is started here.

Batches are sent with all that they need, pickled by value where they come from a script or a sweep's file; the cluster's
workers need this package in the same version and nothing of the user's but installed libraries.  A batch whose worker dies is
given to another one by the scheduler.  Records come back to the driver, which alone writes the store.
"""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from fltheory.machine import one_blas_thread
from fltheory.sweep.execute import BatchOutcome, execute
from fltheory.sweep.keys import VERBS, package_digest
from fltheory.sweep.maker import maker_record
from fltheory.sweep.plan import Batch
from fltheory.sweep.sources import own_modules

#: Batches that are sent ahead, per thread of the cluster.
AHEAD = 3
#: Seconds to wait for a scheduler.
PATIENCE = 10

Compute = Callable[[Sequence[Batch]], Generator[tuple[int, "BatchOutcome | str"]]]


@contextmanager
def cluster(jobs: int, address: str | None) -> Iterator[tuple[Compute, int]]:
    """What computes batches on the scheduler at ``address``, or on ``jobs`` processes that live as long as this block.

    With it comes the number of threads of the cluster, at least 1.

    Raises
    ------
    ImportError : distributed is not installed; workers miss a module, or have another version of this package.
    ValueError : nobody answers at the address.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise ImportError("engine='dask' needs distributed: pip install 'fltheory[dask]'") from None
    if address is not None:
        try:
            client = distributed.Client(address, timeout=PATIENCE)
        except (OSError, TimeoutError, ValueError) as error:
            raise ValueError(
                f"address={address!r}: no scheduler answers ({error}); expected such as tcp://HOST:8786"
            ) from None
        with client:
            yield lambda batches: _computed(client, batches), _threads(client)
        return
    one_blas_thread()
    with (
        distributed.LocalCluster(
            n_workers=jobs, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as local,
        distributed.Client(local) as client,
    ):
        yield lambda batches: _computed(client, batches), jobs


def _computed(client: Any, batches: Sequence[Batch]) -> Generator[tuple[int, BatchOutcome | str]]:
    left = iter(enumerate(batches))
    places: dict[str, int] = {}

    def send() -> Any:
        for place, batch in left:
            future = client.submit(_execute, pickled(batch), package_digest(VERBS), pure=False)
            places[future.key] = place
            return future
        return None

    window = max(4, AHEAD * _threads(client))
    first = [future for future in (send() for _ in range(window)) if future is not None]
    waiting = importlib.import_module("distributed").as_completed(first)
    for future in waiting:
        place = places.pop(future.key)
        if future.status == "error" and isinstance(future.exception(), ImportError):
            raise ImportError(f"a worker of the cluster cannot compute: {future.exception()}")
        try:
            answer = future.result() if future.status == "finished" else f"{future.status}: {future.exception()}"
        except Exception as error:  # the scheduler gave the batch up, or lost it
            answer = f"{type(error).__name__}: {error}"
        future.release()
        following = send()
        if following is not None:
            waiting.add(following)
        yield place, answer


def _threads(client: Any) -> int:
    return max(1, sum(int(count) for count in client.nthreads().values()))


def _execute(batch: bytes, package: str) -> BatchOutcome:
    if package_digest(VERBS) != package:
        raise ImportError("the worker has another version of fltheory than the driver; expected the same text")
    found = execute(pickle.loads(batch), threads=1)
    return replace(found, records=(maker_record(), *found.records))


def pickled(batch: Batch) -> bytes:
    """A batch by value: of what a sweep's file or a script defines its text is sent, since the workers have no such module."""
    cloudpickle = importlib.import_module("cloudpickle")
    known = cloudpickle.list_registry_pickle_by_value()
    for module in own_modules():
        if module.__name__ not in known:
            cloudpickle.register_pickle_by_value(module)
    return bytes(cloudpickle.dumps(batch))
