// SPDX-License-Identifier: Apache-2.0
#include "kernel.h"

#include <stdio.h>
#include <string.h>

#include "array.h"
#include "result_types.h"
#include "support.h"

typedef struct {
    PyObject_HEAD
    jitune_kernel* kernel;
    PyObject* session;
} KernelObject;

static void kernel_dealloc(PyObject* object) {
    KernelObject* self = (KernelObject*)object;
    jitune_kernel_destroy(self->kernel);
    free_object(object, self->session);
}

enum { kMostArguments = 64, kMostSizes = 16 };

static int kernel_init(PyObject* object, PyObject* arguments, PyObject* keywords) {
    KernelObject* self = (KernelObject*)object;
    PyObject *file = NULL, *path = NULL;
    if (self->kernel != NULL || PyTuple_Size(arguments) != 1) {
        PyErr_SetString(
            PyExc_TypeError,
            "TunedKernel takes a file, once: TunedKernel(\"matmul.cu\", element=\"float32\")");
        return -1;
    }
    file = PyTuple_GetItem(arguments, 0);
    if (!PyUnicode_FSConverter(file, &path)) {
        return -1;
    }
    jitune_kernel_type types[kMostSizes];
    PyObject* kept[2 * kMostSizes] = {NULL};
    size_t count = 0;
    PyObject *name = NULL, *value = NULL;
    Py_ssize_t place = 0;
    jitune_session* session = NULL;
    bool failed = false;
    while (!failed && keywords != NULL && PyDict_Next(keywords, &place, &name, &value)) {
        if (PyUnicode_CompareWithASCIIString(name, "session") == 0) {
            failed = read_session(value, &session) != 0;
            self->session = failed || value == Py_None ? NULL : value;
            Py_XINCREF(self->session);
            continue;
        }
        if (count == kMostSizes || !PyUnicode_Check(value)) {
            PyErr_Format(PyExc_TypeError,
                         "TunedKernel: %R must be the name of a type, as \"float32\"", name);
            failed = true;
            break;
        }
        kept[2 * count] = PyUnicode_AsUTF8String(name);
        kept[2 * count + 1] = PyUnicode_AsUTF8String(value);
        types[count].parameter = bytes_text(kept[2 * count]);
        types[count].type = bytes_text(kept[2 * count + 1]);
        failed = types[count].parameter == NULL || types[count].type == NULL;
        ++count;
    }
    const jitune_status status =
        failed ? JITUNE_OK
               : jitune_kernel_create(session, PyBytes_AsString(path), types, count, &self->kernel);
    for (int i = 0; i < 2 * kMostSizes; ++i) {
        Py_XDECREF(kept[i]);
    }
    Py_DECREF(path);
    if (!failed && status != JITUNE_OK) {
        raise_status(status);
    }
    return failed || status != JITUNE_OK ? -1 : 0;
}

// An integer for a parameter of `type`. Returns 0, or -1 with an exception.
static int read_integer(PyObject* object, jitune_type type, jitune_argument* argument) {
    PyObject* integer = PyNumber_Long(object);
    if (integer == NULL) {
        return -1;
    }
    if (type == JITUNE_UINT64) {
        argument->as.natural = PyLong_AsUnsignedLongLong(integer);
    } else {
        argument->as.integer = PyLong_AsLongLong(integer);
        const int bits = 8 * type_bytes(type);
        const int64_t values = (int64_t)1 << (bits < 64 ? bits - is_signed(type) : 62);
        if (!PyErr_Occurred() && bits < 64 &&
            (argument->as.integer >= values ||
             argument->as.integer < (is_signed(type) ? -values : 0))) {
            PyErr_Format(PyExc_OverflowError, "%S does not fit the kernel's %s", integer,
                         type_name(type, false));
        }
    }
    Py_DECREF(integer);
    return PyErr_Occurred() ? -1 : 0;
}

