"""The audit's table in Markdown, from the records of ``experiments/audit.npz``."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

PRINTED = "printed"
#: Terms of printed bounds: the quantity of the certificate that stands for each, and the parameter that holds its value (with
#: its power); the start's is one.
QUANTITIES: Mapping[str, tuple[tuple[str, ...], tuple[tuple[str, int], ...]]] = {
    "start": (("distance", "gap"), ()),
    "Gamma": (("gamma",), (("Gamma", 1),)),
    "G": (("G2",), (("G2", 1), ("G", 2))),
    "noise": (("noise",), (("sigma2", 1),)),
    "dissimilarity": (("dissimilarity",), (("sigma_G", 2),)),
}


def improved(record: Mapping[str, Any]) -> float:
    """The left end of the ratio for the smallest of the proved bounds, the printed one among them."""
    return min(float(pair[0]) for pair in record["ratios"].values())


def table(records: Sequence[Mapping[str, Any]]) -> str:
    """The table in Markdown.  Ratios are left ends of their enclosures; a dropped term is judged against both ends."""
    done = [r for r in records if r["status"] == "certified"]
    below = [r["key"] for r in done if r["ratios"][PRINTED][1] < 1]
    lines = [
        "# The audit: published bound / exact worst case",
        "",
        f"{len(records)} points, {len(done)} with both sides certified. Units: L = 1; |w_1 - w*|^2 <= 1 (Li et al.),",
        "f(x^0) - f* <= 1 (lecture). A ratio is the published bound over the certified upper bound of the worst case, so that",
        'the bound is at least that loose. "One round": noise or sampled cohorts; there the gap is bounded by L/2 |w - w*|^2,',
        'and the ratio for the gap itself is at least the one given. "Best proved bound": the smallest of the printed bound and',
        "the sharpened ones that have rows of their own in the ledger. Lecture: bounds on gradients are used at the points where",
        "gradients are taken; for functions that obey them everywhere the ratio is at least the one given. This file is written",
        "by `fltheory experiment audit`; certificates of the largest ratio of each theorem (of those that are small) lie in",
        "`certificates/audit_*.json`.",
        "",
        f"Points where the worst case exceeds the published bound: {', '.join(below) or 'none'}.",
        "",
        "| theorem | points | certified | min | median | max | at the max | best proved bound: min | median | max |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    names = list(dict.fromkeys(r["theorem"] for r in records))
    for name in names:
        mine = [r for r in done if r["theorem"] == name]
        total = sum(r["theorem"] == name for r in records)
        if not mine:
            lines.append(f"| {name} | {total} | 0 | | | | | | | |")
            continue
        best = max(mine, key=lambda r: r["ratios"][PRINTED][0])
        better = [improved(r) for r in mine] if len(best["ratios"]) > 1 else []
        lines.append(
            f"| {name} | {total} | {len(mine)} | {_three([r['ratios'][PRINTED][0] for r in mine])} | "
            f"{best['key'].partition(': ')[2]} | {_three(better) if better else '| |'} |"
        )
    lines += [
        "",
        "## Which terms",
        "",
        "Median share of each term in the published bound, and of the same quantity in the certificate (an inequality of the same",
        "form whose value is the worst case); at how many of the certified points the bound without the term is still above the",
        "worst case (of L/2 |w - w*|^2 for one round), is below it, or cannot be told; the largest ratio left without the term.",
        "",
        "| theorem | term | points | share | in the certificate | still above | below | undecided | largest ratio without |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in names:
        mine = [r for r in done if r["theorem"] == name]
        for term in dict.fromkeys(t for r in mine for t in r["terms"]):
            lines.append(f"| {name} | {term} | {_dropped([r for r in mine if term in r['terms']], [term])} |")
        rest = [t for t in QUANTITIES if t != "start" and any(t in r["terms"] for r in mine)]
        if len(rest) > 1:
            there = [r for r in mine if set(rest) & set(r["terms"])]
            lines.append(f"| {name} | {', '.join(rest)} together | {_dropped(there, rest)} |")
    lines += _without_bounded_gradients([r for r in done if r["theorem"] == "Li et al., Theorem 1"])
    failed = [r for r in records if r["status"] != "certified"]
    lines += ["", "## Points without both certificates", ""] + [f"- {r['key']}: {r['status']}" for r in failed]
    return "\n".join(lines + (["none"] if not failed else [])) + "\n"


def without_bounded_gradients(record: Mapping[str, Any]) -> float:
    """The gap's bound by LI-THM1-S5 with ``zeta^2 = 2 L Gamma``: no bound on gradients enters (L = 1, start one)."""
    from fltheory.theory.li2020.no_bounded_gradients import distance_bound

    kappa, steps, horizon, gamma_ = (Fraction(record["parameters"][name]) for name in ("kappa", "E", "T", "Gamma"))
    exact = {"kappa": kappa, "E": steps, "T": horizon, "gamma": max(8 * kappa, steps), "start": Fraction(1)}
    values = {name: sp.Rational(entry.numerator, entry.denominator) for name, entry in exact.items()}
    spread = sp.sqrt(2 * sp.Rational(gamma_.numerator, gamma_.denominator)) * values["kappa"]
    return float(distance_bound(**values, heterogeneity=spread) ** 2 / 2)


