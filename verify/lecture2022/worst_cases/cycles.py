"""Where the sharper statements cannot be improved: runs that stay where they are."""

from dataclasses import dataclass
from fractions import Fraction

from verify.lecture2022.instances import InstanceOfAssumptions
from verify.lecture2022.runs import Clipped, dissimilarity, mean, mean_gradient, mean_value, run


@dataclass(frozen=True)
class Reflected(Clipped):
    """Minus a clipped line: f'(x) = -clip(curvature (x - centre)), concave, and as smooth and bounded as its mirror."""

    def gradient(self, x: Fraction) -> Fraction:
        """Minus the clipped line."""
        return -super().gradient(x)

    def value(self, x: Fraction) -> Fraction:
        """Minus Huber's function."""
        return -super().value(x)


@dataclass(frozen=True)
class Ramp(Reflected):
    """A reflected clipped line on top of a linear function: f'(x) = -tilt - clip(curvature (x - centre))."""

    tilt: Fraction

    def gradient(self, x: Fraction) -> Fraction:
        """Between -tilt - limit and -tilt + limit, decreasing."""
        return super().gradient(x) - self.tilt

    def value(self, x: Fraction) -> Fraction:
        """Antiderivative."""
        return super().value(x) - self.tilt * x


def cycle(local_steps: int, step_size: Fraction, *, steps: int = 10**15) -> InstanceOfAssumptions:
    r"""Two clients at a fixed point of FedAvg's round (L = G = 1): f_1' = clip(x+1, -1, 1), f_2' = -clip(x+h, -1, 1).

    One is convex and one concave where they move, so that the errors of both have one sign.  With
    h = (1-(1-s)^K)/((1+s)^K-1) the two clients move by the same amount in opposite directions, and every round starts
    in 0.  f is increasing, with infimum -(1-h)/2 at -infinity.  The average of |f'|^2 is that of one round for all T.

    Raises
    ------
    ValueError : the clients leave the range of the lines, so that the round does not return.
    """
    ratio = (1 - (1 - step_size) ** local_steps) / ((1 + step_size) ** local_steps - 1)
    one = Fraction(1)
    clients = (Clipped(one, -one, one), Reflected(one, -ratio, one))
    path = run("FedAvg", clients, step_size=step_size, local_steps=local_steps, steps=local_steps).means
    if path[-1] != 0:
        raise ValueError(f"K={local_steps}, s={step_size}: the round ends at {path[-1]} and not at its start")
    average = mean([mean_gradient(clients, point) ** 2 for point in path[:-1]])
    return InstanceOfAssumptions(
        f"f_1'=clip(x+1,-1,1), f_2'=-clip(x+h,-1,1), h={float(ratio):.6g} such that a round ends where it starts (0), "
        f"K={local_steps}, s={step_size}, T={steps}",
        average,
        mean_value(clients, Fraction(0)) + (1 - ratio) / 2,
        step_size,
        steps - steps % local_steps,
        local_steps,
        dissimilarity=dissimilarity(clients),
    )


def delayed(step_size: Fraction, *, steps: int = 10**15) -> InstanceOfAssumptions:
    r"""The printed code at K = 1, where gradients are taken before averaging: two clients whose mean stays in 0 (G = 1).

    With h = 1/(1+s), b = h - s h and y = s^2 h: f_1' = clip(x+1, -1, 1) and f_2' falls from -b at y to -h at s h, with
    slope -L, L = 1/(1-s).  From the start y the clients go to -s h and s h and stay there; f' = s h at y and at 0.
    """
    one = Fraction(1)
    high = 1 / (1 + step_size)
    low, start, smooth = high - step_size * high, step_size**2 * high, 1 / (1 - step_size)
    half = (high - low) / 2
    clients = (Clipped(one, -one, one), Ramp(smooth, start + half / smooth, half, low + half))
    history = run("printed", clients, step_size=step_size, local_steps=1, steps=3, start=start)
    if not history.iterates[1] == history.iterates[2] == history.iterates[3]:
        raise ValueError(f"s={step_size}: the clients do not stay at {history.iterates[1]}")
    at_start, at_rest = (mean_gradient(clients, point) ** 2 for point in history.means[:2])
    return InstanceOfAssumptions(
        f"f_1'=clip(x+1,-1,1), f_2' falling from -b={-low} to -1/(1+s) with slope -L=-1/(1-s), K=1, s={step_size}, "
        f"T={steps}, start {start}: the average moves to 0 and stays there",
        (at_start + (steps - 1) * at_rest) / steps,
        mean_value(clients, start) - mean_value(clients, low - 1),
        step_size,
        steps,
        smoothness=smooth,
        dissimilarity=dissimilarity(clients),
    )
