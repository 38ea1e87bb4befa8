"""The printed proof of Theorem 5.3, step by step: (9), (10), two consequences of the step size, the division by T, (11).

S is the sum of E|grad F(u_t)|^2 over the rounds, E the sum of their drifts, F_0 and F_l the values of F at u_0 and u_{T-1}.
"""

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import algebra_claim, run_script
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import attained
from verify.fedlama2021.theorem_5_3_algebra import refuted

of_the_proof = algebra_claim.sharing(source="proof of Theorem 5.3")
NAMES = {
    "beta_sq": r"\beta^2",
    "kappa_sq": r"\kappa^2",
    "S": r"\textstyle\sum_t\mathbb{E}\|\nabla F(u_t)\|^2",
    "E": r"\textstyle\frac1m\sum_{t,j,i}\mathbb{E}\|x^i_{t,j}-u_t\|^2",
    "F_0": "F(u_0)",
    "F_l": "F(u_{T-1})",
}
_RANGES = "for L > 0; eta > 0; m >= 1; tau >= 1; T >= 1; sigma >= 0; beta_sq >= 1; kappa_sq >= 0; S >= 0; 0 <= A {}; "
_BELOW_ONE, _SMALL = _RANGES.format("< 1"), _RANGES.format("<= 1/(2*beta_sq + 1)")
_START = "2/(eta*tau)*(F_0 - F_l) + L*eta*T/m*sigma**2"
_NOISE, _SPREAD = "T*L**2*eta**2*(tau - 1)/(1 - A)*sigma**2", "T*A*kappa_sq/(1 - A)"
_DOUBLED = f"4/(eta*tau)*(F_0 - F_l) + 2*L*eta*T/m*sigma**2 + 2*{_NOISE} + 2*{_SPREAD}"

