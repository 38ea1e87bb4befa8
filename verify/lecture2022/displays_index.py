"""Where the displays of the lecture note belong, and the claims that its theorems and lemmas state."""

from collections.abc import Mapping
from typing import Any

#: Module -> section of the export, in the order of the document.
SECTIONS: Mapping[str, str] = {
    "bounds": "Theorems, lemma and corollaries",
    "displays.outside_the_proof": "Algorithms, rates and notions of non-iid data",
    "displays.proof": "Proofs of Theorem 1 and Lemma 1",
    "worst_cases.trade": "Theorem 1 with a trade between its terms",
    "worst_cases.whole_periods": "Theorems 1 and 3, whole periods",
}

#: Bound -> what the export adds to it.
ANNOTATIONS: Mapping[str, Mapping[str, Any]] = {
    "bounds.theorem_1": {"ids": ("LEC-THM1", "LEC-MN", "LEC-IIDSCOPE")},
    "bounds.theorem_1_averaged": {"ids": ("LEC-THM1-S1",)},
    "bounds.theorem_1_periods.printed": {"ids": ("LEC-THM1-S2",)},
    "bounds.theorem_1_periods.FedAvg": {"ids": ("LEC-THM1-S2",)},
    "bounds.lemma_1": {"ids": ("LEC-LEM1",)},
    "bounds.lemma_1_sharp": {"ids": ("LEC-LEM1-S1",)},
    "bounds.lemma_1_average": {"ids": ("LEC-LEM1-S2",)},
    "bounds.lemma_1_rounds": {"ids": ("LEC-LEM1-S3",)},
    "bounds.theorem_1_one_local_step": {"ids": ("LEC-COR4a-ABS",)},
    "bounds.corollary_2_first": {"ids": ("LEC-COR2a",)},
    "bounds.corollary_2_second": {"ids": ("LEC-COR2b",)},
    "bounds.theorem_3": {"ids": ("LEC-THM3",)},
    "bounds.theorem_3_sharp": {"ids": ("LEC-THM3-S1",)},
    "bounds.corollary_4_first": {"ids": ("LEC-COR4a",)},
    "bounds.corollary_4_second": {"ids": ("LEC-COR4b",)},
    "bounds.corollary_4_rate": {"ids": ("LEC-COR4b",)},
    "bounds.one_step": {"ids": ("LEC-P7",)},
    "bounds.one_step_with_drift": {"ids": ("LEC-P8.2",)},
    "worst_cases.trade.one_step_traded": {"ids": ("LEC-PFIN-S1",)},
    "worst_cases.trade.theorem_1_traded": {"ids": ("LEC-THM1-S4",)},
    "worst_cases.whole_periods.theorem_1_period.FedAvg": {"ids": ("LEC-THM1-S6",)},
    "worst_cases.whole_periods.theorem_1_period.printed": {"ids": ("LEC-THM1-S7",)},
    "worst_cases.whole_periods.theorem_3_period": {"ids": ("LEC-THM3-S3",)},
}
