"""Theorem 1 of the lecture note with the drift averaged over the steps of a period too.

With n steps since the clients were last equal the drift is at most s^2 n^2 G^2.  The squares n^2 are on average at most those of
a whole period, P: what is missing is the change of psi(n), the sum of i^2 - P before step n, and that telescopes.
"""

from collections.abc import Mapping

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.evidence.things import granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from verify.lecture2022.derivations import local_sgd
from verify.lecture2022.derivations.local_sgd import STEP
from verify.lecture2022.derivations.theorem_1 import clients, lemma_1

#: Of each code: n after a step, the average of the squares over a period, psi(n), and what psi after the step has besides
#: go psi(n + 1), over go (1 - go), where ``go`` is 0 for a step that averages and 1 for the others.
PRINTED = ("go*n + 1", "(K + 1)*(2*K + 1)/6", "(n - 1)*(n*(2*n - 1)/6 - P)", "-n**2*(2*go*n + 2*n + 3)/6")
ROUNDS = ("go*(n + 1)", "(K - 1)*(2*K - 1)/6", "n*((n - 1)*(2*n - 1)/6 - P)", "-(n + 1)**2*(2*go*n + 2*go + 2*n - 1)/6")
CODES = {"printed": PRINTED, "FedAvg": ROUNDS}


def squares_of_a_period(d: Derivation, code: str) -> str:
    """n^2 <= P + psi after the step - psi before it, psi at the ends; the right side."""
    _, squares, psi, besides = (text.replace("n", "since") for text in CODES[code])
    d.let("P", squares)
    granted(d, "all or nothing", fact="averaged or not", go="go")
    ends = {"first": "Psi_1", "last": "Psi_last"}
    d.define("Psi", psi, over=[], time="t", next="Psi_next", over_next=[], **ends)
    right = "(P + Psi_next - Psi)"
    d.combine("squares", f"{right} - since**2", facts={"Psi": "-1", "Psi_next": "1", "averaged or not": besides})
    d.combine("psi <= 0", "-Psi_next", facts={"Psi_next": "-1", "averaged or not": f"-({besides})"})
    d.end("psi at the end", "psi <= 0", ["Psi"], last=True)
    pack, value = ("value at the start", {"value": "P"}) if code == "printed" else ("empty sum", {})
    suppose(d, pack, name="start of psi", first="Psi_1", **value)
    d.assume("psi at the start", "start of psi")
    return right


def theorem_1_periods(
    bound: Bound, code: str, *, top: str = STEP, trade: tuple[str, str] | None = None
) -> Mapping[str, JSON]:
    """Theorem 1 with the drift term of a period's average; ``trade``: other factors of the decrease and of the drift."""
    descent, factor = trade or ("2", "1")
    d = clients(f"Lecture note, {bound.source}", code, following=CODES[code][0].replace("n", "since"), top=top)
    lemma_1(d)
    local_sgd.displays(d)
    if trade:
        facts, squares = local_sgd.traded(descent, drift=factor)
        over = local_sgd.every(d)
        d.combine("traded", local_sgd.one_step(descent, factor), over=over, facts=facts, squares=squares)
    right, share = squares_of_a_period(d, code), f"{factor}*L**2*s**2*G**2"
    used = {"average drift": f"{factor}*L**2", "squares": share}
    local_sgd.summed(d, f"{share}*{right}", used, ["Psi"], step="traded" if trade else "one step", descent=descent)
    ends = dict.fromkeys(("psi at the end", "psi at the start"), f"{share}/T")
    local_sgd.conclude(d, bound, facts=ends, descent=descent)
    return d.concluding("conclusion")


def one_local_step(bound: Bound, code: str = "FedAvg") -> Mapping[str, JSON]:
    """K = 1: rounds have no drift."""
    d = clients(f"Lecture note, {bound.source}, one local step", code, local_steps="1")
    lemma_1(d)
    local_sgd.displays(d)
    local_sgd.summed(d, "0", {"average drift": "L**2"})
    local_sgd.conclude(d, bound)
    return d.concluding("conclusion")
