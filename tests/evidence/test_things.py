"""The text of declarations writes the lines that calls of the kernel write, and refuses what says nothing."""

from __future__ import annotations

import pytest

from fltheory.derivation.packs import MINIMISER, UNBIASED, suppose
from fltheory.derivation.replay import Underivable
from fltheory.derivation.script import Derivation
from fltheory.evidence.things import declare, granted


def by_text(*texts: str) -> list[dict[str, object]]:
    d = Derivation("by text")
    for text in texts:
        declare(d, text)
    return d.lines


def test_every_kind_of_piece_writes_its_line() -> None:
    d = Derivation("by calls")
    for axis, kind in (("k", "clients"), ("xi", "noise"), ("t", "time"), ("i", "steps")):
        d.axis(axis, kind)
    d.parameter("K", 1)
    d.parameter("mu", 0, low_open=True)
    d.parameter("L", "mu")
    d.parameter("eta", 0, "1/(2*L)", low_open=True, high_open=True)
    d.parameter("r", 0, "K - 1", varies="t", next="r + 1", first="0")
    d.parameter("own", -1, 1, varies="k t")
    d.parameter("V", 0, varies=[])
    d.let("b", "2*mu*V")
    d.function("F", "k")
    d.value("a", "t")
    d.vector("x")
    d.vector("star")
    d.vector("zero", [])
    d.point("x", "F")
    d.point("star", "F", mean=[["k", "0", MINIMISER]])
    d.point("zero", "F", value="f_0", gradient="g_0", equals="0*x")
    d.vector("n", "k xi t", mean=[["xi", "0", UNBIASED]])
    d.vector("y", "k xi t", equals="x - eta*(g_x + n)")
    d.vector("w", "t")
    d.vector("w1", "t", equals="w - eta*x")
    d.next("w", "w1")
    numbers = "axes k xi t i:steps; K >= 1; mu > 0; L >= mu; 0 < eta < 1/(2*L)"
    varying = (
        "0 <= r <= K - 1 over t, first 0, next r + 1; -1 <= own <= 1 over k t; V >= 0 over nothing; let b = 2*mu*V"
    )
    functions = "function F over k; value a over t; x, star; zero over nothing; F at x; F at star, mean 0 over k"
    vectors = "F at zero as f_0, g_0 = 0*x; n over k xi t, mean 0 over xi; y over k xi t = x - eta*(g_x + n); w over t"
    assert by_text(numbers, varying, functions, vectors, "w1 over t = w - eta*x; next w = w1") == d.lines


def test_names_with_one_range_are_told_together() -> None:
    assert by_text("G, V >= 0") == by_text("G >= 0; V >= 0")
    assert by_text("function F; x, y; F at x, y") == by_text("function F; x", "y; F at x; F at y")


def test_an_axis_that_an_outer_text_leaves_empty_is_none() -> None:
    assert by_text("x over ") == by_text("x over nothing")


@pytest.mark.parametrize("text", ["eta < 1", "x ovr t", "F at", "0 <= x, 1 <= 2", "mean 0 over k", "let b", "axes q"])
def test_what_declares_nothing_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="declares nothing|is none of"):
        by_text("axes t; function F", text)


def test_the_kernel_still_refuses_what_is_not_known() -> None:
    with pytest.raises(Underivable, match="eta"):
        by_text("x; y = x - eta*x")


def test_what_is_granted_is_supposed_and_taken_as_a_fact() -> None:
    one, two = Derivation("by calls"), Derivation("by granted")
    for d in (one, two):
        declare(d, "axes xi; L, V >= 0; function F; x, y; F at x, y; n over xi, mean 0 over xi")
    suppose(one, "smooth", of="F", L="L")
    one.assume("descent", "smooth", ["x", "y"])
    suppose(one, "bounded variance", name="of n", noise="n", sigma2="V")
    one.assume("of n", "of n")
    one.hypothesis("own", "V - sq(x)", over="xi")
    one.assume("a fact", "own")
    granted(two, "smooth", "x y", fact="descent", of="F", L="L")
    granted(two, "bounded variance", name="of n", noise="n", sigma2="V")
    granted(two, "own", fact="a fact", form="V - sq(x)", over="xi")
    assert one.lines == two.lines
    with pytest.raises(KeyError):
        granted(two, "no such pack")
