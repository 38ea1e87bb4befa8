"""The steps of the proofs of the theorems without bounded gradients: certificates, identities, signs.

Each function returns named checks; what they say together is in :mod:`fltheory.theory.li2020.no_bounded_gradients`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import sympy as sp

from fltheory.evidence.relations import Relations
from fltheory.theory.closure import Closure
from fltheory.theory.li2020 import theorems
from fltheory.theory.li2020.no_bounded_gradients import distance_bound, noise_square
from fltheory.theory.proofs import Certificate, Open, is_zero, nonnegative_on
from fltheory.theory.record import remembered
from fltheory.theory.signs import pole
from verify.li2020 import symbols
from verify.li2020.frontier import TURN, B, s
from verify.li2020.symbols import L, eta, f_min, f_star, g_star, interpolation, mu, wstar

kappa, x, n, E, T, gamma, c, done, i = sp.symbols("kappa x n E T gamma c l i")
_CLASS = ((mu, Open(0), None), (L, mu, None))
#: 0 <= mu <= L and steps up to 2/(L + mu).
STEP_RANGE = (*_CLASS, (eta, 0, TURN))
#: The same with mu < L, where a step divides by L - mu.
BESIDE_EQUAL = ((mu, Open(0), None), (L, Open(mu), None), (eta, 0, TURN))
#: What all theorems suppose of the numbers.
SUPPOSED = (theorems.mu > 0, theorems.mu <= theorems.L, theorems.E >= 1, theorems.T >= 1)
Signs = Mapping[str, tuple[sp.Expr, tuple[tuple[sp.Symbol, Any, Any], ...]]]


@dataclass(frozen=True)
class ChecksOfProof:
    """Checks of a proof: polynomial certificates, residuals that vanish, expressions nonnegative, or without a pole, on ranges,
    and relations."""

    polynomial: Mapping[str, Certificate | Closure] = field(default_factory=dict)
    identities: Mapping[str, sp.Expr] = field(default_factory=dict)
    signs: Signs = field(default_factory=dict)
    regular: Signs = field(default_factory=dict)
    relations: Mapping[str, Relations] = field(default_factory=dict)

    def failed(self) -> list[str]:
        """The steps that are not proved."""
        verified = {name: item.verify() for name, item in self.polynomial.items()}
        bad = [f"{name}: {why}" for name, (good, why) in verified.items() if not good]
        bad += [name for name, residual in self.identities.items() if not is_zero(residual)]
        bad += [name for name, (expr, ranges) in self.regular.items() if pole(expr, ranges) is not None]
        bad += [name for name, stated in self.relations.items() if not stated.proof[0]]
        return bad + [name for name, (expr, ranges) in self.signs.items() if not nonnegative_on(expr, ranges)]

    def data(self, writers: Any) -> dict[str, Any]:
        """The checks as data that can be verified again; ``writers`` is :mod:`fltheory.evidence.certificates`, a layer above."""
        found = {
            name: writers.closure(item) if isinstance(item, Closure) else writers.polynomial(item)
            for name, item in self.polynomial.items()
        }
        found |= {name: writers.identity(item) for name, item in self.identities.items()}
        found |= {name: writers.nonnegative(*item) for name, item in self.signs.items()}
        found |= {name: stated.certificate for name, stated in self.relations.items()}
        return found | {name: writers.regular([expr], ranges) for name, (expr, ranges) in self.regular.items()}

    def __or__(self, other: ChecksOfProof) -> ChecksOfProof:
        return ChecksOfProof(*({**getattr(self, item.name), **getattr(other, item.name)} for item in fields(self)))


def two_points() -> ChecksOfProof:
    """A client's step from two points u, v; d and D are the differences of the points and of the gradients.

    ``|d - eta D| <= (1 - eta mu)|d|``, and ``|d - eta D - s d| <= eta (L-mu)/2 |d|``, for steps up to 2/(L + mu).
    """
    d, u, v, g_u, g_v, f_u, f_v = sp.symbols("d u v g_u g_v f_u f_v")
    d, turn = u - v, g_u - g_v
    there, back = (u, f_u, g_u, v, f_v, g_v), (v, f_v, g_v, u, f_u, g_u)
    pairs = {"A1, A2 from v to u": there, "A1, A2 from u to v": back}
    sources = {name: symbols.interpolation_sources(*pair) for name, pair in pairs.items()}

    def certified(left: sp.Expr, factor: sp.Expr, weight: sp.Expr, squares: list[tuple[sp.Expr, sp.Expr]]) -> Closure:
        premises = {name: (weight, interpolation(*pair)) for name, pair in pairs.items()}
        return symbols.at_equal_constants(
            Certificate(left**2, factor**2 * d**2, premises, squares, BESIDE_EQUAL), sources
        )

    after, reach = d - eta * turn, eta * (L - mu) / 2
    return ChecksOfProof(
        {
            "two runs of a client approach by 1 - eta mu": certified(
                after, B, 2 * eta * B, [(2 * eta * s / (L - mu), turn - mu * d)]
            ),
            "a step is s times the point, up to eta (L-mu)/2": certified(after - s * d, reach, eta**2 * (L - mu), []),
        },
        {
            "interpolation from A1 and A2 at a further point": symbols.interpolation_residual(),
            "s + eta (L-mu)/2 = 1 - eta mu": s + reach - B,
            "u = v - eta g_v: the difference after the step is -eta g_u": after.subs(u, v - eta * g_v) + eta * g_u,
        },
        {"s >= 0": (s, STEP_RANGE)},
    )


def heterogeneity_and_gamma() -> ChecksOfProof:
    """``|grad F_k(w*)|^2 <= 2 L (F_k(w*) - F_k*)`` from A1 at w* - grad F_k(w*)/L; averaged, ``zeta^2 <= 2 L Gamma``."""
    z = wstar - g_star / L
    descent = symbols.smoothness(z, f_min, wstar, f_star, g_star)
    return ChecksOfProof(identities={"zeta^2 <= 2 L Gamma": 2 * L * descent - (2 * L * (f_star - f_min) - g_star**2)})


def distance_recursion() -> ChecksOfProof:
    """``mu U_next = (1 - 2/x) mu U + (kappa-1)/x sum 2/(x-i) zeta`` multiplied by x (x-1) telescopes."""
    start, zeta, more = sp.Symbol("D"), sp.Symbol("zeta"), sp.Symbol("t", nonnegative=True)
    statement = distance_bound(kappa, E, 2 + more, gamma, start, zeta)
    return ChecksOfProof(
        relations={
            "what enters, times x (x-1), and eta <= 2/(L + mu) for x >= kappa + 1": Relations(
                "x*(x - 1)*(1 - 2/x) = (x - 1)*(x - 2); mu*eta*(L - mu)/2*2*n/(mu*(x - n))*x*(x - 1) "
                "= 2*(kappa - 1)*n*(x - 1)/(x - n); eta <= 2/(L + mu) "
                "for kappa >= 1; mu > 0; x >= kappa + 1; 0 <= n < x; L = kappa*mu; eta = 2/(mu*x)"
            ),
            "the statement is what telescopes, T = 2 + t": Relations(
                f"(gamma + t + 1)*(gamma + t)*({statement}) = gamma*(gamma - 1)*D "
                "+ (kappa - 1)*(1 + (E - 2)/gamma)*t*(E - 1)*zeta for gamma > 1; t >= 0"
            ),
            "1 <= i <= n <= E - 1, x - n >= gamma": Relations(
                "1/(x - i) <= 1/(x - n); (x - 1)/(x - n) <= 1 + (E - 2)/gamma for gamma >= 1; i >= 1; j >= 0; r >= 0; q >= 0; "
                "n = i + j; x = n + gamma + r; E = n + 1 + q"
            ),
        }
    )


def attained() -> ChecksOfProof:
    """Runs with equality: two parabolas of curvatures L and mu from w* at E = 2, T = 4; ``F_k = mu w^2/2``, step by step."""
    curvatures, slopes, half = (kappa * mu, mu), (sp.Rational(1, 2), -sp.Rational(1, 2)), sp.Rational(1, 2)
    points: tuple[sp.Expr, ...] = (sp.Integer(0), sp.Integer(0))
    for t in (1, 2, 3):
        step = 2 / (mu * (gamma + t))
        points = tuple(w - step * (h * w + b) for w, h, b in zip(points, curvatures, slopes, strict=True))
        if (t + 1) % 2 == 0:
            points = (half * (points[0] + points[1]),) * 2
    drift = distance_bound(kappa, sp.Integer(2), sp.Integer(4), gamma, sp.Integer(0), 1 / (2 * mu))
    more = sp.Symbol("t", nonnegative=True)
    begin, later = (distance_bound(kappa, E, 2 + more + k, gamma, sp.Integer(1), sp.Integer(0)) for k in (0, 1))
    return ChecksOfProof(
        identities={
            "drift part, E = 2, T = 4": points[0] - drift,
            "start part, T = 1": distance_bound(kappa, E, sp.Integer(1), gamma, sp.Integer(1), sp.Integer(0)) - 1,
            "start part, T = 2": distance_bound(kappa, E, sp.Integer(2), gamma, sp.Integer(1), sp.Integer(0))
            - (1 - 2 / (gamma + 1)),
            "start part, from T = 2 + t on": later - (1 - 2 / (gamma + 2 + more)) * begin,
        }
    )


#: Sums over l local steps of n, of n^2 (x + n) and of x + n + (E-1)/2, and over t = 0..T-1 of gamma + t + (E-1)/2.
_SUMS = (
    "s = l*(l - 1)/2",
    "a = x*(l - 1)*l*(2*l - 1)/6 + (l*(l - 1)/2)**2",
    "b = l*x + l*(l - 1)/2 + l*(E - 1)/2",
    "u = T*(2*gamma + T + E - 2)/2",
)


def local_indices() -> ChecksOfProof:
    """Sums over t = 1, ..., T-1 of n_t = t - 1 (t < E), t mod E (t >= E), of the same squared, times x = gamma + t.

    T = qE + l with q >= 1, 0 <= l <= E - 1, or T <= E; a round that begins at x has l <= E steps.  The sum of squares holds
    wherever the first round begins, since t = 0 has a nonnegative share on the right.
    """
    return ChecksOfProof(
        relations={
            "sums over the steps of a round": Relations(
                f"{'; '.join(_SUMS)} for first_l = 0; next_l = l + 1; first_s = 0; next_s = s + l; first_a = 0; "
                "next_a = a + l**2*(x + l); first_b = 0; next_b = b + x + l + (E - 1)/2; first_T = 0; next_T = T + 1; "
                "first_u = 0; next_u = u + gamma + T + (E - 1)/2",
                uses={number: {text: "1"} for number, text in enumerate(_SUMS)},
            ),
            "sum of n <= (T-2)(E-1)/2, for T >= E and for 2 <= m = T <= E = e": Relations(
                "q*E*(E - 1)/2 + l*(l - 1)/2 - (E - 1) <= (T - 2)*(E - 1)/2; (m - 1)*(m - 2)/2 <= (m - 2)*(e - 1)/2 "
                "for q >= 1; l >= 0; r >= 1; E = l + r; T = q*E + l; m >= 2; e >= m"
            ),
            "sum of n^2 (x + n) <= (E-1)(2E-1)/6 times the sum of x + n + (E-1)/2, for l >= 2 and for l = 1, E = e": Relations(
                "x*(l - 1)*l*(2*l - 1)/6 + (l*(l - 1)/2)**2 <= (E - 1)*(2*E - 1)/6*(l*x + l*(l - 1)/2 + l*(E - 1)/2); "
                "0 <= (e - 1)*(2*e - 1)/6*(x + (e - 1)/2) for l >= 2; E >= l; x >= 0; e >= 1"
            ),
        }
    )


#: B^2 times the next weight is the weight; noise that enters, and its sum.
WEIGHTS = Relations(
    "(1 - 2/x)**2*(x*(x - 1))**2 = ((x - 1)*(x - 2))**2; (2/x)**2*V*(x*(x - 1))**2 = 4*V*(x - 1)**2; "
    "k**2 <= ((k + 1)**3 - k**3)/3 for x > 0; k >= 0"
)


def local_noise() -> ChecksOfProof:
    """Noise on top of the exact runs from the start of the round: ``wbar - w* = (exact - w*) + M + r``.

    M_next = s M - eta noise has conditional mean zero; |r_next| <= s |r| + eta (L-mu)/2 sigma sqrt(sum eta_i^2).  What is shown:
    with |exact - w*| <= b + p n and q^2 = p^2 n^2 + |M|^2 the root of (b + p n)^2 + |M|^2 is at most b + q; and the weights
    of the noise.
    """
    V, g = sp.symbols("V g")
    return ChecksOfProof(
        identities={"noise splits off": symbols.noise_splits_off()},
        relations={
            "orthogonal parts; Cauchy-Schwarz, one more term": Relations(
                "(b + q)**2 = (b + r)**2 + q**2 - r**2 + 2*b*(q - r); "
                "(k + 1)*(V + w**2) - (b + w)**2 = k*V - b**2 + V - b**2/k + (b - k*w)**2/k for k > 0"
            ),
            "weights and noise": WEIGHTS,
            "the statement is what telescopes, g = gamma + T": Relations(
                f"((g - 1)*(g - 2))**2*({noise_square(g - gamma, gamma, V)}) = 4*V*(g - 1)**3/3 for g > 2"
            ),
            "s <= 1 - eta mu <= 1": Relations(
                "1 - eta*(L + mu)/2 <= 1 - eta*mu <= 1 for mu > 0; L >= mu; 0 <= eta <= 2/(L + mu)"
            ),
        },
    )


def exact_proof() -> ChecksOfProof:
    """All steps of the first theorem, and of its equality."""
    return two_points() | heterogeneity_and_gamma() | distance_recursion() | local_indices() | attained()


def noisy_proof() -> ChecksOfProof:
    """All steps of the first theorem with noise."""
    return exact_proof() | local_noise()


@remembered
def kept(whole: Callable[[], ChecksOfProof]) -> tuple[ChecksOfProof, tuple[str, ...]]:
    """The steps of a whole proof, and those that fail; a row and its controls share them."""
    steps = whole()
    return steps, tuple(steps.failed())
