r"""Displays of the lecture note outside the proof of Theorem 1: algorithms, rates and notions of non-iid data.

Symbols beside those of :mod:`fltheory.theory.lecture2022.bounds`: ``x`` = x_i^t, ``g`` a stochastic gradient of client i,
``xbar`` the average.
"""

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp
from sympy.core.symbol import Str

from fltheory.theory.conditions import Condition
from fltheory.theory.lecture2022 import bounds
from fltheory.theory.lecture2022.bounds import FULL, G, L, N, T, gap, s, sigma_G
from fltheory.theory.lecture2022.vocabulary import Bound
from fltheory.theory.notation import ClientSum, CohortSum, NormSq, StepSum

x, g, xbar, ybar, g_k, Delta_i, Delta, s_L, s_k, M, count, batch, b = sp.symbols(
    "x g xbar ybar g_k Delta_i Delta s_L s_k M count B_k b"
)
grad_i, grad, f_i, f_all, f_star, f_i_star, p, C, eps, R, B = sp.symbols(
    "grad_i grad f_i f_all f_star f_i_star p C epsilon R B"
)

NAMES = {
    **bounds.NAMES,
    "x": "x_i^t",
    "g": "G_i^t",
    "xbar": r"\bar x^t",
    "ybar": r"\bar y",
    "g_k": "g_{i,k}^t",
    "Delta_i": r"\Delta_i^t",
    "Delta": r"\Delta^t",
    "s_L": "s_L",
    "s_k": "s_k",
    "count": "S",
    "grad_i": r"\nabla f_i(x)",
    "grad": r"\nabla f(x)",
    "f_i": "f_i(x)",
    "f_all": "f(x)",
    "f_star": "f^*",
    "f_i_star": "f_i^*",
    "p": "p_i",
    "epsilon": r"\epsilon",
    "g_batch": r"\nabla f(x_k,\xi_i)",
    "x_k": "x_k",
    "x_before": "x_i^{t-1}",
    "xbar_before": r"\bar x^{t-1}",
}


def displays(place: str, names: Mapping[str, str] = NAMES) -> Callable[..., Bound]:
    """A constructor of the displays of one part of the note: ``(name, left, relation, right, *ids, ...)``."""

    def display(
        name: str,
        left: Any,
        relation: str,
        right: Any,
        *ids: str,
        given: tuple[Condition, ...] = (),
        repaired_by: str = "",
    ) -> Bound:
        return Bound(name, place, left, sp.sympify(right), given, relation, names, ids, repaired_by)

    return display


def over_clients(value: Any) -> Any:
    """``sum_i`` over the clients."""
    return ClientSum(value, 1, "i")


def over_cohort(value: Any) -> Any:
    """``sum_{i in S}`` over the clients of the round."""
    return CohortSum(count, value, "i")


_background = displays("distributed SGD")
_algorithm = displays("FedAvg algorithm")
_two_sided = displays("two-sided learning rates")
_code = displays("equivalent code")
_rates = displays("notes on Corollary 2 and Theorem 3")
_notions = displays("notions of non-iid data")
_STEPS = (Str("k=0"), Str("K-1"))
x_k, g_batch, x_before, xbar_before = sp.symbols("x_k g_batch x_before xbar_before")

mini_batch = _background(
    "mini-batch step", "x_{k+1}", "=", x_k - s_k / batch * StepSum(g_batch, Str("i=1"), Str("B_k")), "LEC-SGD"
)
traffic = _background("traffic at the parameter server", r"\text{bits per iteration}", "=", 2 * N * b, "LEC-PS")
local_step = _algorithm("local step", "x_{k+1}", "=", x_k - s_k * g_batch, "LEC-ALG")
aggregation = _algorithm("aggregation", r"\bar x^{t+1}", "=", over_cohort(x) / M, "LEC-ALG.1")
_ends = displays("FedAvg algorithm", {**NAMES, "x": "x_{i,K}^t", "x_before": "x_{i,0}^t"})
update = _ends("transmitted update", x - x_before, "=", -s * StepSum(g_k, *_STEPS), "LEC-DELTA")

message = _two_sided("message of a client", r"\Delta_i^t", "=", -StepSum(g_k, *_STEPS), "LEC-GTS")
mean_message = _two_sided("mean message", r"\Delta^t", "=", over_cohort(Delta_i) / M, "LEC-GTS")
_NEXT, _repair = r"\bar x^{t+1}", "LEC-GTS[second display]"
server_step = _two_sided("server step", _NEXT, "=", xbar + s * Delta, "LEC-GTS", repaired_by=_repair)
effective_step = _two_sided("server step, effective rate", _NEXT, "=", xbar + s * s_L * Delta, "LEC-GTS")
_client = x - s_L * StepSum(g_k, *_STEPS)
original_client = _two_sided("original FedAvg, client", "x_i^{t+1}", "=", _client, "LEC-ORG")
original_server = _two_sided("original FedAvg, server", _NEXT, "=", over_cohort(_client) / M, "LEC-ORG")
_starts, _changes = over_cohort(x) / M, over_cohort(-s_L * StepSum(g_k, *_STEPS)) / M
original_split = _two_sided(
    "original FedAvg, split", over_cohort(_client) / M, "=", _starts + _changes, "LEC-ORG", "LEC-LOCALSGD"
)
common_start = _two_sided("common start of the cohort", _starts, "=", xbar, "LEC-ORG-S")
original_sum = _two_sided("original FedAvg, with messages", _NEXT, "=", xbar + over_cohort(Delta_i) / M, "LEC-ORG")
_name, _repair = "original FedAvg, last line as transcribed", "LEC-ORG[factor 1, messages with s_L]"
original_last = _two_sided(_name, _NEXT, "=", xbar + M * Delta, "LEC-ORG", repaired_by=_repair)

