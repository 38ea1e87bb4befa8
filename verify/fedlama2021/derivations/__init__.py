"""The FedLAMA paper derived from its hypotheses."""
