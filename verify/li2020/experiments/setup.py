"""The setting of the experiments of Li et al. (2020), Section 6 and Appendix D.1: the objective and the schedule."""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import read
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_proof, by_witness, tried
from fltheory.evidence.kinds import algebra_claim, definition_in_words, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.proofs import equal
from verify.li2020.derivations import cohort_steps

_SOURCE = "Section 6, Appendix D.1"


@inequality_claim(
    "LI-SETUP.1",
    headline="Softmax regression with its penalty has exactly the convexity of the penalty",
    source=_SOURCE,
    statement=r"\nabla^2F \succeq 2\lambda I",
    summary="Multinomial logistic regression with lambda|w|^2 is convex; its modulus of strong convexity is 2 "
    "lambda, and no larger.",
    printed=dict(modulus=Fraction(2)),
    controls=[
        Control("modulus 2.02 lambda", dict(modulus=Fraction(202, 100))),
        Control("modulus 4 lambda", dict(modulus=Fraction(4))),
    ],
)
def convexity(modulus: Fraction) -> Evidence:
    """Hessian of the cross-entropy of one sample along V: ``v'(diag(q) - qq')v``, ``v = V(x, 1)``, a variance."""
    q1, q2, v1, v2, lam = sp.symbols("q_1 q_2 v_1 v_2 lambda")
    second = q1 * v1**2 + q2 * v2**2 - (q1 * v1 + q2 * v2) ** 2 + 2 * lam * (v1**2 + v2**2)
    claimed = Side(f"{modulus} lambda |V|^2", modulus * lam * (v1**2 + v2**2))
    half = Fraction(1, 2)
    setting = "two classes, softmax q, sample x = 0 with its constant feature 1, direction V = (0, v)"
    at, given = {lam: 1, v1: 1, v2: 1, q1: half, q2: half}, [(q1 + q2, "=", 1)]
    return by_derivation(
        lambda: cohort_steps.softmax_modulus(str(modulus)),
        tried(Witness(at, Side("second derivative along V", second), ">=", claimed, given, setting)),
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


@algebra_claim(
    "LI-SETUP-U1",
    source=_SOURCE,
    depends=["LI-SETUP.1"],
    statement=r"\frac{\eta_0}{1+t/E} \Big/ \frac{2}{\mu(\gamma+t)} \to \tfrac12\eta_0E\mu = \eta_0E\lambda",
    headline="The experiments use step sizes that the theorems do not cover",
    summary="Compared with Theorems 1 to 3: as t grows without bound the experiments' step sizes tend to eta0 E lambda times "
    "those of the theorems (mu = 2 lambda), for eta0 = 0.1 that is 5e-5 for E = 5, 2e-4 for E = 20: the theorems do not cover "
    "the runs of Section 6.",
    printed=dict(factor=Fraction(1)),
    controls=[Control("mu = lambda instead of 2 lambda", dict(factor=Fraction(1, 2)))],
)
def against_the_theorems(factor: Fraction) -> Evidence:
    t, gamma, eta0, steps, lam = sp.symbols("t gamma eta0 E lambda", positive=True)
    ratio = (eta0 / (1 + t / steps)) / (2 / (2 * lam * (gamma + t)))
    limit = sp.limit(ratio, t, sp.oo)
    claimed = factor * eta0 * steps * lam
    values = {eta0: Fraction(1, 10), steps: 20, lam: Fraction(1, 10000)}
    if equal(limit, claimed):
        return by_proof(
            "Limit of the ratio of the two schedules at the first step of a round, t = rE.",
            margin=0.0,
            numbers={"E=20, eta0=0.1, lambda=1e-4": str(limit.subs(values))},
            valid_for="all eta0, E, lambda, gamma > 0",
        )
    return by_witness(Witness(values, Side("limit of the ratio", limit), "=", Side("claimed", claimed)))


if __name__ == "__main__":
    run_script(__file__)
