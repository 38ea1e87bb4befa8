"""Attacks on the replayer: each script below derives something that is false of some instance, and must be refused."""

from __future__ import annotations

from typing import Any

import pytest

from fltheory.derivation.replay import Replay, Underivable
from fltheory.derivation.script import Derivation

Line = dict[str, Any]
AXES: list[Line] = [
    {"axis": "k", "kind": "clients"},
    {"axis": "xi", "kind": "noise"},
    {"axis": "past", "kind": "past"},
    {"axis": "t", "kind": "time"},
]
COUNTER: Line = {"parameter": "n", "low": 1, "varies": ["t"], "next": "n + 1"}

#: name: (lines that are well, the line that must be refused).
ATTACKS: dict[str, tuple[list[Line], Line]] = {
    # x = 1, z = -1 obeys the hypothesis, and z >= 0 is false.
    "division by what vanishes at a closed upper end": (
        [
            {"parameter": "x", "low": 0, "high": 1},
            {"parameter": "z"},
            {"hypothesis": "h", "form": "(1 - x)*z"},
            {"assume": "h", "hypothesis": "h"},
        ],
        {"combine": "z >= 0", "form": "z", "facts": {"h": "1/(1 - x)"}},
    ),
    # The hypothesis z >= 0 would leave the list of what is used together with the label of its name.
    "a hypothesis with the name of a case": (
        [
            *AXES,
            {"parameter": "z"},
            {"distinction": "d", "labels": ["A", "B"]},
        ],
        {"hypothesis": "A", "form": "z"},
    ),
    # Delta is then constant in t, and Delta_next, the average over t at t + 1, another number.
    "a number averaged over its own time": (
        [*AXES, {"vector": "w", "axes": ["t"]}, {"vector": "v", "axes": ["t"]}, {"next": "w", "following": "v"}],
        {"define": "D", "form": "sq(w)", "over": ["t"], "time": "t", "next": "D1", "over_next": ["t"]},
    ),
    # At the last time x = 1/2 is well, and the number after it would be 1/0.
    "a divisor that vanishes after the last time": (
        [
            *AXES,
            {"parameter": "x", "low": 0, "high": 1, "high_open": True, "varies": ["t"], "next": "2*x"},
            {"vector": "w"},
        ],
        {"define": "D", "form": "sq(w)/(1 - x)", "over": [], "time": "t", "next": "D1", "over_next": []},
    ),
    # What is a prox point for L = mu is none for a larger L.
    "closure past an equation of a gradient": (
        [
            {"parameter": "L", "low": 0, "low_open": True},
            {"function": "F"},
            {"vector": "w"},
            {"vector": "y"},
            {"point": "w", "of": "F", "equals": "L*(y - w)"},
            {"combine": "f", "form": "dot(g_w, w)/L - dot(y - w, w)", "unfold": ["g_w"], "relation": "="},
            {"combine": "g", "form": "-1*dot(y - w, w) + dot(g_w, w)/L", "facts": {"f": "L/L"}, "relation": "="},
        ],
        {"closure": "h", "fact": "g", "parameter": "L"},
    ),
    "choices in a circle": (
        [
            {"parameter": "a"},
            {"parameter": "b"},
            {"parameter": "c"},
            {"choose": "a", "equals": "b + 1"},
        ],
        {"choose": "b", "equals": "a"},
    ),
    "a choice that changes an earlier one": (
        [{"parameter": "a"}, {"parameter": "b"}, {"choose": "a", "equals": "b + 1"}],
        {"choose": "b", "equals": "2"},
    ),
    "a choice outside the range": ([{"parameter": "a", "low": 0}], {"choose": "a", "equals": "-1"}),
    "a choice that varies as the parameter does not": (
        [*AXES, COUNTER, {"parameter": "a"}],
        {"choose": "a", "equals": "n"},
    ),
    # With x = 0: v = 0 has mean 0, whatever a and c are, but a + mean(c) need not vanish.
    "closure past a mean of a vector that moves": (
        [
            *AXES,
            {"parameter": "x", "low": 0, "low_open": True},
            {"vector": "a"},
            {"vector": "y"},
            {"vector": "c", "axes": ["xi"]},
            {"vector": "v", "axes": ["xi"], "equals": "x*(a + c)", "mean": [["xi", "0", "unbiased"]]},
            {"combine": "one", "form": "dot(v, y) - x*dot(a + c, y)", "unfold": ["v"], "relation": "="},
            {
                "combine": "two",
                "form": "dot(a + mean(c, xi), y)",
                "over": ["xi"],
                "facts": {"one": "-1/x"},
                "relation": "=",
            },
        ],
        {"closure": "three", "fact": "two", "parameter": "x"},
    ),
    # At x = 1 the hypothesis says nothing; below it z >= 0.
    "closure at an upper end": (
        [
            {"parameter": "x", "low": 0, "high": 1, "high_open": True},
            {"parameter": "z"},
            {"hypothesis": "h", "form": "(1 - x)*z"},
            {"assume": "h", "hypothesis": "h"},
            {"combine": "z >= 0", "form": "z", "facts": {"h": "1/(1 - x)"}},
        ],
        {"closure": "end", "fact": "z >= 0", "parameter": "x"},
    ),
    # At x = 0 the hypothesis says nothing; above it z >= 0; it says more for larger x, or for smaller, as z has its sign.
    "closure with a hypothesis that says more for larger values": (
        [
            {"parameter": "x", "low": 0, "low_open": True},
            {"parameter": "z"},
            {"hypothesis": "h", "form": "x*z"},
            {"assume": "h", "hypothesis": "h"},
            {"combine": "z >= 0", "form": "z", "facts": {"h": "1/x"}},
        ],
        {"closure": "end", "fact": "z >= 0", "parameter": "x"},
    ),
    # more = 1: L**2 - L*more falls in L, though what it gains by steps of exactly that length is 2*L*more.
    "closure with a parameter called more": (
        [
            {"parameter": "more", "low": 0},
            {"parameter": "L", "low": 0, "low_open": True},
            {"axis": "k", "kind": "clients"},
            {"function": "F"},
            {
                "hypothesis": "h",
                "of": "F",
                "points": ["x"],
                "form": "(L**2 - L*more)*sq(x)",
                "grows": {"L": ["2*L", "x"]},
            },
            {"vector": "w"},
            {"point": "w", "of": "F"},
            {"assume": "h", "hypothesis": "h", "points": ["w"]},
            {"combine": "f", "form": "(L - more)*sq(w)", "facts": {"h": "1/L"}},
        ],
        {"closure": "end", "fact": "f", "parameter": "L"},
    ),
    "equations in cases of two distinctions": (
        [
            *AXES,
            {"distinction": "d", "labels": ["A", "B"]},
            {"distinction": "e", "labels": ["C", "D"]},
            {"vector": "a"},
        ],
        {"vector": "v", "equals": {"A": "a", "B": "a", "C": "2*a", "D": "2*a"}},
    ),
    "an average over time in one case": (
        [
            *AXES,
            {"distinction": "d", "labels": ["A", "B"]},
            {"vector": "a", "axes": ["t"]},
            {"vector": "v", "axes": ["t"], "equals": {"A": "0*a", "B": "a"}},
        ],
        {"combine": "f", "form": "-sq(v)", "over": ["t"], "unfold": ["v"], "case": "A"},
    ),
    "cases with one of them missing": (
        [
            *AXES,
            {"distinction": "d", "labels": ["A", "B"]},
            {"vector": "a", "axes": ["t"]},
            {"vector": "v", "axes": ["t"], "equals": {"A": "0*a", "B": "a"}},
            {"combine": "f", "form": "-sq(v)", "unfold": ["v"], "case": "A"},
        ],
        {"cases": "g", "distinction": "d", "facts": ["f", "f"]},
    ),
    # What w1 is at t + 1 is drawn at t, but n would be the same noise at all times.
    "a number with noise that is not drawn anew": (
        [*AXES, {"vector": "w", "axes": ["xi", "t"]}, {"vector": "n", "axes": ["xi"]}, {"next": "w", "following": "w"}],
        {"define": "D", "form": "dot(w, n)", "over": ["xi"], "time": "t", "next": "D1", "over_next": ["xi"]},
    ),
    "a next number that is not averaged over what is drawn": (
        [*AXES, {"vector": "w", "axes": ["t"]}, {"vector": "v", "axes": ["xi", "t"]}, {"next": "w", "following": "v"}],
        {"define": "D", "form": "sq(w)", "over": [], "time": "t", "next": "D1", "over_next": []},
    ),
    "a next number with a step size that has no next": (
        [*AXES, {"parameter": "h", "varies": ["t"]}, {"vector": "w", "axes": ["t"]}, {"next": "w", "following": "w"}],
        {"define": "D", "form": "h*sq(w)", "over": [], "time": "t", "next": "D1", "over_next": []},
    ),
    "the next of a vector on other clients": (
        [
            *AXES,
            {"axis": "c", "kind": "clients"},
            {"vector": "w", "axes": ["k", "t"]},
            {"vector": "v", "axes": ["c", "t"]},
        ],
        {"next": "w", "following": "v"},
    ),
    "a hypothesis on gradients averaged over clients at their own points": (
        [
            *AXES,
            {"parameter": "G"},
            {"function": "F", "axes": ["k"]},
            {"vector": "w", "axes": ["k"]},
            {"point": "w", "of": "F"},
            {"hypothesis": "h", "of": "F", "points": ["x"], "form": "G - sq(g_x)", "over": ["k"]},
        ],
        {"assume": "h", "hypothesis": "h", "points": ["w"]},
    ),
    "a multiplier that varies along what is averaged": (
        [
            *AXES,
            {"parameter": "p", "low": 0, "varies": ["k"]},
            {"value": "z", "axes": ["k"]},
            {"hypothesis": "h", "form": "z", "over": ["k"]},
            {"assume": "h", "hypothesis": "h"},
        ],
        {"combine": "f", "form": "p*mean(z, k)", "over": ["k"], "facts": {"h": "p"}},
    ),
    "a coefficient that varies along what is averaged": (
        [*AXES, {"parameter": "p", "varies": ["k"]}, {"vector": "x", "axes": ["k"]}],
        {"let": "m", "equals": "mean(p*x, k)"},
    ),
    "an average over the past beside noise": (
        [*AXES, {"vector": "x", "axes": ["xi", "past"]}],
        {"combine": "f", "form": "sq(x)", "over": ["past"], "squares": [["1", "x"]]},
    ),
    "an average over time of what is drawn": (
        [*AXES, {"vector": "x", "axes": ["xi", "t"]}],
        {"let": "m", "equals": "mean(x, t)"},
    ),
    "noise beside an average over later times": (
        [*AXES, {"vector": "x", "axes": ["past", "t"]}, {"vector": "n", "axes": ["xi", "past", "t"]}],
        {"combine": "f", "form": "dot(mean(x, t), n)", "over": ["xi"], "relation": "="},
    ),
    "independence of noise that is not centred": (
        [
            *AXES,
            {"parameter": "s", "low": 0},
            {"vector": "n", "axes": ["k", "xi"]},
            {"hypothesis": "h", "form": "s - sq(n)", "over": ["xi"]},
            {"assume": "h", "hypothesis": "h"},
        ],
        {"independent": "f", "fact": "h", "noise": "n", "clients": "k", "total": "V"},
    ),
    "a cohort of all of one client": (
        [*AXES, {"axis": "S", "kind": "cohort"}, {"vector": "w", "axes": ["k"]}],
        {
            "cohort": "a",
            "of": "w",
            "clients": "k",
            "axis": "S",
            "scheme": "without replacement",
            "size": "1",
            "count": "1",
        },
    ),
    "a cohort of more than all clients": (
        [*AXES, {"axis": "S", "kind": "cohort"}, {"vector": "w", "axes": ["k"]}],
        {
            "cohort": "a",
            "of": "w",
            "clients": "k",
            "axis": "S",
            "scheme": "without replacement",
            "size": "3",
            "count": "2",
        },
    ),
    "a name that is taken": ([{"parameter": "x"}], {"vector": "x"}),
    "a number of four thousand million digits": (
        [],
        {"let": "a", "equals": "((((((2**64)**64)**64)**64)**64)**64)**64"},
    ),
    "a power of a thousand million": ([{"parameter": "x"}], {"let": "a", "equals": "((((x**64)**64)**64)**64)**64"}),
    "a polynomial with very many terms": (
        [{"parameter": f"x{i}"} for i in range(12)],
        {"let": "a", "equals": f"({' + '.join(f'x{i}' for i in range(12))})**64"},
    ),
    "a divisor on very many ranges": (
        [{"parameter": f"x{i}", "low": 0, "high": 1} for i in range(20)],
        {"let": "a", "equals": f"1/(1 + {' + '.join(f'x{i}' for i in range(20))})"},
    ),
}


