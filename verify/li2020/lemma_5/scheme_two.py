r"""Proof of Lemma 5 (2) of Li et al. (2020): the variance of a uniform subset's average, step by step.

Weights are 1/N and x_i = v^i - vbar.  The identities are derived for any N, K and dimension; complete enumeration of the subsets
of small systems finds the counterexamples.
"""

from dataclasses import replace

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.kinds import algebra_claim, identity_claim, inequality_claim, probability_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.notation import ClientSum, PairSum
from fltheory.theory.sampling import K, N
from verify.li2020.cohort_checks import judged
from verify.li2020.derivations.sampling import form_of
from verify.li2020.displays import appendix_b as shown

SIZES = "all 1 <= K <= N, N >= 2, all dimensions"
#: The two ends of the chain.
SPREAD = replace(shown.scheme_ii_spread, left=shown.expanded_cohort.left)
proof_source = "Section B.4, proof of Lemma 5 (2)"
proof_identity = identity_claim.sharing(source=proof_source)


_SINGLE, _PAIR = "N*(c - u) = j*c", "N*(N - 1)*(c - 2*u + w) = j*(j - 1)*c"
#: Of the ordered draws of j clients without replacement, u leave one given client out and w two of them.
COUNTED = Relations(
    f"{_SINGLE}; {_PAIR} for N >= 2; first_j = 0; next_j = j + 1; first_c = 1; next_c = c*(N - j); "
    "first_u = 1; next_u = u*(N - 1 - j); first_w = 1; next_w = w*(N - 2 - j)",
    uses={0: {_SINGLE: "N - 1 - j"}, 1: {_PAIR: "N - 2 - j", _SINGLE: "2*(N - 1)"}},
)


@probability_claim(
    "LI-L5PF-II1",
    headline="How often a uniform subset contains a client, and a pair of clients",
    statement=(
        shown.single,
        r",\quad ",
        shown.pair,
        r"\ (i\ne j),\quad\text{shares of the }c\text{ ordered draws of }j=K\text{ of }N\text{ clients without replacement, of }"
        r"\text{which }u\text{ leave }i\text{ out, as many }j,\text{ and }w\text{ both}:\quad ",
        COUNTED,
    ),
    summary="A uniform K-subset, drawn one by one without replacement, contains a client with probability K/N, and a pair with "
    "K(K-1)/(N(N-1)): so many of all ordered draws do.",
    source=proof_source,
    prose="that c, u, w count equally likely ordered draws, that c - 2u + w of them contain the pair, and that shares are "
    "probabilities (K <= N)",
    printed=dict(text=COUNTED.text),
    controls=[
        Control("pairs as if independent", dict(text=COUNTED.changed("= j*(j - 1)*c", "= j**2*(N - 1)/N*c").text)),
        Control("pairs K(K-1)/N^2", dict(text=COUNTED.changed("= j*(j - 1)*c", "= j*(j - 1)*(N - 1)/N*c").text)),
        Control("single K/(N+1)", dict(text=COUNTED.changed("N*(c - u)", "(N + 1)*(c - u)").text)),
    ],
)
def inclusion(text: str) -> Evidence:
    """The counts of ordered draws, by induction over the draws."""
    return by_relations(COUNTED.with_text(text), valid_for="all K = j <= N, N >= 2")


@proof_identity(
    "LI-L5PF-II2",
    statement=(shown.deviations, r",\quad \bar v=\tfrac1N\sum_iv^i"),
    summary="Squares and cross terms of the deviations from the plain mean cancel.",
    printed=dict(centre="mean(v, k)"),
    controls=[Control("deviations from a mean with unequal weights", dict(centre="mean(pv, k)"))],
)
def cancellation(centre: str) -> Evidence:
    line = form_of(shown.deviations)
    form = str(line["form"]).replace("mean(v, k)", centre)
    return judged("II", line | {"form": form}, over="k", valid_for="all N, all dimensions")


