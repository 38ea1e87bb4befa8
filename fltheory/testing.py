"""For a project's own tests: ``assert_conforms(run, "Scaffold")`` fails with a report unless the code is the algorithm."""

from fltheory.conformance.entry import assert_conforms as assert_conforms

__all__ = ["assert_conforms"]
