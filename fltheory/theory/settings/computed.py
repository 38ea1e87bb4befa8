"""How every number of the vocabulary is computed."""

from __future__ import annotations

from collections.abc import Callable

from fltheory.theory.settings import dissimilarity_known, losses_known, noise_known, rates_known
from fltheory.theory.settings.setting import Answer, RateSetting

COMPUTED: dict[str, Callable[[RateSetting], Answer]] = {
    **rates_known.COMPUTED,
    **losses_known.COMPUTED,
    **noise_known.COMPUTED,
    **dissimilarity_known.COMPUTED,
}
