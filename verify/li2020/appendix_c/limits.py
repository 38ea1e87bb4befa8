"""Appendix C.4 (2) of Li et al. (2020): the limit E -> infinity of the round map and of its fixed point (mu = 0).

``(I - eta A_k)^E`` tends to the projector onto the null space of ``A_k``: the identity outside block k, and inside it
zero for the grounded clients at the ends, the mean over the block for the others.  Entries are compared class by class
(symbolic N, p, k) and on small instances with exact projectors.
"""

from collections.abc import Callable
from itertools import product

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.kinds import identity_claim, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.proofs import nonnegative_on
from fltheory.theory.steps import Tests, identity
from verify.li2020.appendix_c.closed_forms import (
    N,
    p,
)
from verify.li2020.appendix_c.example import Example, block_start, instances, limit_of_round_map, norm_squared

limit_claim = identity_claim.sharing(source="Appendix C.4 (2)")

_POWERS = "(I - eta A_k)^E tends to the projector onto the null space of A_k, from which the numbers are computed"
GENERAL = "all N >= 2, p >= 2, mu = 0, 0 < eta <= 1/2"


def limit_point(example: Example) -> list[sp.Expr]:
    """The limit of the fixed point: it solves ``(I - lim M) w = w~/N``."""
    local = sp.Matrix([sp.Rational(int(i <= example.block), example.n_clients) for i in range(example.dimension)])
    return list((sp.eye(example.dimension) - limit_of_round_map(example)).LUsolve(local))


def spectral_step() -> Tests:
    """``x^E -> 0`` for nonzero eigenvalues: ``|1 - eta lambda| < 1`` for ``0 < lambda < 4``, ``0 < eta <= 1/2``."""
    eta, lam = sp.symbols("eta lambda")
    ranges = [(eta, 0, sp.Rational(1, 2)), (lam, 0, 4)]
    return {
        "-1 <= 1 - eta lambda <= 1 (ends excluded)": lambda: (
            nonnegative_on(2 - eta * lam, ranges) and nonnegative_on(eta * lam, ranges)
        )
    }


li_einf_a = statement_of_algebra(
    "LI-EINF-a",
    Relations(
        "-1 < 1 - eta*lam < 1; 2*u - u = 1; 2*u - u - u = 0; 2*u - u - z = 0; z - u = 0 for N >= 2; p >= 2; 0 < lam < 4; "
        "0 < eta <= 1/2; u = 1; z = 1",
        names={"lam": r"\lambda", "u": r"\tilde w_i", "z": r"\tilde w_{p+1}"},
    ),
    says=r"\lim_{E\to\infty}\eta\sum_{l=0}^{E-1}(I-\eta A_1)^lb=A_1^+b_1=\tilde w=(1^{p+1},0^{(N-1)p}),\text{ by the factors "
    r"at the eigenvalues }\lambda\ne0\text{ of }A_1\text{ and the rows }1,\ 2\le i<p,\ p,\ p+1\text{ of }A_1\tilde "
    r"w=b_1=e_1:\quad ",
    false={"p+1 ones -> p ones": ("z = 1", "z = 0")},
    group=limit_claim,
    depends=("LI-PR1-2", "LI-PR1-4.3"),
    prose="eta sum_l (I-eta A_1)^l A_1 w~ = w~ - (I-eta A_1)^E w~, and the last term tends to 0: w~ vanishes outside block "
    "1, where A_1 is invertible (LI-PR1-2), so that it lies in the range of A_1",
    summary="Many local steps from zero bring client 1 to its minimiser of least norm.",
)


def differ(truth: sp.Expr, claimed: sp.Expr, where: str) -> Witness:
    """An entry of the limit, computed by the example, that is claimed to be another number."""
    limit, formula = sp.symbols("limit formula")
    return Witness({limit: truth, formula: claimed}, limit, "=", formula, setting=where)


def printed_limit(example: Example, sign: int, corner: int) -> sp.Matrix:
    """``diag{(1-1/N)I; (1-1/N)I + (sign M' - corner C)/N; (1-1/N)I}`` with M', C as described in the text."""
    n, count = example.dimension, example.n_clients
    inner, corners = sp.zeros(n, n), sp.zeros(n, n)
    starts = [block_start(client, example.block) - 1 for client in range(2, count + 1)]
    for start in starts[:-1]:
        for i, j in product(range(start, start + example.block + 1), repeat=2):
            inner[i, j] += sp.Rational(1, example.block + 1)
    for start in starts:
        corners[start, start] = 1
    return (1 - sp.Rational(1, count)) * sp.eye(n) + (sign * inner - corner * corners) / count


