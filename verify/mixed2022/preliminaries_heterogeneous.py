"""Section 4.2 of Augenstein et al. (2022), heterogeneous clients: is only K sigma_f^2 added for Parallel Training and 2-way GT?

With eta_s eta_m >= sqrt(S) it is, by their recursions; with eta_s = eta_m = 1 it is not, by fixed points:

Noise-free, every client in every round (S = N), S copies of two clients f_f'(x) +- psi(x) with psi between -1/2 and 1/2, so
that sigma_f^2 <= 1/4 for all x; |x| <= 1/2 has curvatures 3/2 and 1/2, slopes +-1/4 at x* = 0, and the rounds below stay
there.  The added term is etat sigma_f^2/S in the error at a constant step.  f_c = x^2/2, so that G = 0 and B = 1 (w_f = 1/2).
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

import fltheory as fl
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.kinds import asymptotic_claim, expectation_claim, run_script
from fltheory.evidence.model import Claim, Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022 import two_way_bounds as two_way
from fltheory.theory.mixed2022.one_round import gain, near
from fltheory.theory.mixed2022.parallel import CONVEX_RECURSION, SMOOTH_RECURSION, nu
from fltheory.theory.steps import Instance
from verify.mixed2022 import heterogeneous
from verify.mixed2022.heterogeneous import parallel_training, transfer
from verify.mixed2022.one_way_instances import evaluated
from verify.mixed2022.parabolas import end_of, mixed
from verify.mixed2022.parallel_instances import SETTINGS, different_clients, families, root, wide_cohort
from verify.mixed2022.settled import settle, together
from verify.mixed2022.two_way_instances import Mean, TwoWayRound

ZERO, HALF, ONE, STEPS = Fraction(0), Fraction(1, 2), Fraction(1), 2
ETAT = Fraction(1, 200)  # below every limit of Table 3 for beta = 3/2, B = 1
SPREAD = Fraction(1, 4)


def fixed_point(name: str, eta: Fraction, eta_s: int) -> Fraction:
    """The exact fixed point of the package's rounds on |x| <= 1/2 at equal effective steps of clients and centre.

    Copies of the two clients change no round with full participation; for 2-way GT eta_c = eta, which its divisor needs.
    """
    rates, server = (eta, eta * eta_s if name == "PT" else eta), {"server_step_size": eta_s}
    method = fl.ParallelTraining if name == "PT" else fl.TwoWayGradientTransfer
    return end_of(mixed([(3 * HALF, -ONE / 6), (HALF, HALF)], (1, 0)), method(STEPS, *rates, **server))


#: The largest etat of a theorem at eta_m = 1, B = 1.
LIMIT = {"PT": "1/(12*beta)", "2-w GT": "1/(81*beta)"}


def exceeded(name: str) -> Relations:
    """A round from x, step by step, ends at x, where f - f* is at least etat^2/4096, above c etat sigma_f^2/S for every c.

    y, z and u, v are the local points of the two clients, a, b those of the centre; the directions have the gradient of the other
    side added, p of the centre and q of the clients, in 2-way GT.
    """
    transfer = name != "PT"
    renewed = "; (x - b)/(2*h) - q = p; (x - (z + v)/2)/(2*h) - p = q" if transfer else ""
    floor = "gap >= etat**2/4096"
    return Relations(
        f"x + ((z + v)/2 - x) + (b - x) = x{renewed}; {floor}; gap > c*etat*spread/S; etat**2 <= 4096*eps; "
        "(t/2 + 1/4)**2 <= spread; -1/2 <= x <= 1/2; -1/2 <= y <= 1/2; -1/2 <= u <= 1/2 "
        f"for -1/2 <= t <= 1/2; beta = 3/2; 0 < etat <= {LIMIT[name]}; c >= 1; S > 1024*c/etat; spread = {SPREAD}; h = etat/2; "
        f"x = h/(32 - 18*h); gap = x**2/2 + x**2/2; p = {'x' if transfer else 0}; q = {'-x' if transfer else 0}; "
        "y = x - h*(3*x/2 + 1/4 + p); z = y - h*(3*y/2 + 1/4 + p); u = x - h*(x/2 - 1/4 + p); v = u - h*(u/2 - 1/4 + p); "
        "a = x - h*(x + q); b = a - h*(a + q); gap <= eps",
        uses={n + 2 * transfer: one for n, one in ((2, {floor: "1"}), (3, {floor: "4096", "gap <= eps": "4096"}))},
        at={"t": "0", "c": "1", "etat": "1/200", "eps": "1", "S": "1000000"},
    )


def floors(server: str, name: str) -> Evidence:
    """f - f* = x^2 at the fixed point x against the order; with eta_s = sqrt(S) it is below at each S that is tried."""
    gap = (False, "the one-round recursion with sigma_f^2 for general smooth losses")
    words = dict(
        method="The fixed point of a round, exactly: a run that starts there stays there.",
        prose="on |x| <= 1/2, where all local points stay, the two kinds of clients have the gradients 3x/2 + 1/4 and "
        "x/2 - 1/4; as "
        "many copies of either change no round, and sigma_f^2 is at most 1/4 also where psi is constant",
    )
    if server == "1":
        stated = exceeded(name)
        text = (
            f"{name}, S = N, half of the clients f_i' = x + psi(x) and half x - psi(x), psi = x/2 + 1/4 for |x| <= 1/2 and "
            "constant on either side, f_c = x^2/2, no noise, K = 2, eta_s = eta_m = 1, eta_c = eta = h; a run from x stays there, "
            f"for every etat in the range, every c and every such even S, eps being any error that x has: {stated.text}"
        )
        tried = Tried(1, text, -1.0, certificate=stated.certificate) if stated.proof[0] else Tried(1)
        return decide(gap, tried, **words)

    def instances() -> Iterator[Instance]:
        for eta_s in (1, 2, 4, 8, 16, 32, 64):
            point = fixed_point(name, ETAT / (STEPS * eta_s), eta_s)
            yield Instance(f"{name}, S = N = {eta_s**2}, eta_s = {eta_s}", point**2, ETAT * SPREAD / eta_s**2)

    return decide(gap, instances, **words)


def method(rows: str, proofs: str) -> str:
    """How the recursions of these rows are carried over."""
    return (
        f"n + q has the properties that the {proofs} of {rows} use{'s' if proofs == 'proof' else ''} of n, with sigma^2 + K "
        "sigma_f^2; power-sum reduction for the cohort (any N, S), tower property, mean and deviation over clients for the first "
        "directions; D.7 and the drift for each client's own loss, averaged"
    )


def parallel_recursion(factor: str, wide: bool) -> Evidence:
    """MX-THMB1-S1 and -S2 with sigma^2 + factor sigma_f^2 in place of sigma^2; ``wide``: eta_s eta_m >= sqrt(S)."""
    size = sp.sympify(factor, locals={"K": one_round.K})
    larger = nu + size * heterogeneous.SPREAD / (one_round.K * one_round.S)
    steps = parallel_training(size, wide)
    convex, smooth = (bound.expression.subs(nu, larger) for bound in (CONVEX_RECURSION, SMOOTH_RECURSION))
    searches = [
        evaluated(near, convex, different_clients(Fraction(1, 8), convex=True)),
        evaluated(gain, smooth, different_clients(Fraction(1, 9), convex=False)),
        *([] if wide else [evaluated(near, convex, wide_cohort(Fraction(1, 8)))]),
    ]
    valid_for = "every N, S <= N, K, dimension, noise law; steps as in MX-THMB1-S1, -S2"
    return settle(steps, together(searches), method=method("MX-THMB1-S1, -S2", "proof"), valid_for=valid_for)


LARGE = {"PT": "MX-HET.PT[eta_s eta_m at least sqrt(S)]", "2W": "MX-HET.2W[eta_s eta_m at least sqrt(S)]"}
Row = Callable[[Callable[..., Evidence]], Claim]


def bounded(part: str, place: str, recursions: tuple[Bound, Bound], conditions: tuple[str, ...], **words: Any) -> Row:
    """The reading with eta_s eta_m >= sqrt(S): the recursions of the theorem with sigma^2 + K sigma_f^2."""
    return expectation_claim(
        LARGE[part],
        source=f"Section 4.2, and {place}",
        # Text: with these objects it would state the recursions as they are, and rows that read them would be sent here.
        statement=r"\frac{\sigma^2}{KS}\to\frac{\sigma^2+K\sigma_f^2}{KS}:\quad"
        + r",\quad".join(recursion.latex() for recursion in recursions),
        assumptions=(
            "E g_i = grad f_i, variance at most sigma^2",
            "E g_c = grad f_c, variance at most sigma_c^2",
            "(1/N) sum_i |grad f_i - grad f_f|^2 <= sigma_f^2 everywhere",
            "f_i, f_c beta-smooth (and mu-convex in the first)",
            *conditions,
            "uniform cohort without replacement, fresh independent batches",
        ),
        **words,
    )


parallel_bounded = bounded(
    "PT",
    "Theorem B.1",
    (CONVEX_RECURSION, SMOOTH_RECURSION),
    ("Definition 4.2 with w_f = 1/2", "eta_s, eta_m >= 1, eta_s eta_m >= sqrt(S)"),
    printed=dict(factor="K", wide=True),
    headline="With large server rates Parallel Training's bounds hold for unlike clients, noise added",
    depends=("MX-THMB1-S1", "MX-THMB1-S2"),
    summary="Parallel Training with eta_s eta_m >= sqrt(S): both recursions, and so the rounds MX-THMB1-S3 to -S5, hold for "
    "clients that differ when sigma^2 becomes sigma^2 + K sigma_f^2, with the same constants.",
    controls=[
        Control("sigma_f^2 without K", dict(factor="1/2")),
        Control("no sigma_f^2", dict(factor="0")),
        Control("eta_s = eta_m = 1, many clients", dict(wide=False)),
    ],
)(parallel_recursion)


def two_way_instances(top: Fraction, factor: Fraction, *, convex: bool) -> Iterator[Instance]:
    """Rounds of clients that differ, gt at the gradients, largest step, eta_s >= sqrt(S)."""
    weights = (Fraction(3), Fraction(1, 5)) if convex else (Fraction(7, 2), Fraction(3, 2))
    for (losses, central, mu, spread), (S, K, x, noises) in product(families(convex=convex), SETTINGS):
        clients = Mean(losses)
        start, rates = (x, central.gradient(x), clients.gradient(x)), (top, K, S, ONE, root(S))
        item = TwoWayRound(clients, central, *start, *rates, *noises, mu if convex else ZERO, factor * spread)
        text = str(replace(item, spread=spread))
        yield Instance(text, *item.sides(two_way.CVX_REC if convex else two_way.NC_REC, weights))


def two_way_recursion(factor: str) -> Evidence:
    """MX-THMB3-S1.2 and -S1.3 with sigma^2 + factor K sigma_f^2 in place of sigma^2."""
    share = Fraction(factor)
    proof = transfer(sp.Rational(factor) * one_round.K)

    def instances() -> Iterator[Instance]:
        yield from two_way_instances(Fraction(1, 81), share, convex=True)
        yield from two_way_instances(Fraction(1, 24), share, convex=False)

    valid_for = "every N, S <= N, K, dimension, noise law; steps and rates as in MX-THMB3-S1.2, -S1.3"
    return settle(proof, instances, method=method("MX-THMB3-S1.2, -S1.3", "proofs"), valid_for=valid_for)


two_way_bounded = bounded(
    "2W",
    "Theorem B.3",
    (two_way.CVX_REC, two_way.NC_REC),
    ("eta_c = eta eta_s, eta_s, eta_m >= 1, eta_s eta_m >= sqrt(S), gt_c renewed with eta_c, J = K",),
    printed=dict(factor="1"),
    headline="With large server rates 2-way transfer's bounds hold for unlike clients, with more noise",
    depends=("MX-THMB3-S1.2", "MX-THMB3-S1.3"),
    quick=False,
    summary="2-way Gradient Transfer with eta_s eta_m >= sqrt(S): both recursions, and so the rates MX-THMB3-S2.1 to S2.3, hold "
    "for clients that differ when sigma^2 becomes sigma^2 + K sigma_f^2, with the same constants.",
    controls=[Control("sigma_f^2 without K, or less", dict(factor="1/4")), Control("no sigma_f^2", dict(factor="0"))],
)(two_way_recursion)


def admitted(part: str, name: str, about: str) -> Claim:
    """The reading with eta_s = eta_m = 1, which Theorems B.1 and B.3 admit."""
    return asymptotic_claim(
        f"MX-HET.{part}[eta_s = eta_m = 1, which its theorem admits]",
        fault="missing hypothesis",
        source="Section 4.2",
        statement=r"\sigma^2\to\sigma^2+K\sigma_f^2:\quad "
        r"f-f^*=O\left(\tilde\eta\,\tfrac{\sigma_f^2}{S}\right)\text{ without noise, constant step}",
        printed=dict(server="1", name=name),
        headline=f"{about}: client drift leaves an error that more clients do not lower",
        summary=f"{about}: with eta_s = eta_m = 1 (admitted, and used in all experiments) drift between clients can leave an error "
        "of at least etat^2/4096 for every even S = N (rounds without noise that start there stay there), so "
        "that an error eps needs "
        "etat at most 64 sqrt(eps), whereas the added term, etat sigma_f^2/S in the error, vanishes as S grows: no constant makes "
        "up for that, and a further term is needed.",
        repair=LARGE[part],
        controls=[Control("eta_s = sqrt(S)", dict(server="sqrt(S)"), must="pass")],
    )(floors)


parallel_exceeded = admitted("PT", "PT", "Parallel Training")
two_way_exceeded = admitted("2W", "2-w GT", "2-way Gradient Transfer")

if __name__ == "__main__":
    run_script(__file__)
