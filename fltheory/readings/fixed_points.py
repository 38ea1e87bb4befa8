"""Where the (mean) rounds of an algorithm end, and what to know about that point before it is used."""

from __future__ import annotations

import warnings

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Array, PointLike
from fltheory.problems.base import Problem
from fltheory.problems.oracles import AnyOracle
from fltheory.readings.banded_rounds import banded_fixed_point, banded_rounds
from fltheory.readings.certified_points import certified_fixed_point
from fltheory.readings.enclosures import require_exact_gradients
from fltheory.readings.entry import is_affine
from fltheory.readings.mean_square import MOST_EXACT, SecondMomentMap, grows
from fltheory.readings.numbers import Numbers
from fltheory.readings.round_map import RoundMap, round_map
from fltheory.readings.warned import UNDECIDED, UNRESOLVED, MeanSquareWarning, PrecisionWarning


def fixed_point(
    problem: Problem,
    algorithm: Algorithm,
    *,
    exact: bool = False,
    start: PointLike | None = None,
    numbers: Numbers | None = None,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
) -> Array:
    """The model ``(d,)`` where the (mean) rounds end, started at the model ``start`` (default: zero).

    Of a problem that is not quadratic: where deterministic rounds come to rest, the ``point`` of
    :func:`certified_fixed_point`, which proves how far off it may be.

    With ``exact=True`` the entries are Fractions.  With ``numbers`` a field of rational functions and generators as
    fields of the algorithm the entries are rational functions of them.  Floats are refined with residuals in fifty digits,
    where that is little work; ``RoundMap.fixed_point_error`` says how far off they may be.  Noise of mean zero leaves the
    end as it is; ``oracle`` and ``centre_oracle`` count in the warning only.

    Warns
    -----
    MeanSquareWarning : under random cohorts or noisy gradients the mean converges and the mean square does not
        (``RoundMap.mean_square_factor``, ``RoundMap.walks``).
    PrecisionWarning : an error of the floats above a relative 1e-8; directions that floats take for conserved and that are
        not, or of which it is not known (``RoundMap.resolved``).  Beyond quadratics: nothing is proved of the point, and why.

    Raises
    ------
    ValueError : as :func:`round_map`; also if numbers are given (no symbols) and the rounds move away from the fixed
        point or around it, so that they do not end there, and if there is no fixed point.  Beyond quadratics: numbers that
        are no floats, noisy gradients, and as :func:`certified_fixed_point`.
    """
    if not is_affine(problem) and not exact and numbers is None:
        return _smooth(problem, algorithm, start, oracle, centre_oracle)
    banded = None if exact or numbers else banded_rounds(problem, algorithm, start, (oracle, centre_oracle))
    if banded is not None:
        return banded_fixed_point(banded)
    rounds = round_map(
        problem, algorithm, exact=exact, numbers=numbers, start=start, oracle=oracle, centre_oracle=centre_oracle
    )
    limit = rounds.fixed_point()
    model = np.asarray(rounds.model @ limit)
    if rounds.numbers.domain is not None:
        return model
    factor = rounds.contraction() if rounds.numbers.exact else rounds.resolved_contraction()
    if not _mean_contracts(rounds, factor):
        what = "diverge" if factor > 1 + 1e-9 else "do not converge"
        raise ValueError(f"the rounds {what}: their contraction factor is {factor:.6g}; expected less than 1")
    if not rounds.sure and not rounds.mean_square_contracts():
        warnings.warn(
            f"the mean of the rounds tends to this point while their mean square {grows(rounds.mean_square.value)}: runs and "
            "averages of runs need not come near it",
            MeanSquareWarning,
            stacklevel=2,
        )
    elif rounds.walks(limit):
        warnings.warn(
            "the mean of the rounds tends to this point while noise moves a direction in which they do not contract, so that "
            "its variance grows without end: runs and averages of runs need not come near it",
            MeanSquareWarning,
            stacklevel=2,
        )
    error = rounds.fixed_point_error()
    if rounds.resolved is False and not rounds.numbers.exact:
        warnings.warn(f"{UNRESOLVED}: they count as conserved here; exact=True decides", PrecisionWarning, stacklevel=2)
    elif rounds.resolved is None:
        warnings.warn(f"{UNDECIDED}: they count as conserved here", PrecisionWarning, stacklevel=2)
    elif error > 1e-8 * float(np.linalg.norm(limit.astype(np.float64))) + 1e-300:
        warnings.warn(
            f"rounding may have moved this point by {error:.1e}; exact=True gives it in rationals",
            PrecisionWarning,
            stacklevel=2,
        )
    return model


def _smooth(
    problem: Problem,
    algorithm: Algorithm,
    start: PointLike | None,
    oracle: AnyOracle | None,
    centre_oracle: AnyOracle | None,
) -> Array:
    """The fixed point of deterministic rounds that are not affine."""
    require_exact_gradients(problem, "a fixed point", oracle, centre_oracle)
    found = certified_fixed_point(problem, algorithm, start=start)
    if found.contraction is not None and found.proof != "contraction" and not found.contraction < 1:
        raise ValueError(
            f"the rounds do not end at their fixed point near {np.array2string(found.point, precision=4, threshold=4)}: their "
            f"contraction factor there is {found.contraction:.6g}; expected less than 1"
        )
    if not found.certified:
        warnings.warn(f"nothing is proved of this point: {found.reason}", PrecisionWarning, stacklevel=3)
    return found.point


def _mean_contracts(rounds: RoundMap, factor: float) -> bool:
    """Whether the factor is below one, exactly in rationals where that is close and the state small."""
    if rounds.numbers.exact and abs(factor - 1) < 1e-9:
        moments = SecondMomentMap(rounds.matrix, None, rounds.numbers)
        if moments.unknowns <= MOST_EXACT:
            return bool(moments.contracts())
    return factor < 1
