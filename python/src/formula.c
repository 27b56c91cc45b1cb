// SPDX-License-Identifier: Apache-2.0
#include "formula.h"

#include <string.h>

#include "result.h"
#include "result_types.h"
#include "support.h"

enum { kMostArguments = 64 };  // inputs and results of a call together

// What a formula gives for inputs of these kinds and types: it takes longer to find out than a
// call.
typedef struct Form {
    struct Form* next;
    int16_t inputs[kMostArguments];  // form_of() each
    size_t result_count;
    jitune_formula_result results[kMostArguments];
} Form;

typedef struct {
    PyObject_HEAD
    jitune_formula* formula;
    PyObject* session;
    size_t input_count;
    const char* input_names[kMostArguments];  // of the formula
    Form* forms;
} FormulaObject;

static void formula_dealloc(PyObject* object) {
    FormulaObject* self = (FormulaObject*)object;
    while (self->forms != NULL) {
        Form* form = self->forms;
        self->forms = form->next;
        PyMem_Free(form);
    }
    jitune_formula_destroy(self->formula);
    free_object(object, self->session);
}

static int formula_init(PyObject* object, PyObject* arguments, PyObject* keywords) {
    static char* names[] = {"", "session", NULL};
    FormulaObject* self = (FormulaObject*)object;
    const char* text = NULL;
    PyObject* session_object = Py_None;
    jitune_session* session = NULL;
    if (self->formula != NULL) {
        PyErr_SetString(PyExc_TypeError, "a MapReduce takes its formula once");
        return -1;
    }
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "s|O:MapReduce", names, &text,
                                     &session_object) ||
        read_session(session_object, &session) != 0) {
        return -1;
    }
    jitune_status status = jitune_formula_create(session, text, &self->formula);
    if (status == JITUNE_OK) {
        status = jitune_formula_inputs(self->formula, self->input_names, kMostArguments,
                                       &self->input_count);
    }
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
        if (strcmp(self->input_names[i], "out") == 0) {
            PyErr_SetString(PyExc_ValueError,
                            "\"out\" names the places of results: give the formula's array another "
                            "name");
            return -1;
        }
    }
    if (session_object != Py_None) {
        Py_INCREF(session_object);
        self->session = session_object;
    }
    return 0;
}

// Where arrays without elements are, whose library gives them no memory: jitune takes no null.
static _Alignas(64) char nowhere[64];

// An array that a call brings: an input, or the place of a result.
typedef struct {
    PyObject* object;
    Array array;
    bool is_read;  // array_release() is due
} Given;

// Where a result goes: to the place that the call gives, into a new array, or into the bits of a
// scalar.
typedef struct {
    Given place;
    Result made;
    bool is_made;  // result_close() is due
    uint64_t bits;
} Target;

// A call, as far as it is known.
typedef struct {
    const FormulaObject* self;
    PyObject *keywords, *out;  // out: a dict, or NULL
    const Form* form;
    jitune_formula_argument inputs[kMostArguments], outputs[kMostArguments];
    Given* given;       // of the inputs; zeroed where nothing is read yet
    Target* targets;    // of the results; NULL, or zeroed likewise
    const Given* like;  // the first array of n elements: results are of its kind, shape and device
    const char* like_name;
} Call;

static bool is_scalar(const Given* given) {
    return given->array.ndim == 0;
}

// Takes an array of n elements into the call. Returns 0, or -1 with an exception.
static int take_elements(Call* call, const Given* given, const char* name) {
    const Array* array = &given->array;
    if (!array->is_contiguous) {
        PyErr_Format(PyExc_ValueError, "%s must be C-contiguous (row-major): pass a copy", name);
        return -1;
    }
    if (call->like == NULL) {
        call->like = given;
        call->like_name = name;
        return 0;
    }
    const Array* first = &call->like->array;
    if (array->size != first->size) {
        PyErr_Format(PyExc_ValueError,
                     "%s has %lld elements and %s %lld: pass arrays of equal size, and scalars "
                     "without dimensions",
                     name, (long long)array->size, call->like_name, (long long)first->size);
        return -1;
    }
    return 0;
}

