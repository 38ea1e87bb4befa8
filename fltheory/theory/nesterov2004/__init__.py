"""Bounds of Nesterov, Introductory Lectures on Convex Optimization (2004): gradient descent, the baseline of local methods."""

from fltheory.theory.nesterov2004.bounds import gradient_descent_convex as gradient_descent_convex
from fltheory.theory.nesterov2004.bounds import gradient_descent_distance as gradient_descent_distance
from fltheory.theory.nesterov2004.bounds import gradient_descent_gap as gradient_descent_gap
