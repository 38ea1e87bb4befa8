"""The question: is this code the published algorithm?"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from fltheory.conformance.adapters import Runner
from fltheory.conformance.catalogue import family_of
from fltheory.conformance.family import AlgorithmFamily, Convention
from fltheory.conformance.numbers import FORMS
from fltheory.conformance.pairs import pairs
from fltheory.conformance.probes import Probe, probes
from fltheory.conformance.report import Conformance, Difference, difference_of
from fltheory.conformance.search import DOUBLE, SINGLE, DeviationSearch, Match, Seen, difference, keys, unusual
from fltheory.conformance.walk import path
from fltheory.conformance.words import FIXED
from fltheory.problems.checks import check_choice, check_count, check_positive

#: Algorithms whose papers weight clients by counts, so that equal weights are a deviation of code that is given the counts.
_WEIGHTED = ("FedAvg", "FedAvgM", "FedNova")
_NOT_USED = "clients of a cohort are weighted equally, though the code is given their counts or weights"
#: What names of counts and weights are.
_COUNTING = {"weights", "counts", "problem", "probe", "loaders", "data"}


def conform(
    run: Any,
    algorithm: Any,
    *,
    names: Mapping[str, str] | None = None,
    values: Mapping[str, Any] | None = None,
    form: str = "flat",
    option: str | None = None,
    local_steps: int | None = None,
    tolerance: float | None = None,
    seconds: float = 8.0,
) -> Conformance:
    """Whether code is a published algorithm; if not, which named deviation gives its numbers.

    The code runs on small least-squares problems (five clients of unequal weights, four parameters in two layers), with all
    clients and with given cohorts of varying size, and its models are compared round by round with the algorithm's, under the
    conventions that papers leave open, then with its named deviations, with other algorithms, with deviations that have a free
    number (a momentum, a clipping norm, a parameter that is not the one that was given), which is then found from the models by
    least squares, and with pairs of deviations.

    ============= ==========================================================================================================
    argument      meaning
    ============= ==========================================================================================================
    ``run``       a function that returns its models, ``(rounds + 1, 4)`` or without the first, or the last one; or
                  ``from_client_server(fit, aggregate)``.  It is given what its arguments are named after: ``grad`` (``grad(client,
                  x)``), ``weights``, ``counts``, ``start``, ``rounds``, ``cohorts`` (a list of clients for each round), ``epochs``,
                  ``batches`` (of each client, per epoch), ``local_steps`` (their product), ``step_size`` and the other parameters
                  (``lr``, ``eta``, ``mu``, ``server_lr`` and such are known); ``central_grad(x)`` of the server's loss; or
                  ``data``, ``loaders`` and ``model`` (PyTorch): a linear model under the mean squared error
    ``algorithm`` its name: FedAvg, FedProx, Scaffold, FedAvgM, FedAdam, FedNova, FedDyn, ParallelTraining, OneWayGradientTransfer,
                  TwoWayGradientTransfer, FedLAMA, Elastic
    ``names``     what arguments of other names are: ``{"lambda_": "prox"}``
    ``values``    parameters that are fixed inside the code, or other values for the probes
    ``form``      the start as a "flat" array, a "list" of layers or a "dict" of named layers
    ``option``    "I" or "II": the option of SCAFFOLD that is meant; default: either is right
    ``local_steps`` the only number of local steps of every client that is tried, for code that makes no other
    ``tolerance`` largest difference, relative to the largest number of a path; default 1e-9, 1e-5 in single precision
    ``seconds``   when the search for free numbers and pairs ends
    ============= ==========================================================================================================

    Data order, buffers of normalisation layers and code that leaves the models unchanged cannot be seen from models.

    Raises
    ------
    ValueError : an algorithm that is not known; an argument whose meaning is not known; a parameter of the algorithm that the code
        does not take; code that raises, or returns something else than models.
    """
    begun = time.monotonic()
    check_choice("form", form, FORMS)
    check_positive("seconds", seconds)
    if tolerance is not None:
        check_positive("tolerance", tolerance)
    family = _optioned(family_of(algorithm), option)
    given = dict(values or {})
    runner = Runner(run, replace(family, needs=tuple(name for name in family.needs if name not in given)), names, form)
    used, notes = _values(family, runner.takes, given)
    chosen = _probes(family, runner.takes, used)
    if local_steps is not None:
        steps = check_count("local_steps", local_steps)
        same = [probe for probe in chosen if not probe.unequal]
        chosen = tuple(replace(probe, epochs=1, batches=(steps,) * probe.n_clients) for probe in same)
        notes.append(f"only {steps} local step{'s' if steps > 1 else ''} per round tested")
    notes += _untested(runner.takes)
    seen, single = [], False
    for probe in chosen:
        answer = runner.answer(probe)
        seen.append(Seen(probe, answer.models))
        notes += [note for note in answer.notes if note not in notes]
        single = single or answer.single
    room = tolerance or (SINGLE if single else DOUBLE)
    search = DeviationSearch(family, seen, used, frozenset(runner.takes), room, seconds)
    if tolerance is None and not single and not search.conventions() and _rounds_to_single(runner, seen[0]):
        notes.append("its models are in double precision, but somewhere it computes in single precision")
        search = DeviationSearch(family, seen, used, frozenset(runner.takes), SINGLE, seconds)
    report = _answer(search)
    if report.verdict == "unknown" and tolerance is None and search.tolerance == DOUBLE:
        report = _roughly(report, search.again(SINGLE, seconds / 4))
    elif search.tolerance >= SINGLE:
        report = replace(report, precision="single")
    if report.verdict == "deviation" and 0 < report.apart < 1e3 * search.tolerance:
        notes.append(
            f"models differ from the published ones by {report.apart:.1e} of the largest number only: what such small "
            "differences are named after is uncertain"
        )
    if report.verdict == "unknown":
        if search.stopped:
            notes.append(f"the search for pairs was stopped after {seconds:g} s (seconds=... gives it more)")
        if not np.array_equal(runner.answer(seen[0].probe).models, seen[0].models, equal_nan=True):
            notes.append(
                "a second run on the same probe gives other models: it draws random numbers, or keeps state from run to run"
            )
    return replace(
        report,
        notes=(*report.notes, *notes),
        probes=tuple((probe.name, probe.rounds) for probe in chosen),
        tried=search.tried,
        seconds=time.monotonic() - begun,
    )


def _optioned(family: AlgorithmFamily, option: str | None) -> AlgorithmFamily:
    """SCAFFOLD with one of its options as the right one."""
    if option is None:
        return family
    check_choice("option", option, ("I", "II"))
    if family.name != "Scaffold":
        raise ValueError(f"option={option!r}: {family.name} has no options; expected None")
    both = [one for one in family.conventions if one.place == "option"]
    rest = tuple(one for one in family.conventions if one.place != "option")
    return replace(family, conventions=((both[1], both[0]) if option == "I" else tuple(both)) + rest)


def _values(family: AlgorithmFamily, takes: set[str], given: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The parameters of the probes: those of the family where the code takes them, neutral ones where not, and the user's."""
    unknown = [name for name in given if name not in family.values and name not in family.neutral]
    if unknown:
        known = ", ".join([*family.values, *(name for name in family.neutral if name not in family.values)])
        raise ValueError(f"values={unknown[0]!r} is no parameter of {family.name}; it has {known}")
    found = {**family.neutral}
    for name, value in family.values.items():
        if name in takes or name in family.needs or ("problem" in takes and name not in family.neutral):
            found[name] = value
    untaken = [name for name in family.values if name in family.neutral and name not in takes and name not in given]
    silent = {"decay", "base", "factor"}
    notes = [f"no argument for {name}: taken as {family.neutral[name]:g}" for name in untaken if name not in silent]
    found |= given
    if "decay" not in takes and "decay" not in given:
        found["decay"] = 1.0
    elif "decay" in takes and "decay" not in found | given:
        found["decay"] = 0.8
    if "decay" in takes and "decay" not in given:
        found["decay"] = 0.8
    return found, notes