_51 = f"S <= {_START} + L**2/tau*E"
_52 = "E <= T*eta**2*tau*(tau - 1)/(1 - A)*sigma**2 + tau*A*beta_sq/((1 - A)*L**2)*S + T*tau*A*kappa_sq/((1 - A)*L**2)"
both_lemmas = statement_of_algebra(
    "LA-EQ9",
    Relations(
        f"S <= {_START} + {_NOISE} + A*beta_sq/(1 - A)*S + {_SPREAD} {_BELOW_ONE}{_51}; {_52}",
        uses={0: {_51: "1", _52: "L**2/tau"}},
        at=dict.fromkeys(("L", "eta", "m", "tau", "T", "S", "E"), "1")
        | dict.fromkeys(("F_0", "F_l", "sigma", "kappa_sq"), "0")
        | {"A": "1/4", "beta_sq": "3"},
        names=NAMES,
    ),
    false={"A for A beta^2": ("A*beta_sq/(1 - A)*S +", "A/(1 - A)*S +")},
    group=of_the_proof,
    headline="The drift bound put into the descent bound gives what is printed",
    summary="Lemma 5.2, times L^2/tau and summed over the rounds, put into Lemma 5.1. As an implication: Lemma 5.1 "
    "itself is judged by its own rows.",
)
half = statement_of_algebra(
    "LA-COND1",
    Relations("A*beta_sq/(1 - A) <= 1/2 for beta_sq >= 1; 0 <= A <= 1/(2*beta_sq + 1)", names=NAMES),
    false={
        "0.49 for 1/2": ("<= 1/2 for", "<= 49/100 for"),
        "2 beta^2 + 1 -> 2 beta^2": ("(2*beta_sq + 1)", "(2*beta_sq)"),
    },
    group=of_the_proof,
    headline="The step size leaves half of the squared gradients on the left",
    summary="For A up to 1/(2 beta^2 + 1) the drift takes at most half of the squared gradients.",
    tightness=attained("equality at A = 1/(2 beta^2 + 1)"),
)
_ABSORBED = f"S <= {_START} + {_NOISE} + {_SPREAD} + S/2"
DOUBLED = Relations(
    f"S <= {_DOUBLED} {_BELOW_ONE}{_ABSORBED}",
    uses={0: {_ABSORBED: "2"}},
    names=NAMES,
    at=dict.fromkeys(("L", "eta", "m", "tau", "T", "F_0", "S"), "1")
    | dict.fromkeys(("F_l", "sigma", "kappa_sq", "A"), "0")
    | {"beta_sq": "1"},
)
absorbed = statement_of_algebra(
    "LA-EQ10[the half is brought to the left]",
    DOUBLED,
    false={
        "the first term not doubled": ("<= 4/(eta", "<= 2/(eta"),
        "the drift not doubled": (f"+ 2*{_NOISE}", f"+ {_NOISE}"),
    },
    group=of_the_proof,
    headline="Half of the squared gradients brought to the left doubles every other term",
    quick=False,
    summary="With one half of the sum on the right, the sum is at most twice the rest: every term has its factor 2.",
)
_EQUAL = "for L > 0; eta > 0; m >= 1; tau >= 1; T >= 1; sigma >= 0; kappa_sq >= 0; S >= 0; 0 <= A < 1"
as_an_equation = refuted(
    "LA-EQ10[the two lines are equal]",
    Relations(f"{_START} + {_NOISE} + {_SPREAD} + S/2 = {_DOUBLED} {_EQUAL}", names=NAMES),
    ("the half brought to the left", DOUBLED),
    group=of_the_proof,
    headline="Two lines of the convergence proof are joined by a sign of equality that is false",
    summary="The line with one half of the sum on the right is not equal to the next one, in which everything "
    "else is doubled.",
    fault="reading",
    repair="LA-EQ10[the half is brought to the left]",
)
three_halves = statement_of_algebra(
    "LA-COND2",
    Relations("1/(1 - A) <= 1 + 1/(2*beta_sq) <= 3/2 for beta_sq >= 1; 0 <= A <= 1/(2*beta_sq + 1)", names=NAMES),
    false={"1.49 for 3/2": ("<= 3/2 for", "<= 149/100 for")},
    group=of_the_proof,
    headline="The step size costs the drift a factor of at most three halves",
    summary="For A up to 1/(2 beta^2 + 1) the denominators 1 - A cost at most the factor 1 + 1/(2 beta^2), hence 3/2.",
    tightness=attained("equality at beta^2 = 1, A = 1/3"),
)
final = statement_of_algebra(
    "LA-FINAL",
    Relations(
        f"2*{_NOISE} <= 3*T*L**2*eta**2*(tau - 1)*sigma**2; 2*{_SPREAD} <= 3*T*A*kappa_sq; "
        "3*T*A*kappa_sq <= 6*T*eta**2*L**2*tau*(tau - 1)*kappa_sq "
        "for L > 0; eta > 0; tau >= 1; T >= 1; sigma >= 0; beta_sq >= 1; kappa_sq >= 0; 0 <= A <= 1/(2*beta_sq + 1); "
        "A = 2*eta**2*L**2*tau*(tau - 1)",
        uses={2: {"A = 2*eta**2*L**2*tau*(tau - 1)": "3*T*kappa_sq"}},
        at={"L": "1", "eta": "1/4", "tau": "2", "T": "1", "sigma": "1", "beta_sq": "1", "kappa_sq": "1", "A": "1/4"},
        names=NAMES,
    ),
    false={"2 for 3": ("<= 3*T*L**2", "<= 2*T*L**2"), "5 for 6": ("<= 6*T", "<= 5*T")},
    group=of_the_proof,
    headline="The last two terms of the convergence bound get their constants",
    summary="With 1/(1 - A) at most 3/2 the two terms of the drift have the constants 3 and 6, before the "
    "division by T.",
)

_BEFORE = (
    "4/(eta*tau)*(F_0 - F_l) + 2*L*eta*T/m*sigma**2 + 3*T*L**2*eta**2*(tau - 1)*sigma**2 "
    "+ 6*T*eta**2*L**2*tau*(tau - 1)*kappa_sq"
)
_AFTER = (
    "4/(eta*tau*T)*(F_0 - F_l) + 2*L*eta/m*sigma**2 + {}*L**2*eta**2*(tau - 1)*sigma**2 "
    "+ 6*eta**2*L**2*tau*(tau - 1)*kappa_sq"
)
_WHERE = "for L > 0; eta > 0; m >= 1; tau >= 1; T >= 1; sigma >= 0; kappa_sq >= 0"
DIVIDED = Relations(f"({_BEFORE})/T = {_AFTER.format(3)} {_WHERE}", names=NAMES)
divided = refuted(
    "LA-DIVT[every term divided by T]",
    DIVIDED.changed("+ 3*L**2", "+ 3*T*L**2"),
    ("the third term divided as well", DIVIDED),
    group=of_the_proof,
    headline="The third term of FedLAMA's convergence bound was not divided by the number of rounds",
    summary="Dividing by T turns 3 T L^2 eta^2 (tau - 1) sigma^2 into 3 L^2 eta^2 (tau - 1) sigma^2; the factor T is "
    "left standing, in the theorem too. (The print divides by 1/T, where it multiplies by it.)",
    fault="reading",
    repair="LA-DIVT-R1",
)
not_smaller = statement_of_algebra(
    "LA-DIVT[an upper bound]",
    Relations(f"({_BEFORE})/T <= {_AFTER.format('3*T')} {_WHERE}", names=NAMES),
    false={
        "a fourth term not divided, at half": ("+ 6*eta**2", "+ 3*eta**2"),
        "a third term divided by T^2": (_AFTER.format("3*T"), _AFTER.format("3/T")),
    },
    group=of_the_proof,
    headline="The third term with the number of rounds left in it is still an upper bound",
    summary="As an inequality the last line is true, since T is at least 1; it is T times too large in its third term.",
)
divided_repaired = statement_of_algebra(
    "LA-DIVT-R1",
    DIVIDED,
    false={"T left in the third term": ("+ 3*L**2", "+ 3*T*L**2")},
    group=of_the_proof,
    headline="Divided by the number of rounds, the noise of the drift no longer grows with it",
    summary="Every term divided by T: none grows with the number of rounds.",
)

