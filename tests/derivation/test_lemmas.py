"""A derivation as a lemma of another one: what it says is said of what its names stand for, and only where it holds."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from fltheory.derivation.instances import Witnesses
from fltheory.derivation.packs import foreign, suppose
from fltheory.derivation.replay import Underivable, verify
from fltheory.derivation.script import Derivation
from fltheory.derivation.told import told
from fltheory.theory.mixed2022 import parallel
from verify.mixed2022 import derivations
from verify.mixed2022.derivations.one_side import DRIFT, drift_of_a_side

NAMES = {"past": "xi", "t": "j", "L": "2*beta", "V": "s", "eta": "e/K", "F": "f", "x": "u", "y": "v"}


def lemma(more: Callable[[Derivation], None] = lambda d: None, conclusion: str = "lemma") -> Any:
    """Of a point y at each time and in each past, and of a descent at x."""
    d = Derivation("a lemma")
    for axis, kind in (("xi", "noise"), ("past", "past"), ("t", "time")):
        d.axis(axis, kind)
    d.parameter("L", 0, low_open=True)
    d.parameter("eta", 0, "1/L")
    d.parameter("V", 0)
    d.function("F")
    d.vector("x")
    d.vector("y", "past t")
    d.vector("n", "xi past t", mean=[["xi", "0", "unbiased"]])
    d.vector("y1", "xi past t", equals="y - eta*n")
    d.next("y", "y1")
    for point in ("x", "y"):
        d.point(point, "F")
    suppose(d, "smooth", of="F", L="L")
    suppose(d, "bounded variance", sigma2="V", noise="n")
    d.assume("variance", "bounded variance")
    d.assume("smooth", "smooth", ["x", "y"])
    facts = {"smooth": "1", "variance": "eta**2"}
    target = "f_x + dot(g_x, y - x) + L/2*sq(y - x) - f_y + eta**2*V"
    d.combine("before", target, over="xi past t", facts=facts, squares=[["eta**2", "n"]])
    d.combine("lemma", target, over="past t", facts={"smooth": "1"}, squares=[], relation=">=")
    more(d)
    return d.concluding(conclusion)


def outer(inner: Any, curvature: str = "2*beta", of: str = "f", top: str = "1/(2*beta)") -> Derivation:
    d = Derivation("a round")
    for axis, kind in (("j", "steps"), ("i", "steps"), ("xi", "noise"), ("past", "past"), ("k", "clients")):
        d.axis(axis, kind)
    d.parameter("beta", 0, low_open=True)
    d.parameter("K", 1)
    d.parameter("e", 0, top)
    d.parameter("s", 0)
    d.parameter("moving", 0, varies="j")
    for function in ("f", "h"):
        d.function(function)
    d.vector("u", "past")
    d.vector("v", "k j xi past")
    d.vector("stepwise", "j")
    for point in ("u", "v"):
        d.point(point, "f", value=f"at_{point}", gradient=f"slope_{point}")
    d.hypothesis("curved", f"f_x + dot(g_x, y - x) + {curvature}/2*sq(y - x) - f_y", of=of, points=["x", "y"])
    d.lemma("the lemma", inner)
    return d


def applied(d: Derivation, hypotheses: dict[str, str] | None = None, **names: str) -> None:
    known = {"smooth": "curved"} if hypotheses is None else hypotheses
    given = {own: here for own, here in {**NAMES, **names}.items() if here}
    d.apply("here", "the lemma", "lemma", names=given, hypotheses=known)


def test_a_lemma_says_what_it_says_of_what_its_names_stand_for() -> None:
    d = outer(lemma())
    applied(d)
    fact = d.state.known("here")
    assert fact.over == {"xi", "j"} and fact.relation == ">="
    assert "curved" in fact.uses and not any("here: smooth" in one for one in fact.uses)
    assert any(one.endswith("at every k, past") for one in fact.uses)
    target = "at_u + dot(slope_u, v - u) + beta*sq(v - u) - at_v + (e/K)**2*s"
    d.combine("the same", target, over="j xi", facts={"here": "1"}, relation=">=")
    data = d.concluding("the same")
    verify(data)
    assert "the lemma" in " ".join(told([data])["hypotheses"])  # type: ignore[arg-type]
    found = Witnesses()(data["lines"])  # type: ignore[arg-type]
    assert not found.broken and not found.false


def test_what_is_not_discharged_is_supposed() -> None:
    d = outer(lemma())
    applied(d, {})
    assert "here: smooth" in d.state.known("here").uses


CHANGED: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "a step outside the lemma's range": ({"eta": "2*e/K"}, {}),
    "another constant of smoothness in the lemma": ({"L": "beta"}, {}),
    "a premise that differs in one number": ({}, {"curvature": "3*beta"}),
    "a premise of another function": ({}, {"of": "h"}),
    "another function": ({"F": "h"}, {}),
    "a range that is larger here": ({}, {"top": "1/beta"}),
    "a number that may be negative": ({"V": "-1*s"}, {}),
    "two axes that are one": ({"t": "xi"}, {}),
    "a time that is a client": ({"t": "k"}, {}),
    "a past that is the past of rounds": ({"past": "past"}, {}),
    "a fixed point that moves": ({"x": "stepwise"}, {}),
    "a number that moves": ({"V": "moving"}, {}),
    "an axis that is not said": ({"t": ""}, {}),
    "a vector that is not said": ({"x": ""}, {}),
    "a vector that the lemma makes": ({"y1": "v"}, {}),
    "a gradient beside its point": ({"g_x": "slope_u"}, {}),
    "a noise that has mean zero there": ({"n": "v", "xi": "i"}, {}),
    "a name that the lemma does not have": ({"w": "v"}, {}),
}


@pytest.mark.parametrize("name", CHANGED)
def test_an_application_that_does_not_fit_is_refused(name: str) -> None:
    names, others = CHANGED[name]
    d = outer(lemma(), **others)
    with pytest.raises(Underivable):
        applied(d, **names)


def test_a_letter_of_a_premise_is_not_captured() -> None:
    """The lemma's z is a vector of its own; here it stands for one that is named as the letter of a hypothesis."""
    inner = Derivation("capture")
    inner.function("F")
    for name in ("z", "w"):
        inner.vector(name)
    inner.point("w", "F")
    inner.hypothesis("bounded", "sq(z) - sq(g_y)", of="F", points=["y"])
    inner.assume("at w", "bounded", ["w"])
    inner.combine("lemma", "sq(z) - sq(g_w)", facts={"at w": "1"})
    d = Derivation("a round")
    d.function("F")
    for name in ("x", "w"):
        d.vector(name)
    d.point("w", "F")
    d.hypothesis("growth", "sq(x) - sq(g_x)", of="F", points=["x"])  # at every x, and not for one x
    d.lemma("the lemma", inner.concluding("lemma"))
    with pytest.raises(Underivable, match="letters"):
        d.apply("here", "the lemma", "lemma", names={"F": "F", "z": "x", "w": "w"}, hypotheses={"bounded": "growth"})


