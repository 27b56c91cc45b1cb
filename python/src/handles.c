// SPDX-License-Identifier: Apache-2.0
// Prepared handles, and kernels of the user's own.
#include "handles.h"

#include <stdio.h>
#include <string.h>

#include "calls.h"

typedef struct {
    PyObject_HEAD
    jitune_prepared *prepared;
    PyObject *session;     // kept alive, or NULL
    jitune_type element, result;
    int64_t in_size, out_size;
    bool is_host;
} PreparedObject;

typedef struct {
    PyObject_HEAD
    jitune_kernel *kernel;
    PyObject *session;
} KernelObject;

static PyObject *prepared_type;

static void free_object(PyObject *object, PyObject *session) {
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(session);
    PyObject_Free(object);
    Py_DECREF(type);
}

static void prepared_dealloc(PyObject *object) {
    PreparedObject *self = (PreparedObject *)object;
    jitune_prepared_destroy(self->prepared);
    free_object(object, self->session);
}

static void kernel_dealloc(PyObject *object) {
    KernelObject *self = (KernelObject *)object;
    jitune_kernel_destroy(self->kernel);
    free_object(object, self->session);
}

// ---- Prepared ----

static int check_array(const PreparedObject *self, const Array *array, const char *name, jitune_type type, int64_t size) {
    if (array->type != type || array->size != size || !array->is_contiguous ||
        (array->device == kHostDevice) != self->is_host) {
        PyErr_Format(PyExc_ValueError, "%s must be a row-major array of %s with %lld elements on the %s, as prepared", name,
                     type_name(type, false), (long long)size, self->is_host ? "host" : "GPU");
        return -1;
    }
    return 0;
}

static PyObject *prepared_launch(PyObject *object, PyObject *const *arguments, Py_ssize_t count) {
    const PreparedObject *self = (PreparedObject *)object;
    Array in, out;
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "launch takes two arguments: x and out");
        return NULL;
    }
    if (array_read(arguments[0], "x", &in) != 0) {
        return NULL;
    }
    if (array_read(arguments[1], "out", &out) != 0) {
        array_release(&in);
        return NULL;
    }
    PyObject *result = NULL;
    if (check_array(self, &in, "x", self->element, self->in_size) == 0 &&
        check_array(self, &out, "out", self->result, self->out_size) == 0) {
        if (out.is_readonly) {
            PyErr_SetString(PyExc_ValueError, "out is read-only");
        } else {
            const jitune_status status = jitune_launch(self->prepared, in.data, NULL, out.data, in.stream);
            result = status == JITUNE_OK ? arguments[1] : raise_status(status);
            Py_XINCREF(result);
        }
    }
    array_release(&out);
    array_release(&in);
    return result;
}

static PyObject *prepared_call(PyObject *self, PyObject *arguments, PyObject *keywords) {
    PyObject *x = NULL, *out = NULL;
    static char *names[] = {"x", "out", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO:Prepared", names, &x, &out)) {
        return NULL;
    }
    PyObject *const arrays[] = {x, out};
    return prepared_launch(self, arrays, 2);
}

static PyObject *prepared_info(PyObject *object, PyObject *unused) {
    (void)unused;
    jitune_dispatch_info info;
    const jitune_status status = jitune_prepared_info(((PreparedObject *)object)->prepared, &info);
    return status != JITUNE_OK ? raise_status(status)
                               : Py_BuildValue("{ssssssss}", "origin", info.origin, "device", info.device, "device_name",
                                               info.device_name, "configuration", info.configuration);
}

// Rows or columns of an array whose first or last dimension is reduced; all where axis is None.
static int set_shape(const Array *in, PyObject *axis, jitune_reduction *reduction) {
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
        PyErr_SetString(PyExc_ValueError, "prepare: axis must be None, the first or the last dimension");
        return -1;
    }
    const int64_t reduced = in->shape[is_last ? last : 0];
    const int64_t kept = reduced == 0 ? 0 : in->size / reduced;
    reduction->shape = is_last ? JITUNE_ROWS : JITUNE_COLUMNS;
    reduction->outer = is_last ? kept : reduced;
    reduction->inner = is_last ? reduced : kept;
    return 0;
}

