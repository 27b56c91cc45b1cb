# SPDX-License-Identifier: Apache-2.0
"""Formulas over several arrays, beside NumPy in float64."""

import array
import gc
import re
import sys
import time

import numpy
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import jitune

SESSION = jitune.Session(database="none", on_miss="default")
DTYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"]
RESULTS = {"sum": numpy.sum, "min": numpy.min, "max": numpy.max, "mean": numpy.mean, "count_nonzero": numpy.count_nonzero,
           "norm": lambda x: numpy.sqrt(numpy.sum(x * x)), "any": numpy.any, "all": numpy.all}


@pytest.fixture
def compute(session):
    def compute(text, /, **arguments):
        return jitune.map_reduce(text, session=session, **arguments)

    return compute


def expressions(names):
    """Texts that mean the same to jitune and to NumPy; of small whole numbers and halves each value is exact."""
    leaves = st.sampled_from([*names, "2", "0.5"])

    def larger(parts):
        return st.one_of(
            st.builds("({} {} {})".format, parts, st.sampled_from("+-*"), parts),
            st.builds("abs({})".format, parts),
            st.builds("where({} {} {}, {}, {})".format, parts, st.sampled_from(["<", ">=", "=="]), parts, parts, parts))

    return st.recursive(leaves, larger, max_leaves=3)


@st.composite
def formulas(draw):
    """Statements, and what evaluates each in NumPy: (name, is_array, operation, expression, mask)."""
    names, statements, texts = ["x", "y", "k"], [], []
    for place in range(draw(st.integers(1, 3))):
        expression = draw(expressions(names))
        if draw(st.booleans()):
            statements.append((f"z{place}", True, None, expression, None))
            texts.append(f"z{place}[i] = {expression}")
            continue
        operation = draw(st.sampled_from(sorted(RESULTS)))
        mask = draw(st.sampled_from([None, "x > 0", "y != k"])) if operation == "sum" else None
        statements.append((f"r{place}", False, operation, expression, mask))
        texts.append(f"r{place} = {operation}({expression}{', ' + mask if mask else ''})")
        if operation in ("min", "max"):
            names.append(f"r{place}")  # so that a stage follows
    reads = set(" ".join(texts).replace("(", " ").replace(")", " ").replace(",", " ").split()) & {"x", "y", "k"}
    return "; ".join(texts), statements, sorted(reads)


def values(dtype, count, seed):
    low = 0 if dtype[0] in "bu" else -3
    return numpy.random.default_rng(seed).integers(low, 2 if dtype == "bool" else 4, count).astype(dtype)


def of_numpy(statements, inputs, count):
    """The results of statements over arrays of so many elements."""
    known = {name: numpy.asarray(one, "float64") for name, one in inputs.items()}
    known = {"abs": numpy.abs, "where": numpy.where, **known}
    results = {}
    for name, is_array, operation, expression, mask in statements:
        value = numpy.broadcast_to(eval(expression, known), (count,))
        if not is_array:
            chosen = value if mask is None else value[numpy.broadcast_to(eval(mask, known), (count,))]
            value = known[name] = RESULTS[operation](chosen)
        results[name] = value
    return results


@settings(max_examples=12, deadline=None)
@given(formulas(), st.sampled_from(DTYPES), st.sampled_from(DTYPES), st.sampled_from([3, 0.5, numpy.int8(-2)]),
       st.integers(1, 3000))
def test_random_formulas_are_those_of_numpy(formula, x_dtype, y_dtype, k, count):
    text, statements, reads = formula
    assume({"x", "y"} & set(reads))
    inputs = {"x": values(x_dtype, count, 1), "y": values(y_dtype, count, 2), "k": k}
    inputs = {name: inputs[name] for name in reads}
    got = jitune.map_reduce(text, session=SESSION, **inputs)
    got = got if isinstance(got, dict) else {statements[0][0]: got}
    expected = of_numpy(statements, inputs, count)
    assert list(got) == list(expected)
    for name, one in got.items():
        numpy.testing.assert_allclose(numpy.asarray(one, "float64"), expected[name], rtol=1e-5, atol=0, err_msg=text)


LINES = {"rows": -1, "columns": 0, "segments": None}


@settings(max_examples=12, deadline=None)
@given(formulas(), st.sampled_from(DTYPES), st.sampled_from(DTYPES), st.sampled_from(sorted(LINES)),
       st.sampled_from(["elements", "lines", "places"]), st.sampled_from(["number", "lines"]),
       st.lists(st.tuples(st.integers(1, 70), st.integers(1, 70)), min_size=3, max_size=3))
