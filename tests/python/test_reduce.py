# SPDX-License-Identifier: Apache-2.0
"""Reductions beside NumPy's: every operation, dtype, axis and layout."""

import array

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jitune

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]
OPERATIONS = ["sum", "prod", "min", "max", "argmin", "argmax", "mean", "any", "all", "count_nonzero", "norm"]
SESSION = jitune.Session(database="none", on_miss="default")


def numpys(operation, x, axis, keepdims):
    if operation == "norm":
        squares = x.astype("float64") ** 2
        result = numpy.sqrt(squares.sum(axis=axis, keepdims=keepdims))
        return result.astype(x.dtype if x.dtype.kind == "f" else "float64")
    if operation == "count_nonzero":
        return numpy.count_nonzero(x, axis=axis, keepdims=keepdims)
    return getattr(numpy, operation)(x, axis=axis, keepdims=keepdims)


@st.composite
def arrays(draw):
    """Values that sums of any order round alike, in layouts of all kinds."""
    dtype = draw(st.sampled_from(DTYPES))
    shape = draw(st.lists(st.integers(1, 6), min_size=0, max_size=4))
    count = int(numpy.prod(shape, dtype=int))
    low, high = (0, 2) if dtype == "bool" else (0, 3) if dtype[0] == "u" else (-2, 3)
    seed = draw(st.integers(0, 1000))
    x = numpy.random.default_rng(seed).integers(low, high, count).astype(dtype).reshape(shape)
    x = x.transpose(draw(st.permutations(range(x.ndim))))
    if x.ndim > 0 and draw(st.booleans()):
        x = numpy.repeat(x, 2, axis=0)[::draw(st.sampled_from([1, 2, -1]))]
    return numpy.asfortranarray(x) if draw(st.booleans()) else x


