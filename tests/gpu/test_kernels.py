"""The kernels' text: it compiles for devices, its integers are those of the streams, its barriers are all there."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpu_on_host import COMPILER, call, compiled

from fltheory import streams
from fltheory.gpu import source
from fltheory.readings.draws import slot_keys

on_host = pytest.mark.skipif(COMPILER is None, reason="no g++ to compile the kernels for this processor")

PROBES = """
extern "C" __global__ void probe_keys(Key* out, const Key* roots, Key round, const Index* clients, const Index* occurrence) {
    out[blockIdx.x] = slot_key(roots[0], round, (Key)clients[blockIdx.x], occurrence[blockIdx.x]);
}
extern "C" __global__ void probe_draws(double* u, double* z, Key key, Key step, int count) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) u[i] = uniform(fold(key, step), i);
    normals(z, key, step, count);
}
extern "C" __global__ void probe_batch(Index* rows, Index* places, Key key, Key step, int count, Index size, int replacement) {
    choose(rows, places, key, step, count, size, replacement);
}
"""


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
@pytest.mark.parametrize("file", source.FILES)
def test_nvcc_makes_code_of_it_without_a_warning(file: str, tmp_path: Path) -> None:
    (tmp_path / "kernels.cu").write_text(source.text(file), encoding="utf-8")
    command = ["nvcc", "-ptx", "-std=c++17", "-Werror", "all-warnings", "-o", "kernels.ptx", "kernels.cu"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    code = (tmp_path / "kernels.ptx").read_text("utf-8")
    for kernel in source.declared(source.text(file)):
        assert f".entry {kernel}(" in code


@pytest.mark.parametrize("file", source.FILES)
def test_nvrtc_makes_code_of_it(file: str) -> None:
    """As CuPy compiles it, for the oldest device that is taken and for a new one."""
    nvrtc = _nvrtc()
    if nvrtc is None:
        pytest.skip("no NVRTC: the module nvidia.cuda_nvrtc is not installed")
    for capability in ("70", "90"):
        program, options = ctypes.c_void_p(), [b"--std=c++17", f"--gpu-architecture=compute_{capability}".encode()]
        assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.text(file).encode(), b"k.cu", 0, None, None) == 0
        given = (ctypes.c_char_p * len(options))(*options)
        failed = nvrtc.nvrtcCompileProgram(program, len(options), given)
        log = ctypes.create_string_buffer(20_000)
        nvrtc.nvrtcGetProgramLog(program, log)
        assert failed == 0, log.value.decode()


def _nvrtc() -> Any:
    try:
        found = importlib.util.find_spec("nvidia.cuda_nvrtc")
    except ModuleNotFoundError:
        return None
    folders = [] if found is None else list(found.submodule_search_locations or [])
    files = [path for folder in folders for path in Path(folder).rglob("libnvrtc.so*")]
    return ctypes.CDLL(str(files[0])) if files else None


def test_declarations_are_read() -> None:
    known = {kernel for file in source.FILES for kernel in source.declared(source.text(file))}
    assert known >= {"softmax_steps", "linear_steps", "quadratic_steps", "weighted_sum", "watch"}
    assert len(known) == sum(source.text(file).count("__global__") for file in source.FILES)
    assert source.declared(source.text("rounds"))["watch"][:4:3] == (
        ("x", np.float64, True),
        ("bound", np.float64, False),
    )


def _keys(text: str) -> tuple[Any, Any]:
    clients, occurrence = np.array([0, 1, 7, 7, 0xFFFF_FFFE]), np.array([0, 0, 0, 2, 0])
    root = streams.fold(streams.mix(np.uint64(2**63 + 5)), np.array([41]))
    out = np.zeros(5, dtype=np.uint64)
    call(text, "probe_keys", 5, 1, 0, [out, root, np.uint64(3), clients, occurrence])
    return out, slot_keys(2**63 + 5, np.array([41]), 3, clients[None], occurrence[None])[0]


@on_host
def test_keys_are_those_of_the_streams() -> None:
    text = source.text("rounds") + PROBES
    out, right = _keys(text)
    np.testing.assert_array_equal(out, right)
    # The control: one digit of one constant.
    out, right = _keys(text.replace("0x94D049BB133111EB", "0x94D049BB133111EA"))
    assert (out != right).all()


@on_host
@pytest.mark.parametrize("threads", [1, 5, 128])
def test_draws_are_those_of_the_streams(threads: int) -> None:
    text, key = source.text("rounds") + PROBES, streams.key(3, 0, 1, 2)
    u, z = np.zeros(201), np.zeros(201)
    call(text, "probe_draws", 1, threads, 0, [u, z, np.uint64(key), np.uint64(9), np.int32(201)])
    np.testing.assert_array_equal(u, streams.uniforms(key, 9, np.arange(201)))
    np.testing.assert_allclose(z, streams.normals(key, 9, 201), rtol=1e-12)


@on_host
@pytest.mark.parametrize("threads", [1, 5, 64])
@pytest.mark.parametrize("replacement", [False, True])
def test_batches_are_those_of_the_streams(threads: int, replacement: bool) -> None:
    text = source.text("rounds") + PROBES
    for step, (count, size) in enumerate([(1, 1), (24, 24), (24, 31), (10, 400), (70, 75)]):
        key = streams.key(7, step, 0, 1)
        u = streams.uniforms(key, step, np.arange(count))
        choose = streams.choose_with_replacement if replacement else streams.choose_without_replacement
        for backwards in (False, True):
            rows, places = np.full(count, -1), np.full(count, -1)
            values = [
                rows,
                places,
                np.uint64(key),
                np.uint64(step),
                np.int32(count),
                np.int64(size),
                np.int32(replacement),
            ]
            call(text, "probe_batch", 1, threads, 0, values, backwards=backwards)
            np.testing.assert_array_equal(rows, choose(u, size))


def _steps(text: str, kernel: str, size: int, *, threads: int, backwards: bool) -> Any:
    """Three steps of a kernel on two runs of two slots, from one recipe of numbers for all kernels."""
    rng = np.random.default_rng(0)
    d = 6
    arrays = {
        "out": np.full((2, 2, d), np.nan),
        "x": rng.normal(size=(2, d)),
        "shift": rng.normal(size=(2, 2, d)),
        "rates": np.array([0.1, 0.2, 0.05]),
        "clients": np.array([[0, 2], [1, 0]]),
        "scales": np.array([1.0, 2.0, 0.5]),
        "roots": streams.mix(np.arange(2)),
        "occurrence": np.zeros((2, 2), dtype=np.int64),
        "work": np.zeros(1),
        "features": rng.normal(size=(90, d)),
        "labels": rng.integers(0, 2, 90),
        "targets": 2.0 * rng.integers(0, 2, 90) - 1,
        "starts": np.array([0, 40, 50, 90]),
        "inner": np.ones(3),
        "moduli": np.full(3, 0.1),
        "columns": np.eye(d)[None] * np.arange(1, 4)[:, None, None] + 0.1,
        "diagonals": rng.uniform(1, 2, size=(3, d)),
        "off_diagonals": rng.uniform(-1, 1, size=(3, d - 1)),
        "vectors": rng.normal(size=(3, d)),
        "noise_roots": np.eye(d)[None] * np.ones((3, 1, 1)) + 0.1,
        "support": np.zeros((1, 1, 1)),
        "edges": np.ones(1),
    }
    numbers = {
        **{"x_run": d, "x_slot": 0, "shift_run": 2 * d, "shift_slot": d, "shifted": 1, "steps": 3, "keep": 1.0},
        **{"round": 4, "first_client": 0, "first": 6, "slots": 2, "room": 0, "size": size, "replacement": 0},
        **{"inputs": 3 if "softmax" in kernel else d, "classes": 2, "modulus": 0.1, "link": 1},
        **{"d": d, "kind": 2, "n_roots": 3, "n_support": 1, "n_edges": 1},
    }
    values = [arrays[name] if array else kind(numbers[name]) for name, kind, array in source.declared(text)[kernel]]
    call(text, kernel, 4, threads, 48 * 1024, values, backwards=backwards)
    return arrays["out"]


@on_host
@pytest.mark.parametrize("kernel", ["softmax_steps", "linear_steps", "quadratic_steps", "tridiagonal_steps"])
def test_a_block_may_have_any_number_of_threads_in_any_order(kernel: str) -> None:
    text, orders = source.text(source.home(kernel)), ((4, False), (4, True), (33, True))

    def seen(size: int) -> list[Any]:
        return [_steps(text, kernel, size, threads=threads, backwards=backwards) for threads, backwards in orders]

    one = {size: _steps(text, kernel, size, threads=1, backwards=False) for size in (0, 8)}
    for size, right in one.items():
        assert np.isfinite(right).all()
        for out in seen(size):
            np.testing.assert_array_equal(out, right)
    # The control: without any one of its barriers, those of a batch that is drawn among them, the order of the threads shows.
    drawn = text[: text.index("struct Points")].count("__syncthreads();")
    before, own = (part.count("__syncthreads();") for part in text.split(f"void {kernel}"))
    mine = text.split(f"void {kernel}")[1].split('extern "C"')[0].count("__syncthreads();")
    assert drawn == before == 2 and own >= mine >= 2
    for barrier in range(0 if "int size" in text.split(f"void {kernel}")[1] else 2, 2 + mine):
        compiled(text).leave_out(barrier)
        try:
            assert any((out != right).any() for size, right in one.items() for out in seen(size)), barrier
        finally:
            compiled(text).leave_out(-1)
