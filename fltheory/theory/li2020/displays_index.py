"""Where the displays of Li et al. (2020) belong, and the claims that the bounds of the older modules state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Module -> section of the export, in the order of the document.
SECTIONS: Mapping[str, str] = {
    "displays_section_2": "Abstract, Sections 1, 2 and 3.1",
    "theorems": "Sections 3.2 and 3.3: Theorems 1 to 3",
    "discussion": "Sections 1 and 3.4: (1), (7) and (8)",
    "displays_section_3": "Sections 3.2 to 3.4, Section 4 and Appendix D",
    "appendix_a": "Appendix A: Lemmas 1 to 3, (13) and the conclusion",
    "displays_appendix_a": "Appendix A.1 to A.3, proofs of Lemmas 2 and 3",
    "displays_lemma_1": "Appendix A.4: proof of Lemma 1",
    "appendix_b": "Appendix B: Lemma 5 and the recursions",
    "displays_appendix_b": "Appendix B: notation, proofs of Lemmas 4 and 5",
    "displays_appendix_c": "Appendix C.1 to C.3: the example",
    "displays_theorem_5": "Appendix C.4 and C.5: proofs of Theorem 5 and Lemma 6",
    "frontier": "Sharper statements: all factors of Lemma 1, and Theorem 1 with them",
    "no_bounded_gradients": "Sharper statements: Theorem 1 without bounded gradients",
}

#: Bound -> what the export adds to it.
ANNOTATIONS: Mapping[str, Mapping[str, Any]] = {
    "theorems.theorem_1": {"ids": ("LI-THM1",)},
    "theorems.theorem_2": {"ids": ("LI-THM2",)},
    "theorems.theorem_3": {"ids": ("LI-THM3",)},
    "theorems.theorem_1_sharpened": {"ids": ("LI-THM1-S1",)},
    "theorems.theorem_2_sharpened": {"ids": ("LI-THM1-S1",)},
    "theorems.theorem_3_sharpened": {"ids": ("LI-THM1-S1",)},
    "theorems.theorem_1_improved": {"ids": ("LI-THM1-S2",)},
    "theorems.theorem_2_improved": {"ids": ("LI-THM2-S1",)},
    "theorems.theorem_3_improved": {"ids": ("LI-THM3-S1",)},
    "discussion.rounds_introduction": {
        "ids": ("LI-EQ1", "LI-EQ1-SRC"),
        "relation": "O",
        "repaired_by": "LI-EQ8-R1",
    },
    "discussion.dominating_term": {"ids": ("LI-EQ7", "LI-EQ1-SRC"), "relation": "O", "repaired_by": "LI-EQ7-R1"},
    "discussion.rounds_to_accuracy": {"ids": ("LI-EQ8", "LI-EQ8-U"), "relation": "~", "repaired_by": "LI-EQ8-R1"},
    "appendix_a.LEMMA_1": {"ids": ("LI-LEM1",)},
    "appendix_a.LEMMA_1_SHARP": {"ids": ("LI-LEM1-S1",)},
    "appendix_a.LEMMA_2": {"ids": ("LI-LEM2", "LI-L2PF")},
    "appendix_a.LEMMA_3": {"ids": ("LI-LEM3", "LI-L3PF1..5")},
    "appendix_a.RECURSION": {"ids": ("LI-EQ13",)},
    "appendix_a.RECURSION_SHARP": {"ids": ("LI-EQ13-S1",)},
    "appendix_a.DISTANCE": {"ids": ("LI-IND0.2",)},
    "appendix_a.FINAL": {"ids": ("LI-A3-FIN",)},
    "appendix_b.lemma_5_scheme_i": {"ids": ("LI-LEM5-1",), "repaired_by": "LI-LEM5-1[over all randomness]"},
    "appendix_b.lemma_5_scheme_ii": {"ids": ("LI-LEM5-2",), "repaired_by": "LI-LEM5-2[over all randomness]"},
    "appendix_b.lemma_5_scheme_i_sharpened": {"ids": ("LI-LEM5-1-S1",)},
    "appendix_b.lemma_5_scheme_ii_sharpened": {"ids": ("LI-LEM5-2-S1",)},
    "appendix_b.recursion_between": {"ids": ("LI-B3-NS",)},
    "appendix_b.recursion_scheme_i": {"ids": ("LI-EQ25.1",)},
    "appendix_b.recursion_scheme_ii": {"ids": ("LI-EQ25.2",)},
}
