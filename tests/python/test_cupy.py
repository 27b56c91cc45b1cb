# SPDX-License-Identifier: Apache-2.0
"""Arrays of CuPy."""

import gc

import numpy
import pytest

cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
try:
    cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError as error:
    pytest.skip(f"there is no GPU: {error}", allow_module_level=True)

import jitune  # noqa: E402

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]


OPERATIONS = ["sum", "prod", "min", "max", "argmin", "argmax", "mean", "any", "all", "count_nonzero"]
# Each operation with three dtypes: a kernel of each pair takes long to compile.
PAIRS = [(OPERATIONS[i], DTYPES[(5 * i + j) % len(DTYPES)]) for i in range(len(OPERATIONS)) for j in (0, 4, 9)]


@pytest.mark.parametrize("operation, dtype", PAIRS)
def test_reductions_are_those_of_numpy(operation, dtype, session):
    random = numpy.random.default_rng(1)
    for shape in ((), (1,), (1000,), (7, 300), (300, 7), (3, 4, 5)):
        x = random.integers(0, 2, shape).astype(dtype)
        for layout in (lambda a: a, lambda a: a.T, lambda a: a[..., ::3] if a.ndim else a):
            for axis in (None, 0, -1) if x.ndim else (None,):
                expected = getattr(numpy, operation)(layout(x), axis=axis)
                got = getattr(jitune, operation)(layout(cupy.asarray(x)), axis, session=session)
                assert isinstance(got, cupy.ndarray) and got.shape == numpy.shape(expected)
                assert operation == "count_nonzero" or got.dtype == expected.dtype
                numpy.testing.assert_allclose(got.get().astype("float64"), numpy.asarray(expected, "float64"),
                                              rtol=2e-3 if dtype == "float16" else 1e-6)


def test_out_and_streams(session):
    x = cupy.zeros(1 << 24, "float32")
    out = cupy.zeros((), "float32")
    jitune.sum(x, out=out, session=session)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        for _ in range(50):
            x += 1
        assert jitune.sum(x, out=out, session=session) is out
    stream.synchronize()
    assert out.get() == 50.0 * (1 << 24)


def test_graphs_capture_prepared_handles(session):
    x, out = cupy.zeros(1 << 20, "float32"), cupy.zeros((), "float32")
    handle = jitune.prepare("max", x, session=session)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        handle(x, out)
        graph = stream.end_capture()
        x[77] = 5
        graph.launch()
    stream.synchronize()
    assert out.get() == 5


def test_formulas(session):
    x = cupy.linspace(-3, 5, 1000, dtype="float32")
    got = jitune.map_reduce("m = max(x); s = sum(exp(x - m)); y[i] = exp(x - m) / s", x=x, session=session)
    assert all(isinstance(one, cupy.ndarray) and one.dtype == "float32" for one in got.values())
    assert got["m"].shape == () and got["m"].get() == 5
    expected = numpy.exp(x.get().astype("float64") - 5)
    numpy.testing.assert_allclose(got["y"].get(), expected / expected.sum(), rtol=1e-4)
    place = cupy.zeros((), "float64")
    assert jitune.map_reduce("sum(x * k)", x=x, k=got["m"], out={"result": place}, session=session) is place
    numpy.testing.assert_allclose(place.get(), 5 * x.get().astype("float64").sum(), rtol=1e-5)


def test_formulas_of_rows(session):
    x = cupy.random.rand(300, 200, dtype="float32")
    gain = cupy.linspace(0, 1, 200, dtype="float32")
    softmax = jitune.MapReduce("t = max(x); s = sum(exp(x - t)); y[i] = exp(x - t) / s * gain", session)
    y, t = cupy.zeros_like(x), cupy.zeros(300, "float32")
    s = cupy.zeros((300, 1), "float32")
    handle = softmax.prepare(x=x, gain=gain, axis=-1, out={"y": y, "t": t, "s": s})
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.get_current_stream().synchronize()
    with stream:
        stream.begin_capture()
        handle(x=x, gain=gain, out={"y": y, "t": t, "s": s})
        graph = stream.end_capture()
        x *= 3
        graph.launch()
    stream.synchronize()

    def expected(axis):
        powers = numpy.exp(x.get().astype("float64") - x.get().max(axis, keepdims=True))
        return powers / powers.sum(axis, keepdims=True) * gain.get()

    numpy.testing.assert_allclose(y.get(), expected(-1), rtol=1e-4)
    numpy.testing.assert_array_equal(t.get(), x.get().max(-1))
    numpy.testing.assert_allclose(softmax(x=x, gain=gain, axis=0)["y"].get(), expected(0), rtol=1e-4)
    got = jitune.map_reduce("sum(x)", x=x.ravel(), offsets=cupy.asarray([0, 7, 60000], "int32"), session=session)
    numpy.testing.assert_allclose(got.get(), [x.ravel()[:7].sum().get(), x.ravel()[7:].sum().get()], rtol=1e-4)


def test_kernels_of_ones_own_take_arrays(session):
    import pathlib
    file = pathlib.Path(__file__).resolve().parents[2] / "examples" / "matmul.cu"
    multiply = jitune.TunedKernel(file, element="float32", session=session)
    a = cupy.random.rand(64, 32, dtype="float32")
    b = cupy.random.rand(32, 48, dtype="float32")
    c = cupy.zeros((64, 48), "float32")
    multiply(a, b, c, m=64, n=48, k=32)
    numpy.testing.assert_allclose(c.get(), a.get() @ b.get(), rtol=1e-4)


def test_nothing_is_leaked(session):
    x = cupy.ones((300, 100), "float32")
    pool = cupy.get_default_memory_pool()

    def calls():
        for _ in range(1000):
            jitune.sum(x, session=session)
            jitune.max(x, 0, session=session)

    import tracemalloc
    calls()
    gc.collect()
    tracemalloc.start()
    calls()
    gc.collect()
    memory, used = tracemalloc.get_traced_memory()[0], pool.used_bytes()
    for _ in range(5):
        calls()
    gc.collect()
    assert tracemalloc.get_traced_memory()[0] - memory < 20_000
    assert pool.used_bytes() == used
    tracemalloc.stop()
