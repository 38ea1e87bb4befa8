"""Hypotheses in packs: written once, the same for all documents.

Canonical names: clients ``k``, noise ``xi``, local steps ``j``, cohorts ``S``, the past ``past``, time ``t``.  A derivation
may declare hypotheses of its own; those that are not in a pack are told apart by :func:`foreign`: a reader looks at them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from fltheory.derivation.replay import unpacked
from fltheory.derivation.script import Derivation
from fltheory.kinds import JSON

#: Lines of hypotheses; words in braces are names of parameters, values or vectors.
PACKS: Mapping[str, Mapping[str, Any]] = {
    "smooth": {
        "form": "f_x + dot(g_x, y - x) + {L}/2*sq(y - x) - f_y",
        "points": ["x", "y"],
        "grows": {"{L}": ["1/2", "y - x"]},
    },
    "strongly convex": {"form": "f_y - f_x - dot(g_x, y - x) - {mu}/2*sq(y - x)", "points": ["x", "y"]},
    "convex": {"form": "f_y - f_x - dot(g_x, y - x)", "points": ["x", "y"]},
    "Lipschitz gradients": {"form": "{L}**2*sq(y - x) - sq(g_y - g_x)", "points": ["x", "y"]},
    "variance of a mean": {"form": "{V}/({K}*{S}) - sq({noise})", "over": ["xi"]},
    "central variance": {"form": "{C} - sq({noise})", "over": ["xc"]},
    "infimum of the average": {"form": "f_x - {f_star}", "points": ["x"], "over": ["k"]},
    "equal weights": {"form": "{V} - {sigma}**2/{N}", "relation": "="},
    "gap at the start": {"form": "{gap} - {Phi_1} + {f_star}", "relation": "="},
    "global minimiser of a sum": {"form": "{f} + {h} - {f_star} - {h_star}", "over": ["k"]},
    "infimum": {"form": "f_x - {f_inf}", "points": ["x"]},
    "bounded variance": {"form": "{sigma2} - sq({noise})", "over": ["xi"]},
    "second moment": {"form": "{V} - sq({noise})", "over": ["xi"], "relation": "="},
    "uncorrelated": {"form": "dot({x}, {y})", "over": ["xi"], "relation": "="},
    "one of two points": {"form": "dot({to_one}, {to_other})", "relation": "="},
    "unit vector": {"form": "sq({e}) - 1", "relation": "="},
    "growth of the gradient": {"form": "sq({f}) - {m}**2*sq({x} - {xs})"},
    "dissimilarity": {"form": "{G2} + {B2}*sq({f}) - sq({a})/w - sq({b})/(1 - w)"},
    "noise of known variance": {"form": "sq({noise}) - {V}", "over": ["xi"], "relation": "="},
    "bounded gradients": {"form": "{G2} - sq({gradient})", "over": ["past"]},
    "bounded gradients now": {"form": "{G2} - sq({gradient})", "over": ["past", "xi"]},
    "every gradient bounded": {"form": "{G2} - sq({gradient})"},
    "bounded gradients at points": {"form": "{G2} - sq(g_x)", "points": ["x"]},
    "bounded dissimilarity": {
        "form": "{G2} + {B2}*sq(mean(g_x, k)) - sq(g_x)",
        "points": ["x"],
        "over": ["k"],
    },
    "gradient dissimilarity": {"form": "{sigma_G}**2 - sq(g_x - mean(g_x, k))", "points": ["x"], "over": ["k"]},
    "bounded spread": {"form": "{F} - sq(g_x - mean(g_x, k))", "points": ["x"], "over": ["k"]},
    "heterogeneity at the minimiser": {
        "form": "{Gamma} - {f_star} + {f_inf}",
        "over": ["k"],
        "relation": "=",
    },
    "within a round": {"form": "{E} - 1 - {now} + {earlier}"},
    "not increasing": {"form": "{earlier} - {later}"},
    "halving": {"form": "2*{after} - {first}"},
    "start": {"form": "{D1} - {Delta_1}"},
    "empty sum": {"form": "{first}", "relation": "="},
    "value at the start": {"form": "{first} - {value}", "relation": "="},
    "all or nothing": {"form": "{go}*(1 - {go})", "relation": "="},
    "along the segment": {"form": "{end} - {begin} - dot({gradient}, {way})", "over": ["s"], "relation": "="},
    "at distance one": {"form": "sq({a} - {b}) - 1", "relation": "="},
    "one step later": {"form": "{later} - {next}", "relation": "="},
    "last less first": {"form": "dot({change}, z) - {last} + {first}", "relation": "="},
    "squared gradient": {"form": "{G2} - sq({gradient})", "relation": "="},
    "relaxed dissimilarity": {
        "form": "{G2} + 2*{L}*{B2}*(f_x - {f_star}) - sq(g_x)",
        "points": ["x"],
        "over": ["k"],
    },
    "so many in a round": {"form": "{later} - {earlier} - {number}", "relation": "="},
    "weight times moment": {"form": "{product} - {p}*{s}", "relation": "="},
    "gradient not small": {"form": "sq({gradient}) - {eps}"},
    "one of the clients": {"form": "{N}*sq({gradient}) - sq({one})", "over": ["k"]},
    "derivative along a segment": {
        "form": "{f_y} - {f_x} - dot({slope}, {y} - {x})",
        "over": ["j"],
        "relation": "=",
    },
    "Lipschitz gradients along a segment": {"form": "{L}**2*sq({moved}) - sq({later} - {first})"},
    "Hessian along a segment": {"form": "{L}**2*sq({y} - {x}) - sq({turned})"},
    "gradients along a segment": {"form": "sq({change}) - dot({turned}, {change})", "over": ["j"], "relation": "="},
    "centred": {"form": "dot({sum}, {fixed})", "over": ["k", "past"], "relation": "="},
    "mean square": {"form": "{G2} - sq({gradient})", "over": ["k"], "relation": "="},
    "square of the step": {"form": "{A} - 2*{eta}**2*{L}**2*{tau}*({tau} - 1)", "relation": "="},
    "averaged in part": {"form": "sq({before}) - sq({after})", "over": ["k"]},
    "first local point": {"form": "sq({first} - {start}) - {Drift_1}", "over": ["k", "xi", "xc"], "relation": "="},
}
#: Why means of vectors vanish.
UNBIASED, MINIMISER = "unbiased gradients", "w* minimises the average"


def suppose(d: Derivation, pack: str, *, of: str | None = None, name: str = "", **names: str) -> None:
    """Declare a hypothesis of a pack, of a function or of the vectors and numbers named: ``suppose(d, "smooth", of="F", L="L")``.

    Raises
    ------
    KeyError : there is no such pack, or a name in its text is missing.
    """
    d.hypothesis(name or pack, **({"of": of} if of else {}), **_filled(PACKS[pack], names))


def form_of(pack: str, names: Mapping[str, str]) -> tuple[str, list[str], list[str], str]:
    """Form, axes that it is averaged over, letters of its points, and relation of a pack's hypothesis."""
    item = _filled(PACKS[pack], names)
    return item["form"], list(item.get("over", ())), list(item.get("points", ())), item.get("relation", ">=")


