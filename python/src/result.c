// SPDX-License-Identifier: Apache-2.0
#include "result.h"

#include <stdio.h>
#include <string.h>

#include "support.h"

// Opens `out`. Returns 0, or -1 with an exception.
static int take(Result* result, const char* function, const Array* in, PyObject* out,
                const int64_t* shape, int ndim, jitune_type type, bool is_bool) {
    Array* array = &result->array;
    if (array_read(out, "out", array) != 0) {
        return -1;
    }
    bool fits = array->ndim == ndim && array->is_contiguous && !array->is_readonly &&
                array->device == in->device && array->type == type && array->is_bool == is_bool;
    for (int i = 0; fits && i < ndim; ++i) {
        fits = array->shape[i] == shape[i];
    }
    if (!fits) {
        array_release(array);
        PyObject* wanted = shape_tuple(shape, ndim);
        PyErr_Format(
            PyExc_ValueError,
            "%s: out must be a writable row-major array of %s and shape %R on the device of x",
            function, type_name(type, is_bool), wanted);
        Py_XDECREF(wanted);
        return -1;
    }
    Py_INCREF(out);
    result->object = out;
    result->data = array->data;
    return 0;
}

// What an allocator says of its failure, perhaps without the lock of the interpreter.
typedef struct {
    bool is_memory;
    char message[512];
} AllocatorError;

static void set_error(void* context, const char* kind, const char* message) {
    AllocatorError* error = context;
    error->is_memory = kind != NULL && strcmp(kind, "MemoryError") == 0;
    snprintf(error->message, sizeof error->message, "%s", message == NULL ? "no message" : message);
}

// A new tensor from the library of `in`, without an object of Python yet.
static int allocate(Result* result, const Array* in, const int64_t* shape, int ndim,
                    jitune_type type, bool is_bool) {
    const DLPackExchangeAPI* exchange = in->kind->exchange;
    const bool is_host = in->device == kHostDevice;
    DLTensor prototype = {.device = {is_host ? kDLCPU : kDLCUDA, is_host ? 0 : in->device},
                          .ndim = ndim,
                          .dtype = type_code(type, is_bool),
                          .shape = (int64_t*)shape};
    AllocatorError error = {false, "the library of x made no array for the results"};
    if (exchange->managed_tensor_allocator(&prototype, &result->managed, &error, set_error) != 0 ||
        result->managed == NULL) {
        result->managed = NULL;
        if (!PyErr_Occurred()) {
            PyErr_SetString(error.is_memory ? PyExc_MemoryError : PyExc_RuntimeError,
                            error.message);
        }
        return -1;
    }
    result->exchange = exchange;
    result->data = (char*)result->managed->dl_tensor.data + result->managed->dl_tensor.byte_offset;
    return 0;
}

// A new array made by the module of x.
static int make(Result* result, PyObject* x, const Array* in, const int64_t* shape, int ndim,
                jitune_type type, bool is_bool) {
    PyObject* made = array_new(x, in, shape, ndim, type, is_bool);
    if (made == NULL || array_read(made, "the result", &result->array) != 0) {
        Py_XDECREF(made);
        return -1;
    }
    if ((result->array.device == kHostDevice) != (in->device == kHostDevice)) {
        array_release(&result->array);
        Py_DECREF(made);
        PyErr_SetString(PyExc_TypeError,
                        "the result must be on the device of x: pass out, or an array of NumPy, "
                        "CuPy or PyTorch");
        return -1;
    }
    result->object = made;
    result->data = result->array.data;
    return 0;
}

int result_open(Result* result, const char* function, PyObject* x, const Array* in, PyObject* out,
                const int64_t* shape, int ndim, jitune_type type, bool is_bool) {
    result->object = NULL;
    result->managed = NULL;
    if (out != NULL && out != Py_None) {
        return take(result, function, in, out, shape, ndim, type, is_bool);
    }
    const DLPackExchangeAPI* exchange = in->kind->exchange;
    const bool can_allocate = exchange != NULL && exchange->managed_tensor_allocator != NULL &&
                              exchange->managed_tensor_to_py_object_no_sync != NULL;
    return can_allocate ? allocate(result, in, shape, ndim, type, is_bool)
                        : make(result, x, in, shape, ndim, type, is_bool);
}

PyObject* result_close(Result* result, bool is_written) {
    if (result->managed != NULL) {
        void* object = NULL;
        if (!is_written) {
            if (result->managed->deleter != NULL) {
                result->managed->deleter(result->managed);
            }
            return NULL;
        }
        if (result->exchange->managed_tensor_to_py_object_no_sync(result->managed, &object) != 0) {
            object = NULL;
        }
        if (object == NULL && !PyErr_Occurred()) {
            PyErr_SetString(PyExc_RuntimeError, "the library of x made no object of the results");
        }
        return object;
    }
    array_release(&result->array);
    if (!is_written) {
        Py_CLEAR(result->object);
    }
    return result->object;
}
