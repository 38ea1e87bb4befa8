"""``fl.oracles``: what a client's gradient is in one step, and how far it is from the true one."""

from fltheory.problems import (
    AdditiveNoise,
    Exact,
    FiniteSupportNoise,
    MiniBatch,
    gradient_variance,
    layer_noise,
    second_moment_along,
)

__all__ = [
    "AdditiveNoise",
    "Exact",
    "FiniteSupportNoise",
    "MiniBatch",
    "gradient_variance",
    "layer_noise",
    "second_moment_along",
]
