"""Lesson 8: reading a paper critically."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fltheory.course.parts import CitedClaim, ExactCurve, Exercise, FormulaCurve, Lesson, LessonPanel, Slider

CURVATURE = Slider("a", "curvature a of the second client", (0.25, 1.0, 2.0, 4.0), 2)
CENTRES = tuple(float(x) for x in np.round(np.linspace(-2, 2, 41), 2))


def gammas(xs: Sequence[float], a: float) -> list[float]:
    """Gamma by the problem's constants."""
    import fltheory as fl

    made = [fl.QuadraticProblem([[[1.0]], [[a]]], [[0.0], [a * m]]) for m in xs]
    return [float(problem.constants.gamma) for problem in made]


LESSON = Lesson(
    8,
    "Reading a paper critically: three statements, one of them false",
    45,
    (
        "Read a statement as something that can be executed: what would refute it?",
        "Look for the smallest counterexample, and for the hypothesis that would save the statement.",
        "Know what a verdict says, and what it does not.",
    ),
    (
        r"""Here are three statements on heterogeneity, in our words, as they stand in Li et al. (2020) or follow from it.
Let $\Gamma=F^*-\sum_kp_kF_k^*$ be the gap between the minimum of the mean loss and the mean of the clients' own
minima.

- (A) $\Gamma$ is never negative.
- (B) If the clients' data do not have one distribution, $\Gamma$ is not zero.
- (C) FedAvg with a constant step size and several local steps can end at a point that is not the minimiser.

One of them is false. Before you read on: which one, and with how few numbers can you show it?""",
        r"""Try to save each. (A): $F^*=\sum_kp_kF_k(w^*)$ and each term is at least $F_k^*$; no hypothesis is needed. (C)
is an existence statement: one example is a proof, and lesson 1 had it. (B) speaks of all clients that differ.
To refute it takes one pair of clients that differ and have $\Gamma=0$. Move the second client's minimiser.""",
        LessonPanel(
            "Gamma of two clients: minimisers 0 and m, curvatures 1 and a",
            "m",
            "minimiser m of the second client",
            CENTRES,
            "Gamma",
            (CURVATURE,),
            (FormulaCurve("a m^2/(4 (1 + a))", "a*m**2/(4*(1+a))"),),
            (ExactCurve("problem.constants.gamma", gammas, ("a",), "problem.constants.gamma"),),
        ),
        r"""Things to see. At $m=0$ the curve touches zero for every $a$: the clients' losses are $\tfrac12w^2$ and $\tfrac
a2w^2$, as different as you like, and $\Gamma=0$. Clients may differ and share their minimiser, as in an
interpolating network. The statement is false as printed; what is true is that $\Gamma=0$ exactly if all clients
share a minimiser of the mean loss.""",
        CitedClaim("LI-GAMNON", "The row of the ledger, with its counterexample"),
        r"""How to read a verdict. *Wrong as printed* comes with a counterexample that you can check by hand and with a
corrected statement that has evidence of its own; it says nothing about the rest of the paper. *Holds* names the
rung: a proof for all parameters, or an evaluation of the instances named. *Holds, hypothesis not printed* is
the commonest fault of published theory: true, with a condition that the page does not show. Errors of
substance are the rarest kind here, and the paper's main theorems hold, with hypotheses that the page does not print.

Now choose a paper of your own and a statement in it, write it as a program with a control that must fail, and
run it: `fltheory claim new my_claims`.""",
    ),
    Exercise(
        "Clients with losses a/2 (w - m)^2 and b/2 (w - n)^2, weights 1/2 each. Write Gamma in a, b, m, n.",
        {"a": (0.2, 3.0), "b": (0.2, 3.0), "m": (-2.0, 2.0), "n": (-2.0, 2.0)},
        (),
        "a*b*(m - n)**2/(4*(a + b))",
        (
            ("a*b*(m - n)**2/(2*(a + b))", "nearly: each client has weight 1/2."),
            ("(m - n)**2/4", "the curvatures matter: a flat client gives way."),
            ("(a - b)**2 + (m - n)**2", "Gamma does not see that curvatures differ; with m = n it is zero."),
            ("a*b*(m + n)**2/(4*(a + b))", "only the difference of the minimisers can count."),
        ),
        r"""The mean loss is least at $w^*=\frac{am+bn}{a+b}$. There $w^*-m=\frac{b(n-m)}{a+b}$ and
$w^*-n=\frac{a(m-n)}{a+b}$, so that
$F^*=\frac14\left(\frac{ab^2+a^2b}{(a+b)^2}\right)(m-n)^2=\frac{ab(m-n)^2}{4(a+b)}$, and the clients' own minima
are zero.""",
    ),
    ("fltheory show LI-GAMNON", "fltheory claim new my_claims"),
)
