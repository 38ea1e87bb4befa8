"""Keys follow the sources a script reaches; merging never weakens what is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fltheory.evidence import keys, merging, store


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small package named like ours, so that its sources can be changed."""
    root = tmp_path / "fltheory"
    for name, text in {
        "__init__.py": "",
        "a.py": "from fltheory.b import f\n",
        "b.py": "def f():\n    from .sub.c import g\n    return g()\n",
        "sub/__init__.py": "def __getattr__(name): ...\n",
        "sub/c.py": "g = 1\n",
        "other.py": "x = 1\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    monkeypatch.setattr(keys, "PACKAGE", root)
    keys.forget()
    yield root
    keys.forget()


def key(script: Path) -> str:
    keys.forget()
    return keys.key_of(script)


def script(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "script.py"
    path.write_text(text)
    return path


def test_a_key_changes_with_what_is_reached_and_with_nothing_else(package: Path, tmp_path: Path) -> None:
    path = script(tmp_path, "from fltheory.a import f\nif __name__ == '__main__':\n    import fltheory.other\n")
    assert keys.reached_by(path) == ["fltheory.a", "fltheory.b", "fltheory.sub.c"]
    before = key(path)
    (package / "other.py").write_text("x = 2\n")
    (package / "a.py").write_bytes(b"from fltheory.b import f\r\n")
    assert key(path) == before
    (package / "sub/c.py").write_text("g = 2\n")
    changed = key(path)
    assert changed != before
    path.write_text(path.read_text() + "# more\n")
    assert key(path) not in (before, changed)


@pytest.mark.parametrize(
    ("text", "reached"),
    [
        ("import fltheory as fl", {"a", "b", "sub", "sub.c", "other"}),
        ("from fltheory import a", {"a", "b", "sub.c"}),
        ("from fltheory.sub import anything", {"sub", "sub.c"}),
        ("import fltheory.other", {"other"}),
        ("import numpy", set()),
    ],
)
def test_lazy_packages_count_as_a_whole(package: Path, tmp_path: Path, text: str, reached: set[str]) -> None:
    found = {name.removeprefix("fltheory.") for name in keys.reached_by(script(tmp_path, text))}
    assert found - {"fltheory"} == reached


@pytest.mark.parametrize("file", ["shared.py", "shared/__init__.py"])
@pytest.mark.parametrize(
    "text", ["from verify.paper import shared", "from verify.paper.shared import g", "import verify.paper.shared"]
)
def test_what_scripts_share_counts_with_all_that_it_reaches(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, file: str
) -> None:
    monkeypatch.setattr(keys, "scripts_root", lambda: tmp_path)
    shared = tmp_path / "verify" / "paper" / file
    shared.parent.mkdir(parents=True)
    shared.write_text("from fltheory.a import f\ndata = 'rates'\ng = 1\n")
    (tmp_path / "results" / "experiments").mkdir(parents=True)
    (tmp_path / "results" / "experiments" / "rates.npz").write_bytes(b"1")
    path = script(tmp_path, text)
    assert keys.reached_by(path) == ["fltheory.a", "fltheory.b", "fltheory.sub.c", "verify.paper.shared"]
    seen = {key(path)}
    for change in (
        lambda: shared.write_text(shared.read_text() + "g = 2\n"),
        lambda: (package / "sub/c.py").write_text("g = 2\n"),
        lambda: (tmp_path / "results" / "experiments" / "rates.npz").write_bytes(b"2"),
    ):
        change()
        assert key(path) not in seen
        seen.add(key(path))


def test_texts_for_people_have_no_say_in_what_checks_find() -> None:
    folder = Path(keys.__file__).parent / "texts"
    modules = {f"fltheory.evidence.texts.{path.stem}" for path in folder.glob("*.py") if path.stem != "__init__"}
    assert modules and modules | {"fltheory.evidence.texts"} <= keys.MACHINERY


def row(
    row_id: str = "LI-LEM3", rung: str = "proof", outcome: str = "holds", key: str = "k", **more: Any
) -> dict[str, Any]:
    fields = dict(
        id=row_id,
        rung=rung,
        outcome=outcome,
        verdict=outcome,
        key=key,
        status="done",
        problems=[],
        error="",
        document="li2020",
        certificate={"type": "identity", "expressions": ["x - x"]},
        seconds=1.0,
    )
    return {**fields, **more}


def merged(kept: dict[str, Any], new: dict[str, Any], **options: Any) -> tuple[bool, list[str]]:
    rows, refusals = merging.merge({kept["id"]: kept}, [new], **options)
    return rows[kept["id"]] is new, refusals


@pytest.mark.parametrize("new_key", ["k", "changed"])
def test_a_weaker_rung_never_replaces_a_stronger_one(new_key: str) -> None:
    replaced, refusals = merged(row(), row(rung="sample", outcome="not refuted", key=new_key))
    assert not replaced and "weaker" in refusals[0]
    assert merged(row(rung="sample"), row())[0]
    assert merged(row(), row(margin=2.0))[0]


def test_exceptions_to_the_rule_are_a_refutation_by_changed_code_and_a_person() -> None:
    assert merged(row(), row(rung="exact", outcome="refuted", key="changed"))[0]
    assert not merged(row(), row(rung="exact", outcome="refuted", key="k"))[0]
    assert merged(row(), row(rung="exact"), lower=["LI-LEM3"])[0]


def test_broken_rows_are_not_kept() -> None:
    for bad in (row(problems=["a control survived"]), row(status="timeout", rung="", error="late")):
        assert merged(row(), bad) == (False, [merging.refusal(None, bad)])


def test_rows_of_no_claim_stay_until_they_are_retired() -> None:
    both = {"LI-LEM3": row(), "LI-LEM1": row("LI-LEM1")}
    rows, refusals = merging.merge(both, [], exist={"LI-LEM1"})
    assert list(rows) == ["LI-LEM3", "LI-LEM1"] and "--retire LI-LEM3 REASON" in refusals[0]
    rows, refusals = merging.merge(both, [], exist={"LI-LEM1"}, retire={"LI-LEM3"})
    assert list(rows) == ["LI-LEM1"] and not refusals


def test_what_says_less_is_refused_and_what_is_damaged_says_nothing() -> None:
    full = row(controls=[{"name": "one"}, {"name": "two"}])
    assert not merged(full, {**full, "certificate": None})[0]
    assert not merged(full, {**full, "controls": full["controls"][:1]})[0]
    assert merged(full, {**full, "certificate": None}, lower=["LI-LEM3"])[0]
    assert merged({**full, "damaged": True}, row(rung="exact"))[0]
    with pytest.raises(ValueError, match="verify --write LI-LEM3 computes the row anew"):
        merging.merge({"LI-LEM3": {**full, "damaged": True}}, [])


def test_evidence_survives_writing_and_reading(tmp_path: Path) -> None:
    kept = {"LI-LEM3": row(certificate={"type": "identity", "expressions": ["x - x"]}), "LI-LEM1": row("LI-LEM1")}
    store.write_evidence(tmp_path, kept)
    again = store.read_evidence(tmp_path)
    assert list(again) == ["LI-LEM1", "LI-LEM3"]
    assert store.render_evidence(again) == store.render_evidence(kept)
    assert again["LI-LEM3"]["certificate"] == kept["LI-LEM3"]["certificate"]
    assert "seconds" not in again["LI-LEM3"]
    store.write_evidence(tmp_path, {})
    assert store.read_evidence(tmp_path) == {}


def test_files_of_evidence_hold_facts_and_the_file_of_keys_holds_keys(tmp_path: Path) -> None:
    store.write_evidence(tmp_path, {"LI-LEM3": row(key="one"), "LI-LEM1": row("LI-LEM1", key="two")})
    facts = (store.evidence_folder(tmp_path) / "li2020.jsonl").read_text()
    assert "key" not in facts and "one" not in facts
    table = [line.split("\t") for line in store.keys_path(tmp_path).read_text().splitlines()]
    assert [line[:2] for line in table] == [["id", "key"], ["LI-LEM1", "two"], ["LI-LEM3", "one"]]
    assert all(len(line) == 4 for line in table)
    store.write_evidence(tmp_path, {"LI-LEM3": row(key="new"), "LI-LEM1": row("LI-LEM1", key="two")})
    assert (store.evidence_folder(tmp_path) / "li2020.jsonl").read_text() == facts
    store.keys_path(tmp_path).unlink()
    assert {kept["key"] for kept in store.read_evidence(tmp_path).values()} == {""}


@pytest.mark.parametrize("writes", range(7))
def test_a_writing_that_is_cut_off_makes_rows_stale_and_never_falsely_fresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    lecture = {"document": "lecture2022"}
    before = {
        "LI-LEM1": row("LI-LEM1", key="old"),
        "LI-LEM2": row("LI-LEM2", key="old"),
        "LI-LEM3": row("LI-LEM3", key="kept"),
        "LEC-MEAN": row("LEC-MEAN", key="old", **lecture),
    }
    after = {
        "LI-LEM1": row("LI-LEM1", key="new", margin=2.0),  # other facts by other code
        "LI-LEM2": row("LI-LEM2", key="old", margin=2.0),  # other facts by the same code
        "LI-LEM3": row("LI-LEM3", key="kept"),
        "LEC-MEAN": row("LEC-MEAN", key="new", **lecture),  # the same facts by other code
    }
    store.write_evidence(tmp_path, before)
    write, done = store.write_text, []

    def cut_off(path: Path, text: str) -> None:
        if len(done) == writes:
            raise KeyboardInterrupt
        write(path, text)
        done.append(path.name)

    monkeypatch.setattr(store, "write_text", cut_off)
    if writes < 6:
        with pytest.raises(KeyboardInterrupt):
            store.write_evidence(tmp_path, after)
    else:
        store.write_evidence(tmp_path, after)

    def pair(found: dict[str, Any]) -> tuple[str, Any]:
        return found["key"], found.get("margin")

    for row_id, found in store.read_evidence(tmp_path).items():
        assert pair(found) in (pair(before[row_id]), pair(after[row_id])) or not found["key"]
        assert found["key"] if row_id == "LI-LEM3" or writes == 6 else True
    assert len(store.read_evidence(tmp_path)) == 4
    assert not any(found["damaged"] for found in store.read_evidence(tmp_path).values())


def test_facts_changed_by_hand_are_damaged(tmp_path: Path) -> None:
    store.write_evidence(tmp_path, {"LI-LEM3": row(versions="numpy 2"), "LI-LEM1": row("LI-LEM1")})
    path = store.evidence_folder(tmp_path) / "li2020.jsonl"
    path.write_text(path.read_text().replace('"holds"', '"holds "', 1))
    found = store.read_evidence(tmp_path)
    assert [found[name]["damaged"] for name in ("LI-LEM1", "LI-LEM3")] == [True, False]
    assert found["LI-LEM3"]["versions"] == "numpy 2"
    table = store.versions_path(tmp_path)
    table.write_text(table.read_text().replace("numpy 2", "numpy 1"))
    assert store.read_evidence(tmp_path)["LI-LEM3"]["damaged"]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda text: text + "<<<<<<< HEAD\n", "li2020.jsonl, line 3: '<<<<<<< HEAD' is no row"),
        (lambda text: text + text, "line 3: LI-LEM1 has two rows"),
        (lambda text: text[:-20], "line 2: .* is no row"),
        (lambda text: text.replace("LI-LEM1", "LI-LEM3"), "line 2: LI-LEM3 has two rows"),
        (lambda text: text.replace("li2020", "lecture2022"), "line 1: LI-LEM1 is of document 'lecture2022'"),
        (lambda text: "\n" + text, "line 1: '' is no row"),
        (lambda text: "[1]\n" + text, "line 1: .* is no row"),
    ],
)
def test_files_are_read_strictly(tmp_path: Path, edit: Any, words: str) -> None:
    store.write_evidence(tmp_path, {"LI-LEM3": row(), "LI-LEM1": row("LI-LEM1")})
    path = store.evidence_folder(tmp_path) / "li2020.jsonl"
    path.write_text(edit(path.read_text()))
    with pytest.raises(ValueError, match=words):
        store.read_evidence(tmp_path)


@pytest.mark.parametrize("line", ["LI-LEM9\tk", "LI-LEM1\tk\t-\td", "=======", "id\tkey\tversions\tdigest"])
def test_the_file_of_keys_is_read_strictly(tmp_path: Path, line: str) -> None:
    store.write_evidence(tmp_path, {"LI-LEM1": row("LI-LEM1")})
    path = store.keys_path(tmp_path)
    path.write_text(f"{path.read_text()}{line}\n" if "id" not in line else path.read_text().partition("\n")[2])
    with pytest.raises(ValueError, match="keys.tsv, line"):
        store.read_evidence(tmp_path)
