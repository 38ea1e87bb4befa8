"""CertifiedBounds worst cases of a grid: computed, or taken from a file of results.

What is kept of a question is JSON: both bounds as exact fractions, the step size, and digests of the certificates.  A file
holds certificates as well, for the questions that rankings rest on; :func:`verified` has them checked again.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.comparison.measures import measure_of
from fltheory.comparison.methods import ComparedMethod
from fltheory.comparison.published import schedule_of
from fltheory.comparison.setting import GridPoint
from fltheory.kinds import JSON, Array
from fltheory.worstcase import best_verifier, certificate, verifier
from fltheory.worstcase.arguments import check_quantities
from fltheory.worstcase.best import best_step_size, is_about
from fltheory.worstcase.entry import worst_case
from fltheory.worstcase.formulation import build_model

#: The step size that the least certified worst case has.
BEST = "best"
#: Widths at which the search for a best step size ends.
GAP, RESOLUTION = 1e-2, 0.2


@dataclass(frozen=True)
class GridQuestion:
    """A method at a point, with a step size: a number, the words of a schedule, or :data:`BEST`; and a measure."""

    method: ComparedMethod
    setting: GridPoint
    step: Fraction | str
    measure: str

    @property
    def key(self) -> str:
        """The question in words, the same for equal questions."""
        p = self.setting
        steps = self.method.steps(p.local_steps)
        return f"{self.method.name}: mu={p.mu}, L={p.L}, {p.likeness}, E={steps}, R={p.rounds}, step={self.step}, {self.measure}"

    @property
    def options(self) -> dict[str, Any]:
        """What ``worst_case`` is told beside the algorithm and the class."""
        p = self.setting
        kind = "identical" if p.heterogeneity is None else "gradients" if p.heterogeneity else "none"
        own = GridPoint(p.clients, p.heterogeneity, self.method.steps(p.local_steps), p.rounds)
        found: dict[str, Any] = {"rounds": p.rounds, "measure": measure_of(self.measure, own), "heterogeneity": kind}
        found["quantities"] = {"distance": 1} | ({"heterogeneity": p.heterogeneity} if p.heterogeneity else {})
        return found

    def algorithm(self, step: Any) -> Any:
        """The method at a step size or schedule."""
        return self.method.make(self.method.steps(self.setting.local_steps), step)


@dataclass(frozen=True)
class CertifiedBounds:
    """Bounds of a worst case; of the best step size, ``lower`` holds for the worst case at every step size.

    ``note`` says why a side is missing.  ``certificates`` are JSON data by side, where they were computed or kept.
    """

    lower: Fraction | None
    upper: Fraction | None
    step: Fraction | str
    note: str = ""
    digests: Mapping[str, str] = field(default_factory=dict)
    certificates: Mapping[str, Any] = field(default_factory=dict)

    def record(self, key: str) -> dict[str, JSON]:
        """What is kept."""
        return {
            "key": key,
            "lower": None if self.lower is None else str(self.lower),
            "upper": None if self.upper is None else str(self.upper),
            "step": str(self.step),
            "note": self.note,
            "sha256": dict(self.digests),
        }

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> CertifiedBounds:
        """From what was kept."""
        lower, upper = (None if record[side] is None else Fraction(record[side]) for side in ("lower", "upper"))
        words = record["step"]
        step = words if "(" in words else Fraction(words)
        return cls(lower, upper, step, record["note"], record["sha256"], record.get("certificates", {}))


def packed(data: JSON) -> Array:
    """A certificate as bytes of an array, compressed."""
    return np.frombuffer(zlib.compress(json.dumps(data, sort_keys=True).encode(), 9), dtype=np.uint8)


def unpacked(array: Array) -> Any:
    """What :func:`packed` packed."""
    return json.loads(zlib.decompress(array.tobytes()))


def solve(question: GridQuestion, *, time_limit: float | None = None) -> CertifiedBounds:
    """The answer, computed."""
    try:
        if question.step == BEST:
            return _best(question, time_limit)
        step = question.step
        at = schedule_of(step, question.setting) if isinstance(step, str) else step
        answer = worst_case(question.algorithm(at), question.setting.clients, **question.options, time_limit=time_limit)
    except ValueError as error:
        return CertifiedBounds(None, None, question.step if question.step != BEST else Fraction(0), str(error))
    kept = {} if answer.certificate is None else {"worst case": answer.certificate}
    note = "" if answer.status == "certified" else answer.status
    return CertifiedBounds(answer.lower, answer.upper, step, note, _digests(kept), kept)


def _best(question: GridQuestion, time_limit: float | None) -> CertifiedBounds:
    options: dict[str, Any] = {"gap": GAP, "resolution": RESOLUTION, "time_limit": time_limit}
    found = best_step_size(question.algorithm, question.setting.clients, **question.options, **options)
    lower = found.lower if _everywhere(found.range) else None
    kept: dict[str, Any] = {} if found.certificate is None else {"best step": found.certificate}
    note = "" if lower is not None else "no lower bound for every step size"
    return CertifiedBounds(lower, found.upper, found.step, note, _digests(kept), kept)


def _everywhere(steps: tuple[Fraction, Fraction | None] | None) -> bool:
    """Whether these are all step sizes."""
    return steps is not None and steps[0] <= 0 and steps[1] is None


def _digests(certificates: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
        for name, data in certificates.items()
    }


def verified(question: GridQuestion, found: CertifiedBounds) -> CertifiedBounds:
    """What the kept certificate proves of this question, by the verifiers and nothing else; the question is built anew.

    Raises
    ------
    ValueError : no certificate is kept, one that the verifier rejects, or one of another question.
    """
    if not found.certificates:
        raise ValueError(f"{question.key}: no certificate is kept")
    (name, data), *_ = found.certificates.items()
    clients, options = question.setting.clients, question.options
    if name == "best step":
        if not is_about(data, question.algorithm, clients, **options):
            raise ValueError(f"{question.key}: the certificate is of another question")
        proved = best_verifier.verify(data)
        return CertifiedBounds(
            proved["below"] if _everywhere(proved["range"]) else None, proved["above"], proved["step"]
        )
    step = question.step
    at = schedule_of(step, question.setting) if isinstance(step, str) else step
    given = options.pop("quantities")
    model = build_model(question.algorithm(at), clients, **options)
    said = certificate.statement(model)
    if any(data.get(name) != said[name] for name in certificate.bare(model)):
        raise ValueError(f"{question.key}: the certificate is of another question")
    proved = verifier.verify(data)
    quantities = check_quantities(model.bound_names, given)
    upper = sum((factor * quantities[name] for name, factor in proved["upper"].items()), Fraction(0))
    low = proved.get("lower")
    lower = low[1] if low is not None and dict(low[0]) == quantities else None
    return CertifiedBounds(lower, upper if proved.get("upper") else None, step)


class KeptAnswers:
    """Answers by question: those of a file, and those computed since."""

    def __init__(self, records: Mapping[str, Mapping[str, Any]], *, time_limit: float | None = None) -> None:
        self.records = dict(records)
        self.time_limit = time_limit
        self.computed: list[str] = []
        self.progress: Callable[[str], None] = lambda words: None

    @classmethod
    def at(cls, path: Path | None, **options: Any) -> KeptAnswers:
        """With what a result file holds; empty without one."""
        from fltheory.experiments.files import load_result

        if path is None or not path.is_file():
            return cls({}, **options)
        result = load_result(path)
        records = {record["key"]: record for record in map(json.loads, result["record"].tolist())}
        for record in records.values():
            found = {name: f"certificate/{sha}" for name, sha in record["sha256"].items()}
            record["certificates"] = {name: unpacked(result[at]) for name, at in found.items() if at in result.arrays}
        return cls(records, **options)

    def arrays(self, with_certificates: Callable[[Mapping[str, Any]], bool]) -> dict[str, Array]:
        """What a result file keeps: all records as texts, and the certificates of some of them."""
        found: dict[str, Array] = {}
        texts = []
        for record in self.records.values():
            texts.append(
                json.dumps({name: entry for name, entry in record.items() if name != "certificates"}, sort_keys=True)
            )
            if with_certificates(record):
                for name, data in record.get("certificates", {}).items():
                    found[f"certificate/{record['sha256'][name]}"] = packed(data)
        return {"record": np.array(texts), **found}

    def answer(self, question: GridQuestion) -> CertifiedBounds:
        """What is kept of a question, or the computed answer."""
        if question.method.known and question.key in self.records:
            return CertifiedBounds.of_record(self.records[question.key])
        self.progress(question.key)
        found = solve(question, time_limit=self.time_limit)
        self.computed.append(question.key)
        if question.method.known:
            self.records[question.key] = found.record(question.key) | {"certificates": dict(found.certificates)}
        return found