def replayed(lines: list[Line]) -> Replay:
    state = Replay()
    for line in lines:
        state.line(line)
    return state


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_refused(name: str) -> None:
    lines, last = ATTACKS[name]
    state = replayed(lines)
    with pytest.raises(Underivable):
        state.line(last)


def test_what_is_used_in_reading_a_declaration_is_told() -> None:
    noise = [*AXES, {"vector": "n", "axes": ["xi"], "mean": [["xi", "0", "unbiased"]]}, {"vector": "y"}]
    lines = [{"let": "z", "equals": "dot(mean(n, xi), y)"}, {"combine": "z = 0", "form": "z", "relation": "="}]
    assert replayed([*noise, *lines]).known("z = 0").uses == {"unbiased"}
    lines = [
        {"vector": "m", "equals": "mean(n, xi)"},
        {"combine": "m = 0", "form": "sq(m)", "unfold": ["m"], "relation": "="},
    ]
    assert replayed([*noise, *lines]).known("m = 0").uses == {"unbiased"}


def test_a_choice_in_a_next_number_is_told() -> None:
    lines = [
        *AXES,
        COUNTER,
        {"parameter": "h", "varies": ["t"]},
        {"vector": "w", "axes": ["t"]},
        {"next": "w", "following": "w"},
        {"choose": "h", "equals": "n"},
        {"define": "D", "form": "h*sq(w)", "over": [], "time": "t", "next": "D1", "over_next": []},
    ]
    assert replayed(lines).known("D1").uses == {"h = n"}


