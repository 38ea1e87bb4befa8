"""Mutants of small sources: what each operator changes, what none touches, and the draw by a seed."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from benchmarks.mutation.mutants import Mutant, all_mutants, draw, mutants_of
from benchmarks.mutation.places import FOLDERS, GROUPS, ROOT, group_of, sources

PATH = "fltheory/problems/small.py"


def changes(source: str) -> set[tuple[str, str]]:
    """Operator and the line after, of all mutants; each is a program that reads differently."""
    text = source.encode()
    found = mutants_of(PATH, text)
    for mutant in found:
        mutated = mutant.applied(text)
        assert ast.dump(ast.parse(mutated)) != ast.dump(ast.parse(text)), mutant
    assert len({mutant.name for mutant in found}) == len(found)
    return {(mutant.operator, mutant.after) for mutant in found}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a < b", {("comparison", "a <= b")}),
        ("a >= b", {("comparison", "a > b")}),
        ("a <= b == c", {("comparison", "a < b == c"), ("comparison", "a <= b != c")}),
        ("a is not b", {("comparison", "a is b")}),
        ("a not in b", {("comparison", "a in b")}),
        ("(a) + (b)", {("plus and minus", "(a) - (b)")}),
        ("a - -b", {("plus and minus", "a + -b"), ("sign", "a - b")}),
        ("a * b / c", {("times and divided by", "a / b / c"), ("times and divided by", "a * b * c")}),
        ("a += b", {("plus and minus", "a -= b"), ("statement", "pass")}),
        ("x[0]", {("zero and one", "x[1]")}),
        ("x[1]", {("zero and one", "x[0]"), ("number", "x[2]")}),
        ("a * 2.5", {("times and divided by", "a / 2.5"), ("number", "a * 3.5")}),
        ("a and b or c", {("and and or", "((a and b) and (c))"), ("and and or", "((a) or (b)) or c")}),
        ("x = not a", {("not", "x = a")}),
        ("a if b else c", {("condition", "a if (not (b)) else c")}),
        ("[a for a in b if c]", {("condition", "[a for a in b if (not (c))]")}),
        ("a @ b @ c", {("product", "b @ a @ c"), ("product", "c @ (a @ b)")}),
        ("x = min(a, b)", {("min and max", "x = max(a, b)")}),
        ("x = np.maximum(a, b)", {("min and max", "x = np.minimum(a, b)")}),
        ("x = a.max(axis=b)", {("min and max", "x = a.min(axis=b)"), ("keyword", "x = a.max()")}),
        ("f(a, key=b)", {("keyword", "f(a)"), ("statement", "pass")}),
    ],
)
def test_what_becomes_of_a_line(line: str, expected: set[tuple[str, str]]) -> None:
    assert changes(f"{line}\n") == expected


def test_what_becomes_of_a_function() -> None:
    source = "def f(a, b=1) -> float:\n    if a:\n        raise ValueError('no', 1 + 1)\n    return a\n"
    assert changes(source) == {
        ("zero and one", "def f(a, b=0) -> float:"),
        ("number", "def f(a, b=2) -> float:"),
        ("condition", "if (not (a)):"),
        ("statement", "pass"),
        ("return dropped", "return None"),
        ("return negated", "return -(a)"),
    }
    assert ("return negated", "return -(a)") not in changes("def f(a) -> str:\n    return a\n")


def test_only_names_that_are_bound_again_lose_a_binding() -> None:
    twice = "def f(a):\n    b = a\n    b = g\n    c = h\n    self.d = a\n"
    assert [mutant.before for mutant in mutants_of(PATH, twice.encode())] == ["b = a", "b = g", "self.d = a"]


@pytest.mark.parametrize(
    "source",
    [
        '"""A text with 1 + 1."""\n',
        "from a import b\n",
        '__all__ = ["a"][0:1]\n',
        "x: Literal[1]\n",
        "def f(a: Array[1]) -> Shape[0]: ...\n",
        "@kernel(cache=True, level=1)\ndef f(): ...\n",
        "if TYPE_CHECKING:\n    from a import b\n    x = 1\n",
        'if __name__ == "__main__":\n    main(1)\n',
        'T = TypeVar("T", bound=int)\n',
        'x = f"{a + 1} and {b[0]}"\n',
        'x = "a" + b\n',
        'x = folder / "name"\n',
    ],
)
def test_what_is_no_behaviour_is_left_alone(source: str) -> None:
    assert changes(source) == set()


def test_functions_are_named_as_python_does() -> None:
    source = """
class A:
    b: int = 0

    def c(self, d=0):
        def e():
            return lambda: g(0)

def h():
    return 0
"""
    assert [mutant.function for mutant in mutants_of(PATH, source.encode()) if mutant.operator == "zero and one"] == [
        "A",
        "A.c",
        "A.c",
        "h",
    ]


def test_names_of_mutants_do_not_hang_on_other_lines() -> None:
    one = {mutant.name for mutant in mutants_of(PATH, b"def f():\n    return g(0)\n")}
    moved = {mutant.name for mutant in mutants_of(PATH, b"import os\n\n\ndef f():\n    return g(0)\n\n\nx = 1\n")}
    assert one < moved
    twice = mutants_of(PATH, b"def f():\n    g(0)\n    g(0)\n")
    assert Counter(mutant.place for mutant in twice) == {0: 2, 1: 2}


def test_text_outside_of_ascii_moves_no_edit() -> None:
    source = 'x = "Größe – §", a < b\n'
    assert changes(source) == {("comparison", 'x = "Größe – §", a <= b')}


@pytest.fixture(scope="module")
def every() -> dict[str, list[Mutant]]:
    return all_mutants()


def test_each_group_has_mutants_of_its_own_files(every: dict[str, list[Mutant]]) -> None:
    assert set(every) == set(GROUPS)
    for group, mutants in every.items():
        assert len(mutants) > 100 and {mutant.group for mutant in mutants} == {group}
    assert {mutant.path for mutant in every["worstcase/verifier"]} == {"fltheory/worstcase/verifier.py"}
    assert {group_of(name) for name in sources()} == set(GROUPS)
    assert group_of("fltheory/workers.py") == "evidence" and set(FOLDERS) < set(GROUPS)


def test_the_draw_is_that_of_its_seed(every: dict[str, list[Mutant]]) -> None:
    first, more, other = draw(every, 40, 0), draw(every, 80, 0), draw(every, 40, 1)
    assert more[:40] == first and len({mutant.name for mutant in more}) == 80 and other != first
    assert Counter(mutant.group for mutant in first) == dict.fromkeys(GROUPS, 5)
    without = {group: mutants for group, mutants in every.items() if group != "readings"}
    assert [mutant for mutant in draw(without, 35, 0)] == [mutant for mutant in first if mutant.group != "readings"]
    everything = draw({"evidence": every["evidence"][:7]}, 100, 3)
    assert sorted(mutant.name for mutant in everything) == sorted(mutant.name for mutant in every["evidence"][:7])


def test_mutants_of_the_package_are_programs(every: dict[str, list[Mutant]]) -> None:
    texts = {name: path.read_bytes() for name, path in sources(ROOT).items()}
    for mutant in draw(every, 40, 7):
        mutated = mutant.applied(texts[mutant.path])
        assert ast.dump(ast.parse(mutated)) != ast.dump(ast.parse(texts[mutant.path])), mutant
