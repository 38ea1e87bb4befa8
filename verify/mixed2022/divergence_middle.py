"""Parallel Training against 1-way GT as eta = eta_c grows, and the rates printed in C.2 and C.4.3 (Augenstein et al., 2022).

Scalar quadratics without noise, eta_s = eta_m = 1, r = lambda_c/lambda_f: Parallel Training is stable if and only if
0 < P_f + P_c < 2, 1-way GT if and only if (r - 1)/(r + 1) < P_f < 1, with P = (1 - eta lambda)^K (MX-ALG-STAB.1, .2).
"""

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import read
from fltheory.evidence.kinds import asymptotic_claim, experiment_claim, inequality_claim, run_script, table_claim
from fltheory.evidence.model import Control, Evidence, Outcome, Rung
from fltheory.theory.steps import Instance, Step, equality, identity, sign
from verify.mixed2022 import closed_forms
from verify.mixed2022.closed_forms import characteristic, eta_m, eta_s, lc, lf, one_way_factor, qc, qf, two_way_matrix
from verify.mixed2022.divergence import factor, first_unstable
from verify.mixed2022.settled import settle

F = Fraction
RATIOS = (F(1, 100), F(27, 73), F(1), F(3, 2), F(10))
r, x, y, z, half = sp.symbols("r x y z half")


def cubic_at(ratio: Fraction, rate: Fraction, steps: int, point: Fraction) -> Fraction:
    """The characteristic polynomial of 2-way GT at lambda_f = 1."""
    c3, c2, c1, c0 = closed_forms.two_way_cubic(closed_forms.at_rates(F(1), ratio, rate, rate, steps))
    return ((c3 * point + c2) * point + c1) * point + c0


def who(ratio: Fraction, steps: int) -> str:
    """Who is first by the row MX-C2-DIV-U2; "" if both at once."""
    if steps == 1 or ratio == 1:
        return ""
    return "PT" if steps % 2 and ratio < 1 else "1-w GT"


def classification() -> list[Step]:
    """The steps; x = |r - 1|/(r + 1), z^K = x, y = x^(K-1) or z^(K-1) in [0, 1)."""
    at = 2 / (1 + r)
    inside = ((x, 0, 1), (y, 0, 1))
    return [
        identity(
            "K odd: P_f + P_c = 0 at eta (lambda_f + lambda_c) = 2, as the bases are opposite", 1 - at, -(1 - at * r)
        ),
        identity("r < 1: there 1 - eta lambda_f = -x", 1 - at, -(1 - r) / (1 + r)),
        sign(
            "K odd >= 3, r < 1: P_f = -x y >= -x, where 1-way GT is stable (strict for x > 0, y < 1)", x - x * y, inside
        ),
        identity("r > 1: 1 - x = 2/(r + 1)", 1 - (r - 1) / (r + 1), at),
        sign(
            "r > 1: the limit of 1-way GT, 1 - z, is at most 1 - z y = 1 - x (strict for z > 0, y < 1)",
            z - z * y,
            ((z, 0, 1), (y, 0, 1)),
        ),
        sign(
            "K even, r > 1: 2/(r + 1) <= 2/r, and up to 2/lambda_c even powers keep PT stable",
            2 / r - at,
            ((r, 1, None),),
        ),
        identity(
            "K even, r < 1: 1-way GT has factor one at eta lambda_f = 2, where q_f = 0",
            one_way_factor(sp.Integer(0)),
            1,
        ),
        sign(
            "and there PT has 0 < b <= 1: 1 - (1 - 2 r)^K, an even power of a number in (-1, 1)",
            1 - half**2,
            ((half, -1, 1),),
        ),
        identity(
            "K = 1: the same factor",
            one_way_factor(closed_forms.eta).subs(eta_s, 1),
            closed_forms.parallel_factor(closed_forms.eta, closed_forms.eta).subs({eta_s: 1, eta_m: 1}),
        ),
        identity(
            "equal curvatures: the same factor",
            one_way_factor().subs({lc: lf, eta_s: 1}),
            closed_forms.parallel_factor(qf, qf).subs({lc: lf, eta_s: 1, eta_m: 1}),
        ),
    ]