@proof_identity(
    "LI-L5-EXPAND",
    statement=(shown.expanded_cohort, r",\quad ", shown.expanded, r",\quad ", shown.expanded_inserted),
    depends=("LI-L5PF-II1",),
    summary="The variance of a uniform subset's average is expanded into squares and pairs.",
    printed=dict(squares="1/(K*N)", pairs="(K-1)/(K*N*(N-1))"),
    controls=[
        Control("pair coefficient (K-1)/(K N^2)", dict(pairs="(K-1)/(K*N**2)")),
        Control("square coefficient 1/(K^2 N)", dict(squares="1/(K**2*N)")),
    ],
)
def expansion(squares: str, pairs: str) -> Evidence:
    inclusion = dict(zip(sp.symbols("P_1 P_2"), (shown.single.expression, shown.pair.expression), strict=True))
    sums = *shown.deviations.left.atoms(ClientSum), *shown.deviations.left.atoms(PairSum)
    counted = replace(shown.expanded, expression=shown.expanded.expression.subs(inclusion))
    claimed = sum(
        sp.sympify(text, locals={"N": N, "K": K}) * one for text, one in zip((squares, pairs), sums, strict=True)
    )
    inserted = replace(shown.expanded_inserted, left=counted.expression, expression=claimed)
    return judged(
        "II", form_of(shown.expanded_cohort), form_of(counted, drawn="-1"), form_of(inserted), valid_for=SIZES
    )


@proof_identity(
    "LI-L5PF-II3",
    statement=SPREAD,
    summary="Closed form of the variance of a uniform subset's average.",
    depends=("LI-L5-EXPAND", "LI-L5PF-II2"),
    printed=dict(factor=""),
    controls=[
        Control("correction 1 - (K-1)/N", dict(factor="(1-(K-1)/N)/(K*(N-1))")),
        Control("divisor K N (no correction of the sample size)", dict(factor="(1-K/N)/(K*N)")),
    ],
)
def closed_form(factor: str) -> Evidence:
    """``factor``: another coefficient of the sum of the squared deviations than that of the display."""
    (sum_of_squares,) = SPREAD.expression.atoms(ClientSum)
    coefficient = sp.sympify(factor, locals={"N": N, "K": K}) if factor else SPREAD.expression / sum_of_squares

    return judged("II", form_of(replace(SPREAD, expression=coefficient * sum_of_squares), drawn="-1"), valid_for=SIZES)


_CONSTANT = Relations(
    "N/(K*(N - 1))*(1 - K/N)*(4*eta**2*E**2*G2) = (N - K)/(N - 1)*(4/K)*eta**2*E**2*G2 for N >= 2; K >= 1",
    names={"G2": "G^2", "eta": r"\eta_t"},
)
same_constant = statement_of_algebra(
    "LI-L5PF-II4.1",
    _CONSTANT,
    headline="The proof for uniform subsets ends at the constant of the lemma and of Theorem 3",
    false={"N-1 in place of N in front": ("N/(K*(N - 1))*", "(N - 1)/(K*(N - 1))*")},
    group=algebra_claim,
    summary="The constant at the end of the printed proof is the constant of Lemma 5 (2) and of Theorem 3.",
    source=proof_source,
)


@inequality_claim(
    "LI-L5PF-II4.2",
    headline="The mean of the subset proof may be replaced by the last common model",
    statement=shown.scheme_ii_start,
    summary="The mean of the printed proof may be replaced by the last common model, and the factor keeps the "
    "direction.",
    source=proof_source,
    printed=dict(shrink="1"),
    controls=[Control("right side times 99/100", dict(shrink="99/100"))],
)
def drop_the_mean(shrink: str) -> Evidence:
    factor = "N/(K*(N - 1))*(1 - K/N)"
    squares = [[f"{shrink}*{factor}", "mean(v, k) - w0"], [f"({shrink} - 1)*{factor}", "v - mean(v, k)"]]
    return judged("II", form_of(shown.scheme_ii_start, shrink) | {"squares": squares}, over="k", valid_for=SIZES)


if __name__ == "__main__":
    run_script(__file__)
