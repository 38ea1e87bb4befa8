"""Augenstein et al. (2022), Section C.4.2: more and smaller local steps, in the orders and in exact closed forms."""

import sympy as sp

from fltheory.evidence.algebra import statement_in_mean, statement_of_algebra
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import algebra_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.relations import Relations
from fltheory.theory.mixed2022.orders import ALGORITHMS, NOISE_SCALE, K, terms
from verify.mixed2022.settled import false_algebra

of_instances = qualitative_of_an_instance.sharing(source="Section C.4.2")
never_hurts = of_instances.sharing(fault="reading", repair="MX-C42-TRADE.2[with client noise]")
orders_claim = algebra_claim.sharing(source="Section C.4.2")
NAMES = {"V": r"\sigma^2", "C": r"\sigma_c^2", "c": "c", "tau": r"\tau"}


def order(name: str, *, steps: str = "K") -> str:
    """The noise term of an order over what multiplies it, at this many steps; the other terms have no K."""
    noise = terms(name, "convex")["noise"] / NOISE_SCALE["convex"]
    return f"({noise.subs(K, sp.Symbol(steps))})"


def falls(name: str) -> str:
    return f"{order(name, steps='more')} <= {order(name)}"


def local(count: int, point: str, start: str, gradient: str) -> str:
    """The lines of ``count`` steps of size tau/count, from ``start`` to ``point`` with the number of steps."""
    names = [start, *(f"{point}{i}" for i in range(1, count + 1))]
    steps = zip(names, names[1:], strict=False)
    return "; ".join(f"{after} = {now} - tau/{count}*({gradient.format(now)})" for now, after in steps)


def end(count: int) -> str:
    """The fixed point of a round of Parallel Training on f_f = x^2/2 + D x, f_c = x^2/4 - D x, and that it is one."""
    moved, central = f"(1 - (1 - tau/{count})**{count})", f"(2*(1 - (1 - tau/{2 * count})**{count}))"
    lines = [f"x{count} = ({central} - {moved})/({moved} + {central}/2)*D"]
    lines += [local(count, f"y{count}_", f"x{count}", "{} + D"), local(count, f"c{count}_", f"x{count}", "{}/2 - D")]
    return "; ".join([*lines, f"(y{count}_{count} - x{count}) + (c{count}_{count} - x{count}) = 0"])


trade_rows = [
    statement_of_algebra(
        "MX-C42-TRADE.1",
        Relations(
            f"{'; '.join(dict.fromkeys(map(falls, ALGORITHMS)))} for K >= 1; more >= K; S >= 1; V >= 0; C >= 0",
            names=NAMES,
        ),
        headline="In the bounds more and smaller local steps never hurt",
        false={
            "1-way GT: and fall like 1/K at fixed sigma_c": (
                falls("1-w GT"),
                f"more*{order('1-w GT', steps='more')} = K*{order('1-w GT')}",
            ),
            "fewer steps": ("more >= K", "more >= 1"),
        },
        group=orders_claim,
        summary="The orders do not contain the rates and do not increase with K: in the bounds more and "
        "smaller steps never hurt.",
    ),
    statement_in_mean(
        "MX-C42-TRADE.2[with client noise]",
        InMean(
            "sq(y) <= sq(x) for tau > 0; K > tau; more >= K",
            things="x over past; y over past; n over xi, mean 0 over xi; x1 over past xi = x - tau/K*(x + n); "
            "y1 over past xi = y - tau/more*(y + n)",
            over="past xi",
            uses=[
                use("stationary at K", form="sq(x) - sq(x1)", over="past xi", times="K**2/(tau*(2*K - tau))"),
                use("stationary at more", form="sq(y1) - sq(y)", over="past xi", times="more**2/(tau*(2*more - tau))"),
            ],
            squares=[("tau/(2*K - tau) - tau/(2*more - tau)", "n")],
            unfold="x1 y1",
            names={"tau": r"\tau", "x": "x_K", "y": r"x_{more}"},
        ),
        prose="the round's stationary law is that of its local step; its variance tau sigma^2/(2K - tau) "
        "is solved from the recursion",
        headline="With client noise and a flat central loss more, smaller steps lower the final variance",
        false={"fewer steps": ("more >= K", "tau < more < K"), "half of it": ("sq(y)", "2*sq(y)")},
        without={"biased noise": "mean of n"},
        group=of_instances,
        says=r"\eta K=\tau,\ x^+=x-\tfrac{\tau}K(x+n)\text{ or }x-\tfrac{\tau}{more}(x+n),\text{ both laws stationary}:\quad ",
        summary="With client noise (f_f = |x|^2/2, flat central loss) more and smaller steps lower the stationary variance "
        "(like 1/K), which is the one that a local step keeps.",
    ),
    false_algebra(
        "MX-C42-TRADE.2[without noise, contraction of 1-way GT]",
        Relations(
            f"y8 <= z2 for D > 0; tau = 1/8; {local(8, 'y', 'D', '{} + D/2')}; {local(2, 'z', 'D', '{} + D/2')}",
            names=NAMES,
        ),
        says=r"f_f=\tfrac{x^2}2,\ f_c=\tfrac{x^2}4,\ \eta K=\tau,\text{ a round from }D:\ ",
        true={"fewer and larger steps": ("y8 <= z2", "z2 <= y8")},
        group=never_hurts,
        headline="Without noise more and smaller steps make 1-way transfer slightly slower",
        summary="More and smaller steps do hurt a little where there is no noise: the contraction of 1-way GT per round is "
        "slightly slower at K = 8 than at K = 2.",
    ),
    false_algebra(
        "MX-C42-TRADE.2[without noise, bias of Parallel Training]",
        Relations(f"x8 <= x2 for D > 0; tau = 1/24; {end(8)}; {end(2)}", names=NAMES),
        says=r"f_f=\tfrac{x^2}2+Dx,\ f_c=\tfrac{x^2}4-Dx,\ \eta K=\tau,\ \eta_m=1,\text{ fixed points }x_K\text{ of a round}:\ ",
        true={"fewer and larger steps": ("x8 <= x2", "x2 <= x8")},
        group=never_hurts,
        headline="Without noise more and smaller steps raise the bias of Parallel Training",
        summary="More and smaller steps do hurt where there is no noise: the bias of Parallel Training at eta_m = 1 is larger "
        "at K = 8 than at K = 2.",
    ),
]
share_row = statement_of_algebra(
    "MX-C42-TRADE.3",
    Relations(
        "K*S*(c/K)/V = S*c/V; C = c/K for K >= 1; S >= 1; V > 0; c > 0; K*S*C/V = S*c/V",
        uses={1: {"K*S*C/V = S*c/V": "V/(K*S)"}},
        at={"K": "2", "S": "1", "V": "1", "c": "2", "C": "1"},
        names=NAMES,
    ),
    headline="In 1-way transfer central noise keeps its weight only if it falls as local steps grow",
    false={"like 1/K^2": ("(c/K)", "(c/K**2)"), "no reduction": ("(c/K)", "c")},
    group=orders_claim,
    summary="1-way GT: to keep the weight of sigma_c^2 against sigma^2, sigma_c^2 must fall like 1/K "
    "(at fixed sigma_c the order does not grow with K either, MX-C42-TRADE.1; it only stops falling).",
)

if __name__ == "__main__":
    run_script(__file__)
