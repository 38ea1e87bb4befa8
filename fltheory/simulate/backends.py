"""Backends: plain NumPy for every algorithm and problem, numba kernels for the families that have them."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kernels.dispatch import plan_for
from fltheory.kernels.plan import Plan
from fltheory.problems.base import Problem
from fltheory.problems.checks import check_choice
from fltheory.problems.oracles import AnyOracle
from fltheory.problems.oracles.protocol import KERNEL_BATCH, KERNEL_NOISE
from fltheory.readings.draws import StreamDraws
from fltheory.readings.entry import changing_fields
from fltheory.simulate.draws import CompiledDraws

BACKENDS = ("auto", "numpy", "numba", "cupy")


def choose_plan(backend: str, problem: Problem, oracle: AnyOracle, algorithm: Algorithm) -> Plan | None:
    """The kernels for a float problem, or ``None`` for NumPy.

    ``"auto"`` takes kernels wherever they exist, whatever the size of the run, so that more runs or threads do not
    change bits.

    Raises
    ------
    ValueError : an unknown backend, a problem and oracle without kernels, a missing module or device.
    """
    check_choice("backend", backend, BACKENDS)
    if backend == "cupy":
        _refuse_gpu()
    if backend == "numpy":
        return None
    try:
        plan = plan_for(problem, oracle, constant_steps=not changing_fields(algorithm))
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


def choose_draws(backend: str) -> type[StreamDraws]:
    """Compiled batches unless plain NumPy was asked for, or numba is not there; the bits are the same."""
    return StreamDraws if backend == "numpy" or find_spec("numba") is None else CompiledDraws


def _refuse_gpu() -> None:
    try:
        cupy = import_module("cupy")
        devices = int(cupy.cuda.runtime.getDeviceCount())
    except ImportError:
        raise ValueError("backend='cupy': the module cupy is not installed; expected backend='numba'") from None
    except Exception as error:  # CuPy raises its own classes where a driver or a device is missing
        raise ValueError(f"backend='cupy': no usable device ({error}); expected backend='numba'") from error
    raise ValueError(f"backend='cupy': {devices} devices, but no kernels for them yet; expected backend='numba'")
