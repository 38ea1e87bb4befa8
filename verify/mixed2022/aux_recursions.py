"""The recursions quoted in Appendix D.2 of Augenstein et al. (2022), with constants; what the logarithm costs.

For each constant step size the worst weighted mean of the gaps is known exactly, so that the quoted lemmas are about one
number, the best step size.  Sublinear: d_0/(eta_max (R+1)) + 2 sqrt(c d_0/(R+1)), both coefficients sharp; the exact
value is given too.  Linear (an O-statement without constants):
3 mu d_0 exp(-mu eta_max R) + (c/(mu R))(3 + max(1/2, log(mu^2 R d_0/c))).
Varying step sizes remove the logarithm at the price of half the exponent, and with the whole exponent they do not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import sympy as sp

from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import read, undecided
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import search
from fltheory.evidence.kept_steps import as_data, keep
from fltheory.evidence.kinds import asymptotic_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.relations import Relations
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.mixed2022 import recursions
from fltheory.theory.mixed2022.recursions import LINEAR, SUBLINEAR, R, b, c, d0, h, mu, s
from fltheory.theory.proofs import Open
from fltheory.theory.states import proves
from fltheory.theory.steps import Proof, at_least, hypothesis, identity, sign
from verify.mixed2022 import recursion_steps
from verify.mixed2022.settled import settle

ONE, HALF = Fraction(1), Fraction(1, 2)
UNROLLED = (
    "unrolling by induction over r; for each step size the resulting mean is attained by equal gaps, so that only the best "
    "step size is left; "
)

#: (square root of d_0/n, square root of c, largest step).
TRIPLES = [
    (ONE, Fraction(0), ONE),
    (ONE, ONE, Fraction(1000)),
    (ONE, ONE, ONE),
    (ONE, Fraction(2), ONE),
    (ONE, ONE, HALF),
]


def in_words(t: tuple[Fraction, Fraction, Fraction]) -> str:
    """An entry of :data:`TRIPLES`."""
    return f"d_0/(R+1) = {t[0] ** 2}, c = {t[1] ** 2}, eta_max = {t[2]}"


@asymptotic_claim(
    "MX-AUX-L2",
    headline="A recursion without contraction, tuned: its rate holds with the quoted constants",
    proves=proves(SUBLINEAR, lambda first, second: first * d0 / (h * (R + 1)) + second * sp.sqrt(c * d0 / (R + 1))),
    statement=SUBLINEAR,
    source="Appendix D.2 (quoted: Lemma 2 of Karimireddy et al.)",
    summary="The sublinear rate holds with the step size min(eta_max, sqrt(d_0/(c(R+1)))), or eta_max if c = 0.",
    assumptions=("d_r >= 0", "d_r <= d_{r-1} + c eta^2 - eta gap_r, r = 1..R+1", "d_0 > 0 or c = 0"),
    printed=dict(first="1", second="2"),
    controls=[
        Control("first coefficient 0.99", dict(first="99/100")),
        Control("second coefficient 1.99", dict(second="199/100")),
    ],
)
def sublinear(first: str, second: str) -> Evidence:
    """The sum of the recursion for each step size, and the tuned one: eta_max where s eta_max <= b, else b/s."""
    bound = sp.Rational(first) * d0 / (h * (R + 1)) + sp.Rational(second) * sp.sqrt(c * d0 / (R + 1))
    found = search(
        TRIPLES,
        lambda t: (recursion_steps.best_value(*t), Fraction(first) * t[0] ** 2 / t[2] + Fraction(second) * t[0] * t[1]),
        describe=lambda t: f"{in_words(t)}, equal gaps with d_(R+1) = 0: mean gap for the best step size",
    )
    return by_derivation(
        lambda: tuned(bound),
        found,
        beside={step.name: as_data(one) for step in recursion_steps.golden_ratio() for one in step.confirmed},
        method="The recursion summed up for each step size; the one that is tuned, by what it is.",
        valid_for="every R, d_0, c >= 0, eta_max > 0, but for d_0 = 0 < c",
        tightness=Tightness(
            float((1 + sp.sqrt(5)) / 2),
            Rung.PROOF,
            "the exact value is MX-AUX-L2-S1; the sum of the two terms "
            "is at most (1 + sqrt 5)/2 times it, attained at c eta_max^2 = ((sqrt 5 - 1)/2)^2 d_0/(R+1). Each coefficient is sharp",
        ),
    )


def tuned(bound: sp.Expr) -> Mapping[str, JSON]:
    """With n = R + 1, d_0 = b^2 n and c = s^2: mean gap <= b^2/eta + s^2 eta for each step, and the bound for min(h, b/s)."""
    d = Derivation("Mixed FL, sublinear recursion")
    declare(d, "axes t; n >= 1; b, s >= 0; h > 0; 0 < eta <= h; value d, d1, gap over t; next d = d1")
    d.define("D", "d", [], "t", next="D_next", over_next=[], first="D_0", last="D_n")
    granted(d, "recursion", form="d - d1 + s**2*eta**2 - eta*gap")
    granted(d, "d_r >= 0", form="d1")
    granted(d, "d_0 = n b^2", form="n*b**2 - D_0")
    granted(d, "eta <= b/s", form="b - eta*s")
    granted(d, "eta = eta_max or b/s", form="(h - eta)*(b - eta*s)", relation="=")
    facts = {"recursion": "1", "D": "1", "D_next": "-1"}
    d.combine("a round", "D - D_next + s**2*eta**2 - eta*gap", facts=facts)
    d.telescope("all rounds", "a round", ["D"], "n")
    d.combine("D_next >= 0", "D_next", facts={"d_r >= 0": "1", "D_next": "1"})
    d.end("D_n >= 0", "D_next >= 0", ["D"], last=True)
    facts = {"all rounds": "1/eta", "D_n >= 0": "1/(eta*n)", "d_0 = n b^2": "1/(eta*n)"}
    d.combine("every step", "b**2/eta + s**2*eta - mean(gap, t)", over="t", facts=facts)
    facts = {"every step": "1", "eta = eta_max or b/s": "-b/(eta*h)", "eta <= b/s": "s"}
    target = text_of(bound.subs({d0: b**2 * (R + 1), c: s**2}))
    d.combine("tuned step", f"{target} - mean(gap, t)", over="t", facts=facts)
    return d.concluding("every step", "tuned step")


sublinear_exact = statement_of_algebra(
    "MX-AUX-L2-S1",
    Relations(
        "d*(1 - i/n) = d*(1 - (i - 1)/n) + c*x**2 - x*(d/(n*x) + c*x); d*(1 - n/n) = 0; "
        "d/(n*x) + w*x >= d/(n*h) + w*h; d/(n*x) + u*x >= 2*v; d/(n*y) + u*y = 2*v; v**2 = u*d/n; u*h**2 > d/n "
        "for n >= 1; d > 0; h > 0; 0 < x <= h; c >= 0; 0 <= w <= d/(n*h**2); 0 < y < h; u = d/(n*y**2); v = d/(n*y)",
        squares={3: [("u/x", "y - x")]},
        names={
            "x": r"\eta",
            "h": r"\eta_{\max}",
            "d": "d_0",
            "c": "c_0",
            "w": "c_1",
            "u": "c_2",
            "y": r"\sqrt{d_0/(c_2n)}",
        },
    ),
    says=r"n=R+1,\ d_i=d_0(1-\tfrac in),\ gap_i=\tfrac{d_0}{n\eta}+c_0\eta;\ c_1\eta_{\max}^2\le\tfrac{d_0}n<c_2\eta_{\max}^2,\ "
    r"v=\sqrt{c_2d_0/n}:\quad ",
    false={
        "value at the border times 1.01": (">= d/(n*h) + w*h", ">= 101/100*(d/(n*h) + w*h)"),
        "value inside times 0.99": ("+ u*y = 2*v", "+ u*y = 99/50*v"),
    },
    group=asymptotic_claim,
    source="Appendix D.2, Lemma 2 of Karimireddy et al., sharpened",
    headline="Sequences that meet the tuned recursion with equality, and the least of their gaps",
    summary="For every step size the sequence d_0(1 - i/(R+1)) with equal gaps d_0/(eta(R+1)) + c eta meets the recursion with "
    "equality and ends at 0. The least of these gaps over step sizes up to eta_max is d_0/(eta_max(R+1)) + c eta_max where "
    "c eta_max^2 <= d_0/(R+1), else 2 sqrt(c d_0/(R+1)), at the step size sqrt(d_0/(c(R+1))).",
    tightness=Tightness(1.0, Rung.PROOF, "an equality"),
)


@dataclass(frozen=True)
class RunOfRecursion:
    """mu = 1; ``exponent`` k with mu^2 R d_0/c = 2^k, or c = 0 and d_0 = 1; ``top`` = eta_max."""

    top: Fraction
    rounds: int
    exponent: int | None

    def __str__(self) -> str:
        noise = "c = 0, d_0 = 1" if self.exponent is None else f"c = 1, d_0 = 2^{self.exponent}/R"
        return f"mu = 1, {noise}, R = {self.rounds}, eta_max = {self.top}"

    @property
    def noise(self) -> Fraction:
        return Fraction(self.exponent is not None)

    @property
    def start(self) -> Fraction:
        return ONE if self.exponent is None else Fraction(2**self.exponent, self.rounds)

    def largest(self, claimed: Fraction) -> Fraction:
        """The largest step size whose noise term is within ``claimed``; the first term decreases in the step size."""
        return self.top if self.noise == 0 else min(self.top, claimed / self.noise)


#: Above log 2, since exp(7/10) >= 2.
LOG_2 = Fraction(7, 10)
ANY_CONSTANT = (
    "first term at the largest constant step size whose noise term stays below the claimed bound, against an upper estimate "
    "of that bound"
)
FIRST_DECREASING = (
    "no gap in the constant part, all of it in the first decreasing step, against an upper estimate of the claimed "
    "bound"
)


def below_exp(t: Fraction) -> Fraction:
    """A rational number below exp(t), t >= 0: a power of the Taylor polynomial of degree 3."""
    whole = max(1, int(t))
    part = t / whole
    return (1 + part + part**2 / 2 + part**3 / 6) ** whole


@asymptotic_claim(
    "MX-AUX-L1",
    headline="A contracting recursion with noise, tuned: the linear rate with explicit constants",
    proves=proves(
        LINEAR,
        lambda first, extra, start, exponent: (
            first * mu * d0 * sp.exp(-exponent * mu * h * R)
            + c / (mu * R) * (extra + sp.Max(start, sp.log(mu**2 * R * d0 / c)))
        ),
        under=(2 * R * h * mu >= 1, mu * h < 1),
    ),
    statement=LINEAR,
    source="Appendix D.2 (quoted: Lemma 1 of Karimireddy et al.)",
    summary="Linear rate O~(mu d_0 exp(-mu eta_max R) + c/(mu R)), here with explicit constants. The condition on R and the "
    "logarithm are needed for one constant step size.",
    assumptions=(
        "d_r >= 0",
        "d_r <= (1 - mu eta) d_{r-1} + c eta^2 - eta gap_r, r = 1..R+1",
        "R >= 1/(2 eta_max mu)",
        "mu eta_max < 1",
    ),
    printed=dict(first="3", extra="3", logarithm=True, start="1/2", exponent="1"),
    controls=[
        Control("R >= 1/(200 eta_max mu)", dict(start="1/200")),
        Control("no logarithm", dict(logarithm=False)),
        Control("exp(-2 mu eta_max R)", dict(exponent="2")),
        Control("coefficient 3 of the exponential -> 5/2", dict(first="5/2")),
    ],
)
def linear(first: str, extra: str, logarithm: bool, start: str, exponent: str) -> Evidence:
    """eta = min(eta_max, Lambda/(mu R)), Lambda = max(1/2, log(mu^2 R d_0/c)); mu eta R >= 1/2 in both cases."""
    p, k, r0, power = (Fraction(x) for x in (first, extra, start, exponent))
    u, lam, x, m = sp.symbols("u Lambda x m")
    # With E = exp(-mu eta R): q^n <= E since 1 - t <= exp(-t), and E <= exp(-start) <= 2/3.
    steps = [
        *recursion_steps.telescoping(),
        *recursion_steps.extremal_linear(),
        at_least("log 2 <= 7/10, for the instances", below_exp(LOG_2), 2, "exp(7/10) >= 2 is not shown"),
        sign("t/(1-t) increases", 1 / ((1 - u - x) * (1 - u)), ((u, 0, Open(1)), (x, 0, Open(1 - u)))),
        at_least(
            "exp(-mu eta R) <= exp(-start) <= 2/3", below_exp(r0), Fraction(3, 2), f"exp({start}) >= 3/2 is not shown"
        ),
        sign("E/(1-E) <= first E for E <= 2/3", sp.Rational(first) * (1 - u) - 1, ((u, 0, sp.Rational(2, 3)),)),
        at_least("exp(-mu eta_max R) is at most the exponential of the claim", 1, power, "the exponential is smaller"),
        # eta = eta_max <= Lambda/(mu R): c eta_max <= c Lambda/(mu R)
        sign(
            "case eta_max: noise",
            (sp.Rational(extra) + lam) - mu * h * R,
            ((mu, Open(0), None), (R, 0, None), (h, 0, None), (lam, mu * h * R, None)),
        ),
        # eta = Lambda/(mu R): first mu d_0 exp(-Lambda) <= first c/(mu R), as exp(-Lambda) <= c/(mu^2 R d_0) = m
        hypothesis("exp(-Lambda) <= c/(mu^2 R d_0): Lambda is the logarithm", logarithm, "Lambda is not the logarithm"),
        sign("case Lambda/(mu R): start", (sp.Rational(extra) - sp.Rational(first)) * m, ((m, 0, None),)),
        identity("case Lambda/(mu R): units", mu * d0 * (c / (mu**2 * R * d0)), c / (mu * R)),
    ]
    runs = [
        *(RunOfRecursion(Fraction(1, 1000), n, None) for n in (5, 500, 5000) if Fraction(n, 1000) >= r0),
        RunOfRecursion(Fraction(1, 20), 100, None),
        RunOfRecursion(HALF, 100, 20),
        RunOfRecursion(HALF, 100, 60),
        RunOfRecursion(Fraction(1, 100), 100, 3),
    ]

    def sides(run: RunOfRecursion) -> tuple[Fraction, Fraction]:
        """Any step size up to eta_max: a lower bound of the mean of the extremal sequence against the claimed bound."""
        lam_top = max(HALF, LOG_2 * run.exponent) if logarithm and run.exponent is not None else HALF
        claimed = p * run.start / below_exp(power * run.top * run.rounds) + run.noise / run.rounds * (k + lam_top)
        return run.start * recursion_steps.first_term(run.largest(claimed), run.rounds), claimed

    found = search(runs, sides, describe=lambda run: f"{run}: {ANY_CONSTANT}")
    return settle(
        steps,
        found,
        method=UNROLLED + "1 - t <= exp(-t) and exp(1/2) >= 3/2; case distinction eta = eta_max or Lambda/(mu R)",
        valid_for="every integer R >= 1/(2 eta_max mu), d_0, c >= 0 (d_0 = 0: Lambda = 1/2; c = 0: the second term is 0), "
        "0 < eta_max < 1/mu",
    )


def without_logarithm(schedule: str, exponent: str, noise: str) -> Evidence:
    """Constant part: d <= exp(-mu eta_max R_0) d_0 + c eta_max/mu; then the weights (kappa + j) telescope."""
    power, k, constant = Fraction(exponent), Fraction(noise), schedule == "constant"
    steps = [
        *recursion_steps.varying_steps(),
        at_least("q^(R_0) <= exp(-mu eta_max R/2)", HALF, power, "R_0 >= R/2 gives no more"),
        at_least("4/m <= 8/R", k, 8, "the noise coefficient is below 8"),
        hypothesis("the step sizes of the footnote", not constant, "a constant step size"),
    ]
    runs = [
        RunOfRecursion(HALF, 100, 20),
        RunOfRecursion(Fraction(1, 100), 1000, 3),
        RunOfRecursion(Fraction(1, 20), 300, None),
        RunOfRecursion(HALF, 2, 0),
        RunOfRecursion(HALF, 201, 0),
    ]

    def sides(run: RunOfRecursion) -> tuple[Fraction, Fraction]:
        claimed = 4 * run.start / below_exp(power * run.top * run.rounds) + k * run.noise / run.rounds
        if constant:
            return run.start * recursion_steps.first_term(run.largest(claimed), run.rounds), claimed
        return recursion_steps.varying_mean(run.start, run.noise, run.top, run.rounds), claimed

    how = ANY_CONSTANT if constant else FIRST_DECREASING
    return settle(
        steps,
        search(runs, sides, describe=lambda run: f"{run}: {how}"),
        method="induction in the constant part, telescoping with the weights kappa + j in the decreasing part, 1 - t <= exp(-t)",
        valid_for="every integer R >= 1/(2 eta_max mu), d_0, c >= 0, 0 < eta_max < 1/mu",
    )


VARYING = (
    "gap_r >= 0",
    "d_r >= 0",
    "d_r <= (1 - mu eta_r) d_{r-1} + c eta_r^2 - eta_r gap_r, r = 1..R+1",
    "R >= 1/(2 eta_max mu)",
    "mu eta_max < 1",
)
of_footnote = asymptotic_claim.sharing(source="Appendix D.2, footnote at the strongly convex rate", assumptions=VARYING)
order_of_rounds = of_footnote(
    "MX-SC-LOG[order of the number of rounds]",
    headline="Falling steps remove the logarithm at the price of half the exponent, same order",
    proves=proves(
        recursions.VARYING,
        lambda exponent, noise: 4 * mu * d0 * sp.exp(-exponent * mu * h * R) + noise * c / (mu * R),
        under=(2 * R * h * mu >= 1,),
    ),
    statement=recursions.VARYING,
    summary="The logarithm of MX-AUX-L1 disappears with eta_max in the first half of the rounds (weight 0) and 2/(mu(kappa + j)) "
    "afterwards; the exponent of the start is halved, which does not change the order of the number of rounds.",
    printed=dict(schedule="varying", exponent="1/2", noise="8"),
    controls=[
        Control("one constant step size", dict(schedule="constant")),
        Control("exp(-mu eta_max R) with these step sizes", dict(exponent="1")),
        Control("noise coefficient 8 -> 3.9", dict(noise="39/10")),
    ],
)(without_logarithm)


@of_footnote(
    "MX-SC-LOG[the same bound without the tilde]",
    fault="reading",
    statement=r"\text{weighted mean of }gap_r\le K\Big(\mu d_0e^{-\mu\eta_{\max}R}+\frac{c}{\mu R}\Big)\ \text{for some }K"
    r"\text{, step sizes }\eta_r\le\eta_{\max}\text{ and weights}",
    headline="The logarithm hidden by the tilde is needed for such recursions",
    summary="With the exponent unchanged no step sizes and no weights do it for all recursions: a factor that grows at least like "
    "the square root of mu eta_max R is left. (This is about the recursion, from which the rate is derived.)",
    repair="MX-SC-LOG[order of the number of rounds]",
    printed=dict(exponent="1"),
    controls=[Control("exp(-mu eta_max R/2)", dict(exponent="1/2"), must="pass")],
)
def same_bound(exponent: str) -> Evidence:
    """A lower bound for every K, step sizes and weights; with half the exponent the proof of the other reading applies."""
    if Fraction(exponent) <= HALF:
        return without_logarithm("varying", exponent, "8")
    proof = Proof(tuple(recursion_steps.same_exponential() if Fraction(exponent) == 1 else ()))
    if not proof.complete:
        missing = "step sizes, or a lower bound, for this exponent"
        return undecided("neither the upper nor the lower bound applies", 1, missing, Rung.EXACT)
    method = "a lower bound for every constant, all step sizes and all weights"
    refuted = read(False, method=method, examined=len(proof.steps), counterexample=LOWER_BOUND)
    prose = "Words join the steps: weights and step sizes are arbitrary, and a sum over the rounds is estimated."
    return replace(refuted, certificate={"steps": list(keep(proof.steps, ()).steps)}, prose=prose)


LOWER_BOUND = (
    "for any integer K >= 1 let X = 72 K^2 + 1, R = 2 X^2, eta_max = 1/(2X), mu = d_0 = 1, c = R (1 - eta_max)^R. "
    "Putting the whole gap into one round r gives w_r P_r/eta_r, P_r = prod_{s<=r} (1 - eta_s), and into the first "
    "round at least c sum_r w_r eta_r. If both are at most K (exp(-X) + c/R), then half of the weight is on rounds "
    "with eta_r <= 6K/R, where the first condition leaves room for a weight of less than 1/2"
)


if __name__ == "__main__":
    run_script(__file__)
