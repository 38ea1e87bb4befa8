"""Proofs of Theorems B.1 and B.3 of Augenstein et al. (2022) by reference: does what is quoted apply, and what becomes of it?

Parallel Training against FedAvg, 2-way Gradient Transfer against SCAFFOLD, each on two meta-clients.  The quoted theorem on FedAvg:
clients h_1, h_2 with objective their mean h = f/2, local rate eta_l, server rate eta_g >= 1, mean|grad h_i|^2 <= G'^2 + B'^2
|grad h|^2 and eta_l <= 1/(6 (1 + B'^2) beta K eta_g); its orders and its condition are carried over."""

import re
from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

import fltheory as fl
from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.kinds import algebra_claim, identity_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.theory.mixed2022 import orders
from fltheory.theory.mixed2022.orders import CASES, NOISE_SCALE, G, K, eps
from verify.mixed2022.parabolas import mixed

F = Fraction


of_theorem_b1 = identity_claim.sharing(source="proof of Theorem B.1")
#: What the federated meta-client does.
OF_COHORT = r",\ \text{the update on }f_f\text{ being the cohort's mean }\textstyle\sum_ip_i\Delta_i/\sum_ip_i"
IN_LETTERS = (
    OF_COHORT
    + r";\text{ steps from }y\text{ (gradient }G\text{ of }f_f\text{) and }z\text{ (}H\text{ of }f_c\text{), and what rounds add "
    r"to the model, by the averages }\overline G,\overline H\text{ of so many steps' gradients}:\quad "
)
ONE_RATE = "every eta_s, with eta_c = eta eta_s"


def same_round(rates: str, clients: str = "", centre: str = "") -> Matrices:
    """A step of either side, and a round: Parallel Training with eta_c = eta eta_s, and FedAvg on multiples of f_f and f_c."""
    point = {"y": "[0, 1]", "z": "[1, 1]", "G": "[1, 2]", "H": "[0, 3]", "a": "[2, 1]", "b": "[1, 1]"}
    vectors = "; ".join(f"{name} in R(n)" for name in point)
    point |= {"eta": "1/4", "eta_m": "1", "K": "2"}
    return Matrices(
        f"y - eta*G = y - l*({clients}G); z - eta_c*H = z - l*({centre}H); "
        f"-eta_m*(eta_c*K*a + eta_s*(eta*K*b)) = -g*(w*(l*K*({clients}b)) + (1 - w)*(l*K*({centre}a))) "
        f"for {vectors}; eta > 0; eta_m > 0; K > 0; {rates}; eta_c = eta*eta_s",
        at=[point, point | {"eta_s": "3"}],
        names={"a": r"\overline H", "b": r"\overline G", "l": r"\eta_l", "g": r"\eta_g", "w": "w_f"},
    )


INDUCTION = "local points that are equal after some steps have equal gradients, and are equal after one more"
iterates = [
    statement_of_algebra(
        "MX-THMB1-MAP.1",
        same_round("eta_s = 1; w = 1/2; g = 2*eta_m; l = eta"),
        headline="At matched rates Parallel Training of clients alike is FedAvg on two meta-clients",
        says=r"\text{PT}(\eta,\eta_c=\eta,\eta_s=1,\eta_m)=\text{FedAvg on }f_f,f_c\text{ with }\eta_l=\eta,\ "
        r"\eta_g=2\eta_m" + IN_LETTERS,
        summary="With eta_s = 1 and eta_c = eta Parallel Training is FedAvg on two meta-clients (f_f and f_c) at local rate eta, "
        "with server rate 2 eta_m since Algorithm 1 adds the two updates. The federated one's update is the mean of the cohort's "
        "local updates: it is that of a client on f_f for K = 1, for one client per round under Assumption 4.1, or for clients "
        "alike without noise. With another eta_s the two local rates differ.",
        unprinted=Unprinted("eta_s = 1 and eta_c = eta: both meta-clients have one local rate", ONE_RATE),
        false={
            ONE_RATE: ("eta_s = 1;", "eta_s > 0;"),
            "server rate eta_m": ("g = 2*eta_m", "g = eta_m"),
            "server rate 2.02 eta_m": ("g = 2*eta_m", "g = 202/100*eta_m"),
        },
        group=of_theorem_b1,
        prose=INDUCTION,
    ),
    statement_of_algebra(
        "MX-THMB1-MAP.1-R1",
        same_round("eta_s > 0; w = eta_s/(1 + eta_s); g = (1 + eta_s)*eta_m; l = eta*w", "1/w*", "1/(1 - w)*"),
        headline="For clients alike other server rates give FedAvg on two meta-clients of other weights",
        says=r"w_f=\tfrac{\eta_s}{1+\eta_s}:\ \text{PT}(\eta,\eta_c=\eta\eta_s,\eta_s,\eta_m)=\text{weighted FedAvg on "
        r"}\tfrac{f_f}{w_f},\tfrac{f_c}{w_c}\text{ with }\eta_l=\eta w_f,\ \eta_g=(1+\eta_s)\eta_m" + IN_LETTERS,
        summary="With eta_s other than 1 and eta_c = eta eta_s it is FedAvg on two meta-clients of weights eta_s : 1; with weights "
        "1 : 1, for which Table 1 takes G and B, the two local rates differ. The federated one's update is what it is in "
        "MX-THMB1-MAP.1.",
        false={
            "weights 1 : 1, local rate of the clients for both": ("w = eta_s/(1 + eta_s)", "w = 1/2"),
            "server rate 2 eta_m": ("g = (1 + eta_s)*eta_m", "g = 2*eta_m"),
        },
        group=of_theorem_b1,
        prose=INDUCTION,
    ),
]


