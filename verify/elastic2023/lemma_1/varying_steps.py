"""The remark before Lemma 1 of the elastic aggregation supplement: a varying step size removes the logarithm.

With steps eta_r, q_r = mu eta_r, and weights w_r = v_r eta_r, v_r = v_{r-1}/(1-q_r), v_0 = 1, one has mu w_r = v_r -
v_{r-1}, so that mu W = v_{R+1} - 1 and the weighted sum is at most (mu d_0 + (c/mu) sum_r (v_r - v_{r-1}) q_r)/(v_{R+1} -
1), with equality for (d_0, 0, 0, ...).

Upper bound: m steps eta_max, then n steps 2/(mu (s+j)), s = 2/(mu eta_max).  Then v_{m+j}/v_m = (s+j)(s+j-1)/(s(s-1)).
Lower bound, for all steps up to eta_max and all weights that give a bound in d_0 alone (v_r (1-q_r) <= v_{r-1}):
Cauchy-Schwarz gives sum w_r eta_r >= W^2/sum v_r, and v_r <= (1-q)^{-r} gives
Psi >= 2 sqrt(c d_0 q (1-q)^(R+1)), q = mu eta_max: the exponential of Lemma 1 cannot be kept unchanged.
"""

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.kinds import asymptotic_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.proofs import Open
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance, Proof, Step, at_least, hypothesis, identity, inequality, sign
from verify.elastic2023 import tuned_sums, tuning
from verify.elastic2023.enclosures import exp_between
from verify.elastic2023.tuned_sums import tangent_of_exp
from verify.elastic2023.tuning import VARYING, R, c, d_0, eta_max, mu


def schedule(top: Fraction, rounds: int, share: Fraction) -> list[Fraction]:
    """q_1, ..., q_{R+1}: ``top`` and then, for the last ceil(share R) rounds, 2/(s + j)."""
    last = (share * rounds).__ceil__()
    start = 2 / top
    return [top] * (rounds + 1 - last) + [2 / (start + j) for j in range(1, last + 1)]


def sums(steps: list[Fraction]) -> tuple[Fraction, Fraction]:
    """The factors of mu d_0 and of c/mu in the weighted sum for (d_0, 0, 0, ...)."""
    v, noise = Fraction(1), Fraction(0)
    for q in steps:
        after = v / (1 - q)
        noise, v = noise + (after - v) * q, after
    return 1 / (v - 1), noise / (v - 1)


