"""Federated problems: what is minimised, its exact constants, gradient oracles and data."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from fltheory.names import unknown

if TYPE_CHECKING:
    from fltheory.problems.along import second_moment_along, second_moments
    from fltheory.problems.base import Array, CentredProblem, Constants, KnownProblem, Problem, SampledProblem
    from fltheory.problems.blocks import Blocks, blocks_of, with_blocks
    from fltheory.problems.data import (
        FederatedData,
        LabelledData,
        load_digits,
        load_fashion_mnist,
        load_idx,
        mnist_subset,
        power_law_sizes,
        split_by_class,
        synthetic,
    )
    from fltheory.problems.data.movies import Timelines, load_movielens, movie_catalogue
    from fltheory.problems.data.opposite_labels import TwoSources, halved, opposite_labels
    from fltheory.problems.data.random_splits import (
        Exhausted,
        by_writer,
        dirichlet_over_clients,
        dirichlet_over_labels,
        log_normal_sizes,
        pachinko,
    )
    from fltheory.problems.data.text import Languages, TextData, generated_text, text_of_files
    from fltheory.problems.dual_encoder import DualEncoder
    from fltheory.problems.layered import layer_noise, layered_quadratic
    from fltheory.problems.least_squares import ridge_regression
    from fltheory.problems.logistic import LogisticProblem
    from fltheory.problems.mixed import MixedProblem, curved, label_split
    from fltheory.problems.mixed_dissimilarity import GradientDissimilarity
    from fltheory.problems.network import NetworkProblem, network_start
    from fltheory.problems.on_clients import OnClients
    from fltheory.problems.onedim import PiecewiseQuadratic, ScalarProblem, huber, linear, parabola
    from fltheory.problems.opposed import opposed_pair
    from fltheory.problems.oracles import (
        AdditiveNoise,
        Exact,
        FiniteSupportNoise,
        MiniBatch,
        Oracle,
        gradient_variance,
    )
    from fltheory.problems.perceptron import PerceptronProblem, perceptron_start
    from fltheory.problems.quadratic import QuadraticProblem
    from fltheory.problems.regulariser import Regulariser
    from fltheory.problems.samples import QuadraticSamples, RegressionSamples
    from fltheory.problems.scaled import Scaled
    from fltheory.problems.scores import accuracy, auc, recall_at
    from fltheory.problems.softmax import SoftmaxProblem
    from fltheory.problems.spreadout import Spreadout
    from fltheory.problems.tridiagonal import (
        TridiagonalProblem,
        li_counterexample,
        li_minimiser,
        li_minimum,
        li_smoothness,
        li_tridiagonal,
    )

_HOME = {
    "along": ("second_moment_along", "second_moments"),
    "base": ("Array", "CentredProblem", "Constants", "KnownProblem", "Problem", "SampledProblem"),
    "blocks": ("Blocks", "blocks_of", "with_blocks"),
    "data": (
        "FederatedData",
        "LabelledData",
        "load_digits",
        "load_fashion_mnist",
        "load_idx",
        "mnist_subset",
        "power_law_sizes",
        "split_by_class",
        "synthetic",
    ),
    "data.movies": ("Timelines", "load_movielens", "movie_catalogue"),
    "dual_encoder": ("DualEncoder",),
    "data.opposite_labels": ("TwoSources", "halved", "opposite_labels"),
    "data.random_splits": (
        "Exhausted",
        "by_writer",
        "dirichlet_over_clients",
        "dirichlet_over_labels",
        "log_normal_sizes",
        "pachinko",
    ),
    "data.text": ("Languages", "TextData", "generated_text", "text_of_files"),
    "layered": ("layer_noise", "layered_quadratic"),
    "logistic": ("LogisticProblem",),
    "mixed": ("MixedProblem", "curved", "label_split"),
    "mixed_dissimilarity": ("GradientDissimilarity",),
    "on_clients": ("OnClients",),
    "network": ("NetworkProblem", "network_start"),
    "onedim": ("PiecewiseQuadratic", "ScalarProblem", "huber", "linear", "parabola"),
    "opposed": ("opposed_pair",),
    "oracles": ("AdditiveNoise", "Exact", "FiniteSupportNoise", "MiniBatch", "Oracle", "gradient_variance"),
    "perceptron": ("PerceptronProblem", "perceptron_start"),
    "quadratic": ("QuadraticProblem",),
    "regulariser": ("Regulariser",),
    "least_squares": ("ridge_regression",),
    "samples": ("QuadraticSamples", "RegressionSamples"),
    "scaled": ("Scaled",),
    "scores": ("accuracy", "auc", "recall_at"),
    "softmax": ("SoftmaxProblem",),
    "spreadout": ("Spreadout",),
    "tridiagonal": (
        "TridiagonalProblem",
        "li_counterexample",
        "li_minimiser",
        "li_minimum",
        "li_smoothness",
        "li_tridiagonal",
    ),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "AdditiveNoise",
    "Array",
    "Blocks",
    "CentredProblem",
    "Constants",
    "DualEncoder",
    "Exact",
    "Exhausted",
    "FederatedData",
    "FiniteSupportNoise",
    "GradientDissimilarity",
    "KnownProblem",
    "LabelledData",
    "Languages",
    "LogisticProblem",
    "MiniBatch",
    "MixedProblem",
    "NetworkProblem",
    "OnClients",
    "Oracle",
    "PerceptronProblem",
    "PiecewiseQuadratic",
    "Problem",
    "QuadraticProblem",
    "QuadraticSamples",
    "RegressionSamples",
    "Regulariser",
    "SampledProblem",
    "ScalarProblem",
    "Scaled",
    "SoftmaxProblem",
    "Spreadout",
    "TextData",
    "Timelines",
    "TridiagonalProblem",
    "TwoSources",
    "accuracy",
    "auc",
    "blocks_of",
    "by_writer",
    "curved",
    "dirichlet_over_clients",
    "dirichlet_over_labels",
    "generated_text",
    "gradient_variance",
    "halved",
    "huber",
    "label_split",
    "layer_noise",
    "layered_quadratic",
    "li_counterexample",
    "li_minimiser",
    "li_minimum",
    "li_smoothness",
    "li_tridiagonal",
    "linear",
    "load_digits",
    "load_fashion_mnist",
    "load_idx",
    "load_movielens",
    "log_normal_sizes",
    "mnist_subset",
    "movie_catalogue",
    "network_start",
    "opposed_pair",
    "opposite_labels",
    "pachinko",
    "parabola",
    "perceptron_start",
    "power_law_sizes",
    "recall_at",
    "ridge_regression",
    "second_moment_along",
    "second_moments",
    "split_by_class",
    "synthetic",
    "text_of_files",
    "with_blocks",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise unknown(__name__, name, _MODULE_OF)
    value = getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


if TYPE_CHECKING:
    #: Held against the protocols by the type checker.
    _KNOWN: tuple[type[KnownProblem], ...] = (
        LogisticProblem,
        MixedProblem,
        NetworkProblem,
        PerceptronProblem,
        QuadraticProblem,
        Scaled,
        ScalarProblem,
        SoftmaxProblem,
        TridiagonalProblem,
    )
    _PROBLEMS: tuple[type[Problem], ...] = (*_KNOWN, DualEncoder, OnClients, Spreadout)
    _CENTRED: type[CentredProblem] = MixedProblem
