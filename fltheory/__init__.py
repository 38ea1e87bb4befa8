"""fltheory: executes the published theory of federated optimisation.

Problems, algorithms, and one verb per question::

    import fltheory as fl

    problem = fl.li_counterexample(n_clients=5, block=4, ridge=2e-4)
    algorithm = fl.FedAvg(local_steps=10, step_size=0.05)
    fl.fixed_point(problem, algorithm)

Names are imported when they are first used, so that ``import fltheory`` is cheap.  ``dir(fl)`` shows the verbs, the main
nouns and the drawers that hold the rest: ``fl.data``, ``fl.schedules``, ``fl.participation``, ``fl.oracles``, ``fl.problems``,
``fl.algorithms``, ``fl.readings``, ``fl.worstcase``, ``fl.theory``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.2.0"

_HOMES = {
    "fltheory.problems": (
        "QuadraticProblem",
        "QuadraticSamples",
        "RegressionSamples",
        "li_counterexample",
        "li_tridiagonal",
        "TridiagonalProblem",
        "ridge_regression",
        "LogisticProblem",
        "SoftmaxProblem",
        "Regulariser",
        "ScalarProblem",
        "linear",
        "parabola",
        "huber",
        "PiecewiseQuadratic",
        "Exact",
        "MiniBatch",
        "AdditiveNoise",
        "FiniteSupportNoise",
        "gradient_variance",
        "second_moment_along",
        "MixedProblem",
        "Scaled",
        "label_split",
        "curved",
        "NetworkProblem",
        "network_start",
        "PerceptronProblem",
        "perceptron_start",
        "opposite_labels",
        "GradientDissimilarity",
        "synthetic",
        "power_law_sizes",
        "split_by_class",
        "dirichlet_over_clients",
        "dirichlet_over_labels",
        "log_normal_sizes",
        "pachinko",
        "by_writer",
        "load_digits",
        "load_idx",
        "load_fashion_mnist",
        "mnist_subset",
        "DualEncoder",
        "Spreadout",
        "OnClients",
        "movie_catalogue",
        "load_movielens",
        "generated_text",
        "text_of_files",
        "Blocks",
        "with_blocks",
        "opposed_pair",
        "layered_quadratic",
        "layer_noise",
    ),
    "fltheory.algorithms": (
        "FedAvg",
        "FedDyn",
        "FedNova",
        "FedProx",
        "FedProxExact",
        "FedLAMA",
        "LayerIntervals",
        "TwoSidedFedAvg",
        "ParallelRestartedSGD",
        "Scaffold",
        "GradientCorrected",
        "ParallelTraining",
        "OneWayGradientTransfer",
        "TwoWayGradientTransfer",
        "Populations",
        "GradientStep",
        "HeavyBall",
        "Adam",
        "FedOpt",
        "SimplifiedElastic",
        "ElasticFedAvgM",
        "ElasticFedProx",
        "GivenElasticity",
        "SensitivityElasticity",
        "MimeLite",
        "Full",
        "SchemeI",
        "SchemeII",
        "TransformedSchemeII",
        "Original",
        "NormalisedUniform",
        "Constant",
        "Harmonic",
        "HarmonicPerRound",
        "Annealed",
        "li_main_text",
        "li_appendix",
    ),
    "fltheory.readings": (
        "fixed_point",
        "certified_fixed_point",
        "certified_minimiser",
        "linearised",
        "linearised_moments",
        "linearised_stationary",
        "quadratic_model",
        "bias",
        "round_map",
        "moments",
        "stationary",
        "cost",
        "trajectory",
        "series",
        "stability_limit",
        "MeanSquareWarning",
        "PrecisionWarning",
        "limit_local_steps_to_infinity",
        "second_moment_of_gradients",
        "rational_functions",
    ),
    "fltheory.simulate": ("simulate", "simulate_batch", "simulate_law", "Run"),
    "fltheory.conformance": ("conform", "from_client_server", "one_step_check"),
    "fltheory.worstcase": (
        "worst_case",
        "worst_class",
        "ClientClasses",
        "FunctionClass",
        "SmoothStronglyConvex",
        "SmoothConvex",
        "Smooth",
        "Dissimilarity",
        "MixedDissimilarity",
    ),
    "fltheory.worstcase.formulas": ("worst_case_formula", "Formula"),
    "fltheory.worstcase.algebraic_answer": ("AlgebraicWorstCase",),
    "fltheory.worstcase.lyapunov_entry": ("lyapunov",),
    "fltheory.worstcase.best": ("best_step_size",),
    "fltheory.worstcase.best_answer": ("BestStep",),
    "fltheory.worstcase.lyapunov_answer": ("LyapunovBound",),
    "fltheory.questions.applicable": ("applicable",),
    "fltheory.questions.check_bound": ("check_bound",),
    "fltheory.questions.plan": ("plan",),
    "fltheory.comparison": ("compare",),
    "fltheory.sweep": ("Sweep", "sweep"),
    "fltheory.plotting": ("plot",),
    "fltheory.evidence.catalogue": ("claims",),
    "fltheory.citations": ("citation",),
}
_NAMES = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = (
    "theory",
    "problems",
    "algorithms",
    "readings",
    "worstcase",
    "evidence",
    "experiments",
    "plotting",
    "data",
    "schedules",
    "participation",
    "oracles",
)
#: What ``dir(fl)`` leaves to a drawer (``fl.data``, ``fl.schedules``, ...); ``fl.synthetic`` is found all the same.
_IN_DRAWERS = {
    "data": (
        "synthetic power_law_sizes split_by_class dirichlet_over_clients dirichlet_over_labels log_normal_sizes pachinko "
        "by_writer load_digits load_idx load_fashion_mnist mnist_subset movie_catalogue load_movielens generated_text "
        "text_of_files opposite_labels"
    ),
    "schedules": "Constant Harmonic HarmonicPerRound Annealed li_main_text li_appendix",
    "participation": "TransformedSchemeII Original NormalisedUniform",
    "oracles": "FiniteSupportNoise gradient_variance second_moment_along layer_noise",
    "problems": (
        "QuadraticSamples RegressionSamples linear parabola huber PiecewiseQuadratic Scaled label_split curved network_start "
        "perceptron_start GradientDissimilarity DualEncoder Spreadout OnClients Blocks with_blocks opposed_pair "
        "layered_quadratic"
    ),
    "algorithms": (
        "LayerIntervals Populations GradientStep HeavyBall Adam GivenElasticity SensitivityElasticity FedProxExact "
        "TwoSidedFedAvg ParallelRestartedSGD"
    ),
    "readings": "rational_functions limit_local_steps_to_infinity MeanSquareWarning PrecisionWarning",
}
_HIDDEN = frozenset(name for names in _IN_DRAWERS.values() for name in names.split())

__all__ = [*_NAMES, *_MODULES, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    if name in _MODULES:
        return import_module(f"fltheory.{name}")
    from fltheory.names import unknown

    raise unknown("fltheory", name, __all__)


def __dir__() -> list[str]:
    return sorted({*__all__} - _HIDDEN)
