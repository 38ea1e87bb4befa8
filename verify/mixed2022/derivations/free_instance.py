"""An exact instance of a listing: what it leaves free has values that coincide nowhere, what it says is computed from them."""

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from fltheory.derivation.finite import FiniteInstance
from fltheory.derivation.replay import unpacked
from fltheory.derivation.witness import Evaluation

WEIGHTS = {0: Fraction(1, 3), 1: Fraction(2, 3)}


class FreeInstance(Evaluation):
    """Two steps, two clients of weights 1/3 and 2/3; a point is where its steps lead from x, a change the way to the last point.

    ``own``: values by name: a number, a list along the steps, or those of each client by its name.
    """

    def __init__(self, lines: Sequence[Any], own: Mapping[str, Any]) -> None:
        every = [unpacked(line) for line in lines]
        self.own = {"K": 2, "T": 2, "z": 1, **own}
        self.total = int(self.own["T"])
        self.numbers = {line["parameter"] for line in every if "parameter" in line}
        self.after = {line["next"]: line["following"] for line in every if "following" in line}
        forms = [re.fullmatch(r"dot\((\w+), z\) - (\w+)_last.*", str(line.get("form"))) for line in every]
        self.changes = {found[1]: found[2].lower() for found in forms if found}
        pairs = [re.fullmatch(r"(\w+) - (\w+)", str(line.get("form"))) for line in every if line.get("relation") == "="]
        self.same = {found[1]: found[2] for found in pairs if found}
        self.free: list[str] = []
        times = {i: Fraction(1, self.total) for i in range(self.total)}
        known = {"time": times, "clients": WEIGHTS}
        axes = {line["axis"]: known[line["kind"]] for line in every if "axis" in line}
        super().__init__(every, FiniteInstance(axes, {}))

    def make(self, name: str, axes: Sequence[str], function: Callable[[Any], Any], late: bool = False) -> None:
        super().make(name, axes, self.chosen(name) if function == self.nowhere else function, late)

    def chosen(self, name: str) -> Callable[[Any], Any]:
        if name in self.after:
            return lambda p: self.made["x" if p["t"] == 0 else self.after[name]]({**p, "t": p["t"] - 1})
        if name in self.same:
            return lambda p: self.made[self.same[name]](p)
        if name in self.changes and name not in self.own:
            return lambda p: self.change(self.changes[name])
        self.free.append(name)
        place = len(self.free)

        def value(p: Any) -> Any:
            item = self.own.get(name)
            if item is None and name in self.numbers:
                return Fraction(1, place + 1)
            item = (13 * place + 5 * p.get("k", 0) + 3 * p.get("t", 0)) % 17 + 1 if item is None else item
            for axis in ("k", "t"):
                item = item[p[axis]] if isinstance(item, dict if axis == "k" else list) else item
            return Fraction(item) if name in self.numbers else (Fraction(item),)

        return value

    def change(self, point: str) -> Any:
        """From x to the last point, averaged over the clients."""
        over = ["k"] if "k" in self.made[point].axes else []
        return self.space.average(self.space.read(f"{point} - x"), over)({"t": self.total})

    @property
    def words(self) -> str:
        """The values that were used."""
        values = {}
        for name in self.free:
            axes, known = self.made[name].axes, sorted(self.made[name].values.items(), key=str)
            used = [value for place, value in known if "t" not in axes or place[-1] != self.total]
            values[name] = ", ".join(str(one[0] if isinstance(one, tuple) else one) for one in used)
        shown = {name: each for name, each in values.items() if each and name != "z"}
        return ", ".join(f"{name} = ({each})" if ", " in each else f"{name} = {each}" for name, each in shown.items())
