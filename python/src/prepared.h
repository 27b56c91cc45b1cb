// SPDX-License-Identifier: Apache-2.0
// Prepared handles.
#pragma once

#include "array.h"

// Reads x and out, and checks that they are as prepared. Returns 0, or -1 with an exception.
int prepared_read(PyObject* handle, PyObject* const* arguments, Array* in, Array* out);

// Launches with x and out, which are in `arguments` and have been read. Returns out, as a new
// reference, or NULL with an exception.
PyObject* prepared_run(PyObject* handle, PyObject* const* arguments, const Array* in,
                       const Array* out);

// What answers, as a dict, or NULL with an exception.
PyObject* prepared_info_of(const jitune_prepared* prepared);

// prepare(op, x, axis=None, dtype=None, session=None)
PyObject* prepare_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                       PyObject* keywords);

// Adds the type Prepared to the module. Returns 0, or -1 with an exception.
int add_prepared_type(PyObject* module);
