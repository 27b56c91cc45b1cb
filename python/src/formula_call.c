// SPDX-License-Identifier: Apache-2.0
#include "formula_call.h"

#include <string.h>

#include "result_types.h"

void* call_memory(void* data, int64_t size) {
    static _Alignas(64) char nowhere[64];  // jitune takes no null
    return data == NULL && size == 0 ? nowhere : data;
}

// The value of an interned key, borrowed, or NULL if there is none.
static PyObject* value_at(PyObject* dict, PyObject* key) {
    return dict == NULL ? NULL : PyDict_GetItem(dict, key);
}

static const char* const reserved_names[] = {"out", "axis", "offsets", "keepdims", "session"};
enum { kReserved = sizeof reserved_names / sizeof *reserved_names };

int call_refuse_reserved(const char* name) {
    for (int i = 0; i < kReserved; ++i) {
        if (strcmp(name, reserved_names[i]) == 0) {
            PyErr_Format(PyExc_ValueError,
                         "\"%s\" is an argument of calls: give the formula's array another name",
                         name);
            return -1;
        }
    }
    return 0;
}

// The value of an argument that is no name in the formula, borrowed, or NULL if it is not given.
static PyObject* take_reserved(FormulaCall* call, PyObject* key) {
    PyObject* value = value_at(call->keywords, key);
    call->reserved += value != NULL;
    return value == Py_None ? NULL : value;
}

