"""Figure 1(a) of Li et al. (2020): the number of local steps E.

Judged on the committed results of ``figures/experiments/figure_1a.py``: generated data (model of Appendix D.1; sizes
lognormal(4, 2) + 50 as in the authors' program), MNIST's subset on 50 clients, digits on 20; every replicate has data,
division, cohorts and batches of its own, but the two synthetic sets share seeds and are averaged per replicate.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fltheory.evidence.model import Control, Evidence, Kind, Outcome, Rung, Scope, claim
from fltheory.plotting.files import Array, Result
from fltheory.plotting.paired import (
    committed,
    compare,
    judge,
    pool,
    seeds_of,
    settings_in_words,
    unavailable,
)

SYNTHETIC = ("synthetic(0,0)", "synthetic(1,1)")
_COMMON = dict(kind=Kind.EXPERIMENT, scope=Scope.EXPERIMENT)
_GRID = "an E grid that extends until the minimum is interior"
_ONE_LOOK = "a rerun with a number of replicates declared beforehand and one look at the result"
_SLACK = " The slack is too thin for a test that may have been looked at more than once: not refuted at most."


def _steps(result: Result, data: str, *, reverse: bool = False) -> dict[int, Array]:
    """Curves by E; ``reverse`` exchanges the smallest E with the largest and so on (for controls)."""
    grid = result.settings["sets"][data]["E"]
    return {e: result[f"{data}/E={label}"] for e, label in zip(grid, grid[::-1] if reverse else grid, strict=True)}


def _rounds(result: Result, data: str, fraction: float | None, *, reverse: bool = False) -> dict[int, Array]:
    """Rounds to the target for every E and replicate; one more than were run where the target was not reached."""
    entry = result.settings["sets"][data]
    curves = _steps(result, data, reverse=reverse)
    smallest = np.min([values.min(axis=1) for values in curves.values()], axis=0)
    start = next(iter(curves.values()))[:, 0]
    target = smallest + (entry["fraction"] if fraction is None else fraction) * (start - smallest)
    found = {}
    for e, values in curves.items():
        hit = values <= target[:, None]
        found[e] = np.where(hit.any(axis=1), hit.argmax(axis=1), entry["rounds"] + 1)
    return found


def _means(result: Result, sets: tuple[str, ...], fraction: float | None) -> dict[str, str]:
    words = {}
    for data in sets:
        limit = result.settings["sets"][data]["rounds"]
        rounds = _rounds(result, data, fraction)
        words[f"{data}, mean rounds to the target"] = ", ".join(
            f"E={e}: {values.mean():.1f}" + (f" ({int((values > limit).sum())} of {len(values)} not reached)"
                                             if (values > limit).any() else "")
            for e, values in rounds.items()
        )  # fmt: skip
    return words


def _ends(
    sets: tuple[str, ...],
    fraction: float | None,
    end: str,
    *,
    reverse: bool = False,
    within_grid: bool = False,
    one_look: bool = True,
) -> Evidence:
    """Claim: pooled over the sets, some interior E needs fewer rounds than the smallest (``fall``) or largest (``rise``) E.

    A rise that the grid does not show may come beyond its end, unless ``within_grid`` claims that it comes before.
    """
    result = committed("figure_1a")
    rounds = {data: _rounds(result, data, fraction, reverse=reverse) for data in sets}
    grids = [list(values) for values in rounds.values()]
    interior = [e for e in grids[0][1:-1] if all(e in grid[1:-1] for grid in grids)]
    edge = 0 if end == "fall" else -1
    tests = []
    for e in interior:
        gap = pool({data: np.log(values[e]) - np.log(values[list(values)[edge]]) for data, values in rounds.items()})
        if gap.std() > 0:
            tests.append(compare(f"log rounds at E={e} minus E={grids[0][edge]}", gap, tests=len(interior)))
    best = max(tests, key=lambda item: item.margin)
    method = (
        "Rounds to the target, logarithms; the best of all interior E, Bonferroni over them; pooled over the data sets, "
        "those with common seeds averaged per replicate."
    )
    numbers = _means(result, sets, fraction)
    if end == "rise" and not within_grid and best.test.mean >= 0:
        method += " The least mean is at the end of the grid of E, which therefore cannot contradict a rise beyond it."
        judged = judge([best], method=method, numbers=numbers, result=result, sets=sets)
        settle = _GRID if best.word == "contradicted" else f"more replicates; {_GRID}"
        return replace(judged, outcome=Outcome.NOT_REFUTED, margin=None, would_settle=settle)
    return judge([best], method=method + ("" if one_look else _SLACK), numbers=numbers, result=result, sets=sets,
                 at_most_not_refuted="" if one_look else _ONE_LOOK)  # fmt: skip


_FRACTION_WORDS = "target: the printed fraction of the way above the smallest loss found"


def _end_claim(identifier: str, summary: str, **printed: object) -> object:
    return claim(identifier, **_COMMON, statement=r"T_\epsilon/E \text{ first falls, then rises with } "
                                                  r"E", source="Figure 1(a)",
                 summary=f"{summary} ({_FRACTION_WORDS}).", printed=printed,
                 controls=[Control("a rise claimed to come within the grid, on a set whose rounds only fall there",
                                   dict(sets=("digits balanced",), within_grid=True))]
                 if printed["end"] == "rise" else [Control("order of E reversed, on a set whose rounds only fall",
                                                           dict(sets=("digits balanced",), reverse=True))])(_ends)  # fmt: skip


fig1a = [
    _end_claim("LI-FIG1A.1", "Unbalanced (synthetic) data: with growing E the rounds to a target first "
                             "fall", sets=SYNTHETIC,
               fraction=None, end="fall"),
    _end_claim("LI-FIG1A.2", "Unbalanced (synthetic) data: with E growing further the rounds to a target rise again",
               sets=SYNTHETIC, fraction=None, end="rise", one_look=False),
]  # fmt: skip


@claim(
    "LI-FIG1A.6",
    **_COMMON,
    statement=r"T_\epsilon/E \text{ first falls, then rises with } E",
    source="Figure 1(a)",
    summary=f"Unbalanced images: with E growing the rounds to a target rise again; the grid of E (to 400 on "
    f"digits, 100 on MNIST) ends too early to show or to exclude it ({_FRACTION_WORDS}).",
    printed=dict(sets=("digits unbalanced", "MNIST subset unbalanced"), fraction=None, end="rise"),
    controls=[
        Control("the synthetic sets instead, whose minimum is inside the grid", dict(sets=SYNTHETIC), must="pass"),
        Control(
            "a rise claimed to come within the grid, on a balanced set",
            dict(sets=("digits balanced",), within_grid=True),
        ),
    ],
)
def rise_on_images(**settings: object) -> Evidence:
    return _ends(**settings)  # type: ignore[arg-type]


def _monotone(sets: tuple[str, ...], planted: float) -> Evidence:
    """Claim: pooled over the sets, the largest E of the grid needs fewer rounds than the one before it.

    ``planted`` multiplies the rounds at the largest E.
    """
    result = committed("figure_1a")
    gaps = {}
    for data in sets:
        rounds = _rounds(result, data, None)
        last, before = list(rounds)[-1], list(rounds)[-2]
        gaps[data] = np.log(planted * rounds[last]) - np.log(rounds[before])
    return judge(
        [compare("log rounds at the largest E minus the one before", pool(gaps), tests=1)],
        method="Rounds to the target, logarithms, pooled over the data sets. A grid that ends at E = 100 (MNIST) or 400 "
        "(digits) does not exclude a rise beyond its end: not refuted at most.",
        numbers=_means(result, sets, None), result=result, sets=sets, at_most_not_refuted=_GRID,
    )  # fmt: skip


@claim(
    "LI-FIG1A.3",
    **_COMMON,
    statement=r"T_\epsilon/E \text{ falls with } E",
    source="Section 6, Figure 1(a)",
    summary=f"On balanced images the rise does not appear: rounds still fall at the largest E tried, "
    f"which is too small to show a rise ({_FRACTION_WORDS}).",
    printed=dict(sets=("MNIST subset balanced", "digits balanced"), planted=1.0),
    controls=[Control("planted rise: three times the rounds at the largest E", dict(planted=3.0))],
)
def no_rise_when_balanced(**settings: object) -> Evidence:
    return _monotone(**settings)  # type: ignore[arg-type]


def _hyperbola(sets: tuple[str, ...], fraction: float, tolerance: float, terms: tuple[str, ...]) -> Evidence:
    """Claim: mean rounds over the E that reach the target are a sum of the ``terms`` with coefficients >= 0."""
    from scipy.optimize import nnls

    result = committed("figure_1a")
    numbers, worst = {}, 0.0
    for data in sets:
        limit = result.settings["sets"][data]["rounds"]
        rounds = {e: v.mean() for e, v in _rounds(result, data, fraction).items() if (v <= limit).all()}
        if len(rounds) < 5:
            raise ValueError(
                f"{data}: only {len(rounds)} values of E reach the target, a fit of three numbers needs five"
            )
        e, y = np.array(list(rounds), dtype=float), np.array(list(rounds.values()))
        shapes = {"aE": e, "b/E": 1 / e, "c": np.ones_like(e)}
        columns = np.stack([shapes[term] for term in terms], axis=1) / y[:, None]
        coefficients, _ = nnls(columns, np.ones_like(y))
        residual = float(np.abs(columns @ coefficients - 1).max())
        logs_of = np.stack(list(shapes.values()), axis=1)
        other = float(np.abs(np.expm1(logs_of @ np.linalg.lstsq(logs_of, np.log(y), rcond=None)[0] - np.log(y))).max())
        worst = max(worst, residual)
        numbers[data] = (
            f"E={[int(v) for v in e]}, rounds {np.round(y, 1).tolist()}, coefficients "
            f"{np.round(coefficients, 4).tolist()}, largest "
            f"relative residual {residual:.3f}; of exp(aE + b/E + c): {other:.3f}"
        )
    good = worst <= tolerance
    return Evidence(
        Rung.RERUN, Outcome.NOT_REFUTED if good else Outcome.NOT_REPRODUCED,
        f"Least squares of relative residuals with coefficients >= 0, at {fraction:g} of the way above the smallest "
        f"loss, over the E "
        f"that all replicates reach; refuted if a residual is above {tolerance:.0%}. Three "
        f"free numbers on about seven points tell the hyperbola from no other curve of its kind: exp(aE + b/E + c) fits "
        f"as well.",
        examined=len(sets), margin=tolerance - worst, numbers=numbers, valid_for=settings_in_words(result, sets),
        seeds=seeds_of(result, sets),
        would_settle="" if not good else "rounds over several decades of E on both sides of the minimum, where the "
        "hyperbola and exp(aE + b/E + c) differ",
    )  # fmt: skip


@claim(
    "LI-FIG1A.4",
    **_COMMON,
    statement=r"T_\epsilon/E \approx aE+b/E+c",
    source="Section 6, (8)",
    summary="On unbalanced (synthetic) data the rounds are a hyperbolic function of E, as (8) says (read: within 10 "
    "%).",
    printed=dict(sets=SYNTHETIC, fraction=0.3, tolerance=0.1, terms=("aE", "b/E", "c")),
    controls=[
        Control("without the term aE", dict(terms=("b/E", "c"))),
        Control("another shape, aE + c", dict(terms=("aE", "c"))),
    ],
)
def hyperbola(**settings: object) -> Evidence:
    return _hyperbola(**settings)  # type: ignore[arg-type]


_TARGETS = {"unbalanced MNIST": (0.29, 0.2591), "balanced MNIST": (0.50, 0.3429), "synthetic(0,0)": (0.95, 0.7999),
            "synthetic(1,1)": (1.15, 1.075)}  # fmt: skip


@claim(
    "LI-FIG1A.5",
    **_COMMON,
    statement=r"\text{targets } 0.29, 0.50, 0.95, 1.15",
    source="Appendix D.2, Figure 1(a)",
    summary="The printed targets and smallest losses, which belong to data that were not published.",
    printed=dict(targets=_TARGETS),
    controls=[Control("target and smallest loss exchanged", dict(targets={k: v[::-1] for k, v in _TARGETS.items()}))],
)
def printed_targets(targets: dict[str, tuple[float, float]]) -> Evidence:
    """Consistent if smallest loss < target < log 10, the loss at w = 0 of ten classes."""
    wrong = [f"{name}: target {t}, smallest {s}" for name, (t, s) in targets.items() if not s < t < np.log(10)]
    return unavailable(
        wrong, examined=len(targets), method="Printed numbers compared with each other and with the loss log 10 at w "
                                             "= 0.",
        would_settle="the authors' division of MNIST, their generated data sets, and the grid of E with the number "
                     "of rounds",
    )  # fmt: skip


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
