"""Where the scripts are, and how one of them is imported by its name."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

from fltheory.evidence.catalogue import load_module
from fltheory.evidence.places import scripts_root, wing_module


def test_a_script_of_the_package_is_imported_by_its_dotted_name() -> None:
    path = scripts_root() / "verify" / "elastic2023" / "smoothness.py"
    assert wing_module(path) == "verify.elastic2023.smoothness"
    assert load_module(path) is importlib.import_module("verify.elastic2023.smoothness")


def test_a_script_of_a_user_has_a_name_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "verify" / "smoothness.py"
    path.parent.mkdir()
    path.write_text("x = 1\n")
    assert wing_module(path) is None
    assert re.fullmatch(r"_fltheory_[0-9a-f]{12}\.smoothness", load_module(path).__name__)


def test_wings_are_found_from_any_folder(tmp_path: Path) -> None:
    (tmp_path / "verify").mkdir()  # a stranger's folder of this name, first on the path
    package = str(scripts_root())
    code = (
        f"import sys; sys.path[:] = [{str(tmp_path)!r}, *sys.path, {package!r}]; import fltheory.evidence; "
        "import verify.elastic2023.smoothness as found; print(found.__file__)"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert Path(ran.stdout.strip()) == scripts_root() / "verify" / "elastic2023" / "smoothness.py"
