"""The steps of the proof of the theorem without bounded gradients whose drift constant is linear in kappa.

Each function returns named checks; what they say together is in :mod:`fltheory.theory.li2020.no_bounded_gradients`.
"""

import sympy as sp

from fltheory.evidence.relations import Relations
from fltheory.theory.li2020.no_bounded_gradients import square_bound
from fltheory.theory.proofs import Certificate, Open
from verify.li2020 import frontier, symbols
from verify.li2020.frontier import s
from verify.li2020.no_bounded_gradients import proof
from verify.li2020.no_bounded_gradients.proof import BESIDE_EQUAL, WEIGHTS, ChecksOfProof, E, T, c, gamma, kappa
from verify.li2020.symbols import A1, CLIENTS, L, eta, f, f_star, g_star, interpolation, mu, wbar, wstar


def backwards() -> ChecksOfProof:
    """The drift from the gradients at its end: ``sqrt(V) <= rho (|g_t| + sigma)``, ``L rho = prod 1/(1 - eta_i L) - 1``.

    ``(1 - eta L)(|g_i| + sigma) <= |g_{i+1}| + sigma`` from A1 and ``|g_i + noise| <= |g_i| + sigma`` in L2: a = eta L, g and h
    the norms at i and i + 1, s = sigma.  R is the product of 1/(1 - eta L) from i on, S the sum of the eta L, to which b is added,
    m = mu rho, and w the right side without V.
    """
    return ChecksOfProof(
        relations={
            "gradients backwards, products, and sqrt(V) solved from sqrt(V) <= r/mu (w + mu sqrt(V))": Relations(
                "h + s - (1 - a)*(g + s) = h + a*(g + s) - g; a*R/(1 - a) = R/(1 - a) - R; (1 - S)*(1 - b) = 1 - S - b + S*b; "
                "r/(1 - r)*w - V = (r*(w + V) - V)/(1 - r); S/(1 - S) <= U/(1 - U); z/(1 - z) <= y/(1 - y) "
                "for 0 <= a < 1; 0 <= r < 1; 0 <= S <= 1/2; S <= U <= 1/2; 0 <= z <= 2/3; z <= y <= 2/3"
            ),
            "S <= 1/2, mu rho <= 2/3 and mu rho/(1 - mu rho) at the largest S": Relations(
                "S <= 1/2; m <= 2/3; m/(1 - m) = 2*n/(x - (2*kappa + 3)*n) for kappa >= 1; n >= 0; x >= 6*kappa*(n + 1); "
                "S = 2*kappa*n/(x - n); m = S/(1 - S)/kappa"
            ),
        }
    )


def one_step() -> ChecksOfProof:
    """``E|wbar_next - w*|^2`` with the unused H, and the largest value over H."""
    average = CLIENTS.of
    h = symbols.g - g_star - mu * (symbols.w - wstar)
    dh = symbols.dg - symbols.dg_star - mu * symbols.dw
    unused = 2 * eta * s / (L - mu)
    right = frontier.B**2 * (wbar - wstar) ** 2 - unused * average(h**2) + 2 * eta * frontier.B * symbols.dw * dh
    y = 2 * eta * frontier.B
    premises = {
        "A1, A2 from w* to w^k": (y, average(interpolation(symbols.w, f, symbols.g, wstar, f_star, g_star))),
        "A1, A2 from w^k to w*": (y, average(interpolation(wstar, f_star, g_star, symbols.w, f, symbols.g))),
    }
    beside = Certificate(average(A1), right, premises, [(eta**2, dh)], BESIDE_EQUAL)
    return ChecksOfProof(
        {
            "one step with the unused H": beside,
            "A1 with L implies A1 with every larger constant": symbols.at_equal_constants(beside, {}).gains()["A1"],
        },
        {"noise splits off": symbols.noise_splits_off()},
        relations={
            "largest over u = sqrt(H); (p+q)^2 <= (1+1/theta) p^2 + (1+theta) q^2": Relations(
                "eta*B**2*r**2*w**2/(2*A) - 2*eta*A*(u - B*r*w/(2*A))**2 = -2*eta*A*u**2 + 2*eta*B*r*u*w; "
                "(p + q)**2 <= (1 + 1/theta)*p**2 + (1 + theta)*q**2 for A > 0; theta > 0",
                squares={1: [("1/theta", "p - theta*q")]},
            )
        },
    )


