"""Background of the lecture note: traffic counts, communication per gradient, partitions."""

from collections.abc import Iterator
from fractions import Fraction

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import algebra_claim, definition_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.steps import Instance, equality

parameter_server = statement_of_algebra(
    "LEC-PS",
    Relations(
        "bits = 2*workers*b for b > 0; first_workers = 1; next_workers = workers + 1; first_bits = b + b; next_bits = bits + b + b",
        uses={0: {"bits = 2*workers*b": "1"}},
    ),
    false={
        "one broadcast for all workers": (
            "next_bits = bits + b + b",
            "next_bits = bits + b",
        )
    },
    group=algebra_claim,
    says=r"\text{traffic of an iteration, one worker after the other, each with a model of }b\text{ bits up and one down: }",
    source="parameter server figure",
    headline="The traffic at a parameter server is linear in the number of workers",
    summary="Every worker sends and receives one model of b bits, so that 2b pass the server for each: linear in their number.",
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


#: A chunk that set out from worker c and has come to worker w; v are the bits that every worker has sent in a pass.
RING = Relations(
    "n = w - c + 1; v = b/N*(w - c); 2*v = 2*b*(N - 1)/N + 2*b/N*(n - N); 2*b*(N - 1)/N <= 2*b for b > 0; N >= 2; "
    "first_w = c; next_w = w + 1; first_n = 1; next_n = n + 1; first_v = 0; next_v = v + b/N",
    uses={
        0: {"n = w - c + 1": "1"},
        1: {"v = b/N*(w - c)": "1"},
        2: {"v = b/N*(w - c)": "2", "n = w - c + 1": "-2*b/N"},
    },
)


@algebra_claim(
    "LEC-RAR",
    headline="Averaging around a ring costs each worker a bounded volume, however many workers there are",
    statement=(
        r"\text{a chunk of }b/N\text{ bits from worker }c\text{ at }w,\ n\text{ its summands, or its holders; a worker "
        r"has sent }v\text{; a pass ends at }n=N\text{: }",
        RING,
    ),
    printed=dict(missing=0),
    prose="in every hop every worker sends one chunk to the next one on the ring; in the first pass n counts the summands of a "
    "chunk, in the second one the workers that hold its sum",
    source="ring all-reduce figure (the count is derived, not printed)",
    summary="The figure prints no number; two passes of N-1 hops with chunks of b/N give 2b(N-1)/N per worker, "
    "bounded in N.",
    controls=[Control("one hop less in each pass", dict(missing=1))],
)
def ring_all_reduce(missing: int) -> Evidence:
    """A pass ends at n = N, or ``missing`` hops before; both passes are run, too."""
    stated = RING.changed("(n - N)", f"(n - (N - {missing}))") if missing else RING
    runs = {workers: ring(workers, workers - 1 - missing) for workers in (2, 3, 8)}

    def instances() -> Iterator[Instance]:
        for workers, (complete, sent) in runs.items():
            yield Instance(f"N={workers}: incomplete sums", Fraction(0 if complete else 1), Fraction(0))
            yield equality(f"N={workers}: chunks sent per worker", Fraction(sent), Fraction(2 * (workers - 1)))

    return decide(
        stated.proof,
        instances,
        method="Induction over the hops of one chunk, and simulation of both passes.",
        certificate=stated.certificate if stated.proof[0] else None,
        numbers={f"models of b bits sent by each of {n} workers": Fraction(sent, n) for n, (_, sent) in runs.items()},
        valid_for="all N >= 2",
    )


communication_per_gradient = statement_of_algebra(
    "LEC-COMMK",
    Relations(
        "bits = 2*b/K*gradients for b >= 0; K >= 1; "
        "first_bits = 0; next_bits = bits + b + b; first_gradients = 0; next_gradients = gradients + K",
        uses={0: {"bits = 2*b/K*gradients": "1"}},
    ),
    headline="More local steps per exchange divide the traffic per gradient",
    false={"no gain from K": ("2*b/K*", "2*b*")},
    group=algebra_claim,
    says=r"\text{one round after the other, each with }K\text{ gradients and one model of }b\text{ bits down and up: }",
    source="FedAvg slide annotation",
    summary="With K local steps per exchange a client and the server exchange 2b/K bits per gradient.",
)

#: Least squares of two clients with data (a_i, u_i): one sample each, or one feature each of a sample with the label y.
#: Of a sum of p, of the first client's data, and q, of the second one's, the mixed difference vanishes (0: without data).
_BY_SAMPLES = "((a_1*x - u_1)**2 + (a_2*x - u_2)**2)/2 = (f_1 + f_2)/2"
_OF_A_SUM = "(p_1 + q_1) - (p_0 + q_1) - (p_1 + q_0) + (p_0 + q_0) = 0"
_BY_FEATURES = "F_11 - F_01 - F_10 + F_00 = a_1*x_1*a_2*x_2 > 0"
_F = "; ".join(f"F_{i}{j} = ({i}*a_1*x_1 + {j}*a_2*x_2 - y)**2/2" for i in (0, 1) for j in (0, 1))

partitions = statement_of_algebra(
    "LEC-XSILO",
    Relations(
        f"{_BY_SAMPLES}; {_OF_A_SUM}; {_BY_FEATURES} "
        f"for f_1 = (a_1*x - u_1)**2; f_2 = (a_2*x - u_2)**2; a_1 > 0; a_2 > 0; x_1 > 0; x_2 > 0; {_F}"
    ),
    headline="With a sample each the loss is a mean over clients; with a feature each it can couple them",
    false={"features as if they were samples": (_BY_FEATURES, _BY_FEATURES.replace("= a_1*x_1*a_2*x_2 > 0", "= 0"))},
    group=definition_claim,
    says=r"f=\tfrac1N\textstyle\sum_if_i,\ f_i\text{ computed from client }i\text{'s data alone: }",
    source="cross-silo slide",
    summary="For least squares of two clients with one sample each the loss is a mean of functions of one client's data. With one "
    "feature each it is not: a mixed difference over the clients' data, which vanishes for every sum, is not 0.",
)


if __name__ == "__main__":
    run_script(__file__)
