"""The setting of the experiments of Li et al. (2020), Section 6 and Appendix D.1: the objective and the schedule."""

from fractions import Fraction

from fltheory.evidence.algebra import by_in_mean, by_relations, statement_of_algebra
from fltheory.evidence.decide import read
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.kinds import algebra_claim, definition_in_words, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.relations import Relations

_SOURCE = "Section 6, Appendix D.1"


#: v_k is the move of the logit of class k along V, at one sample x; classes have the probabilities p_k of the softmax.
CONVEX = InMean(
    "sq(v) - sq(mean(v, k)) + 2*lam*sq(V) >= 2*lam*sq(V) for lam >= 0",
    things="V; v over k",
    over="k",
    squares=[("1", "v - mean(v, k)")],
    names={"lam": r"\lambda", "v": "v_k"},
)


@inequality_claim(
    "LI-SETUP.1",
    headline="Softmax regression with its penalty has exactly the convexity of the penalty",
    source=_SOURCE,
    statement=(
        r"\nabla^2F\succeq2\lambda I,\ v_k=(V(x,1))_k,\ p\text{ the softmax, for one sample }x:\quad V^\top\nabla^2F\,V=",
        CONVEX,
    ),
    summary="Multinomial logistic regression with lambda|w|^2 is convex; its modulus of strong convexity is 2 "
    "lambda, and no larger.",
    printed=dict(text=CONVEX.text),
    controls=[
        Control(f"modulus {words} lambda", dict(text=CONVEX.changed(">= 2*lam", f">= {modulus}*lam").text))
        for words, modulus in (("2.02", "101/50"), ("4", "4"))
    ],
)
def convexity(text: str) -> Evidence:
    return by_in_mean(
        CONVEX.with_text(text),
        prose="the second derivative of a cross-entropy along V is the variance of v = V(x,1) over the softmax",
        method="Along a direction V the second derivative of one sample's cross-entropy is the variance of v = V(x,1) over the "
        "softmax q; lambda|w|^2 adds 2 lambda |V|^2; a mean over samples keeps both. Along the direction that moves all "
        "classes alike the variance is zero, so 2 lambda is the modulus exactly.",
        valid_for="any data, any number of classes and features, lambda >= 0",
    )


_FALLS, _DECAYS = "q <= u", "v <= q + 1"
schedule = statement_of_algebra(
    "LI-SETUP.2",
    Relations(
        f"{_FALLS}; {_DECAYS}; eta_0/(1 + u) <= eta_0/(1 + q); eta_0/(1 + q) <= 2*(eta_0/(1 + v)) "
        "for eta_0 > 0; E >= 1; t >= 0; q >= 0; u >= 0; v >= 0; q*E <= t; t < (q + 1)*E; u*E <= t + 1; t + 1 < (u + 1)*E; "
        "v*E <= t + E; t + E < (v + 1)*E; q, u, v whole",
        uses={
            0: {"q*E <= t": "1/E", "t + 1 < (u + 1)*E": "1/E"},
            1: {"v*E <= t + E": "1/E", "t < (q + 1)*E": "1/E"},
            2: {_FALLS: "eta_0/((1 + u)*(1 + q))"},
            3: {_DECAYS: "eta_0/((1 + v)*(1 + q))"},
        },
        at={"eta_0": "1", "E": "2", "t": "0", "q": "0", "u": "0", "v": "1"},
        names={"u": "q_+", "v": "q_E", "eta_0": r"\eta_0"},
    ),
    headline="The experiments' schedule of steps does not increase and halves at most over a round",
    says=r"\eta_t=\tfrac{\eta_0}{1+\lfloor t/E\rfloor}:\ \eta_{t+1}\le\eta_t\le 2\eta_{t+E},\ "
    r"q=\lfloor\tfrac tE\rfloor,\ q_+=\lfloor\tfrac{t+1}E\rfloor,\ q_E=\lfloor\tfrac{t+E}E\rfloor:\quad ",
    false={
        "eta0/(0.99+r)": ("eta_0/(1 + q) <= 2*(eta_0/(1 + v))", "eta_0/(99/100 + q) <= 2*(eta_0/(99/100 + v))"),
        "eta_t <= 1.99 eta_{t+E}": ("<= 2*(", "<= 199/100*("),
        "the rate falls twice a round": ("<= 2*(eta_0/(1 + v))", "<= 2*(eta_0/(1 + 2*v))"),
    },
    group=algebra_claim,
    source=_SOURCE,
    summary="The schedule eta0/(1+r), constant within round r, never increases and satisfies eta_t <= 2 eta_{t+E}, "
    "as Lemmas 3 and 5 ask.",
    tightness=Tightness(1.0, Rung.PROOF, "equality in the first round"),
)


