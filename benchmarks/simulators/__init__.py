"""Simulators of federated learning on the softmax problem of ``benchmarks/speed``, once and dated.

``python -m benchmarks.simulators NAME=PYTHON ...`` runs each in the environment of its own that ``PYTHON`` belongs to, with its
fastest loader of data that lie in memory, and writes ``results/benchmarks/simulators.json``.  What does not run is said there.
"""
