"""The FedLAMA paper (2021) as symbolic bounds."""
