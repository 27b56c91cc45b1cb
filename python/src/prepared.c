// SPDX-License-Identifier: Apache-2.0
#include "prepared.h"

#include <stdio.h>
#include <string.h>

#include "bound.h"
#include "calls.h"
#include "result_types.h"

typedef struct {
    PyObject_HEAD
    jitune_prepared* prepared;
    PyObject* session;  // kept alive, or NULL
    jitune_type element;
    ResultTypes types;  // `kernel` is the handle's
    int64_t in_size, out_size;
    bool is_whole;  // x and out may have any shape
    int in_ndim, out_ndim;
    int64_t in_shape[kMaxDimensions], out_shape[kMaxDimensions];
    int device;  // kHostDevice, or the number of a GPU
} PreparedObject;

static PyObject* prepared_type;

static void prepared_dealloc(PyObject* object) {
    PreparedObject* self = (PreparedObject*)object;
    jitune_prepared_destroy(self->prepared);
    free_object(object, self->session);
}

// Whether an array may take the place of the one that was prepared, or of its results.
static bool fits(const PreparedObject* self, const Array* array, int64_t size, const int64_t* shape,
                 int ndim) {
    bool is_like = array->device == self->device && array->is_contiguous && array->size == size &&
                   (self->is_whole || array->ndim == ndim);
    for (int i = 0; is_like && !self->is_whole && i < ndim; ++i) {
        is_like = array->shape[i] == shape[i];
    }
    return is_like;
}

static int refuse(const PreparedObject* self, const char* name, jitune_type type,
                  const int64_t* shape, int ndim) {
    char device[32] = "the host";
    if (self->device != kHostDevice) {
        snprintf(device, sizeof device, "GPU %d", self->device);
    }
    PyObject* sizes = shape_tuple(shape, ndim);
    if (sizes != NULL) {
        PyErr_Format(PyExc_ValueError,
                     "%s must be a row-major array of %s with shape %R on %s, as prepared", name,
                     type_name(type, false), sizes, device);
        Py_DECREF(sizes);
    }
    return -1;
}

static int check_arrays(const PreparedObject* self, const Array* in, const Array* out) {
    const jitune_type result = self->types.kernel, wanted = self->types.wanted;
    if (in->type != self->element ||
        !fits(self, in, self->in_size, self->in_shape, self->in_ndim)) {
        return refuse(self, "x", self->element, self->in_shape, self->in_ndim);
    }
    if ((out->type != result && !(is_native(&self->types) && out->type == wanted)) ||
        !fits(self, out, self->out_size, self->out_shape, self->out_ndim)) {
        return refuse(self, "out", is_native(&self->types) ? wanted : result, self->out_shape,
                      self->out_ndim);
    }
    if (out->is_readonly) {
        PyErr_SetString(PyExc_ValueError, "out is read-only");
        return -1;
    }
    return 0;
}

PyObject* prepared_run(PyObject* handle, PyObject* const* arguments, const Array* in,
                       const Array* out) {
    const jitune_prepared* prepared = ((PreparedObject*)handle)->prepared;
    jitune_stream stream = NULL;
    PyObject* guard = NULL;
    if (array_stream(in, &stream) != 0 || array_enter_device(arguments[0], in, &guard) != 0) {
        return NULL;
    }
    const int64_t most_with_lock = 1 << 14;  // elements that take less time than the lock
    jitune_status status = JITUNE_OK;
    if (in->device == kHostDevice && in->size > most_with_lock) {
        Py_BEGIN_ALLOW_THREADS
        status = jitune_launch(prepared, in->data, NULL, out->data, stream);
        Py_END_ALLOW_THREADS
    } else {
        status = jitune_launch(prepared, in->data, NULL, out->data, stream);
    }
    array_leave_device(guard);
    if (status != JITUNE_OK) {
        return raise_status(status);
    }
    Py_INCREF(arguments[1]);
    return arguments[1];
}

int prepared_read(PyObject* handle, PyObject* const* arguments, Array* in, Array* out) {
    if (array_read(arguments[0], "x", in) != 0) {
        return -1;
    }
    if (array_read(arguments[1], "out", out) != 0) {
        array_release(in);
        return -1;
    }
    if (check_arrays((PreparedObject*)handle, in, out) == 0) {
        return 0;
    }
    array_release(out);
    array_release(in);
    return -1;
}

