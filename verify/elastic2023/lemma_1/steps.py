"""Lemma 1 of the elastic aggregation supplement, from the sum of the weights to the bound before tuning, with sharp constants.

With q = mu eta and P = (1-q)^R everything is rational: the weights add up to (1 - (1-q)P)/(qP) (induction over R), and P <=
exp(-1/2) when R q >= 1/2 (tangent of exp).  The worst sequence is (d_0, 0, 0, ...), the worst q is 1/(2R), R to infinity.
"""

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import algebra_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import against_the_best
from fltheory.evidence.valued import valued
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance, equality
from verify.elastic2023 import tuned_sums, tuned_values, tuning
from verify.elastic2023.derivations import recursions
from verify.elastic2023.enclosures import exp_between
from verify.elastic2023.tuned_sums import rational_above
from verify.elastic2023.tuned_values import OF_EXP, VALUES
from verify.elastic2023.tuning import BEFORE_TUNING, BEFORE_TUNING_SHARP

third_display = algebra_claim.sharing(source="proof of Lemma 1, third display")

ONE, HALF = Fraction(1), Fraction(1, 2)


POWERS = {name: VALUES[name] for name in "Ph"}

two_thirds = statement_of_algebra(
    "EL-L1-23",
    Relations(
        "(1 - q)**R <= exp(-q*R) <= 2/3 for 0 <= q <= 1; R >= 1; 2*q*R >= 1",
        uses={
            0: {"(1 - q)**R <= exp(-q*R)": "1"},
            1: {
                "1 + (q*R - 1/2) <= exp(q*R - 1/2)": "2/3*exp(1/2 - q*R)",
                "1 + 1/2 <= exp(1/2)": "2/3*exp(-q*R)",
                "2*q*R >= 1": "exp(1/2 - q*R)/3",
            },
        },
        names={"q": r"\mu\eta"},
    ),
    headline="After enough rounds the contraction has taken away at least a third",
    false={
        "2/3 -> 3/5 (exp(-1/2) = 0.6065 is sharp)": ("2/3", "3/5"),
        "R >= 1/(4 mu eta)": ("2*q*R >= 1", "4*q*R >= 1"),
        "mu eta up to 3": ("q <= 1", "q <= 3"),
    },
    group=algebra_claim,
    source="proof of Lemma 1",
    summary="After R >= 1/(2 mu eta) rounds the contraction factor is at most 2/3.",
    tightness=against_the_best(Fraction(2, 3) / exp_between(-HALF)[1], "exp(-1/2), at R mu eta = 1/2"),
)


def geometric(constant: str, exponent: str, relation: str, stated: str = "") -> Evidence:
    """``eta W_R = (1-q)^(-R)(1 - (1-q)^exponent)/mu >= constant (1-q)^(-R)/mu``; ``relation`` stands for the first =."""
    if exponent == "R" and relation == "=":
        q, setting = sp.Symbol("q"), "R = 1, q = mu eta, W_1 = 1 + 1/(1-q)"
        closed_form = Side("closed form", 1 / (1 - q) * (1 - (1 - q)))
        claim = Side("q W_1", q * (1 + 1 / (1 - q))), "=", closed_form
        return by_witness(Witness({q: HALF}, *claim, [(q, ">=", HALF)], setting), rung=Rung.PROOF)
    value = sp.sympify(constant, locals={"h": tuning.HALF})

    def instances() -> Iterator[Instance]:
        low = 1 / rational_above(1 / value)
        for rounds in (1, 2, 200):
            for q in (Fraction(1, 2 * rounds), Fraction(3, 4)):
                total = q * tuned_sums.weight_total(q, rounds)  # mu eta W_R
                form = ((1 - q) ** (-rounds)) * (1 - (1 - q) ** (rounds + (exponent == "R+1")))
                text = f"mu eta = {q}, R = {rounds}"
                if relation == "=":
                    yield equality(f"{text}, mu eta W_R", total, form)
                else:
                    yield Instance(f"{text}, closed form against mu eta W_R", form, total)
                yield Instance(f"{text}, last inequality times mu (1-q)^R", low, form * (1 - q) ** rounds)

    return by_derivation(
        lambda: valued(
            recursions.sum_of_weights(constant, "1" if exponent == "R" else "1 - q", stated),
            *tuned_values.in_mu_and_eta(POWERS, OF_EXP),
        ),
        instances,
        method="Closed form of the geometric sum, summed over the rounds, for P = (1-q)^R <= h = exp(-1/2) <= 2/3.",
        valid_for="all R >= 1, 0 < q < 1, R q >= 1/2",
        numbers={"1 - exp(-1/2)": float(1 - tuning.HALF)},
        tightness=against_the_best((1 - tuning.HALF) / value, "1 - exp(-1/2), the limit for q = 1/(2R) as R grows"),
    )