def _without_bounded_gradients(records: Sequence[Mapping[str, Any]]) -> list[str]:
    if not records:
        return []
    lines = [
        "",
        "## Theorem 1 without bounded gradients",
        "",
        "LI-THM1-S5 has no G: heterogeneity at the minimiser, zeta^2 <= 2 L Gamma, takes its place. Ratios of three bounds to the",
        "certified upper bound of the same worst case, by condition number: the printed theorem, the smallest of the sharpened",
        "theorems with G, and LI-THM1-S5.",
        "",
        "| kappa | points | printed: min | median | max | with G: min | median | max | LI-THM1-S5: min | median | max |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for kappa in dict.fromkeys(r["parameters"]["kappa"] for r in records):
        mine = [r for r in records if r["parameters"]["kappa"] == kappa]
        lines.append(
            f"| {kappa} | {len(mine)} | {_three([r['ratios'][PRINTED][0] for r in mine])} | "
            f"{_three([improved(r) for r in mine])} | "
            f"{_three([without_bounded_gradients(r) / r['upper'] for r in mine])} |"
        )
    return lines


def _three(numbers: Sequence[float]) -> str:
    return " | ".join(f"{x:.4g}" for x in (min(numbers), statistics.median(numbers), max(numbers)))


def _dropped(records: Sequence[Mapping[str, Any]], terms: Sequence[str]) -> str:
    shares, above, under, ratios = [], 0, 0, []
    certified = statistics.median(sum(_certified_share(r, term) for term in terms) for r in records)
    for r in records:
        printed, part = Fraction(r["bounds"][PRINTED]), sum(Fraction(r["terms"].get(term, 0)) for term in terms)
        shares.append(float(part / printed))
        above += printed - part >= Fraction(r["upper"])
        under += printed - part < Fraction(r["lower"])
        ratios.append(float(printed - part) / r["upper"])
    rest = len(records) - above - under
    return f"{len(records)} | {statistics.median(shares):.3g} | {certified:.3g} | {above} | {under} | {rest} | {max(ratios):.4g}"


def _certified_share(record: Mapping[str, Any], term: str) -> float:
    """The part of the certified upper bound that a quantity accounts for."""
    names, sources = QUANTITIES[term]
    quantity = next(
        (float(Fraction(record["parameters"][p])) ** k for p, k in sources if p in record["parameters"]), 1.0
    )
    return sum(float(record["factors"].get(name, 0.0)) for name in names) * quantity / float(record["upper"])