@settings(max_examples=400, deadline=None)
@given(arrays(), st.sampled_from(OPERATIONS), st.booleans(), st.data())
def test_reductions_are_those_of_numpy(x, operation, keepdims, data):
    axis = None
    if x.ndim > 0 and data.draw(st.booleans()):
        axes = st.integers(-x.ndim, x.ndim - 1)
        one = operation in ("argmin", "argmax")
        axis = data.draw(axes if one else st.one_of(axes, st.sets(st.integers(0, x.ndim - 1)).map(tuple)))
    expected = numpys(operation, x, axis, keepdims)
    got = getattr(jitune, operation)(x, axis, keepdims=keepdims, session=SESSION)
    assert operation == "count_nonzero" or type(got) is type(expected)
    assert numpy.shape(got) == numpy.shape(expected)
    if operation != "count_nonzero":
        assert got.dtype == expected.dtype
    tolerance = {"e": 2e-3, "f": 1e-6, "d": 1e-12}.get(numpy.asarray(expected).dtype.char, 0)
    numpy.testing.assert_allclose(numpy.asarray(got, "float64"), numpy.asarray(expected, "float64"), rtol=tolerance,
                                  atol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
def test_larger_arrays(dtype, session):
    x = (numpy.arange(300 * 700) % 5 == 0).astype(dtype).reshape(300, 700)
    for axis in (None, 0, 1):
        numpy.testing.assert_array_equal(jitune.sum(x, axis, "float64" if dtype[0] == "f" else None, session=session),
                                         x.sum(axis, dtype="float64" if dtype[0] == "f" else None))


@pytest.fixture
def no_helper(monkeypatch):
    """Fails a call that casts its results, or copies or turns its array."""
    from jitune import _helpers

    def fail(*arguments):
        raise AssertionError("a helper in Python was called")

    for name in ("cast", "copy", "reduce_strided"):
        monkeypatch.setattr(_helpers, name, fail)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_results_are_not_cast(dtype, operation, session, no_helper):
    x = (numpy.arange(33 * 40) % 7).astype(dtype).reshape(33, 40)
    call = getattr(jitune, operation)
    for axis in (None, 0, 1):
        for keepdims in (False, True):
            got, expected = call(x, axis, keepdims=keepdims, session=session), numpys(operation, x, axis, keepdims)
            assert numpy.asarray(got).dtype == numpy.asarray(expected).dtype
            with numpy.errstate(all="ignore"):
                numpy.testing.assert_allclose(numpy.asarray(got, "float64"), numpy.asarray(expected, "float64"),
                                              rtol=4e-3 if dtype == "float16" else 1e-5)
            out = numpy.empty_like(numpy.asarray(expected))
            assert call(x, axis, None, out, keepdims, session=session) is out
            numpy.testing.assert_array_equal(out, got)


def test_a_result_of_16_bits_is_rounded_once(session):
    x = numpy.full((3, 4097), 0.1, "float16")
    wide = jitune.sum(x, 1, "float32", session=session)
    for got in (jitune.sum(x, 1, session=session), jitune.segment_reduce(x.ravel(), numpy.arange(4) * 4097, session=session)):
        assert got.dtype == "float16" and got.tolist() == wide.astype("float16").tolist()
    assert jitune.sum(x[0], session=session) == wide.astype("float16")[0]


@pytest.mark.parametrize("order", [(1, 0, 2), (0, 2, 1), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
def test_dimensions_that_lie_in_another_order_are_not_copied(order, session, no_helper):
    lying = numpy.arange(2 * 3 * 5).reshape(2, 3, 5)
    x = lying.transpose(order)
    assert jitune.sum(x, session=session) == lying.sum()
    for lies_first in (True, False):  # the two that lie first or last; then one is kept
        axes = tuple(order.index(one) for one in ((0, 1) if lies_first else (1, 2)))
        assert jitune.sum(x, axes, session=session).tolist() == x.sum(axes).tolist()
    square = lying.reshape(6, 5).T
    assert jitune.argmax(square, 0, session=session).tolist() == square.argmax(0).tolist()
    assert jitune.max(square, -1, keepdims=True, session=session).tolist() == square.max(-1, keepdims=True).tolist()


def test_indexes_count_in_the_order_of_the_dimensions(session):
    x = numpy.array([[1, 9], [9, 2]], order="F")
    assert jitune.argmax(x, session=session) == x.argmax() == 1
    assert jitune.argmax(numpy.asfortranarray([[1, 2], [9, 9]]), session=session) == 2


def test_results_go_into_out(session):
    x = numpy.arange(12, dtype="int16").reshape(3, 4)
    out = numpy.full(4, -1, "int64")
    assert jitune.sum(x, 0, None, out, session=session) is out
    assert out.tolist() == x.sum(0).tolist()
    narrow = numpy.full((3, 1), -1, "int16")
    assert jitune.max(x, axis=1, out=narrow, keepdims=True, session=session) is narrow
    assert narrow.tolist() == [[3], [7], [11]]
    strided = numpy.full((2, 3), -1, "int64")
    assert jitune.sum(x.T.reshape(2, 2, 3), axis=1, out=strided, session=session) is strided
    assert strided.tolist() == x.T.reshape(2, 2, 3).sum(1).tolist()


@pytest.mark.parametrize("out", [numpy.zeros(4, "int32"), numpy.zeros((5, 4)), numpy.zeros(8)[::2], numpy.zeros(3)])
def test_an_out_is_checked_for_copied_layouts_too(out, session):
    x = numpy.ones((3, 8))[:, ::2]
    for y, axis in ((x, 0), (numpy.ones((2, 3, 4)).transpose(0, 2, 1).reshape(2, 4, 3)[:, :, ::2], (0, 2))):
        with pytest.raises(ValueError, match=r"out must be a writable row-major array of float64 and shape \(4,\)"):
            jitune.sum(y, axis=axis, out=out, session=session)
    assert not out.any()


@pytest.mark.parametrize("out", [numpy.zeros(3, "int64"), numpy.zeros(4, "int32"), numpy.zeros((1, 4), "int64"),
                                 numpy.zeros(8, "int64")[::2]])
def test_an_out_that_does_not_fit_is_refused(out, session):
    x = numpy.arange(12, dtype="int16").reshape(3, 4)
    with pytest.raises(ValueError, match=r"out must be a writable row-major array of int64 and shape \(4,\)"):
        jitune.sum(x, 0, out=out, session=session)
    readonly = numpy.zeros(4, "int64")
    readonly.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        jitune.sum(x, 0, out=readonly, session=session)
    assert not readonly.any()


def test_dtypes_of_results(session):
    x = numpy.full(3000, 1.1, "float32")
    assert jitune.sum(x, dtype="float64", session=session) == pytest.approx(x.sum(dtype="float64"), rel=1e-14)
    assert jitune.sum(x, dtype=numpy.float64, session=session).dtype == "float64"
    assert jitune.sum(x, dtype=float, session=session).dtype == "float64"
    assert jitune.mean(numpy.arange(4), dtype="float32", session=session).dtype == "float32"
    for dtype in ("int32", int):
        with pytest.raises(TypeError, match="floating dtype"):
            jitune.sum(x, dtype=dtype, session=session)
    with pytest.raises(TypeError, match="cast x first"):
        jitune.sum(numpy.arange(4), dtype="float32", session=session)
    for operation in ("min", "max", "argmin", "argmax", "any", "all", "count_nonzero"):
        with pytest.raises(TypeError, match="takes no dtype"):
            getattr(jitune, operation)(x, dtype="float64", session=session)
    assert jitune.sum(x, dtype="f8", session=session).dtype == "float64"
    assert jitune.sum(numpy.array([2**63, 1], "uint64"), dtype="int64", session=session) == -2**63 + 1
    assert jitune.sum(numpy.full(3, 100), dtype="int8", session=session) == 44
    with pytest.raises(TypeError, match="no dtype bool"):
        jitune.sum(numpy.full(256, 1), dtype="bool", session=session)
    assert jitune.sum(numpy.array([-3]), dtype="uint64", session=session) == 2**64 - 3
    with pytest.raises(TypeError, match="complex64 is not supported"):
        jitune.sum(x, dtype="complex64", session=session)


def test_no_elements(session):
    empty = numpy.zeros((0, 3), "float32")
    assert jitune.sum(empty, session=session) == 0
    assert jitune.sum(empty, axis=0, session=session).tolist() == [0, 0, 0]
    assert jitune.sum(empty, axis=1, session=session).shape == (0,)
    with pytest.raises(jitune.UsageError, match="no elements"):
        jitune.argmin(empty, session=session)
    for axis in (None, 0):
        with pytest.raises(ValueError, match="x has no elements to take the max of"):
            jitune.max(empty, axis, session=session)
    assert jitune.min(empty, 1, session=session).shape == (0,)


def test_other_buffers_give_numbers(session):
    assert jitune.sum(array.array("d", [1, 2, 3.5]), session=session) == 6.5
    assert jitune.max(memoryview(bytearray([3, 9, 4])), session=session) == 9
    assert jitune.sum(b"\x01\x02", session=session) == 3


def test_buffers_that_are_copied(session):
    import ctypes
    x = numpy.arange(12, dtype="float32").reshape(3, 4)
    assert jitune.sum((ctypes.c_float * 4)(1, 2, 3, 4), session=session) == 10
    assert jitune.sum(memoryview(x)[::-1], session=session) == 66
    assert jitune.sum(memoryview(x.copy()), axis=(0,), session=session).tolist() == [12, 15, 18, 21]
    cube = numpy.arange(24, dtype="float32").reshape(2, 3, 4)
    assert jitune.sum(memoryview(cube), axis=1, session=session).tolist() == cube.sum(1).tolist()
    narrow = memoryview(bytearray(3))
    assert jitune.max(numpy.arange(12, dtype="uint8").reshape(3, 4), axis=1, out=narrow, session=session) is narrow
    assert bytes(narrow) == bytes([3, 7, 11])

    class Index:
        def __index__(self):
            return 1

    assert jitune.sum(cube, axis=Index(), session=session).tolist() == cube.sum(1).tolist()


def test_masked_arrays_are_refused(session):
    with pytest.raises(TypeError, match="masked array: pass x.filled"):
        jitune.sum(numpy.ma.masked_array([1.0, 2.0], [True, False]), session=session)


def test_arrays_of_dlpack(session):
    class Tensor:
        def __init__(self, x):
            self.x = x

        def __dlpack__(self):
            return self.x.__dlpack__()

    assert jitune.sum(Tensor(numpy.arange(10, dtype="float32")), session=session) == 45


@pytest.mark.parametrize("x, words", [
    ([1, 2], "is no array"),
    (3, "is no array"),
    (numpy.zeros(3, ">f4"), "big-endian"),
    (numpy.zeros(3, "complex64"), "bools, integers or floats"),
    (numpy.zeros(3, [("a", "f4"), ("b", "f4")]), "bools, integers or floats"),
    (numpy.zeros(3, object), "bools, integers or floats"),
    (numpy.datetime64("2026-11-25"), "dtype datetime64"),
])
def test_what_is_no_array_of_numbers_is_refused(x, words, session):
    with pytest.raises(TypeError, match=words):
        jitune.sum(x, session=session)


def test_misaligned_arrays(session):
    bytes_ = numpy.zeros(41, "uint8")
    x = bytes_[1:].view("float32")
    x[:] = 1.5
    with pytest.raises(jitune.UsageError, match="align"):
        jitune.sum(x, session=session)


@pytest.mark.parametrize("axis, error", [(2, ValueError), (-3, ValueError), ((0, 0), ValueError), ("a", TypeError),
                                         (1.5, TypeError), (1 << 70, IndexError)])
def test_axes_that_are_none(axis, error, session):
    with pytest.raises(error):
        jitune.sum(numpy.zeros((2, 3)), axis=axis, session=session)


def test_arguments_that_are_none(session):
    x = numpy.zeros(3)
    for call in (lambda: jitune.sum(), lambda: jitune.sum(x, nope=1), lambda: jitune.sum(x, None, None, None, False, session),
                 lambda: jitune.sum(x, 0, axis=0), lambda: jitune.sum(x, session=3)):
        with pytest.raises(TypeError):
            call()