static PyObject *prepare(jitune_reduce_op op, const Array *in, PyObject *axis, PyObject *session_object,
                         jitune_session *session) {
    jitune_reduction reduction = jitune_reduction_of(in->type, op, 0);
    if (!in->is_contiguous) {
        PyErr_SetString(PyExc_ValueError, "prepare: x must be row-major");
        return NULL;
    }
    if (set_shape(in, axis, &reduction) != 0) {
        return NULL;
    }
    jitune_prepared *prepared = NULL;
    jitune_status status = JITUNE_OK;
    const bool is_host = in->device == kHostDevice;
    Py_BEGIN_ALLOW_THREADS
    status = jitune_prepare_reduction(session, &reduction, is_host ? "host" : "", &prepared);
    Py_END_ALLOW_THREADS
    if (status != JITUNE_OK) {
        return raise_status(status);
    }
    PreparedObject *self = (PreparedObject *)PyType_GenericAlloc((PyTypeObject *)prepared_type, 0);
    if (self == NULL) {
        jitune_prepared_destroy(prepared);
        return NULL;
    }
    self->prepared = prepared;
    self->session = session_object == Py_None ? NULL : session_object;
    Py_XINCREF(self->session);
    self->element = in->type;
    self->result = reduction.result;
    self->in_size = in->size;
    self->out_size = reduction.shape == JITUNE_WHOLE ? 1 : reduction.shape == JITUNE_ROWS ? reduction.outer : reduction.inner;
    self->is_host = is_host;
    return (PyObject *)self;
}

