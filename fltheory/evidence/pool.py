"""Claims run in parallel, in interpreters of their own: a claim that crashes or hangs makes one row and harms no other.

The processes are those of :mod:`fltheory.processes`; each stays on a script that it has loaded
(:mod:`fltheory.evidence.worker`).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing

from fltheory import processes
from fltheory.evidence.catalogue import Catalogue, Script
from fltheory.evidence.model import Claim, Kind
from fltheory.evidence.places import wing_module
from fltheory.evidence.replay import replayed
from fltheory.evidence.rows import Row, declared, last_line, nameless, row_of, unfinished, without_paths
from fltheory.evidence.worker import answering
from fltheory.kinds import JSON
from fltheory.machine import cores
from fltheory.workers import DONE, Answer, Copy, Interpreter, may_copy


def run_parallel(
    catalogue: Catalogue,
    row_ids: Sequence[str],
    *,
    jobs: int | None = None,
    timeout: float | None = None,
    certificates: Mapping[str, JSON] | None = None,
) -> Generator[Row]:
    """Rows of claims in the order in which they finish.  Closing the iterator early ends all workers.

    Parameters
    ----------
    jobs : worker processes; ``None`` one per core.
    timeout : seconds for one claim with its controls; ``None`` no limit.
    certificates : kept ones by row, on which rows are run again without their controls: see :mod:`fltheory.evidence.replay`.
    """
    scripts = [catalogue.scripts[row_id] for row_id in row_ids]
    tasks = [
        {
            "path": str(script.path),
            "root": str(script.root),
            "id": row_id,
            "document": script.document,
            **({"certificate": certificates[row_id]} if certificates else {}),
        }
        for row_id, script in zip(row_ids, scripts, strict=True)
    ]
    found = processes.answers(
        tasks,
        lambda: _start(scripts),
        jobs or cores(),
        seconds=timeout,
        group=lambda task: task["path"],
        weight=lambda task: _weight(catalogue.claims[task["id"]]),
    )
    with closing(found):
        for place, answer in found:
            yield _row(catalogue, tasks[place], answer)


def _start(scripts: Sequence[Script]) -> Interpreter:
    """A worker: a copy of this process, which has loaded the package's scripts, where that is safe; else a new interpreter.

    A user's scripts are always run in new ones: what they leave behind when they are loaded is not known.
    """
    if may_copy() and all(wing_module(script.path) is not None for script in scripts):
        return Copy(answering())
    return Interpreter("fltheory.evidence.worker")


def _weight(claim: Claim) -> float:
    """About how many seconds a claim takes: what takes longest is to begin first, so that no core waits for it at the end."""
    if claim.quick:
        return 0.1
    return 10 if claim.kind is Kind.EXPERIMENT else 2


def _row(catalogue: Catalogue, task: Row, answer: Answer) -> Row:
    """The row of an answer; a ``crash`` or ``timeout`` row where the process gave none."""
    result = answer.value if answer.status == DONE else unfinished(answer.status, without_paths(answer.value))
    try:
        return {**declared(catalogue.claims[task["id"]], document=task["document"]), **result}
    except Exception as error:  # a statement that cannot be written down
        return {**nameless(task["id"], task["document"]), **unfinished("crash", last_line(error))}


def run_here(
    catalogue: Catalogue, row_ids: Sequence[str], *, certificates: Mapping[str, JSON] | None = None
) -> Generator[Row]:
    """Rows of claims, run one after the other in this process."""
    for row_id in row_ids:
        claim, document = catalogue.claims[row_id], catalogue.scripts[row_id].document
        if certificates:
            yield replayed(claim, certificates[row_id], document=document)
        else:
            yield row_of(claim, document=document)
