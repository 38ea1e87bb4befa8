"""Where the verification scripts are, and the claims they define.

The scripts are the folder ``verify/`` (:mod:`fltheory.evidence.places`), or a user's own folder, named by ``--path``.  A
script is any ``*.py`` file below such a folder whose name does not begin with an underscore; the folder it lies in is its
document.  A script of ``verify/`` is imported as ``verify.<document>.<name>``, so that others may share what it defines; a
user's folder is a package of a unique name, in which scripts share modules by ``from .symbols import kappa``.  A script's
claims are the :class:`~fltheory.evidence.model.Claim` objects among its globals (or in lists, tuples and dicts there); a
module without any is one that others share.  There is no registry: loading a script changes nothing elsewhere.
"""

from __future__ import annotations

import ast
import gc
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from fltheory.evidence import ids
from fltheory.evidence.bundles import parts_of
from fltheory.evidence.model import Claim
from fltheory.evidence.places import forget_own, own_module, scripts_root, wing_module
from fltheory.tables import Framed, Shown, escaped, html_table


@dataclass(frozen=True)
class Script:
    """One verification script: its file, its document, and its name relative to the folder of scripts."""

    path: Path
    document: str
    name: str

    @property
    def root(self) -> Path:
        """The folder of scripts that it was found in."""
        return self.path.parents[self.name.count("/")]


def find_scripts(folder: Path | None = None) -> list[Script]:
    """All scripts of the package, or of a user's folder.

    Raises
    ------
    ValueError : the folder does not exist or holds no script.
    """
    root = (scripts_root() / "verify") if folder is None else Path(folder).resolve()
    if not root.is_dir():
        raise ValueError(f"folder of verification scripts {str(folder or 'verify')!r} does not exist")
    found = []
    for path in sorted(root.rglob("*.py")):
        inner = path.relative_to(root)
        if any(part.startswith(("_", ".")) for part in inner.parts):
            continue
        document = inner.parts[0] if len(inner.parts) > 1 else root.name
        found.append(Script(path, document, inner.as_posix()))
    if not found and folder is not None:
        raise ValueError(f"folder of verification scripts {str(folder)!r} holds no *.py file")
    return found


def script_of(path: Path) -> Script:
    """The script at a path, whatever folder it lies in."""
    path = Path(path).resolve()
    own = (scripts_root() / "verify").resolve()
    if own in path.parents:
        inner = path.relative_to(own)
        return Script(path, inner.parts[0], inner.as_posix())
    return Script(path, path.parent.name, f"{path.parent.name}/{path.name}")


def load_module(path: Path, root: Path | None = None) -> ModuleType:
    """A script as a module: one of ``verify/`` by its dotted name, another executed anew.

    Parameters
    ----------
    root : the folder of scripts that a user's script belongs to, whose modules it may share; by default the one it lies in.
    """
    wing = wing_module(path)
    if wing is not None:
        return importlib.import_module(wing)
    path = Path(path).resolve()
    name = own_module(path, path.parent if root is None else Path(root).resolve())
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"script {path.name!r} cannot be loaded as a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses resolve their annotations through sys.modules
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _module_of(script: Script) -> ModuleType:
    """The module of a script: the one that another script imported just now, if there is one."""
    if wing_module(script.path) is None:
        shared = sys.modules.get(own_module(script.path, script.root))
        if shared is not None:
            return shared
    return load_module(script.path, script.root)


def _claims_in(value: object) -> Iterator[Claim]:
    if isinstance(value, Claim):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _claims_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _claims_in(item)


def claims_of(module: ModuleType) -> dict[str, Claim]:
    """The claims among a module's globals, by id, in the order of definition.

    Raises
    ------
    ValueError : two different claims with one id.
    """
    found: dict[str, Claim] = {}
    for name, value in vars(module).items():
        if name.startswith("__"):
            continue
        for claim in _claims_in(value):
            if found.setdefault(claim.id, claim) is not claim:
                lines = " and ".join(str(check_line(one)[1]) for one in (found[claim.id], claim))
                raise ValueError(f"claim {claim.id} is defined twice in {_file(module)} (lines {lines})")
    return found


def _file(module: ModuleType) -> str:
    return Path(module.__file__ or module.__name__).name


def check_line(claim: Claim) -> tuple[str, int]:
    """The file of a claim's check and its first line, decorators included."""
    check = inspect.unwrap(claim.check)
    code = getattr(check, "__code__", None)
    return ("", 0) if code is None else (code.co_filename, code.co_firstlineno)


