"""Speed against peers: ``python -m benchmarks.speed`` from the repository root writes ``results/benchmarks/speed.json``.

fltheory, JAX (jit, vmap and loops, float64), NumPy with the clients vectorised, NumPy and PyTorch with a loop over the clients:
the same problem, step sizes, cohorts and batch sizes in one process, one after the other in turn, on one core.  Before anything
is timed, all of them are given the same draws and must end at the same model.  What is not installed is left out and said.
"""