def _probes(family: AlgorithmFamily, takes: set[str], values: dict[str, Any]) -> tuple[Probe, ...]:
    """What the code can be run on."""
    own_steps = bool({"batches", "loaders", "probe"} & takes) or (family.name == "FedNova" and "local_steps" in takes)
    schedule = "steps" if "schedule" in takes else "decay" if values.get("decay", 1.0) != 1.0 else "constant"
    chosen = probes(values, unequal=family.unequal and own_steps, schedule=schedule)
    if not takes & {"cohorts", "sampler", "probe"}:
        everyone = next(probe for probe in chosen if probe.name == "all clients").cohorts
        chosen = tuple(replace(probe, cohorts=everyone) for probe in chosen if probe.name != "cohorts")
    return chosen


def _rounds_to_single(runner: Runner, one: Seen) -> bool:
    """Whether models of double precision come from computations in single precision.

    From starts that are moved by one and two millionths, models move evenly in double precision, and not in single, where a step
    of rounding is a tenth of that.
    """
    moved = [
        runner.answer(replace(one.probe, start=(1 + steps * 1e-6) * one.probe.start)).models - one.models
        for steps in (1, 2)
    ]
    rounds = [round for round in range(len(one.models)) if all(np.isfinite(move[round]).all() for move in moved)]
    first, second = (move[rounds] for move in moved)
    return bool(np.abs(second - 2 * first).max(initial=0.0) > 1e-3 * np.abs(first).max(initial=0.0))


def _untested(takes: set[str]) -> list[str]:
    """What the code's arguments leave untested."""
    notes = []
    if not takes & {"cohorts", "sampler", "probe"}:
        notes.append("it takes no cohorts: only full participation was tested")
    if not takes & {"epochs", "batches", "batches_per_epoch", "loaders", "probe"}:
        notes.append("it takes no epochs and batches: whether steps are epochs times batches was not tested")
    return notes


