"""Non-i.i.d. notions of the lecture note: dissimilarity, (G,B)-dissimilarity, Gamma; client drift and its limits."""

from fractions import Fraction

from fltheory.evidence.algebra import statement_in_mean
from fltheory.evidence.decide import read
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import (
    definition_claim,
    identity_claim,
    inequality_claim,
    qualitative_of_an_instance,
    run_script,
)
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from verify.lecture2022.orders import NAMES, no_constant
from verify.lecture2022.runs import dissimilarity, line, mean, minimum

of_client_drift = qualitative_of_an_instance.sharing(source="client drift slide")

ONE = Fraction(1)


per_client_or_average = statement_in_mean(
    "LEC-NI1",
    InMean(
        "sq(g - mean(g, k)) <= sigma_G**2 for sigma_G >= 0",
        things="g over k",
        over="k",
        uses=[use("every client", form="sigma_G**2 - sq(g - mean(g, k))")],
        names={**NAMES, "k": "i", "g": r"\nabla f_i(x)"},
    ),
    without={"no condition on every client": "every client"},
    group=inequality_claim,
    source="bounded gradient dissimilarity",
    summary="The per-client condition implies the averaged one.",
)

case_one_implies = statement_in_mean(
    "LEC-NI2[B = 0 implies bounded variance]",
    InMean(
        "sq(g - mean(g, k)) <= G**2 for G >= 0",
        things="g over k",
        over="k",
        uses=[use("B = 0", form="G**2 - sq(g)", over="k")],
        squares=[("1", "mean(g, k)")],
        names={**NAMES, "k": "i", "g": r"\nabla f_i(x)"},
    ),
    headline="Gradients bounded everywhere differ between clients by a bounded amount",
    false={"half of it": ("<= G**2", "<= G**2/2")},
    without={"B not 0": "B = 0"},
    group=inequality_claim,
    source="(G,B)-dissimilarity, handwritten case 1",
    summary="B = 0 bounds the gradients themselves, hence also their variance over clients (handwritten case, as "
    "transcribed).",
)

#: Gradients x and 2x of two clients, so that G = 0 and B^2 = 10/9; and two clients with B = 1.
_UNBOUNDED = "(a**2 + b**2)/2 = B2*m**2; ((a - m)**2 + (b - m)**2)/2 > C for C > 0; a = 2*C + 2; b = 2*a; m = (a + b)/2; B2 = 10/9"
_B_IS_ONE = "((a - m)**2 + (b - m)**2)/2 <= C for m = (a + b)/2; C >= 0; (a**2 + b**2)/2 <= C + m**2"
case_two = no_constant(
    "LEC-NI2[G = 0 is bounded variance, as dumped]",
    r"\tfrac1N\textstyle\sum_i\|\nabla f_i\|^2\le B^2\|\nabla f\|^2\Rightarrow\tfrac1N\sum_i\|\nabla "
    r"f_i-\nabla f\|^2\le\sigma_G^2",
    Relations(_UNBOUNDED),
    ("B = 1", Relations(_B_IS_ONE, uses={0: {"(a**2 + b**2)/2 <= C + m**2": "1"}})),
    group=inequality_claim,
    fault="transcription",
    source="(G,B)-dissimilarity, handwritten case 2",
    repair="LEC-NI2-R1",
    headline="As transcribed the case G = 0 is called bounded variance, which it is not",
    summary="G = 0 bounds the variance by (B^2-1)|grad f|^2, which is no constant. In the transcribed handwriting the "
    "words on bounded variance follow this case; the original would tell which case they belong to.",
)

bounded_variance = statement_in_mean(
    "LEC-NI2-R1",
    InMean(
        "sigma_G**2 + sq(mean(g, k)) - sq(g) = sigma_G**2 - sq(g - mean(g, k)) for sigma_G >= 0",
        things="g over k",
        over="k",
        names=NAMES,
    ),
    false={"B = 0": ("sigma_G**2 + sq(mean(g, k)) - sq(g)", "sigma_G**2 - sq(g)")},
    group=identity_claim,
    source="(G,B)-dissimilarity",
    headline="Bounded gradient variance is the case B = 1 of bounded dissimilarity, exactly",
    summary="Bounded variance of the clients' gradients is exactly the case B = 1: the two conditions have equal differences.",
)

gamma = statement_in_mean(
    "LEC-NI3",
    InMean(
        "f_star - m >= 0",
        things="star; function f over k; value m over k; f at star",
        over="k",
        uses=[use("infimum", "star", of="f", f_inf="m")],
        names={"k": "i", "f_star": "f_i(x^*)", "star": "x^*", "m": "f_i^*"},
    ),
    headline="The measure of heterogeneity Gamma is finite for losses bounded below, never negative",
    false={"at least 1/100": (">= 0", ">= 1/100")},
    without={"f_i at some point in place of its least value": "infimum"},
    group=definition_claim,
    says=r"\Gamma:\quad ",
    source="bounded difference of optimal values",
    summary="The note prints Gamma < infinity, which holds whenever the clients are bounded below, since f* and the f_i^* are "
    "then numbers; Gamma is never negative.",
    assumptions=("every f_i is bounded below",),
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
    headline="Started at the minimiser of the mean, two different clients walk to their own",
    statement=r"f_1=\tfrac12x^2,\ f_2=\tfrac32(x-4)^2,\ s=\tfrac14,\ k<8,\text{ from }x^*:"
    r"\ |x_i^{k+1}-x_i^*|<|x_i^k-x_i^*|\text{ and }|x_i^{k+1}-x^*|>|x_i^k-x^*|",
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
    headline="On two quadratics more local steps mean more bias, and a drift correction removes it",
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
