// SPDX-License-Identifier: Apache-2.0
#include "bound.h"

#include "prepared.h"
#include "support.h"

// A launch with its arrays.
typedef struct {
    PyObject_HEAD
    PyObject* handle;
    PyObject* arrays[2];  // x and out
    PyObject* memory[2];  // what keeps their memory
    Array in, out;
    bool is_read;
} BoundObject;

static PyObject* bound_type;

// The object that keeps the memory of an array: of PyTorch the storage, since a tensor may be given
// another one. An array that was read by __dlpack__ keeps its capsule besides.
static PyObject* memory_of(PyObject* object, const Array* array) {
    if (array->kind->is_torch && array->kind->access == kExchange) {
        return PyObject_CallMethod(object, "untyped_storage", NULL);
    }
    Py_INCREF(object);
    return object;
}

PyObject* prepared_bind(PyObject* handle, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "bind takes two arguments: x and out");
        return NULL;
    }
    BoundObject* self = (BoundObject*)PyType_GenericAlloc((PyTypeObject*)bound_type, 0);
    if (self == NULL) {
        return NULL;
    }
    // The deallocator gives back what there is.
    if (prepared_read(handle, arguments, &self->in, &self->out) == 0) {
        self->is_read = true;
        Py_INCREF(handle);
        self->handle = handle;
        for (int i = 0; i < 2; ++i) {
            Py_INCREF(arguments[i]);
            self->arrays[i] = arguments[i];
            self->memory[i] = memory_of(arguments[i], i == 0 ? &self->in : &self->out);
        }
    }
    if (PyErr_Occurred()) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject*)self;
}

static void bound_dealloc(PyObject* object) {
    BoundObject* self = (BoundObject*)object;
    if (self->is_read) {
        array_release(&self->in);
        array_release(&self->out);
    }
    for (int i = 0; i < 2; ++i) {
        Py_XDECREF(self->arrays[i]);
        Py_XDECREF(self->memory[i]);
    }
    free_object(object, self->handle);
}

static PyObject* bound_launch(PyObject* object, PyObject* unused) {
    (void)unused;
    const BoundObject* self = (BoundObject*)object;
    return prepared_run(self->handle, self->arrays, &self->in, &self->out);
}

static PyObject* bound_call(PyObject* object, PyObject* arguments, PyObject* keywords) {
    if (PyTuple_Size(arguments) != 0 || (keywords != NULL && PyDict_Size(keywords) != 0)) {
        PyErr_SetString(PyExc_TypeError, "a bound launch takes no arguments");
        return NULL;
    }
    return bound_launch(object, NULL);
}

static PyMethodDef bound_methods[] = {
    {"launch", bound_launch, METH_NOARGS,
     "launch($self, /)\n--\n\nAs a call, a little faster. Returns out."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot bound_slots[] = {
    {Py_tp_doc,
     "A prepared reduction with its arrays: bound() only launches on the current stream, and "
     "returns out. "
     "Launches\nshare the work memory of the handle."},
    {Py_tp_dealloc, bound_dealloc},
    {Py_tp_call, bound_call},
    {Py_tp_methods, bound_methods},
    {0, NULL},
};
static PyType_Spec bound_spec = {"jitune.Bound", sizeof(BoundObject), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 bound_slots};

int add_bound_type(PyObject* module) {
    return add_type(module, "Bound", &bound_spec, &bound_type);
}
