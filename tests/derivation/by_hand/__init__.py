"""Instances that are told by hand, for derivations whose hypotheses need each other more than what is made by itself allows.

Numbers, vectors and values by name, constants or functions of a point; what is not named is made as for other derivations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fltheory.derivation.draws import Attempt
from tests.derivation.by_hand.elastic import ELASTIC
from tests.derivation.by_hand.exponentials import EXPONENTIALS
from tests.derivation.by_hand.fedlama import FEDLAMA
from tests.derivation.by_hand.mixed import MIXED
from tests.derivation.by_hand.mixed_rates import MIXED_RATES
from tests.derivation.by_hand.others import OTHERS

BY_HAND = {**ELASTIC, **FEDLAMA, **MIXED, **MIXED_RATES, **EXPONENTIALS, **OTHERS}


def attempts(title: str, lines: Sequence[Any]) -> tuple[Attempt, ...]:
    """What is tried for a derivation before that which is tried for each."""
    found = BY_HAND.get(title, ())
    return found(lines) if callable(found) else found