#: A round of 2-way GT at local rates h on f_f = f_c = x^2/2 (gt_f = gt_c = g), by its steps; a prime is the value after it.
OWN = {
    1: "y = x - h*(x + g); x' = x + 2*(y - x); g' = (x - y)/(1*h) - g",
    2: "y = x - h*(x + g); z = y - h*(y + g); x' = x + 2*(z - x); g' = (x - z)/(2*h) - g",
}
#: SCAFFOLD with control variates p and q, whose mean it adds: on any two quadratics, and on two meta-clients a x^2/2.
SCAFFOLD = {
    1: "u = w - l*(a*w + b - p + (p + q)/2); v = w - l*(c*w + d - q + (p + q)/2); w' = w + s*(u + v - 2*w)/2",
    2: "u = w - l*(a*w - p + (p + q)/2); v = u - l*(a*u - p + (p + q)/2); m = w - l*(a*w - q + (p + q)/2); "
    "n = m - l*(a*m - q + (p + q)/2); w' = w + s*((v - w) + (n - w))/2; "
    "p' = p - (p + q)/2 + (w - v)/(2*l); q' = q - (p + q)/2 + (w - n)/(2*l)",
}


def numbered(round_: str, names: str, t: int) -> str:
    """A round in letters of round t."""
    for name in names:
        round_ = re.sub(rf"\b{name}\b'", f"{name}{t + 1}", round_)
        round_ = re.sub(rf"\b{name}\b", f"{name}{t}", round_)
    return round_


def runs(algorithm: str, steps: int, losses: str) -> str:
    """Rounds of the algorithm from 1, all local rates 1/162, gt = 0, and of SCAFFOLD from 1; K = 2: from variates 0."""
    own = OWN[steps] if algorithm == "2-way" else re.sub("g' = .*", "g' = 0", OWN[steps])
    start = "h = 1/162; x0 = 1; g0 = 0; w0 = 1" + ("; p0 = 0; q0 = 0" if steps == 2 else "")
    rounds = [numbered(f"{own}; {SCAFFOLD[steps]}", "xgyzwuvpqmn", t) for t in range(4 - steps)]
    return "; ".join(["l > 0", *filter(None, [losses]), start, *rounds])