static PyObject* prepared_launch(PyObject* handle, PyObject* const* arguments, Py_ssize_t count) {
    Array in, out;
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "launch takes two arguments: x and out");
        return NULL;
    }
    if (prepared_read(handle, arguments, &in, &out) != 0) {
        return NULL;
    }
    PyObject* result = prepared_run(handle, arguments, &in, &out);
    array_release(&out);
    array_release(&in);
    return result;
}

static PyObject* prepared_call(PyObject* self, PyObject* arguments, PyObject* keywords) {
    PyObject *x = NULL, *out = NULL;
    static char* names[] = {"x", "out", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO:Prepared", names, &x, &out)) {
        return NULL;
    }
    PyObject* const arrays[] = {x, out};
    return prepared_launch(self, arrays, 2);
}

PyObject* prepared_info_of(const jitune_prepared* prepared) {
    jitune_dispatch_info info;
    const jitune_status status = jitune_prepared_info(prepared, &info);
    return status != JITUNE_OK
               ? raise_status(status)
               : Py_BuildValue("{sssssssssOsLssss}", "origin", info.origin, "device", info.device,
                               "device_name", info.device_name, "configuration", info.configuration,
                               "pending", info.pending ? Py_True : Py_False, "waited",
                               (long long)info.waited, "kernel", info.kernel, "types", info.types);
}

static PyObject* prepared_info(PyObject* object, PyObject* unused) {
    (void)unused;
    return prepared_info_of(((PreparedObject*)object)->prepared);
}

// Rows or columns of an array whose first or last dimension is reduced; all where axis is None.
static int set_shape(const Array* in, PyObject* axis, jitune_reduction* reduction) {
    if (axis == NULL || axis == Py_None) {
        reduction->shape = JITUNE_WHOLE;
        reduction->inner = in->size;
        return 0;
    }
    const long place = PyLong_AsLong(axis);
    if (PyErr_Occurred()) {
        return -1;
    }
    const int last = in->ndim - 1;
    const bool is_last = in->ndim > 0 && (place == last || place == -1);
    if (!is_last && (in->ndim == 0 || (place != 0 && place != -in->ndim))) {
        PyErr_SetString(PyExc_ValueError,
                        "prepare: axis must be None, the first or the last dimension");
        return -1;
    }
    const int64_t reduced = in->shape[is_last ? last : 0];
    const int64_t kept = array_count(is_last ? in->shape : in->shape + 1, last);
    reduction->shape = is_last ? JITUNE_ROWS : JITUNE_COLUMNS;
    reduction->outer = is_last ? kept : reduced;
    reduction->inner = is_last ? reduced : kept;
    return 0;
}

// The shapes of x and of the results.
static void set_arrays(PreparedObject* self, const Array* in, const jitune_reduction* reduction) {
    self->element = in->type;
    self->device = in->device;
    self->in_size = in->size;
    self->is_whole = reduction->shape == JITUNE_WHOLE;
    self->in_ndim = in->ndim;
    memcpy(self->in_shape, in->shape, sizeof *in->shape * (size_t)in->ndim);
    self->out_ndim = self->is_whole ? 0 : in->ndim - 1;
    const int64_t* kept = reduction->shape == JITUNE_COLUMNS ? in->shape + 1 : in->shape;
    memcpy(self->out_shape, kept, sizeof *kept * (size_t)self->out_ndim);
    self->out_size = array_count(self->out_shape, self->out_ndim);
}

