r"""Slips of the pen in Li et al. (2020) that change no result: letters, indices and words, with what is meant.

Each is decided by what the printed sign literally says, evaluated on the smallest instance; the corrected sign passes the same
check.  A slip that stands in several places is told once.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_in_mean, by_relations
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import definition_in_words, run_script
from fltheory.evidence.model import Claim, Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.theory.steps import Step
from verify.li2020.discussion.bounds import G2, E, K, T, bound, gamma

Pair = list[Claim]


def slip(
    id: str,
    source: str,
    wrong: str,
    right: str,
    *,
    headline: str,
    statement: str,
    summary: str,
    correction: str,
    corrected: str,
    meant: str,
) -> Callable[[Callable[[str], Evidence]], Pair]:
    """The row of a slip and the row of its correction: the check is told what is ``printed``, ``wrong`` or ``right``.

    ``headline`` and ``corrected`` are the headlines of the two rows.
    """

    def decorate(check: Callable[[str], Evidence]) -> Pair:
        of_the_text = definition_in_words.sharing(source=source)
        as_printed = of_the_text(
            id,
            headline=headline,
            statement=statement,
            summary=f"Slip: {summary}",
            printed=dict(printed=wrong),
            repair=f"{id}-R1",
            fault="slip",
            controls=[Control(f"{right} in place of {wrong}", dict(printed=right), must="pass")],
        )
        as_corrected = of_the_text(
            f"{id}-R1",
            headline=corrected,
            statement=correction,
            summary=meant,
            printed=dict(printed=right),
            controls=[Control(f"{wrong}, as printed", dict(printed=wrong))],
        )
        return [as_printed(check), as_corrected(check)]

    return decorate


def judged(step: Step, holds: bool, words: str, method: str) -> Evidence:
    """The general step, and what the smallest instance gives."""
    return replace(decide([step], Tried(1, "" if holds else words), method=method), rung=Rung.READING)


def literally(said: Relations | InMean, method: str, valid_for: str = "") -> Evidence:
    """What the sign says, proved or broken by an instance."""
    words = dict(method=method, valid_for=valid_for)
    found = by_in_mean(said, **words) if isinstance(said, InMean) else by_relations(said, **words)
    return replace(found, rung=Rung.READING)


@slip(
    "LI-SQRTT.2",
    "Section 3.4",
    "Omega",
    "O",
    headline="A lower order of growth is printed where an upper one is meant",
    statement=r"E\text{ must not exceed }\Omega(\sqrt T)",
    summary="'must not exceed Omega(sqrt T)': Omega bounds from below, so that E = T, for which the bound of Theorem 1 does not "
    "stay bounded, is of this order as well. O is meant; Theorem 4 of the same section uses Omega in its usual sense.",
    correction=r"E\text{ must not exceed }O(\sqrt T)",
    corrected="Local steps of at most the order of the root of T keep the bound of Theorem 1 bounded",
    meant="O(sqrt T) is meant: E of at most this order is what keeps the bound of Theorem 1 bounded (it vanishes for smaller "
    "orders only, LI-SQRTT.1).",
)
def order_letter(printed: str) -> Evidence:
    """E = m T^a with every a of the class: does the bound of Theorem 1 stay bounded?  Multiples of T^a, powers of T only."""
    root, m = sp.symbols("r m", positive=True)
    largest = {"O": Fraction(1, 2), "Omega": Fraction(1)}[printed]  # E <= T; the classes end there
    along = (
        sp.limit(bound, K, sp.oo).subs({gamma: E}).subs({E: m * root**largest.numerator, T: root**largest.denominator})
    )
    limit = sp.limit(along.subs(G2, 1), root, sp.oo)
    finite, infinite = not limit.has(sp.oo), "infinity" if limit == sp.oo else str(limit)
    return judged(
        Step("the bound along the largest E of the class is bounded", finite, f"E = m T^({largest}): limit {limit}"),
        finite,
        f"E = T is Omega(sqrt T): 'E must not exceed Omega(sqrt T)' allows it, and the bound of Theorem 1 tends to {infinite}",
        "Limit of the bound of Theorem 1 along the largest E = m T^a of the class, a <= 1.",
    )


sigma_of_d2 = slip(
    "LI-EOPT.2",
    "D.2",
    "sigma",
    "sigma_k",
    headline="The noise under the root has lost the index of its device",
    statement=r"\mathcal O\big(G\sqrt{\textstyle\sum_kp_k^2\sigma^2+L\Gamma+\kappa G^2}\big)",
    summary="sigma under the root has lost its index: the document defines sigma_k only, and (8), of which this is the minimum, "
    "has sum p_k^2 sigma_k^2. Harmless: with the largest sigma_k the order stays true.",
    correction=r"\mathcal O\big(G\sqrt{\textstyle\sum_kp_k^2\sigma_k^2+L\Gamma+\kappa G^2}\big)",
    corrected="The optimal value with each device's noise weighted by its own index",
    meant="The minimum of (8) has sum p_k^2 sigma_k^2 under the root.",
)(
    lambda printed: literally(
        Relations(f"p_k**2*{printed}**2 = p_k**2*sigma_k**2 for p_k > 0; sigma > 0; sigma_k > 0"),
        "The radicand is b = sum p_k^2 sigma_k^2 + L Gamma + kappa G^2 of (8), compared client by client.",
    )
)


devices_of_12 = slip(
    "LI-A1-VIRT.2",
    "Appendix A.1, before (9)",
    "partial",
    "all",
    headline="Full participation is introduced as partial participation",
    statement=r"\text{'the update of FedAvg with partial devices active'}:\ (9),\ (12)",
    summary="A.1 introduces (9), (12) as FedAvg with partial devices active, one sentence after it activates all of them; (12) "
    "averages all N devices. The sentence belongs to B.1.",
    correction=r"\text{the update of FedAvg with all devices active}:\ (9),\ (12)",
    corrected="The displays of the first appendix are those of full participation",
    meant="(9), (12) are full participation: the average of (12) is that of all devices.",
)(
    lambda printed: literally(
        Relations(
            "; ".join(
                f"{average} = (v_1 + v_2)/2"
                for average in {"all": ["(v_1 + v_2)/2"], "partial": ["v_1", "v_2"]}[printed]
            )
        ),
        "The average of (12) against that of the devices called active, one of two if they are not all.",
        "equal weights, N = 2",
    )
)


device_and_step = slip(
    "LI-A1COMB.3",
    "Lemmas 1 and 3 (A.2), the combined display and (20) of A.4",
    "w_k^t",
    "w_t^k",
    headline="Time and device have changed places in the index of the model",
    statement=r"\textstyle\sum_kp_k\|\bar w_t-w_k^t\|^2",
    summary="Lemmas 1 and 3, the combined display and (20) print w_k^t, the model of device t at step k; everywhere else the "
    "device stands above and the step below.",
    correction=r"\textstyle\sum_kp_k\|\bar w_t-w_t^k\|^2",
    corrected="The drift in the one-step proof is that of the current local models",
    meant="The drift is that of the models w_t^k of step t.",
)(
    lambda printed: literally(
        Relations(
            f"(u - {'w_12' if printed == 'w_k^t' else 'w_21'})**2 + (u - w_22)**2 = (u - w_21)**2 + (u - w_22)**2 "
            "for 0 < q < 1; w_12 = q - 1; w_21 = 1 - q**2; w_22 = q**2 - 1; u = (w_21 + w_22)/2"
        ),
        "The drift at t = 2 of two clients (w -+ 1)^2/2 with steps 1 - q from 0, w_tk the model of device k at step t: the printed "
        "sign is a place in the table of models by step (below) and device (above).",
    )
)


bar_too_many = slip(
    "LI-D1..D3.4",
    "Appendix A.4, bound of D, second line",
    "wbar_t^k",
    "w_t^k",
    headline="One bar too many makes an inequality of the proof false",
    statement=r"\textstyle\sum_kp_k(F_k(w^k_t)-F_k(\bar w_t))\ge\sum_kp_k\langle\nabla F_k(\bar w_t),\bar w^k_t-\bar w_t\rangle",
    summary="A bar too many: wbar_t^k is not defined, and wbar_t in its place makes the inequality false.",
    correction=r"\textstyle\sum_kp_k(F_k(w^k_t)-F_k(\bar w_t))\ge\sum_kp_k\langle\nabla F_k(\bar w_t),w^k_t-\bar w_t\rangle",
    corrected="The inequality with the bar removed is the tangent inequality of a convex loss",
    meant="With w_t^k it is convexity of F_k at the average (LI-D1..D3.1).",
)(
    lambda printed: literally(
        InMean(
            f"f_w - f_wbar >= dot(g_wbar, {'w' if printed == 'w_t^k' else 'wbar'} - wbar)",
            things="function F over k; w over k; wbar = mean(w, k); F at w, wbar",
            over="k",
            uses=[use("convex", "wbar w", of="F")],
        ),
        "The inequality of convexity at the average, client by client.",
        "all convex F_k",
    )
)


@slip(
    "LI-RIDGE.4",
    "Appendix C.1, last paragraph",
    "C.2",
    "C.3",
    headline="A cross-reference names the wrong subsection",
    statement=r"\text{'In the next subsection (Appendix C.3)'}",
    summary="The subsection after C.1 is C.2, the numerical illustration; the linear regression is shown in C.3, as the bracket "
    "says.",
    correction=r"\text{In Appendix C.3}",
    corrected="The regression is shown in the subsection that the bracket names",
    meant="C.3 shows that the objectives are those of a distributed linear regression.",
)
def next_subsection(printed: str) -> Evidence:
    contents = {
        "C.1": "Detail of the example",
        "C.2": "Numerical illustration on the example",
        "C.3": "Some properties of the example",  # Proposition 1 and the ridge regressions
    }
    shown_in = "C.3"  # where F_k = |X_k w|^2/2 + mu |w|^2/2 stands
    right = printed == shown_in
    return judged(
        Step("the regression stands in the subsection named", right, printed),
        right,
        f"the next subsection is {printed}, {contents[printed]}; the ridge regressions stand in {shown_in}, {contents[shown_in]}",
        "The order of the subsections of Appendix C.",
    )


matrix_of_worker = slip(
    "LI-LOC1.2",
    "Appendix C.4, the rest of workers",
    "A_i",
    "A_k",
    headline="The matrix of a worker bears an index that nothing binds",
    statement=r"w_t^{(k)}=(I-\eta A_i)^Ew_t,\ 2\le k\le N",
    summary="The index of the matrix is i, which nothing binds; worker k uses A_k.",
    correction=r"w_t^{(k)}=(I-\eta A_k)^Ew_t,\ 2\le k\le N",
    corrected="A worker applies its own matrix once per local step",
    meant="Worker k applies I - eta A_k, E times (LI-LOC1.1).",
)(
    lambda printed: literally(
        Relations(f"(1 - eta*{printed})*w = w - eta*A_k*w for 0 < eta < 1/4"),
        "One local step of worker k on w'A_k w/2; E steps repeat it.",
    )
)


round_of_locals = slip(
    "LI-LOC1.3",
    "Appendix C.4, the round",
    "w_{t+1}^{(k)}",
    "w_t^{(k)}",
    headline="The local parameters of a round bear the index of the next round",
    statement=r"w_{t+1}=\tfrac1N\textstyle\sum_kw_{t+1}^{(k)}",
    summary="The local parameters of round t are w_t^{(k)}, two lines above; the average of round t is printed with those of round "
    "t + 1.",
    correction=r"w_{t+1}=\tfrac1N\textstyle\sum_kw_t^{(k)}",
    corrected="The next model averages what the workers reach in this round",
    meant="The next model is the average of what the workers reach in round t.",
)(
    lambda printed: literally(
        Relations(
            f"{'reached' if printed == 'w_t^{(k)}' else '(1 - eta)*reached + eta'} = (1 - eta)*w + eta "
            "for 0 < eta < 1; reached = (1 - eta)*w + eta"
        ),
        "The round of one client with A = b = 1, with the definition of w_t^{(k)} that precedes it.",
    )
)


end_of_the_sum = slip(
    "LI-L6-V.4",
    "Appendix C.5, last sentence",
    "n",
    "N",
    headline="A sum over devices ends at the number of data",
    statement=r"\textstyle\sum_{i=2}^nA_i",
    summary="The sum of the matrices ends at n; there are N of them (n counts data, or coordinates, and exceeds N).",
    correction=r"\textstyle\sum_{i=2}^NA_i",
    corrected="The sum over devices ends at the number of devices",
    meant="The sum ends at N, the number of devices.",
)(
    lambda printed: literally(
        Relations(f"{'N*p + 1' if printed == 'n' else 'N'} = N; N <= N*p + 1 for N >= 2; p >= 2"),
        "The number of matrices against the upper limit; n counts data, or the Np + 1 coordinates, the smaller of the two.",
    )
)


@definition_in_words(
    "LI-L3PF1..5.6",
    headline="One letter is used inside and outside a sum, without harm",
    source="Appendix A.4, proof of Lemma 3; (12) of A.1",
    statement=r"\textstyle\sum_{t=t_0}^{t-1}\eta_t^2\|\nabla F_k(w_t^k)\|^2\text{ for }"
    r"\sum_{\tau=t_0}^{t-1}\eta_\tau^2\|\nabla F_k(w_\tau^k)\|^2",
    summary="The sums of the proof are over t up to t - 1 (and (12) sums over k what belongs to device k): the letter is bound "
    "inside and free outside. Harmless: the limits are read outside of the sum, as usual.",
    printed=dict(summand="bound"),
    controls=[Control("t of the summand read outside as well", dict(summand="free"))],
)
def bound_and_free(summand: str) -> Evidence:
    """Sum over t = t0..t-1 of a sequence x_t, with the letter of the summand bound by the sum, or that of the outside."""
    t, t0, tau = sp.symbols("t t0 tau", integer=True)
    x = sp.Function("x")
    printed = sp.Sum(x(t), (t, t0, t - 1)) if summand == "bound" else sp.Sum(x(t), (tau, t0, t - 1))
    meant = sp.Sum(x(tau), (tau, t0, t - 1))
    values = {2: 4, 3: 9, 4: 16}
    shown, right = sum(values[s] if summand == "bound" else values[4] for s in (2, 3)), values[2] + values[3]
    return judged(
        Step("renaming the bound letter", bool(printed.dummy_eq(meant)), f"{printed} against {meant}"),
        shown == right,
        f"t0=2, t=4, x_t=t^2: the sum is {right}, with the outer t in the summand {shown}",
        "A bound letter may be renamed; the limits of a sum are not in its scope.",
    )


if __name__ == "__main__":
    run_script(__file__)