PyObject *prepare_call(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
    (void)self;
    static const char *const names[] = {"op", "x", "axis", "session", NULL};
    PyObject *values[4] = {NULL};
    jitune_session *session = NULL;
    jitune_reduce_op op = JITUNE_SUM;
    if (read_arguments("prepare", arguments, count, keywords, names, 3, values) != 0 ||
        read_session(values[3], &session) != 0) {
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
    PyObject *prepared = prepare(op, &in, values[2], values[3], session);
    array_release(&in);
    return prepared;
}

// ---- TunedKernel ----

enum { kMostArguments = 64, kMostSizes = 16 };

static int kernel_init(PyObject *object, PyObject *arguments, PyObject *keywords) {
    KernelObject *self = (KernelObject *)object;
    PyObject *file = NULL, *path = NULL;
    if (self->kernel != NULL || PyTuple_Size(arguments) != 1) {
        PyErr_SetString(PyExc_TypeError, "TunedKernel takes a file, once: TunedKernel(\"matmul.cu\", element=\"float32\")");
        return -1;
    }
    file = PyTuple_GetItem(arguments, 0);
    if (!PyUnicode_FSConverter(file, &path)) {
        return -1;
    }
    jitune_kernel_type types[kMostSizes];
    PyObject *kept[2 * kMostSizes] = {NULL};
    size_t count = 0;
    PyObject *name = NULL, *value = NULL;
    Py_ssize_t place = 0;
    jitune_session *session = NULL;
    bool failed = false;
    while (!failed && keywords != NULL && PyDict_Next(keywords, &place, &name, &value)) {
        if (PyUnicode_CompareWithASCIIString(name, "session") == 0) {
            failed = read_session(value, &session) != 0;
            self->session = failed || value == Py_None ? NULL : value;
            Py_XINCREF(self->session);
            continue;
        }
        if (count == kMostSizes || !PyUnicode_Check(value)) {
            PyErr_Format(PyExc_TypeError, "TunedKernel: %R must be the name of a type, as \"float32\"", name);
            failed = true;
            break;
        }
        kept[2 * count] = PyUnicode_AsUTF8String(name);
        kept[2 * count + 1] = PyUnicode_AsUTF8String(value);
        failed = kept[2 * count] == NULL || kept[2 * count + 1] == NULL;
        if (!failed) {
            types[count].parameter = PyBytes_AsString(kept[2 * count]);
            types[count].type = PyBytes_AsString(kept[2 * count + 1]);
            ++count;
        }
    }
    const jitune_status status =
        failed ? JITUNE_OK : jitune_kernel_create(session, PyBytes_AsString(path), types, count, &self->kernel);
    for (int i = 0; i < 2 * kMostSizes; ++i) {
        Py_XDECREF(kept[i]);
    }
    Py_DECREF(path);
    if (!failed && status != JITUNE_OK) {
        raise_status(status);
    }
    return failed || status != JITUNE_OK ? -1 : 0;
}

// A number: of NumPy with its dtype, of Python int64 or float64.
static int read_number(PyObject *object, jitune_argument *argument) {
    argument->kind = JITUNE_VALUE;
    argument->type = PyFloat_Check(object) ? JITUNE_FLOAT64 : JITUNE_INT64;
    PyObject *dtype = PyObject_HasAttrString(object, "dtype") ? PyObject_GetAttrString(object, "dtype") : NULL;
    if (dtype != NULL) {
        bool is_bool = false;
        const int result = type_of_dtype(dtype, &argument->type, &is_bool);
        Py_DECREF(dtype);
        if (result != 0) {
            return -1;
        }
    }
    if (argument->type == JITUNE_FLOAT32 || argument->type == JITUNE_FLOAT64) {
        const double value = PyFloat_AsDouble(object);
        const jitune_type type = argument->type;
        *argument = type == JITUNE_FLOAT32 ? jitune_float((float)value) : jitune_double(value);
    } else if (argument->type == JITUNE_FLOAT16 || argument->type == JITUNE_BFLOAT16) {
        PyErr_SetString(PyExc_TypeError, "a scalar of 16 bits is not supported: pass float32");
    } else if (argument->type == JITUNE_UINT64) {
        PyObject *integer = PyNumber_Long(object);
        argument->as.natural = integer == NULL ? 0 : PyLong_AsUnsignedLongLong(integer);
        Py_XDECREF(integer);
    } else {
        PyObject *integer = PyNumber_Long(object);
        argument->as.integer = integer == NULL ? 0 : PyLong_AsLongLong(integer);
        Py_XDECREF(integer);
    }
    return PyErr_Occurred() ? -1 : 0;
}

// Reads the arguments of a launch; `arrays` has those of them that are arrays, for array_release(). Returns 0, or -1.
static int read_arguments_of_launch(PyObject *tuple, jitune_argument *arguments, Array *arrays, int *array_count_,
                                    jitune_stream *stream) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i) {
        PyObject *object = PyTuple_GetItem(tuple, i);
        const bool is_scalar = PyLong_Check(object) || PyFloat_Check(object) ||
                               (PyObject_HasAttrString(object, "dtype") && PyObject_HasAttrString(object, "__float__") &&
                                PyObject_HasAttrString(object, "ndim") && !PyObject_HasAttrString(object, "__dlpack__"));
        if (is_scalar) {
            if (read_number(object, &arguments[i]) != 0) {
                return -1;
            }
            continue;
        }
        char name[32];
        snprintf(name, sizeof name, "argument %d", (int)i + 1);
        Array *array = &arrays[*array_count_];
        if (array_read(object, name, array) != 0) {
            return -1;
        }
        ++*array_count_;
        if (!array->is_contiguous) {
            PyErr_Format(PyExc_ValueError, "%s must be row-major: pass a copy", name);
            return -1;
        }
        arguments[i] = jitune_array(array->type, array->data);
        *stream = array->stream != NULL ? array->stream : *stream;
    }
    return 0;
}

