"""Is this code the published algorithm?  Probes, named deviations, and the search for the one that gives a user's numbers."""

from fltheory.conformance.adapters import from_client_server as from_client_server
from fltheory.conformance.entry import assert_conforms as assert_conforms
from fltheory.conformance.entry import conform as conform
from fltheory.conformance.one_step import OneStepReport as OneStepReport
from fltheory.conformance.one_step import one_step_check as one_step_check
from fltheory.conformance.report import Conformance as Conformance