@definition_in_words(
    "LI-SETUP.3",
    headline="The step sizes named in the appendix are in the main text's set, but for one scheme",
    source="Section 6, Appendix D.1, D.2",
    statement=r"\eta_0\in\{1,\,0.1,\,0.01\}",
    summary="The step sizes named in D.2 lie in the set of Section 6, apart from those of the original scheme, which "
    "has a set of its own.",
    printed=dict(used={"impact of E": ("0.1",), "impact of K": ("0.1",), "Schemes I, II, transformed II": ("0.1",)}),
    controls=[Control("the original scheme counted in", dict(used={"original scheme": ("0.1", "0.5", "0.9", "1.1")}))],
)
def step_sizes(used: dict[str, tuple[str, ...]]) -> Evidence:
    allowed = {Fraction(value) for value in ("1", "0.1", "0.01")}
    outside = [
        f"{what}: {value}" for what, values in used.items() for value in values if Fraction(value) not in allowed
    ]
    return read(
        not outside,
        method="Values of eta0 in D.2 compared with the set of Section 6.",
        examined=sum(map(len, used.values())),
        counterexample="not in {1, 0.1, 0.01}: " + "; ".join(outside),
        rung=Rung.READING,
        margin=-1.0 if outside else None,
    )


RATIO = Relations(
    "-a <= eta_0/(1 + t/E)/(2/(mu*(gamma + t))) - c <= a for eta_0 > 0; E >= 1; lam > 0; gamma > 0; a > 0; mu = 2*lam; "
    "c = eta_0*E*lam; t >= c*(gamma + E)/a",
    names={"eta_0": r"\eta_0", "a": r"\varepsilon", "lam": r"\lambda"},
)


@algebra_claim(
    "LI-SETUP-U1",
    source=_SOURCE,
    depends=["LI-SETUP.1"],
    statement=(
        r"\frac{\eta_0}{1+t/E}\Big/\frac2{\mu(\gamma+t)}\to\eta_0E\lambda,\text{ as for every }\varepsilon>0:\quad ",
        RATIO,
    ),
    headline="The experiments use step sizes that the theorems do not cover",
    summary="Compared with Theorems 1 to 3: as t grows without bound the experiments' step sizes tend to eta0 E lambda times "
    "those of the theorems (mu = 2 lambda), for eta0 = 0.1 that is 5e-5 for E = 5, 2e-4 for E = 20: the theorems do not cover "
    "the runs of Section 6.",
    printed=dict(text=RATIO.text),
    controls=[Control("mu = lambda instead of 2 lambda", dict(text=RATIO.changed("mu = 2*lam", "mu = lam").text))],
)
def against_the_theorems(text: str) -> Evidence:
    return by_relations(
        RATIO.with_text(text),
        numbers={"E=20, eta0=0.1, lambda=1e-4": str(Fraction(1, 10) * 20 * Fraction(1, 10000))},
        method="The difference from the limit is c (gamma - E)/(E + t), at the first step of a round, t = rE.",
    )


if __name__ == "__main__":
    run_script(__file__)
