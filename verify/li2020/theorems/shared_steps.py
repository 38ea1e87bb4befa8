"""Steps shared by the proofs of Theorems 1 to 3 and of their sharpened forms."""

import sympy as sp

from fltheory.theory.li2020 import theorems
from fltheory.theory.proofs import Open, nonnegative_on
from verify.li2020 import symbols
from verify.li2020.lemmas import LEMMA_3, SHARP_DRIFT
from verify.li2020.symbols import G, L, eta, mu

kappa, E, slack, t = sp.symbols("kappa E slack t", nonnegative=True)
#: gamma as a symbol of its own, in the place of max{8 kappa, E}
g = sp.Symbol("gamma")
#: the name of it in statements
GAMMA = {g: theorems.gamma}


def step_conditions_hold(shift: int) -> bool:
    """eta_t <= 1/(4L), eta_t mu <= 1, eta_t <= 2 eta_{t+E} for t >= 1, with x_t = gamma + shift + t - 1 and eta_t = 2/(mu x_t).

    In x_t: x_t >= 8 kappa, x_t >= 2, 2 x_t >= x_t + E; gamma is 8 kappa + slack and also E + slack.  The first also gives
    eta_t <= 2/(L + mu), since 4L >= (L + mu)/2.
    """
    x_kappa, x_steps = 8 * kappa + slack + shift + t - 1, E + slack + shift + t - 1
    ranges = [(kappa, 1, None), (E, 1, None), (slack, 0, None), (t, 1, None)]
    wanted = (x_kappa - 8 * kappa, x_kappa - 2, 2 * x_steps - (x_steps + E))
    sharp_range = nonnegative_on(2 / (L + mu) - 1 / (4 * L), [(mu, Open(0), None), (L, mu, None)])
    return sharp_range and all(nonnegative_on(e, ranges) for e in wanted)


def constant(scheme: str) -> sp.Expr:
    """B of (5), with C of the scheme ("full", "I", "II") as the recursions of Appendix B give it."""
    th = theorems
    own = th.V + 6 * th.L * th.Gamma + 8 * (th.E - 1) ** 2 * th.G2
    cohort = {"full": 0, "I": 1, "II": (th.N - th.K) / (th.N - 1)}[scheme]
    return own + cohort * 4 * th.E**2 * th.G2 / th.K


def supposed(scheme: str) -> tuple[sp.Basic, ...]:
    """What the theorems suppose of the numbers."""
    th = theorems
    cohorts = {"full": (), "I": (th.K >= 1,), "II": (th.K >= 1, th.K <= th.N, th.N >= 2)}[scheme]
    return (th.mu > 0, th.mu <= th.L, th.E >= 1, th.T >= 1, *cohorts)


def drift_is_third_order() -> bool:
    """The sharp drift coefficient of Lemma 1 times Lemma 3 is at most h/x^3, h = 16 L (E-1)^2 G^2/mu^3, for eta = 2/(mu x)."""
    x = sp.Symbol("x")
    enters = (SHARP_DRIFT * LEMMA_3.expression).subs(eta, 2 / (mu * x))
    claimed = 16 * L * (symbols.E - 1) ** 2 * G**2 / mu**3 / x**3
    ranges = [(mu, Open(0), None), (L, mu, None), (symbols.E, 1, None), (G, 0, None), (x, 9, None)]
    return nonnegative_on(claimed - enters, ranges)