def is_scaffold(algorithm: str, steps: int) -> Evidence:
    """Equal models for some losses and rates, or never all of them: K = 1, any two quadratics; K = 2, a f_f and a f_c.

    K = 1: the corrections cancel in the mean, a round of SCAFFOLD is affine, and (w3 - w2)(w1 - w0) = (w2 - w1)^2.
    """
    made = {
        "2-way": fl.TwoWayGradientTransfer(steps, F(1, 162), F(1, 162)),
        "parallel": fl.ParallelTraining(steps, F(1, 162), F(1, 162)),
    }[algorithm]
    many = 4 - steps
    run = fl.trajectory(mixed([(1, 0)], (1, 0)), made, rounds=many, start=[F(1)], exact=True).models[:, 0]
    models = "; ".join(f"x{t} = {run[t]}" for t in range(1, many + 1))
    same = [f"w{t} = x{t}" for t in range(1, many + 1)]
    chosen = "l = 1/162; s = 2; a = 1; b = 0; c = 1; d = 0" if steps == 1 else "l = 1/162; s = 2; a = 1"
    equal = Relations(f"{models}; {'; '.join(same)} for {runs(algorithm, steps, chosen).removeprefix('l > 0; ')}")
    if equal.proof[0]:
        return by_relations(equal)
    if steps == 1:
        ratio, factor = "(x2 - x1)/(x1 - x0)", "(1 - l*s*(a + c)/2)"
        uses = {same[0]: f"-({ratio} + {factor} + {ratio}*{factor})", same[1]: f"1 + {ratio} + {factor}"}
        slope = (run[2] - run[1]) / (run[1] - run[0])  # of an affine map through the first three models
        at = {"l": 1, "s": 1, "a": 1 - slope, "c": 1 - slope, "b": slope - run[1], "d": slope - run[1]}
        at |= {f"{name}{t}": 0 for name in "pq" for t in range(many)}
    else:
        uses, at = {same[0]: "w1 + x1"}, {"l": 1, "a": 1, "s": 1 - run[1]}
    never = Relations(
        f"{models}; w{many} != x{many} for {'; '.join([runs(algorithm, steps, ''), *same[:-1]])}",
        uses={many: uses},
        at={name: str(value) for name, value in at.items()},
    )
    found = Tried(1, never.text, -1.0, certificate=never.certificate) if never.proof[0] else Tried(1)
    method = "Never are all models equal: the statement kept, for all losses, rates and control variates that it names."
    return decide((False, never.proof[1]), found, method=method)


of_theorem_b3 = identity_claim.sharing(
    source="proof of Theorem B.3",
    repair="MX-A2-SCAF",
    controls=[Control("Parallel Training", dict(algorithm="parallel"), must="pass")],
)
map_rows = [
    of_theorem_b3(
        "MX-THMB3-MAP[any quadratic meta-clients and rates, K = 1]",
        fault="substance",
        printed=dict(algorithm="2-way", steps=1),
        statement=r"K=1:\ \text{2-w GT}=\text{SCAFFOLD on two quadratic meta-clients, both in every round, for some such losses}"
        r"\text{ and rates}",
        headline="With one local step 2-way Gradient Transfer is not SCAFFOLD, as its proof needs",
        summary="On f_f = f_c = x^2/2 from x = 1 with one local step, local rates 1/162, server rates 1 and gt = "
        "0 at the start, no SCAFFOLD on two "
        "meta-clients with quadratic losses, from x = 1 as well, makes the first three models of 2-way GT, whatever the two "
        "losses, the rates and the control variates are, as long as it adds their mean.",
    )(is_scaffold),
    of_theorem_b3(
        "MX-THMB3-MAP[meta-clients a f_f and a f_c, any rates, K = 2]",
        fault="substance",
        printed=dict(algorithm="2-way", steps=2),
        statement=r"K=2:\ \text{2-w GT}=\text{SCAFFOLD on }a f_f,\ a f_c\text{, both in every round, for "
        r"some }a\text{ and rates}",
        headline="With two local steps 2-way Gradient Transfer is not SCAFFOLD on multiples of its losses",
        summary="On f_f = f_c = x^2/2 from x = 1 with two local steps, local rates 1/162 as the theorem admits, server rates 1 "
        "and gt = 0 at the start, no SCAFFOLD on two meta-clients with losses a x^2/2, from x = 1 as well and with control "
        "variates started at zero, makes the first two models of 2-way GT, whatever a and the rates are.",
    )(is_scaffold),
]


def terms_of_h() -> Iterator[str]:
    """Terms of the quoted orders for h (squared where they have roots) as numbers times the printed ones; log is one letter."""
    numbers = {"strongly convex": ("1/2", "1/2", "1"), "convex": ("1", "2", "2"), "non-convex": ("2", "16", "2")}
    for case in CASES:
        of_h = {eps: sp.Symbol("e4" if case == "non-convex" else "e2"), orders.F: sp.Symbol("Fh")}
        printed = orders.terms("PT", case)
        quoted = {
            "noise": sp.Symbol("Vh") / (2 * K) * NOISE_SCALE[case].subs(of_h),
            "dissimilarity": (printed["dissimilarity"].subs(G, sp.Symbol("Gh")).subs(of_h)),
            "optimisation": (printed["optimisation"].subs(sp.log(1 / eps), sp.Symbol("log")).subs(of_h)),
        }
        for (name, term), number in zip(quoted.items(), numbers[case], strict=True):
            power = 2 if name == "dissimilarity" else 1
            right = printed[name].subs(sp.log(1 / eps), sp.Symbol("log"))
            yield f"{sp.powdenest(term**power, force=True)} = {number}*({sp.powdenest(right**power, force=True)})"


