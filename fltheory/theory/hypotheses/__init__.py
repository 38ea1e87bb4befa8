"""Hypotheses of rate theorems as data, in one vocabulary, so that bounds of different papers can be compared.

======================== ==================================================================================================
module                   holds
======================== ==================================================================================================
``quantities``           the numbers, by one name each: ``L``, ``mu``, ``D_sq``, ``zeta_sq``, ``G_run_sq``, ...
``decisions``            what a hypothesis is, and the three answers: holds, fails, unknown
``losses``               SmoothLosses, ConvexLosses, StronglyConvexLosses, BoundedBelow
``noise``                IndependentNoise, ExactGradients, SmoothAnswers, BoundedVariance, BoundedSecondMoment
``heterogeneity``        DissimilarityAtMinimiser, FiniteGamma, BoundedDeviation, DissimilarClients, DissimilarByGap,
                         DissimilarSides
``methods``              MethodIs, Option, ServerLoss, CohortLaw, EqualWeights, AlikeClients
``steps``                ConstantStep, HarmonicStep, PrescribedStep, ShortFirstRound
``algebra``              Inequality: relations between the numbers
======================== ==================================================================================================
"""

from fltheory.theory.hypotheses.algebra import Inequality as Inequality
from fltheory.theory.hypotheses.decisions import Decision as Decision
from fltheory.theory.hypotheses.decisions import Hypothesis as Hypothesis
from fltheory.theory.hypotheses.decisions import KnownNumber as KnownNumber
from fltheory.theory.hypotheses.decisions import NotKnown as NotKnown
from fltheory.theory.hypotheses.decisions import fails as fails
from fltheory.theory.hypotheses.decisions import holds as holds
from fltheory.theory.hypotheses.decisions import unknown as unknown
from fltheory.theory.hypotheses.heterogeneity import BoundedDeviation as BoundedDeviation
from fltheory.theory.hypotheses.heterogeneity import DissimilarByGap as DissimilarByGap
from fltheory.theory.hypotheses.heterogeneity import DissimilarClients as DissimilarClients
from fltheory.theory.hypotheses.heterogeneity import DissimilarityAtMinimiser as DissimilarityAtMinimiser
from fltheory.theory.hypotheses.heterogeneity import DissimilarSides as DissimilarSides
from fltheory.theory.hypotheses.heterogeneity import FiniteGamma as FiniteGamma
from fltheory.theory.hypotheses.losses import BoundedBelow as BoundedBelow
from fltheory.theory.hypotheses.losses import ConvexLosses as ConvexLosses
from fltheory.theory.hypotheses.losses import SmoothLosses as SmoothLosses
from fltheory.theory.hypotheses.losses import StronglyConvexLosses as StronglyConvexLosses
from fltheory.theory.hypotheses.methods import AlikeClients as AlikeClients
from fltheory.theory.hypotheses.methods import CohortLaw as CohortLaw
from fltheory.theory.hypotheses.methods import EqualWeights as EqualWeights
from fltheory.theory.hypotheses.methods import MethodIs as MethodIs
from fltheory.theory.hypotheses.methods import Option as Option
from fltheory.theory.hypotheses.methods import ServerLoss as ServerLoss
from fltheory.theory.hypotheses.noise import BoundedSecondMoment as BoundedSecondMoment
from fltheory.theory.hypotheses.noise import BoundedVariance as BoundedVariance
from fltheory.theory.hypotheses.noise import ExactGradients as ExactGradients
from fltheory.theory.hypotheses.noise import IndependentNoise as IndependentNoise
from fltheory.theory.hypotheses.noise import SmoothAnswers as SmoothAnswers
from fltheory.theory.hypotheses.steps import ConstantStep as ConstantStep
from fltheory.theory.hypotheses.steps import HarmonicStep as HarmonicStep
from fltheory.theory.hypotheses.steps import PrescribedStep as PrescribedStep
from fltheory.theory.hypotheses.steps import ShortFirstRound as ShortFirstRound
