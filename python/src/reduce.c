// SPDX-License-Identifier: Apache-2.0
#include "reduce.h"

#include <string.h>

#include "axes.h"
#include "result.h"
#include "result_types.h"

// A reduction of one array, as far as it is known.
typedef struct {
    const char* function;
    PyObject *x, *out;
    Array in;
    jitune_reduction reduction;
    jitune_session* session;
    jitune_stream stream;
    ResultTypes types;
    bool keepdims;
    uint64_t axes;                  // reduced dimensions, a bit for each
    int64_t shape[kMaxDimensions];  // of the result
    int ndim;
} Call;

// The dimensions of more than one element as they lie in memory, the slowest first. Returns their
// number; -1 where elements have gaps between them.
static int lying_order(const Array* in, int* order) {
    int count = 0;
    for (int i = 0; i < in->ndim; ++i) {
        if (in->shape[i] != 1) {
            int place = count++;
            for (;
                 !in->is_contiguous && place > 0 && in->strides[order[place - 1]] < in->strides[i];
                 --place) {
                order[place] = order[place - 1];
            }
            order[place] = i;
        }
    }
    int64_t stride = 1;
    for (int k = count - 1; !in->is_contiguous && k >= 0; --k) {
        if (in->strides[order[k]] != stride) {
            return -1;
        }
        stride *= in->shape[order[k]];
    }
    return count;
}

// Dimensions of one kind, reduced or kept, by their places in the order above.
typedef struct {
    int64_t count;    // of elements
    int first, last;  // places; -1: there is none
    int last_dimension;
    bool is_sorted;  // they lie in the order of their numbers
} Dimensions;

static void add_dimension(Dimensions* dimensions, int place, int dimension, int64_t count) {
    dimensions->is_sorted = dimensions->is_sorted && dimension > dimensions->last_dimension;
    dimensions->count *= count;
    dimensions->first = dimensions->first < 0 ? place : dimensions->first;
    dimensions->last = place;
    dimensions->last_dimension = dimension;
}

// Sets the shape of the result.
static void set_result_shape(Call* call) {
    call->ndim = 0;
    for (int i = 0; i < call->in.ndim; ++i) {
        const bool is_reduced = (call->axes >> i & 1) != 0;
        if (!is_reduced || call->keepdims) {
            call->shape[call->ndim++] = is_reduced ? 1 : call->in.shape[i];
        }
    }
}

// Sets the shape of the reduction where the kernels have one: all dimensions, or those that lie
// last or first in memory. Returns whether they have.
static bool set_shape(Call* call) {
    int order[kMaxDimensions];
    const int count = lying_order(&call->in, order);
    Dimensions kept = {1, -1, -1, -1, true}, reduced = kept;
    for (int k = 0; k < count; ++k) {
        const int i = order[k];
        add_dimension((call->axes >> i & 1) != 0 ? &reduced : &kept, k, i, call->in.shape[i]);
    }
    jitune_reduction* reduction = &call->reduction;
    reduction->shape = kept.first < 0                                   ? JITUNE_WHOLE
                       : reduced.first < 0 || kept.last < reduced.first ? JITUNE_ROWS
                                                                        : JITUNE_COLUMNS;
    reduction->outer = reduction->shape == JITUNE_COLUMNS ? reduced.count : kept.count;
    reduction->inner = reduction->shape == JITUNE_COLUMNS ? kept.count : reduced.count;
    const bool has_index = reduction->op == JITUNE_ARG_MIN || reduction->op == JITUNE_ARG_MAX;
    return count >= 0 && kept.is_sorted && (reduced.is_sorted || !has_index) &&
           (reduction->shape != JITUNE_COLUMNS || reduced.last < kept.first);
}

