"""Assumptions 1 to 4 of FedLAMA: what satisfies them, and the best constant of Assumption 4 on quadratics."""

from fltheory.evidence.algebra import statement_in_mean, statement_of_algebra
from fltheory.evidence.in_mean import use
from fltheory.evidence.kinds import algebra_claim, definition_claim, identity_claim, run_script
from fltheory.evidence.model import Rung, Tightness
from fltheory.evidence.relations import Relations
from verify.fedlama2021.round_words import OfARound

smoothness = statement_in_mean(
    "LA-A1",
    OfARound(
        "sq(mean(g_x - g_y, k)) <= L**2*sq(x - y) for L >= 0",
        things="x; y; function F over k; F at x, y",
        over="k",
        uses=[use("Lipschitz gradients", "x y", of="F", L="L")],
        squares=[("1", "g_x - g_y - mean(g_x - g_y, k)")],
        names={"g_x": r"\nabla F_i(x)", "g_y": r"\nabla F_i(y)"},
    ),
    false={"99/100 of it": ("<= L**2", "<= 99/100*L**2")},
    without={"one client is not L-smooth": "Lipschitz gradients"},
    group=definition_claim,
    source="Assumption 1",
    headline="If every local objective is L-smooth, so is the global one, convex or not",
    summary="Assumption 1 is printed for the local objectives, and the proof of Lemma 5.1 uses it for F too: the mean "
    "of gradients that are L-Lipschitz is L-Lipschitz. Convexity is not supposed.",
)

unbiased = statement_in_mean(
    "LA-A2",
    OfARound(
        "sq(mean(h, j) - g) = 0",
        things="h over k j past; g over k past = mean(h, j)",
        over="k past",
        unfold="g",
        names={"h": r"\nabla F_i(x,\xi_j)", "g": r"\nabla F_i(x)"},
    ),
    false={"one sample of two, always the same": ("mean(h, j) - g", "h - g")},
    group=definition_claim,
    source="Assumption 2",
    headline="A sample drawn uniformly and anew has the full-batch gradient as its mean",
    summary="At a point that was known before the sample was drawn, the mean over a client's samples of their "
    "gradients is the full-batch gradient. (The sum over j is here over the client's samples.)",
    assumptions=("the sample is drawn uniformly from the client's data, independently of the point",),
)

variance = statement_in_mean(
    "LA-A3",
    OfARound(
        "sq(h - mean(h, xi)) <= sigma**2 for sigma >= 0",
        things="h over k xi past",
        over="xi",
        uses=[use("second moment", form="sigma**2 - sq(h)", over="xi")],
        squares=[("1", "mean(h, xi)")],
        names={"h": r"g^i_{t,j}", "sigma": r"\sigma"},
    ),
    false={"99/100 of it": ("<= sigma**2", "<= 99/100*sigma**2")},
    without={"gradients without a bound": "second moment"},
    group=definition_claim,
    source="Assumption 3",
    headline="Stochastic gradients with bounded second moments satisfy the variance assumption",
    summary="The variance of a stochastic gradient is its second moment less the squared full-batch gradient, so that "
    "Assumption 3 follows from bounded second moments, and is weaker than these.",
)

two_samples = statement_of_algebra(
    "LA-A3-U1",
    Relations(
        "(((a - (a + b)/2)*x)**2 + ((b - (a + b)/2)*x)**2)/2 > s for a > 0; b > a; s >= 0; x = 2*(1 + s)/(b - a)",
        names={"s": r"\sigma^2"},
    ),
    says=r"F_i=\tfrac12\left(\tfrac a2x^2+\tfrac b2x^2\right):\quad ",
    false={"half as far out": ("x = 2*(1 + s)", "x = (1 + s)")},
    group=algebra_claim,
    source="Assumption 3",
    headline="Two samples of different curvature have no variance bound on the whole line",
    summary="For a client whose two samples are parabolas of different curvature the variance of a sample's gradient "
    "exceeds every sigma^2 far out: Assumption 3 can be asked for the points of a run, as it is printed, and not for "
    "all points.",
)

quadratics = statement_of_algebra(
    "LA-A4",
    Relations(
        "M*x**2 - 2*R*x + Q <= (M + d)*x**2 + K for M >= 0; Q >= 0; d > 0; K = Q + R**2/d",
        squares={0: [("d", "x + R/d")]},
        names={
            "M": r"\overline{h^2}",
            "R": r"\overline{h^2c}",
            "Q": r"\overline{h^2c^2}",
            "d": r"(\beta^2\bar h^2-\overline{h^2})",
            "K": r"\kappa^2",
        },
    ),
    says=r"F_i(x)=\tfrac{h_i}2(x-c_i)^2,\ \overline{hc}=0:\quad \tfrac1m\sum_ih_i^2(x-c_i)^2\le\beta^2\bar h^2x^2+\kappa^2:\quad ",
    false={"99/100 of the smallest constant": ("K = Q + R**2/d", "K = 99/100*(Q + R**2/d)")},
    group=algebra_claim,
    prose="the mean over clients of h_i^2 (x - c_i)^2 is M x^2 - 2 R x + Q with M, R, Q the means of h^2, h^2 c, h^2 "
    "c^2, and the mean gradient is the mean curvature times x if the mean of h_i c_i is 0, that is with the minimiser "
    "of F at 0",
    source="Assumption 4",
    headline="On parabolas the best heterogeneity constant has a closed form",
    tightness=Tightness(1.0, Rung.PROOF, "equality at x = -R/d"),
    summary="For clients F_i = h_i (x - c_i)^2/2 with F stationary at 0, Assumption 4 holds with a given beta^2 if "
    "beta^2 times the squared mean curvature exceeds the mean squared curvature M by some d > 0, and the smallest "
    "kappa^2 is Q + R^2/d, Q and R the means of h_i^2 c_i^2 and h_i^2 c_i.",
)

identical = statement_in_mean(
    "LA-A4-ID",
    OfARound(
        "sq(g) <= 1*sq(mean(g, k)) + 0",
        things="same; g over k = same",
        over="k",
        unfold="g",
        names={"g": r"\nabla F_i(x)"},
    ),
    false={"99/100 of it": ("1*sq", "99/100*sq")},
    group=identity_claim,
    source="Assumption 4, last sentence",
    headline="Clients with one objective need no heterogeneity constants",
    summary="With identical local objectives Assumption 4 holds with beta^2 = 1 and kappa^2 = 0, with equality.",
)


if __name__ == "__main__":
    run_script(__file__)
