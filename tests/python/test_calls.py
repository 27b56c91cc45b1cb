# SPDX-License-Identifier: Apache-2.0
"""Stencils, entropies, segments, custom operations, prepared handles and kernels of one's own."""

import gc
import pathlib
import re

import numpy
import pytest

import jitune

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
@pytest.mark.parametrize("boundary, mode", [("valid", None), ("zero", "constant"), ("clamp", "edge"), ("wrap", "wrap")])
def test_stencils(dtype, boundary, mode, session):
    x = numpy.arange(1, 3001).astype(dtype)
    weights = [1, 2, 3, 4, 5]
    padded = x if mode is None else numpy.pad(x, 2, mode)
    expected = numpy.correlate(padded.astype("float64"), weights, "valid").astype(dtype)
    got = jitune.stencil(x, weights=weights, boundary=boundary, session=session)
    assert got.dtype == dtype
    numpy.testing.assert_allclose(got, expected, rtol=1e-6)
    sums = jitune.stencil(x, 1, boundary=boundary, session=session)
    assert sums[1] == (x[0] + x[1] + x[2] if mode else x[1] + x[2] + x[3])


def test_stencils_that_are_wrong(session):
    x = numpy.zeros(9, "float32")
    for call in (lambda: jitune.stencil(x), lambda: jitune.stencil(x, 1, weights=[1] * 5), lambda: jitune.stencil(x, 0),
                 lambda: jitune.stencil(x, 40), lambda: jitune.stencil(x, 1 << 40), lambda: jitune.stencil(x, weights=[1, 2]),
                 lambda: jitune.stencil(x, 1, boundary="reflect"), lambda: jitune.stencil(x[::2], 1),
                 lambda: jitune.stencil(x.reshape(3, 3), 1), lambda: jitune.stencil(x, 1, out=numpy.zeros(9, "float32"))):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(jitune.UsageError):
        jitune.stencil(x.astype("int8"), 1, session=session)


def test_entropies(session):
    x = numpy.zeros((30, 40), "uint8")
    x[0, 0] = 1
    got = jitune.entropy(x, session=session)
    assert got.dtype == "float32" and got.shape == x.shape
    assert got[29, 39] == 0 and got[0, 0] > 0
    half = jitune.entropy(x, base=2, session=session)
    numpy.testing.assert_allclose(half, got / numpy.log(2), rtol=1e-5)
    with pytest.raises(jitune.UsageError):
        jitune.entropy(x, window=4, session=session)
    with pytest.raises(ValueError):
        jitune.entropy(x.T, session=session)


def test_segments(session):
    x = numpy.arange(100, dtype="float32")
    offsets = numpy.array([0, 10, 10, 100])
    assert jitune.segment_reduce(x, offsets, session=session).tolist() == [45, 0, 4905]
    assert jitune.segment_reduce(x, offsets, "argmax", session=session).tolist() == [9, -1, 89]
    counts = jitune.segment_reduce(x > 1, offsets, session=session)
    assert counts.dtype == "int64" and counts.tolist() == [8, 0, 90]
    narrow = jitune.segment_reduce(x.astype("int8"), offsets, "max", session=session)
    assert narrow.dtype == "int8" and narrow.tolist() == [9, -128, 99]
    large = numpy.full(100, 2**30, "int32")
    assert jitune.segment_reduce(large, offsets, session=session).tolist() == [10 * 2**30, 0, 90 * 2**30]
    assert jitune.segment_reduce(x, offsets, op="any", session=session).tolist() == [True, False, True]
    for wrong in (offsets.astype("int32"), offsets[::-1], offsets[:0], offsets.reshape(2, 2), offsets + 1):
        with pytest.raises(ValueError):
            jitune.segment_reduce(x, wrong, session=session)
    with pytest.raises(ValueError, match="none of sum, prod"):
        jitune.segment_reduce(x, offsets, "median")


def test_stubs_name_every_operation(session):
    with pytest.raises(ValueError) as refusal:
        jitune.segment_reduce(numpy.arange(3), numpy.array([0, 3]), "median", session=session)
    stubs = (pathlib.Path(jitune.__file__).parent / "__init__.pyi").read_text()
    names = re.search(r"_Op: TypeAlias = Literal\[([^]]*)\]", stubs).group(1)
    assert re.findall(r'"(\w+)"', names) == str(refusal.value).split("none of ")[1].split(", ")


def test_segments_have_results_of_every_operation(session):
    with pytest.raises(ValueError) as refusal:
        jitune.segment_reduce(numpy.arange(3), numpy.array([0, 3]), "median", session=session)
    dtypes = {"all": "bool", "any": "bool", "argmin": "int64", "argmax": "int64", "count_nonzero": "int64"}
    for name in str(refusal.value).split("none of ")[1].split(", "):
        none = jitune.segment_reduce(numpy.zeros(0, "float32"), numpy.array([0]), name, session=session)
        assert none.shape == (0,) and none.dtype == dtypes.get(name, "float32"), name


