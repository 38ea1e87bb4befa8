"""What the rows on Lemmas D.9 to D.13 of Augenstein et al. (2022), one round of 1-way GT, say in the same words."""

import sympy as sp

from fltheory.evidence.model import Control
from fltheory.theory.mixed2022.two_way_bounds import W

#: The noise that a round adds, as a name in statements.
NOISE_NAME = {sp.Symbol("nu"): W}

#: The noise of Section 4.1, on both sides.
INDEPENDENT = "client noise independent between clients, of the central noise and of earlier draws, given the points"
SAMPLING = ("Assumption 4.1", "E g_c = grad f_c, variance at most sigma_c^2", INDEPENDENT)
#: For 2-way GT.
TWO_WAY_SAMPLING = (*SAMPLING, "centre and clients draw independently, given the start of the round")
#: Before a statement in the mean whose one index runs over clients i and local steps k together.
BOTH_INDICES = r"\text{with }\sum_k p_k\text{ for }\tfrac1{KN}\sum_{i,k}:\ "
LESS_CLIENT_NOISE = Control("client variance 0.99", dict(client="99/100"))
LESS_CENTRAL_NOISE = Control("central variance 0.99", dict(central="99/100"))
LESS_GRADIENT = Control("gradient 0.99", dict(gradient="99/100"))
LESS_NOISE = (LESS_CLIENT_NOISE, LESS_CENTRAL_NOISE)
#: Method and range of the proofs for convex losses.
CONVEX_WORDS = dict(
    method="induction over the local steps: variance of the client gradient (conditional mean), relaxed triangle inequality with a "
    "= K, nonexpansive steps; 2 K k/(2K - k + 1) bounds the sum of the growth's powers",
    valid_for="every N, K >= 1, dimension, eta <= 2/beta, all noise laws",
)
#: The conditions without convexity, those on the step sizes last; what they say of the symbols, and of the range.
SMOOTH_CONDITIONS = (*SAMPLING, "f_f beta-smooth", "eta_s >= 1", "effective step at most 1/(18 beta)")
SMOOTH_VALID = (
    "every N, K >= 1, eta_s >= 1, dimension, effective step up to 1/(18 beta), beta-smooth f_f (convex or not), all noise "
    "laws"
)
