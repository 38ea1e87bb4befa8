"""The printed proof of Lemma 5.2, step by step: one step (21) to (23), the sums over the steps, (24) and (25)."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from fltheory.evidence.algebra import statement_in_mean
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import identical, tried
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from verify.fedlama2021.derivations import lemma_5_2_steps as derivation
from verify.fedlama2021.lemma_5_2_displays import EQ_22, EQ_23, EQ_23_REPAIRED, Q, eta, j, sigma
from verify.fedlama2021.theorem_5_3_algebra import refuted

_PROOF = "proof of Lemma 5.2"
NAMES = {"beta_sq": r"\beta^2", "kappa_sq": r"\kappa^2", "J": "E"}

split = statement_in_mean(
    "LA-EQ21",
    InMean(
        "sq(x - u) <= 2*eta**2*sq(J*mean(n, j)) + 2*eta**2*sq(J*mean(g, j)) for eta > 0; J >= 1",
        things="u; n over j; g over j; x = u - eta*J*mean(n + g, j)",
        squares=[("eta**2*J**2", "mean(n, j) - mean(g, j)")],
        unfold="x",
        names=NAMES,
    ),
    false={"1.9 times the gradients": ("+ 2*eta**2", "+ 19/10*eta**2")},
    group=inequality_claim,
    source=f"{_PROOF}, (21)",
    headline="A sum of stochastic gradients splits into noise and gradients at the price of a factor two",
    summary="The move of a client in its first local steps, E of them, is the sum of its noises and of its "
    "gradients; its square is at most twice the sum of the squares.",
)


def pair(relation: tuple[int, int], factor: sp.Rational, setting: str) -> Witness:
    """E(n_0 + n_1)^2 = E n_0^2 + E n_1^2 for n_0 = +-1 and n_1 = a n_0 + b e, e = +-1 independent: the cross
    term is 2 a."""
    a, b = sp.symbols("a b")
    outcomes = [(one, a * one + b * two) for one in (1, -1) for two in (1, -1)]
    left, right = (
        sum(form(*x) for x in outcomes) / 4 for form in (lambda n, k: (n + k) ** 2, lambda n, k: n**2 + k**2)
    )
    sides = Side("E(n_0 + n_1)^2", left), Side(f"{factor} (E n_0^2 + E n_1^2)".removeprefix("1 "), factor * right)
    return Witness({a: relation[0], b: relation[1]}, sides[0], "=", sides[1], setting=setting)


def variances(factor: str, centred: bool) -> Evidence:
    """Derived for noises that are centred given the past; else noise that is the same in two steps breaks it."""
    bound = replace(EQ_22, expression=sp.Rational(factor) * EQ_22.expression)
    draws = "n_0 = +-1, n_1 = a n_0 + b e, e = +-1, all draws equally likely and independent"
    pairs = [(0, 1)] if centred else [(0, 1), (1, 0)]
    return by_derivation(
        lambda: derivation.noises_add_up(bound, centred=centred),
        tried(pair(one, sp.Rational(factor), draws) for one in pairs),
        method="At each step the expected square of the sum grows by that of the next noise, which is centred given "
        "the past.",
        valid_for="all j, any dimension",
    )


sum_of_noises = expectation_claim.sharing(
    printed=dict(factor="1", centred=True),
    controls=[
        Control("the noise of step 0 again in step 1", dict(centred=False)),
        Control("0.99 of the sum", dict(factor="99/100")),
    ],
)
noises_add_up = sum_of_noises(
    "LA-EQ22",
    statement=EQ_22,
    headline="Expected squares of the noises of one client add up over its local steps",
    summary="The expected square of a sum of noises is the sum of their expected squares, as long as each is centred "
    "given the steps before.",
    source=f"{_PROOF}, (22)",
)(variances)

centred_noises = sum_of_noises(
    "LA-EQ22-IND[noises are centred given the past]",
    statement=(EQ_22, r"\quad\text{if }\mathbb{E}[g^i_{t,s}\mid\text{steps before }s]=\nabla F_i(x^i_{t,s})"),
    headline="Noises add up by their squares without being independent of each other",
    summary="What the step needs is that each noise has mean zero given the steps before; noises may depend on where "
    "the client is.",
    source=f"{_PROOF}, sentence under (22)",
)(variances)


def independence(state: int) -> Evidence:
    """E[n_0 n_1^k] = 0 for n_0 = +-1 and n_1 = e (1 + c n_0)/2: of two values each, they are independent iff
    all of these hold."""
    c = sp.Symbol("c")
    outcomes = [(one, two * (1 + c * one) / sp.Integer(2)) for one in (1, -1) for two in (1, -1)]
    moments = [sum(n * k**power for n, k in outcomes) / sp.Integer(4) for power in (1, 2, 3)]
    given = [(sum(k for n, k in outcomes if n == one) / sp.Integer(2), "=", 0) for one in (1, -1)]
    given += [(k**2, "<=", 1) for _, k in outcomes]
    setting = (
        "n_0 = +-1, x_1 = u - eta n_0, n_1 = e (1 + c n_0)/2, e = +-1: centred, of variance at most 1, dependent on x_1"
    )
    witness = Witness(
        {c: state}, Side("E[n_0 n_1^2]", moments[1]), "=", Side("E[n_0] E[n_1^2]", sp.Integer(0)), given, setting
    )
    method = "Four equally likely outcomes, evaluated exactly."
    return identical([sp.expand(one.subs(c, state)) for one in moments], tried(witness), method=method)


@expectation_claim(
    "LA-EQ22-IND[noises are independent of each other]",
    statement=r"\text{A1 to A4}\implies g^i_{t,s}-\nabla F_i(x^i_{t,s}),\ s=0,1,\dots\text{ are independent}",
    headline="The noises of a client's steps need not be independent of each other",
    summary="The reason that is printed is more than the assumptions give: a noise whose size depends on the "
    "point is centred and "
    "bounded, and depends on the noises before. The step itself needs no independence.",
    source=f"{_PROOF}, sentence under (22)",
    fault="reading",
    repair="LA-EQ22-IND[noises are centred given the past]",
    printed=dict(state=1),
    controls=[Control("noise that does not depend on the point", dict(state=0), must="pass")],
)
def independent_noises(state: int) -> Evidence:
    return independence(state)


def drift_of_a_step(repaired: bool, factor: str) -> Evidence:
    """(23) with j - 1, or with j, times a factor; after one step of size 1 the drift is E(g + n)^2 with n = +-s."""
    stated = EQ_23_REPAIRED if repaired else EQ_23
    bound = replace(stated, expression=sp.Rational(factor) * stated.expression)
    g, s = sp.symbols("g s")
    left = Side("E|x_1 - u|^2", (eta**2 * (g + s) ** 2 + eta**2 * (g - s) ** 2) / 2)
    right = Side("right side", bound.expression.subs(Q, g**2))
    setting = "one client with gradient g at u and noise s or -s, equally likely, after j = 1 step"
    points = [{eta: 1, sigma: 1, s: 1, g: 0, j: 1}, {eta: 1, sigma: 0, s: 0, g: 1, j: 1}]
    found = tried(Witness(at, left, "<=", right, [(s**2, "<=", sigma**2)], setting) for at in points)
    return by_derivation(
        lambda: derivation.one_step(bound),
        found,
        method="The noises so far have at most j times their variance, by induction; the gradients obey Jensen's "
        "inequality.",
        valid_for="all j >= 0, any dimension, layers not averaged within the first j steps",
    )


drift_as_printed = expectation_claim(
    "LA-EQ23",
    statement=EQ_23,
    headline="The drift of a client after its first step is said to be zero",
    summary="A client that has made j steps carries j noises and j gradients, and the factors j - 1 are one too small: after "
    "one step the right side is 0. The lemma survives, since the bounds of the sums that follow hold with the factors j "
    "too (LA-SUM1-S1, LA-SUM2, LA-SUM3-S1).",
    source=f"{_PROOF}, (23)",
    fault="slip",
    repair="LA-EQ23-R1",
    printed=dict(repaired=False, factor="1"),
    controls=[Control("j in place of j - 1", dict(repaired=True), must="pass")],
)(drift_of_a_step)

drift_repaired = expectation_claim(
    "LA-EQ23-R1",
    statement=EQ_23_REPAIRED,
    headline="After some local steps a client has drifted by as many noises and gradients",
    summary="The drift after j steps is bounded with the factor j in place of j - 1.",
    source=f"{_PROOF}, (23)",
    printed=dict(repaired=True, factor="1"),
    controls=[
        Control("j - 1, as printed", dict(repaired=False)),
        Control("half of it times 0.99", dict(factor="99/200")),
    ],
)(drift_of_a_step)

_AT_ZERO = Relations("0 <= 2*eta**2*j*sigma**2 + 2*eta**2*j*Q for eta > 0; sigma >= 0; Q = 0; j = 0")
first_term = refuted(
    "LA-EQ23-J0",
    _AT_ZERO.changed("2*eta**2*j*sigma", "2*eta**2*(j - 1)*sigma").changed("2*eta**2*j*Q", "2*eta**2*(j - 1)*Q"),
    ("the factor j", _AT_ZERO),
    group=inequality_claim,
    source=f"{_PROOF}, (23), summed from j = 0",
    headline="The sum over local steps begins with a bound that is negative",
    summary="The bound with the factor j - 1 is summed from j = 0, where the drift and the sum of the gradients are 0; "
    "where there is noise the bound is negative.",
    fault="slip",
    repair="LA-EQ23-R1",
)

changes_of_gradients = statement_in_mean(
    "LA-EQ23b",
    InMean(
        "2*eta**2*(J - 1)*J*sq(g_x) <= 4*eta**2*(J - 1)*L**2*J*sq(x - u) + 4*eta**2*(J - 1)*J*sq(g_u) for L > 0; "
        "eta > 0; J >= 1",
        things="u; x over j; function F; F at u, x",
        over="j",
        uses=[use("Lipschitz gradients", "u x", times="4*eta**2*(J - 1)*J", of="F", L="L")],
        squares=[("2*eta**2*(J - 1)*J", "g_x - 2*g_u")],
        names=NAMES,
    ),
    false={"2 on the gradients at u": ("+ 4*eta**2", "+ 2*eta**2")},
    group=inequality_claim,
    source=f"{_PROOF}, display after (23)",
    headline="Gradients along the local steps are bounded by those at the start and the drift",
    summary="The squared gradients on the way are at most twice their changes, which smoothness bounds, and "
    "twice the gradients at the "
    "start. For E >= 1 steps; the display in which it stands has the factors j - 1 of (23).",
)


if __name__ == "__main__":
    run_script(__file__)
