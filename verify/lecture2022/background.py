"""Background of the lecture note: traffic counts, communication per gradient, partitions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide, read
from fltheory.evidence.kinds import algebra_claim, definition_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.steps import Instance, Proof, equality, identity, sign

N, b, K, T, j, c = sp.symbols("N b K T j c", positive=True)


@algebra_claim(
    "LEC-PS",
    statement=r"\text{server traffic}=2Nb\text{ per iteration}",
    printed=dict(downlink="to each worker"),
    source="parameter server figure",
    summary="Every worker sends and receives one model of b bits: 2Nb pass the server, linear in N.",
    controls=[Control("one broadcast for all workers", dict(downlink="broadcast"))],
)
def parameter_server(downlink: str) -> Evidence:
    down = N * b if downlink == "to each worker" else b

    def count(workers: int) -> int:
        sent = [("up", i) for i in range(workers)]
        sent += [("down", i) for i in range(workers if downlink == "to each worker" else 1)]
        return len(sent)

    return decide(
        Proof((identity("uplink and downlink", N * b + down, 2 * N * b),)),
        lambda: [
            equality(f"N={n} workers, messages of b bits", Fraction(count(n)), Fraction(2 * n)) for n in (1, 2, 5)
        ],
        method="Per worker one message up and one down.",
        valid_for="all N, point-to-point messages",
    )


def ring(workers: int, hops: int) -> tuple[bool, int]:
    """Reduce-scatter and all-gather on a ring: are all sums complete, and how many chunks does each worker send?"""
    held = [[{i} for _ in range(workers)] for i in range(workers)]
    sent = 0
    for phase in range(2):
        for hop in range(hops):
            moved = [(i, (i + phase - hop) % workers) for i in range(workers)]
            chunks = [set(held[i][chunk]) for i, chunk in moved]
            for (i, chunk), content in zip(moved, chunks, strict=True):
                held[(i + 1) % workers][chunk] |= content
            sent += 1
    return all(len(chunk) == workers for row in held for chunk in row), sent


@algebra_claim(
    "LEC-RAR",
    statement=r"\text{ring all-reduce: each worker sends }2b(N-1)/N",
    printed=dict(missing=0),
    source="ring all-reduce figure (the count is derived, not printed)",
    summary="The figure prints no number; two passes of N-1 hops with chunks of b/N give 2b(N-1)/N per worker, "
    "bounded in N.",
    controls=[Control("one hop less in each pass", dict(missing=1))],
)
def ring_all_reduce(missing: int) -> Evidence:
    hops = N - 1 - missing
    steps = (
        identity("worker c+j sends chunk c in hop j", (c + j) - j, c),
        identity("its receiver c+j+1 holds the summands c..c+j+1", (c + j + 1) - c + 1, (j + 1) + 1),
        identity("after the last hop a chunk has N summands", hops + 1, N),
        identity("traffic", 2 * hops * b / N, 2 * b * (N - 1) / N),
    )

    def instances() -> Iterator[Instance]:
        for workers in (2, 3, 8):
            complete, sent = ring(workers, workers - 1 - missing)
            yield Instance(f"N={workers}: incomplete sums", Fraction(0 if complete else 1), Fraction(0))
            yield equality(f"N={workers}: chunks sent per worker", Fraction(sent), Fraction(2 * (workers - 1)))

    return decide(
        Proof(steps),
        instances,
        method="Induction over the hops of one chunk, and simulation of both passes.",
        valid_for="all N >= 2",
    )


@algebra_claim(
    "LEC-COMMK",
    statement=r"\text{bits per gradient and client}=2b/K",
    printed=dict(power=1),
    source="FedAvg slide annotation",
    summary="K local steps per exchange divide the traffic per gradient by K; Corollary 2 allows K up to "
    "T^(1/4)/N^(3/4) at its rate.",
    controls=[Control("no gain from K", dict(power=0))],
)
def communication_per_gradient(power: int) -> Evidence:
    rounds, exchanged = sp.Symbol("R", positive=True), 2 * b
    p, q = sp.symbols("p q", positive=True)  # N = p^4, T = q^4
    steps = (
        identity("R rounds of K gradients and one exchange", rounds * exchanged / (rounds * K), 2 * b / K**power),
        sign("at most as much as with K = 1", 2 * b - 2 * b / K**power, [(b, 0, None), (K, 1, None)]),
    )
    largest = q / p**3
    return decide(
        Proof(steps),
        lambda: [equality(f"K={k}, b=1: bits per gradient", Fraction(2, k), Fraction(2, k**power)) for k in (1, 2, 5)],
        method="One model down and one up per round of K gradients.",
        valid_for="all K, N",
        numbers={"rounds T/K at the largest K of Corollary 2 (N=p^4, T=q^4)": sp.simplify(q**4 / largest)},
    )


@definition_claim(
    "LEC-XSILO",
    statement=r"f=\tfrac1N\textstyle\sum_if_i,\ f_i\text{ computed from client }i\text{'s data alone}",
    printed=dict(partition="samples"),
    source="cross-silo slide",
    summary="Partition by samples (horizontal) fits the note's problem; by features (vertical) the loss couples the "
    "clients and does not.",
    controls=[Control("partition by features", dict(partition="features"))],
)
def partitions(partition: str) -> Evidence:
    a1, a2, target, x1, x2, u1, u2 = sp.symbols("a_1 a_2 y x_1 x_2 u_1 u_2")
    if partition == "samples":
        loss = (a1 * x1 - u1) ** 2 / 2 + (a2 * x1 - u2) ** 2 / 2
        data = ((a1, u1), (a2, u2))
    else:
        loss = (a1 * x1 + a2 * x2 - target) ** 2 / 2
        data = ((a1,), (a2,))
    # A sum of functions of one client's data each has no mixed derivative between two clients' data.
    mixed = sp.simplify(sp.diff(loss, data[0][0], data[1][0]))
    return read(
        mixed == 0,
        method="Mixed derivative of the squared loss in the data of two clients; a sample enters one summand only.",
        examined=1,
        numbers={"mixed derivative": mixed},
        valid_for="any sum of losses over samples",
        counterexample=f"loss (a_1 x_1 + a_2 x_2 - y)^2/2 with a_1 at client 1 and a_2 at client 2: d^2 "
        f"loss/(da_1 da_2) = {mixed}",
    )


if __name__ == "__main__":
    run_script(__file__)
