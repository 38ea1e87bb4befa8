"""Fenced formulas of the pages as MathML, which browsers set without a library."""

from __future__ import annotations

from typing import Any


def math(source: str, language: str, css_class: str, options: Any, md: Any, **more: Any) -> str:
    """A fenced block of LaTeX as one ``<math>`` element; the signature is that of a custom fence of pymdown-extensions."""
    from fltheory.report.maths import mathml

    return f'<div class="{css_class}">{mathml(" ".join(source.split()))}</div>'
