"""LaTeX of statements as MathML, which browsers set without a library.

``latex2mathml`` knows most of what statements use.  What it leaves as text (norm bars after ``\\left``, escaped braces,
two primes in a row) is put right before and after, so that no command remains in what is shown.
"""

from __future__ import annotations

import html
import re
from functools import cache

#: What the converter leaves as it stands, and the sign that is meant.
_LEFT_OVER = {
    r"\|": "∥",
    r"\{": "{",
    r"\}": "}",
    r"\langle": "⟨",
    r"\rangle": "⟩",
    r"\arg": "arg",
}
_XMLNS = ' xmlns="http://www.w3.org/1998/Math/MathML"'


def _prepared(latex: str) -> str:
    # a prime and an exponent on one letter are two superscripts to the converter: x'^{2} becomes x^{\prime 2}
    latex = re.sub(r"('+)\^\{([^{}]*)\}", lambda m: "^{" + r"\prime " * len(m[1]) + m[2] + "}", latex)
    return re.sub(r"('+)\^(\w)", lambda m: "^{" + r"\prime " * len(m[1]) + m[2] + "}", latex)


def _mended(match: re.Match[str]) -> str:
    text = match[1]
    for command, sign in _LEFT_OVER.items():
        text = text.replace(command, sign)
    return ">" + text.replace(r"\%", "%") + "<"


@cache
def mathml(latex: str) -> str:
    """A formula as one ``<math>`` element in display style, with its LaTeX as accessible text.

    Parameters
    ----------
    latex : the formula without dollar signs.

    Raises
    ------
    ValueError
        if the converter refuses the formula, or a LaTeX command is left in what would be shown.
    ModuleNotFoundError
        without ``latex2mathml`` (``pip install fltheory[report]``).
    """
    from latex2mathml.converter import convert

    try:
        text = convert(_prepared(latex), display="block").replace(_XMLNS, "")
    except Exception as error:  # the converter has a class of its own for every complaint
        raise ValueError(f"no MathML of {latex!r}: {type(error).__name__}") from error
    text = re.sub(r">([^<]*)<", _mended, text)
    left = re.search(r">[^<]*\\[^<]*<", text)
    if left:
        raise ValueError(f"no MathML of {latex!r}: {left[0][1:-1]!r} is left as it stands")
    return text.replace("<math", f'<math aria-label="{html.escape(latex)}"', 1)