def empty_range(d: Derivation) -> None:
    d.parameter("q", "V", 5)


def falling(d: Derivation) -> None:
    d.parameter("power", 0, 1, varies="t", next="2*power", first="1")


def known_gradient(d: Derivation) -> None:
    d.function("H")
    d.point("x", "H", value="h_x", gradient="gh_x", equals="0*x")


@pytest.mark.parametrize("more", [empty_range, falling, known_gradient])
def test_what_a_lemma_supposes_without_saying_it_is_refused(more: Callable[[Derivation], None]) -> None:
    """An empty range bounds other numbers, a power that leaves its range bounds the times, an optimum is one."""
    d = outer(lemma(more))
    with pytest.raises(Underivable):
        applied(d)


def test_only_conclusions_are_applied_and_only_proved_ones() -> None:
    d = outer(lemma())
    for conclusion in ("before", "smooth", "nothing"):
        with pytest.raises(Underivable, match="concludes no"):
            d.apply("here", "the lemma", conclusion, names=NAMES)
    with pytest.raises(Underivable, match="concludes no"):
        d.apply("here", "the round itself", "here", names=NAMES)
    with pytest.raises(Underivable, match="already"):
        d.lemma("the lemma", lemma())
    false = copy.deepcopy(lemma())
    false["lines"][-1][2]["form"] = "-1*sq(x) - 1"
    with pytest.raises(Underivable):
        d.lemma("a false one", false)
    for strange in (None, {}, [], {**lemma(), "lines": 5}, {**lemma(), "format": "another"}):
        with pytest.raises((Underivable, TypeError, KeyError)):
            d.lemma("strange", strange)


def test_both_sides_of_a_round_drift_by_one_lemma() -> None:
    """The lemma has known hypotheses only; where one side's step is as long again the round does not follow."""
    for convex in (True, False):
        data = drift_of_a_side(convex=convex)
        assert foreign(data["lines"]) == [] and data["conclusions"] == [DRIFT]  # type: ignore[arg-type]
    data = derivations.parallel_recursion(parallel.CONVEX_RECURSION, "1/8")
    verify(data)
    applications = [line for line in data["lines"] if line[0] == "apply"]  # type: ignore[union-attr,index]
    assert [line[2]["names"]["h"] for line in applications] == ["ff", "fc"]  # type: ignore[index,call-overload]
    for key, longer in (("eta", "32*e/K"), ("V", "2*V"), ("b", "gc_x")):
        changed = copy.deepcopy(data)
        next(line for line in changed["lines"] if line[0] == "apply")[2]["names"][key] = longer  # type: ignore[index,union-attr,call-overload]
        with pytest.raises(Underivable):
            verify(changed)


def exponentials(square: str = "1/2") -> Derivation:
    d = Derivation("exponentials")
    d.parameter("x", 0, 1)
    for name in ("h", "z"):
        d.parameter(name, 0, low_open=True)
    for name, value, exponent in (("one", "1", "0"), ("h", "h", "1/4"), ("square", "h**2", square), ("z", "z", "x")):
        d.exponential(name, value, exponent)
    return d


def test_an_exponential_is_told_but_for_powers_of_one_that_is() -> None:
    d = exponentials()
    d.tangent("above 1", above="square", at="one")
    d.tangent("below", above="one", at="z")
    assert d.state.known("above 1").uses == {"h = exp((1/4))"} and d.state.known("below").uses == {"z = exp(x)"}
    d.combine("exp(1/2) >= 3/2", "h**2 - 3/2", facts={"above 1": "1"})
    with pytest.raises(Underivable):
        d.combine("too much", "h**2 - 8/5", facts={"above 1": "1"})
    with pytest.raises(Underivable):
        d.combine("upside down", "3/2 - h**2", facts={"above 1": "1"})
    other = exponentials("3/4")
    other.tangent("above 1", above="square", at="one")
    assert any(one.startswith("h**2 = exp(") for one in other.state.known("above 1").uses)


def test_an_exponential_is_positive_and_has_a_name() -> None:
    d = exponentials()
    with pytest.raises(Underivable, match="nonnegative"):
        d.exponential("may vanish", "x", "x")
    with pytest.raises(Underivable, match="already"):
        d.exponential("h", "z", "x")
    with pytest.raises(Underivable, match="no exponentials"):
        d.tangent("of what", above="h", at="nothing")
