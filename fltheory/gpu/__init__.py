"""Runs on a CUDA device through CuPy: the same rounds, cohorts and batches, in other arrays.

===================== ===============================================================================================
``cuda/*.cu``         the kernels, CUDA C++ that CuPy compiles when it is first asked for one
``source``            their text, and the parameters of each kernel as it declares them
``device``            the device, or what is missing for one; launches, constants, memory
``data``              the numbers of problems on the device
``plans``             local steps in one launch; ``quadratic``: as matrix products
``families``          which of them serves a problem with an oracle; ``measures``: values and gaps of models
``cohorts``           cohorts of many rounds, drawn in one call
``federation``        the vocabulary over device arrays
===================== ===============================================================================================

Nothing here imports CuPy until a run asks for ``backend="cupy"``.
"""
