"""Claims as programs: what evidence is, how checks are run, and how verdicts, ledger and report follow from them.

``model`` claims, evidence and verdicts; ``proofs`` and ``certificates`` the trusted symbolic checks; ``statistics``
tests of sampled means and fitted orders; ``ids`` and ``catalogue`` which claims there are and which scripts define
them; ``rows``, ``workers`` and ``runner`` how they are run; ``keys``, ``store``, ``ledger`` and ``check`` what is kept of
it; ``texts`` what people read; ``session`` and ``show`` serve the command line; ``places`` knows the folders and lets
``verify`` be imported.
"""

from fltheory.evidence.places import make_wings_importable

make_wings_importable()
