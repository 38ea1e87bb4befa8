"""What a derivation says of itself: its hypotheses in words, the ranges it holds for, and the displays that it passes through.

A display is a fact as it is: form, axes, relation, the classes of functions that it is shown for, and the declarations of all
that it speaks of, but not the ranges of parameters and not the name that the script gave it.  Two derivations in which the same
display stands say the same there.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from fltheory.derivation.packs import told_by
from fltheory.derivation.replay import UNIT, Replay, show, unpacked, words
from fltheory.derivation.script import state_of

#: The hypotheses of the packs for a reader; ``{of}`` is the function.
WORDS: Mapping[str, str] = {
    "smooth": "{of} is {L}-smooth",
    "strongly convex": "{of} is {mu}-strongly convex",
    "convex": "{of} is convex",
    "Lipschitz gradients": "the gradients of {of} are {L}-Lipschitz",
    "variance of a mean": "E|{noise}|^2 <= {V}/({K} {S})",
    "central variance": "E|{noise}|^2 <= {C}",
    "infimum of the average": "the average of the losses is at least {f_star}",
    "equal weights": "equal weights: {V} = {sigma}^2/{N}",
    "gap at the start": "{gap} = {Phi_1} - {f_star}",
    "global minimiser of a sum": "{f_star} + {h_star} is the least value of the sum",
    "infimum": "{of} is at least {f_inf}",
    "bounded variance": "E|{noise}|^2 <= {sigma2}",
    "bounded gradients": "E|{gradient}|^2 <= {G2}",
    "bounded gradients now": "E|{gradient}|^2 <= {G2}",
    "every gradient bounded": "|{gradient}|^2 <= {G2}, whatever is drawn",
    "bounded gradients at points": "the gradients of {of} are bounded: |g|^2 <= {G2}",
    "bounded dissimilarity": "the average of |g_k(x)|^2 over clients is at most {G2} + {B2} |average of g_k(x)|^2",
    "heterogeneity at the minimiser": "{Gamma} is the average of {f_star} - {f_inf}",
    "within a round": "{now} - {earlier} <= {E} - 1",
    "not increasing": "{later} <= {earlier}",
    "halving": "{first} <= 2 {after}",
    "start": "{Delta_1} <= {D1}",
    "empty sum": "{first} = 0",
    "squared gradient": "|{gradient}|^2 = {G2}",
    "second moment": "E|{noise}|^2 = {V}",
    "uncorrelated": "{x} and {y} are uncorrelated",
    "two grid points": "{Q} is one of the grid points {low} and {low} + {g} {e}",
    "one of two points": "{to_one} and {to_other} are orthogonal: a point is one of two",
    "so many in a round": "{later} = {earlier} + {number}",
    "unit vector": "|{e}| = 1",
    "growth of the gradient": "|{f}| >= {m} |{x} - {xs}|",
    "dissimilarity": "|{a}|^2/w + |{b}|^2/(1 - w) <= {G2} + {B2} |{f}|^2",
    "noise of known variance": "E|{noise}|^2 = {V}",
    "gradient dissimilarity": "the average of |g_k(x) - average of g_k(x)|^2 over clients is at most {sigma_G}^2",
    "bounded spread": "the average of |g_k(x) - average of g_k(x)|^2 over clients is at most {F}",
    "value at the start": "{first} = {value}",
    "all or nothing": "{go} is 0 or 1",
    "along the segment": "{end} - {begin} is the average of <{gradient}, {way}> along the segment",
    "at distance one": "|{a} - {b}| = 1",
    "one step later": "{later} = {next}",
    "last less first": "the inner product of {change} and z is {last} - {first}",
    "relaxed dissimilarity": "the average of |g_k(x)|^2 over clients is at most {G2} + 2 {L} {B2} (average of f_k(x) - {f_star})",
    "weight times moment": "{product} = {p} {s}",
    "gradient not small": "|{gradient}|^2 >= {eps}",
    "one of the clients": "{one} is the gradient of one of {N} clients: |{one}|^2 <= {N} times the average of |{gradient}|^2",
    "derivative along a segment": "{f_y} - {f_x} is the average of <{slope}, {y} - {x}> along the segment (fundamental theorem of "
    "calculus)",
    "Lipschitz gradients along a segment": "Lipschitz gradients: |{later} - {first}| <= {L} |{moved}| along the segment",
    "Hessian along a segment": "|{turned}| <= {L} |{y} - {x}| along the segment",
    "gradients along a segment": "|{change}|^2 is the average of <{turned}, {change}> along the segment (fundamental theorem of "
    "calculus for the gradient)",
    "centred": "the average of <{sum}, {fixed}> is 0: {sum} is a sum of centred noises, {fixed} is not drawn",
    "mean square": "{G2} is the average of |{gradient}|^2 over clients",
    "averaged in part": "averaged over clients, |{after}|^2 is at most |{before}|^2: some layers are averaged",
    "square of the step": "{A} = 2 {eta}^2 {L}^2 {tau} ({tau} - 1)",
    "first local point": "the average of |{first} - {start}|^2 is {Drift_1}",
}
_CLOSED = " at its end by continuity"
_LISTS = ("foreign", "displays", "concludes")
#: Rules that make no fact.
_DECLARING = (
    "axis parameter choose let vector value next function point hypothesis distinction lemma exponential".split()
)
_NAME = re.compile(r"[A-Za-z_]\w*")


def told(derivations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What derivations, the parts of one proof, say together.

    ``hypotheses`` in words, in ``foreign`` the names of those that no pack has; ``valid_for``, part by part; ``displays``: digest
    and name of every fact on which a conclusion rests, and ``concludes``: of the conclusions.
    """
    found: dict[str, dict[str, None]] = {key: {} for key in ("hypotheses", "valid_for", *_LISTS)}
    for data in derivations:
        state = state_of(data)
        lines, conclusions = [unpacked(line) for line in data["lines"]], data["conclusions"]
        declared = {line["hypothesis"]: line for line in lines if next(iter(line)) == "hypothesis"} | _lent(lines)
        used = {one for name in conclusions for one in state.known(name).uses}
        ends = {f"{one}{_CLOSED}": one for one in state.parameters if state.reasons.get(f"{one}{_CLOSED}") == "rule"}
        uses = [one for one in state.reasons if one in used and one not in ends]
        closed = {ends[one] for one in used & ends.keys()}
        said = {
            "hypotheses": [_said(one, declared.get(one), state) for one in uses],
            "valid_for": [", ".join(_ranges(state, lines, conclusions, uses, declared, closed))],
            "foreign": [one for one in uses if one in declared and not told_by(declared[one])[0]],
        }
        for name in _ancestors(state, lines, conclusions):
            place = "concludes" if name in conclusions else "displays"
            spoken = [declared[one] for one in sorted(state.known(name).uses & {*declared})]
            classes = [_said(one["hypothesis"], one, state) for one in spoken if one.get("points")]
            if state.known(name).form.terms:  # that 0 = 0 is said in many places
                said.setdefault(place, []).append(f"{_digest(state, lines, name, classes)} {name}")
        for key, items in said.items():
            found[key].update(dict.fromkeys(items))
    return {key: list(items) for key, items in found.items()} | {"valid_for": "; ".join(found["valid_for"])}


