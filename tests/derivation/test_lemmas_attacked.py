"""Attacks on applied lemmas: each derives what is false here, or what holds only under something that is not listed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from fltheory.derivation.replay import Replay, Underivable, verify
from fltheory.derivation.told import told

Line = list[Any]


def line(rule: str, name: str, **fields: Any) -> Line:
    return [rule, name, fields]


def derivation(*lines: Line, conclusion: str = "c") -> dict[str, Any]:
    return {"format": "fltheory derivation 1", "title": "t", "lines": [*lines], "conclusions": [conclusion]}


def apply(names: dict[str, str], hypotheses: dict[str, str] | None = None) -> Line:
    return line("apply", "c", lemma="l", conclusion="c", names=names, hypotheses=hypotheses or {})


def outer(inner: dict[str, Any], *lines: Line) -> dict[str, Any]:
    """The lines, with the lemma before the last one, which applies it."""
    return derivation(*lines[:-1], line("lemma", "l", derivation=inner), lines[-1])


def uses(data: dict[str, Any]) -> str:
    return "; ".join(sorted(verify(data).known("c").uses))


K = line("axis", "k", kind="clients")


def constant_near_what_varies() -> dict[str, Any]:
    """q is constant and within 1/2 of every m_k: then so near are the m_k to each other, which nothing says here."""
    hypothesis = [line("parameter", "m", low=0, varies=["k"]), line("value", "v", axes=["k"])]
    hypothesis += [line("hypothesis", "v <= m", form="m - v")]
    inner = derivation(
        K,
        *hypothesis,
        line("parameter", "q", low="m", high="m + 1/2"),
        line("assume", "v", hypothesis="v <= m"),
        line("combine", "v below q", form="q - v", facts={"v": 1}),
        line("combine", "mean of v below q", form="q - v", over=["k"], facts={"v below q": 1}),
        line("combine", "c", form="m + 1/2 - mean(v, k)", facts={"mean of v below q": 1}),
    )
    return outer(inner, K, *hypothesis, apply({"k": "k", "m": "m", "v": "v"}, {"v <= m": "v <= m"}))


def a_case_more() -> dict[str, Any]:
    """In case C the vector is twice x."""
    vectors = [line("vector", "x")]
    inner = derivation(
        line("distinction", "d", labels=["A", "B"]),
        *vectors,
        line("vector", "y", equals={"A": "x", "B": "0*x"}),
        line("combine", "in A", form="sq(x) - sq(y)", unfold=["y"], case="A"),
        line("combine", "in B", form="sq(x) - sq(y)", unfold=["y"], case="B", squares=[[1, "x"]]),
        line("cases", "in both", distinction="d", facts=["in A", "in B"]),
        line("combine", "c", form="sq(x) - sq(y)", facts={"in both": 1}),
    )
    here = [line("distinction", "d", labels=["A", "B", "C"]), *vectors]
    here += [line("vector", "y", equals={"A": "x", "B": "0*x", "C": "2*x"})]
    return outer(inner, *here, apply({"x": "x", "y": "y"}))


def letters_that_are_one() -> dict[str, Any]:
    """That every x is itself is not that all are the same."""
    inner = derivation(
        line("function", "F"),
        line("vector", "u"),
        line("vector", "v"),
        line("point", "u", of="F"),
        line("point", "v", of="F"),
        line("hypothesis", "one", form="-1*sq(x - y)", of="F", points=["x", "y"]),
        line("assume", "one", hypothesis="one", points=["u", "v"]),
        line("combine", "c", form="-1*sq(u - v)", facts={"one": 1}),
    )
    here = [line("function", "F"), line("vector", "u"), line("vector", "v")]
    here += [line("hypothesis", "itself", form="-1*sq(x - x)", of="F", points=["x", "x"])]
    return outer(inner, *here, apply({"F": "F", "u": "u", "v": "v"}, {"one": "itself"}))


def the_end_of_a_round_as_its_beginning() -> dict[str, Any]:
    """x is known before the first time, and E|y - x|^2 grows; here u is whatever the round ends with."""
    inner = derivation(
        *(line("axis", a, kind=k) for a, k in (("xi", "noise"), ("past", "past"), ("t", "time"))),
        line("parameter", "step", low=1, varies=["t"], next="step + 1"),
        line("parameter", "V", low=0),
        line("vector", "x", axes=["past"]),
        line("vector", "y", axes=["past", "t"]),
        line("vector", "n", axes=["xi", "past", "t"], mean=[["xi", "0", "unbiased"]]),
        line("vector", "y1", axes=["xi", "past", "t"], equals="y + n"),
        line("next", "y", following="y1"),
        line("hypothesis", "second moment", form="sq(n) - V", over=["xi"]),
        line("assume", "second moment", hypothesis="second moment"),
        line(
            "define", "D", form="-1*sq(y - x)", over=["past"], time="t", next="D1", over_next=["xi", "past"], first="D0"
        ),
        line("hypothesis", "start", form="-1*V - D0"),
        line("assume", "start", hypothesis="start"),
        line(
            "combine",
            "one step",
            form="D - V - D1",
            over=["xi", "past"],
            facts={"D": 1, "D1": -1, "second moment": 1},
            unfold=["y1"],
        ),
        line(
            "induction",
            "grows",
            of="D",
            bound="-1*V*step",
            index="step",
            keep=1,
            facts={"one step": 1},
            base={"start": 1},
            over=["xi", "past"],
        ),
        line("combine", "c", form="sq(y - x) - V", over=["xi", "past"], facts={"grows": 1, "D": 1}),
    )
    here = [line("axis", "A", kind="noise"), line("axis", "j", kind="steps"), line("vector", "u", axes=["A"])]
    here += [line("vector", "v", axes=["A", "j"]), line("parameter", "V", low=0)]
    return outer(inner, *here, apply({"past": "A", "t": "j", "x": "u", "y": "v", "V": "V"}))


def a_choice_that_moves() -> dict[str, Any]:
    """q is 1, and 2 at the next time: there is one time only, which nothing says."""
    inner = derivation(
        line("axis", "t", kind="time"),
        line("parameter", "q", low=0, varies=["t"], next="2*q", first="1"),
        line("parameter", "T", low=1),
        line("define", "D", form="q", over=[], time="t", next="D1", over_next=[], first="first", last="last"),
        line("choose", "q", equals=1),
        line("combine", "one more", form="D1 - D - 1", facts={"D": -1, "D1": 1}, relation="="),
        line("telescope", "sum", fact="one more", numbers=["D"], length="T"),
        line("combine", "is 1", form="D - 1", facts={"D": 1}, relation="="),
        line("combine", "is 2", form="D1 - 2", facts={"D1": 1}, relation="="),
        line("end", "first is 1", fact="is 1", of=["D"]),
        line("end", "last is 2", fact="is 2", of=["D"], last=True),
        line(
            "combine", "c", form="1 - T", over=["t"], facts={"sum": "T", "first is 1": 1, "last is 2": -1}, relation="="
        ),
    )
    return outer(inner, line("parameter", "K", low=1), apply({"T": "K"}))


REFUSED: dict[str, Callable[[], dict[str, Any]]] = {
    one.__name__: one
    for one in (
        constant_near_what_varies,
        a_case_more,
        letters_that_are_one,
        the_end_of_a_round_as_its_beginning,
        a_choice_that_moves,
    )
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_follow_is_refused(name: str) -> None:
    data = REFUSED[name]()
    for one in data["lines"]:
        if one[0] == "lemma":
            verify(one[2]["derivation"])  # it is the application that fails
    with pytest.raises(Underivable, match="apply|letters"):
        verify(data)


MADE: dict[str, tuple[list[Line], Line, str, dict[str, str], dict[str, str]]] = {
    # Every vector would be the same for all clients.
    "of a vector with fewer axes": (
        [line("vector", "n"), line("vector", "y", axes=["k"], equals="n")],
        line("combine", "c", form="-1*sq(y - mean(y, k))", over=["k"], unfold=["y"]),
        "",
        {"k": "k"},
        {},
    ),
    # Every vector would have the mean 0.
    "of a deviation": (
        [line("vector", "n", axes=["k"]), line("vector", "y", axes=["k"], equals="n - mean(n, k)")],
        line("combine", "c", form="-1*sq(mean(y, k))", over=["k"], unfold=["y"]),
        "",
        {"k": "k"},
        {},
    ),
    # Every vector would be 0.
    "with the factor 0": (
        [line("parameter", "c0", low=0, high=0), line("vector", "n"), line("vector", "y", equals="c0*n")],
        line("combine", "c", form="-1*sq(y)", squares=[["-1*c0**2", "n"]], unfold=["y"]),
        "",
        {},
        {},
    ),
    "of a vector and the same less": (
        [line("vector", "n"), line("vector", "m", equals="-n"), line("vector", "y", equals="n + m")],
        line("combine", "c", form="-1*sq(y)", unfold=["y", "m"]),
        "",
        {},
        {},
    ),
    # Every vector would be as short as a gradient of F.
    "of a gradient": (
        [line("vector", "n"), line("point", "n", of="F"), line("vector", "y", equals="g_n")],
        line("combine", "c", form="1 - sq(y)", facts={"at n": 1}, unfold=["y"]),
        "1 - sq(g_x)",
        {"F": "F"},
        {"bounded": "bounded"},
    ),
    "of a point and its gradient": (
        [line("vector", "n"), line("point", "n", of="F"), line("vector", "y", equals="n + g_n")],
        line("combine", "c", form="-1*sq(y)", facts={"at n": 1}, unfold=["y"]),
        "-1*sq(x + g_x)",
        {"F": "F"},
        {"bounded": "bounded"},
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_what_a_vector_is_made_of_is_listed(name: str) -> None:
    """A vector that the lemma makes of what is not named is not any vector."""
    lines, combined, bounded, names, known = MADE[name]
    given = [K, line("function", "F")]
    if bounded:
        given.append(line("hypothesis", "bounded", form=bounded, of="F", points=["x"]))
        lines = [*lines, line("assume", "at n", hypothesis="bounded", points=["n"])]
    here = line("vector", "v", axes=["k"] if names.get("k") else [])
    data = outer(derivation(*given, *lines, combined), *given, here, apply({"y": "v", **names}, known))
    assert "v is made as y" in uses(data)
    assert any("v is made as y" in one for one in told([data])["hypotheses"])


def test_what_the_equation_of_a_gradient_supposes_is_listed() -> None:
    """That the gradient at v vanishes is supposed; of the lemma's vector it is a definition."""
    inner = derivation(line("vector", "a", equals="0*a0"), line("combine", "c", form="-1*sq(a)", unfold=["a"]))
    inner["lines"].insert(0, line("vector", "a0"))
    here = [line("function", "F"), line("vector", "v"), line("point", "v", of="F", equals="0*v")]
    assert "g_v = 0*v" in uses(outer(inner, *here, apply({"a": "g_v", "a0": "v"})))


