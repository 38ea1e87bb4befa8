"""Gradient-corrected local descent: each client replaces its own gradient at the server's model by the average one.

The correction of FSVRG (Konecny et al. 2016), of DANE (Shamir et al. 2014) with gradient steps inside, and of Mime
(Karimireddy et al. 2020) without momentum, in its plain form.
"""

from __future__ import annotations

from dataclasses import dataclass

from fltheory.algorithms.local import check_rates
from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Schedule
from fltheory.algorithms.two_sided import two_sided_round
from fltheory.algorithms.vocabulary import Federation, Vector
from fltheory.kinds import Number


@dataclass(frozen=True)
class GradientCorrected:
    """Local steps ``x <- x - eta (g_k(x) - g_k(w) + mean_j g_j(w))``, then ``w+ = w + eta_g average(x_k - w)``.

    The gradients at the server's model ``w`` cost one more oracle call and one more vector in each direction per round;
    with a noisy oracle they are one draw, kept for all local steps, and the steps draw afresh.  The minimiser of the
    average is a fixed point for any number of local steps, whatever the clients' own minimisers.

    ================= ===== =====================================
    argument          usual meaning
    ================= ===== =====================================
    local_steps       E     local steps per round
    step_size         eta   local step size, number or schedule
    server_step_size  eta_g factor of the averaged update
    participation     S     who takes part; the mean is over them
    ================= ===== =====================================

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive.
    """

    local_steps: int
    step_size: Schedule | Number
    server_step_size: Schedule | Number = 1
    participation: Participation = Full()

    def __post_init__(self) -> None:
        check_rates(self)

    def start(self, fed: Federation, w: Vector) -> Vector:
        return w

    def round(self, fed: Federation, w: Vector) -> Vector:
        begin = fed.send(w)
        own = fed.gradient(begin)
        return two_sided_round(fed, w, begin, self, shift=fed.send(fed.average(own)) - own)
