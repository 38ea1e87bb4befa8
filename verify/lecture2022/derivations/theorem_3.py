"""Theorem 3 of the lecture note, line by line: clients of bounded gradient dissimilarity, for both codes.

Since the clients were last equal, at most K steps ago, each has gone away from their average by the sum ``a`` of noises and by
n times the mean ``m`` of gradients, both less their averages over the clients.  Noises of different steps add up by their
squares.  The mean of the gradients has a square that stays below s^2 (9/4 sigma_G^2 + W/(8K)), W the variance, since the drift
that it causes feeds back on it with weight at most 1/9.  ``go`` is 0 where the clients are made equal, else 1; what is
between is allowed.
"""

from collections.abc import Mapping

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.lecture2022 import bounds
from verify.lecture2022.derivations import local_sgd
from verify.lecture2022.derivations.local_sgd import LONGEST, SHORT_STEP, RateInRoots

_NOISE, _GRADIENT = "s*(noise - mean(noise, k))", "s*(g_x - mean(g_x, k))"
_APART = "deviations between the clients"
#: Of each code: n after a step, the sum of noises and the mean gradient after it, their weights, and the step itself.
_PRINTED = ("go*n + 1", f"go*a - {_NOISE}", f"(go*n*m - {_GRADIENT})/(go*n + 1)", "u + go*(x - u) - s*(g_x + noise)")
_ROUNDS = ("go*(n + 1)", f"go*(a - {_NOISE})", f"(n*m - {_GRADIENT})/(n + 1)", "u1 + go*(x - s*(g_x + noise) - u1)")
CODES = {"printed": _PRINTED, "FedAvg": _ROUNDS}


def clients(title: str, code: str, rate: RateInRoots | None = None) -> Derivation:
    """x_i = xbar + a_i + n m_i, and what a step of the code makes of it."""
    d = local_sgd.parameters(title, top=SHORT_STEP, rate=rate)
    following, noises, gradients, step = CODES[code]
    declare(d, "t_ >= 1 over t, next t_ + 1; 0 <= go <= 1 over t")
    d.parameter("n", 0, LONGEST[code], varies="t", next=following, first="0")
    d.vector("u", "past t")
    d.vector("a", "k past t", mean=[["k", "0", _APART]])
    d.vector("m", "k past t", mean=[["k", "0", _APART]])
    d.vector("x", "k past t", equals="u + a + n*m")
    local_sgd.one_step_of(d)
    d.vector("h", "k xi past t", equals="g_x + noise")
    d.vector("a1", "k xi past t", equals=noises)
    d.vector("m1", "k xi past t", equals=gradients)
    declare(d, f"next a = a1; next m = m1; x1 over k xi past t = u1 + a1 + ({following})*m1")
    d.combine("the code", f"sq(x1 - ({step}))", over=local_sgd.every(d), relation="=", unfold="x1 x u1 a1 m1")
    suppose(d, "gradient dissimilarity", of="f", sigma_G="sigma_G")
    suppose(d, "bounded gradients now", G2="G**2", gradient="h")
    return d


def variances(d: Derivation, moment: bool) -> str:
    """The variance of a noise, from the second moment of the stochastic gradient or supposed."""
    if not moment:
        d.assume("noise", "bounded variance")
        return "sigma**2"
    d.assume("second moment", "bounded gradients now")
    squares = [["1", "g_x"]]
    d.combine("noise", "G**2 - sq(noise)", over="xi past", facts={"second moment": "1"}, squares=squares, unfold="h")
    return "G**2"


