"""The kept table of theorems for every round: its certificates are verified, and are about the methods that it names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fltheory as fl
from fltheory.evidence import check

TABLE = Path(__file__).resolve().parents[2] / "results" / "benchmarks" / "lyapunov_rates.json"


@pytest.fixture(scope="module")
def rows() -> dict[str, Any]:
    return {row["case"]: row for row in json.loads(TABLE.read_text("utf-8"))["rows"]}


def test_each_certificate_is_of_its_case(rows: dict[str, Any], script: Any) -> None:
    """Programs are made anew from the script's methods; rate and floor are what the verifier finds proved."""
    made = script("lyapunov_rates")
    cases = [*made.cases(), *made.without_printed_rates()]
    assert [name for name, *_ in cases] == list(rows)
    for name, method, options, rate, _ in cases:
        row = rows[name]
        found = fl.LyapunovBound.of(json.loads(row["certificate"]))
        asked = {key: options[key] for key in ("noise", "centre_noise", "n_clients") if key in options}
        assert found.matches(method, **asked), name
        assert found.rho is not None and float(found.rho) == pytest.approx(row["certified rate"], rel=1e-5)
        floor = {key: float(value) for key, value in found.floor.items()}
        assert floor == pytest.approx(row["certified floor"], rel=1e-5)
        assert found.certificate is not None and found.certificate["step"]["classes"]["clients"] == ["1/10", "1"]
        if rate is not None:
            assert found.rho < rate


def test_no_rate_is_below_what_exact_rounds_keep(rows: dict[str, Any]) -> None:
    for name, row in rows.items():
        assert row.get("over exact", 1) >= 1 - 1e-6, name
        if isinstance(row["quadratics"], float):
            assert row["certified rate"] >= row["quadratics"] - 1e-6, name
        if "mean square" in row:
            assert row["certified rate"] >= row["mean square"] - 1e-6 >= row["quadratics"] - 2e-6, name


def test_the_check_of_all_that_is_kept_verifies_the_table() -> None:
    root = Path(__file__).parents[2]
    tabled = check.tabled_certificates(root)
    assert len(tabled) >= 28 and check.certificate_problems({}, beside=tabled) == (len(tabled), [])
    name, text = tabled[0]
    (words,) = check.certificate_problems(
        {}, beside=[(name, text.replace('"degree":', '"order":').replace('"1/', '"2/'))]
    )[1]
    assert name in words and "does not verify" in words