def place_of(claim: Claim, script: Script) -> str:
    """``lemma.py:12``, where a claim is; the script alone, where its check is not written there."""
    file, line = check_line(claim)
    return f"{script.name}:{line}" if file == str(script.path) else script.name


def _told(error: BaseException, script: Script) -> str:
    """An error in one line, with the file and the line of the folder that it comes from."""
    text = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    places = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        places.append((Path(error.filename), error.lineno))
    inside = [(path.relative_to(script.root), line) for path, line in places if script.root in path.parents]
    return f"{inside[-1][0].as_posix()}:{inside[-1][1]}: {said}" if inside else f"{script.name}: {said}"


@dataclass(frozen=True)
class Catalogue:
    """Claims with the script that each one comes from, and the scripts that could not be loaded."""

    claims: Mapping[str, Claim]
    scripts: Mapping[str, Script]
    broken: Mapping[str, str]

    def ids_of(self, claim_id: str) -> list[str]:
        """The rows that belong to a claim or sub-row: itself, its readings, parts, repairs and sharpenings."""
        return [row for row in self.claims if row == claim_id or claim_id in _ancestors(row)]


def _ancestors(row_id: str) -> list[str]:
    above = ids.parent(row_id)
    return [] if above is None else [above, *_ancestors(above)]


def load(scripts: Iterable[Script]) -> Catalogue:
    """Load scripts; one that fails is recorded with its last traceback line, and the others are still loaded."""
    claims: dict[str, Claim] = {}
    origin: dict[str, Script] = {}
    broken: dict[str, str] = {}
    scripts = list(scripts)
    for root in {script.root for script in scripts}:
        forget_own(root)
    with _without_collections():
        for script in scripts:
            try:
                found = claims_of(_module_of(script))
                _require_kept(script)
                for row_id, claim in found.items():
                    _require_free(row_id, claim, script, claims, origin)
            except (Exception, SystemExit) as error:
                broken[script.name] = _told(error, script)
                continue
            claims.update(found)
            origin.update(dict.fromkeys(found, script))
    return Catalogue(claims, origin, broken)


def _require_kept(script: Script) -> None:
    """Raise ``ValueError`` where a decorated function of a user's script has the name of a later one, which hides its claim."""
    if wing_module(script.path) is not None:
        return
    seen: dict[str, int] = {}
    for node in ast.parse(script.path.read_bytes()).body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            if node.name in seen:
                lines = f"{script.name}:{seen[node.name]} and {script.name}:{node.lineno}"
                raise ValueError(f"function {node.name} is defined twice ({lines}), so that the first claim is lost")
            seen[node.name] = node.lineno


def _require_free(
    row_id: str, claim: Claim, script: Script, claims: Mapping[str, Claim], origin: Mapping[str, Script]
) -> None:
    """Raise ``ValueError`` for an id that another script has."""
    if row_id in claims:
        here = place_of(claim, script)
        raise ValueError(f"claim {row_id} ({here}) is defined in {place_of(claims[row_id], origin[row_id])} as well")


def without_taken(catalogue: Catalogue) -> Catalogue:
    """The catalogue of a user's folder, in which a script with an id of the package's own claims counts as broken."""
    broken = dict(catalogue.broken)
    for row_id, script in catalogue.scripts.items():
        if ids.base(row_id) in ids.index():
            here = place_of(catalogue.claims[row_id], script)
            words = f"{here}: ValueError: claim {row_id} has an id of the package's own claims; expected another prefix"
            broken.setdefault(script.name, words)
    kept = {row_id: script for row_id, script in catalogue.scripts.items() if script.name not in broken}
    return Catalogue({row_id: catalogue.claims[row_id] for row_id in kept}, kept, broken)


