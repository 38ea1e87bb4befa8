"""Background of the lecture note: traffic counts, communication per gradient, partitions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import algebra_claim, definition_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.steps import Instance, Proof, equality, identity

N, b, j, c = sp.symbols("N b j c", positive=True)


parameter_server = statement_of_algebra(
    "LEC-PS",
    Relations("N*b + N*b = 2*N*b for N >= 1; b > 0"),
    false={"one broadcast for all workers": ("N*b + N*b", "N*b + b")},
    group=algebra_claim,
    says=r"\text{server traffic per iteration, a message of }b\text{ bits up and one down per worker: }",
    source="parameter server figure",
    prose="that N messages of b bits go up and N down is put into the relation",
    summary="Every worker sends and receives one model of b bits: 2Nb pass the server, linear in N.",
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
    headline="Averaging around a ring costs each worker a bounded volume, however many workers there are",
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


communication_per_gradient = statement_of_algebra(
    "LEC-COMMK",
    Relations("R*(2*b)/(R*K) = 2*b/K <= 2*b for R > 0; b >= 0; K >= 1"),
    headline="More local steps per exchange divide the traffic, up to a number that keeps the rate",
    false={"no gain from K": ("= 2*b/K", "= 2*b")},
    group=algebra_claim,
    says=r"R\text{ rounds of }K\text{ gradients, one model of }b\text{ bits down and up: }",
    source="FedAvg slide annotation",
    prose="that R rounds send R (b + b) bits for R K gradients is put into the relation",
    summary="K local steps per exchange divide the traffic per gradient by K; Corollary 2 allows K up to "
    "T^(1/4)/N^(3/4) at its rate.",
)

#: The loss of two clients, less what is left without the data of one or the other, plus what is left without both.
PARTITIONS = {
    "samples": Relations("((a_1*x - u_1)**2 + (a_2*x - u_2)**2)/2 - (a_2*x - u_2)**2/2 - (a_1*x - u_1)**2/2 = 0"),
    "features": Relations("(a_1*x_1 + a_2*x_2 - y)**2/2 - (a_2*x_2 - y)**2/2 - (a_1*x_1 - y)**2/2 + y**2/2 = 0"),
}


@definition_claim(
    "LEC-XSILO",
    headline="Data split by samples fit the problem; split by features the loss can couple the clients",
    statement=(
        r"f=\tfrac1N\textstyle\sum_if_i,\ f_i\text{ computed from client }i\text{'s data alone: }",
        PARTITIONS["samples"],
    ),
    printed=dict(partition="samples"),
    source="cross-silo slide",
    summary="Partition by samples (horizontal) fits the note's problem; by features (vertical) the loss in general couples "
    "the clients and then does not.",
    controls=[Control("partition by features", dict(partition="features"))],
)
def partitions(partition: str) -> Evidence:
    return by_relations(
        PARTITIONS[partition],
        prose="shown for the least squares of two clients; a mixed difference of 0 tells that f is a sum",
    )


if __name__ == "__main__":
    run_script(__file__)
