"""Lesson 7: layers and elasticity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fltheory.course.parts import CitedClaim, ExactCurve, Exercise, FormulaCurve, Lesson, LessonPanel, Slider

FACTOR = Slider("phi", "factor phi of the long interval", (2.0, 3.0, 4.0, 6.0), 1)
SHARES = tuple(float(x) for x in np.round(np.linspace(0.1, 0.9, 9), 2))
STEPS = Slider("E", "local steps E", (1.0, 5.0, 20.0), 1)
CURVATURE = Slider("a", "step size times curvature", (0.05, 0.1, 0.5), 1)
RATES = tuple(float(x) for x in np.round(np.linspace(0.1, 2.0, 20), 2))


def sent(xs: Sequence[float], phi: float) -> list[float]:
    """Numbers that FedLAMA sends over those that FedAvg sends, by ``fl.cost``."""
    import fltheory as fl

    found = []
    for share in xs:
        slow = round(10 * share)
        sizes = {"often": 10 - slow, "rarely": slow}
        problem = fl.layered_quadratic(sizes, np.ones((2, 2)), np.ones((2, 2)))
        lama = fl.FedLAMA(base=2, factor=int(phi), step_size=0.1, intervals=(2, 2 * int(phi)))
        cost = fl.cost(problem, lama, rounds=1)
        each = [int(total.most) for total in cost.layer_totals("up")]
        found.append(sum(s * t for s, t in zip(sizes.values(), each, strict=True)) / (10 * max(each)))
    return found


def factors(xs: Sequence[float], E: float, a: float) -> list[float]:
    """The factor by which a round shrinks the error, with its sign, by ``fl.round_map``."""
    import fltheory as fl

    problem = fl.QuadraticProblem([[[1.0]]], [[0.0]])
    return [
        float(np.real(fl.round_map(problem, fl.SimplifiedElastic(int(E), a, elasticity=zeta)).eigenvalues()[0]))
        for zeta in xs
    ]


LESSON = Lesson(
    7,
    "Layers that are averaged rarely, and elastic averages",
    45,
    (
        "Count what is sent when layers are averaged at intervals of their own (FedLAMA).",
        "See what a factor on the aggregated update does to a round (elastic aggregation).",
        "Judge a saving together with what it costs in convergence.",
    ),
    (
        r"""FedLAMA (Lee et al., 2021) averages some layers every $\tau$ local steps and the others every $\varphi\tau$. If
the rarely averaged layers hold a share $s$ of all parameters, the network carries them $\varphi$ times less
often. Which layers may wait is decided by how far the clients' copies have drifted apart.""",
        LessonPanel(
            "Numbers sent, relative to FedAvg with the short interval",
            "s",
            "share of parameters that is averaged rarely",
            SHARES,
            "numbers sent, relative",
            (FACTOR,),
            (FormulaCurve("1 - s + s/phi", "1 - s + s/phi"),),
            (ExactCurve("counted", sent, ("phi",), "fl.cost"),),
        ),
        r"""Things to see. The saving is bounded by the share: with half of the parameters it never exceeds a half, however
long the interval. And it is a saving per local step. What matters is what is sent until the loss is small, and
the long interval adds drift. The ledger holds a re-run of the paper's tables on data that can be had, and says
how far it is from them.""",
        CitedClaim("LA-TOTDISC", "A claim on the discrepancy that FedLAMA tolerates; one reading of it fails"),
        r"""Elastic aggregation (Chen et al., 2023) multiplies the aggregated update by a factor $\zeta$, for each parameter
its own, small where the loss is sensitive. Take one coordinate of curvature 1 and local steps of size $a$. $E$
local steps shrink the error by $(1-a)^E$; the server goes $\zeta$ times as far.""",
        LessonPanel(
            "The factor of one round, over the elasticity",
            "zeta",
            "elasticity zeta",
            RATES,
            "factor of the error",
            (STEPS, CURVATURE),
            (FormulaCurve("1 - zeta (1 - (1 - a)^E)", "1 - zeta*(1-(1-a)**E)"),),
            (ExactCurve("by the round's map", factors, ("E", "a"), "fl.round_map"),),
        ),
        r"""Things to see. An elasticity below 1 slows a coordinate down, one above 1 extrapolates; beyond 2 divided by the
local progress the factor passes $-1$ and rounds diverge. A factor for each parameter does not move the fixed
point of one client, but for clients that differ it weighs coordinates, and read off the cohort it biases the
mean update (`fltheory show EL-ALG3-OMIT`).""",
    ),
    Exercise(
        "A round of E local steps of size a on the loss w^2/2, then elasticity zeta. By "
        "which factor does the error shrink? In zeta, a, E.",
        {"zeta": (0.2, 1.8), "a": (0.05, 0.6), "E": (1.0, 10.0)},
        ("E",),
        "1 - zeta*(1-(1-a)**E)",
        (
            ("(1-a)**E", "that is the clients' average; the server goes zeta times as far towards it."),
            ("(1-zeta*a)**E", "elasticity acts once per round, on the whole update, not in every local step."),
            ("zeta*(1-a)**E", "zeta multiplies the update, the difference of the average and w, not the average."),
            ("1 - zeta*(1-a)**E", "the update is (1-a)^E - 1 times w; its sign and the 1 are missing."),
        ),
        r"""The local steps lead from $w$ to $(1-a)^Ew$. The update is $((1-a)^E-1)w$, and $w+\zeta$ times it is
$(1-\zeta(1-(1-a)^E))w$.""",
    ),
    ("fltheory show LA-TOTDISC", "fltheory show EL-ALG3-OMIT"),
)