def two_steps() -> dict[str, Any]:
    """|y - x|^2 <= V at every time, for it is V times the step at most, and that is at most 1."""
    return derivation(
        line("axis", "past", kind="past"),
        line("axis", "t", kind="time"),
        line("parameter", "step", low=0, high=1, varies=["t"], next="step + 1"),
        line("parameter", "V", low=0),
        line("vector", "x"),
        line("vector", "y", axes=["past", "t"]),
        line("vector", "y1", axes=["past", "t"], equals="y"),
        line("next", "y", following="y1"),
        line("define", "D", form="sq(y - x)", over=["past"], time="t", next="D1", over_next=["past"], first="D0"),
        line("hypothesis", "start", form="-1*D0"),
        line("assume", "start", hypothesis="start"),
        line("combine", "one step", form="D + V - D1", over=["past"], facts={"D": 1, "D1": -1}, unfold=["y1"]),
        line(
            "induction",
            "all",
            of="D",
            bound="V*step",
            index="step",
            keep=1,
            facts={"one step": 1},
            base={"start": 1},
            over=["past"],
        ),
        line("combine", "at each", form="V - sq(y - x)", over=["past"], facts={"all": 1, "D": 1}),
        line("combine", "c", form="V - sq(y - x)", over=["past", "t"], facts={"at each": 1}),
    )


