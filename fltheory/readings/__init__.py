"""Readings: one algorithm's text, read as arrays, round maps, affine forms, tables and costs.

Each reading implements the vocabulary over its own kind of vector.  The Gram reading, over the points of a performance
estimation problem, is ``gram.py``; ``fltheory.worstcase`` uses it.

Some verbs carry the names of their modules, so they are bound here at once and not on first use: an import of the
module would otherwise hide the verb.  Nothing here imports more than NumPy.
"""

from fltheory.readings.biases import Bias as Bias
from fltheory.readings.biases import bias as bias
from fltheory.readings.certified_points import CertifiedPoint as CertifiedPoint
from fltheory.readings.certified_points import certified_fixed_point as certified_fixed_point
from fltheory.readings.cost import Cost as Cost
from fltheory.readings.cost import cost as cost
from fltheory.readings.enumeration import enumerate_moments as enumerate_moments
from fltheory.readings.fixed_points import fixed_point as fixed_point
from fltheory.readings.limits import limit_local_steps_to_infinity as limit_local_steps_to_infinity
from fltheory.readings.limits import series as series
from fltheory.readings.linear_models import linearised_moments as linearised_moments
from fltheory.readings.linear_models import linearised_stationary as linearised_stationary
from fltheory.readings.linear_models import quadratic_model as quadratic_model
from fltheory.readings.linearised import Linearised as Linearised
from fltheory.readings.linearised import linearised as linearised
from fltheory.readings.minimisers import certified_minimiser as certified_minimiser
from fltheory.readings.moments import InsideRounds as InsideRounds
from fltheory.readings.moments import Moments as Moments
from fltheory.readings.moments import inside_rounds as inside_rounds
from fltheory.readings.moments import moments as moments
from fltheory.readings.moments import second_moment_of_gradients as second_moment_of_gradients
from fltheory.readings.numbers import rational_functions as rational_functions
from fltheory.readings.numbers import substitute as substitute
from fltheory.readings.round_map import RoundMap as RoundMap
from fltheory.readings.round_map import round_map as round_map
from fltheory.readings.stability import StabilityLimit as StabilityLimit
from fltheory.readings.stability import stability_limit as stability_limit
from fltheory.readings.stationary_law import Stationary as Stationary
from fltheory.readings.stationary_law import stationary as stationary
from fltheory.readings.trajectory import Trajectory as Trajectory
from fltheory.readings.trajectory import trajectory as trajectory
from fltheory.readings.warned import MeanSquareWarning as MeanSquareWarning
from fltheory.readings.warned import PrecisionWarning as PrecisionWarning
