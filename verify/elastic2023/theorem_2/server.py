"""The remarks on assumption A6: the server's step size, and what the lower bound shows of the upper one."""

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import Tried, decide, read
from fltheory.evidence.kinds import (
    asymptotic_claim,
    asymptotic_of_an_instance,
    lower_bound_of_an_instance,
    qualitative_claim,
    run_script,
)
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from verify.elastic2023.lemma_9 import powers

BERNOULLI = Relations(
    "P >= 1 - k*s; P >= 0; k >= 1 for 0 <= s <= 1; first_k = 1; next_k = k + 1; first_P = 1 - s; next_P = (1 - s)*P",
    uses={0: {"P >= 1 - k*s": "1 - s"}},
)
#: K local steps e/(K E) on a quadratic of curvature l, times E: the move in the unit of its gradient at the start.
MOVE = Relations(
    "E/l*(1 - P) <= e; E/l*(1 - P) >= e - rest for l > 0; e > 0; E >= 1; K >= 2; s = l*e/(K*E); rest = e**2*l/(2*E); "
    "1 - K*s <= P; P <= 1 - K*s + K*(K - 1)/2*s**2",
    uses={0: {"1 - K*s <= P": "E/l"}, 1: {"P <= 1 - K*s + K*(K - 1)/2*s**2": "E/l"}},
    at={"l": "1", "e": "1", "E": "1", "K": "2", "P": "1/8"},
    names={"E": r"\eta_g", "e": r"\tilde\eta", "l": r"\lambda", "rest": r"\rho"},
)


@asymptotic_of_an_instance(
    "EL-T2-ETAG",
    source="A6, note on eta_g",
    statement=(
        r"\eta_l=\tfrac{\tilde\eta}{K\eta_g},\ P=(1-\lambda\eta_l)^K:\quad\text{server's move of a quadratic client in "
        r"the unit }-f_i'(x):\ ",
        MOVE,
    ),
    headline="With a large server step the local steps become one large batch step",
    summary="On quadratic clients with curvature lambda, and so on the pair, K local steps of size e/(K eta_g) and the "
    "server's factor eta_g move the client by its gradient at the start times a number in [e - e^2 lambda/(2 eta_g), "
    "e]: as eta_g grows this tends to one gradient step of size e. Other smooth functions are not treated.",
    printed=dict(rest="e**2*l/(2*E)"),
    controls=[Control("an error of a fifth", dict(rest="e**2*l/(10*E)"))],
)
def large_server_step(rest: str) -> Evidence:
    """The move between e - rest and e."""
    stated = MOVE.changed("rest = e**2*l/(2*E)", f"rest = {rest}")
    every = {"the move": stated, "Bernoulli's inequality": BERNOULLI, "three terms of a power": powers.SQUARE}
    gap = next((f"{name}: {one.proof[1]}" for name, one in every.items() if not one.proof[0]), "")
    exact = Relations(f"E/l*(1 - (1 - l*e/(K*E))**2) >= e - {rest} for l = 1; e = 1; K = 2; E = 1")
    witness = exact.broken() if gap else None
    found = Tried(len(every)) if witness is None else Tried(1, witness.text, witness.margin)
    return decide(
        (not gap, gap),
        found,
        method="Bernoulli's inequality and three terms of the power.",
        valid_for="all whole K >= 2, quadratic clients, eta_g >= 1, lambda e <= K eta_g",
        certificate={name: one.certificate for name, one in every.items()} if not gap else None,
        prose="P is the power (1 - s)^K; a client without curvature moves by e exactly",
    )


no_bound = statement_of_algebra(
    "EL-T2-NOETAG",
    Relations(
        "x + E*((y_2 + z_2)/2 - x) = 0 for mu > 0; G > 0; x = G/mu; eta = 1/(3*mu); E = 3; "
        "y_1 = x - eta*(2*mu*x + G); y_2 = y_1 - eta*(2*mu*y_1 + G); z_2 = x + 2*eta*G",
        names={"E": r"\eta_g", "mu": r"\mu", "eta": r"\eta_l", "x": "x^0"},
    ),
    false={"eta_g = 1": ("E = 3", "E = 1"), "eta_g = 2": ("E = 3", "E = 2")},
    group=lower_bound_of_an_instance,
    source="A6, note on eta_g",
    headline="With a server step of three the pair is solved exactly in one round",
    summary="A lower bound for every eta_g is impossible on the pair: with two local steps of 1/(3 mu) and eta_g = 3 "
    "one round from G/mu ends at the optimum, for all mu, G > 0 and equal weights. With eta_g = 1 no step size does.",
)