def test_a_number_may_be_made_of_parameters_alone() -> None:
    lines = [
        *AXES,
        {"parameter": "x", "varies": ["t"], "next": "2*x"},
        {"define": "D", "form": "x + 1", "over": [], "time": "t", "next": "D1", "over_next": []},
        {"combine": "next", "form": "D1 - 2*D + 1", "facts": {"D1": "1", "D": "-2"}, "relation": "="},
    ]
    assert replayed(lines).known("next").uses == set()


def test_open_ends_are_closed_together_or_not_at_all() -> None:
    """1/(x + y) may be closed at x = 0 or at y = 0, and not at both."""
    lines = [
        {"parameter": "x", "low": 0, "low_open": True},
        {"parameter": "y", "low": 0, "low_open": True},
        {"combine": "f", "form": "1/(x + y)"},
    ]
    assert len(replayed(lines).known("f").strict) == 1


def test_closure_reaches_the_end() -> None:
    """Smoothness with L > mu gives a fact divided by L - mu, and without the divisor it holds at L = mu."""
    lines = [
        {"parameter": "mu", "low": 0},
        {"parameter": "L", "low": "mu", "low_open": True},
        {"function": "F"},
        {"vector": "w"},
        {"point": "w", "of": "F"},
        {"hypothesis": "h", "of": "F", "points": ["x"], "form": "L*sq(x) - sq(g_x)", "grows": {"L": ["1", "x"]}},
        {"assume": "h", "hypothesis": "h", "points": ["w"]},
        {"combine": "f", "form": "(L*sq(w) - sq(g_w))", "facts": {"h": "(L - mu)/(L - mu)"}},
        {"combine": "g", "form": "(L*sq(w) - sq(g_w))", "facts": {"h": "1/(L - mu)*(L - mu)"}},
        {"combine": "h/(L - mu)", "form": "(L*sq(w) - sq(g_w))/(L - mu)", "facts": {"h": "1/(L - mu)"}},
    ]
    state = replayed(lines)
    state.line({"closure": "f at L = mu", "fact": "f", "parameter": "L"})
    assert state.known("f at L = mu").strict == frozenset()
    with pytest.raises(Underivable, match="may vanish"):
        state.line({"closure": "no", "fact": "h/(L - mu)", "parameter": "L"})


def test_an_equation_of_a_gradient_is_told() -> None:
    lines = [{"function": "F"}, {"vector": "w"}, {"point": "w", "of": "F", "equals": "w"}]
    lines.append({"combine": "f", "form": "sq(g_w) - sq(w)", "unfold": ["g_w"], "relation": "="})
    assert replayed(lines).known("f").uses == {"g_w = w"}


def test_a_number_made_of_parameters_has_a_next() -> None:
    """Its form has no vector and no value, which has a name too."""
    d = Derivation("powers")
    d.axis("t", "time")
    d.parameter("p", 0, 1, varies="t", next="p/2", first="1")
    d.define("P", "p", over="", time="t", next="P_next", over_next="", first="P_1")
    d.combine("half", "P/2 - P_next", facts={"P": "1/2", "P_next": "-1"}, relation="=")
