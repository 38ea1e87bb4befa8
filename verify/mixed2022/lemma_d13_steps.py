"""Steps of the proof of Lemma D.13 of Augenstein et al. (2022).

With a = K the print has K for K + 1 in two coefficients.  The line is true as a bound all the same: the orthogonality of the
central noise and |d - eta h| <= (1 + eta beta)|d| give more than it needs.
"""

from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.evidence.algebra import statement_in_mean, statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import search
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import algebra_claim, expectation_claim, run_script
from fltheory.evidence.model import Claim, Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.mixed2022.one_round import NAMES, G, c, eta
from verify.mixed2022 import derivations
from verify.mixed2022.one_way_instances import at_points
from verify.mixed2022.one_way_words import SMOOTH_CONDITIONS
from verify.mixed2022.settled import attained, false_algebra

R = sp.Rational
a, d, h = sp.symbols("a d h")
TEXT = (
    "sq(d - eta*(h + G + c + z)) <= (1 + 1/a)*sq(d) + (1 + a)*eta**2*({}*sq(h) + {}*sq(G) + {}*C) + eta**2*V "
    "for a > 0; eta >= 0; V >= 0; C >= 0"
)
SEPARATED = InMean(
    TEXT.format(2, 4, 4),
    things="d over xc; h over xc; G; c over xc, mean 0 over xc; z over xi xc, mean 0 over xi",
    over="xi xc",
    uses=[
        use("bounded variance", times="eta**2", sigma2="V", noise="z"),
        use("central variance", times="4*(1 + a)*eta**2", C="C", noise="c"),
    ],
    squares=[
        ("1/a", "d + a*eta*(h + G + c)"),
        ("(1 + a)*eta**2", "h - G - c"),
        ("2*(1 + a)*eta**2", "G"),
        ("2*(1 + a)*eta**2", "c"),
    ],
    names={**NAMES, "d": "d_{k-1}", "G": r"\nabla f(x)"},
)


@expectation_claim(
    "MX-LEMD13-S1",
    headline="A client's next distance splits into drift, gradient and central noise",
    source="proof of Lemma D.13, separated terms",
    depends=("MX-LEMD2-1",),
    statement=(r"h=\nabla f_f(x+d_{k-1})-\nabla f_f(x):\ ", SEPARATED),
    summary="Three relaxed triangle inequalities, for every a > 0 and pointwise; in expectation <c, grad f> vanishes, so "
    "that 2 would do for both last terms.",
    printed=dict(on_h="2", gradient="4", central="4"),
    controls=[
        Control("H 1 instead of 2", dict(on_h="1")),
        Control("gradient 1.98", dict(gradient="99/50", central="99/50")),
    ],
)
def separated(on_h: str, gradient: str, central: str) -> Evidence:
    """|h + c + G|^2 <= 2|h|^2 + 4|c|^2 + 4|G|^2."""
    left = (d - eta * (h + c + G)) ** 2
    right = (1 + 1 / a) * d**2 + (1 + a) * eta**2 * (R(on_h) * h**2 + R(gradient) * G**2 + R(central) * c**2)
    points = [(1, 1, -1, 2, 1, 1), (1, 1, -1, 1, 1, 1), (1, 1, -2, 2, 1, 1), (1, 1, -2, 1, 0, 1)]
    return by_derivation(
        SEPARATED.with_text(TEXT.format(on_h, gradient, central)).derived,
        at_points(left, right, (a, eta, d, h, c, G), points),
        valid_for="every a > 0, eta, dimension",
    )


#: The factor of |d - eta h|^2 in Young's inequality with a, where 1 + a = 4K.
YOUNG = "4*K/(4*K - 1)"
with_a_equal_k = expectation_claim.sharing(source="proof of Lemma D.13, a = K")
step_reading: Claim = false_algebra(
    "MX-LEMD13-S2.1",
    Relations("1 + a <= K for K >= 1; a = K"),
    says=r"\text{the factor of the line before against the printed one: }",
    true={"K + 1": ("<= K", "<= K + 1")},
    group=with_a_equal_k,
    fault="slip",
    repair="MX-LEMD13-S2.2",
    headline="A constant K is printed where the line before gives K + 1",
    summary="1 + a = K + 1 in front of 2 eta^2 H and 4 eta^2 |grad f|^2 is printed as K; the line before does not give the "
    "display, which is true as a bound of the drift (MX-LEMD13-S2.2).",
)


