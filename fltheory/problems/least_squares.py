"""Ridge regression on the clients' own data, as a quadratic problem with samples."""

from __future__ import annotations

from collections.abc import Sequence

from fltheory.problems.base import Array, check_choice, check_sequence
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.regulariser import Regulariser, as_regulariser
from fltheory.problems.samples import RegressionSamples


def ridge_regression(
    features: Sequence[Array],
    targets: Sequence[Array],
    regulariser: Regulariser | int = 0,
    *,
    convention: str = "half",
    weights: Array | str = "sizes",
) -> QuadraticProblem:
    """Least squares with l2 regularisation, one entry of ``features`` and ``targets`` per client.

    ``F_k(w) = (s/2)(1/n_k) sum_i (x_i'w - y_i)^2 + R(w)`` with ``s = 1`` for ``convention="half"`` and ``s = 2`` for
    ``"full"``; the regulariser ``R`` names its own convention.  ``features[k]``: ``(n_k, d)``, ``targets[k]``:
    ``(n_k,)``.  Data of Fractions or integers next to Fractions give an exact problem.  ``weights``: ``"sizes"``
    (``n_k/n``), ``"uniform"`` or an array.

    Raises
    ------
    ValueError : another convention; a regulariser without one; not as many clients of features and of targets; a client whose
        arrays do not fit or hold no finite numbers; weights that are negative or do not sum to one.
    """
    check_choice("convention", convention, ("half", "full"))
    features = check_sequence("features", features, "one array (n_k, d) per client")
    targets = check_sequence("targets", targets, "one array (n_k,) per client")
    if len(features) != len(targets):
        raise ValueError(f"features has {len(features)} clients and targets {len(targets)}; expected as many of each")
    scale, modulus = (1 if convention == "half" else 2), as_regulariser(regulariser).modulus
    clients = []
    for k, (x, y) in enumerate(zip(features, targets, strict=True)):
        try:
            clients.append(RegressionSamples(x, y, scale, modulus))
        except ValueError as error:
            raise ValueError(f"client {k}: {error}") from None
    return QuadraticProblem.from_samples(clients, weights=weights)