def drift(d: Derivation, code: str, moment: bool = True) -> str:
    """(1/N) sum_i E|xbar - x_i|^2 <= s^2 (9/4 K W + 9/2 K^2 sigma_G^2) at every step; the right side."""
    over, w = local_sgd.every(d), variances(d, moment)
    kept, spent = {"printed": ("go*n", "1"), "FedAvg": ("n", "go**2")}[code]
    own = f"(9/4*sigma_G**2 + {w}/(8*K))"
    for number, vector in (("Noises", "a"), ("Gradients", "m")):
        names = {"next": f"{number}_next", "over_next": over, "first": f"{number}_1"}
        d.define(number, f"sq({vector})", over="k past", time="t", **names)
        granted(d, "empty sum", name=f"{number} at the start", first=f"{number}_1")
    weight = f"s**2*{spent}"
    form = f"go**2*sq(a) + {weight}*{w} - sq(a1)"
    squares = [[weight, "mean(noise, k)"]]
    d.combine("one more noise", form, over=over, facts={"noise": weight}, squares=squares, unfold="a1")
    facts = {"one more noise": "1", "Noises": "go**2", "Noises_next": "-1"}
    d.combine("noises add up", f"go**2*Noises + {weight}*{w} - Noises_next", over=over, facts=facts)
    step = {"index": "t_", "over": over, "base": {"Noises at the start": "-1"}}
    d.induction("all noises", of="Noises", bound=f"n*s**2*{w}", keep="go**2", facts={"noises add up": "1"}, **step)
    d.assume("dissimilarity", "gradient dissimilarity", ["u"])
    d.assume("gradients at the clients' own points", "Lipschitz gradients", ["x", "u"])
    apart = "g_x - mean(g_x, k)"
    facts = {"gradients at the clients' own points": "2", "dissimilarity": "2"}
    squares = [["1", "mean(g_x, k) - mean(g_u, k)"], ["1", "g_x - g_u - (g_u - mean(g_u, k))"]]
    form = f"2*L**2*sq(x - u) + 2*sigma_G**2 - sq({apart})"
    d.combine("deviation of a gradient", form, over="k past", facts=facts, squares=squares)
    far = "2*sq(a) + 2*n**2*sq(m)"
    d.combine("drift in two parts", f"{far} - sq(x - u)", over="k past", squares=[["1", "a - n*m"]], unfold="x")
    form = f"({kept}*sq(m) + s**2*(2*L**2*({far}) + 2*sigma_G**2))/({kept} + 1) - sq(m1)"
    facts = {"deviation of a gradient": f"s**2/({kept} + 1)", "drift in two parts": f"2*s**2*L**2/({kept} + 1)"}
    squares = [[f"{kept}/({kept} + 1)**2", f"m + s*({apart})"]]
    d.combine("one more gradient", form, over=over, facts=facts, squares=squares, unfold="m1")
    facts = {"one more gradient": "1", "Gradients_next": "-1", "Noises": f"4*s**2*L**2/({kept} + 1)"}
    facts["Gradients"] = back = f"({kept} + 4*s**2*L**2*n**2)/({kept} + 1)"
    form = f"{back}*Gradients + s**2*(4*L**2*Noises + 2*sigma_G**2)/({kept} + 1) - Gradients_next"
    d.combine("gradients feed back", form, over=over, facts=facts)
    step["base"] = {"Gradients at the start": "-1"}
    facts = {"gradients feed back": "1", "all noises": f"4*s**2*L**2/({kept} + 1)"}
    d.induction("mean gradient", of="Gradients", bound=f"s**2*{own}", keep=back, facts=facts, **step)
    right = f"s**2*(9/4*K*{w} + 9/2*K**2*sigma_G**2)"
    facts = {
        "drift in two parts": "1",
        "Noises": "2",
        "all noises": "2",
        "Gradients": "2*n**2",
        "mean gradient": "2*n**2",
    }
    d.combine("drift", f"{right} - sq(u - x)", over=over, facts=facts)
    return right


def theorem_3(
    bound: Bound = bounds.theorem_3,
    code: str = "printed",
    *,
    moment: bool = True,
    independent: bool = True,
    rate: RateInRoots | None = None,
) -> Mapping[str, JSON]:
    """Theorem 3, at a ``rate`` Corollary 4; ``moment``: the drift of noises is bounded by the second moment G^2."""
    d = clients(f"Lecture note, {bound.source}", code, rate)
    right = drift(d, code, moment)
    local_sgd.displays(d, independent=independent)
    local_sgd.summed(d, f"L**2*{right}", {"drift": "L**2"})
    local_sgd.conclude(d, bound, rate)
    return d.concluding("conclusion")
