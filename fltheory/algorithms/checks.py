"""Argument checks shared by the algorithms."""

from __future__ import annotations


def check_local_steps(local_steps: int) -> None:
    """Raise ``ValueError`` unless ``local_steps`` is an integer of at least one."""
    if isinstance(local_steps, bool) or not isinstance(local_steps, int):
        raise ValueError(f"local_steps={local_steps!r} must be an integer")
    if local_steps < 1:
        raise ValueError(f"local_steps={local_steps}: E must be at least 1")
