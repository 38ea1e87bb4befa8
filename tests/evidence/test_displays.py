"""Every printed display is one expression: LaTeX, number and conditions; and every claim that prints one has it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import sympy as sp

from fltheory.evidence.displays import bounds_of, by_section, to_latex
from fltheory.evidence.ids import base, index
from fltheory.evidence.ledger import read_ledger
from fltheory.theory.bound import Bound
from fltheory.theory.notation import Expect, has_notation

DOCUMENTS = ("li2020", "lecture2022")
ALL_DOCUMENTS = (*DOCUMENTS, "elastic2023", "mixed2022")
EVERY = {f"{document}:{name}": bound for document in ALL_DOCUMENTS for name, bound in bounds_of(document).items()}
EXPORTED = {name: bound for name, bound in EVERY.items() if name.startswith(DOCUMENTS)}

#: Claims without a formula of their own in the document.
NO_FORMULA = {
    **dict.fromkeys(["LI-KNOB", "LI-E1SGD", "LI-KWEAK", "LI-KSMALL", "LI-ONESHOT", "LI-FIRSTK"], "said in words"),
    **dict.fromkeys(["LI-THM4-I1", "LI-BIASEX", "LI-SMALLLR", "LI-PROX0", "LI-C4-ASM", "LI-IIDIV"], "said in words"),
    **dict.fromkeys(["LI-MNIST", "LI-TAB2-1..4", "LI-MOSTUNB"], "data sets: numbers of a table"),
    "LI-SYN": "sampling model of synthetic data, no relation between numbers",
    **dict.fromkeys(["LI-FIG1A", "LI-FIG1B/3", "LI-FIG1C", "LI-FIG1D", "LI-FIG4"], "figure"),
    **dict.fromkeys(["LI-FIG1C-TXT", "LI-FIG1D-ORIG", "LI-NORMW-EXP"], "experiment told in words"),
    "LI-D2-XREF": "cross-reference",
    **dict.fromkeys(["LEC-IID", "LEC-DRIFT", "LEC-XSILO", "LEC-COMMK", "LEC-KLIM"], "said in words"),
    **dict.fromkeys(["LEC-TABSYS", "LEC-XDEV", "LEC-QUOTE", "LEC-VENUE"], "table or literature"),
    "LEC-RAR": "figure",
}

#: One point at which the relations among the conditions hold; binary fractions, so that equations hold exactly.
POINT: dict[str, Any] = {
    "L": 2.0,
    "mu": 0.5,
    "E": 3.0,
    "T": 1e5,
    "K": 2.0,
    "N": 3.0,
    "eta": 1 / 16,
    "eta_0": 0.1,
    "gamma_t": 3 / 32,
    "beta": 4.0,
    "gamma": 40.0,
    "gamma_s": 40.0,
    "t": 5.0,
    "t0": 4.0,
    "v": 20.0,
    "B": 1.0,
    "C": 0.5,
    "s": 1 / 32,
    "tau": 2.0,
    "rho": 0.5,
    "sigma_G": 1.5,
    "sigma": 1.0,
    "p": 2.0,
    "i": 1.0,
    "j": 2.0,
    "k": 2.0,
    "kappa": 4.0,
    "n": 3.0,
}
#: The same for the other documents.
POINTS: dict[str, dict[str, Any]] = {
    "elastic2023": {
        **{"L": 2.0, "mu": 0.5, "beta": 2.0, "eta": 1 / 16, "eta_max": 1.0, "R": 100.0, "tau": 2.0, "a": 0.5},
        **{"B": 1.0, "e": 1 / 32, "K": 2.0, "N": 3.0, "S": 2.0, "r": 1.0, "p": 1.0},
    },
    "mixed2022": {
        "beta": 1.0,
        "mu": 0.5,
        "K": 2.0,
        "J": 2.0,
        "S": 2.0,
        "T": 200.0,
        "R": 50.0,
        "eta": 2.0**-12,
        "eta_s": 2.0,
        "eta_m": 1.0,
        "eta_c": 2.0**-11,
        "eta_d": 2.0**-11,
        "e": 2.0**-10,
        "start_error": 0.0,
        "B": 1.5,
        "wf": 0.25,
        "tau": 2.0,
        "m": 0.25,
        "h": 0.5,
        "b": 0.5,
        "V": 0.0,
    },
}
SHARED = (
    "G",
    "G2",
    "V",
    "S",
    "D1",
    "Delta",
    "Delta_1",
    "Gamma",
    "epsilon",
    "gap",
    "nu",
    "varsigma",
    "b",
    "eta_c",
    "R",
    "start",
    "s_L",
    "s_k",
    "M",
    "B_k",
    "F",
    "A",
    "D",
    "t_0",
    "T_eps",
    "lambda_",
    "c",
    "f_eta",
    "C_1",
    "C_2",
    "F_k",
    "f_last",
    "f_star",
    "P_1",
    "P_2",
    "eta_j",
    "eta_i",
)
COLUMNS = {
    "w",
    "x",
    "b",
    "b_k",
    "b_1",
    "w_opt",
    "w_1",
    "w_limit",
    "w_t",
    "w_next",
    "w_previous",
    "w_later",
    "w_first",
    "w_0",
    "one",
    "zero",
    "e_1",
}
#: Displays whose conditions exclude the point: what changes.
ELSEWHERE = {
    "displays.theorem_5.one_local_step": {"E": 1.0},
    "displays.section_3.annealing": {"a": 0.01},
    "frontier.LEMMA_1_FRONTIER": {"r": 2.0},
    "tuning.CASE_ONE": {"eta_max": 1 / 16},
    "no_bounded_gradients.THEOREM_SQUARE": {"c": 8.0, "gamma": 100.0},
    "worst_cases.trade.one_step_traded": {"c": 2.0},
}


def _values(name: str, bound: Bound) -> dict[str, Any]:
    """Numbers for the scalars; arrays with all axes for vectors; small positive definite matrices."""
    rng = np.random.default_rng(abs(sum(map(ord, name))))
    expressions = [bound.expression, *([bound.left] if isinstance(bound.left, sp.Basic) else [])]
    symbols = set().union(*(e.free_symbols for e in expressions), *(_relation_symbols(bound)))
    vectors = any(has_notation(e) for e in expressions)
    document = name.split(":")[0]
    values: dict[str, Any] = dict(POINTS.get(document, POINT))
    if "displays.appendix_c" in name or "displays.theorem_5" in name:
        values.update(mu=0.0)
    elif vectors:
        for number in ("p", "v", "t", "b"):
            values.pop(number, None)
    for symbol in symbols:
        if symbol.name in values and symbol.is_commutative:
            continue
        if not symbol.is_commutative and symbol.name in COLUMNS:
            values[symbol.name] = rng.random((3, 7, 1) if symbol.name == "b_k" else (7, 1))
        elif not symbol.is_commutative:
            root = rng.random((3, 7, 7)) if symbol.name in {"A_k", "X_k"} else rng.random((7, 7))
            values[symbol.name] = np.eye(7) + root @ np.swapaxes(root, -1, -2) / 10
        elif vectors and not (symbol.name in SHARED and document in DOCUMENTS):
            values[symbol.name] = rng.random((2, 2, 3, 2, 1))
        else:
            values[symbol.name] = 0.75
    for symbol_name, where in bound.domain.items():
        if where.whole and np.any(values[symbol_name] != np.round(values[symbol_name])):
            values[symbol_name] = rng.integers(1, 3, np.shape(values[symbol_name]))
        if where.high == 1 and np.any(values[symbol_name] > 1):
            values[symbol_name] = 0.5
    values.update(ELSEWHERE.get(name.split(":")[1], {}))
    return values


def _relation_symbols(bound: Bound) -> list[set[sp.Symbol]]:
    return [c.relation.free_symbols for c in bound.conditions if c.relation is not None]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_claim_with_a_formula_is_exported(document: str) -> None:
    claims = {identifier for identifier, owner in index().items() if owner == document}
    covered = {base(i) for bound in bounds_of(document).values() for i in bound.ids}
    assert claims - covered == set(NO_FORMULA) & claims
    assert covered <= claims


def test_every_export_names_rows_that_exist() -> None:
    ledger = read_ledger()
    for name, bound in EXPORTED.items():
        assert bound.ids, name
        assert set(bound.ids) <= set(ledger) | set(index()), name
        assert not bound.repaired_by or bound.repaired_by in ledger, name


def test_what_is_wrong_as_printed_names_its_repair() -> None:
    """A display all of whose rows are wrong as printed says where the repaired one stands."""
    ledger = read_ledger()
    for name, bound in EXPORTED.items():
        if all(ledger.get(i, {}).get("verdict") == "wrong as printed" for i in bound.ids):
            assert bound.repaired_by, name


@pytest.mark.parametrize("name", EXPORTED)
def test_latex_is_balanced(name: str) -> None:
    text = EXPORTED[name].latex()
    plain = text.replace(r"\{", "").replace(r"\}", "")
    depth = np.cumsum([(c == "{") - (c == "}") for c in plain])
    assert len(text) > 4
    assert depth.min() >= 0
    assert depth[-1] == 0
    assert len(re.findall(r"\\left(?![a-z])", text)) == len(re.findall(r"\\right(?![a-z])", text))
    assert "Expect" not in text
    assert "operatorname{None}" not in text


@pytest.mark.parametrize("name", EVERY)
def test_every_symbol_out_of_its_range_is_refused(name: str) -> None:
    """One symbol alone, at the last entry of its array, pushed out of its range or to no real number."""
    bound = EVERY[name]
    values = bound.select(_values(name, bound))
    evaluate = [bound.curve] if isinstance(bound.left, str) else [bound.curve, bound.left_curve]
    for function in evaluate:
        assert np.all(np.isfinite(function(**values)))
    for symbol, where in bound.domain.items():
        bad = [float("nan"), float("inf")]
        bad += [where.low - 1] if np.isfinite(where.low) else []
        bad += [where.low] if where.open_low else []
        bad += [where.high + 1] if np.isfinite(where.high) else []
        bad += [where.low + 0.5] if where.whole else []
        for number in bad:
            pushed = np.array(values[symbol], dtype=float)
            pushed.reshape(-1)[-1] = number
            for function in evaluate:
                with pytest.raises(ValueError, match=rf"\b{re.escape(symbol)}="):
                    function(**{**values, symbol: pushed})
        for wrong in ("3", None, True, 1j, [True]):
            with pytest.raises(ValueError, match=rf"^{re.escape(symbol)}=.*no real number"):
                bound.curve(**{**values, symbol: wrong})


def test_every_scalar_is_declared() -> None:
    """No symbol of a display is left out of its document's vocabulary."""
    for name, bound in EVERY.items():
        expressions = [bound.expression, *([bound.left] if isinstance(bound.left, sp.Basic) else [])]
        for symbol in set().union(*(e.free_symbols for e in expressions), *_relation_symbols(bound)):
            assert not symbol.is_commutative or symbol.name in {**bound.vocabulary.ranges, **bound.ranges}, (
                name,
                symbol,
            )


