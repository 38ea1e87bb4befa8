"""Lemma 1 of the elastic aggregation supplement, the choice of the step size in two cases: admissible or not, repaired.

Case 1 takes eta = eta_max, which is fine below 1/mu; at eta_max = 1/mu the weights are powers of 0, and the normalised
weights have a limit, all of it on the last round, with which the bound holds.  Case 2 takes
eta = log(max(1, a))/(mu R), a = mu^2 R d_0/c: this is 0 for a <= 1, and below 1/(2 mu R), where the bound before tuning
is not available, for a < exp(1/2).  With max(2, a) both are repaired.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_relations
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import against_the_best
from fltheory.evidence.valued import valued
from fltheory.kinds import JSON
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance, Proof, identity, sign
from fltheory.theory.values import exact_value
from verify.elastic2023 import tuned_sums, tuned_values, tuning
from verify.elastic2023.derivations import recursions
from verify.elastic2023.enclosures import exp_between, log_between, rounded_up
from verify.elastic2023.tuned_sums import geometric_steps, largest_sum, telescoping_steps
from verify.elastic2023.tuning import CASE_ONE, CASE_TWO, P, R, c, d_0, eta_max, mu

of_case_1 = algebra_claim.sharing(source="proof of Lemma 1, first case")
of_case_2 = algebra_claim.sharing(source="proof of Lemma 1, second case")

HALF = Fraction(1, 2)


def _log_of(floor: sp.Expr | int) -> sp.Expr:
    """``log max(floor, mu^2 R d_0/c)``."""
    return sp.log(sp.Max(floor, mu**2 * R * d_0 / c))


def case_one(constant: str, log_factor: str) -> Evidence:
    """eta = eta_max < 1/mu and ``1/2 <= mu eta_max R <= log max(1, a)``, which is ``ratio`` times mu eta_max R."""
    number = sp.sympify(constant, locals={"h": tuning.HALF})

    def instances() -> Iterator[Instance]:
        for rounds, q in ((1, HALF), (200, Fraction(1, 400)), (10, Fraction(9, 10))):
            size = exp_between(q * rounds)[1]  # a, for which eta_max is just allowed
            noise = Fraction(log_factor) * log_between(size)[1]
            left = size * largest_sum(q, rounds) + q * rounds
            right = tuned_sums.rational_above(number) * size * (1 - q) ** rounds + noise
            yield Instance(
                f"mu = c = 1, eta = eta_max = {q}, R = {rounds}, a = R d_0 = exp({q * rounds}) "
                "(rounded up), d = (d_0, 0, ...), in units of c/(mu R)",
                left,
                right,
            )

    def script() -> Mapping[str, JSON]:
        values = {**tuned_values.VALUES, "ratio": "log(b)/(q*R)"}
        values, ranges = tuned_values.in_mu_and_eta(values, tuned_values.up_to_the_log(tuned_values.OF_EXP, "q", "1"))
        found = recursions.before_tuning(constant, f"{log_factor}*ratio", ratio=("1", None))
        return valued(found, values, tuned_values.of_the_larger("1", ranges, d0="3"))

    return by_derivation(
        script,
        instances,
        method="EL-L1-3 at eta_max, and the condition of the case for the noise term.",
        valid_for="b = max(1, mu^2 R d_0/c), all non-negative sequences, R >= 1, c > 0, "
        "1/(2 mu R) <= eta_max <= log(b)/(mu R), eta_max < 1/mu",
    )


@of_case_1(
    "EL-L1-CASES.1",
    headline="In the first case the largest step allowed gives the bound of Lemma 1",
    statement=(CASE_ONE, r"\quad(\eta_{\max}<1/\mu)"),
    proves=proves(
        CASE_ONE,
        lambda constant, log_factor: (
            constant * mu * d_0 * sp.exp(-mu * eta_max * R) + log_factor * c * _log_of(1) / (mu * R)
        ),
        under=(mu * eta_max <= 1, 2 * mu * eta_max * R >= 1, eta_max <= _log_of(1) / (mu * R)),
    ),
    depends=("EL-L1-23",),
    summary="Where eta_max is at most the logarithmic step, eta = eta_max gives the bound.",
    printed=dict(constant="3", log_factor="1"),
    controls=[
        Control("3 -> 5/2", dict(constant="5/2")),
        Control("the logarithm times 0.9", dict(log_factor="9/10", constant="1/(1 - h)")),
    ],
)
def first_case(constant: str, log_factor: str) -> Evidence:
    return case_one(constant, log_factor)


def weights_exist(share: str) -> Evidence:
    """Whether w_r = 1/(1-q)^(r-1) divides by a positive number for every r >= 1 at the step that case 1 takes."""
    return by_relations(DIVISOR.changed("q = 1", f"q = {share}"), method="Sign of what w_r divides by.")


DIVISOR = Relations("(1 - q)**(r - 1) > 0 for r >= 1; q = 1", names={"q": r"\mu\eta"})
end_point = of_case_1(
    "EL-L1-CASES.2[weights by their formula]",
    fault="missing hypothesis",
    statement=(
        r"\eta=\eta_{\max}:\quad w_r=(1-\mu\eta)^{1-r}=1/(1-\mu\eta)^{r-1}\text{ defined and positive, }",
        DIVISOR,
    ),
    headline="At the largest step allowed the weights of the proof are not defined",
    summary="The end point eta_max = 1/mu is allowed, and the first case takes eta = eta_max: the weights are then powers "
    "of 0 with negative exponents.",
    printed=dict(share="1"),
    repair="EL-L1-CASES.2-R1",
    controls=[Control("eta = 9/(10 mu)", dict(share="9/10"), must="pass"), Control("eta = 2/mu", dict(share="2"))],
)(weights_exist)


def limit_of_sum(d: tuple[int, ...]) -> Fraction:
    """Psi_R for mu = c = 1 in the limit of eta to 1, from the definition; the weights are multiplied by (1-q)^R."""
    q, rounds = sp.Symbol("q"), len(d) - 2
    weights = [(1 - q) ** (rounds + 1 - r) for r in range(1, rounds + 2)]
    terms = [w / q * (1 - q) * d[r] - w / q * d[r + 1] + q * w for r, w in enumerate(weights)]
    return exact_value(sp.limit(sp.cancel(sum(terms) / sum(weights)), q, 1))


@of_case_1(
    "EL-L1-CASES.2[normalised weights as limits]",
    headline="At the largest step the weights tend to the last round alone, and the bound holds",
    statement=r"\eta\to\eta_{\max}=1/\mu:\quad \frac{w_r}{W_R}\to1\ (r=R+1),\ 0\ (r\le R),\qquad \Psi_R\to\frac c\mu-\mu d_{R+1}"
    r"\le c\,\eta_{\max}",
    summary="At the end point eta_max = 1/mu the output is the last round, as the limit of the normalised weights, and the "
    "sum is at most c eta_max, so that the bound of the first case holds.",
    assumptions=("d_{R+1} >= 0", "eta_max = 1/mu"),
    printed=dict(noise="1", negative=False),
    controls=[
        Control("c eta_max times 0.99", dict(noise="99/100")),
        Control("the sequence may be negative", dict(negative=True)),
    ],
)
def end_point_as_limit(noise: str, negative: bool) -> Evidence:
    """Closed forms are rational in q and P = (1-q)^R, and at q = 1 their values do not depend on P."""
    k, last = sp.Rational(noise), sp.Symbol("d_last", nonnegative=True)
    total = (1 - (1 - tuning.q) * P) / (tuning.q * P)
    share = 1 / (P * total)  # w_{R+1}/W_R, w_{R+1} = 1/P
    value = ((1 - tuning.q) * tuning.d_0 - last / P) * mu / (tuning.q * total) + c * tuning.q / mu
    steps = (
        *telescoping_steps(),
        *geometric_steps(),
        identity("last normalised weight", sp.cancel(share).subs(tuning.q, 1), 1),
        identity("the other ones: w_r/w_{r+1} = 1 - q", (1 - tuning.q).subs(tuning.q, 1), 0),
        identity("limit of the sum", sp.cancel(value).subs(tuning.q, 1), c / mu - mu * last),
        sign("at most c eta_max", (k - 1) * c + (-last if negative else last), [(c, 0, None), (last, 0, None)]),
    )

    def instances() -> Iterator[Instance]:
        sequences = [(0, 0), (1, 0, 0), (1, 2, 3), (5, 0, 1, 0), *([(1, 1, -1)] if negative else [])]
        for d in sequences:
            text = f"mu = c = 1, eta to eta_max = 1, d = ({', '.join(map(str, d))}): limit of Psi_R"
            yield Instance(text, limit_of_sum(d), Fraction(noise))

    return decide(
        Proof(steps),
        instances,
        method="Closed forms of the sum and of the weights (induction over R), continuous at mu eta = 1.",
        valid_for="all R >= 0, all non-negative sequences, c >= 0",
    )


@of_case_1(
    "EL-L1-CASES.2-R1",
    headline="At the end of the range a slightly smaller step gives the bound of the first case",
    statement=r"\eta=\frac{9}{10\mu}:\quad \Psi_R\le\mu d_0e^{-R}+\frac{c}{\mu}\quad(R\ge1)",
    summary="For eta_max = 1/mu a slightly smaller step gives the bound of case 1.",
    printed=dict(share="9/10"),
    controls=[Control("eta = 1/(2 mu)", dict(share="1/2")), Control("eta = 1/mu", dict(share="1"))],
)
def end_point_repaired(share: str) -> Evidence:
    q = Fraction(share)
    if q >= 1:
        return weights_exist(share)

    def instances() -> Iterator[Instance]:
        for rounds in (1, 2, 10, 50):
            text = f"mu = 1, c = 0, eta = {q}, R = {rounds}, d = (1, 0, 0, ...)"
            yield Instance(text, largest_sum(q, rounds), exp_between(Fraction(-rounds))[1])

    def script() -> Mapping[str, JSON]:
        found = recursions.before_tuning("1", f"1/({share})", top=f"1 - {share}", share=share)
        return valued(found, *tuned_values.below_the_end(share))

    return by_derivation(
        script,
        instances,
        method="Telescoping and the geometric sum for q = 9/10; (1/10)^R <= (1/4)^R <= exp(-R), and c eta <= c/mu.",
        valid_for="all non-negative sequences, R >= 1, c >= 0",
    )


_PSI = "(w_1/q*(1 - q)*d_0 - w_1/q*d_1 + q*w_1 + w_2/q*(1 - q)*d_1 - w_2/q*d_2 + q*w_2)/(w_1 + w_2)"
#: mu = c = R = 1: Psi by its definition at the step q = log(a) of d = (a, 0, 0); and the step log(b), b = max(1, x), for x < 1.
NO_CONSTANT = Relations(
    "Psi > C*(1 + q); 0 <= log(b) <= 0 for C > 0; q = 1/(4*(C + 1)); a = exp(q); d_0 = a; d_1 = 0; d_2 = 0; w_1 = 1; "
    f"w_2 = w_1/(1 - q); Psi = {_PSI}; 0 <= x < 1; b >= 1; b >= x; (b - 1)*(b - x) = 0",
    uses={
        0: {"1 + q <= exp(q)": "(1 - q)**2/(q*(2 - q))"},
        2: {"log(b) <= b - 1": "1", "(b - 1)*(b - x) = 0": "1/(b - x)"},
    },
    at={"C": "1", "b": "1", "x": "0"},
)


def case_two(floor: str, constant: str) -> Evidence:
    """eta = log(max(floor, a))/(mu R): ``Psi_R <= (c/(mu R))(constant + log max(floor, a))``, whenever mu eta < 1."""

    def script() -> Mapping[str, JSON]:
        return valued(
            recursions.logarithmic_step(str(floor), str(constant)),
            tuned_values.AT_LOG,
            tuned_values.log_step(str(floor)),
        )

    if Fraction(floor) <= 1:
        proved, reason = NO_CONSTANT.proof
        words = f"mu = c = R = 1, d = (a, 0, 0), for every C: {NO_CONSTANT.text}"
        found = Tried(1, words, -1.0, certificate=NO_CONSTANT.certificate) if proved else Tried(1)
        return decide(
            (False, reason), found, method="For every C an instance breaks the bound: proved as it is written."
        )
    floor, constant = Fraction(floor), Fraction(constant)
    low = exp_between(HALF)[1]

    def instances() -> Iterator[Instance]:
        for rounds in (1, 200):
            q = rounded_up(
                log_between(floor)[1] / rounds
            )  # slightly above the step, where the first term is slightly smaller
            if q < 1:
                text = f"mu = c = 1, R = {rounds}, a = R d_0 = {floor}, d = (d_0, 0, ...), eta = log({floor})/R"
                yield Instance(f"{text}, in units of c/(mu R)", floor * largest_sum(q, rounds), constant)

    sharp = floor / (floor - 1)
    return by_derivation(
        script,
        instances,
        method="Sum in closed form; with b = max(floor, a) and q R = log b one has P = (1-q)^R <= exp(-qR) = 1/b, as "
        "1 - q <= exp(-q), and a <= b.",
        valid_for=f"b = max({floor}, mu^2 R d_0/c), all non-negative sequences, c > 0, mu eta < 1 (exp(1/2) < "
        f"{float(low):.4f} so that R >= 1/(2 mu eta))",
        tightness=against_the_best(constant / sharp, f"{sharp}, the limit at a = {floor} as R grows"),
    )


_TWO = (
    r"\eta=\frac{\log\max(%s,\mu^2Rd_0/c)}{\mu R}:\quad \Psi_R\le3\mu d_0e^{-\log\max(%s,\mu^2Rd_0/c)}"
    r"+\tilde{\mathcal{O}}\!\left(\tfrac{c}{\mu R}\right)\le\tilde{\mathcal{O}}\!\left(\tfrac{c}{\mu R}\right)"
)


second_case = of_case_2(
    "EL-L1-CASES.3",
    fault="substance",
    statement=_TWO % ("1", "1"),
    repair="EL-L1-CASES.3-R1",
    headline="In the second case the proof's step can be zero, or too small for any constant",
    summary="The step of the second case is 0 where mu^2 R d_0 < c. Where mu^2 R d_0 is slightly above c, the step is so small "
    "that the bound fails with any constant, already for R = 1.",
    printed=dict(floor="1", constant="3"),
    controls=[
        Control("max(2, .) in place of max(1, .)", dict(floor="2"), must="pass"),
        Control("constant 400", dict(constant="400")),
    ],
)(case_two)

second_case_repaired = of_case_2(
    "EL-L1-CASES.3-R1",
    statement=(r"\eta=\frac{\log\max(2,\mu^2Rd_0/c)}{\mu R}<\eta_{\max}:\quad ", CASE_TWO),
    proves=proves(
        CASE_TWO,
        lambda floor, constant: c / (mu * R) * (constant + _log_of(floor)),
        under=(mu * eta_max <= 1, 2 * mu * eta_max * R >= 1),
    ),
    summary="The second case holds with max(2, .) in the step, and with explicit constants.",
    printed=dict(floor="2", constant="3"),
    controls=[
        Control("constant 3 -> 1.98 (2 is sharp)", dict(constant="99/50")),
        Control("max(1.01, .)", dict(floor="101/100")),
        Control("max(1, .)", dict(floor="1")),
    ],
)(case_two)


if __name__ == "__main__":
    run_script(__file__)
