"""Mutation of the package: small changes of its code, each of which some test should see.

``python -m benchmarks.mutation`` draws mutants by a seed, the same number from each folder, runs the tests that can see each
one in a copy of the project, and writes the scores to ``results/benchmarks/mutation.json``; it goes on where it stopped.

Why not mutmut, cosmic-ray or mutatest: none draws a seeded sample per folder and keeps a reviewed list of equivalent mutants
apart from the sources, mutmut 3 leaves out code outside functions and writes wrappers into modules whose sources this project
digests, cosmic-ray runs one fixed test command for every mutant, and mutatest is no longer kept.  With some forty claims to
check here, tests chosen by what they ran are what makes hundreds of mutants affordable, and that part would have had to be
written in any case.
"""
