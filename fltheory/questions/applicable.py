"""``fl.applicable``: every rate theorem of ``fltheory.theory`` held against a problem, a method and a run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from fltheory.algorithms.vocabulary import Algorithm, check_algorithm
from fltheory.evidence.ledger import ledger_path, read_ledger
from fltheory.kinds import PointLike
from fltheory.problems.base import Problem
from fltheory.problems.checks import check_flag
from fltheory.problems.oracles import AnyOracle, Exact
from fltheory.progress import tells
from fltheory.questions.report import ApplicableBounds, ApplicableRow, setting_words, sort_key
from fltheory.questions.truth import Truth, truth_of
from fltheory.theory.hypotheses.decisions import KnownNumber
from fltheory.theory.rates import rates
from fltheory.theory.settings import RateSetting

#: What the first line of a report names, where it is known.
_SHOWN = ("N", "E", "L", "mu", "D_sq", "zeta_sq", "eta")


@lru_cache(maxsize=2)
def _verdicts(changed: int) -> dict[str, str]:
    """The ledger's words by row; ``changed`` is when its file was, so that another file is read anew."""
    return {name: str(row.get("verdict", "open")) for name, row in read_ledger().items()}


def verdicts() -> dict[str, str]:
    """The verdict of every row of the ledger."""
    path = ledger_path()
    return _verdicts(path.stat().st_mtime_ns if path.is_file() else 0)


@tells("applicable")
def applicable(
    problem: Problem,
    algorithm: Algorithm,
    *,
    rounds: int,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    start: PointLike | None = None,
    radius: float | None = None,
    given: Mapping[str, float] | None = None,
    document: str | None = None,
    truth: bool = True,
) -> ApplicableBounds:
    """Which published bounds apply, with their values, and of the others the hypothesis that fails, with both numbers.

    Every theorem of :func:`fltheory.theory.rates.rates` is held against the setting.  Each hypothesis is decided from computed
    constants: it holds, fails, or is undecided, and nothing counts as true because it was not refuted.  Bounds are sorted by
    tightness, printed ones beside their sharpened forms; where a print is wrong, what stands here is its repaired form.

    ================= ======================================================================================================
    argument          meaning
    ================= ======================================================================================================
    ``rounds``        R, after which the bounds speak
    ``oracle``        what clients see instead of gradients (default: exact gradients); ``centre_oracle`` for the server's loss
    ``start``         the first model, ``(d,)``; default: zero
    ``radius``        of a ball around the minimiser in which, as you say, all local points stay: bounds of gradients "at every
                      point" are then taken over the ball, and the answer says so
    ``given``         numbers that you know, by their names in :mod:`fltheory.theory.hypotheses.quantities`
    ``document``      only the theorems of one document, such as "li2020"
    ``truth``         whether to compute what the bounds bound: exact expectations of quadratics, runs without chance
    ================= ======================================================================================================

    Returns
    -------
    ApplicableBounds : ``print`` it; ``.rows``, ``.applying``, ``["li2020.theorem_1"]``, ``.to_frame()``.

    Raises
    ------
    ValueError : no problem or algorithm, rounds below 1, an oracle or a start that does not fit, a given number that is unknown to
        the vocabulary or contradicts a computed one.
    """
    check_algorithm("algorithm", algorithm)
    setting = RateSetting(
        problem,
        algorithm,
        rounds,
        Exact() if oracle is None else oracle,
        Exact() if centre_oracle is None else centre_oracle,
        start,
        radius,
        dict(given or {}),
    )
    words = verdicts()
    found = [(theorem, theorem.assess(setting)) for theorem in rates(document)]
    valued = {theorem.measure for theorem, assessment in found if assessment.value is not None}
    seen = truth_of(setting, valued) if check_flag("truth", truth) else Truth({}, "not asked for")
    rows = [
        ApplicableRow(
            assessment,
            words.get(theorem.row, "open") if theorem.row else theorem.constants,
            seen.values.get(theorem.measure),
        )
        for theorem, assessment in found
    ]
    numbers = {name: setting.know(name) for name in _SHOWN}
    known = {name: f"{one.value:.4g}" for name, one in numbers.items() if isinstance(one, KnownNumber)}
    return ApplicableBounds(
        tuple(sorted(rows, key=sort_key)), setting_words(problem, algorithm, setting.rounds, known), seen.how
    )
