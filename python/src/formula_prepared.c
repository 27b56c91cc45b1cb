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
    free_object(object, self->formula);
}

// Sets what calls of the handle must be like.
static void set_handle(FormulaHandle* handle, FormulaCall* call) {
    handle->form = call->form;
    handle->size = call->like->array.size;
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
    char device[32];
    array_device_id(&call->like->array, device, sizeof device);
    set_handle(handle, call);
    jitune_status status = JITUNE_OK;
    Py_BEGIN_ALLOW_THREADS
    status = jitune_formula_prepare(call->self->formula, call->inputs, call->self->input_count,
                                    jitune_flat(handle->size), call->outputs,
                                    call->form->result_count, device, &handle->prepared);
    Py_END_ALLOW_THREADS
    if (status != JITUNE_OK) {
        raise_status(status);
    }
    return status == JITUNE_OK ? 0 : -1;
}

PyObject* formula_prepare(PyObject* formula, PyObject* arguments, PyObject* keywords) {
    FormulaPreparedObject* self =
        (FormulaPreparedObject*)PyType_GenericAlloc((PyTypeObject*)formula_prepared_type, 0);
    if (self == NULL) {
        return NULL;
    }
    Py_INCREF(formula);
    self->formula = formula;
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
    {Py_tp_methods, formula_prepared_methods},
    {0, NULL},
};
static PyType_Spec formula_prepared_spec = {
    "jitune.PreparedMapReduce", sizeof(FormulaPreparedObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, formula_prepared_slots};

int add_formula_prepared_type(PyObject* module) {
    return add_type(module, "PreparedMapReduce", &formula_prepared_spec, &formula_prepared_type);
}