def test_random_formulas_of_lines_are_those_of_numpy(formula, x_dtype, y_dtype, kind, y_has, k_has, sizes):
    text, statements, reads = formula
    if "x" not in reads:
        text, reads = f"{text}; last = sum(x)", [*reads, "x"]
        statements = [*statements, ("last", False, "sum", "x", None)]
    has = {"x": "elements", "y": "lines" if kind == "segments" and y_has == "places" else y_has, "k": k_has}
    has = {name: has[name] for name in reads}
    for count, length in (*sizes, (1, 5), (3, 4000)):
        lengths = numpy.full(count, length)
        if kind == "segments":
            lengths = numpy.random.default_rng(count).integers(1, length + 1, count)
        starts = numpy.cumsum(lengths) - lengths
        shapes = {"elements": (lengths.sum(),) if kind == "segments" else (count, length), "lines": (count, 1),
                  "places": (length,)}
        dtypes = {"x": x_dtype, "y": y_dtype, "k": "int32"}
        inputs = {name: values(dtypes[name], shapes[its], place) if its in shapes else 3
                  for place, (name, its) in enumerate(has.items())}

        def of_line(name, line):
            one = inputs[name]
            if has[name] == "lines":
                return one[line, 0]
            if has[name] == "elements":
                return one[starts[line]:starts[line] + lengths[line]] if kind == "segments" else one[line]
            return one

        expected = [of_numpy(statements, {name: of_line(name, line) for name in has}, lengths[line])
                    for line in range(count)]
        how = {"offsets": numpy.append(starts, lengths.sum())} if kind == "segments" else {"axis": LINES[kind]}
        if kind == "columns":
            inputs = {name: numpy.atleast_2d(one).T.copy() if numpy.ndim(one) else one for name, one in inputs.items()}
        got = jitune.map_reduce(text, session=SESSION, **inputs, **how)
        got = got if isinstance(got, dict) else {statements[0][0]: got}
        for name, is_array, *_ in statements:
            alone = [one[name] for one in expected]
            alone = numpy.concatenate(alone) if is_array and kind == "segments" else numpy.stack(alone)
            alone = alone.T if is_array and kind == "columns" else alone
            numpy.testing.assert_allclose(numpy.asarray(got[name], "float64"), alone, rtol=1e-5, atol=0, err_msg=text)


TWO = jitune.MapReduce("s = sum(x * y, m != 0); z[i] = x - y; n_far = count_nonzero(abs(x - y) > 1)", SESSION)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, 7), min_size=1, max_size=4), st.sampled_from(["float32", "float64"]), st.booleans(),
       st.booleans())
def test_shapes_masks_and_places(shape, dtype, has_place, is_flat):
    count = int(numpy.prod(shape))
    x, y, m = (values(dtype, count, 3).reshape(shape), values("float32", count, 4), values("bool", count, 5))
    place = numpy.full(count if is_flat else shape, 9, "float64")
    total = numpy.full((1, 1) if is_flat else (), 9, "float32")
    got = TWO(y=y if is_flat else y.reshape(shape), x=x, m=m, out={"z": place, "s": total} if has_place else None)
    assert got["s"] == (x.ravel() * y)[m].sum() and got["n_far"] == (abs(x.ravel() - y) > 1).sum()
    assert (got["z"] is place and got["s"] is total) == has_place
    assert got["z"].dtype == ("float64" if has_place else dtype) and type(got["n_far"]) is numpy.int64
    assert got["z"].shape == (place.shape if has_place else tuple(shape))
    numpy.testing.assert_array_equal(got["z"].ravel(), x.ravel() - y)


@st.composite
def reductions(draw):
    """A shape, what is reduced of it, and an array shape that goes with these."""
    shape = tuple(draw(st.lists(st.integers(0, 5), min_size=1, max_size=4)))
    ndim = len(shape)
    axes = draw(st.one_of(st.integers(-ndim, ndim - 1), st.sets(st.integers(0, ndim - 1), min_size=1).map(tuple)))
    reduced = {axes % ndim} if isinstance(axes, int) else set(axes)
    of_lines = tuple(1 if place in reduced else size for place, size in enumerate(shape))
    of_places = tuple(size if place in reduced else 1 for place, size in enumerate(shape))
    other = draw(st.sampled_from([shape, of_lines] + ([of_places] if len(reduced) < ndim else [])))
    drop = draw(st.booleans())
    while drop and len(other) > 1 and other[0] == 1:
        other = other[1:]
    return shape, axes, other


LINED = jitune.MapReduce("s = sum(x * y, x != 1); n_far = count_nonzero(abs(x - y) > 1); low = min(x); z[i] = x - y",
                         SESSION)


@settings(max_examples=300, deadline=None)
@given(reductions(), st.booleans(), st.booleans(), st.booleans())
def test_axes_are_those_of_numpy(reduction, keepdims, has_place, is_in_place):
    shape, axis, other = reduction
    x, y = values("float64", shape, 3), values("float32", other, 4)
    s, z, n_far = (x * y * (x != 1)).sum(axis, keepdims=keepdims), x - y, (abs(x - y) > 1).sum(axis, keepdims=keepdims)
    out = {"s": numpy.full(s.size, 9, "float32"), "z": numpy.full(shape, 9, "float32")} if has_place else {}
    if is_in_place and z.shape == shape:
        out["z"] = x
    low = numpy.min(x, axis, keepdims=keepdims, initial=numpy.inf)
    got = LINED(x=x, y=y, axis=axis, keepdims=keepdims, out=out)
    assert all(got[name] is place for name, place in out.items())
    assert got["n_far"].shape == n_far.shape and got["n_far"].dtype == "int64"
    assert got["low"].shape == low.shape and got["low"].dtype == "float64" and got["z"].shape == shape
    assert got["s"].shape == (out["s"] if has_place else s).shape
    for name, expected in (("s", s.ravel() if has_place else s), ("z", z), ("n_far", n_far), ("low", low)):
        numpy.testing.assert_array_equal(got[name], expected, err_msg=name)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, 9), max_size=40), st.sampled_from(["int32", "int64"]), st.booleans(), st.booleans(),
       st.integers(0, 3))
