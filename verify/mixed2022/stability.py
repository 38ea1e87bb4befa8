"""Contraction factors and largest steps of mixed FL on scalar quadratics (Augenstein et al., 2022), without noise.

Rounds are written out in letters: ``f`` and ``c`` are the curvatures lambda_f and lambda_c, ``h`` and ``r`` the local rates eta and
eta_c, ``y`` and ``z`` the local points of clients and centre, which change from step to step.
"""

from fractions import Fraction

import numpy as np

import fltheory as fl
from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem

NAMES = {"h": r"\eta", "r": r"\eta_c", "s": r"\eta_s", "m": r"\eta_m", "f": r"\lambda_f", "c": r"\lambda_c"}


def steps(point: str, start: str, rate: str, gradient: str) -> str:
    """Local steps from a start; in the gradient ``.`` is the point."""
    return f"first_{point} = {start}; next_{point} = {point} - {rate}*({gradient.replace('.', point)})"


def power(name: str, base: str, first: str = "1") -> str:
    """A power of the base, with one more factor after every step."""
    return f"first_{name} = {first}; next_{name} = ({base})*{name}"


OF_CLIENTS, OF_CENTRE = "y - u = Y*(x - p)", "z - v = Z*(x - p)"
parallel_factor = statement_of_algebra(
    "MX-ALG-STAB.1",
    Relations(
        f"x + m*(z - x + s*(y - x)) - (p + m*(v - p + s*(u - p))) = (1 - m*(1 - Z + s*(1 - Y)))*(x - p); {OF_CLIENTS}; "
        f"{OF_CENTRE} for {power('Y', '1 - h*f')}; {power('Z', '1 - r*c')}; "
        f"{steps('y', 'x', 'h', 'f*. + g')}; {steps('z', 'x', 'r', 'c*. + d')}; "
        f"{steps('u', 'p', 'h', 'f*. + g')}; {steps('v', 'p', 'r', 'c*. + d')}",
        uses={
            0: {OF_CLIENTS: "m*s*(1 - h*f)", OF_CENTRE: "m*(1 - r*c)"},
            1: {OF_CLIENTS: "1 - h*f"},
            2: {OF_CENTRE: "1 - r*c"},
        },
        names=NAMES,
    ),
    headline="On quadratics Parallel Training multiplies its distance by one factor in each round",
    source="Algorithm 1 on quadratics",
    false={"eta_m -> 1.01 eta_m": ("= (1 - m*", "= (1 - 101/100*m*")},
    group=identity_claim,
    says=r"\text{clients alike; a round from }x\text{ and one from }p\text{ (such as the fixed point), local points }y,z\text{ "
    r"and }u,v,\ "
    r"\rho_{PT}=1-\eta_m\big[1-(1-\eta_c\lambda_c)^K+\eta_s(1-(1-\eta\lambda_f)^K)\big]:\quad ",
    summary="Parallel Training multiplies the distance to its fixed point, where there is one, by this factor in each round.",
)
DRIFTING = "f*(y - u) = ((f + c)*Y - c)*(x - p)"
one_way_factor = statement_of_algebra(
    "MX-ALG-STAB.2",
    Relations(
        "f*(x + s*(y - x) - (p + s*(u - p))) = (f - s*(f + c)*(1 - Y))*(x - p); x + s*(z - x) - (p + s*(v - p)) = "
        f"(1 - s*h*K*c)*(x - p); {DRIFTING}; z - v = (1 - h*K*c)*(x - p) "
        f"for {power('Y', '1 - h*f')}; first_K = 0; next_K = K + 1; "
        f"{steps('y', 'x', 'h', 'f*. + g + c*x + d')}; {steps('u', 'p', 'h', 'f*. + g + c*p + d')}; "
        f"{steps('z', 'x', 'h', 'g + c*x + d')}; {steps('v', 'p', 'h', 'g + c*p + d')}",
        uses={
            0: {DRIFTING: "s*(1 - h*f)"},
            1: {"z - v = (1 - h*K*c)*(x - p)": "s"},
            2: {DRIFTING: "1 - h*f"},
            3: {"z - v = (1 - h*K*c)*(x - p)": "1"},
        },
        names=NAMES,
    ),
    headline="On quadratics 1-way Gradient Transfer multiplies its distance by one factor in each round",
    source="Algorithm 2 on quadratics",
    false={"eta_s -> 1.01 eta_s": ("(f - s*(f + c)", "(f - 101/100*s*(f + c)")},
    group=identity_claim,
    says=r"\text{clients alike; a round from }x\text{ and one from }p\text{ (such as the fixed point), local points }y\text{ "
    r"and }u,\text{ at }"
    r"\lambda_f=0\ z\text{ and }v,\ \rho_{1w}=1-\eta_s(1+\lambda_c/\lambda_f)\big(1-(1-\eta\lambda_f)^K\big):\quad ",
    summary="1-way GT multiplies the distance to its fixed point, where there is one, by this factor in each round: for lambda_f "
    "other than 0 (at 0 by 1 - eta_s eta K lambda_c).",
)

