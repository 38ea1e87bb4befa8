"""Sections 4 and 5 of the elastic aggregation supplement: what the sensitivities cost in computing and in communication.

The unit of computing is the forward pass of one example; a backward pass costs ``b`` of them (``b = 2`` is the usual count, one for
the gradient in the weights and one for that in the activations).  ``mu`` is the fraction of the data set aside for sensitivities
(the same letter is the momentum of Algorithms 1 and 2), ``e`` the number of local epochs.
"""

from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import read
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import (
    algebra_claim,
    algebra_of_the_text,
    definition_in_words,
    qualitative_of_an_instance,
    run_script,
    table_of_an_instance,
)
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from verify.elastic2023.without_data import form_alone

of_computing = algebra_claim.sharing(source="Section 4, second paragraph")
of_the_numbers = algebra_of_the_text.sharing(source="Section 4, second paragraph")
of_communication = table_of_an_instance.sharing(source="Section 5")
of_the_batches = definition_in_words.sharing(source="Algorithms 1 and 2, lines before and inside the loops")
_EVERYTHING = "EL-OVH.2[forward and backward passes counted]"
_LETTERS = {"s": r"\text{sensitivities}", "t": r"\text{training}", "n": r"|\mathcal D_k|"}

printed_number = statement_of_algebra(
    "EL-OVH.1",
    Relations("mu/(2*e) = 5/1000 for mu = 10/100; e = 10"),
    headline="By the printed formula a tenth of the data and ten epochs give an extra half percent",
    false={"mu/e": ("mu/(2*e)", "mu/e"), "five epochs": ("e = 10", "e = 5")},
    group=of_the_numbers,
    summary="The denominator is not legible in the scan with certainty; mu/(2e) is the reading that gives the printed "
    "0.5% for mu = 10% and e = 10.",
)

backward_alone = statement_of_algebra(
    "EL-OVH.2[backward passes alone, as costly as forward ones]",
    Relations("s/t = mu/(2*e) for 0 < mu < 1; e >= 1; n > 0; b = 1; s = mu*n*b; t = e*n*(1 + b)", names=_LETTERS),
    headline="The printed extra cost counts backward passes alone, at the price of forward ones",
    false={"two forward passes each": ("b = 1", "b = 2"), "forward passes too": ("s = mu*n*b", "s = mu*n*(1 + b)")},
    group=of_computing,
    summary="mu/(2e) is what follows if only the backward passes of the sensitivities count, and if one costs as much as a "
    "forward pass.",
)


def counted(forward: int, backward: str) -> Evidence:
    """mu = 1/10, e = 10, 100 examples: cost of the sensitivities over that of the training."""
    n, b, s, t = sp.symbols("n b s t")
    size, price = 100, Fraction(backward)
    at = {"mu": Fraction(1, 10), "e": 10, "n": size, "b": price}
    mu, e = sp.symbols("mu e")
    return by_witness(
        Witness(
            at,
            Side("cost of the sensitivities over that of the training", mu * n * (forward + b) / (e * n * (1 + b))),
            "=",
            Side("mu/(2e)", mu / (2 * e)),
            setting=f"{size} examples; a backward pass costs {backward} forward ones",
        ),
        would_settle="passes that cost otherwise",
    )


everything = statement_of_algebra(
    "EL-OVH.2-R1",
    Relations(
        "s/t = mu/e; r/t = mu/(2*e)*(2*b/(1 + b)); r/t < s/t for 0 < mu < 1; e >= 1; n > 0; b > 0; s = mu*n*(1 + b); r = mu*n*b; "
        "t = e*n*(1 + b)",
        names={**_LETTERS, "r": r"\text{backward passes of the sensitivities}"},
    ),
    headline="With forward passes the extra cost is the data fraction over the epochs, twice the print",
    false={
        "half of it": ("s/t = mu/e", "s/t = mu/(2*e)"),
        "forward passes left out": ("s = mu*n*(1 + b)", "s = mu*n*b"),
    },
    group=of_computing,
    source="repairs Section 4, second paragraph",
    summary="A gradient of the output's norm takes a forward and a backward pass, as one of the loss does: the extra "
    "cost is mu/e, 1% for mu = 10% and e = 10, whatever a backward pass costs. The backward passes alone are 2b/(1 + "
    "b) times mu/(2e), b the price of one: two thirds of a percent for b = 2.",
)