def test_segments_are_those_of_numpy(lengths, dtype, keepdims, has_place, before):
    offsets = numpy.cumsum([before, *lengths]).astype(dtype)
    count = len(lengths)
    x, k = values("float32", offsets[-1] + before, 1), values("int8", (count, 1), 2)  # some lie outside of all
    place = numpy.zeros(count) if has_place else None
    got = jitune.map_reduce("s = sum(x * k); any_low = any(x < 0)", x=x, k=k, offsets=offsets, keepdims=keepdims,
                            out={"s": place}, session=SESSION)
    parts = [x[first:last] for first, last in zip(offsets, offsets[1:])]
    numpy.testing.assert_array_equal(got["s"].ravel(), [(part * one).sum() for part, one in zip(parts, k)])
    numpy.testing.assert_array_equal(got["any_low"].ravel(), [(part < 0).any() for part in parts])
    assert got["any_low"].shape == ((count, 1) if keepdims else (count,)) and got["any_low"].dtype == bool
    assert got["s"] is place if has_place else got["s"].dtype == "float32"


def test_elements_outside_of_segments_stay_as_they_are(compute):
    x, y = numpy.arange(6.0), numpy.full(6, 9.0)
    got = compute("s = sum(x); y[i] = x - s", x=x, y=y, offsets=numpy.array([1, 3, 4]))
    assert got["s"].tolist() == [3, 3] and y.tolist() == [9, -2, -1, 0, 9, 9]


@pytest.mark.parametrize("axis", [0, -1, (0, 1)])
def test_layer_norm_reads_what_a_call_before_gave(axis, compute):
    x, gain = numpy.linspace(-3, 5, 60).reshape(5, 12) ** 2, numpy.arange(12.0)
    got = compute("m = mean(x); v = var(x)", x=x, axis=axis, keepdims=True)
    normal = compute("y[i] = (x - m) * rsqrt(v + 1e-5)", x=x, axis=axis, m=got["m"], v=got["v"])
    spread = numpy.sqrt(x.var(axis, keepdims=True) + 1e-5)
    numpy.testing.assert_allclose(normal, (x - x.mean(axis, keepdims=True)) / spread)
    if axis != (0, 1):
        scaled = compute("t = sum(x * gain); y[i] = x * gain + t", x=x, gain=gain, axis=axis, out={"y": normal})
        assert scaled["y"] is normal
        numpy.testing.assert_allclose(normal, x * gain + (x * gain).sum(axis, keepdims=True))


def test_rows_and_columns_alone_make_a_matrix(compute):
    x, y = numpy.arange(3.0), numpy.arange(4.0).reshape(4, 1)
    got = compute("s = sum(x * y); z[i] = x + y", x=x, y=y, axis=0)
    assert got["s"].tolist() == [0, 6, 12] and got["z"].tolist() == (x + y).tolist()
    place = numpy.zeros((2, 3))
    assert compute("s = sum(k * i); z[i] = k * i", k=2, axis=-1, z=place)["s"].tolist() == [6, 6]
    assert place.tolist() == [[0, 2, 4]] * 2


def test_softmax_in_stages(compute):
    x = numpy.linspace(-3, 5, 1001)
    got = compute("m = max(x); s = sum(exp(x - m)); y[i] = exp(x - m) / s", x=x)
    assert list(got) == ["m", "s", "y"] and got["m"] == 5
    expected = numpy.exp(x - 5) / numpy.exp(x - 5).sum()
    numpy.testing.assert_allclose(got["y"], expected, rtol=1e-12)


def test_one_result_comes_without_a_dict(compute):
    x, y = numpy.array([1, 5, 2], "float32"), numpy.array([1, 1, 0], "float32")
    distance = compute("sum((x - y)**2)", x=x, y=y)
    assert type(distance) is numpy.float32 and distance == 20
    doubled = compute("y[i] = 2 * x", x=x.reshape(3, 1))
    assert doubled.shape == (3, 1) and doubled.dtype == "float32" and doubled.tolist() == [[2], [10], [4]]
    assert compute("any(x > 4)", x=x) is numpy.bool_(True)
    assert compute("arg_max(x)", x=x) == 1


def test_arrays_that_the_call_gives_are_written_in_place(compute):
    x, y = numpy.arange(4.0), numpy.ones(4, "float32")
    got = compute("x[i] = x + a * y; y[i] = 0; s = sum(x)", x=x, y=y, a=2)
    assert got["x"] is x and got["y"] is y and got["s"] == 14
    assert x.tolist() == [2, 3, 4, 5] and y.tolist() == [0] * 4
    narrow = numpy.zeros((2, 2), "float16")
    assert compute("y[i] = x / 4", x=x, y=narrow) is narrow  # it is written alone
    assert narrow.tolist() == [[0.5, 0.75], [1, 1.25]]
    place = numpy.zeros(4)
    assert compute("x[i] = x + 1", x=x, out={"x": place}) is place
    assert x.tolist() == [2, 3, 4, 5] and place.tolist() == [3, 4, 5, 6]
    assert compute("y[i] = x + 1", x=x, y=x) is x and x.tolist() == [3, 4, 5, 6]  # under two names
    assert compute("y[i] = i * h", h=0.5, y=place) is place
    assert place.tolist() == [0, 0.5, 1, 1.5]


