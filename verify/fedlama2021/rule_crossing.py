r"""The crossing of delta_l and 1 - lambda_l in the FedLAMA paper: how high it is.

Joined by straight lines over the number of layers, both curves take the same part of the layer in which they cross: ``z`` is 1
before it, 0 after it and between the two in it.  The rest of the notation is that of :mod:`verify.fedlama2021.rule_readings`.
"""

import sympy as sp

from fltheory.evidence.algebra import by_in_mean, by_relations, statement_in_mean, statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness, tried
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from verify.fedlama2021.rule_readings import APART, DIFFER, FIRST, NAMES, OTHERS, SORTED, THINGS

of_the_height = inequality_claim.sharing(source="Section 4, on Figure 1")
EQUAL = "all unit discrepancies equal"


def height(more: str, *, apart: str) -> InMean:
    """The statement on the height y of the crossing; ``apart``: the factor of the hypothesis that the discrepancies "
    "differ."""
    uses = [
        use(FIRST, form=SORTED[FIRST], over="k", times=f"y - ({apart})"),
        use(OTHERS, form=SORTED[OTHERS], over="k", times=f"1 - y - ({apart})"),
        use("delta is at most y", form="y*w - (1 - y)*v", over="k", times="1"),
        use("lambda is at most 1 - y", form="1 - y - z", over="k", times="t"),
    ]
    differ = [use(DIFFER, form=APART, over="k", times=apart)] if apart != "0" else []
    where = "0 < y < 1; t >= 0; e > 0" if differ else "0 <= y <= 1; t >= 0"
    text = f"mean(v, k){more} <= mean(w, k) for {where}"
    return InMean(text, things=THINGS, over="k", uses=[*uses, *differ], names={**NAMES, "y": "y"})


HEIGHT = height(" + e*y*(1 - y)", apart="y*(1 - y)")
d_1, d_2, n_1, n_2 = sp.symbols("d_1 d_2 n_1 n_2")
_TOTAL = d_1 * n_1 + d_2 * n_2
DELTA_1, REST_1 = Side("delta_1", d_1 * n_1 / _TOTAL), Side("1 - lambda_1", n_2 / (n_1 + n_2))


@of_the_height(
    "LA-FIG1-HALF[curves joined by lines]",
    statement=(
        r"\delta=1-\lambda=y\text{ at the crossing}\ \Rightarrow\ \delta<\tfrac12,\text{ that is }\mathbb E_kz_kd_k<"
        r"\mathbb E_k(1-z_k)d_k:\quad ",
        HEIGHT,
    ),
    headline="The curves cross below one half if the layers' unit discrepancies are not all equal",
    summary="Where both curves are joined by straight lines, the layers up to the crossing (with the part of the "
    "layer in which it lies) hold less than half of the discrepancy: for all numbers and sizes of layers, with a "
    "distance from one half that is told, if the unit discrepancies are not all equal. If they are, the curves "
    "cross at one half exactly.",
    quick=False,
    unprinted=Unprinted("the unit discrepancies of the layers are not all equal", EQUAL),
    printed=dict(text=HEIGHT.text, differ=True),
    controls=[
        Control("by twice the whole distance", dict(text=HEIGHT.changed("e*y*(1 - y)", "2*e").text)),
        Control(EQUAL, dict(differ=False)),
    ],
)
def half(text: str, differ: bool) -> Evidence:
    """z is the part of a layer that is taken; without the hypothesis two equal layers cross at one half."""
    if differ:
        return by_in_mean(HEIGHT.with_text(text))
    crossed = (DELTA_1, "=", REST_1)
    equal = Witness({d_1: 1, d_2: 1, n_1: 1, n_2: 1}, DELTA_1, "<", sp.Rational(1, 2), given=[crossed])
    return by_derivation(HEIGHT.without(DIFFER).with_text(text).derived, tried(equal))


half_at_most = statement_in_mean(
    "LA-FIG1-HALF-U1",
    height("", apart="0"),
    without={"in any order": FIRST},
    group=of_the_height,
    says=r"\delta=1-\lambda=y\text{ at the crossing}\ \Rightarrow\ \delta\le\tfrac12:\quad ",
    headline="The curves never cross above one half, whatever the layers",
    summary="Also with equal unit discrepancies the layers up to the crossing hold at most half of the discrepancy.",
)


@of_the_height(
    "LA-FIG1-HALF[the first layer at or past the crossing]",
    statement=r"\delta_l\ge1-\lambda_l\text{ for the first time at }l\ \Rightarrow\ \delta_l<\tfrac12",
    headline="The layer in which the curves cross can hold more than half of the discrepancy",
    summary="Layers are whole. If the layer in which the curves cross is lengthened too, more than half of the "
    "discrepancy may grow: two layers of one size with unit discrepancies 1 and 3 cross in the second, and all of "
    "it grows.",
    fault="reading",
    repair="LA-FIG1-HALF[curves joined by lines]",
    printed=dict(past=True),
    controls=[Control("the last layer before the crossing", dict(past=False), must="pass")],
)
def height_at_a_layer(past: bool) -> Evidence:
    """Two layers, of which the first is before the crossing: delta_2 is one; or delta_1 alone."""
    if not past:
        return by_relations(BEFORE)
    at = {d_1: 1, d_2: 3, n_1: 1, n_2: 1}
    second = Side("delta_2", d_1 * n_1 / _TOTAL + d_2 * n_2 / _TOTAL)
    return by_witness(Witness(at, second, "<", sp.Rational(1, 2), given=[(DELTA_1, "<", REST_1)]))


#: delta and lambda at a layer before the crossing, where delta <= lambda as d is sorted.
BEFORE = Relations(
    "delta < 1/2 for delta >= 0; lam <= 1; delta <= lam; delta < 1 - lam",
    uses={0: {"delta <= lam": "1/2", "delta < 1 - lam": "1/2"}},
    names={"delta": r"\delta_l", "lam": r"\lambda_l"},
)

half_before = statement_of_algebra(
    "LA-FIG1-HALF[the last layer before the crossing]",
    BEFORE,
    false={"in any order": ("; delta <= lam", "; delta <= 1")},
    group=of_the_height,
    headline="The layers before the crossing hold less than half of the discrepancy",
    summary="If only the layers before the crossing wait longer, less than half of the discrepancy grows: delta <= "
    "lambda in ascending order (LA-ALG2-U1) and delta < 1 - lambda before the crossing.",
    depends=["LA-ALG2-U1"],
)


if __name__ == "__main__":
    run_script(__file__)
