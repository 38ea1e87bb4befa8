"""Lesson 6: Gradient Transfer, mixing decentralised and centralised objectives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fltheory.course.parts import CitedClaim, ExactCurve, Exercise, FormulaCurve, Lesson, LessonPanel, Slider

STEPS = Slider("K", "local steps K", (1.0, 2.0, 5.0, 10.0), 2)
CURVATURE = Slider("b", "curvature b of the server's loss", (0.1, 0.25, 0.5, 1.0), 1)
STEP_SIZES = tuple(float(x) for x in np.round(np.linspace(0.02, 0.9, 45), 4))


def _ends(xs: Sequence[float], K: float, b: float, name: str) -> list[float]:
    """Fixed points by ``fl.fixed_point``."""
    import fltheory as fl

    clients = fl.QuadraticProblem([[[1.0]]], [[1.0]])
    problem = fl.MixedProblem(clients, fl.QuadraticProblem([[[b]]], [[-b]]))
    found = []
    for x in xs:
        parallel = fl.ParallelTraining(int(K), x, x, 1.0, 1.0)
        method = parallel if name == "parallel" else fl.OneWayGradientTransfer(int(K), x)
        stable = fl.round_map(problem, method).spectral_radius() < 1
        found.append(float(fl.fixed_point(problem, method)[0]) if stable else float("nan"))
    return found


def parallel_training(xs: Sequence[float], K: float, b: float) -> list[float]:
    """Parallel Training."""
    return _ends(xs, K, b, "parallel")


def one_way(xs: Sequence[float], K: float, b: float) -> list[float]:
    """1-way Gradient Transfer, where its rounds converge."""
    return _ends(xs, K, b, "one way")


LESSON = Lesson(
    6,
    "Mixing two objectives: Parallel Training and Gradient Transfer",
    45,
    (
        "Set up a mixed problem: a loss of the clients and one of the server.",
        "See the bias of training both in parallel, and how transferring a gradient removes it.",
        "Compute a round of 1-way Gradient Transfer by hand.",
    ),
    (
        r"""In mixed federated learning (Augenstein et al., 2022) the objective is $f=f_f+f_c$: the clients hold $f_f$, the
server has data of its own and holds $f_c$. Take $f_f(w)=\tfrac12(w-1)^2$ and $f_c(w)=\tfrac b2(w+1)^2$. The
minimiser of the sum is $w^*=\frac{1-b}{1+b}$.

Parallel Training lets both sides make $K$ steps on their own loss and adds the two updates. Each side walks
towards its own minimiser, and the sum of the walks vanishes at the wrong place, as in lesson 1.

1-way Gradient Transfer sends the server's gradient at $w$ to the clients. They add it to every local step. At
$w^*$ the two gradients cancel in each step, and nobody moves.""",
        LessonPanel(
            "Where both methods end, over the step size",
            "eta",
            "step size",
            STEP_SIZES,
            "fixed point",
            (STEPS, CURVATURE),
            (
                FormulaCurve(
                    "formula for Parallel Training",
                    "((1-(1-eta)**K) - (1-(1-b*eta)**K))/((1-(1-eta)**K) + (1-(1-b*eta)**K))",
                ),
                FormulaCurve("minimiser (1 - b)/(1 + b)", "(1-b)/(1+b)", True),
            ),
            (
                ExactCurve("Parallel Training", parallel_training, ("K", "b"), "fl.fixed_point"),
                ExactCurve("1-way Gradient Transfer", one_way, ("K", "b"), "fl.fixed_point"),
            ),
        ),
        r"""Things to see. With $K=1$ the methods end at the same point. With more steps Parallel Training drifts away;
1-way transfer stays at $w^*$ for every $K$. Its price is stability: the server's gradient is frozen for the
whole round, and where that overshoots, rounds diverge (points that are missing).""",
        CitedClaim("MX-CVX-REC", "A recursion on which the convergence proof of 1-way transfer rests"),
        r"""In Python: `fl.MixedProblem(clients, centre)`, `fl.ParallelTraining`, `fl.OneWayGradientTransfer`,
`fl.TwoWayGradientTransfer`; everything that works for FedAvg works for them.""",
    ),
    Exercise(
        "Shift the origin to w*, so that gradients are x for the clients and b w for the "
        "server. After K local steps of 1-way transfer"
        "from w, x = (factor) w. Write the factor in eta, b, K.",
        {"eta": (0.05, 0.8), "b": (0.1, 0.9), "K": (1.0, 8.0)},
        ("K",),
        "(1-eta)**K - b*(1-(1-eta)**K)",
        (
            (
                "(1-eta*(1+b))**K",
                "that is gradient descent on the sum: but the server's gradient is taken once, at w, and not renewed.",
            ),
            ("(1-eta)**K", "the transferred gradient b w is missing."),
            ("(1-eta)**K - K*eta*b", "nearly: the steps also shrink what the transferred gradient has added before."),
            ("(1-eta)**K + b*(1-(1-eta)**K)", "the sign of the transferred gradient is turned round."),
        ),
        r"""A step is $x\mapsto(1-\eta)x-\eta bw$. After $K$ of them $x=(1-\eta)^Kw-\eta bw\sum_{i<K}(1-\eta)^i$, and the
sum is $(1-(1-\eta)^K)/\eta$.""",
    ),
    ("fltheory show MX-CVX-REC", "fltheory figure mixed_stability"),
)
