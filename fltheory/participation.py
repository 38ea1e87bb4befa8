"""``fl.participation``: who takes part in a round, and how what they send is averaged."""

from fltheory.algorithms import Full, NormalisedUniform, Original, SchemeI, SchemeII, TransformedSchemeII

__all__ = ["Full", "NormalisedUniform", "Original", "SchemeI", "SchemeII", "TransformedSchemeII"]
