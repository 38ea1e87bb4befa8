"""What the rows on Lemmas D.9 to D.13 of Augenstein et al. (2022), one round of 1-way GT, say in the same words."""

from __future__ import annotations

import sympy as sp

from fltheory.evidence.model import Control
from fltheory.theory.mixed2022.two_way_bounds import W

#: The noise that a round adds, as a name in statements.
NOISE_NAME = {sp.Symbol("nu"): W}

#: The noise of Section 4.1, on both sides.
SAMPLING = ("Assumption 4.1", "E g_c = grad f_c, variance at most sigma_c^2")
#: For 2-way GT.
TWO_WAY_SAMPLING = (*SAMPLING, "centre and clients draw independently, given the start of the round")
LESS_CLIENT_NOISE = Control("client variance 0.99", dict(client="99/100"))
LESS_CENTRAL_NOISE = Control("central variance 0.99", dict(central="99/100"))
LESS_GRADIENT = Control("gradient 0.99", dict(gradient="99/100"))
LESS_NOISE = (LESS_CLIENT_NOISE, LESS_CENTRAL_NOISE)
