// SPDX-License-Identifier: Apache-2.0
// The module jitune._jitune: functions over the C interface.
#include "bound.h"
#include "calls.h"
#include "formula.h"
#include "formula_prepared.h"
#include "kernel.h"
#include "prepared.h"
#include "reduce.h"
#include "session.h"

#define REDUCTION(name, op)                                                                    \
    static PyObject* name##_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count, \
                                 PyObject* keywords) {                                         \
        (void)self;                                                                            \
        return reduce_call(#name, op, arguments, count, keywords);                             \
    }

REDUCTION(sum, JITUNE_SUM)
REDUCTION(prod, JITUNE_PRODUCT)
REDUCTION(min, JITUNE_MIN)
REDUCTION(max, JITUNE_MAX)
REDUCTION(argmin, JITUNE_ARG_MIN)
REDUCTION(argmax, JITUNE_ARG_MAX)
REDUCTION(mean, JITUNE_MEAN)
REDUCTION(any, JITUNE_ANY)
REDUCTION(all, JITUNE_ALL)
REDUCTION(count_nonzero, JITUNE_COUNT_NONZERO)
REDUCTION(norm, JITUNE_NORM)

#define SIGNATURE(name) \
#name "(x, axis=None, dtype=None, out=None, keepdims=False, *, session=None)\n--\n\n"
#define RULES                                                                                      \
    "\n\nx: an array of NumPy, CuPy, PyTorch or others, on the CPU or a GPU; axis: None for all "  \
    "dimensions, an int or a\n"                                                                    \
    "tuple; out: a row-major array for the result. Returns an array of x's kind, or a scalar for " \
    "one value in host\n"                                                                          \
    "memory. On a GPU the work is enqueued on the current stream. Raises jitune.Error, TypeError " \
    "or ValueError."
#define METHOD(name, text)                                                              \
    {                                                                                   \
#name, (PyCFunction)(void (*)(void))name##_call, METH_FASTCALL | METH_KEYWORDS, \
            SIGNATURE(name) text RULES                                                  \
    }

#define FUNCTION(name, function, text) \
    { #name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS, text }

static PyMethodDef methods[] = {
    METHOD(sum, "The sum of elements. Of integers int64 or uint64, which wraps; else x's dtype."),
    METHOD(prod, "The product of elements, of the types of sum."),
    METHOD(min, "The smallest element; any NaN makes it NaN."),
    METHOD(max, "The largest element; any NaN makes it NaN."),
    METHOD(argmin, "The place of the first smallest element, int64; the first NaN wins."),
    METHOD(argmax, "The place of the first largest element, int64; the first NaN wins."),
    METHOD(mean, "The mean of elements: float64 of integers, else x's dtype."),
    METHOD(any, "Whether one element is not 0."),
    METHOD(all, "Whether each element is not 0."),
    METHOD(count_nonzero, "The number of elements that are not 0, int64."),
    METHOD(norm,
           "The Euclidean norm: the square root of the sum of squares. float64 of integers, else "
           "x's dtype."),
    FUNCTION(stencil, stencil_call,
             "stencil(x, radius=None, *, weights=None, mean=False, boundary=\"valid\", out=None, "
             "session=None)\n--\n\n"
             "The sum, mean or weighted sum of each element's 2 * radius + 1 neighbours. x: a row "
             "of int32, float32 or\n"
             "float64; boundary: valid, zero, clamp or wrap."),
    FUNCTION(entropy, entropy_call,
             "entropy(x, window=5, levels=16, *, base=math.e, out=None, session=None)\n--\n\n"
             "The entropy of the window around each element. x: a row-major matrix of uint8, int32 "
             "or float32 with values\n"
             "0 to levels - 1. Returns float32 of the same shape."),
    FUNCTION(segment_reduce, segment_reduce_call,
             "segment_reduce(x, offsets, op=\"sum\", *, out=None, session=None)\n--\n\n"
             "Combines x[offsets[i]:offsets[i + 1]] for each i. x: a row; offsets: int64 on the "
             "same device, one more than\n"
             "segments, which must not decrease. Returns a row of the dtype of the function `op`."),
    FUNCTION(
        custom_reduce, custom_reduce_call,
        "custom_reduce(x, *, name, state, identity, map, combine, finish=\"a\", definitions=\"\",\n"
        "              result=\"float32\", tolerance=1e-3, out=None, session=None)\n--\n\n"
        "Reduces with an operation of your own, given as C++ expressions "
        "(docs/how-to/custom_operation.md). Returns an\n"
        "array without dimensions."),
    FUNCTION(prepare, prepare_call,
             "prepare(op, x, axis=None, dtype=None, *, session=None)\n--\n\n"
             "A jitune.Prepared that does `op` for arrays like x: of its dtype, shape and device. "
             "axis: None, the first or\n"
             "the last dimension. Its attributes dtype and shape are those of out: as of the "
             "function `op`."),
    {"command", (PyCFunction)(void (*)(void))run_command, METH_FASTCALL | METH_KEYWORDS,
     "command(words, progress=None, *, session=None)\n--\n\nThe JSON text that `jitune WORDS --db "
     "DATABASE --json` prints, "
     "for\ncommands that take both. progress: a "
     "function of one line;\nif it returns true, or at Ctrl-C, the command is stopped. Raises "
     "jitune.Error."},
    {NULL, NULL, 0, NULL},
};

// The exceptions, as subclasses of jitune.Error; those of wrong arguments are ValueErrors, too.
static int add_errors(PyObject* module) {
    static const char* const names[] = {NULL,           "UsageError",       "UnavailableError",
                                        "CompileError", "DeviceError",      "VerifyError",
                                        "StoreError",   "NotPreparedError", "ForkedError",
                                        "CommandError", "InterruptedError", "InternalError"};
    module_state.error = PyErr_NewExceptionWithDoc(
        "jitune.Error", "What jitune raises. native_code: whose code, and which (jitune/base.h).",
        NULL, NULL);
    if (module_state.error == NULL ||
        PyModule_AddObject(module, "Error", module_state.error) != 0) {
        return -1;
    }
    Py_INCREF(module_state.error);
    for (int status = JITUNE_ERROR_USAGE; status <= JITUNE_ERROR_INTERNAL; ++status) {
        PyObject* bases = status == JITUNE_ERROR_USAGE
                              ? PyTuple_Pack(2, module_state.error, PyExc_ValueError)
                              : PyTuple_Pack(1, module_state.error);
        PyObject* full = PyUnicode_FromFormat("jitune.%s", names[status]);
        PyObject* bytes = full == NULL ? NULL : PyUnicode_AsUTF8String(full);
        PyObject* type = bytes == NULL || bases == NULL
                             ? NULL
                             : PyErr_NewException(PyBytes_AsString(bytes), bases, NULL);
        Py_XDECREF(bytes);
        Py_XDECREF(full);
        Py_XDECREF(bases);
        if (type == NULL || PyModule_AddObject(module, names[status], type) != 0) {
            return -1;
        }
        Py_INCREF(type);
        module_state.errors[status] = type;
    }
    return 0;
}

static int intern_names(AttributeNames* names) {
    names->data = PyUnicode_InternFromString("data");
    names->ptr = PyUnicode_InternFromString("ptr");
    names->device_id = PyUnicode_InternFromString("device_id");
    names->dtype = PyUnicode_InternFromString("dtype");
    names->ndim = PyUnicode_InternFromString("ndim");
    names->size = PyUnicode_InternFromString("size");
    names->shape = PyUnicode_InternFromString("shape");
    names->strides = PyUnicode_InternFromString("strides");
    names->c_contiguous = PyUnicode_InternFromString("_c_contiguous");
    names->requires_grad = PyUnicode_InternFromString("requires_grad");
    names->out = PyUnicode_InternFromString("out");
    names->axis = PyUnicode_InternFromString("axis");
    names->offsets = PyUnicode_InternFromString("offsets");
    names->keepdims = PyUnicode_InternFromString("keepdims");
    return PyErr_Occurred() ? -1 : 0;
}

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "jitune._jitune",
                                        "Functions over the C interface of jitune.",
                                        -1,
                                        methods,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__jitune(void) {
    PyObject* module = PyModule_Create(&definition);
    if (module == NULL) {
        return NULL;
    }
    module_state.helpers = PyImport_ImportModule("jitune._helpers");
    if (module_state.helpers == NULL || intern_names(&module_state.names) != 0 ||
        add_errors(module) != 0 || add_session_type(module) != 0 ||
        add_prepared_type(module) != 0 || add_bound_type(module) != 0 ||
        add_kernel_type(module) != 0 || add_formula_type(module) != 0 ||
        add_formula_prepared_type(module) != 0 ||
        PyModule_AddStringConstant(module, "__version__", jitune_version_text()) != 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