def test_operations_of_ones_own(session):
    x = numpy.arange(1000, dtype="float32")
    operation = {"name": "largest", "state": "float", "identity": "-1.0f", "map": "x", "combine": "a < b ? b : a",
                 "tolerance": 0}
    assert jitune.custom_reduce(x, **operation, session=session) == 999
    with pytest.raises(jitune.CompileError, match="no_such_function"):
        jitune.custom_reduce(x, **{**operation, "map": "no_such_function(x)"}, session=session)
    with pytest.raises(jitune.UsageError, match="map is null"):
        jitune.custom_reduce(x, name="a", state="float", identity="0", combine="a", session=session)
    for field in ("map", "definitions"):
        with pytest.raises(ValueError, match="null"):
            jitune.custom_reduce(x, **{**operation, field: "x\0 dropped"}, session=session)
    half = jitune.custom_reduce(x, **operation, result="float16", session=session)
    assert half.dtype == "float16" and half == 999
    with pytest.raises(TypeError, match="map must be a text"):
        jitune.custom_reduce(x, **{**operation, "map": 3})


def test_prepared_handles(session):
    x = numpy.arange(12, dtype="float32").reshape(3, 4)
    handle = jitune.prepare("max", x, axis=-1, session=session)
    out = numpy.zeros(3, "float32")
    assert handle(x, out) is out
    assert out.tolist() == [3, 7, 11]
    assert handle.launch(x + 1, out) is out
    assert out.tolist() == [4, 8, 12]
    assert handle.info()["device"] == "host" and "block" not in handle.info()["origin"]
    assert handle.info()["pending"] is False and handle.info()["waited"] > 0
    columns = jitune.prepare("sum", x, 0, session=session)
    assert columns(x=x, out=numpy.zeros(4, "float32")).tolist() == x.sum(0).tolist()
    assert handle.dtype == "float32" and handle.shape == (3,)
    for wrong in ((x[:2], out), (x, out[:2]), (x.astype("float64"), out), (x, out.astype("int32")), (x.T, out),
                  (x.reshape(4, 3), out), (x, out.reshape(3, 1))):
        with pytest.raises(ValueError, match="as prepared"):
            handle(*wrong)
    with pytest.raises(TypeError):
        handle(x)
    with pytest.raises(ValueError, match="first or the last"):
        jitune.prepare("sum", numpy.zeros((2, 3, 4)), axis=1, session=session)


@pytest.mark.parametrize("dtype, op, result", [("int32", "sum", "int64"), ("uint8", "sum", "uint64"), ("bool", "sum", "int64"),
                                               ("int8", "min", "int8"), ("float16", "sum", "float16"),
                                               ("bool", "max", "bool"),
                                               ("int64", "mean", "float64"), ("uint8", "any", "bool")])
def test_handles_compute_what_functions_do(dtype, op, result, session):
    x = numpy.full(5000, 1 if dtype in ("bool", "float16") else 100).astype(dtype)
    x[:] = 2**30 if dtype == "int32" else x
    handle = jitune.prepare(op, x, session=session)
    out = numpy.zeros((), result)
    assert handle(x, out) is out
    assert out == getattr(jitune, op)(x, session=session)
    assert handle.dtype == result
    if dtype in ("int32", "int64"):
        wide = jitune.prepare("sum", x, dtype="uint64", session=session)
        assert wide.dtype == "uint64" and wide(x, numpy.zeros((), "uint64")) == x.sum()
    assert jitune.prepare("sum", x.astype("float32"), dtype="float64", session=session).dtype == "float64"
    with pytest.raises(TypeError, match="takes no dtype"):
        jitune.prepare("max", x, dtype="float64", session=session)
    with pytest.raises(TypeError, match="has no results of dtype float32"):
        jitune.prepare("mean", x.astype("float64"), dtype="float32", session=session)


def test_handles_of_no_elements(session):
    x = numpy.zeros((0, 3), "float32")
    handle = jitune.prepare("sum", x, 0, session=session)
    assert handle.shape == (3,)
    assert handle(x, numpy.ones(3, "float32")).tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="no elements"):
        jitune.prepare("max", x, 0, session=session)


def test_handles_are_made_by_prepare_alone():
    for kind in (jitune.Prepared, jitune.Bound):
        with pytest.raises(TypeError, match="cannot create"):
            kind()


def test_bound_launches(session):
    x, out = numpy.arange(4000, dtype="float32"), numpy.zeros(1, "float32")
    handle = jitune.prepare("max", x, session=session)
    bound = handle.bind(x, out)
    assert bound() is out and out[0] == 3999
    x[7] = 5000
    assert bound.launch() is out and out[0] == 5000
    del handle, x
    gc.collect()
    assert bound()[0] == 5000
    for wrong in ((out, out), (numpy.zeros(4000, "float32"),), (numpy.zeros(4000, "float32"), b"    ")):
        with pytest.raises((TypeError, ValueError)):
            jitune.prepare("max", numpy.zeros(4000, "float32"), session=session).bind(*wrong)
    with pytest.raises(TypeError):
        bound(out)