orders_carry_over = statement_of_algebra(
    "MX-THMB1-MAP.2",
    Relations(
        "; ".join(terms_of_h())
        + "; (G**2 + B**2*(aa + 2*ab + bb) - 2*aa - 2*bb)/4 = Gh**2 + B**2*(aa + 2*ab + bb)/4 - (aa + bb)/2 for "
        + "; ".join(f"{name} > 0" for name in ("V", "C", "K", "S", "G", "B", "beta", "mu", "eps", "D_sq", "F", "log"))
        + "; Gh = G/2; Vh = (V/S + C)/2; e2 = eps/2; e4 = eps/4; Fh = F/2",
        names={
            **orders.NAMES,
            **{"Gh": "G'", "Vh": r"\sigma'^2", "e2": r"\epsilon'", "e4": r"\epsilon''", "Fh": "F'", "log": r"\log"},
            **{"aa": r"\|\nabla f_f\|^2", "ab": r"\langle\nabla f_f,\nabla f_c\rangle", "bb": r"\|\nabla f_c\|^2"},
        },
    ),
    headline="The quoted orders of FedAvg become those of Parallel Training, up to numbers",
    false={"client variance not divided by S": ("(V/S + C)", "(V + C)"), "G' = G^2": ("Gh = G/2", "Gh = G**2")},
    group=algebra_claim,
    says=r"h=\tfrac f2,\ B'=B,\ \epsilon''\text{ where }\|\nabla h\|^2\text{ is the error}:\quad ",
    source="proof of Theorem B.1",
    summary="With h = (f_f + f_c)/2 and the constants of Definition 4.2 at w_f = w_c = 1/2 every "
    "term of the quoted orders becomes a printed term times a number, up to what is added to the logarithm "
    "(the convex dissimilarity term without its D^2 and the non-convex one are carried over as quoted).",
)


condition_claim = algebra_claim.sharing(source="Theorem B.1, conditions", depends=("MX-THMB1-MAP.1",))
_LARGEST = "1/(6*(1 + B**2)*beta*K*eta_g) = 1/({constant}*(1 + B**2)*beta*K*eta_m) for B >= 1; beta > 0; K >= 1; eta_m >= 1/2; "


def condition(outer: str, constant: str) -> Evidence:
    """The largest rate of the quoted theorem, with eta_g of the merging rule, against 1/(constant (1 + B^2) beta K eta_m)."""
    return by_relations(Relations(f"{_LARGEST.format(constant=constant)}eta_g = {outer}"))


added = condition_claim(
    "MX-THMB1-COND[sum of the updates, Algorithm 1]",
    fault="reading",
    printed=dict(outer="2*eta_m", constant="6"),
    repair="MX-THMB1-COND-R1",
    statement=Relations(f"{_LARGEST.format(constant=6)}eta_g = 2*eta_m"),
    headline="The algorithm adds its updates, so the step condition is twice too large",
    summary="The printed condition is twice what the quoted theorem gives for Algorithm 1, which adds the updates. (In "
    "the reading of MX-T1-PT where eta_m is chosen too, the printed condition suffices.)",
    controls=[Control("half of it", dict(constant="12"), must="pass")],
)(condition)
averaged = statement_of_algebra(
    "MX-THMB1-COND[average of the updates]",
    Relations(f"{_LARGEST.format(constant=6)}eta_g = eta_m"),
    false={"half of it": ("= 1/(6", "= 1/(12"), "1.01 of it": ("= 1/(6", "= 101/100/(6")},
    group=condition_claim,
    headline="With averaged updates the step condition of Theorem B.1 is the quoted one",
    summary="With averaged updates (the example in the text) it is the quoted condition.",
)
carried_over = statement_of_algebra(
    "MX-THMB1-COND-R1",
    Relations(f"{_LARGEST.format(constant=12)}eta_g = 2*eta_m"),
    false={"as printed": ("1/(12", "1/(6"), "0.99 of it": ("1/(12", "99/100/(12")},
    group=condition_claim,
    says=r"\eta_s=1,\text{ the largest }\eta\text{ of the quoted theorem at }\eta_g=2\eta_m\ge1:\quad ",
    headline="The step condition of Theorem B.1, carried over to updates that are added",
    summary="Carried over exactly for the sum of the updates, with eta_s = 1 and eta_m at least 1/2.",
)


if __name__ == "__main__":
    run_script(__file__)