#: The upper bound's term beta G^2/(mu^2 R^2) without noise and with all clients, against the lower bound's G^2/(mu R^2).
IN_ROUNDS = Relations(
    "beta*G**2/(mu**2*R**2) <= C*G**2/(mu*R**2) for mu > 0; G > 0; R >= 1; beta = 2*mu; C = 2",
    names={"mu": r"\mu", "beta": r"\beta"},
)
#: The same for every beta, and the term K (1 - S/N) G^2/(mu R K S) with S of N clients: claimed, and what breaks it.
_TERMS = {
    "in the condition number": (
        "beta*G**2/(mu**2*R**2) <= C*G**2/(mu*R**2) for mu > 0; G > 0; R >= 1; C = {}; beta >= mu",
        "beta*G**2/(mu**2*R**2) > C*G**2/(mu*R**2) for mu > 0; G > 0; R >= 1; C > 0; beta = (C + 1)*mu",
    ),
    "with sampled clients": (
        "(1 - S/N)*G**2/(mu*R*S) <= C*G**2/(mu*R**2) for mu > 0; G > 0; R >= 1; C = {}; S = 1; N = 2",
        "(1 - S/N)*G**2/(mu*R*S) > C*G**2/(mu*R**2) for mu > 0; G > 0; C > 0; R = 2*C + 1; S = 1; N = 2",
    ),
}


def tight(where: str, constant: str) -> Evidence:
    """The upper bound's term at most a constant times the lower bound's."""
    if where == "in R and G":
        return by_relations(IN_ROUNDS.changed("C = 2", f"C = {constant}"))
    claimed, opposite = _TERMS[where]
    against = Relations(opposite)
    proved, reason = against.proof
    found = Tried(1, f"for every C: {opposite}", -1.0, certificate=against.certificate) if proved else Tried(1)
    return decide(
        (False, reason),
        found,
        method="For every constant C an instance breaks the comparison: proved as it is written.",
    )


_WORDS = {
    "in R and G": (
        "In R and G the drift term of (15) has the powers of the lower bound, constants apart",
        "Without noise and with all clients the upper bound's term beta G^2/(mu^2 R^2), read from (15), has the "
        "exponents of R and G of the lower bound G^2/(mu R^2); at beta = 2 mu it is twice as large. Constants and "
        "logarithms are left out. Of the pair (15) itself says nothing, since its linear client is not strongly convex.",
    ),
    "in the condition number": (
        "The lower bound leaves open the factor of the condition number in the upper one",
        "The upper bound's drift term is beta/mu times the lower bound, which is no constant: the pair has beta = 2 mu, so "
        "that the lower bound says nothing of how the error depends on beta/mu.",
    ),
    "with sampled clients": (
        "With sampled clients the upper bound is far above the lower one, without noise too",
        "With S of N clients a round the upper bound has (1 - S/N) G^2/(mu R S) even without noise, which exceeds "
        "every multiple of G^2/(mu R^2) for many rounds. The lower bound is one for all clients.",
    ),
}


_LOWER = r"\exists\,C\ \forall\,R\ge1:\quad "
_SHOWN = {
    "in R and G": (r"\text{the drift term of (15), where }\sigma=0,\ S=N,\ \eta_g=1:\quad ", IN_ROUNDS),
    "in the condition number": r"\sigma=0,\ S=N,\ \eta_g=1,\ \beta\ge\mu:\quad "
    + _LOWER
    + r"\tfrac{\beta G^2}{\mu^2R^2}\le C\,\tfrac{G^2}{\mu R^2}",
    "with sampled clients": r"\sigma=0,\ S<N,\ \eta_g=1:\quad "
    + _LOWER
    + r"\left(1-\tfrac SN\right)\tfrac{G^2}{\mu RS}\le C\,\tfrac{G^2}{\mu R^2}",
}


def _tight(where: str) -> object:
    headline, summary = _WORDS[where]
    wrong = where != "in R and G"
    return asymptotic_claim(
        f"EL-T2-TIGHT.1[{where}]",
        source="A6, note on tightness",
        statement=_SHOWN[where],
        headline=headline,
        summary=summary,
        printed=dict(where=where, constant="2"),
        controls=(
            [Control("all clients, on the pair", dict(where="in R and G"), must="pass")]
            if wrong
            else [Control("C = 1", dict(constant="1"))]
        ),
        **(dict(fault="reading", repair="EL-T2-TIGHT.1[in R and G]") if wrong else {}),
    )(tight)


tight_in_rounds = _tight("in R and G")
tight_in_condition = _tight("in the condition number")
tight_sampled = _tight("with sampled clients")

#: The theorems of the document, by their numbers.
THEOREMS = ("I", "II")


@qualitative_claim(
    "EL-T2-TIGHT.2",
    source="A6, note on tightness",
    fault="slip",
    statement=r"\text{Theorem V, which uses }\eta_g=1,\text{ is a theorem of the document}",
    headline="The remark on tightness cites a theorem that the document does not have",
    summary="The remark cites Theorem V for the upper bound. The supplement has Theorems I and II; Theorem I is the "
    "upper bound, for any eta_g of at least 1.",
    repair="EL-T2-TIGHT.1[in R and G]",
    printed=dict(number="V"),
    controls=[Control("Theorem I", dict(number="I"), must="pass")],
)
def cited(number: str) -> Evidence:
    """Whether a number is that of a theorem."""
    return read(
        number in THEOREMS,
        method="The theorems of the supplement, read in the dump.",
        examined=len(THEOREMS),
        counterexample=f"Theorem {number} is none of Theorems {' and '.join(THEOREMS)}",
        rung=Rung.READING,
    )


if __name__ == "__main__":
    run_script(__file__)
