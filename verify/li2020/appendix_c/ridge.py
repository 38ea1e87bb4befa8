"""The last paragraph of Appendix C.4 in Li et al. (2020): what a ridge mu > 0 changes in the discussion of E.

The bound (34) with a ridge is in theorem_5.py.
"""

from dataclasses import replace
from functools import partial

import sympy as sp

from fltheory.evidence.algebra import by_matrices, by_relations, statement_of_algebra
from fltheory.evidence.kinds import identity_claim, inequality_claim, qualitative_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from verify.li2020.appendix_c.example import Example, instances, norm_squared
from verify.li2020.appendix_c.ridge_identities import large_step
from verify.li2020.appendix_c.round_map import one_local_step
from verify.li2020.appendix_c.stationary_points import moved_by_every_step

contraction_claim = inequality_claim.sharing(source="Appendix C.4, last paragraph")
ridge_conclusion = qualitative_claim.sharing(source="Appendix C.4, last paragraph")
ridge_identity = identity_claim.sharing(source="Appendix C.4, last paragraph")

ALL = "all N >= 2, p >= 2"
RIDGES = (sp.Rational(1, 20), sp.Rational(1, 5))


BELOW_ONE = Relations(
    "-1 < 1 - eta*(lam + mu) < 1 for mu > 0; 0 <= lam < 4; 0 < eta < 1/(4 + mu)",
    at={"mu": "1/5", "lam": "399/100", "eta": "49/100"},
    names={"lam": r"\lambda"},
)
_RADIUS = (
    r"\rho=\Big\|\tfrac1N\sum_i(I-\eta(A_i+\mu I))^E\Big\|\le\max|1-\eta(\lambda+\mu)|^E<1\text{ over the eigenvalues of all }A_i"
    r":\quad "
)
SMALL_RIDGE = replace(
    BELOW_ONE.changed("0 < eta < 1/(4 + mu)", "0 < eta < 1/4; mu*(4 + mu) < 1"), uses={0: {"mu*(4 + mu) < 1": "1/16"}}
)
_ANY_STEP = SMALL_RIDGE.changed("0 < eta < 1/4", "eta > 0")
of_every_eigenvalue = contraction_claim.sharing(depends=("LI-PR1-1", "LI-EQ31"))

li_mupos_added = statement_of_algebra(
    "LI-MUPOS.1[added, eta < 1/4 kept]",
    SMALL_RIDGE,
    headline="With the old step limit the condition with ridge keeps local steps' factors below one",
    says=r"\text{the factors of a local step at the eigenvalues }\lambda\text{ of }A_i:\quad ",
    false={"eta < 1/4 -> eta < 3/4": ("eta < 1/4", "eta < 3/4")},
    group=of_every_eigenvalue,
    summary="The printed condition on mu, as one more condition beside eta < 1/4, keeps the factors 1 - eta (lambda + mu) of a "
    "local step between -1 and 1 for eigenvalues lambda from 0 to below 4.",
)


@of_every_eigenvalue(
    "LI-MUPOS.1[in place of eta < 1/4]",
    fault="reading",
    statement=(_RADIUS, _ANY_STEP),
    headline="The condition with ridge, read literally, bounds the ridge and not the step size",
    summary="Read to the letter (instead of the original condition) it restricts mu, not the step size, so it does "
    "not give contraction.",
    printed=dict(text=_ANY_STEP.text),
    repair="LI-MUPOS.1-R1",
    controls=[Control("eta < 1/4 kept", dict(text=SMALL_RIDGE.text), must="pass")],
)
def li_mupos_instead(text: str) -> Evidence:
    """The radius itself, at N = E = 2 and a large step."""
    found = SMALL_RIDGE.with_text(text)
    return by_relations(found) if found.proof[0] else by_matrices(large_step("<"), setting="N=2, p=2, E=2")