_ROOT = "r**2 = 2*tau*(tau - 1)*(2*beta_sq + 1)"
_TWO = "2*L**2*eta**2*tau*(tau - 1) <= 1/(2*beta_sq + 1)"
of_the_step = algebra_claim.sharing(source="learning rate constraints, (11)")
_LR = "for L > 0; eta > 0; tau >= 2; beta_sq >= 1; r > 0"
_STEP_NAMES = NAMES | {"r": r"\sqrt{2\tau(\tau-1)(2\beta^2+1)}"}
as_minimum = statement_of_algebra(
    "LA-LR.1",
    Relations(
        f"eta <= 1/(tau*L); eta <= 1/(L*r) {_LR}; {_ROOT}; L*eta*tau - 1 <= 0; {_TWO}",
        uses={
            0: {"L*eta*tau - 1 <= 0": "1/(tau*L)"},
            1: {_TWO: "(2*beta_sq + 1)/(L*r*(1 + L*eta*r))", _ROOT: "L*eta**2/(r*(1 + L*eta*r))"},
        },
        at={"L": "1", "eta": "1/6", "tau": "3", "beta_sq": "1", "r": "6"},
        names=_STEP_NAMES,
    ),
    false={"half of the second member": ("; eta <= 1/(L*r) for", "; eta <= 1/(2*L*r) for")},
    group=of_the_step,
    headline="Two conditions on FedLAMA's learning rate become the minimum of two numbers",
    summary="The two conditions give the printed minimum, for tau >= 2; for tau = 1 its second member is 1/0, and "
    "read as infinity it leaves the first condition.",
)
as_two = statement_of_algebra(
    "LA-LR.2",
    Relations(
        f"L*eta*tau - 1 <= 0; {_TWO} {_LR}; {_ROOT}; eta <= 1/(tau*L); eta <= 1/(L*r)",
        uses={
            0: {"eta <= 1/(tau*L)": "tau*L"},
            1: {"eta <= 1/(L*r)": "L*r*(1 + L*eta*r)/(2*beta_sq + 1)", _ROOT: "-L**2*eta**2/(2*beta_sq + 1)"},
        },
        at={"L": "1", "eta": "1/6", "tau": "3", "beta_sq": "1", "r": "6"},
        names=_STEP_NAMES,
    ),
    false={"3 beta^2 + 1": ("<= 1/(2*beta_sq + 1) for", "<= 1/(3*beta_sq + 1) for")},
    group=of_the_step,
    headline="The minimum of two learning rates satisfies the two conditions of the proof",
    summary="A learning rate up to the printed minimum meets both conditions that the proof uses, for tau >= 2; "
    "for tau = 1 read 1/0 as infinity.",
)
second_binds = statement_of_algebra(
    "LA-LR-S1",
    Relations(
        f"L*eta*tau <= 1 for L > 0; eta > 0; tau >= 2; beta_sq >= 1; {_TWO}",
        uses={0: {_TWO: "(2*beta_sq + 1)/(1 + L*eta*tau)"}},
        at={"L": "1", "eta": "1/6", "tau": "2", "beta_sq": "1"},
        names=NAMES,
    ),
    false={"tau from 11/10 on": ("tau >= 2", "tau >= 11/10")},
    group=of_the_step,
    headline="From two local steps on only the second condition on the learning rate binds",
    summary="For tau >= 2 the condition with tau (tau - 1)(2 beta^2 + 1) implies eta <= 1/(tau L); the first condition "
    "matters for tau = 1 only, where the second is empty.",
)


if __name__ == "__main__":
    run_script(__file__)
