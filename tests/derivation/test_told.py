"""What derivations say of themselves: hypotheses in words, ranges, the displays that they pass through."""

from __future__ import annotations

from string import Formatter
from typing import Any

import pytest

from fltheory.derivation.packs import PACKS, suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.told import WORDS, told


def descent(*, convex: bool = False, top: str = "1/L", then: bool = False, size: str = "1") -> dict[str, Any]:
    """A gradient step lowers an L-smooth F by ``size`` eta/2 |grad F|^2; ``then``: half of that, as its consequence."""
    d = Derivation("a step")
    d.axis("k", "clients")
    d.parameter("L", 0, low_open=True)
    d.parameter("eta", 0, top)
    d.parameter("unused", 3)
    d.function("F", "k")
    d.vector("w", "k", latex="w_0" if then else "w")
    d.point("w", "F")
    d.vector("w1", "k", equals="w - eta*g_w")
    d.point("w1", "F")
    suppose(d, "smooth", of="F", L="L")
    if convex:
        suppose(d, "convex", of="F")
        d.assume("below", "convex", ["w", "w1"])
    d.hypothesis("eta is small", "1 - 2*eta*L")
    d.assume("small", "eta is small")
    d.assume("descent", "smooth", ["w", "w1"])
    facts: dict[str, str] = {"descent": "1", **({"below": "0"} if convex else {})}
    squares = [[f"eta*(1 - eta*L/2) - {size}*eta/2", "g_w"]]
    d.combine("lower", f"f_w - f_w1 - {size}*eta/2*sq(g_w)", facts=facts, squares=squares, unfold="w1")
    if then:
        d.combine("half", "f_w - f_w1 - eta/4*sq(g_w)", facts={"lower": "1"}, squares=[["eta/4", "g_w"]])
    d.combine("nothing", "sq(w) - sq(w)", relation="=")
    return d.concluding("half" if then else "lower", "nothing")


def signs(texts: list[str]) -> set[str]:
    return {text.split(" ")[0] for text in texts}


def test_hypotheses_and_ranges_are_those_that_are_used() -> None:
    found = told([descent()])
    assert found["hypotheses"] == ["every F_k is L-smooth"] and found["foreign"] == []
    assert found["valid_for"] == "every dimension, every number of clients with any weights, 0 < L, 0 <= eta <= 1/L"
    assert told([descent(convex=True)])["hypotheses"] == ["every F_k is L-smooth", "every F_k is convex"]
    assert told([descent(top="1/(2*L)")])["valid_for"].endswith("0 <= eta <= 1/(2*L)")


def test_what_no_pack_has_is_told_as_it_is_written() -> None:
    data = descent()
    data["conclusions"] = ["small"]
    found = told([dict(data)])
    assert found["foreign"] == ["eta is small"]
    assert found["hypotheses"] == ["eta is small: 1 - 2*eta*L >= 0"]


def test_who_wrote_a_derivation_and_who_replays_it_are_told_the_same() -> None:
    data = descent(then=True)
    assert told([data]) == told([dict(data)])
    parts = told([data, data, descent(top="1/(2*L)")])
    assert parts["valid_for"].count(";") == 1 and parts["hypotheses"] == ["every F_k is L-smooth"]


def test_a_derivation_passes_through_the_displays_on_which_it_rests() -> None:
    lower, half = told([descent()]), told([descent(then=True, top="1/(2*L)")])
    assert [text.split(" ", 1)[1] for text in half["displays"]] == ["lower"]
    assert signs(half["displays"]) == signs(lower["concludes"])  # ranges and letters for print are no part of a display
    assert lower["displays"] == []
    # Another number, or another class of functions, is another display; that 0 = 0 is none.
    assert not signs(told([descent(size="1/2")])["concludes"]) & signs(lower["concludes"])
    assert not signs(told([descent(convex=True)])["concludes"]) & signs(lower["concludes"])
    assert len(lower["concludes"]) == 1


@pytest.mark.parametrize("pack", PACKS)
def test_every_pack_has_words_with_names_of_its_own(pack: str) -> None:
    def names(text: object) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(str(text)) if name}

    assert names(WORDS[pack]) <= names(PACKS[pack]["form"]) | {"of"}


def test_ranges_of_what_a_conclusion_is_made_of_are_told() -> None:
    """That earlier steps are smaller is used for a bound of a move, which does not name them."""
    d = Derivation("a move")
    d.axis("j", "steps")
    d.parameter("first", 0)
    d.parameter("G", 0)
    d.parameter("step", 0, "first", varies=["j"])
    d.vector("g", "j")
    d.vector("move", "j", equals="step*g")
    d.hypothesis("bounded", "G - sq(g)", over=["j"])
    d.hypothesis("bounded everywhere", "G - sq(g)")
    d.assume("small", "bounded everywhere")
    d.assume("small on average", "bounded")
    d.combine("moved", "first**2*G - sq(move)", facts={"small": "step**2"}, unfold="move")
    found = told([d.concluding("moved", "small on average")])
    assert "0 <= step <= first" in found["valid_for"]
    assert "bounded: G - sq(g) >= 0 on average over j" in found["hypotheses"]
