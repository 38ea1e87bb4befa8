"""Appendix A.3 of Augenstein et al. (2022): one local step, K = 1, and for which K the bounds hold.

Parallel Training and 1-way GT are then the same iteration exactly at eta_c = eta eta_s and eta_m = 1.  2-way GT is not: its
augmenting gradients are those of the round before, so that it moves along grad f(x^t) + grad f(x^(t-1)): twice the progress
per round, half the largest step.  With eta_m = 1/2 it averages the two, and the progress agrees to first order.
2-way GT is looked at with the divisor eta_c in the renewal of gt_c; the printed divisor eta is the same for eta_s = 1.

The bounds of 1-way GT, stated for K >= 2, need no K >= 2.  Where Appendix D.2 compares K with constants, K >= 1 suffices.  At
K = 1 1-way GT is SGD on f, a sum of two beta-smooth mu-convex losses, hence 2 beta-smooth and 2 mu-convex, with gradient
variance sigma^2/S + sigma_c^2.  Both one-round recursions from which Theorem B.2 is derived hold then as well, with room.
"""

from contextlib import suppress
from fractions import Fraction
from functools import partial

from fltheory.derivation.replay import Underivable
from fltheory.derivation.script import Derivation
from fltheory.derivation.witness import FiniteInstance
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.kinds import algebra_claim, asymptotic_claim, expectation_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.things import declare, granted
from fltheory.theory.mixed2022 import one_round
from verify.mixed2022.derivations.one_round import ALL, GAP, lemma_d10, lemma_d12, one_way_round
from verify.mixed2022.displays import constants, displayed
from verify.mixed2022.parabolas import losses_of

F = Fraction


def one_step(algorithm: str, central_rate: str, merge: str) -> Derivation:
    """A round with K = 1 after another one, whose gradients g0, h0 have renewed the augmenting ones; and 1-way GT from there."""
    d = Derivation(f"Mixed FL, one local step, {algorithm}")
    declare(d, "eta, eta_s, eta_m > 0")
    declare(d, f"z, x, g, h, g0, h0, u0, v0; D0 = -eta*(g0 + u0); C0 = -({central_rate})*(h0 + v0)")
    declare(d, f"u = -C0/({central_rate}) - v0; v = -D0/eta - u0")
    added = ("+ v", "+ u") if algorithm == "2-way" else ("", "")
    d.vector("x1", equals=f"x - {merge}*(({central_rate})*(h {added[0]}) + eta_s*eta*(g {added[1]}))")
    d.vector("x_one", equals="x - eta_s*eta*(g + h)")
    return d


of_one_step = partial(
    displayed,
    begun=one_step,
    names={
        "x": "x^{(t)}",
        "x1": "x^{(t+1)}",
        "x_one": "x_{1w}^{(t+1)}",
        "eta_s": r"\eta_s",
        "eta_m": r"\eta_m",
        "g": "g_f(x^{(t)})",
        "h": "g_c(x^{(t)})",
        "g0": "g_f(x^{(t-1)})",
        "h0": "g_c(x^{(t-1)})",
    },
    group=identity_claim,
    method="The rounds' lines at K = 1 inserted, for any gradients.",
    valid_for="all losses (and, batch by batch, all oracles), N, S, d",
    source="Appendix A.3",
)
PRINTED = dict(central_rate="eta*eta_s", merge="1")
OTHER_RATE = {"eta_c = 1.01 eta eta_s": dict(central_rate="101/100*eta*eta_s")}
SAME = "x1 = x - eta*eta_s*(g + h)"

