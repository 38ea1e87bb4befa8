"""The report: what is true in the documents, as one HTML file that opens from disk and asks no network.

Everything in it is read from the results (:mod:`fltheory.evidence.ledger`); nothing is computed again.
"""

from fltheory.report.assemble import build_report, write_report

__all__ = ["build_report", "write_report"]
