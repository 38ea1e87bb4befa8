r"""Section 6.1 of the FedLAMA paper: the intervals are said to maximise the saving and to minimise the growth of the discrepancy.

Layers are points of the axis ``k`` with their shares of the parameters as weights.  ``z`` is 1 for the layers that wait longer
and 0 for the others, ``v = z d``; ``s`` is that of any other choice, ``q = s d``; ``t`` lies between the unit discrepancies of
the first layers of the order and those of the others, so that ``(t - d)(z - s) >= 0`` at every layer.
"""

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.algebra import by_in_mean, statement_in_mean
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_proof, by_witness, tried
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import inequality_claim, qualitative_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.witness import Side, Witness

of_the_choice = qualitative_claim.sharing(source="Section 6.1")
THINGS = "value z over k; value v over k; value s over k; value q over k"
n_1, n_2, d_1, d_2 = sp.symbols("n_1 n_2 d_1 d_2")
TOTAL, SIZE = d_1 * n_1 + d_2 * n_2, n_1 + n_2
AGREE = "all clients agree on every layer"
NAMES = {"z": "z_k", "v": "z_kd_k", "s": "s_k", "q": "s_kd_k"}
SORTED = "the layers that wait are the first of the order"
NO_MORE = "the other choice has at most their discrepancy"
NO_FEWER = "the other choice has at least their parameters"
FIRST = use(SORTED, form="t*z - v - (t*s - q)", over="k", times="1/t")

MOST_SAVED = InMean(
    "mean(s, k) <= mean(z, k) for t > 0",
    things=THINGS,
    over="k",
    uses=[FIRST, use(NO_MORE, form="v - q", over="k", times="1/t")],
    names=NAMES,
)

#: Why t > 0 may be supposed of the layers that the rule takes, though not of any first layers.
POSITIVE = (
    "every reading takes all layers with d = 0, which come first, as long as one layer has d > 0: at them delta = 0 lies "
    "below lambda and below 1 - lambda, and comes closer to 1 - lambda with each; so there is a t > 0 that is no less than "
    "d at the layers of Z and no more than d at the others"
)


@of_the_choice(
    "LA-OPT-PARETO[no choice of layers is better in one and no worse in the other]",
    statement=(
        r"\delta(S)\le\delta(Z)\Rightarrow\lambda(S)\le\lambda(Z)\text{ for the layers }Z\text{ that a reading of "
        r"the rule takes and any }S:\quad ",
        MOST_SAVED,
    ),
    headline="No choice of layers saves more for the same growth of the discrepancy, for each reading",
    summary="In each reading of the rule the layers that wait are the first of the ascending order; no set of layers "
    "with at most their share of the discrepancy holds more parameters (and none with at least as many parameters has "
    "less: LA-OPT-PARETO-S1). For all numbers and sizes of layers, if the clients differ on some layer.",
    unprinted=Unprinted("the clients differ on some layer", AGREE),
    printed=dict(text=MOST_SAVED.text, dropped=""),
    controls=[
        Control("any layers", dict(dropped=SORTED)),
        Control("whatever its discrepancy", dict(dropped=NO_MORE)),
        Control(AGREE, dict(text=MOST_SAVED.changed("t > 0", "t >= 0").text)),
    ],
)
def pareto(text: str, dropped: str) -> Evidence:
    """Summed over the layers, t (z - s) - (v - q) is not negative; with t = 0 allowed, two layers without "
    "discrepancy decide."""
    stated = (MOST_SAVED.without(dropped) if dropped else MOST_SAVED).with_text(text)
    if text == MOST_SAVED.text:
        return by_in_mean(stated, prose=POSITIVE)
    free = (Side("discrepancy of both", TOTAL), "<=", Side("that of the first", d_1 * n_1))
    at = {n_1: 1, n_2: 1, d_1: 0, d_2: 0}
    both = Side("lambda of both", n_1 / SIZE + n_2 / SIZE)
    return by_derivation(
        stated.derived, tried(Witness(at, both, "<=", Side("lambda of the first", n_1 / SIZE), given=[free]))
    )


