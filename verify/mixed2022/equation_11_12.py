"""Equations (11) and (12) of Augenstein et al. (2022): the server update and the drift, in two readings of the index k.

Algorithm 2 numbers the local iterates x^0 = x^(t), ..., x^K and takes gradients at x^0, ..., x^{K-1}.  The document writes
k = 1..K.
"""

from fractions import Fraction
from functools import partial
from itertools import product

from fltheory.algorithms.gradient_transfer import OneWayGradientTransfer
from fltheory.derivation.script import Derivation
from fltheory.evidence.kinds import definition_claim, identity_claim, identity_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.things import declare, granted
from fltheory.readings.trajectory import trajectory
from fltheory.theory.steps import equality, identity
from verify.mixed2022.derivations.listings import METHOD, NAMES, clients, listing
from verify.mixed2022.displays import displayed
from verify.mixed2022.parabolas import mixed
from verify.mixed2022.settled import settle

ONE, F = Fraction(1), Fraction
LETTERS = {
    **NAMES,
    "step": r"\tilde\eta",
    "mean(g, k, t)": r"\frac1{KS}\sum_{i\in\mathcal S}\sum_{k=0}^{K-1}g_i(x_i^{(t,k)})",
    "mean(g_next, k, t)": r"\frac1{KS}\sum_{i\in\mathcal S}\sum_{k=1}^Kg_i(x_i^{(t,k)})",
    "g_next": r"\frac1{KS}\sum_{i\in\mathcal S}\sum_{k=1}^Kg_i(x_i^{(t,k)})",
    "eta*eta_s": r"\tilde\eta",
}


def update() -> Derivation:
    """Algorithm 2; ``g_next`` are the gradients at the points after the steps."""
    d = listing("equation (11)")
    d.vector("h")
    clients(d, "h")
    declare(d, "g_next over k t; let step = K*eta*eta_s; x1 = x + eta_s*D")
    return d


of_equation_11 = partial(displayed, group=identity_claim, names=LETTERS, method=METHOD, source="equation (11)")
EACH = "SGD everywhere, equal K, equal weights, every outcome of all draws"
from_zero = of_equation_11(
    "MX-EQ11[gradients at x^0..x^(K-1)]",
    update,
    "x1 - x = -(step*(mean(g, k, t) + h)) = -(step*h) - step*mean(g, k, t)",
    headline="A round of 1-way transfer is one step along the mean of all gradients taken",
    valid_for=EACH,
    summary="The update of Algorithm 2 is a step along the mean of the clients' gradients and the central one, with "
    "effective step K eta eta_s.",
    false={
        "gradients at x^1..x^K": ("x = -(step*(mean(g, k, t)", "x = -(step*(mean(g_next, k, t)"),
        "sign turned": ("x1 - x", "x - x1"),
    },
)


def one_local_step() -> Derivation:
    """K = 1 and f_f = x^2/2: the gradient is the point where it is taken."""
    d = Derivation("Mixed FL, equation (11) at K = 1")
    declare(d, "eta, eta_s > 0; z, x, h; g = x; y1 = x - eta*(g + h); g_next = y1; x1 = x + eta_s*(y1 - x)")
    return d


from_one = of_equation_11(
    "MX-EQ11[k = 1..K in the numbering of Algorithm 2]",
    one_local_step,
    "x1 - x = -(eta*eta_s*(g_next + h))",
    instance=lambda: {"x": 1, "h": 0, "eta": F(1, 8), "eta_s": 1},
    fault="reading",
    repair="MX-EQ11[gradients at x^0..x^(K-1)]",
    headline="With the algorithm's numbering of iterates the display is off by one",
    summary="With Algorithm 2's numbering of the iterates k = 1..K is off by one: false for K = 1, f_f = x^2/2. The proofs "
    "need the first iterate to be x^(t) (numbering from 1).",
    false={},
    controls=[Control("gradients at x^0..x^(K-1)", dict(text="x1 - x = -(eta*eta_s*(g + h))"), must="pass")],
)