def test_an_expression_gives_the_initial_value(compute):
    x, total = numpy.arange(4, dtype="float32"), numpy.full((), 10.0)
    for call in (1, 2):
        assert compute("total = start + sum(x)", x=x, start=total, out={"total": total}) is total
        assert total == 10 + 6 * call
    got = compute("m = max(start, max(x)); n_far = start + count_nonzero(x > 1)", x=x, start=5)
    assert got["m"] == 5 and got["n_far"] == 7


def test_places_give_results_their_types(compute):
    x = numpy.full(1000, 2**30, "int32")
    total, last = numpy.zeros((), "int64"), numpy.zeros(1, "float32")
    got = compute("s = sum(x); m = mean(x)", x=x, out={"s": total, "m": last})
    assert got["s"] is total and got["m"] is last
    assert total == 1000 * 2**30 and last == 2.0**30
    truth = numpy.zeros(1, bool)
    assert compute("any(x > 0)", x=x, out={"result": truth}) is truth and truth[0]
    assert compute("sum(x)", x=x, out={"result": None}).dtype == "int32"


@pytest.mark.parametrize("x_dtype, k, dtype", [
    ("float32", 2.5, "float32"), ("float16", 2.5, "float32"), ("float64", 2.5, "float64"), ("int32", 2.5, "float64"),
    ("float32", 3, "float32"), ("float64", 3, "float64"), ("int8", 3, "int32"), ("int32", 3, "int32"),
    ("int32", 2**40, "int64"), ("int64", 3, "int64"), ("uint64", 2**64 - 1, "uint64"), ("uint8", True, "int32"),
    ("float32", True, "float32"), ("float32", 2**40, "float32"), ("float32", numpy.float64(2), "float64"),
    ("float32", numpy.float16(2), "float32"), ("int16", numpy.uint32(2), "uint32"), ("int32", numpy.bool_(True), "int32"),
    ("float32", numpy.array(2.0), "float64"), ("float32", numpy.array(2, "int8"), "float32"),
])
def test_types_of_scalars(x_dtype, k, dtype, compute):
    got = compute("y[i] = x * k", x=numpy.array([0, 1], x_dtype), k=k)
    assert got.dtype == dtype and got[0] == 0 and got[1] == k


def test_floats_are_wide_where_an_array_is(compute):
    x, y = numpy.ones(2, "float32"), numpy.ones(2)
    assert compute("z[i] = k * x; s = sum(y)", x=x, y=y, k=0.1)["z"].tolist() == [0.1, 0.1]
    assert compute("z[i] = k * x", x=x, k=0.1)[0] == numpy.float32(0.1)


def test_a_call_may_bring_and_give_many_arrays(compute):
    names = "abcdefg"
    arrays = {name: numpy.full(3, place) for place, name in enumerate(names)}
    text = "; ".join(f"s_{name} = sum({name}); z_{name}[i] = {name}" for name in names)
    place = numpy.zeros(3)
    got = compute(text, **arrays, z_g=place)
    assert got["z_g"] is place
    assert [got[f"s_{name}"] for name in names] == [0, 3, 6, 9, 12, 15, 18]
    assert [got[f"z_{name}"].tolist() for name in names] == [[place] * 3 for place in range(7)]
    with pytest.raises(TypeError, match="brings 'z', which"):
        compute(text, **arrays, z=numpy.zeros(3))


def test_no_elements_give_the_results_of_the_operations(compute):
    got = compute("s = sum(x); l = min(x); z[i] = x", x=numpy.zeros((0, 3), "float32"))
    assert got["s"] == 0 and got["l"] == numpy.inf and got["z"].shape == (0, 3)


def test_other_buffers_give_numbers(compute):
    assert compute("sum(x * y)", x=array.array("d", [1, 2]), y=b"\x03\x04") == 11.0
    assert type(compute("sum(x)", x=array.array("f", [1, 2]))) is float


def test_arrays_may_have_names_of_pythons_words(compute):
    assert compute("sum(text * lambda * session_)", text=numpy.ones(2), session_=2, **{"lambda": 3}) == 12


ONES = numpy.ones(4)
SQUARE = numpy.ones((4, 4))
OFFSETS = numpy.array([0, 2, 4])
READONLY = numpy.ones(4)
READONLY.flags.writeable = False