static PyObject *kernel_call(PyObject *object, PyObject *arguments, PyObject *keywords) {
    const KernelObject *self = (KernelObject *)object;
    const Py_ssize_t count = PyTuple_Size(arguments);
    const Py_ssize_t size_count = keywords == NULL ? 0 : PyDict_Size(keywords);
    if (self->kernel == NULL || count > kMostArguments || size_count > kMostSizes) {
        PyErr_Format(PyExc_TypeError, "TunedKernel: at most %d arguments and %d sizes", (int)kMostArguments, (int)kMostSizes);
        return NULL;
    }
    jitune_size sizes[kMostSizes];
    PyObject *kept[kMostSizes] = {NULL};
    PyObject *name = NULL, *value = NULL;
    Py_ssize_t place = 0;
    for (int i = 0; keywords != NULL && PyDict_Next(keywords, &place, &name, &value); ++i) {
        kept[i] = PyUnicode_AsUTF8String(name);
        sizes[i].name = kept[i] == NULL ? NULL : PyBytes_AsString(kept[i]);
        sizes[i].value = PyLong_AsLongLong(value);
    }
    jitune_argument given[kMostArguments];
    Array *arrays = PyMem_Malloc(sizeof(Array) * kMostArguments);
    int array_count_ = 0;
    jitune_stream stream = NULL;
    PyObject *result = NULL;
    if (arrays == NULL) {
        PyErr_NoMemory();
    } else if (!PyErr_Occurred() && read_arguments_of_launch(arguments, given, arrays, &array_count_, &stream) == 0) {
        jitune_status status = JITUNE_OK;
        Py_BEGIN_ALLOW_THREADS
        status = jitune_kernel_launch(self->kernel, sizes, (size_t)size_count, given, (size_t)count, stream);
        Py_END_ALLOW_THREADS
        result = status == JITUNE_OK ? Py_None : raise_status(status);
        Py_XINCREF(result);
    }
    for (int i = 0; i < array_count_; ++i) {
        array_release(&arrays[i]);
    }
    PyMem_Free(arrays);
    for (int i = 0; i < kMostSizes; ++i) {
        Py_XDECREF(kept[i]);
    }
    return result;
}

// ---- The types ----

static PyMethodDef prepared_methods[] = {
    {"launch", (PyCFunction)(void (*)(void))prepared_launch, METH_FASTCALL,
     "launch($self, x, out, /)\n--\n\nAs a call of the handle, a little faster."},
    {"info", prepared_info, METH_NOARGS,
     "info($self, /)\n--\n\nWhat answers: a dict of origin, device, device_name and configuration."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot prepared_slots[] = {
    {Py_tp_doc, "A reduction with everything slow done ahead: handle(x, out) only launches on the current stream, so that a\n"
                "CUDA graph can capture it. x and out are as prepared. Launches share work memory: do not let two run at "
                "the\nsame time."},
    {Py_tp_dealloc, prepared_dealloc},
    {Py_tp_call, prepared_call},
    {Py_tp_methods, prepared_methods},
    {0, NULL},
};
static PyType_Spec prepared_spec = {"jitune.Prepared", sizeof(PreparedObject), 0, Py_TPFLAGS_DEFAULT, prepared_slots};

static PyType_Slot kernel_slots[] = {
    {Py_tp_doc, "TunedKernel(file, *, session=None, **types)\n--\n\nA kernel template of your own, tuned for the sizes that it "
                "is called with.\n\nkernel(a, b, c, m=1024, n=512): arrays and scalars in the template's order, and its "
                "sizes. Python floats are\nfloat64, ints int64; give others as NumPy's, as in numpy.float32(2)."},
    {Py_tp_init, kernel_init},
    {Py_tp_dealloc, kernel_dealloc},
    {Py_tp_call, kernel_call},
    {0, NULL},
};
static PyType_Spec kernel_spec = {"jitune.TunedKernel", sizeof(KernelObject), 0, Py_TPFLAGS_DEFAULT, kernel_slots};

int add_handle_types(PyObject *module) {
    prepared_type = PyType_FromSpec(&prepared_spec);
    PyObject *kernel_type = PyType_FromSpec(&kernel_spec);
    if (prepared_type == NULL || kernel_type == NULL || PyModule_AddObject(module, "TunedKernel", kernel_type) != 0) {
        return -1;
    }
    Py_INCREF(prepared_type);
    return PyModule_AddObject(module, "Prepared", prepared_type);
}
