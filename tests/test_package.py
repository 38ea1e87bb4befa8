"""The package's face: lazy imports, every exported name, and the README's example."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import fltheory as fl

HEAVY = ("numba", "sympy", "cvxpy", "matplotlib", "scipy", "sklearn")
README = Path(__file__).parents[1] / "README.md"


def _loaded_after(code: str) -> set[str]:
    show = "import sys; print(*[m for m in sys.modules if '.' not in m])"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{show}"], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        "import fltheory",
        "import fltheory as fl; fl.FedAvg(local_steps=2, step_size=0.1)",
        "import fltheory as fl; fl.fixed_point(fl.li_counterexample(2, 2, 0.1), fl.FedAvg(2, 0.1))",
    ],
)
def test_imports_are_lazy(code: str) -> None:
    assert not _loaded_after(code) & set(HEAVY)


@pytest.mark.parametrize(("call", "most"), [(["--help"], 190), (["list"], 230)])
def test_commands_start_with_few_modules(call: list[str], most: int) -> None:
    """Start-up is the number of modules that are loaded: counted, since a clock would say something else on every machine."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "fltheory", *call], capture_output=True, text=True, check=True
    )
    loaded = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")]
    assert 50 < len(loaded) < most, len(loaded)
    assert not {name.partition(".")[0] for name in loaded} & {*HEAVY, "numpy"}


@pytest.mark.parametrize("name", sorted(fl.__all__))
def test_every_exported_name_exists(name: str) -> None:
    assert getattr(fl, name) is not None


@pytest.mark.parametrize("package", ["problems", "algorithms", "readings"])
def test_no_module_hides_an_exported_function(package: str) -> None:
    # An import of a submodule binds the submodule in its package: a function of that name would be lost.
    code = f"""
import importlib, pkgutil, types, fltheory.{package} as package
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
import fltheory as fl
names = [name for name in fl.__all__ if fl._NAMES.get(name) == package.__name__]
assert names
print("hidden:", [name for name in names if isinstance(getattr(fl, name), types.ModuleType)])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "hidden: []"


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        assert fl.nothing


def test_torch_is_nowhere() -> None:
    root = Path(fl.__file__).parent
    assert not [
        path.name for path in root.rglob("*.py") if re.search(r"^\s*(import|from) torch", path.read_text("utf-8"), re.M)
    ]


def test_readme_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.S)
    assert len(example.strip().splitlines()) < 30
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, cwd=README.parent)
    assert done.returncode == 0, done.stderr
    assert "LI-LEM3" in done.stdout and "one local step per round is made" in done.stdout


def test_drawers_hold_what_the_top_does_not_list() -> None:
    listed = set(dir(fl))
    for drawer, names in fl._IN_DRAWERS.items():
        assert drawer in listed
        for name in names.split():
            assert getattr(getattr(fl, drawer), name) is getattr(fl, name)
            assert name not in listed
    assert {"FedAvg", "fixed_point", "simulate", "plot", "SchemeI", "MiniBatch"} <= listed


@pytest.mark.parametrize(
    ("path", "near"),
    [("plott", "plot"), ("ridge", "ridge_regression"), ("Theory", "theory"), ("theory.li2021", "li2020"), ("zzz", "")],
)
def test_mistyped_names_are_answered_with_the_nearest(path: str, near: str) -> None:
    *modules, name = path.split(".")
    module = getattr(fl, modules[0]) if modules else fl
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    assert (f"did you mean {near}" in str(caught.value)) if near else ("did you mean" not in str(caught.value))