def schedule_steps(share: sp.Expr) -> tuple[Step, ...]:
    """``Psi <= (2/share) mu d_0 exp(-(1-share) mu eta_max R) + (4/share) c/(mu R)`` for 0 < share <= 1."""
    v, s, j, n, m = sp.symbols("v s j n m", positive=True)
    ratio = (s + j) * (s + j - 1) / (s * (s - 1))
    q_j = 2 / (s + j)
    end = ratio.subs(j, n)
    noise = (2 / s) * (v - 1) + 4 * n * v / (s * (s - 1))
    at_least_two = [(s, 2, None), (n, 1, None), (v, 1, None)]
    good = bool(share > 0) and bool(share <= 1)
    steps = [
        identity("mu w_r = v_r - v_{r-1}", v / (1 - tuning.q) * tuning.q, v / (1 - tuning.q) - v),
        identity("telescoping: v_r (1-q_r) = v_{r-1}", v / (1 - tuning.q) * (1 - tuning.q), v),
        identity("v_{m+j} = v_m (s+j)(s+j-1)/(s(s-1)): start", ratio.subs(j, 0), 1),
        identity("v_{m+j} (1-q_j) = v_{m+j-1}", ratio * (1 - q_j), ratio.subs(j, j - 1)),
        sign("q_j <= q = 2/s", 2 / s - q_j, [(s, 2, None), (j, 0, None)]),
        sign(
            "noise of each later step: (v_{m+j} - v_{m+j-1}) q_j <= 4 v_m/(s(s-1))",
            4 / (s * (s - 1)) - (ratio - ratio.subs(j, j - 1)) * q_j,
            [(s, 2, None), (j, 1, None)],
        ),
        sign("all noise is at most 4/n", sp.cancel(4 / n * (v * end - 1) - noise), at_least_two),
        sign("1/(v_m end - 1) <= (1/v_m)/(q n)", sp.cancel(s / (2 * n * v) - 1 / (v * end - 1)), at_least_two),
        tangent_of_exp(),
        at_least(
            "at eta_max = 1/mu: q = 9/10 contracts by 1/10 <= exp(-1), a rational number below it",
            exp_between(Fraction(-1))[0],
            Fraction(1, 10),
        ),
        sign("and 1/(q n) <= (10/9)/(share R) <= 2/(share R)", 2 - sp.Rational(10, 9), []),
        at_least(
            "0 < share <= 1: 1/share is at least 1",
            1 / share if share > 0 else 0,
            1,
            f"share = {share}: no second phase",
        ),
    ]
    if good:
        steps += [
            inequality(
                "n >= share R and R q >= 1/2: 1/(q n) <= 2/share",
                share,
                2 * tuning.q * n,
                premises={
                    "n >= share R": (2 * tuning.q, n - share * R),
                    "R q >= 1/2": (2 * share, R * tuning.q - sp.Rational(1, 2)),
                },
                ranges=[(tuning.q, 0, 1)],
            ),
            sign(
                "n = ceil(share R) < share R + 1 leaves m = R + 1 - n >= (1 - share) R",
                (R + 1 - (share * R + 1)) - (1 - share) * R,
                [(R, 1, None)],
            ),
        ]
    return tuple(steps)


_POWER, _EXP = "(1 - q)**(R + 1)", "exp((R + 1)*(1/(1 - q) - 1))"
#: mu = c = 1, d_0 = d: squares of 2 sqrt(d_0 q (1-q)^(R+1)) and of C (d_0 exp(-q R) + 1/R), for every C.
FOR_EVERY_C = Relations(
    f"4*d*q*{_POWER} > C**2*(d*exp(-q*R) + 1/R)**2 for C > 0; k > 2; q = 1/k**2; R = k**3; d = exp(k)/R; C**2 <= k - 2",
    uses={
        0: {
            f"(1/(1 - q))**(R + 1) <= {_EXP}": f"4*d*q*{_POWER}/{_EXP}",
            "1 - 1/(k - 1) <= exp(-1/(k - 1))": "4*k/R**2",
            "C**2 <= k - 2": "4/R**2",
        }
    },
    at={"C": "1", "k": "3"},
)
_LEAST = "that any steps up to eta_max and any weights leave at least 2 sqrt(c d_0 q (1-q)^(R+1)), EL-L1-LOG-S1"


def constant_steps(exponent: Fraction, constant: Fraction) -> Instance:
    """As for Lemma 1 with constant steps: a = (11/10)^R, split at mu eta = 0.088."""
    base, split, rounds = Fraction(11, 10), Fraction(88, 1000), 3000
    text = f"mu = c = eta_max = 1, R = {rounds}, R d_0 = ({base})^{rounds}, any constant step, in units of c/(mu R)"
    right = constant * (tuned_sums.bracket_decay(base, rounds, exponent) + 1)
    return Instance(text, tuned_sums.left_by_constant_steps(base, split, rounds), right)


