"""A file is written whole, or what was there stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from fltheory.files import written_whole


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