CHAIN = (
    r"\eta W_R=\eta(1-\mu\eta)^{-R}\sum_{r=0}^{R}(1-\mu\eta)^r=\frac{(1-\mu\eta)^{-R}}{\mu}\left(1-(1-\mu\eta)^{%s}"
    r"\right),\quad "
)
#: What the last part of it is compared with, and what is supposed of step and rounds.
_LIMIT = (1 - tuning.mu * tuning.eta) ** (-tuning.R) / tuning.mu
_LATE = (tuning.mu * tuning.eta < 1, 2 * tuning.mu * tuning.eta * tuning.R >= 1)

second_display = algebra_claim.sharing(source="proof of Lemma 1, second display", depends=("EL-L1-23",))
its_end = proves(tuning.WEIGHTS, lambda constant: constant * _LIMIT, relation=">=", under=_LATE)


sum_of_weights = second_display(
    "EL-L1-GEO[exponent R+1]",
    statement=(CHAIN % "R+1", tuning.WEIGHTS),
    proves=its_end,
    summary="The weights add up to a geometric sum, which is at least a third of its limit.",
    printed=dict(constant="1/3", exponent="R+1", relation="="),
    controls=[
        Control("1/3 -> 2/5 (1 - exp(-1/2) = 0.3935 is sharp)", dict(constant="2/5")),
        Control("exponent R", dict(exponent="R")),
    ],
)(geometric)

sum_of_weights_r = second_display(
    "EL-L1-GEO[exponent R]",
    fault="slip",
    statement=(CHAIN % "R", tuning.WEIGHTS),
    proves=its_end,
    repair="EL-L1-GEO[exponent R+1]",
    headline="With exponent R the closed form of the geometric sum is too small",
    summary="With exponent R the closed form of the sum is too small; as a lower bound it is right.",
    printed=dict(constant="1/3", exponent="R", relation="="),
    controls=[
        Control("exponent R+1", dict(exponent="R+1"), must="pass"),
        Control("exponent R with >= in place of =", dict(relation=">="), must="pass"),
        Control("exponent R with >= and 2/5", dict(constant="2/5", relation=">=")),
    ],
)(geometric)


@second_display(
    "EL-L1-GEO-S1",
    statement=tuning.WEIGHTS_SHARP,
    proves=proves(tuning.WEIGHTS_SHARP, lambda factor: factor * (1 - tuning.HALF) * _LIMIT, relation=">=", under=_LATE),
    headline="The geometric sum with a better constant in place of one third",
    summary="The sum of the weights is at least 1 - exp(-1/2) of its limit, in place of 1/3.",
    printed=dict(factor="1"),
    controls=[Control("constant times 1.01", dict(factor="101/100"))],
)
def sum_of_weights_sharp(factor: str) -> Evidence:
    stated = tuned_values.in_letters(sp.Rational(factor) * tuning.WEIGHTS_SHARP.expression)
    return geometric(f"{factor}*(1 - h)", "R+1", "=", stated)


no_larger_constant = statement_of_algebra(
    "EL-L1-GEO-S2",
    Relations(
        "(1 - q)**(-R)/mu*(1 - (1 - q)**(R + 1)) < C*(1 - q)**(-R)/mu "
        "for mu > 0; 0 < e < 1/4; C = 1 - exp(-1/2) + e; R > 1; e*R >= 1; q = 1/(2*R)",
        uses={
            0: {
                "(1/(1 - q))**(R + 1) <= exp((R + 1)*(1/(1 - q) - 1))": "(1 - q)**(R + 1)*exp(-(R + 1)*(1/(1 - q) - "
                "1))*(1 - q)**(-R)/mu",
                "1 - 3/(4*R - 2) <= exp(-3/(4*R - 2))": "exp(-1/2)*(1 - q)**(-R)/mu",
                "1 + 1/2 <= exp(1/2)": "2/3*exp(-1/2)*3/(4*R - 2)*(1 - q)**(-R)/mu",
                "e*R >= 1": "(1 - q)**(-R)/(mu*R)",
            }
        },
        names={"q": r"\mu\eta", "e": r"\varepsilon"},
    ),
    headline="No larger constant bounds the geometric sum",
    false={"a constant below it by e": ("exp(-1/2) + e", "exp(-1/2) - e")},
    group=algebra_claim,
    source="proof of Lemma 1, second display",
    summary="With any constant above 1 - exp(-1/2) the last inequality of the display fails for mu eta = 1/(2R) and large R.",
)