@pytest.mark.parametrize("text, arguments, error, words", [
    ("sum(x * y)", {"x": ONES}, TypeError, "the formula reads y: pass y="),
    ("sum(x)", {"x": ONES, "z": ONES}, TypeError, "the call brings 'z', which the formula does not read"),
    ("sum(x * n)", {"x": ONES, "n": 3}, TypeError, "no input can be called 'n', which is the number of elements"),
    ("sum(x)", {"x": ONES, "i": ONES}, TypeError, "no input can be called 'i', which is the place of an element"),
    ("np.argmax(x)", {"x": ONES}, jitune.UsageError, "write arg_max in place of np.argmax"),
    ("s = sum(x)", {"x": ONES, "s": ONES}, TypeError, "the call brings 's'"),
    ("sum(x * y)", {"x": ONES, "y": numpy.ones(3)}, ValueError, "y has 3 elements and x 4: pass arrays of equal size"),
    ("sum(x * y)", {"x": SQUARE, "y": ONES}, ValueError,
     "y has 4 elements and x 16: pass arrays of equal size, and scalars without dimensions; with axis=, as in axis=-1"),
    ("sum(x * y)", {"x": ONES, "y": numpy.ones(1)}, ValueError, "scalars without dimensions"),
    ("sum(x)", {"x": ONES[::2]}, ValueError, "x must be C-contiguous"),
    ("sum(x)", {"x": numpy.ones((2, 3)).T}, ValueError, "x must be C-contiguous"),
    ("sum(x)", {"x": [1.0, 2.0]}, TypeError, "x is no array"),
    ("sum(x * k)", {"x": ONES, "k": "a"}, TypeError, "k is no array"),
    ("sum(x * k)", {"x": ONES, "k": 2**64}, OverflowError, "k is 18446744073709551616"),
    ("sum(x)", {"x": numpy.ones(2, "complex64")}, TypeError, "x has elements of dtype complex64: pass bools, integers"),
    ("sum(x)", {"x": numpy.ones(2, object)}, TypeError, "x has elements of dtype object: pass bools, integers or"),
    ("sum(x)", {"x": memoryview(b"ab").cast("c")}, TypeError, "x has elements of format \"c\": pass bools, integers"),
    ("sum(x)", {"x": 3.0}, ValueError, "no array says how many elements"),
    ("y[i] = i", {}, ValueError, "no array says how many elements"),
    ("x[i] = x + 1", {"x": READONLY}, ValueError, "x is read-only"),
    ("sum(x)", {"x": ONES, "out": {"result": READONLY[:1]}}, ValueError, "result is read-only"),
    ("x[i] = x", {"x": numpy.ones(4, bool)}, ValueError, "array of bools: pass a view of it as uint8"),
    ("x[i] = x", {"x": 2.0}, TypeError, "x is no array"),
    ("sum(x)", {"x": ONES, "out": {"s": ONES}}, ValueError, "out has 's', which the formula does not give"),
    ("sum(x)", {"x": ONES, "out": {1: ONES}}, ValueError, "out has 1, which"),
    ("sum(x)", {"x": ONES, "out": {"result": ONES}}, ValueError, "place of result has 4 elements: it is one value"),
    ("sum(x)", {"x": ONES, "out": ONES[:1]}, TypeError, "out must be a dict"),
    ("y[i] = x", {"x": ONES, "out": {"y": numpy.ones(3)}}, ValueError, "y has 3 elements and x 4"),
    ("y[i] = x", {"x": ONES, "out": {"y": numpy.ones(8)[::2]}}, ValueError, "y must be C-contiguous"),
    ("y[i] = x", {"x": ONES, "y": ONES, "out": {"y": ONES}}, TypeError, "y is given twice"),
    ("y[i] = x", {"x": ONES[1:], "y": ONES[:-1]}, ValueError, "writes y, which shares memory with x: pass a copy"),
    ("y[i] = x", {"x": ONES, "y": ONES.view("int64")}, ValueError, "shares memory with x"),
    ("y[i] = x; z[i] = x", {"x": 2 * ONES, "y": ONES, "z": ONES}, ValueError, "writes z, which shares memory with y"),
    ("m = max(x); y[i] = x - m", {"x": ONES, "out": {"m": ONES[2:3]}}, ValueError, "writes m, which shares memory"),
    ("sum(x)", {"x": ONES, "out": {"result": numpy.zeros(1, "int32")}}, jitune.UsageError, "no result of int32"),
    ("sum(x", {"x": ONES}, jitune.UsageError, "sum"),
    ("sum(x) * x", {"x": ONES}, jitune.UsageError, "one value is needed"),
    ("sum(out)", {}, ValueError, "\"out\" is an argument of calls"),
    ("sum(x * axis)", {"x": ONES}, ValueError, "\"axis\" is an argument of calls: give the formula's array"),
    ("sum(offsets)", {}, ValueError, "\"offsets\" is an argument"),
    ("sum(session)", {}, ValueError, "\"session\" is an argument"),
    ("keepdims[i] = x", {"x": ONES}, ValueError, "\"keepdims\" is an argument"),
    ("sum(x)", {"x": ONES, "axis": 1}, ValueError, "MapReduce: axis 1 of an array with 1 dimensions"),
    ("sum(x)", {"x": SQUARE, "axis": (0, -2)}, ValueError, "axis -2 is named twice"),
    ("sum(x)", {"x": SQUARE, "axis": "rows"}, TypeError, "interpreted as an integer"),
    ("sum(x * y)", {"x": SQUARE, "y": numpy.ones((3, 2)), "axis": 0}, ValueError,
     "y has shape (3, 2), and the arrays of the call have (4, 4): pass an array of that shape, or one with 1"),
    ("sum(x * y)", {"x": SQUARE, "y": numpy.ones((1, 1)), "axis": 0}, ValueError, "y has shape (1, 1), and"),
    ("sum(x * y)", {"x": numpy.ones((2, 3, 4)), "y": numpy.ones((3, 1)), "axis": -1}, ValueError, "y has shape (3, 1)"),
    ("y[i] = x", {"x": SQUARE, "axis": 0, "y": ONES}, ValueError,
     "y has shape (4,), and the arrays of the call have (4, 4): the formula writes it"),
    ("sum(x)", {"x": SQUARE, "axis": 0, "out": {"result": numpy.ones(3)}}, ValueError,
     "place of result has 3 elements: there are 4 values"),
    ("sum(x)", {"x": SQUARE, "axis": 0, "out": {"result": numpy.ones(8)[::2]}}, ValueError, "must be C-contiguous"),
    ("sum(x)", {"x": SQUARE.T[1:], "axis": 0}, ValueError, "x must be C-contiguous"),
    ("sum(x)", {"x": ONES, "axis": 0, "offsets": OFFSETS}, TypeError, "pass one"),
    ("sum(x)", {"x": ONES, "offsets": OFFSETS.astype("int16")}, ValueError, "offsets must be a row of int32 or int64"),
    ("sum(x)", {"x": ONES, "offsets": OFFSETS[:0]}, ValueError, "offsets must be a row"),
    ("sum(x)", {"x": ONES, "offsets": OFFSETS[::-1].copy()}, ValueError, "offset 1 is 2: offsets must not decrease"),
    ("sum(x)", {"x": ONES, "offsets": OFFSETS - 1}, ValueError, "offset 0 is -1"),
    ("sum(x)", {"x": ONES, "offsets": OFFSETS + 1}, ValueError, "offset 2 is 5: offsets must not decrease and"),
    ("y[i] = x", {"x": ONES, "offsets": OFFSETS[1:]}, ValueError, "the offsets go from 2 to 4, and the new array y has 4"),
    ("y[i] = x", {"x": ONES, "offsets": OFFSETS[:2]}, ValueError, "let them go from 0 to 4, or pass y="),
    ("count_nonzero(x)", {"x": ONES, "offsets": OFFSETS, "out": {"result": OFFSETS[1:]}}, ValueError,
     "writes result, which shares memory with offsets"),
    ("sum(x)", {"x": ONES, "offsets": [0, 4]}, TypeError, "offsets is no array"),
    ("sum(x)", {"x": SQUARE, "offsets": OFFSETS}, ValueError, "x has shape (4, 4): with offsets, pass an array of one"),
    ("sum(x * y)", {"x": ONES, "y": ONES[:2], "offsets": OFFSETS}, ValueError, "y has 2 elements and x 4"),
    ("sum(x)", {"x": numpy.ones((2, 1)), "offsets": OFFSETS}, ValueError, "no array says how many elements"),
    ("y[i] = x", {"x": ONES, "y": SQUARE[:1], "offsets": OFFSETS}, ValueError, "y has shape (1, 4): with offsets"),
    ("sum(" + " + ".join(f"x{k}" for k in range(58)) + ")", {f"x{k}": ONES for k in range(58)}, ValueError,
     "a formula has at most 58 inputs and results"),
    ("sum(" + " + ".join(f"x{k}" for k in range(59)) + ")", {}, ValueError, "reads more than 58 names"),
    ("sum(x)\0", {"x": ONES}, ValueError, "null"),
    (3, {"x": ONES}, TypeError, "str"),
])
def test_what_does_not_fit_is_refused(text, arguments, error, words, compute):
    with pytest.raises(error, match=re.escape(words)):
        compute(text, **arguments)
    assert ONES.tolist() == READONLY.tolist() == [1] * 4


