"""The eight lessons, a module each with its ``LESSON``."""
