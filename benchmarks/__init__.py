"""Measurements of the package, run from the repository root: ``python -m benchmarks.worst_case.NAME``."""