def test_arrays_are_on_one_device(compute):
    class OnGpu:
        __cuda_array_interface__ = {"shape": (4,), "typestr": "<f8", "data": (256, False), "version": 3}

    for x, y in ((OnGpu(), ONES), (ONES, OnGpu())):
        with pytest.raises(ValueError, match="y and x are on different devices"):
            compute("sum(x * y)", x=x, y=y)
    with pytest.raises(ValueError, match="offsets and x are on different devices"):
        compute("sum(x)", x=OnGpu(), offsets=OFFSETS)
    with pytest.raises(ValueError, match="result and x are on different devices"):
        compute("sum(x)", x=OnGpu(), out={"result": numpy.zeros(1)})
    with pytest.raises(TypeError, match="the result must be on the device of x"):
        compute("sum(x * k)", x=OnGpu(), k=numpy.array(2.0))


def test_a_formula_takes_its_arrays_by_name():
    with pytest.raises(TypeError, match="by name"):
        TWO(ONES, ONES)
    with pytest.raises(TypeError, match=re.escape('by name, as in map_reduce("sum(x * y)", x=x, y=y)')):
        jitune.map_reduce("sum(x * y)", ONES, ONES)
    with pytest.raises(TypeError, match="once"):
        TWO.__init__("sum(x)")
    with pytest.raises(TypeError, match="session"):
        jitune.MapReduce("sum(x)", session=3)
    with pytest.raises(ValueError, match="has not been made"):
        jitune.MapReduce.__new__(jitune.MapReduce)(x=ONES)


LOG_SUM = {
    "name": "log_sum", "definitions": "struct Pair { float top, sum; };", "state": "Pair",
    "identity": "Pair{-1e38f, 0.0f}", "map": "Pair{x, 1.0f}", "finish": "a.top + logf(a.sum)",
    "combine": "a.top < b.top ? Pair{b.top, b.sum + a.sum * expf(a.top - b.top)}"
               " : Pair{a.top, a.sum + b.sum * expf(b.top - a.top)}"}
LARGEST = {"name": "largest", "state": "double", "identity": "-1", "map": "x", "combine": "a < b ? b : a",
           "result": "float64", "tolerance": 0}


