"""Copies of the project in which mutants run: the checkout itself is never changed.

A copy holds the files that git knows or does not ignore.  A mutant is written into it and taken back; whatever else a run
changed among these files is restored too, so that a mutant which writes cannot be the reason that another one dies.
"""

from __future__ import annotations

import ast
import compileall
import os
import shutil
import subprocess
from pathlib import Path

from benchmarks.mutation.places import ROOT, sources


def listed_files(root: Path) -> list[str]:
    """The files of a checkout that git knows or does not ignore."""
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"]
    names = subprocess.run(command, check=True, capture_output=True).stdout.decode().split("\0")
    return sorted({name for name in names if name and (root / name).is_file()})


def without_effect(source: str) -> str:
    """The same program in other words: printed anew from its syntax, with a line without effect in each function.

    A test that fails here looks at the text of the sources, not at what they do: it would kill every mutant.
    """

    class Insert(ast.NodeTransformer):
        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
            self.generic_visit(node)
            node.body.insert(1 if ast.get_docstring(node) is not None else 0, ast.Expr(ast.Constant(None)))
            return node

    return ast.unparse(ast.fix_missing_locations(Insert().visit(ast.parse(source)))) + "\n"


class Tree:
    """A copy of a checkout in ``folder``, brought up to date where the folder exists; compiled code in it is kept."""

    def __init__(self, folder: Path, root: Path = ROOT) -> None:
        self.folder, self.root = folder, root
        self.names = listed_files(root)
        self._stamps: dict[str, tuple[int, int]] = {}
        self.restore()
        compileall.compile_dir(str(folder), quiet=2)

    def _stamp(self, name: str) -> tuple[int, int] | None:
        try:
            found = os.stat(self.folder / name)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size

    def restore(self) -> None:
        """Make the copy equal to what the checkout was when it was made: files that changed or went are written again."""
        for name in self.names:
            if name not in self._stamps:
                original = os.stat(self.root / name)
                self._stamps[name] = original.st_mtime_ns, original.st_size
            if self._stamp(name) != self._stamps[name]:
                target = self.folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(self.root / name, target)
        known = set(self.names)
        for path in list(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if path.is_file() and name not in known and "__pycache__" not in name and not name.startswith(".home/"):
                path.unlink()

    def write(self, name: str, text: bytes) -> None:
        """Put a text in the place of a file, and forget what was compiled from it."""
        path = self.folder / name
        path.write_bytes(text)
        os.utime(path, ns=(0, 0))  # no compiled code and no stamp of a copied file is as old
        for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
            compiled.unlink()

    def write_without_effect(self) -> None:
        """Print all mutated files anew (:func:`without_effect`)."""
        for name, path in sources(self.folder).items():
            self.write(name, without_effect(path.read_text("utf-8")).encode())