def brackets(counts: tuple[int, ...], ratios: tuple[Fraction, ...], claimed: str) -> Iterator[Instance]:
    """``claimed`` first in every case, or by :func:`who`."""
    for steps in counts:
        for ratio in ratios:
            first = claimed or who(ratio, steps)
            name = f"lambda_f=1, lambda_c={ratio}, K={steps}"
            if not first:
                at = F(1, 3)
                yield equality(
                    f"{name}: factors at eta = 1/3", *(factor(n, ratio, at, steps) for n in ("PT", "1-w GT"))
                )
                continue
            found = {n: first_unstable(n, ratio, steps) for n in ("PT", "1-w GT")}
            other = "PT" if first == "1-w GT" else "1-w GT"
            text = ", ".join(f"{n} stable at {float(a):.5g}, not at {float(b):.5g}" for n, (a, b) in found.items())
            yield Instance(f"{name}: {text}", found[first][1], found[other][0])


def middle(counts: tuple[int, ...], ratios: tuple[str, ...], claimed: str) -> Evidence:
    """``claimed`` = "" for the classification; a name for the claim that it is first throughout."""
    proof = classification()
    cases = tuple(F(each) for each in ratios)
    if claimed:
        wrong = [(c, k) for k in counts for c in cases if who(c, k) != claimed]
        proof.append(Step("the classification agrees", not wrong, f"it does not at {wrong[:1]}"))
    return settle(
        proof,
        brackets(counts, cases, claimed),
        method="closed forms of both limits",
        valid_for="every K and curvatures > 0" if not claimed else f"K in {counts}, r in {ratios}",
    )


ALL = dict(counts=(1, 2, 3, 4, 5, 15, 16), ratios=tuple(map(str, RATIOS)), claimed="")
middle_row = inequality_claim(
    "MX-C2-DIV-U2",
    depends=("MX-ALG-STAB.1", "MX-ALG-STAB.2"),
    source="Appendix C.2, C.4.3",
    printed=ALL,
    statement=r"\eta_{PT}<\eta_{1w}\iff K\ge3\text{ odd},\ \lambda_c<\lambda_f",
    headline="Which of Parallel Training and 1-way transfer loses stability first",
    summary="Who of the other two is first on scalar quadratics: Parallel Training for odd K >= 3 and lambda_c < lambda_f; "
    "both at once for K = 1 or lambda_c = lambda_f; 1-way GT in all other cases, so also for the K = 16 of the language "
    "task, where the paper saw Parallel Training first (K = 2, lambda_f = 1, lambda_c = 1/2, eta = 2: Parallel Training has "
    "factor 0, 1-way GT 1). The paper reports what it saw on its task, which has noise, another loss and many directions.",
    controls=[
        Control("Parallel Training first for even K, too", dict(counts=(4, 16), ratios=("27/73",), claimed="PT")),
        Control("1-way GT first for odd K, too", dict(counts=(5,), ratios=("27/73",), claimed="1-w GT")),
        Control("K = 15 and lambda_c < lambda_f", dict(counts=(15,), ratios=("27/73",), claimed="PT"), must="pass"),
    ],
)(middle)


