"""Corollary 2 of the lecture note: s = sqrt(N)/(L sqrt(T)) in Theorem 1, conditions, complexities drawn from it."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide, read
from fltheory.evidence.model import Control, Evidence, Kind, Scope, claim
from fltheory.theory.lecture2022.bounds import (
    NAMES,
    RATE_STEP,
    G,
    K,
    L,
    N,
    T,
    corollary_2_first,
    gap,
    s,
    sigma,
    theorem_1,
    theorem_1_expression,
)
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Proof, Step, equality, identity, inequality, sign
from verify.lecture2022.descent import prove_for_every_step
from verify.lecture2022.proof.one_step import line
from verify.lecture2022.runs import mean, run

root = sp.Symbol("r", positive=True)


#: The instances below: identical clients f' = clip(x, -1, 1) without noise, so that L = G = 1 and sigma = 0.
CLIENT = line(0, 1)


def latex(expression: sp.Expr) -> str:
    return str(sp.latex(expression, symbol_names={gap: NAMES["gap"]}))


def claimed(drift: str, noise: int, descent: str = "2") -> sp.Expr:
    """The first display; ``noise=0`` leaves the last term without 1/sqrt(N)."""
    scale = sp.sqrt(N) if noise == 0 else sp.Integer(1)
    first = sp.Rational(descent) * L * gap / sp.sqrt(N * T)
    return first + sp.Rational(drift) * N * K**2 * G**2 / T + scale * sigma**2 / sp.sqrt(N * T)


def rational(expression: sp.Expr) -> sp.Expr:
    """In N = p^2 and T = r^2 N, which turns every root into a rational expression; T >= N means r >= 1."""
    p = sp.Symbol("p", positive=True)
    return sp.powdenest(sp.simplify(expression.subs(T, root**2 * N).subs(N, p**2)), force=True)


def substituted(right: sp.Expr) -> Step:
    """Theorem 1 at s = sqrt(N)/(L sqrt(T)) against the given right side."""
    return identity("Theorem 1 at this s", rational(theorem_1.expression.subs(s, RATE_STEP)), rational(right))


@claim(
    "LEC-COR2a.1",
    kind=Kind.IDENTITY,
    scope=Scope.GENERAL,
    statement=latex(theorem_1.expression)
    + "="
    + latex(corollary_2_first.expression)
    + r"\quad\text{at }s="
    + latex(RATE_STEP),
    printed=dict(drift="4", noise=1),
    source="Corollary 2, first display",
    summary="The right side of Theorem 1 at s = sqrt(N)/(L sqrt(T)) is the right side of the first display.",
    controls=[
        Control("4 -> 3.96 in the drift term", dict(drift="99/25")),
        Control("sigma^2/sqrt(T) without the 1/sqrt(N)", dict(noise=0)),
    ],
)
def substitution(drift: str, noise: int) -> Evidence:
    right = claimed(drift, noise)
    at = {L: 1, gap: 1, N: 4, T: 16, K: 1, G: 1, sigma: 1}

    def instances() -> list[Instance]:
        got, said = (Fraction(str(sp.Rational(e.subs(at)))) for e in (theorem_1.expression.subs(s, RATE_STEP), right))
        return [equality("L=gap=K=G=sigma=1, N=4, T=16: Theorem 1 against the display", got, said)]

    return decide(
        Proof((substituted(right),)), instances, method="Identity in N = p^2, T = r^2 N.", valid_for="all N, K, T, L"
    )


@claim(
    "LEC-COR2a.3",
    kind=Kind.EXPECTATION,
    scope=Scope.GENERAL,
    statement=corollary_2_first.latex(),
    printed=dict(drift="4", descent="2"),
    source="Corollary 2, first display",
    depends=("LEC-COR2a.1",),
    summary="The first display as a bound of the average squared gradient, for every T: for T < N the step is longer "
    "than 1/L, but the right side exceeds G^2.",
    assumptions=("as Theorem 1, with s = sqrt(N)/(L sqrt(T)) in place of s <= 1/L",),
    controls=[
        Control("drift constant 4 -> 1/10 (fails at T < N)", dict(drift="1/10")),
        Control("first constant 2 -> 19/20 (fails at T >= N)", dict(descent="19/20")),
    ],
)
def first_display(drift: str, descent: str) -> Evidence:
    constant = sp.Rational(descent)
    general = theorem_1_expression(descent=constant, drift=sp.Rational(drift) * K**2, noise=sp.Integer(1))
    right = claimed(drift, 1, descent)
    at_rate = identity("the general bound at this s", rational(general.subs(s, RATE_STEP)), rational(right))
    steps = [step for code in ("printed", "FedAvg") for step in prove_for_every_step(general, code).steps]

    def instances() -> list[Instance]:
        found = []
        # The last run starts where the gradient is 1 in all of its steps: the descent is then nearly used up.
        for count, total, far in ((1, 1, 0), (4, 1, 0), (4, 4, 0), (4, 16, 0), (1, 4, 0), (1, 400, 1)):
            step = Fraction(str(sp.Rational(RATE_STEP.subs({L: 1, N: count, T: total}))))
            start = 1 + far * step * (total - 1)
            at = {L: 1, N: count, T: total, K: 1, G: 1, sigma: 0, gap: sp.Rational(CLIENT.value(start))}
            path = run("FedAvg", [CLIENT] * count, step_size=step, local_steps=1, steps=total, start=start)
            left = mean([CLIENT.gradient(x) ** 2 for x in path.means[:-1]])
            found.append(
                Instance(
                    f"N={count} clients f'=clip(x,-1,1), no noise, K=1, T={total}, s={step}, start {start}",
                    left,
                    Fraction(str(sp.Rational(right.subs(at)))),
                )
            )
        return found

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
    return read(
        bounded,
        method="Limit of sqrt(NT) times the bound for T to infinity.",
        examined=1,
        numbers={"limit": limit},
        counterexample="N=T, K=G=1: the second term is 4 for every T, while 1/sqrt(NT) = 1/T",
        valid_for="fixed N, K",
    )


rate_fixed = claim(
    "LEC-COR2a.2[T grows, N and K fixed]",
    kind=Kind.ASYMPTOTIC,
    scope=Scope.GENERAL,
    statement=r"\tfrac{2L}{\sqrt{NT}}(f(\bar x^0)-f^*)+\tfrac{4N}{T}K^2G^2+\tfrac{\sigma^2}{\sqrt{NT}}=O(1/\sqrt{NT})",
    printed=dict(view="fixed N and K"),
    source="annotation at Corollary 2",
    summary="For fixed N and K the annotation is right; the second term is below 4G^2/sqrt(NT) once T >= N^3 K^4.",
    controls=[Control("N = T", dict(view="N = T"))],
)(rate)


rate_uniform = claim(
    "LEC-COR2a.2[uniformly in N]",
    kind=Kind.ASYMPTOTIC,
    scope=Scope.GENERAL,
    statement=r"\tfrac{2L}{\sqrt{NT}}(f(\bar "
    r"x^0)-f^*)+\tfrac{4N}{T}K^2G^2+\tfrac{\sigma^2}{\sqrt{NT}}\le\tfrac{C}{\sqrt{NT}},\ C\text{ free of }N,T",
    printed=dict(view="N = T"),
    source="annotation at Corollary 2",
    repair="LEC-COR2b",
    summary="As a linear speedup in N the annotation needs a constant free of N, which fails without a condition such "
    "as T >= N^3 K^4.",
    controls=[Control("N and K fixed", dict(view="fixed N and K"), must="pass")],
)(rate)


@claim(
    "LEC-COR2b",
    kind=Kind.ALGEBRA,
    scope=Scope.GENERAL,
    statement=r"K\le T^{1/4}/N^{3/4}\ \Rightarrow\ "
    + latex(4 * N * K**2 * G**2 / T)
    + r"\le"
    + latex(4 * G**2 / sp.sqrt(N * T)),
    printed=dict(factor="1"),
    source="Corollary 2, second display",
    summary="K <= T^(1/4)/N^(3/4) turns the second term into 4G^2/sqrt(NT), and with it the first display into the "
    "second. Such a K >= 1 exists only if T >= N^3.",
    controls=[Control("K <= 1.01 T^(1/4)/N^(3/4)", dict(factor="101/100"))],
)
def second_display(factor: str) -> Evidence:
    # With T = q^4 and N = p^4 the condition reads K p^3 <= factor q, and the terms are 4 p^4 K^2/q^4 and 4/(p^2 q^2).
    p, q = sp.symbols("p q", positive=True)
    term = 4 * p**4 * K**2 * G**2 / q**4
    step = inequality(
        "second term",
        term,
        4 * G**2 / (p**2 * q**2),
        premises={
            "(factor q)^2 - (K p^3)^2 >= 0": (4 * G**2 / (p**2 * q**4), sp.Rational(factor) ** 2 * q**2 - K**2 * p**6)
        },
        ranges=[(p, 1, None), (q, Open(0), None), (G, 0, None), (K, 1, None)],
    )

    def instances() -> list[Instance]:
        found = []
        for count, total in ((1, 100**4), (16, 16**4)):
            limit = Fraction(factor) * Fraction(round(total**0.25)) / round(count**0.75)
            local = max(int(limit), 0)
            if local >= 1:
                left = Fraction(4 * count * local**2, total)
                found.append(
                    Instance(f"N={count}, T={total}, K={local}, G=1", left, Fraction(4) / round((count * total) ** 0.5))
                )
        return found

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
    check = (
        sign("the stated order is necessary", sp.factor(needed - stated), ranges)
        if sense == "necessary"
        else sign("the stated order suffices", sp.factor(stated - needed), ranges)
    )
    values = {eps: sp.Rational(1, 2), C: 1, count: 1}
    return decide(
        Proof((identity("solution of C/sqrt(NT) = target", C**2 / (amount * needed), target**2), check)),
        lambda: [
            Instance(
                f"C=N=1, eps=1/2, target {target.subs(values)}: needed T against stated T",
                Fraction(str(needed.subs(values))),
                Fraction(str(stated.subs(values))),
            )
            if sense != "necessary"
            else Instance(
                "C=N=1, eps=1/2: stated T against needed T",
                Fraction(str(stated.subs(values))),
                Fraction(str(needed.subs(values))),
            )
        ],
        method="C/sqrt(NT) <= target iff T >= C^2/(N target^2).",
        valid_for="all C, N, 0 < eps <= 1",
        numbers={"needed": needed},
    )


def complexity_claims(prefix: str, clients: bool) -> tuple[object, object, object, object]:
    """The four rows on one of the two complexity statements."""
    fraction, per = (r"\tfrac{C'}{\sqrt{NT}}", "N") if clients else (r"\tfrac{C}{\sqrt T}", "")
    options = dict(kind=Kind.ALGEBRA, scope=Scope.GENERAL, source="handwritten note at Corollary 2")
    speed = " The factor 1/N is right in every reading." if clients else ""

    def row(
        name: str, statement: str, sense: str, power: str, summary: str, controls: list[Control], repair: str = ""
    ) -> object:
        return claim(
            f"{prefix}{name}",
            statement=statement,
            printed=dict(power=power, sense=sense, clients=clients),
            summary=summary + speed,
            controls=controls,
            repair=repair,
            **options,
        )(complexity)  # type: ignore[arg-type]

    return (
        row(
            "[T of this order suffices]",
            rf"{fraction}\le\epsilon^2\Leftarrow T\ge O(1/({per}\epsilon^2))",
            "suffices",
            "eps^2",
            "As a complexity the exponent, transcribed from handwriting, is wrong: C/sqrt(T) <= eps^2 needs T of "
            "order 1/eps^4; the original would tell.",
            [Control("1/eps^4", dict(sense="eps^-4 suffices"), must="pass")],
            f"{prefix}-R1",
        ),
        row(
            "[T of this order is necessary]",
            rf"{fraction}\le\epsilon^2\Rightarrow T\ge O(1/({per}\epsilon^2))",
            "necessary",
            "eps^2",
            "Read as a mere implication the handwritten line is true for eps <= 1, and weak: T >= C^2/eps^4 follows.",
            [Control("taken as sufficient", dict(sense="suffices"))],
        ),
        row(
            "[target eps instead of eps^2]",
            rf"{fraction}\le\epsilon\Leftrightarrow T\ge C^2/({per}\epsilon^2)",
            "suffices",
            "eps",
            "With target eps for the squared gradient, as the handwriting may say, the order 1/eps^2 is exact.",
            [Control("target eps^2", dict(power="eps^2"))],
        ),
        row(
            "-R1",
            rf"{fraction}\le\epsilon^2\Leftrightarrow T\ge C^2/({per}\epsilon^4)",
            "eps^-4 suffices",
            "eps^2",
            "The number of steps is of order 1/eps^4 for the target eps^2.",
            [Control("1/eps^2", dict(sense="suffices"))],
        ),
    )


sgd_suffices, sgd_necessary, sgd_other_target, sgd_repaired = complexity_claims("LEC-SGDCPX", False)
fed_suffices, fed_necessary, fed_other_target, fed_repaired = complexity_claims("LEC-FACPX", True)


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