def without_logarithm(exponent: str, first: str, second: str, steps: str) -> Evidence:
    """``Psi <= first mu d_0 exp(-exponent mu eta_max R) + second c/(mu R)`` with suitable steps up to eta_max."""
    power, one, two = Fraction(exponent), Fraction(first), Fraction(second)
    if power == 1 and steps == "varying":
        proved, reason = FOR_EVERY_C.proof
        words = f"for every C, the squares of the smallest weighted sum and of the bound: {FOR_EVERY_C.text}"
        found = Tried(1, words, -1.0, certificate=FOR_EVERY_C.certificate, prose=_LEAST) if proved else Tried(1)
        return decide(
            (False, reason), found, method="For every C an instance breaks the bound: proved as it is written."
        )
    share = 1 - sp.Rational(exponent)
    proof = (
        hypothesis("the steps may vary", steps == "varying", "the schedule of the proof is not constant"),
        *schedule_steps(share),
        at_least("the first constant is at least 2/share", sp.Rational(first) * share, 2),
        at_least("the second one is at least 4/share", sp.Rational(second) * share, 4),
    )

    def instances() -> Iterator[Instance]:
        if steps == "constant":
            yield constant_steps(power, max(one, two))
            return
        cases = ((1, Fraction(1, 2)), (1, Fraction(9, 10)), (20, Fraction(1, 40)), (20, Fraction(1, 2)))
        for rounds, top in cases if power < 1 else ():
            initial, noise = sums(schedule(top, rounds, 1 - power))
            text, decayed = f"eta_max = {top}/mu, R = {rounds}", exp_between(-power * top * rounds)[1]
            yield Instance(f"{text}: factor of mu d_0", initial, one * decayed)
            yield Instance(f"{text}: factor of c/mu", noise, two / rounds)

    return decide(
        Proof(proof),
        instances,
        method="R + 1 - n steps eta_max, then n = ceil((1 - exponent) R) steps 2/(mu(s + j)), s = 2/(mu eta_max); "
        "products and sums in closed form (induction over the rounds); for eta_max = 1/mu replace it by 9/(10 mu).",
        valid_for="all non-negative sequences, R >= 1/(2 mu eta_max), 0 < eta_max <= 1/mu, c >= 0",
    )


without_logarithm_claim = asymptotic_claim.sharing(
    source="Section 7.2, before Lemma 1",
    assumptions=(
        "0 < eta_max <= 1/mu",
        "c >= 0",
        "R >= 1/(2 mu eta_max)",
        "steps and weights may depend on mu, c, eta_max, R, d_0, not on d_1, d_2, ...",
    ),
)


up_to_the_exponent = without_logarithm_claim(
    "EL-L1-LOG[up to the constant in the exponent]",
    headline="Steps that fall in the second half remove the logarithm and halve the exponent",
    statement=VARYING,
    proves=proves(
        VARYING,
        lambda exponent, first, second: first * mu * d_0 * sp.exp(-exponent * mu * eta_max * R) + second * c / (mu * R),
        under=(mu * eta_max <= 1, 2 * mu * eta_max * R >= 1),
    ),
    summary="With eta_max (9/(10 mu) if eta_max = 1/mu) for half of the rounds and then 2/(mu(s+j)), s = 2 over mu times that "
    "first step, j = 1, 2, ..., the logarithm disappears; the exponent is halved.",
    printed=dict(exponent="1/2", first="4", second="8", steps="varying"),
    controls=[
        Control("exponent mu eta_max R, as in Lemma 1", dict(exponent="1")),
        Control("one constant step", dict(steps="constant")),
    ],
)(without_logarithm)

otherwise_unchanged = without_logarithm_claim(
    "EL-L1-LOG[bound of Lemma 1 otherwise unchanged]",
    fault="reading",
    repair="EL-L1-LOG[up to the constant in the exponent]",
    statement=r"\Psi_R\le C\left(\mu d_0e^{-\mu\eta_{\max}R}+\frac{c}{\mu R}\right)",
    headline="Without its logarithm the bound fails for any steps and weights",
    summary="No constant C serves: with any steps up to eta_max and any weights that telescope, the worst sum is at least "
    "2 sqrt(c d_0 q (1-q)^(R+1)), q = mu eta_max; for d_0 = c exp(qR)/(mu^2 R) and q^2 R to 0 this is about sqrt(qR) times "
    "the bound with C = 1, and qR may be as large as one likes.",
    printed=dict(exponent="1", first="100", second="100", steps="varying"),
    controls=[
        Control("exponent mu eta_max R/2", dict(exponent="1/2"), must="pass"),
        Control(
            "exponent 99/100 mu eta_max R, larger constants",
            dict(exponent="99/100", first="200", second="400"),
            must="pass",
        ),
        Control("C = 1000", dict(first="1000", second="1000")),
    ],
)(without_logarithm)


