// SPDX-License-Identifier: Apache-2.0
// Helpers that all files of the module use: exceptions, arguments, sessions.
#pragma once

#include "jitune/jitune.h"
#include "python.h"

// Names of attributes and keywords, interned: a lookup then compares no text.
typedef struct {
    PyObject *data, *ptr, *device_id, *dtype, *ndim, *size, *shape, *strides, *c_contiguous,
        *requires_grad, *out, *axis, *offsets, *keepdims;
} AttributeNames;

// The module's exceptions and its Python helpers, set when the module is imported.
typedef struct {
    PyObject* error;                              // jitune.Error
    PyObject* errors[JITUNE_ERROR_INTERNAL + 1];  // by status
    PyObject* helpers;                            // the module jitune._helpers
    AttributeNames names;
} ModuleState;
extern ModuleState module_state;

// Sets the exception of a status that is not JITUNE_OK, with the message and code of this thread's
// last failure. Returns NULL.
PyObject* raise_status(jitune_status status);

// Reads the arguments of a METH_FASTCALL | METH_KEYWORDS function into `values`, by position for
// the first `positional` of the `names`, which end with NULL. Leaves the value of an argument that
// is not given. Returns 0, or -1 with an exception.
int read_arguments(const char* function, PyObject* const* arguments, Py_ssize_t count,
                   PyObject* keywords, const char* const* names, int positional, PyObject** values);

// The session behind an object of the type Session; null for None. Returns 0, or -1 with an
// exception.
int read_session(PyObject* object, jitune_session** session);

// Calls a function of jitune._helpers. A new reference, or NULL with an exception.
PyObject* call_helper(const char* name, const char* format, ...);

// The text of bytes; NULL with an exception for NULL, and where a NUL would cut it.
const char* bytes_text(PyObject* bytes);

// The value of an integer object, whose reference it takes; -1 with an exception for NULL and
// others.
int64_t integer_of(PyObject* object);

// A tuple of integers, or NULL with an exception.
PyObject* shape_tuple(const int64_t* shape, int ndim);

// Makes a type, adds it to the module, and keeps it in `type`. Returns 0, or -1 with an exception.
int add_type(PyObject* module, const char* name, PyType_Spec* spec, PyObject** type);

// Frees an object of such a type, and releases `session`, which may be null. Deallocators end with
// it.
void free_object(PyObject* object, PyObject* session);
