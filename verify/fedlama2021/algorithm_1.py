r"""Algorithm 1 of the FedLAMA paper: its steps, what a synchronisation does to what follows, and what the listing leaves undefined.

The listing takes the step from x_{t,j} to x_{t,j+1} in line 5 and averages x_{t,j} in lines 8 to 10, for j = 0..tau.  The text
says that layers are synchronised after every tau_l iterations.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from fltheory.derivation.script import Derivation
from fltheory.evidence.algebra import by_relations, statement_in_mean, statement_of_algebra
from fltheory.evidence.decide import read
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.kinds import algebra_claim, definition_in_words, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.evidence.things import declare
from fltheory.evidence.witness import Side, Witness
from fltheory.kinds import JSON
from verify.fedlama2021.comparing import compared

of_the_listing = definition_in_words.sharing(source="Algorithm 1")
of_counts = algebra_claim.sharing(source="Algorithm 1; Section 4")
of_the_means = identity_claim.sharing(source="Algorithm 1; (12)")


@dataclass(frozen=True)
class LamaListing:
    """Which models a listing names: steps j = first..tau from ``x_j + come`` to ``x_j + go``, and what the average "
    "is called."""

    first: int
    come: int
    go: int
    average: int
    next_round: int | None

    def undefined(self, rounds: int, steps: int) -> list[str]:
        """Names that are read before anything is assigned to them; all clients' models are u_0 at the start."""
        known, missing = {"x_{0,0}", "u_0"}, []

        def use(name: str) -> None:
            if name not in known:
                missing.append(name)

        for t in range(rounds):
            for j in range(self.first, steps + 1):
                use(f"x_{{{t},{j + self.come}}}")
                known |= {f"x_{{{t},{j + self.go}}}", f"u_{t + self.average}"}
            if self.next_round is not None:
                use(f"x_{{{t},{self.next_round + steps}}}")
                known.add(f"x_{{{t + 1},0}}")
        use(f"u_{rounds}")
        return missing


LISTINGS = {
    "printed": LamaListing(first=0, come=0, go=1, average=0, next_round=None),
    "next round from the last model": LamaListing(first=0, come=0, go=1, average=0, next_round=1),
    "corrected": LamaListing(first=1, come=-1, go=0, average=1, next_round=0),
}


def defined(listing: str) -> Evidence:
    """Which names are read before they are assigned, for 1 to 3 rounds of 1 to 4 steps."""
    cases = [(rounds, steps) for rounds in (1, 2, 3) for steps in (1, 2, 3, 4)]
    found = [(case, LISTINGS[listing].undefined(*case)) for case in cases]
    words = next(
        (f"T={T}, tau={tau}: {', '.join(names)} read, never assigned" for (T, tau), names in found if names), ""
    )
    return read(
        not words,
        method="The names that the lines assign and read are followed, for 1 to 3 rounds of 1 to 4 steps.",
        examined=len(cases),
        counterexample=words,
        rung=Rung.READING,
    )


listing = of_the_listing(
    "LA-ALG1",
    statement=r"\text{every model that Algorithm 1 reads has been assigned: }\mathbf u_T,\ \mathbf x^i_{t+1,0}",
    headline="The listing returns a model that none of its lines assigns",
    summary="Rounds run from 0 to T - 1 and assign u_0 to u_{T-1}, the output is u_T; nor does any line say from "
    "which model round t + 1 starts. As printed the listing cannot be run; the text and (12) say what is meant.",
    fault="slip",
    repair="LA-ALG1-R1",
    printed=dict(listing="printed"),
    controls=[
        Control("the corrected listing", dict(listing="corrected"), must="pass"),
        Control("with a start of the next round alone", dict(listing="next round from the last model")),
    ],
)(defined)

listing_corrected = of_the_listing(
    "LA-ALG1-R1",
    statement=r"j=1,\dots,\tau:\ \mathbf x^i_{t,j}=\mathbf x^i_{t,j-1}-\eta\mathbf g^i_{t,j-1};\ \tau_l\mid j:\ "
    r"\mathbf u_{t+1},d_l,\mathbf x^i_{t,j}=\mathbf u_{t+1}\text{ on layer }l;\quad \mathbf x^i_{t+1,0}=\mathbf "
    r"x^i_{t,\tau}",
    headline="With steps counted from one, and averages taken after them, the listing can be run",
    summary="Steps counted from 1 to tau, averages of the models after the step, called u_{t+1}, and a next round "
    "that starts from the last models: then everything that is read has been assigned, and the output u_T is the "
    "last average.",
    printed=dict(listing="corrected"),
    controls=[Control("the printed listing", dict(listing="printed"))],
)(defined)