// Reads an array. Returns 0, or -1 with an exception.
static int read_given(PyObject* object, const char* name, Given* given) {
    if (array_read(object, name, &given->array) != 0) {
        return -1;
    }
    given->array.data = call_memory(given->array.data, given->array.size);
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

// Reads what the call reduces. Returns 0, or -1 with an exception.
static int begin_lines(FormulaCall* call) {
    PyObject* axis = take_reserved(call, module_state.names.axis);
    PyObject* keepdims = take_reserved(call, module_state.names.keepdims);
    PyObject* offsets = take_reserved(call, module_state.names.offsets);
    if (call->handle != NULL && (axis != NULL || keepdims != NULL)) {
        PyErr_SetString(PyExc_TypeError,
                        "axis and keepdims are those of prepare(): leave them out here");
        return -1;
    }
    if (call->handle != NULL) {
        const bool has_segments = call->handle->shape.kind == JITUNE_SEGMENTS;
        if (has_segments != (offsets != NULL)) {
            PyErr_Format(PyExc_ValueError, "the call must have %s, as prepared",
                         has_segments ? "offsets" : "no offsets");
            return -1;
        }
        axis = call->handle->axis;
        keepdims = call->handle->keepdims;
    }
    if (offsets != NULL && read_given(offsets, "offsets", &call->offsets) != 0) {
        return -1;
    }
    return lines_begin(&call->lines, axis, keepdims, offsets == NULL ? NULL : &call->offsets.array);
}

int call_begin(FormulaCall* call, FormulaObject* self, const FormulaHandle* handle,
               PyObject* arguments, PyObject* keywords) {
    call->self = self;
    call->handle = handle;
    call->keywords = keywords;
    call->reserved = 0;
    call->offsets.object = NULL;
    call->offsets.is_read = false;
    call->like = NULL;
    call->targets = NULL;
    call->given = call->few_given;
    if (self->input_count > kFew) {
        call->given = PyMem_Malloc(self->input_count * sizeof *call->given);
    }
    if (call->given == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < self->input_count; ++i) {
        call->given[i].object = NULL;
        call->given[i].is_read = false;
    }
    if (self->formula == NULL) {
        PyErr_SetString(PyExc_ValueError, "the MapReduce has not been made: pass it a formula");
        return -1;
    }
    if (PyTuple_Size(arguments) != 0) {
        PyErr_SetString(PyExc_TypeError, "MapReduce takes its arrays by name: residual(r=r, z=z)");
        return -1;
    }
    call->out = take_reserved(call, module_state.names.out);
    if (call->out != NULL && !PyDict_Check(call->out)) {
        PyErr_SetString(PyExc_TypeError, "out must be a dict of arrays by the names of results");
        return -1;
    }
    return begin_lines(call);
}

// Makes room for the results of the form. Returns 0, or -1 with an exception.
static int begin_targets(FormulaCall* call) {
    const size_t count = call->form->result_count;
    call->targets = call->few_targets;
    if (count > kFew) {
        call->targets = PyMem_Malloc(count * sizeof *call->targets);
    }
    if (call->targets == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < count; ++i) {
        call->targets[i].place.object = NULL;
        call->targets[i].place.is_read = false;
        call->targets[i].is_made = false;
        call->targets[i].bits = 0;
    }
    return 0;
}

static bool is_scalar(const Given* given) {
    return given->array.ndim == 0;
}

// Takes an array with dimensions into the call. Returns 0, or -1 with an exception.
static int take_array(FormulaCall* call, const Given* given, const char* name) {
    if (!given->array.is_contiguous) {
        PyErr_Format(PyExc_ValueError, "%s must be C-contiguous (row-major): pass a copy", name);
        return -1;
    }
    if (call->like == NULL) {
        call->like = given;
        call->like_name = name;
    }
    return 0;
}

// Refuses arrays on several devices. Returns 0, or -1 with an exception.
static int check_device(const FormulaCall* call, const Given* given, const char* name) {
    if (given->array.device == call->like->array.device) {
        return 0;
    }
    PyErr_Format(PyExc_ValueError,
                 "%s and %s are on different devices: all arrays of a call must be on one", name,
                 call->like_name);
    return -1;
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
    input->extent = JITUNE_ELEMENTS;
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
    input->extent = is_scalar(given) ? JITUNE_SCALAR : JITUNE_ELEMENTS;
    return 0;
}

// Floats of Python do not widen a call that computes in float32.
static void narrow_floats(FormulaCall* call) {
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

// Sets what the inputs have one value for, when all are known. Returns 0, or -1 with an exception.
static int set_extents(FormulaCall* call) {
    if (call->lines.first != NULL && lines_close(&call->lines) != 0) {
        return -1;
    }
    for (size_t i = 0; i < call->self->input_count; ++i) {
        const Given* given = &call->given[i];
        if (given->is_read && !is_scalar(given) &&
            lines_extent(&call->lines, &given->array, call->inputs[i].name,
                         &call->inputs[i].extent) != 0) {
            return -1;
        }
    }
    return 0;
}

int call_read_inputs(FormulaCall* call) {
    const FormulaObject* self = call->self;
    for (size_t i = 0; i < self->input_count; ++i) {
        const char* name = self->input_names[i];
        PyObject* object = value_at(call->keywords, self->input_keys[i]);
        Given* given = &call->given[i];
        if (object == NULL) {
            PyErr_Format(PyExc_TypeError, "the formula reads %s: pass %s=", name, name);
            return -1;
        }
        if (read_input(object, name, given, &call->inputs[i]) != 0 ||
            (given->is_read && !is_scalar(given) &&
             (take_array(call, given, name) != 0 ||
              lines_add(&call->lines, &given->array, name) != 0))) {
            return -1;
        }
    }
    narrow_floats(call);
    return set_extents(call);
}

bool is_truth(const jitune_formula_result* result) {
    return result->is_array == 0 && result->type == JITUNE_UINT8;
}

// Refuses a place that cannot take a result. Returns 0, or -1 with an exception.
static int check_place(FormulaCall* call, const Given* place, const jitune_formula_result* result) {
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
        return take_array(call, place, name) != 0 ? -1
                                                  : lines_take_written(&call->lines, array, name);
    }
    if (!array->is_contiguous) {
        PyErr_Format(PyExc_ValueError, "the place of %s must be C-contiguous (row-major)", name);
        return -1;
    }
    return 0;
}

// Refuses a place of a result that has not its number of elements. Returns 0, or -1 with an
// exception.
static int check_count(const Lines* lines, const Array* place, const char* name) {
    if (place->size == lines->count) {
        return 0;
    }
    if (lines->shape.kind == JITUNE_WHOLE) {
        PyErr_Format(PyExc_ValueError, "the place of %s has %lld elements: it is one value", name,
                     (long long)place->size);
    } else {
        PyErr_Format(PyExc_ValueError, "the place of %s has %lld elements: there are %lld values",
                     name, (long long)place->size, (long long)lines->count);
    }
    return -1;
}

// The array that the call gives for result `i` to be written to, or NULL. It counts in `used` those
// that are not inputs. Returns 0, or -1 with an exception.
static int find_place(const FormulaCall* call, size_t i, PyObject** place, Py_ssize_t* used_out,
                      Py_ssize_t* used_keywords) {
    const jitune_formula_result* result = &call->form->results[i];
    PyObject* key = call->form->keys[i];
    PyObject* in_out = value_at(call->out, key);
    *used_out += in_out != NULL;
    in_out = in_out == Py_None ? NULL : in_out;
    PyObject* named = result->is_array == 0 ? NULL : value_at(call->keywords, key);
    if (named != NULL && !call->form->is_input[i]) {  // an array that the formula writes alone
        ++*used_keywords;
        if (in_out != NULL) {
            PyErr_Format(PyExc_TypeError, "%s is given twice: itself, and in out", result->name);
            return -1;
        }
    }
    *place = in_out != NULL ? in_out : named;
    return 0;
}

// What a keyword means in every formula, or NULL.
static const char* meaning_of(PyObject* keyword) {
    return PyUnicode_CompareWithASCIIString(keyword, "n") == 0   ? "the number of elements"
           : PyUnicode_CompareWithASCIIString(keyword, "i") == 0 ? "the place of an element"
                                                                 : NULL;
}

// Names the first key of a dict that is no name of the call. Returns -1 with an exception.
static int refuse_key(const FormulaCall* call, PyObject* dict, bool is_out) {
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
        for (int i = 0; !is_out && !is_known && i < kReserved - 1; ++i) {  // session is no such
            is_known = PyUnicode_CompareWithASCIIString(name, reserved_names[i]) == 0;
        }
        const char* meaning = is_known || is_out ? NULL : meaning_of(name);
        if (meaning != NULL) {
            PyErr_Format(PyExc_TypeError,
                         "no input can be called %R, which is %s in every formula: take another "
                         "name",
                         name, meaning);
            return -1;
        }
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

static bool overlap(const Array* a, const Array* b) {
    const char *first = a->data, *second = b->data;
    return first < second + b->size * type_bytes(b->type) &&
           second < first + a->size * type_bytes(a->type);
}

// Refuses a place that shares memory with another array, unless it is an input in place. Returns 0,
// or -1 with an exception.
static int check_overlaps(const FormulaCall* call, size_t target) {
    const Array* place = &call->targets[target].place.array;
    const bool is_offsets = call->offsets.is_read && overlap(place, &call->offsets.array);
    const char* other = is_offsets ? "offsets" : NULL;
    for (size_t i = 0; i < call->self->input_count; ++i) {
        const Array* input = &call->given[i].array;
        if (call->inputs[i].argument.kind != JITUNE_ARRAY) {
            continue;
        }
        const bool is_in_place =
            place->data == input->data && place->size == input->size && place->type == input->type;
        other = !is_in_place && overlap(place, input) ? call->inputs[i].name : other;
    }
    for (size_t i = 0; i < target; ++i) {
        const Given* before = &call->targets[i].place;
        other =
            before->is_read && overlap(place, &before->array) ? call->form->results[i].name : other;
    }
    if (other != NULL) {
        PyErr_Format(PyExc_ValueError,
                     "the formula writes %s, which shares memory with %s: pass a copy",
                     call->form->results[target].name, other);
    }
    return other == NULL ? 0 : -1;
}

// Checks what can be checked when all arrays are known. Returns 0, or -1 with an exception.
static int check_call(const FormulaCall* call) {
    if (call->lines.first == NULL) {
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
    const char* made = NULL;  // an array that the call does not give
    for (size_t i = 0; i < call->form->result_count; ++i) {
        const Given* place = &call->targets[i].place;
        const jitune_formula_result* result = &call->form->results[i];
        if (place->is_read &&
            ((result->is_array == 0 &&
              check_count(&call->lines, &place->array, result->name) != 0) ||
             check_device(call, place, result->name) != 0 || check_overlaps(call, i) != 0)) {
            return -1;
        }
        made = result->is_array != 0 && !place->is_read ? result->name : made;
    }
    if (!call->offsets.is_read) {
        return 0;
    }
    return check_device(call, &call->offsets, "offsets") != 0
               ? -1
               : lines_check_offsets(&call->lines, &call->offsets.array, made);
}

int call_read_places(FormulaCall* call) {
    Py_ssize_t used_out = 0, used_keywords = 0;
    if (begin_targets(call) != 0) {
        return -1;
    }
    for (size_t i = 0; i < call->form->result_count; ++i) {
        const jitune_formula_result* result = &call->form->results[i];
        Given* place = &call->targets[i].place;
        PyObject* object = NULL;
        if (find_place(call, i, &object, &used_out, &used_keywords) != 0 ||
            (object != NULL && (read_given(object, result->name, place) != 0 ||
                                check_place(call, place, result) != 0))) {
            return -1;
        }
    }
    const Py_ssize_t keywords =
        (call->keywords == NULL ? 0 : PyDict_Size(call->keywords)) - call->reserved;
    if (keywords != used_keywords + (Py_ssize_t)call->self->input_count) {
        return refuse_key(call, call->keywords, false);
    }
    return call->out != NULL && used_out != PyDict_Size(call->out)
               ? refuse_key(call, call->out, true)
               : check_call(call);
}

static void release(Given* given) {
    if (given->is_read) {
        array_release(&given->array);
    }
    Py_XDECREF(given->object);
}

void call_release(FormulaCall* call) {
    release(&call->offsets);
    for (size_t i = 0; call->given != NULL && i < call->self->input_count; ++i) {
        release(&call->given[i]);
    }
    for (size_t i = 0; call->targets != NULL && i < call->form->result_count; ++i) {
        if (call->targets[i].is_made) {
            Py_XDECREF(result_close(&call->targets[i].made, false));
        }
        release(&call->targets[i].place);
    }
    if (call->targets != call->few_targets) {
        PyMem_Free(call->targets);
    }
    if (call->given != call->few_given) {
        PyMem_Free(call->given);
    }
}
