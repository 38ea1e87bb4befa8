r"""Equations (3) and (4) of the FedLAMA paper: the shares delta_l of the discrepancy and lambda_l of the parameters.

Letters: ``A, N`` are the sums of ``d_i dim_i`` and of ``dim_i`` over the layers that come first in the order of ``d``, ``B, M``
those over the others, so that ``delta_l = A/(A + B)`` and ``lambda_l = N/(N + M)``.
"""

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import definition_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side
from verify.fedlama2021.comparing import compared

D_1, D_2, tau_1, tau_2, n_1, n_2, d_1, d_2 = sp.symbols("D_1 D_2 tau_1 tau_2 n_1 n_2 d_1 d_2")


_SHARES = r"A=\textstyle\sum_{i\le l}\hat d_i\dim_i,\ B=\sum_{i>l}\hat d_i\dim_i,\ T=A+B,\ \delta_l=\frac AT:\quad "
of_delta = definition_claim.sharing(source="(3)")
of_lambda = definition_claim.sharing(source="(4)")

delta_paired = statement_of_algebra(
    "LA-EQ3[the size of the layer whose value it is, discrepancy per iteration]",
    Relations("0 <= A/T <= 1; A/T = 1 - B/T for T > 0; 0 <= A <= T; B = T - A"),
    false={"the share of the others": ("= 1 - B/T", "= B/T")},
    group=of_delta,
    says=_SHARES,
    headline="With each size beside its own layer, delta is the first layers' share of the discrepancy",
    summary="If the size beside the i-th smallest metric is that of the layer with this metric, and some layer differs "
    "between clients, delta is the share of the first layers in the sum over layers of discrepancy divided by interval.",
)


@of_delta(
    "LA-EQ3[the size of the i-th layer as listed]",
    statement=r"\delta_1=\frac{\min(d_1,d_2)\dim(\mathbf u_1)}{\min(d_1,d_2)\dim(\mathbf u_1)+\max(d_1,d_2)\dim(\mathbf u_2)}"
    r"\text{ is the share of the layer with the smaller }d",
    headline="Read literally the formula multiplies a sorted metric by the size of another layer",
    summary="The metric in (3) and in line 6 of Algorithm 2 is sorted and the sizes are not: read literally, delta "
    "is not the share of the layers with the smallest metric, and with line 4's total it can exceed one.",
    fault="slip",
    repair="LA-EQ3[the size of the layer whose value it is, discrepancy per iteration]",
    printed=dict(size="listed"),
    controls=[Control("the size of that layer", dict(size="own"), must="pass")],
)
def delta_listed(size: str) -> Evidence:
    """Two layers with d_1 > d_2: the smaller value stands beside dim(u_1) and the larger one beside dim(u_2)."""
    one, two = (n_1, n_2) if size == "listed" else (n_2, n_1)
    shown = Side("delta_1 of (3)", d_2 * one / (d_2 * one + d_1 * two))
    share = Side("share of layer 2", d_2 * n_2 / (d_1 * n_1 + d_2 * n_2))
    return compared(shown, share, {d_1: 2, d_2: 1, n_1: 1, n_2: 2}, given=[(d_2, "<", d_1)])


@of_delta(
    "LA-EQ3[the discrepancy of Section 3]",
    statement=r"\delta_1=\frac{d_1\dim(\mathbf u_1)}{\sum_ld_l\dim(\mathbf u_l)}=\frac{D_1}{D_1+D_2},\quad "
    r"D_l=\frac1m\sum_i\|\mathbf u_l-\mathbf x_l^i\|^2",
    headline="With unequal intervals delta is not the share in the total model discrepancy",
    summary="The sentence under (3) calls delta the contribution to the total model discrepancy. That is the sum of "
    "D_l, while delta weighs each D_l by one over its interval: the two agree for equal intervals, and the "
    "intervals may differ after the first adjustment.",
    fault="reading",
    repair="LA-EQ3[the size of the layer whose value it is, discrepancy per iteration]",
    printed=dict(intervals="own"),
    controls=[Control("equal intervals", dict(intervals="equal"), must="pass")],
)
def delta_of_the_total(intervals: str) -> Evidence:
    """Two layers: d_l dim(u_l) = D_l/tau_l."""
    second = tau_1 if intervals == "equal" else tau_2
    delta = (D_1 / tau_1) / (D_1 / tau_1 + D_2 / second)
    share = D_1 / (D_1 + D_2)
    at = {D_1: 1, D_2: 1, tau_1: 2, tau_2: 1}
    return compared(Side("delta_1", delta), Side("D_1/(D_1 + D_2)", share), at)