def test_formulas_call_operations_of_ones_own(session):
    x = numpy.linspace(0, 3, 1001, dtype="float32")
    formula = jitune.MapReduce("s = log_sum(2 * x, x < 2); m = largest(x); y[i] = x - s", session,
                               operations=[LOG_SUM, LARGEST])
    got = formula(x=x)
    expected = numpy.log(numpy.exp(2 * x[x < 2], dtype="float64").sum())
    assert got["s"].dtype == "float32" and abs(got["s"] - expected) < 1e-4
    assert got["m"].dtype == "float64" and got["m"] == 3 and got["y"][0] == -got["s"]
    positive = dict(LARGEST, name="positive", finish="a > 0", result=bool)
    assert jitune.MapReduce("positive(x)", session, operations=(positive,))(x=x) is numpy.bool_(True)


@pytest.mark.parametrize("operations, error, words", [
    ([dict(LARGEST, name="sum")], jitune.UsageError, "its name has a meaning in formulas"),
    ([LARGEST, LARGEST], jitune.UsageError, "two custom operations"),
    ([dict(LARGEST, mop="x")], TypeError, "dict of arguments of custom_reduce"),
    ([dict(LARGEST, map=3)], TypeError, "MapReduce: map must be a text"),
    ([{"name": "largest"}], jitune.UsageError, "state is null"),
    ([dict(LARGEST, tolerance="a")], TypeError, "must be real number"),
    ([dict(LARGEST, result="text")], TypeError, "dtype"),
    (["largest"], TypeError, "dict of arguments of custom_reduce"),
    (3, TypeError, "len"),
])
def test_bad_operations_are_refused(operations, error, words, session):
    with pytest.raises(error, match=words):
        jitune.MapReduce("largest(x)", session, operations=operations)


def test_a_prepared_formula_only_launches(session):
    formula = jitune.MapReduce("y[i] = k * x; s = sum(y)", session)
    x, y = numpy.arange(4, dtype="float32"), numpy.zeros(4, "float32")
    total = numpy.zeros((), "float64")
    handle = formula.prepare(x=x, k=2, out={"y": y, "s": total})
    assert y.tolist() == [0] * 4 and total == 0
    before = session.counters()
    got = handle(x=x, k=3, out={"y": y, "s": total})
    assert got["y"] is y and got["s"] is total and total == 18 and y.tolist() == [0, 3, 6, 9]
    assert handle(x=y.reshape(2, 2), k=1, y=x.reshape(2, 2), out={"s": total})["y"].shape == (2, 2)
    assert x.tolist() == y.tolist() and total == 18
    assert session.counters() == before
    assert handle.info()["device"] == "host" and handle.info()["origin"] == "rule"
    new = formula.prepare(x=x, k=2)(x=x, k=3)
    assert new["s"] == 54 and new["y"].dtype == "float32"


def test_formulas_are_named_by_their_text(session):
    formula = jitune.MapReduce("s = sum(k * x); y[i] = x - s", session)
    assert repr(formula) == "MapReduce('s = sum(k * x); y[i] = x - s')"
    handle = formula.prepare(x=numpy.ones((2, 3), "float32"), k=2, axis=-1)
    assert repr(handle) == f"<jitune.PreparedMapReduce of {formula!r}>"
    info = handle.info()
    assert re.fullmatch("map_reduce_[0-9a-f]{8}", info["kernel"])
    assert info["types"] == ('element=float32 formula="s = sum(k * x); y[i] = x - s" inputs=k:value(int32),x:float32 '
                             "outputs=s:float32,y:float32 shape=rows")


def test_a_database_names_formulas(tmp_path):
    session = jitune.Session(database=tmp_path / "tuning.db", on_miss="now", budget=5)
    x = numpy.ones(5000, "float32")
    formula = "rr = sum(x * x); worst = max(fabs(x))"
    winners = []
    end = time.monotonic() + 60
    while not winners and time.monotonic() < end:  # a busy machine needs several budgets
        jitune.map_reduce(formula, x=x, session=session)
        winners = jitune.db.winners(session)  # a process of its own
    [winner] = winners
    assert f'formula="{formula}" inputs=x:float32 outputs=rr:float32,worst:float32 shape=flat' in winner["key"]["types"]
    assert formula in session.counters()["longest_pause_of"]


def test_a_prepared_formula_keeps_its_lines(session):
    formula = jitune.MapReduce("y[i] = x * w + k; s = sum(x * w)", session)
    x, w, k = numpy.arange(12.0).reshape(3, 4), numpy.arange(4.0), numpy.ones((3, 1))
    for axis in (1, 0):
        handle = formula.prepare(x=x, w=w, k=k, axis=axis, keepdims=True)
        before = session.counters()
        got = handle(x=2 * x, w=w, k=k)
        assert got["s"].tolist() == (2 * x * w).sum(axis, keepdims=True).tolist()
        assert got["y"].tolist() == (2 * x * w + k).tolist()
        assert session.counters() == before
        for words, arguments in (("3 rows and 4 columns", {"x": x[:2], "k": k[:2], "w": w}),
                                 ("k must be an array of a value for each row of float64", {"x": x, "w": w, "k": w}),
                                 ("w must be an array of a value for each column", {"x": x, "w": x, "k": k}),
                                 ("k must be an array of a value", {"x": x, "w": w, "k": numpy.float64(3)}),
                                 ("no offsets, as prepared", {"x": x[0], "w": w, "k": 1, "offsets": OFFSETS})):
            with pytest.raises(ValueError, match=words):
                handle(**arguments)
        with pytest.raises(TypeError, match="axis and keepdims are those of prepare"):
            handle(x=x, w=w, k=k, axis=axis)
    with pytest.raises(ValueError, match="first or the last dimensions"):
        formula.prepare(x=x.reshape(2, 3, 2), w=1, k=1, axis=1)
    flipped = formula.prepare(x=x, w=2, k=3, axis=-2)
    with pytest.raises(ValueError, match="3 rows and 4 columns"):
        flipped(x=x.reshape(2, 3, 2), w=2, k=3)  # its dimension lies between others