def test_handles_keep_their_session():
    session = jitune.Session(database="none", on_miss="default")
    x = numpy.arange(5000, dtype="float32")
    handle = jitune.prepare("sum", x, session=session)
    del session
    gc.collect()
    assert handle(x, numpy.zeros(1, "float32"))[0] == pytest.approx(12497500)


def test_kernels_of_ones_own(session):
    multiply = jitune.TunedKernel(EXAMPLES / "matmul.host.cpp", element="float64", session=session)
    a, b, c = numpy.arange(4.0).reshape(2, 2), numpy.eye(2) * 2, numpy.zeros((2, 2))
    assert multiply(a, b, c, m=2, n=2, k=2) is None
    assert c.tolist() == (2 * a).tolist()
    with pytest.raises(jitune.UsageError):
        multiply(a, b, m=2, n=2, k=2)
    with pytest.raises(jitune.UsageError):
        multiply(a.astype("float32"), b, c, m=2, n=2, k=2)
    with pytest.raises(ValueError, match="argument 1 must be row-major"):
        multiply(a.T, b, c, m=2, n=2, k=2)
    with pytest.raises(TypeError):
        multiply(a, b, c, m="2", n=2, k=2)
    with pytest.raises(ValueError, match="argument 3 has 4 elements: with these sizes the kernel takes 9"):
        multiply(numpy.zeros(9), numpy.zeros(9), c, m=3, n=3, k=3)
    with pytest.raises(jitune.UsageError, match="argument a cannot have"):
        multiply(a, b, c, m=2**32, n=2**32, k=2**32)

    class OnGpu:
        __cuda_array_interface__ = {"typestr": "<f8", "shape": (2, 2), "data": (4096, False), "version": 3}

    with pytest.raises(ValueError, match="argument 1 must be on the host"):
        multiply(OnGpu(), b, c, m=2, n=2, k=2)
    with pytest.raises(ValueError, match="has not been made"):
        jitune.TunedKernel.__new__(jitune.TunedKernel)(a)
    for readonly in (numpy.frombuffer(bytes(32)), numpy.zeros(4)):
        readonly.flags.writeable = False
        with pytest.raises(ValueError, match="argument 3 is read-only"):
            multiply(a, b, readonly, m=2, n=2, k=2)
    with pytest.raises(jitune.UsageError, match="no_such.cu"):
        jitune.TunedKernel("no_such.cu", session=session)
    with pytest.raises(TypeError):
        jitune.TunedKernel()


SCALE = """/* jitune template
kernel = "scale"
backend = "host"
sizes = ["n"]
[parameters]
unused = { values = [1], default = 1 }
[arguments]
values = { access = "inout", type = "float32", count = "n" }
factor = { access = "value", type = "float32", value = "3" }
shift = { access = "value", type = "int8", value = "1" }
count = { access = "scalar", type = "uint64", value = "n" }
[[launch]]
entry = "scale"
template = ["unused"]
arguments = ["values", "factor", "shift", "count"]
[reference]
entry = "scale"
template = ["unused"]
arguments = ["values", "factor", "shift", "count"]
*/
template <int unused>
void scale(float* values, float factor, signed char shift, unsigned long long count) {
    for (unsigned long long i = 0; i < count; ++i) values[i] = values[i] * factor + shift;
}
"""


def test_plain_numbers_become_the_templates_scalars(tmp_path, session):
    file = tmp_path / "scale.host.cpp"
    file.write_text(SCALE)
    scale = jitune.TunedKernel(file, session=session)
    x = numpy.ones(3, "float32")
    scale(x, 2.5, -1, n=3)
    scale(x, 2, True, n=3)
    scale(x, numpy.float32(2), numpy.int8(0), n=3)
    assert x.tolist() == [8, 8, 8]
    for number, error, words in ((1.5, TypeError, "takes int8, not the float 1.5"), (128, OverflowError, "128 does not fit"),
                                 (-129, OverflowError, "int8"), (numpy.int32(1), jitune.UsageError, "")):
        with pytest.raises(error, match=words):
            scale(x, 1.0, number, n=3)
    assert x.tolist() == [8, 8, 8]
    with pytest.raises(ValueError, match="null"):
        scale(x, 1.0, 1, **{"n\0": 3})


def test_nothing_is_leaked(session):
    x = numpy.arange(3000, dtype="float32").reshape(30, 100)
    offsets = numpy.array([0, 10, 3000])

    def calls():
        for _ in range(200):
            jitune.sum(x, session=session)
            jitune.max(x, 0, session=session)
            jitune.mean(x[:, ::2], 1, session=session)
            jitune.segment_reduce(x.ravel(), offsets, session=session)
            jitune.prepare("sum", x, session=session)(x, numpy.zeros(1, "float32"))
            try:
                jitune.sum(x, axis=7)
            except ValueError:
                pass

    import tracemalloc
    calls()
    gc.collect()
    tracemalloc.start()
    calls()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(5):
        calls()
    gc.collect()
    assert tracemalloc.get_traced_memory()[0] - before < 20_000
    tracemalloc.stop()