BELOW = "2 - s*(1 + c/f)*(1 - Y) = 2*f*M/(1 - w)*((1 - v)/f - h)"
ONE_WAY_LIMIT = Relations(
    f"{BELOW}; M > 0; 1 - s*(1 + c/f)*(1 - Y) < 1; 1 - s*(1 + c/f) <= -1; -1 < 1 - a*(1 + c/f)*(1 - X) < 1; "
    "(1 - w)/K <= 1 - v; w*(1 - v) <= (1 - w)/K; q*Q < P; 0 <= w < 1; 0 <= Y < 1; 0 <= X < 1; K >= 1; P > 0; Q >= 0 "
    "for f > 0; c > -f; 0 <= v < 1; s = 2*f/((f + c)*(1 - w)); 0 < h < 1/f; 0 < a < 2*f/(f + c); 0 < b <= 1/f; "
    "0 < p < 1; 0 <= q <= p; first_K = 1; next_K = K + 1; first_M = 1; next_M = (1 - h*f)*M + w; "
    + "; ".join(power(name, base, base) for name, base in dict(w="v", Y="1 - h*f", X="1 - b*f", P="p", Q="q").items()),
    uses={
        0: {BELOW: "(1 - h*f)*(1 - w)/(1 - v*w)"},
        6: {"(1 - w)/K <= 1 - v": "v*K/(K + 1)"},
        7: {"w*(1 - v) <= (1 - w)/K": "v*K/(K + 1)"},
        8: {"q*Q < P": "p"},
    },
    names=NAMES,
)


def read_off() -> dict[str, float | None]:
    """The package's own limit for K = 3, eta_s = 2."""

    def problem(*curvatures: float) -> MixedProblem:
        return MixedProblem(*(QuadraticProblem(np.array([[[one]]]), np.array([[0.0]])) for one in curvatures))

    pairs = ("1", "1"), ("1", "1/5"), ("1/5", "1"), ("1", "3")
    return {
        f"lambda_f={f}, lambda_c={c}, K=3, eta_s=2": fl.stability_limit(
            problem(float(Fraction(f)), float(Fraction(c))),
            lambda eta: fl.OneWayGradientTransfer(3, eta, 2.0),
            float(2 / Fraction(f)),
        ).mean
        for f, c in pairs
    }