def smallest_failures(failure: Callable[[Example], Witness | None]) -> Tried:
    """The witnesses among the examples that break a formula: of those with N <= 3 and p = 2 if there are any."""
    every = instances(4, 3)
    found = {example: witness for example in every if (witness := failure(example)) and witness.refutes}
    small = {e: witness for e, witness in found.items() if e.block == 2 and e.n_clients <= 3} or found
    kept = {example.name: certificates.witness(witness) for example, witness in small.items()}
    words = "; ".join(f"{example.name}: {witness.text}" for example, witness in small.items())
    return Tried(len(every), words, certificate=kept or None, prose=_POWERS)


def limit_map_check(sign: int, corner: int) -> Evidence:
    """Compare the formula with the mean of the projectors, by classes of entries and on instances."""
    share = 1 / (p + 1)
    truth_formula = {
        "coordinates of the end blocks only": (N - 1, N - 1),
        "inside an inner block, diagonal": (N - 1 + share, N - 1 + sign * share),
        "inside an inner block, off the diagonal": (share, sign * share),
        "corner between an end block and an inner one": (N - 2 + share, N - 1 + sign * share - corner),
        "corner between two inner blocks": (N - 2 + 2 * share, N - 1 + 2 * sign * share - corner),
        "the only corner, N = 2": (sp.Integer(0), sp.Integer(1 - corner)),
    }
    steps = spectral_step() | {name: identity(name, true, formula) for name, (true, formula) in truth_formula.items()}

    def failure(example: Example) -> Witness | None:
        truth, formula = limit_of_round_map(example), printed_limit(example, sign, corner)
        wrong = [(i, j) for i, j in product(range(example.dimension), repeat=2) if truth[i, j] != formula[i, j]]
        return (
            differ(truth[wrong[0]], formula[wrong[0]], "entry {},{}".format(*(at + 1 for at in wrong[0])))
            if wrong
            else None
        )

    return decide(
        steps,
        smallest_failures(failure),
        method="N times an entry of the limit counts the clients that leave it alone and adds 1/(p+1) per inner block "
        "that contains it; six classes of entries cover the matrix.",
        valid_for=GENERAL,
    )


_LIMIT = r"\lim_{E\to\infty}M=\mathrm{diag}\{(1-\tfrac1N)I_p;\ %s;\ (1-\tfrac1N)I_p\}"

li_einf_b = limit_claim(
    "LI-EINF-b",
    fault="substance",
    statement=_LIMIT % r"(1-\tfrac1N)I-\tfrac1NM'",
    headline="The limit matrix for many local steps has a wrong sign and misses coordinates",
    summary="Block form of the limit of the round map: the sign of M' is wrong and the shared coordinates are "
    "missing (seen at N = 2, where there is no M', and at N = 3, the first case with one).",
    printed=dict(sign=-1, corner=0),
    repair="LI-EINF-b-R1",
    controls=[Control("sign + and one subtracted at the shared coordinates", dict(sign=1, corner=1), must="pass")],
)(limit_map_check)

li_einf_b_repaired = limit_claim(
    "LI-EINF-b-R1",
    headline="The limit matrix for many local steps, with the right sign and all coordinates",
    statement=_LIMIT % r"(1-\tfrac1N)I+\tfrac1N(M'-C)" + r",\quad C=\sum_{j=2}^Ne_{a_j}e_{a_j}^\top,\ a_j=(j-1)p+1",
    summary="The limit of the round map is the printed one with the right sign and with the shared coordinates.",
    printed=dict(sign=1, corner=1),
    controls=[Control("without C", dict(corner=0)), Control("sign of M' turned", dict(sign=-1))],
)(limit_map_check)


#: Entries of the limit: x inside block k, y and z inside its neighbours, u and v at its ends; row by row of ``(I - M' + C) w``.
STAIRCASE = Relations(
    "x = ((p - 1)*x + u + v)/(p + 1); (1 + c)*u - y = x; u = (2*N - 2*k + 1)/(2*(N - 1)); first = 1; last = 0 "
    "for N >= 2; p >= 2; k >= 1; x = (N - k)/(N - 1); y = (N - k + 1)/(N - 1); z = (N - k - 1)/(N - 1); u = (x + y)/2; "
    "v = (x + z)/2; first = (N - 1)/(N - 1); last = (N - N)/(N - 1); c = 1",
    names={
        "x": "w_k",
        "y": "w_{k-1}",
        "z": "w_{k+1}",
        "u": "w_{a_k}",
        "v": "w_{a_{k+1}}",
        "first": "w_{k=1}",
        "last": "w_{k=N}",
    },
)
_SOLVES = (
    "the limit solves (I - lim M) w = w~/N (I - lim M is invertible, since the null spaces meet in 0), so that entries in a "
    "block equal its mean, and twice a corner is the sum of the two means"
)


