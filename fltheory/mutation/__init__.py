"""Statements made false on purpose: does the row of a bound notice when the bound itself is changed?

:mod:`~fltheory.mutation.mutants` changes one number of a bound or drops a hypothesis, :mod:`~fltheory.mutation.planting` puts
that into the object before any script is imported, :mod:`~fltheory.mutation.runs` runs the bound's own rows on it in a fresh
process, and :mod:`~fltheory.mutation.score` runs them and :mod:`~fltheory.mutation.kept` counts what was noticed.
"""