@inequality_claim(
    "MX-ALG-STAB.3",
    headline="On quadratics more local steps shrink 1-way transfer's stable step at large server rates",
    source="Algorithm 2 on quadratics",
    printed=dict(text=ONE_WAY_LIMIT.text),
    statement=(
        r"|\rho_{1w}|<1\iff\eta<\frac{1-w^{1/K}}{\lambda_f}\ (0<\eta\lambda_f\le1),\quad w=1-\frac{2\lambda_f}{\eta_s("
        r"\lambda_f+\lambda_c)}\ge0;\text{ with }v=w^{1/K},\ \rho_{1w}+1\text{ at }\eta,\ \rho_{1w}\text{ at }1/\lambda_f,"
        r"\text{ at }b\text{ for small }\eta_s=a;\text{ and }q^{K+1}=p^K\text{ for no }q\le p:\quad ",
        ONE_WAY_LIMIT,
    ),
    depends=("MX-ALG-STAB.2",),
    summary="First step of 1-way GT that is not stable, among the eta up to 1/lambda_f (beyond, where local steps overshoot, even "
    "K can be stable again): for eta_s (lambda_f + lambda_c) > 2 lambda_f it falls with K like 1/K, at equality it is "
    "1/lambda_f, and below that every eta up to 1/lambda_f is stable, for every K.",
    controls=[
        Control(name, dict(text=ONE_WAY_LIMIT.changed("*((1 - v)", f"*({far}*(1 - v)").text))
        for name, far in (("1.01 times as far", "101/100"), ("0.99 times as far", "99/100"))
    ],
)
def one_way_limit(text: str) -> Evidence:
    """Induction over K; beside it the limits that the package finds."""
    return by_relations(
        ONE_WAY_LIMIT.with_text(text),
        numbers=read_off(),
        prose="rho_1w + 1 has the sign of (1 - v)/lambda_f - eta, v = w^(1/K), and is at most 0 at eta = 1/lambda_f, which is the "
        "equivalence; v is for K + 1 above what it is for K, as q^(K+1) = p^K for no q <= p",
    )


CLIENTS, CENTRE, OVERSHOOT = "y = x - q*(f*x + g + u)", "z = x - k*(c*x - g + v)", "a*(Q - h) >= 0"
two_way_matrix = statement_of_algebra(
    "MX-ALG-STAB.4",
    Relations(
        "x + m*(z - x + s*(y - x)) = (1 - m*(c*k + s*f*q))*x - m*s*q*(u + g) - m*k*(v - g); "
        "(x - z)/(h*K) - v + g = c*k/j*x + (k/j - 1)*(v - g); (x - y)/(h*K) - u - g = f*q/(h*K)*x + (q/(h*K) - 1)*(u + g); "
        "m*(c*k + s*f*q)*(1 - (k/j - 1)*(q/(h*K) - 1)) + m*s*q*(c*k/j + (k/j - 1)*(f*q/(h*K))) "
        "+ m*k*(c*k/j*(q/(h*K) - 1) + f*q/(h*K)) = m*k*q*(f + c)*(s*h*K + j)/(j*(h*K)); "
        f"{CLIENTS}; {CENTRE}; K >= 1; Q > 0; {OVERSHOOT} "
        "for h > 0; r > 0; m > 0; s > 0; a > -1; j = h*K; first_K = 1; next_K = K + 1; "
        "first_q = h; next_q = h + (1 - h*f)*q; first_k = r; next_k = r + (1 - r*c)*k; "
        "first_Q = h; next_Q = h + a*Q; "
        f"{steps('y', 'x - h*(f*x + g + u)', 'h', 'f*. + g + u')}; {steps('z', 'x - r*(c*x - g + v)', 'r', 'c*. - g + v')}",
        uses={
            0: {CLIENTS: "m*s*(1 - h*f)", CENTRE: "m*(1 - r*c)"},
            1: {CENTRE: "-(1 - r*c)/(h*(K + 1))"},
            2: {CLIENTS: "-(1 - h*f)/(h*(K + 1))"},
            4: {CLIENTS: "1 - h*f"},
            5: {CENTRE: "1 - r*c"},
            7: {OVERSHOOT: "1"},
        },
        squares={8: [("Q", "a")]},
        names={**NAMES, "q": "q_f", "k": "q_c", "u": r"\widetilde g_c", "v": r"\widetilde g_f"},
    ),
    headline="On quadratics with curvature in sum 2-way transfer loses stability by oscillation only",
    source="Algorithm 1 on quadratics",
    false={
        "divisor eta_c in the matrix": ("j = h*K", "j = r*K"),
        "eta_s k - j": ("(f + c)*(s*h*K + j)", "(f + c)*(s*h*K - j)"),
    },
    group=identity_claim,
    says=r"\text{clients alike, }f_f=\tfrac{\lambda_f}2x^2+gx,\ f_c=\tfrac{\lambda_c}2x^2-gx;\ T_{2w}\text{ of "
    r"}(x,\widetilde g_c+g,\widetilde g_f-g),\ p(z)=\det(zI-T_{2w}),\ p(1);\ p(1)>0\text{ for }\lambda_f+\lambda_c>0,\ "
    r"\eta\lambda_f<2,\ \eta_c\lambda_c<2\text{, where }Q>0\text{ is }q_f\text{ at }a=1-\eta\lambda_f\text{, and so }q_c:\quad ",
    summary="The round of 2-way GT as a 3 x 3 matrix in q_f, q_c, the curvatures and rates. With lambda_f + lambda_c > 0 "
    "eigenvalue one never occurs for steps below 2/curvature: 2-way GT then loses stability by oscillation only.",
)

