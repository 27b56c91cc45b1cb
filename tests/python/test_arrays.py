# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries: DLPack's exchange API, __cuda_array_interface__, and objects that lie about themselves."""

import ctypes
import os
import signal

import numpy
import pytest

import jitune


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


FROM_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))


class ExchangeApi(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("prev_api", ctypes.c_void_p),
                ("managed_tensor_allocator", ctypes.c_void_p), ("managed_tensor_from_py_object", ctypes.c_void_p),
                ("managed_tensor_to_py_object", ctypes.c_void_p), ("dltensor_from_py_object", FROM_OBJECT),
                ("current_work_stream", ctypes.c_void_p)]


@FROM_OBJECT
def lend(tensor, out):
    """What a framework does in C: lends the fields of a tensor."""
    x = tensor.x
    if tensor.fails:
        return -1
    out[0].data = x.ctypes.data - tensor.offset
    out[0].byte_offset = tensor.offset
    out[0].device_type, out[0].device_id = tensor.device
    out[0].ndim = x.ndim
    out[0].code = {"i": 0, "u": 1, "f": 2, "b": 6, "c": 5}[x.dtype.kind]
    out[0].bits = 8 * x.itemsize
    out[0].lanes = 1
    out[0].shape = tensor.shape
    out[0].strides = tensor.strides
    return 0


API = ExchangeApi(1, 3, None, None, None, None, lend, None)
NEWER = ExchangeApi(2, 0, ctypes.addressof(API), None, None, None, lend, None)
NAME = b"dlpack_exchange_api"
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Tensor:
    __dlpack_c_exchange_api__ = new_capsule(ctypes.addressof(API), NAME, None)

    def __init__(self, x, strides=True, device=(1, 0), offset=0, fails=False):
        self.x, self.device, self.offset, self.fails = x, device, offset, fails
        self.shape = (ctypes.c_int64 * 8)(*x.shape)
        self.strides = (ctypes.c_int64 * 8)(*(s // x.itemsize for s in x.strides)) if strides else None


class NewerTensor(Tensor):
    __dlpack_c_exchange_api__ = new_capsule(ctypes.addressof(NEWER), NAME, None)


@pytest.mark.parametrize("kind", [Tensor, NewerTensor])
def test_tensors_of_the_exchange_api(kind, session):
    x = numpy.arange(12, dtype="float32").reshape(3, 4)
    for tensor in (kind(x), kind(x, strides=False), kind(x, offset=8)):
        assert jitune.sum(tensor, session=session) == 66
        assert jitune.sum(tensor, axis=0, session=session).tolist() == [12, 15, 18, 21]
    assert jitune.any(kind(x > 10), session=session) == True  # noqa: E712


ALLOCATE = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.POINTER(DLTensor), ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p,
                             ctypes.c_void_p)
SET_ERROR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
TO_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))


def test_libraries_that_make_no_results(session):
    def fails(prototype, out, context, set_error):
        SET_ERROR(set_error)(context, None, None)
        return -1

    def gives_nothing(prototype, out, context, set_error):
        return 0

    def refuses(prototype, out, context, set_error):
        SET_ERROR(set_error)(context, b"MemoryError", b"no room")
        return -1

    to_object = TO_OBJECT(lambda tensor, out: 0)
    for function, error in ((fails, RuntimeError), (gives_nothing, RuntimeError), (refuses, MemoryError)):
        allocate = ALLOCATE(function)
        api = ExchangeApi(1, 3, None, ctypes.cast(allocate, ctypes.c_void_p), None, ctypes.cast(to_object, ctypes.c_void_p),
                          lend, None)
        kind = type("Maker", (Tensor,), {"__dlpack_c_exchange_api__": new_capsule(ctypes.addressof(api), NAME, None)})
        with pytest.raises(error):
            jitune.sum(kind(numpy.ones((3, 4), "float32")), axis=0, session=session)


