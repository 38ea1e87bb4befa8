"""The command ``fltheory stability``."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from fltheory.cli import main

EXAMPLE = "1:1:0.98,1:0:0.01,1:0:0.01"


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["stability", *words])
    return result.exit_code, result.output


def test_the_sampling_example_on_the_line() -> None:
    scheme = ["--participation", "SchemeII", "--cohort", "1", "--local-steps", "5", "--upper", "2.5"]
    code, text = run("FedAvg", "--clients", EXAMPLE, *scheme, "--step-size", "0.05")
    assert code == 0
    assert "mean            0.773780937 per round, converges" in text
    assert "mean square     1.72544011 per round, does not converge" in text
    assert "no stationary law with finite second moments" in text
    assert "mean: stable below 2; mean square: unstable for small step sizes, stable in (0.1004327" in text
    code, text = run("FedAvg", "--clients", EXAMPLE, *scheme, "--step-size", "1/5")
    assert code == 0 and "mean square     0.309430919" in text and "stationary law  gap=" in text


def test_a_problem_by_name() -> None:
    words = ["--problem", "li_counterexample", "--with", "n_clients=2", "--with", "block=2", "--with", "ridge=1/10"]
    code, text = run("FedAvg", *words, "--local-steps", "2", "--step-size", "0.1", "--noise", "1/4")
    assert code == 0 and "stationary law  gap=" in text and text.count("stable below") == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["FedAvg", "--step-size", "0.1"], "expected one of --problem NAME and --clients LIST"),
        (["Fedavgg", "--clients", "1:0", "--step-size", "0.1"], "did you mean FedAvg"),
        (["FedAvg", "--clients", "1", "--step-size", "0.1"], "expected CURVATURE:MINIMISER"),
        (["FedAvg", "--clients", "1:x", "--step-size", "0.1"], "'1:x' is not CURVATURE:MINIMISER"),
        (["FedAvg", "--clients", "1:0", "--step-size", "x"], "'x' is no number"),
        (["FedAvg", "--clients", "1:0", "--step-size", "0.1", "--cohort", "1"], "go together"),
        (
            ["FedAvg", "--clients", "1:0", "--step-size", "0.1", "--cohort", "1", "--participation", "II"],
            "no participation scheme",
        ),
        (["FedAvg", "--clients", "1:0", "--step-size", "0.1", "--noise", "-1"], "noise=-1 is negative"),
        (["FedAvg", "--clients", "1:0", "--step-size", "0.1", "--upper", "0"], "upper=0.0 is not positive"),
        (["FedAvg", "--problem", "li", "--step-size", "0.1"], "no problem 'li'"),
        (
            ["FedAvg", "--problem", "li_counterexample", "--with", "clients=2", "--step-size", "0.1"],
            "'clients'; see --with",
        ),
        (["OneWayGradientTransfer", "--clients", "1:0", "--step-size", "0.1"], "has no central loss"),
    ],
)
def test_usage(words: list[str], message: str) -> None:
    code, text = run(*words)
    assert code == 2 and message in text and "Traceback" not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--clients", "0:1,0:2", "--step-size", "0.5"], "L=0"),
        (
            ["--clients", "1:1,1:2", "--step-size", "0.5", "--noise", "1e400"],
            "--noise: a number is beyond the range of floats",
        ),
        (["--clients", "1:1,1:2", "--step-size", "0.5", "--upper", "1e400"], "--upper: a number is beyond"),
        (["--clients", "1:1,1:2", "--step-size", "1e400"], "--step-size: a number is beyond"),
        (["--clients", "1e308:1e308,1:2", "--step-size", "0.5"], "--clients: a number is beyond"),
        (["--clients", "1:1,1:2", "--step-size", "1e-17"], "less than floats resolve"),
    ],
)
def test_numbers_beyond_floats_are_usage(words: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["stability", "FedAvg", *words])
    assert result.exit_code == 2 and message in result.output


def test_a_factor_just_below_one_is_not_printed_as_one() -> None:
    result = CliRunner().invoke(main, ["stability", "FedAvg", "--clients", "1:1,1:2", "--step-size", "1e-10"])
    assert result.exit_code == 0 and "0.9999999999 per round, converges" in result.output
    assert " 1 per round" not in result.output
