// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "array.h"
#include "support.h"

// Add the types Prepared and Bound, and TunedKernel, to the module. Return 0, or -1 with an exception.
int add_prepared_types(PyObject *module);
int add_kernel_type(PyObject *module);

// prepare(op, x, axis=None, session=None)
PyObject *prepare_call(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords);
