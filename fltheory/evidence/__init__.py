"""Claims as programs: what evidence is, how checks are run, and how verdicts, ledger and report follow from them.

``model`` claims, evidence and verdicts, ``declare`` groups of claims; ``proofs`` and ``certificates`` the trusted symbolic
checks; ``ids`` and ``catalogue`` which claims there are and which scripts define them; ``rows``, ``pool``, ``worker`` and
``runner`` how they are run; ``keys``, ``store``, ``ledger`` and ``check`` what is kept of it; ``texts`` what people read;
``displays`` the bounds of a document as LaTeX; ``session`` and ``show`` serve the command line; ``places`` knows the folders
and lets ``verify`` be imported.  Statistics of sampled claims are in :mod:`fltheory.experiments`.
"""

from fltheory.evidence.places import make_wings_importable

make_wings_importable()
