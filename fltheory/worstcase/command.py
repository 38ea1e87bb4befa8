"""What the commands ``certify`` and ``check-certificate`` do: words of the command line to a worst case and back."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

from fltheory import algorithms
from fltheory.algorithms import NormalisedUniform, SchemeI
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.problems.numbers import fraction_of_text
from fltheory.worstcase import (
    algebraic_verifier,
    best_verifier,
    box_verifier,
    certificate,
    lyapunov_verifier,
    verifier,
)
from fltheory.worstcase.analysis import HETEROGENEITIES, MEASURES
from fltheory.worstcase.answer import BEYOND, WorstCase
from fltheory.worstcase.arguments import check_quantities
from fltheory.worstcase.claims import listed_proof
from fltheory.worstcase.classes import Dissimilarity, FunctionClass, MixedDissimilarity
from fltheory.worstcase.decimals import downward, upward
from fltheory.worstcase.entry import TimeLeft, worst_case
from fltheory.worstcase.formulation import build_model
from fltheory.worstcase.matching import differences
from fltheory.worstcase.model import Model
from fltheory.worstcase.normalised import in_floats

CERTIFIED, NOT_CERTIFIED = 0, 3


def load_solver() -> None:
    """Import all that a solve needs: an interruption from then on meets the solver, not a half-finished import."""
    for module in ("clarabel", "scipy.sparse", "scipy.linalg.cython_lapack", "fltheory.worstcase.certify"):
        import_module(module)


def clock(seconds: float | None) -> Callable[[], float]:
    """The seconds that are left of a limit, from now on."""
    return TimeLeft(seconds).left


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
    name: str, local_steps: int, step_size: str | None, settings: Sequence[str], cohort: int | None, replacement: bool
) -> Any:
    """An algorithm by name; ``settings`` are further fields such as ``server_step_size=2``."""
    return with_fields(names()[name], local_steps, step_size, settings, cohort, replacement)


def with_fields(
    algorithm: type[Any],
    local_steps: int | None,
    step_size: str | None,
    settings: Sequence[str],
    cohort: int | None,
    replacement: bool,
) -> Any:
    """An algorithm of a class, a dataclass, with these fields; ``None`` leaves what the class says.

    Raises
    ------
    ValueError : a field that the class has not, one given twice, or one that is missing.
    """
    given: dict[str, Any] = {} if local_steps is None else {"local_steps": local_steps}
    given |= {} if step_size is None else {"step_size": number(step_size)}
    for field, entry in pairs(settings, "--set").items():
        if field in given:
            raise ValueError(
                f"--set {field}: expected --{field.replace('_', '-')} NUMBER in its place, and to name it once"
            )
        given[field] = int(entry) if entry.denominator == 1 else entry
    if cohort is not None:
        given["participation"] = SchemeI(cohort) if replacement else NormalisedUniform(cohort)
    fields = [field for field in dataclasses.fields(algorithm) if field.init]
    known = [field.name for field in fields]
    for name in given:
        if name not in known:
            listed = f"its fields are {', '.join(known)}" if known else "it has no fields"
            raise ValueError(f"{algorithm.__name__} has no {name!r}; {listed}")
    needed = [f.name for f in fields if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING]
    missing = [name for name in needed if name not in given]
    if missing:
        own = {"step_size": "--step-size NUMBER", "local_steps": "--local-steps NUMBER"}
        expected = own.get(missing[0], f"--set {missing[0]}=NUMBER")
        raise ValueError(f"{algorithm.__name__} needs {', '.join(missing)}: expected {expected}")
    return algorithm(**given)


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


def question(
    mu: str,
    smooth: str,
    measure: str,
    heterogeneity: str,
    *,
    start: str = "distance",
    centre_mu: str = "0",
    centre_smooth: str | None = None,
    **options: Any,
) -> tuple[FunctionClass, dict[str, Any]]:
    """What :func:`worst_case` is asked, from words: the class of the clients, and all that is named."""
    for option, chosen_measure in (("--measure", measure), ("--start", start)):
        if chosen_measure not in MEASURES:
            raise ValueError(f"{option} {chosen_measure!r}; one of {', '.join(MEASURES)}")
    centre = None if centre_smooth is None else FunctionClass(number(centre_mu), number(centre_smooth))
    asked = {"measure": measure, "start": start, "heterogeneity": kind(heterogeneity), "centre": centre, **options}
    return FunctionClass(number(mu), number(smooth)), asked


def certify(algorithm: Algorithm, mu: str, smooth: str, measure: str, heterogeneity: str, **options: Any) -> WorstCase:
    """:func:`worst_case` with its classes and heterogeneity in words."""
    chosen, asked = question(mu, smooth, measure, heterogeneity, **options)
    return worst_case(algorithm, chosen, **asked)


def asked_model(
    algorithm: Algorithm,
    quantities: dict[str, Fraction],
    mu: str,
    smooth: str,
    measure: str,
    heterogeneity: str,
    **options: Any,
) -> Model:
    """The model of a question in words, with which certificates are compared."""
    chosen, asked = question(mu, smooth, measure, heterogeneity, **options)
    model = build_model(algorithm, chosen, **asked)
    check_quantities(model.bound_names, quantities)
    return model


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
        sentence = verifier.report(found.certificate)[0] if found.certificate else ""
        lines.append(f"theorem       {sentence.removeprefix('proved: ')}")
    elif found.growth is None:
        lines.append("no value      no upper bound was certified")
    if found.lower is not None:
        lines.append(f"at least      {downward(found.lower)} (certified)")
    if found.upper is not None and found.lower is not None:
        lines.append(f"width         {found.width:.1e} relative")
    if words := found.divergence:
        lines.append(f"warning       {words}")
    return "\n".join(lines)


def described_proof(found: WorstCase) -> str:
    """How long the proof of an upper bound is, and why it is no shorter where nothing shorter was found."""
    from fltheory.worstcase.sparse import length

    count = length((found.certificate or {})["upper"])
    return f"proof         {count} interpolation inequalities" + (f" ({found.note})" if found.note else "")


def listed_multipliers(found: WorstCase) -> list[str]:
    """The multipliers of an upper bound by name, the largest first; rounded to six digits, for reading."""
    named = sorted(found.multipliers().items(), key=lambda pair: -pair[1])
    return [f"multiplier    {in_floats(y):.6g}  {name}" for name, y in named]


def exit_code(found: WorstCase) -> int:
    """0 if both sides are certified, else 3."""
    return CERTIFIED if found.status == "certified" else NOT_CERTIFIED


def check(
    path: Path,
    *,
    explained: bool,
    exact: bool = False,
    model: Model | None = None,
    quantities: dict[str, Fraction] | None = None,
) -> tuple[int, list[str]]:
    """Exit code (0 accepted, 1 rejected, 2 unreadable) and lines for one certificate file.

    With a model the certificate must be about it too: code 1 where it is about something else.  ``exact`` writes rationals
    in full, ``explained`` lists the inequalities that the proof adds up.
    """
    name = verifier.one_line(path)
    try:
        data = verifier.read(path)
        if data.get("format") == "fltheory box 1":
            lines = box_verifier.report(data, box_verifier.verify(data), exact)
        elif data.get("format") == lyapunov_verifier.FORMAT:
            proved_lines: list[str] = lyapunov_verifier.report(lyapunov_verifier.verify(data))  # type: ignore[no-untyped-call]
            lines = [verifier.one_line(line) for line in proved_lines]
        elif data.get("format") == algebraic_verifier.FORMAT:
            lines = [verifier.one_line(line) for line in algebraic_verifier.report(data)]
        elif data.get("format") == best_verifier.FORMAT:
            lines = list(best_verifier.report(best_verifier.verify(data)))
        else:
            lines = verifier.report(data, exact)
            lines += listed_proof(data) if explained else []
    except verifier.Rejected as error:
        return 1, [f"{name}: REJECTED: {verifier.one_line(error)}"]
    except (OSError, ValueError) as error:
        return 2, [f"{name}: unreadable: {verifier.one_line(error)}"]
    accepted = [f"{name}: accepted", *(f"  {line}" for line in lines)]
    if model is None:
        return 0, accepted
    code, told = about(data, model, quantities or {})
    return code, [*accepted, *(f"  {line}" for line in told)]


def about(data: dict[str, Any], model: Model, quantities: dict[str, Fraction]) -> tuple[int, list[str]]:
    """Exit code and lines: whether a certificate is about a model, and why not if it is not."""
    if data.get("format") != certificate.FORMAT:
        return 1, [
            "no answer: only certificates of a worst case are compared with a method; found.matches for fl.lyapunov"
        ]
    apart = differences(data, model, quantities)
    if apart:
        return 1, ["NO: it is not about this method and this question", *(f"  {line}" for line in apart)]
    return 0, ["yes: it is about this method and this question"]
