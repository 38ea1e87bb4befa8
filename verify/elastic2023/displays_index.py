"""Where the bounds of the elastic aggregation supplement stand; each of them names its claims."""

from collections.abc import Mapping
from typing import Any

#: Module -> section of the export, in the order of the document.
SECTIONS: Mapping[str, str] = {
    "tuning": "Lemmas 1 and 2: sums that the step size tunes",
    "vectors": "Lemmas 3 and 4: sums of vectors",
    "smooth": "Assumption A4, Lemmas 5 and 6: smooth functions",
    "dissimilarity": "Section 9.2: dissimilarity of the gradients",
    "lemma_7.displays": "Lemma 7: one round",
    "lemma_8.displays": "Lemma 8: drift",
    "rates": "Section 9.3: Theorem I",
    "lower_bound": "Section 9.5: lower bound",
}

#: Bound -> what the export adds to it.
ANNOTATIONS: Mapping[str, Mapping[str, Any]] = {}
