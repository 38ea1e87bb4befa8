"""Theorem 3 of the lecture note (bounded gradient dissimilarity): statement, sharper constants, constant error.

Derived for the printed code and for rounds of K local steps, :mod:`verify.lecture2022.derivations.theorem_3`.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

from fltheory.derivation.statement import text_of
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import asymptotic_claim, expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import against_the_best
from fltheory.theory.lecture2022.bounds import G, K, L, gap, s, sigma, sigma_G, theorem_3, theorem_3_sharp
from fltheory.theory.lecture2022.vocabulary import LectureBound
from fltheory.theory.states import proves
from verify.lecture2022 import elsewhere
from verify.lecture2022.derivations import theorem_3 as derivation
from verify.lecture2022.instances import scaled, settings, two_clients
from verify.lecture2022.orders import NAMES, claim_of_bound

of_theorem_3 = expectation_claim.sharing(source="Theorem 3")

METHOD = (
    "Line by line: noises of the steps since the last average add up, the mean gradient since then has a bounded square (induction "
    "over the steps, feedback of the drift at most 1/9); then one step and the sum over the steps as for Theorem 1."
)
GENERAL = "all N, K, T, d with K <= 1/(6Ls), L-smooth clients, averaged (or per-client) dissimilarity"
CODES = ("printed", "FedAvg")
SHORT = (6 * K * L * s <= 1,)


def derived_for(codes: Sequence[str], bound: LectureBound, *, independent: bool = True, **words: Any) -> Evidence:
    """The bound for some codes, line by line, and the instances that break it if it is changed."""
    script = partial(derivation.theorem_3, bound, moment=bound.expression.has(G), independent=independent)
    tried = [x for code in codes for x in settings(code, shared_noise=not independent) if x.short_intervals]
    tried += [two_clients("FedAvg", 256, Fraction(1, 2048))] if "FedAvg" in codes else []
    return by_derivation(
        {code: partial(script, code) for code in codes},
        lambda: [x.instance(bound.expression) for x in tried],
        method=METHOD,
        valid_for=GENERAL,
        **words,
    )


def theorem(code: str, descent: str, moment: str, dissimilarity: str, independent: bool) -> Evidence:
    """Theorem 3 with terms times these factors for one code, and how loose it is.

    Noises that are not independent are equal for all clients.
    """
    bound = scaled(theorem_3, {gap: descent, G: moment, sigma_G: dissimilarity})
    stated, sharp = (sp.expand(one.expression) for one in (theorem_3, theorem_3_sharp))
    ratios = (
        stated.coeff(G, 2) / (K * sharp.coeff(sigma, 2).coeff(K)),
        stated.coeff(sigma_G, 2) / sharp.coeff(sigma_G, 2),
    )
    loose = against_the_best(min(ratios), "constants 9/4 and 9/2 suffice for all K, with sigma^2 for G^2")
    return derived_for([code], bound, independent=independent, tightness=loose)


CONSTANTS = dict(descent="1", moment="1", dissimilarity="1", independent=True)
_SHARED = Control("one noise shared by all clients", dict(independent=False))
CONTROLS = (Control("constant 2 of the first term -> 0.99", dict(descent="99/200")), _SHARED)
the_theorem = of_theorem_3.sharing(
    statement=theorem_3,
    proves=proves(theorem_3, under=SHORT),
    unprinted=Unprinted("the noises of different clients are independent", _SHARED.name),
    quick=False,
    assumptions=(
        "L-smooth clients",
        "unbiased noise, independent over clients",
        "variance <= sigma^2, second moment <= G^2",
        "dissimilarity <= sigma_G^2",
        "K <= 1/(6Ls), which implies s <= 1/L",
        "M = N",
    ),
)

thm3_printed = the_theorem(
    "LEC-THM3[gradient before averaging, as printed]",
    printed=dict(code="printed", **CONSTANTS),
    headline="The printed code reaches small gradients under bounded dissimilarity",
    summary="Average squared gradient under bounded dissimilarity, along the printed code. Independence of the clients' "
    "noises is used and is not in the note's list of assumptions.",
    controls=[*CONTROLS, Control("both drift constants times 1/200", dict(moment="1/200", dissimilarity="1/200"))],
)(theorem)

thm3_fedavg = the_theorem(
    "LEC-THM3[average first, rounds of K local steps]",
    printed=dict(code="FedAvg", **CONSTANTS),
    headline="FedAvg reaches small gradients under bounded dissimilarity",
    summary="The same for FedAvg proper; independence over the clients is used and not listed here either.",
    controls=[*CONTROLS, Control("dissimilarity constant 9 -> 1/30", dict(dissimilarity="1/270"))],
)(theorem)


thm3_sharp = claim_of_bound(
    "LEC-THM3-S1",
    theorem_3_sharp,
    lambda bound: derived_for(CODES, bound),
    {"dissimilarity constant times 1/300": {sigma_G: "1/300"}},
    under=SHORT,
    group=of_theorem_3,
    quick=False,
    headline="Theorem 3 with the noise in place of the gradient bound",
    summary="Both codes: sigma^2 in place of G^2, with constants 9/4 and 9/2; no second moments are needed.",
    elsewhere=elsewhere.DISSIMILAR,
    depends=("LEC-P1", "LEC-P7a", "LEC-PSUM"),
)


#: Theorem 3 with constants in place of all that does not vary with T; at a fixed step size the rest does not go away.
constant_error = statement_of_algebra(
    "LEC-THM3-T",
    Relations(
        f"{text_of(theorem_3.expression)} = C/T + E for s > 0; T > 0; N >= 1; K >= 1; L > 0; gap >= 0; C = 2*gap/s; "
        "E = L*s*sigma**2/N + L**2*s**2*(4*K*G**2 + 9*K**2*sigma_G**2)",
        names=NAMES,
    ),
    false={"O(1/T) for the whole right-hand side": ("C/T + E", "C/T")},
    group=asymptotic_claim,
    source="annotations at Theorem 3",
    summary="First term O(1/T), the rest a constant error (the worst cases show that it is real).",
)


if __name__ == "__main__":
    run_script(__file__)
