"""The examples of the guides run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", ["mixed.md"])
def test_examples_run(name: str, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / name).read_text("utf-8"), re.S)
    assert len(blocks) >= 3
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "()" in lines  # the package's own runs pass the check at K = 1
    assert "[]" in lines  # no condition of the bound that is drawn fails
    assert (tmp_path / "one_way.png").is_file() and (tmp_path / "two_way.png").is_file()


@pytest.mark.parametrize(
    ("name", "least"),
    [("questions.md", 20), ("plan.md", 15), ("showing.md", 8), ("own_noise.md", 5), ("own_bound.md", 8)],
)
def test_a_guide_that_prints(name: str, least: int, tmp_path: Path) -> None:
    """Its Python runs as it stands and prints what the guide shows, numbers apart."""
    if name == "showing.md":
        pytest.importorskip("pandas")
    text = (ROOT / "docs" / name).read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    indented = [line[4:] for line in re.sub(r"```.*?```", "", text, flags=re.S).splitlines() if line[:4] == "    "]
    shown = [line for line in indented if not line.startswith("$ ")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    call = [sys.executable, "-c", "\n".join(blocks)]
    done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    words = [
        [re.sub(r"\d[\d.e+-]*", "#", line) for line in lines]
        for lines in (shown, filter(None, done.stdout.splitlines()))
    ]
    assert len(shown) >= least and words[0] == words[1]
    for command in [line.removeprefix("$ fltheory ") for line in indented if line.startswith("$ ")]:
        call = [sys.executable, "-m", "fltheory", *command.split()]
        done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, env=environment)
        assert done.returncode == 0 and "gap" in done.stdout, done.stderr


def test_every_page_with_an_example_has_a_test_and_stands_in_the_index() -> None:
    """The pages whose examples are run by this file; test_package.py runs the README's."""
    here = Path(__file__).read_text("utf-8")
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    pages = [page for page in sorted((ROOT / "docs").glob("*.md")) if page.name != "index.md"]
    assert len(pages) >= 20
    for page in pages:
        assert f"({page.name})" in index, page.name
        if "```python" in page.read_text("utf-8"):
            assert f'"{page.name}"' in here, page.name


def test_all_of_the_guide_to_worst_cases(tmp_path: Path) -> None:
    """Its blocks run in their order, and what their comments say is so."""
    text = (ROOT / "docs" / "worstcase.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) == 10
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    tail = """
print(answer.upper == answer.lower == Fraction(361, 400), two.solvable, len(two.polynomial) - 1)
print(len(formula.pieces), Fraction("0.910") <= two.low <= two.high <= Fraction("0.911"), *found.price(0.25))
"""
    script = "\n".join([*blocks, tail])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()[-2:]
    assert first == "True False 6" and second.startswith("2 True ")
    shown = re.search(r"found\.price\(0\.25\)  # \(([\d.]+), ([\d.]+)\)", text)
    assert shown is not None
    for told, number in zip(second.split()[2:], shown.groups(), strict=True):
        assert abs(float(Fraction(told)) - float(number)) < 1e-6
    assert (tmp_path / "scaffold.json").is_file() and (tmp_path / "best.json").is_file()


def test_the_page_on_gpus(tmp_path: Path) -> None:
    """Without a device its example ends in one line that says what is missing."""
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "gpu.md").read_text("utf-8"), re.S)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, cwd=tmp_path, env=environment)
    last = done.stderr.strip().splitlines()[-1] if done.returncode else ""
    assert done.returncode == 0 or "backend='cupy'" in last, done.stderr


def test_the_worked_example_of_worst_cases(tmp_path: Path) -> None:
    """Its Python runs as it stands, and the verifier prints what the guide shows."""
    text = (ROOT / "docs" / "worstcase.md").read_text("utf-8")
    part = text[text.index("## One example") : text.index("## The formulation")]
    blocks = re.findall(r"```python\n(.*?)```", part, re.S)
    assert len(blocks) == 3
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    script = "\n".join([*blocks, "print(end @ end, len(short.multipliers()), answer.upper)"])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    reached, inequalities, above = done.stdout.split()
    assert abs(float(reached) - float(Fraction(above))) < 1e-6 and inequalities == "4"
    verifier = str(ROOT / "fltheory" / "worstcase" / "verifier.py")
    call = [sys.executable, "-I", "-S", verifier, "two_steps.json"]
    printed = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, check=True).stdout.splitlines()
    start = part.index("    two_steps.json: accepted")
    shown = [line.removeprefix("    ") for line in part[start : part.index("\n\n", start)].splitlines()]
    assert shown == printed


