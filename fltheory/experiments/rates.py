"""What the rate experiment shows: slopes of exact gap curves, and the committed recursion beside its proved limit."""

from __future__ import annotations

from fltheory.experiments.files import Result
from fltheory.experiments.paired import committed
from fltheory.experiments.statistics import fit_order


def slopes(result: Result, names: tuple[str, ...]) -> dict[str, str]:
    """Slope of log gap over log T on the last two decades, with the smallest and largest local slope."""
    found = {}
    for name in names:
        times, gap = result[f"{name}/T"], result[f"{name}/gap"]
        order = fit_order(times, gap, window=(float(times[-1]) / 100, float(times[-1])))
        local = f"{order.local[0]:.4f} to {order.local[1]:.4f}"
        found[name] = f"slope {order.slope:.4f}, local {local}, T to {int(times[-1])}"
    return found


def checked_rates() -> Result:
    """The committed rate experiment, whose own recursion must agree with the package's exact moments.

    Raises
    ------
    ValueError : they differ by more than 1e-9, relative.
    """
    result = committed("rates")
    if not max(abs(result["check/recursion"] / result["check/readings"] - 1)) < 1e-9:
        raise ValueError("the recursion of the experiment and the package's exact moments differ")
    return result
