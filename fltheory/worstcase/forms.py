"""All constraints of a model as exact linear forms in Gram entries and function values, as the verifier itself writes them.

A form is ``{(block, i, j): factor}`` with ``i <= j`` for products and ``{("f", register): factor}`` for function values, in
coordinates in which the certificate's blocks are written.  Instances and multipliers may be of any exact field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from fltheory.worstcase import certificate, verifier
from fltheory.worstcase.model import Model
from fltheory.worstcase.multipliers import PairKey, pair_keys

Form = dict[Any, Any]
Matrix = list[list[Any]]
#: Gram blocks by name, and function values by register.
Instance = tuple[Mapping[str, Matrix], Mapping[int, Any]]
#: The verifier writes down interpolation in exact coordinates; it has no types.
_VERIFIER: Any = verifier
_KINDS = {"m": "mean", "d": "deviation", "n": "draw"}


@dataclass(frozen=True)
class Forms:
    """The forms of a model: interpolation ``q_a >= 0`` for each of ``keys``, assumptions ``A_b <= limit_b``, the measure."""

    model: Model

    @cached_property
    def keys(self) -> list[PairKey]:
        """Names of the interpolation inequalities, in the order of the solver's rows."""
        return pair_keys(self.model)

    @cached_property
    def _trusted(self) -> Any:
        return _VERIFIER._Model(certificate.statement(self.model))

    @cached_property
    def pairs(self) -> list[Form]:
        """``q_a`` for each key."""
        found = []
        for name, i, j, draw in self.keys:
            _refreshed(self._trusted)
            listed = (i, j, Fraction(1)) if draw is None else (i, j, Fraction(1), draw)
            found.append(self._named(self._trusted.interpolation(name, [listed])))
        return found

    @cached_property
    def assumptions(self) -> list[Form]:
        """``A_b`` for each assumption."""
        return [self._named(form) for form, _, _ in self._trusted.assumptions]

    @cached_property
    def measure(self) -> Form:
        """The measure."""
        return self._named(self._trusted.measure)

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes of the blocks."""
        return self.model.space.sizes

    def _named(self, form: Mapping[Any, Fraction]) -> Form:
        """The same with blocks named as in the model, without what is zero or fixed at zero."""
        found = {}
        for key, entry in form.items():
            if key[0] == "f":
                if key[1] in self.model.values and entry:
                    found[key] = entry
            elif entry:
                (kind, draw), i, j = key
                found[_KINDS[kind] + (f" {draw}" if draw >= 0 else ""), i, j] = entry
        return found

    def limits(self, quantities: Mapping[str, Fraction]) -> list[Fraction]:
        """Right-hand sides of the assumptions."""
        return [
            Fraction(0) if item.bound is None else item.scale * quantities[item.bound]
            for item in self.model.assumptions
        ]

    def slack(self, pairs: Sequence[Any], assumptions: Sequence[Any]) -> Form:
        """``sum y_b A_b - sum y_a q_a - measure``."""
        total: Form = {key: -entry for key, entry in self.measure.items()}
        for sign, listed, forms in ((-1, pairs, self.pairs), (1, assumptions, self.assumptions)):
            for y, form in zip(listed, forms, strict=True):
                if y:
                    for key, entry in form.items():
                        total[key] = total.get(key, 0) + sign * y * entry
        return total

    def matrices(self, form: Form) -> dict[str, Matrix]:
        """A form's symmetric matrix in each block."""
        found: dict[str, Matrix] = {
            name: [[Fraction(0)] * size for _ in range(size)] for name, size in self.sizes.items()
        }
        for key, entry in form.items():
            if key[0] != "f":
                block, i, j = key
                found[block][i][j] = found[block][i][j] + entry / 2
                found[block][j][i] = found[block][j][i] + entry / 2
        return found

    def values_in(self, form: Form) -> dict[int, Any]:
        """A form's factors of function values."""
        return {key[1]: entry for key, entry in form.items() if key[0] == "f"}

    @staticmethod
    def evaluate(form: Form, instance: Instance) -> Any:
        """A form on an instance."""
        blocks, values = instance
        total: Any = Fraction(0)
        for key, entry in form.items():
            other = values[key[1]] if key[0] == "f" else blocks[key[0]][key[1]][key[2]]
            if other:
                total = total + entry * other
        return total


def _refreshed(trusted: Any) -> None:
    """A certifier may work for longer than a verifier is willing to: each form has the whole allowance."""
    trusted.program.work = _VERIFIER.Work()
