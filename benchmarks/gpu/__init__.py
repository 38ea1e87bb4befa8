"""A CUDA device against the processor beside it: ``python -m benchmarks.gpu``."""
