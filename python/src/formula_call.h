// SPDX-License-Identifier: Apache-2.0
// The arguments of a formula's call: arrays, scalars and places of results, by their names.
#pragma once

#include "array.h"
#include "formula_lines.h"
#include "result.h"
#include "support.h"

enum { kMostArguments = 58 };  // inputs and results of a call together

// The results of a formula for inputs of these kinds and types in a shape. A formula keeps them,
// because to find them out takes longer than a call.
typedef struct Form {
    struct Form* next;
    jitune_reduce_shape shape;
    int16_t inputs[kMostArguments];  // form_of() each
    size_t result_count;
    jitune_formula_result results[kMostArguments];
    PyObject* keys[kMostArguments];  // the names of results, interned
    bool is_input[kMostArguments];   // the result is an array that is an input, too
} Form;

typedef struct {
    PyObject_HEAD
    jitune_formula* formula;
    PyObject* text;
    PyObject* session;
    size_t input_count;
    const char* input_names[kMostArguments];  // of the formula
    PyObject* input_keys[kMostArguments];     // the same, interned as keywords of calls are
    Form* forms;
} FormulaObject;

// A prepared handle, and the form and shape that its calls must have.
typedef struct {
    jitune_prepared* prepared;
    const Form* form;
    PyObject* axis;                       // of prepare(); NULL: none
    PyObject* keepdims;                   // likewise
    jitune_formula_shape shape;           // without its offsets
    int device;                           // kHostDevice, or the number of a GPU
    jitune_type outputs[kMostArguments];  // the types of the results' places
} FormulaHandle;

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

enum { kFew = 4 };  // a call has room for so many arrays without an allocation

// A call, as far as it is known.
typedef struct {
    FormulaObject* self;
    const FormulaHandle* handle;  // NULL: the formula itself launches
    PyObject *keywords, *out;     // out: a dict, or NULL
    int reserved;                 // keywords that are no names in the formula
    const Form* form;
    jitune_formula_argument inputs[kMostArguments], outputs[kMostArguments];
    Given* given;       // of the inputs: few_given, or allocated
    Target* targets;    // of the results: few_targets, or allocated; NULL if the form is not known
    const Given* like;  // the first array with dimensions: results are of its kind and device
    const char* like_name;
    Given offsets;
    Lines lines;
    Given few_given[kFew];
    Target few_targets[kFew];
} FormulaCall;

// Begins a call of a formula, or of a handle of it, which may be NULL. call_release() is due in any
// case. Returns 0, or -1 with an exception.
int call_begin(FormulaCall* call, FormulaObject* self, const FormulaHandle* handle,
               PyObject* arguments, PyObject* keywords);

// Reads the inputs. Returns 0, or -1 with an exception.
int call_read_inputs(FormulaCall* call);

// Reads the places that the call gives for results, when its form is known. Returns 0, or -1 with
// an exception: also where the call brings what the formula does not know, and where its arrays do
// not fit together.
int call_read_places(FormulaCall* call);

// The memory of an array of `size` elements, which is not null where a library gives arrays without
// elements none.
void* call_memory(void* data, int64_t size);

// Whether results are bools in Python: those of all() and any(), alone of this type.
bool is_truth(const jitune_formula_result* result);

// Refuses a name of an array that is an argument of calls. Returns 0, or -1 with an exception.
int call_refuse_reserved(const char* name);

// Gives everything back.
void call_release(FormulaCall* call);
