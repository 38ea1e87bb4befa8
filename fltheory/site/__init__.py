"""The pages of docs/ as a site that opens from disk: ``fltheory docs``, or ``python -m mkdocs build`` in a checkout.

MkDocs with the Material theme, because the guides are Markdown that is read in the repository as well, and its pages and search
work from disk; mkdocstrings reads the docstrings without importing what they describe.
"""
