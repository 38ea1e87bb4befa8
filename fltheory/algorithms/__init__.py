"""Algorithms, step-size schedules and participation schemes: frozen values, each algorithm written once."""

from typing import TYPE_CHECKING

from fltheory.algorithms.adam import Adam as Adam
from fltheory.algorithms.elastic import SimplifiedElastic as SimplifiedElastic
from fltheory.algorithms.elastic_aggregation import ElasticFedAvgM as ElasticFedAvgM
from fltheory.algorithms.elastic_aggregation import ElasticFedProx as ElasticFedProx
from fltheory.algorithms.elastic_aggregation import GivenElasticity as GivenElasticity
from fltheory.algorithms.elastic_aggregation import SensitivityElasticity as SensitivityElasticity
from fltheory.algorithms.fedavg import FedAvg as FedAvg
from fltheory.algorithms.feddyn import FedDyn as FedDyn
from fltheory.algorithms.fedlama import FedLAMA as FedLAMA
from fltheory.algorithms.fednova import FedNova as FedNova
from fltheory.algorithms.fedopt import FedOpt as FedOpt
from fltheory.algorithms.fedprox import FedProx as FedProx
from fltheory.algorithms.fedprox_exact import FedProxExact as FedProxExact
from fltheory.algorithms.gradient_corrected import GradientCorrected as GradientCorrected
from fltheory.algorithms.gradient_transfer import OneWayGradientTransfer as OneWayGradientTransfer
from fltheory.algorithms.gradient_transfer import TwoWayGradientTransfer as TwoWayGradientTransfer
from fltheory.algorithms.layer_schedule import LayerIntervals as LayerIntervals
from fltheory.algorithms.mime_lite import MimeLite as MimeLite
from fltheory.algorithms.optimisers import GradientStep as GradientStep
from fltheory.algorithms.optimisers import HeavyBall as HeavyBall
from fltheory.algorithms.parallel_training import ParallelTraining as ParallelTraining
from fltheory.algorithms.participation import Full as Full
from fltheory.algorithms.participation import SchemeI as SchemeI
from fltheory.algorithms.populations import Populations as Populations
from fltheory.algorithms.restarted import ParallelRestartedSGD as ParallelRestartedSGD
from fltheory.algorithms.scaffold import Scaffold as Scaffold
from fltheory.algorithms.schedules import Annealed as Annealed
from fltheory.algorithms.schedules import Constant as Constant
from fltheory.algorithms.schedules import Harmonic as Harmonic
from fltheory.algorithms.schedules import HarmonicPerRound as HarmonicPerRound
from fltheory.algorithms.schedules import li_appendix as li_appendix
from fltheory.algorithms.schedules import li_main_text as li_main_text
from fltheory.algorithms.showing import Showing as Showing
from fltheory.algorithms.subsets import NormalisedUniform as NormalisedUniform
from fltheory.algorithms.subsets import Original as Original
from fltheory.algorithms.subsets import SchemeII as SchemeII
from fltheory.algorithms.subsets import TransformedSchemeII as TransformedSchemeII
from fltheory.algorithms.two_sided import TwoSidedFedAvg as TwoSidedFedAvg

if TYPE_CHECKING:
    from fltheory.algorithms.vocabulary import Algorithm

    #: Held against the protocol by the type checker.
    _ALGORITHMS: tuple[type[Algorithm], ...] = (
        ElasticFedAvgM,
        ElasticFedProx,
        FedAvg,
        FedDyn,
        FedLAMA,
        FedOpt,
        FedProx,
        FedProxExact,
        GradientCorrected,
        MimeLite,
        OneWayGradientTransfer,
        ParallelRestartedSGD,
        ParallelTraining,
        Populations,
        Scaffold,
        SimplifiedElastic,
        TwoSidedFedAvg,
        TwoWayGradientTransfer,
    )