// A number: of NumPy with its dtype, of Python as the template's `wanted` type, which may be NULL.
// Returns 0, or -1 with an exception.
static int read_number(PyObject* object, const jitune_parameter* wanted,
                       jitune_argument* argument) {
    argument->kind = JITUNE_VALUE;
    argument->type = PyFloat_Check(object) ? JITUNE_FLOAT64 : JITUNE_INT64;
    PyObject* dtype =
        PyObject_HasAttrString(object, "dtype") ? PyObject_GetAttrString(object, "dtype") : NULL;
    if (dtype != NULL) {
        bool is_bool = false;
        const int result = type_of_dtype(dtype, &argument->type, &is_bool);
        Py_DECREF(dtype);
        if (result != 0) {
            return -1;
        }
    } else if (wanted != NULL && wanted->is_value != 0) {
        argument->type = wanted->type;
        if (PyFloat_Check(object) && !is_float(wanted->type)) {
            PyErr_Format(PyExc_TypeError, "the kernel takes %s, not the float %R: pass an int",
                         type_name(wanted->type, false), object);
            return -1;
        }
    }
    if (argument->type == JITUNE_FLOAT32 || argument->type == JITUNE_FLOAT64) {
        const double value = PyFloat_AsDouble(object);
        const jitune_type type = argument->type;
        *argument = type == JITUNE_FLOAT32 ? jitune_float((float)value) : jitune_double(value);
    } else if (is_float(argument->type)) {
        PyErr_SetString(PyExc_TypeError, "a scalar of 16 bits is not supported: pass float32");
    } else {
        return read_integer(object, argument->type, argument);
    }
    return PyErr_Occurred() ? -1 : 0;
}

// What a call with these arguments brings.
typedef struct {
    jitune_parameter parameters[kMostArguments];  // that the kernel takes
    size_t parameter_count;
    jitune_argument arguments[kMostArguments];
    Array arrays[kMostArguments];  // those of the arguments that are arrays, for array_release()
    int array_count;
    jitune_stream stream;
} Launch;

// Reads the arguments of a launch, whose parameters are known. Returns 0, or -1 with an exception.
static int read_arguments_of_launch(PyObject* tuple, Launch* launch) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i) {
        PyObject* object = PyTuple_GetItem(tuple, i);
        const bool is_scalar = PyLong_Check(object) || PyFloat_Check(object) ||
                               (PyObject_HasAttrString(object, "dtype") &&
                                PyObject_HasAttrString(object, "__float__") &&
                                PyObject_HasAttrString(object, "ndim") &&
                                !PyObject_HasAttrString(object, "__dlpack__"));
        if (is_scalar) {
            const bool is_known = (size_t)i < launch->parameter_count;
            if (read_number(object, is_known ? &launch->parameters[i] : NULL,
                            &launch->arguments[i]) != 0) {
                return -1;
            }
            continue;
        }
        char name[32];
        snprintf(name, sizeof name, "argument %d", (int)i + 1);
        Array* array = &launch->arrays[launch->array_count];
        if (array_read(object, name, array) != 0) {
            return -1;
        }
        ++launch->array_count;
        if (!array->is_contiguous) {
            PyErr_Format(PyExc_ValueError, "%s must be row-major: pass a copy", name);
            return -1;
        }
        launch->arguments[i] = jitune_array(array->type, array->data);
        if (launch->stream == NULL && array_stream(array, &launch->stream) != 0) {
            return -1;
        }
    }
    return 0;
}

// Refuses arrays that are shorter than the kernel reads or writes, and read-only ones that it
// writes. Returns 0, or -1 with an exception.
static int check_arrays(const jitune_kernel* kernel, const Launch* launch, size_t argument_count) {
    const jitune_parameter* parameters = launch->parameters;
    const Array* array = launch->arrays;
    for (size_t i = 0; i < argument_count && i < launch->parameter_count; ++i) {
        if (launch->arguments[i].kind == JITUNE_VALUE) {
            continue;
        }
        if (parameters[i].is_value == 0 && array->size < parameters[i].count) {
            PyErr_Format(PyExc_ValueError,
                         "argument %d has %lld elements: with these sizes the kernel takes %lld",
                         (int)i + 1, (long long)array->size, (long long)parameters[i].count);
            return -1;
        }
        if ((array->device == kHostDevice) != (jitune_kernel_is_host(kernel) != 0) ||
            array->device != launch->arrays->device) {
            PyErr_Format(PyExc_ValueError, "argument %d must be on %s", (int)i + 1,
                         jitune_kernel_is_host(kernel) != 0
                             ? "the host, for which the kernel is"
                             : "a GPU, on the same one as the other arrays");
            return -1;
        }
        if (parameters[i].is_written != 0 && array->is_readonly) {
            PyErr_Format(PyExc_ValueError, "argument %d is read-only, and the kernel writes it",
                         (int)i + 1);
            return -1;
        }
        ++array;
    }
    return 0;
}

