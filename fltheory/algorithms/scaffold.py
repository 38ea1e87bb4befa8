"""SCAFFOLD (Karimireddy et al. 2020), options I and II: per-client control variates, in the form of every algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from fltheory.algorithms.local import Steps, check_rates, local_run
from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Constant, Schedule
from fltheory.algorithms.vocabulary import ClientVector, Federation, Vector
from fltheory.kinds import Number
from fltheory.problems.checks import check_choice


class ScaffoldState(NamedTuple):
    """Model, server control variate c, client control variates c_k."""

    model: Vector
    control: Vector
    client_control: ClientVector


@dataclass(frozen=True)
class Scaffold:
    """Local steps ``x <- x - eta (g_k(x) - c_k + c)``, then ``w+ = w + eta_g average(x_k - w)`` and ``c <- sum p_k c_k``.

    The client's control variate is renewed by one of the paper's options:

    * ``"I"``: ``c_k <- g_k(w)``, the gradient at the server's model: one more call of the oracle, after the local steps;
    * ``"II"``: ``c_k <- c_k - c + (w - x_k)/(E eta)``, from what is known.  It divides by ``E eta``: constant step sizes.

    ================= ===== ==================================================================
    argument          paper meaning
    ================= ===== ==================================================================
    local_steps       K     local steps per round (``E`` above), of all clients or (a sequence) of each
    step_size         eta_l local step size
    server_step_size  eta_g factor of the averaged update
    participation     S     who takes part
    option            I, II how control variates are renewed
    ================= ===== ==================================================================

    Control variates start at zero.

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive, an unknown option, option II with a schedule that
        is not constant.
    """

    local_steps: Steps
    step_size: Any
    server_step_size: Schedule | Number = 1
    participation: Participation = Full()
    option: str = "II"

    def __post_init__(self) -> None:
        check_rates(self, per_client=True)
        check_choice("option", self.option, ("I", "II"))
        if self.option == "II" and not isinstance(self.step_size, Constant):
            raise ValueError(f"step_size={self.step_size!r}: option II needs a constant step size")

    def start(self, fed: Federation, w: Vector) -> ScaffoldState:
        return ScaffoldState(w, fed.zero(), fed.zero_clients())

    def round(self, fed: Federation, state: ScaffoldState) -> ScaffoldState:
        w, control, client_control = state
        begin, sent = fed.send(w), fed.send(control)
        x = local_run(fed, begin, self, shift=sent - client_control)
        if self.option == "I":
            fresh = fed.gradient(begin)
        else:
            fresh = client_control - sent + self._mean_direction(fed, begin - x)
        kept = fed.only_cohort(fresh, otherwise=client_control)
        update = fed.average(x - begin, absent=fed.zero())
        moved = w + self.server_step_size.at(fed.round, 0, 1) * update
        return ScaffoldState(moved, fed.population_average(kept), kept)

    def _mean_direction(self, fed: Federation, change: ClientVector) -> ClientVector:
        """The mean of a client's directions, ``(w - x_k)/(E eta)``."""
        if isinstance(self.local_steps, tuple):
            change = change * fed.per_client([Fraction(1, count) for count in self.local_steps])
        steps = 1 if isinstance(self.local_steps, tuple) else self.local_steps
        found: ClientVector = change / (steps * self.step_size.value)
        return found