li_mupos_condition_repaired = statement_of_algebra(
    "LI-MUPOS.1-R1",
    Matrices(
        "sq(v - eta*(A + mu*I)*v) <= q*sq(v); q < 1 for A in S(n); v in R(n); mu > 0; 0 < eta < 2/(4 + mu); "
        "q = 1 - eta*mu*(2 - eta*(4 + mu)); A >= 0; A <= 4*I",
        uses={
            0: [
                ("A >= 0", "eta*(2 - eta*(4 + mu))", "v"),
                ("A <= 4*I", "eta**2*mu", "v"),
                ("A <= 4*I", "eta**2/4", "A*v"),
                ("A >= 0", "eta**2/4", "4*v - A*v"),
            ]
        },
        at=[{"A": "4", "v": "1", "mu": "1/5", "eta": eta} for eta in ("1/10", "49/100")],
        names={"A": "A_i"},
    ),
    says=r"\text{a local step moves two points that are }v\text{ apart nearer, for }A_i\text{ with }0\preceq A_i\preceq4I:\quad ",
    false={"2/(4+mu) -> 2.1/(4+mu)": ("< 2/(4 + mu)", "< 21/10/(4 + mu)")},
    group=of_every_eigenvalue,
    headline="With a ridge of any size every local step contracts once the step size is small enough",
    summary="With the step size in place of mu it does: every local step is a contraction, for every mu > 0 and every step below "
    "1/(4+mu), even below 2/(4+mu).",
)


def local_minimiser(example: Example) -> sp.Matrix:
    """Least-norm minimiser of ``F_1``: ``(A_1 + mu I)^{-1} b_1`` on block 1, where A_1 is invertible, zero elsewhere."""
    size = example.block + 1
    inside = example.clients[0][:size, :size].LUsolve(example.shift[:size, :])
    return sp.Matrix.vstack(inside, sp.zeros(example.dimension - size, 1))


POSITIVE = Relations(
    "x > y; x >= 0; y >= 0; p + 1 < n for N >= 2; p >= 2; mu > 0; n = N*p + 1; c > 0; first_y = 0; next_y = x; first_x = c; "
    "next_x = (2 + N*mu)*x - y",
    uses={0: {"x > y": "1"}, 1: {"x > y": "1"}},
    names={"x": "w_i", "y": "w_{i+1}", "c": "w_n"},
)


@ridge_conclusion(
    "LI-MUPOS.3[conclusion]",
    statement=(
        r"\mu>0:\ \lim_{E\to\infty}\tilde w^*=\tfrac1N(A_1+\mu I)^{-1}b_1\ne w^*,\text{ as it is 0 after }p+1,\ "
        r"w=w^*\text{ nowhere, backwards from }w_{n+1}=0:\quad ",
        POSITIVE,
    ),
    depends=("LI-MUPOS.1-R1",),
    headline="With a ridge the hard example's limit of many local steps still misses the minimiser",
    summary="On the hard example with a ridge the limit of many local steps still differs from the minimiser.",
    printed=dict(text=POSITIVE.text),
    controls=[Control("N = 1 allowed", dict(text=POSITIVE.changed("N >= 2", "N >= 1").text))],
)
def li_mupos_limit(text: str) -> Evidence:
    gaps = {e.name: norm_squared(local_minimiser(e) / e.n_clients - e.optimum) for e in instances(3, 2, RIDGES)}
    return by_relations(
        POSITIVE.with_text(text),
        numbers={"distance of the limit from w*": {name: str(float(sp.sqrt(gap))) for name, gap in gaps.items()}},
        prose="local steps contract for eta < 2/(4 + mu) (LI-MUPOS.1-R1), so that every local map tends to its minimiser, 0 "
        "for the clients without b; w*_n is positive, as all entries have its sign and row 1 of (A + N mu I) w* is 1",
        method="The limit vanishes outside block 1 while all entries of w* are positive; as mu -> 0 it tends to w~/N, not to the "
        "limit at mu = 0.",
    )


