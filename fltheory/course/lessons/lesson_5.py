"""Lesson 5: the worst function, drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fltheory.course.parts import CitedClaim, ExactCurve, Exercise, FormulaCurve, Lesson, LessonPanel, Slider

STEPS = Slider("N", "gradient steps N", (1.0, 2.0, 5.0, 10.0), 1)
STEP_SIZE = Slider("eta", "step size (L = 1)", (0.25, 0.5, 1.0), 1)
POINTS = tuple(float(x) for x in np.round(np.linspace(-1.2, 1.2, 49), 4))
COUNTS = tuple(float(n) for n in range(1, 11))


def worst_gaps(xs: Sequence[float], eta: float) -> list[float]:
    """The certified largest gap after so many steps, by ``fl.worst_case``."""
    import fltheory as fl

    convex = fl.SmoothConvex(1)
    return [float(fl.worst_case(fl.FedAvg(1, eta), convex, rounds=int(n), measure="gap").value) for n in xs]


LESSON = Lesson(
    5,
    "The worst function, drawn",
    45,
    (
        "Meet the function on which gradient descent is slowest, and see why.",
        "Compare the textbook rate with the exact one.",
        "Let the package find and run a worst instance.",
    ),
    (
        r"""Without strong convexity a gradient step may hardly move: where the function is flat, gradients are small. Too
flat does no harm, since then the gap is small as well. The worst function is flat in just the wrong amount. It
is a parabola near its minimiser and a straight line outside, named after Huber: $h(w)=\tfrac12w^2$ for
$|w|\le\tau$, and $\tau|w|-\tfrac12\tau^2$ beyond.""",
        LessonPanel(
            "The worst function for N steps from w = 1",
            "w",
            "w",
            POINTS,
            "h(w)",
            (STEPS, STEP_SIZE),
            (
                FormulaCurve(
                    "the worst function",
                    "Piecewise((w**2/2, Abs(w) < 1/(2*N*eta+1)), (Abs(w)/(2*N*eta+1) - 1/(2*(2*N*eta+1)**2), True))",
                ),
                FormulaCurve("the parabola of the same L", "w**2/2", True),
            ),
        ),
        r"""On it, from $w_0=1$, every one of $N$ steps has the gradient $\tau$, and with $\tau=1/(2N\eta+1)$ the run ends
in the middle of the slope at $w_N=1-N\eta\tau$. A larger slope would bring the run further down, a smaller one
leaves less to lose. The more steps the method has, the flatter its worst function.""",
        LessonPanel(
            "The gap after N steps: textbook and worst case",
            "N",
            "gradient steps N",
            COUNTS,
            "gap, from distance 1",
            (STEP_SIZE,),
            (
                FormulaCurve("1/(2 (2 N eta + 1)): on the worst function", "1/(2*(2*N*eta+1))"),
                FormulaCurve("1/(2 N eta): the textbook", "1/(2*N*eta)", True),
            ),
            (ExactCurve("certified worst case", worst_gaps, ("eta",), "fl.worst_case"),),
            True,
        ),
        r"""Things to see. The certified points lie on the first curve: no convex 1-smooth function of any dimension, with
any number of clients that share it, is worse than Huber's. The textbook's proof gives more than twice as much, for all
$N$. Drori and Teboulle (2014) found this by solving semidefinite programmes first and guessing the function
afterwards, as you can:""",
        CitedClaim("LA-EQ19.2", "A printed inequality that functions found in this way refute"),
        r"""`answer = fl.worst_case(fl.FedAvg(1, 0.5), fl.SmoothConvex(1), rounds=2, measure="gap")` and `fl.plot(answer)`
draw the loss that the solver found; `answer.instance().run(fl.FedAvg(1, 0.5), rounds=2)` runs the method on it.""",
    ),
    Exercise(
        "Gap after N steps of size eta on the worst function (L = 1, from distance 1). A formula in N and eta.",
        {"N": (1.0, 12.0), "eta": (0.1, 1.0)},
        ("N",),
        "1/(2*(2*N*eta + 1))",
        (
            (
                "1/(2*N*eta)",
                "that is the textbook's bound; the worst function does better by more than a factor of two.",
            ),
            ("(1 - eta)**(2*N)/2", "that is the parabola, on which gradient descent is fast."),
            ("1/(2*N*eta + 1)", "the gap is half of that: put w_N into the straight part of h."),
            ("1/(2*(N*eta + 1))", "with that slope the run would end elsewhere: tau = 1/(2 N eta + 1)."),
        ),
        r"""With $\tau=1/(2N\eta+1)$ the run ends at $w_N=1-N\eta\tau$, on the straight part: $w_N=(N\eta+1)\tau\ge\tau$.
There $h=\tau w_N-\tfrac12\tau^2=\tau^2(N\eta+1-\tfrac12)=\tfrac12\tau^2(2N\eta+1)=\tfrac12\tau$.""",
    ),
    ("fltheory certify FedAvg --step-size 1/2 --rounds 2 --measure gap",),
)