def _with_exp(constant: sp.Expr) -> sp.Expr:
    """``constant mu d_0 exp(-mu eta R) + c eta``."""
    decayed = tuning.mu * tuning.d_0 * sp.exp(-tuning.mu * tuning.eta * tuning.R)
    return constant * decayed + tuning.c * tuning.eta


def before_tuning(constant: str, least: str, stated: str = "") -> Evidence:
    """``Psi_R <= constant mu d_0 (1-q)^R + c eta <= constant mu d_0 exp(-q R) + c eta`` for ``R q >= least``."""
    start, number = Fraction(least), sp.sympify(constant, locals={"h": tuning.HALF})

    def instances() -> list[Instance]:
        value, found = rational_above(number), []
        for rounds in (1, 5, 200):
            for q in (start / rounds, Fraction(1, 10**6), Fraction(4, 5)):
                if start <= q * rounds and q > 0:
                    text = f"mu = 1, c = 0, d = (1, 0, 0, ...), eta = {q}, R = {rounds}"
                    left, power = tuned_sums.largest_sum(q, rounds), (1 - q) ** rounds
                    found.append(Instance(f"{text}, Psi_R against the power", left, value * power))
                    found.append(Instance(f"{text}, power against exp", power, exp_between(-q * rounds)[1]))
        return found

    sharp = 1 / (1 - tuning.HALF)
    return by_derivation(
        lambda: valued(
            recursions.before_tuning(constant, enough=start >= HALF, stated=stated),
            *tuned_values.in_mu_and_eta(VALUES, OF_EXP),
        ),
        instances,
        method="Telescoping and the geometric sum: (Psi_R - c eta)/(mu d_0 P) <= (1-q)/(1-(1-q)P) <= 1/(1-exp(-1/2)) for "
        "P = (1-q)^R <= exp(-1/2).",
        valid_for="all non-negative sequences, all R >= 1, 0 < q < 1, R q >= 1/2, c >= 0",
        numbers={"1/(1-exp(-1/2))": float(sharp)},
        tightness=against_the_best(
            number / sharp, "1/(1-exp(-1/2)), the limit for q = 1/(2R) as R grows, in both forms"
        ),
    )


@third_display(
    "EL-L1-3",
    statement=(r"\Psi_R\le3\mu d_0(1-\mu\eta)^R+c\eta,\quad ", BEFORE_TUNING),
    proves=proves(BEFORE_TUNING, lambda constant: _with_exp(constant), under=_LATE),
    summary="The bound before the step size is tuned.",
    depends=("EL-L1-23",),
    printed=dict(constant="3", least="1/2"),
    controls=[
        Control("3 -> 5/2 (2.5415 is sharp)", dict(constant="5/2")),
        Control("R >= 1/(2 mu eta) dropped", dict(least="0")),
    ],
)
def untuned(constant: str, least: str) -> Evidence:
    return before_tuning(constant, least)


@third_display(
    "EL-L1-3-S1",
    statement=BEFORE_TUNING_SHARP,
    proves=proves(BEFORE_TUNING_SHARP, lambda factor: _with_exp(factor / (1 - tuning.HALF)), under=_LATE),
    depends=("EL-L1-23",),
    headline="The bound before tuning with a smaller constant in place of three",
    summary="The bound before the step size is tuned holds with 1/(1 - exp(-1/2)) in place of 3.",
    printed=dict(factor="1"),
    controls=[Control("constant times 0.99", dict(factor="99/100"))],
)
def untuned_sharp(factor: str) -> Evidence:
    bound = BEFORE_TUNING_SHARP.expression.subs(tuning.d_0, sp.Rational(factor) * tuning.d_0)
    return before_tuning(f"{factor}/(1 - h)", "1/2", tuned_values.in_letters(bound))


if __name__ == "__main__":
    run_script(__file__)
