"""The five steps of the proof of Lemma 3 of Li et al. (2020), and the first round, where it starts."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from fltheory.evidence.algebra import by_in_mean, statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from verify.li2020.derivations.sampling import bounded_steps, sum_of_steps

_ANY = "every N, p, dimension, all points"
_DRIFT: Mapping[str, Any] = dict(
    things="w over k; u = mean(w, k); w0; a over k = w - w0; b = u - w0",
    over="k",
    unfold="u a b",
    names={
        "w": "w^k_t",
        "u": r"\bar w_t",
        "w0": r"\bar w_{t_0}",
        "a": r"(w^k_t-\bar w_{t_0})",
        "b": r"(\bar w_t-\bar w_{t_0})",
    },
)
INSERTED = InMean("sq(u - w) = sq(a - b)", **_DRIFT)
AROUND_THE_MEAN = InMean("sq(a - b) <= sq(w - w0)", squares=[("1", "b")], **_DRIFT)


@identity_claim(
    "LI-L3PF1..5.1",
    source="proof of Lemma 3, first line",
    statement=INSERTED,
    summary="The common point of the last synchronisation is inserted.",
    printed=dict(text=INSERTED.text),
    controls=[
        Control(
            "plus instead of minus between the brackets",
            dict(text=INSERTED.changed("a - b", "a + b").text),
        )
    ],
)
def li_l3pf_1(text: str) -> Evidence:
    """Expansion."""
    return by_in_mean(INSERTED.with_text(text), valid_for=_ANY)


@inequality_claim(
    "LI-L3PF1..5.2",
    source="proof of Lemma 3, second line",
    statement=AROUND_THE_MEAN,
    summary="The second moment about the mean is the smallest.",
    printed=dict(text=AROUND_THE_MEAN.text),
    controls=[
        Control(
            "right-hand side times 0.99",
            dict(text=AROUND_THE_MEAN.changed("<= sq(w - w0)", "<= 99/100*sq(w - w0)").text),
        )
    ],
)
def li_l3pf_2(text: str) -> Evidence:
    """The difference is |wbar_t - wbar_{t0}|^2."""
    return by_in_mean(AROUND_THE_MEAN.with_text(text), valid_for=_ANY)


def equal_steps(sides: Callable[[int], tuple[Fraction, Fraction]], *, largest: int = 4) -> Search:
    """Rounds with gradients 1 and s = E - 1 = 1 ... ``largest`` steps of size 1; ``sides(s)`` gives both sides."""
    steps = range(1, largest + 1)
    return search(steps, sides, describe=lambda s: f"E = {s + 1}, t - t0 = {s}, all steps and gradients 1")


@inequality_claim(
    "LI-L3PF1..5.3",
    headline="Jensen's inequality over the local steps since the last synchronisation",
    source="proof of Lemma 3, third line and the display on Jensen's inequality",
    statement=r"\Big\|\sum_{j=t_0}^{t-1}\eta_jg_j\Big\|^2\le(t-t_0)\sum_{j=t_0}^{t-1}\eta_j^2\|g_j\|^2\le(E-1)"
    r"\sum_{j=t_0}^{t-1}\eta_j^2\|g_j\|^2",
    summary="Jensen's inequality is applied to the steps since the last synchronisation, of which there are t - t0 "
    "<= E - 1.",
    printed=dict(first="1", second="1"),
    controls=[
        Control("t - t0 -> 0.99 (t - t0)", dict(first="99/100")),
        Control("E - 1 -> 0.99 (E - 1)", dict(second="99/100")),
    ],
)
def li_l3pf_3(first: str, second: str) -> Evidence:
    """A sum over the t - t0 = s steps is s times a mean; mean and deviation, and s <= E - 1."""
    found = [
        equal_steps(lambda m: (Fraction(m**2), Fraction(first) * m * m)),
        equal_steps(lambda m: (Fraction(first) * m * m, Fraction(second) * m * m)),
    ]
    return by_derivation(
        sum_of_steps(first, second),
        min(found, key=lambda result: result.worst),
        valid_for="every t - t0 <= E - 1, dimension",
    )


@inequality_claim(
    "LI-L3PF1..5.4",
    headline="The drift of a round: how many steps, how long, and how large their gradients",
    source="proof of Lemma 3, fourth and fifth line",
    statement=r"\sum_{j=t_0}^{t-1}(E-1)\eta_j^2\,\mathbb{E}\|g_j\|^2\le\sum_{j=t_0}^{t-1}(E-1)\eta_{t_0}^2G^2\le"
    r"\eta_{t_0}^2(E-1)^2G^2",
    summary="Steps are at most eta_{t0}, second moments at most G^2, and there are at most E - 1 of them.",
    assumptions=("A4 at t0, ..., t - 1", "eta_t non-increasing"),
    printed=dict(factor="1"),
    controls=[Control("right-hand side times 0.99", dict(factor="99/100"))],
)
def li_l3pf_4(factor: str) -> Evidence:
    """Each of the s <= E - 1 steps of the round has eta_j <= eta_t0 and E|g_j|^2 <= G^2."""
    return by_derivation(
        bounded_steps(factor),
        equal_steps(lambda m: (Fraction(m * m), Fraction(factor) * m * m)),
        valid_for="every t - t0 <= E - 1",
    )


li_l3pf_5 = statement_of_algebra(
    "LI-L3PF1..5.5",
    Relations(
        "eta_0 <= 2*eta_E <= 2*eta_t; (E - 1)**2*eta_0**2*G2 <= 4*eta_t**2*(E - 1)**2*G2 for "
        "E >= 1; G2 >= 0; eta_t >= 0; 0 <= eta_E <= eta_t; 0 <= eta_0 <= 2*eta_E",
        names={"G2": "G^2", "eta_0": r"\eta_{t_0}", "eta_t": r"\eta_t", "eta_E": r"\eta_{t_0+E}"},
    ),
    says=r"t_0\le t\le t_0+E:\quad ",
    false={"4 -> 3.96": ("<= 4*eta_t", "<= 99/25*eta_t")},
    group=inequality_claim,
    source="proof of Lemma 3, last line",
    summary="The first step of the round is at most twice any later one.",
    assumptions=("eta_t non-increasing", "eta_t <= 2 eta_{t+E}"),
)


#: t0 = qE is the last of 0, E, 2E, ... up to t; i stands for the indices of the gradients that enter the drift at t
_FROM_0 = Relations(
    "0 <= t - t_0 <= E - 1; 0 <= i <= T - 1 for E >= 1; q >= 0; t_0 = q*E; T >= 1; q*E <= t; t < (q + 1)*E; t <= T; t_0 <= i; "
    "i <= t - 1; E, t, q, i, T whole",
    uses={0: {"q*E <= t": "1"}, 1: {"t < (q + 1)*E": "1"}, 2: {"t_0 <= i": "1"}, 3: {"i <= t - 1": "1", "t <= T": "1"}},
    at={"E": "1", "t": "1", "q": "0", "i": "0", "T": "1"},
)
#: The same with first = 1 for 0: t in the first round with gradients i, s in a later one with gradients j
_FROM_1 = Relations(
    "0 <= t - first <= E - 1; 0 <= s - s_0 <= E - 1; 1 <= i <= T - 1; 1 <= j <= T - 1 for E >= 1; first = 1; t >= first; t < E; "
    "d >= 0; i = first + d; first + d <= t - 1; t <= T; q >= 1; s_0 = q*E; q*E <= s; s < (q + 1)*E; s <= T; j >= q*E; j <= s - 1; "
    "E, t, d, T, q, s, j whole",
    uses={
        1: {"t < E": "1"},
        2: {"q*E <= s": "1"},
        3: {"s < (q + 1)*E": "1"},
        5: {"first + d <= t - 1": "1", "t <= T": "1"},
        7: {"j <= s - 1": "1", "s <= T": "1"},
    },
    at={"E": "3", "t": "2", "d": "0", "T": "4", "q": "1", "s": "4", "j": "3"},
    names={"first": r"t_{\text{start}}"},
)
_COVERED = r"\text{A4 covers the gradients at }"

first_round_claim = inequality_claim.sharing(source="proof of Lemma 3, A4")
_FROM_ONE = "A4 from t = 1 on, run from t = 0"

#: The reading in which w_0 is the initial model.
li_l3pf_t0_from_0 = statement_of_algebra(
    "LI-L3PF-T0[run from t = 0]",
    _FROM_0,
    says=r"t_0=qE,\text{ the last of }0,E,2E,\dots\text{ up to }t;\ " + _COVERED + r"i=t_0,\dots,t-1:\quad ",
    false={_FROM_ONE: ("; 0 <= i <=", "; 1 <= i <=")},
    group=first_round_claim,
    summary="The index t0, the last of 0, E, 2E, ... up to t, is at most E - 1 steps back, and A4 covers every gradient from t0 to "
    "t - 1 if it is assumed for t = 0, ..., T-1 (printed: t = 1, ..., T-1).",
    unprinted=Unprinted("A4 at t = 0 as well, where the run starts", _FROM_ONE),
    headline="With its assumption at time zero too, not printed, the drift proof's gradients are bounded",
)

#: The reading in which w_1 is the initial model, as in the bounds of the theorems.
li_l3pf_t0_from_1 = statement_of_algebra(
    "LI-L3PF-T0[run from t = 1]",
    _FROM_1,
    headline="If the run begins at time one, every gradient that the drift proof uses is bounded",
    says=r"t_0=1\text{ for }t<E,\text{ and }s_0=qE\text{ for }s\ge E;\ "
    + _COVERED
    + r"i=1,\dots,t-1\text{ and }j=s_0,\dots,s-1:\quad ",
    false={"run from t = 0": ("first = 1", "first = 0"), "A4 from t = 2 on": ("; 1 <= i", "; 2 <= i")},
    group=first_round_claim,
    summary="If the run starts at t = 1, A4 as printed covers every gradient since the start or the last of E, 2E, ..., which is "
    "at most E - 1 steps back.",
)


if __name__ == "__main__":
    run_script(__file__)
