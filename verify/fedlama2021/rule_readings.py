r"""Algorithm 2 of the FedLAMA paper: what its printed condition selects, what its text describes, and that both select a prefix.

Layers are points of the axis ``k`` with their shares of the parameters as weights, so that a mean over ``k`` is a share; ``z`` is
1 for the first l layers of the order and 0 for the others, ``v = z d`` and ``w = (1 - z) d`` for the unit discrepancy ``d``; ``t``
lies between those of the two.  Then ``lambda_l`` is the mean of ``z`` and ``delta_l`` that of ``v`` over that of ``v + w``.
"""

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_in_mean, statement_of_algebra
from fltheory.evidence.ends import by_witness
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import algebra_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness

#: The first layers have at most t and the others at least t.
FIRST, OTHERS = "the first layers have at most t", "the others have at least t"
SORTED = {FIRST: "t*z - v", OTHERS: "w - t*(1 - z)"}
DIFFER = "the unit discrepancies differ, on average from t by e"
APART = f"{SORTED[FIRST]} + {SORTED[OTHERS]} - e"
THINGS = "value z over k; value v over k; value w over k"
NAMES = {"lam": r"\lambda_l", "e": r"\epsilon", "t": "t", "v": "z_kd_k", "w": "(1-z_k)d_k", "z": "z_k"}

of_algorithm_2 = inequality_claim.sharing(source="Algorithm 2")

total_is_positive = statement_of_algebra(
    "LA-ALG2",
    Relations(
        "d*n + rest > 0 for d > 0; n >= 1; rest >= 0",
        names={"d": "d_l", "n": r"\dim(\mathbf u_l)", "rest": r"\textstyle\sum_{k\ne l}d_k\dim(\mathbf u_k)"},
    ),
    false={"all clients agree on every layer": ("d > 0", "d >= 0")},
    unprinted=Unprinted("the clients differ on some layer", "all clients agree on every layer"),
    group=of_algorithm_2,
    says=r"\delta=\textstyle\sum_kd_k\dim(\mathbf u_k),\text{ by which line 6 divides, where the clients differ on layer }l:"
    r"\quad ",
    headline="Algorithm 2 gives each layer one of two intervals if the clients differ on some layer",
    summary="Line 6 divides by the sum of unit discrepancies times sizes. It is positive if the clients differ on "
    "some layer, and then every layer gets one of the two intervals; if all agree, as with one client, the listing "
    "divides zero by zero.",
)

printed_selects = statement_in_mean(
    "LA-ALG2-U1",
    InMean(
        "mean(v, k) + e*lam*(1 - lam) <= lam*(mean(v, k) + mean(w, k)) for 0 < lam < 1; t >= 0; e > 0",
        things=THINGS,
        over="k",
        uses=[
            use(FIRST, form=SORTED[FIRST], over="k", times="(1 - lam)**2"),
            use(OTHERS, form=SORTED[OTHERS], over="k", times="lam**2"),
            use(DIFFER, form=APART, over="k", times="lam*(1 - lam)"),
            use("the first layers hold lambda of the parameters", form="lam - z", over="k", times="t"),
        ],
        names=NAMES,
    ),
    false={"by the whole distance": ("e*lam*(1 - lam)", "e")},
    without={"discrepancies that may be equal": DIFFER},
    quick=False,
    group=of_algorithm_2,
    says=r"\delta_l=\frac{\mathbb E_kz_kd_k}{\mathbb E_kd_k}<\lambda_l=\mathbb E_kz_k\text{ for }l<L;\ "
    r"\delta_L=\lambda_L=1:\quad ",
    headline="The printed condition lengthens the interval of all layers but the last of the order",
    summary="In ascending order delta lies below lambda at every layer but the last, where both are one, unless all "
    "unit discrepancies are equal: the condition delta < lambda of line 9 gives the long interval to all layers but "
    "one (to none if all are equal). For all numbers and sizes of layers.",
)

# ----------------------------------------------------------------------------- the text

d_1, d_2, d_3, n_1, n_2, n_3 = sp.symbols("d_1 d_2 d_3 n_1 n_2 n_3")
_TOTAL, _SIZE = d_1 * n_1 + d_2 * n_2 + d_3 * n_3, n_1 + n_2 + n_3
DELTA_1, DELTA_2 = Side("delta_1", d_1 * n_1 / _TOTAL), Side("delta_2", (d_1 * n_1 + d_2 * n_2) / _TOTAL)
LAMBDA_2 = Side("lambda_2", (n_1 + n_2) / _SIZE)
REST_1 = Side("1 - lambda_1", 1 - n_1 / _SIZE)
REST_2 = Side("1 - lambda_2", 1 - (n_1 + n_2) / _SIZE)