same_iterates = of_one_step(
    "MX-A3-K1.1",
    headline="At the printed rates Parallel Training and 1-way transfer agree for one local step",
    text=f"{SAME}; x1 = x_one",
    says=r"K=1,\ \eta_m=1,\ \eta_c=\eta\eta_s:\quad\text{PT: }",
    summary="Parallel Training and 1-way GT: identical iterates, batch by batch, at the rates of the printed experiments (1-way "
    "GT has no eta_m); at any other eta_c or eta_m they differ for some losses.",
    printed=dict(algorithm="parallel", **PRINTED),
    false={**OTHER_RATE, "eta_m = 1.01": dict(merge="101/100")},
)
two_way_iterates = of_one_step(
    "MX-A3-K1.2[same iterates]",
    text=SAME,
    fault="reading",
    repair="MX-A3-K1.2-R1",
    says=r"K=1,\ \eta_m=1,\ \eta_c=\eta\eta_s:\quad\text{2-w GT: }",
    headline="With one local step 2-way Gradient Transfer is not the same iteration",
    summary="At the rates of the printed experiments 2-way GT is not the same iteration: it adds the gradients of the round "
    "before to those of this round.",
    printed=dict(algorithm="2-way", **PRINTED),
    false={},
    controls=[Control("Parallel Training", dict(algorithm="parallel"), must="pass")],
)
two_gradients = of_one_step(
    "MX-A3-K1.2-R1",
    headline="With one local step 2-way transfer steps along the sum of the last two gradients",
    text="x1 = x - eta_m*eta*eta_s*(g + h + g0 + h0)",
    source="Appendix A.3, corrected",
    says=r"K=1,\ \eta_c=\eta\eta_s,\ t\ge1:\quad\text{2-w GT: }",
    summary="2-way GT at K = 1 (divisor eta_c, which is eta for eta_s = 1) from the second round on, for equal client weights: "
    "steps along the sum of the last two sampled gradients; with eta_m = 1/2 along their mean.",
    assumptions=("equal client weights p_i",),
    printed=dict(algorithm="2-way", central_rate="eta*eta_s", merge="eta_m"),
    false={"this gradient only": (" + g0 + h0", ""), **OTHER_RATE},
)


PROGRESS = Relations(
    "rho**2 = rho - m*s*(rho + 1); z**2 = z - m*s*(z + 1); 0 < z < rho; 1 <= (1 - rho)/s <= 1 + 3*s/2 "
    "for 4/5 <= rho < 1; m = 1/2; s = rho*(1 - rho)/(m*(rho + 1)); z = (1 - rho)/(1 + rho)",
    at={"rho": "999/1000"},
    names={"rho": r"\rho_{2w}", "m": r"\eta_m", "s": r"(1-\rho_{1w})"},
)
ROUNDS = (
    r"K=1,\ \eta_c=\eta\eta_s,\text{ divisor }\eta_c,\ \rho_{1w}=1-\eta\eta_s(\lambda_f+\lambda_c),\ x^{(t)}="
    r"\rho_{2w}^t\text{ and }z^t\text{ solve }"
    r"x^{(t+1)}=x^{(t)}-\eta_m(1-\rho_{1w})(x^{(t)}+x^{(t-1)}):\quad "
)
of_progress = asymptotic_claim.sharing(source="Appendix A.3")
#: What is true of every merging rate m, and above twice the progress at m = 1.
MORE = PROGRESS.with_text(
    PROGRESS.text.replace(
        "1 <= (1 - rho)/s <= 1 + 3*s/2", "(1 - rho)/s = m*(1 + 1/rho); (1 - rho)/s > 2; (1 - rho)/s > 1 + 3*s/2"
    )
)


@of_progress(
    "MX-A3-K1.2[equal progress, same rates]",
    statement=(ROUNDS, PROGRESS.changed("m = 1/2", "m = 1")),
    printed=dict(merge="1"),
    fault="reading",
    repair="MX-A3-K1.2[equal progress, a merging rate of its own]",
    headline="At equal small rates 2-way Gradient Transfer progresses twice as fast, not equally",
    summary="At the same rates the progress is not equivalent either: on scalar quadratics, where the slower one of the two "
    "solutions of its rounds (MX-A3-K1.2-R1, divisor eta_c) shrinks by rho >= 4/5 a round, the progress 1 - rho of 2-way GT is "
    "1 + 1/rho times that of 1-way GT, more than twice.",
    controls=[Control("eta_m = 1/2", dict(merge="1/2"), must="pass")],
)
def equal_progress(merge: str) -> Evidence:
    """The progress is that of 1-way GT up to second order, or more than twice that for all rho."""
    stated, more = (one.changed("m = 1/2", f"m = {merge}") if merge != "1/2" else one for one in (PROGRESS, MORE))
    proved = stated.proof
    found = Tried(1)
    if not proved[0] and more.proof[0]:
        found = Tried(1, f"every rho: {more.text}", -1.0, certificate=more.certificate)
    certificate = stated.certificate if proved[0] else None
    return decide(
        proved, found, method="The opposite is proved as it is written, for every rho.", certificate=certificate
    )


