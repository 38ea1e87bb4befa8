"""Forged certificates of best step sizes: each is rejected."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import fltheory as fl
from fltheory.worstcase import best_verifier, verifier

Data = dict[str, Any]


@cache
def genuine() -> fl.BestStep:
    clients = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
    return fl.best_step_size(fl.FedAvg(2, 1), clients, quantities={"heterogeneity": Fraction(1, 10)})


def instances(data: Data) -> Data:
    """The first piece with Gram blocks."""
    found: Data = next(piece for piece in data["pieces"] if "blocks" in piece)
    return found


def more(text: str, by: Fraction) -> str:
    return str(Fraction(text) + by)


def _value(data: Data) -> None:
    instances(data)["value"] = more(instances(data)["value"], Fraction(1, 10**6))


def _parabolas(data: Data) -> None:
    data["pieces"][-1]["value"] = more(data["pieces"][-1]["value"], Fraction(1, 10**9))


def _wider(data: Data) -> None:
    place = data["pieces"].index(instances(data))
    low = data["pieces"][place - 1]["interval"][0]
    instances(data)["interval"][0] = low
    del data["pieces"][place - 1]


def _hole(data: Data) -> None:
    del data["pieces"][2]


def _order(data: Data) -> None:
    data["pieces"].reverse()


def _larger(data: Data) -> None:
    for blocks in instances(data)["blocks"]:
        blocks["m"][0][0] = more(blocks["m"][0][0], Fraction(1, 10))


def _indefinite(data: Data) -> None:
    instances(data)["blocks"][0]["d"][0][0] = "-1"


def _lopsided(data: Data) -> None:
    instances(data)["blocks"][0]["m"][0][1] = "1/3"


def _height(data: Data) -> None:
    register = next(iter(instances(data)["values"][0]))
    instances(data)["values"][0][register] = "100"


def _program(data: Data) -> None:
    item = next(item for item in data["program"] if item[0] == "combine")
    item[1][-1][0] = [[1, "-2"]]


def _schedule(data: Data) -> None:
    item = next(item for item in data["program"] if item[0] == "combine")
    item[1][-1][0] = [[2, "-1"]]


def _step(data: Data) -> None:
    data["step"] = "3/2"


def _bound(data: Data) -> None:
    data["upper"]["bound"]["distance"] = "1/2"


def _quantity(data: Data) -> None:
    data["quantities"]["distance"] = "1/2"


def _curvature(data: Data) -> None:
    data["pieces"][-1]["curvatures"]["clients"] = "2"


def _start(data: Data) -> None:
    data["pieces"][-1]["square"] = "2"


def _early(data: Data) -> None:
    """Parabolas of curvature L shrink before they grow: they are no tail from zero on."""
    data["pieces"] = [{**data["pieces"][-1], "interval": ["0", None]}]


def _endless(data: Data) -> None:
    """Blocks over an interval without an end."""
    instances(data)["interval"][1] = None


def _inside(data: Data) -> None:
    """An interval without an end before the last one."""
    data["pieces"][0]["interval"][1] = None


def _infinite(data: Data) -> None:
    instances(data)["blocks"] = []


def _name(data: Data) -> None:
    data["more"] = "true for all methods"


def _negative(data: Data) -> None:
    data["quantities"]["heterogeneity"] = "-1"


def _noise(data: Data) -> None:
    data["program"].append(["noise", 0])


FORGERIES = [entry for name, entry in list(globals().items()) if name.startswith("_") and callable(entry)]


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_forgeries(forge: Callable[[Data], None]) -> None:
    data = copy.deepcopy(genuine().certificate)
    assert data is not None
    forge(data)
    with pytest.raises(verifier.Rejected):
        best_verifier.verify(data)


def test_the_genuine_one() -> None:
    found = best_verifier.verify(genuine().certificate)
    assert found["below"] == genuine().lower and found["above"] == genuine().upper
    assert best_verifier.possible(found) == list(genuine().where)


def test_the_file_runs_by_itself(tmp_path: Path) -> None:
    genuine().save(tmp_path / "best.json")
    command = [sys.executable, "-I", "-S", best_verifier.__file__, str(tmp_path / "best.json")]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "accepted" in told and "every eta > 0" in told and "the eta with the least worst case lies in [1.1" in told


def test_pieces_join_where_they_touch() -> None:
    third = Fraction(1, 3)
    pieces = [(Fraction(0), third, 2), (third, 2 * third, 0), (2 * third, Fraction(1), 1), (Fraction(1), None, 1)]
    assert best_verifier.possible({"above": 1, "pieces": pieces}) == [(third, None)]