// An integer as the type `wanted` has it: its low bits, as a cast of NumPy.
static PyObject* integer_number(int64_t value, jitune_type wanted) {
    switch (wanted) {
        case JITUNE_INT8:
            return PyLong_FromLong((int8_t)value);
        case JITUNE_UINT8:
            return PyLong_FromLong((uint8_t)value);
        case JITUNE_INT16:
            return PyLong_FromLong((int16_t)value);
        case JITUNE_UINT16:
            return PyLong_FromLong((uint16_t)value);
        case JITUNE_INT32:
            return PyLong_FromLong((int32_t)value);
        case JITUNE_UINT32:
            return PyLong_FromUnsignedLong((uint32_t)value);
        case JITUNE_UINT64:
            return PyLong_FromUnsignedLongLong((uint64_t)value);
        default:
            return PyLong_FromLongLong(value);
    }
}

// A result of the kernel as Python's number; `bits` are zeroed behind it.
static PyObject* number_of(const ResultTypes* types, uint64_t bits) {
    float narrow;
    double wide;
    switch (types->kernel) {
        case JITUNE_FLOAT32:
            memcpy(&narrow, &bits, sizeof narrow);
            return PyFloat_FromDouble((double)narrow);
        case JITUNE_FLOAT64:
            memcpy(&wide, &bits, sizeof wide);
            return PyFloat_FromDouble(wide);
        case JITUNE_INT32:
            return integer_number((int32_t)bits, types->wanted);
        default:
            return types->wants_bool ? PyBool_FromLong(bits != 0)
                                     : integer_number((int64_t)bits, types->wanted);
    }
}

// A launch that is known from before takes less time than the lock of the interpreter, but for
// large arrays in host memory. Others may tune, compile, or wait for the database.
static jitune_status launch(const Call* call, void* out) {
    const Array* in = &call->in;
    const bool is_host = in->device == kHostDevice;
    const int64_t most_with_lock = 1 << 14;  // elements in host memory
    const jitune_reduction* reduction = &call->reduction;
    if (is_host
            ? in->size <= most_with_lock &&
                  jitune_reduce_host_known(call->session, reduction, in->data, NULL, out)
            : jitune_reduce_known(call->session, reduction, in->data, NULL, out, call->stream)) {
        return JITUNE_OK;
    }
    jitune_status status = JITUNE_OK;
    Py_BEGIN_ALLOW_THREADS
    status = is_host ? jitune_reduce_host(call->session, reduction, in->data, NULL, out)
                     : jitune_reduce(call->session, reduction, in->data, NULL, out, call->stream);
    Py_END_ALLOW_THREADS
    return status;
}

// One value of data in host memory. Its number is rounded where it becomes an object.
static PyObject* host_scalar(Call* call) {
    uint64_t bits = 0;
    const jitune_type usual = library_result(call->in.type, call->reduction.op);
    if (type_bytes(call->types.kernel) < type_bytes(usual)) {
        call->types.kernel = call->reduction.result = usual;
    }
    const jitune_status status = launch(call, &bits);
    if (status != JITUNE_OK) {
        return raise_status(status);
    }
    PyObject* number = number_of(&call->types, bits);
    PyObject* result =
        number == NULL ? NULL
                       : array_scalar(call->x, number, call->types.wanted, call->types.wants_bool);
    Py_XDECREF(number);
    return result;
}

// Reduces into `out`, or into a new array, of this type.
static PyObject* reduce_into(const Call* call, PyObject* out, jitune_type type, bool is_bool) {
    Result result;
    if (result_open(&result, call->function, call->x, &call->in, out, call->shape, call->ndim, type,
                    is_bool) != 0) {
        return NULL;
    }
    PyObject* guard = NULL;
    if (array_enter_device(call->x, &call->in, &guard) != 0) {
        return result_close(&result, false);
    }
    const jitune_status status = launch(call, result.data);
    if (status != JITUNE_OK) {
        raise_status(status);
    }
    array_leave_device(guard);
    return result_close(&result, status == JITUNE_OK);
}

// Checks `out` before work whose results are copied there. Returns 0, or -1 with an exception.
static int check_out(const Call* call) {
    Result out;
    if (result_open(&out, call->function, call->x, &call->in, call->out, call->shape, call->ndim,
                    call->types.wanted, call->types.wants_bool) != 0) {
        return -1;
    }
    Py_DECREF(result_close(&out, true));
    return 0;
}