@pytest.mark.parametrize("name", EVERY)
def test_value_is_finite_where_the_conditions_hold(name: str) -> None:
    bound = EVERY[name]
    values = _values(name, bound)
    assert bound.unmet(**values) == []
    values = bound.select(values)
    sides = [bound.curve(**values)] + ([] if isinstance(bound.left, str) else [bound.left_curve(**values)])
    for side in sides:
        assert side.size > 0
        assert np.all(np.isfinite(side))


def test_conditions_can_fail() -> None:
    """Every condition that is a relation is false somewhere."""
    rng = np.random.default_rng(0)
    for name, bound in EXPORTED.items():
        for condition in bound.conditions:
            if condition.relation is None:
                continue
            names = [s.name for s in condition.relation.free_symbols]
            points = (
                {n: float(x) for n, x in zip(names, rng.normal(size=len(names)) * 5, strict=True)} for _ in range(200)
            )
            assert any(condition.holds(point) is False for point in points), (name, condition.words)


def test_export_is_grouped_by_section_with_claims() -> None:
    for document in DOCUMENTS:
        text = to_latex(document)
        sections = by_section(document)
        assert text.count(r"\subsection*") == len(sections)
        assert "Further bounds" not in sections
        assert text.count(r"\begin{enumerate}") == text.count(r"\end{enumerate}") == len(sections)
    assert "[LI-EQ14]" in to_latex("li2020")


def test_wrong_arguments_are_named() -> None:
    bound = EXPORTED["li2020:displays.lemma_1.eq_16"]
    with pytest.raises(ValueError, match="needs a value for L, f, f_min"):
        bound.curve()
    with pytest.raises(ValueError, match="use curve"):
        EXPORTED["li2020:displays.lemma_1.eq_18"].exact(eta=1, w=1, wbar=0, g=1)
    with pytest.raises(ValueError, match="is measured"):
        EXPORTED["li2020:theorems.theorem_1"].left_curve(L=1)
    with pytest.raises(ValueError, match="relation='<>'"):
        Bound("b", "s", "y", sp.Symbol("x"), relation="<>")
    with pytest.raises(ValueError, match="states no relation"):
        Bound("b", "s", sp.Symbol("y"), sp.Symbol("x"), relation="O").slack(x=1, y=1)
    assert has_notation(Expect(sp.Symbol("x")))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_latex_has_no_double_superscript(document: str) -> None:
    for name, bound in bounds_of(document).items():
        assert not re.search(r"\^(\{[^{}]*\}|\\[a-zA-Z]+|[a-zA-Z0-9*])\s*\^", bound.latex()), name
