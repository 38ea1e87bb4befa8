"""Lesson 3: rates, E against eta, and how loose bounds are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from fltheory.course.parts import CitedClaim, ExactCurve, Exercise, Lesson, LessonPanel, Slider

STEPS = Slider("E", "local steps E", (1.0, 2.0, 5.0, 10.0), 1)
ROUNDS = tuple(float(round(x)) for x in np.geomspace(1, 1000, 25))


@cache
def setting(E: int) -> tuple[Any, Any]:
    """Two clients of curvatures 1/4 to 1 that disagree, and FedAvg with the steps of Theorem 1."""
    import fltheory as fl

    problem = fl.QuadraticProblem([np.diag([1.0, 0.25]), np.diag([0.5, 0.25])], [[1.0, 0.25], [-0.5, 0.25]])
    known = problem.constants
    steps = fl.schedules.li_main_text(float(known.strong_convexity), float(known.smoothness), E)
    return problem, fl.FedAvg(E, fl.Harmonic(steps.beta, steps.gamma, first=1))


def bounds(xs: Sequence[float], E: float) -> list[float]:
    """What Theorem 1 says after so many rounds, by ``fl.applicable``."""
    import fltheory as fl

    problem, method = setting(int(E))
    found = []
    for rounds in xs:
        answer = fl.applicable(problem, method, rounds=int(rounds), document="li2020", truth=False)
        row = answer["li2020.theorem_1"]
        if row.status != "applies" or row.value is None:
            raise ValueError(f"Theorem 1 does not apply: {row.reasons}")
        found.append(row.value)
    return found


def sharper(xs: Sequence[float], E: float) -> list[float]:
    """The same theorem with its recursion solved, by ``fl.applicable``."""
    import fltheory as fl

    problem, method = setting(int(E))
    rows = [fl.applicable(problem, method, rounds=int(r), document="li2020", truth=False) for r in xs]
    return [float(row["li2020.theorem_1_improved"].value or np.nan) for row in rows]


def gaps(xs: Sequence[float], E: float) -> list[float]:
    """The gap that is there, by ``fl.moments``."""
    import fltheory as fl

    problem, method = setting(int(E))
    gap = fl.moments(problem, method, rounds=int(max(xs))).gap
    return [float(gap[int(rounds)]) for rounds in xs]


LESSON = Lesson(
    3,
    "Rates: local steps against step size, and how loose bounds are",
    45,
    (
        "Read a rate theorem as a function of the rounds, with all its constants.",
        "Compare it with the gap that is there, computed without simulation.",
        "Turn a bound into a number of steps, and see what that number is worth.",
    ),
    (
        r"""Theorem 1 of Li et al. (2020) bounds the expected gap of FedAvg after $T$ local steps with step sizes
$\eta_t=\frac{2}{\mu(\gamma+t)}$, $\gamma=\max\{8L/\mu,E\}$. It has the form of a constant over $\gamma+T$. The
constant grows with $E^2G^2$, where $G$ bounds the gradients: more local steps between averagings, more drift.""",
        CitedClaim("LI-THM1", "The theorem, as it was checked"),
        r"""A bound is a promise for every problem that satisfies its hypotheses. How much of it is slack on one problem?
Quadratic losses let us answer exactly: the moments of a round are known in closed form.""",
        LessonPanel(
            "The gap after R rounds: promised and there",
            "R",
            "rounds R",
            ROUNDS,
            "expected gap",
            (STEPS,),
            (),
            (
                ExactCurve("bound of Theorem 1", bounds, ("E",), "fl.applicable"),
                ExactCurve("bound, from the sharp one-step lemma", sharper, ("E",), "fl.applicable"),
                ExactCurve("the gap itself", gaps, ("E",), "fl.moments"),
            ),
            True,
        ),
        r"""Things to see. The bound falls like $1/R$, as the theorem says. Here the gap falls faster: with exact gradients
what is left at step $t$ is the bias of the local steps, in proportion to $\eta_t$, and the gap is its square, of
order $1/R^2$; with one local step there is no bias, and it falls faster still. A theorem that covers noise cannot
promise that. The constants are loose as well: the printed bound lies orders of magnitude above the gap. A sharper
lemma, which the checks of this package found, takes away a part of that. And the printed bound gets worse with $E$
at every number of rounds, while the gap gets better over the first hundred: a bound that is loose in $E$ cannot
tell how many local steps to take. For that, ask for exact moments: `fl.plan`.""",
        r"""In Python: `print(fl.applicable(problem, method, rounds=200))` says for every published theorem whether its
hypotheses hold here, what it promises, and how many times the truth that is.""",
    ),
    Exercise(
        "A bound says that the gap after T steps is at most C/(gamma + T). How many steps "
        "T make the bound eps? A formula in C, gamma, eps.",
        {"C": (1.0, 50.0), "gamma": (1.0, 40.0), "eps": (0.01, 0.1)},
        (),
        "C/eps - gamma",
        (
            ("C/eps", "the shift gamma counts as steps that are already made."),
            ("C/eps + gamma", "gamma helps: it stands beside T in the denominator."),
            ("C*eps - gamma", "a smaller eps should need more steps."),
            ("C/(gamma + eps)", "solve C/(gamma + T) = eps for T."),
        ),
        r"""$C/(\gamma+T)=\epsilon$ means $\gamma+T=C/\epsilon$.""",
    ),
    ("fltheory show LI-THM1", "fltheory figure compare"),
)