def test_how_many_times_there_are_is_listed() -> None:
    here = [line("axis", "A", kind="noise"), line("axis", "j", kind="steps"), line("parameter", "V", low=0)]
    here += [line("vector", "x"), line("vector", "y", axes=["A", "j"])]
    found = uses(outer(two_steps(), *here, apply({"past": "A", "t": "j", "x": "x", "y": "y", "V": "V"})))
    assert (
        "0 <= step <= 1" in found and "next y is as y1, where y1 = (1)*y" in found and "all j count the same" in found
    )


def test_hypotheses_of_lemmas_of_lemmas_are_told() -> None:
    number = line("parameter", "z")
    inner = derivation(
        number,
        line("hypothesis", "innocent", form="-1*z - 1"),
        line("assume", "a", hypothesis="innocent"),
        line("combine", "c", form="-1*z - 1", facts={"a": 1}),
    )
    middle = outer(inner, number, apply({"z": "z"}))
    middle["lines"][-1][1] = "there"
    middle["lines"].append(line("combine", "c", form="-1*z - 1", facts={"there": 1}))
    found = told([outer(middle, number, apply({"z": "z"}))])
    assert any("-1*z - 1 >= 0" in one for one in found["hypotheses"])
    assert found["foreign"]


def test_a_hypothesis_is_told_whatever_its_name_ends_with() -> None:
    name = "all is well at its end by continuity"
    data = derivation(
        line("parameter", "z"),
        line("hypothesis", name, form="-1*z - 1"),
        line("assume", "a", hypothesis=name),
        line("combine", "c", form="-1*z - 1", facts={"a": 1}),
    )
    assert told([data])["hypotheses"] and told([data])["foreign"] == [name]


