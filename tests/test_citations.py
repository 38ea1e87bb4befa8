"""``fl.citation``: every document, paper, algorithm and answer has its papers, and what has none is refused."""

from __future__ import annotations

import re

import pytest

import fltheory as fl
from fltheory import algorithms
from fltheory.citations import ALGORITHMS, citation, papers
from fltheory.evidence import ids
from fltheory.theory.rates import DOCUMENTS, PAPERS, rates

PROBLEM = fl.QuadraticProblem([[[1.0]], [[2.0]]], [[1.0], [-1.0]])
CLASS = fl.SmoothStronglyConvex(mu=0.1, L=1)


def keys(text: str) -> list[str]:
    return re.findall(r"^@\w+\{(\w+),", text, re.M)


def test_entries_are_whole() -> None:
    assert len(papers()) >= 19
    for key, entry in papers().items():
        assert entry.count("{") == entry.count("}") and re.search(r"^  title = ", entry, re.M), key
        assert re.search(r"^  author = ", entry, re.M) and re.search(r"^  (year|version) = ", entry, re.M), key
    assert fl.__version__ in citation() and "@VERSION@" not in citation()


def test_documents_papers_claims_and_algorithms() -> None:
    for name in (*DOCUMENTS, *PAPERS):
        assert keys(citation(name)) == [name]
    for claim, document in ids.index().items():
        assert keys(citation(claim)) == [document]
    assert keys(citation("LI-LEM3-S1", "li2020")) == ["li2020"]
    own = {
        name
        for name, entry in vars(algorithms).items()
        if isinstance(entry, type) and hasattr(entry, "round") and name not in ("Showing", "Algorithm")
    }
    assert own == set(ALGORITHMS)
    assert keys(citation(fl.FedProx(2, 0.1, 1.0), fl.Scaffold)) == ["li2020fedprox", "karimireddy2020"]


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (lambda: fl.claims["LI-LEM3"], {"li2020"}),
        (lambda: fl.theory.li2020.theorem_1, {"li2020"}),
        (lambda: fl.theory.khaled2020.heterogeneous_convex, {"khaled2020"}),
        (lambda: fl.simulate(PROBLEM, fl.FedNova(2, 0.1), rounds=1), {"wang2020"}),
        (lambda: fl.worst_case(fl.FedAvg(1, 0.5), CLASS), {"drori2014", "taylor2017"}),
        (lambda: fl.plan(PROBLEM, fl.Scaffold, rounds=2, local_steps_grid=(1,)), {"karimireddy2020"}),
        (lambda: fl.applicable(PROBLEM, fl.FedAvg(1, 0.5), rounds=2), {"nesterov2004"}),
        (lambda: fl.compare(("GD",), step_size="published", rounds=1), {"nesterov2004"}),
    ],
)
def test_what_verbs_return(made: object, wanted: set[str]) -> None:
    assert wanted <= set(keys(citation(made())))  # type: ignore[operator]


def test_a_theorem_of_every_paper() -> None:
    for theorem in rates():
        assert theorem.document in keys(citation(theorem))


@pytest.mark.parametrize("thing", ["FedAvgg", "LI-NOTHING", 3, None, PROBLEM])
def test_what_no_paper_is_known_of(thing: object) -> None:
    with pytest.raises(ValueError, match="no paper"):
        citation(thing)
