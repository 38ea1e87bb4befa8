r"""Which algorithm of mixed FL diverges first as eta = eta_c grows (Augenstein et al., 2022, C.2): scalar quadratics, exactly.

The paper reports an observation on its tasks: 2-way GT was the first.  These rows say what is so on scalar quadratics without
noise, a model on which every limit is known (definitions and closed forms: ``verify.mixed2022.divergence``): always
before Parallel Training, not always before 1-way GT.  They prove and refute nothing about the paper's tasks.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import sympy as sp

from fltheory.evidence.kinds import inequality_claim, inequality_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.steps import Instance, Step, at_least, identity, sign
from verify.mixed2022 import closed_forms, divergence
from verify.mixed2022.closed_forms import eta_m, eta_s, lc, lf, one_way_factor, parallel_factor, value
from verify.mixed2022.divergence import alike, cubic_is_the_round, even_steps, excess, first_unstable, odd_steps
from verify.mixed2022.settled import settle

F, R = Fraction, sp.Rational
#: Ratios lambda_c/lambda_f at which all limits are also bracketed exactly.
RATIOS = (F(1, 3), F(27, 73), F(1), F(2))
MODEL = "scalar quadratics, no noise, eta_c = eta, eta_s = eta_m = 1"


def alone_and_first(others: Sequence[str], ratios: Sequence[Fraction], counts: Sequence[int]) -> Iterator[Instance]:
    """The end of 2-way GT's bracket against the begin of the others'.

    Where 2-way GT was not seen to be first, it must be certified to be stable at all rates up to one at which the other is
    not; otherwise the case says nothing and is left out.
    """
    for steps in counts:
        for ratio in ratios:
            mine = first_unstable("2-w GT", ratio, steps)
            for other in others:
                its = first_unstable(other, ratio, steps)
                text = (
                    f"lambda_f=1, lambda_c={ratio}, K={steps}: 2-way GT stable at {float(mine[0]):.5g}, not at "
                    f"{float(mine[1]):.5g}; {other} stable at {float(its[0]):.5g}, not at {float(its[1]):.5g}"
                )
                if mine[1] <= its[0]:
                    yield Instance(text, mine[1], its[0])
                elif divergence.stable_before(ratio, steps, its[1]):
                    text += f"; 2-way GT is stable at every rate below {float(its[1]):.5g} (no root by Sturm's theorem)"
                    yield Instance(text, max(mine[0], its[1]), its[0])


@inequality_claim(
    "MX-C2-DIV.1",
    headline="Scalar quadratics, equal rates: 2-way transfer loses stability before Parallel Training",
    source="Appendix C.2, general notes",
    quick=False,
    printed=dict(other="PT"),
    depends=("MX-ALG-STAB.1", "MX-ALG-STAB.4"),
    statement=r"\eta_{2w}(K,\lambda_f,\lambda_c)<\eta_{PT}(K,\lambda_f,\lambda_c)\quad\forall K\ge1,\ \lambda_f,\lambda_c>0",
    summary="Scalar quadratics without noise, eta_c = eta, eta_s = eta_m = 1: 2-way GT loses stability (first rate at which the "
    "spectral radius of a round is not below one) before Parallel Training, whatever the curvatures and K. The same holds for "
    "the first rate at which the radius is above one.",
    controls=[Control("before 1-way GT, lambda_c up to 10 lambda_f", dict(other="1-w GT"))],
)
def before_parallel(other: str) -> Evidence:
    proof = [*cubic_is_the_round(), *odd_steps(), *even_steps(), *alike()]
    if other != "PT":
        proof.append(Step(f"the steps speak of PT, not of {other}", False, "no step about it"))
    return settle(
        proof,
        alone_and_first((other,), (*RATIOS, F(10)), (1, 2, 3, 4)),
        method=(
            "K odd: where PT's factor is -1, at eta = 2/(lambda_f + lambda_c), Schur and Cohn's last condition fails; K "
            "even: at eta = 2/(larger curvature) 2-way GT has eigenvalue one and PT is stable up to there and at it; equal "
            "curvatures: the cubic splits"
        ),
        valid_for=f"every K, lambda_f, lambda_c > 0; {MODEL}",
    )


def two_steps() -> list[Step]:
    """K = 2, every ratio: excess > 0 at eta = 1/lambda_f for r <= 1, and at the limit of 1-way GT, 1 - eta = s, for r > 1."""
    r, s = sp.symbols("r s")
    low = excess(sp.Integer(1), 2 * r - r**2, R(1, 2), 1 - r / 2)
    ratio, eta = (1 + s**2) / (1 - s**2), 1 - s
    b = sp.together(1 - (1 - eta * ratio) ** 2)
    high = sp.cancel(excess(1 - s**2, b, (1 + s) / 2, sp.cancel(b / (2 * eta * ratio))))
    return [
        sign("K = 2, r <= 1: excess/r >= 1/8 > 0", sp.cancel(low / r) - R(1, 8), ((r, 0, 1),)),
        identity("K = 2, r > 1: (1 + r) a = 2 at the limit", (1 + ratio) * (1 - s**2), 2),
        sign(
            "K = 2, r > 1: 16 (1 + s)^4 excess/(1 - s) >= 1 for 0 <= s < 1",
            sp.cancel(16 * (1 + s) ** 4 * high / (1 - s)) - 1,
            ((s, 0, 1),),
        ),
    ]


#: What is to be positive is at least this.
LEAST = F(1, 10**9)


def box(low: Fraction, high: Fraction, steps: int) -> Step:
    """2-way GT not stable, 1-way GT and PT stable up to some eta, for every ratio in [low, high]; rational intervals."""
    name = f"K = {steps}, ratio in [{low}, {high}]"
    for eta in (F(1), F(3, 4), F(1, 2), *(F(i, 64) for i in range(31, 0, -1))):
        power = (1 - eta) ** steps
        if not (eta * high <= 1 and (high - 1) / (high + 1) < power and (eta * high < 1 or power > 0)):
            continue
        a, hf = 1 - power, (1 - power) / (steps * eta)
        ends = [[(1 - x * eta) ** i for i in range(steps + 1)] for x in (low, high)]
        b = (1 - ends[0][steps], 1 - ends[1][steps])  # grows with the ratio
        hc = (sum(ends[1][:steps], F(0)) / steps, sum(ends[0][:steps], F(0)) / steps)  # falls with it
        corner = a + hf - 1
        last = (1 - (hc[1] if corner > 0 else hc[0])) * corner + b[0] * (1 - hf)
        c1 = b[0] * hf + a * hc[0] - (1 - hc[0]) * (1 - hf)
        excess_least = last * (a + b[0] - 1) + c1 + last**2 - 1
        if a + b[0] >= 1 and (slack := min(last, excess_least)) >= LEAST:
            return at_least(f"{name}: last condition and excess at eta = {eta}", slack, LEAST)
    return Step(name, False, "no rate shows it")


def boxes(low: Fraction, high: Fraction, steps: int) -> list[Step]:
    """``[low, high]`` cut into pieces until each is shown, or one is smaller than 1/1000 of its place."""
    step = box(low, high, steps)
    if step.verified or high - low < low / 1000:
        return [step]
    middle = (low + high) / 2
    first = boxes(low, middle, steps)
    return first if not first[-1].verified else [*first, *boxes(middle, high, steps)]


REGIONS = "K = 1 and 2, every ratio; K = 3 to 16, 1/K <= lambda_c/lambda_f <= 2; every K, equal curvatures"


def before_both(ratios: tuple[str, ...], low: str, high: str) -> Evidence:
    """``low`` over K to ``high`` for K = 3 to 16 by boxes; ``ratios``: where the limits are bracketed as well."""
    one = one_way_factor(closed_forms.eta).subs({lf: 1, eta_s: 1})
    proof = [
        *cubic_is_the_round(),
        *odd_steps(),
        *even_steps(),
        *alike(),
        *two_steps(),
        identity(
            "K = 1: both others have the same factor",
            one,
            parallel_factor(closed_forms.eta, closed_forms.eta).subs({lf: 1, eta_s: 1, eta_m: 1}),
        ),
    ]
    for steps in range(3, 17):
        if not (found := boxes(F(low) / steps, F(high), steps))[-1].verified:
            proof.append(found[-1])
            break
        proof += found
    tried = [F(x) for x in ratios]
    return settle(
        proof,
        alone_and_first(("1-w GT", "PT"), tried, (1, 2, 3, 4)),
        method=(
            "before PT: MX-C2-DIV.1; before 1-way GT: excess > 0 at a rate up to which 1-way GT is stable, (1 - eta lambda_f)^K > "
            "(r - 1)/(r + 1): sign certificates for K = 2, rational intervals for K = 3 to 16"
        ),
        valid_for=f"{REGIONS}; {MODEL}",
    )


def not_after(cases: tuple[tuple[str, int, str, bool], ...]) -> Evidence:
    """At lambda_f = 1, each (ratio, K, rate, stable): 1-way GT is not stable at the rate, 2-way GT is at every smaller one.

    ``stable``: whether 2-way GT is so at the rate itself.
    """
    proof = []
    instances = []
    for r, steps, rate, at_it in ((F(a), b, F(c), d) for a, b, c, d in cases):
        name = f"lambda_f=1, lambda_c={r}, K={steps}"
        end, ratio = R(str(rate)), R(str(r))
        moved = {lf: 1, lc: ratio, eta_s: 1}
        factor = one_way_factor(R(str(value(F(1), rate, steps)))).subs(moved)
        proof.append(at_least(f"{name}: 1-way GT's factor at {rate} is not inside (-1, 1)", abs(factor), 1))
        for number, border in enumerate(divergence.borders(r, steps), 1):
            proof += divergence.positive_up_to(f"{name}: condition {number} of 2-way GT", border, R(0), end)
        # p(1) > 0 while q_f q_c > 0, which holds below 2/curvature
        proof.append(at_least(f"{name}: {rate} is at most 2/curvature", 2 / max(R(1), ratio), end))
        moves = R(str(value(F(1), rate, steps) * value(r, rate, steps)))
        at_end = f"{name}: q_f q_c at {rate}"
        proof.append(at_least(f"{at_end} is positive", moves, LEAST) if at_it else identity(f"{at_end} is 0", moves, 0))
        mine, its = (first_unstable(each, r, steps) for each in ("2-w GT", "1-w GT"))
        text = f"{name}: 1-way GT stable at {float(its[0]):.5g}, 2-way GT not stable at {float(mine[1]):.5g}"
        instances.append(Instance(text, its[0], mine[1]))
    return settle(
        (*cubic_is_the_round(), *proof),
        instances,
        method="1-way GT's factor at the rate, and Schur and Cohn's conditions for 2-way GT, positive up to it",
        valid_for=f"the cases named; {MODEL}",
    )


REGION = dict(ratios=tuple(map(str, RATIOS)), low="1", high="2")
EXCEPTIONS = (("10", 4, "1/20", True), ("1/100", 4, "2", False))
order_rows = [
    inequality_claim(
        "MX-C2-DIV-S2",
        source="Appendix C.2, general notes",
        quick=False,
        printed=REGION,
        statement=r"\eta_{2w}<\min(\eta_{PT},\eta_{1w})\quad(1/K\le\lambda_c/\lambda_f\le2)",
        depends=("MX-ALG-STAB.2", "MX-ALG-STAB.4", "MX-C2-DIV.1"),
        headline="Where 2-way transfer is always the first to lose stability on scalar quadratics",
        summary=f"Where the observation is a law on scalar quadratics: 2-way GT is strictly the first of the three to lose "
        f"stability for {REGIONS}. (The paper's eta = 2, 1 and K = 16 have lambda_c/lambda_f = 27/73 if both texts are alike.)",
        controls=[
            Control("up to lambda_c = 10 lambda_f", dict(high="10", ratios=("10",))),
            Control("from lambda_c = lambda_f/100 on", dict(low="1/100", ratios=("1/100",))),
        ],
    )(before_both),
    inequality_of_an_instance(
        "MX-C2-DIV-U1",
        source="Appendix C.2, general notes",
        statement=r"\eta_{1w}<\eta_{2w}\ (\lambda_c=10\lambda_f,K=4),\quad\eta_{1w}=\eta_{2w}\ (\lambda_c=\lambda_f/100,K=4)",
        depends=("MX-ALG-STAB.2", "MX-ALG-STAB.4"),
        printed=dict(cases=EXCEPTIONS),
        headline="Where 2-way Gradient Transfer is not the first to lose stability",
        summary="And where it is none: with lambda_c = 10 lambda_f and K = 4, 1-way GT diverges at eta lambda_f = 1/20 (its "
        "factor is 1 - 11(1 - 0.95^4) < -1), 2-way GT contracts there and at every smaller rate; with lambda_c = lambda_f/100 "
        "both lose stability at 2/lambda_f only. The print reports what was seen on its tasks; this does not contradict it.",
        controls=[
            Control("lambda_c = 2 lambda_f", dict(cases=(("2", 4, "1/4", True),))),
            Control("lambda_c = lambda_f/4", dict(cases=(("1/4", 4, "2", False),))),
        ],
    )(not_after),
]

if __name__ == "__main__":
    run_script(__file__)