half_merge = statement_of_algebra(
    "MX-A3-K1.2[equal progress, a merging rate of its own]",
    PROGRESS,
    headline="With half the merging rate 2-way transfer makes the same progress to first order",
    says=ROUNDS,
    false={"eta_m = 1": ("m = 1/2", "m = 1"), "eta_m = 0.51": ("m = 1/2", "m = 51/100")},
    group=of_progress,
    summary="With eta_m = 1/2 for 2-way GT, the average that the text speaks of, its progress is that of 1-way GT to first order: "
    "on scalar quadratics, where the slower one of the two solutions of its rounds (MX-A3-K1.2-R1, divisor eta_c) shrinks by "
    "rho >= 4/5 a round, 1 - rho is between s and s (1 + 3 s/2), s being the progress of 1-way GT.",
)


def recursion(kind: str, top: str) -> Derivation:
    """Lemma D.10 or D.12 with the local points at the model, where the gradient of the one step is taken."""
    d = one_way_round(f"Mixed FL, {kind} recursion at K = 1", top=f"1/({top}*beta)", points="x")
    d.choose("K", "1")
    with suppress(Underivable):  # for longer steps the lemma is missing in the last line
        if kind == "convex":
            lemma_d10(d)
        else:
            lemma_d12(d, one_round.LEMMA_D12_REPAIRED, "2", "1", "1", "1/2")
    return d


def recursion_instance(kind: str, top: str) -> FiniteInstance:
    """Noise +-1 of the centre and +-1/10 of the cohort of 100 at the minimiser; none at x = 1 for steps that are too long."""
    long = top == "1"
    noise, one, fair = F(not long), {0: F(1)}, {-1: F(1, 2), 1: F(1, 2)}
    drawn = {"n": lambda p: (noise * p["xi"] / 10,), "c": lambda p: (noise * p["xc"],)}
    return constants(
        {"x": long, "xs": 0, "M": 0},
        {"beta": 1, "mu": 0, "K": 1, "size": 100, "V": noise, "C": noise, "e": 1 / F(top)},
        axes={"k": one, "S": {(0,) * 100: F(1)}, "j": one, "xi": fair, "xc": fair},
        given=drawn,
        functions={name: losses_of([(c, 0)]) for name, c in (("ff", 1), ("fc", 1), ("f", 2))},
    )


of_recursion = partial(
    displayed,
    begun=recursion,
    names={
        "sq(x1 - xs)": r"\mathbb{E}\|x^+-x^*\|^2",
        GAP[1:-1]: "(f(x)-f^*)",
        "x": "x",
        "xs": "x^*",
        "e": r"\tilde\eta",
        "f_after - f_all": r"\mathbb{E}f(x^+)-f(x)",
        "g_all": r"\nabla f(x)",
        "V": r"\sigma^2",
        "C": r"\sigma_c^2",
        "size": "S",
    },
    instance=recursion_instance,
    at="K=1, S=100, f_f=f_c=x^2/2, at x = 0 with noise 1 and 1, or for longer steps at x = 1 without noise",
    over=ALL,
    group=expectation_claim,
    method="At K = 1 the only local point is the model, so that Lemma D.10 (D.12) has no drift; its constants leave room.",
    valid_for="every N, S >= 1, d, eta_s; independent batches, unbiased g_c",
)
LONG = {"steps up to 1/beta": dict(top="1")}
convex_at_one = of_recursion(
    "MX-A3-K2-S1",
    text=f"sq(x1 - xs) <= (1 - 3*mu*e/2)*sq(x - xs) - (size - 1)/size*e*{GAP} + (5*V/size + 3*C)*e**2",
    given={"facts": {"Lemma D.10": "1", "D.6": "e/(4*beta*size)"}, "squares": [["e/(4*beta*size)", "g_x + gc_x"]]},
    source="Appendix A.3; Appendix D.2.1 at K = 1",
    headline="The convex recursion of 1-way Gradient Transfer holds with one local step",
    summary="The recursion behind Theorem B.2 holds at K = 1, without the condition on eta_s.",
    printed=dict(kind="convex", top="8"),
    false={**LONG, "noise constants times 0.19": ("(5*V/size + 3*C)", "19/100*(5*V/size + 3*C)")},
)
nonconvex_at_one = of_recursion(
    "MX-A3-K2-S2",
    text="f_after - f_all <= -(e*sq(g_all)/3) + (3*V/size + 2*C)*beta*e**2",
    given={"facts": {"Lemma D.12": "1"}, "squares": [["e/9", "g_all"]]},
    source="Appendix A.3; Appendix D.2.2 at K = 1",
    headline="The non-convex recursion of 1-way Gradient Transfer holds with one local step",
    summary="The non-convex recursion behind Theorem B.2 holds at K = 1, without the condition on eta_s.",
    printed=dict(kind="non-convex", top="18"),
    false={**LONG, "noise constants times 0.3": ("(3*V/size + 2*C)", "3/10*(3*V/size + 2*C)")},
)