@without_logarithm_claim(
    "EL-L1-LOG-S1",
    statement=r"\inf_{\eta_r\le\eta_{\max},\,w}\ \sup_{d_1,d_2,\dots\ge0}\Psi_R\ge2\sqrt{c\,d_0\,q(1-q)^{R+1}},\quad "
    r"q=\mu\eta_{\max}<1",
    headline="A lower bound for the recursion of Lemma 1, for all steps and weights",
    summary="A lower bound for all steps up to eta_max and all weights: what the exponential of Lemma 1 costs.",
    printed=dict(factor="2"),
    controls=[Control("2 -> 5/2", dict(factor="5/2"))],
)
def lower_bound_for_all_steps(factor: str) -> Evidence:
    """V = v_1 (1-q_1) is the coefficient of d_0; finite suprema need v_{r+1}(1-q_{r+1}) <= v_r."""
    x, y, w, q = sp.symbols("x y W q", positive=True)
    mean_v, mean_e, s = sp.symbols("m_e d_e S")
    f = sp.Rational(factor)
    n = sp.Symbol("n", positive=True)
    steps = (
        # weights v_r/S: e = mean + deviation, S mean(e^2) = S (m^2 + d^2) and W = S m
        inequality(
            "Cauchy-Schwarz with weights v_r: W^2 <= (sum v eta^2)(sum v)",
            (s * mean_v) ** 2,
            s * s * (mean_v**2 + mean_e**2),
            squares=[(s**2, mean_e)],
            ranges=[(s, 0, None)],
        ),
        identity("sum of (1-q)^(-r), r = 1..R+1, induction: first term", (1 / (1 - q) - 1) / q, 1 / (1 - q)),
        identity("sum of (1-q)^(-r), induction: next term", (n / (1 - q) - 1) / q - (n - 1) / q, n / (1 - q)),
        sign("hence sum v_r <= V (1-q)^(-(R+1))/q", n / q - (n - 1) / q, [(n, 1, None), (q, Open(0), 1)]),
        # x = d_0 V/W, y = c W q (1-q)^(R+1)/V: x y = c d_0 q (1-q)^(R+1)
        inequality(
            "x + y >= factor sqrt(x y), squared",
            f**2 * x * y,
            (x + y) ** 2,
            squares=[(1, x - y)],
            ranges=[(x, 0, None), (y, 0, None)],
        ),
        identity("x y", (d_0 / w) * (c * w * q * n), c * d_0 * q * n),
    )

    def instances() -> Iterator[Instance]:
        for rounds, top in ((1, Fraction(1, 2)), (20, Fraction(1, 20)), (60, Fraction(1, 6))):
            for steps_taken in ([top] * (rounds + 1), schedule(top, rounds, Fraction(1, 2))):
                initial, noise = sums(steps_taken)
                for size in (Fraction(1, 10), Fraction(1), Fraction(1000)):
                    value = initial * size + noise
                    bound = Fraction(factor) ** 2 * size * top * (1 - top) ** (rounds + 1)
                    yield Instance(
                        f"mu = c = 1, eta_max = {top}, R = {rounds}, d_0 = {size}: squares of the bound "
                        "and of a weighted sum",
                        bound,
                        value**2,
                    )

    return decide(
        Proof(steps),
        instances,
        method="Suprema over d_r are finite only if v_{r+1}(1-q_{r+1}) <= v_r (v_r = w_r/eta_r), so v_r <= V (1-q)^(-r); "
        "Cauchy-Schwarz over the rounds; arithmetic and geometric mean.",
        valid_for="all R, all steps 0 < eta_r <= eta_max < 1/mu, all positive weights, c, d_0 >= 0",
    )


if __name__ == "__main__":
    run_script(__file__)
