// SPDX-License-Identifier: Apache-2.0
#include "calls.h"

#include "custom.h"
#include "result.h"
#include "result_types.h"

static int refuse_strided(const char* function, const Array* in, int ndim) {
    if (in->ndim != ndim || !in->is_contiguous) {
        PyErr_Format(PyExc_ValueError, "%s: x must be a row-major array with %d dimension%s",
                     function, ndim, ndim == 1 ? "" : "s");
        return -1;
    }
    return 0;
}

static int read_int(PyObject* object, int usual, int* value) {
    *value = usual;
    if (object != NULL) {
        const long number = PyLong_AsLong(object);
        *value = number > 1 << 30 || number < -(1 << 30) ? -1 : (int)number;
        return number == -1 && PyErr_Occurred() ? -1 : 0;
    }
    return 0;
}

static int read_double(PyObject* object, double usual, double* value) {
    *value = object == NULL ? usual : PyFloat_AsDouble(object);
    return PyErr_Occurred() ? -1 : 0;
}

// What a call does with the arrays when they are known.
typedef struct {
    jitune_session* session;
    const Array* in;
    const jitune_stencil* stencil;
    const jitune_entropy* entropy;
    const jitune_reduction* reduction;
    const int64_t* offsets;
    jitune_stream stream;
} Work;

static jitune_status work_into(const Work* work, void* out) {
    const Array* in = work->in;
    const bool is_host = in->device == kHostDevice;
    if (work->stencil != NULL) {
        return is_host ? jitune_apply_stencil_host(work->session, work->stencil, in->data, out)
                       : jitune_apply_stencil(work->session, work->stencil, in->data, out,
                                              work->stream);
    }
    if (work->entropy != NULL) {
        return is_host ? jitune_compute_entropy_host(work->session, work->entropy, in->data, out)
                       : jitune_compute_entropy(work->session, work->entropy, in->data, out,
                                                work->stream);
    }
    return is_host
               ? jitune_reduce_host(work->session, work->reduction, in->data, work->offsets, out)
               : jitune_reduce(work->session, work->reduction, in->data, work->offsets, out,
                               work->stream);
}

// Does the work for the arguments of `function`, of which `values` has x first. Results have this
// shape and type, and go to `out` where that is given.
static PyObject* done(const char* function, Work* work, PyObject* x, PyObject* out,
                      const int64_t* shape, int ndim, jitune_type type, bool is_bool) {
    const int needs_grad = array_needs_grad(x, work->in);
    if (needs_grad != 0) {
        if (needs_grad == 1) {
            PyErr_Format(PyExc_ValueError, "%s has no gradient, which x requires: pass x.detach()",
                         function);
        }
        return NULL;
    }
    Result result;
    PyObject* guard = NULL;
    if (array_stream(work->in, &work->stream) != 0 ||
        result_open(&result, function, x, work->in, out, shape, ndim, type, is_bool) != 0) {
        return NULL;
    }
    if (array_enter_device(x, work->in, &guard) != 0) {
        return result_close(&result, false);
    }
    jitune_status status = JITUNE_OK;
    Py_BEGIN_ALLOW_THREADS
    status = work_into(work, result.data);
    Py_END_ALLOW_THREADS
    if (status != JITUNE_OK) {
        raise_status(status);
    }
    array_leave_device(guard);
    return result_close(&result, status == JITUNE_OK);
}

