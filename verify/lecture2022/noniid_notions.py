"""Non-i.i.d. notions of the lecture note: dissimilarity, (G,B)-dissimilarity, Gamma; client drift and its limits."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide, read
from fltheory.evidence.kinds import (
    definition_claim,
    identity_claim,
    inequality_claim,
    qualitative_of_an_instance,
    run_script,
)
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.theory.steps import Instance, Proof, identity, inequality
from verify.lecture2022.averages import client_average
from verify.lecture2022.proof.one_step import line
from verify.lecture2022.runs import dissimilarity, mean, mean_value, minimum

of_client_drift = qualitative_of_an_instance.sharing(source="client drift slide")

z, m, d, common = sp.symbols("z m d g", real=True)
G, B, bound = sp.symbols("G B sigma_G", nonnegative=True)
ONE = Fraction(1)


@inequality_claim(
    "LEC-NI1",
    statement=r"\|\nabla f_i-\nabla f\|^2\le\sigma_G^2\ \forall i\ \Rightarrow\ \tfrac1N\textstyle\sum_i\|\nabla "
    r"f_i-\nabla f\|^2\le\sigma_G^2",
    printed=dict(direction="per client implies average"),
    source="bounded gradient dissimilarity",
    summary="The per-client condition implies the averaged one (not conversely, unless multiplied by N).",
    controls=[Control("the converse", dict(direction="average implies per client"))],
)
def per_client_or_average(direction: str) -> Evidence:
    worst, average = sp.symbols("worst average", nonnegative=True)
    gradients = [Fraction(3), Fraction(0), Fraction(0)]
    squares = [(g - mean(gradients)) ** 2 for g in gradients]
    if direction == "per client implies average":
        left, low, high = average, mean(squares), max(squares)
        given = {"given": (1, bound**2 - worst), "average <= largest": (1, worst - average)}
    else:
        left, low, high = worst, max(squares), mean(squares)
        given = {"given": (1, bound**2 - average)}
    return decide(
        Proof((inequality("the bound", left, bound**2, premises=given),)),
        lambda: [Instance("N=3, gradients 3, 0, 0", low, high)],
        method="An average is at most the largest term.",
        valid_for="all N, d",
    )


def bgd(claimed: str) -> Evidence:
    """(1/N) sum |grad f_i|^2 = |grad f|^2 + (1/N) sum |grad f_i - grad f|^2; what B = 0 or G = 0 says about it."""
    second = client_average(z**2, {z: (m, d)})
    variance = client_average((z - common) ** 2, {z: (m, d)}, common=[common]).subs(common, m)
    split = identity("second moment = squared mean + variance", second, m**2 + variance)
    ranges = [(G, 0, None), (B, 0, None), (bound, 0, None)]
    if claimed == "B=0 gives variance <= G^2":
        given = {"B=0": (1, G**2 - second)}
        step = inequality("variance", variance, G**2, premises=given, squares=[(1, m)], ranges=ranges)
        found = Instance("N=2, gradients 1, -1, G=1", ONE, ONE)
    elif claimed == "variance <= G^2 gives B=0":
        step = inequality("second moment", second, G**2, premises={"variance": (1, G**2 - variance)}, ranges=ranges)
        found = Instance("N=1, f=x^2/2 at x=2: variance 0 <= G^2=1, second moment against G^2", 4 * ONE, ONE)
    elif claimed == "G=0 gives bounded variance":
        step = inequality("variance", variance, bound**2, premises={"G=0": (1, B**2 * m**2 - second)}, ranges=ranges)
        spread = mean([(g - 150) ** 2 for g in (Fraction(100), Fraction(200))])
        text = "f_1=x^2/2, f_2=x^2, x=100: (G,B) = (0, sqrt(10)/3); variance against sigma_G^2=1"
        found = Instance(text, spread, ONE)
    else:
        name = "variance <= sigma_G^2 iff (G,B) = (sigma_G, 1)"
        step = identity(name, (bound**2 + m**2) - second, bound**2 - variance)
        found = Instance("N=2, gradients 3, 1: second moment against variance + |mean|^2", 5 * ONE, ONE + 4)
    words = dict(method="Mean/deviation splitting over the clients.", valid_for="all N, d")
    return decide(Proof((split, step)), lambda: [found], **words)


case_one_implies = inequality_claim(
    "LEC-NI2[B = 0 implies bounded variance]",
    statement=r"\tfrac1N\textstyle\sum_i\|\nabla f_i\|^2\le G^2\Rightarrow\tfrac1N\sum_i\|\nabla f_i-\nabla f\|^2\le "
    r"G^2",
    printed=dict(claimed="B=0 gives variance <= G^2"),
    source="(G,B)-dissimilarity, handwritten case 1",
    summary="B = 0 bounds the gradients themselves, hence also their variance over clients (handwritten case, as "
    "transcribed; the converse is false).",
    controls=[Control("the converse", dict(claimed="variance <= G^2 gives B=0"))],
)(bgd)

case_two = inequality_claim(
    "LEC-NI2[G = 0 is bounded variance, as dumped]",
    fault="transcription",
    statement=r"\tfrac1N\textstyle\sum_i\|\nabla f_i\|^2\le B^2\|\nabla f\|^2\Rightarrow\tfrac1N\sum_i\|\nabla "
    r"f_i-\nabla f\|^2\le\sigma_G^2",
    printed=dict(claimed="G=0 gives bounded variance"),
    source="(G,B)-dissimilarity, handwritten case 2",
    repair="LEC-NI2-R1",
    headline="As transcribed the case G = 0 is called bounded variance, which it is not",
    summary="G = 0 bounds the variance by (B^2-1)|grad f|^2, which is no constant. In the transcribed handwriting the "
    "words on bounded variance follow this case; the original would tell which case they belong to.",
    controls=[Control("B = 1", dict(claimed="variance is B=1"), must="pass")],
)(bgd)

bounded_variance = identity_claim(
    "LEC-NI2-R1",
    statement=r"\tfrac1N\textstyle\sum_i\|\nabla f_i-\nabla f\|^2\le\sigma_G^2\iff(G,B)=(\sigma_G,1)",
    printed=dict(claimed="variance is B=1"),
    source="(G,B)-dissimilarity",
    headline="Bounded gradient variance is the case B = 1 of bounded dissimilarity, exactly",
    summary="Bounded variance of the clients' gradients is exactly the case B = 1.",
    controls=[Control("B = 0", dict(claimed="variance <= G^2 gives B=0"))],
)(bgd)


@definition_claim(
    "LEC-NI3",
    statement=r"0\le\Gamma=f^*-\textstyle\sum_ip_if_i^*<\infty\text{ for clients bounded below}",
    printed=dict(least=True),
    source="bounded difference of optimal values",
    summary="The note prints Gamma < infinity, which holds whenever the clients are bounded below; Gamma is never "
    "negative.",
    assumptions=("every f_i is bounded below",),
    controls=[Control("f_i at some point in place of its least value", dict(least=False))],
)
def gamma(least: bool) -> Evidence:
    at_best, at_start, own, best, start = sp.symbols("f_i(x*) f_i(x_0) f_i^* fbar(x*) fbar(x_0)", real=True)
    # The averages over the clients, with weights p, of inequalities that hold for each client.
    known = {"f_i^* is the least value": (1, at_best - own)} if least else {}
    below = {"f* = f(x*) <= f(x_0)": (1, start - best)}
    steps = (
        inequality("0 <= f_i(x*) - f_i^*", 0, at_best - own, premises=known),
        inequality("Gamma <= the average of f_i(x_0) - f_i^*", best - own, start - own, premises=below),
    )

    def instances() -> Iterator[Instance]:
        pair = (line(0, 9), line(2, 9))
        points = [c.centre if least else Fraction(5) for c in pair]
        own_values = mean([c.value(x) for c, x in zip(pair, points, strict=True)])
        gap, at_zero = minimum(pair) - own_values, mean_value(pair, Fraction(0)) - own_values
        text = f"f_1=x^2/2, f_2=(x-2)^2/2, f_i^* taken at {points[0]} and {points[1]}"
        yield Instance(f"{text}: 0 against Gamma", Fraction(0), gap)
        yield Instance(f"{text}: Gamma against the value at x_0=0 less the f_i^*", gap, at_zero)

    return decide(
        Proof(steps),
        instances,
        method="Each client's value at the common minimiser is at least its own least value, and f* is at most f at any point.",
        valid_for="all weights p, all N, clients bounded below",
    )


@qualitative_of_an_instance(
    "LEC-NI3-S1",
    statement=r"\Gamma=0\text{ with unbounded dissimilarity};\quad\text{dissimilarity}\le1\text{ with }\Gamma\text{ "
    r"above any bound}",
    printed=dict(curvature=2, apart=1),
    source="bounded difference of optimal values",
    headline="Two measures of heterogeneity do not bound each other",
    summary="Gamma and the dissimilarity of gradients do not bound each other: two pairs of clients, exactly.",
    controls=[
        Control("equal clients in the first pair", dict(curvature=1)),
        Control("equal centres in the second pair", dict(apart=0)),
    ],
)
def unrelated(curvature: int, apart: int) -> Evidence:
    spread, gap = [], []
    for size in (10, 100, 1000):
        gradients = [Fraction(size), Fraction(curvature * size)]  # f_1 = x^2/2, f_2 = curvature x^2/2: Gamma = 0
        spread.append(mean([(g - mean(gradients)) ** 2 for g in gradients]))
        pair = (line(-apart * size, 1), line(apart * size, 1))
        gap.append(minimum(pair))  # least values of the clients are 0
    bounded = dissimilarity((line(-apart, 1), line(apart, 1)))
    grows = all(values[1] >= 5 * values[0] > 0 and values[2] >= 5 * values[1] for values in (spread, gap))
    return read(
        grows and bounded <= 1,
        rung=Rung.EXACT,
        examined=6,
        method="f_1=x^2/2, f_2=a x^2/2 at x=10, 100, 1000; f_i'=clip(x -+ c, -1, 1) with c = 10, 100, 1000.",
        numbers={
            "dissimilarity at x=10, 100, 1000 (Gamma=0)": [str(v) for v in spread],
            "Gamma for c=10, 100, 1000": [str(v) for v in gap],
            "dissimilarity of the second pair": bounded,
        },
        counterexample=f"a={curvature}: dissimilarities {spread[0]}, {spread[1]}; centres {apart} times 10, 100: "
        f"Gamma {gap[0]}, {gap[1]}",
    )


@of_client_drift(
    "LEC-DRIFT",
    statement=r"\text{from }x^*:\ |x_i^{k+1}-x_i^*|<|x_i^k-x_i^*|\text{ and }|x_i^{k+1}-x^*|>|x_i^k-x^*|",
    printed=dict(centres=(0, 4)),
    summary="Started at the minimiser of f, each of two different clients walks towards its own minimiser.",
    controls=[Control("equal clients", dict(centres=(2, 2)))],
)
def drift(centres: tuple[int, int]) -> Evidence:
    clients = [line(c, 100, k) for c, k in zip(centres, (1, 3), strict=True)]
    best = Fraction(centres[0] + 3 * centres[1], 4)
    moves = []
    for client in clients:
        x = best
        for _ in range(8):
            before, x = x, x - client.gradient(x) / 4
            nearer = abs(x - client.centre) < abs(before - client.centre)
            moves.append(nearer and abs(x - best) > abs(before - best))
    return read(
        all(moves),
        method="Eight exact gradient steps of size 1/4 from the minimiser, for two quadratic clients.",
        examined=len(moves),
        rung=Rung.EXACT,
        counterexample=f"f_1=(x-{centres[0]})^2/2, f_2=3(x-{centres[1]})^2/2, x*={best}: a client does not move away",
    )


def bias(step: Fraction, local: int, design: str) -> Fraction:
    """Distance of the fixed point from x* = 1 for f_1 = x^2/2, f_2 = (x-4)^2/6 (curvatures 1 and 1/3)."""
    clients = ((ONE, Fraction(0)), (Fraction(1, 3), Fraction(4)))  # curvature, centre
    if design == "corrected":
        # x <- x - s (grad f_i(x) - grad f_i(y) + grad f(y)): started in y = x* nothing moves, whatever K is.
        y = mean([a * c for a, c in clients]) / mean([a for a, _ in clients])
        full = mean([a * (y - c) for a, c in clients])
        ends = [y, y]
        for _ in range(local):
            ends = [x - step * (a * (x - c) - a * (y - c) + full) for x, (a, c) in zip(ends, clients, strict=True)]
        return abs(mean(ends) - y)
    weighted = [(1 - (1 - step * a) ** local, c) for a, c in clients]
    return abs(mean([w * c for w, c in weighted]) / mean([w for w, _ in weighted]) - 1)


@of_client_drift(
    "LEC-KLIM",
    statement=r"K\mapsto|x_{\text{FedAvg}}(s,K)-x^*|\text{ increases; }K\le K_{\max}(\epsilon)\text{ depends on the "
    r"design}",
    printed=dict(design="FedAvg"),
    summary="Two quadratics: the bias of FedAvg grows with K at fixed s and at fixed sK; a drift-corrected design has "
    "none.",
    controls=[Control("drift-corrected local steps", dict(design="corrected"))],
)
def limits(design: str) -> Evidence:
    step, tolerance = Fraction(1, 8), Fraction(1, 10)
    fixed_step = [bias(step, k, design) for k in range(1, 25)]
    fixed_product = [bias(step / k, k, design) for k in range(1, 25)]
    grows = all(a < b for values in (fixed_step, fixed_product) for a, b in zip(values, values[1:], strict=False))
    corrected = [bias(step, k, "corrected") for k in range(1, 25)]
    designs = {"fixed s=1/8": fixed_step, "fixed sK=1/8": fixed_product, "drift-corrected": corrected}
    allowed = {name: sum(1 for v in values if v <= tolerance) for name, values in designs.items()}
    return read(
        grows and fixed_step[0] == 0 and len(set(allowed.values())) > 1,
        rung=Rung.EXACT,
        examined=3 * 24,
        method="Exact fixed points of the round map for K = 1..24; the server's step of the two-sided version does "
        "not move them.",
        numbers={
            "largest K (up to 24) with bias at most 1/10": allowed,
            "bias, K=24, s=1/8": float(fixed_step[-1]),
            "bias, K=24, sK=1/8": float(fixed_product[-1]),
        },
        counterexample=f"K=1 and K=2 with s=1/8: biases {fixed_step[0]} and {fixed_step[1]}",
    )


if __name__ == "__main__":
    run_script(__file__)
