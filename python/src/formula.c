// SPDX-License-Identifier: Apache-2.0
#include "formula.h"

#include <string.h>

#include "custom.h"
#include "formula_call.h"
#include "formula_prepared.h"

static void free_form(Form* form) {
    for (size_t i = 0; i < form->result_count && i < kMostArguments; ++i) {
        Py_XDECREF(form->keys[i]);
    }
    PyMem_Free(form);
}

static void formula_dealloc(PyObject* object) {
    FormulaObject* self = (FormulaObject*)object;
    while (self->forms != NULL) {
        Form* form = self->forms;
        self->forms = form->next;
        free_form(form);
    }
    for (size_t i = 0; i < self->input_count && i < kMostArguments; ++i) {
        Py_XDECREF(self->input_keys[i]);
    }
    jitune_formula_destroy(self->formula);
    Py_XDECREF(self->text);
    free_object(object, self->session);
}

// Reads the formula with its operations, a sequence of dicts or NULL. Returns 0, or -1 with an
// exception.
static int create(FormulaObject* self, const char* text, PyObject* operations,
                  jitune_session* session) {
    const Py_ssize_t count = operations == NULL ? 0 : PySequence_Size(operations);
    if (count < 0) {
        return -1;
    }
    CustomOperation* custom = PyMem_Calloc((size_t)count + 1, sizeof *custom);
    jitune_custom_operation* given = PyMem_Calloc((size_t)count + 1, sizeof *given);
    int result = custom == NULL || given == NULL ? -1 : 0;
    if (result != 0) {
        PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; result == 0 && i < count; ++i) {
        PyObject* item = PySequence_GetItem(operations, i);
        result = item == NULL ? -1 : custom_read_dict("MapReduce", item, &custom[i]);
        given[i] = custom[i].operation;
        Py_XDECREF(item);
    }
    const jitune_status status =
        result != 0 ? JITUNE_OK
                    : jitune_formula_create(session, text, given, (size_t)count, &self->formula);
    if (status != JITUNE_OK) {
        raise_status(status);
        result = -1;
    }
    for (Py_ssize_t i = 0; custom != NULL && i < count; ++i) {
        custom_release(&custom[i]);
    }
    PyMem_Free(given);
    PyMem_Free(custom);
    return result;
}

static int formula_init(PyObject* object, PyObject* arguments, PyObject* keywords) {
    static char* names[] = {"", "session", "operations", NULL};
    FormulaObject* self = (FormulaObject*)object;
    const char* text = NULL;
    PyObject *session_object = Py_None, *operations = NULL;
    jitune_session* session = NULL;
    if (self->formula != NULL) {
        PyErr_SetString(PyExc_TypeError, "a MapReduce takes its formula once");
        return -1;
    }
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "s|O$O:MapReduce", names, &text,
                                     &session_object, &operations) ||
        read_session(session_object, &session) != 0 ||
        create(self, text, operations, session) != 0) {
        return -1;
    }
    self->text = PyUnicode_FromString(text);
    if (self->text == NULL) {
        return -1;
    }
    const jitune_status status =
        jitune_formula_inputs(self->formula, self->input_names, kMostArguments, &self->input_count);
    if (status != JITUNE_OK) {
        raise_status(status);
        return -1;
    }
    if (self->input_count > kMostArguments) {
        PyErr_Format(PyExc_ValueError, "MapReduce: the formula reads more than %d names",
                     (int)kMostArguments);
        return -1;
    }
    for (size_t i = 0; i < self->input_count; ++i) {
        if (call_refuse_reserved(self->input_names[i]) != 0) {
            return -1;
        }
        self->input_keys[i] = PyUnicode_InternFromString(self->input_names[i]);
        if (self->input_keys[i] == NULL) {
            return -1;
        }
    }
    if (session_object != Py_None) {
        Py_INCREF(session_object);
        self->session = session_object;
    }
    return 0;
}

static int16_t form_of(const jitune_formula_argument* input) {
    return (int16_t)((int)input->argument.type * 64 + (int)input->argument.kind * 8 +
                     (int)input->extent);
}

// Names the results of a new form. Returns 0, or -1 with an exception.
static int name_results(const FormulaObject* self, Form* form) {
    for (size_t i = 0; i < form->result_count; ++i) {
        const char* name = form->results[i].name;
        for (size_t k = 0; k < self->input_count; ++k) {
            form->is_input[i] = form->is_input[i] || strcmp(self->input_names[k], name) == 0;
        }
        form->keys[i] = PyUnicode_InternFromString(name);
        if (form->keys[i] == NULL ||
            (form->results[i].is_array != 0 && call_refuse_reserved(name) != 0)) {
            return -1;
        }
    }
    return 0;
}