// Launches with the arguments of a tuple. `launch` is room for them, of any content.
static PyObject* launched(const jitune_kernel* kernel, const jitune_size* sizes, size_t size_count,
                          PyObject* arguments, Launch* launch) {
    const size_t count = (size_t)PyTuple_Size(arguments);
    launch->array_count = 0;
    launch->stream = NULL;
    jitune_status status = jitune_kernel_parameters(kernel, sizes, size_count, launch->parameters,
                                                    kMostArguments, &launch->parameter_count);
    if (status != JITUNE_OK) {
        return raise_status(status);
    }
    PyObject* result = NULL;
    if (read_arguments_of_launch(arguments, launch) == 0 &&
        check_arrays(kernel, launch, count) == 0) {
        Py_BEGIN_ALLOW_THREADS
        status = jitune_kernel_launch(kernel, sizes, size_count, launch->arguments, count,
                                      launch->stream);
        Py_END_ALLOW_THREADS
        result = status == JITUNE_OK ? Py_None : raise_status(status);
        Py_XINCREF(result);
    }
    for (int i = 0; i < launch->array_count; ++i) {
        array_release(&launch->arrays[i]);
    }
    return result;
}

static PyObject* kernel_call(PyObject* object, PyObject* arguments, PyObject* keywords) {
    const KernelObject* self = (KernelObject*)object;
    const Py_ssize_t count = PyTuple_Size(arguments);
    const Py_ssize_t size_count = keywords == NULL ? 0 : PyDict_Size(keywords);
    if (self->kernel == NULL) {
        PyErr_SetString(PyExc_ValueError, "the TunedKernel has not been made: pass it a file");
        return NULL;
    }
    if (count > kMostArguments || size_count > kMostSizes) {
        PyErr_Format(PyExc_TypeError, "TunedKernel: at most %d arguments and %d sizes",
                     (int)kMostArguments, (int)kMostSizes);
        return NULL;
    }
    jitune_size sizes[kMostSizes];
    PyObject* kept[kMostSizes] = {NULL};
    PyObject *name = NULL, *value = NULL;
    Py_ssize_t place = 0;
    for (int i = 0; keywords != NULL && PyDict_Next(keywords, &place, &name, &value); ++i) {
        kept[i] = PyUnicode_AsUTF8String(name);
        sizes[i].name = bytes_text(kept[i]);
        sizes[i].value = PyLong_AsLongLong(value);
    }
    Launch* launch = PyMem_Malloc(sizeof *launch);  // too large to be zeroed for each call
    PyObject* result = NULL;
    if (launch == NULL) {
        PyErr_NoMemory();
    } else if (!PyErr_Occurred()) {
        result = launched(self->kernel, sizes, (size_t)size_count, arguments, launch);
    }
    PyMem_Free(launch);
    for (int i = 0; i < kMostSizes; ++i) {
        Py_XDECREF(kept[i]);
    }
    return result;
}

static PyType_Slot kernel_slots[] = {
    {Py_tp_doc,
     "TunedKernel(file, *, session=None, **types)\n--\n\nA kernel template of your own, tuned for "
     "the sizes that it "
     "is called with.\n\nkernel(a, b, c, m=1024, n=512): arrays and scalars in the template's "
     "order, and its "
     "sizes. Numbers of Python\nbecome scalars of the template's types, those of NumPy keep their "
     "own."},
    {Py_tp_init, kernel_init},
    {Py_tp_dealloc, kernel_dealloc},
    {Py_tp_call, kernel_call},
    {0, NULL},
};
static PyType_Spec kernel_spec = {"jitune.TunedKernel", sizeof(KernelObject), 0, Py_TPFLAGS_DEFAULT,
                                  kernel_slots};

int add_kernel_type(PyObject* module) {
    PyObject* type = NULL;
    return add_type(module, "TunedKernel", &kernel_spec, &type);
}