@algebra_claim(
    "LA-ALG2-TEXT",
    statement=r"\delta_2<\lambda_2\ (\text{line 9 lengthens the interval of the second layer})\ \Rightarrow\ "
    r"\delta_1<1-\lambda_1\ (\text{the curves have not crossed at the first one})",
    source="Section 4 on Algorithm 2; line 9",
    headline="The printed condition is not the crossing of the two curves that the text describes",
    summary="The text looks for the place where delta and 1 - lambda meet; line 9 compares delta with lambda. With "
    "sizes (3, 1, 1) and unit discrepancies (2, 3, 4) the curves have crossed at the first layer, and line 9 "
    "lengthens the intervals of two. Unless all unit discrepancies are equal, all layers but one wait (LA-ALG2-U1). "
    "Writing 1 - lambda in line 9 mends it up to the layer in which the curves cross, which then does not wait.",
    fault="slip",
    repair="LA-ALG2-TEXT-R1",
    printed=dict(condition="delta < lambda"),
    controls=[Control("delta < 1 - lambda", dict(condition="delta < 1 - lambda"), must="pass")],
)
def text_against_listing(condition: str) -> Evidence:
    """Three layers in ascending order: the smallest for which each of the text's senses differs from the listing."""
    if condition == "delta < 1 - lambda":
        return by_relations(CROSSED)
    at = {n_1: 3, n_2: 1, n_3: 1, d_1: 2, d_2: 3, d_3: 4}
    line_9 = (DELTA_2, "<", LAMBDA_2)
    return by_witness(
        Witness(at, DELTA_1, "<", REST_1, given=[line_9, (d_1, "<", d_2), (d_2, "<", d_3)]),
        method="Three layers in ascending order. The crossing is at the first one: no layer is before it, one up to "
        "it, and the first one is nearest to it; line 9 selects two.",
    )


#: A, N: sums over the layers before one, which holds (d, n); T, S: the totals.
CROSSED = Relations(
    "A/T < 1 - N/S for T > 0; S > 0; A >= 0; N >= 0; d >= 0; n >= 1; (A + d*n)/T < 1 - (N + n)/S",
    uses={0: {"(A + d*n)/T < 1 - (N + n)/S": "1"}},
    at={"T": "4", "S": "4", "A": "1", "N": "1", "d": "0", "n": "1"},
    names={"T": "T", "S": "S"},
)

crossing_rule = statement_of_algebra(
    "LA-ALG2-TEXT-R1",
    Relations(
        "A_0/T - (1 - N_0/S) < 0; A/T - (1 - N/S) < (A + d*n)/T - (1 - (N + n)/S); A_L/T - (1 - N_L/S) > 0 for T > 0; "
        "S > 0; A >= 0; N >= 0; d >= 0; n >= 1; A_0 = 0; N_0 = 0; A_L = T; N_L = S",
        names={"T": "T", "S": "S", "A_0": "A_0", "N_0": "N_0", "A_L": "A_L", "N_L": "N_L"},
    ),
    prose="what is negative before the first layer, rises with every layer and is positive at the last one changes its "
    "sign once: delta < 1 - lambda at the layers before this crossing and at no other",
    false={"the other curve not turned over": ("A/T - (1 - N/S) <", "(1 - N/S) - A/T <")},
    group=algebra_claim,
    source="Section 4 on Algorithm 2",
    says=r"\delta_l-(1-\lambda_l),\ \delta=\tfrac AT,\ \lambda=\tfrac NS,\text{ before the first layer, from one to the "
    r"next, at the last}:\quad ",
    headline="With one minus lambda in line 9 the listing selects the layers before the crossing",
    summary="As delta + lambda rises from layer to layer, from zero to two, the curves of delta and 1 - lambda cross "
    "once, and the condition delta_l < 1 - lambda_l selects the layers before the crossing. (The layer in which they "
    "cross, which the text's example lengthens too, is not among them.)",
)

prefix = statement_of_algebra(
    "LA-ALG2-PREFIX[line 9]",
    Relations(
        "A/T < N/S for N >= 1; n >= 1; S >= N + n; T > 0; d >= 0; A <= d*N; (A + d*n)/T < (N + n)/S",
        uses={0: {"(A + d*n)/T < (N + n)/S": "N/(N + n)", "A <= d*N": "n/((N + n)*T)"}},
        at={"N": "1", "n": "1", "S": "3", "T": "6", "d": "2", "A": "1"},
        names={"T": "T", "S": "S"},
    ),
    false={"without the order": ("A <= d*N", "A <= 2*d*N")},
    group=inequality_claim,
    source="Algorithm 2",
    says=r"\delta_{l-1}=\tfrac AT,\ \lambda_{l-1}=\tfrac NS,\ d_i\le d\text{ for }i<l,\ "
    r"\delta_l<\lambda_l\Rightarrow\delta_{l-1}<\lambda_{l-1}:\quad ",
    headline="The layers that the printed condition selects are the first ones of the order",
    summary="If the condition of line 9 holds at a layer it holds at the one before it, so that the layers with the "
    "long interval are those of smallest unit discrepancy.",
)

prefix_of_the_text = statement_of_algebra(
    "LA-ALG2-PREFIX[the crossing]",
    CROSSED,
    false={"the other curve not turned over": ("A/T < 1 - N/S for", "1 - A/T < N/S for")},
    group=inequality_claim,
    source="Section 4 on Algorithm 2",
    says=r"\delta_{l-1}=\tfrac AT,\ \lambda_{l-1}=\tfrac NS,\ "
    r"\delta_l<1-\lambda_l\Rightarrow\delta_{l-1}<1-\lambda_{l-1}:\quad ",
    headline="The layers before the crossing are the first ones of the order",
    summary="The condition delta < 1 - lambda holds for a prefix of the ascending order; with the layer of the "
    "crossing added it is one too.",
)


if __name__ == "__main__":
    run_script(__file__)
