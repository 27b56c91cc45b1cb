// SPDX-License-Identifier: Apache-2.0
#include "array.h"

#include <stdio.h>

#include "readers.h"
#include "support.h"

// Types are few, and their attributes do not change: looking them up would take longer than a call.
enum { kKinds = 64 };
static ArrayKind kinds[kKinds];

int64_t array_count(const int64_t* shape, int ndim) {
    int64_t count = 1;
    for (int i = 0; i < ndim; ++i) {
        count *= shape[i];
    }
    return count;
}

static const DLPackExchangeAPI* exchange_of(PyObject* type) {
    PyObject* capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
    const DLPackExchangeAPI* api =
        capsule == NULL ? NULL : PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
    PyErr_Clear();
    Py_XDECREF(capsule);
    while (api != NULL && api->header.version.major != 1) {
        api = (const DLPackExchangeAPI*)api->header.prev_api;
    }
    return api != NULL && api->dltensor_from_py_object_no_sync != NULL ? api : NULL;
}

static ArrayKind inspect(PyObject* object) {
    PyObject* type = (PyObject*)Py_TYPE(object);
    ArrayKind kind = {
        (PyTypeObject*)type, kNothing, exchange_of(type), false, NULL, {NULL}, {NULL}};
    kind.is_torch = PyObject_HasAttrString(type, "requires_grad");
    if (kind.exchange != NULL) {
        kind.access = kExchange;
    } else if (PyObject_HasAttrString(type, "__cuda_array_interface__")) {
        kind.access = PyObject_HasAttrString(type, "_c_contiguous") ? kCupy : kCudaInterface;
    } else if (PyObject_CheckBuffer(object)) {
        kind.access = PyObject_HasAttrString(type, "fill_value") ? kMasked : kBuffer;
    } else if (PyObject_HasAttrString(type, "__dlpack__")) {
        kind.access = kDlpack;
    }
    return kind;
}

// The place of the object's type in the table of kinds, a hash table that keeps the types alive;
// NULL where it is full.
static ArrayKind* kind_of(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    const uintptr_t home = (uintptr_t)type >> 4;
    for (uintptr_t i = 0; i < kKinds; ++i) {
        ArrayKind* kind = &kinds[(home + i) % kKinds];
        if (kind->type == type) {
            return kind;
        }
        if (kind->type == NULL) {
            const ArrayKind found = inspect(object);
            if (kind->type == NULL) {  // else Python code that has run meanwhile took the place
                Py_INCREF(type);
                *kind = found;
                return kind;
            }
        }
    }
    return NULL;
}

// What `helper` says makes things of this type for objects like this one; `makers` remember it. A
// new reference, or NULL with an exception.
static PyObject* maker_of(PyObject** makers, const char* helper, PyObject* object, jitune_type type,
                          bool is_bool) {
    const int place = is_bool ? JITUNE_FLOAT64 + 1 : (int)type;
    PyObject* maker = makers == NULL ? NULL : makers[place];
    Py_XINCREF(maker);
    if (maker == NULL) {
        maker = call_helper(helper, "(Os)", (PyObject*)Py_TYPE(object), type_name(type, is_bool));
        if (maker != NULL && makers != NULL && makers[place] == NULL) {
            Py_INCREF(maker);
            makers[place] = maker;
        }
    }
    return maker;
}

PyObject* array_scalar(PyObject* object, PyObject* number, jitune_type type, bool is_bool) {
    ArrayKind* kind = kind_of(object);
    PyObject* maker =
        maker_of(kind == NULL ? NULL : kind->scalars, "scalar_maker", object, type, is_bool);
    PyObject* scalar = maker == NULL ? NULL : PyObject_CallFunctionObjArgs(maker, number, NULL);
    Py_XDECREF(maker);
    return scalar;
}

PyObject* array_new(PyObject* object, const Array* array, const int64_t* shape, int ndim,
                    jitune_type type, bool is_bool) {
    ArrayKind* kind = array->kind == &array->own_kind ? NULL : array->kind;
    PyObject* maker =
        maker_of(kind == NULL ? NULL : kind->arrays, "array_maker", object, type, is_bool);
    PyObject* sizes = maker == NULL ? NULL : shape_tuple(shape, ndim);
    PyObject* made =
        sizes == NULL ? NULL : PyObject_CallFunctionObjArgs(maker, sizes, object, NULL);
    Py_XDECREF(sizes);
    Py_XDECREF(maker);
    return made;
}