def _filled(item: Any, names: Mapping[str, str]) -> Any:
    if isinstance(item, str):
        return item.format(**names)
    if isinstance(item, Mapping):
        return {_filled(key, names): _filled(value, names) for key, value in item.items()}
    return [_filled(value, names) for value in item]


def foreign(lines: Iterable[Any]) -> list[str]:
    """Names of hypotheses in the lines of a derivation that no pack has."""
    every: list[Mapping[str, JSON]] = [unpacked(line) for line in lines]
    return [str(line["hypothesis"]) for line in every if next(iter(line)) == "hypothesis" and not told_by(line)[0]]


def told_by(line: Mapping[str, Any]) -> tuple[str, Mapping[str, str]]:
    """The pack of a hypothesis and what its names stand for, or no pack and nothing."""
    fields = {key: item for key, item in line.items() if key not in ("hypothesis", "of", "latex")}
    for name, pack in PACKS.items():
        found = re.fullmatch(_pattern(str(pack["form"])), str(fields.get("form")))
        if found is not None and _filled(pack, found.groupdict()) == fields:
            return name, found.groupdict()
    return "", {}


def _pattern(form: str) -> str:
    """A regular expression for a form with names in its braces, the same at each place of one brace."""
    pattern, seen = re.escape(form), set[str]()
    for name in re.findall(r"\\\{(\w+)\\\}", pattern):
        group = f"(?P={name})" if name in seen else rf"(?P<{name}>[A-Za-z_][\w*]*)"
        pattern = pattern.replace(rf"\{{{name}\}}", group, 1)
        seen.add(name)
    return pattern