all_passes = of_computing(
    _EVERYTHING,
    fault="reading",
    repair="EL-OVH.2-R1",
    statement=r"\frac{\text{sensitivities}}{\text{training}}=\frac{\mu|\mathcal D_k|(1+b)}{e|\mathcal D_k|(1+b)}=\frac\mu{2e}",
    headline="With the forward passes that a gradient needs, the extra cost is twice the printed one",
    summary="A backward pass needs its forward pass: the sensitivities then cost mu/e of the training, 1% instead of 0.5%.",
    printed=dict(forward=1, backward="2"),
    controls=[Control("backward passes alone, as costly as forward ones", dict(forward=0, backward="1"), must="pass")],
)(counted)

two_to_one = of_computing(
    "EL-OVH.2[backward passes alone, as costly as two forward ones]",
    fault="reading",
    repair="EL-OVH.2-R1",
    statement=r"\frac{\text{sensitivities}}{\text{training}}=\frac{2\mu|\mathcal D_k|}{3e|\mathcal D_k|}=\frac\mu{2e}",
    headline="With the usual price of a backward pass the printed extra cost is too small by a quarter",
    summary="If only backward passes count and one costs two forward ones, the sensitivities cost 2mu/(3e), two thirds of a "
    "percent.",
    printed=dict(forward=0, backward="2"),
    controls=[Control("as costly as forward ones", dict(backward="1"), must="pass")],
)(counted)

set_aside = statement_of_algebra(
    "EL-OVH-U1",
    Relations(
        "s/t = mu/(e*(1 - mu)); s/t > mu/e; s + t <= w for 0 < mu < 1; e >= 1; n > 0; b > 0; s = mu*n*(1 + b); "
        "t = e*n*(1 - mu)*(1 + b); w = e*n*(1 + b)",
        names={**_LETTERS, "w": r"\text{training on all of }\mathcal D_k"},
    ),
    headline="Taking the sensitivity batches out of the training saves at least what they cost",
    false={
        "training on all data": ("t = e*n*(1 - mu)*(1 + b)", "t = e*n*(1 + b)"),
        "half an epoch": ("e >= 1", "e >= 1/2"),
    },
    group=of_computing,
    summary="The batches for sensitivities are dropped from the training data, which makes training cheaper by the "
    "share mu: relative to what is left they cost mu/(e(1 - mu)), 1.1% in the printed case, and both together cost no "
    "more than training on all data does.",
)


@qualitative_of_an_instance(
    "EL-OVH-INF",
    headline="Predictions need the model alone, so that the sensitivities cost nothing there",
    source="Section 4, first paragraph",
    statement=r"\text{the prediction }F(\theta;x)\text{ is a function of }\theta\in\mathbb{R}^n\text{ alone}",
    summary="What Algorithms 1 and 2 return is the model theta with as many numbers as without elastic aggregation; "
    "sensitivities and momentum stay at the server, and a prediction reads neither of them.",
    printed=dict(returned="model"),
    quick=False,
    controls=[Control("sensitivities handed out with the model", dict(returned="model and sensitivities"))],
)
def inference(returned: str) -> Evidence:
    """Numbers that a model handed out for predictions has, with and without elastic aggregation, on a problem with 3 parameters."""
    import fltheory as fl
    from fltheory.algorithms.elastic_aggregation import ElasticFedAvgM, SensitivityElasticity

    problem = fl.QuadraticProblem([[[1, 0, 0], [0, 2, 0], [0, 0, 3]]] * 2, [[1, 1, 1], [0, 1, 2]])
    algorithms: dict[str, Any] = {
        "plain": fl.FedAvg(2, 0.1),
        "elastic": ElasticFedAvgM(2, 0.1, SensitivityElasticity(0.5), 1, 0.5),
    }
    sizes = {name: fl.simulate(problem, one, rounds=2).final.shape[-1] for name, one in algorithms.items()}
    extra = 0 if returned == "model" else problem.dimension
    return read(
        sizes["elastic"] + extra == sizes["plain"],
        rung=Rung.EXACT,
        method="The number of parameters of the models that runs return.",
        examined=2,
        counterexample=f"{sizes['elastic'] + extra} numbers for a prediction instead of {sizes['plain']}",
    )