#: The model after one local step of either side, at matched rates.
ROUND = "{x} - m*({r}*(c*{x} - g + {v}) + s*({r}/s)*(f*{x} + g + {u}))"
one_step_limit = statement_of_algebra(
    "MX-ALG-STAB.5",
    Relations(
        "x_2 = (1 - p)*x_1 - p*x; a**2 + b < 1; t**2 - (1 - p)*t + p > 0; t**2 + (1 - p)*t + p > 0; m*i*l >= 1; "
        "y = (1 - q)*x; -1 < 1 - q < 1; 1 - m*n*l <= -1 "
        "for m > 0; s > 0; l > 0; 0 < r < 1/(m*l); i >= 1/(m*l); 0 < j < 2/(m*l); n >= 2/(m*l); t >= 1; "
        "c = l - f; p = m*r*l; q = m*j*l; a = (1 - p)/2; b = a**2 - (1 - p)*a + p; "
        f"x_1 = {ROUND.format(r='r', x='x', u='u', v='v')}; u_1 = (c*x - g + v) - v; v_1 = (f*x + g + u) - u; "
        f"x_2 = {ROUND.format(r='r', x='x_1', u='u_1', v='v_1')}; y = {ROUND.format(r='j', x='x', u='0', v='0')}",
        names={
            **{**NAMES, "u": r"\widetilde g_c", "v": r"\widetilde g_f", "l": r"\lambda", "r": "r", "j": "j"},
            **{"u_1": r"\widetilde g_c^{(1)}", "v_1": r"\widetilde g_f^{(1)}"},
        },
    ),
    headline="On quadratics with one local step 2-way transfer bears half of Parallel Training's step",
    source="Algorithm 1 on quadratics",
    false={
        "bound 2": ("r < 1/(m*l)", "r < 2/(m*l)"),
        "bound 0.99": ("i >= 1/(m*l)", "i >= 99/100/(m*l)"),
        "the bound itself": ("r < 1/(m*l)", "r <= 1/(m*l)"),
        "Parallel Training 1.99": ("n >= 2/(m*l)", "n >= 199/100/(m*l)"),
        "Parallel Training at 2": ("j < 2/(m*l)", "j <= 2/(m*l)"),
    },
    group=inequality_claim,
    prose="the next augmenting gradients depend on x only, so one eigenvalue is 0; the others are roots z of z^2 - (1 - p) z + p: "
    "off the line with the real part a and the squared imaginary part b, on it with a modulus t; their product is p, and with the "
    "rate i for r, where x_2 is the same, at least 1",
    says=r"\text{clients alike, }K=1,\ \eta_c=\eta\eta_s,\ e=\eta_m\eta_c,\ \text{divisor }\eta_c:\ "
    r"\rho(T_{2w})<1\iff e(\lambda_f+\lambda_c)<1,\ "
    r"|\rho_{PT}|<1\iff e(\lambda_f+\lambda_c)<2;\ \lambda=\lambda_f+\lambda_c>0,\ \eta_c=r,i\text{ below and above the limit of "
    r"2-way GT, }j,n\text{ of PT},\text{ models }x,x_1,x_2\text{ of 2-way GT, }x,y\text{ of PT}:\quad ",
    summary="At K = 1 and matched rates 2-way GT (divisor eta_c) bears half the step of Parallel Training.",
)


if __name__ == "__main__":
    run_script(__file__)
