"""Lesson 2: one step of descent, certified."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fltheory.course.parts import CitedClaim, ExactCurve, Exercise, FormulaCurve, Lesson, LessonPanel, Slider

MU = Slider("mu", "least curvature mu (the largest is L = 1)", (0.05, 0.1, 0.25, 0.5), 1)
STEP_SIZES = tuple(float(x) for x in np.round(np.linspace(0.1, 2.0, 20), 4))


def worst_cases(xs: Sequence[float], mu: float) -> list[float]:
    """The certified worst case of a step, by ``fl.worst_case``."""
    import fltheory as fl

    clients = fl.SmoothStronglyConvex(mu=mu, L=1)
    return [float(fl.worst_case(fl.FedAvg(1, x), clients).value) for x in xs]


LESSON = Lesson(
    2,
    "One step of descent, certified",
    45,
    (
        "Read a proof as a sum: inequalities that hold for every function of a class, "
        "each times a number that is not negative.",
        "See that for gradient descent such a proof is exact: some function attains it.",
        "Find the best step size from the worst case.",
    ),
    (
        r"""How far from the minimiser can one gradient step leave the model, if all that is known of the loss is that its
curvature lies between $\mu$ and $L$? A worst case over infinitely many functions looks out of reach. But only
two points matter: $w$ and the minimiser $w^*$. What a smooth strongly convex function can have there as values
and gradients is described by finitely many inequalities (Taylor, Hendrickx and Glineur, 2017), and the largest
distance under these is a semidefinite programme.""",
        r"""Its dual solution is a proof. For step sizes up to $2/(L+\mu)$ one inequality is enough: with $g=\nabla F(w)$
and $w^*=0$, every function of the class satisfies

- $\langle g,w\rangle\ge\frac{1}{L+\mu}|g|^2+\frac{L\mu}{L+\mu}|w|^2$

Multiply it by $2\eta(1-\eta\mu)\frac{L+\mu}{L-\mu}$ and subtract it from $(1-\eta\mu)^2|w|^2-|w-\eta g|^2$.
What remains is $\frac{\eta(2-\eta(L+\mu))}{L-\mu}|g-\mu w|^2$, which is not negative. That is the whole proof.

Nothing in the package believes the solver: the multipliers are rounded to rational numbers and the sum is
checked again in exact arithmetic by one file of plain Python.""",
        LessonPanel(
            "The squared distance after one step, at most, from distance 1",
            "eta",
            "step size (L = 1)",
            STEP_SIZES,
            "factor of the squared distance",
            (MU,),
            (
                FormulaCurve("(1 - eta mu)^2: the flattest parabola", "(1-eta*mu)**2"),
                FormulaCurve("(1 - eta L)^2: the steepest parabola", "(1-eta)**2"),
            ),
            (ExactCurve("certified worst case", worst_cases, ("mu",), "fl.worst_case"),),
        ),
        r"""Things to see. The certified points lie on the larger of the two curves, everywhere: the worst functions are
parabolas, $\tfrac\mu2w^2$ for short steps and $\tfrac L2w^2$ for long ones. No other function of the class is
worse, and that is a theorem, not an observation. Beyond the step size $2/L$ the factor exceeds 1.""",
        CitedClaim("LI-LEM1", "The lemma about one step of FedAvg on which Theorem 1 of Li et al. (2020) rests"),
        r"""In Python: `answer = fl.worst_case(fl.FedAvg(1, 0.5), fl.SmoothStronglyConvex(mu=0.1, L=1))`, then
`answer.sparse().multipliers()` for the proof and `answer.instance()` for the function that attains it.""",
    ),
    Exercise(
        "At which step size is the worst case of one step least? A formula in mu and L.",
        {"mu": (0.05, 0.9), "L": (1.0, 3.0)},
        (),
        "2/(L + mu)",
        (
            ("1/L", "1/L is safe and common, but the larger of both factors still falls there."),
            ("2/L", "at 2/L the steepest parabola does not shrink at all."),
            ("1/(L + mu)", "the factors 1 - eta mu and eta L - 1 are equal at twice that."),
            ("2/mu", "that is beyond 2/L, where the step grows."),
        ),
        r"""The worst case is the larger of $(1-\eta\mu)^2$, which falls, and $(1-\eta L)^2$, which rises from $1/L$ on. It
is least where $1-\eta\mu=\eta L-1$, at $\eta=2/(L+\mu)$.""",
    ),
    ("fltheory certify FedAvg --step-size 1/2 --mu 1/10", "fltheory best-step FedAvg --mu 1/10"),
)
