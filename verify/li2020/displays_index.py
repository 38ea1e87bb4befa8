"""Where the displays of Li et al. (2020) belong, and the claims that the bounds stated elsewhere speak of."""

from collections.abc import Mapping
from typing import Any

#: Module -> section of the export, in the order of the document.
SECTIONS: Mapping[str, str] = {
    "displays.section_2": "Abstract, Sections 1, 2 and 3.1",
    "theorems": "Sections 3.2 and 3.3: Theorems 1 to 3",
    "discussion.bounds": "Sections 1 and 3.4: (1), (7) and (8)",
    "displays.section_3": "Sections 3.2 to 3.4, Section 4 and Appendix D",
    "lemmas": "Appendix A: Lemmas 1 to 3, (13) and the conclusion",
    "displays.appendix_a": "Appendix A.1 to A.3, proofs of Lemmas 2 and 3",
    "displays.lemma_1": "Appendix A.4: proof of Lemma 1",
    "cohorts": "Appendix B: Lemma 5 and the recursions",
    "displays.appendix_b": "Appendix B: notation, proofs of Lemmas 4 and 5",
    "displays.appendix_c": "Appendix C.1 to C.3: the example",
    "displays.theorem_5": "Appendix C.4 and C.5: proofs of Theorem 5 and Lemma 6",
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
    "discussion.bounds.rounds_introduction": {
        "ids": ("LI-EQ1", "LI-EQ1-SRC"),
        "relation": "O",
        "repaired_by": "LI-EQ8-R1",
    },
    "discussion.bounds.dominating_term": {"ids": ("LI-EQ7", "LI-EQ1-SRC"), "relation": "O", "repaired_by": "LI-EQ7-R1"},
    "discussion.bounds.rounds_to_accuracy": {
        "ids": ("LI-EQ8", "LI-EQ8-U"),
        "relation": "~",
        "repaired_by": "LI-EQ8-R1",
    },
    "lemmas.LEMMA_1": {"ids": ("LI-LEM1",)},
    "lemmas.LEMMA_1_SHARP": {"ids": ("LI-LEM1-S1",)},
    "lemmas.LEMMA_2": {"ids": ("LI-LEM2", "LI-L2PF")},
    "lemmas.LEMMA_3": {"ids": ("LI-LEM3", "LI-L3PF1..5")},
    "lemmas.RECURSION": {"ids": ("LI-EQ13",)},
    "lemmas.RECURSION_SHARP": {"ids": ("LI-EQ13-S1",)},
    "lemmas.DISTANCE": {"ids": ("LI-IND0.2",)},
    "lemmas.FINAL": {"ids": ("LI-A3-FIN",)},
    "cohorts.lemma_5_scheme_i": {"ids": ("LI-LEM5-1",), "repaired_by": "LI-LEM5-1[over all randomness]"},
    "cohorts.lemma_5_scheme_ii": {"ids": ("LI-LEM5-2",), "repaired_by": "LI-LEM5-2[over all randomness]"},
    "cohorts.lemma_5_scheme_i_sharpened": {"ids": ("LI-LEM5-1-S1",)},
    "cohorts.lemma_5_scheme_ii_sharpened": {"ids": ("LI-LEM5-2-S1",)},
    "cohorts.recursion_between": {"ids": ("LI-B3-NS",)},
    "cohorts.recursion_scheme_i": {"ids": ("LI-EQ25.1",)},
    "cohorts.recursion_scheme_ii": {"ids": ("LI-EQ25.2",)},
}
