"""The lecture note derived: from hypotheses on clients, gradients and noise to its bounds, line by line."""