@contextmanager
def _without_collections() -> Iterator[None]:
    """What scripts build stays, so that looking for garbage meanwhile takes time and finds little."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def load_for(wanted: Iterable[str] | None, folder: Path | None = None) -> Catalogue:
    """The catalogue, restricted (when ``wanted`` is given) to scripts whose text mentions one of those claims.

    The restriction only saves time: where a wanted id is found in no text, or the scripts found do not define it (an id
    that a script computes), every script is loaded.
    """
    scripts = find_scripts(folder)
    if wanted is None:
        return load(scripts)
    names = list(wanted)
    texts = {script: script.path.read_text(encoding="utf-8", errors="replace") for script in scripts}
    hits = {name: [script for script, text in texts.items() if ids.base(name) in text] for name in names}
    if not all(hits.values()):
        return load(scripts)
    chosen = {script for found in hits.values() for script in found}
    catalogue = load(script for script in scripts if script in chosen)
    defined = {ids.base(claim) for claim in catalogue.claims} | set(catalogue.claims)
    names += [part for name in names for part in parts_of(catalogue.claims.get(name))]
    return catalogue if defined.issuperset(names) else load(scripts)


def declared_rows(folder: Path) -> list[dict[str, Any]]:
    """What the scripts of a user's folder state of their claims, without running them.

    Raises
    ------
    ValueError : the folder does not exist, holds no script, or one that cannot be loaded.
    """
    from fltheory.evidence.rows import declared

    catalogue = load(find_scripts(folder))
    for name, error in catalogue.broken.items():
        raise ValueError(f"script {name} cannot be loaded: {error}")
    rows = (declared(claim, document=catalogue.scripts[row].document) for row, claim in catalogue.claims.items())
    return [{**row, "verdict": "not run", "rung": ""} for row in rows]


@dataclass(frozen=True, repr=False)
class ClaimEntry(Shown, Framed):
    """A claim seen from Python: what the ledger says about it, and the programs that fill its rows."""

    id: str
    rows: tuple[Mapping[str, Any], ...]

    def headline(self) -> str:
        first, more = self.rows[0], len(self.rows) - 1
        beside = f" (+ {more} row{'s' if more > 1 else ''})" if more else ""
        return f"{first['id']}: {first['verdict']}{beside}. {first.get('summary', '')}".rstrip()

    def facts(self) -> list[tuple[str, str]]:
        statement = [("statement", f"${self.statement}$")] if self.statement else []
        words = [(str(row["id"]), f"{row['verdict']}. {row.get('summary', '')}".rstrip()) for row in self.rows]
        return [*statement, *words]

    def _repr_latex_(self) -> str:
        return f"${self.statement}$"

    def records(self) -> list[dict[str, Any]]:
        """One dict per row: id, verdict, proof_verdict, rung, summary."""
        names = ("id", "verdict", "proof_verdict", "rung", "summary")
        return [{name: str(row.get(name, "")) for name in names} for row in self.rows]

    def __str__(self) -> str:
        """A line per row: id, verdict, summary."""
        return "\n".join(f"{row['id']}: {row['verdict']}. {row.get('summary', '')}".rstrip() for row in self.rows)

    @property
    def verdict(self) -> str:
        """Verdict on the statement."""
        return str(self.rows[0]["verdict"])

    @property
    def proof_verdict(self) -> str:
        """Verdict on the printed proof, empty where none was judged."""
        return str(self.rows[0].get("proof_verdict", ""))

    @property
    def statement(self) -> str:
        """LaTeX of the claim (of its sub-rows, where it has no row of its own)."""
        own = [str(row["statement"]) for row in self.rows[:1] if row.get("statement")]
        return (own or ["; ".join(str(row["statement"]) for row in self.rows[1:] if row.get("statement"))])[0]

    @property
    def claims(self) -> dict[str, Claim]:
        """The programs of this claim's rows, by row id."""
        catalogue = load_for([self.id])
        return {row: catalogue.claims[row] for row in catalogue.ids_of(self.id)}

    def run(self) -> list[dict[str, Any]]:
        """Run the claim and its controls now, in this process."""
        from fltheory.evidence.rows import row_of

        return [row_of(claim, document=ids.index().get(self.id, "")) for claim in self.claims.values()]


class Claims(Mapping[str, ClaimEntry]):
    """All claims of all documents by id: ``claims["LI-LEM3"]``; sub-rows are found by their own id."""

    def __getitem__(self, claim_id: str) -> ClaimEntry:
        from fltheory.evidence.ledger import read_ledger

        ledger = read_ledger()
        if claim_id not in ledger:
            if not isinstance(claim_id, str):
                raise KeyError(f"no claim {claim_id!r}; expected an id such as 'LI-LEM3'")
            near = ", ".join(ids.closest(claim_id, ledger))
            raise KeyError(f"no claim {claim_id!r}" + (f"; similar: {near}" if near else ""))
        family = [claim_id, *(row for row in ledger if claim_id in _ancestors(row))]
        return ClaimEntry(claim_id, tuple(ledger[row] for row in family))

    def __iter__(self) -> Iterator[str]:
        return iter(ids.index())

    def __len__(self) -> int:
        return len(ids.index())

    def __repr__(self) -> str:
        return f"<{len(self)} claims of {len(ids.documents())} documents>"

    def _repr_html_(self) -> str:
        from fltheory.evidence.ledger import read_ledger

        counts = Counter(str(row["verdict"]) for row in read_ledger().values())
        return f"<p>{escaped(repr(self))}</p>" + html_table(
            ("verdict", "rows"), [(v, str(n)) for v, n in counts.items()]
        )


claims = Claims()
