"""Lemma 1 of Li et al. (2020): all admissible pairs of factors of the distance and of the drift.

With z_k = x_k - eta (grad F_k(x_k) - grad F_k(w*)) cocoercivity reads <B x_k - z_k, z_k - A x_k> >= 0 for each client; its
average says |zbar - s xbar|^2 <= (D/2)^2 (|xbar|^2 + V).  Two quadratic clients attain it at every (|xbar|, V), so that the
frontier of factors is known in closed form: see :mod:`verify.li2020.frontier`.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.readings.gram import Recorder
from fltheory.theory.proofs import Open, equal, is_zero, nonnegative_on
from fltheory.theory.record import remembered
from fltheory.worstcase import verifier
from fltheory.worstcase.functional import Functional, square
from fltheory.worstcase.symbolic import SymbolicClaim, prove
from verify.li2020 import elsewhere, symbols
from verify.li2020.frontier import LEMMA_1_FRONTIER, TURN, A, B, D, TwoClients, r, s, slope, smallest_drift
from verify.li2020.symbols import L, eta

#: Names in the statement.
NAMES = {sp.Symbol("D"): D, sp.Symbol("s"): s}
#: Steps with s >= 0, and steps with s <= 0, with the sign of s.
SIDES = ((1, 0, TURN), (-1, TURN, None))
#: Rational points at which the symbolic certificates are also given to the verifier of numbers.
POINTS = ((Fraction(1, 4), Fraction(1, 10), Fraction(2)), (Fraction(1), Fraction(1, 3), Fraction(5, 4)))
TURNED_POINTS = ((Fraction(19, 10), Fraction(1, 10), Fraction(2)), (Fraction(2), Fraction(1, 3), Fraction(5, 4)))


def one_step(sign: int, low: Any, high: Any, distance: sp.Expr, drift: sp.Expr, slope_sign: int) -> SymbolicClaim:
    """Clients at arbitrary points make one step: |mean next|^2 <= distance a |mean|^2 + drift c V, for s of one sign.

    ``slope_sign`` is the sign with which s enters the factors; the multipliers are those of the proof.
    """
    recorder = Recorder()
    point = recorder.put(("given", "clients", 1))
    at_optimum = recorder.put(("gradient", recorder.put(("optimum",))))
    gradient = recorder.put(("gradient", point))
    moved = recorder.combine({point: sp.Integer(1), gradient: -eta})
    after, mean = recorder.put(("average", moved)), recorder.put(("mean", point))
    apart = recorder.combine({point: Fraction(1), mean: Fraction(-1)})
    contraction, coefficient = slope(sign=slope_sign)
    multiplier = 2 * eta * (sign * s / r + D / 2)
    bounds: dict[str, tuple[Functional, sp.Expr]] = {
        "distance": (square(mean), distance * contraction),
        "drift": (square(apart), drift * coefficient),
    }
    pairs = {(gradient, at_optimum): multiplier, (at_optimum, gradient): multiplier}
    ranges = ((symbols.mu, Open(0), None), (L, Open(symbols.mu), None), (eta, low, high), (r, 1, None))
    return SymbolicClaim(
        tuple(recorder.instructions), symbols.mu, L, square(after), bounds, pairs, ranges, at_equal=True
    )


def instances() -> Iterator[TwoClients]:
    """Steps on both sides of 2/(L + mu), clients nearly at one point and far apart."""
    for step in ("1/4", "1/8", "1", "9/5", "3"):
        for mu in ("1/2", "1/10", "0"):
            for ratio in ("1", "101/100", "2", "1000"):
                yield TwoClients(Fraction(step), Fraction(mu), Fraction(ratio))


@remembered
def closed_form() -> dict[str, bool]:
    """``c(r)`` is the smaller root of ``c^2 - (a - AB) c + a D^2/4``, ``a(1) = max(A^2, B^2)``, and ``a`` grows with r.

    Also: on :class:`~verify.li2020.frontier.TwoClients`, where m = 1 and V = r^2 - 1, the bound is an equality.
    """
    found: dict[str, bool] = {}
    for sign, low, high in SIDES:
        contraction, coefficient = slope(sign=sign)
        ranges = ((symbols.mu, Open(0), None), (L, Open(symbols.mu), None), (eta, low, high), (r, 1, None))
        end = contraction.subs(r, 1)
        more = sp.Symbol("more")
        grows = contraction.subs(r, r + more) - contraction
        quadratic = coefficient**2 - (contraction - A * B) * coefficient + contraction * D**2 / 4
        discriminant = (contraction - A * B) ** 2 - contraction * D**2
        kept, lost = (B, A) if sign == 1 else (A, B)
        q = (1 - 1 / r) / 2
        after = (1 - q) * kept * r - q * lost * r
        side = "s >= 0" if sign == 1 else "s <= 0"
        found |= {
            f"root of the quadratic, {side}": is_zero(quadratic),
            f"the smaller root, {side}": nonnegative_on(contraction - A * B - 2 * coefficient, ranges),
            f"a(1), {side}": equal(end, (B if sign == 1 else A) ** 2),
            f"a grows, {side}": nonnegative_on(grows, (*ranges, (more, 0, None))),
            f"equality on two clients, {side}": equal(after**2 - contraction, coefficient * (r**2 - 1)),
            f"discriminant, {side}": equal(discriminant, (contraction - A**2) * (contraction - B**2)),
        }
    return found


def agrees_with_numbers(claim: SymbolicClaim, points: Sequence[tuple[Fraction, Fraction, Fraction]]) -> bool:
    """The verifier of numbers, which builds its constraints itself, accepts the certificate at rational parameters."""
    for step, mu, ratio in points:
        values = TwoClients(step, mu, ratio).values()
        try:
            found = verifier.verify(claim.at({symbol: Fraction(str(v)) for symbol, v in values.items()}))["upper"]
        except verifier.Rejected:
            return False
        wanted = {name: sp.sympify(factor).subs(values) for name, (_, factor) in claim.bounds.items()}
        if any(sp.Rational(str(found[name])) != value for name, value in wanted.items()):
            return False
    return True


@inequality_claim(
    "LI-LEM1-S2",
    statement=LEMMA_1_FRONTIER,
    where=NAMES,
    source="Lemma 1, all factors",
    depends=("LI-EQ14",),
    quick=False,
    headline="The one-step inequality with the best drift coefficient for every contraction factor",
    summary="One averaged step moves the mean to at most |s| m + (D/2) sqrt(m^2 + V), m = |wbar - w*|, and that is attained "
    "for every m and V by two clients with suitable weights; so the drift coefficient for a contraction factor "
    "a >= max(A^2, B^2) is exactly (a - AB - sqrt((a - A^2)(a - B^2)))/2, for every step size.",
    elsewhere=elsewhere.ONE_STEP,
    assumptions=(
        "A1, A2",
        "E[g_t | past] = gbar_t",
        "r >= 1",
        "any eta_t >= 0, with |s| for s when eta_t > 2/(L + mu)",
    ),
    printed=dict(distance="1", drift="1", absolute=True),
    controls=[
        Control("drift coefficient times 0.99", dict(drift="99/100")),
        Control("contraction factor times 0.99", dict(distance="99/100")),
        Control("s instead of |s| for steps beyond 2/(L + mu)", dict(absolute=False)),
    ],
)
def li_lem1_s2(distance: str, drift: str, absolute: bool) -> Evidence:
    """Symbolic certificates for both signs of s, the closed form, and equality on two quadratic clients."""
    scale = sp.Rational(distance), sp.Rational(drift)
    claims = [one_step(sign, low, high, *scale, sign if absolute else 1) for sign, low, high in SIDES]
    proofs = [prove(item) for item in claims]
    steps = closed_form()
    failed = [proof.reason for proof in proofs if not proof.proved] + [name for name, good in steps.items() if not good]
    if not failed and not all(
        agrees_with_numbers(item, points) for item, points in zip(claims, (POINTS, TURNED_POINTS), strict=True)
    ):
        failed.append("the verifier of numbers rejects the certificate at a rational point")

    def sides(item: TwoClients) -> tuple[Fraction, Fraction]:
        found = slope(sign=-1 if item.turned and absolute else 1)
        one, other = (Fraction(str(factor.subs(item.values()))) for factor in found)
        return item.after(), Fraction(distance) * one + Fraction(drift) * other * item.drift

    found = search(instances(), sides, describe=lambda item: item.describe() + ", |wbar - w*| = 1")
    at = {"eta": sp.Rational(1, 4), "L": sp.Integer(1)}
    table = {
        f"drift coefficient at eta = 1/(4L), a = 1 - eta mu, kappa = {k}": float(
            smallest_drift(B).subs({symbols.mu: sp.Rational(1, k), eta: at["eta"], L: at["L"]})
        )
        for k in (2, 10, 100)
    }
    return decide(
        (not failed, "; ".join(failed)),
        found,
        method="average over clients (mean and deviation, Gram blocks): both interpolation inequalities between x_k and w* "
        "times 2 eta (|s|/r + D/2); the slack is one square in the means and one in the deviations, identities in all "
        "parameters. Equality on two quadratic clients at x_k = +-r |wbar - w*|, p = (1 +- 1/r)/2, identically in r, eta, mu, "
        "L; r = sqrt(m^2 + V)/m gives the bound in m and V, and a < max(A^2, B^2) fails at V = 0",
        valid_for="every N, p, dimension, 0 <= mu < L (L = mu by continuity), all local points, every eta >= 0",
        numbers={**table, "printed": 2},
        tightness=Tightness(1.0, Rung.PROOF, "equality for every r on two quadratic clients with a common minimiser")
        if not failed
        else None,
        prose="r = sqrt(m^2 + V)/m gives the roots; that two clients attain it is checked beside the certificate",
        certificate={"s >= 0": proofs[0].certificate, "s <= 0": proofs[1].certificate} if not failed else None,
    )


if __name__ == "__main__":
    run_script(__file__)
