"""Theorem II: which client has the larger weight, and how drift and contraction of a round depend on the step size."""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness, tried
from fltheory.evidence.kinds import inequality_claim, lower_bound_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.elastic2023 import lower_bound as theory
from verify.elastic2023.derivations import lower_bound as derivations
from verify.elastic2023.lemma_9 import powers
from verify.elastic2023.theorem_2.rounds import a, eta, round_of_the_pair, x

of_weights = lower_bound_claim.sharing(source="proof of Theorem II, choice of the weight", quick=False)

METHOD = (
    "Induction over the rounds, in which the step sizes are free; what a power of 1 - 2 mu eta leaves is proved by "
    "induction over K."
)
CHOICE = f"{powers.CHOICE}; R >= 1, so that the level is at most 2, and at most K - 1 for odd K"
_BOUND = r"x^r\ge c\min\left(x^0,\tfrac{G}{\mu r}\right)"


def one_weight(low: str, high: str) -> Evidence:
    """x^r >= c min(x^0, G/(mu R)) for every weight of the linear client in a range, the same in all rounds."""
    cases = (
        (Fraction(3, 2), Fraction(1, 4), Fraction(low)),
        (Fraction(5, 14), Fraction(1, 4), Fraction(1, 4)),
        (1, Fraction(1, 3), Fraction(high)),
    )
    found = tried(
        Witness(
            {x: start, eta: step, a: weight},
            Side("x^1", round_of_the_pair(2)),
            ">",
            0,
            given=[(x, ">", 0), (a, ">=", Fraction(low)), (a, "<=", Fraction(high)), (eta, "<=", 1)],
            setting="mu = G = 1, K = 2, for every c > 0",
        )
        for start, step, weight in cases
        if Fraction(low) <= weight <= Fraction(high)
    )
    return by_derivation(
        lambda: derivations.theorem_2(theory.THEOREM_2, low),
        found,
        beside=powers.ALL,
        method=METHOD,
        valid_for="all whole K >= 2, R >= 1, x^0, mu, G > 0, every sequence of step sizes in [0, 1/mu], one weight in [1/2, 1]; "
        "c = 2(K-1)/(3K-2), at least 1/2",
        prose=CHOICE,
    )


heavier = of_weights(
    "EL-T2-ALPHA[alpha >= 1/2]",
    statement=r"\tfrac12\le\alpha\le1,\ K\ge2,\ x^0>0,\ 0\le\eta_s\le\tfrac1\mu\ (s\le r),\ c=\tfrac{2(K-1)}{3K-2}:\quad "
    + _BOUND,
    headline="The pair serves if its linear client has the larger of the two weights",
    summary="Of two weights that are chosen without knowing the functions one is at least 1/2. With that one for the "
    "linear client the pair obeys the lower bound, for every K >= 2 and all step sizes up to 1/mu; if alpha < 1/2, f_1 "
    "and f_2 change places, and the sign of x^0 stays.",
    printed=dict(low="1/2", high="1"),
    controls=[Control("weights from 0.2 on", dict(low="1/5")), Control("alpha <= 1/2", dict(low="0", high="1/2"))],
)(one_weight)

lighter = of_weights(
    "EL-T2-ALPHA[alpha <= 1/2]",
    fault="slip",
    statement=rf"0\le\alpha\le\tfrac12:\quad {_BOUND}",
    headline="As printed the reduction keeps the side on which the lower bound fails",
    summary="The proof keeps alpha <= 1/2, where alpha weighs the linear client, and swaps otherwise. That is the side "
    "on which the run can end at the optimum: for K = 2, alpha = 0, x^0 = 3G/(2 mu) and eta = 1/(4 mu) one round gives "
    "0, and for alpha = 1/4 so it does from 5G/(14 mu). With alpha >= 1/2 the proof goes through.",
    repair="EL-T2-ALPHA[alpha >= 1/2]",
    printed=dict(low="0", high="1/2"),
    controls=[Control("alpha >= 1/2", dict(low="1/2", high="1"), must="pass")],
)(one_weight)

_S, _B = sp.symbols("first second")


def changing(weights: str) -> Evidence:
    """Two rounds of the pair in both orders: x^2 is not 0 in one of them, for weights of the linear client by round."""
    if weights == "same":
        return one_weight("1/2", "1")
    return by_witness(
        Witness(
            {"x_0": Fraction(3, 2), "first": Fraction(1, 4), "second": Fraction(1, 4)},
            Side(
                "the sum of (x^2)^2 over both orders",
                _two_rounds((0, 1), (_S, 0)) ** 2 + _two_rounds((1, 0), (0, _B)) ** 2,
            ),
            ">",
            0,
            given=[(_S, "<=", 1), (_B, "<=", 1)],
            setting="mu = G = 1, K = 2, weights (0, 1) and (1, 0) of the linear client in the two rounds, step sizes "
            "(first, 0) and (0, second)",
        )
    )


def _two_rounds(weights: tuple[int, int], steps: tuple[object, object]) -> sp.Expr:
    middle = round_of_the_pair(2, at=sp.Symbol("x_0"), step=steps[0], weight=weights[0])
    return round_of_the_pair(2, at=middle, step=steps[1], weight=weights[1])