def test_a_prepared_formula_takes_other_offsets(session):
    handle = jitune.MapReduce("sum(x)", session).prepare(x=ONES, offsets=OFFSETS)
    assert handle(x=ONES, offsets=numpy.array([0, 1, 4])).tolist() == [1, 3]
    for words, arguments in (("2 segments of 4 elements", {"x": ONES, "offsets": OFFSETS[1:]}),
                             ("2 segments of 4 elements", {"x": numpy.ones(5), "offsets": OFFSETS}),
                             ("offset 2 is 6", {"x": ONES, "offsets": OFFSETS + 2}),
                             ("the call must have offsets, as prepared", {"x": ONES}),
                             ("offsets must be of int64", {"x": ONES, "offsets": OFFSETS.astype("int32")})):
        with pytest.raises(ValueError, match=words):
            handle(**arguments)


@pytest.mark.parametrize("arguments, error, words", [
    ({"x": numpy.ones(4, "float64"), "k": 2}, ValueError, "x must be an array of float32, as prepared"),
    ({"x": numpy.ones(4, "float32"), "k": 2.0}, ValueError, "k must be a number of int32, as prepared"),
    ({"x": numpy.ones(5, "float32"), "k": 2}, ValueError, "arrays must have 4 elements"),
    ({"x": numpy.ones(4, "float32"), "k": 2, "out": {"s": numpy.zeros(1)}}, ValueError,
     "the place of s must be of float32, as prepared"),
    ({"x": numpy.ones(4, "float32")}, TypeError, "the formula reads k"),
    ({"x": numpy.ones(4, "float32"), "k": 2, "y": READONLY}, ValueError, "y is read-only"),
])
def test_a_prepared_formula_refuses_other_forms(arguments, error, words, session):
    formula = jitune.MapReduce("y[i] = k * x; s = sum(x)", session)
    handle = formula.prepare(x=numpy.ones(4, "float32"), k=2)
    with pytest.raises(error, match=words):
        handle(**arguments)
    with pytest.raises(TypeError, match="by name"):
        handle(ONES)
    with pytest.raises(TypeError, match="the formula reads x"):
        formula.prepare(k=3)
    with pytest.raises(jitune.UsageError, match="must be at least 1"):
        formula.prepare(x=ONES[:0], k=3)


def test_calls_leave_nothing_behind():
    x, place, offsets, axis = numpy.ones(5), numpy.zeros(5), numpy.array([0, 5]), tuple([1])
    cube, sums = numpy.ones((2, 3, 2)), numpy.zeros((2, 2))
    formula = jitune.MapReduce("y[i] = x * k; s = sum(x)", SESSION)
    counted = (x, place, formula, SESSION, offsets, axis, cube, sums)
    before = [sys.getrefcount(one) for one in counted]
    for _ in range(20):
        formula(x=x, k=2, out={"y": place})
        formula.prepare(x=x, k=2)(x=x, k=3, out={"y": place})
        formula(x=x, k=2, offsets=offsets)
        formula.prepare(x=x, k=2, offsets=offsets)(x=x, k=3, offsets=offsets)
        formula(x=cube, k=2, axis=axis, out={"s": sums})
        formula.prepare(x=x, k=2, axis=0, keepdims=True)
        for wrong in ({"x": x, "k": 1, "offsets": offsets + 1}, {"x": x, "k": 1, "axis": axis},
                      {"x": cube, "k": numpy.ones((4, 1)), "axis": axis}, {"x": x, "k": 1, "axis": axis, "offsets": x},
                      {"x": x}, {"x": x, "k": numpy.ones(3)}, {"x": x, "k": 1, "out": {"y": place, "q": x}},
                      {"x": x, "k": 1, "y": place, "q": x}):
            with pytest.raises((TypeError, ValueError)):
                formula(**wrong)
    del wrong
    gc.collect()
    assert [sys.getrefcount(one) for one in counted] == before
    del counted
    x.resize(6, refcheck=True)  # no buffer of it is held


def test_calls_after_the_first_only_launch(session):
    formula = jitune.MapReduce("sum(x * x)", session)
    assert formula(x=ONES) == 4
    before = session.counters()
    assert formula(x=2 * ONES) == 16
    after = session.counters()
    assert {name for name in after if "compil" in name and after[name] != before[name]} == set()


def test_one_row_is_a_call_like_that_of_many(session):
    formula = jitune.MapReduce("sum(x * w * k)", session)
    x, w, k = numpy.ones((3, 4)), numpy.arange(4.0), numpy.ones((3, 1))
    assert formula(x=x, w=w, k=k, axis=1).tolist() == [6] * 3
    before = session.counters()
    assert formula(x=x[:1], w=w, k=k[:1], axis=1).tolist() == [6]
    after = session.counters()
    assert {name for name in after if "compil" in name and after[name] != before[name]} == set()