#: Vectors of the model's size that a client receives and sends in a round, as printed ("1x" down and "1x" up in FedAvg).
PRINTED = {
    "FedAvg": 2,
    "FedAvgM": 2,
    "FedProx": 2,
    "SCAFFOLD (option I)": 4,
    "SCAFFOLD (option II)": 4,
    "AdaOpt": 2,
    "Ours (Algorithm 1)": 3,
    "Ours (Algorithm 2)": 3,
}


def algorithm_of(name: str, reported: bool) -> Any:
    """The package's algorithm of this name; ours without sensitivities that are sent where they are not ``reported``."""
    import fltheory as fl
    from fltheory.algorithms import FedOpt, HeavyBall
    from fltheory.algorithms.elastic_aggregation import (
        ElasticFedAvgM,
        ElasticFedProx,
        GivenElasticity,
        SensitivityElasticity,
    )

    elasticity = SensitivityElasticity(0.5) if reported else GivenElasticity((1,) * 5)
    return {
        "FedAvg": fl.FedAvg(2, 0.1),
        "FedAvgM": FedOpt(2, 0.1, server=HeavyBall(0.9)),
        "FedProx": fl.FedProx(2, 0.1, 0.5),
        "SCAFFOLD (option I)": fl.Scaffold(2, 0.1, option="I"),
        "SCAFFOLD (option II)": fl.Scaffold(2, 0.1, option="II"),
        "AdaOpt": FedOpt(2, 0.1, server=fl.Adam()),
        "Ours (Algorithm 1)": ElasticFedAvgM(2, 0.1, elasticity, 1, 0.9),
        "Ours (Algorithm 2)": ElasticFedProx(2, 0.1, 0.5, elasticity),
    }[name]


def vectors_sent(names: tuple[str, ...], more: int, reported: bool) -> Evidence:
    """The second round of every algorithm in the cost reading: down and up vectors against the table."""
    import fltheory as fl

    found = {name: fl.cost((10, 5), algorithm_of(name, reported), rounds=3).round(1) for name in names}
    wrong = [
        f"{name}: printed {PRINTED[name] + more}, counted {one.down} down and {one.up} up"
        for name, one in found.items()
        if one.down + one.up != PRINTED[name] + more
    ]
    return read(
        not wrong,
        rung=Rung.EXACT,
        method="Cost reading of the algorithms' second rounds: vectors of the model's size, read off what each algorithm says.",
        examined=len(names),
        counterexample="; ".join(wrong),
        numbers={name: f"{one.down} down, {one.up} up" for name, one in found.items()},
    )


of_the_others = of_communication(
    "EL-COMM.1",
    headline="Of the compared methods only SCAFFOLD sends more than the model down and up",
    statement=r"\text{FedAvg, FedAvgM, FedProx, AdaOpt: }2\times;\quad\text{SCAFFOLD: }4\times",
    summary="Counted from the algorithms there is one vector down and one up in FedAvg, in FedAvg with momentum or Adam "
    "at the server and in FedProx, and there are two down and two up in SCAFFOLD, with both of its options.",
    printed=dict(names=tuple(name for name in PRINTED if not name.startswith("Ours")), more=0, reported=True),
    controls=[Control("one vector more", dict(more=1))],
)(vectors_sent)

of_ours = of_communication(
    "EL-COMM.2",
    headline="Elastic aggregation sends one vector more up, the sensitivities, and none more down",
    statement=r"\text{elastic aggregation: }1\times\text{ down},\ 2\times\text{ up}",
    summary="A client receives the model and sends its update and its sensitivities: three vectors, half more than FedAvg, in both "
    "algorithms.",
    printed=dict(names=("Ours (Algorithm 1)", "Ours (Algorithm 2)"), more=0, reported=True),
    controls=[
        Control("one vector less", dict(more=-1)),
        Control("elasticities that the server knows", dict(reported=False)),
    ],
)(vectors_sent)