@asymptotic_claim(
    "MX-C2-DIV-S1",
    source="Algorithm 1 on quadratics",
    printed=dict(times="2"),
    depends=("MX-ALG-STAB.4",),
    statement=r"z_{2w}(\eta)=1-2\eta K(\lambda_f+\lambda_c)+O(\eta^2),\quad\rho_{PT},\rho_{1w}=1-\eta K(\lambda_f+"
    r"\lambda_c)+O(\eta^2)",
    headline="At equal small rates 2-way Gradient Transfer makes steps about twice as long",
    summary="At equal small rates 2-way GT makes steps about twice as long as Parallel Training and 1-way GT: both of its updates "
    "are about -eta K grad f, and they are added. Half of the rate, as in the table of the language task, makes the three steps "
    "equal to first order in the rate.",
    controls=[Control("1.9 times", dict(times="19/10")), Control("equal steps", dict(times="1"))],
)
def twice(times: str) -> Evidence:
    """Implicit derivative of the root at z = 1, with q = eta K (1 + eta m), any m."""
    e, k, m, n, zz = sp.symbols("rate count m n zz", positive=True)
    small = {
        qf: e * k * (1 + e * m),
        qc: e * k * (1 + e * n),
        closed_forms.k: e * k,
        closed_forms.j: e * k,
        eta_s: 1,
        eta_m: 1,
    }
    c = [sp.cancel(sp.sympify(term).subs(small, simultaneous=True)) for term in characteristic(two_way_matrix())]
    p = sum((term * zz ** (3 - i) for i, term in enumerate(c)), sp.Integer(0))
    slope = (-sp.diff(p, e) / sp.diff(p, zz)).subs({e: 0, zz: 1})
    total = k * (lf + lc)
    proof = [
        identity("dz/d eta of 2-way GT", slope, -sp.Rational(times) * total),
        identity("simple root: dp/dz = 1", sp.diff(p, zz).subs({e: 0, zz: 1}), 1),
        identity(
            "Parallel Training",
            sp.diff(closed_forms.parallel_factor().subs(small, simultaneous=True), e).subs(e, 0),
            -total,
        ),
        identity("1-way GT", sp.diff(one_way_factor().subs(small, simultaneous=True), e).subs(e, 0), -total),
    ]

    def instances() -> Iterator[Instance]:
        rate, steps = F(1, 10**6), 16
        for stretch, side in ((F(99, 100), 1), (F(101, 100), -1)):
            point = 1 - stretch * F(times) * rate * steps * F(3, 2)
            here = cubic_at(F(1, 2), rate, steps, point)
            name = f"lambda_f=1, lambda_c=1/2, K=16, eta=1e-6: {'-p' if side > 0 else 'p'} at 1 - {stretch} {times} eta K 3/2"
            yield Instance(name, -side * here, F(0))

    return settle(
        proof,
        instances,
        method="implicit derivative of the characteristic polynomial's root at one",
        valid_for="every K and curvatures, eta_c = eta, eta_s = eta_m = 1, eta -> 0",
    )


@asymptotic_claim(
    "MX-FIG10-EARLY-U1",
    source="Figure 10, Appendix C.4.3",
    depends=("MX-C2-DIV-S1",),
    statement=r"\lim_{\eta\to0}\frac{T_{PT}(3\eta)}{T_{2w}(\eta)}=\frac23,\quad\lim_{\eta\to0}\frac{T_{PT}(2\eta)}{T_{2w}(\eta)}=1",
    printed=dict(times="3", share="2/3"),
    headline="At twice the rate the other two need as many rounds as 2-way transfer, at thrice fewer",
    summary="A limit of the observation that the rate does not change the number of rounds: without noise on quadratics, in the "
    "limit of small eta, Parallel Training and 1-way GT at 3 eta need 2/3 of the rounds of 2-way GT at eta, at 2 eta (the table) "
    "the same number.",
    controls=[Control("the same number of rounds", dict(share="1")), Control("at 2.9 eta", dict(times="29/10"))],
)
def share_of_rounds(times: str, share: str) -> Evidence:
    """Rounds are log(1/eps)/-log(factor) + O(1): the model is all of the slow mode as eta -> 0, so that only the slopes count."""
    two, one = sp.symbols("slope_2w slope_1", positive=True)

    def limit(factor: str) -> sp.Expr:
        ratio = sp.log(1 - two * closed_forms.eta) / sp.log(1 - sp.Rational(factor) * one * closed_forms.eta)
        return sp.limit(ratio, closed_forms.eta, 0).subs(two, 2 * one)

    still = two_way_matrix().subs({qf: 0, qc: 0})  # the model's row as eta -> 0; q/k and q/j tend to one
    proof = [
        identity("limit of the share", limit(times), sp.Rational(share)),
        identity("at 2 eta", limit("2"), 1),
        *(identity(f"slow mode: left vector (1, 0, 0), entry {i}", still[0, i], int(i == 0)) for i in range(3)),
    ]
    rate, steps, ratio = F(1, 10**6), 16, F(27, 73)
    slow = [1 - 2 * stretch * rate * steps * (1 + ratio) for stretch in (F(99, 100), F(101, 100))]
    ends = [cubic_at(ratio, rate, steps, z0) for z0 in slow]
    fast = [(1 - factor(n, ratio, F(times) * rate, steps)) for n in ("PT", "1-w GT")]
    low, high = (1 - slow[0]) / max(fast), (1 - slow[1]) / min(fast)
    words = "lambda_c/lambda_f=27/73, K=16, eta=1e-6"
    name = f"{words}, share of the rounds"

    def instances() -> Iterator[Instance]:
        yield Instance(f"{name} at least, against claimed", low, F(share))
        yield Instance(f"{name} claimed, against at most", F(share), high)
        yield Instance(
            f"{words}: 2-way GT has a root below the first end of the slow mode: 0 against p there", F(0), ends[0]
        )
        yield Instance(f"{words}: and above the second: p against 0", ends[1], F(0))

    return settle(
        proof,
        instances,
        method="ratio of the slopes of MX-C2-DIV-S1",
        valid_for="scalar quadratics, every K, eta -> 0, accuracy fixed",
    )


