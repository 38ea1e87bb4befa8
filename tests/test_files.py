"""A file is written whole, or what was there stays as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fltheory.files import read_arrays, read_description, require_writable_folder, write_arrays, written_whole


def test_text_and_bytes(tmp_path: Path) -> None:
    with written_whole(tmp_path / "text") as file:
        file.write("a\nb\n")
    with written_whole(tmp_path / "bytes", binary=True) as file:
        file.write(b"\x00\xff")
    assert (tmp_path / "text").read_bytes() == b"a\nb\n"
    assert (tmp_path / "bytes").read_bytes() == b"\x00\xff"


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "kept"
    path.write_text("old")
    with pytest.raises(error), written_whole(path) as file:
        file.write("half of the new")
        raise error
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_arrays_and_what_they_are(tmp_path: Path) -> None:
    path, arrays = tmp_path / "a.npz", {"a/b": np.arange(3.0), "texts": np.array(["x", "yz"]), "one": np.array(True)}
    write_arrays(path, {"schema": 1}, arrays)
    description, found = read_arrays(path, "a result")
    assert description == {"schema": 1} and list(found) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
    assert read_description(path, "a result") == ({"schema": 1}, list(arrays))
    assert [file.name for file in tmp_path.iterdir()] == ["a.npz"]


def test_arrays_that_are_not_written(tmp_path: Path) -> None:
    for name in ("description", "file", "allow_pickle"):
        with pytest.raises(ValueError, match=f"array name '{name}' is reserved"):
            write_arrays(tmp_path / "a.npz", {}, {name: np.zeros(1)})
    with pytest.raises(ValueError, match="array 'a' holds objects"):
        write_arrays(tmp_path / "a.npz", {}, {"a": np.array([None])})
    assert not list(tmp_path.iterdir())


def test_files_of_other_kinds(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_arrays(tmp_path / "none.npz", "a result")
    (tmp_path / "text.npz").write_text("no archive")
    np.save(tmp_path / "single.npy", np.zeros(3))
    np.savez(tmp_path / "bare.npz", a=np.zeros(1))
    write_arrays(tmp_path / "whole.npz", {}, {"a": np.random.default_rng(0).random(10_000)})
    whole = (tmp_path / "whole.npz").read_bytes()
    (tmp_path / "half.npz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "wrong.npz").write_bytes(whole[:5000] + bytes(200) + whole[5200:])
    for name in ("text.npz", "single.npy", "bare.npz", "half.npz", "wrong.npz"):
        with pytest.raises(ValueError, match=f"'{name}' is not a result, or is damaged: "):
            read_arrays(tmp_path / name, "a result")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    require_writable_folder("--output", tmp_path / "new" / "folder")
    with pytest.raises(ValueError, match="--output .*out': 'file' is no folder"):
        require_writable_folder("--output", tmp_path / "file" / "out")
    assert not (tmp_path / "new").exists()
