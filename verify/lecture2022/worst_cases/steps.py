"""Worst cases of the note's single steps over all smooth clients: descent lemma, deviation term, one step, client drift.

Upper bounds are multipliers written by hand, exact in rationals; instances found by a solver and rounded come close to them.
Both are accepted by the verifier of worst-case certificates; the bounds hold for all N and weights, whatever the solver did.
That no factor below the best one serves is shown by explicit functions on the line, evaluated in rationals.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.algorithms.fedavg import FedAvg
from fltheory.evidence.kinds import expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Outcome, Rung
from fltheory.readings.gram import Recorder
from fltheory.worstcase import certificate, verifier
from fltheory.worstcase.classes import Smooth
from fltheory.worstcase.constants import best_constant
from fltheory.worstcase.functional import Assumption, inner, square, value
from fltheory.worstcase.model import Model
from fltheory.worstcase.multipliers import Multipliers
from fltheory.worstcase.space import Shares
from verify.lecture2022 import elsewhere
from verify.lecture2022.runs import mean
from verify.lecture2022.worst_cases.cycles import touching

best_factor = inequality_claim.sharing(printed=dict(scale="1"), quick=False)

ONE, ZERO = Fraction(1), Fraction(0)
METHOD = (
    "Multipliers of interpolation inequalities and assumptions in exact rationals, an instance in exact rationals; both "
    "rebuilt and checked from the program by the verifier. Means and deviations over the clients: N disappears. Functions "
    "on the line need exactly the factor that is proved."
)


@dataclass(frozen=True)
class SharpCase:
    """A model, the quantity whose best factor is asked, the factors of the others, and multipliers for ``sharp``.

    ``pairs`` are (i, j, y) of interpolation inequalities, ``on_assumptions`` the multipliers of those on the quantity;
    ``needed`` is the factor that functions on the line need, and what they are; ``instance`` is a lower bound written by
    hand, for a model in which the solver cannot leave the border; ``method`` is what the program must be one round of.
    """

    name: str
    model: Model
    quantity: str
    sharp: Fraction
    fixed: Mapping[str, Fraction]
    pairs: tuple[tuple[int, int, Fraction], ...]
    on_assumptions: tuple[Fraction, ...]
    needed: tuple[Fraction, str]
    instance: Mapping[str, Any] | None = None
    method: tuple[FedAvg | None, int | None] = (None, None)


def certified(case: SharpCase) -> tuple[Fraction, Fraction | None, dict[str, Any]]:
    """The factor that the hand-written multipliers prove, the largest one that an instance needs, and the certificate."""
    found = best_constant(case.model, case.quantity, case.fixed)
    hand = Multipliers({("clients", i, j, None): y for i, j, y in case.pairs}, case.on_assumptions)
    data = certificate.statement(found.model) | {"upper": certificate.upper(found.model, hand)}
    if case.instance is not None:
        data["lower"] = dict(case.instance)
    elif found.certificate is not None and "lower" in found.certificate:
        data["lower"] = found.certificate["lower"]
    algorithm, clients = case.method
    if algorithm and not certificate.holds_program(data, algorithm, 1, noise=bool(clients), n_clients=clients):
        raise ValueError(f"{case.name}: the certificate's program is not one round of {algorithm}")
    proved = verifier.verify(data)
    return proved["upper"][case.quantity], proved["lower"][1] if "lower" in proved else None, data


def judge(cases: list[SharpCase], scale: Fraction, *, valid_for: str) -> Evidence:
    """Whether ``scale`` times the sharp factor is the best one in all cases: it serves, and nothing below it does."""
    numbers, kept, margins, broken, proved = {}, {}, [], "", True
    for case in cases:
        above, below, data = certified(case)
        claimed = scale * case.sharp
        kept[case.name] = data
        least, words = case.needed
        reached = "-" if below is None else format(float(below), ".8g")
        numbers[case.name] = f"at most {above}, at least {least}; instance of the certificate {reached}"
        margins.append(-abs(float(claimed / above - 1)))
        proved = proved and above <= claimed <= least
        if least > claimed and not broken:
            broken = f"{case.name}: {words} needs {least} > {claimed}"
        elif above < claimed and not broken:
            broken = f"{case.name}: the multipliers prove {above}, so {claimed} is not the least factor"
    outcome = Outcome.REFUTED if broken else Outcome.HOLDS if proved else Outcome.NOT_REFUTED
    return Evidence(
        Rung.WORST_CASE,
        outcome,
        METHOD,
        2 * len(cases),
        margin=min(margins) + 0.0,
        numbers=numbers,
        counterexample=broken,
        valid_for=valid_for,
        certificate=kept,
        would_settle="" if broken or proved else "functions that need the factor that is proved",
    )


def descent() -> list[SharpCase]:
    """f(x+d) - f(x) - <grad f(x), d> <= b |d|^2."""
    found = []
    for smooth in (ONE, Fraction(3)):
        program = Recorder()
        x, d = program.put(("given", "server", 1)), program.put(("given", "server", 0))
        here, there = program.put(("gradient", x)), program.put(("gradient", program.combine({x: ONE, d: ONE})))
        model = Model(
            tuple(program.instructions),
            2,
            Smooth(smooth),
            None,
            Shares(),
            (Assumption(square(d), "step"),),
            value(there) - value(here) - inner(here, d),
        )
        quadratic = [ZERO, ONE, ZERO, smooth]  # f = L x^2/2 at x = 0 and x + d = 1: x, d, and both gradients
        blocks = {"mean": [[p * r for r in quadratic] for p in quadratic], "deviation": [[ZERO] * 2] * 2}
        instance = certificate.lower(blocks, {here: ZERO, there: smooth / 2}, {"step": ONE}, smooth / 2)
        pairs, needed = ((here, there, ONE),), (smooth / 2, f"f = {smooth} x^2/2, x = 0, d = 1")
        found.append(SharpCase(f"L={smooth}", model, "step", smooth / 2, {}, pairs, (smooth / 2,), needed, instance))
    return found


def one_step(u: Fraction) -> tuple[Model, Model, tuple[int, int, int]]:
    """A step from spread clients (L = 1, s = u): |grad f(xbar)|^2, and |grad f(xbar) - mean grad f_i(x_i)|^2."""
    program = Recorder()
    x = program.put(("given", "clients", 1))
    own = program.put(("gradient", x))
    after = program.combine({x: ONE, own: -u})
    length = len(program.instructions)
    centre, following = program.put(("mean", x)), program.put(("mean", after))
    here, there = program.put(("gradient", centre)), program.put(("gradient", following))
    spread = program.combine({x: ONE, centre: -ONE})
    at_mean, at_clients = program.put(("mean", here)), program.put(("mean", own))
    error = program.combine({at_mean: ONE, at_clients: -ONE})
    drift = Assumption(square(spread), "drift")
    decrease = Assumption(value(here) - value(there), "decrease")

    def model(*assumptions: Assumption, measure: int) -> Model:
        return Model(tuple(program.instructions), length, Smooth(1), None, Shares(), assumptions, square(measure))

    return model(decrease, drift, measure=at_mean), model(drift, measure=error), (own, here, there)


def deviation() -> list[SharpCase]:
    """|grad f(xbar) - mean grad f_i(x_i)|^2 <= b * drift, L = 1."""
    found = []
    points, slopes = (ONE, -ONE), (ONE, -ONE)  # f_1 = x^2/2 and f_2 = -x^2/2, average 0, where both gradients vanish
    error = mean([slope * point for slope, point in zip(slopes, points, strict=True)])
    needed = (error**2 / mean([point**2 for point in points]), "f_1 = x^2/2, f_2 = -x^2/2, clients at 1 and -1,")
    for u in (Fraction(1, 4), ONE):
        _, model, (own, here, _) = one_step(u)
        pairs = ((own, here, 2 * ONE), (here, own, 2 * ONE))
        found.append(SharpCase(f"L=1, s={u}", model, "drift", ONE, {}, pairs, (ONE,), needed))
    return found


def traded() -> list[SharpCase]:
    """|grad f(xbar)|^2 <= (c/s)(decrease) + beta drift: beta(c, u) of the trade."""
    found = []
    for c, u in ((2, "1/10"), (2, "1/2"), (2, "3/4"), ("3/2", "1/4"), ("5/4", "1/4")):
        factor, step = Fraction(c), Fraction(u)
        beta = factor * step / 2 + factor**2 * (1 - step) ** 2 / (4 * (factor - 1 - factor * step / 2))
        model, _, (own, here, there) = one_step(step)
        pairs = ((here, there, factor / step), (own, here, 2 * beta), (here, own, 2 * beta))
        text, squared, decrease = touching(factor, step)  # with drift 1
        fixed = {"decrease": factor / step}
        found.append(
            SharpCase(f"c={c}, sL={u}", model, "drift", beta, fixed, pairs, (beta,), (squared - decrease, text))
        )
    return found


def drifted(counts: tuple[int, ...], clients: int | None) -> list[SharpCase]:
    """Averaged distance of the clients to their mean after n gradients from a common point, in units of G^2; s = 1/2."""
    found, step = [], Fraction(1, 2)
    for count in counts:
        program = Recorder()
        start = point = program.put(("given", "server", 1))
        moves, drawn = {start: ONE}, []
        for draw in range(count):
            used = [program.put(("gradient", point))]
            used += [program.put(("noise", draw))] if clients else []
            moves |= dict.fromkeys(used, -step)
            drawn.append(dict.fromkeys(used, ONE))
            point = program.combine(moves)
        average = program.put(("average", point))
        length = len(program.instructions)
        bounded = [Assumption(square(program.combine(gradient)), "G2") for gradient in drawn]
        shares = Shares(None, Fraction(1, clients), "full", clients) if clients else Shares()
        spread = square(program.combine({point: ONE, average: -ONE}))
        model = Model(tuple(program.instructions), length, Smooth(1), None, shares, tuple(bounded), spread)
        name, sharp = f"{count} gradients, sL=1/2" + (f", N={clients}" if clients else ""), step**2 * count**2
        ends = [-step * count * slope for slope in (ONE, -ONE)]  # f_k = x for half of the clients and -x for the others
        words = "f_k = x for half of the clients and -x for the others"
        needed = mean([(end - mean(ends)) ** 2 for end in ends]), words
        method = FedAvg(local_steps=count, step_size=step), clients
        found.append(SharpCase(name, model, "G2", sharp, {}, (), (step**2 * count,) * count, needed, method=method))
    return found


@best_factor(
    "LEC-P1-S1",
    statement=r"f(x+d)-f(x)-\langle\nabla f(x),d\rangle\le b\|d\|^2\ \text{for all }L\text{-smooth }f\iff b\ge L/2",
    source="proof of Theorem 1, (1)",
    headline="The factor one half in the descent inequality is the best one",
    summary="The factor L/2 of the descent lemma is the best one.",
    controls=[Control("L/2 times 0.99", dict(scale="99/100")), Control("L/2 times 1.01", dict(scale="101/100"))],
)
def descent_constant(scale: str) -> Evidence:
    return judge(descent(), Fraction(scale), valid_for="L = 1 and 3 (all L > 0 by scaling), all N, weights, d")


@best_factor(
    "LEC-P7a-S1",
    statement=r"\|\nabla f(\bar x)-\tfrac1N\textstyle\sum_i\nabla f_i(x_i)\|^2\le bL^2\tfrac1N\sum_i\|\bar x-x_i\|^2\iff b\ge1",
    source="proof of Theorem 1, below (7)",
    headline="Jensen's inequality and smoothness lose nothing when all deviations have one sign",
    summary="Jensen and smoothness lose nothing when the deviations of all clients have one sign.",
    controls=[Control("L^2 times 0.99", dict(scale="99/100")), Control("L^2 times 1.01", dict(scale="101/100"))],
)
def deviation_constant(scale: str) -> Evidence:
    return judge(deviation(), Fraction(scale), valid_for="L = 1 (all L > 0 by scaling), all N, weights, d")


@best_factor(
    "LEC-PFIN-S2",
    statement=r"\|\nabla f(\bar x)\|^2\le\tfrac cs(f(\bar x)-f(\bar x^+))+b\,L^2\tfrac1N\textstyle\sum_i\|\bar x-x_i\|^2"
    r"\iff b\ge\beta(c,Ls)",
    source="proof of Theorem 1, last display",
    headline="Certified: the drift factor of one step is the best one",
    summary="One step from any positions of the clients: the factor beta(c, Ls) of the drift is the best one; 1 at c = 2.",
    controls=[Control("beta times 0.99", dict(scale="99/100")), Control("beta times 1.01", dict(scale="101/100"))],
)
def traded_constant(scale: str) -> Evidence:
    return judge(
        traded(),
        Fraction(scale),
        valid_for="(c, sL) = (2, 1/10), (2, 1/2), (2, 3/4), (3/2, 1/4), (5/4, 1/4); exact gradients, all N, weights, d",
    )


@best_factor(
    "LEC-LEM1-S4",
    statement=r"\tfrac1N\textstyle\sum_i\|\bar x-x_i\|^2\le b\,s^2n^2G^2\text{ after }n\text{ local steps}\iff b\ge1",
    source="Lemma 1",
    headline="Certified: averaged over the clients the best drift constant is one",
    summary="Averaged over the clients, n = K gradients after the common point (n = K-1 where rounds evaluate last): the best "
    "constant is 1; the printed 4 is for one client.",
    elsewhere=elsewhere.DRIFT,
    controls=[Control("1 -> 0.99", dict(scale="99/100")), Control("1 -> 1.01", dict(scale="101/100"))],
)
def drift_constant(scale: str) -> Evidence:
    return judge(
        drifted((1, 2, 4, 5), None),
        Fraction(scale),
        valid_for="n = 1, 2, 4, 5, sL = 1/2, exact gradients, all N, "
        "weights, d; averaged second moments at the queried points",
    )


@expectation_claim.sharing(printed=dict(scale="1"), quick=False)(
    "LEC-LEM1-S5",
    statement=r"\tfrac1N\textstyle\sum_i\mathbb{E}\|\bar x-x_i\|^2\le b\,s^2n^2G^2\iff b\ge1\quad\text{(with gradient noise)}",
    source="Lemma 1",
    headline="Certified: noise with bounded second moments makes the drift no larger",
    summary="The same with noise of any law under the bound on second moments: noise makes the drift no larger.",
    elsewhere=elsewhere.DRIFT,
    controls=[Control("1 -> 0.99", dict(scale="99/100")), Control("1 -> 1.01", dict(scale="101/100"))],
)
def drift_constant_with_noise(scale: str) -> Evidence:
    return judge(
        [*drifted((2, 5), 2), *drifted((2,), 10)],
        Fraction(scale),
        valid_for="n = 2, 5 with N = 2 and n = 2 with N = 10, sL = 1/2, equal weights, any d",
    )


if __name__ == "__main__":
    run_script(__file__)
