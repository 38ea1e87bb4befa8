"""Lesson 1: FedAvg as an affine map and its biased fixed point."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fltheory.course.parts import CitedClaim, ExactCurve, Exercise, FormulaCurve, Lesson, LessonPanel, Slider

STEPS = Slider("E", "local steps E", (1.0, 2.0, 5.0, 10.0, 20.0), 2)
CURVATURE = Slider("a", "curvature a of the second client", (0.1, 0.25, 0.5, 1.0), 1)
STEP_SIZES = tuple(float(x) for x in np.round(np.linspace(0.02, 1.9, 48), 4))


def fixed_points(xs: Sequence[float], E: float, a: float) -> list[float]:
    """Where FedAvg ends, by ``fl.fixed_point``."""
    import fltheory as fl

    problem = fl.QuadraticProblem([[[1.0]], [[a]]], [[1.0], [-a]])
    return [float(fl.fixed_point(problem, fl.FedAvg(int(E), x))[0]) for x in xs]


def minimisers(xs: Sequence[float], a: float) -> list[float]:
    """The minimiser of the mean loss, by the problem's constants."""
    import fltheory as fl

    problem = fl.QuadraticProblem([[[1.0]], [[a]]], [[1.0], [-a]])
    return [float(problem.constants.minimiser[0])] * len(xs)


LESSON = Lesson(
    1,
    "FedAvg as an affine map, and where it ends",
    45,
    (
        "See a round of FedAvg on quadratic losses as one affine map.",
        "Find its fixed point, and see that it is not the minimiser once clients make several steps.",
        "Know the two limits: one local step, and infinitely many.",
    ),
    (
        r"""Two clients hold the losses $F_1(w)=\tfrac12(w-1)^2$ and $F_2(w)=\tfrac a2(w+1)^2$, with equal weights. A
gradient step with step size $\eta$ moves the first client from $x$ to $x-\eta(x-1)$: its distance from its own
minimiser $1$ shrinks by the factor $1-\eta$, for the second client by $1-a\eta$ around $-1$. After $E$ steps
from the server's model $w$ the clients stand at

- $x_1=1+(1-\eta)^E(w-1)$
- $x_2=-1+(1-a\eta)^E(w+1)$

and the server takes their mean. That is an affine map of $w$: a slope times $w$ plus a constant. A round of
FedAvg on any quadratic losses is such a map, with a matrix in place of the slope. Where its eigenvalues lie
inside the unit circle the rounds converge, and they converge to its fixed point.""",
        r"""The fixed point is where both clients' moves cancel: $(1-(1-\eta)^E)(1-w)=(1-(1-a\eta)^E)(1+w)$. With one local
step the factors are $\eta$ and $a\eta$, the step size drops out, and what is left is the condition that the
mean gradient is zero. With more steps it is another condition. Move the sliders.""",
        LessonPanel(
            "Where FedAvg ends, over the step size",
            "eta",
            "step size",
            STEP_SIZES,
            "fixed point",
            (STEPS, CURVATURE),
            (
                FormulaCurve(
                    "formula for the fixed point",
                    "((1-(1-eta)**E) - (1-(1-a*eta)**E))/((1-(1-eta)**E) + (1-(1-a*eta)**E))",
                ),
            ),
            (
                ExactCurve("fixed point of the package", fixed_points, ("E", "a"), "fl.fixed_point"),
                ExactCurve("minimiser of the mean loss", minimisers, ("a",), "problem.constants.minimiser"),
            ),
        ),
        r"""Things to see. With $E=1$ both curves are one line: gradient descent has no bias. With $E=20$ and a step size
near 1 the clients walk to their own minimisers, and FedAvg ends near their mean, $0$, whatever the curvatures
are. In between the bias grows in proportion to $\eta(E-1)$ for small steps. With equal curvatures, $a=1$, there
is none at all: the clients differ, and yet their moves stay in proportion.""",
        CitedClaim("LI-THM4", "Li et al. (2020) show on a tridiagonal problem that the bias is of this order"),
        r"""In Python: `fl.fixed_point(problem, fl.FedAvg(5, 0.1))` gives the fixed point of any quadratic problem, with
`exact=True` in rational numbers; `fl.round_map` gives the map itself.""",
    ),
    Exercise(
        "Two local steps, E = 2. Write the fixed point as a formula in eta and a.",
        {"eta": (0.05, 0.9), "a": (0.1, 0.9)},
        (),
        "(2 - eta - 2*a + a**2*eta)/(2 - eta + 2*a - a**2*eta)",
        (
            (
                "(1 - a)/(1 + a)",
                "this is the minimiser, where one local step ends; with two steps eta stays in the formula.",
            ),
            (
                "(2*a - a**2*eta - 2 + eta)/(2 - eta + 2*a - a**2*eta)",
                "the sign is turned round: the first client pulls towards +1.",
            ),
            ("0*eta", "0 is where infinitely many steps end, the mean of the clients' own minimisers."),
            (
                "((1-eta)**2 - (1-a*eta)**2)/((1-eta)**2 + (1-a*eta)**2)",
                "these are the shares that are left after two steps; the clients move by one minus them.",
            ),
        ),
        r"""The moves cancel where $(1-(1-\eta)^2)(1-w)=(1-(1-a\eta)^2)(1+w)$. The brackets are $\eta(2-\eta)$ and
$a\eta(2-a\eta)$; dividing by $\eta$ and solving for $w$ gives $w=\frac{2-\eta-a(2-a\eta)}{2-\eta+a(2-a\eta)}$.""",
    ),
    ("fltheory show LI-THM4", "fltheory stability FedAvg --step-size 0.1 --clients 1:1,0.25:-1 --local-steps 5"),
)
