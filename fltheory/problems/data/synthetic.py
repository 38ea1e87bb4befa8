"""The generated data sets synthetic(alpha, beta) of Li et al. (2020), Appendix D.1.

Client ``k`` has labels ``y = argmax(W_k x + b_k)`` with entries of ``W_k, b_k`` from ``N(u_k, 1)``, ``u_k`` from
``N(0, alpha)``; ``x_j`` from ``N(v_kj, j^-1.2)``, ``v_kj`` from ``N(B_k, 1)``, ``B_k`` from ``N(0, beta)``.  The text
calls ``alpha`` and ``beta`` variances and the sizes a power law; the authors' program uses them as standard deviations
and takes the sizes ``int(lognormal(4, 2)) + 50``.  Both are offered by name.  That program sets no seed: the very data
of the paper cannot be regenerated.
"""

from __future__ import annotations

import numpy as np

from fltheory.problems.base import Array, check_choice, check_count, check_nonnegative, check_request, real_array
from fltheory.problems.checks import shown
from fltheory.problems.data.federated import FederatedData
from fltheory.problems.data.splits import power_law_sizes
from fltheory.streams import check_seed


def synthetic(
    alpha: float,
    beta: float,
    *,
    seed: int,
    convention: str = "variance",
    n_clients: int = 100,
    sizes: str | Array = "lognormal",
    features: int = 60,
    classes: int = 10,
) -> FederatedData:
    """synthetic(alpha, beta) with ``alpha`` (models differ) and ``beta`` (inputs differ) at least zero.

    ``convention``: ``"variance"`` (as printed) or ``"standard deviation"`` (as programmed); they agree at 0 and 1.
    ``sizes``: ``"lognormal"`` (as programmed), ``"power law"`` (exponent 1, 200 samples per client on average, at
    least 20) or an array ``(N,)``.  Client ``k``'s models and inputs depend on ``seed`` and ``k`` only.

    Raises
    ------
    ValueError : a negative ``alpha`` or ``beta``, counts below one, a seed that is no integer, a request beyond memory.
    """
    check_choice("convention", convention, ("variance", "standard deviation"))
    check_nonnegative("alpha", alpha)
    check_nonnegative("beta", beta)
    for name, count in (("n_clients", n_clients), ("features", features), ("classes", classes)):
        check_count(name, count)
    seed = check_seed(seed)
    # About a hundred samples per client under both laws.
    request = f"n_clients={n_clients} with features={features}, classes={classes}"
    check_request(request, n_clients * features * (classes + 100))
    spread_model, spread_input = (alpha**0.5, beta**0.5) if convention == "variance" else (float(alpha), float(beta))
    size_seed, client_seed = np.random.SeedSequence(seed).spawn(2)
    counts = _sizes(sizes, n_clients, size_seed)
    check_request(f"sizes of {int(counts.sum())} samples with features={features}", int(counts.sum()) * features)
    scale = np.arange(1, features + 1) ** -0.6
    inputs, labels = [], []
    for count, child in zip(counts.tolist(), client_seed.spawn(n_clients), strict=True):
        rng = np.random.default_rng(child)
        model_mean, input_mean = spread_model * rng.standard_normal(), spread_input * rng.standard_normal()
        centre = input_mean + rng.standard_normal(features)
        matrix = model_mean + rng.standard_normal((classes, features))
        bias = model_mean + rng.standard_normal(classes)
        x = centre + scale * rng.standard_normal((count, features))
        inputs.append(x)
        labels.append(np.argmax(x @ matrix.T + bias, axis=1))
    return FederatedData(tuple(inputs), tuple(labels), classes, f"synthetic({alpha:g}, {beta:g})")


def _sizes(sizes: str | Array, n_clients: int, seed: np.random.SeedSequence) -> Array:
    if isinstance(sizes, str):
        check_choice("sizes", sizes, ("lognormal", "power law"))
        if sizes == "lognormal":
            return np.random.default_rng(seed).lognormal(4.0, 2.0, n_clients).astype(np.int64) + 50
        return power_law_sizes(n_clients, 200 * n_clients, least=20, seed=int(seed.generate_state(1)[0]))
    counts = real_array("sizes", sizes)
    if counts.shape != (n_clients,) or counts.dtype.kind not in "iu" or counts.min() < 1:
        raise ValueError(f"sizes={shown(sizes)} is not valid; expected {n_clients} integers >= 1")
    return counts
