"""Backends: plain NumPy for every algorithm and problem, numba kernels and CUDA kernels for the families that have them."""

from __future__ import annotations

from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kernels.dispatch import plan_for
from fltheory.kernels.plan import AnyPlan, KernelPlan, PartPlan
from fltheory.problems.base import Problem
from fltheory.problems.checks import check_choice
from fltheory.problems.oracles import AnyOracle
from fltheory.problems.oracles.protocol import KERNEL_BATCH, KERNEL_NOISE
from fltheory.problems.scaled import describe
from fltheory.readings.draws import StreamDraws
from fltheory.readings.entry import changing_fields
from fltheory.simulate.draws import CompiledDraws

if TYPE_CHECKING:
    from fltheory.gpu.families import OnDevice
#: Plans of the problems that live, by oracle.
_PLANS: WeakKeyDictionary[Any, dict[Any, AnyPlan]] = WeakKeyDictionary()
_LOCK = Lock()

BACKENDS = ("auto", "numpy", "numba", "cupy")


def choose_plan(backend: str, problem: Problem, oracle: AnyOracle, algorithm: Algorithm) -> AnyPlan | None:
    """The kernels for a float problem, or ``None`` for NumPy.

    ``"auto"`` takes kernels wherever they exist, whatever the size of the run, so that more runs or threads do not
    change bits.

    Raises
    ------
    ValueError : an unknown backend, a problem and oracle without kernels, a missing module or device.
    """
    check_choice("backend", backend, BACKENDS)
    if backend in ("numpy", "cupy"):
        return None
    try:
        plan = kept_plan(problem, oracle, constant_steps=not changing_fields(algorithm))
    except ImportError as error:
        if backend == "auto":
            return None
        raise ValueError(f"backend='numba': {error}; expected an installed numba, or backend='numpy'") from error
    if plan is None and backend == "numba":
        asked = (KERNEL_NOISE, KERNEL_BATCH)
        lacks = [] if any(one.offered_by(oracle) for one in asked) else [one.names[0] for one in asked]
        raise ValueError(
            f"backend='numba': no kernels for {type(problem).__name__} with {type(oracle).__name__}"
            f"{', which has no ' + ' and no '.join(lacks) if lacks else ''}; expected exact gradients, additive noise of dense "
            "quadratics, mini-batches of ridge, logistic or softmax regression, or backend='numpy'"
        )
    return plan


def choose_central(plan: AnyPlan | None, problem: Any, oracle: AnyOracle) -> AnyPlan | None:
    """The kernels of the server's own loss, where the clients have kernels and it has some too."""
    if plan is None or not hasattr(problem, "centre"):
        return None
    return kept_plan(problem.centre, oracle, constant_steps=False)


def kept_plan(problem: Any, oracle: AnyOracle, *, constant_steps: bool) -> AnyPlan | None:
    """:func:`plan_for`, kept as long as the problem lives; plans with maps of every step size are made anew."""
    try:
        with _LOCK:
            return _PLANS[problem][oracle, constant_steps]
    except (KeyError, TypeError):
        plan = plan_for(problem, oracle, constant_steps=constant_steps)
    if isinstance(plan, (KernelPlan, PartPlan)) and not (isinstance(plan, PartPlan) and constant_steps):
        try:
            with _LOCK:
                _PLANS.setdefault(problem, {})[oracle, constant_steps] = plan
        except TypeError:
            pass  # an oracle or a problem that cannot be looked up
    return plan


def choose_draws(backend: str) -> type[StreamDraws]:
    """Compiled batches unless plain NumPy was asked for, or numba is not there; the bits are the same."""
    return StreamDraws if backend == "numpy" or find_spec("numba") is None else CompiledDraws


def choose_device(
    backend: str, given: Any, problem: Problem, oracle: AnyOracle, centre_oracle: AnyOracle, algorithm: Algorithm
) -> OnDevice | None:
    """The float problem on a device where ``backend="cupy"``, else ``None``; ``given`` is the problem before it became floats.

    Raises
    ------
    ValueError : no CuPy, no driver, no device, or too old ones; an exact problem; a problem and oracle without kernels there.
    """
    if backend != "cupy":
        return None
    if getattr(given, "exact", False):
        raise ValueError(
            f"backend='cupy': {describe(given)} holds rationals, and a device computes in floats; expected the same problem in "
            "floats, or an exact reading (fixed_point, trajectory) on the processor"
        )
    from fltheory.gpu.device import clear_errors, find_device
    from fltheory.gpu.families import on_device

    device = find_device()
    with clear_errors(device.name):
        found = on_device(device, problem, oracle, centre_oracle, constant_steps=not changing_fields(algorithm))
    if found is None:
        raise ValueError(
            f"backend='cupy': no kernels for {describe(problem)} with {type(oracle).__name__}; expected quadratics with exact "
            "gradients or, where they are dense, additive noise, ridge, logistic or softmax regression with mini-batches or all "
            "samples, a factor times these or a MixedProblem of two, or backend='numba'"
        )
    return found
