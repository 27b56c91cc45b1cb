// SPDX-License-Identifier: Apache-2.0
#include "kernel.h"

#include <stdio.h>
#include <string.h>

#include "array.h"
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
        failed = kept[2 * count] == NULL || kept[2 * count + 1] == NULL;
        if (!failed) {
            types[count].parameter = PyBytes_AsString(kept[2 * count]);
            types[count].type = PyBytes_AsString(kept[2 * count + 1]);
            ++count;
        }
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

// A number: of NumPy with its dtype, of Python int64 or float64.
static int read_number(PyObject* object, jitune_argument* argument) {
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
    }
    if (argument->type == JITUNE_FLOAT32 || argument->type == JITUNE_FLOAT64) {
        const double value = PyFloat_AsDouble(object);
        const jitune_type type = argument->type;
        *argument = type == JITUNE_FLOAT32 ? jitune_float((float)value) : jitune_double(value);
    } else if (argument->type == JITUNE_FLOAT16 || argument->type == JITUNE_BFLOAT16) {
        PyErr_SetString(PyExc_TypeError, "a scalar of 16 bits is not supported: pass float32");
    } else if (argument->type == JITUNE_UINT64) {
        PyObject* integer = PyNumber_Long(object);
        argument->as.natural = integer == NULL ? 0 : PyLong_AsUnsignedLongLong(integer);
        Py_XDECREF(integer);
    } else {
        PyObject* integer = PyNumber_Long(object);
        argument->as.integer = integer == NULL ? 0 : PyLong_AsLongLong(integer);
        Py_XDECREF(integer);
    }
    return PyErr_Occurred() ? -1 : 0;
}

// Reads the arguments of a launch; `arrays` has those of them that are arrays, for array_release().
// Returns 0, or -1.
static int read_arguments_of_launch(PyObject* tuple, jitune_argument* arguments, Array* arrays,
                                    int* array_count_, jitune_stream* stream) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i) {
        PyObject* object = PyTuple_GetItem(tuple, i);
        const bool is_scalar = PyLong_Check(object) || PyFloat_Check(object) ||
                               (PyObject_HasAttrString(object, "dtype") &&
                                PyObject_HasAttrString(object, "__float__") &&
                                PyObject_HasAttrString(object, "ndim") &&
                                !PyObject_HasAttrString(object, "__dlpack__"));
        if (is_scalar) {
            if (read_number(object, &arguments[i]) != 0) {
                return -1;
            }
            continue;
        }
        char name[32];
        snprintf(name, sizeof name, "argument %d", (int)i + 1);
        Array* array = &arrays[*array_count_];
        if (array_read(object, name, array) != 0) {
            return -1;
        }
        ++*array_count_;
        if (!array->is_contiguous) {
            PyErr_Format(PyExc_ValueError, "%s must be row-major: pass a copy", name);
            return -1;
        }
        arguments[i] = jitune_array(array->type, array->data);
        if (*stream == NULL && array_stream(array, stream) != 0) {
            return -1;
        }
    }
    return 0;
}

// Refuses arrays that are shorter than the kernel reads or writes, and read-only ones that it
// writes. `arrays` are those among the arguments, in their order. Returns 0, or -1 with an
// exception.
static int check_arrays(const jitune_kernel* kernel, const jitune_size* sizes, size_t size_count,
                        const jitune_argument* arguments, size_t argument_count,
                        const Array* arrays) {
    jitune_parameter parameters[kMostArguments];
    size_t count = 0;
    const jitune_status status =
        jitune_kernel_parameters(kernel, sizes, size_count, parameters, kMostArguments, &count);
    if (status != JITUNE_OK) {
        raise_status(status);
        return -1;
    }
    const Array* array = arrays;
    for (size_t i = 0; i < argument_count && i < count; ++i) {
        if (arguments[i].kind == JITUNE_VALUE) {
            continue;
        }
        if (parameters[i].is_value == 0 && array->size < parameters[i].count) {
            PyErr_Format(PyExc_ValueError,
                         "argument %d has %lld elements: with these sizes the kernel takes %lld",
                         (int)i + 1, (long long)array->size, (long long)parameters[i].count);
            return -1;
        }
        if ((array->device == kHostDevice) != (jitune_kernel_is_host(kernel) != 0) ||
            array->device != arrays->device) {
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
        sizes[i].name = kept[i] == NULL ? NULL : PyBytes_AsString(kept[i]);
        sizes[i].value = PyLong_AsLongLong(value);
    }
    jitune_argument given[kMostArguments];
    Array* arrays = PyMem_Malloc(sizeof(Array) * kMostArguments);
    int array_count_ = 0;
    jitune_stream stream = NULL;
    PyObject* result = NULL;
    if (arrays == NULL) {
        PyErr_NoMemory();
    } else if (!PyErr_Occurred() &&
               read_arguments_of_launch(arguments, given, arrays, &array_count_, &stream) == 0 &&
               check_arrays(self->kernel, sizes, (size_t)size_count, given, (size_t)count,
                            arrays) == 0) {
        jitune_status status = JITUNE_OK;
        Py_BEGIN_ALLOW_THREADS
        status = jitune_kernel_launch(self->kernel, sizes, (size_t)size_count, given, (size_t)count,
                                      stream);
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

static PyType_Slot kernel_slots[] = {
    {Py_tp_doc,
     "TunedKernel(file, *, session=None, **types)\n--\n\nA kernel template of your own, tuned for "
     "the sizes that it "
     "is called with.\n\nkernel(a, b, c, m=1024, n=512): arrays and scalars in the template's "
     "order, and its "
     "sizes. Python floats are\nfloat64, ints int64; give others as NumPy's, as in "
     "numpy.float32(2)."},
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