// Finds what the formula gives for the inputs. Returns 0, or -1 with an exception.
static int find_form(FormulaCall* call) {
    FormulaObject* self = call->self;
    for (const Form* form = self->forms; form != NULL; form = form->next) {
        size_t i = 0;
        while (i < self->input_count && form->inputs[i] == form_of(&call->inputs[i])) {
            ++i;
        }
        if (i == self->input_count && form->shape == call->lines.shape.kind) {
            call->form = form;
            return 0;
        }
    }
    Form* form = PyMem_Calloc(1, sizeof *form);
    if (form == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    const jitune_status status =
        jitune_formula_results(self->formula, call->inputs, self->input_count, call->lines.shape,
                               form->results, kMostArguments, &form->result_count);
    if (status != JITUNE_OK || self->input_count + form->result_count > kMostArguments) {
        if (status != JITUNE_OK) {
            raise_status(status);
        } else {
            PyErr_Format(PyExc_ValueError, "a formula has at most %d inputs and results",
                         (int)kMostArguments);
        }
        PyMem_Free(form);
        return -1;
    }
    if (name_results(self, form) != 0) {
        free_form(form);
        return -1;
    }
    for (size_t i = 0; i < self->input_count; ++i) {
        form->inputs[i] = form_of(&call->inputs[i]);
    }
    form->shape = call->lines.shape.kind;
    form->next = self->forms;
    self->forms = form;
    call->form = form;
    return 0;
}

// Opens the memory of each result. Returns 0, or -1 with an exception.
static int open_results(FormulaCall* call) {
    const Array* like = &call->like->array;
    const Lines* lines = &call->lines;
    for (size_t i = 0; i < call->form->result_count; ++i) {
        const jitune_formula_result* result = &call->form->results[i];
        const bool is_array = result->is_array != 0;
        Target* target = &call->targets[i];
        jitune_type type = result->type;
        void* data = &target->bits;
        if (target->place.is_read) {
            type = target->place.array.type;
            data = target->place.array.data;
        } else if (is_array || lines->kept_ndim > 0 || like->device != kHostDevice) {
            if (result_open(&target->made, "MapReduce", call->like->object, like, NULL,
                            is_array ? lines->sizes : lines->kept,
                            is_array ? lines->ndim : lines->kept_ndim, type,
                            is_truth(result)) != 0) {
                return -1;
            }
            target->is_made = true;
            data = call_memory(target->made.data, is_array ? lines->size : lines->count);
        }
        call->outputs[i].name = result->name;
        call->outputs[i].argument = jitune_array(type, data);
        call->outputs[i].extent = JITUNE_ELEMENTS;
    }
    return 0;
}

// Refuses a call whose lines or elements are not as prepared. Returns 0, or -1 with an exception.
static int check_shape(const FormulaCall* call) {
    const jitune_formula_shape *wanted = &call->handle->shape, *shape = &call->lines.shape;
    const bool has_segments = wanted->kind == JITUNE_SEGMENTS;
    if (has_segments && wanted->offsets.type != shape->offsets.type) {
        PyErr_Format(PyExc_ValueError, "offsets must be of %s, as prepared",
                     type_name(wanted->offsets.type, false));
        return -1;
    }
    if (!call->lines.is_between && shape->kind == wanted->kind && shape->outer == wanted->outer &&
        shape->inner == wanted->inner && call->like->array.device == call->handle->device) {
        return 0;
    }
    if (wanted->kind == JITUNE_WHOLE) {
        PyErr_Format(PyExc_ValueError,
                     "the arrays must have %lld elements and be on the same device, as prepared",
                     (long long)wanted->inner);
    } else {
        PyErr_Format(PyExc_ValueError,
                     "the arrays must have %lld %s %lld %s and be on the same device, as prepared",
                     (long long)wanted->outer, has_segments ? "segments of" : "rows and",
                     (long long)wanted->inner, has_segments ? "elements" : "columns");
    }
    return -1;
}

// Refuses a call that is not as prepared. Returns 0, or -1 with an exception.
static int check_prepared(const FormulaCall* call) {
    static const char* const extents[] = {
        "an array", "an array without dimensions", "an array of a value for each row",
        "an array of a value for each column", "an array of a value for each segment"};
    const FormulaHandle* handle = call->handle;
    for (size_t i = 0; call->form != handle->form && i < call->self->input_count; ++i) {
        const int16_t wanted = handle->form->inputs[i];
        if (call->form->inputs[i] != wanted) {
            const bool is_number = wanted / 8 % 8 == JITUNE_VALUE;
            PyErr_Format(PyExc_ValueError, "%s must be %s of %s, as prepared",
                         call->self->input_names[i], is_number ? "a number" : extents[wanted % 8],
                         type_name((jitune_type)(wanted / 64), false));
            return -1;
        }
    }
    for (size_t i = 0; i < call->form->result_count; ++i) {
        if (call->outputs[i].argument.type != handle->outputs[i]) {
            PyErr_Format(PyExc_ValueError, "the place of %s must be of %s, as prepared",
                         call->form->results[i].name, type_name(handle->outputs[i], false));
            return -1;
        }
    }
    return check_shape(call);
}

static jitune_status launch_prepared(const FormulaCall* call, jitune_stream stream) {
    jitune_argument arguments[kMostArguments + 1];
    size_t count = 0;
    for (size_t i = 0; i < call->self->input_count; ++i) {
        arguments[count++] = call->inputs[i].argument;
    }
    for (size_t i = 0; i < call->form->result_count; ++i) {
        arguments[count++] = call->outputs[i].argument;
    }
    if (call->offsets.is_read) {
        arguments[count++] = call->lines.shape.offsets;
    }
    return jitune_launch_kernel(call->handle->prepared, arguments, count, stream);
}

static jitune_status launch_formula(const FormulaCall* call, jitune_stream stream) {
    const Array* like = &call->like->array;
    const size_t input_count = call->self->input_count, output_count = call->form->result_count;
    return like->device == kHostDevice
               ? jitune_formula_run(call->self->formula, call->inputs, input_count,
                                    call->lines.shape, call->outputs, output_count)
               : jitune_formula_launch(call->self->formula, call->inputs, input_count,
                                       call->lines.shape, call->outputs, output_count, stream);
}

// Computes. Returns 0, or -1 with an exception.
static int launch(const FormulaCall* call) {
    const Array* like = &call->like->array;
    const int64_t most_with_lock = 1 << 14;  // elements that take less time than the lock
    jitune_stream stream = NULL;
    PyObject* guard = NULL;
    if ((call->handle != NULL && check_prepared(call) != 0) || array_stream(like, &stream) != 0 ||
        array_enter_device(call->like->object, like, &guard) != 0) {
        return -1;
    }
    jitune_status status = JITUNE_OK;
    if (call->handle != NULL &&
        (like->device != kHostDevice || call->lines.size <= most_with_lock)) {
        status = launch_prepared(call, stream);
    } else {
        Py_BEGIN_ALLOW_THREADS
        status =
            call->handle != NULL ? launch_prepared(call, stream) : launch_formula(call, stream);
        Py_END_ALLOW_THREADS
    }
    if (status != JITUNE_OK) {
        raise_status(status);
    }
    array_leave_device(guard);
    return status == JITUNE_OK ? 0 : -1;
}

// The number of a result on the host; `bits` are zeroed behind it.
static PyObject* number_of(jitune_type type, bool is_bool, uint64_t bits) {
    float narrow;
    double wide;
    switch (type) {
        case JITUNE_FLOAT32:
            memcpy(&narrow, &bits, sizeof narrow);
            return PyFloat_FromDouble((double)narrow);
        case JITUNE_FLOAT64:
            memcpy(&wide, &bits, sizeof wide);
            return PyFloat_FromDouble(wide);
        case JITUNE_INT32:
            return PyLong_FromLong((int32_t)bits);
        case JITUNE_INT64:
            return PyLong_FromLongLong((int64_t)bits);
        default:
            return is_bool ? PyBool_FromLong(bits != 0) : PyLong_FromUnsignedLongLong(bits);
    }
}

// Result `i` as an object, or NULL with an exception.
static PyObject* close_result(FormulaCall* call, size_t i) {
    const jitune_formula_result* result = &call->form->results[i];
    Target* target = &call->targets[i];
    if (target->place.is_read) {
        Py_INCREF(target->place.object);
        return target->place.object;
    }
    if (target->is_made) {
        target->is_made = false;
        return result_close(&target->made, true);
    }
    PyObject* number = number_of(result->type, is_truth(result), target->bits);
    PyObject* scalar =
        number == NULL ? NULL
                       : array_scalar(call->like->object, number, result->type, is_truth(result));
    Py_XDECREF(number);
    return scalar;
}

// The one result, or a dict of several.
static PyObject* close_results(FormulaCall* call) {
    const size_t count = call->form->result_count;
    if (count == 1) {
        return close_result(call, 0);
    }
    PyObject* all = PyDict_New();
    for (size_t i = 0; all != NULL && i < count; ++i) {
        PyObject* one = close_result(call, i);
        if (one == NULL || PyDict_SetItem(all, call->form->keys[i], one) != 0) {
            Py_CLEAR(all);
        }
        Py_XDECREF(one);
    }
    return all;
}

int formula_read(FormulaCall* call) {
    return call_read_inputs(call) != 0 || find_form(call) != 0 ? -1 : call_read_places(call);
}

// A tuple of the dimensions that are reduced, or NULL with an exception.
static PyObject* axes_tuple(const Lines* lines) {
    int64_t axes[kMaxDimensions];
    int count = 0;
    for (int i = 0; i < lines->ndim; ++i) {
        if ((lines->axes >> i & 1) != 0) {
            axes[count++] = i;
        }
    }
    return shape_tuple(axes, count);
}

// By way of copies whose reduced dimensions come last.
static PyObject* compute_moved(const FormulaCall* call) {
    const Lines* lines = &call->lines;
    const Form* form = call->form;
    PyObject* names = PyList_New(0);
    PyObject* written = PyDict_New();
    PyObject* sizes = shape_tuple(lines->sizes, lines->ndim);
    PyObject* axes = axes_tuple(lines);
    PyObject* kept = shape_tuple(lines->kept, lines->kept_ndim);
    bool is_known =
        names != NULL && written != NULL && sizes != NULL && axes != NULL && kept != NULL;
    for (size_t i = 0; is_known && i < form->result_count; ++i) {
        is_known =
            PyList_Append(names, form->keys[i]) == 0 &&
            (form->results[i].is_array == 0 ||
             PyDict_SetItem(written, form->keys[i], form->is_input[i] ? Py_True : Py_False) == 0);
    }
    PyObject* result = is_known
                           ? call_helper("map_reduce_moved", "(OOOOOOO)", (PyObject*)call->self,
                                         call->keywords, names, written, sizes, axes, kept)
                           : NULL;
    Py_XDECREF(names);
    Py_XDECREF(written);
    Py_XDECREF(sizes);
    Py_XDECREF(axes);
    Py_XDECREF(kept);
    return result;
}

PyObject* formula_compute(FormulaObject* self, const FormulaHandle* handle, PyObject* arguments,
                          PyObject* keywords) {
    FormulaCall call;  // too large to be zeroed for each call
    PyObject* result = NULL;
    if (call_begin(&call, self, handle, arguments, keywords) == 0 && formula_read(&call) == 0) {
        if (call.lines.is_between && handle == NULL) {
            result = compute_moved(&call);
        } else if (open_results(&call) == 0 && launch(&call) == 0) {
            result = close_results(&call);
        }
    }
    call_release(&call);
    return result;
}

static PyObject* formula_call(PyObject* object, PyObject* arguments, PyObject* keywords) {
    return formula_compute((FormulaObject*)object, NULL, arguments, keywords);
}

static PyObject* formula_repr(PyObject* object) {
    PyObject* text = ((FormulaObject*)object)->text;
    return text == NULL ? PyUnicode_FromString("MapReduce()")
                        : PyUnicode_FromFormat("MapReduce(%R)", text);
}

static PyMethodDef formula_methods[] = {
    {"prepare", (PyCFunction)(void (*)(void))formula_prepare, METH_VARARGS | METH_KEYWORDS,
     "prepare($self, *, axis=None, offsets=None, keepdims=False, out=None, **inputs)\n--\n\nA "
     "jitune.PreparedMapReduce for calls like this one: of these dtypes, these sizes and this "
     "device. Its calls take\noffsets, too, but no axis."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot formula_slots[] = {
    {Py_tp_doc,
     "MapReduce(text, /, session=None, *, operations=())\n--\n\nA formula over arrays, computed in "
     "as few passes as it needs.\n\nstep(x=x, y=y, axis=None, offsets=None, keepdims=False, "
     "out=None): arrays and numbers by their names in the\nformula, and places of results by "
     "theirs. "
     "Returns as jitune.map_reduce, which has the rules. operations: what the\nformula calls "
     "besides, each a dict of the arguments by which jitune.custom_reduce takes it."},
    {Py_tp_init, formula_init},
    {Py_tp_dealloc, formula_dealloc},
    {Py_tp_call, formula_call},
    {Py_tp_repr, formula_repr},
    {Py_tp_methods, formula_methods},
    {0, NULL},
};
static PyType_Spec formula_spec = {"jitune.MapReduce", sizeof(FormulaObject), 0, Py_TPFLAGS_DEFAULT,
                                   formula_slots};

int add_formula_type(PyObject* module) {
    PyObject* type = NULL;
    return add_type(module, "MapReduce", &formula_spec, &type);
}
