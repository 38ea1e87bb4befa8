"""The elastic aggregation supplement derived from its hypotheses: sums of vectors, smooth functions, clients."""