def test_extensions_run(tmp_path: Path) -> None:
    """The examples of docs/extend.md: Python runs as it stands, files are written, commands are called."""
    text = (ROOT / "docs" / "extend.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    files = {re.match(r"# (\S+\.py)\n", block)[1]: block for block in blocks if block.startswith("# ")}  # type: ignore[index]
    examples = [block for block in blocks if not block.startswith("# ")]
    assert len(examples) >= 1 and all(len(block.splitlines()) < 80 for block in blocks)
    for name, block in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(block, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    script = [sys.executable, "-c", "\n".join(examples)]
    done = subprocess.run(script, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    commands = re.findall(r"^    \$ fltheory (.*)$", text, re.M)
    assert len(commands) >= 3
    folders = sorted({Path(name).parent.name for name in files})
    assert len(folders) >= 3 and all(any(folder in command for command in commands) for folder in folders)
    for command in [*commands, *(f"verify --path {folder} --controls" for folder in folders)]:
        call = [sys.executable, "-m", "fltheory", *command.split()]
        done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
        assert ("proof" in done.stdout) if command.startswith("verify") else ("squares" in done.stdout)


def test_sweeps_run(tmp_path: Path) -> None:
    """The examples of docs/sweeps.md: Python runs as it stands, the file is written, commands are called in their order."""
    text = (ROOT / "docs" / "sweeps.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    (declared,) = [block for block in blocks if block.startswith("# grid.py")]
    (tmp_path / "grid.py").write_text(declared, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    script = [sys.executable, "-c", "\n".join(block for block in blocks if block is not declared)]
    done = subprocess.run(script, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert "SweepResult(320 configurations done, 0 failed, 0 missing)" in done.stdout and "SCAFFOLD" in done.stdout
    said = []
    for command in re.findall(r"^    \$ fltheory (.*)$", text, re.M):
        call = [sys.executable, "-m", "fltheory", *command.split()]
        done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
        said.append(done.stdout)
    assert len(said) == 5 and "80 configurations done, 0 failed" in said[0] and "local_steps" in said[1]
    assert "unequal" in said[4]


def test_the_examples_on_scaling_run(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "scaling.md").read_text("utf-8"), re.S)
    assert len(blocks) >= 4
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    script = [sys.executable, "-c", "\n".join(blocks)]
    done = subprocess.run(script, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    agree, batch, pieces, refused = done.stdout.splitlines()
    assert agree == "moments agree: True" and pieces == "pieces are the whole: True"
    assert batch == "batch of 3 with (100, 201) gaps each"
    assert refused.startswith("refused: full matrices of n_clients=1000") and "3200.3 GB of numbers" in refused


def test_the_guide_to_conformance(tmp_path: Path) -> None:
    """The examples run as they stand, also as a file on the command line, and say what the guide says."""
    text = (ROOT / "docs" / "conform.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    (tmp_path / "code.py").write_text(blocks[0].replace("print(report)", ""), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    call = [sys.executable, "-c", "\n".join(blocks)]
    done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    shown = re.search(r"^    (is not SCAFFOLD .*)$", text, re.M)
    assert shown is not None and shown[1] in done.stdout
    assert done.stdout.splitlines()[-2] == "equals FedProx (Li et al. 2020)"
    momentum = "local steps have momentum 0.83 (set to zero each round) {'local-momentum': 0.83}"
    assert done.stdout.splitlines()[-1].endswith(momentum)
    command = re.search(r"^    fltheory (conform .*)$", text, re.M)
    assert command is not None
    call = [sys.executable, "-m", "fltheory", *command[1].split()]
    done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 1 and shown[1] in done.stdout, done.stderr


@pytest.mark.parametrize(
    "name",
    ["README.md", "CONTRIBUTING.md", *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md")))],
)
def test_links_lead_somewhere(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    for target in re.findall(r"\]\((?!http)([^)#]+)", text):
        assert ((ROOT / name).parent / target).exists(), target


def test_the_map_names_files_that_exist() -> None:
    text = (ROOT / "docs" / "ARCHITECTURE.md").read_text("utf-8")
    named = re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", text)
    assert len(named) > 12
    for path in named:
        assert (ROOT / "fltheory" / path).is_file() or (ROOT / path).is_file(), path


@pytest.mark.parametrize("name", ["cheats.md", "figures.md", "own_algorithm.md", "own_data.md", "reading.md"])
def test_pages_whose_examples_are_one_script(name: str, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / name).read_text("utf-8"), re.S)
    assert blocks and sum(block.count("\n") for block in blocks) < 100
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths, "MPLBACKEND": "agg"},
    )
    assert done.returncode == 0, done.stderr


def test_the_guide_beyond_quadratics_runs(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "beyond_quadratics.md").read_text("utf-8"), re.S)
    assert len(blocks) == 4
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": paths}
    call = [sys.executable, "-c", "\n".join(blocks)]
    done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert "by contraction" in done.stdout and "stable below" in done.stdout
    first, second = map(float, done.stdout.splitlines()[-1].split())
    assert second < first / 4


def test_the_guide_to_comparisons(tmp_path: Path) -> None:
    """Its blocks run as they stand, and print the table and the rankings that it shows."""
    text = (ROOT / "docs" / "compare.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) == 6
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    script = [sys.executable, "-c", "\n".join(blocks)]
    done = subprocess.run(script, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    part = re.sub(r"```python\n.*?```", "", text[: text.index("`found.right`")], flags=re.S)
    shown = re.findall(r"^    (.*)$", part, re.M)
    assert len(shown) == 9 and set(shown) <= {line.removeprefix("- ") for line in done.stdout.splitlines()}


def test_the_guide_to_own_claims(tmp_path: Path) -> None:
    """Its Python prints what it shows; its commands run in their order, the claim it adds among them."""
    text = (ROOT / "docs" / "own_claims.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    (added,) = [block for block in blocks if block.startswith("# my_claims/mine.py")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    script = [sys.executable, "-c", "\n".join(block for block in blocks if block is not added)]
    done = subprocess.run(script, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    shown = re.findall(r"^    (.*)$", re.sub(r"```.*?```", "", text, flags=re.S), re.M)
    printed = done.stdout.splitlines()
    assert printed[-1].endswith("True")
    said = [line for line in shown if not line.startswith("$")]
    words = [[re.sub(r"\d[\d.e+-]*", "#", line) for line in lines] for lines in (said, printed[:-1])]
    assert len(said) == 9 and words[0] == words[1]
    for command in [line.removeprefix("$ fltheory ") for line in shown if line.startswith("$")]:
        call = [sys.executable, "-m", "fltheory", *command.split()]
        done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
        if command.startswith("claim"):
            (tmp_path / "my_claims" / "mine.py").write_text(added, encoding="utf-8")
    assert "as its author expects" in done.stdout and "one local step: holds" in done.stdout