def printed_point_check(corner: int) -> Evidence:
    """Middle part of the limit point as the first column of ``(I - M' + corner C)^{-1}``."""
    stated = STAIRCASE.with_text(STAIRCASE.text.replace("; c = 1", f"; c = {corner}"))

    def failure(example: Example) -> Witness | None:
        # I - M' (+ C) is N times the middle part of I minus the formula of LI-EINF-b with the sign +.
        formula = example.n_clients * (sp.eye(example.dimension) - printed_limit(example, 1, corner))
        middle = formula[example.block : -example.block, example.block : -example.block]
        if middle.det() == 0:
            det = sp.Symbol("det")
            return Witness({det: middle.det()}, Side("det(I - M')", det), "!=", 0, setting="V exists")
        claimed = [1] * example.block + list(middle.inv()[:, 0]) + [0] * example.block
        pairs = enumerate(zip(limit_point(example), claimed, strict=True), 1)
        return next((differ(*pair, f"entry {at}") for at, pair in pairs if pair[0] != pair[1]), None)

    kept, found = stated.certificate, smallest_failures(failure)
    return decide(stated.proof, found, method=_SOLVES, valid_for=GENERAL, certificate=kept, prose=_SOLVES)


li_einf_c = limit_claim(
    "LI-EINF-c",
    fault="substance",
    statement=r"\lim_{E\to\infty}\tilde w^*=(1^p,V_{11},\dots,V_{(N-2)p+1,1},0^p),\quad V=(I-M')^{-1}",
    headline="The limit point for many local steps is given by a matrix that need not exist",
    summary="Limit of the fixed point: right shape, but V is not (I-M')^{-1} (which gives 1 instead of 1/2 at N=2 "
    "and does not exist at N=3).",
    printed=dict(corner=0),
    repair="LI-EINF-c-R1",
    controls=[Control("V = (I - M' + C)^{-1}", dict(corner=1), must="pass")],
)(printed_point_check)

li_einf_c_repaired = statement_of_algebra(
    "LI-EINF-c-R1",
    STAIRCASE,
    says=r"V=(I-M'+C)^{-1};\quad \text{entries } \tfrac{N-k}{N-1} \text{ inside block } k,\ "
    r"\tfrac{2N-2k+1}{2(N-1)} \text{ at } a_k:\quad ",
    false={"without C": ("; c = 1", "; c = 0")},
    group=limit_claim,
    prose=_SOLVES,
    summary="The limit of the fixed point has a closed form: a staircase from 1 to 0.",
)


APART = Relations(
    "w - x = h; w != x for N >= 2; p >= 2; h = 1/(N*p + 2); x = 1 - h; w*(N - 1) = N - 1",
    uses={0: {"w*(N - 1) = N - 1": "1/(N - 1)"}, 1: {"w*(N - 1) = N - 1": "1/(N - 1)"}},
    names={"w": r"\lim_{E\to\infty}\tilde w^*_1", "x": "w^*_1"},
)


@qualitative_claim(
    "LI-EINF-d",
    source="Appendix C.4 (2)",
    depends=("LI-EINF-c-R1", "LI-PR1-4.2"),
    statement=(
        r"\lim_{E\to\infty}\tilde w^*\ne w^*,\text{ in the first coordinate, }\tfrac{N-1}{N-1}\text{ against }1-h:\quad ",
        APART,
    ),
    summary="The limit of many local steps is not the minimiser.",
    printed=dict(text=APART.text),
    controls=[Control("N = 1 allowed", dict(text=APART.changed("N >= 2", "N >= 1").text))],
)
def li_einf_d(text: str) -> Evidence:
    apart = {e.name: str(norm_squared(sp.Matrix(limit_point(e)) - e.optimum)) for e in instances(3, 3)}
    return by_relations(
        APART.with_text(text),
        numbers={"squared distance": apart},
        prose="the first entries of the closed forms of both points",
    )


if __name__ == "__main__":
    run_script(__file__)
