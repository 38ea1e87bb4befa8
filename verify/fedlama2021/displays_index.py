"""Where the bounds of the FedLAMA paper stand; each of them names its claims."""

from collections.abc import Mapping
from typing import Any

#: Module -> section of the export, in the order of the document.
SECTIONS: Mapping[str, str] = {
    "lemma_5_1": "Lemma 5.1 and its proof, (17) to (19)",
    "lemma_5_2_displays": "Lemma 5.2 and Theorem 5.3",
}

#: Bound -> what the export adds to it.
ANNOTATIONS: Mapping[str, Mapping[str, Any]] = {}
