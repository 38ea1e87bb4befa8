"""What a claim states: text, an object that prints itself, and whether that object is what its check proves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from fltheory.evidence.naming import named_latex

if TYPE_CHECKING:
    import sympy as sp


class Statement(Protocol):
    """What a claim can be about: an object that prints itself, such as :class:`fltheory.theory.bound.Bound`."""

    def latex(self) -> str:
        """The statement in LaTeX."""


class Linked(Protocol):
    """A step that compares what was proved with what is stated, such as :class:`fltheory.theory.steps.Step`."""

    @property
    def verified(self) -> bool:
        """Whether they are the same."""

    @property
    def reason(self) -> str:
        """Where they differ."""


#: A statement as a claim is told it: text, an object, or pieces of both that are printed one after the other.
Stated = str | Statement | Sequence[str | Statement]


def objects_of(stated: Stated) -> tuple[Statement, ...]:
    """The objects of a statement, in order."""
    pieces = stated if isinstance(stated, tuple | list) else (stated,)
    return tuple(piece for piece in pieces if not isinstance(piece, str))


def printed_from(stated: Stated, where: Mapping[sp.Symbol, sp.Expr] | None = None) -> str:
    """The LaTeX of a statement, its bounds with the names of ``where`` (:mod:`fltheory.evidence.naming`).

    Raises
    ------
    ValueError : a piece that has no LaTeX; names for a statement without an object, or that do not fit.
    """
    if where and not objects_of(stated):
        raise ValueError(
            f"where={dict(where)} names quantities of a typed statement; expected a Bound as the statement"
        )
    pieces = stated if isinstance(stated, tuple | list) else (stated,)
    for piece in pieces:
        if not isinstance(piece, str) and not callable(getattr(piece, "latex", None)):
            raise ValueError(
                f"statement={piece!r} is not valid; expected a text, or an object that prints itself in LaTeX"
            )
    return "".join(
        piece if isinstance(piece, str) else named_latex(piece, where) if where else piece.latex() for piece in pieces
    )