least_grown = statement_in_mean(
    "LA-OPT-PARETO-S1",
    InMean(
        "mean(v, k) <= mean(q, k) for t >= 0",
        things=THINGS,
        over="k",
        uses=[
            use(SORTED, form="t*z - v - (t*s - q)", over="k", times="1"),
            use(NO_FEWER, form="s - z", over="k", times="t"),
        ],
        names=NAMES,
    ),
    without={"any layers": SORTED, "however few its parameters": NO_FEWER},
    group=inequality_claim,
    says=r"\lambda(S)\ge\lambda(Z)\Rightarrow\delta(S)\ge\delta(Z)\text{ for the first layers }Z\text{ and any "
    r"}S:\quad ",
    source="Section 6.1",
    headline="No choice of layers with as many parameters has less discrepancy than the first ones",
    summary="Among the sets of layers with at least as many parameters, the first layers of the ascending order "
    "have the least discrepancy.",
)


@of_the_choice(
    "LA-OPT-PARETO[both at once]",
    statement=r"\lambda(Z)=\max_S\lambda(S)\ \text{and}\ \delta(Z)=\min_S\delta(S)",
    headline="The largest saving and the least growth are not had at once",
    summary="All layers save most and none grow least; where the rule takes some of the layers it has neither. Which "
    "point between the two is best depends on a weight of traffic against discrepancy that the document does not name.",
    fault="reading",
    repair="LA-OPT-PARETO[no choice of layers is better in one and no worse in the other]",
    printed=dict(against="both"),
    controls=[Control("against sets of at most its discrepancy", dict(against="one"), must="pass")],
)
def both_at_once(against: str) -> Evidence:
    """Two layers of one size, the first of which waits."""
    if against == "one":
        return by_in_mean(MOST_SAVED)
    at = {n_1: 1, n_2: 1, d_1: 1, d_2: 2}
    waits = (Side("delta_1", d_1 * n_1 / TOTAL), "<", Side("1 - lambda_1", n_2 / SIZE))
    return by_witness(
        Witness(at, Side("lambda(Z)", n_1 / SIZE), ">=", Side("lambda of both", n_1 / SIZE + n_2 / SIZE), given=[waits])
    )


@qualitative_of_an_instance(
    "LA-OPT-PARETO-U1",
    statement=r"\dim=(1,2),\ d=(1,2),\ S=\{2\}:\ \text{no prefix has }\lambda\ge\lambda(S)\text{ and }\delta\le"
    r"\delta(S)\text{, other than with both equal}",
    source="Section 6.1",
    headline="Not every best compromise is among those that the rule can reach",
    summary="Two layers with 1 and 2 parameters and unit discrepancies 1 and 2: letting the second alone wait saves "
    "2/3 of the parameters for 4/5 of the discrepancy. The rule can only take none, the first, or both: less "
    "saving, or more discrepancy. It is no prefix and not dominated.",
    printed=dict(sizes=(1, 2)),
    controls=[Control("sizes 2 and 1", dict(sizes=(2, 1)))],
)
def unsupported(sizes: tuple[int, int]) -> Evidence:
    """The first layer alone dominates the second alone exactly if it is no smaller and has no more discrepancy."""
    at = {n_1: sizes[0], n_2: sizes[1], d_1: 1, d_2: 2}
    fewer = Witness(at, Side("lambda of the first", n_1 / SIZE), ">=", Side("lambda of the second", n_2 / SIZE))
    if not fewer.refutes:
        return by_witness(
            Witness(at, Side("lambda of the first", n_1 / SIZE), "<", Side("lambda of the second", n_2 / SIZE))
        )
    more = Witness(
        at, Side("delta of both", TOTAL / TOTAL + 0 * d_1), "<=", Side("delta of the second", d_2 * n_2 / TOTAL)
    )
    kept = {
        "the first alone saves less": certificates.witness(fewer),
        "both together grow more": certificates.witness(more),
    }
    if not more.refutes:
        return by_witness(more)
    return by_proof("The two other prefixes are evaluated exactly.", examined=2, certificate=kept)


if __name__ == "__main__":
    run_script(__file__)