static PyObject* prepare(jitune_reduce_op op, const Array* in, PyObject* axis, PyObject* dtype,
                         PyObject* session_object, jitune_session* session) {
    jitune_reduction reduction = jitune_reduction_of(in->type, op, 0);
    ResultTypes types;
    if (!in->is_contiguous) {
        PyErr_SetString(PyExc_ValueError, "prepare: x must be row-major");
        return NULL;
    }
    if (set_shape(in, axis, &reduction) != 0 ||
        result_types("prepare", in, op, dtype, &types) != 0) {
        return NULL;
    }
    if (dtype != NULL && dtype != Py_None && !is_native(&types)) {
        PyErr_Format(PyExc_TypeError,
                     "prepare: a handle has no results of dtype %s: cast those of %s",
                     type_name(types.wanted, false), type_name(types.kernel, false));
        return NULL;
    }
    if ((op == JITUNE_MIN || op == JITUNE_MAX) && in->size == 0) {
        PyErr_SetString(PyExc_ValueError, "prepare: x has no elements to take the extreme of");
        return NULL;
    }
    reduction.result = types.kernel;
    jitune_prepared* prepared = NULL;
    jitune_status status = JITUNE_OK;
    char device[32];
    array_device_id(in, device, sizeof device);
    Py_BEGIN_ALLOW_THREADS
    status = jitune_prepare_reduction(session, &reduction, device, &prepared);
    Py_END_ALLOW_THREADS
    if (status != JITUNE_OK) {
        return raise_status(status);
    }
    PreparedObject* self = (PreparedObject*)PyType_GenericAlloc((PyTypeObject*)prepared_type, 0);
    if (self == NULL) {
        jitune_prepared_destroy(prepared);
        return NULL;
    }
    self->prepared = prepared;
    self->session = session_object == Py_None ? NULL : session_object;
    Py_XINCREF(self->session);
    self->types = types;
    set_arrays(self, in, &reduction);
    return (PyObject*)self;
}

PyObject* prepare_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                       PyObject* keywords) {
    (void)self;
    static const char* const names[] = {"op", "x", "axis", "dtype", "session", NULL};
    PyObject* values[5] = {NULL};
    jitune_session* session = NULL;
    jitune_reduce_op op = JITUNE_SUM;
    if (read_arguments("prepare", arguments, count, keywords, names, 4, values) != 0 ||
        read_session(values[4], &session) != 0) {
        return NULL;
    }
    if (values[0] == NULL || values[1] == NULL) {
        PyErr_SetString(PyExc_TypeError, "prepare: pass op and x");
        return NULL;
    }
    Array in;
    if (read_op(values[0], &op) != 0 || array_read(values[1], "x", &in) != 0) {
        return NULL;
    }
    PyObject* prepared = prepare(op, &in, values[2], values[3], values[4], session);
    array_release(&in);
    return prepared;
}

static PyObject* prepared_dtype(PyObject* object, void* unused) {
    (void)unused;
    const ResultTypes* types = &((PreparedObject*)object)->types;
    const bool native = is_native(types);
    return PyUnicode_FromString(
        type_name(native ? types->wanted : types->kernel, native && types->wants_bool));
}

static PyObject* prepared_shape(PyObject* object, void* unused) {
    (void)unused;
    const PreparedObject* self = (PreparedObject*)object;
    return shape_tuple(self->out_shape, self->out_ndim);
}

static PyGetSetDef prepared_attributes[] = {
    {"dtype", prepared_dtype, NULL, "The dtype that out must have, as \"float32\".", NULL},
    {"shape", prepared_shape, NULL,
     "The shape of out; for the whole of x, any shape of one element will do.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef prepared_methods[] = {
    {"launch", (PyCFunction)(void (*)(void))prepared_launch, METH_FASTCALL,
     "launch($self, x, out, /)\n--\n\nAs a call of the handle, a little faster."},
    {"bind", (PyCFunction)(void (*)(void))prepared_bind, METH_FASTCALL,
     "bind($self, x, out, /)\n--\n\nA jitune.Bound, which launches with these arrays: bound() is "
     "handle(x, out) without "
     "looking at them again.\nIt keeps their memory alive, also where a tensor is given other "
     "memory meanwhile; do not resize_ a "
     "tensor or its\nstorage."},
    {"info", prepared_info, METH_NOARGS,
     "info($self, /)\n--\n\nWhat answers: a dict of origin, device, device_name, "
     "configuration, pending (whether\na tuning was, when this answer was taken) and waited "
     "(microseconds)."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot prepared_slots[] = {
    {Py_tp_doc,
     "A reduction with everything slow done ahead: handle(x, out) only launches on the current "
     "stream, so that a\n"
     "CUDA graph can capture it. x and out are as prepared. Launches share work memory: do not let "
     "two run at "
     "the\nsame time."},
    {Py_tp_dealloc, prepared_dealloc},
    {Py_tp_call, prepared_call},
    {Py_tp_methods, prepared_methods},
    {Py_tp_getset, prepared_attributes},
    {0, NULL},
};
static PyType_Spec prepared_spec = {"jitune.Prepared", sizeof(PreparedObject), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                    prepared_slots};

int add_prepared_type(PyObject* module) {
    return add_type(module, "Prepared", &prepared_spec, &prepared_type);
}
