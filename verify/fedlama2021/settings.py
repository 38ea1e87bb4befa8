"""Settings of the FedLAMA paper's experiments: what is told of them, and that its theorem does not cover drawn clients."""

from fractions import Fraction
from itertools import product

from fltheory.evidence.algebra import statement_in_mean
from fltheory.evidence.decide import read
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.kinds import expectation_claim, qualitative_of_an_instance, run_script, table_claim
from fltheory.evidence.model import Control, Evidence, Outcome, Rung

_MEASURED = "the authors' programs and data: clients, batches, grid of learning rates, seeds, writers drawn"


def told(numbers: tuple[int, ...], least: int) -> Evidence:
    """Of settings that are told only the numbers can be checked: whole and not below ``least``."""
    small = [number for number in numbers if number < least]
    if small:
        return read(
            False, rung=Rung.READING, method="Range of the numbers.", examined=1, counterexample=f"{small[0]} < {least}"
        )
    return Evidence(
        Rung.READING, Outcome.NOT_CHECKABLE, "Only the numbers can be checked.", len(numbers), would_settle=_MEASURED
    )


common = table_claim(
    "LA-EXP-COMMON",
    source="Section 6, experimental settings",
    statement=r"128\text{ clients, batches of }32,\ \ge3\text{ runs, warm-up over }10\text{ epochs}",
    headline="The common settings of the experiments are told and cannot be checked here",
    summary="128 clients, local batches of 32, learning rates by grid search, at least three runs, a warm-up over ten epochs.",
    printed=dict(numbers=(128, 32, 3, 10), least=1),
    controls=[Control("no client", dict(numbers=(0, 32, 3, 10)))],
)(told)

writers = table_claim(
    "LA-EXP-FEM",
    source="Section 6.1, FEMNIST",
    statement=r"3550\text{ writers, a random }10\%\text{ of their training samples}",
    headline="FEMNIST's writers and the share of their samples that is used cannot be checked here",
    summary="FEMNIST has the digits and letters of 3,550 writers, of which a random tenth of the training samples is used.",
    printed=dict(numbers=(3550, 10), least=1),
    controls=[Control("no writer", dict(numbers=(0, 10)))],
)(told)

drawn = table_claim(
    "LA-EXP-PART",
    source="Section 6, Tables 3 to 5",
    statement=r"25, 50, 100\%\text{ of the clients, drawn anew every }\phi\tau'\text{ iterations}",
    headline="Which clients took part in the experiments is told and cannot be checked here",
    summary="A quarter, a half or all of the clients take part, drawn anew every phi tau' iterations.",
    printed=dict(numbers=(25, 50, 100), least=1),
    controls=[Control("none of the clients", dict(numbers=(0, 50, 100)))],
)(told)


def mean_squared_gradient(eta: Fraction, rounds: int, together: bool) -> Fraction:
    """``(1/T) sum_{t<T} E|F'(u_t)|^2`` for F_1 = (x-1)^2/2, F_2 = (x+1)^2/2, tau = 1, from 0: one client drawn, or both."""
    total, sequences = Fraction(0), list(product((1, -1), repeat=rounds))
    for clients in sequences:
        u = Fraction(0)
        for client in clients:
            total += u**2
            u -= eta * (u if together else u - client)
    return total / (rounds * len(sequences))


@qualitative_of_an_instance(
    "LA-EXP-PART-U1",
    source="Section 6, with Theorem 5.3",
    statement=r"m=2,\ F_{1,2}=\tfrac12(x\mp1)^2,\ \tau=1,\ T=2,\ \sigma=0,\ u_0=0:\quad"
    r"\tfrac1T\textstyle\sum_{t<T}\mathbb{E}\|\nabla F(u_t)\|^2=\tfrac{\eta^2}{2}>0=\tfrac{4}{\eta\tau T}(F(u_0)-F(u_*))",
    headline="Theorem 5.3 does not hold for clients that are drawn in every round, as in the experiments",
    summary="Two clients, one local step, exact gradients, beta^2 = kappa^2 = 1, one client drawn per round, from the minimiser of "
    "the mean: the right side of Theorem 5.3 is 0, while the mean squared gradient over two rounds is eta^2/2 > 0.",
    printed=dict(together=False),
    controls=[Control("both clients in every round", dict(together=True))],
)
def not_covered(together: bool) -> Evidence:
    """The left side of the theorem for a step size within its condition; the right side vanishes term by term."""
    eta, rounds = Fraction(1, 2), 2
    gap, noise, local = Fraction(0), Fraction(0), 0  # F(0) - F(0), sigma^2, tau - 1
    right = 4 * gap / (eta * rounds) + noise + 6 * eta**2 * local
    left = mean_squared_gradient(eta, rounds, together)
    return read(
        left == eta**2 / 2 and left > right,
        rung=Rung.EXACT,
        method="All sequences of drawn clients are enumerated; the step size 1/2 is within the theorem's condition eta <= 1.",
        examined=2**rounds,
        counterexample=f"left side {left}, right side {right}",
        numbers={"left side": str(left), "right side": str(right), "eta": str(eta)},
    )


compressed = statement_in_mean(
    "LA-COMPR",
    InMean("dot(z, mean(x + n, k)) = dot(z, mean(x, k))", things="z; x over k; n over k xi, mean 0 over xi", over="xi"),
    false={"twice the mean": ("= dot(z, mean(x, k))", "= 2*dot(z, mean(x, k))")},
    without={"compression with a bias": "mean of n"},
    group=expectation_claim,
    headline="Compression without bias leaves the mean of a layer's updates as it is, on average",
    summary="If each client's update of a layer is compressed without bias, the mean over the clients of what is sent has, "
    "in every direction z, the expectation of the mean of the updates.",
    source="Section 2, compression methods",
)


if __name__ == "__main__":
    run_script(__file__)
