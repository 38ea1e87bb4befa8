"""Bounds of Khaled, Mishchenko and Richtarik, Tighter Theory for Local SGD on Identical and Heterogeneous Data (AISTATS 2020)."""

from fltheory.theory.khaled2020.bounds import heterogeneous_convex as heterogeneous_convex
from fltheory.theory.khaled2020.bounds import identical_convex as identical_convex
from fltheory.theory.khaled2020.bounds import identical_strongly_convex as identical_strongly_convex
