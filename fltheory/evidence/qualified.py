"""What qualifies the word ``holds``: a hypothesis that the print leaves out, or data that are not the document's."""

from __future__ import annotations

from dataclasses import dataclass, fields


def _require_texts(of: object) -> None:
    for field in fields(of):  # type: ignore[arg-type]
        value = getattr(of, field.name)
        if not isinstance(value, str) or not value.strip():
            raise ValueError(
                f"{field.name}={value!r} of {type(of).__name__} is not valid; expected a text that says it"
            )


@dataclass(frozen=True)
class Unprinted:
    """A hypothesis that a statement needs and that the print leaves out.

    Parameters
    ----------
    hypothesis : what has to be added to the print.
    control : name of the claim's control that drops it: the same code must refute the statement without it, with an
        evaluated counterexample, which is the instance that breaks the claim.

    Raises
    ------
    ValueError : a text is missing.
    """

    hypothesis: str
    control: str

    def __post_init__(self) -> None:
        _require_texts(self)


@dataclass(frozen=True)
class Analogue:
    """How far an experiment that was run again is from the printed one, in the quantities that matter to its outcome.

    Parameters
    ----------
    model, data, size, heterogeneity : ours against the document's: loss or network, examples, numbers of clients, examples
        and rounds, and how the clients differ.

    Raises
    ------
    ValueError : a text is missing.
    """

    model: str
    data: str
    size: str
    heterogeneity: str

    def __post_init__(self) -> None:
        _require_texts(self)