int array_read(PyObject* object, const char* name, Array* array) {
    array->kind = kind_of(object);
    if (array->kind == NULL) {
        array->own_kind = inspect(object);
        array->kind = &array->own_kind;
    }
    array->capsule = NULL;
    array->buffer.obj = NULL;
    array->stream = NULL;
    array->is_readonly = false;
    int result = -1;
    switch (array->kind->access) {
        case kExchange:
            return read_exchange(object, name, array);
        case kCupy:
            return read_cupy(object, name, array);
        case kCudaInterface:
            result = read_cuda_interface(object, name, array);
            if (result != 0 &&
                PyErr_ExceptionMatches(PyExc_AttributeError)) {  // a PyTorch tensor on the CPU
                PyErr_Clear();
                result = read_dlpack(object, name, array);
            } else if (result == 0 && array->kind->is_torch) {
                PyErr_Format(PyExc_TypeError,
                             "%s: this PyTorch does not tell its stream (it has no "
                             "__dlpack_c_exchange_api__): use a newer "
                             "one, or pass a tensor on the CPU",
                             name);
                result = -1;
            }
            break;
        case kBuffer:
            result = read_buffer(object, name, array);
            break;
        case kDlpack:
            result = read_dlpack(object, name, array);
            break;
        case kMasked:
            PyErr_Format(PyExc_TypeError,
                         "%s is a masked array: pass x.filled(value) or x.compressed()", name);
            break;
        default: {
            PyObject* type = (PyObject*)Py_TYPE(object);
            PyErr_Format(PyExc_TypeError,
                         "%s is no array (%R): pass one with __cuda_array_interface__, __dlpack__ "
                         "or a buffer, as of "
                         "NumPy, CuPy or PyTorch",
                         name, type);
        }
    }
    if (result != 0) {
        array_release(array);
    }
    return result;
}

int array_stream(const Array* array, jitune_stream* stream) {
    *stream = array->stream;
    if (array->device == kHostDevice) {
        return 0;
    }
    const DLPackExchangeAPI* exchange = array->kind->exchange;
    if (exchange != NULL && exchange->current_work_stream != NULL) {
        const int failed = exchange->current_work_stream(kDLCUDA, array->device, (void**)stream);
        if (failed != 0 && !PyErr_Occurred()) {
            PyErr_SetString(PyExc_RuntimeError,
                            "the library of x does not tell its current stream");
        }
        return failed != 0 ? -1 : 0;
    }
    return array->kind->access == kCupy ? cupy_stream(stream) : 0;
}

void array_device_id(const Array* array, char* id, size_t room) {
    if (array->device == kHostDevice) {
        snprintf(id, room, "host");
    } else if (array->kind->access == kCudaInterface) {
        id[0] = '\0';
    } else {
        snprintf(id, room, "cuda:%d", array->device);
    }
}

int array_needs_grad(PyObject* object, const Array* array) {
    if (!array->kind->is_torch) {
        return 0;
    }
    PyObject* wanted = PyObject_GetAttr(object, module_state.names.requires_grad);
    const int result = wanted == NULL ? -1 : wanted == Py_True;
    Py_XDECREF(wanted);
    if (result != 1) {
        return result;
    }
    PyObject* enabled = call_helper("is_grad_enabled", "()");
    const int is_enabled = enabled == NULL ? -1 : PyObject_IsTrue(enabled);
    Py_XDECREF(enabled);
    return is_enabled;
}

int array_enter_device(PyObject* object, const Array* array, PyObject** guard) {
    ArrayKind* kind = array->kind;
    *guard = NULL;
    if (array->device == kHostDevice || kind->current_gpu == Py_None ||
        (!kind->is_torch && kind->access != kCupy)) {
        return 0;
    }
    if (kind->current_gpu == NULL) {
        PyObject* function = call_helper("current_gpu_of", "(O)", object);
        if (function == NULL) {
            return -1;
        }
        if (kind == &array->own_kind || kind->current_gpu != NULL) {
            Py_DECREF(function);  // modules keep it alive
        }
        kind->current_gpu = function;
        return array_enter_device(object, array, guard);
    }
    const int64_t current = integer_of(PyObject_CallObject(kind->current_gpu, NULL));
    jitune_stream stream = NULL;
    if (PyErr_Occurred() || array_stream(array, &stream) != 0) {
        return -1;
    }
    if (current != array->device && stream == NULL) {
        *guard = call_helper("enter_device", "(Oi)", object, array->device);
        return *guard == NULL ? -1 : 0;
    }
    return 0;
}

void array_leave_device(PyObject* guard) {
    if (guard != NULL) {
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyObject* left = PyObject_CallMethod(guard, "__exit__", "(OOO)", Py_None, Py_None, Py_None);
        Py_XDECREF(left);
        Py_DECREF(guard);
        PyErr_Restore(type, value, trace);
    }
}

void array_release(Array* array) {
    if (array->buffer.obj != NULL) {
        PyBuffer_Release(&array->buffer);
        array->buffer.obj = NULL;
    }
    Py_CLEAR(array->capsule);
}
