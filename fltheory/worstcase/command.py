"""What the commands ``certify`` and ``check-certificate`` do: words of the command line to a worst case and back."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

from fltheory import algorithms
from fltheory.algorithms import NormalisedUniform, SchemeI
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.problems.numbers import fraction_of_text
from fltheory.worstcase import box_verifier, certificate, verifier
from fltheory.worstcase.analysis import HETEROGENEITIES, MEASURES
from fltheory.worstcase.answer import BEYOND, WorstCase
from fltheory.worstcase.classes import Dissimilarity, FunctionClass, MixedDissimilarity
from fltheory.worstcase.decimals import downward, upward
from fltheory.worstcase.entry import worst_case

CERTIFIED, NOT_CERTIFIED = 0, 3


def load_solver() -> None:
    """Import all that a solve needs: an interruption from then on meets the solver, not a half-finished import."""
    for module in ("clarabel", "scipy.sparse", "scipy.linalg.cython_lapack", "fltheory.worstcase.certify"):
        import_module(module)


def names() -> dict[str, type]:
    """Algorithms that the command knows: those of the package with local steps."""
    found = {}
    for name, entry in vars(algorithms).items():
        if isinstance(entry, type) and dataclasses.is_dataclass(entry) and hasattr(entry, "round"):
            if any(field.name == "local_steps" for field in dataclasses.fields(entry)):
                found[name] = entry
    return dict(sorted(found.items()))


def number(text: str) -> Fraction:
    """A number as ``1/4``, ``0.25`` or ``2.5e-1``."""
    return fraction_of_text(text)


def pairs(texts: Sequence[str], what: str) -> dict[str, Fraction]:
    """``NAME=NUMBER`` entries."""
    found = {}
    for text in texts:
        name, sign, entry = text.partition("=")
        if not sign or not name.strip():
            raise ValueError(f"{what} {text!r} is not NAME=NUMBER")
        if name.strip() in found:
            raise ValueError(f"{what} {name.strip()!r} is given twice")
        found[name.strip()] = number(entry)
    return found


def make_algorithm(
    name: str, local_steps: int, step_size: str, settings: Sequence[str], cohort: int | None, replacement: bool
) -> Any:
    """An algorithm by name; ``settings`` are further fields such as ``server_step_size=2``."""
    given: dict[str, Any] = {"local_steps": local_steps, "step_size": number(step_size)}
    for field, entry in pairs(settings, "--set").items():
        given[field] = int(entry) if entry.denominator == 1 else entry
    if cohort is not None:
        given["participation"] = SchemeI(cohort) if replacement else NormalisedUniform(cohort)
    known = [field.name for field in dataclasses.fields(names()[name])]
    for field in given:
        if field not in known:
            raise ValueError(f"{name} has no {field!r}; its fields are {', '.join(known)}")
    fields = dataclasses.fields(names()[name])
    needed = [f.name for f in fields if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING]
    missing = [field for field in needed if field not in given]
    if missing:
        raise ValueError(f"{name} needs {', '.join(missing)}: expected --set {missing[0]}=NUMBER")
    return names()[name](**given)


def kind(text: str) -> Any:
    """A heterogeneity by name, or several between commas.

    ``dissimilarity:B`` and ``mixed dissimilarity:B`` name their constant, ``unbounded`` asks for no assumption.
    """
    if "," in text:
        return [kind(part.strip()) for part in text.split(",")]
    if text == "unbounded":
        return None
    if text.startswith("dissimilarity:"):
        return Dissimilarity(number(text.split(":", 1)[1]))
    if text.startswith("mixed dissimilarity:"):
        return MixedDissimilarity(number(text.split(":", 1)[1]))
    if text not in HETEROGENEITIES:
        words = ", ".join((*HETEROGENEITIES, "dissimilarity:B", "mixed dissimilarity:B", "unbounded"))
        raise ValueError(f"--heterogeneity {text!r}; one of {words}")
    return text


def certify(
    algorithm: Algorithm,
    mu: str,
    smooth: str,
    measure: str,
    heterogeneity: str,
    *,
    start: str = "distance",
    centre_mu: str = "0",
    centre_smooth: str | None = None,
    **options: Any,
) -> WorstCase:
    """:func:`worst_case` with its classes and heterogeneity in words."""
    for option, chosen_measure in (("--measure", measure), ("--start", start)):
        if chosen_measure not in MEASURES:
            raise ValueError(f"{option} {chosen_measure!r}; one of {', '.join(MEASURES)}")
    chosen = FunctionClass(number(mu), number(smooth))
    centre = None if centre_smooth is None else FunctionClass(number(centre_mu), number(centre_smooth))
    kinds = kind(heterogeneity)
    return worst_case(algorithm, chosen, measure=measure, start=start, heterogeneity=kinds, centre=centre, **options)


def describe(found: WorstCase) -> str:
    """The answer in lines; what is certified and what is the solver's word are told apart.

    Certified bounds are rounded outward: what is printed is a bound too.
    """
    told = f"{found.solver_value:.9g}"
    if math.isnan(found.solver_value):
        told = BEYOND if found.solution.usable else "none"
    lines = [
        f"status        {found.status}",
        f"solver value  {told} ({found.solver_status}, no claim)",
    ]
    if found.upper is not None:
        at = ", ".join(f"{name} = {entry}" for name, entry in found.quantities.items())
        lines.append(f"at most       {upward(found.upper)} at {at} (certified)")
        terms = " + ".join(f"{upward(factor)} {name}" for name, factor in found.bound.items())
        lines.append(f"theorem       measure <= {terms or '0'}")
    elif found.growth is None:
        lines.append("no value      no upper bound was certified")
    if found.lower is not None:
        lines.append(f"at least      {downward(found.lower)} (certified)")
    if found.upper is not None and found.lower is not None:
        lines.append(f"width         {found.width:.1e} relative")
    if words := found.divergence:
        lines.append(f"warning       {words}")
    return "\n".join(lines)


def exit_code(found: WorstCase) -> int:
    """0 if both sides are certified, else 3."""
    return CERTIFIED if found.status == "certified" else NOT_CERTIFIED


def check(path: Path, *, explained: bool) -> tuple[int, list[str]]:
    """Exit code (0 accepted, 1 rejected, 2 unreadable) and lines for one certificate file."""
    name = verifier.one_line(path)
    try:
        data = verifier.read(path)
        if data.get("format") == "fltheory box 1":
            proved = box_verifier.summary(data, box_verifier.verify(data))
            return 0, [f"{name}: accepted", f"  {verifier.one_line(proved)}"]
        lines = list(verifier.report(verifier.verify(data)))
    except verifier.Rejected as error:
        return 1, [f"{name}: REJECTED: {verifier.one_line(error)}"]
    except (OSError, ValueError) as error:
        return 2, [f"{name}: unreadable: {verifier.one_line(error)}"]
    told = list(certificate.explain(data)) if explained else []
    return 0, [f"{name}: accepted", *(f"  {line}" for line in told + lines)]