// Refuses arrays on several devices. Returns 0, or -1 with an exception.
static int check_device(const Call* call, const Given* given, const char* name) {
    if (given->array.device == call->like->array.device) {
        return 0;
    }
    PyErr_Format(PyExc_ValueError,
                 "%s and %s are on different devices: all arrays of a call must be on one", name,
                 call->like_name);
    return -1;
}

// Reads an array. Returns 0, or -1 with an exception.
static int read_given(PyObject* object, const char* name, Given* given) {
    if (array_read(object, name, &given->array) != 0) {
        return -1;
    }
    if (given->array.size == 0 && given->array.data == NULL) {
        given->array.data = nowhere;
    }
    given->is_read = true;
    Py_INCREF(object);
    given->object = object;
    const int needs_grad = array_needs_grad(object, &given->array);
    if (needs_grad == 1) {
        PyErr_Format(PyExc_ValueError,
                     "MapReduce has no gradient, which %s requires: pass %s.detach()", name, name);
    }
    return needs_grad == 0 ? 0 : -1;
}

// An integer of Python as the narrowest of int32, int64 and uint64 that has it. Returns 0, or -1
// with an exception.
static int read_integer(PyObject* object, const char* name, jitune_argument* argument) {
    int overflow = 0;
    const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) {
        const bool is_narrow = value == (int32_t)value;
        *argument = jitune_integer(is_narrow ? JITUNE_INT32 : JITUNE_INT64, value);
        return value == -1 && PyErr_Occurred() ? -1 : 0;
    }
    *argument = jitune_argument_of(JITUNE_VALUE, JITUNE_UINT64);
    argument->as.natural = PyLong_AsUnsignedLongLong(object);
    if (PyErr_Occurred()) {
        PyErr_Format(PyExc_OverflowError, "%s is %S, which has more than 64 bits", name, object);
        return -1;
    }
    return 0;
}

// An input. Numbers of Python become values; a float gets its type when the arrays are known.
// Returns 0, or -1 with an exception.
static int read_input(PyObject* object, const char* name, Given* given,
                      jitune_formula_argument* input) {
    input->name = name;
    input->is_scalar = 0;
    if (PyFloat_CheckExact(object)) {
        input->argument = jitune_double(PyFloat_AsDouble(object));
        return 0;
    }
    if (PyBool_Check(object)) {
        input->argument = jitune_integer(JITUNE_UINT8, object == Py_True);
        return 0;
    }
    if (PyLong_Check(object)) {
        return read_integer(object, name, &input->argument);
    }
    if (read_given(object, name, given) != 0) {
        return -1;
    }
    const Array* array = &given->array;
    if (is_scalar(given) && array->device == kHostDevice) {  // of NumPy a number, too
        input->argument = jitune_argument_of(JITUNE_VALUE, array->type);
        memcpy(&input->argument.as, array->data, (size_t)type_bytes(array->type));
        return 0;
    }
    input->argument = jitune_array(array->type, array->data);
    input->is_scalar = is_scalar(given);
    return 0;
}

static PyObject* keyword(const Call* call, const char* name) {
    return call->keywords == NULL ? NULL : PyDict_GetItemString(call->keywords, name);
}

static int read_inputs(Call* call) {
    const FormulaObject* self = call->self;
    for (size_t i = 0; i < self->input_count; ++i) {
        const char* name = self->input_names[i];
        PyObject* object = keyword(call, name);
        Given* given = &call->given[i];
        if (object == NULL) {
            PyErr_Format(PyExc_TypeError, "the formula reads %s: pass %s=", name, name);
            return -1;
        }
        if (read_input(object, name, given, &call->inputs[i]) != 0 ||
            (given->is_read && !is_scalar(given) && take_elements(call, given, name) != 0)) {
            return -1;
        }
    }
    return 0;
}