// By way of an array of the kernel's results, where these are not those of Python.
static PyObject* reduce_and_cast(const Call* call) {
    const bool has_out = call->out != NULL && call->out != Py_None;
    if (has_out && check_out(call) != 0) {
        return NULL;
    }
    PyObject* made = reduce_into(call, NULL, call->reduction.result, false);
    if (made == NULL) {
        return NULL;
    }
    PyObject* result = has_out ? call_helper("copy", "(OO)", call->out, made)
                               : call_helper("cast", "(Os)", made,
                                             type_name(call->types.wanted, call->types.wants_bool));
    Py_DECREF(made);
    return result;
}

static PyObject* reduce(Call* call) {
    const bool has_out = call->out != NULL && call->out != Py_None;
    if (!has_out && call->ndim == 0 && call->in.device == kHostDevice) {
        return host_scalar(call);
    }
    if (array_stream(&call->in, &call->stream) != 0) {
        return NULL;
    }
    return is_native(&call->types)
               ? reduce_into(call, call->out, call->types.wanted, call->types.wants_bool)
               : reduce_and_cast(call);
}

// Reduces an array that has been read.
static PyObject* reduce_read(Call* call, PyObject* axis, PyObject* dtype, PyObject* session) {
    const jitune_reduce_op op = call->reduction.op;
    if (result_types(call->function, &call->in, op, dtype, &call->types) != 0 ||
        axes_read(call->function, axis, call->in.ndim, &call->axes) != 0) {
        return NULL;
    }
    set_result_shape(call);
    const bool has_kernel = set_shape(call);
    if ((op == JITUNE_MIN || op == JITUNE_MAX) && call->in.size == 0 &&
        array_count(call->shape, call->ndim) > 0) {
        PyErr_Format(PyExc_ValueError, "%s: x has no elements to take the %s of", call->function,
                     call->function);
        return NULL;
    }
    const bool has_out =
        call->out != NULL && call->out != Py_None;  // what is written there has no gradient
    const int needs_grad =
        is_float(call->types.wanted) && !has_out ? array_needs_grad(call->x, &call->in) : 0;
    if (needs_grad < 0) {
        return NULL;
    }
    if (needs_grad == 0 && has_kernel) {
        call->reduction.element = call->in.type;
        call->reduction.result = call->types.kernel;
        return reduce(call);
    }
    if (has_out && check_out(call) != 0) {
        return NULL;
    }
    PyObject* none = Py_None;
    return call_helper(needs_grad == 1 ? "reduce_with_grad" : "reduce_strided", "(sOOOOOO)",
                       call->function, call->x, axis == NULL ? none : axis,
                       dtype == NULL ? none : dtype, call->out == NULL ? none : call->out,
                       call->keepdims ? Py_True : Py_False, session == NULL ? none : session);
}

PyObject* reduce_call(const char* function, jitune_reduce_op op, PyObject* const* arguments,
                      Py_ssize_t count, PyObject* keywords) {
    static const char* const names[] = {"x", "axis", "dtype", "out", "keepdims", "session", NULL};
    PyObject* values[6] = {NULL};
    Call call;  // too large to be zeroed for each call
    if (read_arguments(function, arguments, count, keywords, names, 5, values) != 0 ||
        read_session(values[5], &call.session) != 0) {
        return NULL;
    }
    if (values[0] == NULL) {
        PyErr_Format(PyExc_TypeError, "%s: pass an array", function);
        return NULL;
    }
    const int keepdims = values[4] == NULL ? 0 : PyObject_IsTrue(values[4]);
    if (keepdims < 0 || array_read(values[0], "x", &call.in) != 0) {
        return NULL;
    }
    const jitune_reduction reduction = {.op = op};
    call.function = function;
    call.x = values[0];
    call.out = values[3];
    call.reduction = reduction;
    call.stream = NULL;
    call.keepdims = keepdims != 0;
    PyObject* result = reduce_read(&call, values[1], values[2], values[5]);
    array_release(&call.in);
    return result;
}