// The place of a name in a table, or -1.
static int place_in(const char* const* names, int count, PyObject* name) {
    for (int i = 0; PyUnicode_Check(name) && i < count; ++i) {
        if (PyUnicode_CompareWithASCIIString(name, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static int read_boundary(PyObject* name, jitune_boundary* boundary) {
    static const char* const names[] = {"valid", "zero", "clamp", "wrap"};
    enum { kNames = sizeof names / sizeof *names };
    _Static_assert(kNames == JITUNE_WRAP + 1, "a name for each boundary");
    const int place = name == NULL ? JITUNE_VALID : place_in(names, kNames, name);
    if (place < 0) {
        PyErr_Format(PyExc_ValueError, "stencil: boundary %R is none of valid, zero, clamp, wrap",
                     name);
        return -1;
    }
    *boundary = (jitune_boundary)place;
    return 0;
}

enum { kMostWeights = 65 };

// The weights, or none. Returns their number, or -1 with an exception.
static int read_weights(PyObject* object, double* weights) {
    if (object == NULL || object == Py_None) {
        return 0;
    }
    const Py_ssize_t count = PySequence_Size(object);
    if (count < 0 || count > kMostWeights || count % 2 == 0) {
        PyErr_Format(PyExc_ValueError,
                     "stencil: weights must be an odd number of at most %d numbers",
                     (int)kMostWeights);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* item = PySequence_GetItem(object, i);
        weights[i] = item == NULL ? 0 : PyFloat_AsDouble(item);
        Py_XDECREF(item);
        if (PyErr_Occurred()) {
            return -1;
        }
    }
    return (int)count;
}

PyObject* stencil_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                       PyObject* keywords) {
    (void)self;
    static const char* const names[] = {"x",        "radius", "weights", "mean",
                                        "boundary", "out",    "session", NULL};
    PyObject* values[7] = {NULL};
    double weights[kMostWeights];
    jitune_stencil stencil = {JITUNE_FLOAT32, 0, 1, NULL, 0, JITUNE_VALID};
    Work work = {.stencil = &stencil};
    if (read_arguments("stencil", arguments, count, keywords, names, 2, values) != 0 ||
        read_session(values[6], &work.session) != 0 ||
        read_boundary(values[4], &stencil.boundary) != 0) {
        return NULL;
    }
    const int weight_count = read_weights(values[2], weights);
    const bool is_sized = values[1] != NULL && values[1] != Py_None;
    if (weight_count < 0 ||
        read_int(is_sized ? values[1] : NULL, weight_count / 2, &stencil.radius) != 0) {
        return NULL;
    }
    if (values[0] == NULL || (weight_count == 0 && !is_sized) ||
        (weight_count > 0 && weight_count != 2 * stencil.radius + 1)) {
        PyErr_SetString(PyExc_ValueError,
                        "stencil: pass x and a radius, or 2 * radius + 1 weights");
        return NULL;
    }
    stencil.weights = weight_count > 0 ? weights : NULL;
    stencil.mean = values[3] != NULL && PyObject_IsTrue(values[3]) == 1;
    Array in;
    if (PyErr_Occurred() || array_read(values[0], "x", &in) != 0) {
        return NULL;
    }
    PyObject* result = NULL;
    if (refuse_strided("stencil", &in, 1) == 0) {
        work.in = &in;
        stencil.element = in.type;
        stencil.n = in.size;
        const int64_t outputs = jitune_stencil_outputs(&stencil);
        result = done("stencil", &work, values[0], values[5], &outputs, 1, in.type, in.is_bool);
    }
    array_release(&in);
    return result;
}

PyObject* entropy_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                       PyObject* keywords) {
    (void)self;
    static const char* const names[] = {"x", "window", "levels", "base", "out", "session", NULL};
    PyObject* values[6] = {NULL};
    jitune_entropy entropy = jitune_entropy_of(JITUNE_UINT8, 0, 0);
    Work work = {.entropy = &entropy};
    if (read_arguments("entropy", arguments, count, keywords, names, 3, values) != 0 ||
        read_session(values[5], &work.session) != 0 ||
        read_int(values[1], entropy.window, &entropy.window) != 0 ||
        read_int(values[2], entropy.levels, &entropy.levels) != 0 ||
        read_double(values[3], entropy.base, &entropy.base) != 0) {
        return NULL;
    }
    Array in;
    if (values[0] == NULL) {
        PyErr_SetString(PyExc_TypeError, "entropy: pass an array");
        return NULL;
    }
    if (array_read(values[0], "x", &in) != 0) {
        return NULL;
    }
    PyObject* result = NULL;
    if (refuse_strided("entropy", &in, 2) == 0) {
        work.in = &in;
        entropy.element = in.type;
        entropy.rows = in.shape[0];
        entropy.columns = in.shape[1];
        result = done("entropy", &work, values[0], values[4], in.shape, 2, JITUNE_FLOAT32, false);
    }
    array_release(&in);
    return result;
}

static const char* const op_names[] = {
    "sum",  "prod",    "min",     "max", "argmin", "argmax",       "mean", "sum_of_squares",
    "norm", "sum_abs", "max_abs", "all", "any",    "count_nonzero"};
_Static_assert(sizeof op_names / sizeof *op_names == JITUNE_CUSTOM, "a name for each operation");

// "sum, prod, ...": a new reference, or NULL with an error.
static PyObject* all_op_names(void) {
    PyObject* all = PyUnicode_FromString(op_names[0]);
    for (int i = 1; i < JITUNE_CUSTOM && all != NULL; ++i) {
        PyObject* const longer = PyUnicode_FromFormat("%U, %s", all, op_names[i]);
        Py_DECREF(all);
        all = longer;
    }
    return all;
}

int read_op(PyObject* name, jitune_reduce_op* op) {
    const int place = place_in(op_names, JITUNE_CUSTOM, name);
    if (place >= 0) {
        *op = (jitune_reduce_op)place;
        return 0;
    }
    PyObject* const all = all_op_names();
    if (all != NULL) {
        PyErr_Format(PyExc_ValueError, "op %R is none of %U", name, all);
        Py_DECREF(all);
    }
    return -1;
}

PyObject* segment_reduce_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keywords) {
    (void)self;
    static const char* const names[] = {"x", "offsets", "op", "out", "session", NULL};
    PyObject* values[5] = {NULL};
    jitune_reduce_op op = JITUNE_SUM;
    Work work = {0};
    if (read_arguments("segment_reduce", arguments, count, keywords, names, 3, values) != 0 ||
        read_session(values[4], &work.session) != 0 ||
        (values[2] != NULL && read_op(values[2], &op) != 0)) {
        return NULL;
    }
    if (values[0] == NULL || values[1] == NULL) {
        PyErr_SetString(PyExc_TypeError, "segment_reduce: pass x and offsets");
        return NULL;
    }
    Array in, offsets;
    ResultTypes types;
    if (array_read(values[0], "x", &in) != 0) {
        return NULL;
    }
    PyObject* result = NULL;
    if (refuse_strided("segment_reduce", &in, 1) == 0 &&
        array_read(values[1], "offsets", &offsets) == 0) {
        if (offsets.ndim != 1 || !offsets.is_contiguous || offsets.type != JITUNE_INT64 ||
            offsets.size < 1 || offsets.device != in.device) {
            PyErr_SetString(PyExc_ValueError,
                            "segment_reduce: offsets must be a row of int64 on the device of x, "
                            "one more than segments");
        } else if (result_types("segment_reduce", &in, op, NULL, &types) == 0) {
            jitune_reduction reduction = jitune_reduction_of(in.type, op, in.size);
            const int64_t segments = offsets.size - 1;
            reduction.result = types.kernel;
            reduction.shape = JITUNE_SEGMENTS;
            reduction.outer = segments;
            work.in = &in;
            work.reduction = &reduction;
            work.offsets = offsets.data;
            const jitune_type type = is_native(&types) ? types.wanted : types.kernel;
            result = done("segment_reduce", &work, values[0], values[3], &segments, 1, type,
                          types.wants_bool && is_native(&types));
        }
        array_release(&offsets);
    }
    array_release(&in);
    return result;
}

PyObject* custom_reduce_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                             PyObject* keywords) {
    (void)self;
    static const char* const names[] = {"x", CUSTOM_NAMES, "out", "session", NULL};
    enum { kX, kCustom, kOut = kCustom + kCustomValues, kSession, kAll };
    PyObject* values[kAll] = {NULL};
    CustomOperation custom;
    Work work = {0};
    if (read_arguments("custom_reduce", arguments, count, keywords, names, 1, values) != 0 ||
        read_session(values[kSession], &work.session) != 0) {
        return NULL;
    }
    if (values[kX] == NULL) {
        PyErr_SetString(PyExc_TypeError, "custom_reduce: pass an array");
        return NULL;
    }
    PyObject* result = NULL;
    Array in;
    if (custom_read("custom_reduce", values + kCustom, &custom) == 0 &&
        array_read(values[kX], "x", &in) == 0) {
        jitune_reduction reduction = jitune_reduction_of(in.type, JITUNE_CUSTOM, in.size);
        reduction.custom = &custom.operation;
        reduction.result = custom.operation.result;
        work.in = &in;
        work.reduction = &reduction;
        if (in.is_contiguous) {
            result = done("custom_reduce", &work, values[kX], values[kOut], NULL, 0,
                          custom.operation.result, custom.is_bool);
        } else {
            PyErr_SetString(PyExc_ValueError, "custom_reduce: x must be row-major: pass a copy");
        }
        array_release(&in);
    }
    custom_release(&custom);
    return result;
}
