"""Li, Huang, Yang, Wang, Zhang (2020), "On the Convergence of FedAvg on Non-IID Data"."""

from fltheory.theory.li2020.theorems import theorem_1 as theorem_1
from fltheory.theory.li2020.theorems import theorem_1_improved as theorem_1_improved
from fltheory.theory.li2020.theorems import theorem_1_sharpened as theorem_1_sharpened
from fltheory.theory.li2020.theorems import theorem_2 as theorem_2
from fltheory.theory.li2020.theorems import theorem_2_improved as theorem_2_improved
from fltheory.theory.li2020.theorems import theorem_2_sharpened as theorem_2_sharpened
from fltheory.theory.li2020.theorems import theorem_3 as theorem_3
from fltheory.theory.li2020.theorems import theorem_3_improved as theorem_3_improved
from fltheory.theory.li2020.theorems import theorem_3_sharpened as theorem_3_sharpened