def _roughly(report: Conformance, search: DeviationSearch) -> Conformance:
    """What agrees to single precision only with code that computes in double: never a pass."""
    note = "though it computes in double precision: something small is different besides"
    if search.conventions():
        said = f"its models are those of the algorithm to a part in {1 / SINGLE:.0e} only, {note}"
        return replace(report, notes=(*report.notes, said))
    matches = search.singles() or search.numbers()
    if not matches:
        return report
    said = f"models agree to a part in {1 / SINGLE:.0e} only, {note}"
    named = replace(_named(search, matches), difference=report.difference, apart=_apart(search))
    return replace(named, precision="single", notes=(said,))


def _answer(search: DeviationSearch) -> Conformance:
    """The verdict of a search."""
    family = search.family
    usual = search.conventions()
    if usual:
        return _equal(search, usual[0])
    room = search.tolerance
    nearest = max(family.choices(), key=lambda choice: search.agreed(family, keys(choice)))
    found = difference_of(difference(family, nearest, search.values, search.seen, room))
    singles = search.singles()
    if singles:
        return replace(_named(search, singles), difference=found, apart=_apart(search))
    others = search.others()
    if others:
        return _other(search, others, found)
    numbers = search.numbers()
    if numbers:
        return replace(_named(search, numbers), difference=found, apart=_apart(search))
    others = search.others_with_numbers()
    if others:
        return _other(search, others, found)
    both = pairs(search)
    if both:
        return replace(_named(search, both), difference=found, apart=_apart(search))
    best, rounds = search.nearest()
    notes: tuple[str, ...] = ()
    if best is not None:
        notes = (f"nearest in the list, for the first {rounds} rounds: {best.words}",)
    return Conformance(family.title, "unknown", difference=found, notes=notes)


def _equal(search: DeviationSearch, match: Match) -> Conformance:
    words = tuple(one.words for one in unusual(match))
    report = Conformance(
        search.family.title, "convention" if words else "equal", words, largest=_largest(search, match)
    )
    equal = any(one.key == "uniform" for one in unusual(match))
    if equal and search.family.name in _WEIGHTED and search.takes & _COUNTING:
        kept = tuple(one.words for one in unusual(match) if one.key != "uniform")
        usual: tuple[Convention, ...] = search.family.choices()[0]
        found = difference_of(difference(search.family, usual, search.values, search.seen, search.tolerance))
        report = replace(
            report, verdict="deviation", conventions=kept, deviations=(_NOT_USED,), keys=("uniform",), difference=found
        )
    return report


def _other(search: DeviationSearch, matches: list[Match], found: Difference | None) -> Conformance:
    """Another algorithm, with the numbers of parameters that the run does not take."""
    first = matches[0]
    numbers = {one.key[len(FIXED) :]: float(one.value or 0) for one in first.deviations}
    means = ", ".join(f"{name} = {value:.10g}" for name, value in numbers.items())
    return replace(
        Conformance(search.family.title, "other algorithm", tuple(one.words for one in unusual(first))),
        deviations=(first.family.title + (f" with {means}" if means else ""),),
        keys=(first.family.name,),
        difference=found,
        largest=_largest(search, first),
        alike=tuple(dict.fromkeys(one.family.title for one in matches[1:] if one.family is not first.family)),
        numbers=numbers,
    )


def _named(search: DeviationSearch, matches: list[Match]) -> Conformance:
    first = matches[0]
    words = [" and ".join(one.words for one in match.deviations) for match in matches]
    others = tuple(dict.fromkeys(one for one in words[1:] if one != words[0]))
    return Conformance(
        search.family.title,
        "deviation",
        tuple(one.words for one in unusual(first)),
        tuple(one.words for one in first.deviations),
        tuple(one.key for one in first.deviations),
        others,
        largest=_largest(search, first),
        numbers={one.key: one.value for one in first.deviations if one.value is not None},
    )


def _apart(search: DeviationSearch) -> float:
    """The largest difference to the published text under the convention that is nearest."""
    return min(_largest(search, Match(search.family, choice, ())) for choice in search.family.choices())


def _largest(search: DeviationSearch, match: Match) -> float:
    """The largest difference to a match, relative to the path's largest number."""
    worst = 0.0
    for one in search.seen:
        wanted = path(match.family, one.probe, search.values, match.changes)
        both = np.isfinite(wanted) & np.isfinite(one.models) & (np.abs(wanted) < 1e100) & (np.abs(one.models) < 1e100)
        gap = np.abs(wanted - one.models)[both].max(initial=0.0)
        worst = max(worst, float(gap / max(1.0, np.abs(wanted[both]).max(initial=1.0))))
    return worst


def assert_conforms(run: Any, algorithm: Any, **options: Any) -> Conformance:
    """:func:`conform` for a test of one's own: ``AssertionError`` with the whole report unless the code is the algorithm.

    Options are those of :func:`conform`, and ``conventions=False``: then only the first choice of each convention passes.

    Raises
    ------
    AssertionError : the code is not the algorithm.
    ValueError : as :func:`conform`.
    """
    allowed = options.pop("conventions", True)
    report = conform(run, algorithm, **options)
    if not report.passed or (report.conventions and not allowed):
        raise AssertionError(str(report))
    return report
