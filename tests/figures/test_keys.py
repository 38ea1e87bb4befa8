"""An experiment's key follows what computes its numbers and nothing that draws, judges, stores or prints."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import fltheory
from fltheory.evidence import keys
from fltheory.experiments.scripts import named_scripts

SCRIPTS = named_scripts("figures/experiments")
#: Modules of numbers: every experiment whose name is in the list reaches them.
NUMBERS = {
    "kernels/_softmax.py": ("figure_1a", "figure_1b_3", "figure_1c_1d_4", "mixed_language"),
    "algorithms/schedules.py": ("figure_1a", "figure_2", "rates", "theorem_bounds", "mixed_smile", "mixed_stability"),
    "problems/data/splits.py": ("figure_1a", "mixed_smile", "mixed_movie", "mixed_language"),
    "problems/tridiagonal.py": ("figure_2", "fixed_point_bias", "theorem_bounds"),
    "simulate/loop.py": ("figure_1a", "figure_2", "mixed_movie", "mixed_language", "theorem_bounds"),
    "readings/moments.py": ("rates", "theorem_bounds", "mixed_bias_and_variance"),
    "theory/li2020/theorems.py": ("theorem_bounds", "audit"),
    "worstcase/sdp.py": ("audit",),
    "worstcase/solver.py": ("audit",),
    "experiments/data_sets.py": ("figure_1a", "figure_1b_3", "figure_1c_1d_4"),
    "experiments/seeds.py": ("figure_1a", "mixed_smile", "mixed_movie", "mixed_language"),
    "experiments/bounds.py": ("theorem_bounds",),
    "experiments/start.py": ("theorem_bounds",),
    "../verify/mixed2022/experiments_smile_task.py": (
        "mixed_smile",
        "mixed_smile_metrics",
        "mixed_smile_batch",
        "mixed_smile_steps",
    ),
    "streams.py": ("figure_1a", "mixed_smile"),
    "kernels/_perceptron.py": ("fedlama_runs",),
    "algorithms/intervals.py": ("fedlama_runs",),
    "problems/perceptron.py": ("fedlama_runs", "elastic_runs"),
    "algorithms/sensitivities.py": ("elastic_runs",),
    "../verify/fedlama2021/experiments/courses.py": ("fedlama_runs",),
    "../verify/elastic2023/analogue.py": ("elastic_runs",),
}
#: Modules beside the numbers.
OTHERS = (
    "plotting/draw.py",
    "plotting/style.py",
    "plotting/palette.py",
    "experiments/paired.py",
    "experiments/means.py",
    "experiments/files.py",
    "cli.py",
    "commands/claims.py",
    "experiments/replicates.py",
    "experiments/audit_table.py",
    "experiments/rates.py",
    "experiments/scripts.py",
    "experiments/standings.py",
    "experiments/statistics.py",
    "processes.py",
    "workers.py",
    "evidence/texts/front.py",
    "evidence/model.py",
    "evidence/session.py",
    "experiments/origins.py",
    "evidence/environment.py",
)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the package and of its wings, whose sources may be changed."""
    root, wings = tmp_path / "fltheory", Path("verify")
    for source, copy in ((Path(fltheory.__file__).parent, root), (keys.scripts_root() / wings, tmp_path / wings)):
        shutil.copytree(source, copy, ignore=lambda folder, names: [n for n in names if not _source(Path(folder, n))])
    monkeypatch.setattr(keys, "PACKAGE", root)
    monkeypatch.setattr(keys, "scripts_root", lambda: tmp_path)
    keys.forget()
    yield root
    keys.forget()


def _source(path: Path) -> bool:
    return path.is_dir() and path.name != "__pycache__" or path.suffix == ".py"


def _keys() -> dict[str, str]:
    # comments change no imports: the parsed files stay
    keys._digest.cache_clear(), keys.experiment_key.cache_clear()
    return {name: keys.experiment_key(path) for name, path in SCRIPTS.items()}


def test_keys_follow_the_numbers_and_not_the_drawing(package: Path) -> None:
    before = _keys()
    assert len(set(before.values())) == len(before)
    for name in OTHERS:
        with open(package / name, "a") as file:
            file.write("\n# edited\n")
    assert _keys() == before
    for name, experiments in NUMBERS.items():
        with open(package / name, "a") as file:
            file.write("\n# edited\n")
        after = _keys()
        assert {each for each in experiments if after[each] == before[each]} == set(), name
        before = after


def test_what_counts_in_no_key_exists() -> None:
    source = Path(fltheory.__file__).parent
    for name in keys.BESIDE_NUMBERS:
        stem = source.joinpath(*name.split(".")[1:])
        assert stem.with_suffix(".py").is_file() or (stem / "__init__.py").is_file(), name


def test_no_experiment_reaches_the_whole_package() -> None:
    """``import fltheory as fl`` would make every edit of the package stale its arrays."""
    for name, path in SCRIPTS.items():
        assert "fltheory.plotting.draw" not in keys.reached_by(path), name
