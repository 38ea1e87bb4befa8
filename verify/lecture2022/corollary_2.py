"""Corollary 2 of the lecture note: s = sqrt(N)/(L sqrt(T)) in Theorem 1, conditions, complexities drawn from it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.ends import by_proof, by_witness
from fltheory.evidence.kinds import algebra_claim, asymptotic_claim, expectation_claim, identity_claim, run_script
from fltheory.evidence.limits import unbounded
from fltheory.evidence.model import Claim, Control, Evidence, Rung
from fltheory.theory.lecture2022 import bounds, corollary_2_first, theorem_1
from fltheory.theory.lecture2022.bounds import RATE_STEP, G, K, L, N, T, gap, s, sigma
from fltheory.theory.proofs import Open
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance, Proof, Step, equality, identity, inequality, sign
from fltheory.theory.values import exact_value
from verify.lecture2022.descent import prove_for_every_step
from verify.lecture2022.instances import on_a_clipped_line

annotation = asymptotic_claim.sharing(source="annotation at Corollary 2")

root = sp.Symbol("r", positive=True)


def latex(expression: sp.Expr) -> str:
    return str(sp.latex(expression, symbol_names={gap: bounds.NAMES["gap"]}))


def claimed(drift: str, noise: int, descent: str = "1") -> sp.Expr:
    """The first display, term by term times ``descent``, ``drift`` and 1; ``noise=0`` leaves the last without 1/sqrt(N)."""
    whole = corollary_2_first.expression
    alone = [whole.subs({other: 0 for other in (gap, G, sigma) if other != kept}) for kept in (gap, G, sigma)]
    scale = sp.sqrt(N) if noise == 0 else sp.Integer(1)
    return sp.Rational(descent) * alone[0] + sp.Rational(drift) * alone[1] + scale * alone[2]


def rational(expression: sp.Expr) -> sp.Expr:
    """In N = p^2 and T = r^2 N, which turns every root into a rational expression; T >= N means r >= 1."""
    p = sp.Symbol("p", positive=True)
    return sp.powdenest(sp.simplify(expression.subs(T, root**2 * N).subs(N, p**2)), force=True)


def substituted(right: sp.Expr) -> Step:
    """Theorem 1 at s = sqrt(N)/(L sqrt(T)) against the given right side."""
    return identity("Theorem 1 at this s", rational(theorem_1.expression.subs(s, RATE_STEP)), rational(right))


@identity_claim(
    "LEC-COR2a.1",
    statement=latex(theorem_1.expression)
    + "="
    + latex(corollary_2_first.expression)
    + r"\quad\text{at }s="
    + latex(RATE_STEP),
    printed=dict(drift="1", noise=1),
    source="Corollary 2, first display",
    headline="Theorem 1 at the chosen step size gives the corollary's right side",
    summary="The right side of Theorem 1 at s = sqrt(N)/(L sqrt(T)) is the right side of the first display.",
    controls=[
        Control("4 -> 3.96 in the drift term", dict(drift="99/100")),
        Control("2 -> 1.98 in the first term", dict(descent="99/100")),
        Control("sigma^2/sqrt(T) without the 1/sqrt(N)", dict(noise=0)),
    ],
)
def substitution(drift: str, noise: int, descent: str = "1") -> Evidence:
    right = claimed(drift, noise, descent)

    def instances() -> Iterator[Instance]:
        for count, total, local in ((4, 16, 1), (1, 9, 3), (9, 36, 2)):
            at = {L: 2, gap: 3, N: count, T: total, K: local, G: 5, sigma: 7}
            got, said = (exact_value(e, at) for e in (theorem_1.expression.subs(s, RATE_STEP), right))
            text = f"L=2, gap=3, G=5, sigma=7, N={count}, T={total}, K={local}: Theorem 1 against the display"
            yield equality(text, got, said)

    return decide(
        Proof(
            (substituted(right), identity("the terms of the display", claimed("1", 1), corollary_2_first.expression))
        ),
        instances,
        method="Identity in N = p^2, T = r^2 N between the bound of Theorem 1 and the display, as they are exported.",
        valid_for="all N, K, T, L",
    )


@expectation_claim(
    "LEC-COR2a.3",
    proves=proves(corollary_2_first, lambda drift, descent: claimed(drift, 1, descent)),
    statement=corollary_2_first,
    printed=dict(drift="1", descent="1"),
    source="Corollary 2, first display",
    depends=("LEC-COR2a.1",),
    headline="The corollary bounds the mean squared gradient for every horizon",
    summary="The first display as a bound of the average squared gradient, for every T: for T < N the step is longer "
    "than 1/L, but the right side exceeds G^2.",
    assumptions=("as Theorem 1, with s = sqrt(N)/(L sqrt(T)) in place of s <= 1/L",),
    controls=[
        Control("drift constant 4 -> 1/10 (fails at T < N)", dict(drift="1/40")),
        Control("first constant 2 -> 19/20 (fails at T >= N)", dict(descent="19/40")),
    ],
)
def first_display(drift: str, descent: str) -> Evidence:
    constant = 2 * sp.Rational(descent)
    general = bounds.theorem_1_expression(descent=constant, drift=4 * sp.Rational(drift) * K**2, noise=sp.Integer(1))
    right = claimed(drift, 1, descent)
    at_rate = identity("the general bound at this s", rational(general.subs(s, RATE_STEP)), rational(right))
    steps = [step for code in ("printed", "FedAvg") for step in prove_for_every_step(general, code).steps]

    def instances() -> Iterator[Instance]:
        # The last run starts where the gradient is 1 in all of its steps: the descent is then nearly used up.
        for count, total, far in ((1, 1, 0), (4, 1, 0), (4, 4, 0), (4, 16, 0), (1, 4, 0), (1, 400, 1)):
            step = exact_value(RATE_STEP, {L: 1, N: count, T: total})
            start = 1 + far * step * (total - 1)
            text = f"N={count} clients f'=clip(x,-1,1), no noise, K=1, T={total}, s={step}, start {start}"
            yield on_a_clipped_line(text, step, total, start, count).instance(right)

    return decide(
        Proof((at_rate, *steps)),
        instances,
        method="Theorem 1 where s <= 1/L (that is T >= N); beyond it the left side is at most G^2, by Jensen's inequality, "
        "and the right side at least G^2. Both codes.",
        valid_for="all N, K, T, d",
        numbers={"s <= 1/L": "T >= N"},
    )


def rate(view: str) -> Evidence:
    """sqrt(NT) times the right-hand side: bounded along fixed N and K, or along a sequence in which N grows with T."""
    scaled = sp.sqrt(N * T) * corollary_2_first.expression
    along = scaled if view == "fixed N and K" else scaled.subs(N, T)
    limit = sp.limit(sp.expand(sp.powdenest(along, force=True)), T, sp.oo)
    bounded = not limit.has(sp.oo)
    words = dict(method="Limit of sqrt(NT) times the bound for T to infinity.", numbers={"limit": limit})
    if bounded:
        return by_proof(**words, valid_for="fixed N, K")
    witness = unbounded("sqrt(NT) times the bound", along, T, setting=f"along {view}")
    return by_witness(witness, rung=Rung.PROOF, **words)


rate_fixed = annotation(
    "LEC-COR2a.2[T grows, N and K fixed]",
    statement=r"\tfrac{2L}{\sqrt{NT}}(f(\bar x^0)-f^*)+\tfrac{4N}{T}K^2G^2+\tfrac{\sigma^2}{\sqrt{NT}}=O(1/\sqrt{NT})",
    printed=dict(view="fixed N and K"),
    summary="For fixed N and K the annotation is right; the second term is below 4G^2/sqrt(NT) once T >= N^3 K^4.",
    controls=[Control("N = T", dict(view="N = T"))],
)(rate)

rate_uniform = annotation(
    "LEC-COR2a.2[uniformly in N]",
    fault="reading",
    statement=r"\tfrac{2L}{\sqrt{NT}}(f(\bar "
    r"x^0)-f^*)+\tfrac{4N}{T}K^2G^2+\tfrac{\sigma^2}{\sqrt{NT}}\le\tfrac{C}{\sqrt{NT}},\ C\text{ free of }N,T",
    printed=dict(view="N = T"),
    repair="LEC-COR2b",
    headline="The linear speedup in the number of clients needs a very long horizon",
    summary="As a linear speedup in N the annotation needs a constant free of N, which fails without a condition such "
    "as T >= N^3 K^4.",
    controls=[Control("N and K fixed", dict(view="fixed N and K"), must="pass")],
)(rate)


@algebra_claim(
    "LEC-COR2b",
    proves=proves(
        bounds.corollary_2_second, lambda: claimed("0", 1) + 4 * G**2 / sp.sqrt(N * T), under=(K**4 * N**3 <= T,)
    ),
    statement=r"K\le T^{1/4}/N^{3/4}\ \Rightarrow\ "
    + latex(4 * N * K**2 * G**2 / T)
    + r"\le"
    + latex(4 * G**2 / sp.sqrt(N * T)),
    printed=dict(factor="1"),
    source="Corollary 2, second display",
    headline="With few enough local steps the rate is of order one over the root of N T",
    summary="K <= T^(1/4)/N^(3/4) turns the second term into 4G^2/sqrt(NT), and with it the first display into the "
    "second. Such a K >= 1 exists only if T >= N^3.",
    controls=[Control("K <= 1.01 T^(1/4)/N^(3/4)", dict(factor="101/100"))],
)
def second_display(factor: str) -> Evidence:
    # With T = q^4 and N = p^4 the condition reads K p^3 <= factor q, and the terms are 4 p^4 K^2/q^4 and 4/(p^2 q^2).
    p, q, k = *sp.symbols("p q", positive=True), sp.Rational(factor)
    term = 4 * p**4 * K**2 * G**2 / q**4
    step = inequality(
        "second term",
        term,
        4 * G**2 / (p**2 * q**2),
        premises={"(factor q)^2 - (K p^3)^2 >= 0": (4 * G**2 / (p**2 * q**4), (k * q) ** 2 - (K * p**3) ** 2)},
        ranges=[(p, 1, None), (q, Open(0), None), (G, 0, None), (K, 1, None)],
    )

    def instances() -> Iterator[Instance]:
        for count, total in ((1, 100**4), (16, 16**4)):
            limit = Fraction(factor) * Fraction(round(total**0.25)) / round(count**0.75)
            local = int(limit)
            if local >= 1:
                left, right = Fraction(4 * count * local**2, total), Fraction(4) / round((count * total) ** 0.5)
                yield Instance(f"N={count}, T={total}, K={local}, G=1", left, right)

    return decide(
        Proof((step,)),
        instances,
        method="Square of the condition as a premise, in fourth roots of N and T.",
        valid_for="all N, T, K >= 1 with K^4 N^3 <= T",
        numbers={"a K >= 1 exists iff": "T >= N^3"},
    )


def complexity(power: str, sense: str, clients: bool) -> Evidence:
    """Solve C/sqrt(NT) <= target for T, and compare with (C^2/N)/eps^2."""
    eps, C, count = sp.symbols("epsilon C N", positive=True)
    amount = count if clients else sp.Integer(1)
    target = eps**2 if power == "eps^2" else eps
    needed = C**2 / (amount * target**2)
    stated = C**2 / (amount * eps**2) if sense != "eps^-4 suffices" else C**2 / (amount * eps**4)
    ranges = [(eps, Open(0), 1), (C, 0, None), (count, 1, None)]
    values = {eps: sp.Rational(1, 2), C: 1, count: 1}
    if sense == "necessary":
        low, high, name, text = stated, needed, "is necessary", "stated T against needed T"
    else:
        low, high, name, text = needed, stated, "suffices", "needed T against stated T"
        text = f"target {target.subs(values)}: {text}"
    check = sign(f"the stated order {name}", sp.factor(high - low), ranges)
    return decide(
        Proof((identity("solution of C/sqrt(NT) = target", C**2 / (amount * needed), target**2), check)),
        lambda: [
            Instance(
                f"C=N=1, eps=1/2{':' if sense == 'necessary' else ','} {text}",
                exact_value(low, values),
                exact_value(high, values),
            )
        ],
        method="C/sqrt(NT) <= target iff T >= C^2/(N target^2).",
        valid_for="all C, N, 0 < eps <= 1",
        numbers={"needed": needed},
    )


def complexity_claims(prefix: str, clients: bool) -> tuple[Claim, ...]:
    """The four rows on one of the two complexity statements."""
    fraction, per = (r"\tfrac{C'}{\sqrt{NT}}", "N") if clients else (r"\tfrac{C}{\sqrt T}", "")
    speed = " The factor 1/N is right in every reading." if clients else ""
    handwritten = algebra_claim.sharing(source="handwritten note at Corollary 2")
    printed = dict(power="eps^2", clients=clients)
    return (
        handwritten(
            f"{prefix}[T of this order suffices]",
            statement=rf"{fraction}\le\epsilon^2\Leftarrow T\ge O(1/({per}\epsilon^2))",
            printed=dict(printed, sense="suffices"),
            headline=f"As transcribed the complexity of {'FedAvg' if clients else 'SGD'} has a wrong exponent",
            summary="As a complexity the exponent, transcribed from handwriting, is wrong: C/sqrt(T) <= eps^2 needs T of "
            f"order 1/eps^4; the original would tell.{speed}",
            controls=[Control("1/eps^4", dict(sense="eps^-4 suffices"), must="pass")],
            repair=f"{prefix}-R1",
            fault="transcription",
        )(complexity),
        handwritten(
            f"{prefix}[T of this order is necessary]",
            statement=rf"{fraction}\le\epsilon^2\Rightarrow T\ge O(1/({per}\epsilon^2))",
            printed=dict(printed, sense="necessary"),
            summary="Read as a mere implication the handwritten line is true for eps <= 1, and weak: T >= C^2/eps^4 follows."
            + speed,
            controls=[Control("taken as sufficient", dict(sense="suffices"))],
        )(complexity),
        handwritten(
            f"{prefix}[target eps instead of eps^2]",
            statement=rf"{fraction}\le\epsilon\Leftrightarrow T\ge C^2/({per}\epsilon^2)",
            printed=dict(printed, power="eps", sense="suffices"),
            summary="With target eps for the squared gradient, as the handwriting may say, the order 1/eps^2 is exact."
            + speed,
            controls=[Control("target eps^2", dict(power="eps^2"))],
        )(complexity),
        handwritten(
            f"{prefix}-R1",
            statement=rf"{fraction}\le\epsilon^2\Leftrightarrow T\ge C^2/({per}\epsilon^4)",
            printed=dict(printed, sense="eps^-4 suffices"),
            summary=f"The number of steps is of order 1/eps^4 for the target eps^2.{speed}",
            controls=[Control("1/eps^2", dict(sense="suffices"))],
        )(complexity),
    )


OF_SGD, OF_FEDAVG = complexity_claims("LEC-SGDCPX", False), complexity_claims("LEC-FACPX", True)


if __name__ == "__main__":
    run_script(__file__)
