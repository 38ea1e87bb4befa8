"""Whether a bound may stand beside a run: its left side, its algorithm, its start and its conditions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.experiments.start import first_record, same
from fltheory.kinds import Array, Floats
from fltheory.problems.oracles import AnyOracle, Exact
from fltheory.simulate.run import Run

if TYPE_CHECKING:  # SymPy is heavy
    from fltheory.theory.bound import Bound

#: An index of a model: w_T, x^{(t)}; an optimum: w^*.
_INDEX, _OPTIMUM = r"(?:_\w|_\{\w+\}|\^\{?\(?\w\)?\}?)?", r"\^\{?(?:\*|\\star)\}?"
_TIME = r"(?:,\\t=T-1)?"
#: LaTeX of the left sides that are drawn, without spaces.
LEFT_SIDES = {
    "gap": re.compile(rf"\\mathbb\{{E\}}\(?([fF])\(([wx]){_INDEX}\)-\1(?:{_OPTIMUM}|\(\2{_OPTIMUM}\))\)?{_TIME}"),
    "squared_distance": re.compile(rf"\\mathbb\{{E\}}\\\|([wx]){_INDEX}-\1{_OPTIMUM}\\\|\^\{{?2\}}?{_TIME}"),
}
#: How the names of bounds begin: the algorithm, and the participation where it is that of one theorem.
PLAIN = ("SchemeII", "TransformedSchemeII", "NormalisedUniform")
OWNERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "1-way GT": ("OneWayGradientTransfer", ()),
    "2-way GT": ("TwoWayGradientTransfer", ()),
    "Parallel Training": ("ParallelTraining", ()),
    "Theorem 1": ("FedAvg", ("Full",)),
    "Theorem 2": ("FedAvg", ("SchemeI",)),
    "Theorem 3 for the transformed": ("FedAvg", ("TransformedSchemeII",)),
    "Theorem 3": ("FedAvg", PLAIN),
}
#: The symbols of the start, and what the run says of them.
STARTS = {"D1": "squared_distance", "D_sq": "squared_distance", "F": "gap"}
#: How the words begin which tie Theorems 1 to 3 of Li et al. to one schedule.
SCHEDULE = "eta_t = 2/(mu (gamma + t)) with gamma = max{8 L/mu, E}"


def check_left(bound: Bound, quantity: str) -> None:
    """Raise ``ValueError`` unless ``quantity`` is the left side of the bound and its relation is one between numbers."""
    left = bound.left if isinstance(bound.left, str) else bound.latex()
    found = [name for name, form in LEFT_SIDES.items() if form.fullmatch(re.sub(r"\\[,;!]|\s", "", left))]
    if not found:
        raise ValueError(
            f"{bound.name} is about {left}, which is not drawn; expected a gap or a squared distance on the left"
        )
    if found[0] != quantity:
        raise ValueError(f"quantity={quantity!r}: {bound.name} is about {left}; expected quantity={found[0]!r}")
    if bound.relation not in ("<=", "<", "=", ">="):
        raise ValueError(f"relation={bound.relation!r}: {bound.name} is an order without constants; expected a bound")


def check_algorithm(bound: Bound, algorithm: Algorithm | None, runs: Mapping[str, Run]) -> Run:
    """The run of ``runs`` that the bound is about: of ``algorithm`` where it is given, of the bound's algorithm in any case.

    Raises
    ------
    ValueError : an algorithm or a participation that is not the bound's; no run of it.
    """
    name, schemes = next((owner for start, owner in OWNERS.items() if bound.name.startswith(start)), ("", ()))
    if algorithm is not None:
        _require_owner(bound, repr(algorithm), name, schemes)
        own = [run for run in runs.values() if run.algorithm == repr(algorithm)]
        if not own:
            made = ", ".join(dict.fromkeys(run.algorithm for run in runs.values()))
            raise ValueError(f"algorithm={algorithm!r} is not that of the run, {made}")
        return own[0]
    own = [run for run in runs.values() if not name or _class(run.algorithm) == name]
    if not own:
        _require_owner(bound, next(iter(runs.values())).algorithm, name, schemes)
    _require_owner(bound, own[0].algorithm, name, schemes)
    return own[0]


def check_oracles(run: Run, oracle: AnyOracle | None, centre_oracle: AnyOracle | None) -> None:
    """Raise ``ValueError`` unless the oracles from which the bound's variances are taken are those of the run."""
    made = {"oracle": run.oracle, "centre_oracle": run.settings.get("centre_oracle")}
    for name, given in (("oracle", oracle), ("centre_oracle", centre_oracle)):
        text = repr(Exact() if given is None else given)
        if made[name] is not None and made[name] != text:
            raise ValueError(f"{name}={text}: the run was made with {made[name]}")


