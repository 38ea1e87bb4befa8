"""Counts and rates of a method, as numbers of the vocabulary."""

from __future__ import annotations

from collections.abc import Callable

from fltheory.algorithms.schedules import Constant, Harmonic
from fltheory.problems.checks import is_real, shown
from fltheory.theory.hypotheses.decisions import KnownNumber, NotKnown
from fltheory.theory.hypotheses.forms import local_form
from fltheory.theory.settings.setting import Answer, RateSetting


def schedule_words(schedule: object) -> str:
    """A schedule as one would say it."""
    if isinstance(schedule, Harmonic):
        start = float(schedule.gamma + schedule.first - 1)
        return f"{float(schedule.beta):.6g}/({start:.6g} + t), t = 1, 2, ..."
    if isinstance(schedule, Constant):
        return f"constant {shown(schedule.value)}"
    return shown(schedule)


def clients(setting: RateSetting) -> Answer:
    """N."""
    return KnownNumber(float(setting.problem.n_clients), "the problem's")


def cohort(setting: RateSetting) -> Answer:
    """S, slots of a cohort."""
    scheme = getattr(setting.algorithm, "participation", None)
    n = setting.problem.n_clients
    return KnownNumber(float(n if scheme is None else scheme.slots(n)), "the scheme's")


def local_steps(setting: RateSetting) -> Answer:
    """E, equal for all clients."""
    form = local_form(setting.algorithm)
    steps = getattr(setting.algorithm, "local_steps", None) if isinstance(form, str) else form.local_steps
    if isinstance(steps, tuple):
        return NotKnown(f"clients take different numbers of steps, {steps}", never=True)
    if steps is None:
        return NotKnown(f"{type(setting.algorithm).__name__} has no local_steps", never=True)
    return KnownNumber(float(steps), "the algorithm's")


def rounds(setting: RateSetting) -> Answer:
    """R."""
    return KnownNumber(float(setting.rounds), "asked for")


def steps(setting: RateSetting) -> Answer:
    """R E."""
    return KnownNumber(setting.number("R") * setting.number("E"), "rounds times local steps")


def _rate(field: str, default: float | None) -> Callable[[RateSetting], Answer]:
    def read(setting: RateSetting) -> Answer:
        schedule = getattr(setting.algorithm, field, None)
        if schedule is None:
            if default is None:
                return NotKnown(f"{type(setting.algorithm).__name__} has no {field}", never=True)
            return KnownNumber(default, f"no {field}")
        if not schedule.constant:
            return NotKnown(f"yours changes, {schedule_words(schedule)}", never=True)
        value = schedule.at(0, 0, 1)
        if not is_real(value):
            return NotKnown(f"{field}={shown(value)} is no number")
        return KnownNumber(float(value), "the algorithm's")

    return read


def server_rate(setting: RateSetting) -> Answer:
    """The server's factor: of local SGD with its elasticity, else ``server_step_size``."""
    form = local_form(setting.algorithm)
    if isinstance(form, str):
        return _rate("server_step_size", 1.0)(setting)
    return KnownNumber(float(form.server), "the algorithm's")


def central_rate(setting: RateSetting) -> Answer:
    """The step on the server's loss; 1-way transfer has none, and there it counts as eta eta_s."""
    if hasattr(setting.algorithm, "central_step_size"):
        return _rate("central_step_size", None)(setting)
    return KnownNumber(setting.number("eta") * setting.number("eta_s"), "no central_step_size: eta eta_s")


def divisor(setting: RateSetting) -> Answer:
    """The rate by which 2-way transfer divides."""
    chosen = getattr(setting.algorithm, "divisor", None)
    if chosen is None:
        return NotKnown(f"{type(setting.algorithm).__name__} has no divisor", never=True)
    return setting.know("eta" if chosen == "as printed" else "eta_c")


def central_steps(setting: RateSetting) -> Answer:
    """J; ``None`` stands for K."""
    if not hasattr(setting.algorithm, "central_steps"):
        return NotKnown(f"{type(setting.algorithm).__name__} has no central_steps", never=True)
    own = setting.algorithm.central_steps
    return KnownNumber(setting.number("E") if own is None else float(own), "the algorithm's")


def effective(setting: RateSetting) -> Answer:
    """E eta eta_s eta_m."""
    for name in ("eta", "eta_s", "eta_m"):
        found = setting.know(name)
        if isinstance(found, NotKnown):
            return found
    value = setting.number("E") * setting.number("eta") * setting.number("eta_s") * setting.number("eta_m")
    return KnownNumber(value, "E eta eta_s eta_m")


def shift(setting: RateSetting) -> Answer:
    """gamma of steps 2/(mu (gamma + t)), t = 1, 2, ...: of a harmonic schedule its own shift."""
    schedule = getattr(setting.algorithm, "step_size", None)
    if not isinstance(schedule, Harmonic):
        return NotKnown(f"wants harmonic steps beta/(gamma + t); yours is {schedule_words(schedule)}", never=True)
    return KnownNumber(float(schedule.gamma + schedule.first - 1), "the schedule's")


COMPUTED: dict[str, Callable[[RateSetting], Answer]] = {
    "N": clients,
    "S": cohort,
    "E": local_steps,
    "R": rounds,
    "steps": steps,
    "eta": _rate("step_size", None),
    "eta_s": server_rate,
    "eta_c": central_rate,
    "eta_m": _rate("merge_step_size", 1.0),
    "eta_d": divisor,
    "e": effective,
    "J": central_steps,
    "gamma": shift,
}
