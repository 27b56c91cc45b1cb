// SPDX-License-Identifier: Apache-2.0
// Prepared handles with their arrays.
#pragma once

#include "python.h"

// The method bind(x, out) of a handle.
PyObject* prepared_bind(PyObject* handle, PyObject* const* arguments, Py_ssize_t count);

// Adds the type Bound to the module. Returns 0, or -1 with an exception.
int add_bound_type(PyObject* module);