def test_tensors_that_are_refused(session):
    x = numpy.zeros(3, "float32")
    with pytest.raises(ValueError):
        jitune.sum(Tensor(x, device=(2, -1)), session=session)
    with pytest.raises(ValueError, match="does not lend it"):
        jitune.sum(Tensor(x, fails=True), session=session)
    with pytest.raises(ValueError, match="DLPack's kind 8"):
        jitune.sum(Tensor(x, device=(8, 0)), session=session)
    with pytest.raises(TypeError, match="64 bits"):
        jitune.sum(Tensor(x.astype("complex64")), session=session)


def test_gpu_arrays_where_there_is_no_gpu(session):
    if any(device["id"].startswith("cuda:") and not device["missing"] for device in session.devices()):
        pytest.skip("there is a GPU")

    class Array:
        __cuda_array_interface__ = {"typestr": "<f4", "shape": (), "data": (4096, False), "version": 3, "strides": None}

    with pytest.raises(TypeError, match="must be on the device of x"):
        jitune.sum(Array(), session=session)
    with pytest.raises(jitune.Error):
        jitune.sum(Array(), out=Array(), session=session)


@pytest.mark.parametrize("change, words", [({"typestr": "<c8"}, "bools, integers or floats"),
                                           ({"typestr": ">f4"}, "big-endian"), ({"typestr": "f"}, "bools, integers"),
                                           ({"mask": [1]}, "with a mask"), ({"data": None}, "without typestr or data"),
                                           ({"strides": (3,)}, "no multiples"), ({"shape": (1,) * 65}, "65 dimensions"), ({"shape": None}, "no shape|sequence|len")])
def test_cuda_interfaces_that_are_wrong(change, words, session):
    class Array:
        __cuda_array_interface__ = {"typestr": "<f4", "shape": (3,), "data": (4096, False), "version": 3, **change}

    with pytest.raises((TypeError, ValueError), match=words):
        jitune.sum(Array(), session=session)


def test_tensors_of_an_older_pytorch_on_a_gpu_are_refused(session):
    class Tensor:
        requires_grad = False
        __cuda_array_interface__ = {"typestr": "<f4", "shape": (3,), "data": (4096, False), "version": 3}

    with pytest.raises(TypeError, match="does not tell its stream"):
        jitune.sum(Tensor(), session=session)


def test_tensors_of_an_older_pytorch_on_the_cpu(session):
    """They have a __cuda_array_interface__ that raises, and lend themselves by DLPack."""
    class OldTensor:
        requires_grad = False

        def __init__(self, x):
            self.x = x

        @property
        def __cuda_array_interface__(self):
            raise AttributeError("on the CPU")

        def __dlpack__(self):
            return self.x.__dlpack__()

    x, out = numpy.arange(4000, dtype="float32"), numpy.zeros((), "float32")
    assert jitune.sum(OldTensor(x), session=session) == x.sum()
    handle = jitune.prepare("max", OldTensor(x), session=session)
    assert handle.info()["device"] == "host" and handle(OldTensor(x), OldTensor(out)) and out == 3999
    assert handle.bind(OldTensor(x), OldTensor(out))() and out == 3999


def test_types_beyond_the_table_of_kinds(session):
    kinds = [type(f"Tensor{i}", (Tensor,), {}) for i in range(200)]
    x = numpy.arange(12, dtype="float32").reshape(3, 4)
    for kind in kinds + kinds:
        assert jitune.sum(kind(x), session=session) == 66
        assert jitune.sum(kind(x), axis=0, session=session).tolist() == [12, 15, 18, 21]


def test_a_fork_is_refused(session):
    x = numpy.arange(100_000, dtype="float32")
    jitune.sum(x, session=session)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            jitune.sum(x, session=session)
            os.write(writer, b"no error")
        except jitune.ForkedError:
            os.write(writer, b"forked")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 100) == b"forked"


def test_ctrl_c_ends_a_sweep(tmp_path):
    session = jitune.Session(database=tmp_path / "tuning.db")
    with pytest.raises(KeyboardInterrupt):
        jitune.sweep("reduce", lambda line: os.kill(os.getpid(), signal.SIGINT), session=session, device="host",
                     sizes="2^16..2^24", budget=60)
