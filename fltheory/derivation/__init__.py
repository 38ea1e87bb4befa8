"""Facts made by rules only, from declared hypotheses to statements, and the replayer that trusts nothing else."""
