// SPDX-License-Identifier: Apache-2.0
#include "formula_prepared.h"

#include "formula.h"
#include "prepared.h"

typedef struct {
    PyObject_HEAD
    PyObject* formula;
    FormulaHandle handle;
} FormulaPreparedObject;

static PyObject* formula_prepared_type;

static void formula_prepared_dealloc(PyObject* object) {
    FormulaPreparedObject* self = (FormulaPreparedObject*)object;
    jitune_prepared_destroy(self->handle.prepared);
    Py_XDECREF(self->handle.axis);
    Py_XDECREF(self->handle.keepdims);
    free_object(object, self->formula);
}

// Sets what calls of the handle must be like.
static void set_handle(FormulaHandle* handle, FormulaCall* call) {
    handle->form = call->form;
    handle->shape = call->lines.shape;
    handle->device = call->like->array.device;
    for (size_t i = 0; i < call->form->result_count; ++i) {
        const jitune_formula_result* result = &call->form->results[i];
        const Given* place = &call->targets[i].place;
        handle->outputs[i] = place->is_read ? place->array.type : result->type;
        call->outputs[i] = jitune_named(result->name, jitune_array(handle->outputs[i], NULL));
    }
}

// Prepares a call that has been read. Returns 0, or -1 with an exception.
static int prepare(FormulaHandle* handle, FormulaCall* call) {
    if (call->lines.is_between) {
        PyErr_SetString(PyExc_ValueError,
                        "prepare: axis must be None, or the first or the last dimensions");
        return -1;
    }
    char device[32];
    array_device_id(&call->like->array, device, sizeof device);
    set_handle(handle, call);
    jitune_status status = JITUNE_OK;
    Py_BEGIN_ALLOW_THREADS
    status = jitune_formula_prepare(call->self->formula, call->inputs, call->self->input_count,
                                    call->lines.shape, call->outputs, call->form->result_count,
                                    device, &handle->prepared);
    Py_END_ALLOW_THREADS
    if (status != JITUNE_OK) {
        raise_status(status);
    }
    return status == JITUNE_OK ? 0 : -1;
}

// An argument that the handle keeps, or NULL if it is not given.
static PyObject* take(PyObject* keywords, PyObject* key) {
    PyObject* value = keywords == NULL ? NULL : PyDict_GetItem(keywords, key);
    Py_XINCREF(value);
    return value;
}

PyObject* formula_prepare(PyObject* formula, PyObject* arguments, PyObject* keywords) {
    FormulaPreparedObject* self =
        (FormulaPreparedObject*)PyType_GenericAlloc((PyTypeObject*)formula_prepared_type, 0);
    if (self == NULL) {
        return NULL;
    }
    Py_INCREF(formula);
    self->formula = formula;
    self->handle.axis = take(keywords, module_state.names.axis);
    self->handle.keepdims = take(keywords, module_state.names.keepdims);
    FormulaCall call;
    if (call_begin(&call, (FormulaObject*)formula, NULL, arguments, keywords) != 0 ||
        formula_read(&call) != 0 || prepare(&self->handle, &call) != 0) {
        Py_CLEAR(self);
    }
    call_release(&call);
    return (PyObject*)self;
}

static PyObject* formula_prepared_call(PyObject* object, PyObject* arguments, PyObject* keywords) {
    const FormulaPreparedObject* self = (FormulaPreparedObject*)object;
    return formula_compute((FormulaObject*)self->formula, &self->handle, arguments, keywords);
}

static PyObject* formula_prepared_repr(PyObject* object) {
    return PyUnicode_FromFormat("<jitune.PreparedMapReduce of %R>",
                                ((FormulaPreparedObject*)object)->formula);
}

static PyObject* formula_prepared_info(PyObject* object, PyObject* unused) {
    (void)unused;
    return prepared_info_of(((FormulaPreparedObject*)object)->handle.prepared);
}

static PyMethodDef formula_prepared_methods[] = {
    {"info", formula_prepared_info, METH_NOARGS,
     "info($self, /)\n--\n\nWhat answers, as of jitune.Prepared."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot formula_prepared_slots[] = {
    {Py_tp_doc,
     "A formula with everything slow done ahead. A call is one of the formula, with arrays as "
     "prepared, and only\nlaunches on the current stream, so that a CUDA graph can capture it: "
     "give "
     "the places of results then. Launches\nshare work memory: do not let two run at the same "
     "time."},
    {Py_tp_dealloc, formula_prepared_dealloc},
    {Py_tp_call, formula_prepared_call},
    {Py_tp_repr, formula_prepared_repr},
    {Py_tp_methods, formula_prepared_methods},
    {0, NULL},
};
static PyType_Spec formula_prepared_spec = {
    "jitune.PreparedMapReduce", sizeof(FormulaPreparedObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, formula_prepared_slots};

int add_formula_prepared_type(PyObject* module) {
    return add_type(module, "PreparedMapReduce", &formula_prepared_spec, &formula_prepared_type);
}