varying = of_weights(
    "EL-T2-ALPHA[weights that change from round to round]",
    fault="missing hypothesis",
    statement=r"\alpha_1,\alpha_2\text{ given beforehand: in one of the two orders of the pair }x^2>0",
    headline="With weights that change between rounds neither order of the pair serves",
    summary="If the weights may differ between rounds, even if they are fixed beforehand, neither order of the pair "
    "obeys the bound: for weights (0, 1) and K = 2, from x^0 = 3G/(2 mu), step sizes exist in each order after which "
    "x^2 = 0. One weight for all rounds is what the proof's single alpha supposes. Whether other functions serve is "
    "not settled here.",
    repair="EL-T2-ALPHA[alpha >= 1/2]",
    printed=dict(weights="changing"),
    controls=[Control("one weight", dict(weights="same"), must="pass")],
)(changing)

of_remark = inequality_claim.sharing(source="proof of Theorem II, below the simplified recursion")

drift_grows = statement_of_algebra(
    "EL-T2-MONO.1",
    Relations(
        "k*(p - q) - (A - B) >= 0; k*(p - q) + (A - B) >= 0; 1 - B >= 0; 1 + B >= 0 for 0 <= h <= 1; h <= g <= 1; p = "
        "1 - 2*h; q = 1 - 2*g; first_k = 0; next_k = k + 1; first_A = 1; next_A = p*A; first_B = 1; next_B = q*B",
        uses={
            0: {"k*(p - q) - (A - B) >= 0": "1 - h", "k*(p - q) + (A - B) >= 0": "h", "1 - B >= 0": "p - q"},
            1: {"k*(p - q) + (A - B) >= 0": "1 - h", "k*(p - q) - (A - B) >= 0": "h", "1 + B >= 0": "p - q"},
            2: {"1 - B >= 0": "1 - g", "1 + B >= 0": "g"},
            3: {"1 + B >= 0": "1 - g", "1 - B >= 0": "g"},
        },
        names={"A": "{p^K}", "B": "{q^K}", "k": "K", "h": r"\mu\eta", "g": r"\mu\eta'"},
    ),
    false={"step sizes up to 3/(2 mu)": ("h <= g <= 1", "h <= g <= 3/2")},
    group=inequality_claim,
    source="proof of Theorem II, below the simplified recursion",
    headline="The drift of a round grows with the step size over the whole range",
    summary="The drift K (1 - q) - 1 + q^K, in the unit G/(4 mu) and with q = 1 - 2 mu eta, grows with eta up to 1/mu: the first "
    "relation says so of two step sizes.",
    prose="the first relation is the difference of the drifts at the two step sizes",
)


def contraction(largest: str) -> Evidence:
    """q^K falls in eta up to ``largest``/mu."""
    stated = Relations(
        f"A - B >= 0; B >= 0 for 0 <= h <= {largest}; h <= g <= {largest}; p = 1 - 2*h; q = 1 - 2*g; "
        "first_A = 1; next_A = p*A; first_B = 1; next_B = q*B",
        uses={0: {"A - B >= 0": "p", "B >= 0": "p - q"}, 1: {"B >= 0": "q"}},
    )
    h, g = sp.symbols("h g")
    witness = Witness(
        {h: Fraction(1, 2), g: 1},
        Side("(1 - 2 h)^2", (1 - 2 * h) ** 2),
        ">=",
        Side("(1 - 2 g)^2", (1 - 2 * g) ** 2),
        given=[(h, "<=", g), (g, "<=", Fraction(largest))],
        setting="K = 2, h and g two values of mu eta",
    )
    return by_relations(stated, otherwise=[witness])


falls_half = of_remark(
    "EL-T2-MONO.2[step sizes up to 1/(2 mu)]",
    statement=r"0\le\eta\le\eta'\le\tfrac1{2\mu}:\quad(1-2\mu\eta)^K\ge(1-2\mu\eta')^K",
    headline="The contraction factor falls with the step size up to half of the range",
    summary="For step sizes up to 1/(2 mu) the factor (1 - 2 mu eta)^K falls with the step size, for every K.",
    printed=dict(largest="1/2"),
    controls=[Control("step sizes up to 1/mu", dict(largest="1"))],
)(contraction)

falls_whole = of_remark(
    "EL-T2-MONO.2[step sizes up to 1/mu]",
    fault="missing hypothesis",
    statement=r"0\le\eta\le\eta'\le\tfrac1\mu:\quad(1-2\mu\eta)^K\ge(1-2\mu\eta')^K",
    headline="Beyond half of the range the contraction factor grows again for even numbers of steps",
    summary="With step sizes up to 1/mu the factor (1 - 2 mu eta)^K does not fall for even K: for K = 2 it is 0 at 1/(2 "
    "mu) and 1 at 1/mu.",
    repair="EL-T2-MONO.2[step sizes up to 1/(2 mu)]",
    printed=dict(largest="1"),
    controls=[Control("step sizes up to 1/(2 mu)", dict(largest="1/2"), must="pass")],
)(contraction)

if __name__ == "__main__":
    run_script(__file__)
