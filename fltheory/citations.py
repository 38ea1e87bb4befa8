"""``fl.citation``: the BibTeX of the papers behind a claim, a bound, an algorithm or an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

#: Papers of the algorithms, by the names of their classes.
ALGORITHMS: Mapping[str, tuple[str, ...]] = {
    "FedAvg": ("mcmahan2017",),
    "TwoSidedFedAvg": ("mcmahan2017", "reddi2021"),
    "FedOpt": ("reddi2021",),
    "FedProx": ("li2020fedprox",),
    "FedProxExact": ("li2020fedprox",),
    "FedDyn": ("acar2021",),
    "FedNova": ("wang2020",),
    "FedLAMA": ("fedlama2021",),
    "Scaffold": ("karimireddy2020",),
    "GradientCorrected": ("mitra2021",),
    "MimeLite": ("karimireddy2020mime",),
    "ParallelRestartedSGD": ("yu2019", "lecture2022"),
    "ElasticFedAvgM": ("elastic2023",),
    "ElasticFedProx": ("elastic2023",),
    "SimplifiedElastic": ("elastic2023",),
    "ParallelTraining": ("mixed2022",),
    "OneWayGradientTransfer": ("mixed2022",),
    "TwoWayGradientTransfer": ("mixed2022",),
    "Populations": ("mixed2022",),
}
#: Answers that rest on performance estimation: semidefinite programmes over all functions of a class.
_ESTIMATED = ("WorstCase", "WorstClass", "LyapunovBound", "BestStep", "Formula", "AlgebraicWorstCase")
_METHODS = ("drori2014", "taylor2017")


@cache
def papers() -> Mapping[str, str]:
    """Every BibTeX entry by its key."""
    from fltheory import __version__

    text = (Path(__file__).parent / "papers.bib").read_text(encoding="utf-8").replace("@VERSION@", __version__)
    entries = [entry for entry in re.split(r"\n(?=@)", text.strip())]
    return MappingProxyType({re.match(r"@\w+\{(\w+),", entry)[1]: entry.strip() for entry in entries})  # type: ignore[index]


def citation(*of: Any) -> str:
    """The BibTeX entries of the papers behind the arguments, each once; without an argument, of this package.

    Parameters
    ----------
    of : documents or papers by name ("li2020"), ids of claims, claims, bounds and rate theorems, algorithms (their classes, names
        or instances), and what verbs return: runs, worst cases, plans, comparisons, applicable bounds.

    Raises
    ------
    ValueError : something that no paper is known of.
    """
    if not of:
        return papers()["fltheory"]
    keys = dict.fromkeys(key for one in of for key in _found(one))
    return "\n\n".join(papers()[key] for key in keys)


def _found(thing: Any) -> list[str]:
    keys = list(dict.fromkeys(_keys(thing)))
    if keys:
        return keys
    if isinstance(thing, str):
        from fltheory.names import similar

        near = similar(thing, [*papers(), *ALGORITHMS])
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise ValueError(f"{thing!r} is no paper, algorithm or claim{hint}")
    raise ValueError(f"no paper is known of {thing!r}"[:300])


def _keys(thing: Any) -> Iterator[str]:
    """Keys of papers behind a thing, from its name, its document and what it is made of."""
    if isinstance(thing, str):
        yield from _of_text(thing)
        return
    kind = thing if isinstance(thing, type) else type(thing)
    if kind.__module__.startswith("fltheory."):
        yield from ALGORITHMS.get(kind.__name__, ())
        if kind.__name__ in _ESTIMATED:
            yield from _METHODS
    if isinstance(thing, type):
        return
    for name in ("document", "id", "key"):
        if isinstance(getattr(thing, name, None), str):
            yield from _of_text(getattr(thing, name).split(".")[0] if name == "key" else getattr(thing, name))
    ids = getattr(thing, "ids", ())
    for one in ids if isinstance(ids, tuple) else ():
        yield from _of_text(str(one))
    if kind.__name__ == "ComparisonRow" or hasattr(thing, "conditions"):
        yield from _of_bound(thing)
    for name in ("algorithm", "method", "theorem", "assessment"):
        part = getattr(thing, name, None)
        if isinstance(part, str):
            yield from ALGORITHMS.get(part.partition("(")[0], ())
        elif part is not None and not callable(part):
            yield from _keys(part)
    for name in ("theorems", "applying", "rows"):
        parts = getattr(thing, name, ())
        for part in parts if isinstance(parts, tuple) else ():
            yield from _keys(part)


def _of_bound(thing: Any) -> Iterator[str]:
    """The document or paper of a bound, or of the rate that a row of a comparison names."""
    from fltheory.comparison.rates import RATES
    from fltheory.theory.rates import rates

    named = {rate.name: rate.bound() for rate in RATES}
    bound = named.get(str(getattr(thing, "rate", "")), thing)
    for theorem in rates():
        same = getattr(bound, "name", None) == theorem.bound.name and bound.expression == theorem.bound.expression
        if same:
            yield theorem.document


def _of_text(text: str) -> Iterator[str]:
    from fltheory.evidence import ids

    if text in papers():
        yield text
    elif text in ALGORITHMS:
        yield from ALGORITHMS[text]
    else:
        document = ids.index().get(ids.base(text))
        if document is not None:
            yield document