as_a_bound = statement_in_mean(
    "MX-LEMD13-S2.2",
    InMean(
        "sq(y - eta*(g_y + z + g + c) - x) <= ((K + 1)/K + 2*K*(eta*beta)**2)*sq(y - x) "
        "+ 4*K*eta**2*(sq(g_x + g) + C) + V*eta**2 "
        "for beta > 0; K >= 1; V >= 0; C >= 0; eta_s >= 1; 0 <= eta <= 1/(18*beta*(K*eta_s))",
        things="x; g; y over xc; function F; F at x, y; c over xc, mean 0 over xc; z over xi xc, mean 0 over xi",
        over="xi xc",
        uses=[
            use("bounded variance", times="eta**2", sigma2="V", noise="z"),
            use("central variance", times="4*K*eta**2", C="C", noise="c"),
            use("Lipschitz gradients", "x y", f"{YOUNG}*(eta**2 + eta/beta)", of="F", L="beta"),
        ],
        squares=[
            ("1/(4*K - 1)", "y - x - eta*(g_y - g_x) + (4*K - 1)*eta*(g_x + g + c)"),
            (f"{YOUNG}*eta/beta", "beta*(y - x) + g_y - g_x"),
            (f"(K + 1)/K + 2*K*(eta*beta)**2 - {YOUNG}*(1 + eta*beta)**2", "y - x"),
        ],
        names={
            **NAMES,
            "y": "x_i^{(k-1)}",
            "g": r"\nabla f_c(x)",
            "g_x": r"\nabla f_f(x)",
            "g_y": r"\nabla f_f(x_i^{(k-1)})",
        },
    ),
    false={"99/100 instead of 4K": ("4*K*eta**2*(", "99/100*eta**2*(")},
    group=with_a_equal_k,
    headline="As a bound the line with the smaller constant is true within the step conditions",
    assumptions=SMOOTH_CONDITIONS,
    summary="As a bound the line is true for steps within the conditions: the drift itself can grow by (1 + eta beta)^2 only.",
)
rewritten = statement_of_algebra(
    "MX-LEMD13-S3",
    Relations(
        "4*K*eta**2 = 4*e**2/(K*eta_s**2); eta**2 = e**2/(K**2*eta_s**2); "
        "2*K*eta**2*beta**2 = 2*e**2*beta**2/(K*eta_s**2) for K >= 1; eta_s > 0; e = K*eta*eta_s",
        names=NAMES,
    ),
    headline="The drift bound written in the effective step of a round",
    false={
        "4 e^2/(K^2 eta_s^2)": ("= 4*e**2/(K*", "= 4*e**2/(K**2*"),
        "beta for beta^2": ("2*e**2*beta**2", "2*e**2*beta"),
    },
    group=algebra_claim,
    source="proof of Lemma D.13, effective step",
    summary="The effective step e = K eta eta_s is substituted.",
)
growth = statement_of_algebra(
    "MX-LEMD13-S4",
    Relations(
        "(K + 1)/K + 2*e**2*beta**2/(K*eta_s**2) <= 1 + 163/(162*K) "
        "for beta > 0; K >= 1; eta_s >= 1; 0 <= e <= 1/(18*beta)",
        names=NAMES,
    ),
    headline="Within the step condition drift grows by little more than one part in the local steps",
    false={"163/162 -> 1.006": ("163/(162*K)", "1006/(1000*K)"), "eta_s = 99/100": ("eta_s >= 1", "eta_s >= 99/100")},
    group=algebra_claim,
    source="proof of Lemma D.13, growth factor",
    summary="At e = 1/(18 beta) and eta_s = 1 the two sides agree: 2/324 = 1/162.",
    assumptions=SMOOTH_CONDITIONS[-2:],
    tightness=attained("equality at eta_s = 1 and the largest step"),
)