# ----------------------------------------------------------------------------- counts

STEPS = Relations("last - first + 1 = phi*tau for phi >= 1; tau >= 1; last = phi*tau; first = 0")
SYNCS = Relations("last - first + 1 = phi for phi >= 1; last = phi; first = 0")


def _counted(text: str) -> Evidence:
    return by_relations(STEPS.with_text(text), method="The values of j, or of j/tau_l, between the ends are counted.")


steps = of_counts(
    "LA-ALG1-STEPS.1",
    statement=(r"\#\{j:\ 0\le j\le\tau\}=\phi\tau':\quad ", STEPS),
    headline="The listing takes one step more per round than the text says",
    summary="With j from 0 to tau inclusive a round has phi tau' + 1 steps of SGD; text and analysis have phi tau' "
    "iterations.",
    fault="slip",
    repair="LA-ALG1-STEPS-R1",
    printed=dict(text=STEPS.text),
    controls=[Control("from 1", dict(text=STEPS.text.replace("first = 0", "first = 1")), must="pass")],
)(_counted)

syncs = of_counts(
    "LA-ALG1-STEPS.2",
    statement=(r"\#\{j=k\tau':\ 0\le k\le\phi\}=\phi:\quad ", SYNCS),
    headline="The listing synchronises each layer once more per round than its interval says",
    summary="With j from 0 to tau inclusive a layer at the base interval is synchronised phi + 1 times a round and "
    "one at the long interval twice (take phi = 1), since 0 is a multiple of every interval; after every tau_l "
    "iterations it is phi times, and once.",
    fault="slip",
    repair="LA-ALG1-STEPS-R1",
    printed=dict(text=SYNCS.text),
    controls=[Control("from 1", dict(text=SYNCS.text.replace("first = 0", "first = 1")), must="pass")],
)(_counted)

counts_corrected = statement_of_algebra(
    "LA-ALG1-STEPS-R1",
    Relations(
        "last - first + 1 = phi*tau; k_last - k_first + 1 = phi; k_first*tau >= first; k_last*tau <= last "
        "for phi >= 1; tau >= 1; first = 1; last = phi*tau; k_first = 1; k_last = phi"
    ),
    false={"from 0": ("first = 1; last", "first = 0; last")},
    group=of_counts,
    says=r"j=1,\dots,\phi\tau';\ j=k\tau',\ k=1,\dots,\phi:\quad ",
    headline="Counted from one, a round has its steps, and each layer its synchronisations",
    summary="With j from 1 to phi tau' a round has phi tau' steps; a layer at the base interval is synchronised phi "
    "times in it, one at the long interval (phi = 1 with tau' the long one) once.",
)

# ----------------------------------------------------------------------------- what a synchronisation does

x_1, x_2, u, eta, g_1, g_2 = sp.symbols("x_1 x_2 u eta g_1 g_2")


@algebra_claim(
    "LA-ALG1-EFFECT[with the indices as printed]",
    statement=r"\tau_l\mid j\ \Rightarrow\ \mathbf x^1_{t,j+1}+\eta\mathbf g^1_{t,j}=\mathbf x^2_{t,j+1}+\eta\mathbf "
    r"g^2_{t,j}",
    source="Algorithm 1, lines 5 and 10",
    headline="With its printed indices a synchronisation changes no model that is used afterwards",
    summary="Line 5 computes the model of index j + 1 before line 10 replaces the one of index j, which no later line "
    "reads: with these indices the clients go on from their own models, and nothing is synchronised within a round.",
    fault="slip",
    repair="LA-ALG1-EFFECT[one variable that is overwritten]",
    printed=dict(order="step first"),
    controls=[Control("synchronised first", dict(order="average first"), must="pass")],
)
def effect(order: str) -> Evidence:
    """Two clients at x_1, x_2 when the layer is due: the models from which their next steps start."""
    average = (x_1 + x_2) / 2
    starts = (x_1, x_2) if order == "step first" else (average, average)
    after = [start - eta * g for start, g in zip(starts, (g_1, g_2), strict=True)]
    left, right = (Side(f"start of client {i + 1}", after[i] + eta * g) for i, g in enumerate((g_1, g_2)))
    at = {x_1: 1, x_2: -1, eta: 1, g_1: 0, g_2: 0}
    return compared(left, right, at, setting="two clients, one layer of one parameter, which is due")


