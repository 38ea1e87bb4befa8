"""What the rows of the language task of mixed FL share: the committed results, their settings in words, losses and accuracies.

"Loss" is the held-out loss on both sources together, 0.73 and 0.27 as in training; levels are means of its logarithm over the
second half of the rounds (see ``fltheory.experiments.paired``), accuracies means over the same records.  Settings and what differs
from the paper: ``figures/experiments/mixed_language.py``.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from fltheory.evidence.kinds import experiment_claim
from fltheory.evidence.model import Control, Evidence
from fltheory.experiments.files import Array, Result
from fltheory.experiments.paired import compare, judge, replicates, seeds_of
from verify.mixed2022.analogues import LANGUAGE

EXPERIMENT = "mixed_language"
ALGORITHMS = ("PT", "1-w GT", "2-w GT")
SOURCES = {"users": (1.0, 0.0), "server": (0.0, 1.0), "both": (0.73, 0.27)}


def described(result: Result, name: str) -> str:
    """Settings of a set, with the paper's where they differ."""
    entry, common = result.settings["sets"][name], result.settings["common"]
    rates = {
        "text": f"K={common['K']}, eta={common['eta']}",
        "metrics": f"K=1, eta={common['eta']['PT']:g}",
        "rates": f"K={common['K']}, eta={entry.get('rates', [0])[0]:g} to {entry.get('rates', [0])[-1]:g}",
        "steps": f"K={entry.get('steps')}, eta K={common['K'] * common['eta']['PT']:g} (2-w GT {common['K']:g})",
    }
    held_out = (
        "held-out texts of other users and of the server, weighed 0.73 and 0.27 (paper: shuffled examples of both)"
    )
    measured = {"rates": "training objective", "metrics": "one batch of each side at each round recorded"}.get(
        name, held_out
    )
    extra = {
        "text": "; FL alone on its unweighted loss; oracle: K steps a round on S|B_i| of all examples; both at eta="
        f"{common['eta']['PT']:g} (paper: not said)",
        "steps": " (paper: 5)",
        "metrics": " of 5 simulations each (paper: one)",
    }
    return (
        f"generated languages of {common['symbols']} symbols (paper: Stack Overflow, Wikipedia), softmax regression on two symbols "
        f"with an l2 term of {common['lambda']:g}, start at {common['start']} (paper: recurrent network), N={entry['clients']} "
        f"(paper: 342,477), S={entry['S']} (paper: 100), {rates[name]}, "
        f"|B_i|={entry['batch']} symbols (paper: 8 sequences of 100), |B_c|=S|B_i| (1-w GT: K S|B_i|/2), eta_c=eta, eta_s=eta_m=1, "
        f"w_f={common['w_f']}, {entry['rounds']} rounds (paper: about 2000; metrics 100), {measured}, "
        f"{replicates(result, name)} replicates{extra.get(name, '')}"
    )


def judged(
    gaps: Mapping[str, Array],
    below: float,
    method: str,
    result: Result,
    name: str = "text",
    numbers: Mapping[str, float] | None = None,
) -> Evidence:
    """Whether each of the gaps, in words, is below a number, as one of as many comparisons; settings and seeds of the set."""
    comparisons = [compare(words, gap, below, tests=len(gaps), data=name) for words, gap in gaps.items()]
    found = judge(comparisons, method=method, result=result, numbers=numbers)
    return replace(found, valid_for=described(result, name), seeds=seeds_of(result, (name,)))


def loss(result: Result, label: str, source: str = "both", *, data: str = "text") -> Array:
    """``(replicates, records)``."""
    values, (a, b) = result[f"{data}/{label}"].astype(np.float64), SOURCES[source]
    return np.asarray(a * values[:, 0] + b * values[:, 1])


def accuracy(result: Result, label: str, source: str) -> Array:
    """Mean over the second half of the records, ``(replicates,)``."""
    values, (a, b) = result[f"text/{label}"].astype(np.float64), SOURCES[source]
    curves = a * values[:, 2] + b * values[:, 3]
    return np.asarray(curves[:, curves.shape[1] // 2 :].mean(axis=1))


def row(
    identifier: str,
    place: str,
    statement: str,
    summary: str,
    check: object,
    printed: Mapping[str, object],
    *controls: Control,
    headline: str,
) -> object:
    """A row of the task: an experiment that is rerun."""
    declared = dict(source=place, statement=statement, summary=summary, headline=headline, analogue=LANGUAGE)
    return experiment_claim(identifier, printed=printed, controls=controls, **declared)(check)  # type: ignore[arg-type]
