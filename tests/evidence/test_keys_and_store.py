"""Keys follow the sources a script reaches; merging never weakens what is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fltheory.evidence import keys, store


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


@pytest.mark.parametrize(
    "text", ["from verify.paper import shared", "from verify.paper.shared import g", "import verify.paper.shared"]
)
def test_what_scripts_share_counts_with_all_that_it_reaches(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(keys, "scripts_root", lambda: tmp_path)
    shared = tmp_path / "verify" / "paper" / "shared.py"
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
        certificate=None,
        seconds=1.0,
    )
    return {**fields, **more}


def merged(kept: dict[str, Any], new: dict[str, Any], **options: Any) -> tuple[bool, list[str]]:
    rows, refusals = store.merge({kept["id"]: kept}, [new], **options)
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


def test_broken_rows_are_not_kept_and_orphans_are_dropped() -> None:
    for bad in (row(problems=["a control survived"]), row(status="timeout", rung="", error="late")):
        assert merged(row(), bad) == (False, [store.refusal(None, bad)])
    rows, _ = store.merge({"LI-LEM3": row(), "LI-LEM1": row("LI-LEM1")}, [], exist={"LI-LEM1"})
    assert list(rows) == ["LI-LEM1"]


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
    assert store.keys_path(tmp_path).read_text() == "id\tkey\nLI-LEM1\ttwo\nLI-LEM3\tone\n"
    store.write_evidence(tmp_path, {"LI-LEM3": row(key="new"), "LI-LEM1": row("LI-LEM1", key="two")})
    assert (store.evidence_folder(tmp_path) / "li2020.jsonl").read_text() == facts
    store.keys_path(tmp_path).unlink()
    assert {kept["key"] for kept in store.read_evidence(tmp_path).values()} == {""}


@pytest.mark.parametrize("writes", range(5))
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
    if writes < 4:
        with pytest.raises(KeyboardInterrupt):
            store.write_evidence(tmp_path, after)
    else:
        store.write_evidence(tmp_path, after)

    def pair(found: dict[str, Any]) -> tuple[str, Any]:
        return found["key"], found.get("margin")

    for row_id, found in store.read_evidence(tmp_path).items():
        assert pair(found) in (pair(before[row_id]), pair(after[row_id])) or not found["key"]
        assert found["key"] if row_id == "LI-LEM3" or writes == 4 else True
    assert len(store.read_evidence(tmp_path)) == 4


def test_a_journal_cut_off_in_the_middle_of_a_line_is_read(tmp_path: Path) -> None:
    journal = store.Journal(tmp_path)
    assert journal.read() == {}
    journal.append(row())
    with open(journal.path, "a") as file:
        file.write('{"id": "LI-LEM')
    assert journal.read() == {"LI-LEM3": row()}
    journal.clear()
    assert journal.read() == {}
