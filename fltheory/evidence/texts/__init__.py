"""Texts for people, all made of the rows of the ledger: what a checkout shows of it.

``words`` a verdict and its reason in words; ``markdown`` and ``places`` how texts are written and where a row stands;
``blocks`` and ``pages`` the full rows, a page per section of a document; ``findings``, ``errata``, ``sharpened`` and
``front`` the report ``paper_checks.md``; ``cards`` the sharpened theorems, ``docs/theorems.md``; ``tables`` the ledger
for machines (CSV and its schema); ``files`` all of them.
"""
