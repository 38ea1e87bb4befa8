"""The answer of ``lyapunov``: a function of the state that shrinks in every round, and the theorem that follows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.problems.base import check_count
from fltheory.readings.arrays import participation_of
from fltheory.readings.gram import Program
from fltheory.tables import WIDEST, Framed, cut, html_list
from fltheory.worstcase import certificate, lyapunov_verifier, verifier
from fltheory.worstcase.arguments import check_quantities
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.decimals import as_float, power_bounds, upward
from fltheory.worstcase.functional import Functional
from fltheory.worstcase.lyapunov_round import free_round
from fltheory.worstcase.model import Model
from fltheory.worstcase.sampling import shares
from fltheory.worstcase.space import Shares

#: The longest power of a rate that is computed exactly.
EXACT_BITS = 2**17


@dataclass(frozen=True)
class LyapunovBound(Framed):
    """The answer of :func:`lyapunov`: ``V_R <= rho^R V_0 + (1 + rho + ... + rho^(R-1)) sum_q b_q q`` for every R.

    Attributes
    ----------
    status : ``"certified"``, or why there is nothing.
    rho : the rate, an exact rational; ``None`` where nothing was certified (all mappings are empty then).
    V : the factors of V's terms, by names in words of the state; ``V >= |w - w*|^2``.
    factors : ``b_q`` by quantity: ``heterogeneity`` (of ``zeta^2``), ``noise`` (of ``sigma^2``), ...; each sum of a round.
    start : ``{quantity: factor}`` with ``V_0 <= sum factor * quantity`` at the method's own start, ``"distance"`` being that of
        the first model; ``None`` where nothing bounds it.
    words : the theorem in sentences, written by the verifier from the certificate.
    certificate : JSON data that :mod:`fltheory.worstcase.lyapunov_verifier` accepts.
    quadratics : a rate that no such function can beat, from quadratics, in floats; NaN where it was not asked for.
    curve : pairs of a rate and of the floor that the search found there, in floats: no claim.
    """

    status: str
    rho: Fraction | None = None
    V: Mapping[str, Fraction] = None  # type: ignore[assignment]
    factors: Mapping[str, Fraction] = None  # type: ignore[assignment]
    start: Mapping[str, Fraction] | None = None
    words: tuple[str, ...] = ()
    certificate: dict[str, Any] | None = None
    quadratics: float = math.nan
    curve: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        for name in ("V", "factors"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, {})

    @property
    def floor(self) -> dict[str, Fraction]:
        """``b_q/(1 - rho)``: what ``|w_R - w*|^2`` comes down to in the long run, by quantity.

        Raises
        ------
        ValueError : no certificate, or a rate that is not below one.
        """
        rho = self._certified()
        if rho >= 1:
            raise ValueError(f"rho={rho} is not below one: there is no floor")
        return {name: factor / (1 - rho) for name, factor in self.factors.items()}

    def after(self, rounds: int) -> dict[str, Fraction]:
        """``{quantity: factor}`` with ``|w_R - w*|^2 <= sum factor * quantity`` after ``rounds`` rounds from the start.

        Exact where ``rho^rounds`` is short, rounded up where it has more than ``EXACT_BITS`` bits.

        Raises
        ------
        ValueError : no certificate; nothing bounds V at the start; so many rounds of a rate above one that the bound is beyond
            2^65536.
        """
        rho, rounds = self._certified(), check_count("rounds", rounds)
        if self.start is None:
            raise ValueError("start=None: nothing that is assumed bounds V at the start")
        if rho == 1 or rounds * max(rho.numerator.bit_length(), rho.denominator.bit_length()) <= EXACT_BITS:
            least = power = Fraction(1) if rho == 1 else rho**rounds
        else:
            try:
                least, power = power_bounds(rho, rounds)
            except ValueError as error:
                raise ValueError(
                    f"rounds={rounds} with rho={upward(rho)} > 1: {error}; expected fewer rounds"
                ) from None
        total = {name: power * factor for name, factor in self.start.items()}
        summed = Fraction(rounds) if rho == 1 else (1 - (least if rho < 1 else power)) / (1 - rho)
        for name, factor in self.factors.items():
            total[name] = total.get(name, Fraction(0)) + summed * factor
        return total

    def bound(self, rounds: int, quantities: Mapping[str, object] | None = None) -> Fraction:
        """The bound of ``|w_R - w*|^2`` after ``rounds`` rounds, at quantities that are 1 where none is given."""
        factors = self.after(rounds)
        given = check_quantities(factors, quantities)
        return sum((factor * given[name] for name, factor in factors.items()), Fraction(0))

    def matches(
        self,
        algorithm: Algorithm,
        *,
        noise: bool = False,
        centre_noise: bool = False,
        n_clients: int | None = None,
    ) -> bool:
        """Whether the certificate speaks of this algorithm: its programs, leaves, their names and the scheme are derived anew."""
        self._certified()
        data: Any = self.certificate
        kept = shares(participation_of(algorithm), n_clients, noisy=noise)
        free = free_round(algorithm, kept, noisy=noise, noisy_centre=centre_noise, n_clients=n_clients)
        if free.step.relative:
            kept = shares(participation_of(algorithm), n_clients, noisy=True)
        variances = [
            {"inner": [["1", e, e], [str(-omega), v, v]], "values": [], "bound": None, "scale": "1"}
            for e, omega, v in free.step.relative
        ]
        own = [item for item in data["step"]["assumptions"] if item["bound"] is None]
        if not free.parts and own != variances:
            return False
        wanted = {"step": free.step, "floor": free.begin, "start": free.start}
        for name, made in wanted.items():
            if name in data:
                part, expected = data[name], _statement(made, kept)
                length = expected["method_length"]
                if part["program"][:length] != expected["program"] or part["method_length"] != length:
                    return False
                if part["shares"] != expected["shares"]:
                    return False
        keys = ("name", "given", "before", "after", "start")
        leaves = [tuple(leaf[key] for key in keys) for leaf in data["leaves"]]
        named = [(leaf.name, leaf.given) for leaf in free.leaves]
        states = zip(named, *free.step.states, free.start.states[0], strict=True)
        rebuilt = [(*first, before, after, begun) for first, before, after, begun in states]
        split = [[register, list(listed)] for register, listed in free.parts]
        return bool(leaves == rebuilt and data["model"] == free.step.models[0] and data.get("parts", []) == split)

    def save(self, path: str | Path) -> None:
        """Write the certificate, whole or not at all."""
        self._certified()
        assert self.certificate is not None
        certificate.save(self.certificate, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> LyapunovBound:
        """The theorem of a saved certificate.

        Raises
        ------
        ValueError : the file is no certificate, or the verifier rejects it.
        OSError : there is no such file.
        """
        try:
            return cls.of(verifier.read(Path(path)))
        except (verifier.Rejected, ValueError) as error:
            raise ValueError(f"path={Path(path).name!r}: {error}") from None

    @classmethod
    def of(cls, data: dict[str, Any], **more: Any) -> LyapunovBound:
        """What a certificate proves; whatever is said here is the verifier's.

        Raises
        ------
        verifier.Rejected : it proves nothing.
        """
        proved: dict[str, Any] = lyapunov_verifier.verify(data)  # type: ignore[no-untyped-call]
        return cls(
            "certified",
            proved["rho"],
            proved["terms"],
            proved["factors"],
            proved["start"],
            proved["words"],
            data,
            **more,
        )

    def _certified(self) -> Fraction:
        if self.rho is None:
            raise ValueError(f"status={self.status!r}: there is no certificate")
        return self.rho

    def lines(self) -> list[str]:
        """The theorem, its floor, and what quadratics say."""
        if self.rho is None:
            found = [f"no Lyapunov function: {self.status}"]
        else:
            found = list(self.words)
            if self.rho < 1 and any(self.factors.values()):
                terms = " + ".join(
                    f"{upward(factor)} {lyapunov_verifier.MEANINGS[name]}"
                    for name, factor in self.floor.items()
                    if factor
                )
                mean = "E " if self.words[0].startswith("E ") else ""
                found.insert(1, f"in the long run {mean}|w_R - w*|^2 comes down to at most {terms}")
        if not math.isnan(self.quadratics):
            found.append(f"on quadratics the rate is {self.quadratics:.6g} or more (floats): no V has a smaller one")
        return found

    def __repr__(self) -> str:
        if self.rho is None:
            return f"LyapunovBound({cut(self.status, WIDEST)})"
        floor = "".join(f", {name} by {upward(b, 6)}" for name, b in self.factors.items() if b)
        return f"LyapunovBound({self.status}: V_R <= {upward(self.rho, 9)}^R V_0{' plus' if floor else ''}{floor[1:]})"

    def __str__(self) -> str:
        return f"LyapunovBound({self.status}):\n  " + "\n  ".join(self.lines())

    def records(self) -> list[dict[str, Any]]:
        """One dict per term of V and per quantity: kind ("rate", "term", "per round", "floor"), name, value (upward)."""
        if self.rho is None:
            return []
        found = [("rate", "rho", self.rho), *(("term", name, factor) for name, factor in self.V.items())]
        found += [("per round", name, factor) for name, factor in self.factors.items()]
        found += [("floor", name, factor) for name, factor in (self.floor if self.rho < 1 else {}).items()]
        return [{"kind": kind, "name": name, "value": as_float(value, 1)} for kind, name, value in found]

    def _repr_html_(self) -> str:
        title, *rest = self.lines()
        return html_list(title, rest)


def _statement(made: Program, kept: Shares) -> dict[str, Any]:
    """A program and a scheme as a certificate has them; the classes do not matter here."""
    some = FunctionClass(0, 1)
    return certificate.bare(Model(made.instructions, len(made.instructions), some, some, kept, (), Functional()))