def geometric(count: int, growth: Fraction) -> Fraction:
    """1 + growth + ... + growth^(count-1)."""
    return sum((growth**j for j in range(count)), start=Fraction(0))


@algebra_claim(
    "MX-LEMD13-S5.1",
    headline="Over a round the drift's growth factors add up to a constant times the local steps",
    source="proof of Lemma D.13, geometric sum",
    statement=r"\sum_{j=0}^{K-1}\big(1+\tfrac{163}{162K}\big)^j\le(e^{163/162}-1)K\le2K",
    summary="For every K the sum is at most (e^q - 1)K, q = 163/162, and that at most 2K.",
    printed=dict(factor="2"),
    controls=[Control("2K -> 1.7 K", dict(factor="17/10"))],
)
def geometric_sum(factor: str) -> Evidence:
    """((1 + q/K)^k - 1) K/q, 1 + q/K <= exp(q/K), q >= 1 and exp(q) <= 3."""
    q, k = Fraction(163, 162), Fraction(factor)
    found = search([1, 2, 5, 50, 200], lambda K: (geometric(K, 1 + q / K), k * K), describe=lambda K: f"K = {K}")
    return by_derivation(
        partial(derivations.geometric_sum, "163/162", factor),
        found,
        method="closed form by induction; tangents of the exponential, from which exp(163/162) <= 3",
        valid_for="every K >= 1 (and fewer terms)",
        tightness=attained("(e^q - 1) K/q in the limit of large K", float(2 * q / (sp.exp(q) - 1))),
    )


def closed_form(bracket: str) -> Evidence:
    """The sum against the closed form with the power of 1 + 163/(162 K), or of the fraction only."""
    q = Fraction(163, 162)

    def sides(K: int) -> tuple[Fraction, Fraction]:
        total = geometric(K, 1 + q / K)
        return total, (1 + (q / K) ** K - 1 if bracket == "fraction" else (1 + q / K) ** K - 1) * K / q

    return by_derivation(
        partial(derivations.geometric_sum, "163/162", whole=bracket != "fraction", top=None),
        search([1, 2, 3], sides, relation="=", describe=lambda K: f"K = {K}"),
        method="induction (one more term)",
        valid_for="every K",
    )


crossed = algebra_claim(
    "MX-LEMD13-S5.2",
    source="proof of Lemma D.13, closed form",
    statement=r"\sum_{j=0}^{K-1}\big(1+\tfrac{163}{162K}\big)^j=\Big(\big(1+\tfrac{163}{162K}\big)^K-1\Big)\tfrac{162K}{163}",
    summary="The print has crossing brackets: the first small one stands behind '1 +'. The large pair encloses the base of the "
    "power, and so the formula is right; with the fraction alone as the base it is false from K = 2 on.",
    printed=dict(bracket="whole"),
    controls=[Control("power of the fraction only", dict(bracket="fraction"))],
)(closed_form)


last_step = statement_of_algebra(
    "MX-LEMD13-S6",
    Relations(
        "4*e**2/(K*eta_s**2) <= 2*e/(9*beta*K*eta_s**2) for beta > 0; K >= 1; eta_s > 0; 0 <= e <= 1/(18*beta)",
        names=NAMES,
    ),
    false={
        "2/9 -> 0.99 of it": ("2*e/(9*", "22*e/(100*"),
        "effective step up to 1.01/(18 beta)": ("1/(18*", "101/(1800*"),
    },
    group=algebra_claim,
    source="proof of Lemma D.13, last step",
    summary="The two sides agree at the largest step and at 0; between them the inequality is strict.",
    tightness=attained("equality at the largest step"),
)


if __name__ == "__main__":
    run_script(__file__)