@identity_of_an_instance(
    "MX-EQ11-S1",
    source="equation (11), against the algorithm",
    statement=r"x^{(t+1)}\ \text{of the algorithm}=x^{(t)}-\frac{\tilde\eta}{KN}\sum_{i,k<K}\big(\nabla f_i(x_i^{(t,k)})+"
    r"\nabla f_c(x^{(t)})\big)",
    headline="A round of the implemented algorithm is the display, checked in rational numbers",
    summary="A round of the implemented algorithm is the display, in rational numbers, for K = 1, 2, 5 and eta_s = "
    "1, 3/2.",
    printed=dict(shift=0),
    controls=[Control("gradients at x^1..x^K", dict(shift=1))],
)
def algorithm(shift: int) -> Evidence:
    half, start, eta = Fraction(1, 2), Fraction(3), Fraction(1, 8)
    problem = mixed([(1, half), (1, half)], (2, half))
    steps, instances = [], []
    for K, server in product((1, 2, 5), (ONE, Fraction(3, 2))):
        models = trajectory(problem, OneWayGradientTransfer(K, eta, server), rounds=1, start=[start], exact=True).models
        central, path = 2 * start - 1, [start]
        for _ in range(K):
            path.append(path[-1] - eta * (path[-1] - half + central))
        used = path[1:] if shift else path[:-1]
        sides = models[-1][0] - start, -server * eta * sum((y - half + central for y in used), start=Fraction(0))
        text = f"K = {K}, eta = 1/8, eta_s = {server}, f_i = x^2/2 - x/2, f_c = x^2 - x, x = 3"
        steps.append(identity(text, *sides))
        instances.append(equality(text, *sides))
    return settle(
        steps, instances, method="the algorithm's own round in rational numbers", valid_for="the instances named"
    )


def drifts() -> Derivation:
    """E|x_i^k - x|^2 along the local points of any algorithm, the axis being clients with outcomes of all draws: 0 at first."""
    d = Derivation("Mixed FL, equation (12)")
    declare(d, "axes k t; K >= 1; x over nothing; y, y1 over k t; next y = y1")
    d.define("e", "sq(y - x)", ["k"], "t", next="e_next", over_next=["k"], first="e_0", last="e_K")
    granted(d, "empty sum", fact="start", first="e_0")
    d.value("later", "t")
    granted(d, "one step later", later="later", next="e_next")
    d.telescope("all steps", "one step later", ["e"], "K")
    d.combine("a square", "e_next", over="k", facts={"e_next": "1"}, squares=[["1", "y1 - x"]])
    d.end("the last one", "a square", ["e"], last=True)
    return d


of_equation_12 = partial(
    displayed,
    begun=drifts,
    text="mean(e, t) + e_K/K = mean(later, t); mean(e, t) <= mean(later, t)",
    names={
        "mean(e, t)": r"\frac1{KN}\sum_{i=1}^N\sum_{k=0}^{K-1}\mathbb{E}_{|t}\|x_i^{(t,k)}-x^{(t)}\|^2",
        "mean(later, t)": r"\frac1{KN}\sum_{i=1}^N\sum_{k=1}^K\mathbb{E}_{|t}\|x_i^{(t,k)}-x^{(t)}\|^2",
        "e_K": r"\frac1N\sum_{i=1}^N\mathbb{E}_{|t}\|x_i^{(t,K)}-x^{(t)}\|^2",
    },
    given=[
        {"facts": {"all steps": "1", "start": "-1/K"}},
        {"facts": {"all steps": "1", "start": "-1/K", "the last one": "1/K"}},
    ],
    group=definition_claim,
    method="x^0 = x^(t), so that the means differ by E|x^K - x|^2/K.",
    valid_for="every algorithm, N, K",
    tightness=Tightness(1.0, Rung.PROOF, "equality when the last point is x^(t)"),
    source="equation (12)",
    says=r"\mathcal{E}^{(t)}=\frac1{KN}\sum_{i=1}^N\sum_k\mathbb{E}_{|t}\|x_i^{(t,k)}-x^{(t)}\|^2:\quad ",
)
TURNED = ("mean(e, t) <= mean(later, t)", "mean(later, t) <= mean(e, t)")
points_of_gradients = of_equation_12(
    "MX-EQ12[k = 0..K-1]",
    headline="Drift counted at the points where gradients are taken is the smaller reading",
    summary="Over the points where gradients are taken: what Lemma D.9 needs, zero for K = 1, never above the other reading. "
    "Bounds with the drift on the right are proved for this one.",
    false={"other direction": TURNED},
)
literal = of_equation_12(
    "MX-EQ12[k = 1..K in the numbering of Algorithm 2]",
    headline="Drift counted after each local step is the larger reading",
    summary="Over x^1..x^K: larger by E|x^K - x|^2/K. Bounds of the drift are proved for this one, so that the recursions hold "
    "in both readings.",
    false={"smaller than over x^0..x^(K-1)": TURNED},
)

if __name__ == "__main__":
    run_script(__file__)