def growth(many: int) -> Derivation:
    """s = 1 + r + ... + r^(j-1) for r = 1 + q/K and j <= K: s <= j + q j^2/(2 K) + 26 j^3/(75 K^2)."""
    d = Derivation("Mixed FL, Appendix D.2, sums of powers")
    declare(d, "axes t; K >= 1; 0 <= q <= 163/162; 0 <= j <= K over t, next j + 1")
    declare(d, "s >= 0 over t, first 0, next 1 + (1 + q/K)*s")
    d.define("Sum", "s", [], "t", "Sum_next", [], first="Sum_1")
    granted(d, "empty sum", fact="at the start", first="Sum_1")
    step = {"keep": "1 + q/K", "facts": {"Sum": "1 + q/K", "Sum_next": "-1"}, "base": {"at the start": "-1"}}
    d.induction("every sum", of="Sum", bound="j + q*j**2/(2*K) + 26*j**3/(75*K**2)", index="j", **step)
    return d


def powers(many: int) -> FiniteInstance:
    """q = 163/162 for some K."""
    q, times = F(163, 162), range(many + 1)
    given = {"j": lambda p: F(p["t"]), "s": lambda p: ((1 + q / many) ** p["t"] - 1) * many / q}
    return constants({}, {"K": many, "q": q}, axes={"t": dict.fromkeys(times, F(1, many + 1))}, given=given)


stated_for_two = displayed(
    "MX-A3-K2",
    growth,
    "K + 1 <= 2*K; s <= 2*K",
    headline="Where the proof for 1-way transfer compares local steps with constants, one is enough",
    given=[{}, {"facts": {"every sum": "1", "Sum": "1"}}],
    names={"s": r"\textstyle\sum_{j<k}\big(1+\tfrac qK\big)^j"},
    instance=powers,
    at="q = 163/162, K = 2 (or 300)",
    says=r"K\ge1,\ 0\le q\le\tfrac{163}{162},\ k\le K:\quad ",
    group=algebra_claim,
    source="Appendix A.3, second paragraph; Table 1; Appendix D.2",
    method="Induction over k: the sum is at most k + q k^2/(2 K) + 26 k^3/(75 K^2).",
    valid_for="every K >= 1; (K + 1)/K and the growth factor of Lemma D.13 at the largest step, 1 + 163/(162 K), are such 1 + q/K",
    summary="The bounds are stated for K >= 2. The comparisons of K with constants in Lemmas D.11 and D.13, K + 1 <= 2K and sums "
    "of at most K powers of 1 + q/K, q <= 163/162, at most 2K, hold for every K >= 1: K >= 2 is harmless there, and not needed.",
    depends=("MX-A3-K2-S1", "MX-A3-K2-S2"),
    printed=dict(many=2),
    false={
        "K + 1 <= 1.49 K": ("K + 1 <= 2*K", "K + 1 <= 149/100*K"),
        "sum <= 1.71 K": dict(text="K + 1 <= 2*K; s <= 171/100*K", many=300),
    },
)


if __name__ == "__main__":
    run_script(__file__)
