// SPDX-License-Identifier: Apache-2.0
// Functions of the module beside reductions along axes.
#pragma once

#include "array.h"
#include "support.h"

PyObject* stencil_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                       PyObject* keywords);
PyObject* entropy_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                       PyObject* keywords);
PyObject* segment_reduce_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keywords);
PyObject* custom_reduce_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                             PyObject* keywords);

// The operation with this name, as "sum". Returns 0, or -1 with an exception.
int read_op(PyObject* name, jitune_reduce_op* op);
