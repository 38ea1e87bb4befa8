"""The wheel holds everything: installed outside the checkout it verifies, shows and refuses as the checkout does.

The environment of the test is empty but for the wheel; the dependencies are those of the running interpreter, lent
through a path file so that nothing has to be fetched.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(list(command), cwd=cwd, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of executables of an environment into which the wheel was installed."""
    folder = tmp_path_factory.mktemp("wheel")
    sources = folder / "sources"
    skipped = shutil.ignore_patterns(".*", "__pycache__", "build", "dist")
    shutil.copytree(ROOT, sources, ignore=skipped)
    built = run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, sources, cwd=folder)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = folder.glob("*.whl")
    shutil.rmtree(sources)
    environment = folder / "environment"
    venv.create(environment, with_pip=False)
    binaries = environment / ("Scripts" if os.name == "nt" else "bin")
    paths = {"base": str(environment), "platbase": str(environment), "installed_base": str(environment)}
    packages = Path(sysconfig.get_path("purelib", "nt" if os.name == "nt" else "posix_prefix", paths))
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "-q", "--target"]
    done = run(*pip, packages, wheel, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return binaries


@pytest.mark.slow
def test_the_installed_package_verifies(installed: Path, tmp_path: Path) -> None:
    python = installed / "python"
    where = run(python, "-c", "import fltheory; print(fltheory.__file__)", cwd=tmp_path)
    assert str(installed.parent) in where.stdout, where.stdout + where.stderr
    # All scripts are in the wheel, as is counted below; two documents show that they run from there.
    done = run(python, "-m", "fltheory", "verify", "--quick", "lecture2022", "elastic2023", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "results" / "last_run.json").is_file()
    count = "from fltheory.evidence.catalogue import find_scripts; print(len(find_scripts()))"
    scripts = run(python, "-c", count, cwd=tmp_path)
    assert int(scripts.stdout) == len([path for path in (ROOT / "verify").rglob("*.py") if path.name[0] != "_"])


@pytest.mark.slow
def test_what_needs_the_checkout_says_so(installed: Path, tmp_path: Path) -> None:
    done = run(installed / "python", "-m", "fltheory", "verify", "--check", cwd=tmp_path)
    assert done.returncode == 2 and "checkout" in done.stderr
