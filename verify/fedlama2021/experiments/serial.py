r"""Clients that are trained one after the other in each process, and averaged over the processes at once (Section 6).

Between two averagings a client's run depends on its own model, data and draws, so that the order in which the clients run
does not enter.  What is left is the average: every process sums over its own clients, then the processes are put together.
"""

from __future__ import annotations

from fractions import Fraction

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import read
from fltheory.evidence.kinds import algebra_claim, run_script, table_of_an_instance
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations

serial = statement_of_algebra(
    "LA-EXP-SERIAL",
    Relations(
        "(n*(s/n) + k*(t/k))/(n + k) = (s + t)/(n + k); (q + (S - 2*s*u + n*u**2)) + (T - 2*t*u + k*u**2) = q + (S + "
        "T) - 2*(s + t)*u + (n + k)*u**2 for n >= 1; k >= 1",
        names={"s": r"\textstyle\sum_{i\le n}x^i", "t": r"\textstyle\sum_{i>n}x^i"},
    ),
    false={
        "the plain mean of the processes' means": ("(n*(s/n) + k*(t/k))/(n + k)", "(s/n + t/k)/2"),
        "d_l about each process's own mean": ("- 2*t*u + k*u**2)", "- 2*t*(t/k) + k*(t/k)**2)"),
    },
    group=algebra_claim,
    source="Section 6, before (8)",
    headline="Clients that run serially in processes give the same averages in exact arithmetic",
    summary="The sums of n and of k clients, put together with their numbers, are the average over all n + k clients, "
    "for every coordinate; and the squared distances from it, of which d_l is made, add up in the same way. One "
    "process after the other joins, so that any number of processes gives what all clients at once give, and hence "
    "the same models and classifications. In exact arithmetic, with draws that belong to the clients; rounding is "
    "another matter (LA-EXP-SERIAL-U1).",
    prose="processes join one after the other; a client's local run between two averagings depends on nothing of "
    "another client",
)


@table_of_an_instance(
    "LA-EXP-SERIAL-U1",
    source="Section 6, before (8)",
    headline="In floating point, sums by processes can differ in the last bit and change a class",
    statement=r"((x^1+x^2)+x^3)+x^4\ne(x^1+x^2)+(x^3+x^4)\text{ in binary64 at }x=(0.1,0.1,0.1,0.4)",
    summary="A limit of the sentence: four clients with parameters 0.1, 0.1, 0.1 and 0.4, averaged one after the "
    "other, give a parameter that is larger in its last bit than that of two processes with two clients each. As the "
    "score of one class against a fixed score at the smaller of the two values, it decides the class in one case and "
    "is a tie in the other.",
    printed=dict(parameters=("0.1", "0.1", "0.1", "0.4"), same=False),
    controls=[
        Control("parameters in eighths, whose sums are exact", dict(parameters=("0.125", "0.125", "0.125", "0.5"))),
        Control("the same bits", dict(same=True)),
    ],
)
def in_floats(parameters: tuple[str, ...], same: bool) -> Evidence:
    """Both sums in floats, compared as the rationals that they are."""
    a, b, c, d = (float(text) for text in parameters)
    at_once, by_process = ((a + b) + c) + d, (a + b) + (c + d)
    gap = Fraction(at_once / 4) - Fraction(by_process / 4)
    words = f"({', '.join(parameters)}): means {at_once / 4!r} and {by_process / 4!r}, difference {gap}"
    return read(
        (gap == 0) == same,
        rung=Rung.EXACT,
        method="The four numbers added in binary64 in the two orders; the two means compared exactly.",
        examined=1,
        counterexample=words,
        numbers={"at once": repr(at_once / 4), "by process": repr(by_process / 4)},
    )


if __name__ == "__main__":
    run_script(__file__)