#: The rows of block 1 at ``w~``, whose ones are u and whose last one is z.
_FORMULAS = Relations(
    "(2 + mu)*u - u = 1; (2 + mu)*u - u - u = 0; (2 + mu)*u - u - z = 0; (1 + mu)*z - u = 0 for mu > 0; u = 1; z = 1",
    names={"u": "w_i", "z": "w_{p+1}"},
)


@ridge_identity(
    "LI-MUPOS.3[formulas of item (2)]",
    fault="reading",
    statement=(
        r"\mu>0:\ \lim_E\eta\sum_{l<E}(I-\eta(A_1+\mu I))^lb=\tilde w=(1^{p+1},0^{(N-1)p}),\text{ so that }(A_1+\mu I)\tilde "
        r"w=b_1=e_1,\text{ in rows }1,\ 2\le i<p,\ p,\ p+1:\quad ",
        _FORMULAS,
    ),
    headline="With a ridge the limit formulas change, contrary to the text",
    summary="The limits of item (2) themselves do change: client 1 tends to (A_1 + mu I)^{-1} b_1 (and M to 0).",
    printed=dict(text=_FORMULAS.text),
    repair="LI-MUPOS.3[conclusion]",
    controls=[Control("mu = 0", dict(text=_FORMULAS.changed("mu > 0", "mu = 0").text), must="pass")],
)
def li_mupos_formulas(text: str) -> Evidence:
    return by_relations(
        _FORMULAS.with_text(text),
        method="The limit minimises F_1 and lies in the range of the powers of A_1 + mu I applied to b_1, that is in "
        "block 1, where A_1 + mu I is invertible; insert w~ in its equation.",
    )


li_mupos_one_step = statement_of_algebra(
    "LI-MUPOS.2",
    one_local_step(ridge=True),
    says=r"E=1:\ \tilde w^*=(I-M)^{-1}c=(A+N\mu I)^{-1}b=w\text{ minimises }F:\quad ",
    false={
        "client 1 takes two steps": ("(I - eta*(A1 + mu*I) +", "((I - eta*(A1 + mu*I))**2 +"),
        "another point": ("(A + N*mu*I)*w = b", "(A + N*mu*I)*w = 2*b"),
    },
    group=ridge_identity,
    depends=("LI-EQ32", "LI-EQ31"),
    summary="With a ridge one local step still gives the minimiser.",
)


with_a_ridge = partial(moved_by_every_step, least_block=2, ridges=(sp.Rational(1, 10), sp.Integer(1)))

li_mupos_nonzero = ridge_conclusion(
    "LI-MUPOS.5",
    statement=r"\mu>0,\ 2\le E<\infty,\ \eta(2+\mu)\le1:\quad \tilde w^*\ne w^*",
    headline="With a ridge, too, two or more local steps miss the hard example's minimiser",
    summary="On the hard example with a ridge the fixed point is still never the minimiser for two or more local steps.",
    printed=dict(least_steps=2),
    controls=[Control("E = 1 allowed", dict(least_steps=1))],
)(partial(with_a_ridge, valid_for="all N >= 2, p >= 2, mu > 0, E >= 2, 0 < eta <= 1/(2+mu)"))

li_mupos_any_step = ridge_conclusion(
    "LI-MUPOS.6",
    statement=r"\mu>0,\ 2\le E<\infty,\ \eta>0:\quad M w^*+\text{shift}\ne w^*,\ \text{hence } \tilde w^*\ne w^*",
    headline="With a ridge, too, one round of several local steps moves the hard example's minimiser",
    summary="On the hard example the same for every step size at all: one round moves the minimiser.",
    printed=dict(least_steps=2),
    controls=[Control("E = 1 allowed", dict(least_steps=1))],
    quick=False,
)(partial(with_a_ridge, valid_for="all N >= 2, p >= 2, mu > 0, E >= 2, every eta > 0"))


if __name__ == "__main__":
    run_script(__file__)
