"""Exact worst cases over function classes, for any number of clients, and proofs that are checked in rationals."""

from fltheory.worstcase.answer import WorstCase as WorstCase
from fltheory.worstcase.classes import Dissimilarity as Dissimilarity
from fltheory.worstcase.classes import FunctionClass as FunctionClass
from fltheory.worstcase.classes import MixedDissimilarity as MixedDissimilarity
from fltheory.worstcase.classes import Smooth as Smooth
from fltheory.worstcase.classes import SmoothConvex as SmoothConvex
from fltheory.worstcase.classes import SmoothStronglyConvex as SmoothStronglyConvex
from fltheory.worstcase.client_classes import ClientClasses as ClientClasses
from fltheory.worstcase.entry import worst_case as worst_case
from fltheory.worstcase.worst_class import worst_class as worst_class