@of_communication(
    "EL-COMM.3",
    headline="What PFNM sends depends on the matched neurons, and it is not run here",
    statement=r"\text{PFNM: }2\times",
    summary="PFNM matches neurons of the clients, so that the global model may be larger than the local ones: twice "
    "the model is its count only if the sizes are equal.",
    printed=dict(local=100, matched=100),
    controls=[Control("a quarter more neurons after matching", dict(matched=125))],
)
def matched_neurons(local: int, matched: int) -> Evidence:
    times = Fraction(matched + local, local)
    return form_alone(
        "" if times == 2 else f"a local model of {local} numbers and a matched one of {matched}: {times} times",
        "Local model up, matched model down, in units of the local model: equal sizes are supposed.",
        1,
        "sizes of matched models in runs of PFNM",
    )


def order_of_lines(drawn: str) -> Evidence:
    """Three rounds of the listing, one client with data 1..4, one of them for sensitivities: the data of both uses."""
    data, trained, measured = {1, 2, 3, 4}, [], []
    held = {min(data)}
    rest = data - held
    for number in range(3):
        if drawn == "every round":
            held = {sorted(data)[number]}
            rest = data - held
        measured.append(tuple(sorted(held)))
        trained.append(tuple(sorted(rest)))
    words = "" if len(set(trained)) == len(set(measured)) == 1 else f"trained on {trained}, measured on {measured}"
    return read(
        not words,
        rung=Rung.EXACT,
        method="Literal execution: the lines that draw B_k and drop it stand before the loop over rounds, the sensitivities "
        "inside.",
        examined=3,
        counterexample=words,
    )


drawn_once = of_the_batches(
    "EL-BK-TIME.1",
    headline="The batches for sensitivities are drawn once, and the sensitivities renewed in every round",
    statement=r"\mathcal B_k\subset\mathcal D_k,\ \mathcal D_k\leftarrow\mathcal D_k\setminus\mathcal B_k\text{ before the rounds}",
    summary="B_k is drawn and dropped from D_k before the first round; each round measures sensitivities once, on the "
    "same B_k at the current model, as Section 4 says. The model is never trained on B_k.",
    printed=dict(drawn="once"),
    controls=[Control("drawn in every round", dict(drawn="every round"))],
)(order_of_lines)

weights_after = statement_of_algebra(
    "EL-BK-TIME.2",
    Relations(
        "(m - a)/((m - a) + (n - b)) = m/(m + n) for m > 0; n > 0; 0 <= f < 1; a = f*m; b = f*n",
        names={
            "m": r"|\mathcal D_1|",
            "n": r"|\mathcal D_2|",
            "a": r"|\mathcal B_1|",
            "b": r"|\mathcal B_2|",
            "f": r"\mu",
        },
    ),
    headline="Dropping the same fraction everywhere leaves the weights of the clients as they are",
    false={"as many examples from both": ("a = f*m; b = f*n", "a = f; b = f"), "from one alone": ("b = f*n", "b = 0")},
    group=of_the_batches,
    summary="w_k is made of the sizes of D_k after B_k was dropped. If every client sets aside the same fraction, "
    "these weights are those of the full data; with as many examples from every client, small ones would lose weight.",
)

lost_data = statement_of_algebra(
    "EL-BK-TIME-U1",
    Relations(
        "x - y = (z - x)/(n - 1); (n*x - z)/(n - 1) = y for n >= 2; y = (n*x - z)/(n - 1)",
        names={"x": r"\theta^\star", "y": r"\theta_{\mathcal D\setminus\mathcal B}^\star", "z": "x_b"},
    ),
    says=r"L(\theta)=\tfrac1{2n}\textstyle\sum_i(\theta-x_i)^2,\ \mathcal B=\{b\}:\quad ",
    headline="Examples set aside for sensitivities are lost to the model, which tends to another point",
    false={"no example set aside": ("(z - x)/(n - 1)", "0*(z - x)")},
    group=of_the_batches,
    summary="Training minimises the loss of the data that are left: with the mean of n numbers and one set aside, the "
    "minimiser moves by the distance of that number from the mean over n - 1. No overhead counts this.",
)


if __name__ == "__main__":
    run_script(__file__)