#: Rates at which a run is printed to converge, and to diverge; 2-way GT "had to be adjusted" from the common 2.0.
CONVERGES = {"2-w GT": ("1.0",), "PT": ("2.0", "3.0"), "1-w GT": ("2.0", "3.0", "5.0")}
DIVERGES = {"2-w GT": ("2.0",), "PT": ("5.0",), "1-w GT": ()}


@table_claim(
    "MX-C2-DIV.5",
    headline="The printed rates fit the printed order in which the algorithms diverge",
    source="Appendix C.2, C.4.3, Figure 10",
    printed=dict(table_pt="2.0"),
    statement=r"1.0<\eta_{2w}\le2.0,\quad3.0<\eta_{PT}\le5.0,\quad5.0<\eta_{1w}",
    summary="The printed rates (tables, C.4.3, Figure 10) fit each other and the printed order: 2-way GT diverges between "
    "1.0 and 2.0, Parallel Training between 3.0 and 5.0, 1-way GT above 5.0.",
    controls=[Control("Parallel Training at 5.0 in the table", dict(table_pt="5.0"))],
)
def printed_rates(table_pt: str) -> Evidence:
    good = {name: max(map(F, (*rates, table_pt) if name == "PT" else rates)) for name, rates in CONVERGES.items()}
    bad = {name: min(map(F, rates), default=None) for name, rates in DIVERGES.items()}
    faults = [
        f"{n} converges at {float(good[n])} and diverges at {float(b)}"
        for n, b in bad.items()
        if b is not None and b <= good[n]
    ]
    order = [("2-w GT", "PT"), ("PT", "1-w GT")]
    faults += [f"{a} not before {b}" for a, b in order if not (bad[a] is not None and bad[a] <= good[b])]
    return read(
        not faults,
        rung=Rung.READING,
        method="largest rate printed as convergent, smallest as divergent",
        examined=5,
        counterexample="; ".join(faults),
    )


@experiment_claim(
    "MX-C2-DIV.4",
    headline="Which algorithm diverges first on the paper's own tasks cannot be checked here",
    source="Appendix C.2, C.4.3",
    printed=dict(order=("1.0", "3.0", "5.0")),
    statement=r"\text{2-way GT diverges first, on the paper's tasks}",
    summary="The observation itself was made on the paper's tasks and networks.",
    controls=[Control("the rates in another order", dict(order=("3.0", "1.0", "5.0")))],
)
def observation(order: tuple[str, ...]) -> Evidence:
    """The rates up to which 2-way GT, PT and 1-way GT are printed to converge must grow in this order."""
    rates = [F(value) for value in order]
    if rates != sorted(rates):
        return read(
            False,
            rung=Rung.READING,
            method="printed rates in the printed order",
            examined=3,
            margin=-1.0,
            counterexample=f"2-way GT converges up to {order[0]}, Parallel Training up to {order[1]} only",
        )
    return Evidence(
        Rung.READING,
        Outcome.NOT_CHECKABLE,
        "The printed rates follow the printed order; the runs are not available.",
        examined=3,
        would_settle="CelebA, Stack Overflow, Wikipedia and MovieLens with the authors' networks and sweeps",
    )


if __name__ == "__main__":
    run_script(__file__)
