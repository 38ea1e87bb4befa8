"""The IDX format of MNIST and Fashion-MNIST, from the user's own files, gzipped or not."""

from __future__ import annotations

import gzip
import math
import zlib
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from fltheory.limits import IDX_BYTES
from fltheory.problems.checks import Array, check_choice, check_path
from fltheory.problems.data.federated import LabelledData

TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
DEBIAN_FASHION_MNIST = "/usr/share/datasets/fashion-mnist"
PREFIX = {"train": "train", "test": "t10k"}


def read_idx(path: Path | str) -> Array:
    """The array in an IDX file.

    Raises
    ------
    FileNotFoundError : there is no such file.
    ValueError : it is none, is cut off, is longer than its header says, or unpacks to more than
        :data:`fltheory.limits.IDX_BYTES`.
    """
    path = check_path("path", path)
    if not path.exists():
        raise FileNotFoundError(f"{path.name} does not exist in {path.parent}; expected an IDX file")
    try:
        with _opened(path) as file:
            shape, dtype = _header(path.name, file)
            expected = math.prod(shape) * dtype.itemsize
            if expected > IDX_BYTES:
                raise ValueError(f"{path.name} holds {expected} bytes for shape {shape}; expected at most {IDX_BYTES}")
            raw = file.read(expected + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path.name} is a damaged gzip file: {error}") from None
    if len(raw) != expected:
        length = f"more than {expected}" if len(raw) > expected else str(len(raw))
        raise ValueError(f"{path.name} has {length} bytes after its header; expected {expected} for shape {shape}")
    array = np.frombuffer(raw, dtype).reshape(shape)
    return np.asarray(array.astype(dtype.newbyteorder("=")))


def _opened(path: Path) -> IO[bytes]:
    """The file, or what is packed in it, as a stream: an archive that unpacks to more than its header says is read no further."""
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    opened: Any = gzip.open if packed else open
    return cast(IO[bytes], opened(path, "rb"))


def _header(name: str, file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of the numbers that follow."""
    magic = file.read(4)
    if len(magic) < 4 or magic[:2] != b"\x00\x00" or magic[2] not in TYPES:
        raise ValueError(f"{name} starts with {magic.hex()}; expected the IDX magic 0000, a known type, a rank")
    sizes = file.read(4 * magic[3])
    if len(sizes) < 4 * magic[3]:
        raise ValueError(f"{name} has {4 + len(sizes)} bytes; expected a header of {4 + 4 * magic[3]}")
    return tuple(int(n) for n in np.frombuffer(sizes, ">u4")), np.dtype(TYPES[magic[2]])


def load_idx(folder: Path | str, *, part: str = "train", name: str = "MNIST") -> LabelledData:
    """Images in [0, 1] and labels from a folder with the four files of MNIST or Fashion-MNIST.

    The names are ``train-images-idx3-ubyte`` and the like (also with a dot before ``idx``, also with ``.gz``);
    ``part`` is ``"train"`` or ``"test"``.  ``FileNotFoundError`` says which file is missing.
    """
    check_choice("part", part, tuple(PREFIX))
    place = check_path("folder", folder)
    images = read_idx(_find(place, f"{PREFIX[part]}-images", "idx3-ubyte", name))
    labels = read_idx(_find(place, f"{PREFIX[part]}-labels", "idx1-ubyte", name))
    if images.ndim != 3 or labels.shape != images.shape[:1]:
        raise ValueError(f"images have shape {images.shape} and labels {labels.shape}; expected (n, h, w) and (n,)")
    return LabelledData(images.reshape(len(images), -1) / 255.0, labels.astype(np.int64), 10, name)


def load_fashion_mnist(folder: Path | str = DEBIAN_FASHION_MNIST, *, part: str = "train") -> LabelledData:
    """Fashion-MNIST from its IDX files; the default folder is that of Debian's package dataset-fashion-mnist."""
    return load_idx(folder, part=part, name="Fashion-MNIST")


def _find(folder: Path, stem: str, kind: str, name: str) -> Path:
    candidates = [folder / f"{stem}{dot}{kind}{end}" for dot in "-." for end in ("", ".gz")]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise FileNotFoundError(
        f"{name}: {stem}-{kind}[.gz] is not in the folder {str(folder)!r}; put the four IDX files of {name} there, "
        "or use load_digits (built in) or mnist_subset (pip install 'fltheory[data]')"
    )