average_code = _code("node average", r"\bar y", "=", over_clients(x_before) / N, "LEC-PRSGD")
_averaged = dict(given=(Condition("K divides t"),), repaired_by="LEC-PRSGD[average first, K divides t-1]")
averaging_step = _code("step after averaging", "x_i^t", "=", ybar - s * g, "LEC-PRSGD", **_averaged)
plain_step = _code("step between averagings", "x_i^t", "=", x_before - s * g, "LEC-PRSGD", "LEC-LOCALSGD")
objective = displays("the problem")("the objective", "f(x)", "=", over_clients(f_i) / N, "LEC-MN", "LEC-IIDSCOPE")

_MEASURED, _RATE = bounds.AVERAGE_GRADIENT, 1 / sp.sqrt(N * T)
first_term = _rates("first term of Theorems 1 and 3", 2 * gap / (s * T), "O", 1 / T, "LEC-THM1-T", "LEC-THM3-T")
_most = sp.root(T, 4) / N ** sp.Rational(3, 4)
local_steps = displays("Corollary 2")("local steps of Corollary 2", "K", "<=", _most, "LEC-COR2b")
speedup_2 = _rates(
    "rate of Corollary 2", bounds.corollary_2_first.expression, "O", _RATE, "LEC-COR2a.2", repaired_by="LEC-COR2b"
)
speedup_2_second = _rates(
    "rate of Corollary 2, second display", bounds.corollary_2_second.expression, "O", _RATE, "LEC-COR2b"
)
sgd_accuracy = _rates("accuracy of SGD", C / sp.sqrt(T), "<=", eps**2, "LEC-SGDCPX")
sgd_steps = _rates("steps of SGD, as transcribed", "T", "Omega", 1 / eps**2, "LEC-SGDCPX", repaired_by="LEC-SGDCPX-R1")
sgd_steps_repaired = _rates("steps of SGD (repaired)", "T", ">=", C**2 / eps**4, "LEC-SGDCPX-R1")
fedavg_accuracy = _rates("accuracy of FedAvg", C / sp.sqrt(N * T), "<=", eps**2, "LEC-FACPX")
fedavg_steps = _rates(
    "steps of FedAvg, as transcribed", "T", "Omega", 1 / (N * eps**2), "LEC-FACPX", repaired_by="LEC-FACPX-R1"
)
fedavg_steps_repaired = _rates("steps of FedAvg (repaired)", "T", ">=", C**2 / (N * eps**4), "LEC-FACPX-R1")
_FOUR = displays("Corollary 4")
_long = Condition("T >= 36 L^2 N", sp.Ge(T, 36 * L**2 * N)), FULL
corollary_4_first_order = _FOUR("Corollary 4, K = 1, orders", _MEASURED, "O", _RATE + N / T, "LEC-COR4a", given=_long)
_name, _repair = "Corollary 4, K = 1, annotation", "LEC-COR4a-ABS[N fixed]"
corollary_4_annotated = _FOUR(_name, _RATE + N / T, "O", _RATE, "LEC-COR4a-ABS", repaired_by=_repair)
_long = Condition("T >= L^2 N", sp.Ge(T, L**2 * N)), FULL
corollary_4_second_order = _FOUR("Corollary 4, growing K, order", _MEASURED, "O", _RATE, "LEC-COR4b", given=_long)
corollary_4_steps = _FOUR("Corollary 4, local steps", "K", "O", _most, "LEC-COR4b")
_name, _repair = "local steps by rounds, as transcribed", "LEC-COR4-RND-R1"
rounds = _FOUR(_name, "K", "O", sp.root(R, 4) / N, "LEC-COR4-RND", repaired_by=_repair)
rounds_repaired = _FOUR("local steps by rounds (repaired)", "K", "<=", R ** sp.Rational(1, 3) / N, "LEC-COR4-RND-R1")
two_sided_steps = _FOUR("local steps of the two-sided algorithm", "K", "O", T / N, "LEC-COR4-YFL")

dissimilarity = _notions("mean dissimilarity", over_clients(NormSq(grad_i - grad)) / N, "<=", sigma_G**2, "LEC-NI1")
dissimilarity_each = _notions("dissimilarity per client", NormSq(grad_i - grad), "<=", sigma_G**2, "LEC-NI1")
bgd = _notions("(G, B)-dissimilarity", over_clients(NormSq(grad_i)) / N, "<=", G**2 + B**2 * NormSq(grad), "LEC-NI2")
heterogeneity = _notions("Gamma", r"\Gamma", "=", f_star - over_clients(p * f_i_star), "LEC-NI3")