// Floats of Python do not widen a call that computes in float32.
static void narrow_floats(Call* call) {
    bool has_float = false, has_double = false;
    const size_t count = call->self->input_count;
    for (size_t i = 0; i < count; ++i) {
        const bool is_array = call->given[i].is_read && !is_scalar(&call->given[i]);
        const jitune_type type = call->inputs[i].argument.type;
        has_float = has_float || (is_array && is_float(type));
        has_double = has_double || (is_array && type == JITUNE_FLOAT64);
    }
    for (size_t i = 0; has_float && !has_double && i < count; ++i) {
        jitune_argument* argument = &call->inputs[i].argument;
        if (!call->given[i].is_read && argument->type == JITUNE_FLOAT64) {
            *argument = jitune_float((float)argument->as.float64);
        }
    }
}

static int16_t form_of(const jitune_formula_argument* input) {
    return (int16_t)((int)input->argument.type * 16 + (int)input->argument.kind * 2 +
                     input->is_scalar);
}

// Finds what the formula gives for the inputs. Returns 0, or -1 with an exception.
static int find_form(Call* call, FormulaObject* self) {
    for (const Form* form = self->forms; form != NULL; form = form->next) {
        size_t i = 0;
        while (i < self->input_count && form->inputs[i] == form_of(&call->inputs[i])) {
            ++i;
        }
        if (i == self->input_count) {
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
        jitune_formula_results(self->formula, call->inputs, self->input_count, form->results,
                               kMostArguments, &form->result_count);
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
    for (size_t i = 0; i < self->input_count; ++i) {
        form->inputs[i] = form_of(&call->inputs[i]);
    }
    form->next = self->forms;
    self->forms = form;
    call->form = form;
    return 0;
}

// Whether results are bools in Python: those of all() and any(), alone of this type.
static bool is_truth(const jitune_formula_result* result) {
    return result->is_array == 0 && result->type == JITUNE_UINT8;
}

// Refuses a place that cannot take a result. Returns 0, or -1 with an exception.
static int check_place(Call* call, const Given* place, const jitune_formula_result* result) {
    const Array* array = &place->array;
    const char* name = result->name;
    if (array->is_readonly) {
        PyErr_Format(PyExc_ValueError, "%s is read-only, and the formula writes it", name);
        return -1;
    }
    if (array->is_bool && !is_truth(result)) {
        PyErr_Format(PyExc_ValueError,
                     "the formula writes numbers to %s, an array of bools: pass a view of it as "
                     "uint8",
                     name);
        return -1;
    }
    if (result->is_array != 0) {
        return take_elements(call, place, name);
    }
    if (array->size != 1) {
        PyErr_Format(PyExc_ValueError, "the place of %s has %lld elements: it is one value", name,
                     (long long)array->size);
        return -1;
    }
    return 0;
}

// The array that the call gives for result `i` to be written to, or NULL. It counts in `used` those
// that are not inputs. Returns 0, or -1 with an exception.
static int find_place(const Call* call, const jitune_formula_result* result, PyObject** place,
                      Py_ssize_t* used_out, Py_ssize_t* used_keywords) {
    PyObject* in_out = call->out == NULL ? NULL : PyDict_GetItemString(call->out, result->name);
    *used_out += in_out != NULL;
    in_out = in_out == Py_None ? NULL : in_out;
    PyObject* named = result->is_array == 0 ? NULL : keyword(call, result->name);
    bool is_input = false;
    for (size_t i = 0; i < call->self->input_count; ++i) {
        is_input = is_input || strcmp(call->self->input_names[i], result->name) == 0;
    }
    if (named != NULL && !is_input) {  // an array that the formula writes alone
        ++*used_keywords;
        if (in_out != NULL) {
            PyErr_Format(PyExc_TypeError, "%s is given twice: itself, and in out", result->name);
            return -1;
        }
    }
    *place = in_out != NULL ? in_out : named;
    return 0;
}

// Names the first key of a dict that is no name of the call. Returns -1 with an exception.
static int refuse_key(const Call* call, PyObject* dict, bool is_out) {
    PyObject *name = NULL, *value = NULL;
    Py_ssize_t place = 0;
    while (PyDict_Next(dict, &place, &name, &value)) {
        bool is_known = false;
        for (size_t i = 0; !is_known && i < call->form->result_count; ++i) {
            const jitune_formula_result* result = &call->form->results[i];
            is_known = PyUnicode_Check(name) && (is_out || result->is_array != 0) &&
                       PyUnicode_CompareWithASCIIString(name, result->name) == 0;
        }
        for (size_t i = 0; !is_out && !is_known && i < call->self->input_count; ++i) {
            is_known = PyUnicode_CompareWithASCIIString(name, call->self->input_names[i]) == 0;
        }
        is_known = is_known || (!is_out && PyUnicode_CompareWithASCIIString(name, "out") == 0);
        if (!is_known) {
            PyErr_Format(is_out ? PyExc_ValueError : PyExc_TypeError,
                         is_out ? "out has %R, which the formula does not give"
                                : "the call brings %R, which the formula does not read",
                         name);
            return -1;
        }
    }
    return 0;
}

// Reads the places that the call gives for results. Returns 0, or -1 with an exception.
static int read_places(Call* call) {
    Py_ssize_t used_out = 0, used_keywords = 0;
    call->targets = PyMem_Calloc(call->form->result_count, sizeof *call->targets);
    if (call->targets == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < call->form->result_count; ++i) {
        const jitune_formula_result* result = &call->form->results[i];
        Given* place = &call->targets[i].place;
        PyObject* object = NULL;
        if (find_place(call, result, &object, &used_out, &used_keywords) != 0 ||
            (object != NULL && (read_given(object, result->name, place) != 0 ||
                                check_place(call, place, result) != 0))) {
            return -1;
        }
    }
    const Py_ssize_t keywords =
        (call->keywords == NULL ? 0 : PyDict_Size(call->keywords)) - (keyword(call, "out") != NULL);
    if (keywords != used_keywords + (Py_ssize_t)call->self->input_count) {
        return refuse_key(call, call->keywords, false);
    }
    return call->out != NULL && used_out != PyDict_Size(call->out)
               ? refuse_key(call, call->out, true)
               : 0;
}

// Checks what can be checked when all arrays are known. Returns 0, or -1 with an exception.
static int check_call(const Call* call) {
    if (call->like == NULL) {
        PyErr_SetString(PyExc_ValueError,
                        "no array says how many elements there are: pass one, or the place of an "
                        "array that the formula writes");
        return -1;
    }
    for (size_t i = 0; i < call->self->input_count; ++i) {
        const bool is_pointer = call->inputs[i].argument.kind == JITUNE_ARRAY;
        if (is_pointer && check_device(call, &call->given[i], call->inputs[i].name) != 0) {
            return -1;
        }
    }
    for (size_t i = 0; i < call->form->result_count; ++i) {
        const Given* place = &call->targets[i].place;
        if (place->is_read && check_device(call, place, call->form->results[i].name) != 0) {
            return -1;
        }
    }
    return 0;
}

// Opens the memory of each result. Returns 0, or -1 with an exception.
static int open_results(Call* call) {
    const Array* like = &call->like->array;
    for (size_t i = 0; i < call->form->result_count; ++i) {
        const jitune_formula_result* result = &call->form->results[i];
        Target* target = &call->targets[i];
        jitune_type type = result->type;
        void* data = &target->bits;
        if (target->place.is_read) {
            type = target->place.array.type;
            data = target->place.array.data;
        } else if (result->is_array != 0 || like->device != kHostDevice) {
            if (result_open(&target->made, "MapReduce", call->like->object, like, NULL, like->shape,
                            result->is_array != 0 ? like->ndim : 0, type, is_truth(result)) != 0) {
                return -1;
            }
            target->is_made = true;
            data = target->made.data == NULL && like->size == 0 ? nowhere : target->made.data;
        }
        call->outputs[i].name = result->name;
        call->outputs[i].argument = jitune_array(type, data);
        call->outputs[i].is_scalar = 0;
    }
    return 0;
}

// Computes. Returns 0, or -1 with an exception.
static int launch(const Call* call) {
    const Array* like = &call->like->array;
    const size_t input_count = call->self->input_count, output_count = call->form->result_count;
    jitune_stream stream = NULL;
    PyObject* guard = NULL;
    if (array_stream(like, &stream) != 0 ||
        array_enter_device(call->like->object, like, &guard) != 0) {
        return -1;
    }
    jitune_status status = JITUNE_OK;
    Py_BEGIN_ALLOW_THREADS
    status = like->device == kHostDevice
                 ? jitune_formula_run(call->self->formula, call->inputs, input_count, like->size,
                                      call->outputs, output_count)
                 : jitune_formula_launch(call->self->formula, call->inputs, input_count, like->size,
                                         call->outputs, output_count, stream);
    Py_END_ALLOW_THREADS
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
static PyObject* close_result(Call* call, size_t i) {
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
static PyObject* close_results(Call* call) {
    const size_t count = call->form->result_count;
    if (count == 1) {
        return close_result(call, 0);
    }
    PyObject* all = PyDict_New();
    for (size_t i = 0; all != NULL && i < count; ++i) {
        PyObject* one = close_result(call, i);
        if (one == NULL || PyDict_SetItemString(all, call->form->results[i].name, one) != 0) {
            Py_CLEAR(all);
        }
        Py_XDECREF(one);
    }
    return all;
}

static PyObject* computed(Call* call, FormulaObject* self) {
    if (read_inputs(call) != 0) {
        return NULL;
    }
    narrow_floats(call);
    return find_form(call, self) != 0 || read_places(call) != 0 || check_call(call) != 0 ||
                   open_results(call) != 0 || launch(call) != 0
               ? NULL
               : close_results(call);
}

static void release(Given* given) {
    if (given->is_read) {
        array_release(&given->array);
    }
    Py_XDECREF(given->object);
}

static PyObject* formula_call(PyObject* object, PyObject* arguments, PyObject* keywords) {
    FormulaObject* self = (FormulaObject*)object;
    if (self->formula == NULL) {
        PyErr_SetString(PyExc_ValueError, "the MapReduce has not been made: pass it a formula");
        return NULL;
    }
    if (PyTuple_Size(arguments) != 0) {
        PyErr_SetString(PyExc_TypeError, "MapReduce takes its arrays by name: residual(r=r, z=z)");
        return NULL;
    }
    Call call;  // too large to be zeroed for each call
    call.self = self;
    call.keywords = keywords;
    call.like = NULL;
    call.targets = NULL;
    call.given = PyMem_Calloc(self->input_count + 1, sizeof *call.given);
    if (call.given == NULL) {
        return PyErr_NoMemory();
    }
    PyObject* out = keyword(&call, "out");
    call.out = out == Py_None ? NULL : out;
    PyObject* result = NULL;
    if (call.out != NULL && !PyDict_Check(call.out)) {
        PyErr_SetString(PyExc_TypeError, "out must be a dict of arrays by the names of results");
    } else {
        result = computed(&call, self);
    }
    for (size_t i = 0; i < self->input_count; ++i) {
        release(&call.given[i]);
    }
    for (size_t i = 0; call.targets != NULL && i < call.form->result_count; ++i) {
        if (call.targets[i].is_made) {
            Py_XDECREF(result_close(&call.targets[i].made, false));
        }
        release(&call.targets[i].place);
    }
    PyMem_Free(call.targets);
    PyMem_Free(call.given);
    return result;
}

static PyType_Slot formula_slots[] = {
    {Py_tp_doc,
     "MapReduce(text, /, session=None)\n--\n\nA formula over arrays, computed in as few passes as "
     "it needs.\n\nstep(x=x, y=y, out=None): arrays and numbers by their names in the formula, and "
     "places of results by theirs.\nReturns as jitune.map_reduce, which has the rules."},
    {Py_tp_init, formula_init},
    {Py_tp_dealloc, formula_dealloc},
    {Py_tp_call, formula_call},
    {0, NULL},
};
static PyType_Spec formula_spec = {"jitune.MapReduce", sizeof(FormulaObject), 0, Py_TPFLAGS_DEFAULT,
                                   formula_slots};

int add_formula_type(PyObject* module) {
    PyObject* type = NULL;
    return add_type(module, "MapReduce", &formula_spec, &type);
}