def square_recursion() -> ChecksOfProof:
    """Along the steps with x >= c kappa (n+1), c > 6; theta = 1/(c-6), and the weight (x-1)^2 (x-2)^2 (1 + Q/(x-1)^2)."""
    start, noise, drift, g = sp.symbols("D V z g")
    statement = square_bound(kappa, E, T, gamma, c, start, noise, drift).subs(gamma, g - T)
    return ChecksOfProof(
        relations={
            "weights and noise": WEIGHTS,
            "A along the steps, and the drift that enters, with y (kappa-1) mu A and y at their least": Relations(
                "s/(L - mu) - B*rho = ((1 - (kappa + 1)/x) - 2*n*(kappa - 1)/y)/(mu*(kappa - 1)) + 2/x*rho; "
                "eta*rho**2/(2*(1 - 5/c)*x/(y*(kappa - 1)*mu))*y/((1 - 5/c)*x) = 4*(kappa - 1)*C*n**2/(mu**2*x**3) "
                "for c > 6; kappa > 1; mu > 0; n >= 0; x >= c*kappa*(n + 1); L = kappa*mu; eta = 2/(mu*x); s = 1 - eta*(L + mu)/2; "
                "B = 1 - eta*mu; y = x - (2*kappa + 3)*n; rho = 2*n/(mu*y); C = (c/(c - 5))**2"
            ),
            "y and y (kappa-1) mu A are at least (1 - 5/c) x": Relations(
                "y >= (1 - 5/c)*x; y*(1 - (kappa + 1)/x) - 2*n*(kappa - 1) >= (1 - 5/c)*x; x >= kappa + 1; x >= 2 "
                "for c >= 6; kappa >= 1; n >= 0; x >= c*kappa*(n + 1); y = x - (2*kappa + 3)*n"
            ),
            "(1 + Q/x^2)(1 + Q/x^3) <= 1 + Q/(x-1)^2, Q = r x^2, r <= 1; weight of the drift: (x-1)^2 (x-2)^2/x^3 <= x": Relations(
                "(1 + r)*(1 + r/x) <= 1 + r*x**2/(x - 1)**2; ((x - 1)*(x - 2))**2/x**3 <= x for x >= 2; 0 <= r <= 1"
            ),
            "Q <= c^2 kappa^2 (E-1)^2/(c-5), by a square; the statement is what telescopes, g = gamma + T": Relations(
                "kappa**2 - 4*(kappa - 1) = (kappa - 2)**2; (1 + theta)*(1 + delta) = (c - 4)/(c - 6); "
                "1 + delta = (c - 4)/(c - 5); 4*(1 + 1/theta)*(kappa - 1)*(E - 1)**2*C = 4*(kappa - 1)*(E - 1)**2*c**2*delta; "
                f"((g - 1)*(g - 2))**2*({statement}) = (1 + delta)*((gamma*(gamma - 1))**2*D + 4*V*(g - 1)**3/3 "
                "+ 4*(kappa - 1)*C*(1 + theta)*(E - 1)*(2*E - 1)/6*T*(2*gamma + T + E - 2)/2*z) "
                "for c > 6; g > 2; gamma = g - T; theta = 1/(c - 6); delta = 1/(c - 5); C = (c/(c - 5))**2"
            ),
        }
    )


def equal_constants() -> ChecksOfProof:
    """The statement has no pole at kappa = 1, so that L = mu follows by continuity, with the same steps and a smaller c."""
    start, noise, drift = sp.symbols("D V z")
    ranges = ((c, Open(6), None), (kappa, 1, None), (E, 1, None), (T, 1, None), (gamma, c * kappa * E, None))
    statement = square_bound(kappa, E, T, gamma, c, start, noise, drift)
    return ChecksOfProof(regular={"the statement is continuous at kappa = 1": (statement, ranges)})


def linear_proof() -> ChecksOfProof:
    """All steps of the second theorem."""
    name = "interpolation from A1 and A2 at a further point"
    same = ChecksOfProof(identities={name: proof.two_points().identities[name]})
    parts = proof.heterogeneity_and_gamma() | proof.local_indices() | backwards() | one_step() | square_recursion()
    return same | parts | equal_constants()
