"""Exact steps of large dense quadratics under sampling: one map per client, or step by step.

Up to :data:`fltheory.kernels.dispatch.LARGEST_MAP` dimensions every client has its map, whatever is asked.  Above, the maps of all
clients may cost as much as thousands of rounds, so that short runs would wait for nothing; they are made where the rounds that
are asked for repay them.  The choice is by problem, oracle, algorithm and number of rounds, never by runs, threads or the machine,
so that these cannot change bits; :attr:`Run.engine` says what was chosen.
"""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from fltheory.algorithms.participation import Full
from fltheory.kernels.dispatch import LARGEST_MAP
from fltheory.kernels.maps import MappedPlan, mapped_plan, numbers_of_maps
from fltheory.kernels.plan import AnyPlan, KernelPlan, PartPlan
from fltheory.problems.oracles import is_noisy
from fltheory.readings.arrays import participation_of
from fltheory.readings.entry import changing_fields
from fltheory.readings.recorder import NotRecordable, RoundText, record
from fltheory.simulate.chunk import Job

#: Numbers of the maps of all clients, all rates of a round together, beyond which none are made: one gigabyte.
MOST_NUMBERS = 2**27
#: A product of two matrices takes the time of ``d / QUICKER`` steps, and the application of a map that of ``APPLIED`` steps: by
#: measurement, d = 150 to 1000.
QUICKER, APPLIED = 3.0, 1.5

_LOCK = Lock()
_KNOWN: WeakKeyDictionary[Any, tuple[KernelPlan, MappedPlan]] = WeakKeyDictionary()


def with_client_maps(job: Job, text: RoundText | None = None) -> Job:
    """The job with a plan that makes local steps by maps, if they are repaid; ``text`` is that of a round, if it is known."""
    if job.plan is None or job.device is not None or job.problem.dimension <= LARGEST_MAP or is_noisy(job.oracle):
        return job
    plan = step_by_step(job.plan)
    inner = plan.plan if isinstance(plan, PartPlan) else plan
    module = getattr(getattr(inner, "step_kernel", None), "__module__", "")
    if not isinstance(inner, KernelPlan) or not module.endswith("._quadratic"):
        return job
    if isinstance(participation_of(job.algorithm), Full) or changing_fields(job.algorithm):
        return job
    if text is None:
        text = _text_of(job)
    counts = [] if text is None else [word.many for word in text.words if word.verb == "local" and word.many > 1]
    if not counts:
        return replace(job, plan=plan, steps_by="")
    least = rounds_that_repay(job, counts)
    if least is None:
        numbers = len(counts) * numbers_of_maps(*inner.data[1].shape)
        return replace(job, plan=plan, steps_by=f"step by step, the clients' maps would take {numbers:.1e} numbers")
    if int(job.recorded[-1]) < least:
        return replace(job, plan=plan, steps_by=f"step by step, the clients' maps are repaid from {least} rounds on")
    return replace(job, plan=_mapped(job, plan), steps_by=f"by the clients' maps, repaid from {least} rounds on")


def rounds_that_repay(job: Job, counts: list[int]) -> int | None:
    """From how many rounds of one run on maps of so many steps are repaid; ``None`` where they are too large to be kept."""
    n, d = job.problem.n_clients, job.problem.dimension
    if len(counts) * numbers_of_maps(n, d) > MOST_NUMBERS:
        return None
    slots = participation_of(job.algorithm).slots(n)
    products = sum(2 * (steps.bit_length() - 1) + 2 * (steps.bit_count() - 1) for steps in counts)
    saved = slots * sum(steps - APPLIED for steps in counts)
    return int(-(-n * products * d // (QUICKER * saved)))


def step_by_step(plan: AnyPlan) -> AnyPlan:
    """The plan without maps."""
    if isinstance(plan, PartPlan):
        return replace(plan, plan=step_by_step(plan.plan))
    return plan.steps if isinstance(plan, MappedPlan) else plan


def _mapped(job: Job, plan: AnyPlan) -> AnyPlan:
    """The plan with maps, which are kept with the problem."""
    if not isinstance(plan, KernelPlan):
        return mapped_plan(plan, job.problem.dimension)
    with _LOCK:
        known = _KNOWN.get(job.problem)
        if known is None or known[0] is not plan:
            known = _KNOWN[job.problem] = (plan, MappedPlan(plan, job.problem.dimension))
    return known[1]


def _text_of(job: Job) -> RoundText | None:
    """What a round says, or ``None`` where that is no list of words."""
    fed = job.federation(np.zeros(1, dtype=np.int64))
    try:
        template = job.algorithm.start(fed, fed.vector(np.zeros(job.problem.dimension)))
        return record(job.algorithm, template, fed.weights).text
    except NotRecordable:
        return None
    except Exception:  # the loop says what is wrong, in its own words
        return None