effect_corrected = statement_in_mean(
    "LA-ALG1-EFFECT[one variable that is overwritten]",
    InMean(
        "sq(y - mean(y, k)) = 0 for eta > 0",
        things="x over k; g over k; y over k = mean(x - eta*g, k)",
        over="k",
        unfold="y",
        names={"y": r"\mathbf x^i_{t,j}", "x": r"\mathbf x^i_{t,j-1}"},
    ),
    false={"apart from each other": ("sq(y - mean(y, k))", "sq(x - mean(y, k))")},
    group=identity_claim,
    source="Algorithm 1, lines 5 to 10",
    says=r"\tau_l\mid j,\ \text{after the step }\mathbf x^i_{t,j}=\tfrac1m\textstyle\sum_i(\mathbf x^i_{t,j-1}-\eta"
    r"\mathbf g^i_{t,j-1})\text{ on layer }l:\quad ",
    headline="Overwritten in place, a layer that is averaged is the same at all clients at the next step",
    summary="If lines 5 and 10 change one variable, the model after the step, all clients start their next step "
    "from one value on the layers that are due. With j from 0 that is after steps 1, 1 + tau_l, ... of a round; "
    "counted from 1, after tau_l, 2 tau_l, ...",
)

# ----------------------------------------------------------------------------- the mean of the clients

mean_kept = statement_in_mean(
    "LA-ALG1-MEAN.1",
    InMean(
        "sq(mean(y, k) - mean(x, k) + eta*mean(g, k)) = 0 for eta > 0; 0 <= s <= 1",
        things="x over k; g over k; y over k = (1 - s)*(x - eta*g) + s*mean(x - eta*g, k)",
        unfold="y",
        names={"y": r"\mathbf x^i_{t,j}", "x": r"\mathbf x^i_{t,j-1}", "s": "s_l"},
    ),
    false={"another step": ("+ eta*mean(g, k)", "+ eta/2*mean(g, k)")},
    group=of_the_means,
    says=r"s_l=1\text{ if layer }l\text{ is due, else }0:\quad ",
    headline="An iteration moves the average of the clients in one way whichever layers are averaged",
    summary="Averaging a layer, or not, leaves the average of the clients where the mean step put it: for every "
    "schedule, every number of clients and all gradients.",
)


def whole_round(step: str) -> Mapping[str, JSON]:
    """The steps of a round are the times; e is any vector, s says for each step whether the layer is averaged."""
    d = Derivation("FedLAMA, a round with any schedule")
    declare(d, "axes k j:time; eta >= 0; tau >= 1; 0 <= s <= 1 over j")
    declare(d, "e; x, g over k j; after over k j = (1 - s)*(x - eta*g) + s*mean(x - eta*g, k); next x = after")
    d.define("M", "dot(e, x)", over="k", time="j", next="M_next", over_next="k", first="M_0", last="M_tau")
    d.combine(
        "step",
        f"M_next - M + {step}*dot(e, g)",
        over="k",
        relation="=",
        facts={"M": "-1", "M_next": "1"},
        unfold="after",
    )
    d.telescope("round", "step", ["M"], "tau")
    return d.concluding("round")


@of_the_means(
    "LA-ALG1-MEAN.2",
    statement=r"\mathbf u_{t+1}=\mathbf u_t-\eta\tfrac1m\textstyle\sum_{i=1}^m\sum_{j=0}^{\tau-1}\mathbf g^i_{t,j}\quad"
    r"\text{for every schedule of the layers that ends with a synchronisation of all}",
    headline="With any schedule of layers a round moves the model by the mean of all its gradients",
    summary="For every schedule that ends with a common synchronisation the new model is the old one less eta times "
    "the sum over steps of the mean gradient: (12) holds layer by layer, with the gradients taken where the clients "
    "are.",
    printed=dict(step="eta"),
    controls=[Control("half the step", dict(step="eta/2"))],
)
def mean_of_a_round(step: str) -> Evidence:
    """The fact reads (M_tau - M_0)/tau + step (mean over j and clients of <e, g>) = 0, M_j = <e, mean x_j>, for "
    "every vector e."""
    size = sp.sympify(step, locals={"eta": eta})
    claimed = Side("u_0 - step (g_1 + g_2)/2", u - size * (g_1 + g_2) / 2)
    real = Side("u_1", (u - eta * g_1 + u - eta * g_2) / 2)
    at = {u: 0, eta: 1, g_1: 1, g_2: 1}
    return by_derivation(
        lambda: whole_round(step),
        tried(Witness(at, real, "=", claimed, setting="two clients, one step")),
        method="An iteration moves the average by the mean step, whichever layers are averaged; the iterations of a "
        "round are added up.",
        prose="s is 0 or 1 for each layer and step; e any vector of the layer; all clients start the round at u_t "
        "and end it at u_{t+1}",
        valid_for="all m, tau, step sizes, gradients and schedules",
    )


if __name__ == "__main__":
    run_script(__file__)