ODD: list[Any] = [
    None,
    True,
    5,
    -1.5,
    "",
    "(",
    "lambda",
    "k",
    "f'",
    "x.y",
    "a\x00b",
    [],
    ["k"],
    [[]],
    {},
    {"k": []},
    {"": "("},
]


def test_fields_of_strange_types_are_refused() -> None:
    """Every field of the two lines, and every name in them, changed: refused as underivable, or no change of sense."""
    known = MADE["of a gradient"]
    given = [K, line("function", "F"), line("hypothesis", "bounded", form="1 - sq(g_x)", of="F", points=["x"])]
    lines = [*known[0], line("assume", "at n", hypothesis="bounded", points=["n"]), known[1]]
    here = [line("axis", "lambda", kind="clients"), *given, line("vector", "v")]
    here += [line("hypothesis", "ill", form="((", of="F", points=["x"])]
    inner = derivation(*given, *lines)
    data = outer(inner, *here, apply({"y": "v", "F": "F", "k": "k"}, {"bounded": "bounded"}))
    verify(data)

    def places(item: Any, path: tuple[Any, ...] = ()) -> Any:
        yield path
        if isinstance(item, dict | list):
            for key in item if isinstance(item, dict) else range(len(item)):
                yield from places(item[key], (*path, key))

    for position in (-2, -1):
        for path in places(data["lines"][position][2]):
            if not path or len(path) > 4:
                continue
            for odd in (*ODD, "ill"):
                changed = copy.deepcopy(data)
                whole = changed["lines"][position][2]
                for key in path[:-1]:
                    whole = whole[key]
                whole[path[-1]] = odd
                try:
                    verify(changed)
                except Underivable:
                    pass


@pytest.mark.parametrize("depth", [20, 60, 120, 220])
def test_lemmas_in_lemmas_end(depth: int) -> None:
    data = derivation(line("parameter", "z", low=0), line("combine", "c", form="z"))
    for _ in range(depth):
        data = derivation(
            line("parameter", "z", low=0), line("lemma", "l", derivation=data), line("combine", "c", form="z")
        )
    try:
        assert isinstance(verify(data), Replay)
    except Underivable:
        assert depth > 20


def test_lines_of_lemmas_are_lines() -> None:
    """Each line may take its time, so that a derivation of lemmas would take for ever."""
    inner = derivation(*(line("parameter", f"z{n}") for n in range(300)), line("combine", "c", form="1"))
    data = derivation(*(line("lemma", f"l{n}", derivation=inner) for n in range(3)), line("combine", "c", form="1"))
    verify(data)
    data["lines"].insert(0, line("lemma", "one more", derivation=inner))
    with pytest.raises(Underivable, match="more than"):
        verify(data)


def test_what_is_made_of_many_things_ends() -> None:
    """Each vector is made of the two before it: to look at every way would take for ever."""
    many = [line("vector", f"b{n}", equals=f"b{n - 1} + b{n - 2}") for n in range(2, 60)]
    many = [line("vector", "x"), line("vector", "b0", equals="x"), line("vector", "b1", equals="b0 + x"), *many]
    inner = derivation(*many, line("vector", "y", equals="b59"), line("combine", "c", form="sq(y)", squares=[[1, "y"]]))
    with pytest.raises(Underivable):
        verify(outer(inner, line("vector", "v"), line("vector", "x"), apply({"y": "v", "x": "x"})))