def _lent(lines: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Hypotheses of lemmas, by the reason that a fact has for which one is applied."""
    lemmas = {line["lemma"]: line["derivation"]["lines"] for line in lines if next(iter(line)) == "lemma"}
    found: dict[str, Mapping[str, Any]] = {}
    for name, lemma in ((line["apply"], line["lemma"]) for line in lines if next(iter(line)) == "apply"):
        inner = [*map(unpacked, lemmas[lemma])]
        own = {line["hypothesis"]: line for line in inner if next(iter(line)) == "hypothesis"}
        found |= {f"{name}: {one}": line for one, line in {**own, **_lent(inner)}.items()}
    return found


def _said(name: str, line: Mapping[str, Any] | None, state: Replay) -> str:
    """What a fact uses, in words."""
    if line is None:
        left, sign, right = name.partition(" = ")
        chosen = sign and state.reasons[name] == "choice"
        return f"{_plain(left)} = {_plain(right)}" if chosen else _spelled(name)
    pack, known = told_by(line)
    if name != line["hypothesis"]:  # of a lemma, in its own letters
        return f"{name.removesuffix(line['hypothesis'])}{_said(line['hypothesis'], line, state)}"
    if not pack:
        around = f" on average over {', '.join(line['over'])}" if line.get("over") else ""
        return _spelled(f"{name}: {line['form']} {line.get('relation', '>=')} 0{around}")
    of = line.get("of")
    axes = "".join(sorted(state.functions.get(str(of), ())))
    names = {**known, "of": f"every {of}_{axes}" if axes else str(of)}
    return _spelled(WORDS[pack].format(**names)) if pack in WORDS else name


def _spelled(text: str) -> str:
    return re.sub(r"(?<=\w)_(?!\w)", "", text.replace("**", "^"))


def _plain(text: str) -> str:
    """A rational function as people write it."""
    import sympy as sp

    return _spelled(str(sp.sympify(text, locals={name: sp.Symbol(name) for name in _NAME.findall(text)})))


def _ranges(
    state: Replay,
    lines: Sequence[Mapping[str, Any]],
    conclusions: Iterable[str],
    uses: Iterable[str],
    declared: Mapping[str, Mapping[str, Any]],
    closed: Iterable[str],
) -> Iterator[str]:
    """Dimensions and clients, then the ranges of the parameters of which the conclusions, what they use or what these are made of
    speak.
    """
    yield "every dimension"
    if "clients" in state.axes.values():
        equal = any("equal weights" in one for one in uses)
        yield "every number of clients" if equal else "every number of clients with any weights"
    texts = [words(key) for one in conclusions for key in state.known(one).form.terms if key != UNIT]
    texts += [str(declared[one]["form"] if one in declared else one) for one in uses]
    reached = {name for one in conclusions for c in state.known(one).form.terms.values() for name in c.names()}
    reached |= {name for text in texts for name in _NAME.findall(text)}
    made_of = _made_of(reached, _declarations(lines))
    reached |= {name for line in made_of.values() for text in _texts([*line.values()]) for name in _NAME.findall(text)}
    for name, p in reversed(state.parameters.items()):  # the ends of a range are of earlier ones
        if name in reached:
            reached |= {other for end in (p.low, p.high) if end is not None for other in end.names()}
    for name, p in state.parameters.items():
        if name in reached and p.chosen is None and (p.low is not None or p.high is not None):
            signs = ["<" if is_open and name not in closed else "<=" for is_open in (p.low_open, p.high_open)]
            low = "" if p.low is None else f"{_plain(show(p.low))} {signs[0]} "
            high = "" if p.high is None else f" {signs[1]} {_plain(show(p.high))}"
            yield f"{low}{_spelled(name)}{high}"


def _texts(item: Any) -> Iterator[str]:
    """All texts in the fields of a line."""
    if isinstance(item, Mapping):
        item = [*item, *item.values()]
    if isinstance(item, str):
        yield item
    elif isinstance(item, list):
        for one in item:
            yield from _texts(one)


def _spoken_of(line: Mapping[str, Any]) -> Iterator[str]:
    """Texts in a line that may be names of facts: what a lemma's names stand for are none."""
    return iter([line["apply"]]) if "apply" in line else _texts([*line.values()])


def _ancestors(state: Replay, lines: Sequence[Mapping[str, Any]], conclusions: Iterable[str]) -> list[str]:
    """The facts on which conclusions rest, themselves included, but for hypotheses as they stand; in the order of the lines."""
    made: dict[str, Mapping[str, Any]] = {}
    for line in (line for line in lines if next(iter(line)) not in _DECLARING):
        for name in _spoken_of(line):
            if name in state.facts:
                made.setdefault(name, line)
    found, left = set(), list(conclusions)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += [one for one in _spoken_of(made[name]) if one in made and made[one] is not made[name]]
    return [name for name in made if name in found and next(iter(made[name])) not in ("assume", "define")]


def _at_a_point(found: Any) -> str:
    """A rational function by its value where each parameter has a number that its name gives: equal ones have many texts."""

    def polynomial(terms: Iterable[tuple[Iterable[tuple[str, int]], Fraction]]) -> Fraction:
        return sum((c * math.prod(_number(name) ** e for name, e in mono) for mono, c in terms), Fraction(0))

    below = math.prod(polynomial(base) ** e for base, e in found.bottom.items())
    return str(polynomial(found.top.items()) / below)


def _number(name: str) -> Fraction:
    return Fraction(int(hashlib.sha256(name.encode()).hexdigest()[:6], 16) + 1, 1 << 20)


def _declarations(lines: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The lines that declare vectors, values, functions and what is named at points and times, by name."""
    declared: dict[str, Mapping[str, Any]] = {}
    for line in lines:
        rule, own = next(iter(line.items()))
        if rule in ("vector", "value", "function", "let", "cohort", "distinction"):
            declared.setdefault(own, line)
        elif rule in ("point", "define"):
            names = [line.get("value") or f"f_{own}", line.get("gradient") or f"g_{own}"]
            if rule == "define":
                names = [own, *(line[key] for key in ("next", "first", "last") if key in line)]
            declared.update({one: line for one in names if one not in declared})
    return declared


def _made_of(names: Iterable[str], declared: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The declarations of names and of all that they are made of."""
    found: dict[str, Mapping[str, Any]] = {}
    left = list(names)
    while left:
        one = left.pop()
        if one in declared and one not in found:
            found[one] = {key: item for key, item in declared[one].items() if key != "latex"}
            left += [part for text in _texts(list(found[one].values())) for part in _NAME.findall(text)]
    return found


def _digest(state: Replay, lines: Sequence[Mapping[str, Any]], name: str, classes: Sequence[str]) -> str:
    """A fact with the classes of functions that it is shown for and the declarations of what it speaks of, in few signs."""
    fact = state.known(name)
    terms = sorted(("1" if key == UNIT else words(key), _at_a_point(c)) for key, c in fact.form.terms.items())
    found = _made_of([one for text, _ in terms for one in _NAME.findall(text)], _declarations(lines))
    whole = json.dumps([terms, sorted(fact.over), fact.relation, classes, found], sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()[:10]