def check_start(bound: Bound, values: Mapping[str, float], run: Run) -> None:
    """Raise ``ValueError`` where the bound's start is nearer than that of the run."""
    for symbol, quantity in STARTS.items():
        if symbol not in bound.symbols or symbol not in values:
            continue
        begun, value = first_record(run, quantity), float(values[symbol])
        if value < begun and not same(value, begun):
            raise ValueError(f"{symbol}={value:.6g} of {bound.name}: the run begins at {quantity} {begun:.6g}")


def check_schedule(bound: Bound, algorithm: Any, values: Mapping[str, float]) -> None:
    """Raise ``ValueError`` where Theorems 1 to 3 of Li et al. are drawn for other steps than theirs.

    The first step is ``t = 1`` as the theorem has it, or, for the printed bounds, the same step with the appendix' shift,
    2/(mu gamma).
    """
    if algorithm is None or not any(c.words.startswith(SCHEDULE) for c in bound.conditions):
        return
    mu, steps = float(values["mu"]), int(values["E"])
    gamma = max(8 * float(values["L"]) / mu, steps)
    firsts = (gamma + 1, gamma) if "(" in bound.name else (gamma + 1,)
    made = [float(algorithm.step_size.at(t // steps, t % steps, steps)) for t in (0, steps - 1, steps, 7 * steps)]
    for first in firsts:
        named = [2 / (mu * (first + t)) for t in (0, steps - 1, steps, 7 * steps)]
        if all(same(x, y) for x, y in zip(made, named, strict=True)):
            return
    raise ValueError(
        f"step_size={algorithm.step_size!r}: {bound.name} is for {SCHEDULE}, here mu={mu:.6g}, gamma={gamma:.6g}"
    )


def curve(bound: Bound, values: Mapping[str, float], times: Array) -> Floats:
    """The bound at the times ``T``; not a number at those where a condition on ``T`` fails.

    Raises
    ------
    ValueError : a condition without ``T`` fails, or one with ``T`` everywhere; a symbol without a value or out of its range.
    """
    known = bound.select({**values, "T": times})
    broken, kept = [], np.ones(times.shape, dtype=np.bool_)
    for breach in bound.breaches(known):
        at = ", ".join(f"{n}={float(known[n]):.6g}" for n in breach.symbols if n != "T")
        some = "T" in breach.symbols and bool(np.any(breach.holds))
        broken += [] if some else [f"{breach.words}, which fails{' at ' + at if at else ''}"]
        kept &= breach.holds
    if broken:
        raise ValueError(f"{bound.name} needs {'; '.join(broken)}")
    drawn = np.full(times.shape, np.nan)
    drawn[kept] = bound.curve(**({**known, "T": times[kept]} if "T" in known else known))
    return drawn


def _require_owner(bound: Bound, described: str, name: str, schemes: tuple[str, ...]) -> None:
    if name and _class(described) != name:
        raise ValueError(f"algorithm={described}: {bound.name} is about {name}")
    scheme = re.search(r"participation=(\w+)\(", described)
    if schemes and scheme is not None and scheme.group(1) not in schemes:
        raise ValueError(f"participation={scheme.group(1)}: {bound.name} is for {' or '.join(schemes)}")


def _class(described: str) -> str:
    return described.split("(")[0]