lambda_paired = statement_of_algebra(
    "LA-EQ4[the sizes of those layers]",
    Relations("0 < N/(N + M) <= 1; 1 - N/(N + M) = M/(N + M) for N > 0; M >= 0"),
    false={"the share of the others": ("1 - N/(N + M) = M", "1 - N/(N + M) = N")},
    group=of_lambda,
    says=r"N=\textstyle\sum_{i\le l}\dim_i,\ M=\sum_{i>l}\dim_i,\ \lambda_l=\frac N{N+M}:\quad ",
    headline="With sizes in the order of the metric lambda is the share of parameters it should be",
    summary="If the sizes are added in the order of the metric, lambda is the share of the parameters in the layers "
    "with the smallest metric, which is what the sentence under (4) says.",
)


@of_lambda(
    "LA-EQ4[the sizes as listed]",
    statement=r"\lambda_1=\frac{\dim(\mathbf u_1)}{\dim(\mathbf u_1)+\dim(\mathbf u_2)}\text{ is the share of the "
    r"layer with the smaller }d",
    headline="Read literally lambda adds the sizes of the first layers of the network instead",
    summary="Read literally, (4) and line 7 of Algorithm 2 add the sizes of layers 1 to l of the network, which is "
    "the share of the layers with the smallest metric only if the layers happen to be listed in that order.",
    fault="slip",
    repair="LA-EQ4[the sizes of those layers]",
    printed=dict(size="listed"),
    controls=[Control("the size of that layer", dict(size="own"), must="pass")],
)
def lambda_listed(size: str) -> Evidence:
    """Two layers with d_1 > d_2: the first of the order is layer 2."""
    shown = Side("lambda_1 of (4)", (n_1 if size == "listed" else n_2) / (n_1 + n_2))
    share = Side("share of layer 2", n_2 / (n_1 + n_2))
    return compared(shown, share, {d_1: 2, d_2: 1, n_1: 1, n_2: 2}, given=[(d_2, "<", d_1)])


of_the_rest = definition_claim.sharing(source="Section 4, after (4)")

rest_share = statement_of_algebra(
    "LA-EQ4-COMP[a share of the parameters]",
    Relations("1 - N/(N + M) = M/(N + M) for N > 0; M >= 0"),
    false={"the share of the others": ("1 - N/(N + M) = M", "1 - N/(N + M) = N")},
    group=of_the_rest,
    says=r"M\text{ parameters at }\tau',\ N\text{ at }\phi\tau':\quad ",
    headline="One minus lambda is exactly the share of parameters that keep the base interval",
    summary="If the first l layers of the order wait longer and the others do not, one minus lambda_l is exactly "
    "the share of the parameters that are synchronised more often: no estimate.",
)


@of_the_rest(
    "LA-EQ4-COMP[a number of parameters]",
    statement=r"1-\lambda_l=\text{the number of parameters at }\tau'",
    headline="One minus lambda is called a number of parameters and is a share of them",
    summary="The sentence says that one minus lambda_l estimates the number of parameters that are synchronised "
    "more often; it lies between zero and one.",
    fault="slip",
    repair="LA-EQ4-COMP[a share of the parameters]",
    printed=dict(what="number"),
    controls=[Control("their share", dict(what="share"), must="pass")],
)
def rest_number(what: str) -> Evidence:
    """Two layers of n_1 and n_2 parameters, the first of which waits longer."""
    shown = 1 - n_1 / (n_1 + n_2)
    meant = n_2 if what == "number" else n_2 / (n_1 + n_2)
    return compared(Side("1 - lambda_1", shown), Side(f"{what} at tau'", meant), {n_1: 1, n_2: 1})


monotone = statement_of_algebra(
    "LA-MONO[never falls, never rises]",
    Relations(
        "A/T <= (A + d*n)/T; M/S > (M - n)/S; (A + d*n + B)/T = 1 "
        "for T > 0; A >= 0; d >= 0; n >= 1; B = T - A - d*n; S > 0"
    ),
    false={"1 - lambda never falls": ("M/S > (M - n)/S", "M/S < (M - n)/S")},
    group=definition_claim,
    says=r"\delta_l=\tfrac AT\le\delta_{l+1},\ 1-\lambda_l=\tfrac MS>1-\lambda_{l+1},\ \delta_L=1:\quad ",
    source="Section 4, after (4)",
    headline="Delta never falls and one minus lambda falls with each layer",
    summary="With each further layer delta grows by its non-negative share of the discrepancy and one minus lambda "
    "falls by its positive share of the parameters; at the last layer delta is one.",
)

monotone_strict = statement_of_algebra(
    "LA-MONO[rises, falls]",
    Relations("A/T < (A + d*n)/T for A >= 0; d > 0; n >= 1; T > 0; A + d*n <= T"),
    false={"a layer on which all clients agree": ("d > 0", "d >= 0")},
    unprinted=Unprinted("no layer has a unit discrepancy of zero", "a layer on which all clients agree"),
    group=definition_claim,
    says=r"\delta_l=\tfrac AT<\delta_{l+1}:\quad ",
    source="Section 4, after (4)",
    headline="Delta rises with each layer if clients differ on every layer",
    summary="Delta rises strictly from layer to layer where every unit discrepancy is positive; on a layer on which "
    "all clients agree it stands.",
)


if __name__ == "__main__":
    run_script(__file__)
